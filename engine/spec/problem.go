package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity says whether a problem refuses the load.
type Severity int8

// The severities. Errors refuse the whole load, warnings do not.
const (
	Error Severity = iota
	Warning
)

// String returns "error" or "warning".
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// MarshalText writes the word.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// A Problem is one mistake in a file, or one thing worth a second look.
type Problem struct {
	File     string   `json:"file"`
	Line     int      `json:"line"`   // from 1; 0 when the problem is the file itself
	Column   int      `json:"column"` // from 1, in characters
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`        // what is wrong, and what is allowed
	Hint     string   `json:"hint,omitempty"` // what to write instead
}

// String returns file:line:col: message (hint). A warning says so.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	b.WriteString(": ")
	if p.Severity == Warning {
		b.WriteString("warning: ")
	}
	b.WriteString(p.Message)
	if p.Hint != "" {
		fmt.Fprintf(&b, " (%s)", p.Hint)
	}
	return b.String()
}

// Problems is everything found in one or more files, sorted by file, line and column.
type Problems []Problem

// Error returns one line for each problem. It is meaningful when HasErrors is true.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i := range p {
		lines[i] = p[i].String()
	}
	return strings.Join(lines, "\n")
}

// HasErrors reports whether any of the problems refuses the load.
func (p Problems) HasErrors() bool {
	return slices.ContainsFunc(p, func(q Problem) bool { return q.Severity == Error })
}

// Err returns the problems as an error when they hold one, and nil otherwise.
func (p Problems) Err() error {
	if p.HasErrors() {
		return p
	}
	return nil
}

// sorted brings the problems in their order and leaves out repetitions, such as a mistake in `defaults` that every job inherits.
func (p Problems) sorted() Problems {
	slices.SortStableFunc(p, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(p)
}
