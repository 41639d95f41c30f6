package store

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

var inMemory = sync.OnceValues(func() (*session, error) { return openConnection(":memory:") })

// OutlineOf reads an instance back from what an outline makes of its words, flags, run and offset.
func OutlineOf(i *engine.Instance, offset int) (got engine.Instance, gotOffset int, err error) {
	s, err := inMemory()
	if err != nil {
		return got, 0, err
	}
	const row = `(SELECT 0 AS id, 0 AS job, 0 AS plan_time, 0 AS not_before, 0 AS started_at,
		0 AS ended_at, '' AS key, ? AS state, ? AS gate, ? AS kind, ? AS dry_run, ? AS frozen, ? AS plan_offset, ? AS run)`
	text := strings.Replace(outlineColumns, "FROM instance ", "FROM "+row, 1)
	_, err = s.one(text, func(c *columns) error {
		for range 6 {
			c.take()
		}
		o := outlineOf(c.int())
		got = engine.Instance{
			State: o.state, Gate: o.gate, Kind: o.kind, DryRun: o.dryRun, Frozen: o.frozen, Run: o.run,
		}
		_, gotOffset = time.Unix(0, 0).In(o.zone).Zone()
		return nil
	}, string(i.State), string(i.Gate), string(i.Kind), i.DryRun, i.Frozen, offset, i.Run)
	return got, gotOffset, err
}

// OnSync tells of each sync of a small file from now on.
func OnSync(tell func(path string)) {
	syncSmall = func(f *os.File) error {
		err := f.Sync()
		if err == nil {
			tell(f.Name())
		}
		return err
	}
}

// CheckPages compares the pages with their checksums.
func (db *DB) CheckPages() error {
	s, err := db.openReader()
	if err != nil {
		return err
	}
	faults, err := db.checkPages(context.Background(), s, 10)
	return errors.Join(append(faults, err, s.close())...)
}

// CopyLog copies the log as the checkpointer does, in a mode of SQLite's, whatever its size.
func (db *DB) CopyLog(mode string) (err error) {
	pin, err := openSession(db.dir.file(), true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pin.close()) }()
	s, err := openSession(db.dir.file(), false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if mode == "PASSIVE" {
		return (&checkpointer{w: db.writer, s: s, pin: pin}).copyPinned()
	}
	db.writer.checkpoints.turn.Lock()
	defer db.writer.checkpoints.turn.Unlock()
	if err := db.pages.follow(); err != nil {
		return err
	}
	return s.control("PRAGMA wal_checkpoint(" + mode + ")")
}
