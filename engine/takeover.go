package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// takeOver rebuilds the working set from rows: the instances that run, their steps, and the attempts that live. Attempts of an earlier
// process are adopted from the Runner; those that it knows nothing of are lost, and the job's onLost decides.
func (e *Engine) takeOver(ctx context.Context, now time.Time) error {
	if err := e.renew(ctx, now); err != nil {
		return fmt.Errorf("take the lease: %w", err)
	}
	e.renewAt = now.Add(leaseRenewal)
	var runs map[int64]*run
	var live map[int64]liveAttempt
	err := e.cfg.Store.Write(ctx, func(tx Tx) error {
		runs, live = map[int64]*run{}, map[int64]liveAttempt{}
		return e.readRunning(tx, now, runs, live)
	})
	if err != nil {
		return fmt.Errorf("take over what runs: %w", err)
	}
	e.runs, e.live = runs, live
	ids := slices.Sorted(maps.Keys(live))
	unknown := e.cfg.Runner.Adopt(ids, e.inbox.result)
	for _, id := range unknown {
		e.inbox.result(Result{Attempt: id, Outcome: OutcomeLost, Message: "the server or the machine restarted, and nothing is known of it", StartedAt: now, EndedAt: now})
	}
	if len(ids) > 0 {
		e.log.Info("adopted attempts of an earlier process", "attempts", len(ids), "lost", len(unknown))
	}
	for _, id := range slices.Sorted(maps.Keys(runs)) {
		r := runs[id]
		if r.instance.Cancel != nil {
			e.inbox.cancel(cancelRequest{r.instance.ID, *r.instance.Cancel})
		}
		e.advance(now, r)
	}
	return nil
}

func (e *Engine) readRunning(tx Tx, now time.Time, runs map[int64]*run, live map[int64]liveAttempt) error {
	instances, err := tx.Running()
	if err != nil {
		return err
	}
	for _, i := range instances {
		if i.State != Running {
			continue // lost: a person decides
		}
		job, err := e.defs.version(tx, i.Version)
		if err != nil {
			return fmt.Errorf("definition of %s: %w", i.Name(), err)
		}
		fence, ok, err := tx.TakeOver(i.ID, i.Fence, e.cfg.Owner, now.Add(leaseTerm))
		if err != nil || !ok {
			return wrap(err, "take over %s", i.Name())
		}
		i.Fence, i.Owner = fence, e.cfg.Owner
		runs[i.ID] = &run{instance: i, job: job, attempts: map[int64]int{}}
	}
	attempts, err := tx.Live()
	if err != nil {
		return err
	}
	running := map[int64]map[string]bool{}
	for _, a := range attempts {
		if !a.Error && runs[a.Instance] != nil {
			if running[a.Instance] == nil {
				running[a.Instance] = map[string]bool{}
			}
			running[a.Instance][a.Step] = true
		}
	}
	for id, r := range runs {
		steps, err := tx.Steps(id)
		if err != nil {
			return fmt.Errorf("steps of %s: %w", r.instance.Name(), err)
		}
		if len(steps) == 0 && !r.stored() && running[id][""] {
			steps = []StepRow{{State: StepRunning, Attempts: 1}}
		}
		for n := range steps {
			if steps[n].State == StepRunning && !running[id][steps[n].Step] {
				steps[n].State = StepWaiting // its attempt ended without it: cannot happen in one transaction, and is harmless so
			}
		}
		r.progress = NewProgress(r.job, steps)
		if r.numbers, err = earlierNumbers(tx, r); err != nil {
			return err
		}
	}
	for _, a := range attempts {
		switch r := runs[a.Instance]; {
		case a.Error:
			if err := e.readErrand(tx, a, live); err != nil {
				return err
			}
		case r != nil:
			step := r.progress.Index(a.Step)
			if step < 0 {
				continue
			}
			r.attempts[a.ID] = step
			live[a.ID] = liveAttempt{run: r, step: step, action: r.job.Steps[step].Action.Type}
		}
	}
	return nil
}

// earlierNumbers returns how many attempts each step had before the instance last started.
func earlierNumbers(v View, r *run) (map[string]int, error) {
	numbers, err := attemptNumbers(v, r.instance.ID)
	if err != nil {
		return nil, err
	}
	for _, row := range r.progress.Rows() {
		numbers[row.Step] -= min(numbers[row.Step], row.Attempts)
	}
	return numbers, nil
}

func (e *Engine) readErrand(tx Tx, a AttemptRow, live map[int64]liveAttempt) error {
	row, err := tx.Outbox(a.Outbox)
	if err != nil {
		return fmt.Errorf("outbox row of attempt %d: %w", a.ID, err)
	}
	instance, err := tx.Instance(a.Instance)
	if err != nil {
		return fmt.Errorf("instance of attempt %d: %w", a.ID, err)
	}
	l := liveAttempt{outbox: row}
	if job, err := e.defs.version(tx, instance.Version); err == nil && job.ErrorAction != nil {
		l.action, l.retry = job.ErrorAction.Type, job.ErrorAction.Retry
	}
	live[a.ID] = l
	return nil
}
