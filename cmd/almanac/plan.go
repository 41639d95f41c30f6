package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
)

func (a *app) planCommand() *cobra.Command {
	var s span
	var quiet bool
	c := &cobra.Command{
		Use:   "plan FOLDER [JOB, WORKFLOW or TERM...]",
		Short: "show the instances of a day, what each waits for, and why",
		Long: `Print the plan of the folder's workflows: each instance of the day or window with the upstream instances that it waits for and the rule that
says so. Nothing is stored and nothing runs.

` + choosingWords + `

The plan is the same value that serve writes down and run carries out; -o json is a contract.`,
		Example: `  almanac plan pipelines                                    # today
  almanac plan pipelines --date tomorrow -o json
  almanac plan pipelines report 1+                          # with what it waits for
  almanac plan pipelines --from 2026-10-01T06:00 --to 2026-10-01T12:00
  almanac plan pipelines --from 2026-10-01 --to 2026-11-01 -o ical > october.ics
  almanac plan pipelines --date 2026-10-01 -o dot | dot -Tsvg > day.svg`,
		Args:              folderAndJobs,
		ValidArgsFunction: completeFolderJobs,
	}
	exits(c, exitInvalid, exitNotFound)
	c.AddCommand(a.planDiffCommand())
	s.addWindow(c)
	a.addZone(c)
	c.Flags().BoolVarP(&quiet, "quiet", "q", false, "print only how many instances there are")
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
		chosen, err := f.choose(args[1:])
		if err != nil {
			return err
		}
		w.only(chosen)
		w.loadsNow = true
		planner, err := w.planner()
		if err != nil {
			return &invalidError{err.Error()}
		}
		progress := a.watchPlan(len(f.jobs), quiet)
		plan, err := planner.Plan(progress.of(w.of))
		progress.end()
		if err != nil {
			return &invalidError{err.Error()}
		}
		return a.printPlan(output.value, &plan, w, quiet)
	}
	return c
}

func (a *app) printPlan(form string, plan *engine.Plan, w *windows, quiet bool) error {
	out, v := a.stdout, a.view
	switch form {
	case "json":
		document := planDocument(plan, w.earliest, w.latest)
		for _, j := range w.atOnce() {
			document.AtOnce = append(document.AtOnce, atOnceJSON{j.Workflow, j.Name, stamp(j.When.Start)})
		}
		return writeJSON(out, document)
	case "ical":
		return writePlanCalendar(out, plan, w)
	case "dot":
		return writeDot(out, instanceGraph(plan), v)
	case "mermaid":
		return writeMermaid(out, instanceGraph(plan), v)
	}
	if plan.Instances() > 0 && !quiet {
		if err := v.table(out, []string{"plan time", "job", "period", "waits for"}, planRows(plan, v), nil); err != nil {
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
		when = fmt.Sprintf("in [%s, %s)", v.clock(w.earliest), v.clock(w.latest))
	}
	text := fmt.Sprintf("%s of %s %s", count(plan.Instances(), "instance"), count(jobs, "job"), when)
	if w.unchosen > 0 {
		text += fmt.Sprintf("; not asked for: %s", count(w.unchosen, "job"))
	} else if idle := len(w.f.jobs) - len(plan.Jobs); idle > 0 {
		text += fmt.Sprintf("; disabled or started on demand: %s", count(idle, "job"))
	}
	if err := v.prose(out, "%s", text); err != nil {
		return err
	}
	for _, j := range w.atOnce() {
		if j.When.Missed(w.now) {
			if err := v.prose(out, "the startTime of %s, %s, has passed: it runs once, at once when its name is first loaded, "+
				"with the time of the load as its plan time", j.Ref(), v.clock(j.When.Start)); err != nil {
				return err
			}
			continue
		}
		if err := v.prose(out, "%s has no startTime: it also runs at once when its name is first loaded", j.Ref()); err != nil {
			return err
		}
	}
	return nil
}
