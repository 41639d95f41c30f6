package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/store"
)

// benchBulk does what is large, one after the other: it applies a backfill (of 854,100 instances, or as -bulk says), gives it another priority,
// freezes a tenth of it, loads other definitions of all its jobs, and cancels it. Beside that a job is triggered ten times a
// second, and one is due each second. It says of each how long a write transaction holds the writer, how long a trigger and
// the start of what is due take, and what is left of the memory.
func benchBulk(ctx context.Context, s setting) ([]figure, error) {
	const longest, latest = 50 * time.Millisecond, time.Second
	jobs := max(1, s.bulk/365)
	w, names, err := bulkJobs(jobs, 0)
	if err != nil {
		return nil, err
	}
	m := &bulkMeter{made: map[int64]time.Time{}}
	db, err := store.Open(ctx, store.Config{Dir: filepath.Join(s.dir, "rows"), Clock: time.Now, Held: m.heldFor, Watch: func() func() time.Duration {
		began := time.Now()
		return func() time.Duration { return time.Since(began) }
	}})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	e, err := engine.New(engine.Config{
		Store: db, Runner: noRunner{}, Owner: "bench", Slots: 8, Decode: spec.DecodeJob, Condition: spec.EvalWhen, Retention: -1, Observe: m.observe,
	})
	if err != nil {
		return nil, err
	}
	if _, err := e.Load(ctx, []*engine.Workflow{w}, time.Now()); err != nil {
		return nil, err
	}
	run, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- e.Run(run) }()
	defer func() {
		stop()
		if err := <-done; err != nil {
			fmt.Fprintln(os.Stderr, "bench: the engine ended:", err) // the figures are taken
		}
	}()
	select {
	case <-e.Ready():
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	before, err := rssOf(os.Getpid())
	if err != nil {
		return nil, err
	}
	r := engine.BackfillRequest{Jobs: names, From: "2025-01-01", To: "2025-12-31", Window: "02:00-02:01 UTC"}
	began := time.Now()
	plan, err := e.PlanBackfill(ctx, r, time.Now())
	if err != nil {
		return nil, err
	}
	planned := time.Since(began)
	instances, key := plan.In, plan.ID
	figures := []figure{{
		fmt.Sprintf("a plan of %d instances", instances), fmt.Sprintf("%.1f s", planned.Seconds()), "≤ 6 s", planned <= 6*time.Second,
	}}
	status := func(over func(b *engine.BackfillRow) bool) func() (bool, error) {
		return func() (bool, error) {
			b, err := e.Backfill(ctx, key, time.Now())
			return over(&b.BackfillRow), err
		}
	}
	var frozen int64
	for _, act := range []struct {
		what string
		do   func() error
		over func() (bool, error)
	}{
		{"applying it", func() error {
			_, _, err := e.ApplyBackfill(ctx, engine.BackfillApplication{
				ID: plan.ID, At: plan.At, Fingerprint: plan.Fingerprint, Request: r, Jobs: plan.Jobs, Actor: "bench",
			}, time.Now())
			plan = nil
			return err
		}, status(func(b *engine.BackfillRow) bool { return b.Stage.Real() })},
		{"another priority of it", func() error {
			priority := 8
			_, err := e.SetBackfill(ctx, key, engine.BackfillChange{Priority: &priority}, "bench", "", time.Now())
			return err
		}, status(func(b *engine.BackfillRow) bool { return b.Options.Moving == nil })},
		{"freezing a tenth of it", func() error {
			o := engine.OperationRequest{
				Operation: engine.OperateFreeze, Selector: "backfill:" + key + " date:2025-01-01..2025-02-10", Actor: "bench",
			}
			result, err := e.Operate(ctx, o, time.Now())
			if err == nil && result.UnderWay == nil {
				err = fmt.Errorf("the operation was carried out at once")
			}
			if err == nil {
				frozen = result.UnderWay.ID
			}
			return err
		}, func() (bool, error) {
			row, err := e.FindOperation(ctx, frozen)
			return row.Stage == engine.OperationEnded, err
		}},
		{"a load that changes all its jobs", func() error {
			other, _, err := bulkJobs(jobs, 1)
			if err == nil {
				_, err = e.Load(ctx, []*engine.Workflow{other}, time.Now())
			}
			return err
		}, func() (bool, error) { return true, nil }},
		{"cancelling it", func() error {
			_, err := e.CancelBackfill(ctx, key, "bench", "", true, time.Now())
			return err
		}, status(func(b *engine.BackfillRow) bool { return !b.Stage.Open() })},
	} {
		more, err := m.beside(ctx, e, act.what, act.do, act.over, longest, latest)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", act.what, err)
		}
		figures = append(figures, more...)
	}
	<-time.After(5 * time.Second) // what is free goes back to the system
	after, err := rssOf(os.Getpid())
	if err != nil {
		return nil, err
	}
	return append(figures, figure{"memory before and after", fmt.Sprintf("%.0f and %.0f MB", before, after), "≤ 1.2 ×", after <= 1.2*before}), nil
}

// bulkJobs are jobs in chains of ten, one that is triggered, and sixty of which one is due each second.
func bulkJobs(jobs, minute int) (*engine.Workflow, []string, error) {
	var text strings.Builder
	text.WriteString("workflow: w\ndefaults: {startTime: \"2025-01-01T00:00:00Z\"}\njobs:\n  now: {trigger: manual, concurrency: 99, action: {type: none}}\n")
	for i := range 60 {
		fmt.Fprintf(&text, "  due%02d: {cron: \"* * * * *\", spread: 1m, action: {type: none}}\n", i)
	}
	var names []string
	for i := range jobs {
		names = append(names, fmt.Sprintf("w/j%04d", i))
		fmt.Fprintf(&text, "  j%04d: {cron: \"%d 2 * * *\", action: {type: shell, command: \"true\"}", i, (i+minute)%60)
		if i%10 > 0 {
			fmt.Fprintf(&text, ", dependsOn: [j%04d]", i-1)
		}
		text.WriteString("}\n")
	}
	w, problems := spec.Decode("w.yaml", []byte(text.String()), spec.Options{})
	return w, names, problems.Err()
}

// beside does something large and measures what goes on beside it until it is over.
func (m *bulkMeter) beside(
	ctx context.Context, e *engine.Engine, what string, do func() error, over func() (bool, error), longest, latest time.Duration,
) ([]figure, error) {
	m.begin()
	triggered := make(chan error, 1)
	going, end := context.WithCancel(ctx)
	go func() { triggered <- m.trigger(going, e) }()
	began := time.Now()
	err := do()
	answered := time.Since(began)
	for done := false; err == nil && !done; {
		if done, err = over(); !done {
			<-time.After(100 * time.Millisecond)
		}
	}
	took := time.Since(began)
	end()
	if err := errors.Join(err, <-triggered); err != nil {
		return nil, err
	}
	held, most := m.quantiles(m.held)
	trigger, slowest := m.quantiles(m.triggers)
	start, last := m.quantiles(m.starts)
	due, least := m.quantiles(m.due)
	ms := func(d time.Duration) string { return fmt.Sprintf("%.0f ms", d.Seconds()*1000) }
	return []figure{
		{what + ": the answer, and until it is over", fmt.Sprintf("%.1f s, %.0f s", answered.Seconds(), took.Seconds()), "≤ 6 s", answered <= 6*time.Second},
		{fmt.Sprintf("write transactions meanwhile, p99 of %d", len(m.held)), ms(held) + ", the longest " + ms(most), "≤ 50 ms", held <= longest},
		{fmt.Sprintf("a trigger meanwhile, p99 of %d", len(m.triggers)), ms(trigger) + ", the longest " + ms(slowest), "≤ 1 s", trigger <= latest},
		{"from there to its start, p99", ms(start) + ", the longest " + ms(last), "≤ 1 s", start <= latest},
		{fmt.Sprintf("from its time to the start of what is due, p99 of %d", len(m.due)), ms(due) + ", the longest " + ms(least), "≤ 1 s", due <= latest},
	}, nil
}

// A bulkMeter measures what goes on beside something large.
type bulkMeter struct {
	mu                     sync.Mutex
	on                     bool
	held, triggers, starts []time.Duration
	due                    []time.Duration
	made                   map[int64]time.Time
}

func (m *bulkMeter) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.on = true
	m.held, m.triggers, m.starts, m.due = nil, nil, nil, nil
}

func (m *bulkMeter) heldFor(took time.Duration, _ int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.on {
		m.held = append(m.held, took)
	}
}

func (m *bulkMeter) observe(n engine.Notice) {
	if n.From != engine.Waiting || n.Instance.State != engine.Running {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch n.Instance.Kind {
	case engine.Manual:
		m.starts = append(m.starts, time.Since(n.Instance.NotBefore))
	case engine.Scheduled:
		m.due = append(m.due, time.Since(n.Instance.NotBefore))
	case engine.Backfill:
	}
}

// trigger triggers a job ten times a second.
func (m *bulkMeter) trigger(ctx context.Context, e *engine.Engine) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		began := time.Now()
		if _, _, err := e.Trigger(context.WithoutCancel(ctx), engine.TriggerRequest{Ref: engine.JobRef{Workflow: "w", Job: "now"}, Actor: "bench"}, began); err != nil {
			return err
		}
		m.mu.Lock()
		m.triggers = append(m.triggers, time.Since(began))
		m.mu.Unlock()
	}
}

// quantiles are the p99 and the longest.
func (m *bulkMeter) quantiles(of []time.Duration) (p99, most time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(of) == 0 {
		return 0, 0
	}
	sorted := slices.Sorted(slices.Values(of))
	return sorted[(len(sorted)-1)*99/100], sorted[len(sorted)-1]
}
