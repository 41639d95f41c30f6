package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
)

func (a *app) planCommand() *cobra.Command {
	var s span
	c := &cobra.Command{
		Use:   "plan FOLDER",
		Short: "show the instances of a day, what each waits for, and why",
		Long: `Print the plan of the folder's workflows: each instance of the day or window with the upstream instances that it waits for and the rule that
says so. Nothing is stored and nothing runs.

The plan is the same value that serve writes down and run carries out; -o json is a contract.`,
		Example: `  almanac plan pipelines                                    # today
  almanac plan pipelines --date 2026-10-01 -o json
  almanac plan pipelines --from 2026-10-01T06:00 --to 2026-10-01T12:00
  almanac plan pipelines --from 2026-10-01 --to 2026-11-01 -o ical > october.ics
  almanac plan pipelines --date 2026-10-01 -o dot | dot -Tsvg > day.svg`,
		Args:              exactly("FOLDER"),
		ValidArgsFunction: completeFolders,
	}
	exits(c, exitInvalid)
	c.AddCommand(a.planDiffCommand())
	s.addWindow(c)
	output := addOutput(c, "dot", "mermaid", "ical")
	c.RunE = func(_ *cobra.Command, args []string) error {
		f, err := a.load(args[0])
		if err != nil {
			return err
		}
		w, err := s.resolve(f, now())
		if err != nil {
			return err
		}
		planner, err := w.planner()
		if err != nil {
			return &invalidError{err.Error()}
		}
		plan, err := planner.Plan(w.of)
		if err != nil {
			return &invalidError{err.Error()}
		}
		return printPlan(a.stdout, output.value, &plan, w)
	}
	return c
}

func printPlan(out io.Writer, form string, plan *engine.Plan, w *windows) error {
	switch form {
	case "json":
		document := planDocument(plan, w.earliest, w.latest)
		for _, j := range w.atOnce() {
			document.AtOnce = append(document.AtOnce, jobJSON{j.Workflow, j.Name})
		}
		return writeJSON(out, document)
	case "ical":
		return writePlanCalendar(out, plan, w)
	case "dot":
		return writeDot(out, instanceGraph(plan))
	case "mermaid":
		return writeMermaid(out, instanceGraph(plan))
	}
	if plan.Instances() > 0 {
		if err := writeTable(out, []string{"plan time", "job", "period", "waits for"}, planRows(plan), nil); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	jobs := 0
	for i := range plan.Jobs {
		if len(plan.Jobs[i].Times) > 0 {
			jobs++
		}
	}
	when := "on " + w.day.String()
	if w.day.IsZero() {
		when = fmt.Sprintf("in [%s, %s)", clock(w.earliest), clock(w.latest))
	}
	text := fmt.Sprintf("%s of %s %s", count(plan.Instances(), "instance"), count(jobs, "job"), when)
	if idle := len(w.f.jobs) - len(plan.Jobs); idle > 0 {
		text += fmt.Sprintf("; disabled or started on demand: %s", count(idle, "job"))
	}
	fmt.Fprintln(out, text)
	for _, j := range w.atOnce() {
		fmt.Fprintf(out, "%s has no startTime: it also runs at once when its name is first loaded\n", j.Ref())
	}
	return nil
}
