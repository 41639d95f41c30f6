package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/almanac-sched/almanac/deps"
	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/recurrence"
)

var weekdays = &recurrence.Calendar{Name: "weekdays", WorkDays: [7]bool{1: true, 2: true, 3: true, 4: true, 5: true}}

// drawTimes draws when a job is due: evenly, unevenly, seldom, in zones whose clocks change.
func drawTimes(t *rapid.T) recurrence.When {
	zone, err := time.LoadLocation(rapid.SampledFrom([]string{
		"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Shanghai",
	}).Draw(t, "zone"))
	require.NoError(t, err)
	w := recurrence.When{Location: zone}
	crons := []string{
		"0 2,5,15 * * *", "0 6 31 * *", "*/15 9-17 * * *", "30 2 29 2 *", "0 0 1,15 * *", "0 6 * * 1-5",
		"*/40 * * * *", "7 3 * 1,7 *", "30 1,2 * * *", "5 4 28-31 2,4 5",
	}
	hour, day := recurrence.Hour, recurrence.Day
	rules := []recurrence.Rule{
		{Frequency: day, Schedule: recurrence.Schedule{Hours: []int{2, 5, 15}, Minutes: []int{0}}},
		{Frequency: day, Interval: 3, Schedule: recurrence.Schedule{Hours: []int{4, 20}}},
		{Frequency: hour, Interval: 5}, {Frequency: recurrence.Minute, Interval: 90}, {Frequency: day},
		{Frequency: hour, Interval: 2, Schedule: recurrence.Schedule{Hours: []int{8, 9, 14}, Minutes: []int{10, 50}}},
		{Frequency: recurrence.Week, Interval: 2, Schedule: recurrence.Schedule{WeekDays: []time.Weekday{1, 4}}},
		{Frequency: recurrence.Month, Schedule: recurrence.Schedule{MonthDays: []int{31}}},
		{Frequency: recurrence.Month, Interval: 5, Schedule: recurrence.Schedule{MonthDays: []int{-1, 3}}},
		{Frequency: recurrence.Month}, {Frequency: recurrence.Year},
	}
	if n := rapid.IntRange(0, len(crons)+len(rules)-1).Draw(t, "when"); n < len(crons) {
		w.Cron = crons[n]
	} else {
		w.Rule = &rules[n-len(crons)]
	}
	if rapid.IntRange(0, 2).Draw(t, "calendar") == 0 {
		w.Calendar = weekdays
		w.OffCalendar = recurrence.OffCalendar(rapid.IntRange(0, 3).Draw(t, "offCalendar"))
	}
	return w
}

// The windows of a job's instances leave no gap and do not overlap: each begins at the plan time
// before, on the way that the timetable goes forwards. Runs that are dry have none.
func TestDataWindowsMeet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawTimes(t)
		minutes := rapid.IntRange(0, 3*365*24*60).Draw(t, "created")
		created := time.Date(2024, 1, 30, 0, 7, 0, 0, time.UTC).Add(time.Duration(minutes) * time.Minute)
		if rapid.Bool().Draw(t, "start?") {
			late := time.Duration(rapid.IntRange(-5000, 5000).Draw(t, "start")) * time.Hour
			w.Start = created.Add(late)
		}
		job, row := &engine.Job{When: w}, engine.JobRow{CreatedAt: created}
		table, err := w.Compile(row.Origin())
		var never *recurrence.NeverError
		if err != nil {
			require.ErrorAs(t, err, &never)
			return // such a job is refused
		}
		var before time.Time
		for n, at := 0, created.Add(-time.Millisecond); n < 25; {
			next, due := table.Next(at)
			if !due || next.Year() > 2060 {
				break
			}
			at = next
			if table.DryRun(next) {
				continue
			}
			n++
			got := job.DataWindow(engine.Scheduled, row, next)
			if !before.IsZero() {
				require.True(t, got.Equal(before), "%s at %s: %s, not %s", w, next, got, before)
				later := next.Add(time.Millisecond)
				got = job.DataWindow(engine.Manual, row, later)
				require.True(t, got.Equal(next), "%s triggered at %s: %s", w, later, got)
			} else {
				require.True(t, got.Before(next), "%s first at %s: %s", w, next, got)
				before = got
				if !w.Immediate() { // the window of the first is one of a job that is older
					older := job.DataWindow(engine.Scheduled, engine.JobRow{}, next)
					require.True(t, got.Equal(older) || w.Rule != nil && w.Start.IsZero(), "%s first at %s: %s, not %s", w, next, got, older)
				}
			}
			before = next
		}
	})
}

// What a person finds who looks at windows that are not as long as the interval.
func TestDataWindowBeginsAtThePlanTimeBefore(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	hours := &recurrence.Rule{
		Frequency: recurrence.Day, Schedule: recurrence.Schedule{Hours: []int{2, 5, 15}, Minutes: []int{0}},
	}
	month := deps.Period{Class: deps.Month}
	for name, c := range map[string]struct {
		job      engine.Job
		at, want string
		kind     engine.Kind
		created  bool
	}{
		"uneven hours":       {job: engine.Job{When: recurrence.When{Cron: "0 2,5,15 * * *"}}, at: "2026-07-31T15:00", want: "2026-07-31T05:00"},
		"over the night":     {job: engine.Job{When: recurrence.When{Cron: "0 2,5,15 * * *"}}, at: "2026-07-31T02:00", want: "2026-07-30T15:00"},
		"each 31st":          {job: engine.Job{When: recurrence.When{Cron: "0 6 31 * *"}}, at: "2026-07-31T06:00", want: "2026-05-31T06:00"},
		"31st after January": {job: engine.Job{When: recurrence.When{Cron: "0 6 31 * *"}}, at: "2026-03-31T06:00", want: "2026-01-31T06:00"},
		"office hours":       {job: engine.Job{When: recurrence.When{Cron: "*/15 9-17 * * *"}}, at: "2026-07-31T09:00", want: "2026-07-30T17:45"},
		"leap day":           {job: engine.Job{When: recurrence.When{Cron: "30 2 29 2 *"}}, at: "2028-02-29T02:30", want: "2024-02-29T02:30"},
		"hours of a rule":    {job: engine.Job{When: recurrence.When{Rule: hours, Start: start}}, at: "2026-07-31T15:00", want: "2026-07-31T05:00"},
		"first of a rule":    {job: engine.Job{When: recurrence.When{Rule: hours, Start: start}}, at: "2026-01-01T02:00", want: "2025-12-31T15:00"},
		"a day off is not run": {job: engine.Job{When: recurrence.When{Cron: "0 6 * * *", Calendar: weekdays}},
			at: "2026-07-27T06:00", want: "2026-07-24T06:00"},
		"older than the job": {job: engine.Job{When: recurrence.When{Cron: "0 2,5,15 * * *"}}, created: true, kind: engine.Backfill,
			at: "2025-07-31T15:00", want: "2025-07-31T05:00"},
		"on demand":             {job: engine.Job{When: recurrence.When{Manual: true}}, at: "2026-07-31T15:00", want: "2026-07-30T15:00", kind: engine.Manual},
		"on demand, by month":   {job: engine.Job{When: recurrence.When{Manual: true}, Period: month}, at: "2026-03-31T15:00", want: "2026-02-28T15:00", kind: engine.Manual},
		"triggered in between":  {job: engine.Job{When: recurrence.When{Cron: "0 2,5,15 * * *"}}, at: "2026-07-31T11:11", want: "2026-07-31T05:00", kind: engine.Manual},
		"once":                  {job: engine.Job{When: recurrence.When{Start: start}}, at: "2026-01-01T00:00", want: "2025-12-31T00:00"},
		"the second of a list":  {job: engine.Job{When: recurrence.When{At: []time.Time{start, start.Add(50 * time.Hour)}}}, at: "2026-01-03T02:00", want: "2026-01-01T00:00"},
		"planned by a folder":   {job: engine.Job{When: recurrence.When{Rule: &recurrence.Rule{Frequency: recurrence.Hour, Interval: 5}}}, created: true, at: "2026-07-31T15:00", want: "2026-07-31T10:00"},
		"a day of another year": {job: engine.Job{When: recurrence.When{Cron: "0 6 1 1 *"}}, at: "2026-01-01T06:00", want: "2025-01-01T06:00"},
	} {
		at, err := time.Parse("2006-01-02T15:04", c.at)
		require.NoError(t, err)
		row := engine.JobRow{}
		if c.created {
			row.CreatedAt = time.Date(2026, 7, 31, 7, 13, 0, 0, time.UTC)
		}
		c.job.When.Location = time.UTC
		kind := c.kind
		if kind == "" {
			kind = engine.Scheduled
		}
		require.Equal(t, c.want, c.job.DataWindow(kind, row, at).Format("2006-01-02T15:04"), name)
	}
}
