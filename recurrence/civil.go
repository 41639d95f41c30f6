package recurrence

import "time"

// Arithmetic on civil days. All of it is in whole days and milliseconds since
// 1970-01-01 00:00, of whatever clock the caller means.

const (
	minuteMillis int64 = 60_000
	hourMillis   int64 = 60 * minuteMillis
	dayMillis    int64 = 24 * hourMillis

	// cycleDays is the length of the Gregorian cycle: 400 years are a whole
	// number of weeks, so dates, weekdays and daylight-saving rules repeat.
	cycleDays   int64 = 146_097
	cycleMillis       = cycleDays * dayMillis

	// The arithmetic holds for the years 1 to 9999, which RFC 3339 can write.
	earliest int64 = -719_162 * dayMillis
	latest   int64 = 2_932_897*dayMillis - 1

	// never stands for "no such time"; it is later than every time.
	never int64 = 1 << 62
)

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func floorMod(a, b int64) int64 {
	m := a % b
	if m < 0 {
		m += b
	}
	return m
}

// civilDay returns the day number of a date with 1 <= m <= 12. It counts years
// from 1 March, so that the leap day is the last of its year.
func civilDay(y int64, m, d int) int64 {
	if m <= 2 {
		y--
		m += 12
	}
	return 365*y + floorDiv(y, 4) - floorDiv(y, 100) + floorDiv(y, 400) +
		int64((153*(m-3)+2)/5) + int64(d) - 719_469
}

// civilOf is the inverse of civilDay.
func civilOf(day int64) (y int64, m, d int) {
	n := day + 719_468 // days since 0000-03-01
	era := floorDiv(n, cycleDays)
	doe := n - era*cycleDays
	yoe := (doe - doe/1460 + doe/36_524 - doe/146_096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	d = int(doy-(153*mp+2)/5) + 1
	m = int(mp) + 3
	y = yoe + era*400
	if m > 12 {
		m -= 12
		y++
	}
	return y, m, d
}

// weekdayOf returns the weekday of a day number; 1970-01-01 was a Thursday.
func weekdayOf(day int64) time.Weekday { return time.Weekday(floorMod(day+4, 7)) }

// monthLength returns the number of days of a month.
func monthLength(y, m int) int {
	if m == 2 {
		if y%4 == 0 && (y%100 != 0 || y%400 == 0) {
			return 29
		}
		return 28
	}
	return 30 + (m+m>>3)&1
}
