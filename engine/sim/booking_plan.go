package sim

import (
	"errors"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

func (b *booking) putJob(row *engine.JobRow) {
	j := b.jobs[row.ID]
	if j == nil {
		b.define(nil, row)
	} else {
		b.define(&j.row, row)
	}
	if j == nil {
		if other, known := b.refs[row.Ref]; known {
			b.w.broken("I1", "%s has the rows %d and %d", row.Ref, other, row.ID)
		}
		j = &jobEntry{keyed: map[string]*entry{}}
		b.jobs[row.ID], b.refs[row.Ref] = j, row.ID
	} else if back := row.PlannedTo.Before(j.row.PlannedTo); !row.CreatedAt.Equal(j.row.CreatedAt) || back && !row.Removed && !row.Disabled {
		// The watermark of a job that goes is taken back with its future, and only its.
		b.w.broken("I1", "%s was created at %s and is planned to %s; a load says %s and %s", row.Ref, j.row.CreatedAt, j.row.PlannedTo, row.CreatedAt, row.PlannedTo)
	}
	b.madeRoom(j, row)
	b.recount(row.ID)
	if row.Counted != j.row.Counted || !row.CountFrom.Equal(j.row.CountFrom) {
		j.settled = len(j.gone)
	}
	j.row = *row
	b.w.logf("%s job %s v%d disabled=%t removed=%t", b.s.name, row.Ref, row.Version, row.Disabled, row.Removed)
}

func (b *booking) moveMark(o *op) {
	j := b.jobs[o.id]
	if !o.ok {
		return
	}
	if o.to.Before(o.at) && j.row.PlannedTo.Equal(o.at) && b.loading(o.id) {
		b.w.saw("plan withdrawn for a load")
		j.row.PlannedTo = o.to
		return
	}
	if !b.w.shape.shared && o.to.Before(o.at) && j.row.PlannedTo.Equal(o.at) && o.to.After(b.s.now()) {
		b.w.saw("plan withdrawn") // by a clock that was ahead it was written too far
		j.row.PlannedTo = o.to
		return
	}
	if !j.row.PlannedTo.Equal(o.at) || !o.to.After(o.at) {
		b.w.broken("I1", "the watermark of %s moved from %s to %s while it stood at %s", j.row.Ref, o.at, o.to, j.row.PlannedTo)
	}
	from := o.at
	if from.IsZero() {
		from = j.row.CreatedAt
	}
	j.row.PlannedTo = o.to
	b.windows = append(b.windows, window{o.id, j.row.Version, from, o.to, b.timetable(j, j.row.Version)})
	b.w.sawDay(from, o.to)
}

func (b *booking) insert(o *op) {
	i := o.instance
	if l := b.lanes[i.Key]; i.Kind == engine.Backfill && l != nil && !l.row.Stage.Real() {
		l.unreal = append(l.unreal, *o)
		return
	}
	j := b.jobs[i.Job]
	if j == nil {
		b.w.broken("I13", "an instance of the unknown job %d was planned", i.Job)
		return
	}
	known := j.keyed[i.Key] != nil
	switch {
	case i.Kind == engine.Backfill:
		known = len(b.lanes[i.Key].between(i.Job, i.PlanTime, i.PlanTime)) > 0
	case i.Key == "":
		_, known = j.place(i.PlanTime)
	}
	if known {
		return
	}
	if j.row.Version != i.Version {
		b.w.broken("I13", "%s was planned by version %d while %d is current", i.Name(), i.Version, j.row.Version)
	}
	e := &entry{
		id: i.ID, job: i.Job, version: i.Version, key: i.Key, ref: i.Ref, plan: i.PlanTime, notBefore: i.NotBefore, kind: i.Kind, state: engine.Waiting,
		gate: i.Gate, reason: i.Reason.Code, fence: i.Fence, waits: o.waits, dryRun: i.DryRun, priority: i.Priority, inserted: b.w.t, frozen: i.Frozen,
	}
	b.checkObeyed(e)
	b.put(e)
	if i.Kind == engine.Scheduled {
		b.planned = append(b.planned, e)
	}
	b.w.logf("%s plans %d %s key=%q waits=%d", b.s.name, i.ID, i.Name(), i.Key, len(o.waits))
}

func (b *booking) delete(o *op) {
	j := b.jobs[o.id]
	from, _ := j.place(o.at)
	n := int64(0)
	for k := len(j.scheduled) - 1; k >= from; k-- {
		i := j.scheduled[k]
		if i.state == engine.Waiting && i.gate == engine.GateTime && i.kind == engine.Scheduled && !i.confirmed && !i.touched {
			b.drop(i)
			n++
		}
	}
	if n != o.n {
		b.w.broken("store", "DeleteUnstarted of %s from %s: %d were deleted, %d could be", j.row.Ref, o.at, o.n, n)
	}
	b.windows = append(b.windows, window{job: o.id, from: o.at})
}

// checkPlan holds what a commit planned against I1, I11 and the rule of the current version.
func (b *booking) checkPlan() {
	for _, win := range b.windows {
		j := b.jobs[win.job]
		version := win.version
		if version == 0 {
			if version = j.row.Version; j.row.Removed || j.row.Disabled {
				continue
			}
			win.to = j.row.PlannedTo
		}
		job := b.definition(version)
		if job == nil || job.When.Manual || !win.from.Before(win.to) {
			continue
		}
		table := win.table
		if table == nil {
			table = b.timetable(j, version)
		}
		if table == nil {
			b.w.broken("I1", "%s has no timetable", j.row.Ref)
			return
		}
		want := table.Between(win.from, win.to)
		last := time.Time{}
		for _, at := range want {
			if !at.After(last) {
				b.w.broken("I11", "%s is due at %s after %s", j.row.Ref, at, last)
			}
			last = at
			if _, found := j.place(at); !found {
				b.w.broken("I1", "%s is planned from %s to %s without %s", j.row.Ref, win.from, win.to, at)
				return
			}
		}
		n := 0
		for _, i := range j.between(win.from, win.to.Add(-time.Millisecond)) {
			for n < len(want) && want[n].Before(i.plan) {
				n++
			}
			i.within = b.commits
			if (n == len(want) || !want[n].Equal(i.plan)) && i.version == version && !i.touched && !b.beyondCount(j, i) {
				b.w.broken("I1", "%s has the instance %s, which its rule does not make", j.row.Ref, i.plan)
				return
			}
		}
	}
}

// writtenAhead reports whether an instance was written down because somebody ordered something of it ahead: it lies beyond the plan, and is due then.
func (b *booking) writtenAhead(i *entry) bool {
	j := b.jobs[i.job]
	table := b.timetable(j, i.version)
	if table == nil || i.plan.Before(j.row.PlannedTo) {
		return false
	}
	next, due := table.Next(i.plan.Add(-time.Millisecond))
	return due && next.Equal(i.plan)
}

// checkWithin demands that a commit plans nothing outside of what it says that it plans: no past of a rule that was not there yet.
func (b *booking) checkWithin() {
	for _, i := range b.planned {
		if i.within != b.commits && b.instances[i.id] == i && !b.writtenAhead(i) {
			b.w.broken("I1", "%s@%s was planned outside of every window of its commit", i.ref, i.plan)
			return
		}
	}
}

// prune finds out what retention took, and holds it against I14.
func (b *booking) prune(o *op) {
	if o.n == 0 {
		return
	}
	b.w.saw("retention removed instances")
	b.w.afterCommit(func(v engine.View) {
		gone := int64(0)
		for _, id := range sortedKeys(b.instances) {
			i := b.instances[id]
			if !i.state.Ended() || !i.ended.Before(o.at) {
				continue
			}
			if _, err := v.Instance(id); !errors.Is(err, engine.ErrNotFound) {
				continue
			}
			gone++
			if who := b.waitedFor(i); who != nil {
				b.w.broken("I14", "retention removed instance %d of %s@%s, for which %d of %s waits", i.id, i.ref, i.plan, who.id, who.ref)
			}
			b.drop(i)
			if j := b.jobs[i.job]; i.key == "" {
				j.gone = append(j.gone, i)
			}
			if l := b.lanes[i.key]; l != nil {
				l.pruned = true
			}
			for row := range b.outbox {
				if b.outbox[row].Instance == id {
					delete(b.outbox, row)
				}
			}
		}
		if gone != o.n {
			b.w.broken("I14", "retention said that it removed %d instances that ended before %s; %d of those are gone", o.n, o.at, gone)
		}
	})
}
