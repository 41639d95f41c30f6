//go:build faults

package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/almanac-sched/almanac/engine"
)

// clockVariable names the file that moves the clock of this build.
const clockVariable = "ALMANAC_CLOCK_FILE"

// witnessVariable names the file that says what the other sources of time of this build say: "synced", or the name of a start of the machine, or both.
const witnessVariable = "ALMANAC_CLOCK_WITNESS"

// witnessed is what the machine's other sources of time say. Where a file moves the clock no time server vouches for it unless a file says so.
func witnessed(r engine.ClockReading) engine.ClockReading {
	if os.Getenv(clockVariable) == "" {
		return r
	}
	r.Synced = false
	text, err := os.ReadFile(os.Getenv(witnessVariable))
	if err != nil {
		return r
	}
	for _, word := range strings.Fields(string(text)) {
		if word == "synced" {
			r.Synced = true
		} else {
			r.Boot = word
		}
	}
	return r
}

// now is the one clock of the command line, in a build whose clock can be set wrong: the machine's, moved as the file says. The file is read at each
// call and may be replaced at any moment. It holds an offset and, after a blank, an optional rate, such as `-72h` or `1h30m 1.05`: from the file's
// modification on the clock runs at that rate. As on a real machine a change of the offset moves the wall clock alone and not the monotonic one, by which
// sleeps and timeouts are counted. No file is no change. One that cannot be understood is a mistake of the test and ends the process.
func now() time.Time {
	real := time.Now()
	path := os.Getenv(clockVariable)
	if path == "" {
		return real
	}
	offset, rate, since, err := readClock(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return real
	case err != nil:
		panic(fmt.Sprintf("the clock file %s: %v", path, err))
	}
	drift := time.Duration(math.Round((rate - 1) * float64(real.Sub(since))))
	drifted := real.Add(drift)
	return keepMonotonic(drifted.Add(offset), drifted)
}

func readClock(path string) (offset time.Duration, rate float64, since time.Time, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, since, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, 0, since, err
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return 0, 0, since, err
	}
	words := strings.Fields(string(text))
	rate = 1
	switch len(words) {
	case 2:
		if rate, err = strconv.ParseFloat(words[1], 64); err != nil || rate <= 0 {
			return 0, 0, since, fmt.Errorf("the rate is %q, which is no number above 0", words[1])
		}
	case 1:
	default:
		return 0, 0, since, fmt.Errorf("it holds %q: want an offset and an optional rate", text)
	}
	offset, err = time.ParseDuration(words[0])
	return offset, rate, info.ModTime(), err
}

// keepMonotonic gives a time the monotonic reading of another: package time moves both readings together, a machine whose clock is set does not. It knows
// the layout of time.Time, which is why it is in no other build.
func keepMonotonic(moved, from time.Time) time.Time {
	type layout struct {
		wall uint64
		ext  int64
		loc  *time.Location
	}
	const hasMonotonic = 1 << 63
	to, source := (*layout)(unsafe.Pointer(&moved)), (*layout)(unsafe.Pointer(&from))
	if to.wall&source.wall&hasMonotonic != 0 {
		to.ext = source.ext
	}
	return moved
}
