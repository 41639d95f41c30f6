package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// leftOut begins the line that stands in a log for what was cut out of it.
const leftOut = "--- almanac: "

// checkLogs is C12: what an attempt says that it has printed is in its log, unless the log says that it was cut.
func (c *checker) checkLogs() {
	if c.witness == nil {
		c.report.notChecked(c12, 1, "no witness file")
		return
	}
	folder := filepath.Join(c.folder, "logs")
	if _, err := os.Stat(folder); err != nil {
		c.report.notChecked(c12, len(c.attempts), "no logs beside the database")
		return
	}
	for _, a := range c.attempts {
		w := c.witnessOf(a)
		if a.outcome == "" || w == nil || w.marks == 0 {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, fmt.Sprint(a.id/1000), fmt.Sprintf("%d.log", a.id)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			c.report.checked(c12)
			c.report.violate(c12, a.instance, "attempt %d of step %q printed %d marked lines, and has no log", a.number, a.step, w.marks)
			continue
		case err != nil:
			c.report.notChecked(c12, 1, "a log that cannot be read")
			continue
		}
		c.report.checked(c12)
		if a.truncated || bytes.Contains(text, []byte(leftOut)) {
			continue
		}
		if lacks := missingMarks(text, w); lacks > 0 {
			c.report.violate(c12, a.instance, "attempt %d of step %q printed %d marked lines; %d are not in its log, which does not say that it was cut", a.number, a.step, w.marks, lacks)
		}
	}
}

// missingMarks counts the marked lines that a log lacks.
func missingMarks(text []byte, w *runWitness) (lacks int) {
	lines := map[string]bool{}
	for line := range bytes.Lines(text) {
		lines[string(bytes.TrimSpace(line))] = true
	}
	step := or(w.step, "-")
	for n := int64(1); n <= w.marks; n++ {
		if !lines[fmt.Sprintf("almanac-mark %d %d %s %d", w.instance, w.attempt, step, n)] {
			lacks++
		}
	}
	return lacks
}
