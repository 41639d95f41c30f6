package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/web"
)

func (a *app) clockCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "clock",
		Short: "vouch for the server's clock when it is not believed",
		Long: `A server does not believe a clock that jumps ahead by more than --clock-limit of almanac serve, because by a wrong clock months of due times would be
cancelled as missed. It plans and starts nothing until the clock is set back, a time server vouches for it, or a person does. almanac status says whether
the clock is believed.`,
		Example: `  almanac status
  almanac clock confirm --note "the machine was off since Friday"`,
	}
	exits(c)
	c.AddCommand(a.clockConfirmCommand())
	return c
}

func (a *app) clockConfirmCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "confirm",
		Short: "say that the server's clock is right",
		Long: `Say that the clock of the server's machine is right although it has jumped ahead. The server goes by it from then on, and what became due meanwhile is
judged by each job's misfire policy. Look at the clock first: date -u. The history names who has confirmed it.`,
		Example: `  almanac clock confirm --note "the machine was off since Friday"`,
		Args:    exactly(),
	}
	exits(c, exitFailed, exitNotPermitted)
	n := a.addConnection(c)
	output := addOutput(c)
	note := c.Flags().String("note", "", "why; written to the history")
	c.RunE = func(c *cobra.Command, _ []string) error {
		client, err := a.connect(c.Context(), n)
		if err != nil {
			return err
		}
		var confirmed web.ClockConfirmed
		if err := client.post(c.Context(), path("clock", "confirm"), nil, web.NoteRequest{Note: *note}, &confirmed); err != nil {
			return err
		}
		if output.value == "json" {
			return writeJSON(a.stdout, confirmed)
		}
		_, err = fmt.Fprintf(a.stdout, "the server goes by the clock of its machine: %s\n", a.view.clock(confirmed.Now))
		return err
	}
	return c
}
