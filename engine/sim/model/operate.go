package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// inItsZone is a time in the offset of the plan time, as an instance shows it.
func (i *instance) inItsZone(at time.Time) time.Time {
	_, offset := i.PlanTime.Zone()
	return inZone(utc(at), offset)
}

// those lists the instances that fit, by plan time and id, at most limit.
func (v *view) those(limit int, fit func(i *instance) bool) ([]engine.Instance, error) {
	if v.broken != nil {
		return nil, v.broken
	}
	var list []engine.Instance
	for id, i := range v.s.instances {
		if !fit(i) {
			continue
		}
		if shown, ok := v.s.shown(id); ok {
			list = append(list, shown)
		}
	}
	engine.SortByPlanTime(list)
	return list[:min(limit, len(list))], nil
}

func within(at, from, to time.Time) bool {
	ms := at.UnixMilli()
	return (from.IsZero() || ms >= from.UnixMilli()) && (to.IsZero() || ms < to.UnixMilli())
}

func (v *view) Between(job int64, from, to time.Time, limit int) ([]engine.Instance, error) {
	return v.those(limit, func(i *instance) bool { return (job == 0 || i.Job == job) && within(i.PlanTime, from, to) })
}

func (v *view) FilledBetween(
	key string, job int64, from, to time.Time, limit int,
) ([]engine.Instance, error) {
	return v.those(limit, func(i *instance) bool {
		return (job == 0 || i.Job == job) && i.Kind == engine.Backfill && i.Key == key &&
			within(i.PlanTime, from, to)
	})
}

func (v *view) InState(state engine.State, from, to time.Time, limit int) ([]engine.Instance, error) {
	return v.those(limit, func(i *instance) bool { return i.State == state && within(i.PlanTime, from, to) })
}

func (v *view) WaitingFor(up *engine.Instance) ([]engine.Instance, error) {
	at := up.PlanTime.UnixMilli()
	return v.those(math.MaxInt, func(i *instance) bool {
		waits := v.s.waits[i.ID]
		for n := range waits {
			w := &waits[n]
			if w.Upstream == up.Job && w.Key == up.Key && w.Count > 0 && w.First.UnixMilli() <= at && w.Last.UnixMilli() >= at {
				return true
			}
		}
		return false
	})
}

// touch changes a waiting instance and records it.
func (t *tx) touch(kind string, id int64, r engine.Reason, at time.Time, change func(i *instance) (changed bool)) (bool, error) {
	if t.broken != nil {
		return false, t.broken
	}
	was := t.s.instances[id]
	if was == nil || was.State != engine.Waiting {
		return false, nil
	}
	i := was.change()
	if !change(i) {
		return false, nil
	}
	i.Touched = true
	set(t, (*state).putInstance, id, i)
	t.record(engine.EventRow{At: at, Kind: kind, Instance: id, Job: i.Job, Reason: r, Actor: r.Actor})
	return true, nil
}

// wakeSelf makes an instance due at its own time.
func (i *instance) wakeSelf() {
	if i.lookedAt() && !i.woken() {
		i.wake = i.NotBefore.UnixMilli()
	}
}

func (t *tx) SetFrozen(id int64, frozen bool, r engine.Reason, at time.Time) (bool, error) {
	kind := "unfreeze"
	if frozen {
		kind = "freeze"
	}
	ok, err := t.touch(kind, id, r, at, func(i *instance) bool {
		changed := i.Frozen != frozen
		i.Frozen = frozen
		i.wakeSelf()
		return changed
	})
	if err != nil || !ok {
		return false, err
	}
	t.wakeWaiters(t.s.instances[id].identity())
	return true, nil
}

func (t *tx) WakeWaiters(i *engine.Instance) error {
	if t.broken != nil {
		return t.broken
	}
	t.wakeWaiters(identity{i.Job, i.Key, i.PlanTime.UnixMilli()})
	return nil
}

func (t *tx) wakeWaiters(is identity) {
	var ids []int64
	for k := range t.s.watch.from(place{is.job, is.at, is.key, least}) {
		if (identity{k.job, k.key, k.at}) != is {
			break
		}
		ids = append(ids, k.id)
	}
	for k := range t.s.cancel.from(rangeKey{upstream: is.job, key: is.key, last: is.at, first: least}) {
		if k.upstream != is.job || k.key != is.key {
			break
		}
		if k.first <= is.at {
			ids = append(ids, k.instance)
		}
	}
	t.wake(ids)
}

func (t *tx) SetPriority(id int64, priority int, r engine.Reason, at time.Time) (bool, error) {
	if t.broken == nil && (priority < 0 || priority > highest) {
		if i := t.s.instances[id]; i != nil && i.State == engine.Waiting {
			return false, t.refuse(fmt.Errorf("instance %d: %w: priority %d", id, ErrConstraint, priority))
		}
	}
	return t.touch("boost", id, r, at, func(i *instance) bool {
		changed := i.Priority != priority
		i.Priority = priority
		return changed
	})
}

func (t *tx) SetRunNow(id int64, r engine.Reason, at time.Time) (bool, error) {
	if r.Actor == "" {
		return false, fmt.Errorf("%w: instance %d cannot be run at once by nobody", engine.ErrInvalid, id)
	}
	return t.touch("run-now", id, r, at, func(i *instance) bool {
		if i.RunNow != "" {
			return false
		}
		i.RunNow, i.NotBefore, i.wake = r.Actor, i.inItsZone(at), at.UnixMilli()
		if i.Gate == engine.GateTime {
			i.Gate = engine.GateDependency
		}
		return true
	})
}

func (t *tx) SetNotBefore(id int64, to time.Time, r engine.Reason, at time.Time) (bool, error) {
	return t.touch("reschedule", id, r, at, func(i *instance) bool {
		changed := i.NotBefore.UnixMilli() != to.UnixMilli()
		if i.wake = at.UnixMilli(); i.Gate == engine.GateTime {
			i.wake = to.UnixMilli()
		}
		i.NotBefore = i.inItsZone(to)
		return changed
	})
}

func (t *tx) SetWaits(id int64, waits []engine.Wait, r engine.Reason, at time.Time) (bool, error) {
	ok, err := t.touch("detach", id, r, at, func(i *instance) bool {
		i.wakeSelf()
		return true
	})
	if err != nil || !ok {
		return false, err
	}
	former, until := t.s.former[id], at.UnixMilli()
	same := slices.ContainsFunc(former, func(f formerWaits) bool { return f.until == until })
	if was := t.s.waits[id]; len(was) > 0 && !same {
		set(t, (*state).putFormer, id, append(slices.Clip(former), formerWaits{until, was}))
	}
	return t.replaceWaits(id, waits)
}

func (t *tx) Rebind(id int64, waits []engine.Wait, r engine.Reason, at time.Time) (bool, error) {
	if t.broken != nil {
		return false, t.broken
	}
	i := t.s.instances[id]
	if i == nil || i.State != engine.Waiting {
		return false, nil
	}
	t.record(engine.EventRow{At: at, Kind: "rebind", Instance: id, Job: i.Job, Reason: r, Actor: r.Actor})
	return t.replaceWaits(id, waits)
}

func (t *tx) SetBound(id, revision int64) error {
	if t.broken != nil {
		return t.broken
	}
	waits := slices.Clone(t.s.waits[id])
	if len(waits) == 0 {
		return nil
	}
	for n := range waits {
		waits[n].Bound = revision
	}
	set(t, (*state).putWaits, id, waits)
	return nil
}

func (t *tx) replaceWaits(id int64, waits []engine.Wait) (bool, error) {
	own, err := ownWaits(id, waits)
	if err != nil {
		return false, t.refuse(err)
	}
	i := t.s.instances[id]
	set(t, (*state).putInstance, id, nil) // and with it the indexes of what it waited for
	set(t, (*state).putWaits, id, own)
	set(t, (*state).putInstance, id, i)
	reaches := map[pair]int64{}
	for n := range own {
		widen(reaches, i.Job, i.PlanTime, &own[n])
	}
	t.recordReach(reaches)
	return true, nil
}

func (t *tx) KeepSteps(id int64, steps []engine.StepRow) (bool, error) {
	if t.broken != nil {
		return false, t.broken
	}
	if i := t.s.instances[id]; i == nil || i.State == engine.Running {
		return false, nil
	}
	return t.putSteps(id, steps)
}

func (v *view) WakingAfter(at time.Time, id int64, limit int) (list []engine.Waking, err error) {
	if v.broken != nil {
		return nil, v.broken
	}
	ms := at.UnixMilli()
	for _, i := range v.s.instances {
		if i.State == engine.Waiting && i.wake != never && (i.wake > ms || i.wake == ms && i.ID > id) {
			list = append(list, engine.Waking{ID: i.ID, At: time.UnixMilli(i.wake).UTC(), NotBefore: i.NotBefore.UTC(), Gate: i.Gate})
		}
	}
	slices.SortFunc(list, func(a, b engine.Waking) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return list[:min(limit, len(list))], nil
}

func (t *tx) WakeSooner(instance int64, at time.Time) error {
	if t.broken != nil {
		return t.broken
	}
	if i := t.s.instances[instance]; i != nil && i.State == engine.Waiting && i.wake != never && i.wake > at.UnixMilli() {
		t.setWake(i, at.UnixMilli())
	}
	return nil
}

func (v *view) EndedAfter(at time.Time, id int64, limit int) ([]engine.Instance, error) {
	ms := at.UnixMilli()
	list, err := v.those(math.MaxInt, func(i *instance) bool {
		return !i.EndedAt.IsZero() && (i.EndedAt.UnixMilli() > ms || i.EndedAt.UnixMilli() == ms && i.ID > id)
	})
	slices.SortFunc(list, func(a, b engine.Instance) int { return cmp.Or(a.EndedAt.Compare(b.EndedAt), cmp.Compare(a.ID, b.ID)) })
	return list[:min(limit, len(list))], err
}
