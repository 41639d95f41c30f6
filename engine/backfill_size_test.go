package engine_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

// large has jobs that are due each minute, and some that wait for others.
const large = `workflow: w
defaults: {startTime: "2020-01-01T00:00:00Z", concurrency: 9, action: {type: shell, command: "true"}}
jobs:
  minute: {cron: "* * * * *"}
  after: {cron: "* * * * *", dependsOn: [minute]}
  hourly: {cron: "0 * * * *", dependsOn: [minute]}
`

// What is said of a plan that is of one mind does not grow with its instances.
func TestALongPlanIsNoLargerThanAShortOne(t *testing.T) {
	d := newDesk(t)
	e, _ := d.server("a", d.db, false)
	d.load(e, large)
	d.step(e)
	size := func(from string) (instances, bytes int) {
		plan, err := e.PlanBackfillPart(t.Context(), engine.BackfillRequest{
			Jobs: []string{"w/minute", "w/after", "w/hourly"}, From: from, To: "2026-07-31",
		}, engine.PlanPart{}, d.now)
		require.NoError(t, err)
		text, err := json.Marshal(plan)
		require.NoError(t, err)
		return plan.In + plan.Out, len(text)
	}
	few, short := size("2026-07-30")
	many, long := size("2026-05-03")
	require.Equal(t, 45*few, many)
	require.InDelta(t, short, long, 20)
}

// The memory that a plan takes for an instance is some bytes, and what it allocates meanwhile is
// bounded too.
func TestAnInstanceOfAPlanTakesFewBytes(t *testing.T) {
	d := newDesk(t)
	e, _ := d.server("a", d.db, false)
	d.load(e, large)
	d.step(e)
	measure := func(from string) (instances, kept, allocated int) {
		r := engine.BackfillRequest{Jobs: []string{"w/minute", "w/after"}, From: from, To: "2026-07-31"}
		var before, with, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		list, err := e.ListBackfillPlan(t.Context(), r, d.now)
		require.NoError(t, err)
		runtime.ReadMemStats(&after)
		runtime.GC()
		runtime.ReadMemStats(&with)
		runtime.KeepAlive(list)
		return list.Plan.In, int(with.HeapAlloc) - int(before.HeapAlloc), int(after.TotalAlloc - before.TotalAlloc)
	}
	measure("2026-07-31")
	few, keptFew, allocatedFew := measure("2026-07-31")
	many, keptMany, allocatedMany := measure("2026-06-12")
	require.Equal(t, 50*few, many)
	more := many - few
	t.Logf("an instance more: %d bytes kept, %d allocated", (keptMany-keptFew)/more, (allocatedMany-allocatedFew)/more)
	require.Less(t, keptMany-keptFew, 16*more)
	require.Less(t, allocatedMany-allocatedFew, 300*more)
}

// A plan that changes its mind with each instance has a bounded number of ranges, which say how
// many of each reason there are; the list and the fingerprint are exact.
func TestAPlanOfManyMindsIsBounded(t *testing.T) {
	d := newDesk(t)
	e, _ := d.server("a", d.db, false)
	d.load(e, large)
	d.step(e)
	at := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	require.NoError(t, d.db.Write(t.Context(), func(tx engine.Tx) error {
		job, err := tx.JobByRef(engine.JobRef{Workflow: "w", Job: "minute"})
		if err != nil {
			return err
		}
		const recorded = 10_500
		first, err := tx.Reserve(recorded)
		if err != nil {
			return err
		}
		_, err = tx.InsertInstances(func(yield func(*engine.Instance, []engine.Wait) bool) {
			for n := range recorded { // every other minute of some weeks
				i := engine.Instance{
					ID: first + int64(n), Job: job.ID, Ref: job.Ref, Version: job.Version, Kind: engine.Scheduled, State: engine.Waiting,
					PlanTime: at.Add(time.Duration(2*n) * time.Minute), Reason: engine.Reason{Code: engine.ReasonPlanned},
				}
				if !yield(&i, nil) {
					return
				}
			}
		})
		return err
	}))
	r := engine.BackfillRequest{Jobs: []string{"w/minute"}, From: "2026-05-15", To: "2026-07-31"}
	plan, err := e.PlanBackfill(t.Context(), r, d.now)
	require.NoError(t, err)
	require.Equal(t, 10_500, plan.Why["open"])
	ranges := plan.Jobs[0].Ranges
	require.LessOrEqual(t, len(ranges), 20_000)
	require.Greater(t, len(ranges), 1000)
	in, out, said := 0, 0, map[string]int{}
	for n := range ranges {
		one := &ranges[n]
		if n > 0 {
			require.True(t, ranges[n-1].To.Before(one.From))
		}
		if one.Why != engine.PlanSeveral {
			require.Empty(t, one.Reasons)
			said[one.Why] += one.Instances
			continue
		}
		all := 0
		for why, n := range one.Reasons {
			all += n
			said[why] += n
		}
		require.Equal(t, one.Instances, all)
		require.True(t, one.In)
	}
	require.Equal(t, plan.Why, said)
	first := fmt.Sprintf("%d days %s", ranges[0].Instances/1440, ranges[0].Why)
	require.Equal(t, "17 days missing", first, "what is of one mind for long stands as it is")
	list, err := e.ListBackfillPlan(t.Context(), r, d.now)
	require.NoError(t, err)
	require.Equal(t, plan.Fingerprint, list.Plan.Fingerprint)
	last := time.Time{}
	require.NoError(t, list.Each(func(i *engine.BackfillPlanInstance) error {
		require.True(t, last.Before(i.PlanTime))
		if last = i.PlanTime; i.In {
			in++
		} else {
			out++
			require.Regexp(t, `^instance \d+ is waiting$`, i.Text)
		}
		return nil
	}))
	require.Equal(t, []int{plan.In, plan.Out}, []int{in, out})
}

// What a job outside of the backfill waits for itself is none of its business.
func TestAPlanStopsAtWhatIsOutside(t *testing.T) {
	d := newDesk(t)
	e, _ := d.server("a", d.db, false)
	d.load(e, `workflow: w
defaults: {startTime: "2026-05-01T00:00:00Z", action: {type: none}}
jobs:
  first: {cron: "0 1 * * *"}
  second: {cron: "0 2 * * *", dependsOn: [first]}
  third: {cron: "0 3 * * *", dependsOn: [second]}
`)
	d.step(e)
	r := engine.BackfillRequest{Jobs: []string{"w/third"}, From: "2026-07-01", To: "2026-07-02"}
	plan, err := e.PlanBackfill(t.Context(), r, d.now)
	require.NoError(t, err)
	require.Equal(t, map[string]int{"upstream-missing": 2}, plan.Why)
}
