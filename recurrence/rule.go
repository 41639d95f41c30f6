package recurrence

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Rule is the recurrence object (recurrence.md §1): a period, and which times
// of it are due. It has no anchor of its own; [When] gives it one.
type Rule struct {
	Frequency Frequency
	Interval  int       // number of periods from one to the next; 0 means 1
	Schedule  Schedule  // zero: due once in each period, at the anchor's time
	Count     int       // occurrences since creation, the immediate one included; 0 = no limit
	End       time.Time // nothing is due after it, but possibly at it; zero = no end
}

// Schedule narrows or widens the times of a rule (recurrence.md §3). An empty
// list means that the element is not given.
type Schedule struct {
	Minutes            []int               // 0..59
	Hours              []int               // 0..23
	WeekDays           []time.Weekday      // frequency week only
	MonthDays          []int               // 1..31, or -1..-31 from the month's end; frequency month only
	MonthlyOccurrences []MonthlyOccurrence // frequency month only
	WorkDays           []int               // n-th work day of the month, negative from its end; frequency month only
}

// IsZero reports whether no element is given: the rule then has no schedule,
// which is not the same as a schedule that repeats its defaults.
func (s Schedule) IsZero() bool {
	return len(s.Minutes) == 0 && len(s.Hours) == 0 && len(s.WeekDays) == 0 && len(s.MonthDays) == 0 &&
		len(s.MonthlyOccurrences) == 0 && len(s.WorkDays) == 0
}

// MonthlyOccurrence is a weekday counted within its month: the first Friday,
// the last but one Tuesday, or every Sunday.
type MonthlyOccurrence struct {
	Day        time.Weekday
	Occurrence int // 1..5, or -1..-5 from the month's end; 0 = not given: every such weekday
}

// FieldError is one mistake in a definition, or one warning about it.
type FieldError struct {
	Field   string // the path below the job, such as "schedule.monthDays[2]", "interval" or "cron"
	Message string // what is wrong, what is allowed and what to write instead
}

// Error returns the field and the message.
func (e FieldError) Error() string { return e.Field + ": " + e.Message }

// joinFields turns mistakes into one error, nil when there are none.
func joinFields(mistakes []FieldError) error {
	list := make([]error, len(mistakes))
	for i, m := range mistakes {
		list[i] = m
	}
	return errors.Join(list...)
}

// maxIntervals are the limits of recurrence.md §1.
var maxIntervals = [...]int{Minute: 1000, Hour: 1000, Day: 548, Week: 78, Month: 18, Year: 1}

// mistakes collects FieldErrors.
type mistakes []FieldError

func (m *mistakes) add(field, format string, args ...any) {
	*m = append(*m, FieldError{field, fmt.Sprintf(format, args...)})
}

// Validate returns every mistake in the rule by itself, or nil. Whether it ever
// fires depends on the anchor and is found by [When.Validate].
func (r Rule) Validate() []FieldError {
	var m mistakes
	if !r.Frequency.Valid() {
		m.add("frequency", "missing or unknown; write minute, hour, day, week, month or year")
	}
	switch limit := 0; {
	case r.Interval < 0:
		m.add("interval", "%d is not positive; write 1 or more", r.Interval)
	case r.Frequency.Valid():
		limit = maxIntervals[r.Frequency]
		if r.Interval > limit {
			m.add("interval", "%d is too long for frequency %s; allowed is 1..%d%s", r.Interval, r.Frequency, limit,
				intervalHint(r.Frequency))
		}
	}
	if r.Count < 0 {
		m.add("count", "%d is not positive; write 1 or more, or leave it out for no limit", r.Count)
	}
	checkEnd(&m, r.End)
	r.Schedule.validate(&m, r.Frequency)
	return m
}

func intervalHint(f Frequency) string {
	if f == Year {
		return "; a yearly job cannot leave years out"
	}
	return "; choose a longer frequency"
}

func (s Schedule) validate(m *mistakes, f Frequency) {
	only := func(field string, n int, want Frequency, instead string) bool {
		if n == 0 {
			return false
		}
		if f.Valid() && f != want {
			m.add("schedule."+field, "only allowed with frequency %s, not %s; write frequency: %s%s", want, f, want, instead)
			return false
		}
		return true
	}
	inRange := func(field string, values []int, low, high int, hint string) {
		for i, v := range values {
			if v < low || v > high {
				m.add(fmt.Sprintf("schedule.%s[%d]", field, i), "%d is out of range; allowed is %d..%d%s", v, low, high, hint)
			}
		}
	}
	fromEnd := func(field string, values []int, zero string) {
		for i, v := range values {
			at := fmt.Sprintf("schedule.%s[%d]", field, i)
			switch {
			case v == 0:
				m.add(at, "0 is not allowed; allowed is 1..31 or -31..-1; %s", zero)
			case v < -31 || v > 31:
				m.add(at, "%d is out of range; allowed is 1..31 or -31..-1", v)
			}
		}
	}
	inRange("minutes", s.Minutes, 0, 59, "")
	inRange("hours", s.Hours, 0, 23, "; midnight is 0")
	if only("weekDays", len(s.WeekDays), Week, " or, within a month, monthlyOccurrences") {
		if len(s.WeekDays) > 7 {
			m.add("schedule.weekDays", "%d entries; at most 7 are allowed, each weekday once", len(s.WeekDays))
		}
		for i, d := range s.WeekDays {
			if d < time.Sunday || d > time.Saturday {
				m.add(fmt.Sprintf("schedule.weekDays[%d]", i), "not a weekday; allowed is sunday..saturday")
			}
		}
	}
	if only("monthDays", len(s.MonthDays), Month, "") {
		fromEnd("monthDays", s.MonthDays, "the last day is -1")
	}
	if only("monthlyOccurrences", len(s.MonthlyOccurrences), Month, " or, within a week, weekDays") {
		for i, o := range s.MonthlyOccurrences {
			at := fmt.Sprintf("schedule.monthlyOccurrences[%d]", i)
			if o.Day < time.Sunday || o.Day > time.Saturday {
				m.add(at+".day", "not a weekday; allowed is sunday..saturday")
			}
			if o.Occurrence < -5 || o.Occurrence > 5 {
				m.add(at+".occurrence", "%d is out of range; allowed is 1..5 or -5..-1, or leave it out for every %s",
					o.Occurrence, strings.ToLower(o.Day.String()))
			}
		}
	}
	if only("workDays", len(s.WorkDays), Month, "") {
		fromEnd("workDays", s.WorkDays, "the last work day is -1")
	}
}

// checkEnd holds an endTime to the years that can be written. It may be later
// than any plan time: 9999-12-31 is how many write "for ever".
func checkEnd(m *mistakes, end time.Time) {
	if !end.IsZero() && (end.Year() < FirstYear || end.Year() > 9999) {
		m.add("endTime", "the year %d is out of range; allowed is %d to 9999", end.Year(), FirstYear)
	}
}

// interval returns the interval with its default.
func (r Rule) interval() int { return max(r.Interval, 1) }
