package engine

import (
	"context"
	"fmt"
	"time"
)

// An Explanation is why an instance is where it is: every gate in order, each dependency with its rule and window, and the chain of
// blockers down to the root. The command line, the API and the UI print this one value.
type Explanation struct {
	Instance     Instance
	At           time.Time // as of when
	Gates        []Verdict // of a waiting instance, every gate in order
	Holding      Gate      // the first closed gate of a waiting instance; "" when it only lacks its turn
	Dependencies []DependencyExplanation
	Blockers     []Blocker // from what this instance waits for down to the root, which waits for no other instance
}

// A DependencyExplanation is one wait with what it has come to.
type DependencyExplanation struct {
	Wait      Wait
	Facts     Facts
	Satisfied bool
	Text      string // the sentence for people
}

// A Blocker is one link of the chain from a waiting instance to its root blocker.
type Blocker struct {
	Ref      JobRef
	PlanTime time.Time
	Instance *Instance // nil when it is not planned yet
	Gate     Gate      // what holds the blocker itself, when it waits
	Reason   Reason
}

// blockerDepth bounds the chain: deeper than any sensible pipeline, and proof against a cycle.
const blockerDepth = 1000

// Explain explains an instance as of now, from rows.
func (e *Engine) Explain(ctx context.Context, id int64, now time.Time) (Explanation, error) {
	var x Explanation
	err := e.cfg.Store.Read(ctx, func(v View) error {
		i, err := v.Instance(id)
		if err != nil {
			return err
		}
		x = Explanation{Instance: i, At: now}
		if err := e.explainWaits(v, &x, now); err != nil {
			return err
		}
		return e.followBlockers(v, &x, now)
	})
	return x, wrap(err, "explain instance %d", id)
}

func (e *Engine) explainWaits(v View, x *Explanation, now time.Time) error {
	job, err := e.defs.version(v, x.Instance.Version)
	if err != nil {
		return err
	}
	s, err := e.situation(v, &x.Instance, job, now)
	if err != nil {
		return err
	}
	for n := range s.Waits {
		one := newSet(s.Waits[n:n+1], s.Facts[n:n+1])
		w := &s.Waits[n]
		d := DependencyExplanation{Wait: *w, Facts: s.Facts[n], Satisfied: w.Count == 0 && w.OnMissing == MissingRun || w.Count > 0 && one.satisfied(w)}
		d.Text = describeWait(w, d.Satisfied)
		x.Dependencies = append(x.Dependencies, d)
	}
	if x.Instance.State != Waiting {
		return nil
	}
	x.Gates = Verdicts(now, s)
	for _, g := range x.Gates {
		if !g.Open && x.Holding == "" {
			x.Holding = g.Gate
		}
	}
	return nil
}

// followBlockers walks from instance to instance along what each waits for.
func (e *Engine) followBlockers(v View, x *Explanation, now time.Time) error {
	type place struct {
		ref JobRef
		at  int64
	}
	seen := map[place]bool{}
	current := x.Instance
	for len(x.Blockers) < blockerDepth && current.State == Waiting {
		job, err := e.defs.version(v, current.Version)
		if err != nil {
			return err
		}
		s, err := e.situation(v, &current, job, now)
		if err != nil {
			return err
		}
		verdict := Evaluate(now, s)
		up := verdict.Reason.Upstream
		if verdict.Gate != GateDependency || up == nil || verdict.Reason.At == nil {
			return nil
		}
		at := *verdict.Reason.At
		if here := (place{*up, at.UnixMilli()}); seen[here] {
			return nil // a cycle: the chain says so by naming the first of it again
		} else {
			seen[here] = true
		}
		blocker := Blocker{Ref: *up, PlanTime: at, Reason: verdict.Reason}
		next, err := e.upstreamInstance(v, s, *up, at)
		if err != nil {
			return err
		}
		if next == nil {
			x.Blockers = append(x.Blockers, blocker)
			return nil
		}
		blocker.Instance, blocker.Gate, blocker.Reason = next, next.Gate, next.Reason
		x.Blockers = append(x.Blockers, blocker)
		current = *next
	}
	return nil
}

func (e *Engine) upstreamInstance(v View, s *Situation, ref JobRef, at time.Time) (*Instance, error) {
	for n := range s.Waits {
		if w := &s.Waits[n]; w.Ref == ref {
			i, err := v.Find(w.Upstream, w.Key, at)
			if isNotFound(err) {
				return nil, nil
			}
			return &i, err
		}
	}
	return nil, nil
}

func describeWait(w *Wait, satisfied bool) string {
	const clock = "2006-01-02 15:04"
	state := "waiting"
	if satisfied {
		state = "satisfied"
	}
	how := ""
	switch {
	case w.Ended:
		how = ", to have ended"
	case w.Select == "any":
		how = ", any of them"
	case w.Select != "all":
		how = ", at least " + w.Select + " of them"
	}
	switch w.Count {
	case 0:
		return fmt.Sprintf("%s: nothing due in %s (%s); onMissing: %s", w.Ref, windowText(w), w.Rule, w.OnMissing)
	case 1:
		return fmt.Sprintf("%s@%s (%s)%s: %s", w.Ref, w.First.Format(clock), w.Rule, how, state)
	}
	return fmt.Sprintf("%s: %d instances from %s to %s (%s)%s: %s", w.Ref, w.Count, w.First.Format(clock), w.Last.Format(clock), w.Rule, how, state)
}

// Describe is the reason as a sentence for people.
func (r Reason) Describe() string {
	text := reasonTexts[r.Code]
	if text == "" {
		text = string(r.Code)
	}
	if r.Upstream != nil {
		text += " " + r.Upstream.String()
		if r.At != nil {
			text += "@" + r.At.Format("2006-01-02 15:04")
		}
		if r.State != "" {
			text += ", which is " + string(r.State)
		}
	} else if r.At != nil {
		text += " " + r.At.Format("2006-01-02 15:04:05")
	}
	if r.Detail != "" {
		text += ": " + r.Detail
	}
	if r.Actor != "" {
		text += " (by " + r.Actor + ")"
	}
	return text
}

// reasonTexts begins the sentence of each reason.
var reasonTexts = map[ReasonCode]string{
	ReasonPlanned:      "planned",
	ReasonNotDue:       "not due before",
	ReasonUpstream:     "waits for",
	ReasonUpstreamFail: "failed upstream",
	ReasonNoUpstream:   "no upstream instance",
	ReasonUpstreamGone: "its upstream is gone:",
	ReasonWaitTimeout:  "waited too long, until",
	ReasonConfirm:      "waits for confirmation",
	ReasonFrozen:       "frozen",
	ReasonConcurrency:  "as many of its job run as may",
	ReasonSlot:         "queued for a slot",
	ReasonPool:         "queued for its pool",
	ReasonDisk:         "the disk is nearly full",
	ReasonDisabled:     "the job is disabled",
	ReasonRemoved:      "the job was removed",
	ReasonMisfire:      "missed, due",
	ReasonOverlap:      "another of its job runs",
	ReasonOffCalendar:  "dry run",
	ReasonReleased:     "released: every gate was open",
	ReasonSucceeded:    "succeeded",
	ReasonStepFailed:   "failed",
	ReasonStepPaused:   "paused",
	ReasonLost:         "outcome unknown",
	ReasonPerson:       "by a person",
	ReasonFenced:       "refused",
	ReasonClock:        "the clock jumped",
	ReasonCycle:        "blocked by a cycle:",
	ReasonAlert:        "alert",
	ReasonDefinition:   "its definition cannot be carried out",
}
