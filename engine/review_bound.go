package engine

import (
	"fmt"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/deps"
)

// A Rebound is an instance that has not started and that a load binds again: it waits for others
// afterwards. The load leaves the instance where it is, because it is due or somebody has acted on
// it.
type Rebound struct {
	Instance      Instance
	Before, After []Link
}

// boundAgain adds the instances that stay and wait for others by the definitions of after.
func (d *LoadedDiff) boundAgain(e *Engine, v View, known map[JobRef]JobRow, before, after *Planner) error {
	x := &reboundSearch{e: e, v: v, at: d.At, known: known, after: after, changed: map[JobRef]bool{},
		gone: map[int64][]time.Time{}, goes: goneJobs(d.Jobs, known)}
	for _, c := range d.Jobs {
		x.changed[c.Ref] = true
	}
	x.before = before.overRows(v, x.row)
	ends := map[int64]bool{} // what the load cancels is told already
	for _, i := range d.Due {
		ends[i.Instance.ID] = i.Fate == DueDropped || i.Fate == DueStranded
	}
	for _, j := range after.Jobs() {
		row, loaded := known[j.Ref()]
		if !loaded || row.Removed || len(j.DependsOn) == 0 || !x.affected(j.Ref()) {
			continue
		}
		waiting, err := v.Waiting(row.ID)
		if err != nil {
			return fmt.Errorf("list what waits of %s: %w", row.Ref, err)
		}
		for n := range waiting {
			i := &waiting[n]
			if ends[i.ID] || !i.due(d.At) && i.unlooked() {
				continue
			}
			job, err := e.defs.version(v, i.Version)
			if err != nil {
				if ignoreInvalid(err) == nil {
					continue
				}
				return err
			}
			if err := x.look(i, job); err != nil {
				return fmt.Errorf("find out what %s waits for: %w", i.Name(), err)
			}
		}
	}
	slices.SortStableFunc(x.found, func(a, b Rebound) int {
		return a.Instance.PlanTime.Compare(b.Instance.PlanTime)
	})
	d.Bound, d.Due = x.found, append(d.Due, x.stranded...)
	slices.SortStableFunc(d.Due, func(a, b DueInstance) int {
		return a.Instance.PlanTime.Compare(b.Instance.PlanTime)
	})
	return nil
}

// A reboundSearch looks for what a load binds again, before the load has changed any row.
type reboundSearch struct {
	e             *Engine
	v             View
	at            time.Time // of the load
	known         map[JobRef]JobRow
	changed       map[JobRef]bool
	before, after *Planner
	gone          map[int64][]time.Time // plan times by job that the load takes away
	found         []Rebound
	goes          map[int64]Change // jobs that the load removes or disables
	stranded      []DueInstance    // that will be cancelled, as nothing is left to wait for
}

// affected reports whether the load plans the job anew: it changes, or a job that it waits for.
func (x *reboundSearch) affected(ref JobRef) bool {
	if x.changed[ref] {
		return true
	}
	n, ok := x.after.find(ref)
	return ok && slices.ContainsFunc(x.after.jobs[n].DependsOn, func(d Dependency) bool {
		return x.changed[d.Job]
	})
}

func (x *reboundSearch) row(ref JobRef) (JobRow, bool) {
	row, ok := x.known[ref]
	return row, ok
}

// look finds out what an instance waits for now and after the load.
func (x *reboundSearch) look(i *Instance, job *Job) error {
	waits, err := x.v.Waits(i.ID)
	if err != nil || len(waits) == 0 {
		return err
	}
	b := &binding{View: x.v, planner: x.after, row: x.row, i: i, job: job, times: x.times}
	b.span = func(ref JobRef) recorded {
		row, ok := x.known[ref]
		if !ok {
			return recorded{}
		}
		if x.changed[ref] {
			row.leave()
		}
		span := row.planned(row.PlannedTo)
		if i.Touched || i.Fence > 0 {
			span = row.kept()
		}
		if x.affected(ref) {
			span.from = x.at // the load plans it anew from there on
		}
		return span
	}
	fresh, err := b.bind(waits)
	if err != nil || slices.EqualFunc(waits, fresh, sameWait) {
		return err
	}
	r := Rebound{Instance: *i}
	if r.Before, err = x.links(x.before, waits); err != nil {
		return err
	}
	if r.After, err = x.links(b.inForce(), fresh); err != nil {
		return err
	}
	if slices.EqualFunc(r.Before, r.After, sameSet) {
		return nil
	}
	stranded, err := x.strands(i, job, waits, fresh)
	if stranded {
		x.stranded = append(x.stranded, DueInstance{*i, DueStranded})
	} else {
		x.found = append(x.found, r)
	}
	return err
}

// strands reports whether a due instance is cancelled by what it waits for after the load, and would
// not be without it.
func (x *reboundSearch) strands(i *Instance, job *Job, before, after []Wait) (bool, error) {
	if x.goes[i.Job] != "" || !i.due(x.at) {
		return false, nil
	}
	s, err := x.e.situate(x.v, i, job, before, x.at)
	if err != nil || judgeDependencies(x.at, s).Event != "" {
		return false, err
	}
	if s, err = x.e.situate(x.v, i, job, after, x.at); err != nil {
		return false, err
	}
	return s.cancelledWithout(x.goes, x.at), nil
}

// missing reports whether a wait stands for a set in which the schedule of its upstream has nothing.
func missing(w *Wait) bool {
	return w.Count == 0 && !w.Ended && w.Rule == deps.NoneInWindow.String()
}

// sameSet reports whether two links wait for as much of the same instances. The rule that found
// them is told, not compared.
func sameSet(a, b Link) bool {
	return a.Upstream == b.Upstream && a.Ended == b.Ended && a.Select == b.Select &&
		slices.EqualFunc(a.Times, b.Times, time.Time.Equal)
}

// times is when the rows say that a job is due once the load has withdrawn what nobody has looked at.
func (x *reboundSearch) times(job int64, from, to time.Time) ([]time.Time, error) {
	times, err := x.v.PlanTimes(job, from, to)
	if err != nil || !to.After(x.at) {
		return times, err
	}
	gone, known := x.gone[job]
	if !known {
		waiting, err := x.withdrawn(job)
		if err != nil {
			return nil, err
		}
		gone, x.gone[job] = waiting, waiting
	}
	return slices.DeleteFunc(slices.Clone(times), func(t time.Time) bool {
		return slices.ContainsFunc(gone, t.Equal)
	}), nil
}

func (x *reboundSearch) withdrawn(job int64) (times []time.Time, err error) {
	for ref, row := range x.known {
		if row.ID != job || !x.affected(ref) {
			continue
		}
		waiting, err := x.v.Waiting(job)
		if err != nil {
			return nil, err
		}
		for n := range waiting {
			if i := &waiting[n]; !i.due(x.at) && i.unlooked() {
				times = append(times, i.PlanTime)
			}
		}
	}
	return times, nil
}

// links tells waits as a plan does. What is detached, and what retention has removed, is none.
func (x *reboundSearch) links(planner *Planner, waits []Wait) ([]Link, error) {
	var list []Link
	for n := range waits {
		w := &waits[n]
		if w.detachedAt() {
			continue
		}
		link := Link{Upstream: w.Ref, Ended: w.Ended, Select: w.Select, Rule: w.Rule}
		up, known := planner.find(w.Ref)
		switch {
		case w.Count == 0:
		case !known || w.Key != "":
			link.Times = []time.Time{w.First}
			if w.Count > 1 {
				link.Times = append(link.Times, w.Last)
			}
		default:
			times, err := planner.between(up, w.First, w.Last.Add(time.Millisecond))
			if err != nil {
				return nil, fmt.Errorf("read when %s is due: %w", w.Ref, err)
			}
			link.Times = times
		}
		if missing(w) {
			link.Missing = w.OnMissing
		}
		list = append(list, link)
	}
	return list, nil
}
