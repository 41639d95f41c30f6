package sim

import (
	"context"
	"fmt"
	"slices"

	"github.com/almanac-sched/almanac/engine"
)

// change carries out an operation on one to three instances that fit, by the book. What was acknowledged must be in the book; a preview, asked for first
// now and then, must change nothing.
func (w *World) change(s *server, name string, o engine.OperationRequest, fits func(*entry) bool, done func(*entry) bool) {
	var picked []*entry
	for range w.operator.in(1, 3) {
		if i := w.anyInstance(fits); i != nil && !slices.Contains(o.IDs, i.id) {
			o.IDs, picked = append(o.IDs, i.id), append(picked, i)
		}
	}
	if len(picked) == 0 {
		return
	}
	o.Actor, o.Note = "operator", "as it was to be"
	if w.operator.chance(0.3) {
		preview := o
		preview.DryRun = true
		commits := s.commits
		w.command(s, name+" preview", func(ctx context.Context) error {
			_, err := s.engine.Operate(ctx, preview, s.now())
			return err
		}, func() string {
			if s.commits != commits {
				return "it has written"
			}
			return ""
		})
	}
	var result engine.OperationResult
	w.command(s, name, func(ctx context.Context) (err error) {
		result, err = s.engine.Operate(ctx, o, s.now())
		return err
	}, func() string {
		if result.UnderWay != nil {
			return w.notUnderWay(&result)
		}
		for _, i := range picked {
			if now := w.ledger.instances[i.id]; now == nil || !done(now) {
				return fmt.Sprintf("instance %d is %+v", i.id, now)
			}
		}
		return ""
	})
}

func (w *World) rerun(s *server) {
	o := engine.OperationRequest{Operation: engine.OperateRerun}
	name := "rerun"
	if w.operator.chance(0.3) {
		o.Options.Scope, name = "downstream", "rerun downstream"
	}
	if w.operator.chance(0.4) {
		o.Options.From = "failed"
	}
	if w.operator.chance(0.3) {
		o.Options.Version = "latest"
	}
	wanted := pick(w.operator, engine.Failed, engine.Failed, engine.Cancelled, engine.Succeeded, engine.Lost, engine.Skipped, engine.Forced)
	before := map[int64]int{}
	for id, i := range w.ledger.instances {
		before[id] = i.reruns
	}
	w.change(s, name, o, func(i *entry) bool { return i.state == wanted }, func(i *entry) bool { return i.reruns > before[i.id] })
}

func (w *World) force(s *server) {
	wanted := pick(w.operator, engine.Failed, engine.Waiting, engine.Lost, engine.Cancelled)
	w.change(s, "force", engine.OperationRequest{Operation: engine.OperateForce}, func(i *entry) bool { return i.state == wanted },
		func(i *entry) bool { return i.state == engine.Forced })
}

func (w *World) skip(s *server) {
	wanted := pick(w.operator, engine.Failed, engine.Waiting, engine.Cancelled, engine.Running)
	w.change(s, "skip", engine.OperationRequest{Operation: engine.OperateSkip}, func(i *entry) bool { return i.state == wanted },
		func(i *entry) bool { return i.state == engine.Skipped })
}

func (w *World) freeze(s *server) {
	w.change(s, "freeze", engine.OperationRequest{Operation: engine.OperateFreeze}, func(i *entry) bool { return i.state == engine.Waiting },
		func(i *entry) bool { return i.frozen })
}

func (w *World) unfreeze(s *server) {
	w.change(s, "unfreeze", engine.OperationRequest{Operation: engine.OperateUnfreeze}, func(i *entry) bool { return i.state == engine.Waiting && i.frozen },
		func(i *entry) bool { return !i.frozen })
}

func (w *World) runNow(s *server) {
	w.change(s, "run-now", engine.OperationRequest{Operation: engine.OperateRunNow}, func(i *entry) bool { return i.state == engine.Waiting },
		func(i *entry) bool { return i.runNow })
}

func (w *World) boost(s *server) {
	o := engine.OperationRequest{Operation: engine.OperateBoost, Options: engine.OperationOptions{Priority: w.operator.in(1, 9)}}
	w.change(s, "boost", o, func(i *entry) bool { return i.state == engine.Waiting }, func(i *entry) bool { return i.priority == o.Options.Priority })
}

// detach takes one of the instances that an instance waits for out of its set.
func (w *World) detach(s *server) {
	i := w.anyInstance(func(i *entry) bool { return i.state == engine.Waiting && len(i.waits) > 0 })
	if i == nil {
		return
	}
	up := w.anyInstance(func(u *entry) bool { return holds(i, u) })
	if up == nil {
		return
	}
	o := engine.OperationRequest{Operation: engine.OperateDetach, Options: engine.OperationOptions{Upstream: fmt.Sprint(up.id)}}
	w.change(s, "detach", o, func(other *entry) bool { return other == i }, func(i *entry) bool { return !holds(i, up) })
}

// holds reports whether a wait of an instance holds another.
func holds(i, up *entry) bool {
	return slices.ContainsFunc(i.waits, func(wait engine.Wait) bool {
		return wait.Upstream == up.job && wait.Key == up.key && wait.Count > 0 && !up.plan.Before(wait.First) && !up.plan.After(wait.Last)
	})
}

// many carries out an operation on all that a selector chooses, which is more than one transaction
// changes.
func (w *World) many(s *server) {
	days := pick(w.operator, "today", "yesterday..today", "today..tomorrow")
	o := engine.OperationRequest{Actor: "operator", Note: "all of them", Operation: pick(w.operator, engine.OperateRerun,
		engine.OperateFreeze, engine.OperateUnfreeze, engine.OperateUnfreeze, engine.OperateBoost, engine.OperateSkip,
		engine.OperateCancel, engine.OperateForce)}
	switch o.Operation {
	case engine.OperateRerun:
		o.Selector = "date:yesterday..today state:" + pick(w.operator, "failed", "cancelled", "failed,cancelled,skipped")
		if w.operator.chance(0.5) {
			o.Options.Scope = "downstream"
		}
	case engine.OperateUnfreeze:
		o.Selector = "state:waiting gate:frozen"
	default:
		o.Selector = "state:waiting date:" + days
		if g := w.anyGene(func(g *gene) bool { return !g.gone }); g != nil && o.Operation != engine.OperateBoost {
			o.Selector += " job:w/" + g.name
		}
	}
	var result engine.OperationResult
	w.command(s, "many", func(ctx context.Context) (err error) {
		result, err = s.engine.Operate(ctx, o, s.now())
		return err
	}, func() string { return w.notUnderWay(&result) })
}

// notUnderWay says of an operation that is to be carried out later that it was not taken down.
func (w *World) notUnderWay(r *engine.OperationResult) string {
	if r.UnderWay != nil && w.ledger.operations[r.UnderWay.ID] == nil {
		return fmt.Sprintf("operation %d is not under way", r.UnderWay.ID)
	}
	return ""
}
