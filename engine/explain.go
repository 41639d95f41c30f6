package engine

import "fmt"

// describeWait is one wait in words.
func describeWait(w *Wait, satisfied bool, of State) string {
	const clock = "2006-01-02 15:04"
	state := "not satisfied" // by now: the instance does not wait any more
	switch {
	case satisfied:
		state = "satisfied"
	case of == Waiting:
		state = "waiting"
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
	switch {
	case w.detachedAt():
		return fmt.Sprintf("%s@%s: detached by a person", w.Ref, w.WindowFrom.Format(clock))
	case w.Rule == RuleDetached:
		return fmt.Sprintf("%s: detached by a person", w.Ref)
	case w.Rule == RuleRetention:
		return fmt.Sprintf("%s: what it waited for in %s was removed by retention", w.Ref, windowText(w))
	case w.Count == 0:
		return fmt.Sprintf("%s: nothing due in %s (%s); onMissing: %s", w.Ref, windowText(w), w.Rule, w.OnMissing)
	case w.Count == 1:
		return fmt.Sprintf("%s@%s (%s)%s: %s", w.Ref, PlanTimeText(w.First), w.Rule, how, state)
	}
	return fmt.Sprintf("%s: %d instances from %s to %s (%s)%s: %s", w.Ref, w.Count, w.First.Format(clock), w.Last.Format(clock), w.Rule, how, state)
}

// atOffset is how sentences write an instant: never without its offset.
const atOffset = "2006-01-02 15:04:05 -07:00"

// Describe is the reason as a sentence for people.
func (r Reason) Describe() string {
	text := reasonTexts[r.Code]
	if text == "" {
		text = string(r.Code)
	}
	if r.Upstream != nil && r.Code == ReasonWaitTimeout && r.At != nil { // the time is the deadline, and no plan time of the upstream
		text = "waited too long for " + r.Upstream.String() + ", until " + r.At.Format(atOffset)
	} else if r.Upstream != nil {
		text += " " + r.Upstream.String()
		if r.At != nil {
			text += "@" + PlanTimeText(*r.At)
		}
		if r.State != "" {
			text += ", which is " + string(r.State)
		}
	} else if r.At != nil {
		text += " " + r.At.Format(atOffset)
	} else if r.Code == ReasonPaused {
		text = "paused" // until somebody resumes it
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
	ReasonPaused:       "paused until",
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
	ReasonBroken:       "its row is broken",
	ReasonRelinked:     "bound again",
	ReasonOperation:    "an operation is under way",
	ReasonLane:         "its backfill holds it",
}
