package model_test

import (
	"fmt"

	"github.com/almanac-sched/almanac/engine"
	"pgregory.net/rapid"
)

// act is what a person does to an instance that waits, or does not any more.
func (g *generator) act() operation {
	i, r, at := g.in(engine.Waiting), g.reason(), g.at("at")
	r.Actor = pick(g, "actor", "ann", "ann", "ann", "")
	switch pick(g, "act", "freeze", "freeze", "boost", "run now", "detach", "bind", "bound", "wake") {
	case "freeze":
		frozen := !g.rarely("unfreeze", 3)
		return operation{fmt.Sprintf("SetFrozen(%d, %t, %s, %s)", i.ID, frozen, words(r), at), func(tx engine.Tx) (any, error) { return tx.SetFrozen(i.ID, frozen, r, at) }}
	case "boost":
		priority := rapid.IntRange(0, 9).Draw(g.T, "priority")
		if g.rarely("not allowed", 100) {
			priority = 10
		}
		return operation{fmt.Sprintf("SetPriority(%d, %d, %s, %s)", i.ID, priority, words(r), at), func(tx engine.Tx) (any, error) { return tx.SetPriority(i.ID, priority, r, at) }}
	case "run now":
		return operation{fmt.Sprintf("SetRunNow(%d, %s, %s)", i.ID, words(r), at), func(tx engine.Tx) (any, error) { return tx.SetRunNow(i.ID, r, at) }}
	case "bound":
		revision := rapid.Int64Range(0, 100).Draw(g.T, "revision")
		return operation{fmt.Sprintf("SetBound(%d, %d)", i.ID, revision), func(tx engine.Tx) (any, error) { return nil, tx.SetBound(i.ID, revision) }}
	case "bind":
		var waits []engine.Wait
		for n := range rapid.IntRange(0, 3).Draw(g.T, "waits") {
			waits = append(waits, g.waitFor(i.ID, n))
		}
		return operation{fmt.Sprintf("Rebind(%d, %s, %s, %s)", i.ID, words(waits), words(r), at), func(tx engine.Tx) (any, error) { return tx.Rebind(i.ID, waits, r, at) }}
	case "detach":
		var waits []engine.Wait
		for n := range rapid.IntRange(0, 3).Draw(g.T, "waits") {
			waits = append(waits, g.waitFor(i.ID, n))
		}
		return operation{fmt.Sprintf("SetWaits(%d, %s, %s, %s)", i.ID, words(waits), words(r), at), func(tx engine.Tx) (any, error) { return tx.SetWaits(i.ID, waits, r, at) }}
	}
	if rapid.Bool().Draw(g.T, "sooner") {
		return operation{fmt.Sprintf("WakeSooner(%d, %s)", i.ID, at), func(tx engine.Tx) (any, error) { return nil, tx.WakeSooner(i.ID, at) }}
	}
	return operation{fmt.Sprintf("WakeWaiters(%d)", i.ID), func(tx engine.Tx) (any, error) { return nil, tx.WakeWaiters(&i) }}
}

func (g *generator) keepSteps() operation {
	i := g.any()
	var steps []engine.StepRow
	for n := range rapid.IntRange(0, 2).Draw(g.T, "steps") {
		s := g.step()
		s.Step = fmt.Sprint(s.Step, n)
		steps = append(steps, s)
	}
	return operation{fmt.Sprintf("KeepSteps(%d, %s)", i.ID, words(steps)), func(tx engine.Tx) (any, error) { return tx.KeepSteps(i.ID, steps) }}
}

func (g *generator) beginOperation() operation {
	row := engine.OperationRow{
		ID: g.fresh(), Stage: engine.OperationChanging, Total: rapid.IntRange(0, 3).Draw(g.T, "total"), Digest: "d",
		Actor: pick(g, "actor", "ann", "ann", "ann", ""), At: g.at("at"),
		Order: engine.OperationOrder{Operation: pick(g, "operation", engine.Operations...), Note: pick(g, "note", texts...)},
	}
	list := []byte(pick(g, "list", texts...))
	return operation{fmt.Sprintf("BeginOperation(%s, %q)", words(row), list), func(tx engine.Tx) (any, error) {
		return nil, tx.BeginOperation(row, list)
	}}
}

func (g *generator) setOperation() operation {
	row := engine.OperationRow{
		ID: rapid.Int64Range(99, g.nextID).Draw(g.T, "id"), Stage: pick(g, "stage", engine.OperationStages...),
		Done: rapid.IntRange(0, 3).Draw(g.T, "done"), EndedAt: g.maybe("end"),
		Outcome: engine.OperationOutcome{Counts: map[engine.Effect]int{engine.EffectChanged: 2}, MovedOn: 1},
	}
	return operation{fmt.Sprintf("SetOperation(%s)", words(row)), func(tx engine.Tx) (any, error) { return nil, tx.SetOperation(row) }}
}
