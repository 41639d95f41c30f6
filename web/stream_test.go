package web_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

// A message is an event of a stream.
type message struct{ id, event, data string }

// A tap reads a stream.
type tap struct {
	t      *testing.T
	cut    context.CancelFunc
	lines  *bufio.Scanner
	lastID string
}

// tap opens a stream of a real server.
func (f *fixture) tap(server, target, last string) *tap {
	f.t.Helper()
	ctx, cut := context.WithTimeout(f.t.Context(), 2*time.Minute)
	f.t.Cleanup(cut)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server+target, nil)
	require.NoError(f.t, err)
	r.Header.Set("Authorization", "Bearer "+f.tokens["viewer"])
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(f.t, err)
	f.t.Cleanup(func() { response.Body.Close() })
	require.Equal(f.t, 200, response.StatusCode)
	require.Equal(f.t, "text/event-stream", response.Header.Get("Content-Type"))
	return &tap{t: f.t, cut: cut, lines: bufio.NewScanner(response.Body), lastID: last}
}

// next is the next event that has data; false at the end of the stream.
func (p *tap) next() (m message, ok bool) {
	for p.lines.Scan() {
		name, value, _ := strings.Cut(p.lines.Text(), ": ")
		switch name {
		case "id":
			m.id, p.lastID = value, value
		case "event":
			m.event = value
		case "data":
			m.data = value
		case "":
			if m.data != "" {
				return m, true
			}
			m = message{}
		}
	}
	return m, false
}

// change is the next event, which must be a change.
func (p *tap) change() (c web.Change) {
	p.t.Helper()
	m, ok := p.next()
	require.True(p.t, ok, "the stream ended")
	require.Equal(p.t, "change", m.event)
	require.NoError(p.t, json.Unmarshal([]byte(m.data), &c))
	require.Equal(p.t, c.ID.String(), m.id)
	readDescription(p.t).validate(p.t, "/components/schemas/Change", []byte(m.data))
	return c
}

// live is a real server that follows.
func live(t *testing.T, change ...func(*web.Config)) (*fixture, *web.Feed, string) {
	t.Helper()
	feed := web.NewFeed()
	f := newFixture(t, append(change, func(c *web.Config) { c.Feed = feed })...)
	server := httptest.NewUnstartedServer(f.handler)
	server.Config = web.NewServer(f.handler, nil)
	server.Config.RegisterOnShutdown(feed.Close)
	server.Start()
	t.Cleanup(func() { feed.Close(); server.Close() })
	return f, feed, server.URL
}

// happen writes n lines into the history behind the server's back.
func (f *fixture) happen(n int) {
	f.t.Helper()
	i := f.at("stores", 5)
	require.NoError(f.t, f.db.Write(f.t.Context(), func(tx engine.Tx) error {
		for range n {
			if err := tx.Record(engine.EventRow{At: start, Kind: "note", Instance: i.ID, Job: i.Job}); err != nil {
				return err
			}
		}
		return nil
	}))
}

func TestAStreamTellsWhatHappens(t *testing.T) {
	f, _, url := live(t)
	all := f.tap(url, "/api/v1/stream", "")
	orders := f.tap(url, "/api/v1/stream?workflow=retail&job=orders&kinds=cancel,trigger", "")
	one := f.tap(url, fmt.Sprintf("/api/v1/stream?instance=%d", f.at("orders", 21).ID), "")

	f.as("operator", http.MethodPost, fmt.Sprintf("/api/v1/instances/%d/confirm", f.at("orders", 22).ID), `{}`)
	f.as("operator", http.MethodPost, fmt.Sprintf("/api/v1/instances/%d/cancel", f.at("orders", 21).ID), `{"note":"empty"}`)
	f.as("operator", http.MethodPost, "/api/v1/jobs/retail/stores/trigger", `{}`)

	require.Equal(t, "confirm", all.change().Kind)
	c := all.change()
	require.Equal(t, web.Change{
		ID: c.ID, At: start.In(berlin), Kind: "cancel", Instance: web.ID(f.at("orders", 21).ID), Name: "retail/orders@2026-11-21T21:00:00+01:00", Workflow: "retail",
		Job: "orders", PlanTime: c.PlanTime, From: engine.Waiting, To: engine.Cancelled, Reason: c.Reason, Actor: "operator",
	}, zoned(c))
	require.Equal(t, "empty", c.Reason.Detail)
	require.Equal(t, "trigger", all.change().Kind)
	require.Equal(t, c.ID, orders.change().ID)
	require.Equal(t, c.ID, one.change().ID)

	// A load is of no instance.
	f.happen(1)
	require.Equal(t, "note", all.change().Kind, "what another server writes is found within a second")
}

// zoned is the change with the time zone of the tests, which JSON does not name.
func zoned(c web.Change) web.Change {
	c.At = c.At.In(berlin)
	return c
}

func TestAStreamGoesOnWhereItWasCut(t *testing.T) {
	f, feed, url := live(t)
	const n = 4000 // more than the feed keeps, and more than a batch
	p := f.tap(url, "/api/v1/stream?after=0", "")
	seen := map[web.ID]int{}
	var last web.ID
	take := func(p *tap, until func() bool) {
		for !until() {
			c := p.change()
			require.Equal(t, last+1, c.ID, "none lost, none twice, in order")
			last = c.ID
			seen[c.ID]++
		}
	}
	newest := func() web.ID {
		id, err := f.db.LastEvent(t.Context())
		require.NoError(t, err)
		return web.ID(id)
	}
	begin := newest()
	take(p, func() bool { return last == begin })
	for round := range 8 {
		f.happen(n / 8)
		feed.Notify()
		stop := last + web.ID(17*(round+1))
		take(p, func() bool { return last == stop })
		p.cut()
		f.happen(5) // while nobody follows
		p = f.tap(url, "/api/v1/stream", last.String())
	}
	end := newest()
	take(p, func() bool { return last == end })
	require.Len(t, seen, int(end))

	// What was never there cannot be gone on from.
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/stream", "", header("Last-Event-ID", fmt.Sprint(int64(end)+1))), 422, "invalid")
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/stream?after=-2", ""), 422, "invalid")
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/stream?job=orders", ""), 422, "invalid")
}

func TestAStreamTellsOfWhatRetentionTook(t *testing.T) {
	f := newFixture(t)
	f.happen(30)
	newest, err := f.db.LastEvent(t.Context())
	require.NoError(t, err)
	require.NoError(t, f.db.Write(t.Context(), func(tx engine.Tx) error {
		_, _, err := tx.Prune(start.Add(-30*time.Minute), 1) // the load, not what happened since
		return err
	}))
	w := f.as("viewer", http.MethodGet, "/api/v1/stream", "", header("Last-Event-ID", "1"))
	p := &tap{t: t, lines: bufio.NewScanner(w.Body)}
	m, ok := p.next()
	require.True(t, ok)
	require.Equal(t, "gap", m.event)
	var gap web.Gap
	require.NoError(t, json.Unmarshal([]byte(m.data), &gap))
	require.Equal(t, web.ID(1), gap.After)
	for id := gap.Next; int64(id) <= newest; id++ {
		require.Equal(t, id, p.change().ID)
	}
	m, ok = p.next()
	require.True(t, ok)
	require.Equal(t, "end", m.event, "without a feed it ends with what there is")
	_, ok = p.next()
	require.False(t, ok)
}

func TestASlowClientHoldsUpNobody(t *testing.T) {
	f, feed, url := live(t)
	// One that asks and never reads.
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(4096))
	fmt.Fprintf(conn, "GET /api/v1/stream?after=0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", f.tokens["viewer"])
	first := make([]byte, 15)
	_, err = io.ReadFull(conn, first)
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 200 OK", string(first))

	p := f.tap(url, "/api/v1/stream", "")
	for range 20 {
		f.happen(1000)
		feed.Notify()
		for range 1000 {
			require.Equal(t, "note", p.change().Kind)
		}
	}
}

func TestAClientThatTakesNothingIsCutOffAndGoesOn(t *testing.T) {
	f, feed, url := live(t, func(c *web.Config) { c.Limits = web.Limits{Streams: 1, Stall: 200 * time.Millisecond} })
	for range 40 {
		f.happen(1000)
	}
	feed.Notify()
	newest, err := f.db.LastEvent(t.Context())
	require.NoError(t, err)
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	defer conn.Close()
	fmt.Fprintf(conn, "GET /api/v1/stream?after=0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", f.tokens["viewer"])
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	require.Equal(t, 200, response.StatusCode)
	require.Eventually(t, func() bool { // it makes room: it is gone
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/v1/stream", nil)
		r.Header.Set("Authorization", "Bearer "+f.tokens["viewer"])
		w := httptest.NewRecorder()
		f.handler.ServeHTTP(w, r)
		return w.Code == 200
	}, time.Minute, 50*time.Millisecond)

	// What was on the way is still read; the rest comes when it asks again.
	p := &tap{t: t, lines: bufio.NewScanner(response.Body)}
	last := web.ID(0)
	for {
		m, ok := p.next()
		if !ok {
			break
		}
		last++
		require.Equal(t, last.String(), m.id)
	}
	require.Less(t, int64(last), newest, "the test is one of a client that is behind")
	p = f.tap(url, "/api/v1/stream", last.String())
	for int64(last) < newest {
		m, ok := p.next()
		if !ok { // this reader was slow too
			p = f.tap(url, "/api/v1/stream", last.String())
			continue
		}
		last++
		require.Equal(t, last.String(), m.id)
	}
}

func TestTheEndOfTheServerEndsItsStreams(t *testing.T) {
	feed := web.NewFeed()
	f := newFixture(t, func(c *web.Config) { c.Feed = feed })
	server := web.NewServer(f.handler, nil)
	server.RegisterOnShutdown(feed.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = server.Serve(listener) }()
	attempt := f.run(f.at("stores", 5), "one\n", "")
	url := "http://" + listener.Addr().String()
	changes := f.tap(url, "/api/v1/stream", "")
	log := f.tap(url, fmt.Sprintf("/api/v1/attempts/%d/log/stream", attempt), "")
	m, ok := log.next()
	require.True(t, ok)
	require.JSONEq(t, `{"offset":"0","text":"one\n"}`, m.data)
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, server.Shutdown(ctx))
	require.Less(t, time.Since(began), 10*time.Second, "before the next sign of life")
	for _, p := range []*tap{changes, log} {
		_, ok = p.next()
		require.False(t, ok)
	}
}

func TestStreamsAreLimited(t *testing.T) {
	f, _, url := live(t, func(c *web.Config) { c.Limits = web.Limits{Streams: 2, Followers: 3} })
	first := f.tap(url, "/api/v1/stream", "")
	f.tap(url, "/api/v1/stream", "")
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/stream", ""), 429, "too-many-streams")
	ctx, cut := context.WithCancel(t.Context())
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, url+"/api/v1/stream", nil)
	r.Header.Set("Authorization", "Bearer "+f.tokens["admin"])
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	require.Equal(t, 200, response.StatusCode)
	refused(f, f.as("operator", http.MethodGet, "/api/v1/stream", ""), 429, "too-many-streams")
	cut()
	response.Body.Close()
	first.cut()
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/v1/stream", nil)
		r.Header.Set("Authorization", "Bearer "+f.tokens["viewer"])
		w := httptest.NewRecorder()
		f.handler.ServeHTTP(w, r)
		return w.Code == 200
	}, time.Minute, 10*time.Millisecond, "a stream that ends makes room")
}

func TestALogIsStreamedByteForByte(t *testing.T) {
	f, _, url := live(t)
	i := f.at("stores", 5)
	id := f.run(i, "", "")
	target := fmt.Sprintf("/api/v1/attempts/%d/log/stream", id)
	file := filepath.Join(string(f.logs), fmt.Sprintf("%d.log", id))
	written := strings.Repeat("заказы загружены\r\n", 5000) + "\xff\xfe\x00 raw\n"
	tail := "data: no frame of its own\n\n€"
	var read strings.Builder
	p := f.tap(url, target, "")
	take := func(until int) {
		t.Helper()
		for read.Len() < until {
			m, ok := p.next()
			require.True(t, ok)
			require.Equal(t, "log", m.event)
			readDescription(t).validate(t, "/components/schemas/LogPart", []byte(m.data))
			var part struct {
				Offset       web.ID
				Text, Base64 string
			}
			require.NoError(t, json.Unmarshal([]byte(m.data), &part))
			require.Equal(t, web.ID(read.Len()), part.Offset)
			raw, err := base64.StdEncoding.DecodeString(part.Base64)
			require.NoError(t, err)
			read.WriteString(part.Text + string(raw))
			require.Equal(t, strconv.Itoa(read.Len()), m.id)
		}
	}
	require.NoError(t, os.WriteFile(file, []byte(written+tail[:len(tail)-1]), 0o600)) // in the middle of a character
	take(40_000)
	p.cut()
	p = f.tap(url, target, p.lastID)
	take(len(written) + len(tail) - 3)
	require.Equal(t, written+tail[:len(tail)-3], read.String())
	require.NoError(t, os.WriteFile(file, []byte(written+tail), 0o600))
	require.NoError(t, f.db.Write(t.Context(), func(tx engine.Tx) error {
		_, err := tx.EndAttempt(engine.Result{Attempt: id, Outcome: engine.OutcomeFailed, StartedAt: start, EndedAt: start.Add(time.Second)}, i.Fence+1)
		return err
	}))
	take(len(written) + len(tail))
	require.Equal(t, written+tail, read.String())
	m, ok := p.next()
	require.True(t, ok)
	require.Equal(t, "end", m.event)
	require.JSONEq(t, fmt.Sprintf(`{"size":"%d","outcome":"failed"}`, len(written+tail)), m.data)
	_, ok = p.next()
	require.False(t, ok)
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/attempts/999999/log/stream", ""), 404, "not-found")
}
