package trace

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

const (
	queueMost    = 8192 // spans that wait
	batchMost    = 512  // spans of one request
	batchAfter   = 2 * time.Second
	exportWithin = 30 * time.Second // with the exporter's own retries
)

// A sender exports spans from a goroutine of its own. Whoever ends a span never waits for it. It implements sdk.SpanProcessor.
type sender struct {
	to    sdk.SpanExporter
	log   *slog.Logger
	queue chan sdk.ReadOnlySpan
	flush chan chan struct{}
	stop  context.CancelFunc
	done  sync.WaitGroup

	exported, lost atomic.Int64
	failing        bool // of the goroutine: so that each trouble is logged once
}

var _ sdk.SpanProcessor = (*sender)(nil)

func newSender(to sdk.SpanExporter, log *slog.Logger) *sender {
	ctx, stop := context.WithCancel(context.Background())
	s := &sender{to: to, log: log, queue: make(chan sdk.ReadOnlySpan, queueMost), flush: make(chan chan struct{}), stop: stop}
	s.done.Go(func() { s.run(ctx) })
	return s
}

// OnStart implements sdk.SpanProcessor.
func (s *sender) OnStart(context.Context, sdk.ReadWriteSpan) {}

// OnEnd queues a span, or loses it when there is no room.
func (s *sender) OnEnd(span sdk.ReadOnlySpan) {
	select {
	case s.queue <- span:
	default:
		s.lost.Add(1)
	}
}

func (s *sender) run(ctx context.Context) {
	tick := time.NewTicker(batchAfter)
	defer tick.Stop()
	var batch []sdk.ReadOnlySpan
	send := func() {
		if len(batch) > 0 {
			s.send(ctx, batch)
			batch = nil
		}
	}
	for {
		select {
		case <-ctx.Done():
			s.lost.Add(int64(len(batch)))
			for len(s.queue) > 0 {
				<-s.queue
				s.lost.Add(1)
			}
			return
		case span := <-s.queue:
			if batch = append(batch, span); len(batch) >= batchMost {
				send()
			}
		case <-tick.C:
			send()
		case answer := <-s.flush:
			for len(s.queue) > 0 {
				if batch = append(batch, <-s.queue); len(batch) >= batchMost {
					send()
				}
			}
			send()
			close(answer)
		}
	}
}

func (s *sender) send(ctx context.Context, batch []sdk.ReadOnlySpan) {
	ctx, cancel := context.WithTimeout(ctx, exportWithin)
	defer cancel()
	err := s.to.ExportSpans(ctx, batch)
	if err != nil {
		s.lost.Add(int64(len(batch)))
	} else {
		s.exported.Add(int64(len(batch)))
	}
	switch {
	case err != nil && !s.failing:
		s.log.Warn("spans are lost", "spans", len(batch), "error", err)
	case err == nil && s.failing:
		s.log.Info("spans are exported again")
	}
	s.failing = err != nil
}

// ForceFlush implements sdk.SpanProcessor.
func (s *sender) ForceFlush(ctx context.Context) error {
	answer := make(chan struct{})
	select {
	case s.flush <- answer:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-answer:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Shutdown sends what is queued for as long as ctx lets it, and ends.
func (s *sender) Shutdown(ctx context.Context) error {
	_ = s.ForceFlush(ctx) // what it did not send is counted as lost
	s.stop()
	s.done.Wait()
	return s.to.Shutdown(ctx)
}
