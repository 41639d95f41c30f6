package engine_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/fault/effort"
)

const pastDay = `workflow: w
defaults: {startTime: "2026-08-01T00:00:00Z"}
jobs:
  load: {recurrence: {frequency: hour}, concurrency: 2, action: {type: shell, command: "true"}}
  quarter: {recurrence: {frequency: minute, interval: 15}, concurrency: 3, action: {type: shell, command: "true"}}
  chain: {recurrence: {frequency: hour}, selfDependency: true, dependsOn: [load], action: {type: shell, command: "true"}}
  sums:
    recurrence: {frequency: day, schedule: {hours: [2, 5, 15], minutes: [30]}}
    dependsOn: [{job: load, onFailed: run}, quarter]
    action: {type: shell, command: "true"}
  some:
    recurrence: {frequency: day, schedule: {hours: [6]}}
    dependsOn: [{job: load, select: 3}, {job: quarter, select: any}]
    action: {type: shell, command: "true"}
  strict:
    recurrence: {frequency: day, schedule: {hours: [7]}}
    dependsOn: [{job: sums, onFailed: cancel}]
    action: {type: shell, command: "true"}
  ask:
    recurrence: {frequency: hour}
    confirm: true
    dependsOn: [load]
    action: {type: none}
  ahead:
    recurrence: {frequency: day, schedule: {hours: [14]}}
    dependsOn: [{job: load, window: {from: PT0S, to: PT12H}}]
    action: {type: none}
  last:
    recurrence: {frequency: day, schedule: {hours: [22]}}
    dependsOn: [ask, strict, {job: chain, waitPreviousEnd: true}]
    action: {type: none}
`

// More of one may run, and another job is gone.
var pastDayLater = regexp.MustCompile(`(?s)  some:.*?(  strict:)`).ReplaceAllString(regexp.MustCompile(`concurrency: 2`).ReplaceAllString(pastDay, `concurrency: 1`), "$1")

// What an explanation as of a time cannot tell, and one of that time did: who carried what out, under which claim, and which row stood there before
// a changed definition planned it anew.
var notTold = regexp.MustCompile(`"(ID|Version|Instance|Owner|Lease|Fence|Unknown|EventIDs)":("[^"]*"|\[[^\]]*\]|null|\d+)`)

func told(t *testing.T, x engine.Explanation) string {
	x.Gates = slices.DeleteFunc(x.Gates, func(g engine.GateExplanation) bool {
		return slices.Contains([]engine.Gate{engine.GatePool, engine.GateSlot, engine.GateWorker, engine.GateDisk}, g.Gate)
	})
	text, err := json.MarshalIndent(x, "", " ")
	require.NoError(t, err)
	return notTold.ReplaceAllString(string(regexp.MustCompile(`": `).ReplaceAll(text, []byte(`":`))), "")
}

// A day on which attempts succeed and fail at times made up of a seed, people confirm, cancel and trigger, and definitions change. Whatever was explained
// of it while it went on is explained the same way afterwards, as of then.
func TestAsOfThenIsWhatWasExplainedThen(t *testing.T) {
	for seed := range effort.Of(1, 3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			chance := func(n int, what ...any) bool {
				h := fnv.New32a()
				fmt.Fprint(h, append(what, seed))
				return h.Sum32()%100 < uint32(n)
			}
			d := newDesk(t)
			e, hand := d.server("one", d.db, false)
			d.load(e, pastDay)
			type explained struct {
				id   int64
				at   time.Time
				text string
			}
			var seen []explained
			detached, followed := 0, 0
			live := map[int64]engine.Attempt{}
			begin := d.now
			for n := 0; d.now.Before(begin.Add(27 * time.Hour)); n++ {
				d.now = begin.Add(time.Duration(n) * 11 * time.Minute)
				if n == 70 {
					d.load(e, pastDayLater)
				}
				if n == 100 {
					d.load(e, pastDay)
				}
				d.step(e)
				for _, a := range hand.started {
					live[a.ID] = a
				}
				hand.started = nil
				ended := 0
				for id, a := range live {
					if !chance(25, "end", id, n) {
						continue
					}
					delete(live, id)
					ended++
					result := engine.Result{Attempt: id, Outcome: engine.OutcomeSucceeded, StartedAt: a.StartedAt, EndedAt: d.now}
					if chance(12, "fail", id) {
						one := 1
						result.Outcome, result.Exit = engine.OutcomeFailed, &one
					}
					hand.done[id](result)
				}
				var all []engine.Instance
				require.NoError(t, d.db.Read(t.Context(), func(v engine.View) (err error) {
					jobs, err := v.Jobs()
					for _, job := range jobs {
						list, err := v.Range(engine.RangeQuery{Job: job.ID, From: begin.Add(-time.Hour), To: begin.Add(50 * time.Hour), Limit: 1000})
						if err != nil {
							return err
						}
						all = append(all, list...)
					}
					return err
				}))
				for _, i := range all {
					switch {
					case i.State != engine.Waiting:
					case i.Gate == engine.GateConfirm && chance(30, "confirm", i.ID, n), i.Ref.Job == "ask" && i.Confirmed == "" && chance(2, "early", i.ID, n):
						_, err := e.Confirm(t.Context(), i.ID, "ann", d.now)
						require.NoError(t, err)
					case i.Gate == engine.GateDependency && chance(4, "detach", i.ID, n) &&
						detachFirst(t, e, d, i):
						detached++
					case i.Gate != engine.GateTime && chance(1, "cancel", i.ID, n):
						_, err := e.Cancel(t.Context(), i.ID, "ann", "not today", d.now)
						require.NoError(t, err)
					}
				}
				if chance(10, "trigger", n) {
					_, _, err := e.Trigger(t.Context(), engine.TriggerRequest{Ref: engine.JobRef{Workflow: "w", Job: "load"}, Actor: "ann"}, d.now)
					require.NoError(t, err)
				}
				d.step(e)
				for _, a := range hand.started {
					live[a.ID] = a
				}
				hand.started = nil
				d.now = d.now.Add(time.Second)
				for _, i := range all {
					if chance(1, "explain", i.ID, n) || i.State == engine.Waiting && i.Gate != engine.GateTime && chance(8, "explain", i.ID, n) {
						x, err := e.Explain(t.Context(), i.ID, d.now)
						if err == nil {
							seen = append(seen, explained{i.ID, d.now, told(t, x)})
							followed += listedAsExplained(t, e, x)
						}
					}
				}
			}
			require.Greater(t, len(seen), 100)
			require.Positive(t, detached, "nothing was detached")
			require.Greater(t, followed, 20, "few wait for what has a state")
			gone := 0
			for _, s := range seen {
				x, err := e.ExplainInstance(t.Context(), engine.ExplainRequest{ID: s.id, At: s.at}, d.now)
				if err != nil {
					require.ErrorIs(t, err, engine.ErrNotFound)
					gone++ // its row was planned away
					continue
				}
				was, is := strings.Split(s.text, "\n"), strings.Split(told(t, x), "\n")
				if slices.Equal(was, is) {
					continue
				}
				n := 0
				for n < min(len(was), len(is)) && was[n] == is[n] {
					n++
				}
				t.Fatalf("%s at %s is explained otherwise, after\n%s\nthen\n%s\nand now\n%s", x.Instance.Name(), s.at,
					strings.Join(was[max(0, n-8):n], "\n"), strings.Join(was[n:min(n+3, len(was))], "\n"), strings.Join(is[n:min(n+3, len(is))], "\n"))
			}
			require.Less(t, gone, len(seen)/3)
			t.Logf("%d explanations, %d of instances that were planned away", len(seen), gone)
		})
	}
}

// detachFirst takes the first upstream instance that is there out of what an instance waits for.
func detachFirst(t *testing.T, e *engine.Engine, d *desk, i engine.Instance) bool {
	up := int64(0)
	require.NoError(t, d.db.Read(t.Context(), func(v engine.View) error {
		waits, err := v.Waits(i.ID)
		for n := range waits {
			w := &waits[n]
			if w.Count == 0 || w.Upstream == i.Job || up != 0 {
				continue
			}
			list, err := v.Range(engine.RangeQuery{
				Job: w.Upstream, Key: w.Key, From: w.First, To: w.Last, Limit: 1,
			})
			if err != nil {
				return err
			}
			if len(list) > 0 {
				up = list[0].ID
			}
		}
		return err
	}))
	if up == 0 {
		return false
	}
	_, err := e.Operate(t.Context(), engine.OperationRequest{
		Operation: engine.OperateDetach, Selector: fmt.Sprint("id:", i.ID), Actor: "ann",
		Options: engine.OperationOptions{Upstream: fmt.Sprint(up)},
	}, d.now)
	if err != nil {
		require.ErrorIs(t, err, engine.ErrConflict)
	}
	return err == nil
}

// listedAsExplained holds the reason that a list shows of an instance that waits for another
// against the explanation, which looks at everything anew. It returns how many it compared.
func listedAsExplained(t *testing.T, e *engine.Engine, x engine.Explanation) int {
	for _, g := range x.Gates {
		if x.Instance.Gate != engine.GateDependency || g.Gate != engine.GateDependency || g.Open ||
			g.Reason.State == "" {
			continue
		}
		list := []engine.Instance{x.Instance}
		require.NoError(t, e.Follow(t.Context(), list))
		require.Equal(t, g.Reason.Describe(), list[0].Reason.Describe(), "%s", x.Instance.Name())
		return 1
	}
	return 0
}
