package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/almanac-sched/almanac/recurrence"
)

// A BoardRequest asks for a day.
type BoardRequest struct {
	Date     string // of the zone; "" is today
	Zone     string // "" is the zone that most of the jobs have, or UTC
	Selector string // only what it chooses; "" is all
	Most     int    // instances; more is an error of kind ErrInvalid
}

// A Board is a day of a zone, over all jobs: the instances with a plan time in [From, To), those that are recorded and those that the loaded definitions
// would plan behind where the plan of their job ends. A natural day is each job's own; this is a window of one zone.
type Board struct {
	Date     recurrence.Date
	Zone     *time.Location
	From, To time.Time
	Slots    int
	Plan     uint64 // a fingerprint of which instances there are, in which order: what points at rows by their number counts while it stays
	Waits    uint64 // one of all on which their edges depend: these, the definitions and what was detached
	Jobs     []BoardJob
	Rows     []BoardRow // by plan time, then id, those that are not recorded last
	Earlier  []BoardRun // runs before the current ones of the rows, by row and number
}

// A BoardJob is a job with an instance on the board.
type BoardJob struct {
	Ref   JobRef
	Zone  *time.Location
	Class string   // of its period; "" when its definition cannot be read
	Takes Estimate // how long past instances took
	Holds bool     // its instances hold a slot while they run
	Gone  bool     // removed, or disabled
}

// A BoardRow is an instance on the board.
type BoardRow struct {
	Instance
	JobIndex  int  // of Board.Jobs
	Unplanned bool // not recorded: what the definitions would plan
	Late      bool // past the deadline of its job, or waiting although its time has come
}

// Board reads a day. Its cost goes by the instances of the day. Errors are of kind ErrInvalid or, when the selector chooses nothing, ErrNotFound.
func (e *Engine) Board(ctx context.Context, r BoardRequest, now time.Time) (*Board, error) {
	d, err := e.boarding(ctx, r)
	if err != nil {
		return nil, err
	}
	err = e.cfg.Store.Read(ctx, func(v View) error {
		now, err := e.viewTime(v, now)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		return d.read(v, now)
	})
	if err != nil {
		return nil, err
	}
	return d.Board, nil
}

// A boarding is a board being made.
type boarding struct {
	*Engine
	*Board
	request  BoardRequest
	selector *Selector
	planner  *Planner
	current  map[JobRef]definition
	jobs     map[int64]int   // indices of Board.Jobs, by the rows of the jobs
	deadline []time.Duration // of each of Board.Jobs; 0 is none
}

func (e *Engine) boarding(ctx context.Context, r BoardRequest) (*boarding, error) {
	if err := e.relearn(ctx); err != nil {
		return nil, err
	}
	d := &boarding{Engine: e, Board: &Board{Slots: e.cfg.Slots}, request: r, planner: e.defs.plan(), current: map[JobRef]definition{}}
	e.defs.mu.RLock()
	for ref, one := range e.defs.current {
		d.current[ref] = *one
	}
	e.defs.mu.RUnlock()
	var mistakes []error
	var err error
	if d.Zone = mostCommonZone(d.current); r.Zone != "" {
		if d.Zone, err = time.LoadLocation(r.Zone); err != nil || r.Zone == "Local" {
			d.Zone, mistakes = time.UTC, append(mistakes, fmt.Errorf("%w: there is no time zone %q; write it as Europe/Berlin", ErrInvalid, r.Zone))
		}
	}
	if r.Date != "" {
		if d.Date, err = recurrence.ParseDay(r.Date); err != nil {
			mistakes = append(mistakes, fmt.Errorf("%w: the day: %w", ErrInvalid, err))
		}
	}
	if r.Selector != "" {
		if d.selector, err = ParseSelector(r.Selector); err != nil {
			mistakes = append(mistakes, err)
		}
	}
	return d, errors.Join(mistakes...)
}

// mostCommonZone is the zone that most jobs have, the first by name of several, UTC of no job.
func mostCommonZone(jobs map[JobRef]definition) *time.Location {
	count, zones := map[string]int{}, map[string]*time.Location{}
	for _, d := range jobs {
		if zone := d.job.When.Location; zone != nil {
			count[zone.String()]++
			zones[zone.String()] = zone
		}
	}
	names := slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) })
	if len(names) == 0 {
		return time.UTC
	}
	return zones[names[0]]
}

// read fills the board.
func (d *boarding) read(v View, now time.Time) error {
	d.Jobs, d.Rows, d.Earlier, d.jobs, d.deadline = nil, nil, nil, map[int64]int{}, nil
	if d.request.Date == "" {
		d.Date = recurrence.DateOf(now.In(d.Zone))
	}
	d.From, d.To = recurrence.DayStart(d.Date, d.Zone), recurrence.DayStart(d.Date.AddDays(1), d.Zone)
	rows, err := v.Jobs() // of the same snapshot as the instances: how far each is planned
	if err != nil {
		return fmt.Errorf("list the jobs: %w", err)
	}
	for _, row := range rows {
		if one, known := d.current[row.Ref]; known && one.row.ID == row.ID {
			one.row = row
			d.current[row.Ref] = one
		}
	}
	recorded, err := d.recorded(v, rows)
	if err != nil {
		return fmt.Errorf("list the instances of %s: %w", d.Date, err)
	}
	all, err := d.unplanned(recorded)
	if err != nil {
		return err
	}
	if all, err = d.selected(v, all, now); err != nil {
		return err
	}
	d.Rows = make([]BoardRow, len(all))
	plan := fingerprint{fnv.New64a()}
	for n := range all {
		row := &d.Rows[n]
		row.Instance, row.Unplanned = all[n], all[n].ID == 0
		if row.JobIndex, err = d.job(v, &all[n], now); err != nil {
			return err
		}
		row.Late = d.late(row, now)
		plan.add(row.ID, row.Job, row.PlanTime.UnixMilli())
	}
	d.Plan = plan.Sum64()
	if err := d.earlier(v); err != nil {
		return fmt.Errorf("list the earlier runs of %s: %w", d.Date, err)
	}
	revision, err := v.Revision()
	if err != nil {
		return fmt.Errorf("read the revision of the definitions: %w", err)
	}
	detached, err := v.Detached()
	if err != nil {
		return fmt.Errorf("find out what was detached: %w", err)
	}
	plan.add(revision, detached, d.From.UnixMilli())
	d.Waits = plan.Sum64()
	return nil
}

// job is the index of an instance's job, which is added when it is not there yet.
func (d *boarding) job(v View, i *Instance, now time.Time) (int, error) {
	if n, ok := d.jobs[i.Job]; ok {
		return n, nil
	}
	n := len(d.Jobs)
	d.jobs[i.Job] = n
	one, known := d.current[i.Ref]
	shown := BoardJob{Ref: i.Ref, Zone: i.PlanTime.Location(), Gone: !known || one.row.Disabled || one.row.Removed, Holds: true}
	definition := one.job
	if !known {
		var err error
		if definition, err = d.definitionOf(v, i.ID); err != nil && !errors.Is(err, ErrInvalid) && !isNotFound(err) {
			return 0, err
		}
	}
	deadline := time.Duration(0)
	if known {
		deadline = definition.Deadline
	}
	d.deadline = append(d.deadline, deadline)
	if definition != nil {
		shown.Class, shown.Holds = definition.Period.Class.String(), !definition.Instantaneous()
		if definition.When.Location != nil {
			shown.Zone = definition.When.Location
		}
	}
	var err error
	shown.Takes, err = d.estimates.of(v, i.Job, now)
	d.Jobs = append(d.Jobs, shown)
	return n, err
}

// definitionOf is the definition of an instance whose job is not loaded any more.
func (d *boarding) definitionOf(v View, id int64) (*Job, error) {
	i, err := v.Instance(id)
	if err != nil {
		return nil, err
	}
	return d.defs.version(v, i.Version)
}

// late reports whether an instance is past the deadline of its job, or waits although its time has come.
func (d *boarding) late(i *BoardRow, now time.Time) bool {
	if allowed := d.deadline[i.JobIndex]; allowed > 0 && i.Kind == Scheduled {
		deadline := i.PlanTime.Add(allowed)
		if i.EndedAt.After(deadline) || i.EndedAt.IsZero() && now.After(deadline) {
			return true
		}
	}
	return i.State == Waiting && now.After(latest(i.NotBefore, i.PlanTime))
}

// estimates keeps how long instances of jobs take for a minute: it is asked for with each look at a day, and moves slowly.
type estimates struct {
	mu    sync.Mutex
	since time.Time
	jobs  map[int64]Estimate
}

func (c *estimates) of(v View, job int64, now time.Time) (Estimate, error) {
	c.mu.Lock()
	if age := now.Sub(c.since); c.jobs == nil || age < 0 || age > time.Minute {
		c.since, c.jobs = now, map[int64]Estimate{}
	}
	one, known := c.jobs[job]
	c.mu.Unlock()
	if known {
		return one, nil
	}
	one, err := EstimateDuration(v, job)
	if err != nil {
		return one, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.jobs[job] = one
	return one, nil
}
