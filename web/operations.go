package web

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// OperationControl changes instances, and finds those that a selector chooses. The errors are those of Control; *engine.RefusedError lists who refuses.
type OperationControl interface {
	Operate(ctx context.Context, r engine.OperationRequest, now time.Time) (engine.OperationResult, error)
	Select(ctx context.Context, selector string, now time.Time) ([]engine.Instance, error)
	FindOperation(ctx context.Context, id int64) (engine.OperationRow, error)
	ListOperations(ctx context.Context, before int64, limit int) ([]engine.OperationRow, error)
}

// An OperationRequest says what to do, and on which instances.
type OperationRequest struct {
	Operation engine.Operation  `json:"operation" enum:"rerun,force,skip,freeze,unfreeze,cancel,confirm,detach,run-now,boost,reschedule" doc:"What to do"`
	Selector  string            `json:"selector,omitempty" maxLength:"4000" doc:"On which instances: terms joined by AND, such as job:orders date:yesterday state:failed"`
	IDs       []ID              `json:"ids,omitempty" nullable:"false" maxItems:"100000" doc:"In the place of a selector: on these instances"`
	Options   *OperationOptions `json:"options,omitempty" doc:"How"`
	Note      string            `json:"note,omitempty" maxLength:"1000" doc:"Why; written to the history and to the server's audit log"`
	DryRun    bool              `json:"dryRun,omitempty" doc:"Say what would happen, and change nothing"`
}

// OperationOptions say how an operation is done. Each belongs to one operation.
type OperationOptions struct {
	From     string `json:"from,omitempty" enum:"start,failed,step" doc:"Of rerun: from the start (the default), from what failed, or from a step"`
	Step     string `json:"step,omitempty" maxLength:"128" doc:"Of rerun: the step that begins, with what needs it"`
	Version  string `json:"version,omitempty" enum:"original,latest" doc:"Of rerun: by which version of the job; the default is the one that it was planned with"`
	Scope    string `json:"scope,omitempty" enum:"this,downstream" doc:"Of rerun: also every ended instance that waits for it"`
	Upstream string `json:"upstream,omitempty" maxLength:"400" doc:"Of detach: the id or the name of the instance that is not waited for any more"`
	Priority int    `json:"priority,omitempty" minimum:"1" maximum:"9" doc:"Of boost: 9 goes first, and is the default"`
	To       string `json:"to,omitempty" maxLength:"64" doc:"Of reschedule: when it starts at the earliest, in RFC 3339 or on the clock of the job's zone; plan is its plan time, which never moves"`
}

// An OperationResult is what an operation did, or with dryRun would do.
type OperationResult struct {
	Operation engine.Operation `json:"operation"`
	DryRun    bool             `json:"dryRun" doc:"Nothing was changed"`
	Total     int              `json:"total" doc:"How many instances it concerns; changes lists the first 1,000 of them"`
	Counts    EffectCounts     `json:"counts"`
	Changes   []InstanceChange `json:"changes"`

	UnderWay *OperationProgress `json:"underWay,omitempty" doc:"How far it is, when it is carried out step by step"`
}

// EffectCounts counts instances by what the operation means for them.
type EffectCounts struct {
	Changed   int `json:"changed" doc:"Chosen, and something changes"`
	Unchanged int `json:"unchanged" doc:"Chosen, and it is so already"`
	Reopened  int `json:"reopened" doc:"Wait for one that is rerun, and begin again too"`
	Left      int `json:"left" doc:"Wait for one that is rerun, and stay as they are"`
	Woken     int `json:"woken" doc:"Wait for one that changes, and are looked at"`
}

// An InstanceChange is what happens to one instance.
type InstanceChange struct {
	ID       ID            `json:"id"`
	Name     string        `json:"name" doc:"workflow/job@plan time"`
	PlanTime time.Time     `json:"planTime"`
	Effect   engine.Effect `json:"effect" enum:"changed,unchanged,reopened,left,woken"`
	From     engine.State  `json:"from"`
	To       engine.State  `json:"to"`
	Text     string        `json:"text" doc:"What happens, in words"`
}

func operationRoutes() []route {
	conflict := []int{http.StatusNotFound, http.StatusConflict}
	return append(operationProgressRoutes(), []route{
		{Method: http.MethodPost, Pattern: prefix + "/operations", Permission: Operator, ID: "operate", Tag: "instances", Refuses: conflict,
			Audit: true, Idempotent: true, BodyLimit: maxBody, Summary: "Rerun, force, skip, freeze, cancel, confirm, detach, run at once, boost or reschedule instances",
			Text: "All of the chosen instances are changed, or none: when some refuse, the answer is 409 and names each of them. With dryRun the answer says what " +
				"would happen. A due time to come that is not planned yet is written down for it, and has the id 0 in a dry run. " +
				"What changes more than 300 instances is answered with 202 at once and carried out step by step: underWay and " +
				"the Location say which operation it is. Nothing that it is about starts before it is through.",
			Request: exampleOperation, Answers: map[int]any{http.StatusOK: exampleOperationResult, http.StatusAccepted: exampleOperationUnderWay},
			register: operation((*server).operate)},
	}...)
}

var (
	exampleOperation = OperationRequest{
		Operation: engine.OperateRerun, Selector: "job:orders date:2026-11-21 state:failed", Options: &OperationOptions{From: "failed", Scope: "downstream"},
		Note: "the source was late",
	}
	exampleOperationResult = OperationResult{
		Operation: engine.OperateRerun, Total: 1, Counts: EffectCounts{Changed: 1},
		Changes: []InstanceChange{{
			ID: 4217, Name: "retail/orders@2026-11-21T06:00:00+01:00", PlanTime: exampleAt, Effect: engine.EffectChanged, From: engine.Failed, To: engine.Waiting,
			Text: "runs again from what failed",
		}},
	}
)

var exampleOperationUnderWay = OperationResult{
	Operation: engine.OperateFreeze, Total: 84_000, Counts: EffectCounts{Changed: 84_000}, UnderWay: &exampleOperationProgress,
	Changes: []InstanceChange{{
		ID: 4217, Name: "retail/orders@2026-12-24T06:00:00+01:00", PlanTime: exampleAt, Effect: engine.EffectChanged, From: engine.Waiting,
		To: engine.Waiting, Text: "does not start before it is let go",
	}},
}

type operateInput struct {
	Body OperationRequest
}

type operateOutput struct {
	Status   int
	Location string `header:"Location"`
	Body     OperationResult
}

func (s *server) operate(ctx context.Context, in *operateInput) (*operateOutput, error) {
	x, body := exchangeOf(ctx), &in.Body
	x.note = body.Note
	r := engine.OperationRequest{
		Operation: body.Operation, Selector: strings.TrimSpace(body.Selector), Actor: x.principal.name, Note: body.Note, DryRun: body.DryRun,
	}
	for _, id := range body.IDs {
		r.IDs = append(r.IDs, int64(id))
	}
	if body.Options != nil {
		r.Options = engine.OperationOptions(*body.Options)
	}
	result, err := s.cfg.Control.Operate(ctx, r, s.cfg.Now())
	if err != nil {
		return nil, refusedProblem(err)
	}
	out := &operateOutput{Status: http.StatusOK, Body: newOperationResult(&result)}
	if out.Body.UnderWay != nil {
		out.Status, out.Location = http.StatusAccepted, prefix+"/operations/"+out.Body.UnderWay.ID.String()
	}
	return out, nil
}

// refusedProblem lists every instance that refuses.
func refusedProblem(err error) error {
	var refused *engine.RefusedError
	if !errors.As(err, &refused) || refused.Of == 1 {
		return err
	}
	p := refusal(codeConflict, fmt.Sprintf("%s: %d of %d instances refuse, and nothing was changed", refused.Operation, len(refused.Refusals), refused.Of))
	p.Hint = cmp.Or(refused.Refusals[0].Hint, p.Hint)
	for _, one := range refused.Refusals[:min(engine.MostListed, len(refused.Refusals))] {
		p.Errors = append(p.Errors, Mistake{Location: one.Instance, Message: one.Why})
	}
	return p
}

func newOperationResult(r *engine.OperationResult) OperationResult {
	shown := OperationResult{
		Operation: r.Operation, DryRun: r.DryRun, Total: r.Total, Changes: make([]InstanceChange, len(r.Changes)),
		Counts: newEffectCounts(r.Counts),
	}
	if r.UnderWay != nil {
		progress := NewOperationProgress(r.UnderWay)
		shown.UnderWay = &progress
	}
	for i := range r.Changes {
		c := &r.Changes[i]
		named := engine.Instance{Ref: c.Ref, PlanTime: c.PlanTime}
		shown.Changes[i] = InstanceChange{ID(c.ID), named.Name(), c.PlanTime, c.Effect, c.From, c.To, c.Text}
	}
	return shown
}

func (s *server) cancel(ctx context.Context, in *noteInput) (*instanceOutput, error) {
	return s.operateOne(ctx, in, engine.OperateCancel)
}

func (s *server) confirm(ctx context.Context, in *noteInput) (*instanceOutput, error) {
	return s.operateOne(ctx, in, engine.OperateConfirm)
}

// operateOne carries out an operation on one instance, which the answer shows.
func (s *server) operateOne(ctx context.Context, in *noteInput, op engine.Operation) (*instanceOutput, error) {
	r := engine.OperationRequest{Operation: op, IDs: []int64{in.ID}, Actor: exchangeOf(ctx).principal.name, Note: in.note(ctx)}
	if _, err := s.cfg.Control.Operate(ctx, r, s.cfg.Now()); err != nil {
		return nil, err
	}
	i, err := s.instance(ctx, in.ID, nil)
	if err != nil {
		return nil, err
	}
	return &instanceOutput{NewInstance(&i)}, nil
}

// listSelected lists a page of what a selector chooses, newest first.
func (s *server) listSelected(ctx context.Context, in *listInstancesInput) (*instancePageOutput, error) {
	if in.Workflow != "" || in.Job != "" || len(in.State) > 0 || in.Kind != "" || in.From != "" || in.To != "" {
		return nil, invalid("query.selector", "a selector says all: write workflow, job, state, kind and times as its terms")
	}
	list, err := s.cfg.Control.Select(ctx, in.Selector, s.cfg.Now())
	if err != nil {
		return nil, err
	}
	slices.Reverse(list)
	if in.Cursor != "" {
		var at, id int64
		text, err := base64.RawURLEncoding.DecodeString(in.Cursor)
		if err == nil {
			_, err = fmt.Sscanf(string(text), "s%d.%d", &at, &id)
		}
		if err != nil {
			return nil, invalid("query.cursor", "that is no cursor of this list")
		}
		after := slices.IndexFunc(list, func(i engine.Instance) bool {
			return cmp.Or(cmp.Compare(i.PlanTime.UnixMilli(), at), cmp.Compare(i.ID, id)) < 0
		})
		if after < 0 {
			after = len(list)
		}
		list = list[after:]
	}
	out := &instancePageOutput{InstancePage{Items: []Instance{}}}
	if err := s.cfg.Control.Follow(ctx, list[:min(in.Limit, len(list))]); err != nil {
		return nil, err
	}
	for n := range list[:min(in.Limit, len(list))] {
		out.Body.Items = append(out.Body.Items, NewInstance(&list[n]))
	}
	if len(list) > in.Limit {
		last := &list[in.Limit-1]
		out.Body.Next = base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "s%d.%d", last.PlanTime.UnixMilli(), last.ID))
	}
	return out, nil
}
