package azure

import (
	"maps"
	"slices"
	"strings"

	"github.com/almanac-sched/almanac/engine"
)

func (e *exporter) what(p *Properties) {
	steps := e.job.Steps
	if len(steps) != 1 {
		e.leave("steps", "a job has one action and, when it has failed for good, one error action")
		return
	}
	s := &steps[0]
	if s.When != "" {
		e.leave("steps."+s.Name+".when", "an action has no condition")
	}
	if s.OnFailure != engine.StepFail && s.OnFailure != "" {
		e.lose("steps."+s.Name+".onFailure", "what has failed has failed")
	}
	p.Action = e.action(&s.Action, "action", "properties.action")
	if p.Action == nil {
		return
	}
	if !sameTries(s.Action.Retry, engine.RetryPolicy{Type: engine.RetryFixed, Interval: serviceRetryInterval, Count: serviceRetryCount}) {
		p.Action.RetryPolicy = e.retry(s.Action.Retry, "retryPolicy")
	}
	failed := e.job.ErrorAction
	if failed == nil {
		return
	}
	// One without retries of its own has those of the action.
	if p.Action.ErrorAction = e.action(failed, "errorAction", "properties.action.errorAction"); p.Action.ErrorAction != nil && !sameTries(failed.Retry, s.Action.Retry) {
		p.Action.ErrorAction.RetryPolicy = e.retry(failed.Retry, "errorAction.retryPolicy")
	}
}

func sameTries(a, b engine.RetryPolicy) bool {
	return a.Type == b.Type && a.Interval == b.Interval && a.Count == b.Count && slices.Equal(a.On, b.On)
}

func (e *exporter) retry(r engine.RetryPolicy, member string) *RetryPolicy {
	if r.Type == engine.RetryNone || r.Type == "" || r.Count == 0 {
		return &RetryPolicy{RetryType: RetryNone}
	}
	if r.Type == engine.RetryExponential {
		e.lose(member+".retryType", "retries are fixed or none: exponential becomes fixed")
	}
	if len(r.On) > 0 {
		e.lose(member+".on", "every failure is retried")
	}
	if r.Interval < shortestRetry {
		e.lose(member+".retryInterval", "the least is PT15S, which %s becomes", Lasting(r.Interval).Text)
		r.Interval = shortestRetry
	}
	count := r.Count
	return &RetryPolicy{RetryType: RetryFixed, RetryInterval: Lasting(r.Interval), RetryCount: &count}
}

// action exports an action but for its retries; nil when the service has none of its type.
func (e *exporter) action(a *engine.Action, member, path string) *Action {
	out := &Action{}
	switch {
	case a.Type == engine.ActionHTTP && a.HTTP != nil:
		out.Type = ActionHTTP
	case a.Type == engine.ActionHTTPS && a.HTTP != nil:
		out.Type = ActionHTTPS
	case a.Type == engine.ActionStorageQueue && a.Queue != nil:
		out.Type = ActionStorageQueue
		out.QueueMessage = e.queue(a.Queue, member+".queueMessage", path+".queueMessage")
	case a.Type == engine.ActionServiceBusQueue && a.Bus != nil:
		out.Type = ActionServiceBusQueue
		out.ServiceBusQueueMessage = e.bus(a.Bus, member+".serviceBusQueueMessage", path+".serviceBusQueueMessage")
		out.ServiceBusQueueMessage.QueueName = e.text(a.Bus.Entity, member+".serviceBusQueueMessage.queueName")
	case a.Type == engine.ActionServiceBusTopic && a.Bus != nil:
		out.Type = ActionServiceBusTopic
		out.ServiceBusTopicMessage = e.bus(a.Bus, member+".serviceBusTopicMessage", path+".serviceBusTopicMessage")
		out.ServiceBusTopicMessage.TopicPath = e.text(a.Bus.Entity, member+".serviceBusTopicMessage.topicPath")
	case member == "errorAction":
		e.lose(member, "there is no action of type %s: the job is without it", a.Type)
		return nil
	default:
		e.leave(member, "there is no action of type %s", a.Type)
		return nil
	}
	if a.HTTP != nil {
		out.Request = e.request(a.HTTP, member+".request", path+".request")
		if len(a.HTTP.Expect) > 0 {
			e.lose(member+".expect", "every status of 2xx is success, and no other")
		}
	}
	if a.Timeout != serviceTimeout {
		e.lose("timeout", "it is always 60 seconds")
	}
	return out
}

// text exports a text that the server leaves as it is.
func (e *exporter) text(t engine.Text, member string) string {
	references, err := t.References()
	if err != nil {
		return string(t)
	}
	for _, r := range references {
		e.lose(member, "${{ %s }} is sent as it stands: nothing is replaced in a text", r)
	}
	return unescape(string(t))
}

// secret leaves a place empty that was not.
func (e *exporter) secret(t engine.Text, path string) {
	if t != "" {
		e.secrets = append(e.secrets, Secret{Name: path[strings.LastIndexByte(path, '.')+1:], Path: path})
	}
}

func (e *exporter) texts(texts map[string]engine.Text, member string) map[string]string {
	if len(texts) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		out[name] = e.text(texts[name], member+"."+name)
	}
	return out
}

func (e *exporter) request(h *engine.HTTP, member, path string) *Request {
	q := &Request{URI: e.text(h.URI, member+".uri"), Method: h.Method, Headers: e.texts(h.Headers, member+".headers"), Body: e.text(h.Body, member+".body")}
	member, path = member+".authentication", path+".authentication"
	switch {
	case h.Basic != nil:
		q.Authentication = &Authentication{Type: AuthBasic, Username: e.text(h.Basic.Username, member+".username")}
		e.secret(h.Basic.Password, path+".password")
	case h.Certificate != nil:
		q.Authentication = &Authentication{Type: AuthCertificate}
		e.secret(h.Certificate.PFX, path+".pfx")
		e.secret(h.Certificate.Password, path+".password")
	case h.OAuth != nil:
		q.Authentication = &Authentication{Type: AuthOAuth, Tenant: e.text(h.OAuth.Tenant, member+".tenant"), Audience: e.text(h.OAuth.Audience, member+".audience"),
			ClientID: e.text(h.OAuth.ClientID, member+".clientId")}
		e.secret(h.OAuth.Secret, path+".secret")
	}
	return q
}

func (e *exporter) queue(q *engine.StorageQueue, member, path string) *QueueMessage {
	e.secret(q.SAS, path+".sasToken")
	return &QueueMessage{StorageAccount: e.text(q.Account, member+".storageAccount"), QueueName: e.text(q.Queue, member+".queueName"), Message: e.text(q.Message, member+".message")}
}

func (e *exporter) bus(b *engine.ServiceBus, member, path string) *ServiceBusMessage {
	out := &ServiceBusMessage{Namespace: e.text(b.Namespace, member+".namespace"), TransportType: TransportNetMessaging, Message: e.text(b.Message, member+".message"),
		Custom: e.texts(b.Custom, member+".customMessageProperties")}
	if b.Transport == engine.BusAMQP {
		out.TransportType = TransportAMQP
	}
	if b.KeyName != "" {
		out.Authentication = &ServiceBusAuthentication{SASKeyName: e.text(b.KeyName, member+".authentication.sasKeyName"), Type: SharedAccessKey}
		e.secret(b.Key, path+".authentication.sasKey")
	}
	member += ".brokeredMessageProperties"
	p, text := &b.Brokered, func(t engine.Text, name string) string { return e.text(t, member+"."+name) }
	brokered := BrokeredProperties{
		ContentType: text(p.ContentType, "contentType"), CorrelationID: text(p.CorrelationID, "correlationId"), ForcePersistence: p.ForcePersistence,
		Label: text(p.Label, "label"), MessageID: text(p.MessageID, "messageId"), PartitionKey: text(p.PartitionKey, "partitionKey"),
		ReplyTo: text(p.ReplyTo, "replyTo"), ReplyToSessionID: text(p.ReplyToSessionID, "replyToSessionId"), SessionID: text(p.SessionID, "sessionId"),
		To: text(p.To, "to"), ViaPartitionKey: text(p.ViaPartitionKey, "viaPartitionKey"),
	}
	if p.TimeToLive != 0 {
		brokered.TimeToLive = Lasting(p.TimeToLive)
	}
	if p.ScheduledEnqueue != "" {
		if at, err := parseTime(string(p.ScheduledEnqueue)); err == nil {
			brokered.ScheduledEnqueueTimeUTC = At(at)
		} else {
			e.lose(member+".scheduledEnqueueTimeUtc", "%s is no fixed time: it is left out", p.ScheduledEnqueue)
		}
	}
	if brokered != (BrokeredProperties{}) {
		out.Brokered = &brokered
	}
	return out
}
