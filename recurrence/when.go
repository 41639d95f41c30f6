package recurrence

import "time"

// When is everything that decides when a job is due. At most one of Rule, Cron
// and At is given; with none the job is a one-off at Start, or at once.
type When struct {
	Rule *Rule
	Cron string      // five fields or @daily and friends, optionally after CRON_TZ=zone
	At   []time.Time // one-off times, in any order

	Manual bool // started on demand only: no occurrences

	// AtOnce adds Azure Scheduler's immediate occurrence to a rule with a schedule and
	// without a Start. A rule without a schedule, and a one-off, have it in any case.
	AtOnce bool

	Start time.Time // startTime; zero = none
	End   time.Time // endTime of the job, which bounds any schedule; at it is allowed; zero = none

	// Location is the zone in which days, hours and minutes are counted; nil is
	// UTC. A CRON_TZ= prefix wins over it. Use one *time.Location per zone: the
	// table of a zone's changes is derived once for each pointer.
	Location *time.Location
	Gap      Gap
	Overlap  Overlap

	Calendar    *Calendar // nil: every day is a work day
	OffCalendar OffCalendar
}

// Validate returns every mistake, including cron syntax and schedules that can
// never fire, or nil. A rule whose firing depends on a creation time not known
// yet (every 12 months on the 31st) is judged by [When.Compile].
func (w When) Validate() []FieldError {
	m, _ := w.check()
	if len(m) > 0 {
		return m
	}
	if err := w.neverForAnyAnchor(); err != nil {
		return []FieldError{{err.Field, err.Message()}}
	}
	return nil
}

// check validates everything but "never fires" and returns the parsed cron
// expression, nil when there is none.
func (w When) check() ([]FieldError, *cronFields) {
	var m mistakes
	var parsed *cronFields
	given := 0
	if w.Rule != nil {
		given++
		m = append(m, w.Rule.Validate()...)
	}
	if w.Cron != "" {
		given++
		var wrong []FieldError
		parsed, wrong = parseCron(w.Cron)
		m = append(m, wrong...)
	}
	if len(w.At) > 0 {
		given++
	}
	if given > 1 {
		m.add("recurrence", "only one of recurrence, cron and at is allowed; %d are given", given)
	}
	if w.Manual && given > 0 {
		m.add("trigger", "manual means on demand only and excludes recurrence, cron and at; leave out one or the other")
	}
	for _, t := range w.At {
		if err := CheckRange(t, w.location(parsed)); err != nil {
			m.add("at", "%s: %v", t.Format(time.RFC3339), err)
		}
	}
	if !w.Start.IsZero() {
		if err := CheckRange(w.Start, w.location(parsed)); err != nil {
			m.add("startTime", "%v", err)
		}
	}
	checkEnd(&m, w.End)
	if end := w.end(); !end.IsZero() && !w.Start.IsZero() && end.Before(w.Start) {
		m.add("endTime", "%s is before startTime %s, so nothing could ever be due; write a later endTime",
			end.Format(time.RFC3339Nano), w.Start.Format(time.RFC3339Nano))
	}
	if w.Gap < GapShift || w.Gap > GapSkip {
		m.add("dst.gap", "unknown policy; allowed is shift or skip")
	}
	if w.Overlap < OverlapFirst || w.Overlap > OverlapBoth {
		m.add("dst.overlap", "unknown policy; allowed is first, last or both")
	}
	if w.OffCalendar < OffDryRun || w.OffCalendar > OffNext {
		m.add("offCalendar", "unknown policy; allowed is dryRun, drop, previous or next")
	}
	if w.Calendar != nil {
		w.Calendar.validate(&m)
	}
	return m, parsed
}

// Immediate reports whether the job is due at once when it is created: it has no
// Start, and no schedule that says when it is due instead.
func (w When) Immediate() bool {
	if w.Manual || !w.Start.IsZero() || w.Cron != "" || len(w.At) > 0 {
		return false
	}
	return w.Rule == nil || w.Rule.Schedule.IsZero() || w.AtOnce
}

// Missed reports whether the job is a one-off whose time lies before the instant: created then, it is
// due at once.
func (w When) Missed(at time.Time) bool {
	return !w.Manual && w.Rule == nil && w.Cron == "" && len(w.At) == 0 && !w.Start.IsZero() && w.Start.Before(at)
}

// ImmediateAt reports whether the job is due at once when it is created at the instant: Immediate, or
// Missed by then, and not over.
func (w When) ImmediateAt(created time.Time) bool {
	if end := w.end(); !end.IsZero() && end.Before(created) {
		return false
	}
	return w.Immediate() || w.Missed(created)
}

// end returns the earlier of the rule's end and the job's, zero when there is
// neither.
func (w When) end() time.Time {
	end := w.End
	if w.Rule != nil && !w.Rule.End.IsZero() && (end.IsZero() || w.Rule.End.Before(end)) {
		end = w.Rule.End
	}
	return end
}

// location returns the zone that days are counted in.
func (w When) location(c *cronFields) *time.Location {
	switch {
	case c != nil && c.location != nil:
		return c.location
	case w.Location == nil:
		return time.UTC
	}
	return w.Location
}

// Warnings returns what is legal but seldom meant: steps that do not divide the
// hour or the day (*/45), and a day-of-month together with a weekday
// (recurrence.md §4).
func (w When) Warnings() []FieldError {
	if w.Cron == "" {
		return nil
	}
	return cronWarnings(w.Cron)
}
