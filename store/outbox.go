package store

import (
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

const (
	outboxColumns = `SELECT id, kind, instance, not_before, attempts, state, reason, created_at, ended_at FROM outbox `
	outboxSQL     = outboxColumns + `WHERE id = ?`
	outboxDueSQL  = outboxColumns + `WHERE state = 'pending' AND not_before <= ? ORDER BY +id LIMIT CAST(? AS INTEGER)`
	putOutboxSQL  = `INSERT INTO outbox (id, kind, instance, not_before, attempts, state, reason, created_at, ended_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, instance = excluded.instance, not_before = excluded.not_before,
		attempts = excluded.attempts, state = excluded.state, reason = excluded.reason, created_at = excluded.created_at, ended_at = excluded.ended_at`
)

func scanOutbox(c *columns) engine.OutboxRow {
	return engine.OutboxRow{
		ID: c.int(), Kind: c.text(), Instance: c.int(), NotBefore: c.utc(), Attempts: int(c.int()), State: engine.OutboxState(c.text()),
		Reason: c.text(), CreatedAt: c.utc(), EndedAt: c.utc(),
	}
}

// OutboxDue lists undelivered outbox rows with NotBefore ≤ now, by id, at most limit.
func (v *view) OutboxDue(now time.Time, limit int) ([]engine.OutboxRow, error) {
	var rows []engine.OutboxRow
	err := v.s.query(outboxDueSQL, func(c *columns) error {
		rows = append(rows, scanOutbox(c))
		return nil
	}, now.UnixMilli(), limit)
	return rows, err
}

// Outbox returns one row.
func (v *view) Outbox(n int64) (row engine.OutboxRow, err error) {
	ok, err := v.s.one(outboxSQL, func(c *columns) error {
		row = scanOutbox(c)
		return nil
	}, n)
	return row, found(ok, err, "outbox row %d", n)
}

// PutOutbox inserts the row or replaces the one of the same ID.
func (t *tx) PutOutbox(o engine.OutboxRow) error {
	_, err := t.s.exec(putOutboxSQL, o.ID, o.Kind, id(o.Instance), o.NotBefore.UnixMilli(), o.Attempts, string(o.State), o.Reason,
		o.CreatedAt.UnixMilli(), ms(o.EndedAt))
	if err != nil {
		return fmt.Errorf("put outbox row %d: %w", o.ID, err)
	}
	return nil
}

const (
	acquireSQL = `INSERT INTO lease (name, holder, epoch, expires_at) VALUES (?, ?, 1, ?)
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at,
		epoch = epoch + CASE WHEN lease.holder = excluded.holder THEN 0 ELSE 1 END
		WHERE lease.holder = excluded.holder OR lease.expires_at <= ?
		RETURNING epoch`
	epochSQL = `SELECT epoch FROM lease WHERE name = ?`
	leaseSQL = `SELECT holder, epoch, expires_at FROM lease WHERE name = ?`
)

// Lease returns who holds the named lease.
func (v *view) Lease(name string) (row engine.LeaseRow, err error) {
	ok, err := v.s.one(leaseSQL, func(c *columns) error {
		row = engine.LeaseRow{Holder: c.text(), Epoch: c.int(), Until: c.utc()}
		return nil
	}, name)
	return row, found(ok, err, "lease %q", name)
}

// Acquire takes or renews a named lease and returns its epoch, which grows with each change of holder; false when another holds it.
func (t *tx) Acquire(name, holder string, now, until time.Time) (epoch int64, ok bool, err error) {
	take := func(c *columns) error {
		epoch = c.int()
		return nil
	}
	err = t.s.change(acquireSQL, func(c *columns) error {
		ok = true
		return take(c)
	}, name, holder, until.UnixMilli(), now.UnixMilli())
	if err != nil || ok {
		return epoch, ok && err == nil, err
	}
	_, err = t.s.one(epochSQL, take, name)
	return epoch, false, err
}
