package model_test

import (
	"fmt"

	"github.com/almanac-sched/almanac/engine"
	"pgregory.net/rapid"
)

// taken is the answer of a take-over.
type taken struct {
	Fence int64
	OK    bool
}

func (g *generator) takeOver() operation {
	i, owner, lease := g.in(engine.Running), pick(g, "owner", "one", "two", "two", ""), g.maybe("lease")
	fence := g.fence(i.Fence)
	return operation{fmt.Sprintf("TakeOver(%d, %d, %q, %s)", i.ID, fence, owner, lease), func(tx engine.Tx) (any, error) {
		grown, ok, err := tx.TakeOver(i.ID, fence, owner, lease)
		return taken{grown, ok}, err
	}}
}

func (g *generator) takeErrand() operation {
	a := g.attempt(func(a engine.AttemptRow) bool { return a.Error && a.Result == nil })
	fence, owner := g.fence(a.Fence), pick(g, "owner", "one", "two", "two", "")
	return operation{fmt.Sprintf("TakeErrand(%d, %d, %q)", a.ID, fence, owner), func(tx engine.Tx) (any, error) {
		grown, ok, err := tx.TakeErrand(a.ID, fence, owner)
		return taken{grown, ok}, err
	}}
}

// attempt is one of those that are as asked, if there is one.
func (g *generator) attempt(is func(engine.AttemptRow) bool) engine.AttemptRow {
	var found []engine.AttemptRow
	for _, a := range g.attempts {
		if is(a) {
			found = append(found, a)
		}
	}
	if len(found) == 0 || g.rarely("another attempt", 8) {
		if found = g.attempts; len(found) == 0 {
			return engine.AttemptRow{ID: 99}
		}
	}
	return pick(g, "attempt", found...)
}

func (g *generator) step() engine.StepRow {
	s := engine.StepRow{
		Step:     pick(g, "step", "", "s", "t", "ü"),
		State:    pick(g, "state", engine.StepWaiting, engine.StepRunning, engine.StepSucceeded, engine.StepFailed, engine.StepSkipped, engine.StepCancelled),
		Attempts: rapid.IntRange(0, 2).Draw(g.T, "attempts"), NotBefore: g.maybe("not before"), Outputs: g.texts(),
	}
	if g.rarely("not allowed", 100) {
		s.State = pick(g, "state", engine.StepState(""), "odd")
	}
	if g.rarely("not allowed", 100) {
		s.Attempts = -1
	}
	return s
}

func (g *generator) putSteps() operation {
	i := g.in(engine.Running)
	fence := g.fence(i.Fence)
	var steps []engine.StepRow
	for range rapid.IntRange(0, 3).Draw(g.T, "steps") {
		s := g.step()
		for _, other := range steps {
			if other.Step == s.Step && !g.rarely("twice", 20) {
				s.Step += "'"
			}
		}
		steps = append(steps, s)
	}
	return operation{fmt.Sprintf("PutSteps(%d, %d, %s)", i.ID, fence, words(steps)), func(tx engine.Tx) (any, error) { return tx.PutSteps(i.ID, fence, steps) }}
}

func (g *generator) setStep() operation {
	i, s := g.in(engine.Running), g.step()
	fence := g.fence(i.Fence)
	return operation{fmt.Sprintf("SetStep(%d, %d, %s)", i.ID, fence, words(s)), func(tx engine.Tx) (any, error) { return tx.SetStep(i.ID, fence, s) }}
}

func (g *generator) started() engine.AttemptRow {
	i := g.in(engine.Running)
	a := engine.AttemptRow{
		ID: g.fresh(), Instance: i.ID, Job: i.Job, Step: pick(g, "step", "", "s"), Number: rapid.IntRange(1, 3).Draw(g.T, "number"),
		Error: g.rarely("an error action", 3), Owner: pick(g, "owner", owners...), Pool: pick(g, "pool", "", "p"), StartedAt: g.at("started"),
	}
	a.Fence = g.fence(i.Fence)
	if a.Error {
		a.Fence, a.Outbox = 1, pick(g, "outbox", append([]int64{0, 99}, g.outbox...)...)
	}
	return a
}

func (g *generator) result(attempt int64) engine.Result {
	r := engine.Result{
		Attempt: attempt, Outcome: pick(g, "outcome", engine.OutcomeSucceeded, engine.OutcomeFailed, engine.OutcomeTimeout, engine.OutcomeCancelled, engine.OutcomeLost),
		Signal: pick(g, "signal", "", "killed"), Status: pick(g, "status", 0, 503), Message: pick(g, "message", texts...), Outputs: g.texts(),
		StartedAt: g.maybe("started"), EndedAt: g.maybe("ended"), LogBytes: pick(g, "log", int64(0), 1<<40), Truncated: g.rarely("truncated", 2),
	}
	if g.rarely("an exit", 2) {
		exit := pick(g, "exit", 0, 3, -1)
		r.Exit = &exit
	}
	if g.rarely("not allowed", 100) {
		r.Outcome = pick(g, "outcome", engine.Outcome(""), "odd")
	}
	return r
}

func (g *generator) startAttempt() operation {
	a := g.started()
	return operation{"StartAttempt(" + words(a) + ")", func(tx engine.Tx) (any, error) { return tx.StartAttempt(a) }}
}

func (g *generator) addAttempt() operation {
	a := g.started()
	if !g.rarely("no result", 20) {
		r := g.result(pick(g, "of", a.ID, 99))
		a.Result = &r
	}
	return operation{"AddAttempt(" + words(a) + ")", func(tx engine.Tx) (any, error) { return tx.AddAttempt(a) }}
}

func (g *generator) endAttempt() operation {
	a := g.attempt(func(a engine.AttemptRow) bool { return a.Result == nil })
	r, fence := g.result(a.ID), g.fence(a.Fence)
	return operation{fmt.Sprintf("EndAttempt(%s, %d)", words(r), fence), func(tx engine.Tx) (any, error) { return tx.EndAttempt(r, fence) }}
}

func (g *generator) putOutbox() operation {
	o := engine.OutboxRow{
		ID: g.fresh(), Kind: "errorAction", NotBefore: g.at("not before"), Attempts: rapid.IntRange(0, 2).Draw(g.T, "attempts"),
		State: pick(g, "state", engine.OutboxPending, engine.OutboxPending, engine.OutboxDelivered, engine.OutboxFailed), Reason: pick(g, "text", texts...),
		CreatedAt: g.at("created"), EndedAt: g.maybe("ended"),
	}
	if !g.rarely("of no instance", 5) {
		o.Instance = g.any().ID
	}
	if len(g.outbox) > 0 && g.rarely("again", 2) {
		o.ID = pick(g, "outbox", g.outbox...)
	}
	if g.rarely("not allowed", 60) {
		o.State = "odd"
	}
	if g.rarely("not allowed", 60) {
		o.Attempts = -1
	}
	return operation{"PutOutbox(" + words(o) + ")", func(tx engine.Tx) (any, error) { return nil, tx.PutOutbox(o) }}
}
