package recurrence

import (
	"fmt"
	"time"
)

// Calendar says which days are work days (recurrence.md §6). A day in On is a
// work day, otherwise a day in Off is not, otherwise its weekday decides. The
// zero Calendar has no work day.
//
// A Calendar must not be changed while anything that uses it is being
// compiled; a compiled [Timetable] no longer looks at it.
type Calendar struct {
	Name     string
	WorkDays [7]bool     // by time.Weekday
	Off, On  []DateRange // both ends included
}

// WorkDay reports whether d is a work day.
func (c *Calendar) WorkDay(d Date) bool { return indexOf(c).work(d.dayNumber()) }

// AddWorkDays returns the n-th work day after d, or before it when n is
// negative; with n = 0 it returns d itself, whether d is a work day or not. It
// returns false when the calendar has no such day within 400 years.
func (c *Calendar) AddWorkDays(d Date, n int) (Date, bool) {
	x, day := indexOf(c), d.dayNumber()
	low, high := day-cycleDays, day+cycleDays
	for ; n > 0; n-- {
		if day = x.next(day + 1); day > high {
			return Date{}, false
		}
	}
	for ; n < 0; n++ {
		if day = x.previous(day - 1); day < low {
			return Date{}, false
		}
	}
	return dateOfDay(day), true
}

// Include adds the off and on days of other, as an included calendar does:
// where the two disagree about a listed day, c wins. The weekdays of other are
// taken only when c has none of its own.
func (c *Calendar) Include(other *Calendar) {
	if other == nil {
		return
	}
	if c.WorkDays == [7]bool{} {
		c.WorkDays = other.WorkDays
	}
	// An on day beats an off day, so only the on days of other that c lists as
	// off have to be cut out.
	on := other.On
	for _, cut := range c.Off {
		var left []DateRange
		for _, r := range on {
			left = append(left, r.without(cut)...)
		}
		on = left
	}
	c.Off = append(c.Off[:len(c.Off):len(c.Off)], other.Off...)
	c.On = append(c.On[:len(c.On):len(c.On)], on...)
}

// without returns what is left of r when cut is taken away.
func (r DateRange) without(cut DateRange) []DateRange {
	if cut.To.Compare(r.From) < 0 || cut.From.Compare(r.To) > 0 {
		return []DateRange{r}
	}
	var left []DateRange
	if r.From.Compare(cut.From) < 0 {
		left = append(left, DateRange{r.From, cut.From.AddDays(-1)})
	}
	if r.To.Compare(cut.To) > 0 {
		left = append(left, DateRange{cut.To.AddDays(1), r.To})
	}
	return left
}

func (c *Calendar) validate(m *mistakes) {
	check := func(field string, ranges []DateRange) {
		for i, r := range ranges {
			switch at := func() string { return fmt.Sprintf("calendar.%s[%d]", field, i) }; {
			case !r.From.exists():
				m.add(at(), "%s is not a date of the years 1..9999; write year-month-day, such as 2026-10-01", r.From)
			case !r.To.exists():
				m.add(at(), "%s is not a date of the years 1..9999; write year-month-day, such as 2026-10-01", r.To)
			case r.From.Compare(r.To) > 0:
				m.add(at(), "%s ends before it begins; write the earlier day first", r)
			}
		}
	}
	check("off", c.Off)
	check("on", c.On)
}

// weekdayMask returns the weekdays of the calendar as bits by time.Weekday.
func (c *Calendar) weekdayMask() uint8 {
	var mask uint8
	for d := time.Sunday; d <= time.Saturday; d++ {
		if c.WorkDays[d] {
			mask |= 1 << d
		}
	}
	return mask
}
