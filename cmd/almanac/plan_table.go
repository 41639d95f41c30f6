package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/deps"
	"github.com/almanac-sched/almanac/engine"
)

// planRows is the plan as a table for people, a line for each wait.
func planRows(plan *engine.Plan, v viewer) [][]string {
	var rows [][]string
	for p := range plan.Chronological() {
		var waits []string
		for i := range p.Dependencies {
			waits = append(waits, waitWords(p, &p.Dependencies[i], v))
		}
		if waits == nil {
			waits = []string{"-"}
		}
		rows = append(rows, []string{v.clock(p.PlanTime()), p.Job.Ref().String(), p.Job.Period.Class.String(), strings.Join(waits, "\n")})
	}
	return rows
}

// waitWords says what one dependency of an instance comes to: "orders 02:00…15:00 (3), one-to-one".
func waitWords(p engine.PlannedInstance, d *engine.DependencyPlan, v viewer) string {
	b := &d.Bindings[p.N]
	name := d.Upstream.Name
	switch {
	case d.Upstream == p.Job:
		name = "itself"
	case d.Upstream.Workflow != p.Job.Workflow:
		name = d.Upstream.Ref().String()
	}
	if d.Ended {
		name = "the end of " + name
	}
	times := engine.PlanTimes(b)
	if len(times) == 0 {
		return fmt.Sprintf("%s: %s, %s", name, b.Reason, missingWords[d.Dependency.OnMissing])
	}
	switch b.Select.Kind {
	case deps.SelectAny:
		name = "any of " + name
	case deps.SelectCount:
		name = fmt.Sprintf("%d of %s", b.Select.N, name)
	default: // all of what is listed
	}
	return fmt.Sprintf("%s %s, %s", name, v.compactTimes(b, p.PlanTime()), b.Reason)
}

// missingWords say what becomes of an instance when a set that it waits for has nothing in it.
var missingWords = map[engine.OnMissing]string{
	engine.MissingRun: "so it runs directly", engine.MissingWait: "so it waits", engine.MissingCancel: "so it is cancelled",
}

// compactTimes prints plan times as seen from an instance: the date and the offset only where they differ from its own.
func (v viewer) compactTimes(b *deps.Binding, from time.Time) string {
	if b.Ranges == nil {
		return v.compactRange(b.Times, from)
	}
	var pieces []string
	for _, piece := range b.Ranges {
		if len(piece) > 0 {
			pieces = append(pieces, v.compactRange(piece, from))
		}
	}
	return strings.Join(pieces, ", ")
}

func (v viewer) compactRange(times []time.Time, from time.Time) string {
	first, last := v.in(times[0]), v.in(times[len(times)-1])
	from = v.in(from)
	switch len(times) {
	case 1:
		return seenFrom(first, from)
	case 2:
		return seenFrom(first, from) + ", " + seenFrom(last, first)
	}
	return fmt.Sprintf("%s…%s (%d)", seenFrom(first, from), seenFrom(last, first), len(times))
}

func seenFrom(t, from time.Time) string {
	layout := "15:04"
	if t.Second() != 0 || t.Nanosecond() != 0 {
		layout = "15:04:05.999"
	}
	if y, m, d := t.Date(); !sameDay(from, y, m, d) {
		layout = "01-02 " + layout
		if y != from.Year() {
			layout = "2006-" + layout
		}
	}
	_, offset := t.Zone()
	if _, own := from.Zone(); own != offset {
		layout += "-07:00"
	}
	return t.Format(layout)
}

func sameDay(t time.Time, year int, month time.Month, day int) bool {
	y, m, d := t.Date()
	return y == year && m == month && d == day
}
