package engine

import (
	"fmt"
	"time"
)

// A pollEntry is when something of a watch is due.
type pollEntry struct {
	at time.Time
	id int64
}

// Before orders by time.
func (p pollEntry) Before(other pollEntry) bool { return p.at.Before(other.at) }

// A pollQueue is them by time. Entries of what has ended meanwhile are passed over.
type pollQueue = queue[pollEntry]

// startPolls begins the looks that are due, as many as may be under way, and ends what has timed out.
func (e *Engine) startPolls(now time.Time) {
	for len(e.polls) > 0 && !e.polls[0].at.After(now) {
		id := e.polls.take().id
		l, live := e.live[id]
		switch {
		case !live || l.watch == nil:
		case !l.watch.row.Until.IsZero() && !now.Before(l.watch.row.Until):
			e.inbox.result(e.timedOut(now, l))
		case l.action == ActionWait && !l.watch.looking && !l.watch.row.Next.After(now):
			l.watch.looking = true
			e.line = append(e.line, id)
		}
	}
	for len(e.line) > 0 && len(e.looking) < pollsAtOnce {
		id := e.line[0]
		e.line = e.line[1:]
		if l, live := e.live[id]; live && l.watch != nil {
			e.poll(now, l)
		}
	}
}

func (e *Engine) timedOut(now time.Time, l liveAttempt) Result {
	w := &l.watch.row
	r := Result{Attempt: w.ID, Outcome: OutcomeTimeout, StartedAt: w.StartedAt, EndedAt: now}
	timeout := w.Until.Sub(w.StartedAt)
	switch {
	case w.Child != 0:
		r.Message = fmt.Sprintf("instance %d has not ended within %s timeout, and is cancelled", w.Child, timeout)
	case w.Last == "":
		r.Message = fmt.Sprintf("not so within %s timeout", timeout)
	default:
		r.Message = fmt.Sprintf("not so within %s timeout; the last of %d looks: %s", timeout, w.Polls, w.Last)
	}
	return r
}

// poll looks once: an attempt of which no row is made.
func (e *Engine) poll(now time.Time, l liveAttempt) {
	w, r, step := &l.watch.row, l.run, l.run.progress.Def(l.step)
	attempt := Attempt{
		ID: w.ID, Instance: r.instance.ID, Ref: r.instance.Ref, PlanTime: r.instance.PlanTime, Step: w.Step, Number: w.Number,
		Fence: r.instance.Fence, Folder: r.job.Folder, StartedAt: now, Until: e.trust,
	}
	e.looking[w.ID] = true
	action := step.Action
	action.Timeout = pollTimeout
	if left := w.Until.Sub(now); !w.Until.IsZero() && left < action.Timeout {
		action.Timeout = left
	}
	e.launch(now, attempt, action, r.job, e.stepScope(now, readyStep{r, l.step}, w.Number))
}

// looked takes the result of a look, of an end, or of a timeout. It reports the end of the step, if that is what it is.
func (e *Engine) looked(now time.Time, l liveAttempt, r Result) (Result, bool) {
	w := &l.watch.row
	if e.perform != nil { // of a simulation: nothing is looked at, and it ends as it was made to
		return r, true
	}
	final := l.action == ActionJob || r.Outcome == OutcomeTimeout && !now.Before(w.Until) && !w.Until.IsZero()
	if !final {
		l.watch.looking = false
		w.Polls++
	}
	switch {
	case final && l.action == ActionWait:
		if l.watch.looking {
			e.cfg.Runner.Cancel(w.ID)
		}
		r = e.timedOut(now, l)
	case final:
		if r.Outcome == OutcomeTimeout && w.Child != 0 {
			e.staged.cascade = append(e.staged.cascade, cancelRequest{w.Child, Reason{Code: ReasonPerson, Actor: "job " + l.run.instance.Name(), Detail: r.Message}})
		}
	case r.Outcome == OutcomeSucceeded:
		r.Message = fmt.Sprintf("so at look %d", w.Polls)
		r.StartedAt = w.StartedAt
	case r.Outcome == OutcomeFailed && r.Unrepeatable:
		r.StartedAt = w.StartedAt
	default:
		w.Last = cut(r.String(), maxPollWords)
		w.Next = now.Add(l.run.progress.Def(l.step).Action.Probe.Interval)
		e.staged.watches = append(e.staged.watches, stagedWatch{run: l.run, row: *w})
		e.await(l.watch)
		return r, false
	}
	r.Attempt = w.ID
	return r, true
}
