package spec

import (
	"slices"
	"time"

	"github.com/almanac-sched/almanac/deps"
	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/recurrence"
)

// How much of two schedules is looked at for one dependency.
const (
	sampledBinds = 20   // plan times of the downstream job, from where both schedules have begun
	sampledSet   = 2000 // upstream plan times seen in all before the sample of an edge that is not empty ends
	rareBinds    = 60   // plan times of the upstream job, where all of those were empty
	rareSkips    = 3000 // of these, with those that are at none of the hours of the dependency
	rareProbes   = 16   // places around each of them
	rareAround   = 5    // downstream plan times from each place on
)

// emptyOrLater warns of a wait for a later instance, and reports an edge whose window is always empty: an error under the traditional policy,
// where nothing would ever run unless the edge itself says onMissing: run, and a warning under the others.
func (l *lint) emptyOrLater(e *lintEdge) {
	down, up := l.timetable(e.down), l.timetable(e.up)
	if down == nil || up == nil || e.dependency.Edge.Self {
		return
	}
	start, seen, found, enough := l.begin(down, up), 0, false, 8
	if e.up.Period.Class == deps.Minute {
		enough = 2 // each may have looked at a day of minutes
	}
	for n, t := range upTo(down, start, sampledBinds) {
		b := e.binder.Bind(t)
		if b.Empty() {
			continue
		}
		found = true
		if last := lastOf(b); last.After(t) {
			l.warn(e.down, e.down.place(e.n), KindLater,
				"a wait for a later instance: %s of %s waits for %s of %s", e.down.Name, t.Format("Mon 2006-01-02 15:04"), e.dependency.Job, clock(last.In(t.Location()), t))
			return
		}
		if seen += b.Len(); seen > sampledSet || n+1 >= enough {
			return
		}
	}
	if found || l.rarely(e, down, up, start) {
		return
	}
	if own, _ := down.Effective(); own.IsZero() && !anyAfter(down, start) || !anyAfter(down, own.Add(-time.Millisecond)) {
		return // the downstream job is over; its edges have nothing to say
	}
	severity, means, kind := Warning, "so that it never waits", KindEmpty
	if e.dependency.Edge.Policy == deps.Traditional && e.dependency.OnMissing != engine.MissingRun {
		severity, means, kind = Error, "so that under the traditional policy it would never run", ""
	}
	l.report(e.down, e.down.place(e.n), severity, "", "%s has no plan time in any window of %s (%s), %s", e.dependency.Job, e.down.Name, e.binder.Describe(), means)
	l.problems[len(l.problems)-1].Kind = kind
}

// begin is where the sample starts: when both jobs exist.
func (l *lint) begin(down, up *recurrence.Timetable) time.Time {
	start := l.at
	for _, t := range []*recurrence.Timetable{down, up} {
		if from, _ := t.Effective(); from.After(start) {
			start = from
		}
	}
	return start.Add(-time.Millisecond)
}

// upTo yields at most n plan times after the given one, counted from 0.
func upTo(t *recurrence.Timetable, after time.Time, n int) func(func(int, time.Time) bool) {
	return func(yield func(int, time.Time) bool) {
		for i := range n {
			next, ok := t.Next(after)
			if !ok || !yield(i, next) {
				return
			}
			after = next
		}
	}
}

func anyAfter(t *recurrence.Timetable, after time.Time) bool {
	_, ok := t.Next(after)
	return ok
}

// rarely looks from the other side: whether any downstream instance waits for one of the upstream's plan times. A job of each minute meets
// a job of each month here, after a sample of minutes has not.
func (l *lint) rarely(e *lintEdge, down, up *recurrence.Timetable, start time.Time) bool {
	back, forward := e.binder.Reach()
	hours, tried := e.dependency.Edge.Hours, 0
	for _, u := range upTo(up, start, rareSkips) {
		if len(hours) > 0 && !slices.Contains(hours, u.In(down.Location()).Hour()) {
			continue
		}
		if tried++; tried > rareBinds {
			return false
		}
		from, step := u.Add(-forward), (back+forward)/rareProbes
		for probe := range rareProbes + 1 {
			place := from.Add(time.Duration(probe) * step)
			if probe == rareProbes {
				place = u.Add(-time.Millisecond)
			}
			for _, t := range upTo(down, place, rareAround) {
				if t.After(u.Add(back)) {
					break
				}
				if !e.binder.Bind(t).Empty() {
					return true
				}
			}
		}
	}
	return false
}

// pieces gives the set as the contiguous ranges that it is made of, in their order.
func pieces(b deps.Binding) [][]time.Time {
	if b.Ranges != nil {
		return b.Ranges
	}
	return [][]time.Time{b.Times}
}

func lastOf(b deps.Binding) time.Time {
	all := pieces(b)
	last := all[len(all)-1]
	return last[len(last)-1]
}

// paired reports whether the edge follows dependencies.md §3, the only rule that leaves upstream instances behind within a day.
func (e *lintEdge) paired() bool {
	d := &e.dependency.Edge
	listed := func(c deps.Class) bool { return c == deps.Minute || c == deps.Hour || c == deps.Discrete }
	down, up := e.down.Period.Class, e.up.Period.Class
	return d.Policy == deps.Natural && d.Window == nil && !d.Nearest && !d.Self && d.Previous == 0 &&
		listed(down) && listed(up) && (down == deps.Discrete || up == deps.Discrete)
}

// orphans warns of instances of the job that none of those that depend on it waits for, on days on which one that is paired with it runs.
func (l *lint) orphans(j *lintJob) {
	i := slices.IndexFunc(j.down, (*lintEdge).paired)
	if i < 0 {
		return
	}
	e := j.down[i]
	down, up := l.timetable(e.down), l.timetable(j)
	if down == nil || up == nil {
		return
	}
	first, ok := down.Next(l.begin(down, up))
	if !ok {
		return
	}
	days := 7
	if e.down.Period.Class == deps.Minute || j.Period.Class == deps.Minute {
		days = 1
	}
	zone := e.down.When.Location
	day := recurrence.DateOf(first.In(zone))
	from, to := recurrence.DayStart(day, zone), recurrence.DayStart(day.AddDays(days), zone)
	var left []time.Time
	for ; days > 0; days-- {
		left = append(left, e.unwaited(down, up, recurrence.DayStart(day, zone), recurrence.DayStart(day.AddDays(1), zone))...)
		day = day.AddDays(1)
	}
	for _, other := range j.down {
		if len(left) == 0 {
			return
		}
		if other != e {
			theirs := other.binder.Orphans(from, to)
			left = slices.DeleteFunc(left, func(t time.Time) bool {
				_, orphan := slices.BinarySearchFunc(theirs, t, time.Time.Compare)
				return !orphan
			})
		}
	}
	if len(left) > 0 {
		l.warn(e.down, e.down.place(e.n), KindUnwaited, "nobody waits for these instances of %s: %s", e.dependency.Job, clocks(left))
	}
}

// unwaited gives the upstream plan times of a natural day that no downstream instance of that day waits for, none for a day without any. It is
// Binder.Orphans for a paired edge, which never leaves the day.
func (e *lintEdge) unwaited(down, up *recurrence.Timetable, from, to time.Time) []time.Time {
	waiting := down.Between(from, to)
	times := up.Between(from, to)
	if len(waiting) == 0 || len(times) == 0 {
		return nil
	}
	waited := make([]bool, len(times))
	for _, t := range waiting {
		b := e.binder.Bind(t)
		for _, piece := range pieces(b) {
			if len(piece) == 0 {
				continue
			}
			first, _ := slices.BinarySearchFunc(times, piece[0], time.Time.Compare)
			for i := range piece {
				waited[first+i] = true
			}
		}
	}
	var left []time.Time
	for i, t := range times {
		if !waited[i] {
			left = append(left, t)
		}
	}
	return left
}
