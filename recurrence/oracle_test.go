package recurrence_test

import (
	"slices"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/almanac-sched/almanac/recurrence"
)

// oracle is a second implementation of recurrence.md §2, §3, §5 and §6, slow on
// purpose: it looks at each minute of the window and asks the standard library
// what the local clock shows. It shares no code with the package. Zones must
// have offsets of whole minutes, and plan times must lie well after year 1.
type oracle struct {
	w        recurrence.When
	created  time.Time
	anchored bool
	loc      *time.Location
	cron     *cron.SpecSchedule
	anchor   time.Time
}

func newOracle(w recurrence.When, created time.Time, anchored bool) *oracle {
	o := &oracle{w: w, created: created.Truncate(time.Millisecond), anchored: anchored, loc: w.Location}
	o.anchor = o.created
	if !w.Start.IsZero() {
		o.anchor = w.Start
		if anchored {
			o.anchored, o.created = false, w.Start
		}
	}
	if w.Cron != "" {
		s, err := cron.ParseStandard(w.Cron)
		if err != nil {
			panic(err)
		}
		o.cron = s.(*cron.SpecSchedule)
	}
	return o
}

// between returns the plan times in [from, to).
func (o *oracle) between(from, to time.Time) []time.Time {
	var all []time.Time
	rule := o.w.Rule
	switch {
	case rule != nil && rule.Frequency <= recurrence.Hour:
		all = o.elapsed(from, to)
	default:
		all = o.daily(from, to)
	}
	// The table of §2.
	var first time.Time
	lower := func(t time.Time) bool { return t.After(o.created) }
	bare := rule != nil && rule.Schedule.IsZero()
	switch {
	case o.anchored:
		lower = func(t time.Time) bool { return rule == nil || !t.Before(o.anchor) }
		if bare {
			first = o.anchor
		}
	case o.w.Start.IsZero():
		if rule != nil && (bare || o.w.AtOnce) {
			first = o.created
		}
	case !o.w.Start.Before(o.created):
		lower = func(t time.Time) bool { return !t.Before(o.w.Start) }
		if bare {
			first = o.w.Start
		}
	}
	all = slices.DeleteFunc(all, func(t time.Time) bool { return !lower(t) })
	if !first.IsZero() {
		day := dayOf(first.In(o.loc))
		switch {
		case o.workDay(day) || o.w.OffCalendar == recurrence.OffDryRun:
			all = append(all, first)
		case o.w.OffCalendar != recurrence.OffDrop:
			// The earliest place it moves to, if that is not in the past.
			wall := o.roll(day).Add(wallOf(first.In(o.loc)).Sub(day))
			if instants := o.instants(wall); len(instants) > 0 && !instants[0].Before(o.latestOf(o.created, o.w.Start)) {
				all = append(all, instants[0])
			}
		}
	}
	end := o.w.End
	all = slices.DeleteFunc(all, func(t time.Time) bool {
		return t.Before(from) || !t.Before(to) || !end.IsZero() && t.After(end)
	})
	slices.SortFunc(all, time.Time.Compare)
	return slices.CompactFunc(all, time.Time.Equal)
}

func (o *oracle) latestOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// A wall time is what the local clock shows, written as if it were UTC.
func wallOf(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

func dayOf(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// daily walks the minutes for rules of days and times of day.
func (o *oracle) daily(from, to time.Time) []time.Time {
	rest := time.Duration(0)
	if o.w.Rule != nil && o.w.Rule.Schedule.IsZero() {
		wall := wallOf(o.anchor.In(o.loc))
		rest = wall.Sub(wall.Truncate(time.Minute))
	}
	due := func(wall time.Time) bool { return o.dueTime(wall) && o.dueDay(dayOf(wall)) }
	return o.walk(from, to, rest, o.namesHour(), due)
}

// walk returns the instants whose wall time is due: in [from, to), one minute
// after another.
func (o *oracle) walk(from, to time.Time, rest time.Duration, named bool, due func(wall time.Time) bool) []time.Time {
	var all []time.Time
	before := from.Truncate(time.Minute).Add(-2 * time.Minute)
	_, offset := before.In(o.loc).Zone()
	for u := before.Add(time.Minute); u.Before(to); u = u.Add(time.Minute) {
		_, now := u.In(o.loc).Zone()
		if now > offset && named && o.w.Gap == recurrence.GapShift {
			// Clocks went forward at u: which of the skipped minutes are due?
			reached := wallOf(u.In(o.loc))
			skipped := time.Duration(now-offset) * time.Second
			for wall := reached.Add(-skipped); wall.Before(reached); wall = wall.Add(time.Minute) {
				if due(wall.Add(rest)) {
					all = append(all, u)
					break
				}
			}
		}
		offset = now
		t := u.Add(rest)
		if wall := wallOf(t.In(o.loc)); due(wall) && (!named || o.passes(t, wall)) {
			all = append(all, t)
		}
	}
	return all
}

// instants returns when the clock shows a wall time, as a named time.
func (o *oracle) instants(wall time.Time) []time.Time {
	return o.walk(wall.Add(-27*time.Hour), wall.Add(27*time.Hour), wall.Sub(wall.Truncate(time.Minute)), true,
		func(w time.Time) bool { return w.Equal(wall) })
}

// passes applies the overlap policy to an instant t that shows wall.
func (o *oracle) passes(t, wall time.Time) bool {
	if o.w.Overlap == recurrence.OverlapBoth {
		return true
	}
	for d := 5 * time.Minute; d <= 26*time.Hour; d += 5 * time.Minute {
		twin := t.Add(-d)
		if o.w.Overlap == recurrence.OverlapLast {
			twin = t.Add(d)
		}
		if wallOf(twin.In(o.loc)).Equal(wall) {
			return false
		}
	}
	return true
}

func (o *oracle) namesHour() bool {
	if o.w.Rule == nil {
		return !strings.HasPrefix(strings.Fields(o.w.Cron)[1], "*") || strings.HasPrefix(strings.Fields(o.w.Cron)[1], "*/")
	}
	s := o.w.Rule.Schedule
	if o.w.Rule.Frequency <= recurrence.Hour {
		return len(s.Hours) > 0
	}
	return len(s.Hours) > 0 || len(s.Minutes) == 0
}

// dueTime asks about the time of day only.
func (o *oracle) dueTime(wall time.Time) bool {
	if o.cron != nil {
		return o.cron.Minute>>wall.Minute()&1 == 1 && o.cron.Hour>>wall.Hour()&1 == 1
	}
	s, a := o.w.Rule.Schedule, wallOf(o.anchor.In(o.loc))
	switch {
	case len(s.Hours) == 0 && len(s.Minutes) == 0:
		return wall.Hour() == a.Hour() && wall.Minute() == a.Minute()
	case len(s.Minutes) == 0:
		return slices.Contains(s.Hours, wall.Hour()) && wall.Minute() == a.Minute()
	case len(s.Hours) == 0:
		return slices.Contains(s.Minutes, wall.Minute())
	}
	return slices.Contains(s.Hours, wall.Hour()) && slices.Contains(s.Minutes, wall.Minute())
}

// dueDay asks about the day after the calendar had its say.
func (o *oracle) dueDay(day time.Time) bool {
	switch {
	case o.w.Calendar == nil || o.w.OffCalendar == recurrence.OffDryRun:
		return o.ruleDay(day)
	case !o.workDay(day):
		return false
	case o.ruleDay(day):
		return true
	case o.w.OffCalendar == recurrence.OffDrop:
		return false
	}
	step := -1
	if o.w.OffCalendar == recurrence.OffPrevious {
		step = 1
	}
	for source := day.AddDate(0, 0, step); !o.workDay(source); source = source.AddDate(0, 0, step) {
		if o.ruleDay(source) {
			return true
		}
	}
	return false
}

// ruleDay asks about the day by §3.
func (o *oracle) ruleDay(day time.Time) bool {
	if o.cron != nil {
		if !o.w.Start.IsZero() && day.Before(dayOf(o.w.Start.In(o.loc))) {
			return false
		}
		const star = 1 << 63
		dom, dow := o.cron.Dom>>day.Day()&1 == 1, o.cron.Dow>>int(day.Weekday())&1 == 1
		if o.cron.Month>>int(day.Month())&1 == 0 {
			return false
		}
		if o.cron.Dom&star == 0 && o.cron.Dow&star == 0 {
			return dom || dow
		}
		return dom && dow
	}
	r, a := o.w.Rule, dayOf(o.anchor.In(o.loc))
	n := max(r.Interval, 1)
	if day.Before(a) {
		return false
	}
	apart := func(from, to time.Time) int { return int(to.Sub(from) / (24 * time.Hour)) }
	monday := func(d time.Time) time.Time { return d.AddDate(0, 0, -(int(d.Weekday())+6)%7) }
	months := func(d time.Time) int { return d.Year()*12 + int(d.Month()) }
	last := time.Date(day.Year(), day.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
	s := r.Schedule
	switch r.Frequency {
	case recurrence.Day:
		return apart(a, day)%n == 0
	case recurrence.Week:
		if apart(monday(a), monday(day))/7%n != 0 {
			return false
		}
		if len(s.WeekDays) == 0 {
			return day.Weekday() == a.Weekday()
		}
		return slices.Contains(s.WeekDays, day.Weekday())
	case recurrence.Year:
		return day.Month() == a.Month() && day.Day() == min(a.Day(), last)
	}
	if (months(day)-months(a))%n != 0 {
		return false
	}
	if s.IsZero() {
		return day.Day() == min(a.Day(), last)
	}
	if len(s.MonthDays)+len(s.MonthlyOccurrences)+len(s.WorkDays) == 0 {
		return day.Day() == a.Day()
	}
	if len(s.MonthDays) > 0 && !slices.Contains(s.MonthDays, day.Day()) && !slices.Contains(s.MonthDays, day.Day()-last-1) {
		return false
	}
	if len(s.MonthlyOccurrences) > 0 && !slices.ContainsFunc(s.MonthlyOccurrences, func(mo recurrence.MonthlyOccurrence) bool {
		return mo.Day == day.Weekday() &&
			(mo.Occurrence == 0 || mo.Occurrence == (day.Day()-1)/7+1 || mo.Occurrence == -((last-day.Day())/7+1))
	}) {
		return false
	}
	if len(s.WorkDays) > 0 {
		if !o.workDayOfMonth(day) {
			return false
		}
		before, after := 0, 0
		for d := 1; d <= last; d++ {
			if o.workDayOfMonth(time.Date(day.Year(), day.Month(), d, 0, 0, 0, 0, time.UTC)) {
				if d <= day.Day() {
					before++
				}
				if d >= day.Day() {
					after++
				}
			}
		}
		return slices.Contains(s.WorkDays, before) || slices.Contains(s.WorkDays, -after)
	}
	return true
}

func (o *oracle) workDay(day time.Time) bool {
	if o.w.Calendar == nil {
		return true
	}
	in := func(list []recurrence.DateRange) bool {
		return slices.ContainsFunc(list, func(r recurrence.DateRange) bool {
			text := day.Format(time.DateOnly)
			return r.From.String() <= text && text <= r.To.String()
		})
	}
	return in(o.w.Calendar.On) || !in(o.w.Calendar.Off) && o.w.Calendar.WorkDays[day.Weekday()]
}

// workDayOfMonth counts Monday to Friday when there is no calendar.
func (o *oracle) workDayOfMonth(day time.Time) bool {
	if o.w.Calendar == nil {
		return day.Weekday() >= time.Monday && day.Weekday() <= time.Friday
	}
	return o.workDay(day)
}

// roll returns the work day to which a day moves.
func (o *oracle) roll(day time.Time) time.Time {
	step := 1
	if o.w.OffCalendar == recurrence.OffPrevious {
		step = -1
	}
	for !o.workDay(day) {
		day = day.AddDate(0, 0, step)
	}
	return day
}

// elapsed walks the minutes for minute and hour rules.
func (o *oracle) elapsed(from, to time.Time) []time.Time {
	if o.w.Calendar == nil || o.w.OffCalendar == recurrence.OffDryRun {
		return o.unmoved(from, to)
	}
	// Far enough round the window to see all that can move into it.
	const reach = 15 * 24 * time.Hour
	var all []time.Time
	walls := map[time.Time]bool{}
	for _, t := range o.unmoved(from.Add(-reach), to.Add(reach)) {
		wall := wallOf(t.In(o.loc))
		day := dayOf(wall)
		switch {
		case o.workDay(day):
			all = append(all, t)
		case o.w.OffCalendar != recurrence.OffDrop:
			walls[o.roll(day).Add(wall.Sub(day))] = true
		}
	}
	rest := time.Duration(0)
	if o.w.Rule.Schedule.IsZero() {
		rest = o.anchor.Sub(o.anchor.Truncate(time.Minute))
	}
	if len(walls) > 0 {
		all = append(all, o.walk(from, to, rest, true, func(wall time.Time) bool { return walls[wall] })...)
		// What moved from a gap's end has no seconds, the rest may have some.
		if rest > 0 {
			all = append(all, o.walk(from, to, 0, true, func(wall time.Time) bool { return walls[wall] })...)
		}
	}
	return all
}

// unmoved is elapsed without a calendar.
func (o *oracle) unmoved(from, to time.Time) []time.Time {
	r := o.w.Rule
	s, n := r.Schedule, time.Duration(max(r.Interval, 1))
	unit := time.Minute
	if r.Frequency == recurrence.Hour {
		unit = time.Hour
	}
	var all []time.Time
	if s.IsZero() {
		for t := o.anchor; t.Before(to); t = t.Add(n * unit) {
			if !t.Before(from) {
				all = append(all, t)
			}
		}
		return all
	}
	a := wallOf(o.anchor.In(o.loc))
	origin := o.anchor.Add(-a.Sub(a.Truncate(unit)))
	// kept asks for an instant whose clock would show wall.
	kept := func(t, wall time.Time) bool {
		if t.Before(origin) || t.Sub(origin)/unit%n != 0 {
			return false
		}
		if len(s.Hours) > 0 && !slices.Contains(s.Hours, wall.Hour()) {
			return false
		}
		if len(s.Minutes) > 0 {
			return slices.Contains(s.Minutes, wall.Minute())
		}
		return unit == time.Minute || wall.Minute() == a.Minute()
	}
	named := len(s.Hours) > 0
	start := from.Truncate(time.Minute).Add(-time.Minute)
	_, offset := start.In(o.loc).Zone()
	for u := start.Add(time.Minute); u.Before(to); u = u.Add(time.Minute) {
		_, now := u.In(o.loc).Zone()
		wall := wallOf(u.In(o.loc))
		jump := time.Duration(now-offset) * time.Second
		if named && jump > 0 && o.w.Gap == recurrence.GapShift {
			for d := time.Duration(0); d < jump; d += time.Minute {
				if kept(u.Add(d), wall.Add(d-jump)) {
					all = append(all, u)
					break
				}
			}
		}
		offset = now
		if !kept(u, wall) {
			continue
		}
		yields := false
		for d := 5 * time.Minute; named && d <= 26*time.Hour; d += 5 * time.Minute {
			twin := u.Add(-d)
			if o.w.Overlap == recurrence.OverlapLast {
				twin = u.Add(d)
			}
			if o.w.Overlap != recurrence.OverlapBoth && wallOf(twin.In(o.loc)).Equal(wall) && kept(twin, wall) {
				yields = true
				break
			}
		}
		if !yields {
			all = append(all, u)
		}
	}
	return all
}
