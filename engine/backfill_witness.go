package engine

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// mostMoved is how much may have happened since a look at the rows for it to be held against that, one by one.
const mostMoved = 2000

// holds reports, in the transaction that is to carry a draft out, whether the rows that it was made of are as they were: errStale when the definitions are
// not, and errMoved when something has happened at a place that it looked at. Planning is long, and this is short.
func (d *draft) holds(tx Tx) error {
	if revision, err := tx.Revision(); err != nil || revision != d.revision {
		return errors.Join(err, unless(revision == d.revision, errStale))
	}
	now, err := tx.Witness()
	if err != nil {
		return fmt.Errorf("find out what has happened since the plan was made: %w", err)
	}
	if now.Pruned != d.witness.Pruned || !slices.Equal(now.Applying, d.witness.Applying) {
		return errMoved
	}
	moved, err := tx.MovedSince(d.witness, mostMoved)
	if err != nil {
		return fmt.Errorf("find out what has happened since the plan was made: %w", err)
	}
	if len(moved) == mostMoved || slices.ContainsFunc(moved, d.looked) {
		return errMoved
	}
	return nil
}

// looked reports whether the draft has looked at what is recorded of a place.
func (d *draft) looked(at JobTime) bool {
	return slices.ContainsFunc(d.spans[at.Job], func(w window) bool { return !at.PlanTime.Before(w.from) && !at.PlanTime.After(w.to) })
}

// stands reports whether the jobs of a draft are those that it was made of: what is written of a backfill has one definition for each. A *DriftError says
// which is not.
func (d *draft) stands(tx Tx) error {
	revision, err := tx.Revision()
	if err != nil || revision == d.revision {
		return err
	}
	rows, err := tx.JobsSince(d.revision)
	if err != nil {
		return fmt.Errorf("read what is new of the jobs: %w", err)
	}
	var changes []string
	for n := range rows {
		if was, part := d.involved[rows[n].ID]; part && (was != rows[n].Version || rows[n].Removed || rows[n].Disabled) {
			changes = append(changes, fmt.Sprintf("%s was changed while the plan was being applied", rows[n].Ref))
		}
	}
	if changes != nil {
		return &DriftError{changes}
	}
	return nil
}

// involve notes which jobs a draft depends on, by the version that it was made of.
func (d *draft) involve() {
	d.involved = map[int64]int64{}
	for _, part := range d.parts {
		d.involved[part.row.ID] = part.row.Version
		for n := range part.job.DependsOn {
			if up := d.e.defs.lookup(part.job.DependsOn[n].Job); up != nil {
				d.involved[up.row.ID] = up.row.Version
			}
		}
	}
}

// span notes that a draft looks at what is recorded of a job.
func (d *draft) span(job int64, from, to time.Time) {
	d.spans[job] = append(d.spans[job], window{from, to})
}
