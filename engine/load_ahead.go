package engine

import (
	"fmt"
	"time"
)

// An ordered is what was ordered of one due time before a load.
type ordered struct {
	override OverrideRow
	ref      JobRef
	instance bool // it had one
}

// readOrders reads what is ordered ahead of a job, before the load takes its plan away.
func (l *loading) readOrders(row JobRow) error {
	list, err := l.tx.Overrides(row.ID, l.now, time.Time{}, mostOverrides)
	if err != nil {
		return fmt.Errorf("read what is ordered ahead of %s: %w", row.Ref, err)
	}
	for n := range list {
		_, err := l.tx.Find(list[n].Job, "", list[n].PlanTime)
		if err != nil && !isNotFound(err) {
			return fmt.Errorf("look for what is ordered ahead: %w", err)
		}
		l.orders = append(l.orders, ordered{list[n], row.Ref, err == nil})
	}
	return nil
}

// obeyOrders writes down ahead what the load has taken away of what was ordered beyond the plan, and tells the orders whose due time is gone. They are kept:
// another load may bring the due time back.
func (l *loading) obeyOrders() error {
	for n := range l.orders {
		o := &l.orders[n]
		_, err := l.tx.Find(o.override.Job, "", o.override.PlanTime)
		if err == nil {
			continue
		}
		if !isNotFound(err) {
			return fmt.Errorf("look for what is ordered ahead: %w", err)
		}
		written, err := l.writeOrdered(o)
		if err != nil {
			return err
		}
		if written || !o.instance {
			continue
		}
		l.report.Without = append(l.report.Without, DiffInstance{o.ref, o.override.PlanTime})
		at := o.override.PlanTime
		detail := fmt.Sprintf("no definition is due then any more: the order of %s is kept without an instance (%s)", o.override.Actor, o.override.Text())
		event := EventRow{At: l.now, Kind: "override", Job: o.override.Job, Actor: l.actor, Reason: Reason{Code: ReasonPerson, At: &at, Detail: detail}}
		if err := l.tx.Record(event); err != nil {
			return fmt.Errorf("record that an order of %s is without an instance: %w", o.ref, err)
		}
	}
	return nil
}

// writeOrdered writes an ordered instance down that lies beyond the plan of its job.
func (l *loading) writeOrdered(o *ordered) (bool, error) {
	row, known := l.rows[o.ref]
	if !known || row.Removed || row.Disabled || o.override.PlanTime.Before(row.PlannedTo) {
		return false, nil
	}
	timetable := l.planner.Timetable(o.ref)
	if timetable == nil {
		return false, nil
	}
	at := o.override.PlanTime
	if next, due := timetable.Next(at.Add(-time.Millisecond)); !due || !next.Equal(at) {
		return false, nil
	}
	i, waits, err := l.planner.Instance(o.ref, at, l.ids)
	if err != nil {
		return false, fmt.Errorf("plan %s@%s ahead: %w", o.ref, at.Format(time.RFC3339), err)
	}
	if i.ID, err = l.tx.Reserve(1); err != nil {
		return false, err
	}
	for n := range waits {
		waits[n].Instance = i.ID
	}
	o.override.obey(&i)
	return true, wrap(insertOne(l.tx, &i, waits), "write %s down ahead", i.Name())
}

// dropAhead takes away what is written down of a job beyond its plan, so that it is written anew: its waits and its version are of the definition before.
func (l *loading) dropAhead(row JobRow) error {
	_, err := l.tx.DeleteUnstarted(row.ID, latest(l.now, row.PlannedTo))
	return wrap(err, "write what is ordered ahead of %s anew", row.Ref)
}
