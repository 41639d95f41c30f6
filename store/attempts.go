package store

import (
	"fmt"
	"strings"

	"github.com/almanac-sched/almanac/engine"
)

const (
	stepsSQL     = `SELECT step, state, attempts, not_before, outputs FROM step WHERE instance = ? ORDER BY n`
	dropStepsSQL = `DELETE FROM step WHERE instance = ?`
	fenceSQL     = `SELECT 1 FROM instance WHERE id = ? AND state = 'running' AND fence = ?`
	putStepSQL   = `INSERT INTO step (instance, step, n, state, attempts, not_before, outputs) VALUES (?, ?, ?, ?, ?, ?, ?)`
	setStepSQL   = `UPDATE step SET state = ?, attempts = ?, not_before = ?, outputs = ? WHERE instance = ? AND step = ?
		AND EXISTS (SELECT 1 FROM instance WHERE id = step.instance AND state = 'running' AND fence = ?)`
)

// Steps lists the steps of a started instance, in the order in which PutSteps gave them.
func (v *view) Steps(instance int64) ([]engine.StepRow, error) {
	var steps []engine.StepRow
	err := v.s.query(stepsSQL, func(c *columns) (err error) {
		s := engine.StepRow{Step: c.text(), State: engine.StepState(c.text()), Attempts: int(c.int()), NotBefore: c.utc()}
		s.Outputs, err = decodeMap(c.text())
		steps = append(steps, s)
		return err
	}, instance)
	return steps, err
}

// holds reports whether the instance is running under the fence.
func (t *tx) holds(instance, fence int64) (bool, error) {
	return t.s.one(fenceSQL, func(*columns) error { return nil }, instance, fence)
}

// PutSteps inserts the steps of an instance that starts, replacing those of an earlier run of it; false when it is not running under the fence.
func (t *tx) PutSteps(instance, fence int64, steps []engine.StepRow) (bool, error) {
	if ok, err := t.holds(instance, fence); err != nil || !ok {
		return false, err
	}
	return true, t.putSteps(instance, steps)
}

func (t *tx) putSteps(instance int64, steps []engine.StepRow) error {
	if _, err := t.s.exec(dropStepsSQL, instance); err != nil {
		return err
	}
	for n, s := range steps {
		_, err := t.s.exec(putStepSQL, instance, s.Step, n, string(s.State), s.Attempts, ms(s.NotBefore), encodeMap(s.Outputs))
		if err != nil {
			return fmt.Errorf("insert step %q of instance %d: %w", s.Step, instance, err)
		}
	}
	return nil
}

// SetStep updates one step; false when the instance is not running under the fence, engine.ErrNotFound when it is and has no step of that name.
func (t *tx) SetStep(instance, fence int64, s engine.StepRow) (bool, error) {
	n, err := t.s.exec(setStepSQL, string(s.State), s.Attempts, ms(s.NotBefore), encodeMap(s.Outputs), instance, s.Step, fence)
	if err != nil || n > 0 {
		return err == nil, err
	}
	held, err := t.holds(instance, fence)
	if err != nil || !held {
		return false, err
	}
	return false, found(false, nil, "step %q of instance %d", s.Step, instance)
}

const (
	attemptColumns = `SELECT id, instance, job, step, number, action, outbox, fence, owner, pool, started_at, outcome, exit, signal, status, message, outputs,
		ran_at, ended_at, log_bytes, truncated FROM attempt `
	attemptsSQL = attemptColumns + `WHERE instance = ? ORDER BY id`
	liveSQL     = attemptColumns + `WHERE outcome IS NULL ORDER BY id`
	attemptSQL  = attemptColumns + `WHERE id = ?`
)

func scanAttempt(c *columns) (engine.AttemptRow, error) {
	a := engine.AttemptRow{
		ID: c.int(), Instance: c.int(), Job: c.int(), Step: c.text(), Number: int(c.int()), Error: c.text() == actionError,
		Outbox: c.int(), Fence: c.int(), Owner: c.text(), Pool: c.text(), StartedAt: c.utc(),
	}
	if c.isNull() {
		return a, nil
	}
	r := &engine.Result{Attempt: a.ID, Outcome: engine.Outcome(c.text())}
	if exit := int(c.int()); c.values[c.next-1] != nil {
		r.Exit = &exit
	}
	r.Signal, r.Status, r.Message = c.text(), int(c.int()), c.text()
	var err error
	if r.Outputs, err = decodeMap(c.text()); err != nil {
		return a, fmt.Errorf("attempt %d: %w", a.ID, err)
	}
	r.StartedAt, r.EndedAt, r.LogBytes, r.Truncated = c.utc(), c.utc(), c.int(), c.bool()
	a.Result = r
	return a, nil
}

func (v *view) attempts(text string, args ...any) ([]engine.AttemptRow, error) {
	var attempts []engine.AttemptRow
	err := v.s.query(text, func(c *columns) error {
		a, err := scanAttempt(c)
		attempts = append(attempts, a)
		return err
	}, args...)
	return attempts, err
}

// Attempts lists the attempts of an instance by id.
func (v *view) Attempts(instance int64) ([]engine.AttemptRow, error) {
	return v.attempts(attemptsSQL, instance)
}

// Live lists the attempts without an end, by id.
func (v *view) Live() ([]engine.AttemptRow, error) { return v.attempts(liveSQL) }

const (
	actionMain  = "main"
	actionError = "error"

	resultColumns   = `outcome, exit, signal, status, message, outputs, ran_at, ended_at, log_bytes, truncated`
	startAttemptSQL = `INSERT INTO attempt (id, instance, job, step, number, action, outbox, fence, owner, pool, started_at)
		SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11` + underFence
	addAttemptSQL = `INSERT INTO attempt (id, instance, job, step, number, action, outbox, fence, owner, pool, started_at, ` + resultColumns + `)
		SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21` + underFence
	// An error action follows the end of its instance, and has a fence of its own.
	underFence = ` WHERE ?6 = 'error' OR EXISTS (SELECT 1 FROM instance WHERE id = ?2 AND state = 'running' AND fence = ?8)`
)

var endAttemptSQL = `UPDATE attempt SET (` + resultColumns + `) = (` + strings.TrimSuffix(strings.Repeat("?, ", 10), ", ") + `) WHERE id = ? AND outcome IS NULL AND fence = ?`

func attemptValues(a *engine.AttemptRow) []any {
	action := actionMain
	if a.Error {
		action = actionError
	}
	return []any{a.ID, a.Instance, a.Job, a.Step, a.Number, action, id(a.Outbox), a.Fence, a.Owner, a.Pool, a.StartedAt.UnixMilli()}
}

func resultValues(r *engine.Result) []any {
	var exit any
	if r.Exit != nil {
		exit = *r.Exit
	}
	return []any{
		string(r.Outcome), exit, r.Signal, r.Status, r.Message, encodeMap(r.Outputs), ms(r.StartedAt), ms(r.EndedAt), r.LogBytes, r.Truncated,
	}
}

// StartAttempt inserts an attempt without an end; false when its instance is not running under its fence.
func (t *tx) StartAttempt(a engine.AttemptRow) (bool, error) {
	n, err := t.s.exec(startAttemptSQL, attemptValues(&a)...)
	if err != nil {
		return false, fmt.Errorf("insert attempt %d of instance %d: %w", a.ID, a.Instance, err)
	}
	return n > 0, nil
}

// EndAttempt records the outcome of an attempt. False and no change when it has one, or another fence, or when there is no such attempt.
func (t *tx) EndAttempt(r engine.Result, fence int64) (bool, error) {
	n, err := t.s.exec(endAttemptSQL, append(resultValues(&r), r.Attempt, fence)...)
	return n > 0, err
}

// AddAttempt inserts an attempt that began and ended in this transaction; false when its instance is not running under its fence.
func (t *tx) AddAttempt(a engine.AttemptRow) (bool, error) {
	if a.Result == nil {
		return false, fmt.Errorf("%w: attempt %d was added without its result", engine.ErrInvalid, a.ID)
	}
	n, err := t.s.exec(addAttemptSQL, append(attemptValues(&a), resultValues(a.Result)...)...)
	if err != nil {
		return false, fmt.Errorf("insert attempt %d of instance %d: %w", a.ID, a.Instance, err)
	}
	return n > 0, nil
}
