package spec

import (
	"regexp"
	"slices"

	"github.com/almanac-sched/almanac/deps"
	"github.com/almanac-sched/almanac/engine"
)

// The types that several members share.
var (
	textType     = &typ{kind: textKind}
	nonEmptyText = &typ{kind: textKind, min: 1, what: "text that is not empty"}
	flagType     = &typ{kind: flagKind}
	durationType = &typ{kind: durationKind, pattern: durationPattern}
	// offsetType is the signed duration of a window's bound.
	offsetType  = &typ{kind: durationKind, pattern: signedDurationPattern, what: "a length of time with an optional sign, such as -24h, -1d, -P1D or PT0S"}
	instantType = &typ{kind: instantKind, pattern: instantPattern}
	zoneType    = &typ{kind: textKind, min: 1, what: "a time zone of the IANA database such as Asia/Shanghai"}

	nameType = &typ{kind: textKind, pattern: namePattern,
		what: "a name of at most 128 letters, digits and the characters _ . -, beginning with a letter or a digit"}
	// workflowNameType is a nameType of its own, so that the reader can tell the name of a workflow, which one that was made may have otherwise.
	workflowNameType = &typ{kind: textKind, pattern: namePattern, what: nameType.what}
	madeNamePattern  = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}_.-]*(~[0-9a-f]{8})?$`)
	referenceType    = &typ{kind: textKind, pattern: referencePattern,
		what: "the name of a job, as job or workflow/job"}
	stepNamePattern  = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}_-]*$`)
	stepNameType     = &typ{kind: textKind, pattern: stepNamePattern, what: "the name of a step: at most 128 letters, digits, _ and -"}
	outputNameType   = &typ{kind: textKind, pattern: outputPattern, what: "the name of an output: letters, digits and _ . -"}
	outputPattern    = regexp.MustCompile(`^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$`)
	referencePattern = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}_.-]*(/[\p{L}\p{N}][\p{L}\p{N}_.-]*)?$`)
	valueNamePattern = regexp.MustCompile(`^[\p{L}_][\p{L}\p{N}_]*$`)
	envNamePattern   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,254}$`)
	envNameType      = &typ{kind: textKind, pattern: envNamePattern, what: "the name of an environment variable"}
	headerPattern    = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,255}$")
	namePattern      = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}_.-]*$`)
	calendarDays     = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}( *\.\. *[0-9]{4}-[0-9]{2}-[0-9]{2})?$`)

	weekdayType = &typ{kind: wordKind, fold: true,
		words: []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"},
		also: map[string]string{"mon": "monday", "tue": "tuesday", "wed": "wednesday", "thu": "thursday", "fri": "friday", "sat": "saturday",
			"sun": "sunday"}}
	frequencyType = &typ{kind: wordKind, fold: true, words: []string{"minute", "hour", "day", "week", "month", "year"},
		also: map[string]string{"minutely": "minute", "hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year",
			"annually": "year"}}
	stateType = &typ{kind: wordKind, fold: true, words: []string{"enabled", "disabled"}}

	envType    = &typ{kind: mapKind, pattern: envNamePattern, elem: textType, what: "a mapping of environment variables to text"}
	daysType   = &typ{kind: listKind, single: true, elem: &typ{kind: textKind, pattern: calendarDays, what: "a date or a range such as 2026-10-01..2026-10-08"}}
	paramsType = &typ{kind: mapKind, pattern: valueNamePattern, elem: &typ{kind: objectKind, shape: paramShape, short: textType},
		what: "a mapping of parameters; a name holds letters, digits and _"}
	secretsType = &typ{kind: mapKind, pattern: valueNamePattern, elem: &typ{kind: objectKind, shape: secretShape},
		what: "a mapping of secrets; a name holds letters, digits and _"}
)

func words(list ...string) *typ              { return &typ{kind: wordKind, words: list} }
func integer(low, high int) *typ             { return &typ{kind: integerKind, min: low, max: high} }
func nonZero(low, high int) *typ             { return &typ{kind: integerKind, min: low, max: high, nonZero: true} }
func items(elem *typ) *typ                   { return &typ{kind: listKind, single: true, elem: elem} }
func object(s *shape) *typ                   { return &typ{kind: objectKind, shape: s} }
func mapOf(keys *regexp.Regexp, e *typ) *typ { return &typ{kind: mapKind, pattern: keys, elem: e} }

var workflowShape = newShape("workflow", "A set of jobs that belong together.",
	field{name: "workflow", typ: workflowNameType, doc: "Name of the workflow.", def: "the file's name without its extension"},
	field{name: "description", typ: textType, doc: "What the workflow is for."},
	field{name: "timeZone", typ: zoneType, doc: "Natural days are counted in this zone.", def: "UTC"},
	field{name: "policy", typ: words("natural", "traditional"), doc: "Which tables say what an instance waits for.", def: "natural"},
	field{name: "state", typ: stateType, doc: "disabled: none of the jobs is planned or released.", def: "enabled"},
	field{name: "quota", typ: object(quotaShape), doc: "What the workflow may hold."},
	field{name: "calendars", typ: mapOf(namePattern, object(calendarShape)), doc: "Which days are work days."},
	field{name: "defaults", typ: object(jobShape), doc: "Members for every job; a job's own member wins, whole member by whole member."},
	field{name: "env", typ: envType, doc: "Environment variables of every job."},
	field{name: "params", typ: paramsType, doc: "Parameters of every job."},
	field{name: "secrets", typ: secretsType, doc: "Where secrets come from."},
	field{name: "notify", typ: notifyType, doc: "Which sinks of the server are told of trouble with the jobs; [] is none.", def: "the server's"},
	field{name: "jobs", typ: &typ{kind: mapKind, pattern: namePattern, elem: &typ{kind: jobKind}, what: "a mapping of job names to jobs"}, required: true, doc: "The jobs by name."},
)

var quotaShape = newShape("quota", "Limits that every job of the workflow is held to.",
	field{name: "maxJobs", typ: integer(1, 1_000_000), doc: "How many jobs the workflow may hold.", def: "10000"},
	field{name: "maxRecurrence", typ: object(maxRecurrenceShape),
		doc: "No job may recur faster, judged by its shortest real gap; Azure's other limits hold too, such as a retryInterval of at least PT15S."},
)

var maxRecurrenceShape = newShape("maxRecurrence", "The shortest interval between two occurrences of a job.",
	field{name: "frequency", typ: frequencyType, required: true, doc: "Unit of the interval."},
	field{name: "interval", typ: integer(1, 1000), doc: "Number of units.", def: "1"},
)

var calendarShape = newShape("calendar", "Which local dates are work days. A day in `on` is one, otherwise a day in `off` is not, otherwise its weekday decides.",
	field{name: "workDays", typ: &typ{kind: listKind, elem: weekdayType, single: true, empty: true}, doc: "The weekdays that are worked.",
		def: "those of the included calendars, else Monday to Friday"},
	field{name: "off", typ: daysType, doc: "Dates and ranges that are not worked."},
	field{name: "on", typ: daysType, doc: "Dates and ranges that are worked."},
	field{name: "ical", typ: items(nonEmptyText), doc: "iCalendar files beside the workflow; the days of their events are off."},
	field{name: "include", typ: items(nameType), doc: "Other calendars of this file, whose days hold where this one says nothing."},
)

var paramShape = newShape("param", "A parameter that a trigger may give.",
	field{name: "type", typ: words(engine.ParamTypes...), doc: "Its type; a list is written as JSON.", def: "string"},
	field{name: "description", typ: textType, doc: "What it is for, shown in the form of a trigger."},
	field{name: "default", typ: textType, doc: "Its value when none is given."},
	field{name: "required", typ: flagType, doc: "A trigger must give it.", def: "false"},
	field{name: "enum", typ: items(textType), doc: "The values that are allowed; of a list, its items."},
	field{name: "min", typ: numberType, doc: "The least number; of a string the least length, of a list the fewest items."},
	field{name: "max", typ: numberType, doc: "The greatest number; of a string the greatest length, of a list the most items."},
	field{name: "pattern", typ: nonEmptyText, doc: "A regular expression that a string as a whole, or each item of a list, must match."},
	field{name: "secret", typ: flagType, doc: "Its value is not shown by the API or in logs.", def: "false"},
)

var secretShape = newShape("secret", "Where a secret comes from; the value itself is never part of a file.",
	field{name: "env", typ: envNameType, doc: "An environment variable of the server."},
	field{name: "file", typ: nonEmptyText, doc: "A file, whose content less one trailing newline is the value."},
)

// madeSecretShape is the secretShape of definitions that no person wrote.
var madeSecretShape = newShape("secret", "Where a secret comes from.",
	append(slices.Clone(secretShape.fields), field{name: "resource", typ: nonEmptyText, doc: "What the maker of the definition keeps."})...,
)

var jobShape = newJobShape()

// newJobShape makes the one object that may be written empty: a job all of whose members are in `defaults`.
func newJobShape() *shape {
	s := newShape("job", "One unit of work: when it is due, what it waits for, what it does.", jobFields()...)
	s.empty = true
	return s
}

// madeJobShape is the jobShape of definitions that no person wrote.
var madeJobShape = newMadeJobShape()

func newMadeJobShape() *shape {
	atOnce := field{name: "atOnce", typ: flagType, doc: "Due at once too, beside the schedule of its rule: Azure Scheduler's own."}
	s := newShape("job", jobShape.doc, append(jobFields(), atOnce)...)
	s.empty = true
	return s
}

func jobFields() []field {
	list := []field{
		{name: "description", typ: textType, doc: "What the job is for."},
		{name: "tags", typ: items(nonEmptyText), doc: "Words to find the job by."},
		{name: "state", typ: stateType, doc: "disabled: the job is not planned or released.", def: "enabled"},
	}
	list = append(list, whenFields...)
	list = append(list, waitFields...)
	return append(list, doFields...)
}

// whenFields are definition.md, Job: when.
var whenFields = []field{
	{name: "startTime", typ: instantType, doc: "Anchor and lower bound of the schedule; without an offset in the job's zone."},
	{name: "endTime", typ: instantType, doc: "Nothing is due after it; a bare date is its first instant."},
	{name: "recurrence", typ: object(recurrenceShape), doc: "A rule that counts in periods."},
	{name: "cron", typ: nonEmptyText, doc: "Five cron fields, @daily and friends, or with CRON_TZ= in front."},
	{name: "at", typ: items(instantType), doc: "One-off times."},
	{name: "trigger", typ: triggerType, doc: "manual: only on demand; webhook: by signed requests too."},
	{name: "timeZone", typ: zoneType, doc: "Zone of this job.", def: "the workflow's"},
	{name: "dst", typ: object(dstShape), doc: "What happens to named hours that a zone skips or repeats."},
	{name: "calendar", typ: nameType, doc: "A calendar of this file."},
	{name: "offCalendar", typ: words("dryRun", "drop", "previous", "next"), doc: "What happens to an occurrence on a day off.", def: "dryRun"},
	{name: "period", typ: words("none", "minute", "hour", "discrete", "day", "week", "month", "year"), doc: "Period class of the job.", def: "inferred from its schedule"},
	{name: "spread", typ: durationType, doc: "The start moves up to this far after the plan time, fixed per job."},
	{name: "misfire", typ: words("runAll", "runLatest", "skip"), doc: "What becomes of due times missed while the server was down: first looked at more than a minute late.", def: "runAll"},
	{name: "misfireWindow", typ: durationType, doc: "Due times missed by more are always cancelled.", def: "PT24H"},
}

// waitFields are definition.md, Job: after what.
var waitFields = []field{
	{name: "dependsOn", typ: items(&typ{kind: objectKind, shape: dependencyShape, short: referenceType}), doc: "What each instance waits for."},
	{name: "selfDependency", typ: flagType, doc: "Wait for the job's own previous instance.", def: "false"},
	{name: "concurrency", typ: integer(1, 100_000), doc: "Instances that may run at once.", def: "1"},
	{name: "overlap", typ: words("queue", "skip", "skipToLatest", "cancelRunning"), doc: "What a due instance does while as many run.", def: "queue"},
	{name: "waitTimeout", typ: durationType, doc: "Stop waiting this long after the plan time.", def: "P60D"},
	{name: "confirm", typ: flagType, doc: "Wait for a person.", def: "false"},
}

// doFields are definition.md, Job: what.
var doFields = []field{
	{name: "action", typ: object(actionShape), doc: "What the job does."},
	{name: "steps", typ: mapOf(stepNamePattern, object(stepShape)), doc: "What the job does, in several steps."},
	{name: "errorAction", typ: object(errorActionShape), doc: "Run when the job has failed for good."},
	{name: "retryPolicy", typ: object(retryShape), doc: "When a failed attempt is repeated; on a job with steps, their default."},
	{name: "timeout", typ: durationType, doc: "Bound of one attempt; on a job with steps, their default.", def: "none, for Azure's types PT60S"},
	{name: "priority", typ: integer(1, 9), doc: "1 goes last, 9 first.", def: "5"},
	{name: "pool", typ: nameType, doc: "Pool whose slots the attempts take."},
	{name: "slots", typ: integer(1, 100_000), doc: "How many of them each attempt takes.", def: "1"},
	{name: "deadline", typ: durationType, doc: "The instance must have ended this long after its plan time, else an alert."},
	{name: "onLost", typ: words("retry", "hold"), doc: "What becomes of an attempt whose outcome cannot be known.", def: "retry"},
	{name: "env", typ: envType, doc: "Environment variables of every step."},
	{name: "params", typ: paramsType, doc: "Parameters."},
	{name: "secrets", typ: secretsType, doc: "Where secrets come from."},
	{name: "runsOn", typ: items(textType), doc: "Labels of workers.", refused: "this version runs every attempt on the server itself: leave it out"},
	{name: "notify", typ: notifyType, doc: "Which sinks of the server are told of trouble with the job; [] is none.", def: "the workflow's, else the server's"},
}

// minutesType and hoursType are the times of a schedule.
var (
	minutesType = items(integer(0, 59))
	hoursType   = items(integer(0, 23))
)

var recurrenceShape = newShape("recurrence", "A rule of Azure Scheduler's form.",
	field{name: "frequency", typ: frequencyType, required: true, doc: "The period."},
	field{name: "interval", typ: integer(1, 1000), doc: "Every how many periods; at most 18 months, 78 weeks, 548 days, 1000 hours or minutes, 1 year.", def: "1"},
	field{name: "schedule", typ: object(scheduleShape), doc: "Times inside each period."},
	field{name: "count", typ: integer(1, 0), doc: "Number of occurrences from the job's creation on."},
	field{name: "endTime", typ: instantType, doc: "No occurrence is later; a bare date is its first instant."},
)

var scheduleShape = newShape("schedule", "Elements as large as the frequency or larger limit it, smaller ones expand it.",
	field{name: "minutes", aliases: []string{"minute"}, typ: minutesType, doc: "Minutes of the hour."},
	field{name: "hours", aliases: []string{"hour"}, typ: hoursType, doc: "Hours of the day."},
	field{name: "weekDays", typ: items(weekdayType), doc: "Weekdays; frequency week only."},
	field{name: "monthDays", typ: items(nonZero(-31, 31)), doc: "Days of the month, negative from its end; frequency month only."},
	field{name: "monthlyOccurrences", typ: items(object(occurrenceShape)), doc: "The n-th weekday of the month; frequency month only."},
	field{name: "workDays", typ: items(nonZero(-31, 31)), doc: "The n-th work day of the month, negative from its end; frequency month only, needs a calendar."},
)

var occurrenceShape = newShape("monthlyOccurrence", "A weekday counted within its month.",
	field{name: "day", aliases: []string{"Day"}, typ: weekdayType, required: true, doc: "The weekday."},
	field{name: "occurrence", aliases: []string{"Occurrence"}, typ: nonZero(-5, 5), doc: "1 is the first, -1 the last.", def: "every one"},
)

var dstShape = newShape("dst", "What happens to named hours when clocks change.",
	field{name: "gap", typ: words("shift", "skip"), doc: "Of a local time that does not exist.", def: "shift"},
	field{name: "overlap", typ: words("first", "last", "both"), doc: "Of a local time that exists twice.", def: "first"},
)

var dependencyShape = newShape("dependency", "An upstream job, and which of its instances are waited for.",
	field{name: "job", typ: referenceType, required: true, doc: "job, workflow/job, or self."},
	field{name: "policy", typ: words("natural", "traditional"), doc: "Which tables apply.", def: "the workflow's"},
	field{name: "cycle", typ: words("same", "previous"), doc: "The current cycle, or the one before.", def: "same"},
	field{name: "previous", typ: integer(1, deps.MaxPrevious), doc: "How many cycles before."},
	field{name: "rule", typ: words("nearest"), doc: "nearest: the latest plan time not after this one.", def: "by the pair of periods"},
	field{name: "select", typ: &typ{kind: textKind, pattern: regexp.MustCompile(`^(all|any|first|last|[1-9][0-9]{0,6})$`), what: "all, any, first, last or a count of at least 1"},
		doc: "How many of the set, or which one.", def: "as the tables say"},
	field{name: "window", typ: object(windowShape), doc: "An explicit range that replaces the tables."},
	field{name: "hours", typ: items(integer(0, 23)), doc: "Only upstream plan times at these local hours."},
	field{name: "onMissing", typ: words("run", "wait", "cancel"), doc: "When the upstream's schedule has no plan time in the window.", def: "natural run, traditional cancel"},
	field{name: "onFailed", typ: words("wait", "run", "cancel"), doc: "When an upstream instance failed.", def: "wait"},
	field{name: "waitPreviousEnd", typ: flagType, doc: "Also wait until the upstream's instances of the cycle before have ended. One that is frozen has not, except with onFailed: run.", def: "false"},
	field{name: "timeout", typ: durationType, doc: "Stop waiting this long after the plan time or the last upstream plan time.", def: "none"},
)

var windowShape = newShape("window", "A range of upstream plan times relative to the plan time.",
	field{name: "from", typ: offsetType, required: true, doc: "Where it begins."},
	field{name: "to", typ: offsetType, required: true, doc: "Where it ends."},
	field{name: "closed", typ: words("left", "right", "both"), doc: "Which ends belong to it.", def: "left"},
)
