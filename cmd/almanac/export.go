package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine/azure"
)

func (a *app) exportCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "export",
		Short: "write definitions as files, or in another scheduler's terms",
		Long:  "Write what is loaded as workflow files, or say the jobs of a folder in the terms of another scheduler.",
		Example: `  almanac export azure pipelines
  almanac export files everything`,
	}
	exits(c)
	c.AddCommand(a.exportAzureCommand(), a.exportFilesCommand())
	return c
}

func (a *app) exportAzureCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "azure FOLDER",
		Short: "print the jobs as Azure Scheduler's JSON",
		Long: `Print the jobs of a folder as the JSON of Azure Scheduler: a list {"value": [...]}, or with --template a resource-group template whose parameters are
the secrets. Standard error says what has no counterpart, with the reason, and which secrets must be set again. A job that has none as a whole is left
out, and the exit status says so.`,
		Example: `  almanac export azure pipelines > jobs.json
  almanac export azure pipelines --template > template.json`,
		Args:              exactly("FOLDER"),
		ValidArgsFunction: completeFolders,
	}
	exits(c, exitFailed, exitInvalid)
	template := c.Flags().Bool("template", false, "print a resource-group template")
	c.RunE = func(_ *cobra.Command, args []string) error {
		f, err := a.load(args[0])
		if err != nil {
			return err
		}
		jobs := azure.ExportAll(f.workflows, now())
		text, err := azure.List(jobs)
		if *template {
			text, err = azure.Template(f.workflows, jobs)
		}
		if err != nil {
			return err
		}
		if _, err := a.stdout.Write(text); err != nil {
			return fmt.Errorf("print the jobs: %w", err)
		}
		return a.reportLosses(jobs)
	}
	return c
}

// reportLosses prints what has no counterpart: what several jobs have in common once.
func (a *app) reportLosses(jobs []azure.ExportedJob) error {
	type group struct {
		line string
		jobs []string
	}
	var groups []*group
	add := func(line, job string) {
		i := slices.IndexFunc(groups, func(g *group) bool { return g.line == line })
		if i < 0 {
			i, groups = len(groups), append(groups, &group{line: line})
		}
		groups[i].jobs = append(groups[i].jobs, job)
	}
	left := 0
	for _, j := range jobs {
		prefix := ""
		if j.Properties == nil {
			left++
			prefix = "left out: "
		}
		for _, l := range j.Losses {
			add(prefix+l.Member+": "+l.Reason, j.Ref.String())
		}
		if j.Properties == nil {
			continue
		}
		for _, s := range j.Secrets {
			add("secret: set "+s.Path+" again", j.Ref.String())
		}
	}
	for _, g := range groups {
		names := strings.Join(g.jobs[:min(len(g.jobs), 3)], ", ")
		if more := len(g.jobs) - 3; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		a.warn("%s: %s", names, printable(g.line))
	}
	if left > 0 {
		return &failedError{fmt.Sprintf("%d of %s left out", left, count(len(jobs), "job"))}
	}
	return nil
}

// importLimit bounds a file that is imported.
const importLimit = 64 << 20

// readAllLimited reads to the end, or to the bound.
func readAllLimited(r io.Reader, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, importLimit+1))
	if err != nil {
		return nil, fmt.Errorf("read a file to import: %w", err)
	}
	if len(data) > importLimit {
		return nil, &invalidError{fmt.Sprintf("the file %s is longer than %d bytes", name, importLimit)}
	}
	return data, nil
}
