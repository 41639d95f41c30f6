package store

import (
	"bytes"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

const (
	onceSQL       = `SELECT principal, operation, key, request, answer IS NOT NULL, coalesce(answer, x''), at FROM once WHERE principal = ? AND operation = ? AND key = ?`
	putOnceSQL    = `INSERT INTO once (principal, operation, key, request, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
	answerOnceSQL = `UPDATE once SET answer = ? WHERE principal = ? AND operation = ? AND key = ? AND answer IS NULL`
	pruneOnceSQL  = `DELETE FROM once WHERE (principal, operation, key) IN
		(SELECT principal, operation, key FROM once INDEXED BY once_at WHERE at < ? ORDER BY at, principal, operation, key LIMIT CAST(? AS INTEGER))`
)

// Once returns what is recorded of a request.
func (v *view) Once(k engine.OnceKey) (row engine.OnceRow, err error) {
	ok, err := v.s.one(onceSQL, func(c *columns) error {
		row.Principal, row.Operation, row.Key = c.text(), c.text(), c.text()
		row.Request = bytes.Clone(c.blob())
		answered, answer := c.int() != 0, c.blob()
		if answered {
			row.Answer = append([]byte{}, answer...)
		}
		row.At = c.utc()
		return nil
	}, k.Principal, k.Operation, k.Key)
	return row, found(ok, err, "request %s", k.Key)
}

// PutOnce inserts a row without an answer.
func (t *tx) PutOnce(r engine.OnceRow) (bool, error) {
	n, err := t.s.exec(putOnceSQL, r.Principal, r.Operation, r.Key, r.Request, r.At.UnixMilli())
	if err != nil {
		return false, fmt.Errorf("record the request %s: %w", r.Key, err)
	}
	return n > 0, nil
}

// AnswerOnce gives a row that has none its answer.
func (t *tx) AnswerOnce(k engine.OnceKey, answer []byte) (bool, error) {
	if answer == nil {
		answer = []byte{}
	}
	n, err := t.s.exec(answerOnceSQL, answer, k.Principal, k.Operation, k.Key)
	if err != nil {
		return false, fmt.Errorf("record the answer to the request %s: %w", k.Key, err)
	}
	return n > 0, nil
}

// PruneOnce deletes at most limit rows from before the time.
func (t *tx) PruneOnce(before time.Time, limit int) error {
	if _, err := t.s.exec(pruneOnceSQL, before.UnixMilli(), limit); err != nil {
		return fmt.Errorf("forget old requests: %w", err)
	}
	return nil
}
