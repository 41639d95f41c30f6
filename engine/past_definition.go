package engine

import (
	"fmt"
	"slices"
)

// gone says whether the job was removed or disabled then. A definition that has changed since has a version from before; what happened between is in
// the history.
func (p *past) gone(job int64, now Facts) (removed, disabled bool, err error) {
	version, changed, err := p.version(job)
	if err != nil || version == nil {
		return now.Removed, now.Disabled, err
	}
	if definition, err := p.engine.defs.version(p.View, version.ID); err == nil {
		disabled = definition.Disabled
	}
	if !now.Removed && !changed {
		return false, disabled, nil
	}
	removed = now.Removed
	acts, err := p.defined(job)
	if err != nil {
		return removed, disabled, err
	}
	if n := slices.IndexFunc(acts, func(what string) bool { return what == "removed" || what == "back" }); n >= 0 {
		removed = acts[n] == "back" && !disabled // the first thing that has become of it since
	}
	return removed, disabled, nil
}

// defined lists what has become of the definition of a job since then.
func (p *past) defined(job int64) (acts []string, err error) {
	after, err := p.lastEvent()
	if err != nil {
		return nil, err
	}
	events, err := p.DefinedAfter(job, after)
	if err != nil {
		return nil, fmt.Errorf("read what became of the definition of job %d: %w", job, err)
	}
	for n := range events {
		acts = append(acts, events[n].Reason.Detail)
	}
	return acts, nil
}

// lastEvent returns the id of an event at or before the time, close to it. Events have growing ids and, but where a clock was set back, growing times.
func (p *past) lastEvent() (int64, error) {
	first, _, err := p.HistoryAfter(0, 1)
	if err != nil || len(first) == 0 {
		return 0, err
	}
	low, high := first[0]-1, first[0]
	for step := int64(1); ; step *= 2 {
		_, events, err := p.HistoryAfter(high, 1)
		if err != nil {
			return 0, err
		}
		if len(events) == 0 || events[0].At.After(p.at) {
			break
		}
		low, high = high, high+step
	}
	for high-low > 1 {
		middle := low + (high-low)/2
		_, events, err := p.HistoryAfter(middle, 1)
		if err != nil {
			return 0, err
		}
		if len(events) == 0 || events[0].At.After(p.at) {
			high = middle
		} else {
			low = middle
		}
	}
	return low, nil
}

// version returns the definition of the job at the time, nil when there was none, and whether there is one since.
func (p *past) version(job int64) (found *VersionRow, changed bool, err error) {
	list, ok := p.versions[job]
	if !ok {
		if list, err = p.VersionsOf(job); err != nil {
			return nil, false, fmt.Errorf("list the versions of job %d: %w", job, err)
		}
		p.versions[job] = list
	}
	for n := range list {
		if list[n].CreatedAt.After(p.at) {
			changed = true
		} else {
			found = &list[n]
		}
	}
	return found, changed, nil
}

// concurrency is how many of the job could run at once then.
func (p *past) concurrency(job int64) (int, bool) {
	version, _, err := p.version(job)
	if err != nil || version == nil {
		return 0, false
	}
	definition, err := p.engine.defs.version(p.View, version.ID)
	if err != nil {
		return 0, false
	}
	return definition.Concurrency, true
}
