package model

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/fault"
)

// highest is the highest priority.
const highest = 9

func (t *tx) Apply(c engine.Transition) (bool, error) {
	to, err := c.From.On(c.Event)
	if err != nil {
		return false, err
	}
	if to == engine.Running && c.Owner == "" {
		return false, fmt.Errorf("%w: instance %d cannot start without an owner", engine.ErrInvalid, c.Instance)
	}
	if t.broken != nil {
		return false, t.broken
	}
	was := t.s.instances[c.Instance]
	if was == nil || was.State != c.From || was.Fence != c.Fence {
		return false, nil
	}
	i := was.change()
	if c.Event.Closes(c.From) {
		i.closeRun(c.At)
	}
	i.State, i.Reason = to, ownReason(c.Reason)
	i.Gate, i.Owner, i.Lease, i.Cancel = "", "", time.Time{}, nil
	i.wake, i.watch = never, identity{}
	switch {
	case to == engine.Running:
		i.Fence++
		i.Owner, i.Lease = c.Owner, instant(c.Lease)
		i.StartedAt = utc(c.At)
	case to == engine.Waiting:
		// A rerun was looked at before: what is decided once, when its time came, is not decided again. What it waits for counts from now, and what a
		// person allowed or held was about the run before.
		i.Gate, i.EndedAt, i.wake = engine.GateDependency, time.Time{}, c.At.UnixMilli()
		i.Touched, i.Frozen, i.Confirmed, i.RunNow = true, false, "", ""
		if c.At.UnixMilli() > i.NotBefore.UnixMilli() {
			i.NotBefore = i.inItsZone(c.At)
		}
		if c.Version != 0 {
			i.Version, i.Pool = c.Version, c.Pool
		}
	case to.Ended():
		i.EndedAt = utc(c.At)
	}
	set(t, (*state).putInstance, i.ID, i)
	t.record(engine.EventRow{
		At: c.At, Kind: string(c.Event), Instance: i.ID, Job: i.Job, From: c.From, To: to, Reason: c.Reason, Actor: c.Reason.Actor,
	})
	if to.Ended() || c.From == engine.Running {
		t.leaveWatches(i.ID, c.From, to)
		t.wakeAfter(i, c.At.UnixMilli())
	}
	t.watch(i, c.At)
	return true, nil
}

// wakeAfter makes due what waits for an instance that has ended, or has stopped running.
func (t *tx) wakeAfter(i *instance, at int64) {
	var ids []int64
	if i.State.Ended() && !fault.Planted(fault.LostWakeUp) {
		is := i.identity()
		for k := range t.s.watch.from(place{is.job, is.at, is.key, least}) {
			if (identity{k.job, k.key, k.at}) != is {
				break
			}
			ids = append(ids, k.id)
		}
		held := t.s.cancel
		if i.State.Satisfies() {
			held = t.s.some
		}
		for k := range held.from(rangeKey{upstream: is.job, key: is.key, last: is.at, first: least}) {
			if k.upstream != is.job || k.key != is.key {
				break
			}
			if k.first <= is.at {
				ids = append(ids, k.instance)
			}
		}
	}
	t.wake(append(ids, t.firstInLine(i.Job, at)...))
}

// firstInLine returns the first instance of the job behind the gate concurrency that is not woken already and whose own time has come, or all of them when
// it has come of none. Of a backfill it is that whose id is the lowest.
func (t *tx) firstInLine(job, at int64) (all []int64) {
	var first *instance
	for k := range t.s.line.from(turn{job: job, priority: highest + 1}) {
		if k.job != job {
			break
		}
		i := t.s.instances[k.id]
		switch {
		case i.woken():
		case i.NotBefore.UnixMilli() > at:
			all = append(all, k.id)
		case i.Kind != engine.Backfill && first == nil:
			return []int64{k.id}
		case first == nil, i.Kind == first.Kind && i.Key == first.Key && i.Priority == first.Priority && i.ID < first.ID:
			first = i
		}
	}
	if first != nil {
		return []int64{first.ID}
	}
	return all
}

// wake makes the instances due at their own time, unless they are due earlier or it has not come.
func (t *tx) wake(ids []int64) {
	for _, id := range ids {
		if i := t.s.instances[id]; i.lookedAt() && !i.woken() {
			t.setWake(i, i.NotBefore.UnixMilli())
		}
	}
}

func (t *tx) WakeDependents(upstream, after int64, limit int) (last int64, woken int, err error) {
	if t.broken != nil {
		return 0, 0, t.broken
	}
	var ids []int64
	for k := range t.s.needs.from(needKey{upstream: upstream, instance: least, n: math.MinInt}) {
		if k.upstream != upstream {
			break
		}
		if t.s.instances[k.instance].lookedAt() {
			ids = append(ids, k.instance)
		}
	}
	return t.wakeNextOf(ids, after, limit)
}

func (t *tx) WakeWaiting(job, after int64, limit int) (last int64, woken int, err error) {
	if t.broken != nil {
		return 0, 0, t.broken
	}
	return t.wakeNextOf(slices.Collect(idsInJob(t.s.waiting, job, least)), after, limit)
}

// wakeNextOf makes the first of the instances due at their own time, by id, that wait to be woken.
func (t *tx) wakeNextOf(ids []int64, after int64, limit int) (last int64, woken int, err error) {
	slices.Sort(ids)
	last = after
	for _, id := range slices.Compact(ids) {
		i := t.s.instances[id]
		if id <= after || woken == limit || !i.sleeps() {
			continue
		}
		t.setWake(i, i.NotBefore.UnixMilli())
		last, woken = id, woken+1
	}
	return last, woken, nil
}

// inTurn are the gates behind which an instance has got, or has, its turn among those of its job.
var inTurn = []engine.Gate{engine.GateConcurrency, engine.GateSlot, engine.GateDisk}

func (t *tx) Hold(h engine.Hold) (bool, error) {
	if t.broken != nil {
		return false, t.broken
	}
	was := t.s.instances[h.Instance]
	if was == nil || was.State != engine.Waiting {
		return false, nil
	}
	if !slices.Contains(engine.Gates, h.Gate) {
		return false, t.refuse(fmt.Errorf("hold instance %d: %w: there is no gate %q", h.Instance, ErrConstraint, h.Gate))
	}
	i := was.change()
	i.Gate, i.Reason, i.wake, i.watch = h.Gate, ownReason(h.Reason), never, identity{}
	if !h.Wake.IsZero() {
		i.wake = h.Wake.UnixMilli()
	}
	if h.WatchJob != 0 {
		i.watch = identity{h.WatchJob, h.WatchKey, h.WatchTime.UnixMilli()}
	}
	set(t, (*state).putInstance, i.ID, i)
	if slices.Contains(inTurn, was.Gate) && !slices.Contains(inTurn, h.Gate) {
		// Its turn goes to the next, which nothing else will wake.
		return true, t.WakeNext(i.Job, h.At)
	}
	return true, nil
}

func (t *tx) WakeNext(job int64, at time.Time) error {
	if t.broken != nil {
		return t.broken
	}
	t.wake(t.firstInLine(job, at.UnixMilli()))
	return nil
}

func (t *tx) SetCancel(id int64, r engine.Reason, at time.Time) (bool, error) {
	if t.broken != nil {
		return false, t.broken
	}
	was := t.s.instances[id]
	if was == nil || was.State != engine.Running || was.Cancel != nil {
		return false, nil
	}
	i, own := was.change(), ownReason(r)
	i.Cancel = &own
	set(t, (*state).putInstance, id, i)
	t.record(engine.EventRow{At: at, Kind: "cancel-request", Instance: id, Job: i.Job, Reason: r, Actor: r.Actor})
	return true, nil
}

func (t *tx) SetConfirmed(id int64, r engine.Reason, at time.Time) (bool, error) {
	if t.broken != nil {
		return false, t.broken
	}
	was := t.s.instances[id]
	if was == nil || was.State != engine.Waiting {
		return false, nil
	}
	i := was.change()
	i.Confirmed = r.Actor
	if i.lookedAt() && !i.woken() {
		i.wake = i.NotBefore.UnixMilli()
	}
	set(t, (*state).putInstance, id, i)
	t.record(engine.EventRow{At: at, Kind: "confirm", Instance: id, Job: i.Job, Reason: r, Actor: r.Actor})
	return true, nil
}

func (t *tx) Renew(owner string, until time.Time) error {
	if t.broken != nil {
		return t.broken
	}
	var ids []int64
	for k := range t.s.running.all() {
		if i := t.s.instances[k.id]; i.State == engine.Running && i.Owner == owner {
			ids = append(ids, k.id)
		}
	}
	for _, id := range ids {
		i := t.s.instances[id].change()
		i.Lease = instant(until)
		set(t, (*state).putInstance, id, i)
	}
	return nil
}

// instant is a time as it comes back, in UTC; the zero time is none and stays so.
func instant(at time.Time) time.Time {
	if at.IsZero() {
		return time.Time{}
	}
	return utc(at)
}

func (t *tx) TakeOver(id, fence int64, owner string, lease time.Time) (int64, bool, error) {
	if owner == "" {
		return 0, false, fmt.Errorf("%w: instance %d cannot be taken over by nobody", engine.ErrInvalid, id)
	}
	if t.broken != nil {
		return 0, false, t.broken
	}
	if !t.holds(id, fence) {
		return 0, false, nil
	}
	i := t.s.instances[id].change()
	i.Owner, i.Lease, i.Fence = owner, instant(lease), fence+1
	if fault.Planted(fault.FenceNotGrown) {
		i.Fence = fence
	}
	set(t, (*state).putInstance, id, i)
	for _, a := range t.s.attemptsOf(id) {
		if a.Result == nil && !a.Error {
			taken := *a
			taken.Owner, taken.Fence = owner, i.Fence
			set(t, (*state).putAttempt, a.ID, &taken)
		}
	}
	return i.Fence, true, nil
}

// holds reports whether the instance is running under the fence.
func (t *tx) holds(id, fence int64) bool {
	i := t.s.instances[id]
	return i != nil && i.State == engine.Running && (i.Fence == fence || fault.Planted(fault.ForgetFence))
}
