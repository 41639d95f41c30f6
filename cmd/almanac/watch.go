package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
	api "github.com/almanac-sched/almanac/web/client"
)

func (a *app) watchCommand() *cobra.Command {
	var (
		kinds []string
		after int64
	)
	c := &cobra.Command{
		Use:   "watch [WORKFLOW[/JOB]]",
		Short: "print what happens while it happens",
		Long: `Print each line of the history as it is written: what starts, ends, is triggered or cancelled, and why. It goes on until it is interrupted, over restarts of
the server too: no line is lost, and none is printed twice.

With -o json each line is a JSON object; its id is what --after takes.`,
		Example: `  almanac watch
  almanac watch retail --kind fail
  almanac watch retail/orders --after 0 -o json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("%s does not take %q", c.CommandPath(), args[1])
			}
			return nil
		},
	}
	exits(c, exitFailed, exitNotPermitted)
	n := a.addConnection(c)
	c.ValidArgsFunction = a.completeJobs(n)
	c.Flags().StringArrayVar(&kinds, "kind", nil, "only lines of this kind, such as start, succeed, fail, cancel; may be repeated")
	c.Flags().Int64Var(&after, "after", -1, "begin with the line after this id; 0 is the oldest there is, -1 what comes")
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		params := api.StreamChangesParams{Kinds: kinds}
		if len(args) == 1 {
			workflow, job, named := strings.Cut(args[0], "/")
			if workflow == "" || named && job == "" || strings.ContainsAny(job, "/@") {
				return usagef("%q is no workflow and no job; write workflow or workflow/job", args[0])
			}
			params.Workflow, params.Job = workflow, job
		}
		client, err := a.connect(c.Context(), n)
		if err != nil {
			return err
		}
		ctx, stop := signal.NotifyContext(c.Context(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		err = client.api.FollowChanges(ctx, params, after, func(change api.Change) error {
			if output.value == "json" {
				return writeLine(a.stdout, change)
			}
			return printChange(a.stdout, &change, a.terminal(a.stdout))
		})
		if ctx.Err() != nil {
			return nil // as it was asked to
		}
		return refused("", err)
	}
	return c
}

// writeLine prints a value as JSON in one line.
func writeLine(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// printChange prints one line of the history for people.
func printChange(w io.Writer, c *api.Change, terminal bool) error {
	what := c.Name
	switch {
	case what == "" && c.Job != "":
		what = c.Workflow + "/" + c.Job
	case what == "" && c.Instance != "":
		what = "instance " + c.Instance
	}
	word := fmt.Sprintf("%-9s", c.Kind)
	if terminal && c.To != "" {
		word = stateColors[engine.State(c.To)].Sprint(glyphs[engine.State(c.To)] + " " + word)
	}
	line := fmt.Sprintf("%s  %s  %s  %s", c.At.Local().Format(time.TimeOnly), word, what, printable(c.Reason.Text))
	_, err := fmt.Fprintln(w, strings.TrimRight(line, " "))
	return err
}
