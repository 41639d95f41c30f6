package main

import (
	"fmt"
	"os"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// begun is when this process began: the source of its own clock where the machine has none that goes on while it sleeps.
var begun = time.Now()

// readMachine reads the machine's clocks.
func readMachine() engine.ClockReading {
	r := engine.ClockReading{Wall: now(), Synced: timeServed()}
	boot, up, known := upTime()
	if !known {
		boot, up = fmt.Sprintf("process %d of %d", os.Getpid(), begun.UnixNano()), time.Since(begun)
	}
	r.Boot, r.Up = boot, up
	return witnessed(r)
}
