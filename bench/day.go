package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sched/almanac/deps"
	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/recurrence"
	"github.com/almanac-sched/almanac/store"
)

// benchNext measures the next occurrence of one rule of each kind, in a zone with daylight saving, from an anchor a hundred years old.
func benchNext(context.Context, setting) ([]figure, error) {
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		return nil, err
	}
	anchor := time.Date(1926, 3, 31, 12, 25, 0, 0, newYork)
	rule := func(f recurrence.Frequency, interval int, s recurrence.Schedule) recurrence.When {
		return recurrence.When{Rule: &recurrence.Rule{Frequency: f, Interval: interval, Schedule: s}, Start: anchor, Location: newYork}
	}
	whens := []recurrence.When{
		rule(recurrence.Minute, 7, recurrence.Schedule{}),
		rule(recurrence.Hour, 5, recurrence.Schedule{Minutes: []int{15, 45}}),
		rule(recurrence.Day, 3, recurrence.Schedule{Hours: []int{2, 5, 15}}),
		rule(recurrence.Week, 2, recurrence.Schedule{WeekDays: []time.Weekday{time.Monday, time.Friday}, Hours: []int{2}}),
		rule(recurrence.Month, 1, recurrence.Schedule{MonthDays: []int{31, -1}}),
		rule(recurrence.Month, 1, recurrence.Schedule{MonthlyOccurrences: []recurrence.MonthlyOccurrence{{Day: time.Friday, Occurrence: 5}}}),
		rule(recurrence.Year, 1, recurrence.Schedule{}),
		{Cron: "30 2 29 2 *", Location: newYork},
		{Cron: "*/15 * * * *", Location: newYork},
	}
	worst, allocs, slowest := 0.0, int64(0), ""
	for _, w := range whens {
		t, err := w.Compile(recurrence.Created(anchor))
		if err != nil {
			return nil, err
		}
		from := time.Date(2026, 3, 8, 1, 59, 0, 0, newYork)
		r := testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			at := from
			for b.Loop() {
				next, ok := t.Next(at)
				if !ok {
					next = from
				}
				at = next
				if at.Year() > 2050 {
					at = from
				}
			}
		})
		ns := float64(r.T.Nanoseconds()) / float64(r.N)
		if ns > worst {
			worst, slowest = ns, w.String()
		}
		allocs = max(allocs, r.AllocsPerOp())
	}
	return []figure{{
		work: fmt.Sprintf("`Next`, the slowest of %d rules (%s)", len(whens), slowest), bar: "≤ 1 µs, 0 allocations",
		result: fmt.Sprintf("%.0f ns, %d allocations", worst, allocs), met: worst <= 1000 && allocs == 0,
	}}, nil
}

// day makes 10,000 jobs of mixed periods with 1,000,000 instances a day, 1.5 dependencies each on average.
func day(jobs int) ([]*engine.Job, error) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		return nil, err
	}
	// Of ten jobs: two each quarter of an hour, one each 2 minutes, four hourly, two at discrete hours, one daily.
	kinds := []struct {
		rule   recurrence.Rule
		period deps.Period
	}{
		{recurrence.Rule{Frequency: recurrence.Minute, Interval: 15}, deps.Period{Class: deps.Minute, Every: 15 * time.Minute}},
		{recurrence.Rule{Frequency: recurrence.Minute, Interval: 2}, deps.Period{Class: deps.Minute, Every: 2 * time.Minute}},
		{recurrence.Rule{Frequency: recurrence.Hour}, deps.Period{Class: deps.Hour, Every: time.Hour}},
		{recurrence.Rule{Frequency: recurrence.Hour}, deps.Period{Class: deps.Hour, Every: time.Hour}},
		{recurrence.Rule{Frequency: recurrence.Day, Schedule: recurrence.Schedule{Hours: []int{2, 5, 15}, Minutes: []int{0}}}, deps.Period{Class: deps.Discrete, Every: 3 * time.Hour}},
		{recurrence.Rule{Frequency: recurrence.Minute, Interval: 15}, deps.Period{Class: deps.Minute, Every: 15 * time.Minute}},
		{recurrence.Rule{Frequency: recurrence.Hour}, deps.Period{Class: deps.Hour, Every: time.Hour}},
		{recurrence.Rule{Frequency: recurrence.Day, Schedule: recurrence.Schedule{Hours: []int{3, 6, 8}, Minutes: []int{30}}}, deps.Period{Class: deps.Discrete, Every: 2 * time.Hour}},
		{recurrence.Rule{Frequency: recurrence.Hour}, deps.Period{Class: deps.Hour, Every: time.Hour}},
		{recurrence.Rule{Frequency: recurrence.Day, Schedule: recurrence.Schedule{Hours: []int{12}, Minutes: []int{0}}}, deps.Period{Class: deps.Day, Every: 24 * time.Hour}},
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, zone)
	all := make([]*engine.Job, jobs)
	for i := range all {
		k := kinds[i%len(kinds)]
		rule := k.rule
		j := &engine.Job{
			Workflow: "bench", Name: fmt.Sprintf("j%05d", i), When: recurrence.When{Rule: &rule, Start: start, Location: zone}, Period: k.period,
			Concurrency: 1, Overlap: engine.OverlapQueue, Misfire: engine.MisfireRunAll, MisfireWindow: 24 * time.Hour, WaitTimeout: 60 * 24 * time.Hour,
			Priority: 5, Slots: 1, OnLost: engine.LostRetry, Steps: []engine.Step{{Action: engine.Action{Type: engine.ActionNone}, OnFailure: engine.StepFail}},
		}
		for d := 1; d <= 1+i%2; d++ {
			if up := i - d; i%len(kinds) >= d {
				j.DependsOn = append(j.DependsOn, engine.Dependency{
					Job: engine.JobRef{Workflow: "bench", Job: fmt.Sprintf("j%05d", up)}, OnMissing: engine.MissingRun, OnFailed: engine.FailedWait,
				})
			}
		}
		all[i] = j
	}
	return all, nil
}

func planDay(jobs []*engine.Job) (*engine.Planner, func() (engine.Plan, error), error) {
	planner, err := engine.NewPlanner(jobs, func(j *engine.Job) recurrence.Origin { return recurrence.Created(j.When.Start) })
	if err != nil {
		return nil, nil, err
	}
	zone := jobs[0].When.Location
	from := recurrence.DayStart(recurrence.Date{Year: 2026, Month: time.November, Day: 20}, zone)
	to := recurrence.DayStart(recurrence.Date{Year: 2026, Month: time.November, Day: 21}, zone)
	return planner, func() (engine.Plan, error) {
		return planner.Plan(func(*engine.Job) (time.Time, time.Time) { return from, to })
	}, nil
}

func benchPlan(_ context.Context, s setting) ([]figure, error) {
	jobs, err := day(10_000)
	if err != nil {
		return nil, err
	}
	var instances, waits int
	var perInstance float64
	took, err := median(s.n, func(int) (time.Duration, error) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		_, plan, err := planDay(jobs)
		if err != nil {
			return 0, err
		}
		began := time.Now()
		p, err := plan()
		took := time.Since(began)
		runtime.GC()
		runtime.ReadMemStats(&after)
		instances, waits = p.Instances(), 0
		for i := range p.Jobs {
			waits += len(p.Jobs[i].Times) * len(p.Jobs[i].Dependencies)
		}
		perInstance = float64(after.HeapAlloc-before.HeapAlloc) / float64(instances)
		runtime.KeepAlive(&p)
		return took, err
	})
	if err != nil {
		return nil, err
	}
	return []figure{{
		work: fmt.Sprintf("plan and bind a day of %d instances, %d dependencies, 10,000 jobs, in memory", instances, waits), bar: "≤ 2 s, ≤ 300 bytes an instance",
		result: fmt.Sprintf("%.2f s, %.0f bytes an instance", took.Seconds(), perInstance),
		met:    took.Seconds()/float64(instances)*1e6 <= 2 && perInstance <= 300,
	}}, nil
}

// benchInsert writes the plan of the day into a new database.
func benchInsert(ctx context.Context, s setting) ([]figure, error) {
	jobs, err := day(10_000)
	if err != nil {
		return nil, err
	}
	_, plan, err := planDay(jobs)
	if err != nil {
		return nil, err
	}
	p, err := plan()
	if err != nil {
		return nil, err
	}
	rate, err := median(max(1, s.n/2), func(i int) (float64, error) {
		db, err := store.Open(ctx, store.Config{Dir: filepath.Join(s.dir, fmt.Sprint(i)), Clock: time.Now})
		if err != nil {
			return 0, err
		}
		defer db.Close()
		ids, err := putJobs(ctx, db, jobs)
		if err != nil {
			return 0, err
		}
		began := time.Now()
		var n int
		err = db.Write(ctx, func(tx engine.Tx) error {
			first, err := tx.Reserve(p.Instances())
			if err != nil {
				return err
			}
			n, err = tx.InsertInstances(p.Rows(first, ids))
			return err
		})
		return float64(n) / time.Since(began).Seconds(), err
	})
	if err != nil {
		return nil, err
	}
	return []figure{{
		work: fmt.Sprintf("the same day's plan into SQLite, %d instances", p.Instances()), bar: "≥ 60,000 instances a second",
		result: fmt.Sprintf("%.0f a second", rate), met: rate >= 60_000,
	}}, nil
}

// putJobs records the jobs and returns their row ids.
func putJobs(ctx context.Context, db *store.DB, jobs []*engine.Job) (func(engine.JobRef) (int64, int64), error) {
	ids := map[engine.JobRef]int64{}
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	err := db.Write(ctx, func(tx engine.Tx) error {
		first, err := tx.Reserve(2 * len(jobs))
		if err != nil {
			return err
		}
		for i, j := range jobs {
			id := first + int64(2*i)
			ids[j.Ref()] = id
			if err := tx.PutJob(engine.JobRow{ID: id, Ref: j.Ref(), Version: id + 1, CreatedAt: now}); err != nil {
				return err
			}
			if err := tx.PutVersion(engine.VersionRow{ID: id + 1, Job: id, Definition: []byte("{}"), CreatedAt: now}); err != nil {
				return err
			}
		}
		return nil
	})
	return func(ref engine.JobRef) (int64, int64) { return ids[ref], ids[ref] + 1 }, err
}

// benchNone runs 100,000 instances in layers, each of type none, from plan to the last outcome.
func benchNone(ctx context.Context, s setting) ([]figure, error) {
	const layers, width = 100, 100
	at := time.Date(2026, 8, 3, 0, 0, 0, 0, time.UTC)
	// Each job has ten instances that day and waits for two jobs of the layer before.
	var text strings.Builder
	text.WriteString("workflow: bench\ndefaults: {action: {type: none}, concurrency: 10}\njobs:\n")
	for layer := range layers {
		for i := range width {
			fmt.Fprintf(&text, "  l%03d-%02d: {cron: \"0 0-9 * * *\"", layer, i)
			if layer > 0 {
				fmt.Fprintf(&text, ", dependsOn: [l%03d-%02d, l%03d-%02d]", layer-1, i, layer-1, (i+1)%width)
			}
			text.WriteString("}\n")
		}
	}
	w, problems := spec.Decode("bench.yaml", []byte(text.String()), spec.Options{})
	if problems.HasErrors() {
		return nil, problems
	}
	planner, err := engine.NewPlanner(w.Jobs, func(*engine.Job) recurrence.Origin { return recurrence.Anchored(at) })
	if err != nil {
		return nil, err
	}
	n := 0
	rate, err := median(max(1, s.n/2), func(i int) (float64, error) {
		db, err := store.Open(ctx, store.Config{Dir: filepath.Join(s.dir, fmt.Sprint(i)), Clock: time.Now})
		if err != nil {
			return 0, err
		}
		defer db.Close()
		ended := 0
		e, err := engine.New(engine.Config{
			Store: db, Runner: noRunner{}, Owner: "bench", Slots: 4, Decode: spec.DecodeJob, Closed: true, Unclocked: true,
			Observe: func(n engine.Notice) {
				if n.From == engine.Running {
					ended++
				}
			},
		})
		if err != nil {
			return 0, err
		}
		if _, err := e.Load(ctx, []*engine.Workflow{w}, at); err != nil {
			return 0, err
		}
		closed, err := e.InsertClosed(ctx, planner, func(*engine.Job) (time.Time, time.Time) { return at, at.AddDate(0, 0, 1) }, at)
		if err != nil {
			return 0, err
		}
		n = closed.Inserted
		began := time.Now()
		if err := e.Run(ctx); err != nil {
			return 0, err
		}
		if ended != n {
			return 0, fmt.Errorf("%d of %d instances ended", ended, n)
		}
		return float64(n) / time.Since(began).Seconds(), nil
	})
	if err != nil {
		return nil, err
	}
	return []figure{{
		work: fmt.Sprintf("`none` actions end to end, %d instances in 100 layers", n), bar: "≥ 5,000 a second",
		result: fmt.Sprintf("%.0f a second", rate), met: rate >= 5000,
	}}, nil
}

type noRunner struct{}

func (noRunner) Start(engine.Attempt, func(engine.Result))                         {}
func (noRunner) Cancel(int64)                                                      {}
func (noRunner) Renew([]int64, time.Time)                                          {}
func (noRunner) Adopt(a []int64, _ func(engine.Result)) (unknown, unbegun []int64) { return a, nil }
