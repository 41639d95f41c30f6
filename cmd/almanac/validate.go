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
standard error. Warnings are printed and do not make a folder invalid.`,
		Example: `  almanac validate pipelines
  almanac validate pipelines -o json`,
		Args:              exactly("FOLDER"),
		ValidArgsFunction: completeFolders,
	}
	exits(c, exitInvalid)
	output := addOutput(c)
	c.RunE = func(_ *cobra.Command, args []string) error {
		if output.value == "json" {
			return a.validateJSON(args[0])
		}
		f, err := a.inspect(args[0])
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "ok: %s, %s, %s\n", count(len(f.workflows), "workflow"), count(len(f.jobs), "job"), count(len(f.problems), "warning"))
		return nil
	}
	return c
}

func (a *app) validateJSON(path string) error {
	f, problems, err := readFolder(path)
	var invalid *invalidError
	if err != nil && (len(problems) == 0 || !errors.As(err, &invalid)) {
		return err
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
