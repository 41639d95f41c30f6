package web_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

func TestMistakesAreNoProblemOfTheRequest(t *testing.T) {
	f := newFixture(t)
	v := decode[web.Validation](f, f.as("viewer", http.MethodPost, "/api/v1/definitions/validate", `{"files":[{"name":"a/b.yaml","text":"x"}]}`), 200)
	require.False(t, v.OK)
	require.Len(t, v.Problems, 1)
	require.Equal(t, web.DefinitionProblem{File: "a/b.yaml", Line: 3, Column: 5, Severity: "error", Message: "unknown member"}, v.Problems[0])
	require.Empty(t, v.Workflows)
	v = decode[web.Validation](f, f.as("viewer", http.MethodPost, "/api/v1/definitions/validate", `{}`), 200)
	require.Equal(t, web.Validation{OK: true, Problems: []web.DefinitionProblem{}, Workflows: []web.WorkflowNames{{Workflow: "retail", Jobs: []string{"orders", "stores"}}}}, v)

	for _, body := range []string{
		`{"files":[{"name":"../a.yaml","text":"x"}]}`, `{"files":[{"name":"/a.yaml","text":"x"}]}`, `{"files":[{"name":".","text":"x"}]}`,
		`{"files":[{"name":"a.yaml","text":"x"},{"name":"a.yaml","text":"x"}]}`, `{"files":[{"name":"","text":"x"}]}`, `{"colour":1}`,
	} {
		refused(f, f.as("viewer", http.MethodPost, "/api/v1/definitions/validate", body), 422, "invalid")
	}
	refused(f, f.as("", http.MethodPost, "/api/v1/definitions/validate", `{}`), 401, "unauthenticated")
}

func TestWorkflowsThatNoFileHasAreHandedOn(t *testing.T) {
	var asked []web.DefinitionSource
	f := newFixture(t, func(c *web.Config) {
		read := c.Definitions
		c.Definitions = func(source web.DefinitionSource) ([]*engine.Workflow, []web.DefinitionProblem, error) {
			asked = append(asked, source)
			return read(source)
		}
	})
	for _, body := range []string{`{}`, `{"keep":true}`} {
		decode[web.Validation](f, f.as("viewer", http.MethodPost, "/api/v1/definitions/validate", body), 200)
	}
	require.Empty(t, asked[0].Beside)
	require.Len(t, asked[1].Beside, 1)
	require.Equal(t, "retail", asked[1].Beside[0].Name)
	require.Len(t, asked[1].Beside[0].Jobs, 2)
}

func TestADayIsPreviewed(t *testing.T) {
	f := newFixture(t)
	preview := func(body string) web.Preview {
		return decode[web.Preview](f, f.as("viewer", http.MethodPost, "/api/v1/definitions/preview", body), 200)
	}
	p := preview(`{"loaded":true,"workflow":"retail","job":"orders","date":"2026-11-21","limit":13}`)
	require.Equal(t, 24, p.Total)
	require.Len(t, p.Instances, 13)
	require.Equal(t, "Europe/Berlin", p.TimeZone)
	noon := p.Instances[12]
	require.Equal(t, engine.Waiting, noon.State)
	require.Equal(t, web.ID(f.at("orders", 12).ID), *noon.Instance)
	require.Len(t, noon.Dependencies, 1)
	require.Equal(t, "natural-day", noon.Dependencies[0].Rule)
	require.Equal(t, 1, noon.Dependencies[0].Candidates.In)
	require.Equal(t, "outside of the window", noon.Dependencies[0].Candidates.Items[1].Why, "that of the day after")

	f.run(f.at("stores", 5), "", engine.OutcomeSucceeded)
	p = preview(`{"loaded":true,"workflow":"retail","job":"orders","date":"2026-11-21"}`)
	require.True(t, p.Instances[0].Dependencies[0].Satisfied, "it tells how things are")

	f.edited() // nothing is loaded of it
	p = preview(`{"workflow":"retail","job":"orders","date":"2026-11-22"}`)
	require.Equal(t, 24, p.Total)
	require.Empty(t, p.Instances[0].Dependencies, "the edited one waits for nothing")
	require.Nil(t, p.Instances[0].Instance)
	p = preview(`{"loaded":true,"workflow":"retail","job":"orders","date":"2026-11-22"}`)
	require.Len(t, p.Instances[0].Dependencies, 1)
	post := func(body string, code int, problem string) {
		refused(f, f.as("viewer", http.MethodPost, "/api/v1/definitions/preview", body), code, problem)
	}
	post(`{"workflow":"retail","job":"stores","date":"2026-11-22"}`, 404, "not-found") // it is not in the edited ones
	post(`{"loaded":true,"workflow":"retail","job":"nobody","date":"2026-11-22"}`, 404, "not-found")
	post(`{"loaded":true,"workflow":"retail","job":"orders","date":"2026-13-22"}`, 422, "invalid")
	post(`{"loaded":true,"workflow":"retail","job":"orders","date":"2026-11-22","limit":0}`, 422, "invalid")
	post(`{"loaded":true,"workflow":"retail","job":"orders","date":"2026-11-22","limit":9999}`, 422, "invalid")
	post(`{"loaded":true,"files":[{"name":"a.yaml","text":""}],"workflow":"retail","job":"orders","date":"2026-11-22"}`, 422, "invalid")
	post(`{"files":[{"name":"a.yaml","text":""}],"workflow":"retail","job":"orders","date":"2026-11-22"}`, 422, "invalid")
}

// The day of the autumn change has 25 hours; a rule that names an hour takes the one that is there twice once.
func TestADayOfTwentyFiveHoursIsPreviewed(t *testing.T) {
	f := newFixture(t)
	p := decode[web.Preview](f, f.as("viewer", http.MethodPost, "/api/v1/definitions/preview", `{"loaded":true,"workflow":"retail","job":"orders","date":"2027-10-31"}`), 200)
	require.Equal(t, 25.0, p.To.Sub(p.From).Hours())
	require.Equal(t, 24, p.Total)
}

func TestTheSourceOfAWorkflow(t *testing.T) {
	f := newFixture(t, func(c *web.Config) { c.Folder = "/srv/pipelines" })
	s := get[web.WorkflowSource](f, "/api/v1/definitions/source?workflow=retail")
	require.Equal(t, []string{"orders", "stores"}, s.Jobs)
	require.Equal(t, "2 jobs", s.Text)
	require.Equal(t, "/srv/pipelines", s.ServerFolder)
	require.Empty(t, s.MadeBy)
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/definitions/source?workflow=nobody", ""), 404, "not-found")
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/definitions/source", ""), 422, "invalid")
	f = newFixture(t, func(c *web.Config) { c.Source, c.Schema, c.Definitions = nil, nil, nil })
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/definitions/source?workflow=retail", ""), 409, "conflict")
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/definitions/schema", ""), 409, "conflict")
	refused(f, f.as("viewer", http.MethodPost, "/api/v1/definitions/validate", "{}"), 409, "conflict")
}
