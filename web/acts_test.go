package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

const triggerOrders = "/api/v1/jobs/retail/orders/trigger"

func TestTriggerMakesAManualInstance(t *testing.T) {
	f := newFixture(t)
	w := f.as("operator", http.MethodPost, triggerOrders, `{"planTime":"2026-11-20T04:00:00Z","params":{"day":"2026-11-19"},"note":"late source"}`)
	i := decode[web.Instance](f, w, 201)
	require.Equal(t, "/api/v1/instances/"+i.ID.String(), w.Header().Get("Location"))
	require.Equal(t, engine.Manual, i.Kind)
	require.Equal(t, "retail/orders@2026-11-20T05:00:00+01:00", i.Name, "in the job's own zone")
	require.Equal(t, map[string]string{"day": "2026-11-19"}, i.Params)
	require.Equal(t, "operator", i.Reason.Actor)
	require.Equal(t, i, get[web.Instance](f, w.Header().Get("Location")))
	require.Contains(t, f.output.String(), `note="late source"`)

	events := get[web.EventPage](f, w.Header().Get("Location")+"/events")
	require.Len(t, events.Items, 1)
	require.Equal(t, "trigger", events.Items[0].Kind)
	require.Equal(t, "operator", events.Items[0].Actor)

	i = decode[web.Instance](f, f.as("operator", http.MethodPost, triggerOrders, ""), 201)
	require.True(t, i.PlanTime.Equal(start), "without a body it stands for now")
}

// What the form of a job calls an integer may be sent as one, and as a text that says it: both are the same parameter.
func TestAParameterIsAValueOrItsText(t *testing.T) {
	f := newFixture(t)
	for n, given := range []string{`{"limit": 12345678901234567, "day": "7"}`, `{"limit": "12345678901234567", "day": "7"}`, `{"limit": 12345678901234567, "day": 7}`} {
		w := f.as("operator", http.MethodPost, triggerOrders, `{"params":`+given+`}`, header("Idempotency-Key", "same"))
		i := decode[web.Instance](f, w, map[bool]int{true: 201, false: 200}[n == 0])
		require.Equal(t, map[string]string{"limit": "12345678901234567", "day": "7"}, i.Params)
	}
	w := f.as("operator", http.MethodPost, triggerOrders, `{"params":{"day":[ "a", 1, true ]}}`)
	require.Equal(t, map[string]string{"day": `["a",1,true]`}, decode[web.Instance](f, w, 201).Params)
}

func TestTheSameKeyIsTheSameInstance(t *testing.T) {
	f := newFixture(t)
	key := header("Idempotency-Key", "reload-7")
	body := `{"params":{"day":"2026-11-19"}}`
	answer := f.as("operator", http.MethodPost, triggerOrders, body, key)
	require.Empty(t, answer.Header().Get("Idempotency-Replayed"))
	first := decode[web.Instance](f, answer, 201)
	f.now = f.now.Add(time.Minute)
	again := f.as("admin", http.MethodPost, triggerOrders, body, key)
	require.Equal(t, "/api/v1/instances/"+first.ID.String(), again.Header().Get("Location"))
	require.Equal(t, "true", again.Header().Get("Idempotency-Replayed"))
	require.Equal(t, first, decode[web.Instance](f, again, 200))

	refused(f, f.as("operator", http.MethodPost, triggerOrders, `{"params":{"day":"2026-11-18"}}`, key), 422, "key-reused")
	refused(f, f.as("operator", http.MethodPost, triggerOrders, `{"planTime":"2026-11-18T00:00:00Z","params":{"day":"2026-11-19"}}`, key), 422, "key-reused")
	require.Len(t, get[web.InstancePage](f, "/api/v1/instances?kind=manual").Items, 1)

	other := decode[web.Instance](f, f.as("operator", http.MethodPost, "/api/v1/jobs/retail/stores/trigger", "", key), 201)
	require.NotEqual(t, first.ID, other.ID, "a key belongs to a job")
	a := decode[web.Instance](f, f.as("operator", http.MethodPost, triggerOrders, ""), 201)
	b := decode[web.Instance](f, f.as("operator", http.MethodPost, triggerOrders, `{"planTime":"2026-11-18T00:00:00Z"}`), 201)
	require.NotEqual(t, a.ID, b.ID, "without a key each request is its own")

	for _, bad := range []string{"trigger-" + a.ID.String(), " x", "a b", "ä", strings.Repeat("k", 129), "-x", "a/b"} {
		refused(f, f.as("operator", http.MethodPost, triggerOrders, "", header("Idempotency-Key", bad)), 422, "invalid")
	}
}

func TestATriggerIsToldAllItsMistakesAtOnce(t *testing.T) {
	f := newFixture(t)
	p := refused(f, f.as("operator", http.MethodPost, triggerOrders, `{"params":{"limit":"ten","nobody":"x","other":"y"}}`), 422, "invalid")
	require.Equal(t, []web.Mistake{
		{Message: `the parameter limit is "ten", which is no integer`}, {Message: "the job has no parameter nobody"}, {Message: "the job has no parameter other"},
	}, p.Errors)
	p = refused(f, f.as("operator", http.MethodPost, triggerOrders, `{"planTime":"yesterday","params":{"day":7},"colour":"red"}`), 422, "invalid")
	require.Len(t, p.Errors, 2)
	require.Equal(t, []string{"body.colour", "body.planTime"}, []string{p.Errors[0].Location, p.Errors[1].Location})
	p = refused(f, f.as("operator", http.MethodPost, triggerOrders, `{"params":{"day":null,"limit":{"at":1}}}`), 422, "invalid")
	require.Equal(t, []string{"body.params.day", "body.params.limit"}, []string{p.Errors[0].Location, p.Errors[1].Location})
	require.Contains(t, p.Errors[0].Message, "leave out what takes its default")
	p = refused(f, f.as("operator", http.MethodPost, triggerOrders, fmt.Sprintf(`{"params":{"day":%q}}`, strings.Repeat("x", 5000))), 422, "invalid")
	require.Equal(t, "body.params.day", p.Errors[0].Location)

	p = refused(f, f.as("operator", http.MethodPost, "/api/v1/jobs/retail/nothing/trigger", ""), 404, "not-found")
	require.NotContains(t, p.Detail, "\n")
}

func TestADisabledJobIsNotTriggered(t *testing.T) {
	f := newFixture(t)
	f.jobs["stores"].Disabled = true
	workflow := &engine.Workflow{Name: "retail", Location: berlin, Jobs: []*engine.Job{f.jobs["orders"], f.jobs["stores"]}}
	_, err := f.engine.Load(t.Context(), []*engine.Workflow{workflow}, start)
	require.NoError(t, err)
	p := refused(f, f.as("operator", http.MethodPost, "/api/v1/jobs/retail/stores/trigger", ""), 409, "conflict")
	require.Contains(t, p.Detail, "enable it")
	detail := get[web.JobDetail](f, "/api/v1/jobs/retail/stores")
	require.True(t, detail.Disabled)
	require.Empty(t, detail.Next)
}

func TestCancelAndConfirm(t *testing.T) {
	f := newFixture(t)
	target := fmt.Sprintf("/api/v1/instances/%d", f.at("orders", 20).ID)
	i := decode[web.Instance](f, f.as("operator", http.MethodPost, target+"/cancel", `{"note":"no data today"}`), 200)
	require.Equal(t, engine.Cancelled, i.State)
	require.Equal(t, engine.ReasonPerson, i.Reason.Code)
	require.Equal(t, "by a person: no data today (by operator)", i.Reason.Text)
	require.Empty(t, i.Gate)
	require.Equal(t, start.Format(time.RFC3339), i.EndedAt.Format(time.RFC3339), "with the offset of the plan time")
	require.Equal(t, i, decode[web.Instance](f, f.as("operator", http.MethodPost, target+"/cancel", ""), 200), "cancelling twice is cancelling once")
	refused(f, f.as("operator", http.MethodPost, target+"/confirm", ""), 409, "conflict")

	target = fmt.Sprintf("/api/v1/instances/%d", f.at("orders", 21).ID)
	i = decode[web.Instance](f, f.as("operator", http.MethodPost, target+"/confirm", `{"note":"checked"}`), 200)
	require.Equal(t, "operator", i.Confirmed)
	require.Contains(t, f.output.String(), "note=checked")

	ended := f.at("stores", 5)
	f.run(ended, "", engine.OutcomeFailed)
	refused(f, f.as("operator", http.MethodPost, fmt.Sprintf("/api/v1/instances/%d/cancel", ended.ID), ""), 409, "conflict")
	refused(f, f.as("operator", http.MethodPost, "/api/v1/instances/999999/cancel", ""), 404, "not-found")
	refused(f, f.as("operator", http.MethodPost, "/api/v1/instances/999999/confirm", ""), 404, "not-found")
}

func TestARunningInstanceSaysThatItIsBeingCancelled(t *testing.T) {
	f := newFixture(t)
	running := f.at("orders", 9)
	f.run(running, "", "")
	i := decode[web.Instance](f, f.as("operator", http.MethodPost, fmt.Sprintf("/api/v1/instances/%d/cancel", running.ID), `{"note":"wrong day"}`), 200)
	require.Equal(t, engine.Running, i.State)
	require.NotNil(t, i.Cancel)
	require.Equal(t, "wrong day", i.Cancel.Detail)
	require.Equal(t, "operator", i.Cancel.Actor)
}

func TestBodiesAreStrict(t *testing.T) {
	f := newFixture(t)
	big := `{"note":"` + strings.Repeat("x", 1<<20) + `"}`
	deep := strings.Repeat(`{"params":`, 40) + `{}` + strings.Repeat(`}`, 40)
	for name, c := range map[string]struct {
		body   string
		option option
		status int
		code   string
	}{
		"an unknown member":          {`{"notes":"x"}`, nil, 422, "invalid"},
		"a member of another case":   {`{"Note":"x"}`, nil, 422, "invalid"},
		"a member twice":             {`{"note":"x","note":"y"}`, nil, 400, "bad-request"},
		"a member twice, hidden":     {`{"note":"x","\u006eote":"y"}`, nil, 400, "bad-request"},
		"a second document":          {`{"note":"x"} {"note":"y"}`, nil, 400, "bad-request"},
		"no JSON":                    {`note=x`, nil, 400, "bad-request"},
		"half a document":            {`{"note":"x"`, nil, 400, "bad-request"},
		"nothing as a document":      {`null`, nil, 422, "invalid"},
		"a list":                     {`[]`, nil, 422, "invalid"},
		"a number for a text":        {`{"note":1}`, nil, 422, "invalid"},
		"a note that is too long":    {`{"note":"` + strings.Repeat("x", 1001) + `"}`, nil, 422, "invalid"},
		"deep":                       {deep, nil, 400, "bad-request"},
		"too long":                   {big, nil, 413, "too-large"},
		"too long, length not told":  {big, func(r *http.Request) { r.ContentLength = -1 }, 413, "too-large"},
		"a form":                     {`{}`, header("Content-Type", "application/x-www-form-urlencoded"), 415, "unsupported-media-type"},
		"plain text":                 {`{}`, header("Content-Type", "text/plain"), 415, "unsupported-media-type"},
		"nothing said":               {`{}`, header("Content-Type", ""), 415, "unsupported-media-type"},
		"JSON by its suffix":         {`{}`, header("Content-Type", "text/plain+json"), 415, "unsupported-media-type"},
		"JSON in another encoding":   {`{}`, header("Content-Type", "application/json; charset=utf-16"), 415, "unsupported-media-type"},
		"an unknown query parameter": {`{}`, func(r *http.Request) { r.URL.RawQuery = "dryRun=true" }, 422, "invalid"},
	} {
		t.Log(name)
		o := c.option
		if o == nil {
			o = func(*http.Request) {}
		}
		p := refused(f, f.as("operator", http.MethodPost, "/api/v1/instances/1/cancel", c.body, o), c.status, c.code)
		require.NotContains(t, p.Detail+fmt.Sprint(p.Errors), "xxxxxxxx", "what was sent is not sent back")
	}
	target := fmt.Sprintf("/api/v1/instances/%d/cancel", f.at("orders", 20).ID)
	for _, ok := range []string{"", "{}", `{"note":""}`, " {\n} "} {
		require.Equal(t, 200, f.as("operator", http.MethodPost, target, ok).Code, "%q", ok)
	}
	exact := `{"note":"x"` + strings.Repeat(" ", 1<<20-12) + `}`
	require.Len(t, exact, 1<<20)
	require.Equal(t, 200, f.as("operator", http.MethodPost, target, exact).Code, "the limit is within the limit")
	require.Equal(t, 200, f.as("operator", http.MethodPost, target, "{}", header("Content-Type", "application/json; charset=UTF-8")).Code)

	refused(f, f.as("viewer", http.MethodGet, "/api/v1/jobs", "{}"), 413, "too-large")
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/jobs", "{}", func(r *http.Request) { r.ContentLength = -1 }), 413, "too-large")
}
