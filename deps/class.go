package deps

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Class is the kind of period a job runs at; pairs of classes select the rule of
// an edge (dependencies.md §1).
type Class int8

// The classes, from finest to coarsest. NoClass is for one-off, event and manual
// jobs, which take part only through explicit windows and self edges.
const (
	NoClass  Class = iota
	Minute         // every n minutes
	Hour           // every n hours
	Discrete       // at more than one listed time of day
	Day            // once on a day
	Week           // once on chosen weekdays
	Month          // once on chosen days of the month
	Year           // once on chosen days of the year
)

var classWords = []string{"none", "minute", "hour", "discrete", "day", "week", "month", "year"}

// String gives the word of dependencies.md §1.
func (c Class) String() string { return word(classWords, int(c), "class") }

// article gives the word after "a" or "an".
func (c Class) article() string {
	if c == Hour {
		return "an hour"
	}
	return "a " + c.String()
}

// ParseClass reads the words that String gives.
func ParseClass(s string) (Class, error) {
	i, err := index(classWords, s, "period")
	return Class(i), err
}

// Period is a job's class with its nominal interval.
type Period struct {
	Class Class
	// Every is P(x) of the rules: the interval of a minute or hour job, the smallest
	// gap between the clock times of a discrete one. It is 24 h and 168 h times the
	// interval for days and weeks, and 0 for months and years, which have no fixed length.
	Every time.Duration
}

// every is Every, or the shortest the class allows where it was left out.
func (p Period) every() time.Duration {
	if p.Every > 0 {
		return p.Every
	}
	switch p.Class {
	case Minute:
		return time.Minute
	case Hour, Discrete:
		return time.Hour
	case Week:
		return 7 * day
	case Month:
		return 31 * day
	case Year:
		return 366 * day
	}
	return day
}

// String names the period for people: "hourly", "every 15 minutes", "discrete hours".
func (p Period) String() string {
	switch p.Class {
	case Minute:
		return everyWords(p.every(), time.Minute, "minutely", "minutes")
	case Hour:
		return everyWords(p.every(), time.Hour, "hourly", "hours")
	case Discrete:
		return "discrete hours"
	case Day:
		return everyWords(p.every(), day, "daily", "days")
	case Week:
		return everyWords(p.every(), 7*day, "weekly", "weeks")
	case Month:
		return "monthly"
	case Year:
		return "yearly"
	}
	return "no period"
}

func everyWords(p, unit time.Duration, one, many string) string {
	switch {
	case p == unit:
		return one
	case p%unit == 0:
		return fmt.Sprintf("every %d %s", p/unit, many)
	}
	return "every " + p.String()
}

// PeriodOfRule infers the period of a recurrence object (dependencies.md §1).
// frequency is one of "minute" to "year", anything else has no class; interval
// below 1 counts as 1; hours and minutes are the schedule's fields, nil or empty
// where absent. On frequency day and longer several times of day are discrete,
// unless they fill every hour of the day: then the job is an hour job, or with
// several minutes a minute job.
func PeriodOfRule(frequency string, interval int, hours, minutes []int) Period {
	class, err := ParseClass(strings.ToLower(frequency))
	if err != nil || class == NoClass || class == Discrete {
		return Period{}
	}
	n := time.Duration(max(interval, 1))
	switch class {
	case Minute:
		return Period{Minute, n * time.Minute}
	case Hour:
		return Period{Hour, n * time.Hour}
	}
	h, m := set(hours, 24), set(minutes, 60)
	if len(h) == 0 && len(m) > 0 {
		h = fullDay()
	}
	if len(h)*max(len(m), 1) > 1 {
		return periodOfTimes(h, m)
	}
	return coarse(class, n)
}

// coarse is the period of a class that fires once on a day.
func coarse(class Class, n time.Duration) Period {
	switch class {
	case Day:
		return Period{Day, n * day}
	case Week:
		return Period{Week, n * 7 * day}
	}
	return Period{Class: class}
}

// periodOfTimes is the period of more than one listed time of day: hours times
// minutes, where no minutes at all stand for one.
func periodOfTimes(hours, minutes []int) Period {
	if len(minutes) == 0 {
		minutes = []int{0}
	}
	gap := smallestGap(hours, minutes)
	switch {
	case len(hours) == 24 && len(minutes) == 1:
		return Period{Hour, time.Hour}
	case len(hours) == 24:
		return Period{Minute, gap}
	}
	return Period{Discrete, gap}
}

// smallestGap is the shortest distance between two clock times of one day; both
// lists are ascending. The way round midnight does not count: the next day need
// not be one of the job's.
func smallestGap(hours, minutes []int) time.Duration {
	best, last := day, -1
	for _, h := range hours {
		for _, m := range minutes {
			at := h*60 + m
			if last >= 0 {
				best = min(best, time.Duration(at-last)*time.Minute)
			}
			last = at
		}
	}
	return best
}

// set gives the distinct values in [0, bound), ascending.
func set(values []int, bound int) []int {
	out := slices.DeleteFunc(slices.Clone(values), func(v int) bool { return v < 0 || v >= bound })
	slices.Sort(out)
	return slices.Compact(out)
}

func fullDay() []int {
	hours := make([]int, 24)
	for h := range hours {
		hours[h] = h
	}
	return hours
}
