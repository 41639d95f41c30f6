package engine

import (
	"slices"
	"time"
)

// RunView tells the earlier runs of instances. A run is one life of an instance: from when it was planned, or opened again, to its end. The instance itself
// tells its current run.
type RunView interface {
	// Runs lists the earlier runs of the instance by number.
	Runs(instance int64) ([]RunRow, error)
	// RunsBetween lists the earlier runs that started, of instances with a plan time in [from, to), by plan time, instance and number, at most limit.
	RunsBetween(from, to time.Time, limit int) ([]RunRow, error)
}

// A RunRow is a run that is over: its instance was opened again after it, or a person settled it.
type RunRow struct {
	Instance  int64
	Number    int   // from 1
	State     State // as it ended; Lost when a person decided on what was lost
	Reason    Reason
	Fence     int64     // the highest that the run had: no attempt of a later run has one as low
	StartedAt time.Time // zero when it ended without a start
	EndedAt   time.Time // of one that was lost, when it was decided on
}

// Closes reports whether the event ends the current run of an instance in the state and begins the next: a rerun does. So does a person's word about
// what has ended or is lost, since that is no outcome of what ran, and its time no end of it.
func (e Event) Closes(from State) bool {
	return e == Rerun || (e == Force || e == Skip) && from != Waiting
}

// RunOf returns the number of the run that an attempt belongs to. The fence tells: it grows with each start. An error action has a fence of its own,
// and is of the last run that had ended when it began.
func RunOf(a *AttemptRow, current int, earlier []RunRow) int {
	if a.Error {
		number := 1
		for n := range earlier {
			if next := n + 1; !earlier[n].EndedAt.After(a.StartedAt) && next < len(earlier) && !earlier[next].EndedAt.After(a.StartedAt) {
				number = earlier[next].Number
			}
		}
		return number
	}
	if n := slices.IndexFunc(earlier, func(r RunRow) bool { return a.Fence <= r.Fence }); n >= 0 {
		return earlier[n].Number
	}
	return current
}

// next takes the instance to its next run.
func (i *Instance) next() {
	i.Run++
	i.StartedAt, i.EndedAt = time.Time{}, time.Time{}
}

// HasRun reports whether the instance may have attempts and steps of an earlier start.
func (i *Instance) HasRun() bool { return i.Run > 1 || !i.StartedAt.IsZero() }
