package web

import (
	"context"
	"strconv"

	"github.com/almanac-sched/almanac/engine"
)

// The OpenAPI library reads the tags of exported fields only, and not those of an embedded type that is not exported: hence the repetitions.

type listInstancesInput struct {
	Selector string         `query:"selector" maxLength:"4000" doc:"Only what this selector chooses; goes with cursor and limit alone" example:"job:orders date:yesterday state:failed"`
	Workflow string         `query:"workflow" maxLength:"128" doc:"Only of this workflow"`
	Job      string         `query:"job" maxLength:"128" doc:"Only of this job; needs workflow"`
	State    []engine.State `query:"state,explode" enum:"waiting,running,lost,succeeded,forced,failed,skipped,cancelled" maxItems:"8" doc:"Only in one of these states"`
	Kind     engine.Kind    `query:"kind" enum:"scheduled,manual,backfill" doc:"Only of this kind"`
	From     string         `query:"from" maxLength:"40" doc:"Only with a plan time at or after this: an instant, or the beginning of a day (2026-11-21, today, yesterday, tomorrow)" example:"2026-11-21T06:00:00+01:00"`
	To       string         `query:"to" maxLength:"40" doc:"Only with a plan time before this, written like from" example:"tomorrow"`
	Zone     string         `query:"zone" maxLength:"64" doc:"Whose days from and to mean; the default is the zone of most jobs" example:"Europe/Berlin"`
	Cursor   string         `query:"cursor" maxLength:"512" doc:"next of the page before"`
	Limit    int            `query:"limit" minimum:"1" maximum:"500" default:"100" doc:"Rows of a page"`
}

type instancePageOutput struct{ Body InstancePage }

func (s *server) listInstances(ctx context.Context, in *listInstancesInput) (*instancePageOutput, error) {
	switch {
	case in.Selector != "":
		return s.listSelected(ctx, in)
	case in.Job != "" && in.Workflow == "":
		return nil, invalid("query.job", "a job is named together with its workflow")
	}
	from, to, err := s.between(ctx, in.From, in.To, in.Zone)
	if err != nil {
		return nil, err
	}
	filter := InstanceFilter{Workflow: in.Workflow, Job: in.Job, States: in.State, Kind: in.Kind, From: from, To: to}
	page, next, err := s.cfg.History.Instances(ctx, filter, in.Cursor, in.Limit)
	if err != nil {
		return nil, err
	}
	if err := s.cfg.Control.Follow(ctx, page); err != nil {
		return nil, err
	}
	out := &instancePageOutput{InstancePage{Items: make([]Instance, len(page)), Next: next}}
	for i := range page {
		out.Body.Items[i] = NewInstance(&page[i])
	}
	return out, nil
}

type instanceInput struct {
	ID int64 `path:"id" minimum:"1" doc:"The instance's id"`
}

type instanceOutput struct{ Body Instance }

func (s *server) getInstance(ctx context.Context, in *instanceInput) (*instanceOutput, error) {
	i, err := s.instance(ctx, in.ID, nil)
	if err != nil {
		return nil, err
	}
	one := []engine.Instance{i}
	if err := s.cfg.Control.Follow(ctx, one); err != nil {
		return nil, err
	}
	return &instanceOutput{NewInstance(&one[0])}, nil
}

// instance reads one instance, and in the same snapshot whatever more there is to read.
func (s *server) instance(ctx context.Context, id int64, more func(v engine.View) error) (i engine.Instance, err error) {
	err = s.cfg.Rows.Read(ctx, func(v engine.View) error {
		if i, err = v.Instance(id); err != nil || more == nil {
			return err
		}
		return more(v)
	})
	return i, wrap(err, "read instance %d", id)
}

type partsInput struct {
	ID     int64  `path:"id" minimum:"1" doc:"The instance's id"`
	Cursor string `query:"cursor" maxLength:"20" pattern:"^[0-9]+$" doc:"next of the page before"`
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"100" doc:"Rows of a page"`
}

// page is the page of a whole list that the request asks for. The cursor is the key of the last row before it: keys grow along the list and never
// change, so that a row that comes in between moves no other to another page.
func page[T any](in *partsInput, all []T, key func(*T) int64) (rows []T, next string, err error) {
	if in.Cursor != "" {
		after, err := strconv.ParseInt(in.Cursor, 10, 64)
		if err != nil {
			return nil, "", invalid("query.cursor", "the cursor is not one that this list gave")
		}
		for len(all) > 0 && key(&all[0]) <= after {
			all = all[1:]
		}
	}
	if len(all) > in.Limit {
		all = all[:in.Limit]
		next = strconv.FormatInt(key(&all[in.Limit-1]), 10)
	}
	return all, next, nil
}

type waitsOutput struct{ Body WaitList }

func (s *server) listWaits(ctx context.Context, in *partsInput) (*waitsOutput, error) {
	var waits []engine.Wait
	i, err := s.instance(ctx, in.ID, func(v engine.View) (err error) {
		waits, err = v.Waits(in.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	waits, next, err := page(in, waits, func(w *engine.Wait) int64 { return int64(w.N) })
	if err != nil {
		return nil, err
	}
	out := &waitsOutput{WaitList{Items: make([]Wait, len(waits)), Next: next}}
	for n := range waits {
		out.Body.Items[n] = newWait(&waits[n], i.PlanTime.Location())
	}
	return out, nil
}

type eventsInput struct {
	ID     int64 `path:"id" minimum:"1" doc:"The instance's id"`
	Cursor int64 `query:"cursor" minimum:"0" doc:"next of the page before"`
	After  int64 `query:"after" minimum:"0" doc:"Only events with a larger id"`
	Limit  int   `query:"limit" minimum:"1" maximum:"500" default:"100" doc:"Rows of a page"`
}

type eventsOutput struct{ Body EventPage }

func (s *server) listEvents(ctx context.Context, in *eventsInput) (*eventsOutput, error) {
	i, err := s.instance(ctx, in.ID, nil)
	if err != nil {
		return nil, err
	}
	events, err := s.cfg.History.Events(ctx, max(in.After, in.Cursor), in.ID, in.Limit)
	if err != nil {
		return nil, err
	}
	out := &eventsOutput{EventPage{Items: make([]Event, len(events))}}
	for n := range events {
		out.Body.Items[n] = newEvent(&events[n], i.PlanTime.Location())
	}
	if len(events) == in.Limit {
		out.Body.Next = strconv.FormatInt(events[len(events)-1].ID, 10)
	}
	return out, nil
}
