// Code generated from web/openapi.json by `make client`; DO NOT EDIT.

package client

import (
	"context"
	"encoding/json"
	"fmt"
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

// Defines values for BackfillOrder.
const (
	BackfillOrderAsc  BackfillOrder = "asc"
	BackfillOrderDesc BackfillOrder = "desc"
)

// Defines values for BackfillState.
const (
	BackfillStateApplying    BackfillState = "applying"
	BackfillStateCancelled   BackfillState = "cancelled"
	BackfillStateCancelling  BackfillState = "cancelling"
	BackfillStateEnded       BackfillState = "ended"
	BackfillStatePaused      BackfillState = "paused"
	BackfillStateRunning     BackfillState = "running"
	BackfillStateWithdrawing BackfillState = "withdrawing"
)

// Defines values for ConcernKind.
const (
	ConcernKindCancelled    ConcernKind = "cancelled"
	ConcernKindEndedLate    ConcernKind = "ended-late"
	ConcernKindFailed       ConcernKind = "failed"
	ConcernKindLost         ConcernKind = "lost"
	ConcernKindNeverStarted ConcernKind = "never-started"
	ConcernKindStillRunning ConcernKind = "still-running"
	ConcernKindWillBeLate   ConcernKind = "will-be-late"
)

// Defines values for DeedKind.
const (
	DeedKindAlert       DeedKind = "alert"
	DeedKindBackfill    DeedKind = "backfill"
	DeedKindDefinitions DeedKind = "definitions"
	DeedKindOperation   DeedKind = "operation"
	DeedKindToken       DeedKind = "token"
)

// Defines values for DefinitionProblemSeverity.
const (
	DefinitionProblemSeverityError   DefinitionProblemSeverity = "error"
	DefinitionProblemSeverityWarning DefinitionProblemSeverity = "warning"
)

// Defines values for DeliveryClass.
const (
	DeliveryClassDeadline DeliveryClass = "deadline"
	DeliveryClassFailure  DeliveryClass = "failure"
	DeliveryClassRecovery DeliveryClass = "recovery"
	DeliveryClassTest     DeliveryClass = "test"
	DeliveryClassUpdate   DeliveryClass = "update"
)

// Defines values for DeliveryState.
const (
	DeliveryStateDelivered DeliveryState = "delivered"
	DeliveryStateFailed    DeliveryState = "failed"
	DeliveryStatePending   DeliveryState = "pending"
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

// Defines values for DueInstanceFate.
const (
	DueInstanceFateDropped  DueInstanceFate = "dropped"
	DueInstanceFateHeld     DueInstanceFate = "held"
	DueInstanceFateRuns     DueInstanceFate = "runs"
	DueInstanceFateStranded DueInstanceFate = "stranded"
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

// Defines values for GraphEdgeOnFailed.
const (
	GraphEdgeOnFailedCancel GraphEdgeOnFailed = "cancel"
	GraphEdgeOnFailedRun    GraphEdgeOnFailed = "run"
	GraphEdgeOnFailedWait   GraphEdgeOnFailed = "wait"
)

// Defines values for GraphEdgeOnMissing.
const (
	GraphEdgeOnMissingCancel GraphEdgeOnMissing = "cancel"
	GraphEdgeOnMissingRun    GraphEdgeOnMissing = "run"
	GraphEdgeOnMissingWait   GraphEdgeOnMissing = "wait"
)

// Defines values for HookAnswerState.
const (
	HookAnswerStateCancelled HookAnswerState = "cancelled"
	HookAnswerStateFailed    HookAnswerState = "failed"
	HookAnswerStateForced    HookAnswerState = "forced"
	HookAnswerStateLost      HookAnswerState = "lost"
	HookAnswerStateRunning   HookAnswerState = "running"
	HookAnswerStateSkipped   HookAnswerState = "skipped"
	HookAnswerStateSucceeded HookAnswerState = "succeeded"
	HookAnswerStateWaiting   HookAnswerState = "waiting"
)

// Defines values for IncidentKind.
const (
	IncidentKindCancelled    IncidentKind = "cancelled"
	IncidentKindEndedLate    IncidentKind = "ended-late"
	IncidentKindFailed       IncidentKind = "failed"
	IncidentKindLost         IncidentKind = "lost"
	IncidentKindNeverStarted IncidentKind = "never-started"
	IncidentKindStillRunning IncidentKind = "still-running"
	IncidentKindWillBeLate   IncidentKind = "will-be-late"
)

// Defines values for IncidentDetailKind.
const (
	IncidentDetailKindCancelled    IncidentDetailKind = "cancelled"
	IncidentDetailKindEndedLate    IncidentDetailKind = "ended-late"
	IncidentDetailKindFailed       IncidentDetailKind = "failed"
	IncidentDetailKindLost         IncidentDetailKind = "lost"
	IncidentDetailKindNeverStarted IncidentDetailKind = "never-started"
	IncidentDetailKindStillRunning IncidentDetailKind = "still-running"
	IncidentDetailKindWillBeLate   IncidentDetailKind = "will-be-late"
)

// Defines values for IncidentMemberKind.
const (
	IncidentMemberKindBlocked      IncidentMemberKind = "blocked"
	IncidentMemberKindCancelled    IncidentMemberKind = "cancelled"
	IncidentMemberKindEndedLate    IncidentMemberKind = "ended-late"
	IncidentMemberKindFailed       IncidentMemberKind = "failed"
	IncidentMemberKindLost         IncidentMemberKind = "lost"
	IncidentMemberKindNeverStarted IncidentMemberKind = "never-started"
	IncidentMemberKindRoot         IncidentMemberKind = "root"
	IncidentMemberKindStillRunning IncidentMemberKind = "still-running"
	IncidentMemberKindWillBeLate   IncidentMemberKind = "will-be-late"
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

// Defines values for InstanceChangeEffect.
const (
	InstanceChangeEffectChanged   InstanceChangeEffect = "changed"
	InstanceChangeEffectLeft      InstanceChangeEffect = "left"
	InstanceChangeEffectReopened  InstanceChangeEffect = "reopened"
	InstanceChangeEffectUnchanged InstanceChangeEffect = "unchanged"
	InstanceChangeEffectWoken     InstanceChangeEffect = "woken"
)

// Defines values for JobChangeChange.
const (
	JobChangeChangeAdded    JobChangeChange = "added"
	JobChangeChangeChanged  JobChangeChange = "changed"
	JobChangeChangeDisabled JobChangeChange = "disabled"
	JobChangeChangeEnabled  JobChangeChange = "enabled"
	JobChangeChangeRemoved  JobChangeChange = "removed"
)

// Defines values for JobDayWorst.
const (
	JobDayWorstCancelled JobDayWorst = "cancelled"
	JobDayWorstFailed    JobDayWorst = "failed"
	JobDayWorstForced    JobDayWorst = "forced"
	JobDayWorstLost      JobDayWorst = "lost"
	JobDayWorstRunning   JobDayWorst = "running"
	JobDayWorstSkipped   JobDayWorst = "skipped"
	JobDayWorstSucceeded JobDayWorst = "succeeded"
	JobDayWorstWaiting   JobDayWorst = "waiting"
)

// Defines values for JobDetailPeriod.
const (
	JobDetailPeriodDay      JobDetailPeriod = "day"
	JobDetailPeriodDiscrete JobDetailPeriod = "discrete"
	JobDetailPeriodHour     JobDetailPeriod = "hour"
	JobDetailPeriodMinute   JobDetailPeriod = "minute"
	JobDetailPeriodMonth    JobDetailPeriod = "month"
	JobDetailPeriodNone     JobDetailPeriod = "none"
	JobDetailPeriodWeek     JobDetailPeriod = "week"
	JobDetailPeriodYear     JobDetailPeriod = "year"
)

// Defines values for LateKind.
const (
	LateKindEndedLate    LateKind = "ended-late"
	LateKindNeverStarted LateKind = "never-started"
	LateKindStillRunning LateKind = "still-running"
	LateKindWillBeLate   LateKind = "will-be-late"
)

// Defines values for LogEndOutcome.
const (
	LogEndOutcomeCancelled LogEndOutcome = "cancelled"
	LogEndOutcomeFailed    LogEndOutcome = "failed"
	LogEndOutcomeLost      LogEndOutcome = "lost"
	LogEndOutcomeSucceeded LogEndOutcome = "succeeded"
	LogEndOutcomeTimeout   LogEndOutcome = "timeout"
)

// Defines values for OperationOptionsFrom.
const (
	OperationOptionsFromFailed OperationOptionsFrom = "failed"
	OperationOptionsFromStart  OperationOptionsFrom = "start"
	OperationOptionsFromStep   OperationOptionsFrom = "step"
)

// Defines values for OperationOptionsScope.
const (
	OperationOptionsScopeDownstream OperationOptionsScope = "downstream"
	OperationOptionsScopeThis       OperationOptionsScope = "this"
)

// Defines values for OperationOptionsVersion.
const (
	OperationOptionsVersionLatest   OperationOptionsVersion = "latest"
	OperationOptionsVersionOriginal OperationOptionsVersion = "original"
)

// Defines values for OperationProgressState.
const (
	OperationProgressStateChanging OperationProgressState = "changing"
	OperationProgressStateEnded    OperationProgressState = "ended"
	OperationProgressStateWaking   OperationProgressState = "waking"
)

// Defines values for OperationRequestOperation.
const (
	OperationRequestOperationBoost      OperationRequestOperation = "boost"
	OperationRequestOperationCancel     OperationRequestOperation = "cancel"
	OperationRequestOperationConfirm    OperationRequestOperation = "confirm"
	OperationRequestOperationDetach     OperationRequestOperation = "detach"
	OperationRequestOperationForce      OperationRequestOperation = "force"
	OperationRequestOperationFreeze     OperationRequestOperation = "freeze"
	OperationRequestOperationRerun      OperationRequestOperation = "rerun"
	OperationRequestOperationReschedule OperationRequestOperation = "reschedule"
	OperationRequestOperationRunNow     OperationRequestOperation = "run-now"
	OperationRequestOperationSkip       OperationRequestOperation = "skip"
	OperationRequestOperationUnfreeze   OperationRequestOperation = "unfreeze"
)

// Defines values for ParamType.
const (
	ParamTypeBoolean  ParamType = "boolean"
	ParamTypeDate     ParamType = "date"
	ParamTypeDatetime ParamType = "datetime"
	ParamTypeEnum     ParamType = "enum"
	ParamTypeInteger  ParamType = "integer"
	ParamTypeList     ParamType = "list"
	ParamTypeNumber   ParamType = "number"
	ParamTypeString   ParamType = "string"
)

// Defines values for PauseMissed.
const (
	PauseMissedLatest PauseMissed = "latest"
	PauseMissedRun    PauseMissed = "run"
	PauseMissedSkip   PauseMissed = "skip"
)

// Defines values for PauseRequestMissed.
const (
	PauseRequestMissedLatest PauseRequestMissed = "latest"
	PauseRequestMissedRun    PauseRequestMissed = "run"
	PauseRequestMissedSkip   PauseRequestMissed = "skip"
)

// Defines values for ResumeRequestMissed.
const (
	ResumeRequestMissedLatest ResumeRequestMissed = "latest"
	ResumeRequestMissedRun    ResumeRequestMissed = "run"
	ResumeRequestMissedSkip   ResumeRequestMissed = "skip"
)

// Defines values for StepOnFailure.
const (
	StepOnFailureContinue       StepOnFailure = "continue"
	StepOnFailureFail           StepOnFailure = "fail"
	StepOnFailureFailSuccessors StepOnFailure = "failSuccessors"
	StepOnFailurePause          StepOnFailure = "pause"
)

// Defines values for StepState.
const (
	StepStateCancelled StepState = "cancelled"
	StepStateFailed    StepState = "failed"
	StepStateRunning   StepState = "running"
	StepStateSkipped   StepState = "skipped"
	StepStateSucceeded StepState = "succeeded"
	StepStateWaiting   StepState = "waiting"
)

// Defines values for TokenRequestRole.
const (
	TokenRequestRoleAdmin    TokenRequestRole = "admin"
	TokenRequestRoleEditor   TokenRequestRole = "editor"
	TokenRequestRoleOperator TokenRequestRole = "operator"
	TokenRequestRoleViewer   TokenRequestRole = "viewer"
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

// Defines values for WhoamiRole.
const (
	WhoamiRoleAdmin    WhoamiRole = "admin"
	WhoamiRoleEditor   WhoamiRole = "editor"
	WhoamiRoleOperator WhoamiRole = "operator"
	WhoamiRoleViewer   WhoamiRole = "viewer"
)

// Defines values for WindowClosed.
const (
	WindowClosedBoth  WindowClosed = "both"
	WindowClosedLeft  WindowClosed = "left"
	WindowClosedRight WindowClosed = "right"
)

// Defines values for WorkflowSourceMadeBy.
const (
	WorkflowSourceMadeByAzure WorkflowSourceMadeBy = "azure"
)

// Defines values for PlanBackfillParamsShow.
const (
	PlanBackfillParamsShowIn  PlanBackfillParamsShow = "in"
	PlanBackfillParamsShowOut PlanBackfillParamsShow = "out"
)

// Defines values for ListIncidentsParamsState.
const (
	ListIncidentsParamsStateAll  ListIncidentsParamsState = "all"
	ListIncidentsParamsStateOpen ListIncidentsParamsState = "open"
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

// APIToken defines model for APIToken.
type APIToken struct {
	CreatedAt time.Time `json:"createdAt"`
	Expired   bool      `json:"expired,omitempty,omitzero"`

	// ExpiresAt The first instant at which it is refused; absent is never
	ExpiresAt time.Time `json:"expiresAt,omitempty,omitzero"`

	// ID A row's id, in decimal
	//
	// Examples: 4217
	ID string `json:"id"`

	// Name What the history names as the actor
	//
	// Examples: grafana
	Name string `json:"name"`

	// Role viewer, operator, editor or admin; one that this program does not know may do nothing
	Role string `json:"role"`

	// Secret In the first answer to who makes it, and nowhere else
	//
	// Examples: alm_…
	Secret string `json:"secret,omitempty,omitzero"`

	// Yours The request was made with it
	Yours bool `json:"yours,omitempty,omitzero"`
}

// AddedInstance defines model for AddedInstance.
type AddedInstance struct {
	Job string `json:"job"`

	// Key Of one that a person or a backfill made
	Key      string    `json:"key,omitempty,omitzero"`
	PlanTime time.Time `json:"planTime"`
	Waits    []Link    `json:"waits"`
	Workflow string    `json:"workflow"`
}

// AlertCounts defines model for AlertCounts.
type AlertCounts struct {
	// FailedDeliveries That failed for good within the last 24 hours
	FailedDeliveries  int64 `json:"failedDeliveries"`
	OpenIncidents     int64 `json:"openIncidents"`
	PendingDeliveries int64 `json:"pendingDeliveries"`
}

// ApplyReport defines model for ApplyReport.
type ApplyReport struct {
	// Added New, or back again
	Added []JobRef `json:"added"`

	// Changed Have a new version
	Changed []JobRef `json:"changed"`

	// Diff Of a reload: what became of the plan of the next two natural days, instance by instance
	Diff PlanDiff `json:"diff,omitempty,omitzero"`

	// DueDropped Those that were cancelled, as reviewed
	DueDropped int64 `json:"dueDropped"`

	// DueHeld Those of disabled jobs, which wait until the job is enabled
	DueHeld int64 `json:"dueHeld"`

	// DueRun Due, unstarted instances of removed jobs, which run
	DueRun int64 `json:"dueRun"`

	// Jobs Loaded
	Jobs int64 `json:"jobs"`

	// Later Of those that were planned anew, the ones whose place is planned within moments after the load
	Later int64 `json:"later,omitempty,omitzero"`

	// Planned Instances in their place
	Planned int64    `json:"planned"`
	Removed []JobRef `json:"removed"`

	// Replaced Future, unstarted instances that were planned anew
	Replaced int64 `json:"replaced"`

	// Without Due times that are gone and of which something was ordered ahead: the orders are kept, without an instance
	Without []InstanceName `json:"without,omitempty,omitzero"`
}

// ApplyRequest defines model for ApplyRequest.
type ApplyRequest struct {
	// DropDue dropDue of the diff
	DropDue bool `json:"dropDue,omitempty,omitzero"`

	// Dropped The instances of its list due with the fate dropped or stranded, and of its list removed
	Dropped []InstanceName `json:"dropped,omitempty,omitzero"`

	// Files The files of a folder; without them the server reads its own folder again
	Files []DefinitionFile `json:"files,omitempty,omitzero"`

	// Fingerprint after.fingerprint of the diff
	Fingerprint string `json:"fingerprint"`

	// Folder Where the folder stands on the server: scripts and working directories start there. The default is the server's own folder
	Folder string `json:"folder,omitempty,omitzero"`

	// Keep Workflows that no file has stay as they are loaded; otherwise the files are everything, and other jobs of folders are removed
	Keep bool `json:"keep,omitempty,omitzero"`

	// Loaded before.fingerprint of the diff; the header If-Match may say it instead
	Loaded string `json:"loaded,omitempty,omitzero"`

	// Note Why; written to the history and to the server's audit log
	Note string `json:"note,omitempty,omitzero"`
}

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

	// Run The run of the instance that it is of
	Run int64 `json:"run"`

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

// AuditLine defines model for AuditLine.
type AuditLine struct {
	// Action A transition such as rerun, or an act such as trigger, operation or token-created
	//
	// Examples: rerun
	Action string `json:"action"`

	// Actor Who; absent for definitions that the server loaded by itself
	//
	// Examples: ann
	Actor string    `json:"actor,omitempty,omitzero"`
	At    time.Time `json:"at"`
	From  string    `json:"from,omitempty,omitzero"`

	// ID Of the line of the history
	//
	// Examples: 4217
	ID string `json:"id"`

	// Instance A row's id, in decimal
	//
	// Examples: 4217
	Instance string `json:"instance,omitempty,omitzero"`

	// Job Examples: orders
	Job string `json:"job,omitempty,omitzero"`

	// Name workflow/job@plan time of the instance; absent when it is gone
	//
	// Examples: retail/orders@2026-11-21T06:00:00+01:00
	Name string `json:"name,omitempty,omitzero"`

	// Text In words, with the note that was given
	Text string `json:"text"`
	To   string `json:"to,omitempty,omitzero"`

	// Workflow Examples: retail
	Workflow string `json:"workflow,omitempty,omitzero"`
}

// AuditPage defines model for AuditPage.
type AuditPage struct {
	Items []AuditLine `json:"items"`

	// LookedTo The history was looked through back to here; absent at its beginning
	LookedTo time.Time `json:"lookedTo,omitempty,omitzero"`

	// Next The cursor of the next page; absent on the last. A page may hold fewer lines than asked for, or none, and have a next: 20,000 lines of the history are looked at for each
	Next string `json:"next,omitempty,omitzero"`
}

// Backfill defines model for Backfill.
type Backfill struct {
	Actor     string    `json:"actor"`
	ByDay     bool      `json:"byDay,omitempty,omitzero"`
	CreatedAt time.Time `json:"createdAt"`

	// Done Of these have ended
	Done    int64     `json:"done"`
	EndedAt time.Time `json:"endedAt,omitempty,omitzero"`

	// From The earliest plan time, in the zone of its first job
	From time.Time `json:"from"`

	// Holding Why nothing more of it starts just now
	Holding       string `json:"holding,omitempty,omitzero"`
	ID            string `json:"id"`
	IgnoreMissing bool   `json:"ignoreMissing,omitempty,omitzero"`

	// Instances By state
	Instances InstanceCounts `json:"instances"`
	Jobs      []BackfillJob  `json:"jobs"`
	Note      string         `json:"note,omitempty,omitzero"`
	Order     BackfillOrder  `json:"order"`
	Parallel  int64          `json:"parallel,omitempty,omitzero"`
	Priority  int64          `json:"priority,omitempty,omitzero"`

	// Reason Why it is in that state
	Reason Reason `json:"reason"`

	// SecondsLeft Until its end, by how long its jobs took so far; absent when nobody knows
	SecondsLeft int64  `json:"secondsLeft,omitempty,omitzero"`
	Share       string `json:"share,omitempty,omitzero"`

	// State applying: its instances are being written, and nothing of it starts; withdrawing: what was written is being taken away
	State         BackfillState `json:"state"`
	Steps         []string      `json:"steps,omitempty,omitzero"`
	StopOnFailure bool          `json:"stopOnFailure,omitempty,omitzero"`

	// To Behind the latest plan time
	To time.Time `json:"to"`

	// Total Instances of it
	Total  int64  `json:"total"`
	Window string `json:"window,omitempty,omitzero"`

	// Written Of these are written, while it is applying or withdrawing
	Written int64 `json:"written,omitempty,omitzero"`
}

// BackfillOrder defines model for Backfill.Order.
type BackfillOrder string

// BackfillState applying: its instances are being written, and nothing of it starts; withdrawing: what was written is being taken away
type BackfillState string

// BackfillApplyRequest defines model for BackfillApplyRequest.
type BackfillApplyRequest struct {
	// Note Why; written to the history and to the server's audit log
	Note string       `json:"note,omitempty,omitzero"`
	Plan BackfillPlan `json:"plan"`
}

// BackfillChange defines model for BackfillChange.
type BackfillChange struct {
	// Note Why; written to the history and to the server's audit log
	Note string `json:"note,omitempty,omitzero"`

	// Parallel 0 is as many as the share lets
	Parallel int64 `json:"parallel,omitempty,omitzero"`

	// Priority 1 (last) to 9 (first)
	Priority int64 `json:"priority,omitempty,omitzero"`

	// Share MIN..MAX slots of each server; empty is the default
	Share string `json:"share,omitempty,omitzero"`

	// Window Empty is none
	Window string `json:"window,omitempty,omitzero"`
}

// BackfillDay defines model for BackfillDay.
type BackfillDay struct {
	// Day Of the plan times, in the zone of each job
	//
	// Examples: 2026-11-01
	Day string `json:"day"`

	// Instances By state
	Instances InstanceCounts `json:"instances"`
}

// BackfillDays defines model for BackfillDays.
type BackfillDays struct {
	// Days The days of which it has instances, the earliest first
	Days []BackfillDay `json:"days"`
}

// BackfillJob defines model for BackfillJob.
type BackfillJob struct {
	Instances int64  `json:"instances"`
	Job       string `json:"job"`
	Workflow  string `json:"workflow"`
}

// BackfillPage defines model for BackfillPage.
type BackfillPage struct {
	Items []Backfill `json:"items"`

	// Next The cursor of the next page; absent on the last
	Next string `json:"next,omitempty,omitzero"`
}

// BackfillPlan defines model for BackfillPlan.
type BackfillPlan struct {
	// At When it was made
	At time.Time `json:"at"`

	// Fingerprint Of all that it was made of: definitions, and states of instances
	Fingerprint string `json:"fingerprint"`

	// Format Examples: almanac-backfill/2
	Format string `json:"format"`

	// ID Of the plan; applying it makes a backfill of this id
	ID string `json:"id"`

	// In Instances that would run
	In int64 `json:"in"`

	// Instances Every instance, or those of the part that was asked for; absent when there are more than 10,000, or what they wait for takes more than 8 MB to say: the ranges of the jobs hold all, and listBackfillPlan lists them
	Instances []BackfillPlanInstance `json:"instances,omitempty,omitzero"`
	Jobs      []BackfillPlanJob      `json:"jobs"`

	// Listing A digest of the ranges, and of the instances as they are listed
	Listing string `json:"listing"`

	// Matching When a part was asked for: instances that its conditions leave
	Matching int64 `json:"matching,omitempty,omitzero"`

	// Out Instances of the range that would not
	Out     int64           `json:"out"`
	Request BackfillRequest `json:"request"`

	// Why Instances by reason
	Why map[string]int64 `json:"why"`
}

// BackfillPlanInstance defines model for BackfillPlanInstance.
type BackfillPlanInstance struct {
	In bool `json:"in"`

	// Job workflow/job
	Job      string    `json:"job"`
	PlanTime time.Time `json:"planTime"`

	// Text More than the word, for people
	Text string `json:"text,omitempty,omitzero"`

	// Waits What it would wait for, and how that is bound
	Waits []string `json:"waits,omitempty,omitzero"`
	Why   string   `json:"why"`
}

// BackfillPlanJob defines model for BackfillPlanJob.
type BackfillPlanJob struct {
	// Definition A digest of its definition
	Definition string `json:"definition"`

	// Fingerprint Of its instances and what they wait for
	Fingerprint string `json:"fingerprint"`
	In          int64  `json:"in"`
	Job         string `json:"job"`

	// Note What its effective range cuts off
	Note string `json:"note,omitempty,omitzero"`
	Out  int64  `json:"out"`

	// Ranges Its instances, cut where the reason changes; of all jobs some 20,000 ranges at most
	Ranges   []BackfillPlanRange `json:"ranges,omitempty,omitzero"`
	Workflow string              `json:"workflow"`
}

// BackfillPlanRange defines model for BackfillPlanRange.
type BackfillPlanRange struct {
	// From Plan time of the first
	From      time.Time `json:"from"`
	In        bool      `json:"in"`
	Instances int64     `json:"instances"`

	// Reasons Instances by reason, where there are several; then in says that some are in
	Reasons map[string]int64 `json:"reasons,omitempty,omitzero"`

	// To Plan time of the last
	To time.Time `json:"to"`

	// Why The reason, or several where a plan changes its mind too often to tell each one
	Why string `json:"why"`
}

// BackfillRequest defines model for BackfillRequest.
type BackfillRequest struct {
	// ByDay A day begins when the one before has ended
	ByDay bool `json:"byDay,omitempty,omitzero"`

	// Dates Days, or ranges of days such as 2026-10-15..17, in the place of from and to
	Dates []string `json:"dates,omitempty,omitzero"`

	// Downstream Also jobs that wait for these
	Downstream string `json:"downstream,omitempty,omitzero"`

	// From The first day, or yesterday, today; with to
	From string `json:"from,omitempty,omitzero"`

	// IgnoreMissing What is outside of it and not recorded counts as satisfied
	IgnoreMissing bool `json:"ignoreMissing,omitempty,omitzero"`

	// Jobs workflow/job
	Jobs []string `json:"jobs"`

	// Order asc, or desc: the latest day first, and only what is of one day is waited for
	Order string `json:"order,omitempty,omitzero"`

	// Parallel Instances of it that run at once; default as many as the share lets
	Parallel int64 `json:"parallel,omitempty,omitzero"`

	// Priority 1 (last) to 9 (first); default two below that of each job
	Priority int64 `json:"priority,omitempty,omitzero"`

	// Select missing, failed, stale, all; default missing and failed
	Select []string `json:"select,omitempty,omitzero"`

	// Share MIN..MAX slots of each server; default 1 to a quarter of them
	Share string `json:"share,omitempty,omitzero"`

	// Steps Only these steps of the jobs that are named
	Steps []string `json:"steps,omitempty,omitzero"`

	// StopOnFailure Nothing more starts when an instance has failed, until it is resumed
	StopOnFailure bool `json:"stopOnFailure,omitempty,omitzero"`

	// To The last day, which is included, or yesterday, today
	To string `json:"to,omitempty,omitzero"`

	// Upstream Also jobs that these wait for: how many steps away, all, or their names
	Upstream string `json:"upstream,omitempty,omitzero"`

	// Window When its instances may start, such as 22:00-06:00 Europe/Berlin
	Window string `json:"window,omitempty,omitzero"`
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

// BoundInstance defines model for BoundInstance.
type BoundInstance struct {
	After  []Link `json:"after"`
	Before []Link `json:"before"`

	// ID A row's id, in decimal
	//
	// Examples: 4217
	ID  string `json:"id"`
	Job string `json:"job"`

	// Key Of one that a person or a backfill made
	Key      string    `json:"key,omitempty,omitzero"`
	PlanTime time.Time `json:"planTime"`
	Workflow string    `json:"workflow"`
}

// CancelBackfillRequest defines model for CancelBackfillRequest.
type CancelBackfillRequest struct {
	// Note Why; written to the history and to the server's audit log
	Note string `json:"note,omitempty,omitzero"`

	// Running What runs of it too
	Running bool `json:"running,omitempty,omitzero"`
}

// Candidate defines model for Candidate.
type Candidate struct {
	In bool `json:"in"`

	// Instance Absent when it is not planned yet
	//
	// Examples: 4217
	Instance string    `json:"instance,omitempty,omitzero"`
	PlanTime time.Time `json:"planTime"`
	State    string    `json:"state,omitempty,omitzero"`

	// Why Why it is not waited for
	Why string `json:"why,omitempty,omitzero"`
}

// Candidates defines model for Candidates.
type Candidates struct {
	// AtLeast There are more of those that are not
	AtLeast bool `json:"atLeast,omitempty,omitzero"`

	// In As many are waited for
	In int64 `json:"in"`

	// Items In order; of many the first and the last
	Items []Candidate `json:"items"`

	// Left As many are left out between them
	Left int64 `json:"left,omitempty,omitzero"`

	// Out As many are not
	Out int64 `json:"out"`
}

// Cause defines model for Cause.
type Cause struct {
	// Again It is in the tree elsewhere, with what it waits for
	Again bool `json:"again,omitempty,omitzero"`

	// Circle It is above itself: each waits for the other
	Circle bool `json:"circle,omitempty,omitzero"`

	// Dependencies What of it is not satisfied
	Dependencies []CauseWait `json:"dependencies,omitempty,omitzero"`
	Forecast     Forecast    `json:"forecast"`

	// Gate What holds it
	Gate string `json:"gate,omitempty,omitzero"`

	// Help The command that would help; absent when only time does
	Help string `json:"help,omitempty,omitzero"`

	// Instance Absent when it is not planned yet
	//
	// Examples: 4217
	Instance string `json:"instance,omitempty,omitzero"`
	Job      string `json:"job"`
	Key      string `json:"key,omitempty,omitzero"`

	// Name workflow/job@plan time
	Name     string    `json:"name"`
	PlanTime time.Time `json:"planTime"`
	Reason   Reason    `json:"reason"`

	// Root It waits for no other instance, or for a person
	Root     bool   `json:"root,omitempty,omitzero"`
	State    string `json:"state,omitempty,omitzero"`
	Workflow string `json:"workflow"`
}

// CauseWait defines model for CauseWait.
type CauseWait struct {
	Causes []Cause `json:"causes,omitempty,omitzero"`

	// Count Plan times in the range
	Count int64 `json:"count"`

	// More As many are left out
	More int64  `json:"more,omitempty,omitzero"`
	Rule string `json:"rule"`
	Text string `json:"text"`
}

// ChainProgress defines model for ChainProgress.
type ChainProgress struct {
	// Broken The first line that is not as it was written, and how
	Broken string `json:"broken,omitempty,omitzero"`

	// First The oldest line that is kept; 0 when there is none
	//
	// Examples: 4217
	First string `json:"first"`

	// Last The newest line
	//
	// Examples: 4217
	Last string `json:"last"`

	// VerifiedAt When this line was looked at
	VerifiedAt time.Time `json:"verifiedAt,omitempty,omitzero"`

	// VerifiedTo Every line from the oldest that was kept when it was looked at up to this one is as it was written
	//
	// Examples: 4217
	VerifiedTo string `json:"verifiedTo"`
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

// ClockConfirmed defines model for ClockConfirmed.
type ClockConfirmed struct {
	// ConfirmedBy Examples: ann
	ConfirmedBy string `json:"confirmedBy"`

	// Now What the machine's clock said; the server goes by it from now on
	Now time.Time `json:"now"`
}

// Concern defines model for Concern.
type Concern struct {
	// AcknowledgedBy Who knows of it
	AcknowledgedBy string `json:"acknowledgedBy,omitempty,omitzero"`

	// Blocked Waiting instances that cannot start because of it, when it was last looked at; at most 10,000 are counted
	Blocked int64 `json:"blocked"`

	// Gate What holds the root, when it waits
	Gate string `json:"gate,omitempty,omitzero"`

	// Help The command that would help
	//
	// Examples: almanac rerun retail/stores@2026-11-21T05:00:00+01:00
	Help string `json:"help,omitempty,omitzero"`

	// Holds The first few of them
	Holds []IncidentInstance `json:"holds"`

	// Incident Absent when no incident is open and only a person is waited for
	//
	// Examples: 4217
	Incident string `json:"incident,omitempty,omitzero"`

	// Kind Of the incident
	Kind ConcernKind `json:"kind,omitempty,omitzero"`

	// NeedsSomebody It stays as it is until somebody does something; otherwise time is enough
	NeedsSomebody bool `json:"needsSomebody"`

	// Reason Of the root, now
	Reason Reason `json:"reason"`

	// Root The instance from which it comes
	Root IncidentInstance `json:"root"`

	// Since When the incident began, or the plan time of what waits for a person
	Since time.Time `json:"since"`

	// State Of the root, now; absent when retention has removed it
	State string `json:"state,omitempty,omitzero"`

	// Title Of the incident, in one line
	Title string `json:"title,omitempty,omitzero"`
}

// ConcernKind Of the incident
type ConcernKind string

// ConcernList defines model for ConcernList.
type ConcernList struct {
	// All How many there are, among the newest 200 open incidents and the 200 instances that have waited longest for a person
	All int64 `json:"all"`

	// Concerns What needs somebody first, and of that what holds up most
	Concerns []Concern `json:"concerns"`

	// Definitions Why what stands in the server's folder is not what runs; absent when it is
	Definitions FolderTrouble `json:"definitions,omitempty,omitzero"`
}

// Condition defines model for Condition.
type Condition struct {
	// Aspect Of the work: start, store, loop, lease, supervisor, disk, planner, clock, ready or definitions
	//
	// Examples: disk
	Aspect string `json:"aspect"`

	// Detail What is wrong
	//
	// Examples: nothing is started: 3 MiB of 51200 MiB are free
	Detail string `json:"detail,omitempty,omitzero"`

	// Ok Whether it is as it should be
	Ok bool `json:"ok"`
}

// Day defines model for Day.
type Day struct {
	// Date Examples: 2026-11-21
	Date string `json:"date"`

	// Earlier Runs before the current ones: of instances that were run again
	Earlier DayRuns `json:"earlier,omitempty,omitzero"`

	// From The day is [from, to)
	From time.Time `json:"from"`

	// Gates What the numbers of gate say
	Gates     []string   `json:"gates"`
	Instances DayColumns `json:"instances"`

	// Jobs Those with an instance in the day
	Jobs []DayJob `json:"jobs"`

	// Plan Stays while the day has the same instances in the same order
	Plan string `json:"plan"`

	// Slots Attempts at once, of this server
	Slots int64 `json:"slots"`

	// States What the numbers of state say
	States []string  `json:"states"`
	To     time.Time `json:"to"`

	// Waits Stays while its edges do
	//
	// Examples: 5b1e60c2d98f7a34
	Waits string `json:"waits"`

	// Zone Whose day it is
	//
	// Examples: Europe/Berlin
	Zone string `json:"zone"`
}

// DayColumns defines model for DayColumns.
type DayColumns struct {
	Ended []*float64 `json:"ended"`

	// Flags A sum: 1 late (past its deadline, or waiting although its time has come), 2 frozen, 4 of a day off, 8 manual, 16 of a backfill
	Flags []int64 `json:"flags"`

	// Gate Index into gates: what holds one that waits
	Gate []int64 `json:"gate"`

	// ID 0: not recorded yet, what the loaded definitions would plan
	ID []string `json:"id"`

	// Job Index into jobs
	Job []int64 `json:"job"`

	// Plan Plan times, ascending
	Plan    []float64  `json:"plan"`
	Started []*float64 `json:"started"`

	// State Index into states
	State []int64 `json:"state"`
}

// DayEdgeColumns defines model for DayEdgeColumns.
type DayEdgeColumns struct {
	// Count Plan times in the range
	Count []int64 `json:"count"`

	// Final Its last
	Final []float64 `json:"final"`

	// First The first plan time of the range
	First []float64 `json:"first"`

	// From The first instance of the range that is in the day; -1: none is
	From []int64 `json:"from"`

	// Last The last one; -1: none is
	Last []int64 `json:"last"`

	// On How many of them are in the day
	On []int64 `json:"on"`

	// Rule Index into rules
	Rule []int64 `json:"rule"`

	// To The instance that waits
	To []int64 `json:"to"`

	// WindowFrom Where the rule looked
	WindowFrom []*float64 `json:"windowFrom"`
	WindowTo   []*float64 `json:"windowTo"`
}

// DayEdges defines model for DayEdges.
type DayEdges struct {
	Edges DayEdgeColumns `json:"edges"`

	// Plan The day whose instances the numbers are of
	Plan  string    `json:"plan"`
	Rules []DayRule `json:"rules"`
}

// DayJob defines model for DayJob.
type DayJob struct {
	// Class Of its period
	//
	// Examples: hour
	Class string `json:"class,omitempty,omitzero"`

	// Gone Removed, or disabled
	Gone bool   `json:"gone,omitempty,omitzero"`
	Job  string `json:"job"`

	// NoSlot Its instances hold no slot
	NoSlot bool `json:"noSlot,omitempty,omitzero"`

	// Of Past instances that this is made of
	Of int64 `json:"of,omitempty,omitzero"`

	// TakesSeconds How long past instances took, in the middle
	TakesSeconds float64 `json:"takesSeconds,omitempty,omitzero"`
	Workflow     string  `json:"workflow"`

	// Zone Its own: its natural days are of it
	Zone string `json:"zone"`
}

// DayRule defines model for DayRule.
type DayRule struct {
	// Dependency Its place in the job's dependsOn, from 0
	Dependency int64 `json:"dependency"`

	// Ended Any end satisfies it
	Ended bool `json:"ended,omitempty,omitzero"`

	// Job Index into the jobs of the day
	Job int64 `json:"job"`

	// Rule Examples: natural-day
	Rule string `json:"rule"`

	// Select all, any, or a count
	Select   string `json:"select"`
	Upstream string `json:"upstream"`

	// Words The rule in words, with both classes; absent when the definition is not known any more
	Words string `json:"words,omitempty,omitzero"`

	// Workflow Of the upstream job
	Workflow string `json:"workflow"`
}

// DayRuns defines model for DayRuns.
type DayRuns struct {
	// Current The number of the current run of the instance
	Current []int64   `json:"current"`
	Ended   []float64 `json:"ended"`

	// Number Of the run, from 1
	Number []int64 `json:"number"`

	// Row The instance that ran: its number in the columns of the instances
	Row     []int64   `json:"row"`
	Started []float64 `json:"started"`

	// State As the run ended; index into states
	State []int64 `json:"state"`
}

// Deed defines model for Deed.
type Deed struct {
	// Action Of the line that says most
	//
	// Examples: load
	Action string `json:"action"`

	// Actor Who; absent for definitions that the server loaded by itself
	//
	// Examples: ann
	Actor string    `json:"actor,omitempty,omitzero"`
	At    time.Time `json:"at"`

	// Counts Its lines by action
	Counts []DeedCount `json:"counts"`

	// ID Of its newest line of the history
	//
	// Examples: 4217
	ID string `json:"id"`

	// Instance Absent when it was about none or several
	Instance DeedInstance `json:"instance,omitempty,omitzero"`

	// Jobs Those whose definitions or instances it changed, at most 20
	Jobs []JobRef `json:"jobs"`

	// Kind What it was about
	Kind DeedKind `json:"kind"`

	// Text Of that line, in words
	//
	// Examples: 12 jobs: 1 added, 2 changed, 0 removed; 40 instances planned anew
	Text string `json:"text"`
}

// DeedKind What it was about
type DeedKind string

// DeedCount defines model for DeedCount.
type DeedCount struct {
	Action string `json:"action"`
	Count  int64  `json:"count"`
}

// DeedInstance defines model for DeedInstance.
type DeedInstance struct {
	// ID A row's id, in decimal
	//
	// Examples: 4217
	ID string `json:"id"`

	// Name Absent when it is gone
	Name string `json:"name,omitempty,omitzero"`
}

// DeedPage defines model for DeedPage.
type DeedPage struct {
	Items []Deed `json:"items"`

	// LookedTo The history was looked through back to here; absent at from, or its beginning
	LookedTo time.Time `json:"lookedTo,omitempty,omitzero"`

	// Next The cursor of the next page; absent on the last. A page may hold fewer deeds than asked for and have a next
	Next string `json:"next,omitempty,omitzero"`
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

// DefinitionFile defines model for DefinitionFile.
type DefinitionFile struct {
	// Name Its path below the folder, with slashes
	//
	// Examples: retail.yaml
	Name string `json:"name"`

	// Text What is in it
	Text string `json:"text"`
}

// DefinitionPage defines model for DefinitionPage.
type DefinitionPage struct {
	Items []StoredDefinition `json:"items"`

	// Next The cursor of the next page; absent on the last
	Next string `json:"next,omitempty,omitzero"`
}

// DefinitionProblem defines model for DefinitionProblem.
type DefinitionProblem struct {
	// Column From 1, in characters
	Column int64 `json:"column"`

	// File As the request named it; of a workflow that stays as it is loaded: loaded:WORKFLOW
	//
	// Examples: retail.yaml
	File string `json:"file"`

	// Hint What to write instead
	Hint string `json:"hint,omitempty,omitzero"`

	// Kind Of a warning: what many of them have in common
	//
	// Examples: waits-for-later
	Kind string `json:"kind,omitempty,omitzero"`

	// Line From 1; 0 is the file itself
	Line int64 `json:"line"`

	// Message What is wrong, and what is allowed
	Message string `json:"message"`

	// Severity An error refuses the definitions, a warning does not
	Severity DefinitionProblemSeverity `json:"severity"`
}

// DefinitionProblemSeverity An error refuses the definitions, a warning does not
type DefinitionProblemSeverity string

// DefinitionSchema defines model for DefinitionSchema.
type DefinitionSchema struct {
	// Schema JSON Schema, 2020-12
	Schema interface{} `json:"schema"`
}

// Delivery defines model for Delivery.
type Delivery struct {
	Attempts  int64         `json:"attempts"`
	Class     DeliveryClass `json:"class"`
	CreatedAt time.Time     `json:"createdAt"`
	EndedAt   time.Time     `json:"endedAt,omitempty,omitzero"`

	// Error Why the last attempt failed
	Error string `json:"error,omitempty,omitzero"`

	// ID The same however often it is repeated; receivers get it too
	//
	// Examples: 4217
	ID string `json:"id"`

	// Incident Absent for a test
	//
	// Examples: 4217
	Incident string `json:"incident,omitempty,omitzero"`

	// NotBefore Of a pending one: when it is tried again, unless an attempt under way succeeds
	NotBefore time.Time     `json:"notBefore,omitempty,omitzero"`
	Sink      string        `json:"sink"`
	State     DeliveryState `json:"state"`
}

// DeliveryClass defines model for Delivery.Class.
type DeliveryClass string

// DeliveryState defines model for Delivery.State.
type DeliveryState string

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

// DiffRequest defines model for DiffRequest.
type DiffRequest struct {
	// Days In the place of to: so many natural days, the one of from included; the default is 2
	Days int64 `json:"days,omitempty,omitzero"`

	// DropDue Cancel due, unstarted instances of jobs that are removed or disabled; otherwise they run, or are held
	DropDue bool `json:"dropDue,omitempty,omitzero"`

	// Files The files of a folder; without them the server reads its own folder again
	Files []DefinitionFile `json:"files,omitempty,omitzero"`

	// Folder Where the folder stands on the server: scripts and working directories start there. The default is the server's own folder
	Folder string `json:"folder,omitempty,omitzero"`

	// From The plans are compared from here on; the default, and the earliest, is now
	From time.Time `json:"from,omitempty,omitzero"`

	// Keep Workflows that no file has stay as they are loaded; otherwise the files are everything, and other jobs of folders are removed
	Keep bool `json:"keep,omitempty,omitzero"`

	// To Up to here, excluded
	To time.Time `json:"to,omitempty,omitzero"`
}

// DiffSide defines model for DiffSide.
type DiffSide struct {
	// Fingerprint Another for other definitions
	Fingerprint string `json:"fingerprint"`

	// Name Examples: loaded
	Name string `json:"name"`
}

// DiffSummary defines model for DiffSummary.
type DiffSummary struct {
	Added int64 `json:"added"`

	// Bound Not started, and bound again
	Bound int64 `json:"bound"`

	// Changed Only what they do is another thing
	Changed int64 `json:"changed"`

	// Dropped Due, unstarted, and cancelled
	Dropped int64 `json:"dropped"`

	// Kept In both plans, whatever else became of them
	Kept int64 `json:"kept"`

	// Later Of the re-linked: they now wait for a later upstream
	Later int64 `json:"later"`

	// Moved Of the re-linked: their job has another version
	Moved    int64 `json:"moved"`
	Relinked int64 `json:"relinked"`
	Removed  int64 `json:"removed"`

	// Text Examples: +24, −3, 48 re-linked, 2 now wait for a later upstream
	Text string `json:"text"`
}

// DiskHealth defines model for DiskHealth.
type DiskHealth struct {
	FreeBytes  int64 `json:"freeBytes"`
	TotalBytes int64 `json:"totalBytes"`
}

// DueInstance defines model for DueInstance.
type DueInstance struct {
	// Fate runs: by the version that it was planned with; held: until the job is enabled; dropped: cancelled, as asked; stranded: cancelled, because what it waits for will never come
	Fate DueInstanceFate `json:"fate"`

	// ID A row's id, in decimal
	//
	// Examples: 4217
	ID  string `json:"id"`
	Job string `json:"job"`

	// Key Of one that a person or a backfill made
	Key      string    `json:"key,omitempty,omitzero"`
	PlanTime time.Time `json:"planTime"`
	Workflow string    `json:"workflow"`
}

// DueInstanceFate runs: by the version that it was planned with; held: until the job is enabled; dropped: cancelled, as asked; stranded: cancelled, because what it waits for will never come
type DueInstanceFate string

// EffectCounts defines model for EffectCounts.
type EffectCounts struct {
	// Changed Chosen, and something changes
	Changed int64 `json:"changed"`

	// Left Wait for one that is rerun, and stay as they are
	Left int64 `json:"left"`

	// Reopened Wait for one that is rerun, and begin again too
	Reopened int64 `json:"reopened"`

	// Unchanged Chosen, and it is so already
	Unchanged int64 `json:"unchanged"`

	// Woken Wait for one that changes, and are looked at
	Woken int64 `json:"woken"`
}

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
	// Candidates What it had to choose from, of the first dependencies
	Candidates Candidates `json:"candidates,omitempty,omitzero"`

	// Causes What it waits for, the failed first
	Causes []Cause `json:"causes,omitempty,omitzero"`

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

	// More As many are left out
	More int64 `json:"more,omitempty,omitzero"`

	// N Ordinal within the instance, from 0
	N         int64                  `json:"n"`
	OnFailed  ExplainedWaitOnFailed  `json:"onFailed"`
	OnMissing ExplainedWaitOnMissing `json:"onMissing"`

	// Pair The rule in words, with both classes
	Pair string `json:"pair,omitempty,omitzero"`

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
	// Active What of its job runs, when that is in the way
	Active []Instance `json:"active,omitempty,omitzero"`

	// At As of when
	At time.Time `json:"at"`

	// Attempts The latest attempts
	Attempts []Attempt `json:"attempts,omitempty,omitzero"`

	// Beyond The tree was cut: there may be more roots
	Beyond bool `json:"beyond,omitempty,omitzero"`

	// Blockers The first way down the tree, from what it waits for to a root, which waits for no other instance
	Blockers []Blocker `json:"blockers"`

	// Dependencies Each wait with what it has come to
	Dependencies []ExplainedWait `json:"dependencies"`

	// Events The latest of its history
	Events   []Event  `json:"events,omitempty,omitzero"`
	Forecast Forecast `json:"forecast"`

	// Gates Of a waiting instance, every gate in order
	Gates []Verdict `json:"gates"`

	// Holding The first closed gate; absent when it only lacks its turn, or does not wait
	Holding  string   `json:"holding,omitempty,omitzero"`
	Instance Instance `json:"instance"`

	// Operations What it takes as it is now, whoever may do it. One that is not planned yet takes less
	Operations []string `json:"operations"`

	// Planned It is recorded; else it is what the loaded definitions would plan, and its id is 0
	Planned bool `json:"planned"`

	// Roots What waits for no other instance, or for a person: where an action would help; the instance itself when that is so of it
	Roots []Cause `json:"roots"`

	// Schedule When its job is due, in words
	Schedule string `json:"schedule"`

	// Unknown Of a time that has passed: what the history does not tell
	Unknown []string `json:"unknown,omitempty,omitzero"`

	// Watching What steps of a running instance wait for without a slot
	Watching []Watching `json:"watching,omitempty,omitzero"`
}

// FolderTrouble defines model for FolderTrouble.
type FolderTrouble struct {
	// Errors How many errors there are
	Errors int64 `json:"errors"`

	// Kept Workflows that run as they were recorded last, in the place of what a bad file says; none when the whole load was refused
	Kept []string `json:"kept"`

	// Mistakes The first 50 errors in the files
	Mistakes []DefinitionProblem `json:"mistakes"`

	// Since When the folder was read
	Since time.Time `json:"since"`

	// Text In a sentence, with what runs in its place
	Text string `json:"text"`
}

// Forecast defines model for Forecast.
type Forecast struct {
	// AtLeast Not everything that it waits for was looked at: it may be later
	AtLeast bool `json:"atLeast,omitempty,omitzero"`

	// Earliest It cannot start before, by plan times alone; absent when it has started
	Earliest time.Time `json:"earliest,omitempty,omitzero"`

	// End Its end, estimated when it is to come; absent when that is not known
	End time.Time `json:"end,omitempty,omitzero"`

	// HighSeconds Nine of ten took no longer
	HighSeconds float64 `json:"highSeconds,omitempty,omitzero"`

	// MedianSeconds How long past instances took
	MedianSeconds float64 `json:"medianSeconds,omitempty,omitzero"`

	// Of Past instances that the estimate is made of
	Of int64 `json:"of,omitempty,omitzero"`

	// Start Its start, estimated when it is to come; absent when that is not known
	Start time.Time `json:"start,omitempty,omitzero"`

	// Unknown Why there is no estimate
	Unknown string `json:"unknown,omitempty,omitzero"`
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

// Graph defines model for Graph.
type Graph struct {
	// At As of when
	At    time.Time   `json:"at"`
	Edges []GraphEdge `json:"edges"`

	// More There are instances that are not shown; the nodes say where
	More bool `json:"more,omitempty,omitzero"`

	// Nodes The instance itself first, then by distance
	Nodes []GraphNode `json:"nodes"`
}

// GraphEdge defines model for GraphEdge.
type GraphEdge struct {
	// Count How many plan times the upstream has from first to last; 0: nothing in the window
	Count int64 `json:"count"`

	// Dependency Ordinal of the declared dependency, from 0; a set that is cut in pieces has several waits
	Dependency int64 `json:"dependency"`

	// Ended Any end satisfies it (waitPreviousEnd)
	Ended bool `json:"ended,omitempty,omitzero"`

	// First The first plan time that is waited for; absent when count is 0
	First time.Time `json:"first,omitempty,omitzero"`

	// From Nodes of the range that are shown; count says how many there are
	From []string `json:"from"`

	// Job Of the upstream
	Job string `json:"job"`

	// Key Of the upstream instances; absent for scheduled ones
	Key string `json:"key,omitempty,omitzero"`

	// Last The last one, included
	Last time.Time `json:"last,omitempty,omitzero"`

	// N Ordinal within the instance, from 0
	N         int64              `json:"n"`
	OnFailed  GraphEdgeOnFailed  `json:"onFailed"`
	OnMissing GraphEdgeOnMissing `json:"onMissing"`

	// Open Of a range that is not satisfied: how many are not done, those that are not planned yet with them; 100 stands for 100 and more
	Open int64 `json:"open,omitempty,omitzero"`

	// Pair The rule in words, with both classes
	Pair string `json:"pair,omitempty,omitzero"`

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
	To             string  `json:"to"`
	Window         Window  `json:"window"`

	// Workflow Of the upstream
	Workflow string `json:"workflow"`
}

// GraphEdgeOnFailed defines model for GraphEdge.OnFailed.
type GraphEdgeOnFailed string

// GraphEdgeOnMissing defines model for GraphEdge.OnMissing.
type GraphEdgeOnMissing string

// GraphNode defines model for GraphNode.
type GraphNode struct {
	Forecast Forecast `json:"forecast"`

	// Hop Below 0: so many hops up, waited for; above 0: down
	Hop      int64    `json:"hop"`
	Instance Instance `json:"instance"`

	// MoreDown At least as many of what waits for it are not shown
	MoreDown int64 `json:"moreDown,omitempty,omitzero"`

	// MoreUp As many of what it waits for are not shown; where the hops end, only when ends is asked for
	MoreUp int64 `json:"moreUp,omitempty,omitzero"`

	// Node Names the node in this graph
	//
	// Examples: n0
	Node string `json:"node"`

	// Planned It is recorded; else it is what the loaded definitions would plan
	Planned bool `json:"planned"`
}

// Health defines model for Health.
type Health struct {
	// Aspects Each thing without which it does not, as it is; none when no server runs
	Aspects []Condition `json:"aspects"`
	At      time.Time   `json:"at"`

	// Disk Of the file system of the data directory; absent when it cannot be asked
	Disk DiskHealth `json:"disk,omitempty,omitzero"`

	// Loop Absent when no server runs
	Loop   LoopHealth   `json:"loop,omitempty,omitzero"`
	Outbox OutboxHealth `json:"outbox"`

	// Ready Whether it does its work
	Ready     bool        `json:"ready"`
	Retention Keeping     `json:"retention"`
	Store     StoreHealth `json:"store"`

	// Version Examples: 1.0.0
	Version string `json:"version"`
}

// HookAnswer defines model for HookAnswer.
type HookAnswer struct {
	// Instance A row's id, in decimal
	//
	// Examples: 4217
	Instance string `json:"instance"`

	// Name workflow/job@plan time
	//
	// Examples: retail/orders@2026-11-21T06:00:00+01:00
	Name  string          `json:"name"`
	State HookAnswerState `json:"state"`
}

// HookAnswerState defines model for HookAnswer.State.
type HookAnswerState string

// Incident defines model for Incident.
type Incident struct {
	AcknowledgedAt time.Time `json:"acknowledgedAt,omitempty,omitzero"`
	AcknowledgedBy string    `json:"acknowledgedBy,omitempty,omitzero"`

	// Blocked Waiting instances that cannot start because of the root, when it was last looked at; at most 10,000 are counted
	Blocked int64 `json:"blocked"`

	// Cause What brings further trouble into it: a job, or what many jobs lack alike
	//
	// Examples: job/11
	Cause string `json:"cause"`

	// ClosedAt Absent while it is open
	ClosedAt time.Time `json:"closedAt,omitempty,omitzero"`

	// ID A row's id, in decimal
	//
	// Examples: 4217
	ID string `json:"id"`

	// Kind As which it began, or what it came to
	Kind IncidentKind `json:"kind"`

	// Note Of who acknowledged it
	Note string `json:"note,omitempty,omitzero"`

	// Open Of these, not resolved
	Open     int64     `json:"open"`
	OpenedAt time.Time `json:"openedAt"`

	// Reason Of the root, when it began
	Reason Reason `json:"reason"`

	// Root The instance from which it comes
	Root IncidentInstance `json:"root"`

	// Title In one line, for people
	Title string `json:"title"`

	// Trouble Members that failed or were late
	Trouble int64 `json:"trouble"`
}

// IncidentKind As which it began, or what it came to
type IncidentKind string

// IncidentDetail defines model for IncidentDetail.
type IncidentDetail struct {
	AcknowledgedAt time.Time `json:"acknowledgedAt,omitempty,omitzero"`
	AcknowledgedBy string    `json:"acknowledgedBy,omitempty,omitzero"`

	// Blocked Waiting instances that cannot start because of the root, when it was last looked at; at most 10,000 are counted
	Blocked int64 `json:"blocked"`

	// Cause What brings further trouble into it: a job, or what many jobs lack alike
	//
	// Examples: job/11
	Cause string `json:"cause"`

	// ClosedAt Absent while it is open
	ClosedAt   time.Time  `json:"closedAt,omitempty,omitzero"`
	Deliveries []Delivery `json:"deliveries"`

	// ID A row's id, in decimal
	//
	// Examples: 4217
	ID string `json:"id"`

	// Kind As which it began, or what it came to
	Kind IncidentDetailKind `json:"kind"`

	// Members At most 100, those in trouble before blocked ones
	Members []IncidentMember `json:"members"`

	// Note Of who acknowledged it
	Note string `json:"note,omitempty,omitzero"`

	// Open Of these, not resolved
	Open     int64     `json:"open"`
	OpenedAt time.Time `json:"openedAt"`

	// Reason Of the root, when it began
	Reason Reason `json:"reason"`

	// Root The instance from which it comes
	Root IncidentInstance `json:"root"`

	// Title In one line, for people
	Title string `json:"title"`

	// Trouble Members that failed or were late
	Trouble int64 `json:"trouble"`
}

// IncidentDetailKind As which it began, or what it came to
type IncidentDetailKind string

// IncidentInstance defines model for IncidentInstance.
type IncidentInstance struct {
	// ID A row's id, in decimal
	//
	// Examples: 4217
	ID  string `json:"id"`
	Job string `json:"job"`

	// Name Examples: retail/orders@2026-11-21T06:00:00+01:00
	Name     string    `json:"name"`
	PlanTime time.Time `json:"planTime"`
	Workflow string    `json:"workflow"`
}

// IncidentMember defines model for IncidentMember.
type IncidentMember struct {
	// ID A row's id, in decimal
	//
	// Examples: 4217
	ID   string             `json:"id"`
	Job  string             `json:"job"`
	Kind IncidentMemberKind `json:"kind"`

	// Name Examples: retail/orders@2026-11-21T06:00:00+01:00
	Name       string    `json:"name"`
	PlanTime   time.Time `json:"planTime"`
	Reason     Reason    `json:"reason,omitempty,omitzero"`
	ResolvedAt time.Time `json:"resolvedAt,omitempty,omitzero"`
	Since      time.Time `json:"since"`

	// State Now; absent when retention has removed the instance
	State    string `json:"state,omitempty,omitzero"`
	Workflow string `json:"workflow"`
}

// IncidentMemberKind defines model for IncidentMember.Kind.
type IncidentMemberKind string

// IncidentPage defines model for IncidentPage.
type IncidentPage struct {
	Items []Incident `json:"items"`

	// Next The value of before for the next page; absent on the last
	Next string `json:"next,omitempty,omitzero"`
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

	// Run The number of its current run, from 1: a rerun is the next. The times are those of this run, and GET /instances/{id}/runs lists the earlier ones
	Run int64 `json:"run,omitempty,omitzero"`

	// RunNow Who lets it run without what it waits for
	RunNow string `json:"runNow,omitempty,omitzero"`

	// StartedAt When its current run started
	StartedAt time.Time     `json:"startedAt,omitempty,omitzero"`
	State     InstanceState `json:"state"`

	// Touched A person has acted on it: no change of its job plans it away, and none later takes its place
	Touched bool `json:"touched,omitempty,omitzero"`

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

// InstanceChange defines model for InstanceChange.
type InstanceChange struct {
	Effect InstanceChangeEffect `json:"effect"`
	From   string               `json:"from"`

	// ID A row's id, in decimal
	//
	// Examples: 4217
	ID string `json:"id"`

	// Name workflow/job@plan time
	Name     string    `json:"name"`
	PlanTime time.Time `json:"planTime"`

	// Text What happens, in words
	Text string `json:"text"`
	To   string `json:"to"`
}

// InstanceChangeEffect defines model for InstanceChange.Effect.
type InstanceChangeEffect string

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

// InstanceName defines model for InstanceName.
type InstanceName struct {
	Job string `json:"job"`

	// Key Of one that a person or a backfill made
	Key      string    `json:"key,omitempty,omitzero"`
	PlanTime time.Time `json:"planTime"`
	Workflow string    `json:"workflow"`
}

// InstancePage defines model for InstancePage.
type InstancePage struct {
	Items []Instance `json:"items"`

	// Next The cursor of the next page; absent on the last
	Next string `json:"next,omitempty,omitzero"`
}

// JobChange defines model for JobChange.
type JobChange struct {
	// AtOnce Of an added job: it is due as soon as it is loaded, since it has no startTime to come
	AtOnce bool            `json:"atOnce,omitempty,omitzero"`
	Change JobChangeChange `json:"change"`
	Job    string          `json:"job"`

	// Members The members of the definition that differ; folder is where it was loaded from
	//
	// Examples: ["action"]
	Members  []string `json:"members,omitempty,omitzero"`
	Workflow string   `json:"workflow"`
}

// JobChangeChange defines model for JobChange.Change.
type JobChangeChange string

// JobDay defines model for JobDay.
type JobDay struct {
	// AtLeast There are more instances than were counted
	AtLeast bool `json:"atLeast,omitempty,omitzero"`

	// Date Examples: 2026-11-21
	Date string `json:"date"`

	// EndedAt The last end
	EndedAt time.Time `json:"endedAt,omitempty,omitzero"`

	// From Its first instant
	From time.Time `json:"from"`

	// Instances Instances of every kind that were planned for it, by state
	Instances InstanceCounts `json:"instances"`

	// MedianSeconds That the middle one of these took
	MedianSeconds float64 `json:"medianSeconds,omitempty,omitzero"`

	// Planned Plan times to come that are not written down as instances yet
	Planned int64 `json:"planned,omitempty,omitzero"`

	// Reruns Runs of these before the current ones: a rerun is a run of its own
	Reruns int64 `json:"reruns,omitempty,omitzero"`

	// StartedAt The first start
	StartedAt time.Time `json:"startedAt,omitempty,omitzero"`

	// Timed Instances that succeeded in one go: those whose durations are told
	Timed int64 `json:"timed,omitempty,omitzero"`

	// Times The first of these
	Times []time.Time `json:"times,omitempty,omitzero"`

	// To The first instant of the day after: 23 or 25 hours later where the clocks change
	To time.Time `json:"to"`

	// Total All of these
	Total int64 `json:"total"`

	// TotalSeconds That these took together
	TotalSeconds float64 `json:"totalSeconds,omitempty,omitzero"`

	// Worst The one of their states that matters most; absent of a day without instances
	Worst JobDayWorst `json:"worst,omitempty,omitzero"`
}

// JobDayWorst The one of their states that matters most; absent of a day without instances
type JobDayWorst string

// JobDays defines model for JobDays.
type JobDays struct {
	Days []JobDay `json:"days"`

	// Next The day to ask on from: there was more to count than one answer may cost; absent when all days are there
	Next string `json:"next,omitempty,omitzero"`

	// TimeZone In which the days are counted
	//
	// Examples: Europe/Berlin
	TimeZone string `json:"timeZone"`

	// Today The day of now
	Today string `json:"today"`
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

	// Paused Nothing of it starts: it, or its workflow, is paused
	Paused Pause `json:"paused,omitempty,omitzero"`

	// Period Its class: what it waits for follows from it and from the class of the other
	Period JobDetailPeriod `json:"period,omitempty,omitzero"`

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

// JobDetailPeriod Its class: what it waits for follows from it and from the class of the other
type JobDetailPeriod string

// JobEdge defines model for JobEdge.
type JobEdge struct {
	// From What is waited for
	//
	// Examples: retail/orders
	From string `json:"from"`

	// To What waits
	//
	// Examples: retail/report
	To string `json:"to"`
}

// JobNode defines model for JobNode.
type JobNode struct {
	// Asked It was asked for
	Asked    bool `json:"asked,omitempty,omitzero"`
	Disabled bool `json:"disabled,omitempty,omitzero"`

	// Down It waits for them, at least so many steps away
	Down int64  `json:"down,omitempty,omitzero"`
	Job  string `json:"job"`

	// Manual It is started on demand and has no plan times
	Manual bool `json:"manual,omitempty,omitzero"`

	// Up Those that were asked for wait for it, at least so many steps away
	Up       int64  `json:"up,omitempty,omitzero"`
	Workflow string `json:"workflow"`
}

// JobPage defines model for JobPage.
type JobPage struct {
	Items []ListedJob `json:"items"`

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

// JobVersion defines model for JobVersion.
type JobVersion struct {
	// CreatedAt Instances are planned by it from here on
	CreatedAt time.Time `json:"createdAt"`
	Current   bool      `json:"current,omitempty,omitzero"`

	// Definition A workflow document that holds this job alone
	Definition interface{} `json:"definition"`

	// Folder Where it was loaded from
	Folder string `json:"folder"`

	// ID A row's id, in decimal
	//
	// Examples: 4217
	ID string `json:"id"`
}

// JobsAround defines model for JobsAround.
type JobsAround struct {
	Edges []JobEdge `json:"edges"`

	// More There are further jobs, which are not shown
	More bool `json:"more,omitempty,omitzero"`

	// Nodes Those that were asked for first, then by distance
	Nodes []JobNode `json:"nodes"`
}

// Keeping defines model for Keeping.
type Keeping struct {
	// Due Instances that retention may remove within the next 24 hours, counted up to 100,000
	Due int64 `json:"due"`

	// Goes When that one may go: what an instance that is still open waits for stays longer
	Goes time.Time `json:"goes,omitempty,omitzero"`

	// Oldest When the instance that ended first of those that are kept ended
	Oldest time.Time `json:"oldest,omitempty,omitzero"`

	// Seconds How long ended instances, their logs and the history are kept; absent is for ever
	Seconds float64 `json:"seconds,omitempty,omitzero"`
}

// Late defines model for Late.
type Late struct {
	Deadline time.Time `json:"deadline"`

	// Ends When it will probably have ended, by the medians of what its job and those it waits for took
	Ends time.Time `json:"ends"`

	// ID A row's id, in decimal
	//
	// Examples: 4217
	ID string `json:"id"`

	// Incident A row's id, in decimal
	//
	// Examples: 4217
	Incident string   `json:"incident"`
	Job      string   `json:"job"`
	Kind     LateKind `json:"kind"`

	// LateSeconds From the deadline to then
	LateSeconds float64 `json:"lateSeconds"`

	// Name Examples: retail/orders@2026-11-21T06:00:00+01:00
	Name     string    `json:"name"`
	PlanTime time.Time `json:"planTime"`
	Reason   Reason    `json:"reason"`
	State    string    `json:"state"`
	Workflow string    `json:"workflow"`
}

// LateKind defines model for Late.Kind.
type LateKind string

// LateList defines model for LateList.
type LateList struct {
	// All How many there are, of those that the newest 200 open incidents name
	All int64 `json:"all"`

	// Items The one that will be latest first
	Items []Late `json:"items"`

	// Next Cursor of the next page; absent on the last
	Next string `json:"next,omitempty,omitzero"`
}

// Link defines model for Link.
type Link struct {
	// Ended Any end satisfies
	Ended bool   `json:"ended,omitempty,omitzero"`
	Job   string `json:"job"`

	// Missing Without plan times: whether the instance runs, is cancelled, or waits (run, cancel, wait)
	Missing string `json:"missing,omitempty,omitzero"`

	// PlanTimes None when its schedule has none in the window
	PlanTimes []time.Time `json:"planTimes"`
	Rule      string      `json:"rule"`

	// Select all, any, or how many must be satisfied
	Select   string `json:"select"`
	Workflow string `json:"workflow"`
}

// ListedJob defines model for ListedJob.
type ListedJob struct {
	// CreatedAt When the name first appeared
	CreatedAt time.Time `json:"createdAt"`
	Disabled  bool      `json:"disabled,omitempty,omitzero"`

	// Due Its next plan time; absent unless asked for, and for a job that is started on demand, disabled or over
	Due time.Time `json:"due,omitempty,omitzero"`

	// ID A row's id, in decimal
	//
	// Examples: 4217
	ID string `json:"id"`

	// Job Examples: orders
	Job string `json:"job"`

	// Paused Nothing of it starts: it, or its workflow, is paused
	Paused Pause `json:"paused,omitempty,omitzero"`

	// PlannedTo Its instances are written down up to here, excluded
	PlannedTo time.Time `json:"plannedTo,omitempty,omitzero"`

	// Recurrence When it is due, in words; absent unless asked for with due, and when the definition cannot be read
	//
	// Examples: every day at 06:00, in Europe/Berlin.
	Recurrence string `json:"recurrence,omitempty,omitzero"`

	// Removed Its definition is gone; its instances are not
	Removed bool `json:"removed,omitempty,omitzero"`

	// Version The current version of its definition
	//
	// Examples: 4217
	Version string `json:"version"`

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

// LoopHealth defines model for LoopHealth.
type LoopHealth struct {
	// LeaseUntil Until when what this server runs is its own; it is renewed
	LeaseUntil time.Time `json:"leaseUntil,omitempty,omitzero"`

	// PlannedTo The plan of each scheduled job is written up to here at least
	PlannedTo time.Time `json:"plannedTo,omitempty,omitzero"`

	// Ready What has been ready beside a free slot for longest; absent when nothing is
	//
	// Examples: retail/orders@2026-11-21T06:00:00+01:00 only lacks a slot
	Ready      string    `json:"ready,omitempty,omitzero"`
	ReadySince time.Time `json:"readySince,omitempty,omitzero"`

	// TookSeconds That turn
	TookSeconds float64 `json:"tookSeconds"`

	// TurnedAt When the last turn ended
	TurnedAt time.Time `json:"turnedAt,omitempty,omitzero"`
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
	// Note Why; written to the history and to the server's audit log; of a test of a sink, a line of its message
	Note string `json:"note,omitempty,omitzero"`
}

// OperationOptions defines model for OperationOptions.
type OperationOptions struct {
	// From Of rerun: from the start (the default), from what failed, or from a step
	From OperationOptionsFrom `json:"from,omitempty,omitzero"`

	// Priority Of boost: 9 goes first, and is the default
	Priority int64 `json:"priority,omitempty,omitzero"`

	// Scope Of rerun: also every ended instance that waits for it
	Scope OperationOptionsScope `json:"scope,omitempty,omitzero"`

	// Step Of rerun: the step that begins, with what needs it
	Step string `json:"step,omitempty,omitzero"`

	// To Of reschedule: when it starts at the earliest, in RFC 3339 or on the clock of the job's zone; plan is its plan time, which never moves
	To string `json:"to,omitempty,omitzero"`

	// Upstream Of detach: the id or the name of the instance that is not waited for any more
	Upstream string `json:"upstream,omitempty,omitzero"`

	// Version Of rerun: by which version of the job; the default is the one that it was planned with
	Version OperationOptionsVersion `json:"version,omitempty,omitzero"`
}

// OperationOptionsFrom Of rerun: from the start (the default), from what failed, or from a step
type OperationOptionsFrom string

// OperationOptionsScope Of rerun: also every ended instance that waits for it
type OperationOptionsScope string

// OperationOptionsVersion Of rerun: by which version of the job; the default is the one that it was planned with
type OperationOptionsVersion string

// OperationPage defines model for OperationPage.
type OperationPage struct {
	Items []OperationProgress `json:"items"`

	// Next The cursor of the next page; absent on the last
	Next string `json:"next,omitempty,omitzero"`
}

// OperationProgress defines model for OperationProgress.
type OperationProgress struct {
	Actor string    `json:"actor"`
	At    time.Time `json:"at"`

	// Counts What has become of them so far
	Counts EffectCounts `json:"counts"`

	// Done Of them, those that are through
	Done    int64     `json:"done"`
	EndedAt time.Time `json:"endedAt,omitempty,omitzero"`

	// ID A row's id, in decimal
	//
	// Examples: 4217
	ID string `json:"id"`

	// MovedOn Did not allow it any more when their turn came, and are left as they are
	MovedOn   int64  `json:"movedOn"`
	Note      string `json:"note,omitempty,omitzero"`
	Operation string `json:"operation"`

	// Refusals The first 20 of these
	Refusals []Mistake `json:"refusals"`
	Selector string    `json:"selector,omitempty,omitzero"`

	// State changing: nothing of its list starts; waking: all is changed, and what was held is looked at
	State OperationProgressState `json:"state"`

	// Total Instances that are changed, or were to be; jobs, of a load
	Total int64 `json:"total"`
}

// OperationProgressState changing: nothing of its list starts; waking: all is changed, and what was held is looked at
type OperationProgressState string

// OperationRequest defines model for OperationRequest.
type OperationRequest struct {
	// DryRun Say what would happen, and change nothing
	DryRun bool `json:"dryRun,omitempty,omitzero"`

	// Ids In the place of a selector: on these instances
	Ids []string `json:"ids,omitempty,omitzero"`

	// Note Why; written to the history and to the server's audit log
	Note string `json:"note,omitempty,omitzero"`

	// Operation What to do
	Operation OperationRequestOperation `json:"operation"`

	// Options How
	Options OperationOptions `json:"options,omitempty,omitzero"`

	// Selector On which instances: terms joined by AND, such as job:orders date:yesterday state:failed
	Selector string `json:"selector,omitempty,omitzero"`
}

// OperationRequestOperation What to do
type OperationRequestOperation string

// OperationResult defines model for OperationResult.
type OperationResult struct {
	Changes []InstanceChange `json:"changes"`
	Counts  EffectCounts     `json:"counts"`

	// DryRun Nothing was changed
	DryRun    bool   `json:"dryRun"`
	Operation string `json:"operation"`

	// Total How many instances it concerns; changes lists the first 1,000 of them
	Total int64 `json:"total"`

	// UnderWay How far it is, when it is carried out step by step
	UnderWay OperationProgress `json:"underWay,omitempty,omitzero"`
}

// OrderAhead defines model for OrderAhead.
type OrderAhead struct {
	// At When
	At time.Time `json:"at"`

	// By Who ordered last
	By     string `json:"by"`
	Frozen bool   `json:"frozen,omitempty,omitzero"`

	// Instance Absent when no definition has the due time: the order is kept, without an instance
	//
	// Examples: 4217
	Instance string `json:"instance,omitempty,omitzero"`

	// Job Examples: report
	Job string `json:"job"`

	// NotBefore When it starts at the earliest; absent is as its plan time says
	NotBefore time.Time `json:"notBefore,omitempty,omitzero"`

	// Note Why
	Note     string    `json:"note,omitempty,omitzero"`
	PlanTime time.Time `json:"planTime"`

	// Priority Absent is as the job says
	Priority int64 `json:"priority,omitempty,omitzero"`

	// Text What is ordered, in words
	//
	// Examples: frozen, priority 9
	Text string `json:"text"`

	// Workflow Examples: retail
	Workflow string `json:"workflow"`
}

// OrderList defines model for OrderList.
type OrderList struct {
	// Items By plan time
	Items []OrderAhead `json:"items"`

	// Next Cursor of the next page; absent on the last
	Next string `json:"next,omitempty,omitzero"`
}

// OutboxHealth defines model for OutboxHealth.
type OutboxHealth struct {
	// Alerts Messages to sinks that have not been delivered
	Alerts int64 `json:"alerts"`

	// ErrorActions Error actions that have not been carried out
	ErrorActions int64 `json:"errorActions"`

	// ErrorActionsSince When the oldest of them was written
	ErrorActionsSince time.Time `json:"errorActionsSince,omitempty,omitzero"`

	// FailedAlerts That failed for good within the last 24 hours
	FailedAlerts int64 `json:"failedAlerts"`
}

// Param defines model for Param.
type Param struct {
	Default     string   `json:"default,omitempty,omitzero"`
	Description string   `json:"description,omitempty,omitzero"`
	Enum        []string `json:"enum,omitempty,omitzero"`

	// Max As min; included
	Max float64 `json:"max,omitempty,omitzero"`

	// Min Of a number; of a string, characters; of a list, items
	Min  float64 `json:"min,omitempty,omitzero"`
	Name string  `json:"name"`

	// Pattern What a string, or each item of a list, matches as a whole
	Pattern  string `json:"pattern,omitempty,omitzero"`
	Required bool   `json:"required,omitempty,omitzero"`

	// Secret Its values are not shown
	Secret bool      `json:"secret,omitempty,omitzero"`
	Type   ParamType `json:"type"`
}

// ParamType defines model for Param.Type.
type ParamType string

// Pause defines model for Pause.
type Pause struct {
	// By Who paused it
	By string `json:"by"`

	// Job Absent when the whole workflow is paused
	//
	// Examples: orders
	Job string `json:"job,omitempty,omitzero"`

	// Missed What becomes of what was due meanwhile; absent is as the misfire of each job says
	Missed PauseMissed `json:"missed,omitempty,omitzero"`

	// Note Why
	Note string `json:"note,omitempty,omitzero"`

	// Resumed When somebody resumed it
	Resumed time.Time `json:"resumed,omitempty,omitzero"`
	Since   time.Time `json:"since"`

	// Until When it ends by itself; absent until somebody resumes it
	Until time.Time `json:"until,omitempty,omitzero"`

	// Workflow Examples: retail
	Workflow string `json:"workflow"`
}

// PauseMissed What becomes of what was due meanwhile; absent is as the misfire of each job says
type PauseMissed string

// PauseList defines model for PauseList.
type PauseList struct {
	Items []Pause `json:"items"`

	// Next Cursor of the next page; absent on the last
	Next string `json:"next,omitempty,omitzero"`
}

// PauseRequest defines model for PauseRequest.
type PauseRequest struct {
	// Job Absent pauses the whole workflow
	Job string `json:"job,omitempty,omitzero"`

	// Missed What becomes of what is due meanwhile, when it ends: all of it runs, the latest of each job, nothing. Absent is as the misfire of each job says
	Missed PauseRequestMissed `json:"missed,omitempty,omitzero"`

	// Note Why; written to the history and shown wherever the job is
	Note string `json:"note,omitempty,omitzero"`

	// Until When it ends by itself; absent until somebody resumes it
	Until    time.Time `json:"until,omitempty,omitzero"`
	Workflow string    `json:"workflow"`
}

// PauseRequestMissed What becomes of what is due meanwhile, when it ends: all of it runs, the latest of each job, nothing. Absent is as the misfire of each job says
type PauseRequestMissed string

// PlanDiff defines model for PlanDiff.
type PlanDiff struct {
	Added []AddedInstance `json:"added"`
	After DiffSide        `json:"after"`

	// At As of when; absent when nothing that is loaded was compared
	At     time.Time `json:"at,omitempty,omitzero"`
	Before DiffSide  `json:"before"`

	// Bound Not started, stay where they are, and wait for others from now on
	Bound []BoundInstance `json:"bound,omitempty,omitzero"`

	// Changed In both plans, wait for the same, and do another thing: the version of their job is another
	Changed []InstanceName `json:"changed"`

	// DropDue Due, unstarted instances of jobs that go are cancelled
	DropDue bool `json:"dropDue,omitempty,omitzero"`

	// Due Due and not started when their job goes, or one that they wait for
	Due []DueInstance `json:"due"`

	// From The plans are compared from here on
	From time.Time `json:"from"`

	// Jobs What becomes of definitions
	Jobs []JobChange `json:"jobs"`

	// Keep Workflows that the definitions do not have stay as they are loaded
	Keep bool `json:"keep,omitempty,omitzero"`

	// Relinked In both plans, and wait for others
	Relinked []RelinkedInstance `json:"relinked"`

	// Removed Planned for later, and not any more
	Removed []InstanceName `json:"removed"`
	Summary DiffSummary    `json:"summary"`

	// To Up to here, excluded
	To time.Time `json:"to"`

	// Without Ordered ahead, and without an instance from now on: the due time is gone. The orders are kept
	Without []OrderAhead `json:"without,omitempty,omitzero"`
}

// Preview defines model for Preview.
type Preview struct {
	Date string `json:"date"`

	// Disabled Nothing of it would be planned
	Disabled bool `json:"disabled,omitempty,omitzero"`

	// Effective It has no plan time before; absent when it always counted
	Effective time.Time `json:"effective,omitempty,omitzero"`

	// From The natural day: from here on
	From      time.Time          `json:"from"`
	Instances []PreviewInstances `json:"instances"`
	Job       string             `json:"job"`

	// Manual It has no plan times: a person or a program starts it
	Manual bool `json:"manual,omitempty,omitzero"`

	// Schedule When the job is due, in words
	Schedule string `json:"schedule"`

	// TimeZone Examples: Europe/Berlin
	TimeZone string `json:"timeZone"`

	// To Up to here, excluded: 23, 24 or 25 hours
	To time.Time `json:"to"`

	// Total Instances of the day; those beyond limit are not listed
	Total    int64  `json:"total"`
	Workflow string `json:"workflow"`
}

// PreviewInstances defines model for PreviewInstances.
type PreviewInstances struct {
	// Dependencies As an explanation has them
	Dependencies []ExplainedWait `json:"dependencies"`

	// DryRun On a day off: it is skipped
	DryRun bool `json:"dryRun,omitempty,omitzero"`

	// Instance Absent when it is not planned yet
	//
	// Examples: 4217
	Instance string    `json:"instance,omitempty,omitzero"`
	PlanTime time.Time `json:"planTime"`
	State    string    `json:"state,omitempty,omitzero"`
}

// PreviewRequest defines model for PreviewRequest.
type PreviewRequest struct {
	// Date A natural day in the zone of the job, or yesterday, today, tomorrow
	//
	// Examples: 2026-11-21
	Date string `json:"date"`

	// Files The files of a folder; without them the server reads its own folder again
	Files []DefinitionFile `json:"files,omitempty,omitzero"`

	// Folder Where the folder stands on the server: scripts and working directories start there. The default is the server's own folder
	Folder string `json:"folder,omitempty,omitzero"`

	// Job Examples: orders
	Job string `json:"job"`

	// Keep Workflows that no file has stay as they are loaded; otherwise the files are everything, and other jobs of folders are removed
	Keep bool `json:"keep,omitempty,omitzero"`

	// Limit Instances that are listed, the first of the day; the default is 100
	Limit int64 `json:"limit,omitempty,omitzero"`

	// Loaded Go by what is loaded, and by no files
	Loaded bool `json:"loaded,omitempty,omitzero"`

	// Workflow Examples: retail
	Workflow string `json:"workflow"`
}

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
	// Examples: waits for retail/stores@2026-11-21T05:00:00+01:00, which is running
	Text string `json:"text"`

	// Upstream The job that is waited for
	Upstream JobRef `json:"upstream,omitempty,omitzero"`
}

// RelinkedInstance defines model for RelinkedInstance.
type RelinkedInstance struct {
	After  []Link `json:"after"`
	Before []Link `json:"before"`
	Job    string `json:"job"`

	// Key Of one that a person or a backfill made
	Key string `json:"key,omitempty,omitzero"`

	// Later The latest that it waits for has a later plan time than before
	Later bool `json:"later,omitempty,omitzero"`

	// Moved Its job has another version; otherwise an upstream job has another schedule
	Moved    bool      `json:"moved,omitempty,omitzero"`
	PlanTime time.Time `json:"planTime"`
	Workflow string    `json:"workflow"`
}

// ResumeRequest defines model for ResumeRequest.
type ResumeRequest struct {
	// Job Absent resumes the whole workflow; jobs of it that are paused by themselves stay so
	Job string `json:"job,omitempty,omitzero"`

	// Missed What becomes of what was due meanwhile; absent is as the pause says
	Missed ResumeRequestMissed `json:"missed,omitempty,omitzero"`

	// Note Why; written to the history
	Note     string `json:"note,omitempty,omitzero"`
	Workflow string `json:"workflow"`
}

// ResumeRequestMissed What becomes of what was due meanwhile; absent is as the pause says
type ResumeRequestMissed string

// RevokeRequest defines model for RevokeRequest.
type RevokeRequest struct {
	// Note Why; written to the history and to the server's audit log
	Note string `json:"note,omitempty,omitzero"`

	// Own Also when it is the one that the request is made with, which is refused otherwise
	Own bool `json:"own,omitempty,omitzero"`
}

// Run defines model for Run.
type Run struct {
	Current bool `json:"current,omitempty,omitzero"`

	// EndedAt Absent while it is open; of one that was lost, when a person decided
	EndedAt time.Time `json:"endedAt,omitempty,omitzero"`
	Number  int64     `json:"number"`
	Reason  Reason    `json:"reason"`

	// StartedAt Absent when it did not start
	StartedAt time.Time `json:"startedAt,omitempty,omitzero"`

	// State As it ended, or is; lost: a person decided later what became of it
	State string `json:"state"`
}

// RunList defines model for RunList.
type RunList struct {
	Items []Run `json:"items"`

	// Next The cursor of the next page; absent on the last
	Next string `json:"next,omitempty,omitzero"`
}

// Running defines model for Running.
type Running struct {
	// ID A row's id, in decimal
	//
	// Examples: 4217
	ID string `json:"id"`

	// Instance A row's id, in decimal
	//
	// Examples: 4217
	Instance string `json:"instance"`
	Job      string `json:"job,omitempty,omitzero"`

	// Name Examples: retail/orders@2026-11-21T06:00:00+01:00
	Name string `json:"name,omitempty,omitzero"`

	// Number Of the attempt, from 1
	Number    int64     `json:"number"`
	Pool      string    `json:"pool,omitempty,omitzero"`
	Server    string    `json:"server,omitempty,omitzero"`
	StartedAt time.Time `json:"startedAt"`
	Step      string    `json:"step,omitempty,omitzero"`
	Workflow  string    `json:"workflow,omitempty,omitzero"`
}

// SimulateRequest defines model for SimulateRequest.
type SimulateRequest struct {
	// Assert What must hold, such as: retail/report done by 08:00
	Assert []string `json:"assert,omitempty,omitzero"`

	// Columns All instances, in columns, in the place of a list
	Columns bool `json:"columns,omitempty,omitzero"`

	// Date The first natural day, each job's in its own zone, or today, yesterday; the default is tomorrow
	//
	// Examples: 2026-11-22
	Date string `json:"date,omitempty,omitzero"`

	// Days How many; the default is 1
	Days int64 `json:"days,omitempty,omitzero"`

	// DefaultDuration For jobs of which nothing is known; the default is PT1M
	DefaultDuration string `json:"defaultDuration,omitempty,omitzero"`

	// Delay What takes longer: JOB[@TIME]=DURATION
	Delay []string `json:"delay,omitempty,omitzero"`

	// Durations How long an instance of a job runs: workflow/job, job or pattern to a length of time such as 10m or PT10M
	Durations map[string]string `json:"durations,omitempty,omitzero"`

	// Fail What fails: JOB[@TIME], or JOB[@TIME]=N for the first N attempts
	Fail []string `json:"fail,omitempty,omitzero"`

	// Known durations of an earlier answer: a day that is held against that one is played with the same, although there are more past instances by now. What durations gives goes before
	Known []SimulatedDuration `json:"known,omitempty,omitzero"`

	// Limit How many instances to list; the default is 1000
	Limit int64 `json:"limit,omitempty,omitzero"`

	// NoHistory Do not go by how long past instances took
	NoHistory bool `json:"noHistory,omitempty,omitzero"`

	// Path Whose critical paths to show: JOB[@TIME]; without, one that says most
	Path []string `json:"path,omitempty,omitzero"`

	// Pools Sizes of pools in the place of those that jobs state
	Pools map[string]int64 `json:"pools,omitempty,omitzero"`

	// Slots Attempts at once; the default is the server's
	Slots int64 `json:"slots,omitempty,omitzero"`

	// WithBackfill A backfill that runs from the beginning on, beside the day
	WithBackfill []SimulatedRef `json:"withBackfill,omitempty,omitzero"`
}

// SimulatedAssertion defines model for SimulatedAssertion.
type SimulatedAssertion struct {
	// Checked Instances that it was held against
	Checked int64 `json:"checked"`
	Holds   bool  `json:"holds"`

	// More Beyond those
	More int64  `json:"more,omitempty,omitzero"`
	Text string `json:"text"`

	// Why Where it does not hold, the first few
	Why []string `json:"why,omitempty,omitzero"`
}

// SimulatedBucket defines model for SimulatedBucket.
type SimulatedBucket struct {
	// Busy Attempts at once, on average
	Busy float64   `json:"busy"`
	From time.Time `json:"from"`
	Peak int64     `json:"peak"`
}

// SimulatedColumns defines model for SimulatedColumns.
type SimulatedColumns struct {
	Backfill []int64 `json:"backfill"`

	// Base Times are milliseconds after it
	Base time.Time `json:"base"`

	// Before The place of the instance before it on its critical path; -1 of one that only waited for its time
	Before []int64 `json:"before"`

	// EndedAt -1 of one that never ends
	EndedAt []int64 `json:"endedAt"`

	// Gate The one that held it longest; -1 when none did
	Gate []int64 `json:"gate"`

	// Gates What the numbers of gate stand for
	Gates []string `json:"gates"`

	// HeldMs How long gates held it after its time had come
	HeldMs []int64 `json:"heldMs"`
	Job    []int64 `json:"job"`

	// Jobs By workflow and name
	Jobs []SimulatedJob `json:"jobs"`

	// Late Past their deadline, or never ended
	Late []int64 `json:"late"`

	// PathsCut Some before are -1 because finding them would take too long
	PathsCut bool    `json:"pathsCut,omitempty,omitzero"`
	PlanTime []int64 `json:"planTime"`

	// StartedAt -1 of one that never starts
	StartedAt []int64 `json:"startedAt"`
	State     []int64 `json:"state"`

	// States What the numbers of state stand for
	States []string `json:"states"`
}

// SimulatedDuration defines model for SimulatedDuration.
type SimulatedDuration struct {
	DurationMs int64  `json:"durationMs"`
	Job        string `json:"job"`

	// Of Past instances that it is the median of
	Of int64 `json:"of,omitempty,omitzero"`

	// Source given, history or default, which is a guess
	Source   string `json:"source"`
	Workflow string `json:"workflow"`
}

// SimulatedHeld defines model for SimulatedHeld.
type SimulatedHeld struct {
	Gate   string `json:"gate"`
	TookMs int64  `json:"tookMs"`
}

// SimulatedInstance defines model for SimulatedInstance.
type SimulatedInstance struct {
	Deadline time.Time `json:"deadline,omitempty,omitzero"`
	EndedAt  time.Time `json:"endedAt,omitempty,omitzero"`

	// Held What held it after its time had come
	Held []SimulatedHeld `json:"held,omitempty,omitzero"`
	Job  string          `json:"job"`
	Kind string          `json:"kind"`

	// Late Past its deadline, or never ended
	Late bool `json:"late,omitempty,omitzero"`

	// LateMs From its plan time to its start, or to its end when it never started
	LateMs int64 `json:"lateMs"`

	// Longest The gate that held it longest
	Longest  string    `json:"longest,omitempty,omitzero"`
	Name     string    `json:"name"`
	PlanTime time.Time `json:"planTime"`

	// Root Of one that did not start: what it waits for in the end, and how that is
	Root      string    `json:"root,omitempty,omitzero"`
	StartedAt time.Time `json:"startedAt,omitempty,omitzero"`
	State     string    `json:"state"`

	// Why Why it is in its state
	Why      string `json:"why"`
	Workflow string `json:"workflow"`
}

// SimulatedJob defines model for SimulatedJob.
type SimulatedJob struct {
	// DeadlineMs After the plan time; absent without one
	DeadlineMs int64  `json:"deadlineMs,omitempty,omitzero"`
	Job        string `json:"job"`
	Pool       string `json:"pool,omitempty,omitzero"`
	TimeZone   string `json:"timeZone"`
	Workflow   string `json:"workflow"`
}

// SimulatedPath defines model for SimulatedPath.
type SimulatedPath struct {
	Of    string              `json:"of"`
	Steps []SimulatedPathStep `json:"steps"`
}

// SimulatedPathStep defines model for SimulatedPathStep.
type SimulatedPathStep struct {
	EndedAt  time.Time `json:"endedAt,omitempty,omitzero"`
	Name     string    `json:"name"`
	QueuedMs int64     `json:"queuedMs"`

	// Ready When nothing but a slot was missing
	Ready     time.Time `json:"ready"`
	StartedAt time.Time `json:"startedAt"`
	State     string    `json:"state"`

	// Via What held it until the one before had ended; absent of the first
	Via string `json:"via,omitempty,omitzero"`
}

// SimulatedRef defines model for SimulatedRef.
type SimulatedRef struct {
	// Job workflow/job
	Job                  string                 `json:"job"`
	PlanTime             time.Time              `json:"planTime"`
	AdditionalProperties map[string]interface{} `json:"-"`
}

// SimulatedUpstream defines model for SimulatedUpstream.
type SimulatedUpstream struct {
	First time.Time `json:"first"`

	// For Dependencies of instances that would have waited
	For       int64     `json:"for"`
	Job       string    `json:"job"`
	Last      time.Time `json:"last"`
	PlanTimes int64     `json:"planTimes"`
	Workflow  string    `json:"workflow"`
}

// SimulatedUsage defines model for SimulatedUsage.
type SimulatedUsage struct {
	Buckets []SimulatedBucket `json:"buckets"`

	// FullMs How long all were taken
	FullMs int64 `json:"fullMs"`

	// Peak Attempts at once, at most
	Peak int64 `json:"peak"`

	// Pool Absent for the slots
	Pool string `json:"pool,omitempty,omitzero"`
	Size int64  `json:"size"`

	// WidthMs Of a bucket
	WidthMs int64 `json:"widthMs"`
}

// SimulatedWait defines model for SimulatedWait.
type SimulatedWait struct {
	Gate      string `json:"gate"`
	Instances int64  `json:"instances"`
	LongestMs int64  `json:"longestMs"`

	// Of The instance that it held longest
	Of      string `json:"of"`
	TotalMs int64  `json:"totalMs"`
}

// Simulation defines model for Simulation.
type Simulation struct {
	Assertions []SimulatedAssertion `json:"assertions"`

	// Assumed What lies outside of the days and was taken for satisfied
	Assumed []SimulatedUpstream `json:"assumed"`

	// Attention What did not end well, or ended late; at most limit
	Attention []SimulatedInstance `json:"attention"`

	// Columns All instances, when they were asked for so; instances is empty then
	Columns SimulatedColumns `json:"columns,omitempty,omitzero"`

	// Conditions How often a step's when was taken for true, since only a real attempt could tell
	Conditions int64            `json:"conditions,omitempty,omitzero"`
	Counts     SimulationCounts `json:"counts"`

	// Durations How long the instances of each job were taken to run
	Durations []SimulatedDuration `json:"durations"`

	// From The days, over all jobs: [from, to)
	From time.Time `json:"from"`

	// Holds Every assertion holds; true without any
	Holds bool `json:"holds"`

	// Instances By start; at most limit
	Instances []SimulatedInstance `json:"instances"`

	// Last When the last thing happened
	Last time.Time `json:"last"`

	// More Instances beyond the limit
	More int64 `json:"more,omitempty,omitzero"`

	// Paths Critical paths
	Paths []SimulatedPath `json:"paths"`
	To    time.Time       `json:"to"`

	// Usage The slots, then each pool
	Usage []SimulatedUsage `json:"usage"`

	// Waiting Where the time went, most first
	Waiting []SimulatedWait `json:"waiting"`
}

// SimulationCounts defines model for SimulationCounts.
type SimulationCounts struct {
	Cancelled int64 `json:"cancelled"`
	Failed    int64 `json:"failed"`
	Instances int64 `json:"instances"`

	// Late Past their deadline, or never ended
	Late       int64 `json:"late"`
	Skipped    int64 `json:"skipped"`
	Succeeded  int64 `json:"succeeded"`
	Unfinished int64 `json:"unfinished"`
}

// SinkList defines model for SinkList.
type SinkList struct {
	// FailedDeliveries That failed for good within the last 24 hours
	FailedDeliveries int64 `json:"failedDeliveries"`

	// LatestFailures The newest of these, at most 20
	LatestFailures    []Delivery `json:"latestFailures"`
	OpenIncidents     int64      `json:"openIncidents"`
	PendingDeliveries int64      `json:"pendingDeliveries"`
	Sinks             []string   `json:"sinks"`
}

// Slots defines model for Slots.
type Slots struct {
	Total int64 `json:"total"`
	Used  int64 `json:"used"`
}

// Status defines model for Status.
type Status struct {
	Alerts AlertCounts `json:"alerts"`

	// Aspects Each thing without which it does not, as it is; none when no server runs
	Aspects []Condition `json:"aspects,omitempty,omitzero"`

	// Degraded What is not as it should be although it does: definitions of its folder are not loaded, and those that were recorded last run
	Degraded string `json:"degraded,omitempty,omitzero"`

	// Gates Waiting instances by what holds them
	Gates GateCounts `json:"gates"`

	// Instances Instances by state: those that are open, and those that ended within the last 24 hours
	Instances InstanceCounts `json:"instances"`

	// NotReady Why it does not
	NotReady string `json:"notReady,omitempty,omitzero"`

	// Now The server's clock, in UTC
	Now time.Time `json:"now"`

	// Paused What is paused now, the first 100: nothing of it starts
	Paused []Pause `json:"paused"`

	// Ready Whether the server does its work
	Ready bool  `json:"ready"`
	Slots Slots `json:"slots"`

	// Version Of the program
	//
	// Examples: 1.0.0
	Version string `json:"version"`
}

// Step defines model for Step.
type Step struct {
	// Attempts Since the instance last started
	Attempts int64 `json:"attempts"`

	// ForEach It runs once for each item of a list
	ForEach bool `json:"forEach,omitempty,omitzero"`

	// ItemOf It is an item of this step
	ItemOf string `json:"itemOf,omitempty,omitzero"`

	// Needs The steps that must have ended before it
	Needs []string `json:"needs,omitempty,omitzero"`

	// NotBefore When its next attempt is due
	NotBefore time.Time `json:"notBefore,omitempty,omitzero"`

	// OnFailure What its failure means for the instance
	OnFailure StepOnFailure     `json:"onFailure,omitempty,omitzero"`
	Outputs   map[string]string `json:"outputs,omitempty,omitzero"`
	State     StepState         `json:"state"`

	// Step Absent for the only step of a job with one action; an item is named step[n]
	Step string `json:"step"`

	// Type Of its action; absent when the definition cannot be read
	//
	// Examples: shell
	Type string `json:"type,omitempty,omitzero"`

	// Waits Of a running step that holds no slot: what it waits for
	Waits StepWait `json:"waits,omitempty,omitzero"`

	// When The condition under which it runs
	When string `json:"when,omitempty,omitzero"`
}

// StepOnFailure What its failure means for the instance
type StepOnFailure string

// StepState defines model for Step.State.
type StepState string

// StepList defines model for StepList.
type StepList struct {
	Items []Step `json:"items"`

	// Next Cursor of the next page; absent on the last
	Next string `json:"next,omitempty,omitzero"`
}

// StepWait defines model for StepWait.
type StepWait struct {
	// Instance The instance that it has started and waits for
	//
	// Examples: 4217
	Instance string `json:"instance,omitempty,omitzero"`

	// Last What the last look found
	//
	// Examples: HTTP 404 Not Found
	Last string `json:"last,omitempty,omitzero"`

	// Looks How often it was looked at
	Looks int64 `json:"looks"`

	// Next When it is looked at again
	Next  time.Time `json:"next,omitempty,omitzero"`
	Since time.Time `json:"since"`

	// Until When it times out
	Until time.Time `json:"until,omitempty,omitzero"`
}

// StoreHealth defines model for StoreHealth.
type StoreHealth struct {
	// BackupAt Of when the last backup is; absent when none is known
	BackupAt      time.Time `json:"backupAt,omitempty,omitzero"`
	DatabaseBytes int64     `json:"databaseBytes,omitempty,omitzero"`

	// FirstEvent The oldest line of the history that is kept
	//
	// Examples: 4217
	FirstEvent   string    `json:"firstEvent,omitempty,omitzero"`
	FirstEventAt time.Time `json:"firstEventAt,omitempty,omitzero"`

	// LastEvent A row's id, in decimal
	//
	// Examples: 4217
	LastEvent string `json:"lastEvent,omitempty,omitzero"`

	// LogBytes The write-ahead log
	LogBytes int64 `json:"logBytes,omitempty,omitzero"`
}

// StoredDefinition defines model for StoredDefinition.
type StoredDefinition struct {
	// Definition A workflow document that holds this job alone
	Definition interface{} `json:"definition"`

	// Folder Where it was loaded from
	Folder string `json:"folder"`
	Job    string `json:"job"`

	// Version A row's id, in decimal
	//
	// Examples: 4217
	Version  string `json:"version"`
	Workflow string `json:"workflow"`
}

// TokenPage defines model for TokenPage.
type TokenPage struct {
	Items []APIToken `json:"items"`

	// Next The cursor of the next page; absent on the last
	Next string `json:"next,omitempty,omitzero"`
}

// TokenRequest defines model for TokenRequest.
type TokenRequest struct {
	// ExpiresAt The first instant at which it is refused; absent is never
	ExpiresAt time.Time `json:"expiresAt,omitempty,omitzero"`

	// Name Of who will use it: what the history names as the actor
	//
	// Examples: grafana
	Name string `json:"name"`

	// Note Why; written to the history and to the server's audit log
	Note string `json:"note,omitempty,omitzero"`

	// Role What it may do
	Role TokenRequestRole `json:"role"`
}

// TokenRequestRole What it may do
type TokenRequestRole string

// TriggerRequest defines model for TriggerRequest.
type TriggerRequest struct {
	// Note Why; written to the history and to the server's audit log
	Note string `json:"note,omitempty,omitzero"`

	// Params Values of the job's parameters: a text, a number, true or false, or a list; a text may say any of them, as the command line does
	Params map[string]interface{} `json:"params,omitempty,omitzero"`

	// PlanTime The time that the instance stands for; the default is now
	PlanTime time.Time `json:"planTime,omitempty,omitzero"`
}

// Upcoming defines model for Upcoming.
type Upcoming struct {
	// Instances Of each job the first that is due, the soonest first
	Instances []Instance `json:"instances"`

	// Together How many are due at the time of the first; at most 1,000 are counted
	Together int64 `json:"together"`
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

// ValidateRequest defines model for ValidateRequest.
type ValidateRequest struct {
	// Files The files of a folder; without them the server reads its own folder again
	Files []DefinitionFile `json:"files,omitempty,omitzero"`

	// Folder Where the folder stands on the server: scripts and working directories start there. The default is the server's own folder
	Folder string `json:"folder,omitempty,omitzero"`

	// Keep Workflows that no file has stay as they are loaded; otherwise the files are everything, and other jobs of folders are removed
	Keep bool `json:"keep,omitempty,omitzero"`
}

// Validation defines model for Validation.
type Validation struct {
	// Ok Nothing refuses them; there may be warnings
	Ok bool `json:"ok"`

	// Problems By file, line and column
	Problems []DefinitionProblem `json:"problems"`

	// Workflows What the files hold; none when they are not ok
	Workflows []WorkflowNames `json:"workflows"`
}

// Verdict defines model for Verdict.
type Verdict struct {
	// Gate Beside the gates of an instance: calendar, self, pool, worker
	Gate string `json:"gate"`
	Open bool   `json:"open"`

	// Reason Why it is closed
	Reason Reason `json:"reason,omitempty,omitzero"`

	// Text Why it is open, or closed
	Text string `json:"text"`
}

// VersionPage defines model for VersionPage.
type VersionPage struct {
	Items []JobVersion `json:"items"`

	// Next The cursor of the next page; absent on the last
	Next string `json:"next,omitempty,omitzero"`
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

// Watching defines model for Watching.
type Watching struct {
	// Instance The instance that it has started and waits for
	//
	// Examples: 4217
	Instance string `json:"instance,omitempty,omitzero"`

	// Last What the last look found
	//
	// Examples: HTTP 404 Not Found
	Last string `json:"last,omitempty,omitzero"`

	// Looks How often it was looked at
	Looks int64 `json:"looks"`

	// Next When it is looked at again
	Next  time.Time `json:"next,omitempty,omitzero"`
	Since time.Time `json:"since"`

	// Step Absent for the only step of a job with one action
	Step string `json:"step,omitempty,omitzero"`

	// Until When it times out
	Until time.Time `json:"until,omitempty,omitzero"`
}

// Whoami defines model for Whoami.
type Whoami struct {
	// ExpiresAt When the token is refused; absent is never
	ExpiresAt time.Time `json:"expiresAt,omitempty,omitzero"`

	// Name What the history names as the actor
	//
	// Examples: ann
	Name string `json:"name"`

	// Permissions What the role permits: an operation whose x-permission is among them
	//
	// Examples: ["viewer","operator"]
	Permissions []string   `json:"permissions"`
	Role        WhoamiRole `json:"role"`

	// Token Id of the token; absent when none was needed, or it is of this start of the server only
	//
	// Examples: 4217
	Token string `json:"token,omitempty,omitzero"`
}

// WhoamiRole defines model for Whoami.Role.
type WhoamiRole string

// Window defines model for Window.
type Window struct {
	// Closed Which of its ends belong to it
	Closed WindowClosed `json:"closed"`
	From   time.Time    `json:"from"`
	To     time.Time    `json:"to"`
}

// WindowClosed Which of its ends belong to it
type WindowClosed string

// Worker defines model for Worker.
type Worker struct {
	// Alive Its lease has not passed
	Alive      bool      `json:"alive"`
	LeaseUntil time.Time `json:"leaseUntil"`
	Name       string    `json:"name"`

	// Slots Attempts at once; known of the server that answers only
	Slots int64 `json:"slots,omitempty,omitzero"`

	// This It answers this request
	This bool `json:"this,omitempty,omitzero"`

	// Used Attempts that it runs
	Used int64 `json:"used"`
}

// WorkerPool defines model for WorkerPool.
type WorkerPool struct {
	Name string `json:"name"`

	// Size Absent is no limit but the servers' slots
	Size int64 `json:"size,omitempty,omitzero"`

	// Used On all servers
	Used int64 `json:"used"`
}

// Workers defines model for Workers.
type Workers struct {
	// Attempts That run now, the oldest first, at most 500
	Attempts []Running `json:"attempts"`

	// More Attempts that are left out
	More int64 `json:"more"`

	// Pools By name; the pool without one is what belongs to none
	Pools []WorkerPool `json:"pools"`

	// Servers By name; one that has ended stays until retention removes its lease
	Servers []Worker `json:"servers"`
}

// WorkflowNames defines model for WorkflowNames.
type WorkflowNames struct {
	// Jobs By name
	Jobs []string `json:"jobs"`

	// Workflow Examples: retail
	Workflow string `json:"workflow"`
}

// WorkflowSource defines model for WorkflowSource.
type WorkflowSource struct {
	// Folder Where the definitions were loaded from: where their file stands
	Folder string `json:"folder"`

	// Jobs That the file holds, by name
	Jobs []string `json:"jobs"`

	// MadeBy No folder made it, but a client of Azure Scheduler: no file changes it
	MadeBy WorkflowSourceMadeBy `json:"madeBy,omitempty,omitzero"`

	// Name Of the file, below folder
	//
	// Examples: retail.yaml
	Name string `json:"name"`

	// Notes What the text cannot say, or does not say as the file in the folder does
	Notes []string `json:"notes"`

	// Own It is the file of the server's own folder as it stands; otherwise it was written of the definitions, without comments
	Own bool `json:"own,omitempty,omitzero"`

	// ServerFolder The server's own folder, which it loads when it starts and when it is told to: what was applied counts until then. Absent when it has none
	ServerFolder string `json:"serverFolder,omitempty,omitzero"`
	Text         string `json:"text"`

	// Workflow Examples: retail
	Workflow string `json:"workflow"`
}

// WorkflowSourceMadeBy No folder made it, but a client of Azure Scheduler: no file changes it
type WorkflowSourceMadeBy string

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

// ListAuditParams defines parameters for ListAudit.
type ListAuditParams struct {
	// Actor A part of who did it
	Actor string `form:"actor,omitempty" json:"actor,omitempty,omitzero"`

	// Action Only these, such as rerun,trigger
	Action []string `form:"action,omitempty" json:"action,omitempty,omitzero"`

	// From Not before this: an instant, or the beginning of a day (2026-11-21, today, yesterday, tomorrow)
	From string `form:"from,omitempty" json:"from,omitempty,omitzero"`

	// To Before this, written like from
	To string `form:"to,omitempty" json:"to,omitempty,omitzero"`

	// Zone Whose days from and to mean; the default is the zone of most jobs
	Zone string `form:"zone,omitempty" json:"zone,omitempty,omitzero"`

	// Cursor next of the page before
	Cursor int64 `form:"cursor,omitempty" json:"cursor,omitempty,omitzero"`

	// Limit Rows of a page
	Limit int64 `form:"limit,omitempty" json:"limit,omitempty,omitzero"`
}

// ListBackfillsParams defines parameters for ListBackfills.
type ListBackfillsParams struct {
	// Cursor next of the page before
	Cursor string `form:"cursor,omitempty" json:"cursor,omitempty,omitzero"`

	// Limit Rows of a page
	Limit int64 `form:"limit,omitempty" json:"limit,omitempty,omitzero"`
}

// ApplyBackfillParams defines parameters for ApplyBackfill.
type ApplyBackfillParams struct {
	// IdempotencyKey The same key from the same principal is the same request, however often it is sent within a day
	IdempotencyKey string `json:"Idempotency-Key,omitempty,omitzero"`
}

// PlanBackfillParams defines parameters for PlanBackfill.
type PlanBackfillParams struct {
	// Skip List the instances behind so many
	Skip int64 `form:"skip,omitempty" json:"skip,omitempty,omitzero"`

	// Most List so many at most; default all, when they are no more than 10,000
	Most int64 `form:"most,omitempty" json:"most,omitempty,omitzero"`

	// Show List only instances that would run, or that would not
	Show PlanBackfillParamsShow `form:"show,omitempty" json:"show,omitempty,omitzero"`

	// Why List only those of this reason, a member of why
	Why string `form:"why,omitempty" json:"why,omitempty,omitzero"`

	// Job List only those of this job
	Job string `form:"job,omitempty" json:"job,omitempty,omitzero"`

	// Find List only those of which the job, the plan time or the text has each of these words
	Find string `form:"find,omitempty" json:"find,omitempty,omitzero"`
}

// PlanBackfillParamsShow defines parameters for PlanBackfill.
type PlanBackfillParamsShow string

// SetBackfillParams defines parameters for SetBackfill.
type SetBackfillParams struct {
	// IdempotencyKey The same key from the same principal is the same request, however often it is sent within a day
	IdempotencyKey string `json:"Idempotency-Key,omitempty,omitzero"`
}

// CancelBackfillParams defines parameters for CancelBackfill.
type CancelBackfillParams struct {
	// IdempotencyKey The same key from the same principal is the same request, however often it is sent within a day
	IdempotencyKey string `json:"Idempotency-Key,omitempty,omitzero"`
}

// PauseBackfillParams defines parameters for PauseBackfill.
type PauseBackfillParams struct {
	// IdempotencyKey The same key from the same principal is the same request, however often it is sent within a day
	IdempotencyKey string `json:"Idempotency-Key,omitempty,omitzero"`
}

// ResumeBackfillParams defines parameters for ResumeBackfill.
type ResumeBackfillParams struct {
	// IdempotencyKey The same key from the same principal is the same request, however often it is sent within a day
	IdempotencyKey string `json:"Idempotency-Key,omitempty,omitzero"`
}

// ListChangesParams defines parameters for ListChanges.
type ListChangesParams struct {
	// From Not before this: an instant, or the beginning of a day (2026-11-21, today, yesterday); the default is 24 hours ago
	From string `form:"from,omitempty" json:"from,omitempty,omitzero"`

	// Zone Whose day from means; the default is the zone of most jobs
	Zone string `form:"zone,omitempty" json:"zone,omitempty,omitzero"`

	// Cursor next of the page before
	Cursor int64 `form:"cursor,omitempty" json:"cursor,omitempty,omitzero"`

	// Limit Rows of a page
	Limit int64 `form:"limit,omitempty" json:"limit,omitempty,omitzero"`
}

// ConfirmClockParams defines parameters for ConfirmClock.
type ConfirmClockParams struct {
	// IdempotencyKey The same key from the same principal is the same request, however often it is sent within a day
	IdempotencyKey string `json:"Idempotency-Key,omitempty,omitzero"`
}

// ListConcernsParams defines parameters for ListConcerns.
type ListConcernsParams struct {
	// Limit At most so many
	Limit int64 `form:"limit,omitempty" json:"limit,omitempty,omitzero"`
}

// GetDayParams defines parameters for GetDay.
type GetDayParams struct {
	// Zone Whose day; the default is the zone of most jobs
	Zone string `form:"zone,omitempty" json:"zone,omitempty,omitzero"`

	// Selector Only what this selector chooses
	Selector string `form:"selector,omitempty" json:"selector,omitempty,omitzero"`

	// IfNoneMatch ETags that are known already
	IfNoneMatch []string `json:"If-None-Match,omitempty,omitzero"`
}

// GetDayEdgesParams defines parameters for GetDayEdges.
type GetDayEdgesParams struct {
	// Zone Whose day; the default is the zone of most jobs
	Zone string `form:"zone,omitempty" json:"zone,omitempty,omitzero"`

	// Selector Only what this selector chooses
	Selector string `form:"selector,omitempty" json:"selector,omitempty,omitzero"`

	// IfNoneMatch ETags that are known already
	IfNoneMatch []string `json:"If-None-Match,omitempty,omitzero"`
}

// ListDeadlinesParams defines parameters for ListDeadlines.
type ListDeadlinesParams struct {
	// Cursor next of the page before
	Cursor int64 `form:"cursor,omitempty" json:"cursor,omitempty,omitzero"`

	// Limit Rows of a page
	Limit int64 `form:"limit,omitempty" json:"limit,omitempty,omitzero"`
}

// ListDefinitionsParams defines parameters for ListDefinitions.
type ListDefinitionsParams struct {
	// Cursor next of the page before
	Cursor string `form:"cursor,omitempty" json:"cursor,omitempty,omitzero"`

	// Limit Rows of a page
	Limit int64 `form:"limit,omitempty" json:"limit,omitempty,omitzero"`
}

// ApplyDefinitionsParams defines parameters for ApplyDefinitions.
type ApplyDefinitionsParams struct {
	// IdempotencyKey The same key from the same principal is the same request, however often it is sent within a day
	IdempotencyKey string `json:"Idempotency-Key,omitempty,omitzero"`

	// IfMatch ETag of the diff
	IfMatch string `json:"If-Match,omitempty,omitzero"`
}

// ReloadDefinitionsParams defines parameters for ReloadDefinitions.
type ReloadDefinitionsParams struct {
	// IdempotencyKey The same key from the same principal is the same request, however often it is sent within a day
	IdempotencyKey string `json:"Idempotency-Key,omitempty,omitzero"`
}

// SourceDefinitionsParams defines parameters for SourceDefinitions.
type SourceDefinitionsParams struct {
	// Workflow Its name
	Workflow string `form:"workflow" json:"workflow"`
}

// ExplainByNameParams defines parameters for ExplainByName.
type ExplainByNameParams struct {
	// Instance workflow/job@plan time; a plan time without an offset is in the job's zone
	Instance string `form:"instance" json:"instance"`

	// At As of this time, from the history; absent is now
	At time.Time `form:"at,omitempty" json:"at,omitempty,omitzero"`
}

// GraphByNameParams defines parameters for GraphByName.
type GraphByNameParams struct {
	// Instance workflow/job@plan time; a plan time without an offset is in the job's zone
	Instance string `form:"instance" json:"instance"`

	// Up Hops up: what it waits for
	Up int64 `form:"up,omitempty" json:"up,omitempty,omitzero"`

	// Down Hops down: what waits for it
	Down int64 `form:"down,omitempty" json:"down,omitempty,omitzero"`

	// Limit Nodes
	Limit int64 `form:"limit,omitempty" json:"limit,omitempty,omitzero"`

	// Ends Also count what is not shown beyond the nodes where the hops end
	Ends bool `form:"ends,omitempty" json:"ends,omitempty,omitzero"`

	// At As of this time, from the history; absent is now
	At time.Time `form:"at,omitempty" json:"at,omitempty,omitzero"`
}

// ListIncidentsParams defines parameters for ListIncidents.
type ListIncidentsParams struct {
	// State Only open ones, or all
	State ListIncidentsParamsState `form:"state,omitempty" json:"state,omitempty,omitzero"`

	// Cursor next of the page before
	Cursor int64 `form:"cursor,omitempty" json:"cursor,omitempty,omitzero"`

	// Limit Rows of a page
	Limit int64 `form:"limit,omitempty" json:"limit,omitempty,omitzero"`
}

// ListIncidentsParamsState defines parameters for ListIncidents.
type ListIncidentsParamsState string

// AcknowledgeIncidentParams defines parameters for AcknowledgeIncident.
type AcknowledgeIncidentParams struct {
	// IdempotencyKey The same key from the same principal is the same request, however often it is sent within a day
	IdempotencyKey string `json:"Idempotency-Key,omitempty,omitzero"`
}

// ListInstancesParams defines parameters for ListInstances.
type ListInstancesParams struct {
	// Selector Only what this selector chooses; goes with cursor and limit alone
	Selector string `form:"selector,omitempty" json:"selector,omitempty,omitzero"`

	// Workflow Only of this workflow
	Workflow string `form:"workflow,omitempty" json:"workflow,omitempty,omitzero"`

	// Job Only of this job; needs workflow
	Job string `form:"job,omitempty" json:"job,omitempty,omitzero"`

	// State Only in one of these states
	State []ListInstancesParamsState `form:"state,omitempty" json:"state,omitempty,omitzero"`

	// Kind Only of this kind
	Kind ListInstancesParamsKind `form:"kind,omitempty" json:"kind,omitempty,omitzero"`

	// From Only with a plan time at or after this: an instant, or the beginning of a day (2026-11-21, today, yesterday, tomorrow)
	From string `form:"from,omitempty" json:"from,omitempty,omitzero"`

	// To Only with a plan time before this, written like from
	To string `form:"to,omitempty" json:"to,omitempty,omitzero"`

	// Zone Whose days from and to mean; the default is the zone of most jobs
	Zone string `form:"zone,omitempty" json:"zone,omitempty,omitzero"`

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

// ExplainInstanceParams defines parameters for ExplainInstance.
type ExplainInstanceParams struct {
	// At As of this time, from the history; absent is now
	At time.Time `form:"at,omitempty" json:"at,omitempty,omitzero"`
}

// GraphInstanceParams defines parameters for GraphInstance.
type GraphInstanceParams struct {
	// Up Hops up: what it waits for
	Up int64 `form:"up,omitempty" json:"up,omitempty,omitzero"`

	// Down Hops down: what waits for it
	Down int64 `form:"down,omitempty" json:"down,omitempty,omitzero"`

	// Limit Nodes
	Limit int64 `form:"limit,omitempty" json:"limit,omitempty,omitzero"`

	// Ends Also count what is not shown beyond the nodes where the hops end
	Ends bool `form:"ends,omitempty" json:"ends,omitempty,omitzero"`

	// At As of this time, from the history; absent is now
	At time.Time `form:"at,omitempty" json:"at,omitempty,omitzero"`
}

// ListRunsParams defines parameters for ListRuns.
type ListRunsParams struct {
	// Cursor next of the page before
	Cursor string `form:"cursor,omitempty" json:"cursor,omitempty,omitzero"`

	// Limit Rows of a page
	Limit int64 `form:"limit,omitempty" json:"limit,omitempty,omitzero"`
}

// ListStepsParams defines parameters for ListSteps.
type ListStepsParams struct {
	// Cursor next of the page before
	Cursor string `form:"cursor,omitempty" json:"cursor,omitempty,omitzero"`

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

	// Due When each is due too, in words and by its next plan time
	Due bool `form:"due,omitempty" json:"due,omitempty,omitzero"`

	// Cursor next of the page before
	Cursor string `form:"cursor,omitempty" json:"cursor,omitempty,omitzero"`

	// Limit Rows of a page
	Limit int64 `form:"limit,omitempty" json:"limit,omitempty,omitzero"`
}

// JobsAroundParams defines parameters for JobsAround.
type JobsAroundParams struct {
	// Job workflow/job; may be given again
	Job []string `form:"job" json:"job"`

	// Limit Jobs
	Limit int64 `form:"limit,omitempty" json:"limit,omitempty,omitzero"`
}

// GetJobParams defines parameters for GetJob.
type GetJobParams struct {
	// IfNoneMatch ETags of definitions that are known already: the answer is 304 when one is the current one
	IfNoneMatch []string `json:"If-None-Match,omitempty,omitzero"`
}

// JobDaysParams defines parameters for JobDays.
type JobDaysParams struct {
	// From The first day, or today, yesterday, tomorrow of the job's zone; absent is 27 days before today
	From string `form:"from,omitempty" json:"from,omitempty,omitzero"`

	// To The day after the last, written like from; absent is 8 days after today, or after from where that is later
	To string `form:"to,omitempty" json:"to,omitempty,omitzero"`
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

// ListVersionsParams defines parameters for ListVersions.
type ListVersionsParams struct {
	// Cursor next of the page before
	Cursor int64 `form:"cursor,omitempty" json:"cursor,omitempty,omitzero"`

	// Limit Rows of a page
	Limit int64 `form:"limit,omitempty" json:"limit,omitempty,omitzero"`
}

// ListOperationsParams defines parameters for ListOperations.
type ListOperationsParams struct {
	// Cursor next of the page before
	Cursor string `form:"cursor,omitempty" json:"cursor,omitempty,omitzero"`

	// Limit Rows of a page
	Limit int64 `form:"limit,omitempty" json:"limit,omitempty,omitzero"`
}

// OperateParams defines parameters for Operate.
type OperateParams struct {
	// IdempotencyKey The same key from the same principal is the same request, however often it is sent within a day
	IdempotencyKey string `json:"Idempotency-Key,omitempty,omitzero"`
}

// ListOrdersParams defines parameters for ListOrders.
type ListOrdersParams struct {
	// Cursor next of the page before
	Cursor int64 `form:"cursor,omitempty" json:"cursor,omitempty,omitzero"`

	// Limit Rows of a page
	Limit int64 `form:"limit,omitempty" json:"limit,omitempty,omitzero"`
}

// ListPausesParams defines parameters for ListPauses.
type ListPausesParams struct {
	// Cursor next of the page before
	Cursor int64 `form:"cursor,omitempty" json:"cursor,omitempty,omitzero"`

	// Limit Rows of a page
	Limit int64 `form:"limit,omitempty" json:"limit,omitempty,omitzero"`
}

// PauseParams defines parameters for Pause.
type PauseParams struct {
	// IdempotencyKey The same key from the same principal is the same request, however often it is sent within a day
	IdempotencyKey string `json:"Idempotency-Key,omitempty,omitzero"`
}

// ResumeParams defines parameters for Resume.
type ResumeParams struct {
	// IdempotencyKey The same key from the same principal is the same request, however often it is sent within a day
	IdempotencyKey string `json:"Idempotency-Key,omitempty,omitzero"`
}

// PlanCalendarParams defines parameters for PlanCalendar.
type PlanCalendarParams struct {
	// Workflow Only workflows of this name; * and ? stand for any letters and for any one
	Workflow string `form:"workflow,omitempty" json:"workflow,omitempty,omitzero"`

	// Job Only jobs of this name, in the same way
	Job string `form:"job,omitempty" json:"job,omitempty,omitzero"`

	// Days So many natural days, today included
	Days int64 `form:"days,omitempty" json:"days,omitempty,omitzero"`
}

// TestSinkParams defines parameters for TestSink.
type TestSinkParams struct {
	// IdempotencyKey The same key from the same principal is the same request, however often it is sent within a day
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

// ListTokensParams defines parameters for ListTokens.
type ListTokensParams struct {
	// Cursor next of the page before
	Cursor int64 `form:"cursor,omitempty" json:"cursor,omitempty,omitzero"`

	// Limit Rows of a page
	Limit int64 `form:"limit,omitempty" json:"limit,omitempty,omitzero"`
}

// CreateTokenParams defines parameters for CreateToken.
type CreateTokenParams struct {
	// IdempotencyKey The same key from the same principal is the same request, however often it is sent within a day
	IdempotencyKey string `json:"Idempotency-Key,omitempty,omitzero"`
}

// RevokeTokenParams defines parameters for RevokeToken.
type RevokeTokenParams struct {
	// IdempotencyKey The same key from the same principal is the same request, however often it is sent within a day
	IdempotencyKey string `json:"Idempotency-Key,omitempty,omitzero"`
}

// ListUpcomingParams defines parameters for ListUpcoming.
type ListUpcomingParams struct {
	// Limit Of at most so many jobs
	Limit int64 `form:"limit,omitempty" json:"limit,omitempty,omitzero"`
}

// DeliverJSONBody defines parameters for Deliver.
type DeliverJSONBody = interface{}

// DeliverParams defines parameters for Deliver.
type DeliverParams struct {
	// XHubSignature256 sha256= and, in hexadecimal, the HMAC-SHA256 of DELIVERY.TIMESTAMP.BODY, or of the body alone where the job says signed: body
	XHubSignature256 string `json:"X-Hub-Signature-256,omitempty,omitzero"`

	// XAlmanacDelivery The delivery's id: the same id is the same instance, however often it is sent
	XAlmanacDelivery string `json:"X-Almanac-Delivery,omitempty,omitzero"`

	// XAlmanacTimestamp Seconds since 1970
	XAlmanacTimestamp string `json:"X-Almanac-Timestamp,omitempty,omitzero"`
}

// ApplyBackfillJSONRequestBody defines body for ApplyBackfill for application/json ContentType.
type ApplyBackfillJSONRequestBody = BackfillApplyRequest

// PlanBackfillJSONRequestBody defines body for PlanBackfill for application/json ContentType.
type PlanBackfillJSONRequestBody = BackfillRequest

// ListBackfillPlanJSONRequestBody defines body for ListBackfillPlan for application/json ContentType.
type ListBackfillPlanJSONRequestBody = BackfillRequest

// SetBackfillJSONRequestBody defines body for SetBackfill for application/json ContentType.
type SetBackfillJSONRequestBody = BackfillChange

// CancelBackfillJSONRequestBody defines body for CancelBackfill for application/json ContentType.
type CancelBackfillJSONRequestBody = CancelBackfillRequest

// PauseBackfillJSONRequestBody defines body for PauseBackfill for application/json ContentType.
type PauseBackfillJSONRequestBody = NoteRequest

// ResumeBackfillJSONRequestBody defines body for ResumeBackfill for application/json ContentType.
type ResumeBackfillJSONRequestBody = NoteRequest

// ConfirmClockJSONRequestBody defines body for ConfirmClock for application/json ContentType.
type ConfirmClockJSONRequestBody = NoteRequest

// ApplyDefinitionsJSONRequestBody defines body for ApplyDefinitions for application/json ContentType.
type ApplyDefinitionsJSONRequestBody = ApplyRequest

// DiffDefinitionsJSONRequestBody defines body for DiffDefinitions for application/json ContentType.
type DiffDefinitionsJSONRequestBody = DiffRequest

// PreviewDefinitionsJSONRequestBody defines body for PreviewDefinitions for application/json ContentType.
type PreviewDefinitionsJSONRequestBody = PreviewRequest

// ReloadDefinitionsJSONRequestBody defines body for ReloadDefinitions for application/json ContentType.
type ReloadDefinitionsJSONRequestBody = NoteRequest

// ValidateDefinitionsJSONRequestBody defines body for ValidateDefinitions for application/json ContentType.
type ValidateDefinitionsJSONRequestBody = ValidateRequest

// AcknowledgeIncidentJSONRequestBody defines body for AcknowledgeIncident for application/json ContentType.
type AcknowledgeIncidentJSONRequestBody = NoteRequest

// CancelInstanceJSONRequestBody defines body for CancelInstance for application/json ContentType.
type CancelInstanceJSONRequestBody = NoteRequest

// ConfirmInstanceJSONRequestBody defines body for ConfirmInstance for application/json ContentType.
type ConfirmInstanceJSONRequestBody = NoteRequest

// TriggerJobJSONRequestBody defines body for TriggerJob for application/json ContentType.
type TriggerJobJSONRequestBody = TriggerRequest

// OperateJSONRequestBody defines body for Operate for application/json ContentType.
type OperateJSONRequestBody = OperationRequest

// PauseJSONRequestBody defines body for Pause for application/json ContentType.
type PauseJSONRequestBody = PauseRequest

// ResumeJSONRequestBody defines body for Resume for application/json ContentType.
type ResumeJSONRequestBody = ResumeRequest

// SimulateJSONRequestBody defines body for Simulate for application/json ContentType.
type SimulateJSONRequestBody = SimulateRequest

// TestSinkJSONRequestBody defines body for TestSink for application/json ContentType.
type TestSinkJSONRequestBody = NoteRequest

// CreateTokenJSONRequestBody defines body for CreateToken for application/json ContentType.
type CreateTokenJSONRequestBody = TokenRequest

// RevokeTokenJSONRequestBody defines body for RevokeToken for application/json ContentType.
type RevokeTokenJSONRequestBody = RevokeRequest

// DeliverJSONRequestBody defines body for Deliver for application/json ContentType.
type DeliverJSONRequestBody = DeliverJSONBody

// Getter for additional properties for SimulatedRef. Returns the specified
// element and whether it was found
func (a SimulatedRef) Get(fieldName string) (value interface{}, found bool) {
	if a.AdditionalProperties != nil {
		value, found = a.AdditionalProperties[fieldName]
	}
	return
}

// Setter for additional properties for SimulatedRef
func (a *SimulatedRef) Set(fieldName string, value interface{}) {
	if a.AdditionalProperties == nil {
		a.AdditionalProperties = make(map[string]interface{})
	}
	a.AdditionalProperties[fieldName] = value
}

// Override default JSON handling for SimulatedRef to handle AdditionalProperties
func (a *SimulatedRef) UnmarshalJSON(b []byte) error {
	object := make(map[string]json.RawMessage)
	err := json.Unmarshal(b, &object)
	if err != nil {
		return err
	}

	if raw, found := object["job"]; found {
		err = json.Unmarshal(raw, &a.Job)
		if err != nil {
			return fmt.Errorf("error reading 'job': %w", err)
		}
		delete(object, "job")
	}

	if raw, found := object["planTime"]; found {
		err = json.Unmarshal(raw, &a.PlanTime)
		if err != nil {
			return fmt.Errorf("error reading 'planTime': %w", err)
		}
		delete(object, "planTime")
	}

	if len(object) != 0 {
		a.AdditionalProperties = make(map[string]interface{})
		for fieldName, fieldBuf := range object {
			var fieldVal interface{}
			err := json.Unmarshal(fieldBuf, &fieldVal)
			if err != nil {
				return fmt.Errorf("error unmarshaling field %s: %w", fieldName, err)
			}
			a.AdditionalProperties[fieldName] = fieldVal
		}
	}
	return nil
}

// Override default JSON handling for SimulatedRef to handle AdditionalProperties
func (a SimulatedRef) MarshalJSON() ([]byte, error) {
	var err error
	object := make(map[string]json.RawMessage)

	object["job"], err = json.Marshal(a.Job)
	if err != nil {
		return nil, fmt.Errorf("error marshaling 'job': %w", err)
	}

	object["planTime"], err = json.Marshal(a.PlanTime)
	if err != nil {
		return nil, fmt.Errorf("error marshaling 'planTime': %w", err)
	}

	for fieldName, field := range a.AdditionalProperties {
		object[fieldName], err = json.Marshal(field)
		if err != nil {
			return nil, fmt.Errorf("error marshaling '%s': %w", fieldName, err)
		}
	}
	return json.Marshal(object)
}

// NewGetAttemptRequest is the request of Client.GetAttempt.
func NewGetAttemptRequest(id int64) *Request {
	r := newRequest(http.MethodGet, "/api/v1/attempts/%s", id)
	return r
}

// GetAttempt: one attempt (GET /api/v1/attempts/{id}).
func (c *Client) GetAttempt(ctx context.Context, id int64) (answer Attempt, err error) {
	err = c.Do(ctx, NewGetAttemptRequest(id), &answer)
	return answer, err
}

// NewReadLogRequest is a request for Client.Send: a part of an attempt's log.
func NewReadLogRequest(id int64, params ReadLogParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/attempts/%s/log", id)
	r.query("offset", params.Offset, false)
	r.query("limit", params.Limit, false)
	return r
}

// NewStreamLogRequest is a request for Client.Send: follow the log of an attempt.
func NewStreamLogRequest(id int64, params StreamLogParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/attempts/%s/log/stream", id)
	r.query("offset", params.Offset, false)
	r.header("Last-Event-ID", params.LastEventID)
	return r
}

// NewListAuditRequest is the request of Client.ListAudit.
func NewListAuditRequest(params ListAuditParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/audit")
	r.query("actor", params.Actor, false)
	r.query("action", params.Action, false)
	r.query("from", params.From, false)
	r.query("to", params.To, false)
	r.query("zone", params.Zone, false)
	r.query("cursor", params.Cursor, false)
	r.query("limit", params.Limit, false)
	return r
}

// ListAudit: what somebody did, newest first (GET /api/v1/audit).
func (c *Client) ListAudit(ctx context.Context, params ListAuditParams) (answer AuditPage, err error) {
	err = c.Do(ctx, NewListAuditRequest(params), &answer)
	return answer, err
}

// NewAuditChainRequest is the request of Client.AuditChain.
func NewAuditChainRequest() *Request {
	r := newRequest(http.MethodGet, "/api/v1/audit/chain")
	return r
}

// AuditChain: how far the hashes of the history have been verified (GET /api/v1/audit/chain).
func (c *Client) AuditChain(ctx context.Context) (answer ChainProgress, err error) {
	err = c.Do(ctx, NewAuditChainRequest(), &answer)
	return answer, err
}

// NewListBackfillsRequest is the request of Client.ListBackfills.
func NewListBackfillsRequest(params ListBackfillsParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/backfills")
	r.query("cursor", params.Cursor, false)
	r.query("limit", params.Limit, false)
	return r
}

// ListBackfills: list backfills, the newest first (GET /api/v1/backfills).
func (c *Client) ListBackfills(ctx context.Context, params ListBackfillsParams) (answer BackfillPage, err error) {
	err = c.Do(ctx, NewListBackfillsRequest(params), &answer)
	return answer, err
}

// NewApplyBackfillRequest is the request of Client.ApplyBackfill.
func NewApplyBackfillRequest(params ApplyBackfillParams, body ApplyBackfillJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/backfills")
	r.header("Idempotency-Key", params.IdempotencyKey)
	r.Body = body
	return r
}

// ApplyBackfill: carry a saved plan out (POST /api/v1/backfills).
func (c *Client) ApplyBackfill(ctx context.Context, params ApplyBackfillParams, body ApplyBackfillJSONRequestBody) (answer Backfill, err error) {
	err = c.Do(ctx, NewApplyBackfillRequest(params, body), &answer)
	return answer, err
}

// NewPlanBackfillRequest is the request of Client.PlanBackfill.
func NewPlanBackfillRequest(params PlanBackfillParams, body PlanBackfillJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/backfills/plan")
	r.query("skip", params.Skip, false)
	r.query("most", params.Most, false)
	r.query("show", params.Show, false)
	r.query("why", params.Why, false)
	r.query("job", params.Job, false)
	r.query("find", params.Find, false)
	r.Body = body
	return r
}

// PlanBackfill: what a backfill would do (POST /api/v1/backfills/plan).
func (c *Client) PlanBackfill(ctx context.Context, params PlanBackfillParams, body PlanBackfillJSONRequestBody) (answer BackfillPlan, err error) {
	err = c.Do(ctx, NewPlanBackfillRequest(params, body), &answer)
	return answer, err
}

// NewListBackfillPlanRequest is a request for Client.Send: what a backfill would do with each instance.
func NewListBackfillPlanRequest(body ListBackfillPlanJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/backfills/plan/instances")
	r.Body = body
	return r
}

// NewGetBackfillRequest is the request of Client.GetBackfill.
func NewGetBackfillRequest(id string) *Request {
	r := newRequest(http.MethodGet, "/api/v1/backfills/%s", id)
	return r
}

// GetBackfill: one backfill, and how far it is (GET /api/v1/backfills/{id}).
func (c *Client) GetBackfill(ctx context.Context, id string) (answer Backfill, err error) {
	err = c.Do(ctx, NewGetBackfillRequest(id), &answer)
	return answer, err
}

// NewSetBackfillRequest is the request of Client.SetBackfill.
func NewSetBackfillRequest(id string, params SetBackfillParams, body SetBackfillJSONRequestBody) *Request {
	r := newRequest(http.MethodPatch, "/api/v1/backfills/%s", id)
	r.header("Idempotency-Key", params.IdempotencyKey)
	r.Body = body
	return r
}

// SetBackfill: change how a backfill goes on (PATCH /api/v1/backfills/{id}).
func (c *Client) SetBackfill(ctx context.Context, id string, params SetBackfillParams, body SetBackfillJSONRequestBody) (answer Backfill, err error) {
	err = c.Do(ctx, NewSetBackfillRequest(id, params, body), &answer)
	return answer, err
}

// NewCancelBackfillRequest is the request of Client.CancelBackfill.
func NewCancelBackfillRequest(id string, params CancelBackfillParams, body CancelBackfillJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/backfills/%s/cancel", id)
	r.header("Idempotency-Key", params.IdempotencyKey)
	r.Body = body
	return r
}

// CancelBackfill: cancel a backfill (POST /api/v1/backfills/{id}/cancel).
func (c *Client) CancelBackfill(ctx context.Context, id string, params CancelBackfillParams, body CancelBackfillJSONRequestBody) (answer Backfill, err error) {
	err = c.Do(ctx, NewCancelBackfillRequest(id, params, body), &answer)
	return answer, err
}

// NewListBackfillDaysRequest is the request of Client.ListBackfillDays.
func NewListBackfillDaysRequest(id string) *Request {
	r := newRequest(http.MethodGet, "/api/v1/backfills/%s/days", id)
	return r
}

// ListBackfillDays: one backfill day by day (GET /api/v1/backfills/{id}/days).
func (c *Client) ListBackfillDays(ctx context.Context, id string) (answer BackfillDays, err error) {
	err = c.Do(ctx, NewListBackfillDaysRequest(id), &answer)
	return answer, err
}

// NewPauseBackfillRequest is the request of Client.PauseBackfill.
func NewPauseBackfillRequest(id string, params PauseBackfillParams, body PauseBackfillJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/backfills/%s/pause", id)
	r.header("Idempotency-Key", params.IdempotencyKey)
	r.Body = body
	return r
}

// PauseBackfill: let nothing more of a backfill start (POST /api/v1/backfills/{id}/pause).
func (c *Client) PauseBackfill(ctx context.Context, id string, params PauseBackfillParams, body PauseBackfillJSONRequestBody) (answer Backfill, err error) {
	err = c.Do(ctx, NewPauseBackfillRequest(id, params, body), &answer)
	return answer, err
}

// NewResumeBackfillRequest is the request of Client.ResumeBackfill.
func NewResumeBackfillRequest(id string, params ResumeBackfillParams, body ResumeBackfillJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/backfills/%s/resume", id)
	r.header("Idempotency-Key", params.IdempotencyKey)
	r.Body = body
	return r
}

// ResumeBackfill: let a paused backfill go on (POST /api/v1/backfills/{id}/resume).
func (c *Client) ResumeBackfill(ctx context.Context, id string, params ResumeBackfillParams, body ResumeBackfillJSONRequestBody) (answer Backfill, err error) {
	err = c.Do(ctx, NewResumeBackfillRequest(id, params, body), &answer)
	return answer, err
}

// NewListChangesRequest is the request of Client.ListChanges.
func NewListChangesRequest(params ListChangesParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/changes")
	r.query("from", params.From, false)
	r.query("zone", params.Zone, false)
	r.query("cursor", params.Cursor, false)
	r.query("limit", params.Limit, false)
	return r
}

// ListChanges: what somebody changed, newest first: definitions, operations, backfills, tokens (GET /api/v1/changes).
func (c *Client) ListChanges(ctx context.Context, params ListChangesParams) (answer DeedPage, err error) {
	err = c.Do(ctx, NewListChangesRequest(params), &answer)
	return answer, err
}

// NewConfirmClockRequest is the request of Client.ConfirmClock.
func NewConfirmClockRequest(params ConfirmClockParams, body ConfirmClockJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/clock/confirm")
	r.header("Idempotency-Key", params.IdempotencyKey)
	r.Body = body
	return r
}

// ConfirmClock: say that the machine's clock is right (POST /api/v1/clock/confirm).
func (c *Client) ConfirmClock(ctx context.Context, params ConfirmClockParams, body ConfirmClockJSONRequestBody) (answer ClockConfirmed, err error) {
	err = c.Do(ctx, NewConfirmClockRequest(params, body), &answer)
	return answer, err
}

// NewListConcernsRequest is the request of Client.ListConcerns.
func NewListConcernsRequest(params ListConcernsParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/concerns")
	r.query("limit", params.Limit, false)
	return r
}

// ListConcerns: what is wrong now, what needs somebody first, with the command that would help (GET /api/v1/concerns).
func (c *Client) ListConcerns(ctx context.Context, params ListConcernsParams) (answer ConcernList, err error) {
	err = c.Do(ctx, NewListConcernsRequest(params), &answer)
	return answer, err
}

// NewGetDayRequest is the request of Client.GetDay.
func NewGetDayRequest(date string, params GetDayParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/days/%s", date)
	r.query("zone", params.Zone, false)
	r.query("selector", params.Selector, false)
	r.header("If-None-Match", params.IfNoneMatch)
	return r
}

// GetDay: a whole day, of all jobs (GET /api/v1/days/{date}).
func (c *Client) GetDay(ctx context.Context, date string, params GetDayParams) (answer Day, err error) {
	err = c.Do(ctx, NewGetDayRequest(date, params), &answer)
	return answer, err
}

// NewGetDayEdgesRequest is the request of Client.GetDayEdges.
func NewGetDayEdgesRequest(date string, params GetDayEdgesParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/days/%s/edges", date)
	r.query("zone", params.Zone, false)
	r.query("selector", params.Selector, false)
	r.header("If-None-Match", params.IfNoneMatch)
	return r
}

// GetDayEdges: what the instances of a day wait for (GET /api/v1/days/{date}/edges).
func (c *Client) GetDayEdges(ctx context.Context, date string, params GetDayEdgesParams) (answer DayEdges, err error) {
	err = c.Do(ctx, NewGetDayEdgesRequest(date, params), &answer)
	return answer, err
}

// NewListDeadlinesRequest is the request of Client.ListDeadlines.
func NewListDeadlinesRequest(params ListDeadlinesParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/deadlines")
	r.query("cursor", params.Cursor, false)
	r.query("limit", params.Limit, false)
	return r
}

// ListDeadlines: open instances that have missed their deadlines, or will (GET /api/v1/deadlines).
func (c *Client) ListDeadlines(ctx context.Context, params ListDeadlinesParams) (answer LateList, err error) {
	err = c.Do(ctx, NewListDeadlinesRequest(params), &answer)
	return answer, err
}

// NewListDefinitionsRequest is the request of Client.ListDefinitions.
func NewListDefinitionsRequest(params ListDefinitionsParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/definitions")
	r.query("cursor", params.Cursor, false)
	r.query("limit", params.Limit, false)
	return r
}

// ListDefinitions: every current definition, by workflow and job (GET /api/v1/definitions).
func (c *Client) ListDefinitions(ctx context.Context, params ListDefinitionsParams) (answer DefinitionPage, err error) {
	err = c.Do(ctx, NewListDefinitionsRequest(params), &answer)
	return answer, err
}

// NewApplyDefinitionsRequest is the request of Client.ApplyDefinitions.
func NewApplyDefinitionsRequest(params ApplyDefinitionsParams, body ApplyDefinitionsJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/definitions/apply")
	r.header("Idempotency-Key", params.IdempotencyKey)
	r.header("If-Match", params.IfMatch)
	r.Body = body
	return r
}

// ApplyDefinitions: load definitions as reviewed (POST /api/v1/definitions/apply).
func (c *Client) ApplyDefinitions(ctx context.Context, params ApplyDefinitionsParams, body ApplyDefinitionsJSONRequestBody) (answer ApplyReport, err error) {
	err = c.Do(ctx, NewApplyDefinitionsRequest(params, body), &answer)
	return answer, err
}

// NewDiffDefinitionsRequest is the request of Client.DiffDefinitions.
func NewDiffDefinitionsRequest(body DiffDefinitionsJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/definitions/diff")
	r.Body = body
	return r
}

// DiffDefinitions: what loading definitions would change, instance by instance (POST /api/v1/definitions/diff).
func (c *Client) DiffDefinitions(ctx context.Context, body DiffDefinitionsJSONRequestBody) (answer PlanDiff, err error) {
	err = c.Do(ctx, NewDiffDefinitionsRequest(body), &answer)
	return answer, err
}

// NewPreviewDefinitionsRequest is the request of Client.PreviewDefinitions.
func NewPreviewDefinitionsRequest(body PreviewDefinitionsJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/definitions/preview")
	r.Body = body
	return r
}

// PreviewDefinitions: what the instances of a job on a day would wait for (POST /api/v1/definitions/preview).
func (c *Client) PreviewDefinitions(ctx context.Context, body PreviewDefinitionsJSONRequestBody) (answer Preview, err error) {
	err = c.Do(ctx, NewPreviewDefinitionsRequest(body), &answer)
	return answer, err
}

// NewReloadDefinitionsRequest is the request of Client.ReloadDefinitions.
func NewReloadDefinitionsRequest(params ReloadDefinitionsParams, body ReloadDefinitionsJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/definitions/reload")
	r.header("Idempotency-Key", params.IdempotencyKey)
	r.Body = body
	return r
}

// ReloadDefinitions: load the server's own folder again (POST /api/v1/definitions/reload).
func (c *Client) ReloadDefinitions(ctx context.Context, params ReloadDefinitionsParams, body ReloadDefinitionsJSONRequestBody) (answer ApplyReport, err error) {
	err = c.Do(ctx, NewReloadDefinitionsRequest(params, body), &answer)
	return answer, err
}

// NewSchemaDefinitionsRequest is the request of Client.SchemaDefinitions.
func NewSchemaDefinitionsRequest() *Request {
	r := newRequest(http.MethodGet, "/api/v1/definitions/schema")
	return r
}

// SchemaDefinitions: the JSON Schema of a workflow file (GET /api/v1/definitions/schema).
func (c *Client) SchemaDefinitions(ctx context.Context) (answer DefinitionSchema, err error) {
	err = c.Do(ctx, NewSchemaDefinitionsRequest(), &answer)
	return answer, err
}

// NewSourceDefinitionsRequest is the request of Client.SourceDefinitions.
func NewSourceDefinitionsRequest(params SourceDefinitionsParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/definitions/source")
	r.query("workflow", params.Workflow, false)
	return r
}

// SourceDefinitions: the current definitions of a workflow as one file (GET /api/v1/definitions/source).
func (c *Client) SourceDefinitions(ctx context.Context, params SourceDefinitionsParams) (answer WorkflowSource, err error) {
	err = c.Do(ctx, NewSourceDefinitionsRequest(params), &answer)
	return answer, err
}

// NewValidateDefinitionsRequest is the request of Client.ValidateDefinitions.
func NewValidateDefinitionsRequest(body ValidateDefinitionsJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/definitions/validate")
	r.Body = body
	return r
}

// ValidateDefinitions: judge definitions (POST /api/v1/definitions/validate).
func (c *Client) ValidateDefinitions(ctx context.Context, body ValidateDefinitionsJSONRequestBody) (answer Validation, err error) {
	err = c.Do(ctx, NewValidateDefinitionsRequest(body), &answer)
	return answer, err
}

// NewGetDeliveryRequest is the request of Client.GetDelivery.
func NewGetDeliveryRequest(id int64) *Request {
	r := newRequest(http.MethodGet, "/api/v1/deliveries/%s", id)
	return r
}

// GetDelivery: what became of one message (GET /api/v1/deliveries/{id}).
func (c *Client) GetDelivery(ctx context.Context, id int64) (answer Delivery, err error) {
	err = c.Do(ctx, NewGetDeliveryRequest(id), &answer)
	return answer, err
}

// NewExplainByNameRequest is the request of Client.ExplainByName.
func NewExplainByNameRequest(params ExplainByNameParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/explain")
	r.query("instance", params.Instance, false)
	r.query("at", params.At, false)
	return r
}

// ExplainByName: why an instance is where it is, or what it will wait for (GET /api/v1/explain).
func (c *Client) ExplainByName(ctx context.Context, params ExplainByNameParams) (answer Explanation, err error) {
	err = c.Do(ctx, NewExplainByNameRequest(params), &answer)
	return answer, err
}

// NewGraphByNameRequest is the request of Client.GraphByName.
func NewGraphByNameRequest(params GraphByNameParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/graph")
	r.query("instance", params.Instance, false)
	r.query("up", params.Up, false)
	r.query("down", params.Down, false)
	r.query("limit", params.Limit, false)
	r.query("ends", params.Ends, false)
	r.query("at", params.At, false)
	return r
}

// GraphByName: the instances around one that is named (GET /api/v1/graph).
func (c *Client) GraphByName(ctx context.Context, params GraphByNameParams) (answer Graph, err error) {
	err = c.Do(ctx, NewGraphByNameRequest(params), &answer)
	return answer, err
}

// NewHealthRequest is the request of Client.Health.
func NewHealthRequest() *Request {
	r := newRequest(http.MethodGet, "/api/v1/health")
	return r
}

// Health: how the server is: its loop, its store, its disk, what retention removes (GET /api/v1/health).
func (c *Client) Health(ctx context.Context) (answer Health, err error) {
	err = c.Do(ctx, NewHealthRequest(), &answer)
	return answer, err
}

// NewListIncidentsRequest is the request of Client.ListIncidents.
func NewListIncidentsRequest(params ListIncidentsParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/incidents")
	r.query("state", params.State, false)
	r.query("cursor", params.Cursor, false)
	r.query("limit", params.Limit, false)
	return r
}

// ListIncidents: list incidents, newest first (GET /api/v1/incidents).
func (c *Client) ListIncidents(ctx context.Context, params ListIncidentsParams) (answer IncidentPage, err error) {
	err = c.Do(ctx, NewListIncidentsRequest(params), &answer)
	return answer, err
}

// NewGetIncidentRequest is the request of Client.GetIncident.
func NewGetIncidentRequest(id int64) *Request {
	r := newRequest(http.MethodGet, "/api/v1/incidents/%s", id)
	return r
}

// GetIncident: one incident: its root, what belongs to it, and who was told (GET /api/v1/incidents/{id}).
func (c *Client) GetIncident(ctx context.Context, id int64) (answer IncidentDetail, err error) {
	err = c.Do(ctx, NewGetIncidentRequest(id), &answer)
	return answer, err
}

// NewAcknowledgeIncidentRequest is the request of Client.AcknowledgeIncident.
func NewAcknowledgeIncidentRequest(id int64, params AcknowledgeIncidentParams, body AcknowledgeIncidentJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/incidents/%s/ack", id)
	r.header("Idempotency-Key", params.IdempotencyKey)
	r.Body = body
	return r
}

// AcknowledgeIncident: say that somebody knows of an incident (POST /api/v1/incidents/{id}/ack).
func (c *Client) AcknowledgeIncident(ctx context.Context, id int64, params AcknowledgeIncidentParams, body AcknowledgeIncidentJSONRequestBody) (answer IncidentDetail, err error) {
	err = c.Do(ctx, NewAcknowledgeIncidentRequest(id, params, body), &answer)
	return answer, err
}

// NewListInstancesRequest is the request of Client.ListInstances.
func NewListInstancesRequest(params ListInstancesParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/instances")
	r.query("selector", params.Selector, false)
	r.query("workflow", params.Workflow, false)
	r.query("job", params.Job, false)
	r.query("state", params.State, true)
	r.query("kind", params.Kind, false)
	r.query("from", params.From, false)
	r.query("to", params.To, false)
	r.query("zone", params.Zone, false)
	r.query("cursor", params.Cursor, false)
	r.query("limit", params.Limit, false)
	return r
}

// ListInstances: list instances by plan time, newest first (GET /api/v1/instances).
func (c *Client) ListInstances(ctx context.Context, params ListInstancesParams) (answer InstancePage, err error) {
	err = c.Do(ctx, NewListInstancesRequest(params), &answer)
	return answer, err
}

// NewGetInstanceRequest is the request of Client.GetInstance.
func NewGetInstanceRequest(id int64) *Request {
	r := newRequest(http.MethodGet, "/api/v1/instances/%s", id)
	return r
}

// GetInstance: one instance (GET /api/v1/instances/{id}).
func (c *Client) GetInstance(ctx context.Context, id int64) (answer Instance, err error) {
	err = c.Do(ctx, NewGetInstanceRequest(id), &answer)
	return answer, err
}

// NewListAttemptsRequest is the request of Client.ListAttempts.
func NewListAttemptsRequest(id int64, params ListAttemptsParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/instances/%s/attempts", id)
	r.query("cursor", params.Cursor, false)
	r.query("limit", params.Limit, false)
	return r
}

// ListAttempts: the attempts of an instance (GET /api/v1/instances/{id}/attempts).
func (c *Client) ListAttempts(ctx context.Context, id int64, params ListAttemptsParams) (answer AttemptList, err error) {
	err = c.Do(ctx, NewListAttemptsRequest(id, params), &answer)
	return answer, err
}

// NewCancelInstanceRequest is the request of Client.CancelInstance.
func NewCancelInstanceRequest(id int64, params CancelInstanceParams, body CancelInstanceJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/instances/%s/cancel", id)
	r.header("Idempotency-Key", params.IdempotencyKey)
	r.Body = body
	return r
}

// CancelInstance: cancel an instance (POST /api/v1/instances/{id}/cancel).
func (c *Client) CancelInstance(ctx context.Context, id int64, params CancelInstanceParams, body CancelInstanceJSONRequestBody) (answer Instance, err error) {
	err = c.Do(ctx, NewCancelInstanceRequest(id, params, body), &answer)
	return answer, err
}

// NewConfirmInstanceRequest is the request of Client.ConfirmInstance.
func NewConfirmInstanceRequest(id int64, params ConfirmInstanceParams, body ConfirmInstanceJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/instances/%s/confirm", id)
	r.header("Idempotency-Key", params.IdempotencyKey)
	r.Body = body
	return r
}

// ConfirmInstance: let an instance pass that waits for a person (POST /api/v1/instances/{id}/confirm).
func (c *Client) ConfirmInstance(ctx context.Context, id int64, params ConfirmInstanceParams, body ConfirmInstanceJSONRequestBody) (answer Instance, err error) {
	err = c.Do(ctx, NewConfirmInstanceRequest(id, params, body), &answer)
	return answer, err
}

// NewListEventsRequest is the request of Client.ListEvents.
func NewListEventsRequest(id int64, params ListEventsParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/instances/%s/events", id)
	r.query("cursor", params.Cursor, false)
	r.query("after", params.After, false)
	r.query("limit", params.Limit, false)
	return r
}

// ListEvents: the history of an instance (GET /api/v1/instances/{id}/events).
func (c *Client) ListEvents(ctx context.Context, id int64, params ListEventsParams) (answer EventPage, err error) {
	err = c.Do(ctx, NewListEventsRequest(id, params), &answer)
	return answer, err
}

// NewExplainInstanceRequest is the request of Client.ExplainInstance.
func NewExplainInstanceRequest(id int64, params ExplainInstanceParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/instances/%s/explain", id)
	r.query("at", params.At, false)
	return r
}

// ExplainInstance: why an instance is where it is (GET /api/v1/instances/{id}/explain).
func (c *Client) ExplainInstance(ctx context.Context, id int64, params ExplainInstanceParams) (answer Explanation, err error) {
	err = c.Do(ctx, NewExplainInstanceRequest(id, params), &answer)
	return answer, err
}

// NewGraphInstanceRequest is the request of Client.GraphInstance.
func NewGraphInstanceRequest(id int64, params GraphInstanceParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/instances/%s/graph", id)
	r.query("up", params.Up, false)
	r.query("down", params.Down, false)
	r.query("limit", params.Limit, false)
	r.query("ends", params.Ends, false)
	r.query("at", params.At, false)
	return r
}

// GraphInstance: the instances around one (GET /api/v1/instances/{id}/graph).
func (c *Client) GraphInstance(ctx context.Context, id int64, params GraphInstanceParams) (answer Graph, err error) {
	err = c.Do(ctx, NewGraphInstanceRequest(id, params), &answer)
	return answer, err
}

// NewListRunsRequest is the request of Client.ListRuns.
func NewListRunsRequest(id int64, params ListRunsParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/instances/%s/runs", id)
	r.query("cursor", params.Cursor, false)
	r.query("limit", params.Limit, false)
	return r
}

// ListRuns: the runs of an instance (GET /api/v1/instances/{id}/runs).
func (c *Client) ListRuns(ctx context.Context, id int64, params ListRunsParams) (answer RunList, err error) {
	err = c.Do(ctx, NewListRunsRequest(id, params), &answer)
	return answer, err
}

// NewListStepsRequest is the request of Client.ListSteps.
func NewListStepsRequest(id int64, params ListStepsParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/instances/%s/steps", id)
	r.query("cursor", params.Cursor, false)
	r.query("limit", params.Limit, false)
	return r
}

// ListSteps: the steps of an instance and what they wait for (GET /api/v1/instances/{id}/steps).
func (c *Client) ListSteps(ctx context.Context, id int64, params ListStepsParams) (answer StepList, err error) {
	err = c.Do(ctx, NewListStepsRequest(id, params), &answer)
	return answer, err
}

// NewListWaitsRequest is the request of Client.ListWaits.
func NewListWaitsRequest(id int64, params ListWaitsParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/instances/%s/waits", id)
	r.query("cursor", params.Cursor, false)
	r.query("limit", params.Limit, false)
	return r
}

// ListWaits: what an instance waits for, as it was planned (GET /api/v1/instances/{id}/waits).
func (c *Client) ListWaits(ctx context.Context, id int64, params ListWaitsParams) (answer WaitList, err error) {
	err = c.Do(ctx, NewListWaitsRequest(id, params), &answer)
	return answer, err
}

// NewListJobsRequest is the request of Client.ListJobs.
func NewListJobsRequest(params ListJobsParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/jobs")
	r.query("workflow", params.Workflow, false)
	r.query("q", params.Q, false)
	r.query("removed", params.Removed, false)
	r.query("due", params.Due, false)
	r.query("cursor", params.Cursor, false)
	r.query("limit", params.Limit, false)
	return r
}

// ListJobs: list jobs by workflow and name (GET /api/v1/jobs).
func (c *Client) ListJobs(ctx context.Context, params ListJobsParams) (answer JobPage, err error) {
	err = c.Do(ctx, NewListJobsRequest(params), &answer)
	return answer, err
}

// NewJobsAroundRequest is the request of Client.JobsAround.
func NewJobsAroundRequest(params JobsAroundParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/jobs/around")
	r.query("job", params.Job, true)
	r.query("limit", params.Limit, false)
	return r
}

// JobsAround: the jobs that some wait for, and those that wait for them (GET /api/v1/jobs/around).
func (c *Client) JobsAround(ctx context.Context, params JobsAroundParams) (answer JobsAround, err error) {
	err = c.Do(ctx, NewJobsAroundRequest(params), &answer)
	return answer, err
}

// NewGetJobRequest is the request of Client.GetJob.
func NewGetJobRequest(workflow string, job string, params GetJobParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/jobs/%s/%s", workflow, job)
	r.header("If-None-Match", params.IfNoneMatch)
	return r
}

// GetJob: one job: its definition, when it is due, what it waits for (GET /api/v1/jobs/{workflow}/{job}).
func (c *Client) GetJob(ctx context.Context, workflow string, job string, params GetJobParams) (answer JobDetail, err error) {
	err = c.Do(ctx, NewGetJobRequest(workflow, job, params), &answer)
	return answer, err
}

// NewJobDaysRequest is the request of Client.JobDays.
func NewJobDaysRequest(workflow string, job string, params JobDaysParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/jobs/%s/%s/days", workflow, job)
	r.query("from", params.From, false)
	r.query("to", params.To, false)
	return r
}

// JobDays: what became of a job day by day, and what is to come (GET /api/v1/jobs/{workflow}/{job}/days).
func (c *Client) JobDays(ctx context.Context, workflow string, job string, params JobDaysParams) (answer JobDays, err error) {
	err = c.Do(ctx, NewJobDaysRequest(workflow, job, params), &answer)
	return answer, err
}

// NewGetDefinitionRequest is the request of Client.GetDefinition.
func NewGetDefinitionRequest(workflow string, job string, params GetDefinitionParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/jobs/%s/%s/definition", workflow, job)
	r.header("If-None-Match", params.IfNoneMatch)
	return r
}

// GetDefinition: the definition of a job, and nothing that follows from it (GET /api/v1/jobs/{workflow}/{job}/definition).
func (c *Client) GetDefinition(ctx context.Context, workflow string, job string, params GetDefinitionParams) (answer Definition, err error) {
	err = c.Do(ctx, NewGetDefinitionRequest(workflow, job, params), &answer)
	return answer, err
}

// NewJobFormRequest is the request of Client.JobForm.
func NewJobFormRequest(workflow string, job string) *Request {
	r := newRequest(http.MethodGet, "/api/v1/jobs/%s/%s/form", workflow, job)
	return r
}

// JobForm: what a trigger of the job may say: a JSON Schema (2020-12) of its parameters, of which a form can be made (GET /api/v1/jobs/{workflow}/{job}/form).
func (c *Client) JobForm(ctx context.Context, workflow string, job string) (answer map[string]interface{}, err error) {
	err = c.Do(ctx, NewJobFormRequest(workflow, job), &answer)
	return answer, err
}

// NewTriggerJobRequest is the request of Client.TriggerJob.
func NewTriggerJobRequest(workflow string, job string, params TriggerJobParams, body TriggerJobJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/jobs/%s/%s/trigger", workflow, job)
	r.header("Idempotency-Key", params.IdempotencyKey)
	r.Body = body
	return r
}

// TriggerJob: run a job now (POST /api/v1/jobs/{workflow}/{job}/trigger).
func (c *Client) TriggerJob(ctx context.Context, workflow string, job string, params TriggerJobParams, body TriggerJobJSONRequestBody) (answer Instance, err error) {
	err = c.Do(ctx, NewTriggerJobRequest(workflow, job, params, body), &answer)
	return answer, err
}

// NewListVersionsRequest is the request of Client.ListVersions.
func NewListVersionsRequest(workflow string, job string, params ListVersionsParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/jobs/%s/%s/versions", workflow, job)
	r.query("cursor", params.Cursor, false)
	r.query("limit", params.Limit, false)
	return r
}

// ListVersions: the definitions that a job has had, newest first (GET /api/v1/jobs/{workflow}/{job}/versions).
func (c *Client) ListVersions(ctx context.Context, workflow string, job string, params ListVersionsParams) (answer VersionPage, err error) {
	err = c.Do(ctx, NewListVersionsRequest(workflow, job, params), &answer)
	return answer, err
}

// NewDescribeRequest is a request for Client.Send: this description of the API.
func NewDescribeRequest() *Request {
	r := newRequest(http.MethodGet, "/api/v1/openapi.json")
	return r
}

// NewListOperationsRequest is the request of Client.ListOperations.
func NewListOperationsRequest(params ListOperationsParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/operations")
	r.query("cursor", params.Cursor, false)
	r.query("limit", params.Limit, false)
	return r
}

// ListOperations: list operations on many instances, the newest first (GET /api/v1/operations).
func (c *Client) ListOperations(ctx context.Context, params ListOperationsParams) (answer OperationPage, err error) {
	err = c.Do(ctx, NewListOperationsRequest(params), &answer)
	return answer, err
}

// NewOperateRequest is the request of Client.Operate.
func NewOperateRequest(params OperateParams, body OperateJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/operations")
	r.header("Idempotency-Key", params.IdempotencyKey)
	r.Body = body
	return r
}

// Operate: rerun, force, skip, freeze, cancel, confirm, detach, run at once, boost or reschedule instances (POST /api/v1/operations).
func (c *Client) Operate(ctx context.Context, params OperateParams, body OperateJSONRequestBody) (answer OperationResult, err error) {
	err = c.Do(ctx, NewOperateRequest(params, body), &answer)
	return answer, err
}

// NewGetOperationRequest is the request of Client.GetOperation.
func NewGetOperationRequest(id int64) *Request {
	r := newRequest(http.MethodGet, "/api/v1/operations/%s", id)
	return r
}

// GetOperation: one operation on many instances, and how far it is (GET /api/v1/operations/{id}).
func (c *Client) GetOperation(ctx context.Context, id int64) (answer OperationProgress, err error) {
	err = c.Do(ctx, NewGetOperationRequest(id), &answer)
	return answer, err
}

// NewListOrdersRequest is the request of Client.ListOrders.
func NewListOrdersRequest(params ListOrdersParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/orders")
	r.query("cursor", params.Cursor, false)
	r.query("limit", params.Limit, false)
	return r
}

// ListOrders: what is ordered ahead of instances to come (GET /api/v1/orders).
func (c *Client) ListOrders(ctx context.Context, params ListOrdersParams) (answer OrderList, err error) {
	err = c.Do(ctx, NewListOrdersRequest(params), &answer)
	return answer, err
}

// NewListPausesRequest is the request of Client.ListPauses.
func NewListPausesRequest(params ListPausesParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/pauses")
	r.query("cursor", params.Cursor, false)
	r.query("limit", params.Limit, false)
	return r
}

// ListPauses: what is paused now (GET /api/v1/pauses).
func (c *Client) ListPauses(ctx context.Context, params ListPausesParams) (answer PauseList, err error) {
	err = c.Do(ctx, NewListPausesRequest(params), &answer)
	return answer, err
}

// NewPauseRequest is the request of Client.Pause.
func NewPauseRequest(params PauseParams, body PauseJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/pauses")
	r.header("Idempotency-Key", params.IdempotencyKey)
	r.Body = body
	return r
}

// Pause: pause a job or a workflow (POST /api/v1/pauses).
func (c *Client) Pause(ctx context.Context, params PauseParams, body PauseJSONRequestBody) (answer Pause, err error) {
	err = c.Do(ctx, NewPauseRequest(params, body), &answer)
	return answer, err
}

// NewResumeRequest is the request of Client.Resume.
func NewResumeRequest(params ResumeParams, body ResumeJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/pauses/resume")
	r.header("Idempotency-Key", params.IdempotencyKey)
	r.Body = body
	return r
}

// Resume: let a paused job or workflow go on (POST /api/v1/pauses/resume).
func (c *Client) Resume(ctx context.Context, params ResumeParams, body ResumeJSONRequestBody) (answer Pause, err error) {
	err = c.Do(ctx, NewResumeRequest(params, body), &answer)
	return answer, err
}

// NewPlanCalendarRequest is a request for Client.Send: the plan as a calendar.
func NewPlanCalendarRequest(params PlanCalendarParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/plan.ics")
	r.query("workflow", params.Workflow, false)
	r.query("job", params.Job, false)
	r.query("days", params.Days, false)
	return r
}

// NewSimulateRequest is the request of Client.Simulate.
func NewSimulateRequest(body SimulateJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/simulate")
	r.Body = body
	return r
}

// Simulate: play a day before it comes (POST /api/v1/simulate).
func (c *Client) Simulate(ctx context.Context, body SimulateJSONRequestBody) (answer Simulation, err error) {
	err = c.Do(ctx, NewSimulateRequest(body), &answer)
	return answer, err
}

// NewListSinksRequest is the request of Client.ListSinks.
func NewListSinksRequest() *Request {
	r := newRequest(http.MethodGet, "/api/v1/sinks")
	return r
}

// ListSinks: the sinks of the server, and how alerts stand (GET /api/v1/sinks).
func (c *Client) ListSinks(ctx context.Context) (answer SinkList, err error) {
	err = c.Do(ctx, NewListSinksRequest(), &answer)
	return answer, err
}

// NewTestSinkRequest is the request of Client.TestSink.
func NewTestSinkRequest(sink string, params TestSinkParams, body TestSinkJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/sinks/%s/test", sink)
	r.header("Idempotency-Key", params.IdempotencyKey)
	r.Body = body
	return r
}

// TestSink: send a message to a sink that says that it is a test (POST /api/v1/sinks/{sink}/test).
func (c *Client) TestSink(ctx context.Context, sink string, params TestSinkParams, body TestSinkJSONRequestBody) (answer Delivery, err error) {
	err = c.Do(ctx, NewTestSinkRequest(sink, params, body), &answer)
	return answer, err
}

// NewStatusRequest is the request of Client.Status.
func NewStatusRequest() *Request {
	r := newRequest(http.MethodGet, "/api/v1/status")
	return r
}

// Status: what the server is doing (GET /api/v1/status).
func (c *Client) Status(ctx context.Context) (answer Status, err error) {
	err = c.Do(ctx, NewStatusRequest(), &answer)
	return answer, err
}

// NewStreamChangesRequest is a request for Client.Send: follow what happens.
func NewStreamChangesRequest(params StreamChangesParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/stream")
	r.query("workflow", params.Workflow, false)
	r.query("job", params.Job, false)
	r.query("instance", params.Instance, false)
	r.query("kinds", params.Kinds, false)
	r.query("after", params.After, false)
	r.header("Last-Event-ID", params.LastEventID)
	return r
}

// NewListTokensRequest is the request of Client.ListTokens.
func NewListTokensRequest(params ListTokensParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/tokens")
	r.query("cursor", params.Cursor, false)
	r.query("limit", params.Limit, false)
	return r
}

// ListTokens: list the tokens that were not revoked, by id (GET /api/v1/tokens).
func (c *Client) ListTokens(ctx context.Context, params ListTokensParams) (answer TokenPage, err error) {
	err = c.Do(ctx, NewListTokensRequest(params), &answer)
	return answer, err
}

// NewCreateTokenRequest is the request of Client.CreateToken.
func NewCreateTokenRequest(params CreateTokenParams, body CreateTokenJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/tokens")
	r.header("Idempotency-Key", params.IdempotencyKey)
	r.Body = body
	return r
}

// CreateToken: make a token (POST /api/v1/tokens).
func (c *Client) CreateToken(ctx context.Context, params CreateTokenParams, body CreateTokenJSONRequestBody) (answer APIToken, err error) {
	err = c.Do(ctx, NewCreateTokenRequest(params, body), &answer)
	return answer, err
}

// NewRevokeTokenRequest is the request of Client.RevokeToken.
func NewRevokeTokenRequest(id int64, params RevokeTokenParams, body RevokeTokenJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/api/v1/tokens/%s/revoke", id)
	r.header("Idempotency-Key", params.IdempotencyKey)
	r.Body = body
	return r
}

// RevokeToken: end a token for good (POST /api/v1/tokens/{id}/revoke).
func (c *Client) RevokeToken(ctx context.Context, id int64, params RevokeTokenParams, body RevokeTokenJSONRequestBody) (answer APIToken, err error) {
	err = c.Do(ctx, NewRevokeTokenRequest(id, params, body), &answer)
	return answer, err
}

// NewListUpcomingRequest is the request of Client.ListUpcoming.
func NewListUpcomingRequest(params ListUpcomingParams) *Request {
	r := newRequest(http.MethodGet, "/api/v1/upcoming")
	r.query("limit", params.Limit, false)
	return r
}

// ListUpcoming: what is due next, the soonest first (GET /api/v1/upcoming).
func (c *Client) ListUpcoming(ctx context.Context, params ListUpcomingParams) (answer Upcoming, err error) {
	err = c.Do(ctx, NewListUpcomingRequest(params), &answer)
	return answer, err
}

// NewWhoamiRequest is the request of Client.Whoami.
func NewWhoamiRequest() *Request {
	r := newRequest(http.MethodGet, "/api/v1/whoami")
	return r
}

// Whoami: who makes the request, and what they may do (GET /api/v1/whoami).
func (c *Client) Whoami(ctx context.Context) (answer Whoami, err error) {
	err = c.Do(ctx, NewWhoamiRequest(), &answer)
	return answer, err
}

// NewListWorkersRequest is the request of Client.ListWorkers.
func NewListWorkersRequest() *Request {
	r := newRequest(http.MethodGet, "/api/v1/workers")
	return r
}

// ListWorkers: the servers that work on the rows, their slots and pools, and what they run (GET /api/v1/workers).
func (c *Client) ListWorkers(ctx context.Context) (answer Workers, err error) {
	err = c.Do(ctx, NewListWorkersRequest(), &answer)
	return answer, err
}

// NewDeliverRequest is the request of Client.Deliver.
func NewDeliverRequest(workflow string, job string, params DeliverParams, body DeliverJSONRequestBody) *Request {
	r := newRequest(http.MethodPost, "/hooks/%s/%s", workflow, job)
	r.header("X-Hub-Signature-256", params.XHubSignature256)
	r.header("X-Almanac-Delivery", params.XAlmanacDelivery)
	r.header("X-Almanac-Timestamp", params.XAlmanacTimestamp)
	r.Body = body
	return r
}

// Deliver: start the job of a webhook (POST /hooks/{workflow}/{job}).
func (c *Client) Deliver(ctx context.Context, workflow string, job string, params DeliverParams, body DeliverJSONRequestBody) (answer HookAnswer, err error) {
	err = c.Do(ctx, NewDeliverRequest(workflow, job, params, body), &answer)
	return answer, err
}

// NewLiveRequest is the request of Client.Live.
func NewLiveRequest() *Request {
	r := newRequest(http.MethodGet, "/livez")
	return r
}

// Live: whether the process answers (GET /livez).
func (c *Client) Live(ctx context.Context) (answer Probe, err error) {
	err = c.Do(ctx, NewLiveRequest(), &answer)
	return answer, err
}

// NewMetricsRequest is a request for Client.Send: figures for Prometheus.
func NewMetricsRequest() *Request {
	r := newRequest(http.MethodGet, "/metrics")
	return r
}

// NewReadyRequest is the request of Client.Ready.
func NewReadyRequest() *Request {
	r := newRequest(http.MethodGet, "/readyz")
	return r
}

// Ready: whether the server does its work (GET /readyz).
func (c *Client) Ready(ctx context.Context) (answer Probe, err error) {
	err = c.Do(ctx, NewReadyRequest(), &answer)
	return answer, err
}

// The answers of these operations are decoded by Client.Do.
