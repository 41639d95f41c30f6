package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// A load that touches much takes the plan of the jobs that it affects back before it, job by job in
// short writes, up to a while ahead of now; the loop plans from there on after it. So no transaction
// takes away or writes down more than that while. Each of these commits leaves a plan that is right
// and ends earlier: whatever happens between two of them, the loop plans the rest again.
const (
	thinAhead = 10 * time.Minute // what stays, so that nothing is due meanwhile that is not planned
	thinFrom  = 1000             // instances; a load that replaces fewer writes them itself
)

// thin takes back what is planned, and not looked at, of the jobs that a load affects. It returns how
// many instances that were. The loop plans nothing until done is called.
func (e *Engine) thin(ctx context.Context, jobs []*Job, review *reviewed, now time.Time) (taken int, done func(), err error) {
	done = func() {}
	if e.cfg.Shared || e.cfg.Closed {
		return 0, done, nil // another server would plan it again at once, by what it knows
	}
	var affected []JobRow
	var until time.Time
	err = e.cfg.Store.Read(ctx, func(v View) error {
		now, err := e.viewTime(v, now)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		until = now.Add(thinAhead).Truncate(time.Millisecond)
		affected, err = e.affectedBy(v, jobs, review, until, now)
		return err
	})
	if err != nil || len(affected) == 0 {
		return 0, done, wrap(err, "look at what the load affects")
	}
	e.thinning.Add(1)
	done = func() {
		e.thinning.Add(-1)
		e.inbox.nudge()
	}
	for len(affected) > 0 {
		n, of := 0, 0
		err := e.cfg.Store.Write(ctx, func(tx Tx) error {
			n, of = 0, 0
			for of < len(affected) && (of == 0 || n < e.thinFrom() && !tx.Full()) {
				row, err := tx.JobByRef(affected[of].Ref)
				if err != nil {
					return err
				}
				if of++; row.Removed || !row.PlannedTo.After(until) {
					continue
				}
				gone, err := tx.DeleteUnstarted(row.ID, until)
				if err != nil {
					return fmt.Errorf("take back the plan of %s: %w", row.Ref, err)
				}
				ok, err := tx.SetPlannedTo(row.ID, row.PlannedTo, until)
				if err != nil || !ok {
					return wrap(errors.Join(err, unless(ok, errStale)), "take back the watermark of %s", row.Ref)
				}
				n += gone
			}
			return nil
		})
		if err != nil {
			return taken, done, fmt.Errorf("take back what is planned: %w", err)
		}
		taken, affected = taken+n, affected[of:]
	}
	return taken, done, nil
}

// affectedBy lists the jobs of which a load would plan more than it writes itself, with an end of
// their plan beyond the time; none when the load would be refused or touches little. A job of which
// something is ordered ahead is planned by the load itself.
func (e *Engine) affectedBy(v View, jobs []*Job, review *reviewed, until, now time.Time) (affected []JobRow, err error) {
	rows, err := v.Jobs()
	if err != nil {
		return nil, fmt.Errorf("list the jobs: %w", err)
	}
	if review.check(jobs, rows) != nil {
		return nil, nil
	}
	known := make(map[JobRef]JobRow, len(rows))
	var own []JobRow
	for _, row := range rows {
		if known[row.Ref] = row; row.Source == "" {
			own = append(own, row)
		}
	}
	if e.checkDue(v, review, jobs, own, now) != nil {
		return nil, nil // the load says so
	}
	touched, wanted := map[JobRef]bool{}, map[JobRef]bool{}
	for _, j := range jobs {
		ref := j.Ref()
		wanted[ref] = true
		row, there := known[ref]
		if there && !row.Removed && row.Source != "" {
			return nil, nil // the load refuses it
		}
		if there && !row.Removed && row.Disabled == j.Disabled {
			version, err := v.Version(row.Version)
			if err != nil {
				return nil, fmt.Errorf("read the version of %s: %w", ref, err)
			}
			if sameDefinition(&version, j) {
				continue
			}
		}
		touched[ref] = true
	}
	for _, row := range rows {
		if row.Source == "" && !row.Removed && !wanted[row.Ref] {
			touched[row.Ref] = true
		}
	}
	orders, err := v.Overrides(0, time.Time{}, time.Time{}, mostOverrides)
	if err != nil {
		return nil, fmt.Errorf("read what is ordered ahead: %w", err)
	}
	ordered := map[int64]bool{}
	for n := range orders {
		ordered[orders[n].Job] = true
	}
	planned := 0
	add := func(ref JobRef) error {
		row, there := known[ref]
		if !there || row.Removed || ordered[row.ID] || !row.PlannedTo.After(until) {
			return nil
		}
		times, err := v.PlanTimes(row.ID, until, row.PlannedTo)
		if err != nil {
			return fmt.Errorf("list the plan of %s: %w", ref, err)
		}
		planned += len(times)
		affected = append(affected, row)
		delete(known, ref)
		return nil
	}
	for _, row := range rows {
		if touched[row.Ref] {
			err = errors.Join(err, add(row.Ref))
		}
	}
	for _, j := range jobs {
		if slices.ContainsFunc(j.DependsOn, func(d Dependency) bool { return touched[d.Job] }) {
			err = errors.Join(err, add(j.Ref()))
		}
	}
	if err != nil || planned <= e.thinFrom() {
		return nil, err
	}
	return affected, nil
}

func (e *Engine) thinFrom() int { return cmp.Or(e.cfg.AtOnce, thinFrom) }
