package main

import (
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A planProgress shows on a terminal how far a plan is that takes long.
type planProgress struct {
	app         *app
	begun, last time.Time
	done, all   int
	shown       bool
}

// A plan that takes less than this shows nothing, and the line is written anew so often.
const (
	planPatience = time.Second
	planTick     = 200 * time.Millisecond
)

// watchPlan shows how far a plan is, by which of its jobs is asked for next.
func (a *app) watchPlan(jobs int, quiet bool) *planProgress {
	p := &planProgress{app: a, all: jobs, begun: now()}
	if quiet || !a.terminal(a.stderr) {
		p.all = 0
	}
	return p
}

// of passes on the window of a job and counts it.
func (p *planProgress) of(window func(*engine.Job) (time.Time, time.Time)) func(*engine.Job) (time.Time, time.Time) {
	return func(j *engine.Job) (time.Time, time.Time) {
		p.done++
		if at := now(); p.all > 0 && at.Sub(p.begun) > planPatience && at.Sub(p.last) > planTick {
			p.last, p.shown = at, true
			fmt.Fprintf(p.app.stderr, "\rplanning: %d of %s", min(p.done, p.all), count(p.all, "job"))
		}
		return window(j)
	}
}

// end takes the line away.
func (p *planProgress) end() {
	if p.shown {
		fmt.Fprint(p.app.stderr, "\r\x1b[K")
	}
}
