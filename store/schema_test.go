package store

import (
	"context"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sched/almanac/engine"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata/schema.sql anew")

func openHere(t *testing.T) *DB {
	t.Helper()
	db, err := Open(context.Background(), Config{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// texts reads the first column of a query.
func texts(t *testing.T, db *DB, text string, args ...any) (found []string) {
	t.Helper()
	require.NoError(t, db.read(context.Background(), func(v *view) error {
		return v.s.query(text, func(c *columns) error {
			found = append(found, c.text())
			return nil
		}, args...)
	}))
	return found
}

func schema(t *testing.T, db *DB) string {
	t.Helper()
	list := texts(t, db, `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND tbl_name NOT LIKE 'goose_%' ORDER BY type DESC, name`)
	return strings.Join(list, ";\n\n") + ";\n"
}

func TestSchemaAfterAllMigrations(t *testing.T) {
	const golden = "testdata/schema.sql"
	got := schema(t, openHere(t))
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// allowed lists the values that the CHECK of a column names.
func allowed(t *testing.T, db *DB, table, column string) []string {
	t.Helper()
	sql := texts(t, db, `SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?`, table)
	require.Len(t, sql, 1)
	line := regexp.MustCompile(`(?m)^ +` + column + ` .*$`).FindString(sql[0])
	require.NotEmpty(t, line, "%s.%s", table, column)
	var values []string
	for _, m := range regexp.MustCompile(`'([^']*)'`).FindAllStringSubmatch(line, -1) {
		values = append(values, m[1])
	}
	return values
}

func names[T ~string](list ...T) []string {
	var all []string
	for _, n := range list {
		all = append(all, string(n))
	}
	return all
}

func TestChecksNameWhatTheEngineKnows(t *testing.T) {
	db := openHere(t)
	states := names(engine.States...)
	for _, c := range []struct {
		table, column string
		want          []string
	}{
		{"instance", "state", states},
		{"event", "from_state", append(states, "")},
		{"event", "to_state", append(states, "")},
		{"instance", "gate", append(names(engine.Gates...), "")},
		{"instance", "kind", names(engine.Scheduled, engine.Manual, engine.Backfill)},
		{"wait", "on_missing", names(engine.MissingRun, engine.MissingWait, engine.MissingCancel, "")},
		{"wait", "on_failed", names(engine.FailedWait, engine.FailedRun, engine.FailedCancel, "")},
		{"step", "state", names(engine.StepWaiting, engine.StepRunning, engine.StepSucceeded, engine.StepFailed, engine.StepSkipped, engine.StepCancelled)},
		{"attempt", "outcome", names(engine.OutcomeSucceeded, engine.OutcomeFailed, engine.OutcomeTimeout, engine.OutcomeCancelled, engine.OutcomeLost)},
		{"outbox", "state", names(engine.OutboxPending, engine.OutboxDelivered, engine.OutboxFailed)},
	} {
		require.ElementsMatch(t, c.want, allowed(t, db, c.table, c.column), "%s.%s", c.table, c.column)
	}
	// The open states are those without an end, and failed and satisfied are what the engine says they are.
	indexes := strings.Join(texts(t, db, `SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL`), "\n")
	index := func(name string) (values []string) {
		line := regexp.MustCompile(`(?m)INDEX ` + name + ` .*$`).FindString(indexes)
		for _, m := range regexp.MustCompile(`'([^']*)'`).FindAllStringSubmatch(line, -1) {
			values = append(values, m[1])
		}
		return values
	}
	var failed, satisfied []string
	for _, s := range engine.States {
		if s.CountsAsFailed() {
			failed = append(failed, string(s))
		}
		if s.Satisfies() {
			satisfied = append(satisfied, string(s))
		}
	}
	require.ElementsMatch(t, failed, index("instance_failed"))
	require.ElementsMatch(t, satisfied, index("instance_satisfied"))
}

// impossible rows are refused by the database itself.
func TestImpossibleRowsAreRefused(t *testing.T) {
	db := openHere(t)
	const insert = `INSERT INTO instance (id, job, version, kind, key, plan_time, plan_offset, state, gate, reason, fence, owner, dry_run, frozen,
		not_before, priority, pool, confirmed, started_at, ended_at, wake) VALUES `
	for what, values := range map[string]string{
		"an unknown state":               `(1, 1, 1, 'scheduled', '', 0, 0, 'ready', '', '', 0, '', 0, 0, 0, 5, '', '', NULL, NULL, NULL)`,
		"waiting without a gate":         `(1, 1, 1, 'scheduled', '', 0, 0, 'waiting', '', '', 0, '', 0, 0, 0, 5, '', '', NULL, NULL, NULL)`,
		"running without an owner":       `(1, 1, 1, 'scheduled', '', 0, 0, 'running', '', '', 1, '', 0, 0, 0, 5, '', '', 1, NULL, NULL)`,
		"running with fence 0":           `(1, 1, 1, 'scheduled', '', 0, 0, 'running', '', '', 0, 's', 0, 0, 0, 5, '', '', 1, NULL, NULL)`,
		"running with an end":            `(1, 1, 1, 'scheduled', '', 0, 0, 'running', '', '', 1, 's', 0, 0, 0, 5, '', '', 1, 1, NULL)`,
		"ended without an end":           `(1, 1, 1, 'scheduled', '', 0, 0, 'failed', '', '', 1, '', 0, 0, 0, 5, '', '', 1, NULL, NULL)`,
		"ended and due":                  `(1, 1, 1, 'scheduled', '', 0, 0, 'failed', '', '', 1, '', 0, 0, 0, 5, '', '', 1, 1, 1)`,
		"a scheduled one with a key":     `(1, 1, 1, 'scheduled', 'k', 0, 0, 'waiting', 'time', '', 0, '', 0, 0, 0, 5, '', '', NULL, NULL, NULL)`,
		"a manual one without a key":     `(1, 1, 1, 'manual', '', 0, 0, 'waiting', 'time', '', 0, '', 0, 0, 0, 5, '', '', NULL, NULL, NULL)`,
		"a text where a time belongs":    `(1, 1, 1, 'scheduled', '', 'now', 0, 'waiting', 'time', '', 0, '', 0, 0, 0, 5, '', '', NULL, NULL, NULL)`,
		"a priority that does not exist": `(1, 1, 1, 'scheduled', '', 0, 0, 'waiting', 'time', '', 0, '', 0, 0, 0, 10, '', '', NULL, NULL, NULL)`,
	} {
		err := db.Write(context.Background(), func(e engine.Tx) error {
			_, err := e.(*tx).s.exec(insert + values)
			return err
		})
		require.ErrorContains(t, err, "constraint", what)
	}
}

func TestHistoryIsAppendOnly(t *testing.T) {
	db := openHere(t)
	ctx := context.Background()
	require.NoError(t, db.Write(ctx, func(e engine.Tx) error { return e.Record(engine.EventRow{Kind: "load"}) }))
	for _, text := range []string{`UPDATE event SET actor = 'nobody'`, `DELETE FROM event`} {
		err := db.Write(ctx, func(e engine.Tx) error {
			_, err := e.(*tx).s.exec(text)
			return err
		})
		require.ErrorContains(t, err, "append-only")
	}
}

// Hot statements find their rows by index, whatever the size of the tables.
func TestHotStatementsUseTheirIndexes(t *testing.T) {
	db := openHere(t)
	for _, c := range []struct{ text, index string }{
		{instanceSQL, "INTEGER PRIMARY KEY"},
		{findSQL, "sqlite_autoindex_instance_1"},
		{findKeySQL, "instance_key"},
		{waitingSQL, "instance_open"},
		{waitingPlannedSQL, "instance_open (job=? AND key=?"},
		{waitingKeyedSQL, "COVERING INDEX instance_open (job=? AND key>?"},
		{dueSQL, "instance_wake"},
		{agendaSQL, "instance_wake"},
		{jobsSinceSQL, "job_revision"},
		{dependentsSQL, "INTEGER PRIMARY KEY"},
		{resourceSQL, "PRIMARY KEY"},
		{resourcesSQL, "PRIMARY KEY"},
		{countResourcesSQL, "PRIMARY KEY"},
		{keptSQL, "INTEGER PRIMARY KEY"},
		{countsSQL, "resource_job"},
		{tallySQL, "COVERING INDEX attempt_job"},
		{faultedSQL, "instance_faulted"},
		{nextSQL, "instance_open"},
		{finalSQL, "sqlite_autoindex_instance_1"},
		{executionsSQL, "attempt_job"},
		{beforeSQL, "attempt_job"},
		{agendaSQL, "instance_queue"},
		{agendaSQL, "outbox_pending"},
		{agendaSQL, "attempt_outbox"},
		{queuedSQL, "instance_queue"},
		{nextPoolSQL, "instance_queue"},
		{activeSQL, "instance_running"},
		{activeCountSQL, "instance_running"},
		{laterDueSQL, "instance_open"},
		{waitsSQL, "PRIMARY KEY"},
		{blockersSQL, "instance_open"},
		{blockersSQL, "instance_failed"},
		{failuresSQL, "instance_open"},
		{failuresSQL, "instance_failed"},
		{satisfiedSQL, "instance_satisfied"},
		{startSQL, "INTEGER PRIMARY KEY"},
		{endSQL, "INTEGER PRIMARY KEY"},
		{holdSQL, "INTEGER PRIMARY KEY"},
		{wakeSatisfiedSQL, "instance_watch"},
		{wakeSatisfiedSQL, "wait_some"},
		{wakeSatisfiedSQL, "instance_held"},
		{wakeFailedSQL, "wait_cancel"},
		{wakeNextSQL, "instance_held"},
		{dependentsWokenSQL, "instance_held"},
		{waitingWokenSQL, "instance_held"},
		{waitingWokenSQL, "instance_put_off"},
		{wakeListSQL, "INTEGER PRIMARY KEY"},
		{wakePlannedSQL, "instance_watch"},
		{deleteUnstartedSQL, "sqlite_autoindex_instance_1"},
		{renewSQL, "instance_running"},
		{takeOverSQL, "INTEGER PRIMARY KEY"},
		{liveSQL, "attempt_live"},
		{attemptsSQL, "attempt_instance"},
		{outboxDueSQL, "outbox_pending"},
		{prunableSQL, "instance_ended"},
		{neededSQL, "instance_open (job=? AND key=? AND frozen=? AND plan_time>? AND plan_time<?)"},
		{eventsOfSQL, "event_instance"},
		{auditSQL, "event_act (id>? AND id<?)"},
		{auditFarSQL, "event_act (id>? AND id<?)"},
		{detachedSQL, "event_detach"},
		{thereSQL, "sqlite_autoindex_instance_1 (job=? AND plan_time>? AND plan_time<?)"},
		{planTimesSQL, "sqlite_autoindex_instance_1 (job=? AND plan_time>? AND plan_time<?)"},
		{boundSQL, "PRIMARY KEY (instance=?)"},
		{outlinesOpenSQL, "instance_list_open (plan_time>? AND plan_time<?)"},
		{outlinesPastSQL, "instance_list_ended (plan_time>? AND plan_time<?)"},
		{backfillDaysSQL, "backfill_day USING PRIMARY KEY (key=?)"},
		{ofBackfillSQL, "instance_lane (key=?)"},
		{incidentsSQL, "INTEGER PRIMARY KEY (rowid<?)"},
		{openIncidentsSQL, "incident_open"},
		{membersSQL, "incident_member_shown (incident=?)"},
		{heldBySQL, "instance_open (job=?"},
		{watchesSQL, "sqlite_autoindex_watch_1 (instance=?)"},
		{watchesOverSQL, "watch_over"},
		{aheadSQL, "instance_queue (pool=? AND priority>?)"},
		{unresolvedSQL, "incident_member_job"},
		{membershipsSQL, "incident_member_instance"},
		{deliveriesSQL, "delivery_incident"},
		{durationsSQL, "instance_satisfied (job=? AND key=?)"},
		{keyedDurationsSQL, "instance_satisfied (job=? AND key>?)"},
		{earlierDurationsSQL, "run_succeeded (job=? AND key=?)"},
		{runsBetweenSQL, "run_plan (plan_time>? AND plan_time<?)"},
		{eventAtSQL, "INTEGER PRIMARY KEY (rowid=?)"},
		{leasesSQL, "PRIMARY KEY (name>? AND name<?)"},
		{firstEndedSQL, "instance_ended"},
		{endedBeforeSQL, "instance_ended (ended_at<?)"},
		{tokensAfterSQL, "INTEGER PRIMARY KEY (rowid>?)"},
		{eventsOfLatestSQL, "event_instance"},
		{listOpen, "instance_list_open"},
		{listEnded, "instance_list_ended"},
		{listState, "instance_list_notable"},
		{listJob, "sqlite_autoindex_instance_1"},
		{countRunningSQL, "instance_running"},
		{countEndedSQL, "instance_ended"},
		{countGatesSQL, "instance_held"},
		{countOpenSQL, "COVERING INDEX instance_"},
		{betweenSQL, "sqlite_autoindex_instance_1 (job=? AND plan_time>? AND plan_time<?)"},
		{anywhereSQL, "instance_list_open"},
		{anywhereSQL, "instance_list_ended"},
		{waitingAll, "instance_list_open"},
		{notableSQL, "instance_list_notable (state=? AND plan_time>? AND plan_time<?)"},
		{succeeded, "instance_list_ended"},
		{waitingForSQL, "sqlite_autoindex_instance_1 (job=? AND plan_time>? AND plan_time<?)"},
		{spansSQL, "sqlite_autoindex_instance_1 (job=? AND plan_time>? AND plan_time<?)"},
		{waitingForSQL, "u USING PRIMARY KEY (upstream=?)"},
		{waitingForSQL, "w EXISTS USING PRIMARY KEY (instance=?)"},
		{wakeWaitersSQL, "instance_watch"},
		{wakeWaitersSQL, "wait_cancel"},
		{setFrozenSQL, "INTEGER PRIMARY KEY"},
		{setPrioritySQL, "INTEGER PRIMARY KEY"},
		{setRunNowSQL, "INTEGER PRIMARY KEY"},
		{setWaitsSQL, "INTEGER PRIMARY KEY"},
		{startedBySQL, "instance_open (job=?"},
		{startedBySQL, "instance_ran (job=? AND <expr>=? AND started_at>? AND started_at<?)"},
		{startedBySQL, "instance_ended (ended_at>? AND ended_at<?)"},
	} {
		var steps []string
		args := make([]any, strings.Count(c.text, "?"))
		require.NoError(t, db.read(context.Background(), func(v *view) error {
			return v.s.query("EXPLAIN QUERY PLAN "+c.text, func(row *columns) error {
				row.next = 3
				steps = append(steps, row.text())
				return nil
			}, args...)
		}))
		plan := strings.Join(steps, "\n")
		require.Contains(t, plan, c.index, c.text)
		for _, step := range steps {
			if strings.HasPrefix(step, "SCAN") && !strings.Contains(step, "subquery") && !slices.Contains([]string{"SCAN CONSTANT ROW", "SCAN took", "SCAN 2 CONSTANT ROWS", "SCAN d", "SCAN f"}, step) {
				// Walking an index in its order, or all of a partial one, is no scan of the table.
				require.Contains(t, step, "INDEX", "%s\n%s", c.text, plan)
			}
		}
		// A list in order never sorts what it would have to read first.
		if slices.Contains([]string{queuedSQL, agendaSQL, listOpen, listEnded, listState, wakeNextSQL, findKeySQL, blockersSQL, prunableSQL, finalSQL, spansSQL, auditSQL, auditFarSQL, durationsSQL, keyedDurationsSQL, earlierDurationsSQL, outlinesOpenSQL, outlinesPastSQL, tokensAfterSQL}, c.text) {
			require.NotContains(t, plan, "TEMP B-TREE", c.text)
		}
	}
}

func TestPragmas(t *testing.T) {
	db := openHere(t)
	ask := func(s *session, name string) (value string) {
		require.NoError(t, s.read("PRAGMA "+name, func(c *columns) error {
			switch v := c.take().(type) {
			case string:
				value = v
			case int64:
				value = string(rune('0' + v%10))
			}
			return nil
		}, nil))
		return value
	}
	w := db.writer.s
	require.Equal(t, "wal", ask(w, "journal_mode"))
	require.Equal(t, "2", ask(w, "synchronous"), "FULL")
	require.Equal(t, "1", ask(w, "foreign_keys"))
	require.NoError(t, db.read(context.Background(), func(v *view) error {
		require.Equal(t, "1", ask(v.s, "query_only"))
		_, err := v.s.exec(`DELETE FROM job`)
		require.Error(t, err)
		return nil
	}))
}
