package recurrence

// Rules with times of day on chosen days: cron expressions, and rules whose
// frequency is day or longer.

// onDays returns the first occurrence after u, or never.
func (t *Timetable) onDays(u int64) int64 { return resolve(t, daily{t}, t.named, u) }

// daily is the nominal times of a timetable of kind dailyTimes.
type daily struct{ t *Timetable }

func (r daily) nominal(l int64) int64 {
	day := floorDiv(l, dayMillis)
	due := r.t.dueDay(day)
	if due == day {
		if tod := r.t.clock.next(l - day*dayMillis); tod >= 0 {
			return day*dayMillis + tod
		}
		due = r.t.dueDay(day + 1)
	}
	if due == never {
		return never
	}
	return due*dayMillis + r.t.clock.first()
}

// dueDay returns the first day at day or later on which the rule is due after
// the calendar has dropped or moved occurrences (recurrence.md §6). All days of
// such a rule have the same times, so moving occurrences is moving days, and
// those that meet on one day are one.
func (t *Timetable) dueDay(day int64) int64 {
	if t.calendar == nil {
		return t.days.next(day, allWeekdays)
	}
	switch t.offCalendar {
	case OffDrop:
		return t.dueWorkDay(day)
	case OffPrevious:
		// What moves to day or later lies on the first work day or after it.
		begin := t.calendar.next(day)
		if begin == never {
			return never
		}
		due := t.days.next(begin, allWeekdays)
		if due == never {
			return never
		}
		return t.calendar.previous(due)
	case OffNext:
		// What moves to day or later lies after the last work day before it.
		due := t.days.next(max(t.calendar.previous(day-1), earliest/dayMillis)+1, allWeekdays)
		if due == never {
			return never
		}
		return t.calendar.next(due)
	}
	return t.days.next(day, allWeekdays)
}

// dueWorkDay returns the first due day at day or later that is a work day.
func (t *Timetable) dueWorkDay(day int64) int64 {
	for range maxSteps {
		mask, last := t.calendar.run(day)
		if mask != 0 {
			if due := t.days.next(day, mask); due <= last {
				return due
			}
		}
		if last == never {
			return never
		}
		// Listed days without a due one among them are skipped together.
		if day = t.days.next(last+1, allWeekdays); day == never {
			return never
		}
	}
	return never
}
