package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// inForce returns the version that decides what is due at t: the latest of those that existed then.
func (j *job) inForce(t int64) *version {
	for n := len(j.versions) - 1; n >= 0; n-- {
		if j.versions[n].created <= t {
			return j.versions[n]
		}
	}
	return nil
}

// eras splits [from, to) where another version comes into force.
func (j *job) eras(from, to int64) (list []era) {
	cuts := []int64{from, to}
	for _, v := range j.versions {
		if from < v.created && v.created < to {
			cuts = append(cuts, v.created)
		}
	}
	slices.Sort(cuts)
	for i := 1; i < len(cuts); i++ {
		if v := j.inForce(cuts[i-1]); v != nil && cuts[i-1] < cuts[i] {
			list = append(list, era{span{cuts[i-1], cuts[i]}, v})
		}
	}
	return list
}

// An era is a stretch of time with one version in force.
type era struct {
	span
	version *version
}

// absences returns when a job was surely gone from the definitions, and when it may have been: what removes a job leaves a line of counts in the
// history, not its name. A load that cancelled an instance of the job because it was removed gives the moment away.
func (c *checker) absences(j *job) (gone, perhaps []span) {
	if list := c.defines[j.id]; len(list) > 0 {
		return c.defined(j, list)
	}
	removals := map[int64]bool{}
	for _, i := range c.byJob[j] {
		for _, e := range i.events {
			if e.kind == "cancel" && e.reason.Code == "removed" {
				removals[e.at] = true
			}
		}
	}
	var removing, adding []*event
	for _, e := range c.loads {
		if e.at <= j.created {
			continue
		}
		added, removed := loadCounts(e)
		if removed != 0 {
			removing = append(removing, e)
		}
		if added != 0 {
			adding = append(adding, e)
		}
	}
	for _, r := range removing {
		back := forever
		for _, a := range adding {
			if a.id > r.id {
				back = a.at
				break
			}
		}
		switch {
		case removals[r.at] && back == forever, j.removed && len(removing) == 1:
			gone = append(gone, span{r.at, forever})
		case removals[r.at]:
			// Another job may have come with that load, so it was gone at least until the first that brought any.
			gone = append(gone, span{r.at, back})
			perhaps = append(perhaps, span{back, lastAdding(adding) + 1})
		case back != forever:
			perhaps = append(perhaps, span{r.at, lastAdding(adding) + 1})
		case j.removed:
			perhaps = append(perhaps, span{r.at, forever})
		}
	}
	if j.removed && len(removing) == 0 {
		perhaps = append(perhaps, span{j.created, forever}) // the load that says so is gone from the history
	}
	return join(gone), join(perhaps)
}

// defined reads from the history of a job's definition when it was gone.
func (c *checker) defined(j *job, list []*event) (gone, perhaps []span) {
	away := int64(-1)
	for _, e := range list {
		switch {
		case e.reason.Detail == "removed":
			away = e.at
		case away >= 0:
			gone = append(gone, span{away, e.at})
			away = -1
		}
	}
	switch {
	case away >= 0:
		gone = append(gone, span{away, forever})
	case j.removed:
		perhaps = append(perhaps, span{j.created, forever}) // the event that says so is gone from the history
	}
	if list[0].reason.Detail == "back" || list[0].reason.Detail == "changed" {
		perhaps = append(perhaps, span{j.created, list[0].at}) // what came before is gone from it
	}
	return join(gone), join(perhaps)
}

// present reports whether the job was surely there at a moment: between the loads around it something of it is recorded.
func (c *checker) present(recorded map[int64]*instance, at int64) bool {
	from, to := int64(0), forever
	for _, e := range c.loads {
		if added, removed := loadCounts(e); added == 0 && removed == 0 {
			continue
		}
		if e.at <= at {
			from = e.at
		} else {
			to = min(to, e.at)
		}
	}
	for plan, i := range recorded {
		if from < plan && plan < to && i.reason.Code != "removed" {
			return true
		}
	}
	return false
}

func lastAdding(adding []*event) int64 { return adding[len(adding)-1].at }

var loadDetail = regexp.MustCompile(`(\d+) added, \d+ changed, (\d+) removed`)

// loadCounts is how many jobs a load added and removed; -1 when it does not say.
func loadCounts(e *event) (added, removed int) {
	m := loadDetail.FindStringSubmatch(e.reason.Detail)
	if m == nil {
		return -1, -1
	}
	added, _ = strconv.Atoi(m[1])
	removed, _ = strconv.Atoi(m[2])
	return added, removed
}

func within(list []span, t int64) bool {
	return slices.ContainsFunc(list, func(s span) bool { return s.from <= t && t < s.to })
}

// checkPlan is C1 and C2: what is due against what is recorded.
func (c *checker) checkPlan() {
	for _, j := range c.order {
		c.checkIdentities(j)
		if len(j.versions) == 0 || !j.hasCreated {
			c.report.notChecked(c1, 1, "a job without a version or a creation time")
			continue
		}
		c.checkJobPlan(j)
	}
}

// checkIdentities looks for two instances of one identity.
func (c *checker) checkIdentities(j *job) {
	type identity struct {
		key  string
		plan int64
	}
	seen := map[identity]*instance{}
	keys := map[string]*instance{}
	for _, i := range c.byJob[j] {
		c.report.checked(c2)
		if first := seen[identity{i.key, i.plan}]; first != nil {
			c.report.violate(c2, i, "%s twice: instance %d has the same job, key and plan time", i.kind, first.id)
		}
		seen[identity{i.key, i.plan}] = i
		if i.kind == "manual" {
			if first := keys[i.key]; first != nil && first.plan != i.plan {
				c.report.violate(c2, i, "the key %s was used before, by instance %d", i.key, first.id)
			}
			keys[i.key] = i
		}
		if i.kind == "backfill" {
			c.report.notChecked(c2, 1, "backfill: whether its plan time was due")
		}
	}
}

func (c *checker) checkJobPlan(j *job) {
	gone, perhaps := c.absences(j)
	recorded := map[int64]*instance{}
	for _, i := range c.byJob[j] {
		if i.kind == "scheduled" {
			recorded[i.plan] = i
		}
	}
	spent := c.spending(j)
	spent.check(c)
	settled := c.now - c.epsilon // what was due before it is recorded, or late
	expected := map[int64]bool{}
	for _, e := range j.eras(j.created, max(j.planned, settled)) {
		if e.version.whenErr != nil {
			c.skipEra(e, recorded)
			continue
		}
		if e.version.def.disabled || e.version.def.manual {
			continue
		}
		late, lateSince := 0, int64(0)
		for _, at := range e.version.when.ever(e.from, e.to) {
			if within(gone, at) {
				continue
			}
			if i := recorded[at]; i != nil {
				c.report.checked(c1)
				expected[at] = true
				c.checkVersion(i, e.version)
				continue
			}
			switch {
			case at < c.rezoned[j.id]:
				c.report.notChecked(c1, 1, "planned with other rules of its time zone")
			case within(perhaps, at) && !c.present(recorded, at):
				c.report.notChecked(c1, 1, "the job may have been removed from the definitions then")
			case !c.retained(at):
				c.report.notChecked(c1, 1, "retention may have removed it")
			case spent.usedUp(e.version.when.count, at):
				c.report.checked(c1)
			case at >= j.planned:
				if late++; late == 1 {
					lateSince = at
				}
				c.report.checked(c1)
			default:
				c.report.checked(c1)
				c.report.violateAt(c1, j, at, "due by version %d, and there is no instance", e.version.id)
			}
		}
		if late > 0 {
			c.report.violateAt(c1, j, lateSince, "%s", overdue(j, late))
		}
	}
	c.checkExtra(j, recorded, expected, gone, perhaps)
}

func overdue(j *job, n int) string {
	written := "it was never planned"
	if j.hasPlan {
		written = "its plan is written up to " + stamp(j.planned, j.location())
	}
	return fmt.Sprintf("%d due times from here on have no instance: %s", n, written)
}

// skipEra counts what is recorded in an era whose schedule is not understood.
func (c *checker) skipEra(e era, recorded map[int64]*instance) {
	why := "schedule: " + e.version.whenErr.Error()
	if errors.Is(e.version.whenErr, errNotUnderstood) {
		why = e.version.whenErr.Error()
	}
	n := 0
	for at := range recorded {
		if e.from <= at && at < e.to {
			n++
		}
	}
	c.report.notChecked(c1, max(1, n), why)
	c.report.notChecked(c2, n, why)
}

// checkVersion holds an instance that is rightly there to the version that was in force.
func (c *checker) checkVersion(i *instance, v *version) {
	if i.version == v || touchedBefore(i, v.created) || i.frozen || slices.ContainsFunc(i.events, func(e *event) bool { return e.kind == "rerun" }) {
		return
	}
	if c.mayBeTouched(i) {
		c.report.notChecked(c2, 1, actedOn)
		return
	}
	c.report.violate(c2, i, "planned with version %d; version %d was in force at its plan time", i.version.id, v.id)
}

// touchedBefore reports whether somebody had done something with the instance before a definition changed, by its history or its row: then it stays as
// it was.
func touchedBefore(i *instance, at int64) bool {
	return i.started.Valid && i.started.Int64 <= at || i.ended.Valid && i.ended.Int64 <= at || slices.ContainsFunc(i.events, func(e *event) bool { return e.at <= at })
}

// checkExtra looks for instances at times at which nothing was due.
func (c *checker) checkExtra(j *job, recorded map[int64]*instance, expected map[int64]bool, gone, perhaps []span) {
	for at, i := range recorded {
		if expected[at] {
			continue
		}
		v := j.inForce(at)
		switch {
		case v != nil && v.whenErr != nil:
			continue // counted with its era
		case i.version.whenErr != nil:
			c.report.notChecked(c2, 1, i.version.whenErr.Error())
		case v == nil:
			c.report.violate(c2, i, "before the job's first version, of %s", stamp(j.versions[0].created, j.location()))
		case at < c.rezoned[j.id]:
			c.report.notChecked(c2, 1, "planned with other rules of its time zone")
		case within(gone, at):
			// What was removed is cancelled when somebody has looked at it, and taken away otherwise.
			if i.state == "waiting" && i.gate == "time" && !i.frozen {
				c.report.violate(c2, i, "the job was removed from the definitions before, and it still waits for its time")
			} else if slices.ContainsFunc(i.events, func(e *event) bool { return e.kind == "start" && within(gone, e.at) }) {
				c.report.violate(c2, i, "the job was removed from the definitions before, and it was started")
			}
		case at >= j.planned && v == i.version && v.when.is(at) && len(i.events) > 0:
			c.report.notChecked(c2, 1, "written down ahead of its day, for what a person ordered")
		case at >= j.planned && v == i.version && v.when.is(at):
			c.report.violate(c2, i, "beyond the end of the plan, %s", stamp(j.planned, j.location()))
		case i.version != v && i.version.job == j && i.version.when.is(at) && (touchedBefore(i, v.created) || i.frozen):
			// Planned by the version before, and touched by somebody before this one came: it stays.
		case i.version != v && i.version.job == j && i.version.when.is(at) && c.mayBeTouched(i):
			c.report.notChecked(c2, 1, actedOn)
		case v.def.disabled:
			c.report.violate(c2, i, "the job was disabled by version %d", v.id)
		case within(perhaps, at) && i.version != v:
			c.report.notChecked(c2, 1, "the job may have been removed from the definitions then")
		default:
			c.report.violate(c2, i, "nothing is due at this time by version %d, in force then", v.id)
		}
	}
}
