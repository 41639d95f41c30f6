package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

// broad has each kind of dependency between jobs of several cadences and zones.
const broad = `workflow: w
defaults: {startTime: "2026-05-01T00:00:00Z", concurrency: 9, action: {type: shell, command: "true"}}
calendars:
  odd: {workDays: [mon, tue, wed, thu, fri], off: ["2026-07-14"]}
jobs:
  hour: {cron: "0 * * * *"}
  half: {cron: "*/30 * * * *"}
  east: {cron: "0 1,5,20 * * *", timeZone: Asia/Shanghai}
  west: {cron: "CRON_TZ=America/New_York 30 21 * * *", dependsOn: [east]}
  office: {cron: "0 5 * * *", calendar: odd}
  day: {cron: "0 6 * * *", dependsOn: [hour, office]}
  near: {cron: "15 * * * *", dependsOn: [{job: half, rule: nearest}]}
  before: {cron: "0 7 * * *", dependsOn: [{job: day, cycle: previous}]}
  chain: {cron: "0 3 * * *", selfDependency: true}
  seldom: {recurrence: {frequency: year, schedule: {hours: [1], minutes: [0]}}, selfDependency: true}
  one: {cron: "10 8 * * *", dependsOn: [{job: hour, select: any}]}
  three: {cron: "20 8 * * *", dependsOn: [{job: hour, select: 3}]}
  some: {cron: "30 8 * * *", dependsOn: [{job: hour, hours: [1, 2, 9]}]}
  ahead: {cron: "40 8 * * *", dependsOn: [{job: half, window: {from: -PT3H, to: PT2H, closed: right}}]}
  ends: {cron: "50 8 * * *", dependsOn: [{job: day, waitPreviousEnd: true, onFailed: run}]}
`

// lived lets some of what is broad have run, fail, wait and be cancelled.
func (d *desk) lived(e *engine.Engine, h *hand) {
	d.Helper()
	d.load(e, broad)
	d.step(e)
	const all = "0..8"
	first := d.backfill(e, engine.BackfillRequest{
		Jobs: []string{"w/hour", "w/half", "w/day", "w/chain", "w/east"}, From: "2026-07-08", To: "2026-07-10", Share: all, IgnoreMissing: true,
	})
	d.turns(e, h, func(a engine.Attempt) engine.Outcome {
		if a.PlanTime.Hour()%6 == 4 {
			return engine.OutcomeFailed
		}
		return engine.OutcomeSucceeded
	})
	require.NotEmpty(d, d.status(e, first).States[engine.Failed])
	again := d.backfill(e, engine.BackfillRequest{Jobs: []string{"w/hour"}, Dates: []string{"2026-07-09"}, Select: []string{"all"}, Share: all})
	d.step(e)
	for n, a := range h.started {
		outcome := engine.OutcomeSucceeded
		if n%2 == 0 {
			outcome = engine.OutcomeFailed
		}
		h.say(a, d.now, outcome, "")
	}
	h.started = nil
	d.step(e)
	_, err := e.CancelBackfill(d.Context(), again, "ana", "", false, d.now)
	require.NoError(d, err)
	d.step(e)
	d.now = d.now.Add(time.Minute)
	d.backfill(e, engine.BackfillRequest{Jobs: []string{"w/half"}, Dates: []string{"2026-07-11"}})
}

// turns lets a server work, and ends what it starts, until it starts nothing more.
func (d *desk) turns(e *engine.Engine, h *hand, outcome func(engine.Attempt) engine.Outcome) {
	d.Helper()
	for {
		d.step(e)
		if len(h.started) == 0 {
			return
		}
		for _, a := range h.started {
			h.say(a, d.now, outcome(a), "")
		}
		h.started = nil
		d.now = d.now.Add(time.Second)
	}
}

var widely = []struct {
	name string
	r    engine.BackfillRequest
}{
	{"all of a week", engine.BackfillRequest{Jobs: []string{"w/day"}, Upstream: "all", Downstream: "all", From: "2026-07-06", To: "2026-07-13"}},
	{"one job alone", engine.BackfillRequest{Jobs: []string{"w/day"}, From: "2026-07-06", To: "2026-07-16"}},
	{"what is missing counts", engine.BackfillRequest{
		Jobs: []string{"w/day", "w/one", "w/three", "w/some"}, From: "2026-07-07", To: "2026-07-09", IgnoreMissing: true, Select: []string{"all"},
	}},
	{"a count of what there is", engine.BackfillRequest{Jobs: []string{"w/one", "w/three", "w/some", "w/ahead"}, From: "2026-07-07", To: "2026-07-12"}},
	{"backwards", engine.BackfillRequest{
		Jobs: []string{"w/before", "w/chain", "w/day", "w/hour", "w/east", "w/west"}, From: "2026-07-08", To: "2026-07-12", Order: "desc",
	}},
	{"what is stale", engine.BackfillRequest{
		Jobs: []string{"w/hour", "w/day", "w/half"}, From: "2026-07-07", To: "2026-07-11", Select: []string{"stale"},
	}},
	{"all, over what ran", engine.BackfillRequest{
		Jobs: []string{"w/hour", "w/day", "w/half", "w/near", "w/before", "w/ends", "w/chain"}, From: "2026-07-07", To: "2026-07-11", Select: []string{"all"},
	}},
	{"days apart", engine.BackfillRequest{
		Jobs: []string{"w/near", "w/ends", "w/ahead", "w/east", "w/west"}, Upstream: "1", Dates: []string{"2026-07-03", "2026-07-09..10", "2026-08-01..02"},
	}},
	{"today", engine.BackfillRequest{Jobs: []string{"w/hour", "w/ahead", "w/one"}, From: "2026-08-02", To: "2026-08-03"}},
	{"far back", engine.BackfillRequest{Jobs: []string{"w/seldom", "w/office", "w/chain"}, Dates: []string{"2024-02-27..03-02", "2026-04-28..05-03"}}},
}

// planText is all that a plan says.
func planText(p *engine.BackfillPlan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %d in %d out %v\n", p.ID, p.Fingerprint, p.In, p.Out, p.Why)
	for _, j := range p.Jobs {
		fmt.Fprintf(&b, "%s %s %s %d %d %s\n", j.Ref, j.Definition, j.Fingerprint, j.In, j.Out, j.Note)
		for _, r := range j.Ranges {
			fmt.Fprintf(&b, "  %s..%s %d %v %s\n", r.From.Format(time.RFC3339), r.To.Format(time.RFC3339), r.Instances, r.In, r.Why)
		}
	}
	for _, i := range p.Instances {
		fmt.Fprintf(&b, "%s@%s %v %s %q %q\n", i.Ref, i.PlanTime.Format(time.RFC3339), i.In, i.Why, i.Text, i.Waits)
	}
	return b.String()
}

// appliedText is what applying a plan has written, in the order of its turn, with what each
// instance waits for.
func (d *desk) appliedText(key string) string {
	d.Helper()
	var b strings.Builder
	require.NoError(d, d.db.Read(d.Context(), func(v engine.View) error {
		list, err := v.OfBackfill(key, "", 1_000_000)
		if err != nil {
			return err
		}
		for n := range list {
			fmt.Fprintf(&b, "%s@%s", list[n].Ref, list[n].PlanTime.Format(time.RFC3339))
			waits, err := v.Waits(list[n].ID)
			if err != nil {
				return err
			}
			for _, w := range waits {
				fmt.Fprintf(&b, " [%d %s %q %d %s..%s %s %s %s]", w.Dependency, w.Ref, w.Key, w.Count, w.First.UTC().Format(time.RFC3339),
					w.Last.UTC().Format(time.RFC3339), w.Select, w.Rule, w.OnMissing)
			}
			b.WriteByte('\n')
		}
		return nil
	}))
	return b.String()
}

// What a plan says is the same in each version of the program: a plan that an earlier one has
// saved, and a backfill that it began to apply, go on. The expected text was written by the version
// that kept every instance in memory.
func TestAPlanIsWhatItWasInEarlierVersions(t *testing.T) {
	d := newDesk(t)
	e, h := d.server("a", d.db, false)
	d.lived(e, h)
	var text strings.Builder
	for _, c := range widely {
		plan, err := e.PlanBackfill(t.Context(), c.r, d.now)
		require.NoError(t, err, c.name)
		fmt.Fprintf(&text, "== %s\n%s", c.name, planText(plan))
	}
	for _, c := range widely {
		plan, err := e.PlanBackfill(t.Context(), c.r, d.now)
		require.NoError(t, err, c.name)
		if plan.In == 0 {
			continue
		}
		fmt.Fprintf(&text, "== applied: %s\n%s", c.name, d.appliedText(d.apply(e, plan)))
		d.now = d.now.Add(time.Second)
	}
	file := filepath.Join("testdata", "backfill_plans.txt")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), text.String())
}
