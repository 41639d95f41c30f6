package azure

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/azure"
	"github.com/almanac-sched/almanac/recurrence"
)

// A storedJob is the body of a job's row.
type storedJob struct {
	Ref     engine.JobRef     `json:"ref"`
	Entity  json.RawMessage   `json:"entity"` // what GET shows but for the status
	Secrets map[string]string `json:"secrets,omitempty"`
}

// A job is a job as it was found.
type job struct {
	place      // as first written
	Ref        engine.JobRef
	Properties *azure.Properties // without secrets and status
	secrets    map[string]string // sealed
	row        engine.ResourceRow
	jobRow     engine.JobRow
	when       recurrence.When
}

// errNoJob says that a collection has no job of that name.
func errNoJob(c *collection, name string) error {
	p := c.place
	p.Job = name
	return missing(p)
}

// jobOf reads a job of a collection; a refusal when there is none.
func (f *Face) jobOf(v engine.View, c *collection, name string, now time.Time) (*job, error) {
	if c.folder {
		rows, err := f.folderJobs(v, c)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if equal(row.Ref.Job, name) {
				return f.folderJob(v, c, row.Ref, now)
			}
		}
		return nil, errNoJob(c, name)
	}
	p := c.place
	p.Job = name
	row, err := v.Resource(kindJob, p.key())
	if errors.Is(err, engine.ErrNotFound) {
		return nil, errNoJob(c, name)
	}
	if err != nil {
		return nil, fmt.Errorf("read the job %s: %w", p.key(), err)
	}
	return decodeJob(v, c, row)
}

func decodeJob(v engine.View, c *collection, row engine.ResourceRow) (*job, error) {
	var body storedJob
	if err := json.Unmarshal(row.Body, &body); err != nil {
		return nil, fmt.Errorf("read the job %s: %w", row.Key, err)
	}
	document, mistakes := azure.ReadJob(body.Entity)
	if err := mistakes.Err(); err != nil {
		return nil, fmt.Errorf("read the job %s: %w", row.Key, err)
	}
	j := &job{place: c.place, Ref: body.Ref, Properties: document.Properties, secrets: body.Secrets, row: row, when: document.Properties.When()}
	j.Job = body.Ref.Job
	var err error
	if j.jobRow, err = v.JobByRef(body.Ref); err != nil {
		return nil, fmt.Errorf("read the job %s: %w", body.Ref, err)
	}
	return j, nil
}

// entity is the job as the service shows it.
func (j *job) entity() *azure.Job {
	return &azure.Job{ID: j.id(), Type: azure.JobType, Name: azure.JobName(j.Collection, j.Job), Properties: j.Properties}
}

// rest is the first plan time of the job that is not planned yet; false when there is none.
func (j *job) rest() (time.Time, bool) {
	table, err := j.when.Compile(j.jobRow.Origin())
	if err != nil {
		return time.Time{}, false // it never fires
	}
	from := j.jobRow.PlannedTo
	if from.IsZero() {
		from = j.jobRow.CreatedAt
	}
	return table.Next(from.Add(-time.Millisecond))
}

// over reports whether the job has no further occurrence: what is planned of it has ended, and nothing else is to be planned. open tells whether an
// instance of it has not ended.
func (j *job) over(open bool) bool {
	if j.when.Manual || j.Properties.State == azure.StateDisabled || open {
		return false
	}
	_, more := j.rest()
	return !more
}

// isOpen reports whether an instance of the job has not ended, by what the engine's own view tells.
func (j *job) isOpen(v engine.View) (bool, error) {
	waiting, err := v.Waiting(j.jobRow.ID)
	if err != nil || len(waiting) > 0 {
		return true, err
	}
	n, err := v.ActiveCount(j.jobRow.ID)
	return n > 0, err
}

// isFinal reports whether the job is completed or faulted, which nothing changes any more (`azure-scheduler.md` §6).
func (j *job) isFinal(v engine.View) (bool, error) {
	if !j.over(false) {
		return false, nil
	}
	open, err := j.isOpen(v)
	if err != nil {
		return false, fmt.Errorf("look for open instances of %s: %w", j.Ref, err)
	}
	return !open, nil
}

// refuseFinal refuses what a completed or faulted job does not allow.
func (j *job) refuseFinal(v engine.View) error {
	final, err := j.isFinal(v)
	if err == nil && final {
		return refuse(codeConflict, "The job '%s' is in a final state, completed or faulted, and cannot be updated; delete it to make it anew.", j.Job)
	}
	return err
}

// show fills in what is counted: the state when it is final, and the status.
func (j *job) show(v View) error {
	t, err := v.Tally(j.jobRow.ID, j.row.ID)
	if err != nil {
		return err
	}
	if j.over(t.Open) {
		j.Properties.State = azure.StateCompleted
		// What runs once, or so many times, is faulted when the last of it was.
		if r := j.Properties.Recurrence; t.Final == engine.Failed && (r == nil || r.Count > 0) {
			j.Properties.State = azure.StateFaulted
		}
	}
	j.Properties.Status = j.status(&t)
	return nil
}

// status is what the service tells of the past and the future of the job; nil of a disabled one that never ran.
func (j *job) status(t *engine.Tally) *azure.Status {
	s := &azure.Status{ExecutionCount: t.Attempts, FailureCount: t.Failed, FaultedCount: t.Faulted}
	if !t.Last.IsZero() {
		s.LastExecutionTime = azure.At(t.Last)
	}
	if j.jobRow.Disabled {
		if t.Attempts == 0 {
			return nil
		}
		return s
	}
	next := t.Next
	if next.IsZero() {
		next, _ = j.rest()
	}
	if !next.IsZero() && !j.when.Manual {
		s.NextExecutionTime = azure.At(next)
	}
	return s
}
