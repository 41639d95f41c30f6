package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
)

// staged is what results and commands came to: decided on the working set alone, and waiting to be written. It is kept until a commit has
// taken it, so that a failed commit loses nothing; writing it twice is the same as once.
//
// What it says of an instance is written under the fence of its run. A run whose fence has moved is another server's: nothing is written of it.
type staged struct {
	results []stagedResult
	steps   []stagedStep
	added   []stagedAttempt // attempts that began and ended at once; they get their ids when written
	ended   []stagedEnd
	events  []EventRow
	notices []stagedNotice
	watches []stagedWatch
	cascade []cancelRequest // of instances that steps have started

	fenced map[*run]bool // found out by write
	void   int           // ends of error actions that were refused
}

type stagedResult struct {
	result Result
	fence  int64
	run    *run       // nil for an error action
	outbox *OutboxRow // what it means for that
}

type stagedStep struct {
	run *run
	row StepRow
	put bool      // the instance has no step rows yet
	all []StepRow // in the place of one: rows were added
}

type stagedAttempt struct {
	run *run
	row AttemptRow
}

type stagedNotice struct {
	run *run // nil for an error action
	Notice
}

type stagedEnd struct {
	run        *run
	transition Transition
}

// write carries out what is staged, and finds out which runs are another server's.
func (s *staged) write(tx Tx, ids *idBlock, at time.Time) error {
	s.fenced, s.void = map[*run]bool{}, 0
	for i := range s.results {
		if err := s.writeResult(tx, &s.results[i]); err != nil {
			return err
		}
	}
	for i := range s.steps {
		c := &s.steps[i]
		if s.fenced[c.run] {
			continue
		}
		id, fence := c.run.instance.ID, c.run.instance.Fence
		var ok bool
		var err error
		if c.all != nil {
			ok, err = tx.PutSteps(id, fence, c.all)
		} else if c.put {
			ok, err = tx.PutSteps(id, fence, []StepRow{c.row})
		} else {
			ok, err = tx.SetStep(id, fence, c.row)
		}
		if err := s.check(c.run, ok, err); err != nil {
			return fmt.Errorf("record step %q of instance %d: %w", c.row.Step, id, err)
		}
	}
	for _, a := range s.added {
		if s.fenced[a.run] {
			continue
		}
		id, err := ids.take(tx)
		if err != nil {
			return err
		}
		result := *a.row.Result
		result.Attempt = id
		a.row.ID, a.row.Result = id, &result
		ok, err := tx.AddAttempt(a.row)
		if err := s.check(a.run, ok, err); err != nil {
			return fmt.Errorf("record an attempt of instance %d: %w", a.row.Instance, err)
		}
	}
	for i := range s.watches {
		if err := s.writeWatch(tx, &s.watches[i]); err != nil {
			return err
		}
	}
	for _, c := range s.cascade {
		if err := cancelChild(tx, c, at); err != nil {
			return err
		}
	}
	for i := range s.ended {
		if err := s.writeEnd(tx, ids, &s.ended[i]); err != nil {
			return err
		}
	}
	for _, event := range s.events {
		if err := tx.Record(event); err != nil {
			return fmt.Errorf("record %s: %w", event.Kind, err)
		}
	}
	return s.recordFenced(tx)
}

// check takes the answer of a write under the run's fence.
func (s *staged) check(r *run, ok bool, err error) error {
	if err == nil && !ok {
		s.fenced[r] = true
	}
	return err
}

func (s *staged) writeResult(tx Tx, r *stagedResult) error {
	if r.run != nil && s.fenced[r.run] {
		return nil
	}
	ok, err := tx.EndAttempt(r.result, r.fence)
	switch {
	case err != nil:
		return fmt.Errorf("record the end of attempt %d: %w", r.result.Attempt, err)
	case !ok && r.run == nil:
		s.void++
	case !ok:
		s.fenced[r.run] = true
	case r.outbox != nil:
		if err := tx.PutOutbox(*r.outbox); err != nil {
			return fmt.Errorf("record outbox row %d: %w", r.outbox.ID, err)
		}
	}
	return nil
}

// writeEnd records the end of an instance and, in the same transaction, what it owes to others.
func (s *staged) writeEnd(tx Tx, ids *idBlock, end *stagedEnd) error {
	if s.fenced[end.run] {
		return nil
	}
	t := &end.transition
	ok, err := tx.Apply(*t)
	if err := s.check(end.run, ok, err); err != nil {
		return fmt.Errorf("record that instance %d takes %q: %w", t.Instance, t.Event, err)
	}
	if !ok || t.Event != Fail || end.run.job.ErrorAction == nil || fault.Planted(fault.AlertLost) {
		return nil
	}
	id, err := ids.take(tx)
	if err != nil {
		return err
	}
	row := OutboxRow{ID: id, Kind: "errorAction", Instance: t.Instance, NotBefore: t.At, State: OutboxPending, Reason: t.Reason.Detail, CreatedAt: t.At}
	if err := tx.PutOutbox(row); err != nil {
		return fmt.Errorf("record the error action of instance %d: %w", t.Instance, err)
	}
	return nil
}

// recordFenced writes the refusals into the history: who was told that an outcome is not his to say, and of what.
func (s *staged) recordFenced(tx Tx) error {
	for _, r := range slices.SortedFunc(maps.Keys(s.fenced), func(a, b *run) int { return cmp.Compare(a.instance.ID, b.instance.ID) }) {
		at := time.Time{}
		for i := range s.results {
			if s.results[i].run == r {
				at = s.results[i].result.EndedAt
			}
		}
		if at.IsZero() {
			continue // nothing was said of it but what a rebuild finds out by itself
		}
		err := tx.Record(EventRow{At: at, Kind: "fenced", Instance: r.instance.ID, Job: r.instance.Job, Actor: r.instance.Owner, Reason: Reason{
			Code: ReasonFenced, Detail: fmt.Sprintf("a result of %s under fence %d was refused: another server decides about it", r.instance.Owner, r.instance.Fence),
		}})
		if err != nil {
			return fmt.Errorf("record a refused result of instance %d: %w", r.instance.ID, err)
		}
	}
	return nil
}

// refused reports whether something was another server's.
func (s *staged) refused() bool { return len(s.fenced) > 0 || s.void > 0 }

// absorb takes what came in since the last pass and lets the working set move on. It touches no row.
func (e *Engine) absorb(now time.Time) {
	results, cancels := e.inbox.take()
	e.told = append(e.told, e.inbox.takeTold()...)
	for _, r := range results {
		delete(e.looking, r.Attempt)
		l, known := e.live[r.Attempt]
		if !known {
			continue // its end was recorded already
		}
		if r.EndedAt.After(now) { // by a clock that was set back, or is ahead of the store's: what follows the end must not wait for it to come round
			r.EndedAt = now
		}
		if r.StartedAt.After(r.EndedAt) {
			r.StartedAt = r.EndedAt
		}
		if l.watch != nil {
			var over bool
			if r, over = e.looked(now, l, r); over {
				e.end(now, l, r)
			}
			continue
		}
		if l.run == nil {
			delete(e.live, r.Attempt)
			row := e.delivered(l, r)
			e.staged.results = append(e.staged.results, stagedResult{result: r, fence: l.fence, outbox: &row})
			e.staged.notices = append(e.staged.notices, stagedNotice{nil, Notice{
				Instance: l.errand.instance, From: l.errand.instance.State, Result: &r, Action: l.action, Number: l.errand.number, Error: true,
			}})
			continue
		}
		e.end(now, l, r.heldAs(l.run.job))
	}
	for _, c := range cancels {
		r, running := e.runs[c.instance]
		if !running {
			continue
		}
		r.progress.Cancel(c.reason)
		for _, id := range slices.Sorted(maps.Keys(r.attempts)) {
			if l := e.live[id]; l.watch != nil {
				e.cancelWatch(now, l, c.reason)
			} else {
				e.cfg.Runner.Cancel(id)
			}
		}
		if !r.ended { // with the last of what held no slot
			e.advance(now, r)
		}
	}
	for _, s := range takeDue(&e.delayed, now) {
		e.keepReady(s)
	}
	for _, c := range e.staged.cascade {
		e.inbox.cancel(c) // if it is one that this engine runs: heard in the next turn, when it is in the rows
	}
}

// end takes the end of an attempt into the working set.
func (e *Engine) end(now time.Time, l liveAttempt, r Result) {
	delete(e.live, r.Attempt)
	if l.watch != nil {
		e.endWatch(l, r)
	} else {
		e.staged.results = append(e.staged.results, stagedResult{result: r, fence: l.fence, run: l.run})
	}
	delete(l.run.attempts, r.Attempt)
	l.run.progress.Ended(l.step, r)
	e.staged.notices = append(e.staged.notices, stagedNotice{l.run, Notice{
		Instance: l.run.instance, From: l.run.instance.State, Result: &r, Step: l.run.progress.Step(l.step).Step, Action: l.action,
		Number: l.run.number(l.step) - 1,
	}})
	e.advance(now, l.run)
}

// keepReady keeps a step that can start until the turn gets to it.
func (e *Engine) keepReady(s readyStep) {
	if s.run.progress.Def(s.step).Action.Slotless() {
		e.standing = append(e.standing, s)
		return
	}
	e.queue(s.run.job.Pool).add(s)
}

// advance settles a run of the working set and forgets it when it has ended.
func (e *Engine) advance(now time.Time, r *run) {
	ready, delayed := e.settle(now, r, &e.staged)
	for _, s := range ready {
		e.keepReady(s)
	}
	for _, d := range delayed {
		e.delayed.add(d)
	}
	if r.ended {
		delete(e.runs, r.instance.ID)
	}
}

func (e *Engine) queue(pool string) *stepQueue {
	q := e.steps[pool]
	if q == nil {
		q = new(stepQueue)
		e.steps[pool] = q
	}
	return q
}

// settle carries a run as far as it goes without the outside world: steps of type none succeed, a `when` that is false skips, and what is left is
// ready, or due later. What has to be written is added to out; when nothing of the run lives or can start any more, that is its end.
func (e *Engine) settle(now time.Time, r *run, out *staged) (ready []readyStep, delayed []delayedStep) {
	p := r.progress
	for found := p.TakeReady(); len(found) > 0; found = p.TakeReady() {
		for _, i := range found {
			if !p.Startable(i) {
				continue
			}
			step, row := p.Def(i), p.Step(i)
			_, _, item := p.Item(i)
			if step.When != "" && row.Attempts == 0 && !item {
				wanted, err := e.cfg.Condition(step.When, p.environment(e.effectiveParams(r.job, &r.instance), r.job.local(r.instance.PlanTime)))
				if err != nil {
					p.Broken(i, Reason{Code: ReasonStepFailed, Detail: stepText(step.Name) + "when: " + err.Error()})
					continue
				}
				if !wanted {
					p.Passed(i, StepSkipped)
					continue
				}
			}
			switch {
			case step.ForEach != nil && !item:
				list, err := e.values(r, i, func() Scope { return e.listScope(now, r) })
				if err != nil {
					p.Broken(i, Reason{Code: ReasonStepFailed, Detail: stepText(step.Name) + err.Error()})
					continue
				}
				p.Unfold(i, len(list))
			case step.Action.Type == ActionNone:
				result := Result{Outcome: OutcomeSucceeded, StartedAt: now, EndedAt: now}
				out.added = append(out.added, stagedAttempt{r, AttemptRow{
					Instance: r.instance.ID, Job: r.instance.Job, Step: row.Step, Number: r.number(i), Fence: r.instance.Fence, Owner: r.instance.Owner,
					Pool: r.job.Pool, StartedAt: now, Result: &result,
				}})
				row.Attempts++
				p.Passed(i, StepSucceeded)
			case row.NotBefore.After(now):
				delayed = append(delayed, delayedStep{row.NotBefore, readyStep{r, i}})
			default:
				ready = append(ready, readyStep{r, i})
			}
		}
	}
	event, reason, ended := p.Outcome()
	if ended {
		p.CancelRest()
		to, err := r.instance.State.On(event)
		if err != nil {
			panic("stuck, this is a bug: " + err.Error()) // a run is running by construction
		}
		out.ended = append(out.ended, stagedEnd{r, Transition{
			Instance: r.instance.ID, Event: event, From: r.instance.State, Fence: r.instance.Fence, At: now, Reason: reason,
		}})
		after := r.instance
		after.State, after.Reason = to, reason
		if to.Ended() {
			after.EndedAt = now
		}
		out.notices = append(out.notices, stagedNotice{r, Notice{Instance: after, From: r.instance.State}})
		r.ended = true
	}
	if p.TakeGrown() {
		p.TakeChanged()
		out.steps = append(out.steps, stagedStep{run: r, all: slices.Clone(p.Rows())})
	}
	for _, i := range p.TakeChanged() {
		row := *p.Step(i)
		switch {
		case r.stored():
			out.steps = append(out.steps, stagedStep{run: r, row: row})
		case row.State == StepWaiting && row.Attempts > 0:
			out.steps = append(out.steps, stagedStep{run: r, row: row, put: true})
		}
	}
	return ready, delayed
}
