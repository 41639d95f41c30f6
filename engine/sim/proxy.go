package sim

import (
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// The times of a server's side of the network.
const (
	askEvery  = 3 * time.Second
	freshness = 15 * time.Second
	adoptWait = 20 * time.Second
)

// A proxy is the Runner of one life of a server: it hands attempts to runners over the network and insists until it knows what became of them. HTTP
// actions it carries out itself, and they end with it.
//
// In a Shared world an order and a renewal say until when the attempt may run, in the runner's own time: the runner's latest stamp, and what is left of
// the lease since it was received. So neither a late message nor a clock that is wrong makes a lease longer, but for drift, which the margin covers.
type proxy struct {
	s       *server
	life    int
	calls   map[int64]*call
	heard   []stamp // by runner
	ticking bool
	turn    int
	trust   time.Time
	trusted time.Duration
}

type stamp struct {
	ok           bool
	theirs, mine time.Duration
}

// A call is an attempt that the server wants to know the end of.
type call struct {
	attempt   engine.Attempt
	done      func(engine.Result)
	runner    int // -1: not known
	taken     bool
	adopting  bool
	denied    []bool // by runner, of one that is being adopted
	cancelled bool
	late      bool // its lease had ended before it was handed out
	leased    bool
	until     time.Duration // by the server's monotonic clock
	promised  time.Duration // the latest end of the lease that a runner may know
	giveUp    time.Duration
	web       bool   // an HTTP action
	request   *child // of one that was sent
	look      bool   // of a step that waits
	result    *engine.Result
}

func newProxy(s *server) *proxy {
	return &proxy{s: s, life: s.life, calls: map[int64]*call{}, heard: make([]stamp, len(s.w.runners)), turn: s.index}
}

// Start implements engine.Runner.
func (p *proxy) Start(a engine.Attempt, done func(engine.Result)) {
	w := p.s.w
	p.s.maybeDie("hand-out")
	c := &call{attempt: a, done: done, runner: -1}
	if !a.Until.IsZero() {
		c.leased = true
		c.until = p.monotonicUntil(a.Until)
	}
	p.calls[a.ID] = c
	if c.leased && c.until <= p.s.monotonic() {
		w.saw("handed out too late")
		c.late = true
		p.s.soon(turnTakes, func() { p.finish(c, p.lost(c, "its lease had ended before it was handed out")) })
		return
	}
	if a.Action.Type == engine.ActionWait {
		p.look(c)
		return
	}
	w.ledger.handedOut(a)
	if a.Action.Type == engine.ActionHTTP || a.Action.Type == engine.ActionHTTPS {
		p.request(c)
		return
	}
	c.runner = p.choose()
	p.insist(c)
	p.tick()
}

// choose picks a runner that was heard of lately, in turn.
func (p *proxy) choose() int {
	w := p.s.w
	for range w.runners {
		p.turn = (p.turn + 1) % len(w.runners)
		h := p.heard[p.turn]
		if !h.ok || p.s.monotonic()-h.mine < 10*freshness {
			return p.turn
		}
	}
	p.turn = (p.turn + 1) % len(w.runners)
	return p.turn
}

// monotonicUntil is a time of the server's wall clock as one of its monotonic clock. It is found out when the time is first heard of, as the monotonic
// part of a time.Time is: no jump of the clock moves it later.
func (p *proxy) monotonicUntil(until time.Time) time.Duration {
	if !until.Equal(p.trust) {
		p.trust, p.trusted = until, p.s.monotonic()+min(p.s.w.shape.lease, until.Sub(p.s.now()))
	}
	return p.trusted
}

// insist says once more what the server wants of a call.
func (p *proxy) insist(c *call) {
	w, mono := p.s.w, p.s.monotonic()
	life := p.life
	ask := func(r *runner, fn func()) { w.send(&p.s.node, &r.node, 0, fn) }
	id := c.attempt.ID
	switch {
	case c.web || c.look || c.late:
	case c.adopting:
		if c.giveUp != 0 && mono > c.giveUp {
			p.finish(c, p.lost(c, "no runner answered before its lease had passed"))
			return
		}
		for i, r := range w.runners {
			if !c.denied[i] {
				ask(r, func() { r.query(p.s, life, id) })
			}
		}
	case c.leased && mono > max(c.promised, c.until)+w.leaseMargin():
		p.finish(c, p.lost(c, "its runner cannot be reached, and its lease has ended"))
	case c.taken:
		r := w.runners[c.runner]
		if c.cancelled {
			ask(r, func() { r.cancel(p.s, life, id) })
		} else {
			ask(r, func() { r.query(p.s, life, id) })
		}
	case c.cancelled && c.promised == 0 && c.leased:
		p.finish(c, engine.Result{Attempt: id, Outcome: engine.OutcomeCancelled, Message: "cancelled before it began", StartedAt: p.s.now(), EndedAt: p.s.now()})
	default:
		r := w.runners[c.runner]
		a := c.attempt
		if !c.leased {
			ask(r, func() { r.order(p.s, life, a, 0) })
			return
		}
		h := p.heard[c.runner]
		if !h.ok || mono-h.mine > freshness {
			ask(r, func() { r.ping(p.s, life) })
			return
		}
		deadline := h.theirs + c.until - h.mine
		c.promised = max(c.promised, c.until)
		ask(r, func() { r.order(p.s, life, a, deadline) })
	}
}

// tick insists on every call again and again.
func (p *proxy) tick() {
	if p.ticking || len(p.calls) == 0 {
		return
	}
	p.ticking = true
	p.s.soon(p.s.clock.real(askEvery), func() {
		p.ticking = false
		for _, id := range sortedKeys(p.calls) {
			if c := p.calls[id]; c != nil && c.result == nil {
				p.insist(c)
			}
		}
		p.tick()
	})
}

func (p *proxy) hear(r *runner, theirs time.Duration) {
	p.heard[r.index] = stamp{true, theirs, p.s.monotonic()}
}

func (p *proxy) onPong(r *runner, theirs time.Duration) {
	p.hear(r, theirs)
	for _, id := range sortedKeys(p.calls) {
		if c := p.calls[id]; c.runner == r.index && !c.taken && c.result == nil {
			p.insist(c)
		}
	}
}

func (p *proxy) onStatus(r *runner, st status) {
	p.hear(r, st.stamp)
	c := p.calls[st.attempt]
	switch {
	case c == nil || c.result != nil:
	case st.result != nil && st.known:
		p.finish(c, *st.result)
	case st.known:
		fresh := !c.taken
		c.taken, c.adopting, c.runner = true, false, r.index
		if c.cancelled && fresh { // later the tick insists: an answer to every answer would flood a network that doubles messages
			p.insist(c)
		}
	case c.taken && c.runner == r.index:
		p.finish(c, p.lost(c, "its runner knows nothing of it any more"))
	case c.adopting:
		c.denied[r.index] = true
		for _, denied := range c.denied {
			if !denied {
				return
			}
		}
		p.finish(c, p.lost(c, "no runner knows of it"))
	}
}

func (p *proxy) lost(c *call, why string) engine.Result {
	now := p.s.now()
	return engine.Result{Attempt: c.attempt.ID, Outcome: engine.OutcomeLost, Message: why, StartedAt: now, EndedAt: now}
}

// finish tells the engine.
func (p *proxy) finish(c *call, result engine.Result) {
	c.result = &result
	delete(p.calls, c.attempt.ID)
	p.s.w.logf("%s hears of attempt %d: %s %s", p.s.name, result.Attempt, result.Outcome, result.Message)
	c.done(result)
	p.s.nudge()
}

// Cancel implements engine.Runner.
func (p *proxy) Cancel(attempt int64) {
	c := p.calls[attempt]
	if c == nil || c.cancelled || c.late || c.result != nil {
		return
	}
	c.cancelled = true
	if c.look {
		p.s.soon(100*time.Millisecond, func() {
			if c.result == nil {
				p.finish(c, engine.Result{Attempt: attempt, Outcome: engine.OutcomeCancelled, StartedAt: p.s.now(), EndedAt: p.s.now()})
			}
		})
		return
	}
	if c.request != nil {
		child := c.request
		p.s.soon(100*time.Millisecond, func() {
			if c.result == nil {
				p.s.w.witness.end(child, engine.OutcomeCancelled)
				p.finish(c, engine.Result{Attempt: attempt, Outcome: engine.OutcomeCancelled, StartedAt: p.s.now(), EndedAt: p.s.now()})
			}
		})
		return
	}
	p.insist(c)
}

// Renew implements engine.Runner.
func (p *proxy) Renew(attempts []int64, until time.Time) {
	w, life := p.s.w, p.life
	mono, end := p.s.monotonic(), p.monotonicUntil(until)
	for _, id := range attempts {
		c := p.calls[id]
		if c == nil || c.result != nil {
			continue
		}
		c.leased = true
		c.until = max(c.until, end)
		if c.adopting || !c.taken {
			continue
		}
		r := w.runners[c.runner]
		h := p.heard[c.runner]
		if !h.ok || mono-h.mine > freshness {
			w.send(&p.s.node, &r.node, 0, func() { r.query(p.s, life, id) })
			c.until = max(c.promised, mono) // not heard of lately: it gets no more
			continue
		}
		deadline := h.theirs + c.until - h.mine
		c.promised = max(c.promised, c.until)
		w.send(&p.s.node, &r.node, 0, func() { r.renew(id, deadline) })
	}
}

// Adopt implements engine.Runner.
func (p *proxy) Adopt(attempts []int64, done func(engine.Result)) (unknown, unbegun []int64) {
	w := p.s.w
	for _, id := range attempts {
		if c := p.calls[id]; c != nil {
			c.done = done
			continue
		}
		if e := w.ledger.attempts[id]; e != nil && !e.handed && !w.shape.shared {
			unbegun = append(unbegun, id) // its server died between the commit and the order
			w.saw("attempt never began")
			continue
		}
		if w.ledger.isRequest(id) {
			unknown = append(unknown, id)
			w.saw("request lost with its server")
			continue
		}
		c := &call{attempt: engine.Attempt{ID: id}, done: done, runner: -1, adopting: true, denied: make([]bool, len(w.runners)), leased: w.shape.shared}
		if w.shape.shared {
			c.giveUp = p.s.monotonic() + adoptWait
			c.until = p.s.monotonic() + w.shape.lease
		}
		p.calls[id] = c
		p.insist(c)
		w.saw("attempt adopted")
	}
	p.tick()
	return unknown, unbegun
}
