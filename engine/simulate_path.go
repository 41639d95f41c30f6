package engine

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"time"
)

// A PathStep is an instance on a critical path: what had to end before the next could begin.
type PathStep struct {
	Instance Instance
	Via      Gate          // what held it until the step before had ended: dependency or concurrency; "" for the first, which only waited for its time
	Ready    time.Time     // when nothing but a slot was missing
	Queued   time.Duration // from then to its start
}

// CriticalPath returns the chain of instances that made one start when it did, from the first, which only waited for its time, to itself: bringing forward
// any other changes nothing. An instance that never started has none.
func (f *Foresight) CriticalPath(x *Foreseen) []PathStep {
	var path []PathStep
	seen := map[*playRow]bool{}
	for row := x.scheduled; row != nil && !row.StartedAt.IsZero() && !seen[row]; {
		seen[row] = true
		step := PathStep{Instance: row.Instance, Ready: row.NotBefore}
		before, via, at := f.rows.released(row)
		if before != nil {
			step.Via, step.Ready = via, at
		}
		step.Queued = row.StartedAt.Sub(step.Ready)
		path = append(path, step)
		row = before
	}
	slices.Reverse(path)
	return path
}

// released finds what an instance waited for last: the upstream instance, or the one of its own job, whose end let it pass.
func (r *playRows) released(row *playRow) (before *playRow, via Gate, at time.Time) {
	after := row.StartedAt.UnixMilli()
	for n := row.last; n >= 0; n = r.spells[n].before {
		s := &r.spells[n]
		gate := Gates[s.gate]
		if (gate == GateDependency || gate == GateConcurrency) && after > s.at {
			at = time.UnixMilli(after).In(row.PlanTime.Location())
			if gate == GateDependency {
				return r.upstreamBy(row, after), gate, at
			}
			return r.jobs[row.Job-1].endedBy(row.Key, after), gate, at
		}
		after = s.at
	}
	return nil, "", time.Time{}
}

// upstreamBy returns the upstream instance that ended last by a time.
func (r *playRows) upstreamBy(row *playRow, by int64) (last *playRow) {
	waits, _ := r.Waits(row.ID) // never fails
	for n := range waits {
		if w := &waits[n]; w.Count > 0 {
			rows := r.jobs[w.Upstream-1].within(w.Key, w.First.UnixMilli(), w.Last.UnixMilli())
			r.looked += len(rows)
			u := latestEnd(rows, by)
			if u != nil && (last == nil || compareEnds(u, last) > 0) {
				last = u
			}
		}
	}
	return last
}

func latestEnd(rows []*playRow, by int64) (last *playRow) {
	for _, u := range rows {
		if !u.EndedAt.IsZero() && u.EndedAt.UnixMilli() <= by && (last == nil || compareEnds(u, last) > 0) {
			last = u
		}
	}
	return last
}

// endedBy is latestEnd of all instances of the job. It asks for what is sorted once, when the day is over: nothing ends any more.
func (j *playJob) endedBy(key string, by int64) *playRow {
	class := 0
	if key != "" {
		class = 1
	}
	if j.ended[class] == nil {
		ended := slices.DeleteFunc(slices.Clone(j.of(key)), func(u *playRow) bool { return u.EndedAt.IsZero() })
		slices.SortFunc(ended, compareEnds)
		j.ended[class] = ended
	}
	ended := j.ended[class]
	if n := sort.Search(len(ended), func(n int) bool { return ended[n].EndedAt.UnixMilli() > by }); n > 0 {
		return ended[n-1]
	}
	return nil
}

// Before returns, for each of the instances, which other is before it on its critical path, by its place in the list; -1 when it only waited for its
// time or never started. So every critical path is known at once. It looks at so many instances at most, about: whole is false when that was not enough,
// and those at the end of the list then have -1 too.
func (f *Foresight) Before(most int) (before []int, whole bool) {
	before = make([]int, len(f.Instances))
	f.rows.looked = 0
	for i := range f.Instances {
		before[i] = -1
		row := f.Instances[i].scheduled
		if row.StartedAt.IsZero() || f.rows.looked >= most {
			continue
		}
		if up, _, _ := f.rows.released(row); up != nil {
			if place, listed := f.index[up]; listed {
				before[i] = place
			}
		}
	}
	return before, f.rows.looked < most
}

func compareEnds(a, b *playRow) int {
	return cmp.Or(a.EndedAt.Compare(b.EndedAt), cmp.Compare(a.ID, b.ID))
}

// Usage is how the slots, or the places of a pool, were taken over time.
type Usage struct {
	Pool    string // "" is the slots
	Size    int
	Width   time.Duration // of a bucket
	Peak    int           // attempts at once, at most
	Full    time.Duration // how long all were taken
	Buckets []UsageBucket // from the beginning to the last thing that happened
}

// A UsageBucket is [From, From + Width).
type UsageBucket struct {
	From time.Time
	Busy float64 // attempts at once, on average
	Peak int
}

// mostBuckets bounds the buckets: wider ones for a longer time.
const mostBuckets = 200

// bucketWidth is the narrowest in which the time fits.
func bucketWidth(span time.Duration) time.Duration {
	for _, w := range []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 6 * time.Hour} {
		if span <= mostBuckets*w {
			return w
		}
	}
	return (span / mostBuckets).Truncate(time.Hour) + time.Hour
}

// usage measures the slots and each pool.
func (p *play) usage(last time.Time) []Usage {
	all := []Usage{measureUsage("", p.Slots, p.rows.ran, func(*playAttempt) bool { return true }, p.begin, last)}
	pools := map[string]bool{}
	for i := range p.rows.ran {
		pools[p.rows.ran[i].pool] = true
	}
	for _, pool := range slices.Sorted(maps.Keys(pools)) {
		if size, sized := p.engine.defs.poolSize(pool); sized {
			all = append(all, measureUsage(pool, size, p.rows.ran, func(a *playAttempt) bool { return a.pool == pool }, p.begin, last))
		}
	}
	return all
}

func measureUsage(pool string, size int, ran []playAttempt, counts func(*playAttempt) bool, begin, last time.Time) Usage {
	u := Usage{Pool: pool, Size: size, Width: bucketWidth(last.Sub(begin))}
	type change struct {
		at int64
		by int
	}
	var changes []change
	for i := range ran {
		a := &ran[i]
		if !counts(a) {
			continue
		}
		changes = append(changes, change{a.start.UnixMilli(), 1})
		if !a.end.IsZero() {
			changes = append(changes, change{a.end.UnixMilli(), -1})
		}
	}
	// An end frees its place for a start at the same time.
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	from, width := begin.UnixMilli(), u.Width.Milliseconds()
	to := last.UnixMilli()
	u.Buckets = make([]UsageBucket, max(1, (to-from+width-1)/width))
	for i := range u.Buckets {
		u.Buckets[i].From = begin.Add(time.Duration(i) * u.Width)
	}
	live, at := 0, from
	pass := func(until int64) {
		if live >= size {
			u.Full += time.Duration(until-at) * time.Millisecond
		}
		for at < until {
			n := min((at-from)/width, int64(len(u.Buckets)-1))
			stop := min(until, from+(n+1)*width)
			if n == int64(len(u.Buckets)-1) {
				stop = until
			}
			b := &u.Buckets[n]
			b.Busy += float64(live) * float64(stop-at) / float64(width)
			b.Peak = max(b.Peak, live)
			at = stop
		}
	}
	for _, c := range changes {
		pass(c.at)
		live += c.by
		u.Peak = max(u.Peak, live)
	}
	pass(to)
	return u
}
