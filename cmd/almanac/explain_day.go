package main

import (
	"context"
	"fmt"
	"io"

	"github.com/almanac-sched/almanac/web"
)

// explainDay asks what each instance of a job on a day would wait for: by what is loaded, or by a folder in its place.
func (a *app) explainDay(ctx context.Context, n *connection, name string, q explainQuery) error {
	ref, err := parseRef(name)
	if err != nil {
		return usagef("%q is no job; with --date write workflow/job, such as retail/orders", name)
	}
	request := web.PreviewRequest{Loaded: q.folder == "", Workflow: ref.Workflow, Job: ref.Job, Date: q.date}
	if q.folder != "" {
		f, err := a.load(q.folder)
		if err != nil {
			return err
		}
		if request.Definitions, err = sent(f, n); err != nil {
			return err
		}
	}
	client, done, err := a.connectOrOpen(ctx, n)
	if err != nil {
		return err
	}
	defer done()
	var p web.Preview
	if err := client.post(ctx, path("definitions", "preview"), nil, request, &p); err != nil {
		return err
	}
	if q.output.value == "json" {
		return writeJSON(a.stdout, p)
	}
	return printPreview(a.stdout, &p, a.terminal(a.stdout))
}

func printPreview(w io.Writer, p *web.Preview, terminal bool) error {
	out := &explanationPrinter{terminal: terminal}
	fmt.Fprintf(&out.b, "%s on %s, in %s: %s\n", out.strong(p.Workflow+"/"+p.Job), p.Date, p.TimeZone, count(p.Total, "instance"))
	out.wrapped("  due: ", 7, p.Schedule)
	switch {
	case p.Disabled:
		out.b.WriteString("  it is disabled: nothing of this would be planned\n")
	case p.Total == 0 && p.Effective.After(p.From):
		fmt.Fprintf(&out.b, "  it counts from %s on, and has no plan time before\n", clock(p.Effective))
	}
	for i := range p.Instances {
		one := &p.Instances[i]
		state := "not planned yet"
		if one.Instance != nil {
			state = string(one.State) + ", instance " + one.Instance.String()
		}
		fmt.Fprintf(&out.b, "\n%s  (%s)\n", out.strong(clock(one.PlanTime)), state)
		out.dependencies(&web.Explanation{Dependencies: one.Dependencies})
	}
	if more := p.Total - len(p.Instances); more > 0 {
		fmt.Fprintf(&out.b, "\nand %d more\n", more)
	}
	_, err := io.WriteString(w, out.b.String())
	return err
}
