package model

import (
	"strconv"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// latest returns the last key of the group (job, key and frozen of g) with from ≤ at ≤ to.
func latest(set *ordered[groupKey], g groupKey, from, to int64) (groupKey, bool) {
	k, ok := set.before(groupKey{g.job, g.key, g.frozen, to + 1, least})
	return k, ok && k.job == g.job && k.key == g.key && k.frozen == g.frozen && k.at >= from
}

// earliest returns the first of them.
func earliest(set *ordered[groupKey], g groupKey, from, to int64) (groupKey, bool) {
	for k := range set.from(groupKey{g.job, g.key, g.frozen, from, least}) {
		return k, k.job == g.job && k.key == g.key && k.frozen == g.frozen && k.at <= to
	}
	return groupKey{}, false
}

func (s *state) upstreamInstance(id int64) *engine.UpstreamInstance {
	i := s.instances[id]
	return &engine.UpstreamInstance{ID: id, PlanTime: i.PlanTime, State: i.State, Frozen: i.Frozen}
}

func (v *view) Facts(w *engine.Wait) (engine.Facts, error) {
	if v.broken != nil {
		return engine.Facts{}, v.broken
	}
	f := engine.Facts{Removed: true}
	job := v.s.jobs[w.Upstream]
	if job != nil {
		f.Removed, f.Disabled = job.Removed, job.Disabled
	}
	if w.Count == 0 {
		f.Planned = true // there is nothing that could be missing
		return f, nil
	}
	from, to := w.First.UnixMilli(), w.Last.UnixMilli()
	f.Planned = job != nil && !job.PlannedTo.IsZero() && job.PlannedTo.UnixMilli() > to || w.Key != ""
	if from > to {
		if f.MayMiss(w) {
			f.Missing = w.Count
		}
		return f, nil
	}

	free := groupKey{job: w.Upstream, key: w.Key}
	frozen := groupKey{job: w.Upstream, key: w.Key, frozen: true}
	runnable, isRunnable := latest(v.s.open, free, from, to)
	var last groupKey
	blocked := false
	for _, in := range []struct {
		set *ordered[groupKey]
		g   groupKey
	}{{v.s.open, free}, {v.s.open, frozen}, {v.s.failed, free}} {
		if k, ok := latest(in.set, in.g, from, to); ok && (!blocked || k.at > last.at) {
			last, blocked = k, true
		}
	}
	if blocked {
		f.Unsatisfied = v.s.upstreamInstance(last.id)
	}
	if held, isHeld := latest(v.s.open, frozen, from, to); isHeld && !w.FrozenEnds() &&
		(!isRunnable || held.at > runnable.at) {
		runnable, isRunnable = held, true
	}
	if isRunnable && w.AnyEnd() {
		f.Open = v.s.upstreamInstance(runnable.id)
	}
	if w.OnFailed == engine.FailedCancel {
		a, isFrozen := earliest(v.s.open, frozen, from, to)
		b, isFailed := earliest(v.s.failed, free, from, to)
		switch {
		case isFrozen && (!isFailed || a.at < b.at):
			f.Failed = v.s.upstreamInstance(a.id)
		case isFailed:
			f.Failed = v.s.upstreamInstance(b.id)
		}
	}
	if n := wanted(w.Select); n > 0 {
		for k := range v.s.done.from(groupKey{w.Upstream, w.Key, false, from, least}) {
			if f.Satisfied == n || k.job != w.Upstream || k.key != w.Key || k.at > to {
				break
			}
			f.Satisfied++
		}
	}
	switch {
	case from == to && v.there(w, from, to) == 0:
		f.Missing = w.Count
	case from < to && f.MayMiss(w):
		f.Missing = max(0, w.Count-v.there(w, from, to))
	}
	return f, nil
}

// there counts the instances in the range of a wait.
func (v *view) there(w *engine.Wait, from, to int64) (n int) {
	for k := range v.s.places.from(place{w.Upstream, from, "", least}) {
		if k.job != w.Upstream || k.at > to {
			break
		}
		if k.key == w.Key {
			n++
		}
	}
	return n
}

// PlanTimes lists the plan times of the scheduled instances of a job.
func (v *view) PlanTimes(job int64, from, to time.Time) (times []time.Time, err error) {
	if v.broken != nil {
		return nil, v.broken
	}
	for k := range v.s.places.from(place{job, from.UnixMilli(), "", least}) {
		if k.job != job || k.at >= to.UnixMilli() {
			break
		}
		if k.key == "" {
			times = append(times, v.s.instances[k.id].PlanTime)
		}
	}
	return times, nil
}

// Counted counts what counts of a job before a time, less what does not from it on.
func (v *view) Counted(job int64, from, to, until time.Time) (n int, err error) {
	if v.broken != nil {
		return 0, v.broken
	}
	if gone := v.s.countedGone[job]; gone != nil {
		n = *gone
	}
	for k := range v.s.places.from(place{job, from.UnixMilli(), "", least}) {
		if k.job != job || k.at >= max(to.UnixMilli(), until.UnixMilli()) {
			break
		}
		if k.key != "" {
			continue
		}
		counts, before := v.s.instances[k.id].Counts(), k.at < to.UnixMilli()
		switch {
		case before && counts:
			n++
		case !before && !counts:
			n--
		}
	}
	return n, nil
}

// wanted is how many satisfied instances a wait asks for; 0 stands for all.
func wanted(selects string) int {
	if selects == "any" {
		return 1
	}
	if n, err := strconv.Atoi(selects); err == nil {
		return max(n, 0)
	}
	return 0
}
