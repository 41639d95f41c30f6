package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A TriggerRequest says what to run.
type TriggerRequest struct {
	PlanTime *time.Time        `json:"planTime,omitempty" doc:"The time that the instance stands for; the default is now"`
	Params   map[string]string `json:"params,omitempty" maxProperties:"100" doc:"Values of the job's parameters"`
	Note     string            `json:"note,omitempty" maxLength:"1000" doc:"Why; written to the history and to the server's audit log"`
}

// A NoteRequest says why.
type NoteRequest struct {
	Note string `json:"note,omitempty" maxLength:"1000" doc:"Why; written to the history and to the server's audit log; of a test of a sink, a line of its message"`
}

type triggerInput struct {
	JobPath
	Key  string `header:"Idempotency-Key" maxLength:"128" pattern:"^[A-Za-z0-9][A-Za-z0-9._:-]*$" doc:"The same key is the same instance of the job, however often the request is sent"`
	Body *TriggerRequest
}

type triggerOutput struct {
	Status   int
	Location string `header:"Location" doc:"The path of the instance"`
	Body     Instance
}

func (s *server) trigger(ctx context.Context, in *triggerInput) (*triggerOutput, error) {
	body := in.Body
	if body == nil {
		body = &TriggerRequest{}
	}
	x := exchangeOf(ctx)
	x.note = body.Note
	if strings.HasPrefix(in.Key, engine.OwnKeys) {
		return nil, invalid("header.Idempotency-Key", "keys that begin with "+engine.OwnKeys+" are the server's own")
	}
	for name, value := range body.Params {
		if len(value) > maxParam {
			return nil, invalid("body.params."+name, fmt.Sprintf("a parameter has at most %d bytes", maxParam))
		}
	}
	request := engine.TriggerRequest{Ref: in.ref(), Key: in.Key, Params: body.Params, Actor: x.principal.name, Note: body.Note}
	if body.PlanTime != nil {
		request.PlanTime = *body.PlanTime
	}
	instance, created, err := s.cfg.Control.Trigger(ctx, request, s.cfg.Now())
	if err != nil {
		return nil, err
	}
	// The key stands for one request. Another one under it is a mistake of the client that must not look like success.
	same := request.PlanTime.IsZero() || instance.PlanTime.Equal(request.PlanTime.Truncate(time.Millisecond))
	if !created && (!same || !engine.SameParams(&instance, request.Params)) {
		return nil, refusal(codeKeyReused, fmt.Sprintf("the key %s was used for another request, which made instance %d", in.Key, instance.ID))
	}
	out := &triggerOutput{Status: http.StatusOK, Body: NewInstance(&instance)}
	if created {
		out.Status = http.StatusCreated
	}
	out.Location = prefix + "/instances/" + out.Body.ID.String()
	return out, nil
}

type noteInput struct {
	ID   int64 `path:"id" minimum:"1" doc:"The instance's id"`
	Body *NoteRequest
}

// note is the reason that was given, which the audit line shows too.
func (in *noteInput) note(ctx context.Context) string {
	if in.Body == nil {
		return ""
	}
	exchangeOf(ctx).note = in.Body.Note
	return in.Body.Note
}

// invalid is a problem with one mistake in a request.
func invalid(location, message string) *Problem {
	p := refusal(codeInvalid, "validation failed")
	p.Errors = []Mistake{{Location: location, Message: message}}
	return p
}

// wrap says what was attempted; a nil error stays nil.
func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}
