package main

import (
	"slices"
)

// A period is a job's class with its nominal interval (`dependencies.md` §1).
type period struct {
	class string // minute, hour, discrete, day, week, month, year; "" has none
	every int64  // ms; 0 for months and years
}

// fine are the classes below a day.
func (p period) fine() bool { return p.class == "minute" || p.class == "hour" || p.class == "discrete" }

// periodOf infers the period of a definition, or takes the one that it states.
func periodOf(d *definition) (period, error) {
	p, err := inferPeriod(d)
	if err != nil || d.period == "" || d.period == p.class {
		return p, err
	}
	own := period{class: d.period}
	switch d.period {
	case "minute", "hour", "discrete":
		if own.every = p.every; own.every == 0 || own.every > dayMS {
			own.every = dayMS
		}
	case "day":
		own.every = dayMS
	case "week":
		own.every = 7 * dayMS
	}
	return own, nil
}

func inferPeriod(d *definition) (period, error) {
	switch {
	case d.rule != nil:
		return periodOfRule(d.rule), nil
	case d.cron != "":
		c, err := parseCron(d.cron)
		if err != nil {
			return period{}, notUnderstood("%v", err)
		}
		return periodOfCron(c), nil
	}
	return period{}, nil
}

func periodOfRule(r *ruleDef) period {
	n := max(1, r.Interval)
	switch r.Frequency {
	case "minute":
		return period{"minute", n * minuteMS}
	case "hour":
		return period{"hour", n * hourMS}
	}
	if s := r.Schedule; s != nil {
		hours, minutes := distinct(s.Hours), distinct(s.Minutes)
		if len(hours) == 0 && len(minutes) > 0 {
			for h := range 24 {
				hours = append(hours, h)
			}
		}
		if len(hours)*max(1, len(minutes)) > 1 {
			gap := smallestGap(hours, minutes)
			switch {
			case len(hours) == 24 && len(minutes) <= 1:
				return period{"hour", hourMS}
			case len(hours) == 24:
				return period{"minute", gap}
			}
			return period{"discrete", gap}
		}
	}
	switch r.Frequency {
	case "day":
		return period{"day", n * dayMS}
	case "week":
		return period{"week", n * 7 * dayMS}
	}
	return period{class: r.Frequency}
}

// periodOfCron goes by the text of the fields: the values alone cannot tell 0,8,16 from */8.
func periodOfCron(c *cronRule) period {
	minute, hour := &c.fields[0], &c.fields[1]
	hours, minutes := keys(hour.values), keys(minute.values)
	switch {
	case len(hours) == 1 && len(minutes) == 1:
		switch {
		case !c.fields[3].full():
			return period{class: "year"}
		case !c.fields[2].full():
			return period{class: "month"}
		case !c.fields[4].full():
			return period{"week", 7 * dayMS}
		}
		return period{"day", dayMS}
	case len(hours) == 1 || hour.list && len(hours) < 24:
		return period{"discrete", smallestGap(hours, minutes)}
	case len(minutes) == 1:
		step := int64(hour.step)
		if hour.full() {
			step = 1
		}
		return period{"hour", step * hourMS}
	}
	return period{"minute", smallestGap(hours, minutes)}
}

// smallestGap is the shortest distance between two clock times of one day.
func smallestGap(hours, minutes []int) int64 {
	if len(minutes) == 0 {
		minutes = []int{0}
	}
	gap, last := dayMS, int64(-1)
	for _, h := range hours {
		for _, m := range minutes {
			at := int64(h)*hourMS + int64(m)*minuteMS
			if last >= 0 {
				gap = min(gap, at-last)
			}
			last = at
		}
	}
	return gap
}

func distinct(list []int) []int {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

func keys(set map[int]bool) (list []int) {
	for v := range set {
		list = append(list, v)
	}
	slices.Sort(list)
	return list
}
