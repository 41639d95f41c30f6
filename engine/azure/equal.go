package azure

import (
	"slices"
	"time"

	"github.com/almanac-sched/almanac/recurrence"
)

// comparedDays is how long two schedules are held against each other: four years, with a 29 February among them, and some.
const comparedDays = 1500

// equalRule finds a recurrence that gives the times of a cron expression in UTC, and the first of them after now. A cron expression repeats
// the same times of day on each of its days, so a rule that agrees on the days of four years and on the times of a day agrees. Nil when none
// does.
func equalRule(w recurrence.When, now time.Time) (*recurrence.Rule, time.Time) {
	table, err := w.Compile(recurrence.Created(now))
	if err != nil {
		return nil, time.Time{}
	}
	first, ok := table.Next(now)
	if !ok {
		return nil, time.Time{}
	}
	// Without its end the cron's form is looked at; the end is given to both.
	open := w
	open.End = time.Time{}
	if table, err = open.Compile(recurrence.Created(now)); err != nil {
		return nil, time.Time{}
	}
	from := midnight(first).AddDate(0, 0, 1)
	days := dueDays(table, from)
	if len(days) < 2 {
		return nil, time.Time{}
	}
	for _, rule := range candidates(days, table.Between(days[0], days[0].AddDate(0, 0, 1))) {
		other, err := recurrence.When{Rule: &rule, Start: first, Location: time.UTC}.Compile(recurrence.Created(now))
		if err != nil {
			continue
		}
		next, ok := other.Next(now)
		day := days[0].AddDate(0, 0, 1)
		if ok && next.Equal(first) && slices.EqualFunc(table.Between(first, day), other.Between(first, day), time.Time.Equal) &&
			slices.EqualFunc(days, dueDays(other, from), time.Time.Equal) {
			return &rule, first
		}
	}
	return nil, time.Time{}
}

func midnight(t time.Time) time.Time {
	y, m, d := t.UTC().Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// dueDays are the days of the comparison with a due time, by their midnights.
func dueDays(table *recurrence.Timetable, from time.Time) []time.Time {
	var days []time.Time
	for at, end := from, from.AddDate(0, 0, comparedDays); ; {
		next, ok := table.Next(at.Add(-time.Millisecond))
		if !ok || !next.Before(end) {
			return days
		}
		day := midnight(next)
		days = append(days, day)
		at = day.AddDate(0, 0, 1)
	}
}

// candidates are the rules that could give these days and, on each of them, these times: the plainest first.
func candidates(days, times []time.Time) []recurrence.Rule {
	var minutes, hours, monthDays, months []int
	var weekDays []time.Weekday
	for _, t := range times {
		minutes, hours = with(minutes, t.Minute()), with(hours, t.Hour())
	}
	for _, d := range days {
		weekDays, monthDays, months = with(weekDays, d.Weekday()), with(monthDays, d.Day()), with(months, int(d.Month()))
	}
	clock := recurrence.Schedule{Minutes: minutes, Hours: hours}
	if len(hours) == 24 {
		clock.Hours = nil // minutes alone are of every hour
	}
	var list []recurrence.Rule
	if len(minutes) > 1 {
		list = append(list, recurrence.Rule{Frequency: recurrence.Minute, Interval: 60 / len(minutes)})
	}
	if len(hours) > 2 {
		list = append(list, recurrence.Rule{Frequency: recurrence.Hour, Interval: 24 / len(hours)})
	}
	list = append(list, recurrence.Rule{Frequency: recurrence.Day, Interval: 1, Schedule: clock})
	weekly, monthly := clock, clock
	weekly.WeekDays, monthly.MonthDays = weekDays, monthDays
	list = append(list, recurrence.Rule{Frequency: recurrence.Week, Interval: 1, Schedule: weekly})
	return append(list, recurrence.Rule{Frequency: recurrence.Month, Interval: max(12/len(months), 1), Schedule: monthly})
}

// with adds a value to a set that is kept in order.
func with[T int | time.Weekday](set []T, value T) []T {
	i, found := slices.BinarySearch(set, value)
	if found {
		return set
	}
	return slices.Insert(set, i, value)
}
