package storetest

import (
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/stretchr/testify/require"
)

var lookupCases = []testCase{
	{"an instance that is not there is not found", func(w *world) {
		w.read(func(v engine.View) {
			_, err := v.Instance(1 << 40)
			require.ErrorIs(w, err, engine.ErrNotFound)
			_, err = v.Find(w.ids["A"], "", at("02:00"))
			require.ErrorIs(w, err, engine.ErrNotFound)
			_, err = v.FindKey(w.ids["A"], "k")
			require.ErrorIs(w, err, engine.ErrNotFound)
		})
	}},
	{"an instance is found by its plan time in any zone", func(w *world) {
		i := w.plan("A", "02:00")[0]
		w.read(func(v engine.View) {
			got, err := v.Find(w.ids["A"], "", at("02:00").UTC())
			require.NoError(w, err)
			w.same(i, got)
			_, err = v.Find(w.ids["B"], "", at("02:00"))
			require.ErrorIs(w, err, engine.ErrNotFound)
			_, err = v.Find(w.ids["A"], "k", at("02:00"))
			require.ErrorIs(w, err, engine.ErrNotFound)
		})
	}},
	{"a key finds the instance with the latest plan time", func(w *world) {
		var last engine.Instance
		for _, clock := range []string{"01:00", "03:00", "02:00"} {
			i := w.planned("A", clock)
			i.Kind, i.Key = engine.Backfill, "k"
			if got := w.insert(i); clock == "03:00" {
				last = got
			}
		}
		w.plan("A", "05:00")
		w.read(func(v engine.View) {
			got, err := v.FindKey(w.ids["A"], "k")
			require.NoError(w, err)
			w.same(last, got)
			_, err = v.FindKey(w.ids["B"], "k")
			require.ErrorIs(w, err, engine.ErrNotFound)
		})
	}},
	{"what is due comes earliest first and no more than the limit", func(w *world) {
		p := w.plan("A", "03:00", "01:00", "02:00", "04:00")
		require.Equal(w, []int64{p[1].ID, p[2].ID, p[0].ID}, w.due("03:00"))
		w.read(func(v engine.View) {
			list, err := v.Due(at("05:00"), 2)
			require.NoError(w, err)
			require.Equal(w, []int64{p[1].ID, p[2].ID}, ids(list))
			agenda, err := v.Agenda()
			require.NoError(w, err)
			require.True(w, agenda.Wake.Equal(at("01:00")))
		})
	}},
	{"an empty store has no agenda", func(w *world) {
		w.read(func(v engine.View) {
			agenda, err := v.Agenda()
			require.NoError(w, err)
			require.Zero(w, agenda)
		})
	}},
	{"the queue of a pool is by priority, plan time and id", func(w *world) {
		put := func(clock, pool string, priority int, gate engine.Gate) int64 {
			i := w.planned("A", clock)
			i.Pool, i.Priority = pool, priority
			id := w.insert(i).ID
			w.wait(id, gate)
			return id
		}
		late := put("03:00", "p", 5, engine.GateSlot)
		early := put("01:00", "p", 5, engine.GateSlot)
		urgent := put("04:00", "p", 9, engine.GateSlot)
		last := put("00:30", "p", 1, engine.GateSlot)
		put("00:40", "p", 9, engine.GateDependency)
		other := put("00:50", "", 9, engine.GateSlot)
		put("00:55", "z", 9, engine.GateDisk)
		w.read(func(v engine.View) {
			list, err := v.Queued("p", 10)
			require.NoError(w, err)
			require.Equal(w, []int64{urgent, early, late, last}, ids(list))
			list, err = v.Queued("p", 2)
			require.NoError(w, err)
			require.Equal(w, []int64{urgent, early}, ids(list))
			list, err = v.Queued("", 10)
			require.NoError(w, err)
			require.Equal(w, []int64{other}, ids(list))
			agenda, err := v.Agenda()
			require.NoError(w, err)
			require.Equal(w, []string{"", "p"}, agenda.Pools)
			require.Zero(w, agenda.Wake, "what was held without a wake is not due")
		})
		require.Empty(w, w.due("5 00:00"), "what was held without a wake is not due")
	}},
	{"waiting, active and running", func(w *world) {
		p := w.plan("A", "03:00", "01:00", "02:00", "04:00", "05:00")
		b := w.plan("B", "01:00")[0]
		w.apply(p[0].ID, engine.Start, "06:00")
		w.apply(p[1].ID, engine.Start, "06:02")
		w.apply(p[2].ID, engine.Start, "06:01")
		w.apply(b.ID, engine.Start, "06:00")
		w.apply(p[0].ID, engine.Lose, "06:05")
		w.read(func(v engine.View) {
			list, err := v.Waiting(w.ids["A"])
			require.NoError(w, err)
			require.Equal(w, []int64{p[3].ID, p[4].ID}, ids(list))
			list, err = v.WaitingPlanned(w.ids["A"])
			require.NoError(w, err)
			require.Equal(w, []int64{p[3].ID, p[4].ID}, ids(list))
			list, err = v.Active(w.ids["A"])
			require.NoError(w, err)
			require.Equal(w, []int64{p[2].ID, p[1].ID}, ids(list), "by start; a lost one is not active")
			n, err := v.ActiveCount(w.ids["A"])
			require.NoError(w, err)
			require.Equal(w, 2, n)
			list, err = v.Running()
			require.NoError(w, err)
			require.Equal(w, []int64{p[0].ID, p[1].ID, p[2].ID, b.ID}, ids(list))
		})
	}},
	{"waiting scheduled instances apart from those of backfills and of persons", func(w *world) {
		p := w.plan("A", "02:00", "01:00")
		w.putBackfill(w.backfillRow("bf"))
		for _, clock := range []string{"01:00", "02:00", "03:00"} {
			w.insert(w.filled("A", clock))
		}
		runs, ended := w.insert(w.filled("A", "04:00")), w.insert(w.filled("A", "05:00"))
		w.apply(runs.ID, engine.Start, "06:00")
		w.apply(ended.ID, engine.Cancel, "06:00")
		w.insert(w.filled("B", "01:00"))
		w.read(func(v engine.View) {
			list, err := v.WaitingPlanned(w.ids["A"])
			require.NoError(w, err)
			require.Equal(w, []int64{p[1].ID, p[0].ID}, ids(list))
			n, err := v.WaitingKeyed(w.ids["A"])
			require.NoError(w, err)
			require.Equal(w, 3, n)
		})
	}},
	{"how long the latest took", func(w *world) {
		p := w.plan("A", "01:00", "02:00", "03:00", "04:00", "05:00", "06:00")
		ran := func(n int, from, to string, how engine.Event) {
			w.apply(p[n].ID, engine.Start, from)
			w.apply(p[n].ID, how, to)
		}
		ran(0, "01:00", "01:10", engine.Succeed)
		ran(1, "02:00", "02:30", engine.Fail)
		ran(2, "03:00", "03:20", engine.Succeed)
		ran(3, "04:00", "04:40", engine.Fail)
		w.apply(p[3].ID, engine.Rerun, "05:00")
		ran(3, "05:00", "05:01", engine.Succeed)
		ran(4, "06:00", "06:05", engine.Succeed)
		w.apply(p[5].ID, engine.Start, "06:00")
		w.read(func(v engine.View) {
			took, err := v.Durations(w.ids["A"], "", 30)
			require.NoError(w, err)
			require.Equal(w, []time.Duration{5 * time.Minute, time.Minute, 20 * time.Minute, 10 * time.Minute}, took, "of the runs that succeeded, newest first")
			took, err = v.Durations(w.ids["A"], "", 2)
			require.NoError(w, err)
			require.Len(w, took, 2)
			took, err = v.Durations(w.ids["B"], "", 30)
			require.NoError(w, err)
			require.Empty(w, took)
		})
		filled := w.insert(w.filled("A", "07:00"))
		w.apply(filled.ID, engine.Start, "08:00")
		w.apply(filled.ID, engine.Succeed, "08:07")
		w.read(func(v engine.View) {
			took, err := v.Durations(w.ids["A"], "bf", 30)
			require.NoError(w, err)
			require.Equal(w, []time.Duration{7 * time.Minute}, took, "of a backfill only its own")
			took, err = v.Durations(w.ids["A"], "", 30)
			require.NoError(w, err)
			require.Len(w, took, 4)
		})
		triggered := w.planned("A", "06:30")
		triggered.Kind, triggered.Key = engine.Manual, "asked"
		triggered = w.insert(triggered)
		failed := w.insert(w.filled("A", "08:00"))
		w.apply(triggered.ID, engine.Start, "08:10")
		w.apply(failed.ID, engine.Start, "08:10")
		w.apply(failed.ID, engine.Fail, "08:11")
		w.apply(triggered.ID, engine.Succeed, "08:13")
		keyed := func(by time.Time, limit int) (took []time.Duration) {
			w.read(func(v engine.View) {
				var err error
				took, err = v.KeyedDurations(w.ids["A"], by, limit)
				require.NoError(w, err)
			})
			return took
		}
		require.Equal(w, []time.Duration{7 * time.Minute, 3 * time.Minute}, keyed(time.Time{}, 30), "of all that was not scheduled")
		require.Equal(w, []time.Duration{7 * time.Minute}, keyed(time.Time{}, 1))
		require.Equal(w, []time.Duration{7 * time.Minute}, keyed(at("08:07"), 30))
		require.Empty(w, keyed(at("08:06"), 30))
	}},
	{"a later one is due", func(w *world) {
		p := w.plan("A", "01:00", "02:00", "04:00")
		manual := w.planned("A", "01:30")
		manual.Kind, manual.Key = engine.Manual, "m"
		w.insert(manual)
		w.plan("B", "01:30")
		later := func(i engine.Instance, now string) (is bool) {
			w.read(func(v engine.View) {
				var err error
				is, err = v.LaterDue(&i, at(now))
				require.NoError(w, err)
			})
			return is
		}
		require.False(w, later(p[0], "01:59"))
		require.True(w, later(p[0], "02:00"))
		require.False(w, later(p[1], "03:59"))
		w.apply(p[1].ID, engine.Start, "02:00")
		require.False(w, later(p[0], "03:00"), "one that runs is not waiting")
		require.True(w, later(p[0], "04:00"))
		frozen := w.planned("A", "02:30")
		frozen.Frozen = true
		w.insert(frozen)
		require.True(w, later(p[0], "03:00"), "a frozen one waits too")
	}},
}
