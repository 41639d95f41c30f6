package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
)

func TestUpcomingIsRightWithThousandsDueAtOnce(t *testing.T) {
	db := open(t, t.TempDir())
	soon, at := day.Add(time.Hour), day.Add(2*time.Hour)
	id := int64(10_000)
	plan := func(tx engine.Tx, job int64, kind engine.Kind, times ...time.Time) {
		require.NoError(t, tx.PutJob(engine.JobRow{ID: job, Ref: engine.JobRef{Workflow: "w", Job: fmt.Sprintf("j%04d", job)}}))
		for _, when := range times {
			id++
			i := engine.Instance{ID: id, Job: job, Kind: kind, PlanTime: when, NotBefore: when, State: engine.Waiting}
			if kind != engine.Scheduled {
				i.Key = fmt.Sprint(id)
			}
			n, err := tx.InsertInstances(func(yield func(*engine.Instance, []engine.Wait) bool) { yield(&i, nil) })
			require.NoError(t, err)
			require.Equal(t, 1, n)
		}
	}
	require.NoError(t, db.Write(t.Context(), func(tx engine.Tx) error {
		id = 10_000
		for job := range int64(2000) {
			plan(tx, 1+job, engine.Scheduled, at)
		}
		plan(tx, 3001, engine.Scheduled, soon, soon.Add(time.Minute), soon.Add(2*time.Minute), at)
		plan(tx, 3002, engine.Scheduled, day.Add(-time.Hour))
		plan(tx, 3003, engine.Backfill, soon)
		plan(tx, 3004, engine.Scheduled, soon)
		_, err := tx.SetFrozen(id, true, engine.Reason{Code: engine.ReasonFrozen}, day)
		return err
	}))

	list, together, err := db.Upcoming(t.Context(), day, 6)
	require.NoError(t, err)
	require.Len(t, list, 6)
	require.EqualValues(t, 3001, list[0].Job)
	require.True(t, list[0].PlanTime.Equal(soon))
	require.Equal(t, 1, together, "neither what is frozen nor a backfill")
	for _, i := range list[1:] {
		require.LessOrEqual(t, i.Job, int64(2000), "a job stands there once")
		require.True(t, i.PlanTime.Equal(at))
	}

	list, together, err = db.Upcoming(t.Context(), soon.Add(time.Hour/2), 6)
	require.NoError(t, err)
	require.Len(t, list, 6)
	require.Equal(t, store.UpcomingCounted, together, "they are counted so far")

	list, together, err = db.Upcoming(t.Context(), at.Add(time.Second), 6)
	require.NoError(t, err)
	require.Empty(t, list)
	require.Zero(t, together)
}
