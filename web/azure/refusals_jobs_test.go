package azure_test

import (
	"strings"
	"testing"
)

// Jobs (`azure-scheduler.md` §3 to §6), and what §9 says of them.
func TestJobsThatAreRefused(t *testing.T) {
	d, s := refusing(t)
	put := func(ground, name, body string, words ...string) refusal {
		return refusal{ground, name, "PUT", at("jc1/jobs/j1"), body, 400, badRequest, words}
	}
	patch := func(ground, name, body string, words ...string) refusal {
		return refusal{ground, name, "PATCH", at("jc1/jobs/j1"), body, 400, badRequest, words}
	}
	// of is a job with an action that has a message of a kind.
	of := func(kind, message string) string {
		member := map[string]string{"StorageQueue": "queueMessage", "ServiceBusQueue": "serviceBusQueueMessage", "ServiceBusTopic": "serviceBusTopicMessage", "Http": "request"}[kind]
		return `{"properties": {"action": {"type": "` + kind + `", "` + member + `": ` + message + `}}}`
	}
	authenticated := func(authentication string) string {
		return requesting(`"request": {"method": "GET", "uri": "https://h/", "authentication": `+authentication+`}`, "")
	}
	retried := func(policy string) string {
		return `{"properties": {"action": {"type": "Http", ` + get + `, "retryPolicy": ` + policy + `}}}`
	}
	recurring := func(recurrence string) string { return requesting(get, `, "recurrence": `+recurrence) }
	brokered := func(properties string) string {
		return of("ServiceBusQueue", `{"namespace": "n", "queueName": "q", "brokeredMessageProperties": `+properties+`}`)
	}
	final := func(name string) []refusal {
		j := at("jc1/jobs", name)
		return []refusal{
			{"§1 Errors", "a put of a " + name + " job", "PUT", j, s.once(), 409, conflict, says("'"+name+"'", "final state")},
			{"§9.15", "a patch of a " + name + " job", "PATCH", j, `{"properties": {"state": "enabled"}}`, 409, conflict, says("'"+name+"'", "final state")},
			{"§6", "a run of a " + name + " job", "POST", j + "/run", "", 409, conflict, says("'"+name+"'", "final state")},
		}
	}
	d.refuses(t, append(append(final("done"), final("failed")...), []refusal{
		{"§6", "a run of a disabled job", "POST", at("jc1/jobs/off/run"), "", 409, conflict, says("'off'", "disabled")},
		{"§6", "a run in a disabled collection", "POST", at("off/jobs/j1/run"), "", 409, conflict, says("'j1'", "disabled")},

		{"§2 Names", "in another alphabet", "PUT", at("jc1/jobs/%E4%BD%9C%E4%B8%9A"), requesting(get, ""), 400, badRequest, says("job name '作业'")},
		{"§2 Names", "an accent", "PUT", at("jc1/jobs/caf%C3%A9"), requesting(get, ""), 400, badRequest, says("job name 'café'")},
		{"§2 Names", "a slash", "PUT", at("jc1/jobs/a%2Fb"), requesting(get, ""), 400, badRequest, says("encoded slash")},
		{"§2 Names", "101 letters", "PUT", at("jc1/jobs/" + strings.Repeat("a", 101)), requesting(get, ""), 400, badRequest, says("job name")},

		put("§3 Job", "another id", `{"id": "/subscriptions/x", `+requesting(get, "")[1:], "id", "'/subscriptions/x'"),
		put("§3 Job", "another name", `{"name": "jc1/j2", `+requesting(get, "")[1:], "name", "'jc1/j2'"),
		put("§3 Job", "another type", `{"type": "Microsoft.Scheduler/jobCollections", `+requesting(get, "")[1:], "type"),
		patch("§1 Errors", "another id", `{"id": "x"}`, "'id' cannot be changed"),
		patch("§3 Job", "another name", `{"name": "jc1/j2"}`, "'name' cannot be changed"),
		patch("§1 Errors", "a status", `{"properties": {"status": {}}}`, "properties.status", "cannot be set"),
		patch("§1 Errors", "completed", `{"properties": {"state": "completed"}}`, "properties.state", "'completed'"),
		patch("§1 Errors", "faulted", `{"properties": {"State": "Faulted"}}`, "properties.state", "'Faulted'"),
		put("§3 Job", "faulted", requesting(get, `, "state": "faulted"`), "properties.state", "'faulted'"),
		put("§3 Job", "a state that there is not", requesting(get, `, "state": "asleep"`), "properties.state", "'asleep'"),
		put("§3 Job", "no properties", `{}`, "properties", "missing"),
		put("§3 Job", "no action", `{"properties": {"state": "enabled"}}`, "properties.action", "missing"),
		put("§3 Job", "no type", `{"properties": {"action": {`+get+`}}}`, "properties.action.type", "missing"),
		put("§3 Job", "a start that is no time", requesting(get, `, "startTime": "tomorrow"`), "properties.startTime", "'tomorrow'"),
		put("§3 Job", "a day that there is not", requesting(get, `, "startTime": "2027-02-29"`), "properties.startTime", "'2027-02-29'"),
		put("§3 Job", "everything at once", `{"properties": {"startTime": "x", "state": "y", "action": {"type": "z"}, "recurrence": {"frequency": "w"}}}`,
			"properties.startTime", "properties.state", "properties.action.type", "properties.recurrence.frequency"),

		put("§1 REST surface", "an action of the shell", `{"properties": {"action": {"type": "Shell", "command": "rm"}}}`, "properties.action.type"),
		put("§1 REST surface", "a command of the shell", `{"properties": {"action": {"type": "Http", `+get+`, "command": "rm"}}}`, "properties.action.command"),
		put("§1 REST surface", "an expression of cron", requesting(get, `, "cron": "* * * * *"`), "properties.cron"),
		put("§1 REST surface", "an expression of cron in the recurrence", recurring(`{"frequency": "day", "cron": "* * * * *"}`), "properties.recurrence.cron"),
		put("§1 REST surface", "a dependency", requesting(get, `, "dependsOn": ["x"]`), "properties.dependsOn"),
		put("§1 REST surface", "a time zone", requesting(get, `, "timeZone": "Asia/Shanghai"`), "properties.timeZone"),
		put("§1 REST surface", "steps", requesting(get, `, "steps": {"a": {"type": "none"}}`), "properties.steps"),
		put("§1 REST surface", "exponential retries", retried(`{"retryType": "Exponential"}`), "properties.action.retryPolicy.retryType", "'Exponential'"),
		put("§1 REST surface", "an address of a queue", of("StorageQueue", `{"storageAccount": "a", "queueName": "q", "sasToken": "t", "message": "m", "queueUri": "http://h/q"}`), "properties.action.queueMessage.queueUri"),
		patch("§1 REST surface", "a priority", `{"properties": {"priority": 1}}`, "properties.priority"),

		put("§3 Actions", "no request", `{"properties": {"action": {"type": "Http"}}}`, "properties.action.request", "missing"),
		put("§3 Actions", "no uri", of("Http", `{"method": "GET"}`), "properties.action.request.uri", "missing"),
		put("§3 Actions", "no method", of("Http", `{"uri": "http://h/"}`), "properties.action.request.method", "missing"),
		put("§3 Actions", "a method that is none", of("Http", `{"uri": "http://h/", "method": "GET /"}`), "properties.action.request.method"),
		put("§3 Actions", "a uri of a file", of("Http", `{"uri": "file:///etc/passwd", "method": "GET"}`), "properties.action.request.uri"),
		put("§3 Actions", "a uri without a host", of("Http", `{"uri": "/path", "method": "GET"}`), "properties.action.request.uri"),
		put("§3 Actions", "a header that is an object", of("Http", `{"uri": "http://h/", "method": "GET", "headers": {"a": {"b": 1}}}`), "properties.action.request.headers.a"),
		put("§3 Actions", "a header of two lines", of("Http", `{"uri": "http://h/", "method": "GET", "headers": {"a": "b\r\nc: d"}}`), "properties.action.request.headers.a"),
		put("§3 Actions", "no queueMessage", `{"properties": {"action": {"type": "StorageQueue", `+get+`}}}`, "properties.action.queueMessage", "missing"),
		put("§3 Actions", "no storageAccount", of("StorageQueue", `{"queueName": "q", "sasToken": "t", "message": "m"}`), "properties.action.queueMessage.storageAccount"),
		put("§3 Actions", "no queueName", of("StorageQueue", `{"storageAccount": "a", "sasToken": "t", "message": "m"}`), "properties.action.queueMessage.queueName"),
		put("§3 Actions", "no sasToken", of("StorageQueue", `{"storageAccount": "a", "queueName": "q", "message": "m"}`), "properties.action.queueMessage.sasToken"),
		put("§3 Actions", "no message", of("StorageQueue", `{"storageAccount": "a", "queueName": "q", "sasToken": "t"}`), "properties.action.queueMessage.message"),
		put("§3 Actions", "a storage account that is another host", of("StorageQueue", `{"storageAccount": "a.evil.example/", "queueName": "q", "sasToken": "t", "message": "m"}`), "properties.action.queueMessage.storageAccount"),
		put("§3 Actions", "no namespace", of("ServiceBusQueue", `{"queueName": "q"}`), "properties.action.serviceBusQueueMessage.namespace"),
		put("§3 Actions", "no name of a bus queue", of("ServiceBusQueue", `{"namespace": "n"}`), "properties.action.serviceBusQueueMessage.queueName"),
		put("§3 Actions", "no topicPath", of("ServiceBusTopic", `{"namespace": "n"}`), "properties.action.serviceBusTopicMessage.topicPath"),
		put("§3 Actions", "a transport that there is not", of("ServiceBusQueue", `{"namespace": "n", "queueName": "q", "transportType": "SBMP"}`), "properties.action.serviceBusQueueMessage.transportType", "'SBMP'"),
		put("§3 Actions", "a signature of another kind", of("ServiceBusQueue", `{"namespace": "n", "queueName": "q", "authentication": {"type": "Token", "sasKeyName": "a", "sasKey": "b"}}`), "properties.action.serviceBusQueueMessage.authentication.type"),
		put("§3 Actions", "a key without a name", of("ServiceBusQueue", `{"namespace": "n", "queueName": "q", "authentication": {"type": "SharedAccessKey", "sasKey": "b"}}`), "properties.action.serviceBusQueueMessage.authentication.sasKeyName"),
		put("§3 Actions", "a property that is a list", of("ServiceBusQueue", `{"namespace": "n", "queueName": "q", "customMessageProperties": {"a": [1]}}`), "properties.action.serviceBusQueueMessage.customMessageProperties.a"),
		put("§3 Actions", "a time to live of nothing", brokered(`{"timeToLive": "PT0S"}`), "brokeredMessageProperties.timeToLive"),
		put("§3 Actions", "a time to live that is none", brokered(`{"timeToLive": "1 day"}`), "brokeredMessageProperties.timeToLive", "'1 day'"),
		put("§3 Actions", "a time that is none", brokered(`{"scheduledEnqueueTimeUtc": "soon"}`), "brokeredMessageProperties.scheduledEnqueueTimeUtc", "'soon'"),
		put("§3 Actions", "neither true nor false", brokered(`{"forcePersistence": "maybe"}`), "brokeredMessageProperties.forcePersistence", "'maybe'"),
		put("§3 Job", "an error action without a type", requesting(get+`, "errorAction": {`+get+`}`, ""), "properties.action.errorAction.type"),
		put("§3 Job", "an error action without a request", requesting(get+`, "errorAction": {"type": "https"}`, ""), "properties.action.errorAction.request"),

		put("§3 Outbound HTTP authentication", "an unknown one", authenticated(`{"type": "Digest"}`), "properties.action.request.authentication.type", "'Digest'"),
		put("§3 Outbound HTTP authentication", "Basic without a name", authenticated(`{"type": "Basic", "password": "p"}`), "properties.action.request.authentication.username"),
		put("§3 Outbound HTTP authentication", "a certificate without one", authenticated(`{"type": "ClientCertificate", "password": "p"}`), "properties.action.request.authentication.pfx"),
		put("§3 Outbound HTTP authentication", "a certificate that is none", authenticated(`{"type": "ClientCertificate", "pfx": "AAAA", "password": "p"}`), "properties.action.request.authentication.pfx"),
		put("§3 Outbound HTTP authentication", "OAuth without a tenant", authenticated(`{"type": "ActiveDirectoryOAuth", "audience": "a", "clientId": "c", "secret": "s"}`), "properties.action.request.authentication.tenant"),
		put("§3 Outbound HTTP authentication", "OAuth without a secret", authenticated(`{"type": "ActiveDirectoryOAuth", "tenant": "t", "audience": "a", "clientId": "c"}`), "properties.action.request.authentication.secret"),

		put("§4 job size", "16,001 characters", sized(16_001), "16001", "16000"),
		{"§4 job size", "a new job of 16,001 characters", "PUT", at("jc1/jobs/new"), sized(16_001), 400, badRequest, says("16001")},
		patch("§4 job size", "16,001 characters after a patch", `{"properties": {"unknown": "`+strings.Repeat("x", 16_000)+`"}}`, "16000"),
		put("§4 time to start time", "19 months ahead", requesting(get, `, "startTime": "2028-03-01"`), "properties.startTime", "18 months"),
		put("§4 body", "8,193 characters", of("Http", `{"method": "POST", "uri": "http://h/", "body": "`+strings.Repeat("b", 8193)+`"}`), "properties.action.request.body", "8193", "8192"),
		put("§4 request URL", "2,049 characters", of("Http", `{"method": "GET", "uri": "http://h/`+strings.Repeat("u", 2049-9)+`"}`), "properties.action.request.uri", "2049", "2048"),
		put("§4 headers", "51", of("Http", `{"method": "GET", "uri": "http://h/", "headers": {`+headers(51, 1)+`}}`), "properties.action.request.headers", "51", "50"),
		put("§4 headers", "4,097 characters", of("Http", `{"method": "GET", "uri": "http://h/", "headers": {"a": "`+strings.Repeat("v", 4096)+`"}}`), "properties.action.request.headers", "4097", "4096"),
		put("§4 retryCount", "21", retried(`{"retryCount": 21}`), "properties.action.retryPolicy.retryCount", "20"),
		put("§4 retryCount", "-1", retried(`{"retryCount": -1}`), "properties.action.retryPolicy.retryCount"),
		put("§4 retryInterval", "14 seconds", retried(`{"retryInterval": "PT14S"}`), "properties.action.retryPolicy.retryInterval", "15 seconds"),
		put("§4 retryInterval", "14 seconds as a time span", retried(`{"retryInterval": "00:00:14"}`), "properties.action.retryPolicy.retryInterval", "15 seconds"),
		put("§4 retryInterval", "19 months", retried(`{"retryInterval": "P580D"}`), "properties.action.retryPolicy.retryInterval", "18 months"),
		put("§4 retryInterval", "no length of time", retried(`{"retryInterval": "30"}`), "properties.action.retryPolicy.retryInterval", "'30'"),
		put("§4 interval", "19 months", recurring(`{"frequency": "month", "interval": 19}`), "properties.recurrence.interval", "18"),
		put("§4 interval", "79 weeks", recurring(`{"frequency": "week", "interval": 79}`), "properties.recurrence.interval", "78"),
		put("§4 interval", "549 days", recurring(`{"frequency": "day", "interval": 549}`), "properties.recurrence.interval", "548"),
		put("§4 interval", "1,001 hours", recurring(`{"frequency": "hour", "interval": 1001}`), "properties.recurrence.interval", "1000"),
		put("§4 interval", "1,001 minutes", recurring(`{"frequency": "minute", "interval": 1001}`), "properties.recurrence.interval", "1000"),
		put("§4 interval", "0", recurring(`{"frequency": "minute", "interval": 0}`), "properties.recurrence.interval"),
		patch("§4 interval", "19 months by a patch", `{"properties": {"recurrence": {"frequency": "month", "interval": 19}}}`, "properties.recurrence.interval", "18"),
		put("§9.4", "two years", recurring(`{"frequency": "year", "interval": 2}`), "properties.recurrence.interval", "between 1 and 1"),
		put("§4 minutes", "60", recurring(`{"frequency": "day", "schedule": {"minutes": [0, 60]}}`), "properties.recurrence.schedule.minutes[1]", "59"),
		put("§4 minutes", "-1", recurring(`{"frequency": "day", "schedule": {"minutes": -1}}`), "properties.recurrence.schedule.minutes", "59"),
		put("§4 hours", "24", recurring(`{"frequency": "day", "schedule": {"hours": [24]}}`), "properties.recurrence.schedule.hours[0]", "23"),
		put("§4 monthDays", "0", recurring(`{"frequency": "month", "schedule": {"monthDays": [0]}}`), "properties.recurrence.schedule.monthDays[0]"),
		put("§4 monthDays", "32", recurring(`{"frequency": "month", "schedule": {"monthDays": [32]}}`), "properties.recurrence.schedule.monthDays[0]", "31"),
		put("§4 monthDays", "-32", recurring(`{"frequency": "month", "schedule": {"monthDays": [-32]}}`), "properties.recurrence.schedule.monthDays[0]", "-31"),
		put("§4 occurrence", "0", recurring(`{"frequency": "month", "schedule": {"monthlyOccurrences": [{"day": "friday", "Occurrence": 0}]}}`), "properties.recurrence.schedule.monthlyOccurrences[0].Occurrence"),
		put("§4 occurrence", "6", recurring(`{"frequency": "month", "schedule": {"monthlyOccurrences": [{"day": "friday", "occurrence": 6}]}}`), "properties.recurrence.schedule.monthlyOccurrences[0].occurrence"),
		put("§4 occurrence", "-6", recurring(`{"frequency": "month", "schedule": {"monthlyOccurrences": [{"day": "friday", "Occurrence": -6}]}}`), "properties.recurrence.schedule.monthlyOccurrences[0].Occurrence"),
		put("§4 weekDays", "8", recurring(`{"frequency": "week", "schedule": {"weekDays": ["monday", "monday", "monday", "monday", "monday", "monday", "monday", "monday"]}}`), "properties.recurrence.schedule.weekDays", "7"),

		put("§5", "no frequency", recurring(`{"interval": 2}`), "properties.recurrence.frequency", "missing"),
		put("§3 Job", "a frequency that there is not", recurring(`{"frequency": "second"}`), "properties.recurrence.frequency", "'second'"),
		put("§3 Job", "a day that there is not", recurring(`{"frequency": "week", "schedule": {"weekDays": ["someday"]}}`), "properties.recurrence.schedule.weekDays[0]", "'someday'"),
		put("§1 Errors", "days of the month of weeks", recurring(`{"frequency": "Week", "schedule": {"monthDays": [1]}}`), "Cannot set days of month with recurrence unit 'Week'."),
		put("§5", "days of the week of days", recurring(`{"frequency": "day", "schedule": {"weekDays": ["monday"]}}`), "properties.recurrence.schedule.weekDays", "recurrence unit 'Day'"),
		put("§5", "occurrences of weeks", recurring(`{"frequency": "week", "schedule": {"monthlyOccurrences": [{"day": "friday"}]}}`), "properties.recurrence.schedule.monthlyOccurrences", "recurrence unit 'Week'"),
		put("§5", "a count of nothing", recurring(`{"frequency": "day", "count": 0}`), "properties.recurrence.count"),
		put("§9.7", "an end to come before the start", requesting(get, `, "startTime": "2026-09-02", "recurrence": {"frequency": "day", "endTime": "2026-09-01"}`), "properties.recurrence.endTime", "is before startTime"),
		patch("§9.7", "an end to come before the start, by a patch", `{"properties": {"startTime": "2026-09-02", "recurrence": {"endTime": "2026-09-01"}}}`, "properties.recurrence.endTime", "is before startTime"),
		put("§4 time to start time", "19 months ahead, after an end in the past", requesting(get, `, "startTime": "2028-03-01", "recurrence": {"frequency": "day", "endTime": "2026-01-01"}`), "properties.startTime", "18 months"),
		put("§5", "an end that is no time", recurring(`{"frequency": "day", "endTime": "never"}`), "properties.recurrence.endTime", "'never'"),
	}...))
}
