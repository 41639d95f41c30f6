package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

func (a *app) waitCommand() *cobra.Command {
	var limit time.Duration
	c := &cobra.Command{
		Use:   "wait INSTANCE",
		Short: "wait until an instance has ended",
		Long: `Wait until an instance, given by its id or as workflow/job@plan time, has ended, or cannot end without a person (lost). The exit status is 0 when it ended
well: succeeded or forced.`,
		Example: `  almanac wait 4217
  almanac wait retail/orders@2026-10-01T06:00 --timeout 30m && ./report`,
		Args: exactly("INSTANCE"),
	}
	exits(c, exitFailed, exitNotFound, exitNotPermitted)
	n := a.addConnection(c)
	c.ValidArgsFunction = a.completeInstances(n)
	addLength(c, &limit, "timeout", "give up after so long, such as 30m (default never); the exit status is 1 then")
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if limit < 0 {
			return usagef("--timeout is %s; it must not be negative", limit)
		}
		client, err := a.connect(c.Context(), n)
		if err != nil {
			return err
		}
		i, err := client.instance(c.Context(), args[0])
		if err != nil {
			return err
		}
		ctx, cancel := c.Context(), context.CancelFunc(func() {})
		if limit > 0 {
			ctx, cancel = context.WithTimeout(ctx, limit)
		}
		defer cancel()
		seen, err := client.wait(ctx, i.ID)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			if seen.State == "" {
				seen = i
			}
			var unprinted error
			if output.value == "json" {
				unprinted = a.printInstance(&seen, output.value)
			}
			return errors.Join(unprinted, fmt.Errorf("%s is %s after %s: %s", seen.Name, seen.State, limit, printable(seen.Reason.Text)))
		case err != nil:
			return err
		}
		if err := a.printInstance(&seen, output.value); err != nil {
			return err
		}
		if !seen.State.Satisfies() {
			return &failedError{fmt.Sprintf("%s did not end well; `almanac logs %s` shows what it wrote", seen.Name, seen.ID)}
		}
		return nil
	}
	return c
}
