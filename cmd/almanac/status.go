package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/web"
)

func (a *app) statusCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "status",
		Short: "say whether the server does its work, and what of it is not as it should be",
		Long: `Show each thing without which a server does not do its work, as GET /api/v1/status has it, and what is open. Exit status 1 says that the server does
not do its work. Without a running server it reads the data directory.`,
		Example: `  almanac status
  almanac status -o json`,
		Args: exactly(),
	}
	exits(c, exitFailed, exitNotPermitted, exitUnusable)
	n := a.addConnection(c)
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		client, done, err := a.connectOrOpen(c.Context(), n)
		if err != nil {
			return err
		}
		defer done()
		var status web.Status
		if err := client.get(c.Context(), "status", nil, &status); err != nil {
			return err
		}
		if output.value == "json" {
			err = writeJSON(a.stdout, status)
		} else {
			err = a.printStatus(&status)
		}
		if err == nil && !status.Ready {
			err = &failedError{"the server does not do its work: " + status.NotReady}
		}
		if err == nil && status.Degraded != "" {
			err = &failedError{"the server does its work, and not all of its folder is loaded: " + status.Degraded}
		}
		return err
	}
	return c
}

func (a *app) printStatus(status *web.Status) error {
	var rows [][]string
	for _, aspect := range status.Aspects {
		verdict := good
		if !aspect.OK {
			verdict = bad
		}
		rows = append(rows, []string{aspect.Aspect, verdict, aspect.Detail})
	}
	if len(rows) > 0 {
		if err := a.view.table(a.stdout, []string{"aspect", "verdict", "found"}, rows, nil); err != nil {
			return err
		}
	}
	i, g := &status.Instances, &status.Gates
	if len(rows) > 0 {
		fmt.Fprintln(a.stdout)
	}
	if err := a.printPaused(status.Paused); err != nil {
		return err
	}
	return a.view.prose(a.stdout, `slots    %d of %d taken
waiting  %d: %d for their time, %d for others, %d for a person, %d frozen, %d for their job's turn, %d for a slot, %d for the disk
running  %d, lost %d`, status.Slots.Used, status.Slots.Total, i.Waiting, g.Time, g.Dependency, g.Confirm, g.Frozen, g.Concurrency, g.Slot, g.Disk, i.Running, i.Lost)
}

// printPaused says what is paused: nothing of it starts, and the counts do not say why.
func (a *app) printPaused(list []web.Pause) error {
	for n := range list {
		if err := a.view.prose(a.stdout, "paused   %s", pauseLine(&list[n], a.view)); err != nil {
			return err
		}
	}
	return nil
}
