package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/deps"
	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/recurrence"
)

// whenMembers are the members of a job that recurrence.When is made of.
var whenMembers = []string{"startTime", "endTime", "recurrence", "cron", "at", "trigger", "timeZone", "dst", "calendar", "offCalendar"}

// when reads everything that decides when the job is due, and the period that follows from it. False says
// that there is a mistake in it, so that nobody knows when the job is due.
func (d *decoder) when(job *engine.Job, v *value) bool {
	before := countErrors(d.problems)
	w := &job.When
	w.Location = d.workflow.Location
	if zone := v.field("timeZone"); zone.ok() {
		w.Location = d.zone(zone)
	}
	cron := v.field("cron")
	if cron.ok() {
		w.Cron = d.cronZone(w, v, cron)
	}
	w.Manual = v.field("trigger") != nil
	if atOnce := v.field("atOnce"); atOnce.ok() {
		w.AtOnce = atOnce.on
	}
	w.Start = d.instant(v.field("startTime"), w.Location)
	w.End = d.instant(v.field("endTime"), w.Location)
	for _, item := range v.field("at").items() {
		if at := d.instant(item, w.Location); !at.IsZero() {
			w.At = append(w.At, at)
		}
	}
	if dst := v.field("dst"); dst.ok() {
		if dst.field("gap").str() == recurrence.GapSkip.String() {
			w.Gap = recurrence.GapSkip
		}
		if o, err := recurrence.ParseOverlap(dst.field("overlap").str()); err == nil {
			w.Overlap = o
		}
	}
	d.jobCalendar(w, v)
	if r := v.field("recurrence"); r.ok() {
		w.Rule = d.rule(r, w.Location)
	}
	bad := slices.ContainsFunc(whenMembers, func(m string) bool { f := v.field(m); return f != nil && f.bad })
	mistakes := w.Validate()
	if bad {
		mistakes = besideMistakes(v, mistakes)
	}
	if w.Rule != nil && len(w.Rule.Schedule.WorkDays) > 0 && v.field("calendar") == nil {
		mistakes = append(mistakes, recurrence.FieldError{Field: "schedule.workDays", Message: "work days are counted on a calendar; write calendar: NAME on the job"})
	}
	for _, m := range mistakes {
		d.fail(whenField(v, m.Field), "", "%s", m.Message)
	}
	if bad {
		return false
	}
	for _, m := range w.Warnings() {
		d.warn(whenField(v, m.Field), KindSchedule, "", "%s", m.Message)
	}
	normalise(w)
	job.Period = d.period(w, v)
	if len(mistakes) == 0 {
		d.holdToQuota(w, v)
	}
	period := v.field("period")
	return countErrors(d.problems) == before && (period == nil || period.ok())
}

// absolute reports whether a time has an offset, so that it needs no zone.
func absolute(v *value) bool {
	_, err := time.Parse(time.RFC3339, v.str())
	return err == nil
}

// besideMistakes are the mistakes in what could be read of when a job is due, where something of it could
// not.
func besideMistakes(v *value, mistakes []recurrence.FieldError) []recurrence.FieldError {
	given := 0
	for _, member := range []string{"recurrence", "cron", "at"} {
		if v.field(member) != nil {
			given++
		}
	}
	mistakes = slices.DeleteFunc(mistakes, func(m recurrence.FieldError) bool {
		return m.Field == "recurrence" || m.Field == "trigger" || whenField(v, m.Field).bad ||
			m.Field == "endTime" && v.field("timeZone") != nil && v.field("timeZone").bad &&
				(!absolute(v.field("startTime")) || !absolute(v.field("endTime")))
	})
	if r := v.field("recurrence"); r != nil && r.bad && r.fields != nil && r.field("frequency").ok() {
		for _, m := range readRule(r).Validate() {
			if found := below(r, m.Field); found == nil || !found.bad {
				mistakes = append(mistakes, m)
			}
		}
	}
	if given > 1 {
		mistakes = append(mistakes, recurrence.FieldError{
			Field: "recurrence", Message: fmt.Sprintf("only one of recurrence, cron and at is allowed; %d are given", given),
		})
	}
	if v.field("trigger") != nil && given > 0 {
		mistakes = append(mistakes, recurrence.FieldError{
			Field: "trigger", Message: "manual means on demand only and excludes recurrence, cron and at; leave out one or the other",
		})
	}
	return mistakes
}

// cronZone takes a zone written in front of a cron expression out of it: the job is in that zone, its natural days too.
func (d *decoder) cronZone(w *recurrence.When, v, cron *value) string {
	text := strings.Join(strings.Fields(cron.text), " ")
	prefix, rest, found := strings.Cut(text, " ")
	_, name, isZone := strings.Cut(prefix, "=")
	if !found || !isZone || !strings.HasPrefix(prefix, "CRON_TZ=") && !strings.HasPrefix(prefix, "TZ=") {
		return text
	}
	loc, err := loadZone(name)
	if err != nil {
		d.fail(cron, "", "the zone of cron is %s; allowed is %s", err, zoneType.what)
		return rest
	}
	if zone := v.field("timeZone"); zone.ok() && w.Location != loc && zone.key != nil && !v.inherited(zone) {
		d.fail(cron, "leave one of the two out", "cron states the zone %s and timeZone states %s", name, zone.text)
	}
	w.Location = loc
	return rest
}

func (d *decoder) instant(v *value, loc *time.Location) time.Time {
	if !v.ok() {
		return time.Time{}
	}
	t, err := parseInstant(v.text, loc)
	if err != nil {
		d.fail(v, "", "%s is %s: %s", v.name, quoteShort(v.text), err)
	} else if t.Year() < recurrence.FirstYear { // the first instant of the year 1 would count as not given
		d.fail(v, "", "%s is %s: %s", v.name, quoteShort(v.text), recurrence.CheckRange(t, loc))
		return time.Time{}
	}
	return t
}

func (d *decoder) duration(v *value, absent time.Duration) time.Duration {
	if !v.ok() {
		return absent
	}
	length, err := parseDuration(v.text, false)
	switch {
	case err != nil:
		d.fail(v, "", "%s is %s: %s", v.name, quoteShort(v.text), err)
	case length == 0:
		d.fail(v, "leave it out", "%s is no time at all", v.name)
	}
	return length
}

func (d *decoder) jobCalendar(w *recurrence.When, v *value) {
	name := v.field("calendar")
	if name.ok() {
		if c := d.calendars[name.text]; c != nil {
			w.Calendar = c.resolved
		} else {
			d.fail(name, didYouMean(name.text, sortedKeys(d.calendars)), "there is no calendar %q in this file", name.text)
		}
	}
	off := v.field("offCalendar")
	if !off.ok() {
		return
	}
	o, err := recurrence.ParseOffCalendar(off.text)
	if err != nil {
		d.fail(off, "", "%s", err)
		return
	}
	if name == nil {
		if !v.inherited(off) {
			d.warn(off, KindSchedule, "name a calendar", "offCalendar without a calendar has no effect")
		}
		return
	}
	w.OffCalendar = o
}

func (d *decoder) rule(v *value, loc *time.Location) *recurrence.Rule {
	f, err := recurrence.ParseFrequency(v.field("frequency").str())
	if err != nil {
		d.fail(v, "", "recurrence: %s", err)
		return nil
	}
	rule := readRule(v)
	rule.Frequency, rule.End = f, d.instant(v.field("endTime"), loc)
	if end := v.field("endTime"); end != nil && end.bad {
		v.bad = true
	}
	return rule
}

// readRule reads a rule but for its end. What cannot be read of it is left out.
func readRule(v *value) *recurrence.Rule {
	rule := &recurrence.Rule{Interval: v.field("interval").integer(1), Count: v.field("count").integer(0)}
	rule.Frequency, _ = recurrence.ParseFrequency(v.field("frequency").str()) // what is none is said where it stands
	s := v.field("schedule")
	rule.Schedule.Minutes = integers(s.field("minutes"))
	rule.Schedule.Hours = integers(s.field("hours"))
	rule.Schedule.MonthDays = integers(s.field("monthDays"))
	rule.Schedule.WorkDays = integers(s.field("workDays"))
	for _, day := range s.field("weekDays").items() {
		rule.Schedule.WeekDays = append(rule.Schedule.WeekDays, weekday(day.text))
	}
	for _, o := range s.field("monthlyOccurrences").items() {
		rule.Schedule.MonthlyOccurrences = append(rule.Schedule.MonthlyOccurrences,
			recurrence.MonthlyOccurrence{Day: weekday(o.field("day").str()), Occurrence: o.field("occurrence").integer(0)})
	}
	return rule
}

func integers(v *value) []int {
	var list []int
	for _, item := range v.items() {
		list = append(list, item.n)
	}
	return list
}

// normalise brings what has no order in one, so that equal schedules are equal values.
func normalise(w *recurrence.When) {
	slices.SortFunc(w.At, time.Time.Compare)
	w.At = slices.CompactFunc(w.At, time.Time.Equal)
	if w.Rule == nil {
		return
	}
	s := &w.Rule.Schedule
	for _, list := range []*[]int{&s.Minutes, &s.Hours, &s.MonthDays, &s.WorkDays} {
		*list = sortedInts(*list)
	}
	slices.Sort(s.WeekDays)
	s.WeekDays = slices.Compact(s.WeekDays)
	slices.SortFunc(s.MonthlyOccurrences, func(a, b recurrence.MonthlyOccurrence) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Occurrence, b.Occurrence))
	})
	s.MonthlyOccurrences = slices.Compact(s.MonthlyOccurrences)
}

func sortedInts(list []int) []int {
	slices.Sort(list)
	return slices.Compact(list)
}

// whenField finds the value that a path of package recurrence means: below the job, or below its recurrence; else the nearest that is there.
func whenField(v *value, path string) *value {
	for _, root := range []*value{v, v.field("recurrence")} {
		if found := below(root, path); found != nil {
			return found
		}
	}
	for _, member := range []string{"recurrence", "cron", "at", "startTime"} {
		if found := v.field(member); found != nil {
			return found
		}
	}
	return v
}

// below follows a path such as schedule.monthDays[2] as far as it goes; nil when its first part is not there.
func below(v *value, path string) *value {
	var found *value
	for _, part := range strings.Split(path, ".") {
		name, index, indexed := strings.Cut(part, "[")
		next := v.field(name)
		if next == nil {
			return found
		}
		found, v = next, next
		if indexed {
			if i, err := strconv.Atoi(strings.TrimSuffix(index, "]")); err == nil && i >= 0 && i < len(v.list) {
				found, v = v.list[i], v.list[i]
			}
		}
	}
	return found
}

// period is the job's own, or the one that its schedule has by dependencies.md §1.
func (d *decoder) period(w *recurrence.When, v *value) deps.Period {
	p := inferredPeriod(w)
	own := v.field("period")
	if !own.ok() {
		return p
	}
	return overridden(p, own.text)
}

func inferredPeriod(w *recurrence.When) deps.Period {
	switch {
	case w.Cron != "":
		if p, err := deps.PeriodOfCron(w.Cron); err == nil {
			return p
		}
	case w.Rule != nil:
		return deps.PeriodOfRule(w.Rule.Frequency.String(), w.Rule.Interval, w.Rule.Schedule.Hours, w.Rule.Schedule.Minutes)
	}
	return deps.Period{}
}

// overridden gives a class the interval that goes with it: the inferred one among the classes below a day, else the class's own unit.
func overridden(p deps.Period, word string) deps.Period {
	class, err := deps.ParseClass(word)
	if err != nil || class == p.Class {
		return p
	}
	own := deps.Period{Class: class}
	switch class {
	case deps.Minute, deps.Hour, deps.Discrete:
		own.Every = p.Every
		if own.Every == 0 || own.Every > 24*time.Hour {
			own.Every = 24 * time.Hour
		}
	case deps.Day:
		own.Every = 24 * time.Hour
	case deps.Week:
		own.Every = 7 * 24 * time.Hour
	default: // months and years have no fixed length
	}
	return own
}

// holdToQuota refuses a schedule whose shortest gap is shorter than the quota's maxRecurrence.
func (d *decoder) holdToQuota(w *recurrence.When, v *value) {
	if d.quota == 0 || w.Manual {
		return
	}
	t, err := w.Compile(recurrence.Anchored(anchor))
	if err != nil {
		return // whether it fires depends on its creation, which is judged when it has one
	}
	if gap := t.MinGap(); gap > 0 && gap < d.quota {
		q := d.workflow.Quota
		d.fail(whenField(v, "recurrence"), "", "two occurrences can be %s apart; the quota's maxRecurrence allows no faster than every %d %s",
			gap, q.MaxInterval, q.MaxFrequency)
	}
}
