package spec

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sosodev/duration"

	"github.com/almanac-sched/almanac/deps"
	"github.com/almanac-sched/almanac/recurrence"
)

const (
	dateParts = `([0-9]+(\.[0-9]+)?Y)?([0-9]+(\.[0-9]+)?M)?([0-9]+(\.[0-9]+)?W)?([0-9]+(\.[0-9]+)?D)?`
	// PT60D is no ISO 8601, but definition.md and the products before it write it, and it can mean only one thing.
	clockParts = `T([0-9]+(\.[0-9]+)?[HMSD])+`
	isoForm    = `P(([0-9]+(\.[0-9]+)?[YMWD])+(` + clockParts + `)?|` + clockParts + `)`
	// shortForm is what people write: 5m, 1h30m, 2d, 250ms.
	shortForm   = `([0-9]{1,9}(\.[0-9]{1,9})?(ms|[dhms]))+`
	anyDuration = `(` + isoForm + `|` + shortForm + `)`
	timeSpan    = `([0-9]{1,4}\.)?[0-9]{1,2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,7})?`
)

var (
	durationPattern       = regexp.MustCompile(`^` + anyDuration + `$`)
	signedDurationPattern = regexp.MustCompile(`^[+-]?` + anyDuration + `$`)
	shortPattern          = regexp.MustCompile(`^` + shortForm + `$`)
	shortPart             = regexp.MustCompile(`([0-9.]+)(ms|[dhms])`)
	retryIntervalPattern  = regexp.MustCompile(`^(` + anyDuration + `|` + timeSpan + `)$`)
	isoDuration           = regexp.MustCompile(`^P` + dateParts + `(T([0-9]+(\.[0-9]+)?H)?([0-9]+(\.[0-9]+)?M)?([0-9]+(\.[0-9]+)?S)?)?$`)
	timeSpanForm          = regexp.MustCompile(`^(?:([0-9]+)\.)?([0-9]+):([0-9]+):([0-9]+(?:\.[0-9]+)?)$`)
	daysAfterT            = regexp.MustCompile(`^PT([0-9]+)D$`)
	instantPattern        = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)? ?([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)?)?$`)
)

// longest is the greatest duration that a file may state.
const longest = 100 * 365 * 24 * time.Hour

var errYearsOrMonths = errors.New("years and months have no fixed length here; write days, hours, minutes or seconds")

// parseISO reads an ISO 8601 duration, its parts in their order, at least one of them given.
func parseISO(s string) (*duration.Duration, error) {
	if m := daysAfterT.FindStringSubmatch(s); m != nil {
		s = "P" + m[1] + "D"
	}
	if !isoDuration.MatchString(s) || strings.HasSuffix(s, "T") || s == "P" {
		return nil, errors.New("the parts must come in the order P years Y months M weeks W days D T hours H minutes M seconds S, at least one of them")
	}
	d, err := duration.Parse(s)
	if err != nil {
		return nil, fmt.Errorf("read the duration: %w", err)
	}
	return d, nil
}

// parseDuration reads a length of time. Months count 30 days and years 365 where calendar is true, and are refused otherwise.
func parseDuration(s string, calendar bool) (time.Duration, error) {
	if m := timeSpanForm.FindStringSubmatch(s); m != nil {
		return parseTimeSpan(m)
	}
	if shortPattern.MatchString(s) {
		days, rest, err := parseShort(s)
		if err != nil {
			return 0, err
		}
		return seconds(days*24*60*60 + rest)
	}
	d, err := parseISO(s)
	if err != nil {
		return 0, err
	}
	if !calendar && (d.Years != 0 || d.Months != 0) {
		return 0, errYearsOrMonths
	}
	days := d.Years*365 + d.Months*30 + d.Weeks*7 + d.Days
	return seconds(((days*24+d.Hours)*60+d.Minutes)*60 + d.Seconds)
}

// parseShort reads 1d12h, 5m, 250ms as days and as seconds: each unit once, the greatest first.
func parseShort(s string) (days, rest float64, err error) {
	units := []string{"d", "h", "m", "s", "ms"}
	lengths := map[string]float64{"h": 60 * 60, "m": 60, "s": 1, "ms": 0.001}
	for _, part := range shortPart.FindAllStringSubmatch(s, -1) {
		at := slices.Index(units, part[2])
		if at < 0 {
			return 0, 0, errors.New("the parts must come in the order d h m s ms, each once")
		}
		units = units[at+1:]
		n, err := strconv.ParseFloat(part[1], 64)
		if err != nil {
			return 0, 0, fmt.Errorf("read the length of time: %w", err)
		}
		if part[2] == "d" {
			days = n
		} else {
			rest += n * lengths[part[2]]
		}
	}
	return days, rest, nil
}

// wholeDays is a number of days in front of what time.ParseDuration reads: 2d, 1d12h.
var wholeDays = regexp.MustCompile(`^([0-9]{1,5})d(.*)$`)

// ParseLength reads a length of time as people write one: 5m, 1h30m, 2d, or ISO 8601 as workflow files have it, PT5M. A sign in front of
// the first form is kept; ISO 8601 has none.
func ParseLength(s string) (time.Duration, error) {
	if d, err := parseDuration(s, true); err == nil {
		return d, nil
	}
	days, rest := time.Duration(0), s
	if m := wholeDays.FindStringSubmatch(s); m != nil {
		n, _ := strconv.Atoi(m[1]) // five digits
		if days, rest = time.Duration(n)*24*time.Hour, m[2]; rest == "" {
			return days, nil
		}
	}
	d, err := time.ParseDuration(rest)
	if err != nil || days+d > longest {
		return 0, fmt.Errorf("%q is no length of time; write 5m, 1h30m, 2d or PT5M", s)
	}
	return days + d, nil
}

func parseTimeSpan(m []string) (time.Duration, error) {
	var part [4]float64
	for i := range part {
		if m[i+1] == "" {
			continue
		}
		f, err := strconv.ParseFloat(m[i+1], 64)
		if err != nil {
			return 0, fmt.Errorf("read the time span: %w", err)
		}
		part[i] = f
	}
	if part[1] > 23 || part[2] > 59 || part[3] >= 60 {
		return 0, errors.New("a time span is days.hours:minutes:seconds with hours up to 23, minutes and seconds up to 59")
	}
	return seconds(((part[0]*24+part[1])*60+part[2])*60 + part[3])
}

func seconds(s float64) (time.Duration, error) {
	if s > longest.Seconds() {
		return 0, errors.New("longer than 100 years")
	}
	return time.Duration(math.Round(s * float64(time.Second))), nil
}

// FormatDuration writes a length of time in ISO 8601, as files and documents are read back: whole days as days, everything else in hours, minutes and
// seconds.
func FormatDuration(d time.Duration) string {
	if d != 0 && d%(24*time.Hour) == 0 {
		return fmt.Sprintf("P%dD", d/(24*time.Hour))
	}
	var b strings.Builder
	b.WriteString("PT")
	if h := d / time.Hour; h != 0 {
		fmt.Fprintf(&b, "%dH", h)
	}
	if m := d % time.Hour / time.Minute; m != 0 {
		fmt.Fprintf(&b, "%dM", m)
	}
	if s := d % time.Minute; s != 0 || d == 0 {
		b.WriteString(strconv.FormatFloat(s.Seconds(), 'f', -1, 64) + "S")
	}
	return b.String()
}

// parseOffset reads a signed duration as a calendar offset.
func parseOffset(s string) (deps.Offset, error) {
	sign := 1
	switch {
	case strings.HasPrefix(s, "-"):
		sign, s = -1, s[1:]
	case strings.HasPrefix(s, "+"):
		s = s[1:]
	}
	if shortPattern.MatchString(s) {
		days, rest, err := parseShort(s)
		if err != nil {
			return deps.Offset{}, err
		}
		s = fmt.Sprintf("P%sDT%sS", strconv.FormatFloat(days, 'f', -1, 64), strconv.FormatFloat(rest, 'f', -1, 64))
	}
	d, err := parseISO(s)
	if err != nil {
		return deps.Offset{}, err
	}
	years, months, days := d.Years, d.Months, d.Weeks*7+d.Days
	if years != math.Trunc(years) || months != math.Trunc(months) || days != math.Trunc(days) {
		return deps.Offset{}, errors.New("years, months, weeks and days must be whole numbers")
	}
	if years > 100 || months > 1200 || days > 36500 {
		return deps.Offset{}, errors.New("longer than 100 years")
	}
	clock, err := seconds((d.Hours*60+d.Minutes)*60 + d.Seconds)
	if err != nil {
		return deps.Offset{}, err
	}
	return deps.Offset{Years: sign * int(years), Months: sign * int(months), Days: sign * int(days), Duration: time.Duration(sign) * clock}, nil
}

// formatOffset writes what parseOffset reads back; all parts have one sign.
func formatOffset(o deps.Offset) string {
	sign := ""
	if o.Years < 0 || o.Months < 0 || o.Days < 0 || o.Duration < 0 {
		sign, o = "-", deps.Offset{Years: -o.Years, Months: -o.Months, Days: -o.Days, Duration: -o.Duration}
	}
	var b strings.Builder
	b.WriteString(sign + "P")
	for _, part := range []struct {
		n    int
		unit string
	}{{o.Years, "Y"}, {o.Months, "M"}, {o.Days, "D"}} {
		if part.n != 0 {
			fmt.Fprintf(&b, "%d%s", part.n, part.unit)
		}
	}
	if hours := o.Duration; hours != 0 || b.Len() == len(sign)+1 {
		text := FormatDuration(hours)
		if day, found := strings.CutSuffix(text, "D"); found { // whole days of elapsed time stay elapsed time
			n, err := strconv.Atoi(strings.TrimPrefix(day, "P"))
			if err == nil {
				text = fmt.Sprintf("PT%dH", 24*n)
			}
		}
		b.WriteString(strings.TrimPrefix(text, "P"))
	}
	return b.String()
}

func durationHint(s string) string {
	if d, err := time.ParseDuration(s); err == nil && d > 0 {
		return "write " + FormatDuration(d)
	}
	if n, err := strconv.Atoi(s); err == nil && n > 0 {
		return fmt.Sprintf("write PT%dS for seconds or PT%dM for minutes", n, n)
	}
	return ""
}

// parseInstant reads a date and time, or a date, which is its first instant. Without an offset it is in loc; the result is in loc, in
// whole milliseconds. A local time that a zone skips is an error, of one that it repeats the first is taken.
func parseInstant(s string, loc *time.Location) (time.Time, error) {
	if len(s) == len("2006-01-02") {
		d, err := recurrence.ParseDate(s)
		if err != nil {
			return time.Time{}, fmt.Errorf("read the date: %w", err)
		}
		return recurrence.DayStart(d, loc), nil
	}
	text := s[:10] + "T" + s[11:]
	text = strings.Replace(strings.ToUpper(text), " ", "", 1)
	clock := text[11:]
	offset := strings.IndexAny(clock, "Z+-")
	layout := "2006-01-02T15:04"
	wall := clock
	if offset >= 0 {
		wall = clock[:offset]
	}
	if len(wall) > len("15:04") {
		layout += ":05"
	}
	if offset >= 0 {
		switch zone := clock[offset:]; len(zone) {
		case 1:
			layout += "Z07:00"
		case 3:
			layout += "-07"
		case 5:
			layout += "-0700"
		default:
			layout += "-07:00"
		}
		t, err := time.Parse(layout, text)
		if err != nil {
			return time.Time{}, errors.New("no such date or time of day")
		}
		return t.Truncate(time.Millisecond).In(loc), nil
	}
	naive, err := time.Parse(layout, text)
	if err != nil {
		return time.Time{}, errors.New("no such date or time of day")
	}
	return inZone(naive.Truncate(time.Millisecond), loc)
}

// inZone gives the first instant at which the clocks of loc show the wall clock of naive.
func inZone(naive time.Time, loc *time.Location) (time.Time, error) {
	t := time.Date(naive.Year(), naive.Month(), naive.Day(), naive.Hour(), naive.Minute(), naive.Second(), naive.Nanosecond(), loc)
	if t.Hour() != naive.Hour() || t.Minute() != naive.Minute() || t.Day() != naive.Day() {
		return time.Time{}, fmt.Errorf("the clocks of %s skip this time; write it with its offset, such as %s", loc, t.Format(time.RFC3339))
	}
	if start, _ := t.ZoneBounds(); !start.IsZero() {
		_, now := t.Zone()
		_, before := start.Add(-time.Second).In(loc).Zone()
		if earlier := t.Add(time.Duration(now-before) * time.Second); earlier.Before(start) {
			return earlier, nil
		}
	}
	return t, nil
}

// zones keeps one *time.Location for each zone: the table of its changes is derived once for each pointer (package recurrence).
var zones sync.Map

// loadZone returns the zone of that name in the IANA database. Local is refused: a file means the same on every machine.
func loadZone(name string) (*time.Location, error) {
	if loc, ok := zones.Load(name); ok {
		return loc.(*time.Location), nil
	}
	switch name {
	case "", "Local":
		return nil, fmt.Errorf("%q, which is no time zone", name)
	case "UTC", "Etc/UTC":
		return time.UTC, nil
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("%q, which is no time zone", name)
	}
	kept, _ := zones.LoadOrStore(name, loc)
	return kept.(*time.Location), nil
}
