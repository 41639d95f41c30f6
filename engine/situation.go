package engine

import (
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
)

// situation reads what Evaluate needs to know of a waiting instance.
func (e *Engine) situation(v View, i *Instance, job *Job, now time.Time) (*Situation, error) {
	waits, err := v.Waits(i.ID)
	if err != nil {
		return nil, fmt.Errorf("read what %s waits for: %w", i.Name(), err)
	}
	return e.situate(v, i, job, waits, now)
}

// situate is situation of waits that are known.
func (e *Engine) situate(v View, i *Instance, job *Job, waits []Wait, now time.Time) (*Situation, error) {
	s := &Situation{Instance: i, Job: job, Waits: waits, Limit: e.defs.concurrency(job), Unclocked: e.cfg.Unclocked}
	var err error
	if s.Disabled, err = e.defs.disabled(v, i.Ref); err != nil {
		return nil, fmt.Errorf("read whether %s is disabled: %w", i.Ref, err)
	}
	pauses, err := v.Pauses()
	if err != nil {
		return nil, fmt.Errorf("read what is paused: %w", err)
	}
	s.Pauses = PausesOf(pauses, i.Ref)
	if s.Operation, err = e.operationOf(v, i.ID, i.Job); err != nil {
		return nil, err
	}
	s.Facts = make([]Facts, len(s.Waits))
	for n := range s.Waits {
		if s.Facts[n], err = v.Facts(&s.Waits[n]); err != nil {
			return nil, fmt.Errorf("look up %s for %s: %w", s.Waits[n].Ref, i.Name(), err)
		}
		if e.cfg.Closed {
			s.Facts[n].Planned, s.Facts[n].Missing = true, 0 // what is not recorded counts as satisfied, and the output says so
		}
	}
	if s.Active, err = v.ActiveCount(i.Job); err != nil {
		return nil, fmt.Errorf("count running instances of %s: %w", i.Ref, err)
	}
	if fault.Planted(fault.OverlapInMemory) {
		s.Active = e.activeInMemory(i.Job)
	}
	mayBeLate := (i.Gate == GateTime || pausedOnly(i)) && (now.Sub(i.NotBefore) > MisfireGrace && job.Misfire == MisfireRunLatest || len(s.Pauses) > 0)
	if mayBeLate || job.Overlap == OverlapSkipToLatest && (s.Active >= s.limit() || i.Gate == GateConcurrency) {
		if s.LaterDue, err = v.LaterDue(i, now); err != nil {
			return nil, fmt.Errorf("look for a later instance of %s: %w", i.Ref, err)
		}
	}
	return s, nil
}

// activeInMemory counts what the working set says, and it is wrong to ask it: the bug OverlapInMemory does.
func (e *Engine) activeInMemory(job int64) (n int) {
	for _, r := range e.runs {
		if r.instance.Job == job {
			n++
		}
	}
	return n
}
