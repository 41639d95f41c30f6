package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

// followEvery is how often a backfill that is followed is looked at.
const followEvery = 500 * time.Millisecond

// followBackfill shows a backfill until it has ended: a bar on a terminal, elsewhere a line for each change.
func (a *app) followBackfill(ctx context.Context, c *client, b web.Backfill, form string) (web.Backfill, error) {
	return a.follow(ctx, c, b, form, func(b *web.Backfill) (int, bool) { return b.Done, !b.EndedAt.IsZero() })
}

// followApplying shows a backfill until its instances are written.
func (a *app) followApplying(ctx context.Context, c *client, b web.Backfill, form string) (web.Backfill, error) {
	return a.follow(ctx, c, b, form, func(b *web.Backfill) (int, bool) {
		return b.Written, b.State.Real() || b.State == engine.BackfillWithdrawing
	})
}

// follow shows a backfill until it is over, by what of it is done: with `-o json` on a terminal
// alone.
func (a *app) follow(ctx context.Context, c *client, b web.Backfill, form string, far func(*web.Backfill) (done int, over bool)) (web.Backfill, error) {
	show := func(*web.Backfill) {}
	switch {
	case a.terminal(a.stderr):
		bar := newBar(a.stderr, int64(b.Total), a.view)
		bar.writer.SetMessageLength(44)
		defer bar.end()
		show = func(b *web.Backfill) {
			done, _ := far(b)
			bar.tracker.SetValue(int64(done))
			bar.tracker.UpdateMessage(text.Trim(followWords(b), 44))
		}
	case form == "json": // what reads standard error expects documents there too
	default:
		last := ""
		show = func(b *web.Backfill) {
			done, _ := far(b)
			if line := fmt.Sprintf("%s  %d/%d  %s", b.ID, done, b.Total, followWords(b)); line != last {
				a.warn("%s", line)
				last = line
			}
		}
	}
	var away absence
	ticker := time.NewTicker(followEvery)
	defer ticker.Stop()
	for {
		show(&b)
		if _, over := far(&b); over {
			return b, nil
		}
		select {
		case <-ctx.Done():
			return b, ctx.Err()
		case <-ticker.C:
		}
		var later web.Backfill
		err := c.get(ctx, path("backfills", b.ID), nil, &later)
		if err == nil {
			b = later
		}
		if !away.bears(ctx, err) {
			return b, err
		}
	}
}

// followWords says in a few words where a backfill is.
func followWords(b *web.Backfill) string {
	words := string(b.State)
	if !b.State.Real() {
		return words // the figures say the rest
	}
	if b.Instances.Running > 0 {
		words = fmt.Sprintf("%d running", b.Instances.Running)
	}
	if b.Instances.Failed > 0 {
		words += fmt.Sprintf(", %d failed", b.Instances.Failed)
	}
	if b.SecondsLeft != nil && *b.SecondsLeft > 0 {
		words += ", about " + duration(time.Duration(*b.SecondsLeft)*time.Second) + " left"
	} else if b.Holding != "" && b.Instances.Running == 0 {
		words += ": " + printable(b.Holding)
	}
	return words
}
