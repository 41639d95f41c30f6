package invariant

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// history reads all events in their order: how many ran at once (I5), and whether what they speak of is still there (I14).
func (c *check) history(ctx context.Context) error {
	runs := map[int64]*running{}
	after, err := c.historyFrom(ctx)
	if err != nil {
		return err
	}
	gap := false
	for after < c.last {
		err := c.page(ctx, func() error {
			ids, events, err := c.s.HistoryAfter(after, 2*c.o.Page)
			if err != nil {
				return fmt.Errorf("read the history: %w", err)
			}
			if len(ids) == 0 {
				after = c.last
				return nil
			}
			gap = gap || after > 0 && ids[0] > after+1 // retention overtook the check
			for n := range events {
				if after = ids[n]; after > c.last {
					return nil
				}
				c.report.Events++
				if err := c.event(runs, ids[n], &events[n]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if gap {
		c.skipped("I5")
		return nil
	}
	return c.page(ctx, func() error { return c.concurrency(runs) })
}

// historyFrom is the event behind which the history is read: with Since the last one before it, found by halving, as ids grow with time.
func (c *check) historyFrom(ctx context.Context) (after int64, err error) {
	if c.o.Since.IsZero() {
		return 0, nil
	}
	low, high := int64(0), c.last
	for low < high {
		middle := low + (high-low)/2
		err := c.page(ctx, func() error {
			ids, events, err := c.s.HistoryAfter(middle, 1)
			if err != nil {
				return fmt.Errorf("look for the history from %s on: %w", c.o.Since.Format(form), err)
			}
			if len(ids) == 0 || !events[0].At.Before(c.o.Since) {
				high = middle
			} else {
				low = ids[0]
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return low, nil
}

// running follows how many instances of a job run: relative to the beginning of the history, which may not be the beginning of the job.
type running struct {
	now, most int
	at        int64 // the event after which there were most
	instance  int64
}

func (c *check) event(runs map[int64]*running, id int64, e *engine.EventRow) error {
	if e.From == e.To || e.Instance == 0 {
		return nil
	}
	r := runs[e.Job]
	if r == nil {
		r = &running{}
		runs[e.Job] = r
	}
	if e.From == engine.Running {
		r.now--
	}
	if e.To != engine.Running {
		return nil
	}
	if r.now++; r.now > r.most {
		r.most, r.at, r.instance = r.now, id, e.Instance
	}
	// A start is of an instance that is there, or that ended and was removed.
	if _, err := c.s.Instance(e.Instance); !errors.Is(err, engine.ErrNotFound) {
		if err != nil {
			return fmt.Errorf("read instance %d: %w", e.Instance, err)
		}
		c.looked("I14")
		return nil
	}
	list, err := c.pastOf(e.Instance)
	if err != nil {
		return err
	}
	c.looked("I14")
	if len(list) == 0 || !list[len(list)-1].to.Ended() {
		c.report.Found++
		if len(c.report.Violations) < c.o.Most {
			c.report.Violations = append(c.report.Violations, Violation{Invariant: "I14", Instance: e.Instance, Words: fmt.Sprintf(
				"it was started by event %d and is gone, and the history knows of no end", id)})
		}
	}
	return nil
}

// concurrency holds the most that ran at once against what any version of the job allowed.
func (c *check) concurrency(runs map[int64]*running) error {
	for _, id := range c.order {
		r, j := runs[id], c.jobs[id]
		if r == nil {
			continue
		}
		allowed, known := 0, true
		for n := range j.versions {
			job := c.versions[j.versions[n].ID]
			if job == nil {
				known = false
				continue
			}
			allowed = max(allowed, job.Concurrency)
		}
		if !known {
			c.skipped("I5")
			continue
		}
		c.looked("I5")
		if most := j.running - r.now + r.most; most > allowed {
			c.foundJob("I5", j, "%d instances ran at once after event %d (instance %d), and the job allows %d", most, r.at, r.instance, allowed)
		}
	}
	return nil
}

// limits holds I5 for this moment: a slot is a live attempt.
func (c *check) limits() error {
	live, err := c.s.Live()
	if err != nil {
		return fmt.Errorf("list live attempts: %w", err)
	}
	pools, sizes := map[string]int{}, map[string]int{}
	for n := range live {
		if live[n].Pool != "" {
			pools[live[n].Pool]++
		}
	}
	for _, job := range c.versions {
		if job.Pool != "" {
			sizes[job.Pool] = max(sizes[job.Pool], job.Slots)
		}
	}
	for pool, n := range pools {
		if sizes[pool] > 0 {
			c.must(n <= sizes[pool], "I5", nil, "%d attempts live in the pool %s of %d slots", n, pool, sizes[pool])
		}
	}
	if c.o.Slots > 0 {
		c.must(len(live) <= c.o.Slots, "I5", nil, "%d attempts live, and there are %d slots", len(live), c.o.Slots)
	}
	return nil
}

// settled holds what must be so once a healthy server has had its time: nothing is overdue (I7), undelivered (I8), unplanned (I1) or
// without a lease (I3).
func (c *check) settled() error {
	if !c.o.Settled || c.o.Now.IsZero() {
		return nil
	}
	before := c.o.Now.Add(-c.o.Grace)
	if err := c.readOverdue(); err != nil {
		return err
	}
	running, err := c.s.Running()
	if err != nil {
		return fmt.Errorf("list what runs: %w", err)
	}
	for n := range running {
		if i := &running[n]; i.State == engine.Running {
			c.must(!i.Lease.Before(before), "I3", i, "its lease ended at %s, and nobody took it over", i.Lease.Format(form))
		}
	}
	for _, id := range c.order {
		j := c.jobs[id]
		job := c.versions[j.row.Version]
		if job == nil || job.When.Manual || job.Disabled || j.row.Disabled || j.row.Removed {
			continue
		}
		c.looked("I1")
		if far := c.o.Now.Add(c.o.PlanAhead + 76*time.Hour + c.o.Grace); j.row.PlannedTo.After(far) { // days are planned whole, in each zone
			c.foundJob("I1", j, "its plan is written up to %s, further than it should be by now", j.row.PlannedTo.Format(form))
		}
		if !j.row.PlannedTo.IsZero() && j.row.PlannedTo.Before(before) {
			c.foundJob("I1", j, "its plan is written up to %s only", j.row.PlannedTo.Format(form))
		}
	}
	return nil
}
