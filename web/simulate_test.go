package web_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/web"
)

func TestSimulateAnswersWithADayOrWithEveryMistake(t *testing.T) {
	f := newFixture(t)
	w := f.as("operator", http.MethodPost, "/api/v1/simulate", `{"date": "2026-11-22", "limit": 1, "slots": 1, "durations": {"retail/*": "PT2M"}, "assert": ["slots below 1"]}`)
	require.Equal(t, 200, w.Code, w.Body)
	var day web.Simulation
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &day))
	require.Len(t, day.Instances, 1)
	require.Equal(t, day.Counts.Instances-1, day.More)
	require.Equal(t, day.Counts.Instances, day.Counts.Succeeded)
	require.False(t, day.Holds)
	require.Equal(t, []string{"1 at once"}, day.Assertions[0].Why)

	w = f.as("operator", http.MethodPost, "/api/v1/simulate", `{"date": "2026-11-22", "pools": {"none": 1}, "fail": ["nothing"], "delay": ["retail/orders=soon"], "assert": ["it is fine"]}`)
	var problem web.Problem
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &problem))
	refused(f, w, 422, "invalid")
	require.Len(t, problem.Errors, 4)

	refused(f, f.as("operator", http.MethodPost, "/api/v1/simulate", `{"days": 32}`), 422, "invalid")
	refused(f, f.as("operator", http.MethodPost, "/api/v1/simulate", `{"day": "2026-11-22"}`), 422, "invalid")
}
