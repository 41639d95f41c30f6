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

// AfterAll is later than every plan time.
var AfterAll = time.Date(recurrence.LastYear+100, 1, 1, 0, 0, 0, 0, time.UTC)

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
	var refs []JobRef // in the order of the changes, so that each run does the same
	known := map[JobRef]bool{}
	for n := range changes {
		moves, err := changes[n].moves()
		if err != nil {
			return err
		}
		if ref := changes[n].Ref; moves && !known[ref] {
			known[ref] = true
			refs = append(refs, ref)
		}
	}
	for _, ref := range refs {
		c, err := e.counting(tx, ref, now)
		if err != nil {
			return fmt.Errorf("read what is left of the count of %s: %w", ref, err)
		}
		if c == nil {
			continue
		}
		if err := c.settle(); err != nil {
			return fmt.Errorf("settle the count of %s: %w", ref, err)
		}
	}
	return nil
}

// moves reports whether the transition changes what is used up of the count of the job.
func (s *settled) moves() (bool, error) {
	to, err := s.State.On(s.event)
	if err != nil || s.Kind != Scheduled || s.Key != "" {
		return false, err
	}
	after := s.Instance
	after.State = to
	return s.Counts() != after.Counts(), nil
}

// A counting changes what is left of one job's count.
type counting struct {
	e   *Engine
	tx  Tx
	row JobRow
	job *Job
	now time.Time

	fixed int // instances that count and are not withdrawn, where that was asked for
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

// settle brings the row in step with the instances.
func (c *counting) settle() error {
	before, err := c.left()
	if err != nil {
		return ignoreInvalid(err)
	}
	removed, err := RemovedBefore(c.tx)
	if err != nil {
		return err
	}
	// What retention has removed says no more when it was due: the rest begins behind it.
	from, was := c.row.CountFrom, c.row.Counted
	if from.Before(removed) && from.Before(c.now) {
		from, was = c.now, was+len(before.Between(from, c.now))
	}
	used, err := usedUp(c.tx, c.job, &c.row, from, was)
	if err != nil || used == was && from.Equal(c.row.CountFrom) {
		return err
	}
	c.row.CountFrom, c.row.Counted, c.row.RowsTo = from, used, latest(c.row.RowsTo, from)
	switch {
	case used == was:
		return c.tx.PutJob(c.row) // as much is left; only where it begins has moved
	case used > was:
		return c.fewer()
	}
	switch last, ends := before.Counted(); {
	case ends:
		from = last.Add(time.Millisecond)
	case c.job.counted() > was, c.job.counted() <= used:
		return c.tx.PutJob(c.row) // more is left than the schedule has, or nothing still
	}
	return c.more(from)
}

// usedUp is how much of its count a job has used up if the rest is due from a time on: by what
// counts before that, less what does not among the due times of the rest. Each of those makes one
// due time more due, so that the answer is where that ends, looked for from a guess.
func usedUp(v View, job *Job, row *JobRow, from time.Time, guess int) (int, error) {
	for n := guess; ; {
		table, err := job.When.Compile(recurrence.Created(row.CreatedAt).Counted(from, n))
		if err != nil {
			return 0, err
		}
		until := AfterAll
		switch last, ends := table.Counted(); {
		case ends:
			until = last.Add(time.Millisecond)
		case job.counted() <= n:
			until = from
		}
		used, err := v.Counted(row.ID, row.CreatedAt, from, until)
		if err != nil {
			return 0, fmt.Errorf("count what %s has done: %w", row.Ref, err)
		}
		if used == n {
			return n, nil
		}
		n = used
	}
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
	return c.e.wakeDependents(c.tx, c.row, c.now)
}

// anew has the rest of the count due from a time on, as the instances say how much is left.
func (c *counting) anew(from time.Time) error {
	used, err := usedUp(c.tx, c.job, &c.row, from, c.job.counted())
	if err != nil {
		return err
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
	return c.e.wakeDependents(c.tx, c.row, c.now)
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
	return c.e.wakeDependents(c.tx, c.row, c.now)
}

// A countKeeper opens instances again no further than the counts of their jobs go.
type countKeeper struct {
	e    *Engine
	tx   Tx
	now  time.Time
	jobs map[JobRef]*counting
}

// takes reports whether one more instance may count. The last due time that nobody has looked at
// makes room for it, once it does. The count may be used up by what has been looked at.
func (k *countKeeper) takes(i *Instance) (bool, error) {
	if k.e.cfg.Closed || i.Counts() || fault.Planted(fault.CountDueTimes) {
		return true, nil
	}
	c, known := k.jobs[i.Ref]
	if !known {
		var err error
		if c, err = k.e.counting(k.tx, i.Ref, k.now); err != nil {
			return false, fmt.Errorf("read what is left of the count of %s: %w", i.Ref, err)
		}
		if c != nil {
			if err = c.readFixed(); err != nil {
				return false, fmt.Errorf("count what %s has done: %w", i.Ref, err)
			}
		}
		if k.jobs == nil {
			k.jobs = map[JobRef]*counting{}
		}
		k.jobs[i.Ref] = c
	}
	if c == nil || i.PlanTime.Before(c.row.CreatedAt) {
		return true, nil
	}
	if c.fixed >= c.job.counted() {
		return false, nil
	}
	c.fixed++
	return true, nil
}

// readFixed finds out how much of the count is used up for good.
func (c *counting) readFixed() error {
	all, err := c.tx.Counted(c.row.ID, c.row.CreatedAt, AfterAll, AfterAll)
	if err != nil {
		return err
	}
	loose, err := unlooked(c.tx, c.row.ID, latest(c.now, c.row.CountFrom))
	c.fixed = all - len(loose)
	return err
}

// recount finds out what is left of a count when the definition of a job changes, or the job is back: the rows say what was used up. From now on the rest is
// due, by the rule that there is now.
func (l *loading) recount(row *JobRow, j *Job) error {
	row.CountFrom, row.Counted = time.Time{}, 0
	if j.counted() == 0 || row.CreatedAt.Equal(l.now) {
		return nil
	}
	n, err := usedUp(l.tx, j, row, l.now, j.counted())
	if err != nil {
		return ignoreInvalid(err)
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
		n, err := usedUp(v, j, &row, at, j.counted())
		if err != nil {
			return nil, err
		}
		origins[j.Ref()] = recurrence.Created(row.CreatedAt).Counted(at, n)
	}
	return origins, nil
}
