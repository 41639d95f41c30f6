package powerloss

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Faults are what is wrong with the disk or with the code that uses it, planted to see that a test finds it.
type Faults struct {
	// LoseSync makes a sync of the file, or of the directory "." or another, count for nothing although it reports success. It is given the name
	// below the root.
	LoseSync func(name string) bool
	// FailSync makes a sync of the file fail with an I/O error.
	FailSync func(name string) bool
}

// A Recorder records what happens below a root. At any time a file belongs to one recorder at most.
type Recorder struct {
	root   string
	faults Faults
	before Image

	mu     sync.Mutex
	names  map[string]int // the files by their names now
	last   int            // file number
	ours   map[int]bool   // files that SQLite has opened: their changes are noted as they are made
	plain  map[int][]byte // what the others held when they were last looked at
	ops    []Op
	notify *notifier
	failed error
}

// Record begins to record what SQLite and others do below the root, which exists. The recorder must be stopped.
func Record(root string, faults Faults) (*Recorder, error) {
	if err := install(); err != nil {
		return nil, err
	}
	root, err := realPath(root)
	if err != nil {
		return nil, err
	}
	r := &Recorder{root: root, faults: faults, names: map[string]int{}, ours: map[int]bool{}, plain: map[int][]byte{}}
	if r.before, err = ReadImage(root); err != nil {
		return nil, err
	}
	for _, name := range r.before.Names() {
		r.last++
		r.names[name] = r.last
		r.plain[r.last] = r.before.Files[name]
	}
	if r.notify, err = notify(root, r.before.Dirs); err != nil {
		return nil, err
	}
	if err := layer.add(root, r); err != nil {
		return nil, errors.Join(err, r.notify.close())
	}
	return r, nil
}

func realPath(root string) (string, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(root)
}

// Note puts a word of the test into the order of operations.
func (r *Recorder) Note(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(Op{Kind: Note, Text: text})
}

// Synced says that a file that SQLite does not write was synced, if somebody records it.
func Synced(path string) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return
	}
	r, found := layer.of(path)
	if !found || r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drain()
	name, err := filepath.Rel(r.root, path)
	if err != nil {
		return
	}
	name = filepath.ToSlash(name)
	if file, known := r.names[name]; known && (r.faults.LoseSync == nil || !r.faults.LoseSync(name)) {
		r.ops = append(r.ops, Op{Kind: Sync, File: file, Since: len(r.ops)})
	}
}

// Stop ends the recording. The database must be closed.
func (r *Recorder) Stop() (*Recording, error) {
	err := layer.remove(r.root)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drain()
	return &Recording{Before: r.before, Ops: r.ops}, errors.Join(err, r.failed, r.notify.close())
}

// add notes an operation after the changes of names that came before it.
func (r *Recorder) add(o Op) {
	r.drain()
	r.ops = append(r.ops, o)
}

func (r *Recorder) drain() {
	err := r.notify.read(r.named)
	if err == nil {
		err = r.look()
	}
	if err != nil && r.failed == nil {
		r.failed = err
	}
}

// plainMost is the size up to which files that SQLite does not write are followed.
const plainMost = 64 << 10

// look notes what has become of files that SQLite does not write. They are synced when Synced is
// told so.
func (r *Recorder) look() error {
	for _, name := range slices.Sorted(maps.Keys(r.names)) {
		file := r.names[name]
		if r.ours[file] || strings.HasSuffix(name, "-shm") {
			continue
		}
		path := filepath.Join(r.root, filepath.FromSlash(name))
		info, err := os.Stat(path)
		if errors.Is(err, os.ErrNotExist) || err == nil && info.Size() > plainMost {
			continue // it is being renamed or removed, or is only there for its size
		}
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if before := r.plain[file]; !bytes.Equal(before, content) {
			r.plain[file] = content
			if len(content) < len(before) {
				r.ops = append(r.ops, Op{Kind: Truncate, File: file, Size: int64(len(content))})
			}
			if len(content) > 0 {
				r.ops = append(r.ops, Op{Kind: Write, File: file, Data: content})
			}
		}
	}
	return nil
}

func (r *Recorder) named(n naming) {
	o := Op{Kind: n.kind, Name: n.name, To: n.to}
	switch n.kind {
	case Create:
		if r.names[n.name] != 0 {
			return
		}
		r.last++
		r.names[n.name] = r.last
		o.File = r.last
	case Remove:
		delete(r.names, n.name)
	case Rename:
		o.File = r.names[n.name]
		delete(r.names, n.name)
		r.names[n.to] = o.File
	case SyncDir:
		if r.faults.LoseSync != nil && r.faults.LoseSync(n.name) {
			return
		}
	}
	r.ops = append(r.ops, o)
}

// opened returns the number of the file of that path, which exists.
func (r *Recorder) opened(path string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drain()
	n := r.names[r.name(path)]
	r.ours[n] = true
	if n == 0 && r.failed == nil {
		r.failed = fmt.Errorf("%s was opened and nobody has made it", path)
	}
	return n
}

func (r *Recorder) name(path string) string {
	return filepath.ToSlash(strings.TrimPrefix(path, r.root+string(filepath.Separator)))
}

// change carries out a change of a file and notes it when it succeeded, in one order with all others.
func (r *Recorder) change(o Op, do func() int32) int32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	code := do()
	if code == 0 {
		r.add(o)
	}
	return code
}

// sync carries out a sync. Writes of others go on meanwhile and are not part of it.
func (r *Recorder) sync(file int, name string, do func() int32) int32 {
	if r.faults.FailSync != nil && r.faults.FailSync(name) {
		return ioerrSync
	}
	r.mu.Lock()
	since := len(r.ops)
	r.mu.Unlock()
	code := do()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drain()
	if code == 0 && (r.faults.LoseSync == nil || !r.faults.LoseSync(name)) {
		r.add(Op{Kind: Sync, File: file, Since: since})
	}
	return code
}

// roots are the directories that the layer looks after: with a recorder, or without one where syncs are left out.
type roots struct {
	mu    sync.Mutex
	known map[string]*Recorder
	order []string
}

var layer = &roots{known: map[string]*Recorder{}}

func (l *roots) add(root string, r *Recorder) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.known[root]; known {
		return fmt.Errorf("%s is being recorded already", root)
	}
	l.known[root] = r
	l.order = append(l.order, root)
	return nil
}

func (l *roots) remove(root string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.known[root]; !known {
		return fmt.Errorf("%s is not being recorded", root)
	}
	delete(l.known, root)
	l.order = slices.DeleteFunc(l.order, func(r string) bool { return r == root })
	return nil
}

// of finds who looks after a path: the root added last that holds it.
func (l *roots) of(path string) (r *Recorder, found bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, root := range slices.Backward(l.order) {
		if strings.HasPrefix(path, root+string(filepath.Separator)) {
			return l.known[root], true
		}
	}
	return nil, false
}

// Unsynced leaves out every sync of SQLite's files below the root until done is called: what is done there is thrown away, and need not wait for a disk.
func Unsynced(root string) (done func() error, err error) {
	if err := install(); err != nil {
		return nil, err
	}
	if root, err = realPath(root); err != nil {
		return nil, err
	}
	if err := layer.add(root, nil); err != nil {
		return nil, err
	}
	return func() error { return layer.remove(root) }, nil
}
