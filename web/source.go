package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/almanac-sched/almanac/engine"
)

// A SourceText is a file that says what the definitions of a workflow say.
type SourceText struct {
	Name  string   `json:"name" doc:"Of the file, below folder" example:"retail.yaml"`
	Text  string   `json:"text"`
	Own   bool     `json:"own,omitempty" doc:"It is the file of the server's own folder as it stands; otherwise it was written of the definitions, without comments"`
	Notes []string `json:"notes" doc:"What the text cannot say, or does not say as the file in the folder does"`
}

// A WorkflowSource is the current definitions of a workflow as one file.
type WorkflowSource struct {
	SourceText
	Workflow     string   `json:"workflow" example:"retail"`
	Jobs         []string `json:"jobs" doc:"That the file holds, by name"`
	Folder       string   `json:"folder" doc:"Where the definitions were loaded from: where their file stands"`
	ServerFolder string   `json:"serverFolder,omitempty" doc:"The server's own folder, which it loads when it starts and when it is told to: what was applied counts until then. Absent when it has none"`
	MadeBy       string   `json:"madeBy,omitempty" enum:"azure" doc:"No folder made it, but a client of Azure Scheduler: no file changes it"`
}

func sourceRoutes() []route {
	return []route{{Method: http.MethodGet, Pattern: prefix + "/definitions/schema", Permission: Viewer, ID: "schemaDefinitions", Tag: "jobs",
		Refuses: []int{http.StatusConflict}, Summary: "The JSON Schema of a workflow file", Text: "For editors, as `almanac schema` prints it.",
		Answers: ok(DefinitionSchema{json.RawMessage(`{"type":"object"}`)}), register: operation((*server).schemaDefinitions),
	}, {Method: http.MethodGet, Pattern: prefix + "/definitions/source", Permission: Viewer, ID: "sourceDefinitions", Tag: "jobs",
		Refuses: []int{http.StatusNotFound, http.StatusConflict}, Summary: "The current definitions of a workflow as one file",
		Text:    "The file of the server's own folder as it stands, when it says what is loaded; otherwise one that is written of the definitions, as `almanac export files` does.",
		Answers: ok(exampleSource), register: operation((*server).sourceDefinitions)}}
}

// A DefinitionSchema is the form of a workflow file.
type DefinitionSchema struct {
	Schema json.RawMessage `json:"schema" doc:"JSON Schema, 2020-12"`
}

type schemaOutput struct{ Body DefinitionSchema }

func (s *server) schemaDefinitions(context.Context, *struct{}) (*schemaOutput, error) {
	if s.cfg.Schema == nil {
		return nil, fmt.Errorf("%w: this server reads no definitions", engine.ErrConflict)
	}
	text, err := s.cfg.Schema()
	return &schemaOutput{DefinitionSchema{text}}, err
}

type sourceInput struct {
	Workflow string `query:"workflow" required:"true" minLength:"1" maxLength:"128" doc:"Its name" example:"retail"`
}

type sourceOutput struct{ Body WorkflowSource }

func (s *server) sourceDefinitions(ctx context.Context, in *sourceInput) (*sourceOutput, error) {
	if s.cfg.Source == nil {
		return nil, fmt.Errorf("%w: this server writes no files", engine.ErrConflict)
	}
	jobs, source, err := s.storedWorkflow(ctx, in.Workflow)
	if err != nil {
		return nil, err
	}
	if len(jobs) == 0 {
		return nil, fmt.Errorf("the workflow %s: %w", in.Workflow, engine.ErrNotFound)
	}
	out := &sourceOutput{WorkflowSource{Workflow: in.Workflow, Folder: jobs[0].Folder, ServerFolder: s.cfg.Folder, MadeBy: source}}
	if out.Body.SourceText, err = s.cfg.Source(in.Workflow, jobs); err != nil {
		return nil, err
	}
	out.Body.Notes = append([]string{}, out.Body.Notes...)
	for i := range jobs {
		out.Body.Jobs = append(out.Body.Jobs, jobs[i].Job)
	}
	return out, nil
}

// storedWorkflow reads the current definitions of a workflow: those that folders made, or when there are none those that others did.
func (s *server) storedWorkflow(ctx context.Context, workflow string) (jobs []StoredDefinition, source string, err error) {
	var others []StoredDefinition
	err = s.cfg.Rows.Read(ctx, func(v engine.View) error {
		jobs, others, source = nil, nil, ""
		rows, err := v.Jobs()
		if err != nil {
			return err
		}
		for _, row := range rows {
			if row.Removed || row.Ref.Workflow != workflow {
				continue
			}
			version, err := v.Version(row.Version)
			if err != nil {
				return err
			}
			one := StoredDefinition{row.Ref.Workflow, row.Ref.Job, ID(row.Version), version.Folder, append([]byte{}, version.Definition...)}
			if row.Source == "" {
				jobs = append(jobs, one)
			} else {
				others, source = append(others, one), row.Source
			}
		}
		if len(jobs) > 0 {
			others, source = nil, ""
		}
		jobs = append(jobs, others...)
		return nil
	})
	return jobs, source, wrap(err, "read the definitions of %s", workflow)
}
