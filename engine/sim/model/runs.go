package model

import (
	"cmp"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// closeRun keeps the run of the instance that is over and begins the next.
func (i *instance) closeRun(at time.Time) {
	over := engine.RunRow{Instance: i.ID, Number: i.Run, State: i.State, Reason: i.Reason, Fence: i.Fence, StartedAt: i.StartedAt, EndedAt: i.EndedAt}
	if over.EndedAt.IsZero() {
		over.EndedAt = utc(at)
	}
	i.runs = append(slices.Clip(i.runs), over)
	i.Run++
	i.StartedAt = time.Time{}
}

// ranAt reports whether a run of the instance had started by the time and had not ended before it.
func (i *instance) ranAt(at time.Time) bool {
	covers := func(started, ended time.Time) bool {
		return !started.IsZero() && started.UnixMilli() <= at.UnixMilli() && (ended.IsZero() || ended.UnixMilli() >= at.UnixMilli())
	}
	return covers(i.StartedAt, i.EndedAt) || slices.ContainsFunc(i.runs, func(r engine.RunRow) bool { return covers(r.StartedAt, r.EndedAt) })
}

func ownRuns(list []engine.RunRow) []engine.RunRow {
	var own []engine.RunRow
	for _, r := range list {
		r.Reason = ownReason(r.Reason)
		own = append(own, r)
	}
	return own
}

func (v *view) Runs(instance int64) ([]engine.RunRow, error) {
	i := v.s.instances[instance]
	if i == nil {
		return nil, v.broken
	}
	return ownRuns(i.runs), v.broken
}

func (v *view) RunsBetween(from, to time.Time, limit int) ([]engine.RunRow, error) {
	var of []*instance
	for _, i := range v.s.instances {
		if len(i.runs) > 0 && i.PlanTime.UnixMilli() >= from.UnixMilli() && i.PlanTime.UnixMilli() < to.UnixMilli() {
			of = append(of, i)
		}
	}
	slices.SortFunc(of, func(a, b *instance) int { return cmp.Or(a.PlanTime.Compare(b.PlanTime), cmp.Compare(a.ID, b.ID)) })
	var list []engine.RunRow
	for _, i := range of {
		for _, r := range i.runs {
			if !r.StartedAt.IsZero() && len(list) < limit {
				list = append(list, r)
			}
		}
	}
	return ownRuns(list), v.broken
}
