package sim

import (
	"slices"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// Sometimes lists what a batch of seeds must have seen at least once: a chaos in which no fenced write was ever refused has tested nothing.
//
// A circle of instances is not among it: an edit binds again what waits, so that only rows of before can make one.
var Sometimes = []string{
	"crash before commit", "crash after commit", "crash at hand-out", "unknown commit recovered", "store busy", "store failed", "store slow",
	"message lost", "message doubled", "message late", "partition from the store", "partition one way", "partition of a runner", "partition of a server",
	"server paused", "runner paused", "paused before a write", "paused after a commit", "clock jumped", "clock drifted", "clock jump noticed", "power lost",
	"exit lost", "child survived its runner", "stray killed", "child ended by its lease", "order refused: lease ended", "answer of a request lost", "request refused", "answer late", "effect after the timeout",
	"request repeated under its key",
	"fenced write refused", "lost retry", "lost hold", "instance taken over", "lease stolen while paused", "attempt adopted", "attempt repeated",
	"request lost with its server", "attempt never began", "DST gap crossed", "DST overlap crossed", "29 February crossed", "outbox delivered", "outbox redelivered",
	"misfire skip", "misfire runLatest", "misfire window", "misfire run late", "overlap skip", "overlap skipToLatest", "overlap cancelRunning",
	"upstream failed, onFailed: cancel", "wait-timeout", "off-calendar skipped", "pool full", "slots full", "started beside a full pool",
	"retention removed instances", "edit", "move upstream", "disable", "enable", "delete", "add again", "trigger", "cancel", "confirm", "command refused", "backup", "restore",
	"command unacknowledged", "rerun", "rerun downstream", "force", "skip", "freeze", "unfreeze", "detach", "run-now", "boost", "steps kept",
	"backfill", "backfill running", "backfill paused", "backfill cancelling", "backfill ended", "backfill cancelled", "resume backfill", "set backfill",
	"backfill applying", "backfill sliced", "backfill withdrawing",
	"look", "watch ended succeeded", "watch ended failed", "watch ended cancelled", "watch ended timeout", "instance started by a step", "item watches",
	"paused by a step", "incident", "incident over", "sink failed", "message of class failure", "message of class deadline", "message of class recovery",
	"message repeated", "message given up", "acknowledge", "compare", "apply", "drift refused", "bound again",
	"operation in slices", "load in slices", "load cut into slices", "operation cut into slices", "operation ended",
}

// saw counts something that happened.
func (w *World) saw(what string) { w.seen[what]++ }

// unseen lists what a batch has never seen.
func unseen(seen map[string]int) []string {
	var list []string
	for _, what := range Sometimes {
		if seen[what] == 0 {
			list = append(list, what)
		}
	}
	slices.Sort(list)
	return list
}

// sawDay looks at what a planned window crosses.
func (w *World) sawDay(from, to time.Time) {
	loc := from.Location()
	if loc == time.UTC {
		loc = w.zone
	}
	a, b := from.In(loc), to.In(loc)
	_, before := a.Zone()
	_, after := b.Zone()
	switch {
	case after > before:
		w.saw("DST gap crossed")
	case after < before:
		w.saw("DST overlap crossed")
	}
	for d := a; d.Before(b); d = d.AddDate(0, 0, 1) {
		if d.Month() == time.February && d.Day() == 29 {
			w.saw("29 February crossed")
		}
	}
}

// sawEnd looks at why an instance has not run.
func (w *World) sawEnd(i *entry, t *engine.Transition, job *engine.Job) {
	switch t.Reason.Code {
	case engine.ReasonMisfire:
		switch {
		case strings.Contains(t.Reason.Detail, "window"):
			w.saw("misfire window")
		case strings.Contains(t.Reason.Detail, "runLatest"):
			w.saw("misfire runLatest")
		default:
			w.saw("misfire skip")
		}
	case engine.ReasonOverlap:
		if job != nil {
			w.saw("overlap " + string(job.Overlap))
		}
	case engine.ReasonUpstreamFail:
		w.saw("upstream failed, onFailed: cancel")
	case engine.ReasonWaitTimeout:
		w.saw("wait-timeout")
	case engine.ReasonOffCalendar:
		w.saw("off-calendar skipped")
	}
}
