package main

import (
	"cmp"
	"maps"
	"slices"
)

// checkLimits is C9: at no moment more at once than allowed, by the order of the history, by the record's times, and by the witnesses.
func (c *checker) checkLimits() {
	c.checkConcurrency()
	if c.witness != nil {
		c.checkWitnessedConcurrency()
	}
	if c.clockMoved() {
		c.report.notChecked(c9, len(c.attempts), "pools and slots: the server's clock was moved")
		return
	}
	pools := c.pools()
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		c.checkAttempts("pool "+name, pools[name], func(a *attempt) bool { return a.pool == name && !a.isError })
	}
	if c.slots > 0 {
		for _, owner := range c.owners() {
			c.checkAttempts("the server's slots", c.slots, func(a *attempt) bool { return a.owner == owner || owner == "" })
		}
	} else {
		c.report.notChecked(c9, 1, "the server's slots: --slots does not say how many")
	}
}

// pools is the size of each pool: the largest that any version states, since an edit may have changed it.
func (c *checker) pools() map[string]int {
	sizes := map[string]int{}
	for _, v := range c.versions {
		if v.def != nil && v.def.pool != "" {
			sizes[v.def.pool] = max(sizes[v.def.pool], v.def.slots)
		}
	}
	return sizes
}

// checkConcurrency replays the starts and ends in the order of the history: it needs no clock.
func (c *checker) checkConcurrency() {
	for _, j := range c.order {
		type turn struct {
			event *event
			of    *instance
		}
		var turns []turn
		running := map[*instance]bool{}
		known := !c.pruned
		for _, i := range c.byJob[j] {
			for _, e := range i.events {
				if _, moves := arrows[e.kind]; moves {
					turns = append(turns, turn{e, i})
				}
			}
			if len(i.events) > 0 && !known && i.events[0].from == "running" {
				running[i] = true
			}
		}
		slices.SortFunc(turns, func(a, b turn) int { return cmp.Compare(a.event.id, b.event.id) })
		for _, t := range turns {
			if t.event.to != "running" {
				delete(running, t.of)
				continue
			}
			running[t.of] = true
			if t.of.version.def == nil {
				continue
			}
			c.report.checked(c9)
			if limit := j.concurrency(t.event.at, t.of.version.def.concurrency); len(running) > limit {
				c.report.violate(c9, t.of, "when it started (event %d) %d instances of its job ran, and concurrency is %d", t.event.id, len(running), limit)
			}
		}
	}
}

// concurrency is how many instances may run at once by the versions that there were at a time, an instance's own among them: the limit is that of the
// current one, and which was current between two loads of one millisecond the record does not tell.
func (j *job) concurrency(at int64, own int) int {
	for _, v := range j.versions {
		if v.created <= at && v.def != nil {
			own = max(own, v.def.concurrency)
		}
	}
	return own
}

// checkAttempts looks for the first moments at which more attempts lived than a limit allows, by the record's times.
func (c *checker) checkAttempts(what string, limit int, counts func(*attempt) bool) {
	type edge struct {
		at    int64
		delta int
		of    *attempt
	}
	var edges []edge
	for _, a := range c.attempts {
		if end := c.endOf(a); counts(a) && !c.slotless(a) && end > a.started {
			edges = append(edges, edge{a.started, 1, a}, edge{end, -1, a})
		}
	}
	slices.SortStableFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.delta, b.delta)) })
	held := 0
	for _, e := range edges {
		held += e.delta
		if e.delta > 0 {
			c.report.checked(c9)
			if held == limit+1 {
				c.report.violate(c9, e.of.instance, "when its attempt %d started at %s, %d attempts lived: %s allows %d", e.of.number, stamp(e.at, e.of.instance.zone()), held, what, limit)
			}
		}
	}
}

// checkWitnessedConcurrency counts the instances of a job whose actions really ran at once. What runs on after its attempt was given up is not
// held against the limit: nobody can count what nobody knows of.
func (c *checker) checkWitnessedConcurrency() {
	type edge struct {
		at    int64 // ns
		delta int
		of    *instance
	}
	for _, j := range c.order {
		var edges []edge
		limit := 0
		for _, v := range j.versions {
			if v.def != nil {
				limit = max(limit, v.def.concurrency)
			}
		}
		for _, i := range c.byJob[j] {
			for _, a := range i.attempts {
				w := c.witnessOf(a)
				if a.isError || w == nil || len(w.begins) == 0 || len(w.ends) == 0 {
					continue
				}
				begin, end := w.begins[0].at, w.ends[len(w.ends)-1].at
				if a.outcome == "lost" {
					end = min(end, a.ended.Int64*1e6)
				}
				if begin < end {
					edges = append(edges, edge{begin, 1, i}, edge{end, -1, i})
				}
			}
		}
		if limit == 0 || len(edges) == 0 {
			continue
		}
		slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.delta, b.delta)) })
		held := map[*instance]int{}
		for _, e := range edges {
			before := len(held)
			if held[e.of] += e.delta; held[e.of] <= 0 {
				delete(held, e.of)
			}
			if e.delta < 0 {
				continue
			}
			c.report.checked(c9)
			if len(held) > limit && len(held) > before {
				c.report.violate(c9, e.of, "when it began, %d instances of its job ran by their witnesses, and concurrency is %d", len(held), limit)
			}
		}
	}
}
