package main

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
)

// benchTransitions has 64 submitters claim and finish instances, each transition a durable write of its own with its event, of which those that
// come together share a commit. What a commit costs is the pages that it touches, so where the rows lie decides: beside one another, when the
// submitters take the instances in the order of their ids as those of one job follow one another, or each on pages of its own, as when instances of many
// jobs are due at once.
func benchTransitions(ctx context.Context, s setting) ([]figure, error) {
	const submitters, each = 64, 1000
	var figures []figure
	for _, order := range []struct {
		name string
		id   func(submitter, n int) int64
	}{
		{"rows beside one another", func(k, n int) int64 { return int64(n*submitters + k) }},
		{"each row on pages of its own", func(k, n int) int64 { return int64(k*each + n) }},
	} {
		var written float64
		rate, err := median(s.n, func(i int) (float64, error) {
			db, err := store.Open(ctx, store.Config{Dir: filepath.Join(s.dir, fmt.Sprint(order.name, i))})
			if err != nil {
				return 0, err
			}
			defer db.Close()
			now := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
			first, err := insertWaiting(ctx, db, submitters*each, 0, now)
			if err != nil {
				return 0, err
			}
			blocks, err := blocksWritten()
			if err != nil {
				return 0, err
			}
			began := time.Now()
			errs := make(chan error, submitters)
			var group sync.WaitGroup
			for k := range submitters {
				group.Go(func() {
					for n := range each {
						if err := startAndEnd(ctx, db, first+order.id(k, n), now); err != nil {
							errs <- err
							return
						}
					}
				})
			}
			group.Wait()
			close(errs)
			if err := <-errs; err != nil {
				return 0, err
			}
			rate := float64(2*submitters*each) / time.Since(began).Seconds()
			after, err := blocksWritten()
			written = float64(after-blocks) * 512 / (2 * submitters * each)
			return rate, err
		})
		if err != nil {
			return nil, err
		}
		figures = append(figures, figure{
			work: "durable transitions, synchronous=FULL, group commit, 64 submitters, " + order.name, bar: "≥ 20,000 a second",
			result: fmt.Sprintf("%.0f a second, %.1f KB written each", rate, written/1000), met: rate >= 20_000,
		})
	}
	return figures, nil
}

// startAndEnd carries out two transitions, each in a write of its own.
func startAndEnd(ctx context.Context, db *store.DB, id int64, now time.Time) error {
	start := engine.Transition{Instance: id, Event: engine.Start, From: engine.Waiting, At: now, Owner: "bench", Lease: now.Add(time.Minute)}
	end := engine.Transition{Instance: id, Event: engine.Succeed, From: engine.Running, Fence: 1, At: now}
	for _, t := range []engine.Transition{start, end} {
		err := db.Write(ctx, func(tx engine.Tx) error {
			if ok, err := tx.Apply(t); err != nil || !ok {
				return fmt.Errorf("%s of %d: %t, %w", t.Event, id, ok, err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// blocksWritten is how many blocks of 512 bytes this process has had written to disks.
func blocksWritten() (int64, error) {
	var usage syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return usage.Oublock, err
}

// insertWaiting inserts n waiting instances of one job that do not wait for anything, and blocked ones that wait for an upstream
// instance that will not come; it returns the id of the first.
func insertWaiting(ctx context.Context, db *store.DB, n, blocked int, now time.Time) (int64, error) {
	var first int64
	err := db.Write(ctx, func(tx engine.Tx) error {
		jobs, err := tx.Reserve(4)
		if err != nil {
			return err
		}
		refs := []engine.JobRef{{Workflow: "bench", Job: "a"}, {Workflow: "bench", Job: "b"}}
		for i, ref := range refs {
			id := jobs + int64(2*i)
			if err := tx.PutJob(engine.JobRow{ID: id, Ref: ref, Version: id + 1, CreatedAt: now, PlannedTo: now.AddDate(1, 0, 0)}); err != nil {
				return err
			}
			if err := tx.PutVersion(engine.VersionRow{ID: id + 1, Job: id, Definition: []byte("{}"), CreatedAt: now}); err != nil {
				return err
			}
		}
		if first, err = tx.Reserve(n + blocked + 1); err != nil {
			return err
		}
		_, err = tx.InsertInstances(func(yield func(*engine.Instance, []engine.Wait) bool) {
			far := now.AddDate(0, 6, 0)
			upstream := engine.Instance{
				ID: first + int64(n+blocked), Job: jobs + 2, Ref: refs[1], Version: jobs + 3, Kind: engine.Scheduled, PlanTime: far, NotBefore: far,
				State: engine.Waiting, Gate: engine.GateTime, Priority: 5,
			}
			if !yield(&upstream, nil) {
				return
			}
			for i := range n + blocked {
				at := now.Add(time.Duration(i-n-blocked) * time.Second)
				instance := engine.Instance{
					ID: first + int64(i), Job: jobs, Ref: refs[0], Version: jobs + 1, Kind: engine.Scheduled, PlanTime: at, NotBefore: at,
					State: engine.Waiting, Gate: engine.GateTime, Priority: 5,
				}
				var waits []engine.Wait
				if i >= n {
					waits = []engine.Wait{{
						Instance: instance.ID, Upstream: jobs + 2, Ref: refs[1], First: far, Last: far, Count: 1, Rule: "window", Select: "all",
						WindowFrom: far, WindowTo: far, Closed: "both", OnMissing: engine.MissingRun, OnFailed: engine.FailedWait,
					}}
				}
				if !yield(&instance, waits) {
					return
				}
			}
		})
		return err
	})
	return first, err
}

// benchPass measures what one pass asks of the rows when 1,000,000 instances wait and 100 of them can run: list what is due, judge it,
// claim it.
func benchPass(ctx context.Context, s setting) ([]figure, error) {
	const waiting, runnable = 1_000_000, 100
	db, err := store.Open(ctx, store.Config{Dir: s.dir, Clock: time.Now})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	now := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	first, err := insertWaiting(ctx, db, runnable*s.n, waiting, now)
	if err != nil {
		return nil, err
	}
	// All the blocked ones have been looked at: they watch what they wait for.
	far := now.AddDate(0, 6, 0)
	for from := runnable * s.n; from < runnable*s.n+waiting; from += 10_000 {
		err := db.Write(ctx, func(tx engine.Tx) error {
			for i := from; i < from+10_000; i++ {
				waits, err := tx.Waits(first + int64(i))
				if err != nil {
					return err
				}
				_, err = tx.Hold(engine.Hold{
					Instance: first + int64(i), Gate: engine.GateDependency, Reason: engine.Reason{Code: engine.ReasonUpstream},
					WatchJob: waits[0].Upstream, WatchTime: far,
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	took, err := median(s.n, func(int) (time.Duration, error) {
		began := time.Now()
		err := db.Write(ctx, func(tx engine.Tx) error {
			due, err := tx.Due(now, runnable)
			if err != nil || len(due) != runnable {
				return fmt.Errorf("%d are due, %w", len(due), err)
			}
			for i := range due {
				waits, err := tx.Waits(due[i].ID)
				if err != nil {
					return err
				}
				active, err := tx.ActiveCount(due[i].Job)
				if err != nil {
					return err
				}
				job := &engine.Job{Concurrency: active + 1, MisfireWindow: 365 * 24 * time.Hour}
				v := engine.Evaluate(now, &engine.Situation{Instance: &due[i], Job: job, Waits: waits, Facts: make([]engine.Facts, len(waits)), Active: active})
				if !v.Open {
					return fmt.Errorf("not open: %s", v.Reason.Describe())
				}
				ok, err := tx.Apply(engine.Transition{
					Instance: due[i].ID, Event: engine.Start, From: engine.Waiting, Fence: due[i].Fence, At: now, Owner: "bench", Lease: now.Add(time.Minute),
				})
				if err != nil || !ok {
					return fmt.Errorf("claim: %t, %w", ok, err)
				}
			}
			return nil
		})
		return time.Since(began), err
	})
	if err != nil {
		return nil, err
	}
	return []figure{{
		work: "a pass with 1,000,000 waiting rows of which 100 can run", bar: "≤ 50 ms",
		result: fmt.Sprintf("%.1f ms", float64(took.Microseconds())/1000), met: took <= 50*time.Millisecond,
	}}, nil
}
