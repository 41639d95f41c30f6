package engine

import (
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
)

// An Attempt is one execution of one step of an instance, or of a job's error action. Its Action is rendered: no text in it holds a
// substitution any more, and none is ever rendered a second time.
type Attempt struct {
	ID       int64 // unique in a server; names the log
	Instance int64
	Ref      JobRef
	PlanTime time.Time
	Step     string // "" for the only step of a job with a single action
	Number   int    // from 1, over reruns too
	Error    bool   // the job's error action
	Errand   int64  // of an error action: the delivery that the attempt is one of
	Once     bool   // onLost is hold: it must not be carried out twice
	Again    int    // how often the step had succeeded in earlier runs of the instance
	Fence    int64

	Action  Action
	Secrets []string // what the action's texts were given of secrets: not to be shown in a log, an output or a message
	Folder  string   // where relative paths of the action start

	StartedAt time.Time

	Traceparent string // W3C trace context that the action is given; "" is none

	// Until is the end of the lease under which the attempt runs, by the clock of this machine; zero where no other server can take its instance
	// over. The Runner does not begin it later, and ends it before, unless Renew moves it.
	Until time.Time
}

// Outcome is how an attempt ended.
type Outcome string

// The outcomes. An attempt has exactly one, and it never changes.
const (
	OutcomeSucceeded Outcome = "succeeded"
	OutcomeFailed    Outcome = "failed"
	OutcomeTimeout   Outcome = "timeout"
	OutcomeCancelled Outcome = "cancelled"
	OutcomeLost      Outcome = "lost" // cannot be known: the machine restarted, the supervisor died, or an answer did not come
)

// A Result is what became of an attempt.
type Result struct {
	Attempt int64
	Outcome Outcome
	Exit    *int              // exit code of a process that exited
	Signal  string            // signal that ended the process, such as "killed"
	Status  int               // HTTP status; 0 where there was none
	Message string            // one line for people: why it failed, or what is worth knowing
	Outputs map[string]string // what the step wrote to $ALMANAC_OUTPUT

	StartedAt time.Time
	EndedAt   time.Time
	LogBytes  int64
	Truncated bool // the middle of the log was left out

	Unrepeatable bool // of a look of a step of type wait: another would end as this one did; not kept
	Unknown      bool // something was sent and no complete answer came: what became of it is not known; not kept
	Refused      bool // this server does not permit it, and would refuse it again: no retry policy asks it to; not kept
}

// heldAs is the result as the job's onLost takes it. Where nothing may be done twice, what was sent and not answered is lost: to call it a failure
// would be a guess, and the retry policy would send it again.
func (r Result) heldAs(job *Job) Result {
	if r.Unknown && job.OnLost == LostHold && (r.Outcome == OutcomeFailed || r.Outcome == OutcomeTimeout) && !fault.Planted(fault.UnknownFailed) {
		r.Outcome = OutcomeLost
	}
	return r
}

// Code returns what a retry policy's `on` is compared with: the exit code or the HTTP status, -1 where there is neither.
func (r Result) Code() int {
	switch {
	case r.Status != 0:
		return r.Status
	case r.Exit != nil:
		return *r.Exit
	}
	return -1
}

// String is the result in a few words: "exit 3", "HTTP 503", "killed", "succeeded".
func (r Result) String() string {
	switch {
	case r.Message != "":
		return r.Message
	case r.Status != 0:
		return fmt.Sprintf("HTTP %d", r.Status)
	case r.Exit != nil && *r.Exit != 0:
		return fmt.Sprintf("exit %d", *r.Exit)
	case r.Signal != "":
		return r.Signal
	}
	return string(r.Outcome)
}

// Runner carries attempts out. The engine asks no more of the outside world than this.
type Runner interface {
	// Start begins an attempt and returns at once. done is called exactly once, from any goroutine, when its outcome is known.
	// What cannot even be started is a failed result, not a panic and not silence.
	Start(a Attempt, done func(Result))
	// Cancel asks a running attempt to end: TERM to its process group, KILL after its grace. The outcome comes through done. An
	// unknown id is ignored: the attempt has ended already.
	Cancel(attempt int64)
	// Renew moves the end of the lease under which attempts run. Unknown ids are ignored.
	Renew(attempts []int64, until time.Time)
	// Adopt takes over attempts that an earlier process of this server started. Those that still run or whose end was kept are
	// reported through done; the ids returned are those nothing is known of, and apart from them those that no process was ever begun for, if they are
	// commands.
	Adopt(attempts []int64, done func(Result)) (unknown, unbegun []int64)
}
