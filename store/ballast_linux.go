package store

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// fill reserves the blocks of a file, which costs no writing.
func fill(f *os.File, size int64) error {
	err := unix.Fallocate(int(f.Fd()), 0, 0, size)
	if errors.Is(err, unix.EOPNOTSUPP) {
		return fillWithZeros(f, size)
	}
	return err
}
