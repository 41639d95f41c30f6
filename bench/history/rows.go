package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// Backfills is how many backfills the history has; each has a tenth of the instances.
const Backfills = 4

// Facts are what requests ask for.
type Facts struct {
	Instances int
	Day       string    // one that is wholly in the past
	First     int64     // ids of instances: the first,
	Late      int64     // one of the job that waits for most,
	Failed    int64     // and a failed one
	Attempt   int64     // of the first instance
	Incident  int64     // the one with the most members
	Delivery  int64     // of it
	At        time.Time // shortly after Late has ended
	LateName  string    // workflow/job@plan time of it
}

// Begins is when the definitions must have been loaded for a history of so many instances.
func Begins(instances int, now time.Time) time.Time {
	return now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -max(1, instances/perDay)-1)
}

// Make writes so many ended instances, of the days before now, behind the back of the store: the directory holds the definitions of Workflow, loaded, and
// no server has it. The rows go straight into the tables, without their indexes, which are built afterwards.
func Make(ctx context.Context, dir string, instances int, now time.Time) (f Facts, err error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "almanac.db")+
		"?_pragma=synchronous(0)&_pragma=journal_mode(WAL)&_pragma=cache_size(-262144)&_pragma=temp_store(2)")
	if err != nil {
		return f, err
	}
	db.SetMaxOpenConns(1)
	defer func() { err = errors.Join(err, db.Close()) }()
	days := max(1, instances/perDay)
	m := &maker{ctx: ctx, db: db, days: days, now: now.UTC(), today: now.UTC().Truncate(24 * time.Hour)}
	m.indexes()
	m.prepare()
	for d := range days {
		m.day(d)
	}
	m.around()
	m.exec(`UPDATE sequence SET next = max(next, ?) WHERE name = 'id'`, m.base+int64(days+1)*perDay*2)
	// What was due before is there: the start plans what is to come, and nothing of the past.
	m.exec(`INSERT INTO plan_mark (job, planned_to, planned_offset) SELECT id, ?1, 0 FROM job WHERE TRUE
		ON CONFLICT (job) DO UPDATE SET planned_to = ?1`, m.now.UnixMilli())
	m.restore()
	m.exec(`PRAGMA wal_checkpoint(TRUNCATE)`)
	if m.err != nil {
		return f, m.err
	}
	return m.facts()
}

// A maker writes rows; the first error ends it.
type maker struct {
	ctx   context.Context
	db    *sql.DB
	days  int
	now   time.Time
	today time.Time
	base  int64    // the ids begin behind it
	later []string // what is made again at the end
	err   error
}

func (m *maker) exec(text string, args ...any) {
	if m.err != nil {
		return
	}
	if _, err := m.db.ExecContext(m.ctx, text, args...); err != nil {
		m.err = fmt.Errorf("%w: %.200s", err, text)
	}
}

// one reads one number.
func (m *maker) one(text string, args ...any) (n int64) {
	if m.err == nil {
		if err := m.db.QueryRowContext(m.ctx, text, args...).Scan(&n); err != nil {
			m.err = fmt.Errorf("%w: %.200s", err, text)
		}
	}
	return n
}

// indexes drops what would be kept in order row by row.
func (m *maker) indexes() {
	for _, text := range m.dropped() {
		m.exec(text)
	}
}

// dropped lists the statements that drop it, and remembers those that make it again.
func (m *maker) dropped() (drop []string) {
	rows, err := m.db.QueryContext(m.ctx, `SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND
		tbl_name IN ('instance', 'attempt', 'run', 'event', 'incident_member', 'delivery') AND type IN ('index', 'trigger')`)
	if err != nil {
		m.err = err
		return nil
	}
	defer func() { m.err = errors.Join(m.err, rows.Close()) }()
	for rows.Next() {
		var kind, name, text string
		if err := rows.Scan(&kind, &name, &text); err != nil {
			m.err = err
		}
		drop = append(drop, "DROP "+kind+" "+name)
		m.later = append(m.later, text)
	}
	m.err = errors.Join(m.err, rows.Err())
	return drop
}

func (m *maker) restore() {
	for _, text := range m.later {
		m.exec(text)
	}
	m.exec(`INSERT INTO backfill_day (key, day, state, instances)
		SELECT key, plan_time - plan_time % 86400000, state, count(*) FROM instance WHERE kind = 'backfill' GROUP BY 1, 2, 3`)
	m.exec(`INSERT INTO backfill_count (key, state, instances) SELECT key, state, sum(instances) FROM backfill_day GROUP BY 1, 2`)
	m.exec(`INSERT INTO incident_count (incident, kind, members, open) SELECT incident, kind, count(*), sum(resolved_at IS NULL) FROM incident_member GROUP BY 1, 2`)
}

// prepare makes the list of what a day has.
func (m *maker) prepare() {
	m.base = m.one(`SELECT next FROM sequence WHERE name = 'id'`) + 1000
	m.exec(`CREATE TEMP TABLE slot (n INTEGER PRIMARY KEY, job INTEGER, version INTEGER, up INTEGER, at INTEGER)`)
	m.exec(`INSERT INTO slot (job, version, up, at) SELECT j.id, j.version, (SELECT upstream FROM job_upstream u WHERE u.job = j.id LIMIT 1), s.minute * 60000
		FROM (` + slots() + `) s JOIN job j ON j.workflow = 'w' AND j.name = s.name ORDER BY s.minute, j.id`)
	if n := m.one(`SELECT count(*) FROM slot`); m.err == nil && n != perDay {
		m.err = fmt.Errorf("a day has %d instances, and should have %d: are the definitions loaded?", n, perDay)
	}
	m.exec(`CREATE TEMP TABLE lane (n INTEGER PRIMARY KEY, key TEXT)`)
	for b := range Backfills {
		m.exec(`INSERT INTO lane VALUES (?, ?)`, b, backfillKey(b))
	}
}

func backfillKey(n int) string { return fmt.Sprintf("bf-%012d", n+1) }

// kept is how long ago the oldest instance may have ended: retention leaves it, whatever its plan time was.
const kept = 50 * 24 * time.Hour

// day writes one day: of ten instances four are those of backfills, and one in a thousand has failed.
func (m *maker) day(d int) {
	begin := m.today.AddDate(0, 0, d-m.days).UnixMilli()
	first := m.base + int64(d)*perDay
	late := int64(0) // ended so much later than it was due
	if oldest := m.now.Add(-kept).UnixMilli(); begin < oldest {
		late = oldest - begin
	}
	m.exec(`BEGIN`)
	m.exec(`INSERT INTO instance (id, job, version, kind, key, plan_time, plan_offset, state, gate, reason, fence, owner, dry_run, frozen, not_before, priority,
		pool, confirmed, started_at, ended_at)
		SELECT ?1 + n, job, version, iif(n % 10 < 4, 'backfill', 'scheduled'), coalesce((SELECT key FROM temp.lane l WHERE l.n = s.n % 10), ''), ?2 + at, 0,
		iif(n % 1000 = 999, 'failed', 'succeeded'), '', iif(n % 1000 = 999, '{"code":"step-failed","detail":"exit 1"}', '{"code":"done"}'), 1, '', 0, 0, ?2 + at, 5, '', '',
		?2 + ?3 + at + 1000, ?2 + ?3 + at + 4000 FROM temp.slot s`, first, begin, late)
	m.exec(`INSERT INTO attempt (id, instance, job, step, number, action, fence, pool, started_at, outcome, ran_at, ended_at, exit, signal, status, message, outputs,
		log_bytes, truncated) SELECT ?1 + n, ?1 + n, job, '', 1, 'main', 1, '', ?2 + at + 1000, iif(n % 1000 = 999, 'failed', 'succeeded'), ?2 + at + 1000,
		?2 + at + 4000, n % 1000 = 999, '', 0, '', '', 0, 0 FROM temp.slot`, first, begin+late)
	m.exec(`INSERT INTO run (instance, number, job, key, plan_time, state, reason, fence, started_at, ended_at)
		SELECT ?1 + n, 1, job, coalesce((SELECT key FROM temp.lane l WHERE l.n = s.n % 10), ''), ?2 + at, iif(n % 1000 = 999, 'failed', 'succeeded'),
		'{"code":"done"}', 1, ?2 + ?3 + at + 1000, ?2 + ?3 + at + 4000 FROM temp.slot s`, first, begin, late)
	m.exec(`INSERT INTO wait (instance, n, dependency, upstream, key, first_time, first_offset, last_time, last_offset, times, rule, selects, window_from,
		window_from_offset, window_to, window_to_offset, closed, on_missing, on_failed, ended, timeout)
		SELECT ?1 + n, 0, 0, up, '', ?2 + at, 0, ?2 + at, 0, 1, 'one-to-one', 'all', ?2, 0, ?2 + 86400000, 0, 'left', 'run', 'wait', 0, 0
		FROM temp.slot WHERE up IS NOT NULL`, first, begin)
	m.exec(`INSERT INTO event (id, at, kind, instance, job, from_state, to_state, reason, actor, hash)
		SELECT (SELECT coalesce(max(id), 0) FROM event) + 2 * n + k, ?2 + at + 1000 + 3000 * k, iif(k, iif(n % 1000 = 999, 'fail', 'succeed'), 'start'), ?1 + n, job,
		iif(k, 'running', 'waiting'), iif(k, iif(n % 1000 = 999, 'failed', 'succeeded'), 'running'), '{"code":"done"}', iif(n % 2000 = 7, 'ann', ''), zeroblob(32)
		FROM temp.slot, (SELECT 0 AS k UNION ALL SELECT 1)`, first, begin+late)
	m.exec(`INSERT INTO incident (id, cause, instance, job, key, plan_time, plan_offset, kind, reason, opened_at, look_at, blocked, told, acked_by, note, closed_at)
		SELECT ?3 + n, 'job/' || job, ?1 + n, job, '', ?2 + at, 0, 'failed', '{"code":"step-failed"}', ?4 + at, ?4 + at, 20, 1, '', '', ?4 + at + 1000
		FROM temp.slot WHERE n % 1000 = 999`, first, begin, m.base+int64(m.days+1)*perDay+int64(d)*perDay, begin+late)
	m.exec(`INSERT INTO incident_member (incident, instance, job, plan_time, plan_offset, kind, since, resolved_at)
		SELECT ?3 + r.n, ?1 + r.n - k, r.job, ?2 + r.at, 0, iif(k, 'blocked', 'failed'), ?4 + r.at, ?4 + r.at + 1000
		FROM temp.slot r, (SELECT n - 1 AS k FROM temp.slot WHERE n <= 20) WHERE r.n % 1000 = 999`, first, begin, m.base+int64(m.days+1)*perDay+int64(d)*perDay, begin+late)
	m.exec(`COMMIT`)
}

// around writes what is not of one day: the backfills, an open incident with members of all days, its messages, and what people did.
func (m *maker) around() {
	begin := m.today.AddDate(0, 0, -m.days).UnixMilli()
	first := m.base
	m.exec(`BEGIN`)
	options := `{"jobs":[{"id":%d,"job":{"Workflow":"w","Job":"m0"},"version":1,"asked":true,"instances":%d,"times":""}],"instances":%d,"fingerprint":"x"}`
	job := m.one(`SELECT id FROM job WHERE workflow = 'w' AND name = 'm0'`)
	for b := range Backfills {
		m.exec(`INSERT INTO backfill (id, job, key, from_time, to_time, state, options, actor, created_at, ended_at) VALUES (?, ?, ?, ?, ?, 'ended', ?, 'ann', ?, ?)`,
			first-10+int64(b), job, backfillKey(b), begin, m.today.UnixMilli(), fmt.Sprintf(options, job, m.days*perDay/10, m.days*perDay/10), m.now.UnixMilli()-1000, m.now.UnixMilli())
	}
	m.exec(`INSERT INTO incident (id, cause, instance, job, key, plan_time, plan_offset, kind, reason, opened_at, look_at, blocked, told, acked_by, note)
		SELECT ?1, 'slots', id, job, '', plan_time, 0, 'never-started', '{"code":"step-failed"}', plan_time, ?2, 10000, 1, '', '' FROM instance WHERE id = ?3`,
		first-20, m.now.Add(time.Hour).UnixMilli(), first+1000-1)
	m.exec(`INSERT INTO incident_member (incident, instance, job, plan_time, plan_offset, kind, since)
		SELECT ?1, id, job, plan_time, 0, iif(id % 2, 'never-started', 'blocked'), plan_time FROM instance WHERE id > ?2 AND id <= ?2 + 100000`, first-20, first)
	m.exec(`INSERT INTO delivery (id, incident, cause, sink, class, body, not_before, attempts, state, reason, created_at, ended_at)
		SELECT ?1 - 1000 + n, ?1 - 20, 'slots', 'ops', 'update', x'7B7D', ?2, 1, 'delivered', '', ?2, ?2 FROM temp.slot WHERE n <= 500`, first, m.now.UnixMilli())
	m.exec(`COMMIT`)
}

// facts finds what the requests ask for.
func (m *maker) facts() (f Facts, err error) {
	day := m.today.AddDate(0, 0, -1)
	f = Facts{
		Instances: m.days * perDay, Day: day.Format(time.DateOnly), First: m.base + 1, Attempt: m.base + 1, Failed: m.base + 999, Incident: m.base - 20,
		Delivery: m.base - 999,
	}
	f.Late = m.one(`SELECT max(i.id) FROM instance i JOIN wait w ON w.instance = i.id WHERE i.ended_at IS NOT NULL AND i.kind = 'scheduled'`)
	f.At = time.UnixMilli(m.one(`SELECT ended_at + 1 FROM instance WHERE id = ?`, f.Late)).UTC()
	at := time.UnixMilli(m.one(`SELECT plan_time FROM instance WHERE id = ?`, f.Late)).UTC()
	if m.err != nil {
		return f, m.err
	}
	var name string
	err = m.db.QueryRowContext(m.ctx, `SELECT j.name FROM instance i JOIN job j ON j.id = i.job WHERE i.id = ?`, f.Late).Scan(&name)
	f.LateName = "w/" + name + "@" + at.Format(time.RFC3339)
	return f, err
}
