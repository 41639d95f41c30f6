package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
)

// The bounds of what is planned at once, and of what of it one transaction writes, so that claims are never held up for long: whole days of jobs, of which
// one alone may be more.
const (
	planGroup = 200  // jobs
	planRows  = 1000 // instances
)

// planAhead writes down every natural day that begins within PlanAhead of now, and whatever an earlier process left unplanned: day by day from
// each job's watermark, rows and watermark in one transaction. A due time that passed meanwhile gets its instance like any other; misfire decides
// about running it.
//
// Any server may do it: who comes second finds the watermark moved, or the definitions, and looks at the rows again.
func (e *Engine) planAhead(ctx context.Context, now time.Time) error {
	for {
		err := e.planFrom(ctx, now)
		if !errors.Is(err, errStale) {
			return err
		}
		if err := e.relearn(ctx); err != nil {
			return err
		}
	}
}

// errStale says that the definitions in memory are not those of the rows any more.
var errStale = fmt.Errorf("%w: the definitions or the plan have changed meanwhile", ErrConflict)

func (e *Engine) planFrom(ctx context.Context, now time.Time) error {
	e.planAgain = time.Time{}
	if e.defs.planned(now.Add(e.cfg.PlanAhead)) {
		return nil // days are planned whole, so that what ends later than this ends with its day
	}
	target := func(j *Job) time.Time { return dayAfter(now.Add(e.cfg.PlanAhead), j.When.Location) }
	for {
		group, planner := e.defs.unplanned(target, planGroup)
		if len(group) == 0 {
			return nil
		}
		windows := map[JobRef]window{}
		for _, d := range group {
			from := d.from()
			if fault.Planted(fault.ForgetMissed) && from.Before(now) {
				from = now
			}
			to := dayAfter(from, d.job.When.Location)
			if end := target(d.job); end.Before(to) {
				to = end
			}
			windows[d.job.Ref()] = window{from, to}
		}
		_, err := e.writePlan(ctx, planner, group, windows)
		if errors.Is(err, errLoading) {
			e.planAgain = now.Add(loadLook)
			return nil
		}
		if err != nil {
			return err
		}
		e.lookBack = true // of the days that are planned now, something may have ended in the future
	}
}

type window struct{ from, to time.Time }

// errLoading says that nothing is planned, because a load is under way: the definitions are partly
// those of before.
var errLoading = fmt.Errorf("%w: a load is under way", ErrConflict)

// loadLook is how long the loop waits before it tries to plan again, should nobody tell it that the
// load is through.
const loadLook = time.Second

// plannable fails while a load is under way.
func plannable(v View) error {
	open, err := loadUnderWay(v)
	return errors.Join(err, unless(!open, errLoading))
}

// writePlan plans the group over its windows and writes it, some jobs after the others, moving the watermarks.
func (e *Engine) writePlan(ctx context.Context, planner *Planner, group []definition, windows map[JobRef]window) (int, error) {
	revision := e.defs.at()
	var plan Plan
	err := e.cfg.Store.Read(ctx, func(v View) (err error) {
		if err := plannable(v); err != nil {
			return err
		}
		plan, err = planner.overRows(v, e.defs.row).Plan(func(j *Job) (time.Time, time.Time) {
			w := windows[j.Ref()]
			return w.from, w.to
		})
		return err
	})
	if err != nil {
		return 0, err
	}
	inserted := 0
	for len(group) > 0 {
		part, n := plan.first(group, planRows)
		written, err := e.writeDays(ctx, revision, group[:n], &part, windows)
		if err != nil {
			return inserted, err
		}
		inserted, group = inserted+written, group[n:]
	}
	return inserted, nil
}

// first is the plan of the first jobs of a group, and how many these are: as many as have no more than so many instances together, and at least one.
func (p *Plan) first(group []definition, most int) (part Plan, jobs int) {
	of := make(map[JobRef]*JobPlan, len(p.Jobs))
	for n := range p.Jobs {
		of[p.Jobs[n].Job.Ref()] = &p.Jobs[n]
	}
	rows := 0
	for jobs < len(group) {
		j := of[group[jobs].row.Ref]
		if j != nil {
			if rows += len(j.Times); rows > most && jobs > 0 {
				break
			}
			part.Jobs = append(part.Jobs, *j)
		}
		jobs++
	}
	return part, jobs
}

// writeDays writes the plan of a group in one transaction.
func (e *Engine) writeDays(ctx context.Context, revision int64, group []definition, plan *Plan, windows map[JobRef]window) (inserted int, err error) {
	planned := map[int64]time.Time{}
	err = e.cfg.Store.Write(ctx, func(tx Tx) error {
		if current, err := tx.Revision(); err != nil || current != revision {
			return errors.Join(err, unless(current == revision, errStale))
		}
		if err := plannable(tx); err != nil {
			return err
		}
		for _, d := range group {
			to := windows[d.row.Ref].to
			ok, err := tx.SetPlannedTo(d.row.ID, d.row.PlannedTo, to)
			if err != nil {
				return fmt.Errorf("move the watermark of %s: %w", d.row.Ref, err)
			}
			if !ok {
				e.defs.doubt() // another plans too
				return fmt.Errorf("plan %s: %w", d.row.Ref, errStale)
			}
			planned[d.row.ID] = to
		}
		if fault.Planted(fault.MarkFirst) {
			return nil
		}
		inserted, err = e.insertPlan(tx, plan)
		return err
	})
	if err == nil && fault.Planted(fault.MarkFirst) {
		err = e.cfg.Store.Write(ctx, func(tx Tx) error { inserted, err = e.insertPlan(tx, plan); return err })
	}
	if err != nil {
		return 0, fmt.Errorf("write the plan: %w", err)
	}
	e.defs.setPlanned(planned)
	return inserted, nil
}

// insertPlan writes the plan's instances.
func (e *Engine) insertPlan(tx Tx, plan *Plan) (int, error) {
	n := plan.Instances()
	if n == 0 {
		return 0, nil
	}
	first, err := tx.Reserve(n)
	if err != nil {
		return 0, fmt.Errorf("reserve ids: %w", err)
	}
	inserted, err := insertWatched(tx, plan, plan.Rows(first, e.rowIDs))
	if err != nil {
		return 0, fmt.Errorf("insert %d instances: %w", n, err)
	}
	return inserted, nil
}

// rowIDs returns the row ids of a job and of its current version.
func (e *Engine) rowIDs(ref JobRef) (job, version int64) {
	d := e.defs.lookup(ref)
	return d.row.ID, d.row.Version
}
