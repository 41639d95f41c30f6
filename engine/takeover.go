package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
)

// An inheritance is what a server finds running in the rows and makes its own: the instances, their steps, and the attempts that live.
type inheritance struct {
	runs    map[int64]*run
	live    map[int64]liveAttempt
	numbers map[int64]int // of the attempts
}

// forget throws the working set away. Results that were not recorded go back to where they came from, and what was handed to the Runner stays known.
func (e *Engine) forget() {
	if e.handed == nil {
		e.handed = map[int64]bool{}
	}
	for id := range e.live {
		e.handed[id] = true
	}
	var results []Result
	for _, r := range e.staged.results {
		e.handed[r.result.Attempt] = false
		results = append(results, r.result)
	}
	e.inbox.putBack(results)
	e.sure, e.staged, e.delayed = false, staged{events: e.staged.events}, nil
	e.standing, e.polls, e.line = nil, nil, nil
	e.runs, e.live, e.steps = map[int64]*run{}, map[int64]liveAttempt{}, map[string]*stepQueue{}
	e.ids = idBlock{} // of a commit that is in doubt, some may be in use
}

// rebuild makes the working set from rows: when the engine starts, and whenever it cannot be sure any more what the rows say. Nothing is handed over but
// the rows themselves, so that it can be repeated at will.
func (e *Engine) rebuild(ctx context.Context, now time.Time) error {
	e.forget()
	if err := e.defs.refresh(ctx, e.cfg.Store); err != nil {
		return fmt.Errorf("read the definitions: %w", err)
	}
	var found *inheritance
	err := e.cfg.Store.Write(ctx, func(tx Tx) error {
		clock, err := e.holdLease(tx)
		if err != nil {
			return err
		}
		if found, err = e.inherit(tx, now, clock); err != nil {
			return err
		}
		if err := e.hastenErrands(tx, now); err != nil {
			return err
		}
		return e.hastenDeliveries(tx, now)
	})
	if err != nil {
		return fmt.Errorf("take over what runs: %w", err)
	}
	e.begun, e.sure = true, true
	e.takeUp(now, found)
	e.leased(now)
	for _, id := range slices.Sorted(maps.Keys(e.handed)) {
		if _, mine := e.live[id]; e.handed[id] && !mine {
			e.cfg.Runner.Cancel(id) // somebody else decides about it, or it has ended
		}
	}
	e.handed = nil
	return nil
}

// inherit reads what runs and is this engine's or nobody's any more, and takes the latter over. What the working set holds already is left out.
func (e *Engine) inherit(tx Tx, now, clock time.Time) (*inheritance, error) {
	found := &inheritance{runs: map[int64]*run{}, live: map[int64]liveAttempt{}, numbers: map[int64]int{}}
	instances, err := tx.Running()
	if err != nil {
		return nil, fmt.Errorf("list what runs: %w", err)
	}
	attempts, err := tx.Live() // before the take-over makes them ours
	if err != nil {
		return nil, fmt.Errorf("list live attempts: %w", err)
	}
	for _, i := range instances {
		if i.State != Running || e.runs[i.ID] != nil {
			continue // lost: a person decides
		}
		if !e.mine(i.Owner) {
			if e.cfg.Shared && i.Lease.After(clock) && !fault.Planted(fault.TakeOverEarly) || fault.Planted(fault.Zombie) {
				continue
			}
			fence, ok, err := tx.TakeOver(i.ID, i.Fence, e.cfg.Owner, e.leaseFrom(clock))
			if err != nil || !ok {
				return nil, wrap(errors.Join(err, unless(ok, ErrConflict)), "take over %s", i.Name())
			}
			i.Fence, i.Owner = fence, e.cfg.Owner
		}
		if err := e.readRun(tx, now, i, attempts, found); err != nil {
			return nil, err
		}
	}
	for _, a := range attempts {
		if a.Error {
			if _, held := e.live[a.ID]; !held {
				err = e.readErrand(tx, clock, a, found)
			}
		}
		if err != nil {
			return nil, err
		}
		if _, ours := found.live[a.ID]; ours {
			found.numbers[a.ID] = a.Number
			if !e.mine(a.Owner) {
				e.foreign[a.ID] = true
			}
		}
	}
	return found, nil
}

// mine reports whether the owner is this very process.
func (e *Engine) mine(owner string) bool { return e.begun && owner == e.cfg.Owner }

func unless(ok bool, err error) error {
	if ok {
		return nil
	}
	return err
}

// readRun rebuilds one running instance from its rows.
func (e *Engine) readRun(tx Tx, now time.Time, i Instance, attempts []AttemptRow, found *inheritance) error {
	job, err := e.defs.version(tx, i.Version)
	if errors.Is(err, ErrInvalid) {
		return e.giveUp(tx, now, i, attempts, err)
	}
	if err != nil {
		return fmt.Errorf("definition of %s: %w", i.Name(), err)
	}
	r := &run{instance: i, job: job, attempts: map[int64]int{}}
	living := map[string]bool{}
	for _, a := range attempts {
		if !a.Error && a.Instance == i.ID {
			living[a.Step] = true
		}
	}
	steps, err := tx.Steps(i.ID)
	if err != nil {
		return fmt.Errorf("steps of %s: %w", i.Name(), err)
	}
	if len(steps) == 0 && !r.stored() && living[""] {
		steps = []StepRow{{State: StepRunning, Attempts: 1}}
	}
	watches, err := tx.Watches(i.ID)
	if err != nil {
		return fmt.Errorf("what steps of %s watch: %w", i.Name(), err)
	}
	if fault.Planted(fault.WatchForgotten) {
		watches = nil
	}
	for _, w := range watches {
		living[w.Step] = true
	}
	for n := range steps {
		if steps[n].State == StepRunning && !living[steps[n].Step] && !unfolded(job, steps[n].Step) {
			steps[n].State = StepWaiting // its attempt ended without it: cannot happen in one transaction, and is harmless so
		}
	}
	r.progress = NewProgress(job, steps)
	for n := range r.progress.Rows() {
		// A clock that was set back would make a retry wait until the old time comes round again.
		step := r.progress.Step(n)
		if latest := now.Add(r.progress.Def(n).Action.Retry.wait(step.Attempts)); step.NotBefore.After(latest) {
			step.NotBefore = latest
		}
	}
	all, err := tx.Attempts(i.ID)
	if err != nil {
		return fmt.Errorf("list the attempts of %s: %w", i.Name(), err)
	}
	r.numbers, r.again = earlierNumbers(all, watches, r), successes(all)
	r.progress.Recall(latestResults(all))
	if i.Cancel != nil && !fault.Planted(fault.CancelForgotten) {
		r.progress.Cancel(*i.Cancel)
	}
	found.runs[i.ID] = r
	for _, a := range attempts {
		if a.Error || a.Instance != i.ID {
			continue
		}
		if step := r.progress.Index(a.Step); step >= 0 {
			r.attempts[a.ID] = step
			found.live[a.ID] = liveAttempt{run: r, step: step, fence: i.Fence, action: r.progress.Def(step).Action.Type}
		}
	}
	for _, w := range watches {
		if step := r.progress.Index(w.Step); step >= 0 {
			r.attempts[w.ID] = step
			found.live[w.ID] = liveAttempt{run: r, step: step, fence: i.Fence, action: r.progress.Def(step).Action.Type, watch: &watch{row: w}}
		}
	}
	return nil
}

// unfolded reports that a step runs once for each item of a list, so that none of its attempts is its own.
func unfolded(job *Job, step string) bool {
	return slices.ContainsFunc(job.Steps, func(s Step) bool { return s.Name == step && s.ForEach != nil })
}

// giveUp ends an instance whose definition this program cannot read: one record that is damaged or of another version must not keep the others waiting.
func (e *Engine) giveUp(tx Tx, now time.Time, i Instance, attempts []AttemptRow, why error) error {
	for _, a := range attempts {
		if a.Error || a.Instance != i.ID {
			continue
		}
		lost := Result{Attempt: a.ID, Outcome: OutcomeLost, Message: "its definition cannot be read any more", StartedAt: a.StartedAt, EndedAt: now}
		if _, err := tx.EndAttempt(lost, i.Fence); err != nil {
			return fmt.Errorf("end attempt %d: %w", a.ID, err)
		}
	}
	_, err := tx.Apply(Transition{Instance: i.ID, Event: Fail, From: i.State, Fence: i.Fence, At: now, Reason: Reason{Code: ReasonDefinition, Detail: why.Error()}})
	return wrap(err, "fail %s", i.Name())
}

// earlierNumbers returns how many attempts each step had before the instance last started. What a step watches is its latest attempt, which has no row yet.
func earlierNumbers(attempts []AttemptRow, watches []WatchRow, r *run) map[string]int {
	numbers := attemptNumbers(attempts)
	for _, w := range watches {
		numbers[w.Step] = max(numbers[w.Step], w.Number)
	}
	for _, row := range r.progress.Rows() {
		numbers[row.Step] -= min(numbers[row.Step], row.Attempts)
	}
	return numbers
}

// latestResults returns how the latest attempt of each step ended, of the steps none of whose attempts live.
func latestResults(attempts []AttemptRow) map[string]Result {
	number, latest := map[string]int{}, map[string]Result{}
	for _, a := range attempts {
		if a.Error || a.Number < number[a.Step] {
			continue
		}
		number[a.Step] = a.Number
		delete(latest, a.Step)
		if a.Result != nil {
			latest[a.Step] = *a.Result
		}
	}
	return latest
}

// readErrand takes a live attempt of an error action over, unless the server that carries it lives.
func (e *Engine) readErrand(tx Tx, clock time.Time, a AttemptRow, found *inheritance) error {
	if !e.mine(a.Owner) {
		if e.cfg.Shared {
			lease, err := tx.Lease(serverLease(a.Owner))
			if err != nil && !isNotFound(err) {
				return fmt.Errorf("lease of %s: %w", a.Owner, err)
			}
			if lease.Until.After(clock) {
				return nil
			}
		}
		fence, ok, err := tx.TakeErrand(a.ID, a.Fence, e.cfg.Owner)
		if err != nil || !ok {
			return wrap(errors.Join(err, unless(ok, ErrConflict)), "take over attempt %d", a.ID)
		}
		a.Fence = fence
	}
	row, err := tx.Outbox(a.Outbox)
	if err != nil {
		return fmt.Errorf("outbox row of attempt %d: %w", a.ID, err)
	}
	instance, err := tx.Instance(a.Instance)
	if err != nil {
		return fmt.Errorf("instance of attempt %d: %w", a.ID, err)
	}
	l := liveAttempt{outbox: row, fence: a.Fence, errand: &startedErrand{row: row, attempt: a.ID, number: a.Number, instance: instance}}
	if job, err := e.defs.version(tx, instance.Version); err == nil && job.ErrorAction != nil {
		l.action, l.retry, l.errand.job = job.ErrorAction.Type, job.ErrorAction.Retry, job
	}
	found.live[a.ID] = l
	return nil
}

// takeUp makes what was found part of the working set, after the commit. Attempts of another process are adopted from the Runner, and those that it
// knows nothing of are lost: the job's onLost decides. Those that never began are handed out. One that this process recorded and never handed out, because it did not learn of the commit, is
// handed out now.
func (e *Engine) takeUp(now time.Time, found *inheritance) {
	maps.Copy(e.runs, found.runs)
	maps.Copy(e.live, found.live)
	var adopt []int64
	for _, id := range slices.Sorted(maps.Keys(found.live)) {
		_, handed := e.handed[id]
		switch {
		case found.live[id].watch != nil:
			e.resume(now, found.live[id])
		case e.foreign[id]:
			adopt = append(adopt, id)
			delete(e.foreign, id)
		case !handed:
			e.handOutAgain(now, id, found)
		}
	}
	if len(adopt) > 0 {
		unknown, unbegun := adopt, []int64(nil)
		if !fault.Planted(fault.DeclaredDead) {
			unknown, unbegun = e.cfg.Runner.Adopt(adopt, e.inbox.result)
		}
		for _, id := range unbegun {
			if found.live[id].action == ActionShell {
				e.handOutAgain(now, id, found) // the same attempt: it was recorded, and its process died before it could begin it
			} else {
				unknown = append(unknown, id) // a request leaves no trace where commands are known
			}
		}
		for _, id := range unknown {
			e.inbox.result(Result{Attempt: id, Outcome: OutcomeLost, Message: "the server or the machine restarted, and nothing is known of it", StartedAt: now, EndedAt: now})
		}
		e.log.Info("adopted attempts of another process", "attempts", len(adopt), "lost", len(unknown))
	}
	for _, id := range slices.Sorted(maps.Keys(found.runs)) {
		r := found.runs[id]
		if r.instance.Cancel != nil && !fault.Planted(fault.CancelForgotten) {
			e.inbox.cancel(cancelRequest{r.instance.ID, *r.instance.Cancel})
		}
		e.advance(now, r)
	}
}

func (e *Engine) handOutAgain(now time.Time, id int64, found *inheritance) {
	l := found.live[id]
	switch {
	case l.run != nil:
		e.handOut(now, startedStep{readyStep{l.run, l.step}, id, found.numbers[id]})
	case l.errand.job != nil:
		e.handOutErrand(now, *l.errand)
	default:
		e.inbox.result(Result{Attempt: id, Outcome: OutcomeFailed, Message: "the job has no errorAction any more", StartedAt: now, EndedAt: now})
	}
}

// hastenErrands brings deliveries near that a clock which was set back has moved far away.
func (e *Engine) hastenErrands(tx Tx, now time.Time) error {
	const all = 1000
	pending, err := tx.OutboxDue(now.AddDate(100, 0, 0), all)
	if err != nil {
		return fmt.Errorf("list what is to be delivered: %w", err)
	}
	for _, row := range pending {
		if !row.NotBefore.After(now) {
			continue
		}
		instance, err := tx.Instance(row.Instance)
		if err != nil {
			return fmt.Errorf("instance of outbox row %d: %w", row.ID, err)
		}
		job, err := e.defs.version(tx, instance.Version)
		if err != nil || job.ErrorAction == nil {
			continue // startErrand says what is wrong
		}
		if latest := now.Add(job.ErrorAction.Retry.wait(row.Attempts)); row.NotBefore.After(latest) {
			row.NotBefore = latest
			if err := tx.PutOutbox(row); err != nil {
				return fmt.Errorf("record outbox row %d: %w", row.ID, err)
			}
		}
	}
	return nil
}
