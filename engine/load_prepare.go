package engine

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
)

// A prepared load is what a look at the rows, outside of any write transaction, has found that it has
// to change. The look is of one revision of the definitions, and so is the write: when that has moved
// on, another look is taken. So what a write costs is what it changes, and not what is loaded.
type prepared struct {
	e         *Engine
	v         View
	workflows []*Workflow
	jobs      []*Job
	review    *reviewed
	now       time.Time

	revision int64
	rows     map[JobRef]JobRow
	loaded   map[JobRef]*Job // the current definitions of the folder that this program can read
	wanted   map[JobRef]bool
	items    []loadItem
	zones    map[string]string // whose rules are to be put down
	behind   bool              // something was due that is not planned
	planned  int               // instances that are taken out of the plan
	dropped  map[int64][]int64 // instances, by job, that go with their jobs as reviewed
	drops    int
	report   LoadReport // as far as it is known before
}

// The bounds of a load that is one transaction.
const (
	loadItems = 50  // jobs that it changes or plans anew
	thinFrom  = 500 // instances that it plans anew
)

// large reports whether the load is carried out in slices.
func (p *prepared) large() bool {
	switch {
	case p.e.cfg.Closed:
		return false // nobody would carry it on
	case p.e.cfg.AtOnce > 0:
		return len(p.items) > p.e.cfg.AtOnce || p.planned > p.e.cfg.AtOnce && len(p.items) > 1
	}
	return len(p.items) > loadItems || p.planned > thinFrom || p.drops > p.e.atOnce()
}

func (p *prepared) actor() string {
	if p.review == nil {
		return ""
	}
	return p.review.Actor
}

func (p *prepared) note() string {
	if p.review == nil {
		return ""
	}
	return p.review.Note
}

// stands makes sure that a write is of the revision of the look, and asks whether the load is
// admitted.
func (p *prepared) stands(tx Tx) error {
	if current, err := tx.Revision(); err != nil || current != p.revision {
		return cmp.Or(err, errStale)
	}
	if open, err := loadUnderWay(tx); err != nil || open {
		return cmp.Or(err, errStale)
	}
	if p.e.cfg.Admit != nil {
		if err := p.e.cfg.Admit(tx, p.workflows); err != nil {
			return err
		}
	}
	for _, zone := range slices.Sorted(maps.Keys(p.zones)) {
		if err := tx.PutZoneRules(zone, p.zones[zone]); err != nil {
			return fmt.Errorf("record the rules of %s: %w", zone, err)
		}
	}
	return nil
}

// look finds out what the load changes.
func (p *prepared) look() (err error) {
	p.rows, p.loaded, p.wanted = map[JobRef]JobRow{}, map[JobRef]*Job{}, map[JobRef]bool{}
	p.items, p.behind, p.planned, p.report = nil, false, 0, LoadReport{Jobs: len(p.jobs)}
	if p.revision, err = p.v.Revision(); err != nil {
		return err
	}
	all, err := p.v.Jobs()
	if err != nil {
		return err
	}
	if err := p.review.check(p.jobs, all); err != nil {
		return err
	}
	for _, row := range all {
		p.rows[row.Ref] = row
	}
	touched := map[JobRef]bool{}
	if err := p.lookAtPuts(touched); err != nil {
		return err
	}
	for _, row := range all {
		if row.Source != "" || row.Removed {
			continue
		}
		job, err := p.e.defs.version(p.v, row.Version)
		if err != nil && !errors.Is(err, ErrInvalid) {
			return fmt.Errorf("read the version of %s: %w", row.Ref, err)
		}
		if err == nil {
			p.loaded[row.Ref] = job
			d := definition{row: row, job: job}
			p.behind = p.behind || d.active() && d.from().Before(p.now)
		}
		if !p.wanted[row.Ref] {
			p.items = append(p.items, loadItem{Job: row.ID, Ref: row.Ref, Remove: true})
			p.report.Removed = append(p.report.Removed, row.Ref)
			touched[row.Ref] = true
		}
	}
	if len(p.items) == 0 {
		p.behind = false // the loop plans it, by the same definitions
		return nil
	}
	for _, j := range p.jobs {
		waits := slices.ContainsFunc(j.DependsOn, func(d Dependency) bool { return touched[d.Job] })
		if waits && !touched[j.Ref()] {
			x := loadItem{Job: p.rows[j.Ref()].ID, Ref: j.Ref(), Waits: true}
			p.items = append(p.items, x)
		}
	}
	if p.behind {
		return nil
	}
	if err := p.count(); err != nil {
		return err
	}
	return p.lookAtDue()
}

// lookAtPuts compares the wanted jobs with the recorded ones.
func (p *prepared) lookAtPuts(touched map[JobRef]bool) error {
	same := map[int64]*Job{}
	zones := zoneLook{v: p.v, put: map[string]string{}, changed: map[string]bool{}}
	for _, j := range p.jobs {
		ref := j.Ref()
		row, known := p.rows[ref]
		if known && !row.Removed && row.Source != "" {
			return notOfAFolder(ref)
		}
		p.wanted[ref] = true
		rezoned, err := zones.look(j)
		if err != nil {
			return err
		}
		equal := false
		if known {
			version, err := p.v.Version(row.Version)
			if err != nil {
				return fmt.Errorf("read the version of %s: %w", ref, err)
			}
			if equal = sameDefinition(&version, j); equal {
				same[row.Version] = j
			}
		}
		x := loadItem{Job: row.ID, Ref: ref, Waits: len(j.DependsOn) > 0}
		switch {
		case !known || row.Removed || row.Disabled && !j.Disabled:
			p.report.Added = append(p.report.Added, ref)
			x = newLoadItem(row, j)
		case !equal || row.Disabled != j.Disabled:
			p.report.Changed = append(p.report.Changed, ref)
			x = newLoadItem(row, j)
		case !rezoned:
			continue
		}
		x.Rezoned = rezoned
		p.items = append(p.items, x)
		touched[ref] = true
	}
	p.zones = zones.put
	p.e.defs.know(same)
	return nil
}

// order puts the items in the order in which they are carried out.
func (p *prepared) order() {
	of := make(map[JobRef]*Job, len(p.jobs))
	for _, j := range p.jobs {
		of[j.Ref()] = j
	}
	orderItems(p.items, func(x *loadItem) []Dependency {
		j := of[x.Ref]
		if x.Remove {
			j = p.loaded[x.Ref]
		}
		if j == nil {
			return nil
		}
		return j.DependsOn
	})
}

// count finds out how many instances are planned anew.
func (p *prepared) count() error {
	for n := range p.items {
		x := &p.items[n]
		row, known := p.rows[x.Ref]
		if !known || !row.PlannedTo.After(p.now) {
			continue
		}
		times, err := p.v.PlanTimes(row.ID, p.now, row.PlannedTo)
		if err != nil {
			return fmt.Errorf("list the plan of %s: %w", x.Ref, err)
		}
		p.planned += len(times)
		if !x.goes() {
			p.report.Replaced += len(times)
		}
	}
	return nil
}

// lookAtDue finds out what becomes of what is due of the jobs that go, and holds it against the
// review. What becomes due after this look is not on any list, and is not cancelled.
func (p *prepared) lookAtDue() error {
	p.dropped, p.drops = map[int64][]int64{}, 0
	for n := range p.items {
		x := &p.items[n]
		if row, known := p.rows[x.Ref]; x.goes() && known && !row.Removed && !p.review.drops() {
			if err := p.countDue(row, x.Remove); err != nil {
				return err
			}
		}
	}
	if p.review == nil {
		return nil
	}
	loaded := make([]*Job, 0, len(p.loaded))
	for _, ref := range slices.SortedFunc(maps.Keys(p.loaded), compareRefs) {
		loaded = append(loaded, p.loaded[ref])
	}
	due, err := p.e.dueIn(p.v, DiffJobs(loaded, p.jobs), p.rows, p.review.DropDue, p.now)
	if err != nil {
		return err
	}
	if err := p.review.names(due); err != nil {
		return err
	}
	for n := range due {
		if i := &due[n].Instance; due[n].Fate == DueDropped {
			p.dropped[i.Job] = append(p.dropped[i.Job], i.ID)
			p.drops++
		}
	}
	p.report.DueDropped = p.drops
	return nil
}

// countDue counts what is due of a job that goes, and stays.
func (p *prepared) countDue(row JobRow, removed bool) error {
	waiting, err := p.v.WaitingPlanned(row.ID)
	if err != nil {
		return fmt.Errorf("list what waits of %s: %w", row.Ref, err)
	}
	stays, err := p.v.WaitingKeyed(row.ID) // what is not scheduled is always due
	if err != nil {
		return fmt.Errorf("count what waits of %s: %w", row.Ref, err)
	}
	for n := range waiting {
		if waiting[n].due(p.now) {
			stays++
		}
	}
	if removed {
		p.report.DueRun += stays
	} else {
		p.report.DueHeld += stays
	}
	return nil
}

// know remembers versions that were read, or written, so that nobody has to decode them.
func (c *catalog) know(versions map[int64]*Job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.versions == nil {
		c.versions = map[int64]*Job{}
	}
	for id, job := range versions {
		c.versions[id] = job
		delete(c.broken, id)
	}
}

// planted is what the load of a bug leaves out.
func (l *loading) planted(from time.Time) (time.Time, bool) {
	if fault.Planted(fault.EditFiresPast) {
		from = from.AddDate(0, 0, -1)
	}
	return from, !fault.Planted(fault.EditLosesRows)
}
