package engine

import "time"

// BoardView reads days for pictures of them.
type BoardView interface {
	// Outlines lists all instances with a plan time in [from, to), by plan time and id, at most limit, with what a picture shows of them: ID, Job, Kind, Key,
	// PlanTime, NotBefore, State, Gate, DryRun, Frozen, StartedAt and EndedAt. The other fields are zero.
	Outlines(from, to time.Time, limit int) ([]Instance, error)
	// WaitsOf lists what each of some instances waits for, by instance and N.
	WaitsOf(instances []int64) ([]Wait, error)
	// Detached returns the id of the newest line of the history by which an instance waits for something else than before ("detach", "rebind"); 0 when none is kept.
	Detached() (int64, error)
}
