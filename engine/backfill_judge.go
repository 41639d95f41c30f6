package engine

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// better reports whether a record says more of its plan time than another: that it is satisfied, or
// may yet be; of two that are, what ended last, and otherwise the scheduled one.
func better(a, b *Record) bool {
	rank := func(r *Record) int {
		switch {
		case r.State.Satisfies():
			return 0
		case !r.State.Ended():
			return 1
		}
		return 2
	}
	if x, y := rank(a), rank(b); x != y {
		return x < y
	}
	if a.State.Satisfies() {
		return a.EndedAt.After(b.EndedAt)
	}
	return a.Key == "" && b.Key != ""
}

// tells reports whether a record tells rather than another how their plan time stands: the one that
// goes on, else the one that ended last, since a backfill repeats what was scheduled, and either
// may be run again. What was cancelled did nothing, and tells only where nothing else does.
func tells(a, b *Record) bool {
	rank := func(r *Record) int {
		switch {
		case !r.State.Ended():
			return 0
		case r.State != Cancelled:
			return 1
		}
		return 2
	}
	if x, y := rank(a), rank(b); x != y {
		return x < y
	}
	return a.EndedAt.After(b.EndedAt)
}

// judge decides which instances are in.
func (d *draft) judge() error {
	for _, p := range d.parts {
		edges, err := d.edges(p, keptTimes)
		if err != nil {
			return err
		}
		for span, i := range p.each {
			i.s.marks[i.n] = d.verdict(edges, span, i)
		}
		d.note(edges)
	}
	// One that is out may be what another would wait for.
	order := d.upstreamFirst()
	var changed map[*draftPart]bool // in the round before; nil: there was none
	for {
		again := map[*draftPart]bool{}
		for _, p := range order {
			edges, err := d.edges(p, keptTimes)
			if err != nil {
				return err
			}
			if changed != nil && !slices.ContainsFunc(edges, func(e *draftEdge) bool {
				return changed[e.up] || again[e.up]
			}) {
				continue
			}
			for span, i := range p.each {
				if mark := i.mark(); mark.in() && d.unmet(edges, span, i) {
					i.s.marks[i.n] = mark.be(whyUpstream, false)
					again[p] = true
				}
			}
			d.note(edges)
		}
		if len(again) == 0 {
			return nil
		}
		changed = again
	}
}

// note notes what bindings have looked at.
func (d *draft) note(edges []*draftEdge) {
	for _, e := range edges {
		for _, w := range e.looked {
			if !w.from.IsZero() {
				d.span(e.up.row.ID, w.from, w.to)
			}
		}
	}
}

// verdict is what is to be said of an instance by itself.
func (d *draft) verdict(edges []*draftEdge, span int, i spot) mark {
	want, at, old := d.scope.wanted, i.at(), i.mark()&markOld
	told := i.s.toldAt(i.n)
	state := d.outcomes[told].State
	switch {
	case at.After(d.at):
		return old.be(whyNotDue, false)
	case i.part.timetable.DryRun(at):
		return old.be(whyOffCalendar, false)
	case told == 0:
		return old.be(whyMissing, want["missing"] || want["all"])
	case state.Satisfies():
		if (want["stale"] || want["all"]) && d.stale(edges, span, i) != "" {
			return old.be(whyStale, true)
		}
		return old.be(whySatisfied, want["all"])
	case !state.Ended():
		return old.be(whyOpen, false)
	}
	return old.be(whyFailed, want["failed"] || want["all"])
}

// upstreamFirst lists the jobs of the backfill that wait for any, each behind those that it waits
// for where they do not wait for each other: one look at each is then enough for most.
func (d *draft) upstreamFirst() (order []*draftPart) {
	seen := map[*draftPart]bool{}
	var visit func(p *draftPart)
	visit = func(p *draftPart) {
		if p == nil || seen[p] { // of a job outside of the backfill, it matters not what that waits for
			return
		}
		seen[p] = true
		for n := range p.job.DependsOn {
			visit(d.tracks[p.job.DependsOn[n].Job])
		}
		if p.total > 0 && len(p.job.DependsOn) > 0 {
			order = append(order, p)
		}
	}
	for _, p := range d.parts {
		visit(p)
	}
	return order
}

// stale says why a satisfied instance should run again; "" when it need not.
func (d *draft) stale(edges []*draftEdge, span int, i spot) (why string) {
	if i.mark().old() {
		return "it was made by an older version of the definition"
	}
	for _, e := range edges {
		if e.up == i.part {
			continue // it would make a whole chain stale for ever
		}
		d.bind(e, span, i, func() {}, func(u upstreamTime) {
			if why == "" && u.seen != 0 && u.ended > i.s.ended[i.n] {
				why = fmt.Sprintf("it ended before %s@%s did", e.up.row.Ref, PlanTimeText(u.at))
			}
		})
		if why != "" {
			return why
		}
	}
	return ""
}

// bond finds out how an instance is bound to an upstream plan time (`dependencies.md` §9).
func (d *draft) bond(i time.Time, e *draftEdge, u *upstreamTime) bond {
	switch {
	case d.scope.options.Descending && !sameDay(u.at.In(i.Location()), i):
		return bondOtherDay
	case u.mark.in():
		return bondHere
	case u.mark.why() == whyOffCalendar:
		return bondDry
	case u.seen != 0:
		return bondRecorded
	case u.at.After(d.at):
		return bondComing
	case d.scope.options.IgnoreMissing || e.plan.Ended:
		return bondIgnored
	}
	return bondMissing
}

func sameDay(a, b time.Time) bool {
	y, m, day := a.Date()
	y2, m2, day2 := b.Date()
	return y == y2 && m == m2 && day == day2
}

// lacking counts what a dependency of an instance chooses from, and what of that is missing.
func (d *draft) lacking(e *draftEdge, span int, i spot) (all, missing int, first time.Time) {
	at := i.at()
	d.bind(e, span, i, func() {}, func(u upstreamTime) {
		all++
		if d.bond(at, e, &u) == bondMissing {
			if missing++; missing == 1 {
				first = u.at
			}
		}
	})
	if missing > 0 && all-missing >= needed(e.plan.Bindings[0].Select.String(), all) {
		missing = 0
	}
	return all, missing, first
}

// unmet reports whether a dependency of an instance could never be satisfied.
func (d *draft) unmet(edges []*draftEdge, span int, i spot) bool {
	return slices.ContainsFunc(edges, func(e *draftEdge) bool {
		_, missing, _ := d.lacking(e, span, i)
		return missing > 0
	})
}

// unmetText names an upstream plan time without which a dependency could never be satisfied.
func (d *draft) unmetText(edges []*draftEdge, i spot) string {
	for _, e := range edges {
		_, missing, first := d.lacking(e, -1, i)
		if missing == 0 {
			continue
		}
		text := fmt.Sprintf("nothing is recorded of %s@%s", e.up.row.Ref, PlanTimeText(first))
		if missing > 1 {
			text += fmt.Sprintf(" and %d more", missing-1)
		}
		s, n := e.up.find(first.UnixMilli())
		switch {
		case !slices.Contains(d.parts, e.up):
			text += "; backfill it too (--upstream)"
		case s != nil && s.marks[n].due():
			text += ", which is out itself; see why it is"
		default:
			text += ", a day that this backfill does not have; take that in (--from)"
		}
		return text + ", or count it as satisfied (--ignore-missing)"
	}
	return ""
}

// text is what is said of an instance beside the word.
func (d *draft) text(edges []*draftEdge, i spot) string {
	switch i.mark().why() {
	case whyOpen, whyFailed:
		return fmt.Sprintf("instance %d is %s", i.s.ids[i.n], d.outcomes[i.s.toldAt(i.n)].State)
	case whyStale:
		return d.stale(edges, -1, i)
	case whyUpstream:
		return d.unmetText(edges, i)
	}
	return ""
}

// needed is how many of a set must be satisfied.
func needed(selects string, all int) int {
	switch selects {
	case "all":
		return all
	case "any":
		return 1
	}
	n, err := strconv.Atoi(selects)
	if err != nil {
		return all
	}
	return n
}
