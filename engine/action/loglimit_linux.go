package action

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// punch gives back the disk space of part of a file without changing its length.
func punch(f *os.File, at, n int64) error {
	return withDescriptor(f, func(fd int) error {
		err := unix.Fallocate(fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, at, n)
		if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
			return errNoHoles
		}
		return err
	})
}

// syncData makes the content of a file durable, and of its other properties what is needed to read it.
func syncData(f *os.File) error {
	return withDescriptor(f, func(fd int) error {
		for {
			if err := unix.Fdatasync(fd); !errors.Is(err, unix.EINTR) {
				return err
			}
		}
	})
}
