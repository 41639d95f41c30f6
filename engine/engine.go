package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
)

// Config is what an Engine is made of. Store, Runner, Owner, Slots and Decode are required.
type Config struct {
	Store  Store
	Runner Runner
	Owner  string // names this server in claims and leases; unique to a process
	Slots  int    // attempts at once
	AtOnce int    // instances that an operation changes, or a load replaces, in one transaction; 0 is 300, and 1,000

	Decode    func(definition []byte, folder string) (*Job, error) // of stored versions
	Condition ConditionFunc                                        // of a step's `when`
	Secret    func(SecretSource) (string, error)
	Seal      func(tx Tx, at, value string) (string, error) // in the transaction that keeps it, makes of the value of a secret parameter what is kept; nil takes none
	Open      func(at, sealed string) (string, error)       // the way back
	DiskLow   func() (detail string, low bool)              // nothing starts while it is; nil is never
	RemoveLog func(attempt int64)                           // called for attempts that retention deleted

	// Admit is asked in the transaction of a Load, before it changes anything; its error refuses the folder. nil admits every folder.
	Admit func(v View, workflows []*Workflow) error

	Clock  func() time.Time // of this machine; nil is time.Now
	Guard  *ClockGuard      // says when the clock is not to be believed, and then Clock is its Now; nil believes it. Not of a Shared or Closed engine
	Shared bool             // other servers work on the same Store: see Engine

	LeaseTerm time.Duration // renewed twice before it ends; default 1 min
	PlanAhead time.Duration // a natural day is written down this long before it begins; default 2 h
	Retention time.Duration // ended instances are kept this long; default 60 days, negative is for ever

	// Closed says that the plan is complete: nothing is planned by the loop, an upstream instance that is not recorded counts as satisfied,
	// and Run returns when nothing can happen any more. Unclocked says besides that plan times are not waited for. Both are `almanac run`.
	Closed    bool
	Unclocked bool

	Alerts *Alerts // who is told of trouble; nil looks for none

	Turned  func(took time.Duration) // called after each turn of Run with how long it took by this machine's clock; must not block
	Observe func(Notice)             // called after the commit of each transition and start of an attempt; must not block
	Log     *slog.Logger
}

// A Notice tells an observer what was just committed.
type Notice struct {
	Instance Instance // as it is now
	From     State
	Action   string   // type, of an attempt that was started or ended
	Attempt  *Attempt // an attempt was started; From equals Instance.State then
	Result   *Result  // an attempt ended; From equals Instance.State then
	Step     string
	Number   int  // of the attempt, from 1
	Error    bool // the attempt is of the job's error action
}

// The times of the loop. No sleep is longer than the longest, so that a clock that jumps or a machine that slept is noticed.
const (
	longestSleep = 30 * time.Second
	backOff      = time.Second // before the rows are tried again
	pruneEvery   = 10 * time.Minute
	pruneBatch   = 500
	dueBatch     = 1000
)

// Engine is the loop: it plans, looks at what is due, claims, hands attempts to the Runner and records what became of them. Everything that
// it knows beside its working set of running instances is in rows, and the working set is rebuilt from rows when it starts.
//
// When a write fails, what is in the rows is not known any more: the working set is thrown away and rebuilt from them, as after a crash.
//
// Several engines may share a Store (Config.Shared). Each instance that runs has one owner, whose lease it renews; when that has passed, by the
// Store's clock, another takes it over, and the fence that grows with it makes whatever the former owner still writes of it void. Without Shared
// the rows are this engine's alone, and what it finds running when it starts is its own.
//
// Load, Trigger, Cancel, Confirm and Explain may be called from any goroutine, before and while Run runs.
type Engine struct {
	cfg   Config
	log   *slog.Logger
	inbox inbox
	bulk  bulk
	defs  catalog

	ready   chan struct{}
	health  health
	lookout lookout
	onceUp  sync.Once

	estimates estimates

	// perform is set in a simulation alone: it has an attempt take its time in the place of rendering it and handing it to the Runner.
	perform func(now time.Time, s startedStep)

	// The working set of the loop's goroutine.
	sure     bool           // it is what the rows say
	begun    bool           // it has been so once: what the rows say is this process's is so
	handed   map[int64]bool // given to the Runner, of a working set that was thrown away; false for those whose result has come
	foreign  map[int64]bool // live attempts that another process handed out, and that the Runner has not been asked about yet
	last     time.Time      // of the latest turn, by this machine's clock
	local    time.Time      // the same, while a turn is under way
	trust    time.Time      // until when the leases of what this engine runs last, by its own clock; of a Shared engine
	runs     map[int64]*run
	live     map[int64]liveAttempt
	steps    map[string]*stepQueue // ready to start, by pool
	delayed  delayQueue            // a retry that is not due yet
	laneLast map[string]bool       // whether what started last was of a backfill, here and in each pool: whose turn it is where there is one slot
	standing []readyStep           // ready, and in need of no slot
	polls    pollQueue             // when something of a watch is due
	line     []int64               // watches whose look is due and waits for its turn
	looking  map[int64]bool        // those whose look is under way
	staged   staged
	ids      idBlock
	told     []Told // not recorded yet
	sending  int    // deliveries handed out, whose end was not recorded
	nextPass time.Time

	planAgain time.Time // when to try to plan again after a load was under way; zero when none was

	lookBack bool      // what a clock that was ahead has decided may have to be taken back
	back     backPlace // how far that has come
	wakeBack bool      // it may have put off looks at what waits
	backWake backPlace // and how far that has been gone through
	backAt   int64     // the revision of the definitions then
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
	if cfg.LeaseTerm <= 0 {
		cfg.LeaseTerm = time.Minute
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
	if cfg.Turned == nil {
		cfg.Turned = func(time.Duration) {}
	}
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	cfg.Store = onceStore{cfg.Store}
	e := &Engine{
		cfg: cfg, log: cfg.Log, ready: make(chan struct{}), foreign: map[int64]bool{}, laneLast: map[string]bool{}, looking: map[int64]bool{},
	}
	e.forget()
	e.lookBack, e.wakeBack = !cfg.Closed, !cfg.Closed
	e.inbox.signal, e.bulk.signal = make(chan struct{}, 1), make(chan struct{}, 1)
	e.defs.decode = cfg.Decode
	return e, nil
}

// Ready is closed after Run's first pass: what earlier processes left is taken over, the plan is written and what was due is started.
func (e *Engine) Ready() <-chan struct{} { return e.ready }

// Run is the loop: one Step after the other, and between them sleep until the next due time, a result, a command, or the end of ctx. When ctx ends
// nothing more is started, results are still recorded for a short while, and processes that go on are left to their supervisor: the next Run adopts
// them. An error that trying again cannot help ends it.
func (e *Engine) Run(ctx context.Context) error {
	var beside sync.WaitGroup
	bulk, end := context.WithCancel(ctx)
	defer beside.Wait()
	defer end()
	beside.Go(func() { e.runBulk(bulk) })
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		begin := time.Now()
		next, idle, err := e.Step(ctx, e.cfg.Clock())
		e.cfg.Turned(time.Since(begin))
		switch {
		case ctx.Err() != nil:
			return e.drain()
		case err != nil:
			return err
		}
		if idle && e.cfg.Closed {
			return nil
		}
		timer.Reset(max(0, min(longestSleep, next.Sub(e.cfg.Clock()))))
		select {
		case <-ctx.Done():
			return e.drain()
		case <-e.inbox.signal:
		case <-timer.C:
		}
	}
}

// Step is one turn of the loop at a time: take over what runs when that is not known, keep the lease and the plan, take in what came, start what can
// start. It neither sleeps nor starts a goroutine, and must not be called while Run runs. next is when the following turn is due although nothing
// comes in; idle says that nothing more can happen by itself.
//
// After an error that wraps ErrUnavailable there is none: the next turn begins by rebuilding the working set.
//
// A Shared engine goes by the Store's clock, whatever its own says: now and next are of its own all the same.
func (e *Engine) Step(ctx context.Context, now time.Time) (next time.Time, idle bool, err error) {
	e.noteClock(now)
	e.local = now
	if e.inbox.takeDoubt() {
		e.sure = false
	}
	if now, err = e.storeTime(ctx, now); err == nil {
		idle, err = e.turn(ctx, now)
	}
	if err != nil && ctx.Err() != nil {
		return time.Time{}, false, err // the end of ctx keeps a write from beginning, and never ends one
	}
	if err != nil {
		e.sure = fault.Planted(fault.CommitForgotten)
		if !errors.Is(err, ErrUnavailable) {
			return time.Time{}, false, err
		}
		e.health.ill(err)
		e.log.Warn("the rows cannot be reached; trying again", "error", err)
		return e.local.Add(backOff), false, nil
	}
	e.health.well(e.local)
	e.onceUp.Do(func() { close(e.ready) })
	if !e.sure || e.inbox.waits() || (e.lookBack || e.wakeBack) && e.clockHold() == nil {
		return e.local, false, nil // something was refused: see what the rows say; or the turn has found out what the next one writes down
	}
	return e.local.Add(e.wakeAt().Sub(now)), idle, nil
}

func (e *Engine) turn(ctx context.Context, now time.Time) (idle bool, err error) {
	if !e.sure {
		if err := e.rebuild(ctx, now); err != nil {
			return false, err
		}
	}
	for {
		if err := e.keep(ctx, now); err != nil {
			return false, err
		}
		idle, err := e.pass(ctx, now)
		if !errors.Is(err, errStale) {
			return idle, err
		}
		if err := e.relearn(ctx); err != nil {
			return false, err
		}
	}
}

// relearn reads what is new of the definitions.
func (e *Engine) relearn(ctx context.Context) error {
	return wrap(e.defs.refresh(ctx, e.cfg.Store), "read the definitions")
}

// wakeAt is when the loop has something to do without being told.
func (e *Engine) wakeAt() time.Time {
	at := earliest(e.nextPass, e.renewAt)
	if e.delayed.Len() > 0 {
		at = earliest(at, e.delayed[0].at)
	}
	if len(e.polls) > 0 {
		at = earliest(at, e.polls[0].at)
	}
	switch {
	case e.cfg.Closed || e.clockHold() != nil:
	case !e.planAgain.IsZero():
		at = earliest(at, e.planAgain)
	default:
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
	}
	if !e.cfg.Closed && e.clockHold() == nil {
		if at := e.defs.at(); at != e.backAt { // a job that came back may have such ends
			e.backAt, e.lookBack = at, true
		}
		if e.lookBack {
			more, err := e.takeBack(ctx, now)
			if err != nil {
				return err
			}
			e.lookBack = more
		}
		if e.wakeBack {
			more, err := e.wakeFuture(ctx, now)
			if err != nil {
				return err
			}
			e.wakeBack = more
		}
		if err := e.planAhead(ctx, now); err != nil {
			return err
		}
		if e.cfg.Retention > 0 && !now.Before(e.pruneAt) {
			again, err := e.prune(ctx, now)
			if err != nil {
				return err
			}
			e.pruneAt = now.Add(again)
		}
	}
	return nil
}

// prune removes a batch of what is too old, one a pass, so that claims are never held up for long; again says after how long to go on.
func (e *Engine) prune(ctx context.Context, now time.Time) (again time.Duration, err error) {
	var attempts []int64
	var n int
	full := false
	err = e.cfg.Store.Write(ctx, func(tx Tx) error {
		defer func() { full = tx.Full() }()
		before := now.Add(-e.cfg.Retention)
		if n, attempts, err = tx.Prune(before, pruneBatch); err != nil {
			return err
		}
		if n > 0 {
			if err := markRemoved(tx, before); err != nil {
				return err
			}
		}
		_, err = tx.PruneAlerts(before, pruneBatch)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("apply retention: %w", err)
	}
	if e.cfg.RemoveLog != nil {
		for _, id := range attempts {
			e.cfg.RemoveLog(id)
		}
	}
	switch {
	case n == pruneBatch, full && n > 0:
		return 0, nil
	case full: // it has removed members of an incident, or looked at what is still needed
		return time.Second, nil
	}
	return pruneEvery, nil
}

// drain records results that arrive within a short while after the end, starting nothing.
func (e *Engine) drain() error {
	const grace = 3 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	for {
		if !e.sure {
			return nil // the next process finds out what the rows say, and the supervisor still knows the results
		}
		if err := e.record(ctx, e.cfg.Clock()); err != nil {
			return err
		}
		if !e.waitable() && e.sending == 0 {
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
		if l.action != ActionShell && l.watch == nil {
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
	told    []Told
	doubted bool // a write of another goroutine failed, and what it was to change may have changed
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

// putBack gives results back that were taken and could not be recorded.
func (b *inbox) putBack(results []Result) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.results = append(results, b.results...)
}

// doubt makes the next turn look at what the rows say.
func (b *inbox) doubt() {
	b.mu.Lock()
	b.doubted = true
	b.mu.Unlock()
	b.nudge()
}

// takeDoubt reports whether there is any, once.
func (b *inbox) takeDoubt() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	doubted := b.doubted
	b.doubted = false
	return doubted
}

// waits reports whether there is something to take.
func (b *inbox) waits() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.results)+len(b.cancels) > 0
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
