package main

import (
	"context"
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

// benchBulk applies a backfill of 854,100 instances while somebody triggers a job ten times a second: how long a write transaction holds the writer, how
// long a trigger and the start of what it made take beside it, and what is left of the memory.
func benchBulk(ctx context.Context, s setting) ([]figure, error) {
	const jobs, longest, latest = 2340, 50 * time.Millisecond, time.Second
	var text strings.Builder
	text.WriteString("workflow: w\ndefaults: {startTime: \"2025-01-01T00:00:00Z\"}\njobs:\n  now: {trigger: manual, concurrency: 99, action: {type: none}}\n")
	var names []string
	for i := range jobs {
		names = append(names, fmt.Sprintf("w/j%04d", i))
		fmt.Fprintf(&text, "  j%04d: {cron: \"%d 2 * * *\", action: {type: shell, command: \"true\"}", i, i%60)
		if i%10 > 0 {
			fmt.Fprintf(&text, ", dependsOn: [j%04d]", i-1)
		}
		text.WriteString("}\n")
	}
	w, problems := spec.Decode("w.yaml", []byte(text.String()), spec.Options{})
	if err := problems.Err(); err != nil {
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
	m.begin()
	r := engine.BackfillRequest{Jobs: names, From: "2025-01-01", To: "2025-12-31", Window: "02:00-02:01 UTC"}
	began := time.Now()
	plan, err := e.PlanBackfill(ctx, r, time.Now())
	if err != nil {
		return nil, err
	}
	planned := time.Since(began)
	triggered := make(chan error, 1)
	applied, over := context.WithCancel(ctx)
	go func() { triggered <- m.trigger(applied, e) }()
	began = time.Now()
	b, _, err := e.ApplyBackfill(ctx, engine.BackfillApplication{
		ID: plan.ID, At: plan.At, Fingerprint: plan.Fingerprint, Request: r, Jobs: plan.Jobs, Actor: "bench",
	}, time.Now())
	answered := time.Since(began)
	instances := plan.In
	plan = nil
	for err == nil && !b.Stage.Real() {
		<-time.After(100 * time.Millisecond)
		var status engine.BackfillStatus
		status, err = e.Backfill(ctx, b.Key, time.Now())
		b = status.BackfillRow
	}
	took := time.Since(began)
	over()
	if err := <-triggered; err != nil {
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	<-time.After(5 * time.Second) // what is free goes back to the system
	after, err := rssOf(os.Getpid())
	if err != nil {
		return nil, err
	}
	held, most := m.quantiles(m.held)
	trigger, slowest := m.quantiles(m.triggers)
	start, last := m.quantiles(m.starts)
	ms := func(d time.Duration) string { return fmt.Sprintf("%.0f ms", d.Seconds()*1000) }
	return []figure{
		{fmt.Sprintf("a plan of %d instances", instances), fmt.Sprintf("%.1f s", planned.Seconds()), "≤ 6 s", planned <= 6*time.Second},
		{"the answer to applying it", fmt.Sprintf("%.1f s", answered.Seconds()), "≤ 6 s", answered <= 6*time.Second},
		{"until it is applied", fmt.Sprintf("%.0f s", took.Seconds()), "", true},
		{fmt.Sprintf("write transactions meanwhile, p99 of %d", len(m.held)), ms(held) + ", the longest " + ms(most), "≤ 50 ms", held <= longest},
		{fmt.Sprintf("a trigger meanwhile, p99 of %d", len(m.triggers)), ms(trigger) + ", the longest " + ms(slowest), "≤ 1 s", trigger <= latest},
		{"from there to its start, p99", ms(start) + ", the longest " + ms(last), "≤ 1 s", start <= latest},
		{"memory before and after", fmt.Sprintf("%.0f and %.0f MB", before, after), "≤ 1.2 ×", after <= 1.2*before},
	}, nil
}

// A bulkMeter measures what goes on beside something large.
type bulkMeter struct {
	mu                     sync.Mutex
	on                     bool
	held, triggers, starts []time.Duration
	made                   map[int64]time.Time
}

func (m *bulkMeter) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.on = true
}

func (m *bulkMeter) heldFor(took time.Duration, _ int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.on {
		m.held = append(m.held, took)
	}
}

func (m *bulkMeter) observe(n engine.Notice) {
	if n.Instance.Kind != engine.Manual || n.From != engine.Waiting || n.Instance.State != engine.Running {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.starts = append(m.starts, time.Since(n.Instance.NotBefore))
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
