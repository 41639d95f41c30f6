package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/recurrence"
)

// planPast writes down, by the definitions that are about to be replaced, what was due up to now and
// is not planned because no server ran: a change is from now on, and what was due before it was due by
// what was said then (`reliability.md` F1, F9). Each transaction writes a day of some jobs at most.
func (e *Engine) planPast(ctx context.Context, now time.Time) error {
	for {
		group, planner := e.defs.unplanned(func(*Job) time.Time { return now }, planGroup)
		if len(group) == 0 {
			return nil
		}
		windows := make(map[JobRef]window, len(group))
		for n := range group {
			d := &group[n]
			from := d.from()
			windows[d.row.Ref] = window{from, earliest(dayAfter(from, d.job.When.Location), now)}
		}
		_, err := e.writePlan(ctx, planner, group, windows)
		if errors.Is(err, errLoading) {
			return errStale
		}
		if err != nil {
			return fmt.Errorf("plan what was due before now: %w", err)
		}
	}
}

// catchUp is planPast by the definitions and the time of the rows.
func (e *Engine) catchUp(ctx context.Context, now time.Time) error {
	now, err := e.storeTime(ctx, now)
	if err == nil {
		err = e.relearn(ctx)
	}
	if err == nil {
		err = e.planPast(ctx, now.Truncate(time.Millisecond))
	}
	return err
}

// errBehind refuses an edit that would have to write down more than a day of what was due before it.
var errBehind = fmt.Errorf("what was due before now is not planned: %w", errStale)

// planPast is that of the jobs of an edit, which writes a day at most.
func (l *loading) planPast(known []JobRow) error {
	var old []definition
	var jobs []*Job
	behind := l.now
	for _, row := range known {
		if row.Removed {
			continue
		}
		job, err := l.e.defs.version(l.tx, row.Version)
		if errors.Is(err, ErrInvalid) {
			continue // nobody can say what was due
		}
		if err != nil {
			return fmt.Errorf("read the version of %s: %w", row.Ref, err)
		}
		d := definition{row: row, job: job}
		jobs = append(jobs, job)
		if from := d.from(); d.active() && from.Before(behind) {
			behind = from
		}
		if d.active() && d.from().Before(l.now) {
			old = append(old, d)
		}
	}
	if len(old) == 0 {
		return nil
	}
	if behind.Before(l.now.AddDate(0, 0, -1)) {
		return errBehind
	}
	planner, err := NewPlanner(jobs, func(j *Job) recurrence.Origin { row := l.rows[j.Ref()]; return row.Origin() })
	if err != nil {
		return err
	}
	if err := l.planWindow(planner.overRows(l.tx, l.row), old, behind, l.now); err != nil {
		return fmt.Errorf("plan what was due before now: %w", err)
	}
	for _, d := range old {
		row := d.row
		if ok, err := l.tx.SetPlannedTo(row.ID, row.PlannedTo, l.now); err != nil || !ok {
			return wrap(errors.Join(err, unless(ok, errStale)), "move the watermark of %s", row.Ref)
		}
		row.PlannedTo = l.now.In(d.job.When.Location)
		l.rows[row.Ref] = row
	}
	return nil
}

// planWindow plans what each of the jobs has left of [from, to).
func (l *loading) planWindow(planner *Planner, jobs []definition, from, to time.Time) error {
	windows := map[JobRef]window{}
	for _, d := range jobs {
		if begin := latest(from, d.from()); begin.Before(to) {
			windows[d.row.Ref] = window{begin, to}
		}
	}
	plan, err := planner.Plan(func(j *Job) (time.Time, time.Time) {
		w := windows[j.Ref()]
		return w.from, w.to
	})
	if err != nil || plan.Instances() == 0 {
		return err
	}
	first, err := l.tx.Reserve(plan.Instances())
	if err != nil {
		return err
	}
	_, err = insertWatched(l.tx, &plan, plan.Rows(first, func(ref JobRef) (int64, int64) { return l.rows[ref].ID, l.rows[ref].Version }))
	return err
}
