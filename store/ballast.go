package store

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
)

// ballastName is a file that does nothing but take up room, to be given up when the disk is full: what runs can then still end and be recorded.
const ballastName = "ballast"

// A ballast is that file of one directory.
type ballast struct {
	path string
	size int64 // 0 is none at all

	mu sync.Mutex
}

func newBallast(dir string, size int64) *ballast {
	return &ballast{path: filepath.Join(dir, ballastName), size: size}
}

// missing reports whether there should be a ballast and is none.
func (b *ballast) missing() bool { return b.size > 0 && fileSize(b.path) < b.size }

// tend makes the ballast when it is missing and there is room for twice as much, so that making it does not fill the disk. What cannot be made
// now is made later.
func (b *ballast) tend() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.missing() {
		return nil
	}
	free, err := freeBytes(filepath.Dir(b.path))
	if err != nil || free < 2*b.size {
		return err
	}
	temporary := b.path + ".new"
	f, err := os.OpenFile(temporary, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = errors.Join(fill(f, b.size), f.Close())
	if err == nil {
		err = os.Rename(temporary, b.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return nil
}

// release gives the room back and reports whether there was any.
func (b *ballast) release() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.size > 0 && os.Remove(b.path) == nil
}

// fillWithZeros takes up room where the file system cannot be asked to reserve it.
func fillWithZeros(f *os.File, size int64) error {
	block := make([]byte, 1<<20)
	for written := int64(0); written < size; written += int64(len(block)) {
		if _, err := f.Write(block[:min(int64(len(block)), size-written)]); err != nil {
			return err
		}
	}
	return f.Sync()
}
