package storetest

import (
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/stretchr/testify/require"
)

// upstream makes instances of B from a line such as "01:00 succeeded, 02:00 failed, 03:00 waiting frozen".
func (w *world) upstream(line string) map[string]int64 {
	w.Helper()
	made := map[string]int64{}
	for _, part := range strings.Split(line, ", ") {
		words := strings.Fields(part)
		i := w.planned("B", words[0])
		i.Frozen = len(words) > 2
		id := w.insert(i).ID
		made[words[0]] = id
		now := "4 00:00"
		switch engine.State(words[1]) {
		case engine.Running:
			w.apply(id, engine.Start, now)
		case engine.Lost:
			w.run(id, engine.Lose, now)
		case engine.Succeeded:
			w.run(id, engine.Succeed, now)
		case engine.Failed:
			w.run(id, engine.Fail, now)
		case engine.Forced:
			w.apply(id, engine.Force, now)
		case engine.Skipped:
			w.apply(id, engine.Skip, now)
		case engine.Cancelled:
			w.apply(id, engine.Cancel, now)
		}
	}
	return made
}

// factsTable: the upstream instances, the range, and which of them the facts name. "-" is none.
// ended is what is open where any end will do and onFailed is not run: what is frozen has not ended.
var factsTable = []struct{ upstream, first, last, unsatisfied, open, failed, ended string }{
	{"01:00 succeeded, 02:00 forced, 03:00 skipped", "01:00", "03:00", "-", "-", "-", "-"},
	{"01:00 waiting, 02:00 succeeded", "01:00", "02:00", "01:00", "01:00", "-", "01:00"},
	{"01:00 waiting, 02:00 waiting, 03:00 waiting", "01:00", "02:00", "02:00", "02:00", "-", "02:00"},
	{"01:00 waiting, 02:00 succeeded, 03:00 waiting", "02:00", "02:00", "-", "-", "-", "-"},
	{"01:00 running, 02:00 failed", "01:00", "02:00", "02:00", "01:00", "02:00", "01:00"},
	{"01:00 failed, 02:00 running, 03:00 cancelled", "01:00", "03:00", "03:00", "02:00", "01:00", "02:00"},
	{"01:00 lost, 02:00 succeeded", "01:00", "02:00", "01:00", "01:00", "-", "01:00"},
	{"01:00 waiting, 02:00 waiting frozen", "01:00", "02:00", "02:00", "01:00", "02:00", "02:00"},
	{"01:00 waiting frozen, 02:00 waiting", "01:00", "02:00", "02:00", "02:00", "01:00", "02:00"},
	{"01:00 failed, 02:00 waiting frozen", "01:00", "02:00", "02:00", "-", "01:00", "02:00"},
	{"01:00 waiting frozen, 02:00 failed", "01:00", "02:00", "02:00", "-", "01:00", "01:00"},
	{"01:00 succeeded, 02:00 waiting frozen", "02:00", "02:00", "02:00", "-", "02:00", "02:00"},
	{"01:00 cancelled, 02:00 cancelled", "01:00", "02:00", "02:00", "-", "01:00", "-"},
	{"01:00 waiting, 05:00 waiting", "02:00", "04:00", "-", "-", "-", "-"},
}

var factsCases = []testCase{
	{"the instances of a range", func(w *world) {
		for _, c := range factsTable {
			w.Log(c.upstream, c.first, c.last)
			made := w.upstream(c.upstream)
			wait := w.on("B", c.first, c.last)
			check := func(want string, got *engine.UpstreamInstance) {
				w.Helper()
				if want == "-" {
					require.Nil(w, got)
					return
				}
				require.NotNil(w, got)
				i := w.get(made[want])
				w.same(engine.UpstreamInstance{ID: i.ID, PlanTime: i.PlanTime, State: i.State, Frozen: i.Frozen}, *got)
			}
			f := w.facts(wait)
			check(c.unsatisfied, f.Unsatisfied)
			wait.OnFailed = engine.FailedRun
			f = w.facts(wait)
			check(c.unsatisfied, f.Unsatisfied)
			check(c.open, f.Open)
			wait.OnFailed = engine.FailedCancel
			f = w.facts(wait)
			check(c.unsatisfied, f.Unsatisfied)
			check(c.failed, f.Failed)
			wait.OnFailed, wait.Ended = engine.FailedWait, true
			check(c.ended, w.facts(wait).Open)

			// Another key, another job: nothing.
			wait.Key = "k"
			require.Nil(w, w.facts(wait).Unsatisfied)
			w.write(func(tx engine.Tx) {
				// The next row of the table has its own world of instances: this job moves out of its way.
				w.ids["B"] = w.reserve(tx, 2)
				name := "B" + strings.Repeat("'", int(w.ids["B"]%50)+1)
				require.NoError(w, tx.PutJob(engine.JobRow{ID: w.ids["B"], Ref: ref(name), Version: w.ids["B"] + 1}))
			})
		}
	}},
	{"what is not there is missing", func(w *world) {
		w.upstream("01:00 succeeded, 02:00 failed, 03:00 forced, 05:00 waiting")
		w.plannedTo("B", at("4 00:00"))
		missing := func(count int, first, last, selects string, change func(*engine.Wait)) int {
			wait := w.on("B", first, last)
			wait.Count, wait.Select = count, selects
			if change != nil {
				change(&wait)
			}
			return w.facts(wait).Missing
		}
		require.Equal(w, 0, missing(1, "01:00", "01:00", "all", nil))
		require.Equal(w, 1, missing(1, "04:00", "04:00", "all", nil))
		require.Equal(w, 1, missing(2, "03:00", "04:00", "all", nil))
		require.Equal(w, 0, missing(3, "03:00", "05:00", "all", nil), "what waits stands in the way whatever is missing")
		run := func(x *engine.Wait) { x.OnFailed = engine.FailedRun }
		require.Equal(w, 1, missing(4, "01:00", "04:00", "all", run))
		require.Equal(w, 1, missing(4, "01:00", "04:00", "all", func(x *engine.Wait) { x.Ended = true }))
		require.Equal(w, 0, missing(4, "01:00", "04:00", "any", nil), "what is there satisfies, or not")
		require.Equal(w, 2, missing(2, "01:00", "03:00", "all", func(x *engine.Wait) { x.Key = "k" }), "of another key nothing is there")
	}},
	{"the plan times of scheduled instances", func(w *world) {
		w.upstream("01:00 succeeded, 02:00 waiting, 03:00 waiting frozen")
		w.read(func(v engine.View) {
			times, err := v.PlanTimes(w.ids["B"], at("01:00"), at("03:00"))
			require.NoError(w, err)
			require.Len(w, times, 2)
			for n, want := range []string{"01:00", "02:00"} {
				require.True(w, at(want).Equal(times[n]))
			}
			none, err := v.PlanTimes(w.ids["A"], at("01:00"), at("03:00"))
			require.NoError(w, err)
			require.Empty(w, none)
		})
	}},
	{"how many satisfy is counted up to what is asked for", func(w *world) {
		w.upstream("01:00 succeeded, 02:00 waiting, 03:00 forced, 04:00 skipped, 05:00 failed, 06:00 succeeded")
		count := func(selects, first, last string) int {
			wait := w.on("B", first, last)
			wait.Select = selects
			return w.facts(wait).Satisfied
		}
		require.Equal(w, 1, count("any", "01:00", "06:00"))
		require.Equal(w, 0, count("any", "02:00", "02:00"))
		require.Equal(w, 3, count("3", "01:00", "06:00"))
		require.Equal(w, 2, count("3", "02:00", "05:00"))
		require.Equal(w, 4, count("10", "01:00", "06:00"))
	}},
	{"planned is when the plan reaches beyond the last plan time", func(w *world) {
		wait := w.on("B", "01:00", "05:00")
		require.False(w, w.facts(wait).Planned)
		w.plannedTo("B", at("05:00"))
		require.False(w, w.facts(wait).Planned, "the plan's end is excluded")
		w.plannedTo("B", at("05:00").Add(time.Millisecond))
		require.True(w, w.facts(wait).Planned)
	}},
	{"an upstream that was removed or disabled", func(w *world) {
		wait := w.on("B", "01:00", "05:00")
		put := func(j engine.JobRow) {
			j.ID, j.Ref, j.Version = w.ids["B"], ref("B"), w.ids["B"]+1
			w.write(func(tx engine.Tx) {
				_, err := tx.Facts(&wait)
				require.NoError(w, err)
				require.NoError(w, tx.PutJob(j))
				f, err := tx.Facts(&wait)
				require.NoError(w, err)
				require.Equal(w, []bool{j.Removed, j.Disabled}, []bool{f.Removed, f.Disabled}, "in the same transaction")
			})
			f := w.facts(wait)
			require.Equal(w, []bool{j.Removed, j.Disabled}, []bool{f.Removed, f.Disabled})
		}
		put(engine.JobRow{Disabled: true})
		put(engine.JobRow{Removed: true})
		put(engine.JobRow{})
		wait.Count, wait.First, wait.Last = 0, time.Time{}, time.Time{}
		put(engine.JobRow{Removed: true})
	}},
	{"a watermark moved in the transaction counts in it", func(w *world) {
		wait := w.on("B", "01:00", "05:00")
		w.write(func(tx engine.Tx) {
			f, err := tx.Facts(&wait)
			require.NoError(w, err)
			require.False(w, f.Planned)
			ok, err := tx.SetPlannedTo(w.ids["B"], time.Time{}, at("06:00"))
			require.NoError(w, err)
			require.True(w, ok)
			f, err = tx.Facts(&wait)
			require.NoError(w, err)
			require.True(w, f.Planned)
		})
	}},
}
