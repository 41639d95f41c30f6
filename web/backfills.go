package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/almanac-sched/almanac/engine"
)

// BackfillControl plans backfills and carries them out. *engine.Engine is one.
type BackfillControl interface {
	PlanBackfillPart(ctx context.Context, r engine.BackfillRequest, part engine.PlanPart, now time.Time) (*engine.BackfillPlan, error)
	ListBackfillPlan(ctx context.Context, r engine.BackfillRequest, now time.Time) (*engine.PlannedList, error)
	ApplyBackfill(ctx context.Context, a engine.BackfillApplication, now time.Time) (b engine.BackfillRow, created bool, err error)
	PauseBackfill(ctx context.Context, key, actor, note string, now time.Time) (engine.BackfillRow, error)
	ResumeBackfill(ctx context.Context, key, actor, note string, now time.Time) (engine.BackfillRow, error)
	CancelBackfill(ctx context.Context, key, actor, note string, running bool, now time.Time) (engine.BackfillRow, error)
	SetBackfill(ctx context.Context, key string, c engine.BackfillChange, actor, note string, now time.Time) (engine.BackfillRow, error)
	Backfill(ctx context.Context, key string, now time.Time) (engine.BackfillStatus, error)
	Backfills(ctx context.Context, before int64, limit int, now time.Time) ([]engine.BackfillStatus, error)
}

type planBackfillInput struct {
	Skip int    `query:"skip" minimum:"0" doc:"List the instances behind so many"`
	Most int    `query:"most" minimum:"0" maximum:"50000" doc:"List so many at most; default all, when they are no more than 10,000"`
	Show string `query:"show" enum:"in,out" doc:"List only instances that would run, or that would not"`
	Why  string `query:"why" maxLength:"40" doc:"List only those of this reason, a member of why" example:"missing"`
	Job  string `query:"job" maxLength:"257" doc:"List only those of this job" example:"retail/orders"`
	Find string `query:"find" maxLength:"400" doc:"List only those of which the job, the plan time or the text has each of these words" example:"2026-11-21T06"`
	Body BackfillRequest
}
type planBackfillOutput struct{ Body BackfillPlan }

func (s *server) planBackfill(ctx context.Context, in *planBackfillInput) (*planBackfillOutput, error) {
	part := engine.PlanPart{Skip: in.Skip, Most: in.Most, Show: engine.PlanShow(in.Show), Why: in.Why, Job: in.Job, Find: strings.Fields(in.Find)}
	asked := in.Most > 0
	if !asked {
		part.Most = engine.PlanListed
	}
	if err := s.dateBackfill(ctx, &in.Body); err != nil {
		return nil, err
	}
	plan, err := s.cfg.Control.PlanBackfillPart(ctx, in.Body.engine(), part, s.cfg.Now())
	if err != nil {
		return nil, err
	}
	out := &planBackfillOutput{NewBackfillPlan(plan, in.Body)}
	if asked {
		out.Body.Matching = &plan.Matching
	}
	return out, nil
}

// dateBackfill puts dates in the place of the names of days: a plan that was saved means the same days tomorrow.
func (s *server) dateBackfill(ctx context.Context, r *BackfillRequest) (err error) {
	r.Dates = slices.Clone(r.Dates)
	words := []*string{&r.From, &r.To}
	for n := range r.Dates {
		words = append(words, &r.Dates[n])
	}
	for _, word := range words {
		first, last, isRange := strings.Cut(*word, "..")
		if first, err = s.dated(ctx, first, "", r.Jobs...); err != nil {
			return err
		}
		if last, err = s.dated(ctx, last, "", r.Jobs...); err != nil {
			return err
		}
		if *word = first; isRange {
			*word += ".." + last
		}
	}
	return nil
}

type applyBackfillInput struct {
	Body BackfillApplyRequest
}
type backfillOutput struct {
	Status   int
	Location string `header:"Location" doc:"The path of the backfill"`
	Body     Backfill
}

func (s *server) applyBackfill(ctx context.Context, in *applyBackfillInput) (*backfillOutput, error) {
	x, p := exchangeOf(ctx), &in.Body.Plan
	x.note = in.Body.Note
	if p.Format != engine.BackfillFormat && p.Format != engine.BackfillFormatOld {
		return nil, invalid("body.plan.format", fmt.Sprintf(
			"the plan is of the format %q, and this server applies %s and %s; plan again", p.Format, engine.BackfillFormat, engine.BackfillFormatOld))
	}
	application := engine.BackfillApplication{
		ID: p.ID, At: p.At, Fingerprint: p.Fingerprint, Request: p.Request.engine(), Actor: x.principal.name, Note: in.Body.Note,
	}
	for _, j := range p.Jobs {
		application.Jobs = append(application.Jobs, engine.BackfillPlanJob{
			Ref: engine.JobRef{Workflow: j.Workflow, Job: j.Job}, Definition: j.Definition, Fingerprint: j.Fingerprint, In: j.In, Out: j.Out,
		})
	}
	row, created, err := s.cfg.Control.ApplyBackfill(ctx, application, s.cfg.Now())
	var drift *engine.DriftError
	if errors.As(err, &drift) {
		problem := refusal(codeDrift, "the world has changed since the plan was made; nothing was applied")
		for _, change := range drift.Changes {
			problem.Errors = append(problem.Errors, Mistake{Location: "body.plan", Message: change})
		}
		return nil, problem
	}
	if err != nil {
		return nil, err
	}
	out, err := s.backfillNow(ctx, row.Key)
	switch {
	case out == nil:
	case row.Stage == engine.BackfillApplying:
		out.Status = http.StatusAccepted
	case created:
		out.Status = http.StatusCreated
	}
	return out, err
}

// backfillNow answers with a backfill as it is.
func (s *server) backfillNow(ctx context.Context, key string) (*backfillOutput, error) {
	status, err := s.cfg.Control.Backfill(ctx, key, s.cfg.Now())
	if err != nil {
		return nil, err
	}
	return &backfillOutput{Status: http.StatusOK, Location: prefix + "/backfills/" + key, Body: NewBackfill(&status)}, nil
}

type listBackfillsInput struct {
	Cursor string `query:"cursor" maxLength:"32" doc:"next of the page before"`
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"100" doc:"Rows of a page"`
}
type backfillPageOutput struct{ Body BackfillPage }

func (s *server) listBackfills(ctx context.Context, in *listBackfillsInput) (*backfillPageOutput, error) {
	before := int64(0)
	if in.Cursor != "" {
		var err error
		if before, err = strconv.ParseInt(in.Cursor, 10, 64); err != nil || before < 1 {
			return nil, invalid("query.cursor", "the cursor is not one that this list gave")
		}
	}
	list, err := s.cfg.Control.Backfills(ctx, before, in.Limit+1, s.cfg.Now())
	if err != nil {
		return nil, err
	}
	out := &backfillPageOutput{BackfillPage{Items: []Backfill{}}}
	for i := range list {
		if i == in.Limit {
			out.Body.Next = strconv.FormatInt(list[i-1].ID, 10)
			break
		}
		out.Body.Items = append(out.Body.Items, NewBackfill(&list[i]))
	}
	return out, nil
}

type backfillInput struct {
	ID string `path:"id" maxLength:"64" doc:"The backfill's id"`
}

func (s *server) getBackfill(ctx context.Context, in *backfillInput) (*backfillOutput, error) {
	return s.backfillNow(ctx, in.ID)
}

type backfillNoteInput struct {
	ID   string `path:"id" maxLength:"64" doc:"The backfill's id"`
	Body *NoteRequest
}

func (in *backfillNoteInput) note(ctx context.Context) string {
	return (&noteInput{Body: in.Body}).note(ctx)
}

func (s *server) pauseBackfill(ctx context.Context, in *backfillNoteInput) (*backfillOutput, error) {
	if _, err := s.cfg.Control.PauseBackfill(ctx, in.ID, exchangeOf(ctx).principal.name, in.note(ctx), s.cfg.Now()); err != nil {
		return nil, err
	}
	return s.backfillNow(ctx, in.ID)
}

func (s *server) resumeBackfill(ctx context.Context, in *backfillNoteInput) (*backfillOutput, error) {
	if _, err := s.cfg.Control.ResumeBackfill(ctx, in.ID, exchangeOf(ctx).principal.name, in.note(ctx), s.cfg.Now()); err != nil {
		return nil, err
	}
	return s.backfillNow(ctx, in.ID)
}

type cancelBackfillInput struct {
	ID   string `path:"id" maxLength:"64" doc:"The backfill's id"`
	Body *CancelBackfillRequest
}

func (s *server) cancelBackfill(ctx context.Context, in *cancelBackfillInput) (*backfillOutput, error) {
	body := in.Body
	if body == nil {
		body = &CancelBackfillRequest{}
	}
	x := exchangeOf(ctx)
	x.note = body.Note
	if _, err := s.cfg.Control.CancelBackfill(ctx, in.ID, x.principal.name, body.Note, body.Running, s.cfg.Now()); err != nil {
		return nil, err
	}
	return s.backfillNow(ctx, in.ID)
}

type setBackfillInput struct {
	ID   string `path:"id" maxLength:"64" doc:"The backfill's id"`
	Body BackfillChange
}

func (s *server) setBackfill(ctx context.Context, in *setBackfillInput) (*backfillOutput, error) {
	x := exchangeOf(ctx)
	x.note = in.Body.Note
	change := engine.BackfillChange{Priority: in.Body.Priority, Parallel: in.Body.Parallel, Share: in.Body.Share, Window: in.Body.Window}
	if _, err := s.cfg.Control.SetBackfill(ctx, in.ID, change, x.principal.name, in.Body.Note, s.cfg.Now()); err != nil {
		return nil, err
	}
	return s.backfillNow(ctx, in.ID)
}

// maxPlan is how long a saved plan may be. A plan of any number of instances is shorter: its ranges are bounded.
const maxPlan = 32 << 20

// backfillRoutes are the routes of backfills.
func backfillRoutes() []route {
	get, post := http.MethodGet, http.MethodPost
	conflict := []int{http.StatusNotFound, http.StatusConflict}
	act := func(id, what, summary, text string, request any, register func(*server, huma.API, huma.Operation)) route {
		return route{
			Method: post, Pattern: prefix + "/backfills/{id}/" + what, Permission: Operator, ID: id, Tag: "backfills", Refuses: conflict, Audit: true, Idempotent: true, BodyLimit: maxBody,
			Summary: summary, Text: text, Request: request, Answers: ok(exampleBackfill), register: register,
		}
	}
	return []route{
		{Method: post, Pattern: prefix + "/backfills/plan", Permission: Viewer, ID: "planBackfill", Tag: "backfills", BodyLimit: maxBody,
			Summary: "What a backfill would do", Text: "Says of every instance of the range whether it is in, and why: in ranges, and one by one where there are no more than 10,000 or a part is asked for. " +
				"Nothing is changed. The answer can be saved and applied later.",
			Request: exampleBackfillRequest, Answers: ok(exampleBackfillPlan), register: operation((*server).planBackfill)},
		planListRoute(),
		{Method: post, Pattern: prefix + "/backfills", Permission: Operator, ID: "applyBackfill", Tag: "backfills", Refuses: append(conflict, http.StatusPreconditionFailed), Audit: true, Idempotent: true, BodyLimit: maxPlan,
			Summary: "Carry a saved plan out",
			Text: "Makes exactly what the plan says, or nothing: the answer is 409 with the code drift and what has changed, when definitions or states are not those " +
				"of the plan any more. The same plan again is answered with the backfill that it made. A large plan is answered with 202 at once: the backfill is applying, and " +
				"nothing of it is real or starts before the last of its instances is written. The instances and the ranges of the plan may be left out.",
			Request: BackfillApplyRequest{Plan: exampleBackfillPlan, Note: "the source was repaired"},
			Answers: map[int]any{http.StatusAccepted: exampleApplying, http.StatusCreated: exampleBackfill, http.StatusOK: exampleBackfill}, register: operation((*server).applyBackfill)},
		{Method: get, Pattern: prefix + "/backfills", Permission: Viewer, ID: "listBackfills", Tag: "backfills", Summary: "List backfills, the newest first",
			Answers: ok(BackfillPage{Items: []Backfill{exampleBackfill}}), register: operation((*server).listBackfills)},
		{Method: get, Pattern: prefix + "/backfills/{id}", Permission: Viewer, ID: "getBackfill", Tag: "backfills", Refuses: []int{http.StatusNotFound},
			Summary: "One backfill, and how far it is", Answers: ok(exampleBackfill), register: operation((*server).getBackfill)},
		{Method: http.MethodPatch, Pattern: prefix + "/backfills/{id}", Permission: Operator, ID: "setBackfill", Tag: "backfills", Refuses: conflict, Audit: true, Idempotent: true, BodyLimit: maxBody,
			Summary: "Change how a backfill goes on", Text: "Its priority, how much of it runs at once, its share of the slots, its window. What is absent stays.",
			Request: BackfillChange{Priority: &examplePriority, Note: "it is needed tomorrow"}, Answers: ok(exampleBackfill), register: operation((*server).setBackfill)},
		act("pauseBackfill", "pause", "Let nothing more of a backfill start", "What runs goes on. Pausing twice is pausing once.", exampleNote, operation((*server).pauseBackfill)),
		act("resumeBackfill", "resume", "Let a paused backfill go on", "Also one that stopped because an instance of it failed.", exampleNote, operation((*server).resumeBackfill)),
		act("cancelBackfill", "cancel", "Cancel a backfill", "What waits of it is cancelled, and with running what runs too. Nothing more of it starts from now on.",
			CancelBackfillRequest{Running: true, Note: "wrong month"}, operation((*server).cancelBackfill)),
	}
}
