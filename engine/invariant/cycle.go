package invariant

import (
	"fmt"
	"strings"

	"github.com/almanac-sched/almanac/engine"
)

// cycles holds I12: of the instances that were looked at and wait for an upstream instance, none waits for itself by way of others without one
// of them saying so. Its memory is one entry for each of them.
func (c *check) cycles() error {
	g := &waitGraph{c: c, colour: map[int64]int{}}
	c.looked("I12")
	for _, id := range c.order {
		waiting, err := c.s.Waiting(id)
		if err != nil {
			return fmt.Errorf("list what waits of job %d: %w", id, err)
		}
		for n := range waiting {
			if waiting[n].Gate == engine.GateDependency {
				if err := g.visit(&waiting[n]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// A waitGraph is walked depth first, without recursion: chains of instances are long.
type waitGraph struct {
	c      *check
	colour map[int64]int // 1 on the way, 2 done
}

type waitNode struct {
	i    engine.Instance
	next []engine.Instance
}

func (g *waitGraph) visit(root *engine.Instance) error {
	if g.colour[root.ID] != 0 {
		return nil
	}
	var way []waitNode
	push := func(i *engine.Instance) error {
		next, err := g.edges(i)
		if err != nil {
			return err
		}
		g.colour[i.ID] = 1
		way = append(way, waitNode{*i, next})
		return nil
	}
	if err := push(root); err != nil {
		return err
	}
	for len(way) > 0 {
		top := &way[len(way)-1]
		if len(top.next) == 0 {
			g.colour[top.i.ID] = 2
			way = way[:len(way)-1]
			continue
		}
		u := top.next[0]
		top.next = top.next[1:]
		switch g.colour[u.ID] {
		case 0:
			if err := push(&u); err != nil {
				return err
			}
		case 1:
			g.report(way, u.ID)
		}
	}
	return nil
}

// edges lists the instances whose end alone can let this one go on, among those that were looked at and wait themselves.
func (g *waitGraph) edges(i *engine.Instance) ([]engine.Instance, error) {
	if i.RunNow != "" {
		return nil, nil
	}
	waits, err := g.c.s.Waits(i.ID)
	if err != nil {
		return nil, fmt.Errorf("read what %s waits for: %w", i.Name(), err)
	}
	var list []engine.Instance
	for n := range waits {
		w := &waits[n]
		if w.Select != "all" || w.Timeout > 0 {
			continue // another instance, or time, may satisfy it
		}
		err := g.c.upstream(w, func(u *engine.Instance) (bool, error) {
			if u.State == engine.Waiting && u.Gate == engine.GateDependency && !u.Frozen { // a frozen one waits for a person first
				list = append(list, *u)
			}
			return true, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (g *waitGraph) report(way []waitNode, id int64) {
	from := 0
	for way[from].i.ID != id {
		from++
	}
	var names []string
	for n := from; n < len(way); n++ {
		if way[n].i.Reason.Code == engine.ReasonCycle {
			return
		}
		names = append(names, way[n].i.Name())
	}
	g.c.found("I12", &way[from].i, "it waits for itself, and none says so: %s", strings.Join(append(names, names[0]), " → "))
}
