package main

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/web"
)

// loadedSide is what --against compares with by default: what the server, or the data directory, has loaded.
const loadedSide = "loaded"

// A planDiff is what the user typed.
type planDiff struct {
	against  string
	from, to string
	days     int
	dropDue  bool
	keep     bool
	exitCode bool
	output   *choice
	n        *connection
}

func (a *app) planDiffCommand() *cobra.Command {
	var p planDiff
	c := &cobra.Command{
		Use:   "diff FOLDER",
		Short: "show what loading a folder would change, instance by instance",
		Long: `Compare the plan of a folder with what is loaded, with another folder, or with a revision of git: which instances are added and removed, which wait
for others than before, and which do another thing. Nothing is changed.

Against what is loaded it tells too what becomes of instances that are due and have not started, when their job goes: those of a removed job run, those
of a disabled one are held, and with --drop-due both are cancelled, each of them named. The result of -o json is a review: almanac apply loads exactly it.`,
		Example: `  almanac plan diff pipelines                                  # against what is loaded
  almanac plan diff pipelines -o json > review.json && almanac apply review.json pipelines
  almanac plan diff pipelines --against git:main --exit-code -o markdown   # in a pull request
  almanac plan diff pipelines --against ../release/pipelines --from 2026-10-01 --to 2026-10-08`,
		Args:              exactly("FOLDER"),
		ValidArgsFunction: completeFolders,
	}
	exits(c, exitFailed, exitInvalid, exitNotPermitted, exitUnusable)
	p.n = a.addConnection(c)
	flags := c.Flags()
	flags.StringVar(&p.against, "against", loadedSide, "what to compare with: loaded, git:REV (FOLDER at that revision), or another folder")
	flags.StringVar(&p.from, "from", "", "start of the window, included (default now; today's beginning unless against what is loaded)")
	flags.StringVar(&p.to, "to", "", "end of the window, excluded")
	flags.IntVar(&p.days, "days", 0, "in the place of --to: so many natural days, the one of --from included (default 2)")
	flags.BoolVar(&p.dropDue, "drop-due", false, "cancel due, unstarted instances of jobs that are removed or disabled")
	flags.BoolVar(&p.keep, "keep", false, "workflows that the folder does not have stay as they are loaded; otherwise they are removed")
	flags.BoolVar(&p.exitCode, "exit-code", false, "end with status 1 when there is a difference")
	p.output = addOutput(c, "markdown")
	c.RunE = func(c *cobra.Command, args []string) error {
		if p.days < 0 || p.days > 400 || p.days > 0 && p.to != "" {
			return usagef("--days is 1 to 400, and not given together with --to")
		}
		f, err := a.load(args[0])
		if err != nil {
			return err
		}
		var d *web.PlanDiff
		if p.against == loadedSide {
			d, err = a.diffLoaded(c.Context(), f, &p)
		} else {
			d, err = a.diffFolders(c.Context(), f, &p)
		}
		if err != nil {
			return err
		}
		d.After.Name = args[0]
		if err := printDiff(a.stdout, p.output.value, d, a.view); err != nil {
			return err
		}
		if p.exitCode && d.Summary.Text != noChange {
			return &failedError{}
		}
		return nil
	}
	return c
}

// diffLoaded asks the server, or answers from the data directory by the same code.
func (a *app) diffLoaded(ctx context.Context, f *folder, p *planDiff) (*web.PlanDiff, error) {
	definitions, err := sent(f, p.n)
	if err != nil {
		return nil, err
	}
	definitions.Keep = p.keep
	request := web.DiffRequest{Definitions: definitions, Days: p.days, DropDue: p.dropDue}
	for _, bound := range []struct {
		name, text string
		into       **time.Time
	}{{"--from", p.from, &request.From}, {"--to", p.to, &request.To}} {
		if bound.text == "" {
			continue
		}
		t, err := instant(bound.name, bound.text, f.sharedZone())
		if err != nil {
			return nil, err
		}
		*bound.into = &t
	}
	client, done, err := a.connectOrOpen(ctx, p.n)
	if err != nil {
		return nil, err
	}
	defer done()
	d := &web.PlanDiff{}
	return d, client.post(ctx, path("definitions", "diff"), nil, request, d)
}

// diffFolders compares two folders, both as if they stood where the first does.
func (a *app) diffFolders(ctx context.Context, f *folder, p *planDiff) (*web.PlanDiff, error) {
	if p.dropDue || p.keep {
		return nil, usagef("--drop-due and --keep are about what is loaded")
	}
	before, err := a.otherSide(ctx, f, p.against)
	if err != nil {
		return nil, err
	}
	from := now()
	if p.from != "" {
		if from, err = instant("--from", p.from, f.sharedZone()); err != nil {
			return nil, err
		}
	} else {
		from = engine.EndOfDays(f.workflows, from, 0) // today's beginning
	}
	to := engine.EndOfDays(f.workflows, from, max(p.days, 1))
	switch {
	case p.to != "":
		if to, err = instant("--to", p.to, f.sharedZone()); err != nil {
			return nil, err
		}
	case p.days == 0:
		to = engine.EndOfDays(f.workflows, from, 2)
	}
	if !from.Before(to) {
		return nil, usagef("--to %s is not after --from", p.to)
	}
	plan := func(f *folder) (engine.Plan, error) {
		s := span{from: from.Format(time.RFC3339Nano), to: to.Format(time.RFC3339Nano)}
		w, err := s.resolve(f, from)
		if err != nil {
			return engine.Plan{}, err
		}
		planner, err := w.planner()
		if err != nil {
			return engine.Plan{}, &invalidError{err.Error()}
		}
		return planner.Plan(w.of)
	}
	was, err := plan(before)
	if err != nil {
		return nil, err
	}
	is, err := plan(f)
	if err != nil {
		return nil, err
	}
	diff := engine.DiffPlans(&was, &is)
	diff.Jobs = engine.DiffJobs(before.jobs, f.jobs, now())
	d := web.NewPlanDiff(&diff, from, to)
	d.Before = web.DiffSide{Name: p.against, Fingerprint: string(engine.FingerprintJobs(before.jobs))}
	d.After = web.DiffSide{Fingerprint: string(engine.FingerprintJobs(f.jobs))}
	return &d, nil
}

// otherSide reads the folder to compare with.
func (a *app) otherSide(ctx context.Context, f *folder, against string) (*folder, error) {
	revision, isGit := strings.CutPrefix(against, "git:")
	if !isGit {
		other, err := a.load(against)
		if err != nil {
			return nil, err
		}
		// Where a folder stands is part of a version; here it is told apart by nothing but what is in it.
		for _, w := range other.workflows {
			w.Folder = relocated(w.Folder, other.path, f.path)
			for _, j := range w.Jobs {
				j.Folder = relocated(j.Folder, other.path, f.path)
			}
		}
		return other, nil
	}
	if revision == "" || strings.HasPrefix(revision, "-") {
		return nil, usagef("--against git:REV needs a revision, such as git:main")
	}
	// The archive of a folder has the paths below it, whatever the work tree holds now.
	cmd := exec.CommandContext(ctx, "git", "-C", f.path, "archive", "--format=zip", revision)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		text := strings.TrimSpace(complaint.String())
		if errors.Is(err, exec.ErrNotFound) {
			text = "git is not installed"
		}
		return nil, &invalidError{fmt.Sprintf("read %s of %s: %s", revision, f.path, printable(text))}
	}
	archive, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		return nil, fmt.Errorf("read %s of %s: %w", revision, f.path, err)
	}
	workflows, problems := spec.Load(archive, f.path)
	for _, problem := range problems {
		if problem.Severity == spec.Error {
			a.warn("%s: %s", against, problem)
		}
	}
	if problems.HasErrors() {
		return nil, &invalidError{fmt.Sprintf("%s in %s", count(countErrors(problems), "error"), against)}
	}
	return newFolder(f.path, workflows, problems), nil
}

func relocated(path, from, to string) string {
	if rest, ok := strings.CutPrefix(path, from); ok {
		return to + rest
	}
	return path
}

func printDiff(w io.Writer, form string, d *web.PlanDiff, v viewer) error {
	switch form {
	case "json":
		return writeJSON(w, d)
	case "markdown":
		return writeDiffMarkdown(w, d, v)
	}
	return writeDiffTable(w, d, v, 0)
}
