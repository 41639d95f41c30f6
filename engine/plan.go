package engine

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"sort"
	"time"

	"github.com/almanac-sched/almanac/deps"
	"github.com/almanac-sched/almanac/recurrence"
)

// A Plan is the instances of a window and what each of them waits for: a value, computed from definitions alone. The same plan feeds
// `almanac plan`, the rows of the store, the preview and every test.
type Plan struct {
	Jobs []JobPlan // by workflow, then job
}

// A JobPlan is one job's part of a plan: its instances in [From, To) and, for each declared dependency, one binding an instance.
type JobPlan struct {
	Job          *Job
	From, To     time.Time
	Times        []time.Time // plan times, ascending
	Timetable    *recurrence.Timetable
	Dependencies []DependencyPlan
}

// A DependencyPlan is one declared dependency of a job with what it comes to for each of the job's instances.
type DependencyPlan struct {
	Dependency *Dependency
	Index      int  // ordinal in Job.DependsOn
	Ended      bool // the additional wait of waitPreviousEnd: any end satisfies it
	Upstream   *Job
	Pair       string         // the rule in words, with both classes
	Bindings   []deps.Binding // parallel to JobPlan.Times
}

// Instances counts the plan's instances.
func (p *Plan) Instances() int {
	n := 0
	for i := range p.Jobs {
		n += len(p.Jobs[i].Times)
	}
	return n
}

// A PlannedInstance points at one instance of a plan.
type PlannedInstance struct {
	*JobPlan
	N int // index into Times and each Bindings
}

// PlanTime returns the instance's plan time, in the job's zone.
func (p PlannedInstance) PlanTime() time.Time { return p.Times[p.N] }

// Chronological yields the instances by plan time, workflow, job.
func (p *Plan) Chronological() iter.Seq[PlannedInstance] {
	return func(yield func(PlannedInstance) bool) {
		all := make([]PlannedInstance, 0, p.Instances())
		for i := range p.Jobs {
			for n := range p.Jobs[i].Times {
				all = append(all, PlannedInstance{&p.Jobs[i], n})
			}
		}
		// The jobs are in order already, so a stable sort by time is the whole order.
		slices.SortStableFunc(all, func(a, b PlannedInstance) int { return a.PlanTime().Compare(b.PlanTime()) })
		for _, instance := range all {
			if !yield(instance) {
				return
			}
		}
	}
}

// A Planner knows a set of jobs and when each of them is due. Planning is pure: the same jobs, origins and windows give the same plan.
// A Planner is safe for concurrent use.
type Planner struct {
	jobs       []*Job // by workflow and name
	timetables []*recurrence.Timetable
	record     *record // nil when the definitions alone say when a job is due
}

// NewPlanner compiles the timetables of all jobs. origin says since when a job counts as created (`recurrence.md` §2).
func NewPlanner(jobs []*Job, origin func(*Job) recurrence.Origin) (*Planner, error) {
	return new(Planner).With(jobs, nil, origin)
}

// With returns a planner that knows the jobs too, in the place of those of the same name, and no longer those that are gone. What it costs beside a copy
// of the list is the jobs that are given.
func (p *Planner) With(jobs []*Job, gone []JobRef, origin func(*Job) recurrence.Origin) (*Planner, error) {
	sorted := slices.Clone(jobs)
	slices.SortFunc(sorted, func(a, b *Job) int { return compareRefs(a.Ref(), b.Ref()) })
	gone = slices.SortedFunc(slices.Values(gone), compareRefs)
	size := len(p.jobs) + len(sorted)
	next := &Planner{jobs: make([]*Job, 0, size), timetables: make([]*recurrence.Timetable, 0, size)}
	old := 0
	keep := func(until func(JobRef) bool) {
		for ; old < len(p.jobs) && until(p.jobs[old].Ref()); old++ {
			if _, left := slices.BinarySearchFunc(gone, p.jobs[old].Ref(), compareRefs); !left {
				next.jobs, next.timetables = append(next.jobs, p.jobs[old]), append(next.timetables, p.timetables[old])
			}
		}
	}
	for _, j := range sorted {
		keep(func(ref JobRef) bool { return compareRefs(ref, j.Ref()) < 0 })
		if old < len(p.jobs) && p.jobs[old].Ref() == j.Ref() {
			old++
		}
		timetable, err := j.When.Compile(origin(j))
		if err != nil {
			return nil, fmt.Errorf("compile the recurrence of %s: %w", j.Ref(), err)
		}
		next.jobs, next.timetables = append(next.jobs, j), append(next.timetables, timetable)
	}
	keep(func(JobRef) bool { return true })
	return next, nil
}

// merge returns a planner that knows the jobs of another too, in the place of its own of the same name,
// as far as they are wanted. Nothing is compiled for it.
func (p *Planner) merge(other *Planner, wanted func(JobRef) bool) *Planner {
	size := len(p.jobs) + len(other.jobs)
	next := &Planner{
		jobs: make([]*Job, 0, size), timetables: make([]*recurrence.Timetable, 0, size),
	}
	add := func(from *Planner, n int) {
		next.jobs = append(next.jobs, from.jobs[n])
		next.timetables = append(next.timetables, from.timetables[n])
	}
	own := 0
	for n, j := range other.jobs {
		ref := j.Ref()
		if !wanted(ref) {
			continue
		}
		for ; own < len(p.jobs) && compareRefs(p.jobs[own].Ref(), ref) < 0; own++ {
			add(p, own)
		}
		if own < len(p.jobs) && p.jobs[own].Ref() == ref {
			own++
		}
		add(other, n)
	}
	for ; own < len(p.jobs); own++ {
		add(p, own)
	}
	return next
}

func compareRefs(a, b JobRef) int {
	return cmp.Or(cmp.Compare(a.Workflow, b.Workflow), cmp.Compare(a.Job, b.Job))
}

// find returns the index of a job.
func (p *Planner) find(ref JobRef) (int, bool) {
	return slices.BinarySearchFunc(p.jobs, ref, func(j *Job, ref JobRef) int { return compareRefs(j.Ref(), ref) })
}

// Jobs lists the planner's jobs by workflow and name.
func (p *Planner) Jobs() []*Job { return p.jobs }

// Timetable returns the timetable of a job, nil when the planner does not know it.
func (p *Planner) Timetable(ref JobRef) *recurrence.Timetable {
	if i, ok := p.find(ref); ok {
		return p.timetables[i]
	}
	return nil
}

// Plan plans each job over the window [from, to) that windows gives for it; a job without one (from not before to) has no part in the plan,
// but others may wait for its plan times.
func (p *Planner) Plan(windows func(*Job) (from, to time.Time)) (Plan, error) {
	var parts []JobPlan
	occurrences := &occurrenceCache{planner: p, spans: map[int]*span{}}
	var planned []int // the index of each part's job
	type edge struct {
		part, index int
		ended       bool
		binder      *deps.Binder
		upstream    int
	}
	var edges []edge
	for i, j := range p.jobs {
		from, to := windows(j)
		if !from.Before(to) {
			continue
		}
		parts, planned = append(parts, JobPlan{Job: j, From: from, To: to, Timetable: p.timetables[i]}), append(planned, i)
		occurrences.need(i, from, to)
		for n := range j.DependsOn {
			d := &j.DependsOn[n]
			up, ok := p.find(d.Job)
			if !ok {
				return Plan{}, fmt.Errorf("plan %s: it depends on %s, which does not exist", j.Ref(), d.Job)
			}
			for k, e := range d.edges() {
				binder, err := e.Compile(occurrences.end(i), occurrences.end(up))
				if err != nil {
					return Plan{}, fmt.Errorf("plan %s: its dependency on %s: %w", j.Ref(), d.Job, err)
				}
				back, forward := binder.Reach()
				occurrences.need(i, from.Add(-back), to.Add(forward))
				occurrences.need(up, from.Add(-back), to.Add(forward))
				edges = append(edges, edge{part: len(parts) - 1, index: n, ended: k == 1, binder: binder, upstream: up})
			}
		}
	}
	for i := range parts {
		parts[i].Times = occurrences.due(planned[i], parts[i].From, parts[i].To)
	}
	for _, e := range edges {
		part := &parts[e.part]
		bindings := make([]deps.Binding, len(part.Times))
		for n, t := range part.Times {
			bindings[n] = e.binder.Bind(t)
		}
		part.Dependencies = append(part.Dependencies, DependencyPlan{
			Dependency: &part.Job.DependsOn[e.index], Index: e.index, Ended: e.ended,
			Upstream: p.jobs[e.upstream], Pair: e.binder.Describe(), Bindings: bindings,
		})
	}
	return Plan{Jobs: parts}, occurrences.err
}

// edges are what a declared dependency binds by: its own edge and, with waitPreviousEnd, that on the cycle before.
func (d *Dependency) edges() []deps.Edge {
	if !d.WaitPreviousEnd {
		return []deps.Edge{d.Edge}
	}
	previous := d.Edge
	previous.Previous++
	previous.Select = deps.Select{Kind: deps.SelectAll}
	return []deps.Edge{d.Edge, previous}
}

// Reach returns how long before its own plan time an instance of the job may begin to wait for one of the upstream job; a self-dependency of a job that
// is due once in many years may look further.
func (p *Planner) Reach(ref, upstream JobRef) (time.Duration, error) {
	i, ok := p.find(ref)
	up, there := p.find(upstream)
	if !ok || !there {
		return 0, fmt.Errorf("the reach of %s to %s: %w", ref, upstream, ErrNotFound)
	}
	reach := time.Duration(0)
	for n := range p.jobs[i].DependsOn {
		d := &p.jobs[i].DependsOn[n]
		if d.Job != upstream {
			continue
		}
		for _, e := range d.edges() {
			binder, err := e.Compile(p.end(i), p.end(up))
			if err != nil {
				return 0, fmt.Errorf("the dependency of %s on %s: %w", ref, upstream, err)
			}
			back, _ := binder.Reach()
			reach = max(reach, back)
		}
	}
	return reach, nil
}

// occurrenceCache computes each job's plan times once for the widest window that the plan asks for, so that a binding is a sub-slice and not a
// computation. What it costs is the jobs that the plan is about, however many the planner knows.
type occurrenceCache struct {
	planner *Planner
	spans   map[int]*span // by the index of the job
	err     error         // of the record; a binding has no way to say it
}

type span struct {
	from, to time.Time
	times    []time.Time
	computed bool
}

func (c *occurrenceCache) span(job int) *span {
	s := c.spans[job]
	if s == nil {
		s = new(span)
		c.spans[job] = s
	}
	return s
}

// need widens what will be computed for the job to hold [from, to).
func (c *occurrenceCache) need(job int, from, to time.Time) {
	s := c.span(job)
	if s.from.IsZero() || from.Before(s.from) {
		s.from = from
	}
	if s.to.IsZero() || to.After(s.to) {
		s.to = to
	}
}

func (c *occurrenceCache) end(job int) deps.Job {
	j := c.planner.jobs[job]
	return deps.Job{Name: j.Ref().String(), Period: j.Period, Location: j.When.Location, Occurrences: c.of(job)}
}

func (c *occurrenceCache) of(job int) deps.Occurrences {
	s := c.span(job)
	return func(from, to time.Time) []time.Time {
		if !s.computed {
			s.times = c.between(job, s.from, s.to)
			s.computed = true
		}
		if from.Before(s.from) || to.After(s.to) {
			return c.between(job, from, to)
		}
		return between(s.times, from, to)
	}
}

func (c *occurrenceCache) between(job int, from, to time.Time) []time.Time {
	times, err := c.planner.between(job, from, to)
	if err != nil && c.err == nil {
		c.err = fmt.Errorf("read when %s was due: %w", c.planner.jobs[job].Ref(), err)
	}
	return times
}

// due returns when the definition says that the job is due: what is to be planned.
func (c *occurrenceCache) due(job int, from, to time.Time) []time.Time {
	if c.planner.record != nil && from.Before(c.planner.record.span(c.planner.jobs[job].Ref()).to) {
		return c.planner.timetables[job].Between(from, to)
	}
	return c.of(job)(from, to)
}

// between returns the part of ascending times in [from, to), with its capacity cut so that nobody appends into a neighbour.
func between(times []time.Time, from, to time.Time) []time.Time {
	lo := sort.Search(len(times), func(i int) bool { return !times[i].Before(from) })
	hi := lo + sort.Search(len(times)-lo, func(i int) bool { return !times[lo+i].Before(to) })
	return times[lo:hi:hi]
}
