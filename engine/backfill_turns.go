package engine

import (
	"cmp"
	"time"

	"github.com/almanac-sched/almanac/recurrence"
)

// allEdges binds the instances of all jobs, one of one job and then one of another, by the order of
// the jobs.
func (d *draft) allEdges() ([][]*draftEdge, error) {
	list := make([][]*draftEdge, len(d.parts))
	for n, p := range d.parts {
		var err error
		if list[n], err = d.edges(p, max(16, 2*keptTimes/len(d.parts))); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// turns are the instances of a draft in an order.
type turns struct{ front queue[*turnCursor] }

// chronological is all instances of the range by plan time and job.
func (d *draft) chronological() *turns {
	t := &turns{}
	for _, p := range d.parts {
		if p.total > 0 {
			t.front.add(&turnCursor{part: p, end: p.total, all: true, i: p.spot(0)})
		}
	}
	return t
}

// turns is the instances that are in, in the order of their turn: by day, backwards when that was
// asked for, and within a day by plan time and job.
func (d *draft) turns() *turns {
	t := &turns{}
	for _, p := range d.parts {
		c := &turnCursor{part: p, backwards: d.scope.options.Descending}
		if c.backwards {
			c.begin = p.total
		}
		if c.advance() {
			t.front.add(c)
		}
	}
	return t
}

// next is the next instance; false says that there is none.
func (t *turns) next() (i spot, more bool) {
	if len(t.front) == 0 {
		return i, false
	}
	c := t.front[0]
	i = c.i
	if c.next++; c.advance() {
		t.front.moved(0)
	} else {
		t.front.take()
	}
	return i, true
}

// A turnCursor stands at the next instance of a job.
type turnCursor struct {
	part      *draftPart
	all       bool // those too that are out, without regard to days
	backwards bool
	day       recurrence.Date
	begin     int // the first of the day
	next, end int // of the day, end excluded
	i         spot
}

// Before orders by day, by plan time, and as the draft has the jobs.
func (c *turnCursor) Before(other *turnCursor) bool {
	day := c.day.Compare(other.day)
	if c.backwards {
		day = -day
	}
	return cmp.Or(
		day, cmp.Compare(c.i.s.at(c.i.n), other.i.s.at(other.i.n)), cmp.Compare(c.part.order, other.part.order),
	) < 0
}

// advance goes to the next instance that is in, from next on; false says that there is none.
func (c *turnCursor) advance() bool {
	for {
		for ; c.next < c.end; c.next++ {
			if c.i = c.part.spot(c.next); c.all || c.i.mark().in() {
				return true
			}
		}
		if !c.turn() {
			return false
		}
	}
}

// turn goes to the next day on which there is an instance; false says that there is none.
func (c *turnCursor) turn() bool {
	p, first := c.part, c.end
	if c.backwards {
		first = c.begin - 1
	}
	if c.all || first < 0 || first >= p.total {
		return false
	}
	at := p.spot(first).at()
	c.day = recurrence.DateOf(at)
	// Where a clock goes back over midnight, the date does so too. A day has all from its first
	// beginning on.
	for !at.Before(dayStart(c.day.AddDays(1), p.zone)) {
		c.day = c.day.AddDays(1)
	}
	if c.backwards {
		c.begin, c.end = p.firstFrom(dayStart(c.day, p.zone)), first+1
	} else {
		c.begin, c.end = first, p.firstFrom(dayStart(c.day.AddDays(1), p.zone))
	}
	c.next = c.begin
	return true
}

// A turnList is the instances of a backfill in the order of their turn, of which some are at hand.
type turnList struct {
	draft *draft
	turns *turns
	ahead []spot
	base  int // the number of the first that is at hand
}

// at is the instance whose turn is n. Those before from are not asked for again, or else are looked
// for anew.
func (l *turnList) at(n, from int) spot {
	if l.turns == nil || n < l.base {
		l.turns, l.base, l.ahead = l.draft.turns(), 0, l.ahead[:0]
	}
	if drop := min(from-l.base, len(l.ahead)); drop > keptTimes {
		l.ahead = append(l.ahead[:0], l.ahead[drop:]...)
		l.base += drop
	}
	for n >= l.base+len(l.ahead) {
		i, more := l.turns.next()
		switch {
		case !more:
			panic("stuck, this is a bug: a backfill has fewer instances than were counted")
		case len(l.ahead) == 0 && l.base < from:
			l.base++ // it was written before
		default:
			l.ahead = append(l.ahead, i)
		}
	}
	return l.ahead[n-l.base]
}

// bounds are the earliest and the latest plan time of what is in.
func (d *draft) bounds() (from, to time.Time) {
	for _, p := range d.parts {
		for _, i := range p.each {
			if !i.mark().in() {
				continue
			}
			if at := i.at(); from.IsZero() || at.Before(from) {
				from = at
			}
			if at := i.at(); at.After(to) {
				to = at
			}
		}
	}
	return from, to
}

// in counts the instances that are in.
func (d *draft) in() (n int) {
	for _, p := range d.parts {
		for _, i := range p.each {
			if i.mark().in() {
				n++
			}
		}
	}
	return n
}

// forget lets go of what only a judgement or a text is made of.
func (d *draft) forget() {
	for _, p := range d.tracks {
		for _, s := range p.stretches {
			s.ids, s.ended, s.seenEnded = nil, nil, nil
		}
	}
}
