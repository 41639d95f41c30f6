package engine_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/fault/effort"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/store"
)

// A week of the examples, or its first days, on a simulated clock and a real database, with three crashes on the way. After each committed transition the
// invariants I1 to I4 of the reliability page are checked on the rows:
//
//	I1  one instance for each plan time of each rule, for every window that the watermark has passed, and none else
//	I2  states move only along the table, and an attempt has one outcome
//	I3  what runs has an owner, a lease, and a fence that only grows
//	I4  what starts has its recorded dependencies satisfied
func TestSimulatedWeek(t *testing.T) {
	workflows, problems := spec.Load(os.DirFS("../examples"), "../examples")
	require.False(t, problems.HasErrors(), "%v", problems)
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		// The examples begin in 2026, the bubble's clock earlier. The week holds the 3rd of August, which is a Monday.
		begin := time.Date(2026, 8, 2, 13, 30, 0, 0, time.UTC)
		time.Sleep(time.Until(begin))
		db, err := store.Open(ctx, store.Config{Dir: dir, Clock: time.Now})
		require.NoError(t, err)
		defer db.Close()

		w := &witness{t: t, db: db, states: map[int64]engine.State{}, fences: map[int64]int64{}, outcomes: map[int64]engine.Outcome{}}
		days := effort.Of(3, 7)
		end := begin.AddDate(0, 0, days)
		crashes := []time.Time{
			begin.Add(31 * time.Hour),
			begin.Add(time.Duration(effort.Of(50, 80))*time.Hour + 17*time.Second),
			begin.Add(time.Duration(effort.Of(62, 120)) * time.Hour), end,
		}
		for n, crash := range crashes {
			w.incarnation++
			e := newEngine(t, db, w, fmt.Sprintf("server-%d", n))
			_, err := e.Load(ctx, workflows, time.Now())
			require.NoError(t, err)
			run, stop := context.WithDeadline(ctx, crash)
			require.NoError(t, e.Run(run))
			stop()
			synctest.Wait()
		}
		w.checkComplete(workflows, begin, end)
		require.Greater(t, w.started, 1400*days, "the beats alone are more")
		require.Positive(t, w.retried, "no attempt was ever repeated: the week proves too little")
		require.Positive(t, w.lost, "no crash ever hit a running attempt: the week proves too little")
		require.NoError(t, db.VerifyChain(ctx))
	})
}

func newEngine(t *testing.T, db *store.DB, w *witness, owner string) *engine.Engine {
	e, err := engine.New(engine.Config{
		Store: db, Runner: &recorder{witness: w, incarnation: w.incarnation}, Owner: owner, Slots: 8,
		Decode: spec.DecodeJob, Condition: spec.EvalWhen, Observe: w.observe,
	})
	require.NoError(t, err)
	return e
}

// A recorder is a Runner whose actions take made-up durations: a minute and a half at the most, one in nine fails at its first attempt. It forgets
// everything when its process dies.
type recorder struct {
	witness     *witness
	incarnation int
}

func (r *recorder) Start(a engine.Attempt, done func(engine.Result)) {
	h := fnv.New32a()
	fmt.Fprint(h, a.Ref, a.PlanTime.Unix(), a.Step, a.Number)
	n := h.Sum32()
	began := time.Now()
	time.AfterFunc(time.Duration(n%90_000)*time.Millisecond, func() {
		if r.witness.alive(r.incarnation) {
			result := engine.Result{Attempt: a.ID, Outcome: engine.OutcomeSucceeded, StartedAt: began, EndedAt: time.Now(), Outputs: map[string]string{"rows": "1"}}
			if n%9 == 0 && a.Number == 1 {
				one := 1
				result.Outcome, result.Exit = engine.OutcomeFailed, &one
			}
			done(result)
		}
	})
}

func (r *recorder) Cancel(int64) {}

func (r *recorder) Renew([]int64, time.Time) {}

func (r *recorder) Adopt(attempts []int64, _ func(engine.Result)) (unknown, unbegun []int64) {
	return attempts, nil
}

// A witness watches what is committed and checks the invariants.
type witness struct {
	t  *testing.T
	db *store.DB

	mu          sync.Mutex
	incarnation int
	states      map[int64]engine.State
	fences      map[int64]int64
	outcomes    map[int64]engine.Outcome
	started     int
	retried     int
	lost        int
}

func (w *witness) alive(incarnation int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.incarnation == incarnation
}

func (w *witness) observe(n engine.Notice) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := n.Instance
	switch {
	case n.Attempt != nil:
		if n.Attempt.Number > 1 && !n.Attempt.Error {
			w.retried++
		}
	case n.Result != nil:
		_, twice := w.outcomes[n.Result.Attempt]
		require.False(w.t, twice, "I2: a second outcome of attempt %d of %s", n.Result.Attempt, i.Name())
		w.outcomes[n.Result.Attempt] = n.Result.Outcome
		if n.Result.Outcome == engine.OutcomeLost {
			w.lost++
		}
	default:
		before, known := w.states[i.ID]
		if !known {
			before = engine.Waiting
		}
		require.Equal(w.t, before, n.From, "I2: %s was %s", i.Name(), before)
		legal := false
		for _, event := range engine.Events {
			to, err := n.From.On(event)
			legal = legal || err == nil && to == i.State
		}
		require.True(w.t, legal, "I2: %s went from %s to %s", i.Name(), n.From, i.State)
		w.states[i.ID] = i.State
		if i.State == engine.Running {
			w.checkStart(i)
		}
	}
}

// checkStart checks I3 and I4 on the rows of an instance that has just started.
func (w *witness) checkStart(i engine.Instance) {
	w.started++
	require.NotEmpty(w.t, i.Owner, "I3")
	require.True(w.t, i.Lease.After(time.Now()), "I3: the lease of %s", i.Name())
	require.Greater(w.t, i.Fence, w.fences[i.ID], "I3: the fence of %s", i.Name())
	w.fences[i.ID] = i.Fence
	require.False(w.t, i.NotBefore.After(time.Now()), "%s started early", i.Name())
	require.NoError(w.t, w.db.Read(context.Background(), func(v engine.View) error {
		waits, err := v.Waits(i.ID)
		if err != nil {
			return err
		}
		for n := range waits {
			wait := &waits[n]
			if wait.Count == 0 || wait.OnFailed != engine.FailedWait || wait.Select != "all" {
				continue
			}
			facts, err := v.Facts(wait)
			if err != nil {
				return err
			}
			require.True(w.t, facts.Planned, "I4: %s started before %s was planned", i.Name(), wait.Ref)
			require.Nil(w.t, facts.Unsatisfied, "I4: %s started before %s@%v", i.Name(), wait.Ref, facts.Unsatisfied)
		}
		return nil
	}))
}

// checkComplete checks I1: what is recorded of each job is what its rule says, once each.
func (w *witness) checkComplete(workflows []*engine.Workflow, begin, end time.Time) {
	require.NoError(w.t, w.db.Read(context.Background(), func(v engine.View) error {
		rows, err := v.Jobs()
		if err != nil {
			return err
		}
		for _, row := range rows {
			var job *engine.Job
			for _, wf := range workflows {
				if wf.Name == row.Ref.Workflow {
					job = wf.Job(row.Ref.Job)
				}
			}
			if job.When.Manual {
				continue
			}
			require.True(w.t, row.PlannedTo.After(end), "%s is planned to %s", row.Ref, row.PlannedTo)
			timetable, err := job.When.Compile(row.Origin())
			require.NoError(w.t, err)
			for _, at := range timetable.Between(begin, row.PlannedTo) {
				i, err := v.Find(row.ID, "", at)
				require.NoError(w.t, err, "I1: %s@%s", row.Ref, at)
				if at.Before(end.Add(-3 * time.Hour)) {
					require.NotEqual(w.t, engine.Running, i.State, "%s still runs", i.Name())
				}
			}
		}
		return nil
	}))
}
