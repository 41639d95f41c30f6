package main

import (
	"bytes"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// upTime names this start of the machine, and returns the time since by a clock that nobody sets and that goes on while the machine sleeps.
func upTime() (boot string, up time.Duration, known bool) {
	boot, known = bootID()
	if !known {
		return "", 0, false
	}
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return "", 0, false
	}
	return boot, time.Duration(ts.Nano()), true
}

// bootID names this start of the machine. A process ends with it, so that it is read once: the
// clock is asked with each request, and several times in each pass.
var bootID = sync.OnceValues(func() (string, bool) {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return string(bytes.TrimSpace(id)), err == nil
})

// timeServed reports whether the kernel says that a time server vouches for its clock. Who sets the clock by hand takes that away until the time server has
// been asked again. Where the kernel may not be asked, as in some containers, nobody vouches.
func timeServed() bool {
	const unsynchronized = 0x40 // STA_UNSYNC
	var t unix.Timex
	state, err := unix.Adjtimex(&t)
	return err == nil && state != unix.TIME_ERROR && t.Status&unsynchronized == 0
}
