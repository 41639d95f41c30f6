package storetest

import (
	"errors"
	"math"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

// filled is an instance of the backfill "bf" as applying makes it.
func (w *world) filled(job, clock string) engine.Instance {
	i := w.planned(job, clock)
	i.Kind, i.Key = engine.Backfill, "bf"
	return i
}

// row is a backfill of two jobs.
func (w *world) backfillRow(key string) engine.BackfillRow {
	return engine.BackfillRow{
		Key: key, Job: w.ids["A"], From: at("01:00").UTC(), To: at("5 01:00").UTC(), Stage: engine.BackfillRunning,
		Reason: engine.Reason{Code: engine.ReasonPerson, Detail: "repaired", Actor: "ana"}, Actor: "ana", CreatedAt: at("12:00").UTC(),
		Options: engine.BackfillOptions{
			Jobs: []engine.BackfillPart{{Job: w.ids["A"], Ref: ref("A"), Version: w.ids["A"] + 1, Asked: true, Instances: 2, Times: "x"}}, Instances: 2,
			Parallel: 3, Floor: 1, Cap: 2, Window: &engine.LaneWindow{From: 22 * time.Hour, To: 6 * time.Hour, Zone: "Asia/Shanghai"}, Steps: []string{"a"},
		},
	}
}

// putBackfill stores the row under a new id.
func (w *world) putBackfill(row engine.BackfillRow) engine.BackfillRow {
	w.Helper()
	w.write(func(tx engine.Tx) {
		row.ID = w.reserve(tx, 1)
		require.NoError(w, tx.PutBackfill(row))
	})
	return row
}

// inLane lists the ids of the instances of "bf" in a state and behind a gate.
func (w *world) inLane(state engine.State, gate engine.Gate) (found []int64) {
	w.Helper()
	w.read(func(v engine.View) {
		list, err := v.BackfillInstances("bf", state, gate, 10)
		require.NoError(w, err)
		found = ids(list)
	})
	return found
}

func (w *world) asleep(limit int) (found []int64) {
	w.Helper()
	w.read(func(v engine.View) {
		list, err := v.Asleep("bf", limit)
		require.NoError(w, err)
		found = ids(list)
	})
	return found
}

var backfillCases = []testCase{
	{"a backfill comes back as it was put", func(w *world) {
		first := w.putBackfill(w.backfillRow("bf"))
		second := w.putBackfill(w.backfillRow("other"))
		w.read(func(v engine.View) {
			got, err := v.Backfill("bf")
			require.NoError(w, err)
			w.same(first, got)
			_, err = v.Backfill("none")
			require.ErrorIs(w, err, engine.ErrNotFound)
			list, err := v.Backfills(0, 1)
			require.NoError(w, err)
			w.same([]engine.BackfillRow{second}, list)
			list, err = v.Backfills(second.ID, 10)
			require.NoError(w, err)
			w.same([]engine.BackfillRow{first}, list)
			list, err = v.OpenBackfills()
			require.NoError(w, err)
			w.same([]engine.BackfillRow{first, second}, list)
		})
		first.Stage, first.EndedAt, first.ResumedAt, first.Options.Parallel = engine.BackfillCancelled, at("14:00").UTC(), at("13:00").UTC(), 1
		w.write(func(tx engine.Tx) { require.NoError(w, tx.PutBackfill(first)) })
		w.read(func(v engine.View) {
			got, err := v.Backfill("bf")
			require.NoError(w, err)
			w.same(first, got)
			list, err := v.OpenBackfills()
			require.NoError(w, err)
			w.same([]engine.BackfillRow{second}, list)
		})
	}},
	{"an impossible backfill is refused", func(w *world) {
		for _, spoil := range []func(*engine.BackfillRow){
			func(b *engine.BackfillRow) { b.Key = "" },
			func(b *engine.BackfillRow) { b.Stage = "ready" },
			func(b *engine.BackfillRow) { b.To = b.From },
			func(b *engine.BackfillRow) { b.EndedAt = at("14:00") },
			func(b *engine.BackfillRow) { b.Stage = engine.BackfillEnded },
			func(b *engine.BackfillRow) { b.Job = 99_999 },
		} {
			row := w.backfillRow("bf")
			spoil(&row)
			require.Error(w, w.store.Write(w.ctx, func(tx engine.Tx) error {
				row.ID = w.reserve(tx, 1)
				return tx.PutBackfill(row)
			}))
		}
		w.putBackfill(w.backfillRow("bf"))
		require.Error(w, w.store.Write(w.ctx, func(tx engine.Tx) error {
			row := w.backfillRow("bf")
			row.ID = w.reserve(tx, 1)
			return tx.PutBackfill(row)
		}), "a key is of one backfill")
	}},
	{"an instance of a backfill sleeps until it was looked at, in the order of ids", func(w *world) {
		late := w.insert(w.filled("A", "04:00")).ID
		early := w.insert(w.filled("A", "01:00")).ID
		other := w.insert(w.filled("B", "02:00")).ID
		w.insert(w.planned("A", "01:00"))
		require.Equal(w, []int64{late, early, other}, w.asleep(10))
		require.Equal(w, []int64{late, early}, w.asleep(2))
		require.NotContains(w, w.due("23:00"), early)
		w.wakeDependents("A")
		w.wait(early, engine.GateDependency)
		w.hold(engine.Hold{Instance: other, Gate: engine.GateTime, Wake: at("05:00")})
		require.Equal(w, []int64{late}, w.asleep(10))
		require.Equal(w, []int64{early}, w.inLane(engine.Waiting, engine.GateDependency))
		require.Equal(w, []int64{late, other}, w.inLane(engine.Waiting, engine.GateTime))
		w.run(late, engine.Succeed, "05:00")
		require.Equal(w, []int64{late}, w.inLane(engine.Succeeded, ""))
		w.apply(early, engine.Start, "05:00")
		w.read(func(v engine.View) {
			n, err := v.BackfillCount("bf", engine.Running)
			require.NoError(w, err)
			require.Equal(w, 1, n)
			states, err := v.BackfillStates("bf")
			require.NoError(w, err)
			require.Equal(w, map[engine.State]int{engine.Running: 1, engine.Succeeded: 1, engine.Waiting: 1}, states)
			states, err = v.BackfillStates("none")
			require.NoError(w, err)
			require.Empty(w, states)
		})
	}},
	{"the queue for a slot is of those in no lane", func(w *world) {
		in := w.insert(w.filled("A", "01:00")).ID
		w.wait(in, engine.GateSlot)
		w.read(func(v engine.View) {
			list, err := v.Queued("", 10)
			require.NoError(w, err)
			require.Empty(w, list)
			agenda, err := v.Agenda()
			require.NoError(w, err)
			require.Empty(w, agenda.Pools)
		})
		require.Equal(w, []int64{in}, w.inLane(engine.Waiting, engine.GateSlot))
		out := w.plan("A", "02:00")[0].ID
		w.wait(out, engine.GateSlot)
		w.read(func(v engine.View) {
			list, err := v.Queued("", 10)
			require.NoError(w, err)
			require.Equal(w, []int64{out}, ids(list))
			agenda, err := v.Agenda()
			require.NoError(w, err)
			require.Equal(w, []string{""}, agenda.Pools)
		})
	}},
	{"the priority of what waits of a backfill", func(w *world) {
		waits, runs := w.insert(w.filled("A", "01:00")).ID, w.insert(w.filled("A", "02:00")).ID
		alone := w.plan("A", "03:00")[0].ID
		w.apply(runs, engine.Start, "05:00")
		w.write(func(tx engine.Tx) {
			n, err := tx.SetLanePriority("bf", 1, 1, waits)
			require.NoError(w, err)
			require.Zero(w, n, "its id is the first that is not meant")
			n, err = tx.SetLanePriority("bf", 9, waits, math.MaxInt64)
			require.NoError(w, err)
			require.Equal(w, 1, n)
		})
		require.Equal(w, []int{9, 5, 5}, []int{w.get(waits).Priority, w.get(runs).Priority, w.get(alone).Priority})
	}},
	{"live attempts of backfills, by key, pool and owner", func(w *world) {
		start := func(i engine.Instance, id int64, pool string, isError bool) {
			i = w.apply(i.ID, engine.Start, "05:00")
			w.write(func(tx engine.Tx) {
				w.yes(tx.StartAttempt(engine.AttemptRow{ID: id, Instance: i.ID, Job: i.Job, Number: 1, Fence: i.Fence, Owner: "server", Pool: pool, StartedAt: at("05:00"), Error: isError}))
			})
		}
		start(w.insert(w.filled("A", "01:00")), 9001, "p", false)
		start(w.insert(w.filled("A", "02:00")), 9002, "p", false)
		start(w.insert(w.filled("A", "03:00")), 9003, "", false)
		start(w.insert(w.planned("A", "03:00")), 9004, "p", false)
		w.read(func(v engine.View) {
			loads, err := v.LiveInLanes()
			require.NoError(w, err)
			require.Equal(w, []engine.LaneLoad{{Key: "bf", Owner: "server", Attempts: 1}, {Key: "bf", Pool: "p", Owner: "server", Attempts: 2}}, loads)
		})
	}},
	{"what is recorded of a job, but what a person triggered", func(w *world) {
		scheduled, filled := w.plan("A", "01:00")[0], w.insert(w.filled("A", "01:00"))
		manual := w.planned("A", "01:00")
		manual.Kind, manual.Key = engine.Manual, "m"
		w.insert(manual)
		w.plan("A", "00:59", "03:01")
		last := w.run(w.plan("A", "03:00")[0].ID, engine.Fail, "06:00")
		w.read(func(v engine.View) {
			rows, err := v.Recorded(w.ids["A"], at("01:00"), at("03:00"))
			require.NoError(w, err)
			w.same([]engine.Record{
				{ID: scheduled.ID, PlanTime: scheduled.PlanTime, State: engine.Waiting, Version: scheduled.Version},
				{ID: filled.ID, Key: "bf", PlanTime: filled.PlanTime, State: engine.Waiting, Version: filled.Version},
				{ID: last.ID, PlanTime: last.PlanTime, State: engine.Failed, Version: last.Version, EndedAt: last.EndedAt},
			}, rows)
		})
	}},
	{"what a backfill holds is planned, whatever the watermark of its job", func(w *world) {
		wait := w.on("B", "01:00", "02:00")
		wait.Key = "bf"
		require.True(w, w.facts(wait).Planned)
		wait.Key = ""
		require.False(w, w.facts(wait).Planned)
	}},
	{"retention removes a backfill with the last of its instances", func(w *world) {
		row := w.backfillRow("bf")
		row.Stage, row.EndedAt = engine.BackfillEnded, at("06:00").UTC()
		w.putBackfill(row)
		w.putBackfill(w.backfillRow("open"))
		w.run(w.insert(w.filled("A", "01:00")).ID, engine.Succeed, "05:00")
		w.run(w.insert(w.filled("A", "02:00")).ID, engine.Succeed, "06:00")
		keys := func() (keys []string) {
			w.write(func(tx engine.Tx) {
				_, _, err := tx.Prune(at("07:00"), 1)
				require.NoError(w, err)
			})
			w.read(func(v engine.View) {
				list, err := v.Backfills(0, 10)
				require.NoError(w, err)
				for _, b := range list {
					keys = append(keys, b.Key)
				}
			})
			return keys
		}
		require.Equal(w, []string{"open", "bf"}, keys())
		require.Equal(w, []string{"open"}, keys())
	}},
}

// unreal is the row of a backfill that is being applied.
func (w *world) unreal() engine.BackfillRow {
	row := w.backfillRow("bf")
	row.Stage, row.Options.Order = engine.BackfillApplying, &engine.BackfillOrder{Request: engine.BackfillRequest{Jobs: []string{"w/A"}}, At: at("12:00").UTC(), First: 7}
	return w.putBackfill(row)
}

// hide inserts an instance that is not real.
func (w *world) hide(i engine.Instance) {
	w.Helper()
	w.write(func(tx engine.Tx) {
		i.ID = w.reserve(tx, 1)
		n, err := tx.InsertInstances(rows(row{i, nil}))
		require.NoError(w, err)
		require.Equal(w, 1, n)
	})
}

// seen is all that the lists and counts say that could hold an instance of a backfill.
func (w *world) seen(inserted []int64) (seen []any) {
	w.Helper()
	up := w.planned("A", "01:00")
	up.Key, up.Kind = "bf", engine.Backfill
	w.read(func(v engine.View) {
		add := func(what any, err error) {
			require.NoError(w, err)
			seen = append(seen, what)
		}
		list := func(list []engine.Instance, err error) { add(ids(list), err) }
		for _, id := range inserted {
			_, err := v.Instance(id)
			seen = append(seen, errors.Is(err, engine.ErrNotFound))
		}
		_, err := v.Find(w.ids["A"], "bf", at("01:00"))
		seen = append(seen, errors.Is(err, engine.ErrNotFound))
		_, err = v.FindKey(w.ids["A"], "bf")
		seen = append(seen, errors.Is(err, engine.ErrNotFound))
		list(v.Waiting(w.ids["A"]))
		list(v.Due(at("9 01:00"), 10))
		list(v.Between(w.ids["A"], time.Time{}, time.Time{}, 10))
		list(v.Between(0, time.Time{}, time.Time{}, 10))
		list(v.InState(engine.Waiting, time.Time{}, time.Time{}, 10))
		list(v.WaitingFor(&up))
		list(v.BackfillInstances("bf", engine.Waiting, engine.GateTime, 10))
		list(v.Asleep("bf", 10))
		list(v.OfBackfill("bf", "", 10))
		list(v.OfBackfill("bf", engine.Waiting, 10))
		list(v.Outlines(time.Time{}, time.Time{}, 10))
		states, err := v.BackfillStates("bf")
		add(states, err)
		days, err := v.BackfillDays("bf")
		add(len(days), err)
		recorded, err := v.Recorded(w.ids["A"], at("00:00"), at("9 00:00"))
		add(len(recorded), err)
		spans, err := v.Spans(w.ids["A"], at("00:00"), at("9 00:00"), 10)
		add(len(spans), err)
		census, err := v.Census()
		add([]any{census.States, census.Gates}, err)
		agenda, err := v.Agenda()
		add(agenda, err)
		wait := w.on("A", "01:00", "02:00")
		wait.Key = "bf"
		list(v.RangeOf(&wait, 10))
	})
	return seen
}

var applyingCases = []testCase{
	{"what is written of a backfill that is applied is seen by nobody until one commit makes it real", func(w *world) {
		row := w.unreal()
		before := w.seen(nil)
		var inserted []int64
		w.write(func(tx engine.Tx) {
			for _, clock := range []string{"01:00", "02:00"} {
				i := w.filled("A", clock)
				i.ID = w.reserve(tx, 1)
				wait := w.on("A", "01:00", "01:00")
				wait.Instance, wait.Key = i.ID, "bf"
				n, err := tx.InsertInstances(func(yield func(*engine.Instance, []engine.Wait) bool) { yield(&i, []engine.Wait{wait}) })
				require.NoError(w, err)
				require.Equal(w, 1, n)
				inserted = append(inserted, i.ID)
			}
			w.yes(tx.SetWritten("bf", 0, 2))
			ok, err := tx.SetWritten("bf", 0, 2)
			require.NoError(w, err)
			require.False(w, ok, "two have written from the same place on")
			_, _, err = tx.WakeDependents(w.ids["A"], 0, 99)
			require.NoError(w, err)
		})
		require.Equal(w, append([]any{true, true}, before...), w.seen(inserted))
		w.read(func(v engine.View) {
			rows, err := v.UnrealBackfills()
			require.NoError(w, err)
			row.Written = 2
			w.same([]engine.BackfillRow{row}, rows)
			written, disturbed, err := v.Unreal("bf")
			require.NoError(w, err)
			require.Equal(w, []int{2, 0}, []int{written, disturbed})
		})
		row.Stage, row.Written, row.Options.Order = engine.BackfillRunning, 0, nil
		w.write(func(tx engine.Tx) { require.NoError(w, tx.PutBackfill(row)) })
		require.Equal(w, inserted, w.asleep(10))
		require.NotEqual(w, append([]any{false, false}, before...), w.seen(inserted))
		require.Equal(w, engine.Waiting, w.get(inserted[1]).State)
		w.read(func(v engine.View) {
			waits, err := v.Waits(inserted[1])
			require.NoError(w, err)
			require.Len(w, waits, 1)
			rows, err := v.UnrealBackfills()
			require.NoError(w, err)
			require.Empty(w, rows)
		})
	}},
	{"what is withdrawn of a backfill is gone, some at a time", func(w *world) {
		row := w.unreal()
		for _, clock := range []string{"01:00", "02:00", "03:00"} {
			w.hide(w.filled("A", clock))
		}
		w.write(func(tx engine.Tx) {
			w.yes(tx.SetWritten("bf", 0, 3))
			n, err := tx.Withdraw("bf", 9)
			require.NoError(w, err)
			require.Zero(w, n, "it is being applied")
			row.Stage, row.Written = engine.BackfillWithdrawing, 3
			require.NoError(w, tx.PutBackfill(row))
			ok, err := tx.SetWritten("bf", 3, 4)
			require.NoError(w, err)
			require.False(w, ok, "nothing more is written")
		})
		for _, want := range []int{2, 1, 0} {
			w.write(func(tx engine.Tx) {
				n, err := tx.Withdraw("bf", 2)
				require.NoError(w, err)
				require.Equal(w, want, n)
			})
		}
		row.Stage, row.Written, row.EndedAt, row.Options.Order = engine.BackfillCancelled, 0, at("13:00").UTC(), nil
		w.write(func(tx engine.Tx) { require.NoError(w, tx.PutBackfill(row)) })
		w.read(func(v engine.View) {
			list, err := v.OfBackfill("bf", "", 10)
			require.NoError(w, err)
			require.Empty(w, list)
		})
	}},
	{"retention removes nothing while a backfill is applied, and what it removes is seen", func(w *world) {
		w.run(w.plan("A", "01:00")[0].ID, engine.Succeed, "05:00")
		row := w.unreal()
		prune := func() (n int) {
			w.write(func(tx engine.Tx) {
				var err error
				n, _, err = tx.Prune(at("8 00:00"), 10)
				require.NoError(w, err)
			})
			return n
		}
		require.Zero(w, prune())
		row.Stage, row.Options.Order = engine.BackfillRunning, nil
		w.write(func(tx engine.Tx) { require.NoError(w, tx.PutBackfill(row)) })
		pruned := func() (n int64) {
			w.read(func(v engine.View) {
				witness, err := v.Witness()
				require.NoError(w, err)
				n = witness.Pruned
			})
			return n
		}
		before := pruned()
		require.Equal(w, 1, prune())
		require.Equal(w, before+1, pruned())
		require.Zero(w, prune())
		require.Equal(w, before+1, pruned())
	}},
	{"what has moved since a look", func(w *world) {
		ran, idle := w.plan("A", "01:00")[0], w.plan("A", "02:00")[0]
		var witness engine.Witness
		moved := func() (list []engine.JobTime) {
			w.read(func(v engine.View) {
				var err error
				list, err = v.MovedSince(witness, 10)
				require.NoError(w, err)
			})
			return list
		}
		w.read(func(v engine.View) {
			var err error
			witness, err = v.Witness()
			require.NoError(w, err)
		})
		require.Empty(w, moved())
		w.apply(ran.ID, engine.Start, "05:00")
		place := func(i engine.Instance) engine.JobTime {
			return engine.JobTime{Job: i.Job, PlanTime: i.PlanTime.UTC()}
		}
		require.Equal(w, []engine.JobTime{place(ran)}, moved())
		made := w.plan("B", "03:00")[0]
		require.ElementsMatch(w, []engine.JobTime{place(ran), place(made)}, moved())
		w.write(func(tx engine.Tx) { // also what the same transaction did
			w.yes(tx.SetFrozen(idle.ID, true, engine.Reason{Code: engine.ReasonPerson, Actor: "ana"}, at("06:00")))
			list, err := tx.MovedSince(witness, 10)
			require.NoError(w, err)
			require.ElementsMatch(w, []engine.JobTime{place(ran), place(made), place(idle)}, list)
		})
		w.unreal()
		w.hide(w.filled("A", "04:00"))
		require.NotContains(w, moved(), place(w.filled("A", "04:00")), "it is not real")
	}},
}
