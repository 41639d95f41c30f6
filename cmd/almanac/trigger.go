package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/web"
	api "github.com/almanac-sched/almanac/web/client"
)

func (a *app) triggerCommand() *cobra.Command {
	var (
		params             []string
		planTime, key, why string
		wait               bool
	)
	c := &cobra.Command{
		Use:   "trigger JOB",
		Short: "run a job now",
		Long: `Make a manual instance of a job, which waits for no other: who triggers waives the dependencies. It is recorded when the command ends.
A job is given as workflow/job, or by its own name where no other job has it.

The same --key is the same instance, however often the command is repeated.`,
		Example: `  almanac trigger retail/orders
  almanac trigger retail/orders --param day=2026-10-01 --plan-time 2026-10-01T02:00 --wait
  almanac trigger retail/orders --key deploy-4711`,
		Args: exactly("JOB"),
	}
	exits(c, exitFailed, exitNotFound, exitNotPermitted)
	n := a.addConnection(c)
	c.ValidArgsFunction = a.completeJobs(n)
	c.Flags().StringArrayVar(&params, "param", nil, "a parameter, name=value; may be repeated")
	c.Flags().StringVar(&planTime, "plan-time", "", "the time that the instance stands for: RFC 3339, or local in the job's zone (default now)")
	c.Flags().StringVar(&key, "key", "", "idempotency key: the same key is the same instance")
	addNote(c, &why)
	c.Flags().BoolVar(&wait, "wait", false, "wait for the end; the exit status is 1 when it is not a good one")
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if strings.ContainsAny(args[0], "/@") {
			if _, err := parseRef(args[0]); err != nil {
				return err // before a server is looked for
			}
		}
		request := api.TriggerRequest{Note: why, Params: map[string]any{}}
		for _, p := range params {
			name, value, ok := strings.Cut(p, "=")
			if !ok || name == "" {
				return usagef("--param %q: write name=value", p)
			}
			request.Params[name] = value
		}
		client, err := a.connect(c.Context(), n)
		if err != nil {
			return err
		}
		ref, err := client.job(c.Context(), args[0])
		if err != nil {
			return err
		}
		if planTime != "" {
			at, err := client.planTime(c.Context(), ref, planTime)
			if err != nil {
				return err
			}
			request.PlanTime = at
		}
		var i web.Instance
		if err := client.do(c.Context(), api.NewTriggerJobRequest(ref.Workflow, ref.Job, api.TriggerJobParams{IdempotencyKey: key}, request), &i); err != nil {
			return err
		}
		if wait {
			if i, err = client.wait(c.Context(), i.ID); err != nil {
				return err
			}
		}
		if err := a.printInstance(&i, output.value); err != nil {
			return err
		}
		if wait && !i.State.Satisfies() {
			return &failedError{fmt.Sprintf("%s did not end well; `almanac logs %s` shows what it wrote", i.Name, i.ID)}
		}
		return nil
	}
	return c
}

// printInstance prints one instance: a line, or JSON.
func (a *app) printInstance(i *web.Instance, form string) error {
	if form == "json" {
		return writeJSON(a.stdout, i)
	}
	line := fmt.Sprintf("%s  %s  %s", i.ID, i.Name, stateText(i.State, a.terminal(a.stdout)))
	if took := spent(i); took != "" && !i.EndedAt.IsZero() {
		line += "  " + took
	}
	switch {
	case i.Cancel != nil && !i.State.Ended():
		line += "  being cancelled"
	case i.State.Ended() && !i.State.Satisfies():
		line += "  " + printable(i.Reason.Text)
	}
	_, err := fmt.Fprintln(a.stdout, line)
	return err
}
