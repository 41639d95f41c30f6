package engine

import (
	"fmt"
	"sync/atomic"
	"time"
)

// stalledAfter is how long the loop may go without a turn that reached the rows; no sleep of it is half as long.
const stalledAfter = time.Minute

// health is what the loop lets other goroutines know of itself: no decision reads it.
type health struct {
	turned  atomic.Int64           // when the last turn that succeeded began, in milliseconds; 0 before the first
	trouble atomic.Pointer[string] // why the turns since then failed
	disk    atomic.Pointer[string] // why nothing starts
	jump    atomic.Pointer[clockJump]
	clock   atomic.Pointer[ClockHold] // why nothing is planned or started, as the history says it

	definitions atomic.Pointer[misdefinition] // nil: what stands in the folder is loaded
	recorded    atomic.Int32                  // what the last turn wrote down of it
}

// Health returns why the engine does not do its work at a time by its own clock: it has not begun, the rows cannot be reached, or no turn of its loop
// has ended for a minute. nil says that it does.
func (e *Engine) Health(now time.Time) error {
	turned := e.health.turned.Load()
	if turned == 0 {
		return fmt.Errorf("%w: what runs is being taken over", ErrUnavailable)
	}
	if trouble := e.health.trouble.Load(); trouble != nil {
		return fmt.Errorf("%w: %s", ErrUnavailable, *trouble)
	}
	if since := now.Sub(time.UnixMilli(turned)); since > stalledAfter {
		return fmt.Errorf("%w: the last turn of the loop was %s ago", ErrUnavailable, since.Round(time.Second))
	}
	return nil
}

// Held returns why nothing is started although the engine works, "" when things are.
func (e *Engine) Held() string {
	if hold := e.clockHold(); hold != nil {
		return hold.String()
	}
	return e.diskHeld()
}

// diskHeld returns why the disk lets nothing start, "" when it does.
func (e *Engine) diskHeld() string {
	if why := e.health.disk.Load(); why != nil {
		return *why
	}
	return ""
}

func (h *health) well(now time.Time) {
	h.turned.Store(now.UnixMilli())
	h.trouble.Store(nil)
}

func (h *health) ill(err error) {
	text := err.Error()
	h.trouble.Store(&text)
}
