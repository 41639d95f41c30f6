package sim

import (
	"fmt"
	"hash/fnv"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// The times of a runner.
const (
	killAfter   = 5 * time.Second  // and is killed this long after that
	longestTerm = 60 * time.Second // the lease of a server, where the seed does not say another
)

// A runner is a machine that carries attempts out. Its records survive it; its memory does not.
type runner struct {
	node
	index   int
	records map[int64]*record
	adopts  bool // a new runner finds the children of the one before and reads their exits; else it kills them
}

// A record is what a runner has durably written about one attempt.
type record struct {
	child    *child // nil: refused, and will never be started
	result   *engine.Result
	deadline time.Duration // by the runner's monotonic clock; 0 is no lease
	killing  string        // why it was told to end
	boot     int
}

// status is what a runner answers about an attempt.
type status struct {
	attempt int64
	known   bool
	result  *engine.Result
	stamp   time.Duration // the runner's monotonic clock when it answered
}

func newRunner(w *World, index int) *runner {
	r := &runner{node: node{w: w, name: fmt.Sprintf("r%d", index), up: true, life: 1}, index: index, records: map[int64]*record{}}
	r.clock = w.newClock()
	return r
}

// order is a server's order to begin an attempt. The lease, if there is one, ends at deadline by the runner's own clock.
func (r *runner) order(s *server, life int, a engine.Attempt, deadline time.Duration) {
	rec := r.records[a.ID]
	switch {
	case rec != nil:
		if deadline > rec.deadline && rec.result == nil {
			rec.deadline = deadline
		}
	case deadline != 0 && r.monotonic() >= deadline-r.w.leaseMargin():
		r.w.saw("order refused: lease ended")
		r.refuse(a.ID, "its lease ended before it began")
	default:
		rec = &record{deadline: deadline, boot: r.life}
		r.records[a.ID] = rec
		rec.child = r.w.newChild(a)
		r.w.logf("%s begins attempt %d of %s@%s step=%q n=%d fence=%d", r.name, a.ID, a.Ref, a.PlanTime.Format(time.RFC3339), a.Step, a.Number, a.Fence)
		r.w.witness.start(rec.child)
		r.run(rec, a)
		if deadline != 0 {
			r.watch(rec)
		}
	}
	r.answer(s, life, a.ID)
}

func (r *runner) refuse(id int64, why string) {
	now := r.now()
	r.records[id] = &record{result: &engine.Result{Attempt: id, Outcome: engine.OutcomeLost, Message: why, StartedAt: now, EndedAt: now}, boot: r.life}
}

// run lets the child live its life. It goes on whatever becomes of the runner.
func (r *runner) run(rec *record, a engine.Attempt) {
	c := rec.child
	life := r.w.fate(a)
	began := r.now()
	if t := a.Action.Timeout; t > 0 && life.takes > t {
		life.takes, life.outcome = t, engine.OutcomeTimeout
	}
	r.w.after(life.takes, func() {
		if !c.alive {
			return
		}
		r.w.witness.end(c, life.outcome)
		r.exited(rec, life.result(a.ID, began, r.now()))
	})
}

// exited is the end of a child. When the runner is there, or a supervisor of the child's own, it is recorded.
func (r *runner) exited(rec *record, result engine.Result) {
	record := func() {
		if rec.result == nil {
			rec.result = &result
		}
	}
	switch {
	case rec.boot == r.life && r.up:
		r.do(r.life, record)
	case r.adopts && !rec.child.loose:
		record()
	default:
		r.w.saw("exit lost")
	}
}

// watch ends the child before its lease does.
func (r *runner) watch(rec *record) {
	wait := rec.deadline - r.w.leaseMargin() - r.monotonic()
	r.soon(r.clock.real(wait)+time.Millisecond, func() {
		switch {
		case rec.result != nil || !rec.child.alive || rec.killing != "":
		case r.monotonic() < rec.deadline-r.w.leaseMargin():
			r.watch(rec)
		default:
			r.w.saw("child ended by its lease")
			r.kill(rec, engine.OutcomeLost, "its lease ended")
		}
	})
}

// kill tells a child to end; it does so within the grace.
func (r *runner) kill(rec *record, outcome engine.Outcome, why string) {
	if rec.child == nil || rec.result != nil || rec.killing != "" {
		return
	}
	rec.killing = why
	c := rec.child
	r.w.after(r.w.net.between(0, killAfter), func() {
		if !c.alive {
			return
		}
		r.w.witness.end(c, engine.OutcomeCancelled)
		now := r.now()
		r.exited(rec, engine.Result{Attempt: c.attempt, Outcome: outcome, Message: why, StartedAt: now, EndedAt: now})
	})
}

// renew moves the lease of an attempt.
func (r *runner) renew(id int64, deadline time.Duration) {
	if rec := r.records[id]; rec != nil && rec.result == nil && deadline > rec.deadline {
		rec.deadline = deadline
	}
}

func (r *runner) cancel(s *server, life int, id int64) {
	if rec := r.records[id]; rec != nil {
		r.kill(rec, engine.OutcomeCancelled, "cancelled")
	}
	r.answer(s, life, id)
}

// query is a server that asks about an attempt. One that is unknown now stays unknown: an order that comes later is refused.
func (r *runner) query(s *server, life int, id int64) {
	if r.records[id] == nil {
		r.refuse(id, "nothing was known of it when a server asked")
		rec := r.records[id]
		rec.result.Message = "nothing is known of it"
		r.reply(s, life, status{attempt: id, stamp: r.monotonic()})
		return
	}
	r.answer(s, life, id)
}

func (r *runner) answer(s *server, life int, id int64) {
	st := status{attempt: id, stamp: r.monotonic()}
	if rec := r.records[id]; rec != nil {
		st.known, st.result = true, rec.result
		if rec.child == nil {
			st.known = rec.result.Message != "nothing is known of it"
		}
	}
	r.reply(s, life, st)
}

func (r *runner) reply(s *server, life int, st status) {
	r.w.send(&r.node, &s.node, life, func() { s.proxy.onStatus(r, st) })
}

// ping asks for nothing but the time.
func (r *runner) ping(s *server, life int) {
	stamp := r.monotonic()
	r.w.send(&r.node, &s.node, life, func() { s.proxy.onPong(r, stamp) })
}

// crash ends the runner's process; its children go on without it. Power takes them too.
func (r *runner) crash(power bool) {
	if !r.up {
		return
	}
	r.w.logf("%s ends power=%t", r.name, power)
	r.end()
	for _, id := range sortedKeys(r.records) {
		rec := r.records[id]
		if rec.child == nil || !rec.child.alive || rec.result != nil {
			continue
		}
		if power {
			r.w.witness.end(rec.child, engine.OutcomeLost)
			continue
		}
		rec.child.loose = !r.adopts
		r.w.saw("child survived its runner")
	}
}

// start is the next life of the runner: it looks at its records first.
func (r *runner) start() {
	if r.up {
		return
	}
	r.up = true
	r.w.logf("%s starts", r.name)
	for _, id := range sortedKeys(r.records) {
		rec := r.records[id]
		if rec.child == nil || rec.result != nil {
			continue
		}
		now := r.now()
		lost := engine.Result{Attempt: id, Outcome: engine.OutcomeLost, Message: "the runner restarted", StartedAt: now, EndedAt: now}
		switch {
		case !rec.child.alive:
			rec.result = &lost
		case r.adopts:
			rec.boot, rec.killing = r.life, ""
			rec.child.loose = false
			if rec.deadline != 0 {
				r.watch(rec)
			}
		default:
			r.w.saw("stray killed")
			r.w.witness.end(rec.child, engine.OutcomeCancelled)
			rec.result = &lost
		}
	}
}

// pause stops the runner for d: its children go on, and nobody watches their leases.
func (r *runner) pause(d time.Duration) {
	if !r.up || r.still > 0 {
		return
	}
	r.w.logf("%s stands still for %s", r.name, d)
	r.stop(d)
	if !r.w.shape.shared {
		return
	}
	for _, id := range sortedKeys(r.records) {
		if rec := r.records[id]; rec.child != nil && rec.child.alive {
			rec.child.loose = true
		}
	}
	life := r.life
	r.w.after(d+r.w.leaseMargin(), func() {
		if life != r.life || r.still > 0 {
			return
		}
		for _, rec := range r.records {
			if rec.child != nil && rec.result == nil && rec.killing == "" {
				rec.child.loose = false
			}
		}
	})
}

// leaseMargin is how long before its lease ends a child is told to: the 10 s of a minute, in proportion. Clocks that drift by a twentieth
// must not use it up.
func (w *World) leaseMargin() time.Duration { return w.shape.lease / 6 }

// A fate is how an attempt will go.
type fate struct {
	takes   time.Duration
	outcome engine.Outcome
	exit    int
	outputs map[string]string
}

func (f fate) result(id int64, began, ended time.Time) engine.Result {
	r := engine.Result{Attempt: id, Outcome: f.outcome, Outputs: f.outputs, StartedAt: began, EndedAt: ended}
	if f.outcome == engine.OutcomeFailed || f.outcome == engine.OutcomeSucceeded {
		exit := f.exit
		r.Exit = &exit
	}
	if f.outcome == engine.OutcomeTimeout {
		r.Message = "timeout"
	}
	return r
}

// fate decides how an attempt goes from what it is, and from nothing that another store or another order of events would change.
func (w *World) fate(a engine.Attempt) fate {
	h := fnv.New64a()
	fmt.Fprint(h, w.seed, a.Ref, a.PlanTime.Unix(), a.Step, a.Number, a.Error)
	n := h.Sum64()
	f := fate{outcome: engine.OutcomeSucceeded, takes: time.Duration(n>>8%60_000) * time.Millisecond}
	switch n % 16 {
	case 0:
		f.takes = 0
	case 1, 2:
		f.takes *= 12
	}
	if float64(n>>40%1000) < w.shape.failing*1000 {
		f.outcome, f.exit = engine.OutcomeFailed, int(n>>50%3)+1
	} else {
		f.outputs = map[string]string{"rows": fmt.Sprint(n >> 44 % 3)}
	}
	if !w.chaos && a.Error {
		f = fate{outcome: engine.OutcomeSucceeded, takes: time.Second}
	}
	return f
}

// newChild is the child of an attempt.
func (w *World) newChild(a engine.Attempt) *child {
	c := &child{attempt: a.ID, instance: a.Instance, fence: a.Fence, number: a.Number, ref: a.Ref, step: a.Step, errand: a.Error, exit: w.fate(a).exit}
	if a.Action.Shell != nil {
		c.marker = string(a.Action.Shell.Command)
	}
	w.ledger.describe(c)
	return c
}
