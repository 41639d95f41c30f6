package web

import (
	"time"

	"github.com/almanac-sched/almanac/engine"
)

var (
	exampleBlocker  = ID(4198)
	exampleForecast = Forecast{Start: exampleUp.Add(2 * time.Minute), End: exampleUp.Add(82 * time.Minute), Median: 4800, High: 5400, Of: 30}
	exampleCause    = Cause{
		Name: "retail/stores@2026-11-21T05:00:00+01:00", Workflow: "retail", Job: "stores", PlanTime: exampleUp, Instance: &exampleBlocker, State: engine.Running,
		Reason: Reason{Code: engine.ReasonReleased, Text: "released: every gate was open"}, Forecast: exampleForecast, Root: true,
	}
	exampleExplanation = Explanation{
		Instance: exampleInstance, At: exampleAt.Add(5 * time.Minute), Planned: true, Schedule: "every day in the hours 06, in Europe/Berlin.",
		Operations: []engine.Operation{
			engine.OperateForce, engine.OperateSkip, engine.OperateFreeze, engine.OperateCancel, engine.OperateDetach, engine.OperateRunNow,
			engine.OperateBoost, engine.OperateReschedule,
		},
		Holding:  engine.GateDependency,
		Forecast: Forecast{Earliest: exampleAt.Add(5 * time.Minute), Start: exampleForecast.End, End: exampleForecast.End.Add(10 * time.Minute), Median: 600, High: 720, Of: 30},
		Gates: []Verdict{
			{Gate: engine.GateTime, Open: true, Text: "was due at 2026-11-21 06:00:00"},
			{Gate: engine.GateDependency, Text: exampleReason.Text, Reason: &exampleReason},
		},
		Dependencies: []ExplainedWait{{
			Wait: exampleWait, Text: "retail/stores@2026-11-21T05:00:00+01:00 (natural-day): waiting", Pair: "daily on daily: all of the same natural day", Planned: true,
			Missing: &Upstream{ID: 4198, PlanTime: exampleUp, State: engine.Running},
			Candidates: &Candidates{In: 1, Out: 1, Items: []Candidate{
				{PlanTime: exampleUp, In: true, Instance: &exampleBlocker, State: engine.Running},
				{PlanTime: exampleUp.AddDate(0, 0, 1), Why: "outside of the window"},
			}},
			Causes: []Cause{exampleCause},
		}},
		Roots: []Cause{exampleCause},
		Blockers: []Blocker{{
			Workflow: "retail", Job: "stores", PlanTime: exampleUp, Instance: &exampleBlocker, State: engine.Running,
			Reason: Reason{Code: engine.ReasonReleased, Text: "released: every gate was open"},
		}},
	}
	exampleGraph = Graph{
		At: exampleAt.Add(5 * time.Minute),
		Nodes: []GraphNode{
			{Node: "n0", Instance: &exampleInstance, Planned: true, Forecast: exampleExplanation.Forecast},
			{Node: "n1", Planned: true, Hop: -1, Forecast: exampleForecast, Instance: &Instance{
				ID: exampleBlocker, Name: exampleCause.Name, Workflow: "retail", Job: "stores", Kind: engine.Scheduled, PlanTime: exampleUp, State: engine.Running,
				Reason: exampleCause.Reason, NotBefore: exampleUp, Priority: 5, Version: 10, StartedAt: exampleForecast.Start,
			}},
		},
		Edges: []GraphEdge{{Wait: exampleWait, From: []string{"n1"}, To: "n0", Text: "retail/stores@2026-11-21T05:00:00+01:00 (natural-day): waiting"}},
	}
)
