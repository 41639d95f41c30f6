package engine

import (
	"slices"
	"time"
)

// Missed is what becomes of the due times that lay within a pause, when it is over. It means what misfire means of a server that was down.
type Missed string

// What becomes of what was missed. The empty one is the default: as the misfire of each job says.
const (
	MissedRun    Missed = "run"    // all of it runs
	MissedLatest Missed = "latest" // the latest of each job runs, the others are cancelled
	MissedSkip   Missed = "skip"   // all of it is cancelled
)

// MissedPolicies lists what can be given.
var MissedPolicies = []Missed{MissedRun, MissedLatest, MissedSkip}

// A PauseRow says that nothing of a job, or of all jobs of a workflow, starts from Since on. Whether something is paused is derived from these rows and
// the time, and kept nowhere else.
type PauseRow struct {
	Workflow string
	Job      string // "" is the whole workflow
	Since    time.Time
	Until    time.Time // zero is until somebody resumes it
	Resumed  time.Time // when somebody did; zero is not
	Missed   Missed
	Actor    string
	Note     string
}

// Name is what is paused: workflow/job, or the workflow.
func (p *PauseRow) Name() string {
	if p.Job == "" {
		return p.Workflow
	}
	return p.Workflow + "/" + p.Job
}

// End is when the pause is over; zero when nobody knows yet.
func (p *PauseRow) End() time.Time { return earliest(p.Resumed, p.Until) }

// Active reports whether the pause holds things back at a time.
func (p *PauseRow) Active(at time.Time) bool {
	end := p.End()
	return !at.Before(p.Since) && (end.IsZero() || at.Before(end))
}

// over reports whether the pause has been and is over.
func (p *PauseRow) over(at time.Time) bool { return !at.Before(p.Since) && !p.Active(at) }

// holds reports whether a due time lay within the pause.
func (p *PauseRow) holds(due time.Time) bool {
	end := p.End()
	return !due.Before(p.Since) && (end.IsZero() || due.Before(end))
}

// about reports whether the pause is one of the job.
func (p *PauseRow) about(ref JobRef) bool {
	return p.Workflow == ref.Workflow && (p.Job == "" || p.Job == ref.Job)
}

// missedBy is what the pause means for a job whose due time it held.
func (p *PauseRow) missedBy(j *Job) Missed {
	if p.Missed != "" {
		return p.Missed
	}
	switch j.Misfire {
	case MisfireSkip:
		return MissedSkip
	case MisfireRunLatest:
		return MissedLatest
	}
	return MissedRun
}

// PausesOf lists the pauses of a job, its workflow's among them.
func PausesOf(all []PauseRow, ref JobRef) (own []PauseRow) {
	for n := range all {
		if all[n].about(ref) {
			own = append(own, all[n])
		}
	}
	return own
}

// ActivePause is the pause that holds a job back at a time: the job's own, else its workflow's; nil when none does.
func ActivePause(all []PauseRow, ref JobRef, at time.Time) (active *PauseRow) {
	for n := range all {
		p := &all[n]
		if p.about(ref) && p.Active(at) && (active == nil || p.Job != "") {
			active = p
		}
	}
	return active
}

// judgePause is the part of the gate of the plan time that pauses have: what is due waits behind the gate frozen while one is active, and what was due in
// one that is over is given up when it says so. decided says that what the plan time decides was decided before: the instance was looked at, and not by a
// pause alone.
func judgePause(now time.Time, s *Situation, decided bool) (v Verdict, missed bool) {
	i := s.Instance
	for _, p := range slices.Backward(s.Pauses) {
		if p.Active(now) {
			reason := Reason{Code: ReasonPaused, Actor: p.Actor, Detail: p.held()}
			if !p.Until.IsZero() {
				until := p.Until
				reason.At = &until
			}
			return Verdict{Gate: GateFrozen, Reason: reason, Wake: earliest(p.Until, now.Add(pausedLook))}, false
		}
	}
	if decided || i.Kind != Scheduled || i.Touched {
		return open, false
	}
	for n := range s.Pauses {
		p := &s.Pauses[n]
		if !p.over(now) || !p.holds(i.NotBefore) {
			continue
		}
		missed = true
		because := "it was due while " + p.Name() + " was paused by " + p.Actor
		switch p.missedBy(s.Job) {
		case MissedSkip:
			return Verdict{Event: Cancel, Reason: Reason{Code: ReasonPaused, Actor: p.Actor, Detail: because + "; missed: skip"}}, true
		case MissedLatest:
			if s.LaterDue {
				return Verdict{Event: Cancel, Reason: Reason{Code: ReasonPaused, Actor: p.Actor, Detail: because + "; missed: latest, and a later one is due"}}, true
			}
		}
	}
	return open, missed
}

// pausedLook is how long a paused instance is not looked at although nobody wakes it: who resumes wakes it, and may die before all are woken.
const pausedLook = time.Hour

// held is what is paused and why.
func (p *PauseRow) held() string {
	text := "the job"
	if p.Job == "" {
		text = "the workflow " + p.Workflow
	}
	if p.Note != "" {
		text += ": " + p.Note
	}
	return text
}

// pausedOnly reports whether the instance has been looked at by nothing but a pause: what its plan time decides is still to be decided.
func pausedOnly(i *Instance) bool { return i.Gate == GateFrozen && i.Reason.Code == ReasonPaused }

// resumedAt is when the last pause ended that held the instance back; zero when none did. Time that it was paused for is no time that it waited.
func (s *Situation) resumedAt(now time.Time) (at time.Time) {
	for n := range s.Pauses {
		p := &s.Pauses[n]
		if p.over(now) && p.End().After(s.Instance.NotBefore) {
			at = latest(at, p.End())
		}
	}
	return at
}
