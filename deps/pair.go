package deps

import "time"

// remember makes the memo hold the natural day of t: its window, the upstream's
// plan times in that window, and for a pairing the downstream's of the day.
func (b *Binder) remember(t time.Time) {
	m := &b.memo
	sec := t.Unix()
	if sec >= m.from && sec < m.to {
		return
	}
	c, r := &b.clock, &b.rule
	date, from, to := c.day(sec)
	m.from, m.to, m.next = from, to, 0
	start, end := date-int64(r.n), date-int64(r.n)+1
	switch r.shape {
	case shapeWeek:
		start, end = weekStart(date, r.n), weekStart(date, r.n-1)
	case shapeMonth:
		start, end = monthStart(date, r.n), monthStart(date, r.n-1)
	}
	m.window = Window{From: c.at(c.dayStart(start)), To: c.at(c.dayStart(end))}
	m.up = between(b.up.Occurrences, m.window)
	if r.shape != shapePair {
		return
	}
	m.down = b.down.Occurrences(c.at(from), c.at(to))
	m.paired = m.up
	if r.n > 0 {
		m.paired = c.shift(m.up, start, date)
	}
}

// shift moves times of one day to the same local clock times of another
// (dependencies.md §5). A clock time that the other day does not have is the end
// of the gap. The order is kept: in the second pass of a fold, a clock time that
// falls behind those already moved takes the latest of them.
func (c *clock) shift(times []time.Time, from, to int64) []time.Time {
	moved := make([]time.Time, len(times))
	for i, t := range times {
		secs := c.local(t.Unix()) - from*secondsPerDay
		moved[i] = c.place(to, secs, t.Nanosecond())
		if i > 0 && moved[i].Before(moved[i-1]) {
			moved[i] = moved[i-1]
		}
	}
	return moved
}

// pair is dependencies.md §3: U is m.paired, V is m.down. The answer is taken
// from m.up, which has the same ranks as U.
func (m *memo) pair(t time.Time) ([]time.Time, Reason) {
	i, found := m.rank(t)
	if found && len(m.paired) == len(m.down) {
		return m.up[i : i+1 : i+1], OneToOne // rule 1
	}
	lo, hi := 0, after(m.paired, t)
	if i > 0 {
		lo = after(m.paired, m.down[i-1])
	}
	switch {
	case lo < hi: // rule 2a
		return m.up[lo:hi:hi], IntervalBack
	case hi > 0: // rule 2b
		return m.up[hi-1 : hi : hi], NearestBack
	case len(m.up) > 0: // rule 2c
		return m.up[0:1:1], NearestForward
	}
	return nil, NoneInWindow // rule 2d
}

// rank gives the position of t among the day's downstream plan times, and
// whether it is one of them. Plan times bound in order are found at once.
func (m *memo) rank(t time.Time) (int, bool) {
	if i := m.next; i < len(m.down) && m.down[i].Equal(t) {
		m.next++
		return i, true
	}
	i := notBefore(m.down, t)
	m.next = i + 1
	return i, i < len(m.down) && m.down[i].Equal(t)
}

// after gives the number of times that are not later than t.
func after(times []time.Time, t time.Time) int {
	lo, hi := 0, len(times)
	for lo < hi {
		mid := (lo + hi) / 2
		if times[mid].After(t) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// notBefore gives the number of times that are earlier than t.
func notBefore(times []time.Time, t time.Time) int {
	lo, hi := 0, len(times)
	for lo < hi {
		mid := (lo + hi) / 2
		if times[mid].Before(t) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
