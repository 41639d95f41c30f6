package main

import "github.com/spf13/cobra"

func (a *app) confirmCommand() *cobra.Command {
	return a.actCommand(&cobra.Command{
		Use:   "confirm INSTANCE",
		Short: "let an instance pass that waits for a person",
		Long:  `Confirm an instance whose job says confirm: true, given by its id or as workflow/job@plan time. Who confirmed is recorded.`,
		Example: `  almanac confirm 4217
  almanac confirm finance/close@2026-10-31T18:00`,
	})
}
