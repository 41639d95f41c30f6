//go:build !faults

package main

import (
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// now is the one clock of the command line.
func now() time.Time { return time.Now() }

// witnessed is what the machine's other sources of time say.
func witnessed(r engine.ClockReading) engine.ClockReading { return r }
