package azure_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// `count` is the number of times that the job runs (`azure-scheduler.md`): an occurrence that another
// one of the job kept from running, and one that was due while the job was disabled, uses up nothing.
func TestACountIsOfRunsThatHappened(t *testing.T) {
	d, s := newDesk(t), newSink(t)
	d.must(201, "PUT", at("jc1"), standard)
	j := at("jc1/jobs/j1")
	s.status = 500
	d.must(201, "PUT", j, `{"properties": {"startTime": "2026-08-03T01:00:00Z",
		"action": {"type": "http", "request": {"method": "GET", "uri": "`+s.URL+`/"},
			"retryPolicy": {"retryType": "Fixed", "retryInterval": "PT25M", "retryCount": 1}},
		"recurrence": {"frequency": "minute", "interval": 10, "count": 3}}}`)
	next := func() any { return d.status(j)["nextExecutionTime"] }

	// The run of 01:00 fails and waits for its second attempt at 01:25: 01:10 and 01:20 are cancelled.
	d.pass(35*time.Minute, 5*time.Minute)
	require.Len(t, s.requests, 1)
	s.status = 200
	d.pass(20*time.Minute, 5*time.Minute)
	require.Len(t, s.requests, 2, "the second attempt of 01:00")
	require.Equal(t, "enabled", d.state(j))
	require.Contains(t, next(), "T01:30:00")
	d.pass(10*time.Minute, 5*time.Minute)
	require.Len(t, s.requests, 3, "01:30, the second run")
	require.Equal(t, "enabled", d.state(j))

	// What is due while the job is disabled passes.
	d.must(200, "PATCH", j, `{"properties": {"state": "disabled"}}`)
	d.pass(30*time.Minute, 5*time.Minute)
	require.Len(t, s.requests, 3)
	require.Equal(t, "disabled", d.state(j))
	enabled := d.must(200, "PATCH", j, `{"properties": {"state": "enabled"}}`)
	require.Contains(t, enabled.member(t, "properties.status.nextExecutionTime"), "T02:10:00")
	d.pass(10*time.Minute, 5*time.Minute)
	require.Len(t, s.requests, 4, "02:10, the third run")
	require.Equal(t, "completed", d.state(j))
	status := d.status(j)
	require.NotContains(t, status, "nextExecutionTime")
	require.Equal(t, 4.0, status["executionCount"], "attempts")
	require.Equal(t, 1.0, status["failureCount"])
	require.Equal(t, 0.0, status["faultedCount"])
	d.pass(2*time.Hour, 10*time.Minute)
	require.Len(t, s.requests, 4, "it is completed")
	d.refused(409, conflict, "POST", j+"/run", "")
}
