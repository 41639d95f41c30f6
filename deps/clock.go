package deps

import (
	"math"
	"time"
)

// zoneSlack bounds what zone changes add to or take from a natural day.
const zoneSlack = 4 * time.Hour

const secondsPerDay = 24 * 60 * 60

// clock converts between instants and the local calendar of one zone. It keeps
// the last stretch of constant offset, so that conversions around it cost a few
// comparisons instead of a look-up. Instants are Unix seconds; local times are
// seconds since local 1970-01-01 00:00; days count from that day.
type clock struct {
	loc        *time.Location
	start, end int64 // the stretch [start, end) that offset holds for; empty at first
	offset     int64
}

func newClock(loc *time.Location) clock {
	if loc == nil {
		loc = time.UTC
	}
	return clock{loc: loc}
}

func (c *clock) load(sec int64) {
	t := time.Unix(sec, 0).In(c.loc)
	_, offset := t.Zone()
	start, end := t.ZoneBounds()
	c.offset, c.start, c.end = int64(offset), math.MinInt64, math.MaxInt64
	if !start.IsZero() {
		c.start = start.Unix()
	}
	if !end.IsZero() {
		c.end = end.Unix()
	}
	if c.end <= sec {
		// Where a zone's rule for the years to come applies, ZoneBounds takes every year
		// for 365 days long and ends before the last day of a leap year. No rule changes
		// clocks on that day, so the offset holds to the end of it.
		c.end = (floorDiv(sec, secondsPerDay) + 1) * secondsPerDay
	}
}

// local gives the local time at an instant.
func (c *clock) local(sec int64) int64 {
	if sec < c.start || sec >= c.end {
		c.load(sec)
	}
	return sec + c.offset
}

// first gives the first instant whose local time is at least local: the time
// itself, its first pass in a fold, the end of the gap when it does not exist.
func (c *clock) first(local int64) int64 {
	// No zone has ever been 26 hours from UTC, so this instant is earlier.
	cursor := local - 26*3600
	for {
		candidate := max(local-(c.local(cursor)-cursor), cursor)
		if candidate < c.end {
			return candidate
		}
		cursor = c.end
	}
}

// day gives the natural day of an instant with its bounds [from, to). Where a
// zone steps back over midnight the local date says d, d-1, d; the day then
// belongs to the instant that is reached first, so that days never overlap.
func (c *clock) day(sec int64) (day, from, to int64) {
	day = floorDiv(c.local(sec), secondsPerDay)
	from, to = c.dayStart(day), c.dayStart(day+1)
	for sec >= to {
		day, from, to = day+1, to, c.dayStart(day+2)
	}
	return day, from, to
}

// dayStart gives the first existing instant of a natural day.
func (c *clock) dayStart(day int64) int64 { return c.first(day * secondsPerDay) }

// hour gives the instant's local hour, floored with the offset in force at it.
func (c *clock) hour(t time.Time) time.Time {
	local := c.local(t.Unix())
	return c.at(t.Unix() - mod(local, 3600))
}

// at gives the instant as a time in the clock's zone.
func (c *clock) at(sec int64) time.Time { return time.Unix(sec, 0).In(c.loc) }

// add applies an offset to t; see Offset for what happens at month ends, gaps and folds.
func (c *clock) add(t time.Time, o Offset) time.Time {
	if months := o.Years*12 + o.Months; months != 0 || o.Days != 0 {
		local := c.local(t.Unix())
		date := addMonths(floorDiv(local, secondsPerDay), months) + int64(o.Days)
		t = c.place(date, mod(local, secondsPerDay), t.Nanosecond())
	}
	return t.Add(o.Duration).In(c.loc)
}

// place gives the instant of a time of day, in seconds after midnight, on a day;
// where it does not exist, the end of the gap.
func (c *clock) place(day, secs int64, nanos int) time.Time {
	local := day*secondsPerDay + secs
	sec := c.first(local)
	if c.local(sec) != local {
		nanos = 0
	}
	return time.Unix(sec, int64(nanos)).In(c.loc)
}

// addMonths moves a day by whole months, clamped to the end of a shorter month.
func addMonths(day int64, months int) int64 {
	if months == 0 {
		return day
	}
	y, m, d := civil(day)
	last := time.Date(y, m+time.Month(months)+1, 0, 0, 0, 0, 0, time.UTC)
	return dayNumber(last.Year(), last.Month(), min(d, last.Day()))
}

func civil(day int64) (int, time.Month, int) {
	return time.Unix(day*secondsPerDay, 0).UTC().Date()
}

func dayNumber(y int, m time.Month, d int) int64 {
	return floorDiv(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix(), secondsPerDay)
}

// monthStart gives the first day of the month that lies n months before the day's.
func monthStart(day int64, n int) int64 {
	y, m, _ := civil(day)
	return dayNumber(y, m-time.Month(n), 1)
}

// weekStart gives the Monday of the week that lies n weeks before the day's.
func weekStart(day int64, n int) int64 {
	// Day 0 was a Thursday.
	return day - mod(day+3, 7) - 7*int64(n)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func mod(a, b int64) int64 { return a - floorDiv(a, b)*b }
