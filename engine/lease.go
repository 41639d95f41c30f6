package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// serverLease is the name of the lease that says that a server lives. It guards what no instance's lease does: attempts of error actions.
func serverLease(owner string) string { return ServerLeases + owner }

// holdLease takes or renews the leases of this server and of what it runs, and returns the store's clock.
func (e *Engine) holdLease(tx Tx) (clock time.Time, err error) {
	if clock, err = tx.Clock(); err != nil {
		return clock, fmt.Errorf("read the clock: %w", err)
	}
	until := e.leaseFrom(clock)
	_, ok, err := tx.Acquire(serverLease(e.cfg.Owner), e.cfg.Owner, clock, until)
	if err == nil && !ok {
		err = errors.New("another process has it")
	}
	if err == nil {
		err = tx.Renew(e.cfg.Owner, until)
	}
	if err == nil {
		err = e.keepClock(tx)
	}
	if err != nil {
		return clock, fmt.Errorf("take the lease of %s: %w", e.cfg.Owner, err)
	}
	return clock, nil
}

// renew moves the leases. A Shared engine looks besides at what changed hands meanwhile: what others lost it takes over, what it lost to others it
// lets go of, and what a person cancelled by way of another server it cancels.
func (e *Engine) renew(ctx context.Context, now time.Time) error {
	var lost bool
	var cancels []cancelRequest
	var found *inheritance
	err := e.cfg.Store.Write(ctx, func(tx Tx) error {
		lost, cancels, found = false, nil, nil
		clock, err := e.holdLease(tx)
		if err != nil || !e.cfg.Shared {
			return err
		}
		if lost, cancels, err = e.inspect(tx); err != nil || lost {
			return err
		}
		found, err = e.inherit(tx, now, clock)
		return err
	})
	if err != nil {
		return fmt.Errorf("renew the lease: %w", err)
	}
	e.leased(now)
	if lost {
		e.forget()
		return e.rebuild(ctx, now)
	}
	if found != nil {
		e.takeUp(now, found)
	}
	for _, c := range cancels {
		e.inbox.cancel(c)
	}
	return nil
}

// leased remembers that the leases were moved. By this machine's clock they last at least their term from when it was read, before the store was asked.
func (e *Engine) leased(now time.Time) {
	e.renewAt = now.Add(e.cfg.LeaseTerm / 3)
	if e.cfg.Shared {
		e.trust = e.local.Add(e.cfg.LeaseTerm)
		e.cfg.Runner.Renew(slices.Sorted(maps.Keys(e.live)), e.trust)
	}
}

// inspect compares the working set with the rows.
func (e *Engine) inspect(tx Tx) (lost bool, cancels []cancelRequest, err error) {
	rows, err := tx.Running()
	if err != nil {
		return false, nil, fmt.Errorf("list what runs: %w", err)
	}
	mine := 0
	for i := range rows {
		row := &rows[i]
		r := e.runs[row.ID]
		if r == nil || row.State != Running || row.Fence != r.instance.Fence {
			continue
		}
		mine++
		if row.Cancel != nil && r.progress.cancel == nil {
			cancels = append(cancels, cancelRequest{row.ID, *row.Cancel})
		}
	}
	return mine < len(e.runs), cancels, nil
}
