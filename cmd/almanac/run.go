package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
)

func (a *app) runCommand() *cobra.Command {
	var (
		s    span
		wait bool
		dev  bool
		more bool
		mute bool
	)
	c := &cobra.Command{
		Use:   "run FOLDER [JOB, WORKFLOW or TERM...]",
		Short: "plan one day and run it to the end, now",
		Long: `Plan one natural day of the folder's workflows, write it down in the data directory, and run it to the end without waiting for the clock: what an
instance still waits for is what it depends on. Running a day a second time continues it: what was recorded stays as it is.
After a failure, --resume goes on in the same data directory: what succeeded stays, and what failed, was cancelled or was not
reached runs, by the definitions as they are now.

` + choosingWords + `

An upstream plan time that is not part of the run and of which nothing is recorded counts as satisfied, and each such assumption is listed. Misfire does not apply.
Interrupted, it starts nothing more; processes that run go on, and the next run or serve on the directory takes them over.`,
		Example: `  almanac run pipelines                        # today
  almanac run pipelines --date 2026-10-01 --data /var/lib/almanac
  almanac run pipelines --date 2026-10-01 --resume   # after a failure
  almanac run pipelines retail/orders +              # with all that waits for it
  almanac run pipelines --wait                 # each instance at its plan time`,
		Args:              folderAndJobs,
		ValidArgsFunction: completeFolderJobs,
	}
	exits(c, exitFailed, exitInvalid, exitNotFound, exitUnusable)
	s.addDate(c)
	data := a.addData(c)
	slots := addSlots(c)
	c.Flags().BoolVar(&wait, "wait", false, "start each instance at its plan time, not at once")
	c.Flags().BoolVar(&more, "resume", false, "let run again what did not end well")
	c.Flags().BoolVar(&dev, "dev", false, "actions may reach loopback addresses")
	c.Flags().BoolVarP(&mute, "quiet", "q", false, "print only what did not end well, and how it ended")
	out := addOutbound(c)
	a.addZone(c)
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		// Loop, writer and supervisor's line hand one thing at a time to each other: waking another processor for each takes longer than it saves.
		runtime.GOMAXPROCS(1)
		n, err := slotsOf(c, *slots)
		if err != nil {
			return err
		}
		outbound, err := out.value()
		if err != nil {
			return err
		}
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
		ctx, stop := signal.NotifyContext(c.Context(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		context.AfterFunc(ctx, stop) // a second signal ends the process at once
		d := dayRun{app: a, windows: w, folder: args[0], chosen: args[1:], quiet: mute, dir: *data, more: more, json: output.value == "json", show: quietProgress{}}
		return d.carryOut(ctx, siteConfig{dir: *data, slots: n, loopback: dev, outbound: outbound, closed: true, unclocked: !wait})
	}
	return c
}

// A dayRun is one day carried out by `almanac run`.
type dayRun struct {
	*app
	windows *windows
	folder  string   // as it was given
	chosen  []string // words and terms that choose jobs of it
	quiet   bool
	dir     string // the data directory
	more    bool   // what did not end well runs again
	json    bool
	show    dayProgress
}

func (d *dayRun) carryOut(ctx context.Context, cfg siteConfig) error {
	cfg.log = slog.New(slog.NewTextHandler(d.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	lines := newConsole(func(n engine.Notice) { d.show.notice(n) })
	traces := &tracing{env: d.env, log: cfg.log}
	cfg.wrap = traces.wrap
	cfg.observe = func(n engine.Notice) {
		lines.observe(n)
		traces.observe(n)
	}
	site, err := d.openSite(ctx, cfg)
	if err != nil {
		lines.close()
		return err
	}
	result, err := d.onSite(ctx, site, lines)
	traces.close()
	return errors.Join(err, site.close(), d.report(result, err))
}

// onSite loads, plans, runs and reads back.
func (d *dayRun) onSite(ctx context.Context, s *site, lines *console) (*dayResult, error) {
	defer func() {
		lines.close()
		d.show.end()
	}()
	start := now()
	if _, err := s.engine.Load(ctx, d.windows.f.workflows, start); err != nil {
		return nil, err
	}
	planner, err := d.windows.planner()
	if err != nil {
		return nil, &invalidError{err.Error()}
	}
	plan, err := s.engine.InsertClosed(ctx, planner, d.windows.of, start)
	if err != nil {
		return nil, err
	}
	before, err := readDay(s, &plan, d.windows)
	if err != nil {
		return nil, err
	}
	again := 0
	if d.more {
		if again, err = d.resume(ctx, s, before); err == nil {
			before, err = readDay(s, &plan, d.windows)
		}
		if err != nil {
			return nil, err
		}
	}
	d.begin(&plan, before, again)
	if err := s.engine.Run(ctx); err != nil {
		return nil, err
	}
	result, err := readDay(s, &plan, d.windows)
	if err == nil && ctx.Err() != nil {
		err = errors.New("interrupted: what runs goes on; run the day again, or serve, to take it over")
	}
	return result, err
}

// begin says what is about to run.
func (d *dayRun) begin(plan *engine.ClosedPlan, before *dayResult, again int) {
	if d.quiet {
		return
	}
	open := 0
	for i := range before.Instances {
		if !before.Instances[i].instance.State.Ended() {
			open++
		}
	}
	if d.json { // the document tells all; who looks on sees how far it is
		if d.terminal(d.stderr) {
			d.show = newBar(d.stderr, int64(open), d.view)
		}
		return
	}
	total := len(before.Instances)
	text := fmt.Sprintf("%s on %s", count(total, "instance"), d.windows.day)
	if known := total - plan.Inserted; known > 0 {
		text += fmt.Sprintf(", %d of them recorded before", known)
	}
	if d.more {
		text += fmt.Sprintf(", %d run again", again)
	}
	fmt.Fprintln(d.stdout, text)
	for _, assumption := range plan.Assumptions {
		fmt.Fprintln(d.stdout, assumptionText(assumption, d.view))
	}
	if !d.terminal(d.stdout) {
		d.show = lineProgress{printLines(d.stdout, false, d.view)}
		return
	}
	d.show = newBar(d.stdout, int64(open), d.view)
}

func assumptionText(a engine.Assumption, v viewer) string {
	times := make([]string, 0, 3)
	for i, t := range a.Times {
		if i == 2 && len(a.Times) > 3 {
			times = append(times, fmt.Sprintf("and %d more", len(a.Times)-2))
			break
		}
		times = append(times, v.clock(t))
	}
	return fmt.Sprintf("assumed satisfied for %s: %s at %s, of which nothing is recorded", a.Instance, a.Upstream, strings.Join(times, ", "))
}
