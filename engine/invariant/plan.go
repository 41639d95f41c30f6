package invariant

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/recurrence"
)

// A plan is the walk over one job's instances beside the times at which its versions say that it is due.
type plan struct {
	c       *check
	job     int64
	rows    *jobRows
	spans   []versionSpan
	at      int       // the span that is walked
	last    time.Time // the last expected time, of this span
	begun   bool
	earlier *engine.Instance // the row before this one
	spent   spending
}

// A versionSpan is the time for which one version of a job said when it is due.
type versionSpan struct {
	from, to  time.Time // [from, to)
	version   int64
	job       *engine.Job
	timetable *recurrence.Timetable
}

// newPlan begins the walk over a job's instances behind a plan time.
func (c *check) newPlan(job int64, after time.Time) *plan {
	p := &plan{c: c, job: job, rows: c.jobs[job]}
	if p.rows == nil {
		return p
	}
	p.rows.planned = true
	p.spent.partial = !after.IsZero()
	p.spent.last = c.lastCounted(&p.rows.row)
	if gone, err := c.s.Counted(job, engine.AfterAll, engine.AfterAll, engine.AfterAll); err == nil { // nothing has such a plan time
		p.spent.gone = gone
	}
	from := latest(p.rows.row.CreatedAt, after.Add(time.Millisecond))
	if !c.kept.IsZero() {
		from = latest(from, c.kept)
	}
	versions := slices.Clone(p.rows.versions)
	slices.SortStableFunc(versions, func(a, b engine.VersionRow) int { return a.CreatedAt.Compare(b.CreatedAt) })
	for n := range versions {
		s := versionSpan{from: latest(from, versions[n].CreatedAt), to: p.rows.row.PlannedTo, version: versions[n].ID}
		if n+1 < len(versions) && versions[n+1].CreatedAt.Before(s.to) {
			s.to = versions[n+1].CreatedAt
		}
		if s.job = c.versions[s.version]; s.job == nil {
			c.skipped("I1")
			continue
		}
		timetable, err := endless(&s.job.When).Compile(recurrence.Created(p.rows.row.CreatedAt))
		if err != nil {
			c.skipped("I1")
			continue
		}
		s.timetable = timetable
		if s.from.Before(s.to) && !s.job.Disabled && !s.job.When.Manual {
			p.spans = append(p.spans, s)
		}
	}
	return p
}

// planned holds one instance of the walk against the plan of its job.
func (c *check) planned(p *plan, i *engine.Instance) {
	if e := p.earlier; e != nil {
		c.must(e.PlanTime.UnixMilli() != i.PlanTime.UnixMilli() || e.Key != i.Key, "I1", i, "instance %d is of the same job, key and plan time", e.ID)
		c.must(!i.PlanTime.Before(e.PlanTime), "I11", i, "it is listed behind instance %d, whose plan time is later", e.ID)
	}
	c.must(recurrence.InRange(i.PlanTime), "I11", i, "its plan time lies outside of the years %d to %d", recurrence.FirstYear, recurrence.LastYear)
	kept := *i
	p.earlier = &kept
	if i.Key != "" || p.rows == nil {
		return
	}
	if c.unclear(p.rows) {
		c.skipped("I1")
		return
	}
	p.expect(i.PlanTime)
	c.isDue(p, i)
	p.spent.add(i, p.rows.row.CreatedAt)
}

// isDue holds a scheduled instance against the rule of its own version.
func (c *check) isDue(p *plan, i *engine.Instance) {
	row := &p.rows.row
	job := c.versions[i.Version]
	if job == nil || i.Touched || c.closed(i, job) || i.PlanTime.Before(latest(row.CreatedAt, c.rules)) || !i.PlanTime.Before(row.PlannedTo) {
		// What `almanac run` wrote down for a day of its own choice counts from another origin, and what was planned by other rules of its time zone
		// stays as it was when its time had come. What a person has acted on may have been rerun by another version.
		c.skipped("I1")
		return
	}
	c.must(occurs(job, recurrence.Created(row.CreatedAt), i.PlanTime) || occurs(job, anchored(job, i.PlanTime), i.PlanTime),
		"I1", i, "its job is not due at %s by the version %d that it was planned with", i.PlanTime.Format(form), i.Version)
	if timetable, err := job.When.Compile(recurrence.Created(row.CreatedAt)); err == nil {
		want := i.PlanTime.In(timetable.Location())
		c.must(i.PlanTime.Format(form) == want.Format(form), "I1", i, "its plan time is written as %s, and in its zone it is %s", i.PlanTime.Format(form), want.Format(form))
	}
}

func anchored(job *engine.Job, at time.Time) recurrence.Origin {
	return recurrence.Anchored(recurrence.DayStart(recurrence.DateOf(at.In(location(job))), location(job)))
}

func location(job *engine.Job) *time.Location {
	if job.When.Location == nil {
		return time.UTC
	}
	return job.When.Location
}

func occurs(job *engine.Job, origin recurrence.Origin, at time.Time) bool {
	when := *endless(&job.When)
	when.AtOnce = when.Start.IsZero() // as it was in every file, once
	timetable, err := when.Compile(origin)
	if err != nil {
		return false
	}
	next, some := timetable.Next(at.Add(-time.Millisecond))
	return some && next.Equal(at)
}

// closed reports whether `almanac run` wrote the instance: it does not wait for its plan time.
func (c *check) closed(i *engine.Instance, job *engine.Job) bool {
	moved := i.NotBefore.Sub(i.PlanTime)
	return moved < 0 || moved > job.Spread
}

// expect finds the due times up to and with a plan time, all of which but the last must have had their instance.
func (p *plan) expect(planTime time.Time) {
	for p.at < len(p.spans) {
		s := &p.spans[p.at]
		for {
			due, some := p.next()
			if !some {
				break
			}
			if due.After(planTime) {
				return
			}
			p.begun, p.last = true, due
			if due.Equal(planTime) {
				p.c.looked("I1")
				return
			}
			p.missing(s, due)
		}
		// The instant at which a version begins belongs to it, and what was looked at by then stays with the one before.
		p.at, p.begun = p.at+1, false
	}
}

// next returns the next due time of the span, which must lie behind the last.
func (p *plan) next() (time.Time, bool) {
	s := &p.spans[p.at]
	after := s.from.Add(-time.Millisecond)
	if p.begun {
		after = p.last
	}
	due, some := s.timetable.Next(after)
	if !some {
		return due, false
	}
	p.c.looked("I11")
	if !due.After(after) {
		p.c.foundJob("I11", p.rows, "its rule says that %s comes after %s", due.Format(form), after.Format(form))
		return due, false
	}
	return due, due.Before(s.to)
}

// missing records that a due time has no instance, unless its job may have been away.
func (p *plan) missing(s *versionSpan, due time.Time) {
	if p.c.mayBeAway(p.rows, due) || due.Before(p.c.rules) {
		p.c.skipped("I1")
		return
	}
	p.c.looked("I1")
	if p.spent.usedUp(s.job, due) {
		return
	}
	p.c.foundJob("I1", p.rows, "no instance for %s, which version %d is due at; the plan is written up to %s", due.Format(form), s.version,
		p.rows.row.PlannedTo.Format(form))
}

// finish finds the due times behind the last instance of a job.
func (c *check) finish(p *plan) error {
	if p == nil || p.rows == nil || c.unclear(p.rows) {
		return nil
	}
	for p.at < len(p.spans) {
		s := &p.spans[p.at]
		for due, some := p.next(); some; due, some = p.next() {
			p.begun, p.last = true, due
			p.missing(s, due)
			if c.report.Found > 100*c.o.Most {
				return fmt.Errorf("too much is wrong to go on: %d violations", c.report.Found)
			}
		}
		p.at, p.begun = p.at+1, false
	}
	return c.spent(p)
}

// A load is a change of the definitions as the history tells it.
type load struct {
	at       time.Time
	departed bool // jobs were removed; one that is disabled has a version that says so
	returned bool // jobs may have come back
}

// A define is what became of one job by a change of the definitions.
type define struct {
	id   int64 // of the event
	at   time.Time
	what string // added, changed, disabled, removed, back
}

// longPause is how long a server may stand still between its look at the clock and its write, which then bears a time before another server's.
const longPause = 30 * time.Minute

var loadWords = regexp.MustCompile(`(\d+) added, (\d+) changed, (\d+) removed`)

// readLoads reads when jobs went and came back: rows know only whether a job is there now.
func (c *check) readLoads(ctx context.Context) error {
	var after int64
	var loaded, seen time.Time
	for more := true; more; {
		err := c.page(ctx, func() error {
			ids, events, err := c.s.HistoryAfter(after, 2*c.o.Page)
			if err != nil {
				return fmt.Errorf("read the history: %w", err)
			}
			more = len(ids) == 2*c.o.Page
			for n := range events {
				after = ids[n]
				e := &events[n]
				if e.Kind == "define" {
					c.defines[e.Job] = append(c.defines[e.Job], define{ids[n], e.At, e.Reason.Detail})
				}
				// A clock that is set back while no server runs leaves no event of its own. The server's
				// own events and its starts tell; an end may be told late.
				if e.Instance == 0 || e.Kind == string(engine.Start) {
					c.jumped = c.jumped || e.At.Before(seen.Add(-longPause))
					seen = latest(seen, e.At)
				}
				switch e.Kind {
				case "clock-jump":
					c.jumped = true
				case "backfill":
					c.backfillEvent(e)
				case "define", "load":
					c.jumped = c.jumped || e.At.Before(loaded) // it was set back while no server ran
					loaded = latest(loaded, e.At)
				}
				if e.Kind == "zone-rules" {
					c.rules = latest(c.rules, e.At)
				}
				if e.Kind == "load" {
					l := load{at: e.At, departed: true, returned: true}
					if m := loadWords.FindStringSubmatch(e.Reason.Detail); m != nil {
						l.departed, l.returned = m[3] != "0", m[1] != "0"
					}
					c.loads = append(c.loads, l)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	c.last = after
	for job, list := range c.defines {
		j := c.jobs[job]
		if j == nil {
			continue
		}
		for _, v := range j.versions {
			at := slices.IndexFunc(list, func(d define) bool { return d.at.Equal(v.CreatedAt) })
			if at >= 0 {
				c.born[v.ID] = list[at].id
			}
		}
	}
	return nil
}

// awayAt reports whether the job was removed or disabled at an event, whatever the clocks said, or may have been.
func (c *check) awayAt(j *jobRows, event *change) bool {
	list := c.defines[j.row.ID]
	if len(list) == 0 {
		return j.row.Removed || j.row.Disabled || c.mayBeAway(j, event.at)
	}
	for n := len(list) - 1; n >= 0; n-- {
		if list[n].id < event.id {
			return list[n].what == "removed" || list[n].what == "disabled"
		}
	}
	return list[0].what == "back"
}

// unclear reports whether the times in the rows of a job do not say in which order things were: its definition changed, and a clock jumped.
func (c *check) unclear(j *jobRows) bool {
	return c.jumped && (len(j.versions) > 1 || len(c.defines[j.row.ID]) > 1)
}

// mayBeAway reports whether the job was removed or disabled at that time, or may have been: then it has no plan, and is not made up for when it comes
// back. A history from before jobs were named in it tells only that some job went or came.
func (c *check) mayBeAway(j *jobRows, at time.Time) bool {
	list := c.defines[j.row.ID]
	for n := len(list) - 1; n >= 0; n-- {
		if !list[n].at.After(at) {
			return list[n].what == "removed" || list[n].what == "disabled"
		}
	}
	if len(list) > 0 && list[0].what == "back" {
		return true // retention has removed when it went
	}
	if len(list) > 0 && list[0].what == "added" {
		return false
	}
	away := j.row.Removed || j.row.Disabled
	if away && c.pruned {
		return true // and when it went
	}
	for n := len(c.loads) - 1; n >= 0; n-- {
		l := &c.loads[n]
		if !l.at.After(j.row.CreatedAt) {
			break
		}
		if l.returned && l.at.After(at) {
			away = true // it may have come back then
		}
		if l.departed && !l.at.After(at) {
			return away
		}
	}
	return away && len(c.loads) == 0
}

func earliest(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
