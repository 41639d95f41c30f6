package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// BoardEdges are the waits of a board's instances: what each waits for, as it was planned or would be. A wait for a range is one edge.
type BoardEdges struct {
	Board *Board
	Rules []BoardRule
	Edges []BoardEdge // by To
}

// A BoardRule is how a dependency of a job binds.
type BoardRule struct {
	Job        int // index of Board.Jobs
	Dependency int // ordinal in the job
	Upstream   JobRef
	Rule       string // a word of `dependencies.md` §10
	Words      string // with both classes; "" when the definition is not known any more
	Select     string // all, any, or a count
	Ended      bool   // any end satisfies it
}

// A BoardEdge is one wait. From and Last are the first and the last row of its range that is on the board, -1 when none is.
type BoardEdge struct {
	To, Rule   int
	From, Last int
	On         int // how many of the range are on the board
	Wait       *Wait
}

// BoardEdges reads what the instances of a day wait for. Its cost goes by them and by their waits. The errors are those of Board.
func (e *Engine) BoardEdges(ctx context.Context, r BoardRequest, now time.Time) (*BoardEdges, error) {
	d, err := e.boarding(ctx, r)
	if err != nil {
		return nil, err
	}
	edges := &boardEdges{BoardEdges: &BoardEdges{Board: d.Board}, boarding: d}
	err = e.cfg.Store.Read(ctx, func(v View) error {
		now, err := e.viewTime(v, now)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		if err := d.read(v, now); err != nil {
			return err
		}
		return edges.read(v)
	})
	if err != nil {
		return nil, err
	}
	return edges.BoardEdges, nil
}

// boardEdges are edges being made.
type boardEdges struct {
	*BoardEdges
	boarding *boarding
	rows     map[boardLine][]int // by plan time
	rules    map[boardRuleKey]int
}

// A boardLine is what ranges are ranges of: the instances of one job under one key.
type boardLine struct {
	job int64
	key string
}

type boardRuleKey struct {
	job, dependency int
	rule, selects   string
	ended           bool
}

func (x *boardEdges) read(v View) error {
	x.Rules, x.Edges, x.rows, x.rules = nil, nil, map[boardLine][]int{}, map[boardRuleKey]int{}
	for n := range x.Board.Rows {
		i := &x.Board.Rows[n].Instance
		line := boardLine{i.Job, i.Key}
		x.rows[line] = append(x.rows[line], n)
	}
	planned, err := x.planned()
	if err != nil {
		return err
	}
	recorded, err := x.recorded(v)
	if err != nil {
		return fmt.Errorf("read what the instances of %s wait for: %w", x.Board.Date, err)
	}
	for n := range x.Board.Rows {
		row := &x.Board.Rows[n]
		waits := recorded[row.ID]
		if row.Unplanned {
			waits = planned[place{row.Job, "", row.PlanTime.UnixMilli()}]
		}
		for w := range waits {
			if waits[w].Count > 0 {
				x.add(n, &waits[w])
			}
		}
	}
	return nil
}

// recorded reads the waits of what is recorded, by the instances.
func (x *boardEdges) recorded(v View) (map[int64][]Wait, error) {
	ids := make([]int64, 0, len(x.Board.Rows))
	for n := range x.Board.Rows {
		if row := &x.Board.Rows[n]; !row.Unplanned {
			ids = append(ids, row.ID)
		}
	}
	all, err := v.WaitsOf(ids)
	of := make(map[int64][]Wait, len(ids))
	for first, n := 0, 1; n <= len(all); n++ {
		if n == len(all) || all[n].Instance != all[first].Instance {
			of[all[first].Instance] = all[first:n]
			first = n
		}
	}
	return of, err
}

// planned plans what is not recorded, with its waits.
func (x *boardEdges) planned() (map[place][]Wait, error) {
	d := x.boarding
	wanted := map[JobRef]bool{}
	for n := range d.Rows {
		if d.Rows[n].Unplanned {
			wanted[d.Rows[n].Ref] = true
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	plan, err := d.planner.Plan(func(j *Job) (from, to time.Time) {
		if wanted[j.Ref()] {
			return d.open(j)
		}
		return from, to
	})
	if err != nil {
		return nil, fmt.Errorf("plan what is not recorded of %s: %w", d.Date, err)
	}
	list := map[place][]Wait{}
	for i, waits := range plan.Rows(1, func(ref JobRef) (int64, int64) { one := d.current[ref]; return one.row.ID, one.row.Version }) {
		list[place{i.Job, "", i.PlanTime.UnixMilli()}] = slices.Clone(waits)
	}
	return list, nil
}

// add adds a wait of a row.
func (x *boardEdges) add(to int, w *Wait) {
	edge := BoardEdge{To: to, Rule: x.rule(to, w), From: -1, Last: -1, Wait: w}
	line := x.rows[boardLine{w.Upstream, w.Key}]
	at := func(n int) time.Time { return x.Board.Rows[n].PlanTime }
	first, _ := slices.BinarySearchFunc(line, w.First, func(n int, t time.Time) int { return at(n).Compare(t) })
	end, _ := slices.BinarySearchFunc(line, w.Last, func(n int, t time.Time) int { return cmp.Or(at(n).Compare(t), -1) })
	if first < end {
		edge.From, edge.Last, edge.On = line[first], line[end-1], end-first
	}
	x.Edges = append(x.Edges, edge)
}

// rule is the index of the rule of a wait, which is added when it is not there yet.
func (x *boardEdges) rule(to int, w *Wait) int {
	row := &x.Board.Rows[to]
	key := boardRuleKey{row.JobIndex, w.Dependency, w.Rule, w.Select, w.Ended}
	if n, ok := x.rules[key]; ok {
		return n
	}
	rule := BoardRule{Job: row.JobIndex, Dependency: w.Dependency, Upstream: w.Ref, Rule: w.Rule, Select: w.Select, Ended: w.Ended}
	if one, known := x.boarding.current[row.Ref]; known && w.Dependency < len(one.job.DependsOn) && one.job.DependsOn[w.Dependency].Job == w.Ref {
		rule.Words = x.boarding.planner.describe(one.job, w.Dependency, w.Ended)
	}
	n := len(x.Rules)
	x.rules[key] = n
	x.Rules = append(x.Rules, rule)
	return n
}
