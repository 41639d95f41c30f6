package engine

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/almanac-sched/almanac/deps"
	"github.com/almanac-sched/almanac/recurrence"
)

// backfillKey is the key of the instances that a simulation plays as a backfill.
const backfillKey = "backfill"

// newPlayRows makes the rows of the plan, in the order in which the planner writes them, and finds out what lies outside of it.
func newPlayRows(p *play, definitions []definition) (*playRows, error) {
	n := p.plan.Instances()
	r := &playRows{
		play: p, list: make([]*playRow, 0, n), jobs: make([]playJob, len(definitions)), wakes: make(wakeQueue, 0, n), pools: map[string]*poolQueue{},
		attempts: map[int64]int{}, carried: map[int64]bool{}, settled: map[settledKey]int{},
	}
	for i := range definitions {
		r.jobs[i].ref, r.jobs[i].disabled = definitions[i].row.Ref, definitions[i].row.Disabled
	}
	orders := map[playPlace]*OverrideRow{}
	for n := range p.Orders {
		o := &p.Orders[n]
		orders[playPlace{o.Ref, o.Order.PlanTime.UnixMilli()}] = &o.Order
	}
	r.insert(p.plan, func(row *playRow) bool {
		if o := orders[playPlace{row.Ref, row.PlanTime.UnixMilli()}]; o != nil {
			o.obey(&row.Instance)
		}
		return true
	})
	if err := r.insertBackfill(); err != nil {
		return nil, err
	}
	if err := r.lookOutside(); err != nil {
		return nil, err
	}
	r.nextID = int64(len(r.list)) + 1
	for _, row := range r.list {
		r.indexRanges(row)
	}
	pairs, err := r.Upstreams()
	if err != nil {
		return nil, err
	}
	r.circular = len(findCircles(pairs)) > 0
	return r, nil
}

// insert adds the instances of a plan that are wanted, by plan time and job.
func (r *playRows) insert(plan *Plan, wanted func(*playRow) bool) {
	line := make(rowLine, 0, len(plan.Jobs))
	parts := make([]*JobPlan, len(plan.Jobs))
	for i := range plan.Jobs {
		if parts[i] = &plan.Jobs[i]; len(parts[i].Times) > 0 {
			line = append(line, newPlannedRows(i, parts[i], func(ref JobRef) (int64, int64) { id := r.id(ref); return id, id }))
		}
	}
	line.sort()
	rows := make([]playRow, plan.Instances())
	for len(line) > 0 {
		front := line[0]
		row := &rows[0]
		row.Instance, row.part, row.n, row.ups = front.instance(int64(len(r.list)+1)), parts[front.order], front.next, front.upstream
		if wanted(row) {
			rows = rows[1:]
			r.add(row)
		} else {
			*row = playRow{}
		}
		if front.next++; front.next < len(front.plan.Times) {
			line.moved(0)
		} else {
			line.take()
		}
	}
}

// add takes in an instance that is to be played.
func (r *playRows) add(row *playRow) {
	row.last = -1
	if row.part.Job.Confirm {
		row.Confirmed = "simulation"
	}
	r.list = append(r.list, row)
	r.setWake(row, row.NotBefore.UnixMilli())
	job := &r.jobs[row.Job-1]
	if row.Key == "" {
		job.scheduled = append(job.scheduled, row)
	} else {
		job.backfill = append(job.backfill, row)
	}
}

// lastDue is when the last of the instances is due.
func (r *playRows) lastDue() (last time.Time) {
	for _, row := range r.list {
		last = latest(last, row.NotBefore)
	}
	return last
}

// insertBackfill adds the instances of the backfill: all due from the beginning on, each waiting for those of the same backfill.
func (r *playRows) insertBackfill() error {
	if len(r.play.Backfill) == 0 {
		return nil
	}
	begin := time.Time{}
	for i := range r.play.plan.Jobs {
		begin = earliest(begin, r.play.plan.Jobs[i].From)
	}
	wanted, spans := map[playPlace]bool{}, map[JobRef]window{}
	for _, b := range r.play.Backfill {
		wanted[b.place()] = true
		w, known := spans[b.Ref]
		if !known || b.PlanTime.Before(w.from) {
			w.from = b.PlanTime
		}
		w.to = latest(w.to, b.PlanTime.Add(time.Millisecond))
		spans[b.Ref] = w
	}
	planner, err := r.play.before(spans)
	if err != nil {
		return err
	}
	plan, err := planner.Plan(func(j *Job) (time.Time, time.Time) { w := spans[j.Ref()]; return w.from, w.to })
	if err != nil {
		return err
	}
	found := 0
	r.insert(&plan, func(row *playRow) bool {
		if !wanted[playPlace{row.Ref, row.PlanTime.UnixMilli()}] {
			return false
		}
		found++
		row.Kind, row.Key, row.NotBefore = Backfill, backfillKey, begin
		return true
	})
	if found < len(wanted) {
		return fmt.Errorf("%w: %d of the %d instances to backfill are no plan times of their jobs", ErrInvalid, len(wanted)-found, len(wanted))
	}
	return nil
}

// before is the planner by which instances of a backfill are planned: the days before a job's creation follow its rule.
func (p *play) before(spans map[JobRef]window) (*Planner, error) {
	if p.Created == nil {
		return p.Planner, nil
	}
	from := time.Time{}
	for _, w := range spans {
		from = earliest(from, w.from)
	}
	from = from.AddDate(0, 0, -backfillReach)
	return NewPlanner(p.Planner.Jobs(), func(j *Job) recurrence.Origin {
		created := p.Created(j.Ref())
		return originBefore(j, recurrence.Created(created), created, from)
	})
}

// lookOutside finds the upstream plan times that lie outside of what is played. What is recorded of one as failed or frozen counts as it is; all others
// count as satisfied, and are listed unless they have been recorded so.
func (r *playRows) lookOutside() error {
	type told struct {
		satisfied bool
		row       *playRow
	}
	known := map[playPlace]told{}
	spans := make([]window, len(r.jobs))
	for i := range r.play.plan.Jobs {
		part := &r.play.plan.Jobs[i]
		spans[r.id(part.Job.Ref())-1] = window{part.From, part.To}
	}
	var outside []*playRow
	ask := func(ref JobRef, at time.Time) (told, error) {
		here := playPlace{ref, at.UnixMilli()}
		t, asked := known[here]
		if asked || r.play.Recorded == nil {
			return t, nil
		}
		i, found, err := r.play.Recorded(ref, at)
		if err != nil {
			return t, err
		}
		switch {
		case !found:
		case i.State.Satisfies():
			t.satisfied = true
		case i.State.CountsAsFailed() || i.Frozen:
			i.Job, i.Ref, i.Key = r.id(ref), ref, ""
			t.row = &playRow{Instance: i, last: -1, wake: never}
			outside = append(outside, t.row)
		}
		known[here] = t
		return t, nil
	}
	for _, row := range r.list {
		wait := 0
		for d := range row.part.Dependencies {
			dependency := &row.part.Dependencies[d]
			ref := dependency.Upstream.Ref()
			up := row.ups[d]
			b := &dependency.Bindings[row.n]
			pieces := b.Ranges
			if pieces == nil {
				pieces = [][]time.Time{b.Times}
			}
			for _, piece := range pieces {
				var missing []time.Time
				settled := 0
				for _, u := range r.unplayed(row, up, spans[up-1], piece) {
					t, err := ask(ref, u)
					if err != nil {
						return err
					}
					if t.row == nil {
						settled++
					}
					if t.row == nil && !t.satisfied {
						missing = append(missing, u)
					}
				}
				if settled > 0 && b.Select.Kind != deps.SelectAll {
					r.settled[settledKey{row.ID, wait}] = settled
				}
				if len(missing) > 0 && !r.jobs[up-1].disabled {
					r.play.assumptions = append(r.play.assumptions, Assumption{Instance: row.Name(), Upstream: ref, Times: missing})
				}
				wait++
			}
		}
	}
	for _, row := range outside {
		row.ID = int64(len(r.list) + 1)
		r.list = append(r.list, row)
		job := &r.jobs[row.Job-1]
		at := sort.Search(len(job.scheduled), func(n int) bool { return job.scheduled[n].PlanTime.After(row.PlanTime) })
		job.scheduled = slices.Insert(job.scheduled, at, row)
	}
	return nil
}

// unplayed returns the upstream plan times of a binding of which nothing is played.
func (r *playRows) unplayed(row *playRow, up int64, span window, times []time.Time) []time.Time {
	if len(times) == 0 {
		return nil
	}
	if row.Key != "" {
		job := &r.jobs[up-1]
		if len(job.backfill) == 0 {
			return nil // waived as a whole
		}
		var left []time.Time
		for _, u := range times {
			if r.find(up, row.Key, u) == nil {
				left = append(left, u)
			}
		}
		return left
	}
	if !times[0].Before(span.from) && times[len(times)-1].Before(span.to) {
		return nil
	}
	var left []time.Time
	for _, u := range times {
		if u.Before(span.from) || !u.Before(span.to) {
			left = append(left, u)
		}
	}
	return left
}

// indexRanges notes which waits of an instance are woken by range.
func (r *playRows) indexRanges(row *playRow) {
	if row.part == nil {
		return
	}
	ranged := false
	for d := range row.part.Dependencies {
		dependency := &row.part.Dependencies[d]
		ranged = ranged || dependency.Dependency.OnFailed == FailedCancel || dependency.Bindings[row.n].Select.Kind != deps.SelectAll
	}
	if !ranged {
		return
	}
	waits, _ := r.Waits(row.ID) // never fails
	for n := range waits {
		w := &waits[n]
		g := playRange{row: row, key: w.Key, first: w.First.UnixMilli(), last: w.Last.UnixMilli(), some: w.Select != "all", cancel: w.OnFailed == FailedCancel}
		if w.Count > 0 && (g.some || g.cancel) {
			job := &r.jobs[w.Upstream-1]
			job.ranges = append(job.ranges, g)
		}
	}
}

// assumed sums the assumptions up: of each upstream job how many plan times were taken for satisfied, and how many instances would have waited for them.
func assumed(list []Assumption) []AssumedUpstream {
	by := map[JobRef]*AssumedUpstream{}
	seen := map[playPlace]bool{}
	for i := range list {
		a := &list[i]
		u := by[a.Upstream]
		if u == nil {
			u = &AssumedUpstream{Upstream: a.Upstream}
			by[a.Upstream] = u
		}
		u.For++
		for _, at := range a.Times {
			if here := (playPlace{a.Upstream, at.UnixMilli()}); !seen[here] {
				seen[here] = true
				u.PlanTimes++
				u.First = earliest(u.First, at)
				u.Last = latest(u.Last, at)
			}
		}
	}
	all := make([]AssumedUpstream, 0, len(by))
	for _, u := range by {
		all = append(all, *u)
	}
	slices.SortFunc(all, func(a, b AssumedUpstream) int {
		return cmp.Or(a.First.Compare(b.First), compareRefs(a.Upstream, b.Upstream))
	})
	return all
}
