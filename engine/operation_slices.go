package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
)

// changedAtOnce is how many instances an operation changes, or looks at, in one transaction; one of
// more is carried out in many.
const changedAtOnce = 300

func (e *Engine) atOnce() int {
	switch {
	case e.cfg.Closed:
		return math.MaxInt // nobody would carry it on
	case e.cfg.AtOnce > 0:
		return e.cfg.AtOnce
	}
	return changedAtOnce
}

// begin takes an operation down that was decided on a look at the rows, by one small commit.
func (o *operating) begin(ctx context.Context, revision int64) error {
	targets := make([]target, len(o.steps))
	for n := range o.steps {
		i := &o.steps[n].instance
		targets[n] = target{id: i.ID, upstream: o.steps[n].upstream, job: i.Job, at: i.PlanTime}
	}
	text := encodeTargets(targets)
	row := OperationRow{
		Stage: OperationChanging, Total: len(targets), Digest: digestOf(text), Actor: o.actor(), At: o.now,
		Order: OperationOrder{Operation: o.Operation, Selector: o.Selector, Options: o.Options, Note: o.Note},
	}
	err := o.cfg.Store.Write(ctx, func(tx Tx) (err error) {
		if current, err := tx.Revision(); err != nil || current != revision {
			return errors.Join(err, unless(current == revision, errStale))
		}
		if row.ID, err = tx.Reserve(1); err != nil {
			return err
		}
		if err := tx.BeginOperation(row, text); err != nil {
			return err
		}
		detail := fmt.Sprintf("%s of %s begins, as operation %d", o.Operation, plural(row.Total, "instance"), row.ID)
		return tx.Record(EventRow{At: o.now, Kind: "operation", Reason: o.reason(detail), Actor: row.Actor})
	})
	if err != nil {
		return fmt.Errorf("take the operation down: %w", err)
	}
	o.row = &row
	o.bulk.nudge()
	return nil
}

// carryOn carries on with the operation under way that was asked for first, by one short write
// transaction; more says that there is more to do at once. It is a part of Bulk.
func (e *Engine) carryOn(ctx context.Context, now time.Time) (more bool, err error) {
	var row OperationRow
	var targets *targetList
	revision := e.defs.at()
	err = e.cfg.Store.Read(ctx, func(v View) error {
		rows, err := v.OpenOperations()
		if err != nil || len(rows) == 0 {
			return err
		}
		row = rows[0]
		if n := slices.IndexFunc(rows, isOfLoad); n >= 0 {
			row = rows[n] // it holds whole jobs
		}
		targets, err = e.bulk.targets(v, &row)
		return err
	})
	if err != nil {
		return false, wrap(err, "look for operations under way")
	}
	if targets == nil {
		e.bulk.forget()
		return false, nil
	}
	var s *operationSlice
	mine := false
	if targets.load != nil {
		mine, err = true, e.carryLoad(ctx, &row, targets.load, revision, now)
	} else {
		s, mine, err = e.carrySlice(ctx, &row, targets.list, revision, now)
	}
	switch {
	case errors.Is(err, errStale):
		return true, e.relearn(ctx)
	case errors.Is(err, errMoved):
		return true, nil
	case err != nil:
		if errors.Is(err, ErrUnavailable) {
			e.inbox.doubt() // the rows may say that something is being cancelled
		}
		return false, fmt.Errorf("carry on with operation %d: %w", row.ID, err)
	case !mine:
		return false, nil
	}
	if s != nil {
		s.o.publish()
	}
	return true, nil
}

func isOfLoad(row OperationRow) bool { return row.Order.Operation == OperateLoad }

// carrySlice is carryOn of an operation on instances.
func (e *Engine) carrySlice(
	ctx context.Context, row *OperationRow, list []target, revision int64, now time.Time,
) (s *operationSlice, mine bool, err error) {
	err = e.cfg.Store.Write(ctx, func(tx Tx) error {
		s = nil
		if mine, err = e.leaseBulk(tx); err != nil || !mine {
			return err
		}
		if current, err := tx.Revision(); err != nil || current != revision {
			return errors.Join(err, unless(current == revision, errStale))
		}
		is, err := tx.Operation(row.ID)
		if err != nil || is.Stage != row.Stage || is.Done != row.Done {
			return errors.Join(ignoreMissing(err), errMoved) // another server has gone on
		}
		now, err := e.viewTime(tx, now)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		s = &operationSlice{tx: tx, row: is, list: list}
		s.row.Outcome = is.Outcome.clone()
		s.o = &operating{
			Engine: e, OperationRequest: is.request(), v: tx, tx: tx, now: now.Truncate(time.Millisecond), code: is.Order.Code,
		}
		return s.write()
	})
	return s, mine, err
}

// An operationSlice is a part of an operation, in its transaction.
type operationSlice struct {
	tx   Tx
	o    *operating
	row  OperationRow
	list []target
}

// write does as much of the operation as the transaction has time for.
func (s *operationSlice) write() error {
	do := s.change
	if s.row.Stage == OperationWaking {
		do = s.wake
	}
	for n := 0; s.row.Done < s.row.Total && (n == 0 || n < changedAtOnce && !s.tx.Full()); n++ {
		if err := do(&s.list[s.row.Done]); err != nil {
			return err
		}
		s.row.Done++
	}
	if s.row.Done == s.row.Total {
		if err := s.conclude(); err != nil {
			return err
		}
	}
	return s.tx.SetOperation(s.row)
}

// conclude goes on to the next stage.
func (s *operationSlice) conclude() error {
	if s.row.Stage == OperationChanging {
		s.row.Stage, s.row.Done = OperationWaking, 0
		return nil
	}
	s.row.Stage, s.row.EndedAt = OperationEnded, s.o.now
	out := &s.row.Outcome
	detail := fmt.Sprintf("%s of %s, operation %d: %d changed", s.o.Operation, plural(s.row.Total, "instance"), s.row.ID,
		out.Counts[EffectChanged]+out.Counts[EffectReopened])
	if out.MovedOn > 0 {
		detail += fmt.Sprintf(", %d had moved on", out.MovedOn)
	}
	event := EventRow{At: s.o.now, Kind: "operation", Reason: s.o.reason(detail), Actor: s.row.Actor}
	return wrap(s.tx.Record(event), "record the operation")
}

// change decides anew on one instance of the list, by the rule of the operation, and carries that
// out. What does not allow it any more is left as it is, and counted.
func (s *operationSlice) change(t *target) error {
	o := s.o
	if fault.Planted(fault.OperationSkips) && s.row.Done == s.row.Total-1 {
		return nil
	}
	i, there, err := o.again(t.id, t.job, t.at)
	if err != nil {
		return err
	}
	if !there {
		s.row.Outcome.movedOn(Refusal{Instance: fmt.Sprintf("instance %d", t.id), Why: "it is not there any more"})
		return nil
	}
	if i.ID == 0 && !i.without() {
		if err := s.decide(t, &i); err != nil {
			return err
		}
		if len(o.refusals) == 0 { // it allows it: it is written down for it
			o.chosen = []Instance{i}
			if err := o.writeAhead(s.tx); err != nil {
				return err
			}
			i = o.chosen[0]
		}
	}
	if err := s.decide(t, &i); err != nil {
		return err
	}
	if len(o.refusals) > 0 {
		s.row.Outcome.movedOn(o.refusals[0])
		return nil
	}
	for n := range o.changes {
		s.row.Outcome.Counts[o.changes[n].Effect]++
	}
	return o.doSteps(s.tx)
}

// decide finds out what the operation does to one instance.
func (s *operationSlice) decide(t *target, i *Instance) (err error) {
	o := s.o
	o.steps, o.refusals, o.changes, o.seen = nil, nil, nil, map[int64]bool{i.ID: true}
	if t.upstream == 0 {
		err = o.rule(i)
	} else {
		up, upErr := o.v.Instance(t.upstream)
		if upErr != nil && !isNotFound(upErr) {
			return upErr
		}
		if up.ID = t.upstream; upErr != nil {
			up.Ref, up.PlanTime = i.Ref, i.PlanTime
		}
		err = o.downstream(i, &up)
	}
	if errors.Is(err, ErrInvalid) || errors.Is(err, ErrNotFound) || errors.Is(err, ErrConflict) {
		o.refuse(i, err.Error(), "")
		return nil
	}
	return err
}

// wake lets be looked at what was held because the operation was under way.
func (s *operationSlice) wake(t *target) error {
	if t.id == 0 {
		return nil // its time has not come
	}
	i, err := s.tx.Instance(t.id)
	if isNotFound(err) || err == nil && (i.State != Waiting || i.Reason.Code != ReasonOperation) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = s.tx.Hold(Hold{Instance: i.ID, Gate: i.Gate, Reason: i.Reason, Wake: s.o.now, At: s.o.now})
	return wrap(err, "wake %s", i.Name())
}

// again finds a chosen instance in the rows as they are; false when it is not there any more.
func (o *operating) again(id, job int64, at time.Time) (i Instance, found bool, err error) {
	if id != 0 {
		i, err = o.v.Instance(id)
		return i, err == nil, ignoreMissing(err)
	}
	if i, err = o.v.Find(job, "", at); err == nil || !isNotFound(err) {
		return i, err == nil, err
	}
	if o.jobs == nil {
		rows, err := o.v.Jobs()
		if err != nil {
			return i, false, fmt.Errorf("list the jobs: %w", err)
		}
		o.jobs = make(map[int64]JobRow, len(rows))
		for _, row := range rows {
			o.jobs[row.ID] = row
		}
	}
	x := &selection{Engine: o.Engine, v: o.v, now: o.now, ahead: o.defs.plan() != nil}
	return x.unplannedAt(o.jobs[job], at)
}

// operationLook is how long an instance is not looked at that an operation under way has on its
// list, although nobody wakes it.
const operationLook = time.Minute

// judgeOperation is the part of the gate of the plan time that operations have: what is on the list
// of one under way does not start, nor end by itself, before that is through.
func judgeOperation(now time.Time, s *Situation) Verdict {
	if s.Operation == nil || fault.Planted(fault.OperationUnheld) {
		return open
	}
	i := s.Instance
	v := Verdict{
		Gate: GateFrozen, Wake: now.Add(operationLook), Reason: Reason{
			Code: ReasonOperation, Actor: s.Operation.Actor,
			Detail: fmt.Sprintf("%s of %s", s.Operation.Order.Operation, plural(s.Operation.Total, "instance")),
		},
	}
	switch {
	case i.Gate == GateTime: // what is decided when its time has come is still to be decided
		v.Gate = GateTime
	case pausedOnly(i):
		v.Reason = i.Reason
	}
	return v
}
