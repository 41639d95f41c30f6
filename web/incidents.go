package web

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// AlertControl is what the API asks about alerts. The errors are as those of Control.
type AlertControl interface {
	Incidents(ctx context.Context, open bool, below int64, limit int) ([]engine.Incident, error)
	Incident(ctx context.Context, id int64) (engine.Incident, error)
	AckIncident(ctx context.Context, id int64, actor, note string, now time.Time) (engine.Incident, error)
	TestSink(ctx context.Context, sink, actor, note string, now time.Time) (engine.DeliveryRow, error)
	Sinks() []string
	Delivery(ctx context.Context, id int64) (engine.DeliveryRow, error)
	AlertState(ctx context.Context, since time.Time, limit int) (engine.AlertCounts, []engine.DeliveryRow, error)
}

// An Incident is one root cause of trouble.
type Incident struct {
	ID             ID               `json:"id"`
	Cause          string           `json:"cause" doc:"What brings further trouble into it: a job, or what many jobs lack alike" example:"job/11"`
	Kind           engine.AlertKind `json:"kind" enum:"never-started,will-be-late,still-running,ended-late,failed,lost,cancelled" doc:"As which it began, or what it came to"`
	Title          string           `json:"title" doc:"In one line, for people"`
	Root           IncidentInstance `json:"root" doc:"The instance from which it comes"`
	Reason         Reason           `json:"reason" doc:"Of the root, when it began"`
	OpenedAt       time.Time        `json:"openedAt"`
	AcknowledgedAt time.Time        `json:"acknowledgedAt,omitzero"`
	AcknowledgedBy string           `json:"acknowledgedBy,omitempty"`
	Note           string           `json:"note,omitempty" doc:"Of who acknowledged it"`
	ClosedAt       time.Time        `json:"closedAt,omitzero" doc:"Absent while it is open"`
	Trouble        int              `json:"trouble" doc:"Members that failed or were late"`
	Open           int              `json:"open" doc:"Of these, not resolved"`
	Blocked        int              `json:"blocked" doc:"Waiting instances that cannot start because of the root, when it was last looked at; at most 10,000 are counted"`
}

// An IncidentInstance names an instance of an incident.
type IncidentInstance struct {
	ID       ID        `json:"id"`
	Name     string    `json:"name" example:"retail/orders@2026-11-21T06:00:00+01:00"`
	Workflow string    `json:"workflow"`
	Job      string    `json:"job"`
	PlanTime time.Time `json:"planTime"`
}

// An IncidentMember is an instance that belongs to an incident.
type IncidentMember struct {
	IncidentInstance
	Kind       engine.AlertKind `json:"kind" enum:"never-started,will-be-late,still-running,ended-late,failed,lost,cancelled,root,blocked"`
	Since      time.Time        `json:"since"`
	ResolvedAt time.Time        `json:"resolvedAt,omitzero"`
	State      engine.State     `json:"state,omitempty" doc:"Now; absent when retention has removed the instance"`
	Reason     *Reason          `json:"reason,omitempty"`
}

// A Delivery is a message for one sink.
type Delivery struct {
	ID        ID                 `json:"id" doc:"The same however often it is repeated; receivers get it too"`
	Incident  *ID                `json:"incident,omitempty" doc:"Absent for a test"`
	Sink      string             `json:"sink"`
	Class     engine.AlertClass  `json:"class" enum:"deadline,failure,recovery,update,test"`
	State     engine.OutboxState `json:"state" enum:"pending,delivered,failed"`
	Attempts  int                `json:"attempts"`
	Error     string             `json:"error,omitempty" doc:"Why the last attempt failed"`
	CreatedAt time.Time          `json:"createdAt"`
	NotBefore time.Time          `json:"notBefore,omitzero" doc:"Of a pending one: when it is tried again, unless an attempt under way succeeds"`
	EndedAt   time.Time          `json:"endedAt,omitzero"`
}

// An IncidentDetail is an incident with its members and what was told of it.
type IncidentDetail struct {
	Incident
	Members    []IncidentMember `json:"members" doc:"At most 100, those in trouble before blocked ones"`
	Deliveries []Delivery       `json:"deliveries"`
}

// An IncidentPage is a page of incidents, the newest first.
type IncidentPage struct {
	Items []Incident `json:"items"`
	Next  string     `json:"next,omitempty" doc:"The value of before for the next page; absent on the last"`
}

// A SinkList is the sinks of the server, and how alerts stand.
type SinkList struct {
	Sinks   []string   `json:"sinks"`
	Open    int        `json:"openIncidents"`
	Pending int        `json:"pendingDeliveries"`
	Failed  int        `json:"failedDeliveries" doc:"That failed for good within the last 24 hours"`
	Latest  []Delivery `json:"latestFailures" doc:"The newest of these, at most 20"`
}

func newIncident(i *engine.Incident) Incident {
	zone := i.PlanTime.Location()
	shown := Incident{
		ID: ID(i.ID), Cause: i.Cause, Kind: i.Kind, Title: i.Title(), Root: newIncidentInstance(i.Instance, i.Ref, i.PlanTime), Reason: newReason(i.Reason, zone),
		OpenedAt: in(i.Opened, zone), AcknowledgedAt: in(i.Acked, zone), AcknowledgedBy: i.AckedBy, Note: i.Note, ClosedAt: in(i.Closed, zone), Blocked: i.Blocked,
	}
	for _, c := range i.Counts {
		if c.Kind.Class() != "" {
			shown.Trouble += c.All
			shown.Open += c.Open
		}
	}
	return shown
}

func newIncidentInstance(id int64, ref engine.JobRef, planTime time.Time) IncidentInstance {
	named := engine.Instance{Ref: ref, PlanTime: planTime}
	return IncidentInstance{ID: ID(id), Name: named.Name(), Workflow: ref.Workflow, Job: ref.Job, PlanTime: planTime}
}

func newIncidentDetail(i *engine.Incident) IncidentDetail {
	shown := IncidentDetail{Incident: newIncident(i), Members: []IncidentMember{}, Deliveries: []Delivery{}}
	for n := range i.Members {
		m := &i.Members[n]
		zone := m.PlanTime.Location()
		member := IncidentMember{
			IncidentInstance: newIncidentInstance(m.Instance, m.Ref, m.PlanTime), Kind: m.Kind, Since: in(m.Since, zone), ResolvedAt: in(m.Resolved, zone), State: m.State,
		}
		if m.State != "" {
			reason := newReason(m.Reason, zone)
			member.Reason = &reason
		}
		shown.Members = append(shown.Members, member)
	}
	for n := range i.Deliveries {
		shown.Deliveries = append(shown.Deliveries, newDelivery(&i.Deliveries[n]))
	}
	return shown
}

func newDelivery(d *engine.DeliveryRow) Delivery {
	shown := Delivery{ID: ID(d.ID), Sink: d.Sink, Class: d.Class, State: d.State, Attempts: d.Attempts, Error: d.Reason, CreatedAt: d.CreatedAt, EndedAt: d.EndedAt}
	if d.State == engine.OutboxPending {
		shown.NotBefore = d.NotBefore
	}
	if d.Incident != 0 {
		id := ID(d.Incident)
		shown.Incident = &id
	}
	return shown
}

type listIncidentsInput struct {
	State  string `query:"state" enum:"open,all" default:"all" doc:"Only open ones, or all"`
	Before int64  `query:"cursor" minimum:"0" doc:"next of the page before"`
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"100" doc:"Rows of a page"`
}

type incidentPageOutput struct{ Body IncidentPage }

func (s *server) listIncidents(ctx context.Context, in *listIncidentsInput) (*incidentPageOutput, error) {
	list, err := s.cfg.Control.Incidents(ctx, in.State == "open", in.Before, in.Limit)
	if err != nil {
		return nil, err
	}
	out := &incidentPageOutput{IncidentPage{Items: make([]Incident, len(list))}}
	for n := range list {
		out.Body.Items[n] = newIncident(&list[n])
	}
	if len(list) == in.Limit {
		out.Body.Next = strconv.FormatInt(list[len(list)-1].ID, 10)
	}
	return out, nil
}

type incidentInput struct {
	ID int64 `path:"id" minimum:"1" doc:"The incident's id"`
}

type incidentOutput struct{ Body IncidentDetail }

func (s *server) getIncident(ctx context.Context, in *incidentInput) (*incidentOutput, error) {
	i, err := s.cfg.Control.Incident(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &incidentOutput{newIncidentDetail(&i)}, nil
}

type ackInput struct {
	ID   int64 `path:"id" minimum:"1" doc:"The incident's id"`
	Body *NoteRequest
}

func (s *server) ackIncident(ctx context.Context, in *ackInput) (*incidentOutput, error) {
	note := noteOf(ctx, in.Body)
	i, err := s.cfg.Control.AckIncident(ctx, in.ID, exchangeOf(ctx).principal.name, note, s.cfg.Now())
	if err != nil {
		return nil, err
	}
	return &incidentOutput{newIncidentDetail(&i)}, nil
}

// noteOf is the reason that was given, which the audit line shows too.
func noteOf(ctx context.Context, body *NoteRequest) string {
	if body == nil {
		return ""
	}
	exchangeOf(ctx).note = body.Note
	return body.Note
}

type sinkListOutput struct{ Body SinkList }

// failuresShown is how many failed deliveries an answer has.
const failuresShown = 20

func (s *server) listSinks(ctx context.Context, _ *struct{}) (*sinkListOutput, error) {
	n, failed, err := s.cfg.Control.AlertState(ctx, s.cfg.Now().Add(-countedSpan), failuresShown)
	if err != nil {
		return nil, err
	}
	out := &sinkListOutput{SinkList{Sinks: s.cfg.Control.Sinks(), Open: n.Open, Pending: n.Pending, Failed: n.Failed, Latest: make([]Delivery, len(failed))}}
	if out.Body.Sinks == nil {
		out.Body.Sinks = []string{}
	}
	for i := range failed {
		out.Body.Latest[i] = newDelivery(&failed[i])
	}
	return out, nil
}

type testSinkInput struct {
	Sink string `path:"sink" maxLength:"128" doc:"The sink's name"`
	Body *NoteRequest
}

type deliveryOutput struct{ Body Delivery }

func (s *server) testSink(ctx context.Context, in *testSinkInput) (*deliveryOutput, error) {
	note := noteOf(ctx, in.Body)
	d, err := s.cfg.Control.TestSink(ctx, in.Sink, exchangeOf(ctx).principal.name, note, s.cfg.Now())
	if err != nil {
		return nil, err
	}
	return &deliveryOutput{newDelivery(&d)}, nil
}

type deliveryInput struct {
	ID int64 `path:"id" minimum:"1" doc:"The delivery's id"`
}

func (s *server) getDelivery(ctx context.Context, in *deliveryInput) (*deliveryOutput, error) {
	d, err := s.cfg.Control.Delivery(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &deliveryOutput{newDelivery(&d)}, nil
}

// alertRoutes are the routes of alerts.
func alertRoutes() []route {
	get, post := http.MethodGet, http.MethodPost
	conflict, missing := []int{http.StatusNotFound, http.StatusConflict}, []int{http.StatusNotFound}
	return []route{
		{Method: get, Pattern: prefix + "/incidents", Permission: Viewer, ID: "listIncidents", Tag: "alerts",
			Summary: "List incidents, newest first", Answers: ok(IncidentPage{Items: []Incident{exampleIncident.Incident}}), register: operation((*server).listIncidents)},
		{Method: get, Pattern: prefix + "/incidents/{id}", Permission: Viewer, ID: "getIncident", Tag: "alerts", Refuses: missing,
			Summary: "One incident: its root, what belongs to it, and who was told", Answers: ok(exampleIncident), register: operation((*server).getIncident)},
		{Method: post, Pattern: prefix + "/incidents/{id}/ack", Permission: Operator, ID: "acknowledgeIncident", Tag: "alerts", Refuses: conflict,
			Audit: true, Idempotent: true, BodyLimit: maxBody, Summary: "Say that somebody knows of an incident",
			Text:    "It stays open until it is over, and nobody is told any more how it grows. Doing it twice is doing it once.",
			Request: exampleNote, Answers: ok(exampleIncident), register: operation((*server).ackIncident)},
		{Method: get, Pattern: prefix + "/sinks", Permission: Viewer, ID: "listSinks", Tag: "alerts",
			Summary: "The sinks of the server, and how alerts stand", Answers: ok(exampleSinks), register: operation((*server).listSinks)},
		{Method: post, Pattern: prefix + "/sinks/{sink}/test", Permission: Operator, ID: "testSink", Tag: "alerts", Refuses: missing,
			Audit: true, Idempotent: true, BodyLimit: maxBody, Summary: "Send a message to a sink that says that it is a test", Text: "It goes the way of every alert; the delivery says what came of it.",
			Request: exampleNote, Answers: ok(exampleDelivery), register: operation((*server).testSink)},
		{Method: get, Pattern: prefix + "/deliveries/{id}", Permission: Viewer, ID: "getDelivery", Tag: "alerts", Refuses: missing,
			Summary: "What became of one message", Answers: ok(exampleDelivery), register: operation((*server).getDelivery)},
	}
}

var (
	exampleIncidentID = ID(4400)
	exampleDelivery   = Delivery{
		ID: 4402, Incident: &exampleIncidentID, Sink: "ops", Class: engine.ClassFailure, State: engine.OutboxDelivered, Attempts: 1,
		CreatedAt: exampleUp.Add(time.Minute), EndedAt: exampleUp.Add(time.Minute),
	}
	exampleFailed = Reason{Code: engine.ReasonStepFailed, Text: "failed: exit 3 after attempt 1", Detail: "exit 3 after attempt 1"}

	exampleIncident = IncidentDetail{
		Incident: Incident{
			ID: exampleIncidentID, Cause: "job/10", Kind: engine.AlertFailed, Title: "retail/stores 2026-11-21 05:00 failed (1 blocked)",
			Root: newIncidentInstance(4198, engine.JobRef{Workflow: "retail", Job: "stores"}, exampleUp), Reason: exampleFailed,
			OpenedAt: exampleUp.Add(time.Minute), Trouble: 1, Open: 1, Blocked: 1,
		},
		Members: []IncidentMember{
			{
				IncidentInstance: newIncidentInstance(4198, engine.JobRef{Workflow: "retail", Job: "stores"}, exampleUp), Kind: engine.AlertFailed,
				Since: exampleUp.Add(time.Minute), State: engine.Failed, Reason: &exampleFailed,
			},
			{
				IncidentInstance: newIncidentInstance(4217, engine.JobRef{Workflow: "retail", Job: "orders"}, exampleAt), Kind: engine.AlertBlocked,
				Since: exampleUp.Add(time.Minute), State: engine.Waiting, Reason: &exampleReason,
			},
		},
		Deliveries: []Delivery{exampleDelivery},
	}
	exampleSinks = SinkList{Sinks: []string{"mail", "ops"}, Open: 1, Latest: []Delivery{}}
)
