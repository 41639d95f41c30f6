package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/store"
)

// benchBackfill measures a backfill of 100,000 instances from the request to the commit, a turn of the loop beside it, and a year of a job that waits for
// itself and does nothing, from the commit to its end.
func benchBackfill(ctx context.Context, s setting) ([]figure, error) {
	const jobs, most, chainMost = 274, 5 * time.Second, 2 * time.Second
	var text strings.Builder
	text.WriteString("workflow: w\ndefaults: {startTime: \"2025-01-01T00:00:00Z\"}\njobs:\n")
	var names []string
	for i := range jobs {
		names = append(names, fmt.Sprintf("w/j%03d", i))
		fmt.Fprintf(&text, "  j%03d: {cron: \"%d 2 * * *\", action: {type: shell, command: \"true\"}", i, i%60)
		if i%10 > 0 {
			fmt.Fprintf(&text, ", dependsOn: [j%03d]", i-1)
		}
		text.WriteString("}\n")
	}
	instances := 0
	var turn time.Duration
	large, err := median(s.n, func(i int) (time.Duration, error) {
		b, err := newFilling(ctx, filepath.Join(s.dir, fmt.Sprint("large", i)), text.String())
		if err != nil {
			return 0, err
		}
		defer b.db.Close()
		begun := time.Now()
		if instances, err = b.apply(ctx, engine.BackfillRequest{Jobs: names, From: "2025-01-01", To: "2025-12-31", Window: "02:00-02:01 UTC"}); err != nil {
			return 0, err
		}
		took := time.Since(begun)
		begun = time.Now()
		if _, _, err := b.engine.Step(ctx, b.now); err != nil {
			return 0, err
		}
		turn = time.Since(begun)
		return took, nil
	})
	if err != nil {
		return nil, err
	}
	links := 0
	chain, err := median(s.n, func(i int) (time.Duration, error) {
		b, err := newFilling(ctx, filepath.Join(s.dir, fmt.Sprint("chain", i)), `workflow: w
jobs:
  chain: {cron: "0 2 * * *", startTime: "2025-01-01T00:00:00Z", selfDependency: true, action: {type: none}}
`)
		if err != nil {
			return 0, err
		}
		defer b.db.Close()
		if links, err = b.apply(ctx, engine.BackfillRequest{Jobs: []string{"w/chain"}, From: "2025-01-01", To: "2025-12-31"}); err != nil {
			return 0, err
		}
		begun := time.Now()
		for {
			if _, _, err := b.engine.Step(ctx, b.now); err != nil {
				return 0, err
			}
			list, err := b.engine.Backfills(ctx, 0, 1, b.now)
			if err != nil {
				return 0, err
			}
			if !list[0].EndedAt.IsZero() {
				return time.Since(begun), nil
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return []figure{
		{fmt.Sprintf("a backfill of %d instances of %d jobs, with their waits: planned, applied, committed", instances, jobs),
			fmt.Sprintf("%.2f s", large.Seconds()), "≤ 5 s", large <= most},
		{"a turn of the loop while it sleeps", fmt.Sprintf("%.1f ms", turn.Seconds()*1000), "≤ 50 ms", turn <= 50*time.Millisecond},
		{fmt.Sprintf("a chain of %d links of type none, from the commit to its end", links), fmt.Sprintf("%.0f ms", chain.Seconds()*1000), "≤ 2 s", chain <= chainMost},
	}, nil
}

// A filling is an engine over a fresh store, to backfill in.
type filling struct {
	db     *store.DB
	engine *engine.Engine
	now    time.Time
}

func newFilling(ctx context.Context, dir, text string) (*filling, error) {
	w, problems := spec.Decode("w.yaml", []byte(text), spec.Options{})
	if err := problems.Err(); err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, store.Config{Dir: dir, Clock: time.Now})
	if err != nil {
		return nil, err
	}
	b := &filling{db: db, now: time.Date(2026, 8, 3, 10, 0, 0, 0, time.UTC)}
	b.engine, err = engine.New(engine.Config{Store: db, Runner: noRunner{}, Owner: "bench", Slots: 8, Decode: spec.DecodeJob, Condition: spec.EvalWhen, Retention: -1})
	if err == nil {
		_, err = b.engine.Load(ctx, []*engine.Workflow{w}, b.now)
	}
	if err == nil {
		_, _, err = b.engine.Step(ctx, b.now)
	}
	return b, err
}

// apply plans and applies.
func (b *filling) apply(ctx context.Context, r engine.BackfillRequest) (int, error) {
	plan, err := b.engine.PlanBackfill(ctx, r, b.now)
	if err != nil {
		return 0, err
	}
	_, _, err = b.engine.ApplyBackfill(ctx, engine.BackfillApplication{
		ID: plan.ID, At: plan.At, Fingerprint: plan.Fingerprint, Request: r, Jobs: plan.Jobs, Actor: "bench",
	}, b.now)
	for more := true; more && err == nil; {
		more, err = b.engine.Bulk(ctx, b.now)
	}
	return plan.In, err
}
