package engine

import (
	"fmt"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/deps"
)

// Instance returns the instance of the job that the definitions would plan at a time, with its waits, as Plan would write it: without an id. ids gives
// the row ids of a job and of its current version. It is ErrNotFound when the job is not due then.
func (p *Planner) Instance(ref JobRef, at time.Time, ids func(JobRef) (job, version int64)) (Instance, []Wait, error) {
	n, ok := p.find(ref)
	if !ok {
		return Instance{}, nil, ErrUnknownJob
	}
	job, timetable := p.jobs[n], p.timetables[n]
	if next, due := timetable.Next(at.Add(-time.Millisecond)); !due || !next.Equal(at) {
		if from, _ := timetable.Effective(); at.Before(from) {
			return Instance{}, nil, fmt.Errorf("%s is not due at %s, before its definition counts, from %s on: %w", ref, at.Format(time.RFC3339), from.Format(time.RFC3339), ErrNotFound)
		}
		return Instance{}, nil, fmt.Errorf("%s is not due at %s; it is due %s: %w", ref, at.Format(time.RFC3339), strings.TrimSuffix(job.When.String(), "."), ErrNotFound)
	}
	var failed error
	end := func(n int) deps.Job { return p.endOf(n, &failed) }
	part := JobPlan{Job: job, From: at, To: at.Add(time.Millisecond), Times: []time.Time{at.In(timetable.Location())}, Timetable: timetable}
	for d := range job.DependsOn {
		declared := &job.DependsOn[d]
		up, ok := p.find(declared.Job)
		if !ok {
			return Instance{}, nil, fmt.Errorf("%s depends on %s, which does not exist: %w", ref, declared.Job, ErrNotFound)
		}
		for k, edge := range declared.edges() {
			binder, err := edge.Compile(end(n), end(up))
			if err != nil {
				return Instance{}, nil, fmt.Errorf("the dependency of %s on %s: %w", ref, declared.Job, err)
			}
			part.Dependencies = append(part.Dependencies, DependencyPlan{
				Dependency: declared, Index: d, Ended: k == 1, Upstream: p.jobs[up], Pair: binder.Describe(), Bindings: []deps.Binding{binder.Bind(part.Times[0])},
			})
		}
	}
	rows := newPlannedRows(0, &part, ids)
	return rows.instance(0), rows.appendWaits(nil, 0), failed
}

// end is a job as one end of an edge.
func (p *Planner) end(n int) deps.Job {
	j := p.jobs[n]
	return deps.Job{Name: j.Ref().String(), Period: j.Period, Location: j.When.Location, Occurrences: p.timetables[n].Between}
}

// endOf is end by the definitions in force; what a record fails with is put into failed.
func (p *Planner) endOf(n int, failed *error) deps.Job {
	end := p.end(n)
	end.Occurrences = func(from, to time.Time) []time.Time {
		times, err := p.between(n, from, to)
		if err != nil && *failed == nil {
			*failed = fmt.Errorf("read when %s is due: %w", end.Name, err)
		}
		return times
	}
	return end
}

// leastAhead is how far ahead of its own plan time an instance may wait at least: another time of its natural day.
const leastAhead = 26 * time.Hour

// Ahead returns how long before the plan time of an instance of the job those that wait for it may be planned.
func (p *Planner) Ahead(ref JobRef) time.Duration {
	ahead := leastAhead
	up, ok := p.find(ref)
	if !ok {
		return ahead
	}
	for n, j := range p.jobs {
		for d := range j.DependsOn {
			if j.DependsOn[d].Job != ref {
				continue
			}
			for _, edge := range j.DependsOn[d].edges() {
				if binder, err := edge.Compile(p.end(n), p.end(up)); err == nil {
					_, forward := binder.Reach()
					ahead = max(ahead, forward)
				}
			}
		}
	}
	return ahead
}
