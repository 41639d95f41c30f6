package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sched/almanac/engine/fault/effort"
	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"
)

// The schema of every version that was ever written is brought up to date with its rows as they were, whenever a kill comes between.

const upgradeDir = "ALMANAC_STORE_TEST_UPGRADE"

func init() {
	if dir := os.Getenv(upgradeDir); dir != "" { // a child that is killed in the middle of it
		db, err := Open(context.Background(), Config{Dir: dir})
		if err == nil {
			err = db.Close()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// tables lists the tables of a database with the columns of each.
func tables(t *testing.T, db *sql.DB) map[string][]string {
	rows, err := db.Query(`SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'goose_%' ORDER BY m.name, c.cid`)
	require.NoError(t, err)
	defer rows.Close()
	list := map[string][]string{}
	for rows.Next() {
		var table, column string
		require.NoError(t, rows.Scan(&table, &column))
		list[table] = append(list[table], column)
	}
	require.NoError(t, rows.Err())
	return list
}

// sums is a checksum of the rows of each table, over the given columns.
func sums(t *testing.T, db *sql.DB, of map[string][]string) map[string]string {
	list := map[string]string{}
	for table, columns := range of {
		where := ""
		if table == "sequence" {
			where = ` WHERE name = 'id'` // later ones are of later versions
		}
		quoted := make([]string, len(columns))
		for n, c := range columns {
			quoted[n] = "quote(" + c + ")"
		}
		list[table] = sumOf(t, db, `SELECT `+strings.Join(quoted, ` || ',' || `)+` AS line FROM `+table+where+` ORDER BY line`)
	}
	return list
}

func sumOf(t *testing.T, db *sql.DB, query string) string {
	rows, err := db.Query(query)
	require.NoError(t, err, query)
	defer rows.Close()
	sum := sha256.New()
	n := 0
	for ; rows.Next(); n++ {
		var line string
		require.NoError(t, rows.Scan(&line))
		fmt.Fprintln(sum, line)
	}
	require.NoError(t, rows.Err())
	return fmt.Sprintf("%d rows, %s", n, hex.EncodeToString(sum.Sum(nil)))
}

// madeBy makes a data directory of an earlier version, with rows in every table of it.
func madeBy(t *testing.T, version int64) (dir string, columns map[string][]string) {
	dir = t.TempDir()
	path := filepath.Join(dir, fileName)
	db, err := sql.Open("sqlite", dsn(path, false))
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	scripts, err := fs.Sub(migrations, "migrations")
	require.NoError(t, err)
	p, err := goose.NewProvider(goose.DialectSQLite3, db, scripts, goose.WithDisableGlobalRegistry(true))
	require.NoError(t, err)
	_, err = p.UpTo(context.Background(), version)
	require.NoError(t, err)
	for _, text := range []string{
		fmt.Sprintf("PRAGMA application_id = %d", applicationID),
		`UPDATE sequence SET next = 90001 WHERE name = 'id'`,
		`INSERT INTO workflow (name, created_at) VALUES ('w', 1)`,
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) INSERT INTO job (id, workflow, name, version, created_at, disabled, removed)
			SELECT i, 'w', 'job ' || i, 100 + i, i, 0, 0 FROM n`,
		`INSERT INTO job_version (id, job, definition, folder, created_at) SELECT version, id, CAST('{"jobs":{}}' AS BLOB), '/f', created_at FROM job`,
		`INSERT INTO plan_mark (job, planned_to, planned_offset) SELECT id, 1000000, 3600 FROM job`,
		`INSERT INTO job_upstream (upstream, job, reach) SELECT id, id % 40 + 1, 60 FROM job`,
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000) INSERT INTO instance (id, job, version, kind, key, plan_time, plan_offset, state, gate, reason, fence,
			owner, dry_run, frozen, not_before, priority, pool, confirmed, started_at, ended_at, wake)
			SELECT 1000 + i, i % 40 + 1, i % 40 + 101, 'scheduled', '', i, 3600, CASE WHEN i % 3 THEN 'succeeded' ELSE 'waiting' END, CASE WHEN i % 3 THEN '' ELSE 'time' END,
			'{"code":"planned"}', i % 3, '', 0, 0, i, 5, '', '', CASE WHEN i % 3 THEN i END, CASE WHEN i % 3 THEN i + 1 END, CASE WHEN i % 3 THEN NULL ELSE i END FROM n`,
		`INSERT INTO wait (instance, n, dependency, upstream, key, first_time, first_offset, last_time, last_offset, times, rule, selects, window_from_offset, window_to_offset, closed, on_missing,
			on_failed, ended, timeout) SELECT id, 0, 0, job % 40 + 1, '', plan_time, 0, plan_time, 0, 1, 'nearest', 'all', 0, 0, 'both', 'run', 'wait', 0, 0 FROM instance`,
		`INSERT INTO step (instance, step, n, state, attempts) SELECT id, 'load', 0, 'succeeded', 1 FROM instance WHERE state = 'succeeded'`,
		`INSERT INTO attempt (id, instance, job, step, number, action, fence, pool, started_at, outcome, ran_at, ended_at, exit)
			SELECT 30000 + id, id, job, 'load', 1, 'main', 1, '', started_at, 'succeeded', started_at, ended_at, 0 FROM instance WHERE state = 'succeeded'`,
		`INSERT INTO attempt (id, instance, job, step, number, action, fence, pool, started_at) SELECT 60000 + id, id, job, '', 1, 'error', 1, '', 5 FROM instance WHERE id = 1001`,
		`INSERT INTO outbox (id, kind, instance, not_before, attempts, state, reason, created_at) SELECT 70000 + id, 'errorAction', id, 1, 0, 'pending', '', 1 FROM instance WHERE id % 100 = 1`,
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO event (id, at, kind, instance, job, from_state, to_state, reason, actor, hash)
			SELECT i, i, 'start', 1000 + i, 1, 'waiting', 'running', '{"code":"released"}', '', randomblob(32) FROM n`,
		`INSERT INTO backfill (id, job, key, from_time, to_time, state, options, actor, created_at) VALUES (80001, 1, 'b', 1, 2, 'open', '{}', 'ann', 1)`,
		`INSERT INTO lease (name, holder, epoch, expires_at) VALUES ('server/x', 'x', 3, 99)`,
		`INSERT INTO principal (id, name, role, created_at, disabled) VALUES (80002, 'ann', 'admin', 1, 0)`,
		`INSERT INTO token (id, principal, name, hash, role, created_at) VALUES (80003, 80002, 'ann', randomblob(32), 'admin', 1)`,
	} {
		_, err := db.Exec(text)
		require.NoError(t, err, text)
	}
	columns = tables(t, db)
	for table, text := range map[string]string{ // of later versions
		"zone":            `INSERT INTO zone SELECT 'Europe/Berlin', 'rules'`,
		"watch":           `INSERT INTO watch (id, instance, step, number, started_at, polls, last, over) VALUES (80004, 1, 's', 1, 1, 0, '', 0)`,
		"resource":        `INSERT INTO resource (kind, key, id, job, body) VALUES ('job', 'a/b', 7, NULL, x'7b7d')`,
		"tally":           `INSERT INTO tally (job, occurrences, attempts, failed, faulted, last, final, final_time, final_ended) VALUES (1, 2, 3, 1, 1, 9, 'failed', 8, 9)`,
		"alert_watch":     `INSERT INTO alert_watch (instance, at) VALUES (1001, 5)`,
		"incident":        `INSERT INTO incident (id, cause, instance, job, key, plan_time, plan_offset, kind, reason, opened_at, look_at, blocked, told, acked_by, note) VALUES (80004, 'job/1', 1001, 1, '', 1, 0, 'failed', '{}', 1, 2, 0, 1, '', '')`,
		"incident_member": `INSERT INTO incident_member (incident, instance, job, plan_time, plan_offset, kind, since) VALUES (80004, 1001, 1, 1, 0, 'failed', 1)`,
		"delivery":        `INSERT INTO delivery (id, incident, cause, sink, class, body, not_before, attempts, state, reason, created_at) VALUES (80005, 80004, 'job/1', 'ops', 'failure', x'7b7d', 1, 0, 'pending', '', 1)`,
		"run":             `INSERT INTO run (instance, number, job, key, plan_time, state, reason, fence, started_at, ended_at) VALUES (1001, 1, 2, '', 1, 'failed', '{}', 1, 1, 2)`,
		"pause":           `INSERT INTO pause (workflow, job, since, until, resumed, missed, actor, note) VALUES ('w', 'job 1', 1, 5, 3, 'latest', 'ann', 'so')`,
		"override":        `INSERT INTO override (job, plan_time, plan_offset, frozen, priority, not_before, actor, note, at) VALUES (1, 9, 3600, 1, 3, 12, 'ann', '', 4)`,
		// Its triggers fill backfill_day too.
		"backfill_count": `INSERT INTO instance (id, job, version, kind, key, plan_time, plan_offset, state, gate, reason, fence,
			owner, dry_run, frozen, not_before, priority, pool, confirmed, wake)
			VALUES (80006, 1, 101, 'backfill', 'b', 1, 3600, 'waiting', 'time', '{"code":"planned"}', 0, '', 0, 0, 1, 5, '', '', 1)`,
		"operation": `INSERT INTO operation (id, stage, asked, total, done, digest, outcome, actor, at, ended_at)
			VALUES (80007, 'changing', '{}', 900, 300, 'd', '', 'ann', 1, NULL);
			INSERT INTO operation_target (operation, list) VALUES (80007, x'01')`,
		"former_wait": `INSERT INTO former_wait (instance, until, n, dependency, upstream, key, first_time, first_offset, last_time,
			last_offset, times, rule, selects, window_from_offset, window_to_offset, closed, on_missing, on_failed, ended, timeout, bound)
			VALUES (1001, 9, 0, 0, 2, '', 1, 0, 1, 0, 1, 'nearest', 'all', 0, 0, 'both', 'run', 'wait', 0, 0, 0)`,
		"once": `INSERT INTO once (principal, operation, key, request, at) VALUES ('ana', 'cancelInstance', 'k', x'00', 1)`,
	} {
		if columns[table] != nil {
			_, err := db.Exec(text)
			require.NoError(t, err, text)
		}
	}
	for table, sum := range sums(t, db, columns) {
		require.NotContains(t, sum, "0 rows, e3b0c4", "nothing is in %s: the test proves nothing about it", table)
	}
	require.NoError(t, db.Close())
	return dir, columns
}

func sumsOf(t *testing.T, dir string, columns map[string][]string) map[string]string {
	db, err := sql.Open("sqlite", filepath.Join(dir, fileName))
	require.NoError(t, err)
	defer db.Close()
	return sums(t, db, columns)
}

func TestUpgradeFromEveryVersionKeepsEveryRow(t *testing.T) {
	ctx := context.Background()
	for version := int64(1); version < KnownSchema(); version++ {
		if !effort.Long() && version%4 != 1 && version < KnownSchema()-2 {
			continue
		}
		t.Run(fmt.Sprint("from ", version), func(t *testing.T) {
			source, columns := madeBy(t, version)
			want := sumsOf(t, source, columns)
			fresh := func() string {
				dir := t.TempDir()
				data, err := os.ReadFile(filepath.Join(source, fileName))
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(filepath.Join(dir, fileName), data, 0o600))
				return dir
			}
			upgrade := func(dir string) *exec.Cmd {
				c := exec.Command(os.Args[0])
				c.Env = append(os.Environ(), upgradeDir+"="+dir)
				c.Stderr = os.Stderr
				return c
			}

			// A reader does not upgrade, and says what to do.
			_, err := Open(ctx, Config{Dir: source, ReadOnly: true})
			require.ErrorContains(t, err, "start the server once")

			begun := time.Now()
			whole := fresh()
			require.NoError(t, upgrade(whole).Run())
			took := time.Since(begun)
			require.Equal(t, want, sumsOf(t, whole, columns))

			kills := effort.Of(1, 2)
			killed := func(after time.Duration) (interrupted bool) {
				dir := fresh()
				c := upgrade(dir)
				require.NoError(t, c.Start())
				timer := time.AfterFunc(after, func() { _ = c.Process.Kill() })
				interrupted = c.Wait() != nil
				timer.Stop()
				db, err := Open(ctx, Config{Dir: dir})
				require.NoError(t, err, "killed after %s of %s", after, took)
				now, err := db.SchemaVersion(ctx)
				require.NoError(t, err)
				require.Equal(t, KnownSchema(), now)
				require.NoError(t, db.QuickCheck(ctx))
				require.NoError(t, db.Close())
				require.Equal(t, want, sumsOf(t, dir, columns), "killed after %s of %s", after, took)
				return interrupted
			}
			interrupted := 0
			for n := range kills {
				if killed(took * time.Duration(n+1) / time.Duration(kills+1)) {
					interrupted++
				}
			}
			for after := took / time.Duration(kills); interrupted == 0; after /= 2 { // the machine had more to do when the time was taken
				require.Positive(t, after, "no kill came in time: the test proves too little")
				if killed(after) {
					interrupted++
				}
			}
		})
	}
}

// The program of an earlier version refuses what a later one wrote, and changes nothing.
func TestDowngradeIsRefused(t *testing.T) {
	dir, columns := madeBy(t, KnownSchema())
	path := filepath.Join(dir, fileName)
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = db.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (?, 1)`, KnownSchema()+1)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	want := sumsOf(t, dir, columns)
	for _, readOnly := range []bool{false, true} {
		_, err = Open(context.Background(), Config{Dir: dir, ReadOnly: readOnly})
		var u *UnusableError
		require.ErrorAs(t, err, &u)
		require.ErrorIs(t, err, ErrNewer)
		require.Contains(t, u.Hint, "use that version")
		require.Contains(t, u.Error(), fmt.Sprintf("its schema is %d, this program knows %d", KnownSchema()+1, KnownSchema()))
	}
	require.Equal(t, want, sumsOf(t, dir, columns))
}
