package model

import (
	"fmt"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

var outboxStates = []engine.OutboxState{engine.OutboxPending, engine.OutboxDelivered, engine.OutboxFailed}

func (t *tx) PutOutbox(o engine.OutboxRow) error {
	if t.broken != nil {
		return t.broken
	}
	switch {
	case !slices.Contains(outboxStates, o.State) || o.Attempts < 0:
		return t.refuse(fmt.Errorf("outbox row %d: %w: state %q, %d attempts", o.ID, ErrConstraint, o.State, o.Attempts))
	case o.Instance != 0 && t.s.instances[o.Instance] == nil:
		return t.refuse(fmt.Errorf("outbox row %d: %w: there is no instance %d", o.ID, ErrConstraint, o.Instance))
	}
	o.NotBefore, o.CreatedAt, o.EndedAt = utc(o.NotBefore), utc(o.CreatedAt), instant(o.EndedAt)
	set(t, (*state).putOutbox, o.ID, &o)
	return nil
}

// outboxOf lists the outbox rows of an instance by id.
func (s *state) outboxOf(instance int64) (list []*engine.OutboxRow) {
	for k := range s.errands.from(belonging{instance, least}) {
		if k.to != instance {
			break
		}
		list = append(list, s.outbox[k.id])
	}
	return list
}

func (t *tx) Acquire(name, holder string, now, until time.Time) (epoch int64, ok bool, err error) {
	if t.broken != nil {
		return 0, false, t.broken
	}
	if holder == "" {
		return 0, false, t.refuse(fmt.Errorf("lease %q: %w: nobody cannot hold it", name, ErrConstraint))
	}
	row := engine.LeaseRow{Holder: holder, Epoch: 1, Until: utc(until)}
	if was := t.s.leases[name]; was != nil {
		row.Epoch = was.Epoch
		if was.Holder != holder {
			if was.Until.UnixMilli() > now.UnixMilli() {
				return was.Epoch, false, nil
			}
			row.Epoch++
		}
	}
	set(t, (*state).putLease, name, &row)
	return row.Epoch, true, nil
}
