package engine

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
)

// handOut renders the attempt and gives it to the Runner. What cannot be rendered is an attempt that failed, with its reason.
func (e *Engine) handOut(now time.Time, s startedStep) {
	if e.perform != nil {
		e.perform(now, s)
		return
	}
	r, step, name := s.run, s.run.progress.Def(s.step), s.run.progress.Step(s.step).Step
	scope := e.stepScope(now, s.readyStep, s.number)
	attempt := Attempt{
		ID: s.attempt, Instance: r.instance.ID, Ref: r.instance.Ref, PlanTime: r.instance.PlanTime, Step: name, Number: s.number, Once: r.job.OnLost == LostHold, Again: r.again[name],
		Fence: r.instance.Fence, Folder: r.job.Folder, StartedAt: now, Until: e.trust,
	}
	e.cfg.Observe(Notice{Instance: r.instance, From: r.instance.State, Attempt: &attempt, Step: name, Action: step.Action.Type, Number: s.number})
	e.launch(now, attempt, step.Action, r.job, scope)
}

// launch renders the action into the attempt and starts it.
func (e *Engine) launch(now time.Time, attempt Attempt, action Action, job *Job, scope Scope) {
	if read := scope.Secret; read != nil {
		scope.Secret = func(name string) (string, error) {
			value, err := read(name)
			if err == nil {
				attempt.Secrets = append(attempt.Secrets, value)
			}
			return value, err
		}
	}
	rendered, err := withJobEnv(action, job).Render(scope)
	if err != nil {
		e.inbox.result(Result{
			Attempt: attempt.ID, Outcome: OutcomeFailed, Message: "cannot render the action: " + err.Error(), StartedAt: now, EndedAt: now, Unrepeatable: true,
		})
		return
	}
	for _, p := range job.Params {
		if value := scope.Params[p.Name]; p.Secret && value != "" {
			attempt.Secrets = append(attempt.Secrets, value)
		}
	}
	attempt.Action = rendered
	e.cfg.Runner.Start(attempt, e.inbox.result)
}

// withJobEnv puts the job's environment under the action's own.
func withJobEnv(a Action, job *Job) Action {
	if a.Shell == nil || len(job.Env) == 0 {
		return a
	}
	shell := *a.Shell
	shell.Env = maps.Clone(job.Env)
	maps.Copy(shell.Env, a.Shell.Env)
	a.Shell = &shell
	return a
}

// scope is what an instance's texts may name.
func (e *Engine) scope(now time.Time, i *Instance, job *Job, attempt int) Scope {
	planTime := job.local(i.PlanTime)
	return Scope{
		PlanTime: planTime, Now: now.In(job.When.Location).Truncate(time.Millisecond),
		Window: func() (from, to time.Time) {
			row, _ := e.defs.row(job.Ref())
			return job.DataWindow(i.Kind, row, planTime), planTime
		},
		Workflow: job.Workflow, Job: job.Name, Instance: strconv.FormatInt(i.ID, 10), Attempt: attempt,
		Params: e.effectiveParams(job, i), Calendar: job.When.Calendar,
		Secret: func(name string) (string, error) {
			source, known := job.Secrets[name]
			switch {
			case !known:
				return "", fmt.Errorf("the secret %s is not declared", name)
			case e.cfg.Secret == nil:
				return "", fmt.Errorf("this process reads no secrets")
			}
			return e.cfg.Secret(source)
		},
	}
}

// local is a time in the zone of the job. A stored plan time knows its own offset only, with which a day before or after, across a change of the clocks,
// would begin at another hour.
func (j *Job) local(t time.Time) time.Time { return t.In(j.When.Location) }

// startErrands starts the error actions that are due, before anything else: they are few, and somebody waits to be told.
func (t *turn) startErrands() error {
	if t.free <= 0 || t.agenda.Outbox.IsZero() || t.agenda.Outbox.After(t.now) {
		return nil
	}
	due, err := t.tx.OutboxDue(t.now, t.free+len(t.carried))
	if err != nil {
		return fmt.Errorf("list what is to be delivered: %w", err)
	}
	for _, row := range due {
		if t.carried[row.ID] || t.free <= 0 {
			continue
		}
		if err := t.startErrand(row); err != nil {
			return err
		}
	}
	return nil
}

// firstErrandFence is the fence of an attempt of an error action that nobody has taken over.
const firstErrandFence = 1

func (t *turn) startErrand(row OutboxRow) error {
	instance, err := t.tx.Instance(row.Instance)
	if err != nil {
		return fmt.Errorf("read the instance of outbox row %d: %w", row.ID, err)
	}
	job, err := t.defs.version(t.tx, instance.Version)
	if err == nil && job.ErrorAction == nil {
		err = fmt.Errorf("%w: the job has no errorAction", ErrInvalid)
	}
	if err != nil {
		row.State, row.Reason, row.EndedAt = OutboxFailed, err.Error(), t.now
		return t.tx.PutOutbox(row)
	}
	id, err := t.ids.take(t.tx)
	if err != nil {
		return err
	}
	attempt := AttemptRow{
		ID: id, Instance: instance.ID, Job: instance.Job, Number: row.Attempts + 1, Error: true, Outbox: row.ID, Fence: firstErrandFence, Owner: t.cfg.Owner,
		StartedAt: t.now,
	}
	if job.ErrorAction.Type == ActionNone {
		attempt.Result = &Result{Attempt: id, Outcome: OutcomeSucceeded, StartedAt: t.now, EndedAt: t.now}
		row.Attempts, row.State, row.EndedAt = row.Attempts+1, OutboxDelivered, t.now
		if err := t.tx.PutOutbox(row); err != nil {
			return fmt.Errorf("record outbox row %d: %w", row.ID, err)
		}
		_, err := t.tx.AddAttempt(attempt)
		return wrap(err, "record the error action of %s", instance.Name())
	}
	if _, err := t.tx.StartAttempt(attempt); err != nil {
		return fmt.Errorf("record the error action of %s: %w", instance.Name(), err)
	}
	t.free--
	t.errands = append(t.errands, startedErrand{row: row, attempt: id, number: attempt.Number, instance: instance, job: job})
	return nil
}

// handOutErrand renders the error action and gives it to the Runner. It may say why: ${{ ... }} has no name for it, the environment and the
// log do.
func (e *Engine) handOutErrand(now time.Time, d startedErrand) {
	if e.perform != nil {
		e.cfg.Runner.Start(Attempt{ID: d.attempt, Error: true}, e.inbox.result)
		return
	}
	action := *d.job.ErrorAction
	if action.Shell != nil {
		shell := *action.Shell
		shell.Env = maps.Clone(shell.Env)
		if shell.Env == nil {
			shell.Env = map[string]Text{}
		}
		shell.Env["ALMANAC_ERROR"] = Text(strings.ReplaceAll(d.row.Reason, "${{", "$${{"))
		action.Shell = &shell
	}
	scope := e.scope(now, &d.instance, d.job, d.number)
	scope.Outputs = func(string, string) (string, bool) { return "", false }
	attempt := Attempt{
		ID: d.attempt, Instance: d.instance.ID, Ref: d.instance.Ref, PlanTime: d.instance.PlanTime, Number: d.number, Error: true, Errand: d.row.ID,
		Fence: d.instance.Fence, Folder: d.job.Folder, StartedAt: now, Until: e.trust,
	}
	e.cfg.Observe(Notice{Instance: d.instance, From: d.instance.State, Attempt: &attempt, Action: action.Type, Number: d.number, Error: true})
	e.launch(now, attempt, action, d.job, scope)
}

// delivered is what a result means for its outbox row: delivered, once more later, or given up. Lost counts as not delivered: at least once.
func (e *Engine) delivered(l liveAttempt, r Result) OutboxRow {
	row := l.outbox
	row.Attempts++
	if r.Outcome == OutcomeSucceeded || fault.Planted(fault.LostDelivered) && r.Outcome == OutcomeLost {
		row.State, row.EndedAt = OutboxDelivered, r.EndedAt
		return row
	}
	if r.Outcome == OutcomeLost {
		row.NotBefore = r.EndedAt
		return row
	}
	if wait, again := l.retry.Next(row.Attempts, r); again {
		row.NotBefore = r.EndedAt.Add(wait)
		return row
	}
	row.State, row.EndedAt = OutboxFailed, r.EndedAt
	return row
}
