package crontab

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The days of a crontab's line (crontab(5)): where the day of month or the weekday begins with *, also as
// */2, both must match; else either does. A cron expression here says "both" only with a field that is *
// itself, so that such a line is another expression, or a recurrence.

// A set is the values of one field of a line, ascending.
type set struct {
	values []int
	whole  bool // every value that there is
}

var (
	monthNames   = []string{"", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}
	weekdayNames = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}
	longWeekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}
)

// fieldSet reads one field; false where it is none, which whoever reads the whole expression says.
func fieldSet(field string, low, high int, names []string) (s set, ok bool) {
	number := func(text string) (int, bool) {
		if i := slices.Index(names, strings.ToLower(text)); i >= 0 && text != "" {
			return i, true
		}
		n, err := strconv.Atoi(text)
		return n, err == nil && n >= low && n <= high
	}
	for _, part := range strings.Split(field, ",") {
		base, stepText, stepped := strings.Cut(part, "/")
		from, to, step := low, high, 1
		if base != "*" {
			first, last, ranged := strings.Cut(base, "-")
			var known bool
			if from, known = number(first); !known {
				return s, false
			}
			switch {
			case ranged:
				if to, known = number(last); !known || to < from {
					return s, false
				}
			case !stepped:
				to = from
			}
		}
		if stepped {
			n, err := strconv.Atoi(stepText)
			if err != nil || n < 1 {
				return s, false
			}
			step = n
		}
		for n := from; n <= to; n += step {
			s.values = append(s.values, n)
		}
	}
	slices.Sort(s.values)
	s.values = slices.Compact(s.values)
	s.whole = len(s.values) == high-low+1
	return s, true
}

// star reports whether a field is taken for unrestricted by a cron expression here.
func star(field string) bool {
	return slices.ContainsFunc(strings.Split(field, ","), func(part string) bool { return part == "*" || part == "*/1" })
}

// days makes the schedule of a line mean the days that it does for cron. The recurrence is given where no
// expression says it. why is what cannot be said at all.
func days(schedule string) (cron, recurrence, why string) {
	fields := strings.Fields(schedule)
	if len(fields) != 5 {
		return schedule, "", ""
	}
	dom, dow := fields[2], fields[4]
	both := dom[0] == '*' || dow[0] == '*'
	if both == (star(dom) || star(dow)) {
		return schedule, "", ""
	}
	monthDays, ok := fieldSet(dom, 1, 31, nil)
	weekdays, ok2 := fieldSet(dow, 0, 6, weekdayNames)
	months, ok3 := fieldSet(fields[3], 1, 12, monthNames)
	minutes, ok4 := fieldSet(fields[0], 0, 59, nil)
	hours, ok5 := fieldSet(fields[1], 0, 23, nil)
	switch {
	case !ok || !ok2 || !ok3 || !ok4 || !ok5:
		return schedule, "", "" // the mistake is told by whoever reads the expression
	case !both: // one of them is every day, and either matches
		fields[2], fields[4] = "*", "*"
		return strings.Join(fields, " "), "", ""
	case monthDays.whole:
		fields[2] = "*"
		return strings.Join(fields, " "), "", ""
	case weekdays.whole:
		fields[4] = "*"
		return strings.Join(fields, " "), "", ""
	case !months.whole:
		return "", "", fmt.Sprintf("the day of month %s and the weekday %s must both match, and in the months %s: "+
			"no cron expression and no recurrence says that here; with * as the month it is a recurrence, "+
			"and the command can ask for the month", dom, dow, fields[3])
	}
	var occurrences []string
	for _, day := range weekdays.values {
		occurrences = append(occurrences, "{day: "+longWeekdays[day]+"}")
	}
	parts := []string{"monthDays: " + intList(monthDays.values), "monthlyOccurrences: [" + strings.Join(occurrences, ", ") + "]"}
	if !star(fields[1]) { // each hour is due in both passes of an hour that clocks repeat
		parts = append(parts, "hours: "+intList(hours.values))
	}
	parts = append(parts, "minutes: "+intList(minutes.values))
	return "", "{frequency: month, schedule: {" + strings.Join(parts, ", ") + "}}", ""
}

func intList(values []int) string {
	words := make([]string, len(values))
	for i, n := range values {
		words[i] = strconv.Itoa(n)
	}
	return "[" + strings.Join(words, ", ") + "]"
}
