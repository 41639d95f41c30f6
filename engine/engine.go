package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Config is what an Engine is made of. Store, Runner, Owner, Slots and Decode are required.
type Config struct {
	Store  Store
	Runner Runner
	Owner  string // names this server in claims and leases; unique to a process
	Slots  int    // attempts at once

	Decode    func(definition []byte, folder string) (*Job, error) // of stored versions
	Condition ConditionFunc                                        // of a step's `when`
	Secret    func(SecretSource) (string, error)
	DiskLow   func() (detail string, low bool) // nothing starts while it is; nil is never
	RemoveLog func(attempt int64)              // called for attempts that retention deleted

	PlanAhead time.Duration // a natural day is written down this long before it begins; default 2 h
	Retention time.Duration // ended instances are kept this long; default 60 days, negative is for ever

	// Closed says that the plan is complete: nothing is planned by the loop, an upstream instance that is not recorded counts as satisfied,
	// and Run returns when nothing can happen any more. Unclocked says besides that plan times are not waited for. Both are `almanac run`.
	Closed    bool
	Unclocked bool

	Observe func(Notice) // called after the commit of each transition and start of an attempt; must not block
	Log     *slog.Logger
}

// A Notice tells an observer what was just committed.
type Notice struct {
	Instance Instance // as it is now
	From     State
	Attempt  *Attempt // an attempt was started; From equals Instance.State then
	Result   *Result  // an attempt ended; From equals Instance.State then
	Step     string
}

// The times of the loop. The lease is renewed three times before it ends; no sleep is longer than the longest, so that a clock that jumps or
// a machine that slept is noticed.
const (
	leaseTerm    = time.Minute
	leaseRenewal = 20 * time.Second
	longestSleep = 30 * time.Second
	pruneEvery   = 10 * time.Minute
	pruneBatch   = 500
	dueBatch     = 1000
)

// Engine is the loop: it plans, looks at what is due, claims, hands attempts to the Runner and records what became of them. Everything that
// it knows beside its working set of running instances is in rows, and the working set is rebuilt from rows when it starts.
//
// Load, Trigger, Cancel, Confirm and Explain may be called from any goroutine, before and while Run runs.
type Engine struct {
	cfg    Config
	log    *slog.Logger
	inbox  inbox
	defs   catalog
	ready  chan struct{}
	onceUp sync.Once

	// The working set of the loop's goroutine.
	runs     map[int64]*run
	live     map[int64]liveAttempt
	steps    map[string]*stepQueue // ready to start, by pool
	delayed  delayQueue            // a retry that is not due yet
	staged   staged
	ids      idBlock
	nextPass time.Time
	renewAt  time.Time
	pruneAt  time.Time
	until    time.Time // of a Closed engine: nothing is planned beyond
}

// New returns an engine; Run starts it.
func New(cfg Config) (*Engine, error) {
	switch {
	case cfg.Store == nil || cfg.Runner == nil || cfg.Decode == nil:
		return nil, errors.New("engine: Store, Runner and Decode are required")
	case cfg.Owner == "":
		return nil, errors.New("engine: Owner is required")
	case cfg.Slots < 1:
		return nil, fmt.Errorf("engine: %d slots; at least 1 is needed", cfg.Slots)
	}
	if cfg.PlanAhead <= 0 {
		cfg.PlanAhead = 2 * time.Hour
	}
	if cfg.Retention == 0 {
		cfg.Retention = 60 * 24 * time.Hour
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Observe == nil {
		cfg.Observe = func(Notice) {}
	}
	e := &Engine{
		cfg: cfg, log: cfg.Log, ready: make(chan struct{}),
		runs: map[int64]*run{}, live: map[int64]liveAttempt{}, steps: map[string]*stepQueue{},
	}
	e.inbox.signal = make(chan struct{}, 1)
	e.defs.decode = cfg.Decode
	return e, nil
}

// Ready is closed after Run's first pass: what earlier processes left is taken over, the plan is written and what was due is started.
func (e *Engine) Ready() <-chan struct{} { return e.ready }

// Run is the loop: take over what runs, then plan up to the horizon, pass over what is due, and sleep until the next due time, a result, a
// command, or the end of ctx. When ctx ends nothing more is started, results are still recorded for a short while, and processes that go on are
// left to their supervisor: the next Run adopts them.
func (e *Engine) Run(ctx context.Context) error {
	if err := e.takeOver(ctx, time.Now()); err != nil {
		return err
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		now := time.Now()
		if err := e.keep(ctx, now); err != nil && ctx.Err() == nil {
			return err
		}
		idle, err := e.pass(ctx, now)
		switch {
		case ctx.Err() != nil:
			return e.drain()
		case err != nil:
			return err
		}
		e.onceUp.Do(func() { close(e.ready) })
		if idle && e.cfg.Closed {
			return nil
		}
		timer.Reset(max(0, min(longestSleep, time.Until(e.wakeAt()))))
		select {
		case <-ctx.Done():
			return e.drain()
		case <-e.inbox.signal:
		case <-timer.C:
		}
	}
}

// wakeAt is when the loop has something to do without being told.
func (e *Engine) wakeAt() time.Time {
	at := earliest(e.nextPass, e.renewAt)
	if e.delayed.Len() > 0 {
		at = earliest(at, e.delayed[0].at)
	}
	if !e.cfg.Closed {
		at = earliest(at, e.defs.nextPlanning(e.cfg.PlanAhead))
	}
	return at
}

// keep does what has its own rhythm: the lease, the plan, retention.
func (e *Engine) keep(ctx context.Context, now time.Time) error {
	if !now.Before(e.renewAt) {
		if err := e.renew(ctx, now); err != nil {
			return err
		}
		e.renewAt = now.Add(leaseRenewal)
	}
	if !e.cfg.Closed {
		if err := e.planAhead(ctx, now); err != nil {
			return err
		}
		if e.cfg.Retention > 0 && !now.Before(e.pruneAt) {
			more, err := e.prune(ctx, now)
			if err != nil {
				return err
			}
			e.pruneAt = now.Add(pruneEvery)
			if more {
				e.pruneAt = now // one batch a pass, so that claims are never held up for long
			}
		}
	}
	return nil
}

func (e *Engine) renew(ctx context.Context, now time.Time) error {
	until := now.Add(leaseTerm)
	return e.cfg.Store.Write(ctx, func(tx Tx) error {
		if _, ok, err := tx.Acquire("server/"+e.cfg.Owner, e.cfg.Owner, now, until); err != nil || !ok {
			return errors.Join(err, notHeld(ok, e.cfg.Owner))
		}
		return tx.Renew(e.cfg.Owner, until)
	})
}

func notHeld(ok bool, owner string) error {
	if ok {
		return nil
	}
	return fmt.Errorf("the lease of %s is held by another process", owner)
}

func (e *Engine) prune(ctx context.Context, now time.Time) (more bool, err error) {
	var attempts []int64
	var n int
	err = e.cfg.Store.Write(ctx, func(tx Tx) error {
		n, attempts, err = tx.Prune(now.Add(-e.cfg.Retention), pruneBatch)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("apply retention: %w", err)
	}
	if e.cfg.RemoveLog != nil {
		for _, id := range attempts {
			e.cfg.RemoveLog(id)
		}
	}
	return n == pruneBatch, nil
}

// drain records results that arrive within a short while after the end, starting nothing.
func (e *Engine) drain() error {
	const grace = 3 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	for {
		if err := e.record(ctx, time.Now()); err != nil {
			return err
		}
		if len(e.live) == 0 || !e.waitable() {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-e.inbox.signal:
		}
	}
}

// waitable reports whether a live attempt would be lost with this process: those without a supervisor of their own.
func (e *Engine) waitable() bool {
	for _, l := range e.live {
		if l.action != ActionShell {
			return true
		}
	}
	return false
}

// An inbox is how other goroutines reach the loop: values, never shared state.
type inbox struct {
	mu      sync.Mutex
	results []Result
	cancels []cancelRequest
	signal  chan struct{}
}

// A cancelRequest asks the loop to stop a running instance, whose row says so already.
type cancelRequest struct {
	instance int64
	reason   Reason
}

func (b *inbox) result(r Result) {
	b.mu.Lock()
	b.results = append(b.results, r)
	b.mu.Unlock()
	b.nudge()
}

func (b *inbox) cancel(c cancelRequest) {
	b.mu.Lock()
	b.cancels = append(b.cancels, c)
	b.mu.Unlock()
	b.nudge()
}

// nudge makes the loop pass without waiting for its timer.
func (b *inbox) nudge() {
	select {
	case b.signal <- struct{}{}:
	default:
	}
}

func (b *inbox) take() (results []Result, cancels []cancelRequest) {
	b.mu.Lock()
	defer b.mu.Unlock()
	results, cancels = b.results, b.cancels
	b.results, b.cancels = nil, nil
	return results, cancels
}

// An idBlock hands out reserved ids.
type idBlock struct{ next, end int64 }

const idBlockSize = 1000

func (b *idBlock) take(tx Tx) (int64, error) {
	if b.next == b.end {
		first, err := tx.Reserve(idBlockSize)
		if err != nil {
			return 0, fmt.Errorf("reserve ids: %w", err)
		}
		b.next, b.end = first, first+idBlockSize
	}
	b.next++
	return b.next - 1, nil
}
