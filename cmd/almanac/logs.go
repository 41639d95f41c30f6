package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
	api "github.com/almanac-sched/almanac/web/client"
)

func (a *app) logsCommand() *cobra.Command {
	var (
		follow bool
		number int
	)
	c := &cobra.Command{
		Use:   "logs INSTANCE",
		Short: "print what the attempts of an instance wrote",
		Long: `Print the logs of an instance, given by its id or as workflow/job@plan time: of the last attempt of each step, in the order in which they began, with a
line before each when there are several. Without a running server it reads the data directory.

The output is what the attempts wrote, byte for byte; -o json lists the attempts instead, with their outcomes.`,
		Example: `  almanac logs 4217
  almanac logs retail/orders@2026-10-01T02:00 -f
  almanac logs 4217 --attempt 1`,
		Args: exactly("INSTANCE"),
	}
	exits(c, exitFailed, exitNotFound, exitNotPermitted, exitUnusable)
	n := a.addConnection(c)
	c.ValidArgsFunction = a.completeInstances(n)
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on until the instance has ended")
	c.Flags().IntVar(&number, "attempt", 0, "the attempt of this number, of each step (default the last)")
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		client, done, err := a.connectOrOpen(c.Context(), n)
		if err != nil {
			return err
		}
		defer done()
		i, err := client.instance(c.Context(), args[0])
		if err != nil {
			return err
		}
		l := logPrinter{client: client, out: a.stdout, instance: i.ID, number: number}
		if output.value == "json" {
			return l.list(c.Context())
		}
		if follow {
			return l.follow(c.Context())
		}
		return l.print(c.Context(), i.State)
	}
	return c
}

// A logPrinter prints the logs of one instance.
type logPrinter struct {
	client   *client
	out      io.Writer
	instance web.ID
	number   int // 0 is the last of each step
	printed  int // logs begun
}

func (l *logPrinter) attempts(ctx context.Context) ([]web.Attempt, error) {
	var all []web.Attempt
	for cursor := ""; ; {
		var page web.AttemptList
		if err := l.client.do(ctx, api.NewListAttemptsRequest(int64(l.instance), api.ListAttemptsParams{Cursor: cursor, Limit: 500}), &page); err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if cursor = page.Next; cursor == "" {
			return all, nil
		}
	}
}

// wanted chooses the attempts to print, in the order in which they began.
func (l *logPrinter) wanted(all []web.Attempt) []web.Attempt {
	type step struct {
		name        string
		errorAction bool
	}
	last := map[step]web.ID{}
	for _, a := range all {
		if l.number == 0 || a.Number == l.number {
			last[step{a.Step, a.ErrorAction}] = a.ID
		}
	}
	var chosen []web.Attempt
	for _, a := range all {
		if last[step{a.Step, a.ErrorAction}] == a.ID {
			chosen = append(chosen, a)
		}
	}
	return chosen
}

func (l *logPrinter) list(ctx context.Context) error {
	all, err := l.attempts(ctx)
	if err != nil {
		return err
	}
	if l.number != 0 {
		all = l.wanted(all)
	}
	if all == nil {
		all = []web.Attempt{}
	}
	return writeJSON(l.out, web.AttemptList{Items: all})
}

func (l *logPrinter) print(ctx context.Context, state engine.State) error {
	all, err := l.attempts(ctx)
	if err != nil {
		return err
	}
	chosen := l.wanted(all)
	if len(chosen) == 0 {
		return l.nothing(state)
	}
	for _, a := range chosen {
		if err := l.one(ctx, a, len(chosen) > 1, false); err != nil {
			return err
		}
	}
	return nil
}

func (l *logPrinter) nothing(state engine.State) error {
	if l.number != 0 {
		return fmt.Errorf("instance %s: %w: it has no attempt %d", l.instance, engine.ErrNotFound, l.number)
	}
	return fmt.Errorf("instance %s: %w: it is %s and has had no attempt", l.instance, engine.ErrNotFound, state)
}

// follow prints each attempt that is wanted, as it grows, until the instance has ended.
func (l *logPrinter) follow(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	happened := l.client.signals(ctx, l.instance)
	tick := time.NewTicker(watchEvery) // a step that starts is no line of the history
	defer tick.Stop()
	done := map[web.ID]bool{}
	var away absence
	for {
		var i web.Instance
		var all []web.Attempt
		// The instance is read before its attempts: what it has when it has ended is all it will have.
		err := l.client.do(ctx, api.NewGetInstanceRequest(int64(l.instance)), &i)
		if err == nil {
			all, err = l.attempts(ctx)
		}
		if !away.bears(ctx, err) {
			return err
		}
		if err != nil {
			i.State = "" // not known
		}
		for _, a := range all {
			if done[a.ID] || l.number != 0 && a.Number != l.number {
				continue
			}
			done[a.ID] = true
			if err := l.one(ctx, a, len(done) > 1 || a.Step != "", true); err != nil {
				return err
			}
		}
		switch over := i.State.Ended() || i.State == engine.Lost; {
		case over && len(done) == 0:
			return l.nothing(i.State)
		case over:
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-happened:
		case <-tick.C:
		}
	}
}

// one prints one log: what there is now, or all until the attempt has ended.
func (l *logPrinter) one(ctx context.Context, a web.Attempt, title, follow bool) error {
	if title {
		if l.printed > 0 {
			fmt.Fprintln(l.out)
		}
		fmt.Fprintf(l.out, "==> %s <==\n", attemptTitle(&a))
	}
	l.printed++
	if follow {
		_, err := l.client.api.FollowLog(ctx, int64(a.ID), 0, l.out)
		return refused("", err)
	}
	for offset := int64(0); ; {
		n, size, complete, err := l.part(ctx, a.ID, offset)
		if err != nil {
			return err
		}
		if offset += n; complete || offset >= size {
			return nil
		}
	}
}

// part prints one part of a log and returns how long it was, how long the log is, and whether that was all there will be.
func (l *logPrinter) part(ctx context.Context, attempt web.ID, offset int64) (n, size int64, complete bool, err error) {
	response, err := l.client.api.Send(ctx, api.NewReadLogRequest(int64(attempt), api.ReadLogParams{Offset: offset}))
	if err != nil {
		return 0, 0, false, refused("", err)
	}
	defer response.Body.Close()
	if n, err = io.Copy(l.out, response.Body); err != nil {
		return n, 0, false, fmt.Errorf("read the log of attempt %s: %w", attempt, err)
	}
	if size, err = strconv.ParseInt(response.Header.Get("X-Log-Size"), 10, 64); err != nil {
		return n, 0, false, fmt.Errorf("read the log of attempt %s: the server does not say how long it is", attempt)
	}
	complete = response.Header.Get("X-Log-Complete") == "true"
	// A long log loses its middle when its attempt ends: then there may be less than was printed already.
	return n, max(size, 0), complete || offset > size, nil
}

func attemptTitle(a *web.Attempt) string {
	text := "attempt " + strconv.Itoa(a.Number)
	if a.Step != "" {
		text = a.Step + ", " + text
	}
	if a.ErrorAction {
		text = "error action, " + text
	}
	if a.Outcome != "" {
		text += ", " + string(a.Outcome)
		if a.Text != "" && a.Text != string(a.Outcome) {
			text += ": " + printable(a.Text)
		}
	}
	return text
}
