package engine

import (
	"cmp"
	"fmt"
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

// goes lists what of a job that goes is cancelled: what is to come, and what is due as reviewed. An
// edit takes all.
func (l *loading) goes(row JobRow) (list []Instance, err error) {
	if l.source != "" {
		return l.tx.Waiting(row.ID)
	}
	for _, id := range l.dropped[row.ID] {
		i, err := l.tx.Instance(id)
		if err == nil && i.State == Waiting {
			list = append(list, i)
		}
		if ignoreMissing(err) != nil {
			return nil, err
		}
	}
	ahead, err := l.tx.Range(RangeQuery{Job: row.ID, From: l.now, To: AfterAll, Limit: mostOverrides})
	for n := range ahead {
		if i := &ahead[n]; i.Kind == Scheduled && i.State == Waiting {
			list = append(list, *i)
		}
	}
	return list, err
}

// cancelLater has what is too much for one transaction cancelled by an operation, which holds it until then.
func (l *loading) cancelLater(list []Instance, reason Reason) error {
	targets := make([]target, len(list))
	for n := range list {
		targets[n] = target{id: list[n].ID}
	}
	return l.cancelTargets(targets, reason)
}

func (l *loading) cancelTargets(targets []target, reason Reason) error {
	id, err := l.tx.Reserve(1)
	if err != nil {
		return err
	}
	text := encodeTargets(targets)
	row := OperationRow{
		ID: id, Stage: OperationChanging, Total: len(targets), Digest: digestOf(text), Actor: cmp.Or(reason.Actor, "load"), At: l.now,
		Order: OperationOrder{Operation: OperateCancel, Code: reason.Code},
	}
	return wrap(l.tx.BeginOperation(row, text), "have %s cancelled", plural(len(targets), "instance"))
}
