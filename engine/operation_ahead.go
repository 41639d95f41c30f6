package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/recurrence"
)

// mostAhead is how many instances one operation may write down ahead of the day that they are planned with.
const mostAhead = 2000

// aheadOperations are those that can be done to an instance which is not planned yet: it is written down then.
var aheadOperations = []Operation{OperateForce, OperateSkip, OperateFreeze, OperateUnfreeze, OperateCancel, OperateConfirm, OperateRunNow, OperateBoost, OperateReschedule}

// without reports whether the instance stands for an order whose due time no definition has: it is not written down.
func (i *Instance) without() bool { return i.ID == 0 && i.Gate == "" }

// unplannedIn lists the due times of a job in [from, to) that are not recorded, as instances without an id.
func (x *selection) unplannedIn(j *selectedJob, from, to time.Time, recorded []Instance) (list []Instance, err error) {
	d := x.defs.lookup(j.row.Ref)
	if !x.ahead || to.IsZero() || d == nil || !d.active() {
		return nil, nil
	}
	timetable := x.defs.plan().Timetable(j.row.Ref)
	known := map[int64]bool{}
	for n := range recorded {
		if recorded[n].Job == j.row.ID && recorded[n].Key == "" {
			known[recorded[n].PlanTime.UnixMilli()] = true
		}
	}
	begin := latest(latest(from, j.row.PlannedTo), x.now)
	for at, due := timetable.Next(begin.Add(-time.Millisecond)); due && at.Before(to); at, due = timetable.Next(at) {
		if known[at.UnixMilli()] {
			continue
		}
		if len(list) == mostAhead {
			return nil, fmt.Errorf("%w: more than %d instances of %s are not planned yet; name fewer days or jobs", ErrInvalid, mostAhead, j.row.Ref)
		}
		list = append(list, d.unplanned(at, timetable.DryRun(at)))
	}
	return list, nil
}

// unplanned is an instance as the planner would write it, without an id and what it waits for.
func (d *definition) unplanned(at time.Time, dryRun bool) Instance {
	at = at.In(d.job.When.Location)
	return Instance{
		Job: d.row.ID, Ref: d.row.Ref, Version: d.row.Version, Kind: Scheduled, PlanTime: at, State: Waiting, Gate: GateTime,
		Reason: Reason{Code: ReasonPlanned}, DryRun: dryRun, NotBefore: at.Add(d.job.spreadOffset()), Priority: d.job.Priority, Pool: d.job.Pool,
	}
}

// unplannedAt finds the due time of that name, or an order for one that is gone; false when there is neither.
func (x *selection) unplannedAt(row JobRow, at time.Time) (i Instance, found bool, err error) {
	d := x.defs.lookup(row.Ref)
	if !x.ahead || d == nil {
		return i, false, nil
	}
	if timetable := x.defs.plan().Timetable(row.Ref); d.active() && timetable != nil && !at.Before(x.now) {
		if next, due := timetable.Next(at.Add(-time.Millisecond)); due && next.Equal(at) {
			return d.unplanned(at, timetable.DryRun(at)), true, nil
		}
	}
	list, err := x.v.Overrides(row.ID, at, at.Add(time.Millisecond), 1)
	if err != nil || len(list) == 0 {
		return i, false, err
	}
	i = d.unplanned(at, false)
	i.Gate = ""
	list[0].obey(&i)
	return i, true, nil
}

// writeAhead writes down those of the chosen instances that are not planned yet, with what they wait for, and gives them their ids.
func (o *operating) writeAhead(tx Tx) error {
	if !slices.Contains(aheadOperations, o.Operation) {
		return nil // it is refused
	}
	var fresh []*Instance
	for n := range o.chosen {
		if i := &o.chosen[n]; i.ID == 0 && !i.without() {
			fresh = append(fresh, i)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	if len(fresh) > mostAhead {
		return fmt.Errorf("%w: %d of the instances are not planned yet; at most %d are written down at once; name fewer days or jobs", ErrInvalid, len(fresh), mostAhead)
	}
	first, err := tx.Reserve(len(fresh))
	if err != nil {
		return err
	}
	planner := o.defs.plan()
	for n, i := range fresh {
		row, waits, err := planner.Instance(i.Ref, i.PlanTime, o.rowIDs)
		if err != nil {
			return fmt.Errorf("plan %s ahead: %w", i.Name(), err)
		}
		row.ID = first + int64(n)
		for w := range waits {
			waits[w].Instance = row.ID
		}
		if err := insertOne(tx, &row, waits); err != nil {
			return fmt.Errorf("write %s down ahead: %w", i.Name(), err)
		}
		*i = row
	}
	return nil
}

// insertOne inserts one planned instance with its waits.
func insertOne(tx Tx, i *Instance, waits []Wait) error {
	n, err := tx.InsertInstances(func(yield func(*Instance, []Wait) bool) { yield(i, waits) })
	return errors.Join(err, unless(err != nil || n == 1, errStale))
}

// isAhead reports whether what is ordered of the instance is an order ahead, which the planner obeys again whenever it plans the instance anew: its time has
// not come, nothing has looked at it, and nobody has touched it.
func (o *operating) isAhead(i *Instance) bool {
	if i.without() {
		return true
	}
	return i.State == Waiting && i.Kind == Scheduled && i.Gate == GateTime && !i.Touched && i.Confirmed == "" && i.PlanTime.After(o.now)
}

// order changes what is ordered of an instance ahead of its time.
func (o *operating) order(i *Instance, kind, text string, change func(order *OverrideRow, planned *Instance)) error {
	version := i.Version
	job, err := o.defs.version(o.v, version)
	if err != nil {
		return fmt.Errorf("read the version of %s: %w", i.Name(), err)
	}
	planned := Instance{Priority: job.Priority, PlanTime: i.PlanTime, NotBefore: i.PlanTime.Add(job.spreadOffset())}
	list, err := o.v.Overrides(i.Job, i.PlanTime, i.PlanTime.Add(time.Millisecond), 1)
	if err != nil {
		return fmt.Errorf("read what is ordered of %s: %w", i.Name(), err)
	}
	row := OverrideRow{Job: i.Job, PlanTime: i.PlanTime}
	if len(list) > 0 {
		row = list[0]
	}
	change(&row, &planned)
	row.Actor, row.Note, row.At = o.actor(), o.Note, o.now
	o.add(act{instance: *i, effect: EffectChanged, to: i.State, text: text, do: func(tx Tx, i *Instance) (bool, error) {
		if err := tx.PutOverride(row); err != nil {
			return false, err
		}
		detail := text
		if kind == string(OperateFreeze) || kind == string(OperateUnfreeze) {
			detail = "" // the kind of the event says it
		}
		reason := o.reason(detail)
		at := i.PlanTime
		reason.At = &at
		event := EventRow{At: o.now, Kind: kind, Job: i.Job, Instance: i.ID, Reason: reason, Actor: reason.Actor}
		if err := tx.Record(event); err != nil || i.without() {
			return err == nil, err
		}
		row.obey(&planned)
		return tx.SetOverride(i.ID, planned.Frozen, planned.Priority, planned.NotBefore)
	}})
	return nil
}

// reschedule decides when an instance starts at the earliest, in the place of its plan time, which stays.
func (o *operating) reschedule(i *Instance) error {
	job, err := o.defs.version(o.v, i.Version)
	if err != nil {
		return fmt.Errorf("read the version of %s: %w", i.Name(), err)
	}
	to := i.PlanTime.Add(job.spreadOffset())
	text := "starts at its plan time"
	if NamesDay(o.Options.To) {
		day, err := ReadDay(o.Options.To, o.now, job.When.Location)
		if err != nil {
			return fmt.Errorf("%w: the option to: %w", ErrInvalid, err)
		}
		o.Options.To = recurrence.DayStart(day, job.When.Location).Format(time.RFC3339)
	}
	if o.Options.To != rescheduleBack {
		if to, err = readInstant(o.Options.To, job.When.Location); err != nil {
			return fmt.Errorf("%w: the option to: %w", ErrInvalid, err)
		}
		to = to.Truncate(time.Millisecond)
		if to.Before(o.now) {
			o.refuse(i, "the time "+to.Format(time.RFC3339)+" has passed", "run-now lets it run at once")
			return nil
		}
		text = "starts from " + to.In(job.When.Location).Format(time.RFC3339) + " on, instead of " + i.NotBefore.Format(time.RFC3339)
	}
	if i.NotBefore.Equal(to) {
		o.list(i, EffectUnchanged, i.State, "it starts from "+to.In(job.When.Location).Format(time.RFC3339)+" on already")
		return nil
	}
	if o.isAhead(i) {
		return o.order(i, "reschedule", text, func(order *OverrideRow, planned *Instance) {
			if order.NotBefore = to; to.Equal(planned.NotBefore) {
				order.NotBefore = time.Time{}
			}
		})
	}
	o.add(act{instance: *i, effect: EffectChanged, to: i.State, text: text, do: func(tx Tx, i *Instance) (bool, error) {
		return tx.SetNotBefore(i.ID, to, o.reason(text), o.now)
	}})
	return nil
}

// rescheduleBack is the time that takes a reschedule back.
const rescheduleBack = "plan"

// refusesAhead refuses what cannot be done to an instance that is not planned yet, or to an order whose due
// time is gone.
func (o *operating) refusesAhead(i *Instance) bool {
	if i.ID == 0 && !slices.Contains(aheadOperations, o.Operation) {
		words := make([]string, len(aheadOperations))
		for n, op := range aheadOperations {
			words[n] = string(op)
		}
		o.refuse(i, "it is not planned yet, so that what it waits for can still change", "once it is planned it takes "+string(o.Operation)+
			"; ahead of that it takes "+strings.Join(words, ", "))
		return true
	}
	taken := []Operation{OperateUnfreeze, OperateFreeze, OperateBoost, OperateReschedule}
	if !i.without() || slices.Contains(taken, o.Operation) {
		return false
	}
	o.refuse(i, "no definition has this due time any more; only an order for it is kept", "unfreeze, boost or reschedule --to plan take the order back")
	return true
}

// MostOrders is how many orders ahead are listed at once.
const MostOrders = 10_000

// Orders lists what is ordered ahead of the instances whose time is to come, by plan time, at most MostOrders.
func (e *Engine) Orders(ctx context.Context, now time.Time) (list []Order, err error) {
	err = e.cfg.Store.Read(ctx, func(v View) error {
		now, err := e.viewTime(v, now)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		list, err = ordersOf(v, now, MostOrders)
		return err
	})
	return list, wrap(err, "list what is ordered ahead")
}
