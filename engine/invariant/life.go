package invariant

import (
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// states holds I2: the history of an instance is a way through the transition table, and ends where the row stands.
func (c *check) states(f *facts) {
	i := f.i
	at := engine.Waiting
	for n, change := range f.past {
		if n == 0 && !f.whole {
			at = change.from // what came before was removed by retention
		}
		to, err := change.from.On(change.event)
		c.must(err == nil && to == change.to, "I2", i, "event %d says that %q led from %s to %s", change.id, change.event, change.from, change.to)
		c.must(change.from == at, "I2", i, "event %d takes it from %s, and it was %s", change.id, change.from, at)
		at = change.to
	}
	if len(f.past) > 0 || f.whole {
		c.must(at == i.State, "I2", i, "it is %s, and its history ends with %s", i.State, at)
	}
	if n := len(f.past); n > 0 && i.State.Ended() && at == i.State {
		c.must(i.EndedAt.UnixMilli() == f.past[n-1].at.UnixMilli(), "I2", i, "it ended at %s, and the event %d that says so is of %s", i.EndedAt.Format(form),
			f.past[n-1].id, f.past[n-1].at.Format(form))
	}
	c.must(i.State.Ended() == !i.EndedAt.IsZero(), "I2", i, "it is %s, and its end is %s", i.State, i.EndedAt.Format(form))
	if f.whole {
		c.runs(f)
	}
	for n := range f.attempts {
		a := &f.attempts[n]
		if a.Error {
			continue
		}
		c.must(a.Result != nil || i.State == engine.Running, "I2", i, "attempt %d lives, and the instance is %s", a.ID, i.State)
		c.must(a.Result == nil || a.Result.Outcome != "" && !a.Result.EndedAt.IsZero(), "I2", i, "attempt %d ended without an outcome or a time", a.ID)
	}
}

// commands holds I9: what a person asked for is to be seen in the row.
func (c *check) commands(f *facts) {
	i := f.i
	var triggered, confirmed, cancelling bool
	for n := range f.events {
		switch f.events[n].Kind {
		case "trigger":
			triggered = true
		case "confirm":
			confirmed = true
		case "cancel-request":
			cancelling = true
		case string(engine.Rerun):
			confirmed = false // it asks again
		case string(engine.Start):
			cancelling = false
		}
	}
	if f.whole && i.Kind == engine.Manual {
		c.must(triggered, "I9", i, "nobody triggered it: the history has no such event")
	}
	if triggered {
		c.must(i.Kind == engine.Manual, "I9", i, "it was triggered, and is %s", i.Kind)
	}
	if confirmed {
		c.must(i.Confirmed != "", "I9", i, "it was confirmed, and the row does not say by whom")
	}
	if !c.pruned && i.Confirmed != "" { // one may be confirmed long before its time, so that its age says nothing of the event's
		c.must(confirmed, "I9", i, "it is confirmed by %s, and the history has no such event", i.Confirmed)
	}
	if i.State == engine.Running {
		if cancelling {
			c.must(i.Cancel != nil, "I9", i, "its cancellation was asked for and is forgotten")
		}
		if f.whole && i.Cancel != nil {
			c.must(cancelling, "I9", i, "it is being cancelled, and nobody asked for it")
		}
	}
}

// neverWhy are the reasons that say nothing about why an instance was cancelled or skipped.
var neverWhy = []engine.ReasonCode{
	"", engine.ReasonPlanned, engine.ReasonNotDue, engine.ReasonReleased, engine.ReasonSucceeded, engine.ReasonSlot, engine.ReasonPool, engine.ReasonDisk,
}

// reasons holds I10: what did not run says why, and its job's policies allow it.
func (c *check) reasons(f *facts) {
	i := f.i
	switch i.State {
	case engine.Waiting:
		c.must(i.Gate != "" && i.Reason.Code != "", "I10", i, "it waits without a gate or without a reason")
	case engine.Cancelled, engine.Skipped:
		c.must(!slices.Contains(neverWhy, i.Reason.Code), "I10", i, "it is %s for the reason %q, which is none", i.State, i.Reason.Code)
	default:
		c.must(i.Reason.Code != "", "I10", i, "it is %s without a reason", i.State)
	}
	if f.job == nil || i.State != engine.Cancelled || len(f.past) == 0 || f.reruns() > 0 {
		return
	}
	by := f.past[len(f.past)-1]
	if c.o.Settled && !c.hasCount(i.Job) && // what ran meanwhile may have used up a count
		!c.o.Now.IsZero() && i.Kind == engine.Scheduled && i.Reason.Code == engine.ReasonMisfire &&
		c.jobs[i.Job] != nil && !c.jobs[i.Job].row.Removed && f.job.Misfire == engine.MisfireRunAll && c.o.Now.Sub(i.NotBefore) < f.job.MisfireWindow {
		c.must(!i.EndedAt.After(c.o.Now.Add(c.o.Grace+engine.MisfireGrace)) || !i.PlanTime.Before(c.o.Now), "I10", i,
			"it was cancelled as missed at %s, which has not come: a clock was ahead, and it has not been opened again", i.EndedAt.Format(form))
	}
	switch i.Reason.Code {
	case engine.ReasonMisfire:
		late := by.at.Sub(i.NotBefore)
		c.must(late > engine.MisfireGrace-1e6, "I10", i, "misfire %s after its time, within the grace of %s", late, engine.MisfireGrace)
		c.must(by.from == engine.Waiting, "I10", i, "misfire of an instance that was %s", by.from)
		c.must(late > f.job.MisfireWindow-1e6 || f.job.Misfire != engine.MisfireRunAll, "I10", i, "misfire %s after its time, and the job says %s within %s",
			late, f.job.Misfire, f.job.MisfireWindow)
	case engine.ReasonOverlap:
		if by.from == engine.Running {
			c.looked("I10") // for one that came later, by the policy of its version
			break
		}
		c.must(f.job.Overlap != engine.OverlapQueue, "I10", i, "cancelled for overlap, and the job says %s", f.job.Overlap)
	case engine.ReasonWaitTimeout:
		bounded := f.job.WaitTimeout > 0
		for n := range f.waits {
			bounded = bounded || f.waits[n].Timeout > 0
		}
		c.must(bounded, "I10", i, "cancelled by a timeout of its wait, which neither the job nor a dependency has")
	}
}

// pinned holds I13: an instance is made of what its version says.
func (c *check) pinned(f *facts) {
	i := f.i
	j := c.jobs[i.Job]
	belongs := slices.ContainsFunc(j.versions, func(v engine.VersionRow) bool { return v.ID == i.Version })
	if !belongs { // it may be younger than the check
		v, err := c.s.Version(i.Version)
		belongs = err == nil && v.Job == i.Job
	}
	c.must(belongs, "I13", i, "its version %d is none of its job", i.Version)
	if f.job == nil || f.reruns() > 0 || i.Touched && !f.whole {
		c.skipped("I13") // a rerun may have another version than the one that it was planned with
		return
	}
	given := i.Touched || i.Kind == engine.Backfill // a person has acted on it, or its backfill says
	if !given && i.Priority != f.job.Priority {     // or ordered it ahead
		ordered, err := c.s.Overrides(i.Job, i.PlanTime, i.PlanTime.Add(time.Millisecond), 1)
		given = err != nil || len(ordered) > 0 && ordered[0].Priority == i.Priority
	}
	c.must((given || i.Priority == f.job.Priority) && i.Pool == f.job.Pool, "I13", i, "priority %d and pool %q, and version %d says %d and %q", i.Priority, i.Pool, i.Version,
		f.job.Priority, f.job.Pool)
	for n := range f.steps {
		known := f.job.StepOf(f.steps[n].Step) != nil
		c.must(known, "I13", i, "it has the step %q, and version %d has none of that name", f.steps[n].Step, i.Version)
	}
	if i.Kind != engine.Scheduled {
		return
	}
	stands := make([]bool, len(f.job.DependsOn))
	for n := range f.waits {
		w := &f.waits[n]
		if w.Dependency < 0 || w.Dependency >= len(stands) {
			c.must(false, "I13", i, "wait %d is of dependency %d, and version %d has %d", w.N, w.Dependency, i.Version, len(stands))
			continue
		}
		d := &f.job.DependsOn[w.Dependency]
		stands[w.Dependency] = true
		c.must(w.Ref == d.Job && w.OnFailed == d.OnFailed, "I13", i, "wait %d is for %s, onFailed %s, and version %d says %s, %s", w.N, w.Ref, w.OnFailed, i.Version,
			d.Job, d.OnFailed)
	}
	for n, stands := range stands {
		c.must(stands, "I13", i, "it has no row for its dependency on %s", f.job.DependsOn[n].Job)
	}
}
