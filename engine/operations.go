package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/almanac-sched/almanac/recurrence"
)

// A TriggerRequest asks for a manual instance of a job. It waits for no upstream: a person's trigger is the waiver of the dependencies.
type TriggerRequest struct {
	Ref      JobRef
	PlanTime *time.Time // nil is now; what ${{ planTime }} and its kind refer to
	Key      string     // an idempotency key: the same key is the same instance; "" makes a new one
	Params   map[string]string
	Actor    string
	Note     string // why, for the history
}

// OwnKeys begins the keys that the server gives by itself; nobody else may.
const OwnKeys = "trigger-"

// Trigger records a manual instance and returns it; created is false when the key was seen before. It is durable when Trigger returns.
// Errors are of kind ErrNotFound, ErrConflict (the job is disabled) or ErrInvalid (parameters).
func (e *Engine) Trigger(ctx context.Context, r TriggerRequest, now time.Time) (instance Instance, created bool, err error) {
	for {
		instance, created, err = e.trigger(ctx, r, now)
		if !errors.Is(err, errStale) {
			break
		}
		if err = e.relearn(ctx); err != nil {
			break
		}
	}
	if err != nil {
		return Instance{}, false, fmt.Errorf("trigger %s: %w", r.Ref, err)
	}
	e.inbox.nudge()
	return instance, created, nil
}

// trigger is Trigger with the definitions as they are known; errStale when the rows have others.
func (e *Engine) trigger(ctx context.Context, r TriggerRequest, now time.Time) (instance Instance, created bool, err error) {
	revision := e.defs.at()
	d := e.defs.lookup(r.Ref)
	err = e.cfg.Store.Write(ctx, func(tx Tx) error {
		created = false
		now, err := e.viewTime(tx, now)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		if current, err := tx.Revision(); err != nil || current != revision {
			return errors.Join(err, unless(current == revision, errStale))
		}
		instance, created, err = e.insertManual(tx, d, r, now)
		return err
	})
	return instance, created, err
}

// insertManual records a manual instance of the job as it is defined now. An error of kind ErrNotFound, ErrConflict or ErrInvalid comes before anything is
// written.
func (e *Engine) insertManual(tx Tx, d *definition, r TriggerRequest, now time.Time) (instance Instance, created bool, err error) {
	switch {
	case d == nil:
		return instance, false, e.defs.unknownJob(r.Ref)
	case d.row.Removed:
		return instance, false, fmt.Errorf("%w: it was removed; load a definition of it first", ErrUnknownJob)
	case d.row.Disabled:
		return instance, false, fmt.Errorf("%w: the job is disabled; enable it in its definition first", ErrConflict)
	}
	if err := CheckParams(d.job.Params, r.Params); err != nil {
		return instance, false, err
	}
	if r.Key != "" {
		instance, err = tx.FindKey(d.row.ID, r.Key)
		if !errors.Is(err, ErrNotFound) {
			return instance, false, err
		}
	}
	var at time.Time
	if r.PlanTime != nil {
		at = *r.PlanTime
	} else if at, err = freePlanTime(tx, d.row.ID, now); err != nil {
		return instance, false, err
	}
	if err := recurrence.CheckRange(at, d.job.When.Location); err != nil {
		return instance, false, fmt.Errorf("%w: the plan time %s: %w", ErrInvalid, at.Format(time.RFC3339), err)
	}
	at = at.In(d.job.When.Location).Truncate(time.Millisecond)
	id, err := tx.Reserve(1)
	if err != nil {
		return instance, false, err
	}
	params, err := e.seal(tx, d.job.Params, r.Params, id)
	if err != nil {
		return instance, false, err
	}
	instance = Instance{
		ID: id, Job: d.row.ID, Ref: r.Ref, Version: d.row.Version, Kind: Manual, Key: r.Key, PlanTime: at, State: Waiting, Gate: GateTime,
		Reason: Reason{Code: ReasonPlanned, Actor: r.Actor, Detail: triggerDetail(r.Note)}, NotBefore: now.Truncate(time.Millisecond),
		Priority: d.job.Priority, Pool: d.job.Pool, Params: params, Run: 1,
	}
	if instance.Key == "" {
		instance.Key = OwnKeys + strconv.FormatInt(id, 10)
	}
	if _, err := tx.InsertInstances(func(yield func(*Instance, []Wait) bool) { yield(&instance, nil) }); err != nil {
		return instance, false, err
	}
	return instance, true, tx.Record(EventRow{At: now, Kind: "trigger", Instance: id, Job: d.row.ID, To: Waiting, Reason: instance.Reason, Actor: r.Actor})
}

// freePlanTime is the plan time of an instance that is made now: the whole second, as people write it, or, when the job has an
// instance of that second, the first millisecond from now on of which it has none. So the name of the new instance is its own.
func freePlanTime(v View, job int64, now time.Time) (time.Time, error) {
	at := now.Truncate(time.Second)
	taken, err := v.Between(job, at, at.Add(time.Millisecond), 1)
	if err != nil || len(taken) == 0 {
		return at, err
	}
	at = now.Truncate(time.Millisecond)
	for range 16 {
		if taken, err = v.Between(job, at, at.Add(time.Minute), 64); err != nil {
			return at, err
		}
		for n := range taken {
			if taken[n].PlanTime.After(at) {
				return at, nil
			}
			at = taken[n].PlanTime.Add(time.Millisecond)
		}
		if len(taken) < 64 {
			return at, nil
		}
	}
	return at, nil
}

func triggerDetail(note string) string {
	const detail = "triggered; dependencies are not waited for"
	if note == "" {
		return detail
	}
	return detail + ": " + note
}

// Cancel cancels an instance for a person: a waiting or lost one at once, a running one when its processes have ended. Cancelling twice is
// cancelling once. Errors are of kind ErrNotFound or ErrConflict (it has ended).
func (e *Engine) Cancel(ctx context.Context, id int64, actor, note string, now time.Time) (Instance, error) {
	return e.operateOne(ctx, OperationRequest{Operation: OperateCancel, IDs: []int64{id}, Actor: actor, Note: note}, now)
}

// Confirm lets an instance whose job says `confirm: true` pass, for a person.
func (e *Engine) Confirm(ctx context.Context, id int64, actor string, now time.Time) (Instance, error) {
	return e.operateOne(ctx, OperationRequest{Operation: OperateConfirm, IDs: []int64{id}, Actor: actor}, now)
}

// operateOne carries out an operation on one instance and reads what has become of it.
func (e *Engine) operateOne(ctx context.Context, r OperationRequest, now time.Time) (Instance, error) {
	if _, err := e.Operate(ctx, r, now); err != nil {
		return Instance{}, err
	}
	return e.read(ctx, r.IDs[0])
}

func (e *Engine) read(ctx context.Context, id int64) (instance Instance, err error) {
	err = e.cfg.Store.Read(ctx, func(v View) error {
		instance, err = v.Instance(id)
		return err
	})
	return instance, wrap(err, "read instance %d", id)
}
