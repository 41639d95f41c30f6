package model

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/almanac-sched/almanac/engine"
)

// A watchRow is a row with what the model keeps of it beside.
type watchRow struct {
	engine.WatchRow
	over bool // the child has ended
}

func (s *state) putWatch(id int64, row *watchRow) (old *watchRow) {
	old = s.watches[id]
	if row == nil {
		delete(s.watches, id)
	} else {
		s.watches[id] = row
	}
	return old
}

// watchesOf lists the rows for which keep is true, by id.
func (v *view) watchesOf(limit int, keep func(w *watchRow) bool) ([]engine.WatchRow, error) {
	if v.broken != nil {
		return nil, v.broken
	}
	var rows []engine.WatchRow
	for _, w := range v.s.watches {
		if keep(w) {
			rows = append(rows, w.WatchRow)
		}
	}
	slices.SortFunc(rows, func(a, b engine.WatchRow) int { return cmp.Compare(a.ID, b.ID) })
	if limit >= 0 && len(rows) > limit {
		rows = rows[:limit]
	}
	return rows, nil
}

func (v *view) Watches(instance int64) ([]engine.WatchRow, error) {
	return v.watchesOf(-1, func(w *watchRow) bool { return w.Instance == instance })
}

func (v *view) WatchesOver(limit int) ([]engine.WatchRow, error) {
	return v.watchesOf(limit, func(w *watchRow) bool {
		child := v.s.instances[w.Child]
		return w.over && child != nil && child.State.Ended()
	})
}

func (t *tx) PutWatch(w engine.WatchRow, fence int64) (bool, error) {
	switch {
	case t.broken != nil:
		return false, t.broken
	case !t.holds(w.Instance, fence):
		return false, nil
	case w.Polls < 0:
		return false, t.refuse(fmt.Errorf("watch %d: %w: %d polls", w.ID, ErrConstraint, w.Polls))
	}
	w.StartedAt, w.Until, w.Next = utc(w.StartedAt), instant(w.Until), instant(w.Next)
	if old := t.s.watches[w.ID]; old != nil {
		w.Instance, w.Step, w.Number, w.StartedAt = old.Instance, old.Step, old.Number, old.StartedAt
	}
	for _, other := range t.s.watches {
		if other.ID != w.ID && other.Instance == w.Instance && other.Step == w.Step {
			return false, t.refuse(fmt.Errorf("watch %d: %w: step %q has another", w.ID, ErrConstraint, w.Step))
		}
	}
	child := t.s.instances[w.Child]
	set(t, (*state).putWatch, w.ID, &watchRow{w, child != nil && child.State.Ended()})
	return true, nil
}

func (t *tx) EndWatch(id, instance, fence int64) (bool, error) {
	if t.broken != nil {
		return false, t.broken
	}
	w := t.s.watches[id]
	if w == nil || w.Instance != instance || !t.holds(instance, fence) {
		return false, nil
	}
	set(t, (*state).putWatch, id, nil)
	return true, nil
}

// leaveWatches keeps what is watched in step with an instance that has ended, or has stopped running.
func (t *tx) leaveWatches(instance int64, from, to engine.State) {
	var over, gone []*watchRow
	for _, w := range t.s.watches {
		if to.Ended() && w.Child == instance {
			over = append(over, w)
		}
		if from == engine.Running && w.Instance == instance {
			gone = append(gone, w)
		}
	}
	for _, w := range over {
		set(t, (*state).putWatch, w.ID, &watchRow{w.WatchRow, true})
	}
	for _, w := range gone {
		set(t, (*state).putWatch, w.ID, nil)
	}
}
