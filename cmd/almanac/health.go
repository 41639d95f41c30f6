package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/web"
)

func (a *app) whoamiCommand() *cobra.Command {
	return a.reading("whoami", "say who the server takes you for, and what you may do",
		`Show the name, the role and the expiry of the token that commands use. Without a running server it is this user, who may do all to the data directory.`,
		"whoami", func() (any, func() error) {
			who := &web.Whoami{}
			return who, func() error {
				until := "never"
				if !who.ExpiresAt.IsZero() {
					until = a.view.clock(who.ExpiresAt)
				}
				return a.view.prose(a.stdout, "%s  %s\nmay      %s\nexpires  %s", printable(who.Name), who.Role, strings.Join(who.Permissions, ", "), until)
			}
		})
}

func (a *app) workersCommand() *cobra.Command {
	c := a.reading("workers", "list the servers on the data, their slots, and what they run",
		`List the servers that work on the same rows, the pools, and the attempts that run. Without a running server it reads the data directory.`,
		"workers", func() (any, func() error) {
			w := &web.Workers{}
			return w, func() error { return a.printWorkers(w) }
		})
	lists(c)
	return c
}

func (a *app) healthCommand() *cobra.Command {
	return a.reading("health", "say how the server is: its loop, its store, its disk, what retention removes",
		`Show how long a turn of the loop takes, what is still to be delivered, how large the rows are and how far back they go, when the last backup was made,
how much disk is free, and what retention removes when. Whether the server does its work is what almanac status says.
Without a running server it reads the data directory.`,
		"health", func() (any, func() error) {
			h := &web.Health{}
			return h, func() error { return a.printHealth(h) }
		})
}

// reading is a command that shows the answer of one route.
func (a *app) reading(name, short, long, route string, show func() (into any, print func() error)) *cobra.Command {
	c := &cobra.Command{Use: name, Short: short, Long: long, Example: "  almanac " + name + "\n  almanac " + name + " -o json", Args: exactly()}
	exits(c, exitFailed, exitNotPermitted, exitUnusable)
	n := a.addConnection(c)
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		client, done, err := a.connectOrOpen(c.Context(), n)
		if err != nil {
			return err
		}
		defer done()
		into, print := show()
		if err := client.get(c.Context(), route, nil, into); err != nil {
			return err
		}
		if output.value == "json" {
			return writeJSON(a.stdout, into)
		}
		return print()
	}
	return c
}

func (a *app) printWorkers(w *web.Workers) error {
	var rows [][]string
	for i := range w.Servers {
		x := &w.Servers[i]
		state := "ended"
		if x.Alive {
			state = "works"
		}
		slots := "-"
		if x.Slots > 0 {
			slots = strconv.Itoa(x.Slots)
		}
		rows = append(rows, []string{x.Name, state, strconv.Itoa(x.Used), slots, a.view.clock(x.Until)})
	}
	if err := a.view.table(a.stdout, []string{"server", "state", "runs", "slots", "lease until"}, rows, nil); err != nil {
		return err
	}
	if len(w.Pools) > 0 {
		rows = nil
		for _, p := range w.Pools {
			size := "-"
			if p.Size > 0 {
				size = strconv.Itoa(p.Size)
			}
			rows = append(rows, []string{cmp.Or(p.Name, "(none)"), strconv.Itoa(p.Used), size})
		}
		fmt.Fprintln(a.stdout)
		if err := a.view.table(a.stdout, []string{"pool", "used", "size"}, rows, nil); err != nil {
			return err
		}
	}
	if len(w.Attempts) == 0 {
		_, err := fmt.Fprintln(a.stdout, "\nnothing runs")
		return err
	}
	rows = nil
	for i := range w.Attempts {
		x := &w.Attempts[i]
		rows = append(rows, []string{x.ID.String(), x.Name, x.Step, strconv.Itoa(x.Number), x.Server, a.view.clock(x.StartedAt)})
	}
	fmt.Fprintln(a.stdout)
	if err := a.view.table(a.stdout, []string{"attempt", "instance", "step", "number", "server", "since"}, rows, nil); err != nil || w.More == 0 {
		return err
	}
	_, err := fmt.Fprintf(a.stdout, "and %d more\n", w.More)
	return err
}

func (a *app) printHealth(h *web.Health) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-10s %s\n", name, fmt.Sprintf(format, args...))
	}
	if l := h.Loop; l != nil {
		line("loop", "the last turn ended %s and took %s", a.view.clock(l.TurnedAt), duration(seconds(l.Took)))
		if l.Ready != "" {
			line("", "since %s, beside a free slot: %s", a.view.clock(l.ReadySince), printable(l.Ready))
		}
		line("plan", "written to %s", a.view.clock(l.PlannedTo))
	}
	line("to deliver", "%s, %s; %d failed for good within a day", count(h.Outbox.Actions, "error action"), count(h.Outbox.Alerts, "message"), h.Outbox.Failed)
	line("store", "%s, and %s of write-ahead log", size(h.Store.Database), size(h.Store.Log))
	line("history", "lines %s to %s, since %s", h.Store.FirstEvent, h.Store.LastEvent, a.view.clock(h.Store.FirstAt))
	if h.Store.BackupAt.IsZero() {
		line("backup", "none is known")
	} else {
		line("backup", "the last is of %s", a.view.clock(h.Store.BackupAt))
	}
	if d := h.Disk; d != nil {
		line("disk", "%s of %s free", size(int64(d.Free)), size(int64(d.Total))) //nolint:gosec // no disk has 8 EiB
	}
	if h.Retention.Seconds == 0 {
		line("retention", "everything is kept for ever")
	} else {
		line("retention", "%s; the oldest that has ended may go %s, and %s within a day", duration(seconds(h.Retention.Seconds)), a.view.clock(h.Retention.Goes),
			count(h.Retention.Due, "instance"))
	}
	return a.view.prose(a.stdout, "%s", strings.TrimSuffix(b.String(), "\n"))
}

// size is a number of bytes for people.
func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
