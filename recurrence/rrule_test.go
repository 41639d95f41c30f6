package recurrence_test

import (
	"errors"
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
		drawn := rapid.Custom(drawInUTC).Filter(ruleInUTC.fires).Draw(t, "rule")
		r, start := drawn.rule, drawn.start
		f, s := r.Frequency, r.Schedule
		option := rrule.ROption{
			Freq: frequencies[f], Dtstart: start, Interval: r.Interval, Wkst: rrule.MO,
			Bymonthday: distinct(s.MonthDays), Byhour: distinct(s.Hours), Byminute: distinct(s.Minutes),
		}
		for _, d := range s.WeekDays {
			option.Byweekday = append(option.Byweekday, days[d])
		}
		for _, o := range s.MonthlyOccurrences {
			option.Byweekday = append(option.Byweekday, days[o.Day].Nth(o.Occurrence))
		}
		if f >= recurrence.Day && len(s.Hours) == 0 && len(s.Minutes) > 0 {
			option.Byhour = ints(0, 23) // minutes alone are every hour here
		}
		oracle, err := rrule.NewRRule(option)
		require.NoError(t, err)
		timetable, err := recurrence.When{Rule: &r, Start: start}.Compile(recurrence.Created(start))
		require.NoError(t, err)
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

// A ruleInUTC is a rule that RFC 5545 can say too, and from when on it counts.
type ruleInUTC struct {
	rule  recurrence.Rule
	start time.Time
}

func drawInUTC(t *rapid.T) ruleInUTC {
	f := recurrence.Frequency(rapid.IntRange(1, 6).Draw(t, "frequency"))
	limits := []int{0, 500, 500, 548, 78, 18, 1}
	r := recurrence.Rule{Frequency: f, Interval: rapid.IntRange(1, limits[f]).Draw(t, "interval")}
	r.Schedule = drawSchedule(t, f)
	r.Schedule.WorkDays = nil
	if counted := r.Schedule.MonthlyOccurrences; len(counted) > 1 {
		for i := range counted {
			// The oracle takes counted and plain weekdays together for an "and".
			if counted[i].Occurrence == 0 {
				counted[i].Occurrence = 1
			}
		}
	}
	start := drawNear(t, time.UTC, "start").Truncate(time.Minute)
	if r.Schedule.IsZero() && f >= recurrence.Month && start.Day() > 28 ||
		f == recurrence.Year && start.Day() == 29 {
		start = start.AddDate(0, 0, -4)
	}
	return ruleInUTC{r, start}
}

// fires reports whether anything is ever due.
func (r ruleInUTC) fires() bool {
	_, err := recurrence.When{Rule: &r.rule, Start: r.start}.Compile(recurrence.Created(r.start))
	var never *recurrence.NeverError
	return !errors.As(err, &never)
}

// distinct leaves out repetitions, which the oracle would repeat.
func distinct(list []int) []int {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}
