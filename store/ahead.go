package store

import (
	"fmt"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

const (
	pausesSQL   = `SELECT workflow, job, since, until, resumed, missed, actor, note FROM pause ORDER BY workflow, job, since`
	putPauseSQL = `INSERT INTO pause (workflow, job, since, until, resumed, missed, actor, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (workflow, job, since) DO UPDATE SET until = excluded.until, resumed = excluded.resumed, missed = excluded.missed, actor = excluded.actor,
		note = excluded.note`
	wakePausedSQL = `UPDATE instance SET wake = ? WHERE id IN (SELECT id FROM instance WHERE state = 'waiting' AND gate <> 'time' AND gate = 'frozen' AND job = ?
		AND (wake IS NULL OR wake > ?) ORDER BY priority DESC, plan_time, id LIMIT CAST(? AS INTEGER))`

	overrideColumns = `SELECT job, plan_time, plan_offset, frozen, priority, not_before, actor, note, at FROM override `
	overridesOfSQL  = overrideColumns + `WHERE job = ? AND plan_time >= ? AND plan_time < ? ORDER BY plan_time, job LIMIT CAST(? AS INTEGER)`
	overridesSQL    = overrideColumns + `WHERE plan_time >= ? AND plan_time < ? ORDER BY plan_time, job LIMIT CAST(? AS INTEGER)`
	putOverrideSQL  = `INSERT INTO override (job, plan_time, plan_offset, frozen, priority, not_before, actor, note, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (job, plan_time) DO UPDATE SET plan_offset = excluded.plan_offset, frozen = excluded.frozen, priority = excluded.priority,
		not_before = excluded.not_before, actor = excluded.actor, note = excluded.note, at = excluded.at`
	dropOverrideSQL = `DELETE FROM override WHERE job = ? AND plan_time = ?`
	setOverrideSQL  = `UPDATE instance SET frozen = ?, priority = ?, not_before = ?, wake = ? WHERE id = ? AND key = '' AND kind = 'scheduled' AND gate = 'time'
		AND confirmed = '' AND touched = 0 AND (frozen <> ? OR priority <> ? OR not_before <> ?)` + touchWaiting
)

// Pauses lists every pause. One transaction reads them once.
func (v *view) Pauses() ([]engine.PauseRow, error) {
	if v.pauses != nil {
		return *v.pauses, nil
	}
	var list []engine.PauseRow
	err := v.s.query(pausesSQL, func(c *columns) error {
		list = append(list, engine.PauseRow{
			Workflow: c.text(), Job: c.text(), Since: c.utc(), Until: c.utc(), Resumed: c.utc(), Missed: engine.Missed(c.text()), Actor: c.text(), Note: c.text(),
		})
		return nil
	})
	if err == nil {
		list = slices.Clip(list)
		v.pauses = &list
	}
	return list, err
}

// PutPause inserts the pause or replaces that of the same workflow, job and Since.
func (t *tx) PutPause(p engine.PauseRow) error {
	t.pauses = nil
	_, err := t.s.exec(putPauseSQL, p.Workflow, p.Job, p.Since.UnixMilli(), ms(p.Until), ms(p.Resumed), string(p.Missed), p.Actor, p.Note)
	if err != nil {
		return fmt.Errorf("record the pause of %s: %w", p.Name(), err)
	}
	return nil
}

// WakePaused lets be looked at what a pause may hold of the job.
func (t *tx) WakePaused(job int64, at time.Time, limit int) (int, error) {
	n, err := t.s.exec(wakePausedSQL, at.UnixMilli(), job, at.UnixMilli(), limit)
	if err != nil {
		return 0, fmt.Errorf("wake what is paused of job %d: %w", job, err)
	}
	return n, nil
}

// Overrides lists what was ordered of due times.
func (v *view) Overrides(job int64, from, to time.Time, limit int) (list []engine.OverrideRow, err error) {
	first, end := bounds(from, to)
	take := func(c *columns) error {
		list = append(list, engine.OverrideRow{
			Job: c.int(), PlanTime: c.zoned(), Frozen: c.bool(), Priority: int(c.int()), NotBefore: c.utc(), Actor: c.text(), Note: c.text(), At: c.utc(),
		})
		return nil
	}
	if job == 0 {
		return list, v.s.query(overridesSQL, take, first, end, limit)
	}
	err = v.s.query(overridesOfSQL, take, job, first, end, limit)
	return list, err
}

// PutOverride inserts the override or replaces that of the same job and plan time; an empty one is removed.
func (t *tx) PutOverride(o engine.OverrideRow) error {
	var err error
	if o.Empty() {
		_, err = t.s.exec(dropOverrideSQL, o.Job, o.PlanTime.UnixMilli())
	} else {
		_, err = t.s.exec(putOverrideSQL, o.Job, o.PlanTime.UnixMilli(), offset(o.PlanTime), o.Frozen, int64(o.Priority), ms(o.NotBefore), o.Actor, o.Note,
			o.At.UnixMilli())
	}
	if err != nil {
		return fmt.Errorf("record the order for job %d at %s: %w", o.Job, o.PlanTime.Format(time.RFC3339), err)
	}
	return nil
}

// SetOverride makes an instance that was never looked at as an override says.
func (t *tx) SetOverride(instance int64, frozen bool, priority int, notBefore time.Time) (bool, error) {
	at, ok := notBefore.UnixMilli(), false
	var i identity
	err := t.s.change(setOverrideSQL, func(c *columns) error {
		ok, i = true, identity{c.int(), c.text(), c.int()}
		return nil
	}, frozen, priority, at, at, instance, frozen, priority, at)
	if err != nil || !ok {
		return false, err
	}
	return true, t.wakeWaiters(i)
}
