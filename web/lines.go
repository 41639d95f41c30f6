package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A Change is a line of the history as the stream has it.
type Change struct {
	ID       ID           `json:"id" doc:"Grows by one with each line of the history"`
	At       time.Time    `json:"at"`
	Kind     string       `json:"kind" doc:"A transition such as start or fail, or an act such as trigger or confirm" example:"start"`
	Instance ID           `json:"instance,omitempty" doc:"Absent when it is of no instance, such as the load of a folder"`
	Name     string       `json:"name,omitempty" doc:"workflow/job@plan time of the instance; absent when it is gone" example:"retail/orders@2026-11-21T06:00:00+01:00"`
	Workflow string       `json:"workflow,omitempty" example:"retail"`
	Job      string       `json:"job,omitempty" example:"orders"`
	PlanTime time.Time    `json:"planTime,omitzero"`
	From     engine.State `json:"from,omitempty"`
	To       engine.State `json:"to,omitempty"`
	Reason   Reason       `json:"reason"`
	Actor    string       `json:"actor,omitempty"`
}

// A Gap is a part of the history that was asked for and that retention has removed.
type Gap struct {
	After ID `json:"after" doc:"The last line before it"`
	Next  ID `json:"next" doc:"The first line behind it"`
}

// A line is a change as it is sent: made once, for all who follow.
type line struct {
	id       int64
	kind     string
	instance int64
	ref      engine.JobRef
	frame    []byte
}

// lines reads the history as lines.
type lines struct {
	jobs    JobReader
	rows    Rows
	history History

	mu    sync.Mutex
	names map[int64]engine.JobRef // of jobs, by row id; a job's name never changes
}

func newLines(jobs JobReader, rows Rows, history History) *lines {
	return &lines{jobs: jobs, rows: rows, history: history, names: map[int64]engine.JobRef{}}
}

// after reads the lines after an id, of one instance only when it is not 0, at most limit.
func (l *lines) after(ctx context.Context, id, instance int64, limit int) ([]line, error) {
	events, err := l.history.Events(ctx, id, instance, limit)
	if err != nil || len(events) == 0 {
		return nil, err
	}
	instances := map[int64]*engine.Instance{}
	err = l.rows.Read(ctx, func(v engine.View) error {
		clear(instances)
		for i := range events {
			id := events[i].Instance
			if _, known := instances[id]; known || id == 0 {
				continue
			}
			one, err := v.Instance(id)
			switch {
			case errors.Is(err, engine.ErrNotFound):
				instances[id] = nil
			case err != nil:
				return err
			default:
				instances[id] = &one
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the instances of the history: %w", err)
	}
	read := make([]line, len(events))
	for n := range events {
		if read[n], err = l.line(ctx, &events[n], instances[events[n].Instance]); err != nil {
			return nil, err
		}
	}
	return read, nil
}

func (l *lines) line(ctx context.Context, e *EventRecord, i *engine.Instance) (line, error) {
	zone := time.UTC
	c := Change{ID: ID(e.ID), Kind: e.Kind, Instance: ID(e.Instance), From: e.From, To: e.To, Actor: e.Actor}
	switch {
	case i != nil:
		zone = i.PlanTime.Location()
		c.Name, c.Workflow, c.Job, c.PlanTime = i.Name(), i.Ref.Workflow, i.Ref.Job, i.PlanTime
	case e.Job != 0:
		ref, err := l.name(ctx, e.Job)
		if err != nil {
			return line{}, err
		}
		c.Workflow, c.Job = ref.Workflow, ref.Job
	}
	c.At, c.Reason = in(e.At, zone), newReason(e.Reason, zone)
	data, err := json.Marshal(c)
	if err != nil {
		return line{}, fmt.Errorf("write the line %d of the history: %w", e.ID, err)
	}
	return line{e.ID, e.Kind, e.Instance, engine.JobRef{Workflow: c.Workflow, Job: c.Job}, frame(strconv.FormatInt(e.ID, 10), "change", data)}, nil
}

// name is the name of a job by its row id; the zero name when there is no such row.
func (l *lines) name(ctx context.Context, job int64) (engine.JobRef, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if ref, known := l.names[job]; known {
		return ref, nil
	}
	rows, err := l.jobs.Jobs(ctx)
	if err != nil {
		return engine.JobRef{}, fmt.Errorf("list jobs: %w", err)
	}
	for i := range rows {
		l.names[rows[i].ID] = rows[i].Ref
	}
	return l.names[job], nil
}

// frame is one message of a stream. Data is JSON, which has no line break.
func frame(id, event string, data []byte) []byte {
	b := make([]byte, 0, len(id)+len(event)+len(data)+24)
	if id != "" {
		b = append(append(append(b, "id: "...), id...), '\n')
	}
	b = append(append(append(b, "event: "...), event...), '\n')
	b = append(append(append(b, "data: "...), data...), '\n', '\n')
	return b
}
