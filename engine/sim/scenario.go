package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
)

// A Scenario is a short, fixed course of events, in which the process of a server is made to end at one write after the other.
type Scenario struct {
	Name string

	servers   int
	failing   float64
	retention time.Duration
	file      string
	prelude   time.Duration               // before writes are counted
	act       func(w *World, name string) // what happens then
	lasts     time.Duration
}

const daily = `
workflow: w
timeZone: Asia/Shanghai
jobs:
  load: {cron: "*/10 * * * *", action: {type: shell, command: load}}
  each: {cron: "5 * * * *", dependsOn: [load], retryPolicy: {retryType: fixed, retryInterval: PT5S, retryCount: 2}, action: {type: shell, command: each},
    errorAction: {type: shell, command: tell, retryPolicy: {retryType: fixed, retryInterval: PT5S, retryCount: 3}}}
  join: {cron: "20 * * * *", dependsOn: [each], action: {type: none}}
  steps:
    cron: "*/15 * * * *"
    onLost: hold
    pool: tight
    slots: 1
    steps:
      one: {type: shell, command: one, outputs: [rows]}
      two: {needs: [one], type: shell, command: two}
      three: {needs: [one], type: shell, command: three}
      end: {needs: [two, three], type: none}
`

// edited is the same folder with another rule, a job less and one more.
const edited = `
workflow: w
timeZone: Asia/Shanghai
jobs:
  load: {cron: "*/5 * * * *", action: {type: shell, command: load again}}
  each: {cron: "5 * * * *", dependsOn: [load], action: {type: shell, command: each}}
  other: {cron: "*/10 * * * *", action: {type: shell, command: other}}
  steps: {cron: "*/15 * * * *", pool: tight, slots: 1, action: {type: shell, command: one}}
`

// Scenarios lists the ten of reliability.md §5a, and what is done in many short transactions: each of those is a place to crash at.
var Scenarios = []Scenario{
	{Name: "plan a day", file: daily, lasts: 2 * time.Minute},
	{Name: "claim", file: daily, prelude: 9 * time.Minute, lasts: time.Minute + 5*time.Second},
	{Name: "finish", file: daily, prelude: 10*time.Minute + time.Second, lasts: 5 * time.Minute},
	{Name: "retry", file: daily, failing: 0.5, prelude: 4 * time.Minute, lasts: 6 * time.Minute},
	{Name: "fail and tell", file: daily, failing: 1, prelude: 4 * time.Minute, lasts: 6 * time.Minute},
	{Name: "edit a rule", file: daily, prelude: 3 * time.Minute, act: loadEdited, lasts: 4 * time.Minute},
	{Name: "delete a live job", file: daily, prelude: 10*time.Minute + 2*time.Second, act: deleteLive, lasts: 3 * time.Minute},
	{Name: "catch up", file: daily, prelude: time.Minute, act: awayFor(5 * time.Hour), lasts: 10 * time.Minute},
	{Name: "failover", servers: 2, file: daily, prelude: 10*time.Minute + 2*time.Second, act: failOver, lasts: 4 * time.Minute},
	{Name: "apply a backfill", file: daily, prelude: time.Minute, act: applyDay, lasts: 2 * time.Minute},
	{Name: "cancel a backfill that is applied", file: daily, prelude: time.Minute, act: applyAndCancel, lasts: time.Minute},
	{Name: "edit what a backfill is applied to", file: daily, prelude: time.Minute, act: applyAndEdit, lasts: time.Minute},
	{Name: "retention", file: daily, retention: 30 * time.Minute, prelude: 55 * time.Minute, lasts: 20 * time.Minute},
}

// Crashed runs the scenario with a crash at the n-th write after its prelude; n = 0 is none. over says that there were fewer writes.
func (c *Scenario) Crashed(n int, kind Crash, opts Options) (report Report, over bool) {
	w, err := c.world(opts)
	if err != nil {
		return Report{Violation: &Violation{Invariant: "world", Words: err.Error()}}, true
	}
	defer w.rows.close()
	w.logf("scenario %s: crash at write %d, %s", c.Name, n, kind)
	for i, s := range w.servers {
		w.after(time.Duration(i)*time.Second, s.start)
	}
	w.until(c.prelude)
	w.crashAt, w.crashKind = n, kind
	if n > 0 {
		w.crashAt += w.writes
	}
	began := w.writes
	if c.act != nil {
		c.act(w, c.Name)
	}
	w.until(w.t + c.lasts)
	over = w.writes < began+n
	w.crashAt = 0
	w.settle()
	return w.report(), over
}

// world is the scenario's world: no chance is left in it but the fate of the children.
func (c *Scenario) world(opts Options) (*World, error) {
	w := newEmptyWorld(1, opts)
	w.shape = shape{
		servers: max(1, c.servers), runners: 1, shared: c.servers > 1, zone: "Asia/Shanghai", slots: 4, pools: map[string]int{"tight": 1},
		planAhead: 2 * time.Hour, retention: c.retention, failing: c.failing, downTime: 2 * time.Second, adopts: true, healing: 45 * time.Minute,
		lease: longestTerm, sleep: longestSleep,
	}
	w.net.latency = time.Millisecond
	w.epoch = time.Date(2026, 8, 2, 21, 56, 0, 0, time.UTC)
	var err error
	if w.folder, err = compileText(c.file); err != nil {
		return nil, err
	}
	return w, w.open()
}

func compileText(text string) ([]*engine.Workflow, error) {
	workflows, problems := spec.Load(file(text), "/w")
	return workflows, problems.Err()
}

// insistOn gives a command until it is acknowledged, as a person would.
func (w *World) insistOn(name string, do func(ctx context.Context, s *server) error) {
	acknowledged := false
	for range 20 {
		w.operator = newDice(w.seed, streamOperator)
		s := w.anyServer()
		if s == nil {
			w.until(w.t + time.Second)
			continue
		}
		w.command(s, name, func(ctx context.Context) error {
			err := do(ctx, s)
			acknowledged = err == nil
			return err
		}, func() string { w.acknowledgeLoad(); return "" })
		if acknowledged {
			return
		}
		w.until(w.t + 5*time.Second)
	}
	w.broken("progress", "%s was never acknowledged", name)
}

func loadEdited(w *World, name string) {
	var err error
	if w.folder, err = compileText(edited); err != nil {
		w.broken("world", "%s", err)
		return
	}
	w.insistOn(name, func(ctx context.Context, s *server) error {
		_, err := s.engine.Load(ctx, w.folder, s.now())
		return err
	})
}

// applyDay backfills a day, which takes many transactions.
func applyDay(w *World, name string) {
	r := engine.BackfillRequest{Jobs: []string{"w/join"}, From: "2026-08-02", To: "2026-08-02", IgnoreMissing: true, Share: "1..4"}
	var plan *engine.BackfillPlan
	w.insistOn(name, func(ctx context.Context, s *server) (err error) {
		if plan == nil {
			if plan, err = s.engine.PlanBackfill(ctx, r, s.now()); err != nil {
				return err
			}
		}
		_, _, err = s.engine.ApplyBackfill(ctx, engine.BackfillApplication{
			ID: plan.ID, At: plan.At, Fingerprint: plan.Fingerprint, Request: r, Jobs: plan.Jobs, Actor: "operator",
		}, s.now())
		return err
	})
	if plan == nil || plan.In < 4*4 {
		w.broken("world", "the backfill is of too little to be applied in slices")
	}
}

// applyAndCancel cancels it when some of it is written.
func applyAndCancel(w *World, name string) {
	applyDay(w, name)
	w.until(w.t + 2*turnTakes)
	for _, key := range sortedKeys(w.ledger.lanes) {
		w.insistOn(name, func(ctx context.Context, s *server) error {
			_, err := s.engine.CancelBackfill(ctx, key, "operator", "", true, s.now())
			if errors.Is(err, engine.ErrConflict) {
				return nil // it has ended while the server was away
			}
			return err
		})
	}
}

// applyAndEdit loads other definitions when some of it is written.
func applyAndEdit(w *World, name string) {
	applyDay(w, name)
	w.until(w.t + 2*turnTakes)
	loadEdited(w, name)
}

// deleteLive takes jobs away while instances of theirs run.
func deleteLive(w *World, name string) {
	if len(w.ledger.running) == 0 {
		w.broken("world", "nothing runs at %s", w.t)
	}
	var err error
	if w.folder, err = compileText("workflow: w\ntimeZone: Asia/Shanghai\njobs:\n  other: {cron: \"*/10 * * * *\", action: {type: shell, command: other}}\n"); err != nil {
		w.broken("world", "%s", err)
		return
	}
	w.insistOn(name, func(ctx context.Context, s *server) error {
		_, err := s.engine.Load(ctx, w.folder, s.now())
		return err
	})
}

func awayFor(d time.Duration) func(w *World, name string) {
	return func(w *World, _ string) {
		s := w.servers[0]
		s.crash("away", true)
		w.until(w.t + d)
		s.start()
	}
}

// failOver takes the server away that has claimed what runs.
func failOver(w *World, _ string) {
	for _, s := range w.servers {
		for _, id := range sortedKeys(w.ledger.running) {
			if w.ledger.running[id].owner == s.owner && s.up {
				s.crash("for good", true)
				w.after(10*time.Minute, s.start)
				return
			}
		}
	}
	w.broken("world", "nothing runs at %s", w.t)
}

// CrashEverywhere runs the scenario with a crash at its first write, its second, and so on until one run ends untouched, for each of the kinds.
// It returns the first report with a violation, and how many crashes there were. every > 1 leaves writes out.
func (c *Scenario) CrashEverywhere(kinds []Crash, every int, opts Options) (crashes int, failed *Report, where string) {
	for k, kind := range kinds {
		for n := 1 + k%every; ; n += every {
			report, over := c.Crashed(n, kind, opts)
			if report.Violation != nil {
				return crashes, &report, fmt.Sprintf("write %d, %s", n, kind)
			}
			if over {
				break
			}
			crashes++
		}
	}
	return crashes, nil, ""
}
