package engine

import (
	"cmp"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
)

// MisfireGrace is how late a due time may first be looked at without counting as missed. A server that is up looks within a second.
const MisfireGrace = time.Minute

// A Situation is everything that the decision on one waiting instance depends on: rows, read in the transaction that will carry the decision
// out.
type Situation struct {
	Instance *Instance
	Job      *Job
	Waits    []Wait
	Facts    []Facts // parallel to Waits
	Active   int     // running instances of the job
	Limit    int     // of them at once, by the current definition of the job; 0 is what the instance's own says
	LaterDue bool    // a scheduled waiting instance of the job with a later plan time is due too
	Disabled bool    // the job is, by its current definition

	Unclocked bool // `almanac run`: plan times are not waited for, and nothing is ever late
}

// A Verdict is what one gate says of an instance.
type Verdict struct {
	Gate   Gate
	Open   bool
	Reason Reason
	Event  Event     // Skip or Cancel when the gate ends the instance, else empty
	Wake   time.Time // of a closed gate: look again then; zero is only when woken

	WatchJob     int64 // of a closed gate: the upstream instance whose end will change the verdict
	WatchKey     string
	WatchTime    time.Time
	CancelActive bool // overlap: cancelRunning asks for the running instances to be cancelled
}

// gates is the one list of what can hold a waiting instance, in order. Evaluate stops at the first that is closed; Verdicts shows them all.
var gates = []struct {
	gate  Gate
	judge func(now time.Time, s *Situation) Verdict
}{
	{GateTime, judgeTime},
	{GateDependency, judgeDependencies},
	{GateConfirm, judgeConfirm},
	{GateFrozen, judgeFrozen},
	{GateConcurrency, judgeConcurrency},
}

// Evaluate decides on one waiting instance: the verdict of the first gate that does not let it pass, or an open verdict of the gate slot when
// nothing but a slot is missing. It is pure.
func Evaluate(now time.Time, s *Situation) Verdict {
	timeout, ends := s.waitDeadline()
	for _, g := range gates {
		v := g.judge(now, s)
		if v.Gate == "" {
			v.Gate = g.gate
		}
		if v.Open {
			continue
		}
		if v.Event == "" && g.gate != GateTime && ends {
			// The job's waitTimeout bounds all gates but its own time.
			if !now.Before(timeout) {
				v.Event = Cancel
				v.Reason = Reason{Code: ReasonWaitTimeout, At: &timeout, Detail: "waitTimeout of the job, while " + string(v.Reason.Code)}
			} else {
				v.Wake = earliest(v.Wake, timeout)
			}
		}
		return v
	}
	v := Verdict{Gate: GateSlot, Open: true, Reason: Reason{Code: ReasonReleased}}
	if ends {
		v.Wake = timeout
	}
	return v
}

// Verdicts gives the verdict of every gate, in order, for explanations. Evaluate acts on the first that is closed.
func Verdicts(now time.Time, s *Situation) []Verdict {
	verdicts := make([]Verdict, len(gates))
	for i, g := range gates {
		verdicts[i] = g.judge(now, s)
		verdicts[i].Gate = g.gate
	}
	return verdicts
}

var open = Verdict{Open: true}

// judgeTime is the gate of the plan time, and of what is decided once, when it has come: misfire, the calendar and overlap: skip.
func judgeTime(now time.Time, s *Situation) Verdict {
	i, j := s.Instance, s.Job
	if !s.Unclocked && now.Before(i.NotBefore) {
		at := i.NotBefore
		v := Verdict{Reason: Reason{Code: ReasonNotDue, At: &at}, Wake: at}
		if i.Gate != GateTime {
			v.Gate = GateDependency // it has passed this gate once: a person reran it early, or the clock was set back
		}
		return v
	}
	if i.Gate != GateTime {
		return open // decided when it was first looked at
	}
	if i.DryRun {
		return Verdict{Event: Skip, Reason: Reason{Code: ReasonOffCalendar, Detail: "not a work day of the job's calendar"}}
	}
	if i.Kind != Scheduled || s.Unclocked {
		return open
	}
	if late := now.Sub(i.NotBefore); late > MisfireGrace {
		missed := func(detail string) Verdict {
			at := i.NotBefore
			return Verdict{Event: Cancel, Reason: Reason{Code: ReasonMisfire, At: &at, Detail: detail}}
		}
		switch {
		case late > j.MisfireWindow:
			return missed(fmt.Sprintf("missed by more than the misfire window of %s", j.MisfireWindow))
		case j.Misfire == MisfireSkip:
			return missed("misfire: skip")
		case j.Misfire == MisfireRunLatest && s.LaterDue:
			return missed("misfire: runLatest, and a later one is due")
		}
	}
	if j.Overlap == OverlapSkip && s.Active >= s.limit() {
		return Verdict{Event: Cancel, Reason: Reason{Code: ReasonOverlap, Detail: fmt.Sprintf("overlap: skip, and %d of %d run", s.Active, s.limit())}}
	}
	return open
}

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
			case w.Ended || w.OnFailed == FailedRun:
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
	case count == 0 && (w.Ended || w.Rule == RuleDetached):
		return open
	case count == 0:
		return onMissing(fmt.Sprintf("its schedule has no plan time in the window %s; onMissing: %s", windowText(w), w.OnMissing))
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
	case w.Ended || w.OnFailed == FailedRun:
		// Satisfied when all have ended: the latest open one is watched.
		if set.planned && set.open == nil {
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
	}
	if v.WatchJob != 0 {
		v.WatchKey = watchKey(waits, facts, v.WatchTime)
	}
	if w.Timeout > 0 {
		deadline := latest(s.begins(), last).Add(w.Timeout)
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

func (s *set) satisfied(w *Wait) bool {
	switch {
	case w.Ended:
		return s.planned && s.open == nil
	case w.Select == "all":
		return s.planned && (s.unsatisfied == nil || fault.Planted(fault.FailedSatisfies) && s.unsatisfied.State.Ended())
	case w.Select == "any":
		return s.count >= 1
	default:
		k, err := strconv.Atoi(w.Select)
		return err == nil && s.count >= k
	}
}

// blocker says which upstream instance is in the way: the one given, or the last of the range when that is not planned yet.
func (s *set) blocker(ref JobRef, u *UpstreamInstance, last time.Time) (Reason, time.Time) {
	if u == nil || !s.planned && u.PlanTime.Before(last) {
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

func judgeConfirm(_ time.Time, s *Situation) Verdict {
	if s.Job.Confirm && s.Instance.Confirmed == "" {
		return Verdict{Reason: Reason{Code: ReasonConfirm, Detail: "waits for a person to confirm it"}}
	}
	return open
}

func judgeFrozen(_ time.Time, s *Situation) Verdict {
	if s.Instance.Frozen && !fault.Planted(fault.FrozenStarts) {
		return Verdict{Reason: Reason{Code: ReasonFrozen, Detail: "held by an operator"}}
	}
	if s.Disabled {
		return Verdict{Reason: Reason{Code: ReasonDisabled, Detail: "held until it is enabled"}}
	}
	return open
}

func judgeConcurrency(_ time.Time, s *Situation) Verdict {
	full := s.Active >= s.limit()
	// One that had to wait for another of its job gives way to the latest, also when its turn has come at last.
	if s.Job.Overlap == OverlapSkipToLatest && (full || s.Instance.Gate == GateConcurrency) && s.LaterDue && s.Instance.Kind == Scheduled && !s.Instance.Touched {
		return Verdict{Event: Cancel, Reason: Reason{Code: ReasonOverlap, Detail: "overlap: skipToLatest, and a later one is due"}}
	}
	if !full {
		return open
	}
	return Verdict{
		Reason:       Reason{Code: ReasonConcurrency, Detail: fmt.Sprintf("%d of %d", s.Active, s.limit())},
		CancelActive: s.Job.Overlap == OverlapCancelRunning && s.Instance.Kind != Backfill, // it gives way to what is due now
	}
}

// limit is how many instances of the job may run at once. It is no part of what an instance does: who raises it means those that wait already.
func (s *Situation) limit() int { return cmp.Or(s.Limit, s.Job.Concurrency) }

// begins is when the instance's waiting begins: its plan time, or later when it could not start at it (spread, a trigger or a run for a past day).
func (s *Situation) begins() time.Time { return latest(s.Instance.PlanTime, s.Instance.NotBefore) }

// waitDeadline is when the job's waitTimeout ends the wait: counted from when the waiting begins or the last upstream plan time, whichever is
// later, since an instance may rightly wait for a later one (`dependencies.md` §3).
func (s *Situation) waitDeadline() (time.Time, bool) {
	if s.Job.WaitTimeout <= 0 || s.Instance.Kind == Backfill { // nobody knows when its lane lets it wait
		return time.Time{}, false
	}
	from := s.begins()
	for n := range s.Waits {
		from = latest(from, s.Waits[n].Last)
	}
	return from.Add(s.Job.WaitTimeout), true
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

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// earliest returns the earlier of two times, where zero stands for never.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
