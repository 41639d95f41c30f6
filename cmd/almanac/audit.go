package main

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/web"
)

func (a *app) auditCommand() *cobra.Command {
	var (
		actor    string
		actions  []string
		from, to string
		limit    int
		deeds    bool
	)
	c := &cobra.Command{
		Use:   "audit",
		Short: "say who did what, and when",
		Long: `List what people and programs did, the newest first: operations, definitions loaded, backfills, tokens. It is the part of the history that names somebody, and
what was loaded, whoever did it. With --deeds, what was done at one moment is one line. Without a running server it reads the data directory.`,
		Example: `  almanac audit --actor ann --from 2026-11-01
  almanac audit --action token-created --action token-revoked
  almanac audit --deeds -o json`,
		Args: exactly(),
	}
	exits(c, exitFailed, exitNotPermitted, exitUnusable)
	lists(c)
	n := a.addConnection(c)
	c.Flags().StringVar(&actor, "actor", "", "a part of who did it")
	c.Flags().StringArrayVar(&actions, "action", nil, "only this action, such as rerun; may be repeated")
	c.Flags().StringVar(&from, "from", "", "not before this time, such as 2026-11-01 or 2026-11-01T06:00+01:00")
	c.Flags().StringVar(&to, "to", "", "before this time")
	c.Flags().IntVar(&limit, "limit", 100, "at most so many")
	c.Flags().BoolVar(&deeds, "deeds", false, "one line for all that was done at one moment; with --from and --limit only")
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if limit < 1 {
			return usagef("--limit is %d; at least 1 is needed", limit)
		}
		if deeds && (actor != "" || len(actions) > 0 || to != "") {
			return usagef("--deeds puts together all that was done: leave --actor, --action and --to out")
		}
		query := url.Values{}
		for name, value := range map[string]string{"from": from, "to": to} {
			if value == "" {
				continue
			}
			at, err := instant("--"+name, value, time.Local)
			if err != nil {
				return err
			}
			query.Set(name, stamp(at))
		}
		if actor != "" {
			query.Set("actor", actor)
		}
		if len(actions) > 0 {
			query.Set("action", strings.Join(actions, ","))
		}
		client, done, err := a.connectOrOpen(c.Context(), n)
		if err != nil {
			return err
		}
		defer done()
		ask := func(into any, size int) error {
			query.Set("limit", strconv.Itoa(size))
			return client.get(c.Context(), "audit", query, into)
		}
		if deeds {
			ask = func(into any, size int) error {
				query.Set("limit", strconv.Itoa(min(size, 200)))
				return client.get(c.Context(), "changes", query, into)
			}
			return a.printDeeds(ask, query, limit, output.value)
		}
		return a.printAudit(ask, query, limit, output.value)
	}
	return c
}

func (a *app) printAudit(ask func(into any, size int) error, query url.Values, limit int, form string) error {
	list, err := collect(limit, query, func(size int) ([]web.AuditLine, string, error) {
		var page web.AuditPage
		err := ask(&page, min(500, size))
		return page.Items, page.Next, err
	})
	if err != nil {
		return err
	}
	if form == "json" {
		return writeJSON(a.stdout, web.AuditPage{Items: list})
	}
	var rows [][]string
	for i := range list {
		l := &list[i]
		rows = append(rows, []string{a.view.clock(l.At), l.Actor, l.Action, cmp.Or(l.Name, jobName(l.Workflow, l.Job)), l.Text})
	}
	return a.printDone(rows)
}

func (a *app) printDeeds(ask func(into any, size int) error, query url.Values, limit int, form string) error {
	list, err := collect(limit, query, func(size int) ([]web.Deed, string, error) {
		var page web.DeedPage
		err := ask(&page, size)
		return page.Items, page.Next, err
	})
	if err != nil {
		return err
	}
	if form == "json" {
		return writeJSON(a.stdout, web.DeedPage{Items: list})
	}
	var rows [][]string
	for i := range list {
		d := &list[i]
		about := d.Within.Name
		if about == "" && len(d.Jobs) > 0 {
			about = jobName(d.Jobs[0].Workflow, d.Jobs[0].Job)
			if more := len(d.Jobs) - 1; more > 0 {
				about += fmt.Sprintf(" and %d more", more)
			}
		}
		rows = append(rows, []string{a.view.clock(d.At), d.Actor, d.Action, about, d.Text})
	}
	return a.printDone(rows)
}

// collect asks for one page after the other, each for so many rows at most, until there are as many as the limit or there is no further page.
func collect[T any](limit int, query url.Values, ask func(size int) (items []T, next string, err error)) ([]T, error) {
	list := []T{}
	for len(list) < limit {
		items, next, err := ask(limit - len(list))
		if err != nil {
			return nil, err
		}
		list = append(list, items...)
		if next == "" {
			break
		}
		query.Set("cursor", next)
	}
	return list, nil
}

func (a *app) printDone(rows [][]string) error {
	if len(rows) == 0 {
		_, err := fmt.Fprintln(a.stdout, "nobody did anything")
		return err
	}
	return a.view.table(a.stdout, []string{"at", "who", "did", "to", "words"}, rows, nil)
}

func jobName(workflow, job string) string {
	if job == "" {
		return ""
	}
	return workflow + "/" + job
}
