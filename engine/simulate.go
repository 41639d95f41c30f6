package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// A Simulation is a day to be played before it comes: which jobs over which windows, how long their instances take, what is made to fail, and how much
// room there is.
type Simulation struct {
	Planner *Planner
	Created func(JobRef) time.Time          // when a job counts as created: a backfill may be of days before
	Window  func(*Job) (from, to time.Time) // empty for a job that is not planned
	Slots   int
	Pools   map[string]int // sizes of pools in the place of those that the jobs state

	Duration func(JobRef) AssumedDuration // of an instance, from its start to its end
	Errand   time.Duration                // of an error action
	Failures []Failure
	Delays   []Delay
	Backfill []PlannedRef // instances of a backfill that runs from the beginning on

	// Recorded returns what is recorded of a plan time outside the windows; nil when nothing is recorded of any.
	Recorded func(JobRef, time.Time) (Instance, bool, error)
	// Condition evaluates a step's `when`; nil takes each for true.
	Condition ConditionFunc
	// Pauses hold jobs back while they are played, as they would, and Orders are what was ordered ahead, which the planner obeys.
	Pauses []PauseRow
	Orders []Ordered
	// Most bounds how many instances are played; 0 is no bound.
	Most int
}

// An AssumedDuration is how long an instance is taken to run, and how that is known.
type AssumedDuration struct {
	Duration time.Duration
	Source   DurationSource
	Of       int // past instances that it was estimated by
}

// DurationSource is how a duration is known.
type DurationSource string

// The sources. Default is a guess, and is listed as one.
const (
	DurationGiven   DurationSource = "given"
	DurationHistory DurationSource = "history"
	DurationDefault DurationSource = "default"
)

// A Failure makes the attempts of an instance fail.
type Failure struct {
	PlannedRef
	Attempts int // the first so many of each step; 0 is all
}

// A Delay makes an instance take longer.
type Delay struct {
	PlannedRef
	By time.Duration
}

// A PlannedRef names an instance; a zero plan time is every one of the job.
type PlannedRef struct {
	Ref      JobRef
	PlanTime time.Time
}

// ErrTooMany is wrapped by the error about a simulation with more instances than its bound.
var ErrTooMany = fmt.Errorf("%w: too many instances to simulate", ErrInvalid)

// Simulate plays the windows from their beginning, as the engine would carry them out: the very turn of its loop, over rows in memory, with a clock that
// jumps from one event to the next and attempts that do nothing but take their time. The same Simulation gives the same Foresight.
//
// An upstream plan time outside the windows of which nothing has ended counts as satisfied, and is listed. A person who would have to confirm does so at
// once. A window of two jobs is played on one clock. When nothing happens any more but waiting, the play goes on for the timeouts of a day, and ends.
func Simulate(ctx context.Context, s Simulation) (*Foresight, error) {
	plan, err := s.plan()
	if err != nil {
		return nil, err
	}
	p, err := newPlay(&s, &plan)
	if err != nil {
		return nil, err
	}
	if err := p.run(ctx); err != nil {
		return nil, fmt.Errorf("simulate: %w", err)
	}
	return p.foresight(), nil
}

// plan plans the windows. What is beyond the bound is refused before it is planned, for it may be more than there is room for.
func (s *Simulation) plan() (Plan, error) {
	if s.Most > 0 && s.count() > s.Most {
		return Plan{}, fmt.Errorf("%w: at most %d are played at once, and there are more; choose fewer days", ErrTooMany, s.Most)
	}
	return s.Planner.Plan(s.Window)
}

// count counts the instances that are to be played, as far as the bound.
func (s *Simulation) count() int {
	n := len(s.Backfill)
	for _, j := range s.Planner.Jobs() {
		from, to := s.Window(j)
		for timetable := s.Planner.Timetable(j.Ref()); from.Before(to) && n <= s.Most; {
			stop := from.Add(24 * time.Hour)
			if stop.After(to) {
				stop = to
			}
			n += len(timetable.Between(from, stop))
			from = stop
		}
	}
	return n
}

// A play is a Simulation while it is played.
type play struct {
	*Simulation
	plan   *Plan
	engine *Engine
	rows   *playRows
	ends   endQueue // of attempts, by time
	fails  map[playPlace]int
	delays map[playPlace]time.Duration
	steps  map[JobRef]stepShare
	asked  map[JobRef]bool // jobs that are said to take time, to be late or to fail
	blind  int             // conditions that were taken for true

	begin, end  time.Time // over the windows
	assumptions []Assumption
	now         time.Time
}

// A playPlace is an instance by its name.
type playPlace struct {
	ref JobRef
	at  int64 // milliseconds; every for every one
}

const every = int64(-1 << 63)

func (r PlannedRef) place() playPlace {
	if r.PlanTime.IsZero() {
		return playPlace{r.Ref, every}
	}
	return playPlace{r.Ref, r.PlanTime.UnixMilli()}
}

// of looks a place up in a table that may speak of every instance of its job.
func of[V any](table map[playPlace]V, at playPlace) (V, bool) {
	v, ok := table[at]
	if !ok && len(table) > 0 {
		v, ok = table[playPlace{at.ref, every}]
	}
	return v, ok
}

func newPlay(s *Simulation, plan *Plan) (*play, error) {
	p := &play{
		Simulation: s, plan: plan, fails: map[playPlace]int{}, delays: map[playPlace]time.Duration{}, steps: map[JobRef]stepShare{},
		asked: map[JobRef]bool{},
	}
	for _, f := range s.Failures {
		p.fails[f.place()] = f.Attempts
		p.asked[f.Ref] = true
	}
	for _, d := range s.Delays {
		p.delays[d.place()] += d.By
		p.asked[d.Ref] = true
	}
	jobs := s.Planner.Jobs()
	definitions := make([]definition, len(jobs))
	for i, j := range jobs {
		id := int64(i + 1)
		definitions[i] = definition{row: JobRow{ID: id, Ref: j.Ref(), Version: id, Disabled: j.Disabled}, job: p.bare(j)}
		p.steps[j.Ref()] = shareOf(definitions[i].job)
	}
	var err error
	if p.rows, err = newPlayRows(p, definitions); err != nil {
		return nil, err
	}
	p.engine, err = New(Config{
		Store: p.rows, Runner: p, Owner: "simulation", Slots: s.Slots, Condition: p.condition, Clock: func() time.Time { return p.now },
		Decode: func([]byte, string) (*Job, error) { return nil, errors.New("a simulation reads no stored definition") },
	})
	if err != nil {
		return nil, err
	}
	p.engine.sure, p.engine.perform = true, p.perform
	p.engine.defs.replace(definitions, s.Planner, playRevision)
	maps.Copy(p.engine.defs.pools, s.Pools)
	for i := range plan.Jobs {
		part := &plan.Jobs[i]
		p.begin, p.end = earliest(p.begin, part.From), latest(p.end, part.To)
	}
	return p, nil
}

// bare is a job whose actions say nothing but how they are repeated and how long they may take: nothing of a simulation is rendered, and no secret read.
//
// A job that does nothing can neither fail nor take time. Where it is said to, its steps are played
// as steps that wait: they take no slot either.
func (p *play) bare(j *Job) *Job {
	b := *j
	b.Steps = slices.Clone(j.Steps)
	waits := j.Instantaneous() && (p.asked[j.Ref()] || p.Duration(j.Ref()).Source == DurationGiven)
	for i := range b.Steps {
		a := &b.Steps[i].Action
		*a = Action{Type: a.Type, Retry: a.Retry, Timeout: a.Timeout}
		if waits {
			a.Type = ActionWait
		}
		b.Steps[i].ForEach = nil // the list may be what an earlier step writes: together its items take as long as the step is said to
	}
	return &b
}

// patience is how long after the windows, or after the last thing that happened, timeouts of what still waits are played.
const patience = 24 * time.Hour

// run is the engine's loop without its sleep: a turn, and on to whatever comes first.
func (p *play) run(ctx context.Context) error {
	if len(p.rows.list) == 0 {
		return nil
	}
	p.now = p.begin
	last := latest(p.end, p.rows.lastDue())
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := p.engine.pass(ctx, p.now); err != nil {
			return err
		}
		next := p.engine.nextPass
		if p.engine.inbox.waits() || !next.IsZero() && !next.After(p.now) {
			continue // the loop comes to rest before an attempt that it has just started or cancelled ends
		}
		busy := p.engine.delayed.Len() > 0 || len(p.ends) > 0
		if p.engine.delayed.Len() > 0 {
			next = earliest(next, p.engine.delayed[0].at)
		}
		if len(p.ends) > 0 {
			next = earliest(next, p.ends[0].at)
		}
		if busy {
			last = latest(last, p.now)
		}
		if next.IsZero() || !busy && next.After(last.Add(patience)) {
			return nil
		}
		p.now = latest(p.now, next)
		for len(p.ends) > 0 && !p.ends[0].at.After(p.now) {
			p.engine.inbox.result(p.ends.take().result)
		}
	}
}

// condition evaluates a `when`. One that asks for what only a real attempt could tell is taken for true.
func (p *play) condition(source string, env map[string]any) (bool, error) {
	if p.Condition != nil {
		if wanted, err := p.Condition(source, env); err == nil {
			return wanted, nil
		}
	}
	p.blind++
	return true, nil
}
