package store_test

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
	"github.com/stretchr/testify/require"
)

var day = time.Date(2026, 3, 2, 0, 0, 0, 0, time.FixedZone("", 8*3600))

// jobs puts so many jobs and returns their ids; the version of each is its id + 1.
func jobs(t testing.TB, db *store.DB, n int) []int64 {
	t.Helper()
	ids := make([]int64, n)
	require.NoError(t, db.Write(context.Background(), func(tx engine.Tx) error {
		first, err := tx.Reserve(2 * n)
		if err != nil {
			return err
		}
		for k := range ids {
			ids[k] = first + int64(2*k)
			ref := engine.JobRef{Workflow: "w", Job: fmt.Sprintf("job-%05d", k)}
			if err := tx.PutJob(engine.JobRow{ID: ids[k], Ref: ref, Version: ids[k] + 1, PlannedTo: day.AddDate(0, 0, 1)}); err != nil {
				return err
			}
			if err := tx.PutVersion(engine.VersionRow{ID: ids[k] + 1, Job: ids[k]}); err != nil {
				return err
			}
		}
		return nil
	}))
	return ids
}

// plan is n instances of the jobs from the first id on, ordered by job and plan time, every second with two waits and the others with one.
func plan(first int64, jobs []int64, n int) iter.Seq2[*engine.Instance, []engine.Wait] {
	each := n / len(jobs)
	step := 24 * time.Hour / time.Duration(each)
	return func(yield func(*engine.Instance, []engine.Wait) bool) {
		id := first
		for k, job := range jobs {
			for m := range each {
				at := day.Add(time.Duration(m) * step).Truncate(time.Millisecond)
				i := engine.Instance{
					ID: id, Job: job, Version: job + 1, Kind: engine.Scheduled, PlanTime: at, NotBefore: at, State: engine.Waiting, Gate: engine.GateTime,
					Reason: engine.Reason{Code: engine.ReasonPlanned}, Priority: 5,
				}
				waits := make([]engine.Wait, 1+m%2)
				for n := range waits {
					waits[n] = engine.Wait{
						Instance: id, N: n, Dependency: n, Upstream: jobs[(k+n+1)%len(jobs)], First: at, Last: at, Count: 1, Rule: "one-to-one", Select: "all",
						WindowFrom: day, WindowTo: day.AddDate(0, 0, 1), Closed: "left", OnMissing: engine.MissingRun, OnFailed: engine.FailedWait,
					}
				}
				if !yield(&i, waits) {
					return
				}
				id++
			}
		}
	}
}

func insertPlan(t testing.TB, db *store.DB, jobs []int64, n int) (first int64) {
	t.Helper()
	require.NoError(t, db.Write(context.Background(), func(tx engine.Tx) error {
		var err error
		if first, err = tx.Reserve(n); err != nil {
			return err
		}
		inserted, err := tx.InsertInstances(plan(first, jobs, n))
		if err == nil && inserted != n {
			err = fmt.Errorf("%d of %d inserted", inserted, n)
		}
		return err
	}))
	return first
}
