package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/web"
	api "github.com/almanac-sched/almanac/web/client"
)

func (a *app) backfillCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "backfill",
		Short: "run days that have passed, again or for the first time",
		Long: `Run instances of days that have passed: what is missing, what failed, what is stale, or all. First a plan is made and saved, which lists every instance
of the range, in or out, and why. Applying it runs exactly that, or nothing when the world has changed since.

A backfill runs in a lane of its own beside the day: it takes no more than its share of the slots, gets no less than a part of them when it has work, and
can be held to a window of the night. docs/backfill.md says more.`,
		Example: `  almanac backfill plan retail/orders --from 2026-10-01 --to 2026-10-31 --downstream all -o october.json
  almanac backfill apply october.json --note "the source was repaired"
  almanac backfill show --follow bf-5f0d2b1c9a77`,
	}
	exits(c)
	c.AddCommand(a.backfillPlanCommand(), a.backfillApplyCommand(), a.backfillListCommand(), a.backfillShowCommand(), a.backfillActCommand("pause"),
		a.backfillActCommand("resume"), a.backfillActCommand("cancel"), a.backfillSetCommand())
	return c
}

func (a *app) backfillPlanCommand() *cobra.Command {
	var (
		r    web.BackfillRequest
		file string
		all  bool
	)
	c := &cobra.Command{
		Use:   "plan JOB...",
		Short: "say what a backfill would do, instance by instance, and save it",
		Long: `Plan a backfill of jobs, each given as workflow/job: which instances of the days would run, which would not, and why. Nothing is changed. With -o the plan
is saved, to be applied later. Without a running server it reads the data directory.

Days are counted in each job's zone; --from and --to are both included. What a job was not yet there for is planned as its rule would have had it.
An instance waits for those of the same backfill, and for what is recorded where the backfill does not hold them. One whose upstream is neither would
wait for ever and is left out, unless --upstream takes it in or --ignore-missing counts it as satisfied.`,
		Example: `  almanac backfill plan retail/orders --from 2026-10-01 --to 2026-10-31 -o october.json
  almanac backfill plan retail/orders --dates 2026-10-01,2026-10-15..17 --select failed,stale --list
  almanac backfill plan retail/orders --from 2026-10-01 --to 2026-10-31 --downstream all --order desc \
    --parallel 4 --share 1..2 --window "22:00-06:00 Europe/Berlin" --stop-on-failure -o october.json`,
		Args: cobra.ArbitraryArgs,
	}
	exits(c, exitFailed, exitInvalid, exitNotPermitted, exitUnusable)
	n := a.addConnection(c)
	c.ValidArgsFunction = a.completeJobs(n)
	f := c.Flags()
	f.StringVar(&r.From, "from", "", "the first day, such as 2026-10-01; with --to")
	f.StringVar(&r.To, "to", "", "the last day, which is included")
	f.StringSliceVar(&r.Dates, "dates", nil, "days and ranges of days in their place: 2026-10-01,2026-10-15..17")
	f.StringSliceVar(&r.Select, "select", nil, "what of them: missing, failed, stale, all (default missing,failed)")
	f.StringVar(&r.Upstream, "upstream", "", "also jobs that these wait for: how many steps away, all, or names")
	f.StringVar(&r.Downstream, "downstream", "", "also jobs that wait for these")
	order := addChoice(c, "order", "", "the earliest day first, or the latest; then only what is of one day is waited for", "asc", "desc")
	f.IntVar(&r.Parallel, "parallel", 0, "instances of it that run at once (default as many as the share lets)")
	f.BoolVar(&r.ByDay, "by-day", false, "a day begins when the one before has ended")
	f.BoolVar(&r.StopOnFailure, "stop-on-failure", false, "nothing more starts when an instance has failed, until it is resumed")
	f.StringSliceVar(&r.Steps, "steps", nil, "only these steps of the jobs that are named")
	f.IntVar(&r.Priority, "priority", 0, "1 (last) to 9 (first) (default two below that of each job)")
	f.StringVar(&r.Share, "share", "", "MIN..MAX slots of each server (default 1 to a quarter of them)")
	f.StringVar(&r.Window, "window", "", `when its instances may start, such as "22:00-06:00 Europe/Berlin"`)
	f.BoolVar(&r.IgnoreMissing, "ignore-missing", false, "what is outside of it and not recorded counts as satisfied")
	f.StringVarP(&file, "output", "o", "", "save the plan in this file; - prints it")
	f.BoolVar(&all, "list", false, "list every instance")
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("%s needs JOB", c.CommandPath())
		}
		r.Jobs, r.Order = args, order.value
		client, done, err := a.connectOrOpen(c.Context(), n)
		if err != nil {
			return err
		}
		defer done()
		var plan web.BackfillPlan
		if err := client.patient().post(c.Context(), path("backfills", "plan"), nil, r, &plan); err != nil {
			return err
		}
		if file == "-" {
			return writeBackfillPlan(a.stdout, &plan)
		}
		if file != "" {
			if err := saveBackfillPlan(file, &plan); err != nil {
				return err
			}
		}
		return a.printBackfillPlan(&plan, all, file)
	}
	return c
}

// printBackfillPlan prints what a plan comes to, and with all each instance.
func (a *app) printBackfillPlan(p *web.BackfillPlan, all bool, file string) error {
	if all {
		rows := make([][]string, 0, len(p.Instances))
		for i := range p.Instances {
			n := &p.Instances[i]
			in := "out"
			if n.In {
				in = "in"
			}
			why := n.Why
			if n.Text != "" {
				why += ": " + n.Text
			}
			rows = append(rows, []string{clock(n.PlanTime), n.Job, in, why, strings.Join(n.Waits, "\n")})
		}
		if err := writeTable(a.stdout, []string{"plan time", "job", "", "why", "waits for"}, rows, nil); err != nil {
			return err
		}
		fmt.Fprintln(a.stdout)
	}
	rows := make([][]string, 0, len(p.Jobs))
	for _, j := range p.Jobs {
		rows = append(rows, []string{j.Workflow + "/" + j.Job, fmt.Sprint(j.In), fmt.Sprint(j.Out), j.Note})
	}
	if err := writeTable(a.stdout, []string{"job", "in", "out", ""}, rows, nil); err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "\n%s  %s in, %d out: %s\n", p.ID, count(p.In, "instance"), p.Out, whyWords(p.Why))
	first := ""
	for i := range p.Instances {
		if n := &p.Instances[i]; n.Why == "upstream-missing" {
			first = fmt.Sprintf("%s@%s is out: %s\n", n.Job, stamp(n.PlanTime), n.Text)
			break
		}
	}
	fmt.Fprint(a.stdout, printable(first))
	if file != "" && p.In > 0 {
		fmt.Fprintf(a.stdout, "almanac backfill apply %s   runs exactly this\n", file)
	}
	return nil
}

// whyWords lists how many instances there are for each reason, the most common first.
func whyWords(why map[string]int) string {
	words := make([]string, 0, len(why))
	for word := range why {
		words = append(words, word)
	}
	slices.SortFunc(words, func(a, b string) int {
		if why[a] != why[b] {
			return why[b] - why[a]
		}
		return strings.Compare(a, b)
	})
	for i, word := range words {
		words[i] = fmt.Sprintf("%d %s", why[word], word)
	}
	return strings.Join(words, ", ")
}

func (a *app) backfillApplyCommand() *cobra.Command {
	var note string
	c := &cobra.Command{
		Use:   "apply PLAN.json",
		Short: "run exactly what a saved plan says",
		Long: `Carry a saved plan out: exactly its instances, in one transaction. When definitions or states are not those that it was made of any more, nothing is done,
what has changed is named, and the exit status is 3. Applying the same plan again is applying it once.`,
		Example: `  almanac backfill apply october.json --note "the source was repaired"`,
		Args:    exactly("PLAN.json"),
	}
	exits(c, exitFailed, exitInvalid, exitNotPermitted)
	n := a.addConnection(c)
	addNote(c, &note)
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		plan, err := readBackfillPlan(args[0])
		if err != nil {
			return err
		}
		client, err := a.connect(c.Context(), n)
		if err != nil {
			return err
		}
		head := *plan
		head.Instances = nil // the server makes them anew, and holds them against the fingerprint
		var b web.Backfill
		err = client.patient().post(c.Context(), path("backfills"), nil, web.BackfillApplyRequest{Plan: head, Note: note}, &b)
		if isDrift(err) {
			return a.explainDrift(c.Context(), client, plan, args[0], err)
		}
		if err != nil {
			return err
		}
		return a.printBackfill(&b, output.value)
	}
	return c
}

// explainDrift prints what of a saved plan is not so any more, by making it again.
func (a *app) explainDrift(ctx context.Context, client *client, plan *web.BackfillPlan, file string, refused error) error {
	a.warn("%s", refused.Error())
	var fresh web.BackfillPlan
	if err := client.patient().post(ctx, path("backfills", "plan"), nil, plan.Request, &fresh); err == nil {
		for _, line := range planChanges(plan, &fresh) {
			a.warn("  %s", printable(line))
		}
	}
	return &invalidError{fmt.Sprintf("%s was not applied: plan again", file)}
}

func (a *app) backfillListCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "ls",
		Short:   "list backfills, the newest first",
		Long:    `List backfills, the newest first, with how far each is. Without a running server it reads the data directory.`,
		Example: `  almanac backfill ls`,
		Args:    exactly(),
	}
	exits(c, exitFailed, exitNotPermitted, exitUnusable)
	n := a.addConnection(c)
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		client, done, err := a.connectOrOpen(c.Context(), n)
		if err != nil {
			return err
		}
		defer done()
		var page web.BackfillPage
		if err := client.get(c.Context(), path("backfills"), nil, &page); err != nil {
			return err
		}
		if output.value == "json" {
			return writeJSON(a.stdout, page.Items)
		}
		rows := make([][]string, 0, len(page.Items))
		for i := range page.Items {
			b := &page.Items[i]
			rows = append(rows, []string{b.ID, string(b.State), fmt.Sprintf("%d/%d", b.Done, b.Total), backfillJobs(b, 2), b.Actor, stamp(b.CreatedAt), printable(b.Note)})
		}
		return writeTable(a.stdout, []string{"id", "state", "done", "jobs", "by", "since", "note"}, rows, nil)
	}
	return c
}

func backfillJobs(b *web.Backfill, most int) string {
	var names []string
	for i, j := range b.Jobs {
		if i == most {
			names = append(names, fmt.Sprintf("%d more", len(b.Jobs)-most))
			break
		}
		names = append(names, j.Workflow+"/"+j.Job)
	}
	return strings.Join(names, ", ")
}

func (a *app) backfillShowCommand() *cobra.Command {
	var follow, days bool
	c := &cobra.Command{
		Use:   "show BACKFILL",
		Short: "show how far a backfill is",
		Long: `Show a backfill: how far it is, why nothing more of it starts, and when it will have ended by how long its jobs took so far. With --follow it goes on until
the backfill has ended; the exit status is 1 when an instance of it did not end well. With --days it is counted day by day, in the zone of each job.`,
		Example: `  almanac backfill show bf-5f0d2b1c9a77 --follow
  almanac backfill show bf-5f0d2b1c9a77 --days`,
		Args: exactly("BACKFILL"),
	}
	exits(c, exitFailed, exitNotFound, exitNotPermitted, exitUnusable)
	n := a.addConnection(c)
	c.ValidArgsFunction = a.completeBackfills(n)
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on until it has ended")
	c.Flags().BoolVar(&days, "days", false, "count its instances by day and state")
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if follow && days {
			return usagef("give --follow or --days, not both")
		}
		client, done, err := a.connectOrOpen(c.Context(), n)
		if err != nil {
			return err
		}
		defer done()
		if days {
			return a.printBackfillDays(c.Context(), client, args[0], output.value)
		}
		var b web.Backfill
		if err := client.get(c.Context(), path("backfills", args[0]), nil, &b); err != nil {
			return err
		}
		if follow && b.EndedAt.IsZero() {
			if b, err = a.followBackfill(c.Context(), client, b, output.value); err != nil {
				return err
			}
		}
		if err := a.printBackfill(&b, output.value); err != nil {
			return err
		}
		if bad := b.Instances.Failed + b.Instances.Cancelled; follow && bad > 0 {
			return &failedError{fmt.Sprintf("%s of %s did not end well", count(bad, "instance"), b.ID)}
		}
		return nil
	}
	return c
}

// completeBackfills completes ids of backfills.
func (a *app) completeBackfills(n *connection) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		client, done, err := a.connectOrOpen(c.Context(), n)
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer done()
		var page web.BackfillPage
		if client.get(c.Context(), path("backfills"), nil, &page) != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var ids []string
		for i := range page.Items {
			ids = append(ids, page.Items[i].ID+"\t"+backfillJobs(&page.Items[i], 2))
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}

// printBackfill prints one backfill.
func (a *app) printBackfill(b *web.Backfill, form string) error {
	if form == "json" {
		return writeJSON(a.stdout, b)
	}
	var w strings.Builder
	fmt.Fprintf(&w, "%s  %s  %d of %s done%s\n", b.ID, b.State, b.Done, count(b.Total, "instance"), countWords(&b.Instances))
	if b.Reason.Text != "" {
		fmt.Fprintf(&w, "  why: %s\n", printable(b.Reason.Text))
	}
	if b.Holding != "" {
		fmt.Fprintf(&w, "  starts nothing just now: %s\n", printable(b.Holding))
	}
	if b.SecondsLeft != nil && b.EndedAt.IsZero() {
		fmt.Fprintf(&w, "  about %s left\n", duration(time.Duration(*b.SecondsLeft)*time.Second))
	}
	for _, j := range b.Jobs {
		fmt.Fprintf(&w, "  %s/%s: %s\n", j.Workflow, j.Job, count(j.Instances, "instance"))
	}
	fmt.Fprintf(&w, "  %s\n", strings.Join(laneWords(b), ", "))
	_, err := fmt.Fprint(a.stdout, w.String())
	return err
}

// laneWords says how a backfill is carried out.
func laneWords(b *web.Backfill) []string {
	words := []string{"order " + b.Order}
	add := func(is bool, format string, args ...any) {
		if is {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	add(b.Parallel > 0, "at most %d at once", b.Parallel)
	add(b.Share != "", "share %s", b.Share)
	add(b.Priority > 0, "priority %d", b.Priority)
	add(b.Window != "", "window %s", b.Window)
	add(b.ByDay, "by day")
	add(b.StopOnFailure, "stop on failure")
	add(b.IgnoreMissing, "ignore missing")
	add(len(b.Steps) > 0, "steps %s", strings.Join(b.Steps, ","))
	return words
}

func countWords(n *web.InstanceCounts) string {
	var words []string
	for _, c := range []struct {
		n    int
		word string
	}{{n.Waiting, "waiting"}, {n.Running, "running"}, {n.Lost, "lost"}, {n.Succeeded, "succeeded"}, {n.Forced, "forced"}, {n.Failed, "failed"}, {n.Skipped, "skipped"}, {n.Cancelled, "cancelled"}} {
		if c.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", c.n, c.word))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return ": " + strings.Join(words, ", ")
}

// backfillActCommand makes a command that does to a backfill what its name says.
func (a *app) backfillActCommand(what string) *cobra.Command {
	var (
		note    string
		running bool
	)
	about := map[string][2]string{
		"pause":  {"let nothing more of a backfill start", "Let nothing more of a backfill start. What runs goes on. Pausing twice is pausing once."},
		"resume": {"let a paused backfill go on", "Let a paused backfill go on, also one that stopped because an instance of it failed."},
		"cancel": {"cancel what waits of a backfill", "Cancel what waits of a backfill; nothing more of it starts from now on. What runs goes on, unless --running asks it to stop too."},
	}[what]
	c := &cobra.Command{
		Use: what + " BACKFILL", Short: about[0], Long: about[1], Example: "  almanac backfill " + what + ` bf-5f0d2b1c9a77 --note "the source is down"`,
		Args: exactly("BACKFILL"),
	}
	exits(c, exitFailed, exitNotFound, exitNotPermitted)
	n := a.addConnection(c)
	c.ValidArgsFunction = a.completeBackfills(n)
	addNote(c, &note)
	if what == "cancel" {
		c.Flags().BoolVar(&running, "running", false, "what runs of it too")
	}
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		client, err := a.connect(c.Context(), n)
		if err != nil {
			return err
		}
		var body any = web.NoteRequest{Note: note}
		if what == "cancel" {
			body = web.CancelBackfillRequest{Running: running, Note: note}
		}
		var b web.Backfill
		if err := client.post(c.Context(), path("backfills", args[0], what), nil, body, &b); err != nil {
			return err
		}
		return a.printBackfill(&b, output.value)
	}
	return c
}

func (a *app) backfillSetCommand() *cobra.Command {
	var (
		note, share, window string
		priority, parallel  int
	)
	c := &cobra.Command{
		Use:     "set BACKFILL",
		Short:   "change how a backfill goes on",
		Long:    `Change how a backfill that has not ended goes on: its priority, how much of it runs at once, its share of the slots, its window. What is not given stays.`,
		Example: `  almanac backfill set bf-5f0d2b1c9a77 --priority 7 --share 1..4 --window ""`,
		Args:    exactly("BACKFILL"),
	}
	exits(c, exitFailed, exitNotFound, exitNotPermitted)
	n := a.addConnection(c)
	c.ValidArgsFunction = a.completeBackfills(n)
	c.Flags().IntVar(&priority, "priority", 0, "1 (last) to 9 (first)")
	c.Flags().IntVar(&parallel, "parallel", 0, "instances of it that run at once; 0 is as many as the share lets")
	c.Flags().StringVar(&share, "share", "", "MIN..MAX slots of each server; empty is the default")
	c.Flags().StringVar(&window, "window", "", "when its instances may start; empty is always")
	addNote(c, &note)
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		change := web.BackfillChange{Note: note}
		given := c.Flags().Changed
		if given("priority") {
			change.Priority = &priority
		}
		if given("parallel") {
			change.Parallel = &parallel
		}
		if given("share") {
			change.Share = &share
		}
		if given("window") {
			change.Window = &window
		}
		client, err := a.connect(c.Context(), n)
		if err != nil {
			return err
		}
		var b web.Backfill
		if err := client.do(c.Context(), &api.Request{Method: http.MethodPatch, Path: apiPrefix + path("backfills", args[0]), Body: change}, &b); err != nil {
			return err
		}
		return a.printBackfill(&b, output.value)
	}
	return c
}
