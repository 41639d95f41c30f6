package sim

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// The sinks of a world: one is told of everything, the other of less and not so often.
const (
	sinkOps   = "ops"
	sinkNight = "night"
)

// repeatAlerts is how far apart two messages about an incident that grows are.
const repeatAlerts = time.Hour

// drawAlerts lets half of the worlds tell sinks, give some jobs a deadline, and an operator who says that he knows: by dice of their own.
func (w *World) drawAlerts() {
	w.teller = newDice(w.seed, streamAlerts)
	if w.telling = w.teller.chance(0.5); !w.telling {
		return
	}
	w.sinks = pick(w.teller, 0.05, 0.3, 0.9)
	for _, g := range w.genes {
		if w.teller.chance(0.3) {
			g.deadline = pick(w.teller, "PT10M", "PT1H", "PT6H")
		}
	}
}

// alerts is what a server knows of whom to tell.
func (s *server) alerts() *engine.Alerts {
	a := &engine.Alerts{Repeat: repeatAlerts}
	if s.w.telling {
		a.Notifier = &notifier{s}
		a.Default = []engine.Notify{
			{Sink: sinkOps}, {Sink: sinkNight, Kinds: []engine.AlertClass{engine.ClassFailure, engine.ClassRecovery}, Interval: 2 * time.Hour},
		}
	}
	return a
}

// A notifier tells the sinks of a world for one server: the sinks fail, hang, and hear things whose answer is lost.
type notifier struct{ s *server }

// Sinks implements engine.Notifier.
func (n *notifier) Sinks() []string { return []string{sinkNight, sinkOps} }

// Notify implements engine.Notifier.
func (n *notifier) Notify(sink string, m engine.AlertMessage, done func(engine.Told)) {
	w, s, d := n.s.w, n.s, n.s.w.teller
	id, err := strconv.ParseInt(m.ID, 10, 64)
	row := w.ledger.deliveries[id]
	if err != nil || row == nil || row.Sink != sink || row.Class != m.Class {
		w.broken("I8", "%s was told %q by %s, and the rows say %+v", sink, m.Title, s.name, row)
		return
	}
	takes := d.between(10*time.Millisecond, pick(d, time.Second, time.Second, time.Minute, 5*time.Minute))
	told := engine.Told{}
	hears := true
	if w.chaos && d.chance(w.sinks) {
		w.saw("sink failed")
		hears = d.chance(0.3)
		told.Error, told.Final = "HTTP 503", d.chance(0.03)
	}
	if hears {
		w.after(takes, func() { w.witness.told[id]++ })
	}
	s.soon(takes+time.Millisecond, func() {
		told.At = s.now()
		w.logf("%s has told %s %d %s: %q", s.name, sink, id, m.Title, told.Error)
		done(told)
		s.nudge()
	})
}

func (r *recorder) PutIncident(row engine.IncidentRow) error {
	err := r.Tx.PutIncident(row)
	r.add(op{kind: opIncident, ok: err == nil, incident: &row})
	return err
}

func (r *recorder) PutMember(row engine.MemberRow) error {
	err := r.Tx.PutMember(row)
	r.add(op{kind: opMember, ok: err == nil, id: row.Instance, n: row.Incident})
	return err
}

func (r *recorder) PutDelivery(row engine.DeliveryRow) error {
	err := r.Tx.PutDelivery(row)
	r.add(op{kind: opDelivery, ok: err == nil, delivery: &row})
	return err
}

// putIncident enters an incident: one of a cause is open at a time, one that is over stays over, and what a person has said stays said.
func (b *booking) putIncident(row *engine.IncidentRow) {
	before := b.incidents[row.ID]
	switch {
	case before == nil:
		for _, id := range sortedKeys(b.incidents) {
			other := b.incidents[id]
			if same := other.Cause == row.Cause || other.Job == row.Job && ofJob(other) && ofJob(row); same && other.Closed.IsZero() {
				b.w.broken("I8", "incident %d of %s begins while %d is open", row.ID, row.Cause, id)
			}
		}
		b.w.saw("incident")
		b.w.logf("%s incident %d of %s: %s of instance %d", b.s.name, row.ID, row.Cause, row.Kind, row.Instance)
	case !before.Closed.IsZero() && row.Closed.IsZero():
		b.w.broken("I8", "incident %d of %s was over, and is open again", row.ID, row.Cause)
	case !before.Acked.IsZero() && row.Acked.UnixMilli() != before.Acked.UnixMilli():
		b.w.broken("I9", "that somebody knows of incident %d of %s was forgotten", row.ID, row.Cause)
	case before.Closed.IsZero() && !row.Closed.IsZero():
		b.w.saw("incident over")
		b.w.logf("%s incident %d of %s is over", b.s.name, row.ID, row.Cause)
	}
	b.incidents[row.ID] = row
}

// ofJob reports whether the cause of an incident is its root's job, and nothing that many jobs lack.
func ofJob(row *engine.IncidentRow) bool { return strings.HasPrefix(row.Cause, "job/") }

// putDelivery enters a delivery: what has ended stays ended, and none counts as delivered that nobody has heard.
func (b *booking) putDelivery(row *engine.DeliveryRow) {
	before := b.deliveries[row.ID]
	switch {
	case before == nil && row.State != engine.OutboxPending:
		b.w.broken("I8", "delivery %d began as %s", row.ID, row.State)
	case before == nil:
		b.w.saw("message of class " + string(row.Class))
	case before.State != engine.OutboxPending:
		b.w.broken("I8", "delivery %d was %s and was written again: %+v", row.ID, before.State, *row)
	case row.Attempts < before.Attempts:
		b.w.broken("I8", "delivery %d had %d attempts and now has %d", row.ID, before.Attempts, row.Attempts)
	case row.State == engine.OutboxDelivered && b.w.witness.told[row.ID] == 0:
		b.w.broken("I8", "delivery %d to %s counts as delivered, and nobody has heard it", row.ID, row.Sink)
	case row.State == engine.OutboxFailed:
		b.w.saw("message given up")
	case row.State == engine.OutboxPending && row.Attempts > 1 && row.Attempts > before.Attempts:
		b.w.saw("message repeated")
	}
	b.deliveries[row.ID] = row
}

// acknowledge lets the operator say now and then that he knows of an incident.
func (w *World) acknowledge() {
	if !w.telling || w.shape.operator == 0 {
		return
	}
	var again func()
	again = func() {
		if !w.chaos {
			return
		}
		if s := w.serverBy(w.teller); s != nil {
			w.ack(s)
		}
		w.after(w.teller.about(w.shape.operator), again)
	}
	w.after(w.teller.about(w.shape.operator), again)
}

func (w *World) ack(s *server) {
	ids := sortedKeys(w.ledger.incidents)
	if len(ids) == 0 {
		return
	}
	id := ids[w.teller.IntN(len(ids))]
	if w.teller.chance(0.7) { // the latest
		id = ids[len(ids)-1]
	}
	w.command(s, "acknowledge", func(ctx context.Context) error {
		_, err := s.engine.AckIncident(ctx, id, "operator", "looking", s.now())
		return err
	}, func() string {
		if row := w.ledger.incidents[id]; row == nil || row.Acked.IsZero() {
			return fmt.Sprintf("incident %d is %+v", id, row)
		}
		return ""
	})
}

// checkTold demands at rest that messages have been delivered or given up, that every failure is in an incident, and that none stays open of which nothing is
// left (I8).
func (w *World) checkTold(v engine.View) error {
	if !w.telling {
		return nil
	}
	now := w.epoch.Add(w.t)
	for _, id := range sortedKeys(w.ledger.deliveries) {
		row := w.ledger.deliveries[id]
		if row.State == engine.OutboxPending && row.CreatedAt.Before(now.Add(-2*patience)) && row.NotBefore.Before(now.Add(-patience)) {
			w.broken("I8", "delivery %d to %s of incident %d is not delivered: %s, %d attempts, not before %s", id, row.Sink, row.Incident, row.Class, row.Attempts, row.NotBefore)
			return nil
		}
	}
	for _, id := range sortedKeys(w.ledger.instances) {
		i := w.ledger.instances[id]
		if i.state == engine.Failed && i.kind != engine.Backfill && i.ended.Before(now.Add(-patience)) && !w.ledger.troubled[id] {
			w.broken("I8", "instance %d of %s@%s has failed at %s, and no incident knows of it", id, i.ref, i.plan, i.ended)
			return nil
		}
	}
	for _, id := range sortedKeys(w.ledger.incidents) {
		row := w.ledger.incidents[id]
		if !row.Closed.IsZero() || row.Look.After(now.Add(-patience)) {
			continue
		}
		if row.Opened.Before(now.Add(-2 * repeatAlerts)) {
			w.broken("I8", "incident %d of %s was to be looked at %s, and is open", id, row.Cause, row.Look)
			return nil
		}
	}
	return w.checkOpen(v, now)
}

// checkOpen demands of an incident that is open that something of it was left when it was last looked at: an instance in trouble, or one that may yet settle it.
func (w *World) checkOpen(v engine.View, now time.Time) error {
	for _, id := range sortedKeys(w.ledger.incidents) {
		row := w.ledger.incidents[id]
		if !row.Closed.IsZero() || row.Opened.After(now.Add(-repeatAlerts-patience)) {
			continue
		}
		members, err := v.Members(id, 1000)
		if err != nil {
			return err
		}
		left := false
		for n := range members {
			m := &members[n]
			if !m.Resolved.IsZero() || m.Kind.Class() == "" {
				continue
			}
			i, err := v.Instance(m.Instance)
			if err != nil && !errors.Is(err, engine.ErrNotFound) {
				return err
			}
			seen := row.Look.Add(-repeatAlerts) // the latest look at all of it: what has ended since is noticed by the next
			left = left || err != nil || i.EndedAt.After(seen.Add(-time.Second)) || !i.State.Ended() || engine.JudgeAlert(now, &engine.Watched{Instance: &i}).Kind != ""
		}
		if !left {
			w.broken("I8", "incident %d of %s is open since %s, and nothing of it is left: %+v", id, row.Cause, row.Opened, members)
			return nil
		}
	}
	return nil
}
