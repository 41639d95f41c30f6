package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
)

// pass is one turn of the loop: take what came in, and in one transaction write it down, look at what is due, and claim what can start; then
// hand the claimed attempts out. Deciding and claiming in the transaction that reads the rows is what makes a lost wake-up and a stale decision
// impossible. It reports whether nothing more can happen by itself.
func (e *Engine) pass(ctx context.Context, now time.Time) (idle bool, err error) {
	e.absorb(now)
	held := e.clockHold()
	var t *turn
	err = e.cfg.Store.Write(ctx, func(tx Tx) error {
		if t != nil {
			t.putBack() // the transaction was rolled back because of a neighbour
		}
		t = &turn{Engine: e, tx: tx, now: now, ids: e.ids, laneLast: maps.Clone(e.laneLast), held: held}
		return t.take()
	})
	if err != nil {
		if t != nil {
			t.putBack()
		}
		return false, fmt.Errorf("pass: %w", err)
	}
	t.commit()
	e.startPolls(now)
	return t.idle, nil
}

// record writes what came in and starts nothing: the end of a server.
func (e *Engine) record(ctx context.Context, now time.Time) error {
	e.absorb(now)
	ids := e.ids
	err := e.cfg.Store.Write(ctx, func(tx Tx) error {
		ids = e.ids
		return errors.Join(e.staged.write(tx, &ids, now), e.recordTold(tx, now))
	})
	if err != nil {
		return fmt.Errorf("record the last results: %w", err)
	}
	e.told, e.sending = nil, max(0, e.sending-len(e.told))
	e.ids, e.sure = ids, !e.staged.refused()
	e.publish(nil)
	return nil
}

// A turn is what one pass's transaction reads and decides. It is made anew each time the transaction runs, and the working set takes
// it over only after the commit.
type turn struct {
	*Engine
	tx    Tx
	now   time.Time
	clock time.Time // of the store: leases are judged by it
	ids   idBlock

	free    int            // slots
	used    map[string]int // attempts that live, by pool
	carried map[int64]bool // outbox rows that a live attempt carries

	agenda  Agenda      // of the rows, with what came in
	popped  []readyStep // taken from the working set's queues
	back    []readyStep // of those, and of the instances begun: what found no slot
	later   []delayedStep
	begun   []*run
	starts  []startedStep
	errands []startedErrand
	watches []startedWatch
	over    []Result      // of watches whose instance has ended
	stood   bool          // what needed no slot was started
	sends   []DeliveryRow // claimed, to be handed out
	heard   int           // of Engine.told, that the transaction has recorded
	notices []Notice
	settled []settled // instances that ended without a start
	cancels []cancelRequest
	again   bool // a turn that follows at once goes on with a backfill
	surveys bool // an incident is to be surveyed

	lanes     map[string]*lane // of the open backfills, by key
	laneOrder []*lane
	laneLast  map[string]bool // whether what started last was of a backfill: here, and in each pool
	opens     time.Time       // when the window of a backfill opens

	passedOn bool // one in the queue was not runnable any more: its place goes to the next, in a turn that follows at once
	next     time.Time
	idle     bool
	disk     *string    // why nothing starts
	held     *ClockHold // why nothing is planned or started
	recorded int32      // what the turn found of the definitions

	fenced bool // a run that was to go on is another server's
}

// A startedStep is an attempt of a step that the transaction has recorded and that is to be handed out.
type startedStep struct {
	readyStep
	attempt int64
	number  int
}

// A startedErrand is an attempt of an error action.
type startedErrand struct {
	row      OutboxRow
	attempt  int64
	number   int
	instance Instance
	job      *Job
}

func (t *turn) take() (err error) {
	if t.clock, err = t.tx.Clock(); err != nil {
		return fmt.Errorf("read the clock: %w", err)
	}
	// Pools, limits and versions are judged by the definitions of the rows, whoever loaded them.
	if revision, err := t.tx.Revision(); err != nil || revision != t.defs.at() {
		return errors.Join(err, errStale)
	}
	if err := t.staged.write(t.tx, &t.ids, t.now); err != nil {
		return err
	}
	if err := t.lookAtOver(); err != nil {
		return err
	}
	if err := t.countSlots(); err != nil {
		return err
	}
	if err := t.readLanes(); err != nil {
		return err
	}
	if err := t.recordClock(); err != nil {
		return err
	}
	if err := t.recordDefinitions(); err != nil {
		return err
	}
	if t.held != nil {
		return t.waitForClock()
	}
	if t.agenda, err = t.tx.Agenda(); err != nil {
		return fmt.Errorf("read the agenda: %w", err)
	}
	open, full, err := t.lookAtDue()
	if err != nil {
		return err
	}
	detail, low := t.diskLow()
	if err := t.recordDisk(); err != nil {
		return err
	}
	if low {
		for i := range open {
			if err := t.enqueue(&open[i], Reason{Code: ReasonDisk, Detail: detail}); err != nil {
				return err
			}
		}
		return t.finish(full)
	}
	if err := t.startErrands(); err != nil {
		return err
	}
	if err := t.startStanding(); err != nil {
		return err
	}
	t.stood = true
	if err := t.assign(open); err != nil {
		return err
	}
	return t.finish(full)
}

// diskLow asks whether anything may be started, and records in the history when the answer changes.
func (t *turn) diskLow() (string, bool) {
	if t.cfg.DiskLow == nil {
		return "", false
	}
	detail, low := t.cfg.DiskLow()
	t.disk = nil
	if low {
		t.disk = &detail
	}
	return detail, low
}

// recordDisk writes down that starting stops or goes on.
func (t *turn) recordDisk() error {
	before := t.health.disk.Load()
	if (before == nil) == (t.disk == nil) {
		return nil
	}
	event := EventRow{At: t.now, Kind: "disk-free", Reason: Reason{Code: ReasonDisk, Detail: "there is room again: what waited is started"}}
	if t.disk != nil {
		event.Kind, event.Reason.Detail = "disk-low", *t.disk
	}
	return wrap(t.tx.Record(event), "record that the disk is low, or is no longer")
}

// countSlots derives what is free from the attempts that live: no counter can leak.
func (t *turn) countSlots() error {
	live, err := t.tx.Live()
	if err != nil {
		return fmt.Errorf("count live attempts: %w", err)
	}
	t.free = t.cfg.Slots
	t.used = map[string]int{}
	t.carried = map[int64]bool{}
	for i := range live {
		if !t.cfg.Shared || live[i].Owner == t.cfg.Owner {
			t.free-- // a slot is this server's, a place in a pool everybody's
		}
		if !fault.Planted(fault.SlotCounter) || live[i].Owner == t.cfg.Owner {
			t.used[live[i].Pool]++
		}
		if live[i].Outbox != 0 {
			t.carried[live[i].Outbox] = true
		}
	}
	return nil
}

// room is how many attempts of the pool could start now. The size of a pool may become known in the middle of a turn, with the version of an instance.
func (t *turn) room(pool string) int {
	if size, sized := t.defs.poolSize(pool); sized {
		return max(0, min(t.free, size-t.used[pool]))
	}
	return max(0, t.free)
}

func (t *turn) spend(pool string) {
	t.free--
	t.used[pool]++
}

// finish looks for trouble in what the turn has done and seen, and finds out when the next one is due.
func (t *turn) finish(full bool) error {
	alerts, err := t.judgeAlerts()
	if err != nil {
		return err
	}
	// When a count changes, so do the definitions: nothing is decided by the old ones after that.
	if err := t.recount(t.tx, t.settled, t.now); err != nil {
		return err
	}
	if err := t.plan(full); err != nil {
		return err
	}
	t.next = earliest(t.next, alerts)
	return nil
}

// plan finds out when the next pass is due.
func (t *turn) plan(full bool) error {
	left, err := t.tx.Agenda()
	if err != nil {
		return fmt.Errorf("read what is left of the agenda: %w", err)
	}
	t.next = left.Wake
	if t.free > 0 {
		t.next = earliest(t.next, left.Outbox)
	}
	if err := t.endLanes(); err != nil {
		return fmt.Errorf("close the backfills that have ended: %w", err)
	}
	t.next = earliest(t.next, t.opens)
	if full || t.passedOn || t.again || t.answered() {
		t.next = t.now
	}
	t.idle = t.cfg.Closed && !full && len(left.Pools) == 0 && left.Outbox.IsZero() && len(t.runs)+len(t.begun) == 0 && len(t.live)+len(t.starts)+len(t.errands) == 0 &&
		(left.Wake.IsZero() || left.Wake.After(t.now) && left.Wake.After(t.until))
	return nil
}

// putBack undoes what a rolled-back transaction took from the working set.
func (t *turn) putBack() {
	for _, s := range t.popped {
		t.queue(s.run.job.Pool).add(s)
	}
	t.popped = nil
}

// commit lets the working set take over what is now in rows, and hands the attempts out.
func (t *turn) commit() {
	e := t.Engine
	e.ids, e.nextPass, e.laneLast = t.ids, t.next, t.laneLast
	if t.held == nil {
		e.health.disk.Store(t.disk)
	}
	e.health.clock.Store(t.held)
	e.health.recorded.Store(t.recorded)
	for _, r := range t.begun {
		e.runs[r.instance.ID] = r
	}
	if t.stood {
		e.standing = nil
	}
	for _, d := range t.later {
		e.delayed.add(d)
	}
	for _, s := range t.back {
		e.queue(s.run.job.Pool).add(s)
	}
	for _, s := range t.starts {
		s.run.progress.Started(s.step)
		s.run.progress.TakeChanged() // the transaction wrote it
		s.run.attempts[s.attempt] = s.step
		e.live[s.attempt] = liveAttempt{run: s.run, step: s.step, fence: s.run.instance.Fence, action: s.run.progress.Def(s.step).Action.Type}
	}
	e.watched(t.watches, t.over)
	for _, d := range t.errands {
		e.live[d.attempt] = liveAttempt{fence: firstErrandFence, outbox: d.row, action: d.job.ErrorAction.Type, retry: d.job.ErrorAction.Retry,
			errand: &d}
	}
	if e.staged.refused() || t.fenced {
		e.sure = false
	}
	e.publish(t.notices)
	for _, s := range t.starts {
		e.handOut(t.now, s)
	}
	for _, d := range t.errands {
		e.handOutErrand(t.now, d)
	}
	for _, c := range t.cancels {
		e.inbox.cancel(c)
	}
	e.told, e.sending = e.told[t.heard:], max(0, e.sending-t.heard)
	e.send(t.now, t.sends)
	if t.surveys {
		e.bulk.nudge()
	}
}

// publish tells the observer what was committed, in order, and empties what was staged.
func (e *Engine) publish(notices []Notice) {
	for _, n := range e.staged.notices {
		if !e.staged.fenced[n.run] {
			e.cfg.Observe(n.Notice)
		}
	}
	for _, n := range notices {
		e.cfg.Observe(n)
	}
	e.staged = staged{}
}

func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}
