package recurrence_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/almanac-sched/almanac/recurrence"
)

// oddZones each break some assumption about clocks.
var oddZones = []string{
	"UTC", "America/New_York", "America/Santiago", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Shanghai",
	"Antarctica/Troll", "America/St_Johns", "Asia/Kathmandu", "Africa/Casablanca", "Europe/Dublin",
	"America/Havana", "Asia/Gaza", "Pacific/Kiritimati", "America/Caracas", "Asia/Pyongyang", "America/Sao_Paulo",
}

var zoneCache = map[string]*time.Location{}

func zoneNamed(t require.TestingT, name string) *time.Location {
	if zoneCache[name] == nil {
		loc, err := time.LoadLocation(name)
		require.NoError(t, err)
		zoneCache[name] = loc
	}
	return zoneCache[name]
}

func subset[T any](t *rapid.T, label string, from []T, most int) []T {
	n := rapid.IntRange(1, most).Draw(t, label+" number")
	return rapid.SliceOfN(rapid.SampledFrom(from), n, n).Draw(t, label)
}

func ints(from, to int) []int {
	var list []int
	for i := from; i <= to; i++ {
		list = append(list, i)
	}
	return list
}

var (
	everyWeekday = []time.Weekday{0, 1, 2, 3, 4, 5, 6}
	// Most hours drawn are those at which clocks change.
	drawnHours   = append(ints(0, 23), 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 23, 23)
	drawnMinutes = append(ints(0, 59), 0, 0, 0, 0, 0, 15, 30, 30, 30, 45, 1)
)

func drawSchedule(t *rapid.T, f recurrence.Frequency) recurrence.Schedule {
	var s recurrence.Schedule
	some := func(what string) bool { return rapid.Bool().Draw(t, what) }
	if some("minutes?") {
		s.Minutes = subset(t, "minutes", drawnMinutes, 4)
	}
	if some("hours?") {
		s.Hours = subset(t, "hours", drawnHours, 5)
	}
	if f == recurrence.Week && some("weekDays?") {
		s.WeekDays = subset(t, "weekDays", everyWeekday, 3)
	}
	if f == recurrence.Month {
		if some("monthDays?") {
			s.MonthDays = subset(t, "monthDays", append(ints(-31, -1), append(ints(1, 31), 29, 30, 31, -1, 1)...), 6)
		}
		if rapid.IntRange(0, 2).Draw(t, "monthlyOccurrences?") == 0 {
			n := rapid.IntRange(1, 4).Draw(t, "number of monthlyOccurrences")
			for range n {
				s.MonthlyOccurrences = append(s.MonthlyOccurrences, recurrence.MonthlyOccurrence{
					Day:        rapid.SampledFrom(everyWeekday).Draw(t, "day"),
					Occurrence: rapid.IntRange(-5, 5).Draw(t, "occurrence"),
				})
			}
		}
		if rapid.IntRange(0, 3).Draw(t, "workDays?") == 0 {
			s.WorkDays = subset(t, "workDays", []int{1, 2, 3, 10, 20, 21, 22, 23, -1, -2, -20, -23}, 3)
		}
	}
	return s
}

// drawNear draws an instant of 1950–2060, often within a few days of a change
// of the zone's offset or of a month's end.
func drawNear(t *rapid.T, loc *time.Location, label string) time.Time {
	at := time.Date(rapid.IntRange(1950, 2059).Draw(t, label+" year"), 1, 1, 0, rapid.IntRange(0, 366*24*60).Draw(t, label+" minute"),
		rapid.SampledFrom([]int{0, 0, 17, 59}).Draw(t, label+" second"), rapid.SampledFrom([]int{0, 250_000_000}).Draw(t, label+" fraction"), time.UTC)
	switch rapid.IntRange(0, 3).Draw(t, label+" near") {
	case 0, 1:
		if _, end := at.In(loc).ZoneBounds(); !end.IsZero() && end.Year() < 2060 {
			spread := at.Sub(at.Truncate(96 * time.Hour))
			return end.Add(spread - 72*time.Hour)
		}
	case 2:
		y, m, _ := at.Date()
		return time.Date(y, m+1, 0, at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), loc)
	}
	return at.In(loc)
}

func drawCalendar(t *rapid.T, near time.Time) *recurrence.Calendar {
	c := &recurrence.Calendar{Name: "drawn"}
	days := [][7]bool{
		{false, true, true, true, true, true, false},
		{true, true, true, true, true, false, false},
		{false, true, true, true, true, true, true},
		{false, true, false, true, false, false, false},
	}
	c.WorkDays = rapid.SampledFrom(days).Draw(t, "work days")
	base := recurrence.DateOf(near)
	draw := func(what string) (list []recurrence.DateRange) {
		for range rapid.IntRange(0, 4).Draw(t, what) {
			from := base.AddDays(rapid.IntRange(-20, 40).Draw(t, what+" from"))
			list = append(list, recurrence.DateRange{From: from, To: from.AddDays(rapid.IntRange(0, 3).Draw(t, what+" length"))})
		}
		return list
	}
	c.Off, c.On = draw("off"), draw("on")
	return c
}

func drawCron(t *rapid.T) string {
	field := func(label string, low, high int, common ...string) string {
		if rapid.IntRange(0, 2).Draw(t, label+" kind") > 0 {
			return rapid.SampledFrom(common).Draw(t, label)
		}
		from := rapid.IntRange(low, high).Draw(t, label+" from")
		return fmt.Sprintf("%d-%d/%d", from, rapid.IntRange(from, high).Draw(t, label+" to"), rapid.IntRange(1, 7).Draw(t, label+" step"))
	}
	return strings.Join([]string{
		field("minute", 0, 59, "0", "30", "*/15", "0,59", "5-10"),
		field("hour", 0, 23, "*", "*", "2", "0", "1-3", "*/2", "23,0"),
		field("dom", 1, 31, "*", "*", "*", "31", "1,15", "*/2"),
		field("month", 1, 12, "*", "*", "*", "3,11", "4,9,10"),
		field("dow", 0, 6, "*", "*", "*", "0", "1-5"),
	}, " ")
}

type drawn struct {
	when     recurrence.When
	created  time.Time
	anchored bool
	from, to time.Time
}

// drawWhen draws what is due at some time; what never fires is another property's.
func drawWhen(t *rapid.T, withCalendar bool) drawn {
	return drawFiring(t, 0, withCalendar)
}

// drawRule is drawWhen without cron, which is the frequency 0.
func drawRule(t *rapid.T, withCalendar bool) drawn {
	return drawFiring(t, recurrence.Minute, withCalendar)
}

func drawFiring(t *rapid.T, least recurrence.Frequency, withCalendar bool) drawn {
	drawing := rapid.Custom(func(t *rapid.T) drawn { return drawAny(t, least, withCalendar) })
	return drawing.Filter(drawn.fires).Draw(t, "when")
}

func drawAny(t *rapid.T, least recurrence.Frequency, withCalendar bool) drawn {
	loc := zoneNamed(t, rapid.SampledFrom(oddZones).Draw(t, "zone"))
	d := drawn{anchored: rapid.Bool().Draw(t, "anchored")}
	w := recurrence.When{
		Location: loc,
		Gap:      recurrence.Gap(rapid.IntRange(0, 1).Draw(t, "gap")),
		Overlap:  recurrence.Overlap(rapid.IntRange(0, 2).Draw(t, "overlap")),
	}
	d.created = drawNear(t, loc, "created")
	span := 6 * 24 * time.Hour
	f := recurrence.Frequency(rapid.IntRange(int(least), 6).Draw(t, "frequency"))
	if f == 0 {
		w.Cron = drawCron(t)
	} else {
		r := recurrence.Rule{Frequency: f}
		most := []int{0, 1000, 1000, 60, 10, 5, 1}[f]
		if rapid.Bool().Draw(t, "interval?") {
			r.Interval = rapid.IntRange(1, most).Draw(t, "interval")
		}
		if rapid.IntRange(0, 3).Draw(t, "schedule?") > 0 {
			r.Schedule = drawSchedule(t, f)
		}
		w.Rule = &r
		if f >= recurrence.Week {
			span = 33 * 24 * time.Hour
		}
	}
	switch rapid.IntRange(0, 3).Draw(t, "start") {
	case 0:
		w.Start = d.created.Add(time.Duration(rapid.IntRange(-100_000, 100_000).Draw(t, "start minutes")) * time.Minute)
	case 1:
		w.Start = d.created.Truncate(time.Millisecond)
	}
	origin := d.created
	if w.Start.After(origin) || d.anchored && !w.Start.IsZero() {
		origin = w.Start
	}
	d.from = origin.Add(time.Duration(rapid.SampledFrom([]int{-60, -60, 0, 1000, 10_000, 500_000}).Draw(t, "window")) * time.Minute)
	if _, end := d.from.In(loc).ZoneBounds(); !end.IsZero() && end.Year() < 2060 && rapid.Bool().Draw(t, "window at a change") {
		d.from = end.Add(-span / 2)
	}
	d.to = d.from.Add(span)
	if rapid.IntRange(0, 4).Draw(t, "end?") == 0 {
		w.End = d.from.Add(span / 2)
		if w.End.Before(w.Start) {
			w.End = w.Start
		}
	}
	if withCalendar {
		w.Calendar = drawCalendar(t, d.from)
		w.OffCalendar = recurrence.OffCalendar(rapid.IntRange(0, 3).Draw(t, "offCalendar"))
	}
	w.AtOnce = rapid.Bool().Draw(t, "at once")
	d.when = w
	return d
}

func (d drawn) origin() recurrence.Origin {
	if d.anchored {
		return recurrence.Anchored(d.created)
	}
	return recurrence.Created(d.created)
}

// fires reports whether anything is ever due.
func (d drawn) fires() bool {
	_, err := d.when.Compile(d.origin())
	var never *recurrence.NeverError
	return !errors.As(err, &never)
}

func (d drawn) compile(t *rapid.T) *recurrence.Timetable {
	timetable, err := d.when.Compile(d.origin())
	require.NoError(t, err)
	return timetable
}

// drawCounted draws a rule with a count of up to most, and what is due without the count.
func drawCounted(t *rapid.T, most int) (d drawn, count int, all *recurrence.Timetable) {
	d = drawRule(t, rapid.IntRange(0, 3).Draw(t, "calendar") == 0)
	all = d.compile(t)
	counted := *d.when.Rule
	counted.Count = rapid.IntRange(1, most).Draw(t, "count")
	d.when.Rule = &counted
	return d, counted.Count, all
}

func stamps(times []time.Time, loc *time.Location) []string {
	list := make([]string, 0, len(times))
	for _, t := range times {
		list = append(list, t.In(loc).Format("Mon 2006-01-02 15:04:05.000 -07:00"))
	}
	return list
}

func agree(t *rapid.T, d drawn) {
	timetable := d.compile(t)
	want := newOracle(d.when, d.created, d.anchored).between(d.from, d.to)
	got := timetable.Between(d.from, d.to)
	require.Equal(t, stamps(want, d.when.Location), stamps(got, d.when.Location), "%s created %s anchored %v", d.when,
		d.created.In(d.when.Location), d.anchored)
}

func TestEveryRuleAgreesWithTheWalkOverEachMinute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { agree(t, drawWhen(t, false)) })
}

func TestEveryRuleWithACalendarAgreesWithTheWalkOverEachMinute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { agree(t, drawWhen(t, true)) })
}

func TestNextIsLaterAndIncreasesStrictly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawWhen(t, rapid.Bool().Draw(t, "calendar"))
		timetable := d.compile(t)
		at := d.from
		for range 50 {
			next, ok := timetable.Next(at)
			if !ok {
				return
			}
			require.True(t, next.After(at), "%s is not after %s", next, at)
			between := at.Add(next.Sub(at) / 2)
			same, ok := timetable.Next(between)
			require.True(t, ok && same.Equal(next), "from %s on the next is %s, from %s on %s", at, next, between, same)
			at = next
		}
	})
}

func TestAdjoiningWindowsMakeOneWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawWhen(t, rapid.Bool().Draw(t, "calendar"))
		timetable := d.compile(t)
		middle := d.from.Add(time.Duration(rapid.Int64Range(0, int64(d.to.Sub(d.from))).Draw(t, "middle")))
		if next, ok := timetable.Next(d.from); ok && next.Before(d.to) && rapid.Bool().Draw(t, "at an occurrence") {
			middle = next
		}
		halves := timetable.AppendBetween(timetable.Between(d.from, middle), middle, d.to)
		require.Equal(t, stamps(timetable.Between(d.from, d.to), d.when.Location), stamps(halves, d.when.Location))
	})
}

func TestACountTakesTheFirstOccurrencesSinceCreation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, count, all := drawCounted(t, 3000)
		limited := d.compile(t)
		at := time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
		for n := 1; n <= count; n++ {
			want, ok := all.Next(at)
			if !ok || want.Year() > d.created.Year()+350 { // the count gives up after 400 years
				return
			}
			got, ok := limited.Next(at)
			require.True(t, ok && got.Equal(want), "occurrence %d of %d: want %s, got %s", n, count, want, got)
			at = want
		}
		got, ok := limited.Next(at)
		require.False(t, ok, "%s is past the count of %d", got, count)
		last, ok := limited.Counted()
		require.True(t, ok && last.Equal(at), "the count ends with %s, and the last is %s", last, at)
	})
}

// What is due before the rest of a count begins is as it is without a count, and
// from there on as many are due as are left.
func TestTheRestOfACountIsDueFromWhereItBegins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, count, all := drawCounted(t, 50)
		from := d.from.Add(time.Duration(rapid.IntRange(-2000, 4000).Draw(t, "minutes")) * time.Minute)
		spent := rapid.IntRange(-20, count+5).Draw(t, "spent")
		rest, err := d.when.Compile(d.origin().Counted(from, spent))
		require.NoError(t, err)
		want := all.Between(from.AddDate(0, 0, -3), from.Truncate(time.Millisecond))
		at := from.Truncate(time.Millisecond).Add(-time.Millisecond)
		reached := true
		for range count - spent {
			next, ok := all.Next(at)
			// The count gives up after 400 years.
			if reached = ok && next.Year() <= d.created.Year()+350; !reached {
				break
			}
			want, at = append(want, next), next
		}
		to := at.Add(time.Millisecond)
		if reached {
			to = at.AddDate(1, 0, 0)
		}
		got := rest.Between(from.AddDate(0, 0, -3), to)
		require.Equal(t, stamps(want, d.when.Location), stamps(got, d.when.Location), "%s from %s, spent %d", d.when, from, spent)
		if !reached {
			return // the schedule ends before the count
		}
		last, ok := rest.Counted()
		require.Equal(t, count > spent, ok)
		require.True(t, !ok || last.Equal(at))
	})
}

// Previous goes back the way that Next came, and finds each plan time from any instant after it.
func TestPreviousGoesBackTheWayThatNextCame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawWhen(t, rapid.Bool().Draw(t, "calendar"))
		timetable := d.compile(t)
		before, some := timetable.Previous(d.from)
		for n, at := 0, d.from.Add(-time.Millisecond); n < 40; n++ {
			next, due := timetable.Next(at)
			if !due {
				break
			}
			back, found := timetable.Previous(next)
			require.Equal(t, some, found, "%s before %s", d.when, next)
			require.True(t, !found || back.Equal(before), "%s before %s: %s, not %s", d.when, next, back, before)
			later, found := timetable.Previous(next.Add(time.Millisecond))
			require.True(t, found && later.Equal(next), "%s just after %s: %s", d.when, next, later)
			before, some, at = next, true, next
		}
		if first, due := timetable.Next(time.Time{}); due {
			_, found := timetable.Previous(first)
			require.False(t, found, "%s before its first, %s", d.when, first)
		}
	})
}
