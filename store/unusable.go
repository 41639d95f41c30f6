package store

import (
	"errors"
	"fmt"

	"github.com/almanac-sched/almanac/engine"
	"modernc.org/sqlite"
	"modernc.org/sqlite/lib"
)

// An UnusableError says that a data directory cannot be used as it is, and what a person can do about it. Nothing was changed.
type UnusableError struct {
	Dir  string
	Op   string // what was attempted: "open the data directory"
	Hint string // what to do
	Err  error
}

func (e *UnusableError) Error() string {
	return fmt.Sprintf("%s %s: %v; %s", e.Op, e.Dir, e.Err, e.Hint)
}

func (e *UnusableError) Unwrap() error { return e.Err }

// What can be wrong with a data directory; an UnusableError wraps one of these, or the error of the system.
var (
	ErrLocked      = errors.New("another server uses it")
	ErrLockLeft    = errors.New("that process is gone; a child that it had just forked holds the lock until it is another program: try again in a moment")
	ErrForeign     = errors.New("almanac.db is the database of another program")
	ErrNotDatabase = errors.New("almanac.db is no SQLite database")
	ErrCorrupt     = errors.New("almanac.db is damaged")
	ErrNewer       = errors.New("almanac.db was written by a newer version of almanac")
	ErrNetwork     = errors.New("it is on a network file system, where SQLite's locks cannot be trusted")
	ErrMissing     = errors.New("there is no almanac.db in it")
	ErrHead        = errors.New("the file named head, which says what this directory has held, cannot be read")
	ErrStale       = errors.New("almanac.db is not the one that was here last")
)

// ErrClosed is returned by a DB after Close.
var ErrClosed = errors.New("the store is closed")

// ErrReadOnly is returned by writes to a DB that was opened read-only.
var ErrReadOnly = errors.New("the store was opened read-only")

const (
	hintRestore = "stop here and keep the directory as it is: restore a backup into an empty directory with `almanac restore`"
	hintDisk    = "free some space on that file system and start again; nothing was changed"
	hintIO      = "what was acknowledged is on the disk: check it (its cable, its health, the system's log), then start again"
	hintBusy    = "another program has the database open for itself, such as the sqlite3 shell: end it and start again"
	hintMounted = "this user may not write there: look at the owner and the mode of the files, and whether the file system is mounted read-only (Linux does that after errors of the disk); nothing was changed"
	hintHead    = "restore a backup into an empty directory, or, when almanac.db is certainly the last one of this directory, remove the file named head and start again"
	hintStale   = "put the last almanac.db back, with its almanac.db-wal, or restore a backup into an empty directory; remove the file named head only to go on with this copy, and to lose what came after it"
)

// isFull reports whether there was no room. SQLITE_FULL leaves everything as it was; so does a shared memory that cannot grow, which SQLite counts as
// an error of the disk.
func isFull(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && (e.Code()&0xff == sqlite3.SQLITE_FULL || e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE)
}

// unavailable marks errors after which trying again makes sense: another process holds the database, or there is no room just now.
func unavailable(err error) error {
	if err == nil || errors.Is(err, engine.ErrUnavailable) {
		return err
	}
	if c := code(err); c != sqlite3.SQLITE_BUSY && c != sqlite3.SQLITE_LOCKED && !isFull(err) {
		return err
	}
	if isFull(err) {
		return fmt.Errorf("%w: %w: %w", engine.ErrUnavailable, engine.ErrFull, err)
	}
	return fmt.Errorf("%w: %w", engine.ErrUnavailable, err)
}
