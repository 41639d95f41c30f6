package engine

import (
	"errors"
	"fmt"
	"time"
)

// A subject is an instance with what is decided about it.
type subject struct {
	i        *Instance
	recorded bool
	job      *Job
	s        *Situation // of one that waits
	verdict  Verdict
	cause    *Cause // where it is in the tree
	growing  bool
	forecast *Forecast
	busy     bool
}

// countedSingly is how many jobs' running instances are counted each by itself, before those of all are.
const countedSingly = 20

// A countedView is the view of a looker, which counts what runs of a job only once.
type countedView struct {
	View
	l *looker
}

// at returns the instance of the job at a plan time: as recorded, or as the definitions would plan it. nil when too many were looked at.
func (l *looker) at(job int64, ref JobRef, key string, planTime time.Time) (*subject, error) {
	if s := l.subjects[place{job, key, planTime.UnixMilli()}]; s != nil {
		return s, nil
	}
	if l.looks <= 0 {
		return nil, nil
	}
	i, err := l.view.Find(job, key, planTime)
	if err == nil {
		return l.recorded(&i)
	}
	if !isNotFound(err) || key != "" {
		return nil, err
	}
	return l.unplanned(ref, planTime)
}

// recorded makes a subject of a row.
func (l *looker) recorded(i *Instance) (*subject, error) {
	at := place{i.Job, i.Key, i.PlanTime.UnixMilli()}
	if s := l.subjects[at]; s != nil {
		return s, nil
	}
	if l.looks <= 0 {
		return nil, nil
	}
	job, err := l.defs.version(l.view, i.Version)
	if errors.Is(err, ErrInvalid) && len(l.subjects) > 0 {
		job, err = &Job{Workflow: i.Ref.Workflow, Name: i.Ref.Job, Concurrency: 1, Steps: []Step{{}}}, nil // its own explanation says so
	}
	if err != nil {
		return nil, err
	}
	var waits []Wait
	if i.State == Waiting || len(l.subjects) == 0 {
		if waits, err = l.view.Waits(i.ID); err != nil {
			return nil, fmt.Errorf("read what %s waits for: %w", i.Name(), err)
		}
		if waits, err = l.inForce(i, job, waits); err != nil {
			return nil, err
		}
	}
	return l.subject(at, i, job, waits, true)
}

// inForce gives the waits of a waiting instance as they will be when something is decided on it: definitions may have changed a moment ago.
func (l *looker) inForce(i *Instance, job *Job, waits []Wait) (_ []Wait, err error) {
	if _, then := l.view.(*past); !then && i.State == Waiting && l.planner != nil && l.stale(i, waits) {
		b := &binding{View: l.view, planner: l.defs.plan(), row: l.defs.row, i: i, job: job}
		if waits, err = b.bind(waits); err != nil {
			return nil, fmt.Errorf("find out what %s waits for: %w", i.Name(), err)
		}
	}
	for n := range waits {
		waits[n].Bound = 0 // no part of what it waits for
	}
	return waits, nil
}

// unplanned makes a subject of what the loaded definitions would plan.
func (l *looker) unplanned(ref JobRef, at time.Time) (*subject, error) {
	d := l.defs.lookup(ref)
	if d == nil || l.planner == nil || !d.active() {
		return nil, fmt.Errorf("%s is not planned, and its job is removed, disabled or manual: %w", (&Instance{Ref: ref, PlanTime: at}).Name(), ErrNotFound)
	}
	i, waits, err := l.planner.overRows(l.view, l.defs.row).Instance(ref, at, func(ref JobRef) (job, version int64) {
		if d := l.defs.lookup(ref); d != nil {
			return d.row.ID, d.row.Version
		}
		return 0, 0
	})
	if err != nil {
		return nil, err
	}
	return l.subject(place{i.Job, "", at.UnixMilli()}, &i, d.job, waits, false)
}
