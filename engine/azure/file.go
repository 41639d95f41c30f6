package azure

import (
	"maps"
	"slices"
	"strings"

	"github.com/almanac-sched/almanac/engine"
)

// fileDefaults is what makes the jobs of a file behave as the service did when a due time passes that cannot be kept.
func fileDefaults() ordered {
	return ordered{{"overlap", string(engine.OverlapSkip)}, {"misfire", string(engine.MisfireSkip)}}
}

// fileJob is the job as a workflow file says it: what it would be if it were pasted, without the words that have no effect. The secrets
// have been replaced by references; in all other texts a literal `${{` is escaped.
func fileJob(p *Properties) ordered {
	var job ordered
	if p.StartTime != nil {
		job.put("startTime", p.StartTime.String())
	}
	if r := p.Recurrence; r != nil {
		job.put("recurrence", fileRecurrence(r))
	}
	if p.State == StateDisabled {
		job.put("state", StateDisabled)
	}
	job.put("action", fileAction(p.Action))
	return job
}

func fileRecurrence(r *Recurrence) ordered {
	o := ordered{{"frequency", r.Frequency}}
	if r.Interval != 1 {
		o.put("interval", r.Interval)
	}
	if r.Count != 0 {
		o.put("count", r.Count)
	}
	if r.EndTime != nil {
		o.put("endTime", r.EndTime.String())
	}
	if r.Schedule == nil {
		return o
	}
	var s ordered
	for _, list := range []struct {
		name   string
		values []int
	}{{"hours", r.Schedule.Hours}, {"minutes", r.Schedule.Minutes}, {"monthDays", r.Schedule.MonthDays}} {
		if len(list.values) > 0 {
			s.put(list.name, list.values)
		}
	}
	if len(r.Schedule.WeekDays) > 0 {
		s.put("weekDays", r.Schedule.WeekDays)
	}
	var occurrences []ordered
	for _, m := range r.Schedule.MonthlyOccurrences {
		one := ordered{{"day", m.Day}}
		if m.Occurrence != 0 {
			one.put("occurrence", m.Occurrence)
		}
		occurrences = append(occurrences, one)
	}
	if len(occurrences) > 0 {
		s.put("monthlyOccurrences", occurrences)
	}
	o.putObject("schedule", s)
	return o
}

// escape writes a text so that the server leaves it as it is.
func escape(s string) string { return strings.ReplaceAll(s, "${{", "$${{") }

// unescape is the way back for a text without substitutions.
func unescape(s string) string { return strings.ReplaceAll(s, "$${{", "${{") }

// fileTexts are free names with texts; nil when there are none.
func fileTexts(texts map[string]string) ordered {
	var o ordered
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		o.put(name, escape(texts[name]))
	}
	return o
}

func fileAction(a *Action) ordered {
	o := ordered{{"type", strings.ToLower(a.Type[:1]) + a.Type[1:]}}
	switch {
	case a.Request != nil:
		o.put("request", fileRequest(a.Request))
	case a.QueueMessage != nil:
		q := a.QueueMessage
		o.put("queueMessage", ordered{{"storageAccount", escape(q.StorageAccount)}, {"queueName", escape(q.QueueName)}, {"sasToken", q.SASToken}, {"message", escape(q.Message)}})
	case a.ServiceBusQueueMessage != nil:
		o.put("serviceBusQueueMessage", fileBus(a.ServiceBusQueueMessage))
	case a.ServiceBusTopicMessage != nil:
		o.put("serviceBusTopicMessage", fileBus(a.ServiceBusTopicMessage))
	}
	if r := a.RetryPolicy; r != nil {
		retry := ordered{{"retryType", r.RetryType}}
		if r.RetryType == RetryFixed && r.RetryInterval != nil {
			retry.put("retryInterval", r.RetryInterval.Text)
		}
		if r.RetryType == RetryFixed && r.RetryCount != nil {
			retry.put("retryCount", *r.RetryCount)
		}
		o.put("retryPolicy", retry)
	}
	if a.ErrorAction != nil {
		o.put("errorAction", fileAction(a.ErrorAction))
	}
	return o
}

func fileRequest(q *Request) ordered {
	o := ordered{{"method", q.Method}, {"uri", escape(q.URI)}}
	o.putObject("headers", fileTexts(q.Headers))
	o.putText("body", escape(q.Body))
	if a := q.Authentication; a != nil {
		auth := ordered{{"type", a.Type}}
		auth.putText("username", escape(a.Username))
		auth.putText("pfx", a.PFX)
		auth.putText("password", a.Password)
		auth.putText("tenant", escape(a.Tenant))
		auth.putText("audience", escape(a.Audience))
		auth.putText("clientId", escape(a.ClientID))
		auth.putText("secret", a.Secret)
		o.put("authentication", auth)
	}
	return o
}

func fileBus(b *ServiceBusMessage) ordered {
	o := ordered{{"namespace", escape(b.Namespace)}}
	o.putText("queueName", escape(b.QueueName))
	o.putText("topicPath", escape(b.TopicPath))
	o.putText("transportType", b.TransportType)
	if a := b.Authentication; a != nil {
		auth := ordered{{"type", a.Type}}
		auth.putText("sasKeyName", escape(a.SASKeyName))
		auth.putText("sasKey", a.SASKey)
		o.put("authentication", auth)
	}
	o.putText("message", escape(b.Message))
	if p := b.Brokered; p != nil {
		var brokered ordered
		brokered.putText("contentType", escape(p.ContentType))
		brokered.putText("correlationId", escape(p.CorrelationID))
		if p.ForcePersistence {
			brokered.put("forcePersistence", true)
		}
		brokered.putText("label", escape(p.Label))
		brokered.putText("messageId", escape(p.MessageID))
		brokered.putText("partitionKey", escape(p.PartitionKey))
		brokered.putText("replyTo", escape(p.ReplyTo))
		brokered.putText("replyToSessionId", escape(p.ReplyToSessionID))
		if p.ScheduledEnqueueTimeUTC != nil {
			brokered.put("scheduledEnqueueTimeUtc", p.ScheduledEnqueueTimeUTC.String())
		}
		brokered.putText("sessionId", escape(p.SessionID))
		if p.TimeToLive != nil {
			brokered.put("timeToLive", p.TimeToLive.Text)
		}
		brokered.putText("to", escape(p.To))
		brokered.putText("viaPartitionKey", escape(p.ViaPartitionKey))
		o.put("brokeredMessageProperties", brokered)
	}
	o.putObject("customMessageProperties", fileTexts(b.Custom))
	return o
}
