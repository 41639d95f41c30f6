package sim

import (
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// arrows is the transition table, written down a second time.
var arrows = map[engine.Event]map[engine.State]engine.State{
	engine.Start:   {engine.Waiting: engine.Running},
	engine.Succeed: {engine.Running: engine.Succeeded},
	engine.Fail:    {engine.Running: engine.Failed, engine.Lost: engine.Failed},
	engine.Lose:    {engine.Running: engine.Lost},
	engine.Cancel:  {engine.Waiting: engine.Cancelled, engine.Running: engine.Cancelled, engine.Lost: engine.Cancelled},
	engine.Force:   {engine.Waiting: engine.Forced, engine.Lost: engine.Forced, engine.Failed: engine.Forced, engine.Cancelled: engine.Forced},
	engine.Rerun: {
		engine.Lost: engine.Waiting, engine.Succeeded: engine.Waiting, engine.Forced: engine.Waiting, engine.Failed: engine.Waiting, engine.Skipped: engine.Waiting,
		engine.Cancelled: engine.Waiting,
	},
	engine.Skip: {engine.Waiting: engine.Skipped, engine.Failed: engine.Skipped, engine.Cancelled: engine.Skipped},
}

func (b *booking) apply(o *op) {
	t, i := o.change, b.instances[o.id]
	if !o.ok {
		b.refusedWrite(i, t.Fence)
		return
	}
	if i == nil {
		b.w.broken("I2", "instance %d, which does not exist, took %q", o.id, t.Event)
		return
	}
	to, legal := arrows[t.Event][i.state]
	switch {
	case i.state != t.From || !legal:
		b.w.broken("I2", "instance %d of %s was %s and took %q from %s", i.id, i.ref, i.state, t.Event, t.From)
	case i.fence != t.Fence:
		b.w.broken("I3", "instance %d of %s took %q under fence %d while %d was its", i.id, i.ref, t.Event, t.Fence, i.fence)
	}
	if b.w.violation != nil {
		return
	}
	b.w.logf("%s %s %d %s@%s f%d %s %s", b.s.name, t.Event, i.id, i.ref, i.plan.Format("01-02T15:04"), i.fence, t.Reason.Code, t.Reason.Detail)
	b.checkClock(o)
	b.act(i.id)
	delete(b.slotted, i.id)
	j := b.jobs[i.job]
	if t.Event == engine.Start {
		b.checkStart(i, j, t)
		b.checkPaused(i, t.At)
		b.checkUnheld(i)
		b.checkLane(i)
		i.fence++
		i.cancel, i.told = false, false
		i.owner, i.lease = t.Owner, t.Lease
		i.runs++
		j.active++
		b.running[i.id] = i
	} else if i.state == engine.Running {
		j.active--
		delete(b.running, i.id)
		b.leaveWatches(i)
		b.checkEnd(i, t)
	}
	if t.Event == engine.Rerun {
		b.rerun(i, t)
	}
	if t.Event == engine.Fail {
		if b.failed == nil {
			b.failed = map[int64]bool{}
		}
		b.failed[i.id] = true
	}
	if to == engine.Cancelled && t.Reason.Code == "" || to == engine.Skipped && t.Reason.Code == "" {
		b.w.broken("I10", "instance %d of %s is %s without a reason", i.id, i.ref, to)
	}
	b.w.sawEnd(i, t, b.definition(i.version))
	if i.key == "" {
		b.recount(i.job)
	}
	i.state, i.reason = to, t.Reason.Code
	i.satisfied = i.satisfied || to.Satisfies()
	if to.Ended() {
		i.ended = t.At
	}
}

func (b *booking) refusedWrite(i *entry, fence int64) {
	b.refused++
	if i != nil && i.fence > fence {
		b.w.saw("fenced write refused")
	}
}

// checkStart holds a claim against I3, I4 and I5.
func (b *booking) checkStart(i *entry, j *jobEntry, t *engine.Transition) {
	w, job := b.w, b.definition(i.version)
	switch {
	case t.Owner == "" || t.Lease.IsZero() || w.shape.shared && !t.Lease.After(b.clock):
		w.broken("I3", "instance %d of %s was claimed by %q until %s, when it was %s", i.id, i.ref, t.Owner, t.Lease, b.clock)
	case job == nil:
		w.broken("I13", "instance %d of %s was started by a version that nobody can read", i.id, i.ref)
	case j.active >= b.limit(i.job, job):
		w.broken("I5", "instance %d of %s was started while %d of %d ran", i.id, i.ref, j.active, b.limit(i.job, job))
	case t.At.Before(i.notBefore):
		w.broken("I4", "instance %d of %s was started at %s, before %s", i.id, i.ref, t.At, i.notBefore)
	case i.frozen:
		w.broken("I4", "instance %d of %s was started although it is frozen", i.id, i.ref)
	case job.Confirm && !i.confirmed:
		w.broken("I4", "instance %d of %s was started although nobody had confirmed it", i.id, i.ref)
	default:
		if why := b.unmet(i, job, t.At); why != "" {
			w.broken("I4", "instance %d of %s@%s was started although %s", i.id, i.ref, i.plan, why)
		}
	}
	if t.At.Sub(i.notBefore) > engine.MisfireGrace && i.gate == engine.GateTime {
		w.saw("misfire run late")
	}
}

// unmet says which dependency does not allow the start; "" is none.
func (b *booking) unmet(i *entry, job *engine.Job, now time.Time) string {
	if i.runNow {
		return ""
	}
	if why := b.unbound(i); why != "" {
		return why
	}
	for from := 0; from < len(i.waits); {
		to := from + 1
		for to < len(i.waits) && i.waits[to].Dependency == i.waits[from].Dependency && i.waits[to].Ended == i.waits[from].Ended {
			to++
		}
		pieces := i.waits[from:to]
		from = to
		first := &pieces[0]
		up := b.jobs[first.Upstream]
		if up == nil {
			return "its upstream " + first.Ref.String() + " is unknown"
		}
		gone := up.row.Removed || up.row.Disabled
		satisfied, open, short, count := 0, "", "", 0
		latest := i.plan
		for n := range pieces {
			p := &pieces[n]
			if p.Count == 0 {
				continue
			}
			count += p.Count
			if p.Last.After(latest) {
				latest = p.Last
			}
			if !up.row.PlannedTo.After(p.Last) && !gone && p.Key == "" {
				open, short = "not planned yet", "not planned yet"
			}
			there := b.upstream(up, p)
			if n := p.Count - len(there); n > 0 && !gone {
				open = fmt.Sprintf("%d of %d from %s to %s are not there", n, p.Count, p.First, p.Last)
				short = open
			}
			for _, u := range there {
				if u.state.Satisfies() {
					satisfied++
				} else {
					short = u.plan.String() + " is " + string(u.state)
				}
				if !u.state.Ended() && (!u.frozen || !first.FrozenEnds()) {
					open = short
				}
			}
		}
		if i.notBefore.After(latest) {
			latest = i.notBefore
		}
		late := first.Timeout > 0 && !now.Before(latest.Add(first.Timeout))
		switch {
		case count == 0 || gone:
		case first.AnyEnd():
			if open != "" && !late && (first.Select == "all" || first.Ended || satisfied == 0) {
				return first.Ref.String() + " has not ended: " + open
			}
		case first.Select == "all":
			if short != "" {
				return first.Ref.String() + " is not satisfied: " + short
			}
		default:
			if want := atLeast(first.Select); satisfied < want {
				return first.Ref.String() + " is not satisfied often enough: " + short
			}
		}
	}
	return ""
}

// unbound says which job was put since it was found out what the instance waits for; "" is none.
func (b *booking) unbound(i *entry) string {
	for n := range i.waits {
		w := &i.waits[n]
		for _, id := range []int64{i.job, w.Upstream} {
			if j := b.jobs[id]; j != nil && !j.row.Removed && j.row.Revision > w.Bound {
				return fmt.Sprintf("%s was put in revision %d, and what it waits for of %s is of %d", j.row.Ref, j.row.Revision, w.Ref, w.Bound)
			}
		}
	}
	return ""
}

func atLeast(words string) int {
	n := 0
	for _, c := range words {
		if c < '0' || c > '9' {
			return 1
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// checkEnd holds the end of a run against I2 and I6: nothing of it lives, and success has a successful attempt of what the job does.
func (b *booking) checkEnd(i *entry, t *engine.Transition) {
	succeeded := false
	for _, id := range i.attempts {
		a := b.attempts[id]
		switch {
		case a.row.Error:
		case a.result == nil:
			b.w.broken("I2", "instance %d of %s took %q while its attempt %d lives", i.id, i.ref, t.Event, id)
		case a.result.Outcome == engine.OutcomeSucceeded:
			succeeded = true
		}
	}
	if t.Event != engine.Cancel && b.forgotten(i) {
		b.w.broken("I9", "instance %d of %s took %q although its cancellation was decided %d turns before", i.id, i.ref, t.Event, b.s.turned-i.toldAt)
	}
	job := b.definition(i.version)
	if t.Event == engine.Succeed && !succeeded && job != nil && len(job.Steps) == 1 {
		b.w.broken("I6", "instance %d of %s succeeded without a successful attempt", i.id, i.ref)
	}
}

// forgotten reports whether a cancellation was decided or acknowledged a whole turn ago. One that shares its store may not have looked yet.
func (b *booking) forgotten(i *entry) bool {
	return i.told && !b.w.shape.shared && b.s.turned >= i.toldAt+2
}

func (b *booking) takeOver(o *op) {
	i := b.instances[o.id]
	if !o.ok {
		b.refusedWrite(i, o.fence)
		return
	}
	switch {
	case i == nil || i.state != engine.Running || i.fence != o.fence || o.grown != o.fence+1:
		b.w.broken("I3", "instance %d was taken over from fence %d to %d while it was %+v", o.id, o.fence, o.grown, i)
		return
	case b.w.shape.shared && i.lease.Truncate(time.Millisecond).After(b.clock) && i.owner != o.owner:
		b.w.broken("I3", "instance %d of %s was taken over by %s at %s although the lease of %s lasted until %s", i.id, i.ref, o.owner, b.clock, i.owner, i.lease)
	}
	b.w.logf("%s takes over %d %s f%d from %s", b.s.name, i.id, i.ref, o.grown, i.owner)
	if b.w.shape.shared && b.w.alive(i.owner) {
		b.w.saw("lease stolen while paused")
	}
	b.w.saw("instance taken over")
	i.fence, i.owner, i.lease = o.grown, o.owner, o.to
	for _, id := range i.attempts {
		if a := b.attempts[id]; a.result == nil && !a.row.Error {
			a.row.Fence, a.row.Owner = o.grown, o.owner
		}
	}
}

func (b *booking) takeErrand(o *op) {
	a := b.attempts[o.id]
	if !o.ok {
		return
	}
	if a == nil || a.result != nil || !a.row.Error || a.row.Fence != o.fence || o.grown != o.fence+1 {
		b.w.broken("I3", "the error action's attempt %d was taken over from fence %d to %d while it was %+v", o.id, o.fence, o.grown, a)
		return
	}
	a.row.Fence, a.row.Owner = o.grown, o.owner
}

// fenced checks a write that only the owner of a running instance may do.
func (b *booking) fenced(o *op, what string) bool {
	i := b.instances[o.id]
	holds := i != nil && i.state == engine.Running && i.fence == o.fence
	switch {
	case o.ok && !holds:
		b.w.broken("I3", "%s of instance %d was written under fence %d while it was %+v", what, o.id, o.fence, i)
	case !o.ok && holds:
		b.w.broken("store", "%s of instance %d was refused under its fence %d", what, o.id, o.fence)
	case !o.ok:
		b.refusedWrite(i, o.fence)
	}
	return o.ok
}
