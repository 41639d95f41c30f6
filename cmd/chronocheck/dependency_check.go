package main

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// checkDependencies is C6: nothing starts before what it waits for, and what it waits for is what the rules say.
func (c *checker) checkDependencies() {
	edges := map[edgeKey]*edge{}
	for _, i := range c.instances {
		if i.kind == "scheduled" {
			c.checkSets(i, edges)
		}
		if len(i.waits) == 0 {
			continue
		}
		for _, e := range i.events {
			if e.kind == "start" {
				c.checkStart(i, e)
			}
		}
		c.checkStartByWitness(i)
	}
}

// waitGroups cuts an instance's waits into its dependencies: the pieces of one set stand together.
func waitGroups(waits []wait) (groups [][]wait) {
	for n, w := range waits {
		if n == 0 || w.dependency != waits[n-1].dependency || w.ended != waits[n-1].ended {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], w)
	}
	return groups
}

const takenAway = "upstream instances were taken away by an edit or by retention"

// mayLack reports whether what a wait is for may rightly have no row any more.
func (c *checker) mayLack(w *wait) bool {
	job := c.jobs[w.upstream]
	return job == nil || job.removed || job.disabled || len(job.versions) > 1 || !c.retained(w.first.Int64)
}

// timesOf is how many plan times the pieces of a dependency hold.
func timesOf(group []wait) (times int64) {
	for _, piece := range group {
		times += piece.times
	}
	return times
}

// upstreams lists the recorded instances in the ranges of a dependency.
func (c *checker) upstreams(group []wait) (list []*instance) {
	for _, w := range group {
		if w.times == 0 {
			continue
		}
		of := c.byJob[c.jobs[w.upstream]]
		from := sort.Search(len(of), func(n int) bool { return of[n].plan >= w.first.Int64 })
		for _, u := range of[from:] {
			if u.plan > w.last.Int64 {
				break
			}
			if u.key == w.key {
				list = append(list, u)
			}
		}
	}
	return list
}

// stateBefore is an instance's state as of an event; false when the history that tells is gone.
func (c *checker) stateBefore(i *instance, id int64) (state string, known bool) {
	state, known = "waiting", !c.pruned
	for _, e := range i.events {
		if _, moves := arrows[e.kind]; !moves {
			continue
		}
		if e.id >= id {
			if !known {
				return e.from, true
			}
			return state, true
		}
		state, known = e.to, true
	}
	if !known {
		return i.state, len(i.events) == 0 && i.state != "waiting"
	}
	return state, known
}

// checkStart holds one start against the recorded set: by the order of the history, which no clock can disturb.
func (c *checker) checkStart(i *instance, start *event) {
	if c.hurried(i, start.id) {
		c.report.checked(c6)
		return
	}
	for _, group := range waitGroups(i.waits) {
		w, job := &group[0], c.jobs[group[0].upstream]
		times := timesOf(group)
		if job == nil {
			c.report.notChecked(c6, 1, "the upstream job is gone")
			continue
		}
		if times == 0 {
			c.report.checked(c6)
			if !w.ended && (w.onMissing == "cancel" || w.onMissing == "wait") && !c.emptied(i, w) {
				c.report.violate(c6, i, "it started, its dependency on %s has nothing in its window, and onMissing is %s", job, w.onMissing)
			}
			continue
		}
		if w.timeout > 0 && w.onFailed == "run" && start.at >= max(i.plan, i.notBefore, group[len(group)-1].last.Int64)+w.timeout {
			c.report.checked(c6)
			continue // it may run without
		}
		met, ended, unmet, unknown := 0, 0, []string{}, false
		list := c.upstreams(group)
		for _, u := range list {
			state, known := c.stateBefore(u, start.id)
			unknown = unknown || !known
			frozen := w.onFailed == "run" && u.frozenAt(start.id)
			if satisfies(state) {
				met++
			}
			if isEnded(state) || frozen {
				ended++
			}
			if allowed := satisfies(state) || (w.ended || w.onFailed == "run") && (isEnded(state) || frozen); !allowed {
				unmet = append(unmet, fmt.Sprintf("%s was %s", u, state))
			}
		}
		missing := int64(len(list)) < times
		switch {
		case c.waived(i, w, start.at) > 0:
			c.report.checked(c6)
		case unknown:
			c.report.notChecked(c6, 1, "the history that tells is gone")
		case missing && c.mayLack(w):
			c.report.notChecked(c6, 1, takenAway)
		default:
			c.report.checked(c6)
			enough, want := len(unmet) == 0 && !missing, ""
			if need, some := needed(w.selects); some && !w.ended && !enough {
				enough, want = met >= need, fmt.Sprintf("; %d of %d must have", met, need)
			}
			if !enough && missing && len(unmet) == 0 {
				unmet = append(unmet, fmt.Sprintf("%d of %d instances of %s were not there", times-int64(len(list)), times, job))
			}
			if !enough {
				c.report.violate(c6, i, "it started before what it waits for: %s%s", brief(unmet), want)
			}
		}
	}
}

// needed is how many of a set must be satisfied when that is not all.
func needed(selects string) (n int, some bool) {
	if selects == "any" {
		return 1, true
	}
	n, err := strconv.Atoi(selects)
	return n, err == nil
}

func brief(list []string) string {
	if len(list) > 3 {
		return strings.Join(list[:3], ", ") + fmt.Sprintf(" and %d more", len(list)-3)
	}
	return strings.Join(list, ", ")
}

// checkStartByWitness holds what the instance wrote when it began against what its upstreams wrote when they ended.
func (c *checker) checkStartByWitness(i *instance) {
	if c.witness == nil {
		return
	}
	begin := int64(0)
	for _, w := range c.witness.of[i.id] {
		if w.step != errorStep && len(w.begins) > 0 && (begin == 0 || w.begins[0].at < begin) {
			begin = w.begins[0].at
		}
	}
	first := slices.IndexFunc(i.events, func(e *event) bool { return e.kind == "start" })
	if begin == 0 || first < 0 {
		return
	}
	for _, group := range waitGroups(i.waits) {
		if _, some := needed(group[0].selects); some {
			c.report.notChecked(c6, 1, "which of an any or a count let it start, by the witness")
			continue
		}
		for _, u := range c.upstreams(group) {
			ended := c.witnessedEnd(u)
			// Only where the record says that it had ended well; where it does not, the record is wrong already.
			if state, known := c.stateBefore(u, i.events[first].id); ended == 0 || !known || state != "succeeded" {
				continue
			}
			c.report.checked(c6)
			if ended > begin {
				c.report.violate(c6, i, "it began %.3f s before %s ended, by their witnesses", float64(ended-begin)/1e9, u)
			}
		}
	}
}

// witnessedEnd is when the first good attempts of an instance had ended, by their witnesses; 0 when they wrote none.
func (c *checker) witnessedEnd(u *instance) (end int64) {
	seen := map[string]bool{}
	for _, a := range u.attempts {
		w := c.witnessOf(a)
		if a.isError || a.outcome != "succeeded" || seen[a.step] || w == nil || len(w.ends) == 0 {
			continue
		}
		seen[a.step] = true
		end = max(end, w.ends[0].at)
	}
	return end
}

// dependenciesOpen reports whether everything that a waiting instance waits for lets it go on, and since when.
func (c *checker) dependenciesOpen(i *instance) (open bool, since int64) {
	if i.runNow {
		return true, 0
	}
	for _, group := range waitGroups(i.waits) {
		w := &group[0]
		times, met := timesOf(group), 0
		if times == 0 {
			if w.onMissing != "run" && !w.ended && !c.emptied(i, w) {
				return false, 0
			}
			continue
		}
		list := c.upstreams(group)
		all := int64(len(list)) >= times
		for _, u := range list {
			good := satisfies(u.state) || (w.ended || w.onFailed == "run") && isEnded(u.state)
			all = all && good
			if good {
				met++
				since = max(since, u.ended.Int64)
			}
		}
		if need, some := needed(w.selects); some && met >= need {
			all = true
		}
		if job := c.jobs[w.upstream]; !all || job == nil || !job.hasPlan || job.planned <= group[len(group)-1].last.Int64 {
			return false, 0
		}
	}
	return true, since
}
