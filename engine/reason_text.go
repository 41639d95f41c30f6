package engine

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
	ReasonDefinition:   "its definition cannot be carried out",
	ReasonLane:         "its backfill holds it",
}
