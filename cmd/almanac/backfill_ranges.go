package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/almanac-sched/almanac/web"
	api "github.com/almanac-sched/almanac/web/client"
)

// rangeChanges lists how the jobs of two plans differ whose instances are not listed, at most some
// lines.
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
		for n < len(old) && n < len(is) && sameRange(&old[n], &is[n]) {
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
	why := r.Why
	if len(r.Reasons) > 0 {
		in, why = "in or out", whyWords(r.Reasons)
	}
	return fmt.Sprintf(
		"%s from %s to %s %s (%s)", count(r.Instances, "instance"), stamp(r.From), stamp(r.To), in, why)
}

// sameRange reports whether two ranges say the same.
func sameRange(a, b *web.BackfillPlanRange) bool {
	return a.From.Equal(b.From) && a.To.Equal(b.To) && a.Instances == b.Instances &&
		a.In == b.In && a.Why == b.Why && maps.Equal(a.Reasons, b.Reasons)
}

// planPage is how many instances of a plan are in one table of the list.
const planPage = 10_000

// eachPlanned calls each for every instance of a plan, one after the other. It asks for them when
// the plan has not listed them.
func eachPlanned(ctx context.Context, c *client, p *web.BackfillPlan, each func(*web.BackfillPlanInstance) error) error {
	if len(p.Instances) > 0 {
		for i := range p.Instances {
			if err := each(&p.Instances[i]); err != nil {
				return err
			}
		}
		return nil
	}
	slow := c.patient()
	endless := *slow.api.HTTP
	endless.Timeout = 0 // a list takes as long as whoever reads it
	slow.api.HTTP = &endless
	where := apiPrefix + path("backfills", "plan", "instances")
	request := &api.Request{Method: http.MethodPost, Path: where, Body: p.Request}
	response, err := slow.api.Send(ctx, request)
	if err != nil {
		return refused(where, err)
	}
	defer response.Body.Close()
	lines := json.NewDecoder(response.Body)
	var head web.BackfillPlan
	if err := lines.Decode(&head); err != nil {
		return fmt.Errorf("read the list of the plan: %w", err)
	}
	if !slices.EqualFunc(head.Jobs, p.Jobs, func(a, b web.BackfillPlanJob) bool {
		return a.Fingerprint == b.Fingerprint
	}) {
		return &failedError{"the world has changed while the plan was being listed; plan again"}
	}
	for range head.In + head.Out {
		var n web.BackfillPlanInstance
		if err := lines.Decode(&n); err != nil {
			return fmt.Errorf("the list of the plan was cut off: %w", err)
		}
		if err := each(&n); err != nil {
			return err
		}
	}
	return nil
}
