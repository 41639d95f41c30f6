package store

import (
	"context"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// The lists that a check of all rows asks for, beside engine.View: none of them is used by the engine. An instance whose job is gone is listed
// like any other.
var walkSQL = strings.Replace(instanceColumns, "JOIN job", "LEFT JOIN job", 1) +
	`WHERE (i.job, i.plan_time, i.key, i.id) > (?, ?, ?, ?)` + isReal + ` ORDER BY i.job, i.plan_time, i.key, i.id LIMIT CAST(? AS INTEGER)`

const (
	versionsOfSQL = `SELECT id, job, definition, folder, created_at FROM job_version WHERE job = ? ORDER BY id`
	heldSQL       = `SELECT gate, reason, wake, watch_job, watch_key, watch_time FROM instance WHERE id = ? AND state = 'waiting'`
	outboxOfSQL   = outboxColumns + `WHERE instance = ? ORDER BY id`
	leftOverSQL   = `SELECT DISTINCT instance FROM (
		SELECT instance FROM wait UNION ALL SELECT instance FROM former_wait UNION ALL
		SELECT instance FROM step UNION ALL SELECT instance FROM attempt UNION ALL
		SELECT instance FROM outbox WHERE instance IS NOT NULL
		) r WHERE NOT EXISTS (SELECT 1 FROM instance i WHERE i.id = r.instance) ORDER BY instance LIMIT CAST(? AS INTEGER)`
)

// InstancesAfter lists instances of every state in the order of job, plan time, key and id, those behind the given place, at most limit.
func (v *view) InstancesAfter(job int64, planTime time.Time, key string, id int64, limit int) ([]engine.Instance, error) {
	return v.instances(walkSQL, job, planTime.UnixMilli(), key, id, limit)
}

// VersionsOf lists the versions of a job by id.
func (v *view) VersionsOf(job int64) ([]engine.VersionRow, error) {
	var rows []engine.VersionRow
	err := v.s.query(versionsOfSQL, func(c *columns) error {
		rows = append(rows, engine.VersionRow{ID: c.int(), Job: c.int(), Definition: c.blob(), Folder: c.text(), CreatedAt: c.utc()})
		return nil
	}, job)
	return rows, err
}

// Held returns what the last look at a waiting instance left behind; engine.ErrNotFound when it does not wait.
func (v *view) Held(instance int64) (engine.Hold, error) {
	h := engine.Hold{Instance: instance}
	ok, err := v.s.one(heldSQL, func(c *columns) (err error) {
		h.Gate = engine.Gate(c.text())
		if h.Reason, err = decodeReason(c.text()); err != nil {
			return err
		}
		h.Wake, h.WatchJob, h.WatchKey, h.WatchTime = c.utc(), c.int(), c.text(), c.utc()
		return nil
	}, instance)
	return h, found(ok, err, "waiting instance %d", instance)
}

// HistoryAfter lists the events behind the given one by id, at most limit, each with its id.
func (v *view) HistoryAfter(event int64, limit int) (ids []int64, events []engine.EventRow, err error) {
	return v.history(eventsSQL, event, limit)
}

// DefinedAfter lists the events that say what became of the definition of a job, behind the given event.
func (v *view) DefinedAfter(job, event int64) ([]engine.EventRow, error) {
	_, events, err := v.history(definedAfterSQL, job, event)
	return events, err
}

// HistoryOf lists the events of one instance by id, each with its id.
func (v *view) HistoryOf(instance int64) (ids []int64, events []engine.EventRow, err error) {
	return v.history(eventsOfSQL, instance, 0, -1)
}

func (v *view) history(text string, args ...any) (ids []int64, events []engine.EventRow, err error) {
	err = v.s.query(text, func(c *columns) error {
		row := scanEvent(c)
		e, err := row.event()
		ids, events = append(ids, e.ID), append(events, e.EventRow)
		return err
	}, args...)
	return ids, events, err
}

// OutboxOf lists the outbox rows of one instance by id.
func (v *view) OutboxOf(instance int64) ([]engine.OutboxRow, error) {
	var rows []engine.OutboxRow
	err := v.s.query(outboxOfSQL, func(c *columns) error {
		rows = append(rows, scanOutbox(c))
		return nil
	}, instance)
	return rows, err
}

// LeftOver lists ids of instances that waits, steps, attempts or outbox rows name and that do not exist, at most limit.
func (v *view) LeftOver(limit int) ([]int64, error) {
	var ids []int64
	err := v.s.query(leftOverSQL, func(c *columns) error {
		ids = append(ids, c.int())
		return nil
	}, limit)
	return ids, err
}

// EachLive calls each with the start of every attempt that has no end, by id.
func (db *DB) EachLive(ctx context.Context, each func(started time.Time)) error {
	return db.read(ctx, func(v *view) error {
		list, err := v.Live()
		for n := range list {
			each(list[n].StartedAt)
		}
		return err
	})
}
