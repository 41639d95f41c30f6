package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

// Whatever the clock shows when a job is triggered, the name of each instance finds that instance and no other.
func TestTheNameOfEachInstanceFindsIt(t *testing.T) {
	d := newDesk(t)
	shanghai, err := time.LoadLocation("Asia/Shanghai")
	require.NoError(t, err)
	d.now = time.Date(2026, 8, 1, 1, 59, 59, 987_654_321, shanghai)
	e, _ := d.server("a", d.db, false)
	d.load(e, night)
	var made []engine.Instance
	for n := range 200 {
		d.now = d.now.Add([]time.Duration{0, 300 * time.Microsecond, 7 * time.Millisecond, 1234567 * time.Microsecond}[n%4])
		i, _, err := e.Trigger(t.Context(), engine.TriggerRequest{Ref: engine.JobRef{Workflow: "w", Job: "letter"}}, d.now)
		require.NoError(t, err)
		made = append(made, i)
	}
	exact := time.Date(2026, 8, 1, 5, 0, 0, 250_000_000, shanghai)
	i, _, err := e.Trigger(t.Context(), engine.TriggerRequest{Ref: engine.JobRef{Workflow: "w", Job: "letter"}, PlanTime: &exact}, d.now)
	require.NoError(t, err)
	require.Equal(t, "w/letter@2026-08-01T05:00:00.250+08:00", i.Name())
	all, err := e.Select(t.Context(), "date:2026-08-01", d.now)
	require.NoError(t, err)
	require.Greater(t, len(all), len(made), "what is planned is there too")
	whole := 0
	for n := range all {
		found, err := e.Select(t.Context(), all[n].Name(), d.now)
		require.NoError(t, err, all[n].Name())
		require.Len(t, found, 1)
		require.Equal(t, all[n].ID, found[0].ID, "%s names another instance", all[n].Name())
		if all[n].Kind == engine.Manual && all[n].PlanTime.Nanosecond() == 0 {
			whole++
		}
	}
	require.Greater(t, whole, 50, "the first instance of a second has no fraction")
	require.Equal(t, made[0].PlanTime, time.Date(2026, 8, 1, 1, 59, 59, 0, shanghai))
}

func TestWhatIsRefusedIsNotTriedAgain(t *testing.T) {
	always := engine.RetryPolicy{Type: engine.RetryFixed, Interval: time.Minute, Count: 20}
	_, again := always.Next(1, engine.Result{Outcome: engine.OutcomeFailed})
	require.True(t, again)
	_, again = always.Next(1, engine.Result{Outcome: engine.OutcomeFailed, Refused: true})
	require.False(t, again)
}
