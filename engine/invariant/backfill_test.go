package invariant_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/invariant"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/store"
)

// never is a Runner whose attempts do not end.
type never struct{}

func (never) Start(engine.Attempt, func(engine.Result))                     {}
func (never) Cancel(int64)                                                  {}
func (never) Renew([]int64, time.Time)                                      {}
func (never) Adopt([]int64, func(engine.Result)) (unknown, unbegun []int64) { return nil, nil }

// A backfill that runs is sound, and each damage to a copy of it is found.
func TestDamagedBackfillsAreFound(t *testing.T) {
	dir, now := t.TempDir(), time.Date(2026, 8, 3, 10, 0, 0, 0, time.UTC)
	db, err := store.Open(t.Context(), store.Config{Dir: dir, Clock: func() time.Time { return now }})
	require.NoError(t, err)
	w, problems := spec.Decode("w.yaml", []byte(`workflow: w
jobs:
  load: {cron: "0 2 * * *", startTime: "2026-08-01T00:00:00Z", concurrency: 9, action: {type: shell, command: "true"}}
`), spec.Options{})
	require.NoError(t, problems.Err())
	e, err := engine.New(engine.Config{Store: db, Runner: never{}, Owner: "a", Slots: 8, Decode: spec.DecodeJob, Condition: spec.EvalWhen})
	require.NoError(t, err)
	_, err = e.Load(t.Context(), []*engine.Workflow{w}, now)
	require.NoError(t, err)
	r := engine.BackfillRequest{Jobs: []string{"w/load"}, From: "2026-08-01", To: "2026-08-03", Parallel: 1}
	plan, err := e.PlanBackfill(t.Context(), r, now)
	require.NoError(t, err)
	_, _, err = e.ApplyBackfill(t.Context(), engine.BackfillApplication{ID: plan.ID, At: plan.At, Fingerprint: plan.Fingerprint, Request: r, Jobs: plan.Jobs}, now)
	require.NoError(t, err)
	_, _, err = e.Step(t.Context(), now)
	require.NoError(t, err)
	require.NoError(t, db.Close())

	const one = ` WHERE id = (SELECT max(id) FROM instance WHERE kind = 'backfill')`
	for _, c := range []struct {
		invariant, what string
		damage          []string
	}{
		{"", "nothing", nil},
		{"I1", "an instance is missing", []string{`DELETE FROM instance` + one}},
		{"I1", "an instance is at another plan time", []string{`UPDATE instance SET plan_time = plan_time - 60000` + one}},
		{"I1", "an instance is of no backfill", []string{`UPDATE instance SET key = 'bf-other'` + one}},
		{"I1", "the backfill is gone", []string{`DELETE FROM backfill`}},
		{"I5", "more runs at once than may", []string{`UPDATE instance SET state = 'running', gate = '', owner = 'a', fence = 1, lease = 1, started_at = 1` + one}},
		{"I7", "it was closed too early", []string{`UPDATE backfill SET state = 'ended', ended_at = 1`}},
	} {
		t.Run(c.what, func(t *testing.T) {
			copied := copyOf(t, dir)
			if c.damage != nil {
				damage(t, copied, c.damage)
			}
			db, err := store.Open(t.Context(), store.Config{Dir: copied, ReadOnly: true, Clock: func() time.Time { return now }})
			require.NoError(t, err)
			defer func() { require.NoError(t, db.Close()) }()
			r, err := invariant.Check(context.Background(), db, invariant.Options{Decode: spec.DecodeJob, Now: now})
			require.NoError(t, err)
			found := map[string]bool{}
			for _, v := range r.Violations {
				found[v.Invariant] = true
			}
			if c.invariant == "" {
				require.Empty(t, r.Violations)
				return
			}
			require.True(t, found[c.invariant], "%v", r.Violations)
		})
	}
}
