package sim

import (
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A passage is what becomes of a request on its way to a sink and back.
type passage uint8

const (
	passageWhole   passage = iota
	passageRefused         // no byte was sent: it is known to have failed
	passageCut             // the sink has it and does nothing, and the connection breaks
	passageMute            // the sink does it, and the answer is lost
	passageHang            // the sink does it when the request has long been given up
	passageSlow            // the answer comes, late
	passageKinds
)

// request carries out an HTTP action. Its effect may happen although the answer is lost.
func (p *proxy) request(c *call) {
	w, a := p.s.w, c.attempt
	c.web = true
	way := passageWhole
	if w.chaos && w.passages.chance(w.shape.sinks) {
		way = passage(w.passages.in(1, int(passageKinds)-1))
	}
	f := w.fate(a)
	f.takes = min(f.takes, 50*time.Second)
	began := p.s.now()
	result := f.result(a.ID, began, began)
	result.Exit, result.Status = nil, 200
	if f.outcome == engine.OutcomeFailed {
		result.Status = 503
	}
	if way == passageRefused {
		w.saw("request refused")
		result = engine.Result{Attempt: a.ID, Outcome: engine.OutcomeFailed, Message: "connection refused", StartedAt: began}
		p.answer(c, result, 10*time.Millisecond)
		return
	}
	child := w.newChild(a)
	c.request = child
	child.key = a.IdempotencyKey()
	child.loose = w.shape.shared // what is on its way to somebody else's machine cannot be called back when the lease ends
	w.logf("%s sends request %d of %s@%s step=%q n=%d key=%s way=%d", p.s.name, a.ID, a.Ref, a.PlanTime.Format(time.RFC3339), a.Step, a.Number, child.key, way)
	w.witness.receive(child)
	w.witness.start(child)
	if way == passageSlow {
		w.saw("answer late")
		f.takes += 30 * time.Second
	}
	answered := f.takes + time.Millisecond
	if way == passageCut || way == passageMute || way == passageHang {
		w.saw("answer of a request lost")
		child.silent, child.loose = true, true
		result.Status, result.Outcome, result.Message, result.Outputs, result.Unknown = 0, engine.OutcomeFailed, "the answer did not come", nil, true
	}
	switch way {
	case passageCut:
		f.outcome = engine.OutcomeLost
	case passageHang:
		w.saw("effect after the timeout")
		result.Outcome = engine.OutcomeTimeout
		f.takes += w.passages.between(time.Second, 10*time.Minute)
	}
	w.after(f.takes, func() { w.witness.end(child, f.outcome) })
	p.answer(c, result, answered)
}

// answer tells the engine what became of a request, when it is time.
func (p *proxy) answer(c *call, result engine.Result, after time.Duration) {
	p.s.soon(after, func() {
		if c.result == nil {
			result.EndedAt = p.s.now()
			p.finish(c, result)
		}
	})
}

// forget is the end of the server's process: requests in flight may or may not have their effect.
func (p *proxy) forget() {
	for _, id := range sortedKeys(p.calls) {
		if c := p.calls[id]; c.request != nil && c.request.alive {
			if p.s.w.net.chance(0.5) {
				p.s.w.witness.end(c.request, engine.OutcomeLost)
			} else {
				c.request.loose = true
			}
		}
	}
}
