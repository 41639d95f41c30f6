package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// The bounds of what shares one commit: so many calls, or so many statements, which are about 10 ms of work.
const (
	groupCalls = 256
	groupWork  = 2000
	largeWork  = 50_000 // statements and rows of one transaction after which memory is given back

	manyCommits = 2000 // and so many commits: what was hot is read again in less time than one of them takes
)

// A request is one call of Write on its way through the writer.
type request struct {
	ctx  context.Context
	fn   func(tx engine.Tx) error
	done chan outcome
}

// An outcome is how a request ended: at most one of its fields is set.
type outcome struct {
	err      error
	panicked any
	exited   bool // fn ended its goroutine
}

// writer owns the connection that writes. One goroutine runs the requests, as many as are waiting in one transaction, and answers them when
// the commit is on disk.
type writer struct {
	queue   chan *request
	ended   chan struct{}
	s       *session
	chain   chain // as committed
	commits int   // since memory was given back
	clock   func() time.Time
	timed   func(commit func())         // Config.Timed
	watch   func() func() time.Duration // Config.Watch
	held    func(time.Duration)         // Config.Held
	failed  atomic.Pointer[error]
	words   func(error) error // what failed says to a person

	head        *headFile
	place       *place
	pages       *pageSums
	ballast     *ballast
	checkpoints *checkpointer
}

func startWriter(db *DB) (*writer, error) {
	path := db.dir.file()
	s, err := openSession(path, false)
	if err != nil {
		return nil, err
	}
	w := &writer{
		queue: make(chan *request, groupCalls), ended: make(chan struct{}), s: s, clock: db.cfg.Clock, timed: db.cfg.Timed, watch: db.cfg.Watch, held: db.cfg.Held,
		ballast: db.ballast, pages: db.pages,
		words: func(err error) error { return db.unusable("write to the database in", err) },
	}
	if w.chain, err = readChain(s); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if w.head, err = openHead(db.dir.path); err != nil {
		return nil, errors.Join(err, s.close())
	}
	w.head.begin(w.chain)
	if w.place, err = newPlace(db.dir); err != nil {
		return nil, errors.Join(err, w.head.close(), s.close())
	}
	if w.checkpoints, err = startCheckpointer(path, w); err != nil {
		return nil, errors.Join(err, w.head.close(), s.close())
	}
	if w.ballast.missing() {
		w.checkpoints.want()
	}
	go w.run(nil)
	return w, nil
}

// stop ends the goroutine when the queue is empty; nothing may be queued any more.
func (w *writer) stop() error {
	close(w.queue)
	<-w.ended
	return errors.Join(w.checkpoints.stop(), w.head.close(), w.s.close())
}

// abandon ends the goroutines and leaves the connections to the end of the process.
func (w *writer) abandon() error {
	close(w.queue)
	<-w.ended
	return w.checkpoints.abandon()
}

// fail closes the writer for good.
func (w *writer) fail(err error) {
	err = w.words(err)
	w.failed.CompareAndSwap(nil, &err)
}

// Write runs fn in a write transaction that it may share with concurrent calls, and returns when the changes have survived power loss. fn may
// run twice. An error of fn rolls back its changes, and only those. When ctx ends before fn has begun, fn is not run; later its end changes nothing. A
// panic of fn comes out of Write. fn must not call methods of the DB: the writer would wait for itself.
func (db *DB) Write(ctx context.Context, fn func(tx engine.Tx) error) error {
	if db.writer == nil {
		return ErrReadOnly
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := db.enter(); err != nil {
		return err
	}
	defer db.inflight.Done()
	r := &request{ctx: ctx, fn: fn, done: make(chan outcome, 1)}
	select {
	case db.writer.queue <- r:
	case <-ctx.Done():
		return ctx.Err()
	}
	o := <-r.done
	if o.panicked != nil {
		panic(o.panicked)
	}
	if o.exited {
		runtime.Goexit()
	}
	return unavailable(o.err)
}

// run is the writer's goroutine. rest are requests that an earlier goroutine left behind.
func (w *writer) run(rest []*request) {
	g := &group{w: w, rest: rest}
	defer func() {
		if !g.exited {
			close(w.ended)
			return
		}
		// A function ended this goroutine with runtime.Goexit, as a failed test does: another takes over.
		rest := g.abandon()
		w.checkpoints.turn.Unlock()
		go w.run(rest)
	}()
	for g.next(true) {
		w.checkpoints.turn.Lock()
		g.commit(g.collect())
		w.checkpoints.turn.Unlock()
		w.checkpoints.look(w.s.work >= largeWork)
	}
}

// A group is what shares one transaction.
type group struct {
	w       *writer
	rest    []*request // to be run before the queue
	current *request
	done    []*request // ran without error, not committed
	exited  bool       // the current function does not return
	open    bool       // a transaction is open
}

// next makes the next request the current one. Without wait it gives up when none is queued.
func (g *group) next(wait bool) bool {
	for {
		switch {
		case len(g.rest) > 0:
			g.current, g.rest = g.rest[0], g.rest[1:]
		case wait:
			r, ok := <-g.w.queue
			if !ok {
				return false
			}
			g.current = r
		default:
			select {
			case r, ok := <-g.w.queue:
				if !ok {
					return false
				}
				g.current = r
			default:
				return false
			}
		}
		if err := g.current.ctx.Err(); err != nil {
			g.current.done <- outcome{err: err}
			continue
		}
		if failed := g.w.failed.Load(); failed != nil {
			g.current.done <- outcome{err: *failed}
			continue
		}
		return true
	}
}

// more is next for a group that has begun: callers that were just answered get one chance to come back before the commit.
func (g *group) more(t *tx) bool {
	if len(g.done) >= groupCalls || g.w.s.work >= groupWork || t.elapsed() >= sliceTime {
		return false
	}
	if g.next(false) {
		return true
	}
	runtime.Gosched()
	return g.next(false)
}

// collect runs requests, beginning with the current one, in one transaction without savepoints, which most need not. It returns the transaction
// to be committed, nil when there is none.
func (g *group) collect() *tx {
	g.done = g.done[:0]
	t, err := g.begin()
	if err != nil {
		g.current.done <- outcome{err: err}
		return nil
	}
	for {
		before := t.mark()
		o := g.call(t)
		broken := g.w.s.broken
		switch {
		case broken != nil && endsTransaction(broken):
			g.rollback(broken)
			g.current.done <- outcome{err: broken}
			g.answer(broken)
			return nil
		case o == outcome{} && broken == nil:
			g.done = append(g.done, g.current)
		case broken == nil && t.mark() == before:
			g.current.done <- o // it has changed nothing
		case len(g.done) == 0:
			g.rollback(nil)
			g.current.done <- o
			return nil
		default:
			g.rollback(nil)
			return g.again()
		}
		if !g.more(t) {
			return t
		}
	}
}

// again runs the requests of a transaction that was rolled back once more, each in a savepoint of its own.
func (g *group) again() *tx {
	batch := append(g.done, g.current)
	g.done = make([]*request, 0, len(batch))
	t, err := g.begin()
	if err != nil {
		for _, r := range batch {
			r.done <- outcome{err: err}
		}
		return nil
	}
	for i, r := range batch {
		g.current, g.rest = r, batch[i+1:]
		if err := g.w.s.control("SAVEPOINT one"); err != nil {
			g.w.s.broken = err
		}
		before := t.mark()
		o := g.call(t)
		broken := g.w.s.broken
		if broken != nil && endsTransaction(broken) {
			g.rollback(broken)
			for _, r := range batch[i:] {
				r.done <- outcome{err: broken}
			}
			g.rest = nil
			g.answer(broken)
			return nil
		}
		if o == (outcome{}) && broken == nil {
			g.done = append(g.done, r)
		} else {
			g.w.s.broken = nil
			t.restore(before)
			if err := g.w.s.control("ROLLBACK TO one"); err != nil {
				g.w.s.broken = err
			}
			r.done <- o
		}
		if err := g.w.s.control("RELEASE one"); err != nil {
			g.w.s.broken = err
		}
	}
	g.rest = nil
	return t
}

func (g *group) begin() (*tx, error) {
	if err := g.w.place.check(); err != nil { // nothing is written to a file that nobody finds again; once it is back this goes on
		return nil, fmt.Errorf("%w: %w", engine.ErrUnavailable, g.w.words(err))
	}
	s := g.w.s
	s.broken, s.changes, s.work = nil, 0, 0
	if err := s.control("BEGIN IMMEDIATE"); err != nil {
		g.fail(err)
		return nil, fmt.Errorf("begin to write: %w", err)
	}
	g.open = true
	elapsed := func() time.Duration { return 0 }
	if g.w.watch != nil {
		elapsed = g.w.watch()
	}
	return &tx{view: view{s: s, clock: g.w.clock}, chain: g.w.chain, elapsed: elapsed}, nil
}

// call runs the current request's function. A function that breaks the transaction has failed, whatever it returns.
func (g *group) call(t *tx) (o outcome) {
	g.exited = true
	defer func() {
		if p := recover(); p != nil {
			g.exited = false
			o = outcome{panicked: p}
		}
	}()
	err := g.current.fn(t)
	g.exited = false
	if err == nil {
		err = g.w.s.broken
	}
	return outcome{err: err}
}

// commit makes what the group did durable and answers its requests.
func (g *group) commit(t *tx) {
	if t == nil {
		return
	}
	err := t.flush()
	if err == nil {
		err = g.w.s.broken
	}
	if err == nil {
		err = g.commitRows()
	}
	if err != nil {
		g.rollback(err)
		g.answer(fmt.Errorf("commit: %w", err))
		return
	}
	g.open = false
	if g.w.held != nil {
		g.w.held(t.elapsed())
	}
	if g.w.chain.id != t.chain.id {
		g.w.head.write(t.chain)
	}
	g.w.chain = t.chain
	g.w.place.noteLog()
	if err := g.w.place.check(); err != nil {
		// What was written went into a file that was taken away meanwhile. It may come back or not: nobody is told that it was done.
		g.w.fail(err)
		g.answer(fmt.Errorf("commit: %w", err))
		return
	}
	g.answer(nil)
	// A plan of a day fills the page cache at once, small transactions fill it in hours with pages that are not looked at again. An error would only
	// mean that it stays full.
	if g.w.commits++; g.w.s.work >= largeWork || g.w.commits >= manyCommits {
		g.w.commits = 0
		_ = g.w.s.control("PRAGMA shrink_memory")
	}
}

func (g *group) answer(err error) {
	for _, r := range g.done {
		r.done <- outcome{err: err}
	}
	g.done = g.done[:0]
}

// rollback ends the transaction. It may have ended of itself, so that its own error says nothing.
func (g *group) rollback(cause error) {
	g.w.s.broken = nil
	if err := g.w.s.control("ROLLBACK"); isFatal(err) {
		g.fail(err)
	}
	g.open = false
	if cause != nil {
		g.fail(cause)
	}
}

// fail closes the writer for good when the error leaves unknown what is on disk: trying again after a failed fsync can report a success
// that is none. When there was no room it gives up the ballast, so that the next try finds some.
func (g *group) fail(err error) {
	switch {
	case isFull(err):
		g.w.ballast.release()
	case isFatal(err):
		g.w.fail(fmt.Errorf("the store stopped writing after an error of the disk: %w", err))
	}
}

// abandon ends the transaction of a goroutine that is being ended and returns the requests that did nothing wrong.
func (g *group) abandon() []*request {
	if g.open {
		g.rollback(nil)
	}
	rest := append(append([]*request(nil), g.done...), g.rest...)
	g.current.done <- outcome{exited: true}
	return rest
}

// Failed returns the error after which the store stopped writing, nil while all is well.
func (db *DB) Failed() error {
	if db.writer != nil {
		if failed := db.writer.failed.Load(); failed != nil {
			return *failed
		}
		if err := db.writer.place.check(); err != nil {
			return db.writer.words(err)
		}
	}
	return nil
}
