package main

import (
	"slices"
	"sort"
)

// live lists when attempts were alive by the record, those of one server alone, or of one pool; "" is all.
func (c *checker) live(owner, pool string) (list []span) {
	for _, a := range c.attempts {
		if owner != "" && a.owner != owner || pool != "" && (a.pool != pool || a.isError) || c.slotless(a) {
			continue
		}
		list = append(list, span{a.started, c.endOf(a)})
	}
	return list
}

// endOf is when an attempt had ended by the record.
func (c *checker) endOf(a *attempt) int64 {
	if a.outcome == "" {
		return max(a.started, c.now)
	}
	return max(a.started, a.ended.Int64)
}

// checkLag is C7: between the moment at which nothing stood in the way of an instance and its start lies at most epsilon, while the server was up.
func (c *checker) checkLag() {
	if c.nemesis != nil && c.nemesis.clock {
		c.report.notChecked(c7, len(c.instances), "the server's clock was moved")
		return
	}
	slots := c.slots
	if slots == 0 {
		_, slots = crowded(c.live("", ""), 1)
	}
	var blocked []span
	for _, owner := range c.owners() {
		full, _ := crowded(c.live(owner, ""), max(1, slots))
		blocked = append(blocked, full...)
	}
	if c.nemesis != nil {
		blocked = append(blocked, c.nemesis.down...)
	}
	blocked = join(append(blocked, c.noRoom...))
	for _, i := range c.instances {
		c.checkLagOf(i, blocked)
	}
}

// owners lists the servers that carried attempts; one without a name where the rows do not tell.
func (c *checker) owners() (list []string) {
	for _, a := range c.attempts {
		if !slices.Contains(list, a.owner) {
			list = append(list, a.owner)
		}
	}
	if c.slots == 0 || len(list) == 0 {
		return []string{""} // the most at once was counted over all of them
	}
	return list
}

func (c *checker) checkLagOf(i *instance, blocked []span) {
	first := slices.IndexFunc(i.events, func(e *event) bool { return e.kind == "start" })
	switch {
	case first < 0:
		return // it has not run: C3 and C8 look at it
	case i.kind == "backfill":
		c.report.notChecked(c7, 1, "backfill: what its lane let start, and when")
		return
	case i.version.def == nil:
		c.report.notChecked(c7, 1, i.version.err.Error())
		return
	case c.pruned && i.events[0].kind != "start" && i.events[0].kind != "trigger":
		c.report.notChecked(c7, 1, "the history that tells is gone")
		return
	}
	start := i.events[first].at
	free := max(i.notBefore, i.version.created)
	for _, e := range i.events[:first] {
		free = max(free, e.at)
	}
	for _, group := range waitGroups(i.waits) {
		w, list := &group[0], c.upstreams(group)
		if times := timesOf(group); int64(len(list)) < times && c.mayLack(w) {
			c.report.notChecked(c7, 1, takenAway)
			return
		}
		for _, u := range list {
			free = max(free, satisfiedAt(u, w, start))
			state, known := c.stateBefore(u, i.events[first].id)
			if w.timeout > 0 && w.onFailed == "run" && (!isEnded(state) || !known || u.ended.Int64 > start) {
				free = max(free, max(i.plan, i.notBefore, group[len(group)-1].last.Int64)+w.timeout)
			}
		}
		free = max(free, c.waived(i, w, start))
	}
	if slices.ContainsFunc(c.jumps, func(e *event) bool { return free <= e.at && e.at <= start+c.epsilon }) {
		c.report.notChecked(c7, 1, "the server's clock jumped")
		return
	}
	c.report.checked(c7)
	// A start by the record that no child followed is no start.
	for _, a := range i.attempts {
		if w := c.witnessOf(a); w != nil && len(w.begins) > 0 && a.number == 1 && !a.isError && i.events[first].at == a.started {
			start = max(start, w.begins[0].at/1e6)
			break
		}
	}
	if start-free <= c.epsilon {
		return
	}
	near := sort.Search(len(blocked), func(n int) bool { return blocked[n].to > free })
	around := append(c.jobFull(i, free, start), i.job.disabledSpans()...)
	around = append(around, i.job.paused...)
	for ; near < len(blocked) && blocked[near].from < start; near++ {
		around = append(around, blocked[near])
	}
	if i.pool != "" {
		around = append(around, c.poolFull(i.pool)...)
	}
	if idle := longestFree(join(around), free, start); idle > c.epsilon {
		c.report.violate(c7, i, "it started %.3f s after nothing stood in its way any more (%s), and for %.3f s on end the server was up and had room",
			float64(start-free)/1000, stamp(free, i.zone()), float64(idle)/1000)
	}
}

// satisfiedAt is when an upstream instance let those with a wait go on for the last time before a moment.
func satisfiedAt(u *instance, w *wait, before int64) (at int64) {
	for _, e := range u.events {
		if (isEnded(e.to) || e.kind == "freeze" && w.onFailed == "run") && e.at <= before {
			at = max(at, e.at)
		}
	}
	return at
}

// poolFull is when a pool had no room, by the smallest size that a version states.
func (c *checker) poolFull(pool string) []span {
	if c.full == nil {
		c.full = map[string][]span{}
	}
	full, known := c.full[pool]
	if !known {
		size := 0
		for _, v := range c.versions {
			if v.def != nil && v.def.pool == pool && (size == 0 || v.def.slots < size) {
				size = v.def.slots
			}
		}
		full, _ = crowded(c.live("", pool), max(1, size))
		c.full[pool] = full
	}
	return full
}

// jobFull is when as many instances of the job ran as may, by the versions that were in force between two moments: the limit is that of the current one.
func (c *checker) jobFull(i *instance, from, to int64) []span {
	var runs []span
	for _, other := range c.byJob[i.job] {
		if other != i {
			runs = append(runs, c.running(other)...)
		}
	}
	limit := i.version.def.concurrency
	for _, e := range i.job.eras(from, to) {
		if e.version.def != nil {
			limit = min(limit, e.version.def.concurrency)
		}
	}
	full, _ := crowded(runs, limit)
	return full
}

// running is when an instance was running, by its history.
func (c *checker) running(i *instance) (list []span) {
	since, on := int64(0), i.started.Valid && !slices.ContainsFunc(i.events, func(e *event) bool { return e.kind == "start" })
	if on {
		since = i.started.Int64 // its history has been removed meanwhile, and it has not ended for as long
	}
	for _, e := range i.events {
		switch _, moves := arrows[e.kind]; {
		case !moves:
		case e.to == "running" && !on:
			since, on = e.at, true
		case e.to != "running" && on:
			list, on = append(list, span{since, e.at}), false
		}
	}
	if on && i.state == "running" {
		list = append(list, span{since, max(since+1, c.now)})
	}
	return list
}
