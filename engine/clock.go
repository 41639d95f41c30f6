package engine

import (
	"context"
	"fmt"
	"time"
)

// storeTime returns the time by which a turn decides: of the Store's clock when it is shared, so that servers whose clocks differ, or are set, plan and
// judge alike (`reliability.md` F5).
func (e *Engine) storeTime(ctx context.Context, local time.Time) (now time.Time, err error) {
	if !e.cfg.Shared {
		return local, nil
	}
	err = e.cfg.Store.Read(ctx, func(v View) error {
		now, err = e.viewTime(v, local)
		return err
	})
	return now, wrap(err, "read the clock")
}

// viewTime is storeTime within a transaction.
func (e *Engine) viewTime(v View, local time.Time) (time.Time, error) {
	if !e.cfg.Shared {
		return local, nil
	}
	return v.Clock()
}

// jumpNoticed is the smallest jump of the clock that is worth a line in the history; clocks are slewed by less all the time.
const jumpNoticed = 2 * time.Second

// noteClock compares the machine's clock with how much time has passed since the last turn, and records a jump. Forward, because the clock was set or
// the machine slept, needs nothing more: what became due is due, and misfire decides about it. Backward, nothing that happened happens again, for that
// is in rows; but what was to happen soon after the last turn must not wait until the old time comes round.
func (e *Engine) noteClock(now time.Time) {
	last := e.last
	e.last = now
	if last.IsZero() {
		return
	}
	wall := now.Round(0).Sub(last.Round(0))
	jump := wall - now.Sub(last) // by the monotonic clock, where there is one
	if wall < 0 && jump == 0 {
		jump = wall
	}
	if jump.Abs() < jumpNoticed {
		return
	}
	e.log.Warn("the clock of this machine jumped", "by", jump, "now", now)
	e.health.jump.Store(&clockJump{at: now, by: jump})
	e.staged.events = append(e.staged.events, EventRow{At: now, Kind: "clock-jump", Reason: Reason{
		Code: ReasonClock, At: &last, Detail: fmt.Sprintf("the clock jumped by %s", jump.Round(time.Millisecond)),
	}})
	if jump < 0 {
		e.renewAt, e.pruneAt, e.sure = time.Time{}, time.Time{}, false
		e.lookBack, e.back = !e.cfg.Closed, backPlace{}
		e.wakeBack, e.backWake = !e.cfg.Closed, backPlace{}
	}
}

// leaseFrom is the end of a lease that is taken now: rows keep milliseconds, and no lease may end earlier there than its owner thinks.
func (e *Engine) leaseFrom(clock time.Time) time.Time {
	return clock.Add(e.cfg.LeaseTerm + time.Millisecond - 1).Truncate(time.Millisecond)
}
