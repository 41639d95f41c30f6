package deps

import (
	"container/heap"
	"fmt"
	"slices"
	"strings"

	"github.com/dominikbraun/graph"
)

// CycleError names a cycle of jobs by its path: each waits for the next, and the
// last is the first again.
type CycleError struct{ Path []string }

// Error gives the path: "dependency cycle: a → b → a (each waits for the next)".
func (e *CycleError) Error() string {
	return "dependency cycle: " + strings.Join(e.Path, " → ") + " (each waits for the next)"
}

// Order sorts jobs so that each comes after all it waits for. It is stable: of
// the jobs that could come next, the one listed first does, so a list already in
// order is left as it is. upstream gives the jobs that a job waits for within
// the same cycle; names that are not in jobs are passed over, and a repeated
// name counts once. A cycle is a *CycleError.
func Order(jobs []string, upstream func(string) []string) ([]string, error) {
	g := newJobGraph(jobs, upstream)
	waits := make([]int, len(g.jobs))
	followers := make([][]int, len(g.jobs))
	var ready minHeap
	for i, ups := range g.up {
		waits[i] = len(ups)
		for _, u := range ups {
			followers[u] = append(followers[u], i)
		}
		if len(ups) == 0 {
			ready = append(ready, i) // ascending, hence already a heap
		}
	}
	out := make([]string, 0, len(g.jobs))
	for len(ready) > 0 {
		i := heap.Pop(&ready).(int)
		out = append(out, g.jobs[i])
		for _, f := range followers[i] {
			if waits[f]--; waits[f] == 0 {
				heap.Push(&ready, f)
			}
		}
	}
	if len(out) == len(g.jobs) {
		return out, nil
	}
	components, err := g.components()
	if err != nil {
		return nil, err
	}
	return nil, &CycleError{Path: g.cycle(components[0])}
}

// Circles lists the sets of jobs that wait for one another, directly or not, two jobs or more each. A job that waits for itself alone is in none.
func Circles(jobs []string, upstream func(string) []string) ([][]string, error) {
	g := newJobGraph(jobs, upstream)
	components, err := g.components()
	if err != nil {
		return nil, err
	}
	var circles [][]string
	for _, component := range components {
		if len(component) < 2 {
			continue
		}
		var names []string
		for _, i := range component {
			names = append(names, g.jobs[i])
		}
		circles = append(circles, names)
	}
	return circles, nil
}

// jobGraph is a workflow's jobs by their rank in the list, with whom each waits for.
type jobGraph struct {
	jobs []string
	up   [][]int // ascending, distinct
}

func newJobGraph(jobs []string, upstream func(string) []string) *jobGraph {
	g := &jobGraph{}
	rank := make(map[string]int, len(jobs))
	for _, job := range jobs {
		if _, seen := rank[job]; !seen {
			rank[job] = len(g.jobs)
			g.jobs = append(g.jobs, job)
		}
	}
	g.up = make([][]int, len(g.jobs))
	for i, job := range g.jobs {
		for _, name := range upstream(job) {
			if u, known := rank[name]; known {
				g.up[i] = append(g.up[i], u)
			}
		}
		slices.Sort(g.up[i])
		g.up[i] = slices.Compact(g.up[i])
	}
	return g
}

// components gives the strongly connected components that hold a cycle, each
// ascending, in the order of their first job.
func (g *jobGraph) components() ([][]int, error) {
	// Vertices are ranks from 1 on: the library's search never closes a component
	// whose first vertex is its type's zero value.
	dg := graph.New(graph.IntHash, graph.Directed())
	for i := range g.jobs {
		if err := dg.AddVertex(i + 1); err != nil {
			return nil, fmt.Errorf("build the job graph: %w", err)
		}
	}
	for i, ups := range g.up {
		for _, u := range ups {
			if err := dg.AddEdge(i+1, u+1); err != nil {
				return nil, fmt.Errorf("build the job graph: %w", err)
			}
		}
	}
	all, err := graph.StronglyConnectedComponents(dg)
	if err != nil {
		return nil, fmt.Errorf("find the cycles of the job graph: %w", err)
	}
	for _, c := range all {
		for k := range c {
			c[k]--
		}
		slices.Sort(c)
	}
	all = slices.DeleteFunc(all, func(c []int) bool {
		return len(c) == 1 && !slices.Contains(g.up[c[0]], c[0])
	})
	// The library walks maps; sorting makes the answer the same each time.
	slices.SortFunc(all, func(a, b []int) int { return a[0] - b[0] })
	return all, nil
}

// cycle gives the shortest cycle through a component's first job, as a path that
// ends where it begins.
func (g *jobGraph) cycle(component []int) []string {
	start := component[0]
	from := map[int]int{}
	queue := []int{start}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		for _, u := range g.up[i] {
			if u == start {
				path := []string{g.jobs[start]}
				for at := i; at != start; at = from[at] {
					path = append(path, g.jobs[at])
				}
				path = append(path, g.jobs[start])
				slices.Reverse(path)
				return path
			}
			if _, seen := from[u]; !seen {
				from[u] = i
				queue = append(queue, u)
			}
		}
	}
	panic("a strongly connected component without a cycle: this is a bug")
}

// minHeap hands out the smallest rank first.
type minHeap []int

func (h minHeap) Len() int           { return len(h) }
func (h minHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h minHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push and Pop are for container/heap.
func (h *minHeap) Push(x any) { *h = append(*h, x.(int)) }

// Pop removes the last element, where container/heap has put the smallest.
func (h *minHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
