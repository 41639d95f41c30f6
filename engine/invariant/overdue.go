package invariant

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// overdue is what nobody had looked at when the snapshot was taken, although it was due. What is woken is due at its own time, which may be long past: one
// snapshot cannot tell what a live server has woken a moment ago from what it forgets. So these rows, and no others, are looked at again.
type overdue struct {
	instances map[int64]engine.Instance
	outbox    map[int64]engine.OutboxRow
}

// lookAgain is how often what was overdue is looked at while Options.Patience lasts.
const lookAgain = 50 * time.Millisecond

// readOverdue lists what is due for longer than the grace (I7), and what is not delivered (I8).
func (c *check) readOverdue() error {
	o := overdue{instances: map[int64]engine.Instance{}, outbox: map[int64]engine.OutboxRow{}}
	before := c.o.Now.Add(-c.o.Grace)
	due, err := c.s.Due(before, c.o.Most)
	if err != nil {
		return fmt.Errorf("list what is due: %w", err)
	}
	c.looked("I7")
	for n := range due {
		if due[n].Gate != engine.GateSlot && due[n].Gate != engine.GateDisk {
			o.instances[due[n].ID] = due[n]
		}
	}
	live, err := c.s.Live()
	if err != nil {
		return fmt.Errorf("list live attempts: %w", err)
	}
	carried := map[int64]bool{}
	for n := range live {
		carried[live[n].Outbox] = true
	}
	outbox, err := c.s.OutboxDue(before, c.o.Most)
	if err != nil {
		return fmt.Errorf("list what is to be delivered: %w", err)
	}
	c.looked("I8")
	for n := range outbox {
		if !carried[outbox[n].ID] && (c.o.Slots == 0 || len(live) < c.o.Slots) {
			o.outbox[outbox[n].ID] = outbox[n]
		}
	}
	c.overdue = o
	return nil
}

// overdueStill looks at what was overdue in the snapshot until the server has come by, or Patience has passed: the rest is forgotten.
func (c *check) overdueStill(ctx context.Context) error {
	before := c.overdue
	for waited := time.Duration(0); len(before.instances)+len(before.outbox) > 0; waited += lookAgain {
		if err := c.snapshot(ctx, c.readOverdue); err != nil {
			return err
		}
		for id := range before.instances {
			if _, still := c.overdue.instances[id]; !still {
				delete(before.instances, id)
			}
		}
		for id := range before.outbox {
			if _, still := c.overdue.outbox[id]; !still {
				delete(before.outbox, id)
			}
		}
		if waited >= c.o.Patience {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookAgain):
		}
	}
	for _, id := range slices.Sorted(maps.Keys(before.instances)) {
		i := before.instances[id]
		c.found("I7", &i, "it has been due for longer than %s, and nobody has looked at it", c.o.Grace)
	}
	for _, id := range slices.Sorted(maps.Keys(before.outbox)) {
		row := before.outbox[id]
		c.report.Found++
		if len(c.report.Violations) < c.o.Most {
			c.report.Violations = append(c.report.Violations, Violation{Invariant: "I8", Instance: row.Instance, Words: fmt.Sprintf(
				"outbox row %d has been due for longer than %s, and nobody delivers it", id, c.o.Grace)})
		}
	}
	return nil
}
