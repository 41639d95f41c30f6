package trace_test

import (
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/engine/trace"
	"github.com/almanac-sched/almanac/store"
)

// A receiver takes spans as a collector does, by OTLP over HTTP.
type receiver struct {
	*httptest.Server
	mu    sync.Mutex
	spans []*spans.Span
	fails bool
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil || req.URL.Path != "/v1/traces" {
			http.Error(w, "not here", http.StatusNotFound)
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.fails {
			http.Error(w, "full", http.StatusInsufficientStorage)
			return
		}
		var request spans.TracesData // on the wire the same as an ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &request); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		for _, of := range request.ResourceSpans {
			for _, scope := range of.ScopeSpans {
				r.spans = append(r.spans, scope.Spans...)
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(r.Close)
	return r
}

// env names the receiver as the environment of a server does.
func (r *receiver) env() func(string) string {
	return func(name string) string { return map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": r.URL}[name] }
}

// of returns the spans of an instance's job and plan hour, by name.
func (r *receiver) of(job, hour string) map[string]*spans.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := map[string]*spans.Span{}
	for _, s := range r.spans {
		if attribute(s, "almanac.job") == job && attribute(s, "almanac.plan_time") == "2026-08-03T"+hour+":00Z" {
			found[s.Name] = s
		}
	}
	return found
}

func attribute(s *spans.Span, key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.GetStringValue()
		}
	}
	return ""
}

// A hand is a Runner that remembers what it is given; the test says how attempts end.
type hand struct {
	started []engine.Attempt
	done    map[int64]func(engine.Result)
}

func (h *hand) Start(a engine.Attempt, done func(engine.Result)) {
	h.started = append(h.started, a)
	h.done[a.ID] = done
}
func (h *hand) Cancel(int64)                                                        {}
func (h *hand) Renew([]int64, time.Time)                                            {}
func (h *hand) Adopt(ids []int64, _ func(engine.Result)) (unknown, unbegun []int64) { return ids, nil }

// A desk is an engine whose clock the test sets, with a tracer in front of a receiver.
type desk struct {
	*testing.T
	db     *store.DB
	now    time.Time
	hand   *hand
	engine *engine.Engine
	tracer *trace.Tracer
}

func newDesk(t *testing.T, r *receiver, definitions string) *desk {
	d := &desk{T: t, now: time.Date(2026, 8, 3, 0, 30, 0, 0, time.UTC), hand: &hand{done: map[int64]func(engine.Result){}}}
	var err error
	d.db, err = store.Open(t.Context(), store.Config{Dir: t.TempDir(), Clock: func() time.Time { return d.now }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.db.Close()) })
	d.tracer, err = trace.New(t.Context(), trace.Config{Rows: d.db, Env: r.env(), Version: "1.0.0"})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		require.NoError(t, d.tracer.Close(ctx))
	})
	d.engine, err = engine.New(engine.Config{
		Store: d.db, Runner: d.tracer.Runner(d.hand), Owner: "a", Slots: 8, Decode: spec.DecodeJob, Condition: spec.EvalWhen, Clock: func() time.Time { return d.now },
		Observe: d.tracer.Observe,
	})
	require.NoError(t, err)
	w, problems := spec.Decode("w.yaml", []byte(definitions), spec.Options{})
	require.False(t, problems.HasErrors(), "%v", problems)
	_, err = d.engine.Load(t.Context(), []*engine.Workflow{w}, d.now)
	require.NoError(t, err)
	d.step()
	return d
}

func (d *desk) step() {
	d.Helper()
	for range 20 {
		next, _, err := d.engine.Step(d.Context(), d.now)
		require.NoError(d, err)
		if next.After(d.now) {
			return
		}
	}
	d.Fatal("the engine does not come to rest")
}

// end ends all that runs with the outcome, so much later, and returns the attempts.
func (d *desk) end(after time.Duration, outcome engine.Outcome) []engine.Attempt {
	d.Helper()
	ended := d.hand.started
	d.hand.started = nil
	from := d.now
	d.now = d.now.Add(after)
	for _, a := range ended {
		d.hand.done[a.ID](engine.Result{Attempt: a.ID, Outcome: outcome, StartedAt: from, EndedAt: d.now})
	}
	d.step()
	return ended
}

func (d *desk) flush() {
	d.Helper()
	ctx, cancel := context.WithTimeout(d.Context(), time.Minute)
	defer cancel()
	require.NoError(d, d.tracer.Flush(ctx))
}

const chain = `workflow: w
defaults: {startTime: "2026-08-01T00:00:00Z", concurrency: 9}
jobs:
  first: {cron: "0 1 * * *", action: {type: shell, command: "true"}}
  aside: {cron: "0 1 * * *", action: {type: none}}
  second: {cron: "0 1 * * *", dependsOn: [first, aside], action: {type: shell, command: "true", retryPolicy: {retryType: fixed, retryInterval: PT1M, retryCount: 1}}}
  third: {cron: "0 1 * * *", dependsOn: [second], action: {type: none}}
  late: {cron: "0 5 * * *", dependsOn: [third], action: {type: none}}
`

// What released an instance is its parent; the chain is one trace; attempts are children and are told who they are.
func TestAChainOfInstancesIsATrace(t *testing.T) {
	r := newReceiver(t)
	d := newDesk(t, r, chain)
	d.now = time.Date(2026, 8, 3, 1, 0, 0, 0, time.UTC)
	d.step()
	first := d.end(10*time.Second, engine.OutcomeSucceeded)
	require.Len(t, first, 1)
	failed := d.end(5*time.Second, engine.OutcomeFailed)
	require.Len(t, failed, 1)
	d.now = d.now.Add(time.Minute)
	d.step()
	again := d.end(5*time.Second, engine.OutcomeSucceeded)
	require.Len(t, again, 1)
	d.now = time.Date(2026, 8, 3, 5, 0, 0, 0, time.UTC)
	d.step()
	d.flush()

	root, aside := r.of("first", "01:00")["w/first"], r.of("aside", "01:00")["w/aside"]
	second, third, late := r.of("second", "01:00"), r.of("third", "01:00"), r.of("late", "05:00")
	require.NotNil(t, root)
	require.Empty(t, root.ParentSpanId)
	require.Equal(t, "succeeded", attribute(root, "almanac.state"))
	require.Equal(t, uint64(10*time.Second), root.EndTimeUnixNano-root.StartTimeUnixNano)

	require.Equal(t, root.SpanId, second["w/second"].ParentSpanId, "it ended last")
	require.Equal(t, root.TraceId, second["w/second"].TraceId)
	require.Len(t, second["w/second"].Links, 1)
	require.Equal(t, aside.SpanId, second["w/second"].Links[0].SpanId, "the other one that it waited for")
	require.Equal(t, aside.TraceId, second["w/second"].Links[0].TraceId)
	require.NotEqual(t, root.TraceId, aside.TraceId)

	require.Equal(t, second["w/second"].SpanId, third["w/third"].ParentSpanId)
	require.Equal(t, root.TraceId, third["w/third"].TraceId)

	require.Empty(t, late["w/late"].ParentSpanId, "its time released it, hours after what it depends on")
	require.NotEqual(t, root.TraceId, late["w/late"].TraceId)
	require.Equal(t, third["w/third"].SpanId, late["w/late"].Links[0].SpanId)

	r.mu.Lock()
	defer r.mu.Unlock()
	outcomes := map[string]string{} // by span id
	for _, s := range r.spans {
		if s.Name == "attempt" {
			outcomes[hex.EncodeToString(s.SpanId)] = attribute(s, "almanac.outcome")
			of := root
			if attribute(s, "almanac.job") == "second" {
				of = second["w/second"]
			}
			require.Equal(t, of.SpanId, s.ParentSpanId)
			require.Equal(t, root.TraceId, s.TraceId)
			require.Equal(t, "shell", attribute(s, "almanac.action"))
		}
	}
	told := map[string]string{}
	for traceparent, outcome := range map[string]string{
		first[0].Traceparent: "succeeded", failed[0].Traceparent: "failed", again[0].Traceparent: "succeeded",
	} {
		require.Regexp(t, "^00-"+hex.EncodeToString(root.TraceId)+"-[0-9a-f]{16}-01$", traceparent)
		told[traceparent[36:52]] = outcome
	}
	require.Equal(t, told, outcomes, "each attempt was given the span that was exported of it")
	exported, lost, queued := d.tracer.Counts()
	require.Equal(t, []int64{8, 0, 0}, []int64{exported, lost, queued})
}

// Another server, or the same after a crash, computes the same ids from the rows.
func TestServersAgreeOnIDs(t *testing.T) {
	r := newReceiver(t)
	d := newDesk(t, r, chain)
	d.now = time.Date(2026, 8, 3, 1, 0, 0, 0, time.UTC)
	d.step()
	d.end(10*time.Second, engine.OutcomeSucceeded)
	require.Len(t, d.hand.started, 1)
	a := d.hand.started[0]

	other, err := trace.New(t.Context(), trace.Config{Rows: d.db, Env: r.env()})
	require.NoError(t, err)
	defer func() { require.NoError(t, other.Close(context.Background())) }()
	h := &hand{done: map[int64]func(engine.Result){}}
	given := a
	given.Traceparent = ""
	other.Runner(h).Start(given, func(engine.Result) {})
	require.Equal(t, a.Traceparent, h.started[0].Traceparent)
	require.NotEmpty(t, a.Traceparent)
}

// A collector that takes nothing costs spans, which are counted, and nothing else.
func TestLossIsCounted(t *testing.T) {
	r := newReceiver(t)
	r.fails = true
	d := newDesk(t, r, chain)
	d.now = time.Date(2026, 8, 3, 1, 0, 0, 0, time.UTC)
	d.step()
	require.Len(t, d.end(time.Second, engine.OutcomeSucceeded), 1)
	require.Len(t, d.end(time.Second, engine.OutcomeSucceeded), 1, "the work goes on")
	d.flush()
	exported, lost, _ := d.tracer.Counts()
	require.Zero(t, exported)
	require.Equal(t, int64(6), lost)
	r.mu.Lock()
	r.fails = false
	r.mu.Unlock()
	d.now = time.Date(2026, 8, 3, 5, 0, 0, 0, time.UTC)
	d.step()
	d.flush()
	exported, lost, _ = d.tracer.Counts()
	require.Equal(t, []int64{1, 6}, []int64{exported, lost})
}

// An exporter that hangs holds nobody up: what does not fit the queues is lost.
func TestAnExporterThatHangs(t *testing.T) {
	tracer, err := trace.New(t.Context(), trace.Config{Rows: none{}, Exporter: &hanging{}})
	require.NoError(t, err)
	const notices = 40_000
	for n := range notices {
		tracer.Observe(engine.Notice{From: engine.Running, Instance: engine.Instance{ID: int64(n), State: engine.Succeeded, StartedAt: time.Unix(1, 0), EndedAt: time.Unix(2, 0)}})
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	require.ErrorIs(t, tracer.Close(ctx), context.DeadlineExceeded)
	exported, lost, queued := tracer.Counts()
	require.Zero(t, exported)
	require.Equal(t, int64(notices), lost+queued)
	require.NotZero(t, lost)
}

type none struct{ engine.View }

func (n none) Read(_ context.Context, fn func(v engine.View) error) error { return fn(n) }
func (none) Waits(int64) ([]engine.Wait, error)                           { return nil, nil }

func TestTracesAreWantedWhenThereIsACollector(t *testing.T) {
	require.False(t, trace.Wanted(nil))
	require.True(t, trace.Wanted(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}))
	require.True(t, trace.Wanted(map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318/v1/traces"}))
	require.False(t, trace.Wanted(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318", "OTEL_SDK_DISABLED": "true"}))
	require.False(t, trace.Wanted(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318", "OTEL_TRACES_EXPORTER": "none"}))
}
