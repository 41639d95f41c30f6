package web

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// PauseControl holds jobs and workflows back, and lets them go on.
type PauseControl interface {
	Pause(ctx context.Context, r engine.PauseRequest, now time.Time) (engine.PauseRow, error)
	Resume(ctx context.Context, r engine.PauseRequest, now time.Time) (engine.PauseRow, error)
	Paused(ctx context.Context, now time.Time) ([]engine.PauseRow, error)
}

// A Pause says that nothing of a job or of a workflow starts.
type Pause struct {
	Workflow string        `json:"workflow" example:"retail"`
	Job      string        `json:"job,omitempty" doc:"Absent when the whole workflow is paused" example:"orders"`
	Since    time.Time     `json:"since"`
	Until    time.Time     `json:"until,omitzero" doc:"When it ends by itself; absent until somebody resumes it"`
	Resumed  time.Time     `json:"resumed,omitzero" doc:"When somebody resumed it"`
	Missed   engine.Missed `json:"missed,omitempty" enum:"run,latest,skip" doc:"What becomes of what was due meanwhile; absent is as the misfire of each job says"`
	By       string        `json:"by" doc:"Who paused it"`
	Note     string        `json:"note,omitempty" doc:"Why"`
}

// A PauseList is what is paused now.
type PauseList struct {
	Items []Pause `json:"items"`
	Next  string  `json:"next,omitempty" doc:"Cursor of the next page; absent on the last"`
}

// A wholeInput asks for a page of a list that is read as a whole, since people make what it holds.
type wholeInput struct {
	Cursor int `query:"cursor" minimum:"0" doc:"next of the page before"`
	Limit  int `query:"limit" minimum:"1" maximum:"1000" default:"1000" doc:"Rows of a page"`
}

// pageOf cuts a page out of a whole list. Its cursor is how much of the list stands before it.
func pageOf[T any](list []T, in *wholeInput) (page []T, next string) {
	from := min(in.Cursor, len(list))
	to := min(from+in.Limit, len(list))
	if to < len(list) {
		next = strconv.Itoa(to)
	}
	return list[from:to], next
}

// A PauseRequest says what to pause.
type PauseRequest struct {
	Workflow string        `json:"workflow" minLength:"1" maxLength:"128"`
	Job      string        `json:"job,omitempty" maxLength:"128" doc:"Absent pauses the whole workflow"`
	Until    *time.Time    `json:"until,omitempty" doc:"When it ends by itself; absent until somebody resumes it"`
	Missed   engine.Missed `json:"missed,omitempty" enum:"run,latest,skip" doc:"What becomes of what is due meanwhile, when it ends: all of it runs, the latest of each job, nothing. Absent is as the misfire of each job says"`
	Note     string        `json:"note,omitempty" maxLength:"1000" doc:"Why; written to the history and shown wherever the job is"`
}

// A ResumeRequest says what is to go on.
type ResumeRequest struct {
	Workflow string        `json:"workflow" minLength:"1" maxLength:"128"`
	Job      string        `json:"job,omitempty" maxLength:"128" doc:"Absent resumes the whole workflow; jobs of it that are paused by themselves stay so"`
	Missed   engine.Missed `json:"missed,omitempty" enum:"run,latest,skip" doc:"What becomes of what was due meanwhile; absent is as the pause says"`
	Note     string        `json:"note,omitempty" maxLength:"1000" doc:"Why; written to the history"`
}

var (
	examplePause = Pause{
		Workflow: "retail", Job: "orders", Since: exampleAt, Until: exampleAt.Add(48 * time.Hour), Missed: engine.MissedLatest, By: "ana", Note: "the source is rebuilt",
	}
	examplePauseRequest  = PauseRequest{Workflow: "retail", Job: "orders", Missed: engine.MissedLatest, Note: "the source is rebuilt"}
	exampleResumeRequest = ResumeRequest{Workflow: "retail", Job: "orders", Note: "the source is back"}
)

func pauseRoutes() []route {
	missing, conflict := []int{http.StatusNotFound}, []int{http.StatusNotFound, http.StatusConflict}
	return []route{
		{Method: http.MethodGet, Pattern: prefix + "/pauses", Permission: Viewer, ID: "listPauses", Tag: "jobs",
			Summary: "What is paused now", Answers: ok(PauseList{Items: []Pause{examplePause}}), register: operation((*server).listPauses)},
		{Method: http.MethodPost, Pattern: prefix + "/pauses", Permission: Operator, ID: "pause", Tag: "jobs", Refuses: missing,
			Audit: true, Idempotent: true, BodyLimit: maxBody, Summary: "Pause a job or a workflow",
			Text: "Nothing of it starts until the end of the pause. Its instances are planned as ever and wait; what runs goes on. Pausing what is paused changes " +
				"the end, the note and what becomes of what is missed.",
			Request: examplePauseRequest, Answers: ok(examplePause), register: operation((*server).pause)},
		{Method: http.MethodPost, Pattern: prefix + "/pauses/resume", Permission: Operator, ID: "resume", Tag: "jobs", Refuses: conflict,
			Audit: true, Idempotent: true, BodyLimit: maxBody, Summary: "Let a paused job or workflow go on",
			Request: exampleResumeRequest, Answers: ok(examplePause), register: operation((*server).resume)},
	}
}

type (
	pauseInput      struct{ Body PauseRequest }
	resumeInput     struct{ Body ResumeRequest }
	pauseOutput     struct{ Body Pause }
	pauseListOutput struct{ Body PauseList }
)

func (s *server) listPauses(ctx context.Context, in *wholeInput) (*pauseListOutput, error) {
	all, err := s.cfg.Control.Paused(ctx, s.cfg.Now())
	list, next := pageOf(all, in)
	out := &pauseListOutput{PauseList{Items: make([]Pause, len(list)), Next: next}}
	for n := range list {
		out.Body.Items[n] = newPause(&list[n])
	}
	return out, err
}

func (s *server) pause(ctx context.Context, in *pauseInput) (*pauseOutput, error) {
	x, body := exchangeOf(ctx), &in.Body
	x.note = body.Note
	r := engine.PauseRequest{Workflow: body.Workflow, Job: body.Job, Missed: body.Missed, Actor: x.principal.name, Note: body.Note}
	if body.Until != nil {
		r.Until = *body.Until
	}
	row, err := s.cfg.Control.Pause(ctx, r, s.cfg.Now())
	return &pauseOutput{newPause(&row)}, err
}

func (s *server) resume(ctx context.Context, in *resumeInput) (*pauseOutput, error) {
	x, body := exchangeOf(ctx), &in.Body
	x.note = body.Note
	row, err := s.cfg.Control.Resume(ctx, engine.PauseRequest{
		Workflow: body.Workflow, Job: body.Job, Missed: body.Missed, Actor: x.principal.name, Note: body.Note,
	}, s.cfg.Now())
	return &pauseOutput{newPause(&row)}, err
}

func newPause(p *engine.PauseRow) Pause {
	return Pause{
		Workflow: p.Workflow, Job: p.Job, Since: in(p.Since, time.UTC), Until: in(p.Until, time.UTC), Resumed: in(p.Resumed, time.UTC), Missed: p.Missed, By: p.Actor,
		Note: p.Note,
	}
}

// pausedNow tells of jobs what holds them back.
func pausedNow(v engine.View, now time.Time, jobs ...*Job) error {
	all, err := v.Pauses()
	if err != nil {
		return err
	}
	for _, j := range jobs {
		if p := engine.ActivePause(all, engine.JobRef{Workflow: j.Workflow, Job: j.Job}, now); p != nil {
			shown := newPause(p)
			j.Paused = &shown
		}
	}
	return nil
}
