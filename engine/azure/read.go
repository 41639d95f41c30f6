package azure

import (
	"bytes"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A Document is a job as a client sent it: what it says, and where it says it.
type Document struct {
	Job
	chars   int               // of the properties, without the blanks between them
	written map[string]string // see reader
}

// ReadJob reads the body of a PUT, or a stored job: strict JSON, an object with `properties`. What can be said about it without the
// clock and the collection is judged here.
func ReadJob(body []byte) (*Document, Mistakes) {
	root, err := parse(body)
	if err != nil {
		return nil, Mistakes{{Message: "The request content is invalid: " + err.Error() + "."}}
	}
	return readJob(root, "")
}

// ReadSent is ReadJob of what a client has just sent. Where its form is wrong, it is held to the limits
// all the same, those of its collection's plan apart, so that each member that is wrong is named.
func ReadSent(body []byte, now time.Time) (*Document, Mistakes) {
	root, err := parse(body)
	if err != nil {
		return nil, Mistakes{{Message: "The request content is invalid: " + err.Error() + "."}}
	}
	return readJobFor(root, "", &Target{Limits: &Limits{Now: now}})
}

// ReadProperties reads the properties of a job by themselves, as they are pasted.
func ReadProperties(text []byte) (*Document, Mistakes) {
	root, err := parse(text)
	if err != nil {
		return nil, Mistakes{{Message: "The content is invalid: " + err.Error() + "."}}
	}
	return readBare(root, "")
}

// readBare reads properties that stand where the job would.
func readBare(root *node, path string) (*Document, Mistakes) {
	const at = "properties"
	r := &reader{written: map[string]string{at: path}}
	d := &Document{written: r.written}
	d.measure(root)
	d.Properties = r.properties(field{root, path, at})
	if len(r.mistakes) > 0 {
		return nil, d.rest(r.mistakes, &Target{Import: true})
	}
	return d, nil
}

// measure keeps the size of the properties.
func (d *Document) measure(properties *node) {
	var compact bytes.Buffer
	properties.write(&compact)
	d.chars = utf8.RuneCount(compact.Bytes())
}

func readJob(root *node, path string) (*Document, Mistakes) {
	return readJobFor(root, path, &Target{Import: true})
}

// readJobFor reads a job for a target, by which the rest of it is judged where its form is wrong.
func readJobFor(root *node, path string, t *Target) (*Document, Mistakes) {
	r := &reader{written: map[string]string{}}
	f := field{root, path, ""}
	m := r.object(f, jobShape)
	d := &Document{written: r.written}
	d.ID, d.Type, d.Name = r.text(m["id"]), r.text(m["type"]), r.text(m["name"])
	if properties := r.need(m, f, "properties"); properties.given() {
		d.Properties = r.properties(properties)
		d.measure(properties.node)
	}
	if len(r.mistakes) > 0 {
		return nil, d.rest(r.mistakes, t)
	}
	return d, nil
}

// rest adds to mistakes of form those that are found in what could be read, so that none hides another.
// What is named already, or holds or is part of such a member, is not named again.
func (d *Document) rest(found Mistakes, t *Target) Mistakes {
	if d.Properties == nil {
		return found
	}
	if d.Properties.Action == nil {
		d.Properties.Action = &Action{}
	}
	_, _, more := d.prepare(*t)
	within := func(path, of string) bool {
		rest, ok := strings.CutPrefix(path, of)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	}
	form := found
	for _, m := range more {
		if m.Path == "" || !slices.ContainsFunc(form, func(known Mistake) bool {
			return within(m.Path, known.Path) || within(known.Path, m.Path)
		}) {
			found = append(found, m)
		}
	}
	return found
}

// at is the path of a member as the client wrote it.
func (d *Document) at(path string) string {
	for known := path; known != ""; {
		if written, ok := d.written[known]; ok {
			return strings.TrimPrefix(written+path[len(known):], ".")
		}
		i := strings.LastIndexAny(known, ".[")
		if i < 0 {
			break
		}
		known = known[:i]
	}
	return path
}

func (r *reader) properties(f field) *Properties {
	m := r.object(f, propertiesShape)
	p := &Properties{StartTime: r.time(m["startTime"]), State: StateEnabled}
	if state := r.word(m["state"], StateEnabled, StateDisabled, StateCompleted, StateFaulted); state != "" {
		p.State = state
	}
	if action := r.need(m, f, "action"); action.given() {
		p.Action = r.action(action, actionShape)
	}
	p.Recurrence = r.recurrence(m["recurrence"])
	p.Status = r.status(m["status"])
	return p
}

// status reads what the service tells of a job. Nobody sets it, so that nothing in it can be a mistake.
func (*reader) status(f field) *Status {
	r := &reader{written: map[string]string{}}
	m := r.object(f, statusShape)
	if m == nil {
		return nil
	}
	s := &Status{LastExecutionTime: r.time(m["lastExecutionTime"]), NextExecutionTime: r.time(m["nextExecutionTime"])}
	s.ExecutionCount, _ = r.integer(m["executionCount"], 0, maxCount)
	s.FailureCount, _ = r.integer(m["failureCount"], 0, maxCount)
	s.FaultedCount, _ = r.integer(m["faultedCount"], 0, maxCount)
	return s
}

// maxCount is the largest number that the service's clients can hold.
const maxCount = 1<<31 - 1

// action reads an action and, of the members that belong to a type, those of its own: the others may be left from another type by a PATCH.
func (r *reader) action(f field, s *shape) *Action {
	m := r.object(f, s)
	if m == nil {
		return nil
	}
	a := &Action{Type: r.word(r.need(m, f, "type"), ActionHTTP, ActionHTTPS, ActionStorageQueue, ActionServiceBusQueue, ActionServiceBusTopic)}
	switch a.Type {
	case ActionHTTP, ActionHTTPS:
		a.Request = r.request(r.need(m, f, "request"))
	case ActionStorageQueue:
		a.QueueMessage = r.queueMessage(r.need(m, f, "queueMessage"))
	case ActionServiceBusQueue:
		a.ServiceBusQueueMessage = r.busMessage(r.need(m, f, "serviceBusQueueMessage"), busQueueShape)
	case ActionServiceBusTopic:
		a.ServiceBusTopicMessage = r.busMessage(r.need(m, f, "serviceBusTopicMessage"), busTopicShape)
	}
	a.RetryPolicy = r.retryPolicy(m["retryPolicy"])
	if e := m["errorAction"]; e.given() {
		a.ErrorAction = r.action(e, errorActionShape)
	}
	return a
}

var (
	methodForm = regexp.MustCompile(`^[A-Za-z][A-Za-z-]{0,31}$`)
	// propertyForm is a name that every transport of a message can carry.
	propertyForm = regexp.MustCompile(`^[!-~]([ -~]{0,253}[!-~])?$`)
	headerForm   = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,255}$")
)

func (r *reader) request(f field) *Request {
	m := r.object(f, requestShape)
	if m == nil {
		return nil
	}
	q := &Request{URI: r.needText(m, f, "uri"), Method: r.needText(m, f, "method"), Body: r.text(m["body"])}
	if q.Method != "" && !methodForm.MatchString(q.Method) {
		r.fail(m["method"], "The method %s is not valid; it must be an HTTP method such as GET or POST.", m["method"].shown())
	}
	if u, err := url.Parse(q.URI); q.URI != "" && (err != nil || !strings.EqualFold(u.Scheme, "http") && !strings.EqualFold(u.Scheme, "https") || u.Host == "") {
		r.fail(m["uri"], "The request URI %s is not valid; it must be an absolute URI with the scheme http or https.", m["uri"].shown())
	}
	q.Headers = r.texts(m["headers"], headersShape)
	for _, name := range slices.Sorted(maps.Keys(q.Headers)) {
		switch {
		case !headerForm.MatchString(name):
			r.mistakes.add(join(m["headers"].path, name), "The name of a header must consist of letters, digits and the characters ! # $ %% & ' * + . ^ _ ` | ~ -.")
		case strings.ContainsAny(q.Headers[name], "\r\n\x00"):
			r.mistakes.add(join(m["headers"].path, name), "The value of a header must be one line.")
		}
	}
	q.Authentication = r.authentication(m["authentication"])
	return q
}

func (r *reader) authentication(f field) *Authentication {
	m := r.object(f, authenticationShape)
	if m == nil {
		return nil
	}
	a := &Authentication{Type: r.word(r.need(m, f, "type"), AuthCertificate, AuthBasic, AuthOAuth, "NotSpecified")}
	switch a.Type {
	case AuthBasic:
		a.Username, a.Password = r.needText(m, f, "username"), r.text(m["password"])
	case AuthCertificate:
		a.PFX, a.Password = r.text(m["pfx"]), r.text(m["password"])
		a.CertificateThumbprint, a.CertificateSubjectName = r.text(m["certificateThumbprint"]), r.text(m["certificateSubjectName"])
		a.CertificateExpiration, a.CertificateExpirationDate = r.time(m["certificateExpiration"]), r.time(m["certificateExpirationDate"])
	case AuthOAuth:
		a.Tenant, a.Audience, a.ClientID, a.Secret = r.needText(m, f, "tenant"), r.needText(m, f, "audience"), r.needText(m, f, "clientId"), r.text(m["secret"])
	default:
		return nil
	}
	return a
}

// labelForm is a name that becomes part of a host name.
var labelForm = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`)

// label reads the name of a storage account or a namespace.
func (r *reader) label(m members, f field, name string) string {
	text := r.needText(m, f, name)
	if text != "" && !labelForm.MatchString(text) {
		r.fail(m[name], "The value %s is not valid; it must be a name of at most 63 letters, digits and -, without a domain.", m[name].shown())
	}
	return text
}

func (r *reader) queueMessage(f field) *QueueMessage {
	m := r.object(f, queueShape)
	if m == nil {
		return nil
	}
	return &QueueMessage{StorageAccount: r.label(m, f, "storageAccount"), QueueName: r.needText(m, f, "queueName"), SASToken: r.text(m["sasToken"]),
		Message: r.text(r.need(m, f, "message"))}
}

func (r *reader) busMessage(f field, s *shape) *ServiceBusMessage {
	m := r.object(f, s)
	if m == nil {
		return nil
	}
	b := &ServiceBusMessage{Namespace: r.label(m, f, "namespace"), TransportType: r.word(m["transportType"], TransportNetMessaging, TransportAMQP, "NotSpecified"),
		Message: r.text(m["message"])}
	if b.TransportType == "NotSpecified" {
		b.TransportType = ""
	}
	if s == busQueueShape {
		b.QueueName = r.needText(m, f, "queueName")
	} else {
		b.TopicPath = r.needText(m, f, "topicPath")
	}
	if auth := m["authentication"]; auth.given() {
		a := r.object(auth, busAuthShape)
		kind := r.word(a["type"], SharedAccessKey, "NotSpecified")
		b.Authentication = &ServiceBusAuthentication{SASKey: r.text(a["sasKey"]), SASKeyName: r.text(a["sasKeyName"]), Type: SharedAccessKey}
		if (kind == "NotSpecified" || kind == "") && b.Authentication.SASKeyName == "" && b.Authentication.SASKey == "" {
			b.Authentication = nil
		} else if b.Authentication.SASKeyName == "" {
			r.needText(a, auth, "sasKeyName")
		}
	}
	b.Brokered = r.brokered(m["brokeredMessageProperties"])
	b.Custom = r.texts(m["customMessageProperties"], customShape)
	for _, name := range slices.Sorted(maps.Keys(b.Custom)) {
		if !propertyForm.MatchString(name) {
			r.mistakes.add(join(m["customMessageProperties"].path, name), "The name of a message property must be at most 255 printable ASCII characters and not begin or end with a blank.")
		}
	}
	return b
}

func (r *reader) brokered(f field) *BrokeredProperties {
	m := r.object(f, brokeredShape)
	if m == nil {
		return nil
	}
	p := BrokeredProperties{
		ContentType: r.text(m["contentType"]), CorrelationID: r.text(m["correlationId"]), ForcePersistence: r.flag(m["forcePersistence"]), Label: r.text(m["label"]),
		MessageID: r.text(m["messageId"]), PartitionKey: r.text(m["partitionKey"]), ReplyTo: r.text(m["replyTo"]), ReplyToSessionID: r.text(m["replyToSessionId"]),
		ScheduledEnqueueTimeUTC: r.time(m["scheduledEnqueueTimeUtc"]), SessionID: r.text(m["sessionId"]), TimeToLive: r.duration(m["timeToLive"]),
		To: r.text(m["to"]), ViaPartitionKey: r.text(m["viaPartitionKey"]),
	}
	if p.TimeToLive != nil && p.TimeToLive.Length == 0 {
		r.fail(m["timeToLive"], "The time to live must be longer than nothing.")
	}
	if p == (BrokeredProperties{}) {
		return nil
	}
	return &p
}

func (r *reader) retryPolicy(f field) *RetryPolicy {
	m := r.object(f, retryShape)
	if len(m) == 0 {
		return nil
	}
	p := &RetryPolicy{RetryType: RetryFixed}
	if kind := m["retryType"]; kind.given() {
		p.RetryType = r.word(kind, RetryNone, RetryFixed)
	}
	p.RetryInterval = r.duration(m["retryInterval"])
	if p.RetryInterval != nil && p.RetryInterval.Length == 0 {
		r.fail(m["retryInterval"], "The retry interval must be longer than nothing.")
	}
	if p.RetryInterval != nil && p.RetryInterval.Length > longestRetry {
		r.fail(m["retryInterval"], "The retry interval %s is out of range; it must be at most 18 months.", m["retryInterval"].shown())
	}
	if n, ok := r.integer(m["retryCount"], 0, 20); ok {
		p.RetryCount = &n
	}
	return p
}
