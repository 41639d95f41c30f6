package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

// A diffRow is one instance of a diff for people.
type diffRow struct {
	at                  time.Time
	mark, name, text    string
	isMarked, isDropped bool
}

// diffRows lists every instance that something becomes of, what is due first, then by plan time.
func diffRows(d *web.PlanDiff, v viewer) []diffRow {
	var rows, due []diffRow
	name := func(i web.InstanceName) string {
		if i.Key != "" {
			return i.Workflow + "/" + i.Job + " (" + i.Key + ")"
		}
		return i.Workflow + "/" + i.Job
	}
	fates := map[engine.DueFate]string{
		engine.DueRuns:     "due, not started: runs, by the version that it was planned with",
		engine.DueHeld:     "due, not started: held until the job is enabled",
		engine.DueDropped:  "DUE, NOT STARTED: WILL BE CANCELLED",
		engine.DueStranded: "DUE, NOT STARTED: WILL BE CANCELLED, for what it waits for will never come",
	}
	for _, i := range d.Due {
		dropped := i.Fate == engine.DueDropped || i.Fate == engine.DueStranded
		mark := "!"
		if !dropped {
			mark = "="
		}
		due = append(due, diffRow{i.PlanTime, mark, name(i.InstanceName), fates[i.Fate], true, dropped})
	}
	for n := range d.Bound {
		r := &d.Bound[n]
		text := "not started: bound again: " + linkWords(r.Before, &r.InstanceName, v) + " → " +
			linkWords(r.After, &r.InstanceName, v)
		due = append(due, diffRow{r.PlanTime, "~", name(r.InstanceName), text, true, false})
	}
	for _, o := range d.Without {
		due = append(due, diffRow{o.PlanTime, "!", o.Workflow + "/" + o.Job, "the order of " + o.By + " (" + o.Text + ") is kept, without an instance", true, false})
	}
	for _, i := range d.Added {
		text := "added"
		if len(i.Waits) > 0 {
			text = "added; waits for " + linkWords(i.Waits, &i.InstanceName, v)
		}
		rows = append(rows, diffRow{at: i.PlanTime, mark: "+", name: name(i.InstanceName), text: text})
	}
	for _, i := range d.Removed {
		rows = append(rows, diffRow{at: i.PlanTime, mark: "-", name: name(i), text: "removed"})
	}
	for i := range d.Relinked {
		r := &d.Relinked[i]
		text := "re-linked: " + linkWords(r.Before, &r.InstanceName, v) + " → " + linkWords(r.After, &r.InstanceName, v)
		if r.Later {
			text += " (later)"
		}
		rows = append(rows, diffRow{at: r.PlanTime, mark: "~", name: name(r.InstanceName), text: text})
	}
	for _, i := range d.Changed {
		rows = append(rows, diffRow{at: i.PlanTime, mark: "~", name: name(i), text: "does another thing"})
	}
	slices.SortStableFunc(rows, func(a, b diffRow) int { return a.at.Compare(b.at) })
	return append(due, rows...)
}

// linkWords says what an instance waits for: "orders 02:00, 05:00; stores 01:00".
func linkWords(links []web.Link, of *web.InstanceName, v viewer) string {
	if len(links) == 0 {
		return "nothing"
	}
	var words []string
	for i := range links {
		l := &links[i]
		name := l.Job
		switch {
		case l.Workflow != of.Workflow:
			name = l.Workflow + "/" + l.Job
		case l.Job == of.Job:
			name = "itself"
		}
		switch {
		case l.Ended:
			name = "the end of " + name
		case l.Select == "any":
			name = "any of " + name
		case l.Select != "all":
			name = l.Select + " of " + name
		}
		if len(l.PlanTimes) == 0 {
			words = append(words, strings.TrimSuffix(name+" "+l.Rule+", "+missingWords[engine.OnMissing(l.Missing)], ", "))
			continue
		}
		words = append(words, name+" "+v.compactRange(l.PlanTimes, of.PlanTime))
	}
	return strings.Join(words, "; ")
}

// jobWords says what becomes of a definition.
func jobWords(c *web.JobChange) string {
	text := string(c.Change)
	if len(c.Members) > 0 {
		text += ": " + strings.Join(c.Members, ", ")
	}
	if c.AtOnce {
		text += "; RUNS AT ONCE when it is loaded, for it has no startTime"
	}
	return text
}

// summaryWords is the last line: what changes, over which time, and what is lost.
func summaryWords(d *web.PlanDiff, v viewer) string {
	text := fmt.Sprintf("%s in [%s, %s); %s kept", d.Summary.Text, v.clock(d.From), v.clock(d.To), count(d.Summary.Kept, "instance"))
	if d.Summary.Bound > 0 {
		text += fmt.Sprintf("; %s not started and bound again", count(d.Summary.Bound, "instance"))
	}
	if d.Summary.Dropped > 0 {
		text += fmt.Sprintf("; %s due and not started WILL BE CANCELLED", count(d.Summary.Dropped, "instance"))
	}
	return text
}

// noChange is the summary of a diff that has nothing to tell.
const noChange = "no change"

// writeDiffTable prints a diff for people, with at most so many of the instances that nothing is lost with; 0 is all.
func writeDiffTable(w io.Writer, d *web.PlanDiff, v viewer, most int) error {
	if len(d.Jobs) > 0 {
		var rows [][]string
		for i := range d.Jobs {
			rows = append(rows, []string{d.Jobs[i].Workflow + "/" + d.Jobs[i].Job, jobWords(&d.Jobs[i])})
		}
		if err := v.table(w, []string{"job", "definition"}, rows, nil); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	if instances := diffRows(d, v); len(instances) > 0 {
		var rows [][]string
		left := 0
		for n, r := range instances {
			if most > 0 && n >= most && !r.isDropped {
				left++
				continue
			}
			rows = append(rows, []string{r.mark, v.clock(r.at), r.name, r.text})
		}
		if err := v.table(w, []string{"", "plan time", "job", "instance"}, rows, nil); err != nil {
			return err
		}
		if left > 0 {
			fmt.Fprintf(w, "and %d more; -o json has them\n", left)
		}
		fmt.Fprintln(w)
	}
	return v.prose(w, "%s", summaryWords(d, v))
}

// markdownRows bounds a list in a pull request: the rest is counted.
const markdownRows = 100

// writeDiffMarkdown prints the diff for a pull request: the summary to be read, the instances to be unfolded.
func writeDiffMarkdown(w io.Writer, d *web.PlanDiff, v viewer) error {
	var b strings.Builder
	cell := func(s string) string {
		return strings.NewReplacer("\\", "\\\\", "|", "\\|", "\n", " ", "<", "&lt;", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[").Replace(printable(s))
	}
	fmt.Fprintf(&b, "### Plan: %s\n\n%s → %s, %s to %s\n", d.Summary.Text, cell(d.Before.Name), cell(d.After.Name), v.clock(d.From), v.clock(d.To))
	rows := diffRows(d, v)
	if d.Summary.Dropped > 0 {
		fmt.Fprintf(&b, "\n> **Due and not started, and will be cancelled: %d**\n", d.Summary.Dropped)
	}
	if len(d.Jobs) > 0 {
		b.WriteString("\n| job | definition |\n|---|---|\n")
		for i := range d.Jobs {
			fmt.Fprintf(&b, "| %s | %s |\n", cell(d.Jobs[i].Workflow+"/"+d.Jobs[i].Job), cell(jobWords(&d.Jobs[i])))
		}
	}
	if len(rows) > 0 {
		fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n| | plan time | job | instance |\n|---|---|---|---|\n", count(len(rows), "instance"))
		for n, r := range rows {
			if n >= markdownRows && !r.isDropped {
				continue
			}
			text := cell(r.text)
			if r.isDropped {
				text = "**" + text + "**"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.mark, v.clock(r.at), cell(r.name), text)
		}
		if more := len(rows) - markdownRows; more > 0 {
			fmt.Fprintf(&b, "\nand %d more\n", more)
		}
		b.WriteString("\n</details>\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
