package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/recurrence"
)

// definitions reads a workflow file.
func definitions(t require.TestingT, text string) []*engine.Job {
	workflows, problems := spec.Load(fstest.MapFS{"w.yaml": {Data: []byte(text)}}, "/definitions")
	require.False(t, problems.HasErrors(), "%v\n%s", problems, text)
	return workflows[0].Jobs
}

// planOf plans the two days from 2026-03-28 on, in Berlin: the second has 23 hours.
func planOf(t require.TestingT, jobs []*engine.Job) engine.Plan {
	from := time.Date(2026, 3, 28, 0, 0, 0, 0, time.FixedZone("", 3600))
	planner, err := engine.NewPlanner(jobs, func(*engine.Job) recurrence.Origin { return recurrence.Created(from.AddDate(0, 0, -90)) })
	require.NoError(t, err)
	plan, err := planner.Plan(func(j *engine.Job) (time.Time, time.Time) {
		if j.Disabled || j.When.Manual {
			return time.Time{}, time.Time{}
		}
		return from, from.AddDate(0, 0, 2)
	})
	require.NoError(t, err)
	return plan
}

// drawDefinitions draws a workflow of up to six jobs, each of which waits for some of those before it.
func drawDefinitions(t *rapid.T, label string) string {
	var b strings.Builder
	b.WriteString("workflow: w\ntimeZone: Europe/Berlin\ndefaults: {startTime: 2026-01-01T00:00:00}\njobs:\n  always: {trigger: manual, action: {type: none}}\n")
	var names []string
	for n := range 6 {
		draw := func(what string, most int) int {
			return rapid.IntRange(0, most).Draw(t, fmt.Sprintf("%s: %s of j%d", label, what, n))
		}
		if draw("absence", 3) == 0 {
			continue
		}
		when := []string{
			"trigger: manual", "recurrence: {frequency: hour, interval: 6}", "recurrence: {frequency: day, schedule: {hours: [2], minutes: [30]}}",
			"recurrence: {frequency: day, schedule: {hours: [5, 11, 17], minutes: [0]}}", `cron: "15 3 * * *"`, "recurrence: {frequency: week, schedule: {weekDays: [Sunday], hours: [4], minutes: [0]}}",
		}[draw("schedule", 5)]
		fmt.Fprintf(&b, "  j%d: {%s, action: {type: shell, command: echo %d}", n, when, draw("action", 1))
		if draw("state", 5) == 0 {
			b.WriteString(", state: disabled")
		}
		var waits []string
		for _, upstream := range names {
			switch draw("dependency on "+upstream, 5) {
			case 0:
				waits = append(waits, upstream)
			case 1:
				waits = append(waits, "{job: "+upstream+", cycle: previous}")
			case 2:
				waits = append(waits, "{job: "+upstream+", select: any}")
			}
		}
		if !strings.HasPrefix(when, "trigger") && len(waits) > 0 {
			fmt.Fprintf(&b, ", dependsOn: [%s]", strings.Join(waits, ", "))
		}
		b.WriteString("}\n")
		if !strings.HasPrefix(when, "trigger") {
			names = append(names, fmt.Sprintf("j%d", n))
		}
	}
	return b.String()
}

// instances are the instances of a plan with what each waits for, as told by a diff with a plan of nothing.
func instances(plan *engine.Plan) map[string]string {
	all := map[string]string{}
	d := engine.DiffPlans(&engine.Plan{}, plan)
	for i := range d.Added {
		all[instanceName(d.Added[i].DiffInstance)] = linkText(d.Added[i].Waits)
	}
	return all
}

func instanceName(i engine.DiffInstance) string {
	return i.Ref.String() + "@" + i.PlanTime.UTC().String()
}

func linkText(links []engine.Link) string {
	var b strings.Builder
	for _, l := range links {
		fmt.Fprintf(&b, "%s %t %s", l.Upstream, l.Ended, l.Select)
		for _, t := range l.Times {
			b.WriteString(" " + t.UTC().Format(time.RFC3339))
		}
		b.WriteString("; ")
	}
	return b.String()
}

func TestADiffOfAPlanWithItselfIsEmpty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawDefinitions(t, "plan")
		a, b := definitions(t, text), definitions(t, text)
		before, after := planOf(t, a), planOf(t, b)
		d := engine.DiffPlans(&before, &after)
		d.Jobs = engine.DiffJobs(a, b, time.Time{})
		require.True(t, d.Empty(), "%+v", d)
		require.Equal(t, before.Instances(), d.Kept)
		require.Equal(t, "no change", d.Summary())
		require.Equal(t, engine.FingerprintJobs(a), engine.FingerprintJobs(b))
	})
}

func TestADiffCarriedOutOnTheEarlierPlanGivesTheLater(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := definitions(t, drawDefinitions(t, "before")), definitions(t, drawDefinitions(t, "after"))
		before, after := planOf(t, a), planOf(t, b)
		d := engine.DiffPlans(&before, &after)
		got := instances(&before)
		was := len(got)
		for _, i := range d.Removed {
			require.Contains(t, got, instanceName(i), "removed is what was there")
			delete(got, instanceName(i))
		}
		require.Equal(t, was-len(d.Removed), d.Kept)
		for i := range d.Relinked {
			r := &d.Relinked[i]
			require.Equal(t, got[instanceName(r.DiffInstance)], linkText(r.Before))
			require.NotEqual(t, linkText(r.Before), linkText(r.After))
			got[instanceName(r.DiffInstance)] = linkText(r.After)
		}
		for i := range d.Added {
			require.NotContains(t, got, instanceName(d.Added[i].DiffInstance), "added is what was not there")
			got[instanceName(d.Added[i].DiffInstance)] = linkText(d.Added[i].Waits)
		}
		require.Equal(t, instances(&after), got)

		back := engine.DiffPlans(&after, &before)
		require.Len(t, back.Added, len(d.Removed))
		require.Len(t, back.Removed, len(d.Added))
		require.Len(t, back.Relinked, len(d.Relinked))
		require.Len(t, back.Changed, len(d.Changed))
		require.Equal(t, len(d.Jobs) == 0 && d.Empty(), len(back.Jobs) == 0 && back.Empty())
		changes := engine.DiffJobs(a, b, time.Time{})
		require.Equal(t, len(changes) == 0, engine.FingerprintJobs(a) == engine.FingerprintJobs(b), "%v", changes)
	})
}

func TestTheOrderOfDependenciesMeansNothing(t *testing.T) {
	const text = `workflow: w
jobs:
  a: {cron: "0 1 * * *", action: {type: none}}
  b: {cron: "0 2 * * *", action: {type: none}}
  c: {cron: "0 3 * * *", action: {type: none}, dependsOn: [%s]}
`
	before, after := planOf(t, definitions(t, fmt.Sprintf(text, "a, b"))), planOf(t, definitions(t, fmt.Sprintf(text, "b, a")))
	d := engine.DiffPlans(&before, &after)
	require.Empty(t, d.Relinked)
	require.Len(t, d.Changed, 2)
	after = planOf(t, definitions(t, fmt.Sprintf(text, "{job: b, onFailed: run}, a")))
	d = engine.DiffPlans(&before, &after)
	require.Empty(t, d.Relinked, "it waits for the same instances")
}

// Each line is what a job does, and whether it does another thing when the same file lies in another folder.
func TestAFolderIsNoPartOfWhatAJobDoesUnlessItNamesFiles(t *testing.T) {
	for _, c := range []struct {
		does string
		same bool
	}{
		{"action: {type: none}", true},
		{"action: {type: shell, command: echo 1}", true},
		{"action: {type: shell, command: /opt/load, dir: /opt}", true},
		{"action: {type: http, request: {method: POST, uri: \"https://example.com/x\"}}", true},
		{"action: {type: wait, http: {uri: \"https://example.com/x\"}}", true},
		{"action: {type: shell, command: ./load.sh}", false},
		{"action: {type: shell, command: sh, args: [../load.sh]}", false},
		{"action: {type: shell, command: make, dir: sub}", false},
		{"action: {type: wait, file: in.csv}", false},
		{"steps: {a: {type: none}, b: {needs: [a], type: shell, command: ./b}}", false},
		{"action: {type: none}, errorAction: {type: shell, command: ./tell}", false},
	} {
		text := "workflow: w\njobs:\n  j: {cron: \"15 3 * * *\", " + c.does + "}\n"
		was, is := definitions(t, text), definitions(t, text)
		is[0].Folder = "/elsewhere"
		require.Equal(t, c.same, engine.SameWork(was[0], is[0]), c.does)
		require.False(t, engine.SameJob(was[0], is[0]), "it is another version all the same")
		before, after := planOf(t, was), planOf(t, is)
		diff := engine.DiffPlans(&before, &after)
		require.Equal(t, c.same, len(diff.Changed) == 0, c.does)
		require.Equal(t, []engine.JobChange{{Ref: was[0].Ref(), Change: engine.JobChanged, Members: []string{"folder"}}}, engine.DiffJobs(was, is, time.Time{}))
	}
}
