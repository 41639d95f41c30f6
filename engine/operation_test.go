package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/sim/model"
	"github.com/almanac-sched/almanac/engine/spec"
)

const chain = `workflow: w
defaults: {startTime: "2026-08-01T00:00:00Z", concurrency: 2}
jobs:
  a:
    recurrence: {frequency: hour, interval: 6}
    steps:
      one: {type: shell, command: "true"}
      two: {type: shell, command: "true", needs: [one]}
  b: {recurrence: {frequency: hour, interval: 12}, dependsOn: [{job: a, onFailed: cancel}], action: {type: shell, command: "true"}}
  c: {recurrence: {frequency: day}, confirm: true, dependsOn: [b, {job: a, select: 3}, {job: self, cycle: previous}], action: {type: shell, command: "true"}}
`

// A small world: an engine on rows of which everything can be listed.
type small struct {
	rows engine.Store
	e    *engine.Engine
	h    *hand
	now  time.Time
}

func newSmall(t require.TestingT, rows engine.Store, now time.Time) *small {
	s := &small{rows: rows, h: &hand{}, now: now}
	var err error
	s.e, err = engine.New(engine.Config{
		Store: rows, Runner: s.h, Owner: "server", Slots: 2, Decode: spec.DecodeJob, Condition: spec.EvalWhen, Clock: func() time.Time { return s.now },
	})
	require.NoError(t, err)
	return s
}

func (s *small) load(t require.TestingT) {
	w, problems := spec.Decode("w.yaml", []byte(chain), spec.Options{})
	require.False(t, problems.HasErrors(), "%v", problems)
	_, err := s.e.Load(context.Background(), []*engine.Workflow{w}, s.now)
	require.NoError(t, err)
}

func (s *small) step(t require.TestingT) {
	for range 20 {
		next, _, err := s.e.Step(context.Background(), s.now)
		require.NoError(t, err)
		if next.After(s.now) {
			return
		}
	}
}

// all lists every instance by its id, with what it waits for and its steps.
func (s *small) all(t require.TestingT) map[int64]string {
	found := map[int64]string{}
	require.NoError(t, s.rows.Read(context.Background(), func(v engine.View) error {
		list, err := v.Between(0, time.Time{}, time.Time{}, 10_000)
		for _, i := range list {
			waits, err1 := v.Waits(i.ID)
			steps, err2 := v.Steps(i.ID)
			err = errors.Join(err, err1, err2)
			found[i.ID] = fmt.Sprintf("%s %+v %+v", i.State, waits, steps) + fmt.Sprint(i.Frozen, i.RunNow, i.Priority, i.Confirmed, i.Touched, i.Fence, i.NotBefore)
		}
		return err
	}))
	return found
}

// What a preview says is what happens, and nothing else; what it refuses is refused for the same reason. It changes nothing.
func TestAPreviewIsWhatHappens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Date(2026, 8, 2, 0, 30, 0, 0, time.UTC)
		var s *small
		s = newSmall(t, model.New(func() time.Time { return s.now }), now)
		s.load(t)
		for range rapid.IntRange(0, 12).Draw(t, "turns") {
			s.now = s.now.Add(time.Duration(rapid.IntRange(0, 7).Draw(t, "hours")) * time.Hour)
			s.step(t)
			for _, a := range s.h.started {
				r := engine.Result{Attempt: a.ID, StartedAt: s.now, EndedAt: s.now}
				if r.Outcome = rapid.SampledFrom([]engine.Outcome{engine.OutcomeSucceeded, engine.OutcomeSucceeded, engine.OutcomeFailed, ""}).Draw(t, "outcome"); r.Outcome != "" {
					s.h.done[a.ID](r)
				}
			}
			s.h.started = nil
			s.step(t)
			for range rapid.IntRange(0, 2).Draw(t, "operations") {
				s.operate(t)
			}
		}
	})
}

func (s *small) operate(t *rapid.T) {
	ctx := context.Background()
	r := engine.OperationRequest{
		Operation: rapid.SampledFrom(engine.Operations).Draw(t, "operation"), Actor: "ann",
		Selector: rapid.SampledFrom([]string{
			"state:failed,cancelled", "state:waiting", "job:a date:today", "date:yesterday..today", "job:b,c date:today..tomorrow", "state:failed +", "job:c date:today 2+",
		}).Draw(t, "selector"),
	}
	switch r.Operation {
	case engine.OperateRerun:
		r.Options.From = rapid.SampledFrom([]string{"", "start", "failed"}).Draw(t, "from")
		r.Options.Scope = rapid.SampledFrom([]string{"", "downstream"}).Draw(t, "scope")
		r.Options.Version = rapid.SampledFrom([]string{"", "latest"}).Draw(t, "version")
		r.Selector += " -state:waiting,running"
	case engine.OperateDetach:
		r.Options.Upstream = "w/a@" + s.now.Format("2006-01-02") + rapid.SampledFrom([]string{"T06:00", "T12:00", "T18:00"}).Draw(t, "upstream")
		r.Selector = rapid.SampledFrom([]string{"job:b state:waiting", "job:c date:today", "job:c date:yesterday"}).Draw(t, "of")
	}
	before := s.all(t)
	preview := r
	preview.DryRun = true
	said, refused := s.e.Operate(ctx, preview, s.now)
	require.Equal(t, before, s.all(t), "a preview changes nothing")
	done, err := s.e.Operate(ctx, r, s.now)
	after := s.all(t)
	if refused != nil {
		require.EqualError(t, err, refused.Error())
		require.Equal(t, before, after, "all or nothing")
		return
	}
	require.NoError(t, err)
	for n := range said.Changes { // what is not planned yet is written down, and gets its id, when it is done
		if n < len(done.Changes) && said.Changes[n].ID == 0 {
			require.NotContains(t, before, done.Changes[n].ID)
			said.Changes[n].ID = done.Changes[n].ID
		}
	}
	require.Equal(t, said.Changes, done.Changes)
	require.Equal(t, said.Counts, done.Counts)
	changed := map[int64]bool{}
	for _, c := range done.Changes {
		if c.Effect != engine.EffectChanged && c.Effect != engine.EffectReopened {
			continue
		}
		changed[c.ID] = true
		if c.From != engine.Running {
			require.NoError(t, s.rows.Read(ctx, func(v engine.View) error {
				i, err := v.Instance(c.ID)
				require.Equal(t, c.To, i.State)
				require.True(t, i.Touched || r.Operation == engine.OperateConfirm || c.To.Ended() || c.PlanTime.After(s.now), "an order ahead touches nothing")
				return err
			}))
			require.NotEqual(t, before[c.ID], after[c.ID], "it says that something changes")
		}
	}
	for id := range before {
		if !changed[id] {
			require.Equal(t, before[id], after[id], "of instance %d nothing was said", id)
		}
	}
	again, err := s.e.Operate(ctx, r, s.now)
	if err == nil && r.Operation != engine.OperateRerun && r.Operation != engine.OperateDetach {
		require.Zero(t, again.Counts[engine.EffectChanged]-running(again), "a second time there is nothing left to do")
	}
}

// running counts what is being cancelled.
func running(r engine.OperationResult) (n int) {
	for _, c := range r.Changes {
		if c.Effect == engine.EffectChanged && c.From == engine.Running {
			n++
		}
	}
	return n
}

// cut is a Store whose transaction ends in the middle: at its n-th write.
type cut struct {
	engine.Store
	after int
}

var errCut = errors.New("the power is gone")

func (c *cut) Write(ctx context.Context, fn func(tx engine.Tx) error) error {
	return c.Store.Write(ctx, func(tx engine.Tx) error { return fn(&cutTx{Tx: tx, left: &c.after}) })
}

type cutTx struct {
	engine.Tx
	left *int
}

func (t *cutTx) spend() error {
	if *t.left--; *t.left == 0 {
		return errCut
	}
	return nil
}

func (t *cutTx) Apply(c engine.Transition) (bool, error) {
	ok, err := t.Tx.Apply(c)
	return ok, errors.Join(err, t.spend())
}

func (t *cutTx) KeepSteps(id int64, steps []engine.StepRow) (bool, error) {
	ok, err := t.Tx.KeepSteps(id, steps)
	return ok, errors.Join(err, t.spend())
}

func (t *cutTx) WakeWaiters(i *engine.Instance) error {
	return errors.Join(t.Tx.WakeWaiters(i), t.spend())
}

func (t *cutTx) Record(e engine.EventRow) error { return errors.Join(t.Tx.Record(e), t.spend()) }

func (t *cutTx) PutResource(r engine.ResourceRow) error {
	return errors.Join(t.Tx.PutResource(r), t.spend())
}

// A bulk rerun is cut off after each of its writes in turn: nothing of it is there, until all of it is.
func TestABulkOperationIsCutOffAtEveryWrite(t *testing.T) {
	d := newDesk(t)
	d.now = time.Date(2026, 8, 2, 0, 30, 0, 0, time.UTC)
	rows := &cut{Store: d.db}
	s := newSmall(t, rows, d.now)
	s.load(t)
	s.step(t)
	_, err := s.e.Operate(t.Context(), engine.OperationRequest{Operation: engine.OperateSkip, Selector: "date:today", Actor: "ann"}, s.now)
	require.NoError(t, err)
	before := s.all(t)
	last, err := d.db.LastEvent(t.Context())
	require.NoError(t, err)
	rerun := engine.OperationRequest{Operation: engine.OperateRerun, Selector: "job:a date:today", Options: engine.OperationOptions{Scope: "downstream"}, Actor: "ann"}
	for n := 1; ; n++ {
		rows.after = n
		result, err := s.e.Operate(t.Context(), rerun, s.now)
		if err == nil {
			require.Greater(t, n, 2*len(before), "each instance takes two writes: it begins again, and what waits for it is woken")
			require.Equal(t, len(before), result.Counts[engine.EffectChanged]+result.Counts[engine.EffectReopened])
			break
		}
		require.ErrorIs(t, err, errCut)
		require.Equal(t, before, s.all(t), "cut off at write %d", n)
		now, err := d.db.LastEvent(t.Context())
		require.NoError(t, err)
		require.Equal(t, last, now)
	}
	for _, i := range s.all(t) {
		require.Contains(t, i, "waiting")
	}
	require.NoError(t, d.db.VerifyChain(t.Context()))
}

// Detaching takes one of a range out, in the middle, at its ends, and the last: a count asks for no more than there are, and what is emptied is open.
func TestDetachCutsARange(t *testing.T) {
	d := newDesk(t)
	d.now = time.Date(2026, 8, 2, 23, 30, 0, 0, time.UTC)
	s := newSmall(t, d.db, d.now)
	s.load(t)
	s.step(t)
	ranges := func() (list []string) {
		require.NoError(t, d.db.Read(t.Context(), func(v engine.View) error {
			c, err := s.e.Select(t.Context(), "w/c@2026-08-03T00:00", s.now)
			require.NoError(t, err)
			waits, err := v.Waits(c[0].ID)
			for n, w := range waits {
				require.Equal(t, n, w.N)
				if w.Ref.Job == "a" && w.Count > 0 { // what was detached is remembered in rows of its own
					list = append(list, fmt.Sprintf("%s..%s %d of %s %s", w.First.Format("15"), w.Last.Format("15"), w.Count, w.Select, w.Rule))
				}
			}
			return err
		}))
		return list
	}
	detach := func(hour string) error {
		_, err := s.e.Operate(t.Context(), engine.OperationRequest{
			Operation: engine.OperateDetach, Selector: "w/c@2026-08-03T00:00", Actor: "ann", Options: engine.OperationOptions{Upstream: "w/a@2026-08-03T" + hour + ":00"},
		}, s.now)
		return err
	}
	require.Equal(t, []string{"00..18 4 of 3 natural-day"}, ranges())
	require.NoError(t, detach("06"))
	require.Equal(t, []string{"00..00 1 of 3 natural-day", "12..18 2 of 3 natural-day"}, ranges())
	require.ErrorContains(t, detach("06"), "it does not wait for w/a@2026-08-03T06:00:00Z")
	require.NoError(t, detach("18"))
	require.Equal(t, []string{"00..00 1 of 2 natural-day", "12..12 1 of 2 natural-day"}, ranges(), "two are left, so that three cannot be asked for")
	require.NoError(t, detach("00"))
	require.Equal(t, []string{"12..12 1 of 1 natural-day"}, ranges())
	require.NoError(t, detach("12"))
	require.Empty(t, ranges(), "what is left are rows of what was detached")
	require.ErrorIs(t, detach("12"), engine.ErrConflict)
}
