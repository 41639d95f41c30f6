package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
	"github.com/almanac-sched/almanac/web"
	"github.com/almanac-sched/almanac/web/metrics"
)

// A watching is what a server tells those who watch it, beside its API: figures, and traces when the environment asks for them.
type watching struct {
	metrics *metrics.Metrics
	tracing *tracing
	closing sync.Once
	turn    atomic.Pointer[turn]
}

// A turn is one of the loop.
type turn struct {
	ended time.Time
	took  time.Duration
}

// turned is engine.Config.Turned.
func (w *watching) turned(took time.Duration) {
	w.metrics.Turned(took)
	w.turn.Store(&turn{now(), took})
}

// lookEvery is how often a server looks at itself.
const lookEvery = 5 * time.Second

// watch begins to count, before the store and the engine are there.
func (s *server) watch() {
	b := build()
	s.watching = &watching{tracing: &tracing{env: s.env, log: s.log}}
	s.watching.metrics = metrics.New(metrics.Config{
		Look: s.look, Rows: rowsOf{func() *store.DB { return s.db }}, Now: func() time.Time { return s.clock() }, Disk: func() (uint64, uint64, bool) { return diskSpace(s.dir) },
		Files: func() (database, log int64) {
			sizes := s.db.Sizes()
			return sizes.Database, sizes.Log
		},
		Spans: s.watching.tracing.counts(), Version: b.Version, Revision: b.Revision, Go: b.Go, Workflows: s.cfg.workflowLabels,
	})
}

// rowsOf are rows that are opened later.
type rowsOf struct{ db func() *store.DB }

func (r rowsOf) Read(ctx context.Context, fn func(v engine.View) error) error {
	return r.db().Read(ctx, fn)
}

// observe is engine.Config.Observe.
func (w *watching) observe(n engine.Notice) {
	w.metrics.Observe(n)
	w.tracing.observe(n)
}

// close exports what is left of the traces. The rows are closed after it.
func (w *watching) close() {
	w.closing.Do(w.end)
}

func (w *watching) end() {
	w.tracing.close()
	w.metrics.Close()
}

// look is what the engine sees of itself, with what only those around it know.
func (s *server) look(ctx context.Context, at time.Time) engine.Sighting {
	sighting := s.engine.Look(ctx, at)
	sighting.Troubles = withTroubles(sighting.Troubles, s.db.Failed(), s.runner.Trouble())
	return sighting
}

// withTroubles adds to what the engine says that the store has stopped writing for good, which says more than that a write failed, and that the supervisor is
// not reached.
func withTroubles(seen []engine.Trouble, store, supervisor error) []engine.Trouble {
	troubles := slices.Clone(seen)
	if store != nil {
		troubles = slices.DeleteFunc(troubles, func(t engine.Trouble) bool { return t.Aspect == engine.AspectStore })
		troubles = append(troubles, engine.Trouble{Aspect: engine.AspectStore, Detail: store.Error()})
	}
	if supervisor != nil {
		troubles = append(troubles, engine.Trouble{Aspect: engine.AspectSupervisor, Detail: supervisor.Error()})
	}
	slices.SortStableFunc(troubles, func(a, b engine.Trouble) int {
		return slices.Index(engine.Aspects, a.Aspect) - slices.Index(engine.Aspects, b.Aspect)
	})
	return troubles
}

// ready says what is missing until the engine's first pass is over, and what is wrong when the server does not do its work, aspect by aspect.
func (s *server) ready() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if sighting := s.look(ctx, s.clock()); len(sighting.Troubles) > 0 {
		return &engine.TroubledError{Troubles: sighting.Troubles}
	}
	return nil
}

// lookOn looks at the work every few seconds until ctx ends, and logs what goes wrong, and that it does not any more.
func (s *server) lookOn(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	known := map[engine.Aspect]bool{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		looked, cancel := context.WithTimeout(ctx, lookEvery)
		sighting := s.look(looked, s.clock())
		cancel()
		if ctx.Err() != nil {
			return
		}
		found := map[engine.Aspect]bool{}
		for _, t := range sighting.Troubles {
			if found[t.Aspect] = true; !known[t.Aspect] {
				s.log.Warn("not as it should be", "aspect", string(t.Aspect), "detail", t.Detail)
			}
		}
		for _, aspect := range engine.Aspects {
			if known[aspect] && !found[aspect] {
				s.log.Info("as it should be again", "aspect", string(aspect))
			}
		}
		known = found
	}
}

// serveWatch answers on the address for whoever watches, until the returned function is called. Without an address there is none.
func (s *server) serveWatch(ctx context.Context, cfg web.Config) (stop func() error, err error) {
	if s.cfg.metricsListen == "" {
		return func() error { return nil }, nil
	}
	cfg.Loopback, err = isLoopback(ctx, s.cfg.metricsListen)
	if err != nil {
		return nil, err
	}
	cfg.Dev = cfg.Dev && cfg.Loopback
	handler, err := web.NewWatch(cfg, s.cfg.metricsPublic)
	if err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.cfg.metricsListen)
	if err != nil {
		return nil, err
	}
	api := web.NewServer(handler, s.log)
	ended := make(chan error, 1)
	go func() { ended <- api.Serve(s.cfg.own.over(listener)) }()
	s.log.Info("metrics", "address", s.cfg.own.scheme()+listener.Addr().String()+"/metrics", "public", s.cfg.metricsPublic)
	return func() error {
		err := shutDown(api)
		if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		return err
	}, nil
}
