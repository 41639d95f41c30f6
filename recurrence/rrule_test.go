package recurrence_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/teambition/rrule-go"
	"pgregory.net/rapid"

	"github.com/almanac-sched/almanac/recurrence"
)

// RFC 5545 has the same expanding and limiting (recurrence.md §3), so its
// recurrences are an oracle in UTC. It has no clamping, no calendars and no
// work days; those stay out.
func TestRulesAgreeWithRFC5545InUTC(t *testing.T) {
	frequencies := map[recurrence.Frequency]rrule.Frequency{
		recurrence.Minute: rrule.MINUTELY, recurrence.Hour: rrule.HOURLY, recurrence.Day: rrule.DAILY,
		recurrence.Week: rrule.WEEKLY, recurrence.Month: rrule.MONTHLY, recurrence.Year: rrule.YEARLY,
	}
	days := []rrule.Weekday{rrule.SU, rrule.MO, rrule.TU, rrule.WE, rrule.TH, rrule.FR, rrule.SA}
	rapid.Check(t, func(t *rapid.T) {
		f := recurrence.Frequency(rapid.IntRange(1, 6).Draw(t, "frequency"))
		limits := []int{0, 500, 500, 548, 78, 18, 1}
		r := recurrence.Rule{Frequency: f, Interval: rapid.IntRange(1, limits[f]).Draw(t, "interval")}
		r.Schedule = drawSchedule(t, f)
		r.Schedule.WorkDays = nil
		s := r.Schedule
		start := drawNear(t, time.UTC, "start").Truncate(time.Minute)
		if s.IsZero() && f >= recurrence.Month && start.Day() > 28 || f == recurrence.Year && start.Day() == 29 {
			start = start.AddDate(0, 0, -4)
		}
		option := rrule.ROption{
			Freq: frequencies[f], Dtstart: start, Interval: r.Interval, Wkst: rrule.MO,
			Bymonthday: distinct(s.MonthDays), Byhour: distinct(s.Hours), Byminute: distinct(s.Minutes),
		}
		for _, d := range s.WeekDays {
			option.Byweekday = append(option.Byweekday, days[d])
		}
		for i, o := range s.MonthlyOccurrences {
			if o.Occurrence == 0 && len(s.MonthlyOccurrences) > 1 {
				// The oracle takes counted and plain weekdays together for an "and".
				o.Occurrence = 1
				s.MonthlyOccurrences[i] = o
			}
			option.Byweekday = append(option.Byweekday, days[o.Day].Nth(o.Occurrence))
		}
		if f >= recurrence.Day && len(s.Hours) == 0 && len(s.Minutes) > 0 {
			option.Byhour = ints(0, 23) // minutes alone are every hour here
		}
		oracle, err := rrule.NewRRule(option)
		require.NoError(t, err)
		timetable, err := recurrence.When{Rule: &r, Start: start}.Compile(recurrence.Created(start))
		if err != nil {
			t.Skip("never fires")
		}
		next, step := oracle.Iterator(), start.Add(-time.Nanosecond)
		for range 30 {
			want, more := next()
			got, ok := timetable.Next(step)
			if !more || want.Year() > 2150 {
				return
			}
			require.True(t, ok && got.Equal(want), "%s from %s: want %s, got %s", r, start, want, got)
			step = want
		}
	})
}

// distinct leaves out repetitions, which the oracle would repeat.
func distinct(list []int) []int {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}
