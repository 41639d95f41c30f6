package deps

import "time"

// shape is how a rule computes its window.
type shape int8

const (
	shapeDay         shape = iota // [D - n, D - n + 1)
	shapeWeek                     // the calendar week n before T's, Monday first
	shapeMonth                    // the calendar month n before T's
	shapeHour                     // [H - lo, H - hi)
	shapeRolling                  // (T - lo, T - hi]
	shapeRollingDays              // (T - n local days, T]
	shapePair                     // §3 between D and D - n
	shapeNearestDay               // [D, T]
	shapeNearestBack              // (T - lo, T]
	shapeExplicit                 // the edge's own
	shapeSelf                     // the n-th before T
)

// rule is one row of the tables for one pair of jobs.
type rule struct {
	shape  shape
	n      int           // in the shape's own units
	lo, hi time.Duration // likewise
	reason Reason
	last   bool // select last is the default
}

// nearestBack is how far rule nearest looks back over midnight (dependencies.md §4).
const nearestBack = 2 * day

// rule finds the row for a pair: self and window edges first, since they ignore
// the tables, then §6, §4, §5 and §2.
func (e Edge) rule(down, up Period) (rule, error) {
	switch {
	case e.Window != nil:
		return rule{shape: shapeExplicit, reason: ExplicitRange}, nil
	case e.Self:
		return rule{shape: shapeSelf, n: max(e.Previous, 1), reason: SelfPrevious}, nil
	case down.Class == NoClass:
		return rule{}, refuse("window", "the downstream job has no period (one-off, event or manual): it can depend on another only through an explicit window")
	case up.Class == NoClass:
		return rule{}, refuse("window", "the upstream job has no period (one-off, event or manual): it can be depended on only through an explicit window")
	case e.Policy == Traditional:
		return e.traditional(down, up)
	case e.Nearest:
		return nearest(down, up)
	case e.Previous > 0:
		return previous(down, up, e.Previous), nil
	}
	return natural(down, up), nil
}

// natural is dependencies.md §2.
func natural(down, up Period) rule {
	a, b := down.Class, up.Class
	switch {
	case paired(a, b):
		return rule{shape: shapePair, reason: OneToOne}
	case a == Minute && b == Minute:
		return rule{shape: shapeRolling, lo: down.every(), reason: Rolling}
	case a == Hour && b == Minute:
		return rule{shape: shapeRolling, lo: time.Hour, reason: Rolling}
	case a == Hour && b == Hour:
		return rule{shape: shapeHour, lo: 0, hi: -time.Hour, reason: NaturalHour}
	case a == Minute && b == Hour:
		return rule{shape: shapeHour, lo: time.Hour, reason: NaturalHour}
	}
	return rule{shape: shapeDay, reason: NaturalDay}
}

// previous is dependencies.md §5, moved back by n - 1 of the window's own units.
func previous(down, up Period, n int) rule {
	a, b := down.Class, up.Class
	k := time.Duration(n)
	switch {
	case paired(a, b):
		return rule{shape: shapePair, n: n, reason: OneToOne}
	case a == Minute && b == Minute:
		p := max(down.every(), up.every())
		return rule{shape: shapeRolling, lo: (k + 1) * p, hi: k * p, reason: PreviousCycle}
	case a == Minute && b == Hour:
		return rule{shape: shapeHour, lo: k * time.Hour, hi: (k - 1) * time.Hour, reason: PreviousCycle}
	case a == Hour && b == Minute:
		return rule{shape: shapeHour, lo: k * time.Hour, hi: (k - 1) * time.Hour, reason: PreviousCycle, last: true}
	case a == Hour && b == Hour:
		p := wholeHours(max(down.every(), up.every()))
		return rule{shape: shapeHour, lo: k * p, hi: (k - 1) * p, reason: PreviousCycle, last: true}
	case a == Day && (b == Minute || b == Hour):
		return rule{shape: shapeDay, n: n, reason: PreviousCycle, last: true}
	case a == Week && b == Week:
		return rule{shape: shapeWeek, n: n, reason: PreviousCycle}
	case (a == Day || a == Month) && b == Month:
		return rule{shape: shapeMonth, n: n, reason: PreviousCycle}
	}
	return rule{shape: shapeDay, n: n, reason: PreviousCycle}
}

// nearest is dependencies.md §4.
func nearest(down, up Period) (rule, error) {
	a, b := down.Class, up.Class
	switch {
	case a == Day && (b == Minute || b == Hour):
		return rule{shape: shapeNearestDay, reason: Nearest}, nil
	case a == Hour && b == Minute:
		return rule{shape: shapeNearestBack, lo: nearestBack, reason: Nearest}, nil
	}
	return rule{}, refuse("rule", "rule nearest is not for %s job on %s job: it is allowed for a day job on an hour or minute job and for an hour job on a minute job", a.article(), b.article())
}

// traditional is dependencies.md §6. Discrete counts as hour with its smallest gap.
func (e Edge) traditional(down, up Period) (rule, error) {
	if e.Nearest {
		return rule{}, refuse("rule", "rule nearest belongs to the natural policy: write policy: natural on this edge, or leave the rule out")
	}
	if e.Previous > 0 {
		return rule{}, refuse("previous", "the traditional policy already looks one period back: write policy: natural on this edge, or leave the previous cycle out")
	}
	a, b := asHour(down.Class), asHour(up.Class)
	switch {
	case a == Week || a == Year || b == Week || b == Year:
		return rule{}, refuse("policy", "the traditional policy has no rule for %s job on %s job: week and year jobs need policy: natural", down.Class.article(), up.Class.article())
	case a < b:
		return rule{}, refuse("policy", "the traditional policy refuses %s job on %s job: the downstream period must not be finer; use policy: natural", down.Class.article(), up.Class.article())
	case a == Month && b != Day:
		return rule{}, refuse("policy", "the traditional policy refuses a month job on %s job: a month job can depend on day jobs only; use policy: natural", up.Class.article())
	case a <= Hour && down.every() < up.every():
		return rule{}, refuse("policy", "the traditional policy refuses a job every %s on a job every %s: the downstream interval must be at least the upstream's; use policy: natural", brief(down.every()), brief(up.every()))
	}
	switch {
	case a == Month:
		return rule{shape: shapeMonth, n: 1, reason: TraditionalBack}, nil
	case a == Day && b == Day:
		return rule{shape: shapeRollingDays, n: int(max(1, down.every()/day)), reason: TraditionalBack}, nil
	case a == Day:
		return rule{shape: shapeDay, n: 1, reason: TraditionalBack}, nil
	case a == Hour && b == Minute:
		return rule{shape: shapeHour, lo: time.Hour, reason: TraditionalBack}, nil
	}
	return rule{shape: shapeRolling, lo: down.every(), reason: TraditionalBack}, nil
}

// paired reports whether §3 decides: one of the two is discrete and neither is
// coarser than that.
func paired(a, b Class) bool {
	return a <= Discrete && b <= Discrete && (a == Discrete || b == Discrete)
}

func asHour(c Class) Class {
	if c == Discrete {
		return Hour
	}
	return c
}

// wholeHours rounds up to hours, at least one.
func wholeHours(d time.Duration) time.Duration {
	return max(1, (d+time.Hour-1)/time.Hour) * time.Hour
}
