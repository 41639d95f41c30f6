package sim

import (
	"maps"
	"slices"
	"sort"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/recurrence"
)

// A ledger is a second book-keeping, from the writes that were committed alone: it knows the rules of the promises and nothing of how the engine or the
// store keep them. Each commit is held against it, and at the end the rows are.
type ledger struct {
	w         *World
	jobs      map[int64]*jobEntry
	refs      map[engine.JobRef]int64
	versions  map[int64]*engine.VersionRow
	tables    map[tableKey]*recurrence.Timetable
	instances map[int64]*entry
	attempts  map[int64]*attemptEntry
	outbox    map[int64]*engine.OutboxRow
	tells     map[int64]int64 // by outbox row: the version by which its instance failed
	running   map[int64]*entry
	live      map[int64]*attemptEntry
	slotted   map[int64]*entry // waiting behind the gate slot
	lanes     map[string]*laneEntry
	watches   map[int64]*engine.WatchRow
	pauses    map[pauseName]*engine.PauseRow
	overrides map[dueTime]*engine.OverrideRow

	operations map[int64]*progress // of many transactions

	incidents  map[int64]*engine.IncidentRow
	deliveries map[int64]*engine.DeliveryRow
	troubled   map[int64]bool // instances that an incident has or had

	called  map[int64]int64 // by instance: the watch of the step that has started it
	refused int             // writes under an old fence

	commits int
}

// A jobEntry is a job and its instances.
type jobEntry struct {
	row       engine.JobRow
	scheduled []*entry // by plan time
	keyed     map[string]*entry
	active    int

	gone    []*entry // scheduled instances that retention has removed
	settled int      // of gone: those that were gone when what is left of the count was counted last
}

// A tableKey is what a timetable follows from: a version of a job, and what is left of its count.
type tableKey struct {
	version, from int64
	counted       int
}

// An entry is an instance as the commits have left it.
type entry struct {
	id, job, version int64
	key              string
	ref              engine.JobRef
	plan, notBefore  time.Time
	kind             engine.Kind
	state            engine.State
	gate             engine.Gate
	reason           engine.ReasonCode
	fence            int64
	owner            string
	lease            time.Time
	ended            time.Time
	confirmed        bool
	cancel           bool
	satisfied        bool // it has ended well once
	dryRun           bool
	touched          bool // a person has acted on it
	frozen, runNow   bool
	priority         int
	reruns           int
	before           int // attempts of earlier runs
	runs             int
	waits            []engine.Wait
	attempts         []int64
	inserted         time.Duration // true time
	told             bool          // the server must know that it is being cancelled
	toldAt           int           // the turns that it had had by then
	within           int           // the commit that planned it inside of a window
	passed           int           // passes in a row that left it in the queue beside a free slot
}

// An attemptEntry is an attempt as the commits have left it.
type attemptEntry struct {
	row    engine.AttemptRow
	result *engine.Result
	handed bool
	http   bool
}

func newLedger(w *World) *ledger {
	return &ledger{
		w: w, jobs: map[int64]*jobEntry{}, refs: map[engine.JobRef]int64{}, versions: map[int64]*engine.VersionRow{}, tables: map[tableKey]*recurrence.Timetable{},
		instances: map[int64]*entry{}, attempts: map[int64]*attemptEntry{}, outbox: map[int64]*engine.OutboxRow{}, tells: map[int64]int64{},
		running: map[int64]*entry{}, live: map[int64]*attemptEntry{}, slotted: map[int64]*entry{}, lanes: map[string]*laneEntry{},
		watches: map[int64]*engine.WatchRow{}, incidents: map[int64]*engine.IncidentRow{}, deliveries: map[int64]*engine.DeliveryRow{}, troubled: map[int64]bool{},
		called: map[int64]int64{}, pauses: map[pauseName]*engine.PauseRow{}, overrides: map[dueTime]*engine.OverrideRow{},
		operations: map[int64]*progress{},
	}
}

// clone copies the book for a backup.
func (l *ledger) clone() *ledger {
	c := newLedger(l.w)
	for id, v := range l.versions {
		c.versions[id] = v
	}
	for id, t := range l.tables {
		c.tables[id] = t
	}
	for id, row := range l.outbox {
		copied := *row
		c.outbox[id], c.tells[id] = &copied, l.tells[id]
	}
	for id, a := range l.attempts {
		copied := *a
		c.attempts[id] = &copied
		if copied.result == nil {
			c.live[id] = &copied
		}
	}
	maps.Copy(c.watches, l.watches)
	maps.Copy(c.pauses, l.pauses)
	maps.Copy(c.overrides, l.overrides)
	maps.Copy(c.operations, l.operations)
	maps.Copy(c.incidents, l.incidents) // rows are replaced, never changed
	maps.Copy(c.deliveries, l.deliveries)
	maps.Copy(c.troubled, l.troubled)
	maps.Copy(c.called, l.called)
	for id, i := range l.instances {
		copied := *i
		copied.attempts = slices.Clone(i.attempts)
		c.instances[id] = &copied
		if copied.state == engine.Running {
			c.running[id] = &copied
		}
		if l.slotted[id] != nil {
			c.slotted[id] = &copied
		}
	}
	for id, j := range l.jobs {
		copied := &jobEntry{row: j.row, keyed: map[string]*entry{}, active: j.active, gone: slices.Clone(j.gone), settled: j.settled}
		for _, i := range j.scheduled {
			copied.scheduled = append(copied.scheduled, c.instances[i.id])
		}
		for key, i := range j.keyed {
			copied.keyed[key] = c.instances[i.id]
		}
		c.jobs[id], c.refs[j.row.Ref] = copied, id
	}
	for key, l := range l.lanes {
		copied := &laneEntry{row: l.row, pruned: l.pruned}
		for _, i := range l.entries {
			copied.entries = append(copied.entries, c.instances[i.id])
		}
		c.lanes[key] = copied
	}
	return c
}

// definition is the job as of a version.
// limit is how many instances of a job may run at once: by its current definition, and for one that is gone by the given version.
func (l *ledger) limit(job int64, own *engine.Job) int {
	if row := l.jobs[job].row; !row.Removed {
		if current := l.definition(row.Version); current != nil {
			return current.Concurrency
		}
	}
	return own.Concurrency
}

func (l *ledger) definition(version int64) *engine.Job {
	row := l.versions[version]
	if row == nil {
		return nil
	}
	job, err := l.w.decode(row.Definition, row.Folder)
	if err != nil {
		return nil
	}
	return job
}

// timetable is when a version of a job is due.
func (l *ledger) timetable(j *jobEntry, version int64) *recurrence.Timetable {
	key := tableKey{version, j.row.CountFrom.UnixMilli(), j.row.Counted}
	if t := l.tables[key]; t != nil {
		return t
	}
	job := l.definition(version)
	if job == nil {
		return nil
	}
	t, err := job.When.Compile(j.row.Origin())
	if err != nil {
		return nil
	}
	l.tables[key] = t
	return t
}

// place finds where a plan time stands among the scheduled instances of a job.
func (j *jobEntry) place(at time.Time) (int, bool) {
	ms := at.UnixMilli()
	n := sort.Search(len(j.scheduled), func(i int) bool { return j.scheduled[i].plan.UnixMilli() >= ms })
	return n, n < len(j.scheduled) && j.scheduled[n].plan.UnixMilli() == ms
}

// between lists the scheduled instances of [first, last].
func (j *jobEntry) between(first, last time.Time) []*entry {
	from, _ := j.place(first)
	to, found := j.place(last)
	if found {
		to++
	}
	return j.scheduled[from:max(from, to)]
}

func (l *ledger) put(i *entry) {
	j := l.jobs[i.job]
	l.instances[i.id] = i
	if i.kind == engine.Backfill {
		lane := l.lanes[i.key]
		if lane == nil {
			lane = &laneEntry{}
			l.lanes[i.key] = lane
		}
		lane.entries = append(lane.entries, i)
		return
	}
	if i.key != "" {
		j.keyed[i.key] = i
		return
	}
	n, _ := j.place(i.plan)
	j.scheduled = slices.Insert(j.scheduled, n, i)
}

func (l *ledger) drop(i *entry) {
	j := l.jobs[i.job]
	delete(l.instances, i.id)
	delete(l.running, i.id)
	delete(l.slotted, i.id)
	for _, id := range i.attempts {
		delete(l.attempts, id)
		delete(l.live, id)
	}
	if i.kind == engine.Backfill {
		lane := l.lanes[i.key]
		lane.entries = slices.DeleteFunc(lane.entries, func(other *entry) bool { return other == i })
	} else if i.key != "" {
		delete(j.keyed, i.key)
	} else if n, found := j.place(i.plan); found {
		j.scheduled = slices.Delete(j.scheduled, n, n+1)
	}
}

// waitedFor returns an open instance that waits for i.
func (l *ledger) waitedFor(i *entry) *entry {
	for _, id := range sortedKeys(l.watches) {
		if row := l.watches[id]; row.Child == i.id {
			return l.instances[row.Instance]
		}
	}
	for _, id := range sortedKeys(l.instances) {
		other := l.instances[id]
		if other.state.Ended() {
			continue
		}
		for n := range other.waits {
			p := &other.waits[n]
			if p.Upstream == i.job && p.Key == i.key && p.Count > 0 && !i.plan.Before(p.First) && !i.plan.After(p.Last) {
				return other
			}
		}
	}
	return nil
}

func (l *ledger) isHTTP(i *entry, a *engine.AttemptRow) bool {
	job := l.definition(i.version)
	if job == nil {
		return false
	}
	action := job.ErrorAction
	if !a.Error {
		if step := job.StepOf(a.Step); step != nil {
			action = &step.Action
		}
	}
	return action != nil && (action.Type == engine.ActionHTTP || action.Type == engine.ActionHTTPS)
}

func (l *ledger) isRequest(attempt int64) bool {
	a := l.attempts[attempt]
	return a != nil && a.http
}

// describe tells a child what the rows say of its job.
func (l *ledger) describe(c *child) {
	i := l.instances[c.instance]
	if i == nil {
		return
	}
	if job := l.definition(i.version); job != nil {
		c.pool = job.Pool
		c.once = job.OnLost == engine.LostHold
	}
}

// handedOut sees an attempt on its way to a runner: it must be recorded, live, handed out once by the life of a server, and made of its pinned version.
func (l *ledger) handedOut(a engine.Attempt) {
	e := l.attempts[a.ID]
	if e == nil || e.result != nil {
		l.w.broken("I6", "attempt %d of %s was handed out, and the rows say %+v", a.ID, a.Ref, e)
		return
	}
	i := l.instances[e.row.Instance]
	if job := l.definition(i.version); job != nil && a.Action.Shell != nil && !a.Error {
		if s := job.StepOf(a.Step); s != nil && s.Action.Shell != nil && s.Action.Shell.Command != a.Action.Shell.Command {
			l.w.broken("I13", "attempt %d of %s runs %q, and its version says %q", a.ID, a.Ref, a.Action.Shell.Command, s.Action.Shell.Command)
		}
	}
	e.handed = true
}

// thisRun lists the attempts of the place before this one, in the current run of the instance.
func (l *ledger) thisRun(p place, before int64) (list []int64) {
	i := l.instances[p.instance]
	if i == nil {
		return nil
	}
	for _, id := range i.attempts[min(i.before, len(i.attempts)):] {
		if a := l.attempts[id]; id < before && a.row.Step == p.step && !a.row.Error {
			list = append(list, id)
		}
	}
	return list
}

// lastLost returns an earlier attempt of the place that is recorded as lost in the current run.
func (l *ledger) lastLost(p place, before int64) int64 {
	i := l.instances[p.instance]
	if i == nil {
		return 0
	}
	for _, id := range i.attempts[min(i.before, len(i.attempts)):] {
		a := l.attempts[id]
		if id != before && a.row.Step == p.step && !a.row.Error && a.result != nil && a.result.Outcome == engine.OutcomeLost {
			return id
		}
	}
	return 0
}
