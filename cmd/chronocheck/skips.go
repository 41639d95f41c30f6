package main

import (
	"fmt"
	"slices"
)

// misfireGrace is how late a due time may be looked at without counting as missed.
const misfireGrace = minuteMS

// checkSkips is C8: whatever was due and was not run has a reason that the job's own policies give.
func (c *checker) checkSkips() {
	for _, i := range c.instances {
		if i.kind != "scheduled" {
			continue
		}
		c.checkDryRun(i)
		if i.state != "cancelled" && i.state != "skipped" || i.fence > 0 {
			continue
		}
		if i.version.def == nil {
			c.report.notChecked(c8, 1, i.version.err.Error())
			continue
		}
		if i.reason.Code == "definition" {
			c.report.notChecked(c8, 1, "whether the definition can be carried out")
			continue
		}
		c.report.checked(c8)
		if why := c.refuseReason(i); why != "" {
			c.report.violate(c8, i, "%s for the reason %q, and %s", i.state, i.reason.Code, why)
		}
	}
}

// checkDryRun holds the mark of a day off against the calendar.
func (c *checker) checkDryRun(i *instance) {
	v := i.version
	if v.when == nil || v.def.calendar == nil && !i.dryRun {
		return
	}
	c.report.checked(c8)
	switch off := v.when.dryRun(i.plan); {
	case off && !i.dryRun:
		c.report.violate(c8, i, "its day is off by the job's calendar, and it is not marked as a dry run")
	case !off && i.dryRun:
		c.report.violate(c8, i, "it is marked as a dry run, and its day is not off by the job's calendar")
	case i.dryRun && i.fence > 0 && !c.asked(i):
		c.report.violate(c8, i, "it is a dry run, and it was started")
	}
}

// refuseReason says why a reason is not one that the policies give; "" when it is.
func (c *checker) refuseReason(i *instance) string {
	d, at := i.version.def, i.ended.Int64
	late := at - i.notBefore
	if i.state == "skipped" {
		switch {
		case i.reason.Code == "off-calendar" && i.dryRun, i.reason.Code == "person" && byPerson(i):
			return ""
		}
		return "neither a day off nor a person skipped it"
	}
	switch i.reason.Code {
	case "misfire":
		switch {
		case late <= misfireGrace:
			return fmt.Sprintf("it was %d ms late", late)
		case late > d.misfireWindow.Milliseconds(), d.misfire == "skip":
			return ""
		case d.misfire == "runLatest" && c.laterDue(i, at):
			return ""
		}
		return fmt.Sprintf("misfire is %s, the window %s, and it was %d ms late", d.misfire, d.misfireWindow, late)
	case "overlap":
		switch {
		case d.overlap == "skip" && c.otherRan(i, at), d.overlap == "skipToLatest" && c.laterDue(i, at):
			return ""
		case d.overlap == "skip" && c.pruned:
			return "" // what ran may be gone
		case d.overlap == "skip":
			return "nothing else of its job ran"
		}
		return "overlap is " + d.overlap
	case "upstream-failed":
		return c.refuseWait(i, func(w *wait) bool { return w.onFailed == "cancel" && c.someFailed(w, at) }, "no dependency with onFailed: cancel had failed")
	case "no-upstream":
		return c.refuseWait(i, func(w *wait) bool {
			return w.onMissing == "cancel" && (w.times == 0 || c.isGone(w, at))
		}, "no dependency with onMissing: cancel had nothing in its window")
	case "upstream-gone":
		return c.refuseWait(i, func(w *wait) bool { return c.isGone(w, at) }, "every upstream job is there")
	case "wait-timeout":
		return c.refuseTimeout(i, at)
	case "person":
		if byPerson(i) {
			return ""
		}
		return "no person is named"
	case "disabled":
		if slices.ContainsFunc(i.job.versions, func(v *version) bool { return v.def != nil && v.def.disabled && v.created <= at }) {
			return ""
		}
		return "the job was not disabled"
	case "paused":
		if slices.ContainsFunc(c.pauses, func(e *event) bool { return e.at <= at }) {
			return ""
		}
		return "nobody had paused anything"
	case "removed":
		if i.job.removed || slices.ContainsFunc(c.loads, func(e *event) bool { _, n := loadCounts(e); return n != 0 && e.at == at }) || c.pruned {
			return ""
		}
		return "the job was not removed"
	}
	return "that is no reason for not running something that was due"
}

func byPerson(i *instance) bool {
	return i.reason.Actor != "" || slices.ContainsFunc(i.events, func(e *event) bool { return isEnded(e.to) && e.actor != "" })
}

// laterDue reports whether a later scheduled instance of the job had come due.
func (c *checker) laterDue(i *instance, at int64) bool {
	return slices.ContainsFunc(c.byJob[i.job], func(o *instance) bool { return o.kind == "scheduled" && o.plan > i.plan && o.plan <= at })
}

// otherRan reports whether as many others of the job ran as may.
func (c *checker) otherRan(i *instance, at int64) bool {
	n := 0
	for _, o := range c.byJob[i.job] {
		if o != i && slices.ContainsFunc(c.running(o), func(s span) bool { return s.from <= at && at <= s.to }) {
			n++
		}
	}
	return n >= i.version.def.concurrency
}

func (c *checker) refuseWait(i *instance, good func(*wait) bool, why string) string {
	for n := range i.waits {
		if good(&i.waits[n]) {
			return ""
		}
	}
	return why
}

func (c *checker) someFailed(w *wait, at int64) bool {
	return slices.ContainsFunc(c.upstreams([]wait{*w}), func(u *instance) bool {
		return c.pruned || slices.ContainsFunc(u.events, func(e *event) bool { return (e.to == "failed" || e.to == "cancelled") && e.at <= at })
	})
}

// isGone reports whether the upstream job was removed or disabled at a moment, as far as the rows can tell.
func (c *checker) isGone(w *wait, at int64) bool {
	j := c.jobs[w.upstream]
	if j == nil || j.removed {
		return true
	}
	if v := j.inForce(at); v == nil || v.def == nil || v.def.disabled {
		return true
	}
	gone, perhaps := c.absences(j)
	return within(gone, at) || within(perhaps, at)
}

// refuseTimeout holds a wait-timeout against the timeouts that the job and its dependencies state.
func (c *checker) refuseTimeout(i *instance, at int64) string {
	begins := max(i.plan, i.notBefore)
	last := begins
	for _, w := range i.waits {
		last = max(last, w.last.Int64)
		if w.timeout > 0 && w.onFailed != "run" && max(begins, w.last.Int64)+w.timeout <= at {
			return ""
		}
	}
	if t := i.version.def.waitTimeout.Milliseconds(); t > 0 && last+t <= at {
		return ""
	}
	return "no timeout of the job or of a dependency had passed"
}
