package azure_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What is 60 days old is no longer shown, and stays counted.
func TestCountersOutliveTheHistory(t *testing.T) {
	d, s := newDesk(t), newSink(t)
	d.must(201, "PUT", at("jc"), standard)
	d.must(201, "PUT", at("jc", "jobs", "j"), s.every(`{"frequency": "day"}`))
	const days, good = 75, 10
	s.status = 500
	d.pass(30*time.Minute, 30*time.Minute) // 01:00, when it is due
	d.pass((days-good-1)*24*time.Hour, 24*time.Hour)
	s.status = 200
	d.pass(good*24*time.Hour, 24*time.Hour)

	status := func(member string) any {
		return d.must(200, "GET", at("jc", "jobs", "j"), "").member(t, "properties.status."+member)
	}
	require.Equal(t, float64(days), status("executionCount"))
	require.Equal(t, float64(days-good), status("failureCount"))
	require.Equal(t, float64(days-good), status("faultedCount"))
	require.Equal(t, "2026-10-16T01:00:00Z", status("lastExecutionTime"))
	require.Equal(t, "2026-10-17T01:00:00Z", status("nextExecutionTime"))
	history := d.must(200, "GET", at("jc", "jobs", "j", "history"), "")
	require.Equal(t, float64(days), history.member(t, "value.0.properties.repeatCount"), "the number of the occurrence, of all that there were")
	list, ok := history.member(t, "value").([]any)
	require.True(t, ok)
	require.Equal(t, 60+1, len(list), "the one of 60 days ago to the minute is the oldest")

	// All of it is gone: it was disabled 100 days ago.
	d.must(200, "PATCH", at("jc", "jobs", "j"), `{"properties": {"state": "disabled"}}`)
	d.pass(100*24*time.Hour, 24*time.Hour)
	require.Empty(t, d.must(200, "GET", at("jc", "jobs", "j", "history"), "").member(t, "value"))
	require.Equal(t, float64(days), status("executionCount"))
	require.Equal(t, "2026-10-16T01:00:00Z", status("lastExecutionTime"))
	require.Nil(t, status("nextExecutionTime"))

	// One of the same name is another.
	d.must(200, "DELETE", at("jc", "jobs", "j"), "")
	d.must(201, "PUT", at("jc", "jobs", "j"), s.every(`{"frequency": "day"}`))
	require.Equal(t, float64(0), status("executionCount"))
	require.Nil(t, status("lastExecutionTime"))
}
