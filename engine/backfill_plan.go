package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sort"
	"time"
)

// A BackfillPlan is what a backfill would do: every instance of its range, in or out, and why. It is saved, read by people, and applied later to exactly
// what it says, or not at all.
type BackfillPlan struct {
	Format      string
	ID          string // of the plan, and the key of what applying it makes
	At          time.Time
	Request     BackfillRequest
	Fingerprint string // of all that it was made of: definitions, and the states of the instances looked at
	Jobs        []BackfillPlanJob
	In, Out     int
	Why         map[string]int         // instances by reason, in and out
	Instances   []BackfillPlanInstance // by plan time; those of the part that was asked for
	Matching    int                    // instances that the part's conditions leave, whether they are listed or not
}

// BackfillFormat is the version of the document of a saved plan.
const BackfillFormat = "almanac-backfill/1"

// A BackfillPlanJob is one job of a plan.
type BackfillPlanJob struct {
	Ref         JobRef
	Definition  string // a digest of the definition
	Fingerprint string // of its instances and what they wait for
	In, Out     int
	Note        string // what a person should know, such as an effective range that begins later
	Ranges      []BackfillPlanRange
}

// A BackfillPlanInstance is one instance of the range.
type BackfillPlanInstance struct {
	Ref      JobRef
	PlanTime time.Time
	In       bool
	Why      string // a word of BackfillWhy
	Text     string // more than the word, for people; "" is nothing
	Waits    []string
}

// BackfillWhy says what the words mean by which an instance is in a backfill or out of it.
var BackfillWhy = map[string]string{
	"missing":          "due, and nothing is recorded of it",
	"failed":           "recorded as failed or cancelled",
	"stale":            "satisfied, but before an upstream of it, or by an older definition",
	"satisfied":        "recorded as satisfied",
	"open":             "recorded, and has not ended: it goes on by itself",
	"not-due":          "not due yet",
	"off-calendar":     "a dry run on a day that is no work day; it counts as satisfied",
	"upstream-missing": "it would wait for ever: its upstream is neither in the backfill nor recorded",
}

// PlanBackfill says what a backfill would do, from the definitions and the rows as they are. It changes nothing. Errors of kind ErrInvalid list every
// mistake of the request. Of a plan of more than PlanListed instances none is listed.
func (e *Engine) PlanBackfill(ctx context.Context, r BackfillRequest, now time.Time) (*BackfillPlan, error) {
	return e.PlanBackfillPart(ctx, r, PlanPart{Most: PlanListed}, now)
}

// PlanBackfillPart is PlanBackfill with a part of the list. A list that is longer than PlanListed is empty unless Skip or Most ask for a part of it.
func (e *Engine) PlanBackfillPart(ctx context.Context, r BackfillRequest, part PlanPart, now time.Time) (*BackfillPlan, error) {
	large := false
	defer func() {
		if large {
			debug.FreeOSMemory() // a plan is looked at seldom, and is the largest thing that is ever in memory
		}
	}()

	var plan *BackfillPlan
	for {
		err := e.cfg.Store.Read(ctx, func(v View) error {
			d, err := e.draft(v, r, now.Truncate(time.Millisecond))
			if err != nil {
				return err
			}
			if large = len(d.order) > largePlan; len(d.order) > PlanListed && part.whole() && part.Skip == 0 && part.Most == PlanListed {
				part.Most = 0
			}
			plan = d.plan(part)
			return nil
		})
		if !errors.Is(err, errStale) {
			return plan, wrap(err, "plan the backfill")
		}
		if err := e.relearn(ctx); err != nil {
			return nil, err
		}
	}
}

// largePlan is how many instances a plan must hold for the memory that it took to be given back at once.
const largePlan = 50_000

// A draft is a backfill being planned.
type draft struct {
	e       *Engine
	request BackfillRequest
	at      time.Time
	scope   *backfillScope
	parts   map[JobRef]*draftPart
	order   []*draftItem                // by plan time and job
	records map[int64]map[int64]*Record // by job and plan time: what can best be waited for
	latest  map[int64]map[int64]*Record // that which tells how the plan time stands, where there are several
	ups     map[JobRef]int64            // row ids of what is waited for

	revision int64              // of the definitions
	witness  Witness            // of the rows
	spans    map[int64][]window // what was looked at of each job, by plan time, both ends included
	involved map[int64]int64    // versions of the jobs that it depends on
}

// upstream is the row id of what a dependency waits for.
func (d *draft) upstream(dep *DependencyPlan) int64 {
	ref := dep.Upstream.Ref()
	id, known := d.ups[ref]
	if !known {
		id = d.e.defs.lookup(ref).row.ID
		d.ups[ref] = id
	}
	return id
}

// A draftPart is one job of a draft.
type draftPart struct {
	definition
	asked bool
	items []draftItem // by plan time
}

// item is the one at a plan time; nil when there is none.
func (p *draftPart) item(at time.Time) *draftItem {
	n, found := sort.Find(len(p.items), func(n int) int { return at.Compare(p.items[n].at()) })
	if !found {
		return nil
	}
	return &p.items[n]
}

// A draftItem is one instance of the range.
type draftItem struct {
	part   *draftPart
	plan   *JobPlan
	record *Record // nil when nothing is recorded
	why    string
	text   string
	n      int32
	in     bool
}

// state is that of what is recorded, "" when nothing is.
func (i *draftItem) state() State {
	if i.record == nil {
		return ""
	}
	return i.record.State
}

func (i *draftItem) at() time.Time { return i.plan.Times[i.n] }

// draft plans a backfill from definitions and rows; errStale when the rows have other definitions.
func (e *Engine) draft(v View, r BackfillRequest, at time.Time) (*draft, error) {
	revision, err := v.Revision()
	if err != nil || revision != e.defs.at() {
		return nil, errors.Join(err, errStale)
	}
	witness, err := v.Witness()
	if err != nil {
		return nil, fmt.Errorf("read what the plan is held against: %w", err)
	}
	scope, err := e.understand(&r, at)
	if err != nil {
		return nil, err
	}
	d := &draft{e: e, request: r, at: at, scope: scope, parts: map[JobRef]*draftPart{}, records: map[int64]map[int64]*Record{},
		latest: map[int64]map[int64]*Record{}, ups: map[JobRef]int64{}, revision: revision, witness: witness, spans: map[int64][]window{}}
	plans, err := d.expand()
	if err != nil {
		return nil, err
	}
	if err := d.lookUp(v, plans); err != nil {
		return nil, err
	}
	d.judge()
	d.involve()
	return d, nil
}

// planner knows the jobs of the scope and what they wait for. Days before a job's name first appeared are planned as its rule would have had them.
func (d *draft) planner() (*Planner, error) {
	known := map[JobRef]bool{}
	rows := map[JobRef]JobRow{}
	var jobs []*Job
	add := func(def *definition) {
		if def != nil && !known[def.row.Ref] {
			known[def.row.Ref] = true
			rows[def.row.Ref] = def.row
			jobs = append(jobs, def.job)
		}
	}
	for i := range d.scope.jobs {
		add(&d.scope.jobs[i])
	}
	for i := range d.scope.jobs {
		for n := range d.scope.jobs[i].job.DependsOn {
			add(d.e.defs.lookup(d.scope.jobs[i].job.DependsOn[n].Job))
		}
	}
	return NewPlanner(jobs, func(j *Job) recurrenceOrigin {
		row := rows[j.Ref()]
		return originBefore(j, row.Origin(), row.CreatedAt, dayStart(d.scope.days[0].From.AddDays(-backfillReach), j.When.Location))
	})
}

// expand plans the days of the scope and makes an item of each plan time.
func (d *draft) expand() ([]Plan, error) {
	planner, err := d.planner()
	if err != nil {
		return nil, err
	}
	total := 0
	for i := range d.scope.jobs {
		def := &d.scope.jobs[i]
		timetable, zone := planner.Timetable(def.row.Ref), def.job.When.Location
		for _, days := range d.scope.days {
			for from := days.From; from.Compare(days.To) <= 0 && total <= backfillMost; from = from.AddDays(31) {
				to := from.AddDays(31)
				if end := days.To.AddDays(1); to.Compare(end) > 0 {
					to = end
				}
				total += len(timetable.Between(dayStart(from, zone), dayStart(to, zone)))
			}
		}
	}
	if total > backfillMost {
		return nil, &MistakeError{"jobs", fmt.Sprintf("the range holds more than %d instances; choose fewer days or fewer jobs", backfillMost)}
	}
	for i := range d.scope.jobs {
		def := d.scope.jobs[i]
		d.parts[def.row.Ref] = &draftPart{definition: def, asked: d.scope.asked[def.row.Ref]}
	}
	var plans []Plan
	for _, days := range d.scope.days {
		plan, err := planner.Plan(func(j *Job) (time.Time, time.Time) {
			if d.parts[j.Ref()] == nil {
				return time.Time{}, time.Time{}
			}
			return dayStart(days.From, j.When.Location), dayStart(days.To.AddDays(1), j.When.Location)
		})
		if err != nil {
			return nil, err
		}
		plans = append(plans, plan)
	}
	d.order = make([]*draftItem, 0, total)
	for p := range plans {
		for i := range plans[p].Jobs {
			job := &plans[p].Jobs[i]
			part := d.parts[job.Job.Ref()]
			part.items = slices.Grow(part.items, len(job.Times))
			for n := range job.Times {
				part.items = append(part.items, draftItem{part: part, plan: job, n: int32(n)})
			}
		}
	}
	for i := range d.scope.jobs {
		part := d.parts[d.scope.jobs[i].row.Ref]
		for n := range part.items {
			d.order = append(d.order, &part.items[n])
		}
	}
	if len(d.order) == 0 {
		return nil, &MistakeError{"from", "none of the jobs is due on these days"}
	}
	sort.SliceStable(d.order, func(a, b int) bool { return d.order[a].at().Before(d.order[b].at()) })
	return plans, nil
}

// lookUp reads what is recorded of the instances of the range and of what they wait for.
func (d *draft) lookUp(v View, plans []Plan) error {
	for p := range plans {
		spans := map[int64]window{}
		widen := func(job int64, from, to time.Time) {
			w, ok := spans[job]
			if !ok {
				w = window{from, to}
			}
			if from.Before(w.from) {
				w.from = from
			}
			spans[job] = window{w.from, latest(w.to, to)}
		}
		for i := range plans[p].Jobs {
			job := &plans[p].Jobs[i]
			widen(d.parts[job.Job.Ref()].row.ID, job.From, job.To)
			for k := range job.Dependencies {
				up := d.e.defs.lookup(job.Dependencies[k].Upstream.Ref())
				if up == nil {
					return errStale
				}
				for n := range job.Times {
					for _, piece := range pieces(&job.Dependencies[k], n) {
						if len(piece) > 0 {
							widen(up.row.ID, piece[0], piece[len(piece)-1])
						}
					}
				}
			}
		}
		for job, w := range spans {
			d.span(job, w.from, w.to)
			rows, err := v.Recorded(job, w.from, w.to)
			if err != nil {
				return fmt.Errorf("read what is recorded of job %d: %w", job, err)
			}
			known := d.records[job]
			if known == nil {
				known = make(map[int64]*Record, len(rows))
				d.records[job], d.latest[job] = known, map[int64]*Record{}
			}
			last := d.latest[job]
			for n := range rows {
				row, at := &rows[n], rows[n].PlanTime.UnixMilli()
				best := known[at]
				if best == nil {
					known[at] = row
					continue
				}
				if before := cmp.Or(last[at], best); tells(row, before) {
					last[at] = row
				} else {
					last[at] = before
				}
				if better(row, best) {
					known[at] = row
				}
			}
		}
	}
	return nil
}

// bond is how an instance of a backfill is bound to an upstream plan time.
type bond uint8

const (
	bondHere     bond = iota // to the instance of the same backfill
	bondRecorded             // to what is recorded under a key
	bondComing               // to the scheduled one, which is to come
	bondDry                  // a dry run: counts as satisfied
	bondIgnored              // nothing is recorded, and that is to be ignored
	bondOtherDay             // in reverse order only what is of the same day counts
	bondMissing              // nothing is recorded
)

// run lists the items that are in, in the order of their turn: by day, backwards when that was asked for, and within a day by plan time.
func (d *draft) run() []*draftItem {
	list := make([]*draftItem, 0, len(d.order))
	for _, i := range d.order {
		if i.in {
			list = append(list, i)
		}
	}
	day := func(i *draftItem) int {
		y, m, day := i.at().Date()
		return (y*100+int(m))*100 + day
	}
	sort.SliceStable(list, func(a, b int) bool {
		if x, y := day(list[a]), day(list[b]); x != y {
			return (x < y) != d.scope.options.Descending
		}
		return list[a].at().Before(list[b].at())
	})
	return list
}
