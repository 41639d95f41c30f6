package engine

import (
	"context"
	"time"

	"github.com/almanac-sched/almanac/recurrence"
)

// NamesDay reports whether a word is the name of a day: yesterday, today, tomorrow.
func NamesDay(word string) bool {
	_, named := daysFromToday[word]
	return named
}

// ReadDay reads a day that can have plan times: a date, or a day by its name as it is in the zone.
func ReadDay(word string, now time.Time, zone *time.Location) (recurrence.Date, error) {
	if n, named := daysFromToday[word]; named {
		return recurrence.DateOf(now.In(zone)).AddDays(n), nil
	}
	return recurrence.ParseDay(word)
}

// DayZone is the zone in which the name of a day is meant: that of the jobs that are named, as workflow/job or by their own name, where they
// share one, else the zone that most jobs have.
func (e *Engine) DayZone(ctx context.Context, jobs ...string) (*time.Location, error) {
	if err := e.relearn(ctx); err != nil {
		return nil, err
	}
	all, named := map[JobRef]definition{}, map[JobRef]definition{}
	e.defs.mu.RLock()
	defer e.defs.mu.RUnlock()
	for ref, one := range e.defs.current {
		all[ref] = *one
		for _, name := range jobs {
			if name == ref.Job || name == ref.String() {
				named[ref] = *one
			}
		}
	}
	if len(named) > 0 {
		all = named
	}
	return mostCommonZone(all), nil
}
