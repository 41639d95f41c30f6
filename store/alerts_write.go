package store

import (
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

const (
	putWatch        = `INSERT INTO alert_watch (instance, at, deadline) VALUES `
	replace         = ` ON CONFLICT (instance) DO UPDATE SET at = excluded.at, deadline = excluded.deadline`
	watchTroubleSQL = putWatch + `(?, ?, NULL) ON CONFLICT (instance) DO UPDATE SET at = min(at, excluded.at)`
	dropWatch       = `DELETE FROM alert_watch WHERE instance = ?`
	troubleSQL      = `SELECT 1 FROM incident WHERE closed_at IS NULL LIMIT 1`
	// What ends well is looked at when its job is in trouble.
	watchGoodSQL = `INSERT INTO alert_watch (instance, at, deadline) SELECT ?, ?, NULL
		WHERE EXISTS (SELECT 1 FROM incident_member WHERE job = ? AND resolved_at IS NULL AND kind <> 'blocked')
		ON CONFLICT (instance) DO UPDATE SET at = min(at, excluded.at)`

	putIncidentSQL = `INSERT INTO incident (id, cause, instance, job, key, plan_time, plan_offset, kind, reason, opened_at, look_at, blocked, told, acked_at,
		acked_by, note, closed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, reason = excluded.reason, look_at = excluded.look_at, blocked = excluded.blocked,
		told = excluded.told, acked_at = excluded.acked_at, acked_by = excluded.acked_by, note = excluded.note, closed_at = excluded.closed_at`
	putMemberSQL = `INSERT INTO incident_member (incident, instance, job, plan_time, plan_offset, kind, since, resolved_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (incident, instance) DO UPDATE SET kind = excluded.kind, since = excluded.since, resolved_at = excluded.resolved_at`
	resolveSQL     = `UPDATE incident_member INDEXED BY incident_member_open SET resolved_at = ? WHERE incident = ? AND resolved_at IS NULL AND kind <> 'blocked'`
	putDeliverySQL = `INSERT INTO delivery (id, incident, cause, sink, class, body, not_before, attempts, state, reason, created_at, ended_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET body = iif(attempts = 0, excluded.body, body), not_before = excluded.not_before, attempts = excluded.attempts, state = excluded.state, reason = excluded.reason,
		ended_at = excluded.ended_at`

	prunableIncidentsSQL = `SELECT id FROM incident WHERE closed_at IS NOT NULL AND closed_at < ?
		AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.incident = incident.id AND d.state = 'pending') ORDER BY closed_at, id LIMIT CAST(? AS INTEGER)`
	pruneTestsSQL = `DELETE FROM delivery WHERE id IN (SELECT id FROM delivery WHERE incident IS NULL AND ended_at IS NOT NULL AND ended_at < ?
		ORDER BY ended_at, id LIMIT CAST(? AS INTEGER))`
)

const pruneMembersSQL = `DELETE FROM incident_member WHERE (incident, instance) IN
	(SELECT incident, instance FROM incident_member WHERE incident = ? ORDER BY instance LIMIT CAST(? AS INTEGER))`

// pruneMembers is how many members are removed between two looks at the time.
const pruneMembers = 200

var pruneIncidentSQL = []string{
	`DELETE FROM incident_count WHERE incident = ?`, `DELETE FROM delivery WHERE incident = ?`, `DELETE FROM incident WHERE id = ?`,
}

var putWatchesSQL = [2]string{putWatch + `(?, ?, ?)` + replace, putWatch + repeat(`(?, ?, ?)`, insertBatch) + replace}

// watch has an instance that has changed its state looked at for an alert: one that failed, is lost or was cancelled; one that ended well while
// something of its job is in trouble. Whether there is trouble at all is asked once in a transaction.
func (t *tx) watch(instance, job int64, to engine.State, at int64) error {
	switch {
	case to == engine.Failed || to == engine.Lost || to == engine.Cancelled:
		_, err := t.s.exec(watchTroubleSQL, instance, at)
		return err
	case !to.Satisfies():
		return nil
	}
	if !t.asked {
		var err error
		if t.trouble, err = t.s.one(troubleSQL, func(*columns) error { return nil }); err != nil {
			return err
		}
		t.asked = true
	}
	if !t.trouble {
		return nil
	}
	_, err := t.s.exec(watchGoodSQL, instance, at, job)
	return err
}

// PutWatches inserts watches or replaces those of the same instances.
func (t *tx) PutWatches(rows []engine.AlertWatchRow) error {
	for len(rows) > 0 {
		n, text := insertBatch, putWatchesSQL[1]
		if len(rows) < insertBatch {
			n, text = 1, putWatchesSQL[0]
		}
		args := t.s.scratch[:0]
		for _, w := range rows[:n] {
			args = appendValues(args, w.Instance, w.At.UnixMilli(), ms(w.Deadline))
		}
		t.s.scratch = args
		if _, err := t.s.bulk(text, args, n); err != nil {
			return fmt.Errorf("watch instances from %d on: %w", rows[0].Instance, err)
		}
		rows = rows[n:]
	}
	return nil
}

// DropWatch removes the watch of an instance.
func (t *tx) DropWatch(instance int64) error {
	_, err := t.s.exec(dropWatch, instance)
	return err
}

// PutIncident inserts the row or replaces what can change of it.
func (t *tx) PutIncident(r engine.IncidentRow) error {
	t.asked, t.trouble = true, true
	_, err := t.s.exec(putIncidentSQL, r.ID, r.Cause, r.Instance, r.Job, r.Key, r.PlanTime.UnixMilli(), offset(r.PlanTime), string(r.Kind),
		encodeReason(r.Reason), r.Opened.UnixMilli(), r.Look.UnixMilli(), r.Blocked, r.Told, ms(r.Acked), r.AckedBy, r.Note, ms(r.Closed))
	if err != nil {
		return fmt.Errorf("put incident %d: %w", r.ID, err)
	}
	return nil
}

// PutMember inserts the row or replaces what can change of it.
func (t *tx) PutMember(m engine.MemberRow) error {
	_, err := t.s.exec(putMemberSQL, m.Incident, m.Instance, m.Job, m.PlanTime.UnixMilli(), offset(m.PlanTime), string(m.Kind), m.Since.UnixMilli(), ms(m.Resolved))
	if err != nil {
		return fmt.Errorf("put instance %d into incident %d: %w", m.Instance, m.Incident, err)
	}
	return nil
}

// ResolveMembers says of every unresolved member of the incident that is not merely blocked that it is resolved.
func (t *tx) ResolveMembers(incident int64, at time.Time) error {
	_, err := t.s.exec(resolveSQL, at.UnixMilli(), incident)
	return err
}

// PutDelivery inserts the row or replaces what can change of it.
func (t *tx) PutDelivery(d engine.DeliveryRow) error {
	_, err := t.s.exec(putDeliverySQL, d.ID, id(d.Incident), d.Cause, d.Sink, string(d.Class), d.Body, d.NotBefore.UnixMilli(), d.Attempts, string(d.State),
		d.Reason, d.CreatedAt.UnixMilli(), ms(d.EndedAt))
	if err != nil {
		return fmt.Errorf("put delivery %d: %w", d.ID, err)
	}
	return nil
}

// PruneAlerts removes what was closed before the time.
func (t *tx) PruneAlerts(before time.Time, limit int) (int, error) {
	var ids []int64
	err := t.s.query(prunableIncidentsSQL, func(c *columns) error {
		ids = append(ids, c.int())
		return nil
	}, before.UnixMilli(), limit)
	if err != nil {
		return 0, fmt.Errorf("list what retention may remove of alerts: %w", err)
	}
	for n, id := range ids {
		for more := true; more; {
			if t.Full() {
				return n, nil
			}
			members, err := t.s.exec(pruneMembersSQL, id, pruneMembers)
			if err != nil {
				return n, fmt.Errorf("remove members of incident %d: %w", id, err)
			}
			t.s.work += members
			more = members == pruneMembers
		}
		for _, text := range pruneIncidentSQL {
			if _, err := t.s.exec(text, id); err != nil {
				return n, fmt.Errorf("remove incident %d: %w", id, err)
			}
		}
	}
	_, err = t.s.exec(pruneTestsSQL, before.UnixMilli(), limit)
	return len(ids), err
}
