package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
)

// The times of a server's shell.
const (
	longestSleep = 30 * time.Second // as that of engine.Run
	turnTakes    = time.Millisecond
	mostTurns    = 2000 // in a row without any time passing
)

// A server is a machine that runs engine.Step.
type server struct {
	node
	index     int
	engine    *engine.Engine
	proxy     *proxy
	loaded    bool
	nudged    bool
	alarm     int64 // the number of the latest wake-up: earlier ones are void
	idle      int   // turns in a row that asked for the next at once
	owner     string
	commits   int
	turned    int  // turns that ended well
	commanded bool // a person's command is being carried out
	applying  *pendingReview
	refusals  int // reads and writes that failed
	believes  *engine.ClockGuard
	boot      int  // how often the machine was started again
	synced    bool // a time server vouches for its clock
	misled    bool // a person has confirmed a clock that is wrong
	called    bool // the engine has put something into its own inbox: another turn follows
}

func newServer(w *World, index int) *server {
	s := &server{node: node{w: w, name: fmt.Sprintf("s%d", index)}, index: index}
	s.clock = w.newClock()
	return s
}

// start begins a new life of the server.
func (s *server) start() {
	if s.up || s.w.violation != nil {
		return
	}
	s.life++
	s.up, s.loaded, s.nudged, s.still, s.later = true, false, false, 0, nil
	s.owner = fmt.Sprintf("%s.%d", s.name, s.life)
	s.w.owners[s.owner] = s.life
	if err := s.guard(); err != nil {
		s.w.logf("%s cannot read its rows: %s", s.owner, err)
		s.crash("no rows", false)
		return
	}
	s.proxy = newProxy(s)
	e, err := engine.New(engine.Config{
		Store: &port{s, s.life}, Runner: s.proxy, Owner: s.owner, Slots: s.w.shape.slots, AtOnce: 2, Decode: s.w.decode, Condition: spec.EvalWhen,
		Clock: s.now, Guard: s.believes, Shared: s.w.shape.shared, PlanAhead: s.w.shape.planAhead, Retention: s.w.shape.retention, LeaseTerm: s.w.shape.lease,
		Alerts: s.alerts(),
	})
	if err != nil {
		s.w.broken("progress", "%s cannot start: %s", s.name, err)
		return
	}
	s.engine = e
	s.w.logf("%s starts", s.owner)
	s.wake(0)
}

// call runs fn as this server's process: its death on the way ends fn and nothing else.
func (s *server) call(fn func()) {
	defer func() {
		if r := recover(); r != nil {
			if _, died := r.(errDied); !died {
				panic(r)
			}
		}
	}()
	fn()
}

// wake arranges the next turn in d, instead of an earlier arrangement.
func (s *server) wake(d time.Duration) {
	s.alarm++
	alarm := s.alarm
	s.soon(s.clock.real(d), func() {
		if alarm == s.alarm {
			s.turn()
		}
	})
}

// nudge makes the server take its next turn at once, as its inbox does.
func (s *server) nudge() {
	if s.nudged || !s.up {
		return
	}
	s.nudged = true
	s.wake(turnTakes)
}

// turn is one Step, and the loading of the definitions before the first.
func (s *server) turn() {
	w := s.w
	s.nudged = false
	life := s.life
	s.call(func() {
		ctx := context.Background()
		if !s.loaded && s.engine.ClockHeld() == nil { // the folder is loaded when the clock is believed
			if err := s.load(ctx); err != nil {
				s.failed(life, err)
				return
			}
		}
		w.steps++
		refusals := s.refusals
		s.called = false
		next, _, err := s.engine.Step(ctx, s.now())
		if life != s.life {
			return
		}
		if err != nil {
			s.failed(life, err)
			return
		}
		if refusals == s.refusals {
			s.turned++
			if s.engine.ClockHeld() == nil {
				w.checkStarvation(s)
			}
		}
		more, err := s.engine.Bulk(ctx, s.now()) // beside the loop: here between its turns
		if life != s.life {
			return
		}
		if err != nil {
			s.failed(life, err)
			return
		}
		if more {
			s.wake(turnTakes)
			return
		}
		wait := min(s.w.shape.sleep, next.Sub(s.now()))
		if wait <= 0 {
			if s.idle++; s.idle > mostTurns {
				w.broken("I11", "%s takes one turn after the other and never sleeps", s.name)
			}
		} else {
			s.idle = 0
		}
		if s.nudged {
			return
		}
		if s.called {
			s.nudge()
			return
		}
		s.wake(max(turnTakes, wait))
	})
}

// failed is an error that ends the process, or a start that has to be tried again.
func (s *server) failed(life int, err error) {
	if life != s.life {
		return
	}
	if errors.Is(err, engine.ErrUnavailable) {
		s.wake(time.Second)
		return
	}
	s.w.logf("%s ends: %s", s.name, err)
	if !errors.Is(err, errInOut) && !errors.Is(err, errSlow) {
		s.w.broken("progress", "%s ended: %s", s.name, err)
		return
	}
	s.crash("error", false)
}

// load makes the folder's definitions the current ones, as a start of the server does.
func (s *server) load(ctx context.Context) error {
	if s.w.shape.shared && s.w.folderLoaded {
		s.loaded = true // what the rows say holds for all
		return nil
	}
	edition := s.w.edition
	if _, err := s.engine.Load(ctx, s.w.folder, s.now()); err != nil {
		return err
	}
	s.loaded, s.w.folderLoaded = true, true
	if edition == s.w.edition {
		s.w.acknowledgeLoad()
	}
	return nil
}

// crash ends the process without a word, and starts the next one after a while.
func (s *server) crash(how string, power bool) {
	if !s.up {
		return
	}
	s.w.saw("server crashed")
	s.w.logf("%s crashes: %s", s.owner, how)
	s.proxy.forget()
	s.end()
	s.alarm++
	delete(s.w.owners, s.owner)
	if power {
		s.boot++
		return
	}
	s.w.after(s.w.nemesis.between(100*time.Millisecond, s.w.shape.downTime), s.start)
}

// maybeDie is a crash between a commit and its effect.
func (s *server) maybeDie(where string) {
	w := s.w
	if w.chaos && w.store.chance(w.shape.faults.after) {
		w.saw("crash at " + where)
		s.crash("at "+where, false)
		panic(errDied{s.life - 1})
	}
}
