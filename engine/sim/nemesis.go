package sim

import (
	"time"
)

// A blow is something that happens to nodes from outside.
type blow string

// The faults 7 to 13 of reliability.md §5a as far as they are blows; the rates of messages and of the store are others.
const (
	blowKill      blow = "kill"      // a server's process
	blowRunner    blow = "runner"    // a runner's process; children survive
	blowPower     blow = "power"     // a machine: process, supervisors, children, memory
	blowPause     blow = "pause"     // a node stands still for longer than a lease
	blowPartition blow = "partition" // full, one way, or from the store
	blowClock     blow = "clock"     // a jump
	blowDrift     blow = "drift"
)

var blows = []blow{blowKill, blowRunner, blowPower, blowPause, blowPartition, blowClock, blowDrift}

// torment lets each drawn blow fall again and again.
func (w *World) torment() {
	for _, b := range blows {
		mean := w.shape.nemesis[b]
		if mean == 0 {
			continue
		}
		var again func()
		again = func() {
			if !w.chaos {
				return
			}
			w.strike(b)
			w.after(w.nemesis.about(mean), again)
		}
		w.after(w.nemesis.about(mean), again)
	}
}

func (w *World) strike(b blow) {
	d := w.nemesis
	s := w.servers[d.IntN(len(w.servers))]
	r := w.runners[d.IntN(len(w.runners))]
	switch b {
	case blowKill:
		if s.up {
			s.crash("killed", false)
		}
	case blowRunner:
		if r.up {
			r.crash(false)
			w.after(d.between(time.Second, w.shape.downTime), r.start)
		}
	case blowPower:
		w.saw("power lost")
		back := d.between(20*time.Second, w.shape.downTime+time.Minute)
		if d.chance(0.5) || w.shape.shared {
			s.crash("power", true)
			w.after(back, s.start)
		}
		r.crash(true)
		w.after(back, r.start)
	case blowPause:
		lasts := w.pauseLength(d)
		if d.chance(0.6) && s.up && s.still == 0 {
			w.saw("server paused")
			w.logf("%s stands still for %s", s.name, lasts)
			s.stop(lasts)
		} else {
			w.saw("runner paused")
			r.pause(lasts)
		}
	case blowPartition:
		w.part(s, r)
	case blowClock:
		n := &s.node
		if d.chance(0.3) {
			n = &r.node
		}
		jump := d.between(time.Second, pick(d, time.Minute, time.Hour, 72*time.Hour, farJump))
		if d.chance(0.5) {
			jump = -jump
		}
		w.saw("clock jumped")
		n.do(n.life, func() { // not in the middle of a call: there the monotonic part of a time counts
			if !w.chaos {
				return
			}
			w.logf("%s's clock jumps by %s", n.name, jump)
			n.clock.offset += jump
			if n == &s.node {
				s.doubt()
			}
		})
		if d.chance(0.7) {
			n.soon(d.between(time.Minute, 3*time.Hour), func() {
				w.logf("%s's clock is set right", n.name)
				n.clock.offset = w.t - n.clock.monotonic(w.t)
				if n == &s.node {
					s.misled = false
				}
			})
		}
	case blowDrift:
		w.saw("clock drifted")
		rate := (d.Float64() - 0.5) / 10
		w.logf("%s's clock drifts by %.3f", s.name, rate)
		s.clock.drift(w.t, rate)
		r.clock.drift(w.t, (d.Float64()-0.5)/10)
	}
}

// part cuts links for a while.
func (w *World) part(s *server, r *runner) {
	d := w.nemesis
	var links []link
	switch d.IntN(4) {
	case 0:
		w.saw("partition from the store")
		links = []link{{&s.node, nil}}
	case 1:
		w.saw("partition one way")
		links = []link{{&r.node, &s.node}}
		if d.chance(0.5) {
			links = []link{{&s.node, &r.node}}
		}
	case 2:
		w.saw("partition of a runner")
		for _, other := range w.servers {
			links = append(links, link{&other.node, &r.node}, link{&r.node, &other.node})
		}
	default:
		w.saw("partition of a server")
		for _, other := range w.runners {
			links = append(links, link{&s.node, &other.node}, link{&other.node, &s.node})
		}
	}
	lasts := d.between(5*time.Second, pick(d, time.Minute, 10*time.Minute, 2*time.Hour))
	w.logf("partition of %d links at %s and %s for %s", len(links), s.name, r.name, lasts)
	for _, l := range links {
		w.net.cut[l] = true
	}
	w.after(lasts, func() {
		for _, l := range links {
			delete(w.net.cut, l)
		}
	})
}

// pauseLength is shorter than a lease, or longer.
func (w *World) pauseLength(d dice) time.Duration {
	return d.between(time.Second, pick(d, 10*time.Second, 2*time.Minute, 20*time.Minute))
}

// heal ends all faults.
func (w *World) heal() {
	w.chaos = false
	w.logf("healed")
	clear(w.net.cut)
	nodes := make([]*node, 0, len(w.servers)+len(w.runners))
	for _, s := range w.servers {
		nodes = append(nodes, &s.node)
	}
	for _, r := range w.runners {
		nodes = append(nodes, &r.node)
	}
	for _, n := range nodes {
		n.clock.drift(w.t, 0)
		n.clock.offset = w.t - n.clock.monotonic(w.t)
		for n.still > 0 {
			n.resume()
		}
	}
	for _, r := range w.runners {
		r.start()
	}
	for _, s := range w.servers {
		s.synced, s.misled = true, false
		s.start()
	}
}
