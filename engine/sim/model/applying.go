package model

import (
	"errors"
	"maps"
	"slices"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/fault"
)

const counterPruned = "pruned"

// An unreal instance is one of a backfill that is being applied. It stands apart from all the others, so that nothing can see it.
type unreal struct {
	row   *instance
	waits []engine.Wait
}

// sliceRows is how many instances a transaction writes before it is full: few, so that a crash finds many places.
const sliceRows = 4

func (s *state) putUnreal(id int64, u *unreal) (old *unreal) { return put(s.unreal, id, u) }

// Full reports whether the transaction has written as many instances as one may.
func (t *tx) Full() bool { return t.bulk >= sliceRows }

// unrealOf lists the ids of the unreal instances of a backfill, ascending.
func (s *state) unrealOf(key string) (ids []int64) {
	for id, u := range s.unreal {
		if u.row.Key == key {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// applying reports whether what is inserted under a key is unreal.
func (s *state) applying(kind engine.Kind, key string) bool {
	if kind != engine.Backfill || fault.Planted(fault.ApplyingClaimed) {
		return false
	}
	for _, b := range s.backfills {
		if b.Key == key {
			return !b.Stage.Real()
		}
	}
	return false
}

func (v *view) UnrealBackfills() ([]engine.BackfillRow, error) {
	return v.backfillsThat(func(b *engine.BackfillRow) bool { return !b.Stage.Real() })
}

func (v *view) Unreal(key string) (written, disturbed int, err error) {
	if _, err := v.Backfill(key); err != nil {
		return 0, 0, err
	}
	return len(v.s.unrealOf(key)), 0, v.broken
}

func (v *view) Witness() (engine.Witness, error) {
	w := engine.Witness{Event: v.s.history.last(), Next: v.s.counters[counterIDs], Pruned: v.s.counters[counterPruned]}
	for _, b := range v.s.backfills {
		if !b.Stage.Real() {
			w.Applying = append(w.Applying, b.Key)
		}
	}
	slices.Sort(w.Applying)
	return w, v.broken
}

func (v *view) MovedSince(w engine.Witness, limit int) ([]engine.JobTime, error) {
	moved := map[engine.JobTime]bool{}
	for id := max(w.Event+1, v.s.history.first); id <= v.s.history.last(); id++ {
		if i := v.s.instances[v.s.history.at(id).Instance]; i != nil {
			moved[engine.JobTime{Job: i.Job, PlanTime: utc(i.PlanTime)}] = true
		}
	}
	for id, i := range v.s.instances {
		if id >= w.Next {
			moved[engine.JobTime{Job: i.Job, PlanTime: utc(i.PlanTime)}] = true
		}
	}
	list := slices.Collect(maps.Keys(moved))
	return list[:min(limit, len(list))], v.broken
}

func (t *tx) SetWritten(key string, from, to int) (bool, error) {
	row, err := t.Backfill(key)
	if err != nil || row.Stage != engine.BackfillApplying || row.Written != from {
		if errors.Is(err, engine.ErrNotFound) {
			err = nil
		}
		return false, err
	}
	row.Written = to
	set(t, (*state).putBackfill, row.ID, &row)
	return true, nil
}

func (t *tx) Withdraw(key string, limit int) (int, error) {
	row, err := t.Backfill(key)
	if err != nil || row.Stage != engine.BackfillWithdrawing {
		return 0, err
	}
	ids := t.s.unrealOf(key)
	ids = ids[:min(limit, len(ids))]
	for _, id := range ids {
		set(t, (*state).putUnreal, id, nil)
	}
	t.bulk += len(ids)
	row.Written -= len(ids)
	set(t, (*state).putBackfill, row.ID, &row)
	return len(ids), nil
}

// makeReal puts the instances of a backfill among the others.
func (t *tx) makeReal(key string) {
	for _, id := range t.s.unrealOf(key) {
		u := t.s.unreal[id]
		set(t, (*state).putUnreal, id, nil)
		if len(u.waits) > 0 {
			set(t, (*state).putWaits, id, u.waits)
		}
		set(t, (*state).putInstance, id, u.row)
	}
}
