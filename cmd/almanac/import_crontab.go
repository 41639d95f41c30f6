package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine/crontab"
)

func (a *app) importCrontabCommand() *cobra.Command {
	var to, zone string
	var withUser, force bool
	c := &cobra.Command{
		Use:   "crontab FILE...",
		Short: "make workflow files of crontabs",
		Long: `Write one workflow file for each crontab into the folder of --to, named like the crontab; - is standard input. Variables, CRON_TZ, comments above a line,
@daily and its kind, and what a command reads after a percent sign are kept. Standard error lists, line by line, what changes and what has no counterpart
and is left out; when something is, the exit status says so.

In the form of /etc/crontab each line has a user after the schedule: files below /etc are read like that, and any with --user-column.`,
		Example: `  crontab -l | almanac import crontab - --to pipelines --time-zone Europe/Berlin
  almanac import crontab /etc/crontab /etc/cron.d/shop --to pipelines`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("%s needs FILE", c.CommandPath())
			}
			return nil
		},
	}
	exits(c, exitFailed, exitInvalid)
	c.Flags().StringVar(&to, "to", ".", "folder that the workflow files are written to")
	c.Flags().StringVar(&zone, "time-zone", "", "zone of the machine that the crontab is from, such as Europe/Berlin (default UTC)")
	c.Flags().BoolVar(&withUser, "user-column", false, "each line has a user after the schedule")
	c.Flags().BoolVar(&force, "force", false, "write over files that are there")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if zone != "" {
			if _, err := time.LoadLocation(zone); err != nil {
				return usagef("--time-zone: %v", err)
			}
		}
		var files []outFile
		skipped := 0
		for _, file := range args {
			data, err := a.readInput(file)
			if err != nil {
				return err
			}
			o := crontab.Options{Name: filepath.Base(file), TimeZone: zone, WithUser: withUser || strings.HasPrefix(filepath.Clean(file), "/etc/")}
			if file == "-" {
				o.Name = "crontab"
			}
			made := crontab.Workflow(string(data), o)
			for _, n := range made.Notes {
				a.warn("%s: %s", file, printable(n.String()))
			}
			skipped += made.Skipped
			if made.Text != nil {
				files = append(files, outFile{made.Name + ".yaml", made.Text})
			} else {
				a.warn("%s: there is nothing in it that could be a job", file)
			}
		}
		if err := a.writeFiles(to, files, force); err != nil {
			return err
		}
		if skipped > 0 {
			return &failedError{fmt.Sprintf("%s left out", count(skipped, "line"))}
		}
		return nil
	}
	return c
}

// An outFile is a file to be written.
type outFile struct {
	name string // below the folder
	text []byte
}

// writeFiles writes all files, or none when one of them is there already, and prints their paths.
func (a *app) writeFiles(folder string, files []outFile, force bool) error {
	seen := map[string]bool{}
	for _, f := range files {
		path := filepath.Join(folder, f.name)
		if seen[path] {
			return &invalidError{fmt.Sprintf("two files would be written to %s; nothing was written", path)}
		}
		seen[path] = true
		if _, err := os.Lstat(path); err == nil && !force {
			return fmt.Errorf("%s is there already; nothing was written, --force writes over it", path)
		}
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return fmt.Errorf("make the folder %s: %w", folder, err)
	}
	for _, f := range files {
		path := filepath.Join(folder, f.name)
		if err := os.WriteFile(path, f.text, 0o666); err != nil {
			return fmt.Errorf("write a workflow file: %w", err)
		}
		fmt.Fprintln(a.stdout, path)
	}
	return nil
}
