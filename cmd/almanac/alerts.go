package main

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

func (a *app) alertsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "alerts",
		Short: "see what is in trouble by its root causes, and who was told",
		Long: `Trouble is what failed, was lost, was cancelled by a timeout, a misfire or an upstream, or is late: not started, not ended, or not to be expected to end
by the job's deadline. What has one root cause is one incident, with one message to each sink when it begins and one when it is over.

The sinks stand in the server's file of alerts (almanac serve --alerts); jobs name them in notify.`,
		Example: `  almanac alerts ls
  almanac alerts show 4400
  almanac alerts ack 4400 --note "the source is late, they know"
  almanac alerts test ops`,
	}
	exits(c)
	c.AddCommand(a.alertsListCommand(), a.alertsShowCommand(), a.alertsAckCommand(), a.alertsLateCommand(), a.alertsTestCommand())
	return c
}

func (a *app) alertsListCommand() *cobra.Command {
	var (
		all   bool
		limit int
	)
	c := &cobra.Command{
		Use:     "ls",
		Aliases: []string{"list"},
		Short:   "list incidents, the newest first",
		Long:    `List the open incidents, the newest first. Without a running server it reads the data directory.`,
		Example: `  almanac alerts ls
  almanac alerts ls --all -o json`,
		Args: exactly(),
	}
	exits(c, exitFailed, exitNotPermitted, exitUnusable)
	n := a.addConnection(c)
	c.Flags().BoolVar(&all, "all", false, "those that are over too")
	c.Flags().IntVar(&limit, "limit", 100, "at most so many, up to 500")
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if limit < 1 || limit > 500 {
			return usagef("--limit is %d; 1 to 500 are allowed", limit)
		}
		client, done, err := a.connectOrOpen(c.Context(), n)
		if err != nil {
			return err
		}
		defer done()
		query := url.Values{"limit": {strconv.Itoa(limit)}}
		if !all {
			query.Set("state", "open")
		}
		var page web.IncidentPage
		if err := client.get(c.Context(), "incidents", query, &page); err != nil {
			return err
		}
		if output.value == "json" {
			return writeJSON(a.stdout, page)
		}
		return a.printIncidents(page.Items, all)
	}
	return c
}

func (a *app) printIncidents(list []web.Incident, all bool) error {
	if len(list) == 0 {
		words := "nothing is in trouble"
		if all {
			words = "nothing was in trouble"
		}
		_, err := fmt.Fprintln(a.stdout, words)
		return err
	}
	var rows [][]string
	for i := range list {
		x := &list[i]
		rows = append(rows, []string{x.ID.String(), incidentState(x), a.view.clock(x.OpenedAt), x.Title})
	}
	return a.view.table(a.stdout, []string{"id", "state", "since", "incident"}, rows, nil)
}

func incidentState(i *web.Incident) string {
	switch {
	case !i.ClosedAt.IsZero():
		return "over"
	case i.AcknowledgedBy != "":
		return "known"
	}
	return "open"
}

func (a *app) alertsShowCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "show ID",
		Short: "show one incident: its root, what belongs to it, who was told",
		Long: `Show an incident: where it comes from, what belongs to it (100 at most are named), and what became of each message. Without a running server it reads the
data directory.`,
		Example: `  almanac alerts show 4400
  almanac alerts show 4400 -o json`,
		Args: exactly("ID"),
	}
	exits(c, exitFailed, exitNotFound, exitNotPermitted, exitUnusable)
	n := a.addConnection(c)
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		id, err := incidentID(args[0])
		if err != nil {
			return err
		}
		client, done, err := a.connectOrOpen(c.Context(), n)
		if err != nil {
			return err
		}
		defer done()
		var x web.IncidentDetail
		if err := client.get(c.Context(), path("incidents", id), nil, &x); err != nil {
			return err
		}
		return a.printIncident(&x, output.value)
	}
	return c
}

func incidentID(text string) (string, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err != nil || n < 1 {
		return "", usagef("%q is no incident's id; almanac alerts ls lists them", text)
	}
	return text, nil
}

func (a *app) printIncident(x *web.IncidentDetail, form string) error {
	if form == "json" {
		return writeJSON(a.stdout, x)
	}
	var b strings.Builder
	from := "root"
	if x.Kind == engine.AlertEndedLate { // it has ended well: nothing is the cause of anything
		from = "late"
	}
	fmt.Fprintf(&b, "incident %s  %s  %s\n  %s    %s: %s\n  since   %s\n", x.ID, incidentState(&x.Incident), printable(x.Title), from, x.Root.Name, printable(x.Reason.Text), a.view.clock(x.OpenedAt))
	if x.AcknowledgedBy != "" {
		fmt.Fprintf(&b, "  known   %s by %s", a.view.clock(x.AcknowledgedAt), printable(x.AcknowledgedBy))
		if x.Note != "" {
			fmt.Fprintf(&b, ": %s", printable(x.Note))
		}
		b.WriteString("\n")
	}
	if !x.ClosedAt.IsZero() {
		fmt.Fprintf(&b, "  over    %s, after %s\n", a.view.clock(x.ClosedAt), duration(x.ClosedAt.Sub(x.OpenedAt)))
	}
	if err := a.view.prose(a.stdout, "%s", strings.TrimSuffix(b.String(), "\n")); err != nil {
		return err
	}
	var members [][]string
	for i := range x.Members {
		m := &x.Members[i]
		state := string(m.State)
		if state == "" {
			state = "removed"
		}
		members = append(members, []string{m.Name, string(m.Kind), state})
	}
	fmt.Fprintln(a.stdout)
	if err := a.view.table(a.stdout, []string{"instance", "trouble", "now"}, members, nil); err != nil {
		return err
	}
	if more := x.Trouble + x.Blocked - len(members); more > 0 && len(members) == engine.MembersNamed {
		fmt.Fprintf(a.stdout, "and %d more\n", more)
	}
	if len(x.Deliveries) == 0 {
		_, err := fmt.Fprintln(a.stdout, "\nnobody was told")
		return err
	}
	var told [][]string
	for i := range x.Deliveries {
		d := &x.Deliveries[i]
		told = append(told, []string{d.Sink, string(d.Class), string(d.State), strconv.Itoa(d.Attempts), d.Error})
	}
	fmt.Fprintln(a.stdout)
	return a.view.table(a.stdout, []string{"told", "of", "state", "attempts", "error"}, told, nil)
}

func (a *app) alertsAckCommand() *cobra.Command {
	var note string
	c := &cobra.Command{
		Use:     "ack ID",
		Short:   "say that you know of an incident",
		Long:    `Say that you know of an incident: it stays open until it is over, and nobody is told any more how it grows. Doing it twice is doing it once.`,
		Example: `  almanac alerts ack 4400 --note "the source is late, they know"`,
		Args:    exactly("ID"),
	}
	exits(c, exitFailed, exitNotFound, exitNotPermitted)
	n := a.addConnection(c)
	c.Flags().StringVar(&note, "note", "", "what you know; kept with the incident and in the history")
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		id, err := incidentID(args[0])
		if err != nil {
			return err
		}
		client, err := a.connect(c.Context(), n)
		if err != nil {
			return err
		}
		var x web.IncidentDetail
		if err := client.post(c.Context(), path("incidents", id, "ack"), nil, web.NoteRequest{Note: note}, &x); err != nil {
			return err
		}
		return a.printIncident(&x, output.value)
	}
	return c
}

func (a *app) alertsLateCommand() *cobra.Command {
	c := a.reading("late", "list what has missed its deadline, or will",
		`List the open instances whose deadlines are missed or at risk, with when each will probably have ended. Without a running server it reads the data directory.`,
		"deadlines", func() (any, func() error) {
			list := &web.LateList{}
			return list, func() error { return a.printLate(list) }
		})
	lists(c)
	c.Example = "  almanac alerts late\n  almanac alerts late -o json"
	return c
}

func (a *app) printLate(list *web.LateList) error {
	if len(list.Items) == 0 {
		_, err := fmt.Fprintln(a.stdout, "no deadline is at risk")
		return err
	}
	var rows [][]string
	for i := range list.Items {
		l := &list.Items[i]
		rows = append(rows, []string{l.Name, string(l.State), a.view.clock(l.Deadline), a.view.clock(l.Ends), duration(seconds(l.Late)), l.Reason.Text})
	}
	if err := a.view.table(a.stdout, []string{"instance", "state", "deadline", "ends about", "late", "why"}, rows, nil); err != nil {
		return err
	}
	if more := list.All - len(list.Items); more > 0 {
		fmt.Fprintf(a.stdout, "and %d more\n", more)
	}
	return nil
}

// testPatience is how long alerts test waits for what became of its message: more than one attempt has.
const testPatience = 40 * time.Second

func (a *app) alertsTestCommand() *cobra.Command {
	var note string
	c := &cobra.Command{
		Use:     "test SINK",
		Short:   "send a message to a sink that says that it is a test",
		Long:    `Send a message to a sink that says that it is a test, the way that every alert goes, and say what became of it. It is tried once.`,
		Example: `  almanac alerts test ops`,
		Args:    exactly("SINK"),
	}
	exits(c, exitFailed, exitNotFound, exitNotPermitted)
	n := a.addConnection(c)
	c.Flags().StringVar(&note, "note", "", "a line to put into the message")
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		client, err := a.connect(c.Context(), n)
		if err != nil {
			return err
		}
		var d web.Delivery
		if err := client.post(c.Context(), path("sinks", args[0], "test"), nil, web.NoteRequest{Note: note}, &d); err != nil {
			return err
		}
		if err := client.waitDelivered(c.Context(), &d); err != nil {
			return err
		}
		if output.value == "json" {
			err = writeJSON(a.stdout, d)
		} else if d.State == engine.OutboxDelivered {
			_, err = fmt.Fprintf(a.stdout, "%s has taken message %s\n", d.Sink, d.ID)
		}
		if err == nil && d.State != engine.OutboxDelivered {
			err = &failedError{fmt.Sprintf("message %s for %s is %s: %s", d.ID, d.Sink, d.State, d.Error)}
		}
		return err
	}
	return c
}

// waitDelivered asks what became of a delivery until something has, or too much time has passed.
func (c *client) waitDelivered(ctx context.Context, d *web.Delivery) error {
	ctx, cancel := context.WithTimeout(ctx, testPatience)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for d.State == engine.OutboxPending {
		select {
		case <-ctx.Done():
			return nil // the caller says that it is pending
		case <-tick.C:
		}
		now := web.Delivery{}
		if err := c.get(ctx, path("deliveries", d.ID.String()), nil, &now); err != nil {
			return err
		}
		*d = now
	}
	return nil
}
