package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/recurrence"
)

// A LoadReport says what loading a set of definitions changed.
type LoadReport struct {
	Jobs     int      // loaded
	Added    []JobRef // names that appeared for the first time, or again
	Changed  []JobRef // got a new version
	Removed  []JobRef
	Replaced int // future, unstarted instances that were planned anew
	Planned  int // instances in their place
	Later    int // of those that were replaced, the ones whose place the loop plans after the load

	DueRun     int // due, unstarted instances of removed jobs, which run by the version that they were planned with
	DueHeld    int // those of disabled jobs, which wait until the job is enabled
	DueDropped int // those that were cancelled because the review said so

	Without []DiffInstance // due times that are gone, of which something was ordered ahead: the orders are kept
}

// Load makes the workflows the current definitions. A load that changes few jobs is one short
// transaction; one that changes many is taken down by a small commit, which makes it real, and
// carried out in short ones after that: see load_slices.go. A changed job gets a new immutable
// version from now on, instances keep the version that they were planned with, and future instances
// that nobody has looked at are planned anew, together with those that wait for them. A name that is
// gone is removed, and its future with it; what of it is due and has not started runs by its version
// all the same, and that of a job that is disabled is held until it is enabled: only Apply drops what
// is due, as a person has reviewed it. Nothing else changes: loading the same definitions twice is
// loading them once. The definitions must have passed the checks of package spec.
func (e *Engine) Load(ctx context.Context, workflows []*Workflow, now time.Time) (LoadReport, error) {
	return e.loadAs(ctx, workflows, nil, now)
}

// loadTries is how often a load looks at the rows again because others change the definitions
// between its look and its write.
const loadTries = 100

// loadAs is Load, as reviewed; nil is reviewed by nobody.
func (e *Engine) loadAs(
	ctx context.Context, workflows []*Workflow, review *reviewed, now time.Time,
) (report LoadReport, err error) {
	if err = e.errClock(); err == nil {
		now, err = e.storeTime(ctx, now)
	}
	for n := 0; err == nil; n++ {
		report, err = e.loadOnce(ctx, workflows, review, now.Truncate(time.Millisecond))
		if !errors.Is(err, errStale) || n == loadTries {
			break
		}
		err = ctx.Err()
	}
	e.inbox.nudge()
	e.bulk.nudge()
	if err != nil {
		e.defs.doubt()
		return LoadReport{}, fmt.Errorf("load definitions: %w", err)
	}
	return report, nil
}

// loadOnce looks at the rows and loads by what it has found. errStale says that the rows have changed
// meanwhile, or had to be changed first.
func (e *Engine) loadOnce(
	ctx context.Context, workflows []*Workflow, review *reviewed, now time.Time,
) (LoadReport, error) {
	before := withoutOnce(ctx) // what others have begun is not what was asked for
	if err := e.endLoads(before, now); err != nil {
		return LoadReport{}, err
	}
	p := &prepared{e: e, workflows: workflows, review: review, now: now}
	for _, w := range workflows {
		p.jobs = append(p.jobs, w.Jobs...)
	}
	err := e.cfg.Store.Read(ctx, func(v View) error {
		p.v = v
		return p.look()
	})
	if err != nil {
		return LoadReport{}, err
	}
	if err := e.relearn(ctx); err != nil {
		return LoadReport{}, err
	}
	switch {
	case e.defs.at() != p.revision:
		return LoadReport{}, errStale
	case p.behind:
		return LoadReport{}, cmp.Or(e.planPast(before, now), errStale)
	case p.large():
		return e.loadInSlices(ctx, p)
	}
	return e.loadAtOnce(ctx, p)
}

// loadAtOnce carries a load out in one transaction.
func (e *Engine) loadAtOnce(ctx context.Context, p *prepared) (LoadReport, error) {
	var l *loading
	err := e.cfg.Store.Write(ctx, func(tx Tx) error {
		if err := p.stands(tx); err != nil {
			return err
		}
		l = e.loadingOf(tx, p.actor(), p.now)
		l.dropped = p.dropped
		if _, err := l.carry(p.items, e.defs.plan()); err != nil {
			return err
		}
		if err := l.wakeAll(p.items); err != nil {
			return err
		}
		if len(l.touched) == 0 {
			return nil
		}
		l.report.Jobs = len(p.jobs)
		return l.recordLoad(&l.report, p.note())
	})
	if err != nil {
		return LoadReport{}, err
	}
	l.report.Jobs = len(p.jobs)
	p.report.Added, p.report.Changed, p.report.Removed = l.report.Added, l.report.Changed, l.report.Removed
	l.report.DueRun, l.report.DueHeld, l.report.DueDropped = p.report.DueRun, p.report.DueHeld, p.report.DueDropped
	return l.report, l.publish(ctx)
}

// A loading is one load, or a slice of one, in its transaction.
type loading struct {
	e   *Engine
	tx  Tx
	now time.Time

	source      string // who makes the definitions
	actor       string
	dropped     map[int64][]int64 // instances, by job, that go with their jobs as reviewed
	until       time.Time         // no plan is left beyond it; zero leaves all
	rows        map[JobRef]JobRow // of the jobs that were looked at
	named       map[JobRef]int64  // ids of new jobs, as far as they have any yet
	origins     map[JobRef]recurrence.Origin
	versions    map[int64]*Job // that were put
	definitions []definition
	planner     *Planner
	touched     []JobRef        // jobs whose schedule or existence may have changed for others
	same        map[JobRef]bool // the definition is the recorded one
	rezoned     []JobRef        // of these, those whose time zone has other rules now
	windows     map[JobRef]window
	before      map[JobRef][]time.Time // of the rezoned, what was planned
	orders      []ordered              // ahead, as they were before
	ahead       []Instance             // that stay, and are bound again
	notices     []Notice
	held        []JobRow // jobs of which more is to be let go after the load
	broken      error    // of a look-up that has no way to say it
	report      LoadReport
}

func (e *Engine) loadingOf(tx Tx, actor string, now time.Time) *loading {
	return &loading{
		e: e, tx: tx, now: now, actor: actor, rows: map[JobRef]JobRow{},
		origins: map[JobRef]recurrence.Origin{}, versions: map[int64]*Job{}, same: map[JobRef]bool{},
		named: map[JobRef]int64{}, windows: map[JobRef]window{}, before: map[JobRef][]time.Time{},
	}
}

// carry carries out what a load does to some jobs, and says to how many: to as many as the transaction
// has time for, where the load is one in slices. base knows the definitions of all others.
func (l *loading) carry(items []loadItem, base *Planner) (taken int, err error) {
	var put []*Job
	var gone []JobRef
	for taken < len(items) && !l.full(taken) {
		x := &items[taken]
		if taken++; x.Put != nil && x.job == nil {
			continue // this program cannot read it
		}
		if err := l.take(x); err != nil {
			return 0, err
		}
		switch {
		case x.job != nil:
			put = append(put, x.job)
		case x.Rezoned && len(l.definitions) > 0: // compiled by the rules that there were
			put = append(put, l.definitions[len(l.definitions)-1].job)
		}
		if x.Remove {
			gone = append(gone, x.Ref)
		}
	}
	if base == nil {
		base = new(Planner)
	}
	l.planner, err = base.With(put, gone, func(j *Job) recurrence.Origin { return l.origins[j.Ref()] })
	if err != nil {
		return 0, err
	}
	for _, do := range []func() error{l.putReaches, l.replan, l.obeyOrders, l.bindAhead} {
		if err := do(); err != nil {
			return 0, err
		}
	}
	return taken, l.broken
}

// take records what becomes of one job, and takes its plan back.
func (l *loading) take(x *loadItem) error {
	row, known := l.row(x.Ref)
	if l.broken != nil {
		return l.broken
	}
	if known {
		if err := l.readOrders(row); err != nil {
			return err
		}
		if err := l.cut(row, x); err != nil {
			return err
		}
	} else if x.Job != 0 {
		l.named[x.Ref] = x.Job
	}
	switch {
	case x.job != nil:
		if err := l.compare(x.job, row, known); err != nil {
			return err
		}
		if err := l.put(x.job); err != nil {
			return err
		}
	case x.Remove:
		if row.Removed || !known {
			return nil
		}
		return l.remove(l.rows[x.Ref])
	default:
		job, err := l.e.defs.version(l.tx, row.Version)
		if err != nil {
			return ignoreInvalid(err)
		}
		l.keep(l.rows[x.Ref], job)
	}
	d := &l.definitions[len(l.definitions)-1]
	if x.Rezoned {
		if err := l.rezone(d); err != nil {
			return err
		}
	}
	return l.takeBack(d)
}

// compare finds out whether the definition of a job is the recorded one.
func (l *loading) compare(j *Job, row JobRow, known bool) error {
	if !known {
		return nil
	}
	version, err := l.tx.Version(row.Version)
	if err != nil {
		return fmt.Errorf("read the version of %s: %w", row.Ref, err)
	}
	l.same[row.Ref] = sameDefinition(&version, j)
	return nil
}

// recordLoad writes the load down.
func (l *loading) recordLoad(r *LoadReport, note string) error {
	detail := fmt.Sprintf("%d jobs: %d added, %d changed, %d removed; %d instances planned anew",
		r.Jobs, len(r.Added), len(r.Changed), len(r.Removed), r.Replaced)
	if n := len(r.Without); n > 0 {
		detail += fmt.Sprintf("; %s ahead without an instance", plural(n, "order"))
	}
	if note != "" {
		detail += "; " + note
	}
	return l.tx.Record(EventRow{
		At: l.now, Kind: "load", Actor: l.actor,
		Reason: Reason{Code: ReasonPerson, Actor: l.actor, Detail: detail},
	})
}

// publish lets the working set take over what a load has committed.
func (l *loading) publish(ctx context.Context) error {
	e := l.e
	e.defs.know(l.versions)
	for _, n := range l.notices {
		e.cfg.Observe(n)
	}
	err := cmp.Or(e.relearn(ctx), e.wakePaused(ctx, l.held, l.now))
	e.inbox.nudge()
	e.bulk.nudge()
	return err
}

// sameDefinition reports whether the job is what a version says.
func sameDefinition(v *VersionRow, j *Job) bool {
	return bytes.Equal(v.Definition, j.Definition) && v.Folder == j.Folder
}

// putReaches tells retention how far back the changed jobs look, before the first of their instances does.
func (l *loading) putReaches() error {
	touched := map[JobRef]bool{}
	for _, ref := range l.touched {
		touched[ref] = true
	}
	for i := range l.definitions {
		d := &l.definitions[i]
		if !touched[d.row.Ref] {
			continue
		}
		for n := range d.job.DependsOn {
			upstream := d.job.DependsOn[n].Job
			back, err := l.planner.Reach(d.row.Ref, upstream)
			if err != nil {
				return err
			}
			id, _ := l.ids(upstream)
			if id == 0 {
				continue // it comes with another slice, before anything is planned by it
			}
			if err := l.tx.PutReach(id, d.row.ID, back); err != nil {
				return err
			}
		}
	}
	return nil
}

// put records one wanted job: new, changed, or as it was.
func (l *loading) put(j *Job) error {
	ref := j.Ref()
	row, known := l.rows[ref]
	disabled := j.Disabled
	same := l.same[ref]
	if known && same && !row.Removed && row.Disabled == disabled {
		l.keep(row, j)
		return nil
	}
	first, err := l.tx.Reserve(2)
	if err != nil {
		return err
	}
	what := "changed"
	switch {
	case !known:
		what = "added"
		row = JobRow{ID: cmp.Or(l.named[ref], first), Ref: ref, CreatedAt: l.now, Source: l.source}
		l.report.Added = append(l.report.Added, ref)
	case row.Removed || row.Disabled && !disabled:
		what = "back"
		if row.Disabled && !disabled {
			if err := l.letGo(row); err != nil {
				return err
			}
		}
		same = false // a version of its own says since when it is planned again
		l.report.Added = append(l.report.Added, ref)
	default:
		l.report.Changed = append(l.report.Changed, ref)
	}
	// What would have been due while the job was away, or was started on demand, is dropped
	// (`azure-scheduler.md` §6), not made up for. What was due by its last version is planned already.
	if known && row.PlannedTo.Before(l.now) {
		row.PlannedTo = l.now
	}
	if !same {
		row.Version = first + 1
	}
	row.Removed, row.Disabled, row.Source = false, disabled, l.source
	row.leave()
	if known {
		if err := l.recount(&row, j); err != nil {
			return err
		}
	}
	if disabled {
		l.turnBack(&row)
	}
	if err := l.putJob(&row); err != nil {
		return fmt.Errorf("record %s: %w", ref, err)
	}
	if !same {
		version := VersionRow{ID: row.Version, Job: row.ID, Definition: j.Definition, Folder: j.Folder, CreatedAt: l.now}
		if err := l.tx.PutVersion(version); err != nil {
			return fmt.Errorf("record a version of %s: %w", ref, err)
		}
		if l.versions != nil {
			l.versions[row.Version] = j
		}
	}
	if err := l.tx.WakeNext(row.ID, l.now); err != nil { // more may run at once now
		return fmt.Errorf("wake the next of %s: %w", ref, err)
	}
	l.keep(row, j)
	l.touched = append(l.touched, ref)
	if disabled {
		what = "disabled"
		if err := l.withdraw(row, ReasonDisabled); err != nil {
			return err
		}
	}
	return l.record(row, what)
}

// putJob writes the row of a job and learns its revision.
func (l *loading) putJob(row *JobRow) (err error) {
	if err := l.tx.PutJob(*row); err != nil {
		return err
	}
	row.Revision, err = l.tx.Revision()
	return err
}

// row returns the row of a job that is known. What was not read yet is read.
func (l *loading) row(ref JobRef) (JobRow, bool) {
	row, ok := l.rows[ref]
	if ok {
		return row, true
	}
	row, err := l.tx.JobByRef(ref)
	if err != nil {
		l.broken = cmp.Or(l.broken, ignoreMissing(err))
		return JobRow{}, false
	}
	l.rows[ref] = row
	return row, true
}

// ids returns the row ids of a job and of its current version.
func (l *loading) ids(ref JobRef) (job, version int64) {
	row, _ := l.row(ref)
	return row.ID, row.Version
}

// record writes down what became of the definition of a job.
func (l *loading) record(row JobRow, what string) error {
	event := EventRow{At: l.now, Kind: "define", Job: row.ID, Reason: Reason{Code: ReasonPerson, Detail: what}, Actor: l.actor}
	return wrap(l.tx.Record(event), "record that %s is %s", row.Ref, what)
}

func (l *loading) keep(row JobRow, j *Job) {
	l.rows[row.Ref] = row
	l.origins[row.Ref] = row.Origin()
	l.definitions = append(l.definitions, definition{row: row, job: j})
}

// ErrUnknownJob is wrapped by errors about a job that is not among the loaded definitions.
var ErrUnknownJob = fmt.Errorf("no such job is loaded: %w", ErrNotFound)
