package deps_test

import (
	"testing"
	"time"

	"github.com/almanac-sched/almanac/deps"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestEveryInstantLiesInItsNaturalDayAndDaysAbut(t *testing.T) {
	// St. John's stepped back from 00:01 to 23:01 of the day before, and Apia left out
	// 30 December 2011.
	zones := []string{"America/St_Johns", "Pacific/Apia", "America/New_York", "America/Santiago", "Africa/Cairo", "America/Sao_Paulo", "Pacific/Kwajalein", "Asia/Manila"}
	rapid.Check(t, func(t *rapid.T) {
		loc, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		require.NoError(t, err)
		none := func(time.Time, time.Time) []time.Time { return nil }
		job := deps.Job{Period: deps.Period{Class: deps.Day}, Location: loc, Occurrences: none}
		binder, err := deps.Edge{}.Compile(job, job)
		require.NoError(t, err)
		start := time.Date(rapid.IntRange(1950, 2060).Draw(t, "year"), 1, 1, 0, 0, 0, 0, time.UTC)
		at := start.Add(time.Duration(rapid.IntRange(0, 366*24*60).Draw(t, "minute")) * time.Minute)
		w := binder.Bind(at).Window
		require.True(t, w.Contains(at), "%s not in %s", at.In(loc), w)
		require.LessOrEqual(t, w.To.Sub(w.From), 26*time.Hour)
		require.True(t, binder.Bind(w.To).Window.From.Equal(w.To), "a gap after %s", w)
		require.True(t, binder.Bind(w.From.Add(-1)).Window.To.Equal(w.From), "a gap before %s", w)
	})
}

func TestMidnightCrossedTwice(t *testing.T) {
	loc, err := time.LoadLocation("America/St_Johns")
	require.NoError(t, err)
	job := deps.Job{Period: deps.Period{Class: deps.Day}, Location: loc, Occurrences: cached(nil)}
	window := func(at time.Time) string {
		binder, err := deps.Edge{}.Compile(job, job) // one that remembers no day
		require.NoError(t, err)
		return binder.Bind(at).Window.String()
	}
	// At 00:01 on 29 October 2006 the clocks went back to 23:01.
	turn := time.Date(2006, 10, 29, 2, 31, 0, 0, time.UTC)
	for _, at := range []time.Time{turn.Add(-time.Minute), turn, turn.Add(30 * time.Minute), turn.Add(2 * time.Hour)} {
		require.Equal(t, "[2006-10-29 00:00 -02:30, 2006-10-30 00:00 -03:30)", window(at), at.In(loc))
	}
	require.Equal(t, "[2006-10-28 00:00 -02:30, 2006-10-29 00:00 -02:30)", window(turn.Add(-2*time.Minute)))
}

func TestADayThatWasLeftOut(t *testing.T) {
	loc, err := time.LoadLocation("Pacific/Apia")
	require.NoError(t, err)
	job := deps.Job{Period: deps.Period{Class: deps.Day}, Location: loc, Occurrences: cached(nil)}
	at := time.Date(2011, 12, 31, 9, 0, 0, 0, loc)
	for back, want := range []string{
		"[2011-12-31 00:00 +14:00, 2012-01-01 00:00 +14:00)",
		"[2011-12-31 00:00 +14:00, 2011-12-31 00:00 +14:00)",
		"[2011-12-29 00:00 -10:00, 2011-12-31 00:00 +14:00)",
	} {
		binder, err := deps.Edge{Previous: back}.Compile(job, job)
		require.NoError(t, err)
		require.Equal(t, want, binder.Bind(at).Window.String(), "previous %d", back)
	}
}

func TestTheLastDayOfALeapYearFarAhead(t *testing.T) {
	loc, err := time.LoadLocation("America/New_York")
	require.NoError(t, err)
	job := deps.Job{Period: deps.Period{Class: deps.Day}, Location: loc, Occurrences: cached(nil)}
	binder, err := deps.Edge{}.Compile(job, job)
	require.NoError(t, err)
	at := time.Date(2040, 12, 31, 9, 0, 0, 0, loc)
	require.Equal(t, "[2040-12-31 00:00 -05:00, 2041-01-01 00:00 -05:00)", binder.Bind(at).Window.String())
}

func TestASubSecondClockTimeInAGapIsTheGapsEnd(t *testing.T) {
	loc, err := time.LoadLocation("America/New_York")
	require.NoError(t, err)
	discrete := deps.Period{Class: deps.Discrete, Every: time.Hour}
	at := time.Date(2026, 3, 8, 3, 0, 0, 0, loc)
	down := deps.Job{Period: discrete, Location: loc, Occurrences: cached([]time.Time{at})}
	early, late := time.Date(2026, 3, 7, 1, 59, 59, 5e8, loc), time.Date(2026, 3, 7, 2, 30, 0, 5e8, loc)
	up := deps.Job{Period: discrete, Location: loc, Occurrences: cached([]time.Time{early, late, late.Add(time.Hour)})}
	binder, err := deps.Edge{Previous: 1}.Compile(down, up)
	require.NoError(t, err)
	got := binder.Bind(at)
	require.Equal(t, []time.Time{early, late}, got.Times)
	require.Equal(t, deps.IntervalBack, got.Reason)
}
