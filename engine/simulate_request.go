package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/recurrence"
)

// A SimulationRequest is a simulation in words, as a person or a program asks for it. JOB is workflow/job, the job's name where one workflow alone has it,
// or a pattern such as retail/dwd_*; TIME is a plan time in the job's zone: 02:00 on every day that is played, 2026-11-22T02:00, or RFC 3339.
type SimulationRequest struct {
	Date      string            // the first natural day, each job's in its own zone; "" is tomorrow
	Days      int               // how many; 0 is 1
	Slots     int               // 0 is as many as the server has
	Pools     map[string]int    // sizes of pools
	Durations map[string]string // JOB → ISO 8601 duration
	Known     []KnownDuration   // what an earlier answer says: it goes before what past instances say now
	NoHistory bool              // past instances are not asked
	Default   string            // duration of a job of which nothing is known; "" is PT1M
	Fail      []string          // JOB[@TIME], or JOB[@TIME]=N: the first N attempts
	Delay     []string          // JOB[@TIME]=DURATION
	Backfill  []BackfillRef
	Assert    []string // see Assertion
	Path      []string // JOB[@TIME]: whose critical paths are wanted
}

// A KnownDuration is how long a job was taken to run in an earlier answer. Past instances grow in number while a day is looked at: two days are comparable only
// when their jobs take the same time.
type KnownDuration struct {
	Ref JobRef
	AssumedDuration
}

// A BackfillRef is an instance of a saved backfill plan.
type BackfillRef struct {
	Job      string
	PlanTime time.Time
}

// A SimulationSource is what a request is about.
type SimulationSource struct {
	Planner   *Planner
	Created   func(JobRef) time.Time // when a job counts as created
	Slots     int
	Store     Store // for past durations, and what is recorded outside of the days; nil has none
	Condition ConditionFunc
	Most      int
}

const (
	defaultDuration = time.Minute
	errandDuration  = time.Second
	mostDays        = 31
	mostPaths       = 20
)

// Simulate plays days of the loaded definitions. Errors are of kind ErrInvalid, with every mistake of the request.
func (e *Engine) Simulate(ctx context.Context, r SimulationRequest, most int, now time.Time) (*Foresight, error) {
	if err := e.relearn(ctx); err != nil {
		return nil, err
	}
	e.defs.mu.RLock()
	planner, created := e.defs.planner, map[JobRef]time.Time{}
	for ref, d := range e.defs.current {
		created[ref] = d.row.CreatedAt
	}
	e.defs.mu.RUnlock()
	if planner == nil {
		planner = new(Planner)
	}
	return SimulateRequest(ctx, r, SimulationSource{
		Planner: planner, Created: func(ref JobRef) time.Time { return created[ref] }, Slots: e.cfg.Slots, Store: e.cfg.Store, Condition: e.cfg.Condition, Most: most,
	}, now)
}

// SimulateRequest plays what the request says, judges what it asserts, and finds the critical paths that it asks for.
func SimulateRequest(ctx context.Context, r SimulationRequest, source SimulationSource, now time.Time) (*Foresight, error) {
	a := &asking{SimulationRequest: r, SimulationSource: source, now: now}
	var p *play
	prepare := func(v View) (err error) {
		a.view = v
		p, err = a.prepare()
		return err
	}
	var err error
	if source.Store == nil {
		err = prepare(nil)
	} else {
		err = source.Store.Read(ctx, prepare)
	}
	if err != nil {
		return nil, err
	}
	if err := p.run(ctx); err != nil {
		return nil, fmt.Errorf("simulate: %w", err)
	}
	f := p.foresight()
	for i := range a.assertions {
		f.Assertions = append(f.Assertions, a.assertions[i].judge(f))
	}
	f.choosePaths(a.paths)
	return f, nil
}

// An asking is a request being understood.
type asking struct {
	SimulationRequest
	SimulationSource
	now      time.Time
	view     View
	plan     Plan
	mistakes []error

	assertions []assertion
	paths      []PlannedRef
}

func (a *asking) mistake(format string, args ...any) {
	a.mistakes = append(a.mistakes, fmt.Errorf("%w: %w", ErrInvalid, fmt.Errorf(format, args...)))
}

// ordered reads what people have paused and ordered ahead of what is played.
func (a *asking) ordered(s *Simulation) (err error) {
	if a.view == nil {
		return nil
	}
	if s.Pauses, err = a.view.Pauses(); err != nil {
		return fmt.Errorf("read what is paused: %w", err)
	}
	var from, to time.Time
	for n := range a.plan.Jobs {
		from, to = earliest(from, a.plan.Jobs[n].From), latest(to, a.plan.Jobs[n].To)
	}
	if from.IsZero() {
		return nil
	}
	list, err := a.view.Overrides(0, from, to, mostOverrides)
	if err != nil || len(list) == 0 {
		return wrap(err, "read what is ordered ahead")
	}
	rows, err := a.view.Jobs()
	if err != nil {
		return fmt.Errorf("list the jobs: %w", err)
	}
	for n := range list {
		if at := slices.IndexFunc(rows, func(row JobRow) bool { return row.ID == list[n].Job }); at >= 0 {
			s.Orders = append(s.Orders, Ordered{rows[at].Ref, list[n]})
		}
	}
	return nil
}

func (a *asking) prepare() (*play, error) {
	s := Simulation{Planner: a.Planner, Created: a.Created, Slots: a.SimulationSource.Slots, Pools: a.Pools, Errand: errandDuration, Condition: a.Condition, Most: a.Most}
	if a.SimulationRequest.Slots != 0 {
		s.Slots = a.SimulationRequest.Slots
	}
	if s.Slots < 1 {
		a.mistake("slots: %d; at least 1 is needed", s.Slots)
	}
	for _, pool := range slices.Sorted(maps.Keys(a.Pools)) {
		known := slices.ContainsFunc(a.Planner.Jobs(), func(j *Job) bool { return j.Pool == pool })
		switch {
		case !known:
			a.mistake("pool %s: no job has it", pool)
		case a.Pools[pool] < 1:
			a.mistake("pool %s: %d places; at least 1 is needed", pool, a.Pools[pool])
		}
	}
	known := len(a.mistakes)
	if s.Window = a.window(); len(a.mistakes) > known {
		return nil, errors.Join(a.mistakes...) // without a day nothing else can be understood
	}
	var err error
	if a.plan, err = s.plan(); err != nil {
		return nil, err
	}
	if s.Duration, err = a.durations(); err != nil {
		return nil, err
	}
	if err := a.ordered(&s); err != nil {
		return nil, err
	}
	for _, text := range a.Fail {
		a.fail(text, &s)
	}
	for _, text := range a.Delay {
		a.delay(text, &s)
	}
	for n, b := range a.Backfill {
		jobs := a.jobs(fmt.Sprintf("backfill, instance %d", n+1), b.Job)
		if len(jobs) == 1 {
			s.Backfill = append(s.Backfill, PlannedRef{jobs[0].Ref(), b.PlanTime})
		} else if len(jobs) > 1 {
			a.mistake("backfill, instance %d: %s names several jobs; write workflow/job", n+1, b.Job)
		}
	}
	for _, text := range a.Assert {
		a.assert(text)
	}
	for _, text := range a.Path {
		a.paths = append(a.paths, a.instances("path", text)...)
	}
	if len(a.mistakes) > 0 {
		return nil, errors.Join(a.mistakes...)
	}
	s.Recorded = a.recorded()
	return newPlay(&s, &a.plan)
}

// window is the natural days of a job, in its own zone.
func (a *asking) window() func(*Job) (time.Time, time.Time) {
	days := max(1, a.Days)
	if a.Days < 0 || a.Days > mostDays {
		a.mistake("days: %d; from 1 to %d", a.Days, mostDays)
	}
	zone := time.UTC
	for i, j := range a.Planner.Jobs() {
		if i == 0 {
			zone = j.When.Location
		} else if zone.String() != j.When.Location.String() {
			zone = time.UTC
		}
	}
	day := recurrence.DateOf(a.now.In(zone)).AddDays(1)
	if a.Date != "" {
		var err error
		if day, err = ReadDay(a.Date, a.now, zone); err != nil {
			a.mistake("date: %w", err)
		}
	}
	return func(j *Job) (from, to time.Time) {
		if j.Disabled || j.When.Manual {
			return from, to
		}
		return recurrence.DayStart(day, j.When.Location), recurrence.DayStart(day.AddDays(days), j.When.Location)
	}
}

// durations finds how long each job takes: as given, as it took, or the default.
func (a *asking) durations() (func(JobRef) AssumedDuration, error) {
	unknown := AssumedDuration{Duration: defaultDuration, Source: DurationDefault}
	if a.Default != "" {
		unknown.Duration = a.duration("defaultDuration", a.Default)
	}
	given := map[JobRef]AssumedDuration{}
	// The longest name says most: a job's own after a pattern that it matches.
	names := slices.SortedFunc(maps.Keys(a.Durations), func(x, y string) int {
		if len(x) != len(y) {
			return len(x) - len(y)
		}
		return strings.Compare(x, y)
	})
	for exact := range 2 {
		for _, name := range names {
			if (exact == 1) == strings.ContainsAny(name, `*?[\`) {
				continue
			}
			d := AssumedDuration{Duration: a.duration("duration of "+name, a.Durations[name]), Source: DurationGiven}
			for _, j := range a.jobs("duration", name) {
				given[j.Ref()] = d
			}
		}
	}
	for _, k := range a.Known {
		if k.Duration < 0 {
			a.mistake("known: %s: a duration is not negative", k.Ref)
		}
		// One that was given then is one only when it is given now, and of the default there is one for all.
		if _, named := given[k.Ref]; !named && k.Source == DurationHistory {
			given[k.Ref] = k.AssumedDuration
		}
	}
	settled := map[JobRef]bool{} // told by the earlier answer: history is not asked
	for _, k := range a.Known {
		settled[k.Ref] = k.Source == DurationDefault
	}
	for i := range a.plan.Jobs {
		part := &a.plan.Jobs[i]
		ref := part.Job.Ref()
		_, known := given[ref]
		if known || settled[ref] || a.NoHistory || a.view == nil || part.Job.Instantaneous() || len(part.Times) == 0 && len(a.Backfill) == 0 {
			continue
		}
		row, err := a.view.JobByRef(ref)
		if isNotFound(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("look for %s: %w", ref, err)
		}
		estimate, err := EstimateDuration(a.view, row.ID)
		if err != nil {
			return nil, err
		}
		if estimate.Of > 0 {
			given[ref] = AssumedDuration{Duration: estimate.Median, Source: DurationHistory, Of: estimate.Of}
		}
	}
	return func(ref JobRef) AssumedDuration {
		if d, ok := given[ref]; ok {
			return d
		}
		return unknown
	}, nil
}

// recorded looks what is recorded of plan times outside of the days.
func (a *asking) recorded() func(JobRef, time.Time) (Instance, bool, error) {
	if a.view == nil {
		return nil
	}
	ids := map[JobRef]int64{}
	return func(ref JobRef, at time.Time) (Instance, bool, error) {
		id, asked := ids[ref]
		if !asked {
			row, err := a.view.JobByRef(ref)
			if err != nil && !isNotFound(err) {
				return Instance{}, false, fmt.Errorf("look for %s: %w", ref, err)
			}
			id = row.ID
			ids[ref] = id
		}
		i, err := a.view.Find(id, "", at)
		if isNotFound(err) {
			return Instance{}, false, nil
		}
		return i, err == nil, wrap(err, "look for %s@%s", ref, PlanTimeText(at))
	}
}

func (a *asking) fail(text string, s *Simulation) {
	name, value, counted := strings.Cut(text, "=")
	attempts := 0
	if counted {
		var err error
		if attempts, err = strconv.Atoi(value); err != nil || attempts < 1 {
			a.mistake("fail %q: after = stands how many attempts fail, from 1 on", text)
			return
		}
	}
	for _, at := range a.instances("fail", name) {
		s.Failures = append(s.Failures, Failure{at, attempts})
	}
}

func (a *asking) delay(text string, s *Simulation) {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		a.mistake("delay %q: write JOB[@TIME]=DURATION, such as retail/orders@02:00=PT20M", text)
		return
	}
	by := a.duration(fmt.Sprintf("delay %q", text), value)
	for _, at := range a.instances("delay", name) {
		s.Delays = append(s.Delays, Delay{at, by})
	}
}
