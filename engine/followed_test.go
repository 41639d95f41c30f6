package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

// What a list says of an instance that waits follows what it waits for, although nothing looks at
// the instance meanwhile: until it is released, while it runs, when it has failed, when it is run
// again.
func TestAListFollowsWhatIsWaitedFor(t *testing.T) {
	d := newDesk(t)
	e, hand := d.server("one", d.db, false)
	d.load(e, `workflow: w
defaults: {startTime: "2026-08-01T00:00:00Z", action: {type: shell, command: "true"}}
jobs:
  first: {recurrence: {frequency: hour}}
  up: {recurrence: {frequency: hour}, dependsOn: [first]}
  down: {recurrence: {frequency: hour}, dependsOn: [up]}
`)
	said := func() string {
		i, _ := d.instance("down", 1)
		list := []engine.Instance{i}
		require.NoError(t, e.Follow(t.Context(), list))
		return list[0].Reason.Describe()
	}
	end := func(outcome engine.Outcome) {
		a := hand.started[len(hand.started)-1]
		one := 1
		r := engine.Result{Attempt: a.ID, Outcome: outcome, StartedAt: a.StartedAt, EndedAt: d.now}
		if outcome == engine.OutcomeFailed {
			r.Exit = &one
		}
		hand.done[a.ID](r)
		d.step(e)
	}
	d.now = d.now.Add(31 * time.Minute)
	d.step(e)
	const up = "w/up@2026-08-03T01:00:00Z"
	require.Equal(t, "waits for "+up+", which is waiting", said())
	freeze := func(operation engine.Operation) {
		r := engine.OperationRequest{Operation: operation, Selector: up, Actor: "ann"}
		_, err := e.Operate(t.Context(), r, d.now)
		require.NoError(t, err)
	}
	freeze(engine.OperateFreeze)
	require.Contains(t, said(), "which is waiting: frozen")
	freeze(engine.OperateUnfreeze)
	require.Equal(t, "waits for "+up+", which is waiting", said())

	end(engine.OutcomeSucceeded) // of first
	require.Equal(t, "waits for "+up+", which is running", said())
	row, _ := d.instance("down", 1)
	require.Equal(t, engine.Waiting, row.Reason.State, "the row keeps what was seen at its last look")

	end(engine.OutcomeFailed)
	require.Equal(t, "failed upstream "+up+", which is failed", said())
	freeze(engine.OperateRerun)
	d.step(e)
	require.Equal(t, "waits for "+up+", which is running", said())
	end(engine.OutcomeSucceeded)
	after, _ := d.instance("down", 1)
	require.Equal(t, engine.Running, after.State)
}
