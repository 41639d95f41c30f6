package invariant

import (
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/recurrence"
)

// endless is when a job would be due if it had no count.
func endless(w *recurrence.When) *recurrence.When {
	if w.Rule == nil || w.Rule.Count == 0 {
		return w
	}
	free, rule := *w, *w.Rule
	rule.Count = 0
	free.Rule = &rule
	return &free
}

// A spending is what the walk over a job's instances has seen use up its count.
type spending struct {
	partial bool        // the walk did not begin with the first
	gone    int         // instances that retention has removed
	n       int         // that count
	touched int         // of these: a person may have had them run beyond the count
	beyond  int         // of these: they lie behind the last due time, written by a clock that was ahead
	last    time.Time   // the end of the due times that are left by the row; zero when there is no count
	back    []time.Time // when one was cancelled that has never run: until then it counted
}

func (s *spending) add(i *engine.Instance, created time.Time) {
	switch {
	case i.PlanTime.Before(created):
	case i.Counts():
		s.n++
		switch {
		case i.Touched || i.Fence == 0 && i.State.Satisfies():
			s.touched++
		case !s.last.IsZero() && !i.PlanTime.Before(s.last):
			s.beyond++
		}
	default:
		s.back = append(s.back, i.EndedAt)
	}
}

// usedUp reports whether a job was completed at a due time, so that nothing was due.
func (s *spending) usedUp(job *engine.Job, due time.Time) bool {
	if job.When.Rule == nil || job.When.Rule.Count == 0 {
		return false
	}
	if s.partial {
		return true
	}
	n := s.n + s.gone
	for _, at := range s.back {
		if !at.Before(due) {
			n++
		}
	}
	return n >= job.When.Rule.Count
}

// hasCount reports whether the current definition of a job has a count.
func (c *check) hasCount(job int64) bool {
	j := c.jobs[job]
	if j == nil {
		return false
	}
	current := c.versions[j.row.Version]
	return current != nil && current.When.Rule != nil && current.When.Rule.Count > 0
}

// lastCounted is the due time with which the row of a job says that its count is used up.
func (c *check) lastCounted(row *engine.JobRow) time.Time {
	job := c.versions[row.Version]
	if job == nil || job.When.Rule == nil || job.When.Rule.Count == 0 {
		return time.Time{}
	}
	return c.rest(job, row)
}

// rest is the end of the due times that are left of the count of a job by its row.
func (c *check) rest(job *engine.Job, row *engine.JobRow) time.Time {
	table, err := job.When.Compile(row.Origin())
	switch {
	case err != nil:
		return engine.AfterAll
	case job.When.Rule.Count <= row.Counted:
		return latest(row.CountFrom, row.CreatedAt)
	}
	if last, ends := table.Counted(); ends {
		return last.Add(time.Millisecond)
	}
	return engine.AfterAll
}

// spent holds what used up the count of a job against its definition and its row.
func (c *check) spent(p *plan) error {
	job, row := c.versions[p.rows.row.Version], &p.rows.row
	if job == nil || job.When.Rule == nil || job.When.Rule.Count == 0 || c.pruned || len(p.rows.versions) > 1 || !c.o.Since.IsZero() {
		return nil
	}
	c.looked("I1")
	count, n := job.When.Rule.Count, p.spent.n+p.spent.gone
	most := count + p.spent.touched
	if c.jumped { // what a clock that was ahead has begun is too much, and the due times of now come too
		most = max(most+p.spent.beyond, row.Counted)
	}
	if n > most {
		c.foundJob("I1", p.rows, "%d instances count, and its count is %d", n, count)
	}
	if row.CountFrom.IsZero() || row.Disabled || row.Removed {
		return nil
	}
	used, err := c.s.Counted(row.ID, row.CreatedAt, row.CountFrom, c.rest(job, row))
	if err != nil {
		return fmt.Errorf("count what %s has done: %w", row.Ref, err)
	}
	if used != row.Counted {
		c.foundJob("I1", p.rows, "its row says that %d of its count are used up, and the instances say %d", row.Counted, used)
	}
	return nil
}
