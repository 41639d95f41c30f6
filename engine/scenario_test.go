package engine_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/store"
)

var update = flag.Bool("update", false, "rewrite the expected timelines; read the difference")

// TestScenarios runs each testdata/scenarios/*.txtar: workflow files, a script of what happens, what the actions do, and the timeline of
// committed transitions that must come of it, on a simulated clock and a real database.
//
// The script, a line each:
//
//	slots 1                       how many the server has from its next start on, 4 unless it is said
//	start 2026-08-03T00:00:00Z    the server starts, with the *.yaml sections as its definitions
//	until 2026-08-03T01:00:00Z    time passes
//	kill                          the server dies; attempts die with it
//	load v2                       the sections v2/*.yaml become the definitions
//	trigger w/a k=v               a person triggers a job
//	cancel w/a@2026-08-03T00:00:00Z     and cancels, or confirms, an instance
//	confirm w/a@2026-08-03T00:00:00Z
//	rerun job:a state:failed from=failed    carries out an operation on what a selector chooses; "preview rerun ..." only says what it would do
//	pause w/a until=… missed=latest note=…  pauses a job or a workflow; "resume w/a" lets it go on
//	clock +1464h                  the machine's clock is so far from the right time
//	confirm-clock                 a person says that it is right
//	waiting                       lists what was looked at and waits, and why
//
// The actions: "a 30s ok", "a 5s unknown" (sent, and no answer came), "a/step 10s exit 3", "a 0s before 2026-08-03T00:05:00Z" (exit 1 before that time), "a 1s ok k=v" (with an output), "a#2 5s ok" (second attempt),
// "a@04 5s ok" (of the fourth of the month), "a error 1s ok" (its errorAction), "a hang". An action that is not
// listed succeeds after a second.
//
// With a section alerts, which is a server's file of them, alerts are judged. The section told says what sinks answer, "ops down" or "ops hangs"; the
// section slots how many attempts run at once; the section quiet leaves everything but alerts out of the timeline.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/scenarios/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			sections := map[string]string{}
			for _, f := range archive.Files {
				sections[f.Name] = string(f.Data)
			}
			dir := t.TempDir()
			var timeline string
			synctest.Test(t, func(t *testing.T) {
				s := &scenario{t: t, sections: sections, dir: dir, actions: parseActions(t, sections["actions"])}
				timeline = s.play()
			})
			if *update {
				for i := range archive.Files {
					if archive.Files[i].Name == "timeline" {
						archive.Files[i].Data = []byte(timeline)
					}
				}
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
				return
			}
			require.Equal(t, sections["timeline"], timeline)
		})
	}
}

// A scenario is one script being played.
type scenario struct {
	told     atomic.Pointer[string] // what sinks answer
	t        *testing.T
	sections map[string]string
	dir      string
	actions  map[string]action
	slots    int

	db     *store.DB
	engine *engine.Engine
	runner *actor
	stop   context.CancelFunc
	done   chan error

	guard  *engine.ClockGuard // of the clock; nil where the script moves none
	offset time.Duration      // of the machine's clock
	began  time.Time

	mortal func(engine.Store) engine.Store // of the first server; nil is none
	shared bool                            // several servers work on the store

	servers  int
	messages map[string]int // numbers of alerts by their ids

	mu    sync.Mutex
	lines strings.Builder
}

// An action is what a job's attempt does in a scenario.
type action struct {
	takes   time.Duration
	exit    int
	hangs   bool
	unknown bool      // it was sent, and no answer came
	before  time.Time // exit 1 before it
	outputs map[string]string
}

func parseActions(t *testing.T, text string) map[string]action {
	actions := map[string]action{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		name, rest := words[0], words[1:]
		if strings.HasPrefix(rest[0], "error") {
			name, rest = name+" "+rest[0], rest[1:]
		}
		var a action
		if rest[0] == "hang" {
			a.hangs = true
		} else {
			var err error
			a.takes, err = time.ParseDuration(rest[0])
			require.NoError(t, err, line)
			if a.unknown = rest[1] == "unknown"; rest[1] == "exit" {
				a.exit, err = strconv.Atoi(rest[2])
				require.NoError(t, err, line)
			}
			if rest[1] == "before" {
				a.before, err = time.Parse(time.RFC3339, rest[2])
				require.NoError(t, err, line)
			}
			if k, v, given := strings.Cut(rest[len(rest)-1], "="); given {
				a.outputs = map[string]string{k: v}
			}
		}
		actions[name] = a
	}
	return actions
}

func (s *scenario) play() string {
	if strings.Contains(s.sections["script"], "\nclock ") {
		s.began = time.Now()
		s.guard = engine.NewClockGuard(time.Hour, s.reading)
	}
	db, err := store.Open(s.t.Context(), store.Config{Dir: s.dir, Clock: s.now})
	require.NoError(s.t, err)
	s.db = db
	// A failed requirement must not leave the bubble's goroutines behind.
	defer func() {
		if s.stop != nil {
			s.stop()
			<-s.done
		}
		db.Close()
	}()
	for line := range strings.Lines(s.sections["script"]) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "slots":
			s.slots, err = strconv.Atoi(words[1])
			require.NoError(s.t, err, line)
		case "start":
			s.until(words[1])
			s.start()
		case "until":
			s.until(words[1])
		case "kill":
			s.kill()
		case "load":
			if len(words) == 1 {
				words = append(words, "")
			}
			s.load(strings.TrimPrefix(words[1]+"/", "/"))
		case "trigger":
			s.trigger(words[1], words[2:])
		case "cancel", "confirm":
			s.operate(words[0], words[1])
		case "preview":
			s.change(words[1], words[2:], true)
		case "rerun", "force", "skip", "freeze", "unfreeze", "detach", "run-now", "boost", "reschedule":
			s.change(words[0], words[1:], false)
		case "pause", "resume":
			s.pause(words[0], words[1], words[2:])
		case "clock":
			s.offset, err = time.ParseDuration(words[1])
			require.NoError(s.t, err, line)
			s.note("the clock is " + words[1] + " from the right time")
		case "confirm-clock":
			s.confirmClock()
		case "waiting":
			s.waiting()
		case "told":
			told := strings.Join(words[1:], " ")
			s.told.Store(&told)
		case "ack":
			s.ack()
		case "incidents":
			s.incidents()
		default:
			s.t.Fatalf("unknown command in the script: %s", line)
		}
		synctest.Wait()
	}
	if s.stop != nil {
		s.kill()
	}
	require.NoError(s.t, db.VerifyChain(context.Background()))
	require.NoError(s.t, db.Close())
	return s.lines.String()
}

// reading is what the machine's clocks say: the wall clock may be wrong, the other never is.
func (s *scenario) reading() engine.ClockReading {
	now := time.Now()
	return engine.ClockReading{Wall: now.Add(s.offset), Boot: "a", Up: now.Sub(s.began)}
}

// now is the time that the server goes by.
func (s *scenario) now() time.Time {
	if s.guard != nil {
		return s.guard.Now()
	}
	return time.Now()
}

func (s *scenario) confirmClock() {
	if _, err := s.engine.ConfirmClock(s.t.Context(), "ann", ""); err != nil {
		s.note("refused: " + err.Error())
		return
	}
	s.note("ann confirms the clock")
}

func (s *scenario) until(text string) {
	at, err := time.Parse(time.RFC3339, text)
	require.NoError(s.t, err)
	time.Sleep(time.Until(at)) // of the bubble
}

func (s *scenario) start() {
	s.runner = &actor{scenario: s, live: map[int64]func(engine.Result){}}
	slots := 4
	if text := strings.TrimSpace(s.sections["slots"]); text != "" {
		var err error
		slots, err = strconv.Atoi(text)
		require.NoError(s.t, err)
	}
	rows := engine.Store(s.db)
	if s.mortal != nil {
		rows, s.mortal = s.mortal(rows), nil
	}
	s.servers++
	e, err := engine.New(engine.Config{
		Store: rows, Shared: s.shared, Runner: s.runner, Owner: fmt.Sprintf("server-%d-%d", time.Now().Unix(), s.servers), Slots: cmp.Or(s.slots, slots),
		Decode: spec.DecodeJob, Condition: spec.EvalWhen, Observe: s.observe, Alerts: s.alerts(),
		Clock: s.now, Guard: s.guard,
	})
	require.NoError(s.t, err)
	s.engine = e
	s.load("")
	run, stop := context.WithCancel(s.t.Context())
	s.stop, s.done = stop, make(chan error, 1)
	done := s.done
	go func() {
		err := e.Run(run)
		if errors.Is(err, errCrash) { // the next one starts at once
			s.note("server crashed")
			s.start()
			err = nil
		}
		done <- err
	}()
}

// kill ends the server without letting it know what its attempts come to.
func (s *scenario) kill() {
	s.runner.mu.Lock()
	s.runner.dead = true
	s.runner.mu.Unlock()
	s.stop()
	require.NoError(s.t, <-s.done)
	s.stop = nil
	s.note("server killed")
}

func (s *scenario) load(prefix string) {
	files := fstest.MapFS{}
	for name, data := range s.sections {
		if rest, ok := strings.CutPrefix(name, prefix); ok && strings.HasSuffix(rest, ".yaml") && !strings.Contains(rest, "/") {
			files[rest] = &fstest.MapFile{Data: []byte(data)}
		}
	}
	workflows, problems := spec.Load(files, "/definitions")
	require.False(s.t, problems.HasErrors(), "%v", problems)
	report, err := s.engine.Load(s.t.Context(), workflows, s.now())
	if errors.Is(err, engine.ErrConflict) {
		s.note("refused: " + err.Error())
		return
	}
	require.NoError(s.t, err)
	s.note(fmt.Sprintf("loaded: %d added, %d changed, %d removed, %d replaced by %d",
		len(report.Added), len(report.Changed), len(report.Removed), report.Replaced, report.Planned))
}

func (s *scenario) trigger(name string, params []string) {
	workflow, job, _ := strings.Cut(name, "/")
	request := engine.TriggerRequest{Ref: engine.JobRef{Workflow: workflow, Job: job}, Params: map[string]string{}, Actor: "ann"}
	for _, p := range params {
		k, v, _ := strings.Cut(p, "=")
		request.Params[k] = v
	}
	_, _, err := s.engine.Trigger(s.t.Context(), request, s.now())
	if err != nil {
		s.note("refused: " + err.Error())
	}
}

func (s *scenario) operate(operation, name string) {
	ref, at, _ := strings.Cut(name, "@")
	workflow, job, _ := strings.Cut(ref, "/")
	planTime, err := time.Parse(time.RFC3339, at)
	require.NoError(s.t, err)
	i, err := s.db.FindByName(s.t.Context(), engine.JobRef{Workflow: workflow, Job: job}, "", planTime)
	require.NoError(s.t, err)
	if operation == "cancel" {
		_, err = s.engine.Cancel(s.t.Context(), i.ID, "ann", "", s.now())
	} else {
		_, err = s.engine.Confirm(s.t.Context(), i.ID, "ann", s.now())
	}
	if err != nil {
		s.note("refused: " + err.Error())
	}
}

// change carries out an operation on what a selector chooses, or tells what it would do.
func (s *scenario) change(operation string, words []string, preview bool) {
	r := engine.OperationRequest{Operation: engine.Operation(operation), Actor: "ann", DryRun: preview}
	for _, word := range words {
		option, value, isOption := strings.Cut(word, "=")
		o := &r.Options
		texts := map[string]*string{"from": &o.From, "step": &o.Step, "version": &o.Version, "scope": &o.Scope, "upstream": &o.Upstream, "to": &o.To, "note": &r.Note}
		switch {
		case !isOption:
			r.Selector += word + " "
		case option == "priority":
			var err error
			o.Priority, err = strconv.Atoi(value)
			require.NoError(s.t, err)
		default:
			*texts[option] = value
		}
	}
	result, err := s.engine.Operate(s.t.Context(), r, s.now())
	if err != nil {
		s.note("refused: " + strings.ReplaceAll(err.Error(), "\n", "; "))
		return
	}
	if _, quiet := s.sections["quiet"]; quiet {
		return
	}
	for _, c := range result.Changes {
		s.note(fmt.Sprintf("%s %s: %s@%s %s → %s: %s", operation, c.Effect, c.Ref.Job, c.PlanTime.Format("02T15:04"), c.From, c.To, c.Text))
	}
}

func (s *scenario) pause(what, name string, options []string) {
	r := engine.PauseRequest{Actor: "ann"}
	r.Workflow, r.Job, _ = strings.Cut(name, "/")
	for _, option := range options {
		key, value, _ := strings.Cut(option, "=")
		switch key {
		case "until":
			var err error
			r.Until, err = time.Parse(time.RFC3339, value)
			require.NoError(s.t, err)
		case "missed":
			r.Missed = engine.Missed(value)
		default:
			r.Note = value
		}
	}
	carryOut := s.engine.Pause
	if what == "resume" {
		carryOut = s.engine.Resume
	}
	s.note(what + " " + name) // before it: the loop does not wait for who asked
	if _, err := carryOut(s.t.Context(), r, s.now()); err != nil {
		s.note("refused: " + err.Error())
	}
}

func (s *scenario) waiting() {
	require.NoError(s.t, s.db.Read(s.t.Context(), func(v engine.View) error {
		jobs, err := v.Jobs()
		if err != nil {
			return err
		}
		for _, job := range jobs {
			waiting, err := v.Waiting(job.ID)
			if err != nil {
				return err
			}
			for _, i := range waiting {
				if i.Gate != engine.GateTime {
					s.note(fmt.Sprintf("%s waits: %s", i.Name(), i.Reason.Describe()))
				}
			}
		}
		return nil
	}))
}

func (s *scenario) note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(&s.lines, "%s %s\n", time.Now().UTC().Format("02 15:04:05"), text)
}

func (s *scenario) observe(n engine.Notice) {
	if _, quiet := s.sections["quiet"]; quiet {
		return
	}
	name := fmt.Sprintf("%s@%s", n.Instance.Ref.Job, n.Instance.PlanTime.Format("02T15:04"))
	if n.Instance.Kind == engine.Manual {
		name = n.Instance.Ref.Job + "@trigger"
	}
	if n.Step != "" {
		name += " step " + n.Step
	}
	switch {
	case n.Attempt != nil && n.Attempt.Error:
		s.note(fmt.Sprintf("  %s error action, attempt %d", name, n.Attempt.Number))
	case n.Attempt != nil:
		s.note(fmt.Sprintf("  %s attempt %d", name, n.Attempt.Number))
	case n.Result != nil:
		s.note(fmt.Sprintf("  %s ended: %s", name, n.Result))
	default:
		s.note(fmt.Sprintf("%s %s → %s: %s", name, n.From, n.Instance.State, n.Instance.Reason.Describe()))
	}
}

// An actor is the Runner of a scenario.
type actor struct {
	scenario *scenario
	mu       sync.Mutex
	live     map[int64]func(engine.Result)
	started  time.Duration
	dead     bool
}

func (r *actor) Start(a engine.Attempt, done func(engine.Result)) {
	name := a.Ref.Job
	if a.Step != "" {
		name += "/" + a.Step
	}
	if a.Error {
		name += " error"
	}
	act, known := r.scenario.actions[fmt.Sprintf("%s#%d", name, a.Number)]
	if !known {
		act, known = r.scenario.actions[name+"@"+a.PlanTime.Format("02")]
	}
	if !known {
		act, known = r.scenario.actions[name]
	}
	if !known {
		act.takes = time.Second
	}
	began := time.Now()
	r.mu.Lock()
	r.live[a.ID] = func(result engine.Result) {
		result.Attempt, result.StartedAt, result.EndedAt = a.ID, began, time.Now()
		done(result)
	}
	r.started++ // no two end at one instant: the timeline has one order
	takes := act.takes + r.started*time.Microsecond
	r.mu.Unlock()
	if act.hangs {
		return
	}
	if began.Before(act.before) {
		act.exit = 1
	}
	time.AfterFunc(takes, func() {
		result := engine.Result{Outcome: engine.OutcomeSucceeded, Exit: &act.exit, Outputs: act.outputs}
		if act.exit != 0 {
			result.Outcome = engine.OutcomeFailed
		}
		if act.unknown {
			result = engine.Result{Outcome: engine.OutcomeFailed, Message: "no answer, key " + a.IdempotencyKey(), Unknown: true}
		}
		r.end(a.ID, result)
	})
}

func (r *actor) end(attempt int64, result engine.Result) {
	r.mu.Lock()
	report := r.live[attempt]
	delete(r.live, attempt)
	dead := r.dead
	r.mu.Unlock()
	if report != nil && !dead {
		report(result)
	}
}

// Cancel ends an action two seconds later, as a process that takes its time after TERM does.
func (r *actor) Cancel(attempt int64) {
	time.AfterFunc(2*time.Second, func() { r.end(attempt, engine.Result{Outcome: engine.OutcomeCancelled, Signal: "terminated"}) })
}

func (r *actor) Renew([]int64, time.Time) {}

func (r *actor) Adopt(attempts []int64, _ func(engine.Result)) (unknown, unbegun []int64) {
	return attempts, nil
}
