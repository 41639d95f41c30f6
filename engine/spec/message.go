package spec

import (
	"regexp"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// labelPattern is a name that becomes part of a host name: a storage account or a namespace.
var labelPattern = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`)

// The members that hold the message of each type.
var messageMembers = map[string]string{
	engine.ActionStorageQueue:    "queueMessage",
	engine.ActionServiceBusQueue: "serviceBusQueueMessage",
	engine.ActionServiceBusTopic: "serviceBusTopicMessage",
}

// message returns the object that an action of the type must have, nil when there is none to be read.
func (d *decoder) message(v *value, label, kind string) *value {
	member := messageMembers[kind]
	m := v.field(member)
	if m == nil && !v.bad {
		d.fail(v, "write "+member+": {...}", "%s is of type %s and has no %s", label, kind, member)
	}
	if m == nil || m.fields == nil {
		return nil
	}
	return m
}

func (d *decoder) storageQueue(v *value, s *textScope, label, kind string) *engine.StorageQueue {
	m := d.message(v, label, kind)
	if m == nil {
		return &engine.StorageQueue{}
	}
	d.hostLabel(m.field("storageAccount"))
	d.address(v.field("queueUri"), "https://host/queue")
	return &engine.StorageQueue{Account: s.text(m.field("storageAccount")), Queue: s.text(m.field("queueName")), SAS: s.secret(m, "sasToken"), Message: s.text(m.field("message")),
		URI: s.text(v.field("queueUri"))}
}

func (d *decoder) serviceBus(v *value, s *textScope, label, kind string) *engine.ServiceBus {
	m := d.message(v, label, kind)
	if m == nil {
		return &engine.ServiceBus{}
	}
	d.hostLabel(m.field("namespace"))
	entity := m.field("queueName")
	if kind == engine.ActionServiceBusTopic {
		entity = m.field("topicPath")
	}
	b := &engine.ServiceBus{Namespace: s.text(m.field("namespace")), Entity: s.text(entity), Transport: engine.BusNetMessaging, Message: s.text(m.field("message"))}
	if m.field("transportType").str() == string(engine.BusAMQP) {
		b.Transport = engine.BusAMQP
	}
	if auth := m.field("authentication"); auth.field("type").str() == typeSharedKey {
		if name := auth.field("sasKeyName"); auth.ok() && name.str() == "" {
			d.fail(auth, "", "authentication of type %s has no sasKeyName", typeSharedKey)
		}
		b.KeyName, b.Key = s.text(auth.field("sasKeyName")), s.secret(auth, "sasKey")
		d.lacks(auth, "sasKey", "no message can be sent")
	}
	d.brokered(m.field("brokeredMessageProperties"), s, &b.Brokered)
	b.Custom = s.texts(fieldsOf(m.field("customMessageProperties")), "customMessageProperties")
	return b
}

// hostLabel refuses a name that can be no part of a host name; one with a substitution is known only when it is rendered.
func (d *decoder) hostLabel(v *value) {
	if v.ok() && !strings.Contains(v.text, "${{") && !matches(labelPattern, v.text) {
		d.fail(v, "write it without its domain", "%s is %s; allowed is a name of letters, digits and -, at most 63", v.name, quoteShort(v.text))
	}
}

func (d *decoder) brokered(v *value, s *textScope, p *engine.BrokeredProperties) {
	for member, text := range brokeredTexts(p) {
		if m := v.field(member); m != nil {
			*text = s.text(m)
		}
	}
	if at := v.field("scheduledEnqueueTimeUtc"); at.ok() && !strings.Contains(at.text, "${{") {
		t, err := time.Time{}, error(nil)
		if matches(instantPattern, at.text) {
			t, err = parseInstant(at.text, time.UTC)
		}
		if err != nil || t.IsZero() {
			d.fail(at, "write 2026-10-01T02:00:00Z", "scheduledEnqueueTimeUtc is %s; allowed is %s", quoteShort(at.text), instantType.allowed())
		}
		p.ScheduledEnqueue = engine.Text(formatTime(t))
	}
	if alive := v.field("timeToLive"); alive.ok() {
		length, err := parseDuration(alive.text, true)
		switch {
		case err != nil:
			d.fail(alive, "", "timeToLive is %s: %s", quoteShort(alive.text), err)
		case length == 0:
			d.fail(alive, "leave it out for the queue's own", "timeToLive is no time at all")
		}
		p.TimeToLive = length
	}
	p.ForcePersistence = v.field("forcePersistence").flag()
}

// brokeredTexts are the texts among the brokered properties, by their members.
func brokeredTexts(p *engine.BrokeredProperties) map[string]*engine.Text {
	return map[string]*engine.Text{
		"contentType": &p.ContentType, "correlationId": &p.CorrelationID, "label": &p.Label, "messageId": &p.MessageID, "partitionKey": &p.PartitionKey,
		"replyTo": &p.ReplyTo, "replyToSessionId": &p.ReplyToSessionID, "sessionId": &p.SessionID, "to": &p.To, "viaPartitionKey": &p.ViaPartitionKey,
		"scheduledEnqueueTimeUtc": &p.ScheduledEnqueue,
	}
}

// queueMembers writes the message of a storage queue.
func queueMembers(q *engine.StorageQueue) members {
	return members{"storageAccount": q.Account, "queueName": q.Queue, "sasToken": q.SAS, "message": q.Message}
}

// busMembers writes the message of a Service Bus queue or topic.
func busMembers(b *engine.ServiceBus, kind string) members {
	m := members{"namespace": b.Namespace}
	if kind == engine.ActionServiceBusTopic {
		m["topicPath"] = b.Entity
	} else {
		m["queueName"] = b.Entity
	}
	put(m, "transportType", b.Transport, engine.BusNetMessaging)
	put(m, "message", b.Message, "")
	if b.KeyName != "" {
		auth := members{"type": typeSharedKey, "sasKeyName": b.KeyName}
		put(auth, "sasKey", b.Key, "")
		m["authentication"] = auth
	}
	p := members{}
	for member, text := range brokeredTexts(&b.Brokered) {
		put(p, member, *text, "")
	}
	putDuration(p, "timeToLive", b.Brokered.TimeToLive, 0)
	put(p, "forcePersistence", b.Brokered.ForcePersistence, false)
	if len(p) > 0 {
		m["brokeredMessageProperties"] = p
	}
	if len(b.Custom) > 0 {
		m["customMessageProperties"] = b.Custom
	}
	return m
}

// authenticationMembers writes how a request proves who sends it, nil when it does not.
func authenticationMembers(h *engine.HTTP) members {
	switch {
	case h.Basic != nil:
		return members{"type": typeBasic, "username": h.Basic.Username, "password": h.Basic.Password}
	case h.Certificate != nil:
		m := members{"type": typeCertificate}
		put(m, "pfx", h.Certificate.PFX, "")
		put(m, "password", h.Certificate.Password, "")
		return m
	case h.OAuth != nil:
		m := members{"type": typeOAuth, "tenant": h.OAuth.Tenant, "audience": h.OAuth.Audience, "clientId": h.OAuth.ClientID}
		put(m, "secret", h.OAuth.Secret, "")
		return m
	}
	return nil
}
