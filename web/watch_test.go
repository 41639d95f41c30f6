package web_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

var full = &engine.TroubledError{Troubles: []engine.Trouble{
	{Aspect: engine.AspectDisk, Detail: "nothing is started: 3 MiB are free"}, {Aspect: engine.AspectReady, Detail: "retail/orders only lacks a slot"},
}}

// Whether the server does its work is everybody's to know; why it does not, those learn who may read.
func TestReadinessSaysWhyToThoseWhoMayKnow(t *testing.T) {
	f := newFixture(t, func(c *web.Config) { c.Ready = func() error { return full } })
	f.token("expired", "admin", start.Add(-time.Hour))
	f.token("of no role", "superuser", time.Time{})
	for name, told := range map[string]bool{"": false, "expired": false, "of no role": false, "viewer": true, "admin": true} {
		p := refused(f, f.as(name, http.MethodGet, "/readyz", ""), 503, "not-ready")
		if told {
			require.Equal(t, "nothing is started: 3 MiB are free; retail/orders only lacks a slot", p.Detail, name)
		} else {
			require.Equal(t, "the server does not do its work", p.Detail, name)
		}
	}
	f.tokens["nobody's"], _ = web.NewToken()
	require.Equal(t, 503, f.as("nobody's", http.MethodGet, "/readyz", "").Code, "a wrong token makes nothing worse")
	require.Equal(t, 200, f.as("nobody's", http.MethodGet, "/livez", "").Code)
}

func TestTheStatusListsEveryAspect(t *testing.T) {
	var notReady error
	f := newFixture(t, func(c *web.Config) { c.Ready = func() error { return notReady } })
	s := get[web.Status](f, "/api/v1/status")
	require.True(t, s.Ready)
	require.Len(t, s.Aspects, len(engine.Aspects))
	for i, aspect := range engine.Aspects {
		require.Equal(t, web.Condition{Aspect: string(aspect), OK: true}, s.Aspects[i])
	}
	for _, aspect := range engine.Aspects { // each can fail, alone
		notReady = &engine.TroubledError{Troubles: []engine.Trouble{{Aspect: aspect, Detail: "why"}}}
		s := get[web.Status](f, "/api/v1/status")
		require.Equal(t, aspect == engine.AspectDefinitions, s.Ready, "the server does its work when not all of its folder is loaded")
		require.Equal(t, s.Ready, s.Degraded != "")
		probe := f.as("viewer", http.MethodGet, "/readyz", "")
		if s.Ready {
			require.Equal(t, 200, probe.Code)
			require.Contains(t, probe.Body.String(), "degraded")
		} else {
			require.Equal(t, 503, probe.Code)
		}
		for _, c := range s.Aspects {
			require.Equal(t, c.Aspect != string(aspect), c.OK)
			require.Equal(t, c.OK, c.Detail == "")
		}
	}
}

func TestMetricsOnTheAPI(t *testing.T) {
	f := newFixture(t)
	w := f.as("viewer", http.MethodGet, "/metrics", "")
	require.Equal(t, "almanac_slots 2\n", w.Body.String())
	require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
	without := newFixture(t, func(c *web.Config) { c.Metrics = nil })
	refused(without, without.as("viewer", http.MethodGet, "/metrics", ""), 404, "not-found")
}

// The address of their own has the probes and the metrics, and no other route of the API at all.
func TestTheAddressForThoseWhoWatch(t *testing.T) {
	f := newFixture(t)
	for _, public := range []bool{false, true} {
		handler, err := web.NewWatch(f.cfg, public)
		require.NoError(t, err)
		ask := func(path, token string) int {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
			if token != "" {
				r.Header.Set("Authorization", "Bearer "+token)
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			return w.Code
		}
		require.Equal(t, 200, ask("/livez", ""))
		require.Equal(t, 200, ask("/readyz", ""))
		require.Equal(t, map[bool]int{false: 401, true: 200}[public], ask("/metrics", ""))
		require.Equal(t, 200, ask("/metrics", f.tokens["viewer"]))
		for _, route := range web.Table() {
			if route.ID != "live" && route.ID != "ready" && route.ID != "metrics" && route.Method == http.MethodGet && !route.Face {
				require.Equal(t, 401, ask(route.Pattern, ""), route.Pattern)
			}
		}
		require.Equal(t, 404, ask("/api/v1/status", f.tokens["admin"]))
	}
}
