package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

const (
	upcomingSQL = `SELECT id, job, plan_time FROM instance INDEXED BY instance_list_open
		WHERE ended_at IS NULL AND plan_time >= ? AND state = 'waiting' AND frozen = 0 AND kind <> 'backfill' ORDER BY plan_time, id LIMIT CAST(? AS INTEGER)`
	togetherSQL = `SELECT count(*) FROM (SELECT 1 FROM instance INDEXED BY instance_list_open WHERE ended_at IS NULL AND plan_time = ?
		AND state = 'waiting' AND frozen = 0 AND kind <> 'backfill' LIMIT CAST(? AS INTEGER))`
)

// How much a look at what comes next may cost: of a job that is due each second, the rows that stand before those of other jobs; and what is counted.
const (
	upcomingScan    = 4000
	UpcomingCounted = 1000
)

// errEnough ends a look at rows.
var errEnough = errors.New("enough")

// Upcoming lists what is due at a time or later, the soonest first: of each job its first instance, of at most limit jobs. What is frozen does not start, and what
// is of a backfill starts when there is room: neither is listed. together is how many are due at the time of the first, at most UpcomingCounted.
func (db *DB) Upcoming(ctx context.Context, from time.Time, limit int) (list []engine.Instance, together int, err error) {
	err = db.read(ctx, func(v *view) error {
		list, together = nil, 0
		var ids []int64
		first := int64(0)
		seen := map[int64]bool{}
		if err := v.s.query(upcomingSQL, func(c *columns) error {
			id, job, at := c.int(), c.int(), c.int()
			if len(ids) == 0 {
				first = at
			}
			if !seen[job] {
				seen[job] = true
				ids = append(ids, id)
			}
			if len(ids) == limit {
				return errEnough
			}
			return nil
		}, from.UnixMilli(), upcomingScan); err != nil && !errors.Is(err, errEnough) {
			return err
		}
		for _, id := range ids {
			i, err := v.Instance(id)
			if err != nil {
				return err
			}
			list = append(list, i)
		}
		if len(list) == 0 {
			return nil
		}
		_, err := v.s.one(togetherSQL, func(c *columns) error {
			together = int(c.int())
			return nil
		}, first, UpcomingCounted)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list what is due next: %w", err)
	}
	return list, together, nil
}
