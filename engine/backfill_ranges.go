package engine

import "time"

// A BackfillPlanRange is instances of one job that follow one another, of all of which the plan
// says the same. Of a plan that changes its mind too often, some ranges are of several reasons.
type BackfillPlanRange struct {
	From, To  time.Time // plan times of the first and the last
	Instances int
	In        bool           // with several reasons: some are in
	Why       string         // a word of BackfillWhy, or PlanSeveral
	Reasons   map[string]int // instances by reason, when there are several
}

// PlanSeveral is the reason of a range of instances that have several.
const PlanSeveral = "several"

// PlanListed is how many instances of a plan are listed one by one unless a part of the list is
// asked for; the ranges of its jobs hold all.
const PlanListed = 10_000

// listedBytes is how long the texts of a list may be that nobody asked for: a longer one is not
// told.
const listedBytes = 8 << 20

// The ranges of a plan are a bounded part of it. Where its jobs would have more, neighbours are put
// together: the fingerprint holds what they are exactly, and the list tells it.
const (
	planRanges  = 20_000 // of all jobs
	leastRanges = 4      // of each
)

// A planRange is a range while it is made.
type planRange struct {
	part     *draftPart
	from, to int64 // milliseconds
	in       bool
	counts   [whyUpstream + 1]int32
	why      mark // 0: several
	all      int
}

// A rangeList cuts the instances of a job into those that follow one another and are in, or out,
// for the same reason.
type rangeList struct {
	ranges []planRange
	most   int
	width  int // how many instances a range of several reasons may take in
}

func (l *rangeList) add(i spot, m mark) {
	at := i.s.at(i.n)
	if k := len(l.ranges) - 1; k >= 0 {
		last := &l.ranges[k]
		if last.why == m.why() && last.in == m.in() || l.width > 0 && last.all < l.width {
			last.to = at
			last.all++
			last.counts[m.why()]++
			if last.why != m.why() {
				last.why = 0
			}
			last.in = last.in || m.in()
			return
		}
	}
	if len(l.ranges) == l.most {
		l.fold()
		l.add(i, m)
		return
	}
	r := planRange{part: i.part, from: at, to: at, in: m.in(), why: m.why(), all: 1}
	r.counts[m.why()] = 1
	l.ranges = append(l.ranges, r)
}

// fold puts neighbours together until half of the ranges are left.
func (l *rangeList) fold() {
	for l.width = max(2, l.width); len(l.ranges) > l.most/2; l.width *= 2 {
		kept := l.ranges[:1]
		for n := 1; n < len(l.ranges); n++ {
			last, next := &kept[len(kept)-1], &l.ranges[n]
			if last.all+next.all > l.width {
				kept = append(kept, *next)
				continue
			}
			last.to, last.all, last.in = next.to, last.all+next.all, last.in || next.in
			if last.why != next.why {
				last.why = 0
			}
			for why, n := range next.counts {
				last.counts[why] += n
			}
		}
		l.ranges = kept
	}
}

// list is the ranges as the plan has them.
func (l *rangeList) list() (list []BackfillPlanRange) {
	for n := range l.ranges {
		r := &l.ranges[n]
		shown := BackfillPlanRange{
			From: time.UnixMilli(r.from).In(r.part.zone), To: time.UnixMilli(r.to).In(r.part.zone),
			Instances: r.all, In: r.in, Why: PlanSeveral,
		}
		if r.why != 0 {
			shown.Why = planWords[r.why]
		} else {
			shown.Reasons = map[string]int{}
			for why, n := range r.counts {
				if n > 0 {
					shown.Reasons[planWords[why]] = int(n)
				}
			}
		}
		list = append(list, shown)
	}
	return list
}
