package storetest

import (
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

func (w *world) watch(i engine.Instance, step string, child int64) engine.WatchRow {
	w.Helper()
	row := engine.WatchRow{Instance: i.ID, Step: step, Number: 2, StartedAt: at("10:00").UTC(), Until: at("12:00").UTC(), Next: at("10:05").UTC(), Child: child}
	w.write(func(tx engine.Tx) {
		row.ID = w.reserve(tx, 1)
		w.yes(tx.PutWatch(row, i.Fence))
	})
	return row
}

// watches are what steps of an instance watch, and over is what is over.
func (w *world) watches(instance int64) (rows []engine.WatchRow) {
	w.Helper()
	w.read(func(v engine.View) {
		var err error
		rows, err = v.Watches(instance)
		require.NoError(w, err)
	})
	return rows
}

func (w *world) over(limit int) (found []int64) {
	w.Helper()
	w.read(func(v engine.View) {
		rows, err := v.WatchesOver(limit)
		require.NoError(w, err)
		for _, row := range rows {
			found = append(found, row.ID)
		}
	})
	return found
}

var watchCases = []testCase{
	{"a watch comes back as it was put, is replaced by its id, and goes", func(w *world) {
		i := w.started("01:00")
		b, a := w.watch(i, "b", 0), w.watch(i, "a", 0)
		w.same([]engine.WatchRow{b, a}, w.watches(i.ID))
		b.Polls, b.Last, b.Next, b.Until = 7, "HTTP 404 \"nö\"", at("10:06").UTC().Add(7*time.Millisecond), time.Time{}
		w.write(func(tx engine.Tx) { w.yes(tx.PutWatch(b, i.Fence)) })
		w.same([]engine.WatchRow{b, a}, w.watches(i.ID))
		w.write(func(tx engine.Tx) {
			w.yes(tx.EndWatch(a.ID, i.ID, i.Fence))
			w.no(tx.EndWatch(a.ID, i.ID, i.Fence))
		})
		w.same([]engine.WatchRow{b}, w.watches(i.ID))
		require.Empty(w, w.over(9), "nothing was started")
	}},
	{"a watch is written under the fence of its instance alone", func(w *world) {
		i := w.started("01:00")
		row := w.watch(i, "a", 0)
		other := row
		other.Last = "by another"
		w.write(func(tx engine.Tx) {
			w.no(tx.PutWatch(other, i.Fence+1))
			w.no(tx.EndWatch(row.ID, i.ID, i.Fence-1))
			w.no(tx.EndWatch(row.ID, i.ID+1, i.Fence))
		})
		w.same([]engine.WatchRow{row}, w.watches(i.ID))
		fence := int64(0)
		w.write(func(tx engine.Tx) {
			var ok bool
			var err error
			fence, ok, err = tx.TakeOver(i.ID, i.Fence, "heir", at("11:00"))
			w.yes(ok, err)
			w.no(tx.PutWatch(other, i.Fence))
			w.yes(tx.PutWatch(other, fence))
		})
		w.same([]engine.WatchRow{other}, w.watches(i.ID))
	}},
	{"the end of what a step has started tells it, in the same transaction", func(w *world) {
		parent, other := w.started("01:00"), w.started("02:00")
		child := w.apply(w.plan("B", "01:00")[0].ID, engine.Start, "01:00")
		late := w.plan("C", "03:00")[0]
		first, second := w.watch(parent, "a", child.ID), w.watch(other, "a", child.ID)
		third := w.watch(parent, "b", late.ID)
		require.Empty(w, w.over(9))
		w.apply(child.ID, engine.Fail, "01:10")
		require.Equal(w, []int64{first.ID, second.ID}, w.over(9))
		require.Equal(w, []int64{first.ID}, w.over(1))
		w.write(func(tx engine.Tx) { w.yes(tx.EndWatch(first.ID, parent.ID, parent.Fence)) })
		require.Equal(w, []int64{second.ID}, w.over(9))
		w.apply(child.ID, engine.Rerun, "01:20")
		require.Empty(w, w.over(9), "it goes on")
		w.apply(late.ID, engine.Cancel, "01:30")
		require.Equal(w, []int64{third.ID}, w.over(9))
		again := w.watch(other, "b", late.ID)
		require.Equal(w, []int64{third.ID, again.ID}, w.over(9), "it had ended before")
	}},
	{"what an instance watches goes when it stops running", func(w *world) {
		for _, end := range []engine.Event{engine.Succeed, engine.Fail, engine.Cancel, engine.Lose} {
			i := w.started(map[engine.Event]string{engine.Succeed: "01:00", engine.Fail: "02:00", engine.Cancel: "03:00", engine.Lose: "04:00"}[end])
			keeps := w.watch(i, "a", i.ID)
			require.NotZero(w, keeps.ID)
			w.apply(i.ID, end, "05:00")
			require.Empty(w, w.watches(i.ID), end)
			w.write(func(tx engine.Tx) { w.no(tx.PutWatch(keeps, i.Fence)) })
		}
		require.Empty(w, w.over(9))
	}},
}
