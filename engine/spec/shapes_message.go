package spec

import "regexp"

// propertyPattern is the name of a message's own property: what every transport and every consumer can carry.
var propertyPattern = regexp.MustCompile(`^[!-~]([ -~]{0,253}[!-~])?$`)

// queueMessageShape is Azure's `queueMessage`.
var queueMessageShape = newShape("queueMessage", "A message for an Azure storage queue.",
	field{name: "storageAccount", typ: nonEmptyText, required: true, doc: "The storage account."},
	field{name: "queueName", typ: nonEmptyText, required: true, doc: "The queue."},
	field{name: "sasToken", typ: nonEmptyText, required: true, doc: "A shared access signature that allows to add; take it from ${{ secrets.X }}."},
	field{name: "message", typ: textType, required: true, doc: "The message; it may be empty."},
)

// busQueueShape and busTopicShape are Azure's `serviceBusQueueMessage` and `serviceBusTopicMessage`.
var (
	busQueueShape = newShape("serviceBusQueueMessage", "A message for an Azure Service Bus queue.",
		busFields(field{name: "queueName", typ: nonEmptyText, required: true, doc: "The queue."})...)
	busTopicShape = newShape("serviceBusTopicMessage", "A message for an Azure Service Bus topic.",
		busFields(field{name: "topicPath", typ: nonEmptyText, required: true, doc: "The topic."})...)
)

func busFields(entity field) []field {
	return []field{
		entity,
		{name: "namespace", typ: nonEmptyText, required: true, doc: "The namespace, without its domain."},
		{name: "transportType", typ: &typ{kind: wordKind, fold: true, words: []string{"netMessaging", "AMQP", "NotSpecified"}}, doc: "How it is sent: by REST, or by AMQP 1.0.", def: "netMessaging"},
		{name: "authentication", typ: object(busAuthenticationShape), doc: "The shared access key."},
		{name: "message", typ: textType, doc: "The message.", def: "empty"},
		{name: "brokeredMessageProperties", typ: object(brokeredShape), doc: "What the Service Bus itself reads of the message."},
		{name: "customMessageProperties", typ: mapOf(propertyPattern, textType), doc: "The message's own properties."},
	}
}

var busAuthenticationShape = newShape("serviceBusAuthentication", "The shared access key of a Service Bus queue, topic or namespace.",
	field{name: "type", typ: &typ{kind: wordKind, fold: true, words: []string{"sharedAccessKey", "NotSpecified"}}, required: true, doc: "sharedAccessKey."},
	field{name: "sasKeyName", typ: textType, doc: "The key's name."},
	field{name: "sasKey", typ: textType, doc: "The key; take it from ${{ secrets.X }}."},
)

var brokeredShape = newShape("brokeredMessageProperties", "What the Service Bus itself reads of a message.",
	field{name: "contentType", typ: textType, doc: "Media type of the message."},
	field{name: "correlationId", typ: textType, doc: "Id that ties messages together."},
	field{name: "forcePersistence", typ: flagType, doc: "Written to disk before it is confirmed.", def: "false"},
	field{name: "label", typ: textType, doc: "What the message is about."},
	field{name: "messageId", typ: textType, doc: "Id by which the Service Bus finds duplicates."},
	field{name: "partitionKey", typ: textType, doc: "Key of the partition."},
	field{name: "replyTo", typ: textType, doc: "Where an answer goes."},
	field{name: "replyToSessionId", typ: textType, doc: "Session of the answer."},
	field{name: "scheduledEnqueueTimeUtc", typ: nonEmptyText, doc: "The message is hidden until then; ISO 8601, in UTC where it has no offset."},
	field{name: "sessionId", typ: textType, doc: "Session of the message."},
	field{name: "timeToLive", typ: &typ{kind: durationKind, pattern: retryIntervalPattern, what: eitherDuration}, doc: "The message is dropped after it."},
	field{name: "to", typ: textType, doc: "The receiver."},
	field{name: "viaPartitionKey", typ: textType, doc: "Partition of the queue that forwards it."},
)

// authenticationShape is Azure's authentication of a request, with the members that only its answers have.
var authenticationShape = newShape("authentication", "HTTP authentication.",
	field{name: "type", typ: authenticationTypes, required: true, doc: "Basic, ClientCertificate or ActiveDirectoryOAuth."},
	field{name: "username", typ: textType, doc: "Basic: the user."},
	field{name: "password", typ: textType, doc: "Basic: the password; ClientCertificate: that of the pfx. Take it from ${{ secrets.X }}."},
	field{name: "pfx", typ: textType, doc: "ClientCertificate: certificate and key, PKCS #12 in base64; take it from ${{ secrets.X }}."},
	field{name: "tenant", typ: textType, doc: "ActiveDirectoryOAuth: the tenant."},
	field{name: "audience", typ: textType, doc: "ActiveDirectoryOAuth: what the token is for."},
	field{name: "clientId", typ: textType, doc: "ActiveDirectoryOAuth: the client."},
	field{name: "secret", typ: textType, doc: "ActiveDirectoryOAuth: the client's secret; take it from ${{ secrets.X }}."},
	field{name: "certificateThumbprint", typ: textType, doc: "Ignored with a note: it is in the pfx."},
	field{name: "certificateSubjectName", typ: textType, doc: "Ignored with a note: it is in the pfx."},
	field{name: "certificateExpiration", typ: textType, doc: "Ignored with a note: it is in the pfx."},
	field{name: "certificateExpirationDate", typ: textType, doc: "Ignored with a note: it is in the pfx."},
)

// The types of authentication.
const (
	typeBasic       = "Basic"
	typeCertificate = "ClientCertificate"
	typeOAuth       = "ActiveDirectoryOAuth"
	typeNone        = "NotSpecified"
	typeSharedKey   = "sharedAccessKey"
)

var authenticationTypes = &typ{kind: wordKind, fold: true, words: []string{typeBasic, typeCertificate, typeOAuth, typeNone}}
