package store

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

// What waits for the oldest rows, in whatever number, neither makes a transaction of retention longer
// nor keeps it from what is behind them.
func TestRetentionIsNotHeldUpByWhatIsNeeded(t *testing.T) {
	const needed, free = 3000, 40
	ctx, most := context.Background(), 0
	db, err := Open(ctx, Config{
		Dir: t.TempDir(), Watch: func() func() time.Duration { return func() time.Duration { return 0 } },
		Held: func(_ time.Duration, work int) { most = max(most, work) },
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	day := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	at := func(n int) time.Time { return day.Add(time.Duration(n) * time.Hour) }
	write := func(fn func(tx engine.Tx) error) {
		t.Helper()
		require.NoError(t, db.Write(ctx, fn))
	}
	write(func(tx engine.Tx) error {
		for id, name := range map[int64]string{1: "up", 3: "down"} {
			ref := engine.JobRef{Workflow: "w", Job: name}
			require.NoError(t, tx.PutJob(engine.JobRow{ID: id, Ref: ref, Version: id + 1, CreatedAt: day}))
			require.NoError(t, tx.PutVersion(engine.VersionRow{ID: id + 1, Job: id, Definition: []byte(name), CreatedAt: day}))
		}
		return nil
	})
	for from := 0; from < needed+free; from += 500 {
		write(func(tx engine.Tx) error {
			to := min(from+500, needed+free)
			_, err := tx.InsertInstances(func(yield func(*engine.Instance, []engine.Wait) bool) {
				for n := from; n < to; n++ {
					up := engine.Instance{
						ID: int64(100 + n), Job: 1, Version: 2, Kind: engine.Scheduled, PlanTime: at(n), State: engine.Waiting,
						Gate: engine.GateTime, NotBefore: at(n), Priority: 5,
					}
					down := up
					down.ID, down.Job, down.Version, down.Kind, down.Key = int64(10_000+n), 3, 4, engine.Backfill, "bf"
					wait := engine.Wait{
						Instance: down.ID, Upstream: 1, First: at(n), Last: at(n), Count: 1, Select: "all", Closed: "both",
					}
					if !yield(&up, nil) || n < needed && !yield(&down, []engine.Wait{wait}) {
						return
					}
				}
			})
			return err
		})
		write(func(tx engine.Tx) error {
			for n := from; n < min(from+500, needed+free); n++ {
				ok, err := tx.Apply(engine.Transition{Instance: int64(100 + n), Event: engine.Skip, From: engine.Waiting, At: at(n)})
				if err != nil || !ok {
					return err
				}
			}
			return nil
		})
	}
	most = 0
	removed := 0
	for range 40 {
		write(func(tx engine.Tx) error {
			n, _, err := tx.Prune(at(2*needed), 500)
			removed += n
			return err
		})
	}
	require.Equal(t, free, removed, "all that nothing waits for, and nothing else")
	require.LessOrEqual(t, most, 3*sliceWork)
	require.Greater(t, most, 100, "it was measured")
}
