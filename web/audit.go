package web

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// An AuditLine is something that somebody did.
type AuditLine struct {
	ID       ID           `json:"id" doc:"Of the line of the history"`
	At       time.Time    `json:"at"`
	Actor    string       `json:"actor,omitempty" doc:"Who; absent for definitions that the server loaded by itself" example:"ann"`
	Action   string       `json:"action" doc:"A transition such as rerun, or an act such as trigger, operation or token-created" example:"rerun"`
	Text     string       `json:"text" doc:"In words, with the note that was given"`
	Instance ID           `json:"instance,omitempty"`
	Name     string       `json:"name,omitempty" doc:"workflow/job@plan time of the instance; absent when it is gone" example:"retail/orders@2026-11-21T06:00:00+01:00"`
	Workflow string       `json:"workflow,omitempty" example:"retail"`
	Job      string       `json:"job,omitempty" example:"orders"`
	From     engine.State `json:"from,omitempty"`
	To       engine.State `json:"to,omitempty"`
}

// An AuditPage is a page of what somebody did, newest first.
type AuditPage struct {
	Items    []AuditLine `json:"items"`
	Next     string      `json:"next,omitempty" doc:"The cursor of the next page; absent on the last. A page may hold fewer lines than asked for, or none, and have a next: 20,000 lines of the history are looked at for each"`
	LookedTo time.Time   `json:"lookedTo,omitzero" doc:"The history was looked through back to here; absent at its beginning"`
}

// A ChainProgress is how far the hashes of the history have been verified.
type ChainProgress struct {
	First      ID        `json:"first" doc:"The oldest line that is kept; 0 when there is none"`
	Last       ID        `json:"last" doc:"The newest line"`
	VerifiedTo ID        `json:"verifiedTo" doc:"Every line from the oldest that was kept when it was looked at up to this one is as it was written"`
	VerifiedAt time.Time `json:"verifiedAt,omitzero" doc:"When this line was looked at"`
	Broken     string    `json:"broken,omitempty" doc:"The first line that is not as it was written, and how"`
}

type auditInput struct {
	Actor   string   `query:"actor" maxLength:"100" doc:"A part of who did it"`
	Actions []string `query:"action" maxItems:"32" doc:"Only these, such as rerun,trigger"`
	From    string   `query:"from" maxLength:"40" doc:"Not before this: an instant, or the beginning of a day (2026-11-21, today, yesterday, tomorrow)" example:"yesterday"`
	To      string   `query:"to" maxLength:"40" doc:"Before this, written like from"`
	Zone    string   `query:"zone" maxLength:"64" doc:"Whose days from and to mean; the default is the zone of most jobs" example:"Europe/Berlin"`
	Cursor  int64    `query:"cursor" minimum:"0" doc:"next of the page before"`
	Limit   int      `query:"limit" minimum:"1" maximum:"500" default:"100" doc:"Rows of a page"`
}

type auditOutput struct{ Body AuditPage }

var actionWord = regexp.MustCompile(`^[a-z][a-z-]{0,63}$`)

func (s *server) auditFilter(ctx context.Context, in *auditInput) (f engine.AuditFilter, err error) {
	for _, action := range in.Actions {
		if !actionWord.MatchString(action) {
			return f, invalid("query.action", "an action is a word such as rerun or token-created")
		}
	}
	from, to, err := s.between(ctx, in.From, in.To, in.Zone)
	return engine.AuditFilter{Actor: in.Actor, Kinds: in.Actions, From: from, To: to}, err
}

func (s *server) listAudit(ctx context.Context, in *auditInput) (*auditOutput, error) {
	f, err := s.auditFilter(ctx, in)
	if err != nil {
		return nil, err
	}
	var lines []engine.AuditLine
	var next int64
	instances := map[int64]*engine.Instance{}
	err = s.cfg.Rows.Read(ctx, func(v engine.View) (err error) {
		clear(instances)
		if lines, next, err = v.Audit(f, in.Cursor, in.Limit); err != nil {
			return err
		}
		for i := range lines {
			if err := nameInstance(v, lines[i].Instance, instances); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, wrap(err, "list what was done")
	}
	out := &auditOutput{AuditPage{Items: make([]AuditLine, len(lines))}}
	for i := range lines {
		if out.Body.Items[i], err = s.auditLine(ctx, &lines[i], instances[lines[i].Instance]); err != nil {
			return nil, err
		}
	}
	if next != 0 {
		out.Body.Next = strconv.FormatInt(next, 10)
		if out.Body.LookedTo, err = s.eventTime(ctx, next); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// nameInstance reads an instance that a line is about, once; nil when it is gone.
func nameInstance(v engine.View, id int64, known map[int64]*engine.Instance) error {
	if _, read := known[id]; read || id == 0 {
		return nil
	}
	one, err := v.Instance(id)
	switch {
	case errors.Is(err, engine.ErrNotFound):
		known[id] = nil
	case err != nil:
		return err
	default:
		known[id] = &one
	}
	return nil
}

// eventTime is when a line of the history was written.
func (s *server) eventTime(ctx context.Context, id int64) (time.Time, error) {
	lines, err := s.cfg.History.Events(ctx, id-1, 0, 1)
	if err != nil || len(lines) == 0 {
		return time.Time{}, err
	}
	return lines[0].At.UTC(), nil
}

func (s *server) auditLine(ctx context.Context, l *engine.AuditLine, i *engine.Instance) (AuditLine, error) {
	shown := AuditLine{
		ID: ID(l.ID), At: utc(l.At), Actor: l.Actor, Action: l.Kind, Text: said(l.Reason), Instance: ID(l.Instance), From: l.From, To: l.To,
	}
	switch {
	case i != nil:
		shown.Name, shown.Workflow, shown.Job = i.Name(), i.Ref.Workflow, i.Ref.Job
	case l.Job != 0:
		ref, err := s.lines.name(ctx, l.Job)
		if err != nil {
			return shown, err
		}
		shown.Workflow, shown.Job = ref.Workflow, ref.Job
	}
	return shown, nil
}

// said is what a line says in words.
func said(r engine.Reason) string {
	if r.Code == engine.ReasonPerson && r.Detail != "" {
		return r.Detail // who it was stands beside it
	}
	return r.Describe()
}

type chainOutput struct{ Body ChainProgress }

func (s *server) auditChain(ctx context.Context, _ *struct{}) (*chainOutput, error) {
	if s.cfg.Site.Chain == nil {
		return nil, refusal(codeConflict, "this process does not verify the history; `almanac verify` does")
	}
	p, err := s.cfg.Site.Chain(ctx)
	return &chainOutput{p}, err
}

// auditRoutes are the routes of what was done.
func auditRoutes() []route {
	get := http.MethodGet
	return []route{
		{Method: get, Pattern: prefix + "/audit", Permission: Viewer, ID: "listAudit", Tag: "admin",
			Summary: "What somebody did, newest first", Text: "Lines of the history that name who did it, and those about definitions, whoever loaded them.",
			Answers: ok(AuditPage{Items: []AuditLine{exampleAudit}}), register: operation((*server).listAudit)},
		{Method: get, Pattern: prefix + "/audit/chain", Permission: Viewer, ID: "auditChain", Tag: "admin", Refuses: []int{http.StatusConflict},
			Summary: "How far the hashes of the history have been verified",
			Text:    "Each line's hash covers the line before it. Each request verifies at most 20,000 further lines, from where the one before ended: ask again until verifiedTo is last.",
			Answers: ok(ChainProgress{First: 1, Last: 48211, VerifiedTo: 40000, VerifiedAt: exampleTime}), register: operation((*server).auditChain)},
	}
}

var exampleAudit = AuditLine{
	ID: 48211, At: exampleTime, Actor: "ann", Action: "rerun", Text: "by ann: the source is back", Instance: exampleInstance.ID, Name: exampleInstance.Name,
	Workflow: "retail", Job: "orders", From: engine.Failed, To: engine.Waiting,
}
