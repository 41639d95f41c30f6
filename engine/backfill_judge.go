package engine

import (
	"cmp"
	"fmt"
	"strconv"
	"time"
)

// better reports whether a record says more of its plan time than another: that it is satisfied, or may yet be; of two that
// are, what ended last, and otherwise the scheduled one.
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

// tells reports whether a record tells rather than another how their plan time stands: the one that goes on, else the one that ended last, since a backfill
// repeats what was scheduled, and either may be run again. What was cancelled did nothing, and tells only where nothing else does.
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

// judge decides which items are in.
func (d *draft) judge() {
	want := d.scope.wanted
	for _, i := range d.order {
		t := i.at()
		i.record = cmp.Or(d.latest[i.part.row.ID][t.UnixMilli()], d.records[i.part.row.ID][t.UnixMilli()])
		state := i.state()
		switch {
		case t.After(d.at):
			i.why = "not-due"
		case i.plan.Timetable.DryRun(t):
			i.why = "off-calendar"
		case i.record == nil:
			i.why, i.in = "missing", want["missing"] || want["all"]
		case state.Satisfies():
			i.why, i.in = "satisfied", want["all"]
			if want["stale"] || want["all"] {
				if i.text = d.stale(i); i.text != "" {
					i.why, i.in = "stale", true
				}
			}
		case !state.Ended():
			i.why, i.text = "open", fmt.Sprintf("instance %d is %s", i.record.ID, state)
		default:
			i.why, i.in, i.text = "failed", want["failed"] || want["all"], fmt.Sprintf("instance %d is %s", i.record.ID, state)
		}
	}
	// One that is out may be what another would wait for.
	for again := true; again; {
		again = false
		for _, i := range d.order {
			if !i.in {
				continue
			}
			if missing := d.unmet(i); missing != "" {
				i.in, i.why, again = false, "upstream-missing", true
				i.text = missing + ", or count it as satisfied (--ignore-missing)"
			}
		}
	}
}

// stale says why a satisfied instance should run again; "" when it need not.
func (d *draft) stale(i *draftItem) string {
	if i.record.Version != i.part.row.Version {
		return "it was made by an older version of the definition"
	}
	for k := range i.plan.Dependencies {
		dep := &i.plan.Dependencies[k]
		up := d.e.defs.lookup(dep.Upstream.Ref())
		if dep.Upstream.Ref() == i.part.row.Ref {
			continue // it would make a whole chain stale for ever
		}
		for _, piece := range pieces(dep, int(i.n)) {
			for _, u := range piece {
				if r, ok := d.records[up.row.ID][u.UnixMilli()]; ok && r.EndedAt.After(i.record.EndedAt) {
					return fmt.Sprintf("it ended before %s@%s did", dep.Upstream.Ref(), PlanTimeText(u))
				}
			}
		}
	}
	return ""
}

// pieces are the plan times of a binding, in the ranges that it is cut in.
func pieces(d *DependencyPlan, n int) [][]time.Time {
	if b := &d.Bindings[n]; b.Ranges != nil {
		return b.Ranges
	} else if len(b.Times) > 0 {
		return [][]time.Time{b.Times}
	}
	return nil
}

// bind finds out how an item is bound to an upstream plan time (`dependencies.md` §9).
func (d *draft) bind(i *draftItem, dep *DependencyPlan, up int64, u time.Time) (bond, string) {
	ref := dep.Upstream.Ref()
	if d.scope.options.Descending && !sameDay(u.In(i.at().Location()), i.at()) {
		return bondOtherDay, ""
	}
	if part := d.parts[ref]; part != nil {
		if other := part.item(u); other != nil {
			switch {
			case other.in:
				return bondHere, ""
			case other.why == "off-calendar":
				return bondDry, ""
			}
		}
	}
	r, ok := d.records[up][u.UnixMilli()]
	switch {
	case ok:
		return bondRecorded, r.Key
	case u.After(d.at):
		return bondComing, ""
	case d.scope.options.IgnoreMissing || dep.Ended:
		return bondIgnored, ""
	}
	return bondMissing, ""
}

func sameDay(a, b time.Time) bool {
	y, m, day := a.Date()
	y2, m2, day2 := b.Date()
	return y == y2 && m == m2 && day == day2
}

// unmet names an upstream plan time without which a dependency could never be satisfied; "" when there is none.
func (d *draft) unmet(i *draftItem) string {
	for k := range i.plan.Dependencies {
		dep := &i.plan.Dependencies[k]
		up := d.upstream(dep)
		all, missing, first := 0, 0, time.Time{}
		for _, piece := range pieces(dep, int(i.n)) {
			for _, u := range piece {
				all++
				if how, _ := d.bind(i, dep, up, u); how == bondMissing {
					if missing++; missing == 1 {
						first = u
					}
				}
			}
		}
		if missing == 0 || all-missing >= needed(dep.Bindings[i.n].Select.String(), all) {
			continue
		}
		text := fmt.Sprintf("nothing is recorded of %s@%s", dep.Upstream.Ref(), PlanTimeText(first))
		if missing > 1 {
			text += fmt.Sprintf(" and %d more", missing-1)
		}
		part := d.parts[dep.Upstream.Ref()]
		if part == nil {
			return text + "; backfill it too (--upstream)"
		}
		if part.item(first) != nil {
			return text + ", which is out itself; see why it is"
		}
		return text + ", a day that this backfill does not have; take that in (--from)"
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
