package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/web"
)

// addMissed adds --missed, which says nothing with the word byDefault.
func addMissed(c *cobra.Command, usage, byDefault string) func() engine.Missed {
	v := addChoice(c, "missed", "", usage, byDefault, string(engine.MissedRun), string(engine.MissedLatest), string(engine.MissedSkip))
	return func() engine.Missed {
		if v.value == byDefault {
			return ""
		}
		return engine.Missed(v.value)
	}
}

func (a *app) pauseCommand() *cobra.Command {
	var note, until, key string
	c := &cobra.Command{
		Use:   "pause JOB-or-WORKFLOW",
		Short: "let nothing of a job or a workflow start",
		Long: `Pause a job, or all jobs of a workflow: nothing of it starts until it is resumed, or until --until. Its instances are planned as ever and wait behind
the gate frozen, which says who paused it, until when and why. What runs goes on. What waits for them waits too.

--missed says what becomes of the due times that lie within the pause, when it ends: run (all of them), latest (the latest of each job; the others are
cancelled) or skip (all are cancelled). The default is what each job says with misfire. A manual or backfill instance always runs, and so does one on which
a person has acted.

Pausing what is paused changes its end, its note and --missed. Without an argument almanac pause lists what is paused.`,
		Example: `  almanac pause retail/orders --note "the source is rebuilt"
  almanac pause retail --until 2026-12-27T06:00+01:00 --missed latest
  almanac pause retail/orders --until PT2H
  almanac pause`,
		Args: atMostOne("JOB or WORKFLOW"),
	}
	exits(c, exitFailed, exitNotFound, exitNotPermitted)
	lists(c)
	n := a.addConnection(c)
	c.ValidArgsFunction = a.completeJobs(n)
	c.Flags().StringVar(&until, "until", "", "when it ends by itself: RFC 3339, a date-time in the zone of this machine, or how long from now, such as PT2H or 2h")
	missed := addMissed(c, "what becomes of what is due meanwhile; misfire is what each job says", "misfire")
	addNote(c, &note)
	c.Flags().StringVar(&key, "key", "", "idempotency key: the same key is the same pause")
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return a.listPauses(c, n, output.value)
		}
		r := web.PauseRequest{Missed: missed(), Note: note}
		if until != "" {
			at, err := untilOf(until, now())
			if err != nil {
				return err
			}
			r.Until = &at
		}
		return a.postPause(c, n, "pauses", key, args[0], func(workflow, job string) any {
			r.Workflow, r.Job = workflow, job
			return r
		}, output.value)
	}
	return c
}

func (a *app) resumeCommand() *cobra.Command {
	var note, key string
	c := &cobra.Command{
		Use:   "resume JOB-or-WORKFLOW",
		Short: "let a paused job or workflow go on",
		Long: `Let what almanac pause holds back go on. What was due meanwhile becomes what --missed of the pause says, or --missed given here. Jobs that are paused by
themselves stay so when their workflow is resumed.`,
		Example: `  almanac resume retail/orders --note "the source is back"
  almanac resume retail --missed skip`,
		Args: exactly("JOB or WORKFLOW"),
	}
	exits(c, exitFailed, exitNotFound, exitNotPermitted)
	n := a.addConnection(c)
	c.ValidArgsFunction = a.completeJobs(n)
	missed := addMissed(c, "what becomes of what was due meanwhile; pause is what the pause says", "pause")
	addNote(c, &note)
	c.Flags().StringVar(&key, "key", "", "idempotency key: the same key is the same request")
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		r := web.ResumeRequest{Missed: missed(), Note: note}
		return a.postPause(c, n, "pauses/resume", key, args[0], func(workflow, job string) any {
			r.Workflow, r.Job = workflow, job
			return r
		}, output.value)
	}
	return c
}

// postPause asks the server to pause what was named, or to let it go on.
func (a *app) postPause(c *cobra.Command, n *connection, route, key, name string, request func(workflow, job string) any, form string) error {
	client, err := a.connect(c.Context(), n)
	if err != nil {
		return err
	}
	workflow, job, err := client.jobOrWorkflow(c.Context(), name)
	if err != nil {
		return err
	}
	body := request(workflow, job)
	var header http.Header
	if key != "" {
		header = http.Header{"Idempotency-Key": {key}}
	}
	var p web.Pause
	if err := client.post(c.Context(), route, header, body, &p); err != nil {
		var answer *answerError
		if job == "" && errors.As(err, &answer) && answer.Status == http.StatusNotFound { // nor is there a job
			answer.Detail = strings.Replace(answer.Detail, "there is no workflow "+workflow, "there is no workflow and no job "+workflow, 1)
		}
		return err
	}
	if form == "json" {
		return writeJSON(a.stdout, p)
	}
	return a.view.prose(a.stdout, "%s", pauseLine(&p, a.view))
}

// jobOrWorkflow finds what is to be paused: workflow/job, a workflow, or a job by its own name where no workflow and no other job has it.
func (c *client) jobOrWorkflow(ctx context.Context, name string) (workflow, job string, err error) {
	if strings.Contains(name, "/") {
		workflow, job, _ = strings.Cut(name, "/")
		return workflow, job, nil
	}
	var page web.JobPage
	if err := c.get(ctx, "jobs", url.Values{"workflow": {name}, "limit": {"1"}}, &page); err != nil || len(page.Items) > 0 {
		return name, "", err
	}
	ref, err := c.job(ctx, name)
	if errors.Is(err, engine.ErrNotFound) {
		return name, "", nil // the server says what there is
	}
	return ref.Workflow, ref.Job, err
}

func (a *app) listPauses(c *cobra.Command, n *connection, form string) error {
	client, done, err := a.connectOrOpen(c.Context(), n)
	if err != nil {
		return err
	}
	defer done()
	list := web.PauseList{Items: []web.Pause{}}
	if err := client.get(c.Context(), "pauses", nil, &list); err != nil {
		return err
	}
	if form == "json" {
		return writeJSON(a.stdout, list)
	}
	if len(list.Items) == 0 {
		_, err := fmt.Fprintln(a.stderr, "nothing is paused")
		return err
	}
	for i := range list.Items {
		if err := a.view.prose(a.stdout, "%s", pauseLine(&list.Items[i], a.view)); err != nil {
			return err
		}
	}
	return nil
}

// pauseLine says what is paused, by whom, until when and why.
func pauseLine(p *web.Pause, v viewer) string {
	name := p.Workflow
	if p.Job != "" {
		name += "/" + p.Job
	}
	if !p.Resumed.IsZero() {
		return name + " goes on"
	}
	line := name + " paused by " + printable(p.By) + " since " + v.moment(p.Since)
	if !p.Until.IsZero() {
		line += " until " + v.moment(p.Until)
	}
	if p.Missed != "" {
		line += ", missed: " + string(p.Missed)
	}
	if p.Note != "" {
		line += ": " + printable(p.Note)
	}
	return line
}

// untilOf reads a time, or how long from now.
func untilOf(text string, from time.Time) (time.Time, error) {
	if d, err := spec.ParseLength(text); err == nil {
		return from.Add(d), nil
	}
	at, err := instant("--until", text, time.Local)
	switch day, _, _ := strings.Cut(strings.Replace(text, " ", "T", 1), "T"); {
	case err != nil && len(day) == len("2026-12-27") && day[4] == '-':
		return at, err // it says what is wrong with the time
	case err != nil:
		return at, usagef("--until is %q; write a time such as 2026-12-27T06:00+01:00, or how long from now, such as PT2H or 2h", text)
	}
	return at, nil
}
