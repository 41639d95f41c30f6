package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A pauseKey is the identity of a pause, an overrideKey that of an override.
type (
	pauseKey struct {
		workflow, job string
		since         int64
	}
	overrideKey struct{ job, at int64 }
)

func (s *state) putPause(key pauseKey, row *engine.PauseRow) *engine.PauseRow {
	return put(s.pauses, key, row)
}

func (s *state) putOverride(key overrideKey, row *engine.OverrideRow) *engine.OverrideRow {
	return put(s.overrides, key, row)
}

func (v *view) Pauses() ([]engine.PauseRow, error) {
	return pick(v, v.s.pauses, -1, func(*engine.PauseRow) bool { return true }, func(a, b *engine.PauseRow) int {
		return cmp.Or(strings.Compare(a.Workflow, b.Workflow), strings.Compare(a.Job, b.Job), a.Since.Compare(b.Since))
	})
}

func (t *tx) PutPause(p engine.PauseRow) error {
	p.Since, p.Until, p.Resumed = utc(p.Since), utc(p.Until), utc(p.Resumed)
	switch {
	case t.broken != nil:
		return t.broken
	case p.Workflow == "" || p.Actor == "" || !p.Until.IsZero() && !p.Until.After(p.Since) || !p.Resumed.IsZero() && p.Resumed.Before(p.Since),
		p.Missed != "" && !slices.Contains(engine.MissedPolicies, p.Missed):
		return t.refuse(fmt.Errorf("the pause of %s: %w", p.Name(), ErrConstraint))
	}
	set(t, (*state).putPause, pauseKey{p.Workflow, p.Job, p.Since.UnixMilli()}, &p)
	return nil
}

func (t *tx) WakePaused(job int64, at time.Time, limit int) (int, error) {
	if t.broken != nil {
		return 0, t.broken
	}
	var held []*instance
	for id := range idsInJob(t.s.waiting, job, least) {
		if i := t.s.instances[id]; i.Gate == engine.GateFrozen && i.wake > at.UnixMilli() {
			held = append(held, i)
		}
	}
	slices.SortFunc(held, func(a, b *instance) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), a.PlanTime.Compare(b.PlanTime), cmp.Compare(a.ID, b.ID))
	})
	held = held[:min(limit, len(held))]
	for _, was := range held {
		i := was.change()
		i.wake = at.UnixMilli()
		set(t, (*state).putInstance, i.ID, i)
	}
	return len(held), nil
}

func (v *view) Overrides(job int64, from, to time.Time, limit int) ([]engine.OverrideRow, error) {
	return pick(v, v.s.overrides, limit, func(o *engine.OverrideRow) bool { return (job == 0 || o.Job == job) && within(o.PlanTime, from, to) },
		func(a, b *engine.OverrideRow) int {
			return cmp.Or(a.PlanTime.Compare(b.PlanTime), cmp.Compare(a.Job, b.Job))
		})
}

func (t *tx) PutOverride(o engine.OverrideRow) error {
	o.PlanTime, o.NotBefore, o.At = zoned(o.PlanTime), utc(o.NotBefore), utc(o.At)
	key := overrideKey{o.Job, o.PlanTime.UnixMilli()}
	switch {
	case t.broken != nil:
		return t.broken
	case o.Empty():
		set(t, (*state).putOverride, key, nil)
		return nil
	case o.Actor == "" || o.Priority < 0 || o.Priority > highest || t.s.jobs[o.Job] == nil:
		return t.refuse(fmt.Errorf("the order for job %d: %w", o.Job, ErrConstraint))
	}
	set(t, (*state).putOverride, key, &o)
	return nil
}

func (t *tx) SetOverride(id int64, frozen bool, priority int, notBefore time.Time) (bool, error) {
	if t.broken != nil {
		return false, t.broken
	}
	was := t.s.instances[id]
	switch {
	case was == nil || was.State != engine.Waiting || was.Kind != engine.Scheduled || was.Gate != engine.GateTime || was.Confirmed != "" || was.Touched,
		was.Frozen == frozen && was.Priority == priority && was.NotBefore.UnixMilli() == notBefore.UnixMilli():
		return false, nil
	}
	i := was.change()
	i.Frozen, i.Priority, i.NotBefore, i.wake = frozen, priority, i.inItsZone(notBefore), notBefore.UnixMilli()
	set(t, (*state).putInstance, id, i)
	t.wakeWaiters(i.identity())
	return true, nil
}
