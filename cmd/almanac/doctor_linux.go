package main

import (
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// mountedReadOnly is the flag of statfs that says so.
const mountedReadOnly = unix.ST_RDONLY

// clockState reports whether the kernel thinks that somebody keeps its clock.
func clockState() (known, synchronised bool) {
	var t unix.Timex
	state, err := unix.Adjtimex(&t) // asks, and sets nothing
	return err == nil, state != unix.TIME_ERROR
}

// bootTime is when the machine was started.
func bootTime() (time.Time, bool) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return time.Time{}, false
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "btime "); ok {
			seconds, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			return time.Unix(seconds, 0), err == nil
		}
	}
	return time.Time{}, false
}
