package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A JobVersion is a definition that a job has, or had.
type JobVersion struct {
	ID         ID              `json:"id"`
	CreatedAt  time.Time       `json:"createdAt" doc:"Instances are planned by it from here on"`
	Current    bool            `json:"current,omitempty"`
	Folder     string          `json:"folder" doc:"Where it was loaded from"`
	Definition json.RawMessage `json:"definition" doc:"A workflow document that holds this job alone"`
}

// A VersionPage is a page of versions.
type VersionPage struct {
	Items []JobVersion `json:"items"`
	Next  string       `json:"next,omitempty" doc:"The cursor of the next page; absent on the last"`
}

type versionsInput struct {
	JobPath
	Cursor int64 `query:"cursor" minimum:"1" doc:"next of the page before"`
	Limit  int   `query:"limit" minimum:"1" maximum:"500" default:"100" doc:"Rows of a page"`
}

type versionPageOutput struct{ Body VersionPage }

func versionRoutes() []route {
	return []route{{Method: http.MethodGet, Pattern: prefix + "/jobs/{workflow}/{job}/versions", Permission: Viewer, ID: "listVersions", Tag: "jobs",
		Refuses: []int{http.StatusNotFound}, Summary: "The definitions that a job has had, newest first",
		Answers: ok(VersionPage{Items: []JobVersion{exampleVersion}}), register: operation((*server).listVersions)}}
}

func (s *server) listVersions(ctx context.Context, in *versionsInput) (*versionPageOutput, error) {
	ref := in.ref()
	out := &versionPageOutput{VersionPage{Items: []JobVersion{}}}
	err := s.cfg.Rows.Read(ctx, func(v engine.View) error {
		out.Body = VersionPage{Items: []JobVersion{}}
		row, err := v.JobByRef(ref)
		if err != nil {
			return err
		}
		versions, err := v.Versions(row.ID, in.Cursor, in.Limit+1)
		if err != nil {
			return err
		}
		for i := range versions {
			if i == in.Limit {
				out.Body.Next = ID(versions[i-1].ID).String()
				break
			}
			x := &versions[i]
			out.Body.Items = append(out.Body.Items, JobVersion{ID(x.ID), x.CreatedAt.UTC(), x.ID == row.Version, x.Folder, x.Definition})
		}
		return nil
	})
	return out, wrap(err, "list the versions of %s", ref)
}

// jobTag is the ETag of a job's definition: the id of its version, and whether it is there.
func jobTag(row *engine.JobRow) string {
	if row.Removed {
		return fmt.Sprintf(`"%d-removed"`, row.Version)
	}
	return fmt.Sprintf(`"%d"`, row.Version)
}
