package main

import "slices"

// checkEffects is C5: how often, and when, things really happened.
func (c *checker) checkEffects() {
	c.checkLost()
	if c.witness == nil {
		c.report.notChecked(c5, len(c.attempts), "no witness file")
		return
	}
	for _, i := range c.instances {
		byStep := map[string][]*attempt{}
		for _, a := range i.attempts {
			w := c.witnessOf(a)
			if w == nil {
				continue
			}
			c.report.checked(c5)
			if a.isError {
				// A delivery's number begins anew with each failure of the instance; the witness does not tell which.
				if len(i.outbox) <= 1 && len(w.begins) > 1 {
					c.report.violate(c5, i, "delivery %d of the error action began %d times under one record", a.number, len(w.begins))
				}
				continue
			}
			if len(w.begins) > 1 {
				c.report.violate(c5, i, "attempt %d of step %q began %d times under one record", a.number, a.step, len(w.begins))
			}
			if len(w.ends) > 1 {
				c.report.violate(c5, i, "attempt %d of step %q ended %d times under one record", a.number, a.step, len(w.ends))
			}
			for _, m := range w.begins {
				if m.fence > a.fence {
					c.report.violate(c5, i, "attempt %d of step %q ran under the fence %d, and was recorded under %d", a.number, a.step, m.fence, a.fence)
				}
			}
			byStep[a.step] = append(byStep[a.step], a)
		}
		for step, list := range byStep {
			c.checkOverlap(i, step, list)
		}
	}
}

// checkOverlap looks for two attempts of one step that ran at once, although the older had not been given up before the newer was started.
func (c *checker) checkOverlap(i *instance, step string, list []*attempt) {
	for n, newer := range list {
		begin := c.witnessOf(newer).begins
		if len(begin) == 0 {
			continue
		}
		for _, older := range list[:n] {
			w := c.witnessOf(older)
			if len(w.begins) == 0 || len(w.ends) == 0 || w.ends[len(w.ends)-1].at <= begin[0].at {
				continue
			}
			if older.outcome == "lost" && (older.ended.Int64 <= newer.started || c.clockMoved()) {
				continue // given up: nobody could know that it lived
			}
			c.report.violate(c5, i, "attempts %d and %d of step %q ran at once, and the older was not given up: it is %s", older.number, newer.number, step,
				or(older.outcome, "still recorded as running"))
		}
	}
}

// checkLost holds jobs that say onLost: hold to it: after an attempt whose outcome is not known only a person starts another.
func (c *checker) checkLost() {
	for _, i := range c.instances {
		if i.version.def == nil || i.version.def.onLost != "hold" {
			continue
		}
		for n, lost := range i.attempts {
			if lost.outcome != "lost" || lost.isError {
				continue
			}
			c.report.checked(c5)
			for _, next := range i.attempts[n+1:] {
				if next.step != lost.step || next.isError {
					continue
				}
				asked := slices.ContainsFunc(i.events, func(e *event) bool {
					return e.kind == "rerun" && lost.ended.Int64 <= e.at && e.at <= next.started
				})
				if !asked {
					c.report.violate(c5, i, "onLost: hold: attempt %d of step %q was lost, and attempt %d was started without a person", lost.number, lost.step, next.number)
				}
				break
			}
		}
	}
}
