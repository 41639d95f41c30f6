//go:build unix

package actiontest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"software.sslmate.com/src/go-pkcs12"
)

// An Authority signs the certificates of a test: those of its servers on loopback, and those that clients show them.
type Authority struct {
	cert   *x509.Certificate
	key    *ecdsa.PrivateKey
	serial atomic.Int64
}

// NewAuthority makes one that nobody trusts yet.
func NewAuthority(t *testing.T) *Authority {
	t.Helper()
	a := new(Authority)
	a.cert, a.key = a.sign(t, "test authority", time.Hour)
	return a
}

// sign makes a certificate with its key, the first one its own.
func (a *Authority) sign(t *testing.T, name string, life time.Duration) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
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

// Pool are the roots of somebody who trusts the authority.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// PEM is the authority's own certificate.
func (a *Authority) PEM() string { return block("CERTIFICATE", a.cert.Raw) }

// Server returns the certificate of a server on 127.0.0.1 and its key, as PEM.
func (a *Authority) Server(t *testing.T) (cert, key string) {
	t.Helper()
	c, k := a.sign(t, "127.0.0.1", time.Hour)
	der, err := x509.MarshalPKCS8PrivateKey(k)
	require.NoError(t, err)
	return block("CERTIFICATE", c.Raw), block("PRIVATE KEY", der)
}

// TLS are the settings of such a server; with demand it lets nobody in without a certificate of the same authority.
func (a *Authority) TLS(t *testing.T, demand bool) *tls.Config {
	t.Helper()
	cert, key := a.Server(t)
	pair, err := tls.X509KeyPair([]byte(cert), []byte(key))
	require.NoError(t, err)
	settings := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	if demand {
		settings.ClientAuth, settings.ClientCAs = tls.RequireAndVerifyClientCert, a.Pool()
	}
	return settings
}

// PFX returns a client's certificate that is valid for so long, as Azure takes it: PKCS #12, base64.
func (a *Authority) PFX(t *testing.T, name, password string, life time.Duration) string {
	t.Helper()
	c, k := a.sign(t, name, life)
	der, err := pkcs12.Modern2023.Encode(k, c, []*x509.Certificate{a.cert}, password)
	require.NoError(t, err)
	return base64.StdEncoding.EncodeToString(der)
}

func block(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}
