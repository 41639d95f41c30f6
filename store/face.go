package store

import (
	"context"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// FaceView is what one who shows resources reads beyond what the engine itself looks at. Within a transaction, the engine.Tx is one.
type FaceView interface {
	engine.View
	// Tally counts what became of a job. Instances with an id up to after belong to an earlier job of the same name.
	Tally(job, after int64) (Tally, error)
	// Executions lists the attempts of a job that have ended and began at since or later, newest first, at most limit. before is how many instances
	// were attempted before the earliest of those in the list.
	Executions(job, after int64, since time.Time, limit int) (list []Execution, before int, err error)
	// CountResources counts the resources of the kind whose key begins with prefix.
	CountResources(kind, prefix string) (int, error)
}

var (
	_ FaceView = (*view)(nil)
	_ FaceView = (*tx)(nil)
)

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

const (
	tallySQL = `SELECT count(*), coalesce(sum(outcome IS NOT NULL AND outcome <> 'succeeded'), 0), max(started_at) FROM attempt INDEXED BY attempt_job
		WHERE job = ? AND instance > ? AND action = 'main'`
	faultedSQL    = `SELECT count(*) FROM instance WHERE state = 'failed' AND job = ? AND id > ?`
	nextSQL       = `SELECT plan_time FROM instance WHERE ended_at IS NULL AND job = ? AND key = '' AND frozen = 0 AND state = 'waiting' ORDER BY plan_time LIMIT 1`
	openSQL       = `SELECT 1 FROM instance WHERE ended_at IS NULL AND job = ? LIMIT 1`
	finalSQL      = `SELECT state, ended_at FROM instance WHERE job = ? AND key = '' AND id > ? ORDER BY plan_time DESC LIMIT 1`
	executionsSQL = `SELECT a.id, a.instance, i.plan_time, a.number, a.action, a.outcome, a.status, a.message, coalesce(a.ran_at, a.started_at), a.ended_at
		FROM attempt a INDEXED BY attempt_job JOIN instance i ON i.id = a.instance
		WHERE a.job = ? AND a.started_at >= ? AND a.instance > ? AND a.outcome IS NOT NULL ORDER BY a.started_at DESC, a.id DESC LIMIT CAST(? AS INTEGER)`
	beforeSQL         = `SELECT count(DISTINCT instance) FROM attempt INDEXED BY attempt_job WHERE job = ? AND instance > ? AND instance < ? AND action = 'main'`
	countResourcesSQL = `SELECT count(*) FROM resource WHERE kind = ? AND key >= ? AND key < ? || char(1114111, 1114111)`
)

// Tally counts what became of a job.
func (v *view) Tally(job, after int64) (t Tally, err error) {
	if _, err = v.s.one(tallySQL, func(c *columns) error {
		t.Attempts, t.Failed, t.Last = int(c.int()), int(c.int()), c.utc()
		return nil
	}, job, after); err != nil {
		return t, fmt.Errorf("count the attempts of job %d: %w", job, err)
	}
	if _, err = v.s.one(faultedSQL, func(c *columns) error { t.Faulted = int(c.int()); return nil }, job, after); err != nil {
		return t, fmt.Errorf("count the failed instances of job %d: %w", job, err)
	}
	if t.Open, err = v.s.one(openSQL, func(*columns) error { return nil }, job); err != nil {
		return t, fmt.Errorf("look for open instances of job %d: %w", job, err)
	}
	if t.Open {
		_, err = v.s.one(nextSQL, func(c *columns) error { t.Next = c.utc(); return nil }, job)
	}
	if err == nil {
		_, err = v.s.one(finalSQL, func(c *columns) error { t.Final, t.Ended = engine.State(c.text()), c.utc(); return nil }, job, after)
	}
	if err != nil {
		return t, fmt.Errorf("look for the first and the last instance of job %d: %w", job, err)
	}
	return t, nil
}

// Executions lists the attempts of a job that have ended, newest first.
func (v *view) Executions(job, after int64, since time.Time, limit int) (list []Execution, before int, err error) {
	earliest := int64(0)
	err = v.s.query(executionsSQL, func(c *columns) error {
		list = append(list, Execution{
			Attempt: c.int(), Instance: c.int(), PlanTime: c.utc(), Number: int(c.int()), Error: c.text() == actionError,
			Outcome: engine.Outcome(c.text()), Status: int(c.int()), Message: c.text(), Began: c.utc(), Ended: c.utc(),
		})
		if n := list[len(list)-1].Instance; earliest == 0 || n < earliest {
			earliest = n
		}
		return nil
	}, job, since.UnixMilli(), after, limit)
	if err == nil && earliest != 0 {
		_, err = v.s.one(beforeSQL, func(c *columns) error { before = int(c.int()); return nil }, job, after, earliest)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("list the attempts of job %d: %w", job, err)
	}
	return list, before, nil
}

// CountResources counts the resources of the kind whose key begins with prefix.
func (v *view) CountResources(kind, prefix string) (n int, err error) {
	_, err = v.s.one(countResourcesSQL, func(c *columns) error { n = int(c.int()); return nil }, kind, prefix, prefix)
	if err != nil {
		return 0, fmt.Errorf("count resources of the kind %s: %w", kind, err)
	}
	return n, nil
}

// ReadFace is Read with a FaceView.
func (db *DB) ReadFace(ctx context.Context, fn func(v FaceView) error) error {
	return db.read(ctx, func(v *view) error { return fn(v) })
}
