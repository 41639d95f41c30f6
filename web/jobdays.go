package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/recurrence"
)

// What one answer about the days of a job may hold, and cost: a year of a job of every minute is several answers.
const (
	mostDays      = 400
	mostDayRows   = 15_000 // instances that are read, and plan times that are computed, of one answer
	mostDayTimes  = 24     // plan times to come that are listed of one day
	daysBefore    = 27
	daysAfterThis = 8
)

// A JobDay is a natural day of a job, in the job's own zone.
type JobDay struct {
	Date      string         `json:"date" example:"2026-11-21"`
	From      time.Time      `json:"from" doc:"Its first instant"`
	To        time.Time      `json:"to" doc:"The first instant of the day after: 23 or 25 hours later where the clocks change"`
	Instances InstanceCounts `json:"instances" doc:"Instances of every kind that were planned for it, by state"`
	Total     int            `json:"total" doc:"All of these"`
	Worst     engine.State   `json:"worst,omitempty" enum:"waiting,running,lost,succeeded,forced,failed,skipped,cancelled" doc:"The one of their states that matters most; absent of a day without instances"`
	AtLeast   bool           `json:"atLeast,omitempty" doc:"There are more instances than were counted"`
	StartedAt time.Time      `json:"startedAt,omitzero" doc:"The first start"`
	EndedAt   time.Time      `json:"endedAt,omitzero" doc:"The last end"`
	Reruns    int            `json:"reruns,omitempty" doc:"Runs of these before the current ones: a rerun is a run of its own"`
	Timed     int            `json:"timed,omitempty" doc:"Instances that succeeded in one go: those whose durations are told"`
	Seconds   float64        `json:"totalSeconds,omitempty" doc:"That these took together"`
	Median    float64        `json:"medianSeconds,omitempty" doc:"That the middle one of these took"`
	Planned   int            `json:"planned,omitempty" doc:"Plan times to come that are not written down as instances yet"`
	Times     []time.Time    `json:"times,omitempty" maxItems:"24" doc:"The first of these"`
}

// JobDays are days of a job, in order.
type JobDays struct {
	TimeZone string   `json:"timeZone" example:"Europe/Berlin" doc:"In which the days are counted"`
	Today    string   `json:"today" doc:"The day of now"`
	Days     []JobDay `json:"days"`
	Next     string   `json:"next,omitempty" doc:"The day to ask on from: there was more to count than one answer may cost; absent when all days are there"`
}

func jobDayRoutes() []route {
	return []route{{Method: http.MethodGet, Pattern: prefix + "/jobs/{workflow}/{job}/days", Permission: Viewer, ID: "jobDays", Tag: "jobs",
		Refuses: []int{http.StatusNotFound}, Summary: "What became of a job day by day, and what is to come",
		Text: "Natural days of the job's own zone. The past is what the records hold: what retention has removed is not there any more. The future is computed from the " +
			"current definition. At most 400 days; an answer looks at no more than 15,000 instances and ends after the day that it came to.",
		Answers: ok(exampleDays), register: operation((*server).jobDays)}}
}

type daysInput struct {
	JobPath
	From string `query:"from" maxLength:"10" doc:"The first day, or today, yesterday, tomorrow of the job's zone; absent is 27 days before today" example:"2026-01-01"`
	To   string `query:"to" maxLength:"10" doc:"The day after the last, written like from; absent is 8 days after today, or after from where that is later" example:"2027-01-01"`
}

type daysOutput struct{ Body JobDays }

func (s *server) jobDays(ctx context.Context, in *daysInput) (*daysOutput, error) {
	ref := in.ref()
	now := s.cfg.Now()
	out := &daysOutput{}
	err := s.cfg.Rows.Read(ctx, func(v engine.View) error {
		row, err := v.JobByRef(ref)
		if err != nil {
			return err
		}
		version, err := v.Version(row.Version)
		if err != nil {
			return err
		}
		c := dayCount{view: v, job: row.ID, zone: time.UTC, left: mostDayRows}
		if job, err := s.cfg.Decode(version.Definition, version.Folder); err == nil { // of one that cannot be read, the past is told in UTC
			if err := c.schedule(job, &row, now); err != nil {
				return err
			}
		}
		today := recurrence.DateOf(now.In(c.zone))
		first, end, err := in.span(today)
		if err != nil {
			return err
		}
		out.Body, err = c.days(first, end)
		out.Body.Today = today.String()
		return err
	})
	return out, wrap(err, "count the days of %s", ref)
}

// span is the days that are asked for.
func (in *daysInput) span(today recurrence.Date) (first, end recurrence.Date, err error) {
	first, end = today.AddDays(-daysBefore), today.AddDays(daysAfterThis)
	if first, err = dayOf("query.from", in.From, first, today); err != nil {
		return first, end, err
	}
	if end.Compare(first) <= 0 {
		end = first.AddDays(daysAfterThis)
	}
	if end, err = dayOf("query.to", in.To, end, today); err != nil {
		return first, end, err
	}
	switch {
	case end.Compare(first) <= 0:
		return first, end, invalid("query.to", "it is not after from: to is the day after the last")
	case first.AddDays(mostDays).Compare(end) < 0:
		return first, end, invalid("query.to", fmt.Sprintf("that is more than %d days; ask for fewer", mostDays))
	}
	return first, end, nil
}

// dayOf reads a day; "" is the other one.
func dayOf(where, written string, absent, today recurrence.Date) (recurrence.Date, error) {
	switch written {
	case "":
		return absent, nil
	case "yesterday":
		return today.AddDays(-1), nil
	case "today":
		return today, nil
	case "tomorrow":
		return today.AddDays(1), nil
	}
	d, err := recurrence.ParseDate(written)
	if afterAll := (recurrence.Date{Year: recurrence.LastYear + 1, Month: time.January, Day: 1}); err != nil || d.Year < recurrence.FirstYear || d.Compare(afterAll) > 0 {
		return d, invalid(where, fmt.Sprintf("write a day as 2026-11-21, of the years %d to %d", recurrence.FirstYear, recurrence.LastYear))
	}
	return d, nil
}

// A dayCount counts the instances and the plan times of a job day by day, until it has looked at so many that an answer may hold no more.
type dayCount struct {
	view  engine.View
	job   int64
	zone  *time.Location
	times *recurrence.Timetable // nil when nothing is to come
	ahead time.Time             // plan times from here on are not written down yet
	left  int
}

// schedule tells the count when the job is due.
func (c *dayCount) schedule(job *engine.Job, row *engine.JobRow, now time.Time) error {
	times, err := job.When.Compile(row.Origin())
	if err != nil {
		return fmt.Errorf("compile the recurrence of %s: %w", row.Ref, err)
	}
	c.zone = times.Location()
	if row.Removed || row.Disabled {
		return nil
	}
	c.times, c.ahead = times, now
	if row.PlannedTo.After(now) {
		c.ahead = row.PlannedTo
	}
	return nil
}

func (c *dayCount) days(first, end recurrence.Date) (JobDays, error) {
	answer := JobDays{TimeZone: c.zone.String(), Days: []JobDay{}}
	from := recurrence.DayStart(first, c.zone)
	spans, err := c.view.Spans(c.job, from, recurrence.DayStart(end, c.zone), c.left+1)
	if err != nil {
		return answer, err
	}
	cut := len(spans) > c.left // the day of the last of them may have more
	for d := first; d.Compare(end) < 0; d = d.AddDays(1) {
		to := recurrence.DayStart(d.AddDays(1), c.zone)
		n := 0
		for n < len(spans) && spans[n].PlanTime.Before(to) {
			n++
		}
		partly := cut && n == len(spans)
		if len(answer.Days) > 0 && (partly || c.left <= 0) {
			answer.Next = d.String()
			break
		}
		day := newJobDay(d, engine.DayOf(from.In(c.zone), to.In(c.zone), spans[:n]))
		day.AtLeast = partly
		c.left -= n
		c.toCome(&day, from, to, spans[:n])
		answer.Days = append(answer.Days, day)
		spans, from = spans[n:], to
		if partly {
			if next := d.AddDays(1); next.Compare(end) < 0 {
				answer.Next = next.String()
			}
			break
		}
	}
	return answer, nil
}

// toCome adds the plan times of the day that are not written down. What somebody has acted on ahead is.
func (c *dayCount) toCome(day *JobDay, from, to time.Time, written []engine.InstanceSpan) {
	if c.times == nil {
		return
	}
	if from.Before(c.ahead) {
		from = c.ahead
	}
	for at := from.Add(-time.Millisecond); ; c.left-- {
		next, more := c.times.Next(at)
		if !more || !next.Before(to) {
			return
		}
		at = next
		if slices.ContainsFunc(written, func(s engine.InstanceSpan) bool {
			return !s.Keyed && s.PlanTime.Equal(next)
		}) {
			continue
		}
		day.Planned++
		if len(day.Times) < mostDayTimes {
			day.Times = append(day.Times, next)
		}
	}
}

func newJobDay(date recurrence.Date, d engine.Day) JobDay {
	zone := d.From.Location()
	day := JobDay{
		Date: date.String(), From: d.From, To: d.To, Instances: newInstanceCounts(d.States), Worst: d.Worst, StartedAt: in(d.Started, zone), EndedAt: in(d.Ended, zone),
		Reruns: d.Reruns, Timed: d.Timed, Seconds: d.Total.Seconds(), Median: d.Median.Seconds(),
	}
	for _, n := range d.States {
		day.Total += n
	}
	return day
}

var exampleDays = JobDays{
	TimeZone: "Europe/Berlin", Today: "2026-11-21",
	Days: []JobDay{
		{
			Date: "2026-11-21", From: time.Date(2026, 11, 21, 0, 0, 0, 0, exampleZone), To: time.Date(2026, 11, 22, 0, 0, 0, 0, exampleZone),
			Instances: InstanceCounts{Succeeded: 1}, Total: 1, Worst: engine.Succeeded, StartedAt: exampleAt.Add(14 * time.Minute),
			EndedAt: exampleAt.Add(15 * time.Minute), Timed: 1, Seconds: 60, Median: 60,
		},
		{
			Date: "2026-11-22", From: time.Date(2026, 11, 22, 0, 0, 0, 0, exampleZone), To: time.Date(2026, 11, 23, 0, 0, 0, 0, exampleZone),
			Planned: 1, Times: []time.Time{exampleAt.AddDate(0, 0, 1)},
		},
	},
}
