package engine

import (
	"fmt"
	"slices"
	"time"
)

// Candidates are the plan times of an upstream job in and about the window of a dependency, each in or out of its set, and why.
type Candidates struct {
	In, Out int         // how many there are
	AtLeast bool        // of those out: there are more
	List    []Candidate // in order; of many the first and the last
	Left    int         // left out between them
}

// A Candidate is one plan time.
type Candidate struct {
	PlanTime time.Time
	In       bool
	ID       int64 // 0 when it is not planned
	State    State
	Why      string // of one that is out
}

const (
	mostCandidates  = 20 // dependencies of which they are shown
	candidatesShown = 10 // at either end
	mostTimes       = 2000
)

// candidates lists the plan times that the declared dependency [from, to) had to choose from.
func (l *looker) candidates(s *subject, from, to int) (*Candidates, error) {
	waits := s.s.Waits[from:to]
	w := &waits[0]
	c := &Candidates{}
	first, last := w.WindowFrom, w.WindowTo
	if w.Rule == "self" || w.Ref == s.i.Ref && w.Count == 0 {
		first, last = w.First, w.Last // it looked back as far as there is anything
	}
	for n := range waits {
		c.In += waits[n].Count
		if waits[n].Count > 0 {
			first, last = earliest(waits[n].First, first), latest(last, waits[n].Last)
		}
	}
	times, whole := l.times(w.Ref, first, last, w.Closed)
	c.AtLeast = !whole
	rows, err := l.stateOf(w, first, last)
	if err != nil {
		return nil, err
	}
	for at := range rows {
		if !slices.ContainsFunc(times, func(t time.Time) bool { return t.UnixMilli() == at }) && (w.WindowFrom.IsZero() || inSet(waits, time.UnixMilli(at))) {
			times = append(times, rows[at].PlanTime)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	c.Out = max(0, len(times)-c.In)
	shown := times
	if len(times) > 2*candidatesShown {
		shown = slices.Concat(times[:candidatesShown], times[len(times)-candidatesShown:])
		c.Left = len(times) - len(shown)
	}
	for _, t := range shown {
		x := Candidate{PlanTime: s.job.local(t), In: inSet(waits, t)}
		if i, ok := rows[t.UnixMilli()]; ok {
			x.ID, x.State = i.ID, i.State
		}
		if !x.In {
			x.Why = l.whyOut(s, waits, t)
		}
		c.List = append(c.List, x)
	}
	return c, nil
}

// times lists when the upstream job is due in [from, to] and, so that a border is seen, once before and once after.
func (l *looker) times(ref JobRef, from, to time.Time, closed string) (times []time.Time, whole bool) {
	if l.planner == nil || from.IsZero() {
		return nil, true
	}
	timetable := l.planner.Timetable(ref)
	if timetable == nil {
		return nil, true
	}
	const before = 25 * time.Hour
	for t, ok := timetable.Next(from.Add(-before)); ok && len(times) < mostTimes; t, ok = timetable.Next(t) {
		if t.Before(from) && len(times) == 1 {
			times = times[:0] // only the last before it
		}
		if t.After(to.AddDate(0, 0, 32)) {
			return times, true
		}
		times = append(times, t)
		if t.After(to) || t.Equal(to) && closed == "left" {
			return times, true
		}
	}
	return times, len(times) < mostTimes
}

// stateOf reads the instances at both ends of the window.
func (l *looker) stateOf(w *Wait, from, to time.Time) (map[int64]*Instance, error) {
	rows := map[int64]*Instance{}
	q := RangeQuery{Job: w.Upstream, Key: w.Key, From: from.Add(-25 * time.Hour), To: to.Add(25 * time.Hour), Limit: candidatesShown + 2}
	if from.IsZero() {
		return rows, nil
	}
	for n, edge := range []struct {
		from, to time.Time
		latest   bool
	}{{from, to, false}, {from, to, true}, {q.From, from.Add(-time.Millisecond), true}, {to, q.To, false}} {
		q.From, q.To, q.Latest = edge.from, edge.to, edge.latest
		if n > 1 {
			q.Limit = 2
		}
		list, err := l.view.Range(q)
		if err != nil {
			return nil, fmt.Errorf("list the candidates of %s: %w", w.Ref, err)
		}
		for k := range list {
			rows[list[k].PlanTime.UnixMilli()] = &list[k]
		}
	}
	return rows, nil
}

func inSet(waits []Wait, t time.Time) bool {
	return slices.ContainsFunc(waits, func(w Wait) bool { return w.Count > 0 && !t.Before(w.First) && !t.After(w.Last) })
}

// whyOut says why a plan time is not in the set.
func (l *looker) whyOut(s *subject, waits []Wait, t time.Time) string {
	w := &waits[0]
	inside := !t.Before(w.WindowFrom) && !t.After(w.WindowTo)
	switch {
	case !inside, t.Equal(w.WindowFrom) && w.Closed == "right", t.Equal(w.WindowTo) && w.Closed == "left":
		return "outside of the window"
	}
	if slices.ContainsFunc(waits, func(w Wait) bool { return w.Rule == "detached" }) {
		return "a person has detached it, or it was not waited for"
	}
	var declared *Dependency
	if w.Dependency < len(s.job.DependsOn) {
		declared = &s.job.DependsOn[w.Dependency]
	}
	if declared != nil && len(declared.Edge.Hours) > 0 && !slices.Contains(declared.Edge.Hours, s.job.local(t).Hour()) {
		return "hours: another hour than those"
	}
	if declared != nil {
		switch pick := declared.Edge.Select.String(); pick {
		case "first", "last":
			return "select: " + pick + " takes another"
		}
	}
	switch w.Rule {
	case "one-to-one":
		return "paired with another of the day, one to one"
	case "interval-back":
		return "not between the plan time before and this one"
	case "nearest-back", "nearest-forward", "nearest":
		return "the nearest one is another"
	case "self":
		return "not the one before"
	case "none-in-window":
		return "the upstream's definition has changed since this was planned"
	}
	if t.After(s.i.PlanTime) {
		return "later than the rule looks"
	}
	return "taken out of the set, or the upstream's definition has changed since this was planned"
}
