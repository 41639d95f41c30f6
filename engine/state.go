package engine

import "fmt"

// State is where an instance stands. What a waiting instance waits for is its Gate, which is derived; "ready", "late" and "due" are
// predicates over rows and never stored.
type State string

// The states of an instance (`architecture.md`, States). The CHECK constraint of the schema, the diagram in the README and the API's
// allowed operations are held to this list and to the table below by tests.
const (
	Waiting   State = "waiting"
	Running   State = "running"
	Lost      State = "lost" // the outcome cannot be known; held for a person
	Succeeded State = "succeeded"
	Forced    State = "forced" // a person's success
	Failed    State = "failed"
	Skipped   State = "skipped"
	Cancelled State = "cancelled"
)

// States lists every state, open ones first.
var States = []State{Waiting, Running, Lost, Succeeded, Forced, Failed, Skipped, Cancelled}

// Satisfies reports whether an upstream instance in this state satisfies a dependency (`dependencies.md` §8).
func (s State) Satisfies() bool { return s == Succeeded || s == Forced || s == Skipped }

// Ended reports whether the instance has ended: it changes only by a recorded act of a person.
func (s State) Ended() bool { return s.Satisfies() || s == Failed || s == Cancelled }

// CountsAsFailed reports whether a dependency's onFailed applies to an upstream instance in this state.
func (s State) CountsAsFailed() bool { return s == Failed || s == Cancelled }

// Event is what moves an instance from one state to another.
type Event string

// The events. Rerun, Force and Skip are acts of a person (Skip also of the calendar) and the only arrows out of an ended state.
const (
	Start   Event = "start"   // the claim: fence + 1, owner, lease
	Succeed Event = "succeed" // all steps ended well
	Fail    Event = "fail"    // a step failed for good
	Lose    Event = "lose"    // an attempt's outcome cannot be known, and onLost is hold
	Cancel  Event = "cancel"  // by a person, an upstream, a policy or a timeout
	Skip    Event = "skip"    // off-calendar dry run, or a person
	Force   Event = "force"   // a person's success
	Rerun   Event = "rerun"   // a person's: the same instance, next attempt
)

// arrows is the one transition table.
var arrows = map[Event]struct {
	from []State
	to   State
}{
	Start:   {[]State{Waiting}, Running},
	Succeed: {[]State{Running}, Succeeded},
	Fail:    {[]State{Running, Lost}, Failed},
	Lose:    {[]State{Running}, Lost},
	Cancel:  {[]State{Waiting, Running, Lost}, Cancelled},
	Skip:    {[]State{Waiting, Failed, Cancelled}, Skipped},
	Force:   {[]State{Waiting, Lost, Failed, Cancelled}, Forced},
	Rerun:   {[]State{Lost, Succeeded, Forced, Failed, Skipped, Cancelled}, Waiting},
}

// Events lists every event in the order of an instance's life.
var Events = []Event{Start, Succeed, Fail, Lose, Cancel, Skip, Force, Rerun}

// On returns the state that an event leads to, or an *IllegalError.
func (s State) On(e Event) (State, error) {
	for _, from := range arrows[e].from {
		if s == from {
			return arrows[e].to, nil
		}
	}
	return s, &IllegalError{State: s, Event: e}
}

// An IllegalError is an event that the state does not allow.
type IllegalError struct {
	State State
	Event Event
}

func (e *IllegalError) Error() string {
	return fmt.Sprintf("an instance that is %s cannot take the event %q", e.State, e.Event)
}
