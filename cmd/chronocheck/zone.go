package main

import (
	"slices"
	"time"
)

// A zone is the local clock of a location. Local times are milliseconds since local 1970-01-01 00:00; they are found by asking the location each
// quarter of an hour, and each second where two answers differ.
type zone struct {
	loc  *time.Location
	days map[int64][]offsetSpan // by UTC day
}

// An offsetSpan is a stretch [from, to) with one offset from UTC.
type offsetSpan struct {
	span
	offset int64
}

var zones = map[string]*zone{}

func zoneOf(loc *time.Location) *zone {
	z := zones[loc.String()]
	if z == nil {
		z = &zone{loc: loc, days: map[int64][]offsetSpan{}}
		zones[loc.String()] = z
	}
	return z
}

func (z *zone) ask(u int64) int64 {
	_, seconds := time.UnixMilli(u).In(z.loc).Zone()
	return int64(seconds) * secondMS
}

// day returns the spans of a UTC day.
func (z *zone) day(n int64) []offsetSpan {
	if spans, ok := z.days[n]; ok {
		return spans
	}
	begin, end := n*dayMS, (n+1)*dayMS
	spans := []offsetSpan{{span{begin, end}, z.ask(begin)}}
	const quarter = 15 * minuteMS
	for u := begin; u < end; u += quarter {
		for last := &spans[len(spans)-1]; u+quarter <= end && z.ask(u+quarter-secondMS) != last.offset; last = &spans[len(spans)-1] {
			v := max(u, last.from)
			for z.ask(v) == last.offset {
				v += secondMS
			}
			last.to = v
			spans = append(spans, offsetSpan{span{v, end}, z.ask(v)})
		}
		if last := &spans[len(spans)-1]; u+quarter < end && z.ask(u+quarter) != last.offset {
			last.to = u + quarter
			spans = append(spans, offsetSpan{span{u + quarter, end}, z.ask(u + quarter)})
		}
	}
	z.days[n] = spans
	return spans
}

func (z *zone) offset(u int64) int64 {
	spans := z.day(floorDiv(u, dayMS))
	for i := len(spans) - 1; i > 0; i-- {
		if spans[i].from <= u {
			return spans[i].offset
		}
	}
	return spans[0].offset
}

func (z *zone) local(u int64) int64 { return u + z.offset(u) }

// steady reports whether the offset stays as it is from a day before the UTC day to a day after.
func (z *zone) steady(n int64) bool {
	offset := z.day(n)[0].offset
	for d := n - 1; d <= n+1; d++ {
		for _, s := range z.day(d) {
			if s.offset != offset {
				return false
			}
		}
	}
	return true
}

// instants returns when the local clock shows l: once, not at all in a gap, twice in a fold.
func (z *zone) instants(l int64) (list []int64) {
	for n := floorDiv(l, dayMS) - 2; n <= floorDiv(l, dayMS)+2; n++ {
		for _, s := range z.day(n) {
			if u := l - s.offset; s.from <= u && u < s.to {
				list = append(list, u)
			}
		}
	}
	slices.Sort(list)
	return list
}

// first returns the first instant at which the local clock shows l or later: in a gap its end.
func (z *zone) first(l int64) int64 {
	for n := floorDiv(l, dayMS) - 2; ; n++ {
		for _, s := range z.day(n) {
			if u := max(s.from, l-s.offset); u < s.to {
				return u
			}
		}
	}
}

// dayStart returns the first instant of a local day.
func (z *zone) dayStart(day int64) int64 { return z.first(day * dayMS) }

// date returns the local day, counted from 1970-01-01, in which an instant lies. Where a zone steps back over midnight a day that was entered
// is not left again.
func (z *zone) date(u int64) int64 {
	day := floorDiv(z.local(u), dayMS)
	for u >= z.dayStart(day+1) {
		day++
	}
	return day
}

// civil returns the date of a day number.
func civil(day int64) (year int, month time.Month, dayOfMonth int) {
	return time.Unix(day*86400, 0).UTC().Date()
}

func dayNumber(year int, month time.Month, day int) int64 {
	return floorDiv(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix(), 86400)
}

func monthLength(year int, month time.Month) int {
	return time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

func weekdayOf(day int64) time.Weekday { return time.Weekday(floorMod(day+4, 7)) }

// move goes a distance from an instant: months, clamped to the end of a shorter one, then days, on the local calendar; then elapsed time.
func (z *zone) move(u int64, d distance) int64 {
	if d.months != 0 || d.days != 0 {
		l := z.local(u)
		day := floorDiv(l, dayMS)
		y, m, dom := civil(day)
		first := time.Date(y, m+time.Month(d.months), 1, 0, 0, 0, 0, time.UTC)
		day = dayNumber(first.Year(), first.Month(), min(dom, monthLength(first.Year(), first.Month()))) + int64(d.days)
		u = z.first(day*dayMS + floorMod(l, dayMS))
	}
	return u + d.elapsed.Milliseconds()
}
