package action

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// bootID names this start of the machine.
func bootID() string {
	tv, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return ""
	}
	return fmt.Sprint(tv.Sec)
}

// machineClock reads the clock of instants.
func machineClock() instant {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic("stuck: this is a bug: the machine has no clock: " + err.Error())
	}
	return instant(ts.Nano())
}

// bootClock is the time in the unit in which the system notes the start of a process: microseconds.
func bootClock() int64 { return time.Now().UnixMicro() }

// startedWithin reports that a process began between two readings of bootClock.
func startedWithin(pid int, from, to int64) bool {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return false
	}
	start := info.Proc.P_starttime.Sec*1e6 + int64(info.Proc.P_starttime.Usec)
	return from <= start && start <= to
}
