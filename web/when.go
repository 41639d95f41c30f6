package web

import (
	"context"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/recurrence"
)

// whenWords says how a time in a query is written.
const whenWords = "an instant such as 2026-11-21T06:00:00+01:00, or the beginning of a day: 2026-11-21, today, yesterday or tomorrow"

// moment reads a time of a query; a day is its beginning in the zone. "" is the zero time.
func (s *server) moment(ctx context.Context, where, text, zone string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	in, err := s.dayZone(ctx, zone)
	if err != nil {
		return time.Time{}, err
	}
	day, err := engine.ReadDay(text, s.cfg.Now(), in)
	if err != nil {
		return time.Time{}, invalid(where, "write "+whenWords)
	}
	return recurrence.DayStart(day, in), nil
}

// between reads the members from and to of a query.
func (s *server) between(ctx context.Context, from, to, zone string) (begin, end time.Time, err error) {
	if begin, err = s.moment(ctx, "query.from", from, zone); err != nil {
		return begin, end, err
	}
	if end, err = s.moment(ctx, "query.to", to, zone); err != nil {
		return begin, end, err
	}
	if !begin.IsZero() && !end.IsZero() && !begin.Before(end) {
		err = invalid("query.to", "to must be after from: the window is [from, to)")
	}
	return begin, end, err
}

// dayZone is the zone of the name that was given, or that in which the days of these jobs are counted.
func (s *server) dayZone(ctx context.Context, zone string, jobs ...string) (*time.Location, error) {
	if zone == "" {
		return s.cfg.Control.DayZone(ctx, jobs...)
	}
	in, err := time.LoadLocation(zone)
	if err != nil || zone == "Local" {
		return nil, invalid("query.zone", fmt.Sprintf("there is no time zone %q; write it as Europe/Berlin", zone))
	}
	return in, nil
}

// dated puts the date in the place of the name of a day; other words stay as they are.
func (s *server) dated(ctx context.Context, word, zone string, jobs ...string) (string, error) {
	if !engine.NamesDay(word) {
		return word, nil
	}
	in, err := s.dayZone(ctx, zone, jobs...)
	if err != nil {
		return word, err
	}
	day, err := engine.ReadDay(word, s.cfg.Now(), in)
	return day.String(), err
}
