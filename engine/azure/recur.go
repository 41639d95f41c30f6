package azure

import (
	"strings"
	"time"

	"github.com/almanac-sched/almanac/recurrence"
)

// units are the recurrence units with what the service's messages and limits say of them.
var units = map[recurrence.Frequency]struct {
	title string
	most  int // the longest interval (`azure-scheduler.md` §4)
}{
	recurrence.Minute: {"Minute", 1000}, recurrence.Hour: {"Hour", 1000}, recurrence.Day: {"Day", 548}, recurrence.Week: {"Week", 78},
	recurrence.Month: {"Month", 18}, recurrence.Year: {"Year", 1},
}

// weekdays in the letters that the service printed.
var weekdays = []string{time.Sunday: "sunday", time.Monday: "monday", time.Tuesday: "tuesday", time.Wednesday: "wednesday", time.Thursday: "thursday",
	time.Friday: "friday", time.Saturday: "saturday"}

func (r *reader) recurrence(f field) *Recurrence {
	m := r.object(f, recurrenceShape)
	if m == nil {
		return nil
	}
	rec := &Recurrence{Interval: 1, EndTime: r.time(m["endTime"])}
	unit, err := recurrence.ParseFrequency(r.text(r.need(m, f, "frequency")))
	switch {
	case err == nil:
		rec.Frequency = unit.String()
	case m["frequency"].given():
		r.fail(m["frequency"], "The value %s is not valid; it must be one of minute, hour, day, week, month, year.", m["frequency"].shown())
	}
	if interval := m["interval"]; interval.given() {
		n, ok := r.integer(interval, -maxCount, maxCount)
		limit := max(units[unit].most, 1)
		switch {
		case ok && unit.Valid() && (n < 1 || n > limit):
			r.fail(interval, "The recurrence interval '%d' is out of range; with recurrence unit '%s' it must be between 1 and %d.", n, units[unit].title, limit)
		case ok && n < 1:
			r.fail(interval, "The recurrence interval '%d' is out of range; it must be at least 1.", n)
		case ok:
			rec.Interval = n
		}
	}
	if n, ok := r.integer(m["count"], 1, maxCount); ok {
		rec.Count = n
	}
	rec.Schedule = r.schedule(m["schedule"], unit)
	return rec
}

func (r *reader) schedule(f field, unit recurrence.Frequency) *Schedule {
	m := r.object(f, scheduleShape)
	if len(m) == 0 {
		return nil
	}
	only := func(name, what string, want recurrence.Frequency) field {
		if f := m[name]; f.given() && unit.Valid() && unit != want {
			r.fail(f, "Cannot set %s with recurrence unit '%s'.", what, units[unit].title)
			return field{}
		}
		return m[name]
	}
	s := &Schedule{Minutes: r.integers(m["minutes"], 0, 59), Hours: r.integers(m["hours"], 0, 23)}
	days := only("weekDays", "days of week", recurrence.Week)
	if n := len(days.items()); n > 7 {
		r.fail(days, "The array has %d days; it must have at most 7.", n)
	}
	for _, item := range days.items() {
		if day := r.weekday(item); day != "" {
			s.WeekDays = append(s.WeekDays, day)
		}
	}
	for _, item := range only("monthDays", "days of month", recurrence.Month).items() {
		if n, ok := r.integer(item, -maxCount, maxCount); ok {
			if n == 0 || n < -31 || n > 31 {
				r.fail(item, "The day of month '%d' is out of range; it must be between 1 and 31, or between -31 and -1.", n)
			}
			s.MonthDays = append(s.MonthDays, n)
		}
	}
	for _, item := range only("monthlyOccurrences", "monthly occurrences", recurrence.Month).items() {
		s.MonthlyOccurrences = append(s.MonthlyOccurrences, r.occurrence(item))
	}
	return s
}

func (r *reader) occurrence(f field) MonthlyOccurrence {
	m := r.object(f, occurrenceShape)
	o := MonthlyOccurrence{Day: r.weekday(r.need(m, f, "day"))}
	if n, ok := r.integer(m["Occurrence"], -maxCount, maxCount); ok {
		if n == 0 || n < -5 || n > 5 {
			r.fail(m["Occurrence"], "The occurrence '%d' is out of range; it must be between 1 and 5, or between -5 and -1.", n)
		}
		o.Occurrence = n
	}
	return o
}

// weekday reads the name of a day, or its first three letters.
func (r *reader) weekday(f field) string {
	if f.given() && f.kind == textNode && len(f.text) == 3 {
		for _, day := range weekdays {
			if strings.EqualFold(day[:3], f.text) {
				return day
			}
		}
	}
	return r.word(f, weekdays...)
}

// weekdayOf is the weekday of a name that was read.
func weekdayOf(name string) time.Weekday {
	for day, word := range weekdays {
		if word == name {
			return time.Weekday(day)
		}
	}
	return -1
}
