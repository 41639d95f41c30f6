package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// What a column costs to read is most of what a day of 100,000 instances does. What few values are told apart by is one column together.
const (
	outlineColumns = `SELECT id, job, plan_time, not_before, started_at, ended_at,
		kind || ' ' || state || ' ' || gate || ' ' || plan_offset || ' ' || dry_run || ' ' || frozen || ' ' || run || ' ' || key FROM instance `
	outlineSpan     = ` AND plan_time >= ? AND plan_time < ?` + real + ` ORDER BY plan_time, id LIMIT CAST(? AS INTEGER)`
	outlinesOpenSQL = outlineColumns + `WHERE ended_at IS NULL` + outlineSpan
	outlinesPastSQL = outlineColumns + `WHERE ended_at IS NOT NULL` + outlineSpan

	detachedSQL = `SELECT max(id) FROM event WHERE kind = 'detach' OR kind = 'rebind'`
)

// Outlines lists what a picture shows of the instances of a time.
func (v *view) Outlines(from, to time.Time, limit int) ([]engine.Instance, error) {
	first, end := bounds(from, to)
	kinds := map[string]*outline{}
	read := func(text string) (list []engine.Instance, err error) {
		err = v.s.query(text, func(c *columns) error {
			i := engine.Instance{ID: c.int(), Job: c.int(), PlanTime: c.utc(), NotBefore: c.utc(), StartedAt: c.utc(), EndedAt: c.utc()}
			traits := c.text()
			o := kinds[traits]
			if o == nil {
				if o, err = outlineOf(traits); err != nil {
					return fmt.Errorf("instance %d: %w", i.ID, err)
				}
				kinds[traits] = o
			}
			i.Kind, i.Key, i.State, i.Gate, i.DryRun, i.Frozen = o.kind, o.key, o.state, o.gate, o.dryRun, o.frozen
			i.Run = o.run
			i.PlanTime, i.NotBefore = i.PlanTime.In(o.zone), i.NotBefore.In(o.zone)
			if len(list) == cap(list) {
				list = slices.Grow(list, max(64, len(list))) // a quarter more at a time, as append has it, is to copy a large list five times
			}
			list = append(list, i)
			return nil
		}, first, end, limit)
		return list, err
	}
	open, err := read(outlinesOpenSQL)
	if err != nil {
		return nil, err
	}
	past, err := read(outlinesPastSQL)
	if err != nil || len(open) == 0 {
		return past, err
	}
	if len(past) == 0 {
		return open, nil
	}
	both := append(past, open...)
	engine.SortByPlanTime(both)
	return both[:min(limit, len(both))], nil
}

// An outline is what many instances have in common.
type outline struct {
	kind           engine.Kind
	state          engine.State
	gate           engine.Gate
	zone           *time.Location
	dryRun, frozen bool
	run            int
	key            string
}

func outlineOf(traits string) (*outline, error) {
	part := strings.SplitN(traits, " ", 8)
	if len(part) < 8 {
		return nil, fmt.Errorf("%q is no outline", traits)
	}
	offset, err := strconv.Atoi(part[3])
	if err != nil {
		return nil, fmt.Errorf("read the offset in %q: %w", traits, err)
	}
	run, err := strconv.Atoi(part[6])
	if err != nil {
		return nil, fmt.Errorf("read the run in %q: %w", traits, err)
	}
	return &outline{engine.Kind(part[0]), engine.State(part[1]), engine.Gate(part[2]), zone(offset), part[4] != "0", part[5] != "0", run, part[7]}, nil
}

// Detached tells when what an instance waits for was last changed.
func (v *view) Detached() (event int64, err error) {
	_, err = v.s.one(detachedSQL, func(c *columns) error {
		event = c.int()
		return nil
	})
	return event, err
}
