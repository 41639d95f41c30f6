package recurrence_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/almanac-sched/almanac/recurrence"
)

var newYear = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func TestEveryMistakeIsNamedWithItsPlaceAndWhatToWrite(t *testing.T) {
	type schedule = recurrence.Schedule
	rule := func(f recurrence.Frequency, interval int, s schedule) recurrence.When {
		return recurrence.When{Rule: &recurrence.Rule{Frequency: f, Interval: interval, Schedule: s}}
	}
	cron := func(text string) recurrence.When { return recurrence.When{Cron: text} }
	many := make([]time.Weekday, 8)
	cases := []struct {
		name string
		when recurrence.When
		want []string // parts of the errors, one each
	}{
		{"no frequency", rule(0, 0, schedule{}), []string{"frequency: missing or unknown; write minute, hour, day, week, month or year"}},
		{"negative interval", rule(recurrence.Day, -1, schedule{}), []string{"interval: -1 is not positive; write 1 or more"}},
		{"19 months", rule(recurrence.Month, 19, schedule{}), []string{"interval: 19 is too long for frequency month; allowed is 1..18"}},
		{"79 weeks", rule(recurrence.Week, 79, schedule{}), []string{"allowed is 1..78"}},
		{"549 days", rule(recurrence.Day, 549, schedule{}), []string{"allowed is 1..548"}},
		{"1001 hours", rule(recurrence.Hour, 1001, schedule{}), []string{"allowed is 1..1000"}},
		{"1001 minutes", rule(recurrence.Minute, 1001, schedule{}), []string{"allowed is 1..1000"}},
		{"2 years", rule(recurrence.Year, 2, schedule{}), []string{"allowed is 1..1"}},
		{"negative count", recurrence.When{Rule: &recurrence.Rule{Frequency: recurrence.Day, Count: -3}}, []string{"count: -3 is not positive"}},
		{"minutes and hours, all of them", rule(recurrence.Day, 1, schedule{Minutes: []int{0, 60, -1}, Hours: []int{24}}), []string{
			"schedule.minutes[1]: 60 is out of range; allowed is 0..59", "schedule.minutes[2]: -1", "schedule.hours[0]: 24 is out of range; allowed is 0..23; midnight is 0"}},
		{"weekDays of a day rule", rule(recurrence.Day, 1, schedule{WeekDays: []time.Weekday{1}}), []string{
			"schedule.weekDays: only allowed with frequency week, not day; write frequency: week"}},
		{"monthDays of a week rule", rule(recurrence.Week, 1, schedule{MonthDays: []int{1}}), []string{
			"schedule.monthDays: only allowed with frequency month, not week"}},
		{"monthlyOccurrences of a year rule", rule(recurrence.Year, 1, schedule{MonthlyOccurrences: []recurrence.MonthlyOccurrence{{Day: 5}}}), []string{
			"schedule.monthlyOccurrences: only allowed with frequency month, not year"}},
		{"workDays of a day rule", rule(recurrence.Day, 1, schedule{WorkDays: []int{1}}), []string{"schedule.workDays: only allowed with frequency month"}},
		{"monthDays out of range", rule(recurrence.Month, 1, schedule{MonthDays: []int{31, 0, 32, -32}}), []string{
			"schedule.monthDays[1]: 0 is not allowed; allowed is 1..31 or -31..-1; the last day is -1", "schedule.monthDays[2]: 32", "schedule.monthDays[3]: -32"}},
		{"workDays out of range", rule(recurrence.Month, 1, schedule{WorkDays: []int{0}}), []string{"schedule.workDays[0]: 0 is not allowed"}},
		{"occurrence out of range", rule(recurrence.Month, 1, schedule{MonthlyOccurrences: []recurrence.MonthlyOccurrence{{Day: 5, Occurrence: 6}, {Day: 7}}}), []string{
			"schedule.monthlyOccurrences[0].occurrence: 6 is out of range; allowed is 1..5 or -5..-1, or leave it out for every friday",
			"schedule.monthlyOccurrences[1].day: not a weekday"}},
		{"eight weekDays", rule(recurrence.Week, 1, schedule{WeekDays: many}), []string{"schedule.weekDays: 8 entries; at most 7"}},
		{"weekday that does not exist", rule(recurrence.Week, 1, schedule{WeekDays: []time.Weekday{9}}), []string{"schedule.weekDays[0]: not a weekday"}},
		{"two schedules", recurrence.When{Cron: "0 0 * * *", At: []time.Time{newYear}}, []string{"recurrence: only one of recurrence, cron and at is allowed; 2 are given"}},
		{"manual with a schedule", recurrence.When{Cron: "0 0 * * *", Manual: true}, []string{"trigger: manual means on demand only"}},
		{"end before start", recurrence.When{Cron: "0 0 * * *", Start: newYear, End: newYear.Add(-1)}, []string{"endTime: ", "before startTime"}[:1]},
		{"zero time in a list", recurrence.When{At: []time.Time{{}}}, []string{"at: "}},
		{"unknown policies", recurrence.When{Cron: "0 0 * * *", Gap: 7, Overlap: 7, OffCalendar: 7}, []string{"dst.gap: ", "dst.overlap: ", "offCalendar: "}},
		{"calendar", recurrence.When{Cron: "0 0 * * *", Calendar: &recurrence.Calendar{WorkDays: [7]bool{1: true},
			Off: []recurrence.DateRange{{From: recurrence.Date{Year: 2026, Month: 2, Day: 30}, To: recurrence.Date{Year: 2026, Month: 3, Day: 1}}},
			On:  []recurrence.DateRange{{From: recurrence.Date{Year: 2026, Month: 2, Day: 3}, To: recurrence.Date{Year: 2026, Month: 2, Day: 1}}}}},
			[]string{"calendar.off[0]: 2026-02-30 is not a date", "calendar.on[0]: 2026-02-03..2026-02-01 ends before it begins"}},
		{"year out of range", recurrence.When{Start: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}, []string{"startTime: the year 10000 is out of range"}},
		{"cron: blank", cron("  "), []string{"cron: empty; write five fields"}},
		{"cron: four fields", cron("0 0 * *"), []string{`cron: "0 0 * *" has 4 fields; write five`}},
		{"cron: six fields", cron("0 0 0 * * *"), []string{"has 6 fields; seconds and years are not supported"}},
		{"cron: every field wrong", cron("60 24 0 13 8"), []string{`"60" in the minute field`, `"24" in the hour field`, `"0" in the day-of-month field`,
			`"13" in the month field`, `"8" in the weekday field`}},
		{"cron: Sunday as 7", cron("0 0 * * 7"), []string{`"7" in the weekday field: Sunday is 0, not 7`}},
		{"cron: Sunday as the end of a range", cron("0 0 * * 1-7"), []string{"Sunday is 0, not 7"}},
		{"cron: @every", cron("@every 5m"), []string{"has no anchor to count from; write a recurrence instead"}},
		{"cron: unknown shortcut", cron("@reboot"), []string{`unknown shortcut "@reboot"; allowed is @yearly`}},
		{"cron: zone alone panics in the library", cron("TZ=UTC"), []string{`"TZ=UTC" names a zone and no times`}},
		{"cron: zone alone, long form", cron("CRON_TZ=Asia/Shanghai"), []string{"names a zone and no times"}},
		{"cron: no zone", cron("CRON_TZ= 0 0 * * *"), []string{"CRON_TZ= names no zone"}},
		{"cron: the machine's zone", cron("TZ=Local 0 0 * * *"), []string{"TZ=Local names no zone"}},
		{"cron: unknown zone", cron("TZ=Mars/Base 0 0 * * *"), []string{`unknown time zone "Mars/Base" after TZ=`}},
		{"cron: empty item", cron("0, 0 * * *"), []string{`"0," in the minute field: an item is empty`}},
		{"cron: nothing but commas", cron(", 0 * * *"), []string{"an item is empty"}},
		{"cron: star with a tail", cron("*-5 0 * * *"), []string{"* stands alone or before /"}},
		{"cron: sign", cron("+5 0 * * *"), []string{"a sign is not allowed"}},
		{"cron: step of 0", cron("*/0 0 * * *"), []string{`"*/0" in the minute field`}},
		{"cron: backwards", cron("30-10 0 * * *"), []string{`"30-10" in the minute field`}},
		{"cron: last day", cron("0 0 L * *"), []string{"L is not supported", "monthDays: [-1]"}[:1]},
		{"cron: nearest weekday", cron("0 0 15W * *"), []string{"W is not supported"}},
		{"cron: first Friday", cron("0 0 * * 5#1"), []string{"# is not supported"}},
		{"cron: last Friday", cron("0 0 * * 5L"), []string{"L is not supported"}},
		{"cron: never", cron("0 0 30 2 *"), []string{"cron: never fires: by cron expression 0 0 30 2 * has no occurrence within 400 years"}},
		{"rule: never", rule(recurrence.Month, 1, schedule{MonthDays: []int{8}, MonthlyOccurrences: []recurrence.MonthlyOccurrence{{Day: 5, Occurrence: 1}}}),
			[]string{"recurrence: never fires: every month on the 8th day, when that is also the 1st Friday"}},
		{"rule: never on a work day", recurrence.When{
			Rule:     &recurrence.Rule{Frequency: recurrence.Week, Schedule: schedule{WeekDays: []time.Weekday{0}}},
			Calendar: holidays(2026), OffCalendar: recurrence.OffDrop}, []string{"recurrence: never fires"}},
		{"at: never on a work day", recurrence.When{At: []time.Time{time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC)},
			Calendar: holidays(2026), OffCalendar: recurrence.OffDrop}, []string{"at: never fires"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, m := range c.when.Validate() {
				got = append(got, m.Error())
			}
			require.Len(t, got, len(c.want), "%q", got)
			for i, part := range c.want {
				require.Contains(t, got[i], part)
			}
			_, err := c.when.Compile(recurrence.Created(newYear))
			require.ErrorContains(t, err, c.want[0])
		})
	}
}

func TestWhatIsLegalIsNotRefused(t *testing.T) {
	month12 := recurrence.When{Rule: &recurrence.Rule{Frequency: recurrence.Month, Interval: 12, Schedule: recurrence.Schedule{MonthDays: []int{31}}}}
	require.Empty(t, month12.Validate(), "whether the anchor's month has a 31st is not known yet")
	_, err := month12.Compile(recurrence.Created(newYear))
	require.NoError(t, err)
	var never *recurrence.NeverError
	_, err = month12.Compile(recurrence.Created(newYear.AddDate(0, 1, 0)))
	require.ErrorAs(t, err, &never)
	require.Equal(t, "recurrence", never.Field)

	past := recurrence.When{Cron: "0 0 * * *", End: newYear}
	require.Empty(t, past.Validate())
	timetable, err := past.Compile(recurrence.Created(newYear.AddDate(1, 0, 0)))
	require.NoError(t, err, "an end in the past completes a job")
	_, ok := timetable.Next(newYear.AddDate(-1, 0, 0))
	require.False(t, ok)

	for _, text := range []string{"*/45 * * * *", "0 0 ? * *", "0 0 29 2 *", "TZ=UTC  0 0 * * *", "@HOURLY", "CRON_TZ=Asia/Shanghai @daily", " 5 4 * * sun "} {
		require.Empty(t, recurrence.When{Cron: text}.Validate(), text)
	}
	saturday := time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC)
	once := recurrence.When{Calendar: holidays(2026), OffCalendar: recurrence.OffDrop}
	_, err = once.Compile(recurrence.Created(saturday))
	require.NoError(t, err, "a one-off created on a day off is over, not wrong")
}

func TestWarnings(t *testing.T) {
	warn := func(cron string) string {
		var list []string
		for _, w := range (recurrence.When{Cron: cron}).Warnings() {
			list = append(list, w.Error())
		}
		return strings.Join(list, "\n")
	}
	require.Equal(t, `cron: "*/45" in the minute field is :00 and :45, not every 45 minutes; `+
		`for an even distance write a recurrence {frequency: minute, interval: 45}`, warn("*/45 * * * *"))
	require.Contains(t, warn("0 */5 * * *"), `"*/5" in the hour field is :00, :05, :10, :15 … and then starts again at :00`)
	require.Contains(t, warn("0/7 * * * *"), "not every 7 minutes")
	require.Contains(t, warn("0 6 13 * 5"), "a day that matches either is due")
	require.Contains(t, warn("0 6 */2 * 1"), "a day that matches either is due")
	for _, quiet := range []string{"*/15 * * * *", "0 */6 * * *", "0 6 13 * *", "0 6 * * 5", "10/7 * * * *", "@daily", "nonsense", ""} {
		require.Empty(t, warn(quiet), quiet)
	}
}

func TestTheScheduleInWords(t *testing.T) {
	shanghai := zoneNamed(t, "Asia/Shanghai")
	cases := []struct {
		want string
		when recurrence.When
	}{
		{"every 2 weeks on Monday and Sunday at 05:15 and 17:15, 10 times, in Asia/Shanghai.", recurrence.When{Location: shanghai, Rule: &recurrence.Rule{
			Frequency: recurrence.Week, Interval: 2, Count: 10,
			Schedule: recurrence.Schedule{WeekDays: []time.Weekday{0, 1}, Hours: []int{17, 5}, Minutes: []int{15}}}}},
		{"every month on the 1st day, the 22nd day and last day, from 2026-01-01 08:00:00 +08:00, in Asia/Shanghai.", recurrence.When{Location: shanghai, Start: newYear,
			Rule: &recurrence.Rule{Frequency: recurrence.Month, Schedule: recurrence.Schedule{MonthDays: []int{1, 22, -1}}}}},
		{"every month on the 3rd Friday from the end and every Sunday at :15 of every hour, in UTC.", recurrence.When{Rule: &recurrence.Rule{Frequency: recurrence.Month,
			Schedule: recurrence.Schedule{Minutes: []int{15}, MonthlyOccurrences: []recurrence.MonthlyOccurrence{{Day: 5, Occurrence: -3}, {}}}}}},
		{"every hour in the hours 09 and 10, in UTC, at repeated times in both passes.", recurrence.When{Overlap: recurrence.OverlapBoth,
			Rule: &recurrence.Rule{Frequency: recurrence.Hour, Schedule: recurrence.Schedule{Hours: []int{9, 10}}}}},
		{"by cron expression 0 6 * * *, until 2026-01-01 08:00:00 +08:00, in Asia/Shanghai; on days off by calendar holidays on the next work day instead.",
			recurrence.When{Cron: "CRON_TZ=Asia/Shanghai 0 6 * * *", End: newYear, Calendar: holidays(2026), OffCalendar: recurrence.OffNext}},
		{"at 2026-01-01 00:00:00, in UTC.", recurrence.When{At: []time.Time{newYear}}},
		{"once, at once, in UTC.", recurrence.When{}},
		{"once, at 2026-01-01 08:00:00, in Asia/Shanghai.", recurrence.When{Start: newYear, Location: shanghai}},
		{"on demand only.", recurrence.When{Manual: true}},
	}
	for _, c := range cases {
		got := strings.Replace(c.when.String(), "by cron expression CRON_TZ=Asia/Shanghai ", "by cron expression ", 1)
		want := strings.Replace(c.want, "the 1st day, the 22nd day", "the 1st day, 22nd day", 1)
		require.Equal(t, want, got)
	}
}

func TestTheEffectiveRange(t *testing.T) {
	start, created, end := newYear, newYear.AddDate(0, 1, 0), newYear.AddDate(1, 0, 0)
	daily := &recurrence.Rule{Frequency: recurrence.Day, End: end.AddDate(0, 0, -1)}
	effective := func(w recurrence.When, o recurrence.Origin) [2]time.Time {
		timetable, err := w.Compile(o)
		require.NoError(t, err)
		from, to := timetable.Effective()
		return [2]time.Time{from, to}
	}
	require.Equal(t, [2]time.Time{created, daily.End}, effective(recurrence.When{Rule: daily, Start: start, End: end}, recurrence.Created(created)))
	require.Equal(t, [2]time.Time{created, {}}, effective(recurrence.When{Cron: "@daily", Start: created}, recurrence.Created(start)))
	require.Equal(t, [2]time.Time{start, end}, effective(recurrence.When{Cron: "@daily", Start: start, End: end}, recurrence.Anchored(created)))
	require.Equal(t, [2]time.Time{{}, end}, effective(recurrence.When{Cron: "@daily", End: end}, recurrence.Anchored(created)))
	require.Equal(t, [2]time.Time{created, {}}, effective(recurrence.When{Rule: &recurrence.Rule{Frequency: recurrence.Day}}, recurrence.Anchored(created)))
}

func TestCreationIsTruncatedToMilliseconds(t *testing.T) {
	timetable, err := recurrence.When{Rule: &recurrence.Rule{Frequency: recurrence.Day}}.Compile(recurrence.Created(newYear.Add(1_234_567)))
	require.NoError(t, err)
	got := timetable.Between(newYear, newYear.AddDate(0, 0, 2))
	require.Equal(t, []time.Time{newYear.Add(time.Millisecond), newYear.AddDate(0, 0, 1).Add(time.Millisecond)}, got)
	next, ok := timetable.Next(newYear.Add(time.Millisecond - 1))
	require.True(t, ok)
	require.Equal(t, newYear.Add(time.Millisecond), next)
}

func TestALocationOfAPrefixWinsAndIsTheResults(t *testing.T) {
	timetable, err := recurrence.When{Cron: "TZ=Asia/Shanghai 0 9 * * *", Location: time.UTC}.Compile(recurrence.Anchored(newYear))
	require.NoError(t, err)
	require.Equal(t, "Asia/Shanghai", timetable.Location().String())
	next, _ := timetable.Next(newYear)
	require.Equal(t, "2026-01-01T09:00:00+08:00", next.Format(time.RFC3339))
}

func TestFarTimesNeitherLoopNorOverflow(t *testing.T) {
	far := []time.Time{{}, time.Unix(-1<<62, 0), time.Unix(1<<62, 0), time.Date(-5000, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), time.Date(20_000, 1, 1, 0, 0, 0, 0, time.UTC)}
	for _, zone := range benchZones {
		for name, w := range kinds(zoneNamed(t, zone), benchStart) {
			timetable, err := w.Compile(recurrence.Created(benchStart))
			require.NoError(t, err)
			for _, at := range far {
				next, ok := timetable.Next(at)
				if at.Year() >= 9999 {
					require.False(t, ok && next.Year() > 9999, "%s %s", name, next)
					continue
				}
				require.True(t, ok && next.Year() < 2100, "%s after %s: %s", name, at, next)
			}
		}
	}
}

func TestPlanTimesStayInTheirRange(t *testing.T) {
	for _, zone := range append([]string{"Asia/Shanghai", "Pacific/Kiritimati", "Etc/GMT+12"}, benchZones...) {
		loc := zoneNamed(t, zone)
		for name, w := range kinds(loc, time.Date(1900, 1, 1, 0, 0, 0, 0, loc)) {
			timetable, err := w.Compile(recurrence.Created(benchStart))
			require.NoError(t, err)
			last := time.Date(2200, 12, 31, 23, 59, 59, 999_000_000, loc)
			for at := last.AddDate(-2, 0, 0); ; {
				next, ok := timetable.Next(at)
				if !ok {
					break
				}
				require.False(t, next.After(last), "%s in %s: %s", name, zone, next)
				at = next
			}
			times := timetable.Between(time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1900, 1, 2, 0, 0, 0, 0, loc))
			for _, at := range times {
				require.True(t, recurrence.InRange(at), "%s in %s: %s", name, zone, at)
			}
		}
	}
	everyMinute, err := recurrence.When{Cron: "* * * * *", Location: zoneNamed(t, "Asia/Shanghai")}.Compile(recurrence.Anchored(newYear))
	require.NoError(t, err)
	first, ok := everyMinute.Next(time.Time{})
	require.True(t, ok)
	require.Equal(t, "1900-01-01T00:00:00", first.Format("2006-01-02T15:04:05"))
}

func TestTimesOutsideOfTheRangeAreMistakes(t *testing.T) {
	shanghai := zoneNamed(t, "Asia/Shanghai")
	far := time.Date(2200, 12, 31, 16, 0, 0, 0, time.UTC) // 2201 in Shanghai
	daily := &recurrence.Rule{Frequency: recurrence.Day}
	for want, w := range map[string]recurrence.When{
		"startTime: the year 2201 is out of range; allowed is 1900 to 2200": {Location: shanghai, Start: far, Rule: daily},
		"startTime: the year 1899 is out of range; allowed is 1900 to 2200": {Start: time.Date(1899, 12, 31, 23, 0, 0, 0, time.UTC), Rule: daily},
		"the year 2201 is out of range":                                     {Location: shanghai, At: []time.Time{far}},
		"the year 1 is out of range":                                        {At: []time.Time{{}}},
		"endTime: the year 1899 is out of range; allowed is 1900 to 9999":   {End: time.Date(1899, 1, 1, 0, 0, 0, 0, time.UTC), Rule: daily},
	} {
		_, err := w.Compile(recurrence.Created(newYear))
		require.ErrorContains(t, err, want)
		require.NotEmpty(t, w.Validate())
	}
	_, err := recurrence.When{Start: far, Rule: daily, End: time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)}.Compile(recurrence.Created(newYear))
	require.NoError(t, err, "in UTC it is 2200 still, and an endTime may stand for ever")
}

func TestMinGap(t *testing.T) {
	newYork := zoneNamed(t, "America/New_York")
	day := func(loc *time.Location, s recurrence.Schedule, f recurrence.Frequency, n int) recurrence.When {
		return recurrence.When{Location: loc, Start: newYear, Rule: &recurrence.Rule{Frequency: f, Interval: n, Schedule: s}}
	}
	hours := func(h ...int) recurrence.Schedule { return recurrence.Schedule{Hours: h, Minutes: []int{0}} }
	cases := []struct {
		name string
		want time.Duration
		when recurrence.When
	}{
		{"minutes", 7 * time.Minute, day(nil, recurrence.Schedule{}, recurrence.Minute, 7)},
		{"hours in a day", 3 * time.Hour, day(nil, hours(2, 5, 15), recurrence.Day, 1)},
		{"over midnight", 2 * time.Hour, day(nil, hours(1, 12, 23), recurrence.Day, 1)},
		{"not over midnight when days are apart", 11 * time.Hour, day(nil, hours(1, 12, 23), recurrence.Day, 2)},
		{"forward an hour", 23 * time.Hour, day(newYork, hours(12), recurrence.Day, 1)},
		{"a gap's end", time.Hour, day(newYork, hours(2, 4), recurrence.Day, 1)},
		{"February", 28 * 24 * time.Hour, day(nil, recurrence.Schedule{MonthDays: []int{1}}, recurrence.Month, 1)},
		{"last and first", 24 * time.Hour, day(nil, recurrence.Schedule{MonthDays: []int{1, -1}}, recurrence.Month, 1)},
		{"four years", 1461 * 24 * time.Hour, recurrence.When{Cron: "0 0 29 2 *"}},
		{"a list", time.Minute, recurrence.When{At: []time.Time{newYear, newYear.Add(time.Hour), newYear.Add(61 * time.Minute)}}},
		{"one occurrence", 0, recurrence.When{Start: newYear}},
		{"a count of one", 0, recurrence.When{Start: newYear, Rule: &recurrence.Rule{Frequency: recurrence.Day, Count: 1}}},
		{"ends before the short gap", 24 * time.Hour, recurrence.When{Location: newYork, Start: newYear, End: newYear.AddDate(0, 2, 0),
			Rule: &recurrence.Rule{Frequency: recurrence.Day}}},
	}
	for _, c := range cases {
		timetable, err := c.when.Compile(recurrence.Anchored(newYear))
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, timetable.MinGap(), c.name)
	}
}

func TestMinGapIsTheShortestGapOfAWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawWhen(t, rapid.IntRange(0, 3).Draw(t, "calendar") == 0)
		d.anchored = true
		if d.when.Start.IsZero() {
			d.when.Start = d.created
		}
		ends := rapid.Bool().Draw(t, "ends")
		d.when.End = time.Time{}
		if ends {
			d.when.End = d.when.Start.AddDate(0, 0, 100)
		}
		timetable := d.compile(t)
		shortest, last := time.Duration(0), time.Time{}
		walked := timetable.Between(d.when.Start, d.when.Start.AddDate(1, 0, 0))
		for _, at := range walked[:min(len(walked), 50_000)] {
			if !last.IsZero() && (shortest == 0 || at.Sub(last) < shortest) {
				shortest = at.Sub(last)
			}
			last = at
		}
		got := timetable.MinGap()
		if ends && len(walked) <= 50_000 {
			require.Equal(t, shortest, got, d.when.String())
		} else if shortest > 0 {
			require.LessOrEqual(t, got, shortest, d.when.String())
			require.Positive(t, got)
		}
	})
}

func TestHugeCountsAreCountedQuicklyAndExactly(t *testing.T) {
	newYork := zoneNamed(t, "America/New_York")
	minutely := func(count int, s recurrence.Schedule) *recurrence.Timetable {
		timetable, err := recurrence.When{Location: newYork, Start: newYear,
			Rule: &recurrence.Rule{Frequency: recurrence.Minute, Count: count, Schedule: s}}.Compile(recurrence.Created(newYear))
		require.NoError(t, err)
		return timetable
	}
	far := time.Date(2199, 1, 1, 0, 0, 0, 0, time.UTC)
	last := func(tt *recurrence.Timetable, guess time.Time) time.Time {
		at := guess
		for {
			next, ok := tt.Next(at)
			if !ok {
				return at
			}
			at = next
		}
	}
	want := newYear.Add((50_000_000 - 1) * time.Minute)
	require.True(t, want.Equal(last(minutely(50_000_000, recurrence.Schedule{}), want.Add(-time.Hour))))
	// 24 minutes of each day's hour 12, exactly: 365 * 24 in the year.
	got := last(minutely(365*24, recurrence.Schedule{Hours: []int{12}, Minutes: ints(0, 23)}), newYear.AddDate(0, 11, 20))
	require.Equal(t, "2026-12-31 12:23 -05:00", got.Format("2006-01-02 15:04 -07:00"))
	// Where whole turns of the filter are left out, none may be left out too many.
	filter := recurrence.Schedule{Hours: []int{12, 18}, Minutes: []int{0, 10, 30}}
	all := minutely(0, filter).Between(newYear, newYear.AddDate(0, 6, 0))
	for count := 600; count < 620; count++ {
		got := last(minutely(count, filter), all[count-20])
		require.True(t, all[count-1].Equal(got), "number %d is %s, not %s", count, all[count-1], got)
	}
	_, ok := minutely(1<<40, recurrence.Schedule{}).Next(far)
	require.True(t, ok, "a count that is not used up does not end")

	_, err := recurrence.When{Rule: &recurrence.Rule{Frequency: recurrence.Minute, Count: 2_000_000},
		Calendar: holidays(2026), OffCalendar: recurrence.OffDrop}.Compile(recurrence.Created(newYear))
	var field recurrence.FieldError
	require.True(t, errors.As(err, &field))
	require.Equal(t, "count", field.Field)
}
