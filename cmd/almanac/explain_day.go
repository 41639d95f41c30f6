package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

// explainDay asks what each instance of a job on a day would wait for: by what is loaded, or by a folder in its place.
func (a *app) explainDay(ctx context.Context, n *connection, name string, q explainQuery) error {
	if strings.Contains(name, "@") {
		return usagef("%q is no job; with --date write workflow/job, such as retail/orders", name)
	}
	request := web.PreviewRequest{Loaded: q.folder == "", Date: q.date}
	var ref engine.JobRef
	if q.folder != "" {
		f, err := a.load(q.folder)
		if err != nil {
			return err
		}
		if request.Definitions, err = sent(f, n); err != nil {
			return err
		}
		if ref, err = f.ref(name); err != nil {
			return err
		}
	}
	client, done, err := a.connectOrOpen(ctx, n)
	if err != nil {
		return err
	}
	defer done()
	if q.folder == "" {
		if ref, err = client.job(ctx, name); err != nil {
			return err
		}
	}
	request.Workflow, request.Job = ref.Workflow, ref.Job
	var p web.Preview
	if err := client.post(ctx, path("definitions", "preview"), nil, request, &p); err != nil {
		return err
	}
	if q.output.value == "json" {
		return writeJSON(a.stdout, p)
	}
	return printPreview(a.stdout, &p, a.terminal(a.stdout), a.view)
}

func printPreview(w io.Writer, p *web.Preview, terminal bool, v viewer) error {
	out := &explanationPrinter{terminal: terminal, view: v}
	fmt.Fprintf(&out.b, "%s on %s, in %s: %s\n", out.strong(p.Workflow+"/"+p.Job), p.Date, p.TimeZone, count(p.Total, "instance"))
	out.wrapped("  due: ", 7, p.Schedule)
	switch {
	case p.Disabled:
		out.b.WriteString("  it is disabled: nothing of this would be planned\n")
	case p.Total == 0 && p.Effective.After(p.From):
		fmt.Fprintf(&out.b, "  it counts from %s on, and has no plan time before\n", v.clock(p.Effective))
	}
	for i := range p.Instances {
		one := &p.Instances[i]
		state := "not planned yet"
		if one.Instance != nil {
			state = string(one.State) + ", instance " + one.Instance.String()
		}
		fmt.Fprintf(&out.b, "\n%s  (%s)\n", out.strong(v.clock(one.PlanTime)), state)
		out.dependencies(&web.Explanation{Dependencies: one.Dependencies})
	}
	if more := p.Total - len(p.Instances); more > 0 {
		fmt.Fprintf(&out.b, "\nand %d more\n", more)
	}
	_, err := io.WriteString(w, out.b.String())
	return err
}
