package web

import (
	"context"
	"io"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// JobReader reads jobs and their definitions. A row that does not exist is engine.ErrNotFound.
type JobReader interface {
	// Jobs lists the known jobs by workflow and name, removed ones too.
	Jobs(ctx context.Context) ([]engine.JobRow, error)
	// JobByRef returns one job, a removed one too.
	JobByRef(ctx context.Context, ref engine.JobRef) (engine.JobRow, error)
	// VersionByID returns an immutable job version.
	VersionByID(ctx context.Context, id int64) (engine.VersionRow, error)
}

// Rows gives one consistent snapshot of the rows. Errors of fn are returned as they are, so that errors.Is finds engine.ErrNotFound in them.
type Rows interface {
	Read(ctx context.Context, fn func(v engine.View) error) error
}

// History is what the API reads of the rows beyond what the engine itself looks at: pages, and rows found by another way. A row that does not
// exist is engine.ErrNotFound; a cursor that was not handed out is engine.ErrInvalid.
type History interface {
	// Instances lists instances by plan time, newest first, at most limit, beginning after the cursor ("" is the beginning). next is the
	// cursor of the page after, "" when there is none. Its cost does not depend on the length of the history, so that a page may hold fewer
	// rows than limit, or none, and have a next.
	Instances(ctx context.Context, filter InstanceFilter, cursor string, limit int) (page []engine.Instance, next string, err error)
	// Upcoming lists what is due at a time or later, the soonest first: of each job its first instance, of at most limit jobs, and nothing frozen or of a backfill.
	// together is how many are due at the time of the first, at most 1,000.
	Upcoming(ctx context.Context, from time.Time, limit int) (list []engine.Instance, together int, err error)
	// AttemptByID returns one attempt.
	AttemptByID(ctx context.Context, id int64) (engine.AttemptRow, error)
	// Events lists the history of an instance (0: of all) with an id above after, by id, at most limit.
	Events(ctx context.Context, after, instance int64, limit int) ([]EventRecord, error)
	// LastEvent returns the id of the newest event of the history, 0 when there is none.
	LastEvent(ctx context.Context) (int64, error)
	// Count counts the open instances, those that ended at or after since, and the attempts that run.
	Count(ctx context.Context, since time.Time) (Counts, error)
}

// An InstanceFilter chooses instances; zero fields choose all.
type InstanceFilter struct {
	Workflow string
	Job      string // only together with Workflow
	States   []engine.State
	Kind     engine.Kind
	From, To time.Time // plan time in [From, To)
}

// Counts is how many instances there are, and how many attempts run. What is missing from a map has none.
type Counts struct {
	States map[engine.State]int // open ones, and those that ended since
	Gates  map[engine.Gate]int  // of the waiting ones
	Live   int                  // attempts that run
}

// An EventRecord is a line of the history with its id, which grows.
type EventRecord struct {
	ID int64
	engine.EventRow
}

// LogReader opens the logs of attempts.
type LogReader interface {
	// Open opens a log for reading and returns its size in bytes at this moment. An attempt without a log gives an error that wraps
	// fs.ErrNotExist.
	Open(attempt int64) (io.ReadSeekCloser, int64, error)
}

// TokenReader finds the API token with a hash.
type TokenReader interface {
	// TokenByHash returns the token whose secret has the SHA-256 hash, expired or not; engine.ErrNotFound when there is none or it was
	// revoked.
	TokenByHash(ctx context.Context, hash []byte) (Token, error)
}

// Control carries out what a person asks for. The errors are of kind engine.ErrNotFound, ErrConflict or ErrInvalid, or else faults of the
// server. *engine.Engine is one.
type Control interface {
	Trigger(ctx context.Context, r engine.TriggerRequest, now time.Time) (instance engine.Instance, created bool, err error)
	Cancel(ctx context.Context, id int64, actor, note string, now time.Time) (engine.Instance, error)
	Confirm(ctx context.Context, id int64, actor string, now time.Time) (engine.Instance, error)
	Explainer
	OperationControl
	PauseControl
	OrderControl
	BackfillControl
	BackfillLook
	DefinitionControl
	PreviewControl
	PowerControl
	AlertControl
	ConcernControl
	SimulationControl
	DayControl
	Onces
	TokenControl
	AdminControl
	ClockControl
}
