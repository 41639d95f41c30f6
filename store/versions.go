package store

import (
	"cmp"
	"math"

	"github.com/almanac-sched/almanac/engine"
)

const versionsSQL = `SELECT id, job, definition, folder, created_at FROM job_version WHERE job = ? AND id < ? ORDER BY id DESC LIMIT CAST(? AS INTEGER)`

// Versions lists the versions of a job, newest first.
func (v *view) Versions(job, before int64, limit int) (rows []engine.VersionRow, err error) {
	err = v.s.query(versionsSQL, func(c *columns) error {
		rows = append(rows, engine.VersionRow{ID: c.int(), Job: c.int(), Definition: append([]byte{}, c.blob()...), Folder: c.text(), CreatedAt: c.utc()})
		return nil
	}, job, cmp.Or(before, math.MaxInt64), limit)
	return rows, err
}
