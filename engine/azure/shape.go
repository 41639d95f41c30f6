package azure

import (
	"strings"
)

// A shape is an object of the service: the members that it has, in the service's spelling, and those that only a workflow file has. Reading
// and merging take their names from it.
type shape struct {
	members map[string]shapeMember // by the name in lower case
	native  []string               // what Almanac's files have beyond the service, refused by name
	fold    bool                   // an object of free names, which are equal in any case: headers
	free    bool                   // an object of free names
}

type shapeMember struct {
	name string
	of   *shape // nil: no object, or one that is not looked into
	list *shape // of the items of an array of objects
}

func newShape(native []string, members ...shapeMember) *shape {
	s := &shape{members: map[string]shapeMember{}, native: native}
	for _, m := range members {
		s.members[strings.ToLower(m.name)] = m
	}
	return s
}

// plain are members that are no objects.
func plain(names ...string) []shapeMember {
	list := make([]shapeMember, len(names))
	for i, name := range names {
		list[i] = shapeMember{name: name}
	}
	return list
}

func (s *shape) with(members ...shapeMember) *shape {
	for _, m := range members {
		s.members[strings.ToLower(m.name)] = m
	}
	return s
}

// alias reads another spelling as a member that is there.
func (s *shape) alias(other, name string) *shape {
	s.members[strings.ToLower(other)] = s.members[strings.ToLower(name)]
	return s
}

// name is the service's spelling of a member, false when it has no such member.
func (s *shape) name(written string) (shapeMember, bool) {
	if s.free {
		return shapeMember{name: written}, true
	}
	m, known := s.members[strings.ToLower(written)]
	return m, known
}

var (
	headersShape = &shape{free: true, fold: true}
	customShape  = &shape{free: true}

	authenticationShape = newShape(nil, plain("type", "username", "password", "pfx", "tenant", "audience", "clientId", "secret",
		"certificateThumbprint", "certificateSubjectName", "certificateExpiration", "certificateExpirationDate")...)
	requestShape = newShape(nil, plain("uri", "method", "body")...).
			with(shapeMember{name: "headers", of: headersShape}, shapeMember{name: "authentication", of: authenticationShape})
	queueShape     = newShape([]string{"queueUri"}, plain("storageAccount", "queueName", "sasToken", "message")...)
	busAuthShape   = newShape(nil, plain("sasKey", "sasKeyName", "type")...)
	brokeredShape  = newShape(nil, plain("contentType", "correlationId", "forcePersistence", "label", "messageId", "partitionKey", "replyTo", "replyToSessionId", "scheduledEnqueueTimeUtc", "sessionId", "timeToLive", "to", "viaPartitionKey")...)
	busQueueShape  = busShape("queueName")
	busTopicShape  = busShape("topicPath")
	retryShape     = newShape([]string{"on"}, plain("retryType", "retryInterval", "retryCount")...)
	nativeOfAction = []string{"command", "script", "args", "env", "dir", "outputs", "expect", "queueUri", "connection", "statement", "timeout", "interval", "http", "file", "sql", "job", "needs", "when", "onFailure"}

	errorActionShape = actionMembers(newShape(nativeOfAction))
	actionShape      = actionMembers(newShape(nativeOfAction)).with(shapeMember{name: "errorAction", of: errorActionShape})

	occurrenceShape = newShape(nil, plain("day", "Occurrence")...)
	scheduleShape   = newShape([]string{"workDays"}, plain("minutes", "hours", "weekDays", "monthDays")...).
			with(shapeMember{name: "monthlyOccurrences", list: occurrenceShape}).alias("minute", "minutes").alias("hour", "hours")
	recurrenceShape = newShape([]string{"cron", "at", "calendar", "dst"}, plain("frequency", "count", "endTime", "interval")...).
			with(shapeMember{name: "schedule", of: scheduleShape})
	statusShape = newShape(nil, plain("lastExecutionTime", "nextExecutionTime", "executionCount", "failureCount", "faultedCount")...)

	propertiesShape = newShape([]string{"description", "tags", "cron", "at", "trigger", "endTime", "timeZone", "dst", "calendar", "offCalendar", "period", "spread", "misfire",
		"misfireWindow", "dependsOn", "selfDependency", "concurrency", "overlap", "waitTimeout", "confirm", "steps", "errorAction", "retryPolicy",
		"timeout", "priority", "pool", "slots", "deadline", "onLost", "env", "params", "secrets", "runsOn", "notify"},
		plain("startTime", "state")...).
		with(shapeMember{name: "action", of: actionShape}, shapeMember{name: "recurrence", of: recurrenceShape}, shapeMember{name: "status", of: statusShape})

	jobShape = newShape(nil, plain("id", "type", "name")...).with(shapeMember{name: "properties", of: propertiesShape})
)

func busShape(entity string) *shape {
	return newShape(nil, plain(entity, "namespace", "transportType", "message")...).
		with(shapeMember{name: "authentication", of: busAuthShape}, shapeMember{name: "brokeredMessageProperties", of: brokeredShape},
			shapeMember{name: "customMessageProperties", of: customShape})
}

func actionMembers(s *shape) *shape {
	return s.with(plain("type")...).with(shapeMember{name: "request", of: requestShape}, shapeMember{name: "queueMessage", of: queueShape},
		shapeMember{name: "serviceBusQueueMessage", of: busQueueShape}, shapeMember{name: "serviceBusTopicMessage", of: busTopicShape},
		shapeMember{name: "retryPolicy", of: retryShape})
}
