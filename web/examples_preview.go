package web

// The examples of the routes that judge definitions, and say what they would come to.
var (
	exampleValidation = Validation{
		Problems: []DefinitionProblem{{
			File: "retail.yaml", Line: 12, Column: 9, Severity: "error", Message: "unknown member comand; the members of a shell action are command, script and shell", Hint: "did you mean command?",
		}},
		Workflows: []WorkflowNames{},
	}
	examplePreviewRequest = PreviewRequest{Definitions: exampleFiles, Workflow: "retail", Job: "orders", Date: "2026-11-21"}
	examplePreview        = Preview{
		Workflow: "retail", Job: "orders", Date: "2026-11-21", TimeZone: "Europe/Berlin", From: exampleDiffTo.AddDate(0, 0, -1), To: exampleDiffTo,
		Schedule: exampleExplanation.Schedule, Total: 1,
		Instances: []PreviewInstances{{PlanTime: exampleAt, Dependencies: exampleExplanation.Dependencies}},
	}
	exampleSource = WorkflowSource{
		SourceText: SourceText{Name: "retail.yaml", Text: exampleFiles.Files[0].Text, Own: true, Notes: []string{}},
		Workflow:   "retail", Jobs: []string{"stores"}, Folder: "/srv/pipelines", ServerFolder: "/srv/pipelines",
	}
)
