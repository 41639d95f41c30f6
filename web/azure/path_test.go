package azure_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAJobFromItsCollectionToItsHistory(t *testing.T) {
	d, s := newDesk(t), newSink(t)
	c := d.must(201, "PUT", at("jc1"), standard)
	require.JSONEq(t, `{"id": "`+at("jc1")+`", "type": "Microsoft.Scheduler/jobCollections", "name": "jc1", "location": "South Central US", "tags": {"k": "v"},
		"properties": {"sku": {"name": "Standard"}, "state": "Enabled", "quota": {"maxJobCount": 50, "maxRecurrence": {"frequency": "minute", "interval": 1}}}}`, c.body)
	require.Equal(t, c.body, d.must(200, "PUT", at("JC1"), standard).body, "names are printed as first written")
	require.Equal(t, c.body, d.must(200, "GET", "/SUBSCRIPTIONS/"+subscription+"/resourcegroups/Almanac/PROVIDERS/microsoft.scheduler/jobcollections/Jc1", "").body)

	j := d.must(201, "PUT", at("jc1/jobs/j1"), s.once())
	require.JSONEq(t, `{"id": "`+at("jc1/jobs/j1")+`", "type": "Microsoft.Scheduler/jobCollections/jobs", "name": "jc1/j1", "properties": {
		"action": {"type": "Http", "request": {"uri": "`+s.URL+`/once", "method": "post", "body": "hello ${{ planTime }}"}, "retryPolicy": {"retryType": "none"}},
		"state": "enabled", "status": {"nextExecutionTime": "2026-08-03T00:30:00Z", "executionCount": 0, "failureCount": 0, "faultedCount": 0}}}`, j.body)

	d.settle()
	require.Len(t, s.requests, 1)
	require.Equal(t, "hello ${{ planTime }}", s.bodies[0], "nothing is replaced in a text")
	require.Equal(t, "j1", s.requests[0].Header.Get("x-ms-scheduler-jobid"))
	require.Equal(t, "jc1", s.requests[0].Header.Get("x-ms-scheduler-jobcollectionid"))
	require.Equal(t, "2026-08-03T00:30:00Z", s.requests[0].Header.Get("x-ms-scheduler-expected-execution-time"))

	j = d.must(200, "GET", at("jc1/jobs/J1"), "")
	require.Equal(t, "completed", j.member(t, "properties.state"))
	require.Equal(t, map[string]any{"executionCount": 1.0, "failureCount": 0.0, "faultedCount": 0.0, "lastExecutionTime": "2026-08-03T00:30:00Z"}, j.member(t, "properties.status"))
	list := d.must(200, "GET", at("jc1/jobs"), "")
	require.Equal(t, "jc1/j1", list.member(t, "value.0.name"))
	require.Contains(t, list.body, `"nextLink":null`)

	h := d.must(200, "GET", at("jc1/jobs/j1/history"), "")
	require.Contains(t, h.body, `"nextLink":null`)
	require.Regexp(t, `^jc1/j1/[0-9]{20}:[0-9]{20}$`, h.member(t, "value.0.name"))
	require.Equal(t, "MainAction", h.member(t, "value.0.properties.actionName"))
	require.Equal(t, "completed", h.member(t, "value.0.properties.status"))
	require.Equal(t, 0.0, h.member(t, "value.0.properties.retryCount"))
	require.Equal(t, 1.0, h.member(t, "value.0.properties.repeatCount"))
	require.Equal(t, "2026-08-03T00:30:00Z", h.member(t, "value.0.properties.expectedExecutionTime"))
	require.Regexp(t, `^Http Action - Response from host '127.0.0.1': 'OK' Response Headers: (?s:.*)X-Sink: yes\r\n Body: the answer$`, h.member(t, "value.0.properties.message"))

	d.refused(409, "ConflictError", "POST", at("jc1/jobs/j1/run"), "")
	d.refused(409, "ConflictError", "PUT", at("jc1/jobs/j1"), s.once())
	d.refused(409, "ConflictError", "PATCH", at("jc1/jobs/j1"), `{"properties": {"state": "disabled"}}`)
	require.Empty(t, d.must(200, "DELETE", at("jc1/jobs/j1"), "").body)
	d.refused(404, "ResourceNotFound", "GET", at("jc1/jobs/j1"), "")

	// Made again it is another.
	d.pass(1e9, 1e9)
	d.must(201, "PUT", at("jc1/jobs/j1"), s.once())
	require.Equal(t, 0.0, d.must(200, "GET", at("jc1/jobs/j1"), "").member(t, "properties.status.executionCount"))
	d.settle()
	require.Equal(t, 1.0, d.must(200, "GET", at("jc1/jobs/j1"), "").member(t, "properties.status.executionCount"))
	require.Len(t, d.must(200, "GET", at("jc1/jobs/j1/history"), "").member(t, "value"), 1)

	require.Empty(t, d.must(200, "DELETE", at("jc1"), "").body)
	d.refused(404, "ResourceNotFound", "GET", at("jc1"), "")
	d.refused(404, "ResourceNotFound", "GET", at("jc1/jobs/j1"), "")
}

func TestNamesThatAreWordsOfPaths(t *testing.T) {
	d, s := newDesk(t), newSink(t)
	for _, name := range []string{"jobs", "Enable", "jobCollections", "history", "RUN"} {
		d.must(201, "PUT", at(name), standard)
		require.Equal(t, name, d.must(200, "GET", at(name), "").member(t, "name"))
		for _, job := range []string{"Run", "HISTORY", "jobs"} {
			a := d.must(201, "PUT", at(name, "JOBS", job), s.every(`{"frequency": "day"}`))
			require.Equal(t, name+"/"+job, a.member(t, "name"))
			require.Equal(t, at(name, "jobs", job), a.member(t, "id"))
			d.must(200, "POST", at(name, "jobs", job, "RUN"), "")
			d.must(200, "GET", at(name, "jobs", job, "History"), "")
		}
		require.Len(t, d.must(200, "GET", at(name, "Jobs"), "").member(t, "value"), 3)
	}
}

// What GET shows can be put again as it is: id, type and name are those of the path, and the status is nobody's to set.
func TestWhatIsShownCanBePut(t *testing.T) {
	d, s := newDesk(t), newSink(t)
	c := d.must(201, "PUT", at("jc1"), standard)
	require.Equal(t, c.body, d.must(200, "PUT", at("jc1"), c.body).body)
	d.must(201, "PUT", at("jc1/jobs/j1"), s.every(`{"frequency": "hour"}`))
	d.pass(3600e9, 1800e9)
	j := d.must(200, "GET", at("jc1/jobs/j1"), "")
	require.Equal(t, 1.0, j.member(t, "properties.status.executionCount"))
	require.Equal(t, j.body, d.must(200, "PUT", at("jc1/jobs/j1"), j.body).body)
	require.Equal(t, j.body, d.must(200, "PATCH", at("jc1/jobs/j1"), `{"id": "`+at("JC1/jobs/J1")+`", "name": "j1", "properties": {}}`).body)
	for _, version := range []string{"2014-08-01-preview", "2016-01-01", "2016-03-01"} {
		require.Equal(t, j.body, d.must(200, "GET", at("jc1/jobs/j1?API-VERSION="+version), "").body)
	}
}
