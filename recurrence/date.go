package recurrence

import (
	"cmp"
	"fmt"
	"time"
)

// Date is a civil date of the proleptic Gregorian calendar. It names a natural
// day without saying in which zone.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// ParseDate reads an ISO 8601 calendar date, "2026-10-01". The year has four
// digits and the day must exist in its month.
func ParseDate(s string) (Date, error) {
	bad := func() (Date, error) {
		return Date{}, fmt.Errorf("%q is not a date: write year-month-day, such as 2026-10-01", s)
	}
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return bad()
	}
	number := func(digits string) int {
		n := 0
		for i := 0; i < len(digits); i++ {
			if digits[i] < '0' || digits[i] > '9' {
				return -1
			}
			n = n*10 + int(digits[i]-'0')
		}
		return n
	}
	y, m, d := number(s[:4]), number(s[5:7]), number(s[8:])
	if y < 1 || m < 1 || m > 12 || d < 1 {
		return bad()
	}
	if last := monthLength(y, m); d > last {
		return Date{}, fmt.Errorf("%q is not a date: %s %d has %d days", s, time.Month(m), y, last)
	}
	return Date{y, time.Month(m), d}, nil
}

// DateOf returns the date on which t falls in t's own location.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{y, m, d}
}

// String returns the date in ISO 8601 form, "2026-10-01".
func (d Date) String() string { return fmt.Sprintf("%04d-%02d-%02d", d.Year, int(d.Month), d.Day) }

// IsZero reports whether d is the zero Date, which is no day at all.
func (d Date) IsZero() bool { return d == Date{} }

// AddDays returns the date n days later, or earlier when n is negative.
func (d Date) AddDays(n int) Date { return dateOfDay(d.dayNumber() + int64(n)) }

// Weekday returns the day of the week.
func (d Date) Weekday() time.Weekday { return weekdayOf(d.dayNumber()) }

// Compare returns -1 when d is before e, 0 when they are one day, +1 when d is
// after e.
func (d Date) Compare(e Date) int { return cmp.Compare(d.dayNumber(), e.dayNumber()) }

// MarshalText writes the ISO 8601 form.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what [ParseDate] reads.
func (d *Date) UnmarshalText(text []byte) error {
	parsed, err := ParseDate(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}

// DateRange is a run of days with both ends included. A single day is a range
// whose From and To are equal.
type DateRange struct{ From, To Date }

// Contains reports whether d lies in the range.
func (r DateRange) Contains(d Date) bool { return d.Compare(r.From) >= 0 && d.Compare(r.To) <= 0 }

// String returns "2026-10-01" or "2026-10-01..2026-10-08".
func (r DateRange) String() string {
	if r.From == r.To {
		return r.From.String()
	}
	return r.From.String() + ".." + r.To.String()
}

// DayStart returns the instant at which the natural day d begins in loc: the
// first instant whose local time is d 00:00 or later (recurrence.md §5). In
// Santiago 2026-09-06 begins at 01:00, because midnight is skipped. A day that
// a zone skips whole, such as 2011-12-30 in Apia, begins where the next one
// does and is empty.
func DayStart(d Date, loc *time.Location) time.Time {
	if loc == nil {
		loc = time.UTC
	}
	z := zoneOf(loc)
	return time.UnixMilli(z.firstAtOrAfter(d.dayNumber() * dayMillis)).In(loc)
}

// exists reports whether d is a day that [ParseDate] could return.
func (d Date) exists() bool { return d.Year >= 1 && d.Year <= 9999 && dateOfDay(d.dayNumber()) == d }

// dayNumber counts days from 1970-01-01, which is day 0. Months and days out
// of range are carried over as time.Date does.
func (d Date) dayNumber() int64 {
	m := int64(d.Month) - 1
	y := int64(d.Year) + floorDiv(m, 12)
	return civilDay(y, int(floorMod(m, 12))+1, 1) + int64(d.Day) - 1
}

// dateOfDay is the inverse of dayNumber.
func dateOfDay(day int64) Date {
	y, m, d := civilOf(day)
	return Date{int(y), time.Month(m), d}
}
