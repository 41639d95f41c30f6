package model

import (
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

func (v *view) BackfillDays(key string) (days []engine.BackfillDay, _ error) {
	for k := range v.s.lane.from(laneKey{key: key}) {
		if k.key != key {
			break
		}
		i, ok := v.s.shown(k.id)
		if !ok {
			continue
		}
		day := midnight(i.PlanTime)
		n, found := slices.BinarySearchFunc(days, day, func(d engine.BackfillDay, day time.Time) int { return d.Day.Compare(day) })
		if !found {
			days = slices.Insert(days, n, engine.BackfillDay{Day: day, States: map[engine.State]int{}})
		}
		days[n].States[k.state]++
	}
	return days, v.broken
}

func (v *view) OfBackfill(key string, state engine.State, limit int) ([]engine.Instance, error) {
	var ids []int64
	for k := range v.s.lane.from(laneKey{key: key, state: state}) {
		if k.key != key || state != "" && k.state != state {
			break
		}
		ids = append(ids, k.id)
	}
	slices.Sort(ids)
	return v.list(slices.Values(ids), limit)
}

// midnight is the date that a time has in its own zone, as midnight UTC.
func midnight(t time.Time) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}
