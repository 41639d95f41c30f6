package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"software.sslmate.com/src/go-pkcs12"
)

// authority signs the certificates of the test: those of its servers, and those that clients show them.
type authority struct {
	cert   *x509.Certificate
	key    *ecdsa.PrivateKey
	serial atomic.Int64
}

func newAuthority(t *testing.T) *authority {
	a := new(authority)
	a.cert, a.key = a.sign(t, "test authority")
	return a
}

// sign makes a certificate with its key, the first one its own.
func (a *authority) sign(t *testing.T, name string) (*x509.Certificate, *ecdsa.PrivateKey) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(a.serial.Add(1)), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
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

func (a *authority) pem() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw}))
}

// server returns a server's certificate and key as PEM.
func (a *authority) server(t *testing.T) (cert, key string) {
	c, k := a.sign(t, "127.0.0.1")
	der, err := x509.MarshalPKCS8PrivateKey(k)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// pfx returns a client's certificate as Azure takes it.
func (a *authority) pfx(t *testing.T, name, password string) string {
	c, k := a.sign(t, name)
	der, err := pkcs12.Modern2023.Encode(k, c, []*x509.Certificate{a.cert}, password)
	require.NoError(t, err)
	return base64.StdEncoding.EncodeToString(der)
}

// An arrival is a request that a target has let in.
type arrival struct {
	*http.Request
	body string
}

// A target lets requests in that allow returns "" for. It says what it was sent to everybody, as badly made services do.
type target struct {
	*httptest.Server
	status int
	came   chan arrival
}

func newTarget(t *testing.T, settings *tls.Config, status int, allow func(r *http.Request) string) *target {
	s := &target{status: status, came: make(chan arrival, 10)}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-You-Sent", r.Header.Get("Authorization"))
		status, why := s.status, allow(r)
		if why != "" {
			status = http.StatusUnauthorized
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, why+"\nyou sent "+r.Header.Get("Authorization")+" to "+r.URL.String())
		if why == "" {
			s.came <- arrival{r, string(body)}
		}
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	if settings == nil {
		s.Start()
	} else {
		s.TLS = settings
		s.StartTLS()
	}
	t.Cleanup(s.Close)
	return s
}

// one is the one request that has come.
func (s *target) one(t *testing.T) arrival {
	t.Helper()
	require.Len(t, s.came, 1)
	return <-s.came
}

// secure are the settings of a TLS server of the authority; with demand it lets nobody in without a certificate of the same authority.
func (a *authority) secure(t *testing.T, demand bool) *tls.Config {
	cert, key := a.server(t)
	pair, err := tls.X509KeyPair([]byte(cert), []byte(key))
	require.NoError(t, err)
	settings := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	if demand {
		settings.ClientAuth, settings.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		settings.ClientCAs.AddCert(a.cert)
	}
	return settings
}

// tokenEndpoint gives a token to one client of one tenant (`azure-scheduler.md` §3, Outbound HTTP authentication).
func tokenEndpoint(t *testing.T, settings *tls.Config, tenant, audience, client, secret, token string) *httptest.Server {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		want := url.Values{"grant_type": {"client_credentials"}, "client_id": {client}, "client_secret": {secret}, "resource": {audience}}
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.URL.Path != "/"+tenant+"/oauth2/token" || !bytes.Equal(body, []byte(want.Encode())) {
			http.Error(w, `{"error": "invalid_client"}`, http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, `{"token_type": "Bearer", "expires_in": "3600", "access_token": "`+token+`"}`)
	}))
	s.TLS = settings
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// unsigned returns what is wrong with the signature of a message to the Service Bus, "" when nothing is (`azure-scheduler.md` §8): it is computed anew of
// what stands in the token, which must be for the entity that the request went to.
func unsigned(r *http.Request, scheme, name, key string) string {
	entity, isMessage := strings.CutSuffix(r.URL.Path, "/messages")
	token, found := strings.CutPrefix(r.Header.Get("Authorization"), "SharedAccessSignature ")
	if !isMessage || r.Method != http.MethodPost || !found {
		return "no message, or no signature"
	}
	raw := map[string]string{}
	for pair := range strings.SplitSeq(token, "&") {
		member, value, _ := strings.Cut(pair, "=")
		raw[member] = value
	}
	sum := hmac.New(sha256.New, []byte(key))
	sum.Write([]byte(raw["sr"] + "\n" + raw["se"]))
	resource, _ := url.QueryUnescape(raw["sr"])
	sig, _ := url.QueryUnescape(raw["sig"])
	expiry, _ := strconv.ParseInt(raw["se"], 10, 64)
	switch {
	case !strings.EqualFold(resource, scheme+"://"+r.Host+entity):
		return "signed for " + resource
	case raw["skn"] != name || sig != base64.StdEncoding.EncodeToString(sum.Sum(nil)):
		return "the signature is not what it should be"
	case time.Until(time.Unix(expiry, 0)) <= 0:
		return "it has expired"
	}
	return ""
}
