package invariant_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/fault/effort"
	"github.com/almanac-sched/almanac/engine/invariant"
)

// everything is a folder that uses what the invariants speak of.
const everything = `
workflow: w
timeZone: Europe/Berlin
calendars:
  work: {workDays: [mon, tue, wed, thu, fri]}
jobs:
  beat: {cron: "*/10 * * * *", action: {type: none}}
  hourly: {cron: "5 * * * *", concurrency: 2, spread: PT3M, action: {type: shell, command: "true", retryPolicy: {retryType: fixed, retryCount: 2, retryInterval: PT30S}}}
  fails: {cron: "7 * * * *", action: {type: shell, command: "false"}, errorAction: {type: shell, command: "true"}}
  held: {cron: "*/20 * * * *", onLost: hold, pool: narrow, slots: 1, action: {type: shell, command: "true"}}
  narrow: {cron: "*/20 * * * *", pool: narrow, slots: 1, overlap: skip, action: {type: shell, command: "true"}}
  after: {cron: "30 */2 * * *", dependsOn: [{job: hourly, window: {from: -PT2H, to: PT0S, closed: right}, onFailed: run}, {job: beat, rule: nearest}], action: {type: shell, command: "true"}}
  some: {cron: "40 */3 * * *", dependsOn: [{job: fails, window: {from: -PT3H, to: PT0S, closed: right}, select: any, onFailed: run}], action: {type: none}}
  daily: {startTime: 2026-01-01T00:00:00, recurrence: {frequency: day, schedule: {hours: [2, 12], minutes: [30]}}, calendar: work, dependsOn: [hourly, {job: self, cycle: previous}], steps: {a: {type: shell, command: "true"}, b: {type: shell, command: "true", needs: [a], onFailure: continue}, c: {type: none, needs: [b]}}}
  strict: {cron: "15 6 * * *", dependsOn: [{job: fails, onFailed: cancel}], action: {type: shell, command: "true"}}
  person: {cron: "0 9 * * *", confirm: true, action: {type: shell, command: "true"}}
  report: {cron: "0 3 * * *", dependsOn: [fails], action: {type: shell, command: "true"}}
  reader: {cron: "10 3 * * *", dependsOn: [report], action: {type: shell, command: "true"}}
  demand: {trigger: manual, params: {n: {type: integer, default: "1"}}, action: {type: shell, command: "true"}}
`

// folder is everything, of which what is due most often is due less often where the tests are
// quick.
func folder() string {
	if effort.Long() {
		return everything
	}
	return strings.NewReplacer("*/10 * * * *", "10,40 * * * *", "*/20 * * * *", "10,40 * * * *").Replace(everything)
}

// week is the days around the end of summer time, with crashes, changes of the definitions, what people do, and retention of three days.
func week(t *testing.T) *world {
	begin := time.Date(2026, 10, 21, 13, 30, 0, 0, time.UTC)
	w := newWorld(t, begin)
	ctx := context.Background()
	w.load(read(t, map[string]string{"w.yaml": folder()}))
	w.until(begin.Add(20 * time.Hour))
	w.crash()
	w.until(begin.Add(31*time.Hour + 11*time.Second))
	w.until(begin.Add(48 * time.Hour))
	w.crash()
	w.until(begin.Add(60 * time.Hour))

	// A job changes its times, one goes and comes back, the server is down for a day.
	edited := read(t, map[string]string{"w.yaml": folder(), "x.yaml": "workflow: x\njobs:\n  guest: {cron: '*/30 * * * *', action: {type: none}}\n"})
	w.load(edited)
	w.until(w.now.Add(3 * time.Hour))
	w.load(read(t, map[string]string{"w.yaml": folder()}))
	w.until(w.now.Add(5 * time.Hour))
	w.load(edited)
	w.until(w.now.Add(2 * time.Hour))
	w.now = w.now.Add(26 * time.Hour)
	w.crash()
	w.until(begin.Add(5*24*time.Hour - 6*time.Hour))

	i, _, err := w.e.Trigger(ctx, engine.TriggerRequest{Ref: engine.JobRef{Workflow: "w", Job: "demand"}, Actor: "ann"}, w.now)
	require.NoError(t, err)
	w.until(w.now.Add(time.Second))
	_, err = w.e.Cancel(ctx, i.ID, "ann", "", w.now)
	require.NoError(t, err)
	w.until(w.now.Add(time.Hour))
	require.NoError(t, w.db.Read(ctx, func(v engine.View) error {
		jobs, err := v.Jobs()
		for _, j := range jobs {
			if j.Ref.Job == "person" {
				waiting, err := v.Waiting(j.ID)
				require.NoError(t, err)
				i = waiting[0]
			}
		}
		return err
	}))
	_, err = w.e.Confirm(ctx, i.ID, "bob", w.now)
	require.NoError(t, err)
	w.until(begin.Add(5*24*time.Hour + 10*time.Minute + 5*time.Second))
	return w
}

func TestWeek(t *testing.T) {
	w := week(t)
	t.Run("a clean one has no violation", func(t *testing.T) { isClean(t, w) })
	w.close()
	t.Run("every planted violation is found", func(t *testing.T) { everyPlantedViolationIsFound(t, w) })
	t.Run("what is harmless is not found", func(t *testing.T) { whatIsHarmlessIsNotFound(t, w) })
}

func isClean(t *testing.T, w *world) {
	r := w.clean()
	t.Logf("%+v", r)
	for _, name := range invariant.Invariants {
		require.Positive(t, r.Checked[name], "%s was never looked at: the week proves nothing about it", name)
	}
	require.Greater(t, r.Instances, effort.Of(700, 1000))

	// Bounded to the open rows and the last day it finds nothing either, and reads less.
	o := w.options()
	o.Since = w.now.Add(-24 * time.Hour)
	part, err := invariant.Check(context.Background(), w.db, o)
	require.NoError(t, err)
	require.Empty(t, part.Violations)
	require.Less(t, part.Instances, r.Instances/2)
	require.Less(t, part.Events, r.Events/2)
}
