package web

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/recurrence"
)

// A CalendarEvent is an instance in a calendar.
type CalendarEvent struct {
	Ref      engine.JobRef
	PlanTime time.Time
	Takes    time.Duration // as estimated; 0 is not known, and the event has no duration
	Text     string        // of the job, for people
	Tags     []string
}

// WriteCalendar writes the events as an iCalendar object (RFC 5545). The same instance has the same UID in every calendar, so that one which is read
// again moves nothing.
func WriteCalendar(w io.Writer, name string, events []CalendarEvent, made time.Time) error {
	var b bytes.Buffer
	line := func(text string) { foldLine(&b, text) }
	line("BEGIN:VCALENDAR")
	line("VERSION:2.0")
	line("PRODID:-//Almanac//Plan//EN")
	line("CALSCALE:GREGORIAN")
	line("METHOD:PUBLISH")
	line("X-WR-CALNAME:" + calendarText(name))
	const utc = "20060102T150405Z"
	for i := range events {
		e := &events[i]
		start := e.PlanTime.UTC()
		stamp := start.Format(utc)
		if ms := start.Nanosecond() / 1e6; ms != 0 {
			stamp = fmt.Sprintf("%s.%03d", stamp, ms) // of the name only: a calendar has whole seconds
		}
		line("BEGIN:VEVENT")
		line("UID:" + calendarText(e.Ref.String()+"@"+stamp))
		line("DTSTAMP:" + made.UTC().Format(utc))
		line("DTSTART:" + start.Format(utc))
		if seconds := int64((e.Takes + time.Second - 1) / time.Second); seconds > 0 {
			line(fmt.Sprintf("DURATION:PT%dS", seconds))
		}
		line("SUMMARY:" + calendarText(e.Ref.String()))
		if e.Text != "" {
			line("DESCRIPTION:" + calendarText(e.Text))
		}
		if len(e.Tags) > 0 {
			tags := make([]string, len(e.Tags))
			for n, tag := range e.Tags {
				tags[n] = calendarText(tag)
			}
			line("CATEGORIES:" + strings.Join(tags, ","))
		}
		line("TRANSP:TRANSPARENT")
		line("END:VEVENT")
	}
	line("END:VCALENDAR")
	_, err := w.Write(b.Bytes())
	return wrap(err, "write a calendar")
}

// calendarText escapes a text, and leaves out control characters, which a calendar cannot have.
func calendarText(s string) string {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(s, "\r\n", "\n") {
		switch {
		case r == '\\' || r == ';' || r == ',':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r < 0x20 && r != '\t', r == 0x7f:
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// foldLine writes a content line in pieces of at most 75 octets, none of which ends within a character.
func foldLine(b *bytes.Buffer, text string) {
	room := 75
	for len(text) > room {
		cut := room
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		b.WriteString(text[:cut])
		b.WriteString("\r\n ")
		text, room = text[cut:], 74
	}
	b.WriteString(text)
	b.WriteString("\r\n")
}

// maxEvents bounds a calendar: more than that no program shows.
const maxEvents = 20_000

type calendarInput struct {
	Workflow string `query:"workflow" maxLength:"256" doc:"Only workflows of this name; * and ? stand for any letters and for any one" example:"retail"`
	Job      string `query:"job" maxLength:"256" doc:"Only jobs of this name, in the same way" example:"dwd_*"`
	Days     int    `query:"days" minimum:"1" maximum:"60" default:"14" doc:"So many natural days, today included"`
}

func calendarRoutes() []route {
	return []route{{Method: http.MethodGet, Pattern: prefix + "/plan.ics", Permission: Viewer, ID: "planCalendar", Basic: true, Usual: calendarResponse(), Tag: "instances",
		Summary: "The plan as a calendar",
		Text: "iCalendar (RFC 5545) for a program that shows calendars: an event for each instance, as long as the job's past instances took. It is computed " +
			"from the loaded definitions, beyond what is written down too. At most 20,000 events.",
		Answers: ok(nil), register: operation((*server).planCalendar)}}
}

func (s *server) planCalendar(ctx context.Context, in *calendarInput) (*huma.StreamResponse, error) {
	for name, pattern := range map[string]string{"workflow": in.Workflow, "job": in.Job} {
		if _, err := path.Match(pattern, ""); err != nil || strings.Contains(pattern, "/") {
			return nil, invalid("query."+name, "it is no pattern: write letters, * and ?")
		}
	}
	now := s.cfg.Now()
	events, err := s.plannedEvents(ctx, now, in)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := WriteCalendar(&text, "Almanac", events, now); err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", "text/calendar; charset=utf-8")
		hc.SetHeader("Content-Disposition", `attachment; filename="plan.ics"`)
		hc.SetStatus(http.StatusOK)
		if hc.Method() != http.MethodHead {
			_, _ = hc.BodyWriter().Write(text.Bytes())
		}
	}}, nil
}

// plannedEvents computes the instances of the chosen jobs from the loaded definitions. What a job waits for is no part of a calendar.
func (s *server) plannedEvents(ctx context.Context, now time.Time, in *calendarInput) (events []CalendarEvent, err error) {
	chosen := func(pattern, name string) bool {
		match, _ := path.Match(pattern, name)
		return pattern == "" || match
	}
	err = s.cfg.Rows.Read(ctx, func(v engine.View) error {
		events = nil
		rows, err := v.Jobs()
		if err != nil {
			return err
		}
		for i := range rows {
			row := &rows[i]
			if row.Removed || row.Disabled || !chosen(in.Workflow, row.Ref.Workflow) || !chosen(in.Job, row.Ref.Job) {
				continue
			}
			job, err := s.cfg.Control.Definition(v, row.Version)
			if err != nil && !errors.Is(err, engine.ErrInvalid) {
				return err
			}
			if err != nil {
				s.log.Warn("a definition cannot be read, and has no part in the calendar", "job", row.Ref.String(), "error", err)
				continue
			}
			timetable, err := job.When.Compile(row.Origin())
			if err != nil {
				return fmt.Errorf("compile the recurrence of %s: %w", row.Ref, err)
			}
			zone := timetable.Location()
			today := recurrence.DateOf(now.In(zone))
			times := timetable.Between(recurrence.DayStart(today, zone), recurrence.DayStart(today.AddDays(in.Days), zone))
			if len(times) == 0 {
				continue
			}
			if len(events)+len(times) > maxEvents {
				return invalid("query.days", fmt.Sprintf("that is more than %d events; ask for fewer days, or for fewer jobs by workflow and job", maxEvents))
			}
			estimate, err := engine.EstimateDuration(v, row.ID)
			if err != nil {
				return err
			}
			for _, t := range times {
				events = append(events, CalendarEvent{Ref: row.Ref, PlanTime: t, Takes: estimate.Median, Text: job.Description, Tags: job.Tags})
			}
		}
		return nil
	})
	slices.SortStableFunc(events, func(a, b CalendarEvent) int { return cmp.Compare(a.PlanTime.UnixMilli(), b.PlanTime.UnixMilli()) })
	return events, err
}

// calendarResponse describes the answer, which the OpenAPI library cannot see.
func calendarResponse() *huma.Response {
	return &huma.Response{
		Description: "The calendar",
		Content:     map[string]*huma.MediaType{"text/calendar": {Schema: &huma.Schema{Type: huma.TypeString}, Example: "BEGIN:VCALENDAR\r\n…"}},
	}
}
