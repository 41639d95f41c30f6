package storetest

import (
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

var censusCases = []testCase{
	{"what is open, by state and gate", func(w *world) {
		census := func() (n engine.Census) {
			w.read(func(v engine.View) {
				var err error
				n, err = v.Census()
				require.NoError(w, err)
			})
			return n
		}
		empty := census()
		require.Empty(w, empty.States)
		require.Empty(w, empty.Gates)
		require.Zero(w, empty.Outbox)
		require.Zero(w, empty.OutboxSince)
		p := w.plan("A", "01:00", "02:00", "03:00", "04:00", "05:00", "06:00")
		w.wait(p[0].ID, engine.GateDependency)
		w.wait(p[1].ID, engine.GateSlot)
		w.apply(p[2].ID, engine.Start, "03:00")
		w.apply(p[3].ID, engine.Start, "04:00")
		w.apply(p[3].ID, engine.Lose, "04:01")
		w.apply(p[4].ID, engine.Start, "05:00")
		w.apply(p[4].ID, engine.Succeed, "05:01")
		n := census()
		require.Equal(w, map[engine.State]int{engine.Waiting: 3, engine.Running: 1, engine.Lost: 1}, n.States)
		require.Equal(w, map[engine.Gate]int{engine.GateTime: 1, engine.GateDependency: 1, engine.GateSlot: 1}, n.Gates)
		require.Greater(w, n.LastEvent, empty.LastEvent, "each transition is an event")
	}},
	{"what is not delivered, and since when", func(w *world) {
		i := w.started("01:00")
		put := func(created string, state engine.OutboxState) {
			w.write(func(tx engine.Tx) {
				row := engine.OutboxRow{ID: w.reserve(tx, 1), Kind: "errorAction", Instance: i.ID, NotBefore: at("09:00").UTC(), State: state, CreatedAt: at(created).UTC()}
				if state != engine.OutboxPending {
					row.EndedAt = at("08:00").UTC()
				}
				require.NoError(w, tx.PutOutbox(row))
			})
		}
		put("01:00", engine.OutboxDelivered)
		put("03:00", engine.OutboxPending)
		put("02:00", engine.OutboxPending)
		put("01:30", engine.OutboxFailed)
		w.read(func(v engine.View) {
			n, err := v.Census()
			require.NoError(w, err)
			require.Equal(w, 2, n.Outbox)
			require.True(w, at("02:00").Equal(n.OutboxSince))
		})
	}},
	{"the instances of a range, the latest first", func(w *world) {
		p := w.plan("A", "01:00", "02:00", "03:00", "04:00")
		w.plan("B", "02:00")
		manual := w.planned("A", "02:30")
		manual.Kind, manual.Key = engine.Manual, "m"
		w.insert(manual)
		w.read(func(v engine.View) {
			wait := w.on("A", "02:00", "04:00")
			list, err := v.RangeOf(&wait, 10)
			require.NoError(w, err)
			require.Equal(w, []int64{p[3].ID, p[2].ID, p[1].ID}, ids(list))
			list, err = v.RangeOf(&wait, 1)
			require.NoError(w, err)
			require.Equal(w, []int64{p[3].ID}, ids(list))
			list, err = v.RangeOf(&engine.Wait{Upstream: w.ids["A"]}, 10)
			require.NoError(w, err)
			require.Empty(w, list, "nothing in the window")
			wait.First, wait.Last = wait.First.Add(10*time.Hour), wait.Last.Add(10*time.Hour)
			list, err = v.RangeOf(&wait, 10)
			require.NoError(w, err)
			require.Empty(w, list)
		})
	}},
}
