package main

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
	api "github.com/almanac-sched/almanac/web/client"
)

func (a *app) psCommand() *cobra.Command {
	var (
		states   []string
		workflow string
		all      bool
		limit    int
		after    string
	)
	c := &cobra.Command{
		Use:     "ps [SELECTOR...]",
		Aliases: listWords,
		Short:   "list what runs, waits and was",
		Long: `List instances, the newest plan time first: without a flag those that are due and have not ended, with the reason why each that waits does so.
With a selector, such as job:dwd_* date:yesterday state:failed, those that it chooses (docs/selectors.md); --state and --workflow narrow it down. Without a running server it reads the data directory.`,
		Example: `  almanac ps
  almanac ps --state failed --workflow retail
  almanac ps job:orders date:2026-11-01..07 state:failed,waiting
  almanac ps --all -o json`,
	}
	exits(c, exitFailed, exitNotFound, exitNotPermitted, exitUnusable)
	lists(c)
	n := a.addConnection(c)
	c.Flags().StringArrayVar(&states, "state", nil, "only in this state; may be repeated")
	c.Flags().StringVar(&workflow, "workflow", "", "only of this workflow")
	c.Flags().BoolVar(&all, "all", false, "ended instances too, and those whose plan time is still to come")
	c.Flags().IntVar(&limit, "limit", 100, "at most so many")
	c.Flags().StringVar(&after, "cursor", "", "go on behind what was listed: next of -o json")
	output := addOutput(c)
	_ = c.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(stateNames(), cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
	c.ValidArgsFunction = a.completeSelectors(n)
	c.RunE = func(c *cobra.Command, args []string) error {
		query := url.Values{}
		switch {
		case limit < 1:
			return usagef("--limit is %d; at least 1 is needed", limit)
		case unknownState(states) != "":
			return usagef("--state %q: choose one of %s", unknownState(states), strings.Join(stateNames(), ", "))
		case len(args) > 0:
			query.Set("selector", narrowed(selectorOf(args), states, workflow, all))
			workflow = ""
		case len(states) > 0:
			query["state"] = states
		case !all:
			query["state"] = []string{string(engine.Waiting), string(engine.Running), string(engine.Lost)}
			query.Set("to", stamp(now()))
		}
		if workflow != "" {
			query.Set("workflow", workflow)
		}
		client, done, err := a.connectOrOpen(c.Context(), n)
		if err != nil {
			return err
		}
		defer done()
		if n.recorded {
			a.warn("no server runs on %s: this is what is recorded, and nothing starts until `almanac serve` runs", *n.data)
		}
		if after != "" {
			query.Set("cursor", after)
		}
		list, next, err := client.instancesFrom(c.Context(), query, limit)
		if err != nil {
			return err
		}
		if output.value == "json" {
			return writeJSON(a.stdout, web.InstancePage{Items: list, Next: next})
		}
		var status web.Status
		if err := client.do(c.Context(), api.NewStatusRequest(), &status); err != nil {
			return err
		}
		return a.printInstances(list, &status, next != "")
	}
	return c
}

// openUnlessSaid asks for what has not ended when a selector does not say which states or when.
func openUnlessSaid(selector string) string {
	s, err := engine.ParseSelector(selector)
	if err != nil {
		return selector // the server says what is wrong with it
	}
	for n := range s.Terms {
		if key := s.Terms[n].Key; !s.Terms[n].Negated && slices.Contains([]string{"state", "date", "time", "id", "name"}, key) {
			return selector
		}
	}
	return selector + " state:waiting,running,lost"
}

func unknownState(states []string) string {
	for _, s := range states {
		if !slices.Contains(stateNames(), s) {
			return s
		}
	}
	return ""
}

// narrowed is a selector with what flags say besides as terms of it.
func narrowed(selector string, states []string, workflow string, all bool) string {
	if workflow != "" {
		selector += " workflow:" + workflow
	}
	switch {
	case len(states) > 0:
		return selector + " state:" + strings.Join(states, ",")
	case all:
		return selector
	}
	return openUnlessSaid(selector)
}

func stateNames() []string {
	names := make([]string, len(engine.States))
	for i, s := range engine.States {
		names[i] = string(s)
	}
	return names
}

func (a *app) printInstances(list []web.Instance, status *web.Status, more bool) error {
	if len(list) > 0 {
		terminal := a.terminal(a.stdout)
		var rows [][]string
		for i := range list {
			one := &list[i]
			why := ""
			if one.State != engine.Succeeded && one.State != engine.Running {
				why = one.Reason.Text
			}
			if one.Cancel != nil && one.State == engine.Running {
				why = "being cancelled: " + one.Cancel.Text
			}
			if one.Frozen && one.State == engine.Waiting && one.Reason.Code != engine.ReasonFrozen {
				why = "frozen; " + why // its time has not come
			}
			id := "-" // it is not planned yet
			if one.ID != 0 {
				id = one.ID.String()
			}
			rows = append(rows, []string{id, one.Name, string(one.State), spent(one), why})
		}
		if err := a.view.table(a.stdout, []string{"id", "instance", "state", "took", "why"}, rows, map[string]func(string) string{
			"state": func(word string) string { return stateText(engine.State(word), terminal) },
		}); err != nil {
			return err
		}
		if more {
			fmt.Fprintf(a.stdout, "there are more; --limit shows them\n")
		}
		fmt.Fprintln(a.stdout)
	}
	n := status.Instances
	return a.view.prose(a.stdout, "open: %d waiting (%d for their time), %d running, %d lost; "+
		"ended in the last day: %d succeeded, %d forced, %d failed, %d skipped, %d cancelled",
		n.Waiting, status.Gates.Time, n.Running, n.Lost, n.Succeeded, n.Forced, n.Failed, n.Skipped, n.Cancelled)
}
