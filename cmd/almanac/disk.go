package main

import (
	"fmt"

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
		return judgeDisk(free, total)
	}
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

func judgeDisk(free, total uint64) (detail string, low bool) {
	if free >= diskFloor && free >= total/100*diskPercent {
		return "", false
	}
	return fmt.Sprintf("%d MiB of %d MiB are free; at least %d MiB and %d %% are needed to start anything",
		free>>20, total>>20, diskFloor>>20, diskPercent), true
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
