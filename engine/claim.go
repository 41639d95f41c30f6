package engine

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
)

// begin claims the instance. Steps of type none are settled at once; the first steps that need a slot are returned.
func (t *turn) begin(c *contender) ([]readyStep, error) {
	i := c.instance
	start := Transition{
		Instance: i.ID, Event: Start, From: i.State, Fence: i.Fence, At: t.now, Reason: Reason{Code: ReasonReleased},
		Owner: t.cfg.Owner, Lease: t.leaseFrom(t.clock),
	}
	if fault.Planted(fault.LocalLease) {
		start.Lease = t.local.Add(t.cfg.LeaseTerm)
	}
	ok, err := t.tx.Apply(start)
	if err != nil || !ok {
		return nil, wrap(err, "claim %s", i.Name())
	}
	if err := t.passTurn(&i, c.job); err != nil {
		return nil, err
	}
	again := i.Run > 1
	from := i.State
	i.State, i.Reason, i.Owner, i.Lease = Running, start.Reason, start.Owner, start.Lease
	i.Fence++
	i.StartedAt = t.now
	l := t.lane(&i)
	r := &run{instance: i, job: c.job, attempts: map[int64]int{}}
	var kept []StepRow
	if again {
		if kept, err = t.tx.Steps(i.ID); err != nil {
			return nil, fmt.Errorf("read the steps of %s: %w", i.Name(), err)
		}
		attempts, err := t.tx.Attempts(i.ID)
		if err != nil {
			return nil, fmt.Errorf("list the attempts of %s: %w", i.Name(), err)
		}
		r.numbers, r.again = attemptNumbers(attempts), successes(attempts)
	}
	r.progress = NewProgress(c.job, append(l.chosenSteps(c.job), resumed(kept)...))
	t.notices = append(t.notices, Notice{Instance: i, From: from})
	var out staged
	ready, later := t.settle(t.now, r, &out)
	if r.stored() {
		out.steps = nil
		if ok, err := t.tx.PutSteps(i.ID, i.Fence, r.progress.Rows()); err != nil || !ok {
			return nil, wrap(errors.Join(err, unless(ok, errStuck)), "record the steps of %s", i.Name())
		}
	}
	if err := out.write(t.tx, &t.ids, t.now); err != nil || out.refused() {
		return nil, wrap(errors.Join(err, unless(!out.refused(), errStuck)), "begin %s", i.Name())
	}
	for _, n := range out.notices {
		t.notices = append(t.notices, n.Notice)
	}
	t.later = append(t.later, later...)
	if !r.ended {
		t.begun = append(t.begun, r)
		if l != nil {
			l.running++
		}
	}
	return ready, nil
}

// beginAtOnce claims an instance that needs no slot, unless its backfill may start nothing just now.
func (t *turn) beginAtOnce(c *contender) error {
	if l := t.lane(&c.instance); l != nil {
		if why := l.full(t.cfg.Slots); why != "" {
			return t.enqueue(c, Reason{Code: ReasonLane, Detail: why})
		}
	}
	_, err := t.begin(c)
	return err
}

// passTurn lets the next of the job's line be looked at when one of it has started and there is room for another: the limit was raised, or several
// have ended while one turn was given.
func (t *turn) passTurn(i *Instance, job *Job) error {
	limit := t.defs.concurrency(job)
	if limit == 1 || i.Gate != GateConcurrency && i.Gate != GateSlot {
		return nil
	}
	active, err := t.tx.ActiveCount(i.Job)
	if err != nil || active >= limit {
		return wrap(err, "count running instances of %s", i.Ref)
	}
	return wrap(t.tx.WakeNext(i.Job, t.now), "wake the next of %s", i.Ref)
}

// errStuck is about what cannot be: a write refused in the very transaction that gave the right to it.
var errStuck = errors.New("stuck, this is a bug: the fence moved within a transaction")

// attemptNumbers returns the highest attempt number of each step so far.
func attemptNumbers(attempts []AttemptRow) map[string]int {
	numbers := map[string]int{}
	for _, a := range attempts {
		if !a.Error {
			numbers[a.Step] = max(numbers[a.Step], a.Number)
		}
	}
	return numbers
}

// assign gives the free slots out by turn: to ready steps of running instances and to waiting instances alike. Each pool is looked at by itself, so
// that a full one hides nothing behind it.
func (t *turn) assign(open []contender) (err error) {
	if open, err = t.lookInLanes(open); err != nil {
		return err
	}
	pools := slices.Clone(t.agenda.Pools)
	for pool, q := range t.steps {
		if q.Len() > 0 {
			pools = append(pools, pool)
		}
	}
	for i := range open {
		pools = append(pools, open[i].instance.Pool)
	}
	slices.Sort(pools)
	pools = slices.Compact(pools)
	if fault.Planted(fault.LimitThenFilter) {
		pools = pools[:min(1, len(pools))]
	}

	var bids []bid
	for _, pool := range pools {
		room := t.room(pool)
		if q := t.steps[pool]; q != nil {
			for n := 0; n < room && q.Len() > 0; {
				s := q.take()
				if !s.run.progress.Startable(s.step) {
					continue
				}
				t.popped = append(t.popped, s)
				l := t.lane(&s.run.instance)
				if l != nil && l.slots >= l.cap(t.cfg.Slots) {
					t.back = append(t.back, s)
					continue
				}
				bids = append(bids, bid{step: s, instance: &s.run.instance, lane: l})
				n++
			}
		}
		if room > 0 && slices.Contains(t.agenda.Pools, pool) {
			queued, err := t.tx.Queued(pool, room)
			if err != nil {
				return fmt.Errorf("list the queue of pool %q: %w", pool, err)
			}
			for i := range queued {
				bids = append(bids, bid{contender: &contender{instance: queued[i]}})
			}
		}
	}
	for i := range open {
		bids = append(bids, bid{contender: &open[i], lane: t.lane(&open[i].instance)})
	}
	others := 0
	for i := range bids {
		if c := bids[i].contender; c != nil {
			bids[i].step.step, bids[i].instance = -1, &c.instance
		}
		if bids[i].lane == nil {
			others++
		}
	}
	t.rank(bids)
	for i := range bids {
		b := &bids[i]
		if b.lane == nil {
			others--
		}
		spared := t.spared(b, others)
		if b.contender == nil {
			if spared {
				t.back = append(t.back, b.step)
				continue
			}
			if err := t.startOrKeep([]readyStep{b.step}); err != nil {
				return err
			}
			continue
		}
		if err := t.admit(b.contender, b.lane, spared); err != nil {
			return err
		}
	}
	return nil
}

// admit claims an instance when there is room for it, after looking once more at what may have changed since it was judged.
func (t *turn) admit(c *contender, l *lane, spared bool) error {
	room := t.room(c.instance.Pool)
	fresh := c.judged
	why := ""
	if l != nil {
		if why = l.full(t.cfg.Slots); why == "" && spared {
			why = "the last free slot is for what is of no backfill"
		}
	}
	if (room == 0 || why != "") && !fresh {
		return nil // stays queued
	}
	if why != "" {
		return t.enqueue(c, Reason{Code: ReasonLane, Detail: why})
	}
	if !fresh {
		v, err := t.judge(c)
		if err != nil {
			return err
		}
		if !v.Open {
			t.passedOn = true // it held a place among as many as there is room for
			return t.settleClosed(c, v)
		}
	} else {
		active, err := t.tx.ActiveCount(c.instance.Job)
		if err != nil {
			return fmt.Errorf("count running instances of %s: %w", c.instance.Ref, err)
		}
		if fault.Planted(fault.OverlapInMemory) {
			active = t.activeInMemory(c.instance.Job)
		}
		if active >= t.defs.concurrency(c.job) {
			v, err := t.judge(c)
			if err != nil {
				return err
			}
			if !v.Open {
				return t.settleClosed(c, v)
			}
		}
	}
	if t.room(c.instance.Pool) == 0 && !c.job.slotlessBegin() { // the job may say how large its pool is
		reason := Reason{Code: ReasonSlot, Detail: fmt.Sprintf("all %d slots are taken", t.cfg.Slots)}
		if t.free > 0 {
			reason = Reason{Code: ReasonPool, Detail: fmt.Sprintf("pool %s is full", c.instance.Pool)}
		}
		return t.enqueue(c, reason)
	}
	ready, err := t.begin(c)
	if err != nil {
		return err
	}
	return t.startOrKeep(ready)
}

// startOrKeep starts the steps for which there is room and keeps the others for a later pass.
func (t *turn) startOrKeep(ready []readyStep) error {
	for _, s := range ready {
		if s.run.progress.Def(s.step).Action.Slotless() {
			if err := t.startWatch(s); err != nil {
				return err
			}
			continue
		}
		l := t.lane(&s.run.instance)
		if t.room(s.run.job.Pool) == 0 || l != nil && l.slots >= l.cap(t.cfg.Slots) {
			t.back = append(t.back, s)
			continue
		}
		if err := t.start(s); err != nil {
			return err
		}
	}
	return nil
}

// start records that an attempt of the step begins.
func (t *turn) start(s readyStep) error {
	id, err := t.ids.take(t.tx)
	if err != nil {
		return err
	}
	r, row := s.run, *s.run.progress.Step(s.step)
	number := r.number(s.step)
	attempt := AttemptRow{
		ID: id, Instance: r.instance.ID, Job: r.instance.Job, Step: row.Step, Number: number, Fence: r.instance.Fence, Owner: r.instance.Owner,
		Pool: r.job.Pool, StartedAt: t.now,
	}
	if fault.Planted(fault.EffectFirst) {
		t.handOut(t.now, startedStep{s, id, number})
	}
	ok, err := t.tx.StartAttempt(attempt)
	if err != nil {
		return fmt.Errorf("record an attempt of %s: %w", r.instance.Name(), err)
	}
	if !ok {
		t.fenced = true
		return nil
	}
	if r.stored() || row.Attempts > 0 {
		row.State, row.NotBefore = StepRunning, time.Time{}
		row.Attempts++
		if ok, err := t.tx.SetStep(r.instance.ID, r.instance.Fence, row); err != nil || !ok {
			return wrap(errors.Join(err, unless(ok, errStuck)), "record a step of %s", r.instance.Name())
		}
	}
	t.spend(r.job.Pool)
	l := t.lane(&r.instance)
	if l != nil {
		l.slots++
		l.pools[r.job.Pool]++
	}
	t.laneLast[""], t.laneLast[r.job.Pool] = l != nil, l != nil
	t.starts = append(t.starts, startedStep{s, id, number})
	return nil
}
