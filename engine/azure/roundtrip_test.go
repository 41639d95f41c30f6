package azure_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/almanac-sched/almanac/engine/azure"
)

var created = time.Date(2026, 3, 4, 12, 25, 30, 0, time.UTC)

// drawnTexts are texts that something on the way could take for more than text.
var drawnTexts = []string{"plain", "on", "null", " padded ", "two\nlines", "tab\there", `quote"'\`, "日本語", "a: b # c", "- x", "{[,]}", "\u0085\u2028\ufeff\U0001F600",
	"${{ planTime }}", "$${{ secrets.x }}", "${{${{", "$HOME", "// no comment", "<&>", "[parameters('x')]"}

func drawText(t *rapid.T, label string) string { return rapid.SampledFrom(drawnTexts).Draw(t, label) }

// drawSecret draws a text that can be found again wherever it should not be.
func drawSecret(t *rapid.T, label string) string { return "s3cret-" + drawText(t, label) }

func maybe(t *rapid.T, label string) bool { return rapid.Bool().Draw(t, label) }

func drawSet(t *rapid.T, label string, from []int) []int {
	chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(from), 0, 4, rapid.ID[int]).Draw(t, label)
	var list []int
	for _, n := range from { // in the order of from
		for _, c := range chosen {
			if c == n {
				list = append(list, n)
			}
		}
	}
	return list
}

func between(low, high int) []int {
	var list []int
	for n := low; n <= high; n++ {
		list = append(list, n)
	}
	return list
}

func drawRecurrence(t *rapid.T) *azure.Recurrence {
	r := &azure.Recurrence{Frequency: rapid.SampledFrom([]string{"minute", "hour", "day", "week", "month", "year"}).Draw(t, "frequency"), Interval: 1}
	if r.Frequency != "year" {
		r.Interval = rapid.IntRange(1, 18).Draw(t, "interval")
	}
	if maybe(t, "counted") {
		r.Count = rapid.IntRange(1, 100).Draw(t, "count")
	}
	if maybe(t, "ends") {
		r.EndTime = azure.At(created.AddDate(rapid.IntRange(0, 3).Draw(t, "years"), 0, 400))
	}
	s := &azure.Schedule{}
	if r.Frequency != "minute" && r.Frequency != "hour" {
		s.Minutes, s.Hours = drawSet(t, "minutes", between(0, 59)), drawSet(t, "hours", between(0, 23))
	}
	switch r.Frequency {
	case "week":
		for _, n := range drawSet(t, "weekDays", between(0, 6)) {
			s.WeekDays = append(s.WeekDays, []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}[n])
		}
	case "month":
		r.Interval = 1 // so that every day of a month comes
		if maybe(t, "by day") {
			s.MonthDays = drawSet(t, "monthDays", append(between(-31, -1), between(1, 31)...))
		} else if maybe(t, "by weekday") {
			s.MonthlyOccurrences = []azure.MonthlyOccurrence{{Day: "tuesday", Occurrence: rapid.SampledFrom([]int{-5, -1, 1, 5}).Draw(t, "occurrence")}, {Day: "friday"}}
		}
	}
	if len(s.Minutes)+len(s.Hours)+len(s.WeekDays)+len(s.MonthDays)+len(s.MonthlyOccurrences) > 0 {
		r.Schedule = s
	}
	return r
}

func drawTexts(t *rapid.T, names ...string) map[string]string {
	m := map[string]string{}
	for _, name := range names {
		if maybe(t, name) {
			m[name] = strings.NewReplacer("\n", " ", "\r", " ").Replace(drawText(t, "of "+name))
		}
	}
	if len(m) == 0 {
		return nil
	}
	return m
}

func drawRequest(t *rapid.T) *azure.Request {
	q := &azure.Request{URI: "https://contoso.com/" + rapid.SampledFrom([]string{"", "a?b=${{x}}", "$${{ y }}"}).Draw(t, "uri"), Method: rapid.SampledFrom([]string{"GET", "post"}).Draw(t, "method"),
		Headers: drawTexts(t, "Content-Type", "x-ms-a", "on")}
	if maybe(t, "body") {
		q.Body = drawText(t, "body text")
	}
	switch rapid.IntRange(0, 2).Draw(t, "authentication") {
	case 1:
		q.Authentication = &azure.Authentication{Type: azure.AuthBasic, Username: drawText(t, "username"), Password: drawSecret(t, "password")}
	case 2:
		q.Authentication = &azure.Authentication{Type: azure.AuthOAuth, Tenant: "t", Audience: drawText(t, "audience"), ClientID: "c", Secret: drawSecret(t, "secret")}
	}
	return q
}

func drawAction(t *rapid.T) *azure.Action {
	bus := func() *azure.ServiceBusMessage {
		b := &azure.ServiceBusMessage{Namespace: "mySBNamespace", TransportType: rapid.SampledFrom([]string{azure.TransportAMQP, azure.TransportNetMessaging}).Draw(t, "transport"),
			Message: drawText(t, "message"), Custom: drawTexts(t, "appname", "a b", "null")}
		if maybe(t, "key") {
			b.Authentication = &azure.ServiceBusAuthentication{Type: azure.SharedAccessKey, SASKeyName: drawText(t, "keyName"), SASKey: drawSecret(t, "sasKey")}
		}
		if maybe(t, "brokered") {
			b.Brokered = &azure.BrokeredProperties{ContentType: "text/plain", Label: drawText(t, "label"), ForcePersistence: maybe(t, "force"), TimeToLive: azure.Lasting(90 * time.Second),
				ScheduledEnqueueTimeUTC: azure.At(created)}
		}
		return b
	}
	a := &azure.Action{Type: rapid.SampledFrom([]string{azure.ActionHTTP, azure.ActionHTTPS, azure.ActionStorageQueue, azure.ActionServiceBusQueue, azure.ActionServiceBusTopic}).Draw(t, "type")}
	switch a.Type {
	case azure.ActionStorageQueue:
		a.QueueMessage = &azure.QueueMessage{StorageAccount: "myStorageAccount", QueueName: drawText(t, "queue"), SASToken: drawSecret(t, "sas"), Message: drawText(t, "queued")}
	case azure.ActionServiceBusQueue:
		a.ServiceBusQueueMessage = bus()
		a.ServiceBusQueueMessage.QueueName = "q1"
	case azure.ActionServiceBusTopic:
		a.ServiceBusTopicMessage = bus()
		a.ServiceBusTopicMessage.TopicPath = drawText(t, "topic")
	default:
		a.Request = drawRequest(t)
	}
	return a
}

// drawRetry draws a policy that is not the one that holds without any.
func drawRetry(t *rapid.T, label string) *azure.RetryPolicy {
	switch rapid.IntRange(0, 2).Draw(t, label) {
	case 1:
		return &azure.RetryPolicy{RetryType: azure.RetryNone}
	case 2:
		count := rapid.IntRange(5, 20).Draw(t, label+" count")
		return &azure.RetryPolicy{RetryType: azure.RetryFixed, RetryCount: &count,
			RetryInterval: azure.Lasting(rapid.SampledFrom([]time.Duration{15 * time.Second, 90 * time.Minute, 48 * time.Hour}).Draw(t, label+" interval"))}
	}
	return nil
}

// drawProperties draws properties in the form that this package prints.
func drawProperties(t *rapid.T) *azure.Properties {
	p := &azure.Properties{State: rapid.SampledFrom([]string{azure.StateEnabled, azure.StateDisabled}).Draw(t, "state"), Action: drawAction(t)}
	if maybe(t, "startTime") {
		p.StartTime = azure.At(created.Add(time.Duration(rapid.IntRange(-1e9, 1e9).Draw(t, "start")) * time.Millisecond))
	}
	if maybe(t, "recurrence") {
		p.Recurrence = drawRecurrence(t)
	}
	p.Action.RetryPolicy = drawRetry(t, "retry")
	if maybe(t, "errorAction") {
		p.Action.ErrorAction = drawAction(t)
		// One that is the action's own says nothing.
		if p.Action.ErrorAction.RetryPolicy = drawRetry(t, "error retry"); p.Action.RetryPolicy != nil && p.Action.ErrorAction.RetryPolicy != nil &&
			p.Action.RetryPolicy.RetryType == p.Action.ErrorAction.RetryPolicy.RetryType {
			p.Action.ErrorAction.RetryPolicy = nil
		}
	}
	return p
}

func body(t require.TestingT, p *azure.Properties) []byte {
	text, err := json.Marshal(azure.Job{Properties: p})
	require.NoError(t, err)
	return text
}

// What is said in the service's terms comes back in the service's terms: read, made a job, and exported again.
func TestExportOfImportIsTheSame(t *testing.T) {
	drawn, translated := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawProperties(t)
		drawn++
		d, mistakes := azure.ReadJob(body(t, p))
		require.NoError(t, mistakes.Err())
		require.Equal(t, p, d.Properties, "what is printed is read")
		translation, mistakes := d.Translate(azure.Target{Workflow: "jc1", Job: "j1", Limits: &azure.Limits{Now: created}})
		if mistakes != nil {
			for _, m := range mistakes { // a day that its months do not have
				require.Contains(t, m.Message, "The recurrence is not valid")
			}
			return
		}
		translated++
		job := translation.Job
		clean, secrets := p.TakeSecrets()
		require.NotContains(t, string(job.Definition), "s3cret", "a definition holds no secret")
		require.NotContains(t, d.Properties.String(), "s3cret")
		require.Len(t, translation.Secrets, len(secrets))
		out := azure.Export(job, created)
		require.NotNil(t, out.Properties, "%v", out.Losses)
		require.Equal(t, string(body(t, clean)), string(body(t, out.Properties)))
		require.Empty(t, out.Losses)
		require.Len(t, out.Secrets, len(secrets))
		require.Equal(t, p, out.Properties.PutSecrets(secrets))
	})
	t.Logf("%d of %d drawn jobs were translated", translated, drawn)
	require.Greater(t, 2*translated, drawn)
}

// A bundle written as a workflow file is the same jobs.
func TestAnImportedFileIsTheSameJobs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProperties(t)
		text, err := json.Marshal(azure.Job{Name: "jc1/j1", Properties: p})
		require.NoError(t, err)
		bundles, notes, mistakes := azure.ReadSource(text, azure.Source{})
		require.NoError(t, mistakes.Err())
		require.Empty(t, notes)
		require.Len(t, bundles, 1)
		imported, mistakes := bundles[0].Workflow(created)
		if mistakes != nil {
			require.Contains(t, mistakes[0].Message, "The recurrence is not valid")
			return
		}
		require.NotContains(t, string(imported.Text), "s3cret")
		file := decode(t, string(imported.Text))
		require.Equal(t, "jc1", file.Name)
		out := azure.Export(file.Job("j1"), created)
		require.NotNil(t, out.Properties)
		clean, _ := p.TakeSecrets()
		if r := clean.Recurrence; clean.StartTime == nil && r != nil && r.Schedule != nil {
			require.NotNil(t, out.Properties.StartTime, "without one the service would run it at once, and the file does not")
			out.Properties.StartTime = nil
		}
		require.Equal(t, string(body(t, clean)), string(body(t, out.Properties)))
	})
}
