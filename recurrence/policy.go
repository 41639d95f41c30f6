package recurrence

import (
	"fmt"
	"strings"
)

// Gap says what happens to a named local time that a zone skips when its
// clocks go forward (recurrence.md §5).
type Gap int8

// The gap policies. A rule that repeats every hour has no occurrence in a gap
// whatever the policy.
const (
	GapShift Gap = iota // due once, at the gap's end
	GapSkip             // not due at all
)

// Overlap says what happens to a named local time that a zone repeats when its
// clocks go back (recurrence.md §5).
type Overlap int8

// The overlap policies. A rule that repeats every hour is due in both passes
// whatever the policy.
const (
	OverlapFirst Overlap = iota // due in the first pass
	OverlapLast                 // due in the last pass
	OverlapBoth                 // due in both
)

// OffCalendar says what happens to an occurrence on a day that the calendar
// does not count as a work day (recurrence.md §6).
type OffCalendar int8

// The off-calendar policies.
const (
	OffDryRun   OffCalendar = iota // the occurrence stays and does nothing
	OffDrop                        // there is no such occurrence
	OffPrevious                    // it moves to the last work day before, same local time
	OffNext                        // it moves to the first work day after, same local time
)

var (
	gapWords         = []string{GapShift: "shift", GapSkip: "skip"}
	overlapWords     = []string{OverlapFirst: "first", OverlapLast: "last", OverlapBoth: "both"}
	offCalendarWords = []string{OffDryRun: "dryRun", OffDrop: "drop", OffPrevious: "previous", OffNext: "next"}
)

// parseWord finds s among words, ignoring case, and returns its index.
func parseWord(what, s string, words []string) (int8, error) {
	for i, w := range words {
		if strings.EqualFold(strings.TrimSpace(s), w) {
			return int8(i), nil
		}
	}
	return 0, fmt.Errorf("unknown %s %q: write %s or %s", what, s,
		strings.Join(words[:len(words)-1], ", "), words[len(words)-1])
}

// wordOf is the inverse of parseWord.
func wordOf(what string, i int8, words []string) string {
	if i < 0 || int(i) >= len(words) {
		return fmt.Sprintf("%s(%d)", what, i)
	}
	return words[i]
}

// ParseGap reads "shift" or "skip" in any case.
func ParseGap(s string) (Gap, error) {
	i, err := parseWord("gap policy", s, gapWords)
	return Gap(i), err
}

// String returns "shift" or "skip".
func (g Gap) String() string { return wordOf("gap", int8(g), gapWords) }

// MarshalText writes the word of the policy.
func (g Gap) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// UnmarshalText reads what [ParseGap] reads.
func (g *Gap) UnmarshalText(text []byte) (err error) {
	*g, err = ParseGap(string(text))
	return err
}

// ParseOverlap reads "first", "last" or "both" in any case.
func ParseOverlap(s string) (Overlap, error) {
	i, err := parseWord("overlap policy", s, overlapWords)
	return Overlap(i), err
}

// String returns "first", "last" or "both".
func (o Overlap) String() string { return wordOf("overlap", int8(o), overlapWords) }

// MarshalText writes the word of the policy.
func (o Overlap) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads what [ParseOverlap] reads.
func (o *Overlap) UnmarshalText(text []byte) (err error) {
	*o, err = ParseOverlap(string(text))
	return err
}

// ParseOffCalendar reads "dryRun", "drop", "previous" or "next" in any case.
func ParseOffCalendar(s string) (OffCalendar, error) {
	i, err := parseWord("offCalendar policy", s, offCalendarWords)
	return OffCalendar(i), err
}

// String returns "dryRun", "drop", "previous" or "next".
func (o OffCalendar) String() string { return wordOf("offCalendar", int8(o), offCalendarWords) }

// MarshalText writes the word of the policy.
func (o OffCalendar) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads what [ParseOffCalendar] reads.
func (o *OffCalendar) UnmarshalText(text []byte) (err error) {
	*o, err = ParseOffCalendar(string(text))
	return err
}
