package action_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/action"
)

func loopback(c *action.Config) { c.AllowLoopback = true }

func (b *bench) http(h engine.HTTP) engine.Attempt {
	return b.attempt(engine.Action{Type: engine.ActionHTTP, HTTP: &h})
}

// sink answers every request by f and remembers the last one.
type sink struct {
	*httptest.Server
	count atomic.Int64
	last  atomic.Pointer[http.Request]
	body  atomic.Pointer[string]
}

func newSink(t *testing.T, f http.HandlerFunc) *sink {
	s := new(sink)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.count.Add(1)
		s.last.Store(r)
		text, _ := io.ReadAll(r.Body)
		body := string(text)
		s.body.Store(&body)
		f(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(code) }
}

func TestStatusDecides(t *testing.T) {
	t.Parallel()
	b := setup(t, loopback)
	s := newSink(t, func(w http.ResponseWriter, r *http.Request) {
		var code int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &code)
		w.WriteHeader(code)
	})
	for _, c := range []struct {
		status  int
		expect  []int
		want    engine.Outcome
		message string
	}{
		{200, nil, engine.OutcomeSucceeded, ""},
		{201, nil, engine.OutcomeSucceeded, ""},
		{204, nil, engine.OutcomeSucceeded, ""},
		{304, nil, engine.OutcomeFailed, "HTTP 304 Not Modified"},
		{404, nil, engine.OutcomeFailed, "HTTP 404 Not Found"},
		{500, nil, engine.OutcomeFailed, "HTTP 500 Internal Server Error"},
		{599, nil, engine.OutcomeFailed, "HTTP 599"},
		{404, []int{404, 410}, engine.OutcomeSucceeded, ""},
		{200, []int{202}, engine.OutcomeFailed, "HTTP 200 OK"},
	} {
		r := b.run(b.http(engine.HTTP{URI: engine.Text(fmt.Sprintf("%s/%d", s.URL, c.status)), Expect: c.expect}))
		require.Equal(t, c.want, r.Outcome, c.status)
		require.Equal(t, c.status, r.Status)
		require.Equal(t, c.status, r.Code())
		require.Equal(t, c.message, r.Message)
	}
}

func TestWhatIsSent(t *testing.T) {
	t.Parallel()
	b := setup(t, loopback)
	s := newSink(t, status(200))
	a := b.http(engine.HTTP{
		Method: "post", URI: engine.Text(s.URL + "/x?y=1"), Body: "a=1", Basic: &engine.BasicAuth{Username: "me", Password: "p:w"},
		Headers: map[string]engine.Text{"Content-Type": "text/plain", "user-agent": "mine", "X-Day": "2026-03-01"},
	})
	require.Equal(t, engine.OutcomeSucceeded, b.run(a).Outcome)
	got := s.last.Load()
	require.Equal(t, "POST", got.Method)
	require.Equal(t, "/x?y=1", got.URL.String())
	require.Equal(t, "a=1", *s.body.Load())
	user, password, _ := got.BasicAuth()
	require.Equal(t, "me p:w", user+" "+password)
	for name, want := range map[string]string{"Idempotency-Key": "77", "X-Almanac-Attempt": "2", "User-Agent": "mine", "X-Day": "2026-03-01", "Content-Type": "text/plain",
		"x-ms-scheduler-jobid": "orders", "x-ms-scheduler-jobcollectionid": "retail", "x-ms-scheduler-expected-execution-time": "2026-02-28T18:00:00Z"} {
		require.Equal(t, want, got.Header.Get(name), name)
	}
	require.Regexp(t, `^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`, got.Header.Get("x-ms-client-request-id"))

	a = b.http(engine.HTTP{URI: engine.Text(s.URL)})
	a.Step = "send mail"
	b.run(a)
	require.Equal(t, "77/send%20mail", s.last.Load().Header.Get("Idempotency-Key"), "another step is other work")
	require.Equal(t, "GET", s.last.Load().Method)
	require.Equal(t, "almanac/test", s.last.Load().UserAgent())
	a.Step, a.Error = "", true
	a.Action.HTTP.Headers = nil
	b.run(a)
	require.Equal(t, "77!error", s.last.Load().Header.Get("Idempotency-Key"))
	a.Action.HTTP.Headers = map[string]engine.Text{"idempotency-key": "own"}
	b.run(a)
	require.Equal(t, []string{"own"}, s.last.Load().Header.Values("Idempotency-Key"))
}

func TestHeadersThatSmuggleAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, loopback)
	s := newSink(t, status(200))
	for _, h := range [][2]string{
		{"X-A", "b\r\nX-Injected: 1"}, {"X-A", "b\nX-Injected: 1"}, {"X-A", "b\x00"}, {"X-A\r\nX-Injected", "1"}, {"X A", "1"}, {"", "1"}, {"X-A:", "1"},
		{"Host", "other.example"}, {"Content-Length", "3"}, {"transfer-encoding", "chunked"}, {"Connection", "close"}, {"Upgrade", "h2c"},
	} {
		r := b.run(b.http(engine.HTTP{URI: engine.Text(s.URL), Headers: map[string]engine.Text{h[0]: engine.Text(h[1])}}))
		require.Equal(t, engine.OutcomeFailed, r.Outcome, h)
		require.Contains(t, r.Message, "cannot start: header", h)
		require.NotContains(t, r.Message, "\n")
	}
	require.Zero(t, s.count.Load(), "nothing was sent")
	host := strings.TrimPrefix(s.URL, "http://")
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.http(engine.HTTP{URI: engine.Text(s.URL), Headers: map[string]engine.Text{"Host": engine.Text(host)}})).Outcome)
}

func TestAddressesThatAreNone(t *testing.T) {
	t.Parallel()
	b := setup(t, loopback)
	for uri, why := range map[string]string{
		"": `begins with ":"`, "/path": `begins with ":"`, "file:///etc/passwd": `begins with "file:"`, "gopher://x/": `begins with "gopher:"`,
		"unix:///run/docker.sock": `begins with "unix:"`, "http://": "names no host", "http://[::1": "not a URI", "http://a\r\nHost: b/": "not a URI",
		"http://user:hunter2@%zz/": "not a URI",
	} {
		r := b.run(b.http(engine.HTTP{URI: engine.Text(uri)}))
		require.Equal(t, engine.OutcomeFailed, r.Outcome, uri)
		require.Contains(t, r.Message, why, uri)
		require.NotContains(t, r.Message, "hunter2")
	}
	a := b.http(engine.HTTP{URI: "http://example.org/"})
	a.Action.Type = engine.ActionHTTPS
	require.Contains(t, b.run(a).Message, `an action of type https cannot call an address that begins with "http:"`)
	r := b.run(b.http(engine.HTTP{Method: "GE T", URI: "http://example.org/"}))
	require.Contains(t, r.Message, "malformed")
}

func TestLoopbackIsRefusedWhateverItsName(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := newSink(t, status(200))
	port := s.Listener.Addr().(*net.TCPAddr).Port
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "127.1"} {
		r := b.run(b.http(engine.HTTP{URI: engine.Text(fmt.Sprintf("http://%s:%d/?token=hunter2", host, port))}))
		require.Equal(t, engine.OutcomeFailed, r.Outcome, host)
		require.NotContains(t, r.Message, "hunter2")
	}
	require.Zero(t, s.count.Load())
}

func TestRedirectToLoopbackIsRefused(t *testing.T) {
	t.Parallel()
	inner := newSink(t, status(200))
	listener, err := net.Listen("tcp4", "127.0.0.2:0")
	require.NoError(t, err)
	outer := httptest.NewUnstartedServer(http.RedirectHandler(inner.URL, http.StatusFound))
	outer.Listener.Close()
	outer.Listener = listener
	outer.Start()
	defer outer.Close()

	b := setup(t, func(c *action.Config) { c.AllowNetworks = []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")} })
	r := b.run(b.http(engine.HTTP{URI: engine.Text(outer.URL)}))
	require.Equal(t, engine.OutcomeFailed, r.Outcome)
	require.Contains(t, r.Message, "refused: 127.0.0.1 is a loopback address; the flag --allow-network 127.0.0.1 permits it")
	require.True(t, r.Refused, "another attempt would be refused too")
	require.Zero(t, inner.count.Load())

	b = setup(t, loopback)
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.http(engine.HTTP{URI: engine.Text(outer.URL)})).Outcome)
	require.EqualValues(t, 1, inner.count.Load())
}

func TestRedirectsAreBoundedAndDropCredentials(t *testing.T) {
	t.Parallel()
	b := setup(t, loopback)
	secret := map[string]engine.Text{"Authorization": "Bearer s3cret", "X-Api-Key": "s3cret", "Cookie": "s3cret", "Accept": "text/plain"}
	for hops, want := range map[int]engine.Outcome{0: engine.OutcomeSucceeded, 3: engine.OutcomeSucceeded, 4: engine.OutcomeFailed} {
		s := newSink(t, nil)
		s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var n int
			_, _ = fmt.Sscanf(r.URL.Path, "/%d", &n)
			if n > 0 {
				http.Redirect(w, r, fmt.Sprintf("/%d", n-1), http.StatusTemporaryRedirect)
			}
			s.last.Store(r)
		})
		r := b.run(b.http(engine.HTTP{Method: "POST", Body: "x", URI: engine.Text(fmt.Sprintf("%s/%d", s.URL, hops)), Headers: secret}))
		require.Equal(t, want, r.Outcome, hops)
		if want == engine.OutcomeFailed {
			require.Contains(t, r.Message, "more than 3 redirects")
		} else {
			require.Equal(t, "s3cret", s.last.Load().Header.Get("X-Api-Key"), "the same origin keeps them")
		}
	}
	target := newSink(t, status(200))
	from := newSink(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, target.URL+"/there", http.StatusFound)
	})
	a := b.http(engine.HTTP{URI: engine.Text(from.URL + "/?token=s3cret"), Headers: secret, Basic: &engine.BasicAuth{Username: "u", Password: "s3cret"}})
	require.Equal(t, engine.OutcomeSucceeded, b.run(a).Outcome)
	require.Equal(t, "Bearer s3cret", from.last.Load().Header.Get("Authorization"))
	got := target.last.Load()
	require.Equal(t, "text/plain", got.Header.Get("Accept"))
	require.Equal(t, "77", got.Header.Get("Idempotency-Key"))
	require.NotContains(t, fmt.Sprint(got.Header), "s3cret", "another port is another origin")
}

func TestAnswerIsLoggedAndBounded(t *testing.T) {
	t.Parallel()
	b := setup(t, loopback)
	s := newSink(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Rows", "12")
		w.Header().Set("Set-Cookie", "session=hunter2")
		w.WriteHeader(202)
		_, _ = io.WriteString(w, "body\x00\xff")
	})
	a := b.http(engine.HTTP{URI: engine.Text(s.URL)})
	r := b.run(a)
	got := b.log(a.ID)
	require.True(t, strings.HasPrefix(got, "HTTP/1.1 202 Accepted\n"), got)
	require.Contains(t, got, "X-Rows: 12\n")
	require.True(t, strings.HasSuffix(got, "\n\nbody\x00\xff"), got)
	require.NotContains(t, got, "hunter2")
	require.EqualValues(t, len(got), r.LogBytes)
	require.False(t, r.Truncated)

	endless := newSink(t, func(w http.ResponseWriter, r *http.Request) {
		block := make([]byte, 64<<10)
		for r.Context().Err() == nil {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	a = b.http(engine.HTTP{URI: engine.Text(endless.URL)})
	r = b.run(a)
	require.Equal(t, engine.OutcomeSucceeded, r.Outcome)
	require.True(t, r.Truncated)
	require.Greater(t, r.LogBytes, int64(1<<20))
	require.Less(t, r.LogBytes, int64(1<<20+4096))
	require.Contains(t, b.log(a.ID), "--- almanac: the body goes on after 1048576 bytes ---")
}

func TestRequestsEndByTimeoutCancelAndClose(t *testing.T) {
	t.Parallel()
	b := setup(t, loopback)
	arrived := make(chan struct{}, 10)
	s := newSink(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			w.WriteHeader(200)
			w.(http.Flusher).Flush()
		}
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	for path, code := range map[string]int{"/": 0, "/body": 200} {
		a := b.http(engine.HTTP{URI: engine.Text(s.URL + path)})
		a.Action.Timeout = 2 * time.Second // in which it arrives
		r := b.run(a)
		require.Equal(t, engine.OutcomeTimeout, r.Outcome, path)
		require.Equal(t, "no complete answer within 2s timeout"+sentWords, r.Message)
		require.Equal(t, code, r.Status)
		<-arrived
	}
	a := b.http(engine.HTTP{URI: engine.Text(s.URL)})
	c := b.start(a)
	<-arrived
	b.runner.Cancel(a.ID)
	require.Equal(t, engine.OutcomeCancelled, await(t, c).Outcome)

	a = b.http(engine.HTTP{URI: engine.Text(s.URL)})
	c = b.start(a)
	<-arrived
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	require.ErrorContains(t, b.runner.Close(ctx), "wait for 1 requests")
	require.Empty(t, c, "its outcome is not known")
	b.open(loopback)
	_, unknown := b.adopt(a.ID)
	require.Equal(t, []int64{a.ID}, unknown)
}

func TestAnAnswerThatBreaksOffIsAFailure(t *testing.T) {
	t.Parallel()
	b := setup(t, loopback)
	s := newSink(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "half")
	})
	r := b.run(b.http(engine.HTTP{URI: engine.Text(s.URL)}))
	require.Equal(t, engine.OutcomeFailed, r.Outcome)
	require.Equal(t, "HTTP 200, and the answer broke off: request failed: unexpected EOF"+sentWords, r.Message)
}

// A receiver that closes the reused connection after it has read the request may have acted on it: within one attempt it is not sent
// again behind the retry policy's back.
func TestAPostIsNeverSentTwiceByItself(t *testing.T) {
	t.Parallel()
	b := setup(t, loopback)
	s := newSink(t, nil)
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/drop" {
			s.count.Add(1)
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				conn.Close()
			}
		}
	})
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.http(engine.HTTP{Method: "POST", URI: engine.Text(s.URL)})).Outcome)
	r := b.run(b.http(engine.HTTP{Method: "POST", URI: engine.Text(s.URL + "/drop")}))
	require.Equal(t, engine.OutcomeFailed, r.Outcome)
	require.EqualValues(t, 1, s.count.Load())
}

func TestConnectionsAreReused(t *testing.T) {
	t.Parallel()
	b := setup(t, loopback)
	var opened atomic.Int64
	s := httptest.NewUnstartedServer(status(200))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	for range 20 {
		require.Equal(t, engine.OutcomeSucceeded, b.run(b.http(engine.HTTP{URI: engine.Text(s.URL)})).Outcome)
	}
	require.EqualValues(t, 1, opened.Load())
}

// A name server that answers with a public address when a checker asks and with loopback when the client dials: what is judged is the
// address that is dialled, so that the answer to the first question is worth nothing.
func TestRebindingNameIsJudgedAtTheDial(t *testing.T) {
	answers := make(chan [4]byte, 2)
	answers <- [4]byte{93, 184, 216, 34}
	answers <- [4]byte{127, 0, 0, 1}
	dns := nameServer(t, answers)
	old := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", dns)
	}}
	defer func() { net.DefaultResolver = old }()

	first, err := net.DefaultResolver.LookupNetIP(context.Background(), "ip4", "rebind.example.")
	require.NoError(t, err)
	require.Equal(t, "93.184.216.34", first[0].Unmap().String(), "the check before would have passed")

	b := setup(t)
	s := newSink(t, status(200))
	port := s.Listener.Addr().(*net.TCPAddr).Port
	r := b.run(b.http(engine.HTTP{URI: engine.Text(fmt.Sprintf("http://rebind.example.:%d/", port))}))
	require.Equal(t, engine.OutcomeFailed, r.Outcome)
	require.Contains(t, r.Message, "refused: 127.0.0.1 is a loopback address")
	require.Zero(t, s.count.Load())
}

// nameServer answers questions for an IPv4 address in turn with those given, and every other with nothing.
func nameServer(t *testing.T, answers <-chan [4]byte) string {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	go func() {
		packet := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(packet)
			if err != nil {
				return
			}
			end := 12 // of the question: labels, a zero, type and class
			for end < n && packet[end] != 0 {
				end += int(packet[end]) + 1
			}
			kind := binary.BigEndian.Uint16(packet[end+1:])
			reply := append([]byte(nil), packet[:end+5]...)
			copy(reply[2:12], []byte{0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0})
			if kind == 1 {
				reply[7] = 1
				ip := <-answers
				reply = append(reply, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
				reply = append(reply, ip[:]...)
			}
			_, _ = conn.WriteTo(reply, from)
		}
	}()
	return conn.LocalAddr().String()
}

func TestLogs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.shell(`echo one; while [ ! -e go ]; do sleep 0.02; done; echo two`)
	c := b.start(a)
	logs := b.runner.Logs()
	eventually(t, "the first line", func() bool {
		size, err := logs.Size(a.ID)
		return err == nil && size == 4
	})
	f, size, err := logs.Open(a.ID)
	require.NoError(t, err)
	defer f.Close()
	require.EqualValues(t, 4, size)
	got, err := io.ReadAll(f)
	require.NoError(t, err)
	require.Equal(t, "one\n", string(got))
	b.release("go")
	await(t, c)
	got, err = io.ReadAll(f)
	require.NoError(t, err)
	require.Equal(t, "two\n", string(got), "a reader follows")

	require.NoError(t, logs.Remove(a.ID))
	require.NoError(t, logs.Remove(a.ID), "what is gone is gone")
	require.NoDirExists(t, filepath.Join(b.dir, "logs", "0"))
	_, _, err = logs.Open(a.ID)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.Equal(t, engine.OutcomeSucceeded, b.run(b.shell("echo again")).Outcome, "the folder is made again under the supervisor's feet")
	require.Equal(t, "again\n", b.log(a.ID+1))

	canary := filepath.Join(b.folder, "canary")
	require.NoError(t, os.WriteFile(canary, []byte("unread"), 0o600))
	require.NoError(t, os.Symlink(canary, filepath.Join(b.dir, "logs", "0", "500.log")))
	_, _, err = logs.Open(500)
	require.Error(t, err, "no link leads out of the logs")
	require.NoError(t, logs.Remove(500))
	require.FileExists(t, canary)
	require.NoError(t, os.Symlink(b.folder, filepath.Join(b.dir, "logs", "7")))
	trapped := b.shell("echo escaped")
	trapped.ID = 7001
	r := b.run(trapped)
	require.Contains(t, r.Message, "cannot start: ")
	require.NoFileExists(t, filepath.Join(b.folder, "7001.log"))
}
