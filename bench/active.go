package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/recurrence"
	"github.com/almanac-sched/almanac/store"
)

// benchActive begins 10,000 instances of one job that may all run at once: each begin asks how many of the job run.
func benchActive(ctx context.Context, s setting) ([]figure, error) {
	const instances = 10_000
	took, err := median(s.n, func(i int) (time.Duration, error) {
		db, err := store.Open(ctx, store.Config{Dir: filepath.Join(s.dir, fmt.Sprint(i)), Clock: time.Now})
		if err != nil {
			return 0, err
		}
		defer db.Close()
		now := time.Now().Truncate(time.Second)
		if _, err := insertWaiting(ctx, db, instances, 0, now); err != nil {
			return 0, err
		}
		job := &engine.Job{
			Workflow: "bench", Name: "a", Concurrency: instances, MisfireWindow: 365 * 24 * time.Hour, Misfire: engine.MisfireRunAll,
			When:  recurrence.When{Location: time.UTC, Start: now.AddDate(0, -1, 0), Rule: &recurrence.Rule{Frequency: recurrence.Minute, Interval: 1}},
			Steps: []engine.Step{{Action: engine.Action{Type: engine.ActionShell, Shell: &engine.Shell{Command: "true"}}}},
		}
		e, err := engine.New(engine.Config{
			Store: db, Runner: noRunner{}, Owner: "bench", Slots: instances, PlanAhead: time.Hour,
			Decode: func([]byte, string) (*engine.Job, error) { return job, nil },
		})
		if err != nil {
			return 0, err
		}
		began := time.Now()
		for turns := 0; ; turns++ {
			if _, _, err := e.Step(ctx, now); err != nil {
				return 0, err
			}
			running := 0
			if err := db.Read(ctx, func(v engine.View) error {
				counts, err := v.ActiveCounts()
				for _, n := range counts {
					running += n
				}
				return err
			}); err != nil {
				return 0, err
			}
			if running == instances {
				return time.Since(began), nil
			}
			if turns > instances {
				return 0, fmt.Errorf("%d of %d run after %d turns", running, instances, turns)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return []figure{{
		work: fmt.Sprintf("%d instances of one job begin at once", instances), bar: "≤ 5 s",
		result: fmt.Sprintf("%.1f s", took.Seconds()), met: took <= 5*time.Second,
	}}, nil
}
