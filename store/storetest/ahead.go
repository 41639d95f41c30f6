package storetest

import (
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/stretchr/testify/require"
)

func (w *world) pauses() (list []engine.PauseRow) {
	w.Helper()
	w.read(func(v engine.View) {
		var err error
		list, err = v.Pauses()
		require.NoError(w, err)
	})
	return list
}

func (w *world) overrides(job int64, from, to time.Time, limit int) (list []engine.OverrideRow) {
	w.Helper()
	w.read(func(v engine.View) {
		var err error
		list, err = v.Overrides(job, from, to, limit)
		require.NoError(w, err)
	})
	return list
}

var aheadCases = []testCase{
	{"pauses are kept, those that are over too, by workflow, job and when they began", func(w *world) {
		whole := engine.PauseRow{Workflow: "w", Since: at("02:00").UTC(), Until: at("03:00").UTC(), Missed: engine.MissedSkip, Actor: "ana", Note: "rebuilt"}
		job := engine.PauseRow{Workflow: "w", Job: "A", Since: at("01:00").UTC(), Actor: "bo"}
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.PutPause(job))
			require.NoError(w, tx.PutPause(whole))
			again, err := tx.Pauses()
			require.NoError(w, err)
			require.Equal(w, []engine.PauseRow{whole, job}, again, "a transaction sees what it wrote")
		})
		job.Resumed, job.Note = at("01:30").UTC(), "back"
		later := engine.PauseRow{Workflow: "w", Job: "A", Since: at("04:00").UTC(), Missed: engine.MissedLatest, Actor: "ana"}
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.PutPause(job))
			require.NoError(w, tx.PutPause(later))
		})
		require.Equal(w, []engine.PauseRow{whole, job, later}, w.pauses())
	}},
	{"what a pause may hold is woken, so many at once, the others not", func(w *world) {
		i := w.plan("A", "01:00", "02:00", "03:00", "04:00")
		for _, k := range i[:2] {
			w.hold(engine.Hold{Instance: k.ID, Gate: engine.GateFrozen, Reason: engine.Reason{Code: engine.ReasonPaused, Actor: "ana"}, Wake: at("09:00")})
		}
		w.hold(engine.Hold{Instance: i[2].ID, Gate: engine.GateDependency, Wake: at("09:00")})
		wake := func(limit int) (n int) {
			w.write(func(tx engine.Tx) {
				var err error
				n, err = tx.WakePaused(w.ids["A"], at("05:00"), limit)
				require.NoError(w, err)
			})
			return n
		}
		require.Equal(w, 1, wake(1))
		require.Equal(w, 1, wake(9))
		require.Zero(w, wake(9))
		due := ids(w.list(func(v engine.View) ([]engine.Instance, error) { return v.Due(at("05:00"), 9) }))
		require.ElementsMatch(w, []int64{i[0].ID, i[1].ID, i[3].ID}, due)
	}},
	{"overrides are kept until they say nothing", func(w *world) {
		one := engine.OverrideRow{Job: w.ids["A"], PlanTime: at("3 01:00"), Frozen: true, Actor: "ana", Note: "audit", At: at("00:00").UTC()}
		two := engine.OverrideRow{Job: w.ids["B"], PlanTime: at("2 01:00"), Priority: 9, NotBefore: at("2 03:00").UTC(), Actor: "bo", At: at("00:00").UTC()}
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.PutOverride(one))
			require.NoError(w, tx.PutOverride(two))
		})
		require.Equal(w, []engine.OverrideRow{two, one}, w.overrides(0, time.Time{}, time.Time{}, 9))
		require.Equal(w, []engine.OverrideRow{two}, w.overrides(0, time.Time{}, time.Time{}, 1))
		require.Equal(w, []engine.OverrideRow{one}, w.overrides(w.ids["A"], at("3 01:00"), at("3 02:00"), 9))
		require.Empty(w, w.overrides(w.ids["A"], at("2 01:00"), at("3 01:00"), 9))
		one.Frozen, one.Priority = false, 1
		two.Priority, two.NotBefore = 0, time.Time{}
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.PutOverride(one))
			require.NoError(w, tx.PutOverride(two))
			require.NoError(w, tx.PutOverride(two))
		})
		require.Equal(w, []engine.OverrideRow{one}, w.overrides(0, time.Time{}, time.Time{}, 9))
	}},
	{"an instance is as an override says, and is planned away still", func(w *world) {
		i := w.plan("A", "05:00", "06:00", "07:00")
		set := func(id int64, frozen bool, priority int, at time.Time) bool {
			return w.act(func(tx engine.Tx) (bool, error) { return tx.SetOverride(id, frozen, priority, at) })
		}
		require.True(w, set(i[0].ID, true, 9, at("08:00")))
		require.False(w, set(i[0].ID, true, 9, at("08:00")), "it is so already")
		now := w.get(i[0].ID)
		require.True(w, now.Frozen)
		require.False(w, now.Touched)
		require.Equal(w, 9, now.Priority)
		require.True(w, now.NotBefore.Equal(at("08:00")))
		require.Empty(w, w.list(func(v engine.View) ([]engine.Instance, error) { return v.Due(at("05:30"), 9) }))
		require.True(w, w.act(func(tx engine.Tx) (bool, error) { return tx.SetPriority(i[1].ID, 9, ana, at("00:00")) }))
		require.False(w, set(i[1].ID, true, 9, at("08:00")), "a person has touched it")
		w.hold(engine.Hold{Instance: i[2].ID, Gate: engine.GateDependency})
		require.False(w, set(i[2].ID, true, 9, at("08:00")), "it was looked at")
		require.False(w, set(4711, true, 9, at("08:00")))
		w.write(func(tx engine.Tx) {
			n, err := tx.DeleteUnstarted(w.ids["A"], at("05:00"))
			require.NoError(w, err)
			require.Equal(w, 1, n, "the first, although it is frozen")
		})
	}},
}
