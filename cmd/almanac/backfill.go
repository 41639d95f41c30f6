package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

func (a *app) backfillCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "backfill",
		Short: "run days that have passed, again or for the first time",
		Long: `Run instances of days that have passed: what is missing, what failed, what is stale, or all. First a plan is made and saved, which lists every instance
of the range, in or out, and why. Applying it runs exactly that, or nothing when the world has changed since.

A backfill runs in a lane of its own beside the day: it takes no more than its share of the slots, gets no less than a part of them when it has work, and
can be held to a window of the night. docs/backfill.md says more.`,
		Example: `  almanac backfill plan retail/orders --from 2026-10-01 --to 2026-10-31 --downstream all -o october.json
  almanac backfill apply october.json --note "the source was repaired"
  almanac backfill show --follow bf-5f0d2b1c9a77`,
	}
	exits(c)
	c.AddCommand(a.backfillPlanCommand(), a.backfillApplyCommand(), a.backfillListCommand(), a.backfillShowCommand(), a.backfillActCommand("pause"),
		a.backfillActCommand("resume"), a.backfillActCommand("cancel"), a.backfillSetCommand())
	return c
}

func (a *app) backfillListCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "ls",
		Aliases: []string{"list"},
		Short:   "list backfills, the newest first",
		Long:    `List backfills, the newest first, with how far each is. Without a running server it reads the data directory.`,
		Example: `  almanac backfill ls`,
		Args:    exactly(),
	}
	exits(c, exitFailed, exitNotPermitted, exitUnusable)
	n := a.addConnection(c)
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		client, done, err := a.connectOrOpen(c.Context(), n)
		if err != nil {
			return err
		}
		defer done()
		var page web.BackfillPage
		if err := client.get(c.Context(), path("backfills"), nil, &page); err != nil {
			return err
		}
		if output.value == "json" {
			return writeJSON(a.stdout, page)
		}
		rows := make([][]string, 0, len(page.Items))
		for i := range page.Items {
			b := &page.Items[i]
			rows = append(rows, []string{b.ID, string(b.State), fmt.Sprintf("%d/%d", b.Done, b.Total), backfillJobs(b, 2), b.Actor, a.view.moment(b.CreatedAt), printable(b.Note)})
		}
		return a.view.table(a.stdout, []string{"id", "state", "done", "jobs", "by", "since", "note"}, rows, nil)
	}
	return c
}

func backfillJobs(b *web.Backfill, most int) string {
	var names []string
	for i, j := range b.Jobs {
		if i == most {
			names = append(names, fmt.Sprintf("%d more", len(b.Jobs)-most))
			break
		}
		names = append(names, j.Workflow+"/"+j.Job)
	}
	return strings.Join(names, ", ")
}

func (a *app) backfillShowCommand() *cobra.Command {
	var follow, days bool
	c := &cobra.Command{
		Use:   "show BACKFILL",
		Short: "show how far a backfill is",
		Long: `Show a backfill: how far it is, why nothing more of it starts, what of it waits for a person and what that person can do, and when it will have ended by how long its jobs took so far. With --follow it goes on until
the backfill has ended; the exit status is 1 when an instance of it did not end well. With --days it is counted day by day, in the zone of each job.`,
		Example: `  almanac backfill show bf-5f0d2b1c9a77 --follow
  almanac backfill show bf-5f0d2b1c9a77 --days`,
		Args: exactly("BACKFILL"),
	}
	exits(c, exitFailed, exitNotFound, exitNotPermitted, exitUnusable)
	n := a.addConnection(c)
	c.ValidArgsFunction = a.completeBackfills(n)
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on until it has ended")
	c.Flags().BoolVar(&days, "days", false, "count its instances by day and state")
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if follow && days {
			return usagef("give --follow or --days, not both")
		}
		client, done, err := a.connectOrOpen(c.Context(), n)
		if err != nil {
			return err
		}
		defer done()
		if days {
			return a.printBackfillDays(c.Context(), client, args[0], output.value)
		}
		var b web.Backfill
		if err := client.get(c.Context(), path("backfills", args[0]), nil, &b); err != nil {
			return err
		}
		if follow && b.EndedAt.IsZero() {
			if b, err = a.followBackfill(c.Context(), client, b, output.value); err != nil {
				return err
			}
		}
		var person []string
		if output.value != "json" {
			person = personWords(c.Context(), client, &b)
		}
		if err := a.printBackfill(&b, output.value, person...); err != nil {
			return err
		}
		if bad := b.Instances.Failed + b.Instances.Cancelled; follow && bad > 0 {
			return &failedError{fmt.Sprintf("%s of %s did not end well", count(bad, "instance"), b.ID)}
		}
		return nil
	}
	return c
}

// completeBackfills completes ids of backfills.
func (a *app) completeBackfills(n *connection) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		client, done, err := a.connectOrOpen(c.Context(), n)
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer done()
		var page web.BackfillPage
		if client.get(c.Context(), path("backfills"), nil, &page) != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var ids []string
		for i := range page.Items {
			ids = append(ids, page.Items[i].ID+"\t"+backfillJobs(&page.Items[i], 2))
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}

// printBackfill prints one backfill, with what else there is to say of it.
func (a *app) printBackfill(b *web.Backfill, form string, more ...string) error {
	if form == "json" {
		return writeJSON(a.stdout, b)
	}
	var w strings.Builder
	if b.State.Real() {
		fmt.Fprintf(&w, "%s  %s  %d of %s done%s\n", b.ID, b.State, b.Done, count(b.Total, "instance"), countWords(&b.Instances))
	} else {
		fmt.Fprintf(&w, "%s  %s  %d of %s written\n", b.ID, b.State, b.Written, count(b.Total, "instance"))
	}
	if b.Reason.Text != "" {
		fmt.Fprintf(&w, "  why: %s\n", printable(b.Reason.Text))
	}
	if b.Holding != "" {
		fmt.Fprintf(&w, "  starts nothing just now: %s\n", printable(b.Holding))
	}
	if b.SecondsLeft != nil && b.EndedAt.IsZero() {
		when := ""
		if b.State == engine.BackfillPaused {
			when = " once it goes on"
		}
		fmt.Fprintf(&w, "  about %s left%s\n", duration(time.Duration(*b.SecondsLeft)*time.Second), when)
	}
	if failed := b.Instances.Failed; failed > 0 && b.Instances.Waiting > 0 {
		fmt.Fprintf(&w, "  %d failed; what waits for one goes on when it is run again: almanac rerun backfill:%s state:failed\n", failed, b.ID)
	}
	for _, line := range more {
		fmt.Fprintf(&w, "  %s\n", printable(line))
	}
	for _, j := range b.Jobs {
		fmt.Fprintf(&w, "  %s/%s: %s\n", j.Workflow, j.Job, count(j.Instances, "instance"))
	}
	fmt.Fprintf(&w, "  %s\n", strings.Join(laneWords(b), ", "))
	return a.view.prose(a.stdout, "%s", strings.TrimSuffix(w.String(), "\n"))
}

// laneWords says how a backfill is carried out.
func laneWords(b *web.Backfill) []string {
	words := []string{"order " + b.Order}
	add := func(is bool, format string, args ...any) {
		if is {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	add(b.Parallel > 0, "at most %d at once", b.Parallel)
	add(b.Share != "", "share %s", b.Share)
	add(b.Priority > 0, "priority %d", b.Priority)
	add(b.Window != "", "window %s", b.Window)
	add(b.ByDay, "by day")
	add(b.StopOnFailure, "stop on failure")
	add(b.IgnoreMissing, "ignore missing")
	add(len(b.Steps) > 0, "steps %s", strings.Join(b.Steps, ","))
	return words
}

func countWords(n *web.InstanceCounts) string {
	var words []string
	for _, c := range []struct {
		n    int
		word string
	}{{n.Waiting, "waiting"}, {n.Running, "running"}, {n.Lost, "lost"}, {n.Succeeded, "succeeded"}, {n.Forced, "forced"}, {n.Failed, "failed"}, {n.Skipped, "skipped"}, {n.Cancelled, "cancelled"}} {
		if c.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", c.n, c.word))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return ": " + strings.Join(words, ", ")
}
