package main

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// A schedule says when a job is due, the slow way: it looks at each minute of each day and asks whether the rule names it (`recurrence.md`). Times
// are milliseconds since 1970.
type schedule struct {
	zone *zone
	due  map[int64][]int64 // by UTC day, ascending

	lower     int64 // nothing but first is due before it
	first     int64 // the occurrence at once, or at startTime; forever is none
	until     int64 // nothing is due after it
	count     int64 // runs before the job is completed; 0 is no limit
	counted   int64 // UTC day up to which occurrences were counted, excluded
	occurred  int64 // so far
	counts    int64 // the last of these, forever when there are fewer
	effective int64 // begin of the effective range

	list    []int64          // at and one-offs
	grid    func(int64) bool // minute and hour rules: whether an instant is on the grid, the clock apart
	days    func(int64) bool // rules of a day or longer: whether a local day is taken, calendars apart
	hours   map[int]bool     // nil: every hour
	minutes map[int]bool     // nil: every minute
	phase   int64            // within the minute
	named   bool             // the rule names an hour, so a gap and a fold are decided
	gap     string
	overlap string

	calendar *calendar // nil: none
	off      string
}

var errNotUnderstood = errors.New("not understood")

func notUnderstood(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errNotUnderstood, fmt.Sprintf(format, args...))
}

// newSchedule puts a definition's schedule together with the job's creation: the table of `recurrence.md` §2.
func newSchedule(d *definition, j *job) (*schedule, error) {
	if !j.hasCreated {
		return nil, notUnderstood("a job without a creation time")
	}
	created := j.created
	s := &schedule{
		zone: zoneOf(d.location), due: map[int64][]int64{}, first: forever, until: forever, gap: d.gap, overlap: d.overlapDST, calendar: d.calendar,
		off: d.off,
	}
	start, hasStart := d.start.UnixMilli(), !d.start.IsZero()
	anchor := created
	if hasStart {
		anchor = start
	}
	s.effective = max(created, anchor)
	// The future is strictly after creation; a start that is given and not past is itself allowed.
	s.lower = s.effective
	if !hasStart || start < created {
		s.lower = created + 1
	}
	if !d.end.IsZero() {
		s.until = d.end.UnixMilli()
	}
	moves := d.calendar != nil && (d.off == "previous" || d.off == "next")
	switch {
	case d.manual:
		s.until = -forever
	case d.rule != nil:
		if err := s.recur(d, anchor, created, hasStart, start); err != nil {
			return nil, err
		}
		if moves && (s.grid != nil || s.first != forever) {
			return nil, notUnderstood("occurrences of a minute or hour rule, or at once, that a calendar moves")
		}
	case d.cron != "":
		c, err := parseCron(d.cron)
		if err != nil {
			return nil, notUnderstood("%v", err)
		}
		s.minutes, s.hours, s.days = c.fields[0].values, c.fields[1].values, c.takes
		s.named = !c.fields[1].star
	case moves:
		return nil, notUnderstood("listed times that a calendar moves")
	case len(d.at) > 0:
		for _, t := range d.at {
			s.list = append(s.list, t.UnixMilli())
		}
	default:
		s.list, s.lower = []int64{s.effective}, s.effective
	}
	s.counted, s.counts = floorDiv(created, dayMS), forever
	return s, nil
}

// recur reads the recurrence object (`recurrence.md` §2, §3).
func (s *schedule) recur(d *definition, anchor, created int64, hasStart bool, start int64) error {
	r := d.rule
	interval := max(1, r.Interval)
	if r.EndTime != "" {
		end, err := parseTime(r.EndTime)
		if err != nil {
			return notUnderstood("endTime %q", r.EndTime)
		}
		s.until = min(s.until, end.UnixMilli())
	}
	s.count = r.Count
	plain := r.Schedule == nil
	sched := r.Schedule
	if plain {
		sched = &scheduleDef{}
	}
	if !hasStart && (plain || d.atOnce) {
		s.first = created
	} else if plain && start >= created {
		s.first = start
	}
	if !plain {
		s.minutes, s.hours = setOf(sched.Minutes), setOf(sched.Hours)
	}
	local := s.zone.local(anchor)
	day, clock := floorDiv(local, dayMS), floorMod(local, dayMS)
	anchorHour, anchorMinute := int(clock/hourMS), int(clock%hourMS/minuteMS)
	y, m, dom := civil(day)
	switch r.Frequency {
	case "minute", "hour":
		unit := minuteMS
		if r.Frequency == "hour" {
			unit = hourMS
		}
		origin := anchor
		if plain {
			s.phase = clock % minuteMS
		} else {
			origin -= clock % unit
		}
		blocks := unit == hourMS && !plain
		if blocks && s.minutes == nil {
			s.minutes = map[int]bool{anchorMinute: true}
		}
		s.named = s.hours != nil
		s.grid = func(u int64) bool {
			if blocks {
				return u >= origin && (u-origin)/hourMS%interval == 0
			}
			return u >= origin && (u-origin)%(interval*unit) == 0
		}
		return nil
	case "day":
		s.days = func(n int64) bool { return n >= day && (n-day)%interval == 0 }
	case "week":
		wanted := map[time.Weekday]bool{}
		for _, word := range sched.WeekDays {
			w, err := weekday(word)
			if err != nil {
				return notUnderstood("%v", err)
			}
			wanted[w] = true
		}
		if len(wanted) == 0 {
			wanted[weekdayOf(day)] = true
		}
		monday := day - int64(weekdayOf(day)+6)%7
		s.days = func(n int64) bool { return n >= day && floorDiv(n-monday, 7)%interval == 0 && wanted[weekdayOf(n)] }
	case "month":
		month := int64(y)*12 + int64(m)
		taken, err := daysOfMonth(sched, plain, dom, d.calendar)
		if err != nil {
			return err
		}
		s.days = func(n int64) bool {
			y, m, _ := civil(n)
			return n >= day && (int64(y)*12+int64(m)-month)%interval == 0 && taken(n)
		}
	case "year":
		s.days = func(n int64) bool {
			ny, nm, nd := civil(n)
			return n >= day && int64(ny-y)%interval == 0 && nm == m && nd == min(dom, monthLength(ny, nm))
		}
	default:
		return notUnderstood("frequency %q", r.Frequency)
	}
	switch {
	case plain:
		s.hours, s.minutes, s.phase, s.named = map[int]bool{anchorHour: true}, map[int]bool{anchorMinute: true}, clock%minuteMS, true
	case s.hours != nil:
		s.named = true
		if s.minutes == nil {
			s.minutes = map[int]bool{anchorMinute: true}
		}
	case s.minutes != nil:
		// Minutes alone: every hour.
	default:
		s.hours, s.minutes, s.named = map[int]bool{anchorHour: true}, map[int]bool{anchorMinute: true}, true
	}
	return nil
}

func setOf(list []int) map[int]bool {
	if len(list) == 0 {
		return nil
	}
	set := map[int]bool{}
	for _, v := range list {
		set[v] = true
	}
	return set
}

// daysOfMonth is which days of a taken month a month rule takes.
func daysOfMonth(s *scheduleDef, plain bool, anchorDay int, cal *calendar) (func(day int64) bool, error) {
	if plain {
		return func(day int64) bool {
			y, m, d := civil(day)
			return d == min(anchorDay, monthLength(y, m))
		}, nil
	}
	if len(s.MonthDays)+len(s.MonthlyOccurrences)+len(s.WorkDays) == 0 {
		return func(day int64) bool {
			_, _, d := civil(day)
			return d == anchorDay
		}, nil
	}
	type nth struct {
		day time.Weekday
		n   int
	}
	var occurrences []nth
	for _, o := range s.MonthlyOccurrences {
		w, err := weekday(o.Day)
		if err != nil {
			return nil, notUnderstood("%v", err)
		}
		occurrences = append(occurrences, nth{w, o.Occurrence})
	}
	if cal == nil {
		cal = mondayToFriday
	}
	return func(day int64) bool {
		y, m, d := civil(day)
		length := monthLength(y, m)
		ok := len(s.MonthDays) == 0 || slices.Contains(s.MonthDays, d) || slices.Contains(s.MonthDays, d-length-1)
		ok = ok && (len(occurrences) == 0 || slices.ContainsFunc(occurrences, func(o nth) bool {
			return weekdayOf(day) == o.day && (o.n == 0 || o.n == (d-1)/7+1 || o.n == -((length-d)/7+1))
		}))
		if !ok || len(s.WorkDays) == 0 {
			return ok
		}
		if !cal.work(day) {
			return false
		}
		before, after := 0, 0
		for n := day - int64(d) + 1; n <= day-int64(d)+int64(length); n++ {
			if cal.work(n) && n <= day {
				before++
			}
			if cal.work(n) && n >= day {
				after++
			}
		}
		return slices.Contains(s.WorkDays, before) || slices.Contains(s.WorkDays, -after)
	}, nil
}

// takes reports whether the rule takes the local day, after the calendar has dropped or moved occurrences (`recurrence.md` §6).
func (s *schedule) takes(day int64) bool {
	if s.calendar == nil || s.off == "dryRun" {
		return s.days(day)
	}
	if !s.calendar.work(day) {
		return false
	}
	if s.days(day) {
		return true
	}
	step := map[string]int64{"previous": 1, "next": -1}[s.off]
	if step == 0 {
		return false
	}
	// The days off that move here lie between it and the next work day.
	for n := day + step; !s.calendar.work(n) && n-day < 4000 && day-n < 4000; n += step {
		if s.days(n) {
			return true
		}
	}
	return false
}

// shows reports whether the rule names the local time, within a taken day or hour.
func (s *schedule) shows(l int64) bool {
	clock := floorMod(l, dayMS)
	return (s.hours == nil || s.hours[int(clock/hourMS)]) && (s.minutes == nil || s.minutes[int(clock%hourMS/minuteMS)]) && clock%minuteMS == s.phase
}

// between lists the due times in [from, to) of a job all of whose due times ran.
func (s *schedule) between(from, to int64) []int64 {
	if s.count > 0 {
		s.countUpTo(floorDiv(min(to, s.until+1), dayMS) + 1)
		if s.counts < forever {
			to = min(to, s.counts+1)
		}
	}
	return s.ever(from, to)
}

// ever lists what would be due in [from, to) if there were no count: what is left of it, the rows tell.
func (s *schedule) ever(from, to int64) (list []int64) {
	from = max(from, s.effective)
	to = min(to, s.until+1)
	for n := floorDiv(from, dayMS); n*dayMS < to; n++ {
		for _, u := range s.on(n) {
			if from <= u && u < to {
				list = append(list, u)
			}
		}
	}
	return list
}

// is reports whether an instant is a due time, the count apart.
func (s *schedule) is(u int64) bool { return len(s.ever(u, u+1)) == 1 }

// dryRun reports whether a due time lies on a day off that is kept as an instance that does nothing.
func (s *schedule) dryRun(u int64) bool {
	return s.calendar != nil && s.off == "dryRun" && !s.calendar.work(floorDiv(s.zone.local(u), dayMS))
}

// countUpTo counts occurrences from the job's creation on and finds the last that its count allows.
func (s *schedule) countUpTo(day int64) {
	for ; s.counted < day && s.occurred < s.count; s.counted++ {
		for _, u := range s.on(s.counted) {
			if u > s.until {
				continue
			}
			if s.occurred++; s.occurred == s.count {
				s.counts = u
				break
			}
		}
	}
}

// on lists the due times of a UTC day, in order.
func (s *schedule) on(n int64) []int64 {
	if list, ok := s.due[n]; ok {
		return list
	}
	list := s.walk(n)
	list = slices.DeleteFunc(list, func(u int64) bool { return u < s.lower })
	if s.first != forever && floorDiv(s.first, dayMS) == n && !s.drops(s.first) {
		list = append(list, s.first)
	}
	slices.Sort(list)
	list = slices.Compact(list)
	s.due[n] = list
	return list
}

// drops reports whether the calendar leaves the day of an instant out.
func (s *schedule) drops(u int64) bool {
	return s.calendar != nil && s.off == "drop" && !s.calendar.work(floorDiv(s.zone.local(u), dayMS))
}

// walk looks at each minute of a UTC day.
func (s *schedule) walk(n int64) (list []int64) {
	begin, end := n*dayMS, (n+1)*dayMS
	if end <= s.lower || begin > s.until {
		return nil
	}
	if s.days == nil && s.grid == nil {
		for _, u := range s.list {
			if begin <= u && u < end && !s.drops(u) {
				list = append(list, u)
			}
		}
		return list
	}
	steady := s.zone.steady(n)
	before := s.zone.offset(begin - 1)
	taken := map[int64]bool{}
	takes := func(l int64) bool {
		day := floorDiv(l, dayMS)
		t, known := taken[day]
		if !known {
			t = s.takes(day)
			taken[day] = t
		}
		return t
	}
	for _, span := range s.zone.day(n) {
		// A local time that the zone skips is due when the gap ends, if the rule names its hour.
		if skipped := span.offset - before; skipped > 0 && s.named && s.gap == "shift" {
			for u := s.align(span.from, before); u < span.from+skipped; u += minuteMS {
				if l := u + before; s.shows(l) && (s.grid != nil && s.grid(u) && !s.drops(span.from) || s.days != nil && takes(l)) {
					list = append(list, span.from)
					break
				}
			}
		}
		before = span.offset
		for u := s.align(span.from, span.offset); u < span.to; u += minuteMS {
			l := u + span.offset
			if !s.shows(l) {
				continue
			}
			if s.grid != nil {
				if s.grid(u) && !s.drops(u) && (steady || !s.named || s.passes(u, l, s.grid)) {
					list = append(list, u)
				}
			} else if takes(l) && (steady || !s.named || s.passes(u, l, func(int64) bool { return true })) {
				list = append(list, u)
			}
		}
	}
	return list
}

// align returns the first instant at u or later that lies at the rule's place in a minute of the local clock.
func (s *schedule) align(u, offset int64) int64 { return u + floorMod(s.phase-u-offset, minuteMS) }

// passes reports whether this pass of a fold is the one in which a rule that names an hour is due.
func (s *schedule) passes(u, l int64, on func(int64) bool) bool {
	all := slices.DeleteFunc(s.zone.instants(l), func(v int64) bool { return !on(v) })
	switch s.overlap {
	case "first":
		return u == all[0]
	case "last":
		return u == all[len(all)-1]
	}
	return true
}
