package recurrence

import "time"

// Origin says from when on a job exists. It is made by [Created] or
// [Anchored]; the zero Origin is a creation at the zero time.
type Origin struct {
	at       time.Time
	anchored bool

	left  time.Time // from here on the rest of a count is due; zero is the creation
	spent int       // of the count, by what was due before
}

// Created is the origin of a job whose creation time is known. The table of
// recurrence.md §2 applies in full: without a startTime a rule or a one-off is
// due at once, at the creation instant; with one in the past, only times
// strictly after creation are due. The instant is truncated to milliseconds.
func Created(at time.Time) Origin { return Origin{at: at} }

// Anchored is the origin of a job whose creation is not known, as when a folder
// is planned. Without a startTime a rule is anchored at the given instant and
// nothing runs at once: a one-off is due at it, a rule without a schedule has
// it as its first occurrence, a rule with a schedule follows it from there on,
// and cron expressions and lists of times are unbounded below. With a
// startTime it is the same as Created(startTime).
func Anchored(at time.Time) Origin { return Origin{at: at, anchored: true} }

// Counted returns the origin of a job that has used up some of its count. From the
// given instant on, due times are counted, and the count less spent of them are
// due. What was due before is not limited: those who keep a record of it know.
// Spent is negative when due times from the instant on did not count. The zero
// instant changes nothing: the count is that of the due times since creation. A
// rule without a count has none to use up.
func (o Origin) Counted(from time.Time, spent int) Origin {
	o.left, o.spent = from, spent
	return o
}

// NeverError says that a schedule has no occurrence at all, whatever its end
// (recurrence.md §5). A job that is merely over is not an error.
type NeverError struct {
	Field string // "recurrence", "cron" or "at"
	Why   string // the schedule in words
}

// Message returns the error without the field.
func (e *NeverError) Message() string {
	return "never fires: " + e.Why + " has no occurrence within 400 years; choose days that exist"
}

// Error returns the field and the message.
func (e *NeverError) Error() string { return e.Field + ": " + e.Message() }
