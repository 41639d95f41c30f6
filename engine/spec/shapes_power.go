package spec

import "regexp"

// What the types sql, wait and job take, and what makes one step several runs.
var (
	numberPattern  = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,9})?$`)
	numberType     = &typ{kind: textKind, pattern: numberPattern, what: "a number"}
	secretNameType = &typ{kind: textKind, pattern: valueNamePattern, what: "the name of a secret: letters, digits and _"}
	pointerPattern = regexp.MustCompile(`^(/([^~/]|~[01])*)+$`)
	pointerType    = &typ{kind: textKind, pattern: pointerPattern, what: "a JSON pointer such as /data/0/id"}
	sourcePattern  = regexp.MustCompile("^((/([^~/]|~[01])*)+|[A-Za-z0-9][A-Za-z0-9-]{0,127})$")
	sourceType     = &typ{kind: textKind, pattern: sourcePattern, what: "a JSON pointer such as /data/id, or the name of a header"}

	// outputsType is a list of names, or for http a mapping of names to pointers.
	outputsType = &typ{kind: listKind, single: true, elem: outputNameType, orMap: mapOf(outputPattern, pointerType),
		what: "a list of names, or for http a mapping of names to JSON pointers"}

	triggerType = &typ{kind: objectKind, shape: triggerShape, short: words("manual"), what: "manual, or {webhook: {secret: NAME}}"}
)

var sqlFields = []field{
	{name: "connection", typ: secretNameType, required: true, doc: "The secret that holds the database's address."},
	{name: "statement", typ: nonEmptyText, required: true, doc: "The statement; only times and ids are put into it."},
	{name: "args", typ: items(textType), doc: "Bound to the statement's placeholders."},
}

var probeHTTPShape = newShape("probeHTTP", "A request that is sent until its answer is success.",
	field{name: "uri", typ: nonEmptyText, required: true, doc: "The address, http or https."},
	field{name: "method", typ: requestShape.index["method"].typ, doc: "The method.", def: "GET"},
	field{name: "headers", typ: mapOf(headerPattern, textType), doc: "Header fields."},
	field{name: "body", typ: textType, doc: "The body."},
	field{name: "authentication", typ: object(authenticationShape), doc: "How the request proves who sends it."},
	field{name: "expect", typ: items(integer(100, 599)), doc: "The statuses that are success.", def: "every 2xx"},
)

var probeFileShape = newShape("probeFile", "A file that must be there.",
	field{name: "path", typ: nonEmptyText, required: true, doc: "Below the workflow's folder."},
	field{name: "minAge", typ: durationType, doc: "Not written to for so long."},
	field{name: "minSize", typ: integer(0, 0), doc: "Bytes.", def: "0"},
)

var probeSQLShape = newShape("probeSQL", "A statement whose first row's first column must be true: neither NULL nor 0 nor false nor empty.", sqlFields...)

// powerFields are the members of the types sql, wait and job.
var powerFields = []field{
	{name: "connection", typ: secretNameType, doc: "sql: the secret that holds the database's address: postgres://, mysql:// or sqlite:PATH."},
	{name: "statement", typ: nonEmptyText, doc: "sql: one statement; only times and ids are put into it, everything else is bound by args."},
	{name: "interval", typ: durationType, doc: "wait: between two looks, at least PT1S.", def: "PT1M"},
	{name: "http", typ: object(probeHTTPShape), doc: "wait: until the answer is success."},
	{name: "file", typ: &typ{kind: objectKind, shape: probeFileShape, short: nonEmptyText}, doc: "wait: until the file is there."},
	{name: "sql", typ: object(probeSQLShape), doc: "wait: until the statement gives something that is true."},
	{name: "job", typ: referenceType, doc: "job: the job to start, as job or workflow/job."},
	{name: "planTime", typ: nonEmptyText, doc: "job: the plan time of its instance.", def: "the same"},
	{name: "params", typ: mapOf(valueNamePattern, textType), doc: "job: its parameters."},
	{name: "wait", typ: flagType, doc: "job: end when its instance does, and as it does.", def: "true"},
}

// fanFields are the members of a step that runs once for each item of a list.
var fanFields = []field{
	{name: "forEach", typ: items(textType), doc: "Run the step once for each item, with ${{ item }}: a list of at most 1000, or a text that gives a JSON list."},
	{name: "parallel", typ: integer(1, 1000), doc: "Items at once.", def: "10"},
}

var triggerShape = newShape("trigger", "Who starts the job, beside people.",
	field{name: "webhook", typ: object(webhookShape), required: true, doc: "A request to /hooks/WORKFLOW/JOB that proves that it knows a secret."},
)

var webhookShape = newShape("webhook", "A request that starts the job. It is signed with HMAC-SHA256 in the header X-Hub-Signature-256.",
	field{name: "secret", typ: secretNameType, required: true, doc: "The secret that signs."},
	field{name: "signed", typ: words("delivery", "body"), doc: "What is signed: delivery id, timestamp and body, or the body alone as GitHub has it.", def: "delivery"},
	field{name: "tolerance", typ: durationType, doc: "How far the signed timestamp may be from now.", def: "PT5M"},
	field{name: "planTime", typ: sourceType, doc: "Where the plan time stands: a JSON pointer into the body, or a header.", def: "now"},
	field{name: "params", typ: mapOf(valueNamePattern, sourceType), doc: "Where the values of parameters stand: JSON pointers into the body, or headers."},
)
