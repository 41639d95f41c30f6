package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/almanac-sched/almanac/web"
)

// printBackfillDays prints a backfill day by day.
func (a *app) printBackfillDays(ctx context.Context, c *client, id, form string) error {
	var b web.BackfillDays
	if err := c.get(ctx, path("backfills", id, "days"), nil, &b); err != nil {
		return err
	}
	if form == "json" {
		return writeJSON(a.stdout, listOf(b.Days))
	}
	rows := make([][]string, 0, len(b.Days))
	for i := range b.Days {
		n := &b.Days[i].Instances
		ended := n.Succeeded + n.Forced + n.Failed + n.Skipped + n.Cancelled
		rows = append(rows, []string{b.Days[i].Day, fmt.Sprintf("%d/%d", ended, ended+n.Waiting+n.Running+n.Lost), strings.TrimPrefix(countWords(n), ": ")})
	}
	return a.view.table(a.stdout, []string{"day", "done", "instances"}, rows, nil)
}
