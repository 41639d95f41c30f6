package model

import (
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

func (v *view) Outlines(from, to time.Time, limit int) ([]engine.Instance, error) {
	list, err := v.Between(0, from, to, limit)
	for n := range list {
		i := &list[n]
		list[n] = engine.Instance{
			ID: i.ID, Job: i.Job, Kind: i.Kind, Key: i.Key, PlanTime: i.PlanTime, NotBefore: i.NotBefore, State: i.State, Gate: i.Gate, DryRun: i.DryRun,
			Frozen: i.Frozen, Run: i.Run, StartedAt: i.StartedAt, EndedAt: i.EndedAt,
		}
	}
	return list, err
}

func (v *view) WaitsOf(instances []int64) (list []engine.Wait, err error) {
	for _, id := range slices.Sorted(slices.Values(instances)) {
		waits, err := v.Waits(id)
		if err != nil {
			return nil, err
		}
		list = append(list, waits...)
	}
	return list, nil
}

func (v *view) Detached() (int64, error) {
	h := &v.s.history
	for id := h.last(); id >= h.first; id-- {
		if kind := h.at(id).Kind; kind == "detach" || kind == "rebind" {
			return id, v.broken
		}
	}
	return 0, v.broken
}
