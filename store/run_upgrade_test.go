package store

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"
)

// A database of before runs had numbers kept the first start of an instance for ever. Its history tells what each run was, and its attempts where the
// history is gone.
func TestOldInstancesGetTheTimesOfTheirRuns(t *testing.T) {
	dir := t.TempDir()
	db, err := sql.Open("sqlite", dsn(filepath.Join(dir, fileName), false))
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	scripts, err := fs.Sub(migrations, "migrations")
	require.NoError(t, err)
	p, err := goose.NewProvider(goose.DialectSQLite3, db, scripts, goose.WithDisableGlobalRegistry(true))
	require.NoError(t, err)
	_, err = p.UpTo(context.Background(), 13)
	require.NoError(t, err)

	exec := func(text string, args ...any) {
		_, err := db.Exec(text, args...)
		require.NoError(t, err, text)
	}
	exec(fmt.Sprintf("PRAGMA application_id = %d", applicationID))
	exec(`INSERT INTO workflow (name, created_at) VALUES ('w', 1)`)
	exec(`INSERT INTO job (id, workflow, name, version, created_at, disabled, removed) VALUES (1, 'w', 'j', 2, 1, 0, 0)`)
	instance := func(id int, state string, started, ended any) {
		gate, owner := "", ""
		switch state {
		case "waiting":
			gate = "dependency"
		case "running":
			owner = "s"
		}
		exec(`INSERT INTO instance (id, job, version, kind, key, plan_time, plan_offset, state, gate, reason, fence, owner, dry_run, frozen, not_before, priority,
			pool, confirmed, started_at, ended_at) VALUES (?, 1, 2, 'scheduled', '', ?, 0, ?, ?, '{"code":"person"}', 2, ?, 0, 0, 1, 5, '', '', ?, ?)`,
			id, id, state, gate, owner, started, ended)
	}
	event := func(instance, at int, kind, from, to string) {
		exec(`INSERT INTO event (at, kind, instance, job, from_state, to_state, reason, actor, hash) VALUES (?, ?, ?, 1, ?, ?, ?, '', randomblob(32))`,
			at, kind, instance, from, to, `{"code":"`+kind+`"}`)
	}
	attempt := func(id, instance, number, fence, started int) {
		exec(`INSERT INTO attempt (id, instance, job, step, number, action, fence, pool, started_at, outcome, ran_at, ended_at)
			VALUES (?, ?, 1, '', ?, 'main', ?, '', ?, 'failed', ?, ?)`, id, instance, number, fence, started, started, started+5)
	}
	fails := func(id int) { // at 10, for 5
		event(id, 10, "start", "waiting", "running")
		event(id, 15, "fail", "running", "failed")
		attempt(100+id, id, 1, 1, 10)
	}
	instance(11, "succeeded", 10, 120) // run again at 100
	fails(11)
	event(11, 100, "rerun", "failed", "waiting")
	event(11, 110, "start", "waiting", "running")
	event(11, 120, "succeed", "running", "succeeded")
	instance(12, "waiting", 10, nil) // run again, and not started yet
	fails(12)
	event(12, 100, "rerun", "failed", "waiting")
	instance(13, "forced", 10, 200) // a person's word
	fails(13)
	event(13, 200, "force", "failed", "forced")
	instance(14, "running", 10, nil) // its start is not in the history any more
	fails(14)
	event(14, 100, "rerun", "failed", "waiting")
	attempt(214, 14, 2, 2, 112)
	instance(15, "succeeded", 10, 20) // ran once
	event(15, 10, "start", "waiting", "running")
	event(15, 20, "succeed", "running", "succeeded")
	require.NoError(t, db.Close())

	_, err = migrate(context.Background(), filepath.Join(dir, fileName))
	require.NoError(t, err)
	db, err = sql.Open("sqlite", dsn(filepath.Join(dir, fileName), false))
	require.NoError(t, err)
	defer db.Close()
	lines := func(query string) (list []string) {
		rows, err := db.Query(query)
		require.NoError(t, err)
		defer rows.Close()
		for rows.Next() {
			var line string
			require.NoError(t, rows.Scan(&line))
			list = append(list, line)
		}
		require.NoError(t, rows.Err())
		return list
	}
	require.Equal(t, []string{"11 2 110", "12 2 -", "13 2 -", "14 2 112", "15 1 10"},
		lines(`SELECT id || ' ' || run || ' ' || coalesce(started_at, '-') FROM instance ORDER BY id`))
	const failed = ` 1 failed {"code":"fail"} 1 10 15`
	require.Equal(t, []string{"11" + failed, "12" + failed, "13" + failed, "14" + failed},
		lines(`SELECT instance || ' ' || number || ' ' || state || ' ' || reason || ' ' || fence || ' ' || started_at || ' ' || ended_at FROM run ORDER BY instance`))
}
