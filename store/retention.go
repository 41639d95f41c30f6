package store

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

const (
	// ended is an index of times; the rows of one millisecond follow by id. What instances that are not planned yet will look back at stays: none of
	// them has a plan time before its job's watermark, and none looks further back than the reach. What was skipped ahead of its time stays until then: the
	// planner must find it.
	prunableSQL = `SELECT id, job, key, plan_time, ended_at, state, fence FROM instance WHERE ended_at IS NOT NULL AND ended_at < ? AND (ended_at, id) > (?, ?)
		AND plan_time < ?
		AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.instance = instance.id AND o.state = 'pending')
		AND NOT EXISTS (SELECT 1 FROM job_upstream u JOIN job d ON d.id = u.job JOIN plan_mark m ON m.job = u.job
			WHERE u.upstream = instance.job AND NOT d.removed AND NOT d.disabled AND instance.plan_time >= m.planned_to - u.reach)
		ORDER BY ended_at, id LIMIT CAST(? AS INTEGER)`
	// What open instances wait for among upstream instances of a job, a key and such plan times. Those
	// that may are found by job, by each key that its open instances have, and by how far it looks.
	neededSQL = `WITH RECURSIVE down(job, back, ahead, key) AS (
			SELECT u.job, u.reach, u.ahead, (SELECT min(key) FROM instance WHERE job = u.job AND ended_at IS NULL)
				FROM job_upstream u WHERE u.upstream = ?1
			UNION ALL
			SELECT d.job, d.back, d.ahead, (SELECT min(key) FROM instance WHERE job = d.job AND ended_at IS NULL AND key > d.key)
				FROM down d WHERE d.key IS NOT NULL),
		frost(n) AS (VALUES (0), (1))
		SELECT w.first_time, w.last_time FROM down d CROSS JOIN frost f CROSS JOIN instance i CROSS JOIN wait w
		WHERE d.key IS NOT NULL AND i.job = d.job AND i.key = d.key AND i.frozen = f.n AND i.ended_at IS NULL
		AND i.plan_time >= ?3 - d.ahead AND i.plan_time <= ?4 + d.back
		AND w.instance = i.id AND w.upstream = ?1 AND w.key = ?2 AND w.last_time >= ?3 AND w.first_time <= ?4`
	attemptsGoneSQL = `SELECT id, action, outcome, started_at FROM attempt WHERE instance = ? ORDER BY id`

	prunedSQL     = `UPDATE sequence SET next = next + 1 WHERE name = 'pruned'`
	dropLeasesSQL = `DELETE FROM lease WHERE expires_at < ?`

	prunePage   = 64                  // candidates that are looked at together
	pruneSpan   = 24 * 60 * 60 * 1000 // plan times of one job that are, in milliseconds
	pruneEvents = 8                   // removed for each instance that may be
)

var pruneSQL = []string{
	`DELETE FROM wait WHERE instance = ?`,
	`DELETE FROM former_wait WHERE instance = ?`,
	`DELETE FROM step WHERE instance = ?`,
	`DELETE FROM outbox WHERE instance = ?`,
	`DELETE FROM attempt WHERE instance = ?`,
	`DELETE FROM run WHERE instance = ?`,
	`DELETE FROM instance WHERE id = ?`,
}

type prunable struct {
	id int64
	identity
	endedAt int64
	state   engine.State
	fence   int64
}

// Prune deletes at most limit ended instances that ended before the time, oldest first, with their waits, steps, attempts and outbox rows, but
// none that an open instance waits for, that one yet to be planned may, or that still owes a delivery. What a tally counts of them is added to the tally of
// their job, in this transaction. Leases that ended before it go with the first call. The history before that time goes too, from its beginning and some at
// a time, so that what is left of the chain of hashes can still be verified. It returns the ids of the attempts deleted.
//
// Azure Scheduler's other limit, "60 days or the last 1,000 executions" (`azure-scheduler.md` §4), bounds what its history shows, and is held where it is
// shown. A row that is younger than the time stays whatever its number: until then every due time has its instance, which verify holds against the plan.
func (t *tx) Prune(before time.Time, limit int) (instances int, attempts []int64, err error) {
	// What is being applied waits for rows that were there when it was planned, and is not in the rows as a whole yet.
	if busy, err := t.s.one(applyingSQL, func(*columns) error { return nil }); err != nil || busy {
		return 0, nil, err
	}
	at, after := before.UnixMilli(), t.s.pruned
	if after.endedAt == 0 || after.endedAt >= at {
		after = prunable{endedAt: -1 << 62}
	}
	t.s.pruned = prunable{}
	removed := removals{}
	for first := true; instances < limit; first = false {
		if !first && t.Full() {
			t.s.pruned = after // the next call goes on there: what is needed for long does not hide the rest
			break
		}
		candidates, err := t.prunable(at, after, min(prunePage, limit-instances))
		if err != nil {
			return 0, nil, fmt.Errorf("list what retention may remove: %w", err)
		}
		if len(candidates) == 0 {
			break
		}
		after = candidates[len(candidates)-1]
		t.s.work += len(candidates)
		if candidates, err = t.unneeded(candidates); err != nil {
			return 0, nil, fmt.Errorf("look for what is still waited for: %w", err)
		}
		for _, c := range candidates {
			if instances > 0 && t.Full() {
				break // the rest is for the next call
			}
			r, err := t.removalOf(removed, c.job)
			if err != nil {
				return 0, nil, err
			}
			if attempts, err = t.remove(c, r, attempts); err != nil {
				return 0, nil, fmt.Errorf("remove instance %d: %w", c.id, err)
			}
			instances++
		}
	}
	if instances > 0 {
		if _, err := t.s.exec(prunedSQL); err != nil {
			return 0, nil, fmt.Errorf("note that retention removed something: %w", err)
		}
	}
	if err := t.keepTallies(removed); err != nil {
		return 0, nil, err
	}
	if _, err := t.s.exec(dropLeasesSQL, at); err != nil {
		return 0, nil, fmt.Errorf("remove old leases: %w", err)
	}
	if _, err := t.s.exec(dropBackfillsSQL, at); err != nil {
		return 0, nil, fmt.Errorf("remove old backfills: %w", err)
	}
	if _, err := t.s.exec(oldOperationsSQL, at); err != nil {
		return 0, nil, fmt.Errorf("remove old operations: %w", err)
	}
	if err := t.pruneHistory(at, pruneEvents*limit); err != nil {
		return 0, nil, fmt.Errorf("remove old history: %w", err)
	}
	return instances, attempts, nil
}

func (t *tx) prunable(before int64, after prunable, limit int) ([]prunable, error) {
	var list []prunable
	err := t.s.query(prunableSQL, func(c *columns) error {
		list = append(list, prunable{id: c.int(), identity: identity{c.int(), c.text(), c.int()}, endedAt: c.int(), state: engine.State(c.text()), fence: c.int()})
		return nil
	}, before, after.endedAt, after.id, before, limit)
	return list, err
}

// unneeded leaves out what an open instance waits for. It looks at each job's candidates of a natural
// day together, and only at open instances that look so far.
func (t *tx) unneeded(list []prunable) ([]prunable, error) {
	parts := slices.Clone(list)
	slices.SortFunc(parts, func(a, b prunable) int {
		return cmp.Or(cmp.Compare(a.job, b.job), cmp.Compare(a.key, b.key), cmp.Compare(a.planTime, b.planTime))
	})
	needed := map[int64]bool{}
	for from := 0; from < len(parts); {
		first, to := &parts[from], from+1
		for to < len(parts) && parts[to].job == first.job && parts[to].key == first.key && parts[to].planTime-first.planTime < pruneSpan {
			to++
		}
		part := parts[from:to]
		if err := t.s.query(neededSQL, func(c *columns) error {
			since, until := c.int(), c.int()
			t.s.work++
			for n := range part {
				if since <= part[n].planTime && part[n].planTime <= until {
					needed[part[n].id] = true
				}
			}
			return nil
		}, first.job, first.key, first.planTime, part[len(part)-1].planTime); err != nil {
			return nil, err
		}
		from = to
	}
	return slices.DeleteFunc(list, func(p prunable) bool { return needed[p.id] }), nil
}

// remove takes an instance out and adds what is counted of it to r.
func (t *tx) remove(p prunable, r *removal, attempts []int64) ([]int64, error) {
	counts, before := r.counts && p.id > r.after, r.attempts
	if err := t.s.query(attemptsGoneSQL, func(c *columns) error {
		attempts = append(attempts, c.int())
		if c.text() != actionError && counts {
			r.attempt(engine.Outcome(c.text()), c.utc())
		}
		return nil
	}, p.id); err != nil {
		return attempts, err
	}
	if counts {
		if r.attempts > before {
			r.occurrences++
		}
		if p.state == engine.Failed {
			r.faulted++
		}
		if p.key == "" {
			r.end(p.state, time.UnixMilli(p.planTime).UTC(), time.UnixMilli(p.endedAt).UTC())
		}
	}
	if i := (engine.Instance{State: p.state, Fence: p.fence}); p.key == "" && i.Counts() && p.planTime >= r.created {
		r.counted++
	}
	for _, text := range pruneSQL {
		if _, err := t.s.exec(text, p.id); err != nil {
			return attempts, err
		}
	}
	return attempts, nil
}

const (
	oldEventsSQL  = `SELECT id, at, hash FROM event ORDER BY id LIMIT CAST(? AS INTEGER)`
	moveAnchorSQL = `UPDATE event_anchor SET id = ?, hash = ? WHERE one = 1`
	dropEventsSQL = `DELETE FROM event WHERE id <= ?`
)

// pruneHistory removes at most limit events from the beginning of the history, up to the first that is not older than the time.
func (t *tx) pruneHistory(before int64, limit int) error {
	var anchor int64
	var hash []byte
	young := false
	err := t.s.query(oldEventsSQL, func(c *columns) error {
		n, at, h := c.int(), c.int(), c.blob()
		if young = young || at >= before; !young {
			anchor, hash = n, h
		}
		return nil
	}, limit)
	if err != nil || anchor == 0 {
		return err
	}
	if _, err := t.s.exec(moveAnchorSQL, anchor, hash); err != nil {
		return err
	}
	_, err = t.s.exec(dropEventsSQL, anchor)
	return err
}
