// Package fault answers one question: would the tests notice?
//
// It names mistakes that others have made, each planted as one line at its place in the engine, and none of them there in a program that is built
// without the tag planted: Planted is the constant false then, and the compiler leaves the line out. With the tag, the environment variable
// ALMANAC_PLANTED chooses the one that is made. The simulator must find every one of them.
package fault

// A Bug is a mistake that can be planted.
type Bug int

// The bugs, and where they were seen (`reliability.md` §3).
const (
	None             Bug = iota
	UniqueKey            // a second instance of the same plan time is not refused
	EffectFirst          // the effect comes before the commit that says so
	LocalLease           // a lease is judged by the clock of the machine
	ForgetFence          // what is written of a run is taken from whoever brings it
	FenceNotGrown        // a take-over leaves the fence as it is
	LimitThenFilter      // the head of the queue is taken first, and who may run looked at then
	SlotCounter          // places in a pool are counted by what this server runs
	PlanMarkRace         // the watermark is written and not compared
	MarkFirst            // the watermark moves in a transaction of its own, before the rows
	ForgetMissed         // what was due while the server was down is forgotten
	Zombie               // what ran when the server died runs for ever
	DeclaredDead         // what runs on when the server died is taken for dead
	TakeOverEarly        // a lease that has not passed is taken over
	AlertLost            // the error action is not written with the outcome
	LostDelivered        // a delivery that cannot be known counts as one
	FailedSatisfies      // a failed upstream instance satisfies
	EditFiresPast        // an edit plans from a day before it
	EditLosesRows        // what waited for an edited job is not planned again
	CurrentVersion       // an instance runs the definition of today
	RetentionNeeded      // retention takes what something waits for
	OverlapInMemory      // "is one running" is a question to the memory
	LostWakeUp           // the end of an instance wakes nobody
	HoldRetries          // onLost: hold begins another attempt
	CommitForgotten      // after a commit in doubt the server goes on as if there had been none
	CancelForgotten      // a cancellation does not survive the server
	LaneIgnored          // what starts of a backfill is not held by its lane
	BulkPartial          // of many, those that refuse are passed over
	PreviewWrites        // a preview does it
	FrozenStarts         // what is held starts all the same
	WatchForgotten       // what a step waits for is not rebuilt with its instance
	OldChild             // a repeated attempt is given the instance that the one before started
	TellForgotten        // a message counts as delivered when it is sent
	AlertPerInstance     // each instance in trouble is an incident of its own
	AlertStaysOpen       // an incident nothing of which is left stays open
	DriftIgnored         // a review is applied to what was not reviewed
	AbsentSatisfies      // what is not there counts as satisfied
	StaleWaits           // what waits is not bound again when definitions change
	ApplyingClaimed      // a backfill that is still being applied starts
	UnknownFailed        // what was sent and not answered counts as failed
	ClockBelieved        // a clock that jumps is believed
	MisfireStays         // what a clock that was ahead has cancelled stays so
	CountDueTimes        // a count is used up by due times that never ran
	OperationSkips       // the last of many is passed over
	OperationUnheld      // what an operation under way is about starts meanwhile

	// Bugs of the store: a simulation sees them where its rows are those of the real one.
	StoreFence     // a transition is taken whatever the fence
	StoreTakeOver  // a take-over is taken whatever the fence
	StoreMark      // the watermark moves from wherever it is
	StoreLease     // a lease that has not passed is given away
	StoreState     // what failed is looked for, and what was cancelled forgotten
	StoreTies      // of those due in one millisecond one is listed
	StoreCursor    // the next page begins one too late
	StoreRetention // what an open instance waits for is removed
	StoreWake      // what watches an instance is not woken by its end
	StoreAttempt   // an attempt that has ended takes another end
	StoreUnreal    // what is being applied is listed
	StoreRollback  // what is to be rolled back is committed
	StoreOnce      // a request with a key that was used is taken for a new one

	Count // how many there are, and None
)

// bugs says of each bug its name, where it is taken from, and what it is.
var bugs = [Count]struct{ name, from, what string }{
	None:            {"none", "", ""},
	UniqueKey:       {"unique-key", "F18: Argo 2694, 12625", "a second instance of the same plan time is not refused"},
	EffectFirst:     {"effect-first", "F17: DolphinScheduler 10842", "the attempt is handed out before the commit that records it"},
	LocalLease:      {"local-lease", "F5: db-scheduler 364", "the lease of a claim is set by the clock of the machine"},
	ForgetFence:     {"forget-fence", "F13: Airflow 13747", "what is written of a run is taken whatever its fence"},
	FenceNotGrown:   {"fence-not-grown", "F15: DolphinScheduler 16759", "a take-over leaves the fence as it is"},
	LimitThenFilter: {"limit-then-filter", "F24: Airflow 45636", "the first pool in the queue hides the others"},
	SlotCounter:     {"slot-counter", "F26: Argo 4632", "places in a pool are counted by what this server runs"},
	PlanMarkRace:    {"plan-mark-race", "F15: Nomad 2721", "the watermark is written and not compared"},
	MarkFirst:       {"mark-first", "F11: Airflow 27399", "the watermark moves in a transaction before the rows"},
	ForgetMissed:    {"forget-missed", "F1: dkron 1210", "what was due while no server ran is not planned"},
	Zombie:          {"zombie", "F12: Airflow 7927", "what ran when its server died is never taken over"},
	DeclaredDead:    {"declared-dead", "F13: Airflow 12396", "what runs on when its server died is taken for dead unasked"},
	TakeOverEarly:   {"take-over-early", "F13: Airflow 16573", "a lease that has not passed is taken over"},
	AlertLost:       {"alert-lost", "F14: Airflow 11086", "the error action is not written with the outcome"},
	LostDelivered:   {"lost-delivered", "F14: Airflow 25297", "a delivery whose end is not known counts as delivered"},
	FailedSatisfies: {"failed-satisfies", "F31: DolphinScheduler 17873", "a failed upstream instance satisfies, as any end does"},
	EditFiresPast:   {"edit-fires-past", "F9: Dagster 13329", "an edit plans from a day before it"},
	EditLosesRows:   {"edit-loses-rows", "F9: Airflow 9795", "what is withdrawn for an edit is not planned again"},
	CurrentVersion:  {"current-version", "F35: Airflow 17630", "an instance runs the current definition, not its own"},
	RetentionNeeded: {"retention-needed", "F32: Airflow 24484", "retention takes what something waits for"},
	OverlapInMemory: {"overlap-in-memory", "F30: Nomad 14505", "running instances of a job are counted in memory"},
	LostWakeUp:      {"lost-wake-up", "F29: Airflow 51569", "the end of an instance wakes nobody"},
	HoldRetries:     {"hold-retries", "F17: DolphinScheduler 2350", "onLost: hold begins another attempt"},
	CommitForgotten: {"commit-forgotten", "Temporal ExecuteAndTimeout", "after a commit in doubt the server goes on as if there had been none"},
	CancelForgotten: {"cancel-forgotten", "F16: DolphinScheduler 13355", "a cancellation under way is not rebuilt with its instance"},

	LaneIgnored:      {"lane-ignored", "F25: of our own", "a backfill starts what its lane does not let start: paused, or more at once than may"},
	BulkPartial:      {"bulk-partial", "of our own", "of a bulk operation those that refuse are passed over, and it is acknowledged"},
	PreviewWrites:    {"preview-writes", "of our own", "a preview of an operation carries it out"},
	FrozenStarts:     {"frozen-starts", "of our own", "what an operator holds starts when everything else is open"},
	WatchForgotten:   {"watch-forgotten", "F12: of our own", "what a step waits for is not rebuilt with its instance"},
	OldChild:         {"old-child", "of our own, seed 284", "a repeated attempt is given the instance that the one before it started"},
	TellForgotten:    {"tell-forgotten", "F14: of our own", "a message counts as delivered when it is sent"},
	AlertPerInstance: {"alert-per-instance", "of our own", "each instance in trouble is an incident of its own"},
	AlertStaysOpen:   {"alert-stays-open", "of our own", "an incident nothing of which is left stays open"},
	ApplyingClaimed:  {"applying-claimed", "F38: of our own", "what is written of a backfill that is still being applied is real: it starts"},
	UnknownFailed:    {"unknown-failed", "F40: of our own", "a request whose answer was lost counts as failed, and is sent again under onLost: hold"},
	ClockBelieved:    {"clock-believed", "F41: of our own", "a clock that jumps ahead is believed without a second source"},
	CountDueTimes:    {"count-due-times", "azure-scheduler.md §5", "a due time that was cancelled before it ran uses up the count"},
	OperationSkips:   {"operation-skips", "F38: of our own", "an operation that is carried out in slices passes over the last of its list"},
	OperationUnheld:  {"operation-unheld", "F38: of our own", "what stands on the list of an operation under way starts before that is through"},
	MisfireStays:     {"misfire-stays", "F41: of our own", "what was cancelled by a clock that was ahead stays so when it has come back"},
	StoreFence:       {"store-fence", "F13: of our own", "a transition is written whatever the fence of the instance"},
	StoreTakeOver:    {"store-take-over", "F15: of our own", "a take-over is written whatever the fence of the instance"},
	StoreMark:        {"store-mark", "F15: of our own", "the watermark of a job moves from wherever it is"},
	StoreLease:       {"store-lease", "F5: of our own", "a lease that has not passed is given to whoever asks"},
	StoreState:       {"store-state", "F31: of our own", "a set is looked through for what failed, and what was cancelled is forgotten"},
	StoreTies:        {"store-ties", "F24: of our own", "of those that are due in one millisecond one is listed"},
	StoreCursor:      {"store-cursor", "F11: of our own", "a page of the history leaves out the line behind the page before"},
	StoreRetention:   {"store-retention", "F32: of our own", "retention removes what an open instance waits for"},
	StoreWake:        {"store-wake", "F29: of our own", "what watches an instance is not woken by its end"},
	StoreAttempt:     {"store-attempt", "F17: of our own", "an attempt that has ended takes another end"},
	StoreUnreal:      {"store-unreal", "F38: of our own", "the instances of a backfill that is being applied are listed as if they were real"},
	StoreRollback:    {"store-rollback", "F18: of our own", "what a transaction wrote before it was refused is committed"},
	StoreOnce:        {"store-once", "F18: of our own", "a request under a key that was used replaces the one before"},
	DriftIgnored:     {"drift-ignored", "F35: of our own", "a review is applied although something else was loaded meanwhile"},
	AbsentSatisfies:  {"absent-satisfies", "F37: of our own", "a plan time without an instance counts as satisfied, so that an edit starts what waits"},
	StaleWaits:       {"stale-waits", "F37: of our own", "what waits is not bound again when what it waits for is edited"},
}

// OfStore reports whether the bug is one of the store.
func (b Bug) OfStore() bool { return b >= StoreFence && b < Count }

// BySuite reports whether the bug is one of the store that its conformance suite has to find, since
// hardly a simulation comes by what it breaks.
func (b Bug) BySuite() bool {
	switch b {
	case StoreFence, StoreTakeOver, StoreLease, StoreState, StoreCursor, StoreRetention, StoreUnreal,
		StoreOnce:
		return true
	}
	return false
}

// String is the bug's name, as ALMANAC_PLANTED takes it.
func (b Bug) String() string { return bugs[b].name }

// From says where the bug was seen: the failure of `reliability.md` and an issue of the many.
func (b Bug) From() string { return bugs[b].from }

// What says what is wrong.
func (b Bug) What() string { return bugs[b].what }

// Find returns the bug of that name; false when there is none.
func Find(name string) (Bug, bool) {
	for b := range Count {
		if bugs[b].name == name {
			return b, true
		}
	}
	return None, false
}
