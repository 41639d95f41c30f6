package invariant_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/invariant"
	"github.com/almanac-sched/almanac/store"
)

// newest is the id of the newest instance of a job in a state.
func newest(job, state string) string {
	return `(SELECT i.id FROM instance i JOIN job j ON j.id = i.job WHERE j.name = '` + job + `' AND i.state = '` + state + `' ORDER BY i.plan_time DESC LIMIT 1)`
}

// held is the id of the waiting instance of a job that waits for an upstream instance.
func held(job string) string {
	return `(SELECT i.id FROM instance i JOIN job j ON j.id = i.job WHERE j.name = '` + job + `' AND i.gate = 'dependency' ORDER BY i.plan_time DESC LIMIT 1)`
}

// forget removes an instance with everything that belongs to it, but its history.
func forget(id string) []string {
	return []string{
		`CREATE TEMP TABLE gone AS SELECT ` + id + ` AS id`, `DELETE FROM wait WHERE instance IN (SELECT id FROM gone)`, `DELETE FROM step WHERE instance IN (SELECT id FROM gone)`,
		`DELETE FROM outbox WHERE instance IN (SELECT id FROM gone)`, `DELETE FROM attempt WHERE instance IN (SELECT id FROM gone)`,
		`DELETE FROM instance WHERE id IN (SELECT id FROM gone)`,
	}
}

// another inserts a copy of an attempt under another id and number.
func another(instance, number, outcome string) string {
	return `INSERT INTO attempt (id, instance, job, step, number, action, fence, pool, started_at, outcome, ran_at, ended_at)
		SELECT 9000000 + id, instance, job, step, number + ` + number + `, action, fence, pool, started_at, ` + outcome + ` FROM attempt
		WHERE instance = ` + instance + ` ORDER BY id DESC LIMIT 1`
}

// Each row damages a copy of the clean week's database, and names the invariant that must tell. Others may tell too: rows are connected.
var planted = []struct {
	invariant, what string
	damage          []string
}{
	{"I1", "an instance is missing in the middle", forget(newest("beat", "succeeded"))},
	{"I1", "an instance is missing at the end of the plan", forget(newest("beat", "waiting"))},
	{"I1", "an instance that no rule asks for", []string{`UPDATE instance SET plan_time = plan_time + 60000, not_before = not_before + 60000 WHERE id = ` + newest("beat", "waiting")}},
	{"I1", "two instances of one plan time", []string{
		`PRAGMA legacy_alter_table = 1`, `ALTER TABLE instance RENAME TO former`, `CREATE TABLE instance AS SELECT * FROM former`,
		`INSERT INTO instance SELECT * FROM former WHERE id = ` + newest("beat", "waiting"), `UPDATE instance SET id = 8000000 WHERE rowid = last_insert_rowid()`,
	}},
	{"I1", "a plan time in another zone", []string{`UPDATE instance SET plan_offset = 0 WHERE id = ` + newest("beat", "waiting")}},
	{"I11", "a plan time that cannot be written in its zone", []string{`UPDATE instance SET plan_time = 253402299000000, plan_offset = 28800 WHERE id = ` + newest("beat", "waiting")}},
	{"I11", "a plan time before all others", []string{`UPDATE instance SET plan_time = -99999999999999 WHERE id = ` + newest("beat", "waiting")}},
	{"I1", "the watermark is ahead of the rows", []string{`UPDATE plan_mark SET planned_to = planned_to + 86400000 WHERE job = (SELECT id FROM job WHERE name = 'daily')`}},
	{"I2", "a state without its event", []string{`UPDATE instance SET state = 'failed' WHERE id = ` + newest("hourly", "succeeded")}},
	{"I2", "an arrow that does not exist", []string{
		`DROP TRIGGER event_is_final`, `UPDATE event SET from_state = 'lost' WHERE kind = 'succeed' AND instance = ` + newest("hourly", "succeeded"),
	}},
	{"I2", "an end at another time", []string{`UPDATE instance SET ended_at = ended_at + 1000 WHERE id = ` + newest("hourly", "succeeded")}},
	{"I2", "an attempt that outlives its instance", []string{
		`UPDATE attempt SET outcome = NULL, ended_at = NULL, exit = NULL WHERE instance = ` + newest("hourly", "succeeded"),
	}},
	{"I3", "it runs without a lease", []string{`UPDATE instance SET lease = NULL WHERE state = 'running'`}},
	{"I3", "an attempt under a fence of the future", []string{`UPDATE attempt SET fence = fence + 5 WHERE instance = ` + newest("hourly", "succeeded")}},
	{"I3", "a live attempt under an old fence", []string{`UPDATE instance SET fence = fence + 1 WHERE state = 'running'`}},
	{"I3", "one number twice", []string{another(newest("hourly", "succeeded"), "0", "'succeeded', started_at, started_at")}},
	{"I4", "it started before what it waits for", []string{
		`UPDATE wait SET last_time = (SELECT max(plan_time) FROM instance WHERE job = upstream) WHERE n = 0 AND instance = ` + newest("daily", "succeeded"),
	}},
	{"I4", "it started although an upstream instance ended only later", []string{
		`DROP TRIGGER event_is_final`, `DROP TRIGGER event_is_kept`,
		`UPDATE event SET id = id + 9000000 WHERE kind = 'succeed' AND instance = ` + newest("hourly", "succeeded"),
		`UPDATE wait SET first_time = (SELECT plan_time FROM instance WHERE id = ` + newest("hourly", "succeeded") + `),
			last_time = (SELECT plan_time FROM instance WHERE id = ` + newest("hourly", "succeeded") + `) WHERE n = 0 AND instance = ` + newest("daily", "succeeded"),
	}},
	{"I4", "it started when none of any had succeeded", []string{
		`UPDATE wait SET first_time = (SELECT plan_time FROM instance WHERE id = ` + newest("fails", "waiting") + `),
			last_time = (SELECT plan_time FROM instance WHERE id = ` + newest("fails", "waiting") + `), times = 1 WHERE instance = ` + newest("some", "succeeded"),
	}},
	{"I4", "what waits does not wait for what its rule names", []string{
		`UPDATE wait SET times = 0, first_time = NULL, last_time = NULL WHERE n = 0 AND instance = ` + newest("after", "waiting"),
	}},
	{"I4", "what waits waits for an instance more than its rule names", []string{
		`UPDATE wait SET times = times + 1, first_time = first_time - 3600000 WHERE n = 0 AND instance = ` + newest("after", "waiting"),
	}},
	{"I5", "more of a job run than it allows", []string{
		`UPDATE instance SET state = 'running', owner = 'x', lease = 1, gate = '', ended_at = NULL WHERE id = ` + newest("narrow", "succeeded"),
	}},
	{"I5", "more attempts live than the pool has slots", []string{another(newest("held", "running"), "1", "NULL, NULL, NULL")}},
	{"I6", "a lost attempt was repeated although onLost is hold", []string{
		another(newest("held", "succeeded"), "1", "'succeeded', started_at, started_at"),
		`UPDATE attempt SET outcome = 'lost' WHERE id < 9000000 AND instance = ` + newest("held", "succeeded"),
	}},
	{"I6", "success without a successful attempt", []string{`UPDATE attempt SET outcome = 'failed' WHERE instance = ` + newest("hourly", "succeeded")}},
	{"I6", "success with a step that was never tried", []string{`DELETE FROM attempt WHERE step = 'a' AND instance = ` + newest("daily", "succeeded")}},
	{"I7", "nothing looks at it when its time comes", []string{`UPDATE instance SET wake = NULL WHERE id = ` + newest("beat", "waiting")}},
	{"I7", "it is due for an hour", []string{`UPDATE instance SET wake = (SELECT max(at) FROM event) - 3600000 WHERE id = ` + held("report")}},
	{"I7", "it watches nothing", []string{`UPDATE instance SET watch_job = NULL, watch_key = NULL, watch_time = NULL, wake = NULL WHERE id = ` + held("report")}},
	{"I7", "a lost wake-up", []string{
		`UPDATE instance SET wake = NULL WHERE id = ` + held("report"), `UPDATE wait SET times = 0, first_time = NULL, last_time = NULL WHERE instance = ` + held("report"),
	}},
	{"I7", "its turn was passed on, and it is looked at when its wait ends", []string{
		`UPDATE instance SET gate = 'concurrency', reason = '{"code":"concurrency"}', wake = not_before + 5184000000 WHERE id = ` + newest("beat", "waiting"),
	}},
	{"I8", "an error action was forgotten", []string{`DELETE FROM outbox WHERE instance = ` + newest("fails", "failed")}},
	{"I8", "a delivery that nobody made", []string{`UPDATE outbox SET attempts = attempts + 1 WHERE instance = ` + newest("fails", "failed")}},
	{"I8", "an error action that nobody carries", []string{
		`UPDATE outbox SET state = 'pending', ended_at = NULL, attempts = 0 WHERE instance = ` + newest("fails", "failed"),
		`DELETE FROM attempt WHERE action = 'error' AND instance = ` + newest("fails", "failed"),
	}},
	{"I9", "a confirmation was lost", []string{`UPDATE instance SET confirmed = '' WHERE confirmed <> ''`}},
	{"I9", "a trigger that nobody made", []string{
		`DROP TRIGGER event_is_final`, `UPDATE event SET kind = 'load', instance = NULL, to_state = '' WHERE kind = 'trigger'`,
	}},
	{"I9", "it is being cancelled, and nobody asked", []string{`UPDATE instance SET cancel = '{"code":"person"}' WHERE state = 'running'`}},
	{"I10", "cancelled for no reason", []string{`UPDATE instance SET reason = '{"code":"planned"}' WHERE id = ` + newest("strict", "cancelled")}},
	{"I10", "a misfire of what was on time", []string{`UPDATE instance SET reason = '{"code":"misfire"}' WHERE id = ` + newest("narrow", "cancelled")}},
	{"I10", "cancelled for an overlap that the job queues for", []string{`UPDATE instance SET reason = '{"code":"overlap"}' WHERE id = ` + newest("strict", "cancelled")}},
	{"I12", "two instances wait for each other", []string{
		`UPDATE instance SET watch_job = watch_job`,
		`UPDATE wait SET upstream = (SELECT job FROM instance WHERE id = ` + held("reader") + `), first_time = (SELECT plan_time FROM instance WHERE id = ` + held("reader") + `),
			last_time = (SELECT plan_time FROM instance WHERE id = ` + held("reader") + `), times = 1 WHERE instance = ` + held("report"),
	}},
	{"I12", "two instances wait for each other, one of them for a later one too", []string{
		`UPDATE wait SET upstream = (SELECT job FROM instance WHERE id = ` + held("reader") + `), first_time = (SELECT plan_time FROM instance WHERE id = ` + held("reader") + `),
			last_time = 86400000 + (SELECT plan_time FROM instance WHERE id = ` + held("reader") + `), times = 2 WHERE instance = ` + held("report"),
	}},
	{"I13", "another priority than the version's", []string{`UPDATE instance SET priority = 9 WHERE id = ` + newest("beat", "waiting")}},
	{"I13", "the version of another job", []string{`UPDATE instance SET version = (SELECT version FROM job WHERE name = 'held') WHERE id = ` + newest("beat", "waiting")}},
	{"I13", "a dependency without its row", []string{`DELETE FROM wait WHERE instance = ` + held("report")}},
	{"I14", "rows without their instance", []string{`DELETE FROM instance WHERE id = ` + newest("hourly", "succeeded")}},
	{"I14", "what runs was removed", forget(newest("held", "running"))},
	{"I14", "what is waited for was removed", forget(newest("fails", "succeeded"))},
	{"I15", "two live attempts of one step", []string{another(newest("held", "running"), "1", "NULL, NULL, NULL")}},
	{"I15", "it runs and has nothing left to do", []string{
		`UPDATE attempt SET outcome = 'failed', ended_at = started_at WHERE outcome IS NULL`,
		`INSERT INTO step (instance, step, n, state, attempts) SELECT id, '', 0, 'failed', 1 FROM instance WHERE state = 'running'`,
	}},
}

func everyPlantedViolationIsFound(t *testing.T, w *world) {
	found := map[string]bool{}
	for _, p := range planted {
		t.Run(p.invariant+" "+p.what, func(t *testing.T) {
			r := checkOf(t, w, p.damage)
			for _, v := range r.Violations {
				t.Log(v)
			}
			require.True(t, slices.ContainsFunc(r.Violations, func(v invariant.Violation) bool { return v.Invariant == p.invariant }), "it was not found")
			require.Less(t, r.Found, 20, "one damage makes everything look wrong")
		})
		found[p.invariant] = true
	}
	for _, name := range invariant.Invariants {
		require.True(t, found[name] || name == "I11", "nothing is planted for %s", name)
	}
}

// Each row changes a copy of the clean week's database into another that is right, or that rows do not tell enough of to be called wrong.
var harmless = []struct {
	what   string
	change []string
}{
	{"one that is let through too early is looked at when its time comes", []string{
		`UPDATE instance SET gate = 'concurrency', reason = '{"code":"concurrency"}', wake = not_before WHERE id = ` + newest("beat", "waiting"),
	}},
	{"one was cancelled long before its time, and retention has removed when", []string{
		`UPDATE instance SET state = 'cancelled', gate = '', reason = '{"code":"person"}', wake = NULL, ended_at = (SELECT min(at) FROM event) - 60000
			WHERE id = ` + newest("beat", "waiting"),
	}},
	{"a circle goes through one that a person holds", []string{
		`UPDATE wait SET upstream = (SELECT job FROM instance WHERE id = ` + held("reader") + `), first_time = (SELECT plan_time FROM instance WHERE id = ` + held("reader") + `),
			last_time = (SELECT plan_time FROM instance WHERE id = ` + held("reader") + `), times = 1 WHERE instance = ` + held("report"),
		`UPDATE instance SET frozen = 1 WHERE id = ` + held("reader"), `UPDATE instance SET frozen = 1 WHERE id = ` + held("report"),
	}},
}

func whatIsHarmlessIsNotFound(t *testing.T, w *world) {
	for _, h := range harmless {
		t.Run(h.what, func(t *testing.T) {
			r := checkOf(t, w, h.change)
			for _, v := range r.Violations {
				if v.Invariant != "I13" { // the changed wait is not what its version says
					t.Error(v)
				}
			}
		})
	}
}

// checkOf checks a copy of a world's database with damage done to it.
func checkOf(t *testing.T, w *world, statements []string) invariant.Report {
	dir, o := copyOf(t, w.dir), w.options()
	damage(t, dir, statements)
	db, err := store.Open(context.Background(), store.Config{Dir: dir, ReadOnly: true, Clock: func() time.Time { return o.Now }})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	r, err := invariant.Check(context.Background(), db, o)
	require.NoError(t, err)
	return r
}

// damage changes rows behind the back of the store.
func damage(t *testing.T, dir string, statements []string) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "almanac.db")+"?_pragma=ignore_check_constraints(1)&_pragma=foreign_keys(0)")
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	defer func() { require.NoError(t, db.Close()) }()
	changed := int64(0)
	for _, s := range statements {
		r, err := db.Exec(s)
		require.NoError(t, err, s)
		n, err := r.RowsAffected()
		require.NoError(t, err)
		changed += n
	}
	require.Positive(t, changed, "nothing was damaged")
}

// A backwards source lists instances against their order, as a damaged index does.
type backwards struct{ rows invariant.Reader }

type backwardsView struct{ invariant.Source }

func (b backwards) Read(ctx context.Context, fn func(v engine.View) error) error {
	return b.rows.Read(ctx, func(v engine.View) error { return fn(backwardsView{v.(invariant.Source)}) })
}

func (v backwardsView) InstancesAfter(job int64, planTime time.Time, key string, id int64, limit int) ([]engine.Instance, error) {
	list, err := v.Source.InstancesAfter(job, planTime, key, id, limit)
	for n := 1; n < len(list) && limit > 50; n++ { // of the walk, not of the small ranges
		if list[n].Job == list[n-1].Job {
			list[n-1], list[n] = list[n], list[n-1]
			break
		}
	}
	return list, err
}

func TestPlanTimesThatDoNotGrowAreFound(t *testing.T) {
	w := newWorld(t, time.Date(2026, 8, 3, 6, 0, 0, 0, time.UTC))
	defer w.close()
	w.load(read(t, map[string]string{"w.yaml": everything}))
	w.until(w.now.Add(time.Minute))
	w.clean()
	r, err := invariant.Check(context.Background(), backwards{w.db}, w.options())
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(r.Violations, func(v invariant.Violation) bool { return v.Invariant == "I11" }), "%v", r.Violations)
}

// What a clock said that was set while no server ran is in no event of its own: the loads stand in another order than their times.
func TestALoadByAClockThatWasBehind(t *testing.T) {
	w := newWorld(t, time.Date(2026, 8, 3, 6, 0, 0, 0, time.UTC))
	for _, cron := range []string{"*/10 * * * *", "*/15 * * * *"} {
		w.load(read(t, map[string]string{"w.yaml": "workflow: w\njobs:\n  beat: {cron: '" + cron + "', action: {type: none}}\n"}))
		w.until(w.now.Add(3 * time.Hour))
	}
	w.clean()
	w.close()
	r := checkOf(t, w, []string{
		`DROP TRIGGER event_is_final`, `UPDATE job_version SET created_at = created_at - 172800000 WHERE id = (SELECT version FROM job)`,
		`UPDATE event SET at = at - 172800000 WHERE kind IN ('load', 'define') AND at = (SELECT max(at) FROM event WHERE kind = 'load')`,
	})
	require.Empty(t, r.Violations)
	require.Positive(t, r.NotChecked["I1"])
}
