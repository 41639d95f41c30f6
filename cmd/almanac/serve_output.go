package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/recurrence"
)

// A serveOutput is what serve prints: lines for people on standard output and warnings on standard error, or all of it as JSON lines on standard
// output.
type serveOutput struct {
	s      *server
	out    io.Writer
	log    *slog.Logger
	notice func(engine.Notice)
	json   bool
}

func newServeOutput(s *server) *serveOutput {
	o := &serveOutput{s: s, out: s.stdout, json: s.cfg.logFormat == "json"}
	level := s.cfg.logLevel
	if s.cfg.quiet {
		level = max(level, slog.LevelWarn)
	}
	options := &slog.HandlerOptions{Level: level}
	if o.json {
		o.log = slog.New(blindHandler{slog.NewJSONHandler(s.stdout, options), &s.blind})
		o.notice = logNotices(o.log)
	} else {
		o.log = slog.New(blindHandler{slog.NewTextHandler(s.stderr, options), &s.blind})
		lines, attempts := printLines(blindWriter{s.stdout, &s.blind}, s.terminal(s.stdout), s.view), logAttempts(o.log)
		o.notice = func(n engine.Notice) {
			lines(n)
			attempts(n)
		}
	}
	if s.cfg.quiet {
		o.notice = func(engine.Notice) {}
	}
	return o
}

// firstToken prints the token of a first start, whatever else is quiet: it is not shown again.
func (o *serveOutput) firstToken(token string) {
	if o.json {
		o.log.Log(context.Background(), slog.LevelWarn, "admin token made; it is shown this once", "token", token)
		return
	}
	fmt.Fprintf(o.out, "admin token, shown this once: %s\n", token)
}

// header says what is served, before anything happens.
func (o *serveOutput) header() {
	cfg := &o.s.cfg
	if o.json {
		o.log.Info("serving", "address", o.s.file.Address, "version", build().Version, "folder", cfg.folder, "jobs", len(o.s.jobs), "data", o.s.dir,
			"slots", cfg.slots, "dev", cfg.dev)
		return
	}
	if cfg.quiet {
		return
	}
	folder := cfg.folder
	if folder == "" {
		folder = "none given: the definitions that were loaded last"
	}
	access := "a token is needed; commands on this machine find it by themselves"
	if cfg.dev {
		access = "no token is needed (--dev)"
	}
	fmt.Fprintf(o.out, "almanac %s at %s\n  access  %s\n  folder  %s (%s)\n  data    %s\n  slots   %d\n",
		build().Version, o.s.file.Address, access, folder, count(len(o.s.jobs), "job"), o.s.dir, cfg.slots)
}

// today says what is planned for today and what comes next, once the plan is written.
func (o *serveOutput) today(ctx context.Context) {
	if o.s.cfg.quiet {
		return
	}
	day, err := readToday(ctx, o.s.db, o.s.jobs, o.s.clock())
	switch {
	case ctx.Err() != nil:
	case err != nil:
		o.log.Warn("count today's instances", "error", err)
	case o.json:
		o.log.Info("planned", "today", day.instances, "next", stamp(day.nextAt))
	case day.next == nil:
		fmt.Fprintf(o.out, "  today   %s, none to come\n", count(day.instances, "instance"))
	default:
		fmt.Fprintf(o.out, "  today   %s, next is %s at %s\n", count(day.instances, "instance"), day.next.Ref(), o.s.view.clock(day.nextAt))
	}
}

func (o *serveOutput) stopping() {
	o.log.Info("ending: shell attempts that run go on, and the next start takes them over")
}

// A today is what the header says of the day.
type today struct {
	instances int
	next      *engine.Job // nil when nothing is due any more
	nextAt    time.Time
}

// readToday counts the plan times of each job's own natural day and finds the next one, from the schedules of the jobs as they are recorded.
func readToday(ctx context.Context, rows engine.Store, jobs []*engine.Job, at time.Time) (day today, err error) {
	origins := map[engine.JobRef]recurrence.Origin{}
	err = rows.Read(ctx, func(v engine.View) error {
		known, err := v.Jobs()
		for _, row := range known {
			origins[row.Ref] = row.Origin()
		}
		return err
	})
	if err != nil {
		return day, err
	}
	planner, err := engine.NewPlanner(jobs, func(j *engine.Job) recurrence.Origin { return origins[j.Ref()] })
	if err != nil {
		return day, err
	}
	var times []time.Time
	for _, j := range planner.Jobs() {
		if !planned(j) {
			continue
		}
		timetable, date := planner.Timetable(j.Ref()), recurrence.DateOf(at.In(j.When.Location))
		times = timetable.AppendBetween(times[:0], recurrence.DayStart(date, j.When.Location), recurrence.DayStart(date.AddDays(1), j.When.Location))
		day.instances += len(times)
		if next, ok := timetable.Next(at); ok && (day.next == nil || next.Before(day.nextAt)) {
			day.next, day.nextAt = j, next
		}
	}
	return day, nil
}
