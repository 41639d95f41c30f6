package engine

import (
	"slices"
	"time"
)

// setWake says when the instance is to be looked at.
func (r *playRows) setWake(row *playRow, at int64) {
	row.wake = at
	if at != never {
		r.wakes.add(wakeEntry{at, row})
	}
}

// wake makes an instance that was looked at due at its own time, unless it is due earlier.
func (r *playRows) wake(row *playRow) {
	due := row.NotBefore.UnixMilli()
	if row.State == Waiting && row.Gate != GateTime && (row.wake == never || row.wake > due) {
		r.setWake(row, due)
	}
}

func (row *playRow) watch(up *playRow) {
	if row.watching == up {
		return
	}
	if old := row.watching; old != nil {
		n := slices.Index(old.watchers, row)
		old.watchers = slices.Delete(old.watchers, n, n+1)
	}
	if row.watching = up; up != nil {
		up.watchers = append(up.watchers, row)
	}
}

// Apply carries out one transition and wakes what waits for it.
func (r *playRows) Apply(t Transition) (bool, error) {
	to, err := t.From.On(t.Event)
	if err != nil {
		return false, err
	}
	row := r.row(t.Instance)
	if row == nil || row.State != t.From || row.Fence != t.Fence {
		return false, nil
	}
	job := &r.jobs[row.Job-1]
	r.leaveLine(job, row)
	row.watch(nil)
	row.State, row.Reason, row.Gate, row.Cancel, row.wake = to, t.Reason, "", nil, never
	switch {
	case to == Running:
		row.Fence++
		row.Owner, row.Lease, row.StartedAt = t.Owner, t.Lease, t.At
		job.active = append(job.active, row)
	case to.Ended():
		row.EndedAt = t.At
	}
	if t.From == Running {
		job.active = slices.DeleteFunc(job.active, func(a *playRow) bool { return a == row })
	}
	if to.Ended() || t.From == Running {
		r.wakeAfter(job, row, t.At)
	}
	return true, nil
}

func (r *playRows) wakeAfter(job *playJob, row *playRow, at time.Time) {
	if row.State.Ended() {
		for _, w := range row.watchers {
			r.wake(w)
		}
		if ms, good := row.PlanTime.UnixMilli(), row.State.Satisfies(); len(job.ranges) > 0 {
			for i := range job.ranges {
				if g := &job.ranges[i]; g.first <= ms && ms <= g.last && g.key == row.Key && (good && g.some || !good && g.cancel) {
					r.wake(g.row)
				}
			}
		}
	}
	_ = r.WakeNext(row.Job, at) // never fails
}

// WakeNext makes the first of the job's line due whose time has come, or all of them when it has come of none.
func (r *playRows) WakeNext(id int64, at time.Time) error {
	var all []*playRow
	for _, row := range r.jobs[id-1].line {
		switch {
		case row.wake != never && row.wake <= row.NotBefore.UnixMilli(): // it is due already
		case !row.NotBefore.After(at):
			r.wake(row)
			return nil
		default:
			all = append(all, row)
		}
	}
	for _, row := range all {
		r.wake(row)
	}
	return nil
}

func (r *playRows) leaveLine(job *playJob, row *playRow) {
	if row.Gate == GateConcurrency {
		if n, found := slices.BinarySearchFunc(job.line, row, compareRows); found {
			job.line = slices.Delete(job.line, n, n+1)
		}
	}
}

// inTurn are the gates behind which an instance has got, or has, its turn among those of its job.
func inTurn(g Gate) bool { return g == GateConcurrency || g == GateSlot || g == GateDisk }

// Hold records that an instance stays waiting, and since when a gate holds it.
func (r *playRows) Hold(h Hold) (bool, error) {
	row := r.row(h.Instance)
	if row == nil || row.State != Waiting {
		return false, nil
	}
	job := &r.jobs[row.Job-1]
	was := row.Gate
	r.leaveLine(job, row)
	row.Gate, row.Reason = h.Gate, h.Reason
	var up *playRow
	if h.WatchJob != 0 {
		up = r.find(h.WatchJob, h.WatchKey, h.WatchTime)
	}
	row.watch(up)
	wake := never
	if !h.Wake.IsZero() {
		wake = h.Wake.UnixMilli()
	}
	r.setWake(row, wake)
	r.note(row, h.Gate, h.At)
	switch h.Gate {
	case GateConcurrency:
		n, _ := slices.BinarySearchFunc(job.line, row, compareRows)
		job.line = slices.Insert(job.line, n, row)
	case GateSlot:
		if !row.queued {
			row.queued = true
			q := r.pools[row.Pool]
			if q == nil {
				q = new(poolQueue)
				r.pools[row.Pool] = q
			}
			q.add(row)
		}
	}
	if inTurn(was) && !inTurn(h.Gate) {
		return true, r.WakeNext(row.Job, h.At)
	}
	return true, nil
}

// note begins a spell when another gate holds the instance than before.
func (r *playRows) note(row *playRow, gate Gate, at time.Time) {
	g := int8(slices.Index(Gates, gate))
	if row.last >= 0 && r.spells[row.last].gate == g {
		return
	}
	r.spells = append(r.spells, spell{before: row.last, gate: g, at: at.UnixMilli()})
	row.last = int32(len(r.spells) - 1)
}

// SetCancel records that a running instance is being cancelled.
func (r *playRows) SetCancel(id int64, reason Reason, _ time.Time) (bool, error) {
	row := r.row(id)
	if row == nil || row.State != Running || row.Cancel != nil {
		return false, nil
	}
	row.Cancel = &reason
	return true, nil
}

// PutSteps, SetStep and AddAttempt keep nothing: the turn's working set is never rebuilt.
func (r *playRows) PutSteps(int64, int64, []StepRow) (bool, error) { return true, nil }

// SetStep keeps nothing.
func (r *playRows) SetStep(int64, int64, StepRow) (bool, error) { return true, nil }

// AddAttempt keeps nothing.
func (r *playRows) AddAttempt(AttemptRow) (bool, error) { return true, nil }

// StartAttempt takes a slot.
func (r *playRows) StartAttempt(a AttemptRow) (bool, error) {
	r.live = append(r.live, a)
	if a.Outbox != 0 {
		r.carried[a.Outbox] = true
	}
	r.attempts[a.ID] = len(r.ran)
	r.ran = append(r.ran, playAttempt{pool: a.Pool, start: a.StartedAt})
	return true, nil
}

// EndAttempt gives it back.
func (r *playRows) EndAttempt(result Result, _ int64) (bool, error) {
	n := slices.IndexFunc(r.live, func(a AttemptRow) bool { return a.ID == result.Attempt })
	if n < 0 {
		return false, nil
	}
	delete(r.carried, r.live[n].Outbox)
	r.live = slices.Delete(r.live, n, n+1)
	r.ran[r.attempts[result.Attempt]].end = result.EndedAt
	delete(r.attempts, result.Attempt)
	return true, nil
}

// PutOutbox keeps what is to be delivered.
func (r *playRows) PutOutbox(o OutboxRow) error {
	n := slices.IndexFunc(r.outbox, func(known OutboxRow) bool { return known.ID == o.ID })
	switch {
	case o.State != OutboxPending && n >= 0:
		r.outbox = slices.Delete(r.outbox, n, n+1)
	case o.State != OutboxPending:
	case n >= 0:
		r.outbox[n] = o
	default:
		r.outbox = append(r.outbox, o)
	}
	return nil
}

// Record keeps no history.
func (r *playRows) Record(EventRow) error { return nil }
