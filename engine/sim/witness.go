package sim

import (
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A child is one execution in the outside world: what really happened, whatever the rows say.
type child struct {
	attempt  int64
	instance int64
	fence    int64
	number   int
	ref      engine.JobRef
	step     string
	pool     string
	errand   bool // of an error action
	once     bool // its job says onLost: hold
	marker   string
	exit     int    // of one that fails
	key      string // of a request: what its receiver knows it by
	silent   bool   // a request that was sent and never answered

	began, ended time.Duration
	alive        bool
	loose        bool // nobody is left to end it: its supervisor died or stands still
	outcome      engine.Outcome
}

// A witness stands outside and writes down what it sees start and end. A restored store begins a new page: what ran before it is another history.
type witness struct {
	w         *World
	children  map[int64]*child // by attempt
	running   map[place][]*child
	starts    map[place]int
	delivered map[int64]int // successful error actions, by instance
	told      map[int64]int // messages heard, by delivery
	keys      map[string]place
	found     map[int64]bool // watches of which a look has found it so
	total     int
}

// A place is where at most one child may run.
type place struct {
	instance int64
	step     string
}

func newWitness(w *World) *witness {
	return &witness{w: w, children: map[int64]*child{}, running: map[place][]*child{}, starts: map[place]int{}, delivered: map[int64]int{}, found: map[int64]bool{}, told: map[int64]int{}, keys: map[string]place{}}
}

// start sees a child begin.
func (t *witness) start(c *child) {
	c.began, c.alive = t.w.t, true
	t.total++
	if before := t.children[c.attempt]; before != nil {
		t.w.broken("I6", "attempt %d of %s was executed twice: at %s and at %s", c.attempt, c.ref, before.began, c.began)
		return
	}
	t.children[c.attempt] = c
	if c.errand {
		return
	}
	p := place{c.instance, c.step}
	for _, other := range t.running[p] {
		if other.alive && !other.loose {
			t.w.broken("I6", "attempt %d of %s begins while attempt %d of the same step runs since %s", c.attempt, c.ref, other.attempt, other.began)
			return
		}
	}
	t.running[p] = append(t.running[p], c)
	if t.starts[p]++; c.once && t.starts[p] > 1 {
		if last := t.w.ledger.lastLost(p, c.attempt); last != 0 {
			t.w.broken("I6", "%s says onLost: hold, and attempt %d follows the lost attempt %d", c.ref, c.attempt, last)
		}
	}
}

// receive sees a request arrive. Where nothing may be done twice none follows one that was sent and not answered, unless a person asked. All requests for
// the same work have one key, and no other work has it.
func (t *witness) receive(c *child) {
	if c.errand {
		return
	}
	p := place{c.instance, c.step}
	if other, known := t.keys[c.key]; known && other != p {
		t.w.broken("I6", "the requests of step %q of instance %d and of step %q of instance %d have the key %q", other.step, other.instance, p.step, p.instance, c.key)
		return
	}
	t.keys[c.key] = p
	for _, earlier := range t.w.ledger.thisRun(p, c.attempt) {
		before := t.children[earlier]
		switch {
		case before == nil || before.key == "":
		case before.key != c.key:
			t.w.broken("I6", "attempt %d of %s has the key %q, and attempt %d of the same run had %q", c.attempt, c.ref, c.key, earlier, before.key)
		case before.silent && c.once:
			t.w.broken("I6", "%s says onLost: hold, and the request of attempt %d follows that of attempt %d, which was sent and never answered", c.ref, c.attempt, earlier)
		case before.silent:
			t.w.saw("request repeated under its key")
		}
	}
}

// end sees a child end.
func (t *witness) end(c *child, outcome engine.Outcome) {
	if !c.alive {
		return
	}
	c.ended, c.alive, c.outcome = t.w.t, false, outcome
	if c.errand {
		if outcome == engine.OutcomeSucceeded {
			t.delivered[c.instance]++
		}
		return
	}
	p := place{c.instance, c.step}
	list := t.running[p]
	for i, other := range list {
		if other == c {
			list = append(list[:i], list[i+1:]...)
			break
		}
	}
	if len(list) == 0 {
		delete(t.running, p)
	} else {
		t.running[p] = list
	}
}
