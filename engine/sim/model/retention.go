package model

import (
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/fault"
)

// The bounds of one call of Prune: so many looks at as many candidates as are still asked for, and so many events for each instance that may go.
const (
	pruneLooks  = 20
	pruneEvents = 8
)

func (t *tx) Prune(before time.Time, limit int) (instances int, attempts []int64, err error) {
	if t.broken != nil {
		return 0, nil, t.broken
	}
	for _, b := range t.s.backfills {
		if !b.Stage.Real() {
			return 0, nil, nil
		}
	}
	after, kept := moment{least, least}, t.s.lookedBack()
	for look := 0; look < pruneLooks && instances < limit; look++ {
		var candidates []int64
		for k := range t.s.ended.from(moment{after.at, after.id + 1}) {
			if k.at >= before.UnixMilli() || len(candidates) == limit-instances {
				break
			}
			if t.s.instances[k.id].PlanTime.UnixMilli() >= before.UnixMilli() {
				continue // skipped ahead of its time: the planner must find it
			}
			if !t.s.owes(k.id) && (!kept(t.s.instances[k.id]) || fault.Planted(fault.RetentionNeeded)) {
				candidates = append(candidates, k.id)
				after = k
			}
		}
		if len(candidates) == 0 {
			break
		}
		needed := t.s.needed(candidates)
		for _, id := range candidates {
			if !needed[id] || fault.Planted(fault.RetentionNeeded) {
				attempts = append(attempts, t.remove(id)...)
				instances++
			}
		}
	}
	if instances > 0 {
		set(t, (*state).putCounter, counterPruned, t.s.counters[counterPruned]+1)
	}
	for name, l := range t.s.leases {
		if l.Until.UnixMilli() < before.UnixMilli() {
			set(t, (*state).putLease, name, nil)
		}
	}
	t.pruneBackfills(before)
	t.pruneOperations(before)
	t.pruneHistory(before, pruneEvents*limit)
	return instances, attempts, nil
}

// lookedBack returns what says whether an instance that is not planned yet may wait for an ended one: it will have a plan time from the watermark
// of its job on, and looks no further back than those before it.
func (s *state) lookedBack() func(i *instance) bool {
	since := map[int64]int64{} // by upstream job
	for of, reach := range s.reaches {
		job := s.jobs[of.job]
		if job == nil || job.Removed || job.Disabled || job.PlannedTo.IsZero() {
			continue
		}
		from := job.PlannedTo.UnixMilli() - *reach
		if known, ok := since[of.upstream]; !ok || from < known {
			since[of.upstream] = from
		}
	}
	return func(i *instance) bool {
		from, ok := since[i.Job]
		return ok && i.PlanTime.UnixMilli() >= from
	}
}

// owes reports whether an outbox row of the instance is yet to be delivered.
func (s *state) owes(instance int64) bool {
	return slices.ContainsFunc(s.outboxOf(instance), func(o *engine.OutboxRow) bool { return o.State == engine.OutboxPending })
}

// needed finds which of the ended instances an open one waits for.
func (s *state) needed(candidates []int64) map[int64]bool {
	type upstream struct {
		job int64
		key string
	}
	by := map[upstream][]*instance{}
	for _, id := range candidates {
		i := s.instances[id]
		by[upstream{i.Job, i.Key}] = append(by[upstream{i.Job, i.Key}], i)
	}
	needed := map[int64]bool{}
	for k := range s.needs.all() {
		for n := range s.waits[k.instance] {
			w := &s.waits[k.instance][n]
			if w.N != k.n || w.Count == 0 {
				continue
			}
			for _, i := range by[upstream{w.Upstream, w.Key}] {
				if at := i.PlanTime.UnixMilli(); w.First.UnixMilli() <= at && at <= w.Last.UnixMilli() {
					needed[i.ID] = true
				}
			}
		}
	}
	return needed
}

// remove takes an instance out, with what belongs to it, and returns the ids of its attempts.
func (t *tx) remove(id int64) (attempts []int64) {
	i := t.s.instances[id]
	if job := t.s.jobs[i.Job]; i.Key == "" && i.Counts() && job != nil && !i.PlanTime.Before(job.CreatedAt) {
		n := 1
		if gone := t.s.countedGone[i.Job]; gone != nil {
			n += *gone
		}
		set(t, (*state).putCountedGone, i.Job, &n)
	}
	if len(t.s.steps[id]) > 0 {
		set(t, (*state).putSteps, id, nil)
	}
	for _, o := range t.s.outboxOf(id) {
		set(t, (*state).putOutbox, o.ID, nil)
	}
	for _, a := range t.s.attemptsOf(id) {
		set(t, (*state).putAttempt, a.ID, nil)
		attempts = append(attempts, a.ID)
	}
	t.drop(id)
	return attempts
}

// pruneHistory removes events from the beginning up to the first that is not older than the time, and none of this transaction.
func (t *tx) pruneHistory(before time.Time, limit int) {
	h := &t.s.history
	first := h.first
	for n := 0; n != limit && first <= t.recorded && h.at(first).At.UnixMilli() < before.UnixMilli(); n++ {
		first++
	}
	if first != h.first {
		set(t, (*state).putFirst, struct{}{}, first)
	}
}
