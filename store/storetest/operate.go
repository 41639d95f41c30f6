package storetest

import (
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/stretchr/testify/require"
)

// ana is why a person acts.
var ana = engine.Reason{Code: engine.ReasonPerson, Actor: "ana", Detail: "wrong file"}

func (w *world) list(read func(v engine.View) ([]engine.Instance, error)) (list []engine.Instance) {
	w.Helper()
	w.read(func(v engine.View) {
		var err error
		list, err = read(v)
		require.NoError(w, err)
	})
	return list
}

func (w *world) waitsOf(id int64) (waits []engine.Wait) {
	w.Helper()
	w.read(func(v engine.View) {
		var err error
		waits, err = v.Waits(id)
		require.NoError(w, err)
	})
	return waits
}

// act runs one change of a waiting instance.
func (w *world) act(change func(tx engine.Tx) (bool, error)) (ok bool) {
	w.Helper()
	w.write(func(tx engine.Tx) {
		var err error
		ok, err = change(tx)
		require.NoError(w, err)
	})
	return ok
}

var operateCases = []testCase{
	{"what ended, in the order of its ends, behind a place", func(w *world) {
		p := w.plan("A", "01:00", "02:00", "03:00")
		w.apply(p[0].ID, engine.Cancel, "09:00")
		w.apply(p[2].ID, engine.Cancel, "08:00")
		behind := func(at time.Time, id int64, limit int) []int64 {
			return ids(w.list(func(v engine.View) ([]engine.Instance, error) { return v.EndedAfter(at, id, limit) }))
		}
		require.Equal(w, []int64{p[2].ID, p[0].ID}, behind(at("07:00"), 0, 9))
		require.Equal(w, []int64{p[2].ID}, behind(at("07:00"), 0, 1))
		require.Equal(w, []int64{p[0].ID}, behind(at("08:00"), p[2].ID, 9))
		require.Empty(w, behind(at("09:00"), p[0].ID, 9))
	}},
	{"what is to be looked at, in that order, and looked at sooner", func(w *world) {
		p := w.plan("A", "01:00", "02:00", "03:00", "04:00")
		w.apply(p[3].ID, engine.Cancel, "00:30")
		behind := func(at time.Time, id int64, limit int) (found []int64) {
			w.read(func(v engine.View) {
				list, err := v.WakingAfter(at, id, limit)
				require.NoError(w, err)
				for _, one := range list {
					found = append(found, one.ID)
				}
			})
			return found
		}
		require.Equal(w, []int64{p[1].ID, p[2].ID}, behind(at("01:00"), p[0].ID, 9))
		require.Equal(w, []int64{p[0].ID, p[1].ID}, behind(at("00:00"), 0, 2))
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.WakeSooner(p[2].ID, at("00:10")))
			require.NoError(w, tx.WakeSooner(p[1].ID, at("05:00")), "never later")
			require.NoError(w, tx.WakeSooner(p[3].ID, at("00:10")), "it has ended")
		})
		require.Equal(w, []int64{p[2].ID, p[0].ID, p[1].ID}, behind(at("00:00"), 0, 9))
		w.read(func(v engine.View) {
			list, err := v.WakingAfter(at("00:00"), 0, 1)
			require.NoError(w, err)
			require.Equal(w, []engine.Waking{{ID: p[2].ID, At: at("00:10").UTC(), NotBefore: at("03:00").UTC(), Gate: engine.GateTime}}, list)
		})
	}},
	{"instances are listed by their plan time, of one job or of all", func(w *world) {
		a, b := w.plan("A", "03:00", "01:00", "02:00"), w.plan("B", "02:00")
		w.run(a[1].ID, engine.Succeed, "04:00")
		between := func(job int64, from, to time.Time, limit int) []int64 {
			return ids(w.list(func(v engine.View) ([]engine.Instance, error) { return v.Between(job, from, to, limit) }))
		}
		require.Equal(w, []int64{a[1].ID, a[2].ID}, between(w.ids["A"], at("01:00"), at("03:00"), 10))
		require.Equal(w, []int64{a[1].ID, a[2].ID, b[0].ID, a[0].ID}, between(0, time.Time{}, time.Time{}, 10))
		require.Equal(w, []int64{a[2].ID, b[0].ID}, between(0, at("01:01"), at("03:00"), 10))
		require.Equal(w, []int64{a[1].ID}, between(0, at("00:00"), at("03:00"), 1))
	}},
	{"instances are listed by their state", func(w *world) {
		a := w.plan("A", "01:00", "02:00", "03:00", "04:00")
		w.run(a[0].ID, engine.Succeed, "05:00")
		w.run(a[1].ID, engine.Fail, "05:00")
		w.apply(a[2].ID, engine.Start, "05:00")
		in := func(s engine.State) []int64 {
			return ids(w.list(func(v engine.View) ([]engine.Instance, error) { return v.InState(s, at("00:00"), at("23:00"), 10) }))
		}
		require.Equal(w, []int64{a[0].ID}, in(engine.Succeeded))
		require.Equal(w, []int64{a[1].ID}, in(engine.Failed))
		require.Equal(w, []int64{a[2].ID}, in(engine.Running))
		require.Equal(w, []int64{a[3].ID}, in(engine.Waiting))
		require.Empty(w, in(engine.Lost))
	}},
	{"what waits for an instance is found by its range, before and after its own plan time", func(w *world) {
		b := w.plan("B", "02:00", "05:00")
		before := w.insert(w.planned("A", "01:00"), w.on("B", "02:00", "02:00"))
		both := w.insert(w.planned("A", "06:00"), w.on("B", "01:00", "05:00"))
		after := w.insert(w.planned("A", "3 12:00"), w.on("B", "05:00", "05:00"), w.on("C", "02:00", "02:00"))
		w.insert(w.planned("C", "06:00"), w.on("D", "01:00", "05:00"))
		waiting := func(i engine.Instance) []int64 {
			return ids(w.list(func(v engine.View) ([]engine.Instance, error) { return v.WaitingFor(&i) }))
		}
		require.Equal(w, []int64{before.ID, both.ID}, waiting(b[0]))
		require.Equal(w, []int64{both.ID, after.ID}, waiting(b[1]))
		w.apply(both.ID, engine.Cancel, "07:00")
		require.Equal(w, []int64{both.ID, after.ID}, waiting(b[1]), "whatever its state")
		require.Empty(w, waiting(after))
	}},
	{"what a person has acted on is not planned away", func(w *world) {
		i := w.plan("A", "01:00", "02:00", "03:00", "04:00", "05:00", "06:00")
		acts := []func(tx engine.Tx) (bool, error){
			func(tx engine.Tx) (bool, error) { return tx.SetFrozen(i[0].ID, true, ana, at("00:00")) },
			func(tx engine.Tx) (bool, error) { return tx.SetPriority(i[1].ID, 9, ana, at("00:00")) },
			func(tx engine.Tx) (bool, error) { return tx.SetRunNow(i[2].ID, ana, at("00:00")) },
			func(tx engine.Tx) (bool, error) { return tx.SetWaits(i[3].ID, nil, ana, at("00:00")) },
		}
		for _, act := range acts {
			require.True(w, w.act(act))
		}
		require.True(w, w.act(func(tx engine.Tx) (bool, error) { return tx.SetFrozen(i[0].ID, false, ana, at("00:00")) }))
		w.apply(i[4].ID, engine.Cancel, "00:00")
		w.apply(i[4].ID, engine.Rerun, "00:00")
		w.hold(engine.Hold{Instance: i[4].ID, Gate: engine.GateTime, Wake: at("05:00")})
		w.write(func(tx engine.Tx) {
			n, err := tx.DeleteUnstarted(w.ids["A"], at("00:00"))
			require.NoError(w, err)
			require.Equal(w, 1, n, "the last, on which nobody has acted")
		})
		for n := range acts {
			require.True(w, w.get(i[n].ID).Touched)
		}
	}},
	{"a rerun that has steps and whose time is ahead is not planned away", func(w *world) {
		i := w.plan("A", "13:00")[0]
		started := w.apply(i.ID, engine.Start, "12:00")
		w.act(func(tx engine.Tx) (bool, error) {
			return tx.PutSteps(i.ID, started.Fence, []engine.StepRow{{Step: "one", State: engine.StepFailed, Attempts: 1}})
		})
		w.apply(i.ID, engine.Fail, "12:01")
		w.apply(i.ID, engine.Rerun, "12:02")
		w.hold(engine.Hold{Instance: i.ID, Gate: engine.GateTime, Wake: at("13:00")})
		w.write(func(tx engine.Tx) {
			n, err := tx.DeleteUnstarted(w.ids["A"], at("12:00"))
			require.NoError(w, err)
			require.Zero(w, n)
		})
	}},
	{"a rerun begins anew: nobody has confirmed, frozen or hurried it, and what it waits for counts from then", func(w *world) {
		i := w.plan("A", "01:00")[0]
		w.act(func(tx engine.Tx) (bool, error) { return tx.SetConfirmed(i.ID, ana, at("01:30")) })
		w.act(func(tx engine.Tx) (bool, error) { return tx.SetRunNow(i.ID, ana, at("01:30")) })
		w.act(func(tx engine.Tx) (bool, error) { return tx.SetFrozen(i.ID, true, ana, at("01:30")) })
		w.apply(i.ID, engine.Cancel, "02:00")
		again := w.apply(i.ID, engine.Rerun, "03:00")
		require.Equal(w, "", again.Confirmed+again.RunNow)
		require.False(w, again.Frozen)
		require.True(w, again.Touched)
		require.True(w, again.NotBefore.Equal(at("03:00")), again.NotBefore)
		require.Equal(w, []int64{i.ID}, w.due("03:00"))
	}},
	{"freezing wakes the instance, what watches it and what gives up when it counts as failed", func(w *world) {
		b := w.plan("B", "02:00", "03:00")
		w.wait(b[0].ID, engine.GateDependency)
		watching := w.held("04:00", "02:00", w.on("B", "02:00", "02:00"))
		cancelled := w.held("05:00", "", cancelling(w.on("B", "01:00", "02:00")))
		w.held("06:00", "03:00", w.on("B", "03:00", "03:00"))
		w.held("07:00", "", some(w.on("B", "02:00", "02:00"), "any"))
		require.True(w, w.act(func(tx engine.Tx) (bool, error) { return tx.SetFrozen(b[0].ID, true, ana, at("08:00")) }))
		require.ElementsMatch(w, []int64{watching, cancelled}, w.woken("08:00"))
		require.Contains(w, w.due("08:00"), b[0].ID)
		require.False(w, w.act(func(tx engine.Tx) (bool, error) { return tx.SetFrozen(b[0].ID, true, ana, at("08:00")) }), "it is so already")
	}},
	{"waiters are woken for one that was reopened", func(w *world) {
		b := w.plan("B", "02:00")[0]
		watching := w.held("04:00", "02:00", w.on("B", "02:00", "02:00"))
		require.Empty(w, w.woken("05:00"))
		w.write(func(tx engine.Tx) { require.NoError(w, tx.WakeWaiters(&b)) })
		require.Equal(w, []int64{watching}, w.woken("05:00"))
	}},
	{"run now makes its time come, also before its plan time, and keeps its turn in a line", func(w *world) {
		i := w.plan("A", "12:00", "11:00")
		w.wait(i[1].ID, engine.GateSlot)
		for _, n := range i {
			require.True(w, w.act(func(tx engine.Tx) (bool, error) { return tx.SetRunNow(n.ID, ana, at("06:00")) }))
		}
		first := w.get(i[0].ID)
		require.Equal(w, engine.GateDependency, first.Gate, "misfire and the calendar are not asked")
		require.True(w, first.NotBefore.Equal(at("06:00")))
		require.Equal(w, "ana", first.RunNow)
		require.Equal(w, engine.GateSlot, w.get(i[1].ID).Gate)
		require.ElementsMatch(w, []int64{i[0].ID, i[1].ID}, w.due("06:00"))
		require.False(w, w.act(func(tx engine.Tx) (bool, error) { return tx.SetRunNow(i[0].ID, ana, at("07:00")) }))
		require.Error(w, w.store.Write(w.ctx, func(tx engine.Tx) error {
			_, err := tx.SetRunNow(i[0].ID, engine.Reason{}, at("07:00"))
			return err
		}))
	}},
	{"a boost moves an instance in the queue", func(w *world) {
		i := w.plan("A", "01:00", "02:00")
		w.wait(i[0].ID, engine.GateSlot)
		w.wait(i[1].ID, engine.GateSlot)
		require.True(w, w.act(func(tx engine.Tx) (bool, error) { return tx.SetPriority(i[1].ID, 9, ana, at("03:00")) }))
		require.Equal(w, []int64{i[1].ID, i[0].ID}, ids(w.list(func(v engine.View) ([]engine.Instance, error) { return v.Queued("", 10) })))
	}},
	{"what some instances wait for, in one list", func(w *world) {
		a := w.held("06:00", "03:00", w.on("B", "01:00", "05:00"), w.on("C", "01:00", "01:00"))
		b := w.held("07:00", "04:00", w.on("B", "02:00", "02:00"))
		none := w.insert(w.planned("D", "01:00"))
		var got []engine.Wait
		w.read(func(v engine.View) {
			var err error
			got, err = v.WaitsOf([]int64{b, none.ID, a, 7777})
			require.NoError(w, err)
		})
		w.same(append(w.waitsOf(a), w.waitsOf(b)...), got)
	}},
	{"the instances of a backfill in a time", func(w *world) {
		first, second, other := w.filled("A", "01:00"), w.filled("B", "02:00"), w.filled("A", "02:00")
		first.Key, second.Key, other.Key = "bf-1", "bf-1", "bf-2"
		w.plan("A", "01:00", "02:00")
		one, two := w.insert(first), w.insert(second)
		w.insert(other)
		ask := func(key string, job int64, from, to string, limit int) []int64 {
			return ids(w.list(func(v engine.View) ([]engine.Instance, error) {
				return v.FilledBetween(key, job, at(from), at(to), limit)
			}))
		}
		require.Equal(w, []int64{one.ID, two.ID}, ask("bf-1", 0, "01:00", "02:01", 10))
		require.Equal(w, []int64{one.ID}, ask("bf-1", 0, "01:00", "02:00", 10))
		require.Equal(w, []int64{one.ID}, ask("bf-1", 0, "01:00", "05:00", 1))
		require.Equal(w, []int64{two.ID}, ask("bf-1", two.Job, "01:00", "05:00", 10))
		require.Empty(w, ask("bf-1", two.Job, "01:00", "02:00", 10))
		require.Empty(w, ask("bf-3", 0, "01:00", "05:00", 10))
		require.Empty(w, ask("", 0, "01:00", "05:00", 10), "what is scheduled is of no backfill")
	}},
	{"waits are replaced, and the instance is looked at", func(w *world) {
		id := w.held("06:00", "03:00", some(w.on("B", "01:00", "05:00"), "any"), w.on("C", "01:00", "01:00"))
		b := w.plan("B", "01:00", "03:00", "05:00")
		waits := w.waitsOf(id)
		left, right := waits[0], waits[0]
		left.Last, right.First, right.N = at("02:00"), at("04:00"), 1
		waits[1].N = 2
		want := []engine.Wait{left, right, waits[1]}
		detached := func() (event int64) {
			w.read(func(v engine.View) {
				var err error
				event, err = v.Detached()
				require.NoError(w, err)
			})
			return event
		}
		require.Zero(w, detached())
		require.True(w, w.act(func(tx engine.Tx) (bool, error) { return tx.SetWaits(id, want, ana, at("07:00")) }))
		first := detached()
		require.Positive(w, first)
		w.same(want, w.waitsOf(id))
		require.Equal(w, []int64{id}, w.woken("07:00"))
		w.wait(id, engine.GateDependency)
		w.run(b[1].ID, engine.Succeed, "08:00")
		require.Empty(w, w.woken("09:00"), "it does not wait for that one any more")
		w.run(b[2].ID, engine.Succeed, "08:00")
		require.Equal(w, []int64{id}, w.woken("09:00"))
		require.Equal(w, first, detached(), "nothing else moves it")
		require.True(w, w.act(func(tx engine.Tx) (bool, error) { return tx.SetWaits(id, want[:1], ana, at("10:00")) }))
		require.Greater(w, detached(), first)
	}},
	{"what was waited for before something was detached", func(w *world) {
		id := w.held("06:00", "03:00", w.on("B", "01:00", "05:00"), w.on("C", "01:00", "01:00"))
		was := w.waitsOf(id)
		former := func(time string) (waits []engine.Wait) {
			w.read(func(v engine.View) {
				var err error
				waits, err = v.FormerWaits(id, at(time))
				require.NoError(w, err)
			})
			return waits
		}
		require.Empty(w, former("00:00"))
		set := func(waits []engine.Wait, time string) {
			require.True(w, w.act(func(tx engine.Tx) (bool, error) {
				return tx.SetWaits(id, waits, ana, at(time))
			}))
		}
		set(was[:1], "07:00")
		set(nil, "07:00")
		w.same(was, former("06:59")) // of two in one millisecond the first one tells what was before
		require.Empty(w, former("07:00"))
		set(was[:1], "08:00")
		require.Empty(w, former("07:30"), "there was nothing")
		set(was, "09:00")
		w.same(was[:1], former("08:00"))
		w.same(was, former("06:00"))
		require.True(w, w.act(func(tx engine.Tx) (bool, error) {
			return tx.Rebind(id, was[:1], ana, at("10:00"))
		}))
		require.Empty(w, former("09:00"), "an edit of the definitions keeps nothing")
	}},
	{"what waits is bound again: recorded, and nobody has touched it", func(w *world) {
		id := w.held("06:00", "03:00", w.on("B", "01:00", "05:00"))
		b := w.plan("B", "05:00", "07:00")
		waits := w.waitsOf(id)
		waits[0].Last, waits[0].Count, waits[0].Bound = at("07:00"), 3, 12
		relinked := engine.Reason{Code: engine.ReasonRelinked, Detail: "05:00 → 07:00"}
		require.True(w, w.act(func(tx engine.Tx) (bool, error) { return tx.Rebind(id, waits, relinked, at("07:00")) }))
		w.same(waits, w.waitsOf(id))
		require.False(w, w.get(id).Touched)
		require.Empty(w, w.woken("07:00"), "who binds it again looks at it")
		w.read(func(v engine.View) {
			_, events, err := v.HistoryOf(id)
			require.NoError(w, err)
			last := events[len(events)-1]
			require.Equal(w, "rebind", last.Kind)
			require.Equal(w, relinked.Detail, last.Reason.Detail)
			event, err := v.Detached()
			require.NoError(w, err)
			require.Positive(w, event)
		})
		w.write(func(tx engine.Tx) { require.NoError(w, tx.SetBound(id, 13)) })
		waits[0].Bound = 13
		w.same(waits, w.waitsOf(id))
		w.read(func(v engine.View) {
			waiting, err := v.WaitingFor(&b[1])
			require.NoError(w, err)
			require.Equal(w, []int64{id}, ids(waiting), "the reach has grown with it")
		})
		w.run(b[0].ID, engine.Succeed, "08:00")
		require.False(w, w.act(func(tx engine.Tx) (bool, error) { return tx.Rebind(b[0].ID, nil, relinked, at("08:00")) }))
	}},
	{"one that does not wait is left as it is", func(w *world) {
		i := w.plan("A", "01:00")[0]
		w.run(i.ID, engine.Succeed, "02:00")
		before := w.get(i.ID)
		for _, act := range []func(tx engine.Tx) (bool, error){
			func(tx engine.Tx) (bool, error) { return tx.SetFrozen(i.ID, true, ana, at("03:00")) },
			func(tx engine.Tx) (bool, error) { return tx.SetPriority(i.ID, 9, ana, at("03:00")) },
			func(tx engine.Tx) (bool, error) { return tx.SetRunNow(i.ID, ana, at("03:00")) },
			func(tx engine.Tx) (bool, error) { return tx.SetWaits(i.ID, nil, ana, at("03:00")) },
			func(tx engine.Tx) (bool, error) { return tx.SetFrozen(i.ID+1000, true, ana, at("03:00")) },
			func(tx engine.Tx) (bool, error) { return tx.KeepSteps(i.ID+1000, nil) },
		} {
			require.False(w, w.act(act))
		}
		w.same(before, w.get(i.ID))
	}},
	{"the steps that are kept are those of the next run, and not while it runs", func(w *world) {
		i := w.plan("A", "01:00")[0]
		steps := []engine.StepRow{{Step: "one", State: engine.StepSucceeded, Outputs: map[string]string{"n": "1"}}, {Step: "two", State: engine.StepWaiting}}
		read := func() (rows []engine.StepRow) {
			w.read(func(v engine.View) {
				var err error
				rows, err = v.Steps(i.ID)
				require.NoError(w, err)
			})
			return rows
		}
		w.run(i.ID, engine.Fail, "02:00")
		require.True(w, w.act(func(tx engine.Tx) (bool, error) { return tx.KeepSteps(i.ID, steps) }))
		w.same(steps, read())
		w.apply(i.ID, engine.Rerun, "03:00")
		w.apply(i.ID, engine.Start, "03:00")
		require.False(w, w.act(func(tx engine.Tx) (bool, error) { return tx.KeepSteps(i.ID, nil) }))
		w.same(steps, read())
		w.apply(i.ID, engine.Fail, "04:00")
		require.True(w, w.act(func(tx engine.Tx) (bool, error) { return tx.KeepSteps(i.ID, nil) }))
		require.Empty(w, read())
	}},
}
