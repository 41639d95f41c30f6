package sim

import (
	"iter"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

type opKind uint8

const (
	opPutJob opKind = iota
	opPutVersion
	opPlanned
	opInsert
	opDelete
	opApply
	opHold
	opCancel
	opConfirm
	opRenew
	opTakeOver
	opTakeErrand
	opSteps
	opStart
	opAdd
	opEnd
	opOutbox
	opEvent
	opAcquire
	opPrune
	opTouch
	opRebind
	opBackfill
	opLanePriority
	opWritten
	opWithdraw
	opWatch
	opEndWatch
	opIncident
	opMember
	opDelivery
	opPause
	opOverride
	opObey
	opBegin
	opProgress
)

// An op is one write of a transaction as the store answered it.
type op struct {
	kind     opKind
	ok       bool
	id, n    int64
	fence    int64
	grown    int64
	owner    string
	at, to   time.Time
	job      *engine.JobRow
	version  *engine.VersionRow
	instance *engine.Instance
	waits    []engine.Wait
	change   *engine.Transition
	hold     *engine.Hold
	attempt  *engine.AttemptRow
	result   *engine.Result
	outbox   *engine.OutboxRow
	event    *engine.EventRow
	touch    func(i *entry)
	backfill *engine.BackfillRow
	key      string
	priority int
	watch    *engine.WatchRow
	incident *engine.IncidentRow
	delivery *engine.DeliveryRow
	pause    *engine.PauseRow
	override *engine.OverrideRow
	progress *engine.OperationRow
	list     []byte
}

// A recorder is a transaction that remembers what was written and what the store said to it.
type recorder struct {
	engine.Tx
	ops  []op
	bulk int // instances written, withdrawn or changed
}

// fullAt is how many instances a transaction writes before it is full: few, so that a crash finds
// many places. A store goes by its own measure of work and time; a world needs the same slices on
// each of them.
const fullAt = 4

func (r *recorder) Full() bool { return r.bulk >= fullAt || r.Tx.Full() }

func (r *recorder) add(o op) { r.ops = append(r.ops, o) }

func (r *recorder) PutJob(row engine.JobRow) error {
	err := r.Tx.PutJob(row)
	if err == nil {
		row.Revision, err = r.Revision()
	}
	r.add(op{kind: opPutJob, ok: err == nil, job: &row})
	return err
}

func (r *recorder) PutVersion(row engine.VersionRow) error {
	err := r.Tx.PutVersion(row)
	r.add(op{kind: opPutVersion, ok: err == nil, version: &row})
	return err
}

func (r *recorder) SetPlannedTo(job int64, from, to time.Time) (bool, error) {
	ok, err := r.Tx.SetPlannedTo(job, from, to)
	r.add(op{kind: opPlanned, ok: ok, id: job, at: from, to: to})
	return ok, err
}

func (r *recorder) InsertInstances(rows iter.Seq2[*engine.Instance, []engine.Wait]) (int, error) {
	first, before := len(r.ops), r.bulk
	n, err := r.Tx.InsertInstances(func(yield func(*engine.Instance, []engine.Wait) bool) {
		r.ops, r.bulk = r.ops[:first], before
		for i, waits := range rows {
			instance := *i
			r.bulk++
			r.add(op{kind: opInsert, instance: &instance, waits: append([]engine.Wait(nil), waits...)})
			if !yield(i, waits) {
				return
			}
		}
	})
	if len(r.ops) > first {
		r.ops[first].n = int64(n) // the count of the whole call
		r.ops[first].id = int64(len(r.ops) - first)
	}
	return n, err
}

func (r *recorder) DeleteUnstarted(job int64, from time.Time) (int, error) {
	n, err := r.Tx.DeleteUnstarted(job, from)
	r.add(op{kind: opDelete, ok: err == nil, id: job, at: from, n: int64(n)})
	return n, err
}

func (r *recorder) Apply(t engine.Transition) (bool, error) {
	ok, err := r.Tx.Apply(t)
	r.bulk++
	r.add(op{kind: opApply, ok: ok, id: t.Instance, change: &t})
	return ok, err
}

func (r *recorder) Hold(h engine.Hold) (bool, error) {
	ok, err := r.Tx.Hold(h)
	r.add(op{kind: opHold, ok: ok, id: h.Instance, hold: &h})
	return ok, err
}

func (r *recorder) SetCancel(instance int64, reason engine.Reason, at time.Time) (bool, error) {
	r.bulk++
	ok, err := r.Tx.SetCancel(instance, reason, at)
	r.add(op{kind: opCancel, ok: ok, id: instance, at: at})
	return ok, err
}

func (r *recorder) SetConfirmed(instance int64, reason engine.Reason, at time.Time) (bool, error) {
	r.bulk++
	ok, err := r.Tx.SetConfirmed(instance, reason, at)
	r.add(op{kind: opConfirm, ok: ok, id: instance, owner: reason.Actor, at: at})
	return ok, err
}

func (r *recorder) Renew(owner string, until time.Time) error {
	err := r.Tx.Renew(owner, until)
	r.add(op{kind: opRenew, ok: err == nil, owner: owner, to: until})
	return err
}

func (r *recorder) TakeOver(instance, fence int64, owner string, lease time.Time) (int64, bool, error) {
	grown, ok, err := r.Tx.TakeOver(instance, fence, owner, lease)
	r.add(op{kind: opTakeOver, ok: ok, id: instance, fence: fence, grown: grown, owner: owner, to: lease})
	return grown, ok, err
}

func (r *recorder) TakeErrand(attempt, fence int64, owner string) (int64, bool, error) {
	grown, ok, err := r.Tx.TakeErrand(attempt, fence, owner)
	r.add(op{kind: opTakeErrand, ok: ok, id: attempt, fence: fence, grown: grown, owner: owner})
	return grown, ok, err
}

func (r *recorder) PutSteps(instance, fence int64, steps []engine.StepRow) (bool, error) {
	ok, err := r.Tx.PutSteps(instance, fence, steps)
	r.add(op{kind: opSteps, ok: ok, id: instance, fence: fence})
	return ok, err
}

func (r *recorder) SetStep(instance, fence int64, s engine.StepRow) (bool, error) {
	ok, err := r.Tx.SetStep(instance, fence, s)
	r.add(op{kind: opSteps, ok: ok, id: instance, fence: fence})
	return ok, err
}

func (r *recorder) StartAttempt(a engine.AttemptRow) (bool, error) {
	ok, err := r.Tx.StartAttempt(a)
	r.add(op{kind: opStart, ok: ok, id: a.Instance, fence: a.Fence, attempt: &a})
	return ok, err
}

func (r *recorder) AddAttempt(a engine.AttemptRow) (bool, error) {
	ok, err := r.Tx.AddAttempt(a)
	r.add(op{kind: opAdd, ok: ok, id: a.Instance, fence: a.Fence, attempt: &a})
	return ok, err
}

func (r *recorder) EndAttempt(result engine.Result, fence int64) (bool, error) {
	ok, err := r.Tx.EndAttempt(result, fence)
	r.add(op{kind: opEnd, ok: ok, id: result.Attempt, fence: fence, result: &result})
	return ok, err
}

func (r *recorder) PutOutbox(row engine.OutboxRow) error {
	err := r.Tx.PutOutbox(row)
	r.add(op{kind: opOutbox, ok: err == nil, outbox: &row})
	return err
}

func (r *recorder) Record(e engine.EventRow) error {
	err := r.Tx.Record(e)
	r.add(op{kind: opEvent, ok: err == nil, event: &e})
	return err
}

func (r *recorder) PutBackfill(row engine.BackfillRow) error {
	err := r.Tx.PutBackfill(row)
	r.add(op{kind: opBackfill, ok: err == nil, backfill: &row})
	return err
}

func (r *recorder) SetLanePriority(key string, priority int, from, to int64) (int, error) {
	n, err := r.Tx.SetLanePriority(key, priority, from, to)
	r.add(op{kind: opLanePriority, ok: err == nil, key: key, priority: priority, n: int64(n), id: from, fence: to})
	return n, err
}

func (r *recorder) SetWritten(key string, from, to int) (bool, error) {
	ok, err := r.Tx.SetWritten(key, from, to)
	r.add(op{kind: opWritten, ok: ok, key: key, n: int64(to)})
	return ok, err
}

func (r *recorder) Withdraw(key string, limit int) (int, error) {
	n, err := r.Tx.Withdraw(key, limit)
	r.bulk += n
	r.add(op{kind: opWithdraw, ok: err == nil, key: key, n: int64(n)})
	return n, err
}

func (r *recorder) Acquire(name, holder string, now, until time.Time) (int64, bool, error) {
	epoch, ok, err := r.Tx.Acquire(name, holder, now, until)
	r.add(op{kind: opAcquire, ok: ok, owner: holder, grown: epoch, at: now, to: until})
	return epoch, ok, err
}

func (r *recorder) Prune(before time.Time, limit int) (int, []int64, error) {
	n, attempts, err := r.Tx.Prune(before, limit)
	r.add(op{kind: opPrune, ok: err == nil, at: before, n: int64(n)})
	return n, attempts, err
}
