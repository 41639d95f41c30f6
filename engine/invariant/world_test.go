package invariant_test

import (
	"container/heap"
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/invariant"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/store"
)

// A world is an engine over a real database, stepped by a clock of its own, whose actions take made-up durations.
type world struct {
	t      *testing.T
	dir    string
	db     *store.DB
	e      *engine.Engine
	now    time.Time
	ends   ends
	boots  int
	loaded []*engine.Workflow
}

// An end is a result that is due at a time.
type end struct {
	at     time.Time
	result engine.Result
	done   func(engine.Result)
	boot   int
}

type ends []end

func (e ends) Len() int { return len(e) }
func (e ends) Less(a, b int) bool {
	return e[a].at.Before(e[b].at) || e[a].at.Equal(e[b].at) && e[a].result.Attempt < e[b].result.Attempt
}
func (e ends) Swap(a, b int) { e[a], e[b] = e[b], e[a] }
func (e *ends) Push(x any)   { *e = append(*e, x.(end)) }
func (e *ends) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

const (
	slots     = 6
	retention = 3 * 24 * time.Hour
)

// newWorld opens a database in a new directory at a time.
func newWorld(t *testing.T, begin time.Time) *world {
	w := &world{t: t, dir: t.TempDir(), now: begin}
	w.open()
	return w
}

func (w *world) open() {
	db, err := store.Open(context.Background(), store.Config{Dir: w.dir, Clock: func() time.Time { return w.now }})
	require.NoError(w.t, err)
	w.db = db
	w.boots++
	w.e, err = engine.New(engine.Config{
		Store: db, Runner: w, Owner: fmt.Sprintf("server-%d", w.boots), Slots: slots, Clock: func() time.Time { return w.now },
		Decode: spec.DecodeJob, Condition: spec.EvalWhen, Retention: retention,
	})
	require.NoError(w.t, err)
}

// crash ends the server; what ran is lost with it.
func (w *world) crash() {
	require.NoError(w.t, w.db.Close())
	w.open()
	w.load(w.loaded)
}

func (w *world) close() { require.NoError(w.t, w.db.Close()) }

// read makes workflows of files.
func read(t *testing.T, files map[string]string) []*engine.Workflow {
	fs := fstest.MapFS{}
	for name, text := range files {
		fs[name] = &fstest.MapFile{Data: []byte(text)}
	}
	workflows, problems := spec.Load(fs, "/folder")
	require.False(t, problems.HasErrors(), "%v", problems)
	return workflows
}

func (w *world) load(workflows []*engine.Workflow) {
	w.loaded = workflows
	_, err := w.e.Load(context.Background(), workflows, w.now)
	require.NoError(w.t, err)
}

// until steps the engine up to a time.
func (w *world) until(stop time.Time) {
	for {
		next, _, err := w.e.Step(context.Background(), w.now)
		require.NoError(w.t, err)
		if len(w.ends) > 0 && w.ends[0].at.Before(next) {
			next = w.ends[0].at
		}
		if next.After(stop) {
			w.now = stop
			return
		}
		if next.After(w.now) {
			w.now = next
		}
		for len(w.ends) > 0 && !w.ends[0].at.After(w.now) {
			if e := heap.Pop(&w.ends).(end); e.boot == w.boots {
				e.done(e.result)
			}
		}
	}
}

// Start takes up to a minute and a half; one in nine first attempts fails.
func (w *world) Start(a engine.Attempt, done func(engine.Result)) {
	h := fnv.New32a()
	fmt.Fprint(h, a.Ref, a.PlanTime.Unix(), a.Step, a.Number)
	n := h.Sum32()
	at := w.now.Add(time.Duration(n%90_000) * time.Millisecond)
	r := engine.Result{Attempt: a.ID, Outcome: engine.OutcomeSucceeded, StartedAt: w.now, EndedAt: at, Outputs: map[string]string{"rows": "1"}}
	if n%9 == 0 && (a.Number == 1 || a.Ref.Job == "fails") {
		one := 1
		r.Outcome, r.Exit = engine.OutcomeFailed, &one
	}
	heap.Push(&w.ends, end{at, r, done, w.boots})
}

func (w *world) Cancel(attempt int64) {
	for n := range w.ends {
		if w.ends[n].result.Attempt == attempt {
			w.ends[n].result.Outcome, w.ends[n].result.EndedAt, w.ends[n].at = engine.OutcomeCancelled, w.now, w.now
			heap.Fix(&w.ends, n)
			return
		}
	}
}
func (w *world) Renew([]int64, time.Time) {}
func (w *world) Adopt(attempts []int64, _ func(engine.Result)) (unknown, unbegun []int64) {
	return attempts, nil
}

// options are those of a check of a world at rest.
func (w *world) options() invariant.Options {
	return invariant.Options{Decode: spec.DecodeJob, Now: w.now, Retention: retention, Settled: true, Slots: slots, Page: 77, Most: 20}
}

func (w *world) check() invariant.Report {
	w.t.Helper()
	r, err := invariant.Check(context.Background(), w.db, w.options())
	require.NoError(w.t, err)
	return r
}

func (w *world) clean() invariant.Report {
	w.t.Helper()
	r := w.check()
	require.Empty(w.t, r.Violations)
	require.Zero(w.t, r.Found)
	return r
}

// copyOf copies the closed database of a world, for damage.
func copyOf(t *testing.T, dir string) string {
	target := t.TempDir()
	data, err := os.ReadFile(filepath.Join(dir, "almanac.db"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(target, "almanac.db"), data, 0o600))
	return target
}
