package main

import (
	"context"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/web"
)

func (a *app) exportFilesCommand() *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:   "files TARGET",
		Short: "write everything that is loaded as workflow files",
		Long: `Write every current definition as workflow files into the folder TARGET, one for each workflow, with the calendars that jobs use: whoever made it, a
folder or a client of Azure Scheduler. Loading them gives the same definitions again. Standard error says what a file cannot hold: secrets, which become
environment variables to be set, scripts, which lie elsewhere, and names.

Without a running server it reads the data directory.`,
		Example: `  almanac export files everything
  almanac export files everything --server https://almanac.example.com && almanac validate everything`,
		Args:              exactly("TARGET"),
		ValidArgsFunction: completeFolders,
	}
	exits(c, exitFailed, exitInvalid, exitNotPermitted, exitUnusable)
	n := a.addConnection(c)
	c.Flags().BoolVar(&force, "force", false, "write over files that are there")
	c.RunE = func(c *cobra.Command, args []string) error {
		client, done, err := a.connectOrOpen(c.Context(), n)
		if err != nil {
			return err
		}
		defer done()
		jobs, err := client.definitions(c.Context())
		if err != nil {
			return err
		}
		if len(jobs) == 0 {
			return &failedError{"nothing is loaded"}
		}
		exported, notes, err := spec.ExportFiles(jobs)
		if err != nil {
			return err
		}
		files := make([]outFile, len(exported))
		for i, f := range exported {
			files[i] = outFile{f.Name, f.Text}
		}
		if err := a.writeFiles(args[0], files, force); err != nil {
			return err
		}
		for _, note := range notes {
			a.warn("%s", printable(note))
		}
		return nil
	}
	return c
}

// definitions reads every current definition.
func (c *client) definitions(ctx context.Context) (jobs []spec.StoredJob, err error) {
	query := url.Values{"limit": {"500"}}
	for {
		var page web.DefinitionPage
		if err := c.get(ctx, path("definitions"), query, &page); err != nil {
			return nil, err
		}
		for _, d := range page.Items {
			jobs = append(jobs, spec.StoredJob{Ref: engine.JobRef{Workflow: d.Workflow, Job: d.Job}, Definition: d.Definition, Folder: d.Folder})
		}
		if page.Next == "" {
			return jobs, nil
		}
		query.Set("cursor", page.Next)
	}
}
