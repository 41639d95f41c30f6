package engine

import (
	"fmt"
	"hash/fnv"
	"iter"
	"time"

	"github.com/almanac-sched/almanac/deps"
)

// Rows yields the plan as instances in state waiting with their waits, by job and plan time. ids gives the row ids of a job and of its current
// version; first is the id of the first instance, the others follow. The yielded values are reused.
func (p *Plan) Rows(first int64, ids func(JobRef) (job, version int64)) iter.Seq2[*Instance, []Wait] {
	return func(yield func(*Instance, []Wait) bool) {
		id := first
		var waits []Wait
		for i := range p.Jobs {
			part := &p.Jobs[i]
			job, version := ids(part.Job.Ref())
			spread := part.Job.spreadOffset()
			upstream := make([]int64, len(part.Dependencies))
			for n := range part.Dependencies {
				upstream[n], _ = ids(part.Dependencies[n].Upstream.Ref())
			}
			for n, t := range part.Times {
				instance := Instance{
					ID: id, Job: job, Ref: part.Job.Ref(), Version: version, Kind: Scheduled, PlanTime: t,
					State: Waiting, Gate: GateTime, Reason: Reason{Code: ReasonPlanned},
					DryRun: part.Timetable.DryRun(t), NotBefore: t.Add(spread),
					Priority: part.Job.Priority, Pool: part.Job.Pool,
				}
				waits = waits[:0]
				for d := range part.Dependencies {
					waits = part.Dependencies[d].appendWaits(waits, id, upstream[d], n)
				}
				if !yield(&instance, waits) {
					return
				}
				id++
			}
		}
	}
}

// appendWaits appends the rows of one binding: one, or one a piece where `hours` cuts the set.
func (d *DependencyPlan) appendWaits(waits []Wait, instance, upstream int64, n int) []Wait {
	b := &d.Bindings[n]
	base := Wait{
		Instance: instance, Dependency: d.Index, Upstream: upstream, Ref: d.Upstream.Ref(),
		Rule: b.Reason.String(), Select: b.Select.String(), WindowFrom: b.Window.From, WindowTo: b.Window.To, Closed: b.Window.Closed.String(),
		OnMissing: d.Dependency.OnMissing, OnFailed: d.Dependency.OnFailed, Ended: d.Ended, Timeout: d.Dependency.Timeout,
	}
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
