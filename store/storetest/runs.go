package storetest

import (
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/stretchr/testify/require"
)

// started is a running instance of A.
func (w *world) started(clock string) engine.Instance {
	w.Helper()
	return w.apply(w.plan("A", clock)[0].ID, engine.Start, clock)
}

func (w *world) attempt(i engine.Instance, step string) engine.AttemptRow {
	a := engine.AttemptRow{
		Instance: i.ID, Job: i.Job, Step: step, Number: 1, Fence: i.Fence, Owner: "server", Pool: "p", StartedAt: at("10:00").UTC(),
	}
	w.write(func(tx engine.Tx) { a.ID = w.reserve(tx, 1) })
	return a
}

func (w *world) result(attempt int64) engine.Result {
	exit := 3
	return engine.Result{
		Attempt: attempt, Outcome: engine.OutcomeFailed, Exit: &exit, Signal: "killed", Status: 503, Message: "no \"luck\"\n",
		Outputs: map[string]string{"rows": "12"}, StartedAt: at("10:00").UTC().Add(time.Second), EndedAt: at("10:01").UTC().Add(7 * time.Millisecond),
		LogBytes: 1 << 33, Truncated: true,
	}
}

var runCases = []testCase{
	{"steps come back in the order in which they were given", func(w *world) {
		i := w.started("01:00")
		steps := []engine.StepRow{
			{Step: "z", State: engine.StepSucceeded, Attempts: 2, Outputs: map[string]string{"a": "b"}},
			{Step: "a", State: engine.StepWaiting, NotBefore: at("11:00").UTC()},
			{Step: "", State: engine.StepSkipped},
		}
		w.write(func(tx engine.Tx) { w.yes(tx.PutSteps(i.ID, i.Fence, steps)) })
		w.read(func(v engine.View) {
			got, err := v.Steps(i.ID)
			require.NoError(w, err)
			w.same(steps, got)
		})
		steps[1] = engine.StepRow{Step: "a", State: engine.StepRunning, Attempts: 3}
		w.write(func(tx engine.Tx) { w.yes(tx.SetStep(i.ID, i.Fence, steps[1])) })
		w.read(func(v engine.View) {
			got, err := v.Steps(i.ID)
			require.NoError(w, err)
			w.same(steps, got)
		})
		w.write(func(tx engine.Tx) { w.yes(tx.PutSteps(i.ID, i.Fence, steps[2:])) })
		w.read(func(v engine.View) {
			got, err := v.Steps(i.ID)
			require.NoError(w, err)
			w.same(steps[2:], got)
		})
	}},
	{"every state of a step can be stored, and no other", func(w *world) {
		i := w.started("01:00")
		for _, s := range []engine.StepState{
			engine.StepWaiting, engine.StepRunning, engine.StepSucceeded, engine.StepFailed, engine.StepSkipped, engine.StepCancelled,
		} {
			w.write(func(tx engine.Tx) { w.yes(tx.PutSteps(i.ID, i.Fence, []engine.StepRow{{Step: "a", State: s}})) })
		}
		require.Error(w, w.store.Write(w.ctx, func(tx engine.Tx) error {
			_, err := tx.PutSteps(i.ID, i.Fence, []engine.StepRow{{Step: "a", State: "odd"}})
			return err
		}))
	}},
	{"an attempt lives until it ends, and its first outcome stands", func(w *world) {
		i := w.started("01:00")
		a, b := w.attempt(i, "s"), w.attempt(i, "t")
		b.Error, b.Number = true, 2
		w.write(func(tx engine.Tx) {
			b.Outbox = w.reserve(tx, 1)
			w.yes(tx.StartAttempt(b))
			w.yes(tx.StartAttempt(a))
		})
		w.read(func(v engine.View) {
			live, err := v.Live()
			require.NoError(w, err)
			w.same([]engine.AttemptRow{a, b}, live)
		})
		result := w.result(a.ID)
		end := func(r engine.Result, want bool) {
			w.write(func(tx engine.Tx) {
				ok, err := tx.EndAttempt(r, i.Fence)
				require.NoError(w, err)
				require.Equal(w, want, ok)
			})
		}
		end(result, true)
		second := result
		second.Outcome = engine.OutcomeSucceeded
		end(second, false)
		second.Attempt = 1 << 40
		end(second, false)
		a.Result = &result
		w.read(func(v engine.View) {
			live, err := v.Live()
			require.NoError(w, err)
			w.same([]engine.AttemptRow{b}, live)
			all, err := v.Attempts(i.ID)
			require.NoError(w, err)
			w.same([]engine.AttemptRow{a, b}, all)
		})
	}},
	{"every outcome can be stored, and none is without an exit code", func(w *world) {
		i := w.started("01:00")
		for _, o := range []engine.Outcome{
			engine.OutcomeSucceeded, engine.OutcomeFailed, engine.OutcomeTimeout, engine.OutcomeCancelled, engine.OutcomeLost,
		} {
			a := w.attempt(i, "s")
			a.Result = &engine.Result{Attempt: a.ID, Outcome: o}
			w.write(func(tx engine.Tx) { w.yes(tx.AddAttempt(a)) })
			w.read(func(v engine.View) {
				all, err := v.Attempts(i.ID)
				require.NoError(w, err)
				w.same(a, all[len(all)-1])
				require.Nil(w, all[len(all)-1].Result.Exit)
				live, err := v.Live()
				require.NoError(w, err)
				require.Empty(w, live)
			})
		}
		zero := 0
		a := w.attempt(i, "s")
		a.Result = &engine.Result{Attempt: a.ID, Outcome: engine.OutcomeSucceeded, Exit: &zero}
		w.write(func(tx engine.Tx) { w.yes(tx.AddAttempt(a)) })
		w.read(func(v engine.View) {
			all, err := v.Attempts(i.ID)
			require.NoError(w, err)
			require.Equal(w, 0, *all[len(all)-1].Result.Exit)
		})
	}},
}

var fenceCases = []testCase{
	{"a server whose instance was taken over can write nothing of it any more", func(w *world) {
		i := w.started("01:00")
		live, none := w.attempt(i, "s"), w.attempt(i, "n")
		steps := []engine.StepRow{{Step: "s", State: engine.StepRunning, Attempts: 1}}
		w.write(func(tx engine.Tx) {
			w.yes(tx.PutSteps(i.ID, i.Fence, steps))
			w.yes(tx.StartAttempt(live))
		})
		var grown int64
		w.write(func(tx engine.Tx) {
			fence, ok, err := tx.TakeOver(i.ID, i.Fence, "other", at("04:10"))
			w.yes(ok, err)
			require.Greater(w, fence, i.Fence)
			grown = fence
		})
		result := w.result(live.ID)
		late := w.attempt(i, "t")
		ended := w.result(none.ID)
		none.Result = &ended
		w.write(func(tx engine.Tx) {
			w.no(tx.EndAttempt(result, i.Fence))
			w.no(tx.SetStep(i.ID, i.Fence, engine.StepRow{Step: "s", State: engine.StepFailed}))
			w.no(tx.PutSteps(i.ID, i.Fence, nil))
			w.no(tx.StartAttempt(late))
			w.no(tx.AddAttempt(none))
			w.no(tx.Apply(engine.Transition{Instance: i.ID, Event: engine.Succeed, From: engine.Running, Fence: i.Fence, At: at("04:00")}))
		})
		live.Fence, live.Owner = grown, "other"
		w.read(func(v engine.View) {
			attempts, err := v.Attempts(i.ID)
			require.NoError(w, err)
			w.same([]engine.AttemptRow{live}, attempts)
			got, err := v.Steps(i.ID)
			require.NoError(w, err)
			w.same(steps, got)
		})
		w.write(func(tx engine.Tx) { w.yes(tx.EndAttempt(result, grown)) })
	}},
	{"an instance that has ended takes no steps and no attempts", func(w *world) {
		i := w.started("01:00")
		a := w.attempt(i, "s")
		w.write(func(tx engine.Tx) {
			w.yes(tx.PutSteps(i.ID, i.Fence, []engine.StepRow{{Step: "s", State: engine.StepWaiting}}))
		})
		w.apply(i.ID, engine.Succeed, "02:00")
		w.write(func(tx engine.Tx) {
			w.no(tx.StartAttempt(a))
			w.no(tx.SetStep(i.ID, i.Fence, engine.StepRow{Step: "s", State: engine.StepFailed}))
		})
		a.Error = true
		w.write(func(tx engine.Tx) { w.yes(tx.StartAttempt(a)) })
	}},
	{"a step that is not there is an error, and no refusal", func(w *world) {
		i := w.started("01:00")
		w.write(func(tx engine.Tx) {
			_, err := tx.SetStep(i.ID, i.Fence, engine.StepRow{Step: "odd", State: engine.StepFailed})
			require.ErrorIs(w, err, engine.ErrNotFound)
		})
	}},
	{"an attempt of an error action is taken over by itself", func(w *world) {
		i := w.started("01:00")
		a := w.attempt(i, "")
		a.Error, a.Fence = true, 1
		w.write(func(tx engine.Tx) { w.yes(tx.StartAttempt(a)) })
		w.write(func(tx engine.Tx) {
			_, ok, err := tx.TakeOver(i.ID, i.Fence, "other", at("04:10"))
			w.yes(ok, err)
			_, ok, err = tx.TakeErrand(a.ID, 2, "other")
			w.no(ok, err)
			fence, ok, err := tx.TakeErrand(a.ID, 1, "other")
			w.yes(ok, err)
			require.Equal(w, int64(2), fence)
		})
		w.write(func(tx engine.Tx) {
			w.no(tx.EndAttempt(w.result(a.ID), 1))
			w.yes(tx.EndAttempt(w.result(a.ID), 2))
			_, ok, err := tx.TakeErrand(a.ID, 2, "late")
			w.no(ok, err)
		})
	}},
	{"a lease says who holds it and until when", func(w *world) {
		w.write(func(tx engine.Tx) {
			_, err := tx.Lease("x")
			require.ErrorIs(w, err, engine.ErrNotFound)
			_, ok, err := tx.Acquire("x", "a", at("01:00"), at("01:01"))
			w.yes(ok, err)
			_, ok, err = tx.Acquire("x", "b", at("01:00"), at("01:02"))
			w.no(ok, err)
			row, err := tx.Lease("x")
			require.NoError(w, err)
			w.same(engine.LeaseRow{Holder: "a", Epoch: 1, Until: at("01:01").UTC()}, row)
		})
	}},
	{"the rules of a zone are remembered", func(w *world) {
		rules := func() (text string) {
			w.read(func(v engine.View) {
				var err error
				text, err = v.ZoneRules("Asia/Shanghai")
				require.NoError(w, err)
			})
			return text
		}
		require.Empty(w, rules())
		for _, want := range []string{"one", "two"} {
			w.write(func(tx engine.Tx) { require.NoError(w, tx.PutZoneRules("Asia/Shanghai", want)) })
			require.Equal(w, want, rules())
		}
	}},
	{"the store has a clock", func(w *world) {
		w.read(func(v engine.View) {
			t, err := v.Clock()
			require.NoError(w, err)
			require.False(w, t.IsZero())
		})
	}},
	{"the revision grows with jobs and versions, and with nothing else", func(w *world) {
		revision := func() (n int64) {
			w.read(func(v engine.View) {
				var err error
				n, err = v.Revision()
				require.NoError(w, err)
			})
			return n
		}
		before := revision()
		w.plan("A", "01:00")
		w.plannedTo("A", at("3 00:00"))
		require.Equal(w, before, revision())
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.PutVersion(engine.VersionRow{ID: w.reserve(tx, 1), Job: w.ids["A"], CreatedAt: at("01:00")}))
		})
		middle := revision()
		require.Greater(w, middle, before)
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.PutJob(engine.JobRow{ID: w.ids["A"], Ref: ref("A"), Disabled: true}))
		})
		require.Greater(w, revision(), middle)
	}},
}

var outboxCases = []testCase{
	{"an outbox row comes back as it was put, and is replaced by its id", func(w *world) {
		i := w.started("01:00")
		row := engine.OutboxRow{
			Kind: "errorAction", Instance: i.ID, NotBefore: at("02:00").UTC(), State: engine.OutboxPending, Reason: "exit 3", CreatedAt: at("01:59").UTC(),
		}
		put := func() {
			w.write(func(tx engine.Tx) {
				if row.ID == 0 {
					row.ID = w.reserve(tx, 1)
				}
				require.NoError(w, tx.PutOutbox(row))
			})
			w.read(func(v engine.View) {
				got, err := v.Outbox(row.ID)
				require.NoError(w, err)
				w.same(row, got)
			})
		}
		put()
		row.Attempts, row.State, row.EndedAt = 4, engine.OutboxFailed, at("03:00").UTC()
		put()
		w.read(func(v engine.View) {
			_, err := v.Outbox(1 << 40)
			require.ErrorIs(w, err, engine.ErrNotFound)
		})
	}},
	{"what is due, and when the next will be", func(w *world) {
		i := w.started("01:00")
		put := func(clock string, state engine.OutboxState) (id int64) {
			w.write(func(tx engine.Tx) {
				id = w.reserve(tx, 1)
				require.NoError(w, tx.PutOutbox(engine.OutboxRow{
					ID: id, Kind: "errorAction", Instance: i.ID, NotBefore: at(clock), State: state, CreatedAt: at("01:00"),
				}))
			})
			return id
		}
		next := func() string {
			text := "none"
			w.read(func(v engine.View) {
				agenda, err := v.Agenda()
				require.NoError(w, err)
				if !agenda.Outbox.IsZero() {
					text = agenda.Outbox.In(shanghai).Format("15:04")
				}
			})
			return text
		}
		require.Equal(w, "none", next())
		late, early := put("05:00", engine.OutboxPending), put("03:00", engine.OutboxPending)
		put("02:00", engine.OutboxDelivered)
		put("02:00", engine.OutboxFailed)
		third := put("04:00", engine.OutboxPending)
		require.Equal(w, "03:00", next())
		due := func(clock string, limit int) (found []int64) {
			w.read(func(v engine.View) {
				list, err := v.OutboxDue(at(clock), limit)
				require.NoError(w, err)
				for _, o := range list {
					found = append(found, o.ID)
				}
			})
			return found
		}
		require.Empty(w, due("02:59", 10))
		require.Equal(w, []int64{early, third}, due("04:00", 10))
		require.Equal(w, []int64{late, early, third}, due("05:00", 10), "by id")
		require.Equal(w, []int64{late, early}, due("05:00", 2))

		a := w.attempt(i, "")
		a.Error, a.Outbox = true, early
		w.write(func(tx engine.Tx) { w.yes(tx.StartAttempt(a)) })
		require.Equal(w, "04:00", next(), "the first is being delivered")
		w.write(func(tx engine.Tx) {
			w.yes(tx.EndAttempt(engine.Result{Attempt: a.ID, Outcome: engine.OutcomeFailed, EndedAt: at("05:00")}, a.Fence))
		})
		require.Equal(w, "03:00", next(), "and has to be tried again")
	}},
}
