package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/almanac-sched/almanac/engine"
)

// A dayResult is the document of run -o json.
type dayResult struct {
	From        string             `json:"from"`
	To          string             `json:"to"`
	Instances   []dayInstance      `json:"instances"` // by plan time, workflow, job
	Assumptions []engineAssumption `json:"assumptions"`
	OK          bool               `json:"ok"`
}

type dayInstance struct {
	ID         int64  `json:"id,string"`
	Workflow   string `json:"workflow"`
	Job        string `json:"job"`
	PlanTime   string `json:"planTime"`
	State      string `json:"state"`
	Reason     string `json:"reason"`
	Detail     string `json:"detail,omitempty"`
	StartedAt  string `json:"startedAt,omitempty"`
	EndedAt    string `json:"endedAt,omitempty"`
	DurationMS int64  `json:"durationMs"`

	instance engine.Instance
}

type engineAssumption struct {
	Instance  string   `json:"instance"`
	Workflow  string   `json:"workflow"`
	Job       string   `json:"job"`
	PlanTimes []string `json:"planTimes"`
}

// readDay reads what became of the day's instances.
func readDay(s *site, plan *engine.ClosedPlan, w *windows) (*dayResult, error) {
	result := &dayResult{From: stamp(w.earliest), To: stamp(w.latest), Instances: []dayInstance{}, Assumptions: []engineAssumption{}, OK: true}
	for _, assumption := range plan.Assumptions {
		one := engineAssumption{Instance: assumption.Instance, Workflow: assumption.Upstream.Workflow, Job: assumption.Upstream.Job, PlanTimes: []string{}}
		for _, t := range assumption.Times {
			one.PlanTimes = append(one.PlanTimes, stamp(t))
		}
		result.Assumptions = append(result.Assumptions, one)
	}
	// An interrupted run is read back too, so the end of its context does not matter here.
	err := s.db.Read(context.Background(), func(v engine.View) error {
		jobs, err := v.Jobs()
		if err != nil {
			return err
		}
		ids := map[engine.JobRef]int64{}
		for _, row := range jobs {
			ids[row.Ref] = row.ID
		}
		for p := range plan.Plan.Chronological() {
			i, err := v.Find(ids[p.Job.Ref()], "", p.PlanTime())
			if err != nil {
				return fmt.Errorf("read %s@%s: %w", p.Job.Ref(), stamp(p.PlanTime()), err)
			}
			one := dayInstance{
				ID: i.ID, Workflow: i.Ref.Workflow, Job: i.Ref.Job, PlanTime: stamp(i.PlanTime), State: string(i.State), Reason: string(i.Reason.Code),
				Detail: i.Reason.Detail, StartedAt: stamp(i.StartedAt), EndedAt: stamp(i.EndedAt), instance: i,
			}
			if !i.StartedAt.IsZero() && !i.EndedAt.IsZero() {
				one.DurationMS = i.EndedAt.Sub(i.StartedAt).Milliseconds()
			}
			result.OK = result.OK && endedWell(&i)
			result.Instances = append(result.Instances, one)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what became of the day: %w", err)
	}
	return result, nil
}

// endedWell reports whether an instance ended as its definition meant it to: well, or cancelled by a rule of its own job rather than by a failure.
func endedWell(i *engine.Instance) bool {
	if i.State == engine.Cancelled {
		return i.Reason.Code == engine.ReasonNoUpstream || i.Reason.Code == engine.ReasonOverlap
	}
	return i.State.Satisfies()
}

// report prints the end of the day. Its error is the exit status of a day that did not end well.
func (d *dayRun) report(result *dayResult, runErr error) error {
	if result == nil {
		return nil
	}
	var bad []string
	states := map[engine.State]int{}
	for i := range result.Instances {
		instance := &result.Instances[i].instance
		states[instance.State]++
		if !endedWell(instance) {
			why := instance.Reason.Describe()
			if instance.State == engine.Running {
				why = "its processes go on"
			}
			bad = append(bad, fmt.Sprintf("  %-9s  %s  %s", instance.State, instance.Name(), printable(why)))
		}
	}
	if d.json {
		if err := writeJSON(d.stdout, result); err != nil {
			return err
		}
	} else {
		var parts []string
		for _, state := range engine.States {
			if states[state] > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", states[state], state))
			}
		}
		if parts == nil {
			parts = []string{"nothing was due"}
		}
		fmt.Fprintln(d.stdout, strings.Join(parts, ", "))
		if len(bad) > 0 {
			fmt.Fprintln(d.stdout, "\nnot ended well:")
			fmt.Fprintln(d.stdout, strings.Join(bad, "\n"))
			fmt.Fprintf(d.stdout, "\n%s\n", d.kept())
		}
	}
	if len(bad) > 0 && runErr == nil {
		return &failedError{fmt.Sprintf("%d of %s did not end well", len(bad), count(len(result.Instances), "instance"))}
	}
	return nil
}
