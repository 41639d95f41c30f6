package engine

import (
	"context"
	"time"
)

// Retention is how long ended instances are kept; not positive is for ever.
func (e *Engine) Retention() time.Duration { return e.cfg.Retention }

// Owner is the name of this server in leases and instances.
func (e *Engine) Owner() string { return e.cfg.Owner }

// countedDue bounds how many instances Keeping counts.
const countedDue = 100_000

// Keeping tells how far back the rows go, and how many ended instances retention removes by a time, at most 100,000.
func (e *Engine) Keeping(ctx context.Context, by time.Time) (k Kept, err error) {
	before := time.UnixMilli(-1 << 52) // nothing
	if e.cfg.Retention > 0 {
		before = by.Add(-e.cfg.Retention)
	}
	err = e.cfg.Store.Read(ctx, func(v View) error {
		k, err = v.Kept(before, countedDue)
		return err
	})
	return k, wrap(err, "look how far back the rows go")
}
