package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
)

const other = `workflow: w
defaults: {startTime: "2026-05-01T00:00:00Z"}
jobs:
  other: {cron: "0 6 * * *", action: {type: shell, command: "true"}}
`

// A job goes of which a large backfill waits: what stays is not read, and what is dropped is cancelled
// in short writes, held until its turn.
func TestAJobGoesOfWhichManyWait(t *testing.T) {
	for name, drop := range map[string]bool{"what waits runs": false, "what waits is dropped": true} {
		t.Run(name, func(t *testing.T) {
			d, m := metered(t, time.Date(2026, 8, 3, 0, 30, 0, 0, time.UTC))
			e, h := d.server("a", d.db, false)
			d.load(e, often)
			d.step(e)
			d.begin(e)
			d.bulk(e)
			w, problems := spec.Decode("w.yaml", []byte(other), spec.Options{})
			require.NoError(t, problems.Err())
			next := []*engine.Workflow{w}
			if !drop {
				m.on.Store(true)
				r, err := e.Load(t.Context(), next, d.now)
				require.NoError(t, err)
				require.Equal(t, 45*145, r.DueRun)
				require.LessOrEqual(t, m.most.Load(), int64(mostWork))
				d.step(e)
				require.Len(t, d.starts(h), 8)
				d.sound()
				return
			}
			diff, err := e.DiffLoaded(t.Context(), next, d.now, d.now.AddDate(0, 0, 2), true, d.now)
			require.NoError(t, err)
			review := engine.Review{Loaded: diff.Loaded, Definitions: diff.Definitions, DropDue: true, Actor: "ana"}
			for n := range diff.Due {
				i := &diff.Due[n].Instance
				review.Dropped = append(review.Dropped, engine.InstanceName{Ref: i.Ref, Key: i.Key, PlanTime: i.PlanTime})
			}
			m.on.Store(true)
			r, err := e.Apply(t.Context(), next, review, d.now)
			require.NoError(t, err)
			require.Equal(t, 45*145, r.DueDropped)
			require.LessOrEqual(t, m.most.Load(), int64(400), "the list is read outside of it")
			d.step(e)
			require.Empty(t, d.starts(h), "it is held until it is cancelled")
			d.bulk(e)
			require.LessOrEqual(t, m.most.Load(), int64(mostWork))
			d.step(e)
			require.Empty(t, d.starts(h))
			list, err := e.ListOperations(t.Context(), 0, 9)
			require.NoError(t, err)
			require.NotEmpty(t, list)
			for n := range list {
				require.Equal(t, engine.OperationEnded, list[n].Stage)
				require.Zero(t, list[n].Outcome.MovedOn)
			}
			require.NoError(t, d.db.Read(t.Context(), func(v engine.View) error {
				gone, err := v.InState(engine.Cancelled, time.Time{}, time.Time{}, 9)
				require.NotEmpty(t, gone)
				for i := range gone {
					require.Equal(t, engine.ReasonRemoved, gone[i].Reason.Code)
				}
				return err
			}))
			d.sound()
		})
	}
}

// A job is enabled of which many were held: they are let go in short writes, all of them.
func TestAJobComesBackOfWhichManyWait(t *testing.T) {
	d, m := metered(t, time.Date(2026, 8, 3, 0, 30, 0, 0, time.UTC))
	e, h := d.server("a", d.db, false)
	minutely := strings.Replace(other, `"0 6 * * *"`, `"* * * * *", misfire: runAll, misfireWindow: 2d`, 1)
	d.load(e, minutely)
	d.step(e)
	d.starts(h)
	d.now = d.now.Add(23 * time.Hour)
	d.load(e, strings.Replace(minutely, "other: {", "other: {state: disabled, ", 1)) // what is due is held
	for range 4 {
		d.step(e)
	}
	require.Empty(t, d.starts(h))
	m.on.Store(true)
	d.load(e, minutely)
	require.LessOrEqual(t, m.most.Load(), int64(mostWork))
	m.on.Store(false)
	d.step(e)
	require.NotEmpty(t, d.starts(h))
	held := 0
	list, err := e.Select(t.Context(), "job:other state:waiting date:2026-08-03", d.now)
	require.NoError(t, err)
	for n := range list {
		if list[n].Reason.Code == engine.ReasonDisabled {
			held++
		}
	}
	require.Greater(t, len(list), 1000)
	require.Zero(t, held, "each was looked at again")
	d.sound()
}
