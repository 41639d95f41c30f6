package trace

import (
	"context"
	"crypto/sha256"
	"fmt"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/almanac-sched/almanac/engine"
)

// identity is what the ids of an instance are made of. The id tells two of one name apart: of another data directory, or after retention.
func identity(i *engine.Instance) string {
	return fmt.Sprintf("%s\x00%s\x00%d\x00%d", i.Ref, i.Key, i.PlanTime.UnixMilli(), i.ID)
}

// traceOf is the id of the trace that an instance begins.
func traceOf(i *engine.Instance) (id trace.TraceID) {
	sum := sha256.Sum256([]byte("trace\x00" + identity(i)))
	copy(id[:], sum[:])
	return id
}

// spanOf is the id of the span of an instance.
func spanOf(i *engine.Instance) (id trace.SpanID) {
	sum := sha256.Sum256([]byte("instance\x00" + identity(i)))
	copy(id[:], sum[:])
	return id
}

// attemptOf is the id of the span of an attempt of an instance.
func attemptOf(i *engine.Instance, attempt int64) (id trace.SpanID) {
	sum := sha256.Sum256(fmt.Appendf(nil, "attempt\x00%s\x00%d", identity(i), attempt))
	copy(id[:], sum[:])
	return id
}

// contextOf is what other spans say of a span.
func contextOf(t trace.TraceID, s trace.SpanID) trace.SpanContext {
	return trace.NewSpanContext(trace.SpanContextConfig{TraceID: t, SpanID: s, TraceFlags: trace.FlagsSampled, Remote: true})
}

// traceparent is a span's context as programs are given it (W3C Trace Context).
func traceparent(t trace.TraceID, s trace.SpanID) string {
	return "00-" + t.String() + "-" + s.String() + "-" + trace.FlagsSampled.String()
}

type idKey struct{}

// withIDs makes the next span of the context have these ids.
func withIDs(ctx context.Context, sc trace.SpanContext) context.Context {
	return context.WithValue(ctx, idKey{}, sc)
}

// generator gives the SDK the ids that were put into the context.
type generator struct{}

var _ sdk.IDGenerator = generator{}

// NewIDs implements sdk.IDGenerator.
func (generator) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	sc, _ := ctx.Value(idKey{}).(trace.SpanContext)
	return sc.TraceID(), sc.SpanID()
}

// NewSpanID implements sdk.IDGenerator.
func (generator) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	sc, _ := ctx.Value(idKey{}).(trace.SpanContext)
	return sc.SpanID()
}
