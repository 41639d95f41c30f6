package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

const sensors = `workflow: w
defaults: {startTime: "2026-08-01T00:00:00Z"}
jobs:
  sensor: {trigger: manual, concurrency: 100000, action: {type: wait, interval: PT1M, file: x}}
  caller: {trigger: manual, concurrency: 9, action: {type: job, job: child}}
  child: {trigger: manual, concurrency: 9, action: {type: shell, command: "true"}}
`

func (h *hand) say(a engine.Attempt, at time.Time, outcome engine.Outcome, words string) {
	h.done[a.ID](engine.Result{Attempt: a.ID, Outcome: outcome, Message: words, StartedAt: at, EndedAt: at})
}

func (d *desk) trigger(e *engine.Engine, job, key string) engine.Instance {
	d.Helper()
	i, _, err := e.Trigger(d.Context(), engine.TriggerRequest{Ref: engine.JobRef{Workflow: "w", Job: job}, Key: key, Actor: "ann"}, d.now)
	require.NoError(d, err)
	return i
}

func (d *desk) read(id int64) (i engine.Instance, attempts []engine.AttemptRow, watches []engine.WatchRow) {
	d.Helper()
	require.NoError(d, d.db.Read(d.Context(), func(v engine.View) (err error) {
		if i, err = v.Instance(id); err != nil {
			return err
		}
		if attempts, err = v.Attempts(id); err != nil {
			return err
		}
		watches, err = v.Watches(id)
		return err
	}))
	return i, attempts, watches
}

// Ten thousand that wait take no slot and cost nothing but their looks, of which only so many are under way.
func TestTenThousandWait(t *testing.T) {
	const n, jobs = 10_000, 100
	d := newDesk(t)
	e, h := d.server("a", d.db, false)
	text := sensors
	for k := range jobs {
		text += fmt.Sprintf("  sensor-%d: {trigger: manual, concurrency: 1000, action: {type: wait, interval: PT1M, file: x}}\n", k)
	}
	d.load(e, text)
	d.step(e)
	var models []engine.Instance
	for k := range jobs {
		models = append(models, d.trigger(e, fmt.Sprint("sensor-", k), "0"))
	}
	first := models[0]
	require.NoError(t, d.db.Write(t.Context(), func(tx engine.Tx) error {
		id, err := tx.Reserve(n)
		if err != nil {
			return err
		}
		_, err = tx.InsertInstances(func(yield func(*engine.Instance, []engine.Wait) bool) {
			for k := jobs; k < n; k++ {
				i := models[k%jobs]
				i.ID, i.Key = id+int64(k), fmt.Sprint("k-", k)
				if !yield(&i, nil) {
					return
				}
			}
		})
		return err
	}))
	looked := 0 // looks come in and others go out, until all have been looked at once
	for looked < n {
		d.step(e)
		require.LessOrEqual(t, len(h.started)-looked, 32, "looks under way")
		require.Greater(t, len(h.started), looked, "the next ones begin")
		for ; looked < len(h.started); looked++ {
			h.say(h.started[looked], d.now, engine.OutcomeFailed, "it is not there")
		}
	}
	d.step(e)
	require.Len(t, h.started, n, "and not again before their time")
	require.NoError(t, d.db.Read(t.Context(), func(v engine.View) error {
		live, err := v.Live()
		require.Empty(t, live, "none of them is an attempt")
		return err
	}))
	_, attempts, watches := d.read(first.ID)
	require.Empty(t, attempts)
	require.Equal(t, 1, watches[0].Polls)
	require.Equal(t, "it is not there", watches[0].Last)

	begun := time.Now()
	d.step(e)
	t.Logf("a turn with %d that wait and nothing to look at took %s", n, time.Since(begun))
	child := d.trigger(e, "child", "c")
	d.step(e)
	require.Equal(t, child.ID, h.started[n].Instance, "there is a slot for what needs one")

	d.now = d.now.Add(61 * time.Second)
	d.step(e)
	require.Greater(t, len(h.started), n+1)
	h.say(h.started[n+1], d.now, engine.OutcomeSucceeded, "")
	d.step(e)
	i, attempts, watches := d.read(h.started[n+1].Instance)
	require.Equal(t, engine.Succeeded, i.State)
	require.Len(t, attempts, 1)
	require.Equal(t, "so at look 2", attempts[0].Result.Message)
	require.Empty(t, watches)
}

// Another server goes on with what one has left waiting, and what the former still says of it changes nothing.
func TestAWaitIsTakenOver(t *testing.T) {
	d := newDesk(t)
	a, ha := d.server("a", d.db, true)
	d.load(a, sensors)
	d.step(a)
	sensor, caller := d.trigger(a, "sensor", "s"), d.trigger(a, "caller", "c")
	d.step(a)
	require.Len(t, ha.started, 2, "a look, and the child of the caller")
	_, _, watches := d.read(caller.ID)
	child := watches[0].Child
	d.now = d.now.Add(2 * time.Minute)

	b, hb := d.server("b", d.db, true)
	d.step(b)
	i, _, _ := d.read(sensor.ID)
	require.Equal(t, "b", i.Owner)
	require.NotEmpty(t, hb.started, "it looks for itself")
	for _, s := range ha.started {
		ha.say(s, d.now, engine.OutcomeSucceeded, "")
	}
	d.step(a)
	i, attempts, _ := d.read(sensor.ID)
	require.Equal(t, engine.Running, i.State, "the former owner has nothing to say")
	require.Empty(t, attempts)

	d.step(b)
	for n := 0; n < len(hb.started); n++ {
		hb.say(hb.started[n], d.now, engine.OutcomeSucceeded, "")
		d.step(b)
	}
	for _, id := range []int64{sensor.ID, child, caller.ID} {
		i, _, watches := d.read(id)
		require.Equal(t, engine.Succeeded, i.State, i.Name())
		require.Empty(t, watches)
	}
}

// A commit that failed, or of which nobody knows, starts one child and ends its caller once.
func TestAChildIsStartedOnceWhateverTheStoreSays(t *testing.T) {
	for name, fail := range map[string]func(f *faulty){
		"before": func(f *faulty) { f.before = engine.ErrUnavailable },
		"after":  func(f *faulty) { f.after = engine.ErrUnavailable },
	} {
		t.Run(name, func(t *testing.T) {
			for n := range 8 { // at each write of the whole story
				d := newDesk(t)
				rows := &faulty{Store: d.db}
				e, h := d.server("a", rows, false)
				d.load(e, sensors)
				d.step(e)
				caller := d.trigger(e, "caller", "c")
				ended := 0
				for turn := range 30 {
					if turn == n {
						fail(rows)
					}
					_, _, err := e.Step(t.Context(), d.now)
					require.NoError(t, err)
					for ; ended < len(h.started); ended++ {
						h.end(h.started[ended].ID, d.now)
					}
					d.now = d.now.Add(2 * time.Second)
				}
				i, attempts, watches := d.read(caller.ID)
				require.Equal(t, engine.Succeeded, i.State, "write %d", n)
				require.Len(t, attempts, 1)
				require.Empty(t, watches)
				children := 0
				require.NoError(t, d.db.Read(t.Context(), func(v engine.View) error {
					row, err := v.JobByRef(engine.JobRef{Workflow: "w", Job: "child"})
					if err != nil {
						return err
					}
					found, err := v.FindKey(row.ID, fmt.Sprintf("trigger-job-%d--1", caller.ID))
					require.Equal(t, engine.Succeeded, found.State)
					_, err2 := v.FindKey(row.ID, fmt.Sprintf("trigger-job-%d--2", caller.ID))
					require.ErrorIs(t, err2, engine.ErrNotFound)
					children++
					return err
				}))
				require.Equal(t, 1, children)
				require.Len(t, h.started, 1, "one attempt of one child")
			}
		})
	}
}
