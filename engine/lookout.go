package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// CensusView tells what somebody who watches the work wants to know of the rows.
type CensusView interface {
	// Census counts what is open, at a cost that follows what is open and never the history.
	Census() (Census, error)
	// RangeOf lists the instances that a wait is for, the latest plan time first, at most limit.
	RangeOf(w *Wait, limit int) ([]Instance, error)
}

// A Census is how much is open. What is missing from a map has none.
type Census struct {
	States      map[State]int // waiting, running and lost
	Gates       map[Gate]int  // of the waiting ones
	Outbox      int           // undelivered
	OutboxSince time.Time     // when the oldest of them was written; zero when there is none
	LastEvent   int64         // id of the newest event of the history; 0 when there is none
}

// An Aspect is one of the things without which a server does not do its work.
type Aspect string

// The aspects, in the order in which they are told: what comes first is often why the others are as they are.
const (
	AspectStart      Aspect = "start"      // what runs is taken over and the plan is written
	AspectStore      Aspect = "store"      // the rows can be read and written
	AspectLoop       Aspect = "loop"       // the loop turns
	AspectLease      Aspect = "lease"      // what this server runs is its own
	AspectSupervisor Aspect = "supervisor" // the process that holds the shell attempts answers
	AspectDisk       Aspect = "disk"       // there is room to start something
	AspectPlanner    Aspect = "planner"    // the next natural day is written before it begins
	AspectClock      Aspect = "clock"      // the machine's clock goes on evenly
	AspectReady      Aspect = "ready"      // nothing that is ready waits beside a free slot

	AspectDefinitions Aspect = "definitions" // what stands in the folder is loaded
)

// Aspects lists the aspects in their order.
var Aspects = []Aspect{AspectStart, AspectStore, AspectLoop, AspectLease, AspectSupervisor, AspectDisk, AspectPlanner, AspectClock, AspectReady, AspectDefinitions}

// A Trouble is why an aspect is not as it should be, in words for people.
type Trouble struct {
	Aspect Aspect
	Detail string
}

// A TroubledError says that a server does not do its work. There is at least one trouble.
type TroubledError struct{ Troubles []Trouble }

// Degraded reports that the server does its work, although not all of it is as it should be: what stands in its folder is not loaded, and what was recorded
// runs.
func (e *TroubledError) Degraded() bool {
	return !slices.ContainsFunc(e.Troubles, func(t Trouble) bool { return t.Aspect != AspectDefinitions })
}

func (e *TroubledError) Error() string {
	words := make([]string, len(e.Troubles))
	for i, t := range e.Troubles {
		words[i] = t.Detail
	}
	return strings.Join(words, "; ")
}

// How long may pass before it is trouble.
const (
	readyAfter   = 30 * time.Second // something ready beside a free slot
	plannerAfter = time.Minute      // a natural day that should be written
	clockSettles = 30 * time.Second // since a jump of the clock: by then every sleep has ended that began before it
	lookEvery    = time.Second      // two looks that are nearer to one another are one
	looksAtSteps = 100              // running instances without an attempt whose steps are looked at
)

// A PoolUse is how many attempts of a pool run.
type PoolUse struct {
	Pool string // "" is what belongs to no pool
	Used int    // on all servers
	Size int    // 0 is no limit but the servers' slots
}

// A Sighting is what the rows and the loop say of the work at one moment.
type Sighting struct {
	At time.Time
	Census
	Slots int // of this server
	Used  int // live attempts of this server
	Pools []PoolUse

	// What has been ready for longest although a slot was free, at every look since; "" and zero when there is no such thing.
	Ready      string
	ReadySince time.Time

	PlannedTo time.Time // the plan of each scheduled job is written up to here at least; zero when there is none
	Lease     LeaseRow  // of this server
	Troubles  []Trouble // by Aspect
}

// A lookout is what is remembered between two looks: since when the same thing has been seen ready beside a free slot. It decides nothing.
type lookout struct {
	mu    sync.Mutex
	last  Sighting
	since map[string]time.Time

	begun  bool      // a turn had ended at the last look
	clock  time.Time // of the store, at the last look that reached it
	unread error     // why the last look did not
}

// Look looks at the work from outside of the loop, which it neither waits for nor holds up, at a time by the engine's own clock. It should be called every
// few seconds: how long something has been ready is known no more finely than that. Looks within a second of one another give the same answer.
//
// An error of the rows is a trouble of the Sighting, whose counts are then those of the look before.
func (e *Engine) Look(ctx context.Context, now time.Time) Sighting {
	w := &e.lookout
	w.mu.Lock()
	defer w.mu.Unlock()
	begun := e.health.turned.Load() != 0
	since := now.Sub(w.last.At)
	if w.last.At.IsZero() || since < 0 || since >= lookEvery || begun != w.begun {
		w.begun = begun
		e.lookAnew(ctx, now)
	}
	s := w.last
	s.PlannedTo = e.defs.plannedTo()
	s.Troubles = e.troubles(&s, now)
	return s
}

// lookAnew reads the rows into the watch.
func (e *Engine) lookAnew(ctx context.Context, now time.Time) {
	w := &e.lookout
	s := Sighting{At: now, Slots: e.cfg.Slots}
	ready := map[string]string{}
	var clock time.Time
	w.unread = e.cfg.Store.Read(ctx, func(v View) (err error) {
		if clock, err = v.Clock(); err != nil {
			return err
		}
		clear(ready)
		return e.see(v, clock, now, &s, ready)
	})
	if w.unread != nil {
		w.last.At, w.last.Slots = now, e.cfg.Slots
		return
	}
	w.remember(&s, ready, now)
	w.last, w.clock = s, clock
}

// see reads the rows, and finds what is ready beside a free slot: its names by a key that another such thing does not have.
func (e *Engine) see(v View, clock, now time.Time, s *Sighting, ready map[string]string) (err error) {
	if s.Census, err = v.Census(); err != nil {
		return fmt.Errorf("count what is open: %w", err)
	}
	if s.Lease, err = v.Lease(serverLease(e.cfg.Owner)); err != nil && !isNotFound(err) {
		return fmt.Errorf("read the lease of %s: %w", e.cfg.Owner, err)
	}
	live, err := v.Live()
	if err != nil {
		return fmt.Errorf("list live attempts: %w", err)
	}
	agenda, err := v.Agenda()
	if err != nil {
		return fmt.Errorf("read the agenda: %w", err)
	}
	used, attempted := map[string]int{}, map[int64]bool{}
	s.Used = 0
	for _, a := range live {
		if !e.cfg.Shared || a.Owner == e.cfg.Owner {
			s.Used++
		}
		used[a.Pool]++
		attempted[a.Instance] = true
	}
	s.Pools = e.defs.poolUse(used)
	free := max(0, s.Slots-s.Used)
	if e.Held() != "" {
		return nil // what the disk or the clock holds is not ready
	}
	by := now
	if e.cfg.Shared {
		by = clock
	}
	if !agenda.Wake.IsZero() && !agenda.Wake.After(by) {
		due, err := v.Due(by, 1)
		if err != nil {
			return fmt.Errorf("list what is due: %w", err)
		}
		for i := range due {
			ready[fmt.Sprint("due ", due[i].ID)] = due[i].Name() + " is due and has not been looked at"
		}
	}
	for _, pool := range agenda.Pools {
		size, sized := e.defs.poolSize(pool)
		if free == 0 || sized && used[pool] >= size {
			continue
		}
		queued, err := v.Queued(pool, 1)
		if err != nil {
			return fmt.Errorf("list the queue of pool %q: %w", pool, err)
		}
		for i := range queued {
			ready[fmt.Sprint("queued ", queued[i].ID)] = queued[i].Name() + " only lacks a slot"
		}
	}
	if free == 0 {
		return nil
	}
	return e.idleRuns(v, by, used, attempted, ready)
}

// idleRuns finds running instances of this server of which nothing runs and nothing is to be tried again later.
func (e *Engine) idleRuns(v View, now time.Time, used map[string]int, attempted map[int64]bool, ready map[string]string) error {
	running, err := v.Running()
	if err != nil {
		return fmt.Errorf("list what runs: %w", err)
	}
	ended, err := v.WatchesOver(overBatch)
	if err != nil {
		return fmt.Errorf("list what is over: %w", err)
	}
	over := map[int64]bool{}
	for i := range ended {
		over[ended[i].ID] = true
	}
	looks := 0
	for i := range running {
		r := &running[i]
		if r.State != Running || r.Owner != e.cfg.Owner || attempted[r.ID] || looks == looksAtSteps {
			continue
		}
		if size, sized := e.defs.poolSize(r.Pool); sized && used[r.Pool] >= size {
			continue
		}
		looks++
		steps, err := v.Steps(r.ID)
		if err != nil {
			return fmt.Errorf("steps of %s: %w", r.Name(), err)
		}
		delayed := false
		for _, s := range steps {
			delayed = delayed || s.NotBefore.After(now)
		}
		watches, err := v.Watches(r.ID)
		if err != nil {
			return fmt.Errorf("what %s watches: %w", r.Name(), err)
		}
		for _, w := range watches {
			delayed = delayed || !over[w.ID] // a step that waits for something holds no slot, and has no attempt
		}
		if !delayed {
			ready[fmt.Sprint("run ", r.ID, " ", r.Fence)] = r.Name() + " runs, and none of its steps does"
		}
	}
	return nil
}

// remember keeps since when each thing has been ready, and tells the one that has been so for longest.
func (w *lookout) remember(s *Sighting, ready map[string]string, now time.Time) {
	s.Ready, s.ReadySince = "", time.Time{}
	since := make(map[string]time.Time, len(ready))
	for key, words := range ready {
		from, known := w.since[key]
		if !known || from.After(now) {
			from = now
		}
		since[key] = from
		if s.ReadySince.IsZero() || from.Before(s.ReadySince) || from.Equal(s.ReadySince) && words < s.Ready {
			s.Ready, s.ReadySince = words, from
		}
	}
	w.since = since
}

// troubles judges what was seen.
func (e *Engine) troubles(s *Sighting, now time.Time) (list []Trouble) {
	add := func(aspect Aspect, format string, args ...any) {
		list = append(list, Trouble{aspect, fmt.Sprintf(format, args...)})
	}
	turned := e.health.turned.Load()
	if turned == 0 {
		add(AspectStart, "starting: the plan is being written and what runs is taken over")
	}
	trouble := e.health.trouble.Load()
	switch {
	case trouble != nil:
		add(AspectStore, "%s", *trouble)
	case e.lookout.unread != nil:
		add(AspectStore, "the rows cannot be read: %v", e.lookout.unread)
	}
	if since := now.Sub(time.UnixMilli(turned)); turned != 0 && since > stalledAfter {
		add(AspectLoop, "the last turn of the loop was %s ago", since.Round(time.Second))
	}
	if clock := e.lookout.clock; e.lookout.unread == nil && turned != 0 && s.Lease.Until.Before(clock) {
		add(AspectLease, "the lease of this server ended %s ago: another may take over what it runs", clock.Sub(s.Lease.Until).Round(time.Second))
	}
	if held := e.diskHeld(); held != "" {
		add(AspectDisk, "nothing is started: %s", held)
	}
	hold := e.clockHold()
	if due := s.PlannedTo.Add(-e.cfg.PlanAhead); hold == nil && turned != 0 && !e.cfg.Closed && !s.PlannedTo.IsZero() && now.Sub(due) > plannerAfter {
		add(AspectPlanner, "the plan ends at %s, and should have been written on for %s", s.PlannedTo.Format(time.RFC3339), now.Sub(due).Round(time.Second))
	}
	if hold != nil {
		add(AspectClock, "%s", hold)
	} else if jump := e.health.jump.Load(); jump != nil && now.Sub(jump.at).Abs() < clockSettles {
		add(AspectClock, "the clock of this machine jumped by %s, %s ago", jump.by.Round(time.Millisecond), now.Sub(jump.at).Abs().Round(time.Second))
	}
	if !s.ReadySince.IsZero() && now.Sub(s.ReadySince) > readyAfter {
		add(AspectReady, "%s, with a free slot, for %s", s.Ready, now.Sub(s.ReadySince).Round(time.Second))
	}
	if bad := e.health.definitions.Load(); bad != nil {
		add(AspectDefinitions, "%s", bad.why)
	}
	return list
}

// A clockJump is the latest one.
type clockJump struct {
	at time.Time // by the clock that jumped, afterwards
	by time.Duration
}
