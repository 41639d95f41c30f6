package main

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
	api "github.com/almanac-sched/almanac/web/client"
)

// completeSelectors completes terms of a selector: their keys, behind a key its values, and the names of instances.
func (a *app) completeSelectors(n *connection) cobra.CompletionFunc {
	instances := a.completeInstances(n)
	return func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		key, value, keyed := strings.Cut(strings.TrimPrefix(word, "-"), ":")
		before := word[:len(word)-len(value)]
		if keyed {
			values := a.termValues(c, n, key)
			already, _, listed := cutLast(value, ",")
			if listed {
				before += already + ","
			}
			for k := range values {
				values[k] = before + values[k]
			}
			return values, cobra.ShellCompDirectiveNoFileComp
		}
		var words []string
		for _, key := range engine.TermKeys {
			words = append(words, strings.Repeat("-", min(1, strings.Count(word, "-")))+key+":")
		}
		if len(args) == 0 && !strings.HasPrefix(word, "-") {
			names, _ := instances(c, args, word)
			words = append(words, names...)
		}
		return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// cutLast cuts a text at the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}

// termValues are the values that a term can have.
func (a *app) termValues(c *cobra.Command, n *connection, key string) []string {
	switch key {
	case "state":
		return stateNames()
	case "gate":
		return plainWords(engine.Gates)
	case "kind":
		return plainWords([]engine.Kind{engine.Scheduled, engine.Manual, engine.Backfill})
	case "date", "time":
		return []string{"yesterday", "today", "tomorrow"}
	case "job", "workflow":
	case "backfill":
		ids, _ := a.completeBackfills(n)(c, nil, "")
		return ids
	default:
		return nil
	}
	client, done, err := a.connectOrOpen(c.Context(), n)
	if err != nil {
		return nil
	}
	defer done()
	known, err := jobWordsOf(c.Context(), client, key)
	if err != nil {
		return nil
	}
	return known
}

// jobWordsOf are the names of the jobs, or of the workflows.
func jobWordsOf(ctx context.Context, client *client, key string) ([]string, error) {
	var page web.JobPage
	if err := client.do(ctx, api.NewListJobsRequest(api.ListJobsParams{Limit: 500}), &page); err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, j := range page.Items {
		if key == "workflow" {
			known[j.Workflow] = true
		} else {
			known[j.Workflow+"/"+j.Job.Job] = true
		}
	}
	return slices.Sorted(maps.Keys(known)), nil
}

// plainWords are words of a type of its own as plain ones.
func plainWords[S ~string](list []S) []string {
	out := make([]string, len(list))
	for n, word := range list {
		out[n] = string(word)
	}
	return out
}
