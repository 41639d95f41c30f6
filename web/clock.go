package web

import (
	"context"
	"net/http"
	"time"
)

// ClockControl is what a person may do about the server's clock. The errors are as those of Control.
type ClockControl interface {
	ConfirmClock(ctx context.Context, actor, note string) (time.Time, error)
}

// A ClockConfirmed is the time that a person has vouched for.
type ClockConfirmed struct {
	Now         time.Time `json:"now" doc:"What the machine's clock said; the server goes by it from now on"`
	ConfirmedBy string    `json:"confirmedBy" example:"ann"`
}

type confirmClockInput struct{ Body *NoteRequest }

type clockConfirmedOutput struct{ Body ClockConfirmed }

func (s *server) confirmClock(ctx context.Context, in *confirmClockInput) (*clockConfirmedOutput, error) {
	note := noteOf(ctx, in.Body)
	name := exchangeOf(ctx).principal.name
	at, err := s.cfg.Control.ConfirmClock(ctx, name, note)
	if err != nil {
		return nil, err
	}
	return &clockConfirmedOutput{ClockConfirmed{Now: at.UTC(), ConfirmedBy: name}}, nil
}

// clockRoute is the route of a clock that is not believed.
func clockRoute() route {
	return route{
		Method: http.MethodPost, Pattern: prefix + "/clock/confirm", Permission: Operator, ID: "confirmClock", Tag: "admin", Refuses: []int{http.StatusConflict},
		Audit: true, Idempotent: true, BodyLimit: maxBody, Request: exampleNote,
		Summary: "Say that the machine's clock is right",
		Text: "A clock that jumped ahead is not believed: nothing is planned or started until a time server or a person vouches for it. It is a conflict when " +
			"the clock is believed already.",
		Answers: ok(ClockConfirmed{Now: exampleTime, ConfirmedBy: "ann"}), register: operation((*server).confirmClock),
	}
}
