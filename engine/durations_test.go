package engine_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/sim/model"
)

func TestAnEstimateIsMadeOfPastDurations(t *testing.T) {
	seconds := func(s ...int) (d []time.Duration) {
		for _, n := range s {
			d = append(d, time.Duration(n)*time.Second)
		}
		return d
	}
	require.Zero(t, engine.EstimateOf(nil))
	require.Equal(t, engine.Estimate{Median: 7 * time.Second, High: 7 * time.Second, Of: 1}, engine.EstimateOf(seconds(7)))
	require.Equal(t, engine.Estimate{Median: 5 * time.Second, High: 9 * time.Second, Of: 10}, engine.EstimateOf(seconds(10, 1, 3, 2, 9, 4, 5, 8, 7, 6)))
}

// A pastRun is an instance that succeeded, of a key or, with "", scheduled.
type pastRun struct {
	key  string
	took time.Duration
}

// ranBefore is a store where the load of the workflow w ran so, one a day.
func ranBefore(t *testing.T, runs []pastRun) engine.Store {
	t.Helper()
	db := model.New(func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) })
	err := db.Write(context.Background(), func(tx engine.Tx) error {
		ref := engine.JobRef{Workflow: "w", Job: "load"}
		if err := tx.PutJob(engine.JobRow{ID: 1, Ref: ref, Version: 2}); err != nil {
			return err
		}
		for n, run := range runs {
			id, at := int64(n+3), time.Date(2026, 11, 20-n, 1, 0, 0, 0, time.UTC)
			i := engine.Instance{
				ID: id, Job: 1, Kind: engine.Scheduled, PlanTime: at, State: engine.Waiting, NotBefore: at,
				Priority: 5, Reason: engine.Reason{Code: engine.ReasonPlanned}, Run: 1,
			}
			if run.key != "" {
				i.Kind, i.Key = engine.Backfill, run.key
			}
			_, err := tx.InsertInstances(func(yield func(*engine.Instance, []engine.Wait) bool) { yield(&i, nil) })
			if err != nil {
				return err
			}
			for _, step := range []engine.Transition{
				{Instance: id, Event: engine.Start, From: engine.Waiting, At: at, Owner: "s",
					Reason: engine.Reason{Code: engine.ReasonReleased}},
				{Instance: id, Event: engine.Succeed, From: engine.Running, Fence: 1, At: at.Add(run.took),
					Reason: engine.Reason{Code: engine.ReasonSucceeded}},
			} {
				if ok, err := tx.Apply(step); err != nil || !ok {
					return fmt.Errorf("apply %s: %t, %w", step.Event, ok, err)
				}
			}
		}
		return nil
	})
	require.NoError(t, err)
	return db
}

// A job that has only been backfilled has a past; one that was scheduled often enough is estimated
// by that, and a backfill by what it has run itself before anything else.
func TestAnEstimateIsFilledUpByBackfills(t *testing.T) {
	runs := func(scheduled, filled int) (list []pastRun) {
		for range scheduled {
			list = append(list, pastRun{"", 10 * time.Minute})
		}
		for n := range filled {
			list = append(list, pastRun{fmt.Sprintf("bf-%d", n%2), 20 * time.Minute})
		}
		return list
	}
	for _, c := range []struct {
		scheduled, filled, of, ofFilled int
		median, inBackfill              time.Duration
	}{
		{0, 0, 0, 0, 0, 0},
		{0, 20, 20, 10, 20 * time.Minute, 20 * time.Minute},
		{5, 10, 15, 10, 20 * time.Minute, 10 * time.Minute},
		{31, 4, 30, 30, 10 * time.Minute, 10 * time.Minute},
		{20, 20, 30, 30, 10 * time.Minute, 10 * time.Minute},
	} {
		db := ranBefore(t, runs(c.scheduled, c.filled))
		require.NoError(t, db.Read(t.Context(), func(v engine.View) error {
			all, err := engine.EstimateDuration(v, 1)
			require.NoError(t, err)
			require.Equal(t, c.of, all.Of, "%+v", c)
			require.Equal(t, c.median, all.Median, "%+v", c)
			own, err := engine.EstimateInBackfill(v, 1, "bf-0")
			require.NoError(t, err)
			require.Equal(t, c.ofFilled, own.Of, "%+v", c)
			require.Equal(t, c.inBackfill, own.Median, "%+v", c)
			return nil
		}))
		jobs := `  load: {cron: "0 1 * * *", ` + shell + `}`
		f, err := foresee(t, jobs, engine.SimulationRequest{}, func(s *engine.SimulationSource) { s.Store = db })
		require.NoError(t, err)
		want := engine.AssumedDuration{Duration: c.median, Source: engine.DurationHistory, Of: c.of}
		if c.of == 0 {
			want = engine.AssumedDuration{Duration: time.Minute, Source: engine.DurationDefault}
		}
		require.Equal(t, want, f.Durations[0].AssumedDuration, "%+v", c)
	}
}
