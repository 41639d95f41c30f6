package web

import (
	"encoding/json"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// The examples of the routes of definitions: the orders of the shop get another action, and wait for an hour more of its stores.
var (
	exampleDiffAt      = time.Date(2026, 11, 21, 4, 0, 0, 0, exampleZone)
	exampleDiffTo      = time.Date(2026, 11, 22, 0, 0, 0, 0, exampleZone)
	exampleFiles       = Definitions{Files: []DefinitionFile{{Name: "retail.yaml", Text: "workflow: retail\njobs: {stores: {trigger: manual, action: {type: none}}}\n"}}}
	exampleDiffRequest = DiffRequest{Definitions: exampleFiles, To: &exampleDiffTo}
	exampleName        = InstanceName{Workflow: "retail", Job: "orders", PlanTime: exampleAt}
	exampleDiff        = PlanDiff{
		At: &exampleDiffAt, From: exampleDiffAt, To: exampleDiffTo, Before: DiffSide{"loaded", "5f2c"}, After: DiffSide{"folder", "a913"},
		Summary: DiffSummary{Text: "+0, −0, 1 re-linked, 1 now waits for a later upstream", Kept: 25, Relinked: 1, Later: 1, Moved: 1},
		Jobs:    []JobChange{{"retail", "orders", engine.JobChanged, []string{"action", "dependsOn"}, false}},
		Added:   []AddedInstance{}, Removed: []InstanceName{}, Changed: []InstanceName{}, Due: []DueInstance{},
		Relinked: []RelinkedInstance{{
			InstanceName: exampleName, Moved: true, Later: true,
			Before: []Link{{"retail", "stores", []time.Time{exampleUp}, "natural-day", "all", false, ""}},
			After:  []Link{{"retail", "stores", []time.Time{exampleUp, exampleAt}, "natural-day", "all", false, ""}},
		}},
	}
	exampleApply   = ApplyRequest{Definitions: exampleFiles, Loaded: "5f2c", Fingerprint: "a913", Note: "one source more"}
	exampleApplied = ApplyReport{Jobs: 2, Added: []JobRef{}, Changed: []JobRef{{Workflow: "retail", Job: "orders"}}, Removed: []JobRef{}, Replaced: 18, Planned: 18}
	exampleVersion = JobVersion{
		ID: 12, CreatedAt: exampleDiffAt.UTC(), Current: true, Folder: "/srv/pipelines",
		Definition: json.RawMessage(`{"jobs":{"orders":{"action":{"type":"none"},"trigger":"manual"}},"workflow":"retail"}`),
	}
)
