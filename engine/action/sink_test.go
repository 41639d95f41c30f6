package action_test

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/action"
)

var alert = engine.AlertMessage{
	ID: "4402", Incident: "4400", Class: engine.ClassFailure, Kind: engine.AlertFailed, Title: `w/报表 <b> "failed" & more`, Text: "root: w/a\n- w/b is blocked",
	Root: &engine.AlertInstance{ID: "7", Workflow: "w", Job: "a", PlanTime: time.Date(2026, 11, 21, 6, 0, 0, 0, time.UTC)},
	At:   time.Date(2026, 11, 21, 6, 1, 0, 0, time.UTC),
}

const sinkKey = "a-secret-key"

// tell sends the alert to one sink and returns what became of it.
func tell(t *testing.T, config action.Config, s engine.Sink) engine.Told {
	t.Helper()
	config.Dir, config.Supervisor = t.TempDir(), []string{"none"}
	runner, err := action.New(config)
	require.NoError(t, err)
	defer runner.Close(t.Context())
	s.Name = "ops"
	sinks, err := runner.Sinks([]engine.Sink{s}, func(source engine.SecretSource) (string, error) {
		if source.Env == "" {
			return "", errors.New("not set")
		}
		return source.Env, nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{"ops"}, sinks.Sinks())
	told := make(chan engine.Told, 1)
	sinks.Notify("ops", alert, func(r engine.Told) { told <- r })
	return <-told
}

// A post is a request that a webhook got.
type post struct {
	*http.Request
	body string
}

// hook is a webhook that answers so; its requests are sent on.
func hook(t *testing.T, status int, answer string) (string, chan post) {
	posts := make(chan post, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		posts <- post{r, string(body)}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	return server.URL, posts
}

var near = action.Config{AllowLoopback: true}

func sum(key, text string) []byte {
	h := hmac.New(sha256.New, []byte(key))
	_, _ = io.WriteString(h, text)
	return h.Sum(nil)
}

func TestAWebhookCanCheckWhoSpeaks(t *testing.T) {
	url, posts := hook(t, 204, "")
	require.Empty(t, tell(t, near, engine.Sink{Type: engine.SinkWebhook, URL: url + "/x", Secret: &engine.SecretSource{Env: sinkKey}, Headers: map[string]string{"X-Team": "night"}}).Error)
	p := <-posts
	require.Equal(t, "sha256="+hex.EncodeToString(sum(sinkKey, p.Header.Get("X-Almanac-Timestamp")+"."+p.body)), p.Header.Get("X-Almanac-Signature"))
	at, err := strconv.ParseInt(p.Header.Get("X-Almanac-Timestamp"), 10, 64)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), time.Unix(at, 0), time.Minute)
	require.Equal(t, "4402", p.Header.Get("Idempotency-Key"))
	require.Equal(t, "night", p.Header.Get("X-Team"))
	var got engine.AlertMessage
	require.NoError(t, json.Unmarshal([]byte(p.body), &got))
	require.Equal(t, alert, got)
}

func TestChatsGetTheirOwnForm(t *testing.T) {
	url, posts := hook(t, 200, `{"code":0,"errcode":0}`)
	key := &engine.SecretSource{Env: sinkKey}
	object := func(p post) (m map[string]any) {
		require.NoError(t, json.Unmarshal([]byte(p.body), &m), p.body)
		return m
	}

	require.Empty(t, tell(t, near, engine.Sink{Type: engine.SinkSlack, URL: url}).Error)
	m := object(<-posts)
	require.Equal(t, `w/报表 &lt;b&gt; "failed" &amp; more`, m["text"])

	require.Empty(t, tell(t, near, engine.Sink{Type: engine.SinkWeCom, URL: url}).Error)
	m = object(<-posts)
	require.Equal(t, "markdown", m["msgtype"])
	require.Contains(t, m["markdown"].(map[string]any)["content"], "**"+alert.Title+"**\nroot: w/a")

	require.Empty(t, tell(t, near, engine.Sink{Type: engine.SinkFeishu, URL: url, Secret: key}).Error)
	m = object(<-posts)
	require.Equal(t, "text", m["msg_type"])
	require.Equal(t, base64.StdEncoding.EncodeToString(sum(m["timestamp"].(string)+"\n"+sinkKey, "")), m["sign"])

	require.Empty(t, tell(t, near, engine.Sink{Type: engine.SinkDingTalk, URL: url + "/robot/send?access_token=abc", Secret: key}).Error)
	p := <-posts
	q := p.URL.Query()
	require.Equal(t, "abc", q.Get("access_token"))
	require.Equal(t, base64.StdEncoding.EncodeToString(sum(sinkKey, q.Get("timestamp")+"\n"+sinkKey)), q.Get("sign"))
	require.Equal(t, alert.Title, object(p)["markdown"].(map[string]any)["title"])
}

func TestATemplateWritesTheBody(t *testing.T) {
	url, posts := hook(t, 200, "")
	require.Empty(t, tell(t, near, engine.Sink{Type: engine.SinkWebhook, URL: url, Template: `{"summary": {{json .Title}}, "job": {{json .Root.Job}}}`}).Error)
	require.JSONEq(t, `{"summary": "w/报表 <b> \"failed\" & more", "job": "a"}`, (<-posts).body)
	told := tell(t, near, engine.Sink{Type: engine.SinkWebhook, URL: url, Template: `{{.Nothing}}`})
	require.Contains(t, told.Error, "can't evaluate field Nothing")
	require.True(t, told.Final)
	told = tell(t, near, engine.Sink{Type: engine.SinkWebhook, URL: url, Template: `{{range $i := .Members}}x{{end}}{{printf "%300000d" 1}}`})
	require.Contains(t, told.Error, "more than 262144 bytes")
}

// What a sink answers, and whether trying again can help.
func TestAnswersOfSinks(t *testing.T) {
	for _, c := range []struct {
		kind   string
		status int
		answer string
		says   string
		final  bool
	}{
		{engine.SinkWebhook, 200, "anything", "", false},
		{engine.SinkWebhook, 500, "oh no", `HTTP 500 from 127.0.0.1`, false},
		{engine.SinkWebhook, 429, "", "HTTP 429", false},
		{engine.SinkWebhook, 404, "no such hook", `"no such hook"`, true},
		{engine.SinkWebhook, 302, "", "HTTP 302", true}, // a redirect would carry the message and its signature elsewhere
		{engine.SinkSlack, 403, "invalid_token", "invalid_token", true},
		{engine.SinkFeishu, 200, `{"code":19021,"msg":"sign match fail"}`, "sign match fail", false},
		{engine.SinkDingTalk, 200, `{"errcode":310000,"errmsg":"sign not match"}`, "sign not match", false},
		{engine.SinkWeCom, 200, `<html>`, "not that of the service", false},
	} {
		url, _ := hook(t, c.status, c.answer)
		told := tell(t, near, engine.Sink{Type: c.kind, URL: url})
		require.Equal(t, c.final, told.Final, c)
		if c.says == "" {
			require.Empty(t, told.Error, c)
		} else {
			require.Contains(t, told.Error, c.says, c)
		}
	}
}

func TestSinksReachNoMoreThanActionsAndTellNoSecret(t *testing.T) {
	url, posts := hook(t, 500, "you called /services/T0/hunter2222")
	told := tell(t, action.Config{}, engine.Sink{Type: engine.SinkSlack, URL: url})
	require.Contains(t, told.Error, "127.0.0.1 is a loopback address")
	require.Empty(t, posts)

	told = tell(t, near, engine.Sink{Type: engine.SinkSlack, URLFrom: &engine.SecretSource{Env: url + "/services/T0/hunter2222"}})
	require.Contains(t, told.Error, "you called ***")
	require.NotContains(t, told.Error, "hunter")

	told = tell(t, near, engine.Sink{Type: engine.SinkSlack, URLFrom: &engine.SecretSource{}})
	require.Equal(t, "its address: not set", told.Error)
	require.False(t, told.Final, "it may be set later")
	require.True(t, tell(t, near, engine.Sink{Type: engine.SinkSlack, URLFrom: &engine.SecretSource{Env: "ftp://x"}}).Final)
}

// A letter is a mail that the server of the tests got.
type letter struct {
	tls, auth, from, to, text string
}

// mailServer speaks SMTP: with STARTTLS when there is a certificate, or with TLS from the beginning, and lets nobody in without the login.
func mailServer(t *testing.T, certificate *tls.Config, implicit bool, refuse string) (int, chan letter) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	letters := make(chan letter, 10)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if implicit {
				conn = tls.Server(conn, certificate)
			}
			go takeLetter(conn, certificate, implicit, refuse, letters)
		}
	}()
	return listener.Addr().(*net.TCPAddr).Port, letters
}

func takeLetter(conn net.Conn, certificate *tls.Config, secure bool, refuse string, letters chan letter) {
	defer conn.Close()
	var l letter
	lines := bufio.NewReader(conn)
	say := func(line string) { fmt.Fprintf(conn, "%s\r\n", line) }
	say("220 test ESMTP")
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSpace(line)
		word, rest, _ := strings.Cut(line, " ")
		switch strings.ToUpper(word) {
		case "EHLO":
			if secure {
				say("250-test")
				say("250 AUTH PLAIN LOGIN")
			} else if certificate != nil {
				say("250-test")
				say("250 STARTTLS")
			} else {
				say("250 test")
			}
		case "STARTTLS":
			say("220 go on")
			conn = tls.Server(conn, certificate)
			lines, secure = bufio.NewReader(conn), true
		case "AUTH":
			_, encoded, _ := strings.Cut(rest, " ")
			plain, _ := base64.StdEncoding.DecodeString(encoded)
			if l.auth = strings.ReplaceAll(string(plain), "\x00", "|"); !strings.HasSuffix(l.auth, "|mailer|"+sinkKey) {
				say("535 wrong")
				continue
			}
			say("235 welcome")
		case "MAIL":
			l.from, l.tls = rest, strconv.FormatBool(secure)
			say("250 fine")
		case "RCPT":
			if refuse != "" {
				say(refuse)
				continue
			}
			l.to += rest + " "
			say("250 fine")
		case "DATA":
			say("354 go on")
			for {
				line, err := lines.ReadString('\n')
				if err != nil || strings.TrimSpace(line) == "." {
					break
				}
				l.text += line
			}
			letters <- l
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 fine")
		}
	}
}

func mailSink(port int, how string) engine.Sink {
	return engine.Sink{
		Type: engine.SinkEmail, Host: "127.0.0.1", Port: port, TLS: how, From: "Almanac <almanac@example.com>", To: []string{"ops@example.com", "Night <night@example.com>"},
		Username: "mailer", Password: &engine.SecretSource{Env: sinkKey},
	}
}

func TestMailGoesByTLSWithALogin(t *testing.T) {
	server := httptest.NewUnstartedServer(nil)
	server.StartTLS()
	defer server.Close()
	certificate := server.TLS.Clone()
	certificate.NextProtos = nil
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	trusting := action.Config{AllowLoopback: true, Roots: roots}
	for _, how := range []string{"starttls", "tls"} {
		port, letters := mailServer(t, certificate, how == "tls", "")
		told := tell(t, trusting, mailSink(port, how))
		require.Empty(t, told.Error, how)
		l := <-letters
		require.Equal(t, "true", l.tls)
		require.Equal(t, "|mailer|"+sinkKey, l.auth)
		require.Contains(t, l.from, "<almanac@example.com>")
		require.Contains(t, l.to, "<ops@example.com> ")
		require.Contains(t, l.to, "<night@example.com> ")
		require.Contains(t, l.text, "Message-ID: <almanac-4402@example.com>")
		require.Contains(t, l.text, "Subject: =?UTF-8?")
		require.Contains(t, l.text, "Date: Sat, 21 Nov 2026 06:01:00 +0000")
		require.Contains(t, l.text, "- w/b is blocked")

		told = tell(t, near, mailSink(port, how))
		require.Contains(t, told.Error, "certificate", "who is not trusted gets no password")
		require.Empty(t, letters)
	}
	port, letters := mailServer(t, nil, false, "")
	require.NotEmpty(t, tell(t, trusting, mailSink(port, "starttls")).Error, "a server without STARTTLS gets no password")
	require.Empty(t, letters)

	wrong := mailSink(port, "starttls")
	port, _ = mailServer(t, certificate, false, "")
	wrong.Port, wrong.Password = port, &engine.SecretSource{Env: "some-other-word"}
	told := tell(t, trusting, wrong)
	require.Contains(t, told.Error, "535")
	require.NotContains(t, told.Error, "some-other-word")
}

// A mail server says whether trying again can help.
func TestRefusalsOfMail(t *testing.T) {
	plain := mailSink(0, "none")
	plain.Username, plain.Password = "", nil
	for refusal, final := range map[string]bool{"": false, "450 later": false, "550 no such mailbox": true} {
		port, _ := mailServer(t, nil, false, refusal)
		plain.Port = port
		told := tell(t, near, plain)
		require.Equal(t, refusal == "", told.Error == "", "%q: %s", refusal, told.Error)
		require.Equal(t, final, told.Final, refusal)
	}
	plain.Port = 1
	told := tell(t, action.Config{}, plain)
	require.Contains(t, told.Error, "loopback")
}
