package azure_test

import (
	"strings"
	"testing"
)

// Job collections (`azure-scheduler.md` §2), and what §9 says of their quotas.
func TestCollectionsThatAreRefused(t *testing.T) {
	d, s := refusing(t)
	daily := s.every(`{"frequency": "day"}`)
	d.refuses(t, []refusal{
		{"§2 Names", "in another alphabet", "PUT", at("%D7%90%D7%91"), standard, 400, badRequest, says("job collection name 'אב'")},
		{"§2 Names", "a letter that only looks like one", "PUT", at("j%D1%811"), standard, 400, badRequest, says("job collection name")},
		{"§2 Names", "bytes that are no text", "PUT", at("a%FF"), standard, 400, badRequest, says("not UTF-8")},
		{"§2 Names", "a digit first", "PUT", at("1a"), standard, 400, badRequest, says("job collection name '1a'")},
		{"§2 Names", "a dot", "PUT", at("a.b"), standard, 400, badRequest, says("job collection name 'a.b'")},
		{"§2 Names", "a blank", "PUT", at("a%20b"), standard, 400, badRequest, says("job collection name 'a b'")},
		{"§2 Names", "101 letters", "PUT", at(strings.Repeat("a", 101)), standard, 400, badRequest, says("job collection name", "100 letters")},

		{"§2 Job collection", "another id", "PUT", at("jc1"), `{"id": "/subscriptions/x"}`, 400, badRequest, says("id:", "'/subscriptions/x'")},
		{"§2 Job collection", "another type", "PUT", at("jc1"), `{"type": "Microsoft.Logic/workflows"}`, 400, badRequest, says("type:", "Microsoft.Logic/workflows")},
		{"§2 Job collection", "another name", "PUT", at("jc1"), `{"name": "jc2"}`, 400, badRequest, says("name:", "'jc2'")},
		{"§2 Job collection", "a patch of the id", "PATCH", at("jc1"), `{"id": "x"}`, 400, badRequest, says("'id' cannot be changed")},
		{"§2 Job collection", "a patch of the name", "PATCH", at("jc1"), `{"name": "jc2"}`, 400, badRequest, says("'name' cannot be changed")},
		{"§2 Job collection", "a plan that there is not", "PUT", at("jc1"), `{"properties": {"sku": {"name": "Gold"}}}`, 400, badRequest, says("properties.sku.name", "'Gold'", "Standard")},
		{"§2 Job collection", "a plan without a name", "PUT", at("jc1"), `{"properties": {"sku": {"tier": "Free"}}}`, 400, badRequest, says("properties.sku.name", "missing")},
		{"§2 Job collection", "a state that there is not", "PUT", at("jc1"), `{"properties": {"state": "asleep"}}`, 400, badRequest, says("properties.state", "'asleep'")},
		{"§2 Job collection", "Suspended, the service's own", "PATCH", at("jc1"), `{"properties": {"state": "Suspended"}}`, 400, badRequest, says("properties.state", "'Suspended'")},
		{"§2 Job collection", "Deleted, the service's own", "PUT", at("jc1"), `{"properties": {"state": "deleted"}}`, 400, badRequest, says("properties.state", "'Deleted'")},
		{"§2 Job collection", "tags that are a list", "PUT", at("jc1"), `{"tags": ["a"]}`, 400, badRequest, says("tags", "object")},
		{"§2 Job collection", "a tag that is an object", "PATCH", at("jc1"), `{"tags": {"a": {"b": 1}}}`, 400, badRequest, says("tags.a", "string")},
		{"§4 job size", "a collection of 16,001 characters", "PUT", at("jc1"), sizedCollection(16_001), 400, badRequest, says("16001", "16000")},
		{"§4 job size", "a collection of 16,001 characters after a patch", "PATCH", at("jc1"), `{"tags": {"more": "` + strings.Repeat("x", 15_990) + `"}}`, 400, badRequest, says("job collection", "16000")},

		{"§2 plans", "no job at all", "PUT", at("jc1"), `{"properties": {"quota": {"maxJobCount": 0}}}`, 400, badRequest, says("properties.quota.maxJobCount", "between 1 and 1000")},
		{"§2 plans", "half a job", "PUT", at("jc1"), `{"properties": {"quota": {"maxJobCount": 1.5}}}`, 400, badRequest, says("properties.quota.maxJobCount", "whole number")},
		{"§2 plans", "a quota without a frequency", "PUT", at("jc1"), `{"properties": {"quota": {"maxRecurrence": {"interval": 1}}}}`, 400, badRequest, says("properties.quota.maxRecurrence.frequency", "missing")},
		{"§2 plans", "a quota of seconds", "PUT", at("jc1"), `{"properties": {"quota": {"maxRecurrence": {"frequency": "second"}}}}`, 400, badRequest, says("properties.quota.maxRecurrence.frequency", "'second'")},
		{"§9.19", "1001 jobs", "PUT", at("jc1"), `{"properties": {"quota": {"maxJobCount": 1001}}}`, 400, badRequest, says("properties.quota.maxJobCount", "1000")},
		{"§9.19", "a recurrence faster than a minute", "PATCH", at("jc1"), `{"properties": {"quota": {"maxRecurrence": {"frequency": "minute", "interval": 0}}}}`, 400, badRequest, says("properties.quota.maxRecurrence.interval")},
		{"§9.19", "more jobs than Free has", "PATCH", at("free"), `{"properties": {"quota": {"maxJobCount": 6}}}`, 400, badRequest, says("properties.quota.maxJobCount", "5")},
		{"§9.19", "a faster recurrence than Free has", "PATCH", at("free"), `{"properties": {"quota": {"maxRecurrence": {"frequency": "minute", "interval": 59}}}}`, 400, badRequest, says("properties.quota.maxRecurrence", "Free")},
		{"§2 plans", "a second Free collection", "PUT", at("free2"), `{"properties": {"sku": {"name": "Free"}}}`, 409, conflict, says("plan Free")},
		{"§2 plans", "a second Free collection of another group", "PUT", strings.Replace(at("free2"), "/almanac/", "/another/", 1), `{"properties": {"sku": {"name": "Free"}}}`, 409, conflict, says("plan Free")},
		{"§2 plans", "a change to Free beside one", "PATCH", at("jc1"), `{"properties": {"sku": {"name": "free"}}}`, 409, conflict, says("plan Free")},
		{"§2 plans", "a change to Free with six jobs", "PATCH", elsewhere("six"), `{"properties": {"sku": {"name": "Free"}}}`, 409, conflict, says("maxJobCount", "6 jobs")},
		{"§2 plans", "a change to Free with a job more often than hourly", "PUT", elsewhere("often"), `{"properties": {"sku": {"name": "Free"}}}`, 409, conflict, says("The job 'j1'", "properties.recurrence", "59m0s")},
		{"§2 plans", "a change to Free with a job that authenticates", "PATCH", elsewhere("signed"), `{"properties": {"sku": {"name": "Free"}}}`, 409, conflict, says("The job 'j1'", "authentication", "Free plan")},
		{"§2 plans", "a recurrence that a job breaks", "PATCH", at("jc1"), `{"properties": {"quota": {"maxRecurrence": {"frequency": "hour", "interval": 1}}}}`, 409, conflict, says("The job 'j1'", "maxRecurrence", "10m0s")},
		{"§2 plans", "a recurrence that a disabled job breaks", "PATCH", at("off"), `{"properties": {"quota": {"maxRecurrence": {"frequency": "week"}}}}`, 409, conflict, says("The job 'j1'", "maxRecurrence")},
		{"§2 plans", "fewer jobs than there are", "PATCH", elsewhere("six"), `{"properties": {"quota": {"maxJobCount": 5}}}`, 409, conflict, says("maxJobCount", "6 jobs")},
		{"§2 plans", "fewer jobs than there are, by a put", "PUT", elsewhere("six"), `{"properties": {"quota": {"maxJobCount": 5}}}`, 409, conflict, says("maxJobCount", "6 jobs")},

		{"§4 jobs per collection", "one job too many", "PUT", at("full/jobs/j2"), daily, 409, conflict, says("maxJobCount")},
		{"§4 frequency", "a recurrence that is too fast", "PUT", at("full/jobs/j1"), s.every(`{"frequency": "hour"}`), 409, conflict, says("properties.recurrence", "maxRecurrence")},
		{"§9.10", "a schedule that is too fast", "PUT", at("full/jobs/j1"), s.every(`{"frequency": "day", "schedule": {"hours": [1, 2], "minutes": [0]}}`), 409, conflict, says("properties.recurrence", "1h0m0s")},
		{"§4 frequency", "a patch that is too fast", "PATCH", at("full/jobs/j1"), `{"properties": {"recurrence": {"frequency": "minute"}}}`, 409, conflict, says("properties.recurrence", "maxRecurrence")},
		{"§2 plans", "authentication in Free", "PUT", at("free/jobs/j1"), requesting(`"request": {"method": "GET", "uri": "http://h/", "authentication": {"type": "Basic", "username": "u", "password": "p"}}`, ""), 400, badRequest, says("properties.action.request.authentication", "Free plan")},
		{"§2 plans", "authentication of the error action in Free", "PUT", at("free/jobs/j1"), requesting(get+`, "errorAction": {"type": "http", "request": {"method": "GET", "uri": "http://h/", "authentication": {"type": "Basic", "username": "u", "password": "p"}}}`, ""), 400, badRequest, says("properties.action.errorAction.request.authentication", "Free plan")},
		{"§2 plans", "a retry within the hour in Free", "PUT", at("free/jobs/j1"), `{"properties": {"action": {"type": "Http", ` + get + `, "retryPolicy": {"retryInterval": "PT59M"}}}}`, 400, badRequest, says("properties.action.retryPolicy.retryInterval", "1 hour")},

		{"§2 Job collection", "the collection of a file", "PUT", at("filed"), standard, 409, conflict, says("'filed'", "file")},
		{"§2 Job collection", "a patch of the collection of a file", "PATCH", at("filed"), standard, 409, conflict, says("file")},
		{"§2 Job collection", "the end of the collection of a file", "DELETE", at("filed"), "", 409, conflict, says("file")},
		{"§2 Job collection", "a job in the collection of a file", "PUT", at("filed/jobs/x"), s.once(), 409, conflict, says("file")},
		{"§2 Job collection", "a patch of a job of a file", "PATCH", at("filed/jobs/j"), `{"properties": {"state": "disabled"}}`, 409, conflict, says("file")},
		{"§2 Job collection", "the end of a job of a file", "DELETE", at("filed/jobs/j"), "", 409, conflict, says("file")},
		{"§2 Job collection", "disabling the collection of a file", "POST", at("filed/disable"), "", 409, conflict, says("file")},
	})
}
