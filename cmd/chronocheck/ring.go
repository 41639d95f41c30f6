package main

import "slices"

// checkRings is the part of C3 about instances that wait for one another in a ring: they can never start, and each must say so (`reliability.md` F31).
func (c *checker) checkRings() {
	waits := map[*instance][]*instance{}
	for _, i := range c.instances {
		if i.state != "waiting" || i.gate != "dependency" {
			continue
		}
		for _, group := range waitGroups(i.waits) {
			if _, some := needed(group[0].selects); some || group[0].timeout > 0 {
				continue // others of the set may let it go on, or its patience ends
			}
			for _, u := range c.upstreams(group) {
				if u.state == "waiting" && u.gate == "dependency" {
					waits[i] = append(waits[i], u)
				}
			}
		}
	}
	// What waits for nothing in the ring, or is waited for by nothing in it, is not of it.
	for trimmed := true; trimmed; {
		trimmed = false
		wanted := map[*instance]bool{}
		for i, ups := range waits {
			ups = slices.DeleteFunc(ups, func(u *instance) bool { return waits[u] == nil })
			if waits[i] = ups; len(ups) == 0 {
				delete(waits, i)
				trimmed = true
			}
			for _, u := range ups {
				wanted[u] = true
			}
		}
		for i := range waits {
			if !wanted[i] {
				delete(waits, i)
				trimmed = true
			}
		}
	}
	for i := range waits {
		c.report.checked(c3)
		if i.reason.Code != "cycle" && max(i.notBefore, i.version.created) < c.now-c.epsilon {
			c.report.violate(c3, i, "it waits for %s, which waits for it in a ring, and its reason is %q", waits[i][0], i.reason.Code)
		}
	}
}
