package store

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/almanac-sched/almanac/engine"
)

const (
	operationColumns  = `SELECT id, stage, asked, total, done, digest, outcome, actor, at, ended_at FROM operation `
	openOperationsSQL = operationColumns + `WHERE ended_at IS NULL ORDER BY id`
	operationsSQL     = operationColumns + `WHERE id < ? ORDER BY id DESC LIMIT CAST(? AS INTEGER)`
	operationSQL      = operationColumns + `WHERE id = ?`
	targetsSQL        = `SELECT list FROM operation_target WHERE operation = ?`

	beginOperationSQL = `INSERT INTO operation (id, stage, asked, total, done, digest, outcome, actor, at, ended_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	putTargetsSQL    = `INSERT INTO operation_target (operation, list) VALUES (?, ?)`
	setOperationSQL  = `UPDATE operation SET stage = ?, done = ?, outcome = ?, ended_at = ? WHERE id = ?`
	dropTargetsSQL   = `DELETE FROM operation_target WHERE operation = ?`
	oldOperationsSQL = `DELETE FROM operation WHERE ended_at < ?`
)

func scanOperation(c *columns) (row engine.OperationRow, err error) {
	row.ID, row.Stage = c.int(), engine.OperationStage(c.text())
	if err := json.Unmarshal([]byte(c.text()), &row.Order); err != nil {
		return row, fmt.Errorf("read what operation %d was asked for: %w", row.ID, err)
	}
	row.Total, row.Done, row.Digest = int(c.int()), int(c.int()), c.text()
	if err := json.Unmarshal([]byte(c.text()), &row.Outcome); err != nil {
		return row, fmt.Errorf("read what has become of operation %d: %w", row.ID, err)
	}
	row.Actor, row.At, row.EndedAt = c.text(), c.utc(), c.utc()
	return row, nil
}

func (v *view) operations(text string, args ...any) (rows []engine.OperationRow, err error) {
	err = v.s.query(text, func(c *columns) error {
		row, err := scanOperation(c)
		rows = append(rows, row)
		return err
	}, args...)
	return rows, err
}

// OpenOperations lists the operations under way, by id. One transaction reads them once.
func (v *view) OpenOperations() ([]engine.OperationRow, error) {
	if v.openOperations != nil {
		return *v.openOperations, nil
	}
	rows, err := v.operations(openOperationsSQL)
	if err == nil {
		v.openOperations = &rows
	}
	return rows, err
}

// Operations lists operations with an id below before, the newest first.
func (v *view) Operations(before int64, limit int) ([]engine.OperationRow, error) {
	if before <= 0 {
		before = 1<<63 - 1
	}
	return v.operations(operationsSQL, before, limit)
}

// Operation returns one.
func (v *view) Operation(id int64) (row engine.OperationRow, err error) {
	rows, err := v.operations(operationSQL, id)
	if len(rows) > 0 {
		row = rows[0]
	}
	return row, found(len(rows) > 0, err, "operation %d", id)
}

// OperationTargets returns the list of an operation under way.
func (v *view) OperationTargets(id int64) (list []byte, err error) {
	_, err = v.s.one(targetsSQL, func(c *columns) error {
		list = bytes.Clone(c.blob())
		return nil
	}, id)
	return list, err
}

// BeginOperation inserts the row with its list.
func (t *tx) BeginOperation(row engine.OperationRow, targets []byte) error {
	t.openOperations = nil
	asked, err := json.Marshal(row.Order)
	if err != nil {
		return fmt.Errorf("encode an operation: %w", err)
	}
	outcome, err := json.Marshal(row.Outcome)
	if err != nil {
		return fmt.Errorf("encode the outcome of an operation: %w", err)
	}
	if _, err = t.s.exec(beginOperationSQL, row.ID, string(row.Stage), string(asked), int64(row.Total), int64(row.Done),
		row.Digest, string(outcome), row.Actor, row.At.UnixMilli(), ms(row.EndedAt)); err != nil {
		return fmt.Errorf("record operation %d: %w", row.ID, err)
	}
	if _, err := t.s.exec(putTargetsSQL, row.ID, targets); err != nil {
		return fmt.Errorf("record the list of operation %d: %w", row.ID, err)
	}
	return nil
}

// SetOperation says how far an operation is. One that has ended loses its list.
func (t *tx) SetOperation(row engine.OperationRow) error {
	t.openOperations = nil
	outcome, err := json.Marshal(row.Outcome)
	if err != nil {
		return fmt.Errorf("encode the outcome of an operation: %w", err)
	}
	if _, err := t.s.exec(setOperationSQL, string(row.Stage), int64(row.Done), string(outcome), ms(row.EndedAt), row.ID); err != nil {
		return fmt.Errorf("record how far operation %d is: %w", row.ID, err)
	}
	if row.Stage != engine.OperationEnded {
		return nil
	}
	if _, err := t.s.exec(dropTargetsSQL, row.ID); err != nil {
		return fmt.Errorf("drop the list of operation %d: %w", row.ID, err)
	}
	return nil
}
