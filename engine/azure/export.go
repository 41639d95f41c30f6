package azure

import (
	"fmt"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/recurrence"
)

// A Loss is something of a job that Azure Scheduler has no word for.
type Loss struct {
	Member string // of the workflow file, such as dependsOn
	Reason string // why, and what becomes of it
}

// An Exported is a job in the service's terms.
type Exported struct {
	Properties *Properties // nil: the job as a whole has no counterpart, and Losses say why
	Losses     []Loss
	Secrets    []Secret // places that the properties leave empty, to be set again
}

// The retries and the timeout that the service gives an action without any of its own.
const (
	serviceRetryInterval = 30 * time.Second
	serviceRetryCount    = 4
	serviceTimeout       = 60 * time.Second
)

// Export says in the service's terms what it can of a job. now is where the due times begin of a schedule that has no beginning.
func Export(job *engine.Job, now time.Time) Exported {
	e := exporter{job: job, now: now}
	p := &Properties{State: StateEnabled}
	if job.Disabled {
		p.State = StateDisabled
	}
	e.when(p)
	e.what(p)
	e.rest()
	if len(e.without) > 0 {
		return Exported{Losses: e.without}
	}
	return Exported{Properties: p, Losses: e.losses, Secrets: e.secrets}
}

type exporter struct {
	job     *engine.Job
	now     time.Time
	losses  []Loss
	secrets []Secret
	without []Loss // why the job as a whole has no counterpart
}

func (e *exporter) lose(member, reason string, args ...any) {
	e.losses = append(e.losses, Loss{member, fmt.Sprintf(reason, args...)})
}

// leave leaves the whole job out.
func (e *exporter) leave(member, reason string, args ...any) {
	e.without = append(e.without, Loss{member, fmt.Sprintf(reason, args...)})
}

func (e *exporter) when(p *Properties) {
	w := &e.job.When
	if w.Calendar != nil {
		e.leave("calendar", "there are no calendars: the job would be due on other days")
	}
	if zoned(w) {
		e.leave("timeZone", "all hours are UTC, and %s has changing ones or others", w.Location)
	}
	switch {
	case w.Manual:
		e.leave("trigger", "every job is due by itself; one that is started on demand alone has no counterpart")
	case w.Rule != nil && len(w.Rule.Schedule.WorkDays) > 0:
		e.leave("recurrence.schedule.workDays", "work days are not counted")
	case zoned(w):
	case w.Cron != "":
		e.cron(p)
	case len(w.At) > 0:
		e.once(p)
	case w.Rule == nil:
		if !w.End.IsZero() && w.End.Before(e.now) {
			e.leave("endTime", "a job without a recurrence has no end, and this one is over")
		}
		p.StartTime = timeOf(w.Start)
	default:
		p.StartTime, p.Recurrence = timeOf(w.Start), exportRule(w.Rule, w.End)
		if w.Start.IsZero() && !w.Immediate() {
			p.StartTime = At(e.now) // without one the service would run it at once, too
		}
	}
}

// zoned reports whether the due times depend on a zone that is not UTC.
func zoned(w *recurrence.When) bool {
	switch name := w.Location.String(); {
	case w.Location == nil || name == "UTC" || name == "Etc/UTC":
		return false
	case w.Cron != "":
		return true
	}
	return w.Rule != nil && (w.Rule.Frequency >= recurrence.Day || !w.Rule.Schedule.IsZero())
}

func timeOf(t time.Time) *Time {
	if t.IsZero() {
		return nil
	}
	return At(t)
}

func exportRule(r *recurrence.Rule, end time.Time) *Recurrence {
	out := &Recurrence{Frequency: r.Frequency.String(), Interval: max(r.Interval, 1), Count: r.Count}
	if end.IsZero() || !r.End.IsZero() && r.End.Before(end) {
		end = r.End
	}
	out.EndTime = timeOf(end)
	s := Schedule{Minutes: slices.Clone(r.Schedule.Minutes), Hours: slices.Clone(r.Schedule.Hours), MonthDays: slices.Clone(r.Schedule.MonthDays)}
	for _, day := range r.Schedule.WeekDays {
		s.WeekDays = append(s.WeekDays, weekdays[day])
	}
	for _, o := range r.Schedule.MonthlyOccurrences {
		s.MonthlyOccurrences = append(s.MonthlyOccurrences, MonthlyOccurrence{Day: weekdays[o.Day], Occurrence: o.Occurrence})
	}
	if !r.Schedule.IsZero() {
		out.Schedule = &s
	}
	return out
}

// once exports a list of times of which one is left.
func (e *exporter) once(p *Properties) {
	table, err := e.job.When.Compile(recurrence.Created(e.now))
	if err != nil {
		e.leave("at", "%s", err)
		return
	}
	first, ok := table.Next(e.now)
	if !ok {
		e.leave("at", "all its times have passed, and a job whose start has passed runs at once")
		return
	}
	if _, more := table.Next(first); more {
		e.leave("at", "a job has one start time or a recurrence, not a list of times")
		return
	}
	p.StartTime = At(first)
}

func (e *exporter) cron(p *Properties) {
	w := e.job.When
	rule, start := equalRule(w, e.now)
	if rule == nil {
		e.leave("cron", "%q is due at times that no recurrence gives", w.Cron)
		return
	}
	p.StartTime, p.Recurrence = At(start), exportRule(rule, w.End)
}

// rest names everything else that a job of a workflow file can have.
func (e *exporter) rest() {
	j := e.job
	for _, x := range []struct {
		lost   bool
		member string
		reason string
	}{
		{len(j.DependsOn) > 0, "dependsOn", "jobs do not wait for each other: it runs when it is due"},
		{j.Confirm, "confirm", "nobody is asked: it runs when it is due"},
		{j.Concurrency > 1, "concurrency", "an occurrence never overlaps the one before"},
		{j.Overlap != engine.OverlapSkip, "overlap", "due times that pass while an occurrence runs are dropped (skip)"},
		{j.Misfire != engine.MisfireSkip, "misfire", "due times that were missed are dropped (skip)"},
		{j.Spread > 0, "spread", "it runs at its due time"},
		{j.Pool != "", "pool", "there are no pools"},
		{j.Priority != 0 && j.Priority != 5, "priority", "there are no priorities"},
		{j.Deadline > 0, "deadline", "there are no deadlines"},
		{len(j.Notify) > 0, "notify", "there are no alerts"},
		{j.OnLost == engine.LostHold, "onLost", "an attempt whose outcome cannot be known is tried again"},
		{len(j.Params) > 0, "params", "there are no parameters"},
		{len(j.Env) > 0, "env", "there is no environment"},
		{j.Description != "", "description", "there is no place for it"},
		{len(j.Tags) > 0, "tags", "only job collections have tags"},
	} {
		if x.lost {
			e.lose(x.member, "%s", x.reason)
		}
	}
}
