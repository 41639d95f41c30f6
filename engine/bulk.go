package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
)

// An application is a backfill that is being applied, as this engine knows it. It is made anew from the rows when it is not known: see resumeApplying.
type application struct {
	draft   *draft
	edges   [][]*draftEdge
	list    turnList // in the order of their turn
	total   int      // of it
	row     BackfillRow
	first   int64 // id of the first instance
	written int   // as this engine wrote them last
}

// newApplication is the application of a draft that has no row yet.
func newApplication(d *draft) (*application, error) {
	a := &application{draft: d, list: turnList{draft: d}, total: d.in()}
	var err error
	a.edges, err = d.allEdges()
	return a, err
}

// slice writes instances from the given one on, as many as the transaction has time for, and returns how many are written then.
func (a *application) slice(tx Tx, from int) (written int, err error) {
	reason := Reason{Code: ReasonPlanned, Detail: "backfill " + a.row.Key, Actor: a.row.Actor}
	written = from
	inserted, err := tx.InsertInstances(func(yield func(*Instance, []Wait) bool) {
		var waits []Wait
		for n := from; n < a.total && (n == from || !tx.Full()); n++ {
			item := a.list.at(n, from)
			job, t := item.part.job, item.at()
			i := Instance{
				ID: a.first + int64(n), Job: item.part.row.ID, Ref: job.Ref(), Version: item.part.row.Version, Kind: Backfill, Key: a.row.Key, PlanTime: t,
				State: Waiting, Gate: GateTime, Reason: reason, NotBefore: a.row.CreatedAt.In(t.Location()), Priority: lanePriority(&a.row.Options, job), Pool: job.Pool,
			}
			waits, _ = a.draft.waits(waits[:0], a.edges[item.part.order], item, i.ID, a.row.Key, nil, false)
			if !yield(&i, waits) {
				return
			}
			written = n + 1
		}
	})
	if err == nil && inserted != written-from {
		err = fmt.Errorf("%d of %d instances are there already", written-from-inserted, written-from)
	}
	return written, wrap(err, "insert the instances %d to %d of the backfill %s", from, written, a.row.Key)
}

// bulk is what is under way in many short transactions. It is a memory of the rows, and nothing depends on it.
type bulk struct {
	mu     sync.Mutex
	known  map[string]*application // by key, from the request that began it
	lists  map[string]*targetList  // of operations under way, by their digest
	survey *survey                 // of the goroutine that calls Bulk
	signal chan struct{}
}

func (b *bulk) keep(key string, a *application) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known == nil {
		b.known = map[string]*application{}
	}
	b.known[key] = a
}

func (b *bulk) drop(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.known, key)
}

func (b *bulk) nudge() {
	select {
	case b.signal <- struct{}{}:
	default:
	}
}

// errMoved says that the rows are not what was read of them before.
var errMoved = errors.New("the rows have moved on")

// The times of the loop of Bulk.
const bulkLook = 30 * time.Second // without being told

// runBulk carries on what is to be done in many short transactions, until ctx ends.
func (e *Engine) runBulk(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		more, err := e.Bulk(ctx, e.cfg.Clock())
		wait := bulkLook
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			e.log.Warn("what is done beside the loop cannot be done just now; trying again", "error", err)
			wait = backOff
		case more:
			continue
		}
		timer.Reset(wait)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-e.bulk.signal:
		}
	}
}

// Bulk carries on, by one short write transaction, with what is too much for one: the look at an
// incident, which goes first because it is short, an operation on many instances, a backfill that gets
// another priority, and one that is being applied, or withdrawn. more says that there is more to do at once. Run does this beside the loop; like Step it neither sleeps nor starts a goroutine, and it may run at the same time as Step.
func (e *Engine) Bulk(ctx context.Context, now time.Time) (more bool, err error) {
	if e.cfg.Closed {
		return false, nil
	}
	if more, err := e.survey(ctx, now); err != nil || more {
		return more, err
	}
	if more, err := e.carryOn(ctx, now); err != nil || more {
		return more, err
	}
	if more, err := e.moveLanes(ctx, now); err != nil || more {
		return more, err
	}
	if key, a := e.bulk.any(); a != nil {
		err := e.bulkSlice(ctx, a, now)
		switch {
		case err == nil:
			return true, nil
		case !errors.Is(err, errMoved):
			e.bulk.drop(key) // what is in the rows is not known any more
			return false, err
		}
		e.bulk.drop(key)
	}
	var rows []BackfillRow
	if err := e.cfg.Store.Read(ctx, func(v View) (err error) {
		rows, err = v.UnrealBackfills()
		return err
	}); err != nil || len(rows) == 0 {
		return false, wrap(err, "look for backfills that are being applied")
	}
	row := &rows[0]
	var mine bool
	if err := e.cfg.Store.Write(ctx, func(tx Tx) (err error) {
		mine, err = e.leaseBulk(tx)
		return err
	}); err != nil || !mine {
		return false, err
	}
	if row.Stage == BackfillWithdrawing {
		return true, e.withdraw(ctx, row.Key, now)
	}
	return true, e.resumeApplying(ctx, row, now)
}

// any is a backfill that this engine knows to be under way, the smallest key first.
func (b *bulk) any() (string, *application) {
	b.mu.Lock()
	defer b.mu.Unlock()
	keys := make([]string, 0, len(b.known))
	for key := range b.known {
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return "", nil
	}
	key := slices.Min(keys)
	return key, b.known[key]
}

// bulkLease names the lease of the one server that carries on what others may have begun.
const bulkLease = "bulk"

// leaseBulk makes this engine the one that goes on with what is under way. That two do so would do no harm, and would make each plan anew again and again:
// every write says what it goes on from.
func (e *Engine) leaseBulk(tx Tx) (mine bool, err error) {
	if !e.cfg.Shared {
		return true, nil
	}
	clock, err := tx.Clock()
	if err != nil {
		return false, fmt.Errorf("read the clock: %w", err)
	}
	_, mine, err = tx.Acquire(bulkLease, e.cfg.Owner, clock, clock.Add(e.cfg.LeaseTerm))
	return mine, wrap(err, "take the lease of what is under way")
}

// bulkSlice writes some more of a backfill that is being applied, or makes it real. errMoved says that the rows have not what this engine wrote last.
func (e *Engine) bulkSlice(ctx context.Context, a *application, now time.Time) error {
	if a.written < a.total {
		written := 0
		err := e.cfg.Store.Write(ctx, func(tx Tx) error {
			mine, err := e.leaseBulk(tx)
			if err != nil || !mine {
				return errors.Join(err, errMoved)
			}
			if ok, err := tx.SetWritten(a.row.Key, a.written, a.written); err != nil || !ok {
				return errors.Join(err, errMoved) // another server has gone on, or somebody cancelled it
			}
			if err := a.draft.stands(tx); err != nil {
				return err
			}
			if written, err = a.slice(tx, a.written); err != nil {
				return err
			}
			ok, err := tx.SetWritten(a.row.Key, a.written, written)
			return errors.Join(err, unless(ok, errMoved))
		})
		var drift *DriftError
		if errors.As(err, &drift) {
			return errors.Join(e.withdrawDrifted(ctx, a.row.Key, drift, now), errMoved)
		}
		if err == nil {
			a.written = written
		}
		return wrap(err, "apply the backfill %s", a.row.Key)
	}
	err := e.cfg.Store.Write(ctx, func(tx Tx) error {
		now, err := e.viewTime(tx, now)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		b, err := tx.Backfill(a.row.Key)
		if err != nil || b.Stage != BackfillApplying || b.Written != a.total {
			return errors.Join(err, errMoved)
		}
		if err := a.draft.stands(tx); err != nil {
			return err
		}
		return e.makeReal(tx, &b, now.Truncate(time.Millisecond))
	})
	var drift *DriftError
	if errors.As(err, &drift) {
		return errors.Join(e.withdrawDrifted(ctx, a.row.Key, drift, now), errMoved)
	}
	if err == nil {
		e.bulk.drop(a.row.Key)
		e.inbox.nudge()
		if a.total > largePlan {
			debug.FreeOSMemory()
		}
	}
	return wrap(err, "apply the backfill %s", a.row.Key)
}

// resumeApplying finds out how a backfill that another process began, or this one before it lost the rows, goes on: as it was planned, or not at all.
func (e *Engine) resumeApplying(ctx context.Context, row *BackfillRow, now time.Time) error {
	order := row.Options.Order
	if order == nil {
		return e.withdrawDrifted(ctx, row.Key, &DriftError{[]string{"what it was to be made of is not recorded"}}, now)
	}
	var d *draft
	err := e.cfg.Store.Read(ctx, func(v View) (err error) {
		d, err = e.redraft(v, order.Request, order.At, row.Options.Fingerprint, nil)
		return err
	})
	var drift *DriftError
	switch {
	case errors.Is(err, errStale):
		return e.relearn(ctx)
	case errors.As(err, &drift):
		return e.withdrawDrifted(ctx, row.Key, &DriftError{[]string{"the server was interrupted while it applied the plan, and the plan is another by now"}}, now)
	case err != nil:
		return wrap(err, "plan the backfill %s again", row.Key)
	}
	a, err := newApplication(d)
	if err != nil {
		return wrap(err, "plan the backfill %s again", row.Key)
	}
	a.row, a.first, a.written = *row, order.First, row.Written
	e.bulk.keep(row.Key, a)
	return nil
}

// withdrawDrifted begins to take away what was written of a backfill that cannot be applied as it was planned.
func (e *Engine) withdrawDrifted(ctx context.Context, key string, drift *DriftError, now time.Time) error {
	return e.cfg.Store.Write(ctx, func(tx Tx) error {
		now, err := e.viewTime(tx, now)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		b, err := tx.Backfill(key)
		if err != nil || b.Stage != BackfillApplying {
			return err
		}
		return moveBackfill(tx, &b, BackfillWithdrawing, Reason{Code: ReasonLane, Detail: strings.Join(drift.Changes, "; ") + "; plan again"}, now.Truncate(time.Millisecond))
	})
}

// withdrawPage is how many instances are taken away between two looks at the time.
const withdrawPage = 64

// withdraw takes away some of what was written of a backfill, and ends it when that was all.
func (e *Engine) withdraw(ctx context.Context, key string, now time.Time) error {
	err := e.cfg.Store.Write(ctx, func(tx Tx) error {
		for first := true; first || !tx.Full(); first = false {
			n, err := tx.Withdraw(key, withdrawPage)
			switch {
			case err != nil:
				return err
			case n > 0:
				continue
			}
			now, err := e.viewTime(tx, now)
			if err != nil {
				return fmt.Errorf("read the clock: %w", err)
			}
			b, err := tx.Backfill(key)
			if err != nil || b.Stage != BackfillWithdrawing {
				return err
			}
			b.Options.Order, b.Options.Withdrawn = nil, true
			return moveBackfill(tx, &b, BackfillCancelled, b.Reason, now.Truncate(time.Millisecond))
		}
		return nil
	})
	return wrap(err, "withdraw the backfill %s", key)
}
