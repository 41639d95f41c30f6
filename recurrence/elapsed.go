package recurrence

// Minute and hour rules.

// onGrid returns the first occurrence after u, or never.
func (t *Timetable) onGrid(u int64) int64 {
	switch {
	case t.calendar == nil:
		return t.onFilteredGrid(u)
	case t.offCalendar == OffDrop:
		return t.onWorkDays(u)
	}
	// Occurrences on work days stay where they are on elapsed time; those on
	// days off move to a local time, which is a named one.
	return min(t.onWorkDays(u), resolve(t, moved{t}, true, u))
}

// onFilteredGrid returns the first instant after u that the filter keeps, or
// never.
//
// With hours the rule names an hour, and the policies of recurrence.md §5
// apply: a kept time that a gap swallows, counting on with the clock as it was,
// is due at the gap's end; a kept time that the grid meets in both passes of a
// fold is due in one of them only.
func (t *Timetable) onFilteredGrid(u int64) int64 {
	u++
	if !t.grid.filter {
		return t.grid.next(u, 0)
	}
	s := t.zone.at(u)
	shift := t.named && t.gap == GapShift
	if shift && u == s.start && s.before < s.offset && t.grid.next(u, s.before) < u+s.offset-s.before {
		return u
	}
	for end := u + cycleMillis; u < end; u = s.start {
		due := t.grid.next(u, s.offset)
		for t.named && due < s.end && t.otherPass(&s, due) {
			due = t.grid.next(due+1, s.offset)
		}
		if due < s.end {
			return due
		}
		if s.end == never {
			return never
		}
		if shift && s.after > s.offset && due < s.end+s.after-s.offset {
			return s.end
		}
		s = t.zone.following(&s)
	}
	return never
}

// otherPass reports whether the instant u of span s lies in a fold and gives
// way to its twin in the other pass.
func (t *Timetable) otherPass(s *span, u int64) bool {
	switch t.overlap {
	case OverlapFirst:
		back := s.before - s.offset
		return back > 0 && u < s.start+back && t.grid.repeats(u, -back)
	case OverlapLast:
		ahead := s.offset - s.after
		return ahead > 0 && u >= s.end-ahead && t.grid.repeats(u, ahead)
	}
	return false
}

// onWorkDays returns the first occurrence after u that falls on a work day.
func (t *Timetable) onWorkDays(u int64) int64 {
	end := u + cycleMillis
	for u < end {
		due := t.onFilteredGrid(u)
		if due == never {
			return never
		}
		s := t.zone.at(due)
		day := floorDiv(due+s.offset, dayMillis)
		if t.calendar.work(day) {
			return due
		}
		work := t.calendar.next(day)
		if work == never {
			return never
		}
		// Not past the end of the span: a fold may lead back to a work day.
		u = max(due, min(t.zone.firstAtOrAfter(work*dayMillis), s.end)-1)
	}
	return never
}

// moved is the local times to which the calendar moves the occurrences of a
// minute or hour rule that fall on days off.
type moved struct{ t *Timetable }

func (r moved) nominal(l int64) int64 {
	day := floorDiv(l, dayMillis)
	tod := l - day*dayMillis
	for range maxSteps {
		target := r.t.calendar.next(day)
		if target == never {
			return never
		}
		if target > day {
			tod = 0
		}
		if due := r.onto(target, tod); due >= 0 {
			return target*dayMillis + due
		}
		// On to the next day off on which something is due.
		last := target
		if r.t.offCalendar == OffPrevious {
			_, last = r.run(target)
		}
		source := r.nextSource(last)
		if source == never {
			return never
		}
		if r.t.offCalendar == OffPrevious {
			source = r.t.calendar.previous(source)
		}
		day, tod = max(source, target+1), 0
	}
	return never
}

// longestRun bounds how far an occurrence moves. It is the longest time after
// which a grid shows the same times of day again, so in a zone without changes
// a longer run of days off has no further times to offer.
const longestRun = 1000

// run returns the days off whose occurrences move to the work day target.
func (r moved) run(target int64) (from, to int64) {
	if r.t.offCalendar == OffPrevious {
		return target + 1, min(r.t.calendar.next(target+1)-1, target+longestRun)
	}
	return max(r.t.calendar.previous(target-1)+1, target-longestRun), target - 1
}

// onto returns the first time of day at tod or later that something moves to on
// target, or -1. It asks each day off of the run, so this one search costs more
// after long holidays.
func (r moved) onto(target, tod int64) int64 {
	best := int64(-1)
	from, to := r.run(target)
	for day := from; day <= to; {
		u, found := r.onDay(day, tod)
		if found >= 0 && (best < 0 || found < best) {
			best = found
		}
		if found < 0 {
			// Leap to the next day on which anything is due.
			if u == never {
				break
			}
			day = max(day+1, floorDiv(r.t.zone.local(u), dayMillis))
			continue
		}
		if best == tod {
			break
		}
		day++
	}
	return best
}

// onDay returns the first time of day at tod or later at which the rule itself
// is due on the given day, or -1 and an occurrence on a later day.
func (r moved) onDay(day, tod int64) (later, found int64) {
	z, begin, end := r.t.zone, day*dayMillis+tod, (day+1)*dayMillis
	best := int64(-1)
	s := z.at(z.firstAtOrAfter(begin))
	for {
		due := r.t.onFilteredGrid(max(s.start, begin-s.offset) - 1)
		if due < s.end {
			if l := due + s.offset; l < end {
				if best < 0 || l-day*dayMillis < best {
					best = l - day*dayMillis
				}
			}
		}
		// A fold may show part of the day again.
		if s.end == never || s.end+min(s.offset, s.after) >= end {
			return due, best
		}
		s = z.following(&s)
	}
}

// nextSource returns the first day off after day on which the rule is due.
func (r moved) nextSource(day int64) int64 {
	z := r.t.zone
	u := z.firstAtOrAfter((day+1)*dayMillis) - 1
	end := u + cycleMillis
	for u < end {
		due := r.t.onFilteredGrid(u)
		if due == never {
			return never
		}
		at := floorDiv(z.local(due), dayMillis)
		if !r.t.calendar.work(at) {
			return at
		}
		off := r.t.calendar.nextOff(at)
		if off == never {
			return never
		}
		u = max(due, z.firstAtOrAfter(off*dayMillis)-1)
	}
	return never
}
