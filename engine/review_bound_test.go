package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
)

// upstreamSchedules are when the job is due that an edit moves.
var upstreamSchedules = []string{
	`cron: "50 22 * * *"`, `cron: "55 23 * * *"`, `cron: "10,20,50 * * * *"`, `cron: "0 6 * * *"`,
	"recurrence: {frequency: hour, interval: 3}", "recurrence: {frequency: hour, interval: 1}",
	"recurrence: {frequency: day, schedule: {hours: [1, 9, 22], minutes: [30]}}",
	"recurrence: {frequency: week, schedule: {weekDays: [Monday], hours: [4], minutes: [0]}}",
	"recurrence: {frequency: minute, interval: 20}", `cron: "0 0 29 2 *"`,
}

// bindingRules are the ways to wait for the job: each word of the rules of dependencies.
var bindingRules = []string{
	"u", "{job: u, cycle: previous}", "{job: u, select: any}", "{job: u, select: last}",
	"{job: u, select: first}", "{job: u, select: 2}", "{job: u, onFailed: run}",
	"{job: u, waitPreviousEnd: true}", "{job: u, onMissing: wait}", "{job: u, onMissing: cancel}",
	"{job: u, window: {from: -PT4H, to: PT0S, closed: right}}",
	"{job: u, window: {from: -PT30M, to: PT3H, closed: both}, onMissing: wait}",
	"{job: u, window: {from: PT1H, to: PT9H}, select: any}",
}

// dependentSchedules are when those are due that wait for it.
var dependentSchedules = []string{
	`cron: "0 2 * * *"`, "recurrence: {frequency: hour, interval: 2}",
	"recurrence: {frequency: day, schedule: {hours: [2, 10, 23], minutes: [0]}}",
	"recurrence: {frequency: minute, interval: 45}",
}

// bindingZones have a change of their clocks near the days of the desk, or none, or half an hour.
var bindingZones = []string{"Etc/UTC", "Asia/Shanghai", "Europe/Berlin", "America/New_York", "Asia/Kolkata"}

// An editDraw is a workflow whose upstream job u is edited: when u is due, in which time zone, what
// it is called, or whether it is there.
type editDraw struct {
	dependents []string
	before     string
	after      string
	renamed    bool
}

func drawEdit(t *rapid.T) (d editDraw) {
	for n := range rapid.IntRange(1, 5).Draw(t, "dependents") {
		d.dependents = append(d.dependents, fmt.Sprintf("  d%d: {%s, timeZone: %s, dependsOn: [%s]}\n", n,
			rapid.SampledFrom(dependentSchedules).Draw(t, fmt.Sprintf("when d%d is due", n)),
			rapid.SampledFrom(bindingZones).Draw(t, fmt.Sprintf("the zone of d%d", n)),
			rapid.SampledFrom(bindingRules).Draw(t, fmt.Sprintf("how d%d waits", n))))
	}
	zone := rapid.SampledFrom(bindingZones)
	d.before = rapid.SampledFrom(upstreamSchedules).Draw(t, "u before") + ", timeZone: " + zone.Draw(t, "its zone before")
	d.after = rapid.SampledFrom(upstreamSchedules).Draw(t, "u after") + ", timeZone: " + zone.Draw(t, "its zone after")
	switch rapid.IntRange(0, 9).Draw(t, "more of the edit") {
	case 0:
		d.after += ", state: disabled"
	case 1:
		d.renamed = true
	}
	return d
}

func (d *editDraw) text(when string) string {
	text := "workflow: w\ndefaults: {startTime: \"2026-08-01T00:00:00Z\", action: {type: shell, command: \"true\"}}\n" +
		"jobs:\n  u: {" + when + "}\n" + strings.Join(d.dependents, "")
	if d.renamed && when == d.after {
		text = strings.NewReplacer("  u: ", "  renamed: ", "[u]", "[renamed]", "job: u", "job: renamed").Replace(text)
	}
	return text
}

func workflowOf(t require.TestingT, text string) []*engine.Workflow {
	w, problems := spec.Decode("w.yaml", []byte(text), spec.Options{})
	require.False(t, problems.HasErrors(), "%v\n%s", problems, text)
	return []*engine.Workflow{w}
}

// setsOf lists what each instance of w that has not started waits for, in the words of a diff.
func (d *desk) setsOf(e *engine.Engine) (map[int64]string, map[int64]engine.Instance) {
	d.Helper()
	sets, instances := map[int64]string{}, map[int64]engine.Instance{}
	require.NoError(d, d.db.Read(d.Context(), func(v engine.View) error {
		rows, err := v.Jobs()
		if err != nil {
			return err
		}
		for _, row := range rows {
			waiting, err := v.Waiting(row.ID)
			if err != nil {
				return err
			}
			for _, i := range waiting {
				waits, err := v.Waits(i.ID)
				if err != nil {
					return err
				}
				sets[i.ID], instances[i.ID] = setWords(waits), i
			}
		}
		return nil
	}))
	return sets, instances
}

// setOf is what an instance waits for, whatever its state.
func (d *desk) setOf(instance int64) (words string) {
	d.Helper()
	require.NoError(d, d.db.Read(d.Context(), func(v engine.View) error {
		waits, err := v.Waits(instance)
		words = setWords(waits)
		return err
	}))
	return words
}

// settle takes turns until there is nothing to do now: many instances are looked at in many passes.
func (d *desk) settle(t require.TestingT, e *engine.Engine) {
	next := d.now
	for n := 0; !next.After(d.now); n++ {
		require.Less(t, n, 500, "the engine does not come to rest")
		var err error
		next, _, err = e.Step(d.Context(), d.now)
		require.NoError(t, err)
	}
}

const setForm = "02T15:04"

func setWords(waits []engine.Wait) string {
	var words []string
	for n := range waits {
		w := &waits[n]
		if w.Count == 0 {
			words = append(words, "none")
			continue
		}
		words = append(words, fmt.Sprintf("%d %s %s…%s", w.Count, w.Select, w.First.UTC().Format(setForm), w.Last.UTC().Format(setForm)))
	}
	return strings.Join(words, "; ")
}

func linksWords(links []engine.Link) string {
	var words []string
	for n := range links {
		l := &links[n]
		if len(l.Times) == 0 {
			words = append(words, "none")
			continue
		}
		words = append(words, fmt.Sprintf("%d %s %s…%s", len(l.Times), l.Select,
			l.Times[0].UTC().Format(setForm), l.Times[len(l.Times)-1].UTC().Format(setForm)))
	}
	return strings.Join(words, "; ")
}

// What a diff says of instances that wait is what the load makes of them: exactly those are bound again, to what it names. By every rule, whatever a person
// has done to them, and none starts on what the edit took away.
func TestADiffNamesWhatIsBoundAgain(t *testing.T) {
	base := t
	rapid.Check(t, func(t *rapid.T) {
		d, draw := newDesk(base), drawEdit(t)
		e, hand := d.server("a", d.db, false)
		_, err := e.Load(d.Context(), workflowOf(t, draw.text(draw.before)), d.now)
		require.NoError(t, err)
		d.settle(t, e)
		d.now = d.now.Add(time.Duration(rapid.IntRange(1, 47).Draw(t, "half hours until the edit")) * 30 * time.Minute)
		d.settle(t, e)
		if act := rapid.SampledFrom([]engine.Operation{"", engine.OperateFreeze, engine.OperateBoost}).Draw(t, "a person does"); act != "" {
			_, _ = e.Operate(d.Context(), engine.OperationRequest{
				Operation: act, Selector: "job:w/d0 state:waiting", Actor: "ana", Note: "a test",
			}, d.now) // refused if there is none
			d.settle(t, e)
		}
		if rapid.Bool().Draw(t, "a backfill waits too") {
			plan, err := e.PlanBackfill(d.Context(), engine.BackfillRequest{
				Jobs: []string{"w/d0"}, From: "2026-08-03", To: "2026-08-04", Select: []string{"all"}, IgnoreMissing: true,
			}, d.now)
			if err == nil && plan.In > 0 { // refused if there is none
				d.apply(e, plan)
				d.settle(t, e)
			}
		}
		before, instances := d.setsOf(e)
		after := workflowOf(t, draw.text(draw.after))
		diff, err := e.DiffLoaded(d.Context(), after, d.now, d.now.AddDate(0, 0, 1), false, d.now)
		require.NoError(t, err)
		named := map[int64]string{}
		for n := range diff.Bound {
			named[diff.Bound[n].Instance.ID] = linksWords(diff.Bound[n].After)
			require.Equal(t, before[diff.Bound[n].Instance.ID], linksWords(diff.Bound[n].Before), "before, of %s", diff.Bound[n].Instance.Name())
		}
		ends := map[int64]bool{}
		for _, due := range diff.Due {
			ends[due.Instance.ID] = due.Fate == engine.DueStranded
		}
		started := len(hand.started)
		_, err = e.Load(d.Context(), after, d.now)
		require.NoError(t, err)
		d.settle(t, e)
		for id, was := range before {
			i := instances[id]
			stays := i.PlanTime.Before(d.now) || i.Gate != engine.GateTime || i.Touched
			if !stays || ends[id] {
				continue
			}
			is := d.setOf(id)
			if is == was {
				is = ""
			}
			require.Equal(t, is, named[id], "%s waited for %s; edited to\n%s", i.Name(), was, draw.text(draw.after))
		}
		for id := range before {
			var is engine.Instance
			err := d.db.Read(d.Context(), func(v engine.View) (err error) {
				is, err = v.Instance(id)
				return err
			})
			if errors.Is(err, engine.ErrNotFound) {
				continue // planned anew
			}
			require.NoError(t, err)
			missing := is.State == engine.Cancelled &&
				(is.Reason.Code == engine.ReasonNoUpstream || is.Reason.Code == engine.ReasonUpstreamGone)
			if missing && instances[id].PlanTime.Before(d.now) {
				require.True(t, ends[id], "%s was cancelled, and the diff does not say so; edited to\n%s",
					is.Name(), draw.text(draw.after))
			}
		}
		for _, a := range hand.started[started:] {
			waits := d.setOf(a.Instance)
			if !strings.Contains(waits, "none") {
				require.NotContains(t, waits, "all", "%s started on %s, of which nothing has ended", a.Ref, waits)
			}
		}
	})
}
