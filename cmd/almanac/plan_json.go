package main

import (
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A planJSON is the document of plan -o json: a contract, so that its fields only ever grow in number.
type planJSON struct {
	From      string         `json:"from"`
	To        string         `json:"to"`
	Instances []instanceJSON `json:"instances"`
	AtOnce    []atOnceJSON   `json:"atOnce,omitempty"` // jobs that are due when their names are first loaded
}

// An atOnceJSON names a job that a load starts. StartTime is that of a one-off, and has passed; the plan of
// today has it at the time at which it was asked for.
type atOnceJSON struct {
	Workflow  string `json:"workflow"`
	Job       string `json:"job"`
	StartTime string `json:"startTime,omitempty"`
}

// An instanceJSON is one instance of the plan. Times are RFC 3339 with the zone's offset; period is a word of `dependencies.md` §1.
type instanceJSON struct {
	Workflow string     `json:"workflow"`
	Job      string     `json:"job"`
	PlanTime string     `json:"planTime"`
	Period   string     `json:"period"`
	Waits    []waitJSON `json:"waits"`
}

// A waitJSON is one declared dependency: there is always one, with no plan times and the rule none-in-window when its set is empty. PlanTimes is what
// is waited for: one for a dependency on the first or the last, every candidate where select is any or a count.
type waitJSON struct {
	Workflow       string     `json:"workflow"`
	Job            string     `json:"job"`
	UpstreamPeriod string     `json:"upstreamPeriod"`
	PlanTimes      []string   `json:"planTimes"`
	Rule           string     `json:"rule"` // a word of `dependencies.md` §10
	Select         string     `json:"select"`
	OnMissing      string     `json:"onMissing"`
	Window         windowJSON `json:"window"`
}

// A windowJSON is where the dependency looked; closed is left, right or both.
type windowJSON struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Closed string `json:"closed"`
}

// planDocument is the plan as the contract has it, by plan time, workflow, job.
func planDocument(plan *engine.Plan, from, to time.Time) planJSON {
	document := planJSON{From: stamp(from), To: stamp(to), Instances: []instanceJSON{}}
	for p := range plan.Chronological() {
		instance := instanceJSON{
			Workflow: p.Job.Workflow, Job: p.Job.Name, PlanTime: stamp(p.PlanTime()), Period: p.Job.Period.Class.String(), Waits: []waitJSON{},
		}
		for i := range p.Dependencies {
			d := &p.Dependencies[i]
			if d.Ended {
				continue // waitPreviousEnd is a property of the dependency that is listed already
			}
			b := &d.Bindings[p.N]
			wait := waitJSON{
				Workflow: d.Upstream.Workflow, Job: d.Upstream.Name, UpstreamPeriod: d.Upstream.Period.Class.String(),
				PlanTimes: []string{}, Rule: b.Reason.String(), Select: b.Select.String(), OnMissing: string(d.Dependency.OnMissing),
				Window: windowJSON{From: stamp(b.Window.From), To: stamp(b.Window.To), Closed: b.Window.Closed.String()},
			}
			for _, t := range engine.PlanTimes(b) {
				wait.PlanTimes = append(wait.PlanTimes, stamp(t))
			}
			instance.Waits = append(instance.Waits, wait)
		}
		document.Instances = append(document.Instances, instance)
	}
	return document
}

// stamp is the instant in RFC 3339, with milliseconds only where there are some.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return engine.PlanTimeText(t)
}
