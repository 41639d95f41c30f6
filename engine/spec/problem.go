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
	Kind     Kind     `json:"kind,omitempty"` // of a warning: what many of them have in common
}

// Kind names what many problems have in common, so that they can be told in one line.
type Kind string

// The kinds of warning that a folder may have many of.
const (
	KindLater    Kind = "waits-for-later"
	KindEmpty    Kind = "never-waits"
	KindUnwaited Kind = "not-waited-for"
	KindSchedule Kind = "schedule"
	KindAtOnce   Kind = "runs-at-once"
	KindNever    Kind = "never-enough"

	KindAuthentication Kind = "authentication"
	KindSecretText     Kind = "secret-in-a-text"
	KindSecret         Kind = "secret-not-set"
	KindCommand        Kind = "command-not-runnable"
)

// A ProblemGroup is the problems of one kind in one file, told by the first of them.
type ProblemGroup struct {
	Problem
	Count int
}

// Summarized puts the warnings of one kind in one file together, each group where its first stands. Everything else stays alone.
func (p Problems) Summarized() []ProblemGroup {
	type key struct {
		file string
		kind Kind
	}
	var groups []ProblemGroup
	at := map[key]int{}
	for _, one := range p {
		k := key{one.File, one.Kind}
		if n, seen := at[k]; seen && one.Kind != "" && one.Severity == Warning {
			groups[n].Count++
			continue
		}
		if one.Severity == Warning {
			at[k] = len(groups)
		}
		groups = append(groups, ProblemGroup{one, 1})
	}
	return groups
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

// countErrors counts those that refuse the load.
func countErrors(p Problems) (n int) {
	for i := range p {
		if p[i].Severity == Error {
			n++
		}
	}
	return n
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
