package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

// mostAsked is how many instances are looked at to say what waits for a person.
const mostAsked = 500

// An asking is instances of a backfill that go on only when a person does something.
type asking struct {
	terms string // of a selector, behind that of the backfill
	words string // what they wait for
	help  string // the operation that would help
}

var askings = []asking{
	{"state:waiting gate:confirm", "for a confirmation", "confirm"},
	{"state:waiting gate:frozen", "frozen or paused", "unfreeze"},
	{"state:lost", "with an outcome that is not known", "rerun"},
}

// personWords says of a backfill what goes on only when a person does something, and the command that would help. Of one that is too large to be
// looked through only what its counts tell.
func personWords(ctx context.Context, c *client, b *web.Backfill) []string {
	if !b.EndedAt.IsZero() || !b.State.Real() {
		return nil
	}
	var lines []string
	for _, one := range askings {
		if strings.HasPrefix(one.terms, "state:lost") && b.Instances.Lost == 0 || strings.HasPrefix(one.terms, "state:waiting") && b.Instances.Waiting == 0 {
			continue
		}
		selector := "backfill:" + b.ID + " " + one.terms
		found, next, err := c.instancesFrom(ctx, url.Values{"selector": {selector}}, mostAsked)
		if err != nil || len(found) == 0 {
			continue
		}
		many := count(len(found), "instance")
		if next != "" {
			many = fmt.Sprintf("%d instances or more", len(found))
		}
		lines = append(lines, fmt.Sprintf("waits for a person: %s %s, such as %s; almanac %s '%s'", many, one.words, found[len(found)-1].Name, one.help, selector))
	}
	if b.State == engine.BackfillPaused {
		lines = append(lines, "waits for a person: it is paused; almanac backfill resume "+b.ID)
	}
	return lines
}
