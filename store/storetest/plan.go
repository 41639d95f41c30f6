package storetest

import (
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/stretchr/testify/require"
)

var planCases = []testCase{
	{"an instance comes back as it was planned", func(w *world) {
		i := w.planned("A", "02:00")
		i.Kind, i.Key = engine.Manual, "trigger-7"
		i.Reason = engine.Reason{Code: engine.ReasonPerson, Upstream: &engine.JobRef{Workflow: "w", Job: "B"}, Detail: `"quoted" <é>`, Actor: "ann"}
		moment := at("03:00")
		i.Reason.At = &moment
		i.DryRun, i.Frozen, i.Priority, i.Pool = true, true, 9, "big"
		i.NotBefore = at("02:00").Add(1234 * time.Millisecond)
		i.Params = map[string]string{"day": "ü", "": "x"}
		got := w.insert(i)
		i.ID, i.Run = got.ID, 1
		w.same(i, got)
	}},
	{"waits come back as they were planned, by number", func(w *world) {
		first := w.on("B", "01:00", "05:00")
		first.Count, first.Select, first.OnMissing, first.OnFailed = 5, "3", engine.MissingCancel, engine.FailedCancel
		first.Key, first.Ended, first.Timeout, first.Closed = "backfill-1", true, 90*time.Minute, "both"
		none := w.on("C", "00:00", "00:00")
		none.Dependency, none.Count, none.First, none.Last, none.Rule = 1, 0, time.Time{}, time.Time{}, "none-in-window"
		i := w.insert(w.planned("A", "02:00"), first, none)
		first.Instance, none.Instance, none.N = i.ID, i.ID, 1
		w.read(func(v engine.View) {
			got, err := v.Waits(i.ID)
			require.NoError(w, err)
			require.Len(w, got, 2)
			w.same(first, got[0])
			w.same(none, got[1])
			got, err = v.Waits(1 << 40)
			require.NoError(w, err)
			require.Empty(w, got)
		})
	}},
	{"planning twice inserts nothing new and leaves the waits as they are", func(w *world) {
		i := w.insert(w.planned("A", "02:00"), w.on("B", "01:00", "01:00"))
		again := w.planned("A", "02:00")
		again.Priority = 9
		w.write(func(tx engine.Tx) {
			again.ID = w.reserve(tx, 1)
			other := w.on("C", "01:00", "01:00")
			other.Instance = again.ID
			n, err := tx.InsertInstances(rows(row{again, []engine.Wait{other}}))
			require.NoError(w, err)
			require.Zero(w, n)
		})
		require.Equal(w, 5, w.get(i.ID).Priority)
		w.read(func(v engine.View) {
			waits, err := v.Waits(i.ID)
			require.NoError(w, err)
			require.Len(w, waits, 1)
			require.Equal(w, w.ids["B"], waits[0].Upstream)
			waits, err = v.Waits(again.ID)
			require.NoError(w, err)
			require.Empty(w, waits)
			_, err = v.Instance(again.ID)
			require.ErrorIs(w, err, engine.ErrNotFound)
		})
	}},
	{"a manual and a backfill instance of the same plan time stand beside the scheduled one", func(w *world) {
		for _, k := range []engine.Kind{engine.Scheduled, engine.Manual, engine.Backfill} {
			i := w.planned("A", "02:00")
			i.Kind = k
			if k != engine.Scheduled {
				i.Key = string(k)
			}
			got := w.insert(i)
			w.read(func(v engine.View) {
				found, err := v.Find(w.ids["A"], i.Key, at("02:00"))
				require.NoError(w, err)
				require.Equal(w, got.ID, found.ID)
			})
		}
	}},
	{"a big plan, half of which exists, keeps each instance with its own waits", func(w *world) {
		const n = 1000
		plan := func(times func(k int) bool) (list []row) {
			for k := range n {
				if !times(k) {
					continue
				}
				i := w.planned("A", "00:00")
				i.PlanTime = at("00:00").Add(time.Duration(k) * time.Minute)
				i.NotBefore = i.PlanTime
				var waits []engine.Wait
				for m := range k % 3 {
					wait := w.on("B", "00:00", "00:00")
					wait.N, wait.Count = m, k+1
					waits = append(waits, wait)
				}
				list = append(list, row{i, waits})
			}
			return list
		}
		insert := func(list []row) (inserted int) {
			w.write(func(tx engine.Tx) {
				first := w.reserve(tx, len(list))
				for k := range list {
					list[k].instance.ID = first + int64(k)
					for m := range list[k].waits {
						list[k].waits[m].Instance = first + int64(k)
					}
				}
				var err error
				inserted, err = tx.InsertInstances(rows(list...))
				require.NoError(w, err)
			})
			return inserted
		}
		some := func(k int) bool { return k%7 == 0 || k > 300 && k < 500 }
		half := plan(some)
		require.Equal(w, len(half), insert(half))
		require.Equal(w, n-len(half), insert(plan(func(int) bool { return true })))
		w.read(func(v engine.View) {
			for k := range n {
				i, err := v.Find(w.ids["A"], "", at("00:00").Add(time.Duration(k)*time.Minute))
				require.NoError(w, err)
				waits, err := v.Waits(i.ID)
				require.NoError(w, err)
				require.Len(w, waits, k%3)
				for m := range waits {
					require.Equal(w, k+1, waits[m].Count)
				}
			}
		})
	}},
	{"the first wake is NotBefore", func(w *world) {
		i := w.planned("A", "02:00")
		i.NotBefore = at("02:07")
		id := w.insert(i).ID
		require.Empty(w, w.due("02:06"))
		require.Equal(w, []int64{id}, w.due("02:07"))
	}},
	{"what was never looked at can be planned anew, and nothing else", func(w *world) {
		plan := w.plan("A", "01:00", "02:00", "03:00", "04:00", "05:00")
		other := w.plan("B", "03:00")[0]
		manual := w.planned("A", "03:30")
		manual.Kind, manual.Key = engine.Manual, "m"
		m := w.insert(manual)
		frozen := w.planned("A", "03:40")
		frozen.Frozen = true
		f := w.insert(frozen)
		confirmed := w.plan("A", "07:00")[0]
		w.write(func(tx engine.Tx) {
			w.yes(tx.SetConfirmed(confirmed.ID, engine.Reason{Code: engine.ReasonPerson, Actor: "ann"}, at("00:30")))
		})
		defer func() {
			require.Equal(w, "ann", w.get(confirmed.ID).Confirmed, "what a person said of it is not forgotten")
		}()
		withWait := w.insert(w.planned("A", "06:00"), w.on("B", "03:00", "03:00"))
		w.wait(plan[2].ID, engine.GateDependency)
		w.apply(plan[3].ID, engine.Start, "04:00")
		w.write(func(tx engine.Tx) {
			n, err := tx.DeleteUnstarted(w.ids["A"], at("02:00"))
			require.NoError(w, err)
			require.Equal(w, 4, n, "02:00, 05:00, 06:00 and the one that the planner wrote frozen")
		})
		left := fmt.Sprint(ids(plan[:1]), ids(plan[2:4]), m.ID, other.ID)
		w.read(func(v engine.View) {
			var kept []int64
			for _, i := range append(plan, m, f, other, withWait) {
				if _, err := v.Instance(i.ID); err == nil {
					kept = append(kept, i.ID)
				} else {
					require.ErrorIs(w, err, engine.ErrNotFound)
				}
			}
			require.Equal(w, left, fmt.Sprint(kept[:1], kept[1:3], kept[3], kept[4]))
			require.Len(w, kept, 5)
			waits, err := v.Waits(withWait.ID)
			require.NoError(w, err)
			require.Empty(w, waits)
		})
	}},
}
