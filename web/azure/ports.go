package azure

import (
	"context"
	"io"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// Rows gives one consistent snapshot of the rows. Errors of fn are returned as they are.
type Rows interface {
	Read(ctx context.Context, fn func(v View) error) error
}

// View is what the face reads of the rows.
type View interface {
	engine.View
	// Tally counts what became of a job. Instances with an id up to after belong to an earlier job of the same name.
	Tally(job, after int64) (Tally, error)
	// Executions lists the attempts of a job that have ended and began at since or later, newest first, at most limit. before is how many instances
	// were attempted before the earliest of those in the list.
	Executions(job, after int64, since time.Time, limit int) (list []Execution, before int, err error)
}

// A Tally is what became of a job.
type Tally struct {
	Attempts int // of its action
	Failed   int // of these
	Faulted  int // instances that failed

	Last time.Time // begin of the last attempt; zero when there was none
	Next time.Time // plan time of the earliest scheduled instance that waits; zero when none is planned
	Open bool      // an instance has not ended

	Final engine.State // of the latest scheduled instance; "" when there is none
	Ended time.Time    // end of it; zero while it is open
}

// An Execution is an attempt that has ended.
type Execution struct {
	Attempt  int64
	Instance int64
	PlanTime time.Time
	Number   int  // from 1
	Error    bool // of the error action
	Outcome  engine.Outcome
	Status   int // of HTTP; 0 where there was none
	Message  string
	Began    time.Time
	Ended    time.Time
}

// Control changes definitions and runs jobs. *engine.Engine is one. The Tx of an Edit may have one method more, CountResources(kind, prefix), which
// saves reading them to count them.
type Control interface {
	Edit(ctx context.Context, source, actor string, now time.Time, fn func(*engine.Edit) error) error
	Trigger(ctx context.Context, r engine.TriggerRequest, now time.Time) (instance engine.Instance, created bool, err error)
}

// Logs opens the logs of attempts. An attempt without a log gives an error that wraps fs.ErrNotExist.
type Logs interface {
	Open(attempt int64) (io.ReadSeekCloser, int64, error)
}
