package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// ErrMoved says that the files which are open are not those of the directory any more.
var ErrMoved = errors.New("the open files are not those of the directory")

const hintMoved = "put the files back where they were and this server goes on; if they are gone, stop it, and restore a backup into an empty directory with " +
	"`almanac restore`: what was acknowledged until then is in the backup or in the files that were taken away"

// A place is where the files of an open database stood when they were opened. Whoever deletes, renames or replaces one of them leaves the server with a file
// that nobody finds again: what it acknowledged from then on would be lost with the process.
type place struct {
	mu    sync.Mutex
	files []placed
	wal   string // which is made with the first write; "" when it is among the files
}

// A placed file is a path and what was found there: a device and an inode.
type placed struct {
	path string
	info os.FileInfo
}

// newPlace notes the directory, its lock and the database in it.
func newPlace(d *directory) (*place, error) {
	p := &place{wal: d.file() + "-wal"}
	for _, path := range []string{d.path, filepath.Join(d.path, lockName), d.file()} {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, placed{path, info})
	}
	held, err := d.lock.Stat()
	if err != nil || !os.SameFile(held, p.files[1].info) {
		return nil, errors.Join(err, fmt.Errorf("%w: the lock is another file", ErrMoved))
	}
	p.noteLog()
	return p, nil
}

// noteLog notes the log as soon as there is one. SQLite keeps it until the last connection closes.
func (p *place) noteLog() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wal == "" {
		return
	}
	if info, err := os.Stat(p.wal); err == nil {
		p.files, p.wal = append(p.files, placed{p.wal, info}), ""
	}
}

// check reports, as an ErrMoved, that a file is gone or another one stands in its place. It costs a system call for each of the four.
func (p *place) check() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.files {
		info, err := os.Stat(f.path)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return fmt.Errorf("%w: %s was deleted or renamed while it was in use", ErrMoved, filepath.Base(f.path))
		case err != nil:
			return fmt.Errorf("%w: look at %s: %w", ErrMoved, filepath.Base(f.path), err)
		case !os.SameFile(f.info, info):
			return fmt.Errorf("%w: another file stands in the place of %s", ErrMoved, filepath.Base(f.path))
		}
	}
	return nil
}
