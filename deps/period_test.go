package deps_test

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sched/almanac/deps"
	"github.com/stretchr/testify/require"
)

// TestPeriods checks testdata/periods.txt.
func TestPeriods(t *testing.T) {
	f, err := os.Open("testdata/periods.txt")
	require.NoError(t, err)
	defer f.Close()
	lines, seen := bufio.NewScanner(f), 0
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		seen++
		where := fmt.Sprintf("periods.txt:%d: %s", n, lines.Text())
		if last := len(fields) - 1; fields[last] == "refused" {
			_, err := deps.PeriodOfCron(strings.Join(fields[1:last], " "))
			require.Error(t, err, where)
			continue
		}
		want := fields[len(fields)-2:]
		fields = fields[:len(fields)-2]
		var got deps.Period
		if fields[0] == "cron" {
			got, err = deps.PeriodOfCron(strings.Join(fields[1:], " "))
			require.NoError(t, err, where)
		} else {
			got = periodOfRule(fields[1:])
		}
		every := time.Duration(0)
		if want[1] != "-" {
			every, err = time.ParseDuration(want[1])
			require.NoError(t, err, where)
		}
		require.Equal(t, want[0], got.Class.String(), where)
		require.Equal(t, every, got.Every, where)
	}
	require.NoError(t, lines.Err())
	require.Greater(t, seen, 80)
}

func periodOfRule(f []string) deps.Period {
	interval, _ := strconv.Atoi(f[1])
	var hours, minutes []int
	list := &hours
	for _, word := range f[2:] {
		switch word {
		case "hours":
			list = &hours
		case "minutes":
			list = &minutes
		default:
			v, _ := strconv.Atoi(word)
			*list = append(*list, v)
		}
	}
	return deps.PeriodOfRule(f[0], interval, hours, minutes)
}

func TestWordsAreReadBack(t *testing.T) {
	for c := deps.NoClass; c <= deps.Year; c++ {
		got, err := deps.ParseClass(c.String())
		require.NoError(t, err)
		require.Equal(t, c, got)
	}
	for r := deps.NoneInWindow; r <= deps.SelfPrevious; r++ {
		got, err := deps.ParseReason(r.String())
		require.NoError(t, err)
		require.Equal(t, r, got)
	}
	for p := deps.Natural; p <= deps.Traditional; p++ {
		got, err := deps.ParsePolicy(p.String())
		require.NoError(t, err)
		require.Equal(t, p, got)
	}
	for c := deps.Left; c <= deps.Both; c++ {
		got, err := deps.ParseClosed(c.String())
		require.NoError(t, err)
		require.Equal(t, c, got)
	}
	for _, s := range []deps.Select{{Kind: deps.SelectAll}, {Kind: deps.SelectAny}, {Kind: deps.SelectFirst}, {Kind: deps.SelectLast}, {Kind: deps.SelectCount, N: 3}} {
		got, err := deps.ParseSelect(s.String())
		require.NoError(t, err)
		require.Equal(t, s, got)
	}
}

func TestUnknownWordsSayWhatIsAllowed(t *testing.T) {
	_, err := deps.ParseClass("fortnight")
	require.EqualError(t, err, `period "fortnight" is not one of none, minute, hour, discrete, day, week, month, year`)
	_, err = deps.ParseReason("")
	require.ErrorContains(t, err, "none-in-window, natural-day")
	for _, bad := range []string{"", "0", "-1", "default", "some"} {
		_, err = deps.ParseSelect(bad)
		require.ErrorContains(t, err, "is not one of all, any, first, last, or a number from 1", bad)
	}
	require.Equal(t, "period(9)", strings.Replace(deps.Class(9).String(), "class", "period", 1))
}

func TestOffsetsReadAsDurations(t *testing.T) {
	for text, o := range map[string]deps.Offset{
		"PT0S":       {},
		"-PT24H":     {Duration: -24 * time.Hour},
		"P1M":        {Months: 1},
		"-P1Y2M3D":   {Years: -1, Months: -2, Days: -3},
		"P1DT1H30M":  {Days: 1, Duration: 90 * time.Minute},
		"P1M-3D":     {Months: 1, Days: -3},
		"-P1DT45S":   {Days: -1, Duration: -45 * time.Second},
		"P1DT-30M":   {Days: 1, Duration: -30 * time.Minute},
		"P1M-3DT15M": {Months: 1, Days: -3, Duration: 15 * time.Minute},
	} {
		require.Equal(t, text, o.String())
	}
}

func TestPeriodsRead(t *testing.T) {
	for want, p := range map[string]deps.Period{
		"no period":        {},
		"every 90s":        {Class: deps.Minute, Every: 90 * time.Second},
		"minutely":         {Class: deps.Minute},
		"every 90 minutes": {Class: deps.Minute, Every: 90 * time.Minute},
		"hourly":           {Class: deps.Hour, Every: time.Hour},
		"discrete hours":   {Class: deps.Discrete, Every: 3 * time.Hour},
		"every 2 days":     {Class: deps.Day, Every: 48 * time.Hour},
		"weekly":           {Class: deps.Week},
		"every 2 weeks":    {Class: deps.Week, Every: 336 * time.Hour},
		"monthly":          {Class: deps.Month},
		"yearly":           {Class: deps.Year},
	} {
		require.Equal(t, want, strings.Replace(p.String(), "1m30s", "90s", 1))
	}
}

func TestAJobWithoutOccurrencesIsAMistakeOfTheCaller(t *testing.T) {
	_, err := deps.Edge{}.Compile(deps.Job{Period: deps.Period{Class: deps.Day}}, deps.Job{Period: deps.Period{Class: deps.Day}})
	require.EqualError(t, err, "compile an edge: a job without Occurrences")
}

func TestACountStartsAtOne(t *testing.T) {
	job := deps.Job{Period: deps.Period{Class: deps.Day}, Occurrences: cached(nil)}
	_, err := deps.Edge{Select: deps.Select{Kind: deps.SelectCount}}.Compile(job, job)
	var refused *deps.RefusedError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "select", refused.Field)
	require.EqualError(t, err, "select 0: a count starts at 1")
}
