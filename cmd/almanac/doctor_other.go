//go:build !linux

package main

import "time"

// clockState cannot be told here.
func clockState() (known, synchronised bool) { return false, false }

// bootTime cannot be told here.
func bootTime() (time.Time, bool) { return time.Time{}, false }
