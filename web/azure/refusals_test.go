package azure_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is refused leaves everything as it was.
func TestWhatIsRefusedChangesNothing(t *testing.T) {
	d, s := newDesk(t), newSink(t)
	d.must(201, "PUT", at("jc1"), standard)
	d.must(201, "PUT", at("free"), `{"properties": {"sku": {"name": "Free"}}}`)
	d.must(201, "PUT", at("full"), `{"properties": {"quota": {"maxJobCount": 1, "maxRecurrence": {"frequency": "hour", "interval": 2}}}}`)
	d.must(201, "PUT", at("full/jobs/j1"), s.every(`{"frequency": "day"}`))
	d.must(201, "PUT", at("jc1/jobs/j1"), s.every(`{"frequency": "minute", "interval": 10}`))
	d.load("workflow: Filed\njobs:\n  j: {trigger: manual, action: {type: shell, command: \"true\"}}\n")

	job := func(action, rest string) string {
		return `{"properties": {"action": {"type": "Http", ` + action + `, "retryPolicy": {"retryType": "None"}}` + rest + `}}`
	}
	get := `"request": {"method": "GET", "uri": "http://h/"}`
	headers := func(n, length int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf("%q: %q", fmt.Sprintf("h%d", i), strings.Repeat("v", length)))
		}
		return strings.Join(list, ", ")
	}
	before := d.snapshot()
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		code, message            string
	}{
		{"no api-version", "GET", at("jc1?api-version="), "", 400, "MissingApiVersionParameter", "is required"},
		{"an unknown api-version", "GET", at("jc1?api-version=2017-01-01"), "", 400, "InvalidApiVersionParameter", "2016-03-01,2016-01-01,2014-08-01-preview"},
		{"an unknown api-version of a neighbour", "HEAD", "/subscriptions/s/resourceGroups/g?api-version=soon", "", 400, "", ""},
		{"a wrong verb", "POST", at("jc1/jobs/j1"), "", 400, "InvalidHttpVerb", "POST"},
		{"a wrong verb for a list", "PUT", at("jc1/jobs"), "{}", 400, "InvalidHttpVerb", "PUT"},
		{"an unknown path", "GET", at("jc1/steps"), "", 404, "ResourceNotFound", "no such path"},
		{"no collection", "GET", at("none"), "", 404, "ResourceNotFound", "jobCollections/none"},
		{"no job", "GET", at("jc1/jobs/none"), "", 404, "ResourceNotFound", "'none'"},
		{"a job of no collection", "PUT", at("none/jobs/j1"), job(get, ""), 404, "ResourceNotFound", "jobCollections/none"},
		{"a patch of no job", "PATCH", at("jc1/jobs/none"), "{}", 404, "ResourceNotFound", "'none'"},
		{"a patch of no collection", "PATCH", at("none"), "{}", 404, "ResourceNotFound", "none"},
		{"an action of no collection", "POST", at("none/enable"), "", 404, "ResourceNotFound", "none"},
		{"history of no job", "GET", at("jc1/jobs/none/history"), "", 404, "ResourceNotFound", "'none'"},
		{"a run of no job", "POST", at("jc1/jobs/none/run"), "", 404, "ResourceNotFound", "'none'"},
		{"a subscription that is none", "GET", "/subscriptions/a%20b/providers/Microsoft.Scheduler/jobCollections", "", 400, "InvalidSubscriptionId", "a b"},
		{"a group that is none", "GET", "/subscriptions/s/resourceGroups/g./providers/Microsoft.Scheduler/jobCollections", "", 400, "BadRequest", "g."},
		{"a resource group that there is not", "DELETE", "/subscriptions/s/resourceGroups/none", "", 404, "ResourceGroupNotFound", "none"},
		{"a group that is no object", "PUT", "/subscriptions/s/resourceGroups/g", "[]", 400, "BadRequest", "object"},

		{"a collection's name in another alphabet", "PUT", at("%D7%90%D7%91"), standard, 400, "BadRequest", "job collection name"},
		{"a collection's name that begins with a digit", "PUT", at("1a"), standard, 400, "BadRequest", "job collection name"},
		{"a job's name in another alphabet", "PUT", at("jc1/jobs/%E4%BD%9C%E4%B8%9A"), job(get, ""), 400, "BadRequest", "job name"},
		{"a job's name of 101 letters", "PUT", at("jc1/jobs/" + strings.Repeat("a", 101)), job(get, ""), 400, "BadRequest", "job name"},
		{"malformed JSON", "PUT", at("jc1/jobs/j1"), `{"properties": {`, 400, "BadRequest", "ends too early"},
		{"malformed JSON of a collection", "PUT", at("jc1"), `{"properties": }`, 400, "BadRequest", "not valid JSON"},
		{"malformed JSON of a patch", "PATCH", at("jc1/jobs/j1"), `{"properties" {}}`, 400, "BadRequest", "not valid JSON"},
		{"no properties", "PUT", at("jc1/jobs/j1"), `{}`, 400, "BadRequest", "properties"},
		{"no body", "PUT", at("jc1/jobs/j1"), ``, 400, "BadRequest", "ends too early"},
		{"another id", "PUT", at("jc1/jobs/j1"), `{"id": "/subscriptions/x", ` + job(get, "")[1:], 400, "BadRequest", "'/subscriptions/x'"},
		{"another name", "PUT", at("jc1/jobs/j1"), `{"name": "jc1/j2", ` + job(get, "")[1:], 400, "BadRequest", "jc1/j2"},
		{"another id in a patch", "PATCH", at("jc1/jobs/j1"), `{"id": "x"}`, 400, "BadRequest", "'id' cannot be changed"},
		{"another id of a collection", "PATCH", at("jc1"), `{"id": "x"}`, 400, "BadRequest", "'id' cannot be changed"},
		{"another name of a collection", "PUT", at("jc1"), `{"name": "jc2"}`, 400, "BadRequest", "jc2"},
		{"a status", "PATCH", at("jc1/jobs/j1"), `{"properties": {"status": {}}}`, 400, "BadRequest", "'status' cannot be set"},
		{"a final state", "PATCH", at("jc1/jobs/j1"), `{"properties": {"state": "completed"}}`, 400, "BadRequest", "'completed'"},
		{"a final state in a put", "PUT", at("jc1/jobs/j1"), job(get, `, "state": "faulted"`), 400, "BadRequest", "'faulted'"},
		{"a state that there is not", "PUT", at("jc1/jobs/j1"), job(get, `, "state": "asleep"`), 400, "BadRequest", "asleep"},
		{"a type that there is not", "PUT", at("jc1/jobs/j1"), `{"properties": {"action": {"type": "Shell", "command": "rm"}}}`, 400, "BadRequest", "properties.action.type"},
		{"no uri", "PUT", at("jc1/jobs/j1"), job(`"request": {"method": "GET"}`, ""), 400, "BadRequest", "uri"},
		{"an expression of cron", "PUT", at("jc1/jobs/j1"), job(get, `, "cron": "* * * * *"`), 400, "BadRequest", "cron"},
		{"a dependency", "PUT", at("jc1/jobs/j1"), job(get, `, "dependsOn": ["x"]`), 400, "BadRequest", "dependsOn"},
		{"exponential retries", "PUT", at("jc1/jobs/j1"), `{"properties": {"action": {"type": "Http", ` + get + `, "retryPolicy": {"retryType": "Exponential"}}}}`, 400, "BadRequest", "retryType"},
		{"days of the month of weeks", "PUT", at("jc1/jobs/j1"), job(get, `, "recurrence": {"frequency": "Week", "schedule": {"monthDays": [1]}}`), 400, "BadRequest", "Cannot set days of month with recurrence unit 'Week'."},
		{"an interval that is too long", "PUT", at("jc1/jobs/j1"), job(get, `, "recurrence": {"frequency": "month", "interval": 19}`), 400, "BadRequest", "interval"},
		{"a start that is too far ahead", "PUT", at("jc1/jobs/j1"), job(get, `, "startTime": "2028-03-01"`), 400, "BadRequest", "18 months"},
		{"21 retries", "PUT", at("jc1/jobs/j1"), `{"properties": {"action": {"type": "Http", ` + get + `, "retryPolicy": {"retryCount": 21}}}}`, 400, "BadRequest", "retryCount"},
		{"retries after 14 seconds", "PUT", at("jc1/jobs/j1"), `{"properties": {"action": {"type": "Http", ` + get + `, "retryPolicy": {"retryInterval": "PT14S"}}}}`, 400, "BadRequest", "15 seconds"},
		{"a minute of 60", "PUT", at("jc1/jobs/j1"), job(get, `, "recurrence": {"frequency": "day", "schedule": {"minutes": [60]}}`), 400, "BadRequest", "minutes"},
		{"a body that is too long", "PUT", at("jc1/jobs/j1"), job(`"request": {"method": "POST", "uri": "http://h/", "body": "`+strings.Repeat("b", 8193)+`"}`, ""), 400, "BadRequest", "8192"},
		{"a URL that is too long", "PUT", at("jc1/jobs/j1"), job(`"request": {"method": "GET", "uri": "http://h/`+strings.Repeat("u", 2048)+`"}`, ""), 400, "BadRequest", "2048"},
		{"51 headers", "PUT", at("jc1/jobs/j1"), job(`"request": {"method": "GET", "uri": "http://h/", "headers": {`+headers(51, 1)+`}}`, ""), 400, "BadRequest", "50"},
		{"headers of more than 4096 characters", "PUT", at("jc1/jobs/j1"), job(`"request": {"method": "GET", "uri": "http://h/", "headers": {`+headers(5, 1000)+`}}`, ""), 400, "BadRequest", "4096"},
		{"16,001 characters", "PUT", at("jc1/jobs/j1"), job(get, `, "unknown": "`+strings.Repeat("x", 16_000)+`"`), 400, "BadRequest", "16000"},
		{"16,001 characters after a patch", "PATCH", at("jc1/jobs/j1"), `{"properties": {"unknown": "` + strings.Repeat("x", 16_000) + `"}}`, 400, "BadRequest", "16000"},
		{"a collection of 16,001 characters", "PUT", at("jc1"), `{"tags": {"k": "` + strings.Repeat("x", 16_000) + `"}}`, 400, "BadRequest", "16000"},
		{"no token of a storage queue", "PUT", at("jc1/jobs/j1"), `{"properties": {"action": {"type": "StorageQueue", "queueMessage": {"storageAccount": "a", "queueName": "q", "message": "m"}}}}`, 400, "BadRequest", "sasToken"},

		{"a recurrence that is too fast", "PUT", at("full/jobs/j1"), s.every(`{"frequency": "hour"}`), 409, "ConflictError", "maxRecurrence"},
		{"a schedule that is too fast", "PUT", at("full/jobs/j1"), s.every(`{"frequency": "day", "schedule": {"hours": [1, 2], "minutes": [0]}}`), 409, "ConflictError", "1h0m0s"},
		{"a patch that is too fast", "PATCH", at("full/jobs/j1"), `{"properties": {"recurrence": {"frequency": "minute"}}}`, 409, "ConflictError", "maxRecurrence"},
		{"one job too many", "PUT", at("full/jobs/j2"), s.every(`{"frequency": "day"}`), 409, "ConflictError", "maxJobCount"},
		{"authentication in the Free plan", "PUT", at("free/jobs/j1"), job(`"request": {"method": "GET", "uri": "http://h/", "authentication": {"type": "Basic", "username": "u", "password": "p"}}`, ""), 400, "BadRequest", "Free plan"},
		{"a retry within the hour in the Free plan", "PUT", at("free/jobs/j1"), `{"properties": {"action": {"type": "Http", ` + get + `, "retryPolicy": {"retryInterval": "PT59M"}}}}`, 400, "BadRequest", "1 hour"},
		{"a second Free collection", "PUT", at("free2"), `{"properties": {"sku": {"name": "Free"}}}`, 409, "ConflictError", "Free"},
		{"a change to Free beside one", "PATCH", at("jc1"), `{"properties": {"sku": {"name": "free"}}}`, 409, "ConflictError", "Free"},
		{"more jobs than the Free plan has", "PATCH", at("free"), `{"properties": {"quota": {"maxJobCount": 6}}}`, 400, "BadRequest", "maxJobCount"},
		{"a faster recurrence than the Free plan has", "PATCH", at("free"), `{"properties": {"quota": {"maxRecurrence": {"frequency": "minute", "interval": 59}}}}`, 400, "BadRequest", "maxRecurrence"},
		{"a quota that a job breaks", "PATCH", at("jc1"), `{"properties": {"quota": {"maxRecurrence": {"frequency": "hour", "interval": 1}}}}`, 409, "ConflictError", "The job 'j1'"},
		{"a quota below what is there", "PUT", at("jc1"), `{"properties": {"quota": {"maxJobCount": 0}}}`, 400, "BadRequest", "maxJobCount"},
		{"a plan that there is not", "PUT", at("jc1"), `{"properties": {"sku": {"name": "Gold"}}}`, 400, "BadRequest", "Gold"},
		{"a plan of an older version", "PUT", at("jc2"), `{"properties": {"sku": {"name": "Premium"}}}`, 400, "BadRequest", "api-version"},
		{"a plan of a newer version", "PUT", at("jc2?api-version=2016-01-01"), `{"properties": {"sku": {"name": "P20Premium"}}}`, 400, "BadRequest", "api-version"},
		{"a state that is the service's own", "PATCH", at("jc1"), `{"properties": {"state": "Suspended"}}`, 400, "BadRequest", "Suspended"},

		{"the collection of a file", "PUT", at("filed"), standard, 409, "ConflictError", "file"},
		{"a patch of the collection of a file", "PATCH", at("filed"), standard, 409, "ConflictError", "file"},
		{"the end of the collection of a file", "DELETE", at("filed"), "", 409, "ConflictError", "file"},
		{"a job in the collection of a file", "PUT", at("filed/jobs/x"), s.once(), 409, "ConflictError", "file"},
		{"the end of a job of a file", "DELETE", at("filed/jobs/j"), "", 409, "ConflictError", "file"},
		{"disabling the collection of a file", "POST", at("filed/disable"), "", 409, "ConflictError", "file"},

		{"$top of 0", "GET", at("jc1/jobs?$top=0"), "", 400, "MissingOrInvalidRequiredQueryParameter", "$top"},
		{"$top of 101", "GET", at("jc1/jobs/j1/history?$top=101"), "", 400, "MissingOrInvalidRequiredQueryParameter", "$top"},
		{"$skip of -1", "GET", at("jc1/jobs?$skip=-1"), "", 400, "MissingOrInvalidRequiredQueryParameter", "$skip"},
		{"$top of a word", "GET", at("jc1/jobs?$top=all"), "", 400, "MissingOrInvalidRequiredQueryParameter", "$top"},
		{"a filter on another member", "GET", at("jc1/jobs?$filter=name%20eq%20a"), "", 400, "MissingOrInvalidRequiredQueryParameter", "state eq VALUE"},
		{"a filter of another form", "GET", at("jc1/jobs?$filter=state%20ne%20enabled"), "", 400, "MissingOrInvalidRequiredQueryParameter", "state eq VALUE"},
		{"a filter on a state that there is not", "GET", at("jc1/jobs?$filter=state%20eq%20asleep"), "", 400, "MissingOrInvalidRequiredQueryParameter", "faulted"},
		{"a filter on both", "GET", at("jc1/jobs/j1/history?$filter=status%20eq%20'failed'%20or%20true"), "", 400, "MissingOrInvalidRequiredQueryParameter", "status eq VALUE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := d.ask(c.method, c.path, c.body)
			require.Equal(t, c.status, a.StatusCode, a.body)
			require.Equal(t, "no-cache", a.Header.Get("Cache-Control"))
			require.Equal(t, "no-cache", a.Header.Get("Pragma"))
			require.Equal(t, "-1", a.Header.Get("Expires"))
			require.NotEmpty(t, a.Header.Get("x-ms-request-id"))
			require.NotEmpty(t, a.Header.Get("x-ms-correlation-request-id"))
			if c.method != "HEAD" {
				require.Contains(t, a.refusal(d, c.code), c.message)
			}
		})
	}
	require.Equal(t, before, d.snapshot())
}

// snapshot is everything that the face shows of its own group.
func (d *desk) snapshot() string {
	d.Helper()
	text := d.must(200, "GET", strings.TrimSuffix(at(""), "/"), "").body
	for _, name := range []string{"jc1", "free", "full", "filed"} {
		text += "\n" + d.must(200, "GET", at(name, "jobs"), "").body
	}
	return text
}
