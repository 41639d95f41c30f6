package deps

import "time"

// Reach bounds how far before and after a plan time t Bind asks either job for
// occurrences: it asks for windows within [t - back, t + forward), so a planner
// that binds [from, to) needs plan times of [from - back, to + forward). A self
// edge is the exception: where fewer than n plan times lie within back, it asks
// for longer and longer windows, at most 130 years. A cache must hand these on
// to the schedule itself.
func (b *Binder) Reach() (back, forward time.Duration) {
	r := &b.rule
	n := time.Duration(r.n)
	switch r.shape {
	case shapeDay, shapePair, shapeNearestDay:
		return (n+1)*day + zoneSlack, day + zoneSlack
	case shapeWeek:
		return (n+1)*7*day + zoneSlack, 7*day + zoneSlack
	case shapeMonth:
		return (n+1)*31*day + zoneSlack, 31*day + zoneSlack
	case shapeHour:
		return r.lo + time.Hour, max(0, -r.hi)
	case shapeRolling, shapeNearestBack:
		return r.lo, max(1, 1-r.hi)
	case shapeRollingDays:
		return n*day + zoneSlack, 1
	case shapeExplicit:
		low, _ := b.edge.Window.From.bounds()
		_, high := b.edge.Window.To.bounds()
		return max(0, -low), max(0, high+1)
	}
	return min(b.selfSpan(), selfLimit), 0
}

// backward reports that Bind only gives plan times strictly before t, whatever
// the schedules are.
func (b *Binder) backward() bool {
	r := &b.rule
	switch r.shape {
	case shapeDay, shapePair, shapeWeek, shapeMonth:
		return r.n > 0
	case shapeHour:
		return r.hi >= 0
	case shapeRolling:
		return r.hi > 0
	case shapeExplicit:
		_, high := b.edge.Window.To.bounds()
		return high < 0 || high == 0 && b.edge.Window.Closed == Left
	}
	return r.shape == shapeSelf
}

// Orphans gives the upstream plan times in [from, to) that no downstream plan
// time waits for (dependencies.md §3). It looks at every downstream plan time
// whose window can touch the range. A select or the rule nearest that takes one
// of several leaves the others as orphans: they are not waited for.
func (b *Binder) Orphans(from, to time.Time) []time.Time {
	up := b.up.Occurrences(from, to)
	if len(up) == 0 {
		return nil
	}
	back, forward := b.Reach()
	// waited counts, as a difference from one time to the next, the sets a time is in.
	waited := make([]int, len(up)+1)
	mark := func(set []time.Time) {
		if n := len(set); n > 0 {
			waited[notBefore(up, set[0])]++
			waited[after(up, set[n-1])]--
		}
	}
	for _, t := range b.down.Occurrences(from.Add(-forward), to.Add(back+1)) {
		binding := b.Bind(t)
		mark(binding.Times)
		for _, r := range binding.Ranges {
			mark(r)
		}
	}
	var orphans []time.Time
	sets := 0
	for i, t := range up {
		if sets += waited[i]; sets == 0 {
			orphans = append(orphans, t)
		}
	}
	return orphans
}
