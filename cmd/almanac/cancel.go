package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/web"
	api "github.com/almanac-sched/almanac/web/client"
)

func (a *app) cancelCommand() *cobra.Command {
	return a.actCommand(&cobra.Command{
		Use:   "cancel INSTANCE",
		Short: "cancel an instance",
		Long: `Cancel an instance, given by its id or as workflow/job@plan time: a waiting one at once, a running one when its processes have ended (TERM, and KILL
after a grace). Cancelling twice is cancelling once.`,
		Example: `  almanac cancel 4217
  almanac cancel retail/orders@2026-10-01T02:00 --note "wrong file"`,
	})
}

// actCommand makes a command that does to one instance what the command's name says, by the API route of that name.
func (a *app) actCommand(c *cobra.Command) *cobra.Command {
	var note string
	c.Args = exactly("INSTANCE")
	exits(c, exitFailed, exitNotFound, exitNotPermitted)
	n := a.addConnection(c)
	c.ValidArgsFunction = a.completeInstances(n)
	c.Flags().StringVar(&note, "note", "", "why; written to the server's audit log")
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		i, err := a.act(c.Context(), n, c.Name(), args[0], note)
		if err != nil {
			return err
		}
		return a.printInstance(&i, output.value)
	}
	return c
}

func (a *app) act(ctx context.Context, n *connection, what, instance, note string) (i web.Instance, err error) {
	client, err := a.connect(ctx, n)
	if err != nil {
		return i, err
	}
	if i, err = client.instance(ctx, instance); err != nil {
		return i, err
	}
	id := i.ID
	i = web.Instance{}
	body := api.NoteRequest{Note: note}
	r := api.CancelInstanceRequest(int64(id), api.CancelInstanceParams{}, body)
	if what == "confirm" {
		r = api.ConfirmInstanceRequest(int64(id), api.ConfirmInstanceParams{}, body)
	}
	return i, client.do(ctx, r, &i)
}
