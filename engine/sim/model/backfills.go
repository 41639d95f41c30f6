package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A laneKey is where an instance of a backfill stands.
type laneKey struct {
	key   string
	state engine.State
	gate  engine.Gate
	id    int64
}

func compareLanes(a, b laneKey) int {
	return cmp.Or(strings.Compare(a.key, b.key), cmp.Compare(a.state, b.state), cmp.Compare(a.gate, b.gate), cmp.Compare(a.id, b.id))
}

func keyInLane(i *instance) (laneKey, bool) {
	if i == nil || i.Kind != engine.Backfill {
		return laneKey{}, false
	}
	gate := i.Gate
	if i.State != engine.Waiting {
		gate = ""
	}
	return laneKey{i.Key, i.State, gate, i.ID}, true
}

func (s *state) putBackfill(id int64, row *engine.BackfillRow) (old *engine.BackfillRow) {
	return put(s.backfills, id, row)
}

// ownBackfill is a row as it comes back, that nobody else can change.
func ownBackfill(b engine.BackfillRow) engine.BackfillRow {
	b.Reason = ownReason(b.Reason)
	b.Options.Jobs, b.Options.Steps = slices.Clone(b.Options.Jobs), slices.Clone(b.Options.Steps)
	if o := b.Options.Order; o != nil {
		order := *o
		b.Options.Order = &order
	}
	if b.Options.Window != nil {
		w := *b.Options.Window
		b.Options.Window = &w
	}
	b.From, b.To, b.CreatedAt = utc(b.From), utc(b.To), utc(b.CreatedAt)
	for _, at := range []*time.Time{&b.ResumedAt, &b.EndedAt} {
		if !at.IsZero() {
			*at = utc(*at)
		}
	}
	return b
}

func (v *view) Backfill(key string) (engine.BackfillRow, error) {
	if v.broken != nil {
		return engine.BackfillRow{}, v.broken
	}
	for _, row := range v.s.backfills {
		if row.Key == key {
			return ownBackfill(*row), nil
		}
	}
	return engine.BackfillRow{}, missing("backfill %s", key)
}

func (v *view) Backfills(before int64, limit int) ([]engine.BackfillRow, error) {
	rows, err := v.backfillsThat(func(b *engine.BackfillRow) bool { return before <= 0 || b.ID < before })
	slices.Reverse(rows)
	return rows[:min(limit, len(rows))], err
}

func (v *view) OpenBackfills() ([]engine.BackfillRow, error) {
	return v.backfillsThat(func(b *engine.BackfillRow) bool { return b.EndedAt.IsZero() })
}

func (v *view) backfillsThat(are func(*engine.BackfillRow) bool) ([]engine.BackfillRow, error) {
	var rows []engine.BackfillRow
	for _, id := range slices.Sorted(maps.Keys(v.s.backfills)) {
		if row := v.s.backfills[id]; are(row) {
			rows = append(rows, ownBackfill(*row))
		}
	}
	return rows, v.broken
}

func (v *view) BackfillStates(key string) (map[engine.State]int, error) {
	states := map[engine.State]int{}
	for k := range v.s.lane.from(laneKey{key: key}) {
		if k.key != key {
			break
		}
		states[k.state]++
	}
	return states, v.broken
}

// inLane walks through the ids of the instances of a backfill in a state and behind a gate.
func (s *state) inLane(key string, state engine.State, gate engine.Gate) func(yield func(int64) bool) {
	return func(yield func(int64) bool) {
		for k := range s.lane.from(laneKey{key, state, gate, least}) {
			if k.key != key || k.state != state || k.gate != gate || !yield(k.id) {
				return
			}
		}
	}
}

func (v *view) BackfillInstances(key string, state engine.State, gate engine.Gate, limit int) ([]engine.Instance, error) {
	return v.list(v.s.inLane(key, state, gate), limit)
}

func (v *view) BackfillCount(key string, state engine.State) (n int, err error) {
	for range v.s.inLane(key, state, "") {
		n++
	}
	return n, v.broken
}

func (v *view) Asleep(key string, limit int) ([]engine.Instance, error) {
	return v.list(func(yield func(int64) bool) {
		for id := range v.s.inLane(key, engine.Waiting, engine.GateTime) {
			if v.s.instances[id].wake == never && !yield(id) {
				return
			}
		}
	}, limit)
}

func (v *view) LiveInLanes() ([]engine.LaneLoad, error) {
	counts := map[engine.LaneLoad]int{}
	for k := range v.s.live.all() {
		a := v.s.attempts[k.id]
		if i := v.s.instances[a.Instance]; !a.Error && i != nil && i.Kind == engine.Backfill {
			counts[engine.LaneLoad{Key: i.Key, Pool: a.Pool, Owner: a.Owner}]++
		}
	}
	var loads []engine.LaneLoad
	for load, n := range counts {
		load.Attempts = n
		loads = append(loads, load)
	}
	slices.SortFunc(loads, func(a, b engine.LaneLoad) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Pool, b.Pool), cmp.Compare(a.Owner, b.Owner))
	})
	return loads, v.broken
}

func (v *view) Recorded(job int64, from, to time.Time) ([]engine.Record, error) {
	var rows []engine.Record
	for k := range v.s.places.from(place{job, from.UnixMilli(), "", least}) {
		if k.job != job || k.at > to.UnixMilli() {
			break
		}
		if i := v.s.instances[k.id]; i.Kind != engine.Manual {
			rows = append(rows, engine.Record{ID: i.ID, Key: i.Key, PlanTime: i.PlanTime, State: i.State, Frozen: i.Frozen, Version: i.Version, EndedAt: i.EndedAt})
		}
	}
	return rows, v.broken
}

func (t *tx) PutBackfill(b engine.BackfillRow) error {
	switch {
	case t.broken != nil:
		return t.broken
	case b.Key == "" || !slices.Contains(engine.BackfillStages, b.Stage) || !b.To.After(b.From):
		return t.refuse(fmt.Errorf("backfill %q: %w: %s, from %s to %s", b.Key, ErrConstraint, b.Stage, b.From, b.To))
	case b.Stage.Open() != b.EndedAt.IsZero():
		return t.refuse(fmt.Errorf("backfill %s: %w: %s with the end %s", b.Key, ErrConstraint, b.Stage, b.EndedAt))
	case t.s.jobs[b.Job] == nil:
		return t.refuse(fmt.Errorf("backfill %s: %w: there is no job %d", b.Key, ErrConstraint, b.Job))
	}
	for id, other := range t.s.backfills {
		if other.Key == b.Key && id != b.ID {
			return t.refuse(fmt.Errorf("backfill %s: %w: there is another of this key", b.Key, ErrConstraint))
		}
	}
	row := ownBackfill(b)
	set(t, (*state).putBackfill, b.ID, &row)
	if b.Stage.Real() {
		t.makeReal(b.Key)
	}
	return nil
}

func (t *tx) SetLanePriority(key string, priority int, from, to int64) (int, error) {
	if t.broken != nil {
		return 0, t.broken
	}
	if priority < 0 || priority > highest {
		return 0, t.refuse(fmt.Errorf("backfill %s: %w: priority %d", key, ErrConstraint, priority))
	}
	var ids []int64
	for k := range t.s.lane.from(laneKey{key: key, state: engine.Waiting}) {
		if k.key != key || k.state != engine.Waiting {
			break
		}
		if k.id >= from && k.id < to {
			ids = append(ids, k.id)
		}
	}
	for _, id := range ids {
		row := t.s.instances[id].change()
		row.Priority = priority
		set(t, (*state).putInstance, id, row)
	}
	return len(ids), nil
}

// pruneBackfills removes backfills that ended before the time and of which no instance is left.
func (t *tx) pruneBackfills(before time.Time) {
	for _, id := range slices.Sorted(maps.Keys(t.s.backfills)) {
		b := t.s.backfills[id]
		if b.EndedAt.IsZero() || b.EndedAt.UnixMilli() >= before.UnixMilli() {
			continue
		}
		left := false
		for k := range t.s.lane.from(laneKey{key: b.Key}) {
			left = k.key == b.Key
			break
		}
		if !left {
			set(t, (*state).putBackfill, id, nil)
		}
	}
}
