package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine/azure"
)

func (a *app) importCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "import",
		Short: "make workflow files of another scheduler's definitions",
		Long:  "Make workflow files of the definitions of another scheduler.",
		Example: `  almanac import azure template.json --to pipelines
  almanac import azure jobs.json --collection retail --to pipelines
  crontab -l | almanac import crontab - --to pipelines`,
	}
	exits(c)
	c.AddCommand(a.importAzureCommand(), a.importCrontabCommand())
	return c
}

// importFlags are the flags of almanac import azure.
type importFlags struct {
	to         string
	collection string
	parameters []string
	force      bool
}

func (a *app) importAzureCommand() *cobra.Command {
	var flags importFlags
	c := &cobra.Command{
		Use:   "azure FILE...",
		Short: "make workflow files of Azure Scheduler's jobs",
		Long: `Write one workflow file for each job collection into the folder of --to. A FILE holds a job, a job's properties, a collection with its jobs, a list
{"value": [...]} of either, or a resource-group template with Microsoft.Scheduler resources, nested or flat; - is standard input.

Secrets are not written: the file refers to environment variables, and standard error lists the names to set. It also lists what changes. Nothing is
written when there is a mistake in any FILE, or when a file is there already; --force writes over it.`,
		Example: `  almanac import azure template.json --to pipelines
  almanac import azure template.json --to pipelines --parameter environment=test
  almanac import azure job.json --collection retail --to pipelines`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("%s needs FILE", c.CommandPath())
			}
			return nil
		},
	}
	exits(c, exitFailed, exitInvalid)
	c.Flags().StringVar(&flags.to, "to", ".", "folder that the workflow files are written to")
	c.Flags().StringVar(&flags.collection, "collection", "azure", "job collection of jobs that do not name theirs")
	c.Flags().StringArrayVar(&flags.parameters, "parameter", nil, "value of a parameter of a template, as NAME=VALUE; may be given several times")
	c.Flags().BoolVar(&flags.force, "force", false, "write over files that are there")
	c.RunE = func(_ *cobra.Command, args []string) error {
		parameters := map[string]string{}
		for _, p := range flags.parameters {
			name, value, ok := strings.Cut(p, "=")
			if !ok || name == "" {
				return usagef("--parameter %s is not NAME=VALUE", p)
			}
			parameters[name] = value
		}
		return a.importAzure(args, parameters, &flags)
	}
	return c
}

func (a *app) importAzure(files []string, parameters map[string]string, flags *importFlags) error {
	bundles, mistakes, err := a.readAzure(files, azure.Source{Collection: flags.collection, Parameters: parameters})
	if err != nil {
		return err
	}
	var made []*azure.Imported
	for _, b := range bundles {
		if mistakes > 0 && len(b.Jobs) == 0 {
			continue // its jobs have been reported
		}
		imported, wrong := b.Workflow(now())
		for _, m := range wrong {
			a.warn("%s: %s", b.Name, printable(m.String()))
		}
		mistakes += len(wrong)
		made = append(made, imported)
	}
	if mistakes > 0 {
		return &invalidError{count(mistakes, "mistake") + "; nothing was written"}
	}
	return a.writeWorkflows(made, flags)
}

// readAzure reads the bundles of all files and prints every mistake. A collection whose jobs are spread over several files is one bundle.
func (a *app) readAzure(files []string, src azure.Source) (bundles []*azure.Bundle, mistakes int, err error) {
	for _, file := range files {
		data, err := a.readInput(file)
		if err != nil {
			return nil, 0, err
		}
		src.Job = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		if file == "-" {
			src.Job = "job"
		}
		found, notes, wrong := azure.ReadSource(data, src)
		for _, m := range wrong {
			a.warn("%s: %s", file, printable(m.String()))
		}
		for _, n := range notes {
			a.warn("%s: %s", file, printable(n))
		}
		mistakes += len(wrong)
		for _, b := range found {
			merged, ok := azure.MergeBundle(bundles, b)
			bundles = merged
			for _, m := range ok {
				a.warn("%s: %s", file, printable(m.String()))
			}
			mistakes += len(ok)
		}
	}
	return bundles, mistakes, nil
}

// writeWorkflows writes all files, or none when one of them is there already.
func (a *app) writeWorkflows(made []*azure.Imported, flags *importFlags) error {
	paths := make([]string, len(made))
	for i, m := range made {
		paths[i] = filepath.Join(flags.to, m.Name+".yaml")
		if _, err := os.Lstat(paths[i]); err == nil && !flags.force {
			return fmt.Errorf("%s is there already; nothing was written, --force writes over it", paths[i])
		}
	}
	if err := os.MkdirAll(flags.to, 0o777); err != nil {
		return fmt.Errorf("make the folder %s: %w", flags.to, err)
	}
	for i, m := range made {
		if err := os.WriteFile(paths[i], m.Text, 0o666); err != nil {
			return fmt.Errorf("write a workflow file: %w", err)
		}
		fmt.Fprintln(a.stdout, paths[i])
	}
	for i, m := range made {
		for _, n := range m.Notes {
			a.warn("%s: %s", paths[i], printable(n))
		}
	}
	a.secretsToSet(made, paths)
	return nil
}

func (a *app) secretsToSet(made []*azure.Imported, paths []string) {
	for i, m := range made {
		if len(m.Secrets) == 0 {
			continue
		}
		a.warn("%s takes these secrets from the environment of the server; set:", paths[i])
		for _, s := range m.Secrets {
			where := "its value is in the file that was imported"
			if !s.Known {
				where = "Azure Scheduler never showed it"
			}
			a.warn("  %s  %s of %s; %s", s.Env, s.Path, s.Job, where)
		}
	}
}

// readInput reads a file, or standard input.
func (a *app) readInput(file string) ([]byte, error) {
	if file == "-" {
		return readAllLimited(a.stdin, file)
	}
	f, err := os.Open(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &invalidError{fmt.Sprintf("the file %s does not exist", file)}
	case err != nil:
		return nil, fmt.Errorf("read a file to import: %w", err)
	}
	defer f.Close()
	return readAllLimited(f, file)
}
