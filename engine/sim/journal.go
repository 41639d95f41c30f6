package sim

import (
	"fmt"
	"strings"
	"time"
)

// journal is the log of a world: what happened, in order, and nothing that depends on the run. Two worlds of one seed have equal journals.
type journal struct {
	text []byte
}

// logf adds a line with the true time.
func (w *World) logf(format string, args ...any) {
	if w.opts.Quiet {
		return
	}
	t := w.t
	day, t := t/(24*time.Hour), t%(24*time.Hour)
	w.journal.text = fmt.Appendf(w.journal.text, "%d+%02d:%02d:%02d.%03d ", day, t/time.Hour, t/time.Minute%60, t/time.Second%60, t/time.Millisecond%1000)
	w.journal.text = fmt.Appendf(w.journal.text, format, args...)
	w.journal.text = append(w.journal.text, '\n')
}

// tail is the last n lines.
func (j *journal) tail(n int) string {
	lines := strings.Split(strings.TrimSuffix(string(j.text), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// A Violation is a broken promise.
type Violation struct {
	Invariant string // I1 … I16, or the word of another demand: progress, replay, store
	Words     string
	At        time.Duration // true time since the beginning of the world
}

func (v *Violation) Error() string { return fmt.Sprintf("%s after %s: %s", v.Invariant, v.At, v.Words) }

// broken records a violation. The first ends the world.
func (w *World) broken(invariant, format string, args ...any) {
	if w.violation != nil {
		return
	}
	w.violation = &Violation{Invariant: invariant, Words: fmt.Sprintf(format, args...), At: w.t}
	w.logf("VIOLATION %s: %s", invariant, w.violation.Words)
}
