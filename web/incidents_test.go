package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

// silent is a Notifier with one sink that is never reached: the loop does not run in these tests.
type silent struct{}

func (silent) Sinks() []string                                       { return []string{"ops"} }
func (silent) Notify(string, engine.AlertMessage, func(engine.Told)) { panic("nobody is told here") }

// incident records one of the orders of an hour, with a delivery, and returns the ids of both.
func (f *fixture) incident(hour int, cause string) (id, delivery int64) {
	f.t.Helper()
	i := f.at("orders", hour)
	require.NoError(f.t, f.db.Write(f.t.Context(), func(tx engine.Tx) error {
		var err error
		if id, err = tx.Reserve(2); err != nil {
			return err
		}
		delivery = id + 1
		reason := engine.Reason{Code: engine.ReasonStepFailed, Detail: "exit 3"}
		if err := tx.PutIncident(engine.IncidentRow{
			ID: id, Cause: cause, Instance: i.ID, Job: i.Job, PlanTime: i.PlanTime, Kind: engine.AlertFailed, Reason: reason, Opened: start, Look: start, Blocked: 2,
		}); err != nil {
			return err
		}
		if err := tx.PutMember(engine.MemberRow{Incident: id, Instance: i.ID, Job: i.Job, PlanTime: i.PlanTime, Kind: engine.AlertFailed, Since: start}); err != nil {
			return err
		}
		return tx.PutDelivery(engine.DeliveryRow{
			ID: delivery, Incident: id, Cause: cause, Sink: "ops", Class: engine.ClassFailure, Body: []byte("{}"), NotBefore: start, State: engine.OutboxPending, CreatedAt: start,
		})
	}))
	return id, delivery
}

func alertVisits(f *fixture) map[string]visit {
	id, delivery := f.incident(8, "job/1")
	return map[string]visit{
		"listIncidents":       {"/api/v1/incidents", "", 200, nil},
		"getIncident":         {fmt.Sprintf("/api/v1/incidents/%d", id), "", 200, nil},
		"acknowledgeIncident": {fmt.Sprintf("/api/v1/incidents/%d/ack", id), "{}", 200, nil},
		"listSinks":           {"/api/v1/sinks", "", 200, nil},
		"testSink":            {"/api/v1/sinks/ops/test", "{}", 200, nil},
		"getDelivery":         {fmt.Sprintf("/api/v1/deliveries/%d", delivery), "", 200, nil},
	}
}

func TestIncidentsAreListedShownAndAcknowledged(t *testing.T) {
	f := newFixture(t)
	first, delivery := f.incident(8, "job/1")
	second, _ := f.incident(9, "job/2")
	get := func(path string, into any) {
		w := f.as("viewer", http.MethodGet, "/api/v1/"+path, "")
		require.Equal(t, 200, w.Code, w.Body)
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), into))
	}
	var page web.IncidentPage
	get("incidents?limit=1", &page)
	require.EqualValues(t, second, page.Items[0].ID)
	require.Equal(t, fmt.Sprint(second), page.Next)
	page = web.IncidentPage{}
	get("incidents?state=open&cursor="+fmt.Sprint(second), &page)
	require.Len(t, page.Items, 1)
	require.Equal(t, "retail/orders 2026-11-21 08:00 +01:00 failed (2 blocked)", page.Items[0].Title)

	w := f.as("operator", http.MethodPost, fmt.Sprintf("/api/v1/incidents/%d/ack", first), `{"note":"they know"}`)
	require.Equal(t, 200, w.Code, w.Body)
	require.Contains(t, f.output.String(), "they know", "it is in the audit log")
	var x web.IncidentDetail
	get(fmt.Sprintf("incidents/%d", first), &x)
	require.Equal(t, "operator", x.AcknowledgedBy)
	require.Equal(t, "they know", x.Note)
	require.Len(t, x.Members, 1)
	require.Equal(t, engine.Waiting, x.Members[0].State)
	require.EqualValues(t, delivery, x.Deliveries[0].ID)

	var sinks web.SinkList
	get("sinks", &sinks)
	require.Equal(t, web.SinkList{Sinks: []string{"ops"}, Open: 2, Pending: 2, Latest: []web.Delivery{}}, sinks)
	refused(f, f.as("operator", http.MethodPost, "/api/v1/sinks/nobody/test", "{}"), 404, "not-found")
	refused(f, f.as("operator", http.MethodPost, "/api/v1/incidents/999999/ack", "{}"), 404, "not-found")
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/incidents?state=sad", ""), 422, "invalid")
}
