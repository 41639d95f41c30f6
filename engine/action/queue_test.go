package action_test

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/action"
	"github.com/almanac-sched/almanac/engine/action/actiontest"
)

func (b *bench) queue(m engine.StorageQueue) engine.Attempt {
	return b.attempt(engine.Action{Type: engine.ActionStorageQueue, Queue: &m, Timeout: time.Minute})
}

// Not beside other tests, some of which measure time: the component takes the machine to itself while it starts.
func TestStorageQueue(t *testing.T) {
	a := actiontest.StartAzurite(t)
	a.Create(t, "myqueue")
	at := func(envelope string) func(*action.Config) {
		return func(c *action.Config) {
			loopback(c)
			c.Azure = action.Azure{Queue: "http://" + a.Address + "/{account}", Envelope: envelope}
		}
	}
	b := setup(t, at(""))
	right := a.SAS("myqueue", "a", actiontest.Later)

	t.Run("the envelope arrives", func(t *testing.T) {
		for _, prefix := range []string{"", "?", "s?", "https://acct1.queue.core.windows.net/myqueue?"} {
			message := "line one\nline <two> & \"日本語\" " + prefix
			attempt := b.queue(engine.StorageQueue{Account: "acct1", Queue: "myqueue", SAS: engine.Text(prefix + right), Message: engine.Text(message)})
			r := b.run(attempt)
			require.Equal(t, engine.OutcomeSucceeded, r.Outcome, "%s: %s", r.Message, b.log(attempt.ID))
			require.Equal(t, "HTTP 201 Created from "+a.Address, r.Message)
			require.Equal(t, 201, r.Status)
			require.Regexp(t, `(?s)^HTTP/1.1 201 Created\n.*\nX-Ms-Request-Id: .*\n\n<\?xml.*<MessageId>`, b.log(attempt.ID))

			text := a.Take(t, "myqueue")
			require.True(t, strings.HasPrefix(text, `<?xml version="1.0" encoding="utf-16"?>`+"\n<StorageQueueMessage xmlns:xsd="), text)
			decoder := xml.NewDecoder(strings.NewReader(text))
			decoder.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
			var got struct{ ExecutionTag, ClientRequestId, ExpectedExecutionTime, SchedulerJobId, SchedulerJobCollectionId, Region, Message string }
			require.NoError(t, decoder.Decode(&got))
			require.Equal(t, message, got.Message)
			require.Equal(t, "2026-02-28T18:00:00", got.ExpectedExecutionTime, "in UTC, without saying so")
			require.Equal(t, "retail/orders", got.SchedulerJobCollectionId+"/"+got.SchedulerJobId)
			require.Equal(t, "almanac", got.Region)
			require.Equal(t, "0000000000000000000000000000004d", got.ExecutionTag)
			require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, got.ClientRequestId)
		}
	})
	t.Run("an empty message is one", func(t *testing.T) {
		require.Equal(t, engine.OutcomeSucceeded, b.run(b.queue(engine.StorageQueue{Account: "acct1", Queue: "myqueue", SAS: engine.Text(right)})).Outcome)
		require.Contains(t, a.Take(t, "myqueue"), "<Message></Message>")
	})
	t.Run("at an address of its own", func(t *testing.T) {
		public := setup(t, loopback)
		m := engine.StorageQueue{Account: "acct1", Queue: "myqueue", SAS: engine.Text(right), URI: engine.Text("http://" + a.Address + "/acct1/myqueue")}
		r := public.run(public.queue(m))
		require.Equal(t, engine.OutcomeSucceeded, r.Outcome, r.Message)
		require.Contains(t, a.Take(t, "myqueue"), "<Message></Message>")
		m.URI += "?sig=hunter22"
		require.Equal(t, "cannot start: queueUri is no address of a queue such as https://host/queue", public.run(public.queue(m)).Message)
	})
	t.Run("plain by configuration", func(t *testing.T) {
		plain := setup(t, at(action.EnvelopePlain))
		r := plain.run(plain.queue(engine.StorageQueue{Account: "acct1", Queue: "myqueue", SAS: engine.Text(right), Message: "just \x01 this"}))
		require.Equal(t, engine.OutcomeSucceeded, r.Outcome, r.Message)
		require.Equal(t, "just \x01 this", a.Take(t, "myqueue"))
	})
	for name, c := range map[string]struct {
		queue, sas string
		status     int
	}{
		"a wrong signature":     {"myqueue", strings.Replace(right, "sig=", "sig=AAAA", 1), 403},
		"an expired signature":  {"myqueue", a.SAS("myqueue", "a", "2020-01-01T00:00:00Z"), 403},
		"one to read only":      {"myqueue", a.SAS("myqueue", "r", actiontest.Later), 403},
		"one for another queue": {"myqueue", a.SAS("other", "a", actiontest.Later), 403},
		"no such queue":         {"gone", a.SAS("gone", "a", actiontest.Later), 404},
	} {
		t.Run(name, func(t *testing.T) {
			attempt := b.queue(engine.StorageQueue{Account: "acct1", Queue: engine.Text(c.queue), SAS: engine.Text(c.sas), Message: "m"})
			r := b.run(attempt)
			require.Equal(t, engine.OutcomeFailed, r.Outcome)
			require.Equal(t, c.status, r.Status)
			require.Equal(t, fmt.Sprintf("HTTP %d %s from %s", c.status, http.StatusText(c.status), a.Address), r.Message)
			_, sig, _ := strings.Cut(c.sas, "sig=")
			decoded, err := url.QueryUnescape(sig)
			require.NoError(t, err)
			for _, secret := range []string{sig, decoded} {
				require.NotContains(t, r.Message+b.log(attempt.ID), secret)
			}
		})
	}
}

func TestStorageQueueRefusals(t *testing.T) {
	t.Parallel()
	b := setup(t, loopback)
	good := engine.StorageQueue{Account: "acct", Queue: "q", SAS: "sv=1&sig=hunter22", Message: "m"}
	for want, change := range map[string]func(*engine.StorageQueue){
		`cannot start: storageAccount "evil.example/x": allowed are letters, digits and -, at most 63`: func(m *engine.StorageQueue) { m.Account = "evil.example/x" },
		`cannot start: queueName "../x": allowed are letters, digits and -, at most 63`:                func(m *engine.StorageQueue) { m.Queue = "../x" },
		`cannot start: the sasToken is no shared access signature: it is a query such as sv=2018-11-09&sig=AbC`: func(m *engine.StorageQueue) {
			m.SAS = "sig=hunter22\r\nX: y"
		},
		`cannot start: the message holds a character that XML cannot; the server can be told to send messages without the envelope`: func(m *engine.StorageQueue) {
			m.Message = "\x00"
		},
	} {
		m := good
		change(&m)
		r := b.run(b.queue(m))
		require.Equal(t, engine.OutcomeFailed, r.Outcome)
		require.Equal(t, want, r.Message)
	}
}

// What goes to a service with a secret in its address does not follow a redirect, and the guard judges it like every other request.
func TestMessagesStayWhereTheyAreSent(t *testing.T) {
	t.Parallel()
	away := newSink(t, status(201))
	s := newSink(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, away.URL, http.StatusTemporaryRedirect)
	})
	here := func(c *action.Config) { c.Azure = action.Azure{Queue: s.URL, Bus: s.URL} }
	b := setup(t, loopback, here)
	sas := engine.Text("sv=1&sig=hunter22")
	host := strings.TrimPrefix(s.URL, "http://")
	r := b.run(b.queue(engine.StorageQueue{Account: "acct", Queue: "q", SAS: sas}))
	require.Equal(t, "HTTP 307 Temporary Redirect from "+host, r.Message)
	r = b.run(b.bus(engine.ServiceBus{Namespace: "n", Entity: "q", KeyName: "k", Key: "hunter22"}))
	require.Equal(t, "HTTP 307 Temporary Redirect from "+host, r.Message)
	require.Zero(t, away.count.Load())

	sent := s.count.Load()
	closed := setup(t, here)
	attempt := closed.queue(engine.StorageQueue{Account: "acct", Queue: "q", SAS: sas})
	r = closed.run(attempt)
	require.Contains(t, r.Message, "refused: 127.0.0.1 is a loopback address")
	require.NotContains(t, r.Message+closed.log(attempt.ID), "hunter22")
	r = closed.run(closed.bus(engine.ServiceBus{Namespace: "n", Entity: "q", KeyName: "k", Key: "hunter22"}))
	require.Contains(t, r.Message, "refused: 127.0.0.1 is a loopback address")
	require.Equal(t, sent, s.count.Load())
}

func TestAddressesOfAzure(t *testing.T) {
	t.Parallel()
	require.NoError(t, action.Azure{}.Check())
	require.NoError(t, action.Azure{Queue: "http://127.0.0.1:10001/{account}/", BusAMQP: "amqp://broker:5672/", Envelope: "plain"}.Check())
	err := action.Azure{Queue: "queue.example", Bus: "https://u:p@x", BusAMQP: "amqps://x/vhost", Authority: "https://x?y", Envelope: "json"}.Check()
	require.Error(t, err)
	require.Len(t, strings.Split(err.Error(), "\n"), 5)
	_, err = action.New(action.Config{Dir: t.TempDir(), Supervisor: []string{"x"}, Azure: action.Azure{Bus: "ftp://x"}})
	require.ErrorContains(t, err, `the address of the Service Bus is "ftp://x"; allowed is https:// or http://host[:port] without user and query`)
}

func TestMessagesEndByTimeoutAndCancel(t *testing.T) {
	t.Parallel()
	s := newSink(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	silent, err := new(testListener).listen(t)
	require.NoError(t, err)
	b := setup(t, loopback, func(c *action.Config) { c.Azure = action.Azure{Queue: s.URL, Bus: s.URL, BusAMQP: "amqp://" + silent} })
	bus := engine.ServiceBus{Namespace: "n", Entity: "q", KeyName: "k", Key: "hunter22"}
	overAMQP := bus
	overAMQP.Transport = engine.BusAMQP
	for _, a := range []engine.Attempt{b.queue(engine.StorageQueue{Account: "a", Queue: "q", SAS: "sig=x"}), b.bus(bus), b.bus(overAMQP)} {
		a.Action.Timeout = 100 * time.Millisecond
		r := b.run(a)
		require.Equal(t, engine.OutcomeTimeout, r.Outcome, r.Message)
		words := "no complete answer within 100ms timeout"
		if sent := a.Action.Bus == nil || a.Action.Bus.Transport != engine.BusAMQP; sent { // by AMQP the message has to wait for the greeting
			words += sentWords
		}
		require.Equal(t, words, r.Message)
		a.ID, a.Action.Timeout = b.next.Add(1), time.Minute
		c := b.start(a)
		eventually(t, "the attempt runs", func() bool { _, err := os.Stat(b.logPath(a.ID)); return err == nil })
		b.runner.Cancel(a.ID)
		require.Equal(t, engine.OutcomeCancelled, await(t, c).Outcome)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	b.start(b.bus(overAMQP))
	require.ErrorContains(t, b.runner.Close(ctx), "wait for 1 requests")
	b.open(loopback)
}
