package engine

import "time"

// AlertKind is what is wrong with an instance that somebody is to be told of.
type AlertKind string

// The kinds. The first four are of the class deadline, the next three of the class failure. A root is not wrong by itself: others are late because of it.
// What is blocked waits behind an incident, and nobody is told of it by itself.
const (
	AlertNeverStarted AlertKind = "never-started" // had not started at its deadline
	AlertWillBeLate   AlertKind = "will-be-late"  // by what such instances took, it cannot end in time
	AlertStillRunning AlertKind = "still-running" // started, and had not ended at its deadline
	AlertEndedLate    AlertKind = "ended-late"    // ended after its deadline, which passed while nobody looked
	AlertFailed       AlertKind = "failed"
	AlertLost         AlertKind = "lost"
	AlertCancelled    AlertKind = "cancelled" // by a timeout, a misfire, an upstream or a definition; never by a person or by a policy of overlap
	AlertRoot         AlertKind = "root"
	AlertBlocked      AlertKind = "blocked"
)

// AlertClass is what a message is about, and what the member `kinds` of `notify` chooses by.
type AlertClass string

// The classes. Update and test are chosen by nobody: the one goes to whom was told of the incident, the other to whom it names.
const (
	ClassDeadline AlertClass = "deadline"
	ClassFailure  AlertClass = "failure"
	ClassRecovery AlertClass = "recovery"
	ClassUpdate   AlertClass = "update"
	ClassTest     AlertClass = "test"
)

// AlertClasses are the classes that `notify` chooses by.
var AlertClasses = []AlertClass{ClassDeadline, ClassFailure, ClassRecovery}

// Class returns the class of the kind; "" of what is only there because of others.
func (k AlertKind) Class() AlertClass {
	switch k {
	case AlertNeverStarted, AlertWillBeLate, AlertStillRunning, AlertEndedLate:
		return ClassDeadline
	case AlertFailed, AlertLost, AlertCancelled:
		return ClassFailure
	}
	return ""
}

// weight orders classes: who was told of a failure need not be told that it is late.
func (c AlertClass) weight() int {
	switch c {
	case ClassDeadline:
		return 1
	case ClassFailure:
		return 2
	}
	return 0
}

// A Notify is one line of a job's `notify`: a sink, and what it is told.
type Notify struct {
	Sink     string
	Kinds    []AlertClass  // empty is all
	Interval time.Duration // of two messages about the same cause, at least; 0 is none
}

// An AlertWatchRow says when an instance must be looked at for an alert. One that gives reason for an alert gets its row in the transaction that does: from
// Apply when it fails, is lost or cancelled, or ends well while an incident has trouble of its job; with the plan when its job has a deadline.
type AlertWatchRow struct {
	Instance int64
	At       time.Time
	Deadline time.Time // zero is none
}

// An IncidentRow is one root cause of trouble, from when it was noticed until nothing of it is left.
type IncidentRow struct {
	ID       int64
	Cause    string // what brings further trouble into it: one incident of a cause is open at a time
	Instance int64  // the root
	Job      int64
	Key      string
	PlanTime time.Time // of the root, with its offset
	Kind     AlertKind // as which it began, or what it came to
	Reason   Reason    // of the root, when it began
	Opened   time.Time
	Look     time.Time // of an open one: when a survey is to see whether it has grown
	Blocked  int       // waiting instances that could not start because of the root, when last looked at, at most BlockedCounted
	Told     int       // how many members and blocked instances the last message spoke of

	Acked   time.Time // zero: nobody has said that he knows
	AckedBy string
	Note    string
	Closed  time.Time // zero while it is open
}

// A MemberRow is an instance that belongs to an incident.
type MemberRow struct {
	Incident int64
	Instance int64
	Job      int64
	Ref      JobRef // of Job; not written
	PlanTime time.Time
	Kind     AlertKind
	Since    time.Time
	Resolved time.Time // zero while it is in trouble
}

// A DeliveryRow is a message for one sink: the outbox of alerts. It is written in the transaction that decided on the message, and delivered at least
// once, always under the same id.
type DeliveryRow struct {
	ID        int64
	Incident  int64 // 0 for a test
	Cause     string
	Sink      string
	Class     AlertClass
	Body      []byte    // the AlertMessage as JSON
	NotBefore time.Time // of a pending one; moved ahead by who sends it, so that no other does meanwhile
	Attempts  int
	State     OutboxState
	Reason    string // why the last attempt failed; no secret is in it
	CreatedAt time.Time
	EndedAt   time.Time
}

// An AlertAgenda is when something about alerts is due; zero is never.
type AlertAgenda struct {
	Watch    time.Time // an instance wants to be looked at
	Incident time.Time // a survey of an open incident
	Send     time.Time // a pending delivery
}

// AlertCounts is what a status says of alerts.
type AlertCounts struct {
	Open    int // incidents
	Pending int // deliveries
	Failed  int // deliveries that failed for good since the time asked for
}

// A MemberCount is how many members of a kind an incident has.
type MemberCount struct {
	Incident int64
	Kind     AlertKind
	All      int
	Open     int // of these, not resolved
}

// AlertView reads what alerts are made of.
type AlertView interface {
	// AlertAgenda returns the earliest time of each.
	AlertAgenda() (AlertAgenda, error)
	// WatchesDue lists the watches with At ≤ now, earliest first, at most limit.
	WatchesDue(now time.Time, limit int) ([]AlertWatchRow, error)
	// Incident returns one incident; ErrNotFound when there is none.
	Incident(id int64) (IncidentRow, error)
	// OpenIncident returns the open incident of the cause; ErrNotFound when there is none.
	OpenIncident(cause string) (IncidentRow, error)
	// IncidentsDue lists the open incidents with Look ≤ now, earliest first, at most limit.
	IncidentsDue(now time.Time, limit int) ([]IncidentRow, error)
	// Incidents lists incidents with an id below the given one (0: any), newest first, at most limit; only open ones when asked.
	Incidents(open bool, below int64, limit int) ([]IncidentRow, error)
	// Members lists the members of an incident, those in trouble before blocked ones, then by since and instance, at most limit.
	Members(incident int64, limit int) ([]MemberRow, error)
	// OpenMembers lists the unresolved members of an incident that are not merely blocked and whose instance is above after, by instance, at most limit.
	OpenMembers(incident, after int64, limit int) ([]MemberRow, error)
	// Roots lists those members of some incidents that are the roots of them, by incident.
	Roots(incidents ...int64) ([]MemberRow, error)
	// MemberCounts counts the members of some incidents by kind, by incident and in order of the
	// kind's name. What it costs does not depend on how many there are.
	MemberCounts(incidents ...int64) ([]MemberCount, error)
	// MembershipsOf lists in which incidents the instance is an unresolved member, by incident.
	MembershipsOf(instance int64) ([]MemberRow, error)
	// Unresolved lists the unresolved members of the job, of plan times up to the given one, that are not merely blocked, by plan time, incident and
	// instance, at most limit.
	Unresolved(job int64, until time.Time, limit int) ([]MemberRow, error)
	// HeldBy lists the waiting instances that wait for all of a range in which that upstream instance is, and would go on waiting if it has failed; by id,
	// at most limit.
	HeldBy(job int64, key string, planTime time.Time, limit int) ([]Instance, error)
	// Asking lists the waiting instances, of no backfill, that wait for a person: whose gate is confirm or frozen; by plan time and id, at most limit.
	Asking(limit int) ([]Instance, error)
	// Delivery returns one delivery; ErrNotFound when there is none.
	Delivery(id int64) (DeliveryRow, error)
	// DeliveriesDue lists pending deliveries with NotBefore ≤ now, by id, at most limit.
	DeliveriesDue(now time.Time, limit int) ([]DeliveryRow, error)
	// Deliveries lists those of an incident, by id.
	Deliveries(incident int64) ([]DeliveryRow, error)
	// LastTold returns when the latest message of the class about the cause was written for the sink; zero is never.
	LastTold(sink, cause string, class AlertClass) (time.Time, error)
	// FailedDeliveries lists those that failed for good at since or later, newest first, at most limit.
	FailedDeliveries(since time.Time, limit int) ([]DeliveryRow, error)
	// AlertCounts counts, failures since the time.
	AlertCounts(since time.Time) (AlertCounts, error)
}

// AlertTx writes it.
type AlertTx interface {
	// PutWatches inserts watches or replaces those of the same instances.
	PutWatches([]AlertWatchRow) error
	// DropWatch removes the watch of an instance, if there is one.
	DropWatch(instance int64) error
	// PutIncident inserts the row or replaces the one of the same ID. A second open one of a cause is an error.
	PutIncident(IncidentRow) error
	// PutMember inserts the row or replaces the one of the same incident and instance.
	PutMember(MemberRow) error
	// ResolveMembers says of every unresolved member of the incident that is not merely blocked that it is resolved at the time. A blocked one counts as
	// resolved when its incident was closed.
	ResolveMembers(incident int64, at time.Time) error
	// PutDelivery inserts the row or replaces the one of the same ID. The body of one that was tried once stays as it is.
	PutDelivery(DeliveryRow) error
	// PruneAlerts removes at most limit incidents that were closed before the time and have no pending delivery, with their members and deliveries, and
	// as many tests that have ended before it; fewer when the transaction is Full. It returns how many incidents.
	PruneAlerts(before time.Time, limit int) (int, error)
}
