package sim

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// pause pauses a job or its workflow for a while, which always ends by itself.
func (w *World) pause(s *server) {
	g := w.anyGene(func(*gene) bool { return true })
	if g == nil {
		return
	}
	r := engine.PauseRequest{
		Workflow: "w", Job: g.name, Until: s.now().Add(time.Duration(w.operator.in(5, 300)) * time.Minute), Actor: "operator", Note: "a while",
		Missed: pick(w.operator, "", engine.MissedRun, engine.MissedLatest, engine.MissedSkip),
	}
	if w.operator.chance(0.2) {
		r.Job = ""
	}
	w.command(s, "pause", func(ctx context.Context) error {
		_, err := s.engine.Pause(ctx, r, s.now())
		return err
	}, func() string { return w.noPause(r, false) })
}

// resume lets something go on that is paused.
func (w *World) resume(s *server) {
	names := slices.SortedFunc(maps.Keys(w.ledger.pauses), func(a, b pauseName) int {
		return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.job, b.job))
	})
	for _, name := range names {
		if p := w.ledger.pauses[name]; p.Active(s.now()) {
			r := engine.PauseRequest{Workflow: p.Workflow, Job: p.Job, Actor: "operator"}
			w.command(s, "resume", func(ctx context.Context) error {
				_, err := s.engine.Resume(ctx, r, s.now())
				return err
			}, func() string { return w.noPause(r, true) })
			return
		}
	}
}

func (w *World) noPause(r engine.PauseRequest, resumed bool) string {
	for _, p := range w.ledger.pauses {
		if p.Workflow == r.Workflow && p.Job == r.Job && p.Resumed.IsZero() != resumed {
			return ""
		}
	}
	return fmt.Sprintf("there is no such pause of %s/%s", r.Workflow, r.Job)
}

// reschedule lets a waiting instance start at another time.
func (w *World) reschedule(s *server) {
	to := s.now().Add(time.Duration(w.operator.in(1, 600)) * time.Minute).UTC()
	o := engine.OperationRequest{Operation: engine.OperateReschedule, Options: engine.OperationOptions{To: to.Format(time.RFC3339)}}
	w.change(s, "reschedule", o, func(i *entry) bool { return i.state == engine.Waiting },
		func(i *entry) bool { return i.notBefore.Unix() == to.Unix() || i.state != engine.Waiting })
}

// ahead orders something of a job for one of the next days, most of which are not planned yet.
func (w *World) ahead(s *server) {
	g := w.anyGene(func(g *gene) bool { return !g.gone && !g.disabled && !g.manual })
	if g == nil {
		return
	}
	day := s.now().AddDate(0, 0, w.operator.in(1, 3)).Format("2006-01-02")
	o := engine.OperationRequest{
		Operation: pick(w.operator, engine.OperateFreeze, engine.OperateUnfreeze, engine.OperateBoost, engine.OperateSkip, engine.OperateReschedule),
		Selector:  "job:w/" + g.name + " date:" + day + " state:waiting", Actor: "operator", Note: "ahead of time",
	}
	if o.Operation == engine.OperateReschedule {
		o.Options.To = s.now().AddDate(0, 0, 3).UTC().Format(time.RFC3339)
	}
	w.command(s, "ahead", func(ctx context.Context) error {
		_, err := s.engine.Operate(ctx, o, s.now())
		return err
	}, func() string { return "" })
}
