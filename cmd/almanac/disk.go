package main

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Nothing starts while less than this is free where the data directory lies: what runs must be able to end and be recorded.
const (
	diskFloor   = 512 << 20 // bytes
	diskPercent = 5
	diskBallast = 64 << 20 // bytes set aside, and given up when the disk is full all the same
)

// diskLow reports whether the file system of the directory is nearly full, with the figures. One that cannot be asked is not low: the writes will
// say what is wrong with it.
func diskLow(dir string) func() (detail string, low bool) {
	return func() (string, bool) {
		free, total, known := diskSpace(dir)
		if !known {
			return "", false
		}
		return judgeDisk(free, total, unwritten(dir))
	}
}

// unwritten is how much of the disk the server itself has still to write: the reserve when it is not there as a whole, and what of the rows stands in the
// write-ahead log alone.
func unwritten(dir string) uint64 {
	var missing, log int64
	if info, err := os.Stat(filepath.Join(dir, "ballast")); err != nil || info.Size() < diskBallast {
		missing = diskBallast
	}
	if info, err := os.Stat(filepath.Join(dir, "almanac.db-wal")); err == nil {
		log = info.Size()
	}
	return uint64(missing + log) //nolint:gosec // neither is negative
}

// diskSpace returns how many bytes of the file system of the directory are free, and how many it has.
func diskSpace(dir string) (free, total uint64, known bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, 0, false
	}
	block := uint64(s.Bsize)
	available := uint64(s.Bavail) //nolint:unconvert // signed on FreeBSD
	return available * block, s.Blocks * block, true
}

// judgeDisk decides whether so much free space is enough, of which the server itself will write some.
func judgeDisk(free, total, own uint64) (detail string, low bool) {
	if left := free - min(free, own); left >= diskFloor && left >= total/100*diskPercent {
		return "", false
	}
	detail = fmt.Sprintf("%d MiB of %d MiB are free", free>>20, total>>20)
	if own>>20 > 0 {
		detail += fmt.Sprintf(", of which the server itself has still to write %d MiB", own>>20)
	}
	return detail + fmt.Sprintf("; at least %d MiB and %d %% are needed to start anything", diskFloor>>20, diskPercent), true
}

// held adds to why nothing may be started that the supervisor's records are not where they were.
func (s *site) held(low func() (string, bool)) func() (detail string, low bool) {
	return func() (string, bool) {
		if err := s.runner.Held(); err != nil {
			return err.Error(), true
		}
		return low()
	}
}
