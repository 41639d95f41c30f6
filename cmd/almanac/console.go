package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/almanac-sched/almanac/engine"
)

// A console shows what the engine just committed. The engine's loop never waits for it: notices are queued and printed by a goroutine of
// its own, in order.
type console struct {
	print func(engine.Notice)

	mu     sync.Mutex
	queue  []engine.Notice
	signal chan struct{}
	done   chan struct{}
	closed bool
}

func newConsole(print func(engine.Notice)) *console {
	c := &console{print: print, signal: make(chan struct{}, 1), done: make(chan struct{})}
	go c.loop()
	return c
}

// observe is engine.Config.Observe.
func (c *console) observe(n engine.Notice) {
	c.mu.Lock()
	c.queue = append(c.queue, n)
	c.mu.Unlock()
	c.wake()
}

func (c *console) wake() {
	select {
	case c.signal <- struct{}{}:
	default:
	}
}

func (c *console) loop() {
	defer close(c.done)
	for range c.signal {
		c.mu.Lock()
		queue, closed := c.queue, c.closed
		c.queue = nil
		c.mu.Unlock()
		for _, n := range queue {
			c.print(n)
		}
		if closed {
			return
		}
	}
}

// close prints what is left and ends.
func (c *console) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.wake()
	<-c.done
}

// started and ended tell the two notices that people are shown from the others.
func started(n engine.Notice) bool {
	return n.Attempt == nil && n.Result == nil && n.From == engine.Waiting && n.Instance.State == engine.Running
}

func ended(n engine.Notice) bool {
	return n.Attempt == nil && n.Result == nil && n.From != n.Instance.State && (n.Instance.State.Ended() || n.Instance.State == engine.Lost)
}

// glyphs stand beside the word on a terminal; the word is always there.
var glyphs = map[engine.State]string{
	engine.Waiting: "·", engine.Running: "▶", engine.Lost: "?", engine.Succeeded: "✓", engine.Forced: "✓", engine.Failed: "✗", engine.Skipped: "○",
	engine.Cancelled: "⊘",
}

var stateColors = map[engine.State]text.Color{
	engine.Waiting: text.FgHiBlack, engine.Running: text.FgBlue, engine.Lost: text.FgMagenta, engine.Succeeded: text.FgGreen, engine.Forced: text.FgGreen,
	engine.Failed: text.FgRed, engine.Skipped: text.FgHiBlack, engine.Cancelled: text.FgYellow,
}

// stateText is a state for people: a word, with its glyph and colour on a terminal.
func stateText(s engine.State, terminal bool) string {
	if !terminal {
		return string(s)
	}
	return stateColors[s].Sprint(glyphs[s] + " " + string(s))
}

// noticeLine is one line for a started or ended instance; "" for any other notice.
func noticeLine(n engine.Notice, terminal bool, v viewer) string {
	i := &n.Instance
	word, at, tail := string(i.State), i.StartedAt, ""
	switch {
	case started(n):
		word = "started"
	case ended(n):
		at = i.EndedAt
		if at.IsZero() {
			at = now()
		}
		if !i.StartedAt.IsZero() {
			tail = "  " + duration(at.Sub(i.StartedAt))
		}
		if i.State != engine.Succeeded {
			tail += "  " + i.Reason.Describe()
		}
	default:
		return ""
	}
	cell := fmt.Sprintf("%-9s", word)
	if terminal {
		cell = stateColors[i.State].Sprintf("%s %-9s", glyphs[i.State], word)
	}
	return fmt.Sprintf("%s  %s  %s%s", v.in(at).Format("15:04:05 -07:00"), cell, i.Name(), printable(tail))
}

// printLines prints the notices as lines for people.
func printLines(w io.Writer, terminal bool, v viewer) func(engine.Notice) {
	return func(n engine.Notice) {
		if line := noticeLine(n, terminal, v); line != "" {
			fmt.Fprintln(w, line)
		}
	}
}

// instanceAttributes are what every log line of an instance says of it.
func instanceAttributes(i *engine.Instance) []any {
	return []any{"instance", i.ID, "workflow", i.Ref.Workflow, "job", i.Ref.Job, "planTime", stamp(i.PlanTime)}
}

// logNotices prints the notices as structured log lines.
func logNotices(log *slog.Logger) func(engine.Notice) {
	attempts := logAttempts(log)
	return func(n engine.Notice) {
		i := &n.Instance
		attributes := append(instanceAttributes(i), "state", string(i.State))
		switch {
		case started(n):
			log.Info("started", attributes...)
		case ended(n):
			if !i.StartedAt.IsZero() && !i.EndedAt.IsZero() {
				attributes = append(attributes, "durationMs", i.EndedAt.Sub(i.StartedAt).Milliseconds())
			}
			log.Info("ended", append(attributes, "reason", string(i.Reason.Code), "detail", i.Reason.Detail)...)
		default:
			attempts(n)
		}
	}
}

// logAttempts prints the beginning and the end of each attempt at debug, and at info the end of one that did not succeed.
func logAttempts(log *slog.Logger) func(engine.Notice) {
	return func(n engine.Notice) {
		var id int64
		switch {
		case n.Attempt != nil:
			id = n.Attempt.ID
		case n.Result != nil:
			id = n.Result.Attempt
		default:
			return
		}
		attributes := append(instanceAttributes(&n.Instance), "attempt", id, "number", n.Number, "step", n.Step, "action", n.Action)
		if n.Error {
			attributes = append(attributes, "errorAction", true)
		}
		if n.Attempt != nil {
			log.Debug("attempt started", attributes...)
			return
		}
		r := n.Result
		level := slog.LevelInfo
		if r.Outcome == engine.OutcomeSucceeded {
			level = slog.LevelDebug
		}
		if !r.StartedAt.IsZero() {
			attributes = append(attributes, "durationMs", r.EndedAt.Sub(r.StartedAt).Milliseconds())
		}
		log.Log(context.Background(), level, "attempt ended", append(attributes, "outcome", string(r.Outcome), "detail", r.String())...)
	}
}
