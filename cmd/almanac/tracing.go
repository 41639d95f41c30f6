package main

import (
	"context"
	"log/slog"
	"os"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/trace"
	"github.com/almanac-sched/almanac/store"
)

// A tracing exports traces when the environment asks for them; else it does nothing.
type tracing struct {
	env    map[string]string
	log    *slog.Logger
	tracer *trace.Tracer // nil is none
}

// wrap gives the attempts of a runner their traces. It is siteConfig.wrap.
func (t *tracing) wrap(ctx context.Context, db *store.DB, r engine.Runner) (engine.Runner, error) {
	if !trace.Wanted(t.env) {
		return r, nil
	}
	var err error
	if t.tracer, err = trace.New(ctx, trace.Config{
		Rows: db, Env: func(name string) string { return t.env[name] }, ReadFile: os.ReadFile, Version: build().Version, Log: t.log,
	}); err != nil {
		return nil, err
	}
	return t.tracer.Runner(r), nil
}

// counts says how many spans there were; nil when none are made.
func (t *tracing) counts() func() (exported, lost, queued int64) {
	if !trace.Wanted(t.env) {
		return nil
	}
	return func() (int64, int64, int64) { return t.tracer.Counts() }
}

func (t *tracing) observe(n engine.Notice) {
	if t.tracer != nil {
		t.tracer.Observe(n)
	}
}

// close exports what is left, for a few seconds at most. The rows are closed after it.
func (t *tracing) close() {
	if t.tracer == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if err := t.tracer.Close(ctx); err != nil {
		t.log.Warn("traces: what was left may not have been exported", "error", err)
	}
}
