package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/sim/model"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/recurrence"
)

// foresee plays 22 November 2026 of the jobs, which have existed since January.
func foresee(t *testing.T, jobs string, r engine.SimulationRequest, more ...func(*engine.SimulationSource)) (*engine.Foresight, error) {
	t.Helper()
	w, problems := spec.Decode("w.yaml", []byte("workflow: w\ndefaults: {startTime: \"2026-01-01T00:00:00Z\"}\njobs:\n"+jobs), spec.Options{})
	require.False(t, problems.HasErrors(), "%v", problems)
	planner, err := engine.NewPlanner(w.Jobs, func(*engine.Job) recurrence.Origin {
		return recurrence.Created(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	})
	require.NoError(t, err)
	source := engine.SimulationSource{Planner: planner, Slots: 4, Condition: spec.EvalWhen}
	for _, change := range more {
		change(&source)
	}
	r.Date = "2026-11-22"
	return engine.SimulateRequest(t.Context(), r, source, time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
}

// story is a line for each instance that is played: its name, state, start and end.
func story(f *engine.Foresight) string {
	var b strings.Builder
	for i := range f.Instances {
		x := &f.Instances[i].Instance
		clock := func(at time.Time) string {
			if at.IsZero() {
				return "-"
			}
			return at.Format("02 15:04")
		}
		fmt.Fprintf(&b, "%s@%s %s %s → %s\n", x.Ref.Job, x.PlanTime.Format("02 15:04"), x.State, clock(x.StartedAt), clock(x.EndedAt))
	}
	return b.String()
}

const shell = `action: {type: shell, command: "true"}`

func TestForeseenCriticalPathSaysWhereTheTimeWent(t *testing.T) {
	f, err := foresee(t, `
  early: {cron: "0 1 * * *", `+shell+`}
  late: {cron: "0 2 * * *", priority: 1, `+shell+`}
  rival: {cron: "0 2 * * *", priority: 9, `+shell+`}
  both: {cron: "0 2 * * *", deadline: PT2H, dependsOn: [early, late], `+shell+`}
`, engine.SimulationRequest{Durations: map[string]string{"early": "PT30M", "late": "PT1H", "rival": "PT40M", "both": "PT45M"}, Path: []string{"both"}},
		func(s *engine.SimulationSource) { s.Slots = 1 })
	require.NoError(t, err)
	require.Equal(t, `early@22 01:00 succeeded 22 01:00 → 22 01:30
rival@22 02:00 succeeded 22 02:00 → 22 02:40
late@22 02:00 succeeded 22 02:40 → 22 03:40
both@22 02:00 succeeded 22 03:40 → 22 04:25
`, story(f))
	require.Len(t, f.Paths, 1)
	late, both := f.Paths[0][0], f.Paths[0][1]
	require.Equal(t, "late", late.Instance.Ref.Job)
	require.Empty(t, late.Via)
	require.Equal(t, 40*time.Minute, late.Queued, "it only lacked a slot")
	require.Equal(t, engine.GateDependency, both.Via)
	require.Zero(t, both.Queued)

	x := f.Instances[3]
	require.True(t, x.Late)
	require.Equal(t, []engine.HeldBy{{Gate: engine.GateDependency, Took: 100 * time.Minute}}, x.Held)
	require.Equal(t, engine.GateDependency, x.Longest)
	require.Equal(t, []engine.GateTotal{
		{Gate: engine.GateDependency, Instances: 1, Total: 100 * time.Minute, Longest: 100 * time.Minute, Of: "w/both@2026-11-22T02:00:00Z"},
		{Gate: engine.GateSlot, Instances: 1, Total: 40 * time.Minute, Longest: 40 * time.Minute, Of: "w/late@2026-11-22T02:00:00Z"},
	}, f.Waiting)
	require.Equal(t, 1, f.Usage[0].Peak)
	require.Equal(t, (30+40+60+45)*time.Minute, f.Usage[0].Full)
	busy := 0.0
	for _, b := range f.Usage[0].Buckets {
		busy += b.Busy * f.Usage[0].Width.Minutes()
	}
	require.InDelta(t, 30+40+60+45, busy, 1e-6, "the buckets hold all the work")
}

func TestForeseenFailureNamesItsRoot(t *testing.T) {
	f, err := foresee(t, `
  load: {cron: "0 1 * * *", retryPolicy: {retryType: fixed, retryCount: 2, retryInterval: PT10M}, `+shell+`}
  clean: {cron: "0 2 * * *", dependsOn: [load], `+shell+`}
  report: {cron: "0 3 * * *", dependsOn: [clean], `+shell+`}
  told: {cron: "0 3 * * *", dependsOn: [{job: load, onFailed: cancel}], `+shell+`}
  patient: {cron: "0 3 * * *", dependsOn: [{job: load, timeout: PT2H}], `+shell+`}
`, engine.SimulationRequest{Fail: []string{"load@01:00"}})
	require.NoError(t, err)
	require.Equal(t, `load@22 01:00 failed 22 01:00 → 22 01:23
clean@22 02:00 waiting - → -
told@22 03:00 cancelled - → 22 03:00
patient@22 03:00 cancelled - → 22 05:00
report@22 03:00 waiting - → -
`, storyByPlan(f))
	for i := range f.Instances {
		if x := &f.Instances[i]; x.Open() {
			require.Equal(t, "w/load@2026-11-22T01:00:00Z", x.Root.Name)
			require.Equal(t, engine.Failed, x.Root.State)
		}
	}
}

// storyByPlan is the story with what never started among the rest.
func storyByPlan(f *engine.Foresight) string {
	lines := strings.SplitAfter(story(f), "\n")
	order := map[string]int{"load": 0, "clean": 1, "told": 2, "patient": 3, "report": 4}
	sorted := make([]string, len(order))
	for _, line := range lines[:len(lines)-1] {
		name, _, _ := strings.Cut(line, "@")
		sorted[order[name]] = line
	}
	return strings.Join(sorted, "")
}

func TestForeseenAssertions(t *testing.T) {
	jobs := `
  load: {cron: "0 1,13 * * *", ` + shell + `}
  report: {cron: "0 2 * * *", dependsOn: [{job: load, hours: [1]}], pool: db, slots: 2, ` + shell + `}
  weekly: {recurrence: {frequency: week, schedule: {weekDays: [monday], hours: [2]}}, ` + shell + `}
`
	request := engine.SimulationRequest{Durations: map[string]string{"load": "PT2H", "report": "PT30M", "weekly": "PT1M"}}
	for text, want := range map[string]string{
		"report done by 03:30":                        "",
		"report done by 03:29":                        "w/report@2026-11-22T02:00:00Z ends at 03:30:00, 1m0s late",
		"w/report@02:00 starts by 03:00":              "",
		"report starts by 02:59":                      "w/report@2026-11-22T02:00:00Z starts at 03:00:00, 1m0s late",
		"load done by 15:00":                          "",
		"load@01:00 done by 02:00":                    "w/load@2026-11-22T01:00:00Z ends at 03:00:00, 1h0m0s late",
		"load@2026-11-22T13:00 done by 00:00+1":       "",
		"* succeeds":                                  "",
		"report never waits longer than PT1H":         "",
		"report never waits longer than PT59M":        "w/report@2026-11-22T02:00:00Z waits 1h0m0s, most of it for what it depends on",
		"weekly succeeds":                             "no instance is due then",
		"slots below 2":                               "",
		"slots below 1":                               "1 at once",
		"pool db below 2":                             "",
		"pool db below 1":                             "1 at once",
		"load@2026-11-22T01:00:00Z done by 03:00":     "",
		"load@2026-11-22 13:00 done by 15:00":         "not understood",
		"report done by 25:00":                        "not understood",
		"report succeeds by 3":                        "not understood",
		"report never waits longer than 5 minutes":    "not understood",
		"pool nothing below 3":                        "not understood",
		"load@04:00 succeeds":                         "not understood",
		"report@01:00 done by 03:00 and nothing else": "not understood",
	} {
		request.Assert = []string{text}
		f, err := foresee(t, jobs, request)
		if want == "not understood" {
			require.ErrorIs(t, err, engine.ErrInvalid, text)
			continue
		}
		require.NoError(t, err, text)
		require.Equal(t, want == "", f.Holds(), text)
		require.Equal(t, want, strings.Join(f.Assertions[0].Why, "; "), text)
	}
}

// What is recorded of the day before counts as it ended; what has not ended, or is not known, is taken for satisfied and listed.
func TestForeseenDayBeforeCountsAsItIsRecorded(t *testing.T) {
	jobs := `
  load: {cron: "0 1 * * *", ` + shell + `}
  known: {cron: "0 2 * * *", dependsOn: [{job: load, cycle: previous}], ` + shell + `}
  either: {cron: "0 2 * * *", dependsOn: [{job: load, select: any, window: {from: -P1D, to: PT0S}}], ` + shell + `}
`
	for state, want := range map[engine.State]string{engine.Succeeded: "succeeded", engine.Failed: "waiting", engine.Waiting: "succeeded", "": "succeeded"} {
		f, err := foresee(t, jobs, engine.SimulationRequest{}, func(s *engine.SimulationSource) { s.Store = recordedLoad(t, state) })
		require.NoError(t, err)
		states := map[string]string{}
		for i := range f.Instances {
			states[f.Instances[i].Instance.Ref.Job] = string(f.Instances[i].Instance.State)
		}
		require.Equal(t, map[string]string{"load": "succeeded", "known": want, "either": "succeeded"}, states, "the day before was %s", state)
		require.Equal(t, state == engine.Waiting || state == "", len(f.Assumed) == 1, "the day before was %s", state)
	}
}

// recordedLoad is a store where the load of the day before stands in a state; "" is not there.
func recordedLoad(t *testing.T, state engine.State) engine.Store {
	db := model.New(func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) })
	at := time.Date(2026, 11, 21, 1, 0, 0, 0, time.UTC)
	require.NoError(t, db.Write(context.Background(), func(tx engine.Tx) error {
		if err := tx.PutJob(engine.JobRow{ID: 1, Ref: engine.JobRef{Workflow: "w", Job: "load"}, Version: 2}); err != nil || state == "" {
			return err
		}
		i := engine.Instance{ID: 3, Job: 1, Kind: engine.Scheduled, PlanTime: at, State: engine.Waiting, NotBefore: at, Priority: 5, Reason: engine.Reason{Code: engine.ReasonPlanned}}
		if _, err := tx.InsertInstances(func(yield func(*engine.Instance, []engine.Wait) bool) { yield(&i, nil) }); err != nil || state == engine.Waiting {
			return err
		}
		start := engine.Transition{Instance: 3, Event: engine.Start, From: engine.Waiting, At: at, Owner: "s", Reason: engine.Reason{Code: engine.ReasonReleased}}
		if _, err := tx.Apply(start); err != nil {
			return err
		}
		end := engine.Transition{Instance: 3, Event: engine.Succeed, From: engine.Running, Fence: 1, At: at.Add(40 * time.Minute), Reason: engine.Reason{Code: engine.ReasonSucceeded}}
		if state == engine.Failed {
			end.Event = engine.Fail
		}
		_, err := tx.Apply(end)
		return err
	}))
	return db
}

func TestForeseenDurations(t *testing.T) {
	jobs := `
  load: {cron: "0 1 * * *", ` + shell + `}
  given: {cron: "0 1 * * *", ` + shell + `}
  guessed: {cron: "0 1 * * *", ` + shell + `}
  instant: {cron: "0 1 * * *", action: {type: none}}
`
	f, err := foresee(t, jobs, engine.SimulationRequest{Default: "PT5M", Durations: map[string]string{"g*n": "PT7M", "given": "PT1H0.5S"}},
		func(s *engine.SimulationSource) { s.Store = recordedLoad(t, engine.Succeeded) })
	require.NoError(t, err)
	ref := func(job string) engine.JobRef { return engine.JobRef{Workflow: "w", Job: job} }
	require.Equal(t, []engine.JobDuration{
		{Ref: ref("given"), AssumedDuration: engine.AssumedDuration{Duration: time.Hour + 500*time.Millisecond, Source: engine.DurationGiven}},
		{Ref: ref("guessed"), AssumedDuration: engine.AssumedDuration{Duration: 5 * time.Minute, Source: engine.DurationDefault}},
		{Ref: ref("load"), AssumedDuration: engine.AssumedDuration{Duration: 40 * time.Minute, Source: engine.DurationHistory, Of: 1}},
	}, f.Durations)
}

// A backfill of two jobs runs beside the day: its instances wait for one another, and for slots.
func TestForeseenBackfill(t *testing.T) {
	old := func(hour int) time.Time { return time.Date(2026, 11, 10, hour, 0, 0, 0, time.UTC) }
	jobs := `
  load: {cron: "0 1 * * *", ` + shell + `}
  report: {cron: "0 2 * * *", dependsOn: [load], ` + shell + `}
`
	f, err := foresee(t, jobs, engine.SimulationRequest{
		Default: "PT50M", Backfill: []engine.BackfillRef{{Job: "w/report", PlanTime: old(2)}, {Job: "w/load", PlanTime: old(1)}},
	})
	require.NoError(t, err)
	require.Equal(t, `load@10 01:00 succeeded 22 00:00 → 22 00:50
report@10 02:00 succeeded 22 00:50 → 22 01:40
load@22 01:00 succeeded 22 01:00 → 22 01:50
report@22 02:00 succeeded 22 02:00 → 22 02:50
`, story(f))
	_, err = foresee(t, jobs, engine.SimulationRequest{Backfill: []engine.BackfillRef{{Job: "load", PlanTime: old(7)}}})
	require.ErrorContains(t, err, "are no plan times")
}

// The bound is of instances, and its error says so before anything is played.
func TestForeseenIsBounded(t *testing.T) {
	jobs := `  beat: {cron: "* * * * *", ` + shell + `}` + "\n"
	_, err := foresee(t, jobs, engine.SimulationRequest{}, func(s *engine.SimulationSource) { s.Most = 1000 })
	require.ErrorIs(t, err, engine.ErrTooMany)
	require.ErrorIs(t, err, engine.ErrInvalid)
	require.ErrorContains(t, err, "at most 1000 are played at once")
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = engine.Simulate(stopped, engine.Simulation{
		Planner: new(engine.Planner), Window: func(*engine.Job) (from, to time.Time) { return from, to }, Slots: 1,
	})
	require.NoError(t, err, "there is nothing to play")
}

// A day off the calendar is played as what it is: the instance is skipped, and satisfies what waits for it.
func TestForeseenDayOffTheCalendar(t *testing.T) {
	w, problems := spec.Decode("w.yaml", []byte(`
workflow: w
calendars: {work: {workDays: [mon, tue, wed, thu, fri]}}
jobs:
  load: {startTime: "2026-01-01T00:00:00Z", recurrence: {frequency: day, schedule: {hours: [1], minutes: [0]}}, calendar: work, `+shell+`}
  report: {cron: "0 2 * * *", dependsOn: [load], confirm: true, `+shell+`}
`), spec.Options{})
	require.False(t, problems.HasErrors(), "%v", problems)
	planner, err := engine.NewPlanner(w.Jobs, func(*engine.Job) recurrence.Origin { return recurrence.Created(time.Unix(0, 0)) })
	require.NoError(t, err)
	f, err := engine.SimulateRequest(t.Context(), engine.SimulationRequest{Date: "2026-11-22"}, engine.SimulationSource{Planner: planner, Slots: 1}, time.Now())
	require.NoError(t, err)
	require.Equal(t, "report@22 02:00 succeeded 22 02:00 → 22 02:01\nload@22 01:00 skipped - → 22 01:00\n", story(f))
}

// Instances that wait for one another never start, and say so with the path.
func TestForeseenCircle(t *testing.T) {
	f, err := foresee(t, `
  a: {cron: "0 1 * * *", dependsOn: [b], `+shell+`}
  b: {cron: "0 2 * * *", dependsOn: [a], `+shell+`}
`, engine.SimulationRequest{})
	require.NoError(t, err)
	for i := range f.Instances {
		x := &f.Instances[i]
		require.Equal(t, engine.Waiting, x.Instance.State)
		require.Equal(t, engine.ReasonCycle, x.Instance.Reason.Code)
		require.Contains(t, x.Instance.Reason.Detail, "w/a@2026-11-22T01:00:00Z")
	}
}
