package action_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"software.sslmate.com/src/go-pkcs12"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/action"
)

// authority signs certificates.
type authority struct {
	cert   *x509.Certificate
	key    *ecdsa.PrivateKey
	serial atomic.Int64
}

func newAuthority(t *testing.T) *authority {
	a := new(authority)
	a.cert, a.key = a.sign(t, "test authority", time.Hour)
	return a
}

// sign makes a certificate with its key, the first one its own.
func (a *authority) sign(t *testing.T, name string, life time.Duration) (*x509.Certificate, *ecdsa.PrivateKey) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(a.serial.Add(1)), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(life),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	parent, signer := a.cert, a.key
	if parent == nil {
		template.IsCA, template.KeyUsage = true, x509.KeyUsageCertSign
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return cert, key
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

func (a *authority) pem() string { return pemOf("CERTIFICATE", a.cert.Raw) }

// server returns a server's certificate and key as PEM.
func (a *authority) server(t *testing.T) (cert, key string) {
	c, k := a.sign(t, "127.0.0.1", time.Hour)
	der, err := x509.MarshalPKCS8PrivateKey(k)
	require.NoError(t, err)
	return pemOf("CERTIFICATE", c.Raw), pemOf("PRIVATE KEY", der)
}

// pfx returns a client's certificate as Azure takes it.
func (a *authority) pfx(t *testing.T, name, password string, life time.Duration) engine.Text {
	c, k := a.sign(t, name, life)
	der, err := pkcs12.Modern2023.Encode(k, c, []*x509.Certificate{a.cert}, password)
	require.NoError(t, err)
	return engine.Text(base64.StdEncoding.EncodeToString(der))
}

// demanding is a TLS server that lets clients of an authority in, and says who came.
func demanding(t *testing.T, a *authority, version uint16, f http.HandlerFunc) *httptest.Server {
	s := httptest.NewUnstartedServer(f)
	cert, key := a.server(t)
	pair, err := tls.X509KeyPair([]byte(cert), []byte(key))
	require.NoError(t, err)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: a.pool(), MaxVersion: version}
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
	ca, others := newAuthority(t), newAuthority(t)
	s := demanding(t, ca, tls.VersionTLS13, whoCame)
	older := demanding(t, ca, tls.VersionTLS12, whoCame) // which judges within the handshake, so that its reason always arrives
	b := setup(t, loopback, func(c *action.Config) { c.Roots = ca.pool() })
	alice, bob := ca.pfx(t, "alice", "s3cret pw", time.Hour), ca.pfx(t, "bob", "", time.Hour)
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
		"request failed: remote error: tls: expired certificate":                 {ca.pfx(t, "late", "p", -time.Minute), "p"},
		"request failed: remote error: tls: unknown certificate authority":       {others.pfx(t, "eve", "p", time.Hour), "p"},
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
	closed := setup(t, func(c *action.Config) { c.Roots = ca.pool() })
	r = closed.run(closed.http(engine.HTTP{URI: engine.Text(s.URL), Certificate: &engine.ClientCertificate{PFX: alice, Password: "s3cret pw"}}))
	require.Contains(t, r.Message, "refused: 127.0.0.1 is a loopback address", "these connections go through the guard too")
}

// A redirect to another origin does not take the certificate along.
func TestACertificateIsShownToItsOriginOnly(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
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
	b := setup(t, loopback, func(c *action.Config) { c.Roots = ca.pool() })
	with := &engine.ClientCertificate{PFX: ca.pfx(t, "alice", "p", time.Hour), Password: "p"}
	r := b.run(b.http(engine.HTTP{URI: engine.Text(s.URL + "/here"), Certificate: with}))
	require.Equal(t, engine.OutcomeSucceeded, r.Outcome, r.Message)
	r = b.run(b.http(engine.HTTP{URI: engine.Text(s.URL + "/away"), Certificate: with}))
	require.Equal(t, engine.OutcomeFailed, r.Outcome)
	require.Equal(t, "request failed: remote error: tls: handshake failure", r.Message)
	require.Zero(t, shown.Load())
}
