package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// An Edit changes definitions job by job, in one transaction with what their maker keeps of them. What it puts is planned from now on by the loop, at
// once after the commit; what was due before is planned by what was said then.
//
// Its jobs stand alone: only a folder, which is loaded as a whole, says what waits for what. Jobs of a folder may wait for them.
type Edit struct {
	*loading
}

// Edit runs fn, which may run twice, and makes what it has put and removed the current definitions of the source. An error of fn changes nothing.
func (e *Engine) Edit(ctx context.Context, source, actor string, now time.Time, fn func(*Edit) error) error {
	if source == "" {
		return errors.New("engine: a folder is loaded, not edited")
	}
	var l *loading
	write := func(tx Tx) error {
		if open, err := loadUnderWay(tx); err != nil || open {
			return cmp.Or(err, errStale) // nothing is to come between the slices of a load
		}
		now, err := e.viewTime(tx, now)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		l = e.loadingOf(tx, actor, now.Truncate(time.Millisecond))
		l.source = source
		return fn(&Edit{l})
	}
	err := errStale
	for n := 0; errors.Is(err, errStale) && n < loadTries; n++ {
		if errors.Is(err, errBehind) {
			if err = e.catchUp(withoutOnce(ctx), now); err != nil {
				continue
			}
		}
		if err = e.endLoads(withoutOnce(ctx), now); err == nil {
			err = e.cfg.Store.Write(ctx, write)
		}
	}
	e.inbox.nudge()
	if err != nil {
		return fmt.Errorf("edit definitions: %w", err)
	}
	for _, n := range l.notices {
		e.cfg.Observe(n)
	}
	e.bulk.nudge()
	return e.wakePaused(ctx, l.held, now)
}

// Now is the time of the edit: that from which it counts.
func (d *Edit) Now() time.Time { return d.now }

// Tx reads and writes the rows that the maker of the definitions keeps; of jobs and instances it must only be read.
func (d *Edit) Tx() Tx { return d.tx }

// Put makes the job current: new, changed, or as it was. One that was removed before is new: it counts from now. An error of kind ErrConflict says that
// the name is taken by another source, or that the clock by which a change would count is not
// believed.
func (d *Edit) Put(j *Job) (JobRow, error) {
	ref := j.Ref()
	if len(j.DependsOn) > 0 {
		return JobRow{}, fmt.Errorf("%w: the job %s waits for others, and only a folder can say so", ErrInvalid, ref)
	}
	row, err := d.row(ref)
	known := err == nil
	if err != nil && !errors.Is(err, ErrNotFound) {
		return JobRow{}, err
	}
	if known {
		if err := d.compare(row, j); err != nil {
			return JobRow{}, err
		}
		if row = d.rows[ref]; d.same[ref] && !row.Removed && row.Disabled == j.Disabled {
			return row, nil
		}
		if err := d.e.errClock(); err != nil {
			return JobRow{}, err
		}
		if err := d.leave(row); err != nil {
			return JobRow{}, err
		}
	} else if err := d.e.errClock(); err != nil {
		return JobRow{}, err
	}
	if err := d.put(j); err != nil {
		return JobRow{}, err
	}
	return d.rows[ref], d.planDependents(d.rows[ref])
}

// Remove takes a job of the source out of the definitions; ErrNotFound when there is none, and
// ErrConflict while the clock is not believed.
func (d *Edit) Remove(ref JobRef) error {
	row, err := d.row(ref)
	if err == nil && row.Removed {
		err = fmt.Errorf("job %s: %w", ref, ErrNotFound)
	}
	if err == nil {
		err = d.e.errClock()
	}
	if err != nil {
		return err
	}
	if err := d.leave(row); err != nil {
		return err
	}
	if err := d.remove(d.rows[ref]); err != nil {
		return err
	}
	return d.planDependents(d.rows[ref])
}

// row reads the row of a job that this source may change.
func (d *Edit) row(ref JobRef) (JobRow, error) {
	row, err := d.tx.JobByRef(ref)
	if err != nil {
		return row, err
	}
	if row.Source != d.source && !row.Removed {
		return row, fmt.Errorf("%w: the job %s is not made here: %s", ErrConflict, ref, sourceInWords(row.Source))
	}
	d.rows[ref] = row
	return row, nil
}

func sourceInWords(source string) string {
	if source == "" {
		return "it stands in the folder that the server has loaded"
	}
	return "it was made by way of " + source
}

// compare finds out whether the definition is the recorded one. A job that comes back is another than the one that was removed.
func (d *Edit) compare(row JobRow, j *Job) error {
	if row.Removed {
		row.CreatedAt, row.PlannedTo = d.now, time.Time{}
		d.rows[row.Ref] = row
		return nil
	}
	version, err := d.tx.Version(row.Version)
	if err != nil {
		return fmt.Errorf("read the version of %s: %w", row.Ref, err)
	}
	d.same[row.Ref] = sameDefinition(&version, j)
	return nil
}

// leave writes down what was due by the definition that is left, and takes back what it has planned beyond now.
func (d *Edit) leave(row JobRow) error {
	if row.Removed {
		return nil
	}
	if err := d.planPast([]JobRow{row}); err != nil {
		return err
	}
	return d.planAgain(d.rows[row.Ref])
}

// planAgain takes back what of a job is planned beyond now and not looked at, and its watermark with it: the loop goes on from there.
func (d *Edit) planAgain(row JobRow) error {
	if !row.PlannedTo.After(d.now) {
		return nil
	}
	if _, err := d.tx.DeleteUnstarted(row.ID, d.now); err != nil {
		return fmt.Errorf("plan %s anew: %w", row.Ref, err)
	}
	row.leave()
	row.PlannedTo = d.now.In(row.PlannedTo.Location())
	err := d.putJob(&row)
	d.rows[row.Ref] = row
	return wrap(err, "move the watermark of %s", row.Ref)
}

// planDependents has the jobs planned anew that wait for a changed one, since its plan times are others.
func (d *Edit) planDependents(row JobRow) error {
	dependents, err := d.tx.Dependents(row.ID)
	if err != nil {
		return fmt.Errorf("list what waits for %s: %w", row.Ref, err)
	}
	for _, dependent := range dependents {
		if dependent.Removed || dependent.Disabled {
			continue
		}
		if err := d.planAgain(dependent); err != nil {
			return err
		}
	}
	return d.e.wakeDependents(d.tx, row, d.now)
}
