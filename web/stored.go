package web

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/almanac-sched/almanac/engine"
)

// A StoredDefinition is the current definition of a job.
type StoredDefinition struct {
	Workflow   string          `json:"workflow"`
	Job        string          `json:"job"`
	Version    ID              `json:"version"`
	Folder     string          `json:"folder" doc:"Where it was loaded from"`
	Definition json.RawMessage `json:"definition" doc:"A workflow document that holds this job alone"`
}

// A DefinitionPage is a page of definitions.
type DefinitionPage struct {
	Items []StoredDefinition `json:"items"`
	Next  string             `json:"next,omitempty" doc:"The cursor of the next page; absent on the last"`
}

type definitionsInput struct {
	Cursor string `query:"cursor" maxLength:"512" doc:"next of the page before"`
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"100" doc:"Rows of a page"`
}

type definitionPageOutput struct{ Body DefinitionPage }

// exampleStored is one definition of the shop.
var exampleStored = StoredDefinition{Workflow: "retail", Job: "orders", Version: 12, Folder: "/srv/pipelines", Definition: exampleVersion.Definition}

func storedRoutes() []route {
	return []route{{Method: http.MethodGet, Pattern: prefix + "/definitions", Permission: Viewer, ID: "listDefinitions", Tag: "jobs",
		Summary: "Every current definition, by workflow and job", Text: "Whoever made it: a folder, or a client of Azure Scheduler. `almanac export files` makes files of them.",
		Answers: ok(DefinitionPage{Items: []StoredDefinition{exampleStored}}), register: operation((*server).listDefinitions)}}
}

func (s *server) listDefinitions(ctx context.Context, in *definitionsInput) (*definitionPageOutput, error) {
	after, err := readJobCursor(in.Cursor)
	if err != nil {
		return nil, err
	}
	out := &definitionPageOutput{}
	err = s.cfg.Rows.Read(ctx, func(v engine.View) error {
		out.Body = DefinitionPage{Items: []StoredDefinition{}}
		rows, err := v.Jobs()
		if err != nil {
			return err
		}
		for i := range rows {
			row := &rows[i]
			switch {
			case row.Removed || compareRefs(row.Ref, after) <= 0:
				continue
			case len(out.Body.Items) == in.Limit:
				last := &out.Body.Items[in.Limit-1]
				out.Body.Next = jobCursor(engine.JobRef{Workflow: last.Workflow, Job: last.Job})
				return nil
			}
			version, err := v.Version(row.Version)
			if err != nil {
				return err
			}
			out.Body.Items = append(out.Body.Items, StoredDefinition{row.Ref.Workflow, row.Ref.Job, ID(row.Version), version.Folder, append([]byte{}, version.Definition...)})
		}
		return nil
	})
	return out, wrap(err, "list definitions")
}
