package sim

import (
	"errors"
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
	tables    map[int64]*recurrence.Timetable // by version
	instances map[int64]*entry
	attempts  map[int64]*attemptEntry
	outbox    map[int64]*engine.OutboxRow
	running   map[int64]*entry
	live      map[int64]*attemptEntry
	slotted   map[int64]*entry // waiting behind the gate slot
	refused   int              // writes under an old fence

	commits int
}

// A jobEntry is a job and its instances.
type jobEntry struct {
	row       engine.JobRow
	scheduled []*entry // by plan time
	keyed     map[string]*entry
	active    int
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
	dryRun           bool
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
		w: w, jobs: map[int64]*jobEntry{}, refs: map[engine.JobRef]int64{}, versions: map[int64]*engine.VersionRow{}, tables: map[int64]*recurrence.Timetable{},
		instances: map[int64]*entry{}, attempts: map[int64]*attemptEntry{}, outbox: map[int64]*engine.OutboxRow{},
		running: map[int64]*entry{}, live: map[int64]*attemptEntry{}, slotted: map[int64]*entry{},
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
		c.outbox[id] = &copied
	}
	for id, a := range l.attempts {
		copied := *a
		c.attempts[id] = &copied
		if copied.result == nil {
			c.live[id] = &copied
		}
	}
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
		copied := &jobEntry{row: j.row, keyed: map[string]*entry{}, active: j.active}
		for _, i := range j.scheduled {
			copied.scheduled = append(copied.scheduled, c.instances[i.id])
		}
		for key, i := range j.keyed {
			copied.keyed[key] = c.instances[i.id]
		}
		c.jobs[id], c.refs[j.row.Ref] = copied, id
	}
	return c
}

// definition is the job as of a version.
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
	if t := l.tables[version]; t != nil {
		return t
	}
	job := l.definition(version)
	if job == nil {
		return nil
	}
	t, err := job.When.Compile(recurrence.Created(j.row.CreatedAt))
	if err != nil {
		return nil
	}
	l.tables[version] = t
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
	if i.key != "" {
		delete(j.keyed, i.key)
	} else if n, found := j.place(i.plan); found {
		j.scheduled = slices.Delete(j.scheduled, n, n+1)
	}
}

// A booking is one commit on its way into the book.
type booking struct {
	*ledger
	s       *server
	clock   time.Time // the store's
	failed  map[int64]bool
	written map[int64]bool // instances of outbox rows that are new
	windows []window
	planned []*entry
}

// A window is what a commit says it has planned.
type window struct {
	job      int64
	version  int64 // 0: the one that is current when the commit is complete
	from, to time.Time
}

// commit enters what a transaction wrote, in order, and checks it.
func (l *ledger) commit(s *server, ops []op) {
	if len(ops) == 0 {
		return
	}
	l.commits++
	s.commits++
	b := &booking{ledger: l, s: s, clock: l.w.storeClock()}
	for i := range ops {
		if b.enter(&ops[i]); l.w.violation != nil {
			return
		}
	}
	b.checkOutbox()
	b.checkPlan()
	b.checkWithin()
}

func (b *booking) enter(o *op) {
	w := b.w
	switch o.kind {
	case opPutJob:
		b.putJob(o.job)
	case opPutVersion:
		if b.versions[o.version.ID] != nil {
			w.broken("I13", "version %d was replaced", o.version.ID)
		}
		b.versions[o.version.ID] = o.version
	case opPlanned:
		b.moveMark(o)
	case opInsert:
		b.insert(o)
	case opDelete:
		b.delete(o)
	case opApply:
		b.apply(o)
	case opHold:
		if i := b.instances[o.id]; o.ok && i != nil {
			if i.state != engine.Waiting {
				w.broken("I2", "instance %d was held while it was %s", o.id, i.state)
			}
			if i.gate != o.hold.Gate || i.reason != o.hold.Reason.Code {
				w.logf("%s holds %d %s@%s behind %s: %s %s", b.s.name, i.id, i.ref, i.plan.Format("01-02T15:04"), o.hold.Gate, o.hold.Reason.Code, o.hold.Reason.Detail)
			}
			i.gate, i.reason = o.hold.Gate, o.hold.Reason.Code
			if delete(b.slotted, i.id); i.gate == engine.GateSlot {
				i.passed, b.slotted[i.id] = 0, i
			}
			if o.hold.Reason.Code == engine.ReasonCycle {
				w.saw("cycle blocked")
			}
		}
	case opCancel:
		if i := b.instances[o.id]; o.ok {
			if i.cancel = true; !b.s.commanded {
				i.told, i.toldAt = true, b.s.turned
			}
			b.s.called = true
		}
	case opConfirm:
		if i := b.instances[o.id]; o.ok {
			i.confirmed = true
		}
	case opRenew:
		for _, i := range b.running {
			if i.owner == o.owner {
				i.lease = o.to
			}
		}
	case opTakeOver:
		b.takeOver(o)
	case opTakeErrand:
		b.takeErrand(o)
	case opSteps:
		b.fenced(o, "a step")
	case opStart, opAdd:
		b.attempt(o)
	case opEnd:
		b.end(o)
	case opOutbox:
		b.deliver(o.outbox)
	case opEvent:
		switch o.event.Kind {
		case "clock-jump":
			w.saw("clock jump noticed")
		case "fenced":
			w.saw("fenced write refused")
		}
	case opPrune:
		b.prune(o)
	}
}

func (b *booking) putJob(row *engine.JobRow) {
	j := b.jobs[row.ID]
	if j == nil {
		if other, known := b.refs[row.Ref]; known {
			b.w.broken("I1", "%s has the rows %d and %d", row.Ref, other, row.ID)
		}
		j = &jobEntry{keyed: map[string]*entry{}}
		b.jobs[row.ID], b.refs[row.Ref] = j, row.ID
	} else if !row.CreatedAt.Equal(j.row.CreatedAt) || row.PlannedTo.Before(j.row.PlannedTo) {
		b.w.broken("I1", "%s was created at %s and is planned to %s; a load says %s and %s", row.Ref, j.row.CreatedAt, j.row.PlannedTo, row.CreatedAt, row.PlannedTo)
	}
	j.row = *row
	b.w.logf("%s job %s v%d disabled=%t removed=%t", b.s.name, row.Ref, row.Version, row.Disabled, row.Removed)
}

func (b *booking) moveMark(o *op) {
	j := b.jobs[o.id]
	if !o.ok {
		return
	}
	if !j.row.PlannedTo.Equal(o.at) || !o.to.After(o.at) {
		b.w.broken("I1", "the watermark of %s moved from %s to %s while it stood at %s", j.row.Ref, o.at, o.to, j.row.PlannedTo)
	}
	from := o.at
	if from.IsZero() {
		from = j.row.CreatedAt
	}
	j.row.PlannedTo = o.to
	b.windows = append(b.windows, window{o.id, j.row.Version, from, o.to})
	b.w.sawDay(from, o.to)
}

func (b *booking) insert(o *op) {
	i := o.instance
	j := b.jobs[i.Job]
	if j == nil {
		b.w.broken("I13", "an instance of the unknown job %d was planned", i.Job)
		return
	}
	known := j.keyed[i.Key] != nil
	if i.Key == "" {
		_, known = j.place(i.PlanTime)
	}
	if known {
		return
	}
	if j.row.Version != i.Version {
		b.w.broken("I13", "%s was planned by version %d while %d is current", i.Name(), i.Version, j.row.Version)
	}
	e := &entry{
		id: i.ID, job: i.Job, version: i.Version, key: i.Key, ref: i.Ref, plan: i.PlanTime, notBefore: i.NotBefore, kind: i.Kind, state: engine.Waiting,
		gate: i.Gate, reason: i.Reason.Code, fence: i.Fence, waits: o.waits, dryRun: i.DryRun, inserted: b.w.t,
	}
	b.put(e)
	if i.Kind == engine.Scheduled {
		b.planned = append(b.planned, e)
	}
	b.w.logf("%s plans %d %s key=%q waits=%d", b.s.name, i.ID, i.Name(), i.Key, len(o.waits))
}

func (b *booking) delete(o *op) {
	j := b.jobs[o.id]
	from, _ := j.place(o.at)
	n := int64(0)
	for k := len(j.scheduled) - 1; k >= from; k-- {
		i := j.scheduled[k]
		if i.state == engine.Waiting && i.gate == engine.GateTime && i.kind == engine.Scheduled && !i.confirmed {
			b.drop(i)
			n++
		}
	}
	if n != o.n {
		b.w.broken("store", "DeleteUnstarted of %s from %s: %d were deleted, %d could be", j.row.Ref, o.at, o.n, n)
	}
	b.windows = append(b.windows, window{o.id, 0, o.at, time.Time{}})
}

// arrows is the transition table, written down a second time.
var arrows = map[engine.Event]map[engine.State]engine.State{
	engine.Start:   {engine.Waiting: engine.Running},
	engine.Succeed: {engine.Running: engine.Succeeded},
	engine.Fail:    {engine.Running: engine.Failed, engine.Lost: engine.Failed},
	engine.Lose:    {engine.Running: engine.Lost},
	engine.Cancel:  {engine.Waiting: engine.Cancelled, engine.Running: engine.Cancelled, engine.Lost: engine.Cancelled},
	engine.Skip:    {engine.Waiting: engine.Skipped, engine.Failed: engine.Skipped, engine.Cancelled: engine.Skipped},
}

func (b *booking) apply(o *op) {
	t, i := o.change, b.instances[o.id]
	if !o.ok {
		b.refusedWrite(i, t.Fence)
		return
	}
	if i == nil {
		b.w.broken("I2", "instance %d, which does not exist, took %q", o.id, t.Event)
		return
	}
	to, legal := arrows[t.Event][i.state]
	switch {
	case i.state != t.From || !legal:
		b.w.broken("I2", "instance %d of %s was %s and took %q from %s", i.id, i.ref, i.state, t.Event, t.From)
	case i.fence != t.Fence:
		b.w.broken("I3", "instance %d of %s took %q under fence %d while %d was its", i.id, i.ref, t.Event, t.Fence, i.fence)
	}
	if b.w.violation != nil {
		return
	}
	b.w.logf("%s %s %d %s@%s f%d %s %s", b.s.name, t.Event, i.id, i.ref, i.plan.Format("01-02T15:04"), i.fence, t.Reason.Code, t.Reason.Detail)
	delete(b.slotted, i.id)
	j := b.jobs[i.job]
	if t.Event == engine.Start {
		b.checkStart(i, j, t)
		i.fence++
		i.cancel, i.told = false, false
		i.owner, i.lease = t.Owner, t.Lease
		i.runs++
		j.active++
		b.running[i.id] = i
	} else if i.state == engine.Running {
		j.active--
		delete(b.running, i.id)
		b.checkEnd(i, t)
	}
	if t.Event == engine.Fail {
		if b.failed == nil {
			b.failed = map[int64]bool{}
		}
		b.failed[i.id] = true
	}
	if to == engine.Cancelled && t.Reason.Code == "" || to == engine.Skipped && t.Reason.Code == "" {
		b.w.broken("I10", "instance %d of %s is %s without a reason", i.id, i.ref, to)
	}
	b.w.sawEnd(i, t, b.definition(i.version))
	i.state, i.reason = to, t.Reason.Code
	if to.Ended() {
		i.ended = t.At
	}
}

func (b *booking) refusedWrite(i *entry, fence int64) {
	b.refused++
	if i != nil && i.fence > fence {
		b.w.saw("fenced write refused")
	}
}

// checkStart holds a claim against I3, I4 and I5.
func (b *booking) checkStart(i *entry, j *jobEntry, t *engine.Transition) {
	w, job := b.w, b.definition(i.version)
	switch {
	case t.Owner == "" || t.Lease.IsZero() || w.shape.shared && !t.Lease.After(b.clock):
		w.broken("I3", "instance %d of %s was claimed by %q until %s, when it was %s", i.id, i.ref, t.Owner, t.Lease, b.clock)
	case job == nil:
		w.broken("I13", "instance %d of %s was started by a version that nobody can read", i.id, i.ref)
	case j.active >= job.Concurrency:
		w.broken("I5", "instance %d of %s was started while %d of %d ran", i.id, i.ref, j.active, job.Concurrency)
	case t.At.Before(i.notBefore):
		w.broken("I4", "instance %d of %s was started at %s, before %s", i.id, i.ref, t.At, i.notBefore)
	case job.Confirm && !i.confirmed:
		w.broken("I4", "instance %d of %s was started although nobody had confirmed it", i.id, i.ref)
	default:
		if why := b.unmet(i, job, t.At); why != "" {
			w.broken("I4", "instance %d of %s@%s was started although %s", i.id, i.ref, i.plan, why)
		}
	}
	if t.At.Sub(i.notBefore) > engine.MisfireGrace && i.gate == engine.GateTime {
		w.saw("misfire run late")
	}
}

// unmet says which dependency does not allow the start; "" is none.
func (b *booking) unmet(i *entry, job *engine.Job, now time.Time) string {
	for from := 0; from < len(i.waits); {
		to := from + 1
		for to < len(i.waits) && i.waits[to].Dependency == i.waits[from].Dependency && i.waits[to].Ended == i.waits[from].Ended {
			to++
		}
		pieces := i.waits[from:to]
		from = to
		first := &pieces[0]
		up := b.jobs[first.Upstream]
		if up == nil {
			return "its upstream " + first.Ref.String() + " is unknown"
		}
		gone := up.row.Removed || up.row.Disabled
		satisfied, open, short, count := 0, "", "", 0
		latest := i.plan
		for n := range pieces {
			p := &pieces[n]
			if p.Count == 0 {
				continue
			}
			count += p.Count
			if p.Last.After(latest) {
				latest = p.Last
			}
			if !up.row.PlannedTo.After(p.Last) && !gone {
				open, short = "not planned yet", "not planned yet"
			}
			for _, u := range up.between(p.First, p.Last) {
				if u.state.Satisfies() {
					satisfied++
				} else {
					short = u.plan.String() + " is " + string(u.state)
				}
				if !u.state.Ended() {
					open = short
				}
			}
		}
		if i.notBefore.After(latest) {
			latest = i.notBefore
		}
		late := first.Timeout > 0 && !now.Before(latest.Add(first.Timeout))
		switch {
		case count == 0 || gone:
		case first.Ended || first.OnFailed == engine.FailedRun:
			if open != "" && !late && (first.Select == "all" || first.Ended || satisfied == 0) {
				return first.Ref.String() + " has not ended: " + open
			}
		case first.Select == "all":
			if short != "" {
				return first.Ref.String() + " is not satisfied: " + short
			}
		default:
			if want := atLeast(first.Select); satisfied < want {
				return first.Ref.String() + " is not satisfied often enough: " + short
			}
		}
	}
	return ""
}

func atLeast(words string) int {
	n := 0
	for _, c := range words {
		if c < '0' || c > '9' {
			return 1
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// checkEnd holds the end of a run against I2 and I6: nothing of it lives, and success has a successful attempt of what the job does.
func (b *booking) checkEnd(i *entry, t *engine.Transition) {
	succeeded := false
	for _, id := range i.attempts {
		a := b.attempts[id]
		switch {
		case a.row.Error:
		case a.result == nil:
			b.w.broken("I2", "instance %d of %s took %q while its attempt %d lives", i.id, i.ref, t.Event, id)
		case a.result.Outcome == engine.OutcomeSucceeded:
			succeeded = true
		}
	}
	if t.Event != engine.Cancel && b.forgotten(i) {
		b.w.broken("I9", "instance %d of %s took %q although its cancellation was decided %d turns before", i.id, i.ref, t.Event, b.s.turned-i.toldAt)
	}
	job := b.definition(i.version)
	if t.Event == engine.Succeed && !succeeded && job != nil && len(job.Steps) == 1 {
		b.w.broken("I6", "instance %d of %s succeeded without a successful attempt", i.id, i.ref)
	}
}

// forgotten reports whether a cancellation was decided or acknowledged a whole turn ago. One that shares its store may not have looked yet.
func (b *booking) forgotten(i *entry) bool {
	return i.told && !b.w.shape.shared && b.s.turned >= i.toldAt+2
}

func (b *booking) takeOver(o *op) {
	i := b.instances[o.id]
	if !o.ok {
		b.refusedWrite(i, o.fence)
		return
	}
	switch {
	case i == nil || i.state != engine.Running || i.fence != o.fence || o.grown != o.fence+1:
		b.w.broken("I3", "instance %d was taken over from fence %d to %d while it was %+v", o.id, o.fence, o.grown, i)
		return
	case b.w.shape.shared && i.lease.Truncate(time.Millisecond).After(b.clock) && i.owner != o.owner:
		b.w.broken("I3", "instance %d of %s was taken over by %s at %s although the lease of %s lasted until %s", i.id, i.ref, o.owner, b.clock, i.owner, i.lease)
	}
	b.w.logf("%s takes over %d %s f%d from %s", b.s.name, i.id, i.ref, o.grown, i.owner)
	if b.w.shape.shared && b.w.alive(i.owner) {
		b.w.saw("lease stolen while paused")
	}
	b.w.saw("instance taken over")
	i.fence, i.owner, i.lease = o.grown, o.owner, o.to
	for _, id := range i.attempts {
		if a := b.attempts[id]; a.result == nil && !a.row.Error {
			a.row.Fence, a.row.Owner = o.grown, o.owner
		}
	}
}

func (b *booking) takeErrand(o *op) {
	a := b.attempts[o.id]
	if !o.ok {
		return
	}
	if a == nil || a.result != nil || !a.row.Error || a.row.Fence != o.fence || o.grown != o.fence+1 {
		b.w.broken("I3", "the error action's attempt %d was taken over from fence %d to %d while it was %+v", o.id, o.fence, o.grown, a)
		return
	}
	a.row.Fence, a.row.Owner = o.grown, o.owner
}

// fenced checks a write that only the owner of a running instance may do.
func (b *booking) fenced(o *op, what string) bool {
	i := b.instances[o.id]
	holds := i != nil && i.state == engine.Running && i.fence == o.fence
	switch {
	case o.ok && !holds:
		b.w.broken("I3", "%s of instance %d was written under fence %d while it was %+v", what, o.id, o.fence, i)
	case !o.ok && holds:
		b.w.broken("store", "%s of instance %d was refused under its fence %d", what, o.id, o.fence)
	case !o.ok:
		b.refusedWrite(i, o.fence)
	}
	return o.ok
}

func (b *booking) attempt(o *op) {
	a := *o.attempt
	if !a.Error && !b.fenced(o, "an attempt") || !o.ok {
		return
	}
	i := b.instances[a.Instance]
	if b.attempts[a.ID] != nil || i == nil {
		b.w.broken("I2", "attempt %d of instance %d was begun twice, or of nothing", a.ID, a.Instance)
		return
	}
	if !a.Error && b.forgotten(i) {
		b.w.broken("I9", "attempt %d of instance %d of %s begins although its cancellation was decided %d turns before", a.ID, i.id, i.ref, b.s.turned-i.toldAt)
		return
	}
	e := &attemptEntry{row: a, result: a.Result, http: b.isHTTP(i, &a)}
	for _, id := range i.attempts {
		other := b.attempts[id]
		if other.row.Error != a.Error || other.row.Step != a.Step || a.Error && other.row.Outbox != a.Outbox {
			continue
		}
		if other.result == nil {
			b.w.broken("I2", "attempt %d of instance %d of %s begins while attempt %d lives", a.ID, i.id, i.ref, id)
		}
		if other.row.Number >= a.Number {
			b.w.broken("I2", "attempt %d of instance %d of %s has number %d after %d", a.ID, i.id, i.ref, a.Number, other.row.Number)
		}
	}
	b.attempts[a.ID] = e
	i.attempts = append(i.attempts, a.ID)
	if a.Number > 1 && !a.Error {
		b.w.saw("attempt repeated")
	}
	if a.Error && a.Number > 1 {
		b.w.saw("outbox redelivered")
	}
	if a.Result == nil {
		b.s.called = true
		b.live[a.ID] = e
		b.checkLimits(e)
	}
	b.w.logf("%s attempt %d of %d %s step=%q n=%d f%d error=%t", b.s.name, a.ID, i.id, i.ref, a.Step, a.Number, a.Fence, a.Error)
}

// checkLimits holds a new live attempt against I5.
func (b *booking) checkLimits(e *attemptEntry) {
	mine, pooled := 0, 0
	for _, other := range b.live {
		if !b.w.shape.shared || other.row.Owner == e.row.Owner {
			mine++
		}
		if e.row.Pool != "" && other.row.Pool == e.row.Pool {
			pooled++
		}
	}
	if mine > b.w.shape.slots {
		b.w.broken("I5", "attempt %d is the %d-th of %d slots", e.row.ID, mine, b.w.shape.slots)
	}
	if size := b.w.shape.pools[e.row.Pool]; e.row.Pool != "" && pooled > size {
		b.w.broken("I5", "attempt %d is the %d-th in the pool %s of %d", e.row.ID, pooled, e.row.Pool, size)
	}
	if size := b.w.shape.pools[e.row.Pool]; e.row.Pool != "" && pooled == size {
		b.w.saw("pool full")
	}
	for pool, size := range b.w.shape.pools {
		if pool != e.row.Pool && size == 1 {
			for _, other := range b.live {
				if other.row.Pool == pool {
					b.w.saw("started beside a full pool")
				}
			}
		}
	}
	if mine == b.w.shape.slots {
		b.w.saw("slots full")
	}
}

func (b *booking) end(o *op) {
	a, r := b.attempts[o.id], o.result
	holds := a != nil && a.result == nil && a.row.Fence == o.fence
	switch {
	case !o.ok && holds:
		b.w.broken("store", "the end of attempt %d was refused under its fence %d", o.id, o.fence)
		return
	case !o.ok:
		b.refused++
		if a != nil && a.row.Fence > o.fence {
			b.w.saw("fenced write refused")
		}
		return
	case !holds:
		b.w.broken("I3", "attempt %d ended as %s under fence %d while it was %+v", o.id, r.Outcome, o.fence, a)
		return
	}
	a.result = r
	delete(b.live, o.id)
	i := b.instances[a.row.Instance]
	b.w.logf("%s attempt %d of %d ended %s %s", b.s.name, o.id, a.row.Instance, r.Outcome, r.Message)
	job := b.definition(i.version)
	if r.Outcome == engine.OutcomeLost && job != nil && !a.row.Error {
		b.w.saw("lost " + string(job.OnLost))
	}
	b.checkWitness(a, r)
}

// checkWitness holds what is recorded against what happened.
func (b *booking) checkWitness(a *attemptEntry, r *engine.Result) {
	c := b.w.witness.children[r.Attempt]
	switch {
	case r.Outcome == engine.OutcomeSucceeded && (c == nil || c.alive || c.outcome != engine.OutcomeSucceeded):
		b.w.broken("I6", "attempt %d is recorded as succeeded, and the witness saw %+v", r.Attempt, c)
	case r.Outcome == engine.OutcomeFailed && r.Exit != nil && (c == nil || c.alive):
		b.w.broken("I6", "attempt %d is recorded as failed with an exit, and the witness saw %+v", r.Attempt, c)
	case r.Outcome == engine.OutcomeLost && !b.w.shape.shared && !a.http && c != nil && c.alive && !c.loose:
		b.w.broken("I6", "attempt %d is recorded as lost, and the witness sees it running", r.Attempt)
	}
}

func (b *booking) deliver(row *engine.OutboxRow) {
	before := b.outbox[row.ID]
	copied := *row
	b.outbox[row.ID] = &copied
	switch {
	case before == nil:
		if b.written == nil {
			b.written = map[int64]bool{}
		}
		b.written[row.Instance] = true
	case before.State != engine.OutboxPending:
		b.w.broken("I8", "the outbox row %d was %s and was written again", row.ID, before.State)
	case row.Attempts < before.Attempts:
		b.w.broken("I8", "the outbox row %d had %d attempts and now has %d", row.ID, before.Attempts, row.Attempts)
	}
	if row.State == engine.OutboxDelivered && row.Attempts > 0 {
		b.w.saw("outbox delivered")
	}
}

// checkOutbox holds failures and deliveries of one commit against I8.
func (b *booking) checkOutbox() {
	for id := range b.failed {
		job := b.definition(b.instances[id].version)
		if job != nil && (job.ErrorAction != nil) != b.written[id] {
			b.w.broken("I8", "instance %d of %s failed, has errorAction=%t, and its outbox row was written=%t", id, b.instances[id].ref, job.ErrorAction != nil, b.written[id])
		}
	}
	for id := range b.written {
		if !b.failed[id] {
			b.w.broken("I8", "an outbox row of instance %d was written without its failure", id)
		}
	}
}

// checkPlan holds what a commit planned against I1, I11 and the rule of the current version.
func (b *booking) checkPlan() {
	for _, win := range b.windows {
		j := b.jobs[win.job]
		version := win.version
		if version == 0 {
			if version = j.row.Version; j.row.Removed || j.row.Disabled {
				continue
			}
			win.to = j.row.PlannedTo
		}
		job := b.definition(version)
		if job == nil || job.When.Manual || !win.from.Before(win.to) {
			continue
		}
		table := b.timetable(j, version)
		if table == nil {
			b.w.broken("I1", "%s has no timetable", j.row.Ref)
			return
		}
		want := table.Between(win.from, win.to)
		last := time.Time{}
		for _, at := range want {
			if !at.After(last) {
				b.w.broken("I11", "%s is due at %s after %s", j.row.Ref, at, last)
			}
			last = at
			if _, found := j.place(at); !found {
				b.w.broken("I1", "%s is planned from %s to %s without %s", j.row.Ref, win.from, win.to, at)
				return
			}
		}
		n := 0
		for _, i := range j.between(win.from, win.to.Add(-time.Millisecond)) {
			for n < len(want) && want[n].Before(i.plan) {
				n++
			}
			i.within = b.commits
			if (n == len(want) || !want[n].Equal(i.plan)) && i.version == version {
				b.w.broken("I1", "%s has the instance %s, which its rule does not make", j.row.Ref, i.plan)
				return
			}
		}
	}
}

// checkWithin demands that a commit plans nothing outside of what it says that it plans: no past of a rule that was not there yet.
func (b *booking) checkWithin() {
	for _, i := range b.planned {
		if i.within != b.commits && b.instances[i.id] == i {
			b.w.broken("I1", "%s@%s was planned outside of every window of its commit", i.ref, i.plan)
			return
		}
	}
}

// prune finds out what retention took, and holds it against I14.
func (b *booking) prune(o *op) {
	if o.n == 0 {
		return
	}
	b.w.saw("retention removed instances")
	b.w.afterCommit(func(v engine.View) {
		gone := int64(0)
		for _, id := range sortedKeys(b.instances) {
			i := b.instances[id]
			if !i.state.Ended() || !i.ended.Before(o.at) {
				continue
			}
			if _, err := v.Instance(id); !errors.Is(err, engine.ErrNotFound) {
				continue
			}
			gone++
			if who := b.waitedFor(i); who != nil {
				b.w.broken("I14", "retention removed instance %d of %s@%s, for which %d of %s waits", i.id, i.ref, i.plan, who.id, who.ref)
			}
			b.drop(i)
			for row := range b.outbox {
				if b.outbox[row].Instance == id {
					delete(b.outbox, row)
				}
			}
		}
		if gone != o.n {
			b.w.broken("I14", "retention said that it removed %d instances that ended before %s; %d of those are gone", o.n, o.at, gone)
		}
	})
}

// waitedFor returns an open instance that waits for i.
func (l *ledger) waitedFor(i *entry) *entry {
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
		for n := range job.Steps {
			if job.Steps[n].Name == a.Step {
				action = &job.Steps[n].Action
			}
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
		for n := range job.Steps {
			if s := &job.Steps[n]; s.Name == a.Step && s.Action.Shell != nil && s.Action.Shell.Command != a.Action.Shell.Command {
				l.w.broken("I13", "attempt %d of %s runs %q, and its version says %q", a.ID, a.Ref, a.Action.Shell.Command, s.Action.Shell.Command)
			}
		}
	}
	e.handed = true
}

// lastLost returns an earlier attempt of the place that is recorded as lost in the current run.
func (l *ledger) lastLost(p place, before int64) int64 {
	i := l.instances[p.instance]
	if i == nil {
		return 0
	}
	for _, id := range i.attempts {
		a := l.attempts[id]
		if id != before && a.row.Step == p.step && !a.row.Error && a.result != nil && a.result.Outcome == engine.OutcomeLost {
			return id
		}
	}
	return 0
}
