package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

// Every critical path at once is what each is when it is asked for alone.
func TestForeseenCriticalPathsOfAll(t *testing.T) {
	f, err := foresee(t, `
  queue: {cron: "0,10,20 1 * * *", `+shell+`}
  load: {cron: "30 1 * * *", `+shell+`}
  joined: {cron: "30 1 * * *", dependsOn: [queue, load], `+shell+`}
  broken: {cron: "0 5 * * *", `+shell+`}
  never: {cron: "0 5 * * *", dependsOn: [broken], `+shell+`}
`, engine.SimulationRequest{Durations: map[string]string{"queue": "PT25M", "load": "PT2M", "joined": "PT1M"}, Fail: []string{"broken"}})
	require.NoError(t, err)
	before, whole := f.Before(1000)
	require.True(t, whole)
	require.Len(t, before, len(f.Instances))
	name := func(i int) string {
		if i < 0 {
			return ""
		}
		x := &f.Instances[i].Instance
		return x.Ref.Job + " " + x.PlanTime.Format("15:04")
	}
	found := map[string]string{}
	for i, b := range before {
		found[name(i)] = name(b)
		path := f.CriticalPath(&f.Instances[i])
		if len(path) == 0 { // it never started
			continue
		}
		at := i
		for n := len(path) - 1; n >= 0; n-- {
			require.Equal(t, path[n].Instance.Name(), f.Instances[at].Instance.Name())
			at = before[at]
		}
		require.Equal(t, -1, at, name(i))
	}
	require.Equal(t, map[string]string{
		"queue 01:00": "", "queue 01:10": "queue 01:00", "queue 01:20": "queue 01:10", "load 01:30": "", "joined 01:30": "queue 01:20", "broken 05:00": "", "never 05:00": "",
	}, found)

	cut, whole := f.Before(0)
	require.False(t, whole)
	for _, b := range cut {
		require.Equal(t, -1, b)
	}
}
