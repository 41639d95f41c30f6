package trace_test

import (
	"context"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// hanging is an exporter whose collector never answers.
type hanging struct{}

func (*hanging) ExportSpans(ctx context.Context, _ []sdk.ReadOnlySpan) error {
	<-ctx.Done()
	return ctx.Err()
}

func (*hanging) Shutdown(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}
