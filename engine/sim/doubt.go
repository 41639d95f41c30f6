package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

const (
	farJump    = 61 * 24 * time.Hour
	clockLimit = time.Hour
	farAhead   = 30 * 24 * time.Hour // further than drift and small jumps take a clock
)

// now is the time that the server's process goes by.
func (s *server) now() time.Time {
	if s.believes == nil || s.w.shape.shared {
		return s.node.now()
	}
	return s.believes.Now()
}

// guard is the start of a process's clock: the mark is what the rows say.
func (s *server) guard() error {
	s.believes = nil
	if s.w.shape.shared {
		return nil
	}
	var mark engine.ClockMark
	err := s.w.rows.Read(context.Background(), func(v engine.View) (err error) {
		mark, err = engine.ReadClockMark(v)
		return err
	})
	if err != nil {
		return err
	}
	s.believes = engine.NewClockGuard(clockLimit, func() engine.ClockReading {
		return engine.ClockReading{Wall: s.node.now(), Boot: fmt.Sprint(s.name, ".", s.boot), Up: s.monotonic(), Synced: s.synced}
	})
	s.believes.Begin(mark)
	return nil
}

// doubt is what comes of a jump of the server's clock: now and then a person confirms the clock, right or wrong.
func (s *server) doubt() {
	w := s.w
	if w.shape.shared || !w.doubter.chance(0.3) {
		return
	}
	w.after(w.doubter.between(10*time.Second, 2*time.Hour), func() {
		if !w.chaos || !s.up || s.engine == nil || s.engine.ClockHeld() == nil {
			return
		}
		before := s.misled
		s.misled = true
		var err error
		w.command(s, "clock confirmed", func(ctx context.Context) error {
			_, err = s.engine.ConfirmClock(ctx, "operator", "")
			return err
		}, func() string { return "" })
		if err != nil && !errors.Is(err, engine.ErrUnavailable) {
			s.misled = before || s.markedAhead() // an I/O error does not say whether the word was kept
		}
	})
}

// markedAhead tells whether the rows hold a clock that is believed and far ahead.
func (s *server) markedAhead() bool {
	var mark engine.ClockMark
	err := s.w.rows.Read(context.Background(), func(v engine.View) (err error) {
		mark, err = engine.ReadClockMark(v)
		return err
	})
	return err == nil && mark.At.Sub(s.w.epoch.Add(s.w.t)) > farAhead
}

// checkClock demands that nothing is decided by a clock that is far ahead unless somebody has vouched for it, and nothing while it is in doubt.
func (b *booking) checkClock(o *op) {
	s, t := b.s, o.change
	if b.w.shape.shared || s.misled {
		return
	}
	if ahead := t.At.Sub(b.w.epoch.Add(b.w.t)); ahead > farAhead {
		b.w.broken("clock", "instance %d took %q at %s, which is %s ahead of the time, and nobody has confirmed the clock of %s", o.id, t.Event, t.At, ahead, s.name)
	}
	if t.Event == engine.Start && s.up && s.engine != nil && s.engine.ClockHeld() != nil {
		b.w.broken("clock", "instance %d was started while the clock of %s was in doubt", o.id, s.name)
	}
}
