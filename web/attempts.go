package web

import (
	"context"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// An Attempt is one execution of one step of an instance. One without an outcome still runs.
type Attempt struct {
	ID           ID        `json:"id"`
	Instance     ID        `json:"instance"`
	InstanceName string    `json:"instanceName" doc:"workflow/job@plan time" example:"retail/orders@2026-11-21T06:00:00+01:00"`
	Step         string    `json:"step,omitempty" doc:"Absent for the only step of a job with a single action"`
	Number       int       `json:"number" minimum:"1" doc:"Counts the attempts of the step, over reruns too"`
	ErrorAction  bool      `json:"errorAction,omitempty" doc:"It is the job's error action"`
	Run          int       `json:"run" minimum:"1" doc:"The run of the instance that it is of"`
	Fence        int64     `json:"fence" doc:"The claim of the instance under which it ran"`
	Pool         string    `json:"pool,omitempty"`
	StartedAt    time.Time `json:"startedAt"`
	EndedAt      time.Time `json:"endedAt,omitzero"`

	Outcome    engine.Outcome    `json:"outcome,omitempty" enum:"succeeded,failed,timeout,cancelled,lost" doc:"Absent while it runs"`
	Exit       *int              `json:"exit,omitempty" doc:"Exit code of a process that exited"`
	Signal     string            `json:"signal,omitempty" doc:"Signal that ended the process"`
	HTTPStatus int               `json:"httpStatus,omitempty"`
	Text       string            `json:"text,omitempty" doc:"The outcome in a few words" example:"exit 3"`
	Outputs    map[string]string `json:"outputs,omitempty" doc:"What the step handed on"`
	LogBytes   int64             `json:"logBytes,omitempty"`
	Truncated  bool              `json:"truncated,omitempty" doc:"The middle of the log was left out"`
}

// An AttemptList is a page of the attempts of an instance, in the order of their ids.
type AttemptList struct {
	Items []Attempt `json:"items"`
	Next  string    `json:"next,omitempty" doc:"The cursor of the next page; absent on the last"`
}

func newAttempt(a *engine.AttemptRow, i *engine.Instance, earlier []engine.RunRow) Attempt {
	zone := i.PlanTime.Location()
	shown := Attempt{
		ID: ID(a.ID), Instance: ID(a.Instance), InstanceName: i.Name(), Step: a.Step, Number: a.Number, ErrorAction: a.Error, Run: engine.RunOf(a, i.Run, earlier), Fence: a.Fence,
		Pool: a.Pool, StartedAt: in(a.StartedAt, zone),
	}
	if r := a.Result; r != nil {
		shown.EndedAt, shown.Outcome, shown.Exit, shown.Signal = in(r.EndedAt, zone), r.Outcome, r.Exit, r.Signal
		shown.HTTPStatus, shown.Text, shown.Outputs, shown.LogBytes, shown.Truncated = r.Status, r.String(), r.Outputs, r.LogBytes, r.Truncated
	}
	return shown
}

type attemptsOutput struct{ Body AttemptList }

func (s *server) listAttempts(ctx context.Context, in *partsInput) (*attemptsOutput, error) {
	var attempts []engine.AttemptRow
	var earlier []engine.RunRow
	i, err := s.instance(ctx, in.ID, func(v engine.View) (err error) {
		if earlier, err = v.Runs(in.ID); err != nil {
			return err
		}
		attempts, err = v.Attempts(in.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	attempts, next, err := page(in, attempts, func(a *engine.AttemptRow) int64 { return a.ID })
	if err != nil {
		return nil, err
	}
	out := &attemptsOutput{AttemptList{Items: make([]Attempt, len(attempts)), Next: next}}
	for n := range attempts {
		out.Body.Items[n] = newAttempt(&attempts[n], &i, earlier)
	}
	return out, nil
}

type attemptInput struct {
	ID int64 `path:"id" minimum:"1" doc:"The attempt's id"`
}

type attemptOutput struct{ Body Attempt }

func (s *server) getAttempt(ctx context.Context, in *attemptInput) (*attemptOutput, error) {
	attempt, err := s.attempt(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	var earlier []engine.RunRow
	i, err := s.instance(ctx, attempt.Instance, func(v engine.View) (err error) {
		earlier, err = v.Runs(attempt.Instance)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &attemptOutput{newAttempt(&attempt, &i, earlier)}, nil
}

func (s *server) attempt(ctx context.Context, id int64) (engine.AttemptRow, error) {
	attempt, err := s.cfg.History.AttemptByID(ctx, id)
	return attempt, wrap(err, "read attempt %d", id)
}
