package spec_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/recurrence"
)

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(data)
}

// The example job of the seed 003, with its comments and its commas before closing braces, works as it is: in a JSON file, and under a key of a
// YAML file.
func TestSeedJobPastes(t *testing.T) {
	job := read(t, "testdata/seeds/003-job.json")
	for name, text := range map[string]string{
		"json":       `{"jobs": {"pasted": ` + job + `}}`,
		"yaml":       "# a workflow\njobs:\n  pasted:\n    " + job,
		"properties": "jobs:\n  pasted:\n    properties: " + job,
	} {
		t.Run(name, func(t *testing.T) {
			w, problems := spec.Decode("w.yaml", []byte(text), spec.Options{})
			require.NoError(t, problems.Err())
			require.Len(t, problems, 1, "%s", problems)
			require.Equal(t, "status of a pasted Azure job is ignored: the server keeps its own", problems[0].Message)
			j := w.Jobs[0]
			require.True(t, j.Disabled)
			require.Equal(t, time.Date(2012, 8, 4, 0, 0, 0, 0, time.UTC), j.When.Start)
			require.Equal(t, &recurrence.Rule{
				Frequency: recurrence.Week, Interval: 1, Count: 10, End: time.Date(2012, 11, 4, 0, 0, 0, 0, time.UTC),
				Schedule: recurrence.Schedule{WeekDays: []time.Weekday{time.Monday, time.Wednesday, time.Friday}, Hours: []int{10, 22}},
			}, j.When.Rule)
			require.Equal(t, []engine.Step{{OnFailure: engine.StepFail, Action: engine.Action{
				Type: "http", Timeout: time.Minute, Retry: engine.RetryPolicy{Type: engine.RetryNone},
				HTTP: &engine.HTTP{Method: "PUT", URI: "http://contoso.com/foo", Body: "Posting from a timer",
					Headers: map[string]engine.Text{"Content-Type": "application/json"}},
			}}}, j.Steps)
			require.Equal(t, &engine.Action{
				Type: "http", Timeout: time.Minute, Retry: engine.RetryPolicy{Type: engine.RetryNone},
				HTTP: &engine.HTTP{Method: "POST", URI: "http://contoso.com/notifyError"},
			}, j.ErrorAction)
		})
	}
}

// The seed's other actions are read too. What the examples lack, as Azure's answers do, is said.
func TestSeedActionsPaste(t *testing.T) {
	bus := engine.ServiceBus{Namespace: "mySBNamespace", Entity: "q1", Transport: engine.BusNetMessaging, KeyName: "QPolicy", Message: "Some message",
		Custom: map[string]engine.Text{"appname": "FromScheduler"}}
	topic := bus
	topic.Entity = "t1"
	for file, want := range map[string]struct {
		engine.Action
		warning string
	}{
		"003-storage-queue.json": {engine.Action{Type: "storageQueue",
			Queue: &engine.StorageQueue{Account: "myStorageAccount", Queue: "myqueue", SAS: "TOKEN", Message: "My message body"}}, "sasToken stands in the file itself"},
		"003-service-bus-topic.txt": {engine.Action{Type: "serviceBusTopic", Bus: &topic}, "there is no sasKey"},
		"003-service-bus-queue.txt": {engine.Action{Type: "serviceBusQueue", Bus: &bus}, "there is no sasKey"},
	} {
		text := read(t, "testdata/seeds/"+file)
		if strings.HasPrefix(text, "{") {
			text = `"action": ` + text
		}
		w, problems := spec.Decode("w.yaml", []byte("jobs:\n  pasted: {"+text+"}\n"), spec.Options{})
		require.NoError(t, problems.Err())
		require.Len(t, problems, 1, "%s", problems)
		require.Contains(t, problems[0].Message, want.warning)
		want.Timeout, want.Retry = time.Minute, engine.RetryPolicy{Type: engine.RetryFixed, Interval: 30 * time.Second, Count: 4}
		require.Equal(t, want.Action, w.Jobs[0].Steps[0].Action)
	}
}

// Every schedule of the seed 004 loads, at every place a recurrence can come from.
func TestSeedSchedules(t *testing.T) {
	rows := 0
	for line := range strings.Lines(read(t, "testdata/seeds/004-schedules.txt")) {
		frequency, schedule, found := strings.Cut(strings.TrimSpace(line), " | ")
		if !found || strings.HasPrefix(line, "#") {
			continue
		}
		rows++
		job := `{"startTime": "2012-08-04T00:00Z", "recurrence": {"frequency": "` + frequency + `", "schedule": ` + schedule +
			`}, "action": {"type": "http", "request": {"uri": "http://contoso.com/foo", "method": "PUT"}}}`
		w, problems := spec.Decode("w.json", []byte(`{"jobs": {"pasted": `+job+`}}`), spec.Options{})
		require.Empty(t, problems, "%s", line)
		require.False(t, w.Jobs[0].When.Rule.Schedule.IsZero())
	}
	require.Equal(t, 31, rows)
}

// The words and the singular members of the seeds' table of the job schema.
func TestSeedWords(t *testing.T) {
	w, problems := spec.Decode("w.yaml", []byte(`jobs: {a: {action: {type: none},
		"recurrence" : { "frequency" : "monthly", "interval" : 1, "endTime" : "2013-02-09T09:30:00-08:00", "count": 5, "schedule" : { "minute" : [30], "hour" : [8,17] } }}}`), spec.Options{})
	require.Empty(t, problems)
	require.Equal(t, recurrence.Month, w.Jobs[0].When.Rule.Frequency)
	require.Equal(t, recurrence.Schedule{Minutes: []int{30}, Hours: []int{8, 17}}, w.Jobs[0].When.Rule.Schedule)
}
