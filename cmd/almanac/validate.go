package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine/spec"
)

func (a *app) validateCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "validate FOLDER",
		Short: "report every mistake of every workflow file",
		Long: `Read every .yaml, .yml and .json file below the folder and report all mistakes of all of them at once, each as file:line:col: message, on
standard error: unknown upstreams, paths outside of the folder, and scripts that do not exist or cannot be run are among them. A mistake hides no
other. Warnings do not make a folder invalid. Those of one kind in one file are one line with their count, unless --all is given.

It is a warning, and with --strict an error, that a secret is not set on this machine, or that a command begins with a path below the folder, such as
./load.sh, where no file is that can be run. What a load would start at once is a warning: a job without a startTime, or a one-off whose startTime has
passed. With --alerts the server's file of alerts is read too, and the sinks that jobs name in
notify must stand there.`,
		Example: `  almanac validate pipelines
  almanac validate pipelines --alerts alerts.yaml
  almanac validate pipelines -o json`,
		Args:              exactly("FOLDER"),
		ValidArgsFunction: completeFolders,
	}
	exits(c, exitInvalid)
	alerts := a.addAlerts(c)
	all := c.Flags().Bool("all", false, "print each warning; -o json always has them all")
	strict := c.Flags().Bool("strict", false, "a secret that is not set here, and a command whose file is missing or cannot be run, are errors")
	output := addOutput(c)
	c.RunE = func(_ *cobra.Command, args []string) error {
		if output.value == "json" {
			return a.validateJSON(args[0], *alerts, *strict)
		}
		told, wrong := a.readAlerts(*alerts)
		f, err := a.inspect(args[0], *strict, *all)
		if err := errors.Join(err, wrong); err != nil {
			return err
		}
		if err := a.checkSinks(f, told); err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "ok: %s, %s, %s\n", count(len(f.workflows), "workflow"), count(len(f.jobs), "job"), count(len(f.problems), "warning"))
		return nil
	}
	return c
}

func (a *app) validateJSON(path, alerts string, strict bool) error {
	f, problems, err := a.readFolderHere(path, strict)
	if alerts != "" {
		told, found, wrong := decodeAlerts(alerts)
		if wrong == nil && f != nil {
			found = append(found, unknownSinks(f, told)...)
		}
		if problems = append(problems, found...); err == nil && found.HasErrors() {
			f, wrong = nil, &invalidError{count(countErrors(found), "error") + " in what is told"}
		}
		err = errors.Join(err, wrong)
	}
	var invalid *invalidError
	if err != nil && !errors.As(err, &invalid) {
		return err
	}
	if err != nil && len(problems) == 0 {
		problems = spec.Problems{{File: path, Message: err.Error()}}
	}
	document := struct {
		OK        bool          `json:"ok"`
		Workflows int           `json:"workflows"`
		Jobs      int           `json:"jobs"`
		Problems  spec.Problems `json:"problems"`
	}{OK: err == nil, Problems: problems}
	if document.Problems == nil {
		document.Problems = spec.Problems{} // an empty list, not null
	}
	if f != nil {
		document.Workflows, document.Jobs = len(f.workflows), len(f.jobs)
	}
	if writeErr := writeJSON(a.stdout, document); writeErr != nil {
		return writeErr
	}
	return err
}
