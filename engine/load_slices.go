package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/almanac-sched/almanac/recurrence"
)

// OperateLoad is the operation that a load of many jobs is: one small commit takes it down with the
// list of what it does to which job, and makes it real. From then on nothing of these jobs starts, and
// nothing is planned, until each of them is as the load says: they are put, removed and planned anew
// some at a time, in an order in which no definition waits for a job that is not there. Then what was
// held so, and what waits for these jobs, is let be looked at. A process that dies between two of
// these commits leaves a load that is gone on with, by another server or the next one.
const OperateLoad Operation = "load"

// thinAhead is how far ahead of a load in slices it leaves a plan, so that nothing is due meanwhile
// that is not planned. The loop plans from there on after it.
const thinAhead = 10 * time.Minute

// itemsAtOnce is how many jobs a slice takes at most, whatever the time says.
const itemsAtOnce = 80

// loadedByNobody is the actor of a load that no person asked for.
const loadedByNobody = "load"

// loadUnderWay reports whether a load in slices is not through.
func loadUnderWay(v View) (bool, error) {
	rows, err := v.OpenOperations()
	return slices.ContainsFunc(rows, func(row OperationRow) bool {
		return row.Order.Operation == OperateLoad && row.Stage == OperationChanging
	}), wrap(err, "list the operations under way")
}

// endLoads carries on with the loads that are not through, until all are: each load begins with the
// definitions of the one before it.
func (e *Engine) endLoads(ctx context.Context, now time.Time) error {
	for {
		open := false
		err := e.cfg.Store.Read(ctx, func(v View) (err error) {
			open, err = loadUnderWay(v)
			return err
		})
		if err != nil || !open {
			return err
		}
		if _, err := e.carryOn(ctx, now); err != nil {
			return err
		}
	}
}

// loadInSlices takes a load down that changes much, and carries it out. When ctx or the store ends
// this before its end, Bulk goes on with it.
func (e *Engine) loadInSlices(ctx context.Context, p *prepared) (LoadReport, error) {
	if err := p.name(withoutOnce(ctx)); err != nil {
		return LoadReport{}, err
	}
	p.order()
	list := &loadList{items: p.items}
	if err := e.checkItems(list, p.now); err != nil {
		return LoadReport{}, err
	}
	text, err := encodeItems(p.items)
	if err != nil {
		return LoadReport{}, err
	}
	row := OperationRow{
		Stage: OperationChanging, Total: len(p.items), Digest: digestOf(text), At: p.now,
		Actor: cmp.Or(p.actor(), loadedByNobody),
		Order: OperationOrder{Operation: OperateLoad, Note: p.note()},
	}
	err = e.cfg.Store.Write(ctx, func(tx Tx) (err error) {
		if err := p.stands(tx); err != nil {
			return err
		}
		l := e.loadingOf(tx, p.actor(), p.now)
		if err := l.recordLoad(&p.report, p.note()); err != nil {
			return err
		}
		if err := l.cancelDropped(p); err != nil {
			return err
		}
		if row.ID, err = tx.Reserve(1); err != nil {
			return err
		}
		return tx.BeginOperation(row, text)
	})
	if err != nil {
		return LoadReport{}, err
	}
	e.bulk.remember(row.Digest, list)
	for row.EndedAt.IsZero() {
		if _, err := e.carryOn(ctx, p.now); err != nil {
			return LoadReport{}, fmt.Errorf("the load is taken down, and goes on beside: %w", err)
		}
		if row, err = e.FindOperation(ctx, row.ID); err != nil {
			return LoadReport{}, err
		}
	}
	r, out := &p.report, &row.Outcome
	r.Replaced, r.Later, r.Planned = out.Replaced, out.Later, out.Planned
	return *r, nil
}

// name gives the new jobs their ids, in the order in which they were given. Ids that are not used in
// the end are lost.
func (p *prepared) name(ctx context.Context) error {
	var fresh []*loadItem
	for n := range p.items {
		if x := &p.items[n]; x.Job == 0 {
			fresh = append(fresh, x)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	first := int64(0)
	err := p.e.cfg.Store.Write(ctx, func(tx Tx) (err error) {
		first, err = tx.Reserve(len(fresh))
		return err
	})
	for n, x := range fresh {
		x.Job = first + int64(n)
	}
	return wrap(err, "reserve the ids of new jobs")
}

// cancelDropped has cancelled what is due and goes with its job as reviewed. It is held until then.
func (l *loading) cancelDropped(p *prepared) error {
	var targets []target
	removed := map[int64]bool{}
	for n := range p.items {
		removed[p.items[n].Job] = p.items[n].Remove
	}
	for _, code := range []ReasonCode{ReasonRemoved, ReasonDisabled} {
		targets = targets[:0]
		for _, job := range slices.Sorted(maps.Keys(p.dropped)) {
			if removed[job] != (code == ReasonRemoved) {
				continue
			}
			for _, id := range p.dropped[job] {
				targets = append(targets, target{id: id})
			}
		}
		if len(targets) == 0 {
			continue
		}
		if err := l.cancelTargets(targets, Reason{Code: code, Actor: l.actor}); err != nil {
			return err
		}
	}
	return nil
}

// A loadList is the list of a load, decoded.
type loadList struct {
	items []loadItem

	once    sync.Once
	planner *Planner // of the jobs that it puts
	err     error
}

// compile decodes the definitions of a list and compiles when they are due. A definition that this
// program cannot read has no job.
func (t *loadList) compile(e *Engine, at time.Time) (*Planner, error) {
	t.once.Do(func() {
		var jobs []*Job
		for n := range t.items {
			x := &t.items[n]
			if x.Put != nil && x.job == nil {
				text := []byte(x.Put.Definition)
				if job, err := e.cfg.Decode(text, x.Put.Folder); err == nil {
					kept := *job
					kept.Definition, kept.Disabled = text, x.Put.Disabled
					x.job = &kept
				}
			}
			if x.job != nil {
				jobs = append(jobs, x.job)
			}
		}
		t.planner, t.err = new(Planner).With(jobs, nil, func(j *Job) recurrence.Origin {
			if row, known := e.defs.row(j.Ref()); known {
				return row.Origin()
			}
			return recurrence.Created(at)
		})
	})
	return t.planner, t.err
}

// base is a planner of what is in force with what the load is yet to put, from an item on: what waits
// for a job that comes later is bound to what that will be, and again when it is put.
func (t *loadList) base(e *Engine, from int, at time.Time) (*Planner, error) {
	put, err := t.compile(e, at)
	if err != nil {
		return nil, err
	}
	base := e.defs.plan()
	if base == nil {
		base = new(Planner)
	}
	done := make(map[JobRef]bool, from)
	for n := range t.items[:from] {
		done[t.items[n].Ref] = true
	}
	return base.merge(put, func(ref JobRef) bool { return !done[ref] }), nil
}

// checkItems finds out before a load is taken down whether all of it can be planned.
func (e *Engine) checkItems(t *loadList, now time.Time) error {
	planner, err := t.base(e, 0, now)
	if err != nil {
		return err
	}
	for n := range t.items {
		x := &t.items[n]
		if x.job == nil {
			continue
		}
		for k := range x.job.DependsOn {
			if _, err := planner.Reach(x.Ref, x.job.DependsOn[k].Job); err != nil {
				return err
			}
		}
	}
	return nil
}

// loadSlice carries on with a load in a transaction, as far as one may go.
func (e *Engine) loadSlice(
	tx Tx, row *OperationRow, t *loadList, base *Planner, now time.Time,
) (*loading, error) {
	actor := row.Actor
	if actor == loadedByNobody {
		actor = ""
	}
	l := e.loadingOf(tx, actor, row.At)
	if row.Stage == OperationWaking {
		return l, l.wakeSlice(row, t.items, now)
	}
	l.until = row.At.Add(thinAhead)
	n, err := l.carry(t.items[row.Done:], base)
	if err != nil {
		return l, err
	}
	if row.Outcome.Counts == nil {
		row.Outcome.Counts = map[Effect]int{}
	}
	for k := range t.items[row.Done : row.Done+n] {
		x := &t.items[row.Done+k]
		if x.Put != nil && x.job == nil {
			row.Outcome.movedOn(Refusal{
				Instance: x.Ref.String(), Why: "its definition cannot be read by this program",
			})
			continue
		}
		row.Outcome.Counts[EffectChanged]++
	}
	row.Done += n
	out := &row.Outcome
	out.Replaced, out.Later = out.Replaced+l.report.Replaced, out.Later+l.report.Later
	out.Planned += l.report.Planned
	if row.Done == row.Total {
		row.Stage, row.Done = OperationWaking, 0
	}
	return l, tx.SetOperation(*row)
}

// full reports whether a slice of a load has taken as many jobs as one may.
func (l *loading) full(taken int) bool {
	if l.until.IsZero() || taken == 0 {
		return false
	}
	most, rows := itemsAtOnce, thinFrom
	if l.e.cfg.AtOnce > 0 {
		most, rows = l.e.cfg.AtOnce, l.e.cfg.AtOnce
	}
	return taken >= most || l.report.Replaced >= rows || l.tx.Full()
}

// endLoad is the last commit of a load.
func (l *loading) endLoad(row *OperationRow, now time.Time) error {
	row.Stage, row.EndedAt, row.Outcome.Wake = OperationEnded, now, WakeMark{}
	detail := fmt.Sprintf("load of %s, operation %d, is through", plural(row.Total, "job"), row.ID)
	return l.tx.Record(EventRow{
		At: now, Kind: "operation", Actor: row.Actor,
		Reason: Reason{Code: ReasonPerson, Actor: row.Actor, Detail: detail},
	})
}

// carryLoad is carryOn of a load.
func (e *Engine) carryLoad(
	ctx context.Context, row *OperationRow, t *loadList, revision int64, now time.Time,
) error {
	var base *Planner
	var err error
	if row.Stage == OperationChanging {
		if base, err = t.base(e, row.Done, row.At); err != nil {
			return err
		}
	}
	var l *loading
	err = e.cfg.Store.Write(ctx, func(tx Tx) error {
		if current, err := tx.Revision(); err != nil || current != revision {
			return cmp.Or(err, errStale)
		}
		is, err := tx.Operation(row.ID)
		if err != nil || is.Stage != row.Stage || is.Done != row.Done || is.Outcome.Wake != row.Outcome.Wake {
			return errors.Join(ignoreMissing(err), errMoved) // another has gone on
		}
		now, err := e.viewTime(tx, now)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		is.Outcome = is.Outcome.clone()
		l, err = e.loadSlice(tx, &is, t, base, now.Truncate(time.Millisecond))
		return err
	})
	if err != nil {
		return err
	}
	return l.publish(ctx) // which wakes the loop: planning may go on
}
