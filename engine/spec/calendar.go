package spec

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"

	"github.com/almanac-sched/almanac/recurrence"
)

// calendar is a calendar of the file; it is put together when a job first asks for it.
type calendar struct {
	name     string
	value    *value
	own      *recurrence.Calendar
	workDays bool // stated by the calendar itself
	stated   bool // once resolved: by the calendar or one that it includes
	visiting bool
	resolved *recurrence.Calendar
}

func (d *decoder) readCalendars(v *value) {
	d.calendars = map[string]*calendar{}
	for _, name := range sortedKeys(fieldsOf(v)) {
		d.calendars[name] = d.readCalendar(name, v.fields[name])
	}
	for _, name := range sortedKeys(d.calendars) {
		d.resolve(d.calendars[name])
	}
}

func (d *decoder) readCalendar(name string, v *value) *calendar {
	c := &calendar{name: name, value: v, own: &recurrence.Calendar{Name: name}}
	if days := v.field("workDays"); days != nil {
		c.workDays = true
		for _, day := range days.items() {
			c.own.WorkDays[weekday(day.text)] = true
		}
	}
	c.own.Off = d.days(v.field("off"))
	c.own.On = d.days(v.field("on"))
	for _, file := range v.field("ical").items() {
		c.own.Off = append(c.own.Off, d.ical(file)...)
	}
	return c
}

// weekday gives the day of a canonical word.
func weekday(word string) time.Weekday {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if strings.EqualFold(day.String(), word) {
			return day
		}
	}
	return time.Sunday
}

// days reads dates and ranges such as 2026-10-01..2026-10-08.
func (d *decoder) days(v *value) []recurrence.DateRange {
	var list []recurrence.DateRange
	for _, item := range v.items() {
		from, to, isRange := strings.Cut(item.text, "..")
		first, err := recurrence.ParseDate(strings.TrimSpace(from))
		last := first
		if err == nil && isRange {
			last, err = recurrence.ParseDate(strings.TrimSpace(to))
		}
		switch {
		case err != nil:
			d.fail(item, "", "%s is %q: %s", item.name, item.text, err)
		case last.Compare(first) < 0:
			d.fail(item, fmt.Sprintf("write %s..%s", last, first), "%s is %q: the range ends before it begins", item.name, item.text)
		default:
			list = append(list, recurrence.DateRange{From: first, To: last})
		}
	}
	return list
}

// resolve adds the included calendars. A calendar without weekdays of its own takes those of the first included one that has any.
func (d *decoder) resolve(c *calendar) *recurrence.Calendar {
	if c.resolved != nil || c.visiting {
		return c.resolved
	}
	c.visiting = true
	merged := &recurrence.Calendar{Name: c.name, WorkDays: c.own.WorkDays, Off: slices.Clone(c.own.Off), On: slices.Clone(c.own.On)}
	stated := c.workDays
	for _, item := range c.value.field("include").items() {
		other := d.calendars[item.text]
		if other == nil {
			d.fail(item, didYouMean(item.text, sortedKeys(d.calendars)), "the calendar %s includes %q, which this file does not have", c.name, item.text)
			continue
		}
		if d.resolve(other) == nil {
			d.fail(item, "", "the calendars %s and %s include each other", c.name, item.text)
			continue
		}
		days := merged.WorkDays
		merged.Include(other.resolved)
		if stated {
			merged.WorkDays = days
		} else if other.stated {
			merged.WorkDays, stated = other.resolved.WorkDays, true
		}
	}
	c.stated = stated
	if !stated {
		merged.WorkDays = [7]bool{time.Monday: true, time.Tuesday: true, time.Wednesday: true, time.Thursday: true, time.Friday: true}
	}
	merged.Off, merged.On = mergeRanges(merged.Off), mergeRanges(merged.On)
	c.resolved, c.visiting = merged, false
	return merged
}

// mergeRanges sorts the ranges and joins those that touch, so that equal calendars are equal values.
func mergeRanges(list []recurrence.DateRange) []recurrence.DateRange {
	slices.SortFunc(list, func(a, b recurrence.DateRange) int { return a.From.Compare(b.From) })
	var merged []recurrence.DateRange
	for _, r := range list {
		if n := len(merged); n > 0 && r.From.Compare(merged[n-1].To.AddDays(1)) <= 0 {
			if r.To.Compare(merged[n-1].To) > 0 {
				merged[n-1].To = r.To
			}
			continue
		}
		merged = append(merged, r)
	}
	return merged
}

// ical reads the days of the events of an iCalendar file.
func (d *decoder) ical(file *value) []recurrence.DateRange {
	if d.opts.Files == nil {
		d.fail(file, "write the days as off: [...]", "the calendar file %q cannot be read here: this definition stands alone", file.text)
		return nil
	}
	name := path.Join(d.opts.Dir, file.text)
	if !fs.ValidPath(name) {
		d.fail(file, "", "the calendar file %q is outside the folder; allowed is a path below it", file.text)
		return nil
	}
	data, err := fs.ReadFile(d.opts.Files, name)
	if err != nil {
		d.fail(file, "", "cannot read the calendar file: %s", err)
		return nil
	}
	parsed, err := ics.ParseCalendar(strings.NewReader(string(data)))
	if err != nil {
		d.fail(file, "", "%s is no iCalendar file: %s", file.text, err)
		return nil
	}
	var list []recurrence.DateRange
	for _, event := range parsed.Events() {
		r, err := eventDays(event)
		if err != nil {
			d.fail(file, "write such days as off: [...]", "%s: the event %s: %s", file.text, event.Id(), err)
			continue
		}
		list = append(list, r)
	}
	return list
}

// eventDays gives the days that an event touches, in the local time that it states.
func eventDays(event *ics.VEvent) (recurrence.DateRange, error) {
	for _, p := range []ics.ComponentProperty{ics.ComponentPropertyRrule, ics.ComponentPropertyRdate, ics.ComponentPropertyExdate} {
		if event.GetProperty(p) != nil {
			return recurrence.DateRange{}, fmt.Errorf("repeats, which is not supported")
		}
	}
	first, _, err := eventDate(event.GetProperty(ics.ComponentPropertyDtStart))
	if err != nil {
		return recurrence.DateRange{}, fmt.Errorf("read its start: %w", err)
	}
	last := first
	if end := event.GetProperty(ics.ComponentPropertyDtEnd); end != nil {
		to, midnight, err := eventDate(end)
		if err != nil {
			return recurrence.DateRange{}, fmt.Errorf("read its end: %w", err)
		}
		if midnight { // the end is excluded
			to = to.AddDays(-1)
		}
		if to.Compare(first) > 0 {
			last = to
		}
	}
	return recurrence.DateRange{From: first, To: last}, nil
}

func eventDate(p *ics.IANAProperty) (day recurrence.Date, midnight bool, err error) {
	if p == nil {
		return day, false, fmt.Errorf("it is missing")
	}
	text := strings.TrimSuffix(p.Value, "Z")
	layout := "20060102"
	if len(text) > len(layout) {
		layout = "20060102T150405"
	}
	t, err := time.Parse(layout, text)
	if err != nil {
		return day, false, fmt.Errorf("read %q: %w", p.Value, err)
	}
	return recurrence.DateOf(t), t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0, nil
}
