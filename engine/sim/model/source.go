package model

import (
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// What follows lists everything, for checks of everything: the views of a Store have more methods than engine.View.

func (s *state) jobsInOrder() iter.Seq[engine.JobRow] {
	return func(yield func(engine.JobRow) bool) {
		for k := range s.jobNames.all() {
			if !yield(*s.jobs[k.id]) {
				return
			}
		}
	}
}

// InstancesAfter lists instances of every state in the order of job, plan time, key and id, those behind the given place, at most limit. One whose
// job is not known is listed like any other.
func (v *view) InstancesAfter(job int64, planTime time.Time, key string, id int64, limit int) ([]engine.Instance, error) {
	if v.broken != nil {
		return nil, v.broken
	}
	var list []engine.Instance
	after := place{job, planTime.UnixMilli(), key, id}
	for k := range v.s.places.from(after) {
		if len(list) == limit {
			break
		}
		if k == after {
			continue
		}
		ref := engine.JobRef{}
		if row := v.s.jobs[k.job]; row != nil {
			ref = row.Ref
		}
		list = append(list, v.s.instances[k.id].shown(ref))
	}
	return list, nil
}

// VersionsOf lists the versions of a job by id.
func (v *view) VersionsOf(job int64) ([]engine.VersionRow, error) {
	if v.broken != nil {
		return nil, v.broken
	}
	var rows []engine.VersionRow
	for _, id := range slices.Sorted(maps.Keys(v.s.versions)) {
		if row := v.s.versions[id]; row.Job == job {
			rows = append(rows, ownVersion(row))
		}
	}
	return rows, nil
}

// Held returns what the last look at a waiting instance left behind; engine.ErrNotFound when none of that id waits.
func (v *view) Held(id int64) (engine.Hold, error) {
	if v.broken != nil {
		return engine.Hold{}, v.broken
	}
	i := v.s.instances[id]
	if i == nil || i.State != engine.Waiting {
		return engine.Hold{}, missing("waiting instance %d", id)
	}
	h := engine.Hold{Instance: id, Gate: i.Gate, Reason: ownReason(i.Reason)}
	if i.wake != never {
		h.Wake = time.UnixMilli(i.wake).UTC()
	}
	if i.watch.job != 0 {
		h.WatchJob, h.WatchKey, h.WatchTime = i.watch.job, i.watch.key, time.UnixMilli(i.watch.at).UTC()
	}
	return h, nil
}

// HistoryAfter lists the events behind the given one by id, at most limit, each with its id.
func (v *view) HistoryAfter(event int64, limit int) (ids []int64, events []engine.EventRow, err error) {
	for id := max(event+1, v.s.history.first); id <= v.s.history.last() && len(ids) != limit; id++ {
		ids, events = append(ids, id), append(events, ownEvent(v.s.history.at(id)))
	}
	return ids, events, v.broken
}

// DefinedAfter lists the events that say what became of the definition of a job, behind the given event.
func (v *view) DefinedAfter(job, event int64) (events []engine.EventRow, err error) {
	for id := max(event+1, v.s.history.first); id <= v.s.history.last(); id++ {
		if e := v.s.history.at(id); e.Kind == "define" && e.Job == job {
			events = append(events, ownEvent(e))
		}
	}
	return events, v.broken
}

// HistoryOf lists the events of one instance by id, each with its id.
func (v *view) HistoryOf(instance int64) (ids []int64, events []engine.EventRow, err error) {
	for k := range v.s.history.of.from(belonging{instance, least}) {
		if k.to != instance {
			break
		}
		ids, events = append(ids, k.id), append(events, ownEvent(v.s.history.at(k.id)))
	}
	return ids, events, v.broken
}

func ownEvent(e *engine.EventRow) engine.EventRow {
	c := *e
	c.Reason = ownReason(c.Reason)
	return c
}

// OutboxOf lists the outbox rows of one instance by id.
func (v *view) OutboxOf(instance int64) ([]engine.OutboxRow, error) {
	if v.broken != nil {
		return nil, v.broken
	}
	var rows []engine.OutboxRow
	for _, o := range v.s.outboxOf(instance) {
		rows = append(rows, *o)
	}
	return rows, nil
}

// LeftOver lists ids of instances that waits, steps, attempts or outbox rows name and that do not exist, at most limit.
func (v *view) LeftOver(limit int) ([]int64, error) {
	named := map[int64]bool{}
	for id := range v.s.waits {
		named[id] = true
	}
	for id := range v.s.steps {
		named[id] = true
	}
	for k := range v.s.ran.all() {
		named[k.to] = true
	}
	for k := range v.s.errands.all() {
		named[k.to] = true
	}
	var ids []int64
	for _, id := range slices.Sorted(maps.Keys(named)) {
		if v.s.instances[id] == nil && len(ids) != limit {
			ids = append(ids, id)
		}
	}
	return ids, v.broken
}

// Instances calls yield for every instance, by id.
func (s *Store) Instances() iter.Seq[engine.Instance] {
	return func(yield func(engine.Instance) bool) {
		rows := s.pin()
		defer s.unpin(rows)
		for _, id := range slices.Sorted(maps.Keys(rows.instances)) {
			if i, ok := rows.shown(id); ok && !yield(i) {
				return
			}
		}
	}
}

// Events calls yield for every event that is kept, by id.
func (s *Store) Events() iter.Seq2[int64, engine.EventRow] {
	return func(yield func(int64, engine.EventRow) bool) {
		rows := s.pin()
		defer s.unpin(rows)
		for id := rows.history.first; id <= rows.history.last(); id++ {
			if !yield(id, ownEvent(rows.history.at(id))) {
				return
			}
		}
	}
}

// Versions calls yield for every job version, by id.
func (s *Store) Versions() iter.Seq[engine.VersionRow] {
	return func(yield func(engine.VersionRow) bool) {
		rows := s.pin()
		defer s.unpin(rows)
		for _, id := range slices.Sorted(maps.Keys(rows.versions)) {
			if !yield(ownVersion(rows.versions[id])) {
				return
			}
		}
	}
}

// Outbox calls yield for every outbox row, by id.
func (s *Store) Outbox() iter.Seq[engine.OutboxRow] {
	return func(yield func(engine.OutboxRow) bool) {
		rows := s.pin()
		defer s.unpin(rows)
		for _, id := range slices.Sorted(maps.Keys(rows.outbox)) {
			if !yield(*rows.outbox[id]) {
				return
			}
		}
	}
}
