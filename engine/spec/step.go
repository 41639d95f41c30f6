package spec

import (
	"errors"
	"slices"
	"strings"

	"github.com/almanac-sched/almanac/deps"
	"github.com/almanac-sched/almanac/engine"
)

// stepNode is a step of the file on the way to an engine.Step.
type stepNode struct {
	value   *value
	needs   []string
	outputs []string // declared ones; nil declares nothing
}

// what reads the job's action or its steps, and its error action.
func (d *decoder) what(job *engine.Job, v *value, s *textScope) {
	action, steps := v.field("action"), v.field("steps")
	retry, timeout := d.placed(v, "retryPolicy"), v.field("timeout")
	main := ""
	switch {
	case action != nil && steps != nil:
		d.fail(steps, "leave one of the two out", "the job has both action and steps")
	case action == nil && steps == nil && !v.bad:
		d.fail(v, "write action: {type: shell, command: ...}; a joining point is {type: none}", "the job %s does nothing: it has neither action nor steps", job.Name)
	case action != nil && action.fields != nil:
		s.noSteps = "the job has one action and no steps"
		a := d.action(action, s, stepLabel(""))
		main = a.Type
		d.tries(&a, retry, nil, nil, timeout)
		job.Steps = []engine.Step{{Action: a, OnFailure: engine.StepFail}}
		s.noSteps = ""
	case steps != nil && steps.fields != nil:
		main = d.steps(job, steps, retry, timeout, s)
	}
	job.ErrorAction = d.errorAction(d.placed(v, "errorAction"), retry, timeout, s, main)
}

// steps reads the steps in an order in which each comes after those that it needs, by name where the needs leave it open. It returns the type
// of the first of them.
func (d *decoder) steps(job *engine.Job, v, retry, timeout *value, s *textScope) string {
	nodes := make(map[string]*stepNode, len(v.fields))
	for name, step := range v.fields {
		nodes[name] = &stepNode{value: step, outputs: outputNames(step.field("outputs"))}
	}
	names := sortedKeys(nodes)
	for _, name := range names {
		d.needs(name, nodes)
	}
	order, err := deps.Order(names, func(name string) []string { return nodes[name].needs })
	if err != nil {
		var cycle *deps.CycleError
		if errors.As(err, &cycle) {
			d.fail(nodes[cycle.Path[0]].value.field("needs"), "", "the steps need each other in a circle: %s", strings.Join(cycle.Path, " → "))
		} else {
			d.fail(v, "", "%s", err)
		}
		order = names
	}
	for _, name := range order {
		job.Steps = append(job.Steps, d.step(name, nodes, retry, timeout, s))
	}
	if len(job.Steps) == 0 {
		return "" // each of them was reported
	}
	return job.Steps[0].Action.Type
}

// outputNames are the outputs that a step declares, nil when it declares nothing.
func outputNames(v *value) []string {
	if v != nil && v.fields != nil {
		return sortedKeys(v.fields)
	}
	var list []string
	for _, item := range v.items() {
		list = append(list, item.text)
	}
	return list
}

// needs keeps of a step's needs those that exist, in order of name.
func (d *decoder) needs(name string, nodes map[string]*stepNode) {
	n := nodes[name]
	for _, item := range n.value.field("needs").items() {
		switch {
		case nodes[item.text] == nil:
			others := slices.DeleteFunc(sortedKeys(nodes), func(other string) bool { return other == name })
			d.fail(item, didYouMean(item.text, others), "the step %s needs %q, which the job does not have", name, item.text)
		case slices.Contains(n.needs, item.text):
			d.fail(item, "leave it out once", "the step %s needs %q twice", name, item.text)
		default:
			n.needs = append(n.needs, item.text)
		}
	}
	slices.Sort(n.needs)
}

func (d *decoder) step(name string, nodes map[string]*stepNode, retry, timeout *value, s *textScope) engine.Step {
	n := nodes[name]
	inner := *s
	inner.steps, inner.reached = nodes, func(step string) bool { return before(name, nodes)[step] }
	each := d.forEach(n.value, &inner)
	inner.item = each != nil
	a := d.action(n.value, &inner, stepLabel(name))
	d.tries(&a, n.value.field("retryPolicy"), retry, n.value.field("timeout"), timeout)
	step := engine.Step{Name: name, Needs: n.needs, ForEach: each, Action: a, OnFailure: engine.OnFailure(wordOr(n.value.field("onFailure"), string(engine.StepFail)))}
	if when := n.value.field("when"); when.ok() {
		step.When = strings.TrimSpace(when.text)
		reached := before(name, nodes)
		if err := checkWhen(step.When, reached, s.params); err != nil {
			d.fail(when, mayName(reached, s.params), "when of the step %s: %s", name, err)
		}
	}
	return step
}

// before returns the steps that the step needs, directly or not. It is asked for only where a step names another: for all steps of a chain it would
// be quadratic.
func before(name string, nodes map[string]*stepNode) map[string]bool {
	reached := map[string]bool{}
	unread := slices.Clone(nodes[name].needs)
	for len(unread) > 0 {
		need := unread[len(unread)-1]
		unread = unread[:len(unread)-1]
		if !reached[need] {
			reached[need] = true
			unread = append(unread, nodes[need].needs...)
		}
	}
	return reached
}
