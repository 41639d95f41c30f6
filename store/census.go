package store

import "github.com/almanac-sched/almanac/engine"

const (
	censusSQL = `SELECT (` + countOpenSQL + `), (SELECT count(*) FROM outbox WHERE state = 'pending'),
		(SELECT min(created_at) FROM outbox WHERE state = 'pending'), (SELECT max(id) FROM event)`
	rangeOfSQL = instanceColumns + `WHERE i.job = ? AND i.plan_time BETWEEN ? AND ? AND i.key = ?` + isReal + ` ORDER BY i.plan_time DESC LIMIT CAST(? AS INTEGER)`
)

// Census counts what is open.
func (v *view) Census() (n engine.Census, err error) {
	n.States, n.Gates = map[engine.State]int{}, map[engine.Gate]int{}
	open := 0
	_, err = v.s.one(censusSQL, func(c *columns) error {
		open, n.Outbox, n.OutboxSince, n.LastEvent = int(c.int()), int(c.int()), c.utc(), c.int()
		return nil
	})
	if err != nil {
		return n, err
	}
	if err := v.s.query(countRunningSQL, func(c *columns) error {
		n.States[engine.State(c.text())] = int(c.int())
		return nil
	}); err != nil {
		return n, err
	}
	timed := open - n.States[engine.Running] - n.States[engine.Lost]
	if timed > 0 {
		n.States[engine.Waiting] = timed
	}
	err = v.s.query(countGatesSQL, func(c *columns) error {
		gate, count := engine.Gate(c.text()), int(c.int())
		n.Gates[gate] = count
		timed -= count
		return nil
	})
	if timed > 0 {
		n.Gates[engine.GateTime] = timed
	}
	return n, err
}

// RangeOf lists the instances that a wait is for, the latest plan time first, at most limit.
func (v *view) RangeOf(w *engine.Wait, limit int) ([]engine.Instance, error) {
	if w.Count == 0 {
		return nil, nil
	}
	return v.instances(rangeOfSQL, w.Upstream, w.First.UnixMilli(), w.Last.UnixMilli(), w.Key, limit)
}

// Sizes is how many bytes the files of the database have.
type Sizes struct {
	Database int64
	Log      int64 // write-ahead log
}

// Sizes returns how large the files are.
func (db *DB) Sizes() Sizes {
	path := db.dir.file()
	return Sizes{Database: fileSize(path), Log: fileSize(path + "-wal")}
}

// commitRows makes the transaction durable, in the hands of whom the configuration lets time it.
func (g *group) commitRows() error {
	if timed := g.w.timed; timed != nil {
		var err error
		timed(func() { err = g.w.s.control("COMMIT") })
		return err
	}
	return g.w.s.control("COMMIT")
}
