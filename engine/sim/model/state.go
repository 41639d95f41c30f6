package model

import (
	"cmp"
	"maps"
	"math"
	"strings"

	"github.com/almanac-sched/almanac/engine"
)

// A state is all rows and their indexes. Rows are never changed: another is put in their place. Each put method takes the key of a row and the row,
// nil for none, keeps the indexes, and returns what was there, so that putting that takes the change back.
type state struct {
	pins int // readers and snapshots that hold it; guarded by the store

	counters  map[string]int64
	jobs      map[int64]*engine.JobRow
	versions  map[int64]*engine.VersionRow
	instances map[int64]*instance
	former    map[int64][]formerWaits // of an instance, by until
	waits     map[int64][]engine.Wait // of an instance, by N; put in before it and taken out after it
	steps     map[int64][]engine.StepRow
	attempts  map[int64]*engine.AttemptRow
	outbox    map[int64]*engine.OutboxRow
	leases    map[string]*engine.LeaseRow
	zones     map[string]*string // the rules of time zones
	revisions map[int64]*int64   // of the definitions, when a job was last put

	countedGone map[int64]*int // by job: instances that counted and that retention has removed
	resources   map[resourceKey]*engine.ResourceRow
	watches     map[int64]*watchRow
	once        map[engine.OnceKey]*engine.OnceRow
	tokens      map[int64]*engine.TokenRow // that were not revoked
	pauses      map[pauseKey]*engine.PauseRow
	overrides   map[overrideKey]*engine.OverrideRow
	operations  map[int64]*operation
	reaches     map[pair]*int64
	backfills   map[int64]*engine.BackfillRow
	unreal      map[int64]*unreal
	history     history
	alerts      alerts

	jobNames *ordered[jobName]
	places   *ordered[place] // of instances, by job, plan time and key

	waiting *ordered[inJob]    // waiting instances by plan time
	wake    *ordered[moment]   // by the time to be looked at
	queue   *ordered[turn]     // of pools
	line    *ordered[turn]     // of jobs, behind the gate concurrency
	watch   *ordered[place]    // by the instance watched
	running *ordered[moment]   // running and lost instances by id; the time is 0
	active  *ordered[inJob]    // running ones by start
	open    *ordered[groupKey] // instances by job, key and plan time, frozen ones apart: those that have not ended
	failed  *ordered[groupKey] // those that failed or were cancelled
	done    *ordered[groupKey] // those that satisfy
	ended   *ordered[moment]   // instances by end
	lane    *ordered[laneKey]  // instances of backfills by where they stand

	needs  *ordered[needKey]  // waits of open instances by upstream job
	some   *ordered[rangeKey] // those of select any or a count, by range
	cancel *ordered[rangeKey] // those of onFailed cancel, by range

	live    *ordered[moment]    // attempts without an end by id; the time is 0
	ran     *ordered[belonging] // attempts by instance
	pending *ordered[moment]    // undelivered outbox rows by NotBefore
	errands *ordered[belonging] // outbox rows by instance
}

// A pair is a job and another one that ever waited for it. Its reach is how many milliseconds before its own plan time an instance of the other has
// looked at most.
type pair struct{ upstream, job int64 }

type resourceKey struct{ kind, key string }

// The keys of the indexes. Times are milliseconds since 1970.
type (
	identity struct {
		job int64
		key string
		at  int64
	}
	jobName struct {
		engine.JobRef
		id int64
	}
	moment    struct{ at, id int64 }
	inJob     struct{ job, at, id int64 }
	belonging struct{ to, id int64 }
	turn      struct {
		pool     string // of the queue
		job      int64  // of the line
		priority int
		at, id   int64
	}
	place struct {
		job, at int64
		key     string
		id      int64
	}
	groupKey struct {
		job    int64
		key    string
		frozen bool
		at, id int64
	}
	needKey struct {
		upstream, instance int64
		n                  int
	}
	rangeKey struct {
		upstream    int64
		key         string
		last, first int64
		instance    int64
		n           int
	}
)

// Every key is between these.
const (
	least = math.MinInt64
	most  = math.MaxInt64
)

func compareMoments(a, b moment) int {
	if a.at != b.at {
		return cmp.Compare(a.at, b.at)
	}
	return cmp.Compare(a.id, b.id)
}

func compareInJob(a, b inJob) int {
	if a.job != b.job {
		return cmp.Compare(a.job, b.job)
	}
	return compareMoments(moment{a.at, a.id}, moment{b.at, b.id})
}

func compareBelonging(a, b belonging) int {
	if a.to != b.to {
		return cmp.Compare(a.to, b.to)
	}
	return cmp.Compare(a.id, b.id)
}

// compareTurns puts the higher priority first.
func compareTurns(a, b turn) int {
	switch {
	case a.pool != b.pool:
		return strings.Compare(a.pool, b.pool)
	case a.job != b.job:
		return cmp.Compare(a.job, b.job)
	case a.priority != b.priority:
		return cmp.Compare(b.priority, a.priority)
	}
	return compareMoments(moment{a.at, a.id}, moment{b.at, b.id})
}

func comparePlaces(a, b place) int {
	switch {
	case a.job != b.job:
		return cmp.Compare(a.job, b.job)
	case a.at != b.at:
		return cmp.Compare(a.at, b.at)
	case a.key != b.key:
		return strings.Compare(a.key, b.key)
	}
	return cmp.Compare(a.id, b.id)
}

func compareGroups(a, b groupKey) int {
	switch {
	case a.job != b.job:
		return cmp.Compare(a.job, b.job)
	case a.key != b.key:
		return strings.Compare(a.key, b.key)
	case a.frozen != b.frozen:
		if b.frozen {
			return -1
		}
		return 1
	}
	return compareMoments(moment{a.at, a.id}, moment{b.at, b.id})
}

func compareNeeds(a, b needKey) int {
	return cmp.Or(cmp.Compare(a.upstream, b.upstream), cmp.Compare(a.instance, b.instance), cmp.Compare(a.n, b.n))
}

func compareRanges(a, b rangeKey) int {
	switch {
	case a.upstream != b.upstream:
		return cmp.Compare(a.upstream, b.upstream)
	case a.key != b.key:
		return strings.Compare(a.key, b.key)
	case a.last != b.last:
		return cmp.Compare(a.last, b.last)
	}
	return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.instance, b.instance), cmp.Compare(a.n, b.n))
}

func compareNames(a, b jobName) int {
	return cmp.Or(strings.Compare(a.Workflow, b.Workflow), strings.Compare(a.Job, b.Job), cmp.Compare(a.id, b.id))
}

// The counters: the next id, and the revision of the definitions.
const (
	counterIDs      = "id"
	counterRevision = "definitions"
)

func newState() *state {
	return &state{
		counters: map[string]int64{counterIDs: 1, counterRevision: 1, counterPruned: 1},
		jobs:     map[int64]*engine.JobRow{}, versions: map[int64]*engine.VersionRow{}, instances: map[int64]*instance{},
		former: map[int64][]formerWaits{},
		waits:  map[int64][]engine.Wait{}, steps: map[int64][]engine.StepRow{}, attempts: map[int64]*engine.AttemptRow{},
		outbox: map[int64]*engine.OutboxRow{}, leases: map[string]*engine.LeaseRow{}, zones: map[string]*string{}, revisions: map[int64]*int64{}, countedGone: map[int64]*int{},
		resources: map[resourceKey]*engine.ResourceRow{}, watches: map[int64]*watchRow{}, once: map[engine.OnceKey]*engine.OnceRow{}, tokens: map[int64]*engine.TokenRow{},
		pauses: map[pauseKey]*engine.PauseRow{}, overrides: map[overrideKey]*engine.OverrideRow{}, operations: map[int64]*operation{},
		reaches: map[pair]*int64{}, backfills: map[int64]*engine.BackfillRow{}, unreal: map[int64]*unreal{}, lane: newOrdered(compareLanes), alerts: newAlerts(),
		history:  history{start: 1, first: 1, of: newOrdered(compareBelonging)},
		jobNames: newOrdered(compareNames), places: newOrdered(comparePlaces),
		waiting: newOrdered(compareInJob), wake: newOrdered(compareMoments), queue: newOrdered(compareTurns), line: newOrdered(compareTurns),
		watch: newOrdered(comparePlaces), needs: newOrdered(compareNeeds), some: newOrdered(compareRanges), cancel: newOrdered(compareRanges),
		running: newOrdered(compareMoments), active: newOrdered(compareInJob), open: newOrdered(compareGroups), failed: newOrdered(compareGroups),
		done: newOrdered(compareGroups), ended: newOrdered(compareMoments), live: newOrdered(compareMoments), ran: newOrdered(compareBelonging),
		pending: newOrdered(compareMoments), errands: newOrdered(compareBelonging),
	}
}

// clone copies everything but the rows, which never change.
func (s *state) clone() *state {
	return &state{
		counters: maps.Clone(s.counters), jobs: maps.Clone(s.jobs), versions: maps.Clone(s.versions), instances: maps.Clone(s.instances),
		former: maps.Clone(s.former),
		waits:  maps.Clone(s.waits), steps: maps.Clone(s.steps), attempts: maps.Clone(s.attempts), outbox: maps.Clone(s.outbox),
		leases: maps.Clone(s.leases), zones: maps.Clone(s.zones), revisions: maps.Clone(s.revisions), countedGone: maps.Clone(s.countedGone), resources: maps.Clone(s.resources), watches: maps.Clone(s.watches),
		once: maps.Clone(s.once), tokens: maps.Clone(s.tokens), pauses: maps.Clone(s.pauses), overrides: maps.Clone(s.overrides), operations: maps.Clone(s.operations), reaches: maps.Clone(s.reaches), backfills: maps.Clone(s.backfills), unreal: maps.Clone(s.unreal), history: s.history.clone(), lane: s.lane.clone(),
		alerts:   s.alerts.clone(),
		jobNames: s.jobNames.clone(), places: s.places.clone(),
		waiting: s.waiting.clone(), wake: s.wake.clone(), queue: s.queue.clone(), line: s.line.clone(), watch: s.watch.clone(),
		needs: s.needs.clone(), some: s.some.clone(), cancel: s.cancel.clone(), running: s.running.clone(), active: s.active.clone(),
		open: s.open.clone(), failed: s.failed.clone(), done: s.done.clone(), ended: s.ended.clone(), live: s.live.clone(), ran: s.ran.clone(),
		pending: s.pending.clone(), errands: s.errands.clone(),
	}
}

// put puts a row into a table of pointers.
func put[K comparable, R any](table map[K]*R, key K, row *R) (old *R) {
	old = table[key]
	if row == nil {
		delete(table, key)
	} else {
		table[key] = row
	}
	return old
}

// putList puts a list that belongs to an instance into its table.
func putList[R any](table map[int64][]R, key int64, rows []R) (old []R) {
	old = table[key]
	if len(rows) == 0 {
		delete(table, key)
	} else {
		table[key] = rows
	}
	return old
}

func (s *state) putCounter(name string, n int64) (old int64) {
	old = s.counters[name]
	s.counters[name] = n
	return old
}

func (s *state) putJob(id int64, row *engine.JobRow) (old *engine.JobRow) {
	old = put(s.jobs, id, row)
	move(s.jobNames, func(j *engine.JobRow) (jobName, bool) {
		if j == nil {
			return jobName{}, false
		}
		return jobName{j.Ref, j.ID}, true
	}, old, row)
	return old
}

func (s *state) putVersion(id int64, row *engine.VersionRow) (old *engine.VersionRow) {
	return put(s.versions, id, row)
}

func (s *state) putLease(name string, row *engine.LeaseRow) (old *engine.LeaseRow) {
	return put(s.leases, name, row)
}

func (s *state) putReach(of pair, reach *int64) (old *int64) { return put(s.reaches, of, reach) }

func (s *state) putRevision(job int64, revision *int64) (old *int64) {
	return put(s.revisions, job, revision)
}

func (s *state) putResource(key resourceKey, row *engine.ResourceRow) (old *engine.ResourceRow) {
	return put(s.resources, key, row)
}

func (s *state) putCountedGone(job int64, n *int) (old *int) { return put(s.countedGone, job, n) }

func (s *state) putZone(name string, rules *string) (old *string) { return put(s.zones, name, rules) }

func (s *state) putWaits(instance int64, rows []engine.Wait) (old []engine.Wait) {
	return putList(s.waits, instance, rows)
}

// formerWaits are what an instance waited for until a person took something of it away.
type formerWaits struct {
	until int64
	waits []engine.Wait
}

func (s *state) putFormer(instance int64, rows []formerWaits) (old []formerWaits) {
	return putList(s.former, instance, rows)
}

func (s *state) putSteps(instance int64, rows []engine.StepRow) (old []engine.StepRow) {
	return putList(s.steps, instance, rows)
}

func (s *state) putAttempt(id int64, row *engine.AttemptRow) (old *engine.AttemptRow) {
	old = put(s.attempts, id, row)
	move(s.live, liveKey, old, row)
	move(s.ran, ranKey, old, row)
	return old
}

func liveKey(a *engine.AttemptRow) (moment, bool) {
	if a == nil || a.Result != nil {
		return moment{}, false
	}
	return moment{id: a.ID}, true
}

func ranKey(a *engine.AttemptRow) (belonging, bool) {
	if a == nil {
		return belonging{}, false
	}
	return belonging{a.Instance, a.ID}, true
}

func (s *state) putOutbox(id int64, row *engine.OutboxRow) (old *engine.OutboxRow) {
	old = put(s.outbox, id, row)
	move(s.pending, pendingKey, old, row)
	move(s.errands, errandKey, old, row)
	return old
}

func pendingKey(o *engine.OutboxRow) (moment, bool) {
	if o == nil || o.State != engine.OutboxPending {
		return moment{}, false
	}
	return moment{o.NotBefore.UnixMilli(), o.ID}, true
}

func errandKey(o *engine.OutboxRow) (belonging, bool) {
	if o == nil || o.Instance == 0 {
		return belonging{}, false
	}
	return belonging{o.Instance, o.ID}, true
}
