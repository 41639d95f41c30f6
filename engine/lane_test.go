package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

// backfill plans and applies, and returns the key.
func (d *desk) backfill(e *engine.Engine, r engine.BackfillRequest) string {
	d.Helper()
	plan, err := e.PlanBackfill(d.Context(), r, d.now)
	require.NoError(d, err)
	return d.apply(e, plan)
}

func (d *desk) apply(e *engine.Engine, plan *engine.BackfillPlan) string {
	d.Helper()
	b, created, err := e.ApplyBackfill(d.Context(), engine.BackfillApplication{
		ID: plan.ID, At: plan.At, Fingerprint: plan.Fingerprint, Request: plan.Request, Jobs: plan.Jobs, Actor: "ana", Note: "repaired",
	}, d.now)
	require.NoError(d, err)
	require.True(d, created)
	d.bulk(e)
	return b.Key
}

// bulk carries on what is under way in many short transactions until nothing is.
func (d *desk) bulk(e *engine.Engine) {
	d.Helper()
	for {
		more, err := e.Bulk(d.Context(), d.now)
		require.NoError(d, err)
		if !more {
			return
		}
	}
}

func (d *desk) status(e *engine.Engine, key string) engine.BackfillStatus {
	d.Helper()
	s, err := e.Backfill(d.Context(), key, d.now)
	require.NoError(d, err)
	return s
}

// starts lists what a hand has started since it was last asked, as job@day, and ends all of it.
func (d *desk) starts(h *hand) (names []string) {
	for _, a := range h.started {
		names = append(names, fmt.Sprintf("%s@%s", a.Ref.Job, a.PlanTime.Format("01-02T15")))
		h.end(a.ID, d.now)
	}
	h.started = nil
	return names
}

const days = `workflow: w
defaults: {startTime: "2026-07-01T00:00:00Z"}
jobs:
  load: {cron: "0 2 * * *", concurrency: 9, action: {type: shell, command: "true"}}
  sum: {cron: "0 6 * * *", concurrency: 9, dependsOn: [load], action: {type: shell, command: "true"}}
`

func TestABackfillBindsToItselfAndThenToWhatIsRecorded(t *testing.T) {
	d := newDesk(t)
	e, h := d.server("a", d.db, false)
	d.load(e, days)
	d.step(e)
	first := d.backfill(e, engine.BackfillRequest{Jobs: []string{"w/load", "w/sum"}, From: "2026-07-10", To: "2026-07-11", Share: "0..8"})
	d.step(e)
	require.Equal(t, []string{"load@07-10T02", "load@07-11T02"}, d.starts(h), "each sum waits for the load of its day")
	d.step(e)
	require.Equal(t, []string{"sum@07-10T06", "sum@07-11T06"}, d.starts(h))
	d.step(e)
	require.Equal(t, engine.BackfillEnded, d.status(e, first).Stage)

	plan, err := e.PlanBackfill(t.Context(), engine.BackfillRequest{Jobs: []string{"w/sum"}, From: "2026-07-10", To: "2026-07-12", Select: []string{"all"}}, d.now)
	require.NoError(t, err)
	require.Equal(t, map[string]int{"satisfied": 2, "upstream-missing": 1}, plan.Why)
	require.Equal(t, []string{"w/load@2026-07-10T02:00:00Z (natural-day): as recorded by " + first}, plan.Instances[0].Waits)
	require.Contains(t, plan.Instances[2].Text, "nothing is recorded of w/load@2026-07-12T02:00:00Z")
	d.apply(e, plan)
	d.step(e)
	require.Equal(t, []string{"sum@07-10T06", "sum@07-11T06"}, d.starts(h))
	d.step(e)

	// What ended before its upstream did is stale, and so is what an older definition made.
	d.now = d.now.Add(time.Minute)
	d.backfill(e, engine.BackfillRequest{Jobs: []string{"w/load"}, Dates: []string{"2026-07-11"}, Select: []string{"all"}})
	d.step(e)
	d.starts(h)
	d.step(e)
	plan, err = e.PlanBackfill(t.Context(), engine.BackfillRequest{Jobs: []string{"w/sum"}, From: "2026-07-10", To: "2026-07-11", Select: []string{"stale"}}, d.now)
	require.NoError(t, err)
	require.Equal(t, map[string]int{"satisfied": 1, "stale": 1}, plan.Why)
	require.Equal(t, "it ended before w/load@2026-07-11T02:00:00Z did", plan.Instances[1].Text)
	d.load(e, strings.Replace(days, `action: {type: shell, command: "true"}}
  sum`, `action: {type: shell, command: "false"}}
  sum`, 1))
	plan, err = e.PlanBackfill(t.Context(), engine.BackfillRequest{Jobs: []string{"w/load"}, From: "2026-07-10", To: "2026-07-11", Select: []string{"stale"}}, d.now)
	require.NoError(t, err)
	require.Equal(t, 2, plan.In)
	require.Equal(t, "it was made by an older version of the definition", plan.Instances[0].Text)
}

func TestTheOrderOfABackfill(t *testing.T) {
	for name, c := range map[string]struct {
		request engine.BackfillRequest
		want    []string // what starts together
	}{
		"one at once, the earliest day first": {engine.BackfillRequest{Parallel: 1}, []string{"load@07-10T02", "sum@07-10T06", "load@07-11T02", "sum@07-11T06", "load@07-12T02", "sum@07-12T06"}},
		"the latest day first":                {engine.BackfillRequest{Parallel: 1, Order: "desc"}, []string{"load@07-12T02", "sum@07-12T06", "load@07-11T02", "sum@07-11T06", "load@07-10T02", "sum@07-10T06"}},
		"day by day":                          {engine.BackfillRequest{ByDay: true}, []string{"load@07-10T02", "sum@07-10T06", "load@07-11T02", "sum@07-11T06", "load@07-12T02", "sum@07-12T06"}},
		"as many as the share lets":           {engine.BackfillRequest{}, []string{"load@07-10T02 load@07-11T02 load@07-12T02", "sum@07-10T06 sum@07-11T06 sum@07-12T06"}},
		"two at once":                         {engine.BackfillRequest{Parallel: 2}, []string{"load@07-10T02 load@07-11T02", "sum@07-10T06 sum@07-11T06", "load@07-12T02", "sum@07-12T06"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			e, h := d.server("a", d.db, false)
			d.load(e, days)
			r := c.request
			r.Jobs, r.From, r.To, r.Share = []string{"w/load", "w/sum"}, "2026-07-10", "2026-07-12", "1..8"
			key := d.backfill(e, r)
			var got []string
			for range 20 {
				d.step(e)
				if names := d.starts(h); names != nil {
					got = append(got, strings.Join(names, " "))
				}
			}
			require.ElementsMatch(t, c.want, got)
			require.Equal(t, c.want[0], got[0])
			require.Equal(t, c.want[len(c.want)-1], got[len(got)-1])
			require.Equal(t, engine.BackfillEnded, d.status(e, key).Stage)
		})
	}
}

// What the lane has room for and the job has not is kept in the order of the backfill, not of the plan times.
func TestABackfillOfOneAtATimeKeepsItsOrder(t *testing.T) {
	for name, c := range map[string]struct {
		request engine.BackfillRequest
		want    []string
	}{
		"the earliest first":        {engine.BackfillRequest{Parallel: 2}, []string{"load@07-10T02", "load@07-11T02", "load@07-12T02", "load@07-13T02", "load@07-14T02"}},
		"the latest first":          {engine.BackfillRequest{Parallel: 2, Order: "desc"}, []string{"load@07-14T02", "load@07-13T02", "load@07-12T02", "load@07-11T02", "load@07-10T02"}},
		"as many as the share lets": {engine.BackfillRequest{Order: "desc"}, []string{"load@07-14T02", "load@07-13T02", "load@07-12T02", "load@07-11T02", "load@07-10T02"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			e, h := d.server("a", d.db, false)
			d.load(e, strings.ReplaceAll(days, "concurrency: 9, ", ""))
			r := c.request
			r.Jobs, r.From, r.To, r.Share = []string{"w/load"}, "2026-07-10", "2026-07-14", "1..8"
			key := d.backfill(e, r)
			var got []string
			for range 20 {
				d.step(e)
				got = append(got, d.starts(h)...)
			}
			require.Equal(t, c.want, got)
			require.Equal(t, engine.BackfillEnded, d.status(e, key).Stage)
		})
	}
}

// How long a backfill will take is told by what it has run itself, of a job that never ran by its own rule too.
func TestTheTimeLeftOfABackfillIsOfWhatItTookSoFar(t *testing.T) {
	d := newDesk(t)
	e, h := d.server("a", d.db, false)
	d.load(e, days)
	key := d.backfill(e, engine.BackfillRequest{Jobs: []string{"w/load"}, From: "2026-07-10", To: "2026-07-13", Parallel: 1})
	require.False(t, d.status(e, key).Known, "nothing of it has ended")
	d.step(e)
	d.now = d.now.Add(7 * time.Minute)
	d.starts(h)
	d.step(e)
	s := d.status(e, key)
	require.True(t, s.Known)
	require.Equal(t, 21*time.Minute, s.Left, "three that are left, one at once")
}

// Where a job lets one run at once, or waits for itself, more room does not make its backfill quicker.
func TestTheTimeLeftOfABackfillFollowsTheJobs(t *testing.T) {
	d := newDesk(t)
	e, h := d.server("a", d.db, false)
	d.load(e, `workflow: w
defaults: {startTime: "2026-07-01T00:00:00Z", action: {type: shell, command: "true"}}
jobs:
  alone: {cron: "0 2 * * *"}
  chain: {cron: "0 2 * * *", concurrency: 9, selfDependency: true}`)
	for _, job := range []string{"w/alone", "w/chain"} {
		key := d.backfill(e, engine.BackfillRequest{Jobs: []string{job}, From: "2026-07-10", To: "2026-07-13", Share: "0..4", IgnoreMissing: true})
		d.step(e)
		d.now = d.now.Add(7 * time.Minute)
		d.starts(h)
		d.step(e)
		require.Equal(t, 21*time.Minute, d.status(e, key).Left, "three that are left of %s, one after the other", job)
		_, err := e.CancelBackfill(t.Context(), key, "ann", "", true, d.now)
		require.NoError(t, err)
	}
}

func TestABackfillSaysWhatWouldTakeInWhatIsMissing(t *testing.T) {
	d := newDesk(t)
	e, _ := d.server("a", d.db, false)
	d.load(e, `workflow: w
defaults: {startTime: "2026-07-01T00:00:00Z", action: {type: none}}
jobs:
  chain: {cron: "0 2 * * *", selfDependency: true}
  after: {cron: "0 3 * * *", dependsOn: [chain]}`)
	why := func(job string) (texts []string) {
		p, err := e.PlanBackfill(t.Context(), engine.BackfillRequest{Jobs: []string{job}, From: "2026-07-10", To: "2026-07-11"}, d.now)
		require.NoError(t, err)
		for _, i := range p.Instances {
			texts = append(texts, i.Text)
		}
		return texts
	}
	require.Equal(t, []string{
		"nothing is recorded of w/chain@2026-07-09T02:00:00Z, a day that this backfill does not have; take that in (--from), or count it as satisfied (--ignore-missing)",
		"nothing is recorded of w/chain@2026-07-10T02:00:00Z, which is out itself; see why it is, or count it as satisfied (--ignore-missing)",
	}, why("w/chain"))
	require.Equal(t, "nothing is recorded of w/chain@2026-07-10T02:00:00Z; backfill it too (--upstream), or count it as satisfied (--ignore-missing)", why("w/after")[0])
}

func TestABackfillStartsOnlyInItsWindow(t *testing.T) {
	d := newDesk(t)
	d.now = time.Date(2026, 8, 3, 7, 0, 0, 0, time.UTC)
	e, h := d.server("a", d.db, false)
	d.load(e, days)
	d.step(e)
	d.starts(h)
	key := d.backfill(e, engine.BackfillRequest{Jobs: []string{"w/load"}, From: "2026-07-10", To: "2026-07-12", Parallel: 1, Window: "22:00-06:00 UTC"})
	d.step(e)
	require.Empty(t, d.starts(h))
	require.Equal(t, "its window 22:00-06:00 UTC opens at 2026-08-03T22:00:00Z", d.status(e, key).Why)
	next, _, err := e.Step(t.Context(), d.now)
	require.NoError(t, err)
	require.False(t, next.After(time.Date(2026, 8, 3, 22, 0, 0, 0, time.UTC)))
	d.now = time.Date(2026, 8, 3, 22, 0, 0, 0, time.UTC)
	d.step(e)
	require.Equal(t, []string{"load@07-10T02"}, d.starts(h))
	d.now = time.Date(2026, 8, 4, 6, 0, 0, 0, time.UTC)
	d.step(e)
	for _, name := range d.starts(h) {
		require.NotContains(t, name, "@07-")
	}
}

func TestTheWindowOfALane(t *testing.T) {
	at := func(text string) time.Time {
		at, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		return at
	}
	for _, c := range []struct{ window, now, opens string }{
		{"22:00-06:00 UTC", "2026-10-01T21:59:59Z", "2026-10-01T22:00:00Z"},
		{"22:00-06:00 UTC", "2026-10-01T22:00:00Z", "2026-10-01T22:00:00Z"},
		{"22:00-06:00 UTC", "2026-10-02T05:59:59Z", "2026-10-02T05:59:59Z"},
		{"22:00-06:00 UTC", "2026-10-02T06:00:00Z", "2026-10-02T22:00:00Z"},
		{"08:00-24:00", "2026-10-02T23:59:59Z", "2026-10-02T23:59:59Z"},
		{"02:00-04:00 Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T01:00:00Z"}, // 02:00 does not exist: clocks go to 03:00
		{"02:00-03:00 Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-25T00:30:00Z"}, // and there it is twice
	} {
		w, err := engine.ParseLaneWindow(c.window)
		require.NoError(t, err)
		require.Equal(t, at(c.opens).UTC(), w.Opens(at(c.now)).UTC(), "%s at %s", c.window, c.now)
	}
}

// F25: a day that wants more than there are slots does not keep a backfill from going on, nor the other way round.
func TestNeitherStarvesTheOther(t *testing.T) {
	const busy = `workflow: w
defaults: {startTime: "2026-07-01T00:00:00Z", concurrency: 99, misfire: runAll}
jobs:
  old: {cron: "0 2 * * *", action: {type: shell, command: "true"}}
  a: {recurrence: {frequency: minute}, POOL action: {type: shell, command: "true"}}
  b: {recurrence: {frequency: minute}, POOL action: {type: shell, command: "true"}}
  c: {recurrence: {frequency: minute}, POOL action: {type: shell, command: "true"}}
`
	for name, c := range map[string]struct {
		slots, minutes           int
		pool                     string
		request                  engine.BackfillRequest
		atLeastOld, atLeastOther int
	}{
		"a day that is too much":                                {2, 20, "", engine.BackfillRequest{}, 20, 20},
		"one slot is taken in turns":                            {1, 20, "", engine.BackfillRequest{}, 9, 9},
		"a backfill that is too much, and goes first":           {2, 15, "", engine.BackfillRequest{Priority: 9, Share: "1..2"}, 15, 15},
		"a backfill that wants everything":                      {4, 7, "", engine.BackfillRequest{Priority: 9, Share: "4..4"}, 7, 7},
		"a backfill without a floor takes what is left":         {4, 7, "", engine.BackfillRequest{Share: "0..4"}, 7, 20},
		"a day that fits leaves the rest of a backfill's share": {8, 6, "", engine.BackfillRequest{Share: "1..4"}, 24, 17},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.now = time.Date(2026, 8, 3, 10, 0, 0, 0, time.UTC)
			h := &hand{}
			e, err := engine.New(d.config("a", h, func(cfg *engine.Config) { cfg.Slots = c.slots }))
			require.NoError(t, err)
			d.load(e, strings.ReplaceAll(busy, "POOL", c.pool))
			d.step(e)
			r := c.request
			r.Jobs, r.From, r.To = []string{"w/old"}, "2026-07-01", "2026-07-31"
			d.backfill(e, r)
			old, other := 0, 0
			for range c.minutes {
				d.now = d.now.Add(time.Minute)
				d.step(e)
				require.LessOrEqual(t, len(h.started), c.slots)
				for _, name := range d.starts(h) {
					if strings.HasPrefix(name, "old") {
						old++
					} else {
						other++
					}
				}
			}
			require.GreaterOrEqual(t, old, min(31, c.atLeastOld), "the backfill")
			require.GreaterOrEqual(t, other, c.atLeastOther, "the day")
		})
	}
}

// The same with one place in a pool that both need.
func TestNeitherStarvesTheOtherInAPool(t *testing.T) {
	d := newDesk(t)
	d.now = time.Date(2026, 8, 3, 10, 0, 0, 0, time.UTC)
	e, h := d.server("a", d.db, false)
	d.load(e, `workflow: w
defaults: {startTime: "2026-07-01T00:00:00Z", concurrency: 99, pool: tight, slots: 1}
jobs:
  old: {cron: "0 2 * * *", action: {type: shell, command: "true"}}
  a: {recurrence: {frequency: minute}, action: {type: shell, command: "true"}}
  b: {recurrence: {frequency: minute}, action: {type: shell, command: "true"}}
`)
	d.step(e)
	d.backfill(e, engine.BackfillRequest{Jobs: []string{"w/old"}, From: "2026-07-01", To: "2026-07-31"})
	got := map[string]int{}
	for range 20 {
		d.now = d.now.Add(time.Minute)
		d.step(e)
		for _, name := range d.starts(h) {
			got[name[:1]]++
		}
	}
	require.GreaterOrEqual(t, got["o"], 8, "%v", got)
	require.GreaterOrEqual(t, got["a"]+got["b"], 8, "%v", got)
}

// A year of a job that waits for itself and does nothing ends within a few turns.
func TestALongChainEndsAtOnce(t *testing.T) {
	d := newDesk(t)
	e, _ := d.server("a", d.db, false)
	d.load(e, `workflow: w
jobs:
  chain: {cron: "0 2 * * *", startTime: "2025-08-01T00:00:00Z", selfDependency: true, action: {type: none}}
`)
	key := d.backfill(e, engine.BackfillRequest{Jobs: []string{"w/chain"}, From: "2025-08-01", To: "2026-07-31", Parallel: 1})
	require.Equal(t, 365, d.status(e, key).Options.Instances)
	turns := 0
	for ; d.status(e, key).Stage == engine.BackfillRunning; turns++ {
		_, _, err := e.Step(t.Context(), d.now)
		require.NoError(t, err)
		require.Less(t, turns, 10)
	}
	require.Equal(t, 365, d.status(e, key).States[engine.Succeeded])
}

// Cancelling is one write, whatever the backfill holds; what waits is cancelled page by page, and what runs only when that was asked for.
func TestCancellingABackfill(t *testing.T) {
	d := newDesk(t)
	e, h := d.server("a", d.db, false)
	d.load(e, strings.ReplaceAll(days, "2026-07-01", "2023-01-01"))
	key := d.backfill(e, engine.BackfillRequest{Jobs: []string{"w/load"}, From: "2023-01-01", To: "2026-07-31", Share: "1..2"})
	d.step(e)
	require.Len(t, h.started, 2)
	_, err := e.CancelBackfill(t.Context(), key, "ana", "wrong years", false, d.now)
	require.NoError(t, err)
	d.step(e)
	s := d.status(e, key)
	require.Equal(t, map[engine.State]int{engine.Running: 2, engine.Cancelled: s.Options.Instances - 2}, s.States)
	require.Equal(t, engine.BackfillCancelling, s.Stage)
	require.Empty(t, h.cancelled)
	_, err = e.CancelBackfill(t.Context(), key, "ana", "all of it", true, d.now)
	require.NoError(t, err)
	d.step(e)
	d.step(e) // the loop is told by the turn that has written it
	require.Len(t, h.cancelled, 2)
	d.starts(h)
	d.step(e)
	require.Equal(t, engine.BackfillCancelled, d.status(e, key).Stage)
	_, err = e.ResumeBackfill(t.Context(), key, "ana", "", d.now)
	require.ErrorIs(t, err, engine.ErrConflict)
}

// What a person runs again of a backfill that is over opens it in the same write, also when it cannot start: it stands in a lane that can be paused and
// cancelled.
func TestARerunOpensItsBackfill(t *testing.T) {
	d := newDesk(t)
	e, h := d.server("a", d.db, false)
	d.load(e, days)
	key := d.backfill(e, engine.BackfillRequest{Jobs: []string{"w/load"}, From: "2026-07-01", To: "2026-07-01", Downstream: "all"})
	d.step(e)
	d.starts(h)
	d.step(e)
	d.starts(h)
	d.step(e)
	require.Equal(t, engine.BackfillEnded, d.status(e, key).Stage)
	rerun := func(name string) {
		var ids []int64
		require.NoError(t, d.db.Read(t.Context(), func(v engine.View) error {
			list, err := v.BackfillInstances(key, engine.Succeeded, "", 9)
			for _, i := range list {
				if i.Ref.Job == name {
					ids = append(ids, i.ID)
				}
			}
			return err
		}))
		_, err := e.Operate(t.Context(), engine.OperationRequest{Operation: engine.OperateRerun, IDs: ids, Actor: "ana"}, d.now)
		require.NoError(t, err)
	}
	rerun("load")
	s := d.status(e, key)
	require.Equal(t, engine.BackfillRunning, s.Stage)
	require.Zero(t, s.EndedAt)
	require.Equal(t, "ana", s.Reason.Actor)
	_, err := e.PauseBackfill(t.Context(), key, "ana", "", d.now)
	require.NoError(t, err)
	rerun("sum") // waits for load, in a lane that is paused
	d.step(e)
	require.Empty(t, h.started)
	require.Equal(t, engine.BackfillPaused, d.status(e, key).Stage)
	_, err = e.CancelBackfill(t.Context(), key, "ana", "", false, d.now)
	require.NoError(t, err)
	d.step(e)
	require.Equal(t, engine.BackfillCancelled, d.status(e, key).Stage)
	require.Equal(t, map[engine.State]int{engine.Cancelled: 2}, d.status(e, key).States)
}

// What a paused backfill keeps does not keep the turn of its job: what is due by itself starts.
func TestAPausedBackfillGivesItsTurnAway(t *testing.T) {
	d := newDesk(t)
	e, h := d.server("a", d.db, false)
	d.load(e, strings.ReplaceAll(days, "concurrency: 9, ", ""))
	d.step(e)
	key := d.backfill(e, engine.BackfillRequest{Jobs: []string{"w/load"}, From: "2026-07-01", To: "2026-07-03", Share: "2..2", Priority: 9})
	d.step(e)
	require.Len(t, h.started, 1)
	_, err := e.PauseBackfill(t.Context(), key, "ana", "", d.now)
	require.NoError(t, err)
	_, _, err = e.Trigger(t.Context(), engine.TriggerRequest{Ref: engine.JobRef{Workflow: "w", Job: "load"}, Actor: "ana"}, d.now)
	require.NoError(t, err)
	d.step(e)
	d.starts(h)
	d.step(e)
	d.step(e)
	require.Len(t, h.started, 1, "of the backfill nothing starts, and what was triggered does")
	require.Equal(t, 2, d.status(e, key).States[engine.Waiting])
}

// Another server goes on with a backfill, and no more of it runs on two than on one.
func TestABackfillOnTwoServers(t *testing.T) {
	d := newDesk(t)
	a, ha := d.server("a", d.db, true)
	b, hb := d.server("b", d.db, true)
	d.load(a, days)
	key := d.backfill(a, engine.BackfillRequest{Jobs: []string{"w/load"}, From: "2026-07-01", To: "2026-07-31", Parallel: 3, Share: "1..2"})
	d.step(a)
	d.step(b)
	require.Len(t, ha.started, 2, "its share of the first server")
	require.Len(t, hb.started, 1, "three at once on both")
	d.starts(hb)
	d.now = d.now.Add(10 * time.Minute) // a stands still for longer than its lease
	d.step(b)
	require.Equal(t, 3, d.status(b, key).States[engine.Running]+d.status(b, key).States[engine.Succeeded])
	var names []string
	require.NoError(t, d.db.Read(context.Background(), func(v engine.View) error {
		running, err := v.Running()
		for _, i := range running {
			names = append(names, i.Owner)
		}
		return err
	}))
	require.NotContains(t, names, "a")
}
