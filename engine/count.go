package engine

import (
	"bytes"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
	"github.com/almanac-sched/almanac/recurrence"
)

// A count is the number of times that a job runs before it is completed. A due time uses some of it up unless its instance was cancelled before it ever
// started, or the job was disabled or gone when it passed. So what is left of a count is a matter of rows: the row of the job says from when on how much of
// it is due, each transition that changes what counts changes that row in its own transaction, and so does each change of the definition.

// Counts reports whether a scheduled instance uses up some of the count of its rule: it ran, or will run, or a person has said that it counts as done.
func (i *Instance) Counts() bool { return i.State != Cancelled || i.Fence > 0 }

// counted is how many times the job runs before it is completed; 0 is without end.
func (j *Job) counted() int {
	if j.When.Rule == nil {
		return 0
	}
	return j.When.Rule.Count
}

// recount keeps what is left of a count in step with a transition that was applied to the instance: what counted and does not any more makes room for one due
// time more, and the other way round.
func (e *Engine) recount(tx Tx, i *Instance, event Event, now time.Time) error {
	to, err := i.State.On(event)
	if err != nil || i.Kind != Scheduled || i.Key != "" || e.cfg.Closed || fault.Planted(fault.CountDueTimes) {
		return err
	}
	after := *i
	after.State = to
	if i.Counts() == after.Counts() {
		return nil
	}
	row, err := tx.JobByRef(i.Ref)
	if isNotFound(err) {
		return nil // a simulated day has the due times that it was given
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", i.Ref, err)
	}
	if row.Disabled || row.Removed {
		return nil // what is left is counted anew when it is back
	}
	job, err := e.defs.version(tx, row.Version)
	if err != nil {
		return ignoreInvalid(err)
	}
	if job.counted() == 0 || i.PlanTime.Before(row.CreatedAt) {
		return nil
	}
	c := &counting{e: e, tx: tx, row: row, job: job, now: now.Truncate(time.Millisecond)}
	if c.row.CountFrom.IsZero() {
		c.row.CountFrom = c.row.CreatedAt
	}
	if after.Counts() {
		return wrap(c.less(), "take a due time from the count of %s", i.Ref)
	}
	return wrap(c.more(), "give a due time back to the count of %s", i.Ref)
}

// A settled is an instance as it was, and what ended it.
type settled struct {
	Instance

	event Event
}

// A counting changes what is left of one job's count.
type counting struct {
	e   *Engine
	tx  Tx
	row JobRow
	job *Job
	now time.Time
}

// more makes one due time more due: the next that has not passed.
func (c *counting) more() error {
	c.row.Counted--
	table, err := c.job.When.Compile(c.row.Origin())
	if err != nil {
		return ignoreInvalid(err)
	}
	last, some := table.Counted()
	if from := earliest(c.now.Add(time.Millisecond), c.row.PlannedTo); some && last.Before(from) {
		// The count was used up, and due times have passed since: they were not due.
		c.row.CountFrom, c.row.Counted, c.row.RowsTo = from, c.job.counted()-1, latest(c.row.RowsTo, from)
		if table, err = c.job.When.Compile(c.row.Origin()); err != nil {
			return err
		}
		last, some = table.Counted()
	}
	if err := c.tx.PutJob(c.row); err != nil {
		return err
	}
	if some && last.Before(c.row.PlannedTo) {
		if err := c.insert(last); err != nil {
			return err
		}
	}
	return c.tx.WakeDependents(c.row.ID)
}

// insert writes down the instance of a due time that the plan has passed already.
func (c *counting) insert(at time.Time) error {
	planner, err := c.e.defs.plan().With([]*Job{c.job}, nil, func(*Job) recurrence.Origin { return c.row.Origin() })
	if err != nil {
		return err
	}
	row := func(ref JobRef) (JobRow, bool) {
		if ref == c.row.Ref {
			return c.row, true
		}
		return c.e.defs.row(ref)
	}
	plan, err := planner.overRows(c.tx, row).Plan(func(j *Job) (from, to time.Time) {
		if j == c.job {
			return at, at.Add(time.Millisecond)
		}
		return from, to
	})
	if err != nil || plan.Instances() == 0 {
		return err
	}
	first, err := c.tx.Reserve(plan.Instances())
	if err != nil {
		return err
	}
	_, err = insertWatched(c.tx, &plan, plan.Rows(first, func(ref JobRef) (int64, int64) {
		r, _ := row(ref)
		return r.ID, r.Version
	}))
	return err
}

// less makes one due time fewer due: the last that nobody has looked at is withdrawn.
func (c *counting) less() error {
	c.row.Counted++
	table, err := c.job.When.Compile(c.row.Origin())
	if err != nil {
		return ignoreInvalid(err)
	}
	if err := c.tx.PutJob(c.row); err != nil {
		return err
	}
	from := latest(c.now, c.row.CountFrom)
	switch last, some := table.Counted(); {
	case some:
		from = latest(from, last.Add(time.Millisecond))
	case c.job.counted() > c.row.Counted:
		return nil // more is left than the schedule has
	}
	if _, err := c.tx.DeleteUnstarted(c.row.ID, from); err != nil {
		return err
	}
	return c.tx.WakeDependents(c.row.ID)
}

// recount finds out what is left of a count when the definition of a job changes, or the job is back: the rows say what was used up. From now on the rest is
// due, by the rule that there is now.
func (l *loading) recount(row *JobRow, j *Job) error {
	row.CountFrom, row.Counted = time.Time{}, 0
	if j.counted() == 0 || row.CreatedAt.Equal(l.now) {
		return nil
	}
	n, err := l.tx.Counted(row.ID, row.CreatedAt, l.now)
	if err != nil {
		return fmt.Errorf("count what %s has done: %w", row.Ref, err)
	}
	row.CountFrom, row.Counted = l.now, n
	return nil
}

// originsAfter is what of the counts of changed jobs, and of those that are back, would be used up if they were loaded at that time.
func originsAfter(v View, loaded, jobs []*Job, known map[JobRef]JobRow, at time.Time) (map[JobRef]recurrence.Origin, error) {
	before := make(map[JobRef]*Job, len(loaded))
	for _, j := range loaded {
		before[j.Ref()] = j
	}
	origins := map[JobRef]recurrence.Origin{}
	for _, j := range jobs {
		row, there := known[j.Ref()]
		if old := before[j.Ref()]; !there || j.counted() == 0 ||
			old != nil && !row.Disabled && bytes.Equal(old.Definition, j.Definition) && old.Folder == j.Folder {
			continue
		}
		n, err := v.Counted(row.ID, row.CreatedAt, at)
		if err != nil {
			return nil, fmt.Errorf("count what %s has done: %w", row.Ref, err)
		}
		origins[j.Ref()] = recurrence.Created(row.CreatedAt).Counted(at, n)
	}
	return origins, nil
}
