package web

import (
	"context"
	"net/http"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// OrderControl lists what is ordered ahead.
type OrderControl interface {
	Orders(ctx context.Context, now time.Time) ([]engine.Order, error)
}

// An OrderAhead is what a person ordered of one due time to come: the planner obeys it whenever it plans the instance.
type OrderAhead struct {
	Workflow  string    `json:"workflow" example:"retail"`
	Job       string    `json:"job" example:"report"`
	PlanTime  time.Time `json:"planTime"`
	Frozen    bool      `json:"frozen,omitempty"`
	Priority  int       `json:"priority,omitempty" doc:"Absent is as the job says"`
	NotBefore time.Time `json:"notBefore,omitzero" doc:"When it starts at the earliest; absent is as its plan time says"`
	By        string    `json:"by" doc:"Who ordered last"`
	Note      string    `json:"note,omitempty" doc:"Why"`
	At        time.Time `json:"at" doc:"When"`
	Text      string    `json:"text" doc:"What is ordered, in words" example:"frozen, priority 9"`
	Instance  *ID       `json:"instance,omitempty" doc:"Absent when no definition has the due time: the order is kept, without an instance"`
}

// An OrderList is what is ordered ahead.
type OrderList struct {
	Items []OrderAhead `json:"items" doc:"By plan time"`
	Next  string       `json:"next,omitempty" doc:"Cursor of the next page; absent on the last"`
}

var exampleOrder = OrderAhead{
	Workflow: "retail", Job: "report", PlanTime: exampleAt.AddDate(0, 1, 0), Frozen: true, By: "ana", Note: "audit", At: exampleAt, Text: "frozen",
}

func orderRoutes() []route {
	return []route{{Method: http.MethodGet, Pattern: prefix + "/orders", Permission: Viewer, ID: "listOrders", Tag: "instances",
		Summary: "What is ordered ahead of instances to come", Text: "Frozen, boosted or rescheduled before their time came. POST /api/v1/operations orders it and takes it back.",
		Answers: ok(OrderList{Items: []OrderAhead{exampleOrder}}), register: operation((*server).listOrders)}}
}

type orderListOutput struct{ Body OrderList }

func (s *server) listOrders(ctx context.Context, in *wholeInput) (*orderListOutput, error) {
	all, err := s.cfg.Control.Orders(ctx, s.cfg.Now())
	list, next := pageOf(all, in)
	out := &orderListOutput{OrderList{Items: make([]OrderAhead, len(list)), Next: next}}
	for n := range list {
		out.Body.Items[n] = newOrderAhead(list[n].Ref, &list[n].Order)
		if id := ID(list[n].Instance.ID); id != 0 {
			out.Body.Items[n].Instance = &id
		}
	}
	return out, err
}

func newOrderAhead(ref engine.JobRef, o *engine.OverrideRow) OrderAhead {
	return OrderAhead{
		Workflow: ref.Workflow, Job: ref.Job, PlanTime: o.PlanTime, Frozen: o.Frozen, Priority: o.Priority, NotBefore: in(o.NotBefore, o.PlanTime.Location()),
		By: o.Actor, Note: o.Note, At: in(o.At, time.UTC), Text: o.Text(),
	}
}
