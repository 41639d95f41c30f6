package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"github.com/stretchr/testify/require"
)

// component finds a program that a test speaks to: where the variable says, else in the usual places. Where components are required it is a failure
// that there is none.
func component(t *testing.T, variable, install string, places ...string) string {
	t.Helper()
	if path := os.Getenv(variable); path != "" {
		require.FileExists(t, path, variable)
		return path
	}
	for _, place := range places {
		if path, err := exec.LookPath(os.ExpandEnv(place)); err == nil {
			return path
		}
	}
	words := fmt.Sprintf("not found: %s; %s, or say in %s where it is", strings.Join(places, ", "), install, variable)
	if os.Getenv("ALMANAC_TEST_COMPONENTS") == "required" {
		require.FailNow(t, words)
	}
	t.Skip(words)
	return ""
}

// launch runs a program for as long as the test, in a process group of its own, and waits until it listens.
func launch(t *testing.T, address string, c *exec.Cmd) {
	t.Helper()
	words, err := os.Create(filepath.Join(t.TempDir(), "output"))
	require.NoError(t, err)
	defer words.Close()
	c.Stdout, c.Stderr, c.SysProcAttr = words, words, &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, c.Start())
	ended := make(chan struct{})
	go func() {
		_ = c.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
		}
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		<-ended
	})
	poll(t, c.Path+" to listen", func() bool {
		select {
		case <-ended:
			said, _ := os.ReadFile(words.Name())
			require.FailNow(t, "it has ended", "%s: %s", c, said)
		default:
		}
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

// freeAddress is a loopback address that nobody listened on a moment ago.
func freeAddress(t *testing.T) (address, port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, err = net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return l.Addr().String(), port
}

// azurite is the storage emulator with one account.
type azurite struct {
	address, account string
	key              []byte
}

// always is when the signatures of the tests end.
const always = "2099-01-01T00:00:00Z"

func startAzurite(t *testing.T) *azurite {
	path := component(t, "ALMANAC_TEST_AZURITE", "npm install azurite@3.35.0", "azurite-queue", "$HOME/.cache/almanac-ci/azurite-3.35.0/node_modules/.bin/azurite-queue")
	a := &azurite{account: "acct1", key: []byte("a key of 32 bytes, no more, none")}
	address, port := freeAddress(t)
	a.address = address
	c := exec.Command(path, "--queueHost", "127.0.0.1", "--queuePort", port, "--inMemoryPersistence", "--silent", "--disableTelemetry", "--skipApiVersionCheck")
	c.Dir = t.TempDir()
	c.Env = append(os.Environ(), "AZURITE_ACCOUNTS="+a.account+":"+base64.StdEncoding.EncodeToString(a.key))
	launch(t, a.address, c)
	return a
}

func (a *azurite) sign(lines ...string) string {
	sum := hmac.New(sha256.New, a.key)
	sum.Write([]byte(strings.Join(lines, "\n")))
	return url.QueryEscape(base64.StdEncoding.EncodeToString(sum.Sum(nil)))
}

// sas is a signature that allows some things on one queue (`azure-scheduler.md` §8).
func (a *azurite) sas(queue, allowed string) string {
	sig := a.sign(allowed, "", always, "/queue/"+a.account+"/"+queue, "", "", "", "2018-11-09")
	return "sv=2018-11-09&se=" + url.QueryEscape(always) + "&sp=" + allowed + "&sig=" + sig
}

// create makes a queue, by a signature for the account.
func (a *azurite) create(t *testing.T, queue string) {
	sig := a.sign(a.account, "rwdlacup", "q", "sco", "", always, "", "", "2018-11-09", "")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, fmt.Sprintf("http://%s/%s/%s?sv=2018-11-09&ss=q&srt=sco&sp=rwdlacup&se=%s&sig=%s",
		a.address, a.account, queue, url.QueryEscape(always), sig), nil)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, http.StatusCreated, answer.StatusCode)
}

// take removes the one message of a queue and returns it decoded.
func (a *azurite) take(t *testing.T, queue string) string {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("http://%s/%s/%s/messages?numofmessages=32&%s", a.address, a.account, queue, a.sas(queue, "p")), nil)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	var list struct {
		Messages []struct{ MessageText string } `xml:"QueueMessage"`
	}
	require.NoError(t, xml.NewDecoder(answer.Body).Decode(&list))
	require.Len(t, list.Messages, 1)
	text, err := base64.StdEncoding.DecodeString(list.Messages[0].MessageText)
	require.NoError(t, err)
	return string(text)
}

// rabbit is a RabbitMQ that speaks AMQP 1.0, over TLS too, with one user, the queue q1, and the queue topics that gets what is sent to the topic t1.
type rabbit struct{ plain, secure, user, key string }

func startRabbit(t *testing.T, ca *authority) *rabbit {
	path := component(t, "ALMANAC_TEST_RABBITMQ", "apt-get install rabbitmq-server", "/usr/lib/rabbitmq/bin/rabbitmq-server")
	epmd := component(t, "ALMANAC_TEST_EPMD", "Erlang's port mapper comes with RabbitMQ", "epmd")
	r := &rabbit{user: "QPolicy", key: "TOPSECRETkeyOfTheBusByAMQP"}
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	cert, key := ca.server(t)
	sum := sha256.Sum256([]byte("salt" + r.key))
	queue := func(name string) any {
		return map[string]any{"name": name, "vhost": "/", "durable": false, "auto_delete": false, "arguments": map[string]any{}}
	}
	definitions, err := json.Marshal(map[string]any{
		"users":       []any{map[string]any{"name": r.user, "password_hash": base64.StdEncoding.EncodeToString(append([]byte("salt"), sum[:]...)), "hashing_algorithm": "rabbit_password_hashing_sha256", "tags": ""}},
		"vhosts":      []any{map[string]any{"name": "/"}},
		"permissions": []any{map[string]any{"user": r.user, "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"}},
		"queues":      []any{queue("q1"), queue("topics")},
		"bindings":    []any{map[string]any{"source": "amq.topic", "vhost": "/", "destination": "topics", "destination_type": "queue", "routing_key": "t1", "arguments": map[string]any{}}},
	})
	require.NoError(t, err)
	var port, dist, mapper string
	r.plain, port = freeAddress(t)
	r.secure, _ = freeAddress(t)
	_, dist = freeAddress(t)
	names, mapper := freeAddress(t)
	config := write("rabbitmq.conf", fmt.Sprintf(`listeners.tcp.1 = %s
listeners.ssl.1 = %s
ssl_options.cacertfile = %s
ssl_options.certfile = %s
ssl_options.keyfile = %s
ssl_options.verify = verify_none
load_definitions = %s
amqp1_0.default_user = none
`, r.plain, r.secure, write("ca.pem", ca.pem()), write("cert.pem", cert), write("key.pem", key), write("definitions.json", string(definitions))))
	env := append(os.Environ(), "HOME="+dir, "ERL_EPMD_PORT="+mapper, "ERL_EPMD_ADDRESS=127.0.0.1")

	// The port mapper is a process of the test too: by itself it would be left behind.
	c := exec.Command(epmd, "-address", "127.0.0.1", "-port", mapper)
	c.Env = env
	launch(t, names, c)
	c = exec.Command(path)
	c.Dir = dir
	c.Env = append(env, "RABBITMQ_NODENAME=almanac"+port+"@localhost", "RABBITMQ_MNESIA_BASE="+filepath.Join(dir, "mnesia"), "RABBITMQ_LOG_BASE="+filepath.Join(dir, "log"),
		"RABBITMQ_LOGS=-", "RABBITMQ_CONFIG_FILE="+config, "RABBITMQ_CONF_ENV_FILE="+write("env.conf", ""), "RABBITMQ_ENABLED_PLUGINS_FILE="+write("plugins", "[rabbitmq_amqp1_0].\n"),
		"RABBITMQ_DIST_PORT="+dist, "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-kernel inet_dist_use_interface {127,0,0,1} -start_epmd false")
	launch(t, r.secure, c) // it listens there last
	return r
}

// receive consumes one message.
func (r *rabbit) receive(t *testing.T, queue string) *amqp.Message {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
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
