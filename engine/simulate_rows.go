package engine

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"time"
)

// playRows are the rows of a simulation: a Store for one goroutine, in memory, that keeps what a turn of the loop asks for and no more. What an instance
// waits for is made of the plan each time that somebody asks, so that a day of a hundred thousand instances needs no more room than its plan.
//
// It answers as the stores that keep rows do; that it does is what the comparison with the real engine tests.
type playRows struct {
	Tx // nil: what is not below is never asked for in a turn

	play  *play
	list  []*playRow
	jobs  []playJob // by row id − 1
	wakes wakeQueue
	pools map[string]*poolQueue

	live     []AttemptRow // by id
	ran      []playAttempt
	attempts map[int64]int  // of live attempts: index into ran
	outbox   []OutboxRow    // undelivered, by id
	carried  map[int64]bool // of the outbox: by live attempts
	nextID   int64
	looks    int64 // calls of Due
	looked   int   // instances that critical paths were looked for among

	spells   []spell
	settled  map[settledKey]int
	circular bool
	due      []Instance
	taken    []*playRow // of Queued, as found is
	found    []Instance
	scratch  []Wait
}

const playRevision = 1

// never is a wake that does not come by itself.
const never = int64(math.MaxInt64)

// A playRow is an instance, with the place in the plan where its waits are.
type playRow struct {
	Instance
	part *JobPlan // nil for one that is only looked at: it lies outside the windows
	n    int
	ups  []int64 // the upstream job of each dependency

	wake     int64
	look     int64 // of Due, when it was listed last
	queued   bool  // has an entry in the queue of its pool, valid or not
	watching *playRow
	watchers []*playRow
	last     int32 // its latest spell, -1
}

// A playJob is the instances of a job and what is asked of them.
type playJob struct {
	ref       JobRef
	disabled  bool
	scheduled []*playRow // by plan time
	backfill  []*playRow
	active    []*playRow // running, by start
	line      []*playRow // waiting behind the gate concurrency, by turn
	ranges    []playRange
	ended     [2][]*playRow // once the day is over: scheduled and backfill, by their ends
}

// A playRange is a wait that is woken by what happens in a range, not by one instance that it watches.
type playRange struct {
	row         *playRow
	key         string
	first, last int64
	some        bool // select any or a count: woken by a success
	cancel      bool // onFailed cancel: woken by a failure
}

// A playAttempt is an attempt as it was, for the use of slots over time.
type playAttempt struct {
	pool       string
	start, end time.Time
}

// A spell is how long a gate held an instance: from at to the spell that follows it, its start or its end.
type spell struct {
	before int32 // the spell before, -1
	gate   int8  // index into Gates
	at     int64
}

type settledKey struct {
	row  int64
	wait int
}

// Write and Read run fn at once: nothing else looks at the rows.
func (r *playRows) Write(_ context.Context, fn func(tx Tx) error) error { return fn(r) }

// Read runs fn.
func (r *playRows) Read(_ context.Context, fn func(v View) error) error { return fn(r) }

// Clock is the play's.
func (r *playRows) Clock() (time.Time, error) { return r.play.now, nil }

// Revision never changes.
func (r *playRows) Revision() (int64, error) { return playRevision, nil }

// Pauses are those that the simulation is given.
func (r *playRows) Pauses() ([]PauseRow, error) { return r.play.Pauses, nil }

// OpenOperations are none: a simulation is of what is due.
func (r *playRows) OpenOperations() ([]OperationRow, error) { return nil, nil }

// Reserve counts on.
func (r *playRows) Reserve(n int) (int64, error) {
	first := r.nextID
	r.nextID += int64(n)
	return first, nil
}

func (r *playRows) row(id int64) *playRow {
	if id < 1 || id > int64(len(r.list)) {
		return nil
	}
	return r.list[id-1]
}

// Instance returns one.
func (r *playRows) Instance(id int64) (Instance, error) {
	if row := r.row(id); row != nil {
		return row.Instance, nil
	}
	return Instance{}, ErrNotFound
}

func (j *playJob) of(key string) []*playRow {
	if key == "" {
		return j.scheduled
	}
	return j.backfill
}

// within returns the instances with a plan time in [from, to].
func (j *playJob) within(key string, from, to int64) []*playRow {
	rows := j.of(key)
	lo := sort.Search(len(rows), func(n int) bool { return rows[n].PlanTime.UnixMilli() >= from })
	hi := lo + sort.Search(len(rows)-lo, func(n int) bool { return rows[lo+n].PlanTime.UnixMilli() > to })
	return rows[lo:hi]
}

func (r *playRows) find(job int64, key string, at time.Time) *playRow {
	if job < 1 || job > int64(len(r.jobs)) {
		return nil
	}
	ms := at.UnixMilli()
	if found := r.jobs[job-1].within(key, ms, ms); len(found) > 0 {
		return found[0]
	}
	return nil
}

// Find returns the instance of that identity.
func (r *playRows) Find(job int64, key string, at time.Time) (Instance, error) {
	if row := r.find(job, key, at); row != nil {
		return row.Instance, nil
	}
	return Instance{}, ErrNotFound
}

// Upstreams lists which jobs wait for which.
func (r *playRows) Upstreams() ([]JobPair, error) {
	var pairs []JobPair
	for i := range r.play.plan.Jobs {
		part := &r.play.plan.Jobs[i]
		down := r.id(part.Job.Ref())
		for d := range part.Dependencies {
			pairs = append(pairs, JobPair{Job: down, Upstream: r.id(part.Dependencies[d].Upstream.Ref())})
		}
	}
	return pairs, nil
}

func (r *playRows) id(ref JobRef) int64 {
	i, _ := r.play.Planner.find(ref)
	return int64(i + 1)
}

// Due lists what has come due; each is held or started before the next call.
func (r *playRows) Due(now time.Time, limit int) ([]Instance, error) {
	r.looks++
	r.due = r.due[:0]
	ms := now.UnixMilli()
	for len(r.due) < limit {
		top := r.firstWake()
		if top == nil || top.wake > ms {
			break
		}
		r.wakes.take()
		if top.look == r.looks {
			continue // twice in the heap
		}
		top.look = r.looks
		r.due = append(r.due, top.Instance)
	}
	return r.due, nil
}

// Queued lists the first of a pool's queue. The list is good until the next call.
func (r *playRows) Queued(pool string, limit int) ([]Instance, error) {
	q := r.pools[pool]
	if q == nil {
		return nil, nil
	}
	taken, found := r.taken[:0], r.found[:0]
	for len(found) < limit && q.Len() > 0 {
		row := q.take()
		if !row.inQueue() {
			row.queued = false
			continue
		}
		taken, found = append(taken, row), append(found, row.Instance)
	}
	for _, row := range taken {
		q.add(row)
	}
	r.taken, r.found = taken, found
	return found, nil
}

func (row *playRow) inQueue() bool { return row.State == Waiting && row.Gate == GateSlot }

// Agenda tells what is to be looked at.
func (r *playRows) Agenda() (a Agenda, err error) {
	if top := r.firstWake(); top != nil {
		a.Wake = time.UnixMilli(top.wake).UTC()
	}
	for i := range r.outbox { // in order of time: each is delivered at its first attempt
		if o := &r.outbox[i]; !r.carried[o.ID] {
			a.Outbox = o.NotBefore
			break
		}
	}
	for pool, q := range r.pools {
		for q.Len() > 0 && !(*q)[0].inQueue() {
			q.take().queued = false
		}
		if q.Len() > 0 {
			a.Pools = append(a.Pools, pool)
		}
	}
	slices.Sort(a.Pools)
	return a, nil
}

// Active lists the running instances of the job.
func (r *playRows) Active(job int64) ([]Instance, error) {
	var active []Instance
	for _, row := range r.jobs[job-1].active {
		active = append(active, row.Instance)
	}
	return active, nil
}

// ActiveCount counts them.
func (r *playRows) ActiveCount(job int64) (int, error) { return len(r.jobs[job-1].active), nil }

// LaterDue looks for a later one.
func (r *playRows) LaterDue(i *Instance, now time.Time) (bool, error) {
	later := r.jobs[i.Job-1].within("", i.PlanTime.UnixMilli()+1, now.UnixMilli())
	return slices.ContainsFunc(later, func(row *playRow) bool { return row.State == Waiting }), nil
}

// Live lists the attempts that run. The list is the rows' own.
func (r *playRows) Live() ([]AttemptRow, error) { return r.live, nil }

// What holds no slot is no row here: perform says when it ends.

// PutWatch has nothing to keep.
func (r *playRows) PutWatch(WatchRow, int64) (bool, error) { return true, nil }

// EndWatch has nothing to remove.
func (r *playRows) EndWatch(_, _, _ int64) (bool, error) { return true, nil }

// WatchesOver knows of none.
func (r *playRows) WatchesOver(int) ([]WatchRow, error) { return nil, nil }

// Backfill and OpenBackfills know of no lanes: a simulated backfill has all slots.
func (r *playRows) Backfill(string) (BackfillRow, error) { return BackfillRow{}, ErrNotFound }

// OpenBackfills lists none.
func (r *playRows) OpenBackfills() ([]BackfillRow, error) { return nil, nil }

// Attempts has nothing to add to what the turn knows: no instance runs twice.
func (r *playRows) Attempts(int64) ([]AttemptRow, error) { return nil, nil }

// OutboxDue lists undelivered rows.
func (r *playRows) OutboxDue(now time.Time, limit int) (due []OutboxRow, err error) {
	for i := range r.outbox {
		if len(due) < limit && !r.outbox[i].NotBefore.After(now) {
			due = append(due, r.outbox[i])
		}
	}
	return due, nil
}

// compareRows orders a queue by turn: priority (9 first), plan time, id.
func compareRows(a, b *playRow) int {
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), a.PlanTime.Compare(b.PlanTime), cmp.Compare(a.ID, b.ID))
}

// Before orders by turn.
func (row *playRow) Before(other *playRow) bool { return compareRows(row, other) < 0 }

// A poolQueue is what waits for a slot, by turn. One that does not any more is dropped when it comes first.
type poolQueue = queue[*playRow]

// A wakeQueue is when instances are to be looked at. An entry that says another time than its instance does is dropped when it comes first.
type wakeQueue = queue[wakeEntry]

type wakeEntry struct {
	at  int64
	row *playRow
}

// Before orders by time, then by instance.
func (w wakeEntry) Before(other wakeEntry) bool {
	return w.at < other.at || w.at == other.at && w.row.ID < other.row.ID
}

// firstWake returns the instance to be looked at first, nil when there is none.
func (r *playRows) firstWake() *playRow {
	for len(r.wakes) > 0 {
		if top := r.wakes[0]; top.row.State == Waiting && top.row.wake == top.at {
			return top.row
		}
		r.wakes.take()
	}
	return nil
}

// JobByRef is asked for what is left of a count. A day that is foreseen has no rows of jobs.
func (r *playRows) JobByRef(ref JobRef) (JobRow, error) {
	return JobRow{}, fmt.Errorf("job %s: %w", ref, ErrNotFound)
}
