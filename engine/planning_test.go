package engine_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/store"
)

// A day of many jobs is written some jobs at a time: no write transaction grows with how many there are.
func TestADayIsPlannedInShortWrites(t *testing.T) {
	now := time.Date(2026, 8, 2, 23, 0, 0, 0, time.UTC)
	var most atomic.Int64
	var on atomic.Bool
	db, err := store.Open(t.Context(), store.Config{Dir: t.TempDir(), Clock: func() time.Time { return now },
		Watch: func() func() time.Duration { return func() time.Duration { return 0 } },
		Held: func(_ time.Duration, work int) {
			if on.Load() {
				most.Store(max(most.Load(), int64(work)))
			}
		}})
	require.NoError(t, err)
	defer db.Close()
	e, err := engine.New(engine.Config{Store: db, Runner: &actor{}, Owner: "a", Slots: 1, Decode: spec.DecodeJob})
	require.NoError(t, err)
	w, problems := spec.Decode("w.yaml", []byte(behind(20)), spec.Options{})
	require.NoError(t, problems.Err())
	_, err = e.Load(t.Context(), []*engine.Workflow{w}, now)
	require.NoError(t, err)
	on.Store(true)
	_, _, err = e.Step(t.Context(), now)
	require.NoError(t, err)
	n, err := db.Count(t.Context(), now)
	require.NoError(t, err)
	require.GreaterOrEqual(t, n.States[engine.Waiting], 20*1440+1, "the day that begins within two hours is planned whole")
	require.LessOrEqual(t, most.Load(), int64(mostWork))
}
