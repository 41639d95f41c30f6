package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
)

const (
	longWorkflow = "long"
	longJobs     = 100
	historyBatch = 10_000
	historySpan  = 50 * 24 * time.Hour // less than retention keeps
)

// writeLong writes the workflow whose jobs have the long history.
func writeLong(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "workflow: %s\njobs:\n", longWorkflow)
	for n := range longJobs {
		fmt.Fprintf(&b, "  j%03d: {cron: \"%d * * * *\", action: {type: shell, command: \"true\"}}\n", n, n%60)
	}
	return os.WriteFile(filepath.Join(folder, "long.yaml"), []byte(b.String()), 0o600)
}

// writeHistory gives the jobs of the long workflow so many ended instances, each with its attempt and the events of its life.
func writeHistory(ctx context.Context, data string, rows int, end time.Time) error {
	db, err := store.Open(ctx, store.Config{Dir: data, Clock: time.Now})
	if err != nil {
		return err
	}
	var jobs []engine.JobRow
	err = db.Read(ctx, func(v engine.View) (err error) {
		jobs, err = v.Jobs()
		return err
	})
	if err == nil && len(jobs) == 0 {
		err = errors.New("the jobs are not recorded")
	}
	step := historySpan / time.Duration(rows)
	for from := 0; err == nil && from < rows; from += historyBatch {
		n := min(historyBatch, rows-from)
		err = db.Write(ctx, func(tx engine.Tx) error {
			return writePast(tx, jobs, n, end.Add(-historySpan+time.Duration(from)*step), step)
		})
	}
	return errors.Join(err, db.Close())
}

// writePast inserts n instances, one each step from the time on, and has each of them succeed.
func writePast(tx engine.Tx, jobs []engine.JobRow, n int, from time.Time, step time.Duration) error {
	first, err := tx.Reserve(2 * n)
	if err != nil {
		return err
	}
	from = from.UTC().Truncate(time.Millisecond)
	planTime := func(i int) time.Time { return from.Add(time.Duration(i) * step).Truncate(time.Millisecond) }
	inserted, err := tx.InsertInstances(func(yield func(*engine.Instance, []engine.Wait) bool) {
		for i := range n {
			job := &jobs[i%len(jobs)]
			at := planTime(i)
			if !yield(&engine.Instance{
				ID: first + int64(i), Job: job.ID, Ref: job.Ref, Version: job.Version, Kind: engine.Scheduled, PlanTime: at, NotBefore: at,
				State: engine.Waiting, Gate: engine.GateTime, Priority: 5, Reason: engine.Reason{Code: engine.ReasonPlanned},
			}, nil) {
				return
			}
		}
	})
	if err != nil || inserted != n {
		return errors.Join(err, fmt.Errorf("%d of %d instances were inserted", inserted, n))
	}
	exit := 0
	for i := range n {
		id, at := first+int64(i), planTime(i)
		started, ended := at.Add(200*time.Millisecond), at.Add(900*time.Millisecond)
		start := engine.Transition{
			Instance: id, Event: engine.Start, From: engine.Waiting, At: started, Owner: "history", Lease: ended.Add(time.Minute),
			Reason: engine.Reason{Code: engine.ReasonReleased},
		}
		attempt := engine.AttemptRow{ID: first + int64(n+i), Instance: id, Job: jobs[i%len(jobs)].ID, Number: 1, Fence: 1, Owner: "history", StartedAt: started}
		attempt.Result = &engine.Result{Attempt: attempt.ID, Outcome: engine.OutcomeSucceeded, Exit: &exit, StartedAt: started, EndedAt: ended}
		end := engine.Transition{Instance: id, Event: engine.Succeed, From: engine.Running, Fence: 1, At: ended, Reason: engine.Reason{Code: engine.ReasonSucceeded}}
		claimed, err := tx.Apply(start)
		if err != nil || !claimed {
			return errors.Join(err, fmt.Errorf("instance %d was not claimed", id))
		}
		added, err := tx.AddAttempt(attempt)
		if err != nil || !added {
			return errors.Join(err, fmt.Errorf("the attempt of instance %d was not added", id))
		}
		succeeded, err := tx.Apply(end)
		if err != nil || !succeeded {
			return errors.Join(err, fmt.Errorf("instance %d has not ended", id))
		}
	}
	return nil
}
