package deps

import "time"

// Window is a range of plan times. Which ends belong to it is said by Closed; the
// zero Closed is [From, To).
type Window struct {
	From, To time.Time
	Closed   Closed
}

// Contains reports whether t lies in the window.
func (w Window) Contains(t time.Time) bool {
	from, to := w.halfOpen()
	return !t.Before(from) && t.Before(to)
}

// halfOpen gives the same set of instants as [from, to).
func (w Window) halfOpen() (from, to time.Time) {
	from, to = w.From, w.To
	if w.Closed == Right {
		from = from.Add(1)
	}
	if w.Closed != Left {
		to = to.Add(1)
	}
	return from, to
}

// String writes the window with the brackets of its ends and local times with
// their offset: "[2026-09-01 00:00 +08:00, 2026-09-02 00:00 +08:00)".
func (w Window) String() string {
	open, end := "[", ")"
	if w.Closed == Right {
		open = "("
	}
	if w.Closed != Left {
		end = "]"
	}
	return open + stamp(w.From) + ", " + stamp(w.To) + end
}

// stamp leaves out what is zero: seconds and their fraction.
func stamp(t time.Time) string {
	layout := "2006-01-02 15:04 -07:00"
	if t.Second() != 0 || t.Nanosecond() != 0 {
		layout = "2006-01-02 15:04:05.999 -07:00"
	}
	return t.Format(layout)
}

// Offset is a signed distance from a plan time: first years and months, clamped
// to the end of a shorter month, then days, both on the local calendar of the
// downstream job, then elapsed time. A local time that does not exist is the end
// of the gap it lies in; one that exists twice is its first.
type Offset struct {
	Years, Months, Days int
	Duration            time.Duration
}

// bounds gives the least and greatest elapsed time the offset can stand for,
// zone changes of up to four hours included.
func (o Offset) bounds() (low, high time.Duration) {
	months := o.Years*12 + o.Months
	low, high = o.Duration, o.Duration
	if months == 0 && o.Days == 0 {
		return low, high
	}
	// Of any n months in a row the shortest have at least 28 n days, the longest at most 31 n.
	short, long := time.Duration(months)*28*day, time.Duration(months)*31*day
	days := time.Duration(o.Days) * day
	return low + min(short, long) + days - zoneSlack, high + max(short, long) + days + zoneSlack
}

// ExplicitWindow is the range that an edge writes itself; it replaces the tables.
type ExplicitWindow struct {
	From, To Offset
	Closed   Closed
}
