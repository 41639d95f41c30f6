package web_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

// A visit is how the matrix asks for a route, and what a principal who may use it is answered.
type visit struct {
	path, body string
	want       int
	before     func() // makes what the visit takes away
}

// visits must hold every route of the table.
func visits(f *fixture) map[string]visit {
	waiting := f.at("orders", 20).ID
	attempt := f.run(f.at("stores", 5), "loaded\n", "succeeded")
	ended := f.at("stores", 5).ID
	instance := func(id int64, rest string) string { return fmt.Sprintf("/api/v1/instances/%d%s", id, rest) }
	list := map[string]visit{
		"live":                {"/livez", "", 200, nil},
		"ready":               {"/readyz", "", 200, nil},
		"metrics":             {"/metrics", "", 200, nil},
		"describe":            {"/api/v1/openapi.json", "", 200, nil},
		"status":              {"/api/v1/status", "", 200, nil},
		"simulate":            {"/api/v1/simulate", `{"date": "2026-11-22", "assert": ["slots below 100"]}`, 200, nil},
		"listJobs":            {"/api/v1/jobs", "", 200, nil},
		"getJob":              {"/api/v1/jobs/retail/orders", "", 200, nil},
		"jobDays":             {"/api/v1/jobs/retail/orders/days", "", 200, nil},
		"listVersions":        {"/api/v1/jobs/retail/orders/versions", "", 200, nil},
		"listDefinitions":     {"/api/v1/definitions", "", 200, nil},
		"diffDefinitions":     {"/api/v1/definitions/diff", "{}", 200, nil},
		"validateDefinitions": {"/api/v1/definitions/validate", "{}", 200, nil},
		"previewDefinitions":  {"/api/v1/definitions/preview", `{"workflow":"retail","job":"orders","date":"2026-11-21"}`, 200, nil},
		"schemaDefinitions":   {"/api/v1/definitions/schema", "", 200, nil},
		"sourceDefinitions":   {"/api/v1/definitions/source?workflow=retail", "", 200, nil},
		"getDay":              {"/api/v1/days/2026-11-21", "", 200, nil},
		"getDayEdges":         {"/api/v1/days/2026-11-21/edges", "", 200, nil},
		"applyDefinitions": {"/api/v1/definitions/apply",
			fmt.Sprintf(`{"loaded":%q,"fingerprint":%q}`, f.fingerprint(), engine.FingerprintJobs(f.loaded[0].Jobs)), 200, nil},
		"reloadDefinitions": {"/api/v1/definitions/reload", "{}", 409, nil}, // the fixture has no folder
		"planCalendar":      {"/api/v1/plan.ics?job=ord*", "", 200, nil},
		"triggerJob":        {"/api/v1/jobs/retail/stores/trigger", "{}", 201, nil},
		"listInstances":     {"/api/v1/instances", "", 200, nil},
		"getInstance":       {instance(ended, ""), "", 200, nil},
		"listWaits":         {instance(waiting, "/waits"), "", 200, nil},
		"listAttempts":      {instance(ended, "/attempts"), "", 200, nil},
		"listRuns":          {instance(ended, "/runs"), "", 200, nil},
		"listEvents":        {instance(ended, "/events"), "", 200, nil},
		"explainInstance":   {instance(waiting, "/explain"), "", 200, nil},
		"explainByName":     {"/api/v1/explain?instance=retail/orders@2026-11-21T20:00", "", 200, nil},
		"graphInstance":     {instance(waiting, "/graph?up=2&ends=true"), "", 200, nil},
		"graphByName":       {"/api/v1/graph?instance=retail/orders@2026-11-21T20:00", "", 200, nil},
		"cancelInstance":    {instance(f.at("orders", 21).ID, "/cancel"), "{}", 200, nil},
		"confirmInstance":   {instance(f.at("orders", 22).ID, "/confirm"), "{}", 200, nil},
		"operate":           {"/api/v1/operations", fmt.Sprintf(`{"operation":"freeze","ids":["%d"]}`, f.at("orders", 23).ID), 200, nil},
		"listOperations":    {"/api/v1/operations", "", 200, nil},
		"getOperation":      {fmt.Sprintf("/api/v1/operations/%d", f.many()), "", 200, nil},
		"listPauses":        {"/api/v1/pauses", "", 200, nil},
		"listOrders":        {"/api/v1/orders", "", 200, nil},
		"pause":             {"/api/v1/pauses", `{"workflow":"retail","job":"stores"}`, 200, nil},
		"resume": {"/api/v1/pauses/resume", `{"workflow":"retail","job":"stores"}`, 200, func() {
			_, err := f.engine.Pause(f.t.Context(), engine.PauseRequest{Workflow: "retail", Job: "stores", Actor: "test"}, f.cfg.Now())
			require.NoError(f.t, err)
		}},
		"getAttempt":    {fmt.Sprintf("/api/v1/attempts/%d", attempt), "", 200, nil},
		"jobForm":       {"/api/v1/jobs/retail/orders/form", "", 200, nil},
		"listSteps":     {instance(ended, "/steps"), "", 200, nil},
		"deliver":       {"/hooks/retail/stores", "{}", 401, nil}, // whoever asks: a token is no signature
		"getDefinition": {"/api/v1/jobs/retail/orders/definition", "", 200, nil},
		"streamChanges": {"/api/v1/stream?after=0", "", 200, nil},
		"streamLog":     {fmt.Sprintf("/api/v1/attempts/%d/log/stream", attempt), "", 200, nil},
		"readLog":       {fmt.Sprintf("/api/v1/attempts/%d/log", attempt), "", 200, nil},
	}
	maps.Copy(list, azureVisits(f))
	maps.Copy(list, backfillVisits(f))
	maps.Copy(list, alertVisits(f))
	maps.Copy(list, adminVisits(f))
	maps.Copy(list, pageVisits())
	return list
}

func TestEveryRouteAsksEveryoneForTheirRole(t *testing.T) {
	f := newFixture(t)
	f.token("expired", "admin", start)
	f.token("of no role", "superuser", time.Time{})
	revoked := f.token("revoked", "admin", time.Time{})
	_, err := f.engine.RevokeToken(t.Context(), revoked, "test", "", start)
	require.NoError(t, err)
	f.tokens["nobody's"], _ = web.NewToken()
	f.tokens["truncated"] = f.tokens["admin"][:20]
	f.tokens["empty"] = ""
	f.tokens["of another case"] = strings.ToUpper(f.tokens["admin"])
	f.tokens["with a tail"] = f.tokens["admin"] + "A"
	strangers := map[string]int{
		"": 401, "expired": 401, "revoked": 401, "nobody's": 401, "truncated": 401, "empty": 401, "of another case": 401, "with a tail": 401,
		"of no role": 403,
	}

	described := readDescription(t)
	all := visits(f)
	for _, route := range web.Table() {
		v, listed := all[route.ID]
		require.True(t, listed, "the route %s %s is missing from the matrix", route.Method, route.Pattern)
		delete(all, route.ID)
		check := func(who string, want int) {
			t.Helper()
			if v.before != nil {
				v.before()
			}
			w := f.as(who, route.Method, v.path, v.body)
			require.Equal(t, want, w.Code, "%s %s as %q: %s", route.Method, v.path, who, w.Body)
			described.check(t, route, w)
			if route.Permission == web.Signed {
				require.Equal(t, `HMAC-SHA256 realm="almanac"`, w.Header().Get("WWW-Authenticate"))
			} else if want == 401 {
				challenges := []string{`Bearer realm="almanac"`}
				if route.Basic {
					challenges = append(challenges, `Basic realm="almanac", charset="UTF-8"`)
				}
				require.Equal(t, challenges, w.Header().Values("WWW-Authenticate"))
			}
			if route.Method == http.MethodGet {
				require.Equal(t, want, f.as(who, http.MethodHead, v.path, "").Code, "HEAD %s as %q", v.path, who)
			}
		}
		for who, want := range strangers {
			if route.Permission == web.Public || route.Permission == web.Signed {
				want = v.want
			}
			check(who, want)
		}
		for rank, role := range web.Roles {
			want := v.want
			if route.Permission != web.Public && route.Permission != web.Signed && web.Viewer+web.Permission(rank) < route.Permission {
				want = 403
			}
			check(string(role), want)
		}
	}
	require.Empty(t, all, "the matrix lists routes that there are not")
}

func TestThePublicListIsClosed(t *testing.T) {
	golden, err := os.ReadFile("testdata/public.txt")
	require.NoError(t, err)
	var public strings.Builder
	for _, route := range web.Table() {
		if route.Permission == web.Public {
			fmt.Fprintln(&public, route.Method, route.Pattern)
		}
	}
	require.Equal(t, string(golden), public.String(), "a public route is a decision, not an accident: testdata/public.txt is edited by hand")
}

func TestARouteWithoutPermissionCannotBeMounted(t *testing.T) {
	f := newFixture(t)
	for _, permission := range []web.Permission{0, -1, web.Signed + 1} {
		_, err := web.NewWithout(f.cfg, "listJobs", func(p *web.Permission, _, _ *string) { *p = permission })
		require.EqualError(t, err, "web: the route GET /api/v1/jobs has no permission")
	}
	_, err := web.NewWithout(f.cfg, "listJobs", func(_ *web.Permission, _, pattern *string) { *pattern = "/api/v1/{" })
	require.Error(t, err, "a pattern that the router refuses is an error, not a panic")
}

func TestNothingIsAllowedByDefault(t *testing.T) {
	for p := web.Permission(-1); p <= web.Signed+1; p++ {
		require.False(t, web.ZeroPrincipalAllows(p), p)
		require.False(t, web.Allows("root", p), p)
		require.False(t, web.Allows("Admin", p), p)
	}
	require.False(t, web.Allows(web.RoleAdmin, 0))
	require.False(t, web.Allows(web.RoleAdmin, web.Public))
	require.False(t, web.Allows(web.RoleAdmin, web.Admin+1))
	require.True(t, web.Allows(web.RoleAdmin, web.Viewer))
	require.False(t, web.Allows(web.RoleViewer, web.Operator))
}

func TestUnknownPathsAnswerStrangersLikeKnownOnes(t *testing.T) {
	f := newFixture(t)
	for _, path := range []string{"/api", "/assets", "/index.html", "/dist/index.html", "/ui/package.json", "/api/v1", "/api/v1/nothing", "/metricsz", "/debug/pprof", "/docs", "/openapi.json", "/schemas/Job", "/livezz", "/livez;x", "/livez.json", "/api/v1/jobs.json"} {
		refused(f, f.as("", http.MethodGet, path, ""), 401, "unauthenticated")
		refused(f, f.as("viewer", http.MethodGet, path, ""), 404, "not-found")
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions, http.MethodTrace, "BREW"} {
		refused(f, f.as("", method, "/api/v1/jobs", ""), 401, "unauthenticated")
		w := f.as("viewer", method, "/api/v1/jobs", "")
		refused(f, w, 405, "method-not-allowed")
		require.Equal(t, "GET, HEAD", w.Header().Get("Allow"))
	}
	refused(f, f.as("viewer", http.MethodPost, "/api/v1/nothing", "a=b", header("Content-Type", "application/x-www-form-urlencoded")), 404, "not-found")
	require.Equal(t, "POST", f.as("viewer", http.MethodGet, "/api/v1/instances/1/cancel", "").Header().Get("Allow"))
}

func TestOnlyOneBearerHeaderCounts(t *testing.T) {
	f := newFixture(t)
	secret := f.tokens["admin"]
	for name, o := range map[string]option{
		"basic":        header("Authorization", "Basic "+secret),
		"bare":         header("Authorization", secret),
		"two spaces":   header("Authorization", "Bearer  "+secret),
		"two in one":   header("Authorization", "Bearer "+secret+", Bearer "+secret),
		"cookie":       header("Cookie", "Authorization=Bearer "+secret+"; token="+secret),
		"another name": header("X-Api-Key", secret),
		"query":        func(r *http.Request) { r.URL.RawQuery = "access_token=" + secret },
		"two headers": func(r *http.Request) {
			r.Header.Add("Authorization", "Bearer "+secret)
			r.Header.Add("Authorization", "Bearer "+secret)
		},
	} {
		t.Run(name, func(t *testing.T) {
			refused(f, f.as("", http.MethodGet, "/api/v1/status", "", o), 401, "unauthenticated")
		})
	}
	require.Equal(t, 200, f.as("", http.MethodGet, "/api/v1/status", "", header("Authorization", "bearer "+secret)).Code)
}

// A browser repeats a password unasked, for any site that has it do so, so that one is taken only for what is read, and by programs that know nothing else.
func TestAPasswordIsATokenForTheCalendarOnly(t *testing.T) {
	f := newFixture(t)
	password := func(secret string) option { return func(r *http.Request) { r.SetBasicAuth("anybody", secret) } }
	require.Equal(t, 200, f.as("", http.MethodGet, "/api/v1/plan.ics", "", password(f.tokens["viewer"])).Code)
	for _, wrong := range []string{"", "secret", f.tokens["viewer"] + "A", f.tokens["viewer"][:20]} {
		refused(f, f.as("", http.MethodGet, "/api/v1/plan.ics", "", password(wrong)), 401, "unauthenticated")
	}
	for _, route := range web.Table() {
		if !route.Basic && route.Permission != web.Public && route.Permission != web.Signed {
			path := strings.NewReplacer("{", "", "}", "").Replace(route.Pattern)
			require.Equal(t, 401, f.as("", route.Method, path, "", password(f.tokens["admin"])).Code, route.ID)
		}
		require.False(t, route.Basic && route.Method != http.MethodGet, route.ID)
	}
}

func TestATokenEndsAtItsExpiry(t *testing.T) {
	f := newFixture(t)
	f.token("short", "viewer", start.Add(time.Hour))
	f.now = start.Add(time.Hour - time.Millisecond)
	require.Equal(t, 200, f.as("short", http.MethodGet, "/api/v1/status", "").Code)
	f.now = start.Add(time.Hour)
	refused(f, f.as("short", http.MethodGet, "/api/v1/status", ""), 401, "token-expired")
}

func TestSecretsAreRandomAndOnlyTheirHashIsKept(t *testing.T) {
	seen := map[string]bool{}
	for range 100 {
		secret, hash := web.NewToken()
		require.Regexp(t, `^alm_[A-Za-z0-9_-]{43}$`, secret)
		require.Len(t, hash, 32)
		require.Equal(t, hash, web.HashToken(secret))
		require.False(t, seen[secret])
		seen[secret] = true
	}
}

func TestWithoutTokensOnLoopbackOnly(t *testing.T) {
	f := newFixture(t)
	open := f.cfg
	open.Dev = true
	_, err := web.New(open)
	require.ErrorContains(t, err, "loopback")

	f = newFixture(t, func(c *web.Config) { c.Dev, c.Loopback, c.Tokens = true, true, nil })
	for _, name := range []string{"127.0.0.1:8080", "127.8.7.6", "localhost", "localhost:1", "LOCALHOST:1", "[::1]:8080", "[::1]"} {
		require.Equal(t, 200, f.as("", http.MethodGet, "/api/v1/status", "", host(name)).Code, name)
	}
	for _, name := range []string{"example.com", "127.0.0.1.example.com", "localhost.example.com", "192.168.1.4:8080", "0.0.0.0:8080", ""} {
		refused(f, f.as("", http.MethodGet, "/api/v1/status", "", host(name)), 421, "wrong-host")
	}
	f.tokens["wrong"], _ = web.NewToken()
	refused(f, f.as("wrong", http.MethodGet, "/api/v1/status", "", host("localhost")), 401, "unauthenticated")
}

func TestPagesOfOtherSitesCannotAct(t *testing.T) {
	f := newFixture(t)
	acts := visits(f)
	for _, route := range web.Table() {
		if reads(route) {
			continue
		}
		v := acts[route.ID]
		for name, o := range map[string]option{
			"a fetch of another site":   header("Sec-Fetch-Site", "cross-site"),
			"a page of the same domain": header("Sec-Fetch-Site", "same-site"),
			"an old browser":            header("Origin", "https://evil.example"),
			"a sandboxed frame":         header("Origin", "null"),
		} {
			for _, who := range []string{"admin", ""} {
				w := f.as(who, route.Method, v.path, v.body, o)
				if !route.Face {
					refused(f, w, 403, "cross-origin")
					continue
				}
				require.Equal(t, 403, w.Code)
				require.Contains(t, w.Body.String(), `"AuthorizationFailed"`)
			}
			t.Log(route.ID, name)
		}
		if v.before != nil {
			v.before()
		}
		require.Equal(t, v.want, f.as("admin", route.Method, v.path, v.body, header("Sec-Fetch-Site", "same-origin")).Code)
		if v.before != nil {
			v.before()
		}
		require.Equal(t, v.want, f.as("admin", route.Method, v.path, v.body, header("Origin", "http://example.com")).Code)
	}
}

func TestReadingNeverActs(t *testing.T) {
	for _, route := range web.Table() {
		if asks[route.ID] {
			require.False(t, route.Audit, route.ID)
			require.Equal(t, route.ID == "simulate", route.Permission > web.Viewer, "%s: what keeps others from simulating takes more than a viewer", route.ID)
			continue
		}
		require.Equal(t, !reads(route), route.Audit, route.ID)
		require.Equal(t, !reads(route), route.BodyLimit > 0, route.ID)
		require.Equal(t, !reads(route) || route.ID == "listTokens", route.Permission > web.Viewer, route.ID)
	}
}

// asks are the routes that read, and take a body all the same: what they are asked does not fit into a query.
var asks = map[string]bool{"diffDefinitions": true, "validateDefinitions": true, "previewDefinitions": true, "planBackfill": true, "listBackfillPlan": true, "simulate": true}

func reads(route web.RouteLine) bool {
	return route.Method == http.MethodGet || route.Method == http.MethodHead
}
