//go:build !linux

package main

import "time"

// mountedReadOnly is the flag of statfs that says so: MNT_RDONLY.
const mountedReadOnly = 1

// clockState cannot be told here.
func clockState() (known, synchronised bool) { return false, false }

// bootTime cannot be told here.
func bootTime() (time.Time, bool) { return time.Time{}, false }
