package engine

import (
	"fmt"
	"time"
)

// staged is what results and commands came to: decided on the working set alone, and waiting to be written. It is kept until a commit has
// taken it, so that a failed commit loses nothing; writing it twice is the same as once.
type staged struct {
	results []Result
	steps   []stagedStep
	added   []AttemptRow // attempts that began and ended at once; they get their ids when written
	ended   []stagedEnd
	outbox  []OutboxRow // ID 0 gets one when written
	notices []Notice
}

type stagedStep struct {
	instance int64
	row      StepRow
	put      bool // the instance has no step rows yet
}

type stagedEnd struct {
	run        *run
	transition Transition
}

// write carries out what is staged.
func (s *staged) write(tx Tx, ids *idBlock) error {
	for i := range s.results {
		if _, err := tx.EndAttempt(s.results[i]); err != nil {
			return fmt.Errorf("record the end of attempt %d: %w", s.results[i].Attempt, err)
		}
	}
	for i := range s.steps {
		c := &s.steps[i]
		var err error
		if c.put {
			err = tx.PutSteps(c.instance, []StepRow{c.row})
		} else {
			err = tx.SetStep(c.instance, c.row)
		}
		if err != nil {
			return fmt.Errorf("record step %q of instance %d: %w", c.row.Step, c.instance, err)
		}
	}
	for _, row := range s.added {
		var err error
		if row.ID, err = ids.take(tx); err != nil {
			return err
		}
		result := *row.Result
		result.Attempt = row.ID
		row.Result = &result
		if err := tx.AddAttempt(row); err != nil {
			return fmt.Errorf("record an attempt of instance %d: %w", row.Instance, err)
		}
	}
	for i := range s.ended {
		t := &s.ended[i].transition
		ok, err := tx.Apply(*t)
		if err != nil {
			return fmt.Errorf("record that instance %d takes %q: %w", t.Instance, t.Event, err)
		}
		if ok && t.Event == Fail && s.ended[i].run.job.ErrorAction != nil {
			id, err := ids.take(tx)
			if err != nil {
				return err
			}
			row := OutboxRow{ID: id, Kind: "errorAction", Instance: t.Instance, NotBefore: t.At, State: OutboxPending, Reason: t.Reason.Detail, CreatedAt: t.At}
			if err := tx.PutOutbox(row); err != nil {
				return fmt.Errorf("record the error action of instance %d: %w", t.Instance, err)
			}
		}
	}
	for _, row := range s.outbox {
		if err := tx.PutOutbox(row); err != nil {
			return fmt.Errorf("record outbox row %d: %w", row.ID, err)
		}
	}
	return nil
}

// absorb takes what came in since the last pass and lets the working set move on. It touches no row.
func (e *Engine) absorb(now time.Time) {
	results, cancels := e.inbox.take()
	for _, r := range results {
		l, known := e.live[r.Attempt]
		if !known {
			continue // its end was recorded already
		}
		delete(e.live, r.Attempt)
		e.staged.results = append(e.staged.results, r)
		if l.run == nil {
			e.staged.outbox = append(e.staged.outbox, e.delivered(l, r))
			continue
		}
		delete(l.run.attempts, r.Attempt)
		l.run.progress.Ended(l.step, r)
		e.staged.notices = append(e.staged.notices, Notice{Instance: l.run.instance, From: l.run.instance.State, Result: &r, Step: l.run.job.Steps[l.step].Name})
		e.advance(now, l.run)
	}
	for _, c := range cancels {
		r, running := e.runs[c.instance]
		if !running {
			continue
		}
		r.progress.Cancel(c.reason)
		for id := range r.attempts {
			e.cfg.Runner.Cancel(id)
		}
		e.advance(now, r)
	}
	for _, s := range e.delayed.takeDue(now) {
		e.queue(s.run.job.Pool).add(s)
	}
}

// advance settles a run of the working set and forgets it when it has ended.
func (e *Engine) advance(now time.Time, r *run) {
	ready, delayed := e.settle(now, r, &e.staged)
	for _, s := range ready {
		e.queue(r.job.Pool).add(s)
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
			step, row := &r.job.Steps[i], p.Step(i)
			if step.When != "" && row.Attempts == 0 {
				wanted, err := e.cfg.Condition(step.When, p.environment(effectiveParams(r.job, &r.instance), r.instance.PlanTime))
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
			case step.Action.Type == ActionNone:
				result := Result{Outcome: OutcomeSucceeded, StartedAt: now, EndedAt: now}
				out.added = append(out.added, AttemptRow{
					Instance: r.instance.ID, Job: r.instance.Job, Step: step.Name, Number: r.number(i), Fence: r.instance.Fence, Pool: r.job.Pool,
					StartedAt: now, Result: &result,
				})
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
		out.notices = append(out.notices, Notice{Instance: after, From: r.instance.State})
		r.ended = true
	}
	for _, i := range p.TakeChanged() {
		row := *p.Step(i)
		switch {
		case r.stored():
			out.steps = append(out.steps, stagedStep{instance: r.instance.ID, row: row})
		case row.State == StepWaiting && row.Attempts > 0:
			out.steps = append(out.steps, stagedStep{instance: r.instance.ID, row: row, put: true})
		}
	}
	return ready, delayed
}
