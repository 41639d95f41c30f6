//go:build unix

package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

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
	raw(b, dir, `UPDATE instance SET state = CASE WHEN id % 1000 = 0 THEN 'failed' ELSE 'succeeded' END, gate = '', wake = NULL, fence = 1,
		started_at = plan_time, ended_at = plan_time + 1000`)
	raw(b, dir, `UPDATE instance SET kind = 'backfill', key = 'bf-bench' WHERE id % 10 = 0`)
	// A history in which somebody is named once in 10,000 lines, and one of them eleven times at its very beginning.
	raw(b, dir, fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		INSERT INTO event (id, at, kind, instance, from_state, to_state, reason, actor, hash) SELECT (SELECT coalesce(max(id), 0) FROM event) + i, i,
		CASE WHEN i %% 10000 = 1 OR i <= 10 THEN 'trigger' ELSE 'start' END, i, '', '', '{"code":"person"}', CASE WHEN i <= 10 THEN 'bob' WHEN i %% 10000 = 1 THEN 'ann' ELSE '' END,
		randomblob(32) FROM n`, instances))
	// Incidents with ten members each, of which one in a thousand is open.
	raw(b, dir, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
		INSERT INTO incident (id, cause, instance, job, key, plan_time, plan_offset, kind, reason, opened_at, look_at, blocked, told, acked_by, note, closed_at)
		SELECT 80000000 + i, 'job/' || i, i, (SELECT min(id) FROM job), '', i, 0, 'failed', '{}', i, i, 0, 1, '', '', CASE WHEN i % 1000 THEN i END FROM n`)
	raw(b, dir, `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999999)
		INSERT INTO incident_member (incident, instance, job, plan_time, plan_offset, kind, since) SELECT 80000001 + i / 10, i, (SELECT min(id) FROM job), i, 0, 'failed', i FROM n`)
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
	b.Run("all that one did", func(b *testing.B) {
		for b.Loop() {
			found := 0
			require.NoError(b, db.Read(ctx, func(v engine.View) error {
				for before := int64(0); ; {
					lines, next, err := v.Audit(engine.AuditFilter{Actor: "bob"}, before, 100)
					if found += len(lines); err != nil || next == 0 {
						return err
					}
					before = next
				}
			}))
			require.Equal(b, 10, found)
		}
	})
	for name, read := range map[string]func(v engine.View) (int, error){
		"days of a job": func(v engine.View) (int, error) {
			job, err := v.JobByRef(engine.JobRef{Workflow: "w", Job: "job-00500"})
			if err != nil {
				return 0, err
			}
			spans, err := v.Spans(job.ID, day, day.AddDate(1, 0, 0), 50_000)
			return len(spans), err
		},
		"days of a backfill of 100,000": func(v engine.View) (int, error) {
			days, err := v.BackfillDays("bf-bench")
			return len(days), err
		},
		"open incidents and their members": func(v engine.View) (n int, err error) {
			list, err := v.Incidents(true, 0, 200)
			for i := range list {
				if err != nil {
					break
				}
				var members []engine.MemberRow
				members, err = v.Members(list[i].ID, engine.MembersNamed)
				n += len(members)
			}
			return n, err
		},
		"what changed": func(v engine.View) (int, error) {
			lines, _, err := v.Audit(engine.AuditFilter{From: time.UnixMilli(500_000)}, 0, 500)
			return len(lines), err
		},
		"how long a job took": func(v engine.View) (int, error) {
			job, err := v.JobByRef(engine.JobRef{Workflow: "w", Job: "job-00500"})
			if err != nil {
				return 0, err
			}
			took, err := v.Durations(job.ID, "", 30)
			return len(took), err
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				require.NoError(b, db.Read(ctx, func(v engine.View) error {
					n, err := read(v)
					require.NotZero(b, n)
					return err
				}))
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

// What ran at a time is found among what ran around it, however much has ended before and since: every minute one instance of a second, each thousandth
// of a day.
func BenchmarkStartedBy(b *testing.B) {
	const instances = 100_000
	ctx := context.Background()
	dir := b.TempDir()
	db, err := store.Open(ctx, store.Config{Dir: dir})
	require.NoError(b, err)
	job := jobs(b, db, 1)
	first := insertPlan(b, db, job, instances)
	require.NoError(b, db.Close())
	raw(b, dir, fmt.Sprintf(`UPDATE instance SET state = 'succeeded', gate = '', wake = NULL, fence = 1, started_at = n.at,
		ended_at = n.at + CASE WHEN n.n %% 1000 = 0 THEN 86400000 ELSE 1000 END
		FROM (SELECT id, id - %[1]d AS n, %[2]d + (id - %[1]d) * 60000 AS at FROM instance) n WHERE n.id = instance.id`, first, day.UnixMilli()))
	db = open(b, dir)
	for b.Loop() {
		require.NoError(b, db.Read(ctx, func(v engine.View) error {
			list, err := v.StartedBy(job[0], day.AddDate(0, 0, 35))
			require.Len(b, list, 3)
			return err
		}))
	}
}
