package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/recurrence"
)

var actionTypes = []string{
	engine.ActionShell, engine.ActionHTTP, engine.ActionHTTPS, engine.ActionStorageQueue,
	engine.ActionServiceBusQueue, engine.ActionServiceBusTopic, engine.ActionSQL, engine.ActionWait,
	engine.ActionJob, engine.ActionNone,
}

// foreseeAction plays a day of jobs whose actions are all of one type.
func foreseeAction(t *testing.T, action, jobs string, timeout time.Duration, r engine.SimulationRequest) *engine.Foresight {
	t.Helper()
	text := "workflow: w\ndefaults: {startTime: \"2026-01-01T00:00:00Z\"}\njobs:\n" + jobs
	w, problems := spec.Decode("w.yaml", []byte(text), spec.Options{})
	require.False(t, problems.HasErrors(), "%v", problems)
	for _, j := range w.Jobs {
		for n := range j.Steps {
			a := &j.Steps[n].Action
			*a = engine.Action{Type: action, Timeout: timeout, Retry: a.Retry}
		}
	}
	planner, err := engine.NewPlanner(w.Jobs, func(*engine.Job) recurrence.Origin {
		return recurrence.Created(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	})
	require.NoError(t, err)
	r.Date = "2026-11-22"
	source := engine.SimulationSource{Planner: planner, Slots: 4, Condition: spec.EvalWhen}
	f, err := engine.SimulateRequest(t.Context(), r, source, time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
	require.NoError(t, err, action)
	return f
}

// Whatever a job does, a simulation has it fail, take its time and be late as it is told.
func TestForeseenWhateverTheActionIs(t *testing.T) {
	const retry = "retryPolicy: {retryType: fixed, retryCount: 1, retryInterval: PT10M}, "
	one := "  j: {cron: \"0 6 * * *\", %s" + shell + "}\n"
	chain := "  j: {cron: \"0 6 * * *\", %ssteps: {a: {type: shell, command: \"true\"}, " +
		"b: {needs: [a], type: shell, command: \"true\"}}}\n"
	hour := map[string]string{"j": "PT1H"}
	for _, c := range []struct {
		jobs    string
		timeout time.Duration
		request engine.SimulationRequest
		want    string
	}{
		{fmt.Sprintf(one, ""), 0, engine.SimulationRequest{Durations: hour}, "succeeded 22 06:00 → 22 07:00"},
		{fmt.Sprintf(one, ""), 0, engine.SimulationRequest{Durations: hour, Delay: []string{"j=PT30M"}},
			"succeeded 22 06:00 → 22 07:30"},
		{fmt.Sprintf(one, ""), 0, engine.SimulationRequest{Durations: hour, Fail: []string{"j"}},
			"failed 22 06:00 → 22 07:00"},
		{fmt.Sprintf(one, ""), time.Minute, engine.SimulationRequest{Durations: hour}, "failed 22 06:00 → 22 06:01"},
		{fmt.Sprintf(one, ""), 90 * time.Minute, engine.SimulationRequest{Durations: hour, Delay: []string{"j@06:00=PT2H"}},
			"failed 22 06:00 → 22 07:30"},
		{fmt.Sprintf(one, retry), 0, engine.SimulationRequest{Durations: hour, Fail: []string{"j@06:00=1"}},
			"succeeded 22 06:00 → 22 08:10"},
		{fmt.Sprintf(one, retry), time.Minute, engine.SimulationRequest{Durations: hour}, "failed 22 06:00 → 22 06:12"},
		{fmt.Sprintf(chain, ""), 0, engine.SimulationRequest{Durations: hour}, "succeeded 22 06:00 → 22 07:00"},
		{fmt.Sprintf(chain, ""), 0, engine.SimulationRequest{Durations: hour, Fail: []string{"j"}},
			"failed 22 06:00 → 22 06:30"},
	} {
		for _, action := range actionTypes {
			f := foreseeAction(t, action, c.jobs, c.timeout, c.request)
			require.Equal(t, "j@22 06:00 "+c.want+"\n", story(f), "%s: %s %v", action, c.jobs, c.request)
		}
	}
}

// One that gives way to the next of its job ends then, and nothing of it is left.
func TestForeseenGivingWayWhateverTheActionIs(t *testing.T) {
	jobs := "  j: {cron: \"0 6,7 * * *\", overlap: cancelRunning, " + shell + "}\n"
	for _, action := range actionTypes {
		f := foreseeAction(t, action, jobs, 0, engine.SimulationRequest{Durations: map[string]string{"j": "PT3H"}})
		require.Equal(t, "j@22 06:00 cancelled 22 06:00 → 22 07:00\nj@22 07:00 succeeded 22 07:00 → 22 10:00\n",
			story(f), action)
		require.Equal(t, "2026-11-22 10:00", f.Last.Format("2006-01-02 15:04"), action)
	}
}

// A job that does nothing takes no time, and holds no slot, but where it is told to.
func TestForeseenNothingTakesTimeOnlyWhenToldTo(t *testing.T) {
	jobs := "  j: {cron: \"0 6,9 * * *\", " + shell + "}\n"
	f := foreseeAction(t, engine.ActionNone, jobs, 0, engine.SimulationRequest{Default: "PT1H"})
	require.Equal(t, "j@22 06:00 succeeded 22 06:00 → 22 06:00\nj@22 09:00 succeeded 22 09:00 → 22 09:00\n", story(f))
	require.Empty(t, f.Durations)
	f = foreseeAction(t, engine.ActionNone, jobs, 0, engine.SimulationRequest{Default: "PT1H", Delay: []string{"j@06:00=PT5M"}})
	require.Equal(t, "j@22 06:00 succeeded 22 06:00 → 22 06:05\nj@22 09:00 succeeded 22 09:00 → 22 09:00\n", story(f))
	f = foreseeAction(t, engine.ActionNone, jobs, 0, engine.SimulationRequest{Durations: map[string]string{"j": "PT5M"}})
	require.Equal(t, "j@22 06:00 succeeded 22 06:00 → 22 06:05\nj@22 09:00 succeeded 22 09:00 → 22 09:05\n", story(f))
	require.Len(t, f.Durations, 1)
	require.Zero(t, f.Usage[0].Peak)
}

// What waits for ever waits longer than any bound, and starts and ends by none.
func TestForeseenWaitWithoutAnEndKeepsNoAssertion(t *testing.T) {
	f, err := foresee(t, `
  a: {cron: "0 1 * * *", `+shell+`}
  b: {cron: "0 2 * * *", deadline: PT1H, dependsOn: [a], `+shell+`}
  c: {cron: "0 3 * * *", selfDependency: true, dependsOn: [b], `+shell+`}
`, engine.SimulationRequest{Fail: []string{"a"}, Assert: []string{
		"b never waits longer than PT30M", "c never waits longer than PT99H", "b starts by 23:00", "b done by 23:00",
		"b succeeds", "a never waits longer than PT0S",
	}})
	require.NoError(t, err)
	for n, want := range []string{
		"w/b@2026-11-22T02:00:00Z waits for ever, for what it depends on: ",
		"w/c@2026-11-22T03:00:00Z waits for ever, for what it depends on: ",
		"w/b@2026-11-22T02:00:00Z never starts: ", "w/b@2026-11-22T02:00:00Z never ends: ",
		"w/b@2026-11-22T02:00:00Z never ends: ", "",
	} {
		v := f.Assertions[n]
		require.Equal(t, want == "", v.Holds, v.Text)
		if want != "" {
			require.Contains(t, v.Why[0], want, v.Text)
		}
	}
	for i := range f.Instances {
		x := &f.Instances[i]
		require.Equal(t, x.Instance.Ref.Job != "a", x.ForEver())
		if x.ForEver() {
			require.Equal(t, engine.GateDependency, x.Longest)
		}
	}
}
