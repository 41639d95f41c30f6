package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/almanac-sched/almanac/engine"
	"github.com/pressly/goose/v3"
	"modernc.org/sqlite/lib"
)

// openOutside opens a database that another process may be writing to, or that must stay as it is. Unlike a reader of the server's own pool the
// connection cannot write at all: closing it copies no log back into the file. What stands on a medium that cannot be written to is opened as
// a file that nobody changes; with a log beside it that is refused, because its last writes are in there.
func openOutside(path string) (*session, error) {
	s, err := openRead(path, "mode", "ro")
	if err == nil {
		return s, nil
	}
	if c := code(err); (c != sqlite3.SQLITE_CANTOPEN && c != sqlite3.SQLITE_READONLY) || fileSize(path+"-wal") > 0 {
		return nil, err
	}
	s, again := openRead(path, "immutable", "1")
	if again != nil {
		return nil, err
	}
	return s, nil
}

// openRead opens a connection and reads from it once: until then nothing is known.
func openRead(path, name, value string) (*session, error) {
	q := url.Values{name: {value}, "_pragma": {"busy_timeout(10000)", "query_only(1)"}}
	s, err := openConnection("file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode())
	if err != nil {
		return nil, err
	}
	if err := s.read(`SELECT count(*) FROM sqlite_schema`, func(*columns) error { return nil }, nil); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// openReader opens a connection for Read.
func (db *DB) openReader() (*session, error) {
	if db.cfg.ReadOnly {
		return openOutside(db.dir.file())
	}
	if db.writer != nil {
		if err := db.writer.place.check(); err != nil {
			return nil, fmt.Errorf("%w: %w", engine.ErrUnavailable, db.writer.words(err))
		}
	}
	return openSession(db.dir.file(), true)
}

// QuickCheck reads every page of the file and checks that they fit together. It returns ErrCorrupt, with what SQLite says, when they do not.
func (db *DB) QuickCheck(ctx context.Context) error {
	s, err := db.openReader()
	if err != nil {
		return db.unusable("open the database in", err)
	}
	err = quickCheck(ctx, s, 10)
	if ctx.Err() == nil && db.cfg.File == "" {
		faults, failed := db.checkPages(ctx, s, 10)
		err = errors.Join(append(faults, err, failed)...)
	}
	if err != nil && ctx.Err() == nil {
		err = db.unusable("check the database in", err)
	}
	return errors.Join(err, s.close())
}

// quickCheck collects at most so many faults of the file. The error wraps ErrCorrupt when there is one.
func quickCheck(ctx context.Context, s *session, most int) error {
	s.ctx = ctx
	var faults []error
	err := s.read(fmt.Sprintf("PRAGMA quick_check(%d)", most), func(c *columns) error {
		if text := c.text(); text != "ok" {
			faults = append(faults, fmt.Errorf("%w: %s", ErrCorrupt, text))
		}
		return nil
	}, nil)
	return errors.Join(append(faults, err)...)
}

// SchemaVersion returns the version of the schema that the file has.
func (db *DB) SchemaVersion(ctx context.Context) (version int64, err error) {
	err = db.read(ctx, func(v *view) error {
		version, err = schemaVersion(v.s)
		return err
	})
	return version, err
}

// KnownSchema is the version of the schema that this program reads and writes: the number of the last migration.
func KnownSchema() int64 {
	entries, err := migrations.ReadDir("migrations")
	var number int64 // of the last one: numbers may be left out
	if err == nil {
		number, err = goose.NumericComponent(entries[len(entries)-1].Name())
	}
	if err != nil {
		panic("stuck, this is a bug: " + err.Error()) // they are part of the program
	}
	return number
}

const schemaVersionSQL = `SELECT max(version_id) FROM goose_db_version WHERE is_applied = 1`

func schemaVersion(s *session) (version int64, err error) {
	err = s.read(schemaVersionSQL, func(c *columns) error {
		version = c.int()
		return nil
	}, nil)
	return version, err
}
