package main

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
)

// A certificate is what the server shows of itself, with its key. nil is a server without TLS.
type certificate struct {
	cert, key string // files, PEM
	pair      atomic.Pointer[tls.Certificate]
}

// read reads the files; when they are no certificate with its key, what was read before stays.
func (c *certificate) read() error {
	if c == nil {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return fmt.Errorf("--tls-cert %s, --tls-key %s: %w", c.cert, c.key, err)
	}
	c.pair.Store(&pair)
	return nil
}

// leaf is the certificate itself, DER; nil without TLS.
func (c *certificate) leaf() []byte {
	if c == nil {
		return nil
	}
	return c.pair.Load().Certificate[0]
}

// over is the listener, with TLS from version 1.2 on.
func (c *certificate) over(listener net.Listener) net.Listener {
	if c == nil {
		return listener
	}
	return tls.NewListener(listener, &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.pair.Load(), nil },
	})
}

// scheme begins the address of the server.
func (c *certificate) scheme() string {
	if c == nil {
		return "http://"
	}
	return "https://"
}

// trusting speaks to the one server that shows this certificate, whatever its name and whoever signed it: the data directory, which its owner alone can
// read, says which it is.
func trusting(leaf []byte) http.RoundTripper {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: true, // what it would look at is not known here; the next line looks at more
		VerifyConnection: func(state tls.ConnectionState) error {
			if len(state.PeerCertificates) == 0 || !bytes.Equal(state.PeerCertificates[0].Raw, leaf) {
				return errors.New("the server shows another certificate than the data directory says")
			}
			return nil
		},
	}
	return transport
}
