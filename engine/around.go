package engine

import "time"

// AroundView reads what explanations want beyond what decisions are made of: the instances of a range, who waits for one, and what the history says.
type AroundView interface {
	// Range lists the instances that the question asks for.
	Range(q RangeQuery) ([]Instance, error)
	// RangeCount counts them, up to the limit of the question.
	RangeCount(q RangeQuery) (int, error)
	// Waiters lists the instances with a wait whose range holds the plan time of the upstream job and key, by job, plan time and key, at most limit. One whose
	// own plan time is further before it than ahead is not looked for.
	Waiters(upstream int64, key string, planTime time.Time, ahead time.Duration, limit int) ([]Instance, error)
	// Ahead counts the instances in the queue of the same pool whose turn is before that of i, up to limit.
	Ahead(i *Instance, limit int) (int, error)
	// StartedBy lists the instances of the job that had started for the first time at or before the time and had not ended before it, by id: one that
	// ran at that time is among them.
	StartedBy(job int64, at time.Time) ([]Instance, error)
	// ActiveCounts counts the instances in state running by job; a job without any is left out.
	ActiveCounts() (map[int64]int, error)
	// HistoryOf lists the events of one instance by id, each with its id.
	HistoryOf(instance int64) (ids []int64, events []EventRow, err error)
	// HistoryAfter lists the events behind the given one by id, at most limit, each with its id.
	HistoryAfter(event int64, limit int) (ids []int64, events []EventRow, err error)
	// DefinedAfter lists the events that say what became of the definition of a job, behind the given event, by id.
	DefinedAfter(job, event int64) ([]EventRow, error)
	// VersionsOf lists the versions of a job by id.
	VersionsOf(job int64) ([]VersionRow, error)
}

// A RangeQuery asks for the instances of a job and key with a plan time in [From, To].
type RangeQuery struct {
	Job         int64
	Key         string
	From, To    time.Time
	Unsatisfied bool // only those that do not satisfy (`dependencies.md` §8): open, failed or cancelled
	Latest      bool // the latest first; else the earliest
	Limit       int
}
