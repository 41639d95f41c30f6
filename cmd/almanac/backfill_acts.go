package main

import (
	"net/http"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/web"
	api "github.com/almanac-sched/almanac/web/client"
)

// backfillActCommand makes a command that does to a backfill what its name says.
func (a *app) backfillActCommand(what string) *cobra.Command {
	var (
		note    string
		running bool
	)
	about := map[string][2]string{
		"pause":  {"let nothing more of a backfill start", "Let nothing more of a backfill start. What runs goes on. Pausing twice is pausing once."},
		"resume": {"let a paused backfill go on", "Let a paused backfill go on, also one that stopped because an instance of it failed."},
		"cancel": {"cancel what waits of a backfill", "Cancel what waits of a backfill; nothing more of it starts from now on. What runs goes on, unless --running asks it to stop too."},
	}[what]
	c := &cobra.Command{
		Use: what + " BACKFILL", Short: about[0], Long: about[1], Example: "  almanac backfill " + what + ` bf-5f0d2b1c9a77 --note "the source is down"`,
		Args: exactly("BACKFILL"),
	}
	exits(c, exitFailed, exitNotFound, exitNotPermitted)
	n := a.addConnection(c)
	c.ValidArgsFunction = a.completeBackfills(n)
	addNote(c, &note)
	if what == "cancel" {
		c.Flags().BoolVar(&running, "running", false, "what runs of it too")
	}
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		client, err := a.connect(c.Context(), n)
		if err != nil {
			return err
		}
		var body any = web.NoteRequest{Note: note}
		if what == "cancel" {
			body = web.CancelBackfillRequest{Running: running, Note: note}
		}
		var b web.Backfill
		if err := client.post(c.Context(), path("backfills", args[0], what), nil, body, &b); err != nil {
			return err
		}
		return a.printBackfill(&b, output.value)
	}
	return c
}

func (a *app) backfillSetCommand() *cobra.Command {
	var (
		note, share, window string
		priority, parallel  int
	)
	c := &cobra.Command{
		Use:     "set BACKFILL",
		Short:   "change how a backfill goes on",
		Long:    `Change how a backfill that has not ended goes on: its priority, how much of it runs at once, its share of the slots, its window. What is not given stays.`,
		Example: `  almanac backfill set bf-5f0d2b1c9a77 --priority 7 --share 1..4 --window ""`,
		Args:    exactly("BACKFILL"),
	}
	exits(c, exitFailed, exitNotFound, exitNotPermitted)
	n := a.addConnection(c)
	c.ValidArgsFunction = a.completeBackfills(n)
	c.Flags().IntVar(&priority, "priority", 0, "1 (last) to 9 (first)")
	c.Flags().IntVar(&parallel, "parallel", 0, "instances of it that run at once; 0 is as many as the share lets")
	c.Flags().StringVar(&share, "share", "", "MIN..MAX slots of each server; empty is the default")
	c.Flags().StringVar(&window, "window", "", "when its instances may start; empty is always")
	addNote(c, &note)
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		change := web.BackfillChange{Note: note}
		given := c.Flags().Changed
		if given("priority") {
			change.Priority = &priority
		}
		if given("parallel") {
			change.Parallel = &parallel
		}
		if given("share") {
			change.Share = &share
		}
		if given("window") {
			change.Window = &window
		}
		client, err := a.connect(c.Context(), n)
		if err != nil {
			return err
		}
		var b web.Backfill
		if err := client.do(c.Context(), &api.Request{Method: http.MethodPatch, Path: apiPrefix + path("backfills", args[0]), Body: change}, &b); err != nil {
			return err
		}
		return a.printBackfill(&b, output.value)
	}
	return c
}
