package trace

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/almanac-sched/almanac/engine"
)

// Config is what a Tracer is made of. Rows is required.
type Config struct {
	Rows     Rows
	Exporter sdk.SpanExporter                  // nil is OTLP over HTTP to the collector that Env names
	Env      func(name string) string          // OTEL_EXPORTER_OTLP_ENDPOINT and its kin
	ReadFile func(file string) ([]byte, error) // of the certificates that Env names
	Version  string                            // of the program
	Log      *slog.Logger
}

// Wanted reports whether the environment asks for traces.
func Wanted(env map[string]string) bool {
	return (env["OTEL_EXPORTER_OTLP_ENDPOINT"] != "" || env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] != "") && env["OTEL_SDK_DISABLED"] != "true" &&
		env["OTEL_TRACES_EXPORTER"] != "none"
}

// A Tracer makes spans of what the engine says that it committed.
//
// The exporter goes where the operator's environment says, and not by way of the guard that keeps the actions of jobs from private addresses: a collector
// mostly runs beside the server.
type Tracer struct {
	cfg    Config
	chains chains
	tracer trace.Tracer
	sender *sender

	notices chan engine.Notice
	flush   chan chan struct{}
	unsaid  atomic.Int64 // spans that were never made
	stop    context.CancelFunc
	done    sync.WaitGroup
}

// noticesMost is how many notices wait to become spans.
const noticesMost = 8192

// New returns a Tracer, which works beside the engine until Close.
func New(ctx context.Context, cfg Config) (*Tracer, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Exporter == nil {
		to, err := newCollector(cfg.Env, cfg.ReadFile)
		if err != nil {
			return nil, fmt.Errorf("make an exporter of traces: %w", err)
		}
		if cfg.Exporter, err = otlptrace.New(ctx, to); err != nil {
			return nil, fmt.Errorf("make an exporter of traces: %w", err)
		}
	}
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "almanac"), attribute.String("service.version", cfg.Version)),
		resource.WithHost(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("describe this server for traces: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { cfg.Log.Debug("traces", "error", err) }))
	t := &Tracer{cfg: cfg, sender: newSender(cfg.Exporter, cfg.Log), notices: make(chan engine.Notice, noticesMost), flush: make(chan chan struct{})}
	provider := sdk.NewTracerProvider(sdk.WithIDGenerator(generator{}), sdk.WithSampler(sdk.AlwaysSample()), sdk.WithResource(about), sdk.WithSpanProcessor(t.sender))
	t.tracer = provider.Tracer("github.com/almanac-sched/almanac")
	ctx, t.stop = context.WithCancel(context.WithoutCancel(ctx))
	t.done.Go(func() { t.run(ctx) })
	return t, nil
}

// Counts returns how many spans were exported, how many were lost, and how many wait.
func (t *Tracer) Counts() (exported, lost, queued int64) {
	return t.sender.exported.Load(), t.sender.lost.Load() + t.unsaid.Load(), int64(len(t.sender.queue) + len(t.notices))
}

// Flush makes spans of all that was observed and exports them, for as long as ctx lets it.
func (t *Tracer) Flush(ctx context.Context) error {
	answer := make(chan struct{})
	select {
	case t.flush <- answer:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-answer:
	case <-ctx.Done():
		return ctx.Err()
	}
	return t.sender.ForceFlush(ctx)
}

// Close exports what is left, for as long as ctx lets it, and ends. The rows must still be readable.
func (t *Tracer) Close(ctx context.Context) error {
	_ = t.Flush(ctx) // what it did not send is counted as lost
	t.stop()
	t.done.Wait()
	return t.sender.Shutdown(ctx) // the provider would leave it running when ctx has ended
}

// Observe is engine.Config.Observe: it queues what becomes a span, and waits for nothing.
func (t *Tracer) Observe(n engine.Notice) {
	ended := n.Attempt == nil && n.Result == nil && n.From != n.Instance.State && n.Instance.State.Ended()
	if !ended && n.Result == nil {
		return
	}
	select {
	case t.notices <- n:
	default:
		t.unsaid.Add(1)
	}
}

func (t *Tracer) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			for len(t.notices) > 0 {
				<-t.notices
				t.unsaid.Add(1)
			}
			return
		case n := <-t.notices:
			t.say(ctx, &n)
		case answer := <-t.flush:
			for len(t.notices) > 0 {
				n := <-t.notices
				t.say(ctx, &n)
			}
			close(answer)
		}
	}
}

func (t *Tracer) say(ctx context.Context, n *engine.Notice) {
	i := &n.Instance
	var id trace.TraceID
	var parent *engine.Instance
	var links []trace.Link
	err := t.cfg.Rows.Read(ctx, func(v engine.View) (err error) {
		parent, links = nil, nil
		if id, err = t.chains.trace(v, i); err != nil || n.Result != nil {
			return err
		}
		by, others, err := releaser(v, i)
		if err != nil {
			return err
		}
		parent = by
		for k := range others[:min(linksMost, len(others))] {
			of, err := t.chains.trace(v, &others[k])
			if err != nil {
				return err
			}
			links = append(links, trace.Link{SpanContext: contextOf(of, spanOf(&others[k]))})
		}
		return nil
	})
	if err != nil {
		t.unsaid.Add(1)
		return
	}
	if n.Result != nil {
		t.attempt(ctx, n, id)
		return
	}
	t.instance(ctx, i, id, parent, links)
}

// about are the attributes that every span of an instance has.
func about(i *engine.Instance) []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.String("almanac.workflow", i.Ref.Workflow), attribute.String("almanac.job", i.Ref.Job), attribute.Int64("almanac.instance", i.ID),
		attribute.String("almanac.plan_time", engine.PlanTimeText(i.PlanTime)), attribute.String("almanac.kind", string(i.Kind)),
	}
}

func (t *Tracer) instance(ctx context.Context, i *engine.Instance, id trace.TraceID, parent *engine.Instance, links []trace.Link) {
	begin := i.StartedAt
	if begin.IsZero() { // skipped or cancelled before it started
		begin = i.EndedAt
	}
	if parent != nil {
		ctx = trace.ContextWithRemoteSpanContext(ctx, contextOf(id, spanOf(parent)))
	}
	_, span := t.tracer.Start(withIDs(ctx, contextOf(id, spanOf(i))), i.Ref.String(), trace.WithTimestamp(begin), trace.WithLinks(links...),
		trace.WithAttributes(append(about(i), attribute.String("almanac.state", string(i.State)), attribute.String("almanac.reason", string(i.Reason.Code)))...))
	if i.State == engine.Failed {
		span.SetStatus(codes.Error, string(i.Reason.Code))
	}
	span.End(trace.WithTimestamp(i.EndedAt))
}

func (t *Tracer) attempt(ctx context.Context, n *engine.Notice, id trace.TraceID) {
	i, r := &n.Instance, n.Result
	name := "attempt"
	if n.Step != "" {
		name = "attempt of " + n.Step
	}
	if n.Error {
		name = "error action"
	}
	begin := r.StartedAt
	if begin.IsZero() {
		begin = r.EndedAt
	}
	attributes := append(about(i), attribute.Int("almanac.attempt", n.Number), attribute.Int64("almanac.attempt.id", r.Attempt), attribute.String("almanac.step", n.Step),
		attribute.String("almanac.action", n.Action), attribute.String("almanac.outcome", string(r.Outcome)))
	if r.Exit != nil {
		attributes = append(attributes, attribute.Int("process.exit.code", *r.Exit))
	}
	if r.Status != 0 {
		attributes = append(attributes, attribute.Int("http.response.status_code", r.Status))
	}
	ctx = trace.ContextWithRemoteSpanContext(ctx, contextOf(id, spanOf(i)))
	_, span := t.tracer.Start(withIDs(ctx, contextOf(id, attemptOf(i, r.Attempt))), name, trace.WithTimestamp(begin), trace.WithAttributes(attributes...))
	if r.Outcome != engine.OutcomeSucceeded {
		span.SetStatus(codes.Error, string(r.Outcome))
	}
	span.End(trace.WithTimestamp(r.EndedAt))
}

// Runner returns a runner that gives every attempt the context of its span.
func (t *Tracer) Runner(inner engine.Runner) engine.Runner { return &runner{inner, t} }

type runner struct {
	engine.Runner
	tracer *Tracer
}

// lookWithin bounds what the engine's loop can lose by asking for a trace: an attempt whose trace is not found so soon is started without.
const lookWithin = 50 * time.Millisecond

// Start implements engine.Runner.
func (r *runner) Start(a engine.Attempt, done func(engine.Result)) {
	ctx, cancel := context.WithTimeout(context.Background(), lookWithin)
	defer cancel()
	err := r.tracer.cfg.Rows.Read(ctx, func(v engine.View) error {
		i, err := v.Instance(a.Instance)
		if err != nil {
			return err
		}
		id, err := r.tracer.chains.trace(v, &i)
		if err == nil {
			a.Traceparent = traceparent(id, attemptOf(&i, a.ID))
		}
		return err
	})
	if err != nil {
		r.tracer.cfg.Log.Debug("an attempt is started without a trace", "attempt", a.ID, "error", err)
	}
	r.Runner.Start(a, done)
}
