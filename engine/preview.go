package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/recurrence"
)

// A PreviewRequest asks what the instances of a job on a natural day would wait for.
type PreviewRequest struct {
	Workflows []*Workflow // everything that folders would hold; nil is what is loaded
	Ref       JobRef
	Date      recurrence.Date // in the zone of the job
	Limit     int             // instances that are explained, the first of the day
}

// A Preview is a day of a job before it is loaded, or planned. It is computed from definitions; where rows stand already they say how it goes there.
type Preview struct {
	Job       *Job
	Date      recurrence.Date
	From, To  time.Time // the natural day: [From, To)
	Effective time.Time // the job has no plan time before; zero is unbounded
	Total     int       // instances of the day
	Instances []PreviewedInstance
}

// A PreviewedInstance is one instance of the day with each dependency as an explanation has it.
type PreviewedInstance struct {
	Instance     Instance
	Recorded     bool // there is a row of it: Instance has its id and state
	Dependencies []DependencyExplanation
}

// Preview says what the instances of a job on a day would wait for, each with its rule, its window and what it had to choose from. A job that is not
// loaded yet counts as created when the day begins. Errors are of kind ErrNotFound, or ErrInvalid for definitions that cannot be planned.
func (e *Engine) Preview(ctx context.Context, r PreviewRequest, now time.Time) (p Preview, err error) {
	err = e.look(ctx, time.Time{}, now, func(l *looker) error {
		if r.Workflows != nil {
			if err := l.instead(&r); err != nil {
				return err
			}
		}
		p, err = l.preview(&r)
		return err
	})
	return p, wrap(err, "preview %s on %s", r.Ref, r.Date)
}

// instead has the looker plan by the workflows of the request in the place of those that folders have loaded.
func (l *looker) instead(r *PreviewRequest) error {
	wanted := map[JobRef]bool{}
	var fresh []*Job
	for _, w := range r.Workflows {
		for _, j := range w.Jobs {
			wanted[j.Ref()] = true
			if d := l.defs.lookup(j.Ref()); d == nil || d.job != j {
				fresh = append(fresh, j)
			}
		}
	}
	before := l.planner
	if before == nil {
		before = new(Planner)
	}
	var gone []JobRef
	for _, j := range before.Jobs() {
		if d := l.defs.lookup(j.Ref()); d != nil && d.row.Source == "" && !wanted[j.Ref()] {
			gone = append(gone, j.Ref())
		}
	}
	planner, err := before.With(fresh, gone, func(j *Job) recurrence.Origin {
		if d := l.defs.lookup(j.Ref()); d != nil {
			return d.row.Origin()
		}
		return recurrence.Created(recurrence.DayStart(r.Date, j.When.Location))
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	l.planner = planner
	return nil
}

func (l *looker) preview(r *PreviewRequest) (p Preview, err error) {
	if l.planner == nil {
		return p, ErrUnknownJob
	}
	n, ok := l.planner.find(r.Ref)
	if !ok {
		return p, ErrUnknownJob
	}
	job, timetable := l.planner.jobs[n], l.planner.timetables[n]
	zone := job.When.Location
	p = Preview{Job: job, Date: r.Date, From: recurrence.DayStart(r.Date, zone), To: recurrence.DayStart(r.Date.AddDays(1), zone)}
	p.Effective, _ = timetable.Effective()
	times := timetable.Between(p.From, p.To)
	p.Total = len(times)
	for _, at := range times[:min(len(times), r.Limit)] {
		x, err := l.previewed(job, at)
		if err != nil {
			return p, err
		}
		p.Instances = append(p.Instances, x)
	}
	return p, nil
}

// previewed explains what one instance would wait for.
func (l *looker) previewed(job *Job, at time.Time) (x PreviewedInstance, err error) {
	i, waits, err := l.planner.Instance(job.Ref(), at, func(ref JobRef) (job, version int64) {
		if d := l.defs.lookup(ref); d != nil {
			return d.row.ID, d.row.Version
		}
		return 0, 0
	})
	if err != nil {
		return x, err
	}
	if i.Job != 0 {
		row, err := l.view.Find(i.Job, "", at)
		switch {
		case err == nil:
			x.Recorded = true
			i.ID, i.State, i.Gate, i.Reason = row.ID, row.State, row.Gate, row.Reason
		case !isNotFound(err):
			return x, fmt.Errorf("find %s: %w", i.Name(), err)
		}
	}
	s := &subject{i: &i, job: job, s: &Situation{Instance: &i, Job: job, Waits: waits, Facts: make([]Facts, len(waits))}}
	for n := range waits {
		if waits[n].Upstream == 0 {
			continue // a job that is not loaded yet has no instances
		}
		if s.s.Facts[n], err = l.view.Facts(&waits[n]); err != nil {
			return x, fmt.Errorf("look up %s for %s: %w", waits[n].Ref, i.Name(), err)
		}
	}
	x.Instance = i
	x.Dependencies, err = l.dependencies(s, &Cause{})
	return x, err
}
