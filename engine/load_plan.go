package engine

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// cut takes the plan of a job back up to where a load in slices leaves one. The loop plans from there
// on after it.
func (l *loading) cut(row JobRow, x *loadItem) error {
	if l.until.IsZero() || row.Removed || !row.PlannedTo.After(l.until) {
		return nil
	}
	n, err := l.tx.DeleteUnstarted(row.ID, l.until)
	if err != nil {
		return fmt.Errorf("take back the plan of %s: %w", row.Ref, err)
	}
	if !x.goes() {
		l.report.Replaced, l.report.Later = l.report.Replaced+n, l.report.Later+n
	}
	to := l.until.In(row.PlannedTo.Location())
	ok, err := l.tx.SetPlannedTo(row.ID, row.PlannedTo, to)
	if err != nil || !ok {
		return wrap(cmp.Or(err, errStale), "take back the watermark of %s", row.Ref)
	}
	row.PlannedTo = to
	if !x.touched() { // every server is to learn that there is something to plan
		if err := l.putJob(&row); err != nil {
			return fmt.Errorf("take back the plan of %s: %w", row.Ref, err)
		}
	}
	l.rows[row.Ref] = row
	return nil
}

// takeBack takes the plan of a job back from now on, and has it planned anew up to where it was.
func (l *loading) takeBack(d *definition) error {
	ref := d.row.Ref
	if slices.ContainsFunc(l.orders, func(o ordered) bool { return o.ref == ref }) {
		if err := l.dropAhead(d.row); err != nil {
			return err
		}
	}
	if d.row.PlannedTo.After(l.now) {
		if slices.Contains(l.rezoned, ref) {
			times, err := unlooked(l.tx, d.row.ID, l.now)
			if err != nil {
				return fmt.Errorf("list the plan of %s: %w", ref, err)
			}
			l.before[ref] = times
		}
		n, err := l.tx.DeleteUnstarted(d.row.ID, l.now)
		if err != nil {
			return fmt.Errorf("plan %s anew: %w", ref, err)
		}
		l.report.Replaced += n
		if from, plans := l.planted(l.now); d.active() && plans {
			l.windows[ref] = window{from, d.row.PlannedTo}
		}
	}
	return l.lookAhead(d)
}

// bindsAhead is how many instances ahead a load binds of one job. The rest is bound when its time has
// come, as everything is.
const bindsAhead = 50

// lookAhead finds what of a job is to come and a person has acted on: it stays when the rest is
// planned anew, and nothing looks at it soon.
func (l *loading) lookAhead(d *definition) error {
	if len(d.job.DependsOn) == 0 {
		return nil
	}
	list, err := l.tx.Range(RangeQuery{Job: d.row.ID, From: l.now, To: AfterAll, Limit: bindsAhead})
	if err != nil {
		return fmt.Errorf("list what is ahead of %s: %w", d.row.Ref, err)
	}
	for n := range list {
		i := &list[n]
		if i.Kind == Scheduled && i.State == Waiting && i.Gate == GateTime {
			l.ahead = append(l.ahead, *i)
		}
	}
	return nil
}

// bindAhead binds it again.
func (l *loading) bindAhead() error {
	for n := range l.ahead {
		i := &l.ahead[n]
		job, err := l.e.defs.version(l.tx, i.Version)
		if err != nil {
			if ignoreInvalid(err) == nil {
				continue
			}
			return err
		}
		waits, err := l.tx.Waits(i.ID)
		if err != nil {
			return fmt.Errorf("read what %s waits for: %w", i.Name(), err)
		}
		if len(waits) == 0 {
			continue
		}
		revision, err := l.tx.Revision()
		if err != nil {
			return err
		}
		b := &binding{View: l.tx, planner: l.planner, row: l.row, revision: revision, i: i, job: job}
		if _, err = b.write(l.tx, waits, l.now); err != nil {
			return err
		}
	}
	return nil
}

// inForce is the planner of what is being loaded, with what the rows say of the time before now.
func (l *loading) inForce() *Planner {
	return l.planner.over(l.tx, func(ref JobRef) recorded {
		row, ok := l.row(ref)
		if !ok {
			return recorded{}
		}
		if w, anew := l.windows[ref]; anew {
			return row.planned(w.from)
		}
		return row.planned(row.PlannedTo)
	})
}

// replan writes the plan that was taken back anew.
func (l *loading) replan() error {
	if len(l.windows) == 0 {
		return nil
	}
	plan, err := l.inForce().Plan(func(j *Job) (time.Time, time.Time) {
		w := l.windows[j.Ref()]
		return w.from, w.to
	})
	if err != nil {
		return err
	}
	first, err := l.tx.Reserve(max(1, plan.Instances()))
	if err != nil {
		return err
	}
	if l.report.Planned, err = insertWatched(l.tx, &plan, plan.Rows(first, l.ids)); err != nil {
		return fmt.Errorf("insert the new plan: %w", err)
	}
	for i := range plan.Jobs {
		p := &plan.Jobs[i]
		ref := p.Job.Ref()
		if !slices.Contains(l.rezoned, ref) {
			continue
		}
		d := definition{row: l.rows[ref], job: p.Job}
		if err := l.recordRezoned(&d, l.before[ref], p.Times); err != nil {
			return fmt.Errorf("record what the new rules of a zone change: %w", err)
		}
	}
	return nil
}
