package engine

import (
	"cmp"
	"fmt"
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
	Facts    []Facts    // parallel to Waits
	Active   int        // running instances of the job
	Limit    int        // of them at once, by the current definition of the job; 0 is what the instance's own says
	LaterDue bool       // a scheduled waiting instance of the job with a later plan time is due too
	Disabled bool       // the job is, by its current definition
	Pauses   []PauseRow // of the job and of its workflow, active or over

	Operation *OperationRow // under way and not through, with the instance on its list; nil when there is none

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
	timeout, ends := s.waitDeadline(now)
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

// judgeTime is the gate of the plan time, of operations under way, of pauses, and of what is decided once, when it has come: misfire, the calendar and overlap: skip.
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
	if v := judgeOperation(now, s); !v.Open {
		return v
	}
	decided := i.Gate != GateTime && !pausedOnly(i) // when it was first looked at
	if i.DryRun && !decided {
		return Verdict{Event: Skip, Reason: Reason{Code: ReasonOffCalendar, Detail: "not a work day of the job's calendar"}}
	}
	v, missed := judgePause(now, s, decided)
	if !v.Open || decided || i.Kind != Scheduled || s.Unclocked {
		return v
	}
	if late := now.Sub(i.NotBefore); late > MisfireGrace && !missed && i.Gate == GateTime {
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

func judgeConfirm(_ time.Time, s *Situation) Verdict {
	if s.Job.Confirm && s.Instance.Confirmed == "" {
		return Verdict{Reason: Reason{Code: ReasonConfirm, Detail: "waits for a person to confirm it"}}
	}
	return open
}

func judgeFrozen(now time.Time, s *Situation) Verdict {
	if s.Instance.Frozen && !fault.Planted(fault.FrozenStarts) {
		return Verdict{Reason: Reason{Code: ReasonFrozen, Detail: "held by an operator"}}
	}
	if s.Disabled {
		return Verdict{Reason: Reason{Code: ReasonDisabled, Detail: "held until it is enabled"}, Wake: now.Add(pausedLook)}
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

// begins is when the instance's waiting begins: its plan time, or later when it could not start at it (spread, a trigger or a run for a past day, a
// pause).
func (s *Situation) begins(now time.Time) time.Time {
	return latest(latest(s.Instance.PlanTime, s.Instance.NotBefore), s.resumedAt(now))
}

// waitDeadline is when the job's waitTimeout ends the wait: counted from when the waiting begins or the last upstream plan time, whichever is
// later, since an instance may rightly wait for a later one (`dependencies.md` §3).
func (s *Situation) waitDeadline(now time.Time) (time.Time, bool) {
	if s.Job.WaitTimeout <= 0 || s.Instance.Kind == Backfill { // nobody knows when its lane lets it wait
		return time.Time{}, false
	}
	from := s.begins(now)
	for n := range s.Waits {
		from = latest(from, s.Waits[n].Last)
	}
	return from.Add(s.Job.WaitTimeout), true
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
