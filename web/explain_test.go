package web_test

import (
	"fmt"
	"net/http"
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
