package engine

import (
	"errors"
	"fmt"
	"slices"
)

// JobsAround is the current jobs around some: what they wait for and what waits for them, all the way, along the definitions.
type JobsAround struct {
	Nodes []JobNode // those that were asked for first, then by distance and name
	Edges []JobEdge // between the nodes, by upstream and job
	More  bool      // there are further jobs, beyond the limit
}

// A JobNode is one of them.
type JobNode struct {
	Ref      JobRef
	Up, Down int  // the least steps up or down to it from one that was asked for; 0 is no way
	Asked    bool // it was asked for
	Manual   bool // it is started on demand and has no plan times
	Disabled bool
}

// A JobEdge says that a job waits for another.
type JobEdge struct{ Upstream, Job JobRef }

// JobsAround finds the jobs around some, at most limit. Errors of kind ErrInvalid list every job that is not there.
func (e *Engine) JobsAround(refs []JobRef, limit int) (JobsAround, error) {
	var around JobsAround
	nodes := map[JobRef]*JobNode{}
	var order []*JobNode
	add := func(ref JobRef) *JobNode {
		node, d := nodes[ref], e.defs.lookup(ref)
		if node != nil || d == nil {
			return node
		}
		if len(order) >= limit {
			around.More = true
			return nil
		}
		node = &JobNode{Ref: ref, Manual: d.job.When.Manual, Disabled: d.row.Disabled}
		nodes[ref], order = node, append(order, node)
		return node
	}
	var mistakes []error
	for _, ref := range refs {
		node := add(ref)
		if node == nil && !around.More {
			mistakes = append(mistakes, &MistakeError{"jobs", fmt.Sprintf("there is no job %s", ref)})
		} else if node != nil {
			node.Asked = true
		}
	}
	if mistakes != nil {
		return around, errors.Join(mistakes...)
	}
	down := e.defs.dependents()
	asked := slices.Clone(order)
	walk := func(next func(JobRef) []JobRef, steps func(*JobNode) *int) {
		front := asked
		for hop := 1; len(front) > 0; hop++ {
			var further []*JobNode
			for _, from := range front {
				refs := slices.Clone(next(from.Ref))
				slices.SortFunc(refs, compareRefs)
				for _, ref := range refs {
					if node := add(ref); node != nil && !node.Asked && *steps(node) == 0 {
						*steps(node) = hop
						further = append(further, node)
					}
				}
			}
			front = further
		}
	}
	walk(e.upstreams, func(n *JobNode) *int { return &n.Up })
	walk(func(ref JobRef) []JobRef { return down[ref] }, func(n *JobNode) *int { return &n.Down })
	for _, node := range order {
		around.Nodes = append(around.Nodes, *node)
		for _, up := range e.upstreams(node.Ref) {
			if nodes[up] != nil && up != node.Ref {
				around.Edges = append(around.Edges, JobEdge{up, node.Ref})
			}
		}
	}
	slices.SortFunc(around.Edges, func(a, b JobEdge) int {
		if c := compareRefs(a.Upstream, b.Upstream); c != 0 {
			return c
		}
		return compareRefs(a.Job, b.Job)
	})
	around.Edges = slices.Compact(around.Edges)
	return around, nil
}

// upstreams lists what a current job waits for.
func (e *Engine) upstreams(ref JobRef) (list []JobRef) {
	if d := e.defs.lookup(ref); d != nil {
		for i := range d.job.DependsOn {
			list = append(list, d.job.DependsOn[i].Job)
		}
	}
	return list
}
