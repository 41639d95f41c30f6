package web

import (
	"context"
	"net/http"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/recurrence"
)

// PreviewControl says what instances would wait for. *engine.Engine is one.
type PreviewControl interface {
	// Preview fails with engine.ErrNotFound or ErrInvalid.
	Preview(ctx context.Context, r engine.PreviewRequest, now time.Time) (engine.Preview, error)
}

// A ValidateRequest is the definitions to be judged.
type ValidateRequest struct{ Definitions }

// A Validation is everything that was found in definitions.
type Validation struct {
	OK        bool                `json:"ok" doc:"Nothing refuses them; there may be warnings"`
	Problems  []DefinitionProblem `json:"problems" doc:"By file, line and column"`
	Workflows []WorkflowNames     `json:"workflows" doc:"What the files hold; none when they are not ok"`
}

// WorkflowNames is a workflow with its jobs.
type WorkflowNames struct {
	Workflow string   `json:"workflow" example:"retail"`
	Jobs     []string `json:"jobs" doc:"By name"`
}

// A PreviewRequest asks for a day of a job.
type PreviewRequest struct {
	Definitions
	Loaded   bool   `json:"loaded,omitempty" doc:"Go by what is loaded, and by no files"`
	Workflow string `json:"workflow" minLength:"1" maxLength:"128" example:"retail"`
	Job      string `json:"job" minLength:"1" maxLength:"128" example:"orders"`
	Date     string `json:"date" minLength:"5" maxLength:"10" doc:"A natural day in the zone of the job, or yesterday, today, tomorrow" example:"2026-11-21"`
	Limit    int    `json:"limit,omitempty" minimum:"1" maximum:"1440" doc:"Instances that are listed, the first of the day; the default is 100"`
}

// A Preview is what the instances of a job on a day would wait for.
type Preview struct {
	Workflow  string             `json:"workflow"`
	Job       string             `json:"job"`
	Date      string             `json:"date"`
	TimeZone  string             `json:"timeZone" example:"Europe/Berlin"`
	From      time.Time          `json:"from" doc:"The natural day: from here on"`
	To        time.Time          `json:"to" doc:"Up to here, excluded: 23, 24 or 25 hours"`
	Schedule  string             `json:"schedule" doc:"When the job is due, in words"`
	Disabled  bool               `json:"disabled,omitempty" doc:"Nothing of it would be planned"`
	Manual    bool               `json:"manual,omitempty" doc:"It has no plan times: a person or a program starts it"`
	Effective time.Time          `json:"effective,omitzero" doc:"It has no plan time before; absent when it always counted"`
	Total     int                `json:"total" doc:"Instances of the day; those beyond limit are not listed"`
	Instances []PreviewInstances `json:"instances"`
}

// PreviewInstances is one instance of the day.
type PreviewInstances struct {
	PlanTime     time.Time       `json:"planTime"`
	Instance     *ID             `json:"instance,omitempty" doc:"Absent when it is not planned yet"`
	State        engine.State    `json:"state,omitempty"`
	DryRun       bool            `json:"dryRun,omitempty" doc:"On a day off: it is skipped"`
	Dependencies []ExplainedWait `json:"dependencies" doc:"As an explanation has them"`
}

const previewed = 100

func previewRoutes() []route {
	post := http.MethodPost
	return []route{
		{Method: post, Pattern: prefix + "/definitions/validate", Permission: Viewer, ID: "validateDefinitions", Tag: "jobs", Refuses: []int{http.StatusConflict},
			BodyLimit: maxDefinitions, Summary: "Judge definitions",
			Text:    "Every mistake of every file with its place, and what is worth a second look. Nothing is changed, and mistakes are no problem of the request.",
			Request: ValidateRequest{exampleFiles}, Answers: ok(exampleValidation), register: operation((*server).validateDefinitions)},
		{Method: post, Pattern: prefix + "/definitions/preview", Permission: Viewer, ID: "previewDefinitions", Tag: "jobs",
			Refuses: []int{http.StatusNotFound, http.StatusConflict}, BodyLimit: maxDefinitions, Summary: "What the instances of a job on a day would wait for",
			Text:    "By definitions that are not loaded, or by those that are. Nothing is changed. Where instances are planned already the answer says how they are.",
			Request: examplePreviewRequest, Answers: ok(examplePreview), register: operation((*server).previewDefinitions)},
	}
}

type validateInput struct{ Body ValidateRequest }

type validateOutput struct{ Body Validation }

func (s *server) validateDefinitions(ctx context.Context, in *validateInput) (*validateOutput, error) {
	workflows, problems, err := s.judgeDefinitions(ctx, &in.Body.Definitions)
	if err != nil {
		return nil, err
	}
	out := &validateOutput{Validation{OK: true, Problems: append([]DefinitionProblem{}, problems...), Workflows: []WorkflowNames{}}}
	for i := range problems {
		out.Body.OK = out.Body.OK && problems[i].Severity != severityError
	}
	if !out.Body.OK {
		return out, nil
	}
	for _, w := range workflows {
		if w.Location == nil {
			continue // it stays as it is loaded
		}
		names := WorkflowNames{Workflow: w.Name, Jobs: make([]string, len(w.Jobs))}
		for i, j := range w.Jobs {
			names.Jobs[i] = j.Name
		}
		out.Body.Workflows = append(out.Body.Workflows, names)
	}
	return out, nil
}

type previewInput struct{ Body PreviewRequest }

type previewOutput struct{ Body Preview }

func (s *server) previewDefinitions(ctx context.Context, in *previewInput) (*previewOutput, error) {
	r := &in.Body
	request := engine.PreviewRequest{Ref: engine.JobRef{Workflow: r.Workflow, Job: r.Job}, Limit: r.Limit}
	if request.Limit == 0 {
		request.Limit = previewed
	}
	date, err := s.dated(ctx, r.Date, "", request.Ref.String())
	if err != nil {
		return nil, err
	}
	if request.Date, err = recurrence.ParseDay(date); err != nil {
		return nil, invalid("body.date", err.Error())
	}
	switch {
	case r.Loaded && len(r.Files) > 0:
		return nil, invalid("body.loaded", "files are given in the place of what is loaded")
	case !r.Loaded:
		if request.Workflows, err = s.readDefinitions(ctx, &r.Definitions); err != nil {
			return nil, err
		}
		if request.Workflows == nil {
			request.Workflows = []*engine.Workflow{} // an empty folder
		}
	}
	p, err := s.cfg.Control.Preview(ctx, request, s.cfg.Now())
	if err != nil {
		return nil, err
	}
	return &previewOutput{newPreview(&p)}, nil
}

func newPreview(p *engine.Preview) Preview {
	zone := p.Job.When.Location
	shown := Preview{
		Workflow: p.Job.Workflow, Job: p.Job.Name, Date: p.Date.String(), TimeZone: zone.String(), From: p.From, To: p.To, Schedule: p.Job.When.String(),
		Disabled: p.Job.Disabled, Manual: p.Job.When.Manual, Effective: in(p.Effective, zone), Total: p.Total, Instances: make([]PreviewInstances, len(p.Instances)),
	}
	for i := range p.Instances {
		x := &p.Instances[i]
		one := PreviewInstances{PlanTime: in(x.Instance.PlanTime, zone), DryRun: x.Instance.DryRun, Dependencies: make([]ExplainedWait, len(x.Dependencies))}
		if x.Recorded {
			id := ID(x.Instance.ID)
			one.Instance, one.State = &id, x.Instance.State
		}
		for n := range x.Dependencies {
			one.Dependencies[n] = newExplainedWait(&x.Dependencies[n], zone)
		}
		shown.Instances[i] = one
	}
	return shown
}
