package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
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

// Load makes the workflows the current definitions, in one transaction, before which a large plan
// that is to be replaced is taken back: see thin. A changed job gets a new immutable version from now on, instances keep
// the version that they were planned with, and future instances that nobody has looked at are planned anew, together with those that wait
// for them. A name that is gone is removed, and its future with it; what of it is due and has not started runs by its version all the same, and that of
// a job that is disabled is held until it is enabled: only Apply drops what is due, as a person has reviewed it. Nothing else changes: loading the same
// definitions twice is loading them once. The definitions must have passed the checks of package spec.
func (e *Engine) Load(ctx context.Context, workflows []*Workflow, now time.Time) (LoadReport, error) {
	return e.loadAs(ctx, workflows, nil, now)
}

// loadAs is Load, as reviewed; nil is reviewed by nobody.
func (e *Engine) loadAs(ctx context.Context, workflows []*Workflow, review *reviewed, now time.Time) (LoadReport, error) {
	var jobs []*Job
	for _, w := range workflows {
		jobs = append(jobs, w.Jobs...)
	}
	if err := e.errClock(); err != nil {
		return LoadReport{}, fmt.Errorf("load definitions: %w", err)
	}
	taken, done, err := e.thin(ctx, jobs, review, now)
	defer done()
	if err != nil {
		e.defs.doubt()
		return LoadReport{}, fmt.Errorf("load definitions: %w", err)
	}
	var l *loading
	var revision int64
	err = e.cfg.Store.Write(ctx, func(tx Tx) error {
		now, err := e.viewTime(tx, now)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		if e.cfg.Admit != nil {
			if err := e.cfg.Admit(tx, workflows); err != nil {
				return err
			}
		}
		l = &loading{e: e, tx: tx, now: now.Truncate(time.Millisecond), rows: map[JobRef]JobRow{}, origins: map[JobRef]recurrence.Origin{}, review: review}
		if review != nil {
			l.actor = review.Actor
		}
		if err := l.load(jobs); err != nil {
			return err
		}
		l.report.Replaced, l.report.Later = l.report.Replaced+taken, taken
		revision, err = tx.Revision()
		return err
	})
	if err != nil {
		e.defs.doubt()
		e.inbox.nudge()
		return LoadReport{}, fmt.Errorf("load definitions: %w", err)
	}
	e.defs.replace(l.definitions, l.planner, revision)
	for _, n := range l.notices {
		e.cfg.Observe(n)
	}
	e.inbox.nudge()
	e.bulk.nudge()
	return l.report, e.wakePaused(ctx, l.held, now)
}

// A loading is one load in its transaction.
type loading struct {
	e   *Engine
	tx  Tx
	now time.Time

	source      string // who makes the definitions
	actor       string
	review      *reviewed // of a load: nil when nobody has reviewed it
	rows        map[JobRef]JobRow
	origins     map[JobRef]recurrence.Origin
	definitions []definition
	planner     *Planner
	touched     []JobRef        // jobs whose schedule or existence may have changed for others
	same        map[JobRef]bool // the definition is the recorded one
	rezoned     []JobRef        // of these, those whose time zone has other rules now
	orders      []ordered       // ahead, as they were before
	notices     []Notice
	held        []JobRow // jobs of which more is to be let go after the load
	report      LoadReport
}

func (l *loading) load(jobs []*Job) error {
	all, err := l.tx.Jobs()
	if err != nil {
		return err
	}
	if err := l.review.check(jobs, all); err != nil {
		return err
	}
	known, others, err := l.apart(all)
	if err != nil {
		return err
	}
	wanted := map[JobRef]bool{}
	for _, j := range jobs {
		ref := j.Ref()
		if _, taken := l.rows[ref]; taken && slices.ContainsFunc(others, func(o *Job) bool { return o.Ref() == ref }) {
			return notOfAFolder(ref)
		}
		wanted[ref] = true
	}
	changed, err := l.changes(jobs, wanted)
	if err != nil {
		return err
	}
	if changed {
		if err := l.planPast(known); err != nil {
			return err
		}
	}
	if err := l.readOrders(); err != nil {
		return err
	}
	if err := l.e.checkDue(l.tx, l.review, jobs, known, l.now); err != nil {
		return err
	}
	for _, j := range jobs {
		if err := l.put(j); err != nil {
			return err
		}
	}
	l.report.Jobs = len(jobs)
	l.planner, err = NewPlanner(slices.Concat(jobs, others), func(j *Job) recurrence.Origin { return l.origins[j.Ref()] })
	if err != nil {
		return err
	}
	for _, row := range known {
		if !wanted[row.Ref] && !row.Removed {
			if err := l.remove(l.rows[row.Ref]); err != nil {
				return err
			}
		}
	}
	if err := l.putReaches(); err != nil {
		return err
	}
	if err := l.rezone(); err != nil {
		return err
	}
	if err := l.replan(); err != nil {
		return err
	}
	if err := l.obeyOrders(); err != nil {
		return err
	}
	if len(l.touched) == 0 {
		return nil
	}
	detail := fmt.Sprintf("%d jobs: %d added, %d changed, %d removed; %d instances planned anew",
		l.report.Jobs, len(l.report.Added), len(l.report.Changed), len(l.report.Removed), l.report.Replaced)
	if n := len(l.report.Without); n > 0 {
		detail += fmt.Sprintf("; %s ahead without an instance", plural(n, "order"))
	}
	if l.review != nil && l.review.Note != "" {
		detail += "; " + l.review.Note
	}
	return l.tx.Record(EventRow{At: l.now, Kind: "load", Actor: l.actor, Reason: Reason{Code: ReasonPerson, Actor: l.actor, Detail: detail}})
}

// checkDue holds what the load would cancel of what is due against its review.
func (e *Engine) checkDue(v View, review *reviewed, jobs []*Job, known []JobRow, now time.Time) error {
	if review == nil {
		return nil
	}
	var loaded []*Job
	rows := make(map[JobRef]JobRow, len(known))
	for _, row := range known {
		rows[row.Ref] = row
		if row.Removed {
			continue
		}
		job, err := e.defs.version(v, row.Version)
		if err != nil && !errors.Is(err, ErrInvalid) {
			return fmt.Errorf("read the version of %s: %w", row.Ref, err)
		}
		if err == nil {
			loaded = append(loaded, job)
		}
	}
	due, err := e.dueIn(v, DiffJobs(loaded, jobs), rows, review.DropDue, now)
	if err != nil {
		return err
	}
	return review.names(due)
}

// apart takes the rows of this source from those of others, whose jobs stay as they are.
func (l *loading) apart(all []JobRow) (known []JobRow, others []*Job, err error) {
	for _, row := range all {
		if row.Source == l.source {
			l.rows[row.Ref] = row
			known = append(known, row)
			continue
		}
		if row.Removed {
			l.rows[row.Ref] = row
			continue
		}
		job, err := l.e.defs.version(l.tx, row.Version)
		if errors.Is(err, ErrInvalid) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read the version of %s: %w", row.Ref, err)
		}
		l.keep(row, job)
		others = append(others, job)
	}
	return known, others, nil
}

// changes compares the wanted jobs with the recorded ones, and reports whether anything differs that is planned by.
func (l *loading) changes(jobs []*Job, wanted map[JobRef]bool) (changed bool, err error) {
	l.same = make(map[JobRef]bool, len(jobs))
	for _, j := range jobs {
		ref := j.Ref()
		row, known := l.rows[ref]
		if !known {
			changed = true
			continue
		}
		version, err := l.tx.Version(row.Version)
		if err != nil {
			return false, fmt.Errorf("read the version of %s: %w", ref, err)
		}
		l.same[ref] = sameDefinition(&version, j)
		changed = changed || !l.same[ref] || row.Removed || row.Disabled != j.Disabled
	}
	for ref, row := range l.rows {
		changed = changed || row.Source == l.source && !row.Removed && !wanted[ref]
	}
	return changed, nil
}

// sameDefinition reports whether the job is what a version says.
func sameDefinition(v *VersionRow, j *Job) bool {
	return bytes.Equal(v.Definition, j.Definition) && v.Folder == j.Folder
}

// planPast writes down, by the definitions that are about to be replaced, what was due up to now and is not planned because no server ran: a change
// is from now on, and what was due before it was due by what was said then (`reliability.md` F1, F9).
func (l *loading) planPast(known []JobRow) error {
	var old []definition
	var jobs []*Job
	behind := l.now
	for _, row := range known {
		if row.Removed {
			continue
		}
		job, err := l.e.defs.version(l.tx, row.Version)
		if errors.Is(err, ErrInvalid) {
			continue // nobody can say what was due
		}
		if err != nil {
			return fmt.Errorf("read the version of %s: %w", row.Ref, err)
		}
		d := definition{row: row, job: job}
		jobs = append(jobs, job)
		if from := d.from(); d.active() && from.Before(behind) {
			behind = from
		}
		if d.active() && d.from().Before(l.now) {
			old = append(old, d)
		}
	}
	if len(old) == 0 {
		return nil
	}
	planner, err := NewPlanner(jobs, func(j *Job) recurrence.Origin { row := l.rows[j.Ref()]; return row.Origin() })
	if err != nil {
		return err
	}
	for from := behind; from.Before(l.now); {
		to := from.AddDate(0, 0, 1)
		if to.After(l.now) {
			to = l.now
		}
		if err := l.planWindow(planner.overRows(l.tx, l.row), old, from, to); err != nil {
			return fmt.Errorf("plan what was due before now: %w", err)
		}
		from = to
	}
	for _, d := range old {
		row := d.row
		if ok, err := l.tx.SetPlannedTo(row.ID, row.PlannedTo, l.now); err != nil || !ok {
			return wrap(errors.Join(err, unless(ok, errStale)), "move the watermark of %s", row.Ref)
		}
		row.PlannedTo = l.now.In(d.job.When.Location)
		l.rows[row.Ref] = row
	}
	return nil
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
			if err := l.tx.PutReach(l.rows[upstream].ID, d.row.ID, back); err != nil {
				return err
			}
		}
	}
	return nil
}

// planWindow plans what each of the jobs has left of [from, to).
func (l *loading) planWindow(planner *Planner, jobs []definition, from, to time.Time) error {
	windows := map[JobRef]window{}
	for _, d := range jobs {
		if begin := latest(from, d.from()); begin.Before(to) {
			windows[d.row.Ref] = window{begin, to}
		}
	}
	plan, err := planner.Plan(func(j *Job) (time.Time, time.Time) {
		w := windows[j.Ref()]
		return w.from, w.to
	})
	if err != nil || plan.Instances() == 0 {
		return err
	}
	first, err := l.tx.Reserve(plan.Instances())
	if err != nil {
		return err
	}
	_, err = insertWatched(l.tx, &plan, plan.Rows(first, func(ref JobRef) (int64, int64) { return l.rows[ref].ID, l.rows[ref].Version }))
	return err
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
		row = JobRow{ID: first, Ref: ref, CreatedAt: l.now, Source: l.source}
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

// row returns the row of a job that is known.
func (l *loading) row(ref JobRef) (JobRow, bool) {
	row, ok := l.rows[ref]
	return row, ok
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
