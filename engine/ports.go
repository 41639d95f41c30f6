package engine

import (
	"context"
	"iter"
	"time"

	"github.com/almanac-sched/almanac/recurrence"
)

// Store is all that the engine asks of the rows. It invents no time and no id: both are arguments.
type Store interface {
	// Write runs fn in a write transaction and returns after the changes have survived power loss. Concurrent calls share a commit
	// (group commit) and see one another's changes in the order in which they run; fn may run twice when the transaction that it shared was
	// rolled back because of another call, so it must have no effect but on tx and on variables that it sets anew each time.
	// An error of fn rolls back fn's changes, and only those.
	Write(ctx context.Context, fn func(tx Tx) error) error
	// Read runs fn on one consistent snapshot.
	Read(ctx context.Context, fn func(v View) error) error
	// Both return an error that wraps ErrUnavailable when trying again makes sense. Whatever error Write returns, of its own or of a commit whose
	// outcome is not known, the changes may have been made or not, all or none; only an error of fn itself says that they have not.
}

// View reads rows. Every method that lists takes its order from its comment; nothing depends on the order of a map.
type View interface {
	// Clock is the time by which leases are judged: one clock for all who share the store. A store that one machine uses takes it from its
	// configuration.
	Clock() (time.Time, error)
	// Revision grows with each change of a job or of a job version: definitions held in memory are current while it stands still.
	Revision() (int64, error)
	// ZoneRules returns what PutZoneRules put last for the time zone; "" when nothing.
	ZoneRules(zone string) (string, error)
	// Lease returns who holds the named lease and until when; ErrNotFound when nobody ever did.
	Lease(name string) (LeaseRow, error)

	// Jobs lists the known jobs by workflow and name, removed ones too.
	Jobs() ([]JobRow, error)
	// JobsSince lists those of them that were put after the revision.
	JobsSince(revision int64) ([]JobRow, error)
	// JobByRef returns one, a removed one too; ErrNotFound when there is none.
	JobByRef(JobRef) (JobRow, error)
	// Dependents lists the jobs of which an instance ever waited for one of the upstream job, but itself, by workflow and name.
	Dependents(upstream int64) ([]JobRow, error)
	// Upstreams lists, by job and upstream, which jobs ever waited for which.
	Upstreams() ([]JobPair, error)
	// Version returns an immutable job version; ErrNotFound when there is none.
	Version(id int64) (VersionRow, error)

	// Instance returns one instance; ErrNotFound when there is none.
	Instance(id int64) (Instance, error)
	// Find returns the instance of that identity; ErrNotFound when there is none.
	Find(job int64, key string, planTime time.Time) (Instance, error)
	// FindKey returns the instance of the job with that non-empty key, the one with the latest plan time when a backfill has several;
	// ErrNotFound when there is none.
	FindKey(job int64, key string) (Instance, error)
	// Waiting lists the waiting instances of the job by plan time.
	Waiting(job int64) ([]Instance, error)
	// WaitingPlanned lists those of them that are scheduled, WaitingKeyed counts the others.
	WaitingPlanned(job int64) ([]Instance, error)
	WaitingKeyed(job int64) (int, error)
	// PlanTimes lists the plan times in [from, to) of the job's scheduled instances, ascending.
	PlanTimes(job int64, from, to time.Time) ([]time.Time, error)
	// Counted counts the scheduled instances of the job with plan times in [from, to) that count
	// (Instance.Counts), those that retention has removed too, less those in [to, until) that do not.
	Counted(job int64, from, to, until time.Time) (int, error)
	// Waits lists what the instance waits for, by N.
	Waits(instance int64) ([]Wait, error)
	// Facts looks up what Evaluate needs to know of a wait's upstream instances, by index, at a cost that does not depend on the
	// length of the history, nor on that of the range but when its instances are counted: see Facts.MayMiss.
	Facts(w *Wait) (Facts, error)
	// Due lists waiting instances whose time to be looked at has come (wake ≤ now), earliest first, at most limit.
	Due(now time.Time, limit int) ([]Instance, error)
	// Queued lists waiting instances of the pool that only lack a slot and are of no backfill, by priority (9 first), plan time, id, at most limit.
	Queued(pool string, limit int) ([]Instance, error)
	// Agenda tells what the rows want to be looked at, at the cost of one look-up each, and of one for each pool.
	Agenda() (Agenda, error)
	// Active lists the instances of the job in state running, by start.
	Active(job int64) ([]Instance, error)
	// ActiveCount counts them.
	ActiveCount(job int64) (int, error)
	// Running lists all instances in state running or lost, by id.
	Running() ([]Instance, error)
	// LaterDue reports whether a scheduled waiting instance of the same job exists with a later plan time ≤ now.
	LaterDue(i *Instance, now time.Time) (bool, error)

	// Steps lists the steps of a started instance, in the order in which PutSteps gave them.
	Steps(instance int64) ([]StepRow, error)
	// Attempts lists the attempts of an instance by id.
	Attempts(instance int64) ([]AttemptRow, error)
	// Live lists the attempts without an end, by id. A slot is a live attempt: nothing counts them but this.
	Live() ([]AttemptRow, error)

	// OutboxDue lists undelivered outbox rows with NotBefore ≤ now, by id, at most limit.
	OutboxDue(now time.Time, limit int) ([]OutboxRow, error)
	// Outbox returns one row; ErrNotFound when there is none.
	Outbox(id int64) (OutboxRow, error)

	ResourceView
	DurationView
	OperationView
	BoardView
	OperationRowView
	BackfillView
	BackfillLookView
	AroundView
	DaysView
	RunView
	VersionView
	WatchView
	AlertView
	OnceView
	CensusView
	TokenView
	AuditView
	AheadView
}

// An Agenda is what the rows want a turn of the loop to look at, and when. A zero time is never.
type Agenda struct {
	Wake   time.Time // the earliest time at which a waiting instance must be looked at
	Outbox time.Time // the earliest NotBefore of an undelivered outbox row that no live attempt carries
	Pools  []string  // in which instances that are of no backfill are queued, in order of name
}

// Tx reads and writes.
type Tx interface {
	View

	// Full reports whether the transaction has gone on for as long as one may: what can be done later belongs into the next.
	Full() bool

	// Reserve returns the first of n consecutive ids that nothing else gets. One sequence serves every table.
	Reserve(n int) (int64, error)

	// PutJob inserts the job or replaces the row of the same ID. Its PlannedTo is written too.
	PutJob(JobRow) error
	// PutVersion inserts an immutable job version.
	PutVersion(VersionRow) error
	// PutZoneRules remembers with which rules of a time zone the plan was written.
	PutZoneRules(zone, rules string) error
	// PutReach remembers that instances of the job may wait for instances of the upstream job from so long before their own plan time on. It never
	// takes a longer reach back; InsertInstances does the same for the waits that it is given.
	PutReach(upstream, job int64, back time.Duration) error
	// SetPlannedTo moves the job's watermark, compare-and-set: false and no change when it is not at from.
	SetPlannedTo(job int64, from, to time.Time) (bool, error)

	// InsertInstances inserts instances in state waiting with their waits. One whose identity (job, key, plan time) exists already is left as
	// it is, with its waits. The values are read during the iteration only. It returns how many were new. The instance's first wake is NotBefore; one of a
	// backfill has none: its lane looks at it.
	InsertInstances(iter.Seq2[*Instance, []Wait]) (int, error)
	// DeleteUnstarted removes the job's scheduled, waiting, never looked at (gate time), instances that nobody has acted on with plan time ≥ from, and their waits. It returns how many.
	DeleteUnstarted(job int64, from time.Time) (int, error)
	// Rebind replaces what a waiting instance waits for by what the definitions say now, with the event "rebind". It wakes nobody. False when the instance
	// does not wait.
	Rebind(instance int64, waits []Wait, r Reason, at time.Time) (bool, error)
	// SetBound makes Bound of each wait of the instance the revision.
	SetBound(instance, revision int64) error
	// WakeDependents makes waiting instances that wait for the upstream job, and were looked at, due at
	// once: its plan or its state has changed. It does so to at most limit of them with an id above
	// after, by id, and returns the last of these and how many they were.
	WakeDependents(upstream, after int64, limit int) (last int64, woken int, err error)
	// WakeWaiting does so to instances of the job itself: those that were looked at, and those whose
	// time has come and that were put off.
	WakeWaiting(job, after int64, limit int) (last int64, woken int, err error)

	// WakeNext makes the first instance of the job due that waits behind the gate concurrency, is not due already and whose own time has come by at; where
	// it has come of none, each of them when it does. Where the first is of a backfill, it is that of the same backfill and priority with the lowest id.
	WakeNext(job int64, at time.Time) error

	// Apply carries out one transition, compare-and-set on (state, fence), with its event in the history. False and no change when the
	// instance is no longer as the transition says. A transition that ends an instance wakes, in the same transaction, what waits for it: the
	// instances that watch it; on success those with a wait of select any or a count whose range holds it; on failure those whose wait says
	// onFailed cancel and whose range holds it; and the first instance of the same job behind the gate concurrency.
	Apply(Transition) (bool, error)
	// Hold records that a waiting instance was looked at and stays waiting: gate, reason, when to look again (zero: only when woken) and the
	// upstream instance that it watches. False when it is no longer waiting.
	Hold(Hold) (bool, error)
	// SetCancel records that a running instance is being cancelled. False when it is not running or is being cancelled already.
	SetCancel(instance int64, r Reason, at time.Time) (bool, error)
	// SetConfirmed records that the reason's actor confirmed a waiting instance, with an event, and wakes it. False when it is not waiting.
	SetConfirmed(instance int64, r Reason, at time.Time) (bool, error)
	// Renew moves the lease of every running instance of the owner.
	Renew(owner string, until time.Time) error
	// TakeOver makes owner the owner of a running instance, compare-and-set on the fence, which grows by one, and of its live attempts, which get
	// the new fence. It returns that, and false and no change when the instance is not running under the old one.
	TakeOver(instance, fence int64, owner string, lease time.Time) (int64, bool, error)
	// TakeErrand makes owner the owner of a live attempt of an error action, compare-and-set on the attempt's fence, which grows by one. It returns
	// the new one, and false and no change when the attempt is not live under the old one.
	TakeErrand(attempt, fence int64, owner string) (int64, bool, error)

	// What follows is written by the owner of a running instance, under its fence: each returns false and changes nothing when the instance is
	// not running under that fence any more. Then another server decides what becomes of it.

	// PutSteps inserts the steps of an instance that starts, replacing those of an earlier run of it.
	PutSteps(instance, fence int64, steps []StepRow) (bool, error)
	// SetStep updates one step.
	SetStep(instance, fence int64, s StepRow) (bool, error)
	// StartAttempt inserts an attempt without an end. That of an error action has a fence of its own, which begins with 1; for it the answer is true.
	StartAttempt(AttemptRow) (bool, error)
	// AddAttempt inserts an attempt that began and ended in this transaction, as StartAttempt and EndAttempt would.
	AddAttempt(AttemptRow) (bool, error)
	// EndAttempt records the outcome of an attempt under the attempt's fence. False and no change when it has an outcome, which stands, or another fence.
	EndAttempt(r Result, fence int64) (bool, error)

	// PutOutbox inserts the row or replaces the one of the same ID.
	PutOutbox(OutboxRow) error

	ResourceTx
	OperationTx
	OperationRowTx
	BackfillTx
	WatchTx
	AlertTx
	OnceTx
	TokenTx
	AheadTx

	// Record appends an event that is no transition to the history: a load, a trigger, a refusal.
	Record(EventRow) error
	// Acquire takes or renews a named lease: the row's holder is holder, or its expiry has passed. It returns the epoch, which grows with
	// each change of holder, and false when another holds it.
	Acquire(name, holder string, now, until time.Time) (epoch int64, ok bool, err error)
	// Prune deletes at most limit ended instances that ended before the time, with what belongs to them, but none that an open
	// instance waits for, none that one yet to be planned may wait for (its plan time is not further before the watermark of another job than the reach
	// of that job), and none that has an undelivered outbox row; fewer when the transaction is full; nothing at all while a backfill is being applied or withdrawn; and the leases that expired before it. It returns the ids of the attempts deleted,
	// whose logs can go.
	Prune(before time.Time, limit int) (instances int, attempts []int64, err error)
}

// A JobRow is a job as stored.
type JobRow struct {
	ID        int64
	Ref       JobRef
	Version   int64     // current
	CreatedAt time.Time // when the name first appeared
	Disabled  bool
	Removed   bool
	PlannedTo time.Time // the plan is written up to here, excluded; zero when never planned
	Source    string    // who makes its definition; "" is the folder
	RowsTo    time.Time // the plan before it may be of other definitions than the current one: when the job is due then, the rows say; zero when it never changed
	Revision  int64     // of the definitions when the row was last put; PutJob sets it

	CountFrom time.Time // the rest of the count of its rule is due from here on; zero is its creation
	Counted   int       // of the count, by the due times before that, less those of the rest that did not count
}

// Origin says since when the job exists, and what of its count is used up.
func (row *JobRow) Origin() recurrence.Origin {
	return recurrence.Created(row.CreatedAt).Counted(row.CountFrom, row.Counted)
}

// A JobPair is a job and one of which an instance of it waited, by their row ids.
type JobPair struct{ Job, Upstream int64 }

// A VersionRow is an immutable definition of a job.
type VersionRow struct {
	ID         int64
	Job        int64
	Definition []byte // Job.Definition
	Folder     string
	CreatedAt  time.Time
}

// Facts is what Evaluate needs to know of the upstream instances of one wait.
type Facts struct {
	Removed  bool // the upstream job was removed from the definitions
	Disabled bool
	Planned  bool // the upstream's plan reaches beyond the last plan time of the range
	Missing  int  // how many of the range's plan times have no instance; only when nothing else stands in the way, see MayMiss

	Unsatisfied *UpstreamInstance // the latest in the range that does not satisfy; nil when all do
	// Open is the latest in the range that has not ended, where any end will do (Wait.AnyEnd). What
	// is frozen has ended only where Wait.FrozenEnds says so.
	Open      *UpstreamInstance
	Failed    *UpstreamInstance // the earliest in the range that counts as failed; only for OnFailed cancel
	Satisfied int               // how many satisfy, counted up to what Select asks; only for any and a count
}

// MayMiss reports whether a store has to count the instances in the range of a wait: nothing that is there stands in the way, so that what is not there
// would.
func (f *Facts) MayMiss(w *Wait) bool {
	if !f.Planned || w.Count == 0 {
		return false
	}
	if w.AnyEnd() {
		return f.Open == nil
	}
	return w.Select == "all" && f.Unsatisfied == nil
}

// An UpstreamInstance is what a reason says of an upstream instance.
type UpstreamInstance struct {
	ID       int64
	PlanTime time.Time
	State    State
	Frozen   bool
}

// A Transition is one change of an instance's state.
type Transition struct {
	Instance int64
	Event    Event
	From     State // compare-and-set, with Fence
	Fence    int64
	At       time.Time
	Reason   Reason

	Owner   string    // of Start
	Lease   time.Time // of Start
	Version int64     // of Rerun with another version; 0 keeps it
	Pool    string    // of that version
}

// A Hold is the result of looking at a waiting instance that stays waiting.
type Hold struct {
	Instance int64
	Gate     Gate
	Reason   Reason
	Wake     time.Time // when to look again whatever happens; zero is never
	At       time.Time // when it was looked at; not kept

	WatchJob  int64 // wake when the instance of (WatchJob, WatchKey, WatchTime) ends; 0 watches nothing
	WatchKey  string
	WatchTime time.Time
}

// StepState is where a step of a started instance stands.
type StepState string

// The step states.
const (
	StepWaiting   StepState = "waiting"
	StepRunning   StepState = "running"
	StepSucceeded StepState = "succeeded"
	StepFailed    StepState = "failed"
	StepSkipped   StepState = "skipped" // its `when` was false; it satisfies what needs it
	StepCancelled StepState = "cancelled"
)

// A StepRow is a step of a started instance.
type StepRow struct {
	Step      string
	State     StepState
	Attempts  int               // attempts since the instance last started from waiting
	NotBefore time.Time         // of a retry; zero is at once
	Outputs   map[string]string // of the last successful attempt
}

// An AttemptRow is an attempt as stored.
type AttemptRow struct {
	ID        int64
	Instance  int64
	Job       int64
	Step      string
	Number    int
	Error     bool   // the job's error action
	Outbox    int64  // the outbox row that it delivers; 0 for a main action
	Fence     int64  // under which its outcome is recorded: the instance's; one of its own for an error action
	Owner     string // the server that carries it, or did
	Pool      string
	StartedAt time.Time
	Result    *Result // nil while live
}

// A LeaseRow is a named lease.
type LeaseRow struct {
	Holder string
	Epoch  int64 // grows with each change of holder
	Until  time.Time
}

// An OutboxRow is something to be delivered at least once, written in the transaction that gave the reason for it.
type OutboxRow struct {
	ID        int64
	Kind      string // "errorAction"
	Instance  int64
	NotBefore time.Time
	Attempts  int
	State     OutboxState
	Reason    string
	CreatedAt time.Time
	EndedAt   time.Time
}

// OutboxState is where an outbox row stands.
type OutboxState string

// The outbox states. Failed means that its own retries are used up.
const (
	OutboxPending   OutboxState = "pending"
	OutboxDelivered OutboxState = "delivered"
	OutboxFailed    OutboxState = "failed"
)

// An EventRow is one line of the history and audit.
type EventRow struct {
	At       time.Time
	Kind     string // an Event of the transition table, or load, trigger, confirm, cancel-request ...
	Instance int64  // 0 when it concerns none
	Job      int64  // 0 when it concerns none
	From, To State
	Reason   Reason
	Actor    string
}
