package engine

import (
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/recurrence"
)

// Kind is why an instance exists.
type Kind string

// The kinds. Identity is (job, Key, plan time): scheduled instances have the empty key, so that a manual or backfill instance of the same
// plan time never collides with the scheduled one.
const (
	Scheduled Kind = "scheduled"
	Manual    Kind = "manual"
	Backfill  Kind = "backfill"
)

// Gate is what holds a waiting instance, in the order in which gates are looked at. It is the result of Evaluate, stored with its reason.
type Gate string

// The gates.
const (
	GateTime        Gate = "time"
	GateDependency  Gate = "dependency"
	GateConfirm     Gate = "confirm"
	GateFrozen      Gate = "frozen"
	GateConcurrency Gate = "concurrency"
	GateSlot        Gate = "slot" // nothing but a free slot (of the server or of its pool) is missing: the queue
	GateDisk        Gate = "disk"
)

// Gates lists the gates in their order.
var Gates = []Gate{GateTime, GateDependency, GateConfirm, GateFrozen, GateConcurrency, GateSlot, GateDisk}

// An Instance is a job at a plan time: the thing that is stored, waits, starts and ends.
type Instance struct {
	ID       int64
	Job      int64 // row id of the job
	Ref      JobRef
	Version  int64 // row id of the job version that it was planned with
	Kind     Kind
	Key      string    // "" for scheduled, the backfill's or the trigger's id otherwise
	PlanTime time.Time // in the zone offset that it had when planned; millisecond precision

	State  State
	Gate   Gate   // of a waiting instance
	Reason Reason // why it is in this state, or behind this gate

	Fence   int64     // grows with every claim; a write with an old one is refused
	Owner   string    // the server that claimed it; "" when not running
	Lease   time.Time // until when the claim stands; zero when not running
	DryRun  bool      // off-calendar day kept as an instance
	Frozen  bool
	Touched bool   // a person has acted on it: it is neither planned away nor given up for a later one
	RunNow  string // who lets it run without what it waits for; "" nobody

	NotBefore time.Time // plan time plus spread; of one that a person reran or ran at once, when that was
	Priority  int
	Pool      string
	Params    map[string]string // given by the trigger
	Confirmed string            // who confirmed; "" nobody yet
	Cancel    *Reason           // a running instance that is being cancelled, and why

	Run       int       // the number of its current run, from 1; 0 of one that is not recorded
	StartedAt time.Time // start of the current run; zero before
	EndedAt   time.Time // zero while open
}

// Name returns workflow/job@plan time, the form that people read and type.
func (i *Instance) Name() string {
	return fmt.Sprintf("%s@%s", i.Ref, PlanTimeText(i.PlanTime))
}

// PlanTimeText writes a plan time as names of instances have it: RFC 3339, to the millisecond where it lies on no whole second, so
// that the text stands for this time and no other.
func PlanTimeText(t time.Time) string {
	if t.Nanosecond() != 0 {
		return t.Format("2006-01-02T15:04:05.000Z07:00")
	}
	return t.Format(time.RFC3339)
}

// A Reason is why something is as it is: a code for programs, and the facts that make a sentence of it for people.
type Reason struct {
	Code     ReasonCode `json:"code"`
	Upstream *JobRef    `json:"upstream,omitempty"` // the job that is waited for
	At       *time.Time `json:"at,omitempty"`       // its plan time, or the time that is waited for
	State    State      `json:"state,omitempty"`    // the upstream instance's state; "" when it is not planned yet
	Detail   string     `json:"detail,omitempty"`   // what else a person wants to read
	Actor    string     `json:"actor,omitempty"`    // who did it, when a person did
}

// ReasonCode is the closed set of reasons.
type ReasonCode string

// The reasons.
const (
	ReasonPlanned      ReasonCode = "planned"  // not looked at yet
	ReasonNotDue       ReasonCode = "not-due"  // At is its time
	ReasonUpstream     ReasonCode = "upstream" // waits for Upstream at At, which is in State
	ReasonUpstreamFail ReasonCode = "upstream-failed"
	ReasonNoUpstream   ReasonCode = "no-upstream" // nothing in the window, and onMissing says wait or cancel
	ReasonUpstreamGone ReasonCode = "upstream-gone"
	ReasonWaitTimeout  ReasonCode = "wait-timeout"
	ReasonConfirm      ReasonCode = "confirm"
	ReasonFrozen       ReasonCode = "frozen"
	ReasonConcurrency  ReasonCode = "concurrency"
	ReasonSlot         ReasonCode = "slot"
	ReasonPool         ReasonCode = "pool"
	ReasonDisk         ReasonCode = "disk"
	ReasonDisabled     ReasonCode = "disabled"
	ReasonPaused       ReasonCode = "paused"  // a person has paused the job or its workflow, until At; or it was due while that was so
	ReasonRemoved      ReasonCode = "removed" // the job was removed from the definitions
	ReasonMisfire      ReasonCode = "misfire"
	ReasonOverlap      ReasonCode = "overlap"
	ReasonOffCalendar  ReasonCode = "off-calendar"
	ReasonReleased     ReasonCode = "released" // started: every gate was open
	ReasonSucceeded    ReasonCode = "succeeded"
	ReasonStepFailed   ReasonCode = "step-failed"
	ReasonStepPaused   ReasonCode = "step-paused"
	ReasonLost         ReasonCode = "lost"
	ReasonPerson       ReasonCode = "person"
	ReasonFenced       ReasonCode = "fenced"     // another server has taken it over
	ReasonClock        ReasonCode = "clock"      // the machine's clock was set, or stood still
	ReasonCycle        ReasonCode = "cycle"      // waits for an instance that waits for it; Detail is the path
	ReasonAlert        ReasonCode = "alert"      // of an event about an incident
	ReasonDefinition   ReasonCode = "definition" // the definition it was planned with cannot be carried out
	ReasonBroken       ReasonCode = "broken"     // the row cannot be told as it is; Detail says why and what helps
	ReasonRelinked     ReasonCode = "relinked"   // waits for what the definitions say now; Detail says what it waited for before
	ReasonOperation    ReasonCode = "operation"  // an operation on many instances is under way, and this is one of them
	ReasonLane         ReasonCode = "lane"       // its backfill starts nothing more just now; Detail says why
)

// A Wait is one contiguous range of an upstream job's plan times that an instance waits for, with the reason that it does. Several rows
// with the same Dependency belong to one declared dependency whose set is cut in pieces.
type Wait struct {
	Instance   int64
	N          int // ordinal within the instance, from 0
	Dependency int // ordinal of the declared dependency in the job, from 0
	Upstream   int64
	Ref        JobRef // of the upstream
	Key        string // of the upstream instances: "" for scheduled ones

	First, Last time.Time // plan times, both included; zero when Count is 0
	Count       int       // plan times that the upstream's schedule has in the range; 0: nothing in the window

	Rule       string // a word of `dependencies.md` §10
	Select     string // all, any, or a count
	WindowFrom time.Time
	WindowTo   time.Time
	Closed     string // left, right or both

	OnMissing OnMissing
	OnFailed  OnFailed
	Ended     bool          // satisfied by any end: waitPreviousEnd
	Timeout   time.Duration // 0 is none
	Bound     int64         // the revision of the definitions that it is of; all waits of an instance have one
}

// AnyEnd reports whether the wait is over when all that it is for have ended, whatever became of
// them.
func (w *Wait) AnyEnd() bool { return w.Ended || w.OnFailed == FailedRun }

// FrozenEnds reports whether an instance that a person holds counts as ended to the wait: for
// `onFailed: run` alone (`dependencies.md` §8).
func (w *Wait) FrozenEnds() bool { return w.OnFailed == FailedRun }

// TellBroken puts the reason broken on an instance whose plan time lies outside of the range that every door holds today, so that lists show the
// row and say what is wrong with it.
func (i *Instance) TellBroken() {
	if recurrence.InRange(i.PlanTime) {
		return
	}
	i.Reason = Reason{Code: ReasonBroken, Detail: fmt.Sprintf("its plan time lies outside of the years %d to %d; if it has not ended, almanac cancel %d ends it",
		recurrence.FirstYear, recurrence.LastYear, i.ID)}
}
