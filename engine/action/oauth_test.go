package action_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/action"
)

// issuer is a token endpoint that gives tokens for one client, and a service that takes those that hold.
type issuer struct {
	*httptest.Server
	t        *testing.T
	life     any // expires_in
	mu       sync.Mutex
	asked    int
	holds    map[string]bool
	answered func(w http.ResponseWriter) bool // in the place of a token
}

func newIssuer(t *testing.T) *issuer {
	i := &issuer{t: t, life: "3600", holds: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /contoso.example/oauth2/token", i.token)
	mux.HandleFunc("/service", i.service)
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asked++
	if i.answered != nil && i.answered(w) {
		return
	}
	if r.PostFormValue("grant_type") != "client_credentials" || r.PostFormValue("client_id") != "app" || r.PostFormValue("client_secret") != "s3cret&+" || r.PostFormValue("resource") != "https://management/" {
		w.WriteHeader(http.StatusUnauthorized)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": "invalid_client", "error_description": "bad secret " + r.PostFormValue("client_secret")})
		return
	}
	value := fmt.Sprintf("token-%d", i.asked)
	i.holds[value] = true
	_ = json.NewEncoder(w).Encode(map[string]any{"token_type": "Bearer", "access_token": value, "expires_in": i.life})
}

func (i *issuer) service(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	if !i.holds[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")] {
		w.WriteHeader(http.StatusUnauthorized)
	}
	_, _ = fmt.Fprintf(w, "%s with %s", body, r.Header.Get("Authorization"))
}

func (i *issuer) withdraw() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.holds = map[string]bool{}
}

func (i *issuer) times() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asked
}

func TestOAuth(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	host := strings.TrimPrefix(i.URL, "http://")
	authority := func(c *action.Config) { c.Azure.Authority = i.URL + "/" }
	b := setup(t, loopback, authority)
	client := engine.OAuth{Tenant: "contoso.example", Audience: "https://management/", ClientID: "app", Secret: "s3cret&+"}
	call := func(b *bench, o engine.OAuth) (engine.Result, string) {
		a := b.http(engine.HTTP{Method: "PUT", URI: engine.Text(i.URL + "/service"), Body: "hello", OAuth: &o})
		a.Action.Timeout = time.Minute
		r := b.run(a)
		if strings.HasPrefix(r.Message, "cannot start") {
			return r, ""
		}
		return r, b.log(a.ID)
	}

	for range 3 {
		r, log := call(b, client)
		require.Equal(t, engine.OutcomeSucceeded, r.Outcome, r.Message)
		require.Contains(t, log, "hello with Bearer ***")
	}
	require.Equal(t, 1, i.times(), "the token is kept")

	i.withdraw()
	r, log := call(b, client)
	require.Equal(t, engine.OutcomeSucceeded, r.Outcome, "a token that was withdrawn is asked for again: %s", r.Message)
	require.Equal(t, 2, i.times())
	require.Contains(t, log, "hello with Bearer ***", "the body is sent again")

	wrong := client
	wrong.Secret = "other secret"
	r, log = call(b, wrong)
	require.Equal(t, engine.OutcomeFailed, r.Outcome)
	require.Equal(t, "request failed: get a token from "+host+": HTTP 401 Unauthorized, invalid_client", r.Message)
	require.NotContains(t, r.Message+log, "secret")
	require.Equal(t, 3, i.times())

	t.Run("a service that never takes it is asked twice", func(t *testing.T) {
		never := newSink(t, status(http.StatusUnauthorized))
		before := i.times()
		r := b.run(b.http(engine.HTTP{URI: engine.Text(never.URL), OAuth: &client}))
		require.Equal(t, engine.OutcomeFailed, r.Outcome)
		require.Equal(t, "HTTP 401 Unauthorized", r.Message)
		require.Equal(t, 401, r.Status)
		require.EqualValues(t, 2, never.count.Load())
		require.Equal(t, before+1, i.times())
	})
	t.Run("many at once ask for one token", func(t *testing.T) {
		fresh := setup(t, loopback, authority)
		before := i.times()
		var all []<-chan engine.Result
		for range 20 {
			all = append(all, fresh.start(fresh.http(engine.HTTP{URI: engine.Text(i.URL + "/service"), OAuth: &client})))
		}
		for _, c := range all {
			require.Equal(t, engine.OutcomeSucceeded, await(t, c).Outcome)
		}
		require.Equal(t, before+1, i.times())
	})
	t.Run("a token without a life is not kept", func(t *testing.T) {
		fresh := setup(t, loopback, authority)
		i.life = 0
		before := i.times()
		for range 2 {
			r, _ := call(fresh, client)
			require.Equal(t, engine.OutcomeSucceeded, r.Outcome, r.Message)
		}
		require.Equal(t, before+2, i.times())
	})
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter) bool
		want   string
	}{
		"no JSON":     {func(w http.ResponseWriter) bool { _, _ = io.WriteString(w, "<html>"); return true }, ": the answer is not what a token endpoint gives"},
		"no token":    {func(w http.ResponseWriter) bool { _, _ = io.WriteString(w, "{}"); return true }, ": HTTP 200 OK"},
		"two lines":   {func(w http.ResponseWriter) bool { _, _ = io.WriteString(w, `{"access_token": "a\nb"}`); return true }, ": HTTP 200 OK"},
		"out of work": {func(w http.ResponseWriter) bool { w.WriteHeader(http.StatusServiceUnavailable); return true }, ": HTTP 503 Service Unavailable"},
		"elsewhere": {func(w http.ResponseWriter) bool {
			w.Header().Set("Location", i.URL+"/service")
			w.WriteHeader(http.StatusTemporaryRedirect)
			return true
		}, ": HTTP 307 Temporary Redirect"},
	} {
		t.Run(name, func(t *testing.T) {
			fresh := setup(t, loopback, authority)
			i.mu.Lock()
			i.answered = c.answer
			i.mu.Unlock()
			r, _ := call(fresh, client)
			require.Equal(t, engine.OutcomeFailed, r.Outcome)
			require.Equal(t, "request failed: get a token from "+host+c.want, r.Message)
		})
	}
	for want, o := range map[string]engine.OAuth{
		`cannot start: tenant "../x" is no tenant: it is an id or a domain`: {Tenant: "../x", Audience: "a", ClientID: "c", Secret: "s"},
		"cannot start: there is no audience or no clientId":                 {Tenant: "x", ClientID: "c", Secret: "s"},
		"cannot start: there is no secret":                                  {Tenant: "x", Audience: "a", ClientID: "c"},
	} {
		r, _ := call(b, o)
		require.Equal(t, want, r.Message)
	}
	closed := setup(t, authority)
	r, _ = call(closed, client)
	require.Contains(t, r.Message, "refused: 127.0.0.1 is a loopback address", "the token endpoint is judged too")
}
