package main

import (
	"slices"
	"strings"
	"time"
)

// This file reads from the history what persons did to an instance before it started (`docs/operations.md`): a run at once waits for nothing, a
// detached upstream instance is not waited for, and a rerun may go by another version than the one that the waits were written by.

// hurried reports whether a person had let the instance run without what it waits for, before an event. Who runs it again after that lets it wait again.
func (c *checker) hurried(i *instance, id int64) bool {
	said, again := false, false
	for _, e := range i.events {
		switch {
		case e.id >= id:
			again = again || e.kind == "rerun"
		case e.kind == "run-now":
			said = true
		case e.kind == "rerun":
			said = false
		}
	}
	return said || c.pruned && i.runNow && !again // the event that says so may be gone, and what it has left in the row holds until a rerun
}

// detached lists what the instance does not wait for any more: the job and the second of the plan time, as the history names them.
func (i *instance) detached() (list []detachment) {
	for _, e := range i.events {
		if e.kind != "detach" {
			continue
		}
		name, found := strings.CutPrefix(e.reason.Detail, "does not wait for ")
		name, _, _ = strings.Cut(name, ": ")
		job, at, _ := strings.Cut(name, "@")
		if t, err := time.Parse(time.RFC3339, at); found && err == nil {
			list = append(list, detachment{job, t.Unix()})
		}
	}
	return list
}

type detachment struct {
	job    string
	second int64
}

// cut splits the plan times of a set in those that are waited for and those of which a person has detached the instance.
func (i *instance) cut(of *job, set []int64) (left, away []int64) {
	gone := i.detached()
	for _, t := range set {
		if slices.Contains(gone, detachment{of.String(), floorDiv(t, secondMS)}) {
			away = append(away, t)
		} else {
			left = append(left, t)
		}
	}
	return left, away
}

// emptied reports whether a dependency has nothing left because a person has detached the instance from what it waited for.
func (c *checker) emptied(i *instance, w *wait) bool {
	job := c.jobs[w.upstream]
	if job == nil || w.rule != "detached" {
		return false
	}
	return c.pruned || slices.ContainsFunc(i.detached(), func(d detachment) bool { return d.job == job.String() })
}

// frozenAt reports whether an instance was held by a person at an event.
func (i *instance) frozenAt(id int64) bool {
	frozen, told := false, false
	for _, e := range i.events {
		switch e.kind {
		case "freeze", "unfreeze", "rerun":
			if e.id >= id {
				return frozen || !told && e.kind == "unfreeze"
			}
			frozen, told = e.kind == "freeze", true
		}
	}
	return frozen || !told && i.frozen
}

// mayBeTouched reports whether a person has acted on the instance, and the history that says what he did may be gone.
func (c *checker) mayBeTouched(i *instance) bool { return c.pruned && (i.touched || i.confirmed != "") }

const actedOn = "a person has acted on it, and the history that tells how may be gone"

// asked reports whether a person had the instance run although its day is off.
func (c *checker) asked(i *instance) bool {
	return c.mayBeTouched(i) || slices.ContainsFunc(i.events, func(e *event) bool { return e.kind == "rerun" || e.kind == "run-now" })
}

// waived is when an upstream job was gone or disabled by a moment, for a dependency that says itself that it goes on without: the latest begin, 0 when
// the job was there.
func (c *checker) waived(i *instance, w *wait, at int64) (since int64) {
	d, job := i.version.def, c.jobs[w.upstream]
	if job == nil || d == nil || w.onMissing != "run" || w.dependency >= int64(len(d.dependsOn)) || d.dependsOn[w.dependency].OnMissing != "run" {
		return 0
	}
	gone, perhaps := c.absences(job)
	for _, s := range slices.Concat(job.disabledSpans(), gone, perhaps) {
		if s.from <= at && at < s.to {
			since = max(since, s.from)
		}
	}
	return since
}

// otherWriters lists by which other versions the waits of an instance may have been written: after a rerun by the latest any other of its job.
func (c *checker) otherWriters(i *instance) (list []*version) {
	rerun := slices.ContainsFunc(i.events, func(e *event) bool {
		return e.kind == "rerun" && strings.Contains(e.reason.Detail, ", by the latest version")
	})
	if !rerun && !c.mayBeTouched(i) {
		return nil
	}
	for _, v := range i.job.versions {
		if v != i.version && v.def != nil {
			list = append(list, v)
		}
	}
	return list
}

// disabledSpans is when a job was disabled by its definition: what was due by then is held until it is enabled.
func (j *job) disabledSpans() (list []span) {
	for n, v := range j.versions {
		if v.def == nil || !v.def.disabled {
			continue
		}
		to := forever
		if n+1 < len(j.versions) {
			to = j.versions[n+1].created
		}
		list = append(list, span{v.created, to})
	}
	return list
}
