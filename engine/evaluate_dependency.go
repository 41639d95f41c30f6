package engine

import (
	"cmp"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
)

// judgeDependencies is the gate of everything upstream. Of several dependencies that are not satisfied the first declared is the reason.
func judgeDependencies(now time.Time, s *Situation) Verdict {
	if s.Instance.RunNow != "" {
		return open
	}
	verdict := open
	for v := range s.dependencies(now) {
		if v.Event != "" {
			return v // it ends the instance whatever the others say
		}
		if !v.Open {
			if verdict.Open {
				verdict = v
			} else {
				verdict.Wake = earliest(verdict.Wake, v.Wake) // a timeout of a later one must not be slept through
			}
		}
	}
	return verdict
}

// mustEnd gives, of each declared dependency that is not satisfied, the latest upstream instances that wait and have to end before it can be: why the
// instance waits for each.
func mustEnd(now time.Time, s *Situation) (reasons []Reason) {
	if s.Instance.RunNow != "" {
		return nil
	}
	for from, to := range s.declared() {
		w := &s.Waits[from]
		if v := judgeDependency(now, s, from, to); v.Open || v.Event != "" {
			continue
		}
		for n := from; n < to; n++ {
			u := s.Facts[n].Unsatisfied
			switch {
			case w.AnyEnd():
				u = s.Facts[n].Open
			case w.Select == "all" || w.Select == "any" && to-from == 1 && w.Count == 1:
			default:
				u = nil // others of the set may do
			}
			if u != nil && u.State == Waiting && !u.Frozen {
				reasons = append(reasons, upstreamReason(ReasonUpstream, w.Ref, u))
			}
		}
	}
	return reasons
}

// dependencies yields the verdict of each declared dependency.
func (s *Situation) dependencies(now time.Time) iter.Seq[Verdict] {
	return func(yield func(Verdict) bool) {
		for from, to := range s.declared() {
			if !yield(judgeDependency(now, s, from, to)) {
				return
			}
		}
	}
}

// declared yields the waits of each declared dependency: one, or the pieces [from, to) that its set is cut in.
func (s *Situation) declared() iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for from := 0; from < len(s.Waits); {
			to := from + 1
			for to < len(s.Waits) && s.Waits[to].Dependency == s.Waits[from].Dependency && s.Waits[to].Ended == s.Waits[from].Ended {
				to++
			}
			if !yield(from, to) {
				return
			}
			from = to
		}
	}
}

// judgeDependency judges one declared dependency: the waits [from, to) are the pieces of its set (`dependencies.md` §7, §8).
func judgeDependency(now time.Time, s *Situation, from, to int) Verdict {
	waits, facts := s.Waits[from:to], s.Facts[from:to]
	w := &waits[0]
	ref := w.Ref
	count, last := 0, time.Time{}
	set := newSet(waits, facts)
	for n := range waits {
		count += waits[n].Count
		if waits[n].Last.After(last) {
			last = waits[n].Last
		}
	}
	onMissing := func(why string) Verdict {
		switch w.OnMissing {
		case MissingCancel:
			return Verdict{Event: Cancel, Reason: Reason{Code: ReasonNoUpstream, Upstream: &ref, Detail: why}}
		case MissingWait:
			return Verdict{Reason: Reason{Code: ReasonNoUpstream, Upstream: &ref, Detail: why}}
		}
		return open
	}
	switch {
	case count == 0 && (w.Ended || w.Rule == RuleDetached || w.Rule == RuleRetention):
		return open
	case count == 0:
		return onMissing(fmt.Sprintf("no instance of it is planned in the window %s; onMissing: %s", windowText(w), w.OnMissing))
	case set.satisfied(w):
		return open
	case set.gone != "" && !set.runsOn(w, count):
		if w.Ended {
			return open
		}
		if s.Job.statesMissing(w) {
			v := onMissing("the job was " + set.gone)
			if v.Event == "" && !v.Open { // what of it runs on may still satisfy
				v.WatchJob = w.Upstream
				_, v.WatchTime = set.blocker(ref, cmp.Or(set.open, set.unsatisfied), last)
				v.WatchKey = watchKey(waits, facts, v.WatchTime)
			}
			return v
		}
		return Verdict{Event: Cancel, Reason: Reason{Code: ReasonUpstreamGone, Upstream: &ref, Detail: "the job was " + set.gone}}
	}

	v := Verdict{WatchJob: w.Upstream}
	switch {
	case !w.Ended && w.OnFailed == FailedCancel && set.failed != nil:
		return Verdict{Event: Cancel, Reason: upstreamReason(ReasonUpstreamFail, ref, set.failed)}
	case w.AnyEnd():
		// Satisfied when all have ended: the latest open one is watched.
		if set.there() && set.open == nil {
			return open
		}
		v.Reason, v.WatchTime = set.blocker(ref, set.open, last)
	case w.Select == "all" || w.Select == "any" && count == 1: // any of one is that one
		v.Reason, v.WatchTime = set.blocker(ref, set.unsatisfied, last)
	default:
		// Any and a count are woken by range, at each success in it: no single instance is worth watching.
		v.Reason, _ = set.blocker(ref, set.unsatisfied, last)
		v.Reason.Detail = fmt.Sprintf("%d of %s satisfied", set.count, w.Select)
		v.WatchJob = 0
		if k, _ := strconv.Atoi(w.Select); k > count {
			v.Reason = Reason{Code: ReasonNoUpstream, Upstream: &ref, Detail: s.neverEnough(w, k, count, last, now)}
		}
	}
	if v.WatchJob != 0 {
		v.WatchKey = watchKey(waits, facts, v.WatchTime)
	}
	if w.Timeout > 0 {
		deadline := latest(s.begins(now), last).Add(w.Timeout)
		if !now.Before(deadline) {
			if w.OnFailed == FailedRun {
				return open
			}
			return Verdict{Event: Cancel, Reason: Reason{Code: ReasonWaitTimeout, Upstream: &ref, At: &deadline, Detail: "timeout of the dependency"}}
		}
		v.Wake = deadline
	}
	return v
}

// neverEnough says that a dependency asks for more than there is to choose from, and what ends the wait.
func (s *Situation) neverEnough(w *Wait, asked, count int, last, now time.Time) string {
	text := fmt.Sprintf("select asks for %d, and its window has %d: no rerun can satisfy it", asked, count)
	var ends time.Time
	if w.Timeout > 0 {
		ends = latest(s.begins(now), last).Add(w.Timeout)
	}
	if until, some := s.waitDeadline(now); some {
		ends = earliest(ends, until)
	}
	if ends.IsZero() {
		return text + "; nothing ends the wait"
	}
	return text + "; the wait ends at " + ends.In(s.Instance.PlanTime.Location()).Format("2006-01-02 15:04:05 -07:00")
}

// watchKey is the key of the upstream instance that is watched. The pieces of a set may be of several: what an instance of a backfill waits for lies partly
// in its own.
func watchKey(waits []Wait, facts []Facts, at time.Time) string {
	for n := range waits {
		for _, u := range []*UpstreamInstance{facts[n].Open, facts[n].Unsatisfied} {
			if u != nil && u.PlanTime.Equal(at) {
				return waits[n].Key
			}
		}
	}
	for n := range waits { // the last of the set, which is not planned yet
		if waits[n].Count > 0 && waits[n].Last.Equal(at) {
			return waits[n].Key
		}
	}
	return waits[0].Key
}

// statesMissing reports whether the job says itself what a missing upstream means to the dependency of a wait. A rerun by another version still waits for
// what it was planned to wait for.
func (j *Job) statesMissing(w *Wait) bool {
	return w.Dependency < len(j.DependsOn) && j.DependsOn[w.Dependency].Job == w.Ref && j.DependsOn[w.Dependency].OnMissingStated
}

// set is the facts of a dependency whose range may be cut in pieces, put together.
type set struct {
	gone        string // "removed", "disabled", or "" when the upstream job is there
	planned     bool
	missing     int // plan times without an instance; absence satisfies nothing
	unsatisfied *UpstreamInstance
	open        *UpstreamInstance
	failed      *UpstreamInstance
	count       int
}

func newSet(waits []Wait, facts []Facts) set {
	s := set{planned: true}
	for n := range facts {
		f := &facts[n]
		switch {
		case f.Removed:
			s.gone = "removed"
		case f.Disabled:
			s.gone = "disabled"
		}
		if waits[n].Count == 0 {
			continue
		}
		s.planned = s.planned && f.Planned
		s.missing += f.Missing
		s.count += f.Satisfied
		s.unsatisfied = later(s.unsatisfied, f.Unsatisfied)
		s.open = later(s.open, f.Open)
		if s.failed == nil {
			s.failed = f.Failed
		}
	}
	return s
}

// runsOn reports that what is waited for of a removed job was due already and has not ended: it is not dropped with its job, and may satisfy. Where any
// of several would do nothing is watched, so that nothing would say that the last of them has failed.
func (s *set) runsOn(w *Wait, count int) bool {
	u := s.unsatisfied
	if w.OnFailed == FailedRun {
		u = s.open
	}
	return s.gone == "removed" && !w.Ended && s.planned && u != nil && !u.State.Ended() && (w.Select == "all" || w.Select == "any" && count == 1)
}

// there reports whether each plan time of the set has its instance.
func (s *set) there() bool {
	return s.planned && (s.missing == 0 || fault.Planted(fault.AbsentSatisfies))
}

func (s *set) satisfied(w *Wait) bool {
	switch {
	case w.Ended:
		return s.there() && s.open == nil
	case w.Select == "all":
		return s.there() && (s.unsatisfied == nil || fault.Planted(fault.FailedSatisfies) && s.unsatisfied.State.Ended())
	case w.Select == "any":
		return s.count >= 1
	default:
		k, err := strconv.Atoi(w.Select)
		return err == nil && s.count >= k
	}
}

// blocker says which upstream instance is in the way: the one given, or the last of the range when that is not planned yet or not there.
func (s *set) blocker(ref JobRef, u *UpstreamInstance, last time.Time) (Reason, time.Time) {
	if u == nil || !s.planned && u.PlanTime.Before(last) {
		if s.planned {
			return Reason{Code: ReasonUpstream, Upstream: &ref, At: &last, Detail: fmt.Sprintf("%s of its plan not recorded", plural(s.missing, "instance"))}, last
		}
		return Reason{Code: ReasonUpstream, Upstream: &ref, At: &last, Detail: "not planned yet"}, last
	}
	code := ReasonUpstream
	if u.State.CountsAsFailed() {
		code = ReasonUpstreamFail
	}
	return upstreamReason(code, ref, u), u.PlanTime
}

func upstreamReason(code ReasonCode, ref JobRef, u *UpstreamInstance) Reason {
	at := u.PlanTime
	r := Reason{Code: code, Upstream: &ref, At: &at, State: u.State}
	if u.Frozen {
		r.Detail = "frozen"
	}
	return r
}

func windowText(w *Wait) string {
	left, right := "[", ")"
	switch w.Closed {
	case "right":
		left, right = "(", "]"
	case "both":
		right = "]"
	}
	const form = "2006-01-02 15:04"
	return left + w.WindowFrom.Format(form) + ", " + w.WindowTo.Format(form) + right
}

func later(a, b *UpstreamInstance) *UpstreamInstance {
	if a == nil || b != nil && b.PlanTime.After(a.PlanTime) {
		return b
	}
	return a
}
