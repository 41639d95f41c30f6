package azure_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

// state is a job's state.
func (d *desk) state(path string) any {
	d.Helper()
	return d.must(200, "GET", path, "").member(d, "properties.state")
}

func (d *desk) status(path string) map[string]any {
	d.Helper()
	status, _ := d.must(200, "GET", path, "").member(d, "properties.status").(map[string]any)
	return status
}

func TestAPatchMerges(t *testing.T) {
	d, s := newDesk(t), newSink(t)
	d.must(201, "PUT", at("jc1"), standard)
	d.must(201, "PUT", at("jc1/jobs/j1"), `{"properties": {"startTime": "2026-08-04", "action": {"type": "HTTPS", "request": {"uri": "`+s.URL+`", "method": "GET",
		"headers": {"a": "1"}, "authentication": {"type": "basic", "username": "u", "password": "the password"}},
		"retryPolicy": {"retryType": "fixed", "retryInterval": "00:01:00", "retryCount": 2}},
		"recurrence": {"frequency": "Week", "count": 9, "endTime": "2027-01-01", "schedule": {"weekDays": ["Monday", "friday"], "hours": 5}}}}`)
	shown := func() string {
		body := d.must(200, "GET", at("jc1/jobs/j1"), "").body
		require.NotContains(t, body, "the password")
		return body
	}
	require.Contains(t, shown(), `"retryInterval":"00:01:00"`, "the form that was sent")
	require.Contains(t, shown(), `"schedule":{"hours":[5],"weekDays":["monday","friday"]}`)
	require.Contains(t, shown(), `"authentication":{"type":"Basic","username":"u"}`)

	// The member named is changed and the rest is kept; arrays are replaced whole.
	d.must(200, "PATCH", at("jc1/jobs/j1"), `{"name": "jc1/j1", "properties": {"startTime": "2026-08-05T00:00Z", "recurrence": {"frequency": "week", "interval": 2, "schedule": {"weekDays": ["sunday"]}}}}`)
	require.Contains(t, shown(), `"startTime":"2026-08-05T00:00:00Z"`)
	require.Contains(t, shown(), `"recurrence":{"frequency":"week","count":9,"endTime":"2027-01-01T00:00:00Z","interval":2,"schedule":{"hours":[5],"weekDays":["sunday"]}}`)

	// A patch without the authentication keeps it with its secret, and an explicit null removes it.
	d.must(200, "PATCH", at("jc1/jobs/j1"), `{"properties": {"action": {"request": {"uri": "`+s.URL+`/patched"}}}}`)
	require.Contains(t, shown(), `"username":"u"`)
	d.must(200, "PATCH", at("jc1/jobs/j1"), `{"properties": {"action": {"type": "http"}}}`)
	d.must(200, "POST", at("jc1/jobs/j1/run"), "")
	d.settle()
	user, password, _ := s.requests[0].BasicAuth()
	require.Equal(t, []string{"/patched", "u", "the password"}, []string{s.requests[0].URL.Path, user, password})
	d.must(200, "PATCH", at("jc1/jobs/j1"), `{"properties": {"action": {"request": {"authentication": null}}}}`)
	require.NotContains(t, shown(), "authentication")

	// A PUT replaces everything but the counters.
	d.must(200, "PUT", at("jc1/jobs/J1"), s.every(`{"frequency": "day"}`))
	require.NotContains(t, shown(), "count\":9")
	require.Equal(t, 1.0, d.status(at("jc1/jobs/j1"))["executionCount"])
	require.Contains(t, shown(), `"name":"jc1/j1"`)
}

func TestSecretsAreSealedAndNeverShown(t *testing.T) {
	d, s := newDesk(t), newSink(t)
	d.must(201, "PUT", at("jc1"), standard)
	const body = `{"properties": {"startTime": "2026-09-01", "action": {"type": "storageQueue",
		"queueMessage": {"storageAccount": "acc", "queueName": "q", "sasToken": "sv=TOPSECRET1", "message": "m"},
		"errorAction": {"type": "http", "request": {"uri": "http://h/", "method": "GET", "authentication": {"type": "ActiveDirectoryOAuth", "tenant": "t", "audience": "a", "clientId": "c", "secret": "TOPSECRET2"}}}}}}`
	a := d.must(201, "PUT", at("jc1/jobs/j1"), body)
	b := d.must(200, "PUT", at("jc1/jobs/j1"), body)
	shown := a.body + b.body + d.must(200, "GET", at("jc1/jobs/j1"), "").body + d.must(200, "GET", at("jc1/jobs"), "").body
	require.NotContains(t, shown, "sasToken")
	require.NotContains(t, shown, `"secret"`)
	all := shown
	d.refused(400, "BadRequest", "PATCH", at("jc1/jobs/j1"), `{"properties": {"startTime": "never", "action": {"queueMessage": {"sasToken": "sv=TOPSECRET3"}}}}`)
	require.NoError(t, d.db.Read(t.Context(), func(v engine.View) error {
		row, err := v.Resource("azure.job", strings.ToLower(subscription+"/"+group+"/jc1/j1"))
		require.NoError(t, err)
		job, err := v.JobByRef(engine.JobRef{Workflow: "jc1", Job: "j1"})
		require.NoError(t, err)
		version, err := v.Version(job.Version)
		require.Contains(t, string(version.Definition), "azure.job/"+subscription+"/almanac/jc1/j1#sasToken")
		all += string(row.Body) + string(version.Definition)
		return err
	}))
	require.NotContains(t, all+d.log.String(), "TOPSECRET")
	require.Empty(t, s.requests)
}

func TestDisabledJobsRest(t *testing.T) {
	d, s := newDesk(t), newSink(t)
	d.must(201, "PUT", at("jc1"), standard)
	j := at("jc1/jobs/j1")
	a := d.must(201, "PUT", j, strings.Replace(s.once(), `{"properties": {`, `{"properties": {"state": "Disabled", `, 1))
	require.Nil(t, a.member(t, "properties.status"), "a disabled job that never ran has no status")
	d.settle()
	d.refused(409, "ConflictError", "POST", j+"/run", "")
	d.pass(time.Hour, time.Hour)
	d.must(200, "PATCH", j, `{"properties": {"state": "enabled"}}`)
	d.settle()
	require.Len(t, s.requests, 1, "at once is when it is enabled")
	require.Equal(t, "completed", d.state(j))

	k := at("jc1/jobs/k")
	d.must(201, "PUT", k, s.every(`{"frequency": "hour"}`)) // at 01:00 and on; it is 01:30
	d.pass(31*time.Minute, time.Minute)
	require.Len(t, s.requests, 2)
	require.Equal(t, "2026-08-03T03:00:00Z", d.status(k)["nextExecutionTime"])
	d.must(200, "POST", at("JC1/disable"), "")
	require.Equal(t, "Disabled", d.must(200, "GET", at("jc1"), "").member(t, "properties.state"))
	require.Equal(t, "enabled", d.state(k), "its own state is left as it is")
	require.NotContains(t, d.status(k), "nextExecutionTime")
	require.Equal(t, 1.0, d.status(k)["executionCount"])
	require.Equal(t, "completed", d.state(j))
	d.refused(409, "ConflictError", "POST", k+"/run", "")
	d.pass(2*time.Hour, 10*time.Minute)
	require.Len(t, s.requests, 2)
	d.must(200, "POST", at("jc1/Enable"), "")
	d.settle()
	require.Len(t, s.requests, 2, "what was missed is dropped")
	require.Equal(t, "2026-08-03T05:00:00Z", d.status(k)["nextExecutionTime"])
	d.pass(time.Hour, 10*time.Minute)
	require.Len(t, s.requests, 3)
	d.must(200, "PATCH", at("jc1"), `{"properties": {"state": "disabled"}}`)
	d.must(201, "PUT", at("jc1/jobs/l"), s.once())
	d.settle()
	require.Len(t, s.requests, 3, "a job that is put into a disabled collection rests too")
	d.must(200, "PUT", at("jc1"), standard)
	d.settle()
	require.Len(t, s.requests, 4)
}

func TestHowJobsEnd(t *testing.T) {
	for _, c := range []struct {
		name, recurrence string
		fails            bool
		runs             int
		state            string
	}{
		{"a one-time job", "", false, 1, "completed"},
		{"a one-time job that fails", "", true, 1, "faulted"},
		{"a count that is reached", `{"frequency": "hour", "count": 2}`, false, 2, "completed"},
		{"a count that is reached with a failure", `{"frequency": "hour", "count": 2}`, true, 2, "faulted"},
		{"an end that has passed", `{"frequency": "hour", "endTime": "2026-08-03T02:00:00Z"}`, false, 2, "completed"},
		{"an end that has passed with a failure", `{"frequency": "hour", "endTime": "2026-08-03T02:00:00Z"}`, true, 2, "completed"},
		{"an end that had passed before", `{"frequency": "hour", "endTime": "2026-01-01"}`, false, 0, "completed"},
		{"a job that recurs", `{"frequency": "hour"}`, true, 3, "enabled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, s := newDesk(t), newSink(t)
			if c.fails {
				s.status = 503
			}
			d.must(201, "PUT", at("jc1"), standard)
			body := s.every(c.recurrence)
			if c.recurrence == "" {
				body = s.every("null")
			}
			if c.runs == 0 {
				body = strings.Replace(body, "2026-08-03T01", "2025-08-03T01", 1)
			}
			j := at("jc1/jobs/j1")
			d.must(201, "PUT", j, body)
			d.pass(3*time.Hour, 30*time.Minute)
			require.Len(t, s.requests, c.runs)
			status := d.status(j)
			failed := 0
			if c.fails {
				failed = c.runs
			}
			require.Equal(t, []any{float64(c.runs), float64(failed), float64(failed)}, []any{status["executionCount"], status["failureCount"], status["faultedCount"]})
			require.Equal(t, c.state, d.state(j))
			found := d.must(200, "GET", at("jc1/jobs?$filter="+url.QueryEscape("State eq '"+strings.ToUpper(c.state)+"'")), "")
			require.Len(t, found.member(t, "value"), 1)
			if c.state == "enabled" {
				require.Contains(t, status, "nextExecutionTime")
				return
			}
			require.NotContains(t, status, "nextExecutionTime")
			d.refused(409, "ConflictError", "PUT", j, body)
			d.must(200, "PUT", at("jc1"), `{"properties": {"quota": {"maxRecurrence": {"frequency": "day"}}}}`)

			// It is deleted 60 days later, and not before.
			d.mu.Lock()
			d.now = d.now.AddDate(0, 0, 59)
			d.mu.Unlock()
			n, err := d.face.Expire(t.Context(), d.now)
			require.NoError(t, err)
			require.Zero(t, n)
			d.must(200, "GET", j, "")
			d.mu.Lock()
			d.now = d.now.AddDate(0, 0, 2)
			d.mu.Unlock()
			n, err = d.face.Expire(t.Context(), d.now)
			require.NoError(t, err)
			require.Equal(t, 1, n)
			d.refused(404, "ResourceNotFound", "GET", j, "")
			d.must(200, "PUT", at("jc1"), standard)
			d.must(201, "PUT", j, body)
		})
	}
}

func TestListsHavePages(t *testing.T) {
	d, s := newDesk(t), newSink(t)
	d.must(201, "PUT", at("jc1"), `{"properties": {"sku": {"name": "P20Premium"}}}`)
	for n := range 105 {
		d.must(201, "PUT", at(fmt.Sprintf("jc1/jobs/%c%03d", "aB"[n%2], n)), s.every(`{"frequency": "day"}`))
	}
	for _, c := range []struct {
		query string
		pages []int
	}{
		{"", []int{100, 5}},
		{"?$top=50", []int{50, 50, 5}},
		{"?%24top=100&%24skip=100", []int{5}},
		{"?$top=60&$filter=state%20eq%20Enabled", []int{60, 45}},
		{"?$top=60&$filter=state%20eq%20Disabled", []int{0}},
		{"?$skip=105", []int{0}},
		{"?$skip=2147483647", []int{0}},
	} {
		t.Run(c.query, func(t *testing.T) {
			var sizes []int
			var names []string
			for link := any(at("jc1/jobs" + c.query)); link != nil; {
				a := d.must(200, "GET", link.(string), "")
				list := a.member(t, "value").([]any)
				sizes = append(sizes, len(list))
				for _, j := range list {
					names = append(names, strings.ToLower(j.(map[string]any)["name"].(string)))
				}
				link = a.member(t, "nextLink")
			}
			require.Equal(t, c.pages, sizes)
			require.IsIncreasing(t, append([]string{"", "a"}, names...))
		})
	}
}

func TestHistoryIsTheAttempts(t *testing.T) {
	d, s := newDesk(t), newSink(t)
	s.status = 500
	d.must(201, "PUT", at("jc1"), standard)
	j := at("jc1/jobs/j1")
	d.must(201, "PUT", j, strings.Replace(strings.Replace(s.every(`{"frequency": "hour", "interval": 1}`), `{"retryType": "None"}`, `{"retryType": "fixed", "retryInterval": "PT30S", "retryCount": 2}`, 1),
		`"retryPolicy"`, `"errorAction": {"type": "http", "request": {"method": "POST", "uri": "`+s.URL+`/error"}, "retryPolicy": {"retryType": "none"}}, "retryPolicy"`, 1))
	d.pass(95*time.Minute, 15*time.Second)
	require.Equal(t, []string{"/every", "/every", "/every", "/error", "/every", "/every", "/every", "/error"}, s.paths())
	a := d.must(200, "GET", j+"/history", "")
	var told []string
	for _, entry := range a.member(t, "value").([]any) {
		p := entry.(map[string]any)["properties"].(map[string]any)
		told = append(told, fmt.Sprint(p["actionName"], " ", p["status"], " ", p["retryCount"], " of ", p["repeatCount"], ", ", p["expectedExecutionTime"]))
		require.Contains(t, p["message"], "'Internal Server Error'")
	}
	require.Equal(t, []string{
		"ErrorAction failed 0 of 2, 2026-08-03T02:00:00Z", "MainAction failed 2 of 2, 2026-08-03T02:00:00Z",
		"MainAction failed 1 of 2, 2026-08-03T02:00:00Z", "MainAction failed 0 of 2, 2026-08-03T02:00:00Z",
		"ErrorAction failed 0 of 1, 2026-08-03T01:00:00Z", "MainAction failed 2 of 1, 2026-08-03T01:00:00Z",
		"MainAction failed 1 of 1, 2026-08-03T01:00:00Z", "MainAction failed 0 of 1, 2026-08-03T01:00:00Z",
	}, told)
	status := d.status(j)
	require.Equal(t, []any{6.0, 6.0, 2.0}, []any{status["executionCount"], status["failureCount"], status["faultedCount"]}, "attempts of the action, and occurrences that failed")

	page := d.must(200, "GET", j+"/history?$top=3&$skip=1&$filter=status%20eq%20'FAILED'", "")
	require.Equal(t, 2.0, page.member(t, "value.0.properties.retryCount"))
	require.Len(t, page.member(t, "value"), 3)
	require.Contains(t, page.member(t, "nextLink"), "skip=4")
	require.Empty(t, d.must(200, "GET", j+"/history?$filter=status%20eq%20postponed", "").member(t, "value"))
	require.Empty(t, d.must(200, "GET", j+"/history?$filter=status%20eq%20completed", "").member(t, "value"))
	s.URL = "http://127.0.0.1:1" // nobody listens there
	d.must(201, "PUT", at("jc1/jobs/j2"), s.once())
	d.settle()
	require.Contains(t, d.must(200, "GET", at("jc1/jobs/j2/history"), "").member(t, "value.0.properties.message"), "Http Action - request failed")
}
