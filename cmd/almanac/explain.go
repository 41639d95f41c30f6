package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/recurrence"
	"github.com/almanac-sched/almanac/web"
	api "github.com/almanac-sched/almanac/web/client"
)

func (a *app) explainCommand() *cobra.Command {
	var from string
	c := &cobra.Command{
		Use:   "explain INSTANCE",
		Short: "say why an instance waits, runs or ended as it did",
		Long: `Explain an instance, given by its id or as workflow/job@plan time: every gate, each dependency with its rule and what it has come to, and the chain of
what it waits for down to the root. Without a running server it reads the data directory.

With --folder it answers from the definitions alone: what an instance of that plan time would wait for, and why.`,
		Example: `  almanac explain retail/report@2026-10-01T12:00
  almanac explain retail/report@2026-10-01T12:00:00+08:00 --folder pipelines`,
		Args: exactly("INSTANCE"),
	}
	exits(c, exitFailed, exitInvalid, exitNotFound, exitNotPermitted, exitUnusable)
	n := a.addConnection(c)
	c.Flags().StringVar(&from, "folder", "", "answer from the definitions in this folder")
	output := addOutput(c)
	fromServer := a.completeInstances(n)
	c.ValidArgsFunction = func(c *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		if from == "" {
			return fromServer(c, args, toComplete)
		}
		f, _, err := readFolder(from)
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []string
		for _, j := range f.jobs {
			names = append(names, j.Ref().String()+"@")
		}
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if from != "" {
			return a.explainFolder(from, args[0], output.value)
		}
		client, done, err := a.connectOrOpen(c.Context(), n)
		if err != nil {
			return err
		}
		defer done()
		i, err := client.instance(c.Context(), args[0])
		if errors.Is(err, engine.ErrNotFound) {
			return fmt.Errorf("%w; for one that is not planned yet, --folder answers from the definitions", err)
		}
		if err != nil {
			return err
		}
		var x web.Explanation
		if err := client.do(c.Context(), api.ExplainInstanceRequest(int64(i.ID)), &x); err != nil {
			return err
		}
		if output.value == "json" {
			return writeJSON(a.stdout, x)
		}
		return printExplanation(a.stdout, &x, a.terminal(a.stdout))
	}
	return c
}

func printExplanation(w io.Writer, x *web.Explanation, terminal bool) error {
	var b strings.Builder
	i := &x.Instance
	fmt.Fprintf(&b, "%s  %s  (instance %s)\n", i.Name, stateText(i.State, terminal), i.ID)
	fmt.Fprintf(&b, "  why: %s\n", printable(i.Reason.Text))
	if len(x.Gates) > 0 {
		b.WriteString("\ngates\n")
		for _, g := range x.Gates {
			if g.Open {
				fmt.Fprintf(&b, "  %-11s  open\n", g.Gate)
			} else {
				fmt.Fprintf(&b, "  %-11s  closed: %s\n", g.Gate, printable(g.Reason.Text))
			}
		}
	}
	if len(x.Dependencies) > 0 {
		b.WriteString("\nwaits for\n")
		for _, d := range x.Dependencies {
			fmt.Fprintf(&b, "  %s\n    looked in %s\n", printable(d.Text), windowWords(d.Window.From, d.Window.To, d.Window.Closed))
		}
	}
	if len(x.Blockers) > 0 {
		b.WriteString("\nblocked by\n")
		for depth, link := range x.Blockers {
			state := "not planned yet"
			if link.State != "" {
				state = stateText(link.State, terminal)
			}
			fmt.Fprintf(&b, "  %s%s/%s@%s  %s  %s\n", strings.Repeat("  ", min(depth, 20)), link.Workflow, link.Job, stamp(link.PlanTime), state, printable(link.Reason.Text))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// windowWords prints a window with the brackets of its bounds.
func windowWords(from, to time.Time, closed string) string {
	left, right := "(", ")"
	if closed != "right" {
		left = "["
	}
	if closed != "left" {
		right = "]"
	}
	return fmt.Sprintf("%s%s, %s%s", left, clock(from), clock(to), right)
}

// explainFolder plans the natural day of one plan time and prints what its instance would wait for.
func (a *app) explainFolder(from, name, form string) error {
	ref, written, err := parseName(name)
	if err != nil {
		return err
	}
	f, err := a.load(from)
	if err != nil {
		return err
	}
	job := f.job(ref)
	if job == nil {
		return fmt.Errorf("%s: %w: no such job in %s", ref, engine.ErrNotFound, from)
	}
	at, err := instant("the plan time", written, job.When.Location)
	if err != nil {
		return err
	}
	s := span{date: recurrence.DateOf(at.In(job.When.Location)).String()}
	w, err := s.resolve(f, at)
	if err != nil {
		return err
	}
	planner, err := w.planner()
	if err != nil {
		return &invalidError{err.Error()}
	}
	plan, err := planner.Plan(func(j *engine.Job) (time.Time, time.Time) {
		if j != job {
			return time.Time{}, time.Time{}
		}
		return w.of(j)
	})
	if err != nil {
		return &invalidError{err.Error()}
	}
	for p := range plan.Chronological() {
		if !p.PlanTime().Equal(at) {
			continue
		}
		if form == "json" {
			document := planDocument(&plan, p.From, p.To)
			return writeJSON(a.stdout, document.Instances[p.N])
		}
		return printPlanned(a.stdout, p)
	}
	return fmt.Errorf("%s@%s: %w: it has no such plan time; it is due %s", ref, stamp(at), engine.ErrNotFound, job.When)
}

func printPlanned(w io.Writer, p engine.PlannedInstance) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s@%s  (%s)\n  due: %s\n", p.Job.Ref(), stamp(p.PlanTime()), p.Job.Period.Class, p.Job.When)
	if len(p.Dependencies) > 0 {
		b.WriteString("\nwaits for\n")
	}
	for i := range p.Dependencies {
		d := &p.Dependencies[i]
		window := d.Bindings[p.N].Window
		fmt.Fprintf(&b, "  %s\n    looked in %s: %s\n", waitWords(p, d), windowWords(window.From, window.To, window.Closed.String()), d.Pair)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// job returns the job of that name, or nil.
func (f *folder) job(ref engine.JobRef) *engine.Job {
	for _, j := range f.jobs {
		if j.Ref() == ref {
			return j
		}
	}
	return nil
}
