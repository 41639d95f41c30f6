package model

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// watch has an instance that has changed its state looked at for an alert: one that failed, is lost or was cancelled; one that ended well while
// something of its job is in trouble.
func (t *tx) watch(i *instance, at time.Time) {
	wanted := i.State == engine.Lost || i.State.CountsAsFailed()
	if i.State.Satisfies() {
		for _, m := range t.s.alerts.members {
			wanted = wanted || m.Job == i.Job && inTrouble(m)
		}
	}
	if !wanted {
		return
	}
	row := engine.AlertWatchRow{Instance: i.ID, At: utc(at)}
	if was := t.s.alerts.watches[i.ID]; was != nil {
		row.Deadline = was.Deadline
		if was.At.Before(row.At) {
			row.At = was.At
		}
	}
	set(t, (*state).putAlertWatch, i.ID, &row)
}

func (t *tx) PutWatches(rows []engine.AlertWatchRow) error {
	if t.broken != nil {
		return t.broken
	}
	for _, w := range rows {
		w.At, w.Deadline = utc(w.At), instant(w.Deadline)
		set(t, (*state).putAlertWatch, w.Instance, &w)
	}
	return nil
}

func (t *tx) DropWatch(instance int64) error {
	if t.broken == nil && t.s.alerts.watches[instance] != nil {
		set(t, (*state).putAlertWatch, instance, nil)
	}
	return t.broken
}

var alertKinds = []engine.AlertKind{
	engine.AlertNeverStarted, engine.AlertWillBeLate, engine.AlertStillRunning, engine.AlertEndedLate, engine.AlertFailed, engine.AlertLost,
	engine.AlertCancelled, engine.AlertRoot, engine.AlertBlocked,
}

func (t *tx) PutIncident(r engine.IncidentRow) error {
	if t.broken != nil {
		return t.broken
	}
	if r.Cause == "" || r.Kind.Class() == "" || r.Blocked < 0 || r.Told < 0 { // also where the cause stays as it was
		return t.refuse(fmt.Errorf("incident %d: %w: cause %q, kind %q", r.ID, ErrConstraint, r.Cause, r.Kind))
	}
	if was := t.s.alerts.incidents[r.ID]; was != nil {
		r.Cause, r.Instance, r.Job, r.Key, r.PlanTime, r.Opened = was.Cause, was.Instance, was.Job, was.Key, was.PlanTime, was.Opened
	}
	for _, other := range t.s.alerts.incidents {
		if other.ID != r.ID && other.Cause == r.Cause && other.Closed.IsZero() && r.Closed.IsZero() {
			return t.refuse(fmt.Errorf("incident %d: %w: incident %d of %s is open", r.ID, ErrConstraint, other.ID, r.Cause))
		}
	}
	r.PlanTime, r.Reason = zoned(r.PlanTime), ownReason(r.Reason)
	r.Opened, r.Look, r.Acked, r.Closed = utc(r.Opened), utc(r.Look), instant(r.Acked), instant(r.Closed)
	set(t, (*state).putIncident, r.ID, &r)
	return nil
}

func (t *tx) PutMember(m engine.MemberRow) error {
	if t.broken != nil {
		return t.broken
	}
	if !slices.Contains(alertKinds, m.Kind) {
		return t.refuse(fmt.Errorf("member %d of incident %d: %w: kind %q", m.Instance, m.Incident, ErrConstraint, m.Kind))
	}
	of := belonging{m.Incident, m.Instance}
	if was := t.s.alerts.members[of]; was != nil {
		m.Job, m.PlanTime = was.Job, was.PlanTime
	}
	m.Ref, m.PlanTime, m.Since, m.Resolved = engine.JobRef{}, zoned(m.PlanTime), utc(m.Since), instant(m.Resolved)
	set(t, (*state).putMember, of, &m)
	return nil
}

func (t *tx) ResolveMembers(incident int64, at time.Time) error {
	if t.broken != nil {
		return t.broken
	}
	for of, m := range t.s.alerts.members {
		if m.Incident == incident && inTrouble(m) {
			row := *m
			row.Resolved = utc(at)
			set(t, (*state).putMember, of, &row)
		}
	}
	return nil
}

func (t *tx) PutDelivery(d engine.DeliveryRow) error {
	if t.broken != nil {
		return t.broken
	}
	classes := append(slices.Clone(engine.AlertClasses), engine.ClassUpdate, engine.ClassTest)
	if d.Sink == "" || !slices.Contains(classes, d.Class) || !slices.Contains(outboxStates, d.State) || d.Attempts < 0 {
		return t.refuse(fmt.Errorf("delivery %d: %w: sink %q, class %q, state %q", d.ID, ErrConstraint, d.Sink, d.Class, d.State))
	}
	if was := t.s.alerts.deliveries[d.ID]; was != nil {
		d.Incident, d.Cause, d.Sink, d.Class, d.CreatedAt = was.Incident, was.Cause, was.Sink, was.Class, was.CreatedAt
		if was.Attempts > 0 {
			d.Body = was.Body
		}
	}
	d.Body = append([]byte(nil), d.Body...) // nothing is nil, as it is read back
	d.NotBefore, d.CreatedAt, d.EndedAt = utc(d.NotBefore), utc(d.CreatedAt), instant(d.EndedAt)
	set(t, (*state).putDelivery, d.ID, &d)
	return nil
}

func (t *tx) PruneAlerts(before time.Time, limit int) (int, error) {
	old, err := pick(&t.view, t.s.alerts.incidents, limit, func(i *engine.IncidentRow) bool {
		if i.Closed.IsZero() || i.Closed.UnixMilli() >= before.UnixMilli() {
			return false
		}
		for _, d := range t.s.alerts.deliveries {
			if d.Incident == i.ID && d.State == engine.OutboxPending {
				return false
			}
		}
		return true
	}, func(a, b *engine.IncidentRow) int { return cmp.Or(a.Closed.Compare(b.Closed), byID(a, b)) })
	if err != nil {
		return 0, err
	}
	for _, i := range old {
		for of, m := range t.s.alerts.members {
			if m.Incident == i.ID {
				set(t, (*state).putMember, of, nil)
			}
		}
		for id, d := range t.s.alerts.deliveries {
			if d.Incident == i.ID {
				set(t, (*state).putDelivery, id, nil)
			}
		}
		set(t, (*state).putIncident, i.ID, nil)
	}
	tests, err := pick(&t.view, t.s.alerts.deliveries, limit, func(d *engine.DeliveryRow) bool {
		return d.Incident == 0 && !d.EndedAt.IsZero() && d.EndedAt.UnixMilli() < before.UnixMilli()
	}, func(a, b *engine.DeliveryRow) int { return cmp.Or(a.EndedAt.Compare(b.EndedAt), deliveryByID(a, b)) })
	for _, d := range tests {
		set(t, (*state).putDelivery, d.ID, nil)
	}
	return len(old), err
}
