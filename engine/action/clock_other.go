//go:build unix && !linux && !darwin

package action

import (
	"time"

	"golang.org/x/sys/unix"
)

// bootID is not known here.
func bootID() string { return "" }

// machineClock reads the clock of instants. Some of these systems stop it while the machine sleeps.
func machineClock() instant {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic("stuck: this is a bug: the machine has no clock: " + err.Error())
	}
	return instant(ts.Nano())
}

// bootClock is the time in microseconds.
func bootClock() int64 { return time.Now().UnixMicro() }

// startedWithin cannot be told here, so that no process is killed by its number alone.
func startedWithin(int, int64, int64) bool { return false }
