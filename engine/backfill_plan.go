package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"sort"
	"time"
)

// A BackfillPlan is what a backfill would do: every instance of its range, in or out, and why. It
// is saved, read by people, and applied later to exactly what it says, or not at all.
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

// BackfillFormat is the version of the document of a saved plan. Of the version before, no range
// has several reasons, and a longer list may stand beside the ranges or in their place.
const (
	BackfillFormat    = "almanac-backfill/2"
	BackfillFormatOld = "almanac-backfill/1"

	fingerprinted = BackfillFormatOld // begins each fingerprint, whatever the document is
)

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

// PlanBackfill says what a backfill would do, from the definitions and the rows as they are. It
// changes nothing. Errors of kind ErrInvalid list every mistake of the request. Of a plan of more
// than PlanListed instances none is listed.
func (e *Engine) PlanBackfill(ctx context.Context, r BackfillRequest, now time.Time) (*BackfillPlan, error) {
	return e.PlanBackfillPart(ctx, r, PlanPart{Most: PlanListed}, now)
}

// PlanBackfillPart is PlanBackfill with a part of the list. A list that is longer than PlanListed
// is empty unless Skip or Most ask for a part of it.
func (e *Engine) PlanBackfillPart(ctx context.Context, r BackfillRequest, part PlanPart, now time.Time) (*BackfillPlan, error) {
	var plan *BackfillPlan
	err := e.drafted(ctx, r, &part, now, func(d *draft) (err error) {
		plan, err = d.plan(part)
		return err
	})
	return plan, err
}

// A PlannedList is a plan with all of its list, which is made when it is asked for.
type PlannedList struct {
	Plan  *BackfillPlan // none of its instances is listed
	draft *draft
}

// ListBackfillPlan is PlanBackfill with every instance, however many there are.
func (e *Engine) ListBackfillPlan(
	ctx context.Context, r BackfillRequest, now time.Time,
) (*PlannedList, error) {
	list := &PlannedList{}
	err := e.drafted(ctx, r, &PlanPart{Most: backfillMost}, now, func(d *draft) (err error) {
		list.draft = d
		list.Plan, err = d.plan(PlanPart{})
		return err
	})
	return list, err
}

// Each hands out every instance, one after the other by plan time and job, and keeps none.
func (l *PlannedList) Each(each func(*BackfillPlanInstance) error) error {
	if l.draft.total > largePlan {
		defer debug.FreeOSMemory()
	}
	_, err := l.draft.list(PlanPart{Most: backfillMost}, each)
	return err
}

// drafted makes a draft and has it used, while the rows are as they were read. Most of the part
// becomes 0 when the list is too long to be told unasked.
func (e *Engine) drafted(
	ctx context.Context, r BackfillRequest, part *PlanPart, now time.Time, use func(*draft) error,
) error {
	large := false
	defer func() {
		if large {
			debug.FreeOSMemory() // a plan is looked at seldom, and is the largest thing that is ever in memory
		}
	}()
	for {
		err := e.cfg.Store.Read(ctx, func(v View) error {
			d, err := e.draft(v, r, now.Truncate(time.Millisecond), part)
			if err != nil {
				return err
			}
			large = d.total > largePlan
			return use(d)
		})
		if !errors.Is(err, errStale) {
			return wrap(err, "plan the backfill")
		}
		if err := e.relearn(ctx); err != nil {
			return err
		}
	}
}

// largePlan is how many instances a plan must hold for the memory that it took to be given back at
// once.
const largePlan = 50_000

// A draft is a backfill being planned. What it holds of an instance is some bytes in the columns of
// a stretch: a plan may be of many millions. Texts, bindings and plan times are made when they are
// asked for.
type draft struct {
	e       *Engine
	request BackfillRequest
	at      time.Time
	scope   *backfillScope
	parts   []*draftPart          // the jobs of the backfill, as the scope has them
	tracks  map[JobRef]*draftPart // these and the jobs that they wait for
	total   int                   // instances in the range, in or out

	outcomes []outcome // what is recorded, by number; the first is nothing
	numbers  map[outcome]uint32
	far      map[JobTime]farRecord
	view     View  // while it is being made
	err      error // of a look at the rows in the midst of a binding

	revision int64              // of the definitions
	witness  Witness            // of the rows
	spans    map[int64][]window // what was looked at of each job, by plan time, both ends included
	involved map[int64]int64    // versions of the jobs that it depends on
}

// keptTimes is how many plan times of a job are at hand while its instances are bound one after the
// other.
const keptTimes = 4096

// draft plans a backfill from definitions and rows; errStale when the rows have other definitions.
// Of what is to be listed it remembers what a text is made of. Most of a part that nobody asked for
// becomes 0 when there is too much.
func (e *Engine) draft(v View, r BackfillRequest, at time.Time, part *PlanPart) (*draft, error) {
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
	d := &draft{
		e: e, request: r, at: at, scope: scope, tracks: map[JobRef]*draftPart{},
		outcomes: make([]outcome, 1), numbers: map[outcome]uint32{}, far: map[JobTime]farRecord{}, view: v,
		revision: revision, witness: witness, spans: map[int64][]window{},
	}
	if err := d.expand(); err != nil {
		return nil, err
	}
	if d.total > PlanListed && part.whole() && part.Skip == 0 && part.Most == PlanListed {
		part.Most = 0
	}
	if err := d.lookUp(part.Most > 0 || len(part.Find) > 0); err != nil {
		return nil, err
	}
	if err := errors.Join(d.judge(), d.err); err != nil {
		return nil, err
	}
	d.involve()
	d.view = nil
	return d, nil
}

// planner knows the jobs of the scope and what they wait for. Days before a job's name first
// appeared are planned as its rule would have had them.
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

// expand finds the plan times of the range, and of what its instances may wait for.
func (d *draft) expand() error {
	planner, err := d.planner()
	if err != nil {
		return err
	}
	track := func(def *definition) *draftPart {
		p := d.tracks[def.row.Ref]
		if p == nil {
			p = &draftPart{definition: *def, timetable: planner.Timetable(def.row.Ref)}
			p.zone = p.timetable.Location()
			d.tracks[def.row.Ref] = p
		}
		return p
	}
	needs := map[*draftPart][]window{}
	for i := range d.scope.jobs {
		p := track(&d.scope.jobs[i])
		p.order, p.asked = i, d.scope.asked[p.row.Ref]
		d.parts = append(d.parts, p)
		for _, days := range d.scope.days {
			zone := p.job.When.Location
			w := window{dayStart(days.From, zone), dayStart(days.To.AddDays(1), zone)}
			n := countTimes(p.timetable, w, backfillMost-d.total)
			if d.total += n; d.total > backfillMost {
				return &MistakeError{"jobs", fmt.Sprintf(
					"the range holds more than %d instances; choose fewer days or fewer jobs", backfillMost)}
			}
			if n > 0 {
				p.items = append(p.items, itemSpan{days: w, first: p.total, hi: n})
				p.total += n
				needs[p] = append(needs[p], w)
			}
		}
	}
	if d.total == 0 {
		return &MistakeError{"from", "none of the jobs is due on these days"}
	}
	for _, p := range d.parts {
		for n := range p.job.DependsOn {
			def := d.e.defs.lookup(p.job.DependsOn[n].Job)
			if def == nil {
				return errStale
			}
			track(def)
		}
		edges, err := d.edges(p, 0)
		if err != nil {
			return err
		}
		for _, e := range edges {
			back, forward := e.binder.Reach()
			for k := range p.items {
				w := p.items[k].days
				needs[e.up] = append(needs[e.up], window{w.from.Add(-back), w.to.Add(forward)})
			}
		}
	}
	for _, p := range d.tracks {
		p.hold(needs[p])
	}
	return nil
}

// hold makes the stretches of a job, and finds its instances in them.
func (p *draftPart) hold(needs []window) {
	for _, w := range mergeWindows(needs) {
		n := 0
		if len(p.items) > 0 && p.items[0].days == w {
			n = p.items[0].hi // it was counted
		} else {
			n = countTimes(p.timetable, w, math.MaxInt-1)
		}
		if n > 0 {
			p.stretches = append(p.stretches, newStretch(p.timetable, w, n))
		}
	}
	for k := range p.items {
		span := &p.items[k]
		span.s = p.stretches[sort.Search(len(p.stretches), func(n int) bool {
			return !p.stretches[n].to.Before(span.days.to)
		})]
		lo := span.s.notBefore(span.days.from.UnixMilli())
		span.lo, span.hi = lo, lo+span.hi
	}
}

// lookUp reads what is recorded of the instances of the range and of what they wait for. What a
// text of the list is made of is kept when there is one.
func (d *draft) lookUp(list bool) error {
	stale := d.scope.wanted["stale"] || d.scope.wanted["all"]
	for _, p := range d.tracks {
		for k := range p.items {
			d.span(p.row.ID, p.items[k].days.from, p.items[k].days.to)
		}
		for _, s := range p.stretches {
			for n := 0; n < s.len(); n += keptTimes {
				last := min(n+keptTimes, s.len()) - 1
				from, to := time.UnixMilli(s.at(n)), time.UnixMilli(s.at(last))
				rows, err := d.view.Recorded(p.row.ID, from, to)
				if err != nil {
					return fmt.Errorf("read what is recorded of job %d: %w", p.row.ID, err)
				}
				d.take(p, s, n, rows, list, stale)
			}
		}
	}
	return nil
}

// take writes down what is recorded of plan times of a stretch from n on.
func (d *draft) take(p *draftPart, s *stretch, n int, rows []Record, list, stale bool) {
	for len(rows) > 0 {
		at := rows[0].PlanTime.UnixMilli()
		best, tell := &rows[0], &rows[0]
		several := 1
		for ; several < len(rows) && rows[several].PlanTime.UnixMilli() == at; several++ {
			row := &rows[several]
			if tells(row, tell) {
				tell = row
			}
			if better(row, best) {
				best = row
			}
		}
		rows = rows[several:]
		for n < s.len() && s.at(n) < at {
			n++
		}
		if n == s.len() {
			return
		}
		if s.at(n) != at {
			continue // the job is not due then any more
		}
		column(&s.seen, s)[n] = d.outcome(best)
		if told := d.outcome(tell); s.told != nil || told != s.seen[n] {
			if s.told == nil {
				s.told = slices.Clone(s.seen)
			}
			s.told[n] = told
		}
		if tell.Version != p.row.Version {
			s.marks[n] |= markOld
		}
		if list {
			column(&s.ids, s)[n] = tell.ID
		}
		if stale {
			column(&s.ended, s)[n], column(&s.seenEnded, s)[n] = endOf(tell), endOf(best)
		}
	}
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
