package recurrence_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/recurrence"
)

// kinds are one When for every way of searching, each anchored at start. The
// last ones are the hardest we know: far apart, filtered to little, or moved.
func kinds(loc *time.Location, start time.Time) map[string]recurrence.When {
	rule := func(f recurrence.Frequency, interval int, s recurrence.Schedule) recurrence.When {
		return recurrence.When{Location: loc, Start: start, Rule: &recurrence.Rule{Frequency: f, Interval: interval, Schedule: s}}
	}
	cron := func(text string) recurrence.When { return recurrence.When{Location: loc, Start: start, Cron: text} }
	with := func(w recurrence.When, off recurrence.OffCalendar) recurrence.When {
		w.Calendar, w.OffCalendar = holidays(start.Year()), off
		return w
	}
	m := recurrence.Schedule{Minutes: []int{0, 30}}
	h := recurrence.Schedule{Minutes: []int{0, 15}, Hours: []int{2, 14}}
	friday5 := []recurrence.MonthlyOccurrence{{Day: time.Friday, Occurrence: 5}}
	return map[string]recurrence.When{
		"minute":              rule(recurrence.Minute, 7, recurrence.Schedule{}),
		"minute filtered":     rule(recurrence.Minute, 7, h),
		"minute rare":         rule(recurrence.Minute, 997, recurrence.Schedule{Minutes: []int{17}, Hours: []int{3}}),
		"hour":                rule(recurrence.Hour, 5, recurrence.Schedule{}),
		"hour filtered":       rule(recurrence.Hour, 5, h),
		"hour rare":           rule(recurrence.Hour, 997, recurrence.Schedule{Minutes: []int{17}, Hours: []int{3}}),
		"day every hour":      rule(recurrence.Day, 3, m),
		"day":                 rule(recurrence.Day, 1, h),
		"week":                rule(recurrence.Week, 2, recurrence.Schedule{WeekDays: []time.Weekday{1, 3, 5}, Hours: []int{2}}),
		"month":               rule(recurrence.Month, 1, recurrence.Schedule{}),
		"month days":          rule(recurrence.Month, 5, recurrence.Schedule{MonthDays: []int{1, -1}}),
		"month work days":     rule(recurrence.Month, 1, recurrence.Schedule{WorkDays: []int{1, -1}}),
		"month rare":          rule(recurrence.Month, 7, recurrence.Schedule{MonthDays: []int{29}, MonthlyOccurrences: friday5}),
		"year":                rule(recurrence.Year, 1, recurrence.Schedule{}),
		"cron":                cron("*/15 * * * *"),
		"cron named":          cron("30 2 * * 1-5"),
		"cron leap day":       cron("0 0 29 2 *"),
		"calendar drop":       with(rule(recurrence.Day, 1, h), recurrence.OffDrop),
		"calendar previous":   with(rule(recurrence.Month, 1, recurrence.Schedule{MonthDays: []int{1, 15}}), recurrence.OffPrevious),
		"calendar next hours": with(rule(recurrence.Hour, 7, recurrence.Schedule{}), recurrence.OffNext),
	}
}

// holidays is a calendar with ten years of twelve days off.
func holidays(year int) *recurrence.Calendar {
	c := &recurrence.Calendar{Name: "holidays", WorkDays: [7]bool{false, true, true, true, true, true, false}}
	for y := year; y < year+10; y++ {
		for m := time.January; m <= time.December; m++ {
			d := recurrence.Date{Year: y, Month: m, Day: 1 + int(m)*2}
			c.Off = append(c.Off, recurrence.DateRange{From: d, To: d.AddDays(2)})
		}
	}
	return c
}

var benchZones = []string{"UTC", "America/New_York", "Australia/Lord_Howe"}

// benchStart is 29 February, so that rare days exist for it.
var benchStart = time.Date(2024, 2, 29, 3, 17, 0, 0, time.UTC)

func BenchmarkNext(b *testing.B) {
	for _, zone := range benchZones {
		loc := zoneNamed(b, zone)
		for name, w := range kinds(loc, benchStart) {
			timetable, err := w.Compile(recurrence.Created(benchStart))
			require.NoError(b, err)
			for _, age := range []int{0, 10, 100} {
				b.Run(fmt.Sprintf("%s/%s/%dy", name, zone, age), func(b *testing.B) {
					b.ReportAllocs()
					at := benchStart.AddDate(age, 0, 0)
					t := at
					for range b.N {
						next, ok := timetable.Next(t)
						if !ok || next.Sub(at) > 400*24*time.Hour {
							next = at // stay within a year or so of the age
						}
						t = next
					}
				})
			}
		}
	}
}

func BenchmarkBetweenADay(b *testing.B) {
	loc := zoneNamed(b, "America/New_York")
	for _, name := range []string{"minute", "day", "cron"} {
		timetable, err := kinds(loc, benchStart)[name].Compile(recurrence.Created(benchStart))
		require.NoError(b, err)
		from := benchStart.AddDate(10, 0, 0)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				timetable.Between(from, from.AddDate(0, 0, 1))
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	loc := zoneNamed(b, "America/New_York")
	for name, w := range kinds(loc, benchStart) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if _, err := w.Compile(recurrence.Created(benchStart)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkMinGap(b *testing.B) {
	loc := zoneNamed(b, "America/New_York")
	for name, w := range kinds(loc, benchStart) {
		timetable, err := w.Compile(recurrence.Created(benchStart))
		require.NoError(b, err)
		b.Run(name, func(b *testing.B) {
			for range b.N {
				timetable.MinGap()
			}
		})
	}
}

// A first call for a location derives its table.
func BenchmarkFirstUseOfAZone(b *testing.B) {
	for range b.N {
		loc, err := time.LoadLocation("America/New_York")
		require.NoError(b, err)
		recurrence.DayStart(recurrence.Date{Year: 2026, Month: 3, Day: 8}, loc)
	}
}

func TestNextAllocatesNothing(t *testing.T) {
	for _, zone := range benchZones {
		for name, w := range kinds(zoneNamed(t, zone), benchStart) {
			timetable, err := w.Compile(recurrence.Created(benchStart))
			require.NoError(t, err)
			for _, age := range []int{0, 10, 100, 1000} {
				at := benchStart.AddDate(age, 0, 0)
				allocs := testing.AllocsPerRun(20, func() { at, _ = timetable.Next(at) })
				require.Zero(t, allocs, "%s in %s after %d years", name, zone, age)
			}
		}
	}
}

func TestBetweenAllocatesOnlyItsResult(t *testing.T) {
	timetable, err := kinds(zoneNamed(t, "America/New_York"), benchStart)["cron"].Compile(recurrence.Created(benchStart))
	require.NoError(t, err)
	allocs := testing.AllocsPerRun(20, func() { timetable.Between(benchStart, benchStart.AddDate(0, 0, 1)) })
	require.Equal(t, 1.0, allocs)
	buffer := make([]time.Time, 0, 200)
	allocs = testing.AllocsPerRun(20, func() { buffer = timetable.AppendBetween(buffer[:0], benchStart, benchStart.AddDate(0, 0, 1)) })
	require.Zero(t, allocs)
	require.Len(t, buffer, 96)
}
