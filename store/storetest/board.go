package storetest

import (
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

var boardCases = []testCase{
	{"the outlines of a time, by plan time and id", func(w *world) {
		p := w.plan("A", "01:00", "02:00", "03:00", "04:00")
		key := w.filled("B", "02:00")
		key.Key, key.DryRun = "a key of words", true
		filled := w.insert(key)
		w.run(p[1].ID, engine.Succeed, "05:00")
		w.wait(p[2].ID, engine.GateConcurrency)
		require.True(w, w.act(func(tx engine.Tx) (bool, error) { return tx.SetFrozen(p[2].ID, true, ana, at("03:00")) }))
		ask := func(from, to string, limit int) (list []engine.Instance) {
			w.read(func(v engine.View) {
				var err error
				list, err = v.Outlines(at(from), at(to), limit)
				require.NoError(w, err)
			})
			return list
		}
		require.Equal(w, []int64{p[1].ID, filled.ID, p[2].ID}, ids(ask("02:00", "04:00", 10)))
		require.Equal(w, []int64{p[0].ID, p[1].ID, filled.ID}, ids(ask("00:00", "9 00:00", 3)))
		require.Empty(w, ask("05:00", "9 00:00", 3))
		for _, got := range ask("00:00", "9 00:00", 10) {
			full := w.get(got.ID)
			w.same(engine.Instance{
				ID: full.ID, Job: full.Job, Kind: full.Kind, Key: full.Key, PlanTime: full.PlanTime, NotBefore: full.NotBefore, State: full.State, Gate: full.Gate,
				DryRun: full.DryRun, Frozen: full.Frozen, Run: full.Run, StartedAt: full.StartedAt, EndedAt: full.EndedAt,
			}, got)
			_, want := full.PlanTime.Zone()
			_, offset := got.PlanTime.Zone()
			require.Equal(w, want, offset)
		}
		require.Zero(w, ask("01:00", "01:00", 10))
		require.Equal(w, time.UTC, ask("02:00", "02:30", 1)[0].EndedAt.Location())
	}},
}
