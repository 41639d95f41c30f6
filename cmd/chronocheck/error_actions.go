package main

import "slices"

// checkErrorActions is C11: each failure for good is told, at least once, and no more often than the error action's retries allow.
func (c *checker) checkErrorActions() {
	up := c.settledUp()
	for _, i := range c.instances {
		if i.version.def == nil {
			if len(i.outbox) > 0 || i.state == "failed" {
				c.report.notChecked(c11, 1, i.version.err.Error())
			}
			continue
		}
		failures := 0
		for _, e := range i.events {
			if e.kind == "fail" {
				failures++
			}
		}
		if i.state == "failed" {
			failures = max(failures, 1)
		}
		told := 0
		for _, o := range i.outbox {
			if o.kind == "errorAction" {
				told++
				c.checkDelivery(i, o, up)
			}
		}
		if failures == 0 && told == 0 {
			continue
		}
		action := i.version.def.errorAction
		c.report.checked(c11)
		if (action != nil && told < failures || action == nil && told > 0) && slices.ContainsFunc(c.otherWriters(i), func(v *version) bool {
			return (v.def.errorAction != nil) == (action == nil)
		}) {
			continue // it failed by a version that says otherwise
		}
		switch {
		case action == nil && told > 0:
			c.report.violate(c11, i, "its job has no errorAction, and %d are recorded", told)
		case action != nil && told < failures && !c.pruned:
			c.report.violate(c11, i, "it failed %d times for good, and %d error actions are recorded", failures, told)
		case action != nil && told > failures && !c.pruned:
			c.report.violate(c11, i, "it failed %d times for good, and %d error actions are recorded", failures, told)
		}
	}
}

// checkDelivery looks at one error action that is to be delivered.
func (c *checker) checkDelivery(i *instance, o *outboxRow, up bool) {
	action := i.version.def.errorAction
	if action == nil {
		return
	}
	c.report.checked(c11)
	ended, good, lost, live := 0, 0, 0, 0
	for _, a := range o.deliveries {
		switch a.outcome {
		case "":
			live++
			continue
		case "succeeded":
			good++
		case "lost":
			lost++
		}
		ended++
	}
	allowed := 1 + action.retries() + lost
	switch {
	case ended+live > allowed:
		c.report.violate(c11, i, "its error action was tried %d times, of which %d were lost; its retries allow %d", ended+live, lost, allowed)
	case o.state == "delivered" && good == 0:
		c.report.violate(c11, i, "its error action is recorded as delivered, and no attempt of it succeeded")
	case o.state == "delivered" && good > 1:
		c.report.violate(c11, i, "its error action was delivered %d times", good)
	case o.state == "failed" && ended == 0:
		c.report.violate(c11, i, "its error action was given up without an attempt")
	case o.state == "failed" && good == 0 && ended-lost < 1+action.retries() && action.RetryPolicy == nil:
		c.report.violate(c11, i, "its error action was given up after %d attempts, of which %d were lost", ended, lost)
	case o.state == "pending" && live == 0 && up && max(o.notBefore, c.lastDelivery(o)) < c.now-c.epsilon && c.room():
		c.report.violate(c11, i, "its error action waits since %s, and nobody delivers it", stamp(max(o.notBefore, c.lastDelivery(o)), i.zone()))
	}
	if c.witness == nil {
		return
	}
	// An outcome "delivered" is only true when the action has said so itself, if it says anything at all.
	for _, a := range o.deliveries {
		if w := c.witnessOf(a); a.outcome == "succeeded" && w != nil && len(w.ends) == 0 {
			c.report.violate(c11, i, "delivery %d of its error action is recorded as succeeded, and has no witness of an end", a.number)
		}
	}
}

func (c *checker) lastDelivery(o *outboxRow) (last int64) {
	for _, a := range o.deliveries {
		last = max(last, a.ended.Int64)
	}
	return last
}

// room reports whether a slot was free at the end, as far as that is known.
func (c *checker) room() bool {
	live := 0
	for _, a := range c.attempts {
		if a.outcome == "" {
			live++
		}
	}
	return live == 0 || c.slots > live
}
