package recurrence

import (
	"fmt"
	"slices"
	"time"
)

// What Compile has to search for: whether a schedule fires at all, when it
// fires for the last time, and where a count runs out.

// maxWalkedCount is the largest count of a minute or hour rule whose
// occurrences a calendar drops or moves; those can only be counted one by one.
const maxWalkedCount = 1_000_000

var countTooLarge = fmt.Sprintf("too large for a minute or hour rule with a calendar that drops or moves occurrences; allowed is 1..%d; "+
	"write an endTime instead", maxWalkedCount)

// fires reports whether the schedule has any occurrence at or after its anchor,
// whatever its end and the job's creation.
func (w When) fires(t *Timetable, anchor int64) bool {
	switch {
	case w.Manual:
		return true
	case len(w.At) > 0:
		return len(t.list) > 0
	case t.kind == fixedTimes:
		return true // a one-off that the calendar drops is over, not wrong
	}
	return t.scheduled(anchor-1) != never
}

func (w When) neverError() *NeverError {
	field := "at"
	switch {
	case w.Rule != nil:
		field = "recurrence"
	case w.Cron != "":
		field = "cron"
	}
	return &NeverError{Field: field, Why: w.schedule()}
}

// neverForAnyAnchor returns an error when the schedule never fires wherever it
// is anchored, as far as the anchor is not given by startTime.
func (w When) neverForAnyAnchor() *NeverError {
	_, parsed := w.check()
	anchors := 1
	hour, minute := 0, 0
	if w.Rule != nil && w.Start.IsZero() {
		// Every month and weekday, at a time that passes the rule's own filter.
		anchors = 12 * 7
		if len(w.Rule.Schedule.Hours) > 0 {
			hour = w.Rule.Schedule.Hours[0]
		}
		if len(w.Rule.Schedule.Minutes) > 0 {
			minute = w.Rule.Schedule.Minutes[0]
		}
	}
	for i := range anchors {
		at := time.Date(2024, time.Month(1+i/7), 1+i%7, hour, minute, 0, 0, w.location(parsed))
		if t, anchor := w.unlimited(Anchored(at), parsed); w.fires(t, anchor) {
			return nil
		}
	}
	return w.neverError()
}

// limitToLast ends the timetable at its last occurrence when it has one: when a
// calendar stops letting any through, or when the zone gives up the offset that
// a filter needs. Past it, Next would search 400 years each time.
func (t *Timetable) limitToLast(anchor int64) {
	if t.kind == fixedTimes {
		return
	}
	low, high := anchor-1, max(anchor, cycleFrom)
	for _, c := range [...]*workdays{t.calendar, t.days.calendarOfMonths()} {
		if c != nil && len(c.listed) > 0 {
			high = max(high, (c.listed[len(c.listed)-1].to+2)*dayMillis)
		}
	}
	if high > latest || t.scheduled(high) != never {
		return
	}
	// scheduled(low) exists and scheduled(high) does not.
	for low+1 < high {
		if middle := low + (high-low)/2; t.scheduled(middle) == never {
			high = middle
		} else {
			low = middle
		}
	}
	t.until = min(t.until, high)
}

// calendarOfMonths returns the calendar that counts work days, nil if none does.
func (d *days) calendarOfMonths() *workdays {
	if d.workDays == nil {
		return nil
	}
	return d.workDays.calendar
}

// count ends the timetable with the last occurrence that the count of its rule
// leaves.
func (t *Timetable) count(o Origin, n int64) {
	u := t.after
	if t.first != never {
		u = min(u, t.first-1)
	}
	if !o.left.IsZero() {
		u = max(u, millis(o.left)-1)
		n -= int64(o.spent)
	}
	if n < 1 {
		t.until = min(t.until, u)
		return
	}
	if t.counted = t.nth(u, n); t.counted != never {
		t.until = t.counted
	}
}

// nth returns the n-th occurrence after u, or never when there are fewer within
// 400 years.
func (t *Timetable) nth(u, n int64) int64 {
	end := u + cycleMillis
	for {
		if u = t.next(u); u == never || u > end {
			return never
		}
		if n--; n == 0 {
			return u
		}
		if u < t.first && t.first != never {
			continue
		}
		// Leave out what can be counted without looking at each.
		switch {
		case t.kind == elapsedTimes && t.calendar == nil && !t.grid.filter:
			if n > (end-u)/t.grid.step {
				return never
			}
			return t.grid.next(u+1, 0) + (n-1)*t.grid.step
		case t.kind == elapsedTimes && t.calendar == nil:
			u, n = t.leapTurns(u, n)
		case t.kind == dailyTimes && n > 2*t.clock.count():
			u, n = t.leapDays(u, n)
		}
	}
}

// leapDays counts whole days: from the end of u's day on while the zone keeps
// its offset, each due day has all times of day. It returns the instant up to
// which it counted and what is left of n, at least 1.
func (t *Timetable) leapDays(u, n int64) (int64, int64) {
	s := t.zone.at(u)
	day := floorDiv(u+s.offset, dayMillis)
	if t.clock.next(u+s.offset-day*dayMillis+1) >= 0 {
		return u, n
	}
	// Clear of both ends of the span, whatever gap or fold is there.
	if day*dayMillis < s.start+2*maxOffset+s.offset {
		return u, n
	}
	each := t.clock.count()
	for n > each {
		due := t.dueDay(day + 1)
		if due == never || (due+1)*dayMillis > s.end+s.offset-2*maxOffset || due*dayMillis > latest {
			break
		}
		day, n = due, n-each
		u = (day+1)*dayMillis - s.offset - 1
	}
	return u, n
}

// leapTurns counts whole turns of a filtered grid: after 1440 steps of minutes
// or 24 of hours the same local times come again, while the zone keeps its
// offset.
func (t *Timetable) leapTurns(u, n int64) (int64, int64) {
	s := t.zone.at(u)
	turn := t.grid.step * 24
	if !t.grid.blocks {
		turn = t.grid.step * 1440
	}
	turns := (min(s.end-2*maxOffset, u+cycleMillis) - u) / turn
	if u < s.start+2*maxOffset || turns < 1 {
		return u, n
	}
	each := int64(0)
	for v := t.grid.next(u+1, s.offset); v <= u+turn; v = t.grid.next(v+1, s.offset) {
		each++
	}
	if each == 0 {
		return u, n
	}
	turns = min(turns, (n-1)/each)
	return u + turns*turn, n - turns*each
}

// moveByCalendar returns the instants to which the calendar moves u: none when
// it drops it, u itself on a work day.
func (t *Timetable) moveByCalendar(u int64) []int64 {
	if t.calendar == nil {
		return []int64{u}
	}
	local := t.zone.local(u)
	day := floorDiv(local, dayMillis)
	var to int64
	switch {
	case t.calendar.work(day):
		return []int64{u}
	case t.offCalendar == OffPrevious:
		to = t.calendar.previous(day)
	case t.offCalendar == OffNext:
		to = t.calendar.next(day)
	default:
		return nil
	}
	if to < earliest/dayMillis || to > latest/dayMillis {
		return nil
	}
	target := single(to*dayMillis + local - day*dayMillis)
	var moved []int64
	for v := resolve(t, target, true, int64(target)-2*maxOffset); v != never; v = resolve(t, target, true, v) {
		moved = append(moved, v)
	}
	return moved
}

// single is one local time.
type single int64

func (r single) nominal(l int64) int64 {
	if l <= int64(r) {
		return int64(r)
	}
	return never
}

// sortedSet sorts and leaves out repetitions.
func sortedSet(list []int64) []int64 {
	slices.Sort(list)
	return slices.Compact(list)
}
