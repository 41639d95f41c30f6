package engine

import "time"

// OperationView finds the instances that a selector names.
type OperationView interface {
	// Between lists the instances with a plan time in [from, to), of one job or with job 0 of all, by plan time and id, at most limit. A zero time does
	// not bound.
	Between(job int64, from, to time.Time, limit int) ([]Instance, error)
	// FilledBetween lists the instances of a backfill, of one job (0: of all), with a plan time in
	// [from, to), by plan time and id, at most limit. A zero time does not bound. Its cost goes by
	// what is of backfills there.
	FilledBetween(key string, job int64, from, to time.Time, limit int) ([]Instance, error)
	// InState lists the instances in the state with a plan time in [from, to), by plan time and id, at most limit. A zero time does not bound.
	InState(state State, from, to time.Time, limit int) ([]Instance, error)
	// WaitingFor lists the instances one of whose recorded waits holds the upstream instance, by plan time and id, whatever their state.
	WaitingFor(up *Instance) ([]Instance, error)
	// FormerWaits lists what the instance waited for at a time, by N, where something was detached
	// since ("detach"): what the first of these took the place of. None: nothing was.
	FormerWaits(instance int64, at time.Time) ([]Wait, error)
	// EndedAfter lists ended instances by end and id, those behind the given place, at most limit.
	EndedAfter(at time.Time, id int64, limit int) ([]Instance, error)
	// WakingAfter lists the waiting instances that are to be looked at by when that is and id, those
	// behind the given place, at most limit.
	WakingAfter(at time.Time, id int64, limit int) ([]Waking, error)
}

// A Waking is when a waiting instance is looked at whatever happens.
type Waking struct {
	ID        int64
	At        time.Time
	NotBefore time.Time
	Gate      Gate
}

// OperationTx changes what a person may change of an instance beside its state. What it changes is touched from then on: DeleteUnstarted leaves it.
// Each method records an event with the reason, and answers false without a change when the instance is not waiting or is as it was to be already.
type OperationTx interface {
	// SetFrozen freezes a waiting instance ("freeze") or lets it go ("unfreeze"), and wakes it and what waits for it.
	SetFrozen(instance int64, frozen bool, r Reason, at time.Time) (bool, error)
	// SetPriority moves a waiting instance in the lines ("boost").
	SetPriority(instance int64, priority int, r Reason, at time.Time) (bool, error)
	// SetNotBefore moves when a waiting instance starts at the earliest ("reschedule"), and wakes it then: one that was looked at at once.
	SetNotBefore(instance int64, to time.Time, r Reason, at time.Time) (bool, error)
	// SetRunNow lets a waiting instance run without what it waits for ("run-now"): its time has come at the given one, and it is looked at at once.
	SetRunNow(instance int64, r Reason, at time.Time) (bool, error)
	// SetWaits replaces what a waiting instance waits for ("detach"), and wakes it.
	SetWaits(instance int64, waits []Wait, r Reason, at time.Time) (bool, error)
	// KeepSteps replaces the steps of an instance that does not run by those from which its next run goes on; none is from the start. False when it runs.
	KeepSteps(instance int64, steps []StepRow) (bool, error)
	// WakeWaiters lets be looked at what watches the instance, which has left its end or is frozen, and what gives up when it counts as failed.
	WakeWaiters(i *Instance) error
	// WakeSooner lets a waiting instance be looked at from at on, if that is sooner than it was to be.
	WakeSooner(instance int64, at time.Time) error
}

// AheadView reads what people ordered ahead: of whole jobs, and of single due times.
type AheadView interface {
	// Pauses lists every pause, those that are over too, by workflow, job and when it began. They are few: people make them.
	Pauses() ([]PauseRow, error)
	// Overrides lists what was ordered of due times of a job, with job 0 of all, with a plan time in [from, to), by plan time and job, at most limit. A zero
	// time does not bound.
	Overrides(job int64, from, to time.Time, limit int) ([]OverrideRow, error)
}

// AheadTx changes them.
type AheadTx interface {
	// PutPause inserts the pause or replaces that of the same workflow, job and Since.
	PutPause(PauseRow) error
	// WakePaused lets be looked at, from at on, at most limit waiting instances of the job that a pause may hold: those that were looked at and are behind the
	// gate frozen, and are not due already. It returns how many.
	WakePaused(job int64, at time.Time, limit int) (int, error)
	// PutOverride inserts the override or replaces that of the same job and plan time; one that says nothing any more is removed.
	PutOverride(OverrideRow) error
	// SetOverride makes a waiting, scheduled instance that was never looked at and that nobody has touched as an override says, or as it was planned where it
	// says nothing: frozen, priority and NotBefore. It wakes it and what waits for it, and touches nothing: DeleteUnstarted takes it away still, and who
	// plans it anew obeys the override again. False when it is another such, or is so already.
	SetOverride(instance int64, frozen bool, priority int, notBefore time.Time) (bool, error)
}
