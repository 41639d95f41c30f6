package recurrence

// grid is the set of instants of a minute or hour rule. They are counted on
// elapsed time from the anchor and filtered by the local clock
// (recurrence.md §3, §5).
type grid struct {
	origin int64 // the first instant, or the first block's begin
	step   int64 // milliseconds from one to the next

	// blocks: the rule takes every minute of its set in each step-th hour, not
	// single instants. filter: some minutes or hours are left out.
	blocks bool
	filter bool
	clock  clock // the minutes and hours that are kept

	// Steps until the filter can match, by the local minute of the day (single
	// instants) or by the local hour (blocks; the second 24 entries are for
	// blocks that do not begin on a local hour). noWait = at no step.
	waits []uint16
}

const noWait = 1<<16 - 1

// prepare computes the waits.
func (g *grid) prepare() {
	kept := func(hour, minute int) bool {
		return g.clock.hours>>(hour%24)&1 != 0 && g.clock.minutes>>minute&1 != 0
	}
	if !g.blocks {
		g.waits = waitsOf(1440, int(g.step/minuteMillis), func(i int) bool { return kept(i/60, i%60) })
		return
	}
	n := int(g.step / hourMillis)
	some := func(hour int) bool { return g.clock.hours>>(hour%24)&1 != 0 }
	g.waits = append(waitsOf(24, n, some),
		waitsOf(24, n, func(hour int) bool { return some(hour) || some(hour+1) })...)
}

// waitsOf counts, for each of n states round a circle, how many leaps of step
// states it takes to a match.
func waitsOf(n, step int, match func(int) bool) []uint16 {
	waits := make([]uint16, n)
	for i := range waits {
		waits[i] = noWait
	}
	// The leaps part the circle into rounds. Going backwards along one, each
	// state waits one leap longer than the one after it; the second time about
	// knows what lies past the round's end.
	back := n - step%n
	rounds := n
	for a, b := n, step%n; ; a, b = b, a%b {
		if b == 0 {
			rounds = a // the greatest common divisor
			break
		}
	}
	for round := range rounds {
		state, wait := round, uint16(noWait)
		for range 2 * n / rounds {
			switch {
			case match(state):
				wait = 0
			case wait != noWait:
				wait++
			}
			waits[state] = min(waits[state], wait)
			state = (state + back) % n
		}
	}
	return waits
}

// next returns the first instant of the grid at u or later, as if the local
// clock were ahead of real time by offset for good; never if there is none.
func (g *grid) next(u, offset int64) int64 {
	u = max(u, g.origin)
	if g.blocks {
		return g.nextInBlocks(u, offset)
	}
	u = g.origin + (u-g.origin+g.step-1)/g.step*g.step
	if g.filter {
		minute := floorMod(u+offset, dayMillis) / minuteMillis
		wait := g.waits[minute]
		if wait == noWait {
			return never
		}
		u += int64(wait) * g.step
	}
	return u
}

func (g *grid) nextInBlocks(u, offset int64) int64 {
	n := g.step / hourMillis
	// The waits lead to a block whose hour can match. Where blocks do not begin
	// on a local hour the minutes may still miss it, hence the loop; after a
	// full turn of the day nothing new can come.
	for range 26 {
		block := (u - g.origin) / hourMillis
		if late := block % n; late != 0 {
			block += n - late
			u = g.origin + block*hourMillis
		}
		end := g.origin + (block+1)*hourMillis
		tod := floorMod(u+offset, dayMillis)
		var wait int64
		if found := g.clock.next(tod); found >= 0 {
			wait = found - tod
		} else {
			wait = dayMillis - tod + g.clock.first()
		}
		if u+wait < end {
			return u + wait
		}
		u = g.origin + (block+n)*hourMillis
		local := floorMod(u+offset, dayMillis)
		state := local / hourMillis
		if local%hourMillis != 0 {
			state += 24
		}
		steps := g.waits[state]
		if steps == noWait {
			return never
		}
		u += int64(steps) * g.step
	}
	return never
}

// repeats reports whether u + shift is an instant of the grid given that u is
// one and both have the same local time.
func (g *grid) repeats(u, shift int64) bool {
	if shift%g.step == 0 {
		return u+shift >= g.origin
	}
	return g.blocks && u+shift >= g.origin && (u+shift-g.origin)/hourMillis%(g.step/hourMillis) == 0
}
