package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A BackfillApplication asks for a saved plan to be carried out.
type BackfillApplication struct {
	ID          string
	At          time.Time
	Fingerprint string
	Request     BackfillRequest
	Jobs        []BackfillPlanJob // as they were planned, to say what has changed
	Actor       string
	Note        string
}

// A DriftError says that a saved plan does not hold any more, and why. It is of the kind ErrConflict.
type DriftError struct{ Changes []string }

func (e *DriftError) Error() string {
	return "the world has changed since the plan was made, so that it was not applied: " + strings.Join(e.Changes, "; ")
}

// Unwrap gives the kind.
func (e *DriftError) Unwrap() error { return ErrConflict }

// redrafts is how often a plan is made anew because what it looks at has changed meanwhile.
const redrafts = 10

// ApplyBackfill carries a saved plan out, exactly. One write transaction takes it down, with as many of its instances as there is time for. When that is
// all, the backfill runs. Otherwise it is BackfillApplying: Bulk writes the others, slice by slice, and none of them is real until the last is written.
//
// A plan that was applied before is left as it is, and created is false. One that the definitions and rows do not give any more is refused by a
// *DriftError.
func (e *Engine) ApplyBackfill(ctx context.Context, a BackfillApplication, now time.Time) (b BackfillRow, created bool, err error) {
	for try := 0; ; try++ {
		b, created, err = e.applyBackfill(ctx, a, now)
		switch {
		case errors.Is(err, errStale):
			if err = e.relearn(ctx); err == nil {
				continue
			}
		case errors.Is(err, errMoved) && try < redrafts:
			continue
		}
		break
	}
	if err != nil {
		return BackfillRow{}, false, fmt.Errorf("apply the backfill plan %s: %w", a.ID, err)
	}
	e.inbox.nudge()
	e.bulk.nudge()
	return b, created, nil
}

func (e *Engine) applyBackfill(ctx context.Context, a BackfillApplication, now time.Time) (b BackfillRow, created bool, err error) {
	var d *draft
	err = e.cfg.Store.Read(ctx, func(v View) error {
		now, err := e.viewTime(v, now)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		if a.ID != backfillID(a.Fingerprint, a.At) {
			return fmt.Errorf("%w: the plan is not as it was saved: its id does not belong to its fingerprint; plan anew", ErrInvalid)
		}
		if b, err = v.Backfill(a.ID); err == nil || !errors.Is(err, ErrNotFound) {
			return err
		}
		if a.At.After(now.Add(time.Hour)) {
			return fmt.Errorf("%w: the plan was made at %s, which is to come by this server's clock", ErrInvalid, a.At.Format(time.RFC3339))
		}
		d, err = e.redraft(v, a.Request, a.At, a.Fingerprint, a.Jobs)
		return err
	})
	if err != nil || d == nil {
		return b, false, err
	}
	made, err := newApplication(d)
	if err != nil {
		return b, false, err
	}
	if made.total == 0 {
		return b, false, fmt.Errorf("%w: no instance is in this backfill; the plan says of each why", ErrInvalid)
	}
	row := newBackfill(d, &a, made.total)
	err = e.cfg.Store.Write(ctx, func(tx Tx) error {
		created = false
		now, err := e.viewTime(tx, now)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		if b, err = tx.Backfill(a.ID); err == nil || !errors.Is(err, ErrNotFound) {
			return err // another request was first
		}
		if err := d.holds(tx); err != nil {
			return err
		}
		b = row
		b.CreatedAt = now.Truncate(time.Millisecond)
		if b.ID, err = tx.Reserve(made.total + 1); err != nil {
			return fmt.Errorf("reserve ids: %w", err)
		}
		order := &BackfillOrder{Request: a.Request, At: a.At, First: b.ID + 1}
		made.first, made.row = order.First, b
		b.Stage, b.Options.Order = BackfillApplying, order
		if err := tx.PutBackfill(b); err != nil {
			return err
		}
		if b.Written, err = made.slice(tx, 0); err != nil {
			return err
		}
		created = true
		if b.Written == made.total {
			return e.makeReal(tx, &b, b.CreatedAt)
		}
		if err := tx.PutBackfill(b); err != nil {
			return err
		}
		return recordBackfill(tx, &b, "applying, "+held(&b), Reason{Code: ReasonPerson, Actor: a.Actor, Detail: a.Note}, b.CreatedAt)
	})
	if err == nil && created && !b.Stage.Real() {
		made.written = b.Written
		e.bulk.keep(b.Key, made)
	}
	return b, created, err
}

// redraft plans anew what was planned, and refuses it by a *DriftError when it comes out otherwise.
func (e *Engine) redraft(v View, r BackfillRequest, at time.Time, fingerprint string, jobs []BackfillPlanJob) (*draft, error) {
	d, err := e.draft(v, r, at, &PlanPart{})
	if err != nil {
		if !errors.Is(err, ErrInvalid) {
			return nil, err
		}
		return nil, &DriftError{[]string{strings.ReplaceAll(strings.ReplaceAll(err.Error(), ErrInvalid.Error()+": ", ""), "\n", "; ")}}
	}
	switch p, err := d.plan(PlanPart{}); {
	case err != nil:
		return nil, err
	case p.Fingerprint != fingerprint:
		return nil, &DriftError{drift(jobs, p.Jobs)}
	}
	d.forget()
	return d, nil
}

// drift says what of the jobs has changed.
func drift(then, now []BackfillPlanJob) []string {
	var changes []string
	was := map[JobRef]BackfillPlanJob{}
	for _, j := range then {
		was[j.Ref] = j
	}
	for _, j := range now {
		old, known := was[j.Ref]
		delete(was, j.Ref)
		switch {
		case !known:
			changes = append(changes, fmt.Sprintf("%s is new in it", j.Ref))
		case old.Definition != j.Definition:
			changes = append(changes, fmt.Sprintf("%s has another definition", j.Ref))
		case old.Fingerprint != j.Fingerprint:
			changes = append(changes, fmt.Sprintf("%s has other instances, or other states of them or of what they wait for", j.Ref))
		}
	}
	for _, ref := range slices.SortedFunc(maps.Keys(was), compareRefs) {
		changes = append(changes, fmt.Sprintf("%s is no part of it any more", ref))
	}
	if changes == nil {
		changes = []string{"it was made for another request"}
	}
	return changes
}

// newBackfill is the row of a backfill that is to be applied, but for its id.
func newBackfill(d *draft, a *BackfillApplication, total int) BackfillRow {
	b := BackfillRow{Key: a.ID, Options: d.scope.options, Actor: a.Actor, Reason: Reason{Code: ReasonPerson, Actor: a.Actor, Detail: a.Note}}
	b.Options.Jobs, b.Options.Instances, b.Options.Fingerprint, b.Options.Note = d.held(), total, a.Fingerprint, a.Note
	for _, part := range b.Options.Jobs {
		if part.Asked && b.Job == 0 {
			b.Job = part.Job
		}
	}
	b.From, b.To = d.bounds()
	b.To = b.To.Add(time.Millisecond) // excluded
	return b
}

func held(b *BackfillRow) string {
	return fmt.Sprintf("%s of %s", plural(b.Options.Instances, "instance"), plural(len(b.Options.Jobs), "job"))
}

// makeReal is the commit before which nothing of a backfill is real.
func (e *Engine) makeReal(tx Tx, b *BackfillRow, now time.Time) error {
	b.Stage, b.Options.Order, b.Written = BackfillRunning, nil, 0
	if err := tx.PutBackfill(*b); err != nil {
		return err
	}
	return recordBackfill(tx, b, "applied, "+held(b), Reason{Code: ReasonPerson, Actor: b.Actor, Detail: b.Options.Note}, now)
}
