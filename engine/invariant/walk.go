package invariant

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// beginning is before every plan time.
var beginning = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Add(-time.Hour)

// walk looks at every instance in the order of job and plan time, or with Since at those from there on and at the open ones before.
func (c *check) walk(ctx context.Context) error {
	if !c.o.Since.IsZero() {
		for _, id := range c.order {
			if err := c.page(ctx, func() error { return c.openBefore(id) }); err != nil {
				return err
			}
			if err := c.walkJob(ctx, id, c.o.Since.Add(-time.Millisecond)); err != nil {
				return err
			}
		}
		return nil
	}
	// Without a bound the walk goes over all that is there, so that instances of a job that does not exist are found too.
	job, at, key, id := int64(-1<<62), beginning, "", int64(-1<<62)
	var w *plan
	for more := true; more; {
		err := c.page(ctx, func() error {
			list, err := c.s.InstancesAfter(job, at, key, id, c.o.Page)
			if err != nil {
				return fmt.Errorf("list instances: %w", err)
			}
			more = len(list) == c.o.Page
			for n := range list {
				i := &list[n]
				if w == nil || w.job != i.Job {
					if err := c.finish(w); err != nil {
						return err
					}
					w = c.newPlan(i.Job, time.Time{})
				}
				if err := c.step(w, i); err != nil {
					return err
				}
				job, at, key, id = i.Job, i.PlanTime, i.Key, i.ID
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return c.page(ctx, func() error {
		if err := c.finish(w); err != nil {
			return err
		}
		for _, id := range c.order {
			if !c.jobs[id].planned {
				if err := c.finish(c.newPlan(id, time.Time{})); err != nil { // a job without a single instance
					return err
				}
			}
		}
		return nil
	})
}

// walkJob looks at the instances of one job behind a plan time.
func (c *check) walkJob(ctx context.Context, job int64, at time.Time) error {
	w := c.newPlan(job, at)
	key, id := "", int64(1<<62)
	for more := true; more; {
		err := c.page(ctx, func() error {
			list, err := c.s.InstancesAfter(job, at, key, id, c.o.Page)
			if err != nil {
				return fmt.Errorf("list instances of job %d: %w", job, err)
			}
			more = len(list) == c.o.Page
			for n := range list {
				i := &list[n]
				if i.Job != job {
					more = false
					break
				}
				if err := c.step(w, i); err != nil {
					return err
				}
				at, key, id = i.PlanTime, i.Key, i.ID
			}
			if !more {
				return c.finish(w)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// openBefore looks at the open instances of a job before Since.
func (c *check) openBefore(job int64) error {
	waiting, err := c.s.Waiting(job)
	if err != nil {
		return fmt.Errorf("list what waits of job %d: %w", job, err)
	}
	active, err := c.s.Active(job)
	if err != nil {
		return fmt.Errorf("list what runs of job %d: %w", job, err)
	}
	for _, list := range [][]engine.Instance{waiting, active} {
		for n := range list {
			if list[n].PlanTime.Before(c.o.Since) {
				if err := c.instance(&list[n]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// step looks at one instance of the walk: as part of its job's plan, and by itself.
func (c *check) step(w *plan, i *engine.Instance) error {
	if c.jobs[i.Job] == nil {
		c.must(false, "I14", i, "its job %d does not exist", i.Job)
		return nil
	}
	c.planned(w, i)
	return c.instance(i)
}

// instance holds one instance, with what belongs to it, against the invariants that it can break by itself.
func (c *check) instance(i *engine.Instance) error {
	c.report.Instances++
	f := &facts{i: i, job: c.versions[i.Version]}
	var err error
	if f.ids, f.events, err = c.s.HistoryOf(i.ID); err != nil {
		return fmt.Errorf("read the history of %s: %w", i.Name(), err)
	}
	f.past = past(f.ids, f.events)
	if f.waits, err = c.s.Waits(i.ID); err != nil {
		return fmt.Errorf("read what %s waits for: %w", i.Name(), err)
	}
	if f.runs, err = c.s.Runs(i.ID); err != nil {
		return fmt.Errorf("list the earlier runs of %s: %w", i.Name(), err)
	}
	if f.attempts, err = c.s.Attempts(i.ID); err != nil {
		return fmt.Errorf("list the attempts of %s: %w", i.Name(), err)
	}
	if f.steps, err = c.s.Steps(i.ID); err != nil {
		return fmt.Errorf("list the steps of %s: %w", i.Name(), err)
	}
	if f.watches, err = c.s.Watches(i.ID); err != nil {
		return fmt.Errorf("list what steps of %s watch: %w", i.Name(), err)
	}
	if f.outbox, err = c.s.OutboxOf(i.ID); err != nil {
		return fmt.Errorf("list the outbox of %s: %w", i.Name(), err)
	}
	c.report.Waits += len(f.waits)
	c.report.Attempts += len(f.attempts)
	c.report.Outbox += len(f.outbox)
	f.whole = c.isWhole(f)

	c.states(f)
	c.commands(f)
	c.reasons(f)
	c.pinned(f)
	c.fences(f)
	c.outcomes(f)
	c.deliveries(f)
	c.recovery(f)
	if err := c.inLane(f); err != nil {
		return err
	}
	if err := c.claimed(f); err != nil {
		return err
	}
	if err := c.named(f); err != nil {
		return err
	}
	return c.waiting(f)
}

// isWhole reports whether the history of an instance has all its events: retention has removed none, or none as old as the first thing that its rows
// tell of it. What a clock said that jumped does not tell.
func (c *check) isWhole(f *facts) bool {
	if !c.pruned {
		return true
	}
	if c.jumped || len(f.past) > 0 && f.past[0].from != engine.Waiting {
		return false
	}
	i := f.i
	told := []time.Time{i.StartedAt, i.EndedAt}
	if i.Kind != engine.Scheduled {
		told = append(told, i.NotBefore) // when it was triggered, or its backfill applied
	}
	for n := range f.runs {
		told = append(told, f.runs[n].StartedAt, f.runs[n].EndedAt)
	}
	for n := range f.attempts {
		told = append(told, f.attempts[n].StartedAt)
	}
	for n := range f.outbox {
		told = append(told, f.outbox[n].CreatedAt)
	}
	if i.Touched { // a rerun, and a run at once, have moved what told when it came
		switch row := c.lanes.rows[i.Key]; i.Kind {
		case engine.Scheduled:
			told = append(told, i.PlanTime.Add(-2*(c.o.PlanAhead+24*time.Hour))) // whole days are planned
		case engine.Backfill:
			if row == nil {
				return false
			}
			told = append(told, row.CreatedAt)
		default:
			if len(f.events) == 0 || f.events[0].Kind != "trigger" {
				return false
			}
		}
	}
	return !slices.ContainsFunc(told, func(at time.Time) bool { return !at.IsZero() && !at.After(c.removed) })
}

// facts is one instance with the rows that belong to it.
type facts struct {
	i        *engine.Instance
	job      *engine.Job // nil when its version cannot be read
	ids      []int64     // of the events
	events   []engine.EventRow
	past     []change
	whole    bool // no event of it was removed
	waits    []engine.Wait
	runs     []engine.RunRow // the earlier ones
	attempts []engine.AttemptRow
	steps    []engine.StepRow
	watches  []engine.WatchRow
	outbox   []engine.OutboxRow
}

// reruns counts how often a person had the instance run again.
func (f *facts) reruns() int { return f.count(engine.Rerun) }

func (f *facts) count(e engine.Event) (n int) {
	for _, change := range f.past {
		if change.event == e {
			n++
		}
	}
	return n
}

// A change is one event of the transition table in the life of an instance.
type change struct {
	id       int64
	event    engine.Event
	from, to engine.State
	at       time.Time
}

// past picks the transitions out of a history.
func past(ids []int64, events []engine.EventRow) []change {
	var list []change
	for n := range events {
		e := &events[n]
		for _, known := range engine.Events {
			if string(known) == e.Kind {
				list = append(list, change{ids[n], known, e.From, e.To, e.At})
			}
		}
	}
	return list
}

// whole holds what is a matter of all rows together.
func (c *check) whole() error {
	left, err := c.s.LeftOver(c.o.Most)
	if err != nil {
		return fmt.Errorf("look for rows without their instance: %w", err)
	}
	c.looked("I14")
	for _, id := range left {
		c.found("I14", nil, "rows are left over of instance %d, which does not exist", id)
	}
	if err := c.limits(); err != nil {
		return err
	}
	if err := c.cycles(); err != nil {
		return err
	}
	if err := c.backfills(); err != nil {
		return err
	}
	return c.settled()
}
