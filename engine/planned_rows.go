package engine

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"iter"
	"time"

	"github.com/almanac-sched/almanac/deps"
)

// Rows yields the plan as instances in state waiting with their waits, by plan time and job: what comes due together lies together, so that one
// commit touches few pages. ids gives the row ids of a job and of its current version; first is the id of the first instance, the others follow. The
// yielded values are reused.
func (p *Plan) Rows(first int64, ids func(JobRef) (job, version int64)) iter.Seq2[*Instance, []Wait] {
	return func(yield func(*Instance, []Wait) bool) {
		line := make(rowLine, 0, len(p.Jobs))
		for i := range p.Jobs {
			if part := &p.Jobs[i]; len(part.Times) > 0 {
				line = append(line, newPlannedRows(i, part, ids))
			}
		}
		line.sort()
		var waits []Wait
		for id := first; len(line) > 0; id++ {
			front := line[0]
			instance := front.instance(id)
			waits = front.appendWaits(waits[:0], id)
			if !yield(&instance, waits) {
				return
			}
			if front.next++; front.next < len(front.plan.Times) {
				line.moved(0)
			} else {
				line.take()
			}
		}
	}
}

// plannedRows are the rows of one job that have not been yielded.
type plannedRows struct {
	order        int // of the job in the plan
	plan         *JobPlan
	job, version int64
	upstream     []int64 // of each dependency
	spread       time.Duration
	next         int
}

func newPlannedRows(order int, part *JobPlan, ids func(JobRef) (job, version int64)) *plannedRows {
	r := &plannedRows{order: order, plan: part, spread: part.Job.spreadOffset(), upstream: make([]int64, len(part.Dependencies))}
	r.job, r.version = ids(part.Job.Ref())
	for n := range part.Dependencies {
		r.upstream[n], _ = ids(part.Dependencies[n].Upstream.Ref())
	}
	return r
}

func (r *plannedRows) instance(id int64) Instance {
	t, job := r.plan.Times[r.next], r.plan.Job
	return Instance{
		ID: id, Job: r.job, Ref: job.Ref(), Version: r.version, Kind: Scheduled, PlanTime: t,
		State: Waiting, Gate: GateTime, Reason: Reason{Code: ReasonPlanned},
		DryRun: r.plan.Timetable.DryRun(t), NotBefore: t.Add(r.spread),
		Priority: job.Priority, Pool: job.Pool,
	}
}

func (r *plannedRows) appendWaits(waits []Wait, id int64) []Wait {
	for d := range r.plan.Dependencies {
		waits = r.plan.Dependencies[d].appendWaits(waits, id, r.upstream[d], r.next)
	}
	return waits
}

// Before orders jobs by the plan time of their next row, then as the plan has them.
func (r *plannedRows) Before(other *plannedRows) bool {
	return cmp.Or(r.plan.Times[r.next].Compare(other.plan.Times[other.next]), cmp.Compare(r.order, other.order)) < 0
}

// A rowLine is jobs by the plan time of their next row.
type rowLine = queue[*plannedRows]

// appendWaits appends the rows of one binding: one, or one a piece where `hours` cuts the set.
func (d *DependencyPlan) appendWaits(waits []Wait, instance, upstream int64, n int) []Wait {
	b, base := &d.Bindings[n], d.base(instance, upstream, n)
	add := func(times []time.Time) {
		w := base
		w.N = len(waits)
		if w.Count = len(times); w.Count > 0 {
			w.First, w.Last = times[0], times[len(times)-1]
		}
		waits = append(waits, w)
	}
	if b.Ranges == nil {
		add(b.Times)
		return waits
	}
	for _, piece := range b.Ranges {
		add(piece)
	}
	return waits
}

// base is a row of one binding, of nothing yet.
func (d *DependencyPlan) base(instance, upstream int64, n int) Wait {
	b := &d.Bindings[n]
	return Wait{
		Instance: instance, Dependency: d.Index, Upstream: upstream, Ref: d.Upstream.Ref(),
		Rule: b.Reason.String(), Select: b.Select.String(), WindowFrom: b.Window.From, WindowTo: b.Window.To, Closed: b.Window.Closed.String(),
		OnMissing: d.Dependency.OnMissing, OnFailed: d.Dependency.OnFailed, Ended: d.Ended, Timeout: d.Dependency.Timeout,
	}
}

// spreadOffset is how far the job's starts move after their plan time: the same for each of its instances, by hash of its name.
func (j *Job) spreadOffset() time.Duration {
	if j.Spread <= 0 {
		return 0
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%s/%s", j.Workflow, j.Name)
	return time.Duration(h.Sum64() % uint64(j.Spread)).Truncate(time.Millisecond)
}

// PlanTimes lists every plan time of a binding.
func PlanTimes(b *deps.Binding) []time.Time {
	if b.Ranges == nil {
		return b.Times
	}
	var all []time.Time
	for _, piece := range b.Ranges {
		all = append(all, piece...)
	}
	return all
}
