package model

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// alerts are the rows of alerts. They are few, and looked through one by one.
type alerts struct {
	watches    map[int64]*engine.AlertWatchRow
	incidents  map[int64]*engine.IncidentRow
	members    map[belonging]*engine.MemberRow // by incident and instance
	deliveries map[int64]*engine.DeliveryRow
}

func newAlerts() alerts {
	return alerts{
		map[int64]*engine.AlertWatchRow{}, map[int64]*engine.IncidentRow{}, map[belonging]*engine.MemberRow{}, map[int64]*engine.DeliveryRow{},
	}
}

func (a alerts) clone() alerts {
	return alerts{maps.Clone(a.watches), maps.Clone(a.incidents), maps.Clone(a.members), maps.Clone(a.deliveries)}
}

func (s *state) putAlertWatch(instance int64, row *engine.AlertWatchRow) *engine.AlertWatchRow {
	return put(s.alerts.watches, instance, row)
}

func (s *state) putIncident(id int64, row *engine.IncidentRow) *engine.IncidentRow {
	return put(s.alerts.incidents, id, row)
}

func (s *state) putMember(of belonging, row *engine.MemberRow) *engine.MemberRow {
	return put(s.alerts.members, of, row)
}

func (s *state) putDelivery(id int64, row *engine.DeliveryRow) *engine.DeliveryRow {
	return put(s.alerts.deliveries, id, row)
}

// pick lists copies of the rows that are wanted, in order, at most limit; a negative limit is none.
func pick[K comparable, R any](v *view, table map[K]*R, limit int, wanted func(*R) bool, order func(a, b *R) int) ([]R, error) {
	if v.broken != nil {
		return nil, v.broken
	}
	var found []*R
	for _, row := range table {
		if wanted(row) {
			found = append(found, row)
		}
	}
	slices.SortFunc(found, order)
	if limit >= 0 {
		found = found[:min(limit, len(found))]
	}
	var rows []R
	for _, row := range found {
		rows = append(rows, *row)
	}
	return rows, nil
}

func (v *view) AlertAgenda() (a engine.AlertAgenda, err error) {
	first := func(at *time.Time, t time.Time) {
		if at.IsZero() || t.Before(*at) {
			*at = t
		}
	}
	for _, w := range v.s.alerts.watches {
		first(&a.Watch, w.At)
	}
	for _, i := range v.s.alerts.incidents {
		if i.Closed.IsZero() {
			first(&a.Incident, i.Look)
		}
	}
	for _, d := range v.s.alerts.deliveries {
		if d.State == engine.OutboxPending {
			first(&a.Send, d.NotBefore)
		}
	}
	return a, v.broken
}

func (v *view) WatchesDue(now time.Time, limit int) ([]engine.AlertWatchRow, error) {
	return pick(v, v.s.alerts.watches, limit, func(w *engine.AlertWatchRow) bool { return w.At.UnixMilli() <= now.UnixMilli() },
		func(a, b *engine.AlertWatchRow) int {
			return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Instance, b.Instance))
		})
}

func (v *view) Incident(id int64) (engine.IncidentRow, error) {
	if v.broken != nil {
		return engine.IncidentRow{}, v.broken
	}
	if row := v.s.alerts.incidents[id]; row != nil {
		return *row, nil
	}
	return engine.IncidentRow{}, missing("incident %d", id)
}

func byID(a, b *engine.IncidentRow) int { return cmp.Compare(a.ID, b.ID) }

func (v *view) OpenIncident(cause string) (engine.IncidentRow, error) {
	rows, err := pick(v, v.s.alerts.incidents, 1, func(i *engine.IncidentRow) bool { return i.Cause == cause && i.Closed.IsZero() }, byID)
	if err == nil && len(rows) == 0 {
		return engine.IncidentRow{}, missing("open incident of %s", cause)
	}
	if err != nil {
		return engine.IncidentRow{}, err
	}
	return rows[0], nil
}

func (v *view) IncidentsDue(now time.Time, limit int) ([]engine.IncidentRow, error) {
	return pick(v, v.s.alerts.incidents, limit, func(i *engine.IncidentRow) bool { return i.Closed.IsZero() && i.Look.UnixMilli() <= now.UnixMilli() },
		func(a, b *engine.IncidentRow) int { return cmp.Or(a.Look.Compare(b.Look), byID(a, b)) })
}

func (v *view) Incidents(open bool, below int64, limit int) ([]engine.IncidentRow, error) {
	return pick(v, v.s.alerts.incidents, limit, func(i *engine.IncidentRow) bool { return (!open || i.Closed.IsZero()) && (below == 0 || i.ID < below) },
		func(a, b *engine.IncidentRow) int { return byID(b, a) })
}

// named gives members the names of their jobs. What is merely blocked is resolved when its incident is closed.
func (v *view) named(rows []engine.MemberRow, err error) ([]engine.MemberRow, error) {
	for n := range rows {
		if job := v.s.jobs[rows[n].Job]; job != nil {
			rows[n].Ref = job.Ref
		}
		if inc := v.s.alerts.incidents[rows[n].Incident]; inc != nil && rows[n].Kind == engine.AlertBlocked && rows[n].Resolved.IsZero() {
			rows[n].Resolved = inc.Closed
		}
	}
	return rows, err
}

func (v *view) Members(incident int64, limit int) ([]engine.MemberRow, error) {
	blocked := func(m *engine.MemberRow) int {
		if m.Kind == engine.AlertBlocked {
			return 1
		}
		return 0
	}
	return v.named(pick(v, v.s.alerts.members, limit, func(m *engine.MemberRow) bool { return m.Incident == incident },
		func(a, b *engine.MemberRow) int {
			return cmp.Or(cmp.Compare(blocked(a), blocked(b)), a.Since.Compare(b.Since), cmp.Compare(a.Instance, b.Instance))
		}))
}

func (v *view) Roots(incidents ...int64) ([]engine.MemberRow, error) {
	return v.named(pick(v, v.s.alerts.members, -1, func(m *engine.MemberRow) bool {
		of := v.s.alerts.incidents[m.Incident]
		return of != nil && of.Instance == m.Instance && slices.Contains(incidents, m.Incident)
	}, func(a, b *engine.MemberRow) int { return cmp.Compare(a.Incident, b.Incident) }))
}

func (v *view) MemberCounts(incidents ...int64) (counts []engine.MemberCount, err error) {
	type one struct {
		incident int64
		kind     engine.AlertKind
	}
	by := map[one]*engine.MemberCount{}
	for _, m := range v.s.alerts.members {
		if !slices.Contains(incidents, m.Incident) {
			continue
		}
		c := by[one{m.Incident, m.Kind}]
		if c == nil {
			c = &engine.MemberCount{Incident: m.Incident, Kind: m.Kind}
			by[one{m.Incident, m.Kind}] = c
		}
		if c.All++; v.unresolved(m) {
			c.Open++
		}
	}
	for _, c := range by {
		counts = append(counts, *c)
	}
	slices.SortFunc(counts, func(a, b engine.MemberCount) int {
		return cmp.Or(cmp.Compare(a.Incident, b.Incident), cmp.Compare(a.Kind, b.Kind))
	})
	return counts, v.broken
}

func (v *view) MembershipsOf(instance int64) ([]engine.MemberRow, error) {
	return v.named(pick(v, v.s.alerts.members, -1, func(m *engine.MemberRow) bool { return m.Instance == instance && v.unresolved(m) },
		func(a, b *engine.MemberRow) int { return cmp.Compare(a.Incident, b.Incident) }))
}

func (v *view) OpenMembers(incident, after int64, limit int) ([]engine.MemberRow, error) {
	return v.named(pick(v, v.s.alerts.members, limit, func(m *engine.MemberRow) bool { return m.Incident == incident && m.Instance > after && inTrouble(m) },
		func(a, b *engine.MemberRow) int { return cmp.Compare(a.Instance, b.Instance) }))
}

func (v *view) Unresolved(job int64, until time.Time, limit int) ([]engine.MemberRow, error) {
	return v.named(pick(v, v.s.alerts.members, limit, func(m *engine.MemberRow) bool {
		return m.Job == job && inTrouble(m) && m.PlanTime.UnixMilli() <= until.UnixMilli()
	},
		func(a, b *engine.MemberRow) int {
			return cmp.Or(a.PlanTime.Compare(b.PlanTime), cmp.Compare(a.Incident, b.Incident), cmp.Compare(a.Instance, b.Instance))
		}))
}

func (v *view) Asking(limit int) ([]engine.Instance, error) {
	asks := func(id int64) bool {
		i := v.s.instances[id]
		return i.State == engine.Waiting && (i.Gate == engine.GateConfirm || i.Gate == engine.GateFrozen) && i.Kind != engine.Backfill
	}
	ids := slices.SortedFunc(maps.Keys(v.s.instances), func(a, b int64) int {
		return cmp.Or(v.s.instances[a].PlanTime.Compare(v.s.instances[b].PlanTime), cmp.Compare(a, b))
	})
	return v.list(slices.Values(slices.DeleteFunc(ids, func(id int64) bool { return !asks(id) })), limit)
}

// unresolved reports whether a member is: one that is merely blocked is not when its incident is closed.
func (v *view) unresolved(m *engine.MemberRow) bool {
	inc := v.s.alerts.incidents[m.Incident]
	return m.Resolved.IsZero() && (m.Kind != engine.AlertBlocked || inc == nil || inc.Closed.IsZero())
}

func inTrouble(m *engine.MemberRow) bool { return m.Resolved.IsZero() && m.Kind != engine.AlertBlocked }

func (v *view) HeldBy(job int64, key string, planTime time.Time, limit int) ([]engine.Instance, error) {
	at := planTime.UnixMilli()
	return v.list(func(yield func(int64) bool) {
		last := int64(least)
		for k := range v.s.needs.from(needKey{upstream: job, instance: least}) {
			if k.upstream != job {
				return
			}
			if k.instance == last || v.s.instances[k.instance].State != engine.Waiting {
				continue
			}
			for n := range v.s.waits[k.instance] {
				w := &v.s.waits[k.instance][n]
				if w.N != k.n || w.Key != key || w.Count == 0 || w.First.UnixMilli() > at || w.Last.UnixMilli() < at {
					continue
				}
				if !w.Ended && w.OnFailed != engine.FailedRun && w.OnFailed != engine.FailedCancel && (w.Select == "all" || w.Count == 1) {
					if last = k.instance; !yield(k.instance) {
						return
					}
				}
			}
		}
	}, limit)
}

func ownDelivery(d engine.DeliveryRow) engine.DeliveryRow {
	d.Body = slices.Clone(d.Body)
	return d
}

func deliveryByID(a, b *engine.DeliveryRow) int { return cmp.Compare(a.ID, b.ID) }

func (v *view) Delivery(id int64) (engine.DeliveryRow, error) {
	if v.broken != nil {
		return engine.DeliveryRow{}, v.broken
	}
	if row := v.s.alerts.deliveries[id]; row != nil {
		return ownDelivery(*row), nil
	}
	return engine.DeliveryRow{}, missing("delivery %d", id)
}

func (v *view) DeliveriesDue(now time.Time, limit int) ([]engine.DeliveryRow, error) {
	return pick(v, v.s.alerts.deliveries, limit, func(d *engine.DeliveryRow) bool {
		return d.State == engine.OutboxPending && d.NotBefore.UnixMilli() <= now.UnixMilli()
	}, deliveryByID)
}

func (v *view) Deliveries(incident int64) ([]engine.DeliveryRow, error) {
	return pick(v, v.s.alerts.deliveries, -1, func(d *engine.DeliveryRow) bool { return d.Incident == incident && incident != 0 }, deliveryByID)
}

func (v *view) FailedDeliveries(since time.Time, limit int) ([]engine.DeliveryRow, error) {
	return pick(v, v.s.alerts.deliveries, limit, func(d *engine.DeliveryRow) bool { return failedSince(d, since) },
		func(a, b *engine.DeliveryRow) int {
			return cmp.Or(b.EndedAt.Compare(a.EndedAt), cmp.Compare(b.ID, a.ID))
		})
}

func failedSince(d *engine.DeliveryRow, since time.Time) bool {
	return d.State == engine.OutboxFailed && !d.EndedAt.IsZero() && d.EndedAt.UnixMilli() >= since.UnixMilli()
}

func (v *view) LastTold(sink, cause string, class engine.AlertClass) (at time.Time, err error) {
	for _, d := range v.s.alerts.deliveries {
		if d.Sink == sink && d.Cause == cause && d.Class == class && d.CreatedAt.After(at) {
			at = d.CreatedAt
		}
	}
	return at, v.broken
}

func (v *view) AlertCounts(since time.Time) (n engine.AlertCounts, err error) {
	for _, i := range v.s.alerts.incidents {
		if i.Closed.IsZero() {
			n.Open++
		}
	}
	for _, d := range v.s.alerts.deliveries {
		switch {
		case d.State == engine.OutboxPending:
			n.Pending++
		case failedSince(d, since):
			n.Failed++
		}
	}
	return n, v.broken
}
