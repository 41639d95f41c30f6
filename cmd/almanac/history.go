package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
	api "github.com/almanac-sched/almanac/web/client"
)

func (a *app) historyCommand() *cobra.Command {
	var from, to string
	c := &cobra.Command{
		Use:   "history JOB",
		Short: "show what became of a job day by day, and what is to come",
		Long: `List the natural days of a job, given as workflow/job or by its own name where no other job has it, in its own zone: its instances by state with the one that matters most, how long those took that succeeded in one go, when
the first started and the last ended, and on days to come how often it is due. What retention has removed is not there any more. Without a running server it
reads the data directory.`,
		Example: `  almanac history retail/orders
  almanac history retail/orders --from 2026-01-01 --to 2026-12-31 -o json`,
		Args: exactly("JOB"),
	}
	exits(c, exitFailed, exitNotFound, exitNotPermitted, exitUnusable)
	n := a.addConnection(c)
	c.ValidArgsFunction = a.completeJobs(n)
	c.Flags().StringVar(&from, "from", "", "the first day, such as 2026-10-01 or yesterday (default 27 days ago)")
	c.Flags().StringVar(&to, "to", "", "the last day, which is included (default a week from now); at most 400 days")
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		params := api.JobDaysParams{From: from}
		if from != "" {
			first, err := dateOf("--from", from, now(), time.Local)
			if err != nil {
				return err
			}
			params.From = first.String()
		}
		if to != "" {
			last, err := dateOf("--to", to, now(), time.Local)
			if err != nil {
				return err
			}
			params.To = last.AddDays(1).String()
		}
		client, done, err := a.connectOrOpen(c.Context(), n)
		if err != nil {
			return err
		}
		defer done()
		ref, err := client.job(c.Context(), args[0])
		if err != nil {
			return err
		}
		var days web.JobDays
		for more := true; more; more = params.From != "" {
			var part web.JobDays
			if err := client.do(c.Context(), api.NewJobDaysRequest(ref.Workflow, ref.Job, params), &part); err != nil {
				return err
			}
			part.Days = append(days.Days, part.Days...)
			days, params.From = part, part.Next
		}
		if output.value == "json" {
			return writeJSON(a.stdout, days)
		}
		return a.printDays(&days)
	}
	return c
}

func (a *app) printDays(days *web.JobDays) error {
	terminal := a.terminal(a.stdout)
	var rows [][]string
	for i := range days.Days {
		d := &days.Days[i]
		worst, took := string(d.Worst), ""
		if d.Worst == "" && d.Planned > 0 {
			worst = "to come"
		}
		if d.Timed > 0 {
			took = duration(seconds(d.Median))
		}
		rows = append(rows, []string{d.Date, worst, dayCounts(d), took, a.view.dayClock(d.StartedAt, d.Date), a.view.dayClock(d.EndedAt, d.Date)})
	}
	return a.view.table(a.stdout, []string{"day", "worst", "instances", "median", "first start", "last end"}, rows, map[string]func(string) string{
		"worst": func(word string) string {
			if engine.State(word) == "" || word == "to come" {
				return word
			}
			return stateText(engine.State(word), terminal)
		},
	})
}

// dayCounts are the instances of a day in words.
func dayCounts(d *web.JobDay) string {
	n := &d.Instances
	var parts []string
	for _, c := range []struct {
		n    int
		what string
	}{
		{n.Failed, "failed"}, {n.Lost, "lost"}, {n.Cancelled, "cancelled"}, {n.Running, "running"}, {n.Waiting, "waiting"}, {n.Forced, "forced"},
		{n.Succeeded, "succeeded"}, {n.Skipped, "skipped"}, {d.Planned, "to come"},
	} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	if d.AtLeast {
		parts = append(parts, "and more")
	}
	return strings.Join(parts, ", ")
}

// dayClock is a time of a day; its date too when it is another.
func (v viewer) dayClock(t time.Time, date string) string {
	switch t = v.in(t); {
	case t.IsZero():
		return ""
	case t.Format(time.DateOnly) == date:
		return t.Format("15:04:05 -07:00")
	}
	return v.moment(t)
}
