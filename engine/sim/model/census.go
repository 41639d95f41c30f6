package model

import (
	"slices"

	"github.com/almanac-sched/almanac/engine"
)

func (v *view) Census() (n engine.Census, err error) {
	n.States, n.Gates = map[engine.State]int{}, map[engine.Gate]int{}
	for _, i := range v.s.instances {
		if i.EndedAt.IsZero() {
			n.States[i.State]++
		}
		if i.State == engine.Waiting {
			n.Gates[i.Gate]++
		}
	}
	for k := range v.s.pending.all() {
		row := v.s.outbox[k.id]
		if n.Outbox == 0 || row.CreatedAt.Before(n.OutboxSince) {
			n.OutboxSince = row.CreatedAt
		}
		n.Outbox++
	}
	n.LastEvent = v.s.history.last()
	return n, v.broken
}

func (v *view) RangeOf(w *engine.Wait, limit int) (list []engine.Instance, err error) {
	for id, i := range v.s.instances {
		if w.Count > 0 && i.Job == w.Upstream && i.Key == w.Key && !i.PlanTime.Before(w.First) && !i.PlanTime.After(w.Last) {
			if shown, ok := v.s.shown(id); ok {
				list = append(list, shown)
			}
		}
	}
	slices.SortFunc(list, func(a, b engine.Instance) int { return b.PlanTime.Compare(a.PlanTime) })
	return list[:min(limit, len(list))], v.broken
}
