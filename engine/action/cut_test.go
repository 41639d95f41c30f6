package action_test

import (
	"database/sql"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/action"
	"github.com/almanac-sched/almanac/engine/action/actiontest"
)

// sentWords are what is said of an attempt that was sent and not answered.
const sentWords = "; it was sent, and whether it was carried out is not known"

// A cutter stands between an action and a real server. It lets so many bytes pass, of both directions together, and then breaks the connection, with
// a reset or an ordinary end by turns.
type cutter struct {
	net.Listener
	server string

	mu     sync.Mutex
	left   int // bytes until the cut; negative is never
	cut    bool
	reset  bool
	opened int
	open   sync.WaitGroup
}

func newCutter(t testing.TB, server string) *cutter {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &cutter{Listener: l, server: server, left: -1}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			c.open.Add(1)
			go c.carry(conn.(*net.TCPConn))
		}
	}()
	return c
}

// after arms the cutter. A connection that is open already is cut too.
func (c *cutter) after(bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left, c.cut, c.opened, c.reset = bytes, false, 0, !c.reset
}

// was reports whether a connection was cut, and how many were opened.
func (c *cutter) was() (cut bool, opened int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cut, c.opened
}

func (c *cutter) carry(near *net.TCPConn) {
	defer c.open.Done()
	c.mu.Lock()
	c.opened++
	c.mu.Unlock()
	far, err := net.Dial("tcp", c.server)
	if err != nil {
		near.Close()
		return
	}
	end := sync.OnceFunc(func() {
		c.mu.Lock()
		if c.cut && c.reset {
			_ = near.SetLinger(0)
		}
		c.mu.Unlock()
		near.Close()
		far.Close()
	})
	if c.take(0) {
		end()
		return
	}
	var both sync.WaitGroup
	pass := func(to, from net.Conn) {
		defer end()
		piece := make([]byte, 32<<10)
		for {
			n, err := from.Read(piece)
			for _, b := range piece[:n] {
				_, failed := to.Write([]byte{b})
				if c.take(1) || failed != nil {
					return
				}
			}
			if err != nil {
				return
			}
		}
	}
	both.Go(func() { pass(far, near) })
	both.Go(func() { pass(near, far) })
	both.Wait()
}

// take counts bytes that have passed, and reports that it is time to cut.
func (c *cutter) take(bytes int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left >= 0 {
		if c.left = max(0, c.left-bytes); c.left == 0 {
			c.cut = true
		}
	}
	return c.cut
}

// cutEverywhere carries an attempt out once for each place at which its exchange can be cut, until one is not. effects counts how often the server has
// carried it out since the last call.
func cutEverywhere(t *testing.T, b *bench, c *cutter, step int, make func() engine.Attempt, prepare func(), effects func() int) {
	t.Helper()
	unknown, known := 0, 0
	for n := 0; ; n += step {
		require.Less(t, n, 100_000, "the exchange never ends untouched")
		prepare()
		c.after(n)
		a := make()
		r := b.run(a)
		cut, opened := c.was()
		done := effects()
		at := fmt.Sprintf("cut after %d bytes: %s %q, %d effects, %d connections", n, r.Outcome, r.Message, done, opened)
		require.LessOrEqual(t, done, 1, "carried out twice: "+at)
		switch {
		case r.Outcome == engine.OutcomeSucceeded:
			require.Equal(t, 1, done, "succeeded and was not carried out: "+at)
		case r.Unknown:
			unknown++
			require.Equal(t, engine.OutcomeFailed, r.Outcome, at)
			require.True(t, strings.HasSuffix(r.Message, sentWords), at)
		default:
			known++
			require.Equal(t, engine.OutcomeFailed, r.Outcome, at)
			require.Zero(t, done, "known as failed and was carried out: "+at)
		}
		if !cut {
			require.Equal(t, engine.OutcomeSucceeded, r.Outcome, at)
			t.Logf("%d unknown, %d known failures, untouched after %d bytes", unknown, known, n)
			require.Positive(t, unknown, "no cut ever left an outcome unknown")
			return
		}
	}
}

// An effectCount counts what a server carries out, by the attempt that a request names: a server
// may be done with a request only when its sender has given up.
type effectCount struct {
	mu      sync.Mutex
	sent    int
	effects map[string]int
}

// next is the address with the name of a new attempt.
func (e *effectCount) next(address string) engine.Text {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sent++
	return engine.Text(fmt.Sprintf("%s/?%d", address, e.sent))
}

// add counts a request that was read as a whole.
func (e *effectCount) add(r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.effects == nil {
		e.effects = map[string]int{}
	}
	e.effects[r.URL.RawQuery]++
}

// last is how often the latest attempt was carried out, or any one that was more than once.
func (e *effectCount) last() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, n := range e.effects {
		if n > 1 {
			return n
		}
	}
	return e.effects[fmt.Sprint(e.sent)]
}

func TestRequestsCutAtEveryByte(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]engine.HTTP{
		"GET":                  {},
		"HEAD":                 {Method: "HEAD"},
		"POST":                 {Method: "POST", Body: "effect"},
		"POST without a body":  {Method: "POST"},
		"POST that looks safe": {Method: "POST", Headers: map[string]engine.Text{"X-Idempotency-Key": "x", "Idempotency-Key": "own"}},
	} {
		for _, way := range []string{"kept", "new", "once"} {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				var mine effectCount
				own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if _, err := io.ReadAll(r.Body); err == nil && r.URL.Path != "/warm" {
						mine.add(r)
						_, _ = io.WriteString(w, "done")
					}
				}))
				defer own.Close()
				b := setup(t, loopback)
				c := newCutter(t, strings.TrimPrefix(own.URL, "http://"))
				address := "http://" + c.Addr().String()
				prepare := func() {}
				if way == "kept" { // the connection that the request goes over has carried another
					prepare = func() {
						c.after(-1)
						require.Equal(t, engine.OutcomeSucceeded, b.run(b.http(engine.HTTP{URI: engine.Text(address + "/warm")})).Outcome)
					}
				}
				step := 7
				if name == "GET" && way == "kept" || name == "POST" {
					step = 1
				}
				cutEverywhere(t, b, c, step, func() engine.Attempt {
					request := h
					request.URI = mine.next(address)
					a := b.http(request)
					a.Once = way == "once"
					return a
				}, prepare, mine.last)
			})
		}
	}
}

// What never got as far as the request is known to have failed: whatever was sent before it.
func TestWhatWasNeverSentIsKnown(t *testing.T) {
	t.Parallel()
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	closed.Close()
	outside := newSink(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/", http.StatusSeeOther)
	})
	c := newCutter(t, strings.TrimPrefix(secure.URL, "https://"))
	b := setup(t, loopback)
	for _, uri := range []string{"http://" + closed.Addr().String(), "http://name.invalid/", "http://169.254.169.254/", secure.URL, outside.URL} {
		a := b.http(engine.HTTP{Method: "POST", Body: "x", URI: engine.Text(uri)})
		a.Once = true
		r := b.run(a)
		require.Equal(t, engine.OutcomeFailed, r.Outcome, uri)
		require.False(t, r.Unknown, "%s: %s", uri, r.Message)
	}
	for n := 0; n < 600; n += 13 { // the handshake is cut
		c.after(n)
		r := b.run(b.http(engine.HTTP{URI: engine.Text("https://" + c.Addr().String())}))
		require.False(t, r.Unknown, "cut after %d bytes: %s", n, r.Message)
	}
}

// A token is not the effect: without one nothing has been sent.
func TestATokenThatIsCutIsKnown(t *testing.T) {
	t.Parallel()
	s := newSink(t, status(200))
	authority := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"access_token": "t", "expires_in": 3600}`)
	}))
	defer authority.Close()
	c := newCutter(t, strings.TrimPrefix(authority.URL, "http://"))
	b := setup(t, loopback, func(config *action.Config) { config.Azure.Authority = "http://" + c.Addr().String() })
	for n := 0; ; n += 5 {
		c.after(n)
		r := b.run(b.http(engine.HTTP{URI: engine.Text(s.URL), OAuth: &engine.OAuth{Tenant: "t", Audience: "a", ClientID: "c", Secret: "hunter22"}}))
		require.False(t, r.Unknown, r.Message)
		if cut, _ := c.was(); !cut {
			require.Equal(t, engine.OutcomeSucceeded, r.Outcome, r.Message)
			return
		}
		require.Zero(t, s.count.Load())
	}
}

// What a redirect leads to is another request: of the first one an answer came.
func TestACutBehindARedirect(t *testing.T) {
	t.Parallel()
	var effects effectCount
	inner := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err == nil {
			effects.add(r)
		}
	}))
	defer inner.Close()
	c := newCutter(t, strings.TrimPrefix(inner.URL, "http://"))
	outer := newSink(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+c.Addr().String()+"/?"+r.URL.RawQuery, http.StatusTemporaryRedirect)
	})
	b := setup(t, loopback)
	cutEverywhere(t, b, c, 3, func() engine.Attempt {
		return b.http(engine.HTTP{Method: "POST", Body: "effect", URI: effects.next(outer.URL)})
	}, func() {}, effects.last)
}

// Nothing is sent again by the client for a server that speaks HTTP/2 and goes away.
func TestHTTP2IsSentOnce(t *testing.T) {
	t.Parallel()
	var effects effectCount
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err == nil && r.ProtoMajor == 2 {
			effects.add(r)
		}
	}))
	ca := actiontest.NewAuthority(t)
	server.TLS = ca.TLS(t, false)
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	c := newCutter(t, server.Listener.Addr().String())
	b := setup(t, loopback, func(config *action.Config) { config.Roots = ca.Pool() })
	for _, h := range []engine.HTTP{{}, {Method: "POST", Body: "effect"}, {Method: "POST"}} {
		cutEverywhere(t, b, c, 61, func() engine.Attempt {
			h.URI = effects.next("https://" + c.Addr().String())
			a := b.http(h)
			a.Once = true
			return a
		}, func() {}, effects.last)
	}
}

// Not beside other tests: the components take the machine to themselves while they start.
func TestMessagesCutOverAMQP(t *testing.T) {
	r := actiontest.StartRabbit(t, actiontest.NewAuthority(t))
	c := newCutter(t, r.Plain)
	b := setup(t, loopback, func(config *action.Config) { config.Azure.BusAMQP = "amqp://" + c.Addr().String() })
	sent := 0
	cutEverywhere(t, b, c, 23, func() engine.Attempt {
		sent++
		return b.bus(engine.ServiceBus{Namespace: "ns", Entity: "q1", Transport: engine.BusAMQP, KeyName: engine.Text(r.User), Key: engine.Text(r.Key),
			Message: engine.Text(fmt.Sprint(sent))})
	}, func() {}, func() int {
		c.open.Wait() // the broker has heard the end
		return r.Drain(t, "q1")
	})
}

func TestStatementsCut(t *testing.T) {
	for _, d := range dialects[:2] {
		t.Run(d.name, func(t *testing.T) {
			connection := d.connect(t)
			at, err := url.Parse(connection)
			require.NoError(t, err)
			c := newCutter(t, at.Host)
			through := strings.Replace(connection, at.Host, c.Addr().String(), 1)
			b := setup(t, loopback)
			require.Equal(t, engine.OutcomeSucceeded, b.run(b.statement(connection, "CREATE TABLE effect (n INTEGER)")).Outcome)
			driver, source := "pgx", connection
			if d.name == "MariaDB" {
				driver, source = "mysql", "almanac:"+sqlPassword+"@tcp("+at.Host+")/shop"
			}
			db, err := sql.Open(driver, source)
			require.NoError(t, err)
			defer db.Close()
			cutEverywhere(t, b, c, 17, func() engine.Attempt {
				return b.statement(through, "INSERT INTO effect VALUES ("+d.mark+")", "1")
			}, func() {}, func() (n int) {
				c.open.Wait() // the server has heard the end
				require.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM effect").Scan(&n))
				_, err := db.ExecContext(t.Context(), "DELETE FROM effect")
				require.NoError(t, err)
				return n
			})
		})
	}
}

// A server that answers too late, or never, leaves an unknown outcome too, and so does the end of this one.
func TestLateAnswersAreUnknown(t *testing.T) {
	t.Parallel()
	b := setup(t, loopback)
	goOn := make(chan struct{})
	s := newSink(t, func(_ http.ResponseWriter, r *http.Request) { <-goOn })
	defer close(goOn)
	a := b.http(engine.HTTP{Method: "POST", Body: "effect", URI: engine.Text(s.URL)})
	a.Action.Timeout = 200 * time.Millisecond
	r := b.run(a)
	require.Equal(t, engine.OutcomeTimeout, r.Outcome)
	require.True(t, r.Unknown)

	a = b.http(engine.HTTP{Method: "POST", Body: "effect", URI: engine.Text(s.URL)})
	c := b.start(a)
	eventually(t, "it arrived", func() bool { return s.count.Load() == 2 })
	b.runner.Cancel(a.ID)
	require.Equal(t, "cancelled"+sentWords, await(t, c).Message)
}
