package store

import (
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A day is of 86,400,000 ms by the clock of the instance's job. The rows are counted by triggers, see the migration 00023.
const (
	backfillDaysSQL    = `SELECT day, state, instances FROM backfill_day WHERE key = ? AND instances > 0` + realKey + ` ORDER BY day, state`
	ofBackfillSQL      = instanceColumns + `WHERE i.kind = 'backfill' AND i.key = ?` + isReal + ` ORDER BY i.id LIMIT CAST(? AS INTEGER)`
	ofBackfillStateSQL = instanceColumns + `WHERE` + inLane + isReal + ` ORDER BY i.id LIMIT CAST(? AS INTEGER)`
)

// BackfillDays counts the instances of a backfill by day and state, by day.
func (v *view) BackfillDays(key string) (days []engine.BackfillDay, err error) {
	last := int64(0)
	err = v.s.query(backfillDaysSQL, func(c *columns) error {
		at, state, n := c.int(), engine.State(c.text()), int(c.int())
		if len(days) == 0 || at != last {
			days = append(days, engine.BackfillDay{Day: time.UnixMilli(at).UTC(), States: map[engine.State]int{}})
			last = at
		}
		days[len(days)-1].States[state] = n
		return nil
	}, key)
	return days, err
}

// OfBackfill lists the instances of a backfill in a state by id.
func (v *view) OfBackfill(key string, state engine.State, limit int) ([]engine.Instance, error) {
	if state == "" {
		return v.instances(ofBackfillSQL, key, limit)
	}
	return v.instances(ofBackfillStateSQL, key, string(state), limit)
}
