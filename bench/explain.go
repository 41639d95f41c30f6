package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/store"
)

// benchExplain explains the worst instances of a day of 100,000: the end of a chain of 1,000 jobs, one that waits for 1,000 jobs, half of which run, one
// that waits for every minute of the day of 30 jobs, and the graph of 1,000 instances around one. Each job has a past from which its end is estimated.
func benchExplain(ctx context.Context, s setting) ([]figure, error) {
	db, err := store.Open(ctx, store.Config{Dir: s.dir, Clock: time.Now})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	now := time.Date(2026, 11, 20, 0, 30, 0, 0, time.UTC)
	e, err := engine.New(engine.Config{
		Store: db, Runner: noRunner{}, Owner: "bench", Slots: 1, Decode: spec.DecodeJob, Clock: func() time.Time { return now },
	})
	if err != nil {
		return nil, err
	}
	w, problems := spec.Decode("bench.yaml", []byte(tangledDay()), spec.Options{})
	if problems.HasErrors() {
		return nil, problems
	}
	if _, err := e.Load(ctx, []*engine.Workflow{w}, now); err != nil {
		return nil, err
	}
	if _, _, err := e.Step(ctx, now); err != nil {
		return nil, err
	}
	total, err := livenDay(ctx, db, now)
	if err != nil {
		return nil, err
	}
	var figures []figure
	for _, c := range []struct{ work, job string }{
		{"the end of a chain of 1,000 jobs", "chain-0999"},
		{"one that waits for 1,000 jobs, of which 500 run", "fan-end"},
		{"one that waits for each minute of the day of 30 jobs", "wide-end"},
	} {
		ref := engine.JobRef{Workflow: "bench", Job: c.job}
		at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
		var x engine.Explanation
		before, err := ownTime()
		if err != nil {
			return nil, err
		}
		took, err := median(s.n, func(int) (time.Duration, error) {
			began := time.Now()
			x, err = e.ExplainInstance(ctx, engine.ExplainRequest{Ref: ref, PlanTime: at}, now)
			return time.Since(began), err
		})
		if err != nil {
			return nil, err
		}
		after, err := ownTime()
		if err != nil {
			return nil, err
		}
		worked := float64((after - before).Microseconds()) / 1000 / float64(s.n)
		what := "the forecast complete"
		if x.Forecast.AtLeast {
			what = "the forecast a lower bound"
		}
		figures = append(figures, figure{
			work: fmt.Sprintf("explain %s, %d instances a day", c.work, total), bar: "≤ 50 ms",
			result: fmt.Sprintf("%.1f ms (%.1f ms of CPU), %d roots, %s", float64(took.Microseconds())/1000, worked, len(x.Roots), what), met: took <= 50*time.Millisecond,
		})
		if c.job != "fan-end" {
			continue
		}
		id := x.Instance.ID
		var g engine.Neighbourhood
		took, err = median(s.n, func(int) (time.Duration, error) {
			began := time.Now()
			g, err = e.Neighbourhood(ctx, engine.NeighbourRequest{ExplainRequest: engine.ExplainRequest{ID: id}, Up: 2, Down: 1}, now)
			return time.Since(began), err
		})
		if err != nil {
			return nil, err
		}
		figures = append(figures, figure{
			work: "the graph around it", bar: "≤ 200 ms", result: fmt.Sprintf("%.1f ms, %d nodes, %d edges", float64(took.Microseconds())/1000, len(g.Nodes), len(g.Edges)),
			met: took <= 200*time.Millisecond,
		})
	}
	return figures, nil
}

// ownTime is how long this process has worked, on all CPUs together.
func ownTime() (time.Duration, error) {
	var usage syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), err
}

// tangledDay are definitions of 100,000 instances a day.
func tangledDay() string {
	var b strings.Builder
	b.WriteString("workflow: bench\ndefaults: {startTime: \"2026-01-01T00:00:00Z\", action: {type: shell, command: \"true\"}}\njobs:\n")
	for n := range 1000 {
		fmt.Fprintf(&b, "  chain-%04d: {cron: \"0 12 * * *\"", n)
		if n > 0 {
			fmt.Fprintf(&b, ", dependsOn: [chain-%04d]", n-1)
		}
		b.WriteString("}\n")
	}
	var fan, wide []string
	for n := range 1000 {
		fan = append(fan, fmt.Sprintf("fan-%04d", n))
		fmt.Fprintf(&b, "  %s: {cron: \"0 1 * * *\"}\n", fan[n])
	}
	fmt.Fprintf(&b, "  fan-end: {cron: \"0 12 * * *\", dependsOn: [%s]}\n", strings.Join(fan, ", "))
	for n := range 30 {
		wide = append(wide, fmt.Sprintf("wide-%02d", n))
		fmt.Fprintf(&b, "  %s: {cron: \"* * * * *\"}\n", wide[n])
	}
	fmt.Fprintf(&b, "  wide-end: {cron: \"0 12 * * *\", dependsOn: [%s]}\n", strings.Join(wide, ", "))
	for n := range 600 {
		fmt.Fprintf(&b, "  other-%03d: {cron: \"*/15 * * * *\", dependsOn: [fan-%04d, chain-%04d]}\n", n, n, n)
	}
	return b.String()
}

// livenDay gives each daily job ten days of past, and starts half of the fan. It returns how many instances the day has.
func livenDay(ctx context.Context, db *store.DB, now time.Time) (total int, err error) {
	var jobs []engine.JobRow
	err = db.Read(ctx, func(v engine.View) (err error) {
		jobs, err = v.Jobs()
		return err
	})
	if err != nil {
		return 0, err
	}
	day := engine.RangeQuery{From: now.Add(-time.Hour), To: now.Add(23 * time.Hour), Limit: 2000}
	for part := range slices.Chunk(jobs, 200) {
		err := db.Write(ctx, func(tx engine.Tx) error {
			for _, job := range part {
				day.Job = job.ID
				n, err := tx.RangeCount(day)
				if err != nil {
					return err
				}
				total += n
				if n > 1 {
					continue
				}
				if err := givePast(tx, job, now); err != nil {
					return err
				}
				var k int
				if _, err := fmt.Sscanf(job.Ref.Job, "fan-%d", &k); err != nil || k%2 == 1 {
					continue
				}
				list, err := tx.Range(day)
				if err != nil {
					return err
				}
				start := engine.Transition{Instance: list[0].ID, Event: engine.Start, From: engine.Waiting, At: now, Owner: "other", Lease: now.Add(time.Hour)}
				if _, err := tx.Apply(start); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return total, nil
}

// givePast inserts ten past instances of a job that took ten minutes each.
func givePast(tx engine.Tx, job engine.JobRow, now time.Time) error {
	const days = 10
	first, err := tx.Reserve(days)
	if err != nil {
		return err
	}
	_, err = tx.InsertInstances(func(yield func(*engine.Instance, []engine.Wait) bool) {
		for n := range int64(days) {
			at := now.AddDate(0, 0, int(n)-days)
			i := engine.Instance{
				ID: first + n, Job: job.ID, Ref: job.Ref, Version: job.Version, Kind: engine.Scheduled, PlanTime: at, NotBefore: at,
				State: engine.Waiting, Gate: engine.GateTime, Reason: engine.Reason{Code: engine.ReasonPlanned}, Priority: 5,
			}
			if !yield(&i, nil) {
				return
			}
		}
	})
	for n := range int64(days) {
		at := now.AddDate(0, 0, int(n)-days)
		for _, t := range []engine.Transition{
			{Instance: first + n, Event: engine.Start, From: engine.Waiting, At: at, Owner: "bench", Lease: at.Add(time.Hour)},
			{Instance: first + n, Event: engine.Succeed, From: engine.Running, Fence: 1, At: at.Add(10 * time.Minute)},
		} {
			if err == nil {
				_, err = tx.Apply(t)
			}
		}
	}
	return err
}
