package engine

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/deps"
	"github.com/almanac-sched/almanac/engine/fault"
)

// An instance that waits keeps the version of its job that it was planned with: what it does, and which dependencies it has. Which instances these
// dependencies name is a matter of the definitions in force. So when a job is put, what waits for it, and what waits of it, is bound again before anything
// is decided on it: in the transaction that decides. Each wait says of which revision of the definitions it is, so that nothing has to be remembered, and no
// transaction is longer for how much waits.

// ofRevision yields planned rows whose waits are of the definitions that the transaction sees.
func ofRevision(tx Tx, rows iter.Seq2[*Instance, []Wait]) (iter.Seq2[*Instance, []Wait], error) {
	revision, err := tx.Revision()
	if err != nil {
		return nil, fmt.Errorf("read the revision of the definitions: %w", err)
	}
	return func(yield func(*Instance, []Wait) bool) {
		for i, waits := range rows {
			for n := range waits {
				waits[n].Bound = revision
			}
			if !yield(i, waits) {
				return
			}
		}
	}, nil
}

// stale reports whether a job was put since the waits of an instance were bound: its own, or one that it waits for.
func (e *Engine) stale(i *Instance, waits []Wait) bool {
	if len(waits) == 0 || e.cfg.Closed || fault.Planted(fault.StaleWaits) {
		return false // `almanac run` binds to what it runs, and says what it assumes of the rest
	}
	return e.defs.changedAfter(i.Job, waits[0].Bound) ||
		slices.ContainsFunc(waits, func(w Wait) bool { return e.defs.changedAfter(w.Upstream, w.Bound) })
}

// bindAgain returns what a waiting instance waits for by the definitions in force, and writes it down when it is something else than before.
func (e *Engine) bindAgain(tx Tx, i *Instance, job *Job, waits []Wait, now time.Time) ([]Wait, error) {
	b := &binding{View: tx, planner: e.defs.plan(), row: e.defs.row, revision: e.defs.at(), i: i, job: job}
	return b.write(tx, waits, now)
}

// A binding finds out what one instance waits for.
type binding struct {
	View
	planner  *Planner
	row      func(JobRef) (JobRow, bool)
	span     func(JobRef) recorded                                    // nil is what rebinding goes by
	times    func(job int64, from, to time.Time) ([]time.Time, error) // nil is View.PlanTimes
	revision int64
	i        *Instance
	job      *Job // as of the version of the instance
	err      error
}

// write puts what the instance waits for in the place of what it waited for.
func (b *binding) write(tx Tx, before []Wait, now time.Time) ([]Wait, error) {
	after, err := b.bind(before)
	if err != nil {
		return nil, fmt.Errorf("bind %s again: %w", b.i.Name(), err)
	}
	if slices.EqualFunc(before, after, sameWait) {
		return after, wrap(tx.SetBound(b.i.ID, b.revision), "record that %s is bound", b.i.Name())
	}
	reason := Reason{Code: ReasonRelinked, Detail: waitsText(before) + " → " + waitsText(after)}
	if ok, err := tx.Rebind(b.i.ID, after, reason, now); err != nil || !ok {
		return nil, wrap(cmp.Or(err, errStuck), "bind %s again", b.i.Name())
	}
	return after, nil
}

// bind returns what the instance waits for, given what it waited for.
func (b *binding) bind(before []Wait) (after []Wait, err error) {
	planner := b.inForce()
	for from := 0; from < len(before); {
		to := from + 1
		for to < len(before) && before[to].Dependency == before[from].Dependency && before[to].Ended == before[from].Ended {
			to++
		}
		after = append(after, b.dependency(planner, before[from:to])...)
		from = to
	}
	for n := range after {
		after[n].Instance, after[n].N, after[n].Bound = b.i.ID, n, b.revision
	}
	return after, b.err
}

// inForce is the planner of the definitions in force. What a person has had run again waits for what is kept of its set.
func (b *binding) inForce() *Planner {
	span := b.span
	if span == nil {
		rerun := b.i.Touched || b.i.Fence > 0
		span = func(ref JobRef) recorded {
			row, ok := b.row(ref)
			switch {
			case !ok:
				return recorded{}
			case rerun:
				return row.kept()
			}
			return row.planned(row.PlannedTo)
		}
	}
	planner := b.planner.over(b.View, span)
	if b.times != nil {
		planner.record.times = b.times
	}
	return planner
}

// dependency binds one declared dependency, of which these are the rows.
func (b *binding) dependency(planner *Planner, before []Wait) []Wait {
	w := &before[0]
	up, known := planner.find(w.Ref)
	if !known {
		return slices.Clone(before) // the job is gone: what it left behind still counts, and else the dependency says what that means
	}
	detached := detachedTimes(before)
	if w.Rule == RuleDetached && len(detached) == 0 {
		return slices.Clone(before) // of all that there was
	}
	fresh, ok := b.bound(planner, up, w)
	if !ok {
		fresh = b.left(planner, up, before)
	}
	if b.gone(before, fresh) {
		base := fresh[0]
		base.Rule = RuleRetention
		return []Wait{base}
	}
	return b.cut(planner, up, fresh, detached)
}

// bound binds a dependency as its rule says; false when its rule does not apply: to what is bound to a backfill, and to jobs of another kind than there were
// when the version of the instance was written.
func (b *binding) bound(planner *Planner, up int, w *Wait) ([]Wait, bool) {
	if b.i.Kind != Scheduled || w.Dependency >= len(b.job.DependsOn) || b.job.DependsOn[w.Dependency].Job != w.Ref {
		return nil, false
	}
	d := &b.job.DependsOn[w.Dependency]
	edges := d.edges()
	if w.Ended && len(edges) < 2 {
		return nil, false
	}
	edge := edges[0]
	if w.Ended {
		edge = edges[1]
	}
	own := deps.Job{Name: b.i.Ref.String(), Period: b.job.Period, Location: b.job.When.Location, Occurrences: b.own(planner)}
	binder, err := edge.Compile(own, planner.endOf(up, &b.err))
	if err != nil {
		return nil, false
	}
	at := b.i.PlanTime
	if b.job.When.Location != nil {
		at = at.In(b.job.When.Location)
	}
	plan := DependencyPlan{Dependency: d, Index: w.Dependency, Ended: w.Ended, Upstream: planner.jobs[up], Bindings: []deps.Binding{binder.Bind(at)}}
	return plan.appendWaits(nil, b.i.ID, w.Upstream, 0), true
}

// due is when a job is due by the definitions in force.
func (b *binding) due(planner *Planner, n int) deps.Occurrences {
	return planner.endOf(n, &b.err).Occurrences
}

// own is when the instance's own job is due, the instance included: by an earlier definition it may be the only one of its day.
func (b *binding) own(planner *Planner) deps.Occurrences {
	n, known := planner.find(b.i.Ref)
	return func(from, to time.Time) []time.Time {
		var times []time.Time
		if known {
			times = b.due(planner, n)(from, to)
		}
		if at := b.i.PlanTime; !at.Before(from) && at.Before(to) {
			if k, there := slices.BinarySearchFunc(times, at, time.Time.Compare); !there {
				times = slices.Insert(slices.Clone(times), k, at)
			}
		}
		return times
	}
}

// left is what of the recorded ranges the upstream job is still due at.
func (b *binding) left(planner *Planner, up int, before []Wait) []Wait {
	var fresh []Wait
	for _, w := range before {
		if w.Count == 0 || w.Key != "" {
			fresh = append(fresh, w)
			continue
		}
		times := b.due(planner, up)(w.First, w.Last.Add(time.Millisecond))
		if len(times) == 0 {
			continue
		}
		if len(times) < w.Count {
			w.First, w.Last, w.Count = times[0], times[len(times)-1], len(times)
		}
		fresh = append(fresh, w)
	}
	if len(fresh) == 0 {
		w := before[0]
		w.First, w.Last, w.Count, w.Rule, w.Select = time.Time{}, time.Time{}, 0, deps.NoneInWindow.String(), "all"
		fresh = append(fresh, w)
	}
	return fresh
}

// gone reports whether retention has removed all that a rerun waited for. The rows say how far
// retention has come: what an edit or a clock took away is not gone but missing.
func (b *binding) gone(before, fresh []Wait) bool {
	if !b.i.Touched && b.i.Fence == 0 || countOf(fresh) > 0 {
		return false
	}
	if before[0].Rule == RuleRetention {
		return true
	}
	removed, err := RemovedBefore(b.View)
	if err != nil {
		b.err = err
		return false
	}
	return slices.ContainsFunc(before, func(w Wait) bool {
		return w.Count > 0 && w.Key == "" && w.First.Before(removed)
	})
}

// cut takes what a person has detached out of the rows of a dependency.
func (b *binding) cut(planner *Planner, up int, fresh []Wait, detached []time.Time) []Wait {
	if len(detached) == 0 || countOf(fresh) == 0 {
		return fresh
	}
	var left []Wait
	var marks []Wait
	for _, w := range fresh {
		if w.Count == 0 || w.Key != "" {
			left = append(left, w)
			continue
		}
		piece := w
		piece.Count = 0
		for _, t := range b.due(planner, up)(w.First, w.Last.Add(time.Millisecond)) {
			if slices.ContainsFunc(detached, t.Equal) {
				marks = append(marks, detachedMark(w, t))
				if piece.Count > 0 {
					left = append(left, piece)
				}
				piece.Count = 0
				continue
			}
			if piece.Count == 0 {
				piece.First = t
			}
			piece.Last, piece.Count = t, piece.Count+1
		}
		if piece.Count > 0 {
			left = append(left, piece)
		}
	}
	return detachedFrom(left, marks)
}

func countOf(waits []Wait) (n int) {
	for i := range waits {
		n += waits[i].Count
	}
	return n
}

// sameWait reports whether two waits name the same instances in the same way.
func sameWait(a, b Wait) bool {
	same := a.First.Equal(b.First) && a.Last.Equal(b.Last) && a.WindowFrom.Equal(b.WindowFrom) && a.WindowTo.Equal(b.WindowTo)
	for _, w := range []*Wait{&a, &b} {
		w.First, w.Last, w.WindowFrom, w.WindowTo = time.Time{}, time.Time{}, time.Time{}, time.Time{}
		w.Instance, w.N, w.Bound = 0, 0, 0
	}
	return same && a == b
}

// waitsText says in a few words what an instance waits for: "clicks 12:00; orders 02:00…15:00 (3)".
func waitsText(waits []Wait) string {
	const form = "01-02 15:04"
	var words []string
	for n := range waits {
		w := &waits[n]
		text := w.Ref.String()
		switch {
		case w.detachedAt():
			text += " " + w.WindowFrom.Format(form) + " detached"
		case w.Count == 0 && (w.Rule == RuleDetached || w.Rule == RuleRetention):
			text += " " + w.Rule
		case w.Count == 0:
			text += " none"
		case w.Count == 1:
			text += " " + w.Last.Format(form)
		default:
			text += fmt.Sprintf(" %s…%s (%d)", w.First.Format(form), w.Last.Format(form), w.Count)
		}
		if w.Count > 0 && w.Select != "all" {
			text += ", " + w.Select
		}
		if w.Ended {
			text += ", ended"
		}
		words = append(words, text)
	}
	return strings.Join(words, "; ")
}
