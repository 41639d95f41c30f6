package invariant

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// rangePage is how many upstream instances of one range are read at once.
const rangePage = 200

// upstream calls each for the instances of a wait's range, in order of plan time, until it returns false.
func (c *check) upstream(w *engine.Wait, each func(u *engine.Instance) (bool, error)) error {
	if w.Count == 0 {
		return nil
	}
	at, key, id := w.First.Add(-time.Millisecond), "", int64(1<<62)
	for {
		list, err := c.s.InstancesAfter(w.Upstream, at, key, id, rangePage)
		if err != nil {
			return fmt.Errorf("list instances of %s: %w", w.Ref, err)
		}
		for n := range list {
			u := &list[n]
			if u.Job != w.Upstream || u.PlanTime.After(w.Last) {
				return nil
			}
			at, key, id = u.PlanTime, u.Key, u.ID
			if u.Key != w.Key {
				continue
			}
			if more, err := each(u); err != nil || !more {
				return err
			}
		}
		if len(list) < rangePage {
			return nil
		}
	}
}

// pastsKept bounds the histories that are remembered within one page.
const pastsKept = 20_000

// pastOf returns the transitions of an upstream instance.
func (c *check) pastOf(instance int64) ([]change, error) {
	if list, known := c.pasts[instance]; known {
		return list, nil
	}
	ids, events, err := c.s.HistoryOf(instance)
	if err != nil {
		return nil, fmt.Errorf("read the history of instance %d: %w", instance, err)
	}
	if len(c.pasts) >= pastsKept {
		clear(c.pasts)
	}
	list := past(ids, events)
	c.pasts[instance] = list
	return list, nil
}

// stateAt is where an instance stood just before an event; what came before the changes that are kept may have been removed.
func (c *check) stateAt(i *engine.Instance, list []change, event int64) engine.State {
	state := engine.Waiting
	switch {
	case len(list) > 0:
		state = list[0].from
	case c.pruned:
		state = i.State
	}
	for _, change := range list {
		if change.id > event {
			break
		}
		state = change.to
	}
	return state
}

// claimed holds I4: what was so at the event that started an instance. Events have one order, whatever the clocks said.
func (c *check) claimed(f *facts) error {
	// The rows are what it was bound to last: an earlier start was judged by others.
	bound := int64(0)
	for n := range f.events {
		if f.events[n].Kind == "rebind" {
			bound = f.ids[n]
		}
	}
	var start *change
	for n := range f.past {
		if f.past[n].event == engine.Start && f.past[n].id > bound {
			start = &f.past[n]
			break // a rerun is judged again, by what had become of the same dependencies
		}
	}
	if start == nil || len(f.waits) == 0 {
		return nil
	}
	if f.job == nil || !f.whole || f.hurried(start) || c.pruned && f.i.RunNow != "" {
		c.skipped("I4")
		return nil
	}
	for from := 0; from < len(f.waits); {
		to := from + 1
		for to < len(f.waits) && f.waits[to].Dependency == f.waits[from].Dependency && f.waits[to].Ended == f.waits[from].Ended {
			to++
		}
		if err := c.dependency(f, start, f.waits[from:to]); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// hurried reports whether a person let the instance run without what it waits for, before an event of its history.
func (f *facts) hurried(by *change) bool {
	for n := range f.events {
		if f.ids[n] < by.id && f.events[n].Kind == "run-now" {
			return true
		}
	}
	return false
}

// dependency holds one declared dependency of a started instance, whose set may be cut in pieces.
func (c *check) dependency(f *facts, start *change, waits []engine.Wait) error {
	w := &waits[0]
	var upstreamJob *jobRows
	if upstreamJob = c.jobs[w.Upstream]; upstreamJob == nil {
		c.must(false, "I4", f.i, "it waited for the job %d, which does not exist", w.Upstream)
		return nil
	}
	count, there, satisfied := 0, 0, 0
	var last time.Time
	var open, unsatisfied *engine.Instance
	for n := range waits {
		count += waits[n].Count
		last = latest(last, waits[n].Last)
		err := c.upstream(&waits[n], func(u *engine.Instance) (bool, error) {
			there++
			list, err := c.pastOf(u.ID)
			if err != nil {
				return false, err
			}
			job := c.versions[u.Version]
			known := len(list) > 0 && list[0].id < start.id
			if job == nil || c.closed(u, job) && u.NotBefore.After(start.at) && !known || c.born[u.Version] > start.id && !known {
				return true, nil // `almanac run` wrote it down later, or a version that came later did
			}
			if c.unclear(upstreamJob) && u.ID > f.i.ID && (len(list) == 0 || list[0].id > start.id) {
				return true, nil // by a clock that was set back, what had been due before was planned later: it may not have been there
			}
			state := c.stateAt(u, list, start.id)
			kept := *u
			switch {
			case state.Satisfies():
				satisfied++
			case !state.Ended() && !u.Frozen && !u.Touched: // a person may have held it then
				open, unsatisfied = &kept, &kept
			default:
				unsatisfied = &kept
			}
			return true, nil
		})
		if err != nil {
			return err
		}
	}
	c.looked("I4")
	gone := c.awayAt(upstreamJob, start)
	switch {
	case count == 0:
		open := w.Rule == engine.RuleDetached || w.Rule == engine.RuleRetention && c.retained
		if !w.Ended && w.OnMissing != engine.MissingRun && !open {
			c.found("I4", f.i, "it started although there is nothing of %s in the window, and onMissing is %s", w.Ref, w.OnMissing)
		}
	case gone:
		c.skipped("I4") // then what was to come of it was withdrawn, and the dependency's onMissing decided
	case w.Timeout > 0 && w.OnFailed == engine.FailedRun && f.i.Touched:
		c.skipped("I4") // a rerun begins to wait anew
	case w.Timeout > 0 && w.OnFailed == engine.FailedRun && !start.at.Before(latest(latest(f.i.PlanTime, f.i.NotBefore), last).Add(w.Timeout)):
		c.looked("I4") // it had waited long enough
	case w.Ended || w.OnFailed == engine.FailedRun && w.Select == "all":
		if open != nil {
			c.found("I4", f.i, "it started before %s had ended", open.Name())
		}
	case w.Select == "all":
		if unsatisfied != nil {
			c.found("I4", f.i, "it started before %s had succeeded", unsatisfied.Name())
		}
	case w.OnFailed == engine.FailedRun && open == nil:
	default:
		needed, err := strconv.Atoi(w.Select)
		if err != nil {
			needed = 1
		}
		switch {
		case satisfied >= needed:
		case c.pruned && there < count:
			c.skipped("I4") // it may have been one that retention has removed since
		default:
			c.found("I4", f.i, "it started when %d of %s instances of %s had succeeded", satisfied, w.Select, w.Ref)
		}
	}
	return nil
}

// waiting holds I7 for one instance: what the engine would decide on it now is to go on waiting, or it is due to be looked at.
func (c *check) waiting(f *facts) error {
	i := f.i
	if err := c.needed(f); err != nil {
		return err
	}
	if i.State != engine.Waiting || f.job == nil {
		return nil
	}
	held, err := c.s.Held(i.ID)
	if err != nil {
		if errors.Is(err, engine.ErrNotFound) {
			return nil
		}
		return fmt.Errorf("read what holds %s: %w", i.Name(), err)
	}
	if i.Gate == engine.GateTime && i.Kind == engine.Backfill {
		return nil // its lane looks at it
	}
	if i.Gate == engine.GateTime {
		c.must(!held.Wake.IsZero(), "I7", i, "it waits for its time, and nothing will look at it then")
		return nil
	}
	if i.Gate == engine.GateSlot || c.o.Now.IsZero() {
		return nil // the queue: looked at whenever a slot is free
	}
	if c.looksAt(i, &held) {
		c.looked("I7")
		return nil
	}
	s := &engine.Situation{Instance: i, Job: f.job, Limit: f.job.Concurrency, Waits: f.waits, Facts: make([]engine.Facts, len(f.waits))}
	if own := c.jobs[i.Job]; own != nil {
		s.Disabled = own.row.Disabled
		if !own.row.Removed && c.versions[own.row.Version] != nil {
			s.Limit = c.versions[own.row.Version].Concurrency
		}
	}
	for n := range f.waits {
		if s.Facts[n], err = c.s.Facts(&f.waits[n]); err != nil {
			return fmt.Errorf("look up %s for %s: %w", f.waits[n].Ref, i.Name(), err)
		}
	}
	if s.Active, err = c.s.ActiveCount(i.Job); err != nil {
		return fmt.Errorf("count what runs of %s: %w", i.Ref, err)
	}
	if s.LaterDue, err = c.s.LaterDue(i, c.o.Now); err != nil {
		return fmt.Errorf("look for a later instance of %s: %w", i.Ref, err)
	}
	pauses, err := c.s.Pauses()
	if err != nil {
		return fmt.Errorf("read what is paused: %w", err)
	}
	s.Pauses = engine.PausesOf(pauses, i.Ref)
	v := engine.Evaluate(latest(c.o.Now, i.NotBefore), s)
	switch {
	case v.Reason.Code == engine.ReasonOverlap || v.Reason.Code == engine.ReasonWaitTimeout:
		c.looked("I7") // decided when it is looked at: not woken for it
	case i.Gate == engine.GateConcurrency && (v.Open || v.Event != ""):
		// One is let through at a time; it must be on its way.
		coming, err := c.coming(i)
		if err != nil {
			return err
		}
		c.must(coming, "I7", i, "it waits for another of its job to end, %d of %d run, and nothing will look at the next", s.Active, s.Limit)
	case v.Open:
		c.must(false, "I7", i, "nothing holds it any more (%s), and nothing will look at it", i.Reason.Code)
	case v.Event != "":
		c.must(false, "I7", i, "it should take the event %q (%s), and nothing will look at it", v.Event, v.Reason.Code)
	case i.Gate != v.Gate && stillCloses(i.Gate, latest(c.o.Now, i.NotBefore), s):
		c.looked("I7") // what it waits for was rerun meanwhile: who opens the later gate has it looked at
	case v.WatchJob != 0 && held.Wake.IsZero():
		c.must(held.WatchJob != 0, "I7", i, "it waits for %s and watches none of its instances", v.Reason.Upstream)
	default:
		c.looked("I7")
	}
	return nil
}

// stillCloses reports whether a gate by itself holds an instance.
func stillCloses(gate engine.Gate, now time.Time, s *engine.Situation) bool {
	return slices.ContainsFunc(engine.Verdicts(now, s), func(v engine.Verdict) bool { return v.Gate == gate && !v.Open })
}

// looksAt reports whether a waiting instance is looked at by now, or when its time comes: it may be ahead again of what a clock let through that was
// set back.
func (c *check) looksAt(i *engine.Instance, held *engine.Hold) bool {
	return !held.Wake.IsZero() && !held.Wake.After(latest(c.o.Now, i.NotBefore).Add(c.o.Grace))
}

// coming reports whether another waiting instance of the job is about to be looked at.
func (c *check) coming(i *engine.Instance) (bool, error) {
	waiting, err := c.s.Waiting(i.Job)
	if err != nil {
		return false, fmt.Errorf("list what waits of %s: %w", i.Ref, err)
	}
	for n := range waiting {
		w := &waiting[n]
		if w.Gate == engine.GateSlot {
			return true, nil
		}
		if w.Gate == engine.GateTime {
			if w.Reason.Code == engine.ReasonNotDue {
				return true, nil // it was looked at, and a clock that was set back has it wait for its time again; its end will look at the next
			}
			continue
		}
		held, err := c.s.Held(w.ID)
		if err != nil {
			return false, fmt.Errorf("read what holds %s: %w", w.Name(), err)
		}
		if c.looksAt(w, &held) {
			return true, nil
		}
	}
	return false, nil
}

// needed holds I14 for what an open instance waits for: retention leaves it there.
func (c *check) needed(f *facts) error {
	if f.i.State.Ended() || f.i.Kind != engine.Scheduled {
		return nil
	}
	own := c.jobs[f.i.Job]
	if own == nil {
		return nil
	}
	if c.pruned && f.i.Touched {
		c.skipped("I14") // a rerun waits again, perhaps for what retention had removed by then
		return nil
	}
	for n := range f.waits {
		w := &f.waits[n]
		up := c.jobs[w.Upstream]
		// Known for certain is what was there of a job that never changed, and of one that changed before it was found out what the instance waits for.
		bound := up != nil && !up.row.Removed && !up.row.Disabled && w.Bound > 0 && w.Bound >= max(up.row.Revision, own.row.Revision)
		steady := up != nil && len(own.versions) == 1 && len(up.versions) == 1 && !up.row.Removed && !up.row.Disabled && len(c.defines[w.Upstream]) <= 1 && !c.mayBeAway(up, w.First)
		if w.Count == 0 || w.Key != "" || !steady && !bound || !up.row.PlannedTo.After(w.Last) || w.First.Before(up.row.CreatedAt) || w.Select != "all" {
			continue
		}
		there := 0
		if err := c.upstream(w, func(*engine.Instance) (bool, error) {
			there++
			return true, nil
		}); err != nil {
			return err
		}
		c.must(there >= w.Count, "I14", f.i, "it waits for %d instances of %s from %s to %s, and %d are there", w.Count, w.Ref, w.First.Format(form),
			w.Last.Format(form), there)
	}
	return nil
}
