package sim

import (
	"context"
	"errors"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/invariant"
)

// patience is how long after everything is healed something may be on its way.
const patience = 20 * time.Minute

// checkRest is what must hold when a healed world has had its time: the rows are what was committed, and everything has ended, is on its way, or waits for
// a reason that stands.
func (w *World) checkRest() {
	w.read(func(v engine.View) error {
		for _, check := range []func(v engine.View) error{w.checkRows, w.checkThrough, w.checkProgress, w.checkPlanned, w.checkDelivered, w.checkTold} {
			if err := check(v); err != nil || w.violation != nil {
				return err
			}
		}
		return nil
	})
	if w.violation == nil {
		w.checkBackfills()
	}
	if w.violation == nil {
		w.checkInvariants()
	}
	if w.violation == nil {
		w.checkSecondRecovery()
	}
}

// checkRows holds every row against the book: nothing is there that no commit wrote, and nothing is gone.
func (w *World) checkRows(v engine.View) error {
	for _, id := range sortedKeys(w.ledger.instances) {
		e := w.ledger.instances[id]
		i, err := v.Instance(id)
		if errors.Is(err, engine.ErrNotFound) {
			w.broken("I14", "instance %d of %s@%s is gone", id, e.ref, e.plan)
			return nil
		}
		if err != nil {
			return err
		}
		if i.State != e.state || i.Fence != e.fence || i.Job != e.job || i.Version != e.version || i.Key != e.key || !i.PlanTime.Equal(e.plan) ||
			i.State == engine.Running && (i.Owner != e.owner || i.Lease.UnixMilli() != e.lease.UnixMilli()) {
			w.broken("store", "instance %d is %+v, and what was committed is %+v", id, i, *e)
			return nil
		}
		attempts, err := v.Attempts(id)
		if err != nil {
			return err
		}
		if len(attempts) != len(e.attempts) {
			w.broken("store", "instance %d of %s has %d attempts, and %d were committed", id, e.ref, len(attempts), len(e.attempts))
			return nil
		}
		for n := range attempts {
			known := w.ledger.attempts[attempts[n].ID]
			if known == nil || (known.result == nil) != (attempts[n].Result == nil) || known.result != nil && known.result.Outcome != attempts[n].Result.Outcome {
				w.broken("I2", "attempt %+v is not what was committed", attempts[n])
				return nil
			}
		}
	}
	return nil
}

// checkProgress demands that what is open is on its way or waits for a reason that stands.
func (w *World) checkProgress(v engine.View) error {
	now := w.epoch.Add(w.t)
	live, err := v.Live()
	if err != nil {
		return err
	}
	free := 0
	for _, s := range w.servers {
		mine := 0
		for i := range live {
			if !w.shape.shared || live[i].Owner == s.owner {
				mine++
			}
		}
		free += max(0, w.shape.slots-mine)
	}
	for i := range live {
		if live[i].StartedAt.Before(now.Add(-patience)) {
			w.broken("progress", "attempt %d of instance %d lives since %s, and everything is healed: %+v", live[i].ID, live[i].Instance, live[i].StartedAt, w.witness.children[live[i].ID])
			return nil
		}
	}
	for _, id := range sortedKeys(w.ledger.instances) {
		e := w.ledger.instances[id]
		switch e.state {
		case engine.Running:
			err = w.checkRunning(v, e, now, free)
		case engine.Waiting:
			err = w.checkWaiting(v, e, now, free)
		}
		if err != nil || w.violation != nil {
			return err
		}
	}
	return nil
}

// checkRunning demands that something of a running instance lives or is due soon, unless what is due waits for a slot that others have: a backlog of a higher
// priority may keep it for long.
func (w *World) checkRunning(v engine.View, e *entry, now time.Time, free int) error {
	for _, id := range e.attempts {
		if a := w.ledger.attempts[id]; a.result == nil && !a.row.Error {
			return nil
		}
	}
	if underway, err := w.checkWatches(v, e, now); underway || err != nil || w.violation != nil {
		return err
	}
	steps, err := v.Steps(e.id)
	if err != nil {
		return err
	}
	job := w.ledger.definition(e.version)
	last := time.Time{}
	for _, s := range steps {
		if step := job.StepOf(s.Step); s.State == engine.StepFailed && step != nil && step.OnFailure == engine.StepPause {
			w.saw("paused by a step")
			return nil // a person decides
		}
		if s.NotBefore.After(last) {
			last = s.NotBefore
		}
	}
	for _, id := range e.attempts {
		if r := w.ledger.attempts[id].result; r != nil && r.EndedAt.After(last) {
			last = r.EndedAt
		}
	}
	if last.Before(now.Add(-patience)) && free > 0 && w.roomInPool(job.Pool) {
		w.broken("progress", "instance %d of %s@%s runs, and nothing of it lives or is due: %+v", e.id, e.ref, e.plan, steps)
	}
	return nil
}

// checkWaiting judges a waiting instance on the rows: one whose gates are all open and for which there is a slot has been forgotten.
func (w *World) checkWaiting(v engine.View, e *entry, now time.Time, free int) error {
	if e.notBefore.After(now.Add(-patience)) {
		return nil
	}
	if e.kind == engine.Backfill {
		return w.checkSleeping(v, e, now, free)
	}
	i, err := v.Instance(e.id)
	if err != nil {
		return err
	}
	job := w.ledger.definition(e.version)
	verdict, err := judge(v, &i, job, w.ledger.limit(e.job, job), w.ledger.jobs[e.job].row.Disabled, now)
	if err != nil {
		return err
	}
	room := free > 0 && w.roomInPool(job.Pool)
	switch {
	case i.Gate == engine.GateSlot && !room: // the queue is looked at when there is room
	case verdict.Open && room:
		w.broken("I7", "instance %d of %s@%s waits behind the gate %s since %s, and every gate is open: %+v", e.id, e.ref, e.plan, i.Gate, i.NotBefore, i.Reason)
	case verdict.Event != "" && i.Gate == engine.GateConcurrency && verdict.Reason.Code == engine.ReasonOverlap && w.ledger.jobs[e.job].active > 0:
		w.saw("gives way when its turn comes") // the latest is known when what runs has ended
	case verdict.Event != "":
		w.broken("I7", "instance %d of %s@%s waits, and should %s: %+v", e.id, e.ref, e.plan, verdict.Event, verdict.Reason)
	case i.Gate == engine.GateTime:
		w.broken("I7", "instance %d of %s@%s was never looked at", e.id, e.ref, e.plan)
	case verdict.Gate != i.Gate && !verdict.Open:
		w.saw("gate moved on")
	}
	return nil
}

func (w *World) roomInPool(pool string) bool {
	n := 0
	for _, a := range w.ledger.live {
		if a.row.Pool == pool {
			n++
		}
	}
	return pool == "" || n < w.shape.pools[pool]
}

// judge evaluates a waiting instance on the rows.
func judge(v engine.View, i *engine.Instance, job *engine.Job, limit int, disabled bool, now time.Time) (engine.Verdict, error) {
	s := &engine.Situation{Instance: i, Job: job, Limit: limit, Disabled: disabled}
	var err error
	if s.Waits, err = v.Waits(i.ID); err != nil {
		return engine.Verdict{}, err
	}
	s.Facts = make([]engine.Facts, len(s.Waits))
	for n := range s.Waits {
		if s.Facts[n], err = v.Facts(&s.Waits[n]); err != nil {
			return engine.Verdict{}, err
		}
	}
	if s.Active, err = v.ActiveCount(i.Job); err != nil {
		return engine.Verdict{}, err
	}
	if s.LaterDue, err = v.LaterDue(i, now); err != nil {
		return engine.Verdict{}, err
	}
	pauses, err := v.Pauses()
	if err != nil {
		return engine.Verdict{}, err
	}
	s.Pauses = engine.PausesOf(pauses, i.Ref)
	if s.Operation, err = engine.OperationOn(v, i.ID, i.Job); err != nil {
		return engine.Verdict{}, err
	}
	return engine.Evaluate(now, s), nil
}

// checkPlanned demands that every active job is planned beyond now: I1.
func (w *World) checkPlanned(engine.View) error {
	now := w.epoch.Add(w.t)
	for _, id := range sortedKeys(w.ledger.jobs) {
		row := w.ledger.jobs[id].row
		job := w.ledger.definition(row.Version)
		if row.Removed || row.Disabled || job == nil || job.When.Manual {
			continue
		}
		if !row.PlannedTo.After(now) {
			w.broken("I1", "%s is planned to %s, and it is %s", row.Ref, row.PlannedTo, now)
			return nil
		}
	}
	return nil
}

// checkDelivered demands that every outbox row that is old enough is delivered, and the delivery seen: I8.
func (w *World) checkDelivered(engine.View) error {
	now := w.epoch.Add(w.t)
	for _, id := range sortedKeys(w.ledger.outbox) {
		row := w.ledger.outbox[id]
		i := w.ledger.instances[row.Instance]
		switch {
		case i == nil:
		case row.State == engine.OutboxPending && row.CreatedAt.Before(now.Add(-2*patience)) && row.NotBefore.Before(now.Add(-patience)):
			w.broken("I8", "outbox row %d of instance %d of %s is not delivered: %+v", id, i.id, i.ref, *row)
		case row.State == engine.OutboxDelivered:
			job := w.ledger.definition(w.ledger.tells[id])
			if job != nil && job.ErrorAction != nil && job.ErrorAction.Type != engine.ActionNone && w.witness.delivered[i.id] == 0 {
				w.broken("I8", "outbox row %d of instance %d of %s is delivered, and nobody has seen it", id, i.id, i.ref)
			}
		}
	}
	return nil
}

// checkInvariants is the check that `almanac verify` makes, on the rows alone.
func (w *World) checkInvariants() {
	slots := w.shape.slots * w.shape.servers
	report, err := invariant.Check(context.Background(), w.rows, invariant.Options{
		Decode: w.decode, Now: w.epoch.Add(w.t), Retention: w.shape.retention, PlanAhead: w.shape.planAhead, Settled: true, Grace: patience, Slots: slots,
	})
	switch {
	case err != nil:
		w.broken("store", "%s", err)
	default:
		for _, v := range report.Violations {
			w.broken(v.Invariant, "the rows: %s", v)
		}
	}
}

// checkSecondRecovery restarts every server twice at one moment: the second time nothing may change but leases and fences (I15).
func (w *World) checkSecondRecovery() {
	restart := func() {
		for _, s := range w.servers {
			s.crash("for I15", true)
		}
		if w.shape.shared {
			w.until(w.t + w.shape.lease + time.Minute) // until the leases have passed
		}
		for _, s := range w.servers {
			s.start()
		}
		w.until(w.t + 10*time.Millisecond)
	}
	restart()
	if w.violation != nil {
		return
	}
	type standing struct {
		state    engine.State
		attempts int
	}
	before := map[int64]standing{}
	for id, i := range w.ledger.instances {
		if i.state != engine.Running && i.state != engine.Waiting {
			before[id] = standing{i.state, w.mainAttempts(i)}
		}
	}
	restart()
	for _, id := range sortedKeys(before) {
		if i := w.ledger.instances[id]; i != nil && before[id] != (standing{i.state, w.mainAttempts(i)}) {
			w.broken("I15", "a second recovery made of instance %d of %s, which was %+v, %s with %d attempts", id, i.ref, before[id], i.state, len(i.attempts))
			return
		}
	}
}

// mainAttempts counts the attempts of an instance but those of its error action: a delivery that a restart cut off is made again, at least once.
func (w *World) mainAttempts(i *entry) (n int) {
	for _, id := range i.attempts {
		if !w.ledger.attempts[id].row.Error {
			n++
		}
	}
	return n
}
