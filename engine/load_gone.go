package engine

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
)

// remove records that a job is gone from the definitions.
func (l *loading) remove(row JobRow) error {
	row.Removed = true
	row.leave()
	l.turnBack(&row)
	if err := l.putJob(&row); err != nil {
		return fmt.Errorf("remove %s: %w", row.Ref, err)
	}
	l.report.Removed = append(l.report.Removed, row.Ref)
	l.touched = append(l.touched, row.Ref)
	l.rows[row.Ref] = row
	if err := l.withdraw(row, ReasonRemoved); err != nil {
		return err
	}
	return l.record(row, "removed")
}

// turnBack takes the watermark of a job that goes back to now, since its future is withdrawn: what waits for that must not take it for planned and,
// as there is nothing that does not satisfy, for satisfied.
func (l *loading) turnBack(row *JobRow) {
	if row.PlannedTo.After(l.now) {
		row.PlannedTo = l.now.In(row.PlannedTo.Location())
	}
}

// letGo has what was held of a disabled job looked at again: some of it now, the rest after the load.
func (l *loading) letGo(row JobRow) error {
	n, err := l.tx.WakePaused(row.ID, l.now, wakeSlice)
	if n == wakeSlice {
		l.held = append(l.held, row)
	}
	return wrap(err, "let what is held of %s go", row.Ref)
}

// withdraw takes the future of a job away and cancels what waits, but what is due: that of a folder's job only as reviewed.
func (l *loading) withdraw(row JobRow, code ReasonCode) error {
	if _, err := l.tx.DeleteUnstarted(row.ID, l.now); err != nil {
		return fmt.Errorf("withdraw the plan of %s: %w", row.Ref, err)
	}
	waiting, err := l.goes(row)
	if err != nil {
		return fmt.Errorf("list what waits of %s: %w", row.Ref, err)
	}
	reason := Reason{Code: code, Actor: l.actor}
	if len(waiting) > l.e.atOnce() {
		return l.cancelLater(waiting, reason)
	}
	for _, i := range waiting {
		t := Transition{Instance: i.ID, Event: Cancel, From: i.State, Fence: i.Fence, At: l.now, Reason: reason}
		ok, err := l.tx.Apply(t)
		if err != nil {
			return fmt.Errorf("cancel %s: %w", i.Name(), err)
		}
		if ok {
			after := i
			after.State, after.Reason, after.EndedAt = Cancelled, t.Reason, l.now
			l.notices = append(l.notices, Notice{Instance: after, From: i.State})
		}
	}
	return nil
}

// goes lists what of a job that goes is cancelled, and counts what is not.
func (l *loading) goes(row JobRow) ([]Instance, error) {
	if l.source != "" || l.review.drops() {
		waiting, err := l.tx.Waiting(row.ID)
		for n := range waiting {
			if l.source == "" && waiting[n].due(l.now) {
				l.report.DueDropped++
			}
		}
		return waiting, err
	}
	waiting, err := l.tx.WaitingPlanned(row.ID)
	if err != nil {
		return nil, err
	}
	stays, err := l.tx.WaitingKeyed(row.ID) // what is not scheduled is always due
	waiting = slices.DeleteFunc(waiting, func(i Instance) bool {
		due := i.due(l.now)
		if due {
			stays++
		}
		return due
	})
	if row.Disabled {
		l.report.DueHeld += stays
	} else {
		l.report.DueRun += stays
	}
	return waiting, err
}

// cancelLater has what is too much for one transaction cancelled by an operation, which holds it until then.
func (l *loading) cancelLater(list []Instance, reason Reason) error {
	targets := make([]target, len(list))
	for n := range list {
		targets[n] = target{id: list[n].ID}
	}
	id, err := l.tx.Reserve(1)
	if err != nil {
		return err
	}
	text := encodeTargets(targets)
	row := OperationRow{
		ID: id, Stage: OperationChanging, Total: len(targets), Digest: digestOf(text), Actor: cmp.Or(reason.Actor, "load"), At: l.now,
		Order: OperationOrder{Operation: OperateCancel, Code: reason.Code},
	}
	return wrap(l.tx.BeginOperation(row, text), "have %s cancelled", plural(len(list), "instance"))
}

// inForce is the planner of what is being loaded, with what the rows say of the time before now. windows are what is planned anew.
func (l *loading) inForce(windows map[JobRef]window) *Planner {
	return l.planner.over(l.tx, func(ref JobRef) recorded {
		row, ok := l.rows[ref]
		if !ok {
			return recorded{}
		}
		if w, anew := windows[ref]; anew {
			return row.planned(w.from)
		}
		return row.planned(row.PlannedTo)
	})
}

// bindTouched binds again, of the jobs that are affected, what nothing will look at soon: what is to come and a person has acted on, which stays when the
// rest is planned anew. What has been looked at is looked at again, and bound by that.
func (l *loading) bindTouched(affected map[JobRef]bool) error {
	for i := range l.definitions {
		d := &l.definitions[i]
		if !affected[d.row.Ref] || len(d.job.DependsOn) == 0 {
			continue
		}
		waiting, err := l.tx.WaitingPlanned(d.row.ID)
		if err != nil {
			return fmt.Errorf("list what waits of %s: %w", d.row.Ref, err)
		}
		for n := range waiting {
			if err := l.bindOrWake(&waiting[n]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *loading) bindOrWake(i *Instance) error {
	switch {
	case i.Kind == Scheduled && i.Gate == GateTime && (i.Touched || i.Frozen || i.Confirmed != ""):
	case i.Kind == Scheduled && i.Gate != GateTime:
		_, err := l.tx.Hold(Hold{Instance: i.ID, Gate: i.Gate, Reason: i.Reason, Wake: i.NotBefore, At: l.now})
		return wrap(err, "wake %s", i.Name())
	default:
		return nil
	}
	job, err := l.e.defs.version(l.tx, i.Version)
	if err != nil {
		return ignoreInvalid(err)
	}
	waits, err := l.tx.Waits(i.ID)
	if err != nil || len(waits) == 0 {
		return wrap(err, "read what %s waits for", i.Name())
	}
	revision, err := l.tx.Revision()
	if err != nil {
		return err
	}
	b := &binding{View: l.tx, planner: l.planner, row: l.row, revision: revision, i: i, job: job}
	_, err = b.write(l.tx, waits, l.now)
	return err
}

// replan plans anew, up to where it was planned, what a change touches: the job itself and the jobs that wait for it.
func (l *loading) replan() error {
	touched, affected := map[JobRef]bool{}, map[JobRef]bool{}
	for _, ref := range l.touched {
		touched[ref], affected[ref] = true, true
	}
	for _, j := range l.planner.Jobs() {
		if slices.ContainsFunc(j.DependsOn, func(d Dependency) bool { return touched[d.Job] }) {
			affected[j.Ref()] = true
		}
	}
	if len(affected) == 0 {
		return nil
	}
	windows := map[JobRef]window{}
	before := map[JobRef][]time.Time{}
	for i := range l.definitions {
		d := &l.definitions[i]
		if affected[d.row.Ref] && len(l.orders) > 0 {
			if err := l.dropAhead(d.row); err != nil {
				return err
			}
		}
		if !affected[d.row.Ref] || !d.row.PlannedTo.After(l.now) {
			continue
		}
		if slices.Contains(l.rezoned, d.row.Ref) {
			times, err := unlooked(l.tx, d.row.ID, l.now)
			if err != nil {
				return fmt.Errorf("list the plan of %s: %w", d.row.Ref, err)
			}
			before[d.row.Ref] = times
		}
		n, err := l.tx.DeleteUnstarted(d.row.ID, l.now)
		if err != nil {
			return fmt.Errorf("plan %s anew: %w", d.row.Ref, err)
		}
		l.report.Replaced += n
		if d.active() && !fault.Planted(fault.EditLosesRows) {
			windows[d.row.Ref] = window{l.now, d.row.PlannedTo}
			if fault.Planted(fault.EditFiresPast) {
				windows[d.row.Ref] = window{l.now.AddDate(0, 0, -1), d.row.PlannedTo}
			}
		}
	}
	if len(windows) > 0 {
		plan, err := l.inForce(windows).Plan(func(j *Job) (time.Time, time.Time) {
			w := windows[j.Ref()]
			return w.from, w.to
		})
		if err != nil {
			return err
		}
		first, err := l.tx.Reserve(max(1, plan.Instances()))
		if err != nil {
			return err
		}
		ids := func(ref JobRef) (int64, int64) { return l.rows[ref].ID, l.rows[ref].Version }
		if l.report.Planned, err = insertWatched(l.tx, &plan, plan.Rows(first, ids)); err != nil {
			return fmt.Errorf("insert the new plan: %w", err)
		}
		for i := range plan.Jobs {
			p := &plan.Jobs[i]
			if !slices.Contains(l.rezoned, p.Job.Ref()) {
				continue
			}
			d := definition{row: l.rows[p.Job.Ref()], job: p.Job}
			if err := l.recordRezoned(&d, before[p.Job.Ref()], p.Times); err != nil {
				return fmt.Errorf("record what the new rules of a zone change: %w", err)
			}
		}
	}
	for _, ref := range l.touched {
		if err := l.tx.WakeDependents(l.rows[ref].ID); err != nil {
			return fmt.Errorf("wake what waits for %s: %w", ref, err)
		}
	}
	return l.bindTouched(affected)
}
