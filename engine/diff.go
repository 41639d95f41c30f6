package engine

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/deps"
)

// A PlanDiff says what becomes of the instances of one plan when another takes its place. An instance is the same in both when its job and its plan time
// are. Every list is by plan time, workflow, job.
type PlanDiff struct {
	Jobs     []JobChange    // by workflow, then job
	Added    []PlacedLinks  // only in the later plan, with what they wait for
	Removed  []DiffInstance // only in the earlier plan
	Relinked []Relinked     // in both, and wait for other instances
	Changed  []DiffInstance // in both, wait for the same, and belong to another version of the job: what they do is another thing
	Kept     int            // in both, Relinked and Changed included
}

// A DiffInstance names an instance of a plan.
type DiffInstance struct {
	Ref      JobRef
	PlanTime time.Time
}

// PlacedLinks is an instance with what it waits for.
type PlacedLinks struct {
	DiffInstance
	Waits []Link
}

// Relinked is an instance that waits for others than before.
type Relinked struct {
	DiffInstance
	Moved         bool // its job has another version, too; otherwise an upstream job has another schedule
	Later         bool // it waited for something, and the latest that it waits for now has a later plan time
	Before, After []Link
}

// A Link is what one dependency of an instance comes to. Two links are the same when they wait for as much of the same instances in the same way; the
// rule that found them is told, not compared.
type Link struct {
	Upstream JobRef
	Ended    bool        // any end satisfies: waitPreviousEnd
	Select   string      // all, any, or how many
	Rule     string      // a word of `dependencies.md` §10
	Times    []time.Time // plan times of the upstream, ascending; none when its schedule has none in the window
	Missing  OnMissing   // what becomes of the instance as there is none; "" else
}

// Empty reports that nothing changes: no job, and so no instance.
func (d *PlanDiff) Empty() bool {
	return len(d.Jobs) == 0 && len(d.Added) == 0 && len(d.Removed) == 0 && len(d.Relinked) == 0 && len(d.Changed) == 0
}

// Later counts the instances that wait for a later upstream than before.
func (d *PlanDiff) Later() (n int) {
	for i := range d.Relinked {
		if d.Relinked[i].Later {
			n++
		}
	}
	return n
}

// DiffPlans compares two plans of the same window. It is pure, and its cost is that of reading both plans once.
func DiffPlans(before, after *Plan) PlanDiff {
	var d PlanDiff
	b, a := before.Jobs, after.Jobs
	for len(b) > 0 || len(a) > 0 {
		order := 0
		switch {
		case len(b) == 0:
			order = 1
		case len(a) == 0:
			order = -1
		default:
			order = compareRefs(b[0].Job.Ref(), a[0].Job.Ref())
		}
		switch {
		case order < 0:
			d.compare(&b[0], nil)
			b = b[1:]
		case order > 0:
			d.compare(nil, &a[0])
			a = a[1:]
		default:
			d.compare(&b[0], &a[0])
			a, b = a[1:], b[1:]
		}
	}
	d.sort()
	return d
}

// sort puts every list in its order. The jobs were compared in theirs, so that a stable sort by time is the whole order.
func (d *PlanDiff) sort() {
	byTime := func(x, y DiffInstance) int { return x.PlanTime.Compare(y.PlanTime) }
	slices.SortStableFunc(d.Added, func(x, y PlacedLinks) int { return byTime(x.DiffInstance, y.DiffInstance) })
	slices.SortStableFunc(d.Removed, byTime)
	slices.SortStableFunc(d.Relinked, func(x, y Relinked) int { return byTime(x.DiffInstance, y.DiffInstance) })
	slices.SortStableFunc(d.Changed, byTime)
}

// compare goes along the plan times of one job in both plans; nil is a plan that does not have it.
func (d *PlanDiff) compare(before, after *JobPlan) {
	var old, fresh []time.Time
	var ref JobRef
	var was, is []int // the dependencies in the order in which they are compared
	moved := false
	if before != nil {
		ref, old, was = before.Job.Ref(), before.Times, before.comparable()
	}
	if after != nil {
		ref, fresh, is = after.Job.Ref(), after.Times, after.comparable()
	}
	if before != nil && after != nil {
		moved = !SameWork(before.Job, after.Job)
	}
	for i, k := 0, 0; i < len(old) || k < len(fresh); {
		switch {
		case k == len(fresh) || i < len(old) && old[i].Before(fresh[k]):
			d.Removed = append(d.Removed, DiffInstance{ref, old[i]})
			i++
			continue
		case i == len(old) || fresh[k].Before(old[i]):
			d.Added = append(d.Added, PlacedLinks{DiffInstance{ref, fresh[k]}, after.links(is, k)})
			k++
			continue
		}
		d.Kept++
		switch {
		case !sameLinks(before, was, i, after, is, k):
			r := Relinked{DiffInstance: DiffInstance{ref, fresh[k]}, Moved: moved, Before: before.links(was, i), After: after.links(is, k)}
			last := lastOf(r.Before)
			r.Later = !last.IsZero() && lastOf(r.After).After(last)
			d.Relinked = append(d.Relinked, r)
		case moved:
			d.Changed = append(d.Changed, DiffInstance{ref, fresh[k]})
		}
		i++
		k++
	}
}

// SameJob reports whether two jobs are one version: the same definition of the same folder.
func SameJob(a, b *Job) bool {
	return string(a.Definition) == string(b.Definition) && a.Folder == b.Folder
}

// comparable gives the dependencies by upstream job: in which order a definition lists them means nothing.
func (p *JobPlan) comparable() []int {
	order := make([]int, len(p.Dependencies))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int {
		a, b := &p.Dependencies[i], &p.Dependencies[k]
		ended := 0
		if a.Ended != b.Ended {
			if ended = -1; a.Ended {
				ended = 1
			}
		}
		return cmp.Or(compareRefs(a.Upstream.Ref(), b.Upstream.Ref()), ended)
	})
	return order
}

// links lists what the n-th instance waits for.
func (p *JobPlan) links(order []int, n int) []Link {
	var links []Link
	for _, i := range order {
		d := &p.Dependencies[i]
		b := &d.Bindings[n]
		link := Link{
			Upstream: d.Upstream.Ref(), Ended: d.Ended, Select: b.Select.String(), Rule: b.Reason.String(),
			Times: PlanTimes(b),
		}
		if len(link.Times) == 0 && !d.Ended {
			link.Missing = d.Dependency.OnMissing
		}
		links = append(links, link)
	}
	return links
}

// sameLinks reports whether two instances wait for the same, without making lists.
func sameLinks(before *JobPlan, was []int, i int, after *JobPlan, is []int, k int) bool {
	return slices.EqualFunc(was, is, func(x, y int) bool {
		a, b := &before.Dependencies[x], &after.Dependencies[y]
		return a.Ended == b.Ended && a.Upstream.Ref() == b.Upstream.Ref() && sameBinding(&a.Bindings[i], &b.Bindings[k])
	})
}

func sameBinding(a, b *deps.Binding) bool {
	return a.Select == b.Select && slices.EqualFunc(PlanTimes(a), PlanTimes(b), time.Time.Equal)
}

// lastOf is the latest plan time that is waited for; zero when none is.
func lastOf(links []Link) (last time.Time) {
	for i := range links {
		if n := len(links[i].Times); n > 0 {
			last = latest(last, links[i].Times[n-1])
		}
	}
	return last
}

// Summary says in a line what changes: "+24, −3, 48 re-linked, 2 now wait for a later upstream, 5 do another thing".
func (d *PlanDiff) Summary() string {
	if d.Empty() {
		return "no change"
	}
	text := fmt.Sprintf("+%d, −%d, %d re-linked", len(d.Added), len(d.Removed), len(d.Relinked))
	switch n := d.Later(); n {
	case 0:
	case 1:
		text += ", 1 now waits for a later upstream"
	default:
		text += fmt.Sprintf(", %d now wait for a later upstream", n)
	}
	switch n := len(d.Changed); n {
	case 0:
	case 1:
		text += ", 1 does another thing"
	default:
		text += fmt.Sprintf(", %d do another thing", n)
	}
	return text
}
