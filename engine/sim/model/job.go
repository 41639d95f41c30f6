package model

import (
	"fmt"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/fault"
)

func (t *tx) Reserve(n int) (int64, error) {
	if n < 1 {
		return 0, fmt.Errorf("%w: reserve %d ids", engine.ErrInvalid, n)
	}
	if t.broken != nil {
		return 0, t.broken
	}
	first := t.s.counters[counterIDs]
	set(t, (*state).putCounter, counterIDs, first+int64(n))
	return first, nil
}

func (t *tx) PutJob(j engine.JobRow) error {
	if t.broken != nil {
		return t.broken
	}
	if j.Ref.Workflow == "" || j.Ref.Job == "" {
		return t.refuse(fmt.Errorf("job %d: %w: a name is empty", j.ID, ErrConstraint))
	}
	if other, ok := t.s.jobNamed(j.Ref); ok && other.ID != j.ID {
		return t.refuse(fmt.Errorf("job %d: %w: job %d is %s", j.ID, ErrConstraint, other.ID, j.Ref))
	}
	if !j.CreatedAt.IsZero() {
		j.CreatedAt = utc(j.CreatedAt)
	}
	if !j.RowsTo.IsZero() {
		j.RowsTo = utc(j.RowsTo)
	}
	if !j.CountFrom.IsZero() {
		j.CountFrom = utc(j.CountFrom)
	}
	if old := t.s.jobs[j.ID]; old != nil && !old.CreatedAt.Equal(j.CreatedAt) && t.s.countedGone[j.ID] != nil {
		set(t, (*state).putCountedGone, j.ID, nil) // it is another job
	}
	j.PlannedTo = zoned(j.PlannedTo)
	t.revise()
	revision := t.s.counters[counterRevision]
	j.Revision = revision
	set(t, (*state).putJob, j.ID, &j)
	set(t, (*state).putRevision, j.ID, &revision)
	return nil
}

// revise records that the definitions are not what they were.
func (t *tx) revise() {
	set(t, (*state).putCounter, counterRevision, t.s.counters[counterRevision]+1)
}

func (s *state) jobNamed(ref engine.JobRef) (*engine.JobRow, bool) {
	for k := range s.jobNames.from(jobName{ref, least}) {
		return s.jobs[k.id], k.JobRef == ref
	}
	return nil, false
}

func (t *tx) PutVersion(v engine.VersionRow) error {
	if t.broken != nil {
		return t.broken
	}
	switch {
	case t.s.versions[v.ID] != nil:
		return t.refuse(fmt.Errorf("version %d: %w: it exists, and is immutable", v.ID, ErrConstraint))
	case t.s.jobs[v.Job] == nil:
		return t.refuse(fmt.Errorf("version %d: %w: there is no job %d", v.ID, ErrConstraint, v.Job))
	}
	if v.Definition = slices.Clone(v.Definition); len(v.Definition) == 0 {
		v.Definition = nil
	}
	if !v.CreatedAt.IsZero() {
		v.CreatedAt = utc(v.CreatedAt)
	}
	set(t, (*state).putVersion, v.ID, &v)
	t.revise()
	return nil
}

func (t *tx) PutZoneRules(zone, rules string) error {
	if t.broken != nil {
		return t.broken
	}
	if zone == "" {
		return t.refuse(fmt.Errorf("rules of a time zone: %w: its name is empty", ErrConstraint))
	}
	set(t, (*state).putZone, zone, &rules)
	return nil
}

// SetPlannedTo moves the watermark and makes due at once what watches an instance that is planned by now: the time of what watches has passed.
func (t *tx) SetPlannedTo(job int64, from, to time.Time) (bool, error) {
	if t.broken != nil {
		return false, t.broken
	}
	row := t.s.jobs[job]
	at := time.Time{}
	if row != nil {
		at = row.PlannedTo
	}
	if (at.IsZero() != from.IsZero() || !from.IsZero() && at.UnixMilli() != from.UnixMilli()) && !fault.Planted(fault.PlanMarkRace) {
		return false, nil
	}
	if row != nil {
		moved := *row
		moved.PlannedTo = zoned(to)
		set(t, (*state).putJob, job, &moved)
	} else if !to.IsZero() {
		return false, t.refuse(fmt.Errorf("plan job %d: %w: there is no such job", job, ErrConstraint))
	}
	if to.IsZero() {
		return true, nil
	}
	var watchers []int64
	for k := range t.s.watch.from(place{job: job, at: least, id: least}) {
		if k.job != job || k.at >= to.UnixMilli() {
			break
		}
		watchers = append(watchers, k.id)
	}
	for _, id := range watchers {
		if i := t.s.instances[id]; !i.woken() {
			t.setWake(i, i.NotBefore.UnixMilli())
		}
	}
	return true, nil
}

// setWake changes when a waiting instance is looked at.
func (t *tx) setWake(i *instance, at int64) {
	c := i.change()
	c.wake = at
	set(t, (*state).putInstance, i.ID, c)
}
