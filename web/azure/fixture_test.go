package azure_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/action"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/store"
	"github.com/almanac-sched/almanac/web"
	"github.com/almanac-sched/almanac/web/azure"
)

// native gives the native API what it asks for beside; the face needs none of it.
type native struct{ *store.DB }

func (n native) Instances(ctx context.Context, f web.InstanceFilter, cursor string, limit int) ([]engine.Instance, string, error) {
	return n.DB.Instances(ctx, store.InstanceFilter(f), cursor, limit)
}

func (n native) Events(context.Context, int64, int64, int) ([]web.EventRecord, error) {
	return nil, nil
}

func (n native) Count(ctx context.Context, since time.Time) (web.Counts, error) {
	c, err := n.DB.Count(ctx, since)
	return web.Counts(c), err
}

func (n native) TokenByHash(ctx context.Context, hash []byte) (web.Token, error) {
	t, err := n.DB.TokenByHash(ctx, hash)
	return web.Token{ID: t.ID, Name: t.Name, Hash: t.Hash, Role: web.Role(t.Role), CreatedAt: t.CreatedAt, ExpiresAt: t.ExpiresAt}, err
}

// counted is the real runner, of which the test knows how many attempts are under way.
type counted struct {
	engine.Runner
	ended   chan struct{}
	running int
}

func (c *counted) Start(a engine.Attempt, done func(engine.Result)) {
	c.running++
	c.Runner.Start(a, func(r engine.Result) {
		done(r)
		c.ended <- struct{}{}
	})
}

// A desk is a server over a real store with the real engine and runner, whose clock the test sets.
type desk struct {
	testing.TB
	db      *store.DB
	engine  *engine.Engine
	runner  *counted
	face    *azure.Face
	handler http.Handler
	server  *httptest.Server
	log     *lines
	secret  string // the token of every request

	guard *engine.ClockGuard

	mu     sync.Mutex
	now    time.Time
	offset time.Duration // of the machine's clock
}

// lines is a log that tests read.
type lines struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// The server's own subscription and group.
const (
	subscription = "00000000-0000-0000-0000-000000000000"
	group        = "almanac"
)

func newDesk(t testing.TB) *desk {
	t.Helper()
	d := &desk{TB: t, now: time.Date(2026, 8, 3, 0, 30, 0, 0, time.UTC), log: new(lines)}
	began := d.now
	d.guard = engine.NewClockGuard(time.Hour, func() engine.ClockReading {
		d.mu.Lock()
		defer d.mu.Unlock()
		return engine.ClockReading{Wall: d.now.Add(d.offset), Boot: "a", Up: d.now.Sub(began)}
	})
	clock := d.guard.Now
	dir := t.TempDir()
	var err error
	d.db, err = store.Open(t.Context(), store.Config{Dir: dir, Clock: clock})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.db.Close()) })
	log := slog.New(slog.NewTextHandler(d.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	runner, err := action.New(action.Config{Dir: dir, Supervisor: []string{"true"}, AllowLoopback: true, Version: "test", Log: log})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		require.NoError(t, runner.Close(ctx))
	})
	d.runner = &counted{Runner: runner, ended: make(chan struct{}, 10_000)}
	key := make([]byte, azure.KeyBytes)
	_, _ = rand.Read(key)
	vault := azure.NewVault(func(bool) ([]byte, error) { return key, nil })
	d.engine, err = engine.New(engine.Config{
		Store: d.db, Runner: d.runner, Owner: "test", Slots: 64, Decode: spec.DecodeJob, Condition: spec.EvalWhen, Clock: clock, Guard: d.guard, Log: log,
		Secret: func(s engine.SecretSource) (string, error) {
			return vault.Secret(context.Background(), d.db, s.Resource)
		},
	})
	require.NoError(t, err)
	d.face, err = azure.New(azure.Config{
		Rows: d.db, Control: d.engine, Logs: runner.Logs(), Vault: vault, Decode: spec.DecodeJob, Subscription: subscription, Group: group, Now: clock, Log: log,
	})
	require.NoError(t, err)
	d.handler, err = web.New(web.Config{
		Jobs: d.db, Rows: d.db, History: native{d.db}, Logs: runner.Logs(), Tokens: native{d.db}, Control: d.engine, Azure: d.face, Decode: spec.DecodeJob,
		Slots: 64, Now: clock, Log: log, Limits: web.Limits{PerSecond: 1e6, Burst: 1e6},
	})
	require.NoError(t, err)
	secret, hash := web.NewToken()
	d.secret = secret
	_, err = d.engine.CreateToken(t.Context(), engine.TokenRow{Name: "ann", Hash: hash, Role: string(web.RoleEditor)}, "test", "", d.now)
	require.NoError(t, err)
	d.server = httptest.NewServer(d.handler)
	t.Cleanup(d.server.Close)
	d.settle()
	return d
}

// load makes the text the folder of the server.
func (d *desk) load(text string) {
	d.Helper()
	w, problems := spec.Decode("w.yaml", []byte(text), spec.Options{})
	require.False(d, problems.HasErrors(), "%v", problems)
	_, err := d.engine.Load(d.Context(), []*engine.Workflow{w}, d.now)
	require.NoError(d, err)
	d.settle()
}

// settle lets the engine do what there is to do at this time, until every attempt has ended.
func (d *desk) settle() {
	d.Helper()
	for quiet := 0; quiet < 3; {
		_, _, err := d.engine.Step(d.Context(), d.now)
		require.NoError(d, err)
		if d.runner.running == 0 {
			quiet++
			continue
		}
		quiet = 0
		select {
		case <-d.runner.ended:
			d.runner.running--
		case <-d.Context().Done():
			d.Fatal("an attempt does not end")
		}
	}
}

// pass lets time go by, in steps that an engine would take.
func (d *desk) pass(by, step time.Duration) {
	d.Helper()
	for end := d.now.Add(by); d.now.Before(end); {
		d.mu.Lock()
		d.now = d.now.Add(min(step, end.Sub(d.now)))
		d.mu.Unlock()
		d.settle()
	}
}

// An answer is what a client gets.
type answer struct {
	*http.Response
	body string
}

// ask sends a request over the network.
func (d *desk) ask(method, path, body string) answer {
	d.Helper()
	target := d.server.URL + path
	if strings.HasPrefix(path, "http") {
		target = path
	}
	if !strings.Contains(strings.ToLower(path), "api-version") {
		target += map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")] + "api-version=2016-03-01"
	}
	return d.raw(method, target, body)
}

// raw sends a request to an address as it is.
func (d *desk) raw(method, target, body string) answer {
	d.Helper()
	r, err := http.NewRequestWithContext(d.Context(), method, target, strings.NewReader(body))
	require.NoError(d, err)
	if body != "" {
		r.Header.Set("Content-Type", "application/json; charset=utf-8")
	}
	r.Header.Set("Authorization", "Bearer "+d.secret)
	response, err := d.server.Client().Do(r)
	require.NoError(d, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(d, err)
	return answer{response, string(text)}
}

// must asks and expects a status.
func (d *desk) must(status int, method, path, body string) answer {
	d.Helper()
	a := d.ask(method, path, body)
	require.Equal(d, status, a.StatusCode, "%s %s: %s", method, path, a.body)
	return a
}

// refused asks for what is refused with a status and a code, and returns the message.
func (d *desk) refused(status int, code, method, path, body string) string {
	d.Helper()
	return d.must(status, method, path, body).refusal(d, code)
}

func (a answer) refusal(d *desk, code string) string {
	d.Helper()
	var e struct {
		Error struct{ Code, Message string }
	}
	require.NoError(d, json.Unmarshal([]byte(a.body), &e), a.body)
	require.Equal(d, code, e.Error.Code, a.body)
	require.NotEmpty(d, e.Error.Message)
	return e.Error.Message
}

// at is the path of a collection of the server's own group, and of what is below it.
func at(parts ...string) string {
	return "/subscriptions/" + subscription + "/resourceGroups/" + group + "/providers/Microsoft.Scheduler/jobCollections/" + strings.Join(parts, "/")
}

// member reads a member of a document by its path: properties.status.executionCount, value.0.name; nil when there is none.
func (a answer) member(t testing.TB, path string) any {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal([]byte(a.body), &v), a.body)
	for name := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[name]
		case []any:
			n := int(name[0] - '0')
			if n >= len(x) {
				return nil
			}
			v = x[n]
		default:
			return nil
		}
	}
	return v
}

// A sink is a target of HTTP actions that answers with a status and remembers what came.
type sink struct {
	*httptest.Server
	mu       sync.Mutex
	status   int
	requests []*http.Request
	bodies   []string
}

func newSink(t testing.TB) *sink {
	s := &sink{status: 200}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.requests, s.bodies = append(s.requests, r), append(s.bodies, string(body))
		w.Header().Set("X-Sink", "yes")
		w.WriteHeader(s.status)
		_, _ = io.WriteString(w, "the answer")
	}))
	t.Cleanup(s.Close)
	return s
}

// standard is a collection of the plan Standard.
const standard = `{"location": "South Central US", "tags": {"k": "v"}, "properties": {"sku": {"name": "standard"}}}`

// once is a job that sends one request to the sink, at once, and is not tried again.
func (s *sink) once() string {
	return `{"properties": {"action": {"type": "http", "request": {"method": "post", "uri": "` + s.URL + `/once", "body": "hello ${{ planTime }}"}, "retryPolicy": {"retryType": "None"}}}}`
}

// every is a job that recurs.
func (s *sink) every(recurrence string) string {
	return `{"properties": {"startTime": "2026-08-03T01:00:00Z", "action": {"type": "Http", "request": {"method": "GET", "uri": "` + s.URL + `/every"}, "retryPolicy": {"retryType": "None"}}, "recurrence": ` + recurrence + `}}`
}
