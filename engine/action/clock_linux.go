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

// bootClock is the time since the machine's start in the unit in which the system notes the start of a process: 1/100 s.
func bootClock() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return 0
	}
	return ts.Nano() / 1e7
}
