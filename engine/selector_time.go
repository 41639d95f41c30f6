package engine

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/recurrence"
)

// A dayRange is natural days, both included: of the calendar, or counted from today.
type dayRange struct{ first, last day }

// A day is a date, or a day so many after today when that is zero.
type day struct {
	date recurrence.Date
	from int
}

// daysFromToday are the days that have a name.
var daysFromToday = map[string]int{"yesterday": -1, "today": 0, "tomorrow": 1}

// on is the date that the day is in a zone.
func (d day) on(now time.Time, zone *time.Location) recurrence.Date {
	if d.date.IsZero() {
		return recurrence.DateOf(now.In(zone)).AddDays(d.from)
	}
	return d.date
}

// window is the days as instants of a zone, the end excluded.
func (r dayRange) window(now time.Time, zone *time.Location) (from, to time.Time) {
	return recurrence.DayStart(r.first.on(now, zone), zone), recurrence.DayStart(r.last.on(now, zone).AddDays(1), zone)
}

// readDays reads 2026-11-01, 2026-11-01..2026-11-07, 2026-11-01..11-07, 2026-11-01..07 and the days by name.
func readDays(word string) (r dayRange, err error) {
	first, last, isRange := strings.Cut(word, "..")
	if r.first, err = readDay(first, day{}); err != nil {
		return r, err
	}
	if r.last = r.first; !isRange {
		return r, nil
	}
	if r.last, err = readDay(last, r.first); err != nil {
		return r, err
	}
	if named := r.first.date.IsZero(); named == r.last.date.IsZero() && (named && r.last.from < r.first.from || !named && r.last.date.Compare(r.first.date) < 0) {
		return r, fmt.Errorf("%s ends before it begins", word)
	}
	return r, nil
}

// readDay reads a day; the end of a range may leave out what it shares with the beginning.
func readDay(word string, begin day) (day, error) {
	if n, named := daysFromToday[word]; named {
		return day{from: n}, nil
	}
	full := word
	if shared := len("2026-11-01") - len(word); !begin.date.IsZero() && (len(word) == len("01") || len(word) == len("11-01")) {
		full = begin.date.String()[:shared] + word
	}
	date, err := recurrence.ParseDay(full)
	if _, none := recurrence.ParseDate(full); err != nil && none == nil {
		return day{}, err // there is such a day, out of range
	}
	if err != nil {
		return day{}, fmt.Errorf("%q is no day; write 2026-11-01, 2026-11-01..07, 2026-11-01..2026-12-02, yesterday, today or tomorrow", word)
	}
	return day{date: date}, nil
}

// A timeRange is plan times, both ends included: instants as they were written, or clock times of every day.
type timeRange struct {
	from, to string
	daily    bool
	clock    [2]int    // minutes of the day
	days     *dayRange // whole natural days instead: both ends are days
}

func readTimes(word string) (r timeRange, err error) {
	if days, err := readDays(word); err == nil {
		return timeRange{days: &days}, nil
	}
	from, to, ok := strings.Cut(word, "..")
	if !ok {
		return r, fmt.Errorf("%q is no range of times; write time:02:00..05:30, time:2026-11-01T02:00..2026-11-01T05:30 or time:today", word)
	}
	r.from, r.to = from, to
	a, first := readClock(from)
	b, last := readClock(to)
	if first && last {
		r.daily, r.clock = true, [2]int{a, b}
		return r, nil
	}
	begin, err := readInstant(from, time.UTC)
	if err != nil {
		return r, err
	}
	end, err := readInstant(to, time.UTC)
	if err == nil && end.Before(begin) && strings.HasSuffix(from, "Z") == strings.HasSuffix(to, "Z") {
		err = fmt.Errorf("%s ends before it begins", word)
	}
	return r, err
}

// readClock reads HH:MM as minutes of the day; 24:00 is the end of it.
func readClock(word string) (minutes int, ok bool) {
	if len(word) != len("02:00") || word[2] != ':' {
		return 0, false
	}
	h, err1 := strconv.Atoi(word[:2])
	m, err2 := strconv.Atoi(word[3:])
	minutes = 60*h + m
	return minutes, err1 == nil && err2 == nil && h >= 0 && m >= 0 && m < 60 && minutes <= 24*60
}

// window is the instants in a zone, the end excluded; ok is false for clock times, which bound nothing.
func (r timeRange) window(now time.Time, zone *time.Location) (from, to time.Time, ok bool) {
	if r.days != nil {
		from, to = r.days.window(now, zone)
		return from, to, true
	}
	if r.daily {
		return from, to, false
	}
	from, _ = readInstant(r.from, zone) // both were read when the selector was
	to, _ = readInstant(r.to, zone)
	return from, to.Add(time.Millisecond), true
}

// has reports whether a plan time is in the range. Clock times may pass midnight.
func (r timeRange) has(at, now time.Time, zone *time.Location) bool {
	if from, to, ok := r.window(now, zone); ok {
		return !at.Before(from) && at.Before(to)
	}
	local := at.In(zone)
	clock := 60*local.Hour() + local.Minute()
	if r.clock[0] <= r.clock[1] {
		return r.clock[0] <= clock && (clock < r.clock[1] || clock == r.clock[1] && local.Second() == 0)
	}
	return clock >= r.clock[0] || clock < r.clock[1] || clock == r.clock[1] && local.Second() == 0
}

// localForms are the forms of an instant without an offset.
var localForms = []string{"2006-01-02T15:04:05.999", "2006-01-02T15:04"}

// zonedForms are the forms of an instant with an offset and without seconds.
var zonedForms = []string{"2006-01-02T15:04Z07:00"}

// readInstant reads a plan time: RFC 3339, or without an offset as a time of the zone.
func readInstant(word string, zone *time.Location) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, word); err == nil {
		return t, recurrence.CheckRange(t, zone)
	}
	for _, form := range zonedForms {
		if t, err := time.Parse(form, word); err == nil {
			return t, recurrence.CheckRange(t, zone)
		}
	}
	if day, err := recurrence.ParseDay(word); err == nil {
		return recurrence.DayStart(day, zone), nil
	}
	for _, form := range localForms {
		t, err := time.ParseInLocation(form, word, zone)
		if err != nil {
			continue
		}
		return earlierPass(t, form), recurrence.CheckRange(t, zone)
	}
	if date, _, timed := strings.Cut(strings.Replace(word, " ", "T", 1), "T"); timed && len(date) == len("2026-11-01") {
		if _, err := recurrence.ParseDay(date); err != nil {
			return time.Time{}, err
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time; write 2026-11-01T06:00 (in the job's zone) or 2026-11-01T06:00:00+08:00", word)
}

// earlierPass is, of a local time that clocks pass twice, the earlier instant, as for a rule that names an hour (`recurrence.md` §5).
func earlierPass(t time.Time, form string) time.Time {
	_, offset := t.Zone()
	_, before := t.Add(-3 * time.Hour).Zone()
	if earlier := t.Add(time.Duration(offset-before) * time.Second); earlier.Before(t) && earlier.Format(form) == t.Format(form) {
		return earlier
	}
	return t
}
