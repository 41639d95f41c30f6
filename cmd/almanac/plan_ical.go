package main

import (
	"io"
	"path/filepath"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

// writePlanCalendar prints the plan as an iCalendar file. A folder does not know how long its jobs take; the feed of a server does.
func writePlanCalendar(out io.Writer, plan *engine.Plan, w *windows) error {
	events := make([]web.CalendarEvent, 0, plan.Instances())
	for p := range plan.Chronological() {
		events = append(events, web.CalendarEvent{Ref: p.Job.Ref(), PlanTime: p.PlanTime(), Text: p.Job.Description, Tags: p.Job.Tags})
	}
	return web.WriteCalendar(out, filepath.Base(w.f.path), events, now())
}
