package recurrence

import (
	"math"
	"math/bits"
	"slices"
	"sort"
	"sync"
)

const allWeekdays uint8 = 1<<7 - 1

// workdays is a calendar made ready for questions: the weekdays, and the listed
// days as sorted ranges that do not overlap. Days are day numbers. It is
// immutable.
type workdays struct {
	weekdays uint8
	listed   []listedDays
}

// listedDays is a run of days, both ends included, that the list makes all
// work days or all days off.
type listedDays struct {
	from, to int64
	work     bool
}

// indexes keeps the workdays of calendars by content, because many jobs share
// one calendar and its list may be long.
var indexes struct {
	sync.Mutex
	byContent map[uint64][]*indexedCalendar
	size      int
}

type indexedCalendar struct {
	weekdays uint8
	off, on  []DateRange
	index    *workdays
}

const maxIndexes = 256

// indexOf returns the workdays of c; a nil calendar has Monday to Friday.
func indexOf(c *Calendar) *workdays {
	if c == nil {
		return mondayToFriday
	}
	hash := uint64(c.weekdayMask()) + 14_695_981_039_346_656_037
	mix := func(v uint64) { hash = bits.RotateLeft64((hash^v)*0x9E37_79B9_7F4A_7C15, 29) }
	for _, list := range [...][]DateRange{c.Off, c.On} {
		mix(uint64(len(list)))
		for _, r := range list {
			mix(uint64(r.From.dayNumber()))
			mix(uint64(r.To.dayNumber()))
		}
	}
	indexes.Lock()
	defer indexes.Unlock()
	for _, known := range indexes.byContent[hash] {
		if known.weekdays == c.weekdayMask() && slices.Equal(known.off, c.Off) && slices.Equal(known.on, c.On) {
			return known.index
		}
	}
	if indexes.byContent == nil || indexes.size >= maxIndexes {
		indexes.byContent, indexes.size = map[uint64][]*indexedCalendar{}, 0
	}
	fresh := &indexedCalendar{c.weekdayMask(), slices.Clone(c.Off), slices.Clone(c.On), nil}
	fresh.index = &workdays{weekdays: fresh.weekdays, listed: layOut(fresh.off, fresh.on)}
	indexes.byContent[hash] = append(indexes.byContent[hash], fresh)
	indexes.size++
	return fresh.index
}

var mondayToFriday = &workdays{weekdays: 0b0111110}

// layOut merges the ranges of both lists; on beats off.
func layOut(off, on []DateRange) []listedDays {
	offDays, onDays := union(off), union(on)
	var out []listedDays
	for _, r := range offDays {
		// Cut the on days out of r.
		from := r.from
		i := sort.Search(len(onDays), func(i int) bool { return onDays[i].to >= from })
		for ; i < len(onDays) && onDays[i].from <= r.to; i++ {
			if onDays[i].from > from {
				out = append(out, listedDays{from, onDays[i].from - 1, false})
			}
			from = onDays[i].to + 1
		}
		if from <= r.to {
			out = append(out, listedDays{from, r.to, false})
		}
	}
	for _, r := range onDays {
		out = append(out, listedDays{r.from, r.to, true})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].from < out[j].from })
	return out
}

// union sorts ranges and joins those that touch.
func union(ranges []DateRange) []listedDays {
	var days []listedDays
	for _, r := range ranges {
		if from, to := r.From.dayNumber(), r.To.dayNumber(); from <= to {
			days = append(days, listedDays{from: from, to: to})
		}
	}
	sort.Slice(days, func(i, j int) bool { return days[i].from < days[j].from })
	out := days[:0]
	for _, r := range days {
		if n := len(out); n > 0 && r.from <= out[n-1].to+1 {
			out[n-1].to = max(out[n-1].to, r.to)
			continue
		}
		out = append(out, r)
	}
	return out
}

// find returns the index of the first listed range that ends at day or later.
func (w *workdays) find(day int64) int {
	low, high := 0, len(w.listed)
	for low < high {
		if mid := int(uint(low+high) >> 1); w.listed[mid].to < day {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// work reports whether day is a work day.
func (w *workdays) work(day int64) bool {
	if i := w.find(day); i < len(w.listed) && w.listed[i].from <= day {
		return w.listed[i].work
	}
	return w.weekdays>>weekdayOf(day)&1 != 0
}

// run describes the days from day on that are alike: up to last, included, the
// work days are those whose weekday is in mask.
func (w *workdays) run(day int64) (mask uint8, last int64) {
	i := w.find(day)
	switch {
	case i == len(w.listed):
		return w.weekdays, never
	case w.listed[i].from > day:
		return w.weekdays, w.listed[i].from - 1
	case w.listed[i].work:
		return allWeekdays, w.listed[i].to
	}
	return 0, w.listed[i].to
}

// next returns the first work day that is day or later, never if there is none.
func (w *workdays) next(day int64) int64 {
	for {
		mask, last := w.run(day)
		if mask != 0 {
			// Two weeks of bits, so that the search may run over the week's end.
			twice := uint32(mask) | uint32(mask)<<7
			if found := day + int64(bits.TrailingZeros32(twice>>weekdayOf(day))); found <= last {
				return found
			}
		}
		if last == never {
			return never
		}
		day = last + 1
	}
}

// nextOff returns the first day off that is day or later, never if there is
// none.
func (w *workdays) nextOff(day int64) int64 {
	for {
		mask, last := w.run(day)
		if off := ^mask & allWeekdays; off != 0 {
			twice := uint32(off) | uint32(off)<<7
			if found := day + int64(bits.TrailingZeros32(twice>>weekdayOf(day))); found <= last {
				return found
			}
		}
		if last == never {
			return never
		}
		day = last + 1
	}
}

// previous returns the last work day that is day or earlier, or the smallest
// number if there is none.
func (w *workdays) previous(day int64) int64 {
	for {
		i := w.find(day)
		mask, first := w.weekdays, int64(math.MinInt64)
		switch {
		case i < len(w.listed) && w.listed[i].from <= day:
			first, mask = w.listed[i].from, 0
			if w.listed[i].work {
				mask = allWeekdays
			}
		case i > 0:
			first = w.listed[i-1].to + 1
		}
		if mask != 0 {
			twice := uint32(mask) | uint32(mask)<<7
			back := bits.LeadingZeros32(twice << (31 - 7 - uint(weekdayOf(day))))
			if found := day - int64(back); found >= first {
				return found
			}
		}
		if first == math.MinInt64 {
			return first
		}
		day = first - 1
	}
}

// month returns the work days of the month of length days that begins at day
// first, as bits, bit 0 for the 1st.
func (w *workdays) month(first int64, length int) uint32 {
	mask := weekdayDays(w.weekdays, int(weekdayOf(first)))
	end := first + int64(length) - 1
	for i := w.find(first); i < len(w.listed) && w.listed[i].from <= end; i++ {
		low, high := max(w.listed[i].from-first, 0), min(w.listed[i].to-first, 31)
		covered := uint32(1<<(high+1)-1) &^ uint32(1<<low-1)
		if w.listed[i].work {
			mask |= covered
		} else {
			mask &^= covered
		}
	}
	return mask & (1<<length - 1)
}

// plain reports whether no listed day lies in [first, last].
func (w *workdays) plain(first, last int64) bool {
	i := w.find(first)
	return i == len(w.listed) || w.listed[i].from > last
}

// weekdayDays spreads a set of weekdays over a month whose 1st has the given
// weekday; bit 0 is the 1st, and 31 bits are filled.
func weekdayDays(weekdays uint8, first int) uint32 {
	week := uint64(weekdays)
	six := week | week<<7 | week<<14 | week<<21 | week<<28 | week<<35
	return uint32(six>>first) & (1<<31 - 1)
}
