package action

import (
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"sync"
)

// askedFile says up to which attempt a supervisor has begun any. It is one line, written before each fork.
const askedFile = "asked"

const askedForm = "almanac-asked 1 %s %020d"

// asked knows the highest attempt that was ever about to begin here. Attempts get their ids in order: one with a higher id of which nothing is known has
// never begun. The line is not synced: it survives the death of a supervisor, and after one of the machine it is of another boot and says nothing.
type asked struct {
	mu   sync.Mutex
	file *os.File
	boot string
	top  int64 // math.MaxInt64 while nothing is certain
}

// openAsked reads the line of an earlier supervisor.
func openAsked(run *os.Root, boot string) (*asked, error) {
	f, err := run.OpenFile(askedFile, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the record of what was begun: %w", err)
	}
	a := &asked{file: f, boot: boot, top: math.MaxInt64}
	line := make([]byte, 256)
	n, _ := f.ReadAt(line, 0)
	var was string
	var top int64
	if _, err := fmt.Sscanf(string(line[:n]), askedForm, &was, &top); err == nil && boot != "" && was == boot && string(line[:n]) == askedLine(boot, top) {
		a.top = top
	}
	return a, nil
}

func askedLine(boot string, top int64) string {
	line := fmt.Sprintf(askedForm, boot, top)
	return fmt.Sprintf("%s %08x\n", line, crc32.ChecksumIEEE([]byte(line)))
}

// note records that an attempt is about to begin. Without the record it must not.
func (a *asked) note(attempt int64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.top != math.MaxInt64 && attempt <= a.top {
		return nil
	}
	if _, err := a.file.WriteAt([]byte(askedLine(a.boot, attempt)), 0); err != nil {
		a.top = math.MaxInt64
		return fmt.Errorf("record that an attempt begins: %w", err)
	}
	a.top = attempt
	return nil
}

// never reports that an attempt has certainly not begun, given that no outcome of it is known and it does not run.
func (a *asked) never(attempt int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return attempt > a.top
}
