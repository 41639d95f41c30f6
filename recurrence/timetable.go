package recurrence

import (
	"math"
	"slices"
	"time"
)

// Timetable is a compiled [When]: the plan times of a job. It is immutable and
// safe for concurrent use. Plan times are whole milliseconds in the years 1 to
// 9999.
type Timetable struct {
	location *time.Location
	zone     *zone
	kind     timetableKind

	after, until int64 // the schedule counts from after, excluded, to until, included
	first        int64 // the occurrence apart from the schedule: at once, or at startTime; never = none
	counted      int64 // the last that a count leaves; never = it leaves more than there are; 0 = it leaves none, or none is given

	list  []int64 // fixedTimes: ascending
	days  days    // dailyTimes
	clock clock   // dailyTimes
	grid  grid    // elapsedTimes

	named   bool // the rule names an hour (recurrence.md §5)
	gap     Gap
	overlap Overlap

	calendar    *workdays // drops or moves occurrences by offCalendar; nil = none
	offCalendar OffCalendar
	dryRun      *workdays // keeps them as dry runs; nil = none

	effectiveFrom, effectiveTo time.Time // zero = unbounded
}

type timetableKind int8

const (
	fixedTimes   timetableKind = iota // a list: at, one-off, manual
	dailyTimes                        // times of day on chosen days: cron, and rules of a day or longer
	elapsedTimes                      // minute and hour rules
)

// Next returns the first plan time strictly after the given instant, in the
// job's zone; false means that there is none any more. It allocates nothing and
// costs the same whatever the age of the anchor (recurrence.md §7).
func (t *Timetable) Next(after time.Time) (time.Time, bool) {
	u := t.next(millis(after))
	if u == never {
		return time.Time{}, false
	}
	return time.UnixMilli(u).In(t.location), true
}

// Previous returns the last plan time strictly before the given instant, in the
// job's zone; false means that there is none. It costs some dozens of calls of
// Next, however far back that plan time lies.
func (t *Timetable) Previous(before time.Time) (time.Time, bool) {
	last := millis(before.Add(-1))
	found, high := never, last // no plan time lies in (high, last]
	for back := hourMillis; found == never; back *= 2 {
		from := max(last-back, earliest-1)
		if due := t.next(from); due <= last {
			found = due
		} else if from < earliest {
			return time.Time{}, false
		} else {
			high = from
		}
	}
	for found < high {
		middle := found + (high-found)/2
		if due := t.next(middle); due <= last {
			found = due
		} else {
			high = middle
		}
	}
	return time.UnixMilli(found).In(t.location), true
}

// AppendBetween appends the plan times in [from, to) to dst, in ascending
// order, and returns the extended slice. It allocates nothing but what dst
// needs to grow.
func (t *Timetable) AppendBetween(dst []time.Time, from, to time.Time) []time.Time {
	end := millis(to.Add(-1))
	for u := t.next(millis(from.Add(-1))); u <= end; u = t.next(u) {
		dst = append(dst, time.UnixMilli(u).In(t.location))
	}
	return dst
}

// Between returns the plan times in [from, to), in ascending order, in a slice
// of exactly their number; nil when there are none.
func (t *Timetable) Between(from, to time.Time) []time.Time {
	var start [64]int64
	end, n := millis(to.Add(-1)), 0
	for u := t.next(millis(from.Add(-1))); u <= end; u = t.next(u) {
		if n < len(start) {
			start[n] = u
		}
		n++
	}
	if n == 0 {
		return nil
	}
	times := make([]time.Time, 0, n)
	for _, u := range start[:min(n, len(start))] {
		times = append(times, time.UnixMilli(u).In(t.location))
	}
	if n > len(start) {
		times = t.AppendBetween(times, times[len(start)-1].Add(1), to)
	}
	return times
}

// DryRun reports whether the plan time at falls on a day off that the policy
// dryRun keeps: the instance exists, does nothing and is skipped
// (recurrence.md §6).
func (t *Timetable) DryRun(at time.Time) bool {
	return t.dryRun != nil && !t.dryRun.work(floorDiv(t.zone.local(millis(at)), dayMillis))
}

// Effective returns the effective range of recurrence.md §2,
// [max(startTime, creation), endTime], with both ends included. A zero time
// means that the range is unbounded on that side. Neither a count nor the last
// time of a list shortens it.
func (t *Timetable) Effective() (from, to time.Time) { return t.effectiveFrom, t.effectiveTo }

// Counted returns the plan time with which the count of the rule is used up.
// False means that there is no count, that nothing is left of it, or that the
// schedule ends before.
func (t *Timetable) Counted() (time.Time, bool) {
	if t.counted == 0 || t.counted == never {
		return time.Time{}, false
	}
	return time.UnixMilli(t.counted).In(t.location), true
}

// Location returns the zone in which the plan times are computed and returned:
// that of a CRON_TZ= prefix, else that of the [When].
func (t *Timetable) Location() *time.Location { return t.location }

// millis returns t in whole milliseconds, rounded down. Plan times have no
// finer part, so "after t" and "after millis(t)" are the same for them.
func millis(t time.Time) int64 {
	switch s := t.Unix(); {
	case s < earliest/1000:
		return earliest - 1
	case s > latest/1000:
		return latest
	}
	return t.UnixMilli()
}

// next returns the first plan time after u, or never.
func (t *Timetable) next(u int64) int64 {
	if u >= t.until {
		return never
	}
	due := t.scheduled(max(u, t.after))
	if t.first > u && t.first < due {
		due = t.first
	}
	if due > t.until {
		return never
	}
	return due
}

// scheduled returns the first occurrence of the schedule after u, the effective
// range apart.
func (t *Timetable) scheduled(u int64) int64 {
	switch t.kind {
	case fixedTimes:
		i, found := slices.BinarySearch(t.list, u)
		if found {
			i++
		}
		if i == len(t.list) {
			return never
		}
		return t.list[i]
	case dailyTimes:
		return t.onDays(u)
	}
	return t.onGrid(u)
}

// maxSteps bounds every search, in case arithmetic does not. No legal rule
// comes near it: 400 years have 800 changes of a zone's offset.
const maxSteps = math.MaxInt16

// unknown is earlier than every time.
const unknown int64 = math.MinInt64

// nominal finds local times of a rule, not knowing of zones: the first at l or
// later, or never.
type nominal interface{ nominal(l int64) int64 }

// resolve returns the first instant after u of the rule's local times. It walks
// from span to span. Inside one an instant is a local time minus the offset;
// gaps and folds are decided at the spans' ends, by the policies when the rule
// names an hour: then a time inside a gap is due at the gap's end or not at
// all, and a time inside a fold in one pass or in both. A rule that does not
// name an hour is due in both passes and not in a gap.
func resolve[N nominal](t *Timetable, rule N, named bool, u int64) int64 {
	u++
	s := t.zone.at(u)
	if shift := named && t.gap == GapShift; shift && u == s.start && s.before < s.offset &&
		rule.nominal(s.start+s.before) < s.start+s.offset {
		return u
	}
	l := u + s.offset
	due := unknown // the first local time at l or later
	for range maxSteps {
		begin, end := s.start+s.offset, s.end+s.offset
		if named && s.before > s.offset && t.overlap == OverlapFirst {
			begin = s.start + s.before
		}
		if named && s.after < s.offset && t.overlap == OverlapLast {
			end = s.end + s.after
		}
		if l < begin {
			l = begin
		}
		if due < l {
			if due = rule.nominal(l); due == never {
				return never
			}
		}
		if due < end {
			return due - s.offset
		}
		if named && t.gap == GapShift && s.after > s.offset && due < s.end+s.after {
			return s.end
		}
		s = t.zone.following(&s)
		if reached := s.start + s.offset; reached < l {
			l, due = reached, unknown // a fold: times before l come again
		} else if l = reached; s.end-s.start > 2*maxOffset && due-maxOffset > s.end {
			// Nothing is due for long. No fold from here on leads back to l.
			s, l = t.zone.at(due-maxOffset), due
		}
	}
	return never
}
