package store

import (
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// The instances of a backfill that is being applied are in the table and are not real yet. Every list and every count leaves them out; the statements
// that wake never reach them, because they are behind the gate time and have no time to be looked at.
const (
	applyingKeys = `SELECT key FROM backfill WHERE applying <> ''`

	real   = ` AND NOT (kind = 'backfill' AND key IN (` + applyingKeys + `))`     // of `FROM instance`
	isReal = ` AND NOT (i.kind = 'backfill' AND i.key IN (` + applyingKeys + `))` // of `FROM instance i`

	realKey = ` AND key NOT IN (` + applyingKeys + `)` // of the counts of backfills

	applyingSQL   = `SELECT 1 FROM backfill WHERE applying <> '' LIMIT 1`
	unrealSQL     = backfillColumns + `WHERE applying <> '' ORDER BY id`
	setWrittenSQL = `UPDATE backfill SET written = ? WHERE key = ? AND applying = 'applying' AND written = ?`
	unwrittenSQL  = `UPDATE backfill SET written = written - ? WHERE key = ? AND applying = 'withdrawing'`

	unrealOf     = ` IN (SELECT id FROM instance WHERE kind = 'backfill' AND key = ? AND state = 'waiting' AND gate = 'time' ORDER BY id LIMIT CAST(? AS INTEGER))`
	withdrawSQL  = `DELETE FROM instance WHERE id` + unrealOf
	dropTheirSQL = `DELETE FROM wait WHERE instance` + unrealOf

	disturbedSQL = `SELECT count(*), coalesce(sum(state <> 'waiting' OR gate <> 'time' OR wake IS NOT NULL OR fence <> 0 OR frozen <> 0), 0)
		FROM instance WHERE kind = 'backfill' AND key = ?`

	witnessSQL = `SELECT (SELECT coalesce(max(id), 0) FROM event), (SELECT next FROM sequence WHERE name = 'id'), (SELECT next FROM sequence WHERE name = 'pruned')`
	placeSQL   = `SELECT job, plan_time FROM instance WHERE id = ?`
	movedSQL   = `SELECT DISTINCT i.job, i.plan_time FROM event e CROSS JOIN instance i WHERE e.id > ? AND i.id = e.instance
		UNION SELECT job, plan_time FROM instance WHERE id >= ?` + real + ` LIMIT CAST(? AS INTEGER)`
)

// A write transaction goes on for so long before what can be done later is left to the next.
const (
	sliceTime  = 20 * time.Millisecond
	sliceWork  = 4000 // statements and rows, whatever the time says
	sliceLeast = 400  // these always go into one: a few milliseconds, also when the machine has no time for us
)

// Full reports whether the transaction has gone on for as long as one may.
func (t *tx) Full() bool {
	return t.s.work >= sliceWork || t.s.work >= sliceLeast && t.elapsed() >= sliceTime
}

// UnrealBackfills lists the backfills whose instances are not real, by id.
func (v *view) UnrealBackfills() ([]engine.BackfillRow, error) { return v.backfills(unrealSQL) }

// Unreal counts the instances of a backfill that are not real, and those of them with which something has happened.
func (v *view) Unreal(key string) (written, disturbed int, err error) {
	row, err := v.Backfill(key)
	if err != nil || row.Stage.Real() {
		return 0, 0, err
	}
	_, err = v.s.one(disturbedSQL, func(c *columns) error {
		written, disturbed = int(c.int()), int(c.int())
		return nil
	}, key)
	return written, disturbed, err
}

// Witness returns what a look at the rows can be held against later.
func (v *view) Witness() (w engine.Witness, err error) {
	if _, err = v.s.one(witnessSQL, func(c *columns) error {
		w.Event, w.Next, w.Pruned = c.int(), c.int(), c.int()
		return nil
	}); err != nil {
		return w, err
	}
	err = v.s.query(applyingKeys+` ORDER BY key`, func(c *columns) error {
		w.Applying = append(w.Applying, c.text())
		return nil
	})
	return w, err
}

// MovedSince lists the job and plan time of each instance with which something has happened since, at most limit.
func (v *view) MovedSince(w engine.Witness, limit int) (moved []engine.JobTime, err error) {
	err = v.s.query(movedSQL, func(c *columns) error {
		moved = append(moved, engine.JobTime{Job: c.int(), PlanTime: c.utc()})
		return nil
	}, w.Event, w.Next, limit)
	return moved, err
}

// MovedSince adds what this transaction has recorded and not written yet.
func (t *tx) MovedSince(w engine.Witness, limit int) ([]engine.JobTime, error) {
	moved, err := t.view.MovedSince(w, limit)
	for n := range t.events {
		if err != nil || len(moved) >= limit {
			break
		}
		if t.events[n].instance == 0 {
			continue
		}
		_, err = t.s.one(placeSQL, func(c *columns) error {
			moved = append(moved, engine.JobTime{Job: c.int(), PlanTime: c.utc()})
			return nil
		}, t.events[n].instance)
	}
	return moved, err
}

// SetWritten says how many instances of a backfill that is being applied are written.
func (t *tx) SetWritten(key string, from, to int) (bool, error) {
	n, err := t.s.exec(setWrittenSQL, to, key, from)
	return n > 0, wrapWritten(key, err)
}

func wrapWritten(key string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("count what is written of the backfill %s: %w", key, err)
}

// Withdraw deletes at most limit instances of a backfill that is being withdrawn, with their waits.
func (t *tx) Withdraw(key string, limit int) (int, error) {
	row, err := t.Backfill(key)
	if err != nil || row.Stage != engine.BackfillWithdrawing {
		return 0, err
	}
	_, err = t.s.exec(dropTheirSQL, key, limit)
	if err != nil {
		return 0, fmt.Errorf("withdraw what instances of %s wait for: %w", key, err)
	}
	n, err := t.s.exec(withdrawSQL, key, limit)
	if err != nil {
		return 0, fmt.Errorf("withdraw instances of %s: %w", key, err)
	}
	_, err = t.s.exec(unwrittenSQL, n, key)
	return n, wrapWritten(key, err)
}
