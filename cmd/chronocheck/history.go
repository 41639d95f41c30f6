package main

import (
	"maps"
	"slices"
)

// arrows is which events an instance can take in which states, and where they lead (`architecture.md`, States).
var arrows = map[string]struct {
	from []string
	to   string
}{
	"start":   {[]string{"waiting"}, "running"},
	"succeed": {[]string{"running"}, "succeeded"},
	"fail":    {[]string{"running", "lost"}, "failed"},
	"lose":    {[]string{"running"}, "lost"},
	"cancel":  {[]string{"waiting", "running", "lost"}, "cancelled"},
	"skip":    {[]string{"waiting", "failed", "cancelled"}, "skipped"},
	"force":   {[]string{"waiting", "lost", "failed", "cancelled"}, "forced"},
	"rerun":   {[]string{"lost", "succeeded", "forced", "failed", "skipped", "cancelled"}, "waiting"},
}

// checkHistories is the part of C3 that looks back: each instance's events lead, arrow by arrow, to the state of its row, ends are left by persons
// only, and each attempt has one outcome.
func (c *checker) checkHistories() {
	for _, i := range c.instances {
		c.checkHistory(i)
		c.checkOutcomes(i)
	}
	for _, o := range c.orphans {
		c.report.checked(c3)
		c.report.violateAt(c3, nil, 0, "attempt row %d is of instance %d, which has no row", o.attempt, o.instance)
	}
	for _, id := range slices.Sorted(maps.Keys(c.ghosts)) {
		events := c.ghosts[id]
		if c.pruned {
			c.report.notChecked(c3, 1, "the instance is gone, and retention removes old ones")
			continue
		}
		if !slices.ContainsFunc(events, func(e *event) bool { _, moves := arrows[e.kind]; return moves }) {
			c.report.notChecked(c3, 1, "nothing had become of it, and it was planned away")
			continue
		}
		c.report.checked(c3)
		c.report.violateAt(c3, c.jobs[events[0].job], 0, "instance %d has a history of %d events, and no row", id, len(events))
	}
}

func (c *checker) checkHistory(i *instance) {
	c.report.checked(c3)
	state, known := "waiting", !c.pruned
	for _, e := range i.events {
		arrow, moves := arrows[e.kind]
		if !moves {
			continue
		}
		if !known {
			state, known = e.from, true // what was before has been removed with the old history
		}
		switch {
		case e.from != state:
			c.report.violate(c3, i, "event %d (%s) left the state %s, and the instance was %s", e.id, e.kind, e.from, state)
		case !slices.Contains(arrow.from, e.from) || e.to != arrow.to:
			c.report.violate(c3, i, "event %d (%s) led from %s to %s, which no rule allows", e.id, e.kind, e.from, e.to)
		case isEnded(e.from) && e.actor == "" && e.reason.Actor == "":
			c.report.violate(c3, i, "event %d (%s) changed the outcome %s, and no person did it", e.id, e.kind, e.from)
		}
		state = e.to
	}
	if known && state != i.state {
		c.report.violate(c3, i, "its history ends %s, and its row is %s", state, i.state)
	}
}

// checkOutcomes looks for attempts without an outcome, and for one attempt recorded twice.
func (c *checker) checkOutcomes(i *instance) {
	type identity struct {
		step    string
		isError bool
		outbox  int64
		number  int64
	}
	seen := map[identity]*attempt{}
	for _, a := range i.attempts {
		c.report.checked(c3)
		id := identity{a.step, a.isError, a.outbox, a.number}
		if first := seen[id]; first != nil {
			c.report.violate(c3, i, "attempt %d of step %q is recorded twice, as %d and as %d", a.number, a.step, first.id, a.id)
		}
		seen[id] = a
		if a.outcome != "" && !a.ended.Valid {
			c.report.violate(c3, i, "attempt %d (row %d) is %s and has no end", a.number, a.id, a.outcome)
		}
		if a.outcome == "" && !a.isError && i.state != "running" {
			c.report.violate(c3, i, "it is %s, and its attempt %d (row %d) has no outcome", i.state, a.number, a.id)
		}
	}
}

// settledUp reports whether the server has been up and whole for longer than epsilon at the end.
func (c *checker) settledUp() bool {
	return c.nemesis == nil || !c.nemesis.isDown && c.nemesis.well+c.epsilon < c.now
}

// checkProgress is the part of C3 that looks at what is open: something must stand in its way.
func (c *checker) checkProgress() {
	up := c.settledUp()
	attempting := 0
	for _, a := range c.attempts {
		if a.outcome == "" {
			attempting++
		}
	}
	running := map[*job]int{}
	for _, i := range c.instances {
		if i.state == "running" {
			running[i.job]++
		}
	}
	if up {
		c.checkRings()
	}
	for _, i := range c.instances {
		if isEnded(i.state) {
			continue
		}
		if !up {
			c.report.notChecked(c3, 1, "open, and the server was down or had just come up at the end")
			continue
		}
		c.report.checked(c3)
		if why := c.standsStill(i, running[i.job], attempting); why != "" {
			c.report.violate(c3, i, "%s", why)
		}
	}
}

// standsStill says what is wrong with an open instance; "" when something rightly keeps it.
func (c *checker) standsStill(i *instance, running, attempting int) string {
	settled := c.now - c.epsilon
	d := i.version.def
	if d == nil {
		return ""
	}
	if d.deadline > 0 && i.plan+d.deadline.Milliseconds() < settled {
		return "its deadline was " + stamp(i.plan+d.deadline.Milliseconds(), i.zone()) + ", and it is " + i.state
	}
	switch i.state {
	case "waiting":
		return c.standsWaiting(i, running, attempting, settled)
	case "running":
		return standsRunning(i, c.now, settled)
	}
	return "" // lost: a person decides
}

func (c *checker) standsWaiting(i *instance, running, attempting int, settled int64) string {
	since := max(i.notBefore, i.version.created)
	for _, e := range i.events {
		since = max(since, e.at)
	}
	if i.kind == "backfill" {
		switch stage := c.backfills[i.key]; {
		case stage == "ended" || stage == "cancelled":
			return "it waits in the backfill " + i.key + ", which is " + stage
		case i.gate == "time" || i.gate == "slot":
			return "" // for its turn in its lane
		}
	}
	switch i.gate {
	case "time":
		if since < settled {
			return "its time has come " + stamp(i.notBefore, i.zone()) + ", and nobody has looked at it"
		}
	case "dependency":
		open, opened := c.dependenciesOpen(i)
		if open && max(since, opened) < settled {
			return "everything that it waits for has ended well, and it still waits for it"
		}
	case "concurrency":
		last := since
		for _, other := range c.byJob[i.job] {
			last = max(last, other.ended.Int64)
		}
		if running < i.version.def.concurrency && last < settled {
			return "it waits for its turn, and fewer of its job run than may"
		}
	case "slot":
		last := since
		for _, a := range c.attempts {
			last = max(last, a.ended.Int64)
		}
		if attempting == 0 && last < settled && i.reason.Code != "disk" {
			return "it waits for a slot, and nothing runs"
		}
	}
	return ""
}

func standsRunning(i *instance, now, settled int64) string {
	last := i.started.Int64
	for _, a := range i.attempts {
		last = max(last, a.started, a.ended.Int64)
		if a.outcome != "" || a.isError {
			continue
		}
		step := i.version.def.stepOf(a.step)
		if step == nil {
			return ""
		}
		timeout, err := parseLength(step.Timeout, 0)
		if err == nil && timeout > 0 && a.started+timeout.Milliseconds()+30*secondMS < settled {
			return "an attempt runs since " + stamp(a.started, i.zone()) + ", and its timeout is " + timeout.String()
		}
		return "" // it lives
	}
	for _, s := range i.steps {
		if s.state == "waiting" && s.notBefore.Valid && s.notBefore.Int64 >= settled {
			return "" // a retry that is not due yet
		}
		if s.state == "waiting" && s.notBefore.Valid {
			last = max(last, s.notBefore.Int64)
		}
		def := i.version.def.stepOf(s.step)
		if s.state == "running" && def != nil && (def.Type == "wait" || def.Type == "job") {
			return "" // it looks again when its time comes, or waits for an instance: neither is an attempt
		}
		if s.state == "failed" && def != nil && def.OnFailure == "pause" {
			return "" // paused: a person decides
		}
	}
	for _, e := range i.events {
		last = max(last, e.at)
	}
	if last < settled {
		return "it runs, nothing of it lives since " + stamp(last, i.zone()) + ", and nothing keeps it"
	}
	return ""
}
