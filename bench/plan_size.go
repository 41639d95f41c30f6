package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/store"
)

// The bars of a plan of a million instances.
const (
	planWithin = 6 * time.Second
	planMemory = 150.0 // MB, of the server and of the client
	planFile   = 20.0  // MB
	planAfter  = 1.2   // of what the server took before
)

// benchPlanSize plans a backfill of -planned instances as a person does, by the command line and a
// server: of one job that is due each minute, and of a hundred that are due each hour and wait for
// each other. It says how long that takes, the peaks of memory of both processes, how long the file
// is, and what is left of the server's memory. The last plan is the worst one for the file: nothing
// is recorded of every other instance. Nobody serves that directory, so that one process is both.
func benchPlanSize(ctx context.Context, s setting) ([]figure, error) {
	end := time.Date(2026, 6, 30, 0, 0, 0, 0, time.UTC)
	var figures []figure
	for _, shape := range []struct {
		what         string
		jobs, perDay int
		job          func(i int) string
	}{
		{"one job", 1, 24 * 60, func(int) string { return `{cron: "* * * * *"}` }},
		{"100 jobs in chains of ten", 100, 24, func(i int) string {
			if i%10 == 0 {
				return fmt.Sprintf(`{cron: "%d * * * *"}`, i%60)
			}
			return fmt.Sprintf(`{cron: "%d * * * *", dependsOn: [j%04d]}`, i%60, i-1)
		}},
	} {
		folder := filepath.Join(s.dir, fmt.Sprint("jobs", shape.jobs))
		if err := writeJobs(folder, shape.jobs, `{startTime: "2010-01-01T00:00:00Z", action: {type: none}}`, shape.job); err != nil {
			return nil, err
		}
		data := filepath.Join(s.dir, fmt.Sprint("data", shape.jobs))
		sv, _, err := s.serve(ctx, folder, data, "--quiet")
		if err != nil {
			return nil, err
		}
		days := (s.planned + shape.jobs*shape.perDay - 1) / (shape.jobs * shape.perDay)
		some, err := s.planBeside(ctx, sv, shape.what, shape.jobs, end.AddDate(0, 0, 1-days), end)
		sv.stop()
		if err != nil {
			return nil, err
		}
		figures = append(figures, some...)
	}
	more, err := s.planExceptions(ctx, end)
	return append(figures, more...), err
}

// planBeside plans by a server, and measures both processes.
func (s setting) planBeside(ctx context.Context, sv *server, what string, jobs int, from, to time.Time) ([]figure, error) {
	pause(ctx, 5*time.Second) // what the start has taken goes back to the system
	pid := sv.cmd.Process.Pid
	before, err := rssOf(pid)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0o600); err != nil { // the peak begins anew
		return nil, err
	}
	var names []string
	for i := range jobs {
		names = append(names, fmt.Sprintf("bench/j%04d", i))
	}
	p, err := s.planByHand(ctx, sv.data, names, from, to)
	if err != nil {
		return nil, err
	}
	peak, err := memoryOf(pid, "VmHWM:")
	if err != nil {
		return nil, err
	}
	pause(ctx, 3*time.Second)
	after, err := rssOf(pid)
	if err != nil {
		return nil, err
	}
	mb := func(n float64) string { return fmt.Sprintf("%.0f MB", n) }
	return []figure{
		{fmt.Sprintf("a plan of %s of %s, by the command line", p.instances, what), fmt.Sprintf("%.1f s", p.took.Seconds()), "≤ 6 s", p.took <= planWithin},
		{"peak of memory meanwhile: server, client", mb(peak) + ", " + mb(p.peak), "≤ 150 MB", peak <= planMemory && p.peak <= planMemory},
		{"the file", fmt.Sprintf("%.3f MB", p.file), "≤ 20 MB", p.file <= planFile},
		{"memory of the server before and after", fmt.Sprintf("%s, %s: %.2f ×", mb(before), mb(after), after/before), "≤ 1.2 ×", after <= planAfter*before},
	}, nil
}

// A plannedOnce is what the command line did.
type plannedOnce struct {
	instances  string
	took       time.Duration
	peak, file float64 // MB
}

// planByHand runs `almanac backfill plan` and looks at its memory until it ends.
func (s setting) planByHand(ctx context.Context, data string, jobs []string, from, to time.Time) (p plannedOnce, err error) {
	file := filepath.Join(s.dir, "plan.json")
	args := append([]string{"backfill", "plan"}, jobs...)
	c := exec.CommandContext(ctx, s.bin, append(args,
		"--data", data, "--from", from.Format(time.DateOnly), "--to", to.Format(time.DateOnly), "-o", file)...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	began := time.Now()
	if err := c.Start(); err != nil {
		return p, err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for running := true; running; {
		select {
		case err = <-ended:
			running = false
		case <-time.After(5 * time.Millisecond):
			if mb, err := memoryOf(c.Process.Pid, "VmHWM:"); err == nil {
				p.peak = max(p.peak, mb)
			}
		}
	}
	if p.took = time.Since(began); err != nil {
		return p, fmt.Errorf("almanac backfill plan: %w\n%s", err, tail(out.Bytes()))
	}
	for line := range strings.Lines(out.String()) {
		if _, rest, ok := strings.Cut(line, "  "); ok && strings.HasPrefix(line, "bf-") {
			p.instances = strings.TrimSpace(rest)
		}
	}
	info, err := os.Stat(file)
	if err == nil {
		p.file = float64(info.Size()) / 1e6
	}
	return p, err
}

// planExceptions plans where every other instance is recorded already.
func (s setting) planExceptions(ctx context.Context, end time.Time) ([]figure, error) {
	data := filepath.Join(s.dir, "exceptions")
	days := (s.planned + 24*60 - 1) / (24 * 60)
	from := end.AddDate(0, 0, 1-days)
	if err := recordEveryOther(ctx, data, from, s.planned/2); err != nil {
		return nil, err
	}
	p, err := s.planByHand(ctx, data, []string{"bench/minute"}, from, end)
	if err != nil {
		return nil, err
	}
	return []figure{
		{fmt.Sprintf("a plan of %s, without a server", p.instances), fmt.Sprintf("%.1f s", p.took.Seconds()), "≤ 6 s", p.took <= planWithin},
		{"peak of memory of the process", fmt.Sprintf("%.0f MB", p.peak), "≤ 150 MB", p.peak <= planMemory},
		{"the file", fmt.Sprintf("%.3f MB", p.file), "≤ 20 MB", p.file <= planFile},
	}, nil
}

// recordEveryOther records n instances of a job that is due each minute, with a minute without one
// behind each.
func recordEveryOther(ctx context.Context, data string, from time.Time, n int) error {
	w, problems := spec.Decode("bench.yaml", []byte(`workflow: bench
defaults: {startTime: "2010-01-01T00:00:00Z", action: {type: none}}
jobs:
  minute: {cron: "* * * * *"}
`), spec.Options{})
	if err := problems.Err(); err != nil {
		return err
	}
	db, err := store.Open(ctx, store.Config{Dir: data, Clock: time.Now})
	if err != nil {
		return err
	}
	defer db.Close()
	e, err := engine.New(engine.Config{Store: db, Runner: noRunner{}, Owner: "bench", Slots: 8, Decode: spec.DecodeJob, Condition: spec.EvalWhen, Retention: -1})
	if err != nil {
		return err
	}
	if _, err := e.Load(ctx, []*engine.Workflow{w}, time.Now()); err != nil {
		return err
	}
	return db.Write(ctx, func(tx engine.Tx) error {
		job, err := tx.JobByRef(engine.JobRef{Workflow: "bench", Job: "minute"})
		if err != nil {
			return err
		}
		first, err := tx.Reserve(n)
		if err != nil {
			return err
		}
		_, err = tx.InsertInstances(func(yield func(*engine.Instance, []engine.Wait) bool) {
			for k := range n {
				i := engine.Instance{
					ID: first + int64(k), Job: job.ID, Ref: job.Ref, Version: job.Version, Kind: engine.Scheduled, State: engine.Waiting,
					PlanTime: from.Add(time.Duration(2*k) * time.Minute), Reason: engine.Reason{Code: engine.ReasonPlanned},
				}
				if !yield(&i, nil) {
					return
				}
			}
		})
		return err
	})
}
