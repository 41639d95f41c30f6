package store

import (
	"fmt"

	"github.com/almanac-sched/almanac/engine"
)

const (
	resourceColumns = `SELECT kind, key, id, job, body FROM resource `
	resourceSQL     = resourceColumns + `WHERE kind = ? AND key = ?`
	// The prefix with the highest character there is, twice, is behind all keys that begin with the prefix and do not go on like that.
	resourcesSQL   = resourceColumns + `WHERE kind = ? AND key >= ? AND key > ? AND key < ? || char(1114111, 1114111) ORDER BY key LIMIT CAST(? AS INTEGER)`
	putResourceSQL = `INSERT INTO resource (kind, key, id, job, body) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (kind, key) DO UPDATE SET id = excluded.id, job = excluded.job, body = excluded.body`
	deleteResourceSQL = `DELETE FROM resource WHERE kind = ? AND key = ?`
	countResourcesSQL = `SELECT count(*) FROM resource WHERE kind = ? AND key >= ? AND key < ? || char(1114111, 1114111)`
)

func scanResource(c *columns) engine.ResourceRow {
	return engine.ResourceRow{Kind: c.text(), Key: c.text(), ID: c.int(), Job: c.int(), Body: append([]byte{}, c.blob()...)}
}

// Resource returns one resource.
func (v *view) Resource(kind, key string) (row engine.ResourceRow, err error) {
	ok, err := v.s.one(resourceSQL, func(c *columns) error {
		row = scanResource(c)
		return nil
	}, kind, key)
	return row, found(ok, err, "%s %s", kind, key)
}

// Resources lists resources of a kind by key.
func (v *view) Resources(kind, prefix, after string, limit int) (rows []engine.ResourceRow, err error) {
	err = v.s.query(resourcesSQL, func(c *columns) error {
		rows = append(rows, scanResource(c))
		return nil
	}, kind, prefix, after, prefix, limit)
	return rows, err
}

// CountResources counts the resources of the kind whose key begins with prefix.
func (v *view) CountResources(kind, prefix string) (n int, err error) {
	_, err = v.s.one(countResourcesSQL, func(c *columns) error { n = int(c.int()); return nil }, kind, prefix, prefix)
	if err != nil {
		return 0, fmt.Errorf("count resources of the kind %s: %w", kind, err)
	}
	return n, nil
}

// PutResource inserts the row or replaces the one of the same kind and key.
func (t *tx) PutResource(r engine.ResourceRow) error {
	body := r.Body
	if body == nil {
		body = []byte{}
	}
	if _, err := t.s.exec(putResourceSQL, r.Kind, r.Key, r.ID, id(r.Job), body); err != nil {
		return fmt.Errorf("record the %s %s: %w", r.Kind, r.Key, err)
	}
	return nil
}

// DeleteResource removes a resource.
func (t *tx) DeleteResource(kind, key string) (bool, error) {
	n, err := t.s.exec(deleteResourceSQL, kind, key)
	return n > 0, err
}
