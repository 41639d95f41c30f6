package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"modernc.org/sqlite/lib"
)

// Config says where the rows are.
type Config struct {
	Dir            string // the data directory; a writer creates it
	ReadOnly       bool   // beside a running server: no lock is taken, nothing is written
	ForceNetworkFS bool   // use a network file system all the same
	Readers        int    // snapshots at once; 0 is 4
	File           string // of a reader: another name than almanac.db, as that of a copy
	Ballast        int64  // bytes to be given up when the disk is full; 0 is none

	Timed func(commit func()) // calls commit, once, and may time it: this package has no clock; nil calls it
	// Watch starts a stopwatch for each write transaction; its elapsed says when what can be done later is left to the next, see engine.Tx.Full. nil: only the
	// number of rows says so. Held is told how long each transaction has held the writer, if both are there.
	Watch func() (elapsed func() time.Duration)
	Held  func(time.Duration)
	Clock func() time.Time // by which leases are judged; nil where nobody asks, as of a reader
}

// DB is the rows of one data directory. It implements engine.Store; its other methods serve people: lists, history, tokens. All may be called
// from any goroutine, but none from within a function that Write runs.
type DB struct {
	cfg     Config
	dir     *directory
	readers chan *session // nil stands for a session not opened yet

	writer  *writer // nil when read-only
	pages   *pageSums
	ballast *ballast

	checking sync.WaitGroup
	stop     context.CancelFunc // of the check that goes on beside

	mu       sync.Mutex
	closed   bool
	inflight sync.WaitGroup
}

// checkAtOnce is the size up to which a file is checked before anything is done with it after an unclean stop: about a quarter of a second. A
// larger one is checked beside the work that begins, and damage ends the writing then.
var checkAtOnce int64 = 64 << 20

// checkAlways is the size up to which a file is checked after a clean stop too: that costs less than anybody notices.
const checkAlways = 16 << 20

var _ engine.Store = (*DB)(nil)

// Open opens the database of a data directory, creating both where there is nothing yet. The errors about the directory are *UnusableError:
// something that is there is never replaced by an empty database.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	if cfg.Readers <= 0 {
		cfg.Readers = 4
	}
	dir, err := openDirectory(cfg)
	if err != nil {
		return nil, err
	}
	db := &DB{cfg: cfg, dir: dir, readers: make(chan *session, cfg.Readers), ballast: newBallast(dir.path, cfg.Ballast)}
	if err := db.open(ctx); err != nil {
		if db.pages != nil {
			_ = db.pages.f.Close()
		}
		return nil, errors.Join(err, dir.close())
	}
	return db, nil
}

func (db *DB) open(ctx context.Context) error {
	exists, unclean, err := db.dir.inspect()
	if err != nil {
		return err
	}
	const op = "open the database in"
	later := false
	if !db.cfg.ReadOnly {
		if exists {
			_, known := readHead(db.dir.path)
			if db.pages, err = openPages(db.dir.file(), !known); err != nil {
				return db.unusable(op, err)
			}
			size := fileSize(db.dir.file())
			if later = unclean && size > checkAtOnce; unclean && !later || !unclean && size <= checkAlways {
				if err := db.check(ctx); err != nil {
					return db.unusable(op, err)
				}
			}
			changed, err := migrate(ctx, db.dir.file())
			if err != nil {
				return db.unusable(op, err)
			}
			if changed { // by a connection whose log it has copied itself
				err = db.pages.forget()
			}
			if err = errors.Join(err, db.pages.begin()); err != nil {
				return db.unusable(op, err)
			}
		} else {
			if err := db.create(ctx); err != nil {
				return db.unusable("create a database in", err)
			}
			if db.pages, err = openPages(db.dir.file(), true); err != nil {
				return db.unusable("create a database in", err)
			}
		}
	}
	first, err := db.openReader()
	if err != nil {
		return db.unusable(op, err)
	}
	db.readers <- first
	for range db.cfg.Readers - 1 {
		db.readers <- nil
	}
	if db.cfg.ReadOnly {
		if err := db.checkVersion(first); err != nil {
			return errors.Join(db.unusable(op, err), first.close())
		}
		return nil
	}
	if err := checkHead(first, db.dir); err != nil {
		return errors.Join(db.unusable(op, err), first.close())
	}
	if db.writer, err = startWriter(db); err != nil {
		return errors.Join(db.unusable(op, err), first.close())
	}
	db.checkBeside(later)
	return nil
}

// create makes the database under another name and gives it its own when it is complete, so that a file of that name is never half of one.
func (db *DB) create(ctx context.Context) error {
	path := filepath.Join(db.dir.path, newFileName)
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if _, err := migrate(ctx, path); err != nil {
		return err
	}
	if err := syncWhole(path); err != nil {
		return err
	}
	if err := os.Rename(path, db.dir.file()); err != nil {
		return err
	}
	return syncDir(db.dir.path)
}

// syncWhole refuses a database of which a part is still in its log, because the disk did not take it, and makes the rest durable before it gets its name.
func syncWhole(path string) error {
	if left := fileSize(path + "-wal"); left > 0 {
		return fmt.Errorf("%d bytes of the new database are in its log and did not get into the file", left)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// check looks for damage after a stop that was no Close.
func (db *DB) check(ctx context.Context) error {
	s, err := openSession(db.dir.file(), true)
	if err != nil {
		return err
	}
	return errors.Join(quickCheck(ctx, s, 1), s.close())
}

// checkBeside takes the checksums that are unknown while the work goes on, and may check before;
// when there is damage that ends the writing.
func (db *DB) checkBeside(check bool) {
	ctx, cancel := context.WithCancel(context.Background())
	db.stop = cancel
	db.checking.Go(func() {
		if check {
			if err := db.check(ctx); err != nil && ctx.Err() == nil {
				db.writer.fail(err)
				return
			}
		}
		_ = db.learn(ctx) // what stays unknown is taken by the next server
	})
}

func (db *DB) checkVersion(s *session) error {
	known := KnownSchema()
	current, err := schemaVersion(s)
	switch {
	case err != nil:
		return err
	case current > known:
		return fmt.Errorf("%w: its schema is %d, this program knows %d", ErrNewer, current, known)
	case current < known:
		return fmt.Errorf("its schema is %d, and %d is needed; start the server once to bring it up to date", current, known)
	}
	return nil
}

// unusable adds to an error what a person can do about it.
func (db *DB) unusable(op string, err error) error {
	hint := "check that this user may read and write the files in it"
	switch {
	case errors.Is(err, ErrNewer):
		hint = "use that version, or restore a backup made by this one"
	case errors.Is(err, ErrCorrupt):
		hint = hintRestore
	case errors.Is(err, ErrStale):
		hint = hintStale
	case errors.Is(err, ErrMoved):
		hint = hintMoved
	case errors.Is(err, ErrHead):
		hint = hintHead
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		hint = "start again"
	case isNoSpace(err):
		hint = hintDisk
	case isFull(err):
		hint = hintDisk
	default:
		switch code(err) {
		case sqlite3.SQLITE_CORRUPT:
			err, hint = fmt.Errorf("%w: %w", ErrCorrupt, err), hintRestore
		case sqlite3.SQLITE_NOTADB:
			err, hint = fmt.Errorf("%w: %w", ErrNotDatabase, err), hintRestore
		case sqlite3.SQLITE_IOERR:
			hint = hintIO
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
			hint = hintBusy
		case sqlite3.SQLITE_READONLY:
			hint = hintMounted
		}
	}
	return &UnusableError{Dir: db.dir.path, Op: op, Hint: hint, Err: err}
}

// Close waits for the writes under way, closes the files and gives the directory free. Later calls return ErrClosed.
func (db *DB) Close() error {
	db.mu.Lock()
	if db.closed {
		db.mu.Unlock()
		return nil
	}
	db.closed = true
	db.mu.Unlock()
	db.inflight.Wait()

	if db.stop != nil {
		db.stop()
		db.checking.Wait()
	}
	var errs []error
	if db.writer != nil && db.Failed() != nil {
		// The last connection to be closed copies the log back and removes it. After an error of the disk that must not be tried again by this
		// process: a sync that is repeated may report what it has not done. The next one finds the log and begins anew.
		_ = db.writer.abandon() // why it failed is known
		return db.dir.close()
	}
	for range db.cfg.Readers {
		if s := <-db.readers; s != nil {
			errs = append(errs, s.close())
		}
	}
	if db.writer != nil {
		errs = append(errs, db.writer.stop())
	}
	return errors.Join(append(errs, db.dir.close())...)
}

// enter counts a call that Close has to wait for.
func (db *DB) enter() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return ErrClosed
	}
	db.inflight.Add(1)
	return nil
}

// Read runs fn on one consistent snapshot.
func (db *DB) Read(ctx context.Context, fn func(v engine.View) error) error {
	return db.read(ctx, func(v *view) error { return fn(v) })
}

func (db *DB) read(ctx context.Context, fn func(v *view) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := db.enter(); err != nil {
		return err
	}
	defer db.inflight.Done()
	defer func() {
		if err == nil || db.writer == nil || errors.Is(err, ErrMoved) || code(err) == 0 {
			return
		}
		if moved := db.writer.place.check(); moved != nil { // which is why SQLite found its files wanting
			err = fmt.Errorf("%w: %w: %w", engine.ErrUnavailable, db.writer.words(moved), err)
		}
	}()
	var s *session
	select {
	case s = <-db.readers:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { db.readers <- s }()
	if s == nil {
		if s, err = db.openReader(); err != nil {
			return fmt.Errorf("open a reader: %w", unavailable(err))
		}
	}
	if err := s.control("BEGIN"); err != nil {
		return fmt.Errorf("begin to read: %w", unavailable(err))
	}
	defer func() {
		s.broken = nil
		if e := s.control("ROLLBACK"); e != nil {
			err = errors.Join(err, fmt.Errorf("end a snapshot: %w", e), s.close())
			s = nil // of no use any more; the next reader opens another
		}
	}()
	return unavailable(fn(&view{s: s, clock: db.cfg.Clock}))
}
