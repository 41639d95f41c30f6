package main

import (
	"bytes"
	"cmp"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A world is a small recorded past, written by hand in SQL, with everything that stands beside the rows. In it, minute by minute from 12:00:
//
//	load    at 12:01, 12:02, 12:03; writes witnesses; at most once, one at a time, in a pool of one
//	check   at the same times, on the load of its own minute; fails at 12:02, and says so by an error action
//	beat    each minute; does nothing; planned until 12:20
//	missed  at 12:04; misfire: skip; found late, and cancelled
//	quiet   at 12:05, a day off by its calendar: kept as a dry run
//
// It is read at 12:10.
type world struct {
	t      *testing.T
	dir    string
	schema string
	jobs   map[string]int64
	ids    int64
	rows   []string
	events []worldEvent

	witness, nemesis, acks []string
	logs                   map[int64]string
	now                    time.Time
	args                   []string
}

type worldEvent struct {
	at       time.Time
	instance int64
	kind     string
	from, to string
	reason   string
	actor    string
}

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// minute is a moment of the world: whole and decimal minutes after noon.
func minute(n float64) time.Time { return noon.Add(time.Duration(n * float64(time.Minute))) }

// schemaText is the schema that the server makes, read from its migrations.
func schemaText(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("../../store/migrations/*.sql")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var b strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		up, _, _ := strings.Cut(string(text), "-- +goose Down")
		b.WriteString(up)
	}
	return b.String()
}

func (w *world) row(format string, args ...any) {
	w.rows = append(w.rows, fmt.Sprintf(format, args...))
}

func (w *world) id() int64 {
	w.ids++
	return w.ids
}

func ms(t time.Time) int64 { return t.UnixMilli() }

// job records a job with one version of this definition, created at noon and planned for 20 minutes.
func (w *world) job(name, definition string) int64 {
	id, version := w.id(), w.id()
	w.jobs[name] = id
	text := fmt.Sprintf(`{"jobs":{"%s":%s},"workflow":"w","calendars":{"work":{"workDays":["tue"]}}}`, name, definition)
	w.row(`INSERT INTO job (id, workflow, name, version, created_at, disabled, removed) VALUES (%d, 'w', '%s', %d, %d, 0, 0)`, id, name, version, ms(noon))
	w.row(`INSERT INTO job_version (id, job, definition, folder, created_at) VALUES (%d, %d, CAST('%s' AS BLOB), '/f', %d)`, version, id, text, ms(noon))
	w.row(`INSERT INTO plan_mark (job, planned_to, planned_offset) VALUES (%d, %d, 0)`, id, ms(minute(20)))
	return id
}

// instance records a scheduled instance that ended, or that waits for its time when ended is zero.
func (w *world) instance(job string, at time.Time, state, reason string, started, ended time.Time) int64 {
	id := w.id()
	null := func(t time.Time) string {
		if t.IsZero() {
			return "NULL"
		}
		return fmt.Sprint(ms(t))
	}
	gate, fence, wake := "", 1, "NULL"
	if started.IsZero() {
		fence = 0
	}
	if ended.IsZero() {
		gate, fence, wake = "time", 0, fmt.Sprint(ms(at))
	}
	pool := ""
	if job == "load" {
		pool = "p"
	}
	w.row(`INSERT INTO instance (id, job, version, kind, key, plan_time, plan_offset, state, gate, reason, fence, owner, dry_run, frozen, not_before, priority, pool,
		confirmed, started_at, ended_at, wake) VALUES (%d, %d, %d, 'scheduled', '', %d, 0, '%s', '%s', '{"code":"%s"}', %d, '', 0, 0, %[4]d, 5, '%[9]s', '', %[10]s, %[11]s, %[12]s)`,
		id, w.jobs[job], w.jobs[job]+1, ms(at), state, gate, reason, fence, pool, null(started), null(ended), wake)
	return id
}

func (w *world) event(at time.Time, instance int64, kind, from, to string) {
	w.events = append(w.events, worldEvent{at: at, instance: instance, kind: kind, from: from, to: to})
}

// attempt records an attempt, and what it wrote itself unless exit is below zero.
func (w *world) attempt(instance int64, job, step string, number int, begin, end time.Time, outcome string, exit int) int64 {
	id := w.id()
	pool, code := "", "NULL"
	if job == "load" {
		pool = "p"
	}
	if exit >= 0 {
		code = fmt.Sprint(exit)
		name := cmp.Or(step, "-")
		w.witness = append(w.witness, fmt.Sprintf("begin %d %d %s 1 - %d", instance, number, name, begin.UnixNano()), fmt.Sprintf("end %d %d %s 1 %d %d", instance, number, name, exit, end.UnixNano()))
	}
	w.row(`INSERT INTO attempt (id, instance, job, step, number, action, fence, pool, started_at, outcome, ran_at, ended_at, exit, signal, message, log_bytes, truncated)
		VALUES (%d, %d, %d, '%s', %d, 'main', 1, '%s', %d, '%s', %[7]d, %[9]d, %[10]s, '', '', 0, 0)`, id, instance, w.jobs[job], step, number, pool, ms(begin), outcome, ms(end), code)
	return id
}

// run records an instance that ran once.
func (w *world) run(job string, at time.Time, state string, begin, end time.Time, exit int) (instance, attempt int64) {
	outcome, event := "succeeded", "succeed"
	if state == "failed" {
		outcome, event = "failed", "fail"
	}
	instance = w.instance(job, at, state, state, begin, end)
	w.event(begin, instance, "start", "waiting", "running")
	w.event(end, instance, event, "running", state)
	return instance, w.attempt(instance, job, "", 1, begin, end, outcome, exit)
}

const shell = `"type":"shell","command":"./act.sh >> witness"`

// The instances of the clean world that plants refer to, by job and minute.
type cast struct {
	load, check, beat map[int]int64
	loadAttempt       map[int]int64
	missed, quiet     int64
	manual            int64
	outbox, delivery  int64
}

// cleanWorld is a past in which every promise was kept.
func cleanWorld(t *testing.T) (*world, *cast) {
	w := &world{t: t, dir: t.TempDir(), schema: schemaText(t), jobs: map[string]int64{}, logs: map[int64]string{}, now: minute(10)}
	times := `"at":["2026-03-02T12:01:00Z","2026-03-02T12:02:00Z","2026-03-02T12:03:00Z"]`
	w.job("load", `{`+times+`,"onLost":"hold","pool":"p","action":{`+shell+`}}`)
	w.job("check", `{`+times+`,"concurrency":3,"dependsOn":[{"job":"load","window":{"closed":"both","from":"PT0S","to":"PT0S"}}],
		"action":{`+shell+`},"errorAction":{"type":"shell","command":"./tell.sh"}}`)
	w.job("beat", `{"cron":"* * * * *","action":{"type":"none"}}`)
	w.job("missed", `{"at":["2026-03-02T12:04:00Z"],"misfire":"skip","action":{`+shell+`}}`)
	w.job("quiet", `{"at":["2026-03-02T12:05:00Z"],"calendar":"work","action":{`+shell+`}}`)
	c := &cast{load: map[int]int64{}, check: map[int]int64{}, beat: map[int]int64{}, loadAttempt: map[int]int64{}}
	for n := 1; n <= 3; n++ {
		at := minute(float64(n))
		c.load[n], c.loadAttempt[n] = w.run("load", at, "succeeded", at.Add(50*time.Millisecond), at.Add(time.Second), 0)
		w.witness = append(w.witness, fmt.Sprintf("log %d 1 - 1 2 %d", c.load[n], at.UnixNano()))
		w.logs[c.loadAttempt[n]] = fmt.Sprintf("almanac-mark %d 1 - 1\nalmanac-mark %[1]d 1 - 2\n", c.load[n])
		state, exit := "succeeded", 0
		if n == 2 {
			state, exit = "failed", 3
		}
		c.check[n], _ = w.run("check", at, state, at.Add(1100*time.Millisecond), at.Add(2*time.Second), exit)
		w.row(`INSERT INTO wait (instance, n, dependency, upstream, key, first_time, first_offset, last_time, last_offset, times, rule, selects, window_from, window_from_offset, window_to,
			window_to_offset, closed, on_missing, on_failed, ended, timeout) VALUES (%d, 0, 0, %d, '', %d, 0, %[3]d, 0, 1, 'window', 'all', %[3]d, 0, %[3]d, 0, 'both', 'run', 'wait', 0, 0)`,
			c.check[n], w.jobs["load"], ms(at))
	}
	c.outbox, c.delivery = w.id(), w.id()
	told := minute(2).Add(2100 * time.Millisecond)
	w.row(`INSERT INTO outbox (id, kind, instance, not_before, attempts, state, reason, created_at, ended_at) VALUES (%d, 'errorAction', %d, %d, 1, 'delivered', '', %[3]d, %[3]d)`,
		c.outbox, c.check[2], ms(told))
	w.row(`INSERT INTO attempt (id, instance, job, step, number, action, outbox, fence, pool, started_at, outcome, ran_at, ended_at, exit, log_bytes, truncated)
		VALUES (%d, %d, %d, '', 1, 'error', %d, 1, '', %d, 'succeeded', %[5]d, %[5]d, 0, 0, 0)`, c.delivery, c.check[2], w.jobs["check"], c.outbox, ms(told))
	for n := 1; n < 20; n++ {
		at := minute(float64(n))
		if n > 10 {
			c.beat[n] = w.instance("beat", at, "waiting", "planned", time.Time{}, time.Time{})
			continue
		}
		c.beat[n], _ = w.run("beat", at, "succeeded", at, at, -1)
	}
	c.missed = w.instance("missed", minute(4), "cancelled", "misfire", time.Time{}, minute(7))
	w.event(minute(7), c.missed, "cancel", "waiting", "cancelled")
	c.quiet = w.instance("quiet", minute(5), "skipped", "off-calendar", time.Time{}, minute(5))
	w.row(`UPDATE instance SET dry_run = 1 WHERE id = %d`, c.quiet)
	w.event(minute(5), c.quiet, "skip", "waiting", "skipped")
	c.manual, _ = w.run("load", minute(6), "succeeded", minute(6), minute(6).Add(time.Second), 0)
	w.row(`UPDATE instance SET kind = 'manual', key = 'deploy-1' WHERE id = %d`, c.manual)
	w.acks = []string{
		fmt.Sprintf(`{"at":%d,"command":"trigger","job":"w/load","instance":%d,"key":"deploy-1"}`, minute(6).UnixNano(), c.manual),
		`{"at":1,"command":"load","job":"w/load"}`,
	}
	w.nemesis = []string{
		fmt.Sprintf("%d kill server", minute(4).Add(-time.Second).UnixNano()), fmt.Sprintf("%d ready", minute(6).Add(-time.Second).UnixNano()),
	}
	return w, c
}

// do changes rows before they are read, for a plant.
func (w *world) do(format string, args ...any) { w.row(format, args...) }

// replace changes one witness line.
func (w *world) replace(old, with string) {
	n := slices.IndexFunc(w.witness, func(s string) bool { return strings.HasPrefix(s, old) })
	require.GreaterOrEqual(w.t, n, 0, "no witness line begins with %q", old)
	if with == "" {
		w.witness = slices.Delete(w.witness, n, n+1)
		return
	}
	w.witness[n] = with
}

// write puts the world on disk and returns the arguments to look at it with.
func (w *world) write() []string {
	t := w.t
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.dir, fileName)+"?_pragma=synchronous(OFF)&_pragma=journal_mode(MEMORY)")
	require.NoError(t, err)
	_, err = db.Exec(w.schema)
	require.NoError(t, err)
	for _, text := range w.rows {
		_, err = db.Exec(text)
		require.NoError(t, err, text)
	}
	slices.SortStableFunc(w.events, func(a, b worldEvent) int { return a.at.Compare(b.at) })
	for n, e := range w.events {
		_, err = db.Exec(`INSERT INTO event (id, at, kind, instance, job, from_state, to_state, reason, actor, hash) VALUES (?, ?, ?, ?, NULL, ?, ?, ?, ?, zeroblob(32))`,
			n+1, ms(e.at), e.kind, e.instance, e.from, e.to, fmt.Sprintf(`{"code":"%s"}`, cmp.Or(e.reason, "released")), e.actor)
		require.NoError(t, err)
	}
	require.NoError(t, db.Close())
	for id, text := range w.logs {
		path := filepath.Join(w.dir, "logs", fmt.Sprint(id/1000), fmt.Sprintf("%d.log", id))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	args := []string{"--data", w.dir, "--now", w.now.Format(time.RFC3339), "--slots", "4"}
	for flag, lines := range map[string][]string{"witness": w.witness, "nemesis": w.nemesis, "acks": w.acks} {
		path := filepath.Join(w.dir, flag)
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
		args = append(args, "--"+flag, path)
	}
	return args
}

// look runs the program on the world.
func (w *world) look(more ...string) (status int, stdout, stderr string) {
	w.args = w.write()
	return w.lookAgain(more...)
}

// lookAgain runs the program on what look has written.
func (w *world) lookAgain(more ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = run(append(slices.Clone(w.args), more...), &out, &errs)
	return status, out.String(), errs.String()
}
