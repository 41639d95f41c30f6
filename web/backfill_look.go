package web

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// BackfillLook says what people look at of backfills and before they plan one. *engine.Engine is one.
type BackfillLook interface {
	BackfillDays(ctx context.Context, key string) ([]engine.BackfillDay, error)
	JobsAround(refs []engine.JobRef, limit int) (engine.JobsAround, error)
}

// BackfillDays is a backfill day by day.
type BackfillDays struct {
	Days []BackfillDay `json:"days" doc:"The days of which it has instances, the earliest first"`
}

// A BackfillDay is what a backfill holds of one day.
type BackfillDay struct {
	Day       string         `json:"day" doc:"Of the plan times, in the zone of each job" example:"2026-11-01"`
	Instances InstanceCounts `json:"instances" doc:"By state"`
}

// JobsAround is the jobs around some, along the definitions.
type JobsAround struct {
	Nodes []JobNode `json:"nodes" doc:"Those that were asked for first, then by distance"`
	Edges []JobEdge `json:"edges"`
	More  bool      `json:"more,omitempty" doc:"There are further jobs, which are not shown"`
}

// A JobNode is one job.
type JobNode struct {
	Workflow string `json:"workflow"`
	Job      string `json:"job"`
	Asked    bool   `json:"asked,omitempty" doc:"It was asked for"`
	Up       int    `json:"up,omitempty" doc:"Those that were asked for wait for it, at least so many steps away"`
	Down     int    `json:"down,omitempty" doc:"It waits for them, at least so many steps away"`
	Manual   bool   `json:"manual,omitempty" doc:"It is started on demand and has no plan times"`
	Disabled bool   `json:"disabled,omitempty"`
}

// A JobEdge says that a job waits for another.
type JobEdge struct {
	From string `json:"from" doc:"What is waited for" example:"retail/orders"`
	To   string `json:"to" doc:"What waits" example:"retail/report"`
}

func (s *server) backfillDays(ctx context.Context, in *backfillInput) (*backfillDaysOutput, error) {
	days, err := s.cfg.Control.BackfillDays(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	out := &backfillDaysOutput{BackfillDays{Days: make([]BackfillDay, 0, len(days))}}
	for _, day := range days {
		out.Body.Days = append(out.Body.Days, BackfillDay{day.Day.Format(time.DateOnly), newInstanceCounts(day.States)})
	}
	return out, nil
}

type backfillDaysOutput struct{ Body BackfillDays }

type jobsAroundInput struct {
	Jobs  []string `query:"job,explode" minItems:"1" maxItems:"1000" required:"true" doc:"workflow/job; may be given again"`
	Limit int      `query:"limit" minimum:"1" maximum:"5000" default:"2000" doc:"Jobs"`
}

type jobsAroundOutput struct{ Body JobsAround }

func (s *server) jobsAround(_ context.Context, in *jobsAroundInput) (*jobsAroundOutput, error) {
	refs := make([]engine.JobRef, 0, len(in.Jobs))
	for _, name := range in.Jobs {
		workflow, job, _ := strings.Cut(name, "/")
		refs = append(refs, engine.JobRef{Workflow: workflow, Job: job})
	}
	around, err := s.cfg.Control.JobsAround(refs, in.Limit)
	if err != nil {
		return nil, err
	}
	out := &jobsAroundOutput{JobsAround{Nodes: make([]JobNode, 0, len(around.Nodes)), Edges: make([]JobEdge, 0, len(around.Edges)), More: around.More}}
	for _, n := range around.Nodes {
		out.Body.Nodes = append(out.Body.Nodes, JobNode{n.Ref.Workflow, n.Ref.Job, n.Asked, n.Up, n.Down, n.Manual, n.Disabled})
	}
	for _, e := range around.Edges {
		out.Body.Edges = append(out.Body.Edges, JobEdge{e.Upstream.String(), e.Job.String()})
	}
	return out, nil
}

// backfillLookRoutes are the routes of what people look at of backfills and before they plan one.
func backfillLookRoutes() []route {
	get := http.MethodGet
	return []route{
		{Method: get, Pattern: prefix + "/backfills/{id}/days", Permission: Viewer, ID: "listBackfillDays", Tag: "backfills", Refuses: []int{http.StatusNotFound},
			Summary: "One backfill day by day", Text: "How many of its instances of each natural day are in which state. Days without an instance of it are left out.",
			Answers:  ok(BackfillDays{Days: []BackfillDay{{"2026-11-01", InstanceCounts{Waiting: 1, Succeeded: 23}}}}),
			register: operation((*server).backfillDays)},
		{Method: get, Pattern: prefix + "/jobs/around", Permission: Viewer, ID: "jobsAround", Tag: "jobs",
			Summary: "The jobs that some wait for, and those that wait for them", Text: "All the way up and down along the current definitions, with how many steps away each is.",
			Answers: ok(JobsAround{
				Nodes: []JobNode{{Workflow: "retail", Job: "orders", Asked: true}, {Workflow: "retail", Job: "report", Down: 1}},
				Edges: []JobEdge{{"retail/orders", "retail/report"}},
			}), register: operation((*server).jobsAround)},
	}
}
