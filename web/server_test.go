package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

func TestLogsAreServedAsBytesThatNobodyLooksInto(t *testing.T) {
	f := newFixture(t)
	hostile := "<script>alert(1)</script>\x1b]0;owned\x07\x1b[2J\xff\xfe\x00\r\nSet-Cookie: a=b\r\n\r\nHTTP/1.1 200 OK\r\n"
	id := f.run(f.at("stores", 5), hostile, engine.OutcomeSucceeded)
	w := f.as("viewer", http.MethodGet, fmt.Sprintf("/api/v1/attempts/%d/log", id), "")
	require.Equal(t, 200, w.Code)
	require.Equal(t, hostile, w.Body.String(), "byte by byte what was written")
	require.Equal(t, http.Header{
		"Content-Type":                 {"text/plain; charset=utf-8"},
		"Content-Disposition":          {fmt.Sprintf(`attachment; filename="attempt-%d.log"`, id)},
		"Content-Security-Policy":      {"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox"},
		"X-Content-Type-Options":       {"nosniff"},
		"X-Frame-Options":              {"DENY"},
		"Referrer-Policy":              {"no-referrer"},
		"Cross-Origin-Resource-Policy": {"same-origin"},
		"Cache-Control":                {"no-store"},
		"X-Log-Size":                   {fmt.Sprint(len(hostile))},
		"X-Log-Complete":               {"true"},
		"X-Request-Id":                 w.Header()["X-Request-Id"],
	}, w.Header())
	head := f.as("viewer", http.MethodHead, fmt.Sprintf("/api/v1/attempts/%d/log", id), "")
	require.Equal(t, fmt.Sprint(len(hostile)), head.Header().Get("X-Log-Size"))
	require.Empty(t, head.Body.String())
}

func TestALogIsFollowedByAskingAgain(t *testing.T) {
	f := newFixture(t)
	i := f.at("stores", 5)
	id := f.run(i, "", "")
	file := filepath.Join(string(f.logs), fmt.Sprintf("%d.log", id))
	var read strings.Builder
	ask := func(limit int) (size, complete string) {
		t.Helper()
		w := f.as("viewer", http.MethodGet, fmt.Sprintf("/api/v1/attempts/%d/log?offset=%d&limit=%d", id, read.Len(), limit), "")
		require.Equal(t, 200, w.Code)
		read.WriteString(w.Body.String())
		return w.Header().Get("X-Log-Size"), w.Header().Get("X-Log-Complete")
	}
	expect := func(size, complete string) func(string, string) {
		return func(gotSize, gotComplete string) {
			t.Helper()
			require.Equal(t, size, gotSize)
			require.Equal(t, complete, gotComplete)
		}
	}
	expect("0", "false")(ask(100)) // nothing written yet
	require.NoError(t, os.WriteFile(file, []byte("one\ntwo\n"), 0o600))
	expect("8", "false")(ask(4))
	expect("8", "false")(ask(100))
	expect("8", "false")(ask(100)) // at the end of what there is
	require.NoError(t, os.WriteFile(file, []byte("one\ntwo\nthree\n"), 0o600))
	require.NoError(t, f.db.Write(t.Context(), func(tx engine.Tx) error {
		_, err := tx.EndAttempt(engine.Result{Attempt: id, Outcome: engine.OutcomeSucceeded, StartedAt: start, EndedAt: start.Add(time.Second)}, i.Fence+1)
		return err
	}))
	expect("14", "false")(ask(3))
	expect("14", "true")(ask(100))
	require.Equal(t, "one\ntwo\nthree\n", read.String())
	w := f.as("viewer", http.MethodGet, fmt.Sprintf("/api/v1/attempts/%d/log?offset=1000", id), "")
	require.Equal(t, 200, w.Code)
	require.Empty(t, w.Body.String())
	for _, bad := range []string{"offset=-1", "limit=0", "limit=16777217", "offset=x", "offset=9223372036854775808"} {
		refused(f, f.as("viewer", http.MethodGet, fmt.Sprintf("/api/v1/attempts/%d/log?%s", id, bad), ""), 422, "invalid")
	}
	w = f.as("viewer", http.MethodGet, fmt.Sprintf("/api/v1/attempts/%d/log?offset=9223372036854775807", id), "")
	require.Equal(t, 200, w.Code)
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/attempts/999999/log", ""), 404, "not-found")
}

func TestEveryAnswerHasTheHeadersOfData(t *testing.T) {
	f := newFixture(t)
	for _, target := range []string{"/livez", "/api/v1/status", "/nothing", "//", "/api/v1/jobs?colour=red"} {
		for _, who := range []string{"", "viewer"} {
			w := f.as(who, http.MethodGet, target, "")
			require.Equal(t, "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'", w.Header().Get("Content-Security-Policy"), target)
			require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
			require.Equal(t, "no-referrer", w.Header().Get("Referrer-Policy"))
			require.Equal(t, "no-store", w.Header().Get("Cache-Control"))
			require.Regexp(t, "^[0-9a-f]{16}$", w.Header().Get("X-Request-Id"))
			require.Empty(t, w.Header().Get("Access-Control-Allow-Origin"))
		}
	}
}

func TestTheProbes(t *testing.T) {
	var notReady error
	f := newFixture(t, func(c *web.Config) { c.Ready = func() error { return notReady } })
	require.JSONEq(t, `{"status":"ok"}`, f.as("", http.MethodGet, "/livez", "").Body.String())
	require.JSONEq(t, `{"status":"ready"}`, f.as("", http.MethodGet, "/readyz", "").Body.String())
	notReady = errors.New("write /var/lib/almanac/almanac.db: no space left on device")
	require.Equal(t, 200, f.as("", http.MethodGet, "/livez", "").Code)
	w := f.as("", http.MethodGet, "/readyz", "")
	require.NotContains(t, w.Body.String(), "almanac.db", "the public learns that, not why")
	refused(f, w, 503, "not-ready")
	s := get[web.Status](f, "/api/v1/status")
	require.False(t, s.Ready)
	require.Equal(t, notReady.Error(), s.NotReady)
}

// broken is a control that fails in the ways in which a server can.
type broken struct{ web.Control }

func (broken) Operate(ctx context.Context, r engine.OperationRequest, _ time.Time) (engine.OperationResult, error) {
	switch r.IDs[0] {
	case 1:
		return engine.OperationResult{}, errors.New("write /var/lib/almanac/almanac.db: input/output error")
	case 2:
		panic("index out of range: the key is hunter2")
	case 3:
		return engine.OperationResult{}, fmt.Errorf("cancel: %w", ctx.Err())
	}
	return engine.OperationResult{}, fmt.Errorf("%w: it has ended", engine.ErrConflict)
}

func TestFaultsOfTheServerAreLoggedOnceAndNotTold(t *testing.T) {
	f := newFixture(t, func(c *web.Config) { c.Control = broken{c.Control} })
	for id, secret := range map[int]string{1: "input/output error", 2: "hunter2"} {
		w := f.as("operator", http.MethodPost, fmt.Sprintf("/api/v1/instances/%d/cancel", id), "")
		require.NotContains(t, w.Body.String(), secret)
		refused(f, w, 500, "internal")
		require.Equal(t, 1, strings.Count(f.output.String(), secret))
		require.Contains(t, f.output.String(), "request="+w.Header().Get("X-Request-Id"))
	}
	refused(f, f.as("operator", http.MethodPost, "/api/v1/instances/4/cancel", ""), 409, "conflict")

	// A client that went away is no fault of the server.
	ctx, cancel := context.WithCancel(t.Context())
	f.as("operator", http.MethodPost, "/api/v1/instances/3/cancel", "", func(r *http.Request) {
		cancel()
		*r = *r.WithContext(context.WithoutCancel(ctx))
	})
	before := strings.Count(f.output.String(), "level=ERROR")
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/api/v1/instances/3/cancel", nil)
	f.handler.ServeHTTP(httptest.NewRecorder(), r)
	require.Equal(t, before, strings.Count(f.output.String(), "level=ERROR"))
}

func TestTheLogNamesWhoDidWhatAndNeverASecret(t *testing.T) {
	f := newFixture(t)
	f.as("viewer", http.MethodGet, "/api/v1/jobs?q=private", "")
	f.as("operator", http.MethodPost, triggerOrders, `{"params":{"day":"s3cret"},"note":"why"}`)
	f.as("viewer", http.MethodPost, triggerOrders, `{"note":"let me"}`)
	f.as("", http.MethodPost, triggerOrders, "")
	f.as("", http.MethodGet, "/api/v1/jobs", "", header("Authorization", "Bearer alm_wrong"))
	output := f.output.String()
	for name, secret := range f.tokens {
		require.NotContains(t, output, secret, name)
	}
	for _, never := range []string{"alm_", "s3cret", "private", "let me"} {
		require.NotContains(t, output, never)
	}
	require.Equal(t, 5, strings.Count(output, "level=DEBUG msg=request"), output)
	require.Equal(t, 3, strings.Count(output, "level=INFO msg=audit"), "who acts and who tries to, whatever came of it: %s", output)
	require.Regexp(t, `msg=audit request=[0-9a-f]{16} principal=operator method=POST path=/api/v1/jobs/retail/orders/trigger status=201 took=\S+ operation=triggerJob from=\S+ note=why`, output)
	require.Regexp(t, `msg=audit request=[0-9a-f]{16} principal=viewer method=POST path=\S+ status=403`, output)
	require.Regexp(t, `msg=audit request=[0-9a-f]{16} principal="" method=POST path=\S+ status=401`, output)
}

func TestALineOfTheLogIsOneLine(t *testing.T) {
	f := newFixture(t)
	f.as("operator", http.MethodPost, triggerOrders, `{"note":"x\nlevel=INFO msg=audit principal=admin"}`)
	for line := range strings.Lines(f.output.String()) {
		require.True(t, strings.HasPrefix(line, "time="), line)
	}
}

func TestAPrincipalMayNotAskWithoutEnd(t *testing.T) {
	f := newFixture(t, func(c *web.Config) { c.Limits = web.Limits{PerSecond: 2, Burst: 3} })
	for range 3 {
		require.Equal(t, 200, f.as("viewer", http.MethodGet, "/api/v1/status", "").Code)
	}
	w := f.as("viewer", http.MethodGet, "/api/v1/status", "")
	require.Equal(t, "1", w.Header().Get("Retry-After"))
	refused(f, w, 429, "rate-limited")
	require.Equal(t, 200, f.as("operator", http.MethodGet, "/api/v1/status", "").Code, "others are not held up")
	require.Equal(t, 200, f.as("", http.MethodGet, "/livez", "").Code)
	f.now = f.now.Add(500 * time.Millisecond)
	require.Equal(t, 200, f.as("viewer", http.MethodGet, "/api/v1/status", "").Code)
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/status", ""), 429, "rate-limited")

	take := web.NewRate(web.Limits{PerSecond: 1, Burst: 1})
	_, ok := take("a", start)
	require.True(t, ok)
	wait, ok := take("a", start.Add(-time.Hour))
	require.False(t, ok, "a clock that goes back gives nothing")
	require.Equal(t, time.Second, wait)
}

func TestManyAtOnce(t *testing.T) {
	f := newFixture(t)
	server := httptest.NewServer(f.handler)
	defer server.Close()
	var wg sync.WaitGroup
	ids := make([]string, 16)
	for n := range ids {
		wg.Go(func() {
			r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+triggerOrders, strings.NewReader(`{"params":{"day":"x"}}`))
			r.Header.Set("Authorization", "Bearer "+f.tokens["operator"])
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Idempotency-Key", "once")
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				return
			}
			response.Body.Close()
			ids[n] = response.Header.Get("Location")
		})
	}
	wg.Wait()
	for _, id := range ids {
		require.NotEmpty(t, id)
		require.Equal(t, ids[0], id, "one key, one instance")
	}
	require.Len(t, get[web.InstancePage](f, "/api/v1/instances?kind=manual").Items, 1)
}

func TestNewRefusesHalfAConfiguration(t *testing.T) {
	f := newFixture(t)
	for name, change := range map[string]func(*web.Config){
		"Jobs": func(c *web.Config) { c.Jobs = nil }, "Rows": func(c *web.Config) { c.Rows = nil }, "History": func(c *web.Config) { c.History = nil },
		"Logs": func(c *web.Config) { c.Logs = nil }, "Control": func(c *web.Config) { c.Control = nil }, "Decode": func(c *web.Config) { c.Decode = nil },
		"Now": func(c *web.Config) { c.Now = nil }, "Tokens": func(c *web.Config) { c.Tokens = nil },
	} {
		cfg := f.cfg
		change(&cfg)
		_, err := web.New(cfg)
		require.ErrorContains(t, err, name)
	}
	server := web.NewServer(f.handler, f.cfg.Log)
	require.NotZero(t, server.ReadHeaderTimeout)
	require.NotZero(t, server.ReadTimeout)
	require.NotZero(t, server.WriteTimeout)
	require.NotZero(t, server.IdleTimeout)
}
