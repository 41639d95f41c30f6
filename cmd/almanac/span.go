package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/recurrence"
)

// A span is what the user typed about the time to plan: a natural day, or two instants.
type span struct {
	date, from, to string
	created        string
}

// addDate adds --date and --created.
func (s *span) addDate(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&s.date, "date", "", "natural day to plan, each job's in its own zone (default today, in the workflows' zone)")
	flags.StringVar(&s.created, "created", "", "when jobs count as created (default: each job's startTime; without one a recurrence is anchored at the start of the planned window, and a cron job has always existed)")
}

// addWindow adds --from and --to besides.
func (s *span) addWindow(c *cobra.Command) {
	flags := c.Flags()
	s.addDate(c)
	flags.StringVar(&s.from, "from", "", "start of the window, included: RFC 3339, or a local date-time in each workflow's zone")
	flags.StringVar(&s.to, "to", "", "end of the window, excluded")
}

// windows are what a span means for a folder: the window and the creation of each job.
type windows struct {
	f                *folder
	day              recurrence.Date // zero when from and to were given
	from, to         string
	earliest, latest time.Time                    // over the jobs
	perJob           map[*engine.Job][2]time.Time // of the jobs that are planned
	createdAt        map[*engine.Job]time.Time
	unchosen         int // jobs that nobody asked for
	now              time.Time
	loadsNow         bool // a one-off that has passed counts as created now, unless the window has passed too
}

// resolve reads the span for the jobs of a folder.
func (s *span) resolve(f *folder, now time.Time) (*windows, error) {
	w := &windows{now: now, f: f, from: s.from, to: s.to, perJob: map[*engine.Job][2]time.Time{}, createdAt: map[*engine.Job]time.Time{}}
	switch {
	case s.date != "" && (s.from != "" || s.to != ""):
		return nil, usagef("--date is a whole day; it cannot be given together with --from and --to")
	case (s.from == "") != (s.to == ""):
		return nil, usagef("--from and --to are given together: the window is [from, to)")
	case s.date != "":
		day, err := dateOf("--date", s.date, now, f.sharedZone())
		if err != nil {
			return nil, err
		}
		w.day = day
	case s.from == "":
		w.day = recurrence.DateOf(now.In(f.sharedZone()))
	}
	from, to, err := w.window(f.sharedZone(), f.sharedZone())
	if err != nil {
		return nil, err
	}
	if !from.Before(to) {
		return nil, usagef("--to %s is not after --from %s", s.to, s.from)
	}
	empty := true
	for _, j := range f.jobs {
		from, to, err := w.window(j.When.Location, f.zones[j.Workflow])
		if err != nil {
			return nil, err
		}
		if s.created != "" {
			at, err := instant("--created", s.created, f.zones[j.Workflow])
			if err != nil {
				return nil, err
			}
			w.createdAt[j] = at
		}
		if !planned(j) {
			continue
		}
		w.perJob[j] = [2]time.Time{from, to}
		if empty || from.Before(w.earliest) {
			w.earliest = from
		}
		if empty || to.After(w.latest) {
			w.latest = to
		}
		empty = false
	}
	if empty {
		w.earliest, w.latest = from, to
	}
	return w, nil
}

// window is the span of a job: its natural day is counted in its own zone, and local times are read in its workflow's.
func (w *windows) window(job, workflow *time.Location) (from, to time.Time, err error) {
	if !w.day.IsZero() {
		return recurrence.DayStart(w.day, job), recurrence.DayStart(w.day.AddDays(1), job), nil
	}
	if from, err = instant("--from", w.from, workflow); err != nil {
		return from, to, err
	}
	to, err = instant("--to", w.to, workflow)
	return from, to, err
}

// of is the window of a job, empty for one that is not planned.
func (w *windows) of(j *engine.Job) (from, to time.Time) {
	window := w.perJob[j]
	return window[0], window[1]
}

// origin says since when a job counts as created (`recurrence.md` §2).
func (w *windows) origin(j *engine.Job) recurrence.Origin {
	if at, ok := w.createdAt[j]; ok {
		return recurrence.Created(at)
	}
	if w.loadsNow && j.When.Missed(w.now) && w.latest.After(w.now) {
		return recurrence.Created(w.now)
	}
	from := w.perJob[j][0]
	if from.IsZero() {
		from = w.earliest // of a disabled job: others may look at its plan times
	}
	return recurrence.Anchored(from)
}

// atOnce lists the jobs that a load starts at once, by workflow and name: their plan time is that of the load, and the plan of a day cannot have it. With the
// time of a creation given, it has.
func (w *windows) atOnce() (list []*engine.Job) {
	for _, j := range w.f.jobs {
		if _, given := w.createdAt[j]; !given && j.When.ImmediateAt(w.now) && !j.Disabled {
			list = append(list, j)
		}
	}
	return list
}

// planner knows the jobs of the folder with these origins.
func (w *windows) planner() (*engine.Planner, error) {
	return engine.NewPlanner(w.f.jobs, w.origin)
}

// sharedZone is the zone of all workflows, UTC when they differ.
func (f *folder) sharedZone() *time.Location {
	shared := time.UTC
	for i, w := range f.workflows {
		if i == 0 {
			shared = w.Location
		} else if w.Location.String() != shared.String() {
			return time.UTC
		}
	}
	return shared
}

// printedLayouts are the forms in which viewer.clock prints a time, and what a shell leaves of them.
var printedLayouts = []string{
	"2006-01-02 15:04 -07:00", "2006-01-02 15:04:05.999 -07:00", "2006-01-02T15:04-07:00", "2006-01-02T15:04Z07:00", "2006-01-02 15:04-07:00",
}

// localLayouts are the forms of a date-time without an offset.
var localLayouts = []string{"2006-01-02T15:04:05.999", "2006-01-02T15:04", "2006-01-02 15:04:05.999", "2006-01-02 15:04"}

// daysFromToday are the days that have a name, counted from today.
var daysFromToday = map[string]int{"yesterday": -1, "today": 0, "tomorrow": 1}

// dateOf reads a day of the command line: a date, or a day by its name, as it is in the zone.
func dateOf(name, value string, now time.Time, zone *time.Location) (recurrence.Date, error) {
	if n, named := daysFromToday[value]; named {
		return recurrence.DateOf(now.In(zone)).AddDays(n), nil
	}
	day, err := recurrence.ParseDay(value)
	if err != nil {
		return day, usagef("%s: %v; yesterday, today and tomorrow are understood too", name, err)
	}
	return day, nil
}

// instant reads an instant of the command line: RFC 3339, or a local date-time or date in the zone.
func instant(name, value string, zone *time.Location) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, strings.Replace(value, " ", "T", 1)); err == nil {
		return inRange(name, value, t, zone)
	}
	for _, layout := range printedLayouts {
		if t, err := time.Parse(layout, value); err == nil {
			return inRange(name, value, t, zone)
		}
	}
	if day, err := dateOf(name, value, now(), zone); err == nil {
		return recurrence.DayStart(day, zone), nil
	}
	for _, layout := range localLayouts {
		t, err := time.ParseInLocation(layout, value, zone)
		if err != nil {
			continue
		}
		if wall, _ := time.Parse(layout, value); wall.Format(layout) != t.Format(layout) {
			return time.Time{}, usagef("%s: %s does not exist in %s: clocks are put forward over it", name, value, zone)
		}
		return inRange(name, value, firstPass(t), zone)
	}
	date, _, timed := strings.Cut(strings.Replace(value, " ", "T", 1), "T")
	if _, err := recurrence.ParseDay(date); timed && err != nil && len(date) == len("2026-10-01") {
		return time.Time{}, usagef("%s: %v", name, err)
	}
	return time.Time{}, usagef("%s: %q is no time; write %s", name, value, fmt.Sprintf("2026-10-01T06:00 (in %s) or 2026-10-01T06:00:00+08:00", zone))
}

// inRange is t in the zone, or the mistake that no plan time is so far away.
func inRange(name, value string, t time.Time, zone *time.Location) (time.Time, error) {
	if err := recurrence.CheckRange(t, zone); err != nil {
		return time.Time{}, usagef("%s: %s: %v", name, value, err)
	}
	return t.In(zone), nil
}

// firstPass is the earlier of the two instants of a local time that clocks pass twice, as for a rule that names an hour (`recurrence.md` §5).
func firstPass(t time.Time) time.Time {
	_, offset := t.Zone()
	_, before := t.Add(-3 * time.Hour).Zone()
	earlier := t.Add(time.Duration(offset-before) * time.Second)
	const wall = "2006-01-02T15:04:05.999"
	if before > offset && earlier.Format(wall) == t.Format(wall) {
		return earlier
	}
	return t
}
