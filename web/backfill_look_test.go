package web_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/web"
)

func TestABackfillIsCountedDayByDay(t *testing.T) {
	f := newFixture(t)
	plan := planned(f, `{"jobs":["retail/orders"],"from":"2026-11-09","to":"2026-11-10","ignoreMissing":true}`)
	decode[web.Backfill](f, f.as("operator", http.MethodPost, backfills, application(f, plan)), 201)
	require.Equal(t, []web.BackfillDay{
		{Day: "2026-11-09", Instances: web.InstanceCounts{Waiting: 24}}, {Day: "2026-11-10", Instances: web.InstanceCounts{Waiting: 24}},
	}, get[web.BackfillDays](f, backfills+"/"+plan.ID+"/days").Days)
	refused(f, f.as("viewer", http.MethodGet, backfills+"/bf-none/days", ""), 404, "not-found")

	page := get[web.InstancePage](f, "/api/v1/instances?limit=500&selector=backfill:"+plan.ID)
	require.Len(t, page.Items, 48)
	require.Len(t, get[web.InstancePage](f, "/api/v1/instances?limit=500&selector=backfill:"+plan.ID+"+state:waiting+date:2026-11-09").Items, 24)
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/instances?selector=backfill:bf-none", ""), 404, "not-found")
}

func TestTheJobsAroundAJob(t *testing.T) {
	f := newFixture(t)
	around := get[web.JobsAround](f, "/api/v1/jobs/around?job=retail/orders")
	require.Equal(t, []web.JobNode{{Workflow: "retail", Job: "orders", Asked: true}, {Workflow: "retail", Job: "stores", Up: 1}}, around.Nodes)
	require.Equal(t, []web.JobEdge{{From: "retail/stores", To: "retail/orders"}}, around.Edges)
	around = get[web.JobsAround](f, "/api/v1/jobs/around?job=retail/stores&job=retail/orders&limit=1")
	require.Equal(t, []web.JobNode{{Workflow: "retail", Job: "stores", Asked: true}}, around.Nodes)
	require.True(t, around.More)
	problem := refused(f, f.as("viewer", http.MethodGet, "/api/v1/jobs/around?job=retail/none&job=x", ""), 422, "invalid")
	require.Len(t, problem.Errors, 2)
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/jobs/around", ""), 422, "invalid")
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/jobs/around?job=retail/orders&limit=0", ""), 422, "invalid")
}

func TestMistakesOfABackfillSayWhere(t *testing.T) {
	f := newFixture(t)
	where := func(request string) (places []string) {
		problem := refused(f, f.as("viewer", http.MethodPost, backfills+"/plan", request), 422, "invalid")
		for _, m := range problem.Errors {
			places = append(places, m.Location)
			require.NotContains(t, m.Message, "invalid")
		}
		return places
	}
	require.Equal(t, []string{"body.from", "body.jobs", "body.jobs", "body.select", "body.order", "body.parallel", "body.priority", "body.share", "body.window"},
		where(`{"jobs":["retail/none","x"],"from":"yesterdy","to":"2026-11-02","select":["x"],"order":"up","parallel":-1,"priority":10,"share":"4..2","window":"9"}`))
	require.Equal(t, []string{"body.to", "body.upstream", "body.downstream", "body.steps"},
		where(`{"jobs":["retail/orders"],"from":"2026-11-02","to":"2026-11-01","upstream":"retail/x","downstream":"-1","steps":["x"]}`))
	require.Equal(t, []string{"body.dates"}, where(`{"jobs":["retail/orders"],"dates":["x"]}`))
	require.Equal(t, []string{"body.dates"}, where(`{"jobs":["retail/orders"],"dates":["2999-01-01"]}`))
	require.Equal(t, []string{"body.from"}, where(`{"jobs":["retail/orders"]}`))
}
