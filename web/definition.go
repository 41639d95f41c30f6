package web

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// jobDefinitionRoutes are the routes of one definition alone.
func jobDefinitionRoutes() []route {
	return []route{{
		Method: http.MethodGet, Pattern: prefix + "/jobs/{workflow}/{job}/definition", Permission: Viewer, ID: "getDefinition", Tag: "jobs",
		Refuses: []int{http.StatusNotFound}, Summary: "The definition of a job, and nothing that follows from it",
		Text:    "Its ETag is the version, which never changes: with the header If-None-Match the answer is 304 while that version is the current one.",
		Answers: map[int]any{http.StatusOK: exampleDefinition}, Bare: []int{http.StatusNotModified}, register: operation((*server).getDefinition),
	}}
}

// A Definition is a version of a job's definition.
type Definition struct {
	Workflow   string          `json:"workflow" example:"retail"`
	Job        string          `json:"job" example:"orders"`
	Version    ID              `json:"version"`
	CreatedAt  time.Time       `json:"createdAt" doc:"When this version was loaded"`
	Removed    bool            `json:"removed,omitempty" doc:"The job is gone; this was its last definition"`
	Definition json.RawMessage `json:"definition" doc:"A workflow document that holds this job alone"`
}

var exampleDefinition = Definition{
	Workflow: "retail", Job: "orders", Version: 12, CreatedAt: exampleAt.UTC(),
	Definition: json.RawMessage(`{"workflow":"retail","jobs":{"orders":{"cron":"0 6 * * *","action":{"type":"none"}}}}`),
}

type definitionInput struct {
	JobPath
	Unless []string `header:"If-None-Match" maxItems:"32" doc:"ETags of versions that are known already"`
}

type definitionOutput struct {
	Status int
	ETag   string `header:"ETag" doc:"Names the version"`
	Body   *Definition
}

func (s *server) getDefinition(ctx context.Context, in *definitionInput) (*definitionOutput, error) {
	row, version, err := s.definitionOf(ctx, in.ref(), in.Unless)
	if err != nil {
		return nil, err
	}
	out := &definitionOutput{Status: http.StatusOK, ETag: jobTag(row)}
	if version == nil {
		out.Status = http.StatusNotModified
		return out, nil
	}
	out.Body = &Definition{
		Workflow: in.Workflow, Job: in.Job, Version: ID(row.Version), CreatedAt: version.CreatedAt.UTC(), Removed: row.Removed, Definition: version.Definition,
	}
	return out, nil
}

// matches reports whether an If-None-Match header names the ETag. Weak ones count: what is compared is only whether to send it again.
func matches(header []string, tag string) bool {
	for _, sent := range header {
		if sent = strings.TrimPrefix(strings.TrimSpace(sent), "W/"); sent == tag || sent == "*" {
			return true
		}
	}
	return false
}
