package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// A BackfillDay is what a backfill holds of one natural day.
type BackfillDay struct {
	Day    time.Time     // midnight UTC of the date that the plan times have in the zone of each job
	States map[State]int // instances by state; what is missing has none
}

// BackfillLookView reads the instances of a backfill as people look at them.
type BackfillLookView interface {
	// BackfillDays counts the instances of a backfill by day and state, by day. Its cost is that of the backfill's instances.
	BackfillDays(key string) ([]BackfillDay, error)
	// OfBackfill lists the instances of a backfill in a state ("" is any) by id, at most limit.
	OfBackfill(key string, state State, limit int) ([]Instance, error)
}

// BackfillDays counts the instances of a backfill by natural day and state; ErrNotFound when there is none of the key.
func (e *Engine) BackfillDays(ctx context.Context, key string) (days []BackfillDay, err error) {
	err = e.cfg.Store.Read(ctx, func(v View) error {
		if _, err := v.Backfill(key); err != nil {
			return err
		}
		days, err = v.BackfillDays(key)
		return err
	})
	return days, wrap(err, "count the days of the backfill %s", key)
}

// heldJobs leaves of the jobs those of which the backfills that are named hold anything, so that days of a backfill cost no more than these days.
func (x *selection) heldJobs() error {
	terms := x.s.of(false, "backfill")
	if len(terms) == 0 {
		return nil
	}
	held := map[int64]bool{}
	for _, key := range terms[0].words {
		row, err := x.v.Backfill(key)
		if err != nil {
			return fmt.Errorf("look for the backfill of %s: %w", terms[0].Text, err)
		}
		for _, part := range row.Options.Jobs {
			held[part.Job] = true
		}
	}
	for id := range x.jobs {
		if !held[id] {
			delete(x.jobs, id)
		}
	}
	return nil
}

// filledBetween lists the instances of the backfills that a term names, in the window of all jobs:
// job by job where they are few.
func (x *selection) filledBetween(keys []string, from, to time.Time) (list []Instance, err error) {
	jobs := []int64{0}
	if len(x.jobs) <= jobByJob {
		jobs = slices.Sorted(maps.Keys(x.jobs))
	}
	for _, key := range slices.Compact(slices.Sorted(slices.Values(keys))) {
		for _, job := range jobs {
			some, err := x.v.FilledBetween(key, job, from, to, mostLookedAt+1-len(list))
			if err != nil {
				return nil, fmt.Errorf("list the instances of the backfill %s: %w", key, err)
			}
			if list = append(list, some...); len(list) > mostLookedAt {
				return list, nil
			}
		}
	}
	return list, nil
}

// inBackfills lists the instances of the backfills that a term names, in the states that the other terms leave.
func (x *selection) inBackfills(keys []string, states []State) (list []Instance, err error) {
	if len(states) == 0 {
		states = []State{""}
	}
	for _, key := range slices.Compact(slices.Sorted(slices.Values(keys))) {
		for _, state := range states {
			some, err := x.v.OfBackfill(key, state, mostLookedAt+1-len(list))
			if err != nil {
				return nil, fmt.Errorf("list the instances of the backfill %s: %w", key, err)
			}
			if list = append(list, some...); len(list) > mostLookedAt {
				return list, nil
			}
		}
	}
	return list, nil
}
