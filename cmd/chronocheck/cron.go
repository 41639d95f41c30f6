package main

import (
	"fmt"
	"strconv"
	"strings"
)

// A cronRule is a cron expression as sets of values.
type cronRule struct {
	fields [5]cronField // minute, hour, day of month, month, weekday
}

type cronField struct {
	values map[int]bool
	low    int
	high   int
	star   bool // written as * or ?, without a step
	list   bool // written with a comma
	step   int  // of the last part
}

// full reports whether the field leaves nothing out.
func (f *cronField) full() bool { return len(f.values) == f.high-f.low+1 }

var cronShortcuts = map[string]string{
	"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *",
	"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
}

var cronBounds = [5]struct {
	low, high int
	names     string
}{{0, 59, ""}, {0, 23, ""}, {1, 31, ""}, {1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"}, {0, 6, "sunmontuewedthufrisat"}}

func parseCron(text string) (*cronRule, error) {
	if long, ok := cronShortcuts[strings.ToLower(text)]; ok {
		text = long
	}
	words := strings.Fields(text)
	if len(words) != 5 {
		return nil, fmt.Errorf("cron %q has not five fields", text)
	}
	c := &cronRule{}
	for i, word := range words {
		f := &c.fields[i]
		*f = cronField{values: map[int]bool{}, low: cronBounds[i].low, high: cronBounds[i].high, step: 1}
		parts := strings.Split(word, ",")
		f.list = len(parts) > 1
		for _, part := range parts {
			if err := f.add(part, cronBounds[i].names); err != nil {
				return nil, fmt.Errorf("cron %q: %w", text, err)
			}
		}
	}
	return c, nil
}

// add reads *, ?, n, n-m, each with /step; n/step runs to the end.
func (f *cronField) add(part, names string) error {
	body, stepText, stepped := strings.Cut(part, "/")
	f.step = 1
	if stepped {
		step, err := strconv.Atoi(stepText)
		if err != nil || step < 1 {
			return fmt.Errorf("the step of %q", part)
		}
		f.step = step
	}
	from, to := f.low, f.high
	if body == "*" || body == "?" {
		f.star = f.star || f.step == 1
	} else {
		low, high, ranged := strings.Cut(body, "-")
		var err error
		if from, err = f.value(low, names); err != nil {
			return err
		}
		switch {
		case ranged:
			if to, err = f.value(high, names); err != nil {
				return err
			}
		case !stepped:
			to = from
		}
	}
	if from > to {
		return fmt.Errorf("the range of %q", part)
	}
	for v := from; v <= to; v += f.step {
		f.values[v] = true
	}
	return nil
}

func (f *cronField) value(word, names string) (int, error) {
	if at := strings.Index(names, strings.ToLower(word)); len(word) == 3 && names != "" && at >= 0 && at%3 == 0 {
		return f.low + at/3, nil
	}
	v, err := strconv.Atoi(word)
	if err != nil || v < f.low || v > f.high {
		return 0, fmt.Errorf("the value %q", word)
	}
	return v, nil
}

// takes reports whether the expression names the local day. A day of the month and a weekday that are both restricted: either is enough.
func (c *cronRule) takes(day int64) bool {
	_, month, dayOfMonth := civil(day)
	if !c.fields[3].values[int(month)] {
		return false
	}
	dom, dow := c.fields[2].values[dayOfMonth], c.fields[4].values[int(weekdayOf(day))]
	if !c.fields[2].star && !c.fields[4].star {
		return dom || dow
	}
	return dom && dow
}
