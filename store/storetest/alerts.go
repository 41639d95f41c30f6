package storetest

import (
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

var alertCases = []testCase{
	{"what fails is watched from the transaction in which it does, and what ends well only while its job is in trouble", func(w *world) {
		at := moment("02:00")
		a, b := w.insert(w.planned("A", "01:00")), w.insert(w.planned("A", "02:00"))
		watched := func() (ids []int64) {
			w.read(func(v engine.View) {
				rows, err := v.WatchesDue(at, 100)
				require.NoError(w, err)
				for _, r := range rows {
					require.Equal(w, at, r.At)
					ids = append(ids, r.Instance)
				}
			})
			return ids
		}
		apply := func(i engine.Instance, event engine.Event, from engine.State) {
			w.write(func(tx engine.Tx) {
				ok, err := tx.Apply(engine.Transition{Instance: i.ID, Event: event, From: from, At: at})
				require.NoError(w, err)
				require.True(w, ok)
			})
		}
		apply(b, engine.Force, engine.Waiting)
		require.Empty(w, watched(), "nothing is in trouble")
		apply(a, engine.Cancel, engine.Waiting)
		require.Equal(w, []int64{a.ID}, watched())
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.DropWatch(a.ID))
			require.NoError(w, tx.DropWatch(12345), "there is none")
			require.NoError(w, tx.PutIncident(incident(900, "job/1", a)))
			require.NoError(w, tx.PutMember(engine.MemberRow{Incident: 900, Instance: a.ID, Job: a.Job, PlanTime: a.PlanTime, Kind: engine.AlertBlocked, Since: at}))
		})
		apply(a, engine.Force, engine.Cancelled)
		require.Empty(w, watched(), "it was blocked and nothing more")
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.PutMember(engine.MemberRow{Incident: 900, Instance: a.ID, Job: a.Job, PlanTime: a.PlanTime, Kind: engine.AlertFailed, Since: at}))
		})
		c := w.insert(w.planned("A", "03:00"))
		deadline := moment("05:00")
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.PutWatches([]engine.AlertWatchRow{{Instance: c.ID, At: moment("04:00"), Deadline: deadline}}))
		})
		apply(c, engine.Force, engine.Waiting)
		require.Equal(w, []int64{c.ID}, watched(), "its time is moved")
		w.read(func(v engine.View) {
			rows, err := v.WatchesDue(at, 100)
			require.NoError(w, err)
			require.Equal(w, deadline, rows[0].Deadline, "and its deadline stays")
			next, err := v.AlertAgenda()
			require.NoError(w, err)
			require.Equal(w, at, next.Watch)
		})
	}},
	{"watches are due by time, many at once too", func(w *world) {
		var rows []engine.AlertWatchRow
		for n := range int64(200) {
			rows = append(rows, engine.AlertWatchRow{Instance: 1000 + n, At: moment("02:00").Add(-time.Duration(n) * time.Second)})
		}
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.PutWatches(rows))
			require.NoError(w, tx.PutWatches(nil))
		})
		w.read(func(v engine.View) {
			due, err := v.WatchesDue(moment("02:00"), 3)
			require.NoError(w, err)
			w.same([]engine.AlertWatchRow{rows[199], rows[198], rows[197]}, due)
			due, err = v.WatchesDue(rows[199].At.Add(-time.Millisecond), 3)
			require.NoError(w, err)
			require.Empty(w, due)
		})
	}},
	{"one incident of a cause is open at a time", func(w *world) {
		a := w.insert(w.planned("A", "01:00"))
		first := incident(900, "job/1", a)
		w.write(func(tx engine.Tx) { require.NoError(w, tx.PutIncident(first)) })
		w.refused(func(tx engine.Tx) error { return tx.PutIncident(incident(901, "job/1", a)) })
		other := incident(902, "slots", a)
		other.Look = moment("02:30")
		w.write(func(tx engine.Tx) { require.NoError(w, tx.PutIncident(other)) })
		w.read(func(v engine.View) {
			got, err := v.OpenIncident("job/1")
			require.NoError(w, err)
			w.same(first, got)
			_, err = v.OpenIncident("disk")
			require.ErrorIs(w, err, engine.ErrNotFound)
			_, err = v.Incident(901)
			require.ErrorIs(w, err, engine.ErrNotFound)
			due, err := v.IncidentsDue(moment("02:59"), 10)
			require.NoError(w, err)
			w.same([]engine.IncidentRow{other}, due)
			next, err := v.AlertAgenda()
			require.NoError(w, err)
			require.Equal(w, engine.AlertAgenda{Incident: other.Look}, next)
		})
		first.Closed, first.AckedBy, first.Acked, first.Note, first.Told, first.Blocked = moment("03:00"), "ann", moment("02:10"), "known", 3, 2
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.PutIncident(first))
			require.NoError(w, tx.PutIncident(incident(901, "job/1", a)), "the one before it is over")
		})
		w.read(func(v engine.View) {
			got, err := v.Incident(900)
			require.NoError(w, err)
			w.same(first, got)
			all, err := v.Incidents(false, 0, 10)
			require.NoError(w, err)
			require.Equal(w, []int64{902, 901, 900}, []int64{all[0].ID, all[1].ID, all[2].ID})
			open, err := v.Incidents(true, 902, 10)
			require.NoError(w, err)
			require.Len(w, open, 1)
			require.EqualValues(w, 901, open[0].ID)
			n, err := v.AlertCounts(time.Time{})
			require.NoError(w, err)
			require.Equal(w, engine.AlertCounts{Open: 2}, n)
		})
	}},
	{"members: those in trouble first, counted by kind, found by job and by instance", func(w *world) {
		a, b, c := w.insert(w.planned("A", "01:00")), w.insert(w.planned("A", "02:00")), w.insert(w.planned("B", "02:00"))
		member := func(i engine.Instance, kind engine.AlertKind) engine.MemberRow {
			return engine.MemberRow{Incident: 900, Instance: i.ID, Job: i.Job, Ref: i.Ref, PlanTime: i.PlanTime, Kind: kind, Since: moment("03:00")}
		}
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.PutIncident(incident(900, "job/1", a)))
			for _, m := range []engine.MemberRow{member(a, engine.AlertBlocked), member(b, engine.AlertFailed), member(c, engine.AlertNeverStarted)} {
				require.NoError(w, tx.PutMember(m))
			}
		})
		w.read(func(v engine.View) {
			members, err := v.Members(900, 10)
			require.NoError(w, err)
			w.same([]engine.MemberRow{member(b, engine.AlertFailed), member(c, engine.AlertNeverStarted), member(a, engine.AlertBlocked)}, members)
			counts, err := v.MemberCounts(900)
			require.NoError(w, err)
			require.Equal(w, []engine.MemberCount{
				{Incident: 900, Kind: engine.AlertBlocked, All: 1, Open: 1},
				{Incident: 900, Kind: engine.AlertFailed, All: 1, Open: 1},
				{Incident: 900, Kind: engine.AlertNeverStarted, All: 1, Open: 1},
			}, counts)
			roots, err := v.Roots(900, 12345)
			require.NoError(w, err)
			w.same([]engine.MemberRow{member(a, engine.AlertBlocked)}, roots)
			of, err := v.MembershipsOf(a.ID)
			require.NoError(w, err)
			w.same([]engine.MemberRow{member(a, engine.AlertBlocked)}, of)
			open, err := v.Unresolved(a.Job, b.PlanTime, 10)
			require.NoError(w, err)
			w.same([]engine.MemberRow{member(b, engine.AlertFailed)}, open)
			open, err = v.Unresolved(a.Job, a.PlanTime, 10)
			require.NoError(w, err)
			require.Empty(w, open, "of plan times up to that one")
			open, err = v.OpenMembers(900, 0, 10)
			require.NoError(w, err)
			w.same([]engine.MemberRow{member(b, engine.AlertFailed), member(c, engine.AlertNeverStarted)}, open)
			open, err = v.OpenMembers(900, b.ID, 1)
			require.NoError(w, err)
			w.same([]engine.MemberRow{member(c, engine.AlertNeverStarted)}, open)
		})
		late := member(a, engine.AlertStillRunning)
		late.Resolved = moment("04:00")
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.PutMember(late))
			d := w.planned("D", "01:00")
			d.ID = 7777 // whatever became of it
			require.NoError(w, tx.PutMember(member(d, engine.AlertBlocked)))
			require.NoError(w, tx.ResolveMembers(900, moment("05:00")))
		})
		w.read(func(v engine.View) {
			counts, err := v.MemberCounts(900)
			require.NoError(w, err)
			require.Equal(w, []engine.MemberCount{
				{Incident: 900, Kind: engine.AlertBlocked, All: 1, Open: 1},
				{Incident: 900, Kind: engine.AlertFailed, All: 1},
				{Incident: 900, Kind: engine.AlertNeverStarted, All: 1},
				{Incident: 900, Kind: engine.AlertStillRunning, All: 1},
			}, counts)
			of, err := v.MembershipsOf(7777)
			require.NoError(w, err)
			require.Len(w, of, 1, "what is merely blocked is so until its incident is closed")
		})
		closed := incident(900, "job/1", a)
		closed.Closed = moment("05:00")
		w.write(func(tx engine.Tx) { require.NoError(w, tx.PutIncident(closed)) })
		w.read(func(v engine.View) {
			counts, err := v.MemberCounts(900)
			require.NoError(w, err)
			require.Equal(w, engine.MemberCount{Incident: 900, Kind: engine.AlertBlocked, All: 1}, counts[0])
			of, err := v.MembershipsOf(7777)
			require.NoError(w, err)
			require.Empty(w, of)
			members, err := v.Members(900, 4)
			require.NoError(w, err)
			require.Equal(w, engine.AlertBlocked, members[3].Kind)
			require.Equal(w, moment("05:00"), members[3].Resolved)
		})
		w.read(func(v engine.View) {
			members, err := v.Members(900, 2)
			require.NoError(w, err)
			require.Len(w, members, 2)
			w.same(late, members[0]) // what is resolved stays so
			require.Equal(w, moment("05:00"), members[1].Resolved)
			open, err := v.Unresolved(a.Job, b.PlanTime, 10)
			require.NoError(w, err)
			require.Empty(w, open)
		})
		w.refused(func(tx engine.Tx) error { return tx.PutMember(member(a, "sad")) })
	}},
	{"what would go on waiting for a failed instance, and what would not", func(w *world) {
		root := w.insert(w.planned("B", "01:00"))
		wants := w.insert(w.planned("A", "02:00"), w.on("B", "00:30", "01:30"))
		w.insert(w.planned("A", "03:00"), w.on("B", "01:30", "02:30"))
		anyOf := w.on("B", "00:30", "01:30")
		anyOf.Select, anyOf.Count = "any", 2
		w.insert(w.planned("C", "02:00"), anyOf)
		runs := w.on("B", "01:00", "01:00")
		runs.OnFailed = engine.FailedRun
		w.insert(w.planned("C", "03:00"), runs)
		ended := w.on("B", "01:00", "01:00")
		ended.Ended = true
		w.insert(w.planned("C", "04:00"), ended)
		over := w.insert(w.planned("D", "02:00"), w.on("B", "01:00", "01:00"))
		w.write(func(tx engine.Tx) {
			_, err := tx.Apply(engine.Transition{Instance: over.ID, Event: engine.Cancel, From: engine.Waiting, At: moment("02:00")})
			require.NoError(w, err)
		})
		w.read(func(v engine.View) {
			held, err := v.HeldBy(root.Job, "", root.PlanTime, 10)
			require.NoError(w, err)
			require.Equal(w, []int64{wants.ID}, ids(held))
			held, err = v.HeldBy(root.Job, "other", root.PlanTime, 10)
			require.NoError(w, err)
			require.Empty(w, held)
		})
	}},
	{"deliveries are due by time, and are remembered by sink and cause", func(w *world) {
		d := engine.DeliveryRow{
			ID: 950, Incident: 900, Cause: "job/1", Sink: "ops", Class: engine.ClassFailure, Body: []byte(`{"a":1}`), NotBefore: moment("02:00"),
			State: engine.OutboxPending, CreatedAt: moment("02:00"),
		}
		test := d
		test.ID, test.Incident, test.Cause, test.Class = 949, 0, "", engine.ClassTest
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.PutDelivery(d))
			require.NoError(w, tx.PutDelivery(test))
		})
		w.read(func(v engine.View) {
			due, err := v.DeliveriesDue(moment("02:00"), 10)
			require.NoError(w, err)
			w.same([]engine.DeliveryRow{test, d}, due)
			of, err := v.Deliveries(900)
			require.NoError(w, err)
			w.same([]engine.DeliveryRow{d}, of)
			agenda, err := v.AlertAgenda()
			require.NoError(w, err)
			require.Equal(w, engine.AlertAgenda{Send: moment("02:00")}, agenda, "nothing is watched")
			at, err := v.LastTold("ops", "job/1", engine.ClassFailure)
			require.NoError(w, err)
			require.Equal(w, d.CreatedAt, at)
			at, err = v.LastTold("ops", "job/1", engine.ClassRecovery)
			require.NoError(w, err)
			require.True(w, at.IsZero())
			_, err = v.Delivery(1)
			require.ErrorIs(w, err, engine.ErrNotFound)
		})
		d.Body = []byte(`{"a":2}`)
		w.write(func(tx engine.Tx) { require.NoError(w, tx.PutDelivery(d)) })
		w.read(func(v engine.View) {
			got, err := v.Delivery(d.ID)
			require.NoError(w, err)
			w.same(d, got) // nobody was told yet
		})
		tried := d
		d.Attempts = 1
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.PutDelivery(d))
			tried.Body, tried.Attempts = []byte(`{"a":3}`), 2
			require.NoError(w, tx.PutDelivery(tried))
		})
		w.read(func(v engine.View) {
			got, err := v.Delivery(d.ID)
			require.NoError(w, err)
			require.Equal(w, d.Body, got.Body, "whoever is told again is told the same")
		})
		d.Attempts, d.State, d.Reason, d.EndedAt = 3, engine.OutboxFailed, "HTTP 410", moment("02:30")
		test.Attempts, test.State, test.EndedAt = 1, engine.OutboxDelivered, moment("02:10")
		w.write(func(tx engine.Tx) {
			require.NoError(w, tx.PutDelivery(d))
			require.NoError(w, tx.PutDelivery(test))
		})
		w.read(func(v engine.View) {
			due, err := v.DeliveriesDue(moment("12:00"), 10)
			require.NoError(w, err)
			require.Empty(w, due)
			failed, err := v.FailedDeliveries(moment("02:30"), 10)
			require.NoError(w, err)
			w.same([]engine.DeliveryRow{d}, failed)
			n, err := v.AlertCounts(moment("02:31"))
			require.NoError(w, err)
			require.Zero(w, n)
			agenda, err := v.AlertAgenda()
			require.NoError(w, err)
			require.Zero(w, agenda, "what has ended is not sent")
		})
		w.refused(func(tx engine.Tx) error {
			bad := d
			bad.ID, bad.Class = 951, "shout"
			return tx.PutDelivery(bad)
		})
	}},
	{"retention removes what was closed, but nothing that is yet to be told", func(w *world) {
		a := w.insert(w.planned("A", "01:00"))
		w.write(func(tx engine.Tx) {
			for n, closed := range []string{"02:00", "02:00", "04:00", ""} {
				row := incident(int64(900+n), "job/"+string(rune('1'+n)), a)
				if closed != "" {
					row.Closed = moment(closed)
				}
				require.NoError(w, tx.PutIncident(row))
				require.NoError(w, tx.PutMember(engine.MemberRow{Incident: row.ID, Instance: a.ID, Job: a.Job, PlanTime: a.PlanTime, Kind: engine.AlertFailed, Since: row.Opened}))
			}
			d := engine.DeliveryRow{ID: 950, Incident: 901, Sink: "ops", Body: []byte("{}"), Class: engine.ClassFailure, State: engine.OutboxPending, NotBefore: moment("02:00"), CreatedAt: moment("02:00")}
			require.NoError(w, tx.PutDelivery(d))
			d.ID, d.Incident, d.State, d.EndedAt = 951, 900, engine.OutboxDelivered, moment("02:00")
			require.NoError(w, tx.PutDelivery(d))
			d.ID, d.Incident, d.Class = 952, 0, engine.ClassTest
			require.NoError(w, tx.PutDelivery(d))
		})
		w.write(func(tx engine.Tx) {
			n, err := tx.PruneAlerts(moment("03:00"), 10)
			require.NoError(w, err)
			require.Equal(w, 1, n)
		})
		w.read(func(v engine.View) {
			all, err := v.Incidents(false, 0, 10)
			require.NoError(w, err)
			require.Len(w, all, 3)
			for _, gone := range []int64{951, 952} {
				_, err := v.Delivery(gone)
				require.ErrorIs(w, err, engine.ErrNotFound)
			}
			members, err := v.Members(900, 10)
			require.NoError(w, err)
			require.Empty(w, members)
			members, err = v.Members(901, 10)
			require.NoError(w, err)
			require.Len(w, members, 1)
		})
	}},
}

// moment is a time of that day as it comes back where no person reads it.
func moment(clock string) time.Time { return at(clock).UTC() }

// refused runs fn in a write transaction, which must fail.
func (w *world) refused(fn func(tx engine.Tx) error) {
	w.Helper()
	require.Error(w, w.store.Write(w.ctx, fn))
}

func incident(id int64, cause string, root engine.Instance) engine.IncidentRow {
	return engine.IncidentRow{
		ID: id, Cause: cause, Instance: root.ID, Job: root.Job, PlanTime: root.PlanTime, Kind: engine.AlertFailed,
		Reason: engine.Reason{Code: engine.ReasonStepFailed, Detail: "exit 3"}, Opened: moment("02:00"), Look: moment("03:00"),
	}
}
