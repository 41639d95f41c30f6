package store

import (
	"fmt"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

const (
	alertAgendaSQL = `SELECT
		(SELECT at FROM alert_watch ORDER BY at LIMIT 1),
		(SELECT look_at FROM incident WHERE closed_at IS NULL ORDER BY look_at LIMIT 1),
		(SELECT not_before FROM delivery WHERE state = 'pending' ORDER BY not_before LIMIT 1)`
	watchesDueSQL = `SELECT instance, at, deadline FROM alert_watch WHERE at <= ? ORDER BY at, instance LIMIT CAST(? AS INTEGER)`

	incidentColumns = `SELECT id, cause, instance, job, key, plan_time, plan_offset, kind, reason, opened_at, look_at, blocked, told, acked_at, acked_by,
		note, closed_at FROM incident `
	incidentSQL      = incidentColumns + `WHERE id = ?`
	openIncidentSQL  = incidentColumns + `WHERE cause = ? AND closed_at IS NULL`
	incidentsDueSQL  = incidentColumns + `WHERE closed_at IS NULL AND look_at <= ? ORDER BY look_at, id LIMIT CAST(? AS INTEGER)`
	incidentsSQL     = incidentColumns + `WHERE id < ? ORDER BY id DESC LIMIT CAST(? AS INTEGER)`
	openIncidentsSQL = incidentColumns + `INDEXED BY incident_open WHERE closed_at IS NULL AND id < ? ORDER BY id DESC LIMIT CAST(? AS INTEGER)`

	// What is merely blocked is resolved when its incident is closed, and no row says so.
	memberColumns = `SELECT m.incident, m.instance, m.job, j.workflow, j.name, m.plan_time, m.plan_offset, m.kind, m.since,
		iif(m.kind = 'blocked', coalesce(m.resolved_at, (SELECT closed_at FROM incident WHERE id = m.incident)), m.resolved_at)
		FROM incident_member m JOIN job j ON j.id = m.job `
	membersSQL = memberColumns + `WHERE m.incident = ? ORDER BY m.kind = 'blocked', m.since, m.instance LIMIT CAST(? AS INTEGER)`
	rootsSQL   = memberColumns + `JOIN incident r ON r.id = m.incident AND r.instance = m.instance
		WHERE m.incident IN (SELECT value FROM json_each(?)) ORDER BY m.incident`
	openMembersSQL = memberColumns + `WHERE m.incident = ? AND m.resolved_at IS NULL AND m.kind <> 'blocked' AND m.instance > ?
		ORDER BY m.instance LIMIT CAST(? AS INTEGER)`
	memberCountsSQL = `SELECT incident, kind, members, iif(kind = 'blocked' AND EXISTS (
		SELECT 1 FROM incident i WHERE i.id = c.incident AND i.closed_at IS NOT NULL), 0, open)
		FROM incident_count c WHERE incident IN (SELECT value FROM json_each(?)) AND members > 0
		ORDER BY incident, kind`
	membershipsSQL = memberColumns + `WHERE m.instance = ? AND m.resolved_at IS NULL
		AND NOT (m.kind = 'blocked' AND EXISTS (SELECT 1 FROM incident i WHERE i.id = m.incident AND i.closed_at IS NOT NULL)) ORDER BY m.incident`
	unresolvedSQL = memberColumns + `WHERE m.job = ? AND m.plan_time <= ? AND m.resolved_at IS NULL AND m.kind <> 'blocked'
		ORDER BY m.plan_time, m.incident, m.instance LIMIT CAST(? AS INTEGER)`
	// No instance looks further back than the reach of its job, so that later ones are not read; nor what has ended, as it is by plan time alone.
	heldBySQL = instanceColumns + `WHERE i.id IN (SELECT h.id FROM job_upstream u CROSS JOIN instance h INDEXED BY instance_open
		WHERE u.upstream = ? AND h.job = u.job AND h.ended_at IS NULL AND h.state = 'waiting' AND h.plan_time <= ? + u.reach AND NOT (h.kind = 'backfill' AND h.key IN (` + applyingKeys + `))
		AND EXISTS (SELECT 1 FROM wait w WHERE w.instance = h.id AND w.upstream = u.upstream AND w.key = ? AND w.first_time <= ? AND w.last_time >= ?
			AND w.ended = 0 AND w.on_failed NOT IN ('run', 'cancel') AND (w.selects = 'all' OR w.times = 1)))
		ORDER BY i.id LIMIT CAST(? AS INTEGER)`
	askingSQL = instanceColumns + `WHERE i.id IN (SELECT id FROM instance INDEXED BY instance_asks WHERE state = 'waiting'
		AND (gate = 'confirm' OR gate = 'frozen') AND kind <> 'backfill' ORDER BY plan_time, id LIMIT CAST(? AS INTEGER)) ORDER BY i.plan_time, i.id`

	deliveryColumns = `SELECT id, incident, cause, sink, class, body, not_before, attempts, state, reason, created_at, ended_at FROM delivery `
	deliverySQL     = deliveryColumns + `WHERE id = ?`
	deliveryDueSQL  = deliveryColumns + `WHERE state = 'pending' AND not_before <= ? ORDER BY +id LIMIT CAST(? AS INTEGER)`
	deliveriesSQL   = deliveryColumns + `WHERE incident = ? ORDER BY id`
	failedSQL       = deliveryColumns + `WHERE state = 'failed' AND ended_at >= ? ORDER BY ended_at DESC, id DESC LIMIT CAST(? AS INTEGER)`
	lastToldSQL     = `SELECT max(created_at) FROM delivery WHERE sink = ? AND cause = ? AND class = ?`
	alertCountsSQL  = `SELECT (SELECT count(*) FROM incident WHERE closed_at IS NULL), (SELECT count(*) FROM delivery WHERE state = 'pending'),
		(SELECT count(*) FROM delivery WHERE state = 'failed' AND ended_at >= ?)`
)

// AlertAgenda returns the earliest times at which something about alerts is due.
func (v *view) AlertAgenda() (a engine.AlertAgenda, err error) {
	_, err = v.s.one(alertAgendaSQL, func(c *columns) error {
		a = engine.AlertAgenda{Watch: c.utc(), Incident: c.utc(), Send: c.utc()}
		return nil
	})
	return a, err
}

// WatchesDue lists the watches whose time has come.
func (v *view) WatchesDue(now time.Time, limit int) (rows []engine.AlertWatchRow, err error) {
	err = v.s.query(watchesDueSQL, func(c *columns) error {
		rows = append(rows, engine.AlertWatchRow{Instance: c.int(), At: c.utc(), Deadline: c.utc()})
		return nil
	}, now.UnixMilli(), limit)
	return rows, err
}

func scanIncident(c *columns) (r engine.IncidentRow, err error) {
	r = engine.IncidentRow{ID: c.int(), Cause: c.text(), Instance: c.int(), Job: c.int(), Key: c.text(), PlanTime: c.zoned(), Kind: engine.AlertKind(c.text())}
	if r.Reason, err = decodeReason(c.text()); err != nil {
		return r, fmt.Errorf("incident %d: %w", r.ID, err)
	}
	r.Opened, r.Look, r.Blocked, r.Told = c.utc(), c.utc(), int(c.int()), int(c.int())
	r.Acked, r.AckedBy, r.Note, r.Closed = c.utc(), c.text(), c.text(), c.utc()
	return r, nil
}

func (v *view) incidents(text string, args ...any) (rows []engine.IncidentRow, err error) {
	err = v.s.query(text, func(c *columns) error {
		row, err := scanIncident(c)
		rows = append(rows, row)
		return err
	}, args...)
	return rows, err
}

// Incident returns one incident.
func (v *view) Incident(n int64) (row engine.IncidentRow, err error) {
	ok, err := v.s.one(incidentSQL, func(c *columns) (err error) {
		row, err = scanIncident(c)
		return err
	}, n)
	return row, found(ok, err, "incident %d", n)
}

// OpenIncident returns the open incident of the cause.
func (v *view) OpenIncident(cause string) (row engine.IncidentRow, err error) {
	ok, err := v.s.one(openIncidentSQL, func(c *columns) (err error) {
		row, err = scanIncident(c)
		return err
	}, cause)
	return row, found(ok, err, "open incident of %s", cause)
}

// IncidentsDue lists the open incidents whose time to be looked at has come.
func (v *view) IncidentsDue(now time.Time, limit int) ([]engine.IncidentRow, error) {
	return v.incidents(incidentsDueSQL, now.UnixMilli(), limit)
}

// Incidents lists incidents, newest first.
func (v *view) Incidents(open bool, below int64, limit int) ([]engine.IncidentRow, error) {
	if below == 0 {
		below = 1<<63 - 1
	}
	if open {
		return v.incidents(openIncidentsSQL, below, limit)
	}
	return v.incidents(incidentsSQL, below, limit)
}

func (v *view) members(text string, args ...any) (rows []engine.MemberRow, err error) {
	err = v.s.query(text, func(c *columns) error {
		rows = append(rows, engine.MemberRow{
			Incident: c.int(), Instance: c.int(), Job: c.int(), Ref: engine.JobRef{Workflow: c.text(), Job: c.text()}, PlanTime: c.zoned(),
			Kind: engine.AlertKind(c.text()), Since: c.utc(), Resolved: c.utc(),
		})
		return nil
	}, args...)
	return rows, err
}

// Members lists the members of an incident.
func (v *view) Members(incident int64, limit int) ([]engine.MemberRow, error) {
	return v.members(membersSQL, incident, limit)
}

// OpenMembers lists those members of an incident that are in trouble still.
func (v *view) OpenMembers(incident, after int64, limit int) ([]engine.MemberRow, error) {
	return v.members(openMembersSQL, incident, after, limit)
}

// Roots lists those members of some incidents that are the roots of them.
func (v *view) Roots(incidents ...int64) ([]engine.MemberRow, error) {
	return v.members(rootsSQL, idList(incidents))
}

// MemberCounts counts the members of some incidents by kind.
func (v *view) MemberCounts(incidents ...int64) (counts []engine.MemberCount, err error) {
	err = v.s.query(memberCountsSQL, func(c *columns) error {
		counts = append(counts, engine.MemberCount{
			Incident: c.int(), Kind: engine.AlertKind(c.text()), All: int(c.int()), Open: int(c.int()),
		})
		return nil
	}, idList(incidents))
	return counts, err
}

// MembershipsOf lists in which incidents the instance is an unresolved member.
func (v *view) MembershipsOf(instance int64) ([]engine.MemberRow, error) {
	return v.members(membershipsSQL, instance)
}

// Unresolved lists the unresolved members of the job that are not merely blocked.
func (v *view) Unresolved(job int64, until time.Time, limit int) ([]engine.MemberRow, error) {
	return v.members(unresolvedSQL, job, until.UnixMilli(), limit)
}

// HeldBy lists the waiting instances that would go on waiting for an upstream instance that has failed.
func (v *view) HeldBy(job int64, key string, planTime time.Time, limit int) ([]engine.Instance, error) {
	at := planTime.UnixMilli()
	return v.instances(heldBySQL, job, at, key, at, at, limit)
}

// Asking lists the waiting instances that wait for a person.
func (v *view) Asking(limit int) ([]engine.Instance, error) { return v.instances(askingSQL, limit) }

func scanDelivery(c *columns) engine.DeliveryRow {
	return engine.DeliveryRow{
		ID: c.int(), Incident: c.int(), Cause: c.text(), Sink: c.text(), Class: engine.AlertClass(c.text()), Body: slices.Clone(c.blob()),
		NotBefore: c.utc(), Attempts: int(c.int()), State: engine.OutboxState(c.text()), Reason: c.text(), CreatedAt: c.utc(), EndedAt: c.utc(),
	}
}

func (v *view) deliveries(text string, args ...any) (rows []engine.DeliveryRow, err error) {
	err = v.s.query(text, func(c *columns) error {
		rows = append(rows, scanDelivery(c))
		return nil
	}, args...)
	return rows, err
}

// Delivery returns one delivery.
func (v *view) Delivery(n int64) (row engine.DeliveryRow, err error) {
	ok, err := v.s.one(deliverySQL, func(c *columns) error {
		row = scanDelivery(c)
		return nil
	}, n)
	return row, found(ok, err, "delivery %d", n)
}

// DeliveriesDue lists pending deliveries whose time has come.
func (v *view) DeliveriesDue(now time.Time, limit int) ([]engine.DeliveryRow, error) {
	return v.deliveries(deliveryDueSQL, now.UnixMilli(), limit)
}

// Deliveries lists those of an incident.
func (v *view) Deliveries(incident int64) ([]engine.DeliveryRow, error) {
	return v.deliveries(deliveriesSQL, incident)
}

// FailedDeliveries lists those that failed for good.
func (v *view) FailedDeliveries(since time.Time, limit int) ([]engine.DeliveryRow, error) {
	return v.deliveries(failedSQL, since.UnixMilli(), limit)
}

// LastTold returns when the latest message of the class about the cause was written for the sink.
func (v *view) LastTold(sink, cause string, class engine.AlertClass) (at time.Time, err error) {
	_, err = v.s.one(lastToldSQL, func(c *columns) error {
		at = c.utc()
		return nil
	}, sink, cause, string(class))
	return at, err
}

// AlertCounts counts open incidents, pending deliveries, and those that failed for good since the time.
func (v *view) AlertCounts(since time.Time) (n engine.AlertCounts, err error) {
	_, err = v.s.one(alertCountsSQL, func(c *columns) error {
		n = engine.AlertCounts{Open: int(c.int()), Pending: int(c.int()), Failed: int(c.int())}
		return nil
	}, since.UnixMilli())
	return n, err
}
