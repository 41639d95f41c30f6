package engine

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// A Neighbourhood is the instances around one: what it waits for, so many hops up, and what waits for it, so many hops down.
type Neighbourhood struct {
	At    time.Time
	Nodes []Neighbour // the instance itself first, then by distance
	Edges []NeighbourEdge
	Cut   bool // there are more nodes than are shown; the nodes say where
}

// A Neighbour is one instance.
type Neighbour struct {
	Instance Instance // with ID 0 when it is not planned yet
	Planned  bool
	Hop      int // < 0: up, what is waited for; > 0: down
	Forecast Forecast
	MoreUp   int // as many upstream instances of it are not shown; 0 where the hops end, unless Ends was asked for
	MoreDown int // at least as many
}

// A NeighbourEdge is one wait: of the instance To for those of the range, of which the nodes From are shown.
type NeighbourEdge struct {
	Wait      Wait
	From      []int // indexes of nodes
	To        int
	Satisfied bool
	Reason    string
	Pair      string // the rule in words, with both classes; "" when the definition is not known any more
	Open      int    // of a range that is not satisfied: how many are not done, see openOf
}

// A NeighbourRequest asks for the neighbourhood of an instance.
type NeighbourRequest struct {
	ExplainRequest
	Up, Down int  // hops
	Limit    int  // nodes; 0 is MostNeighbours
	Ends     bool // also count what is beyond the nodes where the hops end
}

// Bounds of a neighbourhood.
const (
	MostNeighbours = 1000 // nodes
	MostOpen       = 100  // unsatisfied instances of a range that are counted
)

const (
	drawnOfRange   = 12 // instances of one range
	drawnWaiters   = 200
	countedWaiters = 12 // beyond the nodes where the hops end
)

// Neighbourhood returns the instances around one. Its cost is bounded by the number of nodes, not by the length of ranges.
func (e *Engine) Neighbourhood(ctx context.Context, r NeighbourRequest, now time.Time) (Neighbourhood, error) {
	if r.Limit <= 0 || r.Limit > MostNeighbours {
		r.Limit = MostNeighbours
	}
	var n Neighbourhood
	err := e.look(ctx, r.At, now, func(l *looker) error {
		l.looks = 4 * MostNeighbours
		s, err := l.named(r.ExplainRequest)
		if err != nil {
			return err
		}
		d := drawing{
			looker: l, limit: r.Limit, nodes: map[*subject]int{}, drawn: map[waitPlace]bool{}, ahead: map[JobRef]time.Duration{},
			upward: map[int]bool{}, downward: map[int]bool{},
		}
		d.At = l.now
		d.node(s, 0)
		if err := d.up(r.Up); err != nil {
			return err
		}
		if err := d.down(r.Down); err != nil {
			return err
		}
		if r.Ends {
			if err := d.ends(); err != nil {
				return err
			}
		}
		if err := d.foreseeAll(); err != nil {
			return err
		}
		n = d.Neighbourhood
		return nil
	})
	return n, wrap(err, "draw what is around an instance")
}

// A drawing is a neighbourhood in the making.
type drawing struct {
	*looker
	Neighbourhood
	limit    int
	nodes    map[*subject]int
	subjects []*subject
	drawn    map[waitPlace]bool
	ahead    map[JobRef]time.Duration // how far those may be planned before a job's instance that wait for it

	upward, downward map[int]bool // nodes whose neighbours on that side were added
}

type waitPlace struct{ node, n int }

// node returns the index of a subject's node, made when there is room; -1 when there is none.
func (d *drawing) node(s *subject, hop int) int {
	if n, ok := d.nodes[s]; ok {
		return n
	}
	if len(d.subjects) >= d.limit {
		d.Cut = true
		return -1
	}
	n := len(d.subjects)
	d.nodes[s] = n
	d.subjects = append(d.subjects, s)
	d.Nodes = append(d.Nodes, Neighbour{Instance: *s.i, Planned: s.recorded, Hop: hop})
	return n
}

// situationOf reads the waits of a subject that has none yet because it has started.
func (d *drawing) situationOf(s *subject) (err error) {
	if s.s != nil {
		return nil
	}
	waits, err := d.view.Waits(s.i.ID)
	if err != nil {
		return fmt.Errorf("read what %s waits for: %w", s.i.Name(), err)
	}
	s.s, err = d.situation(s.i, s.job, waits)
	return err
}

// up adds what is waited for, hop by hop.
func (d *drawing) up(hops int) error {
	edge := []int{0}
	for hop := 1; hop <= hops && len(edge) > 0; hop++ {
		var next []int
		for _, to := range edge {
			more, err := d.upstreams(to, -hop)
			if err != nil {
				return err
			}
			next = append(next, more...)
		}
		edge = next
	}
	return nil
}

// upstreams adds the edges of one node with their other ends, and returns the new nodes.
func (d *drawing) upstreams(to, hop int) (added []int, err error) {
	s := d.subjects[to]
	d.upward[to] = true
	if err := d.situationOf(s); err != nil {
		return nil, err
	}
	for from, end := range s.s.declared() {
		satisfied := judgeDependency(d.now, s.s, from, end).Open
		for n := from; n < end; n++ {
			if d.drawn[waitPlace{to, n}] {
				continue
			}
			d.drawn[waitPlace{to, n}] = true
			w := &s.s.Waits[n]
			edge, err := d.edge(s, n, to, satisfied)
			if err != nil {
				return nil, err
			}
			ups, err := d.ofRange(w, satisfied)
			if err != nil {
				return nil, err
			}
			for _, up := range ups {
				before := len(d.subjects)
				node := d.node(up, hop)
				if node < 0 {
					continue
				}
				edge.From = append(edge.From, node)
				if node == before {
					added = append(added, node)
				}
			}
			d.Nodes[to].MoreUp += max(0, w.Count-len(edge.From))
			d.Edges = append(d.Edges, edge)
		}
	}
	return added, nil
}

// edge is a wait of a node, without its other ends.
func (d *drawing) edge(s *subject, n, to int, satisfied bool) (NeighbourEdge, error) {
	w := &s.s.Waits[n]
	edge := NeighbourEdge{Wait: *w, To: to, Satisfied: satisfied, Reason: describeWait(w, satisfied, s.i.State), Pair: d.pair(s, w.Dependency, w.Ended)}
	if w.Count < 2 || satisfied {
		return edge, nil
	}
	var err error
	if edge.Open, err = d.openOf(w); err != nil {
		return edge, fmt.Errorf("count what of %s is not done: %w", w.Ref, err)
	}
	return edge, nil
}

// openOf counts what of a range is not done, up to MostOpen: what does not satisfy, and what is not
// planned yet. A closed engine takes what is not recorded as satisfied.
func (d *drawing) openOf(w *Wait) (int, error) {
	q := RangeQuery{
		Job: w.Upstream, Key: w.Key, From: w.First, To: w.Last, Unsatisfied: true, Limit: MostOpen,
	}
	left, err := d.view.RangeCount(q)
	if err != nil || left == MostOpen || d.cfg.Closed {
		return left, err
	}
	q.Unsatisfied, q.Limit = false, w.Count
	there, err := d.view.RangeCount(q)
	return min(MostOpen, left+max(0, w.Count-there)), err
}

// ofRange are the instances of a wait that are drawn: all of a short range; of a long one what is in the way, or the last.
func (d *drawing) ofRange(w *Wait, satisfied bool) (list []*subject, err error) {
	if w.Count == 0 {
		return nil, nil
	}
	q := RangeQuery{Job: w.Upstream, Key: w.Key, From: w.First, To: w.Last, Latest: true, Limit: drawnOfRange}
	switch {
	case w.Count > drawnOfRange && satisfied:
		q.Limit = 1
	case w.Count > drawnOfRange:
		q.Unsatisfied = true
	}
	rows, err := d.view.Range(q)
	if err != nil {
		return nil, fmt.Errorf("list what of %s is waited for: %w", w.Ref, err)
	}
	slices.Reverse(rows)
	for n := range rows {
		s, err := d.recorded(&rows[n])
		if err != nil {
			return nil, err
		}
		if s != nil {
			list = append(list, s)
		}
	}
	if len(rows) == 0 || rows[len(rows)-1].PlanTime.Before(w.Last) && !satisfied {
		s, err := d.at(w.Upstream, w.Ref, w.Key, w.Last)
		if err != nil && !isNotFound(err) {
			return nil, err
		}
		if err == nil && s != nil && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list, nil
}

// down adds what waits, hop by hop.
func (d *drawing) down(hops int) error {
	edge := []int{0}
	for hop := 1; hop <= hops && len(edge) > 0; hop++ {
		var next []int
		for _, of := range edge {
			more, err := d.waiters(of, hop)
			if err != nil {
				return err
			}
			next = append(next, more...)
		}
		edge = next
	}
	return nil
}

// waitersOf are the instances that wait for a node.
func (d *drawing) waitersOf(of, limit int) ([]Instance, error) {
	i := d.subjects[of].i
	ahead, ok := d.ahead[i.Ref]
	if !ok {
		if ahead = leastAhead; d.planner != nil {
			ahead = d.planner.Ahead(i.Ref)
		}
		d.ahead[i.Ref] = ahead
	}
	rows, err := d.view.Waiters(i.Job, i.Key, i.PlanTime, ahead, limit)
	if err != nil {
		return nil, fmt.Errorf("list what waits for %s: %w", i.Name(), err)
	}
	return rows, nil
}

// waiters adds what waits for one node.
func (d *drawing) waiters(of, hop int) (added []int, err error) {
	d.downward[of] = true
	rows, err := d.waitersOf(of, drawnWaiters+1)
	if err != nil {
		return nil, err
	}
	if len(rows) > drawnWaiters {
		rows = rows[:drawnWaiters]
		d.Nodes[of].MoreDown, d.Cut = 1, true
	}
	for n := range rows {
		s, err := d.recorded(&rows[n])
		if err != nil {
			return nil, err
		}
		if s == nil {
			d.Nodes[of].MoreDown++
			d.Cut = true
			continue
		}
		before := len(d.subjects)
		node := d.node(s, hop)
		if node < 0 {
			d.Nodes[of].MoreDown++
			continue
		}
		if node == before {
			added = append(added, node)
		}
		if err := d.edgesBetween(of, node); err != nil {
			return nil, err
		}
	}
	return added, nil
}

// edgesBetween adds the waits of a node that hold another one. An edge that is there gets the other end too.
func (d *drawing) edgesBetween(from, to int) error {
	s, up := d.subjects[to], d.subjects[from].i
	if err := d.situationOf(s); err != nil {
		return err
	}
	for begin, end := range s.s.declared() {
		for n := begin; n < end; n++ {
			w := &s.s.Waits[n]
			if w.Upstream != up.Job || w.Key != up.Key || !inSet(s.s.Waits[n:n+1], up.PlanTime) {
				continue
			}
			if !d.drawn[waitPlace{to, n}] {
				d.drawn[waitPlace{to, n}] = true
				edge, err := d.edge(s, n, to, judgeDependency(d.now, s.s, begin, end).Open)
				if err != nil {
					return err
				}
				d.Edges = append(d.Edges, edge)
			}
			for k := range d.Edges {
				if e := &d.Edges[k]; e.To == to && e.Wait.N == n && !slices.Contains(e.From, from) {
					e.From = append(e.From, from)
				}
			}
		}
	}
	return nil
}

// ends counts what is not shown of the nodes where the hops end.
func (d *drawing) ends() error {
	shown := map[int64]bool{}
	for _, s := range d.subjects {
		shown[s.i.ID] = s.recorded
	}
	drawn := map[waitPlace]int{}
	for n := range d.Edges {
		drawn[waitPlace{d.Edges[n].To, d.Edges[n].Wait.N}] = len(d.Edges[n].From)
	}
	for n, s := range d.subjects {
		if !d.upward[n] {
			if err := d.situationOf(s); err != nil {
				return err
			}
			for k := range s.s.Waits {
				d.Nodes[n].MoreUp += max(0, s.s.Waits[k].Count-drawn[waitPlace{n, s.s.Waits[k].N}])
			}
		}
		if !d.downward[n] {
			rows, err := d.waitersOf(n, countedWaiters)
			if err != nil {
				return err
			}
			for k := range rows {
				if !shown[rows[k].ID] {
					d.Nodes[n].MoreDown++
				}
			}
		}
	}
	return nil
}

// foreseeAll adds the forecasts, of which the nodes share what they are made of.
func (d *drawing) foreseeAll() (err error) {
	for n, s := range d.subjects {
		d.Nodes[n].Instance = *s.i
		if s.i.State == Waiting && s.s == nil {
			continue
		}
		if d.Nodes[n].Forecast, err = d.forecast(s); err != nil {
			return err
		}
	}
	return nil
}
