// Package recurrence answers one question: when is something due?
//
// A [When] holds everything that decides it: a recurrence [Rule], a cron
// expression, a list of times or a single start time, together with the zone,
// the daylight-saving policy and the calendar. [When.Compile] turns it into a
// [Timetable], an immutable value that answers [Timetable.Next] at a cost that
// does not depend on how long ago the rule was anchored.
//
// The rules implemented here are those of recurrence.md; comments cite its
// sections. The package is pure: it reads no clock, starts no goroutine and
// keeps nothing but two caches of derived tables (zones and calendars).
//
// # How an answer is found
//
// Local time is a piecewise linear function of real time: between two changes
// of a zone's offset they differ by a constant. Such a piece is called a span.
// A rule of days and times of day describes a set of nominal local times that
// knows nothing of zones; inside a span an occurrence is a nominal time minus
// the offset. What daylight saving does is decided at the ends of spans only:
// nominal times between two spans lie in a gap, those in two spans lie in a
// fold. Minute and hour rules run on elapsed time instead and look at the
// local clock only to filter.
package recurrence
