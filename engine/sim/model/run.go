package model

import (
	"fmt"
	"slices"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/fault"
)

var (
	stepStates = []engine.StepState{
		engine.StepWaiting, engine.StepRunning, engine.StepSucceeded, engine.StepFailed, engine.StepSkipped, engine.StepCancelled,
	}
	outcomes = []engine.Outcome{
		engine.OutcomeSucceeded, engine.OutcomeFailed, engine.OutcomeTimeout, engine.OutcomeCancelled, engine.OutcomeLost,
	}
)

// stepRow returns the row as it comes back, or an error when it cannot be stored.
func stepRow(instance int64, s engine.StepRow) (engine.StepRow, error) {
	if !slices.Contains(stepStates, s.State) || s.Attempts < 0 {
		return s, fmt.Errorf("step %q of instance %d: %w: state %q, %d attempts", s.Step, instance, ErrConstraint, s.State, s.Attempts)
	}
	s.NotBefore, s.Outputs = instant(s.NotBefore), ownMap(s.Outputs)
	return s, nil
}

func (t *tx) PutSteps(instance, fence int64, steps []engine.StepRow) (bool, error) {
	if t.broken != nil {
		return false, t.broken
	}
	if !t.holds(instance, fence) {
		return false, nil
	}
	return t.putSteps(instance, steps)
}

func (t *tx) putSteps(instance int64, steps []engine.StepRow) (bool, error) {
	var rows []engine.StepRow
	for _, s := range steps {
		row, err := stepRow(instance, s)
		if err == nil && slices.ContainsFunc(rows, func(r engine.StepRow) bool { return r.Step == s.Step }) {
			err = fmt.Errorf("step %q of instance %d: %w: it exists", s.Step, instance, ErrConstraint)
		}
		if err != nil {
			return false, t.refuse(err)
		}
		rows = append(rows, row)
	}
	set(t, (*state).putSteps, instance, rows)
	return true, nil
}

func (t *tx) SetStep(instance, fence int64, s engine.StepRow) (bool, error) {
	if t.broken != nil {
		return false, t.broken
	}
	if !t.holds(instance, fence) {
		return false, nil
	}
	rows := t.s.steps[instance]
	n := slices.IndexFunc(rows, func(r engine.StepRow) bool { return r.Step == s.Step })
	if n < 0 {
		return false, missing("step %q of instance %d", s.Step, instance)
	}
	row, err := stepRow(instance, s)
	if err != nil {
		return false, t.refuse(err)
	}
	rows = slices.Clone(rows)
	rows[n] = row
	set(t, (*state).putSteps, instance, rows)
	return true, nil
}

// attemptsOf lists the attempts of an instance by id.
func (s *state) attemptsOf(instance int64) (list []*engine.AttemptRow) {
	for k := range s.ran.from(belonging{instance, least}) {
		if k.to != instance {
			break
		}
		list = append(list, s.attempts[k.id])
	}
	return list
}

func (t *tx) StartAttempt(a engine.AttemptRow) (bool, error) {
	a.Result = nil
	return t.insertAttempt(a)
}

func (t *tx) AddAttempt(a engine.AttemptRow) (bool, error) {
	if a.Result == nil {
		return false, fmt.Errorf("%w: attempt %d was added without its result", engine.ErrInvalid, a.ID)
	}
	return t.insertAttempt(a)
}

// insertAttempt inserts an attempt under its instance's fence. An error action follows the end of its instance, and has a fence of its own.
func (t *tx) insertAttempt(a engine.AttemptRow) (bool, error) {
	if t.broken != nil {
		return false, t.broken
	}
	if !a.Error && !t.holds(a.Instance, a.Fence) {
		return false, nil
	}
	switch {
	case t.s.attempts[a.ID] != nil:
		return false, t.refuse(fmt.Errorf("attempt %d: %w: it exists", a.ID, ErrConstraint))
	case t.s.instances[a.Instance] == nil:
		return false, t.refuse(fmt.Errorf("attempt %d: %w: there is no instance %d", a.ID, ErrConstraint, a.Instance))
	}
	a.StartedAt = utc(a.StartedAt)
	if a.Result != nil {
		r, err := resultOf(a.ID, *a.Result)
		if err != nil {
			return false, t.refuse(err)
		}
		a.Result = &r
	}
	set(t, (*state).putAttempt, a.ID, &a)
	return true, nil
}

// resultOf returns the result as it comes back, or an error when it cannot be stored.
func resultOf(attempt int64, r engine.Result) (engine.Result, error) {
	if !slices.Contains(outcomes, r.Outcome) {
		return r, fmt.Errorf("the result of attempt %d: %w: there is no outcome %q", attempt, ErrConstraint, r.Outcome)
	}
	r = ownResult(r)
	r.Attempt, r.StartedAt, r.EndedAt = attempt, instant(r.StartedAt), instant(r.EndedAt)
	return r, nil
}

func (t *tx) EndAttempt(r engine.Result, fence int64) (bool, error) {
	if t.broken != nil {
		return false, t.broken
	}
	was := t.s.attempts[r.Attempt]
	if was == nil || was.Result != nil || was.Fence != fence && !fault.Planted(fault.ForgetFence) {
		return false, nil
	}
	r, err := resultOf(r.Attempt, r)
	if err != nil {
		return false, t.refuse(err)
	}
	a := *was
	a.Result = &r
	set(t, (*state).putAttempt, a.ID, &a)
	return true, nil
}

func (t *tx) TakeErrand(attempt, fence int64, owner string) (int64, bool, error) {
	if owner == "" {
		return 0, false, fmt.Errorf("%w: attempt %d cannot be taken over by nobody", engine.ErrInvalid, attempt)
	}
	if t.broken != nil {
		return 0, false, t.broken
	}
	was := t.s.attempts[attempt]
	if was == nil || was.Result != nil || !was.Error || was.Fence != fence {
		return 0, false, nil
	}
	a := *was
	a.Owner, a.Fence = owner, fence+1
	set(t, (*state).putAttempt, attempt, &a)
	return a.Fence, true, nil
}
