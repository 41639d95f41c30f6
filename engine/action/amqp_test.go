package action_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/action"
)

// rabbit is a RabbitMQ that speaks AMQP 1.0, with one user, a queue q1 and a topic t1 whose messages go to the queue topics.
type rabbit struct {
	plain, secure string // addresses
	user, key     string
}

func startRabbit(t *testing.T, ca *authority) *rabbit {
	path := component(t, "ALMANAC_TEST_RABBITMQ", "apt-get install rabbitmq-server", "/usr/lib/rabbitmq/bin/rabbitmq-server", "/opt/homebrew/sbin/rabbitmq-server")
	epmd, err := exec.LookPath("epmd")
	require.NoError(t, err, "Erlang's port mapper comes with RabbitMQ")
	r := &rabbit{user: "QPolicy", key: "c2VjcmV0a2V5"}
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	cert, key := ca.server(t)
	salt := "salt"
	sum := sha256.Sum256([]byte(salt + r.key))
	definitions, err := json.Marshal(map[string]any{
		"users":       []any{map[string]any{"name": r.user, "password_hash": base64.StdEncoding.EncodeToString(append([]byte(salt), sum[:]...)), "hashing_algorithm": "rabbit_password_hashing_sha256", "tags": ""}},
		"vhosts":      []any{map[string]any{"name": "/"}},
		"permissions": []any{map[string]any{"user": r.user, "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"}},
		"queues": []any{
			map[string]any{"name": "q1", "vhost": "/", "durable": false, "auto_delete": false, "arguments": map[string]any{}},
			map[string]any{"name": "topics", "vhost": "/", "durable": false, "auto_delete": false, "arguments": map[string]any{}},
		},
		"bindings": []any{map[string]any{"source": "amq.topic", "vhost": "/", "destination": "topics", "destination_type": "queue", "routing_key": "t1", "arguments": map[string]any{}}},
	})
	require.NoError(t, err)
	plain, secure, dist, mapper := freePort(t), freePort(t), freePort(t), freePort(t)
	r.plain, r.secure = local(plain), local(secure)
	config := write("rabbitmq.conf", fmt.Sprintf(`listeners.tcp.1 = %s
listeners.ssl.1 = %s
ssl_options.cacertfile = %s
ssl_options.certfile = %s
ssl_options.keyfile = %s
ssl_options.verify = verify_none
load_definitions = %s
amqp1_0.default_user = none
`, r.plain, r.secure, write("ca.pem", ca.pem()), write("cert.pem", cert), write("key.pem", key), write("definitions.json", string(definitions))))
	env := append(os.Environ(), "HOME="+dir, fmt.Sprintf("ERL_EPMD_PORT=%d", mapper), "ERL_EPMD_ADDRESS=127.0.0.1")

	// The port mapper is a process of the test too: by itself it would be left behind.
	names := exec.Command(epmd, "-address", "127.0.0.1", "-port", fmt.Sprint(mapper))
	names.Env = env
	launch(t, local(mapper), names)
	server := exec.Command(path)
	server.Dir = dir
	server.Env = append(env, fmt.Sprintf("RABBITMQ_NODENAME=almanac%d@localhost", plain), "RABBITMQ_MNESIA_BASE="+filepath.Join(dir, "mnesia"), "RABBITMQ_LOG_BASE="+filepath.Join(dir, "log"),
		"RABBITMQ_LOGS=-", "RABBITMQ_CONFIG_FILE="+config, "RABBITMQ_CONF_ENV_FILE="+write("env.conf", ""), "RABBITMQ_ENABLED_PLUGINS_FILE="+write("plugins", "[rabbitmq_amqp1_0].\n"),
		fmt.Sprintf("RABBITMQ_DIST_PORT=%d", dist), "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-kernel inet_dist_use_interface {127,0,0,1} -start_epmd false")
	launch(t, r.secure, server) // it listens there last
	return r
}

// receive consumes one message.
func (r *rabbit) receive(t *testing.T, queue string) *amqp.Message {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := amqp.Dial(ctx, "amqp://"+r.plain, &amqp.ConnOptions{SASLType: amqp.SASLTypePlain(r.user, r.key)})
	require.NoError(t, err)
	defer conn.Close()
	session, err := conn.NewSession(ctx, nil)
	require.NoError(t, err)
	receiver, err := session.NewReceiver(ctx, queue, nil)
	require.NoError(t, err)
	m, err := receiver.Receive(ctx, nil)
	require.NoError(t, err)
	require.NoError(t, receiver.AcceptMessage(ctx, m))
	return m
}

// Not beside other tests, some of which measure time: the component takes the machine to itself while it starts.
func TestServiceBusByAMQP(t *testing.T) {
	ca := newAuthority(t)
	r := startRabbit(t, ca)
	b := setup(t, loopback, func(c *action.Config) { c.Azure.BusAMQP = "amqp://" + r.plain })
	full := engine.ServiceBus{
		Namespace: "ns", Entity: "q1", Transport: engine.BusAMQP, KeyName: engine.Text(r.user), Key: engine.Text(r.key), Message: "Some message ä",
		Brokered: engine.BrokeredProperties{ContentType: "text/plain", CorrelationID: "c", Label: "label", MessageID: "m", PartitionKey: "p", ReplyTo: "q1", ReplyToSessionID: "rs",
			SessionID: "s", To: "to", ViaPartitionKey: "v", ScheduledEnqueue: "2026-10-01T02:00:00.5+08:00", TimeToLive: time.Hour, ForcePersistence: true},
		Custom: map[string]engine.Text{"appname": "FromScheduler", "two words": "日本"},
	}

	t.Run("everything arrives", func(t *testing.T) {
		attempt := b.bus(full)
		result := b.run(attempt)
		require.Equal(t, engine.OutcomeSucceeded, result.Outcome, "%s: %s", result.Message, b.log(attempt.ID))
		require.Equal(t, "AMQP 1.0 accepted from "+r.plain, result.Message)
		require.Regexp(t, `(?s)^AMQP 1.0 accepted\nHost: `+r.plain+`\nTarget: q1\n.*product: RabbitMQ\n`, b.log(attempt.ID))
		m := r.receive(t, "q1")
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
		m := r.receive(t, "topics")
		require.Empty(t, string(m.GetData()))
		require.Empty(t, m.ApplicationProperties)
	})
	t.Run("with TLS", func(t *testing.T) {
		secure := setup(t, loopback, func(c *action.Config) { c.Azure.BusAMQP, c.Roots = "amqps://"+r.secure, ca.pool() })
		result := secure.run(secure.bus(full))
		require.Equal(t, engine.OutcomeSucceeded, result.Outcome, result.Message)
		require.Equal(t, "Some message ä", string(r.receive(t, "q1").GetData()))
		stranger := setup(t, loopback, func(c *action.Config) { c.Azure.BusAMQP = "amqps://" + r.secure })
		result = stranger.run(stranger.bus(full))
		require.Equal(t, engine.OutcomeFailed, result.Outcome)
		require.Contains(t, result.Message, "certificate signed by unknown authority")
	})
	t.Run("the guard judges the address", func(t *testing.T) {
		closed := setup(t, func(c *action.Config) { c.Azure.BusAMQP = "amqp://" + r.plain })
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
		"unknown topic":  {func(m *engine.ServiceBus) { m.Entity = "/exchange/gone" }, "AMQP 1.0 amqp:not-found from " + r.plain + ": "},
	} {
		t.Run(name, func(t *testing.T) {
			m := full
			c.change(&m)
			attempt := b.bus(m)
			result := b.run(attempt)
			require.Equal(t, engine.OutcomeFailed, result.Outcome)
			require.Contains(t, result.Message, c.want)
			require.Contains(t, result.Message, r.plain)
			if m.Key != "" {
				require.NotContains(t, result.Message+b.log(attempt.ID), string(m.Key))
			}
		})
	}
}

// pemOf writes a block.
func pemOf(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}
