package azure_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine/azure"
)

const storedJob = `{"id": "/subscriptions/s/jobs/j1", "name": "jc1/j1", "properties": {"startTime": "2030-01-01T00:00:00Z",
	"action": {"type": "Http", "request": {"uri": "http://a", "method": "GET", "headers": {"Accept": "a", "X-B": "b"}, "authentication": {"type": "Basic", "username": "u", "password": "p"}}},
	"recurrence": {"frequency": "week", "count": 5, "endTime": "2031-01-01T00:00:00Z", "interval": 1, "schedule": {"minutes": [0], "weekDays": ["monday", "friday"]}}, "state": "enabled"}}`

// A PATCH changes what it says and nothing else.
func TestPatch(t *testing.T) {
	const (
		action = `"action":{"type":"Http","request":{"uri":"http://a","method":"GET","headers":{"Accept":"a","X-B":"b"},"authentication":{"type":"Basic","username":"u","password":"p"}}}`
		every  = `"recurrence":{"frequency":"week","count":5,"endTime":"2031-01-01T00:00:00Z","interval":1,"schedule":{"minutes":[0],"weekDays":["monday","friday"]}}`
	)
	for _, c := range []struct{ patch, want string }{
		{`{}`, `"startTime":"2030-01-01T00:00:00Z",` + action + `,` + every + `,"state":"enabled"`},
		{`{"id": "/SUBSCRIPTIONS/s/jobs/j1", "name": "JC1/J1", "type": "microsoft.scheduler/jobcollections/jobs", "Properties": {"State": "Disabled"}}`,
			`"startTime":"2030-01-01T00:00:00Z",` + action + `,` + every + `,"state":"disabled"`},
		{`{"name": "j1", "properties": {"startTime": "2030-02-01", "recurrence": {"frequency": "Day", "interval": 2, "schedule": null}}}`, // count and endTime stay
			`"startTime":"2030-02-01T00:00:00Z",` + action + `,"recurrence":{"frequency":"day","count":5,"endTime":"2031-01-01T00:00:00Z","interval":2},"state":"enabled"`},
		{`{"properties": {"recurrence": null, "startTime": null}}`, action + `,"state":"enabled"`},
		{`{"properties": {"recurrence": {"schedule": {"Minute": 30, "weekDays": ["sunday"]}}}}`, // arrays are replaced whole, by whatever name
			`"startTime":"2030-01-01T00:00:00Z",` + action + `,"recurrence":{"frequency":"week","count":5,"endTime":"2031-01-01T00:00:00Z","interval":1,"schedule":{"minutes":[30],"weekDays":["sunday"]}},"state":"enabled"`},
		{`{"properties": {"recurrence": null, "startTime": null, "action": {"request": {"uri": "http://b", "headers": {"accept": "c", "x-b": null, "new": "n"}}}}}`, // a request without authentication keeps it
			`"action":{"type":"Http","request":{"uri":"http://b","method":"GET","headers":{"Accept":"c","new":"n"},"authentication":{"type":"Basic","username":"u","password":"p"}}},"state":"enabled"`},
		{`{"properties": {"recurrence": null, "startTime": null, "action": {"request": {"authentication": null}}}}`,
			`"action":{"type":"Http","request":{"uri":"http://a","method":"GET","headers":{"Accept":"a","X-B":"b"}}},"state":"enabled"`},
		{`{"properties": {"recurrence": null, "startTime": null, "action": {"type": "StorageQueue", "queueMessage": {"storageAccount": "a", "queueName": "q", "sasToken": "s", "message": "m"}}}}`,
			`"action":{"type":"StorageQueue","queueMessage":{"storageAccount":"a","queueName":"q","sasToken":"s","message":"m"}},"state":"enabled"`},
	} {
		merged, mistakes := azure.Patch([]byte(storedJob), []byte(c.patch), azure.Job{ID: "/subscriptions/s/jobs/j1", Type: azure.JobType, Name: "jc1/j1"})
		require.NoError(t, mistakes.Err(), c.patch)
		d, mistakes := azure.ReadJob(merged)
		require.NoError(t, mistakes.Err(), c.patch)
		require.Equal(t, `{"properties":{`+c.want+`}}`, string(body(t, d.Properties)), c.patch)
	}
}

func TestWhatAPatchCannotSet(t *testing.T) {
	for patch, want := range map[string]string{
		`{"id": "/other"}`:      "id: The property 'id' cannot be changed.",
		`{"name": "jc1/other"}`: "name: The property 'name' cannot be changed.",
		`{"type": "jobs"}`:      "type: The property 'type' cannot be changed.",
		`{"properties": {"status": {"executionCount": 0}}}`: "properties.status: The property 'status' cannot be set.",
		`{"properties": {"State": "Faulted"}}`:              "properties.state: The state of a job cannot be set to 'Faulted'; it must be Enabled or Disabled.",
		`{"properties": []}`:                                "properties: The value must be an object and is an array.",
		`[]`:                                                "The request content must be an object and is an array.",
		`{"properties": {`:                                  "The request content is invalid: the JSON text ends too early.",
	} {
		_, mistakes := azure.Patch([]byte(storedJob), []byte(patch), azure.Job{ID: "/subscriptions/s/jobs/j1", Type: azure.JobType, Name: "jc1/j1"})
		require.Len(t, mistakes, 1, patch)
		require.Equal(t, want, mistakes[0].String())
	}
}

func TestCollections(t *testing.T) {
	for _, c := range []struct{ sent, want string }{
		{`{"location": "South Central US"}`, `{"location":"South Central US","properties":{"sku":{"name":"Standard"},"state":"Enabled","quota":{"maxJobCount":50,"maxRecurrence":{"frequency":"minute","interval":1}}}}`},
		{`{"location": "x", "tags": {"a": "b"}, "properties": {"sku": {"name": "p20premium"}, "state": "disabled"}}`,
			`{"location":"x","tags":{"a":"b"},"properties":{"sku":{"name":"P20Premium"},"state":"Disabled","quota":{"maxJobCount":1000,"maxRecurrence":{"frequency":"minute","interval":1}}}}`},
		{`{"properties": {"sku": {"name": "Free"}, "quota": {"maxJobCount": 3, "maxJobOccurrence": 7, "maxRecurrence": {"frequency": "Day", "interval": 2}}}}`,
			`{"properties":{"sku":{"name":"Free"},"state":"Enabled","quota":{"maxJobCount":3,"maxJobOccurrence":7,"maxRecurrence":{"frequency":"day","interval":2}}}}`},
		{`{"properties": {"sku": {"name": "Premium"}, "quota": {"maxJobCount": 1000}}}`,
			`{"properties":{"sku":{"name":"Premium"},"state":"Enabled","quota":{"maxJobCount":1000,"maxRecurrence":{"frequency":"minute","interval":1}}}}`},
	} {
		collection, mistakes := azure.ReadCollection([]byte(c.sent))
		require.NoError(t, mistakes.Err())
		require.Equal(t, c.want, marshal(t, collection))
	}
	for sent, want := range map[string]string{
		`{"properties": {"sku": {"name": "Gold"}}}`:                                                                      "properties.sku.name: The value 'Gold' is not valid; it must be one of Free, P10Premium, P20Premium, Premium, Standard.",
		`{"properties": {"sku": {"name": "Free"}, "quota": {"maxJobCount": 6}}}`:                                         "properties.quota.maxJobCount: The value '6' is out of range; it must be between 1 and 5.",
		`{"properties": {"quota": {"maxJobCount": 1001}}}`:                                                               "properties.quota.maxJobCount: The value '1001' is out of range; it must be between 1 and 1000.",
		`{"properties": {"sku": {"name": "Free"}, "quota": {"maxRecurrence": {"frequency": "minute", "interval": 59}}}}`: "properties.quota.maxRecurrence: The maximum recurrence of a job collection of the plan Free must be no faster than every 1 hour.",
		`{"properties": {"quota": {"maxRecurrence": {"frequency": "second"}}}}`:                                          "properties.quota.maxRecurrence.frequency: The value 'second' is not valid; it must be one of minute, hour, day, week, month, year.",
		`{"properties": {"quota": {"maxRecurrence": {"interval": 1}}}}`:                                                  "properties.quota.maxRecurrence.frequency: The required property 'frequency' is missing.",
	} {
		_, mistakes := azure.ReadCollection([]byte(sent))
		require.Len(t, mistakes, 1, sent)
		require.Equal(t, want, mistakes[0].String())
	}
	merged, mistakes := azure.PatchCollection([]byte(`{"name": "jc1", "tags": {"a": "b", "c": "d"}, "properties": {"state": "Enabled", "quota": {"maxJobCount": 10}}}`),
		[]byte(`{"name": "JC1", "tags": {"a": null}, "properties": {"quota": {"maxRecurrence": {"frequency": "hour"}}}}`), azure.Collection{Name: "jc1"})
	require.NoError(t, mistakes.Err())
	require.JSONEq(t, `{"name": "jc1", "tags": {"c": "d"}, "properties": {"state": "Enabled", "quota": {"maxJobCount": 10, "maxRecurrence": {"frequency": "hour"}}}}`, string(merged))
}
