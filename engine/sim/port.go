package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A Crash says where the process of a server ends in a write.
type Crash string

// The three kinds of reliability.md §5a.
const (
	CrashBefore  Crash = "before commit"
	CrashAfter   Crash = "after commit, before reply"
	CrashUnknown Crash = "commit, but an error" // the process lives on and does not know
)

// Crashes lists the kinds.
var Crashes = []Crash{CrashBefore, CrashAfter, CrashUnknown}

// errDied unwinds the stack of a server whose process has ended.
type errDied struct{ life int }

// The errors of a store that fails.
var (
	errRollback = errors.New("rolled back by the simulator")
	errBusy     = fmt.Errorf("%w: the database is locked", engine.ErrUnavailable)
	errCut      = fmt.Errorf("%w: the store cannot be reached", engine.ErrUnavailable)
	errInOut    = errors.New("disk I/O error")
	errSlow     = fmt.Errorf("%w: the store did not answer in time: %w", engine.ErrUnavailable, context.DeadlineExceeded)
	errUnknown  = fmt.Errorf("%w: the connection broke during the commit", engine.ErrUnavailable)
)

// storeFaults are the faults 1 to 6 of a world, each with the probability that one write suffers it.
type storeFaults struct {
	before, after, unknown, busy, inout, slow, pause float64
}

// A port is one server's way to the store. It is where the store fails, and where commits are seen.
type port struct {
	s    *server
	life int
}

var _ engine.Store = (*port)(nil)

// Write implements engine.Store.
func (p *port) Write(ctx context.Context, fn func(tx engine.Tx) error) error {
	err := p.write(ctx, fn)
	if err != nil {
		p.s.refusals++
	}
	return err
}

func (p *port) write(ctx context.Context, fn func(tx engine.Tx) error) error {
	s, w := p.s, p.s.w
	if err := ctx.Err(); err != nil {
		return err
	}
	p.check()
	w.writes++
	if w.crashAt != 0 && w.writes == w.crashAt {
		w.crashed = true
		switch w.crashKind {
		case CrashBefore:
			_ = p.commit(ctx, fn, false)
			p.die("crash before commit")
		case CrashAfter:
			if err := p.commit(ctx, fn, true); err != nil && !errors.Is(err, errRollback) {
				return err
			}
			p.die("crash after commit")
		default:
			if err := p.commit(ctx, fn, true); err != nil {
				return err
			}
			return errUnknown
		}
	}
	if !w.chaos {
		return p.commit(ctx, fn, true)
	}
	d, f := w.store, &w.shape.faults
	if w.net.cut[link{&s.node, nil}] {
		w.saw("store not reached")
		return errCut
	}
	if d.chance(f.pause) {
		p.sleep("before a write", w.pauseLength(d))
	}
	switch {
	case d.chance(f.before):
		w.saw("crash before commit")
		_ = p.commit(ctx, fn, false)
		p.die("crash before commit")
	case d.chance(f.after):
		w.saw("crash after commit")
		if err := p.commit(ctx, fn, true); err == nil {
			p.die("crash after commit")
		} else {
			return err
		}
	case d.chance(f.unknown):
		kept := d.chance(0.7)
		err := p.commit(ctx, fn, kept)
		if err != nil && !errors.Is(err, errRollback) {
			return err
		}
		if kept {
			w.saw("unknown commit recovered")
		}
		w.logf("%s write: unknown, kept=%t", s.name, kept)
		return errUnknown
	case d.chance(f.busy):
		w.saw("store busy")
		w.logf("%s write: busy", s.name)
		return errBusy
	case d.chance(f.inout):
		w.saw("store failed")
		kept := d.chance(0.3)
		if err := p.commit(ctx, fn, kept); err != nil && !errors.Is(err, errRollback) {
			return err
		}
		w.logf("%s write: i/o error, kept=%t", s.name, kept)
		return errInOut
	case d.chance(f.slow):
		w.saw("store slow")
		kept := d.chance(0.5)
		err := p.commit(ctx, fn, kept)
		if err != nil && !errors.Is(err, errRollback) {
			return err
		}
		w.logf("%s write: slow, kept=%t", s.name, kept)
		p.sleep("in a slow write", d.between(time.Second, 30*time.Second))
		return errSlow
	}
	if err := p.commit(ctx, fn, true); err != nil {
		return err
	}
	if d.chance(f.pause) {
		p.sleep("after a commit", w.pauseLength(d))
	}
	return nil
}

// commit runs the transaction for good, or rolls it back at its end.
func (p *port) commit(ctx context.Context, fn func(tx engine.Tx) error, keep bool) error {
	w := p.s.w
	var r *recorder
	err := w.rows.Write(ctx, func(tx engine.Tx) error {
		r = &recorder{Tx: tx, ops: w.spare[:0]}
		if err := fn(r); err != nil {
			return err
		}
		if !keep {
			return errRollback
		}
		return nil
	})
	w.spare = r.ops
	if err != nil {
		return err
	}
	w.spare = nil
	w.ledger.commit(p.s, r.ops)
	w.spare = r.ops
	for len(w.commits) > 0 {
		due := w.commits
		w.commits = nil
		if err := w.rows.Read(ctx, func(v engine.View) error {
			for _, fn := range due {
				fn(v)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// afterCommit runs fn on the rows when the commit that is being booked is over.
func (w *World) afterCommit(fn func(v engine.View)) { w.commits = append(w.commits, fn) }

// Read implements engine.Store.
func (p *port) Read(ctx context.Context, fn func(v engine.View) error) error {
	p.check()
	w := p.s.w
	if w.chaos && w.net.cut[link{&p.s.node, nil}] {
		p.s.refusals++
		return errCut
	}
	if w.chaos && w.store.chance(w.shape.faults.busy) {
		p.s.refusals++
		return errBusy
	}
	return w.rows.Read(ctx, fn)
}

// die ends the server's process here and now.
func (p *port) die(how string) {
	p.s.crash(how, false)
	panic(errDied{p.life})
}

// check unwinds a call whose process has ended while it stood still.
func (p *port) check() {
	if p.life != p.s.life {
		panic(errDied{p.life})
	}
}

// sleep stands still in the middle of a call while the rest of the world goes on.
func (p *port) sleep(where string, d time.Duration) {
	w, s := p.s.w, p.s
	if w.depth >= 3 {
		return
	}
	w.saw("paused " + where)
	w.logf("%s stands still %s for %s", s.name, where, d)
	s.still++
	w.depth++
	w.until(w.t + d)
	w.depth--
	if p.life != s.life {
		panic(errDied{p.life})
	}
	s.resume()
}
