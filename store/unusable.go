package store

import (
	"errors"
	"fmt"
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
	ErrForeign     = errors.New("almanac.db is the database of another program")
	ErrNotDatabase = errors.New("almanac.db is no SQLite database")
	ErrCorrupt     = errors.New("almanac.db is damaged")
	ErrNewer       = errors.New("almanac.db was written by a newer version of almanac")
	ErrNetwork     = errors.New("it is on a network file system, where SQLite's locks cannot be trusted")
	ErrMissing     = errors.New("there is no almanac.db in it")
)

// ErrClosed is returned by a DB after Close.
var ErrClosed = errors.New("the store is closed")

// ErrReadOnly is returned by writes to a DB that was opened read-only.
var ErrReadOnly = errors.New("the store was opened read-only")

const (
	hintRestore = "stop here: restore a backup into an empty directory, or ask for help before anything is deleted"
	hintDisk    = "free some space on that file system and start again; nothing was changed"
)
