package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

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
