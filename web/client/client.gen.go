// Code generated from web/openapi.json by `make client`; DO NOT EDIT.

package client

import (
	"context"
	"net/http"
	"time"
)

// Defines values for AttemptOutcome.
const (
	AttemptOutcomeCancelled AttemptOutcome = "cancelled"
	AttemptOutcomeFailed    AttemptOutcome = "failed"
	AttemptOutcomeLost      AttemptOutcome = "lost"
	AttemptOutcomeSucceeded AttemptOutcome = "succeeded"
	AttemptOutcomeTimeout   AttemptOutcome = "timeout"
)

// Defines values for DependencyOnFailed.
const (
	DependencyOnFailedCancel DependencyOnFailed = "cancel"
	DependencyOnFailedRun    DependencyOnFailed = "run"
	DependencyOnFailedWait   DependencyOnFailed = "wait"
)

// Defines values for DependencyOnMissing.
const (
	DependencyOnMissingCancel DependencyOnMissing = "cancel"
	DependencyOnMissingRun    DependencyOnMissing = "run"
	DependencyOnMissingWait   DependencyOnMissing = "wait"
)

// Defines values for DependencyPolicy.
const (
	DependencyPolicyNatural     DependencyPolicy = "natural"
	DependencyPolicyTraditional DependencyPolicy = "traditional"
)

// Defines values for ExplainedWaitOnFailed.
const (
	ExplainedWaitOnFailedCancel ExplainedWaitOnFailed = "cancel"
	ExplainedWaitOnFailedRun    ExplainedWaitOnFailed = "run"
	ExplainedWaitOnFailedWait   ExplainedWaitOnFailed = "wait"
)

// Defines values for ExplainedWaitOnMissing.
const (
	ExplainedWaitOnMissingCancel ExplainedWaitOnMissing = "cancel"
	ExplainedWaitOnMissingRun    ExplainedWaitOnMissing = "run"
	ExplainedWaitOnMissingWait   ExplainedWaitOnMissing = "wait"
)

// Defines values for InstanceGate.
const (
	InstanceGateConcurrency InstanceGate = "concurrency"
	InstanceGateConfirm     InstanceGate = "confirm"
	InstanceGateDependency  InstanceGate = "dependency"
	InstanceGateDisk        InstanceGate = "disk"
	InstanceGateFrozen      InstanceGate = "frozen"
	InstanceGateSlot        InstanceGate = "slot"
	InstanceGateTime        InstanceGate = "time"
)

// Defines values for InstanceKind.
const (
	InstanceKindBackfill  InstanceKind = "backfill"
	InstanceKindManual    InstanceKind = "manual"
	InstanceKindScheduled InstanceKind = "scheduled"
)

// Defines values for InstanceState.
const (
	InstanceStateCancelled InstanceState = "cancelled"
	InstanceStateFailed    InstanceState = "failed"
	InstanceStateForced    InstanceState = "forced"
	InstanceStateLost      InstanceState = "lost"
	InstanceStateRunning   InstanceState = "running"
	InstanceStateSkipped   InstanceState = "skipped"
	InstanceStateSucceeded InstanceState = "succeeded"
	InstanceStateWaiting   InstanceState = "waiting"
)

// Defines values for LogEndOutcome.
const (
	LogEndOutcomeCancelled LogEndOutcome = "cancelled"
	LogEndOutcomeFailed    LogEndOutcome = "failed"
	LogEndOutcomeLost      LogEndOutcome = "lost"
	LogEndOutcomeSucceeded LogEndOutcome = "succeeded"
	LogEndOutcomeTimeout   LogEndOutcome = "timeout"
)

// Defines values for ParamType.
const (
	ParamTypeBoolean ParamType = "boolean"
	ParamTypeInteger ParamType = "integer"
	ParamTypeNumber  ParamType = "number"
	ParamTypeString  ParamType = "string"
)

// Defines values for WaitOnFailed.
const (
	WaitOnFailedCancel WaitOnFailed = "cancel"
	WaitOnFailedRun    WaitOnFailed = "run"
	WaitOnFailedWait   WaitOnFailed = "wait"
)

// Defines values for WaitOnMissing.
const (
	WaitOnMissingCancel WaitOnMissing = "cancel"
	WaitOnMissingRun    WaitOnMissing = "run"
	WaitOnMissingWait   WaitOnMissing = "wait"
)

// Defines values for WindowClosed.
const (
	WindowClosedBoth  WindowClosed = "both"
	WindowClosedLeft  WindowClosed = "left"
	WindowClosedRight WindowClosed = "right"
)

// Defines values for ListInstancesParamsState.
const (
	ListInstancesParamsStateCancelled ListInstancesParamsState = "cancelled"
	ListInstancesParamsStateFailed    ListInstancesParamsState = "failed"
	ListInstancesParamsStateForced    ListInstancesParamsState = "forced"
	ListInstancesParamsStateLost      ListInstancesParamsState = "lost"
	ListInstancesParamsStateRunning   ListInstancesParamsState = "running"
	ListInstancesParamsStateSkipped   ListInstancesParamsState = "skipped"
	ListInstancesParamsStateSucceeded ListInstancesParamsState = "succeeded"
	ListInstancesParamsStateWaiting   ListInstancesParamsState = "waiting"
)

// Defines values for ListInstancesParamsKind.
const (
	ListInstancesParamsKindBackfill  ListInstancesParamsKind = "backfill"
	ListInstancesParamsKindManual    ListInstancesParamsKind = "manual"
	ListInstancesParamsKindScheduled ListInstancesParamsKind = "scheduled"
)

// Attempt defines model for Attempt.
type Attempt struct {
	EndedAt time.Time `json:"endedAt,omitempty,omitzero"`

	// ErrorAction It is the job's error action
	ErrorAction bool `json:"errorAction,omitempty,omitzero"`

	// Exit Exit code of a process that exited
	Exit int64 `json:"exit,omitempty,omitzero"`

	// Fence The claim of the instance under which it ran
	Fence      int64 `json:"fence"`
	HTTPStatus int64 `json:"httpStatus,omitempty,omitzero"`

	// ID A row's id, in decimal
	//
	// Examples: 4217
	ID string `json:"id"`

	// Instance A row's id, in decimal
	//
	// Examples: 4217
	Instance string `json:"instance"`

	// InstanceName workflow/job@plan time
	//
	// Examples: retail/orders@2026-11-21T06:00:00+01:00
	InstanceName string `json:"instanceName"`
	LogBytes     int64  `json:"logBytes,omitempty,omitzero"`

	// Number Counts the attempts of the step, over reruns too
	Number int64 `json:"number"`

	// Outcome Absent while it runs
	Outcome AttemptOutcome `json:"outcome,omitempty,omitzero"`

	// Outputs What the step handed on
	Outputs map[string]string `json:"outputs,omitempty,omitzero"`
	Pool    string            `json:"pool,omitempty,omitzero"`

	// Signal Signal that ended the process
	Signal    string    `json:"signal,omitempty,omitzero"`
	StartedAt time.Time `json:"startedAt"`

	// Step Absent for the only step of a job with a single action
	Step string `json:"step,omitempty,omitzero"`

	// Text The outcome in a few words
	//
	// Examples: exit 3
	Text string `json:"text,omitempty,omitzero"`

	// Truncated The middle of the log was left out
	Truncated bool `json:"truncated,omitempty,omitzero"`
}

// AttemptOutcome Absent while it runs
type AttemptOutcome string

// AttemptList defines model for AttemptList.
type AttemptList struct {
	Items []Attempt `json:"items"`

	// Next The cursor of the next page; absent on the last
	Next string `json:"next,omitempty,omitzero"`
}

// Blocker defines model for Blocker.
type Blocker struct {
	// Gate What holds the blocker itself
	Gate string `json:"gate,omitempty,omitzero"`

	// Instance Absent when it is not planned yet
	//
	// Examples: 4217
	Instance string    `json:"instance,omitempty,omitzero"`
	Job      string    `json:"job"`
	PlanTime time.Time `json:"planTime"`
	Reason   Reason    `json:"reason"`
	State    string    `json:"state,omitempty,omitzero"`
	Workflow string    `json:"workflow"`
}

// Change defines model for Change.
type Change struct {
	Actor string    `json:"actor,omitempty,omitzero"`
	At    time.Time `json:"at"`
	From  string    `json:"from,omitempty,omitzero"`

	// ID Grows by one with each line of the history
	//
	// Examples: 4217
	ID string `json:"id"`

	// Instance Absent when it is of no instance, such as the load of a folder
	//
	// Examples: 4217
	Instance string `json:"instance,omitempty,omitzero"`

	// Job Examples: orders
	Job string `json:"job,omitempty,omitzero"`

	// Kind A transition such as start or fail, or an act such as trigger or confirm
	//
	// Examples: start
	Kind string `json:"kind"`

	// Name workflow/job@plan time of the instance; absent when it is gone
	//
	// Examples: retail/orders@2026-11-21T06:00:00+01:00
	Name     string    `json:"name,omitempty,omitzero"`
	PlanTime time.Time `json:"planTime,omitempty,omitzero"`
	Reason   Reason    `json:"reason"`
	To       string    `json:"to,omitempty,omitzero"`

	// Workflow Examples: retail
	Workflow string `json:"workflow,omitempty,omitzero"`
}

// Definition defines model for Definition.
type Definition struct {
	// CreatedAt When this version was loaded
	CreatedAt time.Time `json:"createdAt"`

	// Definition A workflow document that holds this job alone
	Definition interface{} `json:"definition"`

	// Job Examples: orders
	Job string `json:"job"`

	// Removed The job is gone; this was its last definition
	Removed bool `json:"removed,omitempty,omitzero"`

	// Version A row's id, in decimal
	//
	// Examples: 4217
	Version string `json:"version"`

	// Workflow Examples: retail
	Workflow string `json:"workflow"`
}

// Dependency defines model for Dependency.
type Dependency struct {
	Hours []int64 `json:"hours,omitempty,omitzero"`
	Job   string  `json:"job"`

	// Nearest rule: nearest
	Nearest   bool                `json:"nearest,omitempty,omitzero"`
	OnFailed  DependencyOnFailed  `json:"onFailed"`
	OnMissing DependencyOnMissing `json:"onMissing"`
	Policy    DependencyPolicy    `json:"policy"`

	// Previous That many cycles before; absent for the same cycle
	Previous int64 `json:"previous,omitempty,omitzero"`

	// Select default, all, any, first, last, or how many must be satisfied
	Select string `json:"select"`

	// Self It waits for its own earlier instances
	Self            bool   `json:"self,omitempty,omitzero"`
	WaitPreviousEnd bool   `json:"waitPreviousEnd,omitempty,omitzero"`
	Workflow        string `json:"workflow"`
}

// DependencyOnFailed defines model for Dependency.OnFailed.
type DependencyOnFailed string

// DependencyOnMissing defines model for Dependency.OnMissing.
type DependencyOnMissing string

// DependencyPolicy defines model for Dependency.Policy.
type DependencyPolicy string

// Event defines model for Event.
type Event struct {
	Actor string    `json:"actor,omitempty,omitzero"`
	At    time.Time `json:"at"`
	From  string    `json:"from,omitempty,omitzero"`

	// ID A row's id, in decimal
	//
	// Examples: 4217
	ID string `json:"id"`

	// Kind A transition such as start or fail, or an act such as trigger or confirm
	//
	// Examples: start
	Kind   string `json:"kind"`
	Reason Reason `json:"reason"`
	To     string `json:"to,omitempty,omitzero"`
}

// EventPage defines model for EventPage.
type EventPage struct {
	Items []Event `json:"items"`

	// Next The cursor of the next page; absent on the last
	Next string `json:"next,omitempty,omitzero"`
}

// ExplainedWait defines model for ExplainedWait.
type ExplainedWait struct {
	// Count How many plan times the upstream has from first to last; 0: nothing in the window
	Count int64 `json:"count"`

	// Dependency Ordinal of the declared dependency, from 0; a set that is cut in pieces has several waits
	Dependency int64 `json:"dependency"`

	// Ended Any end satisfies it (waitPreviousEnd)
	Ended bool `json:"ended,omitempty,omitzero"`

	// First The first plan time that is waited for; absent when count is 0
	First time.Time `json:"first,omitempty,omitzero"`

	// Gone The upstream job was removed or is disabled
	Gone bool `json:"gone,omitempty,omitzero"`

	// Job Of the upstream
	Job string `json:"job"`

	// Key Of the upstream instances; absent for scheduled ones
	Key string `json:"key,omitempty,omitzero"`

	// Last The last one, included
	Last time.Time `json:"last,omitempty,omitzero"`

	// N Ordinal within the instance, from 0
	N         int64                  `json:"n"`
	OnFailed  ExplainedWaitOnFailed  `json:"onFailed"`
	OnMissing ExplainedWaitOnMissing `json:"onMissing"`

	// Planned The upstream's plan reaches beyond the range
	Planned bool `json:"planned"`

	// Rule Examples: natural-day
	Rule      string `json:"rule"`
	Satisfied bool   `json:"satisfied"`

	// Select all, any, or how many must be satisfied
	//
	// Examples: all
	Select string `json:"select"`

	// Text The sentence for people
	Text           string  `json:"text"`
	TimeoutSeconds float64 `json:"timeoutSeconds,omitempty,omitzero"`

	// Unsatisfied The latest instance in the range that does not satisfy
	Unsatisfied Upstream `json:"unsatisfied,omitempty,omitzero"`
	Window      Window   `json:"window"`

	// Workflow Of the upstream
	Workflow string `json:"workflow"`
}

// ExplainedWaitOnFailed defines model for ExplainedWait.OnFailed.
type ExplainedWaitOnFailed string

// ExplainedWaitOnMissing defines model for ExplainedWait.OnMissing.
type ExplainedWaitOnMissing string

// Explanation defines model for Explanation.
type Explanation struct {
	// At As of when
	At time.Time `json:"at"`

	// Blockers From what it waits for down to the root, which waits for no other instance
	Blockers []Blocker `json:"blockers"`

	// Dependencies Each wait with what it has come to
	Dependencies []ExplainedWait `json:"dependencies"`

	// Gates Of a waiting instance, every gate in order
	Gates []Verdict `json:"gates"`

	// Holding The first closed gate; absent when it only lacks its turn, or does not wait
	Holding  string   `json:"holding,omitempty,omitzero"`
	Instance Instance `json:"instance"`
}

// Gap defines model for Gap.
type Gap struct {
	// After The last line before it
	//
	// Examples: 4217
	After string `json:"after"`

	// Next The first line behind it
	//
	// Examples: 4217
	Next string `json:"next"`
}

// GateCounts defines model for GateCounts.
type GateCounts struct {
	Concurrency int64 `json:"concurrency"`
	Confirm     int64 `json:"confirm"`
	Dependency  int64 `json:"dependency"`
	Disk        int64 `json:"disk"`
	Frozen      int64 `json:"frozen"`
	Slot        int64 `json:"slot"`
	Time        int64 `json:"time"`
}

// Instance defines model for Instance.
type Instance struct {
	// Cancel It is being cancelled, and why
	Cancel Reason `json:"cancel,omitempty,omitzero"`

	// Confirmed Who confirmed it
	Confirmed string `json:"confirmed,omitempty,omitzero"`

	// DryRun Planned on a day off: it is skipped
	DryRun  bool      `json:"dryRun,omitempty,omitzero"`
	EndedAt time.Time `json:"endedAt,omitempty,omitzero"`
	Frozen  bool      `json:"frozen,omitempty,omitzero"`

	// Gate What holds it while it waits
	Gate InstanceGate `json:"gate,omitempty,omitzero"`

	// ID A row's id, in decimal
	//
	// Examples: 4217
	ID string `json:"id"`

	// Job Examples: orders
	Job string `json:"job"`

	// Key Absent for scheduled instances; together with the job and the plan time it is the instance's identity
	Key string `json:"key,omitempty,omitzero"`

	// Kind Why it exists
	Kind InstanceKind `json:"kind"`

	// Name workflow/job@plan time
	//
	// Examples: retail/orders@2026-11-21T06:00:00+01:00
	Name string `json:"name"`

	// NotBefore The plan time plus the job's spread
	NotBefore time.Time `json:"notBefore"`

	// Owner The server that runs it
	Owner string `json:"owner,omitempty,omitzero"`

	// Params What the trigger gave
	Params map[string]string `json:"params,omitempty,omitzero"`

	// PlanTime The due time that it stands for
	PlanTime time.Time `json:"planTime"`
	Pool     string    `json:"pool,omitempty,omitzero"`

	// Priority 9 goes first
	Priority int64 `json:"priority"`

	// Reason Why it is in this state, or behind this gate
	Reason Reason `json:"reason"`

	// StartedAt When it first started
	StartedAt time.Time     `json:"startedAt,omitempty,omitzero"`
	State     InstanceState `json:"state"`

	// Version The job version that it was planned with
	//
	// Examples: 4217
	Version string `json:"version"`

	// Workflow Examples: retail
	Workflow string `json:"workflow"`
}

// InstanceGate What holds it while it waits
type InstanceGate string

// InstanceKind Why it exists
type InstanceKind string

// InstanceState defines model for Instance.State.
type InstanceState string

// InstanceCounts defines model for InstanceCounts.
type InstanceCounts struct {
	Cancelled int64 `json:"cancelled"`
	Failed    int64 `json:"failed"`
	Forced    int64 `json:"forced"`
	Lost      int64 `json:"lost"`
	Running   int64 `json:"running"`
	Skipped   int64 `json:"skipped"`
	Succeeded int64 `json:"succeeded"`
	Waiting   int64 `json:"waiting"`
}

// InstancePage defines model for InstancePage.
type InstancePage struct {
	Items []Instance `json:"items"`

	// Next The cursor of the next page; absent on the last
	Next string `json:"next,omitempty,omitzero"`
}

// Job defines model for Job.
type Job struct {
	// CreatedAt When the name first appeared
	CreatedAt time.Time `json:"createdAt"`
	Disabled  bool      `json:"disabled,omitempty,omitzero"`

	// ID A row's id, in decimal
	//
	// Examples: 4217
	ID string `json:"id"`

	// Job Examples: orders
	Job string `json:"job"`

	// PlannedTo Its instances are written down up to here, excluded
	PlannedTo time.Time `json:"plannedTo,omitempty,omitzero"`

	// Removed Its definition is gone; its instances are not
	Removed bool `json:"removed,omitempty,omitzero"`

	// Version The current version of its definition
	//
	// Examples: 4217
	Version string `json:"version"`

	// Workflow Examples: retail
	Workflow string `json:"workflow"`
}

// JobDetail defines model for JobDetail.
type JobDetail struct {
	// Concurrency Instances that run at once
	Concurrency int64 `json:"concurrency,omitempty,omitzero"`

	// Confirm Its instances wait for a person
	Confirm bool `json:"confirm,omitempty,omitzero"`

	// CreatedAt When the name first appeared
	CreatedAt time.Time `json:"createdAt"`

	// Definition A workflow document that holds this job alone
	Definition interface{} `json:"definition"`

	// DefinitionError Why this program cannot read the definition; what follows from it is absent then
	DefinitionError string       `json:"definitionError,omitempty,omitzero"`
	DependsOn       []Dependency `json:"dependsOn,omitempty,omitzero"`
	Description     string       `json:"description,omitempty,omitzero"`
	Disabled        bool         `json:"disabled,omitempty,omitzero"`

	// ID A row's id, in decimal
	//
	// Examples: 4217
	ID string `json:"id"`

	// Job Examples: orders
	Job string `json:"job"`

	// Next The next plan times; absent for a job that is started on demand, disabled or over
	Next []time.Time `json:"next,omitempty,omitzero"`

	// Params What a trigger may give
	Params []Param `json:"params,omitempty,omitzero"`

	// PlannedTo Its instances are written down up to here, excluded
	PlannedTo time.Time `json:"plannedTo,omitempty,omitzero"`

	// Recurrence When it is due, in words
	//
	// Examples: every day at 06:00, in Europe/Berlin.
	Recurrence string `json:"recurrence,omitempty,omitzero"`

	// Removed Its definition is gone; its instances are not
	Removed bool     `json:"removed,omitempty,omitzero"`
	Tags    []string `json:"tags,omitempty,omitzero"`

	// TimeZone Examples: Europe/Berlin
	TimeZone string `json:"timeZone,omitempty,omitzero"`

	// Version The current version of its definition
	//
	// Examples: 4217
	Version string `json:"version"`

	// Workflow Examples: retail
	Workflow string `json:"workflow"`
}

// JobPage defines model for JobPage.
type JobPage struct {
	Items []Job `json:"items"`

	// Next The cursor of the next page; absent on the last
	Next string `json:"next,omitempty,omitzero"`
}

// JobRef defines model for JobRef.
type JobRef struct {
	// Job Examples: orders
	Job string `json:"job"`

	// Workflow Examples: retail
	Workflow string `json:"workflow"`
}

// LogEnd defines model for LogEnd.
type LogEnd struct {
	// Outcome Absent when the attempt has not ended, but this server does not follow
	Outcome LogEndOutcome `json:"outcome,omitempty,omitzero"`

	// Size How long the log is, in bytes; less than what was sent when its middle was left out at the end
	//
	// Examples: 4217
	Size string `json:"size"`
}

// LogEndOutcome Absent when the attempt has not ended, but this server does not follow
type LogEndOutcome string

// LogPart defines model for LogPart.
type LogPart struct {
	// Base64 Its bytes, when they are not
	Base64 []byte `json:"base64,omitempty,omitzero"`

	// Offset Of its first byte
	//
	// Examples: 4217
	Offset string `json:"offset"`

	// Text Its bytes, when they are UTF-8
	Text string `json:"text,omitempty,omitzero"`
}

// Mistake defines model for Mistake.
type Mistake struct {
	// Location Where: path, query, header or body, then the member
	//
	// Examples: body.params.day
	Location string `json:"location,omitempty,omitzero"`

	// Message What is wrong
	//
	// Examples: expected string
	Message string `json:"message"`
}

// NoteRequest defines model for NoteRequest.
type NoteRequest struct {
	// Note Why; written to the server's audit log, and of a cancellation to the history
	Note string `json:"note,omitempty,omitzero"`
}

// Param defines model for Param.
type Param struct {
	Default  string    `json:"default,omitempty,omitzero"`
	Enum     []string  `json:"enum,omitempty,omitzero"`
	Name     string    `json:"name"`
	Required bool      `json:"required,omitempty,omitzero"`
	Type     ParamType `json:"type"`
}

// ParamType defines model for Param.Type.
type ParamType string

// Probe defines model for Probe.
type Probe struct {
	// Status Examples: ok
	Status string `json:"status"`
}

// Problem defines model for Problem.
type Problem struct {
	// Code The last part of type
	//
	// Examples: not-found
	Code string `json:"code"`

	// Detail What happened this time
	//
	// Examples: instance 7: not found
	Detail string `json:"detail,omitempty,omitzero"`

	// Errors Everything that is wrong with the request
	Errors []Mistake `json:"errors,omitempty,omitzero"`

	// Hint What to do about it
	Hint string `json:"hint,omitempty,omitzero"`

	// Instance Names this request; the server's log has it too
	//
	// Examples: urn:almanac:request:4f9c11d2a07be358
	Instance string `json:"instance,omitempty,omitzero"`

	// Status The HTTP status
	//
	// Examples: 404
	Status int64 `json:"status"`

	// Title The kind of problem in words
	//
	// Examples: Not Found
	Title string `json:"title"`

	// Type A stable name of the kind of problem
	//
	// Examples: urn:almanac:problem:not-found
	Type string `json:"type"`
}

// Reason defines model for Reason.
type Reason struct {
	// Actor Who did it, when a person did
	Actor string `json:"actor,omitempty,omitzero"`

	// At Its plan time, or the time that is waited for
	At time.Time `json:"at,omitempty,omitzero"`

	// Code Examples: upstream
	Code   string `json:"code"`
	Detail string `json:"detail,omitempty,omitzero"`

	// State The state of the upstream instance; absent when it is not planned yet
	State string `json:"state,omitempty,omitzero"`

	// Text The reason as a sentence
	//
	// Examples: waits for retail/stores@2026-11-21 05:00, which is running
	Text string `json:"text"`

	// Upstream The job that is waited for
	Upstream JobRef `json:"upstream,omitempty,omitzero"`
}

// Slots defines model for Slots.
type Slots struct {
	Total int64 `json:"total"`
	Used  int64 `json:"used"`
}

// Status defines model for Status.
type Status struct {
	// Gates Waiting instances by what holds them
	Gates GateCounts `json:"gates"`

	// Instances Instances by state: those that are open, and those that ended within the last 24 hours
	Instances InstanceCounts `json:"instances"`

	// NotReady Why it does not
	NotReady string `json:"notReady,omitempty,omitzero"`

	// Now The server's clock, in UTC
	Now time.Time `json:"now"`

	// Ready Whether the server does its work
	Ready bool  `json:"ready"`
	Slots Slots `json:"slots"`

	// Version Of the program
	//
	// Examples: 1.0.0
	Version string `json:"version"`
}

// TriggerRequest defines model for TriggerRequest.
type TriggerRequest struct {
	// Note Why; written to the history and to the server's audit log
	Note string `json:"note,omitempty,omitzero"`

	// Params Values of the job's parameters
	Params map[string]string `json:"params,omitempty,omitzero"`

	// PlanTime The time that the instance stands for; the default is now
	PlanTime time.Time `json:"planTime,omitempty,omitzero"`
}

// Upstream defines model for Upstream.
type Upstream struct {
	Frozen bool `json:"frozen,omitempty,omitzero"`

	// ID A row's id, in decimal
	//
	// Examples: 4217
	ID       string    `json:"id"`
	PlanTime time.Time `json:"planTime"`
	State    string    `json:"state"`
}

// Verdict defines model for Verdict.
type Verdict struct {
	Gate string `json:"gate"`
	Open bool   `json:"open"`

	// Reason Why it is closed
	Reason Reason `json:"reason,omitempty,omitzero"`
}

// Wait defines model for Wait.
type Wait struct {
	// Count How many plan times the upstream has from first to last; 0: nothing in the window
	Count int64 `json:"count"`

	// Dependency Ordinal of the declared dependency, from 0; a set that is cut in pieces has several waits
	Dependency int64 `json:"dependency"`

	// Ended Any end satisfies it (waitPreviousEnd)
	Ended bool `json:"ended,omitempty,omitzero"`

	// First The first plan time that is waited for; absent when count is 0
	First time.Time `json:"first,omitempty,omitzero"`

	// Job Of the upstream
	Job string `json:"job"`

	// Key Of the upstream instances; absent for scheduled ones
	Key string `json:"key,omitempty,omitzero"`

	// Last The last one, included
	Last time.Time `json:"last,omitempty,omitzero"`

	// N Ordinal within the instance, from 0
	N         int64         `json:"n"`
	OnFailed  WaitOnFailed  `json:"onFailed"`
	OnMissing WaitOnMissing `json:"onMissing"`

	// Rule Examples: natural-day
	Rule string `json:"rule"`

	// Select all, any, or how many must be satisfied
	//
	// Examples: all
	Select         string  `json:"select"`
	TimeoutSeconds float64 `json:"timeoutSeconds,omitempty,omitzero"`
	Window         Window  `json:"window"`

	// Workflow Of the upstream
	Workflow string `json:"workflow"`
}

// WaitOnFailed defines model for Wait.OnFailed.
type WaitOnFailed string

// WaitOnMissing defines model for Wait.OnMissing.
type WaitOnMissing string

// WaitList defines model for WaitList.
type WaitList struct {
	Items []Wait `json:"items"`

	// Next The cursor of the next page; absent on the last
	Next string `json:"next,omitempty,omitzero"`
}

// Window defines model for Window.
type Window struct {
	// Closed Which of its ends belong to it
	Closed WindowClosed `json:"closed"`
	From   time.Time    `json:"from"`
	To     time.Time    `json:"to"`
}

// WindowClosed Which of its ends belong to it
type WindowClosed string

// ReadLogParams defines parameters for ReadLog.
type ReadLogParams struct {
	// Offset First byte
	Offset int64 `form:"offset,omitempty" json:"offset,omitempty,omitzero"`

	// Limit Bytes at most
	Limit int64 `form:"limit,omitempty" json:"limit,omitempty,omitzero"`
}

// StreamLogParams defines parameters for StreamLog.
type StreamLogParams struct {
	// Offset First byte
	Offset int64 `form:"offset,omitempty" json:"offset,omitempty,omitzero"`

	// LastEventID The last id that came; it goes before offset
	LastEventID int64 `json:"Last-Event-ID,omitempty,omitzero"`
}

// ListInstancesParams defines parameters for ListInstances.
type ListInstancesParams struct {
	// Workflow Only of this workflow
	Workflow string `form:"workflow,omitempty" json:"workflow,omitempty,omitzero"`

	// Job Only of this job; needs workflow
	Job string `form:"job,omitempty" json:"job,omitempty,omitzero"`

	// State Only in one of these states
	State []ListInstancesParamsState `form:"state,omitempty" json:"state,omitempty,omitzero"`

	// Kind Only of this kind
	Kind ListInstancesParamsKind `form:"kind,omitempty" json:"kind,omitempty,omitzero"`

	// From Only with a plan time at or after this
	From time.Time `form:"from,omitempty" json:"from,omitempty,omitzero"`

	// To Only with a plan time before this
	To time.Time `form:"to,omitempty" json:"to,omitempty,omitzero"`

	// Cursor next of the page before
	Cursor string `form:"cursor,omitempty" json:"cursor,omitempty,omitzero"`

	// Limit Rows of a page
	Limit int64 `form:"limit,omitempty" json:"limit,omitempty,omitzero"`
}

// ListInstancesParamsState defines parameters for ListInstances.
type ListInstancesParamsState string

// ListInstancesParamsKind defines parameters for ListInstances.
type ListInstancesParamsKind string

// ListAttemptsParams defines parameters for ListAttempts.
type ListAttemptsParams struct {
	// Cursor next of the page before
	Cursor string `form:"cursor,omitempty" json:"cursor,omitempty,omitzero"`

	// Limit Rows of a page
	Limit int64 `form:"limit,omitempty" json:"limit,omitempty,omitzero"`
}

// CancelInstanceParams defines parameters for CancelInstance.
type CancelInstanceParams struct {
	// IdempotencyKey The same key from the same principal is the same request, however often it is sent within a day
	IdempotencyKey string `json:"Idempotency-Key,omitempty,omitzero"`
}

// ConfirmInstanceParams defines parameters for ConfirmInstance.
type ConfirmInstanceParams struct {
	// IdempotencyKey The same key from the same principal is the same request, however often it is sent within a day
	IdempotencyKey string `json:"Idempotency-Key,omitempty,omitzero"`
}

// ListEventsParams defines parameters for ListEvents.
type ListEventsParams struct {
	// Cursor next of the page before
	Cursor int64 `form:"cursor,omitempty" json:"cursor,omitempty,omitzero"`

	// After Only events with a larger id
	After int64 `form:"after,omitempty" json:"after,omitempty,omitzero"`

	// Limit Rows of a page
	Limit int64 `form:"limit,omitempty" json:"limit,omitempty,omitzero"`
}

// ListWaitsParams defines parameters for ListWaits.
type ListWaitsParams struct {
	// Cursor next of the page before
	Cursor string `form:"cursor,omitempty" json:"cursor,omitempty,omitzero"`

	// Limit Rows of a page
	Limit int64 `form:"limit,omitempty" json:"limit,omitempty,omitzero"`
}

// ListJobsParams defines parameters for ListJobs.
type ListJobsParams struct {
	// Workflow Only of this workflow
	Workflow string `form:"workflow,omitempty" json:"workflow,omitempty,omitzero"`

	// Q Only whose workflow/job has this in it, whatever the case of its letters
	Q string `form:"q,omitempty" json:"q,omitempty,omitzero"`

	// Removed Removed jobs too
	Removed bool `form:"removed,omitempty" json:"removed,omitempty,omitzero"`

	// Cursor next of the page before
	Cursor string `form:"cursor,omitempty" json:"cursor,omitempty,omitzero"`

	// Limit Rows of a page
	Limit int64 `form:"limit,omitempty" json:"limit,omitempty,omitzero"`
}

// GetDefinitionParams defines parameters for GetDefinition.
type GetDefinitionParams struct {
	// IfNoneMatch ETags of versions that are known already
	IfNoneMatch []string `json:"If-None-Match,omitempty,omitzero"`
}

// TriggerJobParams defines parameters for TriggerJob.
type TriggerJobParams struct {
	// IdempotencyKey The same key is the same instance of the job, however often the request is sent
	IdempotencyKey string `json:"Idempotency-Key,omitempty,omitzero"`
}

// StreamChangesParams defines parameters for StreamChanges.
type StreamChangesParams struct {
	// Workflow Only of this workflow
	Workflow string `form:"workflow,omitempty" json:"workflow,omitempty,omitzero"`

	// Job Only of this job; needs workflow
	Job string `form:"job,omitempty" json:"job,omitempty,omitzero"`

	// Instance Only of this instance
	Instance int64 `form:"instance,omitempty" json:"instance,omitempty,omitzero"`

	// Kinds Only of these kinds, such as start,fail
	Kinds []string `form:"kinds,omitempty" json:"kinds,omitempty,omitzero"`

	// After Only lines with a larger id; 0 begins with the oldest, -1 with what comes
	After int64 `form:"after,omitempty" json:"after,omitempty,omitzero"`

	// LastEventID The last id that came; it goes before after
	LastEventID int64 `json:"Last-Event-ID,omitempty,omitzero"`
}

// CancelInstanceJSONRequestBody defines body for CancelInstance for application/json ContentType.
type CancelInstanceJSONRequestBody = NoteRequest

// ConfirmInstanceJSONRequestBody defines body for ConfirmInstance for application/json ContentType.
type ConfirmInstanceJSONRequestBody = NoteRequest

// TriggerJobJSONRequestBody defines body for TriggerJob for application/json ContentType.
type TriggerJobJSONRequestBody = TriggerRequest

// GetAttemptRequest is the request of Client.GetAttempt.
func GetAttemptRequest(id int64) *Request {
	r := newRequest(http.MethodGet, "/api/v1/attempts/%s", id)
	return r
}

// GetAttempt: one attempt (GET /api/v1/attempts/{id}).
func (c *Client) GetAttempt(ctx context.Context, id int64) (answer Attempt, err error) {
	err = c.Do(ctx, GetAttemptRequest(id), &answer)
	return answer, err
}

// ReadLogRequest is a request for Client.Send: a part of an attempt's log.
func ReadLogRequest(id int64, params ReadLogParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/attempts/%s/log", id)
	r.query("offset", params.Offset, false)
	r.query("limit", params.Limit, false)
	return r
}

// StreamLogRequest is a request for Client.Send: follow the log of an attempt.
func StreamLogRequest(id int64, params StreamLogParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/attempts/%s/log/stream", id)
	r.query("offset", params.Offset, false)
	r.header("Last-Event-ID", params.LastEventID)
	return r
}

// ListInstancesRequest is the request of Client.ListInstances.
func ListInstancesRequest(params ListInstancesParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/instances")
	r.query("workflow", params.Workflow, false)
	r.query("job", params.Job, false)
	r.query("state", params.State, true)
	r.query("kind", params.Kind, false)
	r.query("from", params.From, false)
	r.query("to", params.To, false)
	r.query("cursor", params.Cursor, false)
	r.query("limit", params.Limit, false)
	return r
}

// ListInstances: list instances by plan time, newest first (GET /api/v1/instances).
func (c *Client) ListInstances(ctx context.Context, params ListInstancesParams) (answer InstancePage, err error) {
	err = c.Do(ctx, ListInstancesRequest(params), &answer)
	return answer, err
}

// GetInstanceRequest is the request of Client.GetInstance.
func GetInstanceRequest(id int64) *Request {
	r := newRequest(http.MethodGet, "/api/v1/instances/%s", id)
	return r
}

// GetInstance: one instance (GET /api/v1/instances/{id}).
func (c *Client) GetInstance(ctx context.Context, id int64) (answer Instance, err error) {
	err = c.Do(ctx, GetInstanceRequest(id), &answer)
	return answer, err
}

// ListAttemptsRequest is the request of Client.ListAttempts.
func ListAttemptsRequest(id int64, params ListAttemptsParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/instances/%s/attempts", id)
	r.query("cursor", params.Cursor, false)
	r.query("limit", params.Limit, false)
	return r
}

// ListAttempts: the attempts of an instance (GET /api/v1/instances/{id}/attempts).
func (c *Client) ListAttempts(ctx context.Context, id int64, params ListAttemptsParams) (answer AttemptList, err error) {
	err = c.Do(ctx, ListAttemptsRequest(id, params), &answer)
	return answer, err
}

// CancelInstanceRequest is the request of Client.CancelInstance.
func CancelInstanceRequest(id int64, params CancelInstanceParams, body CancelInstanceJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/instances/%s/cancel", id)
	r.header("Idempotency-Key", params.IdempotencyKey)
	r.Body = body
	return r
}

// CancelInstance: cancel an instance (POST /api/v1/instances/{id}/cancel).
func (c *Client) CancelInstance(ctx context.Context, id int64, params CancelInstanceParams, body CancelInstanceJSONRequestBody) (answer Instance, err error) {
	err = c.Do(ctx, CancelInstanceRequest(id, params, body), &answer)
	return answer, err
}

// ConfirmInstanceRequest is the request of Client.ConfirmInstance.
func ConfirmInstanceRequest(id int64, params ConfirmInstanceParams, body ConfirmInstanceJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/instances/%s/confirm", id)
	r.header("Idempotency-Key", params.IdempotencyKey)
	r.Body = body
	return r
}

// ConfirmInstance: let an instance pass that waits for a person (POST /api/v1/instances/{id}/confirm).
func (c *Client) ConfirmInstance(ctx context.Context, id int64, params ConfirmInstanceParams, body ConfirmInstanceJSONRequestBody) (answer Instance, err error) {
	err = c.Do(ctx, ConfirmInstanceRequest(id, params, body), &answer)
	return answer, err
}

// ListEventsRequest is the request of Client.ListEvents.
func ListEventsRequest(id int64, params ListEventsParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/instances/%s/events", id)
	r.query("cursor", params.Cursor, false)
	r.query("after", params.After, false)
	r.query("limit", params.Limit, false)
	return r
}

// ListEvents: the history of an instance (GET /api/v1/instances/{id}/events).
func (c *Client) ListEvents(ctx context.Context, id int64, params ListEventsParams) (answer EventPage, err error) {
	err = c.Do(ctx, ListEventsRequest(id, params), &answer)
	return answer, err
}

// ExplainInstanceRequest is the request of Client.ExplainInstance.
func ExplainInstanceRequest(id int64) *Request {
	r := newRequest(http.MethodGet, "/api/v1/instances/%s/explain", id)
	return r
}

// ExplainInstance: why an instance is where it is (GET /api/v1/instances/{id}/explain).
func (c *Client) ExplainInstance(ctx context.Context, id int64) (answer Explanation, err error) {
	err = c.Do(ctx, ExplainInstanceRequest(id), &answer)
	return answer, err
}

// ListWaitsRequest is the request of Client.ListWaits.
func ListWaitsRequest(id int64, params ListWaitsParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/instances/%s/waits", id)
	r.query("cursor", params.Cursor, false)
	r.query("limit", params.Limit, false)
	return r
}

// ListWaits: what an instance waits for, as it was planned (GET /api/v1/instances/{id}/waits).
func (c *Client) ListWaits(ctx context.Context, id int64, params ListWaitsParams) (answer WaitList, err error) {
	err = c.Do(ctx, ListWaitsRequest(id, params), &answer)
	return answer, err
}

// ListJobsRequest is the request of Client.ListJobs.
func ListJobsRequest(params ListJobsParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/jobs")
	r.query("workflow", params.Workflow, false)
	r.query("q", params.Q, false)
	r.query("removed", params.Removed, false)
	r.query("cursor", params.Cursor, false)
	r.query("limit", params.Limit, false)
	return r
}

// ListJobs: list jobs by workflow and name (GET /api/v1/jobs).
func (c *Client) ListJobs(ctx context.Context, params ListJobsParams) (answer JobPage, err error) {
	err = c.Do(ctx, ListJobsRequest(params), &answer)
	return answer, err
}

// GetJobRequest is the request of Client.GetJob.
func GetJobRequest(workflow string, job string) *Request {
	r := newRequest(http.MethodGet, "/api/v1/jobs/%s/%s", workflow, job)
	return r
}

// GetJob: one job: its definition, when it is due, what it waits for (GET /api/v1/jobs/{workflow}/{job}).
func (c *Client) GetJob(ctx context.Context, workflow string, job string) (answer JobDetail, err error) {
	err = c.Do(ctx, GetJobRequest(workflow, job), &answer)
	return answer, err
}

// GetDefinitionRequest is the request of Client.GetDefinition.
func GetDefinitionRequest(workflow string, job string, params GetDefinitionParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/jobs/%s/%s/definition", workflow, job)
	r.header("If-None-Match", params.IfNoneMatch)
	return r
}

// GetDefinition: the definition of a job, and nothing that follows from it (GET /api/v1/jobs/{workflow}/{job}/definition).
func (c *Client) GetDefinition(ctx context.Context, workflow string, job string, params GetDefinitionParams) (answer Definition, err error) {
	err = c.Do(ctx, GetDefinitionRequest(workflow, job, params), &answer)
	return answer, err
}

// TriggerJobRequest is the request of Client.TriggerJob.
func TriggerJobRequest(workflow string, job string, params TriggerJobParams, body TriggerJobJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/jobs/%s/%s/trigger", workflow, job)
	r.header("Idempotency-Key", params.IdempotencyKey)
	r.Body = body
	return r
}

// TriggerJob: run a job now (POST /api/v1/jobs/{workflow}/{job}/trigger).
func (c *Client) TriggerJob(ctx context.Context, workflow string, job string, params TriggerJobParams, body TriggerJobJSONRequestBody) (answer Instance, err error) {
	err = c.Do(ctx, TriggerJobRequest(workflow, job, params, body), &answer)
	return answer, err
}

// DescribeRequest is a request for Client.Send: this description of the API.
func DescribeRequest() *Request {
	r := newRequest(http.MethodGet, "/api/v1/openapi.json")
	return r
}

// StatusRequest is the request of Client.Status.
func StatusRequest() *Request {
	r := newRequest(http.MethodGet, "/api/v1/status")
	return r
}

// Status: what the server is doing (GET /api/v1/status).
func (c *Client) Status(ctx context.Context) (answer Status, err error) {
	err = c.Do(ctx, StatusRequest(), &answer)
	return answer, err
}

// StreamChangesRequest is a request for Client.Send: follow what happens.
func StreamChangesRequest(params StreamChangesParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/stream")
	r.query("workflow", params.Workflow, false)
	r.query("job", params.Job, false)
	r.query("instance", params.Instance, false)
	r.query("kinds", params.Kinds, false)
	r.query("after", params.After, false)
	r.header("Last-Event-ID", params.LastEventID)
	return r
}

// LiveRequest is the request of Client.Live.
func LiveRequest() *Request {
	r := newRequest(http.MethodGet, "/livez")
	return r
}

// Live: whether the process answers (GET /livez).
func (c *Client) Live(ctx context.Context) (answer Probe, err error) {
	err = c.Do(ctx, LiveRequest(), &answer)
	return answer, err
}

// ReadyRequest is the request of Client.Ready.
func ReadyRequest() *Request {
	r := newRequest(http.MethodGet, "/readyz")
	return r
}

// Ready: whether the server does its work (GET /readyz).
func (c *Client) Ready(ctx context.Context) (answer Probe, err error) {
	err = c.Do(ctx, ReadyRequest(), &answer)
	return answer, err
}

// The answers of these operations are decoded by Client.Do.
