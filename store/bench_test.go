//go:build unix

package store_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A plan of a day into a fresh file, in transactions of 100,000: the bar is 60,000 instances a second, the goal 100,000.
func BenchmarkInsertInstances(b *testing.B) {
	const jobsEach, instances = 1000, 100_000
	var used time.Duration
	for b.Loop() {
		b.StopTimer()
		db := open(b, b.TempDir())
		ids := jobs(b, db, jobsEach)
		before := cpu(b)
		b.StartTimer()
		insertPlan(b, db, ids, instances)
		b.StopTimer()
		used += cpu(b) - before
		b.StartTimer()
	}
	b.ReportMetric(float64(b.N)*instances/used.Seconds(), "instances/cpu-s")
	b.ReportMetric(float64(b.N)*instances/b.Elapsed().Seconds(), "instances/s")
}

// Starts and successes by 64 callers of Write: the bar is 20,000 transitions a second, the goal 30,000.
func BenchmarkTransitions(b *testing.B) {
	const instances, callers = 20_000, 64
	var total int
	var used time.Duration
	for b.Loop() {
		b.StopTimer()
		db := open(b, b.TempDir())
		first := insertPlan(b, db, jobs(b, db, 100), instances)
		before := cpu(b)
		b.StartTimer()
		transitions(b, db, first, instances, callers)
		b.StopTimer()
		used += cpu(b) - before
		b.StartTimer()
		total += 2 * instances
	}
	b.ReportMetric(float64(total)/used.Seconds(), "transitions/cpu-s")
	b.ReportMetric(float64(total)/b.Elapsed().Seconds(), "transitions/s")
}

func transitions(t testing.TB, db *store.DB, first int64, instances, callers int) {
	var next atomic.Int64
	var wrong atomic.Int64
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for {
				n := next.Add(1) - 1
				if n >= int64(instances) {
					return
				}
				for _, c := range []engine.Transition{
					{Event: engine.Start, From: engine.Waiting, Owner: "server", Lease: day, Reason: engine.Reason{Code: engine.ReasonReleased}},
					{Event: engine.Succeed, From: engine.Running, Fence: 1, Reason: engine.Reason{Code: engine.ReasonSucceeded}},
				} {
					c.Instance, c.At = first+n, day
					ok := false
					err := db.Write(context.Background(), func(tx engine.Tx) (err error) {
						ok, err = tx.Apply(c)
						return err
					})
					if err != nil || !ok {
						wrong.Add(1)
					}
				}
			}
		})
	}
	wg.Wait()
	require.Zero(t, wrong.Load())
}

// A pass over 1,000,000 waiting instances of which 100 are due: Due, Waits, Facts and Apply. The bar is 50 ms.
func BenchmarkPass(b *testing.B) {
	db := open(b, b.TempDir())
	ids := jobs(b, db, 10_000)
	for k := range 10 {
		insertPlan(b, db, ids[k*1000:(k+1)*1000], 100_000)
	}
	now := day
	for b.Loop() {
		err := db.Write(context.Background(), func(tx engine.Tx) error { return pass(tx, now, 100) })
		require.NoError(b, err)
		now = now.Add(time.Minute)
	}
}

func pass(tx engine.Tx, now time.Time, limit int) error {
	due, err := tx.Due(day.AddDate(0, 0, 1), limit)
	if err != nil {
		return err
	}
	if len(due) < limit {
		return fmt.Errorf("%d are due", len(due))
	}
	for n := range due {
		i := &due[n]
		waits, err := tx.Waits(i.ID)
		if err != nil {
			return err
		}
		for n := range waits {
			if _, err := tx.Facts(&waits[n]); err != nil {
				return err
			}
		}
		if _, err := tx.ActiveCount(i.Job); err != nil {
			return err
		}
		if _, err := tx.Apply(engine.Transition{
			Instance: i.ID, Event: engine.Start, From: engine.Waiting, At: now, Owner: "server", Lease: now, Reason: engine.Reason{Code: engine.ReasonReleased},
		}); err != nil {
			return err
		}
	}
	return nil
}

// cpu is the time that this process has had, which says more than the clock on a machine that others use too.
func cpu(t testing.TB) time.Duration {
	var u unix.Rusage
	require.NoError(t, unix.Getrusage(unix.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
