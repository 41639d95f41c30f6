package main

import (
	"io"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/almanac-sched/almanac/engine"
)

// A dayProgress shows a day while it runs.
type dayProgress interface {
	notice(engine.Notice)
	end()
}

// lineProgress prints a line for each start and end.
type lineProgress struct{ print func(engine.Notice) }

func (p lineProgress) notice(n engine.Notice) { p.print(n) }
func (lineProgress) end()                     {}

// quietProgress shows nothing.
type quietProgress struct{}

func (quietProgress) notice(engine.Notice) {}
func (quietProgress) end()                 {}

// A barProgress is a progress bar with a line above it for whatever did not end well.
type barProgress struct {
	writer  progress.Writer
	tracker *progress.Tracker
	done    chan struct{}
	view    viewer
}

func newBar(w io.Writer, total int64, v viewer) *barProgress {
	writer := progress.NewWriter()
	writer.SetOutputWriter(w)
	writer.SetAutoStop(false)
	writer.SetTrackerLength(30)
	writer.SetMessageLength(28)
	writer.SetUpdateFrequency(100 * time.Millisecond)
	writer.SetStyle(progress.StyleBlocks)
	writer.Style().Visibility.ETA = false
	options := &writer.Style().Options
	options.PercentFormat, options.TimeInProgressPrecision, options.TimeDonePrecision = "%3.0f%%", 100*time.Millisecond, 100*time.Millisecond
	p := &barProgress{writer: writer, tracker: &progress.Tracker{Message: "instances", Total: total}, done: make(chan struct{}), view: v}
	writer.AppendTracker(p.tracker)
	go func() {
		defer close(p.done)
		writer.Render()
	}()
	return p
}

func (p *barProgress) notice(n engine.Notice) {
	switch {
	case started(n):
		p.tracker.UpdateMessage(text.Trim(n.Instance.Ref.String(), 28))
	case ended(n):
		p.tracker.Increment(1)
		if !endedWell(&n.Instance) {
			p.writer.Log("%s", noticeLine(n, true, p.view))
		}
	}
}

func (p *barProgress) end() {
	p.writer.Stop()
	<-p.done
}
