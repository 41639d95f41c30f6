package recurrence

import (
	"fmt"
	"time"
)

// Plan times lie in the years FirstYear to LastYear, both included, on the
// clocks of the job's zone. Every door through which a plan time enters holds
// it: the files, the trigger, the webhook, the API, the command line, previews
// and days. Rules make no plan time outside of the range.
const (
	FirstYear = 1900
	LastYear  = 2200
)

// InRange reports whether t, on its own clock, can be a plan time.
func InRange(t time.Time) bool { return t.Year() >= FirstYear && t.Year() <= LastYear }

// CheckRange returns an error that says what is allowed when t, on the clocks
// of loc, cannot be a plan time.
func CheckRange(t time.Time, loc *time.Location) error {
	if t = t.In(loc); InRange(t) {
		return nil
	}
	return fmt.Errorf("the year %d is out of range; allowed is %d to %d", t.Year(), FirstYear, LastYear)
}

// ParseDay reads a date as [ParseDate] does, of a day that can have plan times.
func ParseDay(s string) (Date, error) {
	d, err := ParseDate(s)
	if err == nil && (d.Year < FirstYear || d.Year > LastYear) {
		err = fmt.Errorf("%q: the year %d is out of range; allowed is %d to %d", s, d.Year, FirstYear, LastYear)
	}
	return d, err
}

// bounds returns the first and the last millisecond of the range in a zone.
func bounds(loc *time.Location) (first, last int64) {
	return time.Date(FirstYear, time.January, 1, 0, 0, 0, 0, loc).UnixMilli(),
		time.Date(LastYear+1, time.January, 1, 0, 0, 0, 0, loc).UnixMilli() - 1
}
