package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/almanac-sched/almanac/recurrence"
)

// A catalog is the loaded definitions: the current version of each job with its timetable, and older versions as instances ask for them. It is a cache
// of rows that never change, and is replaced as a whole when definitions are loaded.
type catalog struct {
	decode func(definition []byte, folder string) (*Job, error)

	mu       sync.RWMutex
	versions map[int64]*Job
	broken   map[int64]error
	current  map[JobRef]*definition
	byID     map[int64]*definition
	planner  *Planner
	revision int64          // of the rows that this is a cache of; 0 when nothing was loaded
	pools    map[string]int // by the current jobs
	former   map[string]int // by every version that is known
	circles  map[int64]int  // of the jobs that wait for one another, by row id; nil is not known
	horizon  time.Time      // the earliest PlannedTo of what is planned at all; zero when nothing is
	unknown  bool           // a job has never been planned
}

// A definition is a job's row and its current version.
type definition struct {
	row JobRow
	job *Job
}

// Definition returns the job as of a version, which is read once. An error of kind ErrInvalid means
// that this program cannot read the stored definition. Nobody changes what it returns.
func (e *Engine) Definition(v View, version int64) (*Job, error) {
	return e.defs.version(v, version)
}

// version returns the job as of a version. An error of kind ErrInvalid means that the stored definition cannot be read by this program.
func (c *catalog) version(v View, id int64) (*Job, error) {
	c.mu.RLock()
	job, err := c.versions[id], c.broken[id]
	c.mu.RUnlock()
	if job != nil || err != nil {
		return job, err
	}
	row, err := v.Version(id)
	if err != nil {
		return nil, fmt.Errorf("read job version %d: %w", id, err)
	}
	job, err = c.decode(row.Definition, row.Folder)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		err = fmt.Errorf("%w: job version %d: %w", ErrInvalid, id, err)
		if c.broken == nil {
			c.broken = map[int64]error{}
		}
		c.broken[id] = err
		return nil, err
	}
	kept := *job
	kept.Definition = row.Definition // the same text, without the room that its encoder left
	job = &kept
	if c.versions == nil {
		c.versions = map[int64]*Job{}
	}
	c.versions[id] = job
	if c.former == nil {
		c.former = map[string]int{}
	}
	limitPool(c.former, job)
	return job, nil
}

// refresh reads from the rows which definitions are current: those that were put since it last did, or all when it is in doubt. One that cannot be read
// is left out: its instances say why.
func (c *catalog) refresh(ctx context.Context, store Store) error {
	since := c.at()
	var definitions []definition
	var gone []JobRef
	var revision int64
	err := store.Read(ctx, func(v View) (err error) {
		definitions, gone = nil, nil
		if revision, err = v.Revision(); err != nil || revision == since {
			return err
		}
		rows, err := v.JobsSince(cmp.Or(since, -1))
		if err != nil {
			return err
		}
		for _, row := range rows {
			if row.Removed {
				gone = append(gone, row.Ref)
				continue
			}
			job, err := c.version(v, row.Version)
			if errors.Is(err, ErrInvalid) {
				gone = append(gone, row.Ref)
				continue
			}
			if err != nil {
				return err
			}
			definitions = append(definitions, definition{row: row, job: job})
		}
		return nil
	})
	if err != nil || revision == since {
		return err
	}
	jobs := make([]*Job, len(definitions))
	origins := map[JobRef]recurrence.Origin{}
	for i := range definitions {
		jobs[i], origins[definitions[i].row.Ref] = definitions[i].job, definitions[i].row.Origin()
	}
	c.mu.RLock()
	planner, current := c.planner, c.revision == since
	c.mu.RUnlock()
	if since == 0 || planner == nil {
		planner = new(Planner)
	}
	planner, err = planner.With(jobs, gone, func(j *Job) recurrence.Origin { return origins[j.Ref()] })
	switch {
	case err != nil || !current: // another has put it in order meanwhile
		return err
	case since == 0:
		c.replace(definitions, planner, revision)
	default:
		c.amend(definitions, gone, planner, revision)
	}
	return nil
}

// at returns the revision of the definitions.
func (c *catalog) at() int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.revision
}

// doubt makes the next refresh read everything anew.
func (c *catalog) doubt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revision = 0
}

// replace makes a set of definitions, as of a revision, the current one.
func (c *catalog) replace(definitions []definition, planner *Planner, revision int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revision = revision
	if c.versions == nil {
		c.versions = map[int64]*Job{}
	}
	c.circles = nil
	c.current = make(map[JobRef]*definition, len(definitions))
	c.byID = make(map[int64]*definition, len(definitions))
	for i := range definitions {
		d := &definitions[i]
		c.current[d.row.Ref], c.byID[d.row.ID] = d, d
		c.versions[d.row.Version] = d.job
	}
	c.planner = planner
	c.measurePools()
	c.measure()
}

// amend puts some definitions in the place of what was known of their jobs, as of a revision.
func (c *catalog) amend(definitions []definition, gone []JobRef, planner *Planner, revision int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revision, c.planner = revision, planner
	pooled := false
	forget := func(ref JobRef) {
		if old := c.current[ref]; old != nil {
			pooled = pooled || old.job.Pool != ""
			delete(c.current, ref)
			delete(c.byID, old.row.ID)
			delete(c.versions, old.row.Version) // read again should an instance still run by it
		}
	}
	for _, ref := range gone {
		forget(ref)
	}
	for i := range definitions {
		d := &definitions[i]
		forget(d.row.Ref)
		c.current[d.row.Ref], c.byID[d.row.ID], c.versions[d.row.Version] = d, d, d.job
		c.rethink(d.job)
		pooled = pooled || d.job.Pool != ""
	}
	if len(c.versions) > 2*len(c.current)+1000 { // a server that stays up sees many
		maps.DeleteFunc(c.versions, func(id int64, job *Job) bool {
			d := c.current[job.Ref()]
			return d == nil || d.row.Version != id
		})
		pooled = true
	}
	if pooled {
		c.measurePools()
	}
	c.measure()
}

// measurePools finds how large each pool is, by the current jobs and by all versions that are known.
func (c *catalog) measurePools() {
	pools, former := c.pools, c.former
	c.pools, c.former = map[string]int{}, map[string]int{}
	for _, d := range c.current {
		limitPool(c.pools, d.job)
	}
	for _, job := range c.versions {
		limitPool(c.former, job)
	}
	for _, known := range []map[string]int{pools, former} {
		for pool, size := range known {
			if c.pools[pool] == 0 && c.former[pool] == 0 {
				c.former[pool] = size // something of it may still run, by a version that is forgotten
			}
		}
	}
}

// limitPool makes the pool of a job no larger than the job says.
func limitPool(pools map[string]int, job *Job) {
	if job.Pool != "" && (pools[job.Pool] == 0 || job.Slots < pools[job.Pool]) {
		pools[job.Pool] = max(1, job.Slots)
	}
}

// poolSize returns how many attempts of the pool may run at once; false when it has no limit. A pool that no current job names is as large as the
// versions say that instances still run by, and when these are forgotten, as it last was.
func (c *catalog) poolSize(pool string) (size int, sized bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if size, sized = c.pools[pool]; !sized {
		size, sized = c.former[pool]
	}
	return size, sized
}

// plannedTo returns up to when everything that is planned at all is planned; zero when nothing is.
func (c *catalog) plannedTo() time.Time {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.horizon
}

// poolUse lists the pools that current jobs name and those of which attempts live, by name.
func (c *catalog) poolUse(used map[string]int) (list []PoolUse) {
	c.mu.RLock()
	names := slices.Collect(maps.Keys(c.pools))
	c.mu.RUnlock()
	names = slices.AppendSeq(names, maps.Keys(used))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		size, _ := c.poolSize(name)
		list = append(list, PoolUse{Pool: name, Used: used[name], Size: size})
	}
	return list
}

// concurrency returns how many instances of the job may run at once: as its current definition says, and for one that is gone as the given version does.
func (c *catalog) concurrency(job *Job) int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if d := c.current[job.Ref()]; d != nil {
		job = d.job
	}
	return job.Concurrency
}

// unknownJob is ErrUnknownJob with the name that is nearest to the one given.
func (c *catalog) unknownJob(ref JobRef) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var known []string
	for name, d := range c.current {
		if !d.row.Removed {
			known = append(known, name.String())
		}
	}
	slices.Sort(known)
	if near := Nearest(ref.String(), known); near != "" {
		return fmt.Errorf("%w; did you mean %s?", ErrUnknownJob, near)
	}
	return ErrUnknownJob
}

// lookup returns the current definition of a job, nil when there is none.
func (c *catalog) lookup(ref JobRef) *definition {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.current[ref]
}

// row returns the row of a current job.
func (c *catalog) row(ref JobRef) (JobRow, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if d := c.current[ref]; d != nil {
		return d.row, true
	}
	return JobRow{}, false
}

// changedAfter reports whether a job, by its row id, was put after a revision.
func (c *catalog) changedAfter(job, revision int64) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	d := c.byID[job]
	return d != nil && d.row.Revision > revision
}

// plan returns the planner of the current definitions, nil when none were loaded.
func (c *catalog) plan() *Planner {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.planner
}

// disabled reports whether a job is disabled, or was when it was removed: then what of it was held is held still.
func (c *catalog) disabled(v View, ref JobRef) (bool, error) {
	if d := c.lookup(ref); d != nil {
		return d.row.Disabled, nil
	}
	row, err := v.JobByRef(ref)
	return row.Disabled, err
}

// setPlanned records how far the jobs are planned, after the commit that says so.
func (c *catalog) setPlanned(to map[int64]time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, t := range to {
		if d := c.byID[id]; d != nil {
			d.row.PlannedTo = t
		}
	}
	c.measure()
}

// measure finds the job that is planned least far.
func (c *catalog) measure() {
	c.horizon, c.unknown = time.Time{}, false
	for _, d := range c.current {
		switch {
		case !d.active():
		case d.row.PlannedTo.IsZero():
			c.unknown = true
		default:
			c.horizon = earliest(c.horizon, d.row.PlannedTo)
		}
	}
}

// nextPlanning is when more has to be planned, ahead of the end of what is: zero when nothing ever has.
func (c *catalog) nextPlanning(ahead time.Duration) time.Time {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.horizon.IsZero() {
		return time.Time{}
	}
	return c.horizon.Add(-ahead)
}

// planned reports whether all there is to plan is planned beyond a time, without a look at each job.
func (c *catalog) planned(beyond time.Time) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return !c.unknown && (c.horizon.IsZero() || c.horizon.After(beyond))
}

// beyond lists at most limit definitions that are planned further than their target, by id. Of a job
// that is disabled nobody plans again what would be taken back: what is recorded of it stays known.
func (c *catalog) beyond(target func(*Job) time.Time, limit int) (ahead []definition) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, d := range c.current {
		if d.active() && d.row.PlannedTo.After(target(d.job)) {
			ahead = append(ahead, *d)
		}
	}
	slices.SortFunc(ahead, func(a, b definition) int { return cmp.Compare(a.row.ID, b.row.ID) })
	return ahead[:min(limit, len(ahead))]
}

// countedFrom lists at most limit jobs of whose counts the rest is due from later than a time on.
func (c *catalog) countedFrom(after time.Time, limit int) (ahead []JobRef) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for ref, d := range c.current {
		if d.active() && d.job.counted() > 0 && d.row.CountFrom.After(after) {
			ahead = append(ahead, ref)
		}
	}
	slices.SortFunc(ahead, compareRefs)
	return ahead[:min(limit, len(ahead))]
}

// unplanned lists at most limit definitions that are not planned up to their target, those that lag most first, and the planner that knows them.
func (c *catalog) unplanned(target func(*Job) time.Time, limit int) ([]definition, *Planner) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var lagging []*definition
	for _, d := range c.current {
		if d.active() && d.row.PlannedTo.Before(target(d.job)) {
			lagging = append(lagging, d)
		}
	}
	slices.SortFunc(lagging, func(a, b *definition) int {
		return cmp.Or(a.row.PlannedTo.Compare(b.row.PlannedTo), cmp.Compare(a.row.ID, b.row.ID))
	})
	group := make([]definition, min(limit, len(lagging)))
	for i := range group {
		group[i] = *lagging[i]
	}
	return group, c.planner
}

// active reports whether the job is planned at all.
func (d *definition) active() bool {
	return !d.row.Disabled && !d.row.Removed && !d.job.When.Manual
}

// from is where the plan of the job goes on.
func (d *definition) from() time.Time {
	if d.row.PlannedTo.IsZero() {
		return d.row.CreatedAt
	}
	return d.row.PlannedTo
}

// dayAfter returns the first instant of the natural day after the one that t lies in, in the location.
func dayAfter(t time.Time, loc *time.Location) time.Time {
	return recurrence.DayStart(recurrence.DateOf(t.In(loc)).AddDays(1), loc)
}
