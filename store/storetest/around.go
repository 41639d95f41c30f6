package storetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/stretchr/testify/require"
)

// clocks lists the plan times of instances, as clocks of the day.
func clocks(list []engine.Instance) []string {
	times := []string{}
	for _, i := range list {
		times = append(times, i.PlanTime.Format("15:04"))
	}
	return times
}

var aroundCases = []testCase{
	{"a range is listed from either end, all of it or what does not satisfy", func(w *world) {
		p := w.plan("A", "01:00", "02:00", "03:00", "04:00", "05:00")
		w.plan("B", "03:00")
		w.run(p[0].ID, engine.Succeed, "06:00")
		w.run(p[2].ID, engine.Fail, "06:00")
		w.apply(p[3].ID, engine.Skip, "06:00")
		key := w.planned("A", "03:00")
		key.Kind, key.Key = engine.Backfill, "k"
		w.insert(key)
		w.read(func(v engine.View) {
			q := engine.RangeQuery{Job: w.ids["A"], From: at("01:00"), To: at("04:00"), Limit: 3}
			for _, c := range []struct {
				unsatisfied, latest bool
				want                []string
			}{
				{false, false, []string{"01:00", "02:00", "03:00"}},
				{false, true, []string{"04:00", "03:00", "02:00"}},
				{true, false, []string{"02:00", "03:00"}},
				{true, true, []string{"03:00", "02:00"}},
			} {
				q.Unsatisfied, q.Latest = c.unsatisfied, c.latest
				list, err := v.Range(q)
				require.NoError(w, err)
				require.Equal(w, c.want, clocks(list), "%+v", q)
				n, err := v.RangeCount(q)
				require.NoError(w, err)
				require.Equal(w, len(c.want), n)
			}
			q.Key = "k"
			list, err := v.Range(q)
			require.NoError(w, err)
			require.Equal(w, []string{"03:00"}, clocks(list))
		})
	}},
	{"who waits for an instance is found by the range that holds it", func(w *world) {
		w.insert(w.planned("B", "06:00"), w.on("A", "01:00", "04:00"))
		w.insert(w.planned("B", "07:00"), w.on("A", "05:00", "05:00"), w.on("A", "01:00", "02:00"))
		w.insert(w.planned("C", "00:30"), w.on("A", "02:00", "02:00"))
		w.insert(w.planned("A", "02:00"), w.on("A", "01:00", "01:00"))
		w.insert(w.planned("D", "02:00"), w.on("B", "02:00", "02:00"))
		waiters := func(clock string, ahead time.Duration, limit int) []string {
			names := []string{}
			w.read(func(v engine.View) {
				list, err := v.Waiters(w.ids["A"], "", at(clock), ahead, limit)
				require.NoError(w, err)
				for _, i := range list {
					names = append(names, i.Ref.Job+" "+i.PlanTime.Format("15:04"))
				}
			})
			return names
		}
		require.Equal(w, []string{"B 06:00", "B 07:00", "C 00:30"}, waiters("02:00", 2*time.Hour, 9))
		require.Equal(w, []string{"B 06:00", "B 07:00"}, waiters("02:00", 0, 9), "the other is planned before it")
		require.Equal(w, []string{"B 06:00"}, waiters("02:00", 2*time.Hour, 1))
		require.Equal(w, []string{"A 02:00", "B 06:00", "B 07:00"}, waiters("01:00", 0, 9), "its own next one too")
		require.Equal(w, []string{"B 07:00"}, waiters("05:00", 0, 9))
	}},
	{"the place in the queue is counted by priority, then plan time", func(w *world) {
		late, first := w.planned("B", "03:00"), w.planned("A", "04:00")
		first.Priority = 9
		queued := []engine.Instance{w.insert(w.planned("A", "02:00")), w.insert(late), w.insert(first)}
		for _, i := range append(queued, w.insert(w.filled("A", "01:00"))) { // what is of a backfill stands in its lane
			w.hold(engine.Hold{Instance: i.ID, Gate: engine.GateSlot})
		}
		w.read(func(v engine.View) {
			for n, want := range []int{1, 2, 0} {
				got, err := v.Ahead(&queued[n], 10)
				require.NoError(w, err)
				require.Equal(w, want, got, n)
			}
			got, err := v.Ahead(&queued[1], 1)
			require.NoError(w, err)
			require.Equal(w, 1, got, "no more than the limit")
		})
	}},
	{"what may have run at a time had started and not ended", func(w *world) {
		p := w.plan("A", "01:00", "02:00", "03:00", "04:00")
		w.apply(p[0].ID, engine.Start, "05:00")
		w.apply(p[0].ID, engine.Succeed, "06:00")
		w.apply(p[1].ID, engine.Start, "07:00")
		w.apply(p[2].ID, engine.Start, "08:00")
		for clock, want := range map[string][]string{
			"04:59": {}, "05:00": {"01:00"}, "06:00": {"01:00"}, "06:01": {}, "07:30": {"02:00"}, "09:00": {"02:00", "03:00"},
		} {
			w.read(func(v engine.View) {
				list, err := v.StartedBy(w.ids["A"], at(clock))
				require.NoError(w, err)
				require.Equal(w, want, clocks(list), clock)
			})
		}
	}},
	{"what may have run at a time is found however long it ran", func(w *world) {
		start := at("06:00")
		for n, took := range []time.Duration{0, 1, 9, 10, 99, 100, 999, 1000, 9_999, 10_000, 99_999_999, 100_000_000, 400 * 24 * 3_600_000} {
			took *= time.Millisecond
			i := w.insert(w.planned("A", fmt.Sprintf("01:%02d", n)))
			w.applyAt(i.ID, engine.Start, start)
			w.applyAt(i.ID, engine.Succeed, start.Add(took))
			w.read(func(v engine.View) {
				for at, want := range map[time.Duration]bool{-time.Millisecond: false, 0: true, took / 2: true, took: true, took + time.Millisecond: false} {
					list, err := v.StartedBy(w.ids["A"], start.Add(at))
					require.NoError(w, err)
					found := slices.ContainsFunc(list, func(f engine.Instance) bool { return f.ID == i.ID })
					require.Equal(w, want, found, "took %s, asked for %s after its start", took, at)
				}
			})
		}
	}},
	{"running instances are counted by job", func(w *world) {
		for _, i := range append(w.plan("A", "01:00", "02:00", "03:00"), w.plan("C", "01:00")...) {
			w.apply(i.ID, engine.Start, "05:00")
		}
		lost := w.plan("B", "01:00")[0]
		w.apply(lost.ID, engine.Start, "05:00")
		w.apply(lost.ID, engine.Lose, "06:00")
		w.read(func(v engine.View) {
			counts, err := v.ActiveCounts()
			require.NoError(w, err)
			require.Equal(w, map[int64]int{w.ids["A"]: 3, w.ids["C"]: 1}, counts)
		})
	}},
	{"the history of one instance and all versions of a job are listed", func(w *world) {
		p := w.plan("A", "01:00", "02:00")
		w.run(p[0].ID, engine.Fail, "06:00")
		w.apply(p[1].ID, engine.Cancel, "06:00")
		w.read(func(v engine.View) {
			ids, events, err := v.HistoryOf(p[0].ID)
			require.NoError(w, err)
			require.Len(w, ids, 2)
			require.Equal(w, "start", events[0].Kind)
			require.Equal(w, engine.Failed, events[1].To)
			after, _, err := v.HistoryAfter(ids[1], 10)
			require.NoError(w, err)
			require.Len(w, after, 1)
			versions, err := v.VersionsOf(w.ids["A"])
			require.NoError(w, err)
			require.Len(w, versions, 1)
			require.Equal(w, "A", string(versions[0].Definition))
		})
	}},
	{"what became of the definition of one job is listed from an event on", func(w *world) {
		define := func(job, what string) {
			w.write(func(tx engine.Tx) {
				reason := engine.Reason{Code: engine.ReasonPerson, Detail: what}
				require.NoError(w, tx.Record(engine.EventRow{At: at("01:00"), Kind: "define", Job: w.ids[job], Reason: reason}))
			})
		}
		define("A", "added")
		last := int64(0)
		w.read(func(v engine.View) {
			ids, _, err := v.HistoryAfter(0, 1000)
			require.NoError(w, err)
			last = ids[len(ids)-1]
		})
		define("B", "changed")
		define("A", "removed")
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.Record(engine.EventRow{At: at("01:00"), Kind: "backfill", Job: w.ids["A"], Reason: engine.Reason{Code: engine.ReasonPerson}}))
		})
		define("A", "back")
		w.read(func(v engine.View) {
			events, err := v.DefinedAfter(w.ids["A"], last)
			require.NoError(w, err)
			require.Len(w, events, 2)
			require.Equal(w, []string{"removed", "back"}, []string{events[0].Reason.Detail, events[1].Reason.Detail})
		})
	}},
}
