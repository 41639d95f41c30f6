package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

const backfills = "/api/v1/backfills"

// applied plans and applies a backfill of a day, and returns its plan.
func applied(f *fixture, day string) web.BackfillPlan {
	f.t.Helper()
	plan := planned(f, fmt.Sprintf(`{"jobs":["retail/stores"],"dates":[%q]}`, day))
	decode[web.Backfill](f, f.as("operator", http.MethodPost, backfills, application(f, plan)), 201)
	return plan
}

func planned(f *fixture, request string) web.BackfillPlan {
	f.t.Helper()
	return decode[web.BackfillPlan](f, f.as("viewer", http.MethodPost, backfills+"/plan", request), 200)
}

func application(f *fixture, plan web.BackfillPlan) string {
	f.t.Helper()
	body, err := json.Marshal(web.BackfillApplyRequest{Plan: plan, Note: "repaired"})
	require.NoError(f.t, err)
	return string(body)
}

func backfillVisits(f *fixture) map[string]visit {
	one := applied(f, "2026-11-01")
	return map[string]visit{
		"planBackfill":     {backfills + "/plan", `{"jobs":["retail/stores"],"from":"2026-11-01","to":"2026-11-02"}`, 200, nil},
		"listBackfillPlan": {backfills + "/plan/instances", `{"jobs":["retail/stores"],"from":"2026-11-01","to":"2026-11-02"}`, 200, nil},
		"applyBackfill":    {backfills, application(f, one), 200, nil},
		"listBackfills":    {backfills, "", 200, nil},
		"getBackfill":      {backfills + "/" + one.ID, "", 200, nil},
		"listBackfillDays": {backfills + "/" + one.ID + "/days", "", 200, nil},
		"jobsAround":       {"/api/v1/jobs/around?job=retail/orders", "", 200, nil},
		"setBackfill":      {backfills + "/" + one.ID, `{"priority":7}`, 200, nil},
		"pauseBackfill":    {backfills + "/" + one.ID + "/pause", "{}", 200, nil},
		"resumeBackfill":   {backfills + "/" + applied(f, "2026-11-02").ID + "/resume", "{}", 200, nil},
		"cancelBackfill":   {backfills + "/" + applied(f, "2026-11-03").ID + "/cancel", "{}", 200, nil},
	}
}

func TestABackfillIsPlannedAndApplied(t *testing.T) {
	f := newFixture(t)
	plan := planned(f, `{"jobs":["retail/orders"],"from":"2026-11-10","to":"2026-11-10","upstream":"1"}`)
	require.Equal(t, 25, plan.In)
	require.Len(t, plan.Instances, 25)
	require.Equal(t, map[string]int{"missing": 25}, plan.Why)
	require.Equal(t, web.ListingOf(&plan), plan.Listing)

	short := plan
	short.Instances = nil
	w := f.as("operator", http.MethodPost, backfills, application(f, short), header("Idempotency-Key", plan.ID))
	b := decode[web.Backfill](f, w, 201)
	require.Equal(t, backfills+"/"+plan.ID, w.Header().Get("Location"))
	require.Equal(t, engine.BackfillRunning, b.State)
	require.Equal(t, 25, b.Instances.Waiting)
	require.Equal(t, "repaired", b.Note)
	require.Equal(t, "operator", b.Actor)
	require.Equal(t, b, decode[web.Backfill](f, f.as("operator", http.MethodPost, backfills, application(f, plan)), 200), "applying twice is applying once")

	page := get[web.BackfillPage](f, backfills+"?limit=1")
	require.Len(t, page.Items, 1)
	require.Empty(t, page.Next)
	applied(f, "2026-11-11")
	page = get[web.BackfillPage](f, backfills+"?limit=1")
	require.NotEqual(t, plan.ID, page.Items[0].ID, "the newest first")
	page = get[web.BackfillPage](f, backfills+"?limit=1&cursor="+page.Next)
	require.Equal(t, plan.ID, page.Items[0].ID)

	b = decode[web.Backfill](f, f.as("operator", http.MethodPost, backfills+"/"+plan.ID+"/pause", `{"note":"the source is down"}`), 200)
	require.Equal(t, engine.BackfillPaused, b.State)
	require.Equal(t, "paused: the source is down", b.Holding)
	b = decode[web.Backfill](f, f.as("operator", http.MethodPatch, backfills+"/"+plan.ID, `{"parallel":3,"share":"2..3","window":"22:00-06:00 Asia/Shanghai"}`), 200)
	require.Equal(t, []any{3, "2..3", "22:00-06:00 Asia/Shanghai"}, []any{b.Parallel, b.Share, b.Window})
	require.Equal(t, engine.BackfillPaused, b.State)
	b = decode[web.Backfill](f, f.as("operator", http.MethodPost, backfills+"/"+plan.ID+"/resume", ""), 200)
	require.Equal(t, engine.BackfillRunning, b.State)
	b = decode[web.Backfill](f, f.as("operator", http.MethodPost, backfills+"/"+plan.ID+"/cancel", ""), 200)
	require.Equal(t, engine.BackfillCancelling, b.State)
	refused(f, f.as("operator", http.MethodPost, backfills+"/"+plan.ID+"/resume", ""), 409, "conflict")
}

// The orders of Berlin on 10 November begin at 9 November, 23:00, in UTC: the days that were asked for are to be read from it.
func TestABackfillSaysItsDaysOnTheClockOfItsJobs(t *testing.T) {
	f := newFixture(t)
	plan := planned(f, `{"jobs":["retail/orders"],"dates":["2026-11-10"],"upstream":"1"}`)
	b := decode[web.Backfill](f, f.as("operator", http.MethodPost, backfills, application(f, plan)), 201)
	require.Equal(t, "2026-11-10T00:00:00+01:00", b.From.Format(time.RFC3339))
	require.Equal(t, "2026-11-10T23:00:00+01:00", b.To.Format(time.RFC3339))
	require.Equal(t, b.From, get[web.Backfill](f, backfills+"/"+plan.ID).From)
}

func TestADriftedPlanIsRefusedWithWhatHasChanged(t *testing.T) {
	f := newFixture(t)
	plan := planned(f, `{"jobs":["retail/stores"],"from":"2026-11-10","to":"2026-11-11"}`)
	applied(f, "2026-11-10")
	p := refused(f, f.as("operator", http.MethodPost, backfills, application(f, plan)), 412, "drift")
	require.Len(t, p.Errors, 1)
	require.Contains(t, p.Errors[0].Message, "retail/stores has other instances")
	refused(f, f.as("viewer", http.MethodGet, backfills+"/"+plan.ID, ""), 404, "not-found")

	plan.Fingerprint = "0123456789abcdef0123456789abcdef"
	refused(f, f.as("operator", http.MethodPost, backfills, application(f, plan)), 422, "invalid")
	plan.Format = "almanac-backfill/9"
	refused(f, f.as("operator", http.MethodPost, backfills, application(f, plan)), 422, "invalid")
}

func TestABackfillIsToldAllItsMistakesAtOnce(t *testing.T) {
	f := newFixture(t)
	p := refused(f, f.as("viewer", http.MethodPost, backfills+"/plan", `{"jobs":["retail/stores","retail/none"],"from":"2026-11-02","to":"2026-11-01",
		"select":["some"],"order":"up","parallel":-1,"priority":10,"share":"x","window":"22:00","upstream":"retail/orders","steps":["one"]}`), 422, "invalid")
	require.Len(t, p.Errors, 10)
	p = refused(f, f.as("viewer", http.MethodPost, backfills+"/plan", `{"jobs":["retail/stores"],"from":"2026-11-20","to":"2026-11-22"}`), 422, "invalid")
	require.Contains(t, p.Errors[0].Message, "today is 2026-11-21")
	refused(f, f.as("operator", http.MethodPatch, backfills+"/bf-none", `{"priority":3}`), 404, "not-found")
	id := applied(f, "2026-11-01").ID
	p = refused(f, f.as("operator", http.MethodPatch, backfills+"/"+id, `{"priority":12,"share":"9"}`), 422, "invalid")
	require.Len(t, p.Errors, 2)
	refused(f, f.as("operator", http.MethodPatch, backfills+"/"+id, `{}`), 422, "invalid")
}

// A plan is listed whole, an instance a line, and as the plan itself lists it.
func TestAPlanIsListedInstanceByInstance(t *testing.T) {
	f := newFixture(t)
	request := `{"jobs":["retail/orders"],"from":"2026-11-10","to":"2026-11-10","upstream":"1"}`
	plan := planned(f, request)
	w := f.as("viewer", http.MethodPost, backfills+"/plan/instances", request)
	require.Equal(t, 200, w.Code)
	require.Equal(t, "application/x-ndjson", w.Header().Get("Content-Type"))
	lines := json.NewDecoder(w.Body)
	lines.DisallowUnknownFields()
	var head web.BackfillPlan
	require.NoError(t, lines.Decode(&head))
	require.Equal(t, plan.Fingerprint, head.Fingerprint)
	require.Empty(t, head.Instances)
	for n := range plan.Instances {
		var row web.BackfillPlanInstance
		require.NoError(t, lines.Decode(&row))
		require.True(t, plan.Instances[n].PlanTime.Equal(row.PlanTime))
		row.PlanTime = plan.Instances[n].PlanTime
		require.Equal(t, plan.Instances[n], row)
	}
	require.False(t, lines.More())
	refused(f, f.as("viewer", http.MethodPost, backfills+"/plan/instances", `{"jobs":["retail/none"],"from":"2026-11-10","to":"2026-11-10"}`), 422, "invalid")
}

// The document has another version than before, and a plan that was saved before it is applied all the same.
func TestAPlanOfTheVersionBeforeIsApplied(t *testing.T) {
	f := newFixture(t)
	plan := planned(f, `{"jobs":["retail/orders"],"from":"2026-11-10","to":"2026-11-10","upstream":"1"}`)
	plan.Format = engine.BackfillFormatOld
	w := f.as("operator", http.MethodPost, backfills, application(f, plan))
	require.Equal(t, 201, w.Code, w.Body)
}
