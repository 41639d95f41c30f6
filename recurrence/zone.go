package recurrence

import (
	"math"
	"slices"
	"sync"
	"time"
)

// zone is the table of a location's offset changes, in milliseconds. It exists
// because a look-up in time.Location after the last explicit change interprets
// the zone's rule text each time, and because an occurrence is found by walking
// from change to change. It is immutable.
//
// From cycleFrom on every location follows a rule that repeats with the
// Gregorian cycle, so the table holds one cycle and is read round and round.
type zone struct {
	starts  []int64  // when each span begins; starts[0] is the beginning of time
	offsets []int32  // what is added to an instant to get local time
	buckets []uint16 // the span at starts[1] + i<<bucketBits
	loop    int      // index of the first span that begins in the cycle; len(starts) = none
}

const (
	bucketBits       = 34 // 199 days, at most a few changes
	beginning  int64 = math.MinInt64 / 4
	cycleFrom  int64 = 47_482 * dayMillis // 2100-01-01
	cycleTo          = cycleFrom + cycleMillis
	// maxOffset is more than any zone was ever away from UTC.
	maxOffset = 26 * hourMillis
)

// span is a stretch of time [start, end) with one offset. before and after are
// the offsets of its neighbours, its own where there is none.
type span struct {
	index                 int
	shift                 int64 // what the table's times are moved by, a multiple of the cycle
	start, end            int64
	before, offset, after int64
}

// at returns the span that contains the instant u.
func (z *zone) at(u int64) span {
	n := len(z.starts)
	if n == 1 || u < z.starts[1] {
		return z.span(0, 0)
	}
	var shift int64
	if u >= cycleTo {
		if z.loop == n {
			return z.span(n-1, 0)
		}
		// Up to the cycle's first change this finds the span before the cycle, which
		// ends the cycle before just as well.
		shift = (u - cycleFrom) / cycleMillis * cycleMillis
		u -= shift
	}
	i := int(z.buckets[(u-z.starts[1])>>bucketBits])
	for i+1 < n && z.starts[i+1] <= u {
		i++
	}
	return z.span(i, shift)
}

// following returns the span after s; s.end must not be never.
func (z *zone) following(s *span) span {
	if s.index+1 < len(z.starts) {
		return z.span(s.index+1, s.shift)
	}
	return z.span(z.loop, s.shift+cycleMillis)
}

func (z *zone) span(i int, shift int64) span {
	s := span{index: i, shift: shift, start: beginning, end: never, offset: int64(z.offsets[i])}
	s.before, s.after = s.offset, s.offset
	if i > 0 {
		s.start = z.starts[i] + shift
		s.before = int64(z.offsets[i-1])
	}
	if i+1 < len(z.starts) {
		s.end = z.starts[i+1] + shift
		s.after = int64(z.offsets[i+1])
	} else if z.loop < len(z.starts) {
		s.end = z.starts[z.loop] + shift + cycleMillis
		s.after = int64(z.offsets[z.loop])
	}
	return s
}

// local returns the local time of an instant.
func (z *zone) local(u int64) int64 {
	s := z.at(u)
	return u + s.offset
}

// firstAtOrAfter returns the first instant whose local time is l or later.
func (z *zone) firstAtOrAfter(l int64) int64 {
	s := z.at(l - maxOffset)
	for {
		if u := max(s.start, l-s.offset); u < s.end {
			return u
		}
		s = z.following(&s)
	}
}

// zones keeps the tables by location. Equal tables of different pointers are
// shared; the pointers are forgotten when a program makes them without end.
var zones struct {
	byPointer sync.Map // *time.Location → *zone
	sync.Mutex
	tables []*zone
	count  int
}

const maxZonePointers = 4096

// zoneOf returns the table of a location.
func zoneOf(loc *time.Location) *zone {
	if known, ok := zones.byPointer.Load(loc); ok {
		return known.(*zone)
	}
	fresh := newZone(loc)
	zones.Lock()
	defer zones.Unlock()
	if zones.count >= maxZonePointers {
		zones.byPointer.Clear()
		zones.tables, zones.count = nil, 0
	}
	for _, known := range zones.tables {
		if slices.Equal(known.starts, fresh.starts) && slices.Equal(known.offsets, fresh.offsets) {
			zones.byPointer.Store(loc, known)
			zones.count++
			return known
		}
	}
	zones.tables = append(zones.tables, fresh)
	zones.byPointer.Store(loc, fresh)
	zones.count++
	return fresh
}

// newZone derives the table from the location.
func newZone(loc *time.Location) *zone {
	offsetAt := func(u int64) int32 {
		_, seconds := time.UnixMilli(u).In(loc).Zone()
		return int32(seconds) * 1000
	}
	u := earliest
	z := &zone{starts: []int64{beginning}, offsets: []int32{offsetAt(u)}}
	for u < cycleTo && len(z.starts) < math.MaxUint16 {
		_, bound := time.UnixMilli(u).In(loc).ZoneBounds()
		if bound.IsZero() {
			break
		}
		end := bound.UnixMilli()
		if end <= u {
			// On the last day of a leap year the library's bound can lie in the
			// past (it takes every year for 365 days): look for ourselves.
			for end = u + hourMillis; offsetAt(end) == offsetAt(u) && end < u+dayMillis; {
				end += hourMillis
			}
			end = firstChange(offsetAt, end-hourMillis, end)
		}
		u = end
		// Changes of the zone's name alone, and the library's bounds at the turn
		// of the year, are no concern of ours.
		if offset := offsetAt(u); u < cycleTo && offset != z.offsets[len(z.offsets)-1] {
			z.starts = append(z.starts, u)
			z.offsets = append(z.offsets, offset)
		}
	}
	z.starts, z.offsets = slices.Clip(z.starts), slices.Clip(z.offsets)
	z.loop, _ = slices.BinarySearch(z.starts, cycleFrom)
	if len(z.starts) > 1 {
		i := 1
		for u := z.starts[1]; u < cycleTo; u += 1 << bucketBits {
			for i+1 < len(z.starts) && z.starts[i+1] <= u {
				i++
			}
			z.buckets = append(z.buckets, uint16(i))
		}
	}
	return z
}

// firstChange returns the first second in (low, high] whose offset is high's.
func firstChange(offsetAt func(int64) int32, low, high int64) int64 {
	for offset := offsetAt(high); low+1000 < high; {
		if middle := low + (high-low)/2000*1000; offsetAt(middle) == offset {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}
