package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	ics "github.com/arran4/golang-ical"
	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

// fingerprint is that of what is loaded.
func (f *fixture) fingerprint() engine.Fingerprint {
	rows, err := f.db.Jobs(f.t.Context())
	require.NoError(f.t, err)
	return engine.FingerprintRows(rows)
}

// edited makes the orders another version, which waits for nothing, and takes the stores away.
func (f *fixture) edited() {
	orders := *f.jobs["orders"]
	orders.DependsOn, orders.Definition = nil, []byte(`{"job":"orders","v":2}`)
	w := *f.loaded[0]
	w.Jobs = []*engine.Job{&orders}
	f.loaded = []*engine.Workflow{&w}
}

func TestADiffIsAppliedAsItWasReviewed(t *testing.T) {
	f := newFixture(t)
	w := f.as("viewer", http.MethodPost, "/api/v1/definitions/diff", "{}")
	require.Equal(t, 200, w.Code, w.Body)
	require.Contains(t, w.Body.String(), `"text":"no change"`)
	require.Equal(t, fmt.Sprintf("%q", f.fingerprint()), w.Header().Get("ETag"))

	f.edited()
	d := decode[web.PlanDiff](f, f.as("viewer", http.MethodPost, "/api/v1/definitions/diff", `{"days":1}`), 200)
	require.Equal(t, "+0, −0, 13 re-linked", d.Summary.Text, "of 10:30, from 11:00 on")
	require.Equal(t, []web.JobChange{
		{Workflow: "retail", Job: "orders", Change: "changed", Members: []string{"definition"}}, {Workflow: "retail", Job: "stores", Change: "removed"},
	}, d.Jobs)
	require.Equal(t, []web.DueInstance{{InstanceName: web.InstanceName{Workflow: "retail", Job: "stores", PlanTime: d.Due[0].PlanTime}, ID: web.ID(f.at("stores", 5).ID), Fate: "runs"}},
		slices.DeleteFunc(d.Due, func(i web.DueInstance) bool { return i.Job != "stores" }))

	apply := func(loaded, fingerprint, rest string, o ...option) *httptest.ResponseRecorder {
		return f.as("editor", http.MethodPost, "/api/v1/definitions/apply", fmt.Sprintf(`{"loaded":%q,"fingerprint":%q%s}`, loaded, fingerprint, rest), o...)
	}
	refused(f, apply("0", d.After.Fingerprint, ""), 412, "drift")
	refused(f, apply(d.Before.Fingerprint, "0", ""), 412, "drift")
	refused(f, apply("", d.After.Fingerprint, ""), 422, "invalid")
	refused(f, apply(d.Before.Fingerprint, d.After.Fingerprint, "", header("If-Match", `"0"`)), 422, "invalid")
	refused(f, apply("", d.After.Fingerprint, "", header("If-Match", `"0"`)), 412, "drift")
	refused(f, apply(d.Before.Fingerprint, d.After.Fingerprint, `,"dropDue":true`), 412, "drift")
	require.Equal(t, engine.Waiting, f.at("stores", 5).State, "nothing was changed")

	report := decode[web.ApplyReport](f, apply("", d.After.Fingerprint, `,"note":"reviewed"`, header("If-Match", `"`+d.Before.Fingerprint+`"`)), 200)
	require.Equal(t, web.ApplyReport{
		Jobs: 1, Added: []web.JobRef{}, Changed: []web.JobRef{{Workflow: "retail", Job: "orders"}}, Removed: []web.JobRef{{Workflow: "retail", Job: "stores"}},
		Replaced: 13, Planned: 13, DueRun: 1,
	}, report)
	require.Equal(t, engine.Waiting, f.at("stores", 5).State, "it runs")
	refused(f, apply(d.Before.Fingerprint, d.After.Fingerprint, ""), 412, "drift")
	require.Contains(t, f.output.String(), "note=reviewed")
}

func TestWhatIsDroppedIsNamed(t *testing.T) {
	f := newFixture(t)
	f.edited()
	d := decode[web.PlanDiff](f, f.as("viewer", http.MethodPost, "/api/v1/definitions/diff", `{"dropDue":true}`), 200)
	require.Equal(t, engine.DueDropped, d.Due[slices.IndexFunc(d.Due, func(i web.DueInstance) bool { return i.Job == "stores" })].Fate)
	require.Equal(t, len(d.Due), d.Summary.Dropped, "the orders wait for the stores, which go")
	var names []string
	for _, i := range d.Due {
		names = append(names, fmt.Sprintf(`{"workflow":%q,"job":%q,"planTime":%q}`, i.Workflow, i.Job, i.PlanTime.Format(time.RFC3339Nano)))
	}
	body := fmt.Sprintf(`{"loaded":%q,"fingerprint":%q,"dropDue":true,"dropped":[%s]}`, d.Before.Fingerprint, d.After.Fingerprint, strings.Join(names, ","))
	report := decode[web.ApplyReport](f, f.as("editor", http.MethodPost, "/api/v1/definitions/apply", body), 200)
	require.Equal(t, 1, report.DueDropped)
	require.Equal(t, engine.Cancelled, f.at("stores", 5).State)
	require.Equal(t, engine.ReasonRemoved, f.at("stores", 5).Reason.Code)
}

func TestWhatADiffRefuses(t *testing.T) {
	f := newFixture(t)
	for body, code := range map[string]int{
		`{"files":[{"name":"a.yaml","text":"x"}]}`:              422,
		`{"to":"2026-11-21T00:00:00+01:00"}`:                    422,
		`{"to":"2026-11-30T00:00:00+01:00","days":2}`:           422,
		`{"to":"2028-11-30T00:00:00+01:00"}`:                    422,
		`{"days":0,"colour":"red"}`:                             422,
		`{"from":"2026-11-30T00:00:00+01:00","to":"yesterday"}`: 422,
	} {
		refused(f, f.as("viewer", http.MethodPost, "/api/v1/definitions/diff", body), code, "invalid")
	}
	f = newFixture(t, func(c *web.Config) { c.Definitions = nil })
	refused(f, f.as("viewer", http.MethodPost, "/api/v1/definitions/diff", "{}"), 409, "conflict")
}

func TestADefinitionThatIsKnownIsNotSentAgain(t *testing.T) {
	f := newFixture(t)
	w := f.as("viewer", http.MethodGet, "/api/v1/jobs/retail/orders", "")
	tag := w.Header().Get("ETag")
	require.Regexp(t, `^"[0-9]+"$`, tag)
	for _, known := range []string{tag, "W/" + tag, `"1", ` + tag, "*"} {
		again := f.as("viewer", http.MethodGet, "/api/v1/jobs/retail/orders", "", header("If-None-Match", known))
		require.Equal(t, 304, again.Code, known)
		require.Empty(t, again.Body.String())
		require.Equal(t, tag, again.Header().Get("ETag"))
	}
	require.Equal(t, 200, f.as("viewer", http.MethodGet, "/api/v1/jobs/retail/orders", "", header("If-None-Match", `"1"`)).Code)
	f.edited()
	_, err := f.engine.Load(t.Context(), f.loaded, start)
	require.NoError(t, err)
	require.Equal(t, 200, f.as("viewer", http.MethodGet, "/api/v1/jobs/retail/orders", "", header("If-None-Match", tag)).Code)

	page := get[web.VersionPage](f, "/api/v1/jobs/retail/orders/versions?limit=1")
	require.Len(t, page.Items, 1)
	require.True(t, page.Items[0].Current)
	require.JSONEq(t, `{"job":"orders","v":2}`, string(page.Items[0].Definition))
	page = get[web.VersionPage](f, "/api/v1/jobs/retail/orders/versions?limit=1&cursor="+page.Next)
	require.Len(t, page.Items, 1)
	require.False(t, page.Items[0].Current)
	require.Equal(t, tag, fmt.Sprintf("%q", page.Items[0].ID))
	require.Empty(t, page.Next)
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/jobs/retail/nobody/versions", ""), 404, "not-found")
}

// The calendar is read back by a parser that had no part in writing it.
func TestThePlanAsACalendar(t *testing.T) {
	f := newFixture(t)
	f.run(f.at("stores", 5), "", engine.OutcomeSucceeded)
	read := func(query string) []*ics.VEvent {
		w := f.as("viewer", http.MethodGet, "/api/v1/plan.ics"+query, "")
		require.Equal(t, 200, w.Code, w.Body)
		require.Equal(t, "text/calendar; charset=utf-8", w.Header().Get("Content-Type"))
		for line := range strings.SplitAfterSeq(w.Body.String(), "\r\n") {
			require.LessOrEqual(t, len(line), 77)
			require.NotContains(t, strings.TrimSuffix(line, "\r\n"), "\n")
		}
		calendar, err := ics.ParseCalendar(w.Body)
		require.NoError(t, err)
		return calendar.Events()
	}
	events := read("?days=2&job=s?ores")
	require.Len(t, events, 2)
	at, err := events[0].GetStartAt()
	require.NoError(t, err)
	require.True(t, at.Equal(day.Add(5*time.Hour)))
	require.Equal(t, "retail/stores@20261121T040000Z", events[0].Id())
	require.Equal(t, "retail/stores", events[0].GetProperty(ics.ComponentPropertySummary).Value)
	require.Equal(t, "<script>alert(1)</script>", events[0].GetProperty(ics.ComponentPropertyDescription).Value)
	require.Equal(t, "PT1S", events[0].GetProperty(ics.ComponentProperty("DURATION")).Value, "as long as the last one took")
	require.Len(t, read("?days=1"), 25)
	require.Len(t, read("?workflow=re*&job=orders&days=1"), 24)
	require.Empty(t, read("?workflow=other"))
	for _, bad := range []string{"?days=0", "?days=61", "?job=[", "?job=a/b"} {
		refused(f, f.as("viewer", http.MethodGet, "/api/v1/plan.ics"+bad, ""), 422, "invalid")
	}
}

func TestACalendarOfAnyText(t *testing.T) {
	name := strings.Repeat("订单; a, b\\c ", 20)
	var b strings.Builder
	require.NoError(t, web.WriteCalendar(&b, name, []web.CalendarEvent{
		{Ref: engine.JobRef{Workflow: "零售", Job: "订单"}, PlanTime: start, Takes: 90 * time.Minute, Text: name + "\nsecond line\x00", Tags: []string{"a,b", "c"}},
	}, start))
	for line := range strings.SplitAfterSeq(b.String(), "\r\n") {
		require.LessOrEqual(t, len(line), 77)
	}
	calendar, err := ics.ParseCalendar(strings.NewReader(b.String()))
	require.NoError(t, err)
	e := calendar.Events()[0]
	require.Equal(t, "零售/订单@20261121T093000Z", e.Id())
	require.Equal(t, name+"\nsecond line", e.GetProperty(ics.ComponentPropertyDescription).Value)
	require.Equal(t, "PT5400S", e.GetProperty(ics.ComponentProperty("DURATION")).Value)
}

func TestEveryDefinitionIsListed(t *testing.T) {
	f := newFixture(t)
	page := get[web.DefinitionPage](f, "/api/v1/definitions?limit=1")
	require.Len(t, page.Items, 1)
	require.Equal(t, "orders", page.Items[0].Job)
	page = get[web.DefinitionPage](f, "/api/v1/definitions?limit=1&cursor="+page.Next)
	require.Equal(t, "stores", page.Items[0].Job)
	require.JSONEq(t, `{"job":"stores"}`, string(page.Items[0].Definition))
	require.Empty(t, page.Next)
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/definitions?cursor=!", ""), 422, "invalid")
}
