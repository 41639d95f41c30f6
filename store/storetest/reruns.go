package storetest

import (
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/stretchr/testify/require"
)

// told is a run as a few words.
func told(r *engine.RunRow) string {
	clock := func(t time.Time) string {
		if t.IsZero() {
			return "-"
		}
		return t.In(shanghai).Format("15:04")
	}
	return string(r.State) + " " + clock(r.StartedAt) + " " + clock(r.EndedAt)
}

func (w *world) runsOf(id int64) (list []string) {
	w.read(func(v engine.View) {
		rows, err := v.Runs(id)
		require.NoError(w, err)
		for n := range rows {
			require.Equal(w, n+1, rows[n].Number)
			require.Equal(w, id, rows[n].Instance)
			list = append(list, told(&rows[n]))
		}
	})
	return list
}

var rerunCases = []testCase{
	{"each run keeps its own times, and a person's word is no end of what ran", func(w *world) {
		i := w.plan("A", "01:00")[0]
		require.Equal(w, 1, w.get(i.ID).Run)
		require.Empty(w, w.runsOf(i.ID))
		w.run(i.ID, engine.Fail, "02:00")
		ended := w.get(i.ID).EndedAt.In(shanghai).Format("15:04")
		w.apply(i.ID, engine.Rerun, "05:00")
		w.apply(i.ID, engine.Start, "05:10")
		w.apply(i.ID, engine.Lose, "05:20")
		forced := w.apply(i.ID, engine.Force, "09:00")
		require.True(w, forced.StartedAt.IsZero(), "what a person says did not run")
		require.Equal(w, 3, forced.Run)
		require.Equal(w, []string{"failed 02:00 " + ended, "lost 05:10 09:00"}, w.runsOf(i.ID))
		w.apply(i.ID, engine.Rerun, "10:00")
		require.Equal(w, []string{"failed 02:00 " + ended, "lost 05:10 09:00", "forced - 09:00"}, w.runsOf(i.ID))
		w.run(i.ID, engine.Succeed, "11:00")
		last := w.get(i.ID)
		require.Equal(w, 4, last.Run)
		require.True(w, last.StartedAt.Equal(at("11:00")))
		require.Len(w, w.runsOf(i.ID), 3)
	}},
	{"one that is settled while it waits has had no other run", func(w *world) {
		i := w.plan("A", "01:00")[0]
		require.Equal(w, 1, w.apply(i.ID, engine.Skip, "02:00").Run)
		require.Empty(w, w.runsOf(i.ID))
	}},
	{"a refused transition keeps no run", func(w *world) {
		i := w.plan("A", "01:00")[0]
		w.run(i.ID, engine.Fail, "02:00")
		w.write(func(tx engine.Tx) {
			ok, err := tx.Apply(engine.Transition{Instance: i.ID, Event: engine.Rerun, From: engine.Failed, Fence: 7, At: at("03:00")})
			require.NoError(w, err)
			require.False(w, ok)
		})
		require.Empty(w, w.runsOf(i.ID))
	}},
	{"the earlier runs of a time are those that started, by plan time", func(w *world) {
		p := w.plan("A", "01:00", "02:00", "03:00")
		for n := range p {
			w.run(p[n].ID, engine.Fail, "05:00")
			w.apply(p[n].ID, engine.Rerun, "06:00")
		}
		w.apply(p[1].ID, engine.Cancel, "07:00")
		w.apply(p[1].ID, engine.Rerun, "08:00") // of a run that never started
		w.read(func(v engine.View) {
			list, err := v.RunsBetween(at("01:00"), at("03:00"), 10)
			require.NoError(w, err)
			require.Len(w, list, 2)
			require.Equal(w, []int64{p[0].ID, p[1].ID}, []int64{list[0].Instance, list[1].Instance})
			list, err = v.RunsBetween(at("01:00"), at("03:00"), 1)
			require.NoError(w, err)
			require.Len(w, list, 1)
		})
	}},
	{"durations are those of runs, earlier ones too", func(w *world) {
		i := w.plan("A", "01:00")[0]
		run := func(from, to string, end engine.Event) {
			w.apply(i.ID, engine.Start, from)
			w.apply(i.ID, end, to)
		}
		run("02:00", "02:01", engine.Fail)
		w.apply(i.ID, engine.Rerun, "04:00")
		run("05:00", "05:02", engine.Succeed)
		w.apply(i.ID, engine.Rerun, "06:00")
		run("07:00", "07:05", engine.Succeed)
		w.read(func(v engine.View) {
			took, err := v.Durations(w.ids["A"], "", 10)
			require.NoError(w, err)
			require.Equal(w, []time.Duration{5 * time.Minute, 2 * time.Minute}, took)
			took, err = v.Durations(w.ids["A"], "", 1)
			require.NoError(w, err)
			require.Equal(w, []time.Duration{5 * time.Minute}, took)
		})
	}},
	{"what ran at a time is found by its earlier run", func(w *world) {
		i := w.plan("A", "01:00")[0]
		w.apply(i.ID, engine.Start, "02:00")
		w.apply(i.ID, engine.Fail, "02:30")
		w.apply(i.ID, engine.Rerun, "04:00")
		w.apply(i.ID, engine.Start, "05:00")
		for when, count := range map[string]int{"01:59": 0, "02:10": 1, "03:00": 0, "04:30": 0, "05:10": 1} {
			w.read(func(v engine.View) {
				list, err := v.StartedBy(w.ids["A"], at(when))
				require.NoError(w, err)
				require.Len(w, list, count, when)
			})
		}
	}},
	{"runs go with their instance", func(w *world) {
		i := w.plan("A", "01:00")[0]
		w.run(i.ID, engine.Fail, "02:00")
		w.apply(i.ID, engine.Rerun, "03:00")
		w.run(i.ID, engine.Succeed, "04:00")
		require.Len(w, w.runsOf(i.ID), 1)
		w.write(func(tx engine.Tx) {
			n, _, err := tx.Prune(at("23:00"), 10)
			require.NoError(w, err)
			require.Equal(w, 1, n)
		})
		require.Empty(w, w.runsOf(i.ID))
	}},
}
