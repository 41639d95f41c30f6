package storetest

import (
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/stretchr/testify/require"
)

// held makes an instance of A that waits behind the gate dependency until it is woken.
func (w *world) held(clock string, watch string, waits ...engine.Wait) int64 {
	w.Helper()
	i := w.insert(w.planned("A", clock), waits...)
	h := engine.Hold{Instance: i.ID, Gate: engine.GateDependency, Reason: engine.Reason{Code: engine.ReasonUpstream}}
	if watch != "" {
		h.WatchJob, h.WatchTime = w.ids["B"], at(watch)
	}
	w.hold(h)
	return i.ID
}

// wakeDependents wakes all that waits for a job.
func (w *world) wakeDependents(job string) {
	w.Helper()
	w.write(func(tx engine.Tx) {
		_, _, err := tx.WakeDependents(w.ids[job], 0, 99)
		require.NoError(w, err)
	})
}

func some(wait engine.Wait, selects string) engine.Wait {
	wait.Select = selects
	return wait
}

func cancelling(wait engine.Wait) engine.Wait {
	wait.OnFailed = engine.FailedCancel
	return wait
}

// ends are the ways in which an instance of B comes to an end.
var ends = map[engine.State]func(w *world, id int64, clock string){
	engine.Succeeded: func(w *world, id int64, clock string) { w.run(id, engine.Succeed, clock) },
	engine.Failed:    func(w *world, id int64, clock string) { w.run(id, engine.Fail, clock) },
	engine.Forced:    func(w *world, id int64, clock string) { w.apply(id, engine.Force, clock) },
	engine.Skipped:   func(w *world, id int64, clock string) { w.apply(id, engine.Skip, clock) },
	engine.Cancelled: func(w *world, id int64, clock string) { w.apply(id, engine.Cancel, clock) },
}

var wakeCases = []testCase{
	{"the end of the watched instance, and of no other, wakes its watchers", func(w *world) {
		day := 3
		for state, end := range ends {
			w.Log(state)
			day++
			d := string(rune('0'+day)) + " "
			b := w.plan("B", d+"01:00", d+"02:00")
			one := w.held(d+"03:00", d+"02:00", w.on("B", d+"01:00", d+"02:00"))
			two := w.held(d+"04:00", d+"02:00", w.on("B", d+"01:00", d+"02:00"))
			other := w.held(d+"05:00", d+"01:00", w.on("B", d+"01:00", d+"02:00"))
			require.NotContains(w, w.woken(d+"06:00"), one, "not before it ended")
			end(w, b[1].ID, d+"06:00")
			require.Contains(w, w.woken(d+"03:00"), one, "at its own time, whatever the clock says when the other ends")
			due := w.woken(d + "06:00")
			require.Contains(w, due, one)
			require.Contains(w, due, two)
			require.NotContains(w, due, other)
		}
	}},
	{"an instance of another key does not wake the watchers of the scheduled one", func(w *world) {
		manual := w.planned("B", "02:00")
		manual.Kind, manual.Key = engine.Manual, "m"
		m := w.insert(manual)
		scheduled := w.plan("B", "02:00")[0]
		id := w.held("03:00", "02:00", w.on("B", "02:00", "02:00"))
		w.run(m.ID, engine.Succeed, "04:00")
		require.Empty(w, w.woken("04:00"))
		w.run(scheduled.ID, engine.Succeed, "05:00")
		require.Equal(w, []int64{id}, w.woken("05:00"))
	}},
	{"a start wakes nobody", func(w *world) {
		b := w.plan("B", "02:00")[0]
		w.held("03:00", "02:00", some(w.on("B", "02:00", "02:00"), "any"))
		w.apply(b.ID, engine.Start, "04:00")
		require.Empty(w, w.woken("5 00:00"))
	}},
	{"a success wakes the waits of any and of a count whose range holds it", func(w *world) {
		b := w.plan("B", "01:00", "02:00", "03:00", "04:00")
		inRange := w.held("05:00", "", some(w.on("B", "02:00", "03:00"), "any"))
		counting := w.held("05:01", "", some(w.on("B", "01:00", "03:00"), "2"))
		w.held("05:02", "", some(w.on("B", "01:00", "02:00"), "any"))
		w.held("05:03", "", some(w.on("B", "04:00", "04:00"), "any"))
		w.held("05:04", "", w.on("B", "01:00", "04:00"))
		w.held("05:05", "", some(w.on("C", "02:00", "03:00"), "any"))
		w.run(b[2].ID, engine.Succeed, "06:00")
		require.ElementsMatch(w, []int64{inRange, counting}, w.woken("06:00"))
	}},
	{"a failure wakes the waits of onFailed cancel whose range holds it, and none of any", func(w *world) {
		b := w.plan("B", "01:00", "02:00", "03:00")
		inRange := w.held("05:00", "", cancelling(w.on("B", "01:00", "02:00")))
		w.held("05:01", "", cancelling(w.on("B", "03:00", "03:00")))
		w.held("05:02", "", some(w.on("B", "01:00", "03:00"), "any"))
		w.run(b[0].ID, engine.Fail, "06:00")
		require.Equal(w, []int64{inRange}, w.woken("06:00"))
	}},
	{"a success wakes no wait of onFailed cancel", func(w *world) {
		b := w.plan("B", "01:00")
		w.held("05:00", "", cancelling(w.on("B", "01:00", "02:00")))
		w.run(b[0].ID, engine.Succeed, "06:00")
		require.Empty(w, w.woken("06:00"))
	}},
	{"an end wakes the first of the same job behind the gate concurrency", func(w *world) {
		p := w.plan("A", "01:00", "02:00", "03:00", "04:00", "05:00")
		running := []int64{p[0].ID, p[1].ID}
		w.apply(running[0], engine.Start, "06:00")
		w.apply(running[1], engine.Start, "06:00")
		for _, i := range p[2:] {
			w.wait(i.ID, engine.GateConcurrency)
		}
		b := w.plan("B", "01:00", "02:00")
		w.apply(b[1].ID, engine.Start, "06:00")
		w.wait(b[0].ID, engine.GateConcurrency)
		w.apply(running[1], engine.Succeed, "06:01")
		require.Equal(w, []int64{p[2].ID}, w.woken("06:01"))
		w.apply(running[0], engine.Fail, "06:02")
		require.ElementsMatch(w, []int64{p[2].ID, p[3].ID}, w.woken("06:02"), "the one that was woken already does not take the turn of the next")
	}},
	{"priority goes before plan time in that queue", func(w *world) {
		run := w.plan("A", "01:00")[0]
		w.apply(run.ID, engine.Start, "06:00")
		w.wait(w.plan("A", "02:00")[0].ID, engine.GateConcurrency)
		urgent := w.planned("A", "03:00")
		urgent.Priority = 9
		u := w.insert(urgent)
		w.wait(u.ID, engine.GateConcurrency)
		w.apply(run.ID, engine.Cancel, "06:01")
		require.Equal(w, []int64{u.ID}, w.woken("06:01"))
	}},
	{"one that ends while it waits passes the turn on", func(w *world) {
		p := w.plan("A", "01:00", "02:00", "03:00")
		w.apply(p[0].ID, engine.Start, "06:00")
		w.wait(p[1].ID, engine.GateConcurrency)
		w.wait(p[2].ID, engine.GateConcurrency)
		w.apply(p[0].ID, engine.Succeed, "06:01")
		w.apply(p[1].ID, engine.Cancel, "06:02")
		require.Equal(w, []int64{p[2].ID}, w.woken("06:02"))
	}},
	{"one that turns back to an earlier gate passes the turn on", func(w *world) {
		p := w.plan("A", "01:00", "02:00", "03:00")
		w.apply(p[0].ID, engine.Start, "06:00")
		w.wait(p[1].ID, engine.GateConcurrency)
		w.wait(p[2].ID, engine.GateConcurrency)
		w.apply(p[0].ID, engine.Succeed, "06:01")
		w.wait(p[1].ID, engine.GateDependency)
		require.Equal(w, []int64{p[2].ID}, w.woken("06:02"))
	}},
	{"the turn goes to one that waits until a time, and not to one that is due already", func(w *world) {
		p := w.plan("A", "01:00", "02:00", "03:00", "04:00")
		w.apply(p[0].ID, engine.Start, "06:00")
		w.wait(p[1].ID, engine.GateConcurrency)
		w.apply(p[0].ID, engine.Succeed, "06:01")
		w.hold(engine.Hold{Instance: p[2].ID, Gate: engine.GateConcurrency, Wake: at("03:00")})
		w.hold(engine.Hold{Instance: p[3].ID, Gate: engine.GateConcurrency, Wake: at("23:00")})
		w.wait(p[1].ID, engine.GateDependency)
		require.ElementsMatch(w, []int64{p[2].ID, p[3].ID}, w.woken("06:02"))
	}},
	{"the turn goes to one whose time has come, and else to each when it does", func(w *world) {
		p := w.plan("A", "01:00", "02:00")
		urgent := w.planned("A", "09:00")
		urgent.Priority = 9
		ahead, sooner := w.insert(urgent).ID, w.insert(w.planned("A", "08:00")).ID
		w.apply(p[0].ID, engine.Start, "06:00")
		w.wait(ahead, engine.GateConcurrency)
		w.wait(sooner, engine.GateConcurrency)
		w.wait(p[1].ID, engine.GateConcurrency)
		w.apply(p[0].ID, engine.Lose, "06:01")
		require.Equal(w, []int64{p[1].ID}, w.woken("06:01"), "the other was looked at by a clock that was ahead")
		w.apply(p[0].ID, engine.Cancel, "06:02")
		require.ElementsMatch(w, []int64{p[1].ID, sooner}, w.woken("08:00"), "it is not kept by one that is more urgent and later")
		require.ElementsMatch(w, []int64{p[1].ID, sooner, ahead}, w.woken("09:00"))
	}},
	{"the next in line can be woken without an end", func(w *world) {
		p := w.plan("A", "01:00", "02:00", "03:00")
		w.wait(p[0].ID, engine.GateConcurrency)
		w.wait(p[1].ID, engine.GateConcurrency)
		w.wait(p[2].ID, engine.GateDependency)
		next := func() { w.write(func(tx engine.Tx) { require.NoError(w, tx.WakeNext(w.ids["A"], at("06:00"))) }) }
		next()
		require.Equal(w, []int64{p[0].ID}, w.woken("06:00"))
		next()
		next()
		require.ElementsMatch(w, []int64{p[0].ID, p[1].ID}, w.woken("06:00"))
	}},
	{"the line of a backfill is in the order of its turn, which is that of its ids", func(w *world) {
		last, other, first := w.insert(w.filled("A", "03:00")), w.insert(w.filled("B", "01:00")), w.insert(w.filled("A", "01:00"))
		urgent := w.filled("A", "00:30")
		urgent.Priority = 9
		soon := w.insert(urgent)
		later := w.filled("A", "00:40")
		later.NotBefore = at("23:00")
		stranger := w.filled("A", "00:50")
		stranger.Key = "another"
		for _, id := range []int64{last.ID, other.ID, first.ID, soon.ID, w.insert(later).ID} {
			w.wait(id, engine.GateConcurrency)
		}
		next := func() { w.write(func(tx engine.Tx) { require.NoError(w, tx.WakeNext(w.ids["A"], at("06:00"))) }) }
		next()
		require.Equal(w, []int64{soon.ID}, w.woken("06:00"), "its priority goes first")
		next()
		require.ElementsMatch(w, []int64{soon.ID, last.ID}, w.woken("06:00"), "then its turn, whatever its plan time")
		strange := w.insert(stranger).ID
		w.wait(strange, engine.GateConcurrency)
		next()
		require.ElementsMatch(w, []int64{soon.ID, last.ID, strange}, w.woken("06:00"), "between two backfills the plan time decides")
		next()
		require.ElementsMatch(w, []int64{soon.ID, last.ID, strange, first.ID}, w.woken("06:00"))
	}},
	{"losing one makes room for another", func(w *world) {
		p := w.plan("A", "01:00", "02:00")
		w.apply(p[0].ID, engine.Start, "06:00")
		w.wait(p[1].ID, engine.GateConcurrency)
		w.apply(p[0].ID, engine.Lose, "06:01")
		require.Equal(w, []int64{p[1].ID}, w.woken("06:01"))
	}},
	{"what is due earlier stays so", func(w *world) {
		b := w.plan("B", "02:00")[0]
		i := w.insert(w.planned("A", "03:00"), w.on("B", "02:00", "02:00"))
		w.hold(engine.Hold{Instance: i.ID, Gate: engine.GateDependency, Wake: at("04:00"), WatchJob: w.ids["B"], WatchTime: at("02:00")})
		w.run(b.ID, engine.Succeed, "06:00")
		require.Equal(w, []int64{i.ID}, w.woken("04:00"))
	}},
	{"an instance whose time has not come is not woken", func(w *world) {
		b := w.plan("B", "01:00")[0]
		i := w.insert(w.planned("A", "09:00"), some(w.on("B", "01:00", "01:00"), "any"))
		w.run(b.ID, engine.Succeed, "02:00")
		w.wakeDependents("B")
		require.Empty(w, w.woken("02:00"))
		require.Equal(w, []int64{i.ID}, w.woken("09:00"))
	}},
	{"waking the dependents of a job", func(w *world) {
		watching := w.held("03:00", "02:00", w.on("B", "02:00", "02:00"))
		second := w.held("03:01", "", w.on("C", "01:00", "01:00"), w.on("B", "02:00", "02:00"))
		any := w.held("03:02", "", some(w.on("B", "01:00", "02:00"), "any"))
		w.held("03:03", "", w.on("C", "01:00", "02:00"))
		ended := w.held("03:04", "02:00", w.on("B", "01:00", "02:00"))
		w.apply(ended, engine.Cancel, "03:30")
		slot := w.held("03:05", "", w.on("B", "01:00", "02:00"))
		w.wait(slot, engine.GateSlot)
		require.Empty(w, w.woken("04:00"))
		w.wakeDependents("B")
		require.ElementsMatch(w, []int64{watching, second, any, slot}, w.woken("04:00"))
	}},
	{"waking the dependents of a job some at a time", func(w *world) {
		var ids []int64
		for n := range 5 {
			id := w.held(fmt.Sprintf("03:0%d", n), "", w.on("B", "01:00", "02:00"))
			ids = append(ids, id)
		}
		last, all := int64(0), 0
		for _, want := range []int{2, 2, 1, 0} {
			w.write(func(tx engine.Tx) {
				at, n, err := tx.WakeDependents(w.ids["B"], last, 2)
				require.NoError(w, err)
				require.Equal(w, want, n)
				last, all = at, all+n
			})
			require.ElementsMatch(w, ids[:all], w.woken("04:00"))
			require.Equal(w, ids[all-1], last)
		}
	}},
	{"waking what waits of a job, and what was put off of it", func(w *world) {
		id := w.held("03:00", "", w.on("B", "01:00", "02:00"))
		slot := w.held("03:01", "", w.on("B", "01:00", "02:00"))
		w.wait(slot, engine.GateSlot)
		off := w.insert(w.planned("A", "03:02"))
		w.hold(engine.Hold{Instance: off.ID, Gate: engine.GateTime, Wake: at("09:00")})
		w.insert(w.planned("A", "08:00"))
		require.Empty(w, w.woken("04:00"))
		w.write(func(tx engine.Tx) {
			last, n, err := tx.WakeWaiting(w.ids["A"], 0, 2)
			require.NoError(w, err)
			require.Equal(w, 2, n)
			require.Equal(w, slot, last)
			last, n, err = tx.WakeWaiting(w.ids["A"], last, 2)
			require.NoError(w, err)
			require.Equal(w, 1, n)
			require.Equal(w, off.ID, last)
			_, n, err = tx.WakeWaiting(w.ids["B"], 0, 2)
			require.NoError(w, err)
			require.Zero(w, n)
		})
		require.ElementsMatch(w, []int64{id, slot, off.ID}, w.woken("04:00"))
	}},
	{"a plan that reaches a watched time makes the watcher due", func(w *world) {
		id := w.held("03:00", "4 02:00", w.on("B", "2 02:00", "4 02:00"))
		w.plannedTo("B", at("4 02:00"))
		require.Empty(w, w.woken("9 00:00"))
		w.plannedTo("B", at("4 02:00").Add(time.Minute))
		require.Equal(w, []int64{id}, w.woken("9 00:00"))
	}},
	{"an instance that holds again watches only what it watches now", func(w *world) {
		b := w.plan("B", "01:00", "02:00")
		id := w.held("03:00", "02:00", w.on("B", "01:00", "02:00"))
		w.hold(engine.Hold{Instance: id, Gate: engine.GateDependency, WatchJob: w.ids["B"], WatchTime: at("01:00")})
		w.run(b[1].ID, engine.Succeed, "04:00")
		require.Empty(w, w.woken("5 00:00"))
		w.run(b[0].ID, engine.Succeed, "05:00")
		require.Equal(w, []int64{id}, w.woken("05:00"))
	}},
	{"an upstream that ends in the transaction that holds is not missed", func(w *world) {
		b := w.plan("B", "02:00")[0]
		a := w.insert(w.planned("A", "03:00"), w.on("B", "02:00", "02:00"))
		w.write(func(tx engine.Tx) {
			ok, err := tx.Hold(engine.Hold{Instance: a.ID, Gate: engine.GateDependency, WatchJob: w.ids["B"], WatchTime: at("02:00")})
			require.NoError(w, err)
			require.True(w, ok)
			ok, err = tx.Apply(engine.Transition{Instance: b.ID, Event: engine.Force, From: engine.Waiting, At: at("04:00")})
			require.NoError(w, err)
			require.True(w, ok)
			due, err := tx.Due(at("04:00"), 10)
			require.NoError(w, err)
			require.Equal(w, []int64{a.ID}, ids(due))
		})
	}},
}
