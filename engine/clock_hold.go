package engine

import (
	"context"
	"fmt"
	"time"
)

// heldLook is how often a clock that is not believed is looked at again: nobody tells the loop that a time server has been reached.
const heldLook = 5 * time.Second

// clockHold returns why the clock is not believed; nil when it is, or when nobody guards it.
func (e *Engine) clockHold() *ClockHold {
	if e.cfg.Guard == nil || e.cfg.Shared || e.cfg.Closed {
		return nil
	}
	return e.cfg.Guard.Held()
}

// ClockHeld returns why the clock is not believed; nil when it is.
func (e *Engine) ClockHeld() *ClockHold { return e.clockHold() }

// keepClock writes down that the clock is believed, beside the lease.
func (e *Engine) keepClock(tx Tx) error {
	if e.cfg.Guard == nil || e.cfg.Shared || e.cfg.Closed {
		return nil
	}
	m, believed := e.cfg.Guard.Mark()
	if !believed {
		return nil
	}
	return putClockMark(tx, m)
}

// recordClock writes down that planning and starting stop because of the clock, or go on, and tells the sinks that are told of everything else.
func (t *turn) recordClock() error {
	before := t.health.clock.Load()
	if (before == nil) == (t.held == nil) {
		return nil
	}
	event := EventRow{At: t.now, Kind: "clock-believed", Reason: Reason{Code: ReasonClock, Detail: "the clock is believed again: planning and starting go on"}}
	m := AlertMessage{Class: ClassRecovery, Title: "the clock is believed again", Text: event.Reason.Detail, At: t.now}
	if t.held != nil {
		event.Kind, event.Reason.Detail = "clock-held", t.held.String()
		m = AlertMessage{Class: ClassFailure, Title: "the clock is not believed", Text: event.Reason.Detail, At: t.now}
	}
	if err := t.tx.Record(event); err != nil {
		return fmt.Errorf("record that the clock is not believed, or is again: %w", err)
	}
	return t.tellDefault(causeClock, m)
}

// tellDefault writes a message that is of no job for the sinks that are told of everything else. A sink that has heard of the cause already, by the
// server before this one, is told no second time; that it is over only who has heard of it.
func (t *turn) tellDefault(cause string, m AlertMessage) error {
	if t.cfg.Alerts == nil {
		return nil
	}
	for _, n := range t.cfg.Alerts.Default {
		if !n.takes(m.Class) {
			continue
		}
		begun, err := t.tx.LastTold(n.Sink, cause, ClassFailure)
		if err != nil {
			return fmt.Errorf("look up what %s was told of the %s: %w", n.Sink, cause, err)
		}
		over, err := t.tx.LastTold(n.Sink, cause, ClassRecovery)
		if err != nil {
			return fmt.Errorf("look up what %s was told of the %s: %w", n.Sink, cause, err)
		}
		if knows := begun.After(over); knows == (m.Class == ClassFailure) && n.takes(ClassRecovery) {
			continue
		}
		id, err := t.ids.take(t.tx)
		if err != nil {
			return err
		}
		row := DeliveryRow{ID: id, Cause: cause, Sink: n.Sink, Class: m.Class, NotBefore: m.At, State: OutboxPending, CreatedAt: m.At}
		if err := putMessage(t.tx, row, m); err != nil {
			return fmt.Errorf("tell %s of the %s: %w", n.Sink, cause, err)
		}
	}
	return nil
}

// waitForClock ends a turn that plans and starts nothing.
func (t *turn) waitForClock() error {
	if err := t.finish(false); err != nil {
		return err
	}
	t.next, t.idle = t.now.Add(heldLook), false
	return nil
}

// errClock refuses what would plan by a time that is not believed.
func (e *Engine) errClock() error {
	if hold := e.clockHold(); hold != nil {
		return fmt.Errorf("%w: %s", ErrConflict, hold)
	}
	return nil
}

// ConfirmClock believes the machine's clock because a person says so, with a line in the history. An error of kind ErrConflict says that it is believed
// already.
func (e *Engine) ConfirmClock(ctx context.Context, actor, note string) (time.Time, error) {
	hold := e.clockHold()
	if hold == nil {
		return time.Time{}, fmt.Errorf("confirm the clock: %w: it is believed already", ErrConflict)
	}
	r := e.cfg.Guard.reading()
	at := r.Wall.Round(0)
	detail := fmt.Sprintf("the clock is right: it says %s, and the server went by %s", at.UTC().Format(time.RFC3339), hold.Trusted.UTC().Format(time.RFC3339))
	if note != "" {
		detail += ": " + note
	}
	err := e.cfg.Store.Write(ctx, func(tx Tx) error {
		if err := putClockMark(tx, ClockMark{At: at, Boot: r.Boot, Up: r.Up}); err != nil {
			return err
		}
		return tx.Record(EventRow{At: at, Kind: "clock-confirm", Actor: actor, Reason: Reason{Code: ReasonPerson, Actor: actor, Detail: detail}})
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("confirm the clock: %w", err)
	}
	e.cfg.Guard.confirm()
	e.log.Warn("a person has confirmed the clock", "actor", actor, "now", at)
	e.inbox.nudge()
	return at, nil
}
