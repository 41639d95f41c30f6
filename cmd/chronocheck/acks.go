package main

import (
	"slices"
	"strings"
)

// checkAcks is C10: what the API has acknowledged is in the rows.
func (c *checker) checkAcks() {
	if !c.hasAcks {
		c.report.notChecked(c10, 1, "no acknowledgement log")
		return
	}
	for n := range c.acks {
		a := &c.acks[n]
		i := c.byID[a.Instance]
		switch a.Command {
		case "trigger", "cancel", "confirm":
			if a.Instance == 0 {
				c.report.notChecked(c10, 1, "an acknowledgement without an instance")
				continue
			}
			if i == nil && (c.pruned || len(c.ghosts[a.Instance]) > 0 && c.pruned) {
				c.report.notChecked(c10, 1, "retention may have removed the instance")
				continue
			}
			c.report.checked(c10)
			if i == nil {
				c.report.violateAt(c10, c.byName[a.Job], 0, "%s of instance %d was acknowledged, and there is no such instance", a.Command, a.Instance)
				continue
			}
			if why := ackMissing(a, i); why != "" {
				c.report.violate(c10, i, "%s was acknowledged, and %s", a.Command, why)
			}
		case "load":
			c.checkLoadAck(a)
		case "backfill":
			c.report.checked(c10)
			if c.backfills[a.Key] == "" {
				c.report.violateAt(c10, c.byName[a.Job], 0, "the backfill %s was acknowledged, and there is no such backfill", a.Key)
			}
		default:
			c.report.notChecked(c10, 1, "an acknowledged command that is not known here: "+a.Command)
		}
	}
}

// ackMissing says what of an acknowledged command does not show.
func ackMissing(a *ack, i *instance) string {
	has := func(kinds ...string) bool {
		return slices.ContainsFunc(i.events, func(e *event) bool { return slices.Contains(kinds, e.kind) })
	}
	switch a.Command {
	case "trigger":
		switch {
		case i.kind != "manual":
			return "the instance is " + i.kind
		case a.Job != "" && a.Job != i.job.String():
			return "the instance is of another job than " + a.Job
		case a.Key != "" && a.Key != i.key:
			return "its key is " + i.key + ", not " + a.Key
		}
	case "cancel":
		// A running instance whose processes end first keeps that outcome; the request still shows.
		if i.state != "cancelled" && i.cancel == "" && !has("cancel-request", "cancel") {
			return "it is " + i.state + " without a trace of it"
		}
	case "confirm":
		if i.confirmed == "" && !has("confirm") {
			return "nobody has confirmed it"
		}
	}
	return ""
}

func (c *checker) checkLoadAck(a *ack) {
	name, _, _ := strings.Cut(a.Job, "@")
	if name == "" {
		c.report.notChecked(c10, 1, "an acknowledged load that names no job")
		return
	}
	c.report.checked(c10)
	j := c.byName[name]
	switch {
	case j == nil && !a.Removed:
		c.report.violateAt(c10, nil, 0, "%s: its load was acknowledged, and there is no such job", name)
	case j == nil:
	case a.Removed && !j.removed && !c.loadedAfter(j, a.At):
		c.report.violateAt(c10, j, 0, "its removal was acknowledged, and it is still there")
	case !a.Removed && len(j.versions) == 0:
		c.report.violateAt(c10, j, 0, "its load was acknowledged, and it has no version")
	}
}

// loadedAfter reports whether some load after a moment may have brought the job back.
func (c *checker) loadedAfter(j *job, ns int64) bool {
	return slices.ContainsFunc(c.loads, func(e *event) bool { return e.at > ns/1e6 })
}
