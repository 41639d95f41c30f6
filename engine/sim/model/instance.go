package model

import (
	"maps"
	"math"
	"sync"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// An instance is one row: what the ports show of it, without Ref, and what only the store knows.
type instance struct {
	engine.Instance
	runs  []engine.RunRow // the earlier ones by number; never changed in place
	wake  int64           // when it must be looked at while it waits; never for only when woken
	watch identity        // the upstream instance whose end wakes it; job 0 for none
}

// never is the wake of what is only woken.
const never = math.MaxInt64

func (i *instance) identity() identity { return identity{i.Job, i.Key, i.PlanTime.UnixMilli()} }

// lookedAt reports whether the instance waits and has been looked at since its time came: only such a one is woken.
func (i *instance) lookedAt() bool { return i.State == engine.Waiting && i.Gate != engine.GateTime }

// woken reports whether the instance is due at its own time or before it.
func (i *instance) woken() bool { return i.wake != never && i.wake <= i.NotBefore.UnixMilli() }

// sleeps reports whether a waiting instance was looked at, or put off when its time had come, and is
// not due before something else wakes it.
func (i *instance) sleeps() bool {
	if i.lookedAt() {
		return !i.woken()
	}
	return i.State == engine.Waiting && i.wake != never && i.wake > i.NotBefore.UnixMilli()
}

// change returns a copy of the row for a change of it.
func (i *instance) change() *instance {
	c := *i
	return &c
}

// putInstance keeps the indexes of instances, and those of the waits of open ones. The waits must be there while the instance is.
func (s *state) putInstance(id int64, row *instance) (old *instance) {
	old = put(s.instances, id, row)
	if old == nil && row == nil {
		return nil
	}
	move(s.places, placeKey, old, row)
	move(s.waiting, waitingKey, old, row)
	move(s.wake, wakeKey, old, row)
	move(s.queue, queueKey, old, row)
	move(s.line, lineKey, old, row)
	move(s.watch, watchedKey, old, row)
	move(s.running, runningKey, old, row)
	move(s.active, activeKey, old, row)
	move(s.open, openKey, old, row)
	move(s.failed, failedKey, old, row)
	move(s.done, doneKey, old, row)
	move(s.ended, endedKey, old, row)
	move(s.lane, keyInLane, old, row)
	if was, is := isOpen(old), isOpen(row); was != is {
		for _, w := range s.waits[id] {
			s.indexWait(w, is)
		}
	}
	return old
}

func isOpen(i *instance) bool { return i != nil && !i.State.Ended() }

// indexWait puts a wait of an instance that has become open into the indexes, or takes it out.
func (s *state) indexWait(w engine.Wait, in bool) {
	toggle(s.needs, needKey{w.Upstream, w.Instance, w.N}, in)
	if w.Count == 0 {
		return // it has no range that could hold anything
	}
	k := rangeKey{w.Upstream, w.Key, w.Last.UnixMilli(), w.First.UnixMilli(), w.Instance, w.N}
	if w.Select != "all" {
		toggle(s.some, k, in)
	}
	if w.OnFailed == engine.FailedCancel {
		toggle(s.cancel, k, in)
	}
}

func toggle[K any](set *ordered[K], k K, in bool) {
	if in {
		set.insert(k)
	} else {
		set.remove(k)
	}
}

func placeKey(i *instance) (place, bool) {
	if i == nil {
		return place{}, false
	}
	return place{i.Job, i.PlanTime.UnixMilli(), i.Key, i.ID}, true
}

func waitingKey(i *instance) (inJob, bool) {
	if i == nil || i.State != engine.Waiting {
		return inJob{}, false
	}
	return inJob{i.Job, i.PlanTime.UnixMilli(), i.ID}, true
}

func wakeKey(i *instance) (moment, bool) {
	if i == nil || i.State != engine.Waiting || i.wake == never {
		return moment{}, false
	}
	return moment{i.wake, i.ID}, true
}

func queueKey(i *instance) (turn, bool) {
	if i == nil || i.State != engine.Waiting || i.Gate != engine.GateSlot || i.Kind == engine.Backfill {
		return turn{}, false
	}
	return turn{pool: i.Pool, priority: i.Priority, at: i.PlanTime.UnixMilli(), id: i.ID}, true
}

func lineKey(i *instance) (turn, bool) {
	if i == nil || i.State != engine.Waiting || i.Gate != engine.GateConcurrency {
		return turn{}, false
	}
	return turn{job: i.Job, priority: i.Priority, at: i.PlanTime.UnixMilli(), id: i.ID}, true
}

func watchedKey(i *instance) (place, bool) {
	if i == nil || i.watch.job == 0 {
		return place{}, false
	}
	return place{i.watch.job, i.watch.at, i.watch.key, i.ID}, true
}

func runningKey(i *instance) (moment, bool) {
	if i == nil || i.State != engine.Running && i.State != engine.Lost {
		return moment{}, false
	}
	return moment{id: i.ID}, true
}

func activeKey(i *instance) (inJob, bool) {
	if i == nil || i.State != engine.Running {
		return inJob{}, false
	}
	return inJob{i.Job, i.StartedAt.UnixMilli(), i.ID}, true
}

func group(i *instance, frozen bool) groupKey {
	return groupKey{i.Job, i.Key, frozen, i.PlanTime.UnixMilli(), i.ID}
}

func openKey(i *instance) (groupKey, bool) {
	if !isOpen(i) {
		return groupKey{}, false
	}
	return group(i, i.Frozen), true
}

func failedKey(i *instance) (groupKey, bool) {
	if i == nil || !i.State.CountsAsFailed() {
		return groupKey{}, false
	}
	return group(i, false), true
}

func doneKey(i *instance) (groupKey, bool) {
	if i == nil || !i.State.Satisfies() {
		return groupKey{}, false
	}
	return group(i, false), true
}

func endedKey(i *instance) (moment, bool) {
	if i == nil || !i.State.Ended() {
		return moment{}, false
	}
	return moment{i.EndedAt.UnixMilli(), i.ID}, true
}

// identified returns the id of the instance of that identity.
func (s *state) identified(is identity) (int64, bool) {
	for k := range s.places.from(place{is.job, is.at, is.key, least}) {
		return k.id, identity{k.job, k.key, k.at} == is
	}
	return 0, false
}

// shown returns the row as the ports show it; false when its job is not known, for then no list shows it.
func (s *state) shown(id int64) (engine.Instance, bool) {
	row := s.instances[id]
	if row == nil {
		return engine.Instance{}, false
	}
	job := s.jobs[row.Job]
	if job == nil {
		return engine.Instance{}, false
	}
	return row.shown(job.Ref), true
}

// shown returns a copy of the row as the ports show it.
func (row *instance) shown(ref engine.JobRef) engine.Instance {
	i := row.Instance
	i.Ref = ref
	i.Reason = ownReason(i.Reason)
	i.Params = maps.Clone(i.Params)
	if i.Cancel != nil {
		r := ownReason(*i.Cancel)
		i.Cancel = &r
	}
	return i
}

var zones sync.Map // seconds east of UTC → *time.Location

// inZone returns a time in the zone of so many seconds east of UTC, without a name.
func inZone(t time.Time, offset int) time.Time {
	if offset == 0 {
		return t.UTC()
	}
	z, ok := zones.Load(offset)
	if !ok {
		z, _ = zones.LoadOrStore(offset, time.FixedZone("", offset))
	}
	return t.In(z.(*time.Location))
}

// utc is a time as it comes back: in milliseconds, in UTC.
func utc(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }

// zoned is a time as it comes back, in milliseconds, where people read it in the offset that it had.
func zoned(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	_, offset := t.Zone()
	return inZone(utc(t), offset)
}

// ownReason copies a reason, so that nobody else can change it. Its time comes back in its offset.
func ownReason(r engine.Reason) engine.Reason {
	if r.Upstream != nil {
		up := *r.Upstream
		r.Upstream = &up
	}
	if r.At != nil {
		_, offset := r.At.Zone()
		at := inZone(*r.At, offset)
		r.At = &at
	}
	return r
}

// ownMap copies a map; an empty one is none.
func ownMap(m map[string]string) map[string]string {
	if len(m) == 0 {
		return nil
	}
	return maps.Clone(m)
}
