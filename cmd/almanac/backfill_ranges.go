package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/almanac-sched/almanac/web"
	api "github.com/almanac-sched/almanac/web/client"
)

// rangeChanges lists how the jobs of two plans differ whose instances are not listed, at most some lines.
func rangeChanges(then, now *web.BackfillPlan) (lines []string) {
	const most = 20
	was := map[string][]web.BackfillPlanRange{}
	for i := range then.Jobs {
		was[then.Jobs[i].Workflow+"/"+then.Jobs[i].Job] = then.Jobs[i].Ranges
	}
	more := 0
	for i := range now.Jobs {
		job := now.Jobs[i].Workflow + "/" + now.Jobs[i].Job
		old, is := was[job], now.Jobs[i].Ranges
		n := 0
		for n < len(old) && n < len(is) && old[n] == is[n] {
			n++
		}
		switch {
		case n == len(old) && n == len(is):
			continue
		case len(lines) == most:
			more++
			continue
		}
		lines = append(lines, fmt.Sprintf("%s: was %s, is %s", job, rangeWords(old, n), rangeWords(is, n)))
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return lines
}

// rangeWords says a range in words, or that there is none.
func rangeWords(list []web.BackfillPlanRange, n int) string {
	if n >= len(list) {
		return "nothing more"
	}
	r, in := &list[n], "out"
	if r.In {
		in = "in"
	}
	return fmt.Sprintf("%s from %s to %s %s (%s)", count(r.Instances, "instance"), stamp(r.From), stamp(r.To), in, r.Why)
}

// planPage is how many instances of a long plan are listed at once.
const planPage = 50_000

// eachPlanned calls each for every instance of a plan, which it asks for in parts when the plan has not listed them.
func eachPlanned(ctx context.Context, c *client, p *web.BackfillPlan, each func(*web.BackfillPlanInstance) error) error {
	if len(p.Instances) > 0 {
		for i := range p.Instances {
			if err := each(&p.Instances[i]); err != nil {
				return err
			}
		}
		return nil
	}
	for skip := 0; skip < p.In+p.Out; skip += planPage {
		var part web.BackfillPlan
		if err := c.patient().do(ctx, &api.Request{
			Method: http.MethodPost, Path: apiPrefix + path("backfills", "plan"), Body: p.Request,
			Query: url.Values{"skip": {strconv.Itoa(skip)}, "most": {strconv.Itoa(planPage)}},
		}, &part); err != nil {
			return err
		}
		if !slices.EqualFunc(part.Jobs, p.Jobs, func(a, b web.BackfillPlanJob) bool { return a.Fingerprint == b.Fingerprint }) {
			return &failedError{"the world has changed while the plan was being listed; plan again"}
		}
		for i := range part.Instances {
			if err := each(&part.Instances[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
