package model

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A view reads the rows of one state. It implements engine.View.
type view struct {
	s      *state
	clock  func() time.Time
	broken error // of a transaction that is worth nothing any more
}

var _ engine.View = (*view)(nil)

func missing(what string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(what, args...), engine.ErrNotFound)
}

func (v *view) Clock() (time.Time, error) { return v.clock(), nil }

func (v *view) Revision() (int64, error) { return v.s.counters[counterRevision], v.broken }

func (v *view) ZoneRules(zone string) (string, error) {
	if rules := v.s.zones[zone]; rules != nil && v.broken == nil {
		return *rules, nil
	}
	return "", v.broken
}

func (v *view) Lease(name string) (engine.LeaseRow, error) {
	if v.broken != nil {
		return engine.LeaseRow{}, v.broken
	}
	if row := v.s.leases[name]; row != nil {
		return *row, nil
	}
	return engine.LeaseRow{}, missing("lease %q", name)
}

func (v *view) Jobs() ([]engine.JobRow, error) {
	if v.broken != nil {
		return nil, v.broken
	}
	return slices.Collect(v.s.jobsInOrder()), nil
}

func (v *view) JobsSince(revision int64) ([]engine.JobRow, error) {
	return v.jobsThat(func(id int64) bool { return *v.s.revisions[id] > revision })
}

func (v *view) Dependents(upstream int64) ([]engine.JobRow, error) {
	return v.jobsThat(func(id int64) bool { return id != upstream && v.s.reaches[pair{upstream, id}] != nil })
}

func (v *view) Upstreams() ([]engine.JobPair, error) {
	if v.broken != nil {
		return nil, v.broken
	}
	var pairs []engine.JobPair
	for of := range v.s.reaches {
		pairs = append(pairs, engine.JobPair{Job: of.job, Upstream: of.upstream})
	}
	slices.SortFunc(pairs, func(a, b engine.JobPair) int {
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Upstream, b.Upstream))
	})
	return pairs, nil
}

func (v *view) jobsThat(are func(id int64) bool) ([]engine.JobRow, error) {
	if v.broken != nil {
		return nil, v.broken
	}
	var rows []engine.JobRow
	for row := range v.s.jobsInOrder() {
		if are(row.ID) {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func (v *view) JobByRef(ref engine.JobRef) (engine.JobRow, error) {
	if v.broken != nil {
		return engine.JobRow{}, v.broken
	}
	if row, ok := v.s.jobNamed(ref); ok {
		return *row, nil
	}
	return engine.JobRow{}, missing("job %s", ref)
}

func (v *view) Version(id int64) (engine.VersionRow, error) {
	if v.broken != nil {
		return engine.VersionRow{}, v.broken
	}
	if row := v.s.versions[id]; row != nil {
		return ownVersion(row), nil
	}
	return engine.VersionRow{}, missing("job version %d", id)
}

func (v *view) Instance(id int64) (engine.Instance, error) {
	if v.broken != nil {
		return engine.Instance{}, v.broken
	}
	i, ok := v.s.shown(id)
	if !ok {
		return i, missing("instance %d", id)
	}
	return i, nil
}

func (v *view) Find(job int64, key string, planTime time.Time) (engine.Instance, error) {
	if v.broken != nil {
		return engine.Instance{}, v.broken
	}
	id, known := v.s.identified(identity{job, key, planTime.UnixMilli()})
	i, ok := v.s.shown(id)
	if !known || !ok {
		return engine.Instance{}, missing("instance of job %d, key %q, at %s", job, key, planTime.Format(time.RFC3339))
	}
	return i, nil
}

func (v *view) FindKey(job int64, key string) (engine.Instance, error) {
	if v.broken != nil {
		return engine.Instance{}, v.broken
	}
	var last groupKey
	found := false
	if key != "" {
		for _, in := range []struct {
			set    *ordered[groupKey]
			frozen bool
		}{{v.s.open, false}, {v.s.open, true}, {v.s.failed, false}, {v.s.done, false}} {
			if k, ok := latest(in.set, groupKey{job: job, key: key, frozen: in.frozen}, least, most-1); ok && (!found || k.at > last.at) {
				last, found = k, true
			}
		}
	}
	i, ok := v.s.shown(last.id)
	if !found || !ok {
		return engine.Instance{}, missing("instance of job %d with the key %q", job, key)
	}
	return i, nil
}

// list loads instances in the order of their ids, at most limit; a negative limit is none.
func (v *view) list(ids iter.Seq[int64], limit int) ([]engine.Instance, error) {
	if v.broken != nil {
		return nil, v.broken
	}
	var found []engine.Instance
	for id := range ids {
		if len(found) == limit {
			break
		}
		if i, ok := v.s.shown(id); ok {
			found = append(found, i)
		}
	}
	return found, nil
}

// idsInJob walks through the ids of one job in an index, from a time on.
func idsInJob(set *ordered[inJob], job, from int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for k := range set.from(inJob{job, from, least}) {
			if k.job != job || !yield(k.id) {
				return
			}
		}
	}
}

func (v *view) Waiting(job int64) ([]engine.Instance, error) {
	return v.list(idsInJob(v.s.waiting, job, least), -1)
}

func (v *view) WaitingPlanned(job int64) ([]engine.Instance, error) {
	list, err := v.Waiting(job)
	return slices.DeleteFunc(list, func(i engine.Instance) bool { return i.Key != "" }), err
}

func (v *view) WaitingKeyed(job int64) (n int, err error) {
	for id := range idsInJob(v.s.waiting, job, least) {
		if v.s.instances[id].Key != "" {
			n++
		}
	}
	return n, v.broken
}

func (v *view) Waits(instance int64) ([]engine.Wait, error) {
	return v.waitsWithNames(v.s.waits[instance])
}

func (v *view) FormerWaits(instance int64, at time.Time) ([]engine.Wait, error) {
	var first *formerWaits
	for n := range v.s.former[instance] {
		f := &v.s.former[instance][n]
		if f.until > at.UnixMilli() && (first == nil || f.until < first.until) {
			first = f
		}
	}
	if first == nil {
		return nil, v.broken
	}
	return v.waitsWithNames(first.waits)
}

func (v *view) waitsWithNames(rows []engine.Wait) ([]engine.Wait, error) {
	if v.broken != nil {
		return nil, v.broken
	}
	waits := slices.Clone(rows)
	for n := range waits {
		if job := v.s.jobs[waits[n].Upstream]; job != nil {
			waits[n].Ref = job.Ref
		}
	}
	return waits, nil
}

func (v *view) Due(now time.Time, limit int) ([]engine.Instance, error) {
	return v.list(func(yield func(int64) bool) {
		for k := range v.s.wake.all() {
			if k.at > now.UnixMilli() || !yield(k.id) {
				return
			}
		}
	}, limit)
}

func (v *view) Queued(pool string, limit int) ([]engine.Instance, error) {
	return v.list(func(yield func(int64) bool) {
		for k := range v.s.queue.from(beginOfPool(pool)) {
			if k.pool != pool || !yield(k.id) {
				return
			}
		}
	}, limit)
}

// beginOfPool is before every turn of the pool.
func beginOfPool(pool string) turn { return turn{pool: pool, priority: highest + 1} }

func (v *view) Agenda() (a engine.Agenda, err error) {
	if v.broken != nil {
		return a, v.broken
	}
	for k := range v.s.wake.all() {
		a.Wake = time.UnixMilli(k.at).UTC()
		break
	}
	carried := map[int64]bool{}
	for k := range v.s.live.all() {
		carried[v.s.attempts[k.id].Outbox] = true
	}
	for k := range v.s.pending.all() {
		if !carried[k.id] {
			a.Outbox = time.UnixMilli(k.at).UTC()
			break
		}
	}
	for at, more := beginOfPool(""), true; more; {
		more = false
		for k := range v.s.queue.from(at) {
			a.Pools = append(a.Pools, k.pool)
			at, more = beginOfPool(k.pool+"\x00"), true // the next text in order
			break
		}
	}
	return a, nil
}

func (v *view) Active(job int64) ([]engine.Instance, error) {
	return v.list(idsInJob(v.s.active, job, least), -1)
}

func (v *view) ActiveCount(job int64) (int, error) {
	n := 0
	for range idsInJob(v.s.active, job, least) {
		n++
	}
	return n, v.broken
}

func (v *view) Durations(job int64, key string, limit int) (took []time.Duration, err error) {
	type once struct {
		planTime time.Time
		run      int
		took     time.Duration
	}
	var done []once
	for _, i := range v.s.instances {
		if i.Job != job || i.Key != key {
			continue
		}
		if i.State == engine.Succeeded && i.Fence <= int64(i.Run) {
			done = append(done, once{i.PlanTime, i.Run, i.EndedAt.Sub(i.StartedAt)})
		}
		for _, r := range i.runs {
			if r.State == engine.Succeeded && r.Fence <= int64(r.Number) {
				done = append(done, once{i.PlanTime, r.Number, r.EndedAt.Sub(r.StartedAt)})
			}
		}
	}
	slices.SortFunc(done, func(a, b once) int { return cmp.Or(b.planTime.Compare(a.planTime), b.run-a.run) })
	for _, one := range done[:min(limit, len(done))] {
		took = append(took, one.took)
	}
	return took, v.broken
}

func (v *view) KeyedDurations(job int64, by time.Time, limit int) (took []time.Duration, err error) {
	var done []engine.Instance
	for _, i := range v.s.instances {
		ended := i.State == engine.Succeeded && (by.IsZero() || !i.EndedAt.After(by))
		if i.Job == job && i.Key != "" && ended && i.Fence <= int64(i.Run) {
			done = append(done, i.Instance)
		}
	}
	slices.SortFunc(done, func(a, b engine.Instance) int {
		return cmp.Or(b.PlanTime.Compare(a.PlanTime), cmp.Compare(b.ID, a.ID))
	})
	for _, i := range done[:min(limit, len(done))] {
		took = append(took, i.EndedAt.Sub(i.StartedAt))
	}
	return took, v.broken
}

func (v *view) Running() ([]engine.Instance, error) {
	return v.list(func(yield func(int64) bool) {
		for k := range v.s.running.all() {
			if !yield(k.id) {
				return
			}
		}
	}, -1)
}

func (v *view) LaterDue(i *engine.Instance, now time.Time) (bool, error) {
	if v.broken != nil {
		return false, v.broken
	}
	for id := range idsInJob(v.s.waiting, i.Job, i.PlanTime.UnixMilli()+1) {
		row := v.s.instances[id]
		if row.PlanTime.UnixMilli() > now.UnixMilli() {
			break
		}
		if row.Key == "" {
			return true, nil
		}
	}
	return false, nil
}

func (v *view) Steps(instance int64) ([]engine.StepRow, error) {
	if v.broken != nil {
		return nil, v.broken
	}
	steps := slices.Clone(v.s.steps[instance])
	for n := range steps {
		steps[n].Outputs = ownMap(steps[n].Outputs)
	}
	return steps, nil
}

func (v *view) Attempts(instance int64) ([]engine.AttemptRow, error) {
	if v.broken != nil {
		return nil, v.broken
	}
	var attempts []engine.AttemptRow
	for k := range v.s.ran.from(belonging{instance, least}) {
		if k.to != instance {
			break
		}
		attempts = append(attempts, ownAttempt(v.s.attempts[k.id]))
	}
	return attempts, nil
}

func (v *view) Live() ([]engine.AttemptRow, error) {
	if v.broken != nil {
		return nil, v.broken
	}
	var attempts []engine.AttemptRow
	for k := range v.s.live.all() {
		attempts = append(attempts, ownAttempt(v.s.attempts[k.id]))
	}
	return attempts, nil
}

func (v *view) OutboxDue(now time.Time, limit int) ([]engine.OutboxRow, error) {
	if v.broken != nil {
		return nil, v.broken
	}
	var ids []int64
	for k := range v.s.pending.all() {
		if k.at > now.UnixMilli() {
			break
		}
		ids = append(ids, k.id)
	}
	slices.Sort(ids)
	if limit >= 0 && len(ids) > limit {
		ids = ids[:limit]
	}
	var rows []engine.OutboxRow
	for _, id := range ids {
		rows = append(rows, *v.s.outbox[id])
	}
	return rows, nil
}

func (v *view) Outbox(id int64) (engine.OutboxRow, error) {
	if v.broken != nil {
		return engine.OutboxRow{}, v.broken
	}
	if row := v.s.outbox[id]; row != nil {
		return *row, nil
	}
	return engine.OutboxRow{}, missing("outbox row %d", id)
}

// ownVersion, ownAttempt and ownResult copy rows, so that nobody else can change them.
func ownVersion(v *engine.VersionRow) engine.VersionRow {
	c := *v
	c.Definition = slices.Clone(v.Definition)
	return c
}

func ownAttempt(a *engine.AttemptRow) engine.AttemptRow {
	c := *a
	if a.Result != nil {
		r := ownResult(*a.Result)
		c.Result = &r
	}
	return c
}

func ownResult(r engine.Result) engine.Result {
	r.Outputs = ownMap(r.Outputs)
	if r.Exit != nil {
		exit := *r.Exit
		r.Exit = &exit
	}
	return r
}
