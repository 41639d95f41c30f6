package action

import (
	"context"
	"crypto"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"software.sslmate.com/src/go-pkcs12"

	"github.com/almanac-sched/almanac/engine"
)

const (
	longestPFX     = 64 << 10 // in base64
	mostIdentities = 64       // whose connections are kept
)

// transport is the one way out for HTTP. A request that shows a certificate goes over connections of its own, which differ in nothing else: they
// are dialled by the same guarded dialer. So does one that must not be sent twice: a connection that another request left behind may be dead without
// anybody's knowing, and what is written to it has an unknown outcome for no good reason.
type transport struct {
	*http.Transport
	fresh *http.Transport // keeps no connection

	mu    sync.Mutex
	shown map[[sha256.Size]byte]*http.Transport // by certificate
}

func newTransport(base *http.Transport) *transport {
	fresh := base.Clone()
	fresh.DisableKeepAlives = true
	return &transport{Transport: base, fresh: fresh}
}

// freshKey marks the context of a request that goes over a connection of its own.
type freshKey struct{}

// An identity is the certificate that a request shows, and to whom.
type identity struct {
	scheme, host string
	transport    *http.Transport
}

type identityKey struct{}

// RoundTrip implements http.RoundTripper. It sends a request once. Only what was certainly not sent, because a kept connection was dead already, goes over
// another one.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	way := t.way(req)
	p, followed := req.Context().Value(passageKey{}).(*passage)
	if !followed {
		return way.RoundTrip(once(req))
	}
	for {
		p.begin()
		resp, err := way.RoundTrip(once(p.trace(req)))
		if err = p.ended(err); err == nil || !p.stale() || req.Body != nil && req.Body != http.NoBody || req.Context().Err() != nil {
			return resp, err
		}
	}
}

// way is over which connections a request goes. A certificate is shown to the origin that the action names, and to none that it redirects to.
func (t *transport) way(req *http.Request) *http.Transport {
	if id, ok := req.Context().Value(identityKey{}).(identity); ok && id.scheme == req.URL.Scheme && id.host == req.URL.Host {
		return id.transport
	}
	if req.Context().Value(freshKey{}) != nil {
		return t.fresh
	}
	return t.Transport
}

// CloseIdleConnections is what http.Client.CloseIdleConnections calls.
func (t *transport) CloseIdleConnections() {
	t.Transport.CloseIdleConnections()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, other := range t.shown {
		other.CloseIdleConnections()
	}
}

// showing returns the request as one that shows a certificate.
func (q *requests) showing(req *http.Request, c *engine.ClientCertificate) (*http.Request, error) {
	if req.URL.Scheme != "https" {
		return nil, errors.New("a client certificate can be shown to an https address only")
	}
	t, err := q.client.Transport.(*transport).with(c, req.Context().Value(freshKey{}) != nil)
	if err != nil {
		return nil, err
	}
	return req.WithContext(context.WithValue(req.Context(), identityKey{}, identity{req.URL.Scheme, req.URL.Host, t})), nil
}

// with returns the transport that shows a certificate. It is read once: opening a PKCS #12 is slow on purpose.
func (t *transport) with(c *engine.ClientCertificate, fresh bool) (*http.Transport, error) {
	key := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%t", c.PFX, c.Password, fresh))
	t.mu.Lock()
	known := t.shown[key]
	t.mu.Unlock()
	if known != nil {
		return known, nil
	}
	cert, err := openPFX(string(c.PFX), string(c.Password))
	if err != nil {
		return nil, err
	}
	own := t.Clone()
	own.DisableKeepAlives = fresh
	own.TLSClientConfig.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return cert, nil }
	// Servers that demand a certificate for some paths only ask for it after they have read the request.
	own.TLSClientConfig.Renegotiation = tls.RenegotiateOnceAsClient
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shown == nil || len(t.shown) >= mostIdentities {
		for _, old := range t.shown {
			old.CloseIdleConnections()
		}
		t.shown = map[[sha256.Size]byte]*http.Transport{}
	}
	if known := t.shown[key]; known != nil {
		return known, nil
	}
	t.shown[key] = own
	return own, nil
}

// openPFX reads a certificate with its key. Its errors hold nothing of either.
func openPFX(text, password string) (*tls.Certificate, error) {
	text = strings.Join(strings.Fields(text), "")
	switch {
	case text == "":
		return nil, errors.New("there is no pfx: the certificate and its key are missing")
	case len(text) > longestPFX:
		return nil, errors.New("the pfx is longer than 64 KiB")
	}
	der, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, errors.New("the pfx is not base64")
	}
	key, leaf, chain, err := pkcs12.DecodeChain(der, password)
	switch {
	case errors.Is(err, pkcs12.ErrIncorrectPassword):
		return nil, errors.New("the password does not open the pfx")
	case err != nil:
		return nil, errors.New("the pfx is no PKCS #12 with one certificate and its key")
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, errors.New("the pfx holds a key that cannot sign")
	}
	cert := &tls.Certificate{Certificate: [][]byte{leaf.Raw}, PrivateKey: signer, Leaf: leaf}
	for _, c := range chain {
		cert.Certificate = append(cert.Certificate, c.Raw)
	}
	return cert, nil
}
