package deps

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// PeriodOfCron infers the period of a cron expression from the text of its five
// fields, because the parsed form cannot tell "0,8,16" from "*/8" (dependencies.md
// §1). A CRON_TZ= or TZ= prefix is stripped and does not matter; @hourly and
// friends are read, @every is refused. The hour field decides:
//
//   - one hour: one minute makes a day, week, month or year job by the most
//     significant restricted field; several minutes make it discrete;
//   - *, a range, or either with a step: hour job with one minute, else minute job;
//   - a list: discrete, unless it lists all 24 hours, which is the same as *.
func PeriodOfCron(text string) (Period, error) {
	fields, err := cronFields(text)
	if err != nil {
		return Period{}, fmt.Errorf("read the period of cron %q: %w", text, err)
	}
	var parsed [5]cronField
	for i, f := range fields {
		if parsed[i], err = parseCronField(f, cronBounds[i]); err != nil {
			return Period{}, fmt.Errorf("read the period of cron %q: %w", text, err)
		}
	}
	minutes, hours := parsed[0], parsed[1]
	switch {
	case len(hours.values) == 1 && len(minutes.values) == 1:
		return coarse(cronClass(parsed), 1), nil
	case len(hours.values) == 1 || hours.list && len(hours.values) < 24:
		return Period{Discrete, smallestGap(hours.values, minutes.values)}, nil
	case len(minutes.values) == 1:
		return Period{Hour, time.Duration(hours.step) * time.Hour}, nil
	}
	return Period{Minute, smallestGap(hours.values, minutes.values)}, nil
}

// cronClass is the class of an expression with one time of day: the most
// significant field that leaves something out.
func cronClass(f [5]cronField) Class {
	switch {
	case f[3].restricted:
		return Year
	case f[2].restricted:
		return Month
	case f[4].restricted:
		return Week
	}
	return Day
}

var cronNames = map[string]string{
	"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
	"@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
}

// cronFields splits the expression after its prefix and spells out descriptors.
func cronFields(text string) ([]string, error) {
	fields := strings.Fields(text)
	if len(fields) > 0 && (strings.HasPrefix(fields[0], "CRON_TZ=") || strings.HasPrefix(fields[0], "TZ=")) {
		fields = fields[1:]
	}
	if len(fields) > 0 && strings.HasPrefix(fields[0], "@") {
		long, ok := cronNames[strings.ToLower(fields[0])]
		if !ok || len(fields) > 1 {
			return nil, fmt.Errorf("%q has no period: write five fields, or one of @hourly, @daily, @weekly, @monthly, @yearly", strings.Join(fields, " "))
		}
		fields = strings.Fields(long)
	}
	if len(fields) != 5 {
		return nil, fmt.Errorf("%d fields, want 5: minute, hour, day of month, month, weekday", len(fields))
	}
	return fields, nil
}

type cronBound struct {
	name     string
	min, max int
	words    string // three letters each, in order
}

var cronBounds = [5]cronBound{
	{"minute", 0, 59, ""}, {"hour", 0, 23, ""}, {"day of month", 1, 31, ""},
	{"month", 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"}, {"weekday", 0, 6, "sunmontuewedthufrisat"},
}

// cronField is what the inference needs of one field.
type cronField struct {
	values     []int // ascending, distinct
	list       bool  // written with a comma
	step       int   // of the last part; 1 where none is written
	restricted bool  // leaves out some of the values the field can have
}

func parseCronField(text string, bound cronBound) (cronField, error) {
	parts := strings.Split(text, ",")
	f := cronField{list: len(parts) > 1, step: 1}
	for _, part := range parts {
		from, to, step, err := parseCronPart(part, bound)
		if err != nil {
			return f, err
		}
		for v := from; v <= to; v += step {
			f.values = append(f.values, v)
		}
		f.step = step
	}
	slices.Sort(f.values)
	f.values = slices.Compact(f.values)
	f.restricted = len(f.values) < bound.max-bound.min+1
	if !f.restricted {
		f.step = 1
	}
	return f, nil
}

// parseCronPart reads *, ?, a, a-b, each with /n; a/n means from a to the end.
func parseCronPart(part string, bound cronBound) (from, to, step int, err error) {
	body, stepText, stepped := strings.Cut(part, "/")
	step = 1
	if stepped {
		if step, err = strconv.Atoi(stepText); err != nil || step < 1 {
			return 0, 0, 0, fmt.Errorf("the %s field's step %q is not a positive number", bound.name, stepText)
		}
	}
	if body == "*" || body == "?" {
		return bound.min, bound.max, step, nil
	}
	low, high, ranged := strings.Cut(body, "-")
	if from, err = bound.value(low); err != nil {
		return 0, 0, 0, err
	}
	to = from
	switch {
	case ranged:
		if to, err = bound.value(high); err != nil {
			return 0, 0, 0, err
		}
		if to < from {
			return 0, 0, 0, fmt.Errorf("the %s field's range %q runs backwards", bound.name, body)
		}
	case stepped:
		to = bound.max
	}
	return from, to, step, nil
}

func (b cronBound) value(text string) (int, error) {
	if len(text) == 3 && b.words != "" {
		if i := strings.Index(b.words, strings.ToLower(text)); i >= 0 && i%3 == 0 {
			return b.min + i/3, nil
		}
	}
	v, err := strconv.Atoi(text)
	if err != nil || v < b.min || v > b.max {
		return 0, fmt.Errorf("the %s field's %q is not within %d to %d", b.name, text, b.min, b.max)
	}
	return v, nil
}
