package engine

import "time"

// OperationView finds the instances that a selector names.
type OperationView interface {
	// Between lists the instances with a plan time in [from, to), of one job or with job 0 of all, by plan time and id, at most limit. A zero time does
	// not bound.
	Between(job int64, from, to time.Time, limit int) ([]Instance, error)
	// InState lists the instances in the state with a plan time in [from, to), by plan time and id, at most limit. A zero time does not bound.
	InState(state State, from, to time.Time, limit int) ([]Instance, error)
	// WaitingFor lists the instances one of whose recorded waits holds the upstream instance, by plan time and id, whatever their state.
	WaitingFor(up *Instance) ([]Instance, error)
	// EndedAfter lists ended instances by end and id, those behind the given place, at most limit.
	EndedAfter(at time.Time, id int64, limit int) ([]Instance, error)
}

// OperationTx changes what a person may change of an instance beside its state. What it changes is touched from then on: DeleteUnstarted leaves it.
// Each method records an event with the reason, and answers false without a change when the instance is not waiting or is as it was to be already.
type OperationTx interface {
	// SetFrozen freezes a waiting instance ("freeze") or lets it go ("unfreeze"), and wakes it and what waits for it.
	SetFrozen(instance int64, frozen bool, r Reason, at time.Time) (bool, error)
	// SetPriority moves a waiting instance in the lines ("boost").
	SetPriority(instance int64, priority int, r Reason, at time.Time) (bool, error)
	// SetRunNow lets a waiting instance run without what it waits for ("run-now"): its time has come at the given one, and it is looked at at once.
	SetRunNow(instance int64, r Reason, at time.Time) (bool, error)
	// SetWaits replaces what a waiting instance waits for ("detach"), and wakes it.
	SetWaits(instance int64, waits []Wait, r Reason, at time.Time) (bool, error)
	// KeepSteps replaces the steps of an instance that does not run by those from which its next run goes on; none is from the start. False when it runs.
	KeepSteps(instance int64, steps []StepRow) (bool, error)
	// WakeWaiters lets be looked at what watches the instance, which has left its end or is frozen, and what gives up when it counts as failed.
	WakeWaiters(i *Instance) error
}
