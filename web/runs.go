package web

import (
	"context"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A Run is one life of an instance. The last one is the current run, whose times the instance tells too.
type Run struct {
	Number    int          `json:"number" minimum:"1"`
	State     engine.State `json:"state" doc:"As it ended, or is; lost: a person decided later what became of it"`
	Reason    Reason       `json:"reason"`
	StartedAt time.Time    `json:"startedAt,omitzero" doc:"Absent when it did not start"`
	EndedAt   time.Time    `json:"endedAt,omitzero" doc:"Absent while it is open; of one that was lost, when a person decided"`
	Current   bool         `json:"current,omitempty"`
}

// A RunList is a page of the runs of an instance by number.
type RunList struct {
	Items []Run  `json:"items"`
	Next  string `json:"next,omitempty" doc:"The cursor of the next page; absent on the last"`
}

// exampleRun is one of an instance that was run again.
var exampleRun = Run{
	Number: 1, State: engine.Failed, Reason: newReason(engine.Reason{Code: engine.ReasonStepFailed, Detail: "exit 1"}, time.UTC),
	StartedAt: exampleAt.Add(14 * time.Minute), EndedAt: exampleAt.Add(15 * time.Minute),
}

// runsOf lists the runs of an instance, the current one last.
func runsOf(i *engine.Instance, earlier []engine.RunRow) []Run {
	zone := i.PlanTime.Location()
	list := make([]Run, 0, len(earlier)+1)
	for n := range earlier {
		r := &earlier[n]
		list = append(list, Run{
			Number: r.Number, State: r.State, Reason: newReason(r.Reason, zone), StartedAt: in(r.StartedAt, zone), EndedAt: in(r.EndedAt, zone),
		})
	}
	return append(list, Run{
		Number: i.Run, State: i.State, Reason: newReason(i.Reason, zone), StartedAt: in(i.StartedAt, zone), EndedAt: in(i.EndedAt, zone), Current: true,
	})
}

type runsOutput struct{ Body RunList }

func (s *server) listRuns(ctx context.Context, in *partsInput) (*runsOutput, error) {
	var earlier []engine.RunRow
	i, err := s.instance(ctx, in.ID, func(v engine.View) (err error) {
		earlier, err = v.Runs(in.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	runs, next, err := page(in, runsOf(&i, earlier), func(r *Run) int64 { return int64(r.Number) })
	if err != nil {
		return nil, err
	}
	return &runsOutput{RunList{Items: runs, Next: next}}, nil
}
