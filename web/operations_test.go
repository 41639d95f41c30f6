package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

func TestOperations(t *testing.T) {
	f := newFixture(t)
	operate := func(body string, options ...option) web.OperationResult {
		t.Helper()
		return decode[web.OperationResult](f, f.as("operator", http.MethodPost, "/api/v1/operations", body, options...), 200)
	}
	a, b := f.at("orders", 20).ID, f.at("orders", 21).ID
	both := fmt.Sprintf(`"ids":["%d","%d"]`, a, b)
	preview := operate(`{"operation":"freeze","dryRun":true,` + both + `}`)
	require.True(t, preview.DryRun)
	require.Equal(t, 2, preview.Counts.Changed)
	require.False(t, get[web.Instance](f, fmt.Sprintf("/api/v1/instances/%d", a)).Frozen)

	key := header("Idempotency-Key", "hold-1")
	done := operate(`{"operation":"freeze","note":"month end",`+both+`}`, key)
	require.Equal(t, preview.Changes, done.Changes)
	require.Contains(t, f.output.String(), `note="month end"`)
	require.True(t, get[web.Instance](f, fmt.Sprintf("/api/v1/instances/%d", a)).Frozen)
	events := get[web.EventPage](f, fmt.Sprintf("/api/v1/instances/%d/events", a)).Items
	require.Equal(t, "freeze", events[len(events)-1].Kind)
	require.Equal(t, "month end", events[len(events)-1].Reason.Detail)

	again := operate(`{"operation":"freeze","note":"month end",`+both+`}`, key)
	require.Equal(t, done.Changes, again.Changes)
	refused(f, f.as("operator", http.MethodPost, "/api/v1/operations", `{"operation":"unfreeze",`+both+`}`, key), 422, "key-reused")

	list := get[web.InstancePage](f, "/api/v1/instances?limit=1&selector="+url.QueryEscape("job:orders state:waiting date:today time:20:00..21:00"))
	require.Len(t, list.Items, 1)
	require.Equal(t, web.ID(b), list.Items[0].ID, "newest first")
	list = get[web.InstancePage](f, "/api/v1/instances?cursor="+list.Next+"&selector="+url.QueryEscape("job:orders state:waiting date:today time:20:00..21:00"))
	require.Equal(t, web.ID(a), list.Items[0].ID)
	require.Empty(t, list.Next)
}

func TestOperationsThatAreRefused(t *testing.T) {
	f := newFixture(t)
	ended := f.at("stores", 5)
	f.run(ended, "", engine.OutcomeFailed)
	waiting := f.at("orders", 20).ID
	for name, c := range map[string]struct {
		body, code, says string
		status           int
	}{
		"an unknown operation":   {`{"operation":"reboot","ids":["1"]}`, "invalid", "operation", 422},
		"neither":                {`{"operation":"skip"}`, "invalid", "say on which instances", 422},
		"both":                   {`{"operation":"skip","ids":["1"],"selector":"id:1"}`, "invalid", "not both", 422},
		"another's option":       {`{"operation":"skip","ids":["1"],"options":{"priority":3}}`, "invalid", "priority is one of boost", 422},
		"a selector's mistakes":  {`{"operation":"skip","selector":"jbo:x state:faild"}`, "invalid", "did you mean failed", 422},
		"nothing matches":        {`{"operation":"skip","selector":"job:orders state:lost"}`, "not-found", "state:lost", 404},
		"no such instance":       {`{"operation":"skip","ids":["999999"]}`, "not-found", "999999", 404},
		"one in a wrong state":   {fmt.Sprintf(`{"operation":"freeze","ids":["%d"]}`, ended.ID), "conflict", "it is failed", 409},
		"some in a wrong state":  {fmt.Sprintf(`{"operation":"freeze","ids":["%d","%d"]}`, ended.ID, waiting), "conflict", "it is failed", 409},
		"an upstream of nowhere": {fmt.Sprintf(`{"operation":"detach","ids":["%d"],"options":{"upstream":"retail/orders"}}`, waiting), "invalid", "upstream", 422},
	} {
		t.Log(name)
		p := refused(f, f.as("operator", http.MethodPost, "/api/v1/operations", c.body), c.status, c.code)
		require.Contains(t, p.Detail+fmt.Sprint(p.Errors), c.says)
	}
	require.False(t, get[web.Instance](f, fmt.Sprintf("/api/v1/instances/%d", waiting)).Frozen, "all or nothing")
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/instances?workflow=retail&selector=4217", ""), 422, "invalid")
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/instances?cursor=x&selector="+fmt.Sprint(waiting), ""), 422, "invalid")
}

// many asks for an operation on more instances than one transaction changes.
func (f *fixture) many() int64 {
	f.t.Helper()
	const body = `{"operation":"freeze","selector":"job:orders date:2026-12-01..20","note":"month end"}`
	w := f.as("operator", http.MethodPost, "/api/v1/operations", body)
	result := decode[web.OperationResult](f, w, 202)
	require.NotNil(f.t, result.UnderWay)
	require.Equal(f.t, "/api/v1/operations/"+result.UnderWay.ID.String(), w.Header().Get("Location"))
	return int64(result.UnderWay.ID)
}

func TestAnOperationOnManyIsAnsweredAtOnce(t *testing.T) {
	f := newFixture(t)
	id := f.many()
	one := fmt.Sprintf("/api/v1/operations/%d", id)
	p := get[web.OperationProgress](f, one)
	require.Equal(t, engine.OperationChanging, p.State)
	require.Zero(t, p.Done)
	require.Greater(t, p.Total, 300)
	for more := true; more; {
		var err error
		more, err = f.engine.Bulk(t.Context(), f.cfg.Now())
		require.NoError(t, err)
	}
	p = get[web.OperationProgress](f, one)
	require.Equal(t, []any{engine.OperationEnded, p.Total, p.Total, "month end", 0}, []any{p.State, p.Done, p.Counts.Changed, p.Note, p.MovedOn})
	require.NotNil(t, p.EndedAt)
	again := f.as("operator", http.MethodPost, "/api/v1/operations", `{"operation":"freeze","selector":"job:orders date:2026-12-01..20"}`)
	require.Nil(t, decode[web.OperationResult](f, again, 200).UnderWay, "all of it is frozen already")
	boost := f.as("operator", http.MethodPost, "/api/v1/operations", `{"operation":"boost","selector":"job:orders date:2026-12-01..20"}`)
	second := decode[web.OperationResult](f, boost, 202).UnderWay.ID
	page := get[web.OperationPage](f, "/api/v1/operations?limit=1")
	require.Len(t, page.Items, 1)
	require.Equal(t, second, page.Items[0].ID)
	page = get[web.OperationPage](f, "/api/v1/operations?limit=1&cursor="+page.Next)
	require.EqualValues(t, id, page.Items[0].ID)
	require.Empty(t, page.Next)
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/operations?cursor=x", ""), 422, "invalid")
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/operations/1", ""), 404, "not-found")
}
