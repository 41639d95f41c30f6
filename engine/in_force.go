package engine

import (
	"slices"
	"sync"
	"time"
)

// A record tells a planner when jobs were due where their definitions do not. A definition says
// when its job is due from the load on that made it. What was planned before that load stays where
// somebody has looked at it, and what the new definition says of the time before it never came to
// be. So up to where the plan may be of several definitions, the rows say when a job is due. They
// also say it as far as retention has come: nobody waits for what is removed.
type record struct {
	times   func(job int64, from, to time.Time) ([]time.Time, error) // View.PlanTimes
	span    func(JobRef) recorded
	removed func() (time.Time, error) // RemovedBefore
}

// recorded is for which plan times of a job a record is asked.
type recorded struct {
	job  int64     // row id; 0 asks the definition alone
	to   time.Time // the rows say what is due before it
	from time.Time // the definition says what is due from it on, and from to on if that is earlier
}

// planned is the span of a job for what is planned: the rows as far as they may be of other
// definitions, and the definition from where that plans on.
func (row *JobRow) planned(from time.Time) recorded {
	return recorded{job: row.ID, to: row.RowsTo, from: from}
}

// kept is the span of a job for what has been planned before: the rows as far as there are any,
// since retention may have taken some.
func (row *JobRow) kept() recorded {
	return recorded{job: row.ID, to: latest(row.RowsTo, row.PlannedTo), from: row.PlannedTo}
}

// leave makes the rows say when the job is due up to where it is planned: its definition changes.
func (row *JobRow) leave() { row.RowsTo = latest(row.RowsTo, row.PlannedTo) }

// over returns the planner with a record.
func (p *Planner) over(v View, span func(JobRef) recorded) *Planner {
	removed := sync.OnceValues(func() (time.Time, error) { return RemovedBefore(v) })
	return &Planner{jobs: p.jobs, timetables: p.timetables, record: &record{v.PlanTimes, span, removed}}
}

// overRows is over for a planner of current definitions with these rows.
func (p *Planner) overRows(v View, row func(JobRef) (JobRow, bool)) *Planner {
	return p.over(v, func(ref JobRef) recorded {
		if r, ok := row(ref); ok {
			return r.planned(r.PlannedTo)
		}
		return recorded{}
	})
}

// between returns the plan times in [from, to) of a job by the definitions in force.
func (p *Planner) between(n int, from, to time.Time) ([]time.Time, error) {
	table := p.timetables[n]
	if p.record == nil {
		return table.Between(from, to), nil
	}
	r := p.record.span(p.jobs[n].Ref())
	if r.job == 0 {
		return table.Between(from, to), nil
	}
	removed, err := p.record.removed()
	if err != nil {
		return nil, err
	}
	r.to = latest(r.to, removed)
	if !from.Before(r.to) {
		return table.Between(from, to), nil
	}
	rows, err := p.record.times(r.job, wholeMillis(from), wholeMillis(earliest(r.to, to)))
	if err != nil {
		return nil, err
	}
	for k := range rows {
		rows[k] = rows[k].In(table.Location())
	}
	due := table.Between(latest(from, earliest(r.from, r.to)), to)
	switch {
	case len(rows) == 0:
		return due, nil
	case len(due) == 0:
		return rows, nil
	}
	rows = append(rows, due...)
	slices.SortFunc(rows, time.Time.Compare)
	return slices.CompactFunc(rows, time.Time.Equal), nil
}

// wholeMillis is t, or the next whole millisecond. Plan times are whole, and a window that is closed on the right ends within one: without this its last
// plan time would be left out.
func wholeMillis(t time.Time) time.Time {
	return t.Add(time.Millisecond - 1).Truncate(time.Millisecond)
}
