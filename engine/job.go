package engine

import (
	"slices"
	"time"

	"github.com/almanac-sched/almanac/deps"
	"github.com/almanac-sched/almanac/recurrence"
)

// A Job is one named unit of work: when it is due, what it waits for, what it does. It is immutable once loaded; a changed
// definition is another Job value with another Definition.
type Job struct {
	Workflow    string
	Name        string
	Description string
	Tags        []string
	Disabled    bool // state: disabled, of the job or of its workflow

	When    recurrence.When
	Webhook *Webhook    // requests that trigger it; nil for none
	Period  deps.Period // inferred, or the job's own `period:`

	Spread        time.Duration // the start moves up to this far after the plan time, by hash of the job's name
	Misfire       Misfire
	MisfireWindow time.Duration // instances missed by more are cancelled whatever Misfire says; never zero

	DependsOn   []Dependency
	Concurrency int // instances running at once, at least 1
	Overlap     Overlap
	WaitTimeout time.Duration // for all gates, counted from max(plan time, last upstream plan time)
	Confirm     bool          // waits for a person

	Steps       []Step // at least one; a job with a single action has one step named ""
	ErrorAction *Action

	Priority int    // 1 (last) to 9 (first), default 5
	Pool     string // "" is no pool
	Slots    int    // size of the pool: attempts of all its jobs at once, at least 1; jobs that share a pool state the same size
	Deadline time.Duration
	Notify   []Notify // nil is whom the server tells of jobs that do not say; empty is nobody
	OnLost   OnLost

	Env     map[string]Text
	Params  []Param
	Secrets map[string]SecretSource

	Folder     string // absolute; where the definition was loaded from
	Definition []byte // canonical JSON of a workflow that holds this job alone; two jobs are the same version when it is equal
}

// Ref names the job across workflows.
func (j *Job) Ref() JobRef { return JobRef{Workflow: j.Workflow, Job: j.Name} }

// Instantaneous reports that every step is of type none: such an instance holds no slot and ends in the pass that starts it.
func (j *Job) Instantaneous() bool {
	return !slices.ContainsFunc(j.Steps, func(s Step) bool { return s.Action.Type != ActionNone })
}

// A JobRef is the name of a job: unique in a server, printed as workflow/job.
type JobRef struct {
	Workflow string `json:"workflow"`
	Job      string `json:"job"`
}

// String returns workflow/job.
func (r JobRef) String() string { return r.Workflow + "/" + r.Job }

// A Dependency says that a job's instances wait for instances of another (`dependencies.md` §7).
type Dependency struct {
	Job             JobRef
	Edge            deps.Edge
	OnMissing       OnMissing // never empty: the policy's default is filled in
	OnMissingStated bool      // the definition wrote onMissing itself: then a deleted or disabled upstream does not cancel
	OnFailed        OnFailed
	WaitPreviousEnd bool
	Timeout         time.Duration // 0 is none
}

// Misfire decides what becomes of due times that passed while nothing looked (server down, machine asleep, clock jumped).
type Misfire string

// The misfire policies. Whatever the policy, each missed due time has an instance: it decides running, never recording.
const (
	MisfireRunAll    Misfire = "runAll"
	MisfireRunLatest Misfire = "runLatest"
	MisfireSkip      Misfire = "skip"
)

// Overlap decides what a due instance does while as many as Concurrency of its job run.
type Overlap string

// The overlap policies of `definition.md`, Job: after what.
const (
	OverlapQueue         Overlap = "queue"
	OverlapSkip          Overlap = "skip"
	OverlapSkipToLatest  Overlap = "skipToLatest"
	OverlapCancelRunning Overlap = "cancelRunning"
)

// OnMissing decides what an empty dependency set means: the upstream's schedule has no plan time in the window.
type OnMissing string

// The answers to an empty set (`dependencies.md` §7).
const (
	MissingRun    OnMissing = "run"
	MissingWait   OnMissing = "wait"
	MissingCancel OnMissing = "cancel"
)

// OnFailed decides what a failed upstream instance means.
type OnFailed string

// The answers to a failed upstream (`dependencies.md` §7).
const (
	FailedWait   OnFailed = "wait"   // suspend until it is rerun, forced or skipped
	FailedRun    OnFailed = "run"    // run when all have ended
	FailedCancel OnFailed = "cancel" // as soon as one failed
)

// OnLost decides what becomes of an attempt whose outcome cannot be known.
type OnLost string

// The answers to a lost attempt (`architecture.md`, States).
const (
	LostRetry OnLost = "retry"
	LostHold  OnLost = "hold"
)
