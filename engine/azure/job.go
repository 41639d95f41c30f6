package azure

import "time"

// The types of the resources, as their `type` member says.
const (
	CollectionType = "Microsoft.Scheduler/jobCollections"
	JobType        = "Microsoft.Scheduler/jobCollections/jobs"
)

// A Job is a job as the service shows it.
type Job struct {
	ID         string      `json:"id,omitempty"`
	Type       string      `json:"type,omitempty"`
	Name       string      `json:"name,omitempty"` // collection/job
	Properties *Properties `json:"properties,omitempty"`
}

// JobName is the `name` member of a job: the collection's name, a slash, the job's.
func JobName(collection, job string) string { return collection + "/" + job }

// Properties are what a job is (`azure-scheduler.md` §3). Words have the letters that the service printed; a member that is absent is nil,
// zero or empty.
type Properties struct {
	StartTime  *Time       `json:"startTime,omitempty"`
	Action     *Action     `json:"action,omitempty"`
	Recurrence *Recurrence `json:"recurrence,omitempty"`
	State      string      `json:"state,omitempty"`
	Status     *Status     `json:"status,omitempty"`
}

// The states of a job. Completed and faulted are the service's to give, and final.
const (
	StateEnabled   = "enabled"
	StateDisabled  = "disabled"
	StateCompleted = "completed"
	StateFaulted   = "faulted"
)

// The types of an action.
const (
	ActionHTTP            = "Http"
	ActionHTTPS           = "Https"
	ActionStorageQueue    = "StorageQueue"
	ActionServiceBusQueue = "ServiceBusQueue"
	ActionServiceBusTopic = "ServiceBusTopic"
)

// An Action is what an occurrence does, or what is done when it has failed for good.
type Action struct {
	Type                   string             `json:"type"`
	Request                *Request           `json:"request,omitempty"`
	QueueMessage           *QueueMessage      `json:"queueMessage,omitempty"`
	ServiceBusQueueMessage *ServiceBusMessage `json:"serviceBusQueueMessage,omitempty"`
	ServiceBusTopicMessage *ServiceBusMessage `json:"serviceBusTopicMessage,omitempty"`
	RetryPolicy            *RetryPolicy       `json:"retryPolicy,omitempty"`
	ErrorAction            *Action            `json:"errorAction,omitempty"` // never of an error action
}

// A Request is what an HTTP action sends.
type Request struct {
	URI            string            `json:"uri"`
	Method         string            `json:"method"`
	Headers        map[string]string `json:"headers,omitempty"`
	Body           string            `json:"body,omitempty"`
	Authentication *Authentication   `json:"authentication,omitempty"`
}

// The types of HTTP authentication.
const (
	AuthCertificate = "ClientCertificate"
	AuthBasic       = "Basic"
	AuthOAuth       = "ActiveDirectoryOAuth"
)

// Authentication says how a request proves who sends it. Password, PFX and Secret are secrets: they come in and never go out.
type Authentication struct {
	Type     string `json:"type"`
	Username string `json:"username,omitempty"` // Basic
	Password string `json:"password,omitempty"` // Basic, and of the PFX
	PFX      string `json:"pfx,omitempty"`      // ClientCertificate: PKCS #12 in base64
	Tenant   string `json:"tenant,omitempty"`   // ActiveDirectoryOAuth, with the next three
	Audience string `json:"audience,omitempty"`
	ClientID string `json:"clientId,omitempty"`
	Secret   string `json:"secret,omitempty"`

	// What an answer shows of a certificate. The service's documents name the expiry in two ways, so it is shown under both.
	CertificateThumbprint     string `json:"certificateThumbprint,omitempty"`
	CertificateSubjectName    string `json:"certificateSubjectName,omitempty"`
	CertificateExpiration     *Time  `json:"certificateExpiration,omitempty"`
	CertificateExpirationDate *Time  `json:"certificateExpirationDate,omitempty"`
}

// A QueueMessage is what an action of type StorageQueue puts. SASToken is a secret.
type QueueMessage struct {
	StorageAccount string `json:"storageAccount"`
	QueueName      string `json:"queueName"`
	SASToken       string `json:"sasToken,omitempty"`
	Message        string `json:"message"`
}

// The transports of a Service Bus message.
const (
	TransportNetMessaging = "netMessaging"
	TransportAMQP         = "AMQP"
)

// SharedAccessKey is the one type of Service Bus authentication.
const SharedAccessKey = "sharedAccessKey"

// A ServiceBusMessage is what an action of type ServiceBusQueue or ServiceBusTopic sends; it has a queue's name or a topic's path.
type ServiceBusMessage struct {
	QueueName      string                    `json:"queueName,omitempty"`
	TopicPath      string                    `json:"topicPath,omitempty"`
	Namespace      string                    `json:"namespace"`
	TransportType  string                    `json:"transportType,omitempty"`
	Authentication *ServiceBusAuthentication `json:"authentication,omitempty"`
	Message        string                    `json:"message"`
	Brokered       *BrokeredProperties       `json:"brokeredMessageProperties,omitempty"`
	Custom         map[string]string         `json:"customMessageProperties,omitempty"`
}

// ServiceBusAuthentication is a shared access key. SASKey is a secret.
type ServiceBusAuthentication struct {
	SASKey     string `json:"sasKey,omitempty"`
	SASKeyName string `json:"sasKeyName,omitempty"`
	Type       string `json:"type,omitempty"`
}

// BrokeredProperties are what the Service Bus itself reads of a message.
type BrokeredProperties struct {
	ContentType             string    `json:"contentType,omitempty"`
	CorrelationID           string    `json:"correlationId,omitempty"`
	ForcePersistence        bool      `json:"forcePersistence,omitempty"`
	Label                   string    `json:"label,omitempty"`
	MessageID               string    `json:"messageId,omitempty"`
	PartitionKey            string    `json:"partitionKey,omitempty"`
	ReplyTo                 string    `json:"replyTo,omitempty"`
	ReplyToSessionID        string    `json:"replyToSessionId,omitempty"`
	ScheduledEnqueueTimeUTC *Time     `json:"scheduledEnqueueTimeUtc,omitempty"`
	SessionID               string    `json:"sessionId,omitempty"`
	TimeToLive              *Duration `json:"timeToLive,omitempty"`
	To                      string    `json:"to,omitempty"`
	ViaPartitionKey         string    `json:"viaPartitionKey,omitempty"`
}

// The types of a retry policy.
const (
	RetryNone  = "none"
	RetryFixed = "fixed"
)

// A RetryPolicy says how often and how far apart a failed attempt is repeated. Without an interval it is 30 seconds, without a count 4.
type RetryPolicy struct {
	RetryType     string    `json:"retryType"`
	RetryInterval *Duration `json:"retryInterval,omitempty"`
	RetryCount    *int      `json:"retryCount,omitempty"`
}

// A Recurrence says when a job is due again and again.
type Recurrence struct {
	Frequency string    `json:"frequency"`
	Count     int       `json:"count,omitempty"`
	EndTime   *Time     `json:"endTime,omitempty"`
	Interval  int       `json:"interval"` // at least 1
	Schedule  *Schedule `json:"schedule,omitempty"`
}

// A Schedule narrows or widens the times of a recurrence.
type Schedule struct {
	Minutes            []int               `json:"minutes,omitempty"`
	Hours              []int               `json:"hours,omitempty"`
	WeekDays           []string            `json:"weekDays,omitempty"`
	MonthDays          []int               `json:"monthDays,omitempty"`
	MonthlyOccurrences []MonthlyOccurrence `json:"monthlyOccurrences,omitempty"`
}

// A MonthlyOccurrence is a weekday counted within its month; without an Occurrence it is every such day.
type MonthlyOccurrence struct {
	Day        string `json:"day"`
	Occurrence int    `json:"Occurrence,omitempty"` // the capital letter is the service's own
}

// A Status is what the service tells of a job's past and future. Nobody sets it.
type Status struct {
	LastExecutionTime *Time `json:"lastExecutionTime,omitempty"`
	NextExecutionTime *Time `json:"nextExecutionTime,omitempty"`
	ExecutionCount    int   `json:"executionCount"`
	FailureCount      int   `json:"failureCount"`
	FaultedCount      int   `json:"faultedCount"`
}

// A Time is an instant, printed in UTC with the fraction that it has, at most seven digits.
type Time struct{ time.Time }

// At is the Time of an instant.
func At(t time.Time) *Time { return &Time{t.UTC().Truncate(100 * time.Nanosecond)} }

// MarshalText writes the instant as 2012-08-04T00:00:00Z.
func (t Time) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// String is what MarshalText writes.
func (t Time) String() string { return t.UTC().Format("2006-01-02T15:04:05.9999999Z07:00") }

// A Duration is a length of time with the text that the client wrote: clients read only the form that they write.
type Duration struct {
	Text   string
	Length time.Duration
}

// MarshalText writes the text.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.Text), nil }
