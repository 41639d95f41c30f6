package azure_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

func TestPlansAndQuotas(t *testing.T) {
	d, s := newDesk(t), newSink(t)
	quota := func(a answer) any { return a.member(t, "properties.quota") }
	limits := func(jobs float64, frequency string) map[string]any {
		return map[string]any{"maxJobCount": jobs, "maxRecurrence": map[string]any{"frequency": frequency, "interval": 1.0}}
	}
	require.Equal(t, limits(5, "hour"), quota(d.must(201, "PUT", at("free"), `{"properties": {"sku": {"name": "FREE"}}}`)))
	require.Equal(t, limits(50, "minute"), quota(d.must(201, "PUT", at("standard"), `{}`)))
	require.Equal(t, limits(50, "minute"), quota(d.must(201, "PUT", at("p10"), `{"properties": {"sku": {"name": "p10premium"}}}`)))
	require.Equal(t, limits(1000, "minute"), quota(d.must(201, "PUT", at("p20"), `{"properties": {"sku": {"name": "P20Premium"}}}`)))
	old := d.must(201, "PUT", at("old?api-version=2014-08-01-preview"), `{"properties": {"sku": {"name": "premium"}}}`)
	require.Equal(t, limits(50, "minute"), quota(old))
	require.Equal(t, "Premium", old.member(t, "properties.sku.name"))
	d.must(200, "PATCH", at("old"), `{"tags": {"a": "b"}}`)

	// Another plan brings its own quota, where none was stated.
	d.must(200, "DELETE", at("free"), "")
	require.Equal(t, limits(5, "hour"), quota(d.must(200, "PATCH", at("standard"), `{"properties": {"sku": {"name": "Free"}}}`)))
	require.Equal(t, limits(1000, "minute"), quota(d.must(200, "PATCH", at("standard"), `{"properties": {"sku": {"name": "P20Premium"}}}`)))

	// A change to Free is refused for jobs that Free does not have.
	d.must(200, "PATCH", at("standard"), `{"properties": {"sku": {"name": "standard"}}}`)
	for name, body := range map[string]string{
		"often":  s.every(`{"frequency": "minute", "interval": 59}`),
		"secret": `{"properties": {"startTime": "2026-09-01", "action": {"type": "http", "request": {"uri": "http://h/", "method": "GET", "authentication": {"type": "basic", "username": "u", "password": "p"}}}}}`,
	} {
		d.must(201, "PUT", at("standard/jobs", name), body)
		require.Contains(t, d.refused(409, "ConflictError", "PATCH", at("standard"), `{"properties": {"sku": {"name": "Free"}}}`), "'"+name+"'")
		d.must(200, "DELETE", at("standard/jobs", name), "")
	}
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		d.must(201, "PUT", at("standard/jobs", name), s.every(`{"frequency": "day"}`))
	}
	require.Contains(t, d.refused(409, "ConflictError", "PATCH", at("standard"), `{"properties": {"sku": {"name": "Free"}}}`), "maxJobCount")
	d.must(200, "DELETE", at("standard/jobs/f"), "")
	d.must(200, "PATCH", at("standard"), `{"properties": {"sku": {"name": "Free"}}}`)
}

func TestEverySubscriptionAndGroupHasItsOwnNames(t *testing.T) {
	d, s := newDesk(t), newSink(t)
	const other = "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/Group.1/providers/Microsoft.Scheduler/jobCollections"
	d.must(201, "PUT", at("jc1"), standard)
	d.must(201, "PUT", other+"/jc1", standard)
	d.must(201, "PUT", at("jc1/jobs/j"), s.every(`{"frequency": "day"}`))
	d.must(201, "PUT", other+"/jc1/jobs/j", s.once())
	d.settle()
	require.Equal(t, []string{"/once"}, s.paths())
	require.NoError(t, d.db.Read(t.Context(), func(v engine.View) error {
		jobs, err := v.Jobs()
		require.Len(t, jobs, 2)
		require.Equal(t, "jc1", jobs[0].Ref.Workflow)
		require.Regexp(t, "^jc1~[0-9a-f]{8}$", jobs[1].Ref.Workflow)
		return err
	}))
	require.Len(t, d.must(200, "GET", other, "").member(t, "value"), 1)
	require.Equal(t, other+"/jc1", d.must(200, "GET", strings.ToLower(strings.Replace(other, "/resourceGroups/Group.1", "", 1)), "").member(t, "value.0.id"), "as first written")
	require.Len(t, d.must(200, "GET", strings.Replace(at(""), "/resourceGroups/"+group, "", 1)[:len(at(""))-len("/resourceGroups/"+group)-1], "").member(t, "value"), 1)
	d.must(200, "DELETE", other+"/jc1", "")
	d.must(200, "GET", at("jc1/jobs/j"), "")
}

func TestWorkflowsOfTheFolderAreCollections(t *testing.T) {
	d, s := newDesk(t), newSink(t)
	d.load(`workflow: Filed.1
defaults: {startTime: "2026-08-03T02:00:00Z"}
jobs:
  request: {recurrence: {frequency: hour}, action: {type: http, request: {method: GET, uri: "` + s.URL + `/filed"}}, retryPolicy: {retryType: none}}
  after: {recurrence: {frequency: day}, dependsOn: [request], action: {type: shell, command: "true"}, state: disabled}
`)
	d.must(201, "PUT", at("made"), standard)
	list := d.must(200, "GET", strings.TrimSuffix(at(""), "/"), "")
	require.Equal(t, []any{"Filed.1", "made"}, []any{list.member(t, "value.0.name"), list.member(t, "value.1.name")})
	c := d.must(200, "GET", at("filed.1"), "")
	require.Equal(t, "Enabled", c.member(t, "properties.state"))
	jobs := d.must(200, "GET", at("filed.1/jobs"), "")
	require.Equal(t, "Filed.1/after", jobs.member(t, "value.0.name"))
	require.Equal(t, map[string]any{"state": "disabled"}, jobs.member(t, "value.0.properties"), "what has no counterpart is left out")
	require.Equal(t, s.URL+"/filed", jobs.member(t, "value.1.properties.action.request.uri"))
	require.Equal(t, "2026-08-03T02:00:00Z", jobs.member(t, "value.1.properties.status.nextExecutionTime"))
	d.pass(2*time.Hour, 30*time.Minute)
	d.must(200, "POST", at("filed.1/jobs/REQUEST/run"), "")
	d.settle()
	require.Len(t, s.requests, 2)
	h := d.must(200, "GET", at("filed.1/jobs/request/history"), "")
	require.Len(t, h.member(t, "value"), 2)
	require.Equal(t, 2.0, d.status(at("filed.1/jobs/request"))["executionCount"])
	d.refused(409, "ConflictError", "POST", at("filed.1/jobs/after/run"), "")
	d.refused(404, "ResourceNotFound", "GET", strings.Replace(at("filed.1"), "/almanac/", "/another/", 1), "")
}

func TestNeighboursAreAnswered(t *testing.T) {
	d := newDesk(t)
	const g = "/subscriptions/S1/resourceGroups/Rg1"
	p := d.must(200, "GET", "/subscriptions/S1/providers/microsoft.scheduler?api-version=2015-11-01", "")
	require.Equal(t, "Registered", p.member(t, "registrationState"))
	require.Equal(t, "jobcollections", p.member(t, "resourceTypes.0.resourceType"))
	require.Equal(t, []any{"2016-03-01", "2016-01-01", "2014-08-01-preview"}, p.member(t, "resourceTypes.0.apiVersions"))
	d.must(200, "POST", "/subscriptions/S1/providers/Microsoft.Scheduler/register?api-version=2015-11-01", "")
	d.must(404, "HEAD", g+"?api-version=2016-09-01", "")
	made := d.must(201, "PUT", g+"?api-version=2016-09-01", `{"location": "West US"}`)
	require.JSONEq(t, `{"id": "/subscriptions/S1/resourceGroups/Rg1", "name": "Rg1", "location": "West US", "properties": {"provisioningState": "Succeeded"}}`, made.body)
	d.must(200, "PUT", g+"?api-version=2016-09-01", `{"location": "West US"}`)
	d.must(204, "HEAD", strings.ToLower(g)+"?api-version=2016-09-01", "")
	d.must(201, "PUT", g+"/providers/Microsoft.Scheduler/jobCollections/jc1", standard)
	require.Empty(t, d.must(200, "DELETE", g+"?api-version=2016-09-01", "").body)
	d.must(404, "HEAD", g+"?api-version=2016-09-01", "")
	d.must(404, "GET", g+"/providers/Microsoft.Scheduler/jobCollections/jc1", "")
}
