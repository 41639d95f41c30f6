package main

import (
	"context"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

// followOperation shows an operation on many instances until it is through: a bar on a terminal,
// elsewhere a line for each change, with `-o json` nothing.
func (a *app) followOperation(ctx context.Context, c *client, p web.OperationProgress, form string) (web.OperationProgress, error) {
	show := func(*web.OperationProgress) {}
	switch {
	case a.terminal(a.stderr):
		bar := newBar(a.stderr, int64(p.Total), a.view)
		defer bar.end()
		show = func(p *web.OperationProgress) {
			bar.tracker.SetValue(int64(p.Done))
			bar.tracker.UpdateMessage(string(p.Operation))
		}
	case form == "json": // what reads standard error expects documents there too
	default:
		last := -1
		show = func(p *web.OperationProgress) {
			if p.Done != last {
				a.warn("%s: %d of %d", p.Operation, p.Done, p.Total)
				last = p.Done
			}
		}
	}
	var away absence
	ticker := time.NewTicker(followEvery)
	defer ticker.Stop()
	for {
		show(&p)
		if p.State == engine.OperationEnded {
			return p, nil
		}
		select {
		case <-ctx.Done():
			return p, ctx.Err()
		case <-ticker.C:
		}
		var later web.OperationProgress
		err := c.get(ctx, path("operations", p.ID.String()), nil, &later)
		if err == nil {
			p = later
		}
		if !away.bears(ctx, err) {
			return p, err
		}
	}
}

// printProgress prints what has become of an operation on many instances.
func (a *app) printProgress(p *web.OperationProgress) error {
	if p.State != engine.OperationEnded {
		_, err := fmt.Fprintf(a.stdout, "%s: %d of %d; operation %s goes on\n", p.Operation, p.Done, p.Total, p.ID)
		return err
	}
	line := string(p.Operation) + ": " + effectWords(&p.Counts)
	if p.MovedOn > 0 {
		line += fmt.Sprintf(", %d had moved on", p.MovedOn)
	}
	if _, err := fmt.Fprintln(a.stdout, line); err != nil {
		return err
	}
	for n := range p.Refusals {
		one := &p.Refusals[n]
		if _, err := fmt.Fprintf(a.stdout, "  %s: %s\n", one.Location, printable(one.Message)); err != nil {
			return err
		}
	}
	if more := p.MovedOn - len(p.Refusals); more > 0 {
		fmt.Fprintf(a.stdout, "  and %d more\n", more)
	}
	return nil
}
