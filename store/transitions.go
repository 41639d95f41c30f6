package store

import (
	"fmt"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// What a transition changes beside the state, by event. Each is compare-and-set on (id, state, fence).
const (
	whereAsWas = ` WHERE id = ? AND state = ? AND fence = ? RETURNING job, key, plan_time`
	notHeld    = `wake = NULL, watch_job = NULL, watch_key = NULL, watch_time = NULL`

	startSQL = `UPDATE instance SET state = 'running', gate = '', reason = ?, fence = fence + 1, owner = ?, lease = ?,
		started_at = ?, ` + notHeld + whereAsWas
	loseSQL = `UPDATE instance SET state = 'lost', reason = ?, owner = '', lease = NULL, cancel = NULL` + whereAsWas
	ended   = `UPDATE instance SET state = ?, gate = '', reason = ?, owner = '', lease = NULL, cancel = NULL, ended_at = ?, ` + notHeld
	endSQL  = ended + whereAsWas
	nextRun = `, run = run + 1, started_at = NULL`
	// A person's word about what has ended or is lost is no outcome of what ran.
	settleSQL  = ended + nextRun + whereAsWas
	keepRunSQL = `INSERT INTO run (instance, number, job, key, plan_time, state, reason, fence, started_at, ended_at)
		SELECT id, run, job, key, plan_time, state, reason, fence, started_at, coalesce(ended_at, ?) FROM instance WHERE id = ? AND state = ? AND fence = ?`
	// A rerun was looked at before: what is decided once, when its time came, is not decided again. What it waits for counts from now, and what a
	// person allowed or held was about the run before.
	rerunSQL = `UPDATE instance SET state = 'waiting', gate = 'dependency', reason = ?, ended_at = NULL, wake = ?, not_before = max(not_before, ?),
		version = CASE WHEN ? = 0 THEN version ELSE ? END, pool = CASE WHEN ? = 0 THEN pool ELSE ? END, touched = 1, frozen = 0, confirmed = '', run_now = ''` + nextRun + whereAsWas
)

// An identity is what other instances know an instance by.
type identity struct {
	job      int64
	key      string
	planTime int64
}

// Apply carries out one transition, compare-and-set on (state, fence), with its event in the history, and wakes what waits for it. The event
// is refused with an *engine.IllegalError when the transition's From does not allow it.
func (t *tx) Apply(c engine.Transition) (bool, error) {
	to, err := c.From.On(c.Event)
	if err != nil {
		return false, err
	}
	at, reason, from := c.At.UnixMilli(), encodeReason(c.Reason), string(c.From)
	var i identity
	ok := false
	take := func(row *columns) error {
		ok = true
		i = identity{row.int(), row.text(), row.int()}
		return nil
	}
	closes := c.Event.Closes(c.From)
	if closes {
		if _, err := t.s.exec(keepRunSQL, at, c.Instance, from, c.Fence); err != nil {
			return false, fmt.Errorf("keep the run of instance %d that is over: %w", c.Instance, err)
		}
	}
	switch to {
	case engine.Running:
		if c.Owner == "" {
			return false, fmt.Errorf("%w: instance %d cannot start without an owner", engine.ErrInvalid, c.Instance)
		}
		err = t.s.change(startSQL, take, reason, c.Owner, ms(c.Lease), at, c.Instance, from, c.Fence)
	case engine.Lost:
		err = t.s.change(loseSQL, take, reason, c.Instance, from, c.Fence)
	case engine.Waiting:
		err = t.s.change(rerunSQL, take, reason, at, at, c.Version, c.Version, c.Version, c.Pool, c.Instance, from, c.Fence)
	default:
		text := endSQL
		if closes {
			text = settleSQL
		}
		err = t.s.change(text, take, string(to), reason, at, c.Instance, from, c.Fence)
	}
	if err != nil || !ok {
		return false, err
	}
	t.moved(i.job, c.From, to)
	t.record(eventRow{at: at, kind: string(c.Event), instance: c.Instance, job: i.job, from: from, to: string(to), reason: reason, actor: c.Reason.Actor})
	if to.Ended() || c.From == engine.Running {
		if err := t.leaveWatches(c.Instance, c.From, to); err != nil {
			return false, err
		}
		if err = t.wake(i, to, at); err != nil {
			return false, err
		}
	}
	err = t.watch(c.Instance, i.job, to, at)
	return err == nil, err
}

// What an end wakes. What is woken is due at its own time, which has passed: so it stays due when the clock by which it was woken is set back. One behind
// the gate time is looked at when that comes whatever happens.
const (
	wakeSet = `UPDATE instance SET wake = not_before WHERE id IN (`
	wakeEnd = `) AND state = 'waiting' AND gate <> 'time' AND (wake IS NULL OR wake > not_before)`

	watchers = `SELECT id FROM instance WHERE watch_job = ? AND watch_time = ? AND watch_key = ?`
	holders  = ` WHERE upstream = ? AND key = ? AND last_time >= ? AND first_time <= ?`
	// The first in line whose own time has come. Where it has come of none, by a clock that was set back, each is looked at when it does: who of them
	// is the first then, nobody knows. The turn of a backfill goes to its own first, which by its order may have the latest plan time.
	asking = `(wake IS NULL OR wake > not_before) AND job = `
	line   = ` FROM instance WHERE state = 'waiting' AND gate <> 'time' AND gate = 'concurrency' AND ` + asking
	ready  = line + `? AND not_before <= ?`
	lead   = `SELECT id AS lead, kind AS sort, key AS lane, job AS of, priority AS rank, ? AS at` + ready + ` ORDER BY priority DESC, plan_time, id LIMIT 1`
	ofLane = `SELECT id FROM instance WHERE kind = 'backfill' AND key = lane AND state = 'waiting' AND gate = 'concurrency' AND ` + asking +
		`of AND not_before <= at AND priority = rank ORDER BY id LIMIT 1`
	next = `SELECT CASE WHEN sort = 'backfill' THEN (` + ofLane + `) ELSE lead END FROM (` + lead + `) UNION ALL SELECT id` + line +
		`(SELECT CASE WHEN EXISTS (SELECT 1` + ready + `) THEN NULL ELSE ? END)`

	wakeSatisfiedSQL = wakeSet + watchers + ` UNION ALL SELECT instance FROM wait` + holders + ` AND selects <> 'all' UNION ALL ` + next + wakeEnd
	wakeFailedSQL    = wakeSet + watchers + ` UNION ALL SELECT instance FROM wait` + holders + ` AND on_failed = 'cancel' UNION ALL ` + next + wakeEnd
	wakeNextSQL      = wakeSet + next + wakeEnd
)

// wake makes due what waits for an instance that has left the open states, or has stopped running.
func (t *tx) wake(i identity, to engine.State, at int64) error {
	var err error
	switch {
	case to.Satisfies():
		_, err = t.s.exec(wakeSatisfiedSQL, i.job, i.planTime, i.key, i.job, i.key, i.planTime, i.planTime, at, i.job, at, i.job, at, i.job)
	case to.Ended():
		_, err = t.s.exec(wakeFailedSQL, i.job, i.planTime, i.key, i.job, i.key, i.planTime, i.planTime, at, i.job, at, i.job, at, i.job)
	default:
		_, err = t.s.exec(wakeNextSQL, at, i.job, at, i.job, at, i.job)
	}
	if err != nil {
		return fmt.Errorf("wake what waits for job %d: %w", i.job, err)
	}
	return nil
}

// WakeNext lets the next in the line of a job be looked at.
func (t *tx) WakeNext(job int64, at time.Time) error {
	now := at.UnixMilli()
	_, err := t.s.exec(wakeNextSQL, now, job, now, job, now, job)
	return err
}

const (
	dependentsWokenSQL = `SELECT i.id FROM job_upstream u CROSS JOIN instance i INDEXED BY instance_held
		WHERE u.upstream = ? AND i.job = u.job AND i.state = 'waiting' AND i.gate <> 'time' AND i.id > ?
		AND (i.wake IS NULL OR i.wake > i.not_before)
		AND EXISTS (SELECT 1 FROM wait w WHERE w.instance = i.id AND w.upstream = u.upstream)
		ORDER BY i.id LIMIT CAST(? AS INTEGER)`
	waitingWokenSQL = `SELECT id FROM instance INDEXED BY instance_held WHERE job = ?1 AND state = 'waiting' AND gate <> 'time'
		AND id > ?2 AND (wake IS NULL OR wake > not_before)
		UNION ALL SELECT id FROM instance INDEXED BY instance_put_off
		WHERE job = ?1 AND state = 'waiting' AND gate = 'time'
		AND wake > not_before AND id > ?2 ORDER BY 1 LIMIT CAST(?3 AS INTEGER)`
	wakeListSQL = `UPDATE instance SET wake = not_before WHERE id IN (SELECT value FROM json_each(?))`
)

// WakeDependents makes instances that wait for the upstream job due at once. Those behind the gate
// time are looked at when their time comes, and not before: nothing upstream changes that.
func (t *tx) WakeDependents(upstream, after int64, limit int) (last int64, woken int, err error) {
	return t.wakeAfter(dependentsWokenSQL, upstream, after, limit)
}

// WakeWaiting makes instances of the job due at once that were looked at, or put off.
func (t *tx) WakeWaiting(job, after int64, limit int) (last int64, woken int, err error) {
	return t.wakeAfter(waitingWokenSQL, job, after, limit)
}

// wakeAfter wakes what a statement lists.
func (t *tx) wakeAfter(text string, job, after int64, limit int) (last int64, woken int, err error) {
	var ids []int64
	err = t.s.query(text, func(c *columns) error {
		ids = append(ids, c.int())
		return nil
	}, job, after, limit)
	if err != nil || len(ids) == 0 {
		return after, 0, err
	}
	for part := range slices.Chunk(ids, idsAtOnce) {
		if _, err := t.s.exec(wakeListSQL, idList(part)); err != nil {
			return after, 0, fmt.Errorf("wake what waits by job %d: %w", job, err)
		}
	}
	t.s.work += len(ids)
	return ids[len(ids)-1], len(ids), nil
}

const (
	gateSQL = `SELECT gate, job FROM instance WHERE id = ? AND state = 'waiting'`
	holdSQL = `UPDATE instance SET gate = ?, reason = ?, wake = ?, watch_job = ?, watch_key = ?, watch_time = ? WHERE id = ? AND state = 'waiting'`
)

// Hold records that a waiting instance was looked at and stays waiting. One that was let through by the gate concurrency and turns back to an
// earlier gate hands its turn to the next.
func (t *tx) Hold(h engine.Hold) (bool, error) {
	back := h.Gate != engine.GateConcurrency && h.Gate != engine.GateSlot && h.Gate != engine.GateDisk
	var before engine.Gate
	var job int64
	if back {
		ok, err := t.s.one(gateSQL, func(c *columns) error {
			before, job = engine.Gate(c.text()), c.int()
			return nil
		}, h.Instance)
		if err != nil || !ok {
			return false, err
		}
	}
	var watchJob, watchKey, watchTime any
	if h.WatchJob != 0 {
		watchJob, watchKey, watchTime = h.WatchJob, h.WatchKey, h.WatchTime.UnixMilli()
	}
	n, err := t.s.exec(holdSQL, string(h.Gate), encodeReason(h.Reason), ms(h.Wake), watchJob, watchKey, watchTime, h.Instance)
	if err != nil || n == 0 {
		return false, err
	}
	if back && (before == engine.GateConcurrency || before == engine.GateSlot || before == engine.GateDisk) {
		err = t.WakeNext(job, h.At)
	}
	return err == nil, err
}

const (
	setCancelSQL    = `UPDATE instance SET cancel = ? WHERE id = ? AND state = 'running' AND cancel IS NULL RETURNING job`
	setConfirmedSQL = `UPDATE instance SET confirmed = ?, wake = CASE WHEN gate <> 'time' AND (wake IS NULL OR wake > not_before) THEN not_before ELSE wake END
		WHERE id = ? AND state = 'waiting' RETURNING job`
	renewSQL    = `UPDATE instance SET lease = ? WHERE state IN ('running', 'lost') AND state = 'running' AND owner = ?`
	takeOverSQL = `UPDATE instance SET owner = ?, lease = ?, fence = fence + 1 WHERE id = ? AND state = 'running' AND fence = ? RETURNING fence`
	// The live attempts of an instance go with it: whoever decides about the one decides about the others.
	takeAttemptsSQL = `UPDATE attempt SET fence = ?, owner = ? WHERE instance = ? AND action = 'main' AND outcome IS NULL`
	takeErrandSQL   = `UPDATE attempt SET owner = ?, fence = fence + 1 WHERE id = ? AND action = 'error' AND outcome IS NULL AND fence = ? RETURNING fence`
)

// SetCancel records that a running instance is being cancelled, with an event of the kind "cancel-request".
func (t *tx) SetCancel(instance int64, r engine.Reason, at time.Time) (bool, error) {
	text := encodeReason(r)
	job, ok := int64(0), false
	err := t.s.change(setCancelSQL, func(c *columns) error {
		job, ok = c.int(), true
		return nil
	}, text, instance)
	if err != nil || !ok {
		return false, err
	}
	t.record(eventRow{at: at.UnixMilli(), kind: "cancel-request", instance: instance, job: job, reason: text, actor: r.Actor})
	return true, nil
}

// SetConfirmed records that the reason's actor confirmed a waiting instance, with an event of the kind "confirm", and wakes it.
func (t *tx) SetConfirmed(instance int64, r engine.Reason, at time.Time) (bool, error) {
	job, ok := int64(0), false
	err := t.s.change(setConfirmedSQL, func(c *columns) error {
		job, ok = c.int(), true
		return nil
	}, r.Actor, instance)
	if err != nil || !ok {
		return false, err
	}
	t.record(eventRow{at: at.UnixMilli(), kind: "confirm", instance: instance, job: job, reason: encodeReason(r), actor: r.Actor})
	return true, nil
}

// Renew moves the lease of every running instance of the owner.
func (t *tx) Renew(owner string, until time.Time) error {
	_, err := t.s.exec(renewSQL, ms(until), owner)
	return err
}

// TakeOver makes owner the owner of a running instance and its live attempts, compare-and-set on the fence, and returns the new fence.
func (t *tx) TakeOver(instance, fence int64, owner string, lease time.Time) (grown int64, ok bool, err error) {
	if owner == "" {
		return 0, false, fmt.Errorf("%w: instance %d cannot be taken over by nobody", engine.ErrInvalid, instance)
	}
	err = t.s.change(takeOverSQL, func(c *columns) error {
		grown, ok = c.int(), true
		return nil
	}, owner, ms(lease), instance, fence)
	if err != nil || !ok {
		return 0, false, err
	}
	if _, err := t.s.exec(takeAttemptsSQL, grown, owner, instance); err != nil {
		return 0, false, fmt.Errorf("take over the attempts of instance %d: %w", instance, err)
	}
	return grown, true, nil
}

// TakeErrand makes owner the owner of a live attempt of an error action, compare-and-set on its fence, and returns the new fence.
func (t *tx) TakeErrand(attempt, fence int64, owner string) (grown int64, ok bool, err error) {
	if owner == "" {
		return 0, false, fmt.Errorf("%w: attempt %d cannot be taken over by nobody", engine.ErrInvalid, attempt)
	}
	err = t.s.change(takeErrandSQL, func(c *columns) error {
		grown, ok = c.int(), true
		return nil
	}, owner, attempt, fence)
	return grown, ok && err == nil, err
}
