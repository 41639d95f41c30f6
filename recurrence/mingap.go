package recurrence

import "time"

// MinGap returns the shortest real time between two consecutive plan times, by
// which a quota's maxRecurrence is judged; 0 when there are fewer than two. It
// is measured on elapsed time, so a daily rule in a zone whose clocks go
// forward has a gap of 23 hours. An occurrence at once, whose distance from the
// first scheduled one is chance, does not count.
//
// It looks at 400 years, or at the first 50,000 occurrences of a minute or hour
// rule whose occurrences a calendar drops or moves. It costs up to some
// milliseconds and is meant for loading.
func (t *Timetable) MinGap() time.Duration {
	from := t.gapsFrom()
	shortest, all := t.walkGaps(from, never, t.gapsToWalk())
	if !all {
		switch t.kind {
		case dailyTimes:
			shortest = min(shortest, t.dayGap())
		case elapsedTimes:
			// In another span the grid may meet other times of the filter.
			for s, n := t.zone.at(from), 0; t.calendar == nil && s.end < t.until && n < 4; n++ {
				s = t.zone.following(&s)
				if gap, _ := t.walkGaps(s.start, s.end, t.gapsToWalk()); gap > 0 {
					shortest = min(shortest, gap)
				}
			}
		}
		shortest = t.changeGaps(shortest)
	}
	return time.Duration(shortest) * time.Millisecond
}

// gapsFrom returns where MinGap begins to look: where the schedule does, and
// when nothing bounds it below 1970 or 400 years before its end.
func (t *Timetable) gapsFrom() int64 {
	if t.effectiveFrom.IsZero() {
		return max(t.after, min(0, t.until-cycleMillis))
	}
	return t.after
}

// gapsToWalk returns how many occurrences show every gap within a span, or for
// rules with times of day at least every gap within a day.
func (t *Timetable) gapsToWalk() int {
	switch t.kind {
	case dailyTimes:
		return max(16, 3*int(t.clock.count()))
	case elapsedTimes:
		if t.calendar != nil {
			return 50_000 // which times meet differs from week to week
		}
		return 2 * 1440
	}
	return len(t.list)
}

// walkGaps returns the shortest gap among the scheduled occurrences after u up
// to end, looking at n at most, or 0 when there are fewer than two. all reports
// that no further one can be shorter.
func (t *Timetable) walkGaps(u, end int64, n int) (shortest int64, all bool) {
	floor := minuteMillis
	if t.kind == elapsedTimes && !t.grid.filter && t.calendar == nil {
		floor = t.grid.step
	}
	last := never
	for ; n > 0; n-- {
		u = t.scheduled(u)
		if u > min(end, t.until) {
			return shortest, true
		}
		if last != never && (shortest == 0 || u-last < shortest) {
			if shortest = u - last; shortest == floor {
				return shortest, true
			}
		}
		last = u
	}
	return shortest, false
}

// dayGap returns the shortest gap between the times of day and across due days,
// on a clock that nobody changes.
func (t *Timetable) dayGap() int64 {
	shortest := never
	first, last := t.clock.first(), t.clock.last()
	for tod, next := first, int64(0); tod != last; tod = next {
		next = t.clock.next(tod + 1)
		shortest = min(shortest, next-tod)
	}
	u := t.gapsFrom()
	end := min(t.until, u+cycleMillis) / dayMillis
	for day := t.dueDay(floorDiv(u, dayMillis) + 1); day < end-1; {
		next := t.dueDay(day + 1)
		if next >= end {
			break
		}
		shortest = min(shortest, (next-day)*dayMillis+first-last)
		if next == day+1 {
			break // no two days are closer
		}
		day = next
	}
	return shortest
}

// changeGaps returns the shortest gap across the changes of the zone's offset,
// and shortest when there is no shorter one.
func (t *Timetable) changeGaps(shortest int64) int64 {
	from := t.gapsFrom()
	end := min(t.until, from+cycleMillis)
	for s := t.zone.at(from); s.end <= end; s = t.zone.following(&s) {
		if gap, _ := t.walkGaps(max(from, s.end-shortest-1), s.end+shortest, 3*1440); gap > 0 {
			shortest = min(shortest, gap)
		}
	}
	return shortest
}
