package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/almanac-sched/almanac/bench/history"
	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/store"
)

// benchHistory makes so many ended instances, serves them, and asks each route that answers GET for what costs it most: no request may cost more
// because of the past.
func benchHistory(ctx context.Context, s setting) ([]figure, error) {
	const times = 20
	folder, data := filepath.Join(s.dir, "jobs"), filepath.Join(s.dir, "data")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(folder, "w.yaml"), []byte(history.Workflow()), 0o600); err != nil {
		return nil, err
	}
	began := time.Now()
	if err := loadInto(ctx, data, history.Workflow(), history.Begins(s.instances, began)); err != nil {
		return nil, err
	}
	facts, err := history.Make(ctx, data, s.instances, time.Now())
	if err != nil {
		return nil, err
	}
	made := time.Since(began)
	size, err := os.Stat(filepath.Join(data, "almanac.db"))
	if err != nil {
		return nil, err
	}
	sv, ready, err := s.serve(ctx, folder, data, "--quiet")
	if err != nil {
		return nil, err
	}
	defer sv.stop()
	if err := sv.settle(ctx); err != nil {
		return nil, err
	}
	measured, err := history.Measure(ctx, facts, times, sv.timed, func() (time.Duration, error) { return cpuOf(sv.cmd.Process.Pid) })
	if err != nil {
		return nil, err
	}
	rss, err := rssOf(sv.cmd.Process.Pid)
	if err != nil {
		return nil, err
	}
	figures := []figure{
		{work: fmt.Sprintf("%d ended instances, %d MB, made in %.0f s: start to ready", facts.Instances, size.Size()>>20, made.Seconds()),
			result: fmt.Sprintf("%.2f s", ready.Seconds()), bar: "≤ 5 s", met: ready <= 5*time.Second},
		{work: "memory of the server after every request", result: fmt.Sprintf("%.0f MB", rss), bar: "", met: true},
	}
	for n := range measured {
		f := &measured[n]
		figures = append(figures, figure{
			work: fmt.Sprintf("%s `%s`, %d bytes", f.Route, f.Request.Path, f.Bytes), result: fmt.Sprintf("p95 %.1f ms, %.1f ms of CPU", ms(f.P95), ms(f.CPU)),
			bar: fmt.Sprintf("≤ %.0f ms", ms(f.Request.Bar)), met: f.Met(),
		})
	}
	return figures, nil
}

// loadInto makes a data directory with the definitions of one file, loaded at the time.
func loadInto(ctx context.Context, dir, workflow string, at time.Time) error {
	w, problems := spec.Decode("w.yaml", []byte(workflow), spec.Options{})
	if err := problems.Err(); err != nil {
		return err
	}
	db, err := store.Open(ctx, store.Config{Dir: dir, Clock: time.Now})
	if err != nil {
		return err
	}
	defer db.Close()
	e, err := engine.New(engine.Config{Store: db, Runner: noRunner{}, Owner: "bench", Slots: 1, Decode: spec.DecodeJob, Condition: spec.EvalWhen})
	if err != nil {
		return err
	}
	_, err = e.Load(ctx, []*engine.Workflow{w}, at)
	return err
}

// timed is a history.Get of a server on loopback.
func (sv *server) timed(ctx context.Context, path string, ends bool) (status, bytes int, took time.Duration, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, sv.url+path, nil)
	if err != nil {
		return 0, 0, 0, err
	}
	began := time.Now()
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, 0, 0, err
	}
	defer response.Body.Close()
	if !ends { // it has begun: what comes of it comes when it happens
		return response.StatusCode, 0, time.Since(began), nil
	}
	n, err := io.Copy(io.Discard, response.Body)
	return response.StatusCode, int(n), time.Since(began), err
}

// settle waits until the server has done what its start left to do beside the day, such as to see
// what has become of the members of incidents, so that it does not count as work for a request.
func (sv *server) settle(ctx context.Context) error {
	const most, look = 2 * time.Minute, time.Second
	for began := time.Now(); time.Since(began) < most && ctx.Err() == nil; {
		before, err := cpuOf(sv.cmd.Process.Pid)
		if err != nil {
			return err
		}
		pause(ctx, look)
		after, err := cpuOf(sv.cmd.Process.Pid)
		if err != nil {
			return err
		}
		if after-before < look/20 {
			break
		}
	}
	return ctx.Err()
}
