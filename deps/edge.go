package deps

import (
	"errors"
	"fmt"
	"time"
)

// Occurrences gives the plan times of a job in [from, to), ascending and without
// duplicates. It must answer any window, the same way each time. Its result is
// not modified and may be a sub-slice of what the caller keeps; bindings are
// sub-slices of it in turn.
type Occurrences func(from, to time.Time) []time.Time

// Job is one end of an edge. Location is where its natural days are counted; nil
// is UTC. Only the downstream job's location matters to a binding.
type Job struct {
	Name        string
	Period      Period
	Location    *time.Location
	Occurrences Occurrences
}

// Edge is what is written about one dependency (dependencies.md §7), as far as it
// decides which plan times are waited for. The zero Edge is a natural dependency
// on the same cycle.
type Edge struct {
	Policy   Policy
	Nearest  bool            // rule: nearest
	Previous int             // 0 is the same cycle, n = 1..30 the n-th one before
	Select   Select          // of the set, what must be satisfied
	Window   *ExplicitWindow // replaces the tables
	Hours    []int           // keeps only plan times at these hours, local to the downstream job
	Self     bool            // the job's own n-th plan time before, the first where Previous is 0
}

// MaxPrevious is the farthest cycle an edge can name.
const MaxPrevious = 30

// SameCycle reports whether the edge ties the two jobs' current cycles together,
// so that a cycle of jobs made of such edges alone could never run.
func (e Edge) SameCycle() bool { return e.Previous == 0 && e.Window == nil && !e.Self }

// RefusedError says why an edge cannot be between these two jobs, or cannot be
// written like this at all, and what is allowed instead.
type RefusedError struct {
	Field  string // the field of the edge to change: "policy", "rule", "previous", "select", "window", "hours", "job"
	Reason string
}

// Error gives the reason.
func (e *RefusedError) Error() string { return e.Reason }

func refuse(field, format string, args ...any) error {
	return &RefusedError{Field: field, Reason: fmt.Sprintf(format, args...)}
}

// Compile joins the edge with its two jobs. A pair that the policy, the rule or
// the class of a job does not allow is a *RefusedError. For a self edge, up is
// not looked at.
func (e Edge) Compile(down, up Job) (*Binder, error) {
	if e.Self {
		up = down
	}
	if down.Occurrences == nil || up.Occurrences == nil {
		return nil, errors.New("compile an edge: a job without Occurrences")
	}
	if err := e.validate(); err != nil {
		return nil, err
	}
	r, err := e.rule(down.Period, up.Period)
	if err != nil {
		return nil, err
	}
	b := &Binder{edge: e, down: down, up: up, rule: r, sel: e.Select, clock: newClock(down.Location)}
	if b.sel.Kind == SelectDefault {
		b.sel = Select{Kind: SelectAll}
		if r.last {
			b.sel.Kind = SelectLast
		}
	}
	if e.Nearest {
		b.sel = Select{Kind: SelectLast} // the nearest is the latest candidate, whatever is selected of one
	}
	for _, h := range e.Hours {
		b.hours |= 1 << h
	}
	return b, nil
}

// validate refuses what is wrong with the edge whatever the two jobs are.
func (e Edge) validate() error {
	for _, h := range e.Hours {
		if h < 0 || h > 23 {
			return refuse("hours", "hour %d does not exist: hours are 0 to 23", h)
		}
	}
	switch {
	case e.Previous < 0 || e.Previous > MaxPrevious:
		return refuse("previous", "cycle previous %d: write 1 to %d cycles back, or nothing for the same cycle", e.Previous, MaxPrevious)
	case e.Select.Kind == SelectCount && e.Select.N < 1:
		return refuse("select", "select %d: a count starts at 1", e.Select.N)
	case e.Nearest && e.Self:
		return refuse("rule", "rule nearest has no meaning for a job's own earlier cycle: leave it out")
	case e.Nearest && e.Previous > 0:
		return refuse("rule", "rule nearest looks at the same cycle: leave out either it or the previous cycle")
	case e.Window == nil:
		return nil
	case e.Nearest:
		return refuse("window", "an explicit window replaces rule nearest: write one of them (select: last takes the latest of a window)")
	case e.Previous > 0:
		return refuse("window", "an explicit window replaces the previous cycle: write one of them")
	}
	low, _ := e.Window.From.bounds()
	_, high := e.Window.To.bounds()
	if high < low || high == low && e.Window.Closed != Both {
		return refuse("window", "the window is always empty: its end does not lie after its beginning")
	}
	return nil
}
