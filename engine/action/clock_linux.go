package action

import (
	"bytes"
	"os"

	"golang.org/x/sys/unix"
)

// bootID names this start of the machine.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(id))
}

// machineClock reads the clock of instants.
func machineClock() instant {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		panic("stuck: this is a bug: the machine has no clock: " + err.Error())
	}
	return instant(ts.Nano())
}

// bootClock is the time since the machine's start in the unit in which the system notes the start of a process: 1/100 s.
func bootClock() int64 {
	return int64(machineClock()) / 1e7
}
