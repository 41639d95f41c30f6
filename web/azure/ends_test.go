package azure_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An end that leaves nothing to run is no mistake: a PUT of an old definition must not fail (`azure-scheduler.md` §9.7, §9.8). The job is completed
// at once, without running.
func TestEndsThatLeaveNothing(t *testing.T) {
	for _, c := range []struct {
		name, times, recurrence string
		runs                    int
	}{
		{"an end that has just passed, before the start", `"startTime": "2026-08-03T02:00:00Z", `, `"frequency": "hour", "endTime": "2026-08-03T00:29:59Z"`, 0},
		{"an end in the past, with a start to come", `"startTime": "2026-08-03T02:00:00Z", `, `"frequency": "hour", "endTime": "2020-10-10T10:10:10Z"`, 0},
		{"an end in the past, before a start in the past", `"startTime": "2026-01-01", `, `"frequency": "day", "endTime": "2025-01-01"`, 0},
		{"an end in the past, after a start in the past", `"startTime": "2026-01-01", `, `"frequency": "day", "endTime": "2026-02-01"`, 0},
		{"an end in the past, and no start", ``, `"frequency": "hour", "endTime": "2026-08-03T00:29:59Z"`, 0},
		{"an end in the past, with a schedule", `"startTime": "2026-01-01", `, `"frequency": "week", "endTime": "2026-02-01", "schedule": {"weekDays": ["monday"]}`, 0},
		{"a date, which is the beginning of its day", `"startTime": "2026-08-03T02:00:00Z", `, `"frequency": "hour", "endTime": "2026-08-03"`, 0},
		{"an end in the past and a count", `"startTime": "2026-08-03T02:00:00Z", `, `"frequency": "hour", "count": 5, "endTime": "2026-01-01"`, 0},
		{"an end at the start", `"startTime": "2026-08-03T02:00:00Z", `, `"frequency": "hour", "endTime": "2026-08-03T02:00:00Z"`, 1},
		{"an end at the start, with an offset", `"startTime": "2026-08-03T10:00:00+08:00", `, `"frequency": "hour", "endTime": "2026-08-03T02:00"`, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, s := newDesk(t), newSink(t)
			d.must(201, "PUT", at("jc1"), standard)
			body := `{"properties": {` + c.times + `"action": {"type": "http", "request": {"method": "GET", "uri": "` + s.URL + `/"}}, "recurrence": {` + c.recurrence + `}}}`
			j := at("jc1/jobs/j1")
			put := d.must(201, "PUT", j, body)
			if c.runs == 0 {
				require.Equal(t, "completed", put.member(t, "properties.state"))
				require.NotContains(t, put.member(t, "properties.status"), "nextExecutionTime")
				require.Equal(t, 0.0, put.member(t, "properties.status.executionCount"))
				d.refused(409, conflict, "POST", j+"/run", "")
				d.refused(409, conflict, "PUT", j, body)
			}
			d.settle()
			d.pass(26*time.Hour, 30*time.Minute)
			require.Len(t, s.requests, c.runs)
			require.Equal(t, "completed", d.state(j))
			require.Len(t, d.must(200, "GET", j+"/history", "").member(t, "value"), c.runs)
			d.must(200, "DELETE", j, "")

			// A job that goes on ends in the same way by a PATCH.
			d.must(201, "PUT", j, s.every(`{"frequency": "hour"}`))
			d.pass(time.Hour, 30*time.Minute)
			require.Equal(t, "enabled", d.state(j))
			require.Len(t, s.requests, c.runs+1)
			patched := d.must(200, "PATCH", j, `{"properties": {"recurrence": {"endTime": "2026-08-02"}}}`)
			require.Equal(t, "completed", patched.member(t, "properties.state"))
			d.pass(3*time.Hour, 30*time.Minute)
			require.Len(t, s.requests, c.runs+1)
			require.Equal(t, 1.0, d.status(j)["executionCount"])
		})
	}
}
