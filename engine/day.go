package engine

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// An Assumption is an upstream plan time outside the planned windows of which nothing is recorded: a closed plan counts it as satisfied, and
// says so.
type Assumption struct {
	Instance string // the one that would have waited
	Upstream JobRef
	Times    []time.Time
}

// A ClosedPlan is what InsertClosed wrote.
type ClosedPlan struct {
	Plan        Plan
	Inserted    int
	Assumptions []Assumption
}

// InsertClosed plans the windows of the loaded jobs and writes the instances, for an engine whose plan is closed (`almanac run`): what was
// recorded before stays as it is, so that running a day twice runs it once. An upstream plan time outside the windows of which nothing is recorded
// counts as satisfied and is listed.
func (e *Engine) InsertClosed(ctx context.Context, planner *Planner, windows func(*Job) (from, to time.Time), now time.Time) (ClosedPlan, error) {
	plan, err := planner.Plan(windows)
	if err != nil {
		return ClosedPlan{}, err
	}
	result := ClosedPlan{Plan: plan}
	spans := map[JobRef]window{}
	for i := range plan.Jobs {
		spans[plan.Jobs[i].Job.Ref()] = window{plan.Jobs[i].From, plan.Jobs[i].To}
		for _, t := range plan.Jobs[i].Times {
			e.until = latest(e.until, t.Add(plan.Jobs[i].Job.spreadOffset()))
		}
	}
	err = e.cfg.Store.Write(ctx, func(tx Tx) error {
		result.Assumptions = nil
		assumed, err := e.assume(tx, &plan, spans, &result.Assumptions)
		if err != nil {
			return err
		}
		first, err := tx.Reserve(max(1, plan.Instances()))
		if err != nil {
			return err
		}
		rows, err := ofRevision(tx, plan.Rows(first, e.rowIDs))
		if err != nil {
			return err
		}
		result.Inserted, err = tx.InsertInstances(func(yield func(*Instance, []Wait) bool) {
			for i, waits := range rows {
				if e.cfg.Unclocked {
					i.NotBefore = now
				}
				for n := range waits {
					settleAssumed(&waits[n], assumed[assumedKey{i.Job, i.PlanTime.UnixMilli(), waits[n].N}])
				}
				if !yield(i, waits) {
					return
				}
			}
		})
		return err
	})
	return result, wrap(err, "write the plan of the day")
}

type assumedKey struct {
	job  int64
	at   int64
	wait int
}

// assume finds, for each wait, the plan times that lie outside the windows and are not recorded.
func (e *Engine) assume(v View, plan *Plan, spans map[JobRef]window, list *[]Assumption) (map[assumedKey]int, error) {
	assumed := map[assumedKey]int{}
	recorded := map[assumedKey]bool{}
	for i := range plan.Jobs {
		part := &plan.Jobs[i]
		job, _ := e.rowIDs(part.Job.Ref())
		for n, t := range part.Times {
			wait := 0
			for d := range part.Dependencies {
				dependency := &part.Dependencies[d]
				up, _ := e.rowIDs(dependency.Upstream.Ref())
				span, planned := spans[dependency.Upstream.Ref()]
				b := &dependency.Bindings[n]
				pieces := b.Ranges
				if pieces == nil {
					pieces = [][]time.Time{b.Times}
				}
				for _, piece := range pieces {
					var missing []time.Time
					for _, u := range piece {
						if planned && !u.Before(span.from) && u.Before(span.to) {
							continue
						}
						key := assumedKey{job: up, at: u.UnixMilli()}
						known, seen := recorded[key]
						if !seen {
							_, err := v.Find(up, "", u)
							if err != nil && !isNotFound(err) {
								return nil, fmt.Errorf("look for %s@%s: %w", dependency.Upstream.Ref(), PlanTimeText(u), err)
							}
							known = err == nil
							recorded[key] = known
						}
						if !known {
							missing = append(missing, u)
						}
					}
					if len(missing) > 0 {
						assumed[assumedKey{job, t.UnixMilli(), wait}] = len(missing)
						*list = append(*list, Assumption{
							Instance: part.Job.Ref().String() + "@" + PlanTimeText(t), Upstream: dependency.Upstream.Ref(), Times: slices.Clone(missing),
						})
					}
					wait++
				}
			}
		}
	}
	return assumed, nil
}

// settleAssumed takes what is assumed satisfied off a wait that counts. A wait for all needs no change: it looks only at what is recorded.
func settleAssumed(w *Wait, n int) {
	if n == 0 || w.Select == "all" {
		return
	}
	needed := 1
	if w.Select != "any" {
		needed, _ = strconv.Atoi(w.Select)
	}
	if needed -= n; needed > 0 {
		w.Select = strconv.Itoa(needed)
		return
	}
	w.Select, w.Count, w.OnMissing = "all", 0, MissingRun
}
