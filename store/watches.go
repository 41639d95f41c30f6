package store

import (
	"fmt"

	"github.com/almanac-sched/almanac/engine"
)

const (
	watchColumns = `SELECT w.id, w.instance, w.step, w.number, w.started_at, w.until, w.next_at, w.polls, w.last, w.child FROM watch w `
	watchesSQL   = watchColumns + `WHERE w.instance = ? ORDER BY w.id`
	// One whose end was taken back by a rerun goes on.
	watchesOverSQL = watchColumns + `CROSS JOIN instance c WHERE w.over = 1 AND c.id = w.child AND c.ended_at IS NOT NULL ORDER BY w.id LIMIT CAST(? AS INTEGER)`

	putWatchSQL = `INSERT INTO watch (id, instance, step, number, started_at, until, next_at, polls, last, child, over)
		SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, EXISTS (SELECT 1 FROM instance WHERE id = ?10 AND ended_at IS NOT NULL)
		WHERE EXISTS (SELECT 1 FROM instance WHERE id = ?2 AND state = 'running' AND fence = ?11)
		ON CONFLICT (id) DO UPDATE SET until = excluded.until, next_at = excluded.next_at, polls = excluded.polls, last = excluded.last,
			child = excluded.child, over = excluded.over`
	endWatchSQL = `DELETE FROM watch WHERE id = ? AND instance = ?
		AND EXISTS (SELECT 1 FROM instance WHERE id = watch.instance AND state = 'running' AND fence = ?)`

	watchOverSQL   = `UPDATE watch SET over = 1 WHERE child = ?`
	dropWatchesSQL = `DELETE FROM watch WHERE instance = ?`
)

func (v *view) watches(text string, arg any) (rows []engine.WatchRow, err error) {
	err = v.s.query(text, func(c *columns) error {
		rows = append(rows, engine.WatchRow{
			ID: c.int(), Instance: c.int(), Step: c.text(), Number: int(c.int()), StartedAt: c.utc(), Until: c.utc(), Next: c.utc(), Polls: int(c.int()),
			Last: c.text(), Child: c.int(),
		})
		return nil
	}, arg)
	return rows, err
}

// Watches lists what the steps of an instance watch, by ID.
func (v *view) Watches(instance int64) ([]engine.WatchRow, error) {
	return v.watches(watchesSQL, instance)
}

// WatchesOver lists those whose child has ended, by ID.
func (v *view) WatchesOver(limit int) ([]engine.WatchRow, error) {
	return v.watches(watchesOverSQL, limit)
}

// PutWatch inserts the row or replaces the one of the same ID; false when its instance is not running under the fence.
func (t *tx) PutWatch(w engine.WatchRow, fence int64) (bool, error) {
	n, err := t.s.exec(putWatchSQL, w.ID, w.Instance, w.Step, w.Number, w.StartedAt.UnixMilli(), ms(w.Until), ms(w.Next), w.Polls, w.Last, id(w.Child), fence)
	if err != nil {
		return false, fmt.Errorf("record what step %q of instance %d watches: %w", w.Step, w.Instance, err)
	}
	return n > 0, nil
}

// EndWatch removes the row; false when there is none, or its instance is not running under the fence.
func (t *tx) EndWatch(id, instance, fence int64) (bool, error) {
	n, err := t.s.exec(endWatchSQL, id, instance, fence)
	return n > 0, err
}

// leaveWatches keeps what is watched in step with an instance that has ended, or has stopped running.
func (t *tx) leaveWatches(instance int64, from, to engine.State) error {
	if to.Ended() {
		if _, err := t.s.exec(watchOverSQL, instance); err != nil {
			return fmt.Errorf("tell who waits for instance %d: %w", instance, err)
		}
	}
	if from == engine.Running {
		if _, err := t.s.exec(dropWatchesSQL, instance); err != nil {
			return fmt.Errorf("remove what instance %d watches: %w", instance, err)
		}
	}
	return nil
}
