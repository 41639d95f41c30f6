package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A TriggerRequest says what to run.
type TriggerRequest struct {
	PlanTime *time.Time                 `json:"planTime,omitempty" doc:"The time that the instance stands for; the default is now"`
	Params   map[string]json.RawMessage `json:"params,omitempty" maxProperties:"100" doc:"Values of the job's parameters: a text, a number, true or false, or a list; a text may say any of them, as the command line does"`
	Note     string                     `json:"note,omitempty" maxLength:"1000" doc:"Why; written to the history and to the server's audit log"`
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
	Replayed string `header:"Idempotency-Replayed" doc:"true: the key is known, and this is the instance that it made"`
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
	params, mistakes := paramTexts(body.Params)
	if len(mistakes) > 0 {
		return nil, invalids(mistakes)
	}
	request := engine.TriggerRequest{Ref: in.ref(), Key: in.Key, Params: params, Actor: x.principal.name, Note: body.Note, PlanTime: body.PlanTime}
	instance, created, err := s.cfg.Control.Trigger(ctx, request, s.cfg.Now())
	if err != nil {
		return nil, err
	}
	// The key stands for one request. Another one under it is a mistake of the client that must not look like success.
	same := request.PlanTime == nil || instance.PlanTime.Equal(request.PlanTime.Truncate(time.Millisecond))
	if !created && (!same || !engine.SameParams(&instance, request.Params)) {
		return nil, refusal(codeKeyReused, fmt.Sprintf("the key %s was used for another request, which made instance %d", in.Key, instance.ID))
	}
	out := &triggerOutput{Status: http.StatusOK, Body: NewInstance(&instance)}
	if created {
		out.Status = http.StatusCreated
	} else {
		out.Replayed = "true"
	}
	out.Location = prefix + "/instances/" + out.Body.ID.String()
	return out, nil
}

// paramTexts are the values of parameters as the engine keeps them: a text as it is, anything else as it was written, less the blanks between.
func paramTexts(values map[string]json.RawMessage) (texts map[string]string, mistakes []Mistake) {
	texts = make(map[string]string, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		refuse := func(why string) {
			mistakes = append(mistakes, Mistake{Location: "body.params." + name, Message: why})
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, values[name]); err != nil || strings.ContainsAny(compact.String()[:1], "n{") {
			refuse("write a text, a number, true or false, or a list; leave out what takes its default")
			continue
		}
		text := compact.String()
		_ = json.Unmarshal(compact.Bytes(), &text) // anything but a text stays as it is written
		if len(text) > maxParam {
			refuse(fmt.Sprintf("a parameter has at most %d bytes", maxParam))
		}
		texts[name] = text
	}
	return texts, mistakes
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
	return invalids([]Mistake{{Location: location, Message: message}})
}

// invalids is invalid of several mistakes.
func invalids(mistakes []Mistake) *Problem {
	p := refusal(codeInvalid, "validation failed")
	p.Errors = mistakes
	return p
}

// wrap says what was attempted; a nil error stays nil.
func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}
