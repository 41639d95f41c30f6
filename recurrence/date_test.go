package recurrence_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/almanac-sched/almanac/recurrence"
)

func date(t require.TestingT, s string) recurrence.Date {
	d, err := recurrence.ParseDate(s)
	require.NoError(t, err)
	return d
}

func TestDatesThatDoNotExistAreRefused(t *testing.T) {
	for _, s := range []string{"", "2026-1-01", "2026-02-29", "2026-13-01", "2026-00-10", "2026-04-31", "0000-01-01", "2026-01-01T00:00Z", "+026-01-01", "2026/01/01", "２026-1-1"} {
		_, err := recurrence.ParseDate(s)
		require.Error(t, err, s)
	}
	_, err := recurrence.ParseDate("2026-02-29")
	require.EqualError(t, err, `"2026-02-29" is not a date: February 2026 has 28 days`)
}

func TestDatesAgreeWithTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Date(rapid.IntRange(1, 9990).Draw(t, "year"), 1, rapid.IntRange(1, 366).Draw(t, "day"), 0, 0, 0, 0, time.UTC)
		n := rapid.IntRange(-3000, 3000).Draw(t, "days")
		d := recurrence.DateOf(at)
		require.Equal(t, at.Format(time.DateOnly), d.String())
		require.Equal(t, at.Weekday(), d.Weekday())
		later := at.AddDate(0, 0, n)
		require.Equal(t, recurrence.DateOf(later), d.AddDays(n))
		require.Equal(t, later.Compare(at), d.AddDays(n).Compare(d))
		if parsed, err := recurrence.ParseDate(at.Format(time.DateOnly)); err != nil || parsed != d {
			require.Fail(t, "round trip", "%v %v", parsed, err)
		}
	})
}

func TestTheFirstInstantOfANaturalDay(t *testing.T) {
	cases := []struct{ zone, day, begins, lasts string }{
		{"America/Santiago", "2026-09-05", "2026-09-05T00:00:00-04:00", "24h0m0s"},
		{"America/Santiago", "2026-09-06", "2026-09-06T01:00:00-03:00", "23h0m0s"},
		{"America/Santiago", "2026-04-04", "2026-04-04T00:00:00-03:00", "25h0m0s"},
		{"America/New_York", "2026-03-08", "2026-03-08T00:00:00-05:00", "23h0m0s"},
		{"America/New_York", "2026-11-01", "2026-11-01T00:00:00-04:00", "25h0m0s"},
		{"Australia/Lord_Howe", "2026-10-04", "2026-10-04T00:00:00+10:30", "23h30m0s"},
		{"Antarctica/Troll", "2026-03-29", "2026-03-29T00:00:00Z", "22h0m0s"},
		{"Pacific/Apia", "2011-12-30", "2011-12-31T00:00:00+14:00", "0s"},
		{"America/St_Johns", "2010-11-07", "2010-11-07T00:00:00-02:30", "25h0m0s"},
		{"UTC", "2026-01-31", "2026-01-31T00:00:00Z", "24h0m0s"},
		{"America/New_York", "2999-03-10", "2999-03-10T00:00:00-05:00", "23h0m0s"},
	}
	for _, c := range cases {
		loc, d := zoneNamed(t, c.zone), date(t, c.day)
		begin := recurrence.DayStart(d, loc)
		require.Equal(t, c.begins, begin.Format(time.RFC3339), "%s %s", c.zone, c.day)
		require.Equal(t, c.lasts, recurrence.DayStart(d.AddDays(1), loc).Sub(begin).String(), "%s %s", c.zone, c.day)
	}
	require.Equal(t, newYear, recurrence.DayStart(date(t, "2026-01-01"), nil))
}

func TestADayStartsWhereItsDateFirstShows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loc := zoneNamed(t, rapid.SampledFrom(oddZones).Draw(t, "zone"))
		d := recurrence.DateOf(drawNear(t, loc, "day"))
		begin := recurrence.DayStart(d, loc)
		require.LessOrEqual(t, d.Compare(recurrence.DateOf(begin)), 0)
		for back := time.Minute; back < 30*time.Hour; back += 7 * time.Minute {
			require.Negative(t, recurrence.DateOf(begin.Add(-back)).Compare(d), "%s shows %s before it begins at %s", loc, d, begin)
		}
	})
}

func TestWorkDays(t *testing.T) {
	c := parseCalendar(t, "", "mon tue wed thu fri; off 2026-10-01..2026-10-08 2026-10-05..2026-10-09; on 2026-10-09 2026-10-10")
	add := func(from string, n int) string {
		d, ok := c.AddWorkDays(date(t, from), n)
		require.True(t, ok)
		return d.String()
	}
	require.True(t, c.WorkDay(date(t, "2026-09-30")))
	require.False(t, c.WorkDay(date(t, "2026-10-01")))
	require.True(t, c.WorkDay(date(t, "2026-10-09")), "on beats off")
	require.True(t, c.WorkDay(date(t, "2026-10-10")))
	require.False(t, c.WorkDay(date(t, "2026-10-11")))
	require.Equal(t, "2026-10-09", add("2026-09-30", 1))
	require.Equal(t, "2026-10-09", add("2026-10-03", 1))
	require.Equal(t, "2026-10-03", add("2026-10-03", 0))
	require.Equal(t, "2026-10-12", add("2026-09-30", 3))
	require.Equal(t, "2026-09-30", add("2026-10-09", -1))
	require.Equal(t, "2026-09-29", add("2026-10-09", -2))
	_, ok := (&recurrence.Calendar{}).AddWorkDays(date(t, "2026-10-09"), 1)
	require.False(t, ok)
	_, ok = (&recurrence.Calendar{}).AddWorkDays(date(t, "2026-10-09"), -1)
	require.False(t, ok)
}

func TestAnIncludedCalendarYieldsToTheIncludingOne(t *testing.T) {
	base := parseCalendar(t, "", "mon tue wed thu fri; off 2026-05-01..2026-05-03 2026-12-25; on 2026-05-09..2026-05-10")
	own := parseCalendar(t, "", "; on 2026-12-25; off 2026-05-10 2026-06-01")
	own.Include(base)
	own.Include(nil)
	for day, want := range map[string]bool{
		"2026-05-01": false, // the included list
		"2026-05-09": true,  // the included list
		"2026-05-10": false, // ours against the included list
		"2026-12-25": true,  // ours against the included list
		"2026-06-01": false, // ours
		"2026-06-02": true,  // the included weekdays, as we have none
		"2026-06-06": false,
	} {
		require.Equal(t, want, own.WorkDay(date(t, day)), day)
	}
	require.Len(t, base.On, 1, "the included calendar is left alone")
}

func TestWorkDaysAgreeWithAWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCalendar(t, newYear)
		d := recurrence.DateOf(newYear).AddDays(rapid.IntRange(-40, 60).Draw(t, "day"))
		n := rapid.IntRange(1, 30).Draw(t, "n")
		o := &oracle{w: recurrence.When{Calendar: c}}
		for _, step := range []int{1, -1} {
			want, left := d, n
			for left > 0 {
				want = want.AddDays(step)
				if o.workDay(time.Date(want.Year, want.Month, want.Day, 0, 0, 0, 0, time.UTC)) {
					left--
				}
			}
			got, ok := c.AddWorkDays(d, n*step)
			require.True(t, ok)
			require.Equal(t, want, got)
		}
	})
}

func TestWordsRoundTrip(t *testing.T) {
	for f := recurrence.Minute; f <= recurrence.Year; f++ {
		text, err := f.MarshalText()
		require.NoError(t, err)
		var back recurrence.Frequency
		require.NoError(t, back.UnmarshalText(text))
		require.Equal(t, f, back)
	}
	for text, want := range map[string]recurrence.Frequency{
		"Monthly": recurrence.Month, "HOURLY": recurrence.Hour, "daily": recurrence.Day, "weekly": recurrence.Week, "yearly": recurrence.Year,
		"annually": recurrence.Year, "minutely": recurrence.Minute, "days": recurrence.Day, "Week": recurrence.Week,
	} {
		got, err := recurrence.ParseFrequency(text)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
	_, err := recurrence.ParseFrequency("fortnight")
	require.EqualError(t, err, `unknown frequency "fortnight": write minute, hour, day, week, month or year`)
	_, err = recurrence.Frequency(0).MarshalText()
	require.Error(t, err)
	require.Equal(t, "frequency(9)", recurrence.Frequency(9).String())

	for _, s := range []string{"shift", "skip"} {
		g, err := recurrence.ParseGap(s)
		require.NoError(t, err)
		require.Equal(t, s, g.String())
	}
	for _, s := range []string{"first", "last", "both"} {
		o, err := recurrence.ParseOverlap(s)
		require.NoError(t, err)
		require.Equal(t, s, o.String())
	}
	for _, s := range []string{"dryRun", "drop", "previous", "next"} {
		o, err := recurrence.ParseOffCalendar(s)
		require.NoError(t, err)
		require.Equal(t, s, o.String())
	}
	_, err = recurrence.ParseOverlap("middle")
	require.EqualError(t, err, `unknown overlap policy "middle": write first, last or both`)
}
