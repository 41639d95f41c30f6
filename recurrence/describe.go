package recurrence

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// String says in one English sentence when the job is due, for people.
func (w When) String() string {
	var b strings.Builder
	b.WriteString(w.schedule())
	_, parsed := w.check()
	loc := w.location(parsed)
	stamp := func(t time.Time) string { return t.In(loc).Format("2006-01-02 15:04:05 -07:00") }
	listed := w.Rule == nil && w.Cron == "" // the times say it already
	if !listed && !w.Start.IsZero() {
		b.WriteString(", from " + stamp(w.Start))
	}
	if w.Rule != nil && w.Rule.Count > 0 {
		fmt.Fprintf(&b, ", %d %s", w.Rule.Count, plural(w.Rule.Count, "time"))
	}
	if end := w.end(); !end.IsZero() {
		b.WriteString(", until " + stamp(end))
	}
	if !w.Manual {
		b.WriteString(", in " + loc.String())
		if w.Gap == GapSkip {
			b.WriteString(", not at times that the clocks skip")
		}
		switch w.Overlap {
		case OverlapLast:
			b.WriteString(", at repeated times in the last pass")
		case OverlapBoth:
			b.WriteString(", at repeated times in both passes")
		}
	}
	if w.Calendar != nil && !w.Manual {
		name := w.Calendar.Name
		if name == "" {
			name = "its own"
		}
		fmt.Fprintf(&b, "; on days off by calendar %s %s", name, [...]string{
			OffDryRun: "only a dry run", OffDrop: "not at all",
			OffPrevious: "on the last work day before instead", OffNext: "on the next work day instead",
		}[min(max(w.OffCalendar, OffDryRun), OffNext)])
	}
	b.WriteByte('.')
	return b.String()
}

// schedule describes what recurs, without bounds and zone.
func (w When) schedule() string {
	switch {
	case w.Manual:
		return "on demand only"
	case w.Rule != nil:
		return w.Rule.String()
	case w.Cron != "":
		return "by cron expression " + strings.TrimSpace(w.Cron)
	case len(w.At) > 0:
		parsedLoc := w.location(nil)
		var times []string
		for _, at := range w.At[:min(len(w.At), 3)] {
			times = append(times, at.In(parsedLoc).Format("2006-01-02 15:04:05"))
		}
		if more := len(w.At) - len(times); more > 0 {
			times = append(times, fmt.Sprintf("%d more %s", more, plural(more, "time")))
		}
		return "at " + conjunction(times, "and")
	case w.Start.IsZero():
		return "once, at once"
	}
	return "once, at " + w.Start.In(w.location(nil)).Format("2006-01-02 15:04:05")
}

// String describes the rule without its anchor, its count and its end, such as
// "every 2 weeks on Monday and Friday at 05:15 and 17:15".
func (r Rule) String() string {
	var b strings.Builder
	n := r.interval()
	if n == 1 {
		b.WriteString("every " + r.Frequency.String())
	} else {
		fmt.Fprintf(&b, "every %d %ss", n, r.Frequency)
	}
	s := r.Schedule
	if on := s.days(); on != "" {
		b.WriteString(" on " + on)
	}
	if at := s.times(r.Frequency); at != "" {
		b.WriteString(" " + at)
	}
	return b.String()
}

// days names the chosen days, empty when the schedule names none.
func (s Schedule) days() string {
	var sets []string
	if len(s.WeekDays) > 0 {
		var names []string
		// Weeks begin on Monday.
		for i := range 7 {
			if d := time.Weekday((i + 1) % 7); slices.Contains(s.WeekDays, d) {
				names = append(names, d.String())
			}
		}
		sets = append(sets, conjunction(names, "and"))
	}
	if len(s.MonthDays) > 0 {
		sets = append(sets, "the "+conjunction(ordinals(s.MonthDays, "day"), "and"))
	}
	if len(s.MonthlyOccurrences) > 0 {
		var names []string
		for _, o := range s.MonthlyOccurrences {
			if o.Occurrence == 0 {
				names = append(names, "every "+o.Day.String())
				continue
			}
			names = append(names, "the "+ordinals([]int{o.Occurrence}, o.Day.String())[0])
		}
		sets = append(sets, conjunction(names, "and"))
	}
	if len(s.WorkDays) > 0 {
		sets = append(sets, "the "+conjunction(ordinals(s.WorkDays, "work day"), "and"))
	}
	return strings.Join(sets, ", when that is also ")
}

// times names the times of day, empty when the anchor gives them all.
func (s Schedule) times(f Frequency) string {
	hours, minutes := slices.Clone(s.Hours), slices.Clone(s.Minutes)
	slices.Sort(hours)
	slices.Sort(minutes)
	hours, minutes = slices.Compact(hours), slices.Compact(minutes)
	two := func(format string, values []int) (list []string) {
		for _, v := range values {
			list = append(list, fmt.Sprintf(format, v))
		}
		return list
	}
	const fewTimes = 6
	switch {
	case len(hours) > 0 && len(minutes) > 0 && len(hours)*len(minutes) <= fewTimes && f > Minute:
		var list []string
		for _, h := range hours {
			for _, m := range minutes {
				list = append(list, fmt.Sprintf("%02d:%02d", h, m))
			}
		}
		return "at " + conjunction(list, "and")
	case len(hours) > 0 && len(minutes) > 0:
		return "at minutes " + conjunction(two(":%02d", minutes), "and") + " of the hours " + conjunction(two("%02d", hours), "and")
	case len(hours) > 0:
		return "in the hours " + conjunction(two("%02d", hours), "and")
	case len(minutes) > 0 && f > Hour:
		return "at " + conjunction(two(":%02d", minutes), "and") + " of every hour"
	case len(minutes) > 0:
		return "at " + conjunction(two(":%02d", minutes), "and")
	}
	return ""
}

// ordinals writes 1 as "1st day", -1 as "last day", -3 as "3rd day from the
// end".
func ordinals(values []int, what string) []string {
	var list []string
	for _, v := range values {
		switch {
		case v == -1:
			list = append(list, "last "+what)
		case v < 0:
			list = append(list, ordinal(-v)+" "+what+" from the end")
		default:
			list = append(list, ordinal(v)+" "+what)
		}
	}
	return list
}

func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// conjunction joins a list as English does: "a, b and c".
func conjunction(list []string, word string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " " + word + " " + list[len(list)-1]
}
