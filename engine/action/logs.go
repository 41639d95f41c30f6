package action

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
)

const logsFolder = "logs"

// Logs are the output files of the attempts of one data directory, one each, named by the attempt's id and by nothing else:
// logs/<id / 1000>/<id>.log. Every access goes through os.Root, so that no symbolic link leads out of the folder.
type Logs struct {
	path string
	root atomic.Pointer[os.Root]

	mu     sync.Mutex // guards the folder that was written to last, and the making of another root
	bucket int64
	folder *os.Root
}

// OpenLogs opens the logs of a data directory and makes their folder when there is none.
func OpenLogs(dir string) (*Logs, error) {
	path := filepath.Join(dir, logsFolder)
	if err := makePrivate(path); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("open the logs: %w", err)
	}
	l := &Logs{path: path, bucket: -1}
	l.root.Store(root)
	return l, nil
}

// Close lets go of the folder. Logs that were opened stay readable.
func (l *Logs) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.folder != nil {
		l.folder.Close()
		l.folder = nil
	}
	return l.root.Load().Close()
}

// Open opens the log of an attempt for reading and returns its size in bytes at this moment. A running attempt's log grows under the
// reader: reading on after io.EOF gives what was written since. An attempt without a log gives an error that wraps fs.ErrNotExist.
func (l *Logs) Open(attempt int64) (io.ReadSeekCloser, int64, error) {
	f, err := l.root.Load().OpenFile(logPath(attempt), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) && l.follow() {
		f, err = l.root.Load().OpenFile(logPath(attempt), os.O_RDONLY, 0)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("open the log of attempt %d: %w", attempt, err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, fmt.Errorf("look at the log of attempt %d: %w", attempt, err)
	}
	if !info.Mode().IsRegular() {
		f.Close()
		return nil, 0, fmt.Errorf("open the log of attempt %d: %w: not a file", attempt, fs.ErrInvalid)
	}
	return f, info.Size(), nil
}

// Size returns how long the log of an attempt is now, for a reader who follows it. It shrinks once at most: when an attempt whose log
// passed the limit ends, and the middle is left out.
func (l *Logs) Size(attempt int64) (int64, error) {
	info, err := l.root.Load().Lstat(logPath(attempt))
	if errors.Is(err, fs.ErrNotExist) && l.follow() {
		info, err = l.root.Load().Lstat(logPath(attempt))
	}
	if err != nil {
		return 0, fmt.Errorf("look at the log of attempt %d: %w", attempt, err)
	}
	return info.Size(), nil
}

// Remove deletes the log of an attempt, and its folder with the last log in it. A log that is not there is no error.
func (l *Logs) Remove(attempt int64) error {
	err := l.root.Load().Remove(logPath(attempt))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the log of attempt %d: %w", attempt, err)
	}
	_ = l.root.Load().Remove(bucketPath(attempt)) // refused by the system while anything is in it
	return nil
}

// create makes the empty log of an attempt and opens it for appending. A file of that name is emptied: ids are never used twice unless an
// old database was restored, and then the old log is no longer true.
func (l *Logs) create(attempt int64) (*os.File, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.stands(); err != nil {
		return nil, err
	}
	const flags = os.O_WRONLY | os.O_APPEND | os.O_CREATE | os.O_TRUNC
	name := strconv.FormatInt(attempt, 10) + ".log"
	for last := false; ; last = true {
		folder, err := l.enter(attempt / 1000)
		if err == nil {
			var f *os.File
			if f, err = folder.OpenFile(name, flags, 0o600); err == nil {
				return f, nil
			}
		}
		if last || !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("make the log: %w", err)
		}
		if l.folder != nil {
			l.folder.Close() // it was removed, empty, by retention
		}
		l.folder, l.bucket = nil, -1
		if err := l.renew(); err != nil {
			return nil, err
		}
	}
}

// stands makes the folder again when it was deleted, renamed or replaced: what is written into one that nobody finds is no log. The caller holds the lock.
func (l *Logs) stands() error {
	open, err := l.root.Load().Stat(".")
	if err == nil {
		if there, e := os.Stat(l.path); e == nil && os.SameFile(open, there) {
			return nil
		}
	}
	if l.folder != nil {
		l.folder.Close()
	}
	l.folder, l.bucket = nil, -1
	return l.renew()
}

// follow takes the folder that stands there now, if it is another than the one that is open: the supervisor has made it again. It makes none.
func (l *Logs) follow() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	there, err := os.Stat(l.path)
	if err != nil {
		return false
	}
	if open, err := l.root.Load().Stat("."); err == nil && os.SameFile(open, there) {
		return false
	}
	return l.stands() == nil
}

// renew opens the folder that stands there now, and makes it when there is none. The caller holds the lock. Who reads in the old one goes on doing so.
func (l *Logs) renew() error {
	if err := remake(l.path); err != nil {
		return err
	}
	root, err := os.OpenRoot(l.path)
	if err != nil {
		return fmt.Errorf("open the logs: %w", err)
	}
	l.root.Swap(root).Close()
	return nil
}

// enter returns the folder of a bucket, made if need be. The caller holds the lock.
func (l *Logs) enter(bucket int64) (*os.Root, error) {
	if l.folder != nil && l.bucket == bucket {
		return l.folder, nil
	}
	name := strconv.FormatInt(bucket, 10)
	if err := l.root.Load().Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	folder, err := l.root.Load().OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if l.folder != nil {
		l.folder.Close()
	}
	l.folder, l.bucket = folder, bucket
	return folder, nil
}

// note appends a line to the log of an attempt that has ended. Where the log is gone the line has no reader either.
func (l *Logs) note(attempt int64, line string) {
	f, err := l.root.Load().OpenFile(logPath(attempt), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = fmt.Fprintf(f, "\n--- almanac: %s ---\n", line)
}

// cut leaves the middle of a log out that is longer than limit: what remains is its first half, a line that says so, and its last half.
// It returns the new size. The shorter file replaces the longer one in one step, so that a crash leaves one of the two.
func (l *Logs) cut(attempt, limit int64) (int64, error) {
	path := logPath(attempt)
	old, err := l.root.Load().OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return 0, err
	}
	defer old.Close()
	info, err := old.Stat()
	if err != nil {
		return 0, err
	}
	size, half := info.Size(), limit/2
	short, err := l.root.Load().OpenFile(path+".cut", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return 0, err
	}
	defer short.Close()
	if _, err = io.Copy(short, io.NewSectionReader(old, 0, half)); err == nil {
		_, err = fmt.Fprintf(short, "\n--- almanac: %d bytes left out here ---\n", size-2*half)
	}
	if err == nil {
		_, err = io.Copy(short, io.NewSectionReader(old, size-half, half))
	}
	if err == nil {
		err = short.Sync()
	}
	if err == nil {
		info, err = short.Stat()
	}
	if err == nil {
		err = l.root.Load().Rename(path+".cut", path)
	}
	if err != nil {
		_ = l.root.Load().Remove(path + ".cut")
		return 0, fmt.Errorf("cut the log: %w", err)
	}
	return info.Size(), nil
}

func bucketPath(attempt int64) string { return strconv.FormatInt(attempt/1000, 10) }

func logPath(attempt int64) string {
	return bucketPath(attempt) + "/" + strconv.FormatInt(attempt, 10) + ".log"
}
