package store

import (
	"fmt"
	"math"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

const (
	byTime      = ` ORDER BY i.plan_time, i.id LIMIT CAST(? AS INTEGER)`
	inWindow    = ` AND i.plan_time >= ? AND i.plan_time < ?` + isReal
	betweenSQL  = instanceColumns + `WHERE i.job = ?` + inWindow + byTime
	betweenAll  = instanceColumns + `WHERE i.ended_at IS NULL` + inWindow
	betweenPast = instanceColumns + `WHERE i.ended_at IS NOT NULL` + inWindow
	anywhereSQL = `SELECT * FROM (` + betweenAll + byTime + `) UNION ALL SELECT * FROM (` + betweenPast + byTime + `)`
	filledSQL   = instanceColumns + `WHERE i.kind <> 'scheduled' AND i.kind = 'backfill'
		AND i.key = ?` + inWindow + byTime

	filledJobSQL = instanceColumns + `WHERE i.job = ? AND i.key = ? AND i.key <> ''
		AND i.kind = 'backfill'` + inWindow + byTime

	waitingAll = instanceColumns + `WHERE i.ended_at IS NULL AND i.state = 'waiting'` + inWindow + byTime
	notableSQL = instanceColumns + `WHERE i.state <> 'waiting' AND i.state <> 'succeeded' AND i.state = ?` + inWindow + byTime
	succeeded  = instanceColumns + `WHERE i.ended_at IS NOT NULL AND i.state = 'succeeded'` + inWindow + byTime

	waitingForSQL = instanceColumns + `JOIN job_upstream u ON u.upstream = ? AND u.job = i.job
		WHERE i.plan_time >= ? - u.ahead AND i.plan_time <= ? + u.reach` + isReal + `
		AND EXISTS (SELECT 1 FROM wait w WHERE w.instance = i.id AND w.upstream = u.upstream AND w.key = ? AND w.first_time <= ? AND w.last_time >= ?)
		ORDER BY +i.plan_time, +i.id`
)

// bounds is a window as two milliseconds; a zero time does not bound.
func bounds(from, to time.Time) (first, end int64) {
	first, end = math.MinInt64, math.MaxInt64
	if !from.IsZero() {
		first = from.UnixMilli()
	}
	if !to.IsZero() {
		end = to.UnixMilli()
	}
	return first, end
}

// Between lists instances by their plan time.
func (v *view) Between(job int64, from, to time.Time, limit int) ([]engine.Instance, error) {
	first, end := bounds(from, to)
	if job != 0 {
		return v.instances(betweenSQL, job, first, end, limit)
	}
	both, err := v.instances(anywhereSQL, first, end, limit, first, end, limit)
	if err != nil {
		return nil, err
	}
	engine.SortByPlanTime(both)
	return both[:min(limit, len(both))], nil
}

// FilledBetween lists instances of a backfill by their plan time.
func (v *view) FilledBetween(
	key string, job int64, from, to time.Time, limit int,
) ([]engine.Instance, error) {
	first, end := bounds(from, to)
	if job != 0 {
		return v.instances(filledJobSQL, job, key, first, end, limit)
	}
	return v.instances(filledSQL, key, first, end, limit)
}

// InState lists instances in a state by their plan time.
func (v *view) InState(state engine.State, from, to time.Time, limit int) ([]engine.Instance, error) {
	first, end := bounds(from, to)
	switch state {
	case engine.Waiting:
		return v.instances(waitingAll, first, end, limit)
	case engine.Succeeded:
		return v.instances(succeeded, first, end, limit)
	}
	return v.instances(notableSQL, string(state), first, end, limit)
}

// WaitingFor lists what waits, or waited, for an instance.
func (v *view) WaitingFor(up *engine.Instance) ([]engine.Instance, error) {
	at := up.PlanTime.UnixMilli()
	return v.instances(waitingForSQL, up.Job, at, at, up.Key, at, at)
}

const (
	touchWaiting = ` AND state = 'waiting' RETURNING job, key, plan_time`
	wakeSelf     = ` wake = CASE WHEN gate <> 'time' AND (wake IS NULL OR wake > not_before) THEN not_before ELSE wake END`

	setFrozenSQL   = `UPDATE instance SET frozen = ?, touched = 1,` + wakeSelf + ` WHERE id = ? AND frozen <> ?` + touchWaiting
	setPrioritySQL = `UPDATE instance SET priority = ?, touched = 1 WHERE id = ? AND priority <> ?` + touchWaiting
	setTimeSQL     = `UPDATE instance SET not_before = ?, touched = 1, wake = CASE WHEN gate = 'time' THEN ? ELSE ? END WHERE id = ? AND not_before <> ?` + touchWaiting
	setRunNowSQL   = `UPDATE instance SET run_now = ?, touched = 1, not_before = ?, wake = ?, gate = CASE WHEN gate = 'time' THEN 'dependency' ELSE gate END
		WHERE id = ? AND run_now = ''` + touchWaiting
	setWaitsSQL  = `UPDATE instance SET touched = 1,` + wakeSelf + ` WHERE id = ?` + touchWaiting
	isWaitingSQL = `SELECT job, key, plan_time FROM instance WHERE id = ? AND state = 'waiting'`
	boundSQL     = `UPDATE wait SET bound = ? WHERE instance = ?`
	dropWaitsSQL = `DELETE FROM wait WHERE instance = ?`

	wakeWaitersSQL = wakeSet + watchers + ` UNION ALL SELECT instance FROM wait` + holders + ` AND on_failed = 'cancel'` + wakeEnd
	restsSQL       = `SELECT 1 FROM instance WHERE id = ? AND state <> 'running'`
)

// touch carries out one change of a waiting instance and records it.
func (t *tx) touch(kind string, instance int64, r engine.Reason, at time.Time, text string, args ...any) (i identity, ok bool, err error) {
	err = t.s.change(text, func(c *columns) error {
		ok = true
		i = identity{c.int(), c.text(), c.int()}
		return nil
	}, args...)
	if err != nil || !ok {
		return i, false, err
	}
	t.record(eventRow{at: at.UnixMilli(), kind: kind, instance: instance, job: i.job, reason: encodeReason(r), actor: r.Actor})
	return i, true, nil
}

// SetFrozen freezes a waiting instance or lets it go.
func (t *tx) SetFrozen(instance int64, frozen bool, r engine.Reason, at time.Time) (bool, error) {
	kind := "unfreeze"
	if frozen {
		kind = "freeze"
	}
	i, ok, err := t.touch(kind, instance, r, at, setFrozenSQL, frozen, instance, frozen)
	if err != nil || !ok {
		return false, err
	}
	return true, t.wakeWaiters(i)
}

// WakeWaiters lets be looked at what watches the instance, and what gives up when it counts as failed.
func (t *tx) WakeWaiters(i *engine.Instance) error {
	return t.wakeWaiters(identity{i.Job, i.Key, i.PlanTime.UnixMilli()})
}

func (t *tx) wakeWaiters(i identity) error {
	_, err := t.s.exec(wakeWaitersSQL, i.job, i.planTime, i.key, i.job, i.key, i.planTime, i.planTime)
	if err != nil {
		return fmt.Errorf("wake what waits for job %d: %w", i.job, err)
	}
	return nil
}

// SetPriority gives a waiting instance another priority.
func (t *tx) SetPriority(instance int64, priority int, r engine.Reason, at time.Time) (bool, error) {
	_, ok, err := t.touch("boost", instance, r, at, setPrioritySQL, priority, instance, priority)
	return ok, err
}

// SetNotBefore moves when a waiting instance starts at the earliest.
func (t *tx) SetNotBefore(instance int64, to time.Time, r engine.Reason, at time.Time) (bool, error) {
	start := to.UnixMilli()
	_, ok, err := t.touch("reschedule", instance, r, at, setTimeSQL, start, start, at.UnixMilli(), instance, start)
	return ok, err
}

// SetRunNow lets a waiting instance run without what it waits for.
func (t *tx) SetRunNow(instance int64, r engine.Reason, at time.Time) (bool, error) {
	if r.Actor == "" {
		return false, fmt.Errorf("%w: instance %d cannot be run at once by nobody", engine.ErrInvalid, instance)
	}
	now := at.UnixMilli()
	_, ok, err := t.touch("run-now", instance, r, at, setRunNowSQL, r.Actor, now, now, instance)
	return ok, err
}

// SetWaits replaces what a waiting instance waits for.
func (t *tx) SetWaits(instance int64, waits []engine.Wait, r engine.Reason, at time.Time) (bool, error) {
	i, ok, err := t.touch("detach", instance, r, at, setWaitsSQL, instance)
	if err != nil || !ok {
		return false, err
	}
	if _, err := t.s.exec(keepFormerSQL, at.UnixMilli(), instance); err != nil {
		return false, fmt.Errorf("keep what instance %d waited for: %w", instance, err)
	}
	return true, t.replaceWaits(instance, i, waits)
}

func (t *tx) replaceWaits(instance int64, i identity, waits []engine.Wait) error {
	if _, err := t.s.exec(dropWaitsSQL, instance); err != nil {
		return fmt.Errorf("replace what instance %d waits for: %w", instance, err)
	}
	p := &planning{t: t, reach: map[[2]int64]reach{}}
	for n := range waits {
		p.wait(&waits[n])
		p.widen(i.job, i.planTime, &waits[n])
	}
	if err := p.flushWaits(1); err != nil {
		return err
	}
	return p.recordReach()
}

// Rebind replaces what a waiting instance waits for by what the definitions say now.
func (t *tx) Rebind(instance int64, waits []engine.Wait, r engine.Reason, at time.Time) (bool, error) {
	var i identity
	ok, err := t.s.one(isWaitingSQL, func(c *columns) error {
		i = identity{c.int(), c.text(), c.int()}
		return nil
	}, instance)
	if err != nil || !ok {
		return false, err
	}
	t.record(eventRow{at: at.UnixMilli(), kind: "rebind", instance: instance, job: i.job, reason: encodeReason(r), actor: r.Actor})
	return true, t.replaceWaits(instance, i, waits)
}

// SetBound records of which definitions what an instance waits for is.
func (t *tx) SetBound(instance, revision int64) error {
	_, err := t.s.exec(boundSQL, revision, instance)
	return err
}

// KeepSteps replaces the steps of an instance that does not run.
func (t *tx) KeepSteps(instance int64, steps []engine.StepRow) (bool, error) {
	rests, err := t.s.one(restsSQL, func(*columns) error { return nil }, instance)
	if err != nil || !rests {
		return false, err
	}
	return true, t.putSteps(instance, steps)
}

var endedAfterSQL = instanceColumns + `WHERE i.ended_at IS NOT NULL AND i.ended_at >= ? AND (i.ended_at, i.id) > (?, ?) ORDER BY i.ended_at, i.id LIMIT CAST(? AS INTEGER)`

const (
	wakingAfterSQL = `SELECT wake, id, not_before, gate FROM instance INDEXED BY instance_wake
		WHERE state = 'waiting' AND wake IS NOT NULL AND wake >= ? AND (wake, id) > (?, ?) ORDER BY wake, id LIMIT CAST(? AS INTEGER)`
	wakeSoonerSQL = `UPDATE instance SET wake = ? WHERE id = ? AND state = 'waiting' AND wake > ?`
)

// WakingAfter lists what is to be looked at, in that order.
func (v *view) WakingAfter(at time.Time, id int64, limit int) (list []engine.Waking, err error) {
	err = v.s.query(wakingAfterSQL, func(c *columns) error {
		w := engine.Waking{At: c.utc(), ID: c.int(), NotBefore: c.utc(), Gate: engine.Gate(c.text())}
		list = append(list, w)
		return nil
	}, at.UnixMilli(), at.UnixMilli(), id, limit)
	return list, err
}

// WakeSooner lets an instance be looked at.
func (t *tx) WakeSooner(instance int64, at time.Time) error {
	_, err := t.s.exec(wakeSoonerSQL, at.UnixMilli(), instance, at.UnixMilli())
	return err
}

// EndedAfter lists ended instances by end and id, those behind the given place, at most limit.
func (v *view) EndedAfter(at time.Time, id int64, limit int) ([]engine.Instance, error) {
	return v.instances(endedAfterSQL, at.UnixMilli(), at.UnixMilli(), id, limit)
}
