package spec

import "regexp"

// actionTypes are the types of definition.md, Job: what.
var actionTypes = &typ{kind: wordKind, fold: true, words: []string{"shell", "http", "https", "storageQueue", "serviceBusQueue", "serviceBusTopic", "sql", "wait", "job", "none"}}

// actionFields are what an action, a step and an error action have in common.
var actionFields = append([]field{
	{name: "type", typ: actionTypes, required: true, doc: "What kind of action."},
	{name: "command", typ: nonEmptyText, doc: "shell: run by /bin/sh -c."},
	{name: "script", typ: nonEmptyText, doc: "shell: a script file beside the workflow, instead of command."},
	{name: "args", typ: items(textType), doc: "shell: become \"$@\"; sql: bound to the statement's placeholders."},
	{name: "env", typ: envType, doc: "shell: environment variables."},
	{name: "dir", typ: nonEmptyText, doc: "shell: working directory.", def: "the workflow's folder"},
	{name: "outputs", typ: outputsType, doc: "shell: names that the step writes to the file $ALMANAC_OUTPUT as lines name=value; http: a JSON pointer into the answer for each name. References to others are refused."},
	{name: "request", typ: object(requestShape), doc: "http, https: the request."},
	{name: "expect", typ: items(integer(100, 599)), doc: "http, https: the statuses that are success.", def: "every 2xx"},
	{name: "queueMessage", typ: object(queueMessageShape), doc: "storageQueue: the message."},
	{name: "serviceBusQueueMessage", typ: object(busQueueShape), doc: "serviceBusQueue: the message."},
	{name: "serviceBusTopicMessage", typ: object(busTopicShape), doc: "serviceBusTopic: the message."},
	{name: "queueUri", typ: nonEmptyText, doc: "storageQueue: the queue's address in the place of account and queue, for private endpoints and emulators."},
}, powerFields...)

func withActionFields(more ...field) []field {
	return append(append([]field{}, actionFields...), more...)
}

var (
	retryField   = field{name: "retryPolicy", typ: object(retryShape), doc: "When a failed attempt is repeated."}
	timeoutField = field{name: "timeout", typ: durationType, doc: "Bound of one attempt.", def: "the job's, else none, for Azure's types PT60S"}
)

var actionShape = newShape("action", "What one attempt carries out.", withActionFields(retryField,
	field{name: "errorAction", typ: object(errorActionShape), doc: "Run when the action has failed for good."})...)

var errorActionShape = newShape("errorAction", "An action that is run when the job has failed for good; the job's retryPolicy holds for it unless it has its own.",
	withActionFields(retryField, timeoutField)...)

var stepShape = newShape("step", "One action of a job, released when the steps that it needs have ended well.", withActionFields(
	field{name: "needs", typ: items(stepNameType), doc: "Steps that must have ended well before."},
	field{name: "when", typ: nonEmptyText, doc: "A condition; the step is skipped where it is false."},
	fanFields[0], fanFields[1],
	retryField, timeoutField,
	field{name: "onFailure", typ: words("fail", "continue", "pause", "failSuccessors"), doc: "What its failure means for the instance.", def: "fail"},
)...)

// eitherDuration says what Azure takes as a length of time.
const eitherDuration = "a length of time such as 30s or PT30S, or a .NET time span such as 00:01:00"

var retryShape = newShape("retryPolicy", "How often and how far apart a failed attempt is repeated.",
	field{name: "retryType", typ: &typ{kind: wordKind, fold: true, words: []string{"none", "fixed", "exponential"}}, required: true, doc: "The spacing."},
	field{name: "retryInterval", typ: &typ{kind: durationKind, pattern: retryIntervalPattern, what: eitherDuration},
		doc: "Between two attempts, at most 18 months.", def: "PT30S"},
	field{name: "retryCount", typ: integer(0, 20), doc: "Attempts after the first.", def: "4"},
	field{name: "on", typ: items(integer(0, 599)), doc: "Exit codes or HTTP statuses that are worth another attempt.", def: "all"},
)

var requestShape = newShape("request", "An HTTP request.",
	field{name: "method", typ: &typ{kind: textKind, pattern: regexp.MustCompile(`^[A-Za-z][A-Za-z-]{0,31}$`), what: "an HTTP method such as GET or POST"}, required: true, doc: "The method."},
	field{name: "uri", typ: nonEmptyText, required: true, doc: "The address, http or https."},
	field{name: "headers", typ: mapOf(headerPattern, textType), doc: "Header fields."},
	field{name: "body", typ: textType, doc: "The body."},
	field{name: "authentication", typ: object(authenticationShape), doc: "How the request proves who sends it."},
)

// azureJobShape is a pasted Azure job: its properties, with their null, {} and [].
var azureJobShape = newShape("azureJob", "The properties of an Azure Scheduler job; null, {} and [] count as absent.",
	field{name: "startTime", typ: instantType, doc: "Anchor and lower bound of the schedule."},
	field{name: "action", typ: object(actionShape), required: true, doc: "What the job does."},
	field{name: "recurrence", typ: object(recurrenceShape), doc: "A rule that counts in periods."},
	field{name: "state", typ: &typ{kind: wordKind, fold: true, words: []string{"enabled", "disabled", "completed", "faulted"}}, doc: "State of the job.", def: "enabled"},
	field{name: "status", typ: &typ{kind: anyKind}, doc: "Ignored with a note: it belongs to the service."},
)

// azureResourceShape is the same as a resource: properties, with what names it.
var azureResourceShape = newShape("azureResource", "An Azure Scheduler job as a resource.",
	field{name: "properties", typ: object(azureJobShape), required: true, doc: "The job."},
	field{name: "id", typ: textType, doc: "Ignored with a note."},
	field{name: "type", typ: textType, doc: "Ignored with a note."},
	field{name: "name", typ: textType, doc: "Ignored with a note: the job's name is its key."},
)

// azureActionTypes and azureActionMembers recognise a pasted Azure job without `properties`.
var (
	azureActionTypes   = []string{"http", "https", "storageQueue", "serviceBusQueue", "serviceBusTopic"}
	azureActionMembers = []string{"type", "request", "queueMessage", "serviceBusQueueMessage", "serviceBusTopicMessage", "retryPolicy", "errorAction"}
)
