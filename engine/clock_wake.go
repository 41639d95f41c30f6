package engine

import (
	"context"
	"fmt"
	"time"
)

// wakeLooked is how many instances that wait for a later look one turn looks through.
const wakeLooked = 2000

// wakeFuture lets be looked at what a clock that was ahead has put off until a time that has not
// come: what is held is looked at again a while after the last look, and all other looks go by plan
// times. Which of these belong there does not show: each is taken once, and who finds that it was
// right puts it off again. It says whether there is more.
func (e *Engine) wakeFuture(ctx context.Context, now time.Time) (more bool, err error) {
	place := e.backWake
	if due := now.Add(MisfireGrace); place.at.Before(due) {
		place = backPlace{due, 1 << 62}
	}
	var list []Waking
	err = e.cfg.Store.Read(ctx, func(v View) (err error) {
		list, err = v.WakingAfter(place.at, place.id, wakeLooked)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("list what is looked at later: %w", err)
	}
	var late []Waking
	for _, w := range list {
		place = backPlace{w.At, w.ID}
		if w.Gate == GateFrozen && w.At.After(latest(now, w.NotBefore).Add(MisfireGrace)) {
			late = append(late, w)
		}
	}
	for begun := 0; begun < len(late); {
		next := begun
		err := e.cfg.Store.Write(ctx, func(tx Tx) error {
			for next = begun; next < min(len(late), begun+backRows) && !tx.Full(); next++ {
				if err := tx.WakeSooner(late[next].ID, latest(now, late[next].NotBefore)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return false, fmt.Errorf("look again at what a clock that was ahead has put off: %w", err)
		}
		begun = next
	}
	e.backWake = place
	if len(list) < wakeLooked {
		e.backWake = backPlace{}
		return false, nil
	}
	return true, nil
}
