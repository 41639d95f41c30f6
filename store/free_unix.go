//go:build unix

package store

import "golang.org/x/sys/unix"

// freeBytes is how much this user may still write to the file system that holds the path.
func freeBytes(path string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil //nolint:unconvert // other types elsewhere
}
