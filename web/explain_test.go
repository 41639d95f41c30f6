package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

func TestExplainByNameIsInTheZoneOfTheJob(t *testing.T) {
	f := newFixture(t)
	f.now = day.Add(20*time.Hour + time.Minute)
	orders := f.at("orders", 20)
	byID := get[web.Explanation](f, fmt.Sprintf("/api/v1/instances/%d/explain", orders.ID))
	require.Equal(t, byID, get[web.Explanation](f, "/api/v1/explain?instance=retail/orders@2026-11-21T20:00"))
	require.Equal(t, byID, get[web.Explanation](f, "/api/v1/explain?instance=retail/orders@2026-11-21T19:00:00Z"))
	require.True(t, byID.Planned)
	require.Equal(t, web.ID(f.at("stores", 5).ID), *byID.Roots[0].Instance)

	future := get[web.Explanation](f, "/api/v1/explain?instance=retail/orders@2027-07-01T06:00")
	require.False(t, future.Planned)
	require.Equal(t, "2027-07-01T06:00:00+02:00", future.Instance.PlanTime.Format(time.RFC3339))
	require.Equal(t, "retail/stores@2027-07-01T05:00:00+02:00", future.Roots[0].Name)
	require.Nil(t, future.Roots[0].Instance)

	for _, bad := range []string{"retail/orders", "orders@2026-11-21T20:00", "retail/orders@noon", "retail/@2026-11-21T20:00"} {
		p := refused(f, f.as("viewer", http.MethodGet, "/api/v1/explain?instance="+bad, ""), 422, "invalid")
		require.NotEmpty(t, p.Errors, bad)
	}
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/explain?instance=retail/orders@2026-11-21T20:01", ""), 404, "not-found")
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/explain?instance=retail/nothing@2026-11-21T20:00", ""), 404, "not-found")
}

// shop/report, of Shanghai, waits for feed/load@2026-11-20T09:20 of New York: the other's times are on the other's clock, as in its name.
func TestAnUpstreamIsNamedOnItsOwnClock(t *testing.T) {
	shanghai, newYork := time.FixedZone("", 8*3600), time.FixedZone("", -5*3600)
	due, plan := time.Date(2026, 11, 21, 8, 0, 0, 0, shanghai), time.Date(2026, 11, 20, 9, 20, 0, 0, newYork)
	load := engine.JobRef{Workflow: "feed", Job: "load"}
	why := engine.Reason{Code: engine.ReasonUpstream, Upstream: &load, At: &plan, State: engine.Failed}
	cause := &engine.Cause{Ref: load, PlanTime: plan, Reason: engine.Reason{Code: engine.ReasonStepFailed}, Root: true}
	x := web.NewExplanation(&engine.Explanation{
		Instance: engine.Instance{Ref: engine.JobRef{Workflow: "shop", Job: "report"}, PlanTime: due, State: engine.Waiting, Reason: why},
		Blockers: []*engine.Cause{cause}, Roots: []*engine.Cause{cause},
		Dependencies: []engine.DependencyExplanation{{
			Wait:   engine.Wait{Ref: load, Count: 1, First: plan, Last: plan, WindowFrom: due.Add(-24 * time.Hour), WindowTo: due},
			Facts:  engine.Facts{Unsatisfied: &engine.UpstreamInstance{PlanTime: plan, State: engine.Failed}},
			Causes: []*engine.Cause{cause},
		}},
	})
	const name = "2026-11-20T09:20:00-05:00"
	wait := x.Dependencies[0]
	for what, at := range map[string]time.Time{
		"reason": *x.Instance.Reason.At, "blocker": x.Blockers[0].PlanTime, "root": x.Roots[0].PlanTime, "cause": wait.Causes[0].PlanTime,
		"first": wait.First, "last": wait.Last, "missing": wait.Missing.PlanTime,
	} {
		require.Equal(t, name, at.Format(time.RFC3339), what)
	}
	require.Equal(t, "waits for feed/load@2026-11-20T09:20:00-05:00, which is failed", x.Instance.Reason.Text)
	require.Equal(t, "2026-11-20T08:00:00+08:00", wait.Window.From.Format(time.RFC3339), "the window is of what waits")

	until := time.Date(2026, 11, 21, 1, 0, 0, 0, time.UTC)
	late := web.NewInstance(&engine.Instance{PlanTime: due, Reason: engine.Reason{Code: engine.ReasonWaitTimeout, Upstream: &load, At: &until, Detail: "timeout of the dependency"}})
	require.Equal(t, "waited too long for feed/load, until 2026-11-21 09:00:00 +08:00: timeout of the dependency", late.Reason.Text, "a deadline is of what waits")
}

// What an instance takes is what the server would not refuse for what it is: one that is not planned yet
// cannot be detached.
func TestAnExplanationOffersWhatTheServerTakes(t *testing.T) {
	f := newFixture(t)
	f.now = day.Add(20*time.Hour + time.Minute)
	recorded := f.at("orders", 6)
	x := get[web.Explanation](f, fmt.Sprintf("/api/v1/instances/%d/explain", recorded.ID))
	require.True(t, x.Planned)
	require.Equal(t, []engine.Operation{
		engine.OperateForce, engine.OperateSkip, engine.OperateFreeze, engine.OperateCancel, engine.OperateDetach, engine.OperateRunNow, engine.OperateBoost,
		engine.OperateReschedule,
	}, x.Operations)
	name := "retail/orders@" + recorded.PlanTime.AddDate(0, 0, 9).Format(time.RFC3339)
	ahead := get[web.Explanation](f, "/api/v1/explain?instance="+url.QueryEscape(name))
	require.False(t, ahead.Planned)
	require.NotEmpty(t, ahead.Dependencies)
	for _, op := range engine.Operations {
		body := fmt.Sprintf(`{"operation": %q, "selector": %q, "dryRun": true, "options": {}}`, op, name)
		switch op {
		case engine.OperateDetach:
			up := "retail/stores@" + ahead.Dependencies[0].Window.From.Add(5*time.Hour).Format(time.RFC3339)
			body = fmt.Sprintf(`{"operation": %q, "selector": %q, "dryRun": true, "options": {"upstream": %q}}`, op, name, up)
		case engine.OperateBoost:
			body = fmt.Sprintf(`{"operation": %q, "selector": %q, "dryRun": true, "options": {"priority": 9}}`, op, name)
		case engine.OperateReschedule:
			body = fmt.Sprintf(`{"operation": %q, "selector": %q, "dryRun": true, "options": {"to": "plan"}}`, op, name)
		}
		status := f.as("operator", http.MethodPost, "/api/v1/operations", body).Code
		if slices.Contains(ahead.Operations, op) {
			require.Equal(t, http.StatusOK, status, op)
		} else if op != engine.OperateUnfreeze && op != engine.OperateConfirm { // nothing to change is no mistake
			require.GreaterOrEqual(t, status, 400, op)
		}
	}
}

func TestExplainAsOfThen(t *testing.T) {
	f := newFixture(t)
	f.now = day.Add(20*time.Hour + time.Minute)
	stores := f.at("stores", 5)
	f.run(stores, "", engine.OutcomeSucceeded)
	target := fmt.Sprintf("/api/v1/instances/%d/explain", stores.ID)
	x := get[web.Explanation](f, target)
	require.Equal(t, engine.Succeeded, x.Instance.State)
	require.Len(t, x.Events, 2)
	require.Len(t, x.Attempts, 1)
	ended := x.Events[1].At
	x = get[web.Explanation](f, target+"?at="+ended.UTC().Add(-time.Millisecond).Format("2006-01-02T15:04:05.000Z"))
	require.Equal(t, engine.Running, x.Instance.State)
	require.Len(t, x.Events, 1)
	require.NotEmpty(t, x.Unknown)
	for _, at := range []string{"2020-01-01T00:00:00Z", f.now.AddDate(1, 0, 0).UTC().Format(time.RFC3339), "noon"} {
		refused(f, f.as("viewer", http.MethodGet, target+"?at="+at, ""), 422, "invalid")
	}
}

func TestTheGraphAroundAnInstance(t *testing.T) {
	f := newFixture(t)
	f.now = day.Add(20*time.Hour + time.Minute)
	stores := f.at("stores", 5)
	g := get[web.Graph](f, fmt.Sprintf("/api/v1/instances/%d/graph?up=1&down=1", stores.ID))
	require.Len(t, g.Nodes, 25, "every orders of the day waits for it")
	require.Equal(t, "retail/stores@2026-11-21T05:00:00+01:00", g.Nodes[0].Instance.Name)
	require.Len(t, g.Edges, 24)
	require.Equal(t, []string{"n0"}, g.Edges[0].From)
	require.Equal(t, 1, g.Nodes[1].Hop)
	require.False(t, g.More)
	g = get[web.Graph](f, fmt.Sprintf("/api/v1/instances/%d/graph?up=1&down=1&limit=5", stores.ID))
	require.Len(t, g.Nodes, 5)
	require.True(t, g.More)
	require.Equal(t, 20, g.Nodes[0].MoreDown)
	refused(f, f.as("viewer", http.MethodGet, fmt.Sprintf("/api/v1/instances/%d/graph?up=101", stores.ID), ""), 422, "invalid")
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/instances/999999/graph", ""), 404, "not-found")
}
