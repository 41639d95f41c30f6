package store

import (
	"context"
	"errors"
	"os"
)

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
