package storetest

import (
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/stretchr/testify/require"
)

// bring takes a fresh instance of A to a state by the shortest way.
func (w *world) bring(clock string, to engine.State) engine.Instance {
	i := w.plan("A", clock)[0]
	ways := map[engine.State][]engine.Event{
		engine.Waiting: {}, engine.Running: {engine.Start}, engine.Lost: {engine.Start, engine.Lose}, engine.Succeeded: {engine.Start, engine.Succeed},
		engine.Forced: {engine.Force}, engine.Failed: {engine.Start, engine.Fail}, engine.Skipped: {engine.Skip}, engine.Cancelled: {engine.Cancel},
	}
	for _, e := range ways[to] {
		i = w.apply(i.ID, e, "10:00")
	}
	require.Equal(w, to, i.State)
	return i
}

var transitionCases = []testCase{
	{"every state and every event: the table of engine.State.On is what happens", func(w *world) {
		n := 0
		for _, from := range engine.States {
			for _, e := range engine.Events {
				i := w.bring(fmt.Sprintf("%02d:%02d", n/60, n%60), from)
				n++
				want, illegal := from.On(e)
				c := engine.Transition{
					Instance: i.ID, Event: e, From: from, Fence: i.Fence, At: at("11:00"), Owner: "server", Lease: at("11:01"),
					Reason: engine.Reason{Code: engine.ReasonPerson},
				}
				ok := false
				err := w.store.Write(w.ctx, func(tx engine.Tx) (err error) {
					ok, err = tx.Apply(c)
					return err
				})
				got := w.get(i.ID)
				if illegal != nil {
					require.Error(w, err, "%s of %s", e, from)
					w.same(i, got)
					continue
				}
				require.NoError(w, err)
				require.True(w, ok)
				require.Equal(w, want, got.State)
				require.Equal(w, want == engine.Waiting, got.Gate != "")
				require.Equal(w, want.Ended(), !got.EndedAt.IsZero())
				require.Equal(w, want == engine.Running, got.Owner != "")
				require.Equal(w, want == engine.Running, !got.Lease.IsZero())
				require.Equal(w, engine.ReasonPerson, got.Reason.Code)
			}
		}
	}},
	{"a start is a claim", func(w *world) {
		i := w.plan("A", "01:00")[0]
		got := w.apply(i.ID, engine.Start, "01:05")
		require.Equal(w, i.Fence+1, got.Fence)
		require.Equal(w, "server", got.Owner)
		require.True(w, got.Lease.Equal(at("01:06")))
		require.True(w, got.StartedAt.Equal(at("01:05")))
		require.Empty(w, w.due("5 00:00"))
	}},
	{"a stale fence or state changes nothing", func(w *world) {
		i := w.plan("A", "01:00")[0]
		w.apply(i.ID, engine.Start, "01:00")
		before := w.get(i.ID)
		for _, c := range []engine.Transition{
			{Event: engine.Succeed, From: engine.Running, Fence: before.Fence - 1},
			{Event: engine.Succeed, From: engine.Running, Fence: before.Fence + 1},
			{Event: engine.Start, From: engine.Waiting, Fence: before.Fence, Owner: "other"},
			{Event: engine.Cancel, From: engine.Lost, Fence: before.Fence},
			{Event: engine.Succeed, From: engine.Running, Fence: before.Fence, Instance: 1 << 40},
		} {
			if c.Instance == 0 {
				c.Instance = i.ID
			}
			c.At = at("02:00")
			w.write(func(tx engine.Tx) {
				ok, err := tx.Apply(c)
				require.NoError(w, err)
				require.False(w, ok)
			})
		}
		w.same(before, w.get(i.ID))
	}},
	{"a rerun is the same instance, waiting, due at once, and not judged as missed again", func(w *world) {
		i := w.plan("A", "01:00")[0]
		w.run(i.ID, engine.Fail, "02:00")
		got := w.apply(i.ID, engine.Rerun, "09:00")
		require.NotEqual(w, engine.GateTime, got.Gate)
		require.True(w, got.EndedAt.IsZero())
		require.True(w, got.StartedAt.IsZero(), "this run has not started")
		require.Equal(w, 2, got.Run)
		require.Equal(w, i.Version, got.Version)
		require.Equal(w, []int64{i.ID}, w.due("09:00"))
		require.Empty(w, w.due("08:59"))
		again := w.apply(i.ID, engine.Start, "09:01")
		require.Equal(w, int64(2), again.Fence)
		require.True(w, again.StartedAt.Equal(at("09:01")))
		require.Equal(w, 2, again.Run)
	}},
	{"a rerun may take another version", func(w *world) {
		i := w.plan("A", "01:00")[0]
		w.run(i.ID, engine.Fail, "02:00")
		w.write(func(tx engine.Tx) {
			ok, err := tx.Apply(engine.Transition{
				Instance: i.ID, Event: engine.Rerun, From: engine.Failed, Fence: 1, At: at("03:00"), Version: w.ids["B"] + 1,
			})
			require.NoError(w, err)
			require.True(w, ok)
		})
		require.Equal(w, w.ids["B"]+1, w.get(i.ID).Version)
	}},
	{"a hold keeps gate, reason and the time to look again", func(w *world) {
		i := w.plan("A", "01:00")[0]
		moment := at("02:00")
		reason := engine.Reason{Code: engine.ReasonUpstream, Upstream: &engine.JobRef{Workflow: "w", Job: "B"}, At: &moment, State: engine.Running}
		w.hold(engine.Hold{Instance: i.ID, Gate: engine.GateDependency, Reason: reason, Wake: at("03:00")})
		got := w.get(i.ID)
		require.Equal(w, engine.GateDependency, got.Gate)
		w.same(reason, got.Reason)
		require.Empty(w, w.due("02:59"))
		require.Equal(w, []int64{i.ID}, w.due("03:00"))
		w.apply(i.ID, engine.Start, "04:00")
		w.write(func(tx engine.Tx) {
			ok, err := tx.Hold(engine.Hold{Instance: i.ID, Gate: engine.GateSlot})
			require.NoError(w, err)
			require.False(w, ok, "it is no longer waiting")
			ok, err = tx.Hold(engine.Hold{Instance: i.ID, Gate: engine.GateDependency})
			require.NoError(w, err)
			require.False(w, ok, "it is no longer waiting")
		})
	}},
	{"cancelling is recorded once, of a running instance", func(w *world) {
		i := w.plan("A", "01:00")[0]
		reason := engine.Reason{Code: engine.ReasonPerson, Actor: "ann"}
		set := func(want bool) {
			w.write(func(tx engine.Tx) {
				ok, err := tx.SetCancel(i.ID, reason, at("02:00"))
				require.NoError(w, err)
				require.Equal(w, want, ok)
			})
		}
		set(false)
		w.apply(i.ID, engine.Start, "01:00")
		set(true)
		w.same(&reason, w.get(i.ID).Cancel)
		reason.Actor = "bob"
		set(false)
		require.Equal(w, "ann", w.get(i.ID).Cancel.Actor)
		require.Nil(w, w.apply(i.ID, engine.Cancel, "02:01").Cancel)
	}},
	{"confirming wakes a waiting instance", func(w *world) {
		i := w.plan("A", "01:00")[0]
		confirm := func(clock string, want bool) {
			w.write(func(tx engine.Tx) {
				ok, err := tx.SetConfirmed(i.ID, engine.Reason{Code: engine.ReasonPerson, Actor: "ann"}, at(clock))
				require.NoError(w, err)
				require.Equal(w, want, ok)
			})
		}
		w.wait(i.ID, engine.GateConfirm)
		require.Empty(w, w.due("5 00:00"))
		confirm("02:00", true)
		require.Equal(w, "ann", w.get(i.ID).Confirmed)
		require.Equal(w, []int64{i.ID}, w.due("02:00"))
		w.apply(i.ID, engine.Start, "03:00")
		confirm("03:00", false)
	}},
	{"leases are renewed by owner", func(w *world) {
		p := w.plan("A", "01:00", "02:00", "03:00")
		w.apply(p[0].ID, engine.Start, "04:00")
		w.apply(p[1].ID, engine.Start, "04:00")
		w.write(func(tx engine.Tx) {
			_, ok, err := tx.TakeOver(p[1].ID, 1, "other", at("04:10"))
			require.NoError(w, err)
			require.True(w, ok)
			require.NoError(w, tx.Renew("server", at("05:00")))
		})
		require.True(w, w.get(p[0].ID).Lease.Equal(at("05:00")))
		require.True(w, w.get(p[1].ID).Lease.Equal(at("04:10")))
		require.True(w, w.get(p[2].ID).Lease.IsZero())
	}},
	{"a running instance is taken over by whoever knows its fence", func(w *world) {
		i := w.plan("A", "01:00")[0]
		take := func(fence int64) (grown int64, ok bool) {
			w.write(func(tx engine.Tx) {
				var err error
				grown, ok, err = tx.TakeOver(i.ID, fence, "next", at("04:10"))
				require.NoError(w, err)
			})
			return grown, ok
		}
		_, ok := take(0)
		require.False(w, ok, "it does not run")
		w.apply(i.ID, engine.Start, "01:00")
		_, ok = take(0)
		require.False(w, ok)
		grown, ok := take(1)
		require.True(w, ok)
		require.Equal(w, int64(2), grown)
		got := w.get(i.ID)
		require.Equal(w, "next", got.Owner)
		require.Equal(w, int64(2), got.Fence)
		require.Equal(w, engine.Running, got.State)
		_, ok = take(1)
		require.False(w, ok, "the old fence is worth nothing")
	}},
	{"events that are no transition are recorded", func(w *world) {
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.Record(engine.EventRow{At: at("01:00"), Kind: "load", Actor: "ann", Reason: engine.Reason{Code: engine.ReasonPerson}}))
		})
		require.Error(w, w.store.Write(w.ctx, func(tx engine.Tx) error { return tx.Record(engine.EventRow{At: at("01:00")}) }))
		require.Error(w, w.store.Write(w.ctx, func(tx engine.Tx) error {
			return tx.Record(engine.EventRow{At: at("01:00"), Kind: "load", To: "nowhere"})
		}))
	}},
	{"a named lease belongs to one holder until it expires", func(w *world) {
		acquire := func(holder, now string, until time.Time, wantOK bool, wantEpoch int64) {
			w.Helper()
			w.write(func(tx engine.Tx) {
				epoch, ok, err := tx.Acquire("planner", holder, at(now), until)
				require.NoError(w, err)
				require.Equal(w, wantOK, ok)
				require.Equal(w, wantEpoch, epoch)
			})
		}
		acquire("a", "01:00", at("01:10"), true, 1)
		acquire("a", "01:05", at("01:15"), true, 1)
		acquire("b", "01:14", at("01:24"), false, 1)
		acquire("b", "01:15", at("01:25"), true, 2)
		acquire("a", "01:16", at("01:26"), false, 2)
		acquire("b", "01:40", at("01:50"), true, 2)
		acquire("a", "02:00", at("02:10"), true, 3)
	}},
}
