package engine

import "time"

// A Tally is what became of a job: the attempts of its action and its instances, those that retention has removed too.
type Tally struct {
	Attempts int // of its action, live ones too; those of its error action are not counted
	Failed   int // of these: ended, and not succeeded
	Faulted  int // instances that failed

	Last time.Time // begin of the last attempt; zero when there was none
	Next time.Time // plan time of the earliest scheduled instance that waits; zero when none is planned
	Open bool      // an instance has not ended

	Final State     // of the latest scheduled instance; "" when there was none
	Ended time.Time // end of it; zero while it is open
}

// An Execution is an attempt that has ended, as an entry of its job's history.
type Execution struct {
	Attempt  int64
	Instance int64
	PlanTime time.Time
	Number   int  // from 1
	Error    bool // of the error action
	Outcome  Outcome
	Status   int // of HTTP; 0 where there was none
	Message  string
	Began    time.Time
	Ended    time.Time
}

// A HistoryView is a View that tells what became of jobs, for one who shows them: the engine itself decides nothing by it.
type HistoryView interface {
	View
	// Tally counts what became of a job. Instances with an id up to after belong to an earlier job of the same name. What retention removes stays counted,
	// until the job itself is removed.
	Tally(job, after int64) (Tally, error)
	// Executions lists the attempts of a job that have ended and began at since or later, newest first, at most limit. before is how many instances
	// were attempted before the earliest of those in the list, those that retention has removed too.
	Executions(job, after int64, since time.Time, limit int) (list []Execution, before int, err error)
}
