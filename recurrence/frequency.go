package recurrence

import (
	"fmt"
	"strings"
)

// Frequency is the unit in which a rule counts its periods
// (recurrence.md §1). The zero value is no frequency and is invalid.
type Frequency int8

// The frequencies, from the shortest period to the longest.
const (
	Minute Frequency = iota + 1
	Hour
	Day
	Week
	Month
	Year
)

var frequencyWords = [...]struct{ noun, adverb string }{
	Minute: {"minute", "minutely"},
	Hour:   {"hour", "hourly"},
	Day:    {"day", "daily"},
	Week:   {"week", "weekly"},
	Month:  {"month", "monthly"},
	Year:   {"year", "yearly"},
}

// ParseFrequency reads a frequency in any case: the noun (month), its plural
// (months) or its adverb (monthly, also annually).
func ParseFrequency(s string) (Frequency, error) {
	word := strings.ToLower(strings.TrimSpace(s))
	for f := Minute; f <= Year; f++ {
		w := frequencyWords[f]
		if word == w.noun || word == w.adverb || word == w.noun+"s" {
			return f, nil
		}
	}
	if word == "annually" {
		return Year, nil
	}
	return 0, fmt.Errorf("unknown frequency %q: write minute, hour, day, week, month or year", s)
}

// Valid reports whether f is one of the six frequencies.
func (f Frequency) Valid() bool { return f >= Minute && f <= Year }

// String returns the noun of the frequency in lower case, such as "month".
func (f Frequency) String() string {
	if !f.Valid() {
		return fmt.Sprintf("frequency(%d)", int8(f))
	}
	return frequencyWords[f].noun
}

// MarshalText writes the noun of the frequency; the zero value is an error.
func (f Frequency) MarshalText() ([]byte, error) {
	if !f.Valid() {
		return nil, fmt.Errorf("write frequency: %d is not a frequency", int8(f))
	}
	return []byte(f.String()), nil
}

// UnmarshalText reads what [ParseFrequency] reads.
func (f *Frequency) UnmarshalText(text []byte) error {
	parsed, err := ParseFrequency(string(text))
	if err != nil {
		return err
	}
	*f = parsed
	return nil
}
