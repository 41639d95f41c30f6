package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// applicationID marks a SQLite file as ours: "almn" as an integer.
const applicationID = 0x616c6d6e

const (
	fileName    = "almanac.db"
	newFileName = "almanac.db.new"
	lockName    = "lock"
)

// A directory is the data directory of a server.
type directory struct {
	path string
	name string   // of the database in it
	lock *os.File // nil when opened read-only
	log  bool     // there was one when it was inspected: no server had stopped in it, or one goes on
}

func (d *directory) file() string { return filepath.Join(d.path, d.name) }

// prepare makes the directory and takes its lock for a writer, and refuses file systems on which SQLite cannot be trusted.
func openDirectory(cfg Config) (*directory, error) {
	const op = "open the data directory"
	d := &directory{path: cfg.Dir, name: fileName}
	if cfg.ReadOnly && cfg.File != "" {
		d.name = cfg.File
	}
	fail := func(err error, hint string) error { return &UnusableError{Dir: cfg.Dir, Op: op, Hint: hint, Err: err} }
	if cfg.Dir == "" {
		return nil, fail(errors.New("its path is empty"), "name a directory")
	}
	if !cfg.ReadOnly {
		if err := makeDir(cfg.Dir); err != nil {
			return nil, fail(err, notWritable(err))
		}
	}
	info, err := os.Stat(cfg.Dir)
	switch {
	case err != nil:
		return nil, fail(err, "name the data directory of a server")
	case !info.IsDir():
		return nil, fail(errors.New("it is a file"), "name a directory")
	}
	if !cfg.ForceNetworkFS {
		network, err := networkFileSystem(cfg.Dir)
		if err != nil {
			return nil, fail(err, "check that it can be read")
		}
		if network != "" {
			return nil, fail(fmt.Errorf("%w (%s)", ErrNetwork, network), "use a local disk, or force it at the risk of losing the data")
		}
	}
	if cfg.ReadOnly {
		if _, err := os.Stat(d.file()); err != nil {
			if errors.Is(err, os.ErrNotExist) {
				err = ErrMissing
			}
			return nil, fail(err, "name the data directory of a server")
		}
		return d, nil
	}
	d.lock, err = os.OpenFile(filepath.Join(cfg.Dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fail(err, notWritable(err))
	}
	held, err := tryLock(d.lock)
	if err != nil || held {
		hint, cause := "check the permissions of the file lock in it", err
		if held {
			cause, hint = ErrLocked, "stop that server first, or name another directory"
			if pid := lockedBy(d.lock); pid != "" {
				cause = fmt.Errorf("%w (process %s)", ErrLocked, pid)
			}
			if !ownerLives(d.lock) {
				cause = fmt.Errorf("%w: %w", cause, ErrLockLeft)
			}
		}
		return nil, errors.Join(fail(cause, hint), d.lock.Close())
	}
	if err := d.writePID(); err != nil {
		return nil, errors.Join(fail(err, notWritable(err)), d.lock.Close())
	}
	return d, nil
}

// ownerLives reports whether the process that took the lock last lives, or is not known.
func ownerLives(f *os.File) bool {
	pid, err := strconv.Atoi(lockedBy(f))
	return err != nil || alive(pid)
}

// lockedBy reads which process took the lock last, "" when that is not known.
func lockedBy(f *os.File) string {
	pid, _ := io.ReadAll(io.NewSectionReader(f, 0, 20))
	return strings.TrimSpace(string(pid))
}

// notWritable says what to do about a directory that cannot be written to.
func notWritable(err error) string {
	switch {
	case isNoSpace(err):
		return hintDisk
	case errors.Is(err, syscall.EROFS):
		return hintMounted
	}
	return "name a directory that this user may write to"
}

func (d *directory) writePID() error {
	if err := d.lock.Truncate(0); err != nil {
		return err
	}
	_, err := d.lock.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0)
	return err
}

// close gives the lock back. The file stays: removing it would let two servers lock two files of one name.
func (d *directory) close() error {
	if d.lock == nil {
		return nil
	}
	return d.lock.Close()
}

// inspect looks at the database file without opening it, so that a foreign or damaged file is never touched. exists is false when there is none;
// unclean says that the last server did not close it.
func (d *directory) inspect() (exists, unclean bool, err error) {
	fail := func(err error, hint string) error {
		return &UnusableError{Dir: d.path, Op: "open the database in", Hint: hint, Err: err}
	}
	wal := fileSize(d.file() + "-wal")
	unclean, d.log = wal > 0, wal >= 0
	f, err := os.Open(d.file())
	if errors.Is(err, os.ErrNotExist) {
		if wal >= 0 {
			return false, false, fail(fmt.Errorf("%w: almanac.db is gone, and almanac.db-wal is there", ErrCorrupt), hintRestore)
		}
		if held, known := readHead(d.path); known {
			return false, false, fail(fmt.Errorf("%w: almanac.db is gone, and event %d has been in it", ErrStale, held.id), hintStale)
		}
		if err := garbledHead(d.path); err != nil {
			return false, false, fail(err, hintHead)
		}
		return false, false, nil
	}
	if err != nil {
		return false, false, fail(err, "check the permissions of almanac.db")
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return true, unclean, fail(err, hintRestore)
	}
	if info.Size() == 0 {
		// A new database gets its name only when it is complete: an empty file was one that had content.
		return true, unclean, fail(fmt.Errorf("%w: the file is empty", ErrCorrupt), hintRestore)
	}
	header := make([]byte, 100)
	if _, err := io.ReadFull(f, header); err != nil {
		return true, unclean, fail(fmt.Errorf("%w: it ends within the header", ErrNotDatabase), "name another directory, or restore a backup")
	}
	magic := string(header[:16]) == "SQLite format 3\x00"
	app := binary.BigEndian.Uint32(header[68:])
	if unclean && (!magic || app != applicationID) {
		// The power may have gone while the first page was copied back; then the log still has it, and reading shows it.
		if n, err := applicationOf(d.file()); err == nil && n == applicationID {
			return true, unclean, nil
		}
	}
	if !magic {
		return true, unclean, fail(ErrNotDatabase, "name another directory, or restore a backup")
	}
	if app != applicationID {
		return true, unclean, fail(fmt.Errorf("%w (application id %#x)", ErrForeign, app), "name another directory; this one is left as it is")
	}
	// While there is a log the file may rightly be shorter: the pages are in the log.
	page := int64(binary.BigEndian.Uint16(header[16:]))
	if page == 1 {
		page = 65536
	}
	pages := int64(binary.BigEndian.Uint32(header[28:]))
	if want := page * pages; !unclean && info.Size() < want {
		return true, unclean, fail(fmt.Errorf("%w: it has %d bytes of %d", ErrCorrupt, info.Size(), want), hintRestore)
	}
	return true, unclean, nil
}

// applicationOf reads the mark of a database with its log, changing neither.
func applicationOf(path string) (n int64, err error) {
	s, err := openOutside(path)
	if err != nil {
		return 0, err
	}
	err = s.read("PRAGMA application_id", func(c *columns) error {
		n = c.int()
		return nil
	}, nil)
	return n, errors.Join(err, s.close())
}

// fileSize is -1 when there is no such file.
func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return -1
	}
	return info.Size()
}

// makeDir makes a directory with those above it that are missing, each with a name that survives power loss.
func makeDir(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		return os.MkdirAll(path, 0o700) // it is there, or says what is wrong
	}
	parent := filepath.Dir(path)
	if parent != path {
		if err := makeDir(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return syncDir(parent)
}

// syncDir makes a rename in the directory survive power loss.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
