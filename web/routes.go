package web

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/almanac-sched/almanac/web/azure"
)

// A route is a line of the one table of what the server answers.
type route struct {
	Method     string
	Pattern    string     // with {name} for one segment of the path
	Permission Permission // required
	ID         string     // of the operation in openapi.json
	Tag        string
	Summary    string
	Text       string // more than the summary; "" is nothing
	Audit      bool   // writes an audit line: routes that act
	BodyLimit  int64  // bytes; 0 takes no body
	Basic      bool   // the token may come as the password of HTTP Basic; for what is read by programs that know nothing else
	Packed     bool   // compressed for who can read it so; for large answers
	Idempotent bool   // the header Idempotency-Key makes it happen once; for routes that act by the engine

	Request any            // example of a body
	Answers map[int]any    // example of each answer that is no problem, by status
	Bare    []int          // statuses of answers without a body
	Refuses []int          // statuses of problems beyond those that every route has
	Usual   *huma.Response // the answer with status 200, where the OpenAPI library cannot see it

	register func(s *server, api huma.API, op huma.Operation)
	face     *azure.Operation                                        // answers in the place of register, in the words of another service, which describes it
	serve    func(s *server, w http.ResponseWriter, r *http.Request) // answers with a file of the web UI, which no description holds
}

// handlers counts what answers the route: one thing does.
func (rt *route) handlers() (n int) {
	for _, has := range []bool{rt.register != nil, rt.face != nil, rt.serve != nil} {
		if has {
			n++
		}
	}
	return n
}

const prefix = "/api/v1"

// table is the API's table of contents. Public routes are a closed list, which a test holds.
func table() []route {
	return slices.Concat(
		native(), watchRoutes(), powerRoutes(), explainRoutes(), operationRoutes(), pauseRoutes(), orderRoutes(), backfillRoutes(), backfillLookRoutes(), alertRoutes(), definitionRoutes(), storedRoutes(), versionRoutes(),
		previewRoutes(), sourceRoutes(),
		jobDefinitionRoutes(), calendarRoutes(), simulateRoutes(), streamRoutes(), faces(), uiRoutes(),
		stepRoutes(), jobDayRoutes(),
		tokenRoutes(), auditRoutes(), adminRoutes(), homeRoutes(),
		dayRoutes(),
	)
}

// faces are the routes of the face of Azure Scheduler.
func faces() []route {
	permissions := map[azure.Need]Permission{azure.Read: Viewer, azure.Run: Operator, azure.Change: Editor}
	var routes []route
	for _, op := range azure.Operations() {
		rt := route{Method: op.Method, Pattern: op.Pattern, Permission: permissions[op.Need], ID: op.ID, Tag: "azure", Summary: op.Summary, face: &op}
		if op.Method != http.MethodGet && op.Method != http.MethodHead {
			rt.Audit, rt.BodyLimit = true, azure.MaxBody
		}
		routes = append(routes, rt)
	}
	return routes
}

// native are the routes of the API of the server's own.
func native() []route {
	get, post := http.MethodGet, http.MethodPost
	conflict := []int{http.StatusNotFound, http.StatusConflict}
	missing := []int{http.StatusNotFound}
	return []route{
		{Method: get, Pattern: "/livez", Permission: Public, ID: "live", Tag: "server",
			Summary: "Whether the process answers", Answers: ok(Probe{Status: "ok"}), register: operation((*server).live)},
		{Method: get, Pattern: "/readyz", Permission: Public, ID: "ready", Tag: "server",
			Summary: "Whether the server does its work", Text: "The answer is 503 while it does not, with why for those who may know; GET /api/v1/status lists each aspect.",
			Answers: ok(Probe{Status: "ready"}), Refuses: []int{http.StatusServiceUnavailable}, register: operation((*server).ready)},
		{Method: get, Pattern: prefix + "/openapi.json", Permission: Viewer, ID: "describe", Tag: "server",
			Summary: "This description of the API", Text: "OpenAPI 3.1, generated from the code that answers.",
			Answers: ok(nil), Usual: descriptionResponse(), register: operation((*server).describe)},
		{Method: get, Pattern: prefix + "/status", Permission: Viewer, ID: "status", Tag: "server",
			Summary: "What the server is doing", Answers: ok(exampleStatus), register: operation((*server).status)},

		{Method: get, Pattern: prefix + "/jobs", Permission: Viewer, ID: "listJobs", Tag: "jobs",
			Summary: "List jobs by workflow and name", Answers: ok(JobPage{Items: []ListedJob{exampleListed}}), register: operation((*server).listJobs)},
		{Method: get, Pattern: prefix + "/jobs/{workflow}/{job}", Permission: Viewer, ID: "getJob", Tag: "jobs", Refuses: missing,
			Summary: "One job: its definition, when it is due, what it waits for", Answers: ok(exampleJobDetail), register: operation((*server).getJob)},
		{Method: post, Pattern: prefix + "/jobs/{workflow}/{job}/trigger", Permission: Operator, ID: "triggerJob", Tag: "jobs", Refuses: conflict,
			Audit: true, BodyLimit: maxBody, Summary: "Run a job now",
			Text: "Makes a manual instance, which waits for no other. With the header Idempotency-Key the same request can be sent again: " +
				"the answer is then 200 with the instance that the first one made, and the header Idempotency-Replayed: true.",
			Request: exampleTrigger, Answers: map[int]any{http.StatusCreated: exampleManual, http.StatusOK: exampleManual},
			register: operation((*server).trigger)},

		{Method: get, Pattern: prefix + "/instances", Permission: Viewer, ID: "listInstances", Tag: "instances", Refuses: missing,
			Summary: "List instances by plan time, newest first", Answers: ok(InstancePage{Items: []Instance{exampleInstance}, Next: "MTc2NDMy"}),
			register: operation((*server).listInstances)},
		{Method: get, Pattern: prefix + "/instances/{id}", Permission: Viewer, ID: "getInstance", Tag: "instances", Refuses: missing,
			Summary: "One instance", Answers: ok(exampleInstance), register: operation((*server).getInstance)},
		{Method: get, Pattern: prefix + "/instances/{id}/waits", Permission: Viewer, ID: "listWaits", Tag: "instances", Refuses: missing,
			Summary: "What an instance waits for, as it was planned", Answers: ok(WaitList{Items: []Wait{exampleWait}}), register: operation((*server).listWaits)},
		{Method: get, Pattern: prefix + "/instances/{id}/attempts", Permission: Viewer, ID: "listAttempts", Tag: "instances", Refuses: missing,
			Summary: "The attempts of an instance", Answers: ok(AttemptList{Items: []Attempt{exampleAttempt}}), register: operation((*server).listAttempts)},
		{Method: get, Pattern: prefix + "/instances/{id}/runs", Permission: Viewer, ID: "listRuns", Tag: "instances", Refuses: missing,
			Summary: "The runs of an instance", Text: "A run is one life of the instance: from when it was planned or opened again to its end. " +
				"A rerun begins the next one, and so does a person who says that what failed or is lost counts as done.",
			Answers: ok(RunList{Items: []Run{exampleRun}}), register: operation((*server).listRuns)},
		{Method: get, Pattern: prefix + "/instances/{id}/events", Permission: Viewer, ID: "listEvents", Tag: "instances", Refuses: missing,
			Summary: "The history of an instance", Answers: ok(EventPage{Items: []Event{exampleEvent}}), register: operation((*server).listEvents)},
		{Method: post, Pattern: prefix + "/instances/{id}/cancel", Permission: Operator, ID: "cancelInstance", Tag: "instances", Refuses: conflict,
			Audit: true, BodyLimit: maxBody, Idempotent: true, Summary: "Cancel an instance",
			Text:    "A waiting instance is cancelled at once, a running one when its processes have ended. Cancelling twice is cancelling once.",
			Request: exampleNote, Answers: ok(exampleCancelled), register: operation((*server).cancel)},
		{Method: post, Pattern: prefix + "/instances/{id}/confirm", Permission: Operator, ID: "confirmInstance", Tag: "instances", Refuses: conflict,
			Audit: true, BodyLimit: maxBody, Idempotent: true, Summary: "Let an instance pass that waits for a person",
			Request: exampleNote, Answers: ok(exampleInstance), register: operation((*server).confirm)},

		{Method: get, Pattern: prefix + "/attempts/{id}", Permission: Viewer, ID: "getAttempt", Tag: "attempts", Refuses: missing,
			Summary: "One attempt", Answers: ok(exampleAttempt), register: operation((*server).getAttempt)},
		{Method: get, Pattern: prefix + "/attempts/{id}/log", Permission: Viewer, ID: "readLog", Tag: "attempts", Refuses: missing,
			Summary: "A part of an attempt's log",
			Text: "The bytes from offset on, as the attempt wrote them. To follow a log, ask again with the offset raised by the bytes received, until " +
				"the header X-Log-Complete is true. A log that was longer than its limit loses its middle when the attempt ends.",
			Answers: ok(nil), Usual: logResponse(), register: operation((*server).readLog)},
	}
}

func ok(example any) map[int]any { return map[int]any{http.StatusOK: example} }

// operation joins a handler with the OpenAPI library. Its errors become problems here and nowhere else.
func operation[I, O any](handle func(*server, context.Context, *I) (*O, error)) func(*server, huma.API, huma.Operation) {
	return func(s *server, api huma.API, op huma.Operation) {
		huma.Register(api, op, func(ctx context.Context, in *I) (*O, error) {
			out, err := handle(s, ctx, in)
			if err != nil {
				return nil, s.problem(ctx, err)
			}
			return out, nil
		})
	}
}
