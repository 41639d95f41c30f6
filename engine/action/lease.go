package action

import (
	"sync"
	"time"
)

// DefaultMargin is how long before the end of its lease an attempt is asked to end: 10 s of the engine's 60.
const DefaultMargin = 10 * time.Second

// lastShare is the part of the margin that is left when an attempt that was asked to end is killed: 2 s of 10 s, for the kill to take effect.
const lastShare = 5

// longestNap bounds how long an alarm sleeps before it looks at the clock: the timers of the language stand still while the machine sleeps.
const longestNap = time.Second

// An instant is a time of the machine's own clock in nanoseconds; 0 is none. No setting of the date moves that clock, it goes on while the machine
// sleeps, and every process of the machine reads the same: an instant that waits in a socket for a process that is stopped means the same
// when it is read at last, which a duration would not.
type instant int64

// instantOf turns a date into an instant, by what the date is now.
func instantOf(t time.Time) instant {
	if t.IsZero() {
		return 0
	}
	return max(1, machineClock().plus(time.Until(t)))
}

func (i instant) plus(d time.Duration) instant { return i + instant(d) }

// left is how long it is until then; negative when it has passed.
func (i instant) left() time.Duration { return time.Duration(i - machineClock()) }

// A lease is how long an attempt may go on.
type lease struct {
	Until  instant // 0 is for ever
	Margin time.Duration
}

// trusted is when the attempt is asked to end, and past which it is not begun; 0 is never.
func (l lease) trusted() instant {
	if l.Until == 0 {
		return 0
	}
	return max(1, l.Until.plus(-l.Margin))
}

// last is when nothing of the attempt is spared any more; 0 is never.
func (l lease) last() instant {
	if l.Until == 0 {
		return 0
	}
	return max(1, l.Until.plus(-l.Margin/lastShare))
}

// over reports that the attempt must not begin any more.
func (l lease) over() bool { return l.Until != 0 && l.trusted().left() <= 0 }

// An alarm calls a function once, in a goroutine of its own, when an instant has come, which may be moved until then.
type alarm struct {
	ring func()

	mu    sync.Mutex
	at    instant // 0 is never
	timer *time.Timer
	over  bool // it rang or was stopped
}

func newAlarm(at instant, ring func()) *alarm {
	a := &alarm{ring: ring}
	a.move(at)
	return a
}

// move sets another time; 0 is never. An alarm that rang does not ring again.
func (a *alarm) move(at instant) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at = at
	switch {
	case a.over || at == 0:
	case a.timer == nil:
		a.timer = time.AfterFunc(a.nap(), a.look)
	default:
		a.timer.Reset(a.nap())
	}
}

func (a *alarm) nap() time.Duration { return min(max(0, a.at.left()), longestNap) }

func (a *alarm) look() {
	a.mu.Lock()
	if a.over || a.at == 0 {
		a.mu.Unlock()
		return
	}
	if a.at.left() > 0 {
		a.timer.Reset(a.nap())
		a.mu.Unlock()
		return
	}
	a.over = true
	a.mu.Unlock()
	a.ring()
}

// stop silences the alarm. It may be nil.
func (a *alarm) stop() {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
	if a.timer != nil {
		a.timer.Stop()
	}
}
