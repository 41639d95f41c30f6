package engine_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/fault/effort"
	"github.com/almanac-sched/almanac/engine/sim/model"
	"github.com/almanac-sched/almanac/engine/spec"
)

// A real day of a random folder, carried out by the engine on rows and a runner that takes its time, has the starts and ends, instance by instance, that
// the simulation of the same day foresaw.
func TestSimulationForeseesTheRealDay(t *testing.T) {
	fewer(t, 40)
	rapid.Check(t, func(rt *rapid.T) {
		f := drawFolder(rt)
		foreseen, real := f.compare(rt)
		var differ []string
		for name, x := range real {
			if foreseen[name] != x {
				differ = append(differ, fmt.Sprintf("%s: %s\n  foreseen %s %s", real[name], name, foreseen[name], name))
			}
		}
		slices.SortFunc(differ, func(a, b string) int { // what differs first is where to look
			_, a, _ = strings.Cut(a, " ")
			_, b, _ = strings.Cut(b, " ")
			return strings.Compare(a, b)
		})
		require.Empty(rt, differ, "%s\nslots %d, durations %v, failures %v", f.text, f.slots, f.durations, f.failures)
		require.Len(rt, foreseen, len(real))
	})
}

// fewer has rapid draw so many cases where the tests draw few, unless the command line says how many.
func fewer(t *testing.T, cases int) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	if effort.Long() || checks.Value.String() != checks.DefValue {
		return
	}
	require.NoError(t, checks.Value.Set(strconv.Itoa(cases)))
	t.Cleanup(func() { require.NoError(t, checks.Value.Set(checks.DefValue)) })
}

// A drawnFolder is definitions with what their actions do.
type drawnFolder struct {
	text      string
	slots     int
	durations map[string]time.Duration // by job
	chains    map[string]int           // steps one after the other
	timeouts  map[string]time.Duration
	failures  map[string]int // job@clock → attempts that fail
}

var oracleDay = time.Date(2026, 8, 3, 0, 0, 0, 0, time.UTC)

func drawFolder(t *rapid.T) *drawnFolder {
	f := &drawnFolder{
		slots: rapid.IntRange(1, 5).Draw(t, "slots"), durations: map[string]time.Duration{}, chains: map[string]int{},
		timeouts: map[string]time.Duration{}, failures: map[string]int{},
	}
	pick := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	one := func(name string, in int) bool { return rapid.IntRange(1, in).Draw(t, name) == 1 }
	var b strings.Builder
	b.WriteString("workflow: w\ndefaults: {startTime: \"2026-08-03T00:00:00Z\", endTime: \"2026-08-03T23:30:00Z\"}\njobs:\n")
	poolSlots := rapid.IntRange(1, 2).Draw(t, "pool size")
	n := rapid.IntRange(1, 7).Draw(t, "jobs")
	for i := range n {
		name := fmt.Sprintf("j%d", i)
		var members []string
		add := func(format string, args ...any) { members = append(members, fmt.Sprintf(format, args...)) }
		add("cron: %q", pick("cron", "0 * * * *", "20 */2 * * *", "*/20 6-9 * * *", "0 2,5,15 * * *", "30 3,6,8 * * *", "0 6 * * *", "15 8 * * *"))
		minutes := rapid.IntRange(0, 90).Draw(t, "minutes")
		f.durations[name] = (time.Duration(minutes)*time.Minute + time.Duration(i*7+1)*time.Millisecond).Truncate(time.Millisecond)
		f.chains[name] = 1
		var edges []string
		for up := range i {
			if !one("edge", 3) {
				continue
			}
			edge := fmt.Sprintf("{job: j%d, onFailed: %s", up, pick("onFailed", "wait", "run", "cancel"))
			if one("select?", 3) {
				edge += ", select: " + pick("select", "any", "2", "last", "first")
			}
			if one("timeout?", 4) {
				edge += ", timeout: " + pick("timeout", "PT10M", "PT2H", "PT5H")
			}
			if one("previous?", 6) {
				edge += ", cycle: previous"
			}
			if one("previous end?", 8) {
				edge += ", waitPreviousEnd: true"
			}
			edges = append(edges, edge+"}")
		}
		if len(edges) > 0 {
			add("dependsOn: [%s]", strings.Join(edges, ", "))
		}
		if one("self", 6) {
			add("selfDependency: true")
		}
		if one("concurrency", 3) {
			add("concurrency: %d", rapid.IntRange(2, 3).Draw(t, "concurrency"))
		}
		if one("overlap", 3) {
			add("overlap: %s", pick("overlap", "skip", "skipToLatest", "cancelRunning"))
		}
		if one("priority", 3) {
			add("priority: %d", rapid.IntRange(1, 9).Draw(t, "priority"))
		}
		if one("pool", 3) {
			add("pool: p, slots: %d", poolSlots)
		}
		if one("spread", 6) {
			add("spread: PT7M")
		}
		if one("wait timeout", 5) {
			add("waitTimeout: %s", pick("waitTimeout", "PT5M", "PT1H", "PT4H"))
		}
		if one("retry", 3) {
			add("retryPolicy: {retryType: %s, retryCount: 2, retryInterval: %s}", pick("retry", "fixed", "exponential"), pick("interval", "PT30S", "PT13M"))
		}
		if one("error action", 5) {
			add("errorAction: {type: shell, command: \"true\"}")
		}
		if one("timeout of an attempt", 6) {
			add("timeout: PT40M")
			f.timeouts[name] = 40 * time.Minute
		}
		switch rapid.IntRange(1, 6).Draw(t, "action") {
		case 1:
			add("action: {type: none}")
			delete(f.durations, name) // a real one takes no time, and never fails
		case 2:
			f.chains[name] = 2
			add("steps: {one: {type: shell, command: \"true\"}, two: {type: shell, command: \"true\", needs: [one]}, nothing: {type: none, needs: [one]}}")
		case 3:
			add("steps: {one: {type: shell, command: \"true\", onFailure: %s}, two: {type: shell, command: \"true\"}}", pick("onFailure", "fail", "continue", "failSuccessors"))
		default:
			add("action: {type: shell, command: \"true\"}")
		}
		if one("fails", 4) {
			attempts := rapid.IntRange(1, 4).Draw(t, "fails")
			if _, does := f.durations[name]; does {
				f.failures[name] = attempts
			}
		}
		fmt.Fprintf(&b, "  %s: {%s}\n", name, strings.Join(members, ", "))
	}
	f.text = b.String()
	return f
}

// compare plays the day twice: foreseen before it begins, and for real.
func (f *drawnFolder) compare(t require.TestingT) (foreseen, real map[string]string) {
	ctx := context.Background()
	w, problems := spec.Decode("w.yaml", []byte(f.text), spec.Options{})
	require.False(t, problems.HasErrors(), "%v\n%s", problems, f.text)
	r := &dayRunner{now: oracleDay, folder: f}
	db := model.New(func() time.Time { return r.now })
	e, err := engine.New(engine.Config{
		Store: db, Runner: r, Owner: "server", Slots: f.slots, Decode: spec.DecodeJob, Condition: spec.EvalWhen, Clock: func() time.Time { return r.now },
	})
	require.NoError(t, err)
	_, err = e.Load(ctx, []*engine.Workflow{w}, oracleDay)
	require.NoError(t, err)

	request := engine.SimulationRequest{Date: "2026-08-03", NoHistory: true, Durations: map[string]string{}}
	for name, d := range f.durations {
		request.Durations[name] = isoSeconds(d)
	}
	for name, attempts := range f.failures {
		request.Fail = append(request.Fail, fmt.Sprintf("%s=%d", name, attempts))
	}
	sight, err := e.Simulate(ctx, request, 0, oracleDay)
	require.NoError(t, err)
	foreseen = map[string]string{}
	for i := range sight.Instances {
		x := &sight.Instances[i].Instance
		foreseen[x.Name()] = outcomeText(x)
	}

	end := sight.Last.Add(25 * time.Hour)
	for r.now.Before(end) {
		var next time.Time
		for rest := 0; rest < 3; rest++ { // a turn may ask for another by the loop's signal too: who is to be cancelled
			next, _, err = e.Step(ctx, r.now)
			require.NoError(t, err)
			if !next.After(r.now) {
				rest = -1
			}
		}
		if len(r.ends) > 0 && !r.ends[0].EndedAt.After(next) {
			next = r.ends[0].EndedAt
		}
		if next.After(r.now) {
			r.now = next
		}
		for len(r.ends) > 0 && !r.ends[0].EndedAt.After(r.now) {
			result := r.ends[0]
			r.ends = r.ends[1:]
			r.done[result.Attempt](result)
		}
	}
	real = map[string]string{}
	require.NoError(t, db.Read(ctx, func(v engine.View) error {
		rows, err := v.Jobs()
		if err != nil {
			return err
		}
		for _, row := range rows {
			for at := oracleDay; at.Before(oracleDay.AddDate(0, 0, 1)); at = at.Add(5 * time.Minute) {
				i, err := v.Find(row.ID, "", at)
				if err != nil {
					continue
				}
				// The play ends a day after the last thing that happened: what a timeout ends later still waits in it.
				if i.State == engine.Cancelled && i.StartedAt.IsZero() && i.EndedAt.After(sight.Last.Add(24*time.Hour)) {
					i.State, i.EndedAt = engine.Waiting, time.Time{}
				}
				real[i.Name()] = outcomeText(&i)
			}
		}
		return nil
	}))
	return foreseen, real
}

// isoSeconds is a duration in the form of a request.
func isoSeconds(d time.Duration) string { return fmt.Sprintf("PT%.3fS", d.Seconds()) }

func outcomeText(i *engine.Instance) string {
	const form = "02 15:04:05.000"
	text := string(i.State)
	for _, at := range []time.Time{i.StartedAt, i.EndedAt} {
		if at.IsZero() {
			text += " -"
		} else {
			text += " " + at.UTC().Format(form)
		}
	}
	return text + " " + i.Reason.Describe()
}

// A dayRunner is a Runner whose attempts take as long as the folder says.
type dayRunner struct {
	now    time.Time
	folder *drawnFolder
	ends   []engine.Result // by end
	done   map[int64]func(engine.Result)
}

func (r *dayRunner) Start(a engine.Attempt, done func(engine.Result)) {
	if r.done == nil {
		r.done = map[int64]func(engine.Result){}
	}
	r.done[a.ID] = done
	takes := r.folder.durations[a.Ref.Job] / time.Duration(r.folder.chains[a.Ref.Job])
	result := engine.Result{Attempt: a.ID, Outcome: engine.OutcomeSucceeded, StartedAt: r.now}
	if a.Error {
		takes = time.Second
	} else {
		if a.Number <= r.folder.failures[a.Ref.Job] {
			one := 1
			result.Outcome, result.Exit, result.Message = engine.OutcomeFailed, &one, "made to fail"
		}
		if most := r.folder.timeouts[a.Ref.Job]; most > 0 && takes > most {
			takes, result.Outcome, result.Exit, result.Message = most, engine.OutcomeTimeout, nil, "timeout"
		}
	}
	result.EndedAt = r.now.Add(takes.Truncate(time.Millisecond))
	r.put(result)
}

func (r *dayRunner) put(result engine.Result) {
	at, _ := slices.BinarySearchFunc(r.ends, result, func(a, b engine.Result) int {
		return cmp.Or(a.EndedAt.Compare(b.EndedAt), cmp.Compare(a.Attempt, b.Attempt))
	})
	r.ends = slices.Insert(r.ends, at, result)
}

func (r *dayRunner) Cancel(attempt int64) {
	n := slices.IndexFunc(r.ends, func(e engine.Result) bool { return e.Attempt == attempt })
	if n < 0 {
		return
	}
	result := r.ends[n]
	r.ends = slices.Delete(r.ends, n, n+1)
	result.EndedAt, result.Outcome, result.Exit, result.Message = r.now, engine.OutcomeCancelled, nil, ""
	r.put(result)
}

func (r *dayRunner) Renew([]int64, time.Time) {}

func (r *dayRunner) Adopt(attempts []int64, _ func(engine.Result)) (unknown, unbegun []int64) {
	return attempts, nil
}
