package engine

import (
	"fmt"
	"slices"
)

// A misdefinition says that not all of what stands in the server's folder is loaded.
type misdefinition struct {
	why       string
	workflows []string // that run as they were recorded last, since a file is bad
}

// causeDefinitions is of messages about a folder that is not loaded as a whole.
const causeDefinitions = "definitions"

// What the last turn wrote down of the definitions.
const (
	definitionsUnseen int32 = iota // this server has made no turn yet
	definitionsLoaded
	definitionsRefused
)

// Misdefined tells whoever asks how the server is, and the sinks that are told of everything else, why not all of what stands in its folder is
// loaded, and which workflows run as they were recorded last for it. "" is that all is loaded.
func (e *Engine) Misdefined(why string, workflows ...string) {
	if why == "" {
		e.health.definitions.Store(nil)
	} else {
		e.health.definitions.Store(&misdefinition{why: why, workflows: workflows})
	}
	e.inbox.nudge()
}

// redefined forgets that files of the folder are bad when a review has put others in the place of what they hold.
func (e *Engine) redefined(review *Review, report *LoadReport) {
	bad := e.health.definitions.Load()
	if bad == nil {
		return
	}
	replaced := func(workflow string) bool {
		is := func(ref JobRef) bool { return ref.Workflow == workflow }
		return slices.ContainsFunc(report.Changed, is) || slices.ContainsFunc(report.Added, is) || slices.ContainsFunc(report.Removed, is)
	}
	if !review.Keep || len(bad.workflows) > 0 && !slices.ContainsFunc(bad.workflows, func(w string) bool { return !replaced(w) }) {
		e.Misdefined("")
	}
}

// recordDefinitions writes down that not all of the folder is loaded, or that it is again, and tells the sinks.
func (t *turn) recordDefinitions() error {
	bad, before := t.health.definitions.Load(), t.health.recorded.Load()
	t.recorded = definitionsLoaded
	if bad != nil {
		t.recorded = definitionsRefused
	}
	if before == t.recorded {
		return nil
	}
	event := EventRow{At: t.now, Kind: "definitions-loaded", Reason: Reason{Code: ReasonAlert, Detail: "all that is to run is loaded again"}}
	m := AlertMessage{Class: ClassRecovery, Title: "the definitions are loaded again", Text: "All that is to run is loaded again.", At: t.now}
	if bad != nil {
		event.Kind, event.Reason.Detail = "definitions-refused", bad.why
		m = AlertMessage{Class: ClassFailure, Title: "not all of the definitions are loaded", Text: bad.why, At: t.now}
	}
	if bad != nil || before != definitionsUnseen { // a server that starts well has nothing to write down
		if err := t.tx.Record(event); err != nil {
			return fmt.Errorf("record whether the definitions are loaded: %w", err)
		}
	}
	return t.tellDefault(causeDefinitions, m)
}

// IsMisdefined reports whether the folder holds what is not loaded.
func (e *Engine) IsMisdefined() bool { return e.health.definitions.Load() != nil }
