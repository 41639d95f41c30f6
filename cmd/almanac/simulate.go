package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/store"
	"github.com/almanac-sched/almanac/web"
)

func (a *app) simulateCommand() *cobra.Command {
	var f simulateFlags
	c := &cobra.Command{
		Use:   "simulate [FOLDER]",
		Short: "play a day before it comes: when everything ends, what is late, and why",
		Long: `Carry a natural day out without doing anything: the decisions are the engine's own, attempts take as long as those of past instances did or as long
as you say, and the clock jumps from one event to the next. Nothing is stored and nothing runs.

With a FOLDER its definitions are played, in this process; --durations history then asks the data directory. Without one the server plays those that it
has loaded, with the durations of its own past, on its own number of slots.

JOB is workflow/job, the job's name where one workflow alone has it, or a pattern such as 'retail/dwd_*'. TIME is a plan time in the job's zone: 02:00,
2026-11-22T02:00, or RFC 3339; without it every instance of the job is meant. What is asserted is one of

  JOB[@TIME] done by HH:MM     ended well by then; HH:MM+1 is on the day after
  JOB[@TIME] starts by HH:MM
  JOB[@TIME] succeeds
  JOB[@TIME] never waits longer than PT30M
  slots below N, pool NAME below N

An upstream plan time outside the day that has not failed counts as satisfied, and is listed. Who confirms does so at once.`,
		Example: `  almanac simulate pipelines --date 2026-11-22 --slots 4
  almanac simulate pipelines --duration 'retail/ods_*=PT20M' --fail retail/orders@02:00 -o gantt
  almanac simulate --delay retail/orders@02:00=PT45M --assert 'retail/report done by 08:00'`,
		Args:              atMostOne("FOLDER"),
		ValidArgsFunction: completeFolders,
	}
	exits(c, exitFailed, exitInvalid, exitNotPermitted, exitUnusable)
	n := a.addConnection(c)
	f.add(c)
	output := addOutput(c, "gantt")
	c.RunE = func(c *cobra.Command, args []string) error {
		request, err := f.request(c, output.value)
		if err != nil {
			return err
		}
		var s web.Simulation
		if len(args) == 1 {
			s, err = a.simulateFolder(c, args[0], n, &f, request)
		} else {
			s, err = a.simulateServer(c.Context(), n, &f, request)
		}
		if err != nil {
			return err
		}
		if err := a.printSimulation(&s, output.value, f.rows); err != nil {
			return err
		}
		if !s.Holds {
			failed := 0
			for _, v := range s.Assertions {
				if !v.Holds {
					failed++
				}
			}
			return &failedError{fmt.Sprintf("assertions that do not hold: %d of %d", failed, len(s.Assertions))}
		}
		return nil
	}
	return c
}

// simulateFlags are what the user wants played.
type simulateFlags struct {
	date, created, durations, guess, backfill string
	days, slots, rows                         int
	duration, fail, delay, pools              []string
	asserts, paths                            []string
}

func (f *simulateFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.date, "date", "", "natural day to play, each job's in its own zone (default tomorrow)")
	flags.IntVar(&f.days, "days", 1, "how many days, at most 31")
	flags.StringVar(&f.created, "created", "", "of a FOLDER: when jobs count as created, as for plan")
	flags.IntVar(&f.slots, "slots", 0, "attempts at once (default the server's; of a FOLDER four times the processors)")
	flags.StringArrayVar(&f.pools, "pool", nil, "NAME=N: the size of a pool, in the place of what jobs state; repeatable")
	flags.StringArrayVar(&f.duration, "duration", nil, "JOB=DURATION: how long an instance runs, such as PT10M; repeatable")
	flags.StringVar(&f.durations, "durations", "", "history, none, or a JSON file of JOB: duration (default history, where there is one)")
	flags.StringVar(&f.guess, "default-duration", "PT1M", "for jobs of which nothing is known")
	flags.StringArrayVar(&f.fail, "fail", nil, "JOB[@TIME]: every attempt fails; with =N only the first N; repeatable")
	flags.StringArrayVar(&f.delay, "delay", nil, "JOB[@TIME]=DURATION: the instance takes so much longer; repeatable")
	flags.StringVar(&f.backfill, "with-backfill", "", "JSON file with a list of {job, planTime}: a backfill that runs from the beginning on beside the day")
	flags.StringArrayVar(&f.asserts, "assert", nil, "what must hold, else the exit status is 1; repeatable")
	flags.StringArrayVar(&f.paths, "path", nil, "JOB[@TIME]: whose critical path to show (default of what misses an assertion or its deadline, or ends last)")
	flags.IntVar(&f.rows, "rows", 40, "how many lines to print of a list")
}

// listed bounds how many instances a server is asked for.
const listed = 20_000

// request reads the flags. Every mistake in a text is the engine's to find.
func (f *simulateFlags) request(c *cobra.Command, form string) (*web.SimulateRequest, error) {
	r := &web.SimulateRequest{
		Date: f.date, Days: f.days, Slots: f.slots, Durations: map[string]string{}, DefaultDuration: f.guess, Fail: f.fail, Delay: f.delay,
		Assert: f.asserts, Path: f.paths, Limit: listed, NoHistory: f.durations != "" && f.durations != "history",
	}
	if c.Flags().Changed("slots") && f.slots < 1 {
		return nil, usagef("--slots is %d; at least 1 is needed", f.slots)
	}
	if f.rows < 1 {
		return nil, usagef("--rows is %d; at least 1 is needed", f.rows)
	}
	if form == "table" {
		r.Limit = f.rows
	}
	if f.durations != "" && f.durations != "history" && f.durations != "none" {
		if err := readJSON(f.durations, &r.Durations); err != nil {
			return nil, usagef("--durations: %v", err)
		}
	}
	for _, text := range f.duration {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, usagef("--duration %q: write JOB=DURATION, such as retail/orders=PT10M", text)
		}
		r.Durations[name] = value
	}
	for _, text := range f.pools {
		name, value, _ := strings.Cut(text, "=")
		size, err := strconv.Atoi(value)
		if err != nil {
			return nil, usagef("--pool %q: write NAME=N", text)
		}
		if r.Pools == nil {
			r.Pools = map[string]int{}
		}
		r.Pools[name] = size
	}
	if f.backfill != "" {
		var err error
		if r.Backfill, err = readBackfill(f.backfill); err != nil {
			return nil, usagef("--with-backfill: %v", err)
		}
	}
	return r, nil
}

func readJSON(name string, into any) error {
	data, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}

// readBackfill reads what a saved plan would run, or a list of instances written by hand.
func readBackfill(name string) ([]web.SimulatedRef, error) {
	var list []web.SimulatedRef
	if readJSON(name, &list) == nil {
		return list, nil
	}
	plan, err := readBackfillPlan(name)
	if err != nil {
		return nil, fmt.Errorf("%w; a list of {job, planTime} would do too", err)
	}
	for _, i := range plan.Instances {
		if i.In {
			list = append(list, web.SimulatedRef{Job: i.Job, PlanTime: i.PlanTime})
		}
	}
	return list, nil
}

// simulateServer has the running server play, or who reads its data directory.
func (a *app) simulateServer(ctx context.Context, n *connection, f *simulateFlags, r *web.SimulateRequest) (s web.Simulation, err error) {
	if f.created != "" {
		return s, usagef("--created is about a FOLDER; a server knows when its jobs were created")
	}
	client, done, err := a.connectOrOpen(ctx, n)
	if err != nil {
		return s, err
	}
	defer done()
	err = client.post(ctx, "simulate", nil, r, &s)
	return s, err
}

// simulateFolder plays the definitions of a folder in this process.
func (a *app) simulateFolder(c *cobra.Command, path string, n *connection, f *simulateFlags, r *web.SimulateRequest) (s web.Simulation, err error) {
	if n.server != "" && c.Flags().Changed("server") {
		return s, usagef("a FOLDER is played here; leave --server or the FOLDER out")
	}
	loaded, err := a.load(path)
	if err != nil {
		return s, err
	}
	day := span{date: f.date, created: f.created}
	at := now()
	if f.date == "" {
		at = at.AddDate(0, 0, 1)
	}
	w, err := day.resolve(loaded, at)
	if err != nil {
		return s, err
	}
	r.Date = w.day.String()
	planner, err := w.planner()
	if err != nil {
		return s, &invalidError{err.Error()}
	}
	source := engine.SimulationSource{Planner: planner, Condition: spec.EvalWhen}
	if source.Slots, err = slotsOf(c, f.slots); err != nil {
		return s, err
	}
	if f.durations == "history" {
		db, err := store.Open(c.Context(), store.Config{Dir: *n.data, ReadOnly: true})
		if err != nil {
			return s, fmt.Errorf("--durations history: %w", err)
		}
		defer func() { err = errors.Join(err, db.Close()) }()
		source.Store = db
	}
	sight, err := engine.SimulateRequest(c.Context(), r.Engine(), source, now())
	if errors.Is(err, engine.ErrInvalid) {
		return s, usagef("%s", strings.ReplaceAll(err.Error(), engine.ErrInvalid.Error()+": ", ""))
	}
	if err != nil {
		return s, err
	}
	return web.NewSimulation(sight, r.Limit), nil
}

// atMostOne accepts the named argument or none.
func atMostOne(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usagef("%s takes one %s and no %q", c.CommandPath(), name, args[1])
		}
		return nil
	}
}
