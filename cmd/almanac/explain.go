package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/recurrence"
	"github.com/almanac-sched/almanac/web"
)

// An explainQuery is what the flags of explain say.
type explainQuery struct {
	folder   string
	at       string
	date     string
	up, down int
	output   *choice
}

func (a *app) explainCommand() *cobra.Command {
	var q explainQuery
	c := &cobra.Command{
		Use:   "explain INSTANCE",
		Short: "say why an instance waits, runs or ended as it did, and when it will",
		Long: `Explain an instance, given by its id or as workflow/job@plan time: every gate in order, each dependency with its rule, its window and what it had to
choose from, and as a tree what it waits for, down to the roots, which wait for no other instance: there an action helps, and the command for it
is named. Its start and end are estimated by how long past instances took. Without a running server it reads the data directory.

With --at it answers as of a time that has passed, from the history. An instance that is not planned yet is explained by the loaded definitions;
with --folder by those of a folder: what an instance of that plan time would wait for, and why.

With --date the argument is a job, and each of its instances on that natural day is told with what it would wait for; with --folder too, as if the folder
were loaded.

With -o dot or mermaid it draws the instances around it.`,
		Example: `  almanac explain retail/report@2026-10-01T12:00
  almanac explain retail/report@2026-10-01T12:00 --at 2026-10-01T12:30
  almanac explain 4217 -o mermaid --up 3 --down 1
  almanac explain retail/report@2026-10-01T12:00:00+08:00 --folder pipelines
  almanac explain retail/report --date 2026-10-01 --folder pipelines`,
		Args: exactly("INSTANCE"),
	}
	exits(c, exitFailed, exitInvalid, exitNotFound, exitNotPermitted, exitUnusable)
	n := a.addConnection(c)
	c.Flags().StringVar(&q.folder, "folder", "", "answer from the definitions in this folder")
	c.Flags().StringVar(&q.at, "at", "", "as of this time, from the history; without an offset it is in the job's zone")
	c.Flags().StringVar(&q.date, "date", "", "of a job: every instance of this natural day, in the job's zone")
	c.Flags().IntVar(&q.up, "up", 1, "of a drawing: hops up, to what it waits for")
	c.Flags().IntVar(&q.down, "down", 1, "of a drawing: hops down, to what waits for it")
	q.output = addOutput(c, "dot", "mermaid")
	fromServer := a.completeInstances(n)
	c.ValidArgsFunction = func(c *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		if q.folder == "" {
			return fromServer(c, args, toComplete)
		}
		f, _, err := readFolder(q.folder)
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
		if q.date != "" {
			if q.at != "" || q.output.value == "dot" || q.output.value == "mermaid" {
				return usagef("--date is about definitions: it has no --at and no drawing; `almanac plan -o dot` draws a day of a folder")
			}
			return a.explainDay(c.Context(), n, args[0], q)
		}
		if q.folder != "" {
			if q.at != "" || q.output.value == "dot" || q.output.value == "mermaid" {
				return usagef("--folder answers from definitions alone: it has no --at and no drawing; `almanac plan -o dot` draws a day of a folder")
			}
			return a.explainFolder(q.folder, args[0], q.output.value)
		}
		client, done, err := a.connectOrOpen(c.Context(), n)
		if err != nil {
			return err
		}
		defer done()
		return a.explain(c.Context(), client, args[0], q)
	}
	return c
}

// explain asks for what the flags say and prints it.
func (a *app) explain(ctx context.Context, client *client, name string, q explainQuery) error {
	i, recorded, err := client.plannedOrNot(ctx, name)
	if err != nil {
		return err
	}
	query := url.Values{}
	if q.at != "" {
		at, err := client.zonedTime(ctx, "--at", q.at, engine.JobRef{Workflow: i.Workflow, Job: i.Job})
		if err != nil {
			return err
		}
		query.Set("at", stamp(at))
	}
	if form := q.output.value; form == "dot" || form == "mermaid" {
		query.Set("up", strconv.Itoa(q.up))
		query.Set("down", strconv.Itoa(q.down))
		to := path("instances", i.ID.String(), "graph")
		if !recorded {
			to = "graph"
			query.Set("instance", i.Name)
		}
		var g web.Graph
		if err := client.get(ctx, to, query, &g); err != nil {
			return err
		}
		return writeNeighbours(a.stdout, &g, form, a.view)
	}
	to := path("instances", i.ID.String(), "explain")
	if !recorded {
		to = "explain"
		query.Set("instance", i.Name)
	}
	var x web.Explanation
	if err := client.get(ctx, to, query, &x); err != nil {
		if answer := (*answerError)(nil); !recorded && errors.As(err, &answer) && answer.Status == http.StatusNotFound {
			err = fmt.Errorf("%w; --folder answers from the definitions in a folder", err)
		}
		return err
	}
	if q.output.value == "json" {
		return writeJSON(a.stdout, x)
	}
	return printExplanation(a.stdout, &x, a.terminal(a.stdout), a.view)
}

// plannedOrNot finds an instance by its id or name; of one that is not planned only the name is known.
func (c *client) plannedOrNot(ctx context.Context, text string) (i web.Instance, recorded bool, err error) {
	i, err = c.instance(ctx, text)
	if !errors.Is(err, engine.ErrNotFound) {
		return i, err == nil, err
	}
	ref, written, malformed := c.name(ctx, text)
	if malformed != nil {
		return i, false, err
	}
	at, unknown := c.planTime(ctx, ref, written)
	if unknown != nil {
		return i, false, err
	}
	return web.Instance{Workflow: ref.Workflow, Job: ref.Job, Name: ref.String() + "@" + stamp(at)}, false, nil
}

// windowWords prints a window with the brackets of its bounds.
func windowWords(from, to time.Time, closed string, v viewer) string {
	left, right := "(", ")"
	if closed != "right" {
		left = "["
	}
	if closed != "left" {
		right = "]"
	}
	return fmt.Sprintf("%s%s, %s%s", left, v.clock(from), v.clock(to), right)
}

// explainFolder plans the natural day of one plan time and prints what its instance would wait for.
func (a *app) explainFolder(from, name, form string) error {
	short, written, ok := strings.Cut(name, "@")
	if !ok || written == "" {
		return usagef("%q is no instance; write workflow/job@plan time such as retail/orders@2026-10-01T06:00", name)
	}
	f, err := a.load(from)
	if err != nil {
		return err
	}
	ref, err := f.ref(short)
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
		return printPlanned(a.stdout, p, a.view)
	}
	return fmt.Errorf("%s@%s: %w: it has no such plan time; it is due %s", ref, stamp(at), engine.ErrNotFound, job.When)
}

func printPlanned(w io.Writer, p engine.PlannedInstance, v viewer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s@%s  (%s)\n  due: %s\n", p.Job.Ref(), stamp(p.PlanTime()), p.Job.Period.Class, p.Job.When)
	if len(p.Dependencies) > 0 {
		b.WriteString("\nwaits for\n")
	}
	for i := range p.Dependencies {
		d := &p.Dependencies[i]
		window := d.Bindings[p.N].Window
		fmt.Fprintf(&b, "  %s\n    looked in %s: %s\n", waitWords(p, d, v), windowWords(window.From, window.To, window.Closed.String(), v), d.Pair)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// ref finds a job of the folder by workflow/job, or by its own name where no other has it.
func (f *folder) ref(name string) (engine.JobRef, error) {
	if name == "" || strings.ContainsAny(name, "/@") {
		return parseRef(name)
	}
	var found []string
	for _, j := range f.jobs {
		if j.Name == name {
			found = append(found, j.Ref().String())
		}
	}
	return onlyJob(name, found)
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
