package model

import (
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// Range lists the instances that the question asks for.
func (v *view) Range(q engine.RangeQuery) ([]engine.Instance, error) {
	if v.broken != nil {
		return nil, v.broken
	}
	var list []engine.Instance
	for k := range v.s.places.from(place{job: q.Job, at: q.From.UnixMilli()}) {
		if k.job != q.Job || k.at > q.To.UnixMilli() {
			break
		}
		i, ok := v.s.shown(k.id)
		if !ok || k.key != q.Key || q.Unsatisfied && i.State.Satisfies() {
			continue
		}
		list = append(list, i)
		if !q.Latest && len(list) == q.Limit {
			break
		}
	}
	if q.Latest {
		slices.Reverse(list)
	}
	return list[:min(len(list), q.Limit)], nil
}

// RangeCount counts them, up to the limit of the question.
func (v *view) RangeCount(q engine.RangeQuery) (int, error) {
	list, err := v.Range(q)
	return len(list), err
}

// Waiters lists who waits for an instance of the upstream job and key at a plan time.
func (v *view) Waiters(upstream int64, key string, planTime time.Time, ahead time.Duration, limit int) ([]engine.Instance, error) {
	if v.broken != nil {
		return nil, v.broken
	}
	var list []engine.Instance
	at := planTime.UnixMilli()
	for k := range v.s.places.all() {
		reach := v.s.reaches[pair{upstream, k.job}]
		if reach == nil || k.at < at-ahead.Milliseconds() || k.at > at+*reach {
			continue
		}
		waits := slices.ContainsFunc(v.s.waits[k.id], func(w engine.Wait) bool {
			return w.Upstream == upstream && w.Key == key && w.Count > 0 && w.First.UnixMilli() <= at && at <= w.Last.UnixMilli()
		})
		if i, ok := v.s.shown(k.id); ok && waits && len(list) < limit {
			list = append(list, i)
		}
	}
	return list, nil
}

// Ahead counts the instances in the queue of the same pool whose turn is before that of i.
func (v *view) Ahead(i *engine.Instance, limit int) (n int, err error) {
	if v.broken != nil {
		return 0, v.broken
	}
	mine := turn{pool: i.Pool, priority: i.Priority, at: i.PlanTime.UnixMilli(), id: i.ID}
	for k := range v.s.queue.from(turn{pool: i.Pool, priority: 10, at: least}) {
		if k.pool != i.Pool || n == limit || compareTurns(k, mine) >= 0 {
			break
		}
		n++
	}
	return n, nil
}

// StartedBy lists the instances of the job that had started by the time and had not ended before it.
func (v *view) StartedBy(job int64, at time.Time) ([]engine.Instance, error) {
	if v.broken != nil {
		return nil, v.broken
	}
	var list []engine.Instance
	for k := range v.s.places.from(place{job: job, at: least}) {
		if k.job != job {
			break
		}
		i, ok := v.s.shown(k.id)
		if ok && v.s.instances[k.id].ranAt(at) {
			list = append(list, i)
		}
	}
	slices.SortFunc(list, func(a, b engine.Instance) int { return int(a.ID - b.ID) })
	return list, nil
}

// ActiveCounts counts the running instances by job.
func (v *view) ActiveCounts() (map[int64]int, error) {
	counts := map[int64]int{}
	for k := range v.s.active.all() {
		counts[k.job]++
	}
	return counts, v.broken
}
