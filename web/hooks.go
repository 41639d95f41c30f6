package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/almanac-sched/almanac/engine"
)

// PowerControl carries out what jobs, forms and requests from outside ask for beside Control's. *engine.Engine is one.
type PowerControl interface {
	// CheckDelivery reports whether a delivery is signed as the job's webhook asks: nil, or engine.ErrSignature.
	CheckDelivery(d engine.Delivery, now time.Time) error
	// Deliver starts the job of a webhook, once for each delivery.
	Deliver(ctx context.Context, d engine.Delivery, now time.Time) (instance engine.Instance, created bool, err error)
	// StepsOf lists the steps of a started instance.
	StepsOf(ctx context.Context, instance int64) ([]engine.StepStatus, error)
}

// The headers of a delivery. GitHub's name for its id is taken too.
const (
	headerSignature = "X-Hub-Signature-256"
	headerDelivery  = "X-Almanac-Delivery"
	headerTimestamp = "X-Almanac-Timestamp"
)

// HookAnswer names the instance that a delivery has made.
type HookAnswer struct {
	Instance ID           `json:"instance"`
	Name     string       `json:"name" doc:"workflow/job@plan time" example:"retail/orders@2026-11-21T06:00:00+01:00"`
	State    engine.State `json:"state" enum:"waiting,running,lost,succeeded,forced,failed,skipped,cancelled"`
}

type deliveryKey struct{}

// signed is the guard of a route of the permission Signed: it reads the body, once, and lets the request through only if the delivery is signed. Nothing of
// the body is understood before.
func (s *server) signed(r *http.Request, limit int64) (*http.Request, *Problem) {
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	switch {
	case err != nil:
		return nil, refusal(codeTimeout, "the body did not come")
	case int64(len(body)) > limit:
		return nil, refusal(codeTooLarge, "the body is too long")
	}
	d := engine.Delivery{
		Ref: engine.JobRef{Workflow: chi.URLParam(r, "workflow"), Job: chi.URLParam(r, "job")}, ID: r.Header.Get(headerDelivery),
		Timestamp: r.Header.Get(headerTimestamp), Signature: r.Header.Get(headerSignature), Body: body, Header: r.Header.Get,
	}
	x := exchangeOf(r.Context())
	if err := s.cfg.Control.CheckDelivery(d, s.cfg.Now()); err != nil {
		return nil, refusal(codeSignature, "there is no such webhook, or the delivery is not signed as it must be")
	}
	x.principal = principal{name: "webhook " + d.Ref.String()}
	x.note = d.ID
	r = r.WithContext(context.WithValue(r.Context(), deliveryKey{}, d))
	r.Body = io.NopCloser(bytes.NewReader(body))
	return r, nil
}

type hookInput struct {
	JobPath
	Signature string `header:"X-Hub-Signature-256" doc:"sha256= and, in hexadecimal, the HMAC-SHA256 of DELIVERY.TIMESTAMP.BODY, or of the body alone where the job says signed: body"`
	Delivery  string `header:"X-Almanac-Delivery" doc:"The delivery's id: the same id is the same instance, however often it is sent"`
	Timestamp string `header:"X-Almanac-Timestamp" doc:"Seconds since 1970"`
	Body      any    `required:"false" doc:"Any JSON; the job says by JSON pointers what of it is the plan time and what are parameters"`
}

type hookOutput struct {
	Status int
	Body   HookAnswer
}

func (s *server) hook(ctx context.Context, _ *hookInput) (*hookOutput, error) {
	d, ok := ctx.Value(deliveryKey{}).(engine.Delivery)
	if !ok {
		return nil, refusal(codeSignature, "the delivery was not checked")
	}
	instance, created, err := s.cfg.Control.Deliver(ctx, d, s.cfg.Now())
	switch {
	case errors.Is(err, engine.ErrSignature):
		return nil, refusal(codeSignature, err.Error())
	case err != nil:
		return nil, err
	}
	out := &hookOutput{Status: http.StatusOK, Body: HookAnswer{Instance: ID(instance.ID), Name: instance.Name(), State: instance.State}}
	if created {
		out.Status = http.StatusCreated
	}
	return out, nil
}

type formOutput struct{ Body map[string]any }

func (s *server) jobForm(ctx context.Context, in *JobPath) (*formOutput, error) {
	_, version, err := s.definitionOf(ctx, in.ref(), nil)
	if err != nil {
		return nil, err
	}
	job, err := s.cfg.Decode(version.Definition, version.Folder)
	if err != nil {
		return nil, wrap(err, "read the definition of %s", in.ref())
	}
	return &formOutput{engine.Form(job)}, nil
}

// powerRoutes are the routes of what starts jobs from outside and of what a trigger may say.
func powerRoutes() []route {
	get, post := http.MethodGet, http.MethodPost
	missing := []int{http.StatusNotFound}
	return []route{
		{Method: post, Pattern: "/hooks/{workflow}/{job}", Permission: Signed, ID: "deliver", Tag: "hooks", BodyLimit: maxBody, Audit: true,
			Summary: "Start the job of a webhook",
			Text: "Asks for no token but for a signature by the secret that the job's webhook names. Sent again, the same delivery is answered with 200 and the instance " +
				"that it has made.",
			Request:  map[string]any{"day": "2026-11-21", "region": "eu"},
			Answers:  map[int]any{http.StatusCreated: exampleHook, http.StatusOK: exampleHook},
			Refuses:  []int{http.StatusNotFound, http.StatusConflict},
			register: operation((*server).hook)},
		{Method: get, Pattern: prefix + "/jobs/{workflow}/{job}/form", Permission: Viewer, ID: "jobForm", Tag: "jobs", Refuses: missing,
			Summary: "What a trigger of the job may say: a JSON Schema (2020-12) of its parameters, of which a form can be made",
			Text:    "A trigger gives each value as the schema says, or as a text that says the same: \"100\" is 100.",
			Answers: ok(exampleForm), register: operation((*server).jobForm)},
	}
}

var (
	exampleTime = time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC)
	exampleHook = HookAnswer{Instance: 1042, Name: "retail/orders@2026-11-21T06:00:00+01:00", State: engine.Waiting}
	exampleForm = map[string]any{
		"title": "retail/orders", "type": "object", "additionalProperties": false,
		"required": []string{"day"}, "properties": map[string]any{"day": map[string]any{"type": "string", "format": "date"}},
	}
)
