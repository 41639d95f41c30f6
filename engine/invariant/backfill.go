package invariant

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// lanes is what the check knows of the backfills that were there when it began.
type lanes struct {
	rows    map[string]*engine.BackfillRow
	times   map[laneJob][]time.Time // of the walk, ascending
	changed map[string]bool         // a person changed how it goes on, or had an instance run again
}

type laneJob struct {
	key string
	job int64
}

// backfillPage is how many backfills are read at once.
const backfillPage = 500

// readBackfills reads the backfills that there are.
func (c *check) readBackfills() error {
	c.lanes = lanes{rows: map[string]*engine.BackfillRow{}, times: map[laneJob][]time.Time{}, changed: map[string]bool{}}
	before := int64(0)
	for {
		page, err := c.s.Backfills(before, backfillPage)
		if err != nil {
			return fmt.Errorf("list the backfills: %w", err)
		}
		for n := range page {
			c.lanes.rows[page[n].Key] = &page[n]
			before = page[n].ID
		}
		if len(page) < backfillPage {
			return nil
		}
	}
}

// backfillEvent takes note of what a person did to a backfill.
func (c *check) backfillEvent(e *engine.EventRow) {
	key, what, _ := strings.Cut(e.Reason.Detail, " ")
	if strings.HasPrefix(what, "set") || strings.HasPrefix(what, "running") {
		c.lanes.changed[key] = true
	}
}

// inLane holds one instance of a backfill against it: it is in its plan (I1), by its version (I13), and will be looked at (I7).
func (c *check) inLane(f *facts) error {
	i := f.i
	if i.Kind != engine.Backfill {
		return nil
	}
	row := c.lanes.rows[i.Key]
	if row == nil { // younger than the check, or kept longer than its backfill
		late, err := c.s.Backfill(i.Key)
		if errors.Is(err, engine.ErrNotFound) {
			c.must(i.State.Ended() && c.pruned, "I1", i, "it is of the backfill %s, which does not exist", i.Key)
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the backfill %s: %w", i.Key, err)
		}
		row = &late
	}
	var part *engine.BackfillPart
	for n := range row.Options.Jobs {
		if row.Options.Jobs[n].Job == i.Job {
			part = &row.Options.Jobs[n]
		}
	}
	c.must(part != nil && !i.PlanTime.Before(row.From) && i.PlanTime.Before(row.To), "I1", i, "it is not in the plan of the backfill %s", i.Key)
	switch {
	case part == nil:
	case i.Touched && !f.whole:
		c.skipped("I13") // it may have been rerun, by another version
	case f.reruns() == 0:
		c.must(part.Version == i.Version, "I13", i, "its version is %d, and the backfill %s was planned by %d", i.Version, i.Key, part.Version)
	}
	at := laneJob{i.Key, i.Job}
	c.lanes.times[at] = append(c.lanes.times[at], i.PlanTime)
	if !i.State.Ended() {
		now, err := c.s.Backfill(i.Key)
		if err != nil && !errors.Is(err, engine.ErrNotFound) {
			return fmt.Errorf("read the backfill %s: %w", i.Key, err)
		}
		c.must(err == nil && now.Stage.Open(), "I7", i, "it is %s in the backfill %s, which is %s", i.State, i.Key, now.Stage)
	}
	return nil
}

// backfills holds what is a matter of a whole backfill: every instance of its plan is there once (I1), no more of it run than may (I5), and it has ended
// when they have (I7).
func (c *check) backfills() error {
	for key, row := range c.lanes.rows {
		states, err := c.s.BackfillStates(key)
		if err != nil {
			return fmt.Errorf("count the instances of %s: %w", key, err)
		}
		open := states[engine.Waiting] + states[engine.Running] + states[engine.Lost]
		now, err := c.s.Backfill(key)
		if errors.Is(err, engine.ErrNotFound) {
			continue // retention
		}
		if err != nil {
			return fmt.Errorf("read the backfill %s: %w", key, err)
		}
		if !now.Stage.Real() {
			if err := c.applying(&now); err != nil {
				return err
			}
			continue
		}
		if c.o.Settled || now.Stage.Open() {
			c.looked("I7")
		}
		if c.o.Settled && open == 0 && now.Stage.Open() {
			c.found("I7", nil, "the backfill %s is %s, and all of its instances have ended", key, now.Stage)
		}
		if most := now.Options.Parallel; most > 0 && !c.lanes.changed[key] && now.Stage.Open() {
			c.must(states[engine.Running] <= most, "I5", nil, "%d instances of the backfill %s run, and at most %d may", states[engine.Running], key, most)
		}
		if !c.o.Since.IsZero() {
			c.skipped("I1")
			continue
		}
		if now.Options.Withdrawn {
			n := 0
			for _, part := range row.Options.Jobs {
				n += len(c.lanes.times[laneJob{key, part.Job}])
			}
			c.must(n == 0, "I1", nil, "the backfill %s was withdrawn, and %d of its instances are there", key, n)
			continue
		}
		if !row.Stage.Real() {
			c.skipped("I1") // it became real while the check went on
			continue
		}
		for _, part := range row.Options.Jobs {
			times := c.lanes.times[laneJob{key, part.Job}]
			if len(times) < part.Instances && c.pruned {
				c.skipped("I1") // retention has removed some
				continue
			}
			c.must(len(times) == part.Instances, "I1", nil, "the backfill %s holds %d instances of %s, and its plan has %d", key, len(times), part.Ref, part.Instances)
			if len(times) == part.Instances {
				c.must(engine.TimesDigest(slices.Values(times)) == part.Times, "I1", nil, "the instances of %s in the backfill %s are not those of its plan", part.Ref, key)
			}
		}
	}
	return nil
}

// applying holds a backfill that is being applied, or withdrawn, against its rows: as many are written as it says (I8), and nothing has happened with any
// of them, because none is real yet (I9).
func (c *check) applying(row *engine.BackfillRow) error {
	if c.o.Settled {
		c.found("I8", nil, "the backfill %s is still %s", row.Key, row.Stage)
	}
	written, disturbed, err := c.s.Unreal(row.Key)
	if err != nil {
		return fmt.Errorf("count what is written of the backfill %s: %w", row.Key, err)
	}
	if again, err := c.s.Backfill(row.Key); err != nil || again.Written != row.Written || again.Stage != row.Stage {
		c.skipped("I8") // it has gone on meanwhile
		return err
	}
	c.must(written == row.Written, "I8", nil, "%d instances of the backfill %s are written, and it says %d", written, row.Key, row.Written)
	c.must(disturbed == 0, "I9", nil, "%d instances of the backfill %s, which is %s, are not as they were written", disturbed, row.Key, row.Stage)
	return nil
}
