package action_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/action"
	"github.com/almanac-sched/almanac/engine/action/actiontest"
)

// Not beside other tests, some of which measure time: the component takes the machine to itself while it starts.
func TestServiceBusByAMQP(t *testing.T) {
	ca := actiontest.NewAuthority(t)
	r := actiontest.StartRabbit(t, ca)
	b := setup(t, loopback, func(c *action.Config) { c.Azure.BusAMQP = "amqp://" + r.Plain })
	full := engine.ServiceBus{
		Namespace: "ns", Entity: "q1", Transport: engine.BusAMQP, KeyName: engine.Text(r.User), Key: engine.Text(r.Key), Message: "Some message ä",
		Brokered: engine.BrokeredProperties{ContentType: "text/plain", CorrelationID: "c", Label: "label", MessageID: "m", PartitionKey: "p", ReplyTo: "q1", ReplyToSessionID: "rs",
			SessionID: "s", To: "to", ViaPartitionKey: "v", ScheduledEnqueue: "2026-10-01T02:00:00.5+08:00", TimeToLive: time.Hour, ForcePersistence: true},
		Custom: map[string]engine.Text{"appname": "FromScheduler", "two words": "日本"},
	}

	t.Run("everything arrives", func(t *testing.T) {
		attempt := b.bus(full)
		result := b.run(attempt)
		require.Equal(t, engine.OutcomeSucceeded, result.Outcome, "%s: %s", result.Message, b.log(attempt.ID))
		require.Equal(t, "AMQP 1.0 accepted from "+r.Plain, result.Message)
		require.Regexp(t, `(?s)^AMQP 1.0 accepted\nHost: `+r.Plain+`\nTarget: q1\n.*product: RabbitMQ\n`, b.log(attempt.ID))
		m := r.Receive(t, "q1")
		require.Equal(t, "Some message ä", string(m.GetData()))
		p := m.Properties
		require.Equal(t, []any{"m", "c", "text/plain", "label", "s", "rs", "to"}, []any{p.MessageID, p.CorrelationID, *p.ContentType, *p.Subject, *p.GroupID, *p.ReplyToGroupID, *p.To})
		require.Equal(t, map[string]any{"appname": "FromScheduler", "two words": "日本"}, m.ApplicationProperties)
		require.Equal(t, "p", m.Annotations["x-opt-partition-key"])
		require.Equal(t, "v", m.Annotations["x-opt-via-partition-key"])
		at, ok := m.Annotations["x-opt-scheduled-enqueue-time"].(time.Time)
		require.True(t, ok)
		require.True(t, at.Equal(time.Date(2026, 9, 30, 18, 0, 0, 5e8, time.UTC)), at)
		require.True(t, m.Header.Durable)
		require.Equal(t, time.Hour, m.Header.TTL)
	})
	t.Run("a topic, and nothing but the message", func(t *testing.T) {
		result := b.run(b.bus(engine.ServiceBus{Namespace: "ns", Entity: "/topic/t1", Transport: engine.BusAMQP, KeyName: full.KeyName, Key: full.Key}))
		require.Equal(t, engine.OutcomeSucceeded, result.Outcome, result.Message)
		m := r.Receive(t, "topics")
		require.Empty(t, string(m.GetData()))
		require.Empty(t, m.ApplicationProperties)
	})
	t.Run("with TLS", func(t *testing.T) {
		secure := setup(t, loopback, func(c *action.Config) { c.Azure.BusAMQP, c.Roots = "amqps://"+r.Secure, ca.Pool() })
		result := secure.run(secure.bus(full))
		require.Equal(t, engine.OutcomeSucceeded, result.Outcome, result.Message)
		require.Equal(t, "Some message ä", string(r.Receive(t, "q1").GetData()))
		stranger := setup(t, loopback, func(c *action.Config) { c.Azure.BusAMQP = "amqps://" + r.Secure })
		result = stranger.run(stranger.bus(full))
		require.Equal(t, engine.OutcomeFailed, result.Outcome)
		require.Contains(t, result.Message, "certificate signed by unknown authority")
	})
	t.Run("the guard judges the address", func(t *testing.T) {
		closed := setup(t, func(c *action.Config) { c.Azure.BusAMQP = "amqp://" + r.Plain })
		result := closed.run(closed.bus(full))
		require.Equal(t, engine.OutcomeFailed, result.Outcome)
		require.Contains(t, result.Message, "refused: 127.0.0.1 is a loopback address")
	})
	for name, c := range map[string]struct {
		change func(*engine.ServiceBus)
		want   string
	}{
		"wrong password": {func(m *engine.ServiceBus) { m.Key = "c2VjcmV0a2V6" }, "SASL PLAIN auth failed with code 0x1"},
		"nobody":         {func(m *engine.ServiceBus) { m.KeyName, m.Key = "", "" }, "no supported auth mechanism"},
		"unknown topic":  {func(m *engine.ServiceBus) { m.Entity = "/exchange/gone" }, "AMQP 1.0 amqp:not-found from " + r.Plain + ": "},
	} {
		t.Run(name, func(t *testing.T) {
			m := full
			c.change(&m)
			attempt := b.bus(m)
			result := b.run(attempt)
			require.Equal(t, engine.OutcomeFailed, result.Outcome)
			require.Contains(t, result.Message, c.want)
			require.Contains(t, result.Message, r.Plain)
			if m.Key != "" {
				require.NotContains(t, result.Message+b.log(attempt.ID), string(m.Key))
			}
		})
	}
}
