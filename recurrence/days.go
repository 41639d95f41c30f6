package recurrence

import "math/bits"

// days is the set of days on which a rule is due, before any calendar
// (recurrence.md §3). Days are day numbers since 1970-01-01.
type days struct {
	kind  dayKind
	from  int64 // no day before it
	step  int64 // every step-th day, week or month is taken
	phase int64 // a day, week or month number that is taken

	weekdays uint8 // weeks: which days of a taken week

	// months: which months of the year, and which days of a month by its length
	// and the weekday of its 1st; bit 0 is January or the 1st.
	months   uint16
	byMonth  *[4][7]uint32
	workDays *nthWorkDays // nil unless the rule counts work days
}

type dayKind int8

const (
	everyNthDay dayKind = iota
	everyNthWeek
	everyNthMonth
)

const allMonths uint16 = 1<<12 - 1

// next returns the first day of the set that is day or later and whose weekday
// is in the mask, or never. It looks no further than 400 years ahead.
func (d *days) next(day int64, weekdays uint8) int64 {
	day = max(day, d.from)
	switch d.kind {
	case everyNthDay:
		if late := floorMod(day-d.phase, d.step); late > 0 {
			day += d.step - late
		}
		// Seven steps see every weekday that the steps can reach.
		for range 7 {
			if weekdays>>weekdayOf(day)&1 != 0 {
				return day
			}
			day += d.step
		}
		return never
	case everyNthWeek:
		return d.nextInWeeks(day, weekdays)
	}
	return d.nextInMonths(day, weekdays)
}

// weekOf returns the number of the week, which begins on Monday; day 0, a
// Thursday, lies in week 0.
func weekOf(day int64) int64 { return floorDiv(day+3, 7) }

func (d *days) nextInWeeks(day int64, weekdays uint8) int64 {
	mask := d.weekdays & weekdays
	if mask == 0 {
		return never
	}
	mondayFirst := uint32(mask>>1 | mask<<6&(1<<6))
	week := weekOf(day)
	late := floorMod(week-d.phase, d.step)
	if late == 0 {
		if left := mondayFirst >> (day + 3 - 7*week); left != 0 {
			return day + int64(bits.TrailingZeros32(left))
		}
	}
	week += d.step - late
	return 7*week - 3 + int64(bits.TrailingZeros32(mondayFirst))
}

// monthNumber counts months from January of the year 0.
func monthNumber(y int64, m int) int64 { return 12*y + int64(m) - 1 }

func (d *days) nextInMonths(day int64, weekdays uint8) int64 {
	y, m, dayOfMonth := civilOf(day)
	month := monthNumber(y, m)
	earlier := uint32(1)<<(dayOfMonth-1) - 1 // the days of the first month that are over
	end := month + 4800
	for {
		if taken := d.nextMonth(month); taken != month {
			month, earlier = taken, 0
		}
		if month > end {
			return never
		}
		y, m := floorDiv(month, 12), int(floorMod(month, 12))+1
		first, length := civilDay(y, m, 1), monthLength(int(y), m)
		weekday := int(weekdayOf(first))
		mask := d.byMonth[length-28][weekday] &^ earlier
		if mask != 0 && d.workDays != nil {
			mask &= d.workDays.days(first, length, weekday)
		}
		if mask != 0 && weekdays != allWeekdays {
			mask &= weekdayDays(weekdays, weekday)
		}
		if mask != 0 {
			return first + int64(bits.TrailingZeros32(mask))
		}
		month, earlier = month+1, 0
	}
}

// nextMonth returns the first taken month that is month or later.
func (d *days) nextMonth(month int64) int64 {
	if d.step > 1 {
		if late := floorMod(month-d.phase, d.step); late > 0 {
			return month + d.step - late
		}
		return month
	}
	if d.months == allMonths {
		return month
	}
	twice := uint32(d.months) | uint32(d.months)<<12
	return month + int64(bits.TrailingZeros32(twice>>floorMod(month, 12)))
}

// monthTable computes byMonth from a function that says which days of a month
// are taken, given its length and the weekday of its 1st.
func monthTable(taken func(length, first int) uint32) *[4][7]uint32 {
	var table [4][7]uint32
	for l := range table {
		for first := range table[l] {
			table[l][first] = taken(28+l, first) & (1<<(28+l) - 1)
		}
	}
	return &table
}

// monthDaySet returns the days of a month that the list names; those it does
// not have are left out.
func monthDaySet(list []int, length int) (set uint32) {
	for _, d := range list {
		if d < 0 {
			d += length + 1
		}
		if d >= 1 && d <= length {
			set |= 1 << (d - 1)
		}
	}
	return set
}

// monthlyOccurrenceSet returns the counted weekdays of a month.
func monthlyOccurrenceSet(list []MonthlyOccurrence, length, first int) (set uint32) {
	for _, o := range list {
		every := weekdayDays(1<<o.Day, first) & (1<<length - 1)
		if o.Occurrence == 0 {
			set |= every
			continue
		}
		set |= nth(every, o.Occurrence)
	}
	return set
}

// nth returns the n-th set bit of a set, counted from its end when n is
// negative, as a set; empty when there are not so many.
func nth(set uint32, n int) uint32 {
	for ; n > 1 && set != 0; n-- {
		set &= set - 1
	}
	for ; n < -1 && set != 0; n++ {
		set &^= 1 << (bits.Len32(set) - 1)
	}
	switch {
	case set == 0:
		return 0
	case n > 0:
		return set & -set
	}
	return 1 << (bits.Len32(set) - 1)
}

// nthWorkDays is the set "n-th work day of the month" (recurrence.md §6).
type nthWorkDays struct {
	list     []int
	calendar *workdays
	plain    *[4][7]uint32 // the days of months without listed days
}

func newNthWorkDays(list []int, calendar *workdays) *nthWorkDays {
	n := &nthWorkDays{list: list, calendar: calendar}
	n.plain = monthTable(func(length, first int) uint32 {
		return n.of(weekdayDays(calendar.weekdays, first) & (1<<length - 1))
	})
	return n
}

func (n *nthWorkDays) of(work uint32) (set uint32) {
	for _, i := range n.list {
		set |= nth(work, i)
	}
	return set
}

// days returns the counted work days of the month that begins at day first.
func (n *nthWorkDays) days(first int64, length, weekday int) uint32 {
	if n.calendar.plain(first, first+int64(length)-1) {
		return n.plain[length-28][weekday]
	}
	return n.of(n.calendar.month(first, length))
}
