package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// An Incident is one root cause of trouble as people are shown it.
type Incident struct {
	IncidentRow
	Ref        JobRef        // of the root
	First      *MemberRow    // the root when it is in trouble itself, else the first that is because of it
	Counts     []MemberCount // by kind
	Members    []Member      // at most MembersNamed, those in trouble before blocked ones; none in a list
	Deliveries []DeliveryRow // none in a list
}

// Title is the incident in one line.
func (i *Incident) Title() string {
	m := AlertMessage{Kind: i.Kind, Counts: map[string]int{string(AlertBlocked): i.Blocked}, Root: alertInstance(i.Instance, i.Ref, i.PlanTime)}
	for _, c := range i.Counts {
		if c.Kind != AlertBlocked {
			m.Counts[string(c.Kind)] = c.All
		}
	}
	if i.First != nil {
		m.Members = []AlertMember{{*alertInstance(i.First.Instance, i.First.Ref, i.First.PlanTime), i.First.Kind}}
	}
	return m.title(i.Cause)
}

// A Member is an instance of an incident as it is now.
type Member struct {
	MemberRow
	State  State // "" when retention has removed it
	Reason Reason
}

// Incidents lists incidents, newest first, with ids below the given one (0: any), at most limit.
func (e *Engine) Incidents(ctx context.Context, open bool, below int64, limit int) (list []Incident, err error) {
	err = e.cfg.Store.Read(ctx, func(v View) error {
		list = nil
		rows, err := v.Incidents(open, below, limit)
		if err != nil {
			return err
		}
		list, err = readIncidents(v, rows...)
		return err
	})
	return list, wrap(err, "list incidents")
}

// readIncidents reads what a list shows of some incidents, in a few statements for all of them.
func readIncidents(v View, rows ...IncidentRow) ([]Incident, error) {
	list, ids := make([]Incident, len(rows)), make([]int64, len(rows))
	of := make(map[int64]*Incident, len(rows))
	for n := range rows {
		list[n].IncidentRow, ids[n] = rows[n], rows[n].ID
		of[rows[n].ID] = &list[n]
	}
	counts, err := v.MemberCounts(ids...)
	if err != nil {
		return nil, err
	}
	for _, c := range counts {
		i := of[c.Incident]
		i.Counts = append(i.Counts, c)
	}
	roots, err := v.Roots(ids...)
	if err != nil {
		return nil, err
	}
	for n := range roots {
		root := &roots[n]
		i := of[root.Incident]
		if i.Ref = root.Ref; root.Kind.Class() != "" {
			i.First = root
		}
	}
	for n := range list {
		if err := list[n].findFirst(v); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// findFirst looks among the members for what the root does not say, as it is in no trouble itself.
func (i *Incident) findFirst(v View) error {
	if i.First != nil {
		return nil
	}
	for _, most := range []int{2, MembersNamed} { // it is nearly always the root and another
		members, err := v.Members(i.ID, most)
		if err != nil {
			return err
		}
		for n := range members {
			m := &members[n]
			if m.Job == i.Job {
				i.Ref = m.Ref
			}
			if m.Kind.Class() != "" && i.First == nil {
				i.First = m
			}
		}
		if len(members) < most || i.First != nil && i.Ref != (JobRef{}) {
			break
		}
	}
	return nil
}

// readIncident reads what a list shows of one.
func readIncident(v View, row IncidentRow) (Incident, error) {
	list, err := readIncidents(v, row)
	if err != nil {
		return Incident{}, err
	}
	return list[0], nil
}

// Incident returns one incident with its members and what was told of it; ErrNotFound when there is none.
func (e *Engine) Incident(ctx context.Context, id int64) (i Incident, err error) {
	err = e.cfg.Store.Read(ctx, func(v View) error {
		row, err := v.Incident(id)
		if err != nil {
			return err
		}
		if i, err = readIncident(v, row); err != nil {
			return err
		}
		members, err := v.Members(id, MembersNamed)
		if err != nil {
			return err
		}
		for _, m := range members {
			member := Member{MemberRow: m}
			if now, err := v.Instance(m.Instance); err == nil {
				member.State, member.Reason = now.State, now.Reason
			} else if !isNotFound(err) {
				return err
			}
			i.Members = append(i.Members, member)
		}
		i.Deliveries, err = v.Deliveries(id)
		return err
	})
	return i, wrap(err, "read incident %d", id)
}

// AckIncident records that a person knows of an incident: it stays open, and nobody is told any more how it grows. Doing it twice is doing it once. Errors
// are of kind ErrNotFound or ErrConflict (it is closed).
func (e *Engine) AckIncident(ctx context.Context, id int64, actor, note string, now time.Time) (Incident, error) {
	err := e.cfg.Store.Write(ctx, func(tx Tx) error {
		now, err := e.viewTime(tx, now)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		row, err := tx.Incident(id)
		switch {
		case err != nil:
			return err
		case !row.Closed.IsZero():
			return fmt.Errorf("%w: it was over at %s", ErrConflict, row.Closed.Format(time.RFC3339))
		case !row.Acked.IsZero():
			return nil
		}
		row.Acked, row.AckedBy, row.Note = now, actor, note
		if err := tx.PutIncident(row); err != nil {
			return err
		}
		return tx.Record(EventRow{At: now, Kind: "incident-acknowledged", Instance: row.Instance, Job: row.Job, Actor: actor, Reason: Reason{
			Code: ReasonPerson, Actor: actor, Detail: strings.TrimSuffix(fmt.Sprintf("incident %d: %s", id, note), ": "),
		}})
	})
	if err != nil {
		return Incident{}, fmt.Errorf("acknowledge incident %d: %w", id, err)
	}
	return e.Incident(ctx, id)
}

// TestSink writes a message for a sink, as an alert would be, and returns its delivery. Errors are of kind ErrNotFound (there is no such sink).
func (e *Engine) TestSink(ctx context.Context, sink, actor, note string, now time.Time) (row DeliveryRow, err error) {
	if known := e.Sinks(); !slices.Contains(known, sink) {
		return row, fmt.Errorf("tell %s: %w: the server has no sink of that name; it has %s", sink, ErrNotFound, namesOr(known))
	}
	err = e.cfg.Store.Write(ctx, func(tx Tx) error {
		now, err := e.viewTime(tx, now)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		id, err := tx.Reserve(1)
		if err != nil {
			return err
		}
		m := AlertMessage{Class: ClassTest, Title: "test of the sink " + sink, Text: "Nothing is wrong. " + actor + " asked for this message.", At: now}
		if note != "" {
			m.Text += "\n" + note
		}
		row = DeliveryRow{ID: id, Sink: sink, Class: m.Class, NotBefore: now, State: OutboxPending, CreatedAt: now}
		if err := putMessage(tx, row, m); err != nil {
			return err
		}
		if row, err = tx.Delivery(id); err != nil {
			return err
		}
		return tx.Record(EventRow{At: now, Kind: "alert-test", Actor: actor, Reason: Reason{Code: ReasonPerson, Actor: actor, Detail: "test of the sink " + sink}})
	})
	e.inbox.nudge()
	return row, wrap(err, "tell %s", sink)
}

func namesOr(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// Sinks lists the names of the sinks there are, in order.
func (e *Engine) Sinks() []string {
	if e.cfg.Alerts == nil || e.cfg.Alerts.Notifier == nil {
		return nil
	}
	return e.cfg.Alerts.Notifier.Sinks()
}

// Delivery returns one delivery; ErrNotFound when there is none.
func (e *Engine) Delivery(ctx context.Context, id int64) (row DeliveryRow, err error) {
	err = e.cfg.Store.Read(ctx, func(v View) error {
		row, err = v.Delivery(id)
		return err
	})
	return row, wrap(err, "read delivery %d", id)
}

// AlertState is how alerts stand: how many incidents are open, what waits to be told, and what failed for good since a time, newest first.
func (e *Engine) AlertState(ctx context.Context, since time.Time, limit int) (n AlertCounts, failed []DeliveryRow, err error) {
	err = e.cfg.Store.Read(ctx, func(v View) error {
		var err error
		n, err = v.AlertCounts(since)
		var list error
		failed, list = v.FailedDeliveries(since, limit)
		return errors.Join(err, list)
	})
	return n, failed, wrap(err, "count alerts")
}
