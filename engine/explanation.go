package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// An Explanation is why an instance is where it is: every gate in order, each dependency with its rule and what it has come to, and as a tree what
// keeps it, down to what waits for no other instance. The command line, the API and the UI print this one value.
type Explanation struct {
	Instance Instance  // its plan time in the zone of its job, in which the rest is shown too
	At       time.Time // as of when
	Planned  bool      // it is recorded; else it is what the loaded definitions would plan
	Schedule string    // when its job is due, in words
	Unknown  []string  // of a time that has passed: what the history does not tell

	Gates        []GateExplanation // of a waiting instance, every gate in order
	Holding      Gate              // the first closed gate of a waiting instance; "" when it only lacks its turn
	Active       []Instance        // what of its job runs, when that is in the way
	Dependencies []DependencyExplanation
	Blockers     []*Cause // the first way down through the tree, from what this instance waits for to its root
	Roots        []*Cause // what waits for no other instance, or for a person: where an action would help; the instance itself when that is so of it
	Beyond       bool     // the tree was cut: there may be more roots
	Forecast     Forecast

	Watching []WatchRow   // of one that runs now: what steps of it wait for without a slot, with what they found last
	Earlier  []RunRow     // its earlier runs by number
	Attempts []AttemptRow // of one that has started, the latest
	Events   []EventRow   // of its history, the latest
	EventIDs []int64      // parallel to Events
}

// A GateExplanation is what one gate says, open or closed.
type GateExplanation struct {
	Verdict
	Text string // why it is open, or closed
}

// The gates of an explanation that are no stored gates.
const (
	GateCalendar Gate = "calendar"
	GateSelf     Gate = "self"
	GateLane     Gate = "lane" // of a backfill
	GatePool     Gate = "pool"
	GateWorker   Gate = "worker"
)

// A DependencyExplanation is one wait with what it has come to.
type DependencyExplanation struct {
	Wait       Wait
	Facts      Facts
	Satisfied  bool // the declared dependency is, with all its pieces
	Text       string
	Pair       string // the rule in words, with both classes; "" when the definition is not known any more
	Candidates *Candidates
	Causes     []*Cause // what it waits for, the failed first; of a dependency that is cut in pieces they are with the first
	More       int      // as many are left out; MoreThan of them when there are that many
}

// A Cause is an instance for which another one waits, with what it waits for itself.
type Cause struct {
	Ref      JobRef
	Key      string
	PlanTime time.Time
	Instance *Instance // nil when it is not planned yet
	Gate     Gate      // what holds it, when it waits
	Reason   Reason
	Forecast Forecast

	Root         bool   // it waits for no other instance, or for a person
	Help         string // the command that would help; "" when only time does
	Again        bool   // it is in the tree elsewhere, with what it waits for
	Circle       bool   // it is above itself: each waits for the other
	Dependencies []DependencyExplanation
}

// Name returns workflow/job@plan time.
func (c *Cause) Name() string { return (&Instance{Ref: c.Ref, PlanTime: c.PlanTime}).Name() }

// An ExplainRequest names an instance, by its id or by its job and plan time.
type ExplainRequest struct {
	ID       int64
	Ref      JobRef    // when ID is 0
	PlanTime time.Time // of a scheduled instance, planned or not
	At       time.Time // as of when; zero is now
}

// Explain explains an instance as of now, from rows.
func (e *Engine) Explain(ctx context.Context, id int64, now time.Time) (Explanation, error) {
	return e.ExplainInstance(ctx, ExplainRequest{ID: id}, now)
}

// ExplainInstance explains an instance, one that is not planned yet too, as of now or as of a time that has passed. Errors are of kind ErrNotFound or
// ErrInvalid.
func (e *Engine) ExplainInstance(ctx context.Context, r ExplainRequest, now time.Time) (Explanation, error) {
	var x Explanation
	err := e.look(ctx, r.At, now, func(l *looker) (err error) {
		s, err := l.named(r)
		if err != nil {
			return err
		}
		x, err = l.explain(s)
		return err
	})
	if r.ID != 0 {
		return x, wrap(err, "explain instance %d", r.ID)
	}
	return x, wrap(err, "explain %s", (&Instance{Ref: r.Ref, PlanTime: r.PlanTime}).Name())
}

// look calls fn with a looker on one snapshot, as of now or as of an earlier time.
func (e *Engine) look(ctx context.Context, at, now time.Time, fn func(l *looker) error) error {
	if e.defs.at() == 0 { // an engine that only reads
		if err := e.relearn(ctx); err != nil {
			return err
		}
	}
	return e.cfg.Store.Read(ctx, func(v View) error {
		now, err := e.viewTime(v, now)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		l := &looker{
			Engine: e, view: v, now: now, planner: e.defs.plan(), subjects: map[place]*subject{}, active: map[int64]int{}, took: map[int64]Estimate{},
			looks: mostSubjects, causes: mostCauses,
		}
		switch {
		case at.After(now):
			return fmt.Errorf("%w: as of %s, which is yet to come: the history ends now, at %s", ErrInvalid, at.Format(time.RFC3339), now.UTC().Format(time.RFC3339))
		case !at.IsZero():
			l.now = at
			l.past = &past{View: v, engine: e, at: at, versions: map[int64][]VersionRow{}}
			l.view = l.past
		}
		l.View = l.view
		return fn(l)
	})
}

// named finds the instance of a request.
func (l *looker) named(r ExplainRequest) (*subject, error) {
	if r.ID != 0 {
		i, err := l.view.Instance(r.ID)
		if err != nil {
			return nil, err
		}
		return l.recorded(&i)
	}
	row, err := l.view.JobByRef(r.Ref)
	if err != nil {
		if isNotFound(err) {
			err = ErrUnknownJob
		}
		return nil, err
	}
	s, err := l.at(row.ID, r.Ref, "", r.PlanTime)
	if err == nil && s == nil {
		err = errors.New("stuck, this is a bug: an explanation begins without looks")
	}
	return s, err
}

// explain explains one instance.
func (l *looker) explain(s *subject) (x Explanation, err error) {
	x = Explanation{Instance: *s.i, At: l.now, Planned: s.recorded, Schedule: s.job.When.String()}
	if l.past != nil {
		x.Unknown = l.past.unknown(s.i)
	}
	top, _, err := l.grow(s, l.causes)
	if err != nil {
		return x, err
	}
	if x.Dependencies, err = l.dependencies(s, top); err != nil {
		return x, err
	}
	if s.i.State == Waiting {
		if err := l.explainGates(s, &x); err != nil {
			return x, err
		}
	}
	if x.Forecast, err = l.forecast(s); err != nil {
		return x, err
	}
	top.Forecast = x.Forecast
	l.walk(top, &x, map[place]bool{})
	x.sortRoots()
	for next := top; ; {
		if next = firstCause(next); next == nil {
			break
		}
		x.Blockers = append(x.Blockers, next)
	}
	if err := l.forecastCauses(top); err != nil {
		return x, err
	}
	x.Instance = *s.i
	x.Instance.PlanTime = s.job.local(s.i.PlanTime)
	if s.recorded && s.i.State == Running && l.past == nil { // of what was watched before, nothing is kept
		if x.Watching, err = l.view.Watches(s.i.ID); err != nil {
			return x, fmt.Errorf("read what %s watches: %w", s.i.Name(), err)
		}
	}
	if s.recorded {
		x.Earlier, x.Attempts, x.EventIDs, x.Events, err = l.whatHappened(s.i)
	}
	return x, err
}

// How much of what happened to an instance is shown.
const (
	attemptsShown = 10
	eventsShown   = 20
)

// whatHappened returns the earlier runs of an instance, and its latest attempts and events.
func (l *looker) whatHappened(i *Instance) (earlier []RunRow, attempts []AttemptRow, ids []int64, events []EventRow, err error) {
	if i.HasRun() {
		if earlier, err = l.view.Runs(i.ID); err != nil {
			return nil, nil, nil, nil, fmt.Errorf("list the earlier runs of %s: %w", i.Name(), err)
		}
		if attempts, err = l.view.Attempts(i.ID); err != nil {
			return nil, nil, nil, nil, fmt.Errorf("list the attempts of %s: %w", i.Name(), err)
		}
		attempts = slices.DeleteFunc(attempts, func(a AttemptRow) bool { return a.StartedAt.After(l.now) })
		for n := range attempts {
			if r := attempts[n].Result; r != nil && r.EndedAt.After(l.now) {
				attempts[n].Result = nil
			}
		}
		slices.SortStableFunc(attempts, func(a, b AttemptRow) int { return a.StartedAt.Compare(b.StartedAt) })
		attempts = attempts[max(0, len(attempts)-attemptsShown):]
	}
	if ids, events, err = l.view.HistoryOf(i.ID); err != nil {
		return nil, nil, nil, nil, fmt.Errorf("read the history of %s: %w", i.Name(), err)
	}
	from := max(0, len(events)-eventsShown)
	return earlier, attempts, ids[from:], events[from:], nil
}

// walk collects the roots, and whether anything was left out.
func (l *looker) walk(c *Cause, x *Explanation, seen map[place]bool) {
	here := place{at: c.PlanTime.UnixMilli(), key: c.Ref.String() + " " + c.Key}
	if c.Root && !seen[here] {
		seen[here] = true
		x.Roots = append(x.Roots, c)
	}
	for n := range c.Dependencies {
		d := &c.Dependencies[n]
		x.Beyond = x.Beyond || d.More > 0
		for _, up := range d.Causes {
			l.walk(up, x, seen)
		}
	}
}

// sortRoots puts first what an action helps, then what runs, and cuts the list.
func (x *Explanation) sortRoots() {
	rank := func(c *Cause) int {
		switch {
		case c.Help != "":
			return 0
		case c.Instance != nil && c.Instance.State == Running:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(x.Roots, func(a, b *Cause) int { return rank(a) - rank(b) })
	if len(x.Roots) > rootsShown {
		x.Roots, x.Beyond = x.Roots[:rootsShown], true
	}
}

func firstCause(c *Cause) *Cause {
	for n := range c.Dependencies {
		for _, up := range c.Dependencies[n].Causes {
			return up
		}
	}
	return nil
}
