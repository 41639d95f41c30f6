package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

func adminVisits(*fixture) map[string]visit {
	return map[string]visit{
		"whoami":        {"/api/v1/whoami", "", 200, nil},
		"listTokens":    {"/api/v1/tokens", "", 200, nil},
		"createToken":   {"/api/v1/tokens", `{"name":"grafana","role":"viewer"}`, 201, nil},
		"revokeToken":   {"/api/v1/tokens/999999/revoke", "{}", 404, nil}, // one can be revoked once, and this is asked for by many
		"listAudit":     {"/api/v1/audit", "", 200, nil},
		"auditChain":    {"/api/v1/audit/chain", "", 200, nil},
		"confirmClock":  {"/api/v1/clock/confirm", "{}", 409, nil}, // it is believed
		"health":        {"/api/v1/health", "", 200, nil},
		"listWorkers":   {"/api/v1/workers", "", 200, nil},
		"listDeadlines": {"/api/v1/deadlines", "", 200, nil},
		"listConcerns":  {"/api/v1/concerns", "", 200, nil},
		"listUpcoming":  {"/api/v1/upcoming", "", 200, nil},
		"listChanges":   {"/api/v1/changes", "", 200, nil},
	}
}

func TestWhoAmI(t *testing.T) {
	f := newFixture(t)
	id := f.token("ann", "operator", start.Add(time.Hour))
	who := as[web.Whoami](f, "ann", "/api/v1/whoami")
	require.Equal(t, web.Whoami{Name: "ann", Role: web.RoleOperator, Permissions: []string{"viewer", "operator"}, Token: web.ID(id), ExpiresAt: start.Add(time.Hour).UTC()}, who)
	require.Len(t, as[web.Whoami](f, "admin", "/api/v1/whoami").Permissions, 4)

	open := newFixture(t, func(c *web.Config) { c.Dev, c.Loopback = true, true })
	w := open.as("", http.MethodGet, "/api/v1/whoami", "", host("localhost"))
	require.JSONEq(t, `{"name":"dev","role":"admin","permissions":["viewer","operator","editor","admin"]}`, w.Body.String())
}

// as reads an answer of status 200 to the bearer of a token.
func as[T any](f *fixture, who, target string) (v T) {
	f.t.Helper()
	w := f.as(who, http.MethodGet, target, "")
	require.Equal(f.t, 200, w.Code, w.Body)
	require.NoError(f.t, json.Unmarshal(w.Body.Bytes(), &v))
	return v
}

func (f *fixture) create(who, body string, options ...option) (k web.APIToken) {
	f.t.Helper()
	w := f.as(who, http.MethodPost, "/api/v1/tokens", body, options...)
	require.Equal(f.t, 201, w.Code, w.Body)
	require.NoError(f.t, json.Unmarshal(w.Body.Bytes(), &k))
	return k
}

func TestATokenIsMadeUsedAndRevoked(t *testing.T) {
	f := newFixture(t)
	made := f.create("admin", `{"name":"grafana","role":"viewer","note":"for the board","expiresAt":"2026-11-22T00:00:00+01:00"}`)
	require.Regexp(t, `^alm_`, made.Secret)
	f.tokens["grafana"] = made.Secret
	require.Equal(t, "grafana", as[web.Whoami](f, "grafana", "/api/v1/whoami").Name)

	page := as[web.TokenPage](f, "admin", "/api/v1/tokens")
	last := page.Items[len(page.Items)-1]
	require.Equal(t, web.APIToken{ID: made.ID, Name: "grafana", Role: web.RoleViewer, CreatedAt: made.CreatedAt, ExpiresAt: made.ExpiresAt}, last)
	require.NotContains(t, f.as("admin", http.MethodGet, "/api/v1/tokens", "").Body.String(), "alm_")
	first := as[web.TokenPage](f, "admin", "/api/v1/tokens?limit=2")
	require.Len(t, first.Items, 2)
	require.Equal(t, page.Items[2].ID, as[web.TokenPage](f, "admin", "/api/v1/tokens?limit=2&cursor="+first.Next).Items[0].ID)

	w := f.as("admin", http.MethodPost, fmt.Sprintf("/api/v1/tokens/%d/revoke", made.ID), `{"note":"it leaked"}`)
	require.Equal(t, 200, w.Code, w.Body)
	refused(f, f.as("grafana", http.MethodGet, "/api/v1/whoami", ""), 401, "unauthenticated")
	refused(f, f.as("admin", http.MethodPost, fmt.Sprintf("/api/v1/tokens/%d/revoke", made.ID), ""), 404, "not-found")

	lines := as[web.AuditPage](f, "viewer", "/api/v1/audit?action=token-created,token-revoked").Items
	require.Len(t, lines, 2)
	require.Equal(t, "token-revoked", lines[0].Action)
	require.Equal(t, "admin", lines[0].Actor)
	require.Equal(t, fmt.Sprintf("token %d of grafana, as viewer: it leaked", made.ID), lines[0].Text)
	require.Contains(t, lines[1].Text, "until 2026-11-21T23:00:00Z: for the board")
	require.NotContains(t, f.output.String(), made.Secret)
}

func TestASecretIsShownOnce(t *testing.T) {
	f := newFixture(t)
	key := header("Idempotency-Key", "k-1")
	made := f.create("admin", `{"name":"ci","role":"operator"}`, key)
	again := f.create("admin", `{"name":"ci","role":"operator"}`, key)
	require.Equal(t, made.ID, again.ID, "it is made once")
	require.Empty(t, again.Secret)
	row, err := f.engine.FindOnce(t.Context(), engine.OnceKey{Principal: "admin", Operation: "createToken", Key: "k-1"}, start)
	require.NoError(t, err)
	require.NotContains(t, string(row.Answer), made.Secret)
	for _, part := range []string{made.Secret[:20], made.Secret[20:]} { // nor in base64, as the body is kept
		require.NotContains(t, string(row.Answer), part)
	}
}

func TestATokenThatCannotBe(t *testing.T) {
	f := newFixture(t)
	for _, body := range []string{
		`{}`, `{"name":"","role":"viewer"}`, `{"name":"x","role":"king"}`, `{"name":"x","role":"viewer","expiresAt":"2026-11-21T09:00:00Z"}`,
		`{"name":"` + strings.Repeat("x", 101) + `","role":"viewer"}`, `{"name":"a\u0000b","role":"viewer"}`, `{"name":"a\u202eb","role":"viewer"}`, `{"name":"  ","role":"viewer"}`,
		`{"name":"x","role":"viewer","expiresAt":"tomorrow"}`, `{"name":"x","role":"viewer","hash":"x"}`,
	} {
		w := f.as("admin", http.MethodPost, "/api/v1/tokens", body)
		require.Contains(t, []int{400, 422}, w.Code, "%s: %s", body, w.Body)
	}
	refused(f, f.as("editor", http.MethodPost, "/api/v1/tokens", `{"name":"x","role":"viewer"}`), 403, "forbidden")
}

func TestNobodyLocksHimselfOut(t *testing.T) {
	f := newFixture(t)
	admin := as[web.Whoami](f, "admin", "/api/v1/whoami").Token
	own := fmt.Sprintf("/api/v1/tokens/%s/revoke", admin)
	refused(f, f.as("admin", http.MethodPost, own, "{}"), 409, "conflict")
	w := f.as("admin", http.MethodPost, own, `{"own":true}`)
	require.Contains(t, w.Body.String(), "the last valid token of an admin")
	refused(f, w, 409, "conflict")

	f.token("short", "admin", start.Add(time.Minute))
	f.now = start.Add(time.Minute)
	refused(f, f.as("admin", http.MethodPost, own, `{"own":true}`), 409, "conflict")
	f.now = start
	require.Equal(t, 200, f.as("admin", http.MethodPost, own, `{"own":true}`).Code, "another can")
	refused(f, f.as("admin", http.MethodGet, "/api/v1/whoami", ""), 401, "unauthenticated")
}

func TestAStreamEndsWithItsToken(t *testing.T) {
	f := newFixture(t, func(c *web.Config) { c.Feed = web.NewFeed() })
	server := httptest.NewServer(f.handler)
	t.Cleanup(server.Close)
	id := f.token("watcher", "viewer", time.Time{})
	lines := f.watch(server.URL, "watcher")
	require.Equal(t, 200, f.as("admin", http.MethodPost, fmt.Sprintf("/api/v1/tokens/%d/revoke", id), "{}").Code)
	endsUntold(t, lines)
}

// watch opens a stream and reads its first line.
func (f *fixture) watch(server, token string) *bufio.Scanner {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), time.Minute)
	f.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server+"/api/v1/stream", nil)
	require.NoError(f.t, err)
	r.Header.Set("Authorization", "Bearer "+f.tokens[token])
	response, err := http.DefaultClient.Do(r)
	require.NoError(f.t, err)
	f.t.Cleanup(func() { response.Body.Close() })
	lines := bufio.NewScanner(response.Body)
	require.True(f.t, lines.Scan())
	return lines
}

// endsUntold reads a stream to its end.
func endsUntold(t *testing.T, lines *bufio.Scanner) {
	t.Helper()
	for lines.Scan() {
		require.NotContains(t, lines.Text(), "token-revoked", "nothing comes after that")
	}
	require.NoError(t, lines.Err(), "the stream has ended, and was not cut off by the test")
}

// A lateControl runs something when a token has been revoked in the rows, and the server has not heard of it.
type lateControl struct {
	web.Control
	revoked func()
}

func (c *lateControl) RevokeToken(ctx context.Context, id int64, actor, note string, now time.Time) (engine.TokenRow, error) {
	k, err := c.Control.RevokeToken(ctx, id, actor, note, now)
	c.revoked()
	return k, err
}

// A slowHistory runs something when a stream, which has begun, asks where the history ends.
type slowHistory struct {
	web.History
	asked int
	begun func()
}

func (h *slowHistory) LastEvent(ctx context.Context) (int64, error) {
	if h.asked++; h.asked == 2 {
		h.begun()
	}
	return h.History.LastEvent(ctx)
}

// The line that says so may be read before the server that is asked to revoke a token, or another one, has done anything about it.
func TestAStreamIsNotToldThatItsTokenIsNoMore(t *testing.T) {
	t.Run("what comes", func(t *testing.T) {
		feed, control := web.NewFeed(), new(lateControl)
		f := newFixture(t, func(c *web.Config) {
			control.Control = c.Control
			c.Feed, c.Control = feed, control
		})
		server := httptest.NewServer(f.handler)
		t.Cleanup(server.Close)
		id := f.token("watcher", "viewer", time.Time{})
		lines := f.watch(server.URL, "watcher")
		control.revoked = func() {
			feed.Notify()
			endsUntold(t, lines)
		}
		require.Equal(t, 200, f.as("admin", http.MethodPost, fmt.Sprintf("/api/v1/tokens/%d/revoke", id), "{}").Code)
	})
	t.Run("what is caught up with", func(t *testing.T) {
		history := new(slowHistory)
		f := newFixture(t, func(c *web.Config) {
			history.History = c.History
			c.Feed, c.History = web.NewFeed(), history
		})
		server := httptest.NewServer(f.handler)
		t.Cleanup(server.Close)
		id := f.token("watcher", "viewer", time.Time{})
		history.begun = func() {
			require.Equal(t, 200, f.as("admin", http.MethodPost, fmt.Sprintf("/api/v1/tokens/%d/revoke", id), "{}").Code)
		}
		endsUntold(t, f.watch(server.URL, "watcher"))
	})
}
