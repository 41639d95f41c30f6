package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
	api "github.com/almanac-sched/almanac/web/client"
)

// parseRef reads workflow/job.
func parseRef(text string) (engine.JobRef, error) {
	workflow, job, ok := strings.Cut(text, "/")
	if !ok || workflow == "" || job == "" || strings.ContainsAny(job, "/@") {
		return engine.JobRef{}, usagef("%q is no job; write workflow/job", text)
	}
	return engine.JobRef{Workflow: workflow, Job: job}, nil
}

// job finds a job by workflow/job, or by its own name where no other has it.
func (c *client) job(ctx context.Context, text string) (engine.JobRef, error) {
	if text == "" || strings.ContainsAny(text, "/@") {
		return parseRef(text)
	}
	query := url.Values{"q": {text}, "limit": {"500"}}
	var found []string
	for more := true; more; {
		var page web.JobPage
		if err := c.get(ctx, "jobs", query, &page); err != nil {
			return engine.JobRef{}, err
		}
		for _, j := range page.Items {
			if j.Job.Job == text {
				found = append(found, j.Workflow+"/"+j.Job.Job)
			}
		}
		more = page.Next != ""
		query.Set("cursor", page.Next)
	}
	return onlyJob(text, found)
}

// onlyJob is the one job that has a name.
func onlyJob(name string, found []string) (engine.JobRef, error) {
	switch len(found) {
	case 0:
		return engine.JobRef{}, fmt.Errorf("%w: there is no job %s; `almanac jobs` lists them", engine.ErrNotFound, name)
	case 1:
		return parseRef(found[0])
	}
	return engine.JobRef{}, usagef("%q is the name of %d jobs; write one of %s", name, len(found), strings.Join(found, ", "))
}

// name reads workflow/job@plan time, or job@plan time where no other job has the name.
func (c *client) name(ctx context.Context, text string) (ref engine.JobRef, at string, err error) {
	short, at, ok := strings.Cut(text, "@")
	if !ok || short == "" || at == "" || strings.Contains(short, "/") {
		return parseName(text)
	}
	ref, err = c.job(ctx, short)
	return ref, at, err
}

// parseName reads workflow/job@plan time; the time is read when the job's zone is known.
func parseName(text string) (ref engine.JobRef, at string, err error) {
	name, at, ok := strings.Cut(text, "@")
	if ok {
		ref, err = parseRef(name)
	}
	if !ok || err != nil || at == "" {
		return ref, "", usagef("%q is no instance; write its id, or workflow/job@plan time such as retail/orders@2026-10-01T06:00", text)
	}
	return ref, at, nil
}

// instance finds an instance by its id or its name.
func (c *client) instance(ctx context.Context, text string) (i web.Instance, err error) {
	if id, err := strconv.ParseInt(text, 10, 64); err == nil {
		err = c.do(ctx, api.NewGetInstanceRequest(id), &i)
		return i, err
	}
	ref, written, err := c.name(ctx, text)
	if err != nil {
		return i, err
	}
	at, err := c.planTime(ctx, ref, written)
	if err != nil {
		return i, err
	}
	query := url.Values{"workflow": {ref.Workflow}, "job": {ref.Job}, "from": {stamp(at)}, "to": {stamp(at.Add(time.Millisecond))}}
	found, err := c.instances(ctx, query, 500)
	if err != nil {
		return i, err
	}
	if len(found) == 0 {
		return i, fmt.Errorf("%s@%s: %w: no such instance is recorded", ref, stamp(at), engine.ErrNotFound)
	}
	// A scheduled instance and manual ones may share a plan time: the scheduled one is meant, else the newest.
	best := found[0]
	for _, other := range found[1:] {
		if (other.Kind == engine.Scheduled) != (best.Kind == engine.Scheduled) {
			if other.Kind == engine.Scheduled {
				best = other
			}
		} else if other.ID > best.ID {
			best = other
		}
	}
	return best, nil
}

// planTime reads a plan time as it was written: without an offset it is in the job's zone, which the server knows.
func (c *client) planTime(ctx context.Context, ref engine.JobRef, written string) (time.Time, error) {
	return c.zonedTime(ctx, "the plan time", written, ref)
}

// zonedTime reads a time; without an offset it is in the job's zone.
func (c *client) zonedTime(ctx context.Context, name, written string, ref engine.JobRef) (time.Time, error) {
	zone := time.UTC
	if _, err := time.Parse(time.RFC3339, written); err != nil {
		var job web.JobDetail
		if err := c.do(ctx, api.NewGetJobRequest(ref.Workflow, ref.Job, api.GetJobParams{}), &job); err != nil {
			return time.Time{}, err
		}
		if zone, err = time.LoadLocation(job.TimeZone); err != nil {
			return time.Time{}, fmt.Errorf("zone of %s: %w", ref, err)
		}
	}
	return instant(name, written, zone)
}

// instances lists at most limit instances, page after page.
func (c *client) instances(ctx context.Context, query url.Values, limit int) ([]web.Instance, error) {
	all, _, err := c.instancesFrom(ctx, query, limit)
	return all, err
}

// instancesFrom lists at most limit instances, and says where the list goes on.
func (c *client) instancesFrom(ctx context.Context, query url.Values, limit int) (all []web.Instance, next string, err error) {
	all = []web.Instance{}
	r := api.NewListInstancesRequest(api.ListInstancesParams{})
	r.Query = query
	for {
		query.Set("limit", strconv.Itoa(max(1, min(500, limit-len(all)))))
		var page web.InstancePage
		if err := c.do(ctx, r, &page); err != nil {
			return nil, "", err
		}
		all = append(all, page.Items...)
		if page.Next == "" || len(all) >= limit {
			return all[:min(limit, len(all))], page.Next, nil
		}
		query.Set("cursor", page.Next)
	}
}

// watchEvery is how often a command asks again, although no stream said that something happened, while it waits for something to end.
const watchEvery = 500 * time.Millisecond

// signals follows an instance: something is sent when a line is written into its history, and at the beginning. It ends with ctx.
func (c *client) signals(ctx context.Context, id web.ID) <-chan struct{} {
	signals := make(chan struct{}, 1)
	go func() {
		r := api.NewStreamChangesRequest(api.StreamChangesParams{Instance: int64(id)})
		_ = c.api.Follow(ctx, r, func(api.Message) error { // without it the tick is all there is
			select {
			case signals <- struct{}{}:
			default:
			}
			return nil
		})
	}()
	return signals
}

// wait asks until the instance has ended or cannot end without a person.
func (c *client) wait(ctx context.Context, id web.ID) (i web.Instance, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	happened := c.signals(ctx, id)
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var away absence
	for {
		var seen web.Instance
		if err = c.do(ctx, api.NewGetInstanceRequest(int64(id)), &seen); err == nil {
			i = seen
		}
		if !away.bears(ctx, err) || i.State.Ended() || i.State == engine.Lost {
			return i, err
		}
		select {
		case <-ctx.Done():
			return i, ctx.Err()
		case <-happened:
		case <-tick.C:
		}
	}
}

// spent is how long an instance has been running, or ran; "" when it never started.
func spent(i *web.Instance) string {
	switch {
	case i.StartedAt.IsZero():
		return ""
	case i.EndedAt.IsZero():
		return duration(now().Sub(i.StartedAt))
	}
	return duration(i.EndedAt.Sub(i.StartedAt))
}

// completeJobs completes workflow/job from the server or the data directory.
func (a *app) completeJobs(n *connection) cobra.CompletionFunc {
	return a.complete(n, func(ctx context.Context, client *client) (names []string, err error) {
		var page web.JobPage
		err = client.do(ctx, api.NewListJobsRequest(api.ListJobsParams{Limit: 500}), &page)
		for _, j := range page.Items {
			names = append(names, j.Workflow+"/"+j.Job.Job)
		}
		return names, err
	})
}

// completeInstances completes the names of instances that are due or have ended lately.
func (a *app) completeInstances(n *connection) cobra.CompletionFunc {
	return a.complete(n, func(ctx context.Context, client *client) (names []string, err error) {
		found, err := client.instances(ctx, url.Values{"to": {stamp(now())}}, 100)
		for i := range found {
			names = append(names, found[i].Name+"\t"+cmp.Or(found[i].Reason.Text, string(found[i].State)))
		}
		return names, err
	})
}

// complete completes the first argument by what is asked of the server or the data directory; when that fails there is nothing to choose from.
func (a *app) complete(n *connection, ask func(context.Context, *client) ([]string, error)) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		client, done, err := a.connectOrOpen(c.Context(), n)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer done()
		names, err := ask(c.Context(), client)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
