//go:build unix

package actiontest

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/Azure/go-amqp"
	"github.com/stretchr/testify/require"
)

// Rabbit is a RabbitMQ that speaks AMQP 1.0, over TLS too, with one user, the queue q1, and the queue topics that gets what is sent to the topic t1.
type Rabbit struct {
	Plain, Secure string // addresses
	User, Key     string
}

// StartRabbit starts one whose certificate is of the authority.
func StartRabbit(t *testing.T, ca *Authority) *Rabbit {
	t.Helper()
	path := Program(t, RabbitMQ)
	epmd := Program(t, PortMapper)
	r := &Rabbit{User: "QPolicy", Key: "TOPSECRETkeyOfTheBusByAMQP"}
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	cert, key := ca.Server(t)
	var port, dist, mapper string
	r.Plain, port = FreeAddress(t)
	r.Secure, _ = FreeAddress(t)
	_, dist = FreeAddress(t)
	names, mapper := FreeAddress(t)
	config := write("rabbitmq.conf", fmt.Sprintf(`listeners.tcp.1 = %s
listeners.ssl.1 = %s
ssl_options.cacertfile = %s
ssl_options.certfile = %s
ssl_options.keyfile = %s
ssl_options.verify = verify_none
load_definitions = %s
amqp1_0.default_user = none
`, r.Plain, r.Secure, write("ca.pem", ca.PEM()), write("cert.pem", cert), write("key.pem", key), write("definitions.json", r.definitions(t))))
	env := append(os.Environ(), "HOME="+dir, "ERL_EPMD_PORT="+mapper, "ERL_EPMD_ADDRESS=127.0.0.1")

	// The port mapper is a process of the test too: by itself it would be left behind.
	cmd := exec.Command(epmd, "-address", "127.0.0.1", "-port", mapper)
	cmd.Env = env
	Launch(t, names, cmd)
	cmd = exec.Command(path)
	cmd.Dir = dir
	cmd.Env = append(env, "RABBITMQ_NODENAME=almanac"+port+"@localhost", "RABBITMQ_MNESIA_BASE="+filepath.Join(dir, "mnesia"), "RABBITMQ_LOG_BASE="+filepath.Join(dir, "log"),
		"RABBITMQ_LOGS=-", "RABBITMQ_CONFIG_FILE="+config, "RABBITMQ_CONF_ENV_FILE="+write("env.conf", ""), "RABBITMQ_ENABLED_PLUGINS_FILE="+write("plugins", "[rabbitmq_amqp1_0].\n"),
		"RABBITMQ_DIST_PORT="+dist, "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-kernel inet_dist_use_interface {127,0,0,1} -start_epmd false")
	Launch(t, r.Secure, cmd) // it listens there last
	return r
}

// definitions are the user, the queues and the topic, as RabbitMQ reads them.
func (r *Rabbit) definitions(t *testing.T) string {
	sum := sha256.Sum256([]byte("salt" + r.Key))
	queue := func(name string) any {
		return map[string]any{"name": name, "vhost": "/", "durable": false, "auto_delete": false, "arguments": map[string]any{}}
	}
	text, err := json.Marshal(map[string]any{
		"users": []any{map[string]any{
			"name": r.User, "password_hash": base64.StdEncoding.EncodeToString(append([]byte("salt"), sum[:]...)), "hashing_algorithm": "rabbit_password_hashing_sha256", "tags": "",
		}},
		"vhosts":      []any{map[string]any{"name": "/"}},
		"permissions": []any{map[string]any{"user": r.User, "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"}},
		"queues":      []any{queue("q1"), queue("topics")},
		"bindings": []any{map[string]any{
			"source": "amq.topic", "vhost": "/", "destination": "topics", "destination_type": "queue", "routing_key": "t1", "arguments": map[string]any{},
		}},
	})
	require.NoError(t, err)
	return string(text)
}

// Receive consumes one message.
func (r *Rabbit) Receive(t *testing.T, queue string) *amqp.Message {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, err := amqp.Dial(ctx, "amqp://"+r.Plain, &amqp.ConnOptions{SASLType: amqp.SASLTypePlain(r.User, r.Key)})
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

// Drain takes all messages from a queue and returns how many there were.
func (r *Rabbit) Drain(t *testing.T, queue string) (n int) {
	t.Helper()
	const last = "the last of them"
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, err := amqp.Dial(ctx, "amqp://"+r.Plain, &amqp.ConnOptions{SASLType: amqp.SASLTypePlain(r.User, r.Key)})
	require.NoError(t, err)
	defer conn.Close()
	session, err := conn.NewSession(ctx, nil)
	require.NoError(t, err)
	sender, err := session.NewSender(ctx, queue, nil)
	require.NoError(t, err)
	require.NoError(t, sender.Send(ctx, amqp.NewMessage([]byte(last)), nil))
	receiver, err := session.NewReceiver(ctx, queue, nil)
	require.NoError(t, err)
	for ; ; n++ {
		m, err := receiver.Receive(ctx, nil)
		require.NoError(t, err)
		require.NoError(t, receiver.AcceptMessage(ctx, m))
		if string(m.GetData()) == last {
			return n
		}
	}
}
