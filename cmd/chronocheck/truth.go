package main

import (
	"maps"
	"slices"
	"strings"
)

// A stepOf is one step of one job, over its versions.
type stepOf struct {
	job  *job
	step string
}

// witnessed finds out which steps are held to the witness file.
func (c *checker) witnessed() map[stepOf]bool {
	held := map[stepOf]bool{}
	for id := range c.witness.runs {
		if i := c.byID[id.instance]; i != nil && id.step != errorStep {
			held[stepOf{i.job, id.step}] = true
		}
	}
	for _, v := range c.versions {
		if v.def == nil {
			continue
		}
		for name, a := range v.def.steps {
			if a.Type == "shell" && v.def.mentions(a, c.witness.name) {
				held[stepOf{v.job, name}] = true
			}
		}
	}
	return held
}

// witnessOf is what an attempt has written; nil when it has written nothing.
func (c *checker) witnessOf(a *attempt) *runWitness {
	if c.witness == nil {
		return nil
	}
	step := a.step
	if a.isError {
		step = errorStep
	}
	return c.witness.runs[runID{a.instance.id, a.number, step}]
}

// checkTruth is C4: what is recorded of each attempt against what it wrote itself.
func (c *checker) checkTruth() {
	for _, i := range c.instances {
		if i.state == "succeeded" {
			c.checkSucceeded(i)
		}
	}
	if c.witness == nil {
		c.report.notChecked(c4, len(c.attempts), "no witness file")
		return
	}
	held := c.witnessed()
	for _, a := range c.attempts {
		switch {
		case a.isError:
			continue // counted by C11
		case !held[stepOf{a.instance.job, a.step}] || c.doesNothing(a):
			c.report.notChecked(c4, 1, "the step writes no witness")
		case a.outcome != "":
			c.report.checked(c4)
			c.checkAttempt(a)
		}
	}
	recorded := map[runID]bool{}
	for _, a := range c.attempts {
		step := a.step
		if a.isError {
			step = errorStep
		}
		recorded[runID{a.instance.id, a.number, step}] = true
	}
	for _, id := range slices.Sorted(maps.Keys(c.witness.of)) {
		for _, w := range c.witness.of[id] {
			if recorded[w.runID] {
				continue
			}
			i := c.byID[id]
			switch {
			case i == nil && (c.pruned || len(c.ghosts[id]) > 0):
				c.report.notChecked(c4, 1, "a witness of an instance that retention may have removed")
			case i == nil:
				c.report.checked(c4)
				c.report.violateAt(c4, nil, 0, "instance %d wrote a witness, and there is no such instance", id)
			default:
				c.report.checked(c4)
				c.report.violate(c4, i, "attempt %d of step %q wrote a witness, and was never started by the record; the instance is %s", w.attempt, w.step, i.state)
			}
		}
	}
}

// checkAttempt holds one outcome against the witness.
func (c *checker) checkAttempt(a *attempt) {
	w := c.witnessOf(a)
	var end *moment
	begun := w != nil && len(w.begins) > 0
	if w != nil && len(w.ends) > 0 {
		end = &w.ends[len(w.ends)-1]
	}
	what := "attempt %d of step %q "
	switch {
	case a.outcome == "succeeded" && !begun:
		c.report.violate(c4, a.instance, what+"is recorded as succeeded, and has no witness of a start", a.number, a.step)
	case a.outcome == "succeeded" && end == nil:
		c.report.violate(c4, a.instance, what+"is recorded as succeeded, and has no witness of an end", a.number, a.step)
	case a.outcome == "succeeded" && end.exit != 0:
		c.report.violate(c4, a.instance, what+"is recorded as succeeded, and ended with %d by its witness", a.number, a.step, end.exit)
	case a.outcome == "failed" && !a.exit.Valid && a.signal == "" && begun && c.isShell(a): // a request may have had its effect without an answer
		c.report.violate(c4, a.instance, what+"is recorded as never started (%s), and has a witness of a start", a.number, a.step, a.message)
	case a.outcome == "failed" && a.exit.Valid && end != nil && end.exit != a.exit.Int64:
		c.report.violate(c4, a.instance, what+"is recorded with exit %d, and ended with %d by its witness", a.number, a.step, a.exit.Int64, end.exit)
	}
}

// doesNothing reports whether the attempt is one of type none, by the version of its instance.
func (c *checker) doesNothing(a *attempt) bool {
	d := a.instance.version.def
	if d == nil {
		return false
	}
	step := d.stepOf(a.step)
	return step != nil && step.Type == "none"
}

// slotless reports whether the attempt was of a step that holds no slot: one that waits, or that starts an instance of another job.
func (c *checker) slotless(a *attempt) bool {
	d := a.instance.version.def
	if d == nil || a.isError {
		return false
	}
	step := d.stepOf(a.step)
	return step != nil && (step.Type == "wait" || step.Type == "job")
}

// isShell reports whether the attempt is one of a command, as far as its definition tells.
func (c *checker) isShell(a *attempt) bool {
	d := a.instance.version.def
	if d == nil || a.isError {
		return d == nil || d.errorAction == nil || d.errorAction.Type == "shell"
	}
	step := d.stepOf(a.step)
	return step == nil || step.Type == "shell"
}

// checkSucceeded holds a succeeded instance to its steps: each that must succeed did.
func (c *checker) checkSucceeded(i *instance) {
	if i.version.def == nil {
		c.report.notChecked(c4, 1, i.version.err.Error())
		return
	}
	c.report.checked(c4)
	for _, name := range slices.Sorted(maps.Keys(i.version.def.steps)) {
		step := i.version.def.steps[name]
		if step.When != "" {
			continue // it may have been passed over
		}
		good, ended := false, false
		for _, a := range i.attempts {
			if (a.step == name || len(step.ForEach) > 0 && strings.HasPrefix(a.step, name+"[")) && !a.isError {
				good = good || a.outcome == "succeeded"
				ended = ended || a.outcome != ""
			}
		}
		if len(step.ForEach) > 0 && !ended {
			continue // its list was empty
		}
		if forgiven := ended && step.OnFailure == "continue"; !good && !forgiven {
			c.report.violate(c4, i, "it is succeeded, and no attempt of its step %q is", name)
		}
	}
}
