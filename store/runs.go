package store

import (
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

const (
	runColumns     = `SELECT instance, number, state, reason, fence, started_at, ended_at FROM run `
	runsSQL        = runColumns + `WHERE instance = ? ORDER BY number`
	runsBetweenSQL = runColumns + `INDEXED BY run_plan WHERE started_at IS NOT NULL AND plan_time >= ? AND plan_time < ?
		ORDER BY plan_time, instance, number LIMIT CAST(? AS INTEGER)`
)

func (v *view) runs(text string, args ...any) (list []engine.RunRow, err error) {
	err = v.s.query(text, func(c *columns) (err error) {
		r := engine.RunRow{Instance: c.int(), Number: int(c.int()), State: engine.State(c.text())}
		if r.Reason, err = decodeReason(c.text()); err != nil {
			return fmt.Errorf("run %d of instance %d: %w", r.Number, r.Instance, err)
		}
		r.Fence, r.StartedAt, r.EndedAt = c.int(), c.utc(), c.utc()
		list = append(list, r)
		return nil
	}, args...)
	return list, err
}

// Runs lists the earlier runs of the instance by number.
func (v *view) Runs(instance int64) ([]engine.RunRow, error) { return v.runs(runsSQL, instance) }

// RunsBetween lists the earlier runs that started, of instances with a plan time in [from, to).
func (v *view) RunsBetween(from, to time.Time, limit int) ([]engine.RunRow, error) {
	first, end := bounds(from, to)
	return v.runs(runsBetweenSQL, first, end, limit)
}
