package main

import (
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine/action"
)

// superviseCommand is the process that serve and run start to carry out shell actions (package action): it is not for people.
func (a *app) superviseCommand() *cobra.Command {
	c := &cobra.Command{
		Use:    "supervise",
		Short:  "carry out shell attempts for a server (started by serve and run)",
		Hidden: true,
		Args:   exactly(),
	}
	exits(c, exitFailed)
	data := a.addData(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		log := slog.New(slog.NewTextHandler(a.stderr, nil))
		return action.Supervise(c.Context(), *data, build().Version, log)
	}
	return c
}
