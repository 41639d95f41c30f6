package model_test

import (
	"fmt"
	"math"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/invariant"
	"pgregory.net/rapid"
)

// The small worlds of what steps watch and of alerts.
var (
	incidentIDs = []int64{1, 2, 3, 4}
	deliveryIDs = []int64{11, 12, 13, 14, 15}
	causes      = []string{"job/1", "job/2", "down"}
	sinks       = []string{"ops", "night"}
	alertKinds  = []engine.AlertKind{
		engine.AlertNeverStarted, engine.AlertWillBeLate, engine.AlertStillRunning, engine.AlertEndedLate, engine.AlertFailed, engine.AlertLost, engine.AlertCancelled,
	}
)

// watching reads what is watched, and the alerts, into the sight.
func (s *sight) watching(v engine.View) error {
	for _, i := range s.instances {
		rows, err := v.Watches(i.ID)
		if err != nil {
			return err
		}
		s.watches = append(s.watches, rows...)
	}
	for n := range s.watches {
		s.nextID = max(s.nextID, s.watches[n].ID+1)
	}
	s.open = map[int64]bool{}
	open, err := v.Incidents(true, 0, math.MaxInt32)
	for n := range open {
		s.open[open[n].ID] = true
	}
	return err
}

func (g *generator) putWatch() operation {
	i := g.in(engine.Running)
	w := engine.WatchRow{
		ID: g.fresh(), Instance: i.ID, Step: pick(g, "step", "", "s", "t[0]", "t[1]"), Number: rapid.IntRange(1, 3).Draw(g.T, "number"), StartedAt: g.at("start"),
		Until: g.maybe("until"), Next: g.maybe("next"), Polls: rapid.IntRange(0, 3).Draw(g.T, "polls"), Last: pick(g, "text", texts...),
	}
	if g.rarely("a child", 2) {
		w.Child = g.any().ID
	}
	if len(g.watches) > 0 && g.rarely("the same again", 2) {
		old := pick(g, "watch", g.watches...)
		w.ID, w.Instance = old.ID, old.Instance
		for _, of := range g.instances {
			if of.ID == old.Instance {
				i = of
			}
		}
	}
	if g.rarely("not allowed", 60) {
		w.Polls = -1
	}
	fence := g.fence(i.Fence)
	return operation{fmt.Sprintf("PutWatch(%s, %d)", words(w), fence), func(tx engine.Tx) (any, error) { return tx.PutWatch(w, fence) }}
}

func (g *generator) endWatch() operation {
	w := engine.WatchRow{ID: 99, Instance: 99}
	if len(g.watches) > 0 {
		w = pick(g, "watch", g.watches...)
	}
	fence := int64(0)
	for _, i := range g.instances {
		if i.ID == w.Instance {
			fence = i.Fence
		}
	}
	fence = g.fence(fence)
	return operation{fmt.Sprintf("EndWatch(%d, %d, %d)", w.ID, w.Instance, fence), func(tx engine.Tx) (any, error) { return tx.EndWatch(w.ID, w.Instance, fence) }}
}

func (g *generator) overWatches() operation {
	limit := rapid.IntRange(0, 3).Draw(g.T, "limit")
	return operation{fmt.Sprintf("WatchesOver(%d)", limit), func(tx engine.Tx) (any, error) {
		rows, err := tx.WatchesOver(limit)
		return words(rows), err
	}}
}

func (g *generator) putWatches() operation {
	var rows []engine.AlertWatchRow
	for range pick(g, "watches", 1, 2, 200) {
		rows = append(rows, engine.AlertWatchRow{Instance: g.any().ID + int64(len(rows)), At: g.at("at"), Deadline: g.maybe("deadline")})
	}
	return operation{fmt.Sprintf("PutWatches(%d from %d)", len(rows), rows[0].Instance), func(tx engine.Tx) (any, error) { return nil, tx.PutWatches(rows) }}
}

func (g *generator) dropWatch() operation {
	id := g.any().ID
	return operation{fmt.Sprintf("DropWatch(%d)", id), func(tx engine.Tx) (any, error) { return nil, tx.DropWatch(id) }}
}

// putIncident opens an incident or changes it. One that is closed leaves no member in trouble, as the engine does it.
func (g *generator) putIncident() operation {
	i := g.any()
	r := engine.IncidentRow{
		ID: pick(g, "incident", incidentIDs...), Cause: pick(g, "cause", causes...), Instance: i.ID, Job: i.Job, Key: i.Key, PlanTime: g.at("plan time"),
		Kind: pick(g, "kind", alertKinds...), Reason: g.reason(), Opened: g.at("opened"), Look: g.at("look"), Blocked: rapid.IntRange(0, 3).Draw(g.T, "blocked"),
		Told: rapid.IntRange(0, 3).Draw(g.T, "told"), AckedBy: pick(g, "text", texts...), Note: pick(g, "text", texts...),
	}
	if g.rarely("acknowledged", 2) {
		r.Acked = g.at("acked")
	}
	if g.rarely("closed", 3) {
		r.Closed = g.at("closed")
	}
	if g.rarely("not allowed", 60) {
		r.Kind, r.Cause = pick(g, "kind", engine.AlertRoot, r.Kind), pick(g, "cause", "", r.Cause)
	}
	g.open[r.ID] = r.Closed.IsZero()
	return operation{fmt.Sprintf("PutIncident(%s)", words(r)), func(tx engine.Tx) (any, error) {
		if err := tx.PutIncident(r); err != nil || r.Closed.IsZero() {
			return nil, err
		}
		return nil, tx.ResolveMembers(r.ID, r.Closed)
	}}
}

func (g *generator) putMember() operation {
	if len(g.jobs) == 0 {
		return g.resolveMembers()
	}
	i := g.any()
	m := engine.MemberRow{ // of a job that is known, as it always is
		Incident: pick(g, "incident", incidentIDs...), Instance: i.ID, Job: pick(g, "job", g.jobs...).ID, PlanTime: i.PlanTime,
		Kind: pick(g, "kind", append([]engine.AlertKind{engine.AlertRoot, engine.AlertBlocked, engine.AlertBlocked}, alertKinds...)...), Since: g.at("since"),
		Resolved: g.maybe("resolved"),
	}
	if g.rarely("not allowed", 60) {
		m.Kind = "odd"
	}
	return operation{fmt.Sprintf("PutMember(%s)", words(m)), func(tx engine.Tx) (any, error) {
		if inc, err := tx.Incident(m.Incident); err != nil || !inc.Closed.IsZero() {
			m.Resolved = noon // nothing is in trouble but in an incident that is open
		}
		return nil, tx.PutMember(m)
	}}
}

func (g *generator) resolveMembers() operation {
	id, at := pick(g, "incident", incidentIDs...), g.at("resolved")
	return operation{fmt.Sprintf("ResolveMembers(%d, %s)", id, at), func(tx engine.Tx) (any, error) { return nil, tx.ResolveMembers(id, at) }}
}

func (g *generator) putDelivery() operation {
	d := engine.DeliveryRow{
		ID: pick(g, "delivery", deliveryIDs...), Incident: pick(g, "incident", append([]int64{0}, incidentIDs...)...), Cause: pick(g, "cause", causes...),
		Sink: pick(g, "sink", sinks...), Class: pick(g, "class", engine.ClassFailure, engine.ClassDeadline, engine.ClassRecovery, engine.ClassUpdate, engine.ClassTest),
		Body: []byte(pick(g, "text", texts...)), NotBefore: g.at("not before"), Attempts: rapid.IntRange(0, 3).Draw(g.T, "attempts"),
		State: pick(g, "state", engine.OutboxPending, engine.OutboxPending, engine.OutboxDelivered, engine.OutboxFailed), Reason: pick(g, "text", texts...),
		CreatedAt: g.at("created"),
	}
	if d.State != engine.OutboxPending {
		d.EndedAt = g.at("ended")
	}
	if g.rarely("not allowed", 60) {
		d.Class, d.Sink = pick(g, "class", "odd", d.Class), pick(g, "sink", "", d.Sink)
	}
	return operation{fmt.Sprintf("PutDelivery(%s)", words(d)), func(tx engine.Tx) (any, error) { return nil, tx.PutDelivery(d) }}
}

func (g *generator) pruneAlerts() operation {
	before, limit := g.at("before"), rapid.IntRange(0, 3).Draw(g.T, "limit")
	return operation{fmt.Sprintf("PruneAlerts(%s, %d)", before, limit), func(tx engine.Tx) (any, error) { return tx.PruneAlerts(before, limit) }}
}

// dumpAlerts shows what is watched, and everything about alerts.
func dumpAlerts(v invariant.Source, instances []engine.Instance, show func(what string, result any, err error)) {
	for n := range instances {
		i := &instances[n]
		watches, err := v.Watches(i.ID)
		show("watches", watches, err)
		of, err := v.MembershipsOf(i.ID)
		show("a member of", of, err)
		held, err := v.HeldBy(i.Job, i.Key, i.PlanTime, 100)
		show("holds up", idsOf(held), err)
	}
	over, err := v.WatchesOver(100)
	show("over", over, err)
	agenda, err := v.AlertAgenda()
	show("agenda of alerts", agenda, err)
	due, err := v.WatchesDue(far, 1000)
	show("watched", due, err)
	incidents, err := v.Incidents(false, 0, 100)
	show("incidents", incidents, err)
	open, err := v.Incidents(true, 0, 100)
	show("open incidents", len(open), err)
	toLook, err := v.IncidentsDue(far, 100)
	show("incidents to look at", toLook, err)
	for _, cause := range causes {
		row, err := v.OpenIncident(cause)
		show("incident of "+cause, row.ID, err)
		for _, sink := range sinks {
			at, err := v.LastTold(sink, cause, engine.ClassFailure)
			show("last told", at, err)
		}
	}
	for _, id := range incidentIDs {
		members, err := v.Members(id, 100)
		show("members", members, err)
		counts, err := v.MemberCounts(id)
		show("counts", counts, err)
		roots, err := v.Roots(id)
		show("roots", roots, err)
		open, err := v.OpenMembers(id, 0, 100)
		show("open members", open, err)
		sent, err := v.Deliveries(id)
		show("deliveries", sent, err)
	}
	for _, id := range jobIDs {
		members, err := v.Unresolved(id, far, 100)
		show("unresolved", members, err)
	}
	for _, id := range deliveryIDs {
		row, err := v.Delivery(id)
		show("delivery", row, err)
	}
	toSend, err := v.DeliveriesDue(far, 100)
	show("to send", toSend, err)
	failed, err := v.FailedDeliveries(noon, 100)
	show("given up", failed, err)
	counts, err := v.AlertCounts(noon)
	show("counts of alerts", counts, err)
}
