package store

import (
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// What a column costs to read is most of what a day of 100,000 instances does. What few values are told apart by is one column together.
const (
	// A number is made sooner than a text, which SQLite has to find room for: 10 bits of words and
	// flags, 18 of the offset, the rest of the run.
	outlineColumns = `SELECT id, job, plan_time, not_before, started_at, ended_at,
		CASE state WHEN 'succeeded' THEN 0 WHEN 'waiting' THEN 1 WHEN 'failed' THEN 2 WHEN 'running'
			THEN 3 WHEN 'cancelled' THEN 4 WHEN 'skipped' THEN 5 WHEN 'forced' THEN 6 ELSE 7 END
		+ CASE gate WHEN '' THEN 0 WHEN 'time' THEN 8 WHEN 'dependency' THEN 16 WHEN 'slot' THEN 24
			WHEN 'concurrency' THEN 32 WHEN 'confirm' THEN 40 WHEN 'frozen' THEN 48 ELSE 56 END
		+ CASE kind WHEN 'scheduled' THEN 0 WHEN 'backfill' THEN 64 ELSE 128 END
		+ dry_run * 256 + frozen * 512 + ((plan_offset + 131072) & 262143) * 1024 + run * 268435456,
		nullif(key, '') FROM instance `
	outlineSpan     = ` AND plan_time >= ? AND plan_time < ?` + real + ` ORDER BY plan_time, id LIMIT CAST(? AS INTEGER)`
	outlinesOpenSQL = outlineColumns + `WHERE ended_at IS NULL` + outlineSpan
	outlinesPastSQL = outlineColumns + `WHERE ended_at IS NOT NULL` + outlineSpan

	detachedSQL = `SELECT max(id) FROM event WHERE kind = 'detach' OR kind = 'rebind'`
)

// Outlines lists what a picture shows of the instances of a time.
func (v *view) Outlines(from, to time.Time, limit int) ([]engine.Instance, error) {
	first, end := bounds(from, to)
	kinds := map[int64]*outline{}
	read := func(text string) (list []engine.Instance, err error) {
		err = v.s.query(text, func(c *columns) error {
			i := engine.Instance{ID: c.int(), Job: c.int(), PlanTime: c.utc(), NotBefore: c.utc(), StartedAt: c.utc(), EndedAt: c.utc()}
			traits := c.int()
			o := kinds[traits]
			if o == nil {
				o = outlineOf(traits)
				kinds[traits] = o
			}
			i.Kind, i.Key, i.State, i.Gate = o.kind, c.text(), o.state, o.gate
			i.DryRun, i.Frozen, i.Run = o.dryRun, o.frozen, o.run
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
}

// The words of an outline, by the numbers that outlineColumns makes of them.
var (
	outlineStates = [8]engine.State{
		engine.Succeeded, engine.Waiting, engine.Failed, engine.Running, engine.Cancelled, engine.Skipped,
		engine.Forced, engine.Lost,
	}
	outlineGates = [8]engine.Gate{
		"", engine.GateTime, engine.GateDependency, engine.GateSlot, engine.GateConcurrency,
		engine.GateConfirm, engine.GateFrozen, engine.GateDisk,
	}
	outlineKinds = [4]engine.Kind{engine.Scheduled, engine.Backfill, engine.Manual, engine.Manual}
)

func outlineOf(traits int64) *outline {
	return &outline{
		state: outlineStates[traits&7], gate: outlineGates[traits>>3&7], kind: outlineKinds[traits>>6&3],
		dryRun: traits>>8&1 == 1, frozen: traits>>9&1 == 1,
		zone: zone(int(traits>>10&(1<<18-1)) - 1<<17), run: int(traits >> 28),
	}
}

// Detached tells when what an instance waits for was last changed.
func (v *view) Detached() (event int64, err error) {
	_, err = v.s.one(detachedSQL, func(c *columns) error {
		event = c.int()
		return nil
	})
	return event, err
}
