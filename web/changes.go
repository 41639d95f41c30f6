package web

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A Deed is what somebody did at one moment: a load of definitions with all that it changed, an operation with all the instances that it changed.
type Deed struct {
	ID     ID           `json:"id" doc:"Of its newest line of the history"`
	At     time.Time    `json:"at"`
	Kind   string       `json:"kind" enum:"definitions,operation,backfill,token,alert" doc:"What it was about"`
	Actor  string       `json:"actor,omitempty" doc:"Who; absent for definitions that the server loaded by itself" example:"ann"`
	Action string       `json:"action" doc:"Of the line that says most" example:"load"`
	Text   string       `json:"text" doc:"Of that line, in words" example:"12 jobs: 1 added, 2 changed, 0 removed; 40 instances planned anew"`
	Counts []DeedCount  `json:"counts" doc:"Its lines by action"`
	Jobs   []JobRef     `json:"jobs" doc:"Those whose definitions or instances it changed, at most 20"`
	Within DeedInstance `json:"instance,omitzero" doc:"Absent when it was about none or several"`
}

// A DeedCount is how many lines of an action a deed has.
type DeedCount struct {
	Action string `json:"action"`
	Count  int    `json:"count"`
}

// A DeedInstance is the instance that a deed was about.
type DeedInstance struct {
	ID   ID     `json:"id"`
	Name string `json:"name,omitempty" doc:"Absent when it is gone"`
}

// A DeedPage is a page of deeds, newest first.
type DeedPage struct {
	Items    []Deed    `json:"items"`
	Next     string    `json:"next,omitempty" doc:"The cursor of the next page; absent on the last. A page may hold fewer deeds than asked for and have a next"`
	LookedTo time.Time `json:"lookedTo,omitzero" doc:"The history was looked through back to here; absent at from, or its beginning"`
}

type changesInput struct {
	From   string `query:"from" maxLength:"40" doc:"Not before this: an instant, or the beginning of a day (2026-11-21, today, yesterday); the default is 24 hours ago" example:"today"`
	Zone   string `query:"zone" maxLength:"64" doc:"Whose day from means; the default is the zone of most jobs" example:"Europe/Berlin"`
	Cursor int64  `query:"cursor" minimum:"0" doc:"next of the page before"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"Rows of a page"`
}

type deedPageOutput struct{ Body DeedPage }

const (
	deedLines = 500 // of the history, read at once
	deedReads = 4   // of so many lines, for one page
	deedJobs  = 20
)

// A deedGroup is the lines of one deed, newest first.
type deedGroup []engine.AuditLine

func (g deedGroup) holds(l *engine.AuditLine) bool {
	return g[0].Actor == l.Actor && g[0].At.Equal(l.At)
}

func (s *server) listChanges(ctx context.Context, in *changesInput) (*deedPageOutput, error) {
	from, err := s.moment(ctx, "query.from", in.From, in.Zone)
	if err != nil {
		return nil, err
	}
	if from.IsZero() {
		from = s.cfg.Now().Add(-countedSpan)
	}
	var groups []deedGroup
	var next int64
	instances := map[int64]*engine.Instance{}
	err = s.cfg.Rows.Read(ctx, func(v engine.View) (err error) {
		clear(instances)
		if groups, next, err = deeds(v, engine.AuditFilter{From: from}, in.Cursor, in.Limit); err != nil {
			return err
		}
		for _, g := range groups {
			if id := g.instance(); id != 0 {
				if err := nameInstance(v, id, instances); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, wrap(err, "list what changed")
	}
	out := &deedPageOutput{DeedPage{Items: make([]Deed, len(groups))}}
	for n, g := range groups {
		if out.Body.Items[n], err = s.deed(ctx, g, instances); err != nil {
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

// deeds reads so many deeds with lines below an id, and says where the next page begins.
func deeds(v engine.View, f engine.AuditFilter, before int64, limit int) (groups []deedGroup, next int64, err error) {
	for range deedReads {
		lines, further, err := v.Audit(f, before, deedLines)
		if err != nil {
			return nil, 0, err
		}
		for i := range lines {
			l := &lines[i]
			if n := len(groups); n > 0 && groups[n-1].holds(l) {
				groups[n-1] = append(groups[n-1], *l)
				continue
			}
			if len(groups) == limit {
				return groups, l.ID + 1, nil
			}
			groups = append(groups, deedGroup{*l})
		}
		if next = further; next == 0 {
			return groups, 0, nil
		}
		before = next
	}
	return groups, next, nil
}

// instance is the one that all lines are about; 0 when there is none, or several.
func (g deedGroup) instance() int64 {
	for i := range g {
		if g[i].Instance == 0 || g[i].Instance != g[0].Instance {
			return 0
		}
	}
	return g[0].Instance
}

// deedKinds says what a line of an action is about; what is not listed is an operation.
var deedKinds = map[string]string{
	"load": "definitions", "define": "definitions", "backfill": "backfill", "token-created": "token", "token-revoked": "token",
	"incident-acknowledged": "alert", "alert-test": "alert",
}

// telling orders actions by how much their lines say of a deed.
var telling = []string{"load", "operation", "backfill", "define"}

func (s *server) deed(ctx context.Context, g deedGroup, instances map[int64]*engine.Instance) (Deed, error) {
	most := &g[0]
	rank := func(l *engine.AuditLine) int {
		if at := slices.Index(telling, l.Kind); at >= 0 {
			return at
		}
		return len(telling)
	}
	shown := Deed{ID: ID(g[0].ID), At: utc(g[0].At), Actor: g[0].Actor, Counts: []DeedCount{}, Jobs: []JobRef{}}
	for i := range g {
		l := &g[i]
		if rank(l) < rank(most) {
			most = l
		}
		at := slices.IndexFunc(shown.Counts, func(c DeedCount) bool { return c.Action == l.Kind })
		if at < 0 {
			at = len(shown.Counts)
			shown.Counts = append(shown.Counts, DeedCount{Action: l.Kind})
		}
		shown.Counts[at].Count++
		if l.Job == 0 || len(shown.Jobs) == deedJobs {
			continue
		}
		ref, err := s.lines.name(ctx, l.Job)
		if err != nil {
			return shown, err
		}
		if job := (JobRef{ref.Workflow, ref.Job}); !slices.Contains(shown.Jobs, job) {
			shown.Jobs = append(shown.Jobs, job)
		}
	}
	shown.Action, shown.Text, shown.Kind = most.Kind, said(most.Reason), "operation"
	if kind := deedKinds[most.Kind]; kind != "" {
		shown.Kind = kind
	}
	if id := g.instance(); id != 0 {
		shown.Within.ID = ID(id)
		if i := instances[id]; i != nil {
			shown.Within.Name = i.Name()
		}
	}
	return shown, nil
}

// changeRoute is the route of what changed.
func changeRoute() route {
	return route{Method: http.MethodGet, Pattern: prefix + "/changes", Permission: Viewer, ID: "listChanges", Tag: "admin",
		Summary: "What somebody changed, newest first: definitions, operations, backfills, tokens",
		Text:    "The lines of the audit, those of one moment and person together. Definitions that were changed have their versions at /jobs/{workflow}/{job}/versions.",
		Answers: ok(DeedPage{Items: []Deed{exampleDeed}}), register: operation((*server).listChanges)}
}

var exampleDeed = Deed{
	ID: 48190, At: exampleTime, Kind: "definitions", Actor: "ann", Action: "load", Text: "2 jobs: 0 added, 1 changed, 0 removed; 18 instances planned anew",
	Counts: []DeedCount{{"load", 1}, {"define", 1}}, Jobs: []JobRef{{Workflow: "retail", Job: "orders"}},
}
