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

// A settled is an instance as it was, and what ended it or opened it again.
type settled struct {
	Instance

	event Event
}

// recount keeps what is left of counts in step with transitions that were applied to instances:
// what counted and does not any more makes room for one due time more, and the other way round.
func (e *Engine) recount(tx Tx, changes []settled, now time.Time) error {
	if e.cfg.Closed || fault.Planted(fault.CountDueTimes) {
		return nil
	}
	byJob := map[JobRef][]*settled{}
	var refs []JobRef // in the order of the changes, so that each run does the same
	for n := range changes {
		c := &changes[n]
		if changed, err := c.moves(); err != nil {
			return err
		} else if changed == 0 {
			continue
		}
		if byJob[c.Ref] == nil {
			refs = append(refs, c.Ref)
		}
		byJob[c.Ref] = append(byJob[c.Ref], c)
	}
	for _, ref := range refs {
		c, err := e.counting(tx, ref, now)
		if err != nil {
			return fmt.Errorf("read what is left of the count of %s: %w", ref, err)
		}
		if c == nil {
			continue
		}
		n := 0
		for _, i := range byJob[ref] {
			if !i.PlanTime.Before(c.row.CreatedAt) {
				changed, _ := i.moves()
				n += changed
			}
		}
		if err := c.move(n); err != nil {
			return fmt.Errorf("move the count of %s by %d: %w", ref, n, err)
		}
	}
	return nil
}

// moves is by how much the transition changes what is used up of the count of the instance's job.
func (s *settled) moves() (int, error) {
	to, err := s.State.On(s.event)
	if err != nil || s.Kind != Scheduled || s.Key != "" {
		return 0, err
	}
	after := s.Instance
	after.State = to
	switch before := s.Counts(); {
	case before == after.Counts():
		return 0, nil
	case before:
		return -1, nil
	}
	return 1, nil
}

// A counting changes what is left of one job's count.
type counting struct {
	e   *Engine
	tx  Tx
	row JobRow
	job *Job
	now time.Time
}

// counting reads the row of a job whose count is in force; nil when there is nothing to keep.
func (e *Engine) counting(tx Tx, ref JobRef, now time.Time) (*counting, error) {
	row, err := tx.JobByRef(ref)
	if isNotFound(err) {
		return nil, nil // a simulated day has the due times that it was given
	}
	if err != nil {
		return nil, err
	}
	if row.Disabled || row.Removed {
		return nil, nil // what is left is counted anew when it is back
	}
	job, err := e.defs.version(tx, row.Version)
	if err != nil || job.counted() == 0 {
		return nil, ignoreInvalid(err)
	}
	if row.CountFrom.IsZero() {
		row.CountFrom = row.CreatedAt
	}
	return &counting{e: e, tx: tx, row: row, job: job, now: now.Truncate(time.Millisecond)}, nil
}

// move changes how much of the count is used up.
func (c *counting) move(n int) error {
	if n == 0 {
		return nil
	}
	before, err := c.left()
	if err != nil {
		return ignoreInvalid(err)
	}
	c.row.Counted += n
	if n > 0 {
		return c.fewer()
	}
	from := c.row.CountFrom
	switch last, ends := before.Counted(); {
	case ends:
		from = last.Add(time.Millisecond)
	case c.job.counted() > c.row.Counted-n, c.job.counted() <= c.row.Counted:
		return c.tx.PutJob(c.row) // more is left than the schedule has, or nothing still
	}
	return c.more(from)
}

// left returns the due times that the row leaves.
func (c *counting) left() (*recurrence.Timetable, error) { return c.job.When.Compile(c.row.Origin()) }

// more makes due what the schedule has from a time on: until then it had what was left.
func (c *counting) more(from time.Time) error {
	table, err := c.left()
	if err != nil {
		return err
	}
	soon := earliest(c.now.Add(time.Millisecond), c.row.PlannedTo)
	if next, some := table.Next(from.Add(-time.Millisecond)); some && next.Before(soon) {
		// The count was used up, and due times have passed since: they were not due.
		return c.anew(soon)
	}
	if err := c.tx.PutJob(c.row); err != nil {
		return err
	}
	if err := c.insert(from, c.row.PlannedTo); err != nil {
		return err
	}
	return c.tx.WakeDependents(c.row.ID)
}

// anew has the rest of the count due from a time on, as the instances say how much is left.
func (c *counting) anew(from time.Time) error {
	used, err := c.tx.Counted(c.row.ID, c.row.CreatedAt, from)
	if err != nil {
		return fmt.Errorf("count what %s has done: %w", c.row.Ref, err)
	}
	c.row.CountFrom, c.row.Counted, c.row.RowsTo = from, used, latest(c.row.RowsTo, from)
	if err := c.tx.PutJob(c.row); err != nil {
		return err
	}
	if _, err := c.tx.DeleteUnstarted(c.row.ID, from); err != nil {
		return err
	}
	if err := c.insert(from, c.row.PlannedTo); err != nil {
		return err
	}
	return c.tx.WakeDependents(c.row.ID)
}

// insert writes down the instances of due times that the plan has passed already.
func (c *counting) insert(from, to time.Time) error {
	if !from.Before(to) {
		return nil
	}
	planner, err := c.e.defs.plan().With([]*Job{c.job}, nil, func(*Job) recurrence.Origin { return c.row.Origin() })
	if err != nil {
		return err
	}
	row := func(ref JobRef) JobRow {
		if ref == c.row.Ref {
			return c.row
		}
		known, _ := c.e.defs.row(ref)
		return known
	}
	plan, err := planner.over(c.tx, func(ref JobRef) recorded {
		r := row(ref)
		if ref == c.row.Ref {
			return r.planned(from)
		}
		return r.planned(r.PlannedTo)
	}).Plan(func(j *Job) (time.Time, time.Time) {
		if j == c.job {
			return from, to
		}
		return time.Time{}, time.Time{}
	})
	if err != nil || plan.Instances() == 0 {
		return err
	}
	first, err := c.tx.Reserve(plan.Instances())
	if err != nil {
		return err
	}
	_, err = insertWatched(c.tx, &plan, plan.Rows(first, func(ref JobRef) (int64, int64) {
		r := row(ref)
		return r.ID, r.Version
	}))
	return err
}

// fewer withdraws the last due times that nobody has looked at, beyond what is left.
func (c *counting) fewer() error {
	table, err := c.left()
	if err != nil {
		return err
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
