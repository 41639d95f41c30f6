package deps

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Link is one edge between two named jobs, as FindCycle needs it. For a self
// edge Down and Up are the same.
type Link struct {
	Down, Up  string
	SameCycle bool // Edge.SameCycle
	Binder    *Binder
}

// Instance is a job at one of its plan times.
type Instance struct {
	Job string
	At  time.Time
}

// String gives "job@2026-09-01T03:00:00+08:00", which is how an instance is named wherever one is asked for.
func (i Instance) String() string {
	if i.At.Nanosecond() != 0 {
		return i.Job + "@" + i.At.Format("2006-01-02T15:04:05.000Z07:00")
	}
	return i.Job + "@" + i.At.Format(time.RFC3339)
}

// InstanceCycleError names a cycle of instances by its path: each waits for the
// next, and the last is the first again.
type InstanceCycleError struct{ Path []Instance }

// Error gives the path.
func (e *InstanceCycleError) Error() string {
	words := make([]string, len(e.Path))
	for i, in := range e.Path {
		words[i] = in.String()
	}
	return "instance cycle: " + strings.Join(words, " → ") + " (each waits for the next)"
}

// FindCycle is dependencies.md §3, last paragraph. A cycle of jobs made of
// same-cycle edges alone is a *CycleError. A strongly connected component that
// also holds a previous, window or self edge is expanded over one period from
// `from` on, a week, or 31 days when a month or year job takes part, and is an
// *InstanceCycleError only when its instances wait for each other in a circle.
// Jobs outside such components, and components none of whose edges can look to
// the plan time itself or later, are never expanded.
//
// Every candidate of a select any or count is taken as waited for.
func FindCycle(jobs []string, links []Link, from time.Time) error {
	same, every := map[string][]string{}, map[string][]string{}
	byDown := map[string][]Link{}
	for _, l := range links {
		if l.SameCycle {
			same[l.Down] = append(same[l.Down], l.Up)
		}
		every[l.Down] = append(every[l.Down], l.Up)
		byDown[l.Down] = append(byDown[l.Down], l)
	}
	if _, err := Order(jobs, func(job string) []string { return same[job] }); err != nil {
		return err
	}
	g := newJobGraph(jobs, func(job string) []string { return every[job] })
	components, err := g.components()
	if err != nil {
		return err
	}
	for _, c := range components {
		if err := expand(g, c, byDown, from); err != nil {
			return err
		}
	}
	return nil
}

// expansion is the instance graph of one component. Nodes are numbered job by
// job, so that a range of plan times is a range of nodes.
type expansion struct {
	names []string
	times [][]time.Time // by job: those of the period and as far around it as a cycle can go
	base  []int32       // by job: the number of its first node
	links [][]expandedLink
	// open[i] is the first node from i on that is not finished, found in near
	// constant time: finished nodes are merged into their successor.
	open    []int32
	waiting []bool // entered: on the path of the search, or finished
	// The period itself; instances before and after are followed only from within it.
	from, to time.Time
}

type expandedLink struct {
	up     int
	binder *Binder
}

// expand builds the instances of a component around one period and searches them.
func expand(g *jobGraph, component []int, byDown map[string][]Link, from time.Time) error {
	x := &expansion{from: from}
	local := make(map[string]int, len(component))
	for i, c := range component {
		local[g.jobs[c]] = i
		x.names = append(x.names, g.jobs[c])
	}
	schedules := make([]Occurrences, len(component))
	x.links = make([][]expandedLink, len(component))
	period, spread, backward := 7*day, time.Duration(0), true
	for i, name := range x.names {
		for _, l := range byDown[name] {
			up, inside := local[l.Up]
			if !inside {
				continue
			}
			if l.Binder == nil {
				return fmt.Errorf("find instance cycles: the edge from %s to %s has no binder", l.Down, l.Up)
			}
			schedules[i], schedules[up] = l.Binder.down.Occurrences, l.Binder.up.Occurrences
			x.links[i] = append(x.links[i], expandedLink{up, l.Binder})
			if max(l.Binder.down.Period.Class, l.Binder.up.Period.Class) >= Month {
				period = 31 * day
			}
			if !l.Binder.backward() {
				backward = false
				_, forward := l.Binder.Reach()
				spread += min(forward, 31*day)
			}
		}
	}
	if backward {
		return nil
	}
	// A cycle that touches the period goes as far forward as back, so it lies within
	// what its forward edges add up to.
	spread = min(spread, period)
	x.to = from.Add(period)
	var total int
	for _, occurrences := range schedules {
		times := occurrences(from.Add(-spread), x.to.Add(spread))
		x.times = append(x.times, times)
		x.base = append(x.base, int32(total))
		total += len(times)
	}
	if total >= math.MaxInt32 {
		return fmt.Errorf("find instance cycles among %s: %d instances in one period are too many", strings.Join(x.names, ", "), total)
	}
	x.waiting = make([]bool, total)
	x.open = make([]int32, total+1)
	for i := range x.open {
		x.open[i] = int32(i)
	}
	return x.search()
}

// visit is one instance on the path of the search, with how far its waits have
// been followed.
type visit struct {
	node   int32
	job    int
	link   int // the next of the job's links to follow
	up     int // the job that lo, hi and more belong to
	lo, hi int32
	more   [][]time.Time // further ranges of the same binding
}

// search walks every instance of the period and what it waits for depth first,
// each once, in time near linear in the instances and ranges: the nodes of a
// range that are finished are skipped in one step. Meeting an instance that is on
// the path is a cycle.
func (x *expansion) search() error {
	for job, times := range x.times {
		for i := notBefore(times, x.from); i < notBefore(times, x.to); i++ {
			node := x.base[job] + int32(i)
			if x.next(node) != node {
				continue
			}
			if err := x.walk(job, node); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *expansion) walk(job int, node int32) error {
	x.waiting[node] = true
	path := []visit{{node: node, job: job}}
	for len(path) > 0 {
		v := &path[len(path)-1]
		if n := x.next(v.lo); n < v.hi {
			if x.waiting[n] {
				return x.cycle(path, n)
			}
			x.waiting[n] = true
			path = append(path, visit{node: n, job: v.up})
			continue
		}
		switch {
		case len(v.more) > 0:
			v.lo, v.hi = x.nodes(v.up, v.more[0])
			v.more = v.more[1:]
		case v.link < len(x.links[v.job]):
			l := x.links[v.job][v.link]
			v.link++
			binding := l.binder.Bind(x.at(v.job, v.node))
			v.up, v.more = l.up, binding.Ranges
			v.lo, v.hi = x.nodes(v.up, binding.Times)
		default:
			x.open[v.node] = v.node + 1
			path = path[:len(path)-1]
		}
	}
	return nil
}

// nodes gives the numbers [lo, hi) of a range of a job's plan times; those
// outside the expanded period have none.
func (x *expansion) nodes(job int, set []time.Time) (lo, hi int32) {
	if len(set) == 0 {
		return 0, 0
	}
	times := x.times[job]
	return x.base[job] + int32(notBefore(times, set[0])), x.base[job] + int32(after(times, set[len(set)-1]))
}

// next gives the first unfinished node from i on, shortening the way for later calls.
func (x *expansion) next(i int32) int32 {
	root := i
	for x.open[root] != root {
		root = x.open[root]
	}
	for x.open[i] != root {
		i, x.open[i] = x.open[i], root
	}
	return root
}

func (x *expansion) at(job int, node int32) time.Time { return x.times[job][node-x.base[job]] }

// cycle gives the part of the path that begins at the node met again.
func (x *expansion) cycle(path []visit, node int32) error {
	start := slices.IndexFunc(path, func(v visit) bool { return v.node == node })
	err := &InstanceCycleError{}
	for _, v := range append(path[start:], path[start]) {
		err.Path = append(err.Path, Instance{x.names[v.job], x.at(v.job, v.node)})
	}
	return err
}
