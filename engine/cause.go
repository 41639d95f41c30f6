package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/deps"
)

// How much an explanation looks at and shows. What is cut is counted, and a forecast that it is made of says that it is a lower bound.
const (
	mostSubjects = 1200 // instances looked at
	mostCauses   = 1100 // instances in the tree
	causesShown  = 10   // of one dependency
	rootsShown   = 20
	MoreThan     = 500
	mostWaits    = 1200 // dependencies of one instance that are shown
)

// A looker looks at instances on one snapshot, each at most once.
type looker struct {
	*Engine
	View
	view    View // the same; Engine and View have methods of one name
	past    *past
	now     time.Time
	planner *Planner

	subjects  map[place]*subject
	active    map[int64]int // running instances, by job
	allActive bool          // those of all jobs are known
	took      map[int64]Estimate
	looks     int // left
	causes    int
}

// A place is where an instance stands, whether there is a row of it or not.
type place struct {
	job int64
	key string
	at  int64
}

// ActiveCount counts the running instances of the job.
func (v countedView) ActiveCount(job int64) (int, error) { return v.l.activeCount(job) }

func (l *looker) activeCount(job int64) (int, error) {
	n, ok := l.active[job]
	switch {
	case ok || l.allActive:
		return n, nil
	case len(l.active) < countedSingly || l.past != nil:
		n, err := l.view.ActiveCount(job)
		if err == nil {
			l.active[job] = n
		}
		return n, err
	}
	all, err := l.view.ActiveCounts()
	if err != nil {
		return 0, err
	}
	l.active, l.allActive = all, true
	return all[job], nil
}

// situation is what decides about an instance. A plan time that is recorded is planned, even where
// the plan of its job is written no further: so it is after `almanac run`.
func (l *looker) situation(i *Instance, job *Job, waits []Wait) (*Situation, error) {
	s, err := l.situate(countedView{l.view, l}, i, job, waits, l.now)
	if err != nil {
		return nil, err
	}
	for n := range waits {
		w, f := &waits[n], &s.Facts[n]
		if f.Planned || w.Count == 0 {
			continue
		}
		q := RangeQuery{Job: w.Upstream, Key: w.Key, From: w.First, To: w.Last, Limit: w.Count}
		there, err := l.view.RangeCount(q)
		if err != nil {
			return nil, fmt.Errorf("count what is recorded of %s: %w", w.Ref, err)
		}
		if f.Planned = there >= w.Count; f.Planned || i.StartedAt.IsZero() {
			continue
		}
		// A job that no server has planned was run by day: what is not recorded counted as satisfied
		// then, and what has started since does not wait for it.
		row, err := l.view.JobByRef(w.Ref)
		if err != nil && !isNotFound(err) {
			return nil, fmt.Errorf("look how far %s is planned: %w", w.Ref, err)
		}
		if err == nil && row.PlannedTo.IsZero() {
			f.Planned, f.Missing = true, 0
		}
	}
	return s, nil
}

func (l *looker) subject(at place, i *Instance, job *Job, waits []Wait, recorded bool) (*subject, error) {
	l.looks--
	s := &subject{i: i, job: job, recorded: recorded}
	first := len(l.subjects) == 0
	l.subjects[at] = s
	if i.State != Waiting && !first {
		return s, nil
	}
	var err error
	if s.s, err = l.situation(i, job, waits); err != nil {
		return nil, err
	}
	if l.past != nil {
		s.s.Limit = 0
		if limit, ok := l.past.concurrency(i.Job); ok {
			s.s.Limit = limit
		}
	}
	if i.State != Waiting {
		return s, nil
	}
	s.verdict = Evaluate(l.now, s.s)
	switch {
	case !s.verdict.Open:
		// What the last look found is as true as what this one does, unless it has named a circle, or the queue.
		if i.Reason.Code != ReasonCycle || s.verdict.Gate != GateDependency {
			i.Gate, i.Reason = s.verdict.Gate, s.verdict.Reason
		}
	case i.Gate != GateSlot && i.Gate != GateDisk:
		i.Gate, i.Reason = GateSlot, Reason{Code: ReasonSlot, Detail: "every gate is open"}
	}
	return s, nil
}

// grow makes the cause of a subject with what it waits for, of at most so many instances, and returns how many it took.
func (l *looker) grow(s *subject, allowance int) (c *Cause, used int, err error) {
	c = &Cause{Ref: s.i.Ref, Key: s.i.Key, PlanTime: s.i.PlanTime, Reason: s.i.Reason}
	if s.recorded {
		c.Instance = s.i
	}
	if s.i.State == Waiting {
		c.Gate = s.i.Gate
	}
	if s.cause != nil {
		c.Again, c.Circle = !s.growing, s.growing
		if c.Circle {
			c.Root, c.Help = true, "almanac run-now "+s.i.Name()
		}
		return c, 1, nil
	}
	s.cause, s.growing = c, true
	defer func() { s.growing = false }()
	used = 1
	if s.i.State == Waiting {
		n, err := l.growWaits(s, c, allowance-1)
		if err != nil {
			return nil, 0, err
		}
		used += n
	}
	c.Help = l.help(s)
	if s.i.State.Satisfies() {
		return c, used, nil // nothing is wrong with it, so that there is no cause to tell
	}
	c.Root = firstCause(c) == nil && !truncated(c) || s.i.State == Waiting && (s.i.Frozen || s.job.Confirm && s.i.Confirmed == "")
	return c, used, nil
}

// truncated reports whether what a cause waits for was left out.
func truncated(c *Cause) bool {
	return slices.ContainsFunc(c.Dependencies, func(d DependencyExplanation) bool { return d.More > 0 })
}

// growWaits adds the dependencies that are not satisfied, sharing the allowance between them.
func (l *looker) growWaits(s *subject, c *Cause, allowance int) (used int, err error) {
	if judgeDependencies(l.now, s.s).Open {
		return 0, nil // they are satisfied, or waived
	}
	var closed [][2]int
	for from, to := range s.s.declared() {
		if v := judgeDependency(l.now, s.s, from, to); !v.Open {
			closed = append(closed, [2]int{from, to})
		}
	}
	for n, d := range closed {
		share := (allowance - used) / (len(closed) - n)
		x := l.describe(s, d[0], d[1], d[0])
		took := 0
		if share < 1 || l.looks <= 0 {
			x.More = max(1, x.Wait.Count)
		} else if took, err = l.growWait(s, &x, d[0], d[1], share); err != nil {
			return 0, err
		}
		used += took
		c.Dependencies = append(c.Dependencies, x)
	}
	return used, nil
}

// growWait adds the causes of one declared dependency.
func (l *looker) growWait(s *subject, x *DependencyExplanation, from, to, allowance int) (used int, err error) {
	if v := judgeDependency(l.now, s.s, from, to); v.Reason.Code == ReasonNoUpstream {
		return 0, nil // nothing that becomes of them would help
	}
	some, total, err := l.unsatisfied(s, from, to, min(causesShown, allowance))
	if err != nil {
		return 0, err
	}
	for n, up := range some {
		share := (allowance - used) / (len(some) - n)
		if share < 1 {
			break
		}
		child, took, err := l.grow(up, share)
		if err != nil {
			return 0, err
		}
		used += took
		x.Causes = append(x.Causes, child)
	}
	x.More = min(MoreThan, max(0, total-len(x.Causes)))
	return used, nil
}

// unsatisfied returns what of a declared dependency is in the way, the failed first, at most limit, and how many there are.
func (l *looker) unsatisfied(s *subject, from, to, limit int) (some []*subject, total int, err error) {
	for n := from; n < to; n++ {
		w, f := &s.s.Waits[n], &s.s.Facts[n]
		if w.Count == 0 {
			continue
		}
		list, count, err := l.blocking(w, f, limit)
		if err != nil {
			return nil, 0, err
		}
		total += count
		for k := range list {
			up, err := l.recorded(&list[k])
			if err != nil {
				return nil, 0, err
			}
			if up != nil {
				some = append(some, up)
			}
		}
		if !f.Planned && (f.Unsatisfied == nil || f.Unsatisfied.PlanTime.Before(w.Last)) {
			up, err := l.at(w.Upstream, w.Ref, w.Key, w.Last)
			if err != nil && !isNotFound(err) {
				return nil, 0, err
			}
			total++
			if up != nil && !up.recorded {
				some = append(some, up)
			}
		}
	}
	slices.SortStableFunc(some, func(a, b *subject) int { return cmp.Compare(severity(a.i), severity(b.i)) })
	return some[:min(len(some), limit)], total, nil
}

// blocking lists what of one range does not satisfy, the first of it and the last, and counts it.
func (l *looker) blocking(w *Wait, f *Facts, limit int) (list []Instance, total int, err error) {
	ended := w.AnyEnd()
	u := f.Unsatisfied
	if ended {
		u = f.Open
	}
	if u == nil {
		return nil, 0, nil
	}
	if w.Count == 1 {
		i, err := l.view.Find(w.Upstream, w.Key, u.PlanTime)
		if err != nil {
			return nil, 0, fmt.Errorf("find %s@%s: %w", w.Ref, u.PlanTime, err)
		}
		return []Instance{i}, 1, nil
	}
	// What is behind stands first in time, and what decides when it ends last.
	q := RangeQuery{Job: w.Upstream, Key: w.Key, From: w.First, To: u.PlanTime, Unsatisfied: true, Limit: limit + 1}
	if list, err = l.view.Range(q); err != nil {
		return nil, 0, fmt.Errorf("list what of %s does not satisfy: %w", w.Ref, err)
	}
	total = len(list)
	if total > limit {
		q.Limit = MoreThan
		if total, err = l.view.RangeCount(q); err != nil {
			return nil, 0, fmt.Errorf("count what of %s does not satisfy: %w", w.Ref, err)
		}
		last, err := l.view.Find(w.Upstream, w.Key, u.PlanTime)
		if err != nil {
			return nil, 0, fmt.Errorf("find %s@%s: %w", w.Ref, u.PlanTime, err)
		}
		list = append(list[:limit-1], last)
	}
	if ended {
		list = slices.DeleteFunc(list, func(i Instance) bool {
			return i.State.Ended() || i.Frozen && w.FrozenEnds()
		})
	}
	return list, total, nil
}

// severity orders what is in the way: first what nothing but a person moves.
func severity(i *Instance) int {
	switch {
	case i.State.CountsAsFailed(), i.State == Lost:
		return 0
	case i.Frozen:
		return 1
	case i.State == Running:
		return 2
	}
	return 3
}

// describe is one wait of a declared dependency [from, to) with what it has come to.
func (l *looker) describe(s *subject, from, to, n int) DependencyExplanation {
	w := &s.s.Waits[n]
	v := judgeDependency(l.now, s.s, from, to)
	x := DependencyExplanation{Wait: *w, Facts: s.s.Facts[n], Satisfied: v.Open}
	x.Text = describeWait(w, v.Open, s.i.State)
	return x
}

// dependencies describes every wait of the explained instance; those that are not satisfied are in the tree already.
func (l *looker) dependencies(s *subject, top *Cause) ([]DependencyExplanation, error) {
	var list []DependencyExplanation
	grown := 0
	candidates := mostCandidates
	for from, to := range s.s.declared() {
		for n := from; n < to && len(list) < mostWaits; n++ {
			x := l.describe(s, from, to, n)
			if n == from {
				if !x.Satisfied && grown < len(top.Dependencies) {
					x = top.Dependencies[grown]
					grown++
				}
				if candidates > 0 {
					candidates--
					var err error
					if x.Candidates, err = l.candidates(s, from, to); err != nil {
						return nil, err
					}
				}
			}
			x.Pair = l.pair(s, s.s.Waits[n].Dependency, s.s.Waits[n].Ended)
			list = append(list, x)
		}
	}
	return list, nil
}

// pair is the rule of a declared dependency in words.
func (l *looker) pair(s *subject, declared int, ended bool) string {
	if l.planner == nil || declared >= len(s.job.DependsOn) {
		return ""
	}
	return l.planner.describe(s.job, declared, ended)
}

// describe is the rule by which a dependency of the job binds, in words; "" when the planner does not know its upstream.
func (p *Planner) describe(job *Job, declared int, ended bool) string {
	up, ok := p.find(job.DependsOn[declared].Job)
	if !ok {
		return ""
	}
	down := deps.Job{Name: job.Ref().String(), Period: job.Period, Location: job.When.Location, Occurrences: func(_, _ time.Time) []time.Time { return nil }}
	for k, edge := range job.DependsOn[declared].edges() {
		if (k == 1) != ended {
			continue
		}
		if binder, err := edge.Compile(down, p.end(up)); err == nil {
			return binder.Describe()
		}
	}
	return ""
}

// help is the command that would move an instance on, "" when only time or another instance does.
func (l *looker) help(s *subject) string {
	name := s.i.Name()
	if s.i.Key != "" {
		name = fmt.Sprint(s.i.ID)
	}
	switch {
	case s.i.State.CountsAsFailed(), s.i.State == Lost:
		return "almanac rerun " + name
	case s.i.State != Waiting:
		return ""
	case s.i.Frozen:
		return "almanac unfreeze " + name
	case s.verdict.Reason.Code == ReasonPaused:
		if p := ActivePause(s.s.Pauses, s.i.Ref, l.now); p != nil {
			return "almanac resume " + p.Name()
		}
	case s.job.Confirm && s.i.Confirmed == "" && (s.verdict.Gate == GateConfirm || s.verdict.Gate == GateFrozen):
		return "almanac confirm " + name
	case s.verdict.Gate == GateDependency && (s.verdict.Reason.Code == ReasonNoUpstream || s.i.Reason.Code == ReasonCycle):
		return "almanac run-now " + name
	}
	return ""
}

// names lists the first of some instances by name.
func names(list []Instance, most int) string {
	var shown []string
	for n := range list[:min(most, len(list))] {
		shown = append(shown, list[n].Name())
	}
	if rest := len(list) - len(shown); rest > 0 {
		shown = append(shown, fmt.Sprintf("%d more", rest))
	}
	return strings.Join(shown, ", ")
}
