package storetest

import (
	"errors"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

var errNotNow = errors.New("not now")

// A transaction that asks how many run sees what it has changed itself, and forgets it when it is rolled back.
var activeCases = []testCase{
	{"how many run, within one transaction", func(w *world) {
		p := w.plan("A", "01:00", "02:00", "03:00")
		other := w.plan("B", "01:00")[0]
		w.apply(p[0].ID, engine.Start, "06:00")
		move := func(tx engine.Tx, i engine.Instance, event engine.Event, from engine.State, fence int64, want int) {
			ok, err := tx.Apply(engine.Transition{Instance: i.ID, Event: event, From: from, Fence: fence, At: moment("06:10"), Owner: "one", Lease: moment("07:00")})
			require.NoError(w, err)
			require.True(w, ok)
			n, err := tx.ActiveCount(w.ids["A"])
			require.NoError(w, err)
			require.Equal(w, want, n, "%s of %s", event, i.Name())
		}
		refused := func(tx engine.Tx) error {
			n, err := tx.ActiveCount(w.ids["A"])
			require.NoError(w, err)
			require.Equal(w, 1, n)
			move(tx, p[1], engine.Start, engine.Waiting, 0, 2)
			return errNotNow
		}
		require.ErrorIs(w, w.store.Write(w.Context(), refused), errNotNow)
		w.write(func(tx engine.Tx) {
			n, err := tx.ActiveCount(w.ids["A"])
			require.NoError(w, err)
			require.Equal(w, 1, n, "what was rolled back does not run")
			move(tx, p[1], engine.Start, engine.Waiting, 0, 2)
			move(tx, p[2], engine.Start, engine.Waiting, 0, 3)
			move(tx, other, engine.Start, engine.Waiting, 0, 3)
			move(tx, p[1], engine.Succeed, engine.Running, 1, 2)
			move(tx, p[0], engine.Lose, engine.Running, 1, 1)
			move(tx, p[0], engine.Force, engine.Lost, 1, 1)
			move(tx, p[1], engine.Rerun, engine.Succeeded, 1, 1)
			move(tx, p[1], engine.Start, engine.Waiting, 1, 2)
			ok, err := tx.Apply(engine.Transition{Instance: p[2].ID, Event: engine.Fail, From: engine.Running, Fence: 7, At: moment("06:10")})
			require.NoError(w, err)
			require.False(w, ok)
			n, err = tx.ActiveCount(w.ids["A"])
			require.NoError(w, err)
			require.Equal(w, 2, n, "what was refused changes nothing")
		})
		w.read(func(v engine.View) {
			n, err := v.ActiveCount(w.ids["A"])
			require.NoError(w, err)
			require.Equal(w, 2, n)
		})
	}},
}
