package deps

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// Policy says which of the two tables of windows an edge uses.
type Policy int8

// Natural looks at natural days and clock hours (dependencies.md §2), Traditional
// one period back (§6).
const (
	Natural Policy = iota
	Traditional
)

var policyWords = []string{"natural", "traditional"}

// String gives "natural" or "traditional".
func (p Policy) String() string { return word(policyWords, int(p), "policy") }

// ParsePolicy reads the words that String gives.
func ParsePolicy(s string) (Policy, error) {
	i, err := index(policyWords, s, "policy")
	return Policy(i), err
}

// SelectKind is the first half of a Select.
type SelectKind int8

// What of the set must be satisfied. SelectDefault leaves it to the tables: all,
// except where a previous cycle says last.
const (
	SelectDefault SelectKind = iota
	SelectAll
	SelectAny
	SelectFirst
	SelectLast
	SelectCount // at least N
)

var selectWords = []string{"default", "all", "any", "first", "last"}

// Select says how many, or which one, of the upstream plan times must be
// satisfied. N is used by SelectCount alone.
type Select struct {
	Kind SelectKind
	N    int
}

// String gives "all", "any", "first", "last", the number of a count, or "default".
func (s Select) String() string {
	if s.Kind == SelectCount {
		return strconv.Itoa(s.N)
	}
	return word(selectWords, int(s.Kind), "select")
}

// ParseSelect reads what String gives, except "default": leave the field out instead.
func ParseSelect(s string) (Select, error) {
	if i := slices.Index(selectWords, s); i > 0 {
		return Select{Kind: SelectKind(i)}, nil
	}
	if n, err := strconv.Atoi(s); err == nil && n >= 1 {
		return Select{SelectCount, n}, nil
	}
	return Select{}, fmt.Errorf("select %q is not one of %s, or a number from 1", s, strings.Join(selectWords[1:], ", "))
}

// Closed says which of a window's two ends belong to it.
type Closed int8

// Left is [from, to), Right is (from, to], Both is [from, to].
const (
	Left Closed = iota
	Right
	Both
)

var closedWords = []string{"left", "right", "both"}

// String gives "left", "right" or "both".
func (c Closed) String() string { return word(closedWords, int(c), "closed") }

// ParseClosed reads the words that String gives.
func ParseClosed(s string) (Closed, error) {
	i, err := index(closedWords, s, "closed")
	return Closed(i), err
}

// Reason is the rule that produced a binding (dependencies.md §10). It is data,
// kept with what it explains.
type Reason int8

// The reasons. NoneInWindow stands for every empty set, whatever rule looked.
const (
	NoneInWindow    Reason = iota
	NaturalDay             // every plan time of the natural day
	NaturalHour            // every plan time of a clock hour
	Rolling                // every plan time of the last interval
	OneToOne               // as many upstream as downstream that day: the one of the same rank
	IntervalBack           // the upstream since the downstream's previous plan time
	NearestBack            // nothing since then: the nearest earlier one of the day
	NearestForward         // nothing earlier that day: the first one after
	Nearest                // rule nearest: the latest one not after
	PreviousCycle          // a window of the previous cycle
	TraditionalBack        // a window of the traditional policy
	ExplicitRange          // the edge's own window
	SelfPrevious           // the job's own earlier plan time
)

var reasonWords = []string{
	"none-in-window", "natural-day", "natural-hour", "rolling", "one-to-one", "interval-back", "nearest-back",
	"nearest-forward", "nearest", "previous-cycle", "traditional", "window", "self",
}

// String gives the word of dependencies.md §10.
func (r Reason) String() string { return word(reasonWords, int(r), "reason") }

// ParseReason reads the words that String gives.
func ParseReason(s string) (Reason, error) {
	i, err := index(reasonWords, s, "reason")
	return Reason(i), err
}

func word(words []string, i int, kind string) string {
	if i < 0 || i >= len(words) {
		return fmt.Sprintf("%s(%d)", kind, i)
	}
	return words[i]
}

func index(words []string, s, kind string) (int, error) {
	if i := slices.Index(words, s); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("%s %q is not one of %s", kind, s, strings.Join(words, ", "))
}
