package action_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/action"
	"github.com/almanac-sched/almanac/engine/action/actiontest"
)

// demanding is a TLS server that lets clients of an authority in, and says who came.
func demanding(t *testing.T, a *actiontest.Authority, version uint16, f http.HandlerFunc) *httptest.Server {
	s := httptest.NewUnstartedServer(f)
	s.TLS = a.TLS(t, true)
	s.TLS.MaxVersion = version
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func whoCame(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	_, _ = fmt.Fprintf(w, "%s sent %s", r.TLS.PeerCertificates[0].Subject.CommonName, body)
}

func TestClientCertificates(t *testing.T) {
	t.Parallel()
	ca, others := actiontest.NewAuthority(t), actiontest.NewAuthority(t)
	s := demanding(t, ca, tls.VersionTLS13, whoCame)
	older := demanding(t, ca, tls.VersionTLS12, whoCame) // which judges within the handshake, so that its reason always arrives
	b := setup(t, loopback, func(c *action.Config) { c.Roots = ca.Pool() })
	alice, bob := engine.Text(ca.PFX(t, "alice", "s3cret pw", time.Hour)), engine.Text(ca.PFX(t, "bob", "", time.Hour))
	sendTo := func(s *httptest.Server, pfx, password engine.Text) (engine.Result, string) {
		a := b.attempt(engine.Action{Type: engine.ActionHTTPS, HTTP: &engine.HTTP{Method: "POST", URI: engine.Text(s.URL), Body: "hello", Certificate: &engine.ClientCertificate{PFX: pfx, Password: password}}})
		r := b.run(a)
		if strings.HasPrefix(r.Message, "cannot start") {
			return r, ""
		}
		return r, b.log(a.ID)
	}
	send := func(pfx, password engine.Text) (engine.Result, string) { return sendTo(s, pfx, password) }
	// In turn, so that a connection of the one could be taken for the other.
	for range 2 {
		r, text := send(alice, "s3cret pw")
		require.Equal(t, engine.OutcomeSucceeded, r.Outcome, r.Message)
		require.Contains(t, text, "alice sent hello")
		require.True(t, strings.HasPrefix(text, "HTTP/2.0 200"), text)
		r, text = send(bob, "")
		require.Equal(t, engine.OutcomeSucceeded, r.Outcome, r.Message)
		require.Contains(t, text, "bob sent hello")
	}
	wrapped := alice[:40] + "\r\n " + alice[40:]
	r, _ := send(wrapped, "s3cret pw")
	require.Equal(t, engine.OutcomeSucceeded, r.Outcome, "base64 comes in lines: %s", r.Message)

	for want, c := range map[string]struct{ pfx, password engine.Text }{
		"cannot start: the password does not open the pfx":                       {alice, "wrong"},
		"cannot start: the pfx is not base64":                                    {"!", ""},
		"cannot start: the pfx is no PKCS #12 with one certificate and its key":  {"AAAA", ""},
		"cannot start: there is no pfx: the certificate and its key are missing": {"", ""},
		"request failed: remote error: tls: expired certificate":                 {engine.Text(ca.PFX(t, "late", "p", -time.Minute)), "p"},
		"request failed: remote error: tls: unknown certificate authority":       {engine.Text(others.PFX(t, "eve", "p", time.Hour)), "p"},
		"cannot start: the pfx is longer than 64 KiB":                            {engine.Text(strings.Repeat("A", 70_000)), ""},
	} {
		r, _ := sendTo(older, c.pfx, c.password)
		require.Equal(t, engine.OutcomeFailed, r.Outcome)
		require.Equal(t, want, r.Message)
		r, _ = sendTo(s, c.pfx, c.password)
		require.Equal(t, engine.OutcomeFailed, r.Outcome)
	}
	r, text := sendTo(older, alice, "s3cret pw")
	require.Equal(t, engine.OutcomeSucceeded, r.Outcome, r.Message)
	require.Contains(t, text, "alice sent hello")
	r = b.run(b.http(engine.HTTP{URI: engine.Text(s.URL)}))
	require.Equal(t, engine.OutcomeFailed, r.Outcome, "without a certificate")
	r = b.run(b.http(engine.HTTP{URI: "http://127.0.0.1:1/", Certificate: &engine.ClientCertificate{PFX: alice, Password: "s3cret pw"}}))
	require.Equal(t, "cannot start: a client certificate can be shown to an https address only", r.Message)
	closed := setup(t, func(c *action.Config) { c.Roots = ca.Pool() })
	r = closed.run(closed.http(engine.HTTP{URI: engine.Text(s.URL), Certificate: &engine.ClientCertificate{PFX: alice, Password: "s3cret pw"}}))
	require.Contains(t, r.Message, "refused: 127.0.0.1 is a loopback address", "these connections go through the guard too")
}

// A redirect to another origin does not take the certificate along.
func TestACertificateIsShownToItsOriginOnly(t *testing.T) {
	t.Parallel()
	ca := actiontest.NewAuthority(t)
	var shown atomic.Int64
	other := demanding(t, ca, tls.VersionTLS12, func(w http.ResponseWriter, r *http.Request) { shown.Add(int64(len(r.TLS.PeerCertificates))) })
	s := demanding(t, ca, tls.VersionTLS13, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, other.URL, http.StatusFound)
			return
		}
		if r.URL.Path == "/here" {
			http.Redirect(w, r, "/", http.StatusFound)
			return
		}
		whoCame(w, r)
	})
	b := setup(t, loopback, func(c *action.Config) { c.Roots = ca.Pool() })
	with := &engine.ClientCertificate{PFX: engine.Text(ca.PFX(t, "alice", "p", time.Hour)), Password: "p"}
	r := b.run(b.http(engine.HTTP{URI: engine.Text(s.URL + "/here"), Certificate: with}))
	require.Equal(t, engine.OutcomeSucceeded, r.Outcome, r.Message)
	r = b.run(b.http(engine.HTTP{URI: engine.Text(s.URL + "/away"), Certificate: with}))
	require.Equal(t, engine.OutcomeFailed, r.Outcome)
	require.Equal(t, "request failed: remote error: tls: handshake failure", r.Message)
	require.Zero(t, shown.Load())
}
