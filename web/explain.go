package web

import (
	"context"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// An Explanation is why an instance is where it is.
type Explanation struct {
	Instance     Instance        `json:"instance"`
	At           time.Time       `json:"at" doc:"As of when"`
	Holding      engine.Gate     `json:"holding,omitempty" doc:"The first closed gate; absent when it only lacks its turn, or does not wait"`
	Gates        []Verdict       `json:"gates" doc:"Of a waiting instance, every gate in order"`
	Dependencies []ExplainedWait `json:"dependencies" doc:"Each wait with what it has come to"`
	Blockers     []Blocker       `json:"blockers" doc:"From what it waits for down to the root, which waits for no other instance"`
}

// A Verdict is what one gate says.
type Verdict struct {
	Gate   engine.Gate `json:"gate"`
	Open   bool        `json:"open"`
	Reason *Reason     `json:"reason,omitempty" doc:"Why it is closed"`
}

// An ExplainedWait is one wait with what it has come to.
type ExplainedWait struct {
	Wait
	Satisfied bool      `json:"satisfied"`
	Text      string    `json:"text" doc:"The sentence for people"`
	Planned   bool      `json:"planned" doc:"The upstream's plan reaches beyond the range"`
	Gone      bool      `json:"gone,omitempty" doc:"The upstream job was removed or is disabled"`
	Missing   *Upstream `json:"unsatisfied,omitempty" doc:"The latest instance in the range that does not satisfy"`
}

// An Upstream is an instance that is waited for.
type Upstream struct {
	ID       ID           `json:"id"`
	PlanTime time.Time    `json:"planTime"`
	State    engine.State `json:"state"`
	Frozen   bool         `json:"frozen,omitempty"`
}

// A Blocker is one link of the chain from a waiting instance to the root of its waiting.
type Blocker struct {
	Workflow string       `json:"workflow"`
	Job      string       `json:"job"`
	PlanTime time.Time    `json:"planTime"`
	Instance *ID          `json:"instance,omitempty" doc:"Absent when it is not planned yet"`
	State    engine.State `json:"state,omitempty"`
	Gate     engine.Gate  `json:"gate,omitempty" doc:"What holds the blocker itself"`
	Reason   Reason       `json:"reason"`
}

// NewExplanation is the engine's explanation as the API shows it. The command line uses it to show the same without a server.
func NewExplanation(x *engine.Explanation) Explanation {
	zone := x.Instance.PlanTime.Location()
	shown := Explanation{
		Instance: NewInstance(&x.Instance), At: in(x.At, zone), Holding: x.Holding, Gates: make([]Verdict, 0, len(x.Gates)),
		Dependencies: make([]ExplainedWait, 0, len(x.Dependencies)), Blockers: make([]Blocker, 0, len(x.Blockers)),
	}
	for i := range x.Gates {
		g := &x.Gates[i]
		verdict := Verdict{Gate: g.Gate, Open: g.Open}
		if g.Reason.Code != "" {
			reason := newReason(g.Reason, zone)
			verdict.Reason = &reason
		}
		shown.Gates = append(shown.Gates, verdict)
	}
	for i := range x.Dependencies {
		d := &x.Dependencies[i]
		wait := ExplainedWait{
			Wait: newWait(&d.Wait, zone), Satisfied: d.Satisfied, Text: d.Text, Planned: d.Facts.Planned, Gone: d.Facts.Removed || d.Facts.Disabled,
		}
		if u := d.Facts.Unsatisfied; u != nil {
			wait.Missing = &Upstream{ID: ID(u.ID), PlanTime: in(u.PlanTime, zone), State: u.State, Frozen: u.Frozen}
		}
		shown.Dependencies = append(shown.Dependencies, wait)
	}
	for i := range x.Blockers {
		b := &x.Blockers[i]
		blocker := Blocker{Workflow: b.Ref.Workflow, Job: b.Ref.Job, PlanTime: in(b.PlanTime, zone), Gate: b.Gate, Reason: newReason(b.Reason, zone)}
		if b.Instance != nil {
			id := ID(b.Instance.ID)
			blocker.Instance, blocker.State = &id, b.Instance.State
		}
		shown.Blockers = append(shown.Blockers, blocker)
	}
	return shown
}

type explainOutput struct{ Body Explanation }

func (s *server) explain(ctx context.Context, in *instanceInput) (*explainOutput, error) {
	x, err := s.cfg.Control.Explain(ctx, in.ID, s.cfg.Now())
	if err != nil {
		return nil, err
	}
	return &explainOutput{NewExplanation(&x)}, nil
}
