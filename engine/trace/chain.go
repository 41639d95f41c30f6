package trace

import (
	"context"
	"sync"

	"go.opentelemetry.io/otel/trace"

	"github.com/almanac-sched/almanac/engine"
)

// Rows gives one consistent snapshot of the rows.
type Rows interface {
	Read(ctx context.Context, fn func(v engine.View) error) error
}

const (
	rangeMost = 100    // upstream instances that are looked at of each wait
	linksMost = 16     // of one span
	chainMost = 10_000 // instances of one chain; further up it is another trace
	knownMost = 20_000 // instances whose trace is remembered, twice
)

// chains finds the trace of an instance by going up what released it, and remembers it for those that it releases.
type chains struct {
	mu         sync.Mutex
	young, old map[int64]trace.TraceID // by instance; the old ones are forgotten when the young ones are as many as may be
}

func (c *chains) known(instance int64) (trace.TraceID, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id, ok := c.young[instance]
	if !ok {
		id, ok = c.old[instance]
	}
	return id, ok
}

func (c *chains) remember(instance int64, id trace.TraceID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.young == nil || len(c.young) >= knownMost {
		c.young, c.old = map[int64]trace.TraceID{}, c.young
	}
	c.young[instance] = id
}

// releaser is the upstream instance that released an instance, nil when its time did, and the other ones that it waited for.
func releaser(v engine.View, i *engine.Instance) (by *engine.Instance, others []engine.Instance, err error) {
	ended, err := engine.Upstreams(v, i, rangeMost)
	if err != nil || len(ended) == 0 {
		return nil, nil, err
	}
	if ended[0].EndedAt.Before(i.NotBefore) {
		return nil, ended, nil
	}
	return &ended[0], ended[1:], nil
}

// trace returns the id of the trace that an instance belongs to.
func (c *chains) trace(v engine.View, i *engine.Instance) (trace.TraceID, error) {
	var path []int64
	var id trace.TraceID
	for at := *i; ; {
		var ok bool
		if id, ok = c.known(at.ID); ok {
			break
		}
		path = append(path, at.ID)
		by, _, err := releaser(v, &at)
		if err != nil {
			return id, err
		}
		if by == nil || len(path) == chainMost {
			id = traceOf(&at)
			break
		}
		at = *by
	}
	for _, instance := range path {
		c.remember(instance, id)
	}
	return id, nil
}
