package web

import (
	"context"
	"net/http"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A Step is a step of an instance, or one item of a step that runs once for each item of a list.
type Step struct {
	Step      string            `json:"step" doc:"Absent for the only step of a job with one action; an item is named step[n]"`
	State     engine.StepState  `json:"state" enum:"waiting,running,succeeded,failed,skipped,cancelled"`
	Attempts  int               `json:"attempts" doc:"Since the instance last started"`
	NotBefore time.Time         `json:"notBefore,omitzero" doc:"When its next attempt is due"`
	Outputs   map[string]string `json:"outputs,omitempty"`
	Waits     *StepWait         `json:"waits,omitempty" doc:"Of a running step that holds no slot: what it waits for"`

	Type      string           `json:"type,omitempty" doc:"Of its action; absent when the definition cannot be read" example:"shell"`
	Needs     []string         `json:"needs,omitempty" doc:"The steps that must have ended before it"`
	When      string           `json:"when,omitempty" doc:"The condition under which it runs"`
	Each      bool             `json:"forEach,omitempty" doc:"It runs once for each item of a list"`
	Of        string           `json:"itemOf,omitempty" doc:"It is an item of this step"`
	OnFailure engine.OnFailure `json:"onFailure,omitempty" enum:"fail,continue,pause,failSuccessors" doc:"What its failure means for the instance"`
}

// A StepWait is where a step of type wait or job stands.
type StepWait struct {
	Since    time.Time `json:"since"`
	Until    time.Time `json:"until,omitzero" doc:"When it times out"`
	Next     time.Time `json:"next,omitzero" doc:"When it is looked at again"`
	Looks    int       `json:"looks" doc:"How often it was looked at"`
	Last     string    `json:"last,omitempty" doc:"What the last look found" example:"HTTP 404 Not Found"`
	Instance ID        `json:"instance,omitempty" doc:"The instance that it has started and waits for"`
}

// A StepList is a page of the steps of an instance, in the order of its definition.
type StepList struct {
	Items []Step `json:"items"`
	Next  string `json:"next,omitempty" doc:"Cursor of the next page; absent on the last"`
}

func stepRoutes() []route {
	step := Step{
		Step: "stock", State: engine.StepRunning, Attempts: 1, Type: engine.ActionWait, Needs: []string{"orders"}, OnFailure: engine.StepFail,
		Waits: &StepWait{Since: exampleTime, Next: exampleTime.Add(time.Minute), Looks: 3, Last: "stock.csv is not there"},
	}
	return []route{{Method: http.MethodGet, Pattern: prefix + "/instances/{id}/steps", Permission: Viewer, ID: "listSteps", Tag: "instances", Refuses: []int{http.StatusNotFound},
		Summary: "The steps of an instance and what they wait for",
		Text:    "Those of an instance that has not started are those of its definition.",
		Answers: ok(StepList{Items: []Step{step}}), register: operation((*server).listSteps)}}
}

type stepsOutput struct{ Body StepList }

func (s *server) listSteps(ctx context.Context, in *partsInput) (*stepsOutput, error) {
	rows, err := s.cfg.Control.StepsOf(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	var attempts []engine.AttemptRow
	var version engine.VersionRow
	i, err := s.instance(ctx, in.ID, func(v engine.View) error {
		i, err := v.Instance(in.ID)
		if err != nil {
			return err
		}
		if version, err = v.Version(i.Version); err != nil || len(rows) > 0 {
			return err
		}
		attempts, err = v.Attempts(in.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	job, err := s.cfg.Decode(version.Definition, version.Folder)
	if err != nil {
		job = &engine.Job{} // of a definition that this program cannot read the rows alone tell
	}
	if len(rows) == 0 {
		rows = unwrittenSteps(job, &i, attempts)
	} else if len(rows) == 1 && rows[0].Step == "" && !i.EndedAt.IsZero() {
		rows[0].State = stepStateOf(i.State) // the row of a plain action is written for its second attempt, and not again when that ends it
	}
	places := make([]int, len(rows))
	for n := range places {
		places[n] = n
	}
	places, next, err := page(in, places, func(place *int) int64 { return int64(*place) })
	if err != nil {
		return nil, err
	}
	out := &stepsOutput{StepList{Items: []Step{}, Next: next}}
	for _, n := range places {
		out.Body.Items = append(out.Body.Items, newStep(&rows[n], job, i.PlanTime.Location()))
	}
	return out, nil
}

// unwrittenSteps are the steps of an instance of which no step is written down: it has not started, or its job has one plain action.
func unwrittenSteps(job *engine.Job, i *engine.Instance, attempts []engine.AttemptRow) []engine.StepStatus {
	state := stepStateOf(i.State)
	rows := make([]engine.StepStatus, len(job.Steps))
	for n := range job.Steps {
		row := &rows[n]
		row.Step, row.State = job.Steps[n].Name, state
		for k := range attempts {
			if a := &attempts[k]; !a.Error && a.Step == row.Step {
				row.Attempts++
				if a.Result != nil && a.Result.Outcome == engine.OutcomeSucceeded {
					row.Outputs = a.Result.Outputs
				}
			}
		}
	}
	return rows
}

// stepStateOf is the state of the steps of an instance of which nothing else is known.
func stepStateOf(state engine.State) engine.StepState {
	switch state {
	case engine.Running:
		return engine.StepRunning
	case engine.Succeeded:
		return engine.StepSucceeded
	case engine.Failed:
		return engine.StepFailed
	case engine.Forced, engine.Skipped:
		return engine.StepSkipped
	case engine.Cancelled:
		return engine.StepCancelled
	default:
		return engine.StepWaiting
	}
}

func newStep(row *engine.StepStatus, job *engine.Job, zone *time.Location) Step {
	step := Step{Step: row.Step, State: row.State, Attempts: row.Attempts, NotBefore: in(row.NotBefore, zone), Outputs: row.Outputs}
	if row.Watch != nil {
		wait := newStepWait(row.Watch, zone)
		step.Waits = &wait
	}
	if def := job.StepOf(row.Step); def != nil {
		step.Type, step.Needs, step.When, step.Each, step.OnFailure = def.Action.Type, def.Needs, def.When, def.ForEach != nil, def.OnFailure
		if def.Name != row.Step {
			step.Of, step.Each, step.Needs = def.Name, false, nil
		}
	}
	return step
}

func newStepWait(w *engine.WatchRow, zone *time.Location) StepWait {
	return StepWait{Since: in(w.StartedAt, zone), Until: in(w.Until, zone), Next: in(w.Next, zone), Looks: w.Polls, Last: w.Last, Instance: ID(w.Child)}
}
