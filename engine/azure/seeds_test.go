package azure_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/azure"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/recurrence"
)

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(t, err)
	return string(data)
}

// seedExamples are the properties of every JSON example of the service's documents on entities and on recurrence, by where they stand. An example
// that is a part of a job is made whole.
func seedExamples(t *testing.T) map[string]string {
	t.Helper()
	const action = `"action": {"type": "http", "request": {"uri": "http://contoso.com/foo", "method": "PUT"}}`
	examples := map[string]string{
		"003 job":               read(t, "seeds/003-job.json"),
		"003 storage queue":     `{"action": ` + read(t, "seeds/003-storage-queue.json") + `}`,
		"003 service bus topic": `{` + read(t, "seeds/003-service-bus-topic.txt") + `}`,
		"003 service bus queue": `{` + read(t, "seeds/003-service-bus-queue.txt") + `}`,
		"003 state": `{"state": "disabled", // enabled, disabled, completed, or faulted
			` + action + `}`,
		"004 recurrence": `{"startTime": "2012-08-04T00:00Z", // optional
			"recurrence": {"frequency": "week", "interval": 1, "schedule": {"weekDays": ["monday", "wednesday", "friday"], "hours": [10, 22]}, "count": 10, "endTime": "2012-11-04",},
			` + action + `}`,
		"004 startTime":          `{"startTime" : "2013-01-09T09:30:00-08:00", ` + action + `}`,
		"004 monthly":            `{"recurrence" : { "frequency" : "monthly", "interval" : 1 }, ` + action + `}`,
		"004 frequency":          `{"recurrence" : { "frequency" : "hour" }, ` + action + `}`,
		"004 interval":           `{"recurrence" : { "frequency" : "hour", "interval":10 }, ` + action + `}`,
		"004 endTime":            `{"recurrence" : { "frequency" : "hour", "endTime" : "2013-02-09T09:30:00-08:00" }, ` + action + `}`,
		"004 count":              `{"recurrence" : { "frequency" : "hour", "count": 5 }, ` + action + `}`,
		"004 schedule":           `{"recurrence" : { "frequency" : "day", "schedule" : { "minute" : [30], "hour" : [8,17] } }, ` + action + `}`,
		"004 start in the past":  `{"startTime": "2015-04-07T14:00", "recurrence": {"frequency": "day", "interval": 2}, ` + action + `}`,
		"004 every Sunday":       `{"recurrence": {"frequency": "month", "schedule": {"monthlyOccurrences": [{"day": "Sunday"}]}}, ` + action + `}`,
		"004 last Sunday":        `{"recurrence": {"frequency": "month", "schedule": {"monthlyOccurrences": [{"day": "Sunday", "occurrence": -1}]}}, ` + action + `}`,
		"004 integers":           `{"recurrence": {"frequency": "day", "schedule": {"minutes": 15, "hours": 5}}, ` + action + `}`,
		"004 one day of a month": `{"recurrence": {"frequency": "month", "schedule": {"monthDays": -1}}, ` + action + `}`,
	}
	for line := range strings.Lines(read(t, "seeds/004-schedules.txt")) {
		frequency, schedule, found := strings.Cut(strings.TrimSpace(line), " | ")
		if !found || strings.HasPrefix(line, "#") {
			continue
		}
		recurrence := `"recurrence": {"frequency": "` + frequency + `", "schedule": ` + schedule + `}`
		examples["004 table "+line] = `{"startTime": "2012-08-04T12:25Z", ` + recurrence + `, ` + action + `}`
		examples["004 table, no startTime "+line] = `{` + recurrence + `, ` + action + `}`
	}
	return examples
}

// filled puts the secrets back that a translation took out of an action.
func filled(a *engine.Action, secrets []azure.Secret) {
	put := func(text *engine.Text) {
		for _, s := range secrets {
			if *text == engine.Text("${{ secrets."+s.Name+" }}") {
				*text = engine.Text(s.Value)
			}
		}
	}
	if a.Queue != nil {
		put(&a.Queue.SAS)
	}
	if a.Bus != nil {
		put(&a.Bus.Key)
	}
	if h := a.HTTP; h != nil && h.Basic != nil {
		put(&h.Basic.Password)
	}
}

// The properties of a job behave alike when they are pasted into a workflow file whose zone is UTC and when they come through this package;
// only the answers to an overlap and to a misfire are the service's in the one and the file's in the other.
func TestAPastedJobIsTheTranslatedOne(t *testing.T) {
	created := time.Date(2026, 3, 4, 12, 25, 30, 123e6, time.UTC)
	examples := seedExamples(t)
	require.Len(t, examples, 18+2*31)
	for name, properties := range examples {
		t.Run(name, func(t *testing.T) {
			w, problems := spec.Decode("pasted.yaml", []byte(`{"timeZone": "UTC", "jobs": {"job": `+properties+`}}`), spec.Options{})
			require.NoError(t, problems.Err())
			pasted := w.Jobs[0]

			d, mistakes := azure.ReadProperties(azure.Relaxed([]byte(properties)))
			require.NoError(t, mistakes.Err())
			translation, mistakes := d.Translate(azure.Target{Workflow: "pasted", Job: "job", Limits: &azure.Limits{Now: created}})
			require.NoError(t, mistakes.Err())
			job := translation.Job
			require.Equal(t, engine.OverlapSkip, job.Overlap)
			require.Equal(t, engine.MisfireSkip, job.Misfire)
			when := job.When
			require.Equal(t, when.Start.IsZero() && when.Rule != nil && !when.Rule.Schedule.IsZero(), when.AtOnce, "Azure's rule")
			when.AtOnce = false // in a file such a rule is due by its schedule alone
			require.Equal(t, pasted.When, when)
			require.Equal(t, d.Properties.When().Location, job.When.Location)
			require.Equal(t, pasted.Period, job.Period)
			require.Equal(t, pasted.Disabled, job.Disabled)
			for i := range job.Steps {
				filled(&job.Steps[i].Action, translation.Secrets)
			}
			if job.ErrorAction != nil {
				filled(job.ErrorAction, translation.Secrets)
			}
			require.Equal(t, pasted.Steps, job.Steps, "action, retries and timeout")
			require.Equal(t, pasted.ErrorAction, job.ErrorAction)
			if when.Start.IsZero() && when.Rule != nil && !when.Rule.Schedule.IsZero() {
				job.When.AtOnce = false
			}
			require.Equal(t, times(t, pasted, created), times(t, job, created))
		})
	}
}

// times are the first 50 due times of a job that was created then.
func times(t *testing.T, job *engine.Job, created time.Time) []time.Time {
	t.Helper()
	table, err := job.When.Compile(recurrence.Created(created))
	require.NoError(t, err)
	var list []time.Time
	at := time.Time{}
	for range 50 {
		next, ok := table.Next(at)
		if !ok {
			break
		}
		list, at = append(list, next), next
	}
	if job.When.Rule == nil || job.When.Rule.End.IsZero() {
		require.NotEmpty(t, list)
	}
	return list
}

func decode(t require.TestingT, text string) *engine.Workflow {
	w, problems := spec.Decode("w.yaml", []byte(text), spec.Options{})
	require.NoError(t, problems.Err(), text)
	return w
}
