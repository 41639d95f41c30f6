package recurrence

import (
	"time"
)

// Compile turns w into a Timetable for a job with the given origin. The error
// is the joined [FieldError] values of every mistake, or a [*NeverError].
func (w When) Compile(o Origin) (*Timetable, error) {
	wrong, parsed := w.check()
	if len(wrong) > 0 {
		return nil, joinFields(wrong)
	}
	t, anchor := w.unlimited(o, parsed)
	if !w.fires(t, anchor) {
		return nil, w.neverError()
	}
	t.limitToLast(anchor)
	if w.Rule != nil && w.Rule.Count > 0 {
		if t.kind == elapsedTimes && t.calendar != nil && w.Rule.Count > maxWalkedCount {
			return nil, joinFields([]FieldError{{"count", countTooLarge}})
		}
		t.count(o, int64(w.Rule.Count))
	}
	return t, nil
}

// unlimited builds the timetable without the limits that have to be searched
// for: the last occurrence and the count. anchor is where the schedule begins.
func (w When) unlimited(o Origin, parsed *cronFields) (t *Timetable, anchor int64) {
	t = &Timetable{
		location: w.location(parsed), first: never,
		gap: w.Gap, overlap: w.Overlap, offCalendar: w.OffCalendar,
	}
	t.zone = zoneOf(t.location)
	first, last := bounds(t.location)
	t.until = last
	switch {
	case w.Calendar == nil:
	case w.OffCalendar == OffDryRun:
		t.dryRun = indexOf(w.Calendar)
	default:
		t.calendar = indexOf(w.Calendar)
	}
	if end := w.end(); !end.IsZero() {
		t.effectiveTo = end.In(t.location)
		t.until = min(t.until, millis(end))
	}
	anchor = w.begin(t, o)
	t.after = max(t.after, first-1)
	switch {
	case w.Rule != nil:
		w.Rule.place(t, anchor, indexOf(w.Calendar))
	case parsed != nil:
		from := earliest
		if !w.Start.IsZero() {
			from = anchor
		}
		parsed.place(t, from)
		anchor = from
	case !w.Manual:
		anchor = earliest
	}
	return t, anchor
}

// begin applies the startTime table of recurrence.md §2: it sets the lower
// bound, the occurrence apart from the schedule and the list of a one-off, and
// returns the anchor.
func (w When) begin(t *Timetable, o Origin) (anchor int64) {
	created := millis(o.at)
	anchor = created
	if !w.Start.IsZero() {
		anchor = millis(w.Start)
		if o.anchored {
			o, created = Created(w.Start), anchor
		}
	}
	effective := max(anchor, created)
	listed := len(w.At) > 0 || w.Cron != ""
	if o.anchored && listed {
		t.after = earliest - 1
	} else {
		t.effectiveFrom = time.UnixMilli(effective).In(t.location)
		t.after = effective - 1
		if !o.anchored && (w.Start.IsZero() || anchor < created) {
			t.after = effective // the future is strictly after creation
		}
	}
	switch scheduled := w.Rule != nil && !w.Rule.Schedule.IsZero(); {
	case w.Manual:
	case len(w.At) > 0:
		for _, at := range w.At {
			t.list = append(t.list, t.moveByCalendar(millis(at))...)
		}
	case w.Cron != "":
	case w.Rule == nil:
		t.list = t.moveByCalendar(effective)
		t.after = effective - 1
	case w.Immediate() && !o.anchored,
		!scheduled && anchor >= created: // at the start, whatever pass of a fold it lies in
		if moved := t.moveByCalendar(effective); len(moved) > 0 && moved[0] >= effective {
			t.first = moved[0]
		}
	}
	t.list = sortedSet(t.list)
	return anchor
}

// place puts the rule's days and times into t. work is the calendar that counts
// work days.
func (r Rule) place(t *Timetable, anchor int64, work *workdays) {
	local := t.zone.local(anchor)
	day := floorDiv(local, dayMillis)
	tod := local - day*dayMillis
	n, s := int64(r.interval()), r.Schedule
	if r.Frequency <= Hour {
		r.placeGrid(t, anchor, local)
		return
	}
	t.kind, t.named = dailyTimes, true
	minute := tod / minuteMillis
	t.clock = clock{hours: 1 << (minute / 60), minutes: 1 << (minute % 60)}
	switch {
	case s.IsZero():
		t.clock.rest = tod % minuteMillis
	case len(s.Hours) > 0 && len(s.Minutes) > 0:
		t.clock.hours, t.clock.minutes = hourSet(s.Hours), minuteSet(s.Minutes)
	case len(s.Hours) > 0:
		t.clock.hours = hourSet(s.Hours)
	case len(s.Minutes) > 0:
		t.clock.hours, t.clock.minutes, t.named = allHours, minuteSet(s.Minutes), false
	}
	t.days = days{from: day, step: n, phase: day, months: allMonths}
	y, m, dayOfMonth := civilOf(day)
	switch r.Frequency {
	case Week:
		t.days.kind, t.days.phase = everyNthWeek, weekOf(day)
		for _, d := range s.WeekDays {
			t.days.weekdays |= 1 << d
		}
		if len(s.WeekDays) == 0 {
			t.days.weekdays = 1 << weekdayOf(day)
		}
	case Month:
		t.days.kind, t.days.phase = everyNthMonth, monthNumber(y, m)
		t.days.byMonth = monthTable(func(length, first int) uint32 { return s.daysOfMonth(dayOfMonth, length, first) })
		if len(s.WorkDays) > 0 {
			t.days.workDays = newNthWorkDays(s.WorkDays, work)
		}
	case Year:
		t.days.kind, t.days.phase, t.days.step = everyNthMonth, monthNumber(y, m), 12*n
		t.days.byMonth = monthTable(func(length, _ int) uint32 { return 1 << (min(dayOfMonth, length) - 1) })
	}
}

// daysOfMonth returns the days of a month on which a month rule is due, work
// days apart. Without any schedule the anchor's day is clamped to the month's
// end; with one it is left out of months that lack it (recurrence.md §3).
func (s Schedule) daysOfMonth(anchorDay, length, first int) uint32 {
	set := uint32(1)<<length - 1
	switch {
	case s.IsZero():
		return 1 << (min(anchorDay, length) - 1)
	case len(s.MonthDays) == 0 && len(s.MonthlyOccurrences) == 0 && len(s.WorkDays) == 0:
		return 1 << (anchorDay - 1)
	}
	if len(s.MonthDays) > 0 {
		set &= monthDaySet(s.MonthDays, length)
	}
	if len(s.MonthlyOccurrences) > 0 {
		set &= monthlyOccurrenceSet(s.MonthlyOccurrences, length, first)
	}
	return set
}

// placeGrid puts a minute or hour rule into t.
func (r Rule) placeGrid(t *Timetable, anchor, local int64) {
	unit := minuteMillis
	if r.Frequency == Hour {
		unit = hourMillis
	}
	t.kind = elapsedTimes
	t.grid = grid{origin: anchor, step: int64(r.interval()) * unit}
	s := r.Schedule
	if s.IsZero() {
		return
	}
	t.grid.filter = true
	t.grid.blocks = r.Frequency == Hour
	t.grid.origin = anchor - floorMod(local, unit)
	t.grid.clock = clock{hours: allHours, minutes: allMinutes}
	t.named = len(s.Hours) > 0
	if t.named {
		t.grid.clock.hours = hourSet(s.Hours)
	}
	if len(s.Minutes) > 0 {
		t.grid.clock.minutes = minuteSet(s.Minutes)
	} else if r.Frequency == Hour {
		t.grid.clock.minutes = 1 << (floorMod(local, hourMillis) / minuteMillis)
	}
	t.grid.prepare()
}

// place puts a cron expression into t; nothing is due before the local day of
// from.
func (c *cronFields) place(t *Timetable, from int64) {
	t.kind, t.named = dailyTimes, !c.everyHour
	t.clock = clock{hours: c.hours, minutes: c.minutes}
	t.days = days{
		kind: everyNthMonth, step: 1, months: c.months,
		from: floorDiv(t.zone.local(from), dayMillis),
		byMonth: monthTable(func(_, first int) uint32 {
			if weekdays := weekdayDays(c.weekdays, first); c.either {
				return c.days | weekdays
			} else {
				return c.days & weekdays
			}
		}),
	}
}
