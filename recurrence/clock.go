package recurrence

import "math/bits"

// clock is the set of a rule's times of day: each hour with each minute, and
// always the same second (recurrence.md §3).
type clock struct {
	hours   uint32 // bits 0..23
	minutes uint64 // bits 0..59
	rest    int64  // milliseconds into the minute
}

// next returns the first time of day at tod or later, in milliseconds since
// midnight, or -1 when the day has none left.
func (c *clock) next(tod int64) int64 {
	minute := 0
	if tod > c.rest {
		minute = int((tod - c.rest + minuteMillis - 1) / minuteMillis)
	}
	hour := minute / 60
	if c.hours>>hour&1 != 0 {
		if left := c.minutes >> (minute - hour*60); left != 0 {
			return int64(minute+bits.TrailingZeros64(left))*minuteMillis + c.rest
		}
	}
	left := c.hours >> (hour + 1)
	if left == 0 {
		return -1
	}
	hour += 1 + bits.TrailingZeros32(left)
	return int64(hour)*hourMillis + int64(bits.TrailingZeros64(c.minutes))*minuteMillis + c.rest
}

// first returns the first time of the day.
func (c *clock) first() int64 {
	return int64(bits.TrailingZeros32(c.hours))*hourMillis +
		int64(bits.TrailingZeros64(c.minutes))*minuteMillis + c.rest
}

// last returns the last time of the day.
func (c *clock) last() int64 {
	return int64(bits.Len32(c.hours)-1)*hourMillis + int64(bits.Len64(c.minutes)-1)*minuteMillis + c.rest
}

// count returns the number of times in a day.
func (c *clock) count() int64 {
	return int64(bits.OnesCount32(c.hours)) * int64(bits.OnesCount64(c.minutes))
}

// minuteSet and hourSet turn lists into bits.
func minuteSet(minutes []int) (set uint64) {
	for _, m := range minutes {
		set |= 1 << m
	}
	return set
}

func hourSet(hours []int) (set uint32) {
	for _, h := range hours {
		set |= 1 << h
	}
	return set
}

const (
	allMinutes uint64 = 1<<60 - 1
	allHours   uint32 = 1<<24 - 1
)
