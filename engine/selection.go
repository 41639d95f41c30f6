package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

const (
	// MostSelected is how many instances a selector may choose, and one operation change.
	MostSelected = 100_000
	// mostLookedAt is how many it may look at to find them.
	mostLookedAt = 250_000
	// jobByJob is up to how many jobs are looked up one by one; of more, what the window or the states hold is read and sieved.
	jobByJob = 64
)

// SortByPlanTime puts instances in the order in which lists of them stand: by plan time and id.
func SortByPlanTime(list []Instance) {
	slices.SortFunc(list, func(a, b Instance) int { return cmp.Or(a.PlanTime.Compare(b.PlanTime), cmp.Compare(a.ID, b.ID)) })
}

// Select lists the instances that a selector chooses, by plan time and id. An error of kind ErrInvalid says what is wrong with it, one of kind
// ErrNotFound which of its terms left none.
func (e *Engine) Select(ctx context.Context, selector string, now time.Time) (chosen []Instance, err error) {
	s, err := ParseSelector(selector)
	if err != nil {
		return nil, err
	}
	err = e.cfg.Store.Read(ctx, func(v View) error {
		now, err := e.viewTime(v, now)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		chosen, err = e.choose(v, s, now)
		return err
	})
	return chosen, err
}

// choose finds what a selector chooses, at the cost of what its jobs, its window or its states hold.
func (e *Engine) choose(v View, s *Selector, now time.Time) ([]Instance, error) {
	return e.chooseFrom(v, s, now, false)
}

// chooseFrom is choose, with ahead also of the due times to come that are not planned yet: instances without an id.
func (e *Engine) chooseFrom(v View, s *Selector, now time.Time, ahead bool) ([]Instance, error) {
	x := &selection{Engine: e, v: v, s: s, now: now, ahead: ahead && e.defs.plan() != nil, jobs: map[int64]*selectedJob{}}
	if err := x.readJobs(); err != nil {
		return nil, err
	}
	list, err := x.candidates()
	if err != nil {
		return nil, err
	}
	if list, err = x.sieve(list); err != nil {
		return nil, err
	}
	return x.widen(list)
}

// A selection is one selector at work on one snapshot.
type selection struct {
	*Engine
	v   View
	s   *Selector
	now time.Time
	all []JobRow

	ahead bool                   // what is not planned yet is chosen from, too
	jobs  map[int64]*selectedJob // those that the terms about jobs leave
}

// candidates lists what the terms that bound leave to look at.
func (x *selection) candidates() ([]Instance, error) {
	if len(x.s.of(false, "id", "name")) > 0 {
		return x.named()
	}
	bounded := len(x.s.of(false, "date")) > 0
	for _, t := range x.s.of(false, "time") {
		bounded = bounded || !t.span.daily
	}
	states := x.states()
	filled := x.s.of(false, "backfill")
	if len(filled) == 0 && !bounded && (len(states) == 0 || slices.Contains(states, Succeeded)) {
		return nil, fmt.Errorf("%w: the selector does not say when; add date:, time: with instants, backfill:, or state: with states other than succeeded", ErrInvalid)
	}
	byState := len(states) > 0 && !slices.Contains(states, Succeeded)
	var list []Instance
	var err error
	from, to := x.span(nil)
	switch {
	case len(filled) > 0 && !bounded:
		if list, err = x.inBackfills(filled[0].words, states); err != nil {
			return nil, err
		}
	case len(filled) > 0:
		if list, err = x.filledBetween(filled[0].words, from, to); err != nil {
			return nil, err
		}
	case byState && (!bounded || len(x.jobs) > jobByJob):
		for _, state := range states {
			some, err := x.v.InState(state, from, to, mostLookedAt+1)
			if err != nil {
				return nil, fmt.Errorf("list what is %s: %w", state, err)
			}
			list = append(list, some...)
		}
	case len(x.jobs) <= jobByJob:
		for _, row := range x.all {
			j := x.jobs[row.ID]
			if j == nil {
				continue
			}
			from, to := x.span(j)
			if !from.IsZero() && !to.IsZero() && !from.Before(to) {
				continue
			}
			some, err := x.v.Between(row.ID, from, to, mostLookedAt+1-len(list))
			if err != nil {
				return nil, fmt.Errorf("list the instances of %s: %w", row.Ref, err)
			}
			if list = append(list, some...); len(list) > mostLookedAt {
				break
			}
		}
	default:
		if list, err = x.v.Between(0, from, to, mostLookedAt+1); err != nil {
			return nil, fmt.Errorf("list the instances of the window: %w", err)
		}
	}
	if x.ahead && len(filled) == 0 && (len(states) == 0 || slices.Contains(states, Waiting)) {
		recorded := list
		for _, row := range x.all {
			j := x.jobs[row.ID]
			if j == nil {
				continue
			}
			from, to := x.span(j)
			more, err := x.unplannedIn(j, from, to, recorded)
			if err != nil {
				return nil, err
			}
			if list = append(list, more...); len(list) > mostLookedAt {
				break
			}
		}
	}
	if len(list) > mostLookedAt {
		return nil, fmt.Errorf("%w: more than %d instances would have to be looked at; name fewer days or jobs", ErrInvalid, mostLookedAt)
	}
	SortByPlanTime(list)
	return list, nil
}

// states lists the states that the terms leave; none is all.
func (x *selection) states() (states []State) {
	terms := x.s.of(false, "state")
	if len(terms) == 0 {
		return nil
	}
	for _, state := range States {
		if !slices.ContainsFunc(terms, func(t *Term) bool { return !slices.Contains(t.words, string(state)) }) {
			states = append(states, state)
		}
	}
	return states
}

// span is the window that holds all plan times that the terms leave of a job, with nil of all of them. Zero times do not bound.
func (x *selection) span(j *selectedJob) (from, to time.Time) {
	if j == nil {
		begin, end := time.Time{}, time.Time{}
		first := true
		for _, one := range x.jobs {
			f, t := x.span(one)
			switch {
			case first:
				begin, end, first = f, t, false
			default:
				if f.IsZero() || !begin.IsZero() && f.Before(begin) {
					begin = f
				}
				if t.IsZero() || !end.IsZero() && t.After(end) {
					end = t
				}
			}
		}
		return begin, end
	}
	for _, t := range x.s.of(false, "date", "time") {
		windows := x.windows(t, j)
		if len(windows) == 0 {
			continue
		}
		begin, end := windows[0].from, windows[0].to
		for _, w := range windows[1:] {
			if w.from.Before(begin) {
				begin = w.from
			}
			end = latest(end, w.to)
		}
		from, to = latest(from, begin), earliest(to, end)
	}
	return from, to
}

// windows are the instants of a term about days or instants, in the zone of a job; none for clock times.
func (x *selection) windows(t *Term, j *selectedJob) []window {
	if known, ok := j.windows[t]; ok {
		return known
	}
	var list []window
	for _, days := range t.days {
		from, to := days.window(x.now, j.zone)
		list = append(list, window{from, to})
	}
	if t.Key == "time" {
		if from, to, ok := t.span.window(x.now, j.zone); ok {
			list = append(list, window{from, to})
		}
	}
	j.windows[t] = list
	return list
}

// named finds the instances that are named by their id or name: any of them.
func (x *selection) named() (list []Instance, err error) {
	var missing []error
	seen := map[int64]bool{}
	add := func(i Instance) {
		if i.ID == 0 || !seen[i.ID] {
			seen[i.ID] = true
			list = append(list, i)
		}
	}
	for _, t := range x.s.of(false, "id", "name") {
		for _, id := range t.ids {
			i, err := x.v.Instance(id)
			switch {
			case isNotFound(err):
				missing = append(missing, fmt.Errorf("%w: there is no instance %d", ErrNotFound, id))
			case err != nil:
				return nil, err
			default:
				add(i)
			}
		}
		for n := range t.names {
			i, err := x.find(&t.names[n])
			switch {
			case isNotFound(err):
				missing = append(missing, err)
			case err != nil:
				return nil, err
			default:
				add(i)
			}
		}
	}
	SortByPlanTime(list)
	return list, errors.Join(missing...)
}

// whole is the reference of a job that may have been given by its own name alone.
func (x *selection) whole(ref JobRef) (JobRef, error) {
	if ref.Workflow != "" {
		return ref, nil
	}
	var found []string
	whole := ref
	for _, row := range x.all {
		if row.Ref.Job == ref.Job && !row.Removed {
			found, whole = append(found, row.Ref.String()), row.Ref
		}
	}
	switch len(found) {
	case 0:
		return ref, fmt.Errorf("%w: there is no job %s%s", ErrNotFound, ref.Job, hintJob(ref.Job, x.all))
	case 1:
		return whole, nil
	}
	return ref, fmt.Errorf("%w: %s is the name of %d jobs; write one of %s", ErrInvalid, ref.Job, len(found), strings.Join(found, ", "))
}

func hintJob(name string, rows []JobRow) string {
	var known []string
	for _, row := range rows {
		known = append(known, row.Ref.Job, row.Ref.String())
	}
	if near := Nearest(name, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// find finds an instance by its name: the scheduled one, else the newest of that plan time.
func (x *selection) find(name *instanceName) (found Instance, err error) {
	ref, err := x.whole(name.ref)
	if err != nil {
		return found, err
	}
	row, err := x.v.JobByRef(ref)
	if isNotFound(err) {
		var known []string
		for _, row := range x.all {
			known = append(known, row.Ref.String())
		}
		text := fmt.Sprintf("there is no job %s", name.ref)
		if near := Nearest(name.ref.String(), known); near != "" {
			text += "; did you mean " + near + "?"
		}
		return found, fmt.Errorf("%w: %s", ErrNotFound, text)
	}
	if err != nil {
		return found, err
	}
	j, err := x.read(row)
	if err != nil {
		return found, err
	}
	at, err := readInstant(name.at, j.zone)
	if err != nil {
		return found, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	list, err := x.v.Between(row.ID, at, at.Add(time.Millisecond), math.MaxInt32)
	if err != nil {
		return found, err
	}
	if len(list) == 0 {
		if i, there, err := x.unplannedAt(row, at); err != nil || there {
			return i, err
		}
		return found, fmt.Errorf("%w: no instance %s@%s is recorded", ErrNotFound, name.ref, PlanTimeText(at.In(j.zone)))
	}
	best := list[0]
	for _, other := range list[1:] {
		if (other.Kind == Scheduled) == (best.Kind == Scheduled) && other.ID > best.ID || other.Kind == Scheduled && best.Kind != Scheduled {
			best = other
		}
	}
	return best, nil
}

// sieve applies the terms in the order in which they were written, and names the one that leaves none.
func (x *selection) sieve(list []Instance) ([]Instance, error) {
	named := len(x.s.of(false, "id", "name")) > 0
	before := len(list)
	list = slices.DeleteFunc(list, func(i Instance) bool { return x.jobs[i.Job] == nil })
	if len(list) == 0 && before > 0 && named {
		return nil, fmt.Errorf("%w: the terms about jobs leave none of %s", ErrNotFound, plural(before, "instance"))
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%w: nothing matches: %s there%s", ErrNotFound, x.nothing(), x.unplanned())
	}
	for n := range x.s.Terms {
		t := &x.s.Terms[n]
		if !t.Negated && (t.Key == "id" || t.Key == "name") || t.Key == "job" || t.Key == "workflow" || t.Key == "tag" {
			continue
		}
		before := len(list)
		list = slices.DeleteFunc(list, func(i Instance) bool { return x.has(t, &i) == t.Negated })
		if len(list) == 0 {
			return nil, fmt.Errorf("%w: nothing matches: %s leaves none of %s", ErrNotFound, t.Text, plural(before, "instance"))
		}
	}
	return list, nil
}

// nothing says of what no instance is there.
func (x *selection) nothing() string {
	var bounds []string
	for _, t := range x.s.of(false, "date", "time", "state", "backfill") {
		bounds = append(bounds, t.Text)
	}
	return fmt.Sprintf("%s leaves none; %s chosen, with no instance", strings.Join(bounds, " "), plural(len(x.jobs), "job"))
}

// unplanned says how far the plan reaches of what is chosen, when more is asked for than that.
func (x *selection) unplanned() string {
	var reaches *selectedJob
	for _, j := range x.jobs {
		_, to := x.span(j)
		if planned := j.row.PlannedTo; !planned.IsZero() && planned.Before(to) && (reaches == nil || planned.Before(reaches.row.PlannedTo)) {
			reaches = j
		}
	}
	if reaches == nil {
		return ""
	}
	return "; the plan is written up to " + reaches.row.PlannedTo.In(reaches.zone).Format("2006-01-02 15:04 -07:00")
}

// has reports whether a term holds of an instance, whatever stands before it.
func (x *selection) has(t *Term, i *Instance) bool {
	switch t.Key {
	case "state":
		return slices.Contains(t.words, string(i.State))
	case "gate":
		// One that is frozen ahead of its time waits for its time, and for a person too.
		return i.State == Waiting && (slices.Contains(t.words, string(i.Gate)) || i.Frozen && slices.Contains(t.words, string(GateFrozen)))
	case "kind":
		return slices.Contains(t.words, string(i.Kind))
	case "backfill":
		return i.Kind == Backfill && slices.Contains(t.words, i.Key)
	case "id":
		return slices.Contains(t.ids, i.ID)
	case "name":
		named, err := x.find(&t.names[0])
		return err == nil && named.ID == i.ID && named.Job == i.Job && named.PlanTime.Equal(i.PlanTime)
	case "time":
		return t.span.has(i.PlanTime, x.now, x.jobs[i.Job].zone)
	}
	return slices.ContainsFunc(x.windows(t, x.jobs[i.Job]), func(w window) bool { return !i.PlanTime.Before(w.from) && i.PlanTime.Before(w.to) })
}
