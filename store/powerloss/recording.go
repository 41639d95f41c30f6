package powerloss

import (
	"encoding/gob"
	"errors"
	"fmt"
	"os"
)

// Kind says what an operation does.
type Kind string

// The kinds of operations.
const (
	Write    Kind = "write"    // Data at Offset of File
	Truncate Kind = "truncate" // File to Size
	Sync     Kind = "sync"     // of File: what was noted before operation number Since is durable
	Create   Kind = "create"   // Name is File from now on
	Mkdir    Kind = "mkdir"    // Name is a directory
	Remove   Kind = "remove"   // Name is gone
	Rename   Kind = "rename"   // Name is called To, and what To was is gone
	SyncDir  Kind = "syncdir"  // the names in the directory Name are durable
	Note     Kind = "note"     // Text, by the test
)

// An Op is one operation. Names are paths below the root; the root itself is ".".
type Op struct {
	Kind   Kind
	File   int // files are numbered from 1 in the order in which they were first seen; a renamed one keeps its number
	Name   string
	To     string
	Offset int64
	Size   int64
	Data   []byte
	Since  int
	Text   string
}

func (o Op) String() string {
	switch o.Kind {
	case Write:
		return fmt.Sprintf("write %d bytes at %d of file %d", len(o.Data), o.Offset, o.File)
	case Truncate:
		return fmt.Sprintf("truncate file %d to %d", o.File, o.Size)
	case Sync:
		return fmt.Sprintf("sync file %d", o.File)
	case Create:
		return fmt.Sprintf("create %s as file %d", o.Name, o.File)
	case Rename:
		return fmt.Sprintf("rename %s to %s", o.Name, o.To)
	case Note:
		return fmt.Sprintf("note %q", o.Text)
	default:
		return fmt.Sprintf("%s %s", o.Kind, o.Name)
	}
}

// A Recording is what happened below a root, in order, and what was there before.
type Recording struct {
	Before Image
	Ops    []Op
}

// Save writes the recording to a file, from which Load reads it: losses of it can be repeated although the goroutines that made it will
// never run in the same order again.
func (r *Recording) Save(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(gob.NewEncoder(f).Encode(r), f.Close())
}

// Load reads what Save wrote.
func Load(path string) (*Recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := new(Recording)
	if err := gob.NewDecoder(f).Decode(r); err != nil {
		return nil, fmt.Errorf("read the recording %s: %w", path, err)
	}
	return r, nil
}
