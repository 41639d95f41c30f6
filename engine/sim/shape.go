package sim

import (
	"time"
)

// A shape is what a seed makes of a world before it begins.
type shape struct {
	servers, runners, jobs int
	shared                 bool
	days                   int
	zone, policy           string
	slots                  int
	pools                  map[string]int
	planAhead, retention   time.Duration
	failing                float64 // of attempts
	sinks                  float64 // of requests: those that go wrong on the way
	healing                time.Duration
	downTime               time.Duration
	adopts                 bool
	faults                 storeFaults
	lease, sleep           time.Duration
	operator               time.Duration // between two acts; 0 is none
	nemesis                map[blow]time.Duration
}

// drawShape draws the world's shape. Each seed has its own subset of the faults, each with its own rate: a world in which everything fails at once hides
// what a world with one fault shows.
func (w *World) drawShape(d dice) {
	s := &w.shape
	s.healing = healing
	s.servers = pick(d, 1, 1, 1, 1, 1, 2, 2, 2, 3, 4)
	s.runners = d.in(1, 6)
	if s.servers == 1 {
		s.runners = d.in(1, 3)
	}
	s.jobs = d.in(3, 8)
	if w.opts.Servers > 0 {
		s.servers = w.opts.Servers
	}
	s.shared = s.servers > 1
	s.days = w.opts.Days
	if s.days == 0 {
		s.days = d.in(1, 3)
	}
	c := crossings[d.IntN(len(crossings))]
	s.zone, s.policy = c.zone, pick(d, "natural", "natural", "natural", "traditional")
	zone, err := time.LoadLocation(c.zone)
	if err != nil {
		zone = time.UTC
	}
	day, _ := time.ParseInLocation("2006-01-02", c.day, zone)
	w.epoch = day.Add(-d.between(2*time.Hour, 30*time.Hour)).UTC().Truncate(time.Second)
	s.slots = d.in(1, 8)
	if s.shared {
		s.slots = d.in(2, 8)
	}
	s.pools = map[string]int{"tight": 1, "wide": d.in(2, 4)}
	s.planAhead = pick(d, 2*time.Hour, 2*time.Hour, 26*time.Hour, 30*time.Minute)
	s.retention = pick(d, 0, 0, 6*time.Hour, 24*time.Hour)
	s.failing = pick(d, 0, 0.05, 0.15, 0.3)
	s.downTime = pick(d, 2*time.Second, time.Minute, time.Hour, 6*time.Hour)
	s.adopts = d.chance(0.5)
	rate := func(p float64, rates ...float64) float64 {
		if !d.chance(p) {
			return 0
		}
		return pick(d, rates...)
	}
	f := &s.faults
	f.before, f.after, f.unknown = rate(0.4, 0.0005, 0.005), rate(0.4, 0.0005, 0.005), rate(0.4, 0.001, 0.02)
	f.busy, f.inout, f.slow = rate(0.3, 0.001, 0.05), rate(0.25, 0.0005, 0.005), rate(0.25, 0.001, 0.01)
	f.pause = rate(0.3, 0.0005, 0.005)
	if s.shared {
		f.pause = rate(0.4, 0.001, 0.01)
	}
	n := &w.net
	n.latency = pick(d, time.Millisecond, 20*time.Millisecond, time.Second)
	n.loss, n.dup, n.late = rate(0.4, 0.02, 0.3), rate(0.4, 0.05, 0.3), rate(0.3, 0.01, 0.1)
	n.longestLag = pick(d, 10*time.Second, 3*time.Minute)
	s.nemesis = map[blow]time.Duration{}
	for _, b := range blows {
		if d.chance(0.3) {
			s.nemesis[b] = pick(d, 90*time.Minute, 5*time.Hour, 20*time.Hour)
		}
	}
	if s.nemesis[blowClock] > 0 {
		s.retention = 0 // a clock that is three days ahead removes what is three days younger: true to its word, and nothing to check by
	}
	if d.chance(0.7) {
		s.operator = pick(d, 30*time.Minute, 2*time.Hour, 8*time.Hour)
	}
	// A server alone renews a lease that nobody contests, and needs no turn while nothing is due; servers that share a store may have longer leases. Most worlds
	// spare themselves the turns in between, so that there can be more of them.
	s.lease, s.sleep = longestTerm, longestSleep
	switch {
	case s.shared && d.chance(0.6):
		s.lease, s.sleep = 5*time.Minute, 2*time.Minute
	case !s.shared && d.chance(0.8):
		s.lease, s.sleep = 20*time.Minute, 10*time.Minute
	}
	s.sinks = pick(w.passages, 0, 0.05, 0.25)
	if w.opts.Calm {
		s.sinks = 0
		s.faults, s.nemesis = storeFaults{}, map[blow]time.Duration{}
		n.loss, n.dup, n.late = 0, 0, 0
	}
}

// newClock draws a node's clock. Servers of a machine-wide installation are a little off, as clocks are.
func (w *World) newClock() clock {
	c := clock{epoch: w.epoch}
	d := w.nemesis
	if !w.opts.Calm && w.shape.nemesis[blowClock] > 0 {
		c.offset = d.between(-3*time.Second, 3*time.Second)
	}
	return c
}
