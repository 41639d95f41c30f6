package deps

import "time"

// Binding is what one downstream plan time waits for.
type Binding struct {
	Reason Reason
	// Window is where the rule looked. For a pairing (one-to-one, interval-back,
	// nearest-back, nearest-forward) it is the whole natural day, of which the rule took a part.
	Window Window
	// Times are the upstream plan times waited for, where they are one contiguous
	// range of them: a sub-slice of what Occurrences gave, not to be modified. For
	// select first and last it is that one time; for any and a count, all candidates.
	Times []time.Time
	// Ranges replaces Times when the edge's hours cut the set into several ranges.
	Ranges [][]time.Time
	// Select is what of the set must be satisfied: all, any or a count. A count is
	// as the edge writes it, even if the set is smaller.
	Select Select
}

// Empty reports that there is nothing to wait for.
func (b Binding) Empty() bool { return len(b.Times) == 0 && len(b.Ranges) == 0 }

// Len gives the number of upstream plan times in the set.
func (b Binding) Len() int {
	n := len(b.Times)
	for _, r := range b.Ranges {
		n += len(r)
	}
	return n
}

// Binder is an edge joined with its two jobs. It remembers the last natural day
// it bound, which makes binding the plan times of a day in order cheap, and is
// therefore not safe for concurrent use; Compile another one instead.
type Binder struct {
	edge     Edge
	down, up Job
	rule     rule
	sel      Select
	hours    uint32 // bit h: keep local hour h; 0 keeps every hour
	clock    clock
	memo     memo
}

// memo holds what all plan times of one natural day share.
type memo struct {
	from, to int64 // the natural day D, in Unix seconds; empty at first
	window   Window
	up, down []time.Time
	paired   []time.Time // up, or for a previous cycle its times moved to D
	next     int         // rank in down that is likely asked for next
}

// SameCycle reports whether the edge ties current cycles together; see Edge.SameCycle.
func (b *Binder) SameCycle() bool { return b.edge.SameCycle() }

// Bind gives what the downstream plan time t waits for, and why. t must be a
// plan time of the downstream job. It allocates nothing where the set is one
// contiguous range and the edge is not a pairing with a previous cycle.
func (b *Binder) Bind(t time.Time) Binding {
	r := &b.rule
	switch r.shape {
	case shapeHour:
		h := b.clock.hour(t)
		return b.look(Window{From: h.Add(-r.lo), To: h.Add(-r.hi)})
	case shapeRolling:
		return b.look(Window{From: b.local(t.Add(-r.lo)), To: b.local(t.Add(-r.hi)), Closed: Right})
	case shapeRollingDays:
		return b.look(Window{From: b.clock.add(t, Offset{Days: -r.n}), To: b.local(t), Closed: Right})
	case shapeNearestBack:
		return b.look(Window{From: b.local(t.Add(-r.lo)), To: b.local(t), Closed: Right})
	case shapeNearestDay:
		_, from, _ := b.clock.day(t.Unix())
		return b.look(Window{From: b.clock.at(from), To: b.local(t), Closed: Both})
	case shapeExplicit:
		w := b.edge.Window
		return b.look(Window{From: b.clock.add(t, w.From), To: b.clock.add(t, w.To), Closed: w.Closed})
	case shapeSelf:
		return b.self(t)
	}
	b.remember(t)
	if r.shape == shapePair {
		set, why := b.memo.pair(t)
		return b.finish(b.memo.window, set, why)
	}
	return b.finish(b.memo.window, b.memo.up, r.reason)
}

// local gives t in the zone that windows are written in.
func (b *Binder) local(t time.Time) time.Time { return t.In(b.clock.loc) }

// look asks the upstream for a window.
func (b *Binder) look(w Window) Binding {
	return b.finish(w, between(b.up.Occurrences, w), b.rule.reason)
}

// between asks a schedule for a window with any ends.
func between(occurrences Occurrences, w Window) []time.Time {
	from, to := w.halfOpen()
	if !from.Before(to) {
		return nil
	}
	return occurrences(from, to)
}

// self finds the n-th own plan time before t (dependencies.md §7), asking for
// ever longer windows until it has enough of them.
func (b *Binder) self(t time.Time) Binding {
	for span := b.selfSpan(); ; span *= 2 {
		w := Window{From: b.local(t.Add(-min(span, selfLimit))), To: b.local(t)}
		times := between(b.up.Occurrences, w)
		if n := len(times) - b.rule.n; n >= 0 {
			w.From = b.local(times[n])
			return b.finish(w, times[n:n+1:n+1], b.rule.reason)
		}
		if span >= selfLimit {
			return b.finish(w, nil, b.rule.reason)
		}
	}
}

// selfLimit is how far back a self edge looks: a 29 February, thirty times back.
const selfLimit = 130 * 366 * day

// selfSpan is the first window a self edge asks for, wide enough for most
// schedules: a weekend off for those within a day, and for weekdays only.
func (b *Binder) selfSpan() time.Duration {
	n, p := time.Duration(b.rule.n), b.down.Period
	switch p.Class {
	case Minute, Hour, Discrete:
		return n*p.every() + 3*day
	case Day:
		return 2*n*p.every() + 4*day
	}
	return (n + 1) * p.every()
}

// finish cuts the set by hours, takes the selected part, and names the reason.
func (b *Binder) finish(w Window, set []time.Time, why Reason) Binding {
	out := Binding{Reason: why, Window: w, Times: set[:len(set):len(set)], Select: b.sel}
	if b.hours != 0 {
		b.cut(&out, set)
	}
	switch b.sel.Kind {
	case SelectFirst:
		out.first()
	case SelectLast:
		out.last()
	}
	if out.Empty() {
		return Binding{Reason: NoneInWindow, Window: w, Select: Select{Kind: SelectAll}}
	}
	if len(out.Times) == 1 && (b.sel.Kind != SelectCount || b.sel.N == 1) {
		out.Select = Select{Kind: SelectAll}
	}
	return out
}

// cut keeps the times at the edge's hours: as Times if they are neighbours, else
// as Ranges.
func (b *Binder) cut(out *Binding, set []time.Time) {
	out.Times = nil
	for i := 0; i < len(set); {
		j := i
		for j < len(set) && b.keeps(set[j]) {
			j++
		}
		if j > i {
			if out.Times == nil && out.Ranges == nil {
				out.Times = set[i:j:j]
			} else {
				if out.Ranges == nil {
					out.Ranges, out.Times = append(out.Ranges, out.Times), nil
				}
				out.Ranges = append(out.Ranges, set[i:j:j])
			}
		}
		i = j + 1
	}
}

func (b *Binder) keeps(t time.Time) bool {
	hour := mod(b.clock.local(t.Unix()), secondsPerDay) / 3600
	return b.hours>>hour&1 == 1
}

// first reduces the set to its earliest time.
func (b *Binding) first() {
	if len(b.Ranges) > 0 {
		b.Times, b.Ranges = b.Ranges[0], nil
	}
	if len(b.Times) > 0 {
		b.Times = b.Times[:1:1]
	}
}

// last reduces the set to its latest time.
func (b *Binding) last() {
	if len(b.Ranges) > 0 {
		b.Times, b.Ranges = b.Ranges[len(b.Ranges)-1], nil
	}
	if n := len(b.Times); n > 0 {
		b.Times = b.Times[n-1:]
	}
}
