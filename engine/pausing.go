package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// A PauseRequest asks that nothing of a job, or of a workflow, starts.
type PauseRequest struct {
	Workflow string
	Job      string    // "" is the whole workflow
	Until    time.Time // zero is until somebody resumes it
	Missed   Missed    // what becomes of what was due meanwhile; "" is as the misfire of each job says
	Actor    string
	Note     string
}

func (r *PauseRequest) name() string {
	asked := PauseRow{Workflow: r.Workflow, Job: r.Job}
	return asked.Name()
}

// Pause holds a job or a workflow back from now on. Instances of it are planned as ever and wait; what runs goes on. Pausing what is paused changes its end,
// its note and what becomes of what is missed. Errors are of kind ErrInvalid or ErrNotFound.
func (e *Engine) Pause(ctx context.Context, r PauseRequest, now time.Time) (PauseRow, error) {
	if r.Missed != "" && !slices.Contains(MissedPolicies, r.Missed) {
		return PauseRow{}, fmt.Errorf("%w: %w", ErrInvalid, oneOf("policy for what is missed", string(r.Missed), MissedPolicies))
	}
	var row PauseRow
	var of []JobRow
	err := e.cfg.Store.Write(ctx, func(tx Tx) error {
		now, err := e.viewTime(tx, now)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		now = now.Truncate(time.Millisecond)
		if !r.Until.IsZero() && !r.Until.After(now) {
			return fmt.Errorf("%w: the end %s of the pause is not after now, %s", ErrInvalid, r.Until.Format(time.RFC3339), now.Format(time.RFC3339))
		}
		if of, err = pausable(tx, r.Workflow, r.Job, false); err != nil {
			return err
		}
		row = PauseRow{Workflow: r.Workflow, Job: r.Job, Since: now}
		old, err := pauseOf(tx, r.Workflow, r.Job, now)
		if err != nil {
			return err
		}
		if old != nil {
			row.Since = old.Since
		}
		row.Until, row.Missed, row.Actor, row.Note = r.Until.Truncate(time.Millisecond), r.Missed, cmp.Or(r.Actor, "unknown"), r.Note
		if err := tx.PutPause(row); err != nil {
			return err
		}
		detail := row.Name() + " is paused"
		if !row.Until.IsZero() {
			detail += " until " + row.Until.UTC().Format(time.RFC3339)
		}
		if row.Missed != "" {
			detail += "; missed: " + string(row.Missed)
		}
		return recordPause(tx, "pause", of, &row, row.Actor, detail, row.Note, now)
	})
	if err != nil {
		return PauseRow{}, fmt.Errorf("pause %s: %w", r.name(), err)
	}
	return row, e.wakePaused(ctx, of, now) // the end may be an earlier one now
}

// Resume lets what is paused go on, also what was removed from the definitions meanwhile: what was
// due of it runs by the version that it was planned with. What of a workflow's job is paused by itself
// stays so. Errors are of kind ErrNotFound or ErrConflict (it is not paused).
func (e *Engine) Resume(ctx context.Context, r PauseRequest, now time.Time) (PauseRow, error) {
	var row PauseRow
	var of []JobRow
	err := e.cfg.Store.Write(ctx, func(tx Tx) error {
		now, err := e.viewTime(tx, now)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		now = now.Truncate(time.Millisecond)
		old, err := pauseOf(tx, r.Workflow, r.Job, now)
		if err != nil {
			return err
		}
		if of, err = pausable(tx, r.Workflow, r.Job, old != nil); err != nil {
			return err
		}
		if old == nil {
			return notPaused(tx, r, now)
		}
		row = *old
		row.Resumed = now
		if r.Missed != "" {
			row.Missed = r.Missed
		}
		if err := tx.PutPause(row); err != nil {
			return err
		}
		actor := cmp.Or(r.Actor, "unknown")
		return recordPause(tx, "resume", of, &row, actor, row.Name()+" goes on", r.Note, now)
	})
	if err != nil {
		return PauseRow{}, fmt.Errorf("resume %s: %w", r.name(), err)
	}
	return row, e.wakePaused(ctx, of, now)
}

// Paused lists what is paused now.
func (e *Engine) Paused(ctx context.Context, now time.Time) (list []PauseRow, err error) {
	err = e.cfg.Store.Read(ctx, func(v View) error {
		now, err := e.viewTime(v, now)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		all, err := v.Pauses()
		list = slices.DeleteFunc(slices.Clone(all), func(p PauseRow) bool { return !p.Active(now) })
		return err
	})
	return list, wrap(err, "list what is paused")
}

// pausable lists the jobs that are meant, which must be there, or have been.
func pausable(v View, workflow, job string, removed bool) (of []JobRow, err error) {
	all, err := v.Jobs()
	if err != nil {
		return nil, fmt.Errorf("list the jobs: %w", err)
	}
	var known []string
	for _, row := range all {
		if row.Removed && !removed {
			continue
		}
		if row.Ref.Workflow == workflow && (job == "" || row.Ref.Job == job) {
			of = append(of, row)
		}
		if known = append(known, row.Ref.Workflow); job != "" {
			known = append(known, row.Ref.String())
		}
	}
	if len(of) > 0 {
		return of, nil
	}
	asked := PauseRow{Workflow: workflow, Job: job}
	text := "there is no workflow " + workflow
	if job != "" {
		text = "there is no job " + asked.Name()
	}
	if near := Nearest(asked.Name(), known); near != "" {
		text += "; did you mean " + near + "?"
	}
	return nil, fmt.Errorf("%w: %s", ErrNotFound, text)
}

// pauseOf finds the active pause of exactly the job, or of exactly the workflow; nil when there is none.
func pauseOf(v View, workflow, job string, now time.Time) (*PauseRow, error) {
	all, err := v.Pauses()
	if err != nil {
		return nil, fmt.Errorf("read what is paused: %w", err)
	}
	for n := range all {
		if p := &all[n]; p.Workflow == workflow && p.Job == job && p.Active(now) {
			return p, nil
		}
	}
	return nil, nil //nolint:nilnil // there is none
}

// notPaused says what would have to be resumed instead.
func notPaused(v View, r PauseRequest, now time.Time) error {
	all, err := v.Pauses()
	if err != nil {
		return err
	}
	if p := ActivePause(all, JobRef{r.Workflow, r.Job}, now); p != nil {
		return fmt.Errorf("%w: it is paused with its workflow; resume %s", ErrConflict, p.Name())
	}
	return fmt.Errorf("%w: it is not paused", ErrConflict)
}

// recordPause writes a line of history for each job that is meant, or one for the workflow of many.
func recordPause(tx Tx, kind string, of []JobRow, p *PauseRow, actor, detail, note string, now time.Time) error {
	if note != "" {
		detail += ": " + note
	}
	event := EventRow{At: now, Kind: kind, Actor: actor, Reason: Reason{Code: ReasonPerson, Actor: actor, Detail: detail}}
	if p.Job != "" {
		event.Job = of[0].ID
	}
	return wrap(tx.Record(event), "record the %s of %s", kind, p.Name())
}

// wakeSlice is how many paused instances are woken in one transaction.
const wakeSlice = 500

// wakePaused has everything looked at that a pause may hold of the jobs, a slice of it at a time. Should the process die before the end, the rest is looked at
// within pausedLook.
func (e *Engine) wakePaused(ctx context.Context, of []JobRow, now time.Time) error {
	e.inbox.nudge()
	for len(of) > 0 {
		var rest []JobRow
		err := e.cfg.Store.Write(ctx, func(tx Tx) error {
			at, err := e.viewTime(tx, now)
			if err != nil {
				return err
			}
			rest = of
			for left := wakeSlice; len(rest) > 0 && left > 0; {
				n, err := tx.WakePaused(rest[0].ID, at, left)
				if err != nil {
					return err
				}
				if left -= n; left > 0 {
					rest = rest[1:]
				}
			}
			return nil
		})
		if err != nil {
			if errors.Is(err, context.Canceled) {
				return nil // what was asked for is recorded
			}
			return fmt.Errorf("wake what was paused: %w", err)
		}
		of = rest
		e.inbox.nudge()
	}
	return nil
}
