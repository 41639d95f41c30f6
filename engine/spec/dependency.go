package spec

import (
	"reflect"
	"slices"
	"strings"

	"github.com/almanac-sched/almanac/deps"
	"github.com/almanac-sched/almanac/engine"
)

// selfWord names the job itself in a dependency.
const selfWord = "self"

// dependencies reads dependsOn and selfDependency, and marks where each stands.
func (d *decoder) dependencies(job *engine.Job, v *value, marks *jobMarks) {
	for _, item := range v.field("dependsOn").items() {
		x := d.dependency(job, item)
		for n := range job.DependsOn {
			if sameSet(&job.DependsOn[n], &x) && !item.bad {
				d.fail(item, "leave one of the two out", "%s is waited for twice in the same way: line %d says it already", x.Job.Job, marks.dependsOn[n].line)
				break
			}
		}
		if item.bad {
			if marks.faults.dependsOn == nil {
				marks.faults.dependsOn = map[int]bool{}
			}
			marks.faults.dependsOn[len(job.DependsOn)] = true
		}
		job.DependsOn = append(job.DependsOn, x)
		marks.dependsOn = append(marks.dependsOn, item.mark())
	}
	if own := v.field("selfDependency"); own.flag() && !slices.ContainsFunc(job.DependsOn, func(x engine.Dependency) bool { return x.Edge.Self && x.Edge.Previous == 1 }) {
		x := engine.Dependency{Job: job.Ref(), Edge: deps.Edge{Self: true, Previous: 1, Policy: d.workflow.Policy}, OnFailed: engine.FailedWait}
		x.OnMissing = missing(x.Edge)
		job.DependsOn = append(job.DependsOn, x)
		marks.dependsOn = append(marks.dependsOn, own.mark())
	}
}

// sameSet reports whether two dependencies choose from the same instances: the second could only repeat the first, or contradict it.
func sameSet(a, b *engine.Dependency) bool {
	e, f := a.Edge, b.Edge
	e.Select, f.Select = deps.Select{}, deps.Select{}
	return a.Job == b.Job && a.Job.Job != "" && a.Edge.Select == b.Edge.Select && reflect.DeepEqual(e, f)
}

// dependency reads the short form, a name, or the long one.
func (d *decoder) dependency(job *engine.Job, v *value) engine.Dependency {
	named := v
	if v.fields != nil {
		named = v.field("job")
	}
	x := engine.Dependency{Edge: d.edge(v), OnFailed: engine.OnFailed(wordOr(v.field("onFailed"), string(engine.FailedWait)))}
	switch name := named.str(); name {
	case selfWord:
		x.Job, x.Edge.Self = job.Ref(), true
		d.self(v, named, &x.Edge)
	default:
		workflow, other, qualified := strings.Cut(name, "/")
		if !qualified {
			workflow, other = job.Workflow, name
		}
		x.Job = engine.JobRef{Workflow: workflow, Job: other}
	}
	x.OnMissing = missing(x.Edge)
	if own := v.field("onMissing"); own.ok() {
		x.OnMissing, x.OnMissingStated = engine.OnMissing(own.text), true
	}
	x.WaitPreviousEnd = v.field("waitPreviousEnd").flag()
	x.Timeout = d.duration(v.field("timeout"), 0)
	return x
}

// missing is the default of onMissing (dependencies.md §7): nothing in the window runs an instance under natural and cancels it under
// traditional. The job's own previous instance is free where there is none.
func missing(e deps.Edge) engine.OnMissing {
	if e.Policy == deps.Traditional && !e.Self {
		return engine.MissingCancel
	}
	return engine.MissingRun
}

// self checks what can be said of a job's own previous instance: the tables do not apply to it.
func (d *decoder) self(v, named *value, e *deps.Edge) {
	if e.Previous == 0 && !v.bad {
		d.fail(named, "write {job: self, cycle: previous}, or selfDependency: true on the job", "an instance cannot wait for itself")
	}
	for _, member := range []string{"rule", "window", "hours"} {
		if m := v.field(member); m != nil {
			d.fail(m, "leave it out", "%s has no meaning for the job itself: it waits for its own plan time before", member)
		}
	}
}

// edge reads what decides which plan times are waited for.
func (d *decoder) edge(v *value) deps.Edge {
	e := deps.Edge{Policy: d.workflow.Policy, Nearest: v.field("rule").str() == "nearest", Hours: sortedInts(integers(v.field("hours")))}
	if policy := v.field("policy"); policy.ok() {
		e.Policy = deps.Natural
		if policy.text == deps.Traditional.String() {
			e.Policy = deps.Traditional
		}
	}
	cycle, previous := v.field("cycle"), v.field("previous")
	e.Previous = previous.integer(0)
	switch {
	case cycle.str() == "same" && previous != nil:
		d.fail(previous, "leave one of the two out", "previous counts cycles before, and cycle says same")
	case cycle.str() == "previous" && e.Previous == 0:
		e.Previous = 1
	}
	if s := v.field("select"); s.ok() {
		parsed, err := deps.ParseSelect(s.text)
		if err != nil {
			d.fail(s, "", "%s", err)
		}
		e.Select = parsed
	}
	if w := v.field("window"); w != nil && w.fields != nil {
		e.Window = d.window(w)
		for _, member := range []string{"rule", "cycle", "previous"} {
			if m := v.field(member); m != nil {
				d.fail(m, "leave it out, or leave window out", "window replaces the tables, so %s has no meaning beside it", member)
			}
		}
	}
	return e
}

func (d *decoder) window(v *value) *deps.ExplicitWindow {
	w := &deps.ExplicitWindow{}
	for _, bound := range []struct {
		name string
		to   *deps.Offset
	}{{"from", &w.From}, {"to", &w.To}} {
		m := v.field(bound.name)
		if !m.ok() {
			continue
		}
		o, err := parseOffset(m.text)
		if err != nil {
			d.fail(m, "", "%s is %s: %s", bound.name, quoteShort(m.text), err)
		}
		*bound.to = o
	}
	if closed := v.field("closed"); closed.ok() {
		c, err := deps.ParseClosed(closed.text)
		if err != nil {
			d.fail(closed, "", "%s", err)
		}
		w.Closed = c
	}
	return w
}
