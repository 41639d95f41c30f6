package recurrence

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// cronFields is a cron expression as sets of values. The library parses it; the
// evaluation is ours, because the library's skips gaps, fires twice in folds
// and loses days whose midnight is skipped (recurrence.md §4).
type cronFields struct {
	minutes   uint64 // bits 0..59
	hours     uint32 // bits 0..23
	days      uint32 // bit 0 for the 1st
	months    uint16 // bit 0 for January
	weekdays  uint8  // by time.Weekday
	everyHour bool   // the hour field is *
	either    bool   // day-of-month and weekday are both restricted: either matches
	location  *time.Location
}

var (
	cronParser     = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)
	cronFieldNames = [...]string{"minute", "hour", "day-of-month", "month", "weekday"}
	cronAllowed    = [...]string{"0-59", "0-23", "1-31", "1-12 or jan-dec", "0-6 or sun-sat"}
)

const (
	starBit       = 1 << 63 // set by the library for an unrestricted field
	cronShortcuts = "@yearly, @annually, @monthly, @weekly, @daily, @midnight or @hourly"
)

// parseCron parses an expression, or returns every mistake in it.
func parseCron(text string) (*cronFields, []FieldError) {
	var m mistakes
	spec, location, err := cronZone(text)
	if err != nil {
		m.add("cron", "%v", err)
		return nil, m
	}
	if strings.HasPrefix(spec, "@") {
		spec = strings.ToLower(spec)
		if strings.HasPrefix(spec, "@every") {
			m.add("cron", "%q has no anchor to count from; write a recurrence instead, such as {frequency: minute, interval: 5}", spec)
			return nil, m
		}
		if _, err := parseGuarded(spec); err != nil {
			m.add("cron", "unknown shortcut %q; allowed is %s, or five fields", spec, cronShortcuts)
			return nil, m
		}
	}
	schedule, err := parseGuarded(spec)
	if !strings.HasPrefix(spec, "@") {
		if checkCronFields(&m, spec, err == nil); len(m) > 0 {
			return nil, m
		}
	}
	if err != nil {
		m.add("cron", "%v", err)
		return nil, m
	}
	parsed, ok := schedule.(*cron.SpecSchedule)
	if !ok {
		m.add("cron", "%q is not an expression of five fields", spec)
		return nil, m
	}
	return &cronFields{
		minutes:   parsed.Minute & (1<<60 - 1),
		hours:     uint32(parsed.Hour & (1<<24 - 1)),
		days:      uint32(parsed.Dom >> 1 & (1<<31 - 1)),
		months:    uint16(parsed.Month >> 1 & (1<<12 - 1)),
		weekdays:  uint8(parsed.Dow & (1<<7 - 1)),
		everyHour: parsed.Hour&starBit != 0,
		either:    parsed.Dom&starBit == 0 && parsed.Dow&starBit == 0,
		location:  location,
	}, nil
}

// cronZone splits a TZ= or CRON_TZ= prefix off. The library would panic on a
// prefix with nothing after it, and would take the machine's zone for "Local".
func cronZone(text string) (spec string, location *time.Location, err error) {
	spec = strings.TrimSpace(text)
	prefix, _, found := strings.Cut(spec, "=")
	if !found || prefix != "TZ" && prefix != "CRON_TZ" {
		if spec == "" {
			return "", nil, errors.New("empty; write five fields: minute hour day-of-month month weekday")
		}
		return spec, nil, nil
	}
	_, rest, _ := strings.Cut(spec, "=")
	end := strings.IndexAny(rest, " \t")
	if end < 0 {
		return "", nil, fmt.Errorf("%q names a zone and no times; write %s=zone and then five fields", spec, prefix)
	}
	name, spec := rest[:end], strings.TrimSpace(rest[end:])
	if name == "" || name == "Local" {
		return "", nil, fmt.Errorf("%s=%s names no zone; write one such as %s=Asia/Shanghai", prefix, name, prefix)
	}
	if location, err = time.LoadLocation(name); err != nil {
		return "", nil, fmt.Errorf("unknown time zone %q after %s=; write a name such as Asia/Shanghai or UTC", name, prefix)
	}
	return spec, location, nil
}

// parseGuarded calls the library, which reports some mistakes by a panic.
func parseGuarded(spec string) (schedule cron.Schedule, err error) {
	defer func() {
		if p := recover(); p != nil {
			schedule, err = nil, fmt.Errorf("%q cannot be read: %v", spec, p)
		}
	}()
	return cronParser.Parse(spec)
}

// checkCronFields finds the mistakes of each field by itself, so that all are
// reported and each is named. known says that the library has read them all.
func checkCronFields(m *mistakes, spec string, known bool) {
	fields := strings.Fields(spec)
	if len(fields) == 6 {
		m.add("cron", "%q has 6 fields; seconds and years are not supported: write five, minute hour day-of-month month weekday", spec)
		return
	}
	if len(fields) != 5 {
		m.add("cron", "%q has %d fields; write five: minute hour day-of-month month weekday", spec, len(fields))
		return
	}
	for i, field := range fields {
		if why := cronFieldMistake(i, field, known); why != "" {
			m.add("cron", "%q in the %s field: %s; allowed is %s, with * , - and /", field, cronFieldNames[i], why, cronAllowed[i])
		}
	}
}

func cronFieldMistake(i int, field string, known bool) string {
	for _, part := range strings.Split(field, ",") {
		body, _, _ := strings.Cut(part, "/")
		switch {
		case part == "":
			return "an item is empty"
		case strings.ContainsRune(part, '+'):
			return "a sign is not allowed"
		case len(body) > 1 && (body[0] == '*' || body[0] == '?'):
			return "* stands alone or before /"
		}
		if i == 4 {
			for _, n := range strings.Split(body, "-") {
				if v, err := strconv.Atoi(n); err == nil && v == 7 {
					return "Sunday is 0, not 7"
				}
			}
		}
		if hint := cronExtension(i, part); hint != "" {
			return hint
		}
	}
	if known {
		return ""
	}
	alone := [...]string{"*", "*", "*", "*", "*"}
	alone[i] = field
	if _, err := parseGuarded(strings.Join(alone[:], " ")); err != nil {
		return err.Error()
	}
	return ""
}

// cronExtension recognises L, W and #, which the parser does not know.
func cronExtension(i int, part string) string {
	if i != 2 && i != 4 {
		return ""
	}
	instead := "write a recurrence with frequency month and schedule "
	switch {
	case strings.Contains(part, "#"):
		return "# is not supported: " + instead + "{monthlyOccurrences: [{day: friday, occurrence: 1}]}"
	case i == 2 && strings.HasSuffix(strings.ToUpper(part), "W"):
		return "W is not supported: " + instead + "{workDays: [1]}"
	case i == 2 && strings.HasPrefix(strings.ToUpper(part), "L"):
		return "L is not supported: " + instead + "{monthDays: [-1]}"
	case i == 4 && len(part) > 1 && strings.HasSuffix(strings.ToUpper(part), "L"):
		return "L is not supported: " + instead + "{monthlyOccurrences: [{day: friday, occurrence: -1}]}"
	}
	return ""
}

// cronWarnings returns what recurrence.md §4 has lint say.
func cronWarnings(text string) []FieldError {
	parsed, wrong := parseCron(text)
	if len(wrong) > 0 {
		return nil
	}
	var m mistakes
	spec, _, _ := cronZone(text)
	fields := strings.Fields(spec)
	if len(fields) != 5 {
		return nil
	}
	for i, whole := range [...]int{60, 24} {
		for _, part := range strings.Split(fields[i], ",") {
			start, stepText, found := strings.Cut(part, "/")
			step, err := strconv.Atoi(stepText)
			if !found || err != nil || start != "*" && start != "?" && start != "0" || whole%step == 0 {
				continue
			}
			m.add("cron", "%q in the %s field is %s, not every %d %ss; for an even distance write a recurrence {frequency: %s, interval: %d}",
				part, cronFieldNames[i], stepTimes(step, whole), step, cronFieldNames[i], cronFieldNames[i], step)
		}
	}
	if parsed.either {
		m.add("cron", "%q in the day-of-month field and %q in the weekday field: a day that matches either is due, not only days that match both",
			fields[2], fields[4])
	}
	return m
}

// stepTimes lists the values of a step that does not divide the whole.
func stepTimes(step, whole int) string {
	var values []string
	for v := 0; v < whole; v += step {
		values = append(values, fmt.Sprintf(":%02d", v))
		if len(values) == 4 && v+step < whole {
			return strings.Join(values, ", ") + " … and then starts again at :00"
		}
	}
	if len(values) == 1 {
		return values[0] + " only"
	}
	return strings.Join(values[:len(values)-1], ", ") + " and " + values[len(values)-1]
}
