package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

func TestPagesOfInstancesJoinToTheWholeList(t *testing.T) {
	f := newFixture(t)
	whole := get[web.InstancePage](f, "/api/v1/instances?limit=500")
	require.Len(t, whole.Items, 25)
	require.Empty(t, whole.Next)
	var joined []web.Instance
	pages := 0
	for cursor := ""; ; pages++ {
		page := get[web.InstancePage](f, "/api/v1/instances?limit=4&cursor="+url.QueryEscape(cursor))
		require.LessOrEqual(t, len(page.Items), 4)
		joined = append(joined, page.Items...)
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	require.Equal(t, whole.Items, joined)
	require.GreaterOrEqual(t, pages, 6)
	for n := 1; n < len(joined); n++ {
		require.False(t, joined[n-1].PlanTime.Before(joined[n].PlanTime), "newest plan time first")
	}
}

func TestInstancesAreFiltered(t *testing.T) {
	f := newFixture(t)
	f.run(f.at("stores", 5), "", engine.OutcomeSucceeded)
	f.run(f.at("orders", 9), "", engine.OutcomeFailed)
	f.run(f.at("orders", 10), "", "")
	count := func(query string) int {
		t.Helper()
		return len(get[web.InstancePage](f, "/api/v1/instances?"+query).Items)
	}
	require.Equal(t, 25, count(""))
	require.Equal(t, 25, count("workflow=retail"))
	require.Equal(t, 0, count("workflow=other"))
	require.Equal(t, 24, count("workflow=retail&job=orders"))
	require.Equal(t, 1, count("workflow=retail&job=stores"))
	require.Equal(t, 22, count("state=waiting"))
	require.Equal(t, 2, count("state=running&state=failed"))
	require.Equal(t, 1, count("state=succeeded"))
	require.Equal(t, 0, count("kind=manual"))
	require.Equal(t, 25, count("kind=scheduled"))
	hour := func(h int) string { return url.QueryEscape(day.Add(time.Duration(h) * time.Hour).Format(time.RFC3339)) }
	require.Equal(t, 3, count("workflow=retail&job=orders&from="+hour(6)+"&to="+hour(9)), "[from, to)")
	require.Equal(t, 1, count("workflow=retail&job=stores&from="+hour(5)+"&to="+hour(6)))

	for _, bad := range []string{
		"state=ready", "state=waiting&state=x", "kind=x", "limit=0", "limit=501", "limit=x", "from=yesterdy", "job=orders", "from=" + hour(6) + "&to=" + hour(6),
		"cursor=%21%21", "cursor=" + "AAAA", "colour=red", "State=waiting",
	} {
		p := refused(f, f.as("viewer", http.MethodGet, "/api/v1/instances?"+bad, ""), 422, "invalid")
		require.NotEmpty(t, p.Errors, bad)
	}
	p := refused(f, f.as("viewer", http.MethodGet, "/api/v1/instances?limit=0&state=x&kind=y&colour=red", ""), 422, "invalid")
	require.NotEmpty(t, p.Errors)
}

func TestAnInstanceAsTheAPIShowsIt(t *testing.T) {
	f := newFixture(t)
	i := f.at("orders", 6)
	shown := get[map[string]any](f, fmt.Sprintf("/api/v1/instances/%d", i.ID))
	require.Equal(t, map[string]any{
		"id": fmt.Sprint(i.ID), "name": "retail/orders@2026-11-21T06:00:00+01:00", "workflow": "retail", "job": "orders", "kind": "scheduled",
		"planTime": "2026-11-21T06:00:00+01:00", "state": "waiting", "gate": "time", "run": 1.0,
		"reason": map[string]any{"code": "planned", "text": "planned"}, "notBefore": "2026-11-21T06:00:00+01:00", "priority": 5.0, "version": fmt.Sprint(i.Version),
	}, shown)
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/instances/999999", ""), 404, "not-found")
}

func TestWaitsCarryTheOffsetOfThePlanTime(t *testing.T) {
	f := newFixture(t)
	waits := get[web.WaitList](f, fmt.Sprintf("/api/v1/instances/%d/waits", f.at("orders", 20).ID)).Items
	require.Len(t, waits, 1)
	require.Equal(t, "stores", waits[0].Job)
	require.Equal(t, 1, waits[0].Count)
	require.Equal(t, "2026-11-21T05:00:00+01:00", waits[0].First.Format(time.RFC3339))
	require.Equal(t, waits[0].First, waits[0].Last)
	_, offset := waits[0].Window.From.Zone()
	require.Equal(t, 3600, offset)
	require.Equal(t, engine.MissingRun, waits[0].OnMissing)
	require.JSONEq(t, `{"items":[]}`, f.as("viewer", http.MethodGet, fmt.Sprintf("/api/v1/instances/%d/waits", f.at("stores", 5).ID), "").Body.String())
	for _, rest := range []string{"waits", "attempts", "events", "explain"} {
		refused(f, f.as("viewer", http.MethodGet, "/api/v1/instances/999999/"+rest, ""), 404, "not-found")
	}
}

func TestExplainNamesWhatIsWaitedFor(t *testing.T) {
	f := newFixture(t)
	f.now = day.Add(20*time.Hour + time.Minute)
	orders, stores := f.at("orders", 20), f.at("stores", 5)
	x := get[web.Explanation](f, fmt.Sprintf("/api/v1/instances/%d/explain", orders.ID))
	require.Equal(t, engine.GateDependency, x.Holding)
	require.Equal(t, web.Verdict{Gate: engine.GateTime, Open: true, Text: "was due at 2026-11-21 20:00:00 +01:00"}, x.Gates[0])
	require.Equal(t, engine.GateDependency, x.Gates[2].Gate)
	require.False(t, x.Gates[2].Open)
	require.Equal(t, "waits for retail/stores@2026-11-21T05:00:00+01:00, which is waiting", x.Gates[2].Reason.Text)
	require.Len(t, x.Dependencies, 1)
	require.False(t, x.Dependencies[0].Satisfied)
	require.Equal(t, web.ID(stores.ID), x.Dependencies[0].Missing.ID)
	require.Equal(t, "2026-11-21T05:00:00+01:00", x.Dependencies[0].Missing.PlanTime.Format(time.RFC3339))
	require.Len(t, x.Blockers, 1)
	require.Equal(t, web.ID(stores.ID), *x.Blockers[0].Instance)
	require.Equal(t, engine.Waiting, x.Blockers[0].State)

	f.run(stores, "", engine.OutcomeSucceeded)
	x = get[web.Explanation](f, fmt.Sprintf("/api/v1/instances/%d/explain", orders.ID))
	require.True(t, x.Dependencies[0].Satisfied)
	require.Empty(t, x.Blockers)
	require.NotNil(t, x.Blockers, "an empty list is a list")
}

func TestAttemptsAndHistory(t *testing.T) {
	f := newFixture(t)
	i := f.at("stores", 5)
	id := f.run(i, "boom\n", engine.OutcomeFailed)
	a := get[web.Attempt](f, fmt.Sprintf("/api/v1/attempts/%d", id))
	require.Equal(t, web.ID(i.ID), a.Instance)
	require.Equal(t, i.Name(), a.InstanceName)
	require.Equal(t, engine.OutcomeFailed, a.Outcome)
	require.Equal(t, 3, *a.Exit)
	require.Equal(t, "exit 3", a.Text)
	require.Equal(t, "2026-11-21T10:30:01+01:00", a.EndedAt.Format(time.RFC3339))
	require.Equal(t, []web.Attempt{a}, get[web.AttemptList](f, fmt.Sprintf("/api/v1/instances/%d/attempts", i.ID)).Items)

	live := f.run(f.at("orders", 9), "", "")
	a = get[web.Attempt](f, fmt.Sprintf("/api/v1/attempts/%d", live))
	require.Empty(t, a.Outcome)
	require.True(t, a.EndedAt.IsZero())
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/attempts/999999", ""), 404, "not-found")

	target := fmt.Sprintf("/api/v1/instances/%d/events", i.ID)
	events := get[web.EventPage](f, target)
	require.Len(t, events.Items, 2)
	require.Equal(t, "start", events.Items[0].Kind)
	require.Equal(t, engine.Failed, events.Items[1].To)
	require.Equal(t, "failed: exit 3", events.Items[1].Reason.Text)
	require.Empty(t, events.Next)
	first := get[web.EventPage](f, target+"?limit=1")
	require.Equal(t, events.Items[:1], first.Items)
	require.Equal(t, events.Items[1:], get[web.EventPage](f, target+"?limit=1&after="+first.Next).Items)
}

func TestJobsAreListedAndDescribed(t *testing.T) {
	f := newFixture(t)
	names := func(query string) (list []string) {
		t.Helper()
		for _, j := range get[web.JobPage](f, "/api/v1/jobs?"+query).Items {
			list = append(list, j.Job.Job)
		}
		return list
	}
	require.Equal(t, []string{"orders", "stores"}, names(""))
	require.Equal(t, []string{"orders"}, names("q=ORD"))
	require.Equal(t, []string{"orders", "stores"}, names("q=retail/"))
	require.Empty(t, names("workflow=other"))
	page := get[web.JobPage](f, "/api/v1/jobs?limit=1")
	require.Len(t, page.Items, 1)
	require.Equal(t, []string{"stores"}, names("limit=1&cursor="+page.Next))
	require.Empty(t, get[web.JobPage](f, "/api/v1/jobs?limit=1&cursor="+page.Next).Next, "the last page has no next")
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/jobs?cursor=x", ""), 422, "invalid")

	require.Empty(t, page.Items[0].Recurrence, "unless it is asked for")
	due := get[web.JobPage](f, "/api/v1/jobs?due=true").Items
	require.Contains(t, due[0].Recurrence, "every day")
	require.Equal(t, "2026-11-21T11:00:00+01:00", due[0].Due.Format(time.RFC3339))

	orders := get[web.JobDetail](f, "/api/v1/jobs/retail/orders")
	require.JSONEq(t, `{"job":"orders"}`, string(orders.Definition))
	require.Equal(t, "Europe/Berlin", orders.TimeZone)
	require.Contains(t, orders.Recurrence, "every day")
	require.Len(t, orders.Next, 5)
	require.Equal(t, "2026-11-21T11:00:00+01:00", orders.Next[0].Format(time.RFC3339))
	require.Equal(t, "stores", orders.DependsOn[0].Job)
	require.Equal(t, "natural", orders.DependsOn[0].Policy)
	require.Equal(t, engine.FailedWait, orders.DependsOn[0].OnFailed)
	require.Equal(t, "10", *orders.Params[1].Default)
	require.Equal(t, "<script>alert(1)</script>", orders.Description)
	require.NotContains(t, f.as("viewer", http.MethodGet, "/api/v1/jobs/retail/orders", "").Body.String(), "<script>", "not even inside of JSON")
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/jobs/retail/nothing", ""), 404, "not-found")

	// A definition that this program cannot read is shown as it is.
	delete(f.jobs, "stores")
	stores := get[web.JobDetail](f, "/api/v1/jobs/retail/stores")
	require.Contains(t, stores.DefinitionError, "another version")
	require.JSONEq(t, `{"job":"stores"}`, string(stores.Definition))
	require.Empty(t, stores.Next)
}

func TestRemovedJobsAreListedWhenAskedFor(t *testing.T) {
	f := newFixture(t)
	orders := *f.jobs["orders"]
	orders.DependsOn = nil
	workflow := &engine.Workflow{Name: "retail", Location: berlin, Jobs: []*engine.Job{&orders}}
	_, err := f.engine.Load(t.Context(), []*engine.Workflow{workflow}, start)
	require.NoError(t, err)
	require.Len(t, get[web.JobPage](f, "/api/v1/jobs").Items, 1)
	require.Len(t, get[web.JobPage](f, "/api/v1/jobs?removed=true").Items, 2)
	stores := get[web.JobDetail](f, "/api/v1/jobs/retail/stores")
	require.True(t, stores.Removed)
	require.Empty(t, stores.Next)
	refused(f, f.as("operator", http.MethodPost, "/api/v1/jobs/retail/stores/trigger", ""), 404, "not-found")
}

func TestTheStatusCountsWhatIs(t *testing.T) {
	f := newFixture(t)
	f.run(f.at("stores", 5), "", engine.OutcomeSucceeded)
	f.run(f.at("orders", 9), "", "")
	s := get[web.Status](f, "/api/v1/status")
	require.Equal(t, "0.1.0", s.Version)
	require.True(t, s.Ready)
	require.Equal(t, web.InstanceCounts{Waiting: 23, Running: 1, Succeeded: 1}, s.Instances)
	require.Equal(t, web.GateCounts{Time: 23}, s.Gates)
	require.Equal(t, web.Slots{Total: 2, Used: 1}, s.Slots)
	require.True(t, s.Now.Equal(start))
	f.now = start.Add(25 * time.Hour)
	require.Zero(t, get[web.Status](f, "/api/v1/status").Instances.Succeeded, "what ended long ago is history")
}

// The reason of what waits says in which state what it waits for is now, wherever the instance is
// shown.
func TestListsFollowWhatIsWaitedFor(t *testing.T) {
	f := newFixture(t)
	f.now = day.Add(20*time.Hour + time.Minute)
	orders, stores := f.at("orders", 20), f.at("stores", 5)
	ref, at := stores.Ref, stores.PlanTime
	require.NoError(t, f.db.Write(t.Context(), func(tx engine.Tx) error {
		waits := engine.Reason{Code: engine.ReasonUpstream, Upstream: &ref, At: &at, State: engine.Waiting}
		_, err := tx.Hold(engine.Hold{Instance: orders.ID, Gate: engine.GateDependency, Reason: waits})
		return err
	}))
	said := func() (texts []string) {
		for _, query := range []string{
			"job=orders&workflow=retail&limit=500", "limit=500&selector=job:orders%20date:2026-11-21",
		} {
			for _, i := range get[web.InstancePage](f, "/api/v1/instances?"+query).Items {
				if int64(i.ID) == orders.ID {
					texts = append(texts, i.Reason.Text)
				}
			}
		}
		one := get[web.Instance](f, fmt.Sprintf("/api/v1/instances/%d", orders.ID))
		return append(texts, one.Reason.Text)
	}
	const up = "retail/stores@2026-11-21T05:00:00+01:00, which is "
	for _, want := range []struct {
		text string
		do   func()
	}{
		{"waits for " + up + "waiting", func() {}},
		{"waits for " + up + "running", func() { f.run(stores, "", "") }},
	} {
		want.do()
		require.Equal(t, []string{want.text, want.text, want.text}, said())
	}
}
