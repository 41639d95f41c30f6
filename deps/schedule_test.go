package deps_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/deps"
)

// schedule is a job's schedule as the test tables write it:
//
//	hours 2 5 15:30               at these times of every day (class discrete)
//	every 15m [from 1:00] [to 22:00]   on each day, counted from that time (class minute)
//	every 8h [from 0:05], hourly [at :15]   the same (class hour)
//	daily 12:00, weekly monday 12:00, monthly 3 12:00, monthly last 6:00, yearly 9-3 12:00
//	once 2026-09-01 12:00         (no class)
//
// followed by any of "; since DATE [TIME]", "; until DATE [TIME]" (both inclusive),
// "; off DATE", "; as CLASS" (another class written on the job), "; zone NAME".
// It is evaluated by walking real minutes, which is slow and hard to get wrong.
type schedule struct {
	period       deps.Period
	loc          *time.Location
	date         func(time.Time) bool // by local noon
	named        []int                // local minutes of the day, once each
	every        func(minute int) bool
	since, until time.Time
	off          []string
	days         map[string][]time.Time
}

func parseSchedule(text string, zone string) (*schedule, error) {
	s := &schedule{date: func(time.Time) bool { return true }, days: map[string][]time.Time{}}
	parts := strings.Split(text, ";")
	for _, p := range parts {
		if name, ok := strings.CutPrefix(strings.TrimSpace(p), "zone "); ok {
			zone = name
		}
	}
	var err error
	if s.loc, err = time.LoadLocation(zone); err != nil {
		return nil, err
	}
	if err := s.parseTimes(strings.Fields(parts[0])); err != nil {
		return nil, fmt.Errorf("schedule %q: %w", text, err)
	}
	for _, p := range parts[1:] {
		word, rest, _ := strings.Cut(strings.TrimSpace(p), " ")
		switch word {
		case "since":
			s.since, err = parseLocal(rest, s.loc)
		case "until":
			s.until, err = parseLocal(rest, s.loc)
		case "off":
			s.off = append(s.off, rest)
		case "as":
			s.period.Class, err = deps.ParseClass(rest)
		case "zone":
		default:
			err = fmt.Errorf("unknown %q", p)
		}
		if err != nil {
			return nil, fmt.Errorf("schedule %q: %w", text, err)
		}
	}
	return s, nil
}

func (s *schedule) parseTimes(f []string) error {
	kind, args := f[0], f[1:]
	if kind == "hourly" {
		kind, args = "every", append([]string{"1h"}, args...)
	}
	switch kind {
	case "hours":
		for _, a := range args {
			s.named = append(s.named, mustMinute(a))
		}
		s.period = deps.Period{Class: deps.Discrete, Every: 24 * time.Hour}
		for i := 1; i < len(s.named); i++ {
			s.period.Every = min(s.period.Every, time.Duration(s.named[i]-s.named[i-1])*time.Minute)
		}
	case "every":
		d, err := time.ParseDuration(args[0])
		if err != nil {
			return err
		}
		from, to, step := 0, 24*60-1, int(d.Minutes())
		for i := 1; i+1 < len(args); i += 2 {
			switch args[i] {
			case "from", "at":
				from = mustMinute("0" + args[i+1])
			case "to":
				to = mustMinute(args[i+1])
			}
		}
		s.every = func(m int) bool { return m >= from && m <= to && (m-from)%step == 0 }
		s.period = deps.Period{Class: deps.Minute, Every: d}
		if strings.HasSuffix(args[0], "h") {
			s.period.Class = deps.Hour
		}
	case "daily":
		s.named, s.period = []int{mustMinute(args[0])}, deps.Period{Class: deps.Day, Every: 24 * time.Hour}
	case "weekly":
		s.named, s.period = []int{mustMinute(args[1])}, deps.Period{Class: deps.Week, Every: 168 * time.Hour}
		s.date = func(t time.Time) bool { return strings.EqualFold(t.Weekday().String(), args[0]) }
	case "monthly":
		s.named, s.period = []int{mustMinute(args[1])}, deps.Period{Class: deps.Month}
		s.date = func(t time.Time) bool {
			if args[0] == "last" {
				return t.AddDate(0, 0, 1).Day() == 1
			}
			return strconv.Itoa(t.Day()) == args[0]
		}
	case "yearly":
		s.named, s.period = []int{mustMinute(args[1])}, deps.Period{Class: deps.Year}
		s.date = func(t time.Time) bool { return fmt.Sprintf("%d-%d", t.Month(), t.Day()) == args[0] }
	case "once":
		s.named = []int{mustMinute(args[1])}
		s.date = func(t time.Time) bool { return t.Format(time.DateOnly) == args[0] }
	default:
		return fmt.Errorf("unknown kind %q", kind)
	}
	return nil
}

func mustMinute(clock string) int {
	h, m, _ := strings.Cut(clock, ":")
	hour, err := strconv.Atoi(h)
	if err != nil {
		panic(err)
	}
	minute := 0
	if m != "" {
		if minute, err = strconv.Atoi(m); err != nil {
			panic(err)
		}
	}
	return hour*60 + minute
}

func parseLocal(text string, loc *time.Location) (time.Time, error) {
	if !strings.Contains(text, " ") {
		text += " 0:00"
	}
	return time.ParseInLocation("2006-01-02 15:04", text, loc)
}

func (s *schedule) job(name string) deps.Job {
	return deps.Job{Name: name, Period: s.period, Location: s.loc, Occurrences: s.between}
}

// between gives the plan times in [from, to).
func (s *schedule) between(from, to time.Time) []time.Time {
	var out []time.Time
	if from.Before(s.since) {
		from = s.since
	}
	y, m, d := from.In(s.loc).Date()
	for i := -1; ; i++ {
		noon := time.Date(y, m, d+i, 12, 0, 0, 0, s.loc)
		if noon.Add(-36 * time.Hour).After(to) {
			return out
		}
		for _, t := range s.day(noon) {
			if !t.Before(from) && t.Before(to) {
				out = append(out, t)
			}
		}
	}
}

// day gives the plan times of the local day around a noon.
func (s *schedule) day(noon time.Time) []time.Time {
	key := noon.Format(time.DateOnly)
	if times, ok := s.days[key]; ok {
		return times
	}
	s.days[key] = nil
	if !s.date(noon) || slices.Contains(s.off, key) {
		return nil
	}
	var out []time.Time
	first, end := walkDay(noon)
	taken := make([]bool, len(s.named))
	for t := first; t.Before(end); t = t.Add(time.Minute) {
		m := t.Hour()*60 + t.Minute()
		due := s.every != nil && s.every(m)
		for i, n := range s.named {
			if !taken[i] && m >= n { // once: the first pass of a fold, the end of a gap
				taken[i], due = true, true
			}
		}
		if due && !t.Before(s.since) && (s.until.IsZero() || !t.After(s.until)) {
			out = append(out, t)
		}
	}
	s.days[key] = out
	return out
}

// walkDay gives the bounds of the local day around a noon, minute by minute.
func walkDay(noon time.Time) (first, end time.Time) {
	key := noon.Format(time.DateOnly) + noon.Location().String()
	if day, ok := walked[key]; ok {
		return day[0], day[1]
	}
	defer func() { walked[key] = [2]time.Time{first, end} }()
	first, end = noon, noon
	for first.Add(-time.Minute).Day() == noon.Day() {
		first = first.Add(-time.Minute)
	}
	for end.Day() == noon.Day() {
		end = end.Add(time.Minute)
	}
	return first, end
}

// walked keeps the days already walked.
var walked = map[string][2]time.Time{}
