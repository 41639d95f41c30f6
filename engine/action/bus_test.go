package action_test

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/action"
)

// testListener takes connections and says nothing.
type testListener struct{}

func (*testListener) listen(t *testing.T) (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(io.Discard, bufio.NewReader(conn)); conn.Close() }()
		}
	}()
	return l.Addr().String(), nil
}

func (b *bench) bus(m engine.ServiceBus) engine.Attempt {
	kind := engine.ActionServiceBusQueue
	if strings.HasPrefix(string(m.Entity), "/") || strings.HasPrefix(string(m.Entity), "t") {
		kind = engine.ActionServiceBusTopic
	}
	return b.attempt(engine.Action{Type: kind, Bus: &m, Timeout: time.Minute})
}

// fakeBus answers as the Service Bus does by REST: the signature is computed anew, from what stands in the token and from where the request went.
type fakeBus struct {
	*httptest.Server
	keys     map[string]string // by name
	entities map[string]bool
	got      chan *http.Request
	body     chan string
}

func newFakeBus(t *testing.T) *fakeBus {
	f := &fakeBus{keys: map[string]string{"QPolicy": "c2VjcmV0a2V5", "a&b=c": "k e+y/"}, entities: map[string]bool{"/q1": true, "/topics/t1": true}, got: make(chan *http.Request, 1), body: make(chan string, 1)}
	f.Server = httptest.NewServer(http.HandlerFunc(f.answer))
	t.Cleanup(f.Close)
	return f
}

func (f *fakeBus) answer(w http.ResponseWriter, r *http.Request) {
	entity, isMessage := strings.CutSuffix(r.URL.Path, "/messages")
	if why := f.unauthorized(r, entity); why != "" {
		http.Error(w, why+"; got "+r.Header.Get("Authorization"), http.StatusUnauthorized)
		return
	}
	if r.Method != http.MethodPost || !isMessage || !f.entities[entity] {
		w.WriteHeader(http.StatusGone)
		return
	}
	text, _ := io.ReadAll(r.Body)
	f.got <- r
	f.body <- string(text)
	w.WriteHeader(http.StatusCreated)
}

func (f *fakeBus) unauthorized(r *http.Request, entity string) string {
	token, found := strings.CutPrefix(r.Header.Get("Authorization"), "SharedAccessSignature ")
	if !found {
		return "no signature"
	}
	raw := map[string]string{}
	for _, pair := range strings.Split(token, "&") {
		name, value, _ := strings.Cut(pair, "=")
		raw[name] = value
	}
	resource, err := url.QueryUnescape(raw["sr"])
	if err != nil || !strings.EqualFold(resource, f.URL+entity) {
		return "signed for " + resource
	}
	name, _ := url.QueryUnescape(raw["skn"])
	sum := hmac.New(sha256.New, []byte(f.keys[name]))
	sum.Write([]byte(raw["sr"] + "\n" + raw["se"]))
	sig, _ := url.QueryUnescape(raw["sig"])
	expiry, _ := strconv.ParseInt(raw["se"], 10, 64)
	left := time.Until(time.Unix(expiry, 0))
	switch {
	case f.keys[name] == "" || sig != base64.StdEncoding.EncodeToString(sum.Sum(nil)):
		return "the signature is not what it should be"
	case left < time.Minute || left > time.Hour:
		return "it holds for " + left.String()
	}
	return ""
}

func TestServiceBusByREST(t *testing.T) {
	t.Parallel()
	f := newFakeBus(t)
	b := setup(t, loopback, func(c *action.Config) { c.Azure.Bus = f.URL })
	full := engine.ServiceBus{
		Namespace: "mysbnamespace", Entity: "q1", Transport: engine.BusNetMessaging, KeyName: "QPolicy", Key: "c2VjcmV0a2V5", Message: "Some message ä\n",
		Brokered: engine.BrokeredProperties{ContentType: "text/plain", CorrelationID: "c", Label: "Größe 😀", MessageID: "m", PartitionKey: "p", ReplyTo: "r", ReplyToSessionID: "rs",
			SessionID: "s", To: "to", ViaPartitionKey: "v", ScheduledEnqueue: "2026-10-01T02:00:00+08:00", TimeToLive: 90 * time.Second, ForcePersistence: true},
		Custom: map[string]engine.Text{"appname": "FromScheduler", "Quoted": `say "x" \ y`},
	}
	host := strings.TrimPrefix(f.URL, "http://")

	attempt := b.bus(full)
	r := b.run(attempt)
	require.Equal(t, engine.OutcomeSucceeded, r.Outcome, "%s: %s", r.Message, b.log(attempt.ID))
	require.Equal(t, "HTTP 201 Created from "+host, r.Message)
	require.True(t, strings.HasPrefix(b.log(attempt.ID), "HTTP/1.1 201 Created\n"))
	got := <-f.got
	require.Equal(t, "Some message ä\n", <-f.body)
	require.Equal(t, "text/plain", got.Header.Get("Content-Type"))
	require.Equal(t, `"FromScheduler"`, got.Header.Get("appname"))
	require.Equal(t, `"say \"x\" \\ y"`, got.Header.Get("Quoted"))
	require.Empty(t, got.Header.Get("X-Almanac-Attempt"), "it would be a property of the message")
	var properties map[string]any
	require.NoError(t, json.Unmarshal([]byte(got.Header.Get("BrokerProperties")), &properties))
	require.Equal(t, map[string]any{"CorrelationId": "c", "Label": "Größe 😀", "MessageId": "m", "PartitionKey": "p", "ReplyTo": "r", "ReplyToSessionId": "rs", "SessionId": "s", "To": "to",
		"ViaPartitionKey": "v", "ScheduledEnqueueTimeUtc": "Wed, 30 Sep 2026 18:00:00 GMT", "TimeToLive": 90.0, "ForcePersistence": true}, properties)

	bare := engine.ServiceBus{Namespace: "n", Entity: "topics/t1", KeyName: "a&b=c", Key: "k e+y/"}
	r = b.run(b.bus(bare))
	require.Equal(t, engine.OutcomeSucceeded, r.Outcome, r.Message)
	got = <-f.got
	require.Empty(t, <-f.body)
	require.JSONEq(t, `{"MessageId": "77"}`, got.Header.Get("BrokerProperties"), "the key by which a queue with duplicate detection knows it")

	for name, c := range map[string]struct {
		change func(*engine.ServiceBus)
		status int
	}{
		"wrong key":       {func(m *engine.ServiceBus) { m.Key = "c2VjcmV0a2V6" }, 401},
		"unknown name":    {func(m *engine.ServiceBus) { m.KeyName = "Other" }, 401},
		"no signature":    {func(m *engine.ServiceBus) { m.KeyName, m.Key = "", "" }, 401},
		"no such queue":   {func(m *engine.ServiceBus) { m.Entity = "q2" }, 410},
		"escaped as path": {func(m *engine.ServiceBus) { m.Entity = "q1/messages/x" }, 410},
	} {
		t.Run(name, func(t *testing.T) {
			m := full
			c.change(&m)
			attempt := b.bus(m)
			r := b.run(attempt)
			require.Equal(t, engine.OutcomeFailed, r.Outcome)
			require.Equal(t, c.status, r.Status)
			require.Contains(t, r.Message, " from "+host)
			if c.status == 401 && m.Key != "" {
				require.Contains(t, b.log(attempt.ID), "got ***", "the fake repeats what it was sent")
			}
			require.NotContains(t, b.log(attempt.ID), "&sig=")
		})
	}
}

func TestServiceBusRefusals(t *testing.T) {
	t.Parallel()
	b := setup(t, loopback)
	good := engine.ServiceBus{Namespace: "n", Entity: "q", KeyName: "k", Key: "hunter22"}
	for _, transport := range []engine.BusTransport{engine.BusNetMessaging, engine.BusAMQP} {
		for want, change := range map[string]func(*engine.ServiceBus){
			`namespace "n.example": allowed`:            func(m *engine.ServiceBus) { m.Namespace = "n.example" },
			`the queue or topic "": allowed`:            func(m *engine.ServiceBus) { m.Entity = "" },
			`the queue or topic "a/../b": allowed`:      func(m *engine.ServiceBus) { m.Entity = "a/../b" },
			`the queue or topic "q?x": allowed`:         func(m *engine.ServiceBus) { m.Entity = "q?x" },
			"there is no sasKey":                        func(m *engine.ServiceBus) { m.Key = "" },
			"holds a line break":                        func(m *engine.ServiceBus) { m.Custom = map[string]engine.Text{"A": "b\r\nX: y"} },
			"or another control character":              func(m *engine.ServiceBus) { m.Key = "a\x00b" },
			`scheduledEnqueueTimeUtc is "tomorrow", wh`: func(m *engine.ServiceBus) { m.Brokered.ScheduledEnqueue = "tomorrow" },
		} {
			m := good
			m.Transport = transport
			change(&m)
			r := b.run(b.bus(m))
			require.Equal(t, engine.OutcomeFailed, r.Outcome)
			require.Contains(t, r.Message, "cannot start: ")
			require.Contains(t, r.Message, want)
		}
	}
	for _, name := range []string{"two words", "authorization", "Content-Length", "BrokerProperties", "Host"} {
		m := good
		m.Custom = map[string]engine.Text{name: "x"}
		require.Contains(t, b.run(b.bus(m)).Message, "cannot be sent as a header: use transportType AMQP")
	}
}
