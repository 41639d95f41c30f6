package engine

import (
	"time"

	"github.com/almanac-sched/almanac/recurrence"
)

// DataWindow returns where the window of data of an instance begins, which `windowStart` names: at
// the job's plan time before its own. Plan times on which the job runs dry do nothing and do not
// count, so that the windows of those that do work leave no gap. row says since when the job
// exists; the zero row, that nobody knows.
//
// The first plan time since the creation or the startTime has before it the one that the rule would
// have had, as a backfill of earlier days has. Where a rule has none either, the window is as
// long as the job's period, or a day.
func (j *Job) DataWindow(kind Kind, row JobRow, planTime time.Time) time.Time {
	if at, found := j.timeBefore(kind, row, planTime); found {
		return at.In(planTime.Location())
	}
	return j.periodBefore(planTime)
}

// timeBefore returns the plan time before one.
func (j *Job) timeBefore(kind Kind, row JobRow, planTime time.Time) (time.Time, bool) {
	w := j.When
	if w.Manual {
		return time.Time{}, false
	}
	if !row.CreatedAt.IsZero() && !planTime.Before(row.CreatedAt) {
		table, err := w.Compile(row.Origin())
		if err == nil && (kind == Manual || isDue(table, planTime)) {
			if at, found := workBefore(table, planTime); found {
				return at, true
			}
		}
	}
	start := w.Start
	w.Start, w.End = time.Time{}, time.Time{}
	if w.Rule == nil {
		if w.Cron == "" && len(w.At) == 0 {
			return time.Time{}, false
		}
		table, err := w.Compile(recurrence.Anchored(planTime)) // bounded by nothing
		if err != nil {
			return time.Time{}, false
		}
		return workBefore(table, planTime)
	}
	rule := *w.Rule
	rule.End, rule.Count = time.Time{}, 0
	w.Rule = &rule
	// A plan time that is none by the job's own beginning is one of a plan that began elsewhere, as
	// that of a folder does, or of an earlier definition: it is where the rule is anchored.
	for _, anchor := range []time.Time{start, row.CreatedAt, planTime} {
		if anchor.IsZero() {
			continue
		}
		at, due, found := ruleBefore(w, anchor, planTime)
		if due || kind == Manual {
			return at, found
		}
	}
	return time.Time{}, false
}

// reaches are how many days back an earlier plan time of a rule is looked for, one after the other.
var reaches = []int{10, 400, 8000, 80000}

// ruleBefore looks for the plan time before one, by a rule that has always been in force in the
// phase of the anchor. due says that planTime is one of that rule.
func ruleBefore(w recurrence.When, anchor, planTime time.Time) (at time.Time, due, found bool) {
	for _, days := range reaches {
		from := planTime.AddDate(0, 0, -days)
		origin := anchor
		if !anchor.Before(from) {
			origin = samePhase(&w, anchor, from)
		}
		table, err := w.Compile(recurrence.Anchored(origin))
		if err != nil {
			return at, due, false
		}
		due = isDue(table, planTime)
		if at, found = workBefore(table, planTime); found {
			return at, due, true
		}
	}
	return at, due, false
}

// isDue reports whether a time is one of the timetable's.
func isDue(t *recurrence.Timetable, at time.Time) bool {
	next, some := t.Next(at.Add(-time.Millisecond))
	return some && next.Equal(at)
}

// mostDryDays bounds the search for a day that is no day off.
const mostDryDays = 3660

// workBefore is the last plan time before one at which the job does not only run dry.
func workBefore(t *recurrence.Timetable, before time.Time) (time.Time, bool) {
	for range mostDryDays {
		at, found := t.Previous(before)
		if !found || !t.DryRun(at) {
			return at, found
		}
		before = recurrence.DayStart(recurrence.DateOf(at), t.Location()) // the whole day is off
	}
	return time.Time{}, false
}

// periodBefore is one period of the job before a time, a day where it has none.
func (j *Job) periodBefore(t time.Time) time.Time {
	step := textOffset{n: -1, unit: "d"}
	switch j.Period.Class.String() {
	case "week":
		step.unit = "w"
	case "month":
		step.unit = "M"
	case "year":
		step.unit = "y"
	case "minute", "hour", "discrete":
		if j.Period.Every > 0 {
			return t.Add(-j.Period.Every)
		}
	}
	d := recurrence.DateOf(t)
	if err := (Scope{}).moveDay(&d, step); err != nil {
		return t
	}
	return time.Date(d.Year, d.Month, d.Day, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), t.Location())
}
