package store

import (
	"context"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/fault"
)

// view reads rows in one transaction. It implements engine.View.
type view struct {
	s     *session
	clock func() time.Time       // Config.Clock
	marks map[int64]upstreamMark // upstream jobs that Facts has looked up in this transaction

	pauses *[]engine.PauseRow // nil when this transaction has not read them

	openOperations *[]engine.OperationRow // likewise
}

var _ engine.View = (*view)(nil)

// tx reads and writes in one transaction. It implements engine.Tx.
type tx struct {
	view
	chain   chain
	events  []eventRow           // recorded, not written yet
	elapsed func() time.Duration // since its begin

	asked   bool // whether an incident is open
	trouble bool // one is

	active map[int64]int // running instances of the jobs that were asked for
}

var _ engine.Tx = (*tx)(nil)

// A mark is how far a transaction has come.
type mark struct {
	chain   chain
	events  int
	changes int
}

func (t *tx) mark() mark { return mark{t.chain, len(t.events), t.s.changes} }

// restore forgets what a function did after the mark, when its rows are rolled back.
func (t *tx) restore(m mark) {
	t.chain, t.events, t.marks = m.chain, t.events[:m.events], nil
	t.active, t.pauses, t.openOperations = nil, nil, nil
}

const (
	jobColumns = `SELECT j.id, j.workflow, j.name, j.version, j.created_at, j.disabled, j.removed, m.planned_to, m.planned_offset, j.source,
		j.rows_to, j.revision, j.count_from, j.counted
		FROM job j LEFT JOIN plan_mark m ON m.job = j.id `
	jobsSQL     = jobColumns + `ORDER BY j.workflow, j.name`
	jobByRefSQL = jobColumns + `WHERE j.workflow = ? AND j.name = ?`
	// The plus keeps the index of the revision in use, which finds few, rather than that of the order.
	jobsSinceSQL  = jobColumns + `WHERE j.revision > ? ORDER BY +j.workflow, +j.name`
	upstreamsSQL  = `SELECT job, upstream FROM job_upstream ORDER BY job, upstream`
	dependentsSQL = jobColumns + `WHERE j.id IN (SELECT u.job FROM job_upstream u WHERE u.upstream = ? AND u.job <> u.upstream) ORDER BY +j.workflow, +j.name`
	versionSQL    = `SELECT id, job, definition, folder, created_at FROM job_version WHERE id = ?`
)

func scanJob(c *columns) engine.JobRow {
	return engine.JobRow{
		ID: c.int(), Ref: engine.JobRef{Workflow: c.text(), Job: c.text()}, Version: c.int(), CreatedAt: c.utc(),
		Disabled: c.bool(), Removed: c.bool(), PlannedTo: c.zoned(), Source: c.text(), RowsTo: c.utc(), Revision: c.int(),
		CountFrom: c.utc(), Counted: int(c.int()),
	}
}

// Jobs lists the known jobs by workflow and name, removed ones too.
func (v *view) Jobs() ([]engine.JobRow, error) { return v.jobs(jobsSQL) }

// JobsSince lists those of them that were put after the revision.
func (v *view) JobsSince(revision int64) ([]engine.JobRow, error) {
	return v.jobs(jobsSinceSQL, revision)
}

// Dependents lists the jobs of which an instance ever waited for one of the upstream job, but itself.
func (v *view) Dependents(upstream int64) ([]engine.JobRow, error) {
	return v.jobs(dependentsSQL, upstream)
}

// Upstreams lists which jobs ever waited for which.
func (v *view) Upstreams() (pairs []engine.JobPair, err error) {
	err = v.s.query(upstreamsSQL, func(c *columns) error {
		pairs = append(pairs, engine.JobPair{Job: c.int(), Upstream: c.int()})
		return nil
	})
	return pairs, err
}

func (v *view) jobs(text string, args ...any) (jobs []engine.JobRow, err error) {
	err = v.s.query(text, func(c *columns) error {
		jobs = append(jobs, scanJob(c))
		return nil
	}, args...)
	return jobs, err
}

// Version returns an immutable job version.
func (v *view) Version(n int64) (row engine.VersionRow, err error) {
	ok, err := v.s.one(versionSQL, func(c *columns) error {
		row = engine.VersionRow{ID: c.int(), Job: c.int(), Definition: c.blob(), Folder: c.text(), CreatedAt: c.utc()}
		return nil
	}, n)
	return row, found(ok, err, "job version %d", n)
}

// found turns a row that is not there into engine.ErrNotFound.
func found(ok bool, err error, what string, args ...any) error {
	if err == nil && !ok {
		return fmt.Errorf("%s: %w", fmt.Sprintf(what, args...), engine.ErrNotFound)
	}
	return err
}

const (
	revisionSQL = `SELECT next FROM sequence WHERE name = 'definitions'`
	zoneSQL     = `SELECT rules FROM zone WHERE name = ?`
	putZoneSQL  = `INSERT INTO zone (name, rules) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET rules = excluded.rules`
	reviseSQL   = `UPDATE sequence SET next = next + 1 WHERE name = 'definitions'`
)

// Clock is Config.Clock.
func (v *view) Clock() (time.Time, error) {
	if v.clock == nil {
		return time.Time{}, fmt.Errorf("%w: the store was opened without a clock", engine.ErrInvalid)
	}
	return v.clock(), nil
}

// Revision grows with each change of a job or of a job version.
func (v *view) Revision() (n int64, err error) {
	ok, err := v.s.one(revisionSQL, func(c *columns) error {
		n = c.int()
		return nil
	})
	return n, found(ok, err, "the revision of the definitions")
}

// ZoneRules returns what PutZoneRules put last for the time zone; "" when nothing.
func (v *view) ZoneRules(zone string) (rules string, err error) {
	_, err = v.s.one(zoneSQL, func(c *columns) error {
		rules = c.text()
		return nil
	}, zone)
	return rules, err
}

// PutZoneRules remembers with which rules of a time zone the plan was written.
func (t *tx) PutZoneRules(zone, rules string) error {
	_, err := t.s.exec(putZoneSQL, zone, rules)
	return err
}

const reserveSQL = `UPDATE sequence SET next = next + ? WHERE name = 'id' RETURNING next`

// Reserve returns the first of n consecutive ids that nothing else gets.
func (t *tx) Reserve(n int) (int64, error) {
	if n < 1 {
		return 0, fmt.Errorf("%w: reserve %d ids", engine.ErrInvalid, n)
	}
	var next int64
	err := t.s.change(reserveSQL, func(c *columns) error {
		next = c.int()
		return nil
	}, n)
	return next - int64(n), err
}

const (
	putWorkflowSQL = `INSERT INTO workflow (name, created_at) VALUES (?, ?) ON CONFLICT (name) DO NOTHING`
	putJobSQL      = `INSERT INTO job (id, workflow, name, version, created_at, disabled, removed, source, rows_to, count_from, counted, revision)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT next FROM sequence WHERE name = 'definitions'))
		ON CONFLICT (id) DO UPDATE SET workflow = excluded.workflow, name = excluded.name, version = excluded.version,
		created_at = excluded.created_at, disabled = excluded.disabled, removed = excluded.removed, source = excluded.source, rows_to = excluded.rows_to,
		count_from = excluded.count_from, counted = excluded.counted, revision = excluded.revision,
		counted_gone = iif(created_at IS excluded.created_at, counted_gone, 0)`
	putMarkSQL = `INSERT INTO plan_mark (job, planned_to, planned_offset) VALUES (?, ?, ?)
		ON CONFLICT (job) DO UPDATE SET planned_to = excluded.planned_to, planned_offset = excluded.planned_offset`
	dropMarkSQL   = `DELETE FROM plan_mark WHERE job = ?`
	putVersionSQL = `INSERT INTO job_version (id, job, definition, folder, created_at) VALUES (?, ?, ?, ?, ?)`
)

// PutJob inserts the job or replaces the row of the same ID, with its PlannedTo.
func (t *tx) PutJob(j engine.JobRow) error {
	created := int64(0)
	if !j.CreatedAt.IsZero() {
		created = j.CreatedAt.UnixMilli()
	}
	if _, err := t.s.exec(putWorkflowSQL, j.Ref.Workflow, created); err != nil {
		return fmt.Errorf("record the workflow of %s: %w", j.Ref, err)
	}
	if err := t.revise(); err != nil {
		return err
	}
	_, err := t.s.exec(putJobSQL, j.ID, j.Ref.Workflow, j.Ref.Job, j.Version, ms(j.CreatedAt), j.Disabled, j.Removed, j.Source, ms(j.RowsTo),
		ms(j.CountFrom), j.Counted)
	if err != nil {
		return fmt.Errorf("record job %s: %w", j.Ref, err)
	}
	if j.Removed {
		if _, err := t.s.exec(dropTallySQL, j.ID); err != nil {
			return fmt.Errorf("remove the tally of %s: %w", j.Ref, err)
		}
	}
	return t.putMark(j.ID, j.PlannedTo)
}

// revise records that the definitions are not what they were.
func (t *tx) revise() error {
	if _, err := t.s.exec(reviseSQL); err != nil {
		return fmt.Errorf("move the revision of the definitions: %w", err)
	}
	return nil
}

func (t *tx) putMark(job int64, to time.Time) error {
	delete(t.marks, job)
	var err error
	if to.IsZero() {
		_, err = t.s.exec(dropMarkSQL, job)
	} else {
		_, err = t.s.exec(putMarkSQL, job, ms(to), offset(to))
	}
	return err
}

// PutVersion inserts an immutable job version.
func (t *tx) PutVersion(v engine.VersionRow) error {
	definition := v.Definition
	if definition == nil {
		definition = []byte{}
	}
	if _, err := t.s.exec(putVersionSQL, v.ID, v.Job, definition, v.Folder, ms(v.CreatedAt)); err != nil {
		return fmt.Errorf("record version %d of job %d: %w", v.ID, v.Job, err)
	}
	return t.revise()
}

const (
	markSQL = `SELECT planned_to FROM plan_mark WHERE job = ?`
	// An instance that waits for one that was not planned has passed its own time: that time makes it due at once.
	wakePlannedSQL = `UPDATE instance SET wake = not_before
		WHERE watch_job = ? AND watch_time < ? AND (wake IS NULL OR wake > not_before)`
)

// SetPlannedTo moves the job's watermark, compare-and-set. What watches an instance that is planned by now is looked at again.
func (t *tx) SetPlannedTo(job int64, from, to time.Time) (bool, error) {
	at := engine.JobRow{}
	if _, err := t.s.one(markSQL, func(c *columns) error {
		at.PlannedTo = c.utc()
		return nil
	}, job); err != nil {
		return false, err
	}
	moved := at.PlannedTo.IsZero() != from.IsZero() || !from.IsZero() && at.PlannedTo.UnixMilli() != from.UnixMilli()
	if moved && !fault.Planted(fault.StoreMark) {
		return false, nil
	}
	if err := t.putMark(job, to); err != nil || to.IsZero() {
		return err == nil, err
	}
	_, err := t.s.exec(wakePlannedSQL, job, to.UnixMilli())
	return err == nil, err
}

// Jobs lists the known jobs by workflow and name, removed ones too.
func (db *DB) Jobs(ctx context.Context) (jobs []engine.JobRow, err error) {
	err = db.read(ctx, func(v *view) error {
		jobs, err = v.Jobs()
		return err
	})
	return jobs, err
}

// JobByRef returns the job of that name; engine.ErrNotFound when there is none.
func (db *DB) JobByRef(ctx context.Context, ref engine.JobRef) (job engine.JobRow, err error) {
	err = db.read(ctx, func(v *view) error {
		job, err = v.JobByRef(ref)
		return err
	})
	return job, err
}

// JobByRef returns one job, a removed one too.
func (v *view) JobByRef(ref engine.JobRef) (job engine.JobRow, err error) {
	ok, err := v.s.one(jobByRefSQL, func(c *columns) error {
		job = scanJob(c)
		return nil
	}, ref.Workflow, ref.Job)
	return job, found(ok, err, "job %s", ref)
}

// VersionByID returns an immutable job version; engine.ErrNotFound when there is none.
func (db *DB) VersionByID(ctx context.Context, n int64) (row engine.VersionRow, err error) {
	err = db.read(ctx, func(v *view) error {
		row, err = v.Version(n)
		return err
	})
	return row, err
}
