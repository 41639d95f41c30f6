package azure_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// While the clock of the server is not believed, what would plan by it is refused, and says what
// lets it go. What needs no plan is done: reading, and a run, which starts when the clock is right.
func TestWhatAClockThatLiesKeepsFromBeingDone(t *testing.T) {
	d, s := newDesk(t), newSink(t)
	collection, j := at("jc1"), at("jc1/jobs/j1")
	d.must(201, "PUT", collection, standard)
	job := s.every(`{"frequency": "hour", "count": 5}`)
	d.must(201, "PUT", j, job)
	d.pass(time.Hour, 10*time.Minute)
	require.Len(t, s.requests, 1)

	lie := func(offset time.Duration) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.offset = offset
	}
	lie(61 * 24 * time.Hour)
	d.pass(time.Hour, 10*time.Minute)
	require.Len(t, s.requests, 1, "nothing starts")
	for _, c := range []struct{ method, path, body string }{
		{"PUT", j, s.every(`{"frequency": "hour", "count": 6}`)},
		{"PUT", at("jc1/jobs/j2"), job},
		{"PATCH", j, `{"properties": {"state": "disabled"}}`},
		{"DELETE", j, ""},
		{"PATCH", collection, `{"properties": {"state": "disabled"}}`},
		{"DELETE", collection, ""},
	} {
		require.Contains(t, d.refused(409, conflict, c.method, c.path, c.body), "almanac clock confirm", "%s %s", c.method, c.path)
	}
	require.Equal(t, "enabled", d.state(j))
	require.Contains(t, d.status(j)["nextExecutionTime"], "2026-08-03T")
	d.must(200, "GET", collection, "")
	d.must(200, "PUT", j, job) // nothing is changed
	d.must(201, "PUT", at("jc2"), standard)
	d.must(200, "DELETE", at("jc2"), "")
	d.must(200, "POST", j+"/run", "")
	d.settle()
	require.Len(t, s.requests, 1, "nothing starts")

	lie(0)
	d.pass(10*time.Minute, 10*time.Minute)
	require.Len(t, s.requests, 2, "the run; 02:00 was missed, and uses up nothing of the count")
	require.Equal(t, 2.0, d.status(j)["executionCount"])
	d.pass(4*time.Hour, 10*time.Minute)
	require.Len(t, s.requests, 6, "03:00 to 06:00: five in all, beside the run")
	require.Equal(t, "completed", d.state(j))
	d.must(200, "DELETE", j, "")
}
