//go:build !linux

package main

import "time"

// upTime is not known here: the clock of this process stands for it.
func upTime() (boot string, up time.Duration, known bool) { return "", 0, false }

// timeServed cannot be asked here.
func timeServed() bool { return false }
