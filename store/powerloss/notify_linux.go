package powerloss

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// watched is what the kernel reports of a directory: its names, and that it was opened, listed and closed.
const watched = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_OPEN | unix.IN_ACCESS | unix.IN_CLOSE_NOWRITE | unix.IN_ONLYDIR

// A notifier reads the changes of names below a root.
type notifier struct {
	fd   int
	root string
	dirs map[int32]string // by watch
	open map[string]bool  // directories that are open, true while they were not listed
	buf  []byte

	moved string // the name before of a rename, until the name after is reported
}

// A naming is a report: one of Create, Mkdir, Remove, Rename, SyncDir.
type naming struct {
	kind     Kind
	name, to string
}

func notify(root string, dirs []string) (*notifier, error) {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("watch names: %w", err)
	}
	n := &notifier{fd: fd, root: root, dirs: map[int32]string{}, open: map[string]bool{}, buf: make([]byte, 64<<10)}
	for _, dir := range append([]string{"."}, dirs...) {
		if err := n.watch(dir); err != nil {
			return nil, errors.Join(err, n.close())
		}
	}
	return n, nil
}

func (n *notifier) watch(dir string) error {
	id, err := unix.InotifyAddWatch(n.fd, filepath.Join(n.root, filepath.FromSlash(dir)), watched)
	if err != nil {
		return fmt.Errorf("watch %s: %w", dir, err)
	}
	n.dirs[int32(id)] = dir
	return nil
}

func (n *notifier) close() error { return unix.Close(n.fd) }

// read hands over the reports that have come since the last call, in order.
func (n *notifier) read(each func(naming)) error {
	for {
		size, err := unix.Read(n.fd, n.buf)
		if errors.Is(err, unix.EAGAIN) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the changes of names: %w", err)
		}
		for b := n.buf[:size]; len(b) > 0; {
			id, mask, length := int32(binary.NativeEndian.Uint32(b)), binary.NativeEndian.Uint32(b[4:]), binary.NativeEndian.Uint32(b[12:])
			name := string(bytes.TrimRight(b[16:16+length], "\x00"))
			b = b[16+length:]
			if mask&unix.IN_Q_OVERFLOW != 0 {
				return errors.New("the kernel has lost changes of names: they come too fast")
			}
			if dir, known := n.dirs[id]; known {
				if err := n.report(dir, name, mask, each); err != nil {
					return err
				}
			}
		}
	}
}

func (n *notifier) report(dir, name string, mask uint32, each func(naming)) error {
	full := path.Join(dir, name)
	isDir := mask&unix.IN_ISDIR != 0
	switch {
	case name == "":
		n.itself(dir, mask, each)
	case mask&unix.IN_CREATE != 0 && isDir:
		each(naming{kind: Mkdir, name: full})
		if err := n.watch(full); err != nil {
			return err
		}
		// What was made in it before it was watched.
		entries, err := os.ReadDir(filepath.Join(n.root, filepath.FromSlash(full)))
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.IsDir() {
				return fmt.Errorf("%s holds a directory already when it is first seen", full)
			}
			each(naming{kind: Create, name: path.Join(full, e.Name())})
		}
	case mask&unix.IN_CREATE != 0:
		each(naming{kind: Create, name: full})
	case mask&unix.IN_DELETE != 0:
		each(naming{kind: Remove, name: full})
	case mask&unix.IN_MOVED_FROM != 0:
		n.moved = full
	case mask&unix.IN_MOVED_TO != 0:
		each(naming{kind: Rename, name: n.moved, to: full})
	}
	return nil
}

// itself looks at what happens to a directory that is open.
func (n *notifier) itself(dir string, mask uint32, each func(naming)) {
	switch {
	case mask&unix.IN_OPEN != 0:
		n.open[dir] = true
	case mask&unix.IN_ACCESS != 0:
		n.open[dir] = false
	case mask&unix.IN_CLOSE_NOWRITE != 0:
		if n.open[dir] {
			each(naming{kind: SyncDir, name: dir})
		}
		delete(n.open, dir)
	}
}
