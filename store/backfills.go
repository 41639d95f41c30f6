package store

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

const (
	backfillColumns = `SELECT id, key, job, from_time, to_time, state, stage, reason, options, actor, created_at, resumed_at, ended_at, applying, written FROM backfill `

	backfillSQL      = backfillColumns + `WHERE key = ?`
	backfillsSQL     = backfillColumns + `WHERE id < ? ORDER BY id DESC LIMIT CAST(? AS INTEGER)`
	openBackfillsSQL = backfillColumns + `WHERE ended_at IS NULL ORDER BY id`
	putBackfillSQL   = `INSERT INTO backfill (id, key, job, from_time, to_time, state, stage, reason, options, actor, created_at, resumed_at, ended_at, applying, written)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET state = excluded.state, stage = excluded.stage, reason = excluded.reason, options = excluded.options,
		resumed_at = excluded.resumed_at, ended_at = excluded.ended_at, applying = excluded.applying, written = excluded.written`

	// What retention has removed the instances of.
	dropBackfillsSQL = `DELETE FROM backfill WHERE ended_at IS NOT NULL AND ended_at < ?
		AND NOT EXISTS (SELECT 1 FROM instance i WHERE i.kind = 'backfill' AND i.key = backfill.key)`

	inLane           = ` i.kind = 'backfill' AND i.key = ? AND i.state = ? `
	laneInstancesSQL = instanceColumns + `WHERE` + inLane + `AND i.gate = ?` + isReal + ` ORDER BY i.id LIMIT CAST(? AS INTEGER)`
	asleepSQL        = instanceColumns + `WHERE i.kind = 'backfill' AND i.key = ? AND i.state = 'waiting' AND i.gate = 'time' AND i.wake IS NULL` + isReal + ` ORDER BY i.id LIMIT CAST(? AS INTEGER)`
	laneCountSQL     = `SELECT instances FROM backfill_count WHERE key = ? AND state = ?` + realKey
	laneStatesSQL    = `SELECT state, instances FROM backfill_count WHERE key = ? AND instances > 0` + realKey
	liveInLanesSQL   = `SELECT i.key, a.pool, a.owner, count(*) FROM attempt a CROSS JOIN instance i ON i.id = a.instance
		WHERE a.outcome IS NULL AND a.action = 'main' AND i.kind = 'backfill' GROUP BY i.key, a.pool, a.owner`
	setLanePrioritySQL = `UPDATE instance SET priority = ? WHERE id >= ? AND id < ? AND +kind = 'backfill' AND +key = ? AND +state = 'waiting'`
	recordedSQL        = `SELECT id, key, plan_time, plan_offset, state, frozen, version, ended_at FROM instance
		WHERE job = ? AND plan_time >= ? AND plan_time <= ? AND kind <> 'manual'` + real + ` ORDER BY plan_time, key`
)

// stages of a backfill by state and stage as stored.
func stageOf(state, stage, applying string) engine.BackfillStage {
	switch {
	case applying != "":
		return engine.BackfillStage(applying)
	case state == "open":
		return engine.BackfillStage(stage)
	}
	return engine.BackfillStage(state)
}

func scanBackfill(c *columns) (b engine.BackfillRow, err error) {
	b.ID, b.Key, b.Job, b.From, b.To = c.int(), c.text(), c.int(), c.utc(), c.utc()
	state, stage := c.text(), c.text()
	if b.Reason, err = decodeReason(c.text()); err != nil {
		return b, fmt.Errorf("backfill %s: %w", b.Key, err)
	}
	if err := json.Unmarshal([]byte(c.text()), &b.Options); err != nil {
		return b, fmt.Errorf("read the options of backfill %s: %w", b.Key, err)
	}
	b.Actor, b.CreatedAt, b.ResumedAt, b.EndedAt = c.text(), c.utc(), c.utc(), c.utc()
	b.Stage, b.Written = stageOf(state, stage, c.text()), int(c.int())
	return b, nil
}

func (v *view) backfills(text string, args ...any) ([]engine.BackfillRow, error) {
	var rows []engine.BackfillRow
	err := v.s.query(text, func(c *columns) error {
		row, err := scanBackfill(c)
		rows = append(rows, row)
		return err
	}, args...)
	return rows, err
}

// Backfill returns the backfill of a key.
func (v *view) Backfill(key string) (row engine.BackfillRow, err error) {
	ok, err := v.s.one(backfillSQL, func(c *columns) (err error) {
		row, err = scanBackfill(c)
		return err
	}, key)
	return row, found(ok, err, "backfill %s", key)
}

// Backfills lists backfills with an id below before, the newest first.
func (v *view) Backfills(before int64, limit int) ([]engine.BackfillRow, error) {
	if before <= 0 {
		before = 1<<63 - 1
	}
	return v.backfills(backfillsSQL, before, limit)
}

// OpenBackfills lists those that have not ended, by id.
func (v *view) OpenBackfills() ([]engine.BackfillRow, error) { return v.backfills(openBackfillsSQL) }

// BackfillStates counts the instances of a backfill by state.
func (v *view) BackfillStates(key string) (map[engine.State]int, error) {
	states := map[engine.State]int{}
	err := v.s.query(laneStatesSQL, func(c *columns) error {
		state := engine.State(c.text())
		states[state] = int(c.int())
		return nil
	}, key)
	return states, err
}

// BackfillInstances lists the instances of a backfill in a state and behind a gate by id.
func (v *view) BackfillInstances(key string, state engine.State, gate engine.Gate, limit int) ([]engine.Instance, error) {
	return v.instances(laneInstancesSQL, key, string(state), string(gate), limit)
}

// BackfillCount counts the instances of a backfill in a state.
func (v *view) BackfillCount(key string, state engine.State) (n int, err error) {
	_, err = v.s.one(laneCountSQL, func(c *columns) error {
		n = int(c.int())
		return nil
	}, key, string(state))
	return n, err
}

// Asleep lists the waiting instances of a backfill that nobody has looked at yet, by id.
func (v *view) Asleep(key string, limit int) ([]engine.Instance, error) {
	return v.instances(asleepSQL, key, limit)
}

// LiveInLanes counts the live attempts of backfills.
func (v *view) LiveInLanes() (loads []engine.LaneLoad, err error) {
	err = v.s.query(liveInLanesSQL, func(c *columns) error {
		loads = append(loads, engine.LaneLoad{Key: c.text(), Pool: c.text(), Owner: c.text(), Attempts: int(c.int())})
		return nil
	})
	return loads, err
}

// Recorded lists what is recorded of a job at plan times in [from, to], by plan time and key.
func (v *view) Recorded(job int64, from, to time.Time) (rows []engine.Record, err error) {
	err = v.s.query(recordedSQL, func(c *columns) error {
		rows = append(rows, engine.Record{
			ID: c.int(), Key: c.text(), PlanTime: c.zoned(), State: engine.State(c.text()), Frozen: c.bool(), Version: c.int(), EndedAt: c.utc(),
		})
		return nil
	}, job, from.UnixMilli(), to.UnixMilli())
	return rows, err
}

// PutBackfill inserts the backfill or replaces the row of the same ID.
func (t *tx) PutBackfill(b engine.BackfillRow) error {
	options, err := json.Marshal(b.Options)
	if err != nil {
		return fmt.Errorf("write the options of backfill %s: %w", b.Key, err)
	}
	state, stage, applying := "open", string(b.Stage), ""
	switch {
	case b.Stage.Real() && !b.Stage.Open():
		state, stage = string(b.Stage), string(engine.BackfillRunning)
	case !b.Stage.Real():
		stage, applying = string(engine.BackfillRunning), string(b.Stage)
	}
	_, err = t.s.exec(putBackfillSQL, b.ID, b.Key, b.Job, b.From.UnixMilli(), b.To.UnixMilli(), state, stage, encodeReason(b.Reason), string(options),
		b.Actor, b.CreatedAt.UnixMilli(), ms(b.ResumedAt), ms(b.EndedAt), applying, b.Written)
	if err != nil {
		return fmt.Errorf("record the backfill %s: %w", b.Key, err)
	}
	return nil
}

// SetLanePriority changes the priority of every waiting instance of the backfill with an id in
// [from, to).
func (t *tx) SetLanePriority(key string, priority int, from, to int64) (int, error) {
	return t.s.exec(setLanePrioritySQL, priority, from, to, key)
}
