package web

import (
	"encoding/json"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// The examples in openapi.json: a night of a shop whose orders are loaded after its stores.
var (
	exampleZone = time.FixedZone("", 3600)
	exampleAt   = time.Date(2026, 11, 21, 6, 0, 0, 0, exampleZone)
	exampleUp   = time.Date(2026, 11, 21, 5, 0, 0, 0, exampleZone)

	exampleReason = Reason{
		Code: engine.ReasonUpstream, Text: "waits for retail/stores@2026-11-21T05:00:00+01:00, which is running",
		Upstream: &JobRef{Workflow: "retail", Job: "stores"}, At: &exampleUp, State: engine.Running,
	}
	exampleInstance = Instance{
		ID: 4217, Name: "retail/orders@2026-11-21T06:00:00+01:00", Workflow: "retail", Job: "orders", Kind: engine.Scheduled, PlanTime: exampleAt,
		State: engine.Waiting, Gate: engine.GateDependency, Reason: exampleReason, NotBefore: exampleAt, Priority: 5, Version: 12,
	}
	exampleManual = Instance{
		ID: 4301, Name: "retail/orders@2026-11-21T09:30:00+01:00", Workflow: "retail", Job: "orders", Kind: engine.Manual, Key: "reload-7",
		PlanTime: exampleAt.Add(210 * time.Minute), State: engine.Waiting, Gate: engine.GateTime,
		Reason: Reason{
			Code: engine.ReasonPlanned, Text: "planned: triggered; dependencies are not waited for (by ana)",
			Detail: "triggered; dependencies are not waited for", Actor: "ana",
		},
		NotBefore: exampleAt.Add(210 * time.Minute), Priority: 5, Params: map[string]string{"day": "2026-11-20"}, Version: 12,
	}
	exampleCancelled = Instance{
		ID: 4217, Name: "retail/orders@2026-11-21T06:00:00+01:00", Workflow: "retail", Job: "orders", Kind: engine.Scheduled, PlanTime: exampleAt,
		State: engine.Cancelled, Reason: Reason{Code: engine.ReasonPerson, Text: "by a person: the source is empty (by ana)", Detail: "the source is empty", Actor: "ana"},
		NotBefore: exampleAt, Priority: 5, Version: 12, EndedAt: exampleAt.Add(20 * time.Minute),
	}
	examplePlanTime = exampleAt.Add(210 * time.Minute)
	exampleTrigger  = TriggerRequest{PlanTime: &examplePlanTime, Params: map[string]json.RawMessage{"day": json.RawMessage(`"2026-11-20"`), "limit": json.RawMessage("100")}, Note: "the source was late"}
	exampleNote     = NoteRequest{Note: "the source is empty"}

	exampleWait = Wait{
		Workflow: "retail", Job: "stores", First: exampleUp, Last: exampleUp, Count: 1, Rule: "natural-day", Select: "all",
		Window:    Window{From: time.Date(2026, 11, 21, 0, 0, 0, 0, exampleZone), To: time.Date(2026, 11, 22, 0, 0, 0, 0, exampleZone), Closed: "left"},
		OnMissing: engine.MissingRun, OnFailed: engine.FailedWait,
	}
	exampleExit    = 3
	exampleAttempt = Attempt{
		ID: 4290, Instance: 4217, InstanceName: "retail/orders@2026-11-21T06:00:00+01:00", Number: 1, Run: 1, Fence: 1, StartedAt: exampleAt.Add(14 * time.Minute),
		EndedAt: exampleAt.Add(15 * time.Minute), Outcome: engine.OutcomeFailed, Exit: &exampleExit, Text: "exit 3", LogBytes: 1832,
	}
	exampleEvent = Event{
		ID: 90412, At: exampleAt.Add(14 * time.Minute), Kind: string(engine.Start), From: engine.Waiting, To: engine.Running,
		Reason: Reason{Code: engine.ReasonReleased, Text: "released: every gate was open"},
	}
	exampleJob = Job{
		ID: 11, Workflow: "retail", Job: "orders", Version: 12, CreatedAt: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC),
		PlannedTo: time.Date(2026, 11, 21, 23, 0, 0, 0, time.UTC),
	}
	exampleListed    = ListedJob{Job: exampleJob, Recurrence: "every day at 06:00, in Europe/Berlin.", Due: exampleAt}
	exampleJobDetail = JobDetail{
		Job: exampleJob, Description: "Loads the day's orders", Tags: []string{"nightly"},
		Definition: json.RawMessage(`{"workflow":"retail","timeZone":"Europe/Berlin","jobs":{"orders":` +
			`{"recurrence":{"frequency":"day","schedule":{"hours":[6]}},"dependsOn":["stores"],"action":{"type":"shell","command":"./load.sh"}}}}`),
		TimeZone: "Europe/Berlin", Recurrence: "every day in the hours 06, in Europe/Berlin.", Period: "day",
		Next:      []time.Time{exampleAt.AddDate(0, 0, 1), exampleAt.AddDate(0, 0, 2)},
		DependsOn: []Dependency{{Workflow: "retail", Job: "stores", Policy: "natural", Select: "default", OnMissing: engine.MissingRun, OnFailed: engine.FailedWait}},
		Params:    []Param{{Name: "day", Type: "string"}}, Concurrency: 1,
	}
	exampleStatus = Status{
		Version: "1.0.0", Now: time.Date(2026, 11, 21, 5, 5, 0, 0, time.UTC), Ready: true, Aspects: conditions(nil),
		Instances: InstanceCounts{Waiting: 212, Running: 3, Succeeded: 412, Failed: 2, Skipped: 12},
		Gates:     GateCounts{Time: 190, Dependency: 20, Slot: 2}, Slots: Slots{Total: 4, Used: 3},
		Paused: []Pause{examplePause},
	}
)
