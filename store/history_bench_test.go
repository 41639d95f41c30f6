//go:build unix

package store_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
	"github.com/stretchr/testify/require"
)

// old makes a directory with so many ended instances of 1,000 jobs in it.
func old(b *testing.B, instances int) string {
	b.Helper()
	dir := b.TempDir()
	db, err := store.Open(context.Background(), store.Config{Dir: dir})
	require.NoError(b, err)
	ids := jobs(b, db, 1000)
	for k := 0; k < 1000; k += 100 {
		insertPlan(b, db, ids[k:k+100], instances/10)
	}
	require.NoError(b, db.Close())
	raw(b, dir, `UPDATE instance SET state = CASE WHEN id % 1000 = 0 THEN 'failed' ELSE 'succeeded' END, gate = '', wake = NULL,
		started_at = plan_time, ended_at = plan_time + 1000`)
	return dir
}

// What is on a page costs the same however much there is; a batch of retention stays below 50 ms; a server is up within seconds.
func BenchmarkHistory(b *testing.B) {
	const instances = 1_000_000
	ctx := context.Background()
	dir := old(b, instances)
	info, err := os.Stat(filepath.Join(dir, "almanac.db"))
	require.NoError(b, err)
	b.Logf("%d MB", info.Size()>>20)
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			db, err := store.Open(ctx, store.Config{Dir: dir})
			require.NoError(b, err)
			require.NoError(b, db.Close())
		}
	})
	b.Run("open after an unclean stop", func(b *testing.B) {
		for b.Loop() {
			require.NoError(b, os.WriteFile(filepath.Join(dir, "almanac.db-wal"), make([]byte, 32), 0o600))
			db, err := store.Open(ctx, store.Config{Dir: dir})
			require.NoError(b, err)
			require.NoError(b, db.Close())
		}
	})
	db := open(b, dir)
	for name, f := range map[string]store.InstanceFilter{
		"page": {}, "page of a job": {Workflow: "w", Job: "job-00500"}, "page of the failed": {States: []engine.State{engine.Failed}},
		"page of a job's failed": {Workflow: "w", Job: "job-00500", States: []engine.State{engine.Failed}},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _, err := db.Instances(ctx, f, "", 100)
				require.NoError(b, err)
			}
		})
	}
	b.Run("count", func(b *testing.B) {
		for b.Loop() {
			_, err := db.Count(ctx, day.AddDate(0, 0, 1))
			require.NoError(b, err)
		}
	})
	b.Run("prune 500", func(b *testing.B) {
		for b.Loop() {
			require.NoError(b, db.Write(ctx, func(tx engine.Tx) error {
				n, _, err := tx.Prune(day.AddDate(1, 0, 0), 500)
				require.Equal(b, 500, n)
				return err
			}))
		}
	})
}
