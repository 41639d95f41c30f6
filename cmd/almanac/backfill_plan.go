package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

func (a *app) backfillPlanCommand() *cobra.Command {
	var (
		r    web.BackfillRequest
		file string
		all  bool
	)
	c := &cobra.Command{
		Use:   "plan JOB...",
		Short: "say what a backfill would do, instance by instance, and save it",
		Long: `Plan a backfill of jobs, each given as workflow/job, or by its own name where no other job has it: which instances of the days would run, which would not, and why. Nothing is changed. With -o the plan
is saved, to be applied later. Without a running server it reads the data directory.

Days are counted in each job's zone; --from and --to are both included. What a job was not yet there for is planned as its rule would have had it.
An instance waits for those of the same backfill, and for what is recorded where the backfill does not hold them. One whose upstream is neither would
wait for ever and is left out, unless --upstream takes it in or --ignore-missing counts it as satisfied.

The range holds 20,000,000 instances at most. A file of more than 10,000 says in ranges what runs and why;
--list prints every instance all the same, as the server makes the list.`,
		Example: `  almanac backfill plan retail/orders --from 2026-10-01 --to 2026-10-31 -o october.json
  almanac backfill plan retail/orders --dates 2026-10-01,2026-10-15..17 --select failed,stale --list
  almanac backfill plan retail/orders --from 2026-10-01 --to 2026-10-31 --downstream all --order desc --parallel 4 --share 1..2 --window "22:00-06:00 Europe/Berlin" --stop-on-failure -o october.json`,
		Args: cobra.ArbitraryArgs,
	}
	exits(c, exitFailed, exitInvalid, exitNotPermitted, exitUnusable)
	n := a.addConnection(c)
	c.ValidArgsFunction = a.completeJobs(n)
	f := c.Flags()
	f.StringVar(&r.From, "from", "", "the first day, such as 2026-10-01 or yesterday; with --to")
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
		r.Jobs, r.Order = slices.Clone(args), order.value
		client, done, err := a.connectOrOpen(c.Context(), n)
		if err != nil {
			return err
		}
		defer done()
		for k, name := range args {
			if ref, err := client.job(c.Context(), name); err == nil { // else it is among the mistakes that are told all at once
				r.Jobs[k] = ref.String()
			} else if !strings.Contains(name, "/") && !errors.Is(err, engine.ErrNotFound) {
				return err
			}
		}
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
		return a.printBackfillPlan(c.Context(), client, &plan, all, file)
	}
	return c
}

// printBackfillPlan prints what a plan comes to, and with all each instance.
func (a *app) printBackfillPlan(ctx context.Context, c *client, p *web.BackfillPlan, all bool, file string) error {
	if all {
		header := []string{"plan time", "job", "", "why", "waits for"}
		var rows [][]string
		err := eachPlanned(ctx, c, p, func(n *web.BackfillPlanInstance) error {
			in := "out"
			if n.In {
				in = "in"
			}
			more := n.Waits
			if n.Text != "" {
				more = append([]string{n.Text}, more...)
			}
			rows = append(rows, []string{a.view.clock(n.PlanTime), n.Job, in, n.Why, strings.Join(more, "\n")})
			if len(rows) < planPage {
				return nil
			}
			err := a.view.table(a.stdout, header, rows, nil)
			rows = rows[:0]
			return err
		})
		if err != nil {
			return err
		}
		if len(rows) > 0 {
			if err := a.view.table(a.stdout, header, rows, nil); err != nil {
				return err
			}
		}
		fmt.Fprintln(a.stdout)
	}
	rows := make([][]string, 0, len(p.Jobs))
	for _, j := range p.Jobs {
		rows = append(rows, []string{j.Workflow + "/" + j.Job, fmt.Sprint(j.In), fmt.Sprint(j.Out), j.Note})
	}
	if err := a.view.table(a.stdout, []string{"job", "in", "out", ""}, rows, nil); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout)
	if err := a.view.prose(a.stdout, "%s  %s in, %d out: %s", p.ID, count(p.In, "instance"), p.Out, whyWords(p.Why)); err != nil {
		return err
	}
	first := ""
	for i := range p.Instances {
		if n := &p.Instances[i]; n.Why == "upstream-missing" {
			first = fmt.Sprintf("%s@%s is out: %s", n.Job, stamp(n.PlanTime), n.Text)
			break
		}
	}
	if first != "" {
		if err := a.view.prose(a.stdout, "%s", printable(first)); err != nil {
			return err
		}
	}
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
	var (
		note   string
		noWait bool
	)
	c := &cobra.Command{
		Use:   "apply PLAN.json",
		Short: "run exactly what a saved plan says",
		Long: `Carry a saved plan out: exactly its instances, all of them or none. When definitions or states are not those that it was made of any more, nothing is
done, what has changed is named, and the exit status is 3. Applying the same plan again is applying it once.

The server writes a large plan in many short steps, beside all that is due. The backfill is "applying" meanwhile: nothing of it starts before the last
instance is written. The command shows how far it is and returns when it is applied, or at once with --no-wait; the server goes on without it.`,
		Example: `  almanac backfill apply october.json --note "the source was repaired"`,
		Args:    exactly("PLAN.json"),
	}
	exits(c, exitFailed, exitInvalid, exitNotPermitted)
	n := a.addConnection(c)
	addNote(c, &note)
	c.Flags().BoolVar(&noWait, "no-wait", false, "return as soon as the server has taken the plan down")
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
		head.Instances, head.Jobs = nil, slices.Clone(plan.Jobs)
		for n := range head.Jobs {
			head.Jobs[n].Ranges = nil // the server makes them anew, and holds them against the fingerprint
		}
		var b web.Backfill
		err = client.patient().post(c.Context(), path("backfills"), nil, web.BackfillApplyRequest{Plan: head, Note: note}, &b)
		if isDrift(err) {
			return a.explainDrift(c.Context(), client, plan, args[0], err)
		}
		if err != nil {
			return err
		}
		if b.State == engine.BackfillApplying && !noWait {
			if b, err = a.followApplying(c.Context(), client, b, output.value); err != nil {
				return err
			}
		}
		if err := a.printBackfill(&b, output.value); err != nil {
			return err
		}
		if b.State == engine.BackfillWithdrawing || b.State == engine.BackfillCancelled {
			return &failedError{b.ID + " was not applied: " + printable(b.Reason.Text)}
		}
		return nil
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
