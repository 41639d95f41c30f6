package main

import (
	"fmt"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/web"
)

func (a *app) jobsCommand() *cobra.Command {
	var workflow string
	var removed bool
	c := &cobra.Command{
		Use:   "jobs [WORDS]",
		Short: "list the jobs, and when each is due",
		Long: `List the loaded jobs by workflow and name, each with its next plan time, on the clock of its zone, and with when it is due in words. With WORDS
only those in whose workflow/job they stand. Without a running server it reads the data directory.`,
		Example: `  almanac jobs
  almanac jobs orders
  almanac jobs --workflow retail -o json`,
		Args: atMostOne("WORDS"),
	}
	exits(c, exitFailed, exitNotPermitted, exitUnusable)
	lists(c)
	n := a.addConnection(c)
	c.Flags().StringVar(&workflow, "workflow", "", "only of this workflow")
	c.Flags().BoolVar(&removed, "removed", false, "those too whose definition is gone")
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		client, done, err := a.connectOrOpen(c.Context(), n)
		if err != nil {
			return err
		}
		defer done()
		query := url.Values{"due": {"true"}, "removed": {fmt.Sprint(removed)}, "limit": {"500"}}
		if workflow != "" {
			query.Set("workflow", workflow)
		}
		if len(args) > 0 {
			query.Set("q", args[0])
		}
		all := web.JobPage{Items: []web.ListedJob{}}
		for more := true; more; {
			var page web.JobPage
			if err := client.get(c.Context(), "jobs", query, &page); err != nil {
				return err
			}
			all.Items, more = append(all.Items, page.Items...), page.Next != ""
			query.Set("cursor", page.Next)
		}
		if output.value == "json" {
			return writeJSON(a.stdout, all)
		}
		return a.printJobs(all.Items)
	}
	return c
}

func (a *app) printJobs(list []web.ListedJob) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(a.stderr, "there is no such job")
		return err
	}
	rows := make([][]string, len(list))
	for n, j := range list {
		state, next := "", ""
		switch {
		case j.Removed:
			state = "removed"
		case j.Disabled:
			state = "disabled"
		case j.Paused != nil:
			state = "paused"
		}
		if !j.Due.IsZero() {
			next = a.view.clock(j.Due)
		}
		rows[n] = []string{j.Workflow + "/" + j.Job.Job, state, next, j.Recurrence}
	}
	return a.view.table(a.stdout, []string{"job", "", "next", "due"}, rows, nil)
}
