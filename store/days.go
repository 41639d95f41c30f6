package store

import (
	"time"

	"github.com/almanac-sched/almanac/engine"
)

const spansSQL = `SELECT plan_time, state, started_at, ended_at, run, key <> '', fence FROM instance WHERE job = ? AND plan_time >= ? AND plan_time < ?` + real + `
	ORDER BY plan_time LIMIT CAST(? AS INTEGER)`

// Spans lists what days say of the instances of a job with a plan time in [from, to).
func (v *view) Spans(job int64, from, to time.Time, limit int) (spans []engine.InstanceSpan, err error) {
	err = v.s.query(spansSQL, func(c *columns) error {
		s := engine.InstanceSpan{PlanTime: c.utc(), State: engine.State(c.text()), StartedAt: c.utc(), EndedAt: c.utc(), Run: int(c.int()), Keyed: c.int() != 0}
		fence := c.int()
		s.Once = fence > 0 && fence <= int64(s.Run)
		spans = append(spans, s)
		return nil
	}, job, from.UnixMilli(), to.UnixMilli(), limit)
	return spans, err
}
