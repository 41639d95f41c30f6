package web

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// An OperationProgress is how far an operation on many instances is.
type OperationProgress struct {
	ID        ID                    `json:"id"`
	Operation engine.Operation      `json:"operation"`
	Selector  string                `json:"selector,omitempty"`
	State     engine.OperationStage `json:"state" enum:"changing,waking,ended" doc:"changing: nothing of its list starts; waking: all is changed, and what was held is looked at"`
	Total     int                   `json:"total" doc:"Instances that are changed, or were to be; jobs, of a load"`
	Done      int                   `json:"done" doc:"Of them, those that are through"`
	Counts    EffectCounts          `json:"counts" doc:"What has become of them so far"`
	MovedOn   int                   `json:"movedOn" doc:"Did not allow it any more when their turn came, and are left as they are"`
	Refusals  []Mistake             `json:"refusals" doc:"The first 20 of these"`
	Actor     string                `json:"actor"`
	Note      string                `json:"note,omitempty"`
	At        time.Time             `json:"at"`
	EndedAt   *time.Time            `json:"endedAt,omitempty"`
}

// NewOperationProgress is an operation as the API shows it.
func NewOperationProgress(row *engine.OperationRow) OperationProgress {
	p := OperationProgress{
		ID: ID(row.ID), Operation: row.Order.Operation, Selector: row.Order.Selector, State: row.Stage, Total: row.Total,
		Done: row.Changed(), Counts: newEffectCounts(row.Outcome.Counts), MovedOn: row.Outcome.MovedOn,
		Refusals: []Mistake{}, Actor: row.Actor, Note: row.Order.Note, At: row.At,
	}
	for _, one := range row.Outcome.Refusals {
		p.Refusals = append(p.Refusals, Mistake{Location: one.Instance, Message: one.Why})
	}
	if !row.EndedAt.IsZero() {
		ended := row.EndedAt
		p.EndedAt = &ended
	}
	return p
}

func newEffectCounts(n map[engine.Effect]int) EffectCounts {
	return EffectCounts{
		n[engine.EffectChanged], n[engine.EffectUnchanged], n[engine.EffectReopened], n[engine.EffectLeft], n[engine.EffectWoken],
	}
}

// An OperationPage is a part of the list of operations.
type OperationPage struct {
	Items []OperationProgress `json:"items"`
	Next  string              `json:"next,omitempty" doc:"The cursor of the next page; absent on the last"`
}

var exampleOperationProgress = OperationProgress{
	ID: 9120, Operation: engine.OperateFreeze, Selector: "date:2026-12-24..26", State: engine.OperationChanging, Total: 84_000,
	Done: 12_300, Counts: EffectCounts{Changed: 12_299}, MovedOn: 1, Actor: "ana", At: exampleAt,
	Refusals: []Mistake{{Location: "retail/orders@2026-12-24T06:00:00+01:00", Message: "it is running"}},
}

type listOperationsInput struct {
	Cursor string `query:"cursor" maxLength:"32" doc:"next of the page before"`
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"100" doc:"Rows of a page"`
}

type operationPageOutput struct{ Body OperationPage }

func (s *server) listOperations(ctx context.Context, in *listOperationsInput) (*operationPageOutput, error) {
	before := int64(0)
	if in.Cursor != "" {
		var err error
		if before, err = strconv.ParseInt(in.Cursor, 10, 64); err != nil || before < 1 {
			return nil, invalid("query.cursor", "the cursor is not one that this list gave")
		}
	}
	list, err := s.cfg.Control.ListOperations(ctx, before, in.Limit+1)
	if err != nil {
		return nil, err
	}
	out := &operationPageOutput{OperationPage{Items: []OperationProgress{}}}
	for n := range list {
		if n == in.Limit {
			out.Body.Next = strconv.FormatInt(list[n-1].ID, 10)
			break
		}
		out.Body.Items = append(out.Body.Items, NewOperationProgress(&list[n]))
	}
	return out, nil
}

type getOperationInput struct {
	ID int64 `path:"id" doc:"The operation's id"`
}

type operationOutput struct{ Body OperationProgress }

func (s *server) getOperation(ctx context.Context, in *getOperationInput) (*operationOutput, error) {
	row, err := s.cfg.Control.FindOperation(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &operationOutput{NewOperationProgress(&row)}, nil
}

func operationProgressRoutes() []route {
	return []route{
		{Method: http.MethodGet, Pattern: prefix + "/operations", Permission: Viewer, ID: "listOperations", Tag: "instances",
			Summary: "List operations on many instances, the newest first",
			Text:    "Those that were carried out in more than one step: the others are in the history alone.",
			Answers: ok(OperationPage{Items: []OperationProgress{exampleOperationProgress}}), register: operation((*server).listOperations)},
		{Method: http.MethodGet, Pattern: prefix + "/operations/{id}", Permission: Viewer, ID: "getOperation", Tag: "instances",
			Refuses: []int{http.StatusNotFound}, Summary: "One operation on many instances, and how far it is",
			Answers: ok(exampleOperationProgress), register: operation((*server).getOperation)},
	}
}
