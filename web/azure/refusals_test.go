package azure_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

// A refusal is a request that is refused, and the paragraph of `azure-scheduler.md` by which it is.
type refusal struct {
	ground, name       string
	method, path, body string
	status             int
	code               string
	says               []string // in the message: the member or the parameter first
}

func says(words ...string) []string { return words }

// The codes of refusals.
const (
	badRequest = "BadRequest"
	badQuery   = "MissingOrInvalidRequiredQueryParameter"
	notFound   = "ResourceNotFound"
	conflict   = "ConflictError"
)

// elsewhere is the path of a collection of another subscription, and of what is below it.
func elsewhere(parts ...string) string {
	return "/subscriptions/s2/resourceGroups/g2/providers/Microsoft.Scheduler/jobCollections/" + strings.Join(parts, "/")
}

// refusing is a server with something of everything that a request can clash with.
func refusing(t *testing.T) (*desk, *sink) {
	d, s := newDesk(t), newSink(t)
	daily := s.every(`{"frequency": "day"}`)
	d.must(201, "PUT", at("jc1"), standard)
	d.must(201, "PUT", at("jc1/jobs/j1"), s.every(`{"frequency": "minute", "interval": 10}`))
	d.must(201, "PUT", at("jc1/jobs/off"), strings.Replace(daily, `{"properties": {`, `{"properties": {"state": "disabled", `, 1))
	d.must(201, "PUT", at("jc1/jobs/done"), s.once())
	d.settle()
	s.status = 500
	d.must(201, "PUT", at("jc1/jobs/failed"), s.once())
	d.settle()
	s.status = 200
	d.must(201, "PUT", at("free"), `{"properties": {"sku": {"name": "Free"}}}`)
	d.must(201, "PUT", at("full"), `{"properties": {"quota": {"maxJobCount": 1, "maxRecurrence": {"frequency": "hour", "interval": 2}}}}`)
	d.must(201, "PUT", at("full/jobs/j1"), daily)
	d.must(201, "PUT", at("off"), `{"properties": {"state": "Disabled"}}`)
	d.must(201, "PUT", at("off/jobs/j1"), daily)
	for name, jobs := range map[string][]string{
		"six": {daily, daily, daily, daily, daily, daily}, "often": {s.every(`{"frequency": "minute", "interval": 59}`)},
		"signed": {`{"properties": {"startTime": "2026-09-01", "action": {"type": "http", "request": {"uri": "http://h/", "method": "GET", "authentication": {"type": "basic", "username": "u", "password": "p"}}}}}`},
	} {
		d.must(201, "PUT", elsewhere(name), standard)
		for n, job := range jobs {
			d.must(201, "PUT", elsewhere(name, fmt.Sprintf("jobs/j%d", n+1)), job)
		}
	}
	d.load("workflow: Filed\njobs:\n  j: {trigger: manual, action: {type: shell, command: \"true\"}}\n")
	d.settle()
	require.Equal(t, "completed", d.state(at("jc1/jobs/done")))
	require.Equal(t, "faulted", d.state(at("jc1/jobs/failed")))
	return d, s
}

// refuses asks for each, and holds the rows after it against those before.
func (d *desk) refuses(t *testing.T, table []refusal) {
	for _, c := range table {
		t.Run(c.ground+" "+c.name, func(t *testing.T) {
			before := d.dump()
			a := d.ask(c.method, c.path, c.body)
			require.Equal(t, c.status, a.StatusCode, a.body)
			require.Equal(t, "no-cache", a.Header.Get("Cache-Control"))
			require.Equal(t, "no-cache", a.Header.Get("Pragma"))
			require.Equal(t, "-1", a.Header.Get("Expires"))
			require.NotEmpty(t, a.Header.Get("x-ms-request-id"))
			require.NotEmpty(t, a.Header.Get("x-ms-correlation-request-id"))
			if c.method != "HEAD" {
				message := a.refusal(d, c.code)
				require.True(t, utf8.ValidString(message))
				for _, words := range c.says {
					require.Contains(t, message, words)
				}
			}
			require.Equal(t, before, d.dump(), "what is refused leaves everything as it was")
			d.settle()
			require.Equal(t, before, d.dump(), "and nothing comes of it")
		})
	}
}

// dump is every row that a request could change: resources, jobs and their versions, and what waits or runs of them.
func (d *desk) dump() (lines []string) {
	d.Helper()
	require.NoError(d, d.db.Read(d.Context(), func(v engine.View) error {
		for _, kind := range []string{"azure.collection", "azure.job", "azure.group"} {
			rows, err := v.Resources(kind, "", "", 1000)
			if err != nil {
				return err
			}
			for _, row := range rows {
				lines = append(lines, fmt.Sprintf("%s %s %d %d %s", kind, row.Key, row.ID, row.Job, row.Body))
			}
		}
		jobs, err := v.Jobs()
		if err != nil {
			return err
		}
		for _, row := range jobs {
			waiting, err := v.Waiting(row.ID)
			if err != nil {
				return err
			}
			active, err := v.ActiveCount(row.ID)
			if err != nil {
				return err
			}
			lines = append(lines, fmt.Sprintf("%s %d version %d disabled %t removed %t: %d waiting, %d active", row.Ref, row.ID, row.Version, row.Disabled, row.Removed, len(waiting), active))
		}
		revision, err := v.Revision()
		lines = append(lines, fmt.Sprintf("revision %d", revision))
		return err
	}))
	return lines
}

// get is the request of a job that does nothing in particular.
const get = `"request": {"method": "GET", "uri": "http://h/"}`

// requesting is a job with a request and further properties.
func requesting(request, properties string) string {
	return `{"properties": {"action": {"type": "Http", ` + request + `, "retryPolicy": {"retryType": "None"}}` + properties + `}}`
}

// sized is a job whose properties have so many characters.
func sized(chars int) string {
	const before, after = `{"action":{"type":"Http","request":{"method":"GET","uri":"http://h/"}},"startTime":"2026-09-01","unknown":"`, `"}`
	return `{"properties": ` + before + strings.Repeat("ä", chars-len(before)-len(after)) + after + `}`
}

// sizedCollection is a collection of so many characters.
func sizedCollection(chars int) string {
	const before, after = `{"tags":{"k":"`, `"}}`
	return before + strings.Repeat("ä", chars-len(before)-len(after)) + after
}

// The largest that is taken (`azure-scheduler.md` §4): one character more is refused.
func TestWhatIsAsLargeAsCanBeIsTaken(t *testing.T) {
	d := newDesk(t)
	d.must(201, "PUT", at("jc1"), sizedCollection(16_000))
	d.refused(400, badRequest, "PUT", at("jc1"), sizedCollection(16_001))
	d.must(201, "PUT", at("jc1/jobs/j1"), sized(16_000))
	d.refused(400, badRequest, "PUT", at("jc1/jobs/j1"), sized(16_001))
	d.must(201, "PUT", at("jc1/jobs", strings.Repeat("j", 100)), requesting(`"request": {"method": "POST", "uri": "http://h/`+strings.Repeat("u", 2048-9)+`", "body": "`+strings.Repeat("b", 8192)+`"}`, ""))
	d.must(201, "PUT", at("jc1/jobs/headers"), requesting(`"request": {"method": "GET", "uri": "http://h/", "headers": {`+headers(50, 4096/50-3)+`}}`, ""))
}

// headers are so many, each with a value of that length.
func headers(n, length int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`"h%02d": %q`, i, strings.Repeat("v", length)))
	}
	return strings.Join(list, ", ")
}

// The REST surface (`azure-scheduler.md` §1).
func TestRequestsThatAreRefused(t *testing.T) {
	d, s := refusing(t)
	own := strings.TrimSuffix(at(""), "/")
	d.refuses(t, []refusal{
		{"§1 Versions", "an empty api-version", "GET", at("jc1?api-version="), "", 400, "MissingApiVersionParameter", says("api-version", "is required")},
		{"§1 Versions", "an unknown api-version", "GET", at("jc1?api-version=2017-01-01"), "", 400, "InvalidApiVersionParameter", says("'2017-01-01'", "2016-03-01,2016-01-01,2014-08-01-preview")},
		{"§1 Versions", "a put with an unknown api-version", "PUT", at("jc9?api-version=2016-03-01-preview"), standard, 400, "InvalidApiVersionParameter", says("api-version")},
		{"§1 Versions", "an unknown api-version of a neighbour", "HEAD", "/subscriptions/s/resourceGroups/g?api-version=soon", "", 400, "", nil},
		{"§1 Versions", "a plan of an older version", "PUT", at("jc2"), `{"properties": {"sku": {"name": "Premium"}}}`, 400, badRequest, says("properties.sku.name", "api-version")},
		{"§1 Versions", "a plan of a newer version", "PUT", at("jc2?api-version=2016-01-01"), `{"properties": {"sku": {"name": "P20Premium"}}}`, 400, badRequest, says("properties.sku.name", "api-version")},
		{"§1 Versions", "a patch to a plan of a newer version", "PATCH", at("jc1?api-version=2014-08-01-preview"), `{"properties": {"sku": {"name": "P10Premium"}}}`, 400, badRequest, says("properties.sku.name", "api-version")},

		{"§1 Errors", "POST of a job", "POST", at("jc1/jobs/j1"), "", 400, "InvalidHttpVerb", says("POST")},
		{"§1 Errors", "PUT of a list", "PUT", at("jc1/jobs"), "{}", 400, "InvalidHttpVerb", says("PUT")},
		{"§1 REST surface", "POST to make a job", "POST", at("jc1/jobs"), s.once(), 400, "InvalidHttpVerb", says("POST")},
		{"§1 Errors", "DELETE of a history", "DELETE", at("jc1/jobs/j1/history"), "", 400, "InvalidHttpVerb", says("DELETE")},
		{"§1 Errors", "GET of a run", "GET", at("jc1/jobs/j1/run"), "", 400, "InvalidHttpVerb", says("GET")},
		{"§1 Errors", "PATCH of a list of collections", "PATCH", own, "{}", 400, "InvalidHttpVerb", says("PATCH")},
		{"§1 Errors", "an unknown path", "GET", at("jc1/steps"), "", 404, notFound, says("no such path")},
		{"§1 REST surface", "one entry of a history", "GET", at("jc1/jobs/done/history/02519429304061978048:09223372036854580813"), "", 404, notFound, says("no such path")},
		{"§1 Errors", "no collection", "GET", at("none"), "", 404, notFound, says("jobCollections/none")},
		{"§1 Errors", "the end of no collection", "DELETE", at("none"), "", 404, notFound, says("jobCollections/none")},
		{"§1 Errors", "no job", "GET", at("jc1/jobs/none"), "", 404, notFound, says("'none'", "'jc1'")},
		{"§1 Errors", "the end of no job", "DELETE", at("jc1/jobs/none"), "", 404, notFound, says("'none'")},
		{"§1 Errors", "the jobs of no collection", "GET", at("none/jobs"), "", 404, notFound, says("jobCollections/none")},
		{"§1 Errors", "a job of no collection", "PUT", at("none/jobs/j1"), requesting(get, ""), 404, notFound, says("jobCollections/none")},
		{"§1 Errors", "a patch of no job", "PATCH", at("jc1/jobs/none"), "{}", 404, notFound, says("'none'")},
		{"§1 Errors", "a patch of no collection", "PATCH", at("none"), "{}", 404, notFound, says("none")},
		{"§1 Errors", "an action of no collection", "POST", at("none/enable"), "", 404, notFound, says("none")},
		{"§1 Errors", "history of no job", "GET", at("jc1/jobs/none/history"), "", 404, notFound, says("'none'")},
		{"§1 Errors", "a run of no job", "POST", at("jc1/jobs/none/run"), "", 404, notFound, says("'none'")},
		{"§1 Errors", "a collection of another group", "GET", strings.Replace(at("jc1"), "/almanac/", "/another/", 1), "", 404, notFound, says("'another'")},
		{"§1 Errors", "a subscription that is none", "GET", "/subscriptions/a%20b/providers/Microsoft.Scheduler/jobCollections", "", 400, "InvalidSubscriptionId", says("'a b'")},
		{"§1 Errors", "a group that is none", "GET", "/subscriptions/s/resourceGroups/g./providers/Microsoft.Scheduler/jobCollections", "", 400, badRequest, says("'g.'")},
		{"§1 Errors", "a resource group that there is not", "DELETE", "/subscriptions/s/resourceGroups/none", "", 404, "ResourceGroupNotFound", says("'none'")},
		{"§1 Errors", "a group that is no object", "PUT", "/subscriptions/s/resourceGroups/g", "[]", 400, badRequest, says("object")},

		{"§1 Errors", "malformed JSON", "PUT", at("jc1/jobs/j1"), `{"properties": {`, 400, badRequest, says("ends too early")},
		{"§1 Errors", "malformed JSON of a collection", "PUT", at("jc1"), `{"properties": }`, 400, badRequest, says("not valid JSON, at line 1")},
		{"§1 Errors", "malformed JSON of a patch", "PATCH", at("jc1/jobs/j1"), `{"properties" {}}`, 400, badRequest, says("not valid JSON")},
		{"§1 Errors", "text that is not UTF-8", "PUT", at("jc1"), "{\"location\": \"\xff\"}", 400, badRequest, says("not UTF-8")},
		{"§1 Errors", "two documents", "PUT", at("jc1"), "{} {}", 400, badRequest, says("text follows")},
		{"§1 Errors", "no body", "PUT", at("jc1/jobs/j1"), ``, 400, badRequest, says("ends too early")},
		{"§1 Errors", "a list in the place of a job", "PUT", at("jc1/jobs/j1"), `[]`, 400, badRequest, says("object")},
		{"§1 Errors", "a text in the place of a patch", "PATCH", at("jc1/jobs/j1"), `"x"`, 400, badRequest, says("object")},
		{"§1 Errors", "more than a mebibyte", "PUT", at("jc1/jobs/j1"), `{"properties": "` + strings.Repeat("x", 1<<20) + `"}`, 413, "RequestEntityTooLarge", says("1048576")},

		{"§1 REST surface", "$top of 0", "GET", at("jc1/jobs?$top=0"), "", 400, badQuery, says("'$top'", "between 1 and 100")},
		{"§1 REST surface", "$top of 101", "GET", at("jc1/jobs/j1/history?$top=101"), "", 400, badQuery, says("'$top'", "between 1 and 100")},
		{"§1 REST surface", "$top of a word", "GET", at("jc1/jobs?$top=all"), "", 400, badQuery, says("'$top'")},
		{"§1 REST surface", "$top of nothing", "GET", at("jc1/jobs?$top="), "", 400, badQuery, says("'$top'")},
		{"§1 REST surface", "$skip of -1", "GET", at("jc1/jobs?$skip=-1"), "", 400, badQuery, says("'$skip'")},
		{"§1 REST surface", "$skip of more than there can be", "GET", at("jc1/jobs/j1/history?$skip=2147483648"), "", 400, badQuery, says("'$skip'")},
		{"§1 REST surface", "$filter on another member", "GET", at("jc1/jobs?$filter=name%20eq%20a"), "", 400, badQuery, says("'$filter'", "state eq VALUE")},
		{"§1 REST surface", "$filter of jobs on the status", "GET", at("jc1/jobs?$filter=status%20eq%20failed"), "", 400, badQuery, says("'$filter'", "state eq VALUE")},
		{"§1 REST surface", "$filter of another form", "GET", at("jc1/jobs?$filter=state%20ne%20enabled"), "", 400, badQuery, says("'$filter'", "state eq VALUE")},
		{"§1 REST surface", "$filter on a state that there is not", "GET", at("jc1/jobs?$filter=state%20eq%20asleep"), "", 400, badQuery, says("'$filter'", "faulted")},
		{"§1 REST surface", "$filter with one quote", "GET", at("jc1/jobs?$filter=state%20eq%20'enabled"), "", 400, badQuery, says("'$filter'")},
		{"§1 REST surface", "$filter on two things", "GET", at("jc1/jobs/j1/history?$filter=status%20eq%20'failed'%20or%20true"), "", 400, badQuery, says("'$filter'", "status eq VALUE")},
	})
}
