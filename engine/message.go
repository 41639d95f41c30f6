package engine

import "time"

// StorageQueue puts one message on an Azure storage queue.
type StorageQueue struct {
	Account Text
	Queue   Text
	SAS     Text // a shared access signature that allows to add, with or without a leading "?"
	Message Text
	URI     Text // the queue's address in the place of account and queue, for private endpoints and emulators; "" is none
}

// ServiceBus sends one message to an Azure Service Bus queue or topic; the action's type says which of the two.
type ServiceBus struct {
	Namespace Text
	Entity    Text         // the queue's name or the topic's path
	Transport BusTransport // "" is BusNetMessaging
	KeyName   Text         // of the shared access key; "" sends without authentication
	Key       Text         // as it is written: the key's text is the key, whatever it looks like
	Message   Text
	Brokered  BrokeredProperties
	Custom    map[string]Text // the message's own properties
}

// BusTransport is how a message gets to the Service Bus.
type BusTransport string

// The transports of `azure-scheduler.md` §3.
const (
	BusNetMessaging BusTransport = "netMessaging" // by REST, since the protocol of that name is gone
	BusAMQP         BusTransport = "AMQP"         // AMQP 1.0
)

// BrokeredProperties are what the Service Bus itself reads of a message. What is empty is not sent.
type BrokeredProperties struct {
	ContentType      Text
	CorrelationID    Text
	Label            Text
	MessageID        Text
	PartitionKey     Text
	ReplyTo          Text
	ReplyToSessionID Text
	SessionID        Text
	To               Text
	ViaPartitionKey  Text
	ScheduledEnqueue Text // an ISO 8601 time, in UTC unless it has an offset; the message is hidden until then
	TimeToLive       time.Duration
	ForcePersistence bool
}
