package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

// troubles looks at the engine at the desk's time and returns what is wrong by aspect.
func (d *desk) troubles(e *engine.Engine) map[engine.Aspect]string {
	found := map[engine.Aspect]string{}
	for _, t := range e.Look(d.Context(), d.now).Troubles {
		found[t.Aspect] = t.Detail
	}
	return found
}

func TestAWellServerHasNoTrouble(t *testing.T) {
	d := newDesk(t)
	e, h := d.server("a", d.db, false)
	d.load(e, hourly)
	require.Equal(t, map[engine.Aspect]string{engine.AspectStart: "starting: the plan is being written and what runs is taken over"}, d.troubles(e))
	d.step(e)
	require.Empty(t, d.troubles(e), "at once, not when a look at the rows from before has gone stale")
	for range 26 * 60 {
		d.now = d.now.Add(time.Minute)
		d.step(e)
		for _, a := range h.started {
			h.end(a.ID, d.now)
		}
		h.started = nil
		d.step(e)
		require.Empty(t, d.troubles(e), "%s", d.now)
	}
}

func TestAnAspectOfTheLoop(t *testing.T) {
	d := newDesk(t)
	e, _ := d.server("a", d.db, false)
	d.load(e, hourly)
	d.step(e)
	d.now = d.now.Add(61 * time.Second)
	found := d.troubles(e)
	require.Equal(t, "the last turn of the loop was 1m1s ago", found[engine.AspectLoop])
	require.Contains(t, found[engine.AspectLease], "the lease of this server ended 1s ago", "so others may take over")
	d.now = d.now.Add(time.Second)
	d.step(e)
	require.Empty(t, d.troubles(e))
}

// unreadable is a Store that cannot be read while it is to fail.
type unreadable struct {
	engine.Store
	err error
}

func (u *unreadable) Read(ctx context.Context, fn func(v engine.View) error) error {
	if u.err != nil {
		return u.err
	}
	return u.Store.Read(ctx, fn)
}

func TestAnAspectOfTheStore(t *testing.T) {
	d := newDesk(t)
	rows := &faulty{Store: d.db}
	reads := &unreadable{Store: rows}
	e, _ := d.server("a", reads, false)
	d.load(e, hourly)
	d.step(e)
	before := e.Look(t.Context(), d.now)
	rows.before = fmt.Errorf("locked by another process: %w", engine.ErrUnavailable)
	d.now = d.now.Add(20 * time.Second) // the lease is to be renewed
	_, _, err := e.Step(t.Context(), d.now)
	require.NoError(t, err)
	require.Contains(t, d.troubles(e)[engine.AspectStore], "locked by another process")

	d.now = d.now.Add(time.Second)
	d.step(e)
	require.Empty(t, d.troubles(e))
	d.now = d.now.Add(time.Second)
	reads.err = errors.New("disk I/O error")
	require.Equal(t, "the rows cannot be read: disk I/O error", d.troubles(e)[engine.AspectStore])
	require.Equal(t, before.States, e.Look(t.Context(), d.now).States, "the counts are those of the look before")
}

func TestAnAspectOfTheDisk(t *testing.T) {
	d := newDesk(t)
	low := false
	e, err := engine.New(d.config("a", &hand{}, func(c *engine.Config) {
		c.DiskLow = func() (string, bool) { return "3 MiB are free", low }
	}))
	require.NoError(t, err)
	d.load(e, hourly)
	d.step(e)
	low = true
	d.now = time.Date(2026, 8, 3, 1, 0, 0, 0, time.UTC)
	d.step(e)
	for range 4 { // what the disk holds is not ready, however long
		require.Equal(t, map[engine.Aspect]string{engine.AspectDisk: "nothing is started: 3 MiB are free"}, d.troubles(e))
		d.now = d.now.Add(20 * time.Second)
		d.step(e)
	}
}

func TestAnAspectOfThePlanner(t *testing.T) {
	d := newDesk(t)
	e, _ := d.server("a", d.db, false)
	d.load(e, hourly)
	d.step(e)
	require.Equal(t, time.Date(2026, 8, 4, 0, 0, 0, 0, time.UTC), e.Look(t.Context(), d.now).PlannedTo)
	d.now = time.Date(2026, 8, 3, 22, 1, 1, 0, time.UTC) // two hours before the day begins, and a minute
	require.Equal(t, "the plan ends at 2026-08-04T00:00:00Z, and should have been written on for 1m1s", d.troubles(e)[engine.AspectPlanner])
	d.step(e)
	require.NotContains(t, d.troubles(e), engine.AspectPlanner)
}

func TestAnAspectOfTheClock(t *testing.T) {
	d := newDesk(t)
	e, _ := d.server("a", d.db, false)
	d.load(e, hourly)
	d.step(e)
	d.now = d.now.Add(-time.Hour)
	d.step(e)
	d.now = d.now.Add(29 * time.Second)
	d.step(e)
	require.Equal(t, "the clock of this machine jumped by -1h0m0s, 29s ago", d.troubles(e)[engine.AspectClock])
	d.now = d.now.Add(time.Second)
	d.step(e)
	require.Empty(t, d.troubles(e))
}

// blind is a Store that does not show who writes what is due and what is queued: an engine over it has forgotten how to start anything.
type blind struct{ engine.Store }

type blindTx struct{ engine.Tx }

func (blindTx) Due(time.Time, int) ([]engine.Instance, error) { return nil, nil }
func (blindTx) Queued(string, int) ([]engine.Instance, error) { return nil, nil }

func (b blind) Write(ctx context.Context, fn func(tx engine.Tx) error) error {
	return b.Store.Write(ctx, func(tx engine.Tx) error { return fn(blindTx{tx}) })
}

// What is due, or only lacks a slot, and is left lying beside a free slot, is seen within a minute.
func TestAnAspectOfWhatIsReady(t *testing.T) {
	d := newDesk(t)
	e, h := d.server("a", blind{d.db}, false)
	d.load(e, hourly)
	d.step(e)
	d.now = time.Date(2026, 8, 3, 1, 0, 0, 0, time.UTC)
	look := func() engine.Sighting {
		_, _, err := e.Step(t.Context(), d.now)
		require.NoError(t, err)
		return e.Look(t.Context(), d.now)
	}
	require.Empty(t, look().Troubles)
	for range 6 {
		d.now = d.now.Add(5 * time.Second)
		require.Empty(t, look().Troubles, "%s", d.now)
	}
	d.now = d.now.Add(5 * time.Second)
	s := look()
	require.Equal(t, []engine.Trouble{{Aspect: engine.AspectReady, Detail: "w/load@2026-08-03T01:00:00Z is due and has not been looked at, with a free slot, for 35s"}}, s.Troubles)
	require.Equal(t, time.Date(2026, 8, 3, 1, 0, 0, 0, time.UTC), s.ReadySince.UTC())
	require.Empty(t, h.started)
}

func TestWhatLacksASlotIsNotReady(t *testing.T) {
	d := newDesk(t)
	h := &hand{}
	e, err := engine.New(d.config("a", h, func(c *engine.Config) { c.Slots = 1 }))
	require.NoError(t, err)
	d.load(e, hourly)
	d.step(e)
	d.now = time.Date(2026, 8, 3, 1, 0, 0, 0, time.UTC)
	for range 20 {
		d.step(e)
		s := e.Look(t.Context(), d.now)
		require.Empty(t, s.Troubles)
		require.Equal(t, 1, s.Used)
		require.Equal(t, 1, s.Gates[engine.GateSlot])
		d.now = d.now.Add(10 * time.Second)
	}
}

// troubledFor45s has the loop turn for 45 seconds, in which what stands still becomes trouble, and returns the troubles at their end.
func (d *desk) troubledFor45s(e *engine.Engine) (found map[engine.Aspect]string) {
	for range 5 {
		d.now = d.now.Add(9 * time.Second)
		_, _, err := e.Step(d.Context(), d.now)
		require.NoError(d, err)
		found = d.troubles(e)
	}
	return found
}

// A step whose retry is not due yet waits rightly; a run without anything to wait for does not.
func TestARunOfWhichNothingRuns(t *testing.T) {
	d := newDesk(t)
	e, h := d.server("a", d.db, false)
	d.load(e, `workflow: w
defaults: {startTime: "2026-08-01T00:00:00Z"}
jobs:
  load: {recurrence: {frequency: hour}, action: {type: shell, command: "true", retryPolicy: {retryType: fixed, retryInterval: PT10M, retryCount: 3}}}
`)
	d.step(e)
	d.now = time.Date(2026, 8, 3, 1, 0, 0, 0, time.UTC)
	d.step(e)
	id := h.started[0].ID
	h.done[id](engine.Result{Attempt: id, Outcome: engine.OutcomeFailed, Message: "exit 1", StartedAt: d.now, EndedAt: d.now})
	d.step(e)
	for range 50 {
		d.now = d.now.Add(10 * time.Second)
		d.step(e)
		require.Empty(t, d.troubles(e), "its retry is due in ten minutes")
	}
	// The row says that nothing is waited for, and the loop, which goes by its own working set, does not know.
	require.NoError(t, d.db.Write(t.Context(), func(tx engine.Tx) error {
		running, err := tx.Running()
		require.NoError(t, err)
		ok, err := tx.SetStep(running[0].ID, running[0].Fence, engine.StepRow{State: engine.StepWaiting, Attempts: 1})
		require.True(t, ok)
		return err
	}))
	found := d.troubledFor45s(e)
	require.Equal(t, "w/load@2026-08-03T01:00:00Z runs, and none of its steps does, with a free slot, for 36s", found[engine.AspectReady])
}

// A step that waits for a file has no attempt that lives, and nothing is wrong with that.
func TestARunThatWatchesIsNotIdle(t *testing.T) {
	d := newDesk(t)
	e, h := d.server("a", d.db, false)
	d.load(e, `workflow: w
defaults: {startTime: "2026-08-01T00:00:00Z"}
jobs:
  look: {recurrence: {frequency: hour}, action: {type: wait, interval: PT30M, file: {path: nowhere}}}
`)
	d.step(e)
	d.now = time.Date(2026, 8, 3, 1, 0, 0, 0, time.UTC)
	d.step(e)
	d.step(e)
	id := h.started[0].ID
	h.done[id](engine.Result{Attempt: id, Outcome: engine.OutcomeFailed, Message: "nowhere is not there", StartedAt: d.now, EndedAt: d.now})
	for range 20 {
		d.step(e)
		require.Empty(t, d.troubles(e))
		d.now = d.now.Add(10 * time.Second)
	}
}

// A step whose instance has ended waits for nothing: somebody should have gone on.
func TestARunWhoseWatchIsOverIsIdle(t *testing.T) {
	d := newDesk(t)
	e, h := d.server("a", d.db, false)
	d.load(e, `workflow: w
defaults: {startTime: "2026-08-01T00:00:00Z"}
jobs:
  look: {recurrence: {frequency: hour}, action: {type: wait, interval: PT30M, file: {path: nowhere}}}
  none: {recurrence: {frequency: hour}, action: {type: none}}
`)
	d.step(e)
	d.now = time.Date(2026, 8, 3, 1, 0, 0, 0, time.UTC)
	d.step(e)
	d.step(e)
	id := h.started[0].ID
	h.done[id](engine.Result{Attempt: id, Outcome: engine.OutcomeFailed, Message: "nowhere is not there", StartedAt: d.now, EndedAt: d.now})
	d.step(e)
	// The rows say that what it waits for is an instance that has ended, and the loop does not know of it.
	require.NoError(t, d.db.Write(t.Context(), func(tx engine.Tx) error {
		running, err := tx.Running()
		require.NoError(t, err)
		ended, err := tx.InState(engine.Succeeded, time.Time{}, time.Time{}, 1)
		require.NoError(t, err)
		watches, err := tx.Watches(running[0].ID)
		require.NoError(t, err)
		row := watches[0]
		ok, err := tx.EndWatch(row.ID, row.Instance, running[0].Fence)
		require.True(t, ok)
		require.NoError(t, err)
		row.ID, err = tx.Reserve(1)
		require.NoError(t, err)
		row.Child, row.Next = ended[0].ID, time.Time{}
		ok, err = tx.PutWatch(row, running[0].Fence)
		require.True(t, ok)
		return err
	}))
	found := d.troubledFor45s(e)
	require.Equal(t, "w/look@2026-08-03T01:00:00Z runs, and none of its steps does, with a free slot, for 36s", found[engine.AspectReady])
}

func TestPoolsAreCounted(t *testing.T) {
	d := newDesk(t)
	e, _ := d.server("a", d.db, false)
	d.load(e, `workflow: w
defaults: {startTime: "2026-08-01T00:00:00Z", concurrency: 9}
jobs:
  one: {recurrence: {frequency: hour}, pool: narrow, slots: 1, action: {type: shell, command: "true"}}
  two: {recurrence: {frequency: hour}, pool: narrow, slots: 1, action: {type: shell, command: "true"}}
`)
	d.step(e)
	d.now = time.Date(2026, 8, 3, 1, 0, 0, 0, time.UTC)
	for range 5 {
		d.step(e)
		s := e.Look(t.Context(), d.now)
		require.Empty(t, s.Troubles, "the pool is full, though the server is not")
		require.Equal(t, []engine.PoolUse{{Pool: "narrow", Used: 1, Size: 1}}, s.Pools)
		d.now = d.now.Add(15 * time.Second)
	}
}
