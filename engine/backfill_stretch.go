package engine

import (
	"math"
	"slices"
	"sort"
	"time"

	"github.com/almanac-sched/almanac/recurrence"
)

// A stretch is plan times of one job that follow one another, and what is known of each. It is kept
// in columns, so that a plan of many millions of instances takes some ten bytes for each.
type stretch struct {
	from, to time.Time // plan times before to
	base     int64     // the first plan time, in milliseconds
	offsets  []uint32  // from the first, in seconds
	exact    []int64   // in the place of offsets where a plan time is no whole seconds from the first

	marks []mark
	seen  []uint32 // what can best be waited for, see draft.outcomes; nil: nothing is recorded
	told  []uint32 // that which tells how the plan time stands; nil: the same as seen

	// Of what tells, unless it is said otherwise; nil when nobody asks for it.
	ids       []int64
	ended     []int64 // milliseconds
	seenEnded []int64 // of what can best be waited for
}

// A mark is what a plan says of one instance. The zero mark is of a plan time outside of its range.
type mark uint8

const (
	markWhy mark = 0x0f // index into planWords
	markIn  mark = 0x10
	markOld mark = 0x20 // what tells was made by another version of the definition
)

// planWords are the words of BackfillWhy by their number in a mark.
var planWords = []string{
	"", "missing", "failed", "stale", "satisfied", "open", "not-due", "off-calendar", "upstream-missing",
}

const (
	whyMissing mark = 1 + iota
	whyFailed
	whyStale
	whySatisfied
	whyOpen
	whyNotDue
	whyOffCalendar
	whyUpstream
)

func (m mark) in() bool     { return m&markIn != 0 }
func (m mark) why() mark    { return m & markWhy }
func (m mark) due() bool    { return m&markWhy != 0 }
func (m mark) old() bool    { return m&markOld != 0 }
func (m mark) word() string { return planWords[m.why()] }

// be says why an instance is in, or out.
func (m mark) be(why mark, in bool) mark {
	m = m&markOld | why
	if in {
		m |= markIn
	}
	return m
}

// newStretch holds the plan times of a window, of which there are n.
func newStretch(t *recurrence.Timetable, w window, n int) *stretch {
	s := &stretch{from: w.from, to: w.to, offsets: make([]uint32, 0, n), marks: make([]mark, n)}
	for at, ok := t.Next(w.from.Add(-1)); ok && at.Before(w.to); at, ok = t.Next(at) {
		s.add(at.UnixMilli())
	}
	return s
}

func (s *stretch) add(at int64) {
	if s.exact == nil {
		if len(s.offsets) == 0 {
			s.base = at
		}
		if off := at - s.base; off%1000 == 0 && off/1000 <= math.MaxUint32 {
			s.offsets = append(s.offsets, uint32(off/1000))
			return
		}
		s.exact = make([]int64, 0, cap(s.offsets))
		for n := range s.offsets {
			s.exact = append(s.exact, s.base+int64(s.offsets[n])*1000)
		}
		s.offsets = nil
	}
	s.exact = append(s.exact, at)
}

// countTimes counts plan times of a window, at most one more than most.
func countTimes(t *recurrence.Timetable, w window, most int) (n int) {
	for at, ok := t.Next(w.from.Add(-1)); ok && n <= most && at.Before(w.to); at, ok = t.Next(at) {
		n++
	}
	return n
}

func (s *stretch) len() int { return len(s.marks) }

// at is a plan time in milliseconds.
func (s *stretch) at(n int) int64 {
	if s.exact != nil {
		return s.exact[n]
	}
	return s.base + int64(s.offsets[n])*1000
}

// notBefore is the number of the first plan time that is not before.
func (s *stretch) notBefore(at int64) int {
	return sort.Search(s.len(), func(n int) bool { return s.at(n) >= at })
}

// column makes room for a value of each plan time where there is none yet.
func column[T any](c *[]T, s *stretch) []T {
	if *c == nil {
		*c = make([]T, s.len())
	}
	return *c
}

// seenAt is what can best be waited for of a plan time, toldAt that which tells how it stands.
func (s *stretch) seenAt(n int) uint32 {
	if s.seen == nil {
		return 0
	}
	return s.seen[n]
}

func (s *stretch) toldAt(n int) uint32 {
	if s.told == nil {
		return s.seenAt(n)
	}
	return s.told[n]
}

// mergeWindows makes ascending windows that are apart of any.
func mergeWindows(list []window) (merged []window) {
	slices.SortFunc(list, func(a, b window) int { return a.from.Compare(b.from) })
	for _, w := range list {
		if n := len(merged) - 1; n >= 0 && !w.from.After(merged[n].to) {
			merged[n].to = latest(merged[n].to, w.to)
			continue
		}
		merged = append(merged, w)
	}
	return merged
}

// A draftPart is one job of a draft: one of the backfill, or one that these wait for.
type draftPart struct {
	definition
	order     int  // among the jobs of the backfill
	asked     bool // named, not found along the dependencies
	timetable *recurrence.Timetable
	zone      *time.Location
	stretches []*stretch // ascending, apart
	items     []itemSpan // of the backfill, ascending; none of a job that is no part of it
	total     int        // of items
}

// An itemSpan is the instances of a job on days of the request that follow one another.
type itemSpan struct {
	days   window
	s      *stretch
	lo, hi int // in the stretch
	first  int // among all of the job
}

// A spot is one instance, or a plan time that an instance may wait for.
type spot struct {
	part *draftPart
	s    *stretch
	n    int
}

func (i spot) at() time.Time { return time.UnixMilli(i.s.at(i.n)).In(i.part.zone) }
func (i spot) mark() mark    { return i.s.marks[i.n] }

// find returns the place of a plan time; a nil stretch says that the draft holds none there.
func (p *draftPart) find(at int64) (*stretch, int) {
	k := sort.Search(len(p.stretches), func(k int) bool {
		return p.stretches[k].to.UnixMilli() > at
	})
	if k == len(p.stretches) {
		return nil, 0
	}
	s := p.stretches[k]
	if n := s.notBefore(at); n < s.len() && s.at(n) == at {
		return s, n
	}
	return nil, 0
}

// spot is an instance by its number among all of the job.
func (p *draftPart) spot(k int) spot {
	n := sort.Search(len(p.items), func(n int) bool { return p.items[n].first > k }) - 1
	return spot{p, p.items[n].s, p.items[n].lo + k - p.items[n].first}
}

// each yields the instances of a job, with the number of the days that they lie on.
func (p *draftPart) each(yield func(span int, i spot) bool) {
	for k := range p.items {
		span := &p.items[k]
		for n := span.lo; n < span.hi; n++ {
			if !yield(k, spot{p, span.s, n}) {
				return
			}
		}
	}
}

// firstFrom is the number of the first instance that is not before.
func (p *draftPart) firstFrom(at time.Time) int {
	return sort.Search(p.total, func(k int) bool {
		i := p.spot(k)
		return i.s.at(i.n) >= at.UnixMilli()
	})
}
