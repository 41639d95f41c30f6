package recurrence_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/recurrence"
)

// TestTables runs every case of testdata/*.txt. The form of the files is
// explained in testdata/README.
func TestTables(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			for _, c := range readTable(t, file) {
				t.Run(c.name, c.run)
			}
		})
	}
}

// tableCase is one case with one or more anchors.
type tableCase struct {
	name, place string
	when        recurrence.When
	loc         *time.Location
	parts       []tablePart
}

type tablePart struct {
	created, start, from, to string
	anchored                 bool
	due                      []string
	line                     int
}

func (c *tableCase) run(t *testing.T) {
	for _, p := range c.parts {
		w := c.when
		at := fmt.Sprintf("%s:%d", c.place, p.line)
		if p.start != "" {
			w.Start = parseLocal(t, p.start, c.loc)
		}
		origin := recurrence.Created(w.Start)
		if p.created != "" {
			origin = recurrence.Created(parseLocal(t, p.created, c.loc))
		}
		if p.anchored {
			origin = recurrence.Anchored(parseLocal(t, p.created, c.loc))
		}
		timetable, err := w.Compile(origin)
		require.NoError(t, err, at)
		got := []string{}
		for _, due := range timetable.Between(parseLocal(t, p.from, c.loc), parseLocal(t, p.to, c.loc)) {
			line := due.Format("Mon 2006-01-02 15:04:05.999 -07:00")
			if timetable.DryRun(due) {
				line += " dry"
			}
			got = append(got, line)
		}
		require.Equal(t, expand(t, at, p.due, c.loc), got, "%s: %s", at, w)
	}
}

// expand spells out the lines of a due block.
func expand(t *testing.T, at string, lines []string, loc *time.Location) []string {
	all := []string{}
	for _, line := range lines {
		days, times, found := strings.Cut(line, " @ ")
		require.True(t, found, "%s: %q has no @", at, line)
		fields := strings.Fields(days)
		require.Len(t, fields, 2, "%s: write weekday and date in %q", at, line)
		first, last, isRange := strings.Cut(fields[1], "..")
		if !isRange {
			last = first
		}
		from, err := recurrence.ParseDate(first)
		require.NoError(t, err, at)
		to, err := recurrence.ParseDate(last)
		require.NoError(t, err, at)
		firstName, lastName, _ := strings.Cut(fields[0], "..")
		require.Equal(t, from.Weekday().String()[:3], firstName, "%s: weekday of %q", at, line)
		if isRange {
			require.Equal(t, to.Weekday().String()[:3], lastName, "%s: weekday of %q", at, line)
		}
		for d := from; d.Compare(to) <= 0; d = d.AddDays(1) {
			for _, clock := range expandTimes(t, at, strings.Fields(times)) {
				all = append(all, stamp(t, at, d, clock, loc))
			}
		}
	}
	return all
}

// expandTimes replaces "00:00 00:15 .. 23:45" by all its times.
func expandTimes(t *testing.T, at string, fields []string) []string {
	var all []string
	for i, f := range fields {
		if f != ".." {
			all = append(all, f)
			continue
		}
		require.True(t, i >= 2 && i+1 < len(fields), "%s: .. needs two times before and one after", at)
		a, b, end := clockOf(t, fields[i-2]), clockOf(t, fields[i-1]), clockOf(t, fields[i+1])
		for c := b + (b - a); c < end; c += b - a {
			all = append(all, time.Time{}.Add(c).Format("15:04"))
		}
	}
	return all
}

func clockOf(t *testing.T, s string) time.Duration {
	parsed, err := time.Parse("15:04", s)
	require.NoError(t, err)
	return time.Duration(parsed.Hour())*time.Hour + time.Duration(parsed.Minute())*time.Minute
}

// stamp turns a date and a time such as 01:30, 01:30:05, 01:30-05:00 or
// 01:30/dry into the form that results are compared in.
func stamp(t *testing.T, at string, d recurrence.Date, clock string, loc *time.Location) string {
	clock, dry := strings.CutSuffix(clock, "/dry")
	layout, text := "2006-01-02 15:04:05", d.String()+" "
	cut := len(clock)
	if i := strings.LastIndexAny(clock, "+-"); i > 0 {
		cut = i
	}
	wall := clock[:cut]
	if len(wall) == 5 {
		wall += ":00"
	}
	result := time.Time{}
	var err error
	if cut < len(clock) {
		result, err = time.Parse(layout+"-07:00", text+wall+clock[cut:])
		result = result.In(loc)
	} else {
		result, err = time.ParseInLocation(layout, text+wall, loc)
		require.Equal(t, wall, strings.SplitN(result.Format("15:04:05.999"), " ", 2)[0], "%s: no such local time", at)
	}
	require.NoError(t, err, at)
	line := result.Format("Mon 2006-01-02 15:04:05.999 -07:00")
	if dry {
		line += " dry"
	}
	return line
}

// parseLocal reads "2026-01-31", "2026-01-31 12:25", with seconds or an offset.
func parseLocal(t *testing.T, s string, loc *time.Location) time.Time {
	for _, layout := range []string{"2006-01-02", "2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02 15:04:05.999",
		"2006-01-02 15:04-07:00", "2006-01-02 15:04:05-07:00"} {
		if parsed, err := time.ParseInLocation(layout, s, loc); err == nil {
			return parsed.In(loc)
		}
	}
	require.FailNow(t, "unreadable time", s)
	return time.Time{}
}

// readTable reads one file.
func readTable(t *testing.T, file string) []*tableCase {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	var cases []*tableCase
	var c *tableCase
	var zone = "UTC"
	inDue := false
	scanner := bufio.NewScanner(f)
	for n := 1; scanner.Scan(); n++ {
		line, _, _ := strings.Cut(scanner.Text(), " #")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.HasPrefix(line, " ") && inDue {
			p := &c.parts[len(c.parts)-1]
			p.due = append(p.due, strings.TrimSpace(line))
			continue
		}
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		inDue = false
		part := func() *tablePart {
			if n := len(c.parts); n > 0 && c.parts[n-1].from == "" {
				return &c.parts[n-1]
			}
			c.parts = append(c.parts, tablePart{line: n})
			return &c.parts[len(c.parts)-1]
		}
		at := fmt.Sprintf("%s:%d", file, n)
		switch key {
		case "case":
			c = &tableCase{name: value, place: file, loc: zoneNamed(t, zone)}
			c.when.Location, c.when.AtOnce = c.loc, true // the tables are Azure Scheduler's
			cases = append(cases, c)
		case "zone":
			c.loc = zoneNamed(t, value)
			c.when.Location = c.loc
		case "rule":
			r := parseRule(t, at, value, c.loc)
			c.when.Rule = &r
		case "cron":
			c.when.Cron = value
		case "at":
			for _, s := range strings.Split(value, ",") {
				c.when.At = append(c.when.At, parseLocal(t, strings.TrimSpace(s), c.loc))
			}
		case "file":
			c.when.AtOnce = false
		case "once", "manual":
			c.when.Manual = key == "manual"
		case "end":
			c.when.End = parseLocal(t, value, c.loc)
		case "gap":
			c.when.Gap, err = recurrence.ParseGap(value)
			require.NoError(t, err, at)
		case "overlap":
			c.when.Overlap, err = recurrence.ParseOverlap(value)
			require.NoError(t, err, at)
		case "offCalendar":
			c.when.OffCalendar, err = recurrence.ParseOffCalendar(value)
			require.NoError(t, err, at)
		case "calendar":
			c.when.Calendar = parseCalendar(t, at, value)
		case "start":
			part().start = value
		case "created":
			part().created = value
		case "anchored":
			p := part()
			p.created, p.anchored = value, true
		case "window":
			from, to, found := strings.Cut(value, " .. ")
			require.True(t, found, at)
			p := part()
			p.from, p.to = from, to
		case "due":
			inDue = true
		default:
			require.FailNow(t, "unknown key", "%s: %q", at, key)
		}
	}
	require.NoError(t, scanner.Err())
	return cases
}

// parseRule reads "every 2 weeks; weekDays mon wed; hours 10 22; count 5".
func parseRule(t *testing.T, at, text string, loc *time.Location) recurrence.Rule {
	var r recurrence.Rule
	for _, part := range strings.Split(text, ";") {
		fields := strings.Fields(part)
		numbers := func() (list []int) {
			for _, f := range fields[1:] {
				if low, high, found := strings.Cut(f, ".."); found {
					a, _ := strconv.Atoi(low)
					b, _ := strconv.Atoi(high)
					list = append(list, ints(a, b)...)
					continue
				}
				n, err := strconv.Atoi(f)
				require.NoError(t, err, at)
				list = append(list, n)
			}
			return list
		}
		var err error
		switch fields[0] {
		case "every":
			if len(fields) == 3 {
				r.Interval, err = strconv.Atoi(fields[1])
				require.NoError(t, err, at)
			}
			r.Frequency, err = recurrence.ParseFrequency(fields[len(fields)-1])
			require.NoError(t, err, at)
		case "minutes":
			r.Schedule.Minutes = numbers()
		case "hours":
			r.Schedule.Hours = numbers()
		case "monthDays":
			r.Schedule.MonthDays = numbers()
		case "workDays":
			r.Schedule.WorkDays = numbers()
		case "weekDays":
			for _, f := range fields[1:] {
				r.Schedule.WeekDays = append(r.Schedule.WeekDays, weekday(t, at, f))
			}
		case "occurrences": // pairs: friday 1 friday -1; every = each of the month
			for i := 1; i+1 < len(fields); i += 2 {
				o := recurrence.MonthlyOccurrence{Day: weekday(t, at, fields[i])}
				if fields[i+1] != "every" {
					o.Occurrence, err = strconv.Atoi(fields[i+1])
					require.NoError(t, err, at)
				}
				r.Schedule.MonthlyOccurrences = append(r.Schedule.MonthlyOccurrences, o)
			}
		case "count":
			r.Count = numbers()[0]
		case "end":
			r.End = parseLocal(t, strings.Join(fields[1:], " "), loc)
		default:
			require.FailNow(t, "unknown part of a rule", "%s: %q", at, part)
		}
	}
	return r
}

func weekday(t *testing.T, at, name string) time.Weekday {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if strings.EqualFold(d.String(), name) || strings.EqualFold(d.String()[:3], name) {
			return d
		}
	}
	require.FailNow(t, "unknown weekday", "%s: %q", at, name)
	return 0
}

// parseCalendar reads "mon tue wed thu fri; off 2026-10-01..2026-10-08; on 2026-10-10".
func parseCalendar(t *testing.T, at, text string) *recurrence.Calendar {
	c := &recurrence.Calendar{Name: "cn"}
	for i, part := range strings.Split(text, ";") {
		fields := strings.Fields(part)
		if i == 0 {
			for _, f := range fields {
				c.WorkDays[weekday(t, at, f)] = true
			}
			continue
		}
		for _, f := range fields[1:] {
			first, last, isRange := strings.Cut(f, "..")
			if !isRange {
				last = first
			}
			from, err := recurrence.ParseDate(first)
			require.NoError(t, err, at)
			to, err := recurrence.ParseDate(last)
			require.NoError(t, err, at)
			switch fields[0] {
			case "off":
				c.Off = append(c.Off, recurrence.DateRange{From: from, To: to})
			case "on":
				c.On = append(c.On, recurrence.DateRange{From: from, To: to})
			default:
				require.FailNow(t, "unknown list", "%s: %q", at, part)
			}
		}
	}
	return c
}
