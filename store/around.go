package store

import (
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// What explanations ask for. Those that do not satisfy are in three indexes, each of which is read in the order of plan time; what is taken of each is
// bounded before they are put together.
const (
	idInRange     = `SELECT id, plan_time FROM instance WHERE` + inRange
	unsatisfiedIn = `SELECT * FROM (` + idInRange + `AND frozen = 0` + stateOpen + someOf + `)
		UNION ALL SELECT * FROM (` + idInRange + `AND frozen = 1` + stateOpen + someOf + `)
		UNION ALL SELECT * FROM (` + idInRange + stateFailed + someOf + `)`
	someOf   = ` ORDER BY plan_time DESC LIMIT CAST(? AS INTEGER)`
	allRange = instanceColumns + `WHERE i.job = ? AND i.key = ? AND i.plan_time >= ? AND i.plan_time <= ?` + isReal + ` ORDER BY i.plan_time DESC LIMIT CAST(? AS INTEGER)`
	unmet    = instanceColumns + `JOIN (` + unsatisfiedIn + someOf + `) u ON u.id = i.id ORDER BY i.plan_time DESC`

	countAllSQL   = `SELECT count(*) FROM (` + idInRange + ` LIMIT CAST(? AS INTEGER))`
	countUnmetSQL = `SELECT count(*) FROM (` + unsatisfiedIn + someOf + `)`

	// The way from an upstream job to who waits for it: no instance looks further back than the reach of its job.
	waitersSQL = instanceColumns + `JOIN (SELECT d.id FROM job_upstream u CROSS JOIN instance d
		WHERE u.upstream = ? AND d.job = u.job AND d.plan_time >= ? AND d.plan_time <= ? + u.reach AND NOT (d.kind = 'backfill' AND d.key IN (` + applyingKeys + `))
		AND EXISTS (SELECT 1 FROM wait w WHERE w.instance = d.id AND w.upstream = u.upstream AND w.key = ? AND w.first_time <= ? AND w.last_time >= ?)
		ORDER BY u.job, d.plan_time, d.key LIMIT CAST(? AS INTEGER)) f ON f.id = i.id ORDER BY i.job, i.plan_time, i.key`

	queued   = `SELECT 1 FROM instance WHERE state = 'waiting' AND gate = 'slot' AND kind <> 'backfill' AND pool = ? ` // as the index has it
	upTo     = ` LIMIT CAST(? AS INTEGER)`
	aheadSQL = `SELECT count(*) FROM (SELECT * FROM (` + queued + `AND priority > ?` + upTo + `)
		UNION ALL SELECT * FROM (` + queued + `AND priority = ? AND (plan_time, id) < (?, ?)` + upTo + `)` + upTo + `)`

	// What took a number of milliseconds with n digits began less than 10^n of them before it ended; no time has more digits than 15. What took less than
	// a second ended within one.
	startedBySQL = `WITH RECURSIVE took (digits, below) AS (SELECT 4, 10000 UNION ALL SELECT digits + 1, 10 * below FROM took WHERE digits < 15)
		` + instanceColumns + `WHERE i.id IN (
			SELECT id FROM instance WHERE job = ?1 AND ended_at IS NULL AND started_at <= ?2
			UNION ALL SELECT r.id FROM took CROSS JOIN instance r INDEXED BY instance_ran WHERE r.ended_at - r.started_at >= 1000
				AND r.job = ?1 AND length(r.ended_at - r.started_at) = digits AND r.started_at > ?2 - below AND r.started_at <= ?2 AND r.ended_at >= ?2
			UNION ALL SELECT id FROM instance INDEXED BY instance_ended WHERE ended_at >= ?2 AND ended_at < ?2 + 1000 AND job = ?1 AND started_at <= ?2
			UNION ALL SELECT instance FROM run INDEXED BY run_ended WHERE started_at IS NOT NULL AND job = ?1 AND ended_at >= ?2 AND started_at <= ?2
		) ORDER BY i.id`
)

const activeCountsSQL = `SELECT job, count(*) FROM instance WHERE state IN ('running', 'lost') AND state = 'running' GROUP BY job`

// ActiveCounts counts the running instances by job.
func (v *view) ActiveCounts() (map[int64]int, error) {
	counts := map[int64]int{}
	err := v.s.query(activeCountsSQL, func(c *columns) error {
		job := c.int()
		counts[job] = int(c.int())
		return nil
	})
	return counts, err
}

var rangeSQL = map[[2]bool]string{ // unsatisfied, latest
	{false, true}: allRange, {false, false}: strings.ReplaceAll(allRange, " DESC", ""),
	{true, true}: unmet, {true, false}: strings.ReplaceAll(unmet, " DESC", ""),
}

// Range lists the instances that the question asks for.
func (v *view) Range(q engine.RangeQuery) ([]engine.Instance, error) {
	return v.instances(rangeSQL[[2]bool{q.Unsatisfied, q.Latest}], rangeArgs(q)...)
}

// RangeCount counts them, up to the limit of the question.
func (v *view) RangeCount(q engine.RangeQuery) (n int, err error) {
	text := countAllSQL
	if q.Unsatisfied {
		text = countUnmetSQL
	}
	_, err = v.s.one(text, func(c *columns) error {
		n = int(c.int())
		return nil
	}, rangeArgs(q)...)
	return n, err
}

func rangeArgs(q engine.RangeQuery) []any {
	one := []any{q.Job, q.Key, q.From.UnixMilli(), q.To.UnixMilli(), q.Limit}
	if !q.Unsatisfied {
		return one
	}
	args := make([]any, 0, 3*len(one)+1)
	for range 3 {
		args = append(args, one...)
	}
	return append(args, q.Limit)
}

// Waiters lists who waits for an instance of the upstream job and key at a plan time.
func (v *view) Waiters(upstream int64, key string, planTime time.Time, ahead time.Duration, limit int) ([]engine.Instance, error) {
	at := planTime.UnixMilli()
	return v.instances(waitersSQL, upstream, at-ahead.Milliseconds(), at, key, at, at, limit)
}

// Ahead counts the instances in the queue of the same pool whose turn is before that of i.
func (v *view) Ahead(i *engine.Instance, limit int) (n int, err error) {
	_, err = v.s.one(aheadSQL, func(c *columns) error {
		n = int(c.int())
		return nil
	}, i.Pool, i.Priority, limit, i.Pool, i.Priority, i.PlanTime.UnixMilli(), i.ID, limit, limit)
	return n, err
}

// StartedBy lists the instances of the job that had started by the time and had not ended before it.
func (v *view) StartedBy(job int64, at time.Time) ([]engine.Instance, error) {
	return v.instances(startedBySQL, job, at.UnixMilli())
}
