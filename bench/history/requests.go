package history

import (
	"fmt"
	"net/url"
	"strings"
	"time"
)

// A Request is a path with the worst parameters that a route takes.
type Request struct {
	Path string
	Bar  time.Duration // of the server's time, p95
	Ends bool          // false of a stream, whose beginning is waited for
	Not  []int         // statuses that are an answer too, beside 200
}

// The bars.
const (
	Bar    = 20 * time.Millisecond
	DayBar = 100 * time.Millisecond // of what returns a whole day
)

const azure = "/subscriptions/00000000-0000-0000-0000-000000000000"

// Requests are the worst requests of each route, by the id of its operation.
func Requests(f Facts) map[string][]Request {
	q := url.QueryEscape
	one := func(paths ...string) (list []Request) {
		for _, p := range paths {
			list = append(list, Request{Path: p, Bar: Bar, Ends: true})
		}
		return list
	}
	day := func(paths ...string) []Request {
		list := one(paths...)
		for n := range list {
			list[n].Bar = DayBar
		}
		return list
	}
	maybe := func(path string, statuses ...int) []Request {
		return []Request{{Path: path, Bar: Bar, Ends: true, Not: statuses}}
	}
	stream := func(path string) []Request { return []Request{{Path: path, Bar: Bar}} }
	api := func(format string, args ...any) string { return "/api/v1" + fmt.Sprintf(format, args...) }
	group := azure + "/resourceGroups/almanac"
	collection := group + "/providers/Microsoft.Scheduler/jobCollections"
	const version = "?api-version=2016-03-01"
	at := q(f.At.Format(time.RFC3339))
	return map[string][]Request{
		"live": one("/livez"), "ready": one("/readyz"), "metrics": one("/metrics"),
		"describe": one(api("/openapi.json")), "status": one(api("/status")), "health": one(api("/health")), "whoami": one(api("/whoami")),
		"listWorkers": one(api("/workers")), "listSinks": one(api("/sinks")), "listTokens": one(api("/tokens?limit=500")),

		"listJobs":   one(api("/jobs?limit=500&due=true&removed=true"), api("/jobs?q=9&limit=500")),
		"getJob":     one(api("/jobs/w/m0"), api("/jobs/w/d000")),
		"jobsAround": one(api("/jobs/around?job=w/m0&limit=5000")),
		"jobDays":    day(api("/jobs/w/m0/days?from=%s&to=%s", daysBefore(f.Day, 365), f.Day), api("/jobs/w/m0/days")),
		"jobForm":    one(api("/jobs/w/m0/form")), "listVersions": one(api("/jobs/w/m0/versions?limit=500")),
		"getDefinition": one(api("/jobs/w/m0/definition")), "listDefinitions": one(api("/definitions?limit=500")),
		"schemaDefinitions": one(api("/definitions/schema")), "sourceDefinitions": one(api("/definitions/source?workflow=w")),

		"listInstances": one(api("/instances?limit=500"), api("/instances?limit=500&state=failed"), api("/instances?limit=500&state=cancelled&kind=manual"),
			api("/instances?limit=500&workflow=w&job=m0&state=failed"), api("/instances?limit=500&workflow=w&state=failed"),
			api("/instances?limit=500&kind=backfill&from=2020-01-01T00:00:00Z"),
			api("/instances?limit=100&selector=%s", q("job:h03 date:"+f.Day)), api("/instances?limit=100&selector=%s", q("state:failed date:"+f.Day)),
			api("/instances?limit=100&selector=%s", q("backfill:"+backfillKey(0)+" date:"+f.Day))),
		"getInstance": one(api("/instances/%d", f.First)), "listWaits": one(api("/instances/%d/waits", f.Late)),
		"listAttempts": one(api("/instances/%d/attempts?limit=500", f.First)), "listRuns": one(api("/instances/%d/runs", f.First)),
		"listEvents": one(api("/instances/%d/events?limit=500", f.First)), "listSteps": one(api("/instances/%d/steps", f.First)),
		"explainInstance": one(api("/instances/%d/explain", f.Late), api("/instances/%d/explain?at=%s", f.Late, at), api("/instances/%d/explain", f.Failed)),
		"explainByName":   one(api("/explain?instance=%s", q(f.LateName)), api("/explain?instance=%s&at=%s", q(f.LateName), at)),
		"graphInstance":   one(api("/instances/%d/graph?up=100&down=100&limit=1000&ends=true", f.Late), api("/instances/%d/graph?at=%s", f.Late, at)),
		"graphByName":     one(api("/graph?instance=%s&up=100&down=100&ends=true", q(f.LateName))),
		"getAttempt":      one(api("/attempts/%d", f.Attempt)), "readLog": maybe(api("/attempts/%d/log", f.Attempt), 404),
		"streamLog": {{Path: api("/attempts/%d/log/stream", f.Attempt), Bar: Bar, Not: []int{404}}},

		"getDay":       day(api("/days/%s", f.Day), api("/days/today"), api("/days/%s?selector=%s", f.Day, q("state:failed"))),
		"getDayEdges":  day(api("/days/%s/edges", f.Day), api("/days/today/edges")),
		"planCalendar": day(api("/plan.ics?days=60&job=d000")),
		"listUpcoming": one(api("/upcoming?limit=100")), "listConcerns": one(api("/concerns?limit=50")),
		"listDeadlines": one(api("/deadlines?limit=500")), "listOrders": one(api("/orders")), "listPauses": one(api("/pauses?limit=1000")),

		"listOperations": one(api("/operations?limit=500")), "getOperation": maybe(api("/operations/%d", f.Attempt), 404),
		"listBackfills": one(api("/backfills?limit=500")), "getBackfill": one(api("/backfills/%s", backfillKey(0))),
		"listBackfillDays": one(api("/backfills/%s/days", backfillKey(0))),

		"listIncidents": one(api("/incidents?limit=500"), api("/incidents?state=open&limit=500")), "getIncident": one(api("/incidents/%d", f.Incident)),
		"getDelivery": one(api("/deliveries/%d", f.Delivery)),

		"listAudit": one(api("/audit?limit=500"), api("/audit?limit=500&actor=nobody"), api("/audit?limit=500&action=rerun"),
			api("/audit?limit=500&actor=ann&from=2020-01-01T00:00:00Z")),
		"auditChain":    one(api("/audit/chain")),
		"listChanges":   one(api("/changes?limit=200&from=2020-01-01T00:00:00Z"), api("/changes?limit=200")),
		"streamChanges": append(stream(api("/stream?after=0&kinds=fail")), stream(api("/stream?after=0"))...),

		"azureListBySubscription": one(azure + "/providers/Microsoft.Scheduler/jobCollections" + version),
		"azureListByGroup":        one(collection + version), "azureGetCollection": maybe(collection+"/none"+version, 404),
		"azureListJobs": maybe(collection+"/none/jobs"+version, 404), "azureGetJob": maybe(collection+"/none/jobs/none"+version, 404),
		"azureJobHistory":  maybe(collection+"/none/jobs/none/history"+version, 404),
		"azureGetProvider": one(azure + "/providers/Microsoft.Scheduler?api-version=2015-01-01"),

		"asset": maybe("/assets/none.js", 404), "icon": one("/favicon.svg"),
		"pageHome": one("/"), "pageIncidents": one("/incidents"), "pageIncident": one("/incidents/1"), "pageDay": one("/day"), "pageDayOf": one("/day/" + f.Day),
		"pageInstances": one("/instances"), "pagePlanned": one("/planned?i=" + q("w/m0@"+f.At.Format(time.RFC3339))), "pageInstance": one("/instances/1"), "pageInstanceGraph": one("/instances/1/graph"), "pageGraph": one("/graph"),
		"pageJobs": one("/jobs"), "pageJob": one("/jobs/w/m0"), "pageDefinition": one("/definitions/w"), "pageBackfills": one("/backfills"),
		"pageNewBackfill": one("/backfills/new"), "pageBackfill": one("/backfills/1"), "pageSimulate": one("/simulate"), "pageAdmin": one("/admin"),
	}
}

func daysBefore(day string, n int) string {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	return at.AddDate(0, 0, -n).Format(time.DateOnly)
}

// Fits reports whether a request is one of a route, by its pattern.
func (r *Request) Fits(pattern string) bool {
	path, _, _ := strings.Cut(r.Path, "?")
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}
	for n := range want {
		if want[n] != got[n] && (!strings.HasPrefix(want[n], "{") || got[n] == "") {
			return false
		}
	}
	return true
}
