package web

import (
	"context"
	"errors"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/almanac-sched/almanac/engine"
)

// A Probe is the answer to a probe that is well.
type Probe struct {
	Status string `json:"status" example:"ok"`
}

type probeOutput struct{ Body Probe }

func (s *server) live(context.Context, *struct{}) (*probeOutput, error) {
	return &probeOutput{Probe{Status: "ok"}}, nil
}

// degraded reports whether the server does its work although something is not as it should be.
func degraded(err error) bool {
	var troubled *engine.TroubledError
	return errors.As(err, &troubled) && troubled.Degraded()
}

// ready tells everybody whether, and nobody but viewers why not.
func (s *server) ready(ctx context.Context, _ *struct{}) (*probeOutput, error) {
	if err := s.cfg.Ready(); degraded(err) {
		return &probeOutput{Probe{Status: "degraded"}}, nil
	} else if err != nil {
		words := "the server does not do its work"
		if exchangeOf(ctx).principal.role.allows(Viewer) {
			words = err.Error()
		}
		return nil, refusal(codeNotReady, words)
	}
	return &probeOutput{Probe{Status: "ready"}}, nil
}

// A Status is what the server is doing.
type Status struct {
	Version   string         `json:"version" doc:"Of the program" example:"1.0.0"`
	Now       time.Time      `json:"now" doc:"The server's clock, in UTC"`
	Ready     bool           `json:"ready" doc:"Whether the server does its work"`
	NotReady  string         `json:"notReady,omitempty" doc:"Why it does not"`
	Degraded  string         `json:"degraded,omitempty" doc:"What is not as it should be although it does: definitions of its folder are not loaded, and those that were recorded last run"`
	Aspects   []Condition    `json:"aspects,omitempty" doc:"Each thing without which it does not, as it is; none when no server runs"`
	Instances InstanceCounts `json:"instances" doc:"Instances by state: those that are open, and those that ended within the last 24 hours"`
	Gates     GateCounts     `json:"gates" doc:"Waiting instances by what holds them"`
	Slots     Slots          `json:"slots"`
	Alerts    AlertCounts    `json:"alerts"`
	Paused    []Pause        `json:"paused" doc:"What is paused now, the first 100: nothing of it starts"`
}

// AlertCounts is how alerts stand.
type AlertCounts struct {
	Open    int `json:"openIncidents"`
	Pending int `json:"pendingDeliveries"`
	Failed  int `json:"failedDeliveries" doc:"That failed for good within the last 24 hours"`
}

// InstanceCounts is how many instances are in each state.
type InstanceCounts struct {
	Waiting   int `json:"waiting"`
	Running   int `json:"running"`
	Lost      int `json:"lost"`
	Succeeded int `json:"succeeded"`
	Forced    int `json:"forced"`
	Failed    int `json:"failed"`
	Skipped   int `json:"skipped"`
	Cancelled int `json:"cancelled"`
}

// GateCounts is how many waiting instances are behind each gate.
type GateCounts struct {
	Time        int `json:"time"`
	Dependency  int `json:"dependency"`
	Confirm     int `json:"confirm"`
	Frozen      int `json:"frozen"`
	Concurrency int `json:"concurrency"`
	Slot        int `json:"slot"`
	Disk        int `json:"disk"`
}

// Slots is how many attempts may run at once, and how many do.
type Slots struct {
	Total int `json:"total"`
	Used  int `json:"used"`
}

// pausesTold bounds what the status lists of what is paused.
const pausesTold = 100

// countedSpan is how far back the status counts what has ended.
const countedSpan = 24 * time.Hour

type statusOutput struct{ Body Status }

func (s *server) status(ctx context.Context, _ *struct{}) (*statusOutput, error) {
	out := &statusOutput{Status{Version: s.cfg.Version, Now: s.cfg.Now().UTC(), Ready: true, Slots: Slots{Total: s.cfg.Slots}}}
	err := s.cfg.Ready()
	switch {
	case degraded(err):
		out.Body.Degraded = err.Error()
	case err != nil:
		out.Body.Ready, out.Body.NotReady = false, err.Error()
	}
	out.Body.Aspects = conditions(err)
	n, err := s.cfg.History.Count(ctx, s.cfg.Now().Add(-countedSpan))
	if err != nil {
		return nil, err
	}
	states, gates := n.States, n.Gates
	out.Body.Instances = newInstanceCounts(states)
	out.Body.Gates = GateCounts{
		Time: gates[engine.GateTime], Dependency: gates[engine.GateDependency], Confirm: gates[engine.GateConfirm], Frozen: gates[engine.GateFrozen],
		Concurrency: gates[engine.GateConcurrency], Slot: gates[engine.GateSlot], Disk: gates[engine.GateDisk],
	}
	out.Body.Slots.Used = n.Live
	alerts, _, err := s.cfg.Control.AlertState(ctx, s.cfg.Now().Add(-countedSpan), 0)
	if err != nil {
		return nil, err
	}
	out.Body.Alerts = AlertCounts(alerts)
	paused, err := s.cfg.Control.Paused(ctx, s.cfg.Now())
	if err != nil {
		return nil, err
	}
	out.Body.Paused = make([]Pause, min(len(paused), pausesTold))
	for n := range out.Body.Paused {
		out.Body.Paused[n] = newPause(&paused[n])
	}
	return out, nil
}

func newInstanceCounts(states map[engine.State]int) InstanceCounts {
	return InstanceCounts{
		Waiting: states[engine.Waiting], Running: states[engine.Running], Lost: states[engine.Lost], Succeeded: states[engine.Succeeded],
		Forced: states[engine.Forced], Failed: states[engine.Failed], Skipped: states[engine.Skipped], Cancelled: states[engine.Cancelled],
	}
}

// describe answers with openapi.json, as it was written when the server started.
func (s *server) describe(context.Context, *struct{}) (*huma.StreamResponse, error) {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", "application/openapi+json")
		hc.SetStatus(200)
		_, _ = hc.BodyWriter().Write(s.spec)
	}}, nil
}

// descriptionResponse describes the description, which the OpenAPI library cannot see.
func descriptionResponse() *huma.Response {
	return &huma.Response{
		Description: "OpenAPI 3.1",
		Content: map[string]*huma.MediaType{"application/openapi+json": {
			Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}, Example: map[string]any{"openapi": "3.1.0"},
		}},
	}
}
