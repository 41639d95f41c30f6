package azure_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine/azure"
	"github.com/almanac-sched/almanac/recurrence"
)

// job is a body with these properties and an action that is right.
func job(properties string) string {
	if properties != "" {
		properties += ", "
	}
	return `{"properties": {` + properties + `"action": {"type": "http", "request": {"uri": "http://contoso.com", "method": "GET"}}}}`
}

func request(members string) string {
	return `{"properties": {"action": {"type": "http", "request": {"uri": "http://contoso.com", "method": "GET", ` + members + `}}}}`
}

// What may be written in several ways comes out in one, which is the service's.
func TestWordsAreTakenInAnyCaseAndPrintedInOne(t *testing.T) {
	for _, c := range []struct{ sent, want string }{
		{job(``), `{"action":{"type":"Http","request":{"uri":"http://contoso.com","method":"GET"}},"state":"enabled"}`},
		{job(`"State": "DISABLED"`), `{"action":{"type":"Http","request":{"uri":"http://contoso.com","method":"GET"}},"state":"disabled"}`},
		{`{"properties": {"startTime": "2012-08-04T00:00Z", "recurrence": {"frequency": "Monthly", "schedule": {"minute": 30, "Hour": [8, 17], "monthDays": null,
			"monthlyOccurrences": [{"Day": "Friday", "occurrence": -1}, {"day": "sun"}]}},
			"action": {"type": "SERVICEBUSTOPIC", "request": {}, "serviceBusTopicMessage": {"topicPath": "t1", "namespace": "ns", "transportType": "NetMessaging",
			"authentication": {"sasKeyName": "n", "sasKey": "k", "type": "SharedAccessKey"}, "message": "m", "brokeredMessageProperties": {}},
			"retryPolicy": {"retryType": "Fixed", "retryInterval": "00:01:00", "retryCount": 2}, "errorAction": null}, "status": {}, "unknown": 1}}`,
			`{"startTime":"2012-08-04T00:00:00Z","action":{"type":"ServiceBusTopic","serviceBusTopicMessage":{"topicPath":"t1","namespace":"ns","transportType":"netMessaging",` +
				`"authentication":{"sasKey":"k","sasKeyName":"n","type":"sharedAccessKey"},"message":"m"},"retryPolicy":{"retryType":"fixed","retryInterval":"00:01:00","retryCount":2}},` +
				`"recurrence":{"frequency":"month","interval":1,"schedule":{"minutes":[30],"hours":[8,17],"monthlyOccurrences":[{"day":"friday","Occurrence":-1},{"day":"sunday"}]}},"state":"enabled"}`},
		{request(`"headers": {"A": 1, "b": true, "c": null}, "body": 5, "authentication": {"type": "NotSpecified"}`),
			`{"action":{"type":"Http","request":{"uri":"http://contoso.com","method":"GET","headers":{"A":"1","b":"true"},"body":"5"}},"state":"enabled"}`},
		{job(`"startTime": "2015-07-13T00:00:00.1234567+02:00"`), `{"startTime":"2015-07-12T22:00:00.1234567Z","action":{"type":"Http","request":{"uri":"http://contoso.com","method":"GET"}},"state":"enabled"}`},
		{job(`"status": {"nextExecutionTime": "never", "executionCount": 3}`),
			`{"action":{"type":"Http","request":{"uri":"http://contoso.com","method":"GET"}},"state":"enabled","status":{"executionCount":3,"failureCount":0,"faultedCount":0}}`},
	} {
		d, mistakes := azure.ReadJob([]byte(c.sent))
		require.NoError(t, mistakes.Err(), c.sent)
		got, err := json.Marshal(d.Properties)
		require.NoError(t, err)
		require.Equal(t, c.want, string(got))
	}
}

func TestTimesAndDurations(t *testing.T) {
	for text, want := range map[string]string{
		"2012-08-04T00:00Z": "2012-08-04T00:00:00Z", "2013-01-09T09:30:00-08:00": "2013-01-09T17:30:00Z", "2012-11-04": "2012-11-04T00:00:00Z",
		"2016-03-30T20:39:52.6597062Z": "2016-03-30T20:39:52.6597062Z", "2015-04-07 14:00": "2015-04-07T14:00:00Z", "2007-03-01T14:00:00 Z": "2007-03-01T14:00:00Z",
		"2015-04-07T14:00:00+0530": "2015-04-07T08:30:00Z", "2015-04-07t14:00+05": "2015-04-07T09:00:00Z",
		"tomorrow": "", "2012-02-30": "", "2012-08-04T25:00": "", "2012-08-04T00": "", "": "", "0000-01-01": "", "9999-12-31T23:59:59-01:00": "",
	} {
		d, mistakes := azure.ReadJob([]byte(job(fmt.Sprintf(`"startTime": %q`, text))))
		if want == "" {
			require.Len(t, mistakes, 1, text)
			require.Equal(t, "properties.startTime", mistakes[0].Path)
			continue
		}
		require.NoError(t, mistakes.Err(), text)
		require.Equal(t, want, d.Properties.StartTime.String())
	}
	for text, want := range map[string]time.Duration{
		"PT30S": 30 * time.Second, "P1D": 24 * time.Hour, "00:01:00": time.Minute, "1.00:00:00": 24 * time.Hour, "PT1H0.5S": time.Hour + 500*time.Millisecond, "P1W": 168 * time.Hour,
		"P18M": 540 * 24 * time.Hour, "30": 0, "PT": 0, "P": 0, "00:60:00": 0, "-PT30S": 0, "P200Y": 0, "": 0, "PT0S": 0, "P2Y": 0, "PT1.S": 0,
	} {
		d, mistakes := azure.ReadJob([]byte(`{"properties": {"action": {"type": "http", "request": {"uri": "http://contoso.com", "method": "GET"}, "retryPolicy": {"retryType": "fixed", "retryInterval": "` + text + `"}}}}`))
		if want == 0 {
			require.Len(t, mistakes, 1, text)
			require.Equal(t, "properties.action.retryPolicy.retryInterval", mistakes[0].Path)
			continue
		}
		require.NoError(t, mistakes.Err(), text)
		require.Equal(t, azure.Duration{Text: text, Length: want}, *d.Properties.Action.RetryPolicy.RetryInterval)
	}
}

// Each mistake is reported with the path that the client wrote, all of them at once.
func TestMistakes(t *testing.T) {
	recurring := func(members string) string { return job(`"recurrence": {` + members + `}`) }
	for _, c := range []struct {
		body string
		want []string
	}{
		{`{"properties": `, []string{"The request content is invalid: the JSON text ends too early."}},
		{`{} {}`, []string{"The request content is invalid: text follows the JSON value."}},
		{"{\n\"properties\": oops}", []string{"The request content is invalid: the text is not valid JSON, at line 2: invalid character 'o' looking for beginning of value."}},
		{strings.Repeat("[", 100), []string{"The request content is invalid: the JSON text is nested deeper than 64 levels."}},
		{`[]`, []string{"The value must be an object and is an array."}},
		{`{"id": "x"}`, []string{"properties: The required property 'properties' is missing."}},
		{`{"properties": {"state": "enabled"}}`, []string{"properties.action: The required property 'action' is missing."}},
		{recurring(`"frequency": "week", "schedule": {"monthDays": [1]}`), []string{"properties.recurrence.schedule.monthDays: Cannot set days of month with recurrence unit 'Week'."}},
		{recurring(`"frequency": "day", "schedule": {"weekDays": ["monday"], "monthlyOccurrences": [{"day": "friday"}]}`), []string{
			"properties.recurrence.schedule.weekDays: Cannot set days of week with recurrence unit 'Day'.",
			"properties.recurrence.schedule.monthlyOccurrences: Cannot set monthly occurrences with recurrence unit 'Day'."}},
		{recurring(`"frequency": "month", "schedule": {"minute": 60, "Hour": [0, 24], "monthDays": [0, 32, -32, "x"], "monthlyOccurrences": [{"day": "someday", "occurrence": 0}, {}]}`), []string{
			"properties.recurrence.schedule.minute: The value '60' is out of range; it must be between 0 and 59.",
			"properties.recurrence.schedule.Hour[1]: The value '24' is out of range; it must be between 0 and 23.",
			"properties.recurrence.schedule.monthDays[0]: The day of month '0' is out of range; it must be between 1 and 31, or between -31 and -1.",
			"properties.recurrence.schedule.monthDays[1]: The day of month '32' is out of range; it must be between 1 and 31, or between -31 and -1.",
			"properties.recurrence.schedule.monthDays[2]: The day of month '-32' is out of range; it must be between 1 and 31, or between -31 and -1.",
			"properties.recurrence.schedule.monthDays[3]: The value must be a whole number and is 'x'.",
			"properties.recurrence.schedule.monthlyOccurrences[0].day: The value 'someday' is not valid; it must be one of sunday, monday, tuesday, wednesday, thursday, friday, saturday.",
			"properties.recurrence.schedule.monthlyOccurrences[0].occurrence: The occurrence '0' is out of range; it must be between 1 and 5, or between -5 and -1.",
			"properties.recurrence.schedule.monthlyOccurrences[1].day: The required property 'day' is missing."}},
		{recurring(`"frequency": "day", "interval": 549, "count": 0`), []string{
			"properties.recurrence.interval: The recurrence interval '549' is out of range; with recurrence unit 'Day' it must be between 1 and 548.",
			"properties.recurrence.count: The value '0' is out of range; it must be between 1 and 2147483647."}},
		{recurring(`"frequency": "year", "interval": 2`), []string{"properties.recurrence.interval: The recurrence interval '2' is out of range; with recurrence unit 'Year' it must be between 1 and 1."}},
		{recurring(`"interval": 2`), []string{"properties.recurrence.frequency: The required property 'frequency' is missing."}},
		{recurring(`"frequency": "fortnight"`), []string{"properties.recurrence.frequency: The value 'fortnight' is not valid; it must be one of minute, hour, day, week, month, year."}},
		{recurring(`"frequency": "week", "schedule": {"weekDays": ["mon","mon","mon","mon","mon","mon","mon","mon"]}`), []string{"properties.recurrence.schedule.weekDays: The array has 8 days; it must have at most 7."}},
		{recurring(`"frequency": "day", "schedule": {"minutes": [1], "minute": [2]}`), []string{"properties.recurrence.schedule.minute: The property 'minutes' is given twice."}},
		{job(`"cron": "* * * * *", "DependsOn": ["a"], "steps": {}, "whatever": 1`), []string{
			"properties.cron: The property 'cron' belongs to workflow files; a job of Azure Scheduler has no such property.",
			"properties.DependsOn: The property 'DependsOn' belongs to workflow files; a job of Azure Scheduler has no such property."}},
		{`{"properties": {"action": {"type": "shell", "command": "true", "retryPolicy": {"retryType": "exponential", "retryCount": 21, "on": [1]}}}}`, []string{
			"properties.action.command: The property 'command' belongs to workflow files; a job of Azure Scheduler has no such property.",
			"properties.action.type: The value 'shell' is not valid; it must be one of Http, Https, StorageQueue, ServiceBusQueue, ServiceBusTopic.",
			"properties.action.retryPolicy.on: The property 'on' belongs to workflow files; a job of Azure Scheduler has no such property.",
			"properties.action.retryPolicy.retryType: The value 'exponential' is not valid; it must be one of none, fixed.",
			"properties.action.retryPolicy.retryCount: The value '21' is out of range; it must be between 0 and 20."}},
		{request(`"body": {"a": 1}, "headers": {"g": [1]}, "Headers": {"h": "1"}`), []string{
			"properties.action.request.Headers: The property 'headers' is given twice.",
			"properties.action.request.body: The value must be a string and is an object.",
			"properties.action.request.headers.g: The value must be a string and is an array."}},
		{`{"properties": {"action": {"type": "https", "request": {"uri": "ftp://x", "method": "G E T", "headers": {"a b": "1", "c": "x\ny"}, "authentication": {"type": "Digest"}}}}}`, []string{
			"properties.action.request.method: The method 'G E T' is not valid; it must be an HTTP method such as GET or POST.",
			"properties.action.request.uri: The request URI 'ftp://x' is not valid; it must be an absolute URI with the scheme http or https.",
			"properties.action.request.headers.a b: The name of a header must consist of letters, digits and the characters ! # $ % & ' * + . ^ _ ` | ~ -.",
			"properties.action.request.headers.c: The value of a header must be one line.",
			"properties.action.request.authentication.type: The value 'Digest' is not valid; it must be one of ClientCertificate, Basic, ActiveDirectoryOAuth, NotSpecified."}},
		{`{"properties": {"action": {"type": "storageQueue", "queueMessage": {"storageAccount": "a.b", "queueName": ""}}}}`, []string{
			"properties.action.queueMessage.storageAccount: The value 'a.b' is not valid; it must be a name of at most 63 letters, digits and -, without a domain.",
			"properties.action.queueMessage.queueName: The required property 'queueName' is empty.",
			"properties.action.queueMessage.message: The required property 'message' is missing."}},
		{`{"properties": {"startTime": "9999-01-01T00:00:00Z", "action": {"type": "http", "request": {"uri": "http://a", "method": "GET"}},
			"recurrence": {"frequency": "fortnight", "interval": 0, "schedule": {"monthDays": [32], "weekDays": ["noday"]}}}}`, []string{
			"properties.recurrence.frequency: The value 'fortnight' is not valid; it must be one of minute, hour, day, week, month, year.",
			"properties.recurrence.interval: The recurrence interval '0' is out of range; it must be at least 1.",
			"properties.recurrence.schedule.weekDays[0]: The value 'noday' is not valid; it must be one of sunday, monday, tuesday, wednesday, thursday, friday, saturday.",
			"properties.recurrence.schedule.monthDays[0]: The day of month '32' is out of range; it must be between 1 and 31, or between -31 and -1.",
			"properties.startTime: The recurrence is not valid: the year 9999 is out of range; allowed is 1900 to 2200."}},
		{`{"properties": {"action": {"type": "serviceBusQueue"}}}`, []string{"properties.action.serviceBusQueueMessage: The required property 'serviceBusQueueMessage' is missing."}},
	} {
		_, mistakes := azure.ReadJob([]byte(c.body))
		var got []string
		for _, m := range mistakes {
			got = append(got, m.String())
			require.False(t, m.Conflict)
		}
		require.Equal(t, c.want, got, c.body)
	}
}

// A member of the wrong form hides none that is beyond a limit.
func TestAMistakeOfFormHidesNoLimit(t *testing.T) {
	long := strings.Repeat("x", azure.MaxURIChars)
	_, mistakes := azure.ReadSent([]byte(`{"properties": {"startTime": "2199-01-01T00:00:00Z", "state": "completed", "action": {"type": "http",
		"request": {"uri": "http://`+long+`", "method": "G E T"}, "retryPolicy": {"retryType": "fixed", "retryInterval": "PT1S"}},
		"recurrence": {"frequency": "fortnight"}}}`), created)
	var got []string
	for _, m := range mistakes {
		got = append(got, m.Path)
	}
	require.Equal(t, []string{"properties.action.request.method", "properties.recurrence.frequency", "properties.state", "properties.startTime",
		"properties.action.request.uri", "properties.action.retryPolicy.retryInterval"}, got, "%v", mistakes)
}

func TestWhatOnlyTheCollectionAndTheClockCanJudge(t *testing.T) {
	free := azure.Limits{Now: created, Free: true, MaxFrequency: recurrence.Hour, MaxInterval: 1}
	standard := azure.Limits{Now: created, MaxFrequency: recurrence.Minute, MaxInterval: 1}
	long := func(n int) string { return strings.Repeat("x", n) }
	headers := func(n, length int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(`"h%03d": "%s"`, i, long(length))
		}
		return `"headers": {` + strings.Join(list, ", ") + `}`
	}
	for _, c := range []struct {
		body   string
		limits azure.Limits
		want   string // "" is allowed; a part of the one mistake otherwise
	}{
		{job(``), standard, ""},
		{job(`"startTime": "2027-09-04T12:25:30Z"`), standard, ""},
		{job(`"startTime": "2027-09-04T12:25:30.001Z"`), standard, "properties.startTime: The start time '2027-09-04T12:25:30.001Z' is more than 18 months ahead."},
		{request(`"body": "` + long(8192) + `"`), standard, ""},
		{request(`"body": "` + long(8193) + `"`), standard, "request.body: The request body has 8193 characters; it must have at most 8192."},
		{`{"properties": {"action": {"type": "http", "request": {"method": "GET", "uri": "http://contoso.com/` + long(2048-19) + `"}}}}`, standard, ""},
		{`{"properties": {"action": {"type": "http", "request": {"method": "GET", "uri": "http://contoso.com/` + long(2048-18) + `"}}}}`, standard, "request.uri: The request URI has 2049 characters"},
		{request(headers(50, 1)), standard, ""},
		{request(headers(51, 1)), standard, "request.headers: The request has 51 headers"},
		{request(headers(4, 1020)), standard, ""},
		{request(headers(4, 1021)), standard, "request.headers: The request headers have 4100 characters together"},
		{job(`"unknown": "` + long(15_907) + `"`), standard, ""},
		{job(`"unknown": "` + long(15_908) + `"`), standard, "The size of the job definition is 16001 characters; it must be at most 16000."},
		{job(`"recurrence": {"frequency": "minute"}`), standard, ""},
		{job(`"recurrence": {"frequency": "minute"}`), free, "properties.recurrence: Two executions of the job can be 1m0s apart"},
		{job(`"recurrence": {"frequency": "day", "schedule": {"hours": [5, 6], "minutes": [0]}}`), free, ""},
		{job(`"recurrence": {"frequency": "day", "schedule": {"minutes": [0, 1]}}`), free, "properties.recurrence: Two executions of the job can be 1m0s apart"},
		{request(`"authentication": {"type": "Basic", "username": "u", "password": "p"}`), standard, ""},
		{request(`"authentication": {"type": "Basic", "username": "u", "password": "p"}`), free, "request.authentication: A job collection of the Free plan does not allow HTTP authentication."},
		{request(`"authentication": {"type": "ActiveDirectoryOAuth", "tenant": "t", "audience": "a", "clientId": "c"}`), standard, "authentication.secret: The required property 'secret' is missing."},
		{request(`"authentication": {"type": "ClientCertificate", "pfx": "bm9uZQ=="}`), standard, "authentication.pfx: The client certificate cannot be read: it is no PKCS #12"},
		{job(`"state": "Completed"`), standard, "properties.state: The state of a job cannot be set to 'completed'"},
		{job(`"startTime": "2026-01-02", "recurrence": {"frequency": "day", "endTime": "2026-01-01"}`), standard, "properties.recurrence.endTime: The recurrence is not valid: 2026-01-01T00:00:00Z is before startTime"},
		{job(`"startTime": "2026-02-01", "recurrence": {"frequency": "month", "interval": 12, "schedule": {"monthDays": [30]}}`), standard, "properties.recurrence: The recurrence is not valid: never fires"},
		{`{"properties": {"action": {"type": "http", "request": {"uri": "http://contoso.com", "method": "GET"}, "retryPolicy": {"retryType": "fixed", "retryInterval": "PT14S"}}}}`, standard,
			"properties.action.retryPolicy.retryInterval: The retry interval 'PT14S' is out of range; it must be at least 15 seconds."},
		{`{"properties": {"action": {"type": "http", "request": {"uri": "http://contoso.com", "method": "GET"}, "retryPolicy": {"retryType": "fixed", "retryInterval": "00:59:59"}}}}`, free, "it must be at least 1 hour"},
	} {
		d, mistakes := azure.ReadJob([]byte(c.body))
		require.NoError(t, mistakes.Err(), c.body)
		_, mistakes = d.Translate(azure.Target{Workflow: "jc1", Job: "j1", Limits: &c.limits})
		if c.want == "" {
			require.NoError(t, mistakes.Err(), "%.200s", c.body)
			continue
		}
		require.Len(t, mistakes, 1, "%.200s", c.body)
		require.Contains(t, mistakes[0].String(), c.want)
		require.Equal(t, strings.Contains(c.want, "apart"), mistakes[0].Conflict)
	}
}

func FuzzReadJob(f *testing.F) {
	for _, text := range []string{job(``), request(`"headers": {}`), `{"properties": {"recurrence": {"frequency": "month", "schedule": {"monthDays": -1}}}}`,
		`{"value": [{"name": "a/b", "properties": {"action": {"type": "StorageQueue", "queueMessage": {"storageAccount": "a", "queueName": "q", "sasToken": "s", "message": ""}}}}]}`,
		`{"contentVersion": "1", "parameters": {"x": {"type": "string", "defaultValue": "[parameters('x')]"}}, "resources": [{"type": "Microsoft.Scheduler/jobCollections/jobs", "name": "[concat('a/', parameters('x'))]", "properties": {}}]}`} {
		f.Add([]byte(text), []byte(`{"properties": {"state": "disabled", "recurrence": null}}`))
	}
	f.Add([]byte(storedJob), []byte(`{"properties": {"action": {"request": {"headers": {"accept": null}}}, "recurrence": {"schedule": {"Minute": [1]}}}}`))
	f.Add([]byte(`{"properties": {"action": {"type": "serviceBusTopic", "serviceBusTopicMessage": {"topicPath": "t", "namespace": "n", "authentication": {"sasKeyName": "k"}, "brokeredMessageProperties": {"timeToLive": "00:01:00"}, "customMessageProperties": {"a": "${{b}}"}}}}}`), []byte(`{}`))
	f.Fuzz(func(t *testing.T, text, patch []byte) {
		d, mistakes := azure.ReadJob(text)
		require.Equal(t, d == nil, len(mistakes) > 0)
		if d != nil {
			printed, err := json.Marshal(d.Job)
			require.NoError(t, err)
			again, mistakes := azure.ReadJob(printed)
			require.NoError(t, mistakes.Err(), "%s", printed)
			require.Equal(t, d.Properties.String(), again.Properties.String())
			if translation, _ := d.Translate(azure.Target{Workflow: "w", Job: "j", Limits: &azure.Limits{Now: created}}); translation != nil {
				require.NotNil(t, azure.Export(translation.Job, created).Properties)
			}
			_, _ = azure.Patch(printed, patch, d.Job)
		}
		bundles, _, _ := azure.ReadSource(text, azure.Source{Collection: "c", Job: "j"})
		for _, b := range bundles {
			_, _ = b.Workflow(created)
		}
	})
}
